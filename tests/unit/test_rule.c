/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules of a client: what their findings carry, and those that every client has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/mounts.h"
#include "client/rule.h"
#include "client/type.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

static int checked;

static void check_one(const struct judge *judge, const struct rule *rule)
{
	checked++;
	rule_say(judge, rule, "check %d of %s", checked, rule->code);
}

static const struct rule rules[] = {
	{ "T01", FINDING_ERROR, RULE_BREAKS_NODE, "cure it", check_one },
	{ "T02", FINDING_WARNING, RULE_SPARES_NODE, "cure 2", NULL },
	{ "T03", FINDING_INFO, RULE_OF_JOB, "cure 3", check_one },
	{ 0 }
};
static struct config_client section = { .name = (char *)"scratch",
					.mounts = (char *)"" };
static struct client_type_ops type = { .name = "t",
				       .fstypes = "nfs4 nfs",
				       .rules = rules };
static struct client client = { .type = &type, .section = &section };
static struct client_want want;
static struct findings findings;
static const struct judge judge = { &client, &want, &findings };

static void expect(const char *said)
{
	ck_assert_str_eq(said_findings(&findings), said);
}

START_TEST(all_rules_that_can_be_checked_are_in_their_order)
{
	rule_check_all(&judge);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert(findings.list[0].breaks_node && !findings.list[0].is_users);
	ck_assert(!findings.list[1].breaks_node && findings.list[1].is_users);
	expect("T01 error check 1 of T01; cure it\n"
	       "T03 info check 2 of T03; cure 3\n");
	type.rules = NULL;
	rule_check_all(&judge);
	expect("");
}
END_TEST

START_TEST(a_finding_may_be_of_one_target_with_its_whole_name)
{
	char name[sizeof(findings.list[0].target) + 1];

	rule_say(&judge, &rules[1], "first");
	rule_say_of(&judge, &rules[1], "/mnt/a", "of %s", "a");
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	rule_say_of(&judge, &rules[1], name, "of x");
	name[sizeof(name) - 2] = '\0';
	rule_say_of(&judge, &rules[1], name, "of x");
	ck_assert_uint_eq(findings.count, 4);
	ck_assert_str_eq(findings.list[0].target, "");
	ck_assert_str_eq(findings.list[1].target, "/mnt/a");
	ck_assert_str_eq(findings.list[2].target, "");
	ck_assert_str_eq(findings.list[3].target, name);
	ck_assert(!findings.list[1].breaks_node && !findings.list[1].is_users);
	findings_free(&findings);
}
END_TEST

START_TEST(who_changes_a_client_tells_by_a_code_of_its_type)
{
	rule_tell(&client, "T02", NULL, &findings, "%d of %d", 1, 2);
	expect("T02 warning 1 of 2; cure 2\n");
	rule_tell(&client, "T02", "do it", &findings, "%d of %d", 1, 2);
	expect("T02 warning 1 of 2; do it\n");
	rule_tell(&client, "T04", NULL, &findings, "nothing");
	rule_tell(&client, "T0", NULL, &findings, "nothing");
	type.rules = NULL;
	rule_tell(&client, "T02", NULL, &findings, "nothing");
	expect("");
}
END_TEST

static void expect_list(const char *cpus, const char *list)
{
	char text[RULE_LIST_MAX];
	struct cpuset set = { { 0 } };

	ck_assert_int_eq(cpuset_parse(&set, cpus, NULL), 0);
	ck_assert_str_eq(rule_list(&set, text), list);
}

START_TEST(no_cpu_is_none)
{
	expect_list("", "none");
	expect_list("0", "0");
	expect_list("2-3,8", "2-3,8");
}
END_TEST

/* ---- mounts -------------------------------------------------------------------- */

START_TEST(where_nothing_is_mounted_it_is_said_of_what)
{
	rule_check_no_mount(&judge, &rules[0]);
	expect("T01 error no file system of type nfs4 is mounted; cure it\n");
	section.mounts = (char *)"/home /work";
	rule_check_no_mount(&judge, &rules[0]);
	expect("T01 error no file system of type nfs4 is mounted on /home "
	       "/work; cure it\n");
	/* nor is each of them said */
	rule_check_missing_mount(&judge, &rules[1]);
	expect("");
	client.common.mount_count = 1;
	rule_check_no_mount(&judge, &rules[0]);
	expect("");
}
END_TEST

