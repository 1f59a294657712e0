/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/weka/wire.h"
#include "lib/child.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/unix_server.h"

#define ROW(process, stat, value)                                                                  \
	"{\"nodeId\":\"" process "\",\"category\":\"fs_stats\",\"stat\":\"" stat                   \
	"\",\"value\":\"" value "\",\"params\":{\"fS\":\"1\"}}"
#define FOUR(process, a, b, c, d)                                                                  \
	ROW(process, "READ_BYTES", a)                                                              \
	"," ROW(process, "WRITE_BYTES", b) "," ROW(process, "READS", c) "," ROW(process, "WRITES", \
										d)
#define RESULT(rows) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[" rows "]}"
#define OK "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"

static int add(struct wire *wire, const char *text, struct err *err)
{
	return weka_wire_add(wire, "/s", text, strlen(text), err);
}

static struct wire *wire_of(const char *text)
{
	struct wire *wire = wire_new();
	struct err err = { "" };

	ck_assert_msg(add(wire, text, &err) == 0, "%s", err.text);
	return wire;
}

static void expect_refused(const char *text, const char *why)
{
	struct wire *wire = wire_new();
	struct err err = { "" };

	ck_assert_msg(add(wire, text, &err) < 0, "was taken: %s", text);
	ck_assert_msg(strstr(err.text, why) != NULL, "'%s' is not in '%s'", why, err.text);
	wire_free(wire);
}

static int since(const char *before, const char *after, int64_t moved[WIRE_KINDS])
{
	struct wire *was = wire_of(before), *is = wire_of(after);
	struct wire *read;
	char *text = wire_text(was);
	struct err err = { "" };
	int rc;

	/* as prolog and epilog do: by way of a file */
	read = wire_parse(text, &err);
	ck_assert_msg(read != NULL, "%s", err.text);
	rc = wire_since(read, is, "", moved);
	free(text);
	wire_free(read);
	wire_free(was);
	wire_free(is);
	return rc;
}

static void expect_moved(const int64_t moved[WIRE_KINDS], int64_t read_bytes, int64_t write_bytes,
			 int64_t reads, int64_t writes)
{
	ck_assert_int_eq(moved[WIRE_READ_BYTES], read_bytes);
	ck_assert_int_eq(moved[WIRE_WRITE_BYTES], write_bytes);
	ck_assert_int_eq(moved[WIRE_READS], reads);
	ck_assert_int_eq(moved[WIRE_WRITES], writes);
}

START_TEST(the_difference_is_summed_over_processes)
{
	int64_t moved[WIRE_KINDS];

	ck_assert_int_eq(since(OK RESULT(FOUR("NodeId<1>", "10", "20", "1",
					      "2") "," FOUR("NodeId<2>", "100", "200", "10", "20")),
			       OK RESULT(FOUR("NodeId<2>", "105", "207", "11", "23") "," FOUR(
				       "NodeId<1>", "4000000010", "20", "1000", "2")),
			       moved),
			 1);
	expect_moved(moved, 4000000005, 7, 1000, 3);
}
END_TEST

START_TEST(a_new_process_counts_whole)
{
	int64_t moved[WIRE_KINDS];

	ck_assert_int_eq(
		since(OK RESULT(FOUR("A", "1", "1", "1", "1")),
		      OK RESULT(FOUR("A", "2", "1", "1", "1") "," FOUR("B", "7", "8", "9", "10")),
		      moved),
		1);
	expect_moved(moved, 8, 8, 9, 10);
}
END_TEST

START_TEST(the_restart_of_one_process_is_not_hidden_by_another)
{
	int64_t moved[WIRE_KINDS] = { 5, 5, 5, 5 };

	ck_assert_int_eq(
		since(OK RESULT(FOUR("A", "9", "9", "9", "9") "," FOUR("B", "9", "9", "9", "9")),
		      OK RESULT(FOUR("A", "900", "900", "900", "900") "," FOUR("B", "9", "9", "8",
									       "9")),
		      moved),
		0);
	ck_assert_int_eq(
		since(OK RESULT(FOUR("A", "9", "9", "9", "9") "," FOUR("B", "9", "9", "9", "9")),
		      OK RESULT(FOUR("A", "900", "900", "900", "900")), moved),
		0);
	expect_moved(moved, 5, 5, 5, 5);
}
END_TEST

