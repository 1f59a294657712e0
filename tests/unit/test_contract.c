/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract of a client (client/client.h), held by one of Lustre on plain files:
 * what a room may ask, in which order, and what it gets. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "client/client.h"
#include "client/lustre/facts.h"
#include "lib/sysfs.h"
#include "tests/unit/lustre_dirs.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#define INSTANCE "work-ffff9a2c41d08000"
#define OST(n) "work-OST000" #n "-osc-ffff9a2c41d08000"

static char too_long[2000];
static struct config_client section;
static struct config config;
static struct client *client;
static struct client_want want;
static struct findings findings;
static struct journal *journal;
static struct err err;
static char target[100]; /* of the two OSTs */

static void mounted(const char *table)
{
	tempdir_put("mounts", table);
}

static void begin(void)
{
	struct stat st;

	section = (struct config_client){ .name = (char *)"scratch",
					  .type = CLIENT_LUSTRE,
					  .mounts = (char *)"",
					  .timeout_ms = 5000 };
	lustre_dirs(&section);
	section.lnet_dir = tempdir_name;
	mounted("a@tcp:/work /mnt/work lustre rw 0 0\n");
	config = (struct config){ .run_dir = tempdir_name,
				  .clients = { section },
				  .client_count = 1 };
	tempdir_put("sys/llite/" INSTANCE "/hybrid_io", "1\n");
	tempdir_put("sys/osc/" OST(0) "/checksums", "1\n");
	tempdir_put("sys/osc/" OST(1) "/checksums", "1\n");
	ck_assert_int_eq(stat(tempdir_path("sys/llite/" INSTANCE), &st), 0);
	snprintf(target, sizeof(target), INSTANCE ":%lu osc 0-1",
		 (unsigned long)st.st_ino);
	want = (struct client_want){ .alone = true,
				     .mount_options = "",
				     .read_ahead_kb = "",
				     .parameters = "" };
	client = client_open(&section, tempdir_name, tempdir_name, &err);
	ck_assert_msg(client != NULL, "%s", err.text);
	memset(too_long, 'x', sizeof(too_long) - 1);
	*too_long = '/';
}

static void away(void)
{
	findings_free(&findings);
	client_close(client);
	tempdir_remove();
}

START_TEST(a_client_says_what_it_is_before_it_is_looked_at)
{
	begin();
	ck_assert_str_eq(client_facts(client)->name, "scratch");
	ck_assert_str_eq(client_facts(client)->type, "lustre");
	ck_assert_str_eq(client_facts(client)->version, "");
	ck_assert_uint_eq(client_facts(client)->mount_count, 0);
	ck_assert(!client_is_cached(client));
	client_close(NULL);
	away();
}
END_TEST

