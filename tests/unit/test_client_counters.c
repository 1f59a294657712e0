/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The difference of two readings of a client's counters; all types of client use it. Reading
 * the counters of each type, and the resulting record: tests/scripts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client_counters.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"

static const char *const kinds[CLIENT_IO_NUMBERS] = {
	[IO_READ_BYTES] = "read",
	[IO_WRITE_BYTES] = "write",
	[IO_READ_CALLS] = "reads",
	[IO_WRITE_CALLS] = "writes",
	[IO_MMAP_READ_BYTES] = "mmap_read",
	[IO_MMAP_WRITE_BYTES] = "mmap_write",
	[IO_READ_US] = "read_us",
	[IO_WRITE_US] = "write_us",
	[IO_META_CALLS] = "meta",
	[IO_META_US] = "meta_us",
	[IO_ASKED_READ_BYTES] = "asked_read",
	[IO_ASKED_WRITE_BYTES] = "asked_write",
	[IO_RESENT] = "resent",
	[IO_QUEUE_US] = "queue_us",
	[IO_BACKLOG] = "backlog",
	[IO_COPIES] = "copies",
	[IO_NAME_CALLS] = "names",
};

/* BEFORE | AFTER | the result for each filesystem
 *
 * A reading is "[at=1000] [wrap=N] [clears]; ID FILESYSTEM [born=S] [KIND=N]..; .."; "-":
 * filesystem unknown. */
