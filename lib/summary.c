/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/summary.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record.h"

#define FLAGS_TEXT 300

static const char allowed[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/=._:;,@%-";

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

/* Three significant digits in the smallest unit that keeps them below 1000,
 * so that what is printed reads back as what is printed again. */
static void put_number(const struct unit *units, int64_t value, char *out, size_t room)
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
		scaled = 999; /* not 1000 of it, and 0.976 would read less */
	if (unit == units || scaled >= 1000)
		snprintf(out, room, "%.0f%s", scaled, unit->name);
	else
		snprintf(out, room, "%.3g%s", scaled, unit->name);
}

void summary_bytes(int64_t bytes, char *out, size_t room)
{
	put_number(byte_units, bytes, out, room);
}

void summary_count(int64_t count, char *out, size_t room)
{
	put_number(count_units, count, out, room);
}

void summary_time(int64_t ns, char *out, size_t room)
{
	put_number(time_units, ns, out, room);
}

/* Read "1.21TiB" or "-"; -1 for anything else. */
static int get_number(const struct unit *units, const char *text, int64_t *value)
{
	size_t digits = strspn(text, "0123456789."), i;
	char number[24];
	double scaled;
	char *end;

	if (!strcmp(text, "-")) {
		*value = SUMMARY_UNKNOWN;
		return 0;
	}
	if (!digits || digits >= sizeof(number) || *text == '.')
		return -1;
	memcpy(number, text, digits);
	number[digits] = 0;
	scaled = strtod(number, &end);
	if (*end)
		return -1;
	for (i = 0; units[i].name; i++) {
		if (strcmp(units[i].name, text + digits) != 0)
			continue;
		scaled = round(scaled * units[i].size);
		*value = scaled < 0x1p63 ? (int64_t)scaled : INT64_MAX;
		return 0;
	}
	return -1;
}

/* "A/B" of two units */
static int get_pair(const struct unit *first, const struct unit *second, char *text, int64_t *a,
		    int64_t *b)
{
	char *slash = strchr(text, '/');

	if (!slash)
		return -1;
	*slash = 0;
	return get_number(first, text, a) < 0 || get_number(second, slash + 1, b) < 0 ? -1 : 0;
}

/* ---- write --------------------------------------------------------------- */

