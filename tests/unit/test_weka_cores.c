/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other cores for a WEKA client: what is planned by facts that a test has put
 * together, and what is done by a command line that keeps them in files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/client.h"
#include "client/mounts.h"
#include "client/weka/baseline.h"
#include "client/weka/cores.h"
#include "client/weka/facts.h"
#include "client/weka/options.h"
#include "client/weka/remount.h"
#include "client/weka/ready.h"
#include "client/weka/switch.h"
#include "client/weka/weka.h"
#include "lib/child.h"
#include "lib/fileio.h"
#include "lib/host.h"
#include "lib/rundir.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define PS(status)                                                                                 \
	"[{\"name\":\"a\",\"isRunning\":true,\"versionName\":\"4.4\","                             \
	"\"internalStatus\":{\"display_status\":\"" status "\"}}]\n"
#define ON(core) "{\"nodes\":{\"1\":{\"roles\":[\"FRONTEND\"],\"core_id\":" core "}}}"

static struct config_client section;
static struct weka_facts facts;
static struct mounts mounts;
static struct client client;
static struct client_want want;
static struct client_plan plan;
static struct findings findings;
static struct err err;

static struct cpuset set_of(const char *list)
{
	struct cpuset set;

	ck_assert_int_eq(cpuset_parse(&set, list, NULL), 0);
	return set;
}

/* Eight cores with two threads each: 0 and 8, 1 and 9, .. with a step of 8; of 1:
 * 0 and 1, 2 and 3, .. */
static void put_cores(int step)
{
	char text[600], path[100], pair[16];
	int i, first;

	for (i = 0; i < 16; i++) {
		snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology", i);
		snprintf(text, sizeof(text), "mkdir -p '%s'", tempdir_path(path));
		ck_assert_int_eq(system(text), 0);
		strcat(path, "/thread_siblings_list");
		first = step == 8 ? i % 8 : i / 2 * 2;
		snprintf(pair, sizeof(pair), "%d,%d\n", first, first + step);
		tempdir_put(path, pair);
	}
}

/* Container "a", on core 3. */
static void begin(void)
{
	static char command[300], proc_dir[300], cgroup[300];

	tempdir_make();
	sysfs_set_root(tempdir_name);
	put_cores(8);
	snprintf(command, sizeof(command), "%s", tempdir_path("weka"));
	snprintf(proc_dir, sizeof(proc_dir), "%s", tempdir_name);
	snprintf(cgroup, sizeof(cgroup), "%s", tempdir_path("cgroup"));
	section = (struct config_client){
		.name = (char *)"c",
		.type = CLIENT_WEKA,
		.mounts = (char *)"",
		.container = (char *)"",
		.timeout_ms = 20000,
		.ready_timeout_ms = 30000,
		.command = command,
		.proc_dir = proc_dir,
		.cgroup_root = cgroup,
		.core_change = CORE_CHANGE_ANY,
		.core_method = CORE_METHOD_RESOURCES,
	};
	memset(&mounts, 0, sizeof(mounts));
	client = (struct client){ .type = &weka_type,
				  .section = &section,
				  .run_dir = tempdir_name,
				  .state_dir = tempdir_name,
				  .mounts = &mounts,
				  .facts = &facts,
				  .deadline_ms = child_now_ms() + 60000 };
	weka_facts_clear(&facts);
	facts.containers_known = true;
	facts.containers.count = 1;
	strcpy(facts.containers.item[0].name, "a");
	strcpy(facts.containers.item[0].version, "4.4");
	strcpy(facts.containers.item[0].display_status, "READY");
	facts.containers.item[0].running = true;
	facts.stable[0].known = true;
	facts.stable[0].frontend_count = 1;
	facts.stable[0].frontend[0].core_id = 3;
	want = (struct client_want){ .alone = true, .io_cores = 1, .has_io_cores = true };
	*err.text = '\0';
}

static void end(void)
{
	change_clear(&plan);
	findings_free(&findings);
	weka_facts_clear(&facts);
	tempdir_remove();
}

/* ---- plan ---------------------------------------------------------------------- */

static void ask_plan(const char *io_cpus)
{
	change_clear(&plan);
	memset(&plan, 0, sizeof(plan));
	findings_free(&findings);
	want.io_cpus = set_of(io_cpus);
	weka_cores.plan(&weka_cores, &client, &want, &plan, &findings);
}

static void expect_planned(const char *io_cpus, const char *from, const char *to)
{
	ask_plan(io_cpus);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_uint_eq(plan.count, 1);
	ck_assert_str_eq(plan.change[0].target, "a");
	ck_assert_str_eq(plan.change[0].old_value, from);
	ck_assert_str_eq(plan.change[0].new_value, to);
}

static void expect_nothing(const char *io_cpus)
{
	ask_plan(io_cpus);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_uint_eq(plan.count, 0);
}

/* 'why' is what it ends with. */
static void expect_refused(const char *io_cpus, const char *why)
{
	const char *text;

	ask_plan(io_cpus);
	ck_assert_uint_eq(plan.count, 0);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, "W47");
	text = strstr(findings.list[0].text, ": ");
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text + 2, why);
}

START_TEST(a_container_gets_a_thread_of_each_core_that_is_withheld)
{
	begin();
	expect_nothing("3,11"); /* as it is */
	expect_planned("4,12", "3", "4");
	expect_planned("3-4,11-12", "3", "3-4");
	expect_nothing("4"); /* half a core */
	expect_nothing("3-4,11");
	facts.stable[0].frontend[0].core_id = 11; /* the other thread of it */
	expect_nothing("3,11");
	expect_planned("3-4,11-12", "11", "4,11");
	end();
}
END_TEST

START_TEST(threads_of_a_core_may_have_numbers_side_by_side)
{
	begin();
	put_cores(1);
	expect_planned("4-7", "3", "4,6");
	expect_planned("2-5", "3", "3-4");
	end();
}
END_TEST

/* ---- baselines ------------------------------------------------------------------- */

/* For a job the container had these cores; its own are core 5. */
static void keep(const char *list)
{
	struct cpuset old = set_of("5"), new = set_of(list);

	ck_assert_int_eq(weka_baseline_keep(&client, "a", &old, &new, &err), 0);
}

