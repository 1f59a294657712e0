/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record/record.h, and several records together: timelines, the merge of a run, its summary, its
 * share of the site totals. Texts of summaries: tests/cases/summary.cases. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/utf8.h"
#include "record/json.h"
#include "record/record.h"
#include "record/run_json.h"
#include "record/summary.h"
#include "record/timeline.h"
#include "tests/unit/runner.h"

static uint64_t seed;

static int64_t some(int64_t limit)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)(seed >> 33) % limit;
}

/* A number of any size, or unknown. */
static int64_t a_number(void)
{
	return some(4) ? some(INT64_C(1) << some(31)) << some(31) : RECORD_UNKNOWN;
}

/* A record with every key. */
static const char *const all =
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"restart\":0,\"node\":\"c1\",\"nodelist\":\"c[1-2]\",\"uid\":1000,\"gid\":1000,\"user\":\"alice\",\"boot_id\":\"b-1\",\"up\":3600.200,\"start\":1000.060,\"end\":1100.110,\"array\":{\"job\":5,\"task\":1},\"het\":{\"job\":6,\"offset\":2},\"request\":{\"io_cores\":1,\"profile\":\"stream\",\"applied\":true,\"cores_met\":false},\"refused\":\"no\",\"gate\":{\"warned\":1,\"refused\":2,\"text\":\"why\"},\"io_cores\":{\"count\":1,\"abstract\":\"1\",\"os_cpus\":\"1,3\"},\"machine\":{\"job_cpus\":\"0,2\",\"parts\":[{\"socket\":0,\"numa_node\":1,\"cpus\":\"0-3\"}]},\"client\":{\"name\":\"w\",\"type\":\"weka\",\"version\":\"4\",\"cpus\":\"1,3\",\"app_to_wire\":\"a\",\"card\":{\"names\":\"ib0\",\"numa_nodes\":\"0-1\",\"beside\":false},\"mounts\":[{\"mount\":\"/w\",\"fstype\":\"wekafs\",\"source\":\"default\"}]},\"more_clients\":[{\"name\":\"h\",\"type\":\"nfs\",\"version\":\"5\",\"cpus\":\"2\",\"mounts\":[{\"mount\":\"/h\",\"fstype\":\"nfs4\",\"source\":\"s:/h\"}]}],\"changes\":[{\"client\":\"w\",\"what\":\"mount-option\",\"target\":\"/w\",\"old\":\"a\",\"new\":\"b\",\"restored\":true,\"made\":true}],\"findings\":[{\"code\":\"W01\",\"severity\":\"error\",\"text\":\"a\",\"cure\":\"b\",\"target\":\"/w\",\"users\":true},{\"code\":\"W02\",\"severity\":\"info\",\"text\":\"c\",\"cure\":\"d\"}],\"app\":[{\"scope\":\"job\",\"shared\":2,\"source\":\"bpf\",\"client\":\"w\",\"fs\":\"/w\",\"read_bytes\":10,\"write_bytes\":3,\"read_calls\":1,\"write_calls\":1,\"mmap_read_bytes\":1,\"mmap_write_bytes\":2,\"read_us\":12,\"write_us\":5,\"meta_calls\":1,\"meta_us\":2,\"asked_read_bytes\":3,\"asked_write_bytes\":4,\"resent\":5,\"queue_us\":6,\"backlog\":7,\"copies\":8,\"name_calls\":9,\"lock_calls\":4,\"sync_us\":1,\"close_us\":2,\"mapped_us\":3,\"async_us\":4,\"threads\":5,\"thread_us\":6,\"slowest_us\":7,\"slowest_life_us\":8,\"read_random\":9,\"write_random\":1,\"read_first\":2,\"write_first\":3,\"peak\":{\"read_Bps\":9,\"write_Bps\":1,\"window_s\":1},\"timeline\":{\"start\":1004,\"width_s\":4,\"read_bytes\":[10],\"write_bytes\":[3],\"calls\":[1,1],\"io_us\":[0,7]},\"meta\":{\"open\":3,\"create\":1,\"unlink\":1,\"rename\":1,\"mkdir\":1,\"rmdir\":1,\"stat\":1,\"lookup_miss\":1,\"readdir\":1,\"fsync\":1,\"link\":1,\"symlink\":1,\"mknod\":1,\"chmod\":7,\"chown\":1,\"utimes\":1,\"truncate\":1,\"xattr\":1,\"fallocate\":1,\"statfs\":1},\"read_sizes\":[0,0,4],\"write_sizes\":[1],\"read_ns\":[2],\"write_ns\":[0,3],\"errors\":{\"EDQUOT\":{\"write\":3,\"close\":1},\"ENOENT\":{\"meta\":2}}}],\"wire\":[{\"scope\":\"node\",\"shared\":0,\"source\":\"weka\",\"fs\":null,\"read_bytes\":5,\"write_bytes\":6,\"read_calls\":7,\"write_calls\":8,\"read_ns\":[]}],\"steps\":2,\"quality\":[\"all_files\"]}";

