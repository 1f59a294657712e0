/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which row of slurmdbd is meant; the rest is tried on the clusters. */
#include "tests/unit/runner.h"
#include "ledger/acct.h"

static const struct acct_row rows[] = {
	{ 7, 1000, 2000, false, false, false },	 /* first run */
	{ 7, 2120, 2500, false, false, false },	 /* requeued */
	{ 7, 0, 0, true, false, false },	 /* waits to run again */
	{ 8, 1000, 0, false, false, false },	 /* runs */
	{ 7, 9000, 9100, false, false, false },	 /* the id again */
	{ 20, 3000, 0, false, true, false },	 /* leads an array and runs */
	{ 21, 3000, 3100, false, true, false },	 /* led one */
	{ 22, 3000, 3100, false, false, false }, /* was requeued, */
	{ 22, 3101, 0, true, false, false },	 /* and may start then */
	{ 23, 4000, 4000, false, false, false }, /* was requeued at once, */
	{ 23, 4002, 4003, false, false, false }, /* and ran elsewhere */
	{ 24, 4000, 4000, false, false, false }, /* slurmdbd is late */
	{ 25, 1000, 1100, false, false, false }, /* two runs, in one another */
	{ 25, 1010, 1100, false, false, false },
	{ 26, 3000, 0, true, false, false },	 /* may start then */
	{ 35, 5000, 5020, false, false, false }, /* by a wrong clock, */
	{ 35, 5300, 5320, false, false, false }, /* and again */
	{ 36, 5000, 5020, false, false, false },
	{ 38, 5000, 0, false, false, false },	 /* runs */
	{ 37, 0, 5020, false, false, false },	 /* cancelled before it began */
	{ 39, 6000, 6010, false, false, false }, /* requeued, and cancelled */
	{ 39, 6030, 6031, false, false, false }, /* before its prologs ran */
	{ 39, 6100, 6110, false, false, false },
	{ 40, 6000, 6010, false, false, true },
};

static int64_t now_s;

static int chosen_run(uint32_t number, int64_t restart, double start, double end)
{
	struct acct_job job = { .job = number, .restart = restart, .start = start, .end = end };

	return acct_choose(rows, sizeof(rows) / sizeof(*rows), &job, now_s);
}

static int chosen(uint32_t number, double start, double end)
{
	now_s = (int64_t)end + 1;
	return chosen_run(number, -1, start, end);
}

static int chosen_late(uint32_t number, double start, double end)
{
	now_s = (int64_t)end + ACCT_PATIENCE_S + 1;
	return chosen_run(number, -1, start, end);
}

START_TEST(the_row_is_the_one_whose_time_holds_the_run)
{
	ck_assert_int_eq(chosen(7, 1000.4, 1999.8), 0);
	ck_assert_int_eq(chosen(7, 2120.1, 2500.7), 1);
	ck_assert_int_eq(chosen(7, 9001, 9100), 4);
}
END_TEST

START_TEST(a_row_that_has_not_ended_is_taken_when_it_does_not_end)
{
	ck_assert_int_eq(chosen(8, 1001, 1500), -1);
	ck_assert_int_eq(chosen_late(8, 1001, 1500), 3);
}
END_TEST

START_TEST(clocks_may_differ_a_little)
{
	ck_assert_int_eq(chosen(7, 996, 997), 0);
	ck_assert_int_eq(chosen(7, 2503, 2504), -1);
	ck_assert_int_eq(chosen_late(7, 2503, 2504), 1);
}
END_TEST

START_TEST(clocks_differ_by_five_seconds_at_most)
{
	ck_assert_int_eq(chosen(7, 990, 995), 0);
	ck_assert_int_eq(chosen_late(7, 990, 994.9), -1);
	ck_assert_int_eq(chosen_late(7, 2505, 2505), 1);
	ck_assert_int_eq(chosen_run(7, 0, 2505.1, 2505.2), -1);
}
END_TEST

