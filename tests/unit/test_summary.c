/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <regex.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/summary.h"
#include "lib/record.h"
#include "tests/unit/runner.h"

static struct summary parse(const char *text)
{
	struct summary s;
	struct err err = { "" };

	ck_assert_msg(summary_parse(text, &s, &err) == 0, "refused: %s", err.text);
	return s;
}

static void expect_refused(const char *text, const char *why)
{
	struct summary s;
	struct err err = { "" };

	ck_assert_int_eq(summary_parse(text, &s, &err), -1);
	ck_assert_str_eq(err.text, why);
}

static void expect_bytes(int64_t bytes, const char *wanted)
{
	char text[32];

	summary_bytes(bytes, text, sizeof(text));
	ck_assert_str_eq(text, wanted);
}

static struct summary example(void)
{
	struct summary s;

	summary_init(&s);
	s.nodes_seen = s.nodes_expected = 4;
	strcpy(s.cores, "2");
	strcpy(s.cpus, "23,47");
	strcpy(s.prof, "stream");
	strcpy(s.fs, "/mnt/weka:wekafs");
	s.rd_bytes = INT64_C(1330408076902);
	s.rd_calls = 3400000;
	s.wr_bytes = INT64_C(332859965440);
	s.wr_calls = 120000;
	s.scope = SUMMARY_SCOPE_JOB;
	strcpy(s.src, "stepd");
	s.flags = RECORD_FLAG(ALL_FILES);
	return s;
}

START_TEST(a_summary_is_one_line_that_a_person_can_read)
{
	struct summary s = example();
	char text[SUMMARY_MAX];

	summary_text(&s, text);
	ck_assert_str_eq(
		text,
		"jobio/1 rd=1.21TiB/3.4M wr=310GiB/120k of=all_files nodes=4/4 cores=2 cpus=23,47 prof=stream fs=/mnt/weka:wekafs scope=job src=stepd q=all_files");
}
END_TEST

START_TEST(what_is_unknown_is_a_dash)
{
	struct summary s;
	char text[SUMMARY_MAX];

	summary_init(&s);
	summary_text(&s, text);
	ck_assert_str_eq(
		text,
		"jobio/1 rd=-/- wr=-/- nodes=0/- cores=- cpus=- prof=- fs=- scope=- src=- q=-");
}
END_TEST

START_TEST(what_is_read_back_prints_the_same_line)
{
	static const char *const lines[] = {
		"jobio/1 rd=-/- wr=-/- nodes=0/- cores=- cpus=- prof=- fs=- scope=- src=- q=-",
		"jobio/1 not=profile,gate rd=1KiB/1 wr=2KiB/2 of=all_files nodes=1/1 cores=- cpus=- prof=x/not-applied fs=- scope=job src=stepd q=all_files gate=warn:3,refuse:1.2k",
		"jobio/1 nodes=3/4 cores=mixed cpus=many prof=a fs=/m%20n:nfs,+2 rd=999B/1 wr=0.977KiB/999k scope=node src=exit,vfs q=all_files,node_rebooted,other wire=1TiB/- meta=12 rsz=4KiB/1MiB wsz=-/- rlat=64ns/1.05ms wlat=1.2s/3s peak=1.2GiB/- imb=1.52@c3 slow=4.1s@c2 chg=2/2 find=1/0 refused=1 miss=c4,+2",
	};
	char text[SUMMARY_MAX];
	struct summary s;
	size_t i;

	for (i = 0; i < 2; i++) {
		s = parse(lines[i]);
		summary_text(&s, text);
		ck_assert_str_eq(text, lines[i]);
	}
	s = parse(lines[2]); /* as jobio wrote it before, and rounded */
	ck_assert_int_eq(s.rd_bytes, 999);
	s.wsz[0] = s.wsz[1] = 512;
	summary_text(&s, text);
	ck_assert_ptr_nonnull(strstr(text, " wsz=512B/512B "));
	ck_assert_ptr_nonnull(strstr(text, " miss=c4,+2"));
	ck_assert_ptr_nonnull(strstr(text, " rlat=64ns/1.05ms "));
	ck_assert_ptr_nonnull(strstr(text, " peak=1.2GiB/- imb=1.52@c3 slow=4.1s@c2 chg="));
}
END_TEST