static struct record *parse(const char *text)
{
	struct err err = { "" };
	struct record *r = record_parse(text, strlen(text), &err);

	ck_assert_msg(r, "refused: %s: %.200s", err.text, text);
	return r;
}

/* The record as text; the caller frees it. */
static char *text_of(const struct record *r)
{
	struct err err = { "" };
	char *text = record_text(r, &err);

	ck_assert_msg(text != NULL, "%s", err.text);
	ck_assert_uint_le(strlen(text), RECORD_TEXT_MAX);
	return text;
}

static struct record *minimal(void)
{
	struct record *r = record_new();

	strcpy(r->cluster, "c");
	strcpy(r->node, "n1");
	r->job = 7;
	r->start = 1000;
	return r;
}

/* Compare long texts and print where they differ. */
static void expect_text(const char *text, const char *wanted)
{
	size_t at = 0;

	while (text[at] && text[at] == wanted[at])
		at++;
	ck_assert_msg(text[at] == wanted[at], "%.80s, not %.80s", text + (at < 30 ? 0 : at - 30),
		      wanted + (at < 30 ? 0 : at - 30));
}

/* The whole record with one part of its text replaced; the caller frees it. */
static char *with(const char *old, const char *new)
{
	const char *at = strstr(all, old);
	char *text = NULL;

	ck_assert_msg(at != NULL, "no %s", old);
	ck_assert_int_gt(asprintf(&text, "%.*s%s%s", (int)(at - all), all, new, at + strlen(old)),
			 0);
	return text;
}

/* ---- one record ------------------------------------------------------------------ */

START_TEST(a_record_with_every_key_is_written_again_byte_for_byte)
{
	struct record *r = parse(all);
	char *text = text_of(r);

	expect_text(text, all);
	ck_assert_uint_eq(r->mounts[1].client, 1);
	free(text);
	record_free(r);
	r = parse(
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":1,\"node\":\"n\",\"uid\":0,\"start\":1} \t\r\n");
	ck_assert_int_eq(r->restart, RECORD_UNKNOWN);
	ck_assert(r->end < 0 && !r->has_request && !r->flags && !r->app_count);
	record_free(r);
}
END_TEST

START_TEST(the_schema_has_each_quantity)
{
	char *schema = fileio_read(SRCDIR "/etc/record.schema.json", 1 << 20, NULL, NULL);
	char key[64];
	int i;

	ck_assert_ptr_nonnull(schema);
	for (i = 0; i < IO_COUNT; i++) {
		snprintf(key, sizeof(key), "\"%s\": {", io_quantities[i].key);
		ck_assert_msg(strstr(schema, key) != NULL, "no %s", key);
	}
	free(schema);
}
END_TEST

