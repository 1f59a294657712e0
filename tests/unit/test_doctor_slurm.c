/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a slurm.conf lacks for jobio, line by line. On whole sites: check_site.bats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/version.h"
#include "report/doctor_plugin.h"
#include "report/doctor_slurm.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define SOUND                                                                                      \
	"SelectType=select/cons_tres\nAllowSpecResourcesUsage=yes\n"                               \
	"TaskPlugin=task/affinity,task/cgroup\nPrologFlags=Alloc,Contain\n"                        \
	"TaskPluginParam=SlurmdOffSpec\nProlog=/p\nEpilog=/e\n"                                    \
	"PlugStackConfig=/etc/plugstack.conf\n"                                                    \
	"NodeName=n1 CpuSpecList=62-63\n"

static char plugin[200]; /* as a line of plugstack.conf named it; "": none did */

/* In its place: what it says is another test's. */
void __wrap_doctor_plugin(const struct doctor *doctor, const char *word)
{
	(void)doctor;
	snprintf(plugin, sizeof(plugin), "%s", word);
}

static unsigned int version, roles;

static void start(void)
{
	tempdir_make();
	version = VERSION_OF(24, 11, 0);
	roles = ROLE_LOGIN | ROLE_NODE | ROLE_CTLD;
	mkdir(tempdir_path("etc"), 0700);
	tempdir_put("etc/plugstack.conf", "optional /lib/jobio.so conf=/x\n");
	tempdir_put("etc/cgroup.conf", "ConstrainCores=yes\n");
}

/* The codes of what is wrong with this slurm.conf, "S01 S13 ", and the last text. */
static char text[ERR_MAX];

static const char *codes(const char *slurm_conf)
{
	static char list[200];
	struct findings findings = { 0 };
	struct doctor doctor = { .roles = roles,
				 .root = tempdir_name,
				 .slurm_conf_path = "/etc/slurm.conf",
				 .version = version,
				 .findings = &findings };
	struct err err = { "" };
	size_t i;

	tempdir_put("etc/slurm.conf", slurm_conf);
	doctor.slurm = slurm_conf_load(tempdir_name, "/etc/slurm.conf", &err);
	doctor.cgroup = slurm_conf_load(tempdir_name, "/etc/cgroup.conf", NULL);
	ck_assert_msg(doctor.slurm != NULL, "%s", err.text);
	*list = *text = *plugin = '\0';
	doctor_slurm(&doctor);
	for (i = 0; i < findings.count; i++) {
		strcat(list, findings.list[i].code);
		strcat(list, " ");
		snprintf(text, sizeof(text), "%s", findings.list[i].text);
	}
	findings_free(&findings);
	slurm_conf_free(doctor.slurm);
	slurm_conf_free(doctor.cgroup);
	return list;
}

START_TEST(a_sound_site_has_nothing_wrong)
{
	start();
	ck_assert_str_eq(codes(SOUND), "");
	ck_assert_str_eq(plugin, "/lib/jobio.so");
	tempdir_remove();
}
END_TEST

START_TEST(each_role_is_asked_for_what_it_needs)
{
	start();
	tempdir_put("etc/plugstack.conf", "");
	tempdir_put("etc/cgroup.conf", "");
	roles = ROLE_LOGIN;
	ck_assert_str_eq(codes("PluginDir=/no\n"), "S02 S19 S14 ");
	roles = ROLE_CTLD;
	ck_assert_str_eq(codes("PluginDir=/no\n"), "S02 S04 S05 S06 S12 S12 ");
	roles = ROLE_NODE;
	ck_assert_str_eq(codes("PluginDir=/no\n"), "S02 S04 S05 S06 S12 S12 S03 S19 S14 ");
	roles = ROLE_LEDGER;
	ck_assert_str_eq(codes("PluginDir=/no\n"), "");
	tempdir_remove();
}
END_TEST

