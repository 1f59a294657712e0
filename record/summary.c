/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/summary.h"

#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/json.h"

/* Sizes of values, with the final 0: the sum of all in a line stays below SUMMARY_MAX. */
#define CPUS_MAX 40
#define PROFILE_MAX 36
#define FS_MAX 72
#define SOURCES_MAX 28
#define MISSING_MAX 46
#define NODE_MAX 44
#define ERRORS_MAX 40
#define FLAGS_MAX 300
#define WORD_MAX 80

/* ---- numbers ------------------------------------------------------------- */

struct unit {
	double base;
	const char *names[9];
};

static const struct unit bytes = { 1024, { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" } };
static const struct unit counts = { 1000, { "", "k", "M", "G", "T", "P", "E" } };
static const struct unit times = { 1000, { "ns", "us", "ms", "s" } };

struct number {
	char text[32];
};

/* Return three significant digits in the smallest unit that keeps them below 1000, so that the text
 * reads back as the same text; "-" for unknown. */
static struct number number(const struct unit *unit, int64_t value)
{
	const char *const *name = unit->names;
	double scaled = (double)value;
	struct number n = { "-" };

	if (value < 0)
		return n;
	for (; name[1] && scaled >= 1000; name++)
		scaled /= unit->base;
	if (scaled >= 999.5 && scaled < 1000)
		scaled = 999; /* not 1000 of it, and 0.976 of the next unit would be less */
	snprintf(n.text, sizeof(n.text),
		 name == unit->names || scaled >= 1000 ? "%.0f%s" : "%.3g%s", scaled, *name);
	return n;
}

static struct number count(int64_t value)
{
	return number(&counts, value);
}

/* ---- the line -------------------------------------------------------------- */

struct line {
	char *out;
	size_t used;
};

/* The sizes of values and numbers add up to less than SUMMARY_MAX: a token that does not fit is a
 * bug, and is left out. */
__attribute__((format(printf, 3, 4))) static void write_token(struct line *line, const char *key,
							      const char *format, ...)
{
	size_t room = SUMMARY_MAX - line->used;
	char value[FLAGS_MAX];
	va_list args;
	int n;

	va_start(args, format);
	vsnprintf(value, sizeof(value), format, args);
	va_end(args);
	n = snprintf(line->out + line->used, room, " %s=%s", key, *value ? value : "-");
	if (n < 0 || (size_t)n >= room)
		line->out[line->used] = 0;
	else
		line->used += (size_t)n;
}

static void write_pair(struct line *line, const char *key, const struct unit *units, int64_t a,
		       const struct unit *other_units, int64_t b)
{
	write_token(line, key, "%s/%s", number(units, a).text, number(other_units, b).text);
}

/* Unless both are 0. */
static void write_some(struct line *line, const char *key, int64_t a, int64_t b)
{
	if (a || b)
		write_pair(line, key, &counts, a, &counts, b);
}

/* Append 'text' to a value, with other bytes as %XX. Return -1 if it does not fit (out is then
 * unchanged). */
static int encode(char *out, size_t room, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=._-";
	size_t start = strlen(out), used = start;

	for (; *text; text++) {
		bool is_plain = strchr(plain, *text) != NULL;

		if (used + (is_plain ? 1 : 3) >= room) {
			out[start] = 0;
			return -1;
		}
		if (is_plain)
			out[used++] = *text;
		else
			used += (size_t)snprintf(out + used, room - used, "%%%02X",
						 (unsigned char)*text);
		out[used] = 0;
	}
	return 0;
}

/* Words joined by ",": as many as fit, then "+N". */
struct words {
	char text[FLAGS_MAX];
	size_t room;
	int omitted, most; /* most: of N */
};

/* [rest]: bytes to keep free for ",+N". */
static void add_word(struct words *words, const char *word, size_t rest)
{
	size_t size = strlen(word) + (*words->text != 0);

	if (words->omitted || strlen(words->text) + size + rest >= words->room)
		words->omitted++;
	else
		strcat(strcat(words->text, *words->text ? "," : ""), word);
}

static void write_words(struct line *line, const char *key, struct words *words)
{
	int omitted = words->omitted < words->most ? words->omitted : words->most;

	if (omitted)
		write_token(line, key, "%s%s+%d", words->text, *words->text ? "," : "", omitted);
	else
		write_token(line, key, "%s", words->text);
}

/* ---- what nodes have in common ------------------------------------------------ */

static void write_common(struct line *line, const char *key, const struct run_words *common,
			 const char *text)
{
	write_token(line, key, "%s", common->count > 1 ? "mixed" : text);
}

static void write_request(struct line *line, const struct run *run)
{
	const char *cores = run_first(&run->cores), *list = run_first(&run->cpus);
	char profile[PROFILE_MAX] = "";

	write_common(line, "cores", &run->cores, *cores ? count(atoll(cores)).text : "");
	/* a CPU list needs no encoding: digits, "," and "-" */
	if (strspn(list, "0123456789,-") != strlen(list))
		list = "";
	write_common(line, "cpus", &run->cpus, strlen(list) < CPUS_MAX ? list : "many");
	write_common(line, "prof", &run->profiles,
		     encode(profile, PROFILE_MAX, run_first(&run->profiles)) < 0 ? "many"
										 : profile);
}

/* Return true if it is listed before, as of another client. */
static bool is_listed(const struct run *run, const struct run_mount *mount)
{
	const struct run_mount *one = run->mounts;

	while (strcmp(one->mount, mount->mount) != 0 || strcmp(one->fstype, mount->fstype) != 0)
		one++;
	return one < mount;
}

/* "/mnt/weka:wekafs,/scratch:lustre" */
static void write_fs(struct line *line, const struct run *run)
{
	struct words words = { "", FS_MAX, 0, 99 };
	const struct run_mount *mount, *end = run->mounts + run->mount_count;
	char one[FS_MAX];

	for (mount = run->mounts; mount < end; mount++) {
		*one = 0;
		if (is_listed(run, mount))
			continue;
		if (encode(one, sizeof(one) - 1, mount->mount) < 0 ||
		    encode(strcat(one, ":"), sizeof(one), mount->fstype) < 0)
			words.omitted++;
		else
			add_word(&words, one, 6);
	}
	write_words(line, "fs", &words);
}

static int compare_words(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void write_sources(struct line *line, const struct run *run)
{
	struct words words = { "", SOURCES_MAX, 0, 9 };
	char encoded[RUN_WORDS_MAX][SOURCES_MAX] = { "" };
	size_t i, count = run->sources.count;

	for (i = 0; i < count; i++)
		if (encode(encoded[i], SOURCES_MAX, run->sources.word[i]) < 0)
			strcpy(encoded[i], "long");
	qsort(encoded, count, sizeof(*encoded), compare_words);
	for (i = 0; i < count; i++)
		add_word(&words, encoded[i], i + 1 < count ? 3 : 0);
	write_words(line, "src", &words);
}

static void write_missing(struct line *line, const struct run *run)
{
	struct words words = { "", MISSING_MAX, 0, INT_MAX };
	char one[MISSING_MAX];
	size_t i;

	for (i = 0; i < run->missing.count; i++) {
		*one = 0;
		if (encode(one, sizeof(one), run->missing.word[i]) < 0)
			words.omitted++;
		else
			add_word(&words, one, 8);
	}
	if (i)
		write_words(line, "miss", &words);
}

/* ---- flags ------------------------------------------------------------------- */

/* If more than twenty are set, which no record has, the rest is "other". */
static void write_flags(struct line *line, const struct run *run)
{
	static const char rest[] = ",other";
	char text[FLAGS_MAX] = "";
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++) {
		if (!(run->flags & (UINT64_C(1) << bit)))
			continue;
		if (strlen(text) + strlen(record_flag_name(bit)) + sizeof(rest) + 1 >
		    sizeof(text)) {
			strcat(text, rest);
			break;
		}
		strcat(strcat(text, *text ? "," : ""), record_flag_name(bit));
	}
	write_token(line, "q", "%s", text);
}

static void write_unmet(struct line *line, const struct run *run)
{
	static const char *const names[] = {
#define UNMET_NAME(id, name) name,
		RUN_UNMET_PARTS(UNMET_NAME)
#undef UNMET_NAME
	};
	struct words words = { .room = WORD_MAX };
	unsigned int bit;

	for (bit = 0; bit < RUN_UNMET_COUNT; bit++)
		if (run->unmet & (UINT32_C(1) << bit))
			add_word(&words, names[bit], 0);
	if (run->unmet)
		write_words(line, "not", &words);
}

/* ---- counters ------------------------------------------------------------------ */

static int64_t percentile(const int64_t *hist, int64_t total, int percent)
{
	int64_t seen = 0, wanted = total / 100 * percent + total % 100 * percent / 100;
	int bin;

	for (bin = 0; bin < IO_BINS - 2; bin++) {
		io_add_number(&seen, hist[bin]);
		if (seen > wanted || seen == total)
			break;
	}
	return bin < 62 ? INT64_C(1) << (bin + 1) : INT64_MAX;
}

static void write_percentiles(struct line *line, const char *key, const struct unit *units,
			      const int64_t *hist)
{
	int64_t total = 0;
	int bin;

	for (bin = 0; bin < IO_BINS; bin++)
		io_add_number(&total, hist[bin]);
	if (total)
		write_pair(line, key, units, percentile(hist, total, 50), units,
			   percentile(hist, total, 99));
}

static int64_t us_to_ns(int64_t us)
{
	return us > INT64_MAX / 1000 ? INT64_MAX : us * 1000;
}

static void write_io_time(struct line *line, const struct io *all)
{
	int64_t us = io_time_us(all->numbers), thread_us = all->numbers[IO_THREAD_US];
	double share = 100.0 * (double)us / (double)thread_us;

	if (us >= 0 && thread_us > 0)
		write_token(line, "io", "%.3g%%/%s",
			    share < 0.05  ? 0
			    : share > 999 ? 999
					  : share,
			    number(&times, us_to_ns(us)).text);
}

static void write_errors(struct line *line, const struct io *all)
{
	struct words words = { "", ERRORS_MAX, 0, INT_MAX };
	char one[64];
	int error, class;
	int64_t calls;

	for (error = 0; error < IO_ENOENT; error++) {
		for (calls = 0, class = 0; class < IO_CLASS_COUNT; class ++)
			io_add_number(&calls, all->errors[error][class]);
		snprintf(one, sizeof(one), "%s:%s", io_errno_names[error], count(calls).text);
		if (calls > 0)
			add_word(&words, one, 3);
	}
	if (*words.text)
		write_words(line, "err", &words);
}

static void write_client_io(struct line *line, const struct run *run)
{
	int64_t read = RECORD_UNKNOWN, written = RECORD_UNKNOWN;
	const struct run_series *series, *end = run->series + run->series_count;

	for (series = run->series; series < end; series++)
		if (series->kind == RUN_CLIENT_IO) {
			io_add_number(&read, series->io.numbers[IO_READ_BYTES]);
			io_add_number(&written, series->io.numbers[IO_WRITE_BYTES]);
		}
	if (read >= 0 || written >= 0)
		write_pair(line, "wire", &bytes, read, &bytes, written);
}

/* The shape of the job's I/O from the first start to the last end. With a clock skew it would be
 * that of the clocks. */
static void write_shape(struct line *line, const struct run *run, const struct io *all)
{
	static const char *const names[] = {
		[TIMELINE_STEADY] = "steady",
		[TIMELINE_TAIL] = "tail",
		[TIMELINE_HEAD] = "head",
	};
	int64_t bursts = 0;
	enum timeline_shape shape = timeline_shape(&all->timeline, (int64_t)run->first,
						   timeline_last(run->first, run->last), &bursts);

	if (run->clock_skew > 0 || shape == TIMELINE_SHAPE_NONE)
		return;
	if (shape == TIMELINE_BURSTS)
		write_token(line, "shape", "bursts:%s", count(bursts).text);
	else
		write_token(line, "shape", "%s", names[shape]);
}

/* Counters of scope job. */
static void write_job_io(struct line *line, const struct run *run, const struct io *all)
{
	const int64_t *n = all->numbers;

	write_io_time(line, all);
	write_errors(line, all);
	write_client_io(line, run);
	if (io_ops(all) >= 0)
		write_token(line, "meta", "%s", count(io_ops(all)).text);
	write_percentiles(line, "rsz", &bytes, all->hist[IO_READ_SIZES]);
	write_percentiles(line, "wsz", &bytes, all->hist[IO_WRITE_SIZES]);
	write_percentiles(line, "rlat", &times, all->hist[IO_READ_NS]);
	write_percentiles(line, "wlat", &times, all->hist[IO_WRITE_NS]);
	if (n[IO_PEAK_READ] >= 0 || n[IO_PEAK_WRITE] >= 0)
		write_pair(line, "peak", &bytes, n[IO_PEAK_READ], &bytes, n[IO_PEAK_WRITE]);
	write_shape(line, run, all);
}

/* ---- nodes ---------------------------------------------------------------------- */

/* Find the node with the largest sum of two numbers. Return the number of nodes that have one. */
static size_t find_most(const struct run *run, enum io_number a, enum io_number b, double *total,
			int64_t *most, char *name)
{
	const int64_t *numbers;
	size_t i, counted = 0;
	int64_t sum;

	*most = RECORD_UNKNOWN;
	*total = 0;
	for (i = 0; i < run->node_count; i++) {
		numbers = run->nodes[i]->numbers;
		sum = RECORD_UNKNOWN;
		io_add_number(&sum, numbers[a]);
		io_add_number(&sum, numbers[b]);
		if (sum < 0)
			continue;
		counted++;
		*total += (double)sum;
		if (sum <= *most)
			continue;
		*most = sum;
		*name = 0;
		(void)encode(name, NODE_MAX, run->nodes[i]->name);
	}
	return counted;
}

/* Compare the busiest node with the mean, if the counters are of scope job; and name the one with
 * the most time in calls. */
static void write_nodes(struct line *line, const struct run *run)
{
	char name[NODE_MAX] = "";
	double total, ratio;
	int64_t most;
	size_t counted;

	counted = find_most(run, IO_READ_BYTES, IO_WRITE_BYTES, &total, &most, name);
	ratio = total > 0 ? (double)most * (double)counted / total : 0;
	if (run->has_job_io && counted > 1 && ratio > 0)
		write_token(line, "imb", "%.2f@%s", ratio < 99999 ? ratio : 99999, name);
	if (find_most(run, IO_READ_US, IO_WRITE_US, &total, &most, name) > 1 && most > 0)
		write_token(line, "slow", "%s@%s", number(&times, us_to_ns(most)).text, name);
}

/* ---- settings and findings -------------------------------------------------------- */

static void write_changes(struct line *line, const struct run *run)
{
	int64_t changed = 0, restored = 0;
	const struct run_group *group;
	size_t at = 0;

	while ((group = run_next_group(run, RUN_GROUPED_CHANGES, &at))) {
		/* changes that may not have been made are not counted */
		if (!json_is_true(group->value, "made"))
			continue;
		changed += (int64_t)group->count;
		restored += json_is_true(group->value, "restored") ? (int64_t)group->count : 0;
	}
	write_some(line, "chg", restored, changed);
}

static void write_gate(struct line *line, const struct run *run)
{
	struct words words = { .room = WORD_MAX };
	char one[64];

	snprintf(one, sizeof(one), "warn:%s", count(run->gate_warned).text);
	if (run->gate_warned > 0)
		add_word(&words, one, 0);
	snprintf(one, sizeof(one), "refuse:%s", count(run->gate_refused).text);
	if (run->gate_refused > 0)
		add_word(&words, one, 0);
	if (*words.text)
		write_words(line, "gate", &words);
}

/* ---- all ---------------------------------------------------------------------------- */

static void write_moved(struct line *line, const struct run *run, const int64_t *n)
{
	bool is_counted = n[IO_READ_BYTES] >= 0 || n[IO_WRITE_BYTES] >= 0;

	write_pair(line, "rd", &bytes, n[IO_READ_BYTES], &counts, n[IO_READ_CALLS]);
	write_pair(line, "wr", &bytes, n[IO_WRITE_BYTES], &counts, n[IO_WRITE_CALLS]);
	if (is_counted && run->flags & RECORD_FLAG(ALL_FILES))
		write_token(line, "of", "all_files");
}

void summary_text(const struct run *run, char *out)
{
	struct line line = { out, (size_t)snprintf(out, SUMMARY_MAX, "jobio/1") };
	const struct io *all = run_io(run);

	write_unmet(&line, run);
	write_moved(&line, run, all->numbers);
	write_pair(&line, "nodes", &counts, run->nodes_seen, &counts, run->nodes_expected);
	write_request(&line, run);
	write_fs(&line, run);
	write_token(&line, "scope", "%s",
		    !io_is_counted(all) ? ""
		    : run->has_job_io	? "job"
					: "node");
	write_sources(&line, run);
	write_flags(&line, run);
	if (run->has_job_io)
		write_job_io(&line, run, all);
	else
		write_client_io(&line, run);
	write_nodes(&line, run);
	write_changes(&line, run);
	write_some(&line, "find", run_count(run, RUN_GROUPED_FINDINGS, "severity", "error"),
		   run_count(run, RUN_GROUPED_FINDINGS, "severity", "warning"));
	if (run->refused)
		write_token(&line, "refused", "%s", count(run->refused).text);
	write_gate(&line, run);
	if (run->numa_remote)
		write_token(&line, "far", "%s", count(run->numa_remote).text);
	write_missing(&line, run);
}