/* A part of the record above, its replacement, and the error message. */
static const char *const refusals[][3] = {
	{ "\"jobio\":1,", "", "jobio: '0': this program reads version 1" },
	{ "\"jobio\":1,", "\"jobio\":2,", "jobio: '2': this program reads version 1" },
	{ "\"job\":7", "\"job\":0", "job: '0': not a job id" },
	{ "\"job\":7", "\"job\":\"7\"", "job: must be a whole number or null" },
	{ "\"job\":7", "\"job\":4294967296", "job: '4294967296': must be 0 to 4294967295" },
	{ "\"node\":\"c1\"", "\"node\":\"../c1\"", "node: '../c1': not a name" },
	{ "\"node\":\"c1\"", "\"node\":\".c1\"", "node: '.c1': not a name" },
	{ "\"node\":\"c1\"", "\"node\":\"\"", "node: '': not a name" },
	{ "\"cluster\":\"c\"", "\"cluster\":\"a b\"", "cluster: 'a b': not a name" },
	{ "\"read_bytes\":10", "\"read_bytes\":-1",
	  "read_bytes: '-1': must be 0 to 9223372036854775807" },
	{ "\"window_s\":1", "\"window_s\":0", "peak: window_s must be there, and at least 1" },
	{ "\"scope\":\"job\"", "\"scope\":\"all\"", "scope: 'all': not a known word" },
	{ "\"severity\":\"error\"", "\"severity\":\"x\"", "severity: 'x': not a known word" },
	{ "\"numa_nodes\":\"0-1\"", "\"numa_nodes\":\"1-0\"",
	  "card: numa_nodes: CPU list '1-0': bad range" },
	{ "\"cpus\":\"0-3\"", "\"cpus\":\"3-0\"", "machine: CPU list '3-0': bad range" },
	{ "\"socket\":0", "\"socket\":65536", "socket: '65536': must be 0 to 65535" },
	{ "\"names\":\"ib0\"", "\"names\":null", "card: needs names" },
	{ "\"beside\":false", "\"beside\":0", "beside: must be true or false or null" },
	{ "\"up\":3600.200", "\"up\":1e11", "up: not a time" },
	{ "\"start\":1000.060", "\"start\":-0.5", "start: not a time" },
	{ "\"start\":1000.060", "\"start\":100000", "end: more than a day before the start" },
	{ "\"uid\":1000,", "", "uid and start must be there" },
	{ "\"start\":1000.060,", "", "uid and start must be there" },
	{ "\"array\":{\"job\":5,\"task\":1}", "\"array\":{\"job\":5}",
	  "array: needs job and task" },
	{ "\"het\":{\"job\":6,\"offset\":2}", "\"het\":{\"offset\":0}",
	  "het: needs job and offset" },
	{ "{\"mount\":\"/w\"", "{\"mount\":null", "mounts: need mount and fstype" },
	{ "\"source\":\"bpf\",", "", "source: must be there" },
	{ "\"quality\":[", "\"quality\":[1,", "quality: must hold texts" },
	{ "\"app\":[", "\"app\":[7,", "app: must hold objects" },
	{ "[0,0,4]", "[0,0,\"4\"]", "read_sizes: must hold counts" },
	{ "[0,0,4]", "[0,0,-4]", "read_sizes: must hold counts" },
	{ "\"start\":1004,\"width_s\":4", "\"start\":1003,\"width_s\":2",
	  "timeline: width_s must be a power of two, and start a multiple of it" },
	{ "\"start\":1004,\"width_s\":4", "\"start\":1005,\"width_s\":3",
	  "timeline: width_s must be a power of two, and start a multiple of it" },
	{ "\"start\":1004,\"width_s\":4", "\"start\":0,\"width_s\":9223372036854775807",
	  "timeline: width_s must be a power of two, and start a multiple of it" },
	{ "\"start\":1004,\"width_s\":4", "\"start\":100000000000,\"width_s\":1",
	  "timeline: width_s must be a power of two, and start a multiple of it" },
	{ "\"read_bytes\":[10]", "\"read_bytes\":[9]",
	  "timeline: read_bytes: its rows add up to '9', not to 10" },
	{ "\"calls\":[1,1]", "\"calls\":[1,1,1]",
	  "timeline: calls: its rows add up to '3', not to 2" },
	{ "\"calls\":[1,1]", "\"calls\":[1.5]", "calls: must hold counts" },
	{ "\"calls\":[1,1]", "\"calls\":7", "calls: must be a list or null" },
	{ "{\"jobio\"", "[{\"jobio\"", "not JSON: it ends too early" },
};

START_TEST(a_bad_value_is_refused_with_its_key)
{
	struct err err;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
		text = with(refusals[i][0], refusals[i][1]);
		ck_assert_msg(!record_parse(text, strlen(text), &err), "%s", refusals[i][1]);
		ck_assert_int_eq(strncmp(err.text, "record: ", 8), 0);
		ck_assert_str_eq(err.text + 8, refusals[i][2]);
		free(text);
	}
}
END_TEST

/* The end of the value that begins here. */
static const char *value_end(const char *value)
{
	int depth = 0;

	if (*value == '"')
		return strchr(value + 1, '"') + 1;
	if (*value != '{' && *value != '[')
		return value + strcspn(value, ",}]");
	do
		depth += strchr("{[", *value) ? 1 : strchr("}]", *value) ? -1 : 0;
	while (value++, depth);
	return value;
}

static void expect_refused_at(const char *value, const char *other)
{
	struct err err = { "" };
	char *text;

	ck_assert_int_gt(
		asprintf(&text, "%.*s%s%s", (int)(value - all), all, other, value_end(value)), 0);
	ck_assert_msg(!record_parse(text, strlen(text), &err), "%.60s taken as %.20s", value,
		      other);
	ck_assert_int_eq(strncmp(err.text, "record: ", 8), 0);
	free(text);
}

