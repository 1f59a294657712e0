/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/host.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static const char *fake_name;

/* libc's is not linked in then */
int gethostname(char *name, size_t size)
{
	if (!fake_name)
		return -1;
	strncpy(name, fake_name, size);
	return 0;
}

START_TEST(a_host_name_is_without_its_domain)
{
	char name[8];

	fake_name = "c1.x.org";
	ck_assert_int_eq(host_name(name, sizeof(name)), 0);
	ck_assert_str_eq(name, "c1");
	fake_name = "abcdefghijk";
	ck_assert_int_eq(host_name(name, sizeof(name)), 0);
	ck_assert_str_eq(name, "abcdefg");
	fake_name = NULL;
	ck_assert_int_eq(host_name(name, sizeof(name)), -1);
	ck_assert_str_eq(name, "");
}
END_TEST

START_TEST(slurmd_knows_the_name_of_the_node_better)
{
	char name[256];

	fake_name = "host.x.org";
	setenv("SLURMD_NODENAME", "c1.x", 1);
	ck_assert_int_eq(host_node_name(name, sizeof(name)), 0);
	ck_assert_str_eq(name, "c1.x");
	setenv("SLURMD_NODENAME", "", 1);
	ck_assert_int_eq(host_node_name(name, sizeof(name)), 0);
	ck_assert_str_eq(name, "host");
	fake_name = NULL;
	ck_assert_int_eq(host_node_name(name, sizeof(name)), -1);
}
END_TEST

START_TEST(a_boot_has_an_id_of_36_characters)
{
	char id[64], small[8];

	host_boot_id(id, sizeof(id));
	ck_assert_uint_eq(strlen(id), 36);
	host_boot_id(small, sizeof(small));
	ck_assert_int_eq(strncmp(id, small, 7), 0);
}
END_TEST

static void put_conf(const char *folder)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/slurm.conf", folder);
	tempdir_put(path, "");
}

START_TEST(slurm_conf_is_in_the_first_of_the_usual_places_that_has_it)
{
	const char *root = tempdir_make();

	mkdir(tempdir_path("etc"), 0755);
	mkdir(tempdir_path("etc/slurm"), 0755);
	mkdir(tempdir_path("usr"), 0755);
	mkdir(tempdir_path("usr/local"), 0755);
	mkdir(tempdir_path("usr/local/etc"), 0755);
	setenv("SLURM_CONF", "/elsewhere/slurm.conf", 1);
	ck_assert_ptr_null(host_slurm_conf(root));
	put_conf("usr/local/etc");
	ck_assert_str_eq(host_slurm_conf(root), "/usr/local/etc/slurm.conf");
	put_conf("etc/slurm");
	ck_assert_str_eq(host_slurm_conf(root), "/etc/slurm/slurm.conf");
	tempdir_remove();
}
END_TEST

START_TEST(a_fetched_slurm_conf_is_taken_where_the_site_has_none)
{
	const char *root = tempdir_make();

	mkdir(tempdir_path("run"), 0755);
	mkdir(tempdir_path("run/slurm"), 0755);
	mkdir(tempdir_path("run/slurm/conf"), 0755);
	mkdir(tempdir_path("etc"), 0755);
	mkdir(tempdir_path("etc/slurm"), 0755);
	put_conf("run/slurm/conf");
	ck_assert_str_eq(host_slurm_conf(root), "/run/slurm/conf/slurm.conf");
	put_conf("etc/slurm");
	ck_assert_str_eq(host_slurm_conf(root), "/etc/slurm/slurm.conf");
	tempdir_remove();
}
END_TEST

START_TEST(the_environment_names_slurm_conf_on_this_host)
{
	setenv("SLURM_CONF", "/elsewhere/slurm.conf", 1);
	ck_assert_str_eq(host_slurm_conf(""), "/elsewhere/slurm.conf");
}
END_TEST

START_TEST(a_daemon_of_debian_may_have_a_name_of_its_own)
{
	ck_assert(host_is_daemon("slurmd", "slurmd"));
	ck_assert(host_is_daemon("slurmd-wlm", "slurmd"));
	ck_assert(host_is_daemon("slurmctld-wlm", "slurmctld"));
	ck_assert(!host_is_daemon("slurmdbd", "slurmd"));
	ck_assert(!host_is_daemon("slurmd-wl", "slurmd"));
	ck_assert(!host_is_daemon("slurmd-wlm2", "slurmd"));
	ck_assert(!host_is_daemon("slurm", "slurmd"));
	ck_assert(!host_is_daemon("", "slurmd"));
}
END_TEST

UNIT_MAIN("host", a_host_name_is_without_its_domain, slurmd_knows_the_name_of_the_node_better,
	  a_boot_has_an_id_of_36_characters,
	  slurm_conf_is_in_the_first_of_the_usual_places_that_has_it,
	  a_fetched_slurm_conf_is_taken_where_the_site_has_none,
	  the_environment_names_slurm_conf_on_this_host,
	  a_daemon_of_debian_may_have_a_name_of_its_own)
