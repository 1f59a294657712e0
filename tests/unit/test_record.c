/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/record.h"
#include "lib/record_parts.h"
#include "tests/unit/runner.h"

static const char *const full =
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"restart\":0,\"node\":\"c1\",\"nodelist\":\"c[1-2]\",\"uid\":1000,\"gid\":1000,\"user\":\"alice\",\"boot_id\":\"b-1\",\"up\":3600.200,\"start\":1795224862.060,\"end\":1795224890.110,\"array\":{\"job\":5,\"task\":1},\"het\":null,\"request\":{\"io_cores\":1,\"profile\":\"stream\",\"applied\":true},\"refused\":null,\"io_cores\":{\"count\":1,\"abstract\":\"1\",\"os_cpus\":\"1,3\"},\"machine\":{\"job_cpus\":\"0,2\",\"parts\":[{\"socket\":0,\"numa_node\":1,\"cpus\":\"0-3\"},{\"socket\":null,\"numa_node\":null,\"cpus\":null}]},\"client\":{\"name\":\"weka\",\"type\":\"weka\",\"version\":\"4.4.4\",\"cpus\":\"1,3\",\"app_to_wire\":\"cache=out direct=in\",\"card\":{\"names\":\"ib0,ib1\",\"numa_nodes\":\"0-1\",\"beside\":false},\"mounts\":[{\"mount\":\"/mnt/weka\",\"fstype\":\"wekafs\",\"source\":\"default\"}]},\"changes\":[{\"what\":\"mount-option\",\"target\":\"/mnt/weka\",\"old\":\"writecache\",\"new\":\"forcedirect\",\"restored\":true,\"made\":true}],\"findings\":[{\"code\":\"W01\",\"severity\":\"warning\",\"text\":\"a\",\"cure\":null}],\"app\":[{\"scope\":\"job\",\"source\":\"stepd\",\"fs\":null,\"read_bytes\":10,\"write_bytes\":null,\"read_calls\":1,\"write_calls\":0,\"read_us\":12,\"write_us\":0,\"peak\":{\"read_Bps\":9,\"write_Bps\":null,\"window_s\":1}}],\"wire\":[{\"scope\":\"node\",\"shared\":2,\"source\":\"weka\",\"fs\":\"/mnt/weka\",\"read_bytes\":5,\"write_bytes\":6,\"read_calls\":null,\"write_calls\":null,\"meta\":{\"open\":3,\"create\":null,\"unlink\":null,\"rename\":null,\"mkdir\":null,\"rmdir\":null,\"stat\":null,\"lookup_miss\":null,\"readdir\":null,\"fsync\":null,\"link\":null,\"symlink\":null,\"mknod\":null,\"chmod\":7,\"chown\":null,\"utimes\":null,\"truncate\":null,\"xattr\":null,\"fallocate\":null,\"statfs\":null},\"read_sizes\":[0,0,4]}],\"steps\":2,\"quality\":[\"all_files\",\"includes_stepd\"]}";

static struct record *parse(const char *text)
{
	struct err err = { "" };
	struct record *r = record_parse(text, strlen(text), &err);

	ck_assert_msg(r, "refused: %s", err.text);
	return r;
}

static void expect_refused(const char *text, const char *why)
{
	struct err err = { "" };

	ck_assert_ptr_null(record_parse(text, strlen(text), &err));
	ck_assert_str_eq(err.text, why);
}

/* The full record with one piece of text replaced. */
static char *with(const char *old, const char *new)
{
	const char *at = strstr(full, old);
	char *text = malloc(strlen(full) + strlen(new) + 1);

	ck_assert_ptr_nonnull(at);
	ck_assert_ptr_nonnull(text);
	memcpy(text, full, (size_t)(at - full));
	strcpy(text + (at - full), new);
	strcat(text, at + strlen(old));
	return text;
}

static void expect_refused_with(const char *old, const char *new, const char *why)
{
	char *text = with(old, new);

	expect_refused(text, why);
	free(text);
}

static struct record *minimal(void)
{
	struct record *r = record_new();

	strcpy(r->cluster, "c");
	strcpy(r->node, "n1");
	r->job = 1;
	r->start = 1;
	return r;
}

START_TEST(what_is_read_is_written_again_byte_for_byte)
{
	struct err err;
	struct record *r = parse(full);
	char *text = record_text(r, &err);

	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, full);
	free(text);
	record_free(r);
}
END_TEST

/* A list that was cut in the middle would name CPUs that nobody meant, or be
 * none, and the ledger would refuse the record. */