/* Does the baseline hold for a container that has these? */
static bool is_kept(const char *list)
{
	struct cpuset now = set_of(list), cores;

	weka_baseline_forget_stale(&client, "a", &now);
	return weka_baseline_read(&client, "a", &cores);
}

START_TEST(cores_of_the_last_sixteen_jobs_are_remembered)
{
	char list[16];
	int i;

	begin();
	for (i = 10; i < 27; i++) {
		snprintf(list, sizeof(list), "%d", i);
		keep(list);
	}
	for (i = 11; i < 27; i++) {
		snprintf(list, sizeof(list), "%d", i);
		ck_assert(is_kept(list));
	}
	ck_assert(is_kept("5"));
	ck_assert(!is_kept("10"));
	ck_assert(!is_kept("11")); /* it is forgotten */
	end();
}
END_TEST

/* Of a boot, with the cores that a job had. */
static bool is_kept_of(const char *boot, const char *list)
{
	char text[200];

	snprintf(text, sizeof(text), "a 5\n%sours 3\n", boot);
	tempdir_put("c." RUNDIR_BASELINE, text);
	return is_kept(list);
}

START_TEST(a_baseline_that_another_boot_made_pointless_is_forgotten)
{
	char boot[100] = "boot ";

	begin();
	host_boot_id(boot + 5, sizeof(boot) - 6);
	strcat(boot, "\n");
	ck_assert(is_kept_of(boot, "3"));
	ck_assert(is_kept_of(boot, "5"));
	ck_assert(!is_kept_of(boot, "7"));
	/* WEKA keeps what was applied */
	ck_assert(is_kept_of("boot other\n", "3"));
	ck_assert(!is_kept_of("boot other\n", "5"));
	ck_assert(!is_kept_of("boot other\n", "7"));
	/* but a mount is made of what fstab(5) says */
	section.core_method = CORE_METHOD_MOUNT;
	ck_assert(is_kept_of(boot, "3"));
	ck_assert(!is_kept_of("boot other\n", "3"));
	ck_assert(!is_kept_of("boot other\n", "5"));
	/* unknown boot, truncated file */
	ck_assert(is_kept_of("", "3"));
	ck_assert(is_kept_of("", "7"));
	tempdir_put("c." RUNDIR_BASELINE, "a 5\nboot other\nours 3\nours 1");
	ck_assert(is_kept("7"));
	tempdir_put("c." RUNDIR_BASELINE, "a 5\nboot other\n");
	ck_assert(is_kept("7"));
	end();
}
END_TEST

START_TEST(nothing_is_planned_of_a_client_that_is_not_right)
{
	begin();
	want.alone = false;
	expect_nothing("4,12");
	want.idle = true; /* for its own cores only */
	expect_nothing("4,12");
	want.alone = true;
	expect_planned("4,12", "3", "4");
	facts.stable[0].frontend[0].automatic = true;
	expect_nothing("4,12");
	facts.stable[0].frontend[0].automatic = false;
	facts.stable[0].known = false;
	expect_nothing("4,12");
	facts.stable[0].known = true;
	facts.containers.item[0].running = false;
	expect_nothing("4,12");
	facts.containers.item[0].running = true;
	strcpy(facts.containers.item[0].display_status, "STEM");
	expect_nothing("4,12");
	strcpy(facts.containers.item[0].display_status, "READY");
	facts.containers.count = 0;
	expect_nothing("4,12");
	facts.containers.count = 2;
	expect_nothing("4,12");
	facts.containers.count = 1;
	expect_planned("4,12", "3", "4");
	end();
}
END_TEST

START_TEST(a_client_goes_back_to_its_own_cores_for_who_asks_for_none)
{
	struct cpuset old, new;

	begin();
	want.io_cores = 0;
	expect_nothing("");
	old = set_of("5");
	new = set_of("3");
	ck_assert_int_eq(weka_baseline_keep(&client, "a", &old, &new, &err), 0);
	expect_planned("", "3", "5");
	/* but not from CPUs that the job cannot have */
	expect_nothing("3,11");
	expect_planned("3", "3", "5");
	want.has_io_cores = false;
	expect_planned("3,11", "3", "5");
	want.alone = false;
	expect_nothing("");
	want.idle = true;
	expect_planned("", "3", "5");
	want.io_cores = 1;
	expect_nothing("");
	want.alone = true; /* it asks, and nobody knows for which */
	expect_planned("", "3", "5");
	end();
}
END_TEST

START_TEST(a_site_says_how_far_cores_may_change)
{
	begin();
	section.core_change = CORE_CHANGE_NEVER;
	expect_refused("4,12", "core_change=never");
	ck_assert_str_eq(
		findings.list[0].text,
		"container 'a' keeps core 3, although this job should find 4: core_change=never");
	section.core_change = CORE_CHANGE_GROW;
	expect_refused("4,12", "core_change=grow, and that would take a core away");
	expect_planned("3-4,11-12", "3", "3-4");
	section.core_change = CORE_CHANGE_ANY;
	expect_refused("0,8", "WEKA refuses core 0");
	expect_planned("1,9", "3", "1");
	end();
}
END_TEST

START_TEST(a_container_has_nineteen_cores_at_most)
{
	begin();
	/* of one thread each */
	sysfs_set_root("/nowhere");
	expect_planned("1-19", "3", "1-19");
	expect_refused("1-20", "WEKA allows at most 19 cores a container");
	end();
}
END_TEST

START_TEST(fewer_cores_need_a_client_without_mounts)
{
	static const char why[] =
		"WEKA does not lower the number of cores while a file system is mounted";

	begin();
	facts.stable[0].frontend_count = 2;
	facts.stable[0].frontend[1].core_id = 4;
	expect_planned("3,11", "3-4", "3");
	facts.interface.active_mounts = 1;
	expect_refused("3,11", why);
	facts.interface.active_mounts = -1;
	expect_refused("3,11", why);
	expect_planned("5-6,13-14", "3-4", "5-6");
	end();
}
END_TEST