START_TEST(a_run_that_ends_before_it_starts_is_a_moment)
{
	ck_assert_int_eq(chosen(7, 1000, 900), 0);
}
END_TEST

START_TEST(a_row_that_is_not_sure_is_taken_after_two_minutes)
{
	now_s = 1500 + ACCT_PATIENCE_S - 1;
	ck_assert_int_eq(chosen_run(8, -1, 1001, 1500), -1);
	ck_assert_int_eq(chosen_run(8, 0, 1001, 1500), -1);
	now_s = 1500 + ACCT_PATIENCE_S;
	ck_assert_int_eq(chosen_run(8, -1, 1001, 1500), 3);
}
END_TEST

START_TEST(a_run_may_start_in_the_second_in_which_its_row_ended)
{
	ck_assert_int_eq(chosen(24, 4000.99, 4001.2), 11);
	ck_assert_int_eq(chosen(24, 4001.0, 4001.2), -1);
}
END_TEST

START_TEST(of_rows_that_hold_a_run_the_nearest_is_taken_and_then_the_first)
{
	ck_assert_int_eq(chosen(25, 1004, 1090), 12);
	ck_assert_int_eq(chosen(25, 1005, 1090), 12);
	ck_assert_int_eq(chosen(25, 1006, 1090), 13);
	ck_assert_int_eq(chosen(25, 1012, 1090), 13);
}
END_TEST

START_TEST(a_clock_may_be_minutes_off_where_the_number_of_the_run_names_the_row)
{
	now_s = 5900 + ACCT_PATIENCE_S;
	ck_assert_int_eq(chosen_run(36, 0, 5060, 5080), 17);
	ck_assert_int_eq(chosen_run(36, 0, 4900, 4920), 17);
	ck_assert_int_eq(chosen_run(36, 0, 5320, 5340), 17);
	ck_assert_int_eq(chosen_run(36, 0, 5321, 5341), -1); /* MUNGE */
	ck_assert_int_eq(chosen_run(36, -1, 4900, 4920), -1);
	ck_assert_int_eq(chosen_run(36, 1, 5060, 5080), -1);
	ck_assert_int_eq(chosen_run(35, 0, 5100, 5120), 15);
	ck_assert_int_eq(chosen_run(35, 1, 5100, 5120), 16);
	ck_assert_int_eq(chosen_run(38, 0, 4900, 4920), -1); /* it runs */
	/* its row may come yet */
	now_s = 5080 + ACCT_PATIENCE_S - 1;
	ck_assert_int_eq(chosen_run(36, 0, 5060, 5080), -1);
}
END_TEST

START_TEST(runs_that_follow_each_other_at_once_have_their_own_rows)
{
	ck_assert_int_eq(chosen(23, 4000.2, 4002.4), 9);
	ck_assert_int_eq(chosen(23, 4002.1, 4003.9), 10);
}
END_TEST

START_TEST(a_requeued_run_waits_for_its_row)
{
	ck_assert_int_eq(chosen(24, 4004.1, 4004.4), -1); /* it had ended */
	now_s = 4001;
	ck_assert_int_eq(chosen_run(24, 1, 4000.7, 4000.9), -1);
	ck_assert_int_eq(chosen_run(24, 0, 4000.2, 4000.6), 11);
	ck_assert_int_eq(chosen_run(23, 1, 4002.1, 4003.9), 10);
	ck_assert_int_eq(chosen_run(23, 2, 4002.1, 4003.9), -1);
	/* a row that has not started is none before it */
	ck_assert_int_eq(chosen_run(7, 1, 1000.4, 4000), -1);
	ck_assert_int_eq(chosen_run(7, 0, 1000.4, 4000), 0);
	/* a requeue in the second of the submission leaves one row */
	now_s = 4001 + ACCT_PATIENCE_S;
	ck_assert_int_eq(chosen_run(24, 1, 4000.7, 4000.9), 11);
}
END_TEST