START_TEST(a_list_of_cpus_that_is_too_long_is_unknown)
{
	struct record *r = parse(full);
	struct cpuset cpus = { 0 };
	struct err err = { "" };
	char *text;
	unsigned int i;

	for (i = 0; i < 1000; i++)
		cpuset_add(&cpus, 2 * i);
	record_set_job_cpus(r, &cpus);
	ck_assert_ptr_null(r->job_cpus);
	record_add_part(r, 1, 1, &cpus);
	ck_assert_ptr_null(r->parts[2].cpus);
	text = record_text(r, &err);
	ck_assert_ptr_nonnull(text);
	record_free(r);
	r = parse(text);
	ck_assert_uint_eq(r->part_count, 3);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(a_list_of_cpus_of_the_longest_text_is_known)
{
	struct record *r = minimal();
	struct cpuset cpus = { 0 };
	unsigned int i;

	/* "100,102,104,1000,1002,..": 3 of 4 bytes each and 817 of 5 bytes */
	for (i = 0; i < 3; i++)
		cpuset_add(&cpus, 100 + 2 * i);
	for (i = 0; i < 817; i++)
		cpuset_add(&cpus, 1000 + 2 * i);
	record_set_job_cpus(r, &cpus);
	ck_assert_ptr_nonnull(r->job_cpus);
	ck_assert_uint_eq(strlen(r->job_cpus), RECORD_STRING_MAX);
	cpuset_add(&cpus, 0);
	record_set_job_cpus(r, &cpus);
	ck_assert_ptr_null(r->job_cpus);
	record_free(r);
}
END_TEST

START_TEST(every_field_arrives_in_the_struct)
{
	struct record *r = parse(full);

	ck_assert_str_eq(r->cluster, "c");
	ck_assert_uint_eq(r->job, 7);
	ck_assert_int_eq(r->restart, 0);
	ck_assert_int_eq(r->array_job, 5);
	ck_assert_int_eq(r->array_task, 1);
	ck_assert_int_eq(r->het_job, RECORD_UNKNOWN);
	ck_assert_str_eq(r->io_cores_os, "1,3");
	ck_assert_str_eq(r->job_cpus, "0,2");
	ck_assert_uint_eq(r->part_count, 2);
	ck_assert_int_eq(r->parts[0].socket, 0);
	ck_assert_int_eq(r->parts[0].numa_node, 1);
	ck_assert_str_eq(r->parts[0].cpus, "0-3");
	ck_assert_int_eq(r->parts[1].socket, RECORD_UNKNOWN);
	ck_assert_ptr_null(r->parts[1].cpus);
	ck_assert_str_eq(r->mounts[0].fstype, "wekafs");
	ck_assert_int_eq(r->changes[0].restored, 1);
	ck_assert_str_eq(r->clients[0].app_to_wire, "cache=out direct=in");
	ck_assert_str_eq(r->clients[0].cards, "ib0,ib1");
	ck_assert_str_eq(r->clients[0].card_nodes, "0-1");
	ck_assert_int_eq(r->clients[0].is_beside, 0);
	ck_assert_ptr_null(r->findings[0].cure);
	ck_assert_int_eq(r->app[0].numbers[RECORD_READ_BYTES], 10);
	ck_assert_int_eq(r->app[0].numbers[RECORD_WRITE_BYTES], RECORD_UNKNOWN);
	ck_assert_int_eq(r->app[0].numbers[RECORD_READ_US], 12);
	ck_assert_int_eq(r->app[0].peak[RECORD_PEAK_READ], 9);
	ck_assert_int_eq(r->app[0].peak[RECORD_PEAK_WRITE], RECORD_UNKNOWN);
	ck_assert_int_eq(r->app[0].peak_window_s, 1);
	ck_assert_int_eq(r->wire[0].peak_window_s, RECORD_UNKNOWN);
	ck_assert_int_eq(r->wire[0].scope, RECORD_SCOPE_NODE);
	ck_assert_int_eq(r->wire[0].shared, 2);
	ck_assert_int_eq(r->wire[0].meta[RECORD_META_OPEN], 3);
	ck_assert_int_eq(r->wire[0].meta[RECORD_META_CHMOD], 7);
	ck_assert_int_eq(r->wire[0].hist[RECORD_READ_SIZES][2], 4);
	ck_assert_uint_eq(r->flags, RECORD_FLAG(ALL_FILES) | RECORD_FLAG(INCLUDES_STEPD));
	record_free(r);
}
END_TEST

START_TEST(what_the_gate_did_and_whose_a_cure_is_travel_along)
{
	struct record *r = record_new(), *again;
	struct err err = { "" };
	char *text;

	strcpy(r->cluster, "c");
	strcpy(r->node, "n");
	r->job = 7;
	r->has_request = r->has_gate = true;
	r->cores_met = 0;
	r->gate_warned = 3;
	record_set(&r->gate_text, "the job may run on CPU 7");
	record_add_finding(r, "W46", "info", "a", "ask");
	r->findings[0].is_users = 1;
	record_set(&r->findings[0].target, "files:");
	text = record_text(r, &err);
	ck_assert_ptr_nonnull(text);
	again = record_parse(text, strlen(text), &err);
	ck_assert_msg(again != NULL, "%s", err.text);
	ck_assert(again->has_gate);
	ck_assert_int_eq(again->cores_met, 0);
	ck_assert_int_eq(again->gate_warned, 3);
	ck_assert_int_eq(again->gate_refused, 0);
	ck_assert_str_eq(again->gate_text, "the job may run on CPU 7");
	ck_assert_int_eq(again->findings[0].is_users, 1);
	ck_assert_str_eq(again->findings[0].target, "files:");
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(the_smallest_record_needs_only_its_key_and_its_owner)
{
	struct record *r = parse(
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":1,\"node\":\"n\",\"uid\":0,\"start\":1}");

	ck_assert_int_eq(r->restart, RECORD_UNKNOWN);
	ck_assert(r->end < 0);
	ck_assert(!r->has_request && !r->has_gate && !r->has_io_cores);
	ck_assert_uint_eq(r->flags, 0);
	ck_assert_uint_eq(r->app_count, 0);
	ck_assert_uint_eq(r->client_count, 0);
	record_free(r);
}
END_TEST

START_TEST(keys_and_flags_of_a_later_version_do_no_harm)
{
	char *text = with("\"steps\":2", "\"steps\":2,\"new\":{\"a\":[1]}");
	struct record *r = parse(text);

	record_free(r);
	free(text);
	text = with("\"includes_stepd\"", "\"tomorrow\"");
	r = parse(text);
	ck_assert_uint_eq(r->flags, RECORD_FLAG(ALL_FILES) | RECORD_FLAG(OTHER));
	record_free(r);
	free(text);
}
END_TEST

START_TEST(a_bad_value_is_refused_with_its_key)
{
	expect_refused("[]", "record: not an object");
	expect_refused("null", "record: not JSON: it ends too early");
	expect_refused("{\"cluster\":\"c\",\"job\":1,\"node\":\"n\",\"uid\":0,\"start\":1}",
		       "record: jobio: '0': this program reads version 1");
	expect_refused("{\"jobio\":2}", "record: jobio: '2': this program reads version 1");
	expect_refused_with("\"job\":7", "\"job\":0", "record: job: '0': not a job id");
	expect_refused_with("\"job\":7", "\"job\":\"7\"",
			    "record: job: must be a whole number or null");
	expect_refused_with("\"job\":7", "\"job\":4294967296",
			    "record: job: '4294967296': must be 0 to 4294967295");
	expect_refused_with("\"node\":\"c1\"", "\"node\":\"../c1\"",
			    "record: node: '../c1': not a name");
	expect_refused_with("\"cluster\":\"c\"", "\"cluster\":\"a b\"",
			    "record: cluster: 'a b': not a name");
	expect_refused_with("\"read_bytes\":10", "\"read_bytes\":-1",
			    "record: read_bytes: '-1': must be 0 to 9223372036854775807");
	expect_refused_with("\"read_Bps\":9", "\"read_Bps\":-9",
			    "record: read_Bps: '-9': must be 0 to 9223372036854775807");
	expect_refused_with("\"window_s\":1", "\"window_s\":0",
			    "record: peak: window_s must be there, and at least 1");
	expect_refused_with("\"scope\":\"job\"", "\"scope\":\"all\"",
			    "record: scope: 'all': must be job or node");
	expect_refused_with("\"severity\":\"warning\"", "\"severity\":\"x\"",
			    "record: severity: 'x': must be error, warning or info");
	expect_refused_with("\"numa_nodes\":\"0-1\"", "\"numa_nodes\":\"1-0\"",
			    "record: card: numa_nodes: CPU list '1-0': bad range");
	expect_refused_with("\"cpus\":\"0-3\"", "\"cpus\":\"3-0\"",
			    "record: machine: CPU list '3-0': bad range");
	expect_refused_with("\"socket\":0", "\"socket\":65536",
			    "record: socket: '65536': must be 0 to 65535");
	expect_refused_with("\"parts\":[{", "\"parts\":[7,{", "record: parts: must hold objects");
	expect_refused_with("\"names\":\"ib0,ib1\"", "\"names\":null", "record: card: needs names");
	expect_refused_with("\"beside\":false", "\"beside\":0",
			    "record: beside: must be true or false or null");
	expect_refused_with("\"start\":1795224862.060", "\"start\":1e300",
			    "record: start: not a time");
	expect_refused_with("\"uid\":1000,", "", "record: uid and start must be there");
	expect_refused_with("\"start\":1795224862.060,", "", "record: uid and start must be there");
	expect_refused_with("{\"mount\":\"/mnt/weka\"", "{\"mount\":null",
			    "record: mounts: need mount and fstype");
	expect_refused_with("\"fstype\":\"wekafs\"", "\"fstype\":null",
			    "record: mounts: need mount and fstype");
	expect_refused_with("\"source\":\"stepd\",", "", "record: source: must be there");
	expect_refused_with("\"quality\":[", "\"quality\":[1,", "record: quality: must hold texts");
	expect_refused_with("\"app\":[", "\"app\":[7,", "record: app: must hold objects");
	expect_refused_with("[0,0,4]", "[0,0,\"4\"]", "record: read_sizes: must hold counts");
	expect_refused_with("[0,0,4]", "[0,0,-4]", "record: read_sizes: must hold counts");
}
END_TEST

/* A record with this timeline of the first line: 10 bytes read in 1 call, and 0
 * written in 0 or an unknown number of calls. */
static char *with_timeline(const char *timeline)
{
	char piece[8000];

	snprintf(piece, sizeof(piece), "\"write_us\":0,\"timeline\":%s,", timeline);
	return with("\"write_us\":0,", piece);
}

static void expect_timeline_refused(const char *timeline, const char *why)
{
	char *text = with_timeline(timeline);

	expect_refused(text, why);
	free(text);
}

static void expect_timeline(const char *timeline, const char *again)
{
	char *text = with_timeline(timeline), *second;
	struct record *r = parse(text);
	struct err err;

	second = record_text(r, &err);
	ck_assert_ptr_nonnull(second);
	ck_assert_msg(strstr(second, again) != NULL, "no %s in %s", again, second);
	record_free(r);
	free(second);
	free(text);
}

START_TEST(a_timeline_is_kept_without_empty_rows_at_its_ends)
{
	expect_timeline(
		"{\"start\":1000,\"width_s\":4,\"read_bytes\":[0,7,0,3,0,0],\"write_bytes\":[],\"calls\":[0,1]}",
		"\"timeline\":{\"start\":1004,\"width_s\":4,\"read_bytes\":[7,0,3],\"write_bytes\":[],\"calls\":[1]}");
	expect_timeline(
		"{\"start\":1000,\"width_s\":4,\"read_bytes\":[10],\"calls\":[0,0,1]}",
		"\"timeline\":{\"start\":1000,\"width_s\":4,\"read_bytes\":[10],\"write_bytes\":[],\"calls\":[0,0,1]}");
	expect_timeline("null", "\"write_us\":0,\"peak\"");
}
END_TEST

START_TEST(a_timeline_that_is_not_what_was_moved_is_refused)
{
	expect_timeline_refused("{\"start\":0,\"width_s\":1,\"read_bytes\":[9],\"calls\":[1]}",
				"record: timeline: read_bytes: its rows add up to '9', not to 10");
	expect_timeline_refused(
		"{\"start\":0,\"width_s\":1,\"read_bytes\":[10],\"write_bytes\":[1],\"calls\":[1]}",
		"record: timeline: write_bytes: its rows add up to '1', not to 0");
	expect_timeline_refused("{\"start\":0,\"width_s\":1,\"read_bytes\":[10],\"calls\":[1,1]}",
				"record: timeline: calls: its rows add up to '2', not to 1");
	expect_timeline_refused("{\"start\":0,\"width_s\":1}",
				"record: timeline: read_bytes: its rows add up to '0', not to 10");
}
END_TEST

START_TEST(a_timeline_off_the_grid_is_refused)
{
	static const char *const frames[] = {
		"{\"start\":3,\"width_s\":2",
		"{\"start\":3,\"width_s\":3",
		"{\"start\":0,\"width_s\":0",
		"{\"width_s\":1",
		"{\"start\":5",
		"{\"start\":0,\"width_s\":9223372036854775807",
		"{\"start\":0,\"width_s\":4611686018427387904",
		"{\"start\":9223372036854775807,\"width_s\":1",
		"{\"start\":100000000000,\"width_s\":1",
		"{\"start\":99999999999,\"width_s\":1",
	};
	char text[300];
	size_t i;

	for (i = 0; i < sizeof(frames) / sizeof(frames[0]); i++) {
		snprintf(text, sizeof(text), "%s,\"read_bytes\":[5,5],\"calls\":[1]}", frames[i]);
		expect_timeline_refused(
			text,
			"record: timeline: width_s must be a power of two, and start a multiple of it");
	}
}
END_TEST

START_TEST(rows_that_are_no_numbers_or_too_many_are_refused)
{
	char text[300] = "{\"start\":0,\"width_s\":1,\"read_bytes\":[10";
	int i;

	expect_timeline_refused("[]", "record: timeline: must be an object or null");
	expect_timeline_refused("{\"start\":0,\"width_s\":1,\"calls\":7}",
				"record: calls: must be a list or null");
	expect_timeline_refused("{\"start\":0,\"width_s\":1,\"calls\":[-1]}",
				"record: timeline: calls: must hold numbers");
	expect_timeline_refused("{\"start\":0,\"width_s\":1,\"calls\":[1.5]}",
				"record: timeline: calls: must hold numbers");
	for (i = 0; i < 64; i++)
		strcat(text, ",0");
	strcat(text, "],\"calls\":[1]}");
	expect_timeline_refused(text, "record: timeline: read_bytes: more than 64 rows");
}
END_TEST

START_TEST(timelines_give_way_where_a_record_would_be_too_long)
{
	struct record *r = parse(full), *again;
	struct record_io io;
	struct err err;
	char *text;
	int i, k;

	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = INT64_MAX;
	io.numbers[RECORD_WRITE_BYTES] = INT64_MAX;
	for (k = 0; k < TIMELINE_ROWS; k++) {
		const int64_t row[TIMELINE_LANES] = { INT64_MAX, INT64_MAX, 0 };

		timeline_put(&io.timeline, k, 1, row);
	}
	for (i = 0; i < RECORD_LIST_MAX; i++) {
		record_add_app(r, &io);
		record_add_wire(r, &io);
	}
	text = record_text(r, &err);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_le(strlen(text), RECORD_TEXT_MAX);
	ck_assert_ptr_null(strstr(text, "timeline"));
	again = parse(text);
	ck_assert(again->flags & RECORD_FLAG(TRUNCATED));
	ck_assert_uint_eq(again->app_count, RECORD_LIST_MAX);
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(a_timeline_has_a_single_byte_too)
{
	struct record *r = parse(
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":1,\"node\":\"n\",\"uid\":0,\"start\":1,\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"read_bytes\":1,\"write_bytes\":1,\"read_calls\":1,\"write_calls\":1,\"timeline\":{\"start\":8,\"width_s\":1,\"read_bytes\":[1],\"write_bytes\":[0,1],\"calls\":[1,1]}}]}");

	ck_assert_uint_eq(r->app[0].timeline.count, 2);
	ck_assert_int_eq(timeline_sum(&r->app[0].timeline, TIMELINE_WRITE), 1);
	record_free(r);
}
END_TEST

START_TEST(a_nul_is_no_end_of_a_record)
{
	static const char text[] =
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":1,\"node\":\"n\",\"uid\":0,\"start\":1}\0 {";
	struct err err = { "" };
	size_t behind;

	record_free(parse(text));
	for (behind = 1; behind <= 3; behind++) {
		ck_assert_ptr_null(record_parse(text, strlen(text) + behind, &err));
		ck_assert_str_eq(err.text, "record: not JSON: a NUL character");
	}
}
END_TEST

START_TEST(half_a_record_is_refused_at_every_length)
{
	struct err err;
	size_t i;

	for (i = 0; i < strlen(full); i++)
		ck_assert_ptr_null(record_parse(full, i, &err));
}
END_TEST

static void change_bytes(char *text, unsigned int seed)
{
	size_t i, size = strlen(text);
	struct err err;

	for (i = 0; i < (size_t)rounds(20000); i++) {
		size_t at;
		char old;

		seed = seed * 1103515245u + 12345u;
		at = (seed >> 8) % size;
		old = text[at];
		text[at] = (char)(seed >> 24);
		record_free(record_parse(text, size, &err));
		text[at] = old;
	}
	free(text);
}

START_TEST(a_changed_byte_never_harms_the_reader)
{
	change_bytes(strdup(full), 1);
	change_bytes(
		with_timeline(
			"{\"start\":1795224862,\"width_s\":2,\"read_bytes\":[0,7,0,3],\"calls\":[0,1]}"),
		2);
}
END_TEST

START_TEST(nesting_without_end_is_refused)
{
	char deep[20000];
	struct err err;

	memset(deep, '[', sizeof(deep));
	ck_assert_ptr_null(record_parse(deep, sizeof(deep), &err));
	ck_assert_str_eq(err.text, "record: not JSON: nesting too deep");
}
END_TEST

START_TEST(too_much_to_say_is_cut_and_flagged)
{
	struct record *r = minimal(), *again;
	struct err err;
	char *text, big[10000];
	int i;

	memset(big, 'x', sizeof(big) - 1);
	big[sizeof(big) - 1] = 0;
	for (i = 0; i < RECORD_LIST_MAX + 5; i++)
		record_add_finding(r, "W01", "info", "t", NULL);
	record_add_mount(r, big, "wekafs", "x");
	record_add_client(r, "work", "nfs", NULL, NULL);
	ck_assert_uint_eq(r->finding_count, RECORD_LIST_MAX);
	ck_assert_uint_eq(r->flags, RECORD_FLAG(TRUNCATED));
	text = record_text(r, &err);
	again = parse(text);
	ck_assert_uint_eq(strlen(again->mounts[0].mount), RECORD_STRING_MAX);
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

static void app_of(struct record *r, const char *source, const char *fs, enum record_scope scope)
{
	struct record_io io;

	record_io_init(&io);
	strcpy(io.source, source);
	io.fs = (char *)fs;
	io.scope = scope;
	record_add_app(r, &io);
}

START_TEST(the_first_of_too_many_stay_as_they_are)
{
	struct record *r = minimal();
	const size_t last = RECORD_LIST_MAX - 1;
	struct cpuset cpus = { 0 };
	char name[16];
	size_t i;

	cpuset_add(&cpus, 3);
	for (i = 0; i < RECORD_LIST_MAX + 1; i++) {
		snprintf(name, sizeof(name), "c%zu", i);
		record_add_part(r, (int64_t)i, 0, &cpus);
		record_add_client(r, name, "nfs", NULL, NULL);
		record_add_mount(r, name, "nfs", "s:/");
		record_add_change(r, "", name, "t", "1", "2", 1, 1);
		record_add_finding(r, name, "info", "t", NULL);
		app_of(r, name, NULL, RECORD_SCOPE_JOB);
	}
	ck_assert_uint_eq(r->part_count, RECORD_LIST_MAX);
	ck_assert_int_eq(r->parts[last].socket, (int64_t)last);
	ck_assert_uint_eq(r->client_count, RECORD_LIST_MAX);
	ck_assert_str_eq(r->clients[last].name, "c63");
	ck_assert_uint_eq(r->mount_count, RECORD_LIST_MAX);
	ck_assert_str_eq(r->mounts[last].mount, "c63");
	ck_assert_uint_eq(r->change_count, RECORD_LIST_MAX);
	ck_assert_str_eq(r->changes[last].what, "c63");
	ck_assert_uint_eq(r->finding_count, RECORD_LIST_MAX);
	ck_assert_str_eq(r->findings[last].code, "c63");
	ck_assert_uint_eq(r->app_count, RECORD_LIST_MAX);
	ck_assert_str_eq(r->app[last].source, "c63");
	ck_assert_uint_eq(r->flags, RECORD_FLAG(TRUNCATED));
	record_free(r);
}
END_TEST

/* The text of a record with too much in it; caller frees. */
static char *cut_text(const struct record *r)
{
	struct err err = { "" };
	char *text = record_text(r, &err);

	ck_assert_msg(text != NULL, "%s", err.text);
	ck_assert_uint_le(strlen(text), RECORD_TEXT_MAX);
	return text;
}

START_TEST(histograms_give_way_after_timelines)
{
	struct record *r = minimal(), *again;
	struct record_io io;
	char *text;
	int i, k;

	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = 7;
	for (k = 0; k < RECORD_HIST_COUNT; k++) {
		io.has_hist[k] = true;
		for (i = 0; i < RECORD_BINS; i++)
			io.hist[k][i] = INT64_MAX;
	}
	for (i = 0; i < RECORD_LIST_MAX; i++)
		record_add_app(r, &io);
	text = cut_text(r);
	again = parse(text);
	ck_assert_uint_eq(again->flags, RECORD_FLAG(TRUNCATED));
	ck_assert_uint_eq(again->app_count, RECORD_LIST_MAX);
	ck_assert(!again->app[0].has_hist[RECORD_READ_SIZES]);
	ck_assert_int_eq(again->app[63].numbers[RECORD_READ_BYTES], 7);
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

/* As many of everything as there may be, and each as long. */
static struct record *endless(void)
{
	static char big[RECORD_STRING_MAX + 1];
	struct record *r = minimal();
	struct record_io io;
	int i;

	memset(big, '"', sizeof(big) - 1);
	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.fs = big;
	record_add_client(r, "work", "nfs", NULL, NULL);
	for (i = 0; i < RECORD_LIST_MAX; i++) {
		record_add_finding(r, "W01", i ? "info" : "error", big, big);
		record_add_change(r, "work", big, big, big, big, 1, 1);
		record_add_mount(r, big, "nfs4", big);
		record_add_app(r, &io);
		record_add_wire(r, &io);
	}
	return r;
}

START_TEST(the_first_of_each_list_stay_where_all_are_too_long)
{
	struct record *r = endless(), *again;
	char *text = cut_text(r);

	again = parse(text);
	ck_assert_uint_eq(again->flags, RECORD_FLAG(TRUNCATED));
	ck_assert_uint_ge(again->finding_count, 2);
	ck_assert_uint_lt(again->finding_count, RECORD_LIST_MAX);
	ck_assert_str_eq(again->findings[0].severity, "error");
	ck_assert_uint_eq(again->change_count, again->finding_count);
	ck_assert_uint_eq(again->mount_count, again->finding_count);
	ck_assert_uint_eq(again->app_count, again->finding_count);
	ck_assert_uint_eq(again->wire_count, again->finding_count);
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(half_of_each_list_stays_where_that_is_short_enough)
{
	static char big[RECORD_STRING_MAX + 1];
	struct record *r = minimal(), *again;
	char *text;
	int i;

	memset(big, 'x', sizeof(big) - 1);
	for (i = 0; i < RECORD_LIST_MAX; i++)
		record_add_finding(r, "W01", "info", big, NULL);
	text = cut_text(r);
	again = parse(text);
	ck_assert_uint_eq(again->flags, RECORD_FLAG(TRUNCATED));
	ck_assert_uint_eq(again->finding_count, RECORD_LIST_MAX / 2);
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(bytes_that_are_not_text_cannot_spoil_a_record)
{
	struct record *r = minimal(), *again;
	struct err err;
	char *text;

	record_add_mount(r, "/m\xff\n\xc3\xa4\xc0\x80\xf0\x9f\x98\x80\xe2\x82\xac", "wekafs", "x");
	record_add_client(r, "work", "nfs", NULL, NULL);
	text = record_text(r, &err);
	again = parse(text);
	ck_assert_str_eq(again->mounts[0].mount, "/m??\xc3\xa4??\xf0\x9f\x98\x80\xe2\x82\xac");
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(what_a_record_says_cannot_turn_a_terminal)
{
	char *text = with("\"text\":\"a\"", "\"text\":\"\xc2\x9b"
					    "31m\\u009b\\u202e\"");
	struct record *r = parse(text);

	ck_assert_str_eq(r->findings[0].text, "?31m??");
	record_free(r);
	free(text);
	text = with("alice", "al\\u0085\xe2\x80\xaeice");
	r = parse(text);
	ck_assert_str_eq(r->user, "al??ice");
	record_free(r);
	free(text);
}
END_TEST

START_TEST(a_record_without_a_name_cannot_be_built)
{
	struct record *r = minimal();
	struct err err;

	strcpy(r->node, "a/b");
	ck_assert_ptr_null(record_text(r, &err));
	ck_assert_str_eq(err.text, "record: node: 'a/b': not a name");
	record_free(r);
}
END_TEST

START_TEST(every_flag_and_operation_has_one_name)
{
	unsigned int i;

	for (i = 0; i < RECORD_FLAG_COUNT; i++) {
		ck_assert_uint_eq(record_flag(record_flag_name(i)), 1u << i);
		ck_assert(strlen(record_flag_words(i)) > 10);
	}
	ck_assert_ptr_null(record_flag_name(RECORD_FLAG_COUNT));
	ck_assert_ptr_null(record_flag_words(RECORD_FLAG_COUNT));
	ck_assert_ptr_null(record_meta_name(RECORD_META_COUNT));
	ck_assert_str_eq(record_meta_name(RECORD_META_FSYNC), "fsync");
	ck_assert_str_eq(record_meta_name(RECORD_META_STATFS), "statfs");
}
END_TEST

START_TEST(counters_alone_travel_from_one_record_to_another)
{
	const char *text =
		"{\"tier\":\"bpf\",\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/mnt/weka\",\"read_bytes\":1,\"write_bytes\":2,\"read_calls\":3,\"write_calls\":4,\"read_sizes\":[0,5]}],\"quality\":[\"aio_missing\"]}\n";
	struct record *r = parse(full);
	struct err err = { "" };
	char *out;

	ck_assert_int_eq(record_counters_add(r, text, strlen(text), &err), 0);
	ck_assert_uint_eq(r->app_count, 2);
	ck_assert_str_eq(r->app[1].fs, "/mnt/weka");
	ck_assert_int_eq(r->app[1].hist[RECORD_READ_SIZES][1], 5);
	ck_assert(r->flags & RECORD_FLAG(AIO_MISSING));
	ck_assert(r->flags & RECORD_FLAG(INCLUDES_STEPD));
	out = record_counters_text(r);
	ck_assert_msg(out, "%s", err.text);
	ck_assert_ptr_nonnull(strstr(out, "\"fs\":\"/mnt/weka\""));
	ck_assert_ptr_nonnull(strstr(out, "\"quality\":[\"all_files\",\"includes_stepd\","));
	free(out);
	record_free(r);
}
END_TEST

START_TEST(each_of_several_counters_goes_over)
{
	const char *text =
		"{\"app\":[{\"scope\":\"job\",\"source\":\"a\"},{\"scope\":\"job\",\"source\":\"b\"},{\"scope\":\"node\",\"source\":\"c\"}]}";
	struct record *r = minimal();
	struct err err = { "" };

	ck_assert_int_eq(record_counters_add(r, text, strlen(text), &err), 0);
	ck_assert_uint_eq(r->app_count, 3);
	ck_assert_str_eq(r->app[1].source, "b");
	ck_assert_str_eq(r->app[2].source, "c");
	ck_assert_int_eq(r->app[2].scope, RECORD_SCOPE_NODE);
	record_free(r);
}
END_TEST

START_TEST(what_was_not_made_is_not_restored)
{
	struct record *r = minimal();

	record_add_change(r, "c", "w", "t", "1", "2", 0, 1);
	record_add_change(r, "c", "w", "t", "1", "2", 1, 1);
	record_add_change(r, "c", "w", "t", "1", "2", 1, 0);
	record_add_change(r, "c", "w", "t", "1", "2", -1, 1);
	ck_assert_int_eq(r->changes[0].made, 0);
	ck_assert_int_eq(r->changes[0].restored, -1);
	ck_assert_int_eq(r->changes[1].restored, 1);
	ck_assert_int_eq(r->changes[2].restored, 0);
	ck_assert_int_eq(r->changes[3].restored, 1);
	record_free(r);
}
END_TEST

START_TEST(counters_that_are_wrong_at_the_end_change_nothing)
{
	const char *text =
		"{\"app\":[{\"scope\":\"job\",\"source\":\"bpf\"},{\"scope\":\"job\",\"source\":\"bpf\",\"read_bytes\":-1}]}";
	struct record *r = parse(full);
	struct err err = { "" };

	ck_assert_int_eq(record_counters_add(r, text, strlen(text), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "read_bytes: '-1'"));
	ck_assert_uint_eq(r->app_count, 1);
	ck_assert_int_eq(record_counters_add(r, "[]", 2, &err), -1);
	ck_assert_str_eq(err.text, "record: not an object");
	record_free(r);
}
END_TEST

START_TEST(a_brief_text_has_all_but_timelines_and_histograms)
{
	static const char whole[] =
		"{\"a\":\"x,\\\"timeline\\\":{\",\"timeline\":{\"start\":0,\"l\":[1,2]},\"meta\":{\"open\":1},\"read_sizes\":[0,1],\"write_sizes\":[2],\"read_ns\":[],\"write_ns\":[3],\"b\":7,\"read_ns\":null}";
	char brief[sizeof(whole)];
	size_t size = record_text_brief(whole, sizeof(whole) - 1, brief);

	brief[size] = 0;
	ck_assert_str_eq(
		brief,
		"{\"a\":\"x,\\\"timeline\\\":{\",\"meta\":{\"open\":1},\"b\":7,\"read_ns\":null}");
}
END_TEST

/* Everything that a record may say. */
static const char *const all =
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"restart\":0,\"node\":\"c1\",\"nodelist\":\"c[1-2]\",\"uid\":1000,\"gid\":1000,\"user\":\"alice\",\"boot_id\":\"b-1\",\"up\":3600.200,\"start\":1000.060,\"end\":1100.110,\"array\":{\"job\":5,\"task\":1},\"het\":{\"job\":6,\"offset\":2},\"request\":{\"io_cores\":1,\"profile\":\"stream\",\"applied\":true,\"cores_met\":false},\"refused\":\"no\",\"gate\":{\"warned\":1,\"refused\":2,\"text\":\"why\"},\"io_cores\":{\"count\":1,\"abstract\":\"1\",\"os_cpus\":\"1,3\"},\"machine\":{\"job_cpus\":\"0,2\",\"parts\":[{\"socket\":0,\"numa_node\":1,\"cpus\":\"0-3\"}]},\"client\":{\"name\":\"w\",\"type\":\"weka\",\"version\":\"4\",\"cpus\":\"1,3\",\"app_to_wire\":\"a\",\"card\":{\"names\":\"ib0\",\"numa_nodes\":\"0-1\",\"beside\":false},\"mounts\":[{\"mount\":\"/w\",\"fstype\":\"wekafs\",\"source\":\"default\"}]},\"more_clients\":[{\"name\":\"h\",\"type\":\"nfs\",\"version\":\"5\",\"cpus\":\"2\",\"mounts\":[{\"mount\":\"/h\",\"fstype\":\"nfs4\",\"source\":\"s:/h\"}]}],\"changes\":[{\"client\":\"w\",\"what\":\"mount-option\",\"target\":\"/w\",\"old\":\"a\",\"new\":\"b\",\"restored\":true,\"made\":true}],\"findings\":[{\"code\":\"W01\",\"severity\":\"error\",\"text\":\"a\",\"cure\":\"b\",\"target\":\"/w\",\"users\":true},{\"code\":\"W02\",\"severity\":\"info\",\"text\":\"c\",\"cure\":\"d\",\"users\":false}],\"app\":[{\"scope\":\"job\",\"shared\":2,\"source\":\"bpf\",\"client\":\"w\",\"fs\":\"/w\",\"read_bytes\":10,\"write_bytes\":3,\"read_calls\":1,\"write_calls\":1,\"mmap_read_bytes\":1,\"mmap_write_bytes\":2,\"read_us\":12,\"write_us\":5,\"meta_calls\":1,\"meta_us\":2,\"asked_read_bytes\":3,\"asked_write_bytes\":4,\"resent\":5,\"queue_us\":6,\"backlog\":7,\"copies\":8,\"name_calls\":9,\"peak\":{\"read_Bps\":9,\"write_Bps\":1,\"window_s\":1},\"timeline\":{\"start\":1004,\"width_s\":4,\"read_bytes\":[10],\"write_bytes\":[3],\"calls\":[1,1]},\"meta\":{\"open\":3,\"create\":1,\"unlink\":1,\"rename\":1,\"mkdir\":1,\"rmdir\":1,\"stat\":1,\"lookup_miss\":1,\"readdir\":1,\"fsync\":1,\"link\":1,\"symlink\":1,\"mknod\":1,\"chmod\":7,\"chown\":1,\"utimes\":1,\"truncate\":1,\"xattr\":1,\"fallocate\":1,\"statfs\":1},\"read_sizes\":[0,0,4],\"write_sizes\":[1],\"read_ns\":[2],\"write_ns\":[0,3]}],\"wire\":[{\"scope\":\"node\",\"shared\":0,\"source\":\"weka\",\"fs\":null,\"read_bytes\":5,\"write_bytes\":6,\"read_calls\":7,\"write_calls\":8,\"read_ns\":[]}],\"steps\":2,\"quality\":[\"all_files\"]}";

START_TEST(all_that_a_record_may_say_is_written_again_byte_for_byte)
{
	struct err err;
	struct record *r = parse(all);
	char *text = record_text(r, &err);

	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, all);
	ck_assert_uint_eq(r->client_count, 2);
	ck_assert_uint_eq(r->mounts[0].client, 0);
	ck_assert_uint_eq(r->mounts[1].client, 1);
	ck_assert_int_eq(r->het_offset, 2);
	ck_assert_int_eq(r->app[0].hist[RECORD_WRITE_NS][1], 3);
	free(text);
	record_free(r);
}
END_TEST

/* Behind the value that begins here. */
static const char *value_end(const char *value)
{
	if (*value == '{' || *value == '[')
		return json_end(value);
	if (*value == '"')
		return strchr(value + 1, '"') + 1;
	return value + strcspn(value, ",}]");
}

/* The same with another value there: is it refused? */
static void expect_refused_at(const char *value, const char *other)
{
	const char *end = value_end(value);
	char *text = malloc(strlen(all) + strlen(other) + 1);
	struct err err = { "" };
	struct record *r;

	memcpy(text, all, (size_t)(value - all));
	strcpy(text + (value - all), other);
	strcat(text, end);
	r = record_parse(text, strlen(text), &err);
	ck_assert_msg(!r, "%.60s taken as %.20s", value, other);
	ck_assert_int_eq(strncmp(err.text, "record: ", 8), 0);
	free(text);
}

START_TEST(a_value_of_a_wrong_type_is_refused_wherever_it_is)
{
	const char *at;

	for (at = strstr(all, "\":"); at; at = strstr(at + 2, "\":"))
		expect_refused_at(at + 2, "[[7]]");
}
END_TEST

START_TEST(a_negative_number_is_refused_wherever_it_is)
{
	const char *at;

	for (at = strstr(all, "\":"); at; at = strstr(at + 2, "\":"))
		if (strchr("0123456789", at[2]))
			expect_refused_at(at + 2, "-1");
}
END_TEST

START_TEST(a_text_that_is_too_long_is_refused_wherever_it_is)
{
	static char longer[RECORD_STRING_MAX + 4];
	const char *at;

	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = longer[sizeof(longer) - 2] = '"';
	for (at = strstr(all, "\":"); at; at = strstr(at + 2, "\":"))
		if (at[2] == '"' && strncmp(at - 8, "nodelist", 8) != 0)
			expect_refused_at(at + 2, longer);
}
END_TEST

START_TEST(an_array_or_het_job_needs_both_of_its_numbers)
{
	static const char *const rows[][3] = {
		{ "\"array\":{\"job\":5,\"task\":1}", "\"array\":{\"job\":5}",
		  "record: array: needs job and task" },
		{ "\"array\":{\"job\":5,\"task\":1}", "\"array\":{\"task\":5}",
		  "record: array: needs job and task" },
		{ "\"het\":null", "\"het\":{\"job\":0}", "record: het: needs job and offset" },
		{ "\"het\":null", "\"het\":{\"offset\":0}", "record: het: needs job and offset" },
	};
	struct record *r;
	char *text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_refused_with(rows[i][0], rows[i][1], rows[i][2]);
	text = with("\"het\":null", "\"het\":{\"job\":0,\"offset\":0}");
	r = parse(text);
	ck_assert_int_eq(r->het_job, 0);
	ck_assert_int_eq(r->het_offset, 0);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(a_record_ends_a_day_before_its_start_at_most)
{
	struct record *r = record_new();
	struct err err = { "" };

	strcpy(r->cluster, "c");
	strcpy(r->node, "n");
	r->job = 1;
	r->start = 100000;
	r->end = 13600;
	ck_assert_int_eq(record_check_head(r, &err), 0);
	r->end = 13599;
	ck_assert_int_eq(record_check_head(r, &err), -1);
	ck_assert_str_eq(err.text, "record: end: more than a day before the start");
	r->end = 0;
	r->start = 86400;
	ck_assert_int_eq(record_check_head(r, &err), 0);
	r->start = 86401;
	ck_assert_int_eq(record_check_head(r, &err), -1);
	r->end = -1;
	ck_assert_int_eq(record_check_head(r, &err), 0);
	r->start = 0;
	ck_assert_int_eq(record_check_head(r, &err), 0);
	r->start = -1;
	ck_assert_int_eq(record_check_head(r, &err), -1);
	ck_assert_str_eq(err.text, "record: start: not a time");
	r->start = RECORD_TIME_MAX;
	ck_assert_int_eq(record_check_head(r, &err), -1);
	r->start = 1;
	r->end = RECORD_TIME_MAX;
	ck_assert_int_eq(record_check_head(r, &err), -1);
	ck_assert_str_eq(err.text, "record: end: not a time");
	r->end = 2;
	r->up = RECORD_TIME_MAX;
	ck_assert_int_eq(record_check_head(r, &err), -1);
	r->up = 1;
	strcpy(r->node, ".n");
	ck_assert_int_eq(record_check_head(r, &err), -1);
	strcpy(r->node, "");
	ck_assert_int_eq(record_check_head(r, &err), -1);
	record_free(r);
}
END_TEST

START_TEST(a_list_that_is_full_is_said_beside_what_else_there_is)
{
	struct record *r = record_new();
	int i;

	r->flags = RECORD_FLAG(ALL_FILES);
	for (i = 0; i < RECORD_LIST_MAX; i++)
		record_add_mount(r, "/m", "nfs", "s");
	ck_assert_uint_eq(r->flags, RECORD_FLAG(ALL_FILES));
	record_add_mount(r, "/n", "nfs", "s");
	ck_assert_uint_eq(r->mount_count, RECORD_LIST_MAX);
	ck_assert_uint_eq(r->flags, RECORD_FLAG(ALL_FILES) | RECORD_FLAG(TRUNCATED));
	record_free(r);
}
END_TEST

START_TEST(what_a_job_asked_for_and_did_not_get_is_said)
{
	struct record *r = record_new();

	record_lacks_all(r);
	ck_assert_int_eq(r->profile_applied, -1);
	ck_assert_int_eq(r->cores_met, -1);
	r->has_request = true;
	r->request.io_cores = 1;
	record_lacks_all(r);
	ck_assert_int_eq(r->profile_applied, -1);
	ck_assert_int_eq(r->cores_met, 0);
	r->request.io_cores = 0;
	r->cores_met = -1;
	strcpy(r->request.profile, "p");
	record_lacks_all(r);
	ck_assert_int_eq(r->profile_applied, 0);
	ck_assert_int_eq(r->cores_met, -1);
	record_free(r);
}
END_TEST

START_TEST(a_client_is_found_by_its_name_and_the_first_by_none)
{
	struct record *r = record_new();
	struct cpuset nodes = { 0 };

	ck_assert_ptr_null(record_client_named(r, ""));
	record_set_app_to_wire(r, "nobody");
	record_set_cards(r, "ib0", &nodes);
	record_add_client(r, "a", "weka", "1", NULL);
	record_add_client(r, "b", "nfs", "2", "3");
	record_set_app_to_wire(r, "words");
	cpuset_add(&nodes, 1);
	record_set_cards(r, "ib0", &nodes);
	ck_assert_ptr_eq(record_client_named(r, ""), &r->clients[0]);
	ck_assert_ptr_eq(record_client_named(r, "b"), &r->clients[1]);
	ck_assert_ptr_null(record_client_named(r, "c"));
	ck_assert_str_eq(r->clients[1].app_to_wire, "words");
	ck_assert_str_eq(r->clients[1].cards, "ib0");
	ck_assert_str_eq(r->clients[1].card_nodes, "1");
	ck_assert_str_eq(r->clients[0].app_to_wire, "");
	record_add_mount(r, "/b", "nfs", "s");
	ck_assert_uint_eq(r->mounts[0].client, 1);
	record_free(r);
}
END_TEST

START_TEST(the_best_lines_are_the_first_source_that_has_any)
{
	struct record *r = record_new();

	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 0);
	app_of(r, "exit", "/other", RECORD_SCOPE_JOB);
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 1);
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_NODE), 0);
	record_add_mount(r, "/mnt", "nfs", "s");
	/* not the client's, and there is nothing better */
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 1);
	app_of(r, "bpf", "/mnt", RECORD_SCOPE_JOB);
	app_of(r, "bpf", "/other", RECORD_SCOPE_JOB);
	app_of(r, "bpf", "/mnt", RECORD_SCOPE_NODE);
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 2);
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_NODE), 8);
	app_of(r, "bpf", NULL, RECORD_SCOPE_JOB);
	app_of(r, "stepd", NULL, RECORD_SCOPE_JOB);
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 16);
	app_of(r, "bpf", NULL, RECORD_SCOPE_JOB);
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 16 + 64);
	record_free(r);
	r = record_new();
	app_of(r, "bpf", "/a", RECORD_SCOPE_JOB);
	app_of(r, "exit", "/a", RECORD_SCOPE_JOB);
	app_of(r, "bpf", "/b", RECORD_SCOPE_JOB);
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 5);
	record_add_mount(r, "/c", "nfs", "s");
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 5);
	record_free(r);
	r = record_new(); /* the first line is of another scope */
	app_of(r, "weka", NULL, RECORD_SCOPE_NODE);
	app_of(r, "exit", "/other", RECORD_SCOPE_JOB);
	record_add_mount(r, "/mnt", "nfs", "s");
	ck_assert_uint_eq(record_best_app(r, RECORD_SCOPE_JOB), 2);
	record_free(r);
}
END_TEST