static const struct {
	const char *says, *rows[20];
} table[] = {
	{ "rows of a filesystem are added up, in any order",
	  { "; x /a read=10; y /a read=20; z /b read=1 | ; y /a read=25; x /a read=100; z /b read=1000 | /a read=95; /b read=999",
	    "; x /a read=0 | ; x /a read=9223372036854775807; y /a read=0 | /a read=9223372036854775807",
	    "; x /a read=0 | ; x /a read=9223372036854775807; y /a read=1 | /a" } },
	{ "a counter below its old value, or that is gone, has restarted",
	  { "; x /a read=10 | ; x /a read=10 | /a read=0",
	    "; x /a read=10 | ; x /a read=9 | /a restarted",
	    "; x /a read=10 | ; y /a read=10 | /a restarted",
	    "; x /a read=10; y /a read=10 | ; x /a read=900; y /a read=9 | /a restarted",
	    "; x /a read=1; y /b read=1 | ; y /b read=1 | /b read=0; /a restarted gone" } },
	{ "what is cleared together has restarted together",
	  { "; x /a read=10; y /b read=0 | ; x /a read=3; y /b read=5 | /a restarted; /b read=5",
	    "; x /a read=10; y /b read=0 | clears; x /a read=3; y /b read=5 | /a restarted; /b restarted",
	    "; x /a read=1; y /b read=6 | clears; x /a read=3; y /b read=5 | /a restarted; /b restarted",
	    "; x /a read=10; y /b read=0 | clears; z /a read=3; y /b read=5 | /a restarted; /b read=5" } },
	{ "rows with a filesystem that is known in the second reading only are counted for it",
	  { "; x - read=10; y - read=20 | ; x /a read=11; y /b read=22 | /a read=1; /b read=2",
	    "; x - read=10; y - read=20 | ; x /a read=11 | /a read=1; - restarted" } },
	{ "a row that was born later has restarted, and a device number is given again",
	  { "; x /a born=500 read=10 | ; x /a born=502 read=20 | /a read=10",
	    "; x /a born=500 read=10 | ; x /a born=503 read=20 | /a restarted",
	    "; x /a read=10 | ; x /a born=503 read=20 | /a read=10",
	    "; x@5.5 /a born=500 read=10 | ; x@5.5 /a born=503 read=20 | /a read=10",
	    "; x /old born=500 read=10 | ; x /a born=1050 read=17 | /a read=17; /old restarted gone",
	    "; x /old born=500 read=10 | ; x /a born=1050 read=7 | /a read=7; /old restarted gone" } },
	{ "a new row counts unless it is older than the reading before",
	  { "; x /a read=10 | ; x /a read=10; n /a read=7 | /a read=7",
	    "; x /a read=10 | ; x /a read=10; n /a born=998 read=7 | /a read=7",
	    "; x /a read=10 | ; x /a read=10; n /a born=997 read=7 | /a restarted",
	    "; x /a read=10; n@ /a read=0 | ; x /a read=10; n@5.5 /a born=997 read=7 | /a partial read=0" } },
	{ "times and backlogs may go back",
	  { "; x /a read=10 backlog=30 read_us=9 queue_us=9 | ; x /a read=15 backlog=35 read_us=8 queue_us=8 | /a read=5 backlog=5",
	    "; x /a read=10 backlog=30 meta_us=9 | ; x /a read=15 backlog=29 write_us=1 | /a read=5",
	    "; x /a read=10 | ; x /a read=10; n /b read=7 backlog=8 | /a read=0; /b read=7" } },
	{ "what is unknown on either side is unknown",
	  { "; x /a write=0 | ; x /a read=20 write=1 | /a write=1",
	    "; x /a read=10 write=0 | ; x /a write=1 | /a write=1",
	    "; x /a meta=1 asked_read=1 asked_write=1 resent=1 copies=1 names=1 | ; x /a meta=2 asked_read=3 asked_write=4 resent=5 copies=6 names=7 | /a meta=1 asked_read=2 asked_write=3 resent=4 copies=5 names=6" } },
	{ "a counter of calls that began at 0 again is counted on where that is sure",
	  { "at=0 wrap=4294967296; x /a reads=4294967286 | at=9 wrap=4294967296; x /a reads=19999990 | /a reads=20000000",
	    "wrap=4294967296; x /a writes=4294967286 | at=1009 wrap=4294967296; x /a writes=19999990 | /a writes=20000000",
	    "wrap=4294967296; x /a reads=4294967286 | at=1009 wrap=4294967296; x /a reads=19999991 | /a restarted",
	    "wrap=4294967296; x /a reads=4294967286 | wrap=4294967296; x /a reads=1999990 | /a reads=2000000",
	    "wrap=4294967296; x /a reads=4294967286 | at=1009; x /a reads=10 | /a restarted",
	    "wrap=4294967296; x /a meta=4294967286 | at=1009 wrap=4294967296; x /a meta=10 | /a restarted",
	    "wrap=4294967296; x /a reads=4294967296 | at=1009 wrap=4294967296; x /a reads=5 | /a restarted" } },
	{ "in a long time, calls that may have begun at 0 again are unknown",
	  { "at=0 wrap=4294967296; x /a reads=2147483649 read=0 | at=100000 wrap=4294967296; x /a reads=5 read=9 | /a read=9",
	    "at=0 wrap=4294967296; x /a reads=2147483648 | at=100000 wrap=4294967296; x /a reads=5 | /a restarted",
	    "at=9 wrap=4294967296; x /a reads=2147483649 | at=8 wrap=4294967296; x /a reads=5 | /a",
	    "at=-1 wrap=4294967296; x /a reads=2147483649 | at=8 wrap=4294967296; x /a reads=5 | /a",
	    "at=0; x /a reads=2000001 | at=1 wrap=4000000; x /a reads=5 | /a",
	    "at=0; x /a reads=2000000 | at=1 wrap=4000000; x /a reads=5 | /a restarted" } },
	{ "calls of a long time are known where few bytes were moved",
	  { "at=0; x /a reads=5 read=0 | at=100000 wrap=4294967296; x /a reads=6 read=4294967295 | /a read=4294967295 reads=1",
	    "at=0; x /a reads=5 read=0 | at=100000 wrap=4294967296; x /a reads=6 read=4294967296 | /a read=4294967296",
	    "at=0; x /a reads=5 read=0 | at=100000 wrap=4294967296; x /a reads=4294967296 read=4294967296 | /a read=4294967296 reads=4294967291",
	    "at=0; x /a reads=5 read=0 | at=2147 wrap=4294967296; x /a reads=6 read=4294967296 | /a read=4294967296",
	    "at=0; x /a reads=5 read=0 | at=2146 wrap=4294967296; x /a reads=6 read=4294967296 | /a read=4294967296 reads=1",
	    "at=0; x /a reads=5 | at=100000 wrap=4294967296; x /a reads=6 | /a" } },
	{ "what was not read is no restart, and leaves a lower bound",
	  { "; x@1 /a read=10; y@1 /a read=10 | ; x@ /a; y@1 /a read=15 | /a partial read=5",
	    "; x@ /a; y@1 /a read=10 | ; x@1 /a read=1000; y@1 /a read=15 | /a partial read=5",
	    "; x@1 /a read=10; y@1 /a read=10 | ; x@ /a; y@1 /a read=5 | /a restarted partial" } },
};

