/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/fileio.h"
#include "lib/journal.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static const struct journal_change change = {
	.client = "weka",
	.what = "mount-option",
	.target = "/mnt/we \"ka\\",
	.old_value = "writecache",
	.new_value = "forcedirect",
};

static struct journal *reopen(struct journal *journal)
{
	struct err err;

	journal_close(journal);
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_msg(journal != NULL, "%s", err.text);
	return journal;
}

static struct journal *fresh(void)
{
	tempdir_make();
	return reopen(NULL);
}

static void done(struct journal *journal)
{
	journal_close(journal);
	tempdir_remove();
}

START_TEST(a_planned_change_is_there_after_a_crash)
{
	struct journal *journal = fresh();
	const struct journal_change *found;

	ck_assert_int_eq(journal_plan(journal, &change, NULL), 1);
	journal = reopen(journal);
	ck_assert_uint_eq(journal_count(journal), 1);
	found = journal_at(journal, 0);
	ck_assert_uint_eq(found->seq, 1);
	ck_assert_str_eq(found->target, "/mnt/we \"ka\\");
	ck_assert_str_eq(found->old_value, "writecache");
	ck_assert_int_eq(found->state, JOURNAL_PLANNED);
	ck_assert(journal_is_pending(journal));
	done(journal);
}
END_TEST

START_TEST(the_last_line_of_a_change_counts)
{
	struct journal *journal = fresh();

	journal_plan(journal, &change, NULL);
	ck_assert_int_eq(journal_plan(journal, &change, NULL), 2);
	ck_assert_int_eq(journal_mark(journal, 1, JOURNAL_DONE, NULL), 0);
	ck_assert_int_eq(journal_mark(journal, 1, JOURNAL_RESTORED, NULL), 0);
	journal = reopen(journal);
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_RESTORED);
	ck_assert_int_eq(journal_at(journal, 1)->state, JOURNAL_PLANNED);
	ck_assert(journal_is_pending(journal));
	journal_mark(journal, 2, JOURNAL_LOST, NULL);
	ck_assert(!journal_is_pending(journal));
	done(journal);
}
END_TEST

START_TEST(a_line_without_its_end_is_cut_off_before_the_next_change)
{
	const char *whole =
		"{\"seq\":1,\"client\":\"weka\",\"what\":\"cores\",\"target\":\"client\",\"old\":\"7\",\"new\":\"6-7\",\"state\":\"planned\"}";
	struct journal *journal;

	tempdir_make();
	tempdir_put("journal", whole); /* killed before the newline */
	journal = reopen(NULL);
	ck_assert_uint_eq(journal_count(journal), 0);
	ck_assert_int_eq(journal_plan(journal, &change, NULL), 1);
	journal = reopen(journal);
	ck_assert(!journal_is_damaged(journal));
	ck_assert_uint_eq(journal_count(journal), 1);
	ck_assert_str_eq(journal_at(journal, 0)->what, "mount-option");
	ck_assert_str_eq(journal_at(journal, 0)->old_value, "writecache");
	done(journal);
}
END_TEST

START_TEST(a_missing_journal_is_an_empty_one)
{
	struct journal *journal;

	tempdir_make();
	journal = journal_scratch(tempdir_path("none"));
	ck_assert_ptr_nonnull(journal);
	ck_assert_uint_eq(journal_count(journal), 0);
	ck_assert(!journal_is_damaged(journal));
	done(journal);
}
END_TEST

START_TEST(a_new_line_takes_the_place_of_a_torn_one)
{
	struct journal *journal;
	char *text;

	tempdir_make();
	tempdir_put("journal", "{\"seq\":1,\"client\":\"w");
	journal = reopen(NULL);
	tempdir_expect("journal", "");
	journal_plan(journal, &change, NULL);
	text = fileio_read(tempdir_path("journal"), 9999, NULL, NULL);
	ck_assert_int_eq(strncmp(text, "{\"seq\":1,\"client\":\"weka\"", 24), 0);
	free(text);
	done(journal);
}
END_TEST

START_TEST(a_torn_last_line_is_no_damage_and_does_not_swallow_the_next)
{
	struct journal *journal;

	tempdir_make();
	tempdir_put("journal", "{\"seq\":1,\"client\":\"w");
	journal = reopen(NULL);
	ck_assert(!journal_is_damaged(journal));
	ck_assert_uint_eq(journal_count(journal), 0);
	journal_plan(journal, &change, NULL);
	journal = reopen(journal);
	ck_assert_uint_eq(journal_count(journal), 1);
	done(journal);
}
END_TEST

