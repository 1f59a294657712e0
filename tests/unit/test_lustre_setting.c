/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters of a Lustre client for a job, and the job's number: what is planned, made
 * and put back, on plain files. As the kernel takes what is written: test_lustre.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/lustre/facts.h"
#include "client/lustre/lustre.h"
#include "client/lustre/setting.h"
#include "tests/unit/lustre_dirs.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#define INSTANCE "work-ffff9a2c41d08000"
#define OST(n) "work-OST000" #n "-osc-ffff9a2c41d08000"
#define MDT0 "work-MDT0000-mdc-ffff9a2c41d08000"

static struct lustre_facts facts;
static struct config_client section;
static struct client_mount mount = { .source = (char *)"a@tcp:/work",
				     .target = (char *)"/mnt/work",
				     .fstype = (char *)"lustre",
				     .options = (char *)"rw" };
static struct client client = { .type = &lustre_type, .section = &section, .facts = &facts };
static struct client_want want;
static struct client_plan *plan;
static struct findings findings;
static char at[100]; /* INSTANCE and its inode */

static void put(const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/%s", name);
	tempdir_put(path, value);
}

static void has(const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/%s", name);
	tempdir_expect(path, value);
}

/* It can be read from here on, and not written. */
static void lock(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "sys/%s", name);
	ck_assert_int_eq(rename(tempdir_path(path), tempdir_path("locked")), 0);
	ck_assert_int_eq(symlink(tempdir_path("locked"), tempdir_path(path)), 0);
}

/* A mount, an MDT and four OSTs; of the last one the checksums are off. */
static void begin(void)
{
	struct stat st;

	section = (struct config_client){ .name = (char *)"scratch" };
	lustre_dirs(&section);
	put("llite/" INSTANCE "/hybrid_io", "1\n");
	put("mdc/" MDT0 "/checksums", "1\n");
	put("osc/" OST(0) "/checksums", "1\n");
	put("osc/" OST(1) "/checksums", "1\n");
	put("osc/" OST(2) "/checksums", "1\n");
	put("osc/" OST(3) "/checksums", "0\n");
	put("jobid_name", "%e.%u\n");
	put("jobid_var", "disable\n");
	ck_assert_int_eq(stat(tempdir_path("sys/llite/" INSTANCE), &st), 0);
	snprintf(at, sizeof(at), INSTANCE ":%lu", (unsigned long)st.st_ino);
	client.common.mounts = &mount;
	client.common.mount_count = 1;
	want = (struct client_want){
		.alone = true, .mount_options = "", .read_ahead_kb = "", .parameters = ""
	};
	plan = calloc(1, sizeof(*plan));
}

static void away(void)
{
	findings_free(&findings);
	change_clear(plan);
	free(plan);
	tempdir_remove();
}

static const struct change_kind *kind = &lustre_parameters;

/* "TARGET: OLD -> NEW;" of each change; '@' is the instance. */
static const char *planned(const char *parameters)
{
	static char text[2000];
	const struct journal_change *change;
	size_t i;

	want.parameters = parameters;
	change_clear(plan);
	kind->plan(kind, &client, &want, plan, &findings);
	*text = '\0';
	for (i = 0; i < plan->count; i++) {
		change = &plan->change[i];
		ck_assert_str_eq(change->what, kind->name);
		if (!strncmp(change->target, at, strlen(at)))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "@%s: %s -> %s;",
				 change->target + strlen(at), change->old_value, change->new_value);
		else
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s: %s -> %s;",
				 change->target, change->old_value, change->new_value);
	}
	return text;
}

static enum change_made make(void)
{
	return kind->make(kind, &client, &plan->change[0], &findings);
}

static enum change_undone undo(void)
{
	return kind->undo(kind, &client, &plan->change[0], &findings);
}

static void expect_said(const char *said)
{
	ck_assert_str_eq(said_findings(&findings), said);
}

/* One finding, which begins so. */
static void expect_one(const char *begin)
{
	const char *said = said_findings(&findings);

	ck_assert_msg(!strncmp(said, begin, strlen(begin)), "%s", said);
	ck_assert_ptr_eq(strchr(said, '\n'), said + strlen(said) - 1);
}

/* ---- plans --------------------------------------------------------------------- */

