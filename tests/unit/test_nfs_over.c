/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A new NFS mount for a job: which options it gets, and what the kernel shows of
 * them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "client/nfs/nfs.h"
#include "client/place.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static void expect_list(const char *shown, const char *wanted, const char *list)
{
	char *have = nfs_over_list(shown, wanted);

	ck_assert_str_eq(have, list);
	free(have);
}

#define SAFE "ro,nosuid,nodev,noexec,relatime"

START_TEST(a_new_mount_has_every_option_of_the_old_one_that_it_does_not_replace)
{
	expect_list(SAFE ",vers=3,rsize=1048576,wsize=262144,namlen=255,hard,"
			 "nolock,proto=tcp,timeo=600,retrans=2,sec=krb5p,"
			 "mountaddr=192.0.2.1,mountvers=3,mountport=20048,"
			 "mountproto=udp,local_lock=all,addr=192.0.2.1",
		    "rsize=65536",
		    SAFE ",vers=3,wsize=262144,namlen=255,hard,"
			 "nolock,proto=tcp,timeo=600,retrans=2,sec=krb5p,"
			 "mountaddr=192.0.2.1,mountvers=3,mountport=20048,"
			 "mountproto=udp,local_lock=all,addr=192.0.2.1,"
			 "rsize=65536");
	expect_list("rw,noatime,nodiratime,seclabel,vers=4.2,"
		    "context=\"u:o:nfs_t:s0:c1,c2\",clientaddr=192.0.2.9",
		    "nocto,noac",
		    "rw,noatime,nodiratime,vers=4.2,"
		    "context=\"u:o:nfs_t:s0:c1,c2\",clientaddr=192.0.2.9,"
		    "nocto,noac");
}
END_TEST

START_TEST(an_option_takes_the_place_of_what_it_sets)
{
	expect_list("rw,relatime,acregmin=1,acregmax=2,acdirmin=3,acdirmax=4,"
		    "hard",
		    "actimeo=60", "rw,relatime,hard,actimeo=60");
	expect_list("rw,relatime,acregmin=1,acregmax=2", "acregmin=9",
		    "rw,relatime,acregmax=2,acregmin=9");
	expect_list("rw,relatime,proto=tcp,port=2050,nconnect=4,mountproto=tcp",
		    "proto=rdma", "rw,relatime,mountproto=tcp,proto=rdma");
}
END_TEST

START_TEST(a_mount_that_keeps_all_access_times_goes_on_to_keep_them)
{
	expect_list("rw,vers=3", "nocto", "rw,vers=3,strictatime,nocto");
}
END_TEST

/* ---- mountinfo ------------------------------------------------------------- */

static const char mountinfo[] =
	"21 1 8:2 / / rw,relatime - xfs /dev/sda2 rw\n"
	"80 21 0:60 / /mnt/my\\040work rw shared:4 - nfs 192.0.2.40:/a rw\n"
	"x 21 0:60 / /mnt/my\\040work rw shared:4 - nfs 192.0.2.40:/a rw\n"
	"82 21 0:60 / /mnt/my\\040work rw\n"
	"81 80 0:61 /b /mnt/my\\040work ro - nfs 192.0.2.40:/\\134a ro\n"
	"83 21 0:62 / /mnt/my\\040workshop rw - nfs 192.0.2.40:/b rw\n";

static unsigned long found(struct place_search search)
{
	struct place place;

	return place_find(mountinfo, &search, &place) ? place.id : 0;
}

START_TEST(the_last_mount_on_a_place_is_seen)
{
	const struct place_search search = { .target = "/mnt/my work" };
	struct place place;

	ck_assert(place_find(mountinfo, &search, &place));
	ck_assert_uint_eq(place.id, 81);
	ck_assert_uint_eq(place.parent, 80);
	ck_assert_str_eq(place.device, "0:61");
	ck_assert_str_eq(place.root, "/b");
	ck_assert_str_eq(place.fstype, "nfs");
	ck_assert_str_eq(place.source, "192.0.2.40:/\\a");
	ck_assert_uint_eq(found((struct place_search){ .id = 83 }), 83);
	ck_assert_uint_eq(found((struct place_search){ .id = 84 }), 0);
	ck_assert_uint_eq(found((struct place_search){ .target = "/mnt/my work",
						       .parent = 21 }),
			  80);
	ck_assert_uint_eq(found((struct place_search){ .target = "/mnt/my work",
						       .source = "x" }),
			  0);
}
END_TEST

START_TEST(below_a_place_is_what_its_name_begins)
{
	ck_assert_uint_eq(
		found((struct place_search){ .target = "/mnt", .below = true }),
		83);
	ck_assert_uint_eq(
		found((struct place_search){ .target = "/", .below = true }),
		83);
	ck_assert_uint_eq(found((struct place_search){ .target = "/mnt/my work",
						       .below = true }),
			  0);
}
END_TEST

/* ---- what the kernel shows --------------------------------------------------- */