static void expect_damaged(const char *line)
{
	struct journal *journal;
	char text[512];

	tempdir_make();
	snprintf(text, sizeof(text), "%s\n", line);
	tempdir_put("journal", text);
	journal = reopen(NULL);
	ck_assert_msg(journal_is_damaged(journal), "taken for good: %s", line);
	ck_assert_uint_eq(journal_count(journal), 0);
	done(journal);
}

START_TEST(lines_that_say_nothing_are_damage)
{
	expect_damaged("garbage");
	expect_damaged("[1]");
	expect_damaged("{}");
	expect_damaged("{\"seq\":0,\"state\":\"planned\"}");
	expect_damaged(
		"{\"seq\":0,\"client\":\"w\",\"what\":\"x\",\"target\":\"y\",\"old\":\"a\",\"new\":\"b\",\"state\":\"planned\"}");
	expect_damaged("{\"seq\":9999,\"state\":\"planned\"}");
	expect_damaged("{\"seq\":1,\"state\":\"perhaps\"}");
	expect_damaged("{\"seq\":\"1\",\"state\":\"planned\"}");
	expect_damaged("{\"seq\":1,\"state\":\"done\"}");
	expect_damaged(
		"{\"seq\":1,\"client\":\"w\",\"what\":\"x\",\"target\":\"y\",\"old\":\"1\",\"new\":\"z\",\"state\":\"perhaps\"}");
	expect_damaged(
		"{\"seq\":1,\"client\":\"w\",\"what\":\"x\",\"target\":\"y\",\"old\":1,\"new\":\"z\",\"state\":\"planned\"}");
}
END_TEST

START_TEST(damage_in_the_middle_spares_the_other_changes)
{
	struct journal *journal = fresh();
	FILE *out;

	journal_plan(journal, &change, NULL);
	out = fopen(tempdir_path("journal"), "a");
	fputs("garbage\n", out);
	fclose(out);
	journal_plan(journal, &change, NULL);
	journal = reopen(journal);
	ck_assert(journal_is_damaged(journal));
	ck_assert_uint_eq(journal_count(journal), 2);
	done(journal);
}
END_TEST