START_TEST(devices_that_are_alike_are_one_change)
{
	begin();
	ck_assert_str_eq(planned("osc.checksums=0"), "@ osc 0-2: checksums=1 -> checksums=0;");
	ck_assert_str_eq(planned("osc.checksums=1"), "@ osc 3: checksums=0 -> checksums=1;");
	ck_assert_str_eq(
		planned("mdc.checksums=0,osc.checksums=0,llite.hybrid_io=0"),
		"@ llite -: hybrid_io=1 -> hybrid_io=0;@ mdc 0: checksums=1 -> checksums=0;@ osc 0-2: checksums=1 -> checksums=0;");
	/* what has another value, or gets one */
	put("osc/" OST(0) "/short_io_bytes", "7\n");
	put("osc/" OST(1) "/short_io_bytes", "9\n");
	put("osc/" OST(2) "/short_io_bytes", "7\n");
	put("osc/" OST(3) "/short_io_bytes", "7\n");
	ck_assert_str_eq(
		planned("osc.checksums=0,osc.short_io_bytes=8"),
		"@ osc 0,2: checksums=1,short_io_bytes=7 -> checksums=0,short_io_bytes=8;@ osc 1: checksums=1,short_io_bytes=9 -> checksums=0,short_io_bytes=8;@ osc 3: checksums=0,short_io_bytes=7 -> checksums=0,short_io_bytes=8;");
	ck_assert_str_eq(planned("jobid"), "");
	ck_assert_str_eq(planned(""), "");
	expect_said("");
	away();
}
END_TEST

START_TEST(two_mounts_of_a_filesystem_are_two_changes)
{
	begin();
	put("llite/work-ffff9a2c41d09000/hybrid_io", "1\n");
	planned("llite.hybrid_io=0");
	ck_assert_uint_eq(plan->count, 2);
	ck_assert_int_eq(strncmp(plan->change[0].target, at, strlen(at)), 0);
	ck_assert_int_eq(strncmp(plan->change[1].target, "work-ffff9a2c41d09000:", 22), 0);
	away();
}
END_TEST

START_TEST(where_nothing_is_mounted_or_others_live_nothing_is_planned)
{
	begin();
	client.common.mount_count = 0;
	ck_assert_str_eq(planned("osc.checksums=0"), "");
	ck_assert(!kind->holds(kind, &client, &want));
	expect_said("");
	client.common.mount_count = 1;
	want.alone = false;
	ck_assert_str_eq(planned("osc.checksums=0"), "");
	expect_said(
		"LU46 info the profile's parameters were left out: the job shares this node with others; ask for io-cores or --exclusive\n");
	ck_assert_str_eq(planned(""), "");
	expect_said("");
	away();
}
END_TEST

START_TEST(what_a_profile_may_not_have_is_refused_as_a_whole)
{
	begin();
	want.alone = false; /* it is refused for all that */
	planned("osc.checksums=0,osc.checksums=2");
	expect_one(
		"LU49 error parameter 'osc.checksums=2' of the profile: expected a number from 0 to 1; the profile was not applied; ");
	findings_free(&findings);
	want.mount_options = "noatime";
	planned("");
	expect_one(
		"LU49 error mount option 'noatime' of the profile: options of a Lustre mount are not changed; the profile was not applied; ");
	findings_free(&findings);
	want.mount_options = "";
	want.read_ahead_kb = "64";
	planned("");
	expect_one("LU49 error read_ahead_kb of the profile: ");
	away();
}
END_TEST

START_TEST(without_a_tree_nothing_can_be_set)
{
	char wanted[1500];

	begin();
	snprintf(
		wanted, sizeof(wanted),
		"LU40 error could not set osc.checksums=0: neither /nowhere nor %s shows a mount of this filesystem; ",
		section.procfs_dir);
	section.sys_dir = (char *)"/nowhere";
	ck_assert_str_eq(planned("osc.checksums=0"), "");
	expect_one(wanted);
	away();
}
END_TEST

START_TEST(a_profile_stands_where_all_devices_have_it)
{
	begin();
	want.parameters = "osc.checksums=0";
	ck_assert(!kind->holds(kind, &client, &want));
	put("osc/" OST(0) "/checksums", "0\n");
	put("osc/" OST(1) "/checksums", "0\n");
	ck_assert(!kind->holds(kind, &client, &want));
	put("osc/" OST(2) "/checksums", "0\n");
	ck_assert(kind->holds(kind, &client, &want));
	want.alone = false;
	ck_assert(!kind->holds(kind, &client, &want));
	want.alone = true;
	want.parameters = "osc.short_io_bytes=0"; /* that none of them has */
	ck_assert(!kind->holds(kind, &client, &want));
	want.parameters = "";
	ck_assert(kind->holds(kind, &client, &want));
	want.read_ahead_kb = "64";
	ck_assert(!kind->holds(kind, &client, &want));
	expect_said("");
	away();
}
END_TEST

