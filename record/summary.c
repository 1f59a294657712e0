/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"

#define FLAGS_TEXT 300

/* ---- numbers ------------------------------------------------------------- */

struct unit {
	const char *name;
	double size;
};

static const struct unit byte_units[] = {
	{ "B", 1 },
	{ "KiB", 1024.0 },
	{ "MiB", 1048576.0 },
	{ "GiB", 1073741824.0 },
	{ "TiB", 1099511627776.0 },
	{ "PiB", 1125899906842624.0 },
	{ "EiB", 1152921504606846976.0 },
	{ NULL, 0 },
};

static const struct unit count_units[] = {
	{ "", 1 },     { "k", 1e3 },  { "M", 1e6 },  { "G", 1e9 },
	{ "T", 1e12 }, { "P", 1e15 }, { "E", 1e18 }, { NULL, 0 },
};

static const struct unit time_units[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { NULL, 0 },
};

/* Print three significant digits in the smallest unit that keeps them below 1000, so that the text
 * reads back as the same text. */
static void write_number(const struct unit *units, int64_t value, char *out, size_t room)
{
	const struct unit *unit = units;
	double scaled;

	if (value < 0) {
		snprintf(out, room, "-");
		return;
	}
	while (unit[1].name && (double)value / unit->size >= 1000)
		unit++;
	scaled = (double)value / unit->size;
	if (scaled >= 999.5 && scaled < 1000)
		scaled = 999; /* not 1000 of it, and 0.976 of the next unit would be less */
	if (unit == units || scaled >= 1000)
		snprintf(out, room, "%.0f%s", scaled, unit->name);
	else
		snprintf(out, room, "%.3g%s", scaled, unit->name);
}

void summary_count(int64_t count, char *out, size_t room)
{
	write_number(count_units, count, out, room);
}

static void write_time(int64_t ns, char *out, size_t room)
{
	write_number(time_units, ns, out, room);
}

/* ---- write --------------------------------------------------------------- */

void summary_init(struct summary *s)
{
	memset(s, 0, sizeof(*s));
	s->nodes_expected = SUMMARY_UNKNOWN;
	s->rd_bytes = s->rd_calls = s->wr_bytes = s->wr_calls = SUMMARY_UNKNOWN;
	s->client_rd = s->client_wr = s->meta = s->io_ns = SUMMARY_UNKNOWN;
	s->io_share = SUMMARY_UNKNOWN;
	s->rsz[0] = s->rsz[1] = s->wsz[0] = s->wsz[1] = SUMMARY_UNKNOWN;
	s->rlat_ns[0] = s->rlat_ns[1] = SUMMARY_UNKNOWN;
	s->wlat_ns[0] = s->wlat_ns[1] = SUMMARY_UNKNOWN;
	s->peak_rd = s->peak_wr = s->slowest_ns = SUMMARY_UNKNOWN;
}

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

static void set_percentiles(const int64_t *hist, int64_t *pair)
{
	int64_t total = 0;
	int bin;

	for (bin = 0; bin < IO_BINS; bin++)
		io_add_number(&total, hist[bin]);
	if (!total)
		return;
	pair[0] = percentile(hist, total, 50);
	pair[1] = percentile(hist, total, 99);
}

static void set_time(struct summary *s, const int64_t *n)
{
	int64_t us = io_time_us(n);

	if (us < 0 || n[IO_THREAD_US] <= 0)
		return;
	s->io_share = 100.0 * (double)us / (double)n[IO_THREAD_US];
	s->io_ns = us > INT64_MAX / 1000 ? INT64_MAX : us * 1000;
}

static int64_t failed_calls(const struct io *all, int error)
{
	int64_t calls = 0;
	int class;

	for (class = 0; class < IO_CLASS_COUNT; class ++)
		io_add_number(&calls, all->errors[error][class]);
	return calls;
}

static void set_errors(struct summary *s, const struct io *all)
{
	char one[32], number[16];
	int error, left = 0;

	for (error = 0; error < IO_ENOENT; error++) {
		if (failed_calls(all, error) <= 0)
			continue;
		summary_count(failed_calls(all, error), number, sizeof(number));
		snprintf(one, sizeof(one), "%s%s:%s", *s->err ? "," : "", io_errno_names[error],
			 number);
		if (left || strlen(s->err) + strlen(one) + sizeof(",+9") > sizeof(s->err))
			left++;
		else
			strcat(s->err, one);
	}
	if (left) {
		snprintf(one, sizeof(one), ",+%d", left);
		strcat(s->err, one);
	}
}