START_TEST(a_remount_changes_cores_since_version_5)
{
	static const char too_old[] = "WEKA changes cores on a remount from version 5 on only";

	begin();
	section.core_method = CORE_METHOD_REMOUNT;
	expect_refused("4,12", too_old);
	strcpy(facts.containers.item[0].version, "x5");
	expect_refused("4,12", too_old);
	strcpy(facts.containers.item[0].version, "5.0.1");
	expect_refused("4,12", "it has no mount");
	mounts.count = 1;
	mounts.mount[0].options = (char *)"rw,container_name=b";
	expect_refused("4,12", "it has no mount");
	mounts.count = 2;
	mounts.mount[1].options = (char *)"rw,container_name=a";
	expect_planned("4,12", "3", "4");
	ck_assert_ptr_eq(weka_mount_of(&client, "a"), &mounts.mount[1]);
	mounts.mount[0].options = (char *)"rw";
	ck_assert_ptr_eq(weka_mount_of(&client, "a"), &mounts.mount[0]);
	strcpy(facts.containers.item[0].version, "10");
	expect_planned("4,12", "3", "4");
	end();
}
END_TEST

/* This is mounted, and that is in fstab(5). */
static void mount_with(const char *table, const char *fstab)
{
	static char mount_table[300], fstab_path[300];

	snprintf(mount_table, sizeof(mount_table), "%s", tempdir_put("mounts", table));
	snprintf(fstab_path, sizeof(fstab_path), "%s", tempdir_put("fstab", fstab));
	section.mount_table = mount_table;
	section.fstab = fstab_path;
	section.core_method = CORE_METHOD_MOUNT;
}

#define MOUNTED(source, target) source " " target " wekafs rw,container_name=a 0 0\n"
#define IN_FSTAB(source, target) source " " target " wekafs num_cores=1 0 0\n"

START_TEST(mounts_can_be_taken_away_when_fstab_names_them)
{
	begin();
	mount_with("", "");
	expect_refused("4,12", "it has no mount");
	mount_with("s/fs /a wekafs rw,container_name=b 0 0\n", IN_FSTAB("s/fs", "/a"));
	expect_refused("4,12", "it has no mount");
	mount_with(MOUNTED("fs", "/a"), IN_FSTAB("s1,s2/fs", "/a/"));
	expect_planned("4,12", "3", "4");
	mount_with(MOUNTED("s:/fs", "/a"), IN_FSTAB("fs", "/a"));
	expect_planned("4,12", "3", "4");
	/* behind one of another container */
	mount_with("s/fs3 /c wekafs rw,container_name=b 0 0\n" MOUNTED("s:/fs", "/a"),
		   IN_FSTAB("fs", "/a"));
	expect_planned("4,12", "3", "4");
	section.mounts = (char *)"/a";
	expect_planned("4,12", "3", "4");
	/* fewer, too: nothing is mounted meanwhile */
	facts.stable[0].frontend_count = 2;
	facts.stable[0].frontend[1].core_id = 4;
	facts.interface.active_mounts = 1;
	expect_planned("3,11", "3-4", "3");
	end();
}
END_TEST

START_TEST(mounts_that_would_not_come_back_stay)
{
	char why[600];

	begin();
	mount_with(MOUNTED("s/fs", "/a") MOUNTED("s/fs2", "/b"),
		   IN_FSTAB("s/fs", "/a") IN_FSTAB("s/fs2", "/bb"));
	snprintf(why, sizeof(why), "%s has no line of type wekafs that mounts 's/fs2' on '/b'",
		 section.fstab);
	expect_refused("4,12", why);
	mount_with(MOUNTED("s/fs", "/a"), IN_FSTAB("s/other", "/a"));
	snprintf(why, sizeof(why), "%s has no line of type wekafs that mounts 's/fs' on '/a'",
		 section.fstab);
	expect_refused("4,12", why);
	mount_with(MOUNTED("s/fs", "/a") MOUNTED("fs", "/b"),
		   IN_FSTAB("s/fs", "/a") IN_FSTAB("s/fs", "/b"));
	expect_refused("4,12",
		       "'/a' and '/b' show one file system: a bind mount would not come back");
	mount_with(MOUNTED("s/x", "/x") MOUNTED("s/fs", "/a") MOUNTED("fs", "/b"),
		   IN_FSTAB("s/x", "/x") IN_FSTAB("s/fs", "/a"));
	expect_refused("4,12",
		       "'/a' and '/b' show one file system: a bind mount would not come back");
	section.mounts = (char *)"/x /a";
	expect_refused("4,12", "it also serves '/b', which mounts= leaves out");
	section.mounts = (char *)"";
	ck_assert_int_eq(remove(section.fstab), 0);
	snprintf(why, sizeof(why), "cannot open '%s': No such file or directory", section.fstab);
	expect_refused("4,12", why);
	facts.containers.item[0].persistent = true;
	expect_refused("4,12",
		       "it is a stateful client, whose cores do not come from mount options");
	end();
}
END_TEST

START_TEST(an_administrator_is_told_what_to_type)
{
	struct client_place place = { .ids = set_of("3-4,7") };
	char *text = weka_cores_command(&place);

	ck_assert_str_eq(text,
			 "weka local resources cores 3 --only-frontend-cores --core-ids 3,4,7");
	free(text);
}
END_TEST

/* ---- make and undo -------------------------------------------------------------- */

#define COMMAND                                                                                    \
	"#!/bin/sh\n"                                                                              \
	"cd '%s' || exit 9\n"                                                                      \
	"case \"$*\" in\n"                                                                         \
	"'local ps -J') exec cat ps ;;\n"                                                          \
	"'local resources -C a -J') exec cat staged ;;\n"                                          \
	"'local resources -C a --stable -J') exec cat stable ;;\n"                                 \
	"esac\n"                                                                                   \
	"echo \"$*\" >>calls\n"                                                                    \
	"case \"$*\" in\n"                                                                         \
	"*' cores '*)\n"                                                                           \
	"[ -e no_stage ] && { echo refused >&2; exit 1; }\n"                                       \
	"cp new staged ;;\n"                                                                       \
	"*' apply '*)\n"                                                                           \
	"[ -e no_apply ] && { echo refused >&2; exit 1; }\n"                                       \
	"[ -e breaks ] && cp breaks ps\n"                                                          \
	"[ -e lost ] || cp staged stable\n"                                                        \
	"[ -e late ] && { echo late >&2; exit 1; } ;;\n"                                           \
	"*' restore '*)\n"                                                                         \
	"[ -e no_restore ] && { echo stuck >&2; exit 1; }\n"                                       \
	"cp stable staged ;;\n"                                                                    \
	"esac\n"                                                                                   \
	"exit 0\n"