/* ---- there and back -------------------------------------------------------------- */

static void have(const char *first, const char *second, const char *third)
{
	has("osc/" OST(0) "/checksums", first);
	has("osc/" OST(1) "/checksums", second);
	has("osc/" OST(2) "/checksums", third);
}

START_TEST(all_devices_of_a_change_go_there_and_back)
{
	begin();
	planned("osc.checksums=0");
	facts.counters = strdup("of before");
	ck_assert_int_eq(make(), CHANGE_MADE);
	ck_assert_ptr_null(facts.counters); /* it may have moved something */
	have("0\n", "0\n", "0\n");
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	have("1\n", "1\n", "1\n");
	has("osc/" OST(3) "/checksums", "0\n");
	planned("llite.hybrid_io=0");
	ck_assert_int_eq(make(), CHANGE_MADE);
	has("llite/" INSTANCE "/hybrid_io", "0\n");
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	has("llite/" INSTANCE "/hybrid_io", "1\n");
	planned("mdc.checksums=0");
	ck_assert_int_eq(make(), CHANGE_MADE);
	has("mdc/" MDT0 "/checksums", "0\n");
	expect_said("");
	away();
}
END_TEST

START_TEST(a_client_below_procfs_is_set_as_well)
{
	begin();
	ck_assert_int_eq(rename(tempdir_path("sys"), tempdir_path("proc")), 0);
	ck_assert_str_eq(planned("osc.checksums=0"), "@ osc 0-2: checksums=1 -> checksums=0;");
	ck_assert_int_eq(make(), CHANGE_MADE);
	tempdir_expect("proc/osc/" OST(2) "/checksums", "0\n");
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	tempdir_expect("proc/osc/" OST(2) "/checksums", "1\n");
	expect_said("");
	away();
}
END_TEST

START_TEST(one_that_cannot_be_set_puts_the_others_back)
{
	begin();
	planned("osc.checksums=0");
	lock("osc/" OST(1) "/checksums");
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	has("osc/" OST(0) "/checksums", "1\n");
	has("osc/" OST(2) "/checksums", "1\n");
	said_expect(
		said_findings(&findings),
		"LU40 error 'osc " OST(
			1) "' could not get checksums=0: checksums=0: Too many levels of symbolic links; ");
	away();
}
END_TEST

START_TEST(the_worst_of_all_devices_is_told)
{
	begin();
	planned("osc.checksums=0");
	ck_assert_int_eq(make(), CHANGE_MADE);
	put("osc/" OST(0) "/checksums", "7\n"); /* somebody else's */
	ck_assert_int_eq(undo(), CHANGE_NOT_OURS);
	have("7\n", "1\n", "1\n");
	said_expect(
		said_findings(&findings),
		"LU43 warning 'osc " OST(
			0) "' has checksums=7: neither what the node had (checksums=1) nor what jobio set (checksums=0); left as it is; ");
	findings_free(&findings);
	put("osc/" OST(1) "/checksums", "0\n"); /* and one that stays */
	lock("osc/" OST(1) "/checksums");
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	findings_free(&findings);
	put("osc/" OST(2) "/checksums", "7\n");
	put("osc/" OST(0) "/checksums", "1\n");
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.list[0].code, "LU42");
	ck_assert_str_eq(findings.list[1].code, "LU43");
	away();
}
END_TEST

/* Of a change of this target nothing is made, and nothing is to be put back. */
static void expect_no_target(const char *target)
{
	struct journal_change change = { .target = (char *)target,
					 .old_value = (char *)"checksums=1",
					 .new_value = (char *)"checksums=0" };
	char wanted[300];

	ck_assert_int_eq(kind->undo(kind, &client, &change, &findings), CHANGE_UNDONE);
	expect_said("");
	ck_assert_int_eq(kind->make(kind, &client, &change, &findings), CHANGE_NOT_MADE);
	snprintf(wanted, sizeof(wanted), "LU40 error '%s' is not mounted any more; mount it\n",
		 target);
	expect_said(wanted);
	have("1\n", "1\n", "1\n");
}