void summary_set_io(struct summary *s, const struct io *all)
{
	const int64_t *n = all->numbers;

	s->rd_bytes = n[IO_READ_BYTES];
	s->wr_bytes = n[IO_WRITE_BYTES];
	s->rd_calls = n[IO_READ_CALLS];
	s->wr_calls = n[IO_WRITE_CALLS];
	if (io_is_counted(all))
		s->scope = all->scope == IO_SCOPE_JOB ? SUMMARY_SCOPE_JOB : SUMMARY_SCOPE_NODE;
	if (all->scope != IO_SCOPE_JOB)
		return;
	s->meta = io_ops(all);
	set_time(s, n);
	set_errors(s, all);
	s->peak_rd = n[IO_PEAK_READ];
	s->peak_wr = n[IO_PEAK_WRITE];
	set_percentiles(all->hist[IO_READ_SIZES], s->rsz);
	set_percentiles(all->hist[IO_WRITE_SIZES], s->wsz);
	set_percentiles(all->hist[IO_READ_NS], s->rlat_ns);
	set_percentiles(all->hist[IO_WRITE_NS], s->wlat_ns);
}

int summary_encode(char *out, size_t room, const char *text)
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

struct line {
	char *out;
	size_t used;
};

/* The sizes of the fields and of numbers add up to less than SUMMARY_MAX: a token that does not fit
 * is a bug, and is left out. */
static void write_token(struct line *line, const char *key, const char *value)
{
	size_t room = SUMMARY_MAX - line->used;
	int n = snprintf(line->out + line->used, room, " %s=%s", key, *value ? value : "-");

	if (n < 0 || (size_t)n >= room)
		line->out[line->used] = 0;
	else
		line->used += (size_t)n;
}

/* If more than twenty are set, which no record has, the rest is "other". */
static void write_flags(struct line *line, const struct summary *s)
{
	static const char rest[] = ",other";
	char text[FLAGS_TEXT] = "";
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++) {
		if (!(s->flags & (UINT64_C(1) << bit)))
			continue;
		if (strlen(text) + strlen(record_flag_name(bit)) + sizeof(rest) + 1 >
		    sizeof(text)) {
			strcat(text, rest);
			break;
		}
		if (*text)
			strcat(text, ",");
		strcat(text, record_flag_name(bit));
	}
	write_token(line, "q", text);
}

static const char *const unmet_names[] = {
#define UNMET_NAME(id, name) name,
	SUMMARY_UNMET_PARTS(UNMET_NAME)
#undef UNMET_NAME
};

static void write_unmet(struct line *line, const struct summary *s)
{
	char text[64] = "";
	unsigned int bit;

	for (bit = 0; bit < SUMMARY_UNMET_COUNT; bit++) {
		if (!(s->unmet & (UINT32_C(1) << bit)))
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, unmet_names[bit]);
	}
	if (*text)
		write_token(line, "not", text);
}

static void write_gate(struct line *line, const struct summary *s)
{
	char text[64] = "", number[16];
	size_t used = 0;

	if (s->gate_warned > 0) {
		summary_count(s->gate_warned, number, sizeof(number));
		used = (size_t)snprintf(text, sizeof(text), "warn:%s", number);
	}
	if (s->gate_refused > 0) {
		summary_count(s->gate_refused, number, sizeof(number));
		snprintf(text + used, sizeof(text) - used, "%srefuse:%s", used ? "," : "", number);
	}
	if (*text)
		write_token(line, "gate", text);
}

static void write_of(struct line *line, const struct summary *s)
{
	if ((s->flags & RECORD_FLAG(ALL_FILES)) && (s->rd_bytes >= 0 || s->wr_bytes >= 0))
		write_token(line, "of", "all_files");
}

static const char *const scope_names[] = { "-", "job", "node" };

static void write_scope(struct line *line, const struct summary *s)
{
	write_token(line, "scope", scope_names[s->scope]);
}

static const char *const shape_names[] = {
	[TIMELINE_SHAPE_NONE] = "", [TIMELINE_STEADY] = "steady", [TIMELINE_BURSTS] = "bursts",
	[TIMELINE_TAIL] = "tail",   [TIMELINE_HEAD] = "head",
};

/* "steady", "bursts:3"; "" for none. 'room' of 16 is enough. */
static void shape_text(enum timeline_shape shape, int64_t bursts, char *out, size_t room)
{
	char number[16];

	summary_count(bursts, number, sizeof(number));
	snprintf(out, room, "%s%s%s", shape_names[shape], shape == TIMELINE_BURSTS ? ":" : "",
		 shape == TIMELINE_BURSTS ? number : "");
}

static void write_shape(struct line *line, const struct summary *s)
{
	char text[32];

	shape_text(s->shape, s->bursts, text, sizeof(text));
	if (*text)
		write_token(line, "shape", text);
}