static void put_word(struct client_counters *counters, struct source_counters *source,
		     const char *word)
{
	const char *value = strchr(word, '=');
	size_t size = value ? (size_t)(value - word) : strlen(word);
	int64_t number = value ? strtoll(value + 1, NULL, 10) : 0;
	int kind;

	if (!strcmp(word, "clears"))
		counters->clears_all = true;
	else if (!strncmp(word, "at=", 3))
		counters->at_s = number;
	else if (!strncmp(word, "wrap=", 5))
		counters->calls_wrap = number;
	else if (!strncmp(word, "born=", 5))
		source->start_s = number;
	else if (!value)
		snprintf(source->fs, sizeof(source->fs), "%s", strcmp(word, "-") ? word : "");
	else {
		for (kind = 0; kind < CLIENT_IO_NUMBERS; kind++)
			if (strlen(kinds[kind]) == size && !strncmp(kinds[kind], word, size))
				break;
		ck_assert_msg(kind < CLIENT_IO_NUMBERS, "%s", word);
		ck_assert_int_eq(source_counters_add(source, (enum io_number)kind, number), 0);
	}
}

static struct client_counters *reading(const char *text)
{
	char copy[700], *rest = copy, *item, *word;
	struct client_counters *counters = client_counters_new();
	struct source_counters *source = NULL;
	bool is_first = true;

	snprintf(copy, sizeof(copy), "%s", text);
	counters->at_s = 1000;
	while ((item = strsep(&rest, ";"))) {
		if (!is_first && (word = strtok(item, " "))) {
			source = client_counters_source(counters, word);
			item = NULL;
		}
		while ((word = strtok(item, " "))) {
			put_word(counters, source, word);
			item = NULL;
		}
		is_first = false;
	}
	return counters;
}

/* Through a file, as between prolog and epilog. */
static void told(struct client_counters *before, const struct client_counters *after,
		 struct client_io *client_io)
{
	char *text = client_counters_text(before);
	struct err err = { "" };
	struct client_counters *read = client_counters_parse(text, &err);

	ck_assert_msg(read != NULL, "%s", err.text);
	client_counters_series(read, after, client_io);
	client_counters_free(read);
	free(text);
}

static void print_lines(const struct client_io *client_io, char *text, size_t room)
{
	FILE *out = fmemopen(text, room, "w");
	size_t i;
	int kind;

	for (i = 0; i < client_io->series_count; i++) {
		const struct client_io_series *series = &client_io->series[i];

		fprintf(out, "%s%s%s%s%s", i ? "; " : "", *series->fs ? series->fs : "-",
			series->has_restarted ? " restarted" : "", series->is_gone ? " gone" : "",
			series->is_partial ? " partial" : "");
		for (kind = 0; kind < CLIENT_IO_NUMBERS && !series->has_restarted; kind++)
			if (series->numbers[kind] != IO_UNKNOWN)
				fprintf(out, " %s=%" PRId64, kinds[kind], series->numbers[kind]);
	}
	fclose(out);
}