START_TEST(numbers_have_three_digits_and_a_unit)
{
	expect_bytes(-1, "-");
	expect_bytes(0, "0B");
	expect_bytes(999, "999B");
	expect_bytes(1000, "0.977KiB");
	expect_bytes(1024, "1KiB");
	expect_bytes(1536, "1.5KiB");
	expect_bytes(1023 * 1024, "0.999MiB");
	expect_bytes(INT64_C(5) << 40, "5TiB");
	expect_bytes(INT64_MAX, "8EiB");
}
END_TEST

/* The property: printing what was parsed from a print changes nothing. */
START_TEST(every_number_survives_the_way_there_and_back)
{
	uint64_t seed = 1;
	int i;

	for (i = 0; i < rounds(200000); i++) {
		char once[SUMMARY_MAX], twice[SUMMARY_MAX];
		struct summary s;

		seed = seed * UINT64_C(6364136223846793005) + 1;
		summary_init(&s);
		s.nodes_seen = 1;
		s.rd_bytes = (int64_t)(seed >> 1 >> (i % 63));
		s.rd_calls = (int64_t)(seed >> 3 >> (i % 61));
		s.rlat_ns[0] = s.rlat_ns[1] = (int64_t)(seed >> 20 >> (i % 43));
		summary_text(&s, once);
		s = parse(once);
		summary_text(&s, twice);
		ck_assert_str_eq(once, twice);
	}
}
END_TEST

static void fill(char *text, size_t room)
{
	memset(text, 'x', room - 1);
	text[room - 1] = 0;
}

START_TEST(the_longest_summary_fits_with_every_token)
{
	struct summary s;
	char text[SUMMARY_MAX];

	summary_init(&s);
	s.nodes_seen = s.nodes_expected = INT64_C(988888888888888888);
	fill(s.cores, sizeof(s.cores));
	fill(s.cpus, sizeof(s.cpus));
	fill(s.prof, sizeof(s.prof));
	fill(s.fs, SUMMARY_FS);
	fill(s.src, sizeof(s.src));
	fill(s.miss, SUMMARY_MISS);
	fill(s.busiest, sizeof(s.busiest));
	fill(s.slowest, sizeof(s.slowest));
	s.peak_rd = s.peak_wr = s.nodes_seen;
	s.slowest_ns = INT64_C(988888888888);
	s.rd_bytes = s.rd_calls = s.wr_bytes = s.wr_calls = s.nodes_seen;
	s.wire_rd = s.wire_wr = s.meta = s.nodes_seen;
	s.rsz[0] = s.rsz[1] = s.wsz[0] = s.wsz[1] = s.nodes_seen;
	s.rlat_ns[0] = s.rlat_ns[1] = INT64_C(988888888888);
	s.wlat_ns[0] = s.wlat_ns[1] = INT64_C(988888888888);
	s.scope = SUMMARY_SCOPE_NODE;
	s.flags = (UINT32_C(1) << RECORD_FLAG_COUNT) - 1;
	s.imbalance = 98765;
	s.restored = s.changed = s.errors = s.warnings = s.nodes_seen;
	s.refused = s.gate_warned = s.gate_refused = s.far = s.nodes_seen;
	s.lacks = (UINT32_C(1) << SUMMARY_LACK_COUNT) - 1;
	s.shape = TIMELINE_BURSTS;
	s.bursts = TIMELINE_ROWS;
	summary_text(&s, text);
	ck_assert_uint_le(strlen(text), 1000);
	ck_assert_ptr_nonnull(strstr(text, " shape=bursts:64 "));
	ck_assert_ptr_nonnull(strstr(text, "jobio/1 not=started,profile,cores,gate rd="));
	ck_assert_ptr_nonnull(strstr(text, " refused="));
	ck_assert_ptr_nonnull(strstr(text, " far=989P "));
	ck_assert_ptr_nonnull(strstr(text, " gate=warn:989P,refuse:989P "));
	ck_assert_ptr_nonnull(strstr(text, " peak="));
	ck_assert_ptr_nonnull(strstr(text, " slow=989s@xxx"));
	ck_assert_ptr_nonnull(strstr(text, " miss=xxx"));
	parse(text);
}
END_TEST

