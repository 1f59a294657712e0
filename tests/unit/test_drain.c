/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which reasons are replaced; the RPCs are tried on the clusters. */
#include <string.h>

#include "ledger/drain.h"
#include "tests/unit/runner.h"

#define SLURM_UID 64030
#define FAILED INT64_C(1000000)
#define OURS "jobio:W08 container client is STEM"

static struct drain_wish judged(const struct drain_node *node)
{
	struct drain_wish wish = {
		.cluster = "c", .node = "n1", .reason = OURS, .time = FAILED
	};

	drain_judge(&wish, node, SLURM_UID);
	return wish;
}

/* Of a drained node. */
static enum drain_verdict of(const char *reason, uint32_t uid, int64_t time)
{
	struct drain_node node = { 1, reason, time, uid };

	return judged(&node).verdict;
}

START_TEST(the_two_reasons_of_a_failed_prolog_are_replaced)
{
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED + 1), DRAIN_SET);
	ck_assert_int_eq(
		of("batch job complete failure", SLURM_UID, FAILED + 1),
		DRAIN_SET);
}
END_TEST

START_TEST(no_other_reason_is_replaced)
{
	static const char *const others[] = {
		"Prolog error ",
		"prolog error",
		"Prolog error : Not responding",
		"Prolog error, see ticket 12",
		"Epilog error",
		"Kill task failed",
		"Job env setup error",
		"Not responding",
		"Node unexpectedly rebooted",
		"NHC: check_fs_mount: /scratch not mounted",
		"maintenance",
		"jobio:W18 nothing is mounted",
		"jobio:W08 container client is STEM, now",
	};
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(of(others[i], SLURM_UID, FAILED) == DRAIN_LEAVE,
			      "%s", others[i]);
}
END_TEST

START_TEST(slurms_words_in_an_administrators_mouth_are_his)
{
	ck_assert_int_eq(of("Prolog error", 0, FAILED), DRAIN_LEAVE);
	ck_assert_int_eq(of("Prolog error", 1000, FAILED), DRAIN_LEAVE);
}
END_TEST

START_TEST(a_prolog_that_failed_at_another_time_is_another_one)
{
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED - 300),
			 DRAIN_SET);
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED - 301),
			 DRAIN_LEAVE);
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED + 300),
			 DRAIN_SET);
	ck_assert_int_eq(of("Prolog error", SLURM_UID, FAILED + 301),
			 DRAIN_LEAVE);
}
END_TEST

START_TEST(a_node_that_is_not_drained_is_left_so)
{
	struct drain_node node = { 0, "Prolog error", FAILED, SLURM_UID };

	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
	node.reason = NULL;
	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
	node.is_drained = 1;
	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
	node.reason = "";
	ck_assert_int_eq(judged(&node).verdict, DRAIN_WAIT);
}
END_TEST

START_TEST(a_reason_that_is_there_is_not_set_again)
{
	ck_assert_int_eq(of(OURS, SLURM_UID, FAILED + 5), DRAIN_DONE);
	ck_assert_int_eq(of(OURS, 0, FAILED + 5000), DRAIN_DONE);
}
END_TEST

START_TEST(what_is_left_alone_is_said)
{
	struct drain_node node = { 1, "maintenance", FAILED, 0 };

	ck_assert_str_eq(judged(&node).why.text,
			 "uid 0 gave another reason: 'maintenance'");
	ck_assert_str_eq(judged(NULL).why.text, "slurmctld has no such node");
	ck_assert_int_eq(judged(NULL).verdict, DRAIN_LEAVE);
	node = (struct drain_node){ 1, "Prolog error", FAILED - 4000,
				    SLURM_UID };
	ck_assert_str_eq(judged(&node).why.text,
			 "'Prolog error' is -4000 s from the failure of this "
			 "prolog");
}
END_TEST

UNIT_MAIN("drain", the_two_reasons_of_a_failed_prolog_are_replaced,
	  no_other_reason_is_replaced,
	  slurms_words_in_an_administrators_mouth_are_his,
	  a_prolog_that_failed_at_another_time_is_another_one,
	  a_node_that_is_not_drained_is_left_so,
	  a_reason_that_is_there_is_not_set_again, what_is_left_alone_is_said)
