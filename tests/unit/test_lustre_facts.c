/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the lines of a look at a Lustre client say, and what is wrong with them. The
 * files that they come from: test_lustre.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/lustre/facts.h"
#include "client/lustre/lustre.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "tests/unit/runner.h"

#define WORK "work-ffff9a2c41d08000"
#define HOME "home-ffff9a2c41d08000"

static struct lustre_facts facts;
static struct client_mount mount = { .source = (char *)"192.0.2.60@tcp:/work",
				     .target = (char *)"/mnt/work",
				     .fstype = (char *)"lustre",
				     .options = (char *)"rw" };
static struct config_client section = { .name = (char *)"scratch", .mounts = (char *)"" };
static struct client client = { .type = &lustre_type,
				.section = &section,
				.facts = &facts,
				.common = { .mounts = &mount, .mount_count = 1 } };
static struct client_want want;

static void take(const char *text)
{
	lustre_facts_clear(&facts);
	lustre_facts_take(&facts, text);
}

/* ---- lines -------------------------------------------------------------------- */

START_TEST(an_instance_is_five_words)
{
	take("instance " WORK " 1024 256 0 1\n"
	     "instance " HOME " 0 -1 4711 -1\n"
	     "instance cut-ffff9a2c41d08000 1 2 3\n"
	     "instances " WORK " 1 2 3 4\n");
	ck_assert_uint_eq(facts.instance_count, 2);
	ck_assert_str_eq(facts.instance[0].name, WORK);
	ck_assert_int_eq(facts.instance[0].ahead_mb, 1024);
	ck_assert_int_eq(facts.instance[0].ahead_file_mb, 256);
	ck_assert_int_eq(facts.instance[0].tracked, 0);
	ck_assert_int_eq(facts.instance[0].stripe_count, 1);
	ck_assert_str_eq(facts.instance[1].name, HOME);
	ck_assert_int_eq(facts.instance[1].ahead_mb, 0);
	ck_assert_int_eq(facts.instance[1].ahead_file_mb, LUSTRE_UNKNOWN);
	ck_assert_int_eq(facts.instance[1].tracked, 4711);
	lustre_facts_clear(&facts);
	ck_assert_uint_eq(facts.instance_count, 0);
	ck_assert_ptr_null(facts.instance);
}
END_TEST

START_TEST(a_target_is_ten_words_and_of_a_kind_that_there_is)
{
	take("target 2 10 " WORK " FULL 1 8 1024 0 4194304 -1\n"
	     "target 1 0 " WORK " ? -1 -1 -1 -1 -1 8\n"
	     "target 0 0 " WORK " FULL 1 1 1 1 1 1\n"
	     "target -1 0 " WORK " FULL 1 1 1 1 1 1\n"
	     "target 3 0 " WORK " FULL 1 1 1 1 1 1\n"
	     "target 2 0 " WORK " FULL 1 1 1 1 1\n");
	ck_assert_uint_eq(facts.target_count, 3);
	ck_assert_int_eq(facts.target[0].kind, TREE_OSC);
	ck_assert_uint_eq(facts.target[0].index, 10);
	ck_assert_str_eq(facts.target[0].instance, WORK);
	ck_assert_str_eq(facts.target[0].state, "FULL");
	ck_assert_int_eq(facts.target[0].active, 1);
	ck_assert_int_eq(facts.target[0].rpcs, 8);
	ck_assert_int_eq(facts.target[0].pages, 1024);
	ck_assert_int_eq(facts.target[0].checksums, 0);
	ck_assert_int_eq(facts.target[0].server_bytes, 4194304);
	ck_assert_int_eq(facts.target[0].server_mods, LUSTRE_UNKNOWN);
	ck_assert_int_eq(facts.target[1].kind, TREE_MDC);
	ck_assert_str_eq(facts.target[1].state, "");
	ck_assert_int_eq(facts.target[1].server_mods, 8);
	ck_assert_int_eq(facts.target[2].kind, TREE_LLITE);
	lustre_facts_clear(&facts);
	ck_assert_ptr_null(facts.target);
}
END_TEST

