/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A store that lost its tables, or is in use by a later version: each question to
 * it is an error that says why, never an empty answer. */
#include <sys/stat.h>

#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"

/* The call failed, and said which table is missing. */
#define EXPECT_LOST(call, table)                                                                   \
	do {                                                                                       \
		struct err err = { "" };                                                           \
                                                                                                   \
		ck_assert_int_eq((call), -1);                                                      \
		ck_assert_str_eq(err.text, "store: no such table: " table);                        \
	} while (0)

static int nothing(const char *text, size_t size, void *arg, struct err *err)
{
	(void)text, (void)size, (void)arg, (void)err;
	ck_abort_msg("there is nothing to tell");
	return 0;
}

static int no_use(const struct store_place *place, const char *text, void *arg, struct err *err)
{
	(void)place, (void)text, (void)arg, (void)err;
	ck_abort_msg("there is nothing to tell");
	return 0;
}

/* What put() says, and why. */
static int try_put(struct store *store, struct record *r, struct err *err)
{
	char *text = record_text(r, NULL);
	int64_t due = -7;
	int rc;

	ck_assert_int_eq(store_begin(store, err), 0);
	rc = store_put(store, r, text, strlen(text), NOW, GRACE_S, &due, err);
	store_rollback(store);
	free(text);
	record_free(r);
	return rc;
}

START_TEST(without_its_runs_a_store_answers_nothing)
{
	struct store *store = opened();
	struct store_backlog backlog;
	struct store_run run = { 0 };
	int64_t ids[4], next;

	put(store, made("n1"));
	run = newest(store);
	in_store("DROP TABLE runs");
	EXPECT_LOST(try_put(store, made("n2"), &err), "runs");
	EXPECT_LOST(store_due(store, NOW, ids, 4, &next, &err), "runs");
	EXPECT_LOST(find_runs(store, STORE_JOB, 7, -1, ids, 4, &err), "runs");
	EXPECT_LOST(find_runs(store, STORE_ARRAY_TASK, 7, -1, ids, 4, &err), "runs");
	EXPECT_LOST(find_runs(store, STORE_HET_COMPONENT, 7, 1, ids, 4, &err), "runs");
	EXPECT_LOST(store_done(store, &run, "s", NOW, 0, &err), "runs");
	EXPECT_LOST(store_later(store, 1, "s", NOW, "why", &err), "runs");
	EXPECT_LOST(store_backlog(store, NOW, &backlog, &err), "runs");
	store_run_free(&run);
	EXPECT_LOST(store_run_load(store, 1, &run, &err), "runs");
	ck_assert_ptr_null(run.cluster);
	closed(store);
}
END_TEST

START_TEST(without_its_records_a_store_keeps_none_and_tells_none)
{
	struct store *store = opened();
	struct record *later = made("n2");

	put(store, made("n1"));
	in_store("DROP TABLE records");
	EXPECT_LOST(store_records(store, 1, nothing, NULL, &err), "records");
	EXPECT_LOST(store_records_after(store, 1, "n0", nothing, NULL, &err), "records");
	/* of a run that is there, of one that is new, of one that is near */
	EXPECT_LOST(try_put(store, made("n2"), &err), "records");
	later->start = 2005;
	later->end = 2100;
	EXPECT_LOST(try_put(store, later, &err), "records");
	later = made("n1");
	later->job = 8;
	EXPECT_LOST(try_put(store, later, &err), "records");
	ck_assert_int_eq(run_count(store), 1);
	closed(store);
}
END_TEST

START_TEST(a_file_in_which_no_tables_can_be_made_is_not_opened)
{
	struct config_ledger config;
	struct err err = { "" };

	store_close(opened());
	config = where(1);
	remove(tempdir_path("s"));
	in_store("CREATE VIEW runs AS SELECT 1 AS id");
	ck_assert_ptr_null(store_open(&config, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "': store: views may not be indexed"));
	tempdir_remove();
}
END_TEST

