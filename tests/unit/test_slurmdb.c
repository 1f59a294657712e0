/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which row of slurmdbd is meant; the rest is tried on the clusters. */
#include "runner.h"
#include "slurmdb.h"

static const struct acct_row rows[] = {
	{ 7, 1000, 2000, false, false },  /* first run */
	{ 7, 2120, 2500, false, false },  /* requeued */
	{ 7, 0, 0, true, false },	  /* waits to run again */
	{ 8, 1000, 0, false, false },	  /* runs */
	{ 7, 9000, 9100, false, false },  /* the id used again, much later */
	{ 20, 3000, 0, false, true },	  /* leads an array and runs */
	{ 21, 3000, 3100, false, true },  /* led one */
	{ 22, 3000, 3100, false, false }, /* was requeued, */
	{ 22, 3101, 0, true, false },	  /* and may start then */
};

static int chosen(uint32_t job, double start, double end)
{
	return acct_choose(rows, sizeof(rows) / sizeof(*rows), job, start, end);
}

START_TEST(the_row_is_the_one_whose_time_holds_the_run)
{
	ck_assert_int_eq(chosen(7, 1000.4, 1999.8), 0);
	ck_assert_int_eq(chosen(7, 2120.1, 2500.7), 1);
	ck_assert_int_eq(chosen(7, 9001, 9100), 4);
}
END_TEST

START_TEST(a_job_that_still_runs_is_found_by_its_start)
{
	ck_assert_int_eq(chosen(8, 1001, 1500), 3);
}
END_TEST

START_TEST(clocks_may_differ_a_little)
{
	ck_assert_int_eq(chosen(7, 996, 997), 0);
	ck_assert_int_eq(chosen(7, 2503, 2504), 1);
}
END_TEST

START_TEST(the_leader_of_an_array_has_to_end_first)
{
	ck_assert_int_eq(chosen(20, 3001, 3050), -1);
	ck_assert_int_eq(chosen(21, 3001, 3050), 6);
}
END_TEST

START_TEST(the_estimated_start_of_a_row_that_waits_means_nothing)
{
	ck_assert_int_eq(chosen(22, 3000, 3099), 7);
}
END_TEST

START_TEST(no_row_is_better_than_the_wrong_one)
{
	ck_assert_int_eq(chosen(7, 5000, 5100), -1);
	ck_assert_int_eq(chosen(9, 1000, 2000), -1);
	ck_assert_int_eq(chosen(8, 900, 950), -1);
	ck_assert_int_eq(acct_choose(rows, 0, 7, 1000, 2000), -1);
}
END_TEST

UNIT_MAIN("slurmdb", the_row_is_the_one_whose_time_holds_the_run,
	  a_job_that_still_runs_is_found_by_its_start,
	  clocks_may_differ_a_little, the_leader_of_an_array_has_to_end_first,
	  the_estimated_start_of_a_row_that_waits_means_nothing,
	  no_row_is_better_than_the_wrong_one)