#define STAGE "local resources cores 1 --only-frontend-cores --core-ids "
#define APPLY "local resources apply -f -C a\n"
#define RESTORE "local resources restore -C a\n"

static struct journal_change change;

static void begin_running(void)
{
	char path[600];

	begin();
	tempdir_command("weka", COMMAND, path);
	tempdir_put("ps", PS("READY"));
	tempdir_put("stable", ON("3"));
	tempdir_put("staged", ON("3"));
	tempdir_put("new", ON("4"));
	change = (struct journal_change){ .state = JOURNAL_PLANNED,
					  .what = (char *)"cores",
					  .target = (char *)"a",
					  .old_value = (char *)"3",
					  .new_value = (char *)"4" };
}

static enum change_made make(void)
{
	return weka_cores.make(&weka_cores, &client, &change, &findings);
}

static enum change_undone undo(void)
{
	return weka_cores.undo(&weka_cores, &client, &change, &findings);
}

static void expect_finding(const char *code, const char *text)
{
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, code);
	ck_assert_str_eq(findings.list[0].text, text);
}

static void expect_stays(const char *why)
{
	char text[600];

	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	snprintf(text, sizeof(text),
		 "container 'a' could not change from core 3 to 4: %s; it is back at core 3", why);
	expect_finding("W44", text);
}

START_TEST(cores_are_staged_and_applied_and_looked_at)
{
	struct cpuset cores;

	begin_running();
	ck_assert_int_eq(make(), CHANGE_MADE);
	ck_assert_uint_eq(findings.count, 0);
	tempdir_expect("calls", STAGE "4 -C a\n" APPLY);
	ck_assert_int_eq(weka_baseline_read(&client, "a", &cores), 1);
	ck_assert(cpuset_has(&cores, 3) && cpuset_count(&cores) == 1);
	end();
}
END_TEST

START_TEST(cores_that_cannot_be_staged_leave_no_trace)
{
	begin_running();
	tempdir_put("no_stage", "");
	expect_stays("weka local resources: exit status 1: refused");
	tempdir_expect("calls", STAGE "4 -C a\n");
	end();
}
END_TEST

START_TEST(cores_that_cannot_be_applied_are_taken_back)
{
	begin_running();
	tempdir_put("no_apply", "");
	expect_stays("weka local resources: exit status 1: refused");
	tempdir_expect("calls", STAGE "4 -C a\n" APPLY RESTORE);
	end();
}
END_TEST

START_TEST(cores_that_cannot_be_taken_back_are_told)
{
	begin_running();
	tempdir_put("no_apply", "");
	tempdir_put("no_restore", "");
	ck_assert_int_eq(make(), CHANGE_STUCK);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(
		findings.list[0].text,
		"container 'a' could not change from core 3 to 4: weka local resources: exit status 1: refused");
	ck_assert_str_eq(
		findings.list[1].text,
		"container 'a' is not back at core 3: weka local resources: exit status 1: stuck");
	findings_free(&findings);
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	expect_finding(
		"W45",
		"container 'a' is not back at core 3: weka local resources: exit status 1: stuck");
	end();
}
END_TEST

START_TEST(a_client_that_is_not_ready_is_not_back)
{
	struct cpuset old = set_of("3");

	begin_running();
	section.ready_timeout_ms = 1;
	tempdir_put("staged", ON("4"));
	tempdir_put("ps", PS("STEM"));
	ck_assert_int_eq(weka_switch_back(&client, "a", &old, &err), -1);
	ck_assert_str_eq(err.text, "it was not READY with all frontends connected after 1 ms");
	tempdir_expect("calls", RESTORE);
	tempdir_put("ps", PS("READY"));
	ck_assert_int_eq(weka_switch_back(&client, "a", &old, &err), 0);
	tempdir_expect("calls", RESTORE);
	end();
}
END_TEST

START_TEST(a_client_whose_frontend_is_not_connected_is_not_ready)
{
	begin_running();
	section.ready_timeout_ms = 1;
	tempdir_put("interface", "Container=a FE 0: Frontend is not connected\n");
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	expect_finding(
		"W45",
		"container 'a' is not back at core 3: it was not READY with all frontends connected after 1 ms");
	findings_free(&findings);
	/* a driver that names none has nothing to say of it */
	tempdir_put("interface", "GW driver_state: DRIVER_ACCEPTING\n");
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	end();
}
END_TEST

START_TEST(an_order_that_does_not_end_has_failed)
{
	const char *const args[] = { "local", "ps", NULL };
	char path[600];

	begin();
	tempdir_command("weka", "#!/bin/sh\n: %s\nexec sleep 60\n", path);
	ck_assert_int_eq(weka_order(&client, 50, args, &err), -1);
	ck_assert_str_ne(err.text, "");
	end();
}
END_TEST

START_TEST(an_order_that_failed_may_have_worked_all_the_same)
{
	begin_running();
	tempdir_put("late", "");
	ck_assert_int_eq(make(), CHANGE_MADE);
	ck_assert_uint_eq(findings.count, 0);
	end();
}
END_TEST

START_TEST(an_order_that_worked_may_have_done_nothing)
{
	begin_running();
	tempdir_put("lost", "");
	expect_stays("its resources name core 3 instead");
	tempdir_expect("calls", STAGE "4 -C a\n" APPLY RESTORE);
	end();
}
END_TEST

START_TEST(a_client_that_does_not_come_back_is_told)
{
	begin_running();
	section.ready_timeout_ms = 3000;
	tempdir_put("breaks", PS("STEM"));
	ck_assert_int_eq(make(), CHANGE_STUCK);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.list[0].code, "W44");
	ck_assert_str_eq(findings.list[1].code, "W45");
	ck_assert_str_eq(
		findings.list[1].text,
		"container 'a' is not back at core 3: it was not READY with all frontends connected after 3000 ms");
	end();
}
END_TEST