START_TEST(there_may_be_many_targets)
{
	char text[4000] = "";
	size_t i;

	for (i = 0; i < 40; i++)
		sprintf(text + strlen(text), "target 2 %zu " WORK " FULL 1 8 1024 0 4194304 -1\n",
			i);
	take(text);
	ck_assert_uint_eq(facts.target_count, 40);
	for (i = 0; i < 40; i++)
		ck_assert_uint_eq(facts.target[i].index, i);
	lustre_facts_clear(&facts);
}
END_TEST

START_TEST(a_word_alone_or_another_one_says_nothing)
{
	take("version\nversions 2.17\nver 2.17\njobid_vars disable\nnone\n\n");
	ck_assert_str_eq(facts.version, "");
	ck_assert_str_eq(facts.jobid_var, "");
	ck_assert_int_eq(facts.ask.answer, ASK_NOT_ASKED);
	take("version 2.17.0\njobid_var procname_uid\n"
	     "unread Permission denied\nunread Input/output error\n");
	ck_assert_str_eq(facts.version, "2.17.0");
	ck_assert_str_eq(facts.jobid_var, "procname_uid");
	ck_assert_uint_eq(facts.unread, 2);
	ck_assert_str_eq(facts.unread_why, "Input/output error");
	take("none neither /a nor /b shows a mount of this filesystem\n");
	ck_assert_int_eq(facts.ask.answer, ASK_FAILED);
	ck_assert_str_eq(facts.ask.why, "neither /a nor /b shows a mount of this filesystem");
	lustre_facts_clear(&facts);
}
END_TEST

START_TEST(interfaces_of_lnet_have_an_address_and_a_state)
{
	char text[4000] = "";
	int i;

	take("nis nid status alive refs peer rtr max tx min\n"
	     "nis 0@lo up 0 2 0 0 0 0 0\n"
	     "nis 192.0.2.31@tcp down -1 1 8 0 256 256 256\n"
	     "nis 192.0.2.32@tcp\n"
	     "nis 192.0.2.33@o2ib up -1 1 8 0 256 256 256\n");
	ck_assert_uint_eq(facts.card_count, 2);
	ck_assert_str_eq(facts.card[0].nid, "192.0.2.31@tcp");
	ck_assert_str_eq(facts.card[0].status, "down");
	ck_assert_str_eq(facts.card[0].interface, "");
	ck_assert_int_eq(facts.card[0].numa_node, -1);
	ck_assert_str_eq(facts.card[1].nid, "192.0.2.33@o2ib");
	ck_assert_str_eq(facts.card[1].status, "up");
	for (i = 0; i < LUSTRE_CARDS_MAX + 2; i++)
		sprintf(text + strlen(text), "nis 192.0.2.%d@tcp up 0 1\n", i);
	take(text);
	ck_assert_uint_eq(facts.card_count, LUSTRE_CARDS_MAX);
	ck_assert_str_eq(facts.card[LUSTRE_CARDS_MAX - 1].nid, "192.0.2.31@tcp");
}
END_TEST

START_TEST(an_import_says_what_its_server_takes)
{
	struct lustre_import import;

	lustre_import_parse("import:\n    name: x\n    state: REPLAY_WAIT\n"
			    "    connect_data:\n       max_brw_size: 4194304\n"
			    "       max_mod_rpcs: 8\n",
			    &import);
	ck_assert_str_eq(import.state, "REPLAY_WAIT");
	ck_assert_int_eq(import.server_bytes, 4194304);
	ck_assert_int_eq(import.server_mods, 8);
	lustre_import_parse("import:\n       max_brw_size: none\n", &import);
	ck_assert_str_eq(import.state, "");
	ck_assert_int_eq(import.server_bytes, LUSTRE_UNKNOWN);
	ck_assert_int_eq(import.server_mods, LUSTRE_UNKNOWN);
	/* of another line of it */
	lustre_import_parse("import:\n    old\n        state: FULL\n", &import);
	ck_assert_str_eq(import.state, "");
}
END_TEST

static void expect_partition(const char *line, const char *wanted)
{
	struct cpuset cpus = { { 0 } };
	char *list;

	lustre_partition_add(&cpus, line);
	list = cpuset_format(&cpus);
	ck_assert_str_eq(list, wanted);
	free(list);
}