START_TEST(keys_of_a_later_version_are_ignored)
{
	struct summary s = parse("jobio/1 new=1 nodes=2/2 q=tomorrow rd=1B/1 shape=spiral:4");

	ck_assert_int_eq(s.shape, TIMELINE_SHAPE_NONE);

	ck_assert_int_eq(s.nodes_seen, 2);
	ck_assert_int_eq(s.rd_bytes, 1);
	ck_assert_uint_eq(s.flags, RECORD_FLAG(OTHER));
}
END_TEST

START_TEST(text_that_is_no_summary_is_refused_with_the_token)
{
	expect_refused("", "summary: '': not a jobio/1 summary");
	expect_refused("hello world", "summary: 'hello': not a jobio/1 summary");
	expect_refused("jobio/1", "summary: nodes= is missing");
	expect_refused("jobio/1 nodes=2/2 rd=", "summary: 'rd=': not key=value");
	expect_refused("jobio/1 nodes=2/2 rd=1XB/3", "summary: 'rd=1XB/3': not a value of rd");
	expect_refused("jobio/1 nodes=2", "summary: 'nodes=2': not a value of nodes");
	expect_refused("jobio/1 nodes=1/1 scope=all", "summary: 'scope=all': not a value of scope");
	expect_refused("jobio/1 nodes=1/1 a|b=2", "summary: 'a|b=2': not key=value");
	expect_refused("jobio/1 nodes=1/1 imb=x@c", "summary: 'imb=x@c': not a value of imb");
	expect_refused("jobio/1 nodes=1/1 slow=-@c", "summary: 'slow=-@c': not a value of slow");
	expect_refused("jobio/1 nodes=1/1 slow=4s", "summary: 'slow=4s': not a value of slow");
	expect_refused("jobio/1 nodes=1/1 peak=4GiB", "summary: 'peak=4GiB': not a value of peak");
	expect_refused("jobio/1 nodes=1/1 shape=bursts",
		       "summary: 'shape=bursts': not a value of shape");
	expect_refused("jobio/1 nodes=1/1 shape=bursts:65",
		       "summary: 'shape=bursts:65': not a value of shape");
	expect_refused("jobio/1 nodes=1/1 shape=bursts:-",
		       "summary: 'shape=bursts:-': not a value of shape");
	expect_refused("jobio/1 nodes=1/1 gate=warn", "summary: 'gate=warn': not a value of gate");
	expect_refused("jobio/1 nodes=1/1 gate=warn:x",
		       "summary: 'gate=warn:x': not a value of gate");
}
END_TEST

START_TEST(changed_bytes_never_harm_the_parser)
{
	struct summary s = example();
	char text[SUMMARY_MAX], bad[SUMMARY_MAX];
	unsigned int seed = 7, n;
	int i;
	struct err err;

	s.imbalance = 1.5;
	strcpy(s.busiest, "c1");
	s.wire_rd = s.rsz[0] = s.rsz[1] = s.rlat_ns[0] = s.rlat_ns[1] = 1000;
	summary_text(&s, text);
	for (i = 0; i < rounds(100000); i++) {
		strcpy(bad, text);
		for (n = 0; n <= (unsigned int)i % 4; n++) {
			seed = seed * 1103515245u + 12345u;
			bad[(seed >> 8) % strlen(text)] = (char)(seed >> 24);
		}
		(void)summary_parse(bad, &s, &err);
	}
}
END_TEST

static uint64_t rng;

static unsigned int below(unsigned int limit)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (unsigned int)(rng >> 33) % limit;
}

/* Another seed: JOBIO_FUZZ_SEED; another number of texts: JOBIO_FUZZ_COUNT. */
static unsigned long number_from_env(const char *name, unsigned long other)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : other;
}