START_TEST(a_wrong_type_a_negative_number_and_a_long_text_are_refused_wherever_they_are)
{
	static char longer[RECORD_NODELIST_MAX + 4];
	const char *at;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = longer[sizeof(longer) - 2] = '"';
	for (at = strstr(all, "\":"); at; at = strstr(at + 2, "\":")) {
		expect_refused_at(at + 2, "[[7]]");
		if (strchr("0123456789", at[2]))
			expect_refused_at(at + 2, "-1");
		if (at[2] == '"')
			expect_refused_at(at + 2, longer);
	}
}
END_TEST

START_TEST(half_a_record_or_a_changed_byte_causes_no_crash)
{
	size_t i, size = strlen(all);
	char *text = strdup(all);
	struct err err;

	for (i = 0; i < size; i++)
		ck_assert_ptr_null(record_parse(all, i, &err));
	for (i = 0; i < (size_t)rounds(20000); i++) {
		text[some((int64_t)size)] = (char)some(256);
		record_free(record_parse(text, size, &err));
		if (i % 4 == 3)
			strcpy(text, all);
	}
	free(text);
	text = malloc(RECORD_TEXT_MAX + 1);
	memset(text, ' ', RECORD_TEXT_MAX + 1);
	memcpy(text, all, size);
	record_free(record_parse(text, RECORD_TEXT_MAX, &err));
	ck_assert_ptr_null(record_parse(text, RECORD_TEXT_MAX + 1, &err));
	ck_assert_str_eq(err.text, "record: longer than 262144 bytes");
	text[size] = '\0';
	ck_assert_ptr_null(record_parse(text, size + 1, &err));
	free(text);
}
END_TEST

START_TEST(unknown_keys_and_flags_of_a_later_version_are_accepted)
{
	char *text = with("\"steps\":2", "\"steps\":2,\"new\":{\"a\":[1]}");
	struct record *r;

	record_free(parse(text));
	free(text);
	text = with("\"quality\":[", "\"quality\":[\"tomorrow\",");
	r = parse(text);
	ck_assert_uint_eq(r->flags, RECORD_FLAG(ALL_FILES) | RECORD_FLAG(OTHER));
	record_free(r);
	free(text);
}
END_TEST

START_TEST(invalid_utf_8_and_hidden_characters_become_question_marks)
{
	struct record *r = minimal(), *again;
	char *text;

	record_add_client(r, "work", "nfs", NULL, NULL);
	record_add_mount(r, "/m\xff\n\xc3\xa4\xc0\x80\xe2\x82\xac", "al\xc2\x85\xe2\x80\xae", "x");
	text = text_of(r);
	again = parse(text);
	ck_assert_str_eq(again->mounts[0].mount, "/m??\xc3\xa4??\xe2\x82\xac");
	ck_assert_str_eq(again->mounts[0].fstype, "al??");
	free(text);
	text = with("\"text\":\"a\"", "\"text\":\"\xc2\x9b"
				      "31m\\u009b\\u202e\"");
	record_free(again);
	again = parse(text);
	ck_assert_str_eq(again->findings.list[0].text, "?31m??");
	record_free(again);
	free(text);
	strcpy(r->node, "a/b");
	ck_assert_ptr_null(record_text(r, NULL));
	record_free(r);
}
END_TEST

/* A record with the maximum of everything and 'more', and texts of 'size' bytes. */
static struct record *endless(int more, size_t size)
{
	struct record *r = minimal();
	char *big = calloc(1, size + 1);
	struct io io;
	int i, k;

	memset(big, '"', size);
	io_init(&io);
	strcpy(io.source, "bpf");
	io.fs = big;
	io.numbers[IO_READ_BYTES] = 64;
	for (k = 0; k < IO_HISTS; k++)
		io.has_hist[k] = true;
	for (i = 0; i < IO_BINS; i++) {
		const int64_t row[TIMELINE_LANES] = { 1 };

		for (k = 0; k < IO_HISTS; k++)
			io.hist[k][i] = size ? INT64_MAX : 0;
		timeline_put(&io.timeline, i, 1, row);
	}
	record_add_client(r, "work", "nfs", NULL, NULL);
	for (i = 0; i < RECORD_LIST_MAX + more; i++) {
		findings_add(&r->findings, "W01", i ? FINDING_INFO : FINDING_ERROR, big, "%s", big);
		changes_add(&r->changes, &(struct change){ 1, "work", big, big, big, big,
							   CHANGE_RESTORED, true });
		record_add_mount(r, big, "nfs4", big);
		record_add_app(r, &io);
		record_add_client_io(r, &io);
	}
	free(big);
	return r;
}