START_TEST(frontends_are_connected_or_the_client_is_not_ready)
{
	begin_running();
	tempdir_put("interface", "Container=b FE 0: Frontend is not connected\n"
				 "Container=a FE 0: Connected frontend pid 1\n");
	ck_assert_int_eq(make(), CHANGE_MADE);
	end();
	begin_running();
	section.ready_timeout_ms = 3000;
	change.old_value = (char *)"4"; /* as it is at last */
	tempdir_put("interface", "Container=a FE 0: Connected frontend pid 1\n"
				 "Container=a FE 1: Connected frontend pid 1\n");
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	expect_finding(
		"W44",
		"container 'a' could not change from core 4 to 4: it was not READY with all frontends connected after 3000 ms; it is back at core 4");
	end();
}
END_TEST

START_TEST(cores_that_a_cpuset_lacks_are_not_there)
{
	begin_running();
	ck_assert_int_eq(mkdir(tempdir_path("cgroup"), 0755), 0);
	ck_assert_int_eq(mkdir(tempdir_path("cgroup/weka-a"), 0755), 0);
	tempdir_put("cgroup/cgroup.controllers", "cpuset\n");
	tempdir_put("cgroup/weka-a/cpuset.cpus.effective", "3-4\n");
	ck_assert_int_eq(make(), CHANGE_MADE);
	tempdir_put("cgroup/weka-a/cpuset.cpus.effective", "4\n");
	change.old_value = (char *)"4";
	change.new_value = (char *)"3";
	tempdir_put("new", ON("3"));
	ck_assert_int_eq(make(), CHANGE_STUCK);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_ptr_nonnull(strstr(findings.list[0].text, "its cpuset does not hold them"));
	end();
}
END_TEST

START_TEST(a_change_that_was_cut_off_is_looked_at)
{
	begin_running();
	tempdir_put("staged", ON("4"));
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	tempdir_expect("calls", RESTORE);
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	tempdir_expect("calls", RESTORE); /* and not again */
	tempdir_put("stable", ON("4"));
	tempdir_put("staged", ON("4"));
	ck_assert_int_eq(undo(), CHANGE_KEPT);
	tempdir_put("stable", ON("6"));
	tempdir_put("staged", ON("6"));
	ck_assert_int_eq(undo(), CHANGE_NOT_OURS);
	tempdir_expect("calls", RESTORE);
	ck_assert_uint_eq(findings.count, 0);
	change.state = JOURNAL_DONE;
	ck_assert_int_eq(undo(), CHANGE_KEPT);
	end();
}
END_TEST

START_TEST(a_change_that_cannot_be_read_is_nobodys)
{
	begin_running();
	change.old_value = (char *)"x";
	ck_assert_int_eq(undo(), CHANGE_NOT_OURS);
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	change.old_value = (char *)"3";
	change.new_value = (char *)"x";
	ck_assert_int_eq(undo(), CHANGE_NOT_OURS);
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	tempdir_expect("calls", "");
	ck_assert_uint_eq(findings.count, 0);
	end();
}
END_TEST

START_TEST(a_container_that_is_gone_is_not_undone)
{
	begin_running();
	section.ready_timeout_ms = 1;
	tempdir_put("ps", "[]");
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	expect_finding(
		"W45",
		"container 'a' is not back at core 3: it was not READY with all frontends connected after 1 ms");
	end();
}
END_TEST

/* ---- by other mounts ------------------------------------------------------------- */

/* They keep the mount table, and the container is there while it serves a mount. */
#define UMOUNT                                                                                     \
	"#!/bin/sh\n"                                                                              \
	"cd '%s' || exit 9\n"                                                                      \
	"echo \"umount $1\" >>calls\n"                                                             \
	"if [ \"$1\" = \"$(cat busy)\" ]; then\n"                                                  \
	"echo \"umount: $1: target is busy.\" >&2; exit 32; fi\n"                                  \
	"[ -e no_umount ] && exit 0\n"                                                             \
	"at=$(echo \"$1\" | sed 's/ /\\\\040/')\n"                                                 \
	"grep -vF \" $at wekafs \" mounts >left; mv left mounts\n"                                 \
	"grep -q name=a mounts || [ -e stays ] || echo '[]' >ps\n"                                 \
	"[ -e late ] && { echo late >&2; exit 1; }\n"                                              \
	"exit 0\n"
#define MOUNT                                                                                      \
	"#!/bin/sh\n"                                                                              \
	"cd '%s' || exit 9\n"                                                                      \
	"echo \"mount $6 $5 $4\" >>calls\n"                                                        \
	"core=${4##*core=}\n"                                                                      \
	"if [ \"$core\" = \"$(cat refused)\" ]; then\n"                                            \
	"echo refused >&2; exit 32; fi\n"                                                          \
	"[ -e once ] && { rm once; echo 'not yet' >&2; exit 32; }\n"                               \
	"[ -e no_mount ] && exit 0\n"                                                              \
	"list=$(echo \"$4\" | sed 's/,net=udp//;s/,core=.*//;s/remount,//')\n"                     \
	"[ -e loses ] && list=$(echo \"$list\" | sed 's/,forcedirect//')\n"                        \
	"at=$(echo \"$6\" | sed 's/ /\\\\040/')\n"                                                 \
	"grep -vF \" $at wekafs \" mounts >left\n"                                                 \
	"printf '%%s\\n' \"$5 $at wekafs $list 0 0\" >>left; mv left mounts\n"                     \
	"sed \"s/CORE/$core/\" on >stable; cp stable staged\n"                                     \
	"cp ready ps; [ $core = 4 ] && [ -e breaks ] && cp breaks ps\n"                            \
	"[ -e late ] && { echo late >&2; exit 1; }\n"                                              \
	"exit 0\n"

#define OF_OTHERS "s/fs3 /c wekafs rw,container_name=b 0 0\n"
#define A_SHOWN "rw,writecache,container_name=a"
#define A_NEW A_SHOWN ",net=udp"
#define B_SHOWN "rw,forcedirect,container_name=a"
#define B_NEW B_SHOWN ",nosuid,net=udp"
#define MOUNT_A(core) "mount /a s/fs " A_NEW ",core=" core "\n"
#define MOUNT_B(core) "mount /b b x/fs2 " B_NEW ",core=" core "\n"
#define AWAY "umount /b b\numount /a\n"