/* A value that a token may have, or almost. */
static void put_value(char *out, size_t room)
{
	static const char *const pieces[] = {
		"-",	    "0",	 "1",	  "9",
		"999",	    "1000",	 ".",	  "1.5",
		"B",	    "KiB",	 "EiB",	  "k",
		"E",	    "ns",	 "us",	  "ms",
		"s",	    "/",	 "@",	  ",",
		"+2",	    "job",	 "node",  "mixed",
		"many",	    "all_files", "other", "%20",
		"=",	    "|",	 "99999", "18446744073709551616",
		"1e9",	    "-1",	 "nan",	  "inf",
		"warn:3",   "profile",	 "0x10",  "/mnt/weka:wekafs",
		"\303\244", "\t",
	};
	unsigned int count = 1 + below(5);

	*out = 0;
	while (count-- > 0) {
		const char *piece = pieces[below(sizeof(pieces) / sizeof(*pieces))];

		if (strlen(out) + strlen(piece) < room)
			strcat(out, piece);
	}
}

/* A line of tokens in any order, some of them twice, some of them damaged. */
static void put_line(char *out, size_t room)
{
	static const char *const names[] = {
		"nodes", "cores", "cpus", "prof", "fs",	  "rd",	     "wr",   "scope",
		"src",	 "q",	  "wire", "meta", "rsz",  "wsz",     "rlat", "wlat",
		"imb",	 "chg",	  "peak", "slow", "find", "refused", "miss", "later",
		"x",	 "",	  "not",  "gate", "of",	  "shape",
	};
	unsigned int count = below(24);
	char value[120], token[200];
	size_t size;

	strcpy(out, below(30) ? "jobio/1 nodes=2/3" : "jobio/1");
	while (count-- > 0) {
		put_value(value, sizeof(value));
		size = (size_t)snprintf(token, sizeof(token), "%s%s%s%s", below(40) ? " " : "  ",
					names[below(sizeof(names) / sizeof(*names))],
					below(40) ? "=" : "", value);
		if (strlen(out) + size < room)
			strcat(out, token);
	}
	for (count = below(10) ? 0 : below(4); count > 0; count--)
		out[below((unsigned int)strlen(out))] = (char)(1 + below(255));
}

static void expect_texts_end(const struct summary *s, const char *line)
{
	ck_assert_msg(
		memchr(s->cores, 0, sizeof(s->cores)) && memchr(s->cpus, 0, sizeof(s->cpus)) &&
			memchr(s->prof, 0, sizeof(s->prof)) && memchr(s->fs, 0, sizeof(s->fs)) &&
			memchr(s->src, 0, sizeof(s->src)) && memchr(s->miss, 0, sizeof(s->miss)) &&
			memchr(s->busiest, 0, sizeof(s->busiest)),
		"a text runs over: %s", line);
}

/* What the parser takes says the same when it is written and read again. 1: it
 * took it. */
static int expect_stable(const char *line, const regex_t *grammar)
{
	char first[SUMMARY_MAX], second[SUMMARY_MAX];
	struct summary s;
	struct err err = { "" };

	if (summary_parse(line, &s, &err) < 0) {
		ck_assert_msg(!strncmp(err.text, "summary: ", 9), "%s", line);
		return 0;
	}
	expect_texts_end(&s, line);
	summary_text(&s, first);
	ck_assert_msg(regexec(grammar, first, 0, NULL, 0) == 0,
		      "not by the grammar: %s\nmade of: %s", first, line);
	s = parse(first);
	summary_text(&s, second);
	if (strcmp(first, second) != 0) { /* rounded twice at the most */
		strcpy(first, second);
		s = parse(first);
		summary_text(&s, second);
	}
	ck_assert_msg(!strcmp(first, second), "%s\nis not: %s\nmade of: %s", first, second, line);
	return 1;
}

START_TEST(whatever_a_line_says_the_parser_takes_it_apart_or_refuses_it)
{
	unsigned long seed = number_from_env("JOBIO_FUZZ_SEED", 20261121);
	unsigned long count = number_from_env("JOBIO_FUZZ_COUNT", (unsigned long)rounds(100000));
	unsigned long left = count, taken = 0;
	char line[SUMMARY_MAX + 200];
	regex_t grammar;

	printf("fuzz: %lu lines, JOBIO_FUZZ_SEED=%lu\n", count, seed);
	fflush(stdout);
	ck_assert_int_eq(regcomp(&grammar, "^jobio/1( [a-z]+=[A-Za-z0-9+/=._:;,@%-]+)+$",
				 REG_EXTENDED | REG_NOSUB),
			 0);
	rng = seed ? seed : 1;
	while (left-- > 0) {
		put_line(line, sizeof(line));
		taken += (unsigned long)expect_stable(line, &grammar);
	}
	regfree(&grammar);
	/* or nothing but refusals has been tried */
	ck_assert_uint_ge(taken, count / 20);
	ck_assert_uint_le(taken, count - count / 20);
}
END_TEST