START_TEST(a_record_that_is_too_long_drops_timelines_and_histograms_then_the_later_half_of_lists)
{
	static const struct {
		int more;
		size_t size, findings;
		bool has_timeline, has_hist, is_truncated;
	} rows[] = {
		{ 0, 0, 64, true, true, false },    { 1, 0, 64, true, true, true },
		{ 0, 1, 64, false, false, true },   { 0, 100, 64, false, false, true },
		{ 0, 300, 32, false, false, true }, { 0, 4096, 2, false, false, true },
	};
	struct record *r;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		r = endless(rows[i].more, rows[i].size);
		text = text_of(r);
		record_free(r);
		r = parse(text);
		ck_assert_uint_eq(r->flags, rows[i].is_truncated ? RECORD_FLAG(TRUNCATED) : 0);
		ck_assert_uint_eq(r->findings.count, rows[i].findings);
		ck_assert_uint_eq(r->client_io_count, r->findings.count);
		ck_assert_uint_eq(r->changes.count, r->findings.count);
		ck_assert_int_eq(r->findings.list[0].severity, FINDING_ERROR);
		ck_assert_int_eq(r->app[0].timeline.count > 0, rows[i].has_timeline);
		ck_assert_int_eq(r->app[0].has_hist[0], rows[i].has_hist);
		record_free(r);
		free(text);
	}
}
END_TEST

START_TEST(counters_are_copied_into_another_record_completely_or_not_at_all)
{
	static const char bad[] =
		"{\"app\":[{\"scope\":\"job\",\"source\":\"bpf\"},{\"scope\":\"job\",\"source\":\"bpf\",\"read_bytes\":-1}]}";
	struct record *from = parse(all), *to = minimal();
	struct err err = { "" };
	char *text = record_counters_text(from), *again;

	to->flags = RECORD_FLAG(AIO_MISSING);
	ck_assert_int_eq(record_counters_add(to, text, strlen(text), &err), 0);
	ck_assert_uint_eq(to->flags, RECORD_FLAG(AIO_MISSING) | RECORD_FLAG(ALL_FILES));
	to->flags = from->flags;
	again = record_counters_text(to);
	ck_assert_str_eq(again, text);
	free(again);
	ck_assert_int_eq(record_counters_add(to, bad, strlen(bad), &err), -1);
	ck_assert_str_eq(err.text, "record: read_bytes: '-1': must be 0 to 9223372036854775807");
	ck_assert_int_eq(record_counters_add(to, "[]", 2, &err), -1);
	again = record_counters_text(to);
	ck_assert_str_eq(again, text);
	free(again);
	free(text);
	record_free(from);
	record_free(to);
}
END_TEST

/* ---- timelines --------------------------------------------------------------------- */

static void random_line(struct timeline *line, int64_t rows)
{
	static const int64_t lengths[] = { 1, 10, 64, 300, 90000, 10000000 };
	int64_t start = 1795224862 + some(lengths[some(6)]), moved[TIMELINE_LANES];
	int64_t width = INT64_C(1) << some(some(2) ? 1 : 12);

	memset(line, 0, sizeof(*line));
	for (; rows; rows--) {
		moved[0] = some(1 << 20), moved[1] = some(3), moved[2] = some(9);
		moved[3] = some(2) ? some(1 << 20) : 0;
		timeline_put(line, (start + some(lengths[some(6)])) / width * width, width, moved);
	}
}

#define LINES 7

/* Add sums of some timelines to sums of others, in random order. */
static struct timeline added(const struct timeline *lines)
{
	struct timeline parts[LINES], one;
	int64_t at, left = LINES;

	memcpy(parts, lines, sizeof(parts));
	while (left > 1) {
		at = some(left);
		one = parts[at];
		parts[at] = parts[--left];
		timeline_add(&parts[some(left)], &one);
	}
	return parts[0];
}

START_TEST(timelines_added_in_any_order_are_the_same_and_lose_nothing)
{
	struct timeline lines[LINES], first, again;
	int64_t moved[TIMELINE_LANES];
	int i, k, lane;

	for (i = 0; i < rounds(1000); i++) {
		seed = (uint64_t)i;
		memset(moved, 0, sizeof(moved));
		for (k = 0; k < LINES; k++) {
			random_line(&lines[k], some(60));
			for (lane = 0; lane < TIMELINE_LANES; lane++)
				moved[lane] += timeline_sum(&lines[k], (enum timeline_lane)lane);
		}
		first = added(lines);
		again = added(lines);
		ck_assert(!memcmp(&first, &again, sizeof(first)));
		ck_assert_uint_le(first.count, TIMELINE_ROWS);
		for (lane = 0; lane < TIMELINE_LANES; lane++)
			ck_assert_int_eq(timeline_sum(&first, (enum timeline_lane)lane),
					 moved[lane]);
	}
	/* a sum with an unknown timeline has none */
	timeline_spoil(&lines[0]);
	first = added(lines);
	ck_assert(first.is_partial && !first.count);
}
END_TEST