START_TEST(only_root_reads_a_journal)
{
	struct journal *journal = fresh();
	struct stat st;

	ck_assert_int_eq(stat(tempdir_path("journal"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	done(journal);
}
END_TEST

START_TEST(a_journal_in_memory_takes_changes_and_writes_none)
{
	struct journal *journal = fresh();
	struct err err;

	journal_close(journal);
	journal = journal_scratch(tempdir_path("journal"));
	ck_assert_int_eq(journal_plan(journal, &change, &err), 1);
	ck_assert(journal_is_pending(journal));
	journal_close(journal);
	journal = journal_scratch(tempdir_path("journal"));
	ck_assert_uint_eq(journal_count(journal), 0);
	done(journal);
}
END_TEST

START_TEST(a_full_file_system_takes_the_line_back)
{
	struct journal *journal;
	struct err err;

	journal = journal_open("/dev/full", &err);
	ck_assert_msg(journal != NULL, "%s", err.text);
	ck_assert_int_eq(journal_plan(journal, &change, &err), -1);
	ck_assert_str_eq(err.text, "journal '/dev/full': No space left on device");
	ck_assert_uint_eq(journal_count(journal), 0);
	journal_close(journal);
}
END_TEST

START_TEST(a_scratch_journal_keeps_to_memory)
{
	struct journal *journal = fresh();

	journal_plan(journal, &change, NULL);
	journal_close(journal);
	journal = journal_scratch(tempdir_path("journal"));
	ck_assert_int_eq(journal_mark(journal, 1, JOURNAL_RESTORED, NULL), 0);
	ck_assert(!journal_is_pending(journal));
	journal = reopen(journal);
	ck_assert(journal_is_pending(journal));
	done(journal);
}
END_TEST

START_TEST(there_is_a_limit_to_the_changes_of_a_job)
{
	struct journal *journal = fresh();
	struct err err;
	int i;

	for (i = 1; i <= 256; i++)
		ck_assert_int_eq(journal_plan(journal, &change, NULL), i);
	ck_assert_int_eq(journal_plan(journal, &change, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "more than 256 changes"));
	done(journal);
}
END_TEST

START_TEST(a_change_is_read_back_in_every_state)
{
	struct journal *journal = fresh();
	unsigned int state;

	for (state = JOURNAL_PLANNED; state <= JOURNAL_FAILED; state++) {
		journal_plan(journal, &change, NULL);
		journal_mark(journal, state + 1, (enum journal_state)state, NULL);
	}
	journal = reopen(journal);
	ck_assert_uint_eq(journal_count(journal), 6);
	for (state = JOURNAL_PLANNED; state <= JOURNAL_FAILED; state++) {
		const struct journal_change *found = journal_at(journal, state);

		ck_assert_uint_eq(found->seq, state + 1);
		ck_assert_uint_eq(found->state, state);
		ck_assert_int_eq(found->was_done, state == JOURNAL_DONE || state == JOURNAL_KEPT);
	}
	ck_assert_ptr_null(journal_at(journal, 6));
	done(journal);
}
END_TEST

START_TEST(a_change_that_was_done_stays_known_as_such)
{
	struct journal *journal = fresh();

	journal_plan(journal, &change, NULL);
	journal_mark(journal, 1, JOURNAL_DONE, NULL);
	journal_mark(journal, 1, JOURNAL_RESTORED, NULL);
	ck_assert(journal_at(journal, 0)->was_done);
	journal = reopen(journal);
	ck_assert(journal_at(journal, 0)->was_done);
	ck_assert(!journal_is_pending(journal));
	done(journal);
}
END_TEST

START_TEST(only_changes_that_may_be_there_are_pending)
{
	struct journal *journal = fresh();
	unsigned int state;

	ck_assert(!journal_is_pending(journal));
	journal_plan(journal, &change, NULL);
	for (state = JOURNAL_PLANNED; state <= JOURNAL_FAILED; state++) {
		journal_mark(journal, 1, (enum journal_state)state, NULL);
		ck_assert_int_eq(journal_is_pending(journal),
				 state == JOURNAL_PLANNED || state == JOURNAL_DONE);
	}
	done(journal);
}
END_TEST

START_TEST(a_change_that_nobody_planned_cannot_be_marked)
{
	struct journal *journal = fresh();
	struct err err;
	char wanted[600];

	journal_plan(journal, &change, NULL);
	ck_assert_int_eq(journal_mark(journal, 2, JOURNAL_DONE, &err), -1);
	snprintf(wanted, sizeof(wanted), "journal '%s': no change 2", tempdir_path("journal"));
	ck_assert_str_eq(err.text, wanted);
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_PLANNED);
	done(journal);
}
END_TEST

START_TEST(a_mark_that_cannot_be_written_counts_in_memory)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	struct journal *journal = fresh();
	char wanted[600];
	struct err err;
	int rc;

	journal_plan(journal, &change, NULL);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit); /* for Check's own file, too */
	rc = journal_mark(journal, 1, JOURNAL_LOST, &err);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(rc, -1);
	snprintf(wanted, sizeof(wanted), "journal '%s': File too large", tempdir_path("journal"));
	ck_assert_str_eq(err.text, wanted);
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_LOST);
	journal = reopen(journal);
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_PLANNED);
	done(journal);
}
END_TEST

START_TEST(half_a_line_is_taken_back)
{
	struct rlimit limit = { 0, RLIM_INFINITY };
	struct journal *journal = fresh();
	char wanted[600];
	struct stat st;
	struct err err;
	off_t whole;
	int rc;

	journal_plan(journal, &change, NULL);
	stat(tempdir_path("journal"), &st);
	whole = st.st_size;
	limit.rlim_cur = (rlim_t)whole + 10; /* room for a part of it */
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit); /* for Check's own file, too */
	rc = journal_plan(journal, &change, &err);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(rc, -1);
	snprintf(wanted, sizeof(wanted), "journal '%s': No space left on device",
		 tempdir_path("journal"));
	ck_assert_str_eq(err.text, wanted);
	stat(tempdir_path("journal"), &st);
	ck_assert_int_eq(st.st_size, whole);
	ck_assert_uint_eq(journal_count(journal), 1);
	/* and the next line stands where it stood */
	ck_assert_int_eq(journal_plan(journal, &change, NULL), 2);
	stat(tempdir_path("journal"), &st);
	ck_assert_int_eq(st.st_size, 2 * whole);
	done(journal);
}
END_TEST