START_TEST(a_partition_has_the_cpus_behind_its_colon)
{
	expect_partition("0\t: 0 1 19 8191 8192\n", "0-1,19,8191");
	expect_partition("5 6\n", "");
	expect_partition("0\t:\n", "");
	expect_partition("0\t: 4 x 5\n", "4");
	expect_partition("1\t:7", "7");
}
END_TEST

/* ---- what is wrong with them ------------------------------------------------------ */

/* "CODE text\n" of each. */
static const char *judged(const struct client_want *of)
{
	static char text[4000];
	struct findings findings = { 0 };
	const struct judge judge = { &client, of, &findings };
	size_t i;

	rule_check_all(&judge);
	*text = '\0';
	for (i = 0; i < findings.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s %s\n",
			 findings.list[i].code, findings.list[i].text);
	findings_free(&findings);
	return text;
}

/* What is said of a client that shows these lines, of no job. */
static void expect(const char *lines, const char *said)
{
	take(lines);
	ck_assert_str_eq(judged(NULL), said);
	lustre_facts_clear(&facts);
}

#define WORK_THERE "instance " WORK " 64 64 0 -1\n"
#define HOME_THERE "instance " HOME " 64 64 0 -1\n"
#define OST(index, state) "target 2 " #index " " WORK " " state " 1 8 -1 0 -1 -1\n"

START_TEST(four_targets_are_named_and_the_others_are_counted)
{
	expect(WORK_THERE OST(0, "DISCONN") OST(1, "FULL") OST(26, "CONNECTING") OST(3, "EVICTED")
		       OST(4, "NEW"),
	       "LU04 4 of the 5 OSTs of 'work' are not connected: OST0000 (DISCONN), OST001a (CONNECTING), OST0003 (EVICTED), OST0004 (NEW)\n");
	expect(WORK_THERE OST(0, "DISCONN") OST(1, "DISCONN") OST(2, "DISCONN") OST(3, "DISCONN")
		       OST(4, "DISCONN"),
	       "LU04 5 of the 5 OSTs of 'work' are not connected: OST0000 (DISCONN), OST0001 (DISCONN), OST0002 (DISCONN), OST0003 (DISCONN), ..\n");
	expect(WORK_THERE OST(0, "FULL") OST(1, "IDLE") OST(2, "?"), "");
}
END_TEST

START_TEST(targets_for_metadata_are_told_apart_from_the_others)
{
	expect(WORK_THERE "target 1 0 " WORK " DISCONN 1 -1 -1 -1 -1 -1\n"
			  "target 1 1 " WORK " FULL 0 -1 -1 -1 -1 -1\n"
			  "target 2 0 " WORK " FULL 0 8 -1 -1 -1 -1\n",
	       "LU04 1 of the 2 MDTs of 'work' are not connected: MDT0000 (DISCONN)\n"
	       "LU05 1 of the 2 MDTs of 'work' are deactivated on this node: MDT0001\n"
	       "LU05 1 of the 1 OSTs of 'work' are deactivated on this node: OST0000\n");
	/* one that is deactivated is away on purpose, and one of which that is
	 * not known is away */
	expect(WORK_THERE "target 2 0 " WORK " DISCONN 0 8 -1 -1 -1 -1\n"
			  "target 2 1 " WORK " DISCONN -1 8 -1 -1 -1 -1\n",
	       "LU04 1 of the 2 OSTs of 'work' are not connected: OST0001 (DISCONN)\n"
	       "LU05 1 of the 2 OSTs of 'work' are deactivated on this node: OST0000\n");
}
END_TEST

START_TEST(each_filesystem_is_judged_by_its_own_targets)
{
	expect(WORK_THERE HOME_THERE OST(0, "DISCONN") OST(1, "FULL") "target 2 0 " HOME
								      " NEW 1 8 -1 -1 -1 -1\n",
	       "LU04 1 of the 2 OSTs of 'work' are not connected: OST0000 (DISCONN)\n"
	       "LU04 1 of the 1 OSTs of 'home' are not connected: OST0000 (NEW)\n");
	/* one that is mounted twice is one */
	expect(HOME_THERE WORK_THERE "instance work-ffff9a2c41d09000 64 64 0 -1\n" OST(
		       0, "DISCONN") "target 2 0 work-ffff9a2c41d09000 DISCONN 1 8 -1 -1 -1 -1\n"
				     "target 2 0 " HOME " NEW 1 8 -1 -1 -1 -1\n",
	       "LU04 1 of the 1 OSTs of 'home' are not connected: OST0000 (NEW)\n"
	       "LU04 1 of the 1 OSTs of 'work' are not connected: OST0000 (DISCONN)\n");
}
END_TEST