static void random_counters(struct io *io)
{
	int i;

	io_init(io);
	for (i = 0; i < IO_COUNT; i++)
		io->numbers[i] = some(3) ? some(4) : some(2) ? INT64_MAX - some(4) : IO_UNKNOWN;
	for (i = some(9); i; i--)
		io->errors[some(IO_ERRNO_COUNT)][some(IO_CLASS_COUNT)] = some(1 << 20);
	i = (int)some(IO_HISTS);
	io->has_hist[i] = some(2);
	io->hist[i][some(IO_BINS)] = io->has_hist[i] ? some(1 << 20) : 0;
	random_line(&io->timeline, some(9));
}

START_TEST(counters_added_in_any_order_are_the_same)
{
	struct io parts[LINES], sums[2], nothing;
	int64_t at, left;
	int i, k, n;

	for (i = 0; i < rounds(1000); i++) {
		for (k = 0; k < 2; k++) {
			seed = (uint64_t)i;
			for (n = 0; n < LINES; n++) {
				random_counters(&nothing);
				io_init(&parts[n]);
				io_add(&parts[n], &nothing);
			}
			seed = (uint64_t)(i * 2 + k);
			for (left = LINES; left > 1;) {
				at = some(left);
				sums[k] = parts[at];
				parts[at] = parts[--left];
				io_add(&parts[some(left)], &sums[k]);
			}
			sums[k] = parts[0];
		}
		ck_assert(!memcmp(&sums[0], &sums[1], sizeof(sums[0])));
		io_init(&nothing);
		io_add(&sums[1], &nothing);
		ck_assert(!memcmp(sums[0].numbers, sums[1].numbers, sizeof(sums[0].numbers)));
	}
	/* the lifetime of the slowest thread belongs to the maximum of the times */
	io_init(&sums[0]);
	io_init(&sums[1]);
	sums[0].numbers[IO_SLOWEST_US] = 5, sums[0].numbers[IO_SLOWEST_LIFE_US] = 90;
	sums[1].numbers[IO_SLOWEST_US] = 7, sums[1].numbers[IO_SLOWEST_LIFE_US] = 10;
	io_add(&sums[0], &sums[1]);
	ck_assert_int_eq(sums[0].numbers[IO_SLOWEST_US], 7);
	ck_assert_int_eq(sums[0].numbers[IO_SLOWEST_LIFE_US], 10);
}
END_TEST

START_TEST(a_timeline_covers_its_run_in_at_most_64_rows_of_powers_of_two)
{
	struct timeline line, covered;
	int64_t first, last;
	int i, lane;

	for (i = 0; i < rounds(1000); i++) {
		seed = (uint64_t)i;
		random_line(&line, 1 + some(20));
		first = line.start + some(3);
		last = line.start + (int64_t)line.count * line.width + some(INT64_C(1) << some(20));
		timeline_cover(&line, first, last, &covered);
		ck_assert(timeline_is_row(covered.start, covered.width));
		ck_assert_uint_le(covered.count, TIMELINE_ROWS);
		ck_assert_int_le(covered.start, first);
		ck_assert_int_gt(covered.start + (int64_t)covered.count * covered.width, last);
		for (lane = 0; lane < TIMELINE_LANES; lane++)
			ck_assert_int_eq(timeline_sum(&covered, (enum timeline_lane)lane),
					 timeline_sum(&line, (enum timeline_lane)lane));
	}
	ck_assert_int_eq(timeline_last(10, 20), 19);
	ck_assert_int_eq(timeline_last(10, 20.5), 20);
	ck_assert_int_eq(timeline_last(10.5, 10.9), 10);
}
END_TEST

/* ---- the merge of a run ---------------------------------------------------------------- */

static const char *random_text(size_t room)
{
	static char text[8][256];
	static int turn;
	char *out = text[turn++ % 8];
	size_t i, length = 1 + (size_t)some((int64_t)room - 1);

	for (i = 0; i < length; i++)
		out[i] = (char)(1 + some(255));
	out[length] = 0;
	return out;
}