START_TEST(a_journal_that_is_a_link_is_not_opened)
{
	struct journal *journal;
	char wanted[600];
	struct err err;

	tempdir_make();
	tempdir_put("elsewhere", "");
	ck_assert_int_eq(symlink("elsewhere", tempdir_path("journal")), 0);
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_ptr_null(journal);
	snprintf(wanted, sizeof(wanted), "journal '%s': Too many levels of symbolic links",
		 tempdir_path("journal"));
	ck_assert_str_eq(err.text, wanted);
	tempdir_remove();
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_damage)
{
	struct journal *journal;

	tempdir_make();
	tempdir_put("file", "");
	journal = journal_scratch(tempdir_path("file/journal"));
	ck_assert_ptr_nonnull(journal);
	ck_assert(journal_is_damaged(journal));
	ck_assert_uint_eq(journal_count(journal), 0);
	done(journal);
}
END_TEST

START_TEST(a_line_with_a_nul_inside_is_damage)
{
	static const char line[] =
		"{\"seq\":1,\"client\":\"w\",\"what\":\"x\",\"target\":\"y\",\"old\":\"1\",\"new\":\"z\",\"state\":\"planned\"}\0x\n";
	struct journal *journal;
	FILE *out;

	tempdir_make();
	out = fopen(tempdir_path("journal"), "w");
	fwrite(line, 1, sizeof(line) - 1, out);
	fclose(out);
	journal = reopen(NULL);
	ck_assert(journal_is_damaged(journal));
	ck_assert_uint_eq(journal_count(journal), 0);
	done(journal);
}
END_TEST

START_TEST(empty_lines_are_no_damage)
{
	struct journal *journal;

	tempdir_make();
	tempdir_put("journal", "\n\n");
	journal = reopen(NULL);
	ck_assert(!journal_is_damaged(journal));
	ck_assert_int_eq(journal_plan(journal, &change, NULL), 1);
	journal = reopen(journal);
	ck_assert_uint_eq(journal_count(journal), 1);
	done(journal);
}
END_TEST

START_TEST(a_change_is_numbered_behind_the_highest)
{
	struct journal *journal;

	tempdir_make();
	tempdir_put(
		"journal",
		"{\"seq\":9,\"client\":\"w\",\"what\":\"x\",\"target\":\"y\",\"old\":\"1\",\"new\":\"z\",\"state\":\"planned\"}\n"
		"{\"seq\":4,\"client\":\"w\",\"what\":\"x\",\"target\":\"y\",\"old\":\"1\",\"new\":\"z\",\"state\":\"done\"}\n");
	journal = reopen(NULL);
	ck_assert_uint_eq(journal_count(journal), 2);
	ck_assert_int_eq(journal_plan(journal, &change, NULL), 10);
	ck_assert_uint_eq(journal_at(journal, 2)->seq, 10);
	done(journal);
}
END_TEST

UNIT_MAIN("journal", a_planned_change_is_there_after_a_crash, the_last_line_of_a_change_counts,
	  a_line_without_its_end_is_cut_off_before_the_next_change,
	  a_new_line_takes_the_place_of_a_torn_one, a_missing_journal_is_an_empty_one,
	  a_torn_last_line_is_no_damage_and_does_not_swallow_the_next,
	  lines_that_say_nothing_are_damage, damage_in_the_middle_spares_the_other_changes,
	  only_root_reads_a_journal, a_journal_in_memory_takes_changes_and_writes_none,
	  a_full_file_system_takes_the_line_back, a_scratch_journal_keeps_to_memory,
	  there_is_a_limit_to_the_changes_of_a_job, a_change_is_read_back_in_every_state,
	  a_change_that_was_done_stays_known_as_such, only_changes_that_may_be_there_are_pending,
	  a_change_that_nobody_planned_cannot_be_marked,
	  a_mark_that_cannot_be_written_counts_in_memory, half_a_line_is_taken_back,
	  a_journal_that_is_a_link_is_not_opened, a_file_that_cannot_be_read_is_damage,
	  a_line_with_a_nul_inside_is_damage, empty_lines_are_no_damage,
	  a_change_is_numbered_behind_the_highest)