/* Of an OST with so many RPCs in flight. */
static void expect_rpcs(long rpcs, const char *said)
{
	char lines[200];

	snprintf(lines, sizeof(lines), WORK_THERE "target 2 0 " WORK " FULL 1 %ld -1 0 -1 -1\n",
		 rpcs);
	expect(lines, said);
}

START_TEST(eight_to_twenty_four_rpcs_are_as_they_should_be)
{
	static const char one[] =
		"LU07 1 of the 1 OSTs of 'work' get one RPC at a time (max_rpcs_in_flight=1): OST0000\n";
	static const char odd[] =
		"LU08 1 of the 1 OSTs of 'work' have a max_rpcs_in_flight outside 8 to 24, which suits small I/O best: OST0000\n";

	expect_rpcs(LUSTRE_UNKNOWN, "");
	expect_rpcs(0, "");
	expect_rpcs(1, one);
	expect_rpcs(2, odd);
	expect_rpcs(7, odd);
	expect_rpcs(8, "");
	expect_rpcs(24, "");
	expect_rpcs(25, odd);
}
END_TEST

/* Of an OST with so many pages to an RPC, whose server takes so many bytes. */
static void expect_small(long pages, long server_bytes, bool is_small)
{
	char lines[200];

	snprintf(lines, sizeof(lines), WORK_THERE "target 2 0 " WORK " FULL 1 8 %ld 0 %ld -1\n",
		 pages, server_bytes);
	expect(lines,
	       is_small
		       ? "LU10 1 of the 1 OSTs of 'work' get smaller RPCs than their servers take (max_pages_per_rpc): OST0000\n"
		       : "");
}

START_TEST(rpcs_are_small_when_the_server_takes_a_page_more)
{
	long page = getpagesize();

	expect_small(256, 257 * page, true);
	expect_small(256, 256 * page + 1, true);
	expect_small(256, 256 * page, false);
	expect_small(1, 2 * page, true);
	expect_small(1, page, false);
	expect_small(1, 1, false);
	/* where one of them is not known */
	expect_small(-1, 4194304, false);
	expect_small(0, 4194304, false);
	expect_small(256, 0, false);
	expect_small(256, -1, false);
}
END_TEST

START_TEST(what_cannot_be_read_is_said_with_its_reason)
{
	expect(WORK_THERE OST(0, "?") OST(1, "FULL") "unread Permission denied\n",
	       "LU03 the state of 1 of its 2 targets cannot be read: Permission denied\n");
	expect("none neither /a nor /b shows it\n",
	       "LU03 its parameters cannot be read: neither /a nor /b shows it\n");
}
END_TEST

START_TEST(read_ahead_of_nothing_is_said_of_each_filesystem)
{
	expect("instance " WORK " 0 64 0 -1\ninstance " HOME " 64 0 0 -1\n",
	       "LU11 'work' reads nothing ahead (max_read_ahead_mb=0)\n"
	       "LU11 'home' reads nothing ahead (max_read_ahead_per_file_mb=0)\n");
	expect("instance " WORK " 0 0 0 -1\n",
	       "LU11 'work' reads nothing ahead (max_read_ahead_mb=0)\n");
	expect("instance " WORK " -1 -1 0 -1\ninstance " HOME " 1 1 0 -1\n", "");
}
END_TEST

START_TEST(counters_of_one_process_are_said_of_each_filesystem)
{
	expect("instance " WORK " 1 1 1 -1\ninstance " HOME " 1 1 4711 -1\n",
	       "LU13 the counters of 'work' count one process or group alone, 1 (stats_track_*)\n"
	       "LU13 the counters of 'home' count one process or group alone, 4711 (stats_track_*)\n");
	expect("instance " WORK " 1 1 0 -1\ninstance " HOME " 1 1 -1 -1\n", "");
}
END_TEST

/* Of a job that streams, whose directory says this. */
static const char *striped(long folder)
{
	facts.folder_stripes = folder;
	return judged(&want);
}