static void add_random_io(struct record *r, bool is_wire)
{
	struct io io;
	const char *noise;
	int i;

	io_init(&io);
	io.scope = is_wire || !some(5) ? IO_SCOPE_NODE : IO_SCOPE_JOB;
	noise = random_text(20);
	utf8_clean(io.source, sizeof(io.source), noise, strlen(noise));
	if (some(9))
		strcpy(io.source, some(2) ? "bpf" : "stepd");
	io.fs = (char *)(some(3) ? "/mnt/work" : some(2) ? "/home" : NULL);
	for (i = 0; i < IO_COUNT; i++)
		io.numbers[i] = a_number();
	io.numbers[IO_PEAK_WINDOW_S] = 1;
	io.has_hist[some(IO_HISTS)] = true;
	io.hist[some(IO_HISTS)][some(IO_BINS)] = some(1 << 20);
	if (some(2)) {
		random_line(&io.timeline, 1 + some(5));
		io.numbers[IO_READ_BYTES] = timeline_sum(&io.timeline, TIMELINE_READ);
		io.numbers[IO_WRITE_BYTES] = timeline_sum(&io.timeline, TIMELINE_WRITE);
		io.numbers[IO_READ_CALLS] = timeline_sum(&io.timeline, TIMELINE_CALLS);
		io.numbers[IO_WRITE_CALLS] = 0;
	}
	io.errors[some(IO_ERRNO_COUNT)][some(IO_CLASS_COUNT)] = some(9);
	if (is_wire)
		record_add_client_io(r, &io);
	else
		record_add_app(r, &io);
}

/* A random record of one of a few nodes. */
static struct record *random_record(void)
{
	struct record *r = minimal();
	int64_t i;

	snprintf(r->node, sizeof(r->node), "n%d", (int)some(4));
	record_set(&r->nodelist, some(4) ? "n[0-5]" : some(2) ? random_text(40) : NULL);
	r->start = 1000 + (double)some(50);
	r->end = some(9) ? 2000 + (double)some(3) : -1;
	r->flags = (uint64_t)some(INT64_C(1) << RECORD_FLAG_COUNT) &
		   (uint64_t)some(INT64_C(1) << RECORD_FLAG_COUNT);
	for (i = some(4); i; i--)
		add_random_io(r, false);
	for (i = some(3); i; i--)
		add_random_io(r, true);
	r->has_request = some(2);
	r->profile_applied = (int)some(3) - 1;
	r->cores_met = (int)some(3) - 1;
	strcpy(r->request.profile, some(2) ? "stream" : "a b|c");
	r->has_gate = some(2);
	r->gate_warned = some(3);
	r->gate_refused = some(3);
	r->has_io_cores = some(2);
	r->io_cores_count = some(3);
	record_set(&r->io_cores_os, some(2) ? "1,3" : random_text(60));
	record_set(&r->refused, some(3) ? NULL : random_text(20));
	if (some(4)) {
		record_add_client(r, "work", "nfs", random_text(20), NULL);
		record_add_mount(r, some(2) ? "/mnt/work" : random_text(90),
				 some(2) ? "nfs4" : random_text(20), "s");
	}
	for (i = some(3); i; i--)
		changes_add(&r->changes,
			    &(struct change){ some(2), "work", (char *)random_text(9), "t", "a",
					      "b", some(CHANGE_STATES), some(2) });
	for (i = some(3); i; i--)
		findings_add(&r->findings, "W01", some(2) ? FINDING_ERROR : FINDING_WARNING, NULL,
			     "%s", random_text(90));
	return r;
}

START_TEST(any_record_that_is_written_can_be_read_again)
{
	struct record *r, *again;
	char *text, *second;
	int i;

	for (i = 0; i < rounds(1000); i++) {
		seed = (uint64_t)i;
		r = random_record();
		text = text_of(r);
		again = parse(text);
		second = text_of(again);
		expect_text(second, text);
		record_free(r);
		record_free(again);
		free(text);
		free(second);
	}
}
END_TEST

#define RECORDS 7

static void add(struct run *run, const struct record *record)
{
	char *text = record_text(record, NULL);
	struct json *json = json_parse(text);

	run_add(run, record, json);
	json_free(json);
	free(text);
}

/* The summary and JSON of these records, added in random order, some of them twice. */
static void merged(struct record *const *records, char *text, char **json)
{
	int at[RECORDS], i, k, swap;
	struct json *top = json_new_object();
	struct run *run = run_new();

	for (i = 0; i < RECORDS; i++)
		at[i] = i;
	for (i = RECORDS - 1; i > 0; i--) {
		k = (int)some(i + 1);
		swap = at[i], at[i] = at[k], at[k] = swap;
	}
	for (i = 0; i < RECORDS; i++) {
		add(run, records[at[i]]);
		add(run, records[at[some(i + 1)]]);
	}
	run_finish(run);
	summary_text(run, text);
	run_json_add_brief(top, run);
	run_json_add_text(top, run);
	run_json_add_timelines(top, run);
	*json = json_line_free(top);
	run_free(run);
}