static struct client *client;

#define STATS                                                                  \
	"device 192.0.2.40:/a mounted on /mnt/a with fstype nfs "              \
	"statvers=1.1\n"                                                       \
	"\topts:\trw,vers=3,acregmin=3,acregmax=60,acdirmin=30,acdirmax=60\n"  \
	"device 192.0.2.40:/a mounted on /mnt/a with fstype nfs "              \
	"statvers=1.1\n"                                                       \
	"\topts:\trw,vers=3,acregmin=60,acregmax=60,acdirmin=60,acdirmax=60\n" \
	"no device mounted on /mnt/b\n\topts:\trw,nocto\n"

static void node(const char *options)
{
	static char table[600], info[600], stats[600], line[800];
	static struct config_client section;
	struct err err;

	tempdir_make();
	snprintf(line, sizeof(line), "192.0.2.40:/a /mnt/a nfs %s 0 0\n",
		 options);
	strcpy(table, tempdir_put("mounts", line));
	strcpy(info, tempdir_put("mountinfo",
				 "80 21 0:60 / /mnt/a rw - nfs 192.0.2.40:/a "
				 "rw\n"));
	strcpy(stats, tempdir_put("mountstats", STATS));
	section = (struct config_client){ .name = (char *)"home",
					  .type = CLIENT_NFS,
					  .mounts = (char *)"",
					  .timeout_ms = 1000,
					  .mount_table = table,
					  .mountinfo = info,
					  .mountstats = stats,
					  .bdi_dir = tempdir_name };
	client = client_open(&section, "/run/jobio", "/spool/state", NULL);
	ck_assert_ptr_nonnull(client);
	ck_assert_int_eq(client_inspect(client, 1000, &err), 0);
}

static void away(void)
{
	client_close(client);
	tempdir_remove();
}

static void expect_verified(const char *before, const char *wanted,
			    const char *why)
{
	struct err err = { "" };
	int rc = nfs_over_verify(client, "/mnt/a", before, wanted, &err);

	ck_assert_str_eq(err.text, why);
	ck_assert_int_eq(rc, *why ? -1 : 0);
}

START_TEST(defaults_that_the_table_does_not_show_are_found_in_mountstats)
{
	node("rw,nosuid,vers=3,rsize=65536,acregmin=60,acdirmin=60,sec=krb5");
	ck_assert(nfs_over_stand(client, "/mnt/a", "rsize=65536,actimeo=60"));
	ck_assert(nfs_over_stand(client, "/mnt/a", "lookupcache=all"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "actimeo=61"));
	ck_assert(!nfs_over_stand(client, "/mnt/a", "nocto"));
	ck_assert(!nfs_over_stand(client, "/mnt/b", "rsize=65536"));
	away();
}
END_TEST

START_TEST(a_new_mount_that_lost_something_of_the_old_one_is_not_as_wanted)
{
	node("rw,nosuid,vers=3,rsize=65536,acregmin=60,acdirmin=60,sec=krb5");
	expect_verified("rw,nosuid,vers=3,rsize=4096,acregmax=9,sec=krb5",
			"rsize=65536,actimeo=60", "");
	expect_verified("rw,nosuid,nodev,vers=3", "rsize=65536",
			"it has lost 'nodev' on the way");
	expect_verified("ro,nosuid", "rsize=65536",
			"it has lost 'ro' on the way");
	expect_verified("rw,sec=krb5p", "rsize=65536",
			"it has lost 'sec=krb5p' on the way");
	expect_verified("rw", "rsize=65536,wsize=65536",
			"the kernel did not give it wsize=65536");
	away();
}
END_TEST

START_TEST(what_stood_before_is_noted_with_the_mount_that_had_it)
{
	char *old;

	node("rw,nosuid,vers=3,rsize=65536,nordirplus");
	old = nfs_over_old(client, "/mnt/a", 80,
			   "rsize=4096,nocto,nordirplus,acregmin=0");
	ck_assert_str_eq(old,
			 "id=80,rsize=65536,!nocto,nordirplus,acregmin=60");
	free(old);
	away();
}
END_TEST

START_TEST(a_reboot_undoes_a_new_mount)
{
	ck_assert(!client_change_outlives_reboot("nfs", "mount"));
}
END_TEST

UNIT_MAIN("nfs_over",
	  a_new_mount_has_every_option_of_the_old_one_that_it_does_not_replace,
	  an_option_takes_the_place_of_what_it_sets,
	  a_mount_that_keeps_all_access_times_goes_on_to_keep_them,
	  the_last_mount_on_a_place_is_seen,
	  below_a_place_is_what_its_name_begins,
	  defaults_that_the_table_does_not_show_are_found_in_mountstats,
	  a_new_mount_that_lost_something_of_the_old_one_is_not_as_wanted,
	  what_stood_before_is_noted_with_the_mount_that_had_it,
	  a_reboot_undoes_a_new_mount)