START_TEST(without_its_uses_a_store_neither_takes_nor_gives_any)
{
	static const struct store_place first = { 0, 0 };
	struct store *store = opened();

	in_store("DROP TABLE uses");
	EXPECT_LOST(store_use_put(store, 1, 2000, "a", &err), "uses");
	EXPECT_LOST(store_uses(store, &first, NOW, 9, no_use, NULL, &err), "uses");
	closed(store);
}
END_TEST

START_TEST(a_purge_that_fails_takes_nothing_away_and_leaves_no_transaction)
{
	struct store *store = opened();
	struct err err = { "" };

	put(store, made("n1"));
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_purge(store, 9000, NOW, 9, &err), -1);
	ck_assert_str_eq(err.text, "store: cannot start a transaction within a transaction");
	store_rollback(store);
	in_store(
		"CREATE TRIGGER t BEFORE DELETE ON runs BEGIN SELECT RAISE(ABORT,'not this one'); END");
	ck_assert_int_eq(store_purge(store, 9000, NOW, 9, &err), -1);
	ck_assert_str_eq(err.text, "store: not this one");
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_commit(store, &err), 0);
	expect_rows(1, 1);
	closed(store);
}
END_TEST

START_TEST(a_run_that_cannot_be_changed_takes_no_record)
{
	struct store *store = opened();
	struct record *other = made("n1");
	struct err err = { "" };

	put(store, made("n1"));
	in_store(
		"CREATE TRIGGER t BEFORE UPDATE ON runs BEGIN SELECT RAISE(ABORT,'not this one'); END");
	ck_assert_int_eq(try_put(store, made("n2"), &err), -1);
	ck_assert_str_eq(err.text, "store: not this one");
	in_store(
		"DROP TRIGGER t;CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT,'no record'); END");
	ck_assert_int_eq(try_put(store, made("n2"), &err), -1);
	ck_assert_str_eq(err.text, "store: no record");
	in_store(
		"DROP TRIGGER t;CREATE TRIGGER t BEFORE INSERT ON runs BEGIN SELECT RAISE(ABORT,'no run'); END");
	other->job = 8;
	ck_assert_int_eq(try_put(store, other, &err), -1);
	ck_assert_str_eq(err.text, "store: no run");
	closed(store);
}
END_TEST

START_TEST(outside_of_a_transaction_nothing_can_be_committed)
{
	struct store *store = opened();
	struct err err = { "" };

	ck_assert_int_eq(store_commit(store, &err), -1);
	ck_assert_str_eq(err.text, "store: cannot commit - no transaction is active");
	store_rollback(store);
	ck_assert_int_eq(store_begin(store, &err), 0);
	ck_assert_int_eq(store_begin(store, &err), -1);
	store_rollback(store);
	ck_assert_int_eq(store_begin(store, &err), 0);
	closed(store);
}
END_TEST

START_TEST(a_run_that_is_gone_is_named)
{
	struct store *store = opened();
	struct store_run run = { .id = 77 };
	struct err err = { "" };

	ck_assert_int_eq(store_run_load(store, 5, &run, &err), -1);
	ck_assert_str_eq(err.text, "store: run 5 is gone");
	ck_assert_int_eq(run.id, 77);
	closed(store);
}
END_TEST

static int stop_at_second(const char *text, size_t size, void *arg, struct err *err)
{
	(void)text, (void)err;
	ck_assert_uint_gt(size, 10);
	return ++*(int *)arg == 2 ? 5 : 0;
}

static int stop_use(const struct store_place *place, const char *text, void *arg, struct err *err)
{
	(void)place, (void)text, (void)err;
	return ++*(int *)arg == 2 ? 5 : 0;
}