START_TEST(odd_bytes_of_a_path_are_written_as_percent_signs)
{
	char out[12] = "";

	ck_assert_int_eq(summary_encode(out, sizeof(out), "/a b,"), 0);
	ck_assert_str_eq(out, "/a%20b%2C");
	ck_assert_int_eq(summary_encode(out, sizeof(out), "xyz"), -1);
	ck_assert_str_eq(out, "/a%20b%2C");
}
END_TEST

/* The optional tokens of an example that has only this to say. */
static void expect_extra(const struct summary *s, const char *wanted)
{
	char text[SUMMARY_MAX], again[SUMMARY_MAX];
	struct summary back;
	const char *extra;

	summary_text(s, text);
	extra = strstr(text, " q=all_files");
	ck_assert_ptr_nonnull(extra);
	ck_assert_str_eq(extra + strlen(" q=all_files"), wanted);
	back = parse(text);
	summary_text(&back, again);
	ck_assert_str_eq(again, text);
}

START_TEST(zero_is_a_number_and_each_token_stands_alone)
{
	static const struct {
		size_t first, second;
		const char *one, *zero, *other; /* first 1, first 0, second 0 */
	} rows[] = {
		{ offsetof(struct summary, wire_rd), offsetof(struct summary, wire_wr),
		  " wire=1B/-", " wire=0B/-", " wire=-/0B" },
		{ offsetof(struct summary, peak_rd), offsetof(struct summary, peak_wr),
		  " peak=1B/-", " peak=0B/-", " peak=-/0B" },
		{ offsetof(struct summary, rsz[0]), offsetof(struct summary, rsz[1]), " rsz=1B/-",
		  " rsz=0B/-", "" },
		{ offsetof(struct summary, wsz[0]), offsetof(struct summary, wsz[1]), " wsz=1B/-",
		  " wsz=0B/-", "" },
		{ offsetof(struct summary, rlat_ns[0]), offsetof(struct summary, rlat_ns[1]),
		  " rlat=1ns/-", " rlat=0ns/-", "" },
		{ offsetof(struct summary, wlat_ns[0]), offsetof(struct summary, wlat_ns[1]),
		  " wlat=1ns/-", " wlat=0ns/-", "" },
		{ offsetof(struct summary, meta), 0, " meta=1", " meta=0", "" },
		{ offsetof(struct summary, refused), 0, " refused=1", "", "" },
		{ offsetof(struct summary, far), 0, " far=1", "", "" },
		{ offsetof(struct summary, changed), 0, " chg=0/1", "", "" },
		{ offsetof(struct summary, errors), 0, " find=1/0", "", "" },
		{ offsetof(struct summary, warnings), 0, " find=0/1", "", "" },
	};
	static const char *const shapes[] = { "", " shape=steady", " shape=bursts:12",
					      " shape=tail", " shape=head" };
	struct summary s;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		s = example();
		*(int64_t *)((char *)&s + rows[i].first) = 1;
		expect_extra(&s, rows[i].one);
		*(int64_t *)((char *)&s + rows[i].first) = 0;
		expect_extra(&s, rows[i].zero);
		s = example();
		if (rows[i].second)
			*(int64_t *)((char *)&s + rows[i].second) = 0;
		expect_extra(&s, rows[i].other);
	}
	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		s = example();
		s.shape = (enum timeline_shape)i;
		s.bursts = 12;
		expect_extra(&s, shapes[i]);
	}
	s = example();
	s.slowest_ns = 0;
	strcpy(s.slowest, "n1");
	expect_extra(&s, " slow=0ns@n1");
	snprintf(s.slowest, sizeof(s.slowest), "%043d", 0);
	expect_extra(&s, " slow=0ns@0000000000000000000000000000000000000000000");
	s = example();
	s.imbalance = 2;
	snprintf(s.busiest, sizeof(s.busiest), "%043d", 1);
	expect_extra(&s, " imb=2.00@0000000000000000000000000000000000000000001");
	s = example();
	s.imbalance = 1e9;
	strcpy(s.busiest, "n1");
	expect_extra(&s, " imb=99999.00@n1");
}
END_TEST