static void begin_mounted(void)
{
	static char mount_command[600], umount_command[600];

	begin_running();
	section.umount_command = tempdir_command("umount", UMOUNT, umount_command);
	section.mount_command = tempdir_command("mount", MOUNT, mount_command);
	tempdir_put("on", ON("CORE"));
	tempdir_put("ready", PS("READY"));
	mount_with("s/fs /a wekafs " A_SHOWN " 0 0\n"
		   "s/fs2 /b\\040b wekafs " B_SHOWN " 0 0\n" OF_OTHERS,
		   "s/fs /a wekafs num_cores=1,net=udp 0 0\n"
		   "x/fs2 /b\\040b wekafs nosuid,net=udp 0 0\n"
		   "s/fs3 /c wekafs net=udp 0 0\n");
	client.mounts = mounts_read(section.mount_table, "wekafs", &err);
	ck_assert_ptr_nonnull(client.mounts);
}

static void end_mounted(void)
{
	mounts_free(client.mounts);
	end();
}

static void expect_set(bool is_kept)
{
	ck_assert_int_eq(access(tempdir_path("c.mounts"), F_OK), is_kept ? 0 : -1);
	ck_assert_int_eq(weka_mount_is_begun(&client, "a"), is_kept);
}

START_TEST(mounts_are_taken_away_and_come_back_with_other_cores)
{
	begin_mounted();
	ck_assert_int_eq(make(), CHANGE_MADE);
	ck_assert_uint_eq(findings.count, 0);
	tempdir_expect("calls", AWAY MOUNT_A("4") MOUNT_B("4"));
	expect_set(false);
	ck_assert_uint_eq(client.common.mount_count, 3);
	end_mounted();
}
END_TEST

START_TEST(only_what_begins_with_x_and_a_dash_is_of_others)
{
	char *list = weka_mount_options("rw", "x-a,xattr,X-b,Xattr");

	ck_assert_str_eq(list, "rw,xattr,Xattr");
	free(list);
}
END_TEST

START_TEST(what_was_mounted_is_kept_on_disk_until_it_is_back)
{
	char boot[64], text[1000], *kept;

	begin_mounted();
	host_boot_id(boot, sizeof(boot));
	ck_assert(!weka_mount_is_begun(&client, "a"));
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), 0);
	snprintf(text, sizeof(text),
		 "# a %s\n"
		 "s/fs /a wekafs " A_NEW " 0 0\n"
		 "s/fs /a wekafs-shown " A_SHOWN " 0 0\n"
		 "x/fs2 /b\\040b wekafs " B_NEW " 0 0\n"
		 "x/fs2 /b\\040b wekafs-shown " B_SHOWN " 0 0\n",
		 boot);
	kept = fileio_read(tempdir_path("c.mounts"), 1000, NULL, NULL);
	ck_assert_str_eq(kept, text);
	free(kept);
	ck_assert(weka_mount_is_begun(&client, "a"));
	ck_assert(!weka_mount_is_begun(&client, "aa"));
	ck_assert(!weka_mount_is_begun(&client, "b"));
	weka_mount_forget_old(&client);
	expect_set(true);
	ck_assert_int_eq(weka_mount_count(&client, &err), 2);
	tempdir_put("mounts", "s/fs2 /b\\040b wekafs rw 0 0\n");
	ck_assert_int_eq(weka_mount_count(&client, &err), 1);
	tempdir_put("mounts", "");
	ck_assert_int_eq(weka_mount_count(&client, &err), 0);
	ck_assert_int_eq(remove(tempdir_path("mounts")), 0);
	ck_assert_int_eq(weka_mount_count(&client, &err), -1);
	weka_mount_end(&client);
	expect_set(false);
	end_mounted();
}
END_TEST

START_TEST(mounts_of_another_container_are_not_kept)
{
	begin_mounted();
	tempdir_put("mounts", OF_OTHERS "s/fs /a wekafs " A_SHOWN " 0 0\n");
	ck_assert_int_eq(mounts_reread(&client, &err), 0);
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), 0);
	ck_assert_int_eq(weka_mount_count(&client, &err), 1);
	end_mounted();
}
END_TEST