static void write_imbalance(struct line *line, const struct summary *s)
{
	char text[SUMMARY_NODE + 32];

	snprintf(text, sizeof(text), "%.2f@%s", s->imbalance < 99999 ? s->imbalance : 99999,
		 s->busiest);
	if (s->imbalance > 0)
		write_token(line, "imb", text);
}

static void write_slowest(struct line *line, const struct summary *s)
{
	char text[SUMMARY_NODE + 32], time[16];

	write_time(s->slowest_ns, time, sizeof(time));
	snprintf(text, sizeof(text), "%s@%s", time, s->slowest);
	if (s->slowest_ns >= 0)
		write_token(line, "slow", text);
}

static void write_io(struct line *line, const struct summary *s)
{
	char text[48], time[16];

	write_time(s->io_ns, time, sizeof(time));
	snprintf(text, sizeof(text), "%.3g%%/%s",
		 s->io_share < 0.05  ? 0
		 : s->io_share > 999 ? 999
				     : s->io_share,
		 time);
	if (s->io_share >= 0)
		write_token(line, "io", text);
}

/* One row a key, in the order of the line. */
struct key {
	const char *name;
	const struct unit *units[2]; /* none: a text; one: a number; two: "A/B" */
	size_t at[2];
	int64_t least; /* printed if a number is that or more */
	void (*write)(struct line *line, const struct summary *s);
};

#define ALWAYS SUMMARY_UNKNOWN
#define AT(field) offsetof(struct summary, field)
#define TEXT(name, field, least)                                                                   \
	{                                                                                          \
		name, { NULL }, { AT(field), 0 }, least, NULL                                      \
	}
#define PAIR(name, unit, a, other, b, least)                                                       \
	{                                                                                          \
		name, { unit##_units, other##_units }, { AT(a), AT(b) }, least, NULL               \
	}
#define COUNT(name, a, least)                                                                      \
	{                                                                                          \
		name, { count_units, NULL }, { AT(a), AT(a) }, least, NULL                         \
	}
#define OWN(name, what)                                                                            \
	{                                                                                          \
		name, { NULL }, { 0 }, 0, write_##what                                             \
	}
static const struct key keys[] = {
	OWN("not", unmet),
	PAIR("rd", byte, rd_bytes, count, rd_calls, ALWAYS),
	PAIR("wr", byte, wr_bytes, count, wr_calls, ALWAYS),
	{ .name = "of", .write = write_of },
	PAIR("nodes", count, nodes_seen, count, nodes_expected, ALWAYS),
	TEXT("cores", cores, ALWAYS),
	TEXT("cpus", cpus, ALWAYS),
	TEXT("prof", prof, ALWAYS),
	TEXT("fs", fs, ALWAYS),
	OWN("scope", scope),
	TEXT("src", src, ALWAYS),
	OWN("q", flags),
	OWN("io", io),
	TEXT("err", err, 1),
	PAIR("wire", byte, client_rd, byte, client_wr, 0),
	COUNT("meta", meta, 0),
	PAIR("rsz", byte, rsz[0], byte, rsz[1], 0),
	PAIR("wsz", byte, wsz[0], byte, wsz[1], 0),
	PAIR("rlat", time, rlat_ns[0], time, rlat_ns[1], 0),
	PAIR("wlat", time, wlat_ns[0], time, wlat_ns[1], 0),
	PAIR("peak", byte, peak_rd, byte, peak_wr, 0),
	OWN("shape", shape),
	OWN("imb", imbalance),
	OWN("slow", slowest),
	PAIR("chg", count, restored, count, changed, 1),
	PAIR("find", count, errors, count, warnings, 1),
	COUNT("refused", refused, 1),
	OWN("gate", gate),
	COUNT("far", numa_remote, 1),
	TEXT("miss", miss, 1),
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static void write_key(struct line *line, const struct key *key, const struct summary *s)
{
	const int64_t *a = (const int64_t *)((const char *)s + key->at[0]);
	const int64_t *b = (const int64_t *)((const char *)s + key->at[1]);
	const char *word = (const char *)s + key->at[0];
	char text[64], number[32];

	if (!key->units[0] && (*word || key->least == ALWAYS))
		write_token(line, key->name, word);
	if (!key->units[0] || (*a < key->least && *b < key->least))
		return;
	write_number(key->units[0], *a, text, sizeof(text) - sizeof(number));
	if (key->units[1]) {
		write_number(key->units[1], *b, number, sizeof(number) - 1);
		strcat(strcat(text, "/"), number);
	}
	write_token(line, key->name, text);
}

void summary_text(const struct summary *s, char *out)
{
	struct line line = { out, (size_t)snprintf(out, SUMMARY_MAX, "jobio/1") };
	size_t i;

	for (i = 0; i < KEYS; i++)
		if (keys[i].write)
			keys[i].write(&line, s);
		else
			write_key(&line, &keys[i], s);
}