START_TEST(each_mount_that_is_missing_is_said)
{
	struct mounts *mounts = mounts_parse(
		"srv:/work /work nfs4 rw 0 0\nsrv:/home /home nfs4 rw 0 0\n",
		"nfs4", NULL);

	client.mounts = mounts;
	client.common.mount_count = 2;
	section.mounts = (char *)" /a\t/home  /wor /work ";
	rule_check_missing_mount(&judge, &rules[1]);
	expect("T02 warning '/a' is not mounted (mounts= of [client scratch]); "
	       "cure 2\n"
	       "T02 warning '/wor' is not mounted (mounts= of [client "
	       "scratch]); cure 2\n");
	section.mounts = (char *)"/home /work";
	rule_check_missing_mount(&judge, &rules[1]);
	section.mounts = (char *)"";
	rule_check_missing_mount(&judge, &rules[1]);
	expect("");
	mounts_free(mounts);
}
END_TEST

/* ---- cores --------------------------------------------------------------------- */

/* CPUs 0 and 4, 1 and 5, .. share a core. */
static void machine(void)
{
	char command[600];

	tempdir_make();
	snprintf(command, sizeof(command),
		 "cd '%s' && for c in 0 1 2 3 4 5 6 7; do "
		 "mkdir -p devices/system/cpu/cpu$c/topology && "
		 "echo $((c %% 4)),$((c %% 4 + 4)) "
		 ">devices/system/cpu/cpu$c/topology/thread_siblings_list; "
		 "done",
		 tempdir_name);
	ck_assert_int_eq(system(command), 0);
	sysfs_set_root(tempdir_name);
	client.common.cpus_known = true;
	want = (struct client_want){ .has_io_cores = true, .io_cores = 1 };
}

/* Where the frontends have these CPUs, and Slurm withholds those. */
static void judged(const char *frontends, const char *withheld,
		   const char *said)
{
	cpuset_zero(&client.common.frontend_cpus);
	cpuset_zero(&want.io_cpus);
	ck_assert_int_eq(
		cpuset_parse(&client.common.frontend_cpus, frontends, NULL), 0);
	ck_assert_int_eq(cpuset_parse(&want.io_cpus, withheld, NULL), 0);
	rule_check_siblings(&judge, &rules[0]);
	rule_check_other_cores(&judge, &rules[1]);
	rule_check_too_few(&judge, &rules[2]);
	expect(said);
}

START_TEST(cpus_of_frontends_are_those_that_are_withheld)
{
	machine();
	judged("0,4", "0,4", "");
	/* half a core is the job's */
	judged("0,4", "0",
	       "T01 error CPU 4 shares a core with a frontend, but Slurm gives "
	       "it to the job; cure it\n");
	judged("4", "0", "");
	/* other cores, some of them, and none */
	judged("1,5", "0,4",
	       "T02 warning the frontends use CPU 1,5, but Slurm reserves CPU "
	       "0,4 for this job; cure 2\n");
	judged("0-1,4-5", "0,4",
	       "T02 warning the frontends use CPU 0-1,4-5, but Slurm reserves "
	       "CPU 0,4 for this job; cure 2\n");
	judged("0", "0,4",
	       "T03 info the frontends use CPU 0 of the reserved CPU 0,4: the "
	       "rest is idle; cure 3\n");
	judged("0,4", "",
	       "T02 warning the frontends use CPU 0,4, but Slurm reserves no "
	       "CPU for this job; cure 2\n");
	want.io_cores = 0; /* it has not asked for any */
	judged("0,4", "",
	       "T02 info the frontends use CPU 0,4, but Slurm reserves no CPU "
	       "for this job; cure 2\n");
	tempdir_remove();
}
END_TEST

START_TEST(where_there_is_nothing_to_compare_no_cpu_is_wrong)
{
	machine();
	judged("", "0,4", "");
	client.common.cpus_known = false;
	judged("1,5", "0,4", "");
	client.common.cpus_known = true;
	want.has_io_cores = false;
	judged("1,5", "0,4", "");
	want.has_io_cores = true;
	judged("1,5", "0,4",
	       "T02 warning the frontends use CPU 1,5, but Slurm reserves CPU "
	       "0,4 for this job; cure 2\n");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("rule", all_rules_that_can_be_checked_are_in_their_order,
	  a_finding_may_be_of_one_target_with_its_whole_name,
	  who_changes_a_client_tells_by_a_code_of_its_type, no_cpu_is_none,
	  where_nothing_is_mounted_it_is_said_of_what,
	  each_mount_that_is_missing_is_said,
	  cpus_of_frontends_are_those_that_are_withheld,
	  where_there_is_nothing_to_compare_no_cpu_is_wrong)