START_TEST(counters_of_a_job_are_the_difference_of_two_readings)
{
	static struct client_io client_io;
	struct client_counters *before, *after;
	char part[8][700], text[700];
	size_t i, n;

	for (i = 0; i < ROWS(table); i++) {
		for (n = 0; table[i].rows[n]; n++) {
			split_row(table[i].rows[n], part);
			before = reading(part[0]);
			after = reading(part[1]);
			told(before, after, &client_io);
			print_lines(&client_io, text, sizeof(text));
			ck_assert_msg(!strcmp(text, part[2]), "%s: '%s' gave '%s'", table[i].says,
				      table[i].rows[n], text);
			client_counters_free(before);
			client_counters_free(after);
		}
	}
}
END_TEST

/* More filesystems than lines; each has read 1 byte. */
START_TEST(filesystems_beyond_the_last_line_are_added_up_in_it)
{
	static struct client_io client_io;
	struct client_io_series *last = &client_io.series[CLIENT_IO_SERIES_MAX - 1];
	struct client_counters *before = client_counters_new(), *after = client_counters_new();
	char id[16];
	int i;

	for (i = 0; i < CLIENT_IO_SERIES_MAX + 2; i++) {
		snprintf(id, sizeof(id), "/%d", i);
		put_word(before, client_counters_source(before, id), id);
		put_word(after, client_counters_source(after, id), id);
		source_counters_add(client_counters_source(before, id), IO_READ_BYTES, 10);
		source_counters_add(client_counters_source(after, id), IO_READ_BYTES, 11);
	}
	told(before, after, &client_io);
	ck_assert_uint_eq(client_io.series_count, CLIENT_IO_SERIES_MAX);
	ck_assert_str_eq(client_io.series[CLIENT_IO_SERIES_MAX - 2].fs, "/30");
	ck_assert_str_eq(last->fs, "");
	ck_assert_int_eq(last->numbers[IO_READ_BYTES], 3);
	ck_assert(!last->has_restarted && !last->is_gone && !last->is_partial);
	after->sources[32].numbers[IO_READ_BYTES] = 9;
	after->count--;
	told(before, after, &client_io);
	ck_assert(last->has_restarted && last->is_gone);
	client_counters_free(before);
	client_counters_free(after);
}
END_TEST

START_TEST(a_damaged_file_is_refused)
{
	static const char *const bad[] = {
		"",
		"[]",
		"{\"at_s\":1}",
		"{\"at_s\":1,\"x\":[3,\"/a\",1,2]}",
		"{\"at_s\":\"1\",\"rows\":[]}",
		"{\"rows\":[1]}",
		"{\"rows\":[{\"fs\":\"/a\"}]}",
		"{\"rows\":[{\"id\":\"x\",\"fs\":7}]}",
		"{\"rows\":[{\"id\":\"x\",\"born_s\":\"3\"}]}",
		"{\"rows\":[{\"id\":\"x\",\"born_s\":-2}]}",
		"{\"rows\":[{\"id\":\"x\",\"read_bytes\":4.5}]}",
	};
	struct err err;
	char text[2000];
	size_t i;

	for (i = 0; i < ROWS(bad); i++) {
		*err.text = '\0';
		ck_assert_msg(!client_counters_parse(bad[i], &err), "%s", bad[i]);
		ck_assert_msg(strstr(err.text, "counters of the client: "), "%s", err.text);
	}
	snprintf(text, sizeof(text), "{\"rows\":[{\"id\":\"%*s\"}]}", CLIENT_SOURCE_ID_MAX, "x");
	ck_assert_ptr_null(client_counters_parse(text, &err));
	snprintf(text, sizeof(text), "{\"rows\":[{\"id\":\"x\",\"fs\":\"%*s\"}]}", CLIENT_IO_FS_MAX,
		 "x");
	ck_assert_ptr_null(client_counters_parse(text, &err));
}
END_TEST

UNIT_MAIN("wire", counters_of_a_job_are_the_difference_of_two_readings,
	  filesystems_beyond_the_last_line_are_added_up_in_it, a_damaged_file_is_refused)