START_TEST(a_record_is_read_up_to_the_longest_text)
{
	char *text = malloc(RECORD_TEXT_MAX + 1);
	struct err err = { "" };
	struct record *r;

	ck_assert_ptr_nonnull(text);
	memset(text, ' ', RECORD_TEXT_MAX + 1);
	memcpy(text, full, strlen(full));
	r = record_parse(text, RECORD_TEXT_MAX, &err);
	ck_assert_msg(r != NULL, "%s", err.text);
	record_free(r);
	ck_assert_ptr_null(record_parse(text, RECORD_TEXT_MAX + 1, &err));
	ck_assert_str_eq(err.text, "record: longer than 262144 bytes");
	free(text);
}
END_TEST

/* A record with as many findings as it can have. */
static struct record *with_all_findings(void)
{
	struct record *r = minimal();
	int i;

	for (i = 0; i < RECORD_LIST_MAX; i++)
		record_add_finding(r, "W01", "info", "t", NULL);
	return r;
}

/* What is read of a text that has 'more' at this place. */
static struct record *parse_with(const char *text, const char *at, const char *more)
{
	struct record *r;
	char *all;

	ck_assert_int_gt(asprintf(&all, "%.*s%s%s", (int)(at - text), text, more, at), 0);
	r = parse(all);
	free(all);
	return r;
}