START_TEST(the_last_byte_that_fits_is_taken_and_one_more_is_not)
{
	char out[8] = "", text[SUMMARY_MAX + 64];
	struct summary s;

	ck_assert_int_eq(summary_encode(out, 8, "1234567"), 0);
	ck_assert_int_eq(summary_encode(out, 8, "1"), -1);
	*out = 0;
	ck_assert_int_eq(summary_encode(out, 8, "12345678"), -1);
	ck_assert_str_eq(out, "");
	ck_assert_int_eq(summary_encode(out, 8, "1234 "), 0);
	ck_assert_str_eq(out, "1234%20");
	*out = 0;
	ck_assert_int_eq(summary_encode(out, 8, "12345 "), -1);
	/* a node's name of 43 bytes, and of 44 */
	snprintf(text, sizeof(text), "jobio/1 nodes=1/1 imb=1.5@%043d", 0);
	s = parse(text);
	ck_assert_uint_eq(strlen(s.busiest), 43);
	snprintf(text, sizeof(text), "jobio/1 nodes=1/1 imb=1.5@%044d", 0);
	ck_assert_int_eq(summary_parse(text, &s, NULL), -1);
	/* a line of 1,000 bytes, and of 1,001 */
	snprintf(text, sizeof(text), "jobio/1 nodes=1/1 new=%0978d", 0);
	ck_assert_uint_eq(strlen(text), SUMMARY_MAX - 1);
	parse(text);
	strcat(text, "0");
	expect_refused(text, "summary: longer than 1000 bytes");
}
END_TEST

START_TEST(values_that_are_nearly_right_are_refused)
{
	static const char *const bad[] = { "imb=1.5",  "imb=@n1", "imb=1.5.5@n1", "imb=100000@n1",
					   "slow=@n1", "rd=1B",	  "rd=/1",	  "rd=1..0KiB/1",
					   "meta=1XB", "rsz=1B/x" };
	char text[128], why[192];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "jobio/1 nodes=1/1 %s", bad[i]);
		snprintf(why, sizeof(why), "summary: '%s': not a value of %.*s", bad[i],
			 (int)strcspn(bad[i], "="), bad[i]);
		expect_refused(text, why);
	}
	expect_refused("jobio/1 nodes=1/1 =2", "summary: '=2': not key=value");
	expect_refused("jobio/1 nodes=1/1 a", "summary: 'a': not key=value");
	ck_assert(parse("jobio/1 nodes=1/1 imb=99999@n1").imbalance > 99998);
}
END_TEST

START_TEST(numbers_between_two_units_keep_three_digits)
{
	char text[32];

	expect_bytes(1023487, "999KiB");
	expect_bytes(1023488, "999KiB"); /* 999.5 */
	expect_bytes(1023999, "999KiB");
	expect_bytes(1024000, "0.977MiB");
	expect_bytes(1022464, "998KiB"); /* 998.5 */
	summary_time(999, text, sizeof(text));
	ck_assert_str_eq(text, "999ns");
	summary_time(INT64_C(999000000000), text, sizeof(text));
	ck_assert_str_eq(text, "999s");
	summary_time(INT64_C(1000000000000), text, sizeof(text));
	ck_assert_str_eq(text, "1000s");
	summary_time(INT64_C(1234000000000), text, sizeof(text));
	ck_assert_str_eq(text, "1234s");
}
END_TEST