START_TEST(without_a_mount_table_a_client_cannot_be_looked_at)
{
	begin();
	tempdir_put("sys/version", "2.17.0\n");
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	ck_assert_uint_eq(client_facts(client)->mount_count, 1);
	ck_assert_str_eq(client_facts(client)->version, "2.17.0");
	section.mount_table = (char *)"/nowhere";
	ck_assert_int_eq(client_inspect(client, 5000, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/nowhere"));
	away();
}
END_TEST

#define MDT0 "work-MDT0000-mdc-ffff9a2c41d08000"

START_TEST(a_look_tells_what_the_kernel_shows)
{
	const struct lustre_facts *facts;
	char *cpts;

	begin();
	section.timeout_ms = 60000; /* on a slow machine, too */
	facts = lustre_facts_of(client);
	tempdir_put("sys/version", "2.17.0 modified\n"); /* no version */
	tempdir_put("sys/jobid_var", "procname_uid\n");
	tempdir_put("cpu_partition_table", "0\t: 0 1\n1\t: 5\n");
	tempdir_put("nis", "nid status\n192.0.2.31@tcp down 0 1\n");
	tempdir_put("sys/llite/" INSTANCE "/max_read_ahead_mb", "64\n");
	tempdir_put("sys/llite/" INSTANCE "/stats_track_gid", "7\n");
	tempdir_put("sys/lov/work-clilov-ffff9a2c41d08000/stripecount", "4\n");
	tempdir_put("sys/mdc/" MDT0 "/max_rpcs_in_flight", "9\n");
	tempdir_put("sys/osc/" OST(0) "/max_rpcs_in_flight", "8\n");
	tempdir_put("sys/osc/" OST(0) "/active", "1\n");
	tempdir_put("debug/osc/" OST(0) "/import",
		    "import:\n    state: FULL\n       max_brw_size: 4096\n");
	ck_assert_int_eq(client_inspect(client, 60000, &err), 0);
	ck_assert(client_facts(client)->cpus_known);
	ck_assert_int_eq(facts->ask.answer, ASK_ANSWERED);
	ck_assert_str_eq(facts->version, "");
	ck_assert_str_eq(facts->jobid_var, "procname_uid");
	cpts = cpuset_format(&facts->cpt_cpus);
	ck_assert_str_eq(cpts, "0-1,5");
	free(cpts);
	ck_assert_uint_eq(facts->card_count, 1);
	ck_assert_uint_eq(facts->instance_count, 1);
	ck_assert_int_eq(facts->instance[0].ahead_mb, 64);
	ck_assert_int_eq(facts->instance[0].ahead_file_mb, LUSTRE_UNKNOWN);
	ck_assert_int_eq(facts->instance[0].tracked, 7);
	ck_assert_int_eq(facts->instance[0].stripe_count, 4);
	ck_assert_uint_eq(facts->target_count, 3);
	ck_assert_int_eq(facts->target[0].kind, TREE_MDC);
	ck_assert_int_eq(facts->target[0].rpcs, LUSTRE_UNKNOWN);
	ck_assert_str_eq(facts->target[0].state, "");
	ck_assert_int_eq(facts->target[1].rpcs, 8);
	ck_assert_int_eq(facts->target[1].active, 1);
	ck_assert_int_eq(facts->target[1].checksums, 1);
	ck_assert_str_eq(facts->target[1].state, "FULL");
	ck_assert_int_eq(facts->target[1].server_bytes, 4096);
	ck_assert_uint_eq(facts->target[2].index, 1);
	ck_assert_uint_eq(facts->unread, 2);
	ck_assert_str_eq(facts->unread_why, "No such file or directory");
	/* statistics are read as well, for the beginning of a job */
	ck_assert_ptr_nonnull(facts->counters);
	ck_assert_int_eq(strncmp(facts->counters, "\nmissing llite.", 15), 0);
	away();
}
END_TEST

START_TEST(what_is_not_mounted_or_not_shown_is_not_asked_or_failed)
{
	char why[1200];

	begin();
	mounted("");
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	ck_assert_int_eq(lustre_facts_of(client)->ask.answer, ASK_NOT_ASKED);
	ck_assert(client_facts(client)->cpus_known);
	mounted("b@tcp:/home /home lustre rw 0 0\n");
	snprintf(why, sizeof(why),
		 "neither %s nor %s shows a mount of this filesystem",
		 section.sys_dir, section.procfs_dir);
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	ck_assert_int_eq(lustre_facts_of(client)->ask.answer, ASK_FAILED);
	ck_assert_str_eq(lustre_facts_of(client)->ask.why, why);
	ck_assert_ptr_null(lustre_facts_of(client)->counters);
	away();
}
END_TEST

/* Of a profile with these parameters. */
static const char *refused(const char *parameters)
{
	const struct config_profile profile = { .name = (char *)"p",
						.mount_options = (char *)"",
						.read_ahead_kb = (char *)"",
						.mount = (char *)"",
						.parameters =
							(char *)parameters,
						.mmconfig = (char *)"" };

	client_judge_profile(&section, &profile, &findings);
	return said_findings(&findings);
}

START_TEST(of_a_profile_only_what_is_refused_is_said)
{
	begin();
	ck_assert_str_eq(refused("osc.checksums=0"), "");
	ck_assert_str_eq(refused("osc.checksums=2"),
			 "LU49 error parameter 'osc.checksums=2' of the "
			 "profile: expected a number from 0 to 1; the profile "
			 "was not applied; take it out of the profile in "
			 "jobio.conf\n");
	away();
}
END_TEST

/* ---- changes ------------------------------------------------------------------- */

static struct client_plan *plan_for(const char *parameters)
{
	struct client_plan *plan = (struct client_plan *)&section;

	want.parameters = parameters;
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	ck_assert_int_eq(client_plan(client, &want, &plan, &findings, &err), 0);
	return plan;
}

START_TEST(a_plan_without_changes_is_none)
{
	begin();
	ck_assert_ptr_null(plan_for("osc.checksums=1"));
	ck_assert_uint_eq(client_plan_count(NULL), 0);
	ck_assert_ptr_null(client_plan_at(NULL, 0));
	client_plan_free(NULL);
	away();
}
END_TEST

START_TEST(a_plan_tells_its_changes_and_is_applied)
{
	struct client_plan *plan;

	begin();
	plan = plan_for("osc.checksums=0,llite.hybrid_io=0");
	ck_assert_uint_eq(client_plan_count(plan), 2);
	ck_assert_str_eq(client_plan_at(plan, 0)->new_value, "hybrid_io=0");
	ck_assert_str_eq(client_plan_at(plan, 1)->target, target);
	ck_assert_str_eq(client_plan_at(plan, 1)->client, "scratch");
	ck_assert_ptr_null(client_plan_at(plan, 2));
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_int_eq(client_apply(client, plan, journal, &findings, &err),
			 0);
	tempdir_expect("sys/osc/" OST(1) "/checksums", "0\n");
	ck_assert(client_holds(client, &want));
	journal_close(journal);
	client_plan_free(plan);
	away();
}
END_TEST

START_TEST(nothing_is_changed_beside_a_command_that_may_still_run)
{
	struct client_plan *plan;

	begin();
	client_close(client);
	client = client_open(&section, too_long, tempdir_name, &err);
	plan = plan_for("osc.checksums=0");
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_int_eq(client_apply(client, plan, journal, &findings, &err),
			 -1);
	ck_assert_uint_eq(journal_count(journal), 0);
	tempdir_expect("sys/osc/" OST(0) "/checksums", "1\n");
	config.run_dir = too_long;
	ck_assert_int_eq(
		client_restore(&config, tempdir_name, journal, &findings, &err),
		-1);
	journal_close(journal);
	client_plan_free(plan);
	away();
}
END_TEST

/* A line of the journal, of a change that was planned or is in this state. */
static void journaled(const char *of, const char *at, const char *was,
		      const char *is, enum journal_state state)
{
	const struct journal_change change = { .client = (char *)of,
					       .what = (char *)"parameters",
					       .target = (char *)at,
					       .old_value = (char *)was,
					       .new_value = (char *)is };
	int seq = journal_plan(journal, &change, &err);

	ck_assert_msg(seq > 0, "%s", err.text);
	if (state != JOURNAL_PLANNED)
		journal_mark(journal, (unsigned int)seq, state, NULL);
}

static int restore(void)
{
	*err.text = '\0';
	return client_restore(&config, tempdir_name, journal, &findings, &err);
}

static void begin_restore(void)
{
	begin();
	tempdir_put("sys/osc/" OST(0) "/checksums", "0\n");
	tempdir_put("sys/osc/" OST(1) "/checksums", "0\n");
	tempdir_put("sys/llite/" INSTANCE "/hybrid_io", "0\n");
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_msg(journal != NULL, "%s", err.text);
}

static void away_restored(void)
{
	journal_close(journal);
	away();
}

START_TEST(what_is_planned_or_done_is_put_back_and_counted)
{
	char instance[100];

	begin_restore();
	snprintf(instance, sizeof(instance), "%.*s llite -",
		 (int)strcspn(target, " "), target);
	/* it went from 1 to 5 to 0, and goes back the same way */
	journaled("scratch", target, "checksums=1", "checksums=5",
		  JOURNAL_DONE);
	journaled("scratch", target, "checksums=7", "checksums=0",
		  JOURNAL_FAILED);
	journaled("scratch", target, "checksums=5", "checksums=0",
		  JOURNAL_PLANNED);
	journaled("scratch", instance, "hybrid_io=1", "hybrid_io=0",
		  JOURNAL_RESTORED);
	ck_assert_int_eq(restore(), 2);
	tempdir_expect("sys/osc/" OST(0) "/checksums", "1\n");
	tempdir_expect("sys/osc/" OST(1) "/checksums", "1\n");
	tempdir_expect("sys/llite/" INSTANCE "/hybrid_io", "0\n");
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_RESTORED);
	ck_assert_int_eq(journal_at(journal, 1)->state, JOURNAL_FAILED);
	ck_assert_int_eq(journal_at(journal, 2)->state, JOURNAL_RESTORED);
	ck_assert(!journal_is_pending(journal));
	ck_assert_int_eq(restore(), 0);
	ck_assert_str_eq(said_findings(&findings), "");
	away_restored();
}
END_TEST

START_TEST(what_a_client_that_is_gone_has_changed_keeps_nobody_else)
{
	begin_restore();
	journaled("scratch", target, "checksums=1", "checksums=0",
		  JOURNAL_DONE);
	journaled("home", "/home", "a", "b", JOURNAL_DONE);
	ck_assert_int_eq(restore(), -1);
	ck_assert_str_eq(err.text, "jobio.conf has no [client home] any more, "
				   "and '/home' still has its setting");
	tempdir_expect("sys/osc/" OST(1) "/checksums", "1\n");
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_RESTORED);
	ck_assert_int_eq(journal_at(journal, 1)->state, JOURNAL_DONE);
	away_restored();
}
END_TEST