/* The syntax that readers of sacct rely on; parsing the text returns the same summary. */
static void expect_sound(const char *text)
{
	static regex_t form;
	static bool is_made;

	if (!is_made)
		ck_assert_int_eq(regcomp(&form, "^jobio/1( [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+$",
					 REG_EXTENDED | REG_NOSUB),
				 0);
	is_made = true;
	ck_assert_msg(!regexec(&form, text, 0, NULL, 0), "%s", text);
	ck_assert_uint_le(strlen(text), 1000);
}

START_TEST(a_run_is_the_same_for_any_order_of_its_records_and_each_twice)
{
	char first[SUMMARY_MAX], again[SUMMARY_MAX], *json, *json_again;
	struct record *records[RECORDS];
	int i, k;

	for (i = 0; i < rounds(600); i++) {
		seed = (uint64_t)i;
		for (k = 0; k < RECORDS; k++) {
			records[k] = random_record();
			snprintf(records[k]->node, sizeof(records[k]->node), "n%d", k);
		}
		merged(records, first, &json);
		expect_sound(first);
		for (k = 0; k < 3; k++) {
			merged(records, again, &json_again);
			ck_assert_str_eq(again, first);
			ck_assert_str_eq(json_again, json);
			free(json_again);
		}
		free(json);
		for (k = 0; k < RECORDS; k++)
			record_free(records[k]);
	}
}
END_TEST

START_TEST(of_two_records_of_a_node_one_is_better_and_none_without_counters_than_one_with)
{
	struct record *r[3];
	uint64_t digest[3];
	bool better[3][3];
	int i, a, b, c;

	for (i = 0; i < rounds(1000); i++) {
		seed = (uint64_t)i;
		for (a = 0; a < 3; a++) {
			r[a] = random_record();
			digest[a] = (uint64_t)some(3);
			r[a]->flags &= RECORD_FLAG(NODE_REBOOTED);
		}
		for (a = 0; a < 3; a++)
			for (b = 0; b < 3; b++)
				better[a][b] = record_is_better(r[a], digest[a], r[b], digest[b]);
		for (a = 0; a < 3; a++)
			for (b = 0; b < 3; b++) {
				ck_assert(!better[a][b] || !better[b][a]);
				ck_assert(!better[a][b] ||
					  record_weight(r[a]) >= record_weight(r[b]));
				for (c = 0; c < 3; c++)
					ck_assert(!better[a][b] || !better[b][c] || better[a][c]);
			}
		for (a = 0; a < 3; a++)
			record_free(r[a]);
	}
}
END_TEST

START_TEST(sixteen_thousand_nodes_that_all_differ_fit_into_a_line)
{
	struct run *run = run_new();
	char text[SUMMARY_MAX];
	struct record *r;
	int i, nodes = rounds(16384);

	for (i = 0; i < nodes; i++) {
		seed = (uint64_t)i;
		r = random_record();
		snprintf(r->node, sizeof(r->node), "n%d", i);
		add(run, r);
		record_free(r);
	}
	run_finish(run);
	summary_text(run, text);
	expect_sound(text);
	ck_assert_int_eq(run->nodes_seen, nodes);
	run_free(run);
}
END_TEST

UNIT_MAIN("record", a_record_with_every_key_is_written_again_byte_for_byte,
	  the_schema_has_each_quantity, a_bad_value_is_refused_with_its_key,
	  a_wrong_type_a_negative_number_and_a_long_text_are_refused_wherever_they_are,
	  half_a_record_or_a_changed_byte_causes_no_crash,
	  unknown_keys_and_flags_of_a_later_version_are_accepted,
	  invalid_utf_8_and_hidden_characters_become_question_marks,
	  a_record_that_is_too_long_drops_timelines_and_histograms_then_the_later_half_of_lists,
	  counters_are_copied_into_another_record_completely_or_not_at_all,
	  timelines_added_in_any_order_are_the_same_and_lose_nothing,
	  counters_added_in_any_order_are_the_same,
	  a_timeline_covers_its_run_in_at_most_64_rows_of_powers_of_two,
	  any_record_that_is_written_can_be_read_again,
	  a_run_is_the_same_for_any_order_of_its_records_and_each_twice,
	  of_two_records_of_a_node_one_is_better_and_none_without_counters_than_one_with,
	  sixteen_thousand_nodes_that_all_differ_fit_into_a_line)