#define FINDING "{\"code\":\"W02\",\"severity\":\"info\",\"text\":\"u\"}"

START_TEST(what_is_behind_a_full_list_is_not_read)
{
	struct record *r = with_all_findings(), *again;
	struct err err;
	char *text = record_text(r, &err), *at = strstr(text, "],\"app\"");

	ck_assert_ptr_nonnull(at);
	again = parse_with(text, at, "," FINDING);
	ck_assert_uint_eq(again->finding_count, RECORD_LIST_MAX);
	ck_assert_str_eq(again->findings[RECORD_LIST_MAX - 1].code, "W01");
	ck_assert_uint_eq(again->flags, RECORD_FLAG(TRUNCATED));
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

START_TEST(of_new_counters_nothing_is_known)
{
	static const bool none[RECORD_HIST_COUNT];
	struct record_io io;
	int i;

	memset(&io, 0x55, sizeof(io));
	record_io_init(&io);
	for (i = 0; i < RECORD_NUMBER_COUNT; i++)
		ck_assert_int_eq(io.numbers[i], RECORD_UNKNOWN);
	for (i = 0; i < RECORD_META_COUNT; i++)
		ck_assert_int_eq(io.meta[i], RECORD_UNKNOWN);
	ck_assert_mem_eq(io.has_hist, none, sizeof(none));
	for (i = 0; i < RECORD_PEAK_COUNT; i++)
		ck_assert_int_eq(io.peak[i], RECORD_UNKNOWN);
	ck_assert_int_eq(io.peak_window_s, RECORD_UNKNOWN);
	ck_assert_int_eq(io.shared, RECORD_UNKNOWN);
	ck_assert(!io.has_meta && !io.fs && !io.timeline.count);
	ck_assert(!*io.source && !*io.client);
	ck_assert_int_eq(io.scope, RECORD_SCOPE_JOB);
}
END_TEST

/* A record that says so of 'key': as many bytes as given. */
static char *with_bytes(const char *old, const char *key, size_t size)
{
	char *text, *new = malloc(size + 40);

	ck_assert_ptr_nonnull(new);
	memset(new + sprintf(new, "\"%s\":\"", key), 'x', size);
	strcpy(new + strlen(key) + 4 + size, "\"");
	text = with(old, new);
	free(new);
	return text;
}

START_TEST(a_text_may_be_as_long_as_its_room_and_no_longer)
{
	static const struct {
		const char *old, *key;
		size_t most;
		const char *why;
	} rows[] = {
		{ "\"boot_id\":\"b-1\"", "boot_id", RECORD_WORD_MAX - 1,
		  "record: boot_id: longer than 63 bytes" },
		{ "\"node\":\"c1\"", "node", RECORD_NAME_MAX - 1,
		  "record: node: longer than 255 bytes" },
		{ "\"nodelist\":\"c[1-2]\"", "nodelist", RECORD_NODELIST_MAX,
		  "record: nodelist: longer than 65536 bytes" },
		{ "\"text\":\"a\"", "text", RECORD_STRING_MAX,
		  "record: text: longer than 4096 bytes" },
	};
	char *text;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		text = with_bytes(rows[i].old, rows[i].key, rows[i].most);
		record_free(parse(text));
		free(text);
		text = with_bytes(rows[i].old, rows[i].key, rows[i].most + 1);
		expect_refused(text, rows[i].why);
		free(text);
	}
}
END_TEST