START_TEST(a_counter_that_is_missing_is_unknown)
{
	int64_t moved[WIRE_KINDS];
	const char *some = OK RESULT(ROW("A", "READS", "1"));

	ck_assert_int_eq(since(some, OK RESULT(FOUR("A", "1", "2", "3", "4")), moved), 1);
	expect_moved(moved, -1, -1, 2, -1);
	ck_assert_int_eq(since(some, OK RESULT(ROW("A", "READS", "1")), moved), 1);
	expect_moved(moved, -1, -1, 0, -1);
}
END_TEST

START_TEST(an_answer_is_whole_when_its_length_says_so)
{
	static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length:  2\r\n\r\n{}";
	static const char chunks[] =
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n";
	size_t size;

	for (size = 0; size < sizeof(text) - 1; size++)
		ck_assert_int_eq(weka_wire_is_whole(text, size), 0);
	ck_assert_int_eq(weka_wire_is_whole(text, size), 1);
	for (size = 0; size < sizeof(chunks) - 3; size++)
		ck_assert_int_eq(weka_wire_is_whole(chunks, size), 0);
	ck_assert_int_eq(weka_wire_is_whole(chunks, size), 1);
	ck_assert_int_eq(weka_wire_is_whole(OK "{}", strlen(OK "{}")), 0);
	ck_assert_int_eq(weka_wire_is_whole("x\r\nTransfer-Encoding: x\r\n\r\n", 28), -1);
	ck_assert_int_eq(weka_wire_is_whole("x\r\nContent-Length: -5\r\n\r\n", 26), -1);
}
END_TEST

START_TEST(a_damaged_file_is_refused)
{
	static const char *const texts[] = {
		"",
		"[]",
		"{\"a\":1}",
		"{\"a\":[]}",
		"{\"a\":[1,2,3]}",
		"{\"a\":[1,2,3,\"4\"]}",
		"{",
		"{\"a\":[1,2,3,-2]}",
		"{\"a\":[1,2,3,4.5]}",
		"{\"at\":\"1\"}",
		"{\"a\":[-1,\"\",1,2,3,4,5,6,7,8,9,10,11]}",
		"{\"a\":[-1,\"\",1,2,3,4,5,6,7,8,9,10,11,12,13,14,-2]}",
		"{\"a\":[-1,7,1,2,3,4,5,6,7,8,9,10,11,12]}",
	};
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		err.text[0] = '\0';
		ck_assert_msg(!wire_parse(texts[i], &err), "%s", texts[i]);
		ck_assert_msg(strstr(err.text, "counters of the client: "), "%s", err.text);
	}
}
END_TEST

START_TEST(more_processes_than_there_is_room_for_are_refused)
{
	size_t room = 200 * (WIRE_ROWS_MAX + 2), used;
	char *text = malloc(room);
	int i;

	used = (size_t)snprintf(text, room, "%s{\"result\":[", OK);
	for (i = 0; i <= WIRE_ROWS_MAX; i++)
		used += (size_t)snprintf(
			text + used, room - used,
			"%s{\"nodeId\":\"N%d\",\"category\":\"fs_stats\",\"stat\":\"READS\",\"value\":\"1\",\"params\":{\"fS\":\"1\"}}",
			i ? "," : "", i);
	snprintf(text + used, room - used, "]}");
	expect_refused(text, "more than 4096 counters");
	free(text);
}
END_TEST

/* ---- the sockets of the containers -------------------------------------------- */

static unsigned int timeout_ms = 60000; /* of jobio.conf */

static struct wire *read_sockets(const char *pattern, const char *container, struct err *err)
{
	static char path[600], name[100], mount_table[600];
	struct config_client section = { .stats_socket = path,
					 .container = name,
					 .mount_table = mount_table,
					 .timeout_ms = timeout_ms };
	struct client client = { .section = &section };

	snprintf(mount_table, sizeof(mount_table), "%s",
		 tempdir_put("mounts", "be0/a /a wekafs container_name=a 0 0\n"
				       "be0/a /b wekafs container_name=b 0 0\n"));
	snprintf(path, sizeof(path), "%s", tempdir_path(pattern));
	snprintf(name, sizeof(name), "%s", container);
	err->text[0] = '\0';
	errno = 0;
	return weka_wire_read(&client, err);
}