START_TEST(a_number_is_read_to_its_last_digit)
{
	struct summary s;

	s = parse("jobio/1 nodes=1/1 rd=8EiB/1.5k wr=00000000000000000000001B/0");
	ck_assert_int_eq(s.rd_bytes, INT64_MAX);
	ck_assert_int_eq(s.rd_calls, 1500);
	ck_assert_int_eq(s.wr_bytes, 1); /* 23 digits */
	expect_refused("jobio/1 nodes=1/1 meta=000000000000000000000001",
		       "summary: 'meta=000000000000000000000001': not a value of meta");
	expect_refused("jobio/1 nodes=1/1 meta=.5", "summary: 'meta=.5': not a value of meta");
	expect_refused("jobio/1 nodes=1/1 meta=k", "summary: 'meta=k': not a value of meta");
	expect_refused("jobio/1 nodes=1/1 meta=1.2.3",
		       "summary: 'meta=1.2.3': not a value of meta");
	expect_refused("jobio/1 nodes=1/1 rd=x/1", "summary: 'rd=x/1': not a value of rd");
	expect_refused("jobio/1 nodes=1/1 rd=1B/x", "summary: 'rd=1B/x': not a value of rd");
}
END_TEST

START_TEST(either_half_of_the_gate_stands_alone)
{
	struct summary s = example();

	s.gate_warned = 1;
	expect_extra(&s, " gate=warn:1");
	s.gate_warned = 0;
	s.gate_refused = 1;
	expect_extra(&s, " gate=refuse:1");
}
END_TEST

/* The flags of a line, "all_files,other"; 'out' has room for a line. */
static void flags_of(uint32_t flags, char *out)
{
	char text[SUMMARY_MAX];
	struct summary s;

	summary_init(&s);
	s.flags = flags;
	summary_text(&s, text);
	strcpy(out, strstr(text, " q=") + 3);
}

START_TEST(as_many_flags_are_said_as_fit_and_the_rest_is_other)
{
	const uint32_t all = (UINT32_C(1) << RECORD_FLAG_COUNT) - 1;
	char text[SUMMARY_MAX], *next;
	uint32_t flags;
	unsigned int bit;
	int i, cut = 0;

	rng = 1;
	for (i = 0; i < 3000; i++) {
		/* most of them, not "other" */
		flags = all & ~RECORD_FLAG(OTHER);
		for (bit = below(12); bit; bit--)
			flags &= ~(UINT32_C(1) << below(RECORD_FLAG_COUNT));
		flags_of(flags, text);
		ck_assert_uint_lt(strlen(text), 300);
		for (bit = 0, next = text; bit < RECORD_FLAG_COUNT; bit++) {
			if (!(flags >> bit & 1))
				continue;
			if (!strcmp(next, "other"))
				break;
			ck_assert_int_eq(strncmp(next, record_flag_name(bit), strcspn(next, ",")),
					 0);
			next += strlen(record_flag_name(bit));
			next += *next == ',';
		}
		if (bit == RECORD_FLAG_COUNT)
			continue;
		/* this one did not fit with a comma and ",other" behind it */
		cut++;
		*next = '\0';
		ck_assert_uint_ge(strlen(text) + strlen(record_flag_name(bit)) + strlen(",other"),
				  300);
	}
	ck_assert_int_gt(cut, 100);
	ck_assert_int_lt(cut, 2900);
}
END_TEST

START_TEST(bits_that_have_no_word_are_not_said)
{
	char text[SUMMARY_MAX];
	struct summary s;

	summary_init(&s);
	s.flags = ~((UINT32_C(1) << RECORD_FLAG_COUNT) - 1);
	s.lacks = ~((UINT32_C(1) << SUMMARY_LACK_COUNT) - 1);
	summary_text(&s, text);
	ck_assert_str_eq(
		text,
		"jobio/1 rd=-/- wr=-/- nodes=0/- cores=- cpus=- prof=- fs=- scope=- src=- q=-");
}
END_TEST

START_TEST(all_files_is_said_of_either_direction)
{
	char text[SUMMARY_MAX];
	struct summary s;

	summary_init(&s);
	s.flags = RECORD_FLAG(ALL_FILES);
	s.rd_bytes = 0;
	summary_text(&s, text);
	ck_assert_ptr_nonnull(strstr(text, " rd=0B/- wr=-/- of=all_files "));
	s.rd_bytes = SUMMARY_UNKNOWN;
	s.wr_bytes = 0;
	summary_text(&s, text);
	ck_assert_ptr_nonnull(strstr(text, " rd=-/- wr=0B/- of=all_files "));
	s.wr_bytes = SUMMARY_UNKNOWN;
	summary_text(&s, text);
	ck_assert_ptr_null(strstr(text, " of="));
}
END_TEST