START_TEST(a_time_that_nobody_lives_to_see_is_refused_with_its_key)
{
	static const char *const times[] = { "1e11", "100000000000", "-0.5" };
	char new[60];
	size_t i;

	for (i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		snprintf(new, sizeof(new), "\"up\":%s", times[i]);
		expect_refused_with("\"up\":3600.200", new, "record: up: not a time");
	}
}
END_TEST

START_TEST(blanks_behind_a_record_are_none_of_it)
{
	static const char text[] =
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":1,\"node\":\"n\",\"uid\":0,\"start\":1} \t\r\n{";
	struct err err = { "" };
	struct record *r = record_parse(text, sizeof(text) - 2, &err);

	ck_assert_msg(r != NULL, "%s", err.text);
	record_free(r);
	ck_assert_ptr_null(record_parse(text, sizeof(text) - 1, &err));
	ck_assert_ptr_null(record_parse(text, 0, &err));
}
END_TEST

START_TEST(a_list_may_be_full_and_no_fuller)
{
	struct record *r = with_all_findings(), *again;
	char *text, *at;
	struct err err;

	ck_assert_uint_eq(r->flags, 0);
	text = record_text(r, &err);
	again = parse(text);
	ck_assert_uint_eq(again->finding_count, RECORD_LIST_MAX);
	ck_assert_uint_eq(again->flags, 0);
	record_free(again);
	at = strstr(text, "\"findings\":[");
	ck_assert_ptr_nonnull(at);
	again = parse_with(text, at + strlen("\"findings\":["), FINDING ",");
	ck_assert_uint_eq(again->finding_count, RECORD_LIST_MAX);
	ck_assert_str_eq(again->findings[0].code, "W02");
	ck_assert_uint_eq(again->flags, RECORD_FLAG(TRUNCATED));
	record_free(again);
	record_free(r);
	free(text);
}
END_TEST