START_TEST(one_stripe_is_said_to_a_job_that_streams)
{
	static const char by_itself[] =
		"LU15 a new file of 'home' lies on one OST unless its folder says otherwise (stripecount=1)\n";

	take("instance " HOME " 1 1 0 1\ninstance " WORK " 1 1 0 2\n");
	want = (struct client_want){ .parameters = "osc.max_pages_per_rpc=4M",
				     .work_dir = "/mnt/work/me" };
	ck_assert_str_eq(striped(LUSTRE_UNKNOWN), by_itself);
	ck_assert_str_eq(striped(0), by_itself);
	ck_assert_str_eq(
		striped(1),
		"LU15 a new file in the job's directory '/mnt/work/me' lies on one OST (stripe count 1)\n");
	ck_assert_str_eq(striped(2), "");
	want.parameters = "llite.max_read_ahead_mb=64";
	ck_assert_str_eq(striped(0), by_itself);
	want.parameters = "osc.checksums=0";
	want.alone = true;
	ck_assert_str_eq(striped(1), "");
	want.parameters = NULL;
	ck_assert_str_eq(striped(1), "");
	ck_assert_str_eq(judged(NULL), "");
	lustre_facts_clear(&facts);
}
END_TEST

START_TEST(checksums_are_said_to_a_profile_without_them)
{
	take(WORK_THERE "target 2 0 " WORK " FULL 1 8 -1 1 -1 -1\n"
			"target 2 1 " WORK " FULL 1 8 -1 2 -1 -1\n"
			"target 2 2 " WORK " FULL 1 8 -1 -1 -1 -1\n");
	want = (struct client_want){ .parameters = "osc.checksums=0" };
	ck_assert_str_eq(
		judged(&want),
		"LU09 1 of the 3 OSTs of 'work' have checksums on, which the profile does without: OST0000\n");
	want.alone = true; /* they are off by now */
	ck_assert_str_eq(judged(&want), "");
	want = (struct client_want){ .parameters = "osc.checksums=1" };
	ck_assert_str_eq(judged(&want), "");
	lustre_facts_clear(&facts);
}
END_TEST

START_TEST(each_interface_that_is_down_is_said)
{
	expect("nis 192.0.2.31@tcp up 0 1\nnis 192.0.2.32@tcp down 0 1\n"
	       "nis 192.0.2.33@tcp down 0 1\n",
	       "LU16 LNet's interface 192.0.2.32@tcp is down\n"
	       "LU16 LNet's interface 192.0.2.33@tcp is down\n");
}
END_TEST

START_TEST(cards_with_an_interface_are_told_with_what_they_serve)
{
	struct client_cards cards = { 0 };

	take("nis 192.0.2.31@tcp up 0 1\nnis 127.0.0.1@tcp up 0 1\n");
	lustre_type.cards(&client, &cards);
	ck_assert_uint_eq(cards.count, 1);
	ck_assert_str_eq(cards.card[0].name, "lo");
	ck_assert_str_eq(cards.card[0].serves, "127.0.0.1@tcp");
}
END_TEST

UNIT_MAIN("lustre_facts", an_instance_is_five_words,
	  a_target_is_ten_words_and_of_a_kind_that_there_is, there_may_be_many_targets,
	  a_word_alone_or_another_one_says_nothing, interfaces_of_lnet_have_an_address_and_a_state,
	  an_import_says_what_its_server_takes, a_partition_has_the_cpus_behind_its_colon,
	  four_targets_are_named_and_the_others_are_counted,
	  targets_for_metadata_are_told_apart_from_the_others,
	  each_filesystem_is_judged_by_its_own_targets,
	  eight_to_twenty_four_rpcs_are_as_they_should_be,
	  rpcs_are_small_when_the_server_takes_a_page_more,
	  what_cannot_be_read_is_said_with_its_reason,
	  read_ahead_of_nothing_is_said_of_each_filesystem,
	  counters_of_one_process_are_said_of_each_filesystem,
	  one_stripe_is_said_to_a_job_that_streams, checksums_are_said_to_a_profile_without_them,
	  each_interface_that_is_down_is_said,
	  cards_with_an_interface_are_told_with_what_they_serve)