START_TEST(an_imbalance_has_a_largest_value)
{
	struct summary s = example();

	s.imbalance = 99998.5;
	strcpy(s.busiest, "n1");
	expect_extra(&s, " imb=99998.50@n1");
	s.imbalance = 99999.5;
	expect_extra(&s, " imb=99999.00@n1");
	s.imbalance = 1;
	expect_extra(&s, " imb=1.00@n1");
	expect_refused("jobio/1 nodes=1/1 imb=99999.5@n1",
		       "summary: 'imb=99999.5@n1': not a value of imb");
	expect_refused("jobio/1 nodes=1/1 slow=4x@n1",
		       "summary: 'slow=4x@n1': not a value of slow");
}
END_TEST

START_TEST(a_text_of_a_token_fills_its_place_and_no_more)
{
	char line[SUMMARY_MAX], wanted[SUMMARY_MAX], word[64];
	struct summary s;

	fill(word, sizeof(s.cores));
	snprintf(line, sizeof(line), "jobio/1 nodes=1/1 cores=%s", word);
	s = parse(line);
	ck_assert_str_eq(s.cores, word);
	fill(word, sizeof(s.cores) + 1);
	snprintf(line, sizeof(line), "jobio/1 nodes=1/1 cores=%s", word);
	snprintf(wanted, sizeof(wanted), "summary: 'cores=%s': not a value of cores", word);
	expect_refused(line, wanted);
}
END_TEST

START_TEST(no_flag_and_no_scope_are_dashes)
{
	expect_refused("jobio/1 nodes=1/1 q=,", "summary: 'q=,': not a value of q");
	ck_assert_uint_eq(parse("jobio/1 nodes=1/1 q=-").flags, 0);
	ck_assert_int_eq(parse("jobio/1 nodes=1/1 scope=-").scope, SUMMARY_SCOPE_NONE);
	ck_assert_int_eq(parse("jobio/1 nodes=1/1 scope=node").scope, SUMMARY_SCOPE_NODE);
}
END_TEST

START_TEST(what_the_job_did_not_get_is_read_back)
{
	struct summary s =
		parse("jobio/1 not=cores,tomorrow,gate nodes=1/1 gate=later:x,warn:2,refuse:3");

	ck_assert_uint_eq(s.lacks, SUMMARY_LACK(CORES) | SUMMARY_LACK(GATE));
	ck_assert_int_eq(s.gate_warned, 2);
	ck_assert_int_eq(s.gate_refused, 3);
	s = parse("jobio/1 not=started,profile nodes=1/1");
	ck_assert_uint_eq(s.lacks, SUMMARY_LACK(STARTED) | SUMMARY_LACK(PROFILE));
}
END_TEST

UNIT_MAIN("summary", bits_that_have_no_word_are_not_said,
	  a_summary_is_one_line_that_a_person_can_read, what_is_unknown_is_a_dash,
	  what_is_read_back_prints_the_same_line, numbers_have_three_digits_and_a_unit,
	  every_number_survives_the_way_there_and_back, the_longest_summary_fits_with_every_token,
	  keys_of_a_later_version_are_ignored, text_that_is_no_summary_is_refused_with_the_token,
	  changed_bytes_never_harm_the_parser,
	  whatever_a_line_says_the_parser_takes_it_apart_or_refuses_it,
	  odd_bytes_of_a_path_are_written_as_percent_signs,
	  zero_is_a_number_and_each_token_stands_alone,
	  the_last_byte_that_fits_is_taken_and_one_more_is_not,
	  values_that_are_nearly_right_are_refused, numbers_between_two_units_keep_three_digits,
	  a_number_is_read_to_its_last_digit, either_half_of_the_gate_stands_alone,
	  as_many_flags_are_said_as_fit_and_the_rest_is_other,
	  all_files_is_said_of_either_direction, an_imbalance_has_a_largest_value,
	  a_text_of_a_token_fills_its_place_and_no_more, no_flag_and_no_scope_are_dashes,
	  what_the_job_did_not_get_is_read_back)