START_TEST(the_scheduler_that_reserves_cores_depends_on_the_version)
{
	start();
	roles = ROLE_LOGIN;
#define LOGIN "AllowSpecResourcesUsage=yes\nPlugStackConfig=/etc/plugstack.conf\n"
	version = VERSION_OF(23, 11, 0);
	ck_assert_str_eq(codes(LOGIN), "");
	ck_assert_str_eq(codes(LOGIN "SelectType=select/cons_res\n"), "S01 ");
	ck_assert_str_eq(codes(LOGIN "SelectType=select/linear\n"), "S01 ");
	version = VERSION_OF(23, 10, 9);
	ck_assert_str_eq(codes(LOGIN), "S01 ");
	version = VERSION_OF(23, 2, 7);
	ck_assert_str_eq(codes(LOGIN), "S01 ");
	ck_assert_ptr_nonnull(strstr(text, "select/linear (the default)"));
	ck_assert_str_eq(codes(LOGIN "SelectType=select/cons_res\n"), "");
	ck_assert_str_eq(codes(LOGIN "SelectType=SELECT/CONS_TRES\n"), "");
	tempdir_remove();
}
END_TEST

START_TEST(words_that_slurm_takes_for_others_are_taken)
{
	start();
	roles = ROLE_CTLD;
	ck_assert_str_eq(codes(SOUND "TaskPlugin=affinity,cgroup\n"), "");
	ck_assert_str_eq(codes(SOUND "PrologFlags=X11\n"), "");
	ck_assert_str_eq(codes(SOUND "ProctrackType=proctrack/linuxproc\n"), "S09 ");
	ck_assert_str_eq(codes(SOUND "ProctrackType=proctrack/cgroup\n"), "");
	ck_assert_str_eq(codes(SOUND "SelectTypeParameters=CR_Core\n"), "");
	ck_assert_str_eq(codes(SOUND "SelectTypeParameters=cr_cpu_memory\n"), "S10 ");
	tempdir_remove();
}
END_TEST

START_TEST(slurmd_is_kept_off_the_spec_set)
{
	start();
	roles = ROLE_CTLD;
	ck_assert_str_eq(codes(SOUND "TaskPluginParam=\n"), "S11 ");
	ck_assert_str_eq(codes("NodeName=n0 CPUs=4\n" SOUND "TaskPluginParam=\n"), "S11 ");
	/* where nobody has such a set nothing is asked for */
	ck_assert_str_eq(codes("SelectType=select/cons_tres\n"
			       "AllowSpecResourcesUsage=yes\n"
			       "TaskPlugin=affinity,cgroup\n"
			       "PrologFlags=Contain\nProlog=/p\nEpilog=/e\n"
			       "NodeName=n1 CPUs=4\nNodeName=n2 CPUs=4\n"),
			 "");
	ck_assert_str_eq(codes(SOUND "TaskPluginParam=\nNodeName=n2 CPUs=4\n"), "S11 ");
	ck_assert_str_eq(codes(SOUND "TaskPluginParam=SlurmdSpecOverride\n"), "S11 ");
	version = VERSION_OF(25, 4, 9);
	ck_assert_str_eq(codes(SOUND "TaskPluginParam=SlurmdSpecOverride\n"), "S11 ");
	version = VERSION_OF(25, 5, 0);
	ck_assert_str_eq(codes(SOUND "TaskPluginParam=SlurmdSpecOverride\n"), "");
	ck_assert_str_eq(codes(SOUND "TaskPluginParam=\n"), "S11 ");
	tempdir_remove();
}
END_TEST

static const char *shared(const char *word)
{
	char conf[1000];

	snprintf(conf, sizeof(conf),
		 "%sPartitionName=a Nodes=n1 OverSubscribe=NO\n"
		 "PartitionName=b Nodes=n1 OverSubscribe=%s State=UP\n"
		 "PartitionName=c Nodes=n1\n",
		 SOUND, word);
	return codes(conf);
}

START_TEST(a_partition_is_shared_where_several_jobs_have_a_core)
{
	start();
	roles = ROLE_CTLD;
	ck_assert_str_eq(shared("FORCE"), "S13 ");
	ck_assert_ptr_nonnull(strstr(text, "partition b has"));
	ck_assert_str_eq(shared("force:4"), "S13 ");
	ck_assert_str_eq(shared("FORCE:2"), "S13 ");
	ck_assert_str_eq(shared("FORCE:12"), "S13 ");
	ck_assert_str_eq(shared("FORCE:1"), "");
	ck_assert_str_eq(shared("FORCIBLY"), "");
	ck_assert_str_eq(shared("YES:4"), "");
	ck_assert_str_eq(codes(SOUND "PartitionName=a Nodes=n1 OverSubscribe=FORCE\n"), "S13 ");
	tempdir_remove();
}
END_TEST

