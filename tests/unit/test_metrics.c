/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the ledger says of itself. Over HTTP and with a writer:
 * tests/scripts/metrics.bats. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "ledger/metrics.h"
#include "tests/unit/ledger_fixture.h"
#include "tests/unit/runner.h"

static char *text_of(const struct metrics *metrics, struct store *store, const char *path)
{
	struct err err = { "" };
	char *text = metrics_text(metrics, store, path, NOW, &err);

	ck_assert_msg(text != NULL, "%s", err.text);
	return text;
}

static void expect(const char *text, const char *line)
{
	char whole[200];

	snprintf(whole, sizeof(whole), "\njobio_ledger_%s\n", line);
	ck_assert_msg(strstr(text, whole) != NULL, "no '%s' in:\n%s", line, text);
}

START_TEST(server_and_writer_count_in_the_same_memory)
{
	struct metrics *server, *writer;
	struct err err = { "" };
	int fd;

	server = metrics_new(&fd, &err);
	ck_assert_msg(server && fd >= 0, "%s", err.text);
	ck_assert_uint_eq(server->no_row, 0);
	writer = metrics_attach(fd, &err);
	ck_assert_ptr_nonnull(writer);
	writer->no_row = 5;
	ck_assert_uint_eq(server->no_row, 5);
	metrics_free(writer);
	metrics_free(server);
	metrics_free(NULL);
	close(fd);
}
END_TEST

START_TEST(a_writer_without_the_servers_memory_counts_for_itself)
{
	struct metrics *writer;
	struct err err = { "" };
	int fd;

	writer = metrics_attach(-1, &err);
	ck_assert_ptr_nonnull(writer);
	ck_assert_uint_eq(writer->no_row, 0);
	metrics_free(writer);
	/* of another version it has another size */
	tempdir_make();
	fd = open(tempdir_put("old", "x"), O_RDWR);
	ck_assert_int_eq(ftruncate(fd, sizeof(struct metrics) - 8), 0);
	writer = metrics_attach(fd, &err);
	ck_assert_ptr_nonnull(writer);
	ck_assert_uint_eq(writer->received, 0);
	writer->received = 7;
	metrics_free(writer);
	writer = metrics_attach(fd, &err);
	ck_assert_uint_eq(writer->received, 0);
	metrics_free(writer);
	close(fd);
	tempdir_remove();
}
END_TEST

START_TEST(sizes_of_the_store_are_those_of_its_files)
{
	struct metrics metrics = { .started_s = 5 };
	struct store *store = opened();
	char *text;

	tempdir_put("big", "12345");
	text = text_of(&metrics, store, tempdir_path("big"));
	expect(text, "store_bytes 5");
	ck_assert_ptr_null(strstr(text, "store_free_bytes -1\n"));
	expect(text, "start_timestamp_seconds 5");
	free(text);
	tempdir_put("big-wal", "123");
	text = text_of(&metrics, store, tempdir_path("big"));
	expect(text, "store_bytes 8");
	free(text);
	/* of a database elsewhere nobody knows */
	text = text_of(&metrics, store, "mariadb");
	expect(text, "store_bytes -1");
	expect(text, "store_free_bytes -1");
	free(text);
	closed(store);
}
END_TEST

static int wait_long(struct store *store, int64_t now_s, struct store_backlog *backlog,
		     struct err *err)
{
	(void)store, (void)now_s, (void)err;
	*backlog = (struct store_backlog){ 1, 2, 3, NOW - 7.5 };
	return 0;
}

static int wait_in_future(struct store *store, int64_t now_s, struct store_backlog *backlog,
			  struct err *err)
{
	(void)store, (void)now_s, (void)err;
	*backlog = (struct store_backlog){ 0, 0, 1, NOW + 100 };
	return 0;
}

static int is_away(struct store *store, int64_t now_s, struct store_backlog *backlog,
		   struct err *err)
{
	(void)store, (void)now_s, (void)backlog;
	return err_set(err, "store: the disk is gone");
}

START_TEST(what_waits_is_told_with_its_age)
{
	struct metrics metrics = { .received = 1 };
	struct store *store = opened();
	const struct store_ops *sound = store->ops;
	struct store_ops ops = *sound;
	struct err err = { "" };
	char *text = text_of(&metrics, store, "/");

	expect(text, "waiting_oldest_seconds 0");
	expect(text, "runs_waiting{for=\"nodes\"} 0");
	free(text);
	store->ops = &ops;
	ops.backlog = wait_long;
	text = text_of(&metrics, store, "/");
	expect(text, "waiting_oldest_seconds 7");
	expect(text, "runs_waiting{for=\"nodes\"} 1");
	expect(text, "runs_waiting{for=\"writer\"} 2");
	expect(text, "runs_waiting{for=\"retry\"} 3");
	free(text);
	ops.backlog = wait_in_future;
	text = text_of(&metrics, store, "/");
	expect(text, "waiting_oldest_seconds 0");
	free(text);
	ops.backlog = is_away;
	ck_assert_ptr_null(metrics_text(&metrics, store, "/", NOW, &err));
	ck_assert_str_eq(err.text, "store: the disk is gone");
	store->ops = sound;
	closed(store);
}
END_TEST

START_TEST(each_counter_has_its_own_line)
{
	struct metrics metrics = { .received = 1,
				   .duplicates = 2,
				   .gate_warned = 4,
				   .gate_refused = 5,
				   .peers = 6,
				   .store_failures = 7,
				   .writer_starts = 8,
				   .written = 9,
				   .no_row = 11,
				   .refused_by_slurmdbd = 12,
				   .slurmdbd_failures = 13,
				   .slurmdbd_failing = 14,
				   .written_s = 15 };
	struct store *store = opened();
	char *text;

	metrics.refused[METRICS_REFUSED_USER] = 16;
	metrics.closed[METRICS_CLOSED_ROOM] = 17;
	text = text_of(&metrics, store, "/");
	expect(text, "records_received_total 1");
	expect(text, "records_duplicate_total 2");
	expect(text, "gate_tasks_total{did=\"warn\"} 4");
	expect(text, "gate_tasks_total{did=\"refuse\"} 5");
	expect(text, "peers 6");
	expect(text, "store_failures_total 7");
	expect(text, "writer_starts_total 8");
	expect(text, "summaries_written_total 9");
	expect(text, "summaries_no_row_total 11");
	expect(text, "summaries_failed_total 12");
	expect(text, "slurmdbd_failures_total 13");
	expect(text, "slurmdbd_failing 14");
	expect(text, "slurmdbd_last_write_timestamp_seconds 15");
	expect(text, "refused_total{cause=\"user\"} 16");
	expect(text, "refused_total{cause=\"frame\"} 0");
	expect(text, "peers_closed_total{cause=\"room\"} 17");
	free(text);
	closed(store);
}
END_TEST

UNIT_MAIN("metrics", server_and_writer_count_in_the_same_memory,
	  a_writer_without_the_servers_memory_counts_for_itself,
	  sizes_of_the_store_are_those_of_its_files, what_waits_is_told_with_its_age,
	  each_counter_has_its_own_line)