/* A record of that many clients, named "c0" and so on, that have so many mounts each;
 * the last one of the last client is "/last". */
static struct record *with_clients(int clients, int mounts)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct record *r;
	int i, k;

	fputs("{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"n\",\"uid\":1,\"gid\":1,\"start\":1,\"end\":2,\"client\":",
	      out);
	for (i = 0; i < clients; i++) {
		fprintf(out, "%s{\"name\":\"c%d\",\"type\":\"nfs\",\"mounts\":[",
			i == 1 ? ",\"more_clients\":["
			: i    ? ","
			       : "",
			i);
		for (k = 0; k < mounts; k++)
			fprintf(out, "%s{\"mount\":\"/%s\",\"fstype\":\"nfs\"}", k ? "," : "",
				i + 1 == clients && k + 1 == mounts ? "last" : "m");
		fputs("]}", out);
	}
	fputs("]}", out);
	fclose(out);
	r = parse(text);
	free(text);
	return r;
}

START_TEST(the_first_mounts_and_clients_stay_whoever_has_one_too_many)
{
	static const struct {
		int clients, mounts;
		size_t kept_clients, kept_mounts, last_client;
		uint64_t flags;
		const char *last_mount;
	} cases[] = {
		{ 2, 32, 2, 64, 1, 0, "/last" },
		{ 64, 1, 64, 64, 63, 0, "/last" },
		{ 3, 32, 3, 64, 1, RECORD_FLAG(TRUNCATED), "/m" },
		{ 2, 33, 2, 64, 1, RECORD_FLAG(TRUNCATED), "/m" },
		{ 65, 1, 64, 64, 63, RECORD_FLAG(TRUNCATED), "/m" },
	};
	char name[16];
	struct record *r;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		r = with_clients(cases[i].clients, cases[i].mounts);
		ck_assert_uint_eq(r->client_count, cases[i].kept_clients);
		snprintf(name, sizeof(name), "c%zu", r->client_count - 1);
		ck_assert_str_eq(r->clients[r->client_count - 1].name, name);
		ck_assert_uint_eq(r->mount_count, cases[i].kept_mounts);
		ck_assert_str_eq(r->mounts[63].mount, cases[i].last_mount);
		ck_assert_uint_eq(r->mounts[63].client, cases[i].last_client);
		ck_assert_uint_eq(r->flags, cases[i].flags);
		record_free(r);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("record");
	TCase *tc = tcase_create("record");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_test(tc, what_is_read_is_written_again_byte_for_byte);
	tcase_add_test(tc, what_the_gate_did_and_whose_a_cure_is_travel_along);
	tcase_add_test(tc, every_field_arrives_in_the_struct);
	tcase_add_test(tc, a_list_of_cpus_that_is_too_long_is_unknown);
	tcase_add_test(tc, the_smallest_record_needs_only_its_key_and_its_owner);
	tcase_add_test(tc, keys_and_flags_of_a_later_version_do_no_harm);
	tcase_add_test(tc, a_bad_value_is_refused_with_its_key);
	tcase_add_test(tc, a_timeline_is_kept_without_empty_rows_at_its_ends);
	tcase_add_test(tc, a_timeline_that_is_not_what_was_moved_is_refused);
	tcase_add_test(tc, a_timeline_off_the_grid_is_refused);
	tcase_add_test(tc, rows_that_are_no_numbers_or_too_many_are_refused);
	tcase_add_test(tc, timelines_give_way_where_a_record_would_be_too_long);
	tcase_add_test(tc, half_a_record_is_refused_at_every_length);
	tcase_add_test(tc, a_changed_byte_never_harms_the_reader);
	tcase_add_test(tc, nesting_without_end_is_refused);
	tcase_add_test(tc, too_much_to_say_is_cut_and_flagged);
	tcase_add_test(tc, the_first_of_too_many_stay_as_they_are);
	tcase_add_test(tc, histograms_give_way_after_timelines);
	tcase_add_test(tc, the_first_of_each_list_stay_where_all_are_too_long);
	tcase_add_test(tc, bytes_that_are_not_text_cannot_spoil_a_record);
	tcase_add_test(tc, what_a_record_says_cannot_turn_a_terminal);
	tcase_add_test(tc, a_record_without_a_name_cannot_be_built);
	tcase_add_test(tc, every_flag_and_operation_has_one_name);
	tcase_add_test(tc, counters_alone_travel_from_one_record_to_another);
	tcase_add_test(tc, counters_that_are_wrong_at_the_end_change_nothing);
	tcase_add_test(tc, a_brief_text_has_all_but_timelines_and_histograms);
	tcase_add_test(tc, all_that_a_record_may_say_is_written_again_byte_for_byte);
	tcase_add_test(tc, a_value_of_a_wrong_type_is_refused_wherever_it_is);
	tcase_add_test(tc, a_negative_number_is_refused_wherever_it_is);
	tcase_add_test(tc, a_text_that_is_too_long_is_refused_wherever_it_is);
	tcase_add_test(tc, an_array_or_het_job_needs_both_of_its_numbers);
	tcase_add_test(tc, a_record_ends_a_day_before_its_start_at_most);
	tcase_add_test(tc, a_list_that_is_full_is_said_beside_what_else_there_is);
	tcase_add_test(tc, what_a_job_asked_for_and_did_not_get_is_said);
	tcase_add_test(tc, a_client_is_found_by_its_name_and_the_first_by_none);
	tcase_add_test(tc, the_best_lines_are_the_first_source_that_has_any);
	tcase_add_test(tc, a_list_may_be_full_and_no_fuller);
	tcase_add_test(tc, a_list_of_cpus_of_the_longest_text_is_known);
	tcase_add_test(tc, a_text_may_be_as_long_as_its_room_and_no_longer);
	tcase_add_test(tc, a_record_is_read_up_to_the_longest_text);
	tcase_add_test(tc, each_of_several_counters_goes_over);
	tcase_add_test(tc, what_was_not_made_is_not_restored);
	tcase_add_test(tc, a_time_that_nobody_lives_to_see_is_refused_with_its_key);
	tcase_add_test(tc, blanks_behind_a_record_are_none_of_it);
	tcase_add_test(tc, the_first_mounts_and_clients_stay_whoever_has_one_too_many);
	tcase_add_test(tc, what_is_behind_a_full_list_is_not_read);
	tcase_add_test(tc, of_new_counters_nothing_is_known);
	tcase_add_test(tc, a_timeline_has_a_single_byte_too);
	tcase_add_test(tc, half_of_each_list_stays_where_that_is_short_enough);
	tcase_add_test(tc, a_nul_is_no_end_of_a_record);
	tcase_set_timeout(tc, 60);
	suite_add_tcase(suite, tc);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