/* Each command takes the table of mounts away. */
START_TEST(where_mounts_cannot_be_read_any_more_none_has_gone_or_come)
{
	static const char script[] = "#!/bin/sh\nexec rm '%s/mounts'\n";
	struct cpuset ids = set_of("4");
	char path[600];
	bool busy;

	begin_mounted();
	tempdir_put("mounts", "s/fs /a wekafs " A_SHOWN " 0 0\n");
	ck_assert_int_eq(mounts_reread(&client, &err), 0);
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), 0);
	tempdir_command("umount", script, path);
	tempdir_command("mount", script, path);
	ck_assert_int_eq(weka_mount_away(&client, 0, &busy, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/mounts'"));
	ck_assert(!busy);
	tempdir_put("mounts", OF_OTHERS);
	*err.text = '\0';
	ck_assert_int_eq(weka_mount_back(&client, &ids, 0, false, NULL, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/mounts'"));
	/* nor when it is tried again */
	tempdir_put("mounts", OF_OTHERS);
	ck_assert_int_eq(weka_mount_back(&client, &ids, child_now_ms() + 30000, true, NULL, &err),
			 -1);
	end_mounted();
}
END_TEST

START_TEST(a_umount_that_hangs_is_waited_for_until_the_end)
{
	unsigned long long began_ms;
	char path[600];
	bool busy;

	begin_mounted();
	section.timeout_ms = 50;
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), 0);
	tempdir_command("umount", "#!/bin/sh\n: %s\nexec sleep 60\n", path);
	began_ms = child_now_ms();
	ck_assert_int_eq(weka_mount_away(&client, began_ms + 300, &busy, &err), -1);
	ck_assert_uint_ge(child_now_ms() - began_ms, 250);
	ck_assert_uint_lt(child_now_ms() - began_ms, 30000);
	ck_assert(!busy);
	end_mounted();
}
END_TEST

START_TEST(what_was_mounted_before_a_reboot_is_forgotten)
{
	static const char why[] = "what was mounted is not known any more";
	struct cpuset ids = set_of("3");
	bool busy = true;

	begin_mounted();
	weka_mount_forget_old(&client); /* there is none */
	tempdir_put("c.mounts", "# a other\ns/fs /a wekafs rw 0 0\n");
	ck_assert(!weka_mount_is_begun(&client, "a"));
	ck_assert_int_eq(weka_mount_count(&client, &err), -1);
	ck_assert_str_eq(err.text, why);
	ck_assert_int_eq(weka_mount_away(&client, 0, &busy, &err), -1);
	ck_assert(!busy);
	*err.text = '\0';
	ck_assert_int_eq(weka_mount_back(&client, &ids, 0, true, NULL, &err), -1);
	ck_assert_str_eq(err.text, why);
	tempdir_expect("calls", "");
	weka_mount_forget_old(&client);
	expect_set(false);
	end_mounted();
}
END_TEST

START_TEST(a_mount_that_is_busy_keeps_all_as_they_were)
{
	unsigned long long began_ms = child_now_ms();

	begin_mounted();
	tempdir_put("busy", "/a");
	ck_assert_int_eq(make(), CHANGE_NOT_MADE);
	expect_finding(
		"W48",
		"container 'a' keeps core 3, although this job should find 4: umount /a: exit status 32: umount: /a: target is busy.");
	tempdir_expect("calls", AWAY MOUNT_B("3"));
	expect_set(false);
	/* nobody waits for a container to go that serves a mount */
	ck_assert_uint_lt(child_now_ms() - began_ms, section.ready_timeout_ms);
	end_mounted();
}
END_TEST

START_TEST(what_is_mounted_counts_and_not_what_a_command_says)
{
	begin_mounted();
	tempdir_put("late", "");
	ck_assert_int_eq(make(), CHANGE_MADE);
	ck_assert_uint_eq(findings.count, 0);
	end_mounted();
	begin_mounted();
	tempdir_put("no_umount", "");
	expect_stays("umount /b b says that it has worked, and it is still mounted");
	tempdir_expect("calls", "umount /b b\n");
	end_mounted();
	begin_mounted();
	section.ready_timeout_ms = 1;
	tempdir_put("no_mount", "");
	ck_assert_int_eq(make(), CHANGE_STUCK);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(
		findings.list[0].text,
		"container 'a' could not change from core 3 to 4: mount /b b says that it has worked, and it is not mounted");
	tempdir_expect("calls", AWAY MOUNT_A("4") MOUNT_B("4") MOUNT_A("3") MOUNT_B("3"));
	expect_set(true);
	end_mounted();
}
END_TEST

START_TEST(mounts_that_are_refused_come_back_with_the_old_cores)
{
	begin_mounted();
	tempdir_put("refused", "4");
	expect_stays("mount -o " B_NEW ",core=4: exit status 32: refused");
	tempdir_expect("calls", AWAY MOUNT_A("4") MOUNT_B("4") MOUNT_A("3") MOUNT_B("3"));
	expect_set(false);
	end_mounted();
}
END_TEST

START_TEST(a_client_that_breaks_with_new_cores_is_mounted_once_more)
{
	begin_mounted();
	section.ready_timeout_ms = 1;
	tempdir_put("breaks", PS("STEM"));
	expect_stays("it was not READY with all frontends connected after 1 ms");
	tempdir_expect("calls", AWAY MOUNT_A("4") MOUNT_B("4") AWAY MOUNT_A("3") MOUNT_B("3"));
	expect_set(false);
	end_mounted();
}
END_TEST

START_TEST(an_option_that_is_lost_with_the_mount_is_told)
{
	begin_mounted();
	tempdir_put("loses", "");
	ck_assert_int_eq(make(), CHANGE_MADE);
	expect_finding("W40", "'/b b' was mounted again: it has lost 'forcedirect' on the way");
	ck_assert_str_eq(findings.list[0].cure, "remount it with the options of fstab(5)");
	end_mounted();
}
END_TEST

START_TEST(a_container_that_outlives_its_mounts_has_others)
{
	begin_mounted();
	section.ready_timeout_ms = 1;
	tempdir_put("stays", "");
	expect_stays(
		"it was still there 1 ms after its last umount: has another mount namespace its mount?");
	tempdir_expect("calls", AWAY MOUNT_A("3") MOUNT_B("3"));
	expect_set(false);
	end_mounted();
}
END_TEST

START_TEST(mounts_that_were_away_when_jobio_ended_come_back)
{
	begin_mounted();
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), 0);
	tempdir_put("mounts", OF_OTHERS);
	tempdir_put("ps", "[]");
	tempdir_put("once", ""); /* it is tried again */
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_uint_eq(findings.count, 0);
	tempdir_expect("calls", MOUNT_A("3") MOUNT_A("3") MOUNT_B("3"));
	expect_set(false);
	end_mounted();
}
END_TEST

START_TEST(a_mount_that_was_away_when_jobio_ended_comes_back_at_once)
{
	unsigned long long began_ms = child_now_ms();

	begin_mounted();
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), 0);
	tempdir_put("mounts", "s/fs /a wekafs " A_SHOWN " 0 0\n" OF_OTHERS);
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_uint_eq(findings.count, 0);
	tempdir_expect("calls", MOUNT_B("3"));
	expect_set(false);
	ck_assert_uint_lt(child_now_ms() - began_ms, section.ready_timeout_ms);
	end_mounted();
}
END_TEST

START_TEST(mounts_that_do_not_come_back_are_told)
{
	begin_mounted();
	section.ready_timeout_ms = 1;
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), 0);
	tempdir_put("mounts", OF_OTHERS);
	tempdir_put("ps", "[]");
	tempdir_put("refused", "3");
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	expect_finding("W45", "container 'a' is not back at core 3: mount -o " B_NEW
			      ",core=3: exit status 32: refused");
	ck_assert_str_eq(findings.list[0].cure,
			 "mount what fstab(5) names; the next job tries again");
	tempdir_expect("calls", MOUNT_A("3") MOUNT_B("3"));
	expect_set(true);
	end_mounted();
}
END_TEST

START_TEST(a_remount_is_looked_at_too)
{
	static const char call[] = "mount /a s/fs remount," A_SHOWN ",core=4\n";

	begin_mounted();
	section.core_method = CORE_METHOD_REMOUNT;
	ck_assert_int_eq(make(), CHANGE_MADE);
	ck_assert_uint_eq(findings.count, 0);
	tempdir_expect("calls", call);
	end_mounted();
	begin_mounted();
	section.core_method = CORE_METHOD_REMOUNT;
	tempdir_put("late", "");
	ck_assert_int_eq(make(), CHANGE_MADE);
	end_mounted();
	begin_mounted();
	section.core_method = CORE_METHOD_REMOUNT;
	tempdir_put("refused", "4");
	expect_stays("mount -o remount," A_SHOWN ",core=4: exit status 32: refused");
	tempdir_expect("calls", call);
	end_mounted();
	begin_mounted();
	section.core_method = CORE_METHOD_REMOUNT;
	tempdir_put("mounts", OF_OTHERS);
	ck_assert_int_eq(mounts_reread(&client, &err), 0);
	expect_stays("it has no mount to remount");
	tempdir_expect("calls", "");
	end_mounted();
}
END_TEST