void summary_init(struct summary *s)
{
	memset(s, 0, sizeof(*s));
	s->nodes_expected = SUMMARY_UNKNOWN;
	s->rd_bytes = s->rd_calls = s->wr_bytes = s->wr_calls = SUMMARY_UNKNOWN;
	s->wire_rd = s->wire_wr = s->meta = SUMMARY_UNKNOWN;
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

static void take_percentiles(const int64_t *hist, int64_t *pair)
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

void summary_take(struct summary *s, const struct io *all)
{
	const int64_t *n = all->numbers;

	s->rd_bytes = n[IO_READ_BYTES];
	s->wr_bytes = n[IO_WRITE_BYTES];
	s->rd_calls = n[IO_READ_CALLS];
	s->wr_calls = n[IO_WRITE_CALLS];
	if (s->rd_bytes >= 0 || s->wr_bytes >= 0 || s->rd_calls >= 0 || s->wr_calls >= 0)
		s->scope = all->scope == IO_SCOPE_JOB ? SUMMARY_SCOPE_JOB : SUMMARY_SCOPE_NODE;
	if (all->scope != IO_SCOPE_JOB)
		return;
	s->meta = io_ops(all);
	s->peak_rd = n[IO_PEAK_READ];
	s->peak_wr = n[IO_PEAK_WRITE];
	take_percentiles(all->hist[IO_READ_SIZES], s->rsz);
	take_percentiles(all->hist[IO_WRITE_SIZES], s->wsz);
	take_percentiles(all->hist[IO_READ_NS], s->rlat_ns);
	take_percentiles(all->hist[IO_WRITE_NS], s->wlat_ns);
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

/* The sizes of the fields and of numbers add up to less than SUMMARY_MAX, so a
 * token that does not fit is a mistake of ours; it is then left out whole. */
static void put_token(struct line *line, const char *key, const char *value)
{
	size_t room = SUMMARY_MAX - line->used;
	int n = snprintf(line->out + line->used, room, " %s=%s", key, *value ? value : "-");

	if (n < 0 || (size_t)n >= room)
		line->out[line->used] = 0;
	else
		line->used += (size_t)n;
}

typedef void (*print_number)(int64_t value, char *out, size_t room);

static void put_pair(struct line *line, const char *key, print_number first, int64_t a,
		     print_number second, int64_t b)
{
	char text[64], part[32];

	first(a, part, sizeof(part));
	snprintf(text, sizeof(text), "%s/", part);
	second(b, part, sizeof(part));
	strcat(text, part);
	put_token(line, key, text);
}

static void put_percentiles(struct line *line, const char *key, print_number print,
			    const int64_t *pair)
{
	if (pair[0] >= 0)
		put_pair(line, key, print, pair[0], print, pair[1]);
}

/* More than twenty at once, which no record has: the rest is "other". */
static void put_flags(struct line *line, uint32_t flags)
{
	static const char rest[] = ",other";
	char text[FLAGS_TEXT] = "";
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++) {
		if (!(flags & (UINT32_C(1) << bit)))
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
	put_token(line, "q", text);
}

static const char *const lack_names[] = {
#define LACK_NAME(id, name) name,
	SUMMARY_LACKS(LACK_NAME)
#undef LACK_NAME
};

static void put_lacks(struct line *line, uint32_t lacks)
{
	char text[64] = "";
	unsigned int bit;

	for (bit = 0; bit < SUMMARY_LACK_COUNT; bit++) {
		if (!(lacks & (UINT32_C(1) << bit)))
			continue;
		if (*text)
			strcat(text, ",");
		strcat(text, lack_names[bit]);
	}
	if (*text)
		put_token(line, "not", text);
}

static void put_gate(struct line *line, const struct summary *s)
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
		put_token(line, "gate", text);
}

static void put_numbers(struct line *line, const struct summary *s)
{
	put_pair(line, "rd", summary_bytes, s->rd_bytes, summary_count, s->rd_calls);
	put_pair(line, "wr", summary_bytes, s->wr_bytes, summary_count, s->wr_calls);
	if ((s->flags & RECORD_FLAG(ALL_FILES)) && (s->rd_bytes >= 0 || s->wr_bytes >= 0))
		put_token(line, "of", "all_files");
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

static void put_shape(struct line *line, const struct summary *s)
{
	char text[32];

	shape_text(s->shape, s->bursts, text, sizeof(text));
	if (*text)
		put_token(line, "shape", text);
}

static void put_extras(struct line *line, const struct summary *s)
{
	char text[SUMMARY_NODE + 32], time[16];

	if (s->wire_rd >= 0 || s->wire_wr >= 0)
		put_pair(line, "wire", summary_bytes, s->wire_rd, summary_bytes, s->wire_wr);
	if (s->meta >= 0) {
		summary_count(s->meta, text, sizeof(text));
		put_token(line, "meta", text);
	}
	put_percentiles(line, "rsz", summary_bytes, s->rsz);
	put_percentiles(line, "wsz", summary_bytes, s->wsz);
	put_percentiles(line, "rlat", summary_time, s->rlat_ns);
	put_percentiles(line, "wlat", summary_time, s->wlat_ns);
	if (s->peak_rd >= 0 || s->peak_wr >= 0)
		put_pair(line, "peak", summary_bytes, s->peak_rd, summary_bytes, s->peak_wr);
	put_shape(line, s);
	if (s->imbalance > 0) {
		snprintf(text, sizeof(text), "%.2f@%s", s->imbalance < 99999 ? s->imbalance : 99999,
			 s->busiest);
		put_token(line, "imb", text);
	}
	if (s->slowest_ns >= 0) {
		summary_time(s->slowest_ns, time, sizeof(time));
		snprintf(text, sizeof(text), "%s@%s", time, s->slowest);
		put_token(line, "slow", text);
	}
	if (s->changed > 0)
		put_pair(line, "chg", summary_count, s->restored, summary_count, s->changed);
	if (s->errors > 0 || s->warnings > 0)
		put_pair(line, "find", summary_count, s->errors, summary_count, s->warnings);
	if (s->refused > 0) {
		summary_count(s->refused, text, sizeof(text));
		put_token(line, "refused", text);
	}
	put_gate(line, s);
	if (s->far > 0) {
		summary_count(s->far, text, sizeof(text));
		put_token(line, "far", text);
	}
	if (*s->miss)
		put_token(line, "miss", s->miss);
}

void summary_text(const struct summary *s, char *out)
{
	static const char *const scopes[] = { "-", "job", "node" };
	struct line line = { out, 0 };

	line.used = (size_t)snprintf(out, SUMMARY_MAX, "jobio/1");
	put_lacks(&line, s->lacks);
	put_numbers(&line, s);
	put_pair(&line, "nodes", summary_count, s->nodes_seen, summary_count, s->nodes_expected);
	put_token(&line, "cores", s->cores);
	put_token(&line, "cpus", s->cpus);
	put_token(&line, "prof", s->prof);
	put_token(&line, "fs", s->fs);
	put_token(&line, "scope", scopes[s->scope]);
	put_token(&line, "src", s->src);
	put_flags(&line, s->flags);
	put_extras(&line, s);
}

/* ---- read ---------------------------------------------------------------- */

static int get_text(const char *value, char *out, size_t room)
{
	if (strlen(value) >= room)
		return -1;
	strcpy(out, !strcmp(value, "-") ? "" : value);
	return 0;
}

static int get_flags(char *value, uint32_t *flags)
{
	char *word, *rest = NULL;

	*flags = 0;
	if (!strcmp(value, "-"))
		return 0;
	for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		*flags |= record_flag(word);
	return *flags ? 0 : -1;
}

/* A word of a later version is no error. */
static void get_lacks(char *value, uint32_t *lacks)
{
	char *word, *rest = NULL;
	unsigned int bit;

	*lacks = 0;
	for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		for (bit = 0; bit < SUMMARY_LACK_COUNT; bit++)
			if (!strcmp(word, lack_names[bit]))
				*lacks |= UINT32_C(1) << bit;
}

static int get_gate(char *value, struct summary *s)
{
	char *word, *number, *rest = NULL;
	int64_t *tasks;

	for (word = strtok_r(value, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		number = strchr(word, ':');
		if (!number)
			return -1;
		*number++ = 0;
		tasks = !strcmp(word, "warn")	  ? &s->gate_warned
			: !strcmp(word, "refuse") ? &s->gate_refused
						  : NULL;
		if (tasks && get_number(count_units, number, tasks) < 0)
			return -1;
	}
	return 0;
}

/* A word of a later version is no error. */
static int get_shape(char *value, struct summary *s)
{
	char *number = strchr(value, ':');
	size_t i;

	s->shape = TIMELINE_SHAPE_NONE;
	if (number)
		*number++ = 0;
	for (i = TIMELINE_STEADY; i <= TIMELINE_HEAD; i++)
		if (!strcmp(value, shape_names[i]))
			s->shape = (enum timeline_shape)i;
	if (s->shape != TIMELINE_BURSTS)
		return 0;
	return !number || *number == '-' || get_number(count_units, number, &s->bursts) < 0 ||
			       s->bursts > TIMELINE_ROWS
		       ? -1
		       : 0;
}

static int get_scope(const char *value, enum summary_scope *scope)
{
	if (!strcmp(value, "job"))
		*scope = SUMMARY_SCOPE_JOB;
	else if (!strcmp(value, "node"))
		*scope = SUMMARY_SCOPE_NODE;
	else if (!strcmp(value, "-"))
		*scope = SUMMARY_SCOPE_NONE;
	else
		return -1;
	return 0;
}

static int get_imbalance(char *value, struct summary *s)
{
	char *at = strchr(value, '@'), *end;
	double ratio;

	if (!at || at == value || strspn(value, "0123456789.") != (size_t)(at - value))
		return -1;
	*at = 0;
	ratio = strtod(value, &end);
	if (*end || ratio > 99999)
		return -1;
	s->imbalance = ratio;
	return get_text(at + 1, s->busiest, sizeof(s->busiest));
}

static int get_slowest(char *value, struct summary *s)
{
	char *at = strchr(value, '@');

	if (!at || at == value || *value == '-')
		return -1;
	*at = 0;
	return get_number(time_units, value, &s->slowest_ns) < 0
		       ? -1
		       : get_text(at + 1, s->slowest, sizeof(s->slowest));
}

/* How a key is read: one row a key, the place in struct summary. */
enum form {
	COUNTS,
	BYTES_COUNT,
	BYTES,
	TIMES,
	COUNT,
	TEXT
};

struct key {
	const char *name;
	enum form form;
	size_t first, second; /* second: offset of b, or the room of a text */
};

#define AT(field) offsetof(struct summary, field)
#define ROOM(field) sizeof(((struct summary *)0)->field)
static const struct key keys[] = {
	{ "nodes", COUNTS, AT(nodes_seen), AT(nodes_expected) },
	{ "cores", TEXT, AT(cores), ROOM(cores) },
	{ "cpus", TEXT, AT(cpus), ROOM(cpus) },
	{ "prof", TEXT, AT(prof), ROOM(prof) },
	{ "fs", TEXT, AT(fs), ROOM(fs) },
	{ "rd", BYTES_COUNT, AT(rd_bytes), AT(rd_calls) },
	{ "wr", BYTES_COUNT, AT(wr_bytes), AT(wr_calls) },
	{ "src", TEXT, AT(src), ROOM(src) },
	{ "wire", BYTES, AT(wire_rd), AT(wire_wr) },
	{ "meta", COUNT, AT(meta), 0 },
	{ "rsz", BYTES, AT(rsz[0]), AT(rsz[1]) },
	{ "wsz", BYTES, AT(wsz[0]), AT(wsz[1]) },
	{ "rlat", TIMES, AT(rlat_ns[0]), AT(rlat_ns[1]) },
	{ "wlat", TIMES, AT(wlat_ns[0]), AT(wlat_ns[1]) },
	{ "peak", BYTES, AT(peak_rd), AT(peak_wr) },
	{ "chg", COUNTS, AT(restored), AT(changed) },
	{ "find", COUNTS, AT(errors), AT(warnings) },
	{ "refused", COUNT, AT(refused), 0 },
	{ "far", COUNT, AT(far), 0 },
	{ "miss", TEXT, AT(miss), ROOM(miss) },
};

static int get_value(const struct key *key, char *value, struct summary *s)
{
	int64_t *a = (int64_t *)((char *)s + key->first);
	int64_t *b = (int64_t *)((char *)s + key->second);

	switch (key->form) {
	case COUNTS:
		return get_pair(count_units, count_units, value, a, b);
	case BYTES_COUNT:
		return get_pair(byte_units, count_units, value, a, b);
	case BYTES:
		return get_pair(byte_units, byte_units, value, a, b);
	case TIMES:
		return get_pair(time_units, time_units, value, a, b);
	case COUNT:
		return get_number(count_units, value, a);
	case TEXT:
		return get_text(value, (char *)s + key->first, key->second);
	}
	return -1;
}

static int get_token(const char *key, char *value, struct summary *s)
{
	size_t i;

	if (!strcmp(key, "scope"))
		return get_scope(value, &s->scope);
	if (!strcmp(key, "q"))
		return get_flags(value, &s->flags);
	if (!strcmp(key, "not"))
		return get_lacks(value, &s->lacks), 0;
	if (!strcmp(key, "gate"))
		return get_gate(value, s);
	if (!strcmp(key, "shape"))
		return get_shape(value, s);
	if (!strcmp(key, "imb"))
		return get_imbalance(value, s);
	if (!strcmp(key, "slow"))
		return get_slowest(value, s);
	for (i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(keys[i].name, key))
			return get_value(&keys[i], value, s);
	return 0; /* of a later version */
}

int summary_parse(const char *text, struct summary *summary, struct err *err)
{
	char copy[SUMMARY_MAX], token_text[SUMMARY_MAX];
	char *token, *equals, *rest = NULL;
	struct summary s;
	bool has_nodes = false;

	if (strlen(text) >= sizeof(copy))
		return err_set(err, "summary: longer than %d bytes", SUMMARY_MAX - 1);
	strcpy(copy, text);
	token = strtok_r(copy, " ", &rest);
	if (!token || strcmp(token, "jobio/1") != 0)
		return err_set(err, "summary: '%s': not a jobio/1 summary", token ? token : "");
	summary_init(&s);
	while ((token = strtok_r(NULL, " ", &rest))) {
		strcpy(token_text, token);
		equals = strchr(token, '=');
		if (!equals || equals == token || !equals[1] ||
		    strspn(token, allowed) != strlen(token))
			return err_set(err, "summary: '%s': not key=value", token_text);
		*equals = 0;
		if (!strcmp(token, "nodes"))
			has_nodes = true;
		if (get_token(token, equals + 1, &s) < 0)
			return err_set(err, "summary: '%s': not a value of %s", token_text, token);
	}
	if (!has_nodes)
		return err_set(err, "summary: nodes= is missing");
	*summary = s;
	return 0;
}