START_TEST(telling_ends_when_the_listener_has_heard_enough)
{
	static const struct store_place first = { 0, 0 };
	struct store *store = opened();
	struct err err = { "" };
	int told = 0;

	put(store, made("n1"));
	put(store, made("n2"));
	put(store, made("n3"));
	ck_assert_int_eq(store_records(store, 1, stop_at_second, &told, &err), 5);
	ck_assert_int_eq(told, 2);
	told = 1; /* and of those after n2: at the first */
	ck_assert_int_eq(store_records_after(store, 1, "n2", stop_at_second, &told, &err), 5);
	told = 1; /* nobody comes after n3 */
	ck_assert_int_eq(store_records_after(store, 1, "n3", stop_at_second, &told, &err), 0);
	ck_assert_int_eq(told, 1);
	in_store("INSERT INTO uses VALUES(1,1,'a'),(2,2,'b'),(3,3,'c')");
	told = 0;
	ck_assert_int_eq(store_uses(store, &first, NOW, 9, stop_use, &told, &err), 5);
	ck_assert_int_eq(told, 2);
	told = 2;
	ck_assert_int_eq(store_uses(store, &first, NOW, 2, stop_use, &told, &err), 0);
	ck_assert_int_eq(told, 4);
	closed(store);
}
END_TEST

START_TEST(a_store_of_a_later_version_is_not_touched)
{
	struct store *store = opened();
	struct config_ledger config = where(1);
	struct err err = { "" };
	char wanted[600];

	store_close(store);
	in_store("PRAGMA user_version=2");
	ck_assert_ptr_null(store_open(&config, &err));
	snprintf(wanted, sizeof(wanted), "'%s': store: made by a later version of jobio",
		 config.store);
	ck_assert_str_eq(err.text, wanted);
	tempdir_remove();
}
END_TEST

START_TEST(a_store_with_a_table_missing_is_not_opened)
{
	struct store *store = opened();
	struct config_ledger config = where(1);
	struct err err = { "" };
	char wanted[600];

	store_close(store);
	in_store("DROP TABLE uses");
	ck_assert_ptr_null(store_open(&config, &err));
	snprintf(wanted, sizeof(wanted), "'%s': store: no such table: uses", config.store);
	ck_assert_str_eq(err.text, wanted);
	tempdir_remove();
}
END_TEST

START_TEST(a_file_that_is_no_store_stays_what_it_is)
{
	struct config_ledger config;
	struct err err = { "" };
	char text[64] = "";
	FILE *in;

	tempdir_make();
	config = where(1);
	tempdir_put("s", "this is not a database, it is a text of a user\n");
	ck_assert_ptr_null(store_open(&config, &err));
	ck_assert_msg(strstr(err.text, "': store: file is not a database"), "%s", err.text);
	in = fopen(config.store, "r");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), in));
	fclose(in);
	ck_assert_str_eq(text, "this is not a database, it is a text of a user\n");
	tempdir_remove();
}
END_TEST

START_TEST(nobody_else_may_read_a_store_and_the_umask_stays)
{
	struct store *store;
	struct stat st;
	mode_t was = umask(022);

	store = opened();
	ck_assert_uint_eq(umask(was), 022);
	ck_assert_int_eq(stat(tempdir_path("s"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 077, 0);
	closed(store);
}
END_TEST

UNIT_MAIN("store_away", without_its_runs_a_store_answers_nothing,
	  without_its_records_a_store_keeps_none_and_tells_none,
	  a_file_in_which_no_tables_can_be_made_is_not_opened,
	  without_its_uses_a_store_neither_takes_nor_gives_any,
	  a_purge_that_fails_takes_nothing_away_and_leaves_no_transaction,
	  a_run_that_cannot_be_changed_takes_no_record,
	  outside_of_a_transaction_nothing_can_be_committed, a_run_that_is_gone_is_named,
	  telling_ends_when_the_listener_has_heard_enough,
	  a_store_of_a_later_version_is_not_touched, a_store_with_a_table_missing_is_not_opened,
	  a_file_that_is_no_store_stays_what_it_is,
	  nobody_else_may_read_a_store_and_the_umask_stays)