START_TEST(without_a_place_to_remember_them_cores_stay)
{
	begin_mounted();
	client.state_dir = NULL;
	expect_stays("no place to remember the baseline");
	tempdir_expect("calls", "");
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), -1);
	ck_assert_str_eq(err.text, "no place to remember the mounts");
	ck_assert_int_eq(remove(tempdir_path("fstab")), 0);
	ck_assert_int_eq(weka_mount_begin(&client, "a", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "fstab"));
	end_mounted();
}
END_TEST

/* ---- cards ------------------------------------------------------------------------ */

static void add_nic(size_t container, const char *name, const char *address)
{
	struct weka_resources *stable = &facts.stable[container];
	struct weka_nic *nic = &stable->nic[stable->nic_count++];

	snprintf(nic->name, sizeof(nic->name), "%s", name);
	snprintf(nic->identifier, sizeof(nic->identifier), "%s", address);
}

/* Of one there are two containers. */
START_TEST(cards_of_a_client_are_those_of_containers_that_run)
{
	struct client_cards cards;

	begin();
	facts.containers.count = 3;
	facts.containers.item[1] = facts.containers.item[0];
	facts.containers.item[2] = facts.containers.item[0];
	strcpy(facts.containers.item[1].name, "b");
	facts.stable[1].known = true;
	facts.stable[2].known = true;
	facts.containers.item[2].running = false;
	add_nic(0, "ib0", "");
	add_nic(0, "ib1", "");
	add_nic(1, "ib0", "");
	add_nic(2, "ib2", "");
	/* what has gone has none */
	facts.containers.item[3] = facts.containers.item[0];
	facts.stable[3].known = true;
	add_nic(3, "ib3", "");
	add_nic(0, "ib4", "");
	facts.stable[0].nic_count--;
	client_cards(&client, &cards);
	ck_assert_uint_eq(cards.count, 2);
	ck_assert_str_eq(cards.card[0].name, "ib0");
	ck_assert_str_eq(cards.card[0].serves, "a,b");
	ck_assert_int_eq(cards.card[0].numa_node, -1);
	ck_assert_str_eq(cards.card[1].name, "ib1");
	ck_assert_str_eq(cards.card[1].serves, "a");
	facts.stable[0].known = false;
	client_cards(&client, &cards);
	ck_assert_uint_eq(cards.count, 1);
	ck_assert_str_eq(cards.card[0].serves, "b");
	/* a machine with one node has its cards there */
	ck_assert_int_eq(fileio_mkdir(tempdir_path("devices/system/node"), 0755, NULL), 0);
	tempdir_put("devices/system/node/online", "0\n");
	client_cards(&client, &cards);
	ck_assert_int_eq(cards.card[0].numa_node, 0);
	tempdir_put("devices/system/node/online", "0-1\n");
	client_cards(&client, &cards);
	ck_assert_int_eq(cards.card[0].numa_node, -1);
	end();
}
END_TEST

UNIT_MAIN("weka_cores", a_container_gets_a_thread_of_each_core_that_is_withheld,
	  nothing_is_planned_of_a_client_that_is_not_right,
	  a_client_goes_back_to_its_own_cores_for_who_asks_for_none,
	  a_site_says_how_far_cores_may_change, a_container_has_nineteen_cores_at_most,
	  fewer_cores_need_a_client_without_mounts, a_remount_changes_cores_since_version_5,
	  mounts_can_be_taken_away_when_fstab_names_them, mounts_that_would_not_come_back_stay,
	  an_administrator_is_told_what_to_type, threads_of_a_core_may_have_numbers_side_by_side,
	  cards_of_a_client_are_those_of_containers_that_run,
	  only_what_begins_with_x_and_a_dash_is_of_others,
	  cores_of_the_last_sixteen_jobs_are_remembered,
	  a_baseline_that_another_boot_made_pointless_is_forgotten,
	  cores_that_cannot_be_taken_back_are_told, a_client_that_is_not_ready_is_not_back,
	  a_client_whose_frontend_is_not_connected_is_not_ready,
	  an_order_that_does_not_end_has_failed, a_umount_that_hangs_is_waited_for_until_the_end,
	  mounts_of_another_container_are_not_kept,
	  where_mounts_cannot_be_read_any_more_none_has_gone_or_come,
	  cores_are_staged_and_applied_and_looked_at, cores_that_cannot_be_staged_leave_no_trace,
	  cores_that_cannot_be_applied_are_taken_back,
	  an_order_that_failed_may_have_worked_all_the_same,
	  an_order_that_worked_may_have_done_nothing, a_client_that_does_not_come_back_is_told,
	  frontends_are_connected_or_the_client_is_not_ready,
	  cores_that_a_cpuset_lacks_are_not_there, a_change_that_was_cut_off_is_looked_at,
	  a_change_that_cannot_be_read_is_nobodys, a_container_that_is_gone_is_not_undone,
	  mounts_are_taken_away_and_come_back_with_other_cores,
	  what_was_mounted_is_kept_on_disk_until_it_is_back,
	  what_was_mounted_before_a_reboot_is_forgotten,
	  a_mount_that_is_busy_keeps_all_as_they_were,
	  what_is_mounted_counts_and_not_what_a_command_says,
	  mounts_that_are_refused_come_back_with_the_old_cores,
	  a_client_that_breaks_with_new_cores_is_mounted_once_more,
	  an_option_that_is_lost_with_the_mount_is_told,
	  a_container_that_outlives_its_mounts_has_others,
	  mounts_that_were_away_when_jobio_ended_come_back,
	  a_mount_that_was_away_when_jobio_ended_comes_back_at_once,
	  mounts_that_do_not_come_back_are_told, a_remount_is_looked_at_too,
	  without_a_place_to_remember_them_cores_stay)