/* ---- counters ------------------------------------------------------------------ */

#define BEFORE                                                                 \
	"{\"at\":9,\"osc.x@5\":[-1,\"/mnt/work\",1,2,3,4,5,6,7,8,9,10,11,12,"  \
	"13,14,15]}"

START_TEST(counters_of_what_is_not_mounted_any_more_are_gone)
{
	static struct client_wire wire;

	begin();
	mounted("");
	ck_assert_ptr_null(client_wire_save(client, &err));
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(client_wire_since(client, BEFORE, &wire, &err), 0);
	ck_assert_str_eq(wire.source, "osc");
	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert_str_eq(wire.line[0].fs, "/mnt/work");
	ck_assert(wire.line[0].is_gone);
	away();
}
END_TEST

START_TEST(counters_that_cannot_be_read_are_an_error)
{
	static struct client_wire wire = { .line_count = 7 };
	char *text;

	begin();
	ck_assert_int_eq(client_wire_since(client, "{}x", &wire, &err), -1);
	ck_assert_int_eq(client_wire_since(client, BEFORE, &wire, &err), -1);
	ck_assert_str_eq(err.text,
			 "llite." INSTANCE ": No such file or directory");
	ck_assert_uint_eq(wire.line_count, 7);
	tempdir_put("debug/llite/" INSTANCE "/stats",
		    "start_time 5.5 secs.nsecs\n");
	tempdir_put("debug/osc/" OST(0) "/stats",
		    "start_time 5.5 secs.nsecs\n");
	tempdir_put("debug/osc/" OST(1) "/stats",
		    "start_time 5.5 secs.nsecs\n");
	text = client_wire_save(client, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	ck_assert_int_eq(client_wire_since(client, text, &wire, &err), 0);
	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert_int_eq(wire.line[0].count[WIRE_READS], 0);
	free(text);
	away();
}
END_TEST

/* Of an event at second 100, told to who knows all until then. */
static const char *told(const char *code, int64_t since_s)
{
	struct client_wire wire = { .event = { .at_s = 100 } };

	strcpy(wire.event.code, code);
	strcpy(wire.event.text, "OST0001 of 'work' has evicted this node");
	client_wire_tell(client, &wire, since_s, &findings);
	return said_findings(&findings);
}

START_TEST(what_happened_before_the_job_is_not_its_business)
{
	static const char said[] =
		"LU06 warning OST0001 of 'work' has evicted this node; look "
		"into the logs of the server and of this node: what was not "
		"yet written is lost\n";

	begin();
	ck_assert_str_eq(told("LU06", 99), said);
	ck_assert_str_eq(told("LU06", 100), said);
	ck_assert_str_eq(told("LU06", 101), "");
	ck_assert_str_eq(told("", 99), "");
	away();
}
END_TEST

/* ---- cards --------------------------------------------------------------------- */

/* Where the loopback is, of a machine with these NUMA nodes. */
static int place_of_lo(const char *online)
{
	struct client_cards cards;

	tempdir_put("devices/system/node/online", online);
	lustre_facts_of(client)->card_count = 0;
	ck_assert_int_eq(lustre_facts_take(lustre_facts_of(client),
					   "nis 127.0.0.1@tcp up 0 1\n"),
			 0);
	client_cards(client, &cards);
	ck_assert_uint_eq(cards.count, 1);
	return cards.card[0].numa_node;
}

START_TEST(where_there_is_one_place_a_card_is_there)
{
	begin();
	sysfs_set_root(tempdir_name);
	ck_assert_int_eq(place_of_lo("0\n"), 0);
	ck_assert_int_eq(place_of_lo("3\n"), 3);
	ck_assert_int_eq(place_of_lo("0-1\n"), -1);
	/* what is known is not guessed */
	tempdir_put("class/net/lo/device/numa_node", "0\n");
	ck_assert_int_eq(place_of_lo("3\n"), 0);
	away();
}
END_TEST

UNIT_MAIN("contract", a_client_says_what_it_is_before_it_is_looked_at,
	  without_a_mount_table_a_client_cannot_be_looked_at,
	  a_look_tells_what_the_kernel_shows,
	  what_is_not_mounted_or_not_shown_is_not_asked_or_failed,
	  of_a_profile_only_what_is_refused_is_said,
	  a_plan_without_changes_is_none,
	  a_plan_tells_its_changes_and_is_applied,
	  nothing_is_changed_beside_a_command_that_may_still_run,
	  what_is_planned_or_done_is_put_back_and_counted,
	  what_a_client_that_is_gone_has_changed_keeps_nobody_else,
	  counters_of_what_is_not_mounted_any_more_are_gone,
	  counters_that_cannot_be_read_are_an_error,
	  what_happened_before_the_job_is_not_its_business,
	  where_there_is_one_place_a_card_is_there)