START_TEST(the_leader_of_an_array_has_to_end_first)
{
	ck_assert_int_eq(chosen_late(20, 3001, 3050), -1);
	ck_assert_int_eq(chosen(21, 3001, 3050), 6);
}
END_TEST

START_TEST(the_estimated_start_of_a_row_that_waits_means_nothing)
{
	ck_assert_int_eq(chosen(22, 3000, 3099), 7);
	ck_assert_int_eq(chosen_late(26, 3000, 3099), -1);
}
END_TEST

START_TEST(a_row_that_never_started_is_of_no_run)
{
	ck_assert_int_eq(chosen_late(37, 5000, 5020), -1);
	ck_assert_int_eq(chosen_late(37, 0, 5020), -1);
}
END_TEST

START_TEST(a_prolog_that_begins_after_its_row_ended_is_known_by_its_number)
{
	now_s = 5026;
	ck_assert_int_eq(chosen_run(36, 0, 5024, 5025), 17);
	ck_assert_int_eq(chosen_run(36, -1, 5024, 5025), -1);
	ck_assert_int_eq(chosen_run(36, 1, 5024, 5025), -1);
	now_s = 4004;
	ck_assert_int_eq(chosen_run(23, 1, 4005, 4005), 10);
	ck_assert_int_eq(chosen_run(23, 0, 4005, 4005), -1);
}
END_TEST

START_TEST(a_run_without_a_prolog_has_the_last_row_that_ended_before_its_epilog)
{
	ck_assert_int_eq(chosen_late(39, 6020, 6021), 20);
	ck_assert_int_eq(chosen(39, 6020, 6021), -1);
	ck_assert_int_eq(chosen_late(39, 6050, 6050), 21);
	ck_assert_int_eq(chosen_late(39, 6200, 6200), 22);
	ck_assert_int_eq(chosen_late(39, 6410, 6410), 22);
	ck_assert_int_eq(chosen_late(39, 6411, 6411), -1);
	ck_assert_int_eq(chosen_late(39, 5990, 5990), -1);
	/* another node told of this one */
	ck_assert_int_eq(chosen_late(40, 6020, 6021), -1);
	ck_assert_int_eq(chosen_late(40, 6005, 6005), 23);
	/* a prolog knows when it ran */
	now_s = 6050 + ACCT_PATIENCE_S;
	ck_assert_int_eq(chosen_run(39, 4, 6050, 6050), -1);
}
END_TEST

START_TEST(no_row_is_better_than_the_wrong_one)
{
	struct acct_job job = { .job = 7, .start = 1000, .end = 2000 };

	ck_assert_int_eq(chosen_late(7, 5000, 5100), -1);
	ck_assert_int_eq(chosen_late(9, 1000, 2000), -1);
	ck_assert_int_eq(chosen_late(8, 900, 950), -1);
	ck_assert_int_eq(acct_choose(rows, 0, &job, 5000), -1);
}
END_TEST

UNIT_MAIN("slurmdb", the_row_is_the_one_whose_time_holds_the_run,
	  a_row_that_has_not_ended_is_taken_when_it_does_not_end, clocks_may_differ_a_little,
	  clocks_differ_by_five_seconds_at_most, a_run_that_ends_before_it_starts_is_a_moment,
	  a_row_that_is_not_sure_is_taken_after_two_minutes,
	  a_run_may_start_in_the_second_in_which_its_row_ended,
	  of_rows_that_hold_a_run_the_nearest_is_taken_and_then_the_first,
	  a_clock_may_be_minutes_off_where_the_number_of_the_run_names_the_row,
	  runs_that_follow_each_other_at_once_have_their_own_rows, a_requeued_run_waits_for_its_row,
	  the_leader_of_an_array_has_to_end_first,
	  the_estimated_start_of_a_row_that_waits_means_nothing,
	  a_row_that_never_started_is_of_no_run,
	  a_prolog_that_begins_after_its_row_ended_is_known_by_its_number,
	  a_run_without_a_prolog_has_the_last_row_that_ended_before_its_epilog,
	  no_row_is_better_than_the_wrong_one)