START_TEST(each_folder_of_plugins_is_looked_for)
{
	start();
	roles = ROLE_LOGIN;
	mkdir(tempdir_path("a"), 0700);
	tempdir_put("file", "");
	ck_assert_str_eq(codes(LOGIN "PluginDir=/a\n"), "");
	ck_assert_str_eq(codes(LOGIN "PluginDir=/a:/b\n"), "S19 ");
	ck_assert_ptr_nonnull(strstr(text, "'/b': there is no such folder"));
	ck_assert_str_eq(codes(LOGIN "PluginDir=/b:/file:/a\n"), "S19 S19 ");
	tempdir_remove();
}
END_TEST

/* What names jobio.so, when plugstack.conf has these lines. */
static const char *named(const char *lines)
{
	tempdir_put("etc/plugstack.conf", lines);
	codes(SOUND);
	return plugin;
}

START_TEST(the_plugin_is_found_in_plugstack_conf_and_what_it_includes)
{
	start();
	ck_assert_str_eq(named("# optional /x/jobio.so\n"), "");
	ck_assert_str_eq(named("required x.so\n\n  optional jobio.so # ours\n"), "jobio.so");
	ck_assert_str_eq(named("optional\ninclude\noptional x.so\n"), "");
	ck_assert_str_eq(named("  \t\n# ours\n #\noptional /last/jobio.so\n"), "/last/jobio.so");
	mkdir(tempdir_path("etc/d"), 0700);
	tempdir_put("etc/d/1.conf", "optional x.so\n");
	tempdir_put("etc/d/2.conf", "optional /two/jobio.so\n");
	tempdir_put("etc/d/3.conf", "optional /three/jobio.so\n");
	ck_assert_str_eq(named("include d/*.conf\n"), "/two/jobio.so");
	ck_assert_str_eq(named("INCLUDE /etc/d/3.conf\n"), "/three/jobio.so");
	ck_assert_str_eq(named("include d/none*\noptional jobio.so\n"), "jobio.so");
	/* four deep, and no deeper */
	tempdir_put("etc/i1", "include i2\n");
	tempdir_put("etc/i2", "include i3\n");
	tempdir_put("etc/i3", "optional /deep/jobio.so\n");
	ck_assert_str_eq(named("include i1\n"), "/deep/jobio.so");
	tempdir_put("etc/i3", "include i4\n");
	tempdir_put("etc/i4", "optional /deeper/jobio.so\n");
	ck_assert_str_eq(named("include i1\n"), "");
	ck_assert_str_eq(named("include plugstack.conf\n"), "");
	tempdir_remove();
}
END_TEST

START_TEST(plugstack_conf_lies_beside_slurm_conf)
{
	start();
	roles = ROLE_LOGIN;
	ck_assert_str_eq(codes("AllowSpecResourcesUsage=yes\n"), "");
	ck_assert_str_eq(plugin, "/lib/jobio.so");
	tempdir_put("etc/plugstack.conf", "");
	ck_assert_str_eq(codes("AllowSpecResourcesUsage=yes\n"), "S14 ");
	ck_assert_ptr_nonnull(strstr(text, "/etc/plugstack.conf: no line"));
	tempdir_remove();
}
END_TEST

UNIT_MAIN("doctor_slurm", a_sound_site_has_nothing_wrong, each_role_is_asked_for_what_it_needs,
	  the_scheduler_that_reserves_cores_depends_on_the_version,
	  words_that_slurm_takes_for_others_are_taken, slurmd_is_kept_off_the_spec_set,
	  a_partition_is_shared_where_several_jobs_have_a_core,
	  each_folder_of_plugins_is_looked_for,
	  the_plugin_is_found_in_plugstack_conf_and_what_it_includes,
	  plugstack_conf_lies_beside_slurm_conf)