START_TEST(a_target_that_is_not_there_or_not_understood_is_gone)
{
	static const char *const wrong[] = {
		"@", "@ osc", "@ lov 0", "@ osc x", "/@ osc 0", "@0 osc 0", /* another inode */
	};
	char target[200];
	size_t i;

	begin();
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(target, sizeof(target), "%.*s%s%s", (int)strcspn(wrong[i], "@"), wrong[i],
			 at, strchr(wrong[i], '@') + 1);
		expect_no_target(target);
	}
	expect_no_target(INSTANCE " osc 0");
	expect_no_target("home-ffff9a2c41d08000:0 osc 0");
	away();
}
END_TEST

/* ---- the job's number -------------------------------------------------------------- */

static void begin_jobid(void)
{
	begin();
	kind = &lustre_jobid;
	want.job_id = 7;
}

START_TEST(servers_are_told_the_number_of_a_job)
{
	begin_jobid();
	put("jobid_name", "u\n"); /* as long as the job's */
	ck_assert_str_eq(
		planned("jobid"),
		"node: jobid_name=u,jobid_var=disable -> jobid_name=7,jobid_var=nodelocal;");
	ck_assert(!kind->holds(kind, &client, &want));
	ck_assert_int_eq(make(), CHANGE_MADE);
	has("jobid_name", "7\n");
	has("jobid_var", "nodelocal");
	ck_assert(kind->holds(kind, &client, &want));
	ck_assert_str_eq(planned("jobid"), "");
	want.job_id = 8;
	ck_assert(!kind->holds(kind, &client, &want));
	expect_said("");
	away();
}
END_TEST

START_TEST(who_has_no_number_or_no_mount_or_not_the_node_tells_none)
{
	begin_jobid();
	want.job_id = 0;
	ck_assert_str_eq(planned("jobid"), "");
	ck_assert(!kind->holds(kind, &client, &want));
	want.job_id = 7;
	want.alone = false;
	ck_assert_str_eq(planned("jobid"), "");
	want.alone = true;
	client.common.mount_count = 0;
	ck_assert_str_eq(planned("jobid"), "");
	client.common.mount_count = 1;
	ck_assert_str_eq(planned("osc.checksums=0"), "");
	ck_assert(kind->holds(kind, &client, &want));
	section.jobid = (char *)"%j";
	ck_assert_str_ne(planned("osc.checksums=0"), "");
	ck_assert(!kind->holds(kind, &client, &want));
	expect_said("");
	away();
}
END_TEST

START_TEST(what_the_kernel_does_not_tell_of_jobs_is_not_changed)
{
	static const char *const odd[] = { "\n", "a,b\n", "a=b\n", "\"a\"\n" };
	size_t i;

	begin_jobid();
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		put("jobid_name", odd[i]);
		ck_assert_str_eq(planned("jobid"), "");
		expect_one(
			"LU40 error 'node' could not get the job's number: the kernel does not say what jobid_var and jobid_name are; ");
		findings_free(&findings);
	}
	put("jobid_name", "%e\n");
	ck_assert_str_ne(planned("jobid"), "");
	unlink(tempdir_path("sys/jobid_var"));
	ck_assert_str_eq(planned("jobid"), "");
	away();
}
END_TEST

/* A name without '%' is only taken while jobid_var is nodelocal. */
START_TEST(a_number_that_cannot_be_told_is_said)
{
	begin_jobid();
	planned("jobid");
	lock("jobid_var");
	ck_assert_int_ne(make(), CHANGE_MADE);
	said_expect(
		said_findings(&findings),
		"LU40 error 'node' could not get jobid_name=7,jobid_var=nodelocal: jobid_var: Too many levels of symbolic links; ");
	away();
}
END_TEST

UNIT_MAIN("lustre_setting", devices_that_are_alike_are_one_change,
	  two_mounts_of_a_filesystem_are_two_changes,
	  where_nothing_is_mounted_or_others_live_nothing_is_planned,
	  what_a_profile_may_not_have_is_refused_as_a_whole, without_a_tree_nothing_can_be_set,
	  a_profile_stands_where_all_devices_have_it, all_devices_of_a_change_go_there_and_back,
	  a_client_below_procfs_is_set_as_well, one_that_cannot_be_set_puts_the_others_back,
	  the_worst_of_all_devices_is_told, a_target_that_is_not_there_or_not_understood_is_gone,
	  servers_are_told_the_number_of_a_job,
	  who_has_no_number_or_no_mount_or_not_the_node_tells_none,
	  what_the_kernel_does_not_tell_of_jobs_is_not_changed,
	  a_number_that_cannot_be_told_is_said)