/* So many rows, in no order. */
static void expect_rows(const char *pattern, const char *container, size_t count)
{
	struct err err;
	struct wire *wire = read_sockets(pattern, container, &err);

	ck_assert_msg(wire != NULL, "%s", err.text);
	ck_assert_uint_eq(wire->count, count);
	wire_free(wire);
}

/* None; where 'name' is not NULL the reason begins with that path. */
static void expect_none(const char *pattern, const char *container, int error, const char *name,
			const char *why)
{
	char text[700];
	struct err err;

	ck_assert_ptr_null(read_sockets(pattern, container, &err));
	ck_assert_int_eq(errno, error);
	if (!name) {
		ck_assert_ptr_nonnull(strstr(err.text, why));
		return;
	}
	snprintf(text, sizeof(text), "'%s': %s", tempdir_path(name), why);
	ck_assert_str_eq(err.text, text);
}

START_TEST(each_container_is_asked_by_http_for_its_own_counters)
{
	static const char asked[] =
		"POST /api/v1 HTTP/1.1\r\nHost: localhost\r\n"
		"Content-Type: application/json\r\nContent-Length: 65\r\n"
		"Connection: close\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fetch_local_stats\",\"params\":{}}";

	ck_assert_uint_eq(strlen(strchr(asked, '{')), 65);
	tempdir_make();
	unix_serve("a/socket", OK RESULT(FOUR("A", "1", "2", "3", "4")));
	unix_serve("b/socket",
		   OK RESULT(FOUR("A", "1", "2", "3", "4") "," FOUR("B", "1", "2", "3", "4")));
	expect_rows("*/socket", "", 3);
	tempdir_expect("a/socket.asked", asked);
	tempdir_expect("b/socket.asked", asked);
	/* the one of jobio.conf alone */
	expect_rows("*/socket", "a", 1);
	expect_rows("*/socket", "b", 2);
	expect_rows("b/socket", "a", 2);
	unix_serve("b/b.a", OK RESULT(FOUR("A", "1", "2", "3", "4")));
	expect_rows("*/*.a", "b", 1);
	unix_stop();
	tempdir_remove();
}
END_TEST

START_TEST(where_no_container_listens_nobody_is_there)
{
	tempdir_make();
	expect_none("*/socket", "", ENOENT, "*/socket", "nobody is there");
	expect_none("*/socket", "a", ENOENT, "*/socket", "nobody is there");
	unix_serve("a/socket", OK RESULT(FOUR("A", "1", "2", "3", "4")));
	expect_none("*/socket", "b", ENOENT, "*/socket", "nobody is there");
	unix_stop(); /* the socket stays */
	expect_none("*/socket", "", ENOENT, "*/socket", "nobody is there");
	/* beside it is one that does */
	unix_serve("b/socket", OK RESULT(FOUR("A", "1", "2", "3", "4")));
	expect_rows("*/socket", "", 1);
	unix_stop();
	tempdir_remove();
}
END_TEST

START_TEST(one_container_that_does_not_tell_makes_the_others_useless)
{
	tempdir_make();
	unix_serve("a/socket", OK RESULT(FOUR("A", "1", "2", "3", "4")));
	unix_serve("b/socket", OK "[]");
	unix_serve("c/socket", OK RESULT(FOUR("A", "1", "2", "3", "4")));
	expect_none("*/socket", "", EIO, "b/socket", "the answer has no result");
	unix_stop();
	tempdir_remove();
}
END_TEST

START_TEST(a_container_that_hangs_is_waited_for_as_long_as_the_site_says)
{
	unsigned long long began_ms = child_now_ms();

	tempdir_make();
	unix_serve("a/socket", NULL);
	timeout_ms = 100;
	expect_none("*/socket", "", EIO, "a/socket", "no answer in time");
	ck_assert_uint_ge(child_now_ms() - began_ms, 90);
	unix_stop();
	tempdir_remove();
}
END_TEST

UNIT_MAIN("weka_wire", the_difference_is_summed_over_processes, a_new_process_counts_whole,
	  the_restart_of_one_process_is_not_hidden_by_another, a_counter_that_is_missing_is_unknown,
	  an_answer_is_whole_when_its_length_says_so, a_damaged_file_is_refused,
	  more_processes_than_there_is_room_for_are_refused,
	  each_container_is_asked_by_http_for_its_own_counters,
	  where_no_container_listens_nobody_is_there,
	  one_container_that_does_not_tell_makes_the_others_useless,
	  a_container_that_hangs_is_waited_for_as_long_as_the_site_says)
