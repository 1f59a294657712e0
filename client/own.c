/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What filesystems moved that a job has in namespaces of its own: each step left
 * their counters at its begin and its end (spank/own_stats.h). Steps overlap, and
 * may have one superblock: its first reading counts, and its last. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "client/type.h"
#include "client/wire.h"
#include "lib/number.h"
#include "lib/text.h"

#define WORD "own 1\n"
#define NS_DIGITS 9

struct part {
	char *text;	     /* NULL: nothing was there */
	int64_t at_s, at_ns; /* since boot, and what is more than that */
	bool is_end;
};

/* ".000000815"; "": none */
static bool read_ns(const char *text, int64_t *ns)
{
	if (*text && (*text != '.' || strlen(text) != 1 + NS_DIGITS ||
		      strspn(text + 1, "0123456789") != NS_DIGITS))
		return false;
	*ns = *text ? strtol(text + 1, NULL, 10) : 0;
	return true;
}

/* "begin 4711.000000815" */
static bool read_at(const char *line, const char *word, struct part *part)
{
	size_t length = strlen(word), seconds;
	char digits[40];
	unsigned long value;

	if (strncmp(line, word, length) != 0 || line[length] != ' ')
		return false;
	line += length + 1;
	snprintf(digits, sizeof(digits), "%.*s", (int)strcspn(line, "\n"),
		 line);
	seconds = strcspn(digits, ".");
	if (!read_ns(digits + seconds, &part->at_ns))
		return false;
	digits[seconds] = '\0';
	if (number_parse(digits, 0, INT64_MAX, &value, NULL) < 0)
		return false;
	part->at_s = (int64_t)value;
	return true;
}

static const char *find_end(const char *text)
{
	while (*text && strncmp(text, "end ", 4) != 0)
		text = text_behind_line(text);
	return text;
}

/* 0; 1: unreadable; -1 out of memory. */
static int split(const char *text, struct part *begin, struct part *end)
{
	const char *at, *stop;

	if (strncmp(text, WORD, strlen(WORD)) != 0)
		return 1;
	at = text + strlen(WORD);
	stop = find_end(at);
	if (!read_at(at, "begin", begin) || !read_at(stop, "end", end))
		return 1;
	at = text_behind_line(at);
	begin->text = strndup(at, (size_t)(stop - at));
	end->text = strdup(text_behind_line(stop));
	end->is_end = true;
	return begin->text && end->text ? 0 : -1;
}

/* ---- rows ------------------------------------------------------------------- */

static bool is_born_with(int64_t a, int64_t b)
{
	return a == WIRE_UNKNOWN || b == WIRE_UNKNOWN ||
	       (a - b <= WIRE_BORN_SLACK_S && b - a <= WIRE_BORN_SLACK_S);
}

/* A device number is given again: "0:60" of a row of the node's, "0:60 BORN" here */
static struct wire_row *find_same(struct wire *wire, const char *device,
				  int64_t born_s)
{
	size_t length = strlen(device), i;
	struct wire_row *row;

	for (i = 0; wire && i < wire->count; i++) {
		row = &wire->row[i];
		if (!strncmp(row->id, device, length) &&
		    (row->id[length] == ' ' || !row->id[length]) &&
		    is_born_with(row->born_s, born_s))
			return row;
	}
	return NULL;
}

struct sums {
	struct wire *before, *after; /* of the job's own */
	struct wire *was, *is;	     /* of the node; 'was' may be NULL */
};

static int keep(struct sums *sums, const struct wire_row *row, bool is_end)
{
	struct wire *to = is_end ? sums->after : sums->before;
	const struct wire_row *known;
	struct wire_row *mine;
	char id[WIRE_ID_MAX];

	if (find_same(sums->was, row->id, row->born_s) ||
	    find_same(sums->is, row->id, row->born_s))
		return 0;
	mine = find_same(to, row->id, row->born_s);
	if (mine && !is_end)
		return 0;
	known = find_same(sums->before, row->id, row->born_s);
	if (!known)
		known = find_same(sums->after, row->id, row->born_s);
	if (known)
		snprintf(id, sizeof(id), "%s", known->id);
	else
		snprintf(id, sizeof(id), "%.400s %lld", row->id,
			 (long long)row->born_s);
	mine = wire_row(to, id);
	if (!mine)
		return -1;
	*mine = *row;
	strcpy(mine->id, id);
	return 0;
}

/* A superblock that was made after the first step began counts whole, though a
 * later step found it. */
static bool is_counted_whole(const struct sums *sums, const struct part *part,
			     const struct wire_row *row)
{
	return !part->is_end && part->at_s > sums->before->at_s &&
	       row->born_s != WIRE_UNKNOWN &&
	       row->born_s + WIRE_BORN_SLACK_S >= sums->before->at_s;
}

static int add_part(const struct client *client, const struct part *part,
		    struct sums *sums, struct err *err)
{
	struct wire *wire = wire_new(err);
	int rc = -1;
	size_t i;

	if (!wire)
		return -1;
	wire->at_s = part->at_s;
	if (!part->is_end && part->at_s < sums->before->at_s)
		sums->before->at_s = part->at_s;
	if (part->is_end)
		sums->after->at_s = part->at_s;
	rc = client->type->own(client, part->text, wire, err);
	for (i = 0; rc >= 0 && i < wire->count; i++)
		if (!is_counted_whole(sums, part, &wire->row[i]) &&
		    keep(sums, &wire->row[i], part->is_end) < 0)
			rc = err_set(err, "more than %d superblocks",
				     WIRE_ROWS_MAX);
	wire_free(wire);
	return rc;
}

/* ---- all steps ----------------------------------------------------------------- */

/* In the order of time; what is not there at last. */
static int compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (!x->text || !y->text)
		return !x->text - !y->text;
	if (x->at_s == y->at_s)
		return (x->at_ns > y->at_ns) - (x->at_ns < y->at_ns);
	return x->at_s > y->at_s ? 1 : -1;
}

static int add_parts(const struct client *client, struct part parts[],
		     size_t count, struct sums *sums, struct err *err)
{
	int rc = 0, one = 0;
	size_t i;

	qsort(parts, count, sizeof(*parts), compare);
	for (i = 0; i < count && parts[i].text && one >= 0; i++) {
		one = add_part(client, &parts[i], sums, err);
		rc |= one;
	}
	return one < 0 ? -1 : rc;
}

/* Returns 0; 1: not all could be read; -1. */
static int add_texts(const struct client *client, char *const texts[],
		     size_t count, struct sums *sums, struct err *err)
{
	struct part *parts = calloc(2 * count + 1, sizeof(*parts));
	int rc = parts ? 0 : err_set(err, "out of memory"), one;
	size_t i;

	for (i = 0; i < count && rc >= 0; i++) {
		one = split(texts[i], &parts[2 * i], &parts[2 * i + 1]);
		rc = one < 0 ? err_set(err, "out of memory") : rc | one;
	}
	if (rc >= 0) {
		one = add_parts(client, parts, 2 * count, sums, err);
		rc = one < 0 ? -1 : rc | one;
	}
	for (i = 0; parts && i < 2 * count; i++)
		free(parts[i].text);
	free(parts);
	return rc;
}

static void sums_free(struct sums *sums)
{
	wire_free(sums->before);
	wire_free(sums->after);
	wire_free(sums->was);
	wire_free(sums->is);
}

static int sums_open(struct sums *sums, const struct client *client,
		     const char *before, struct err *err)
{
	sums->before = wire_new(err);
	sums->after = wire_new(err);
	if (!sums->before || !sums->after)
		return -1;
	sums->before->at_s = INT64_MAX; /* that of the first step */
	if (before) {
		sums->was = wire_parse(before, err);
		if (!sums->was)
			return -1;
	}
	sums->is = client->type->wire(client, err);
	return sums->is || errno == ENOENT ? 0 : -1;
}

int client_wire_own(struct client *client, const char *before,
		    char *const texts[], size_t count, struct client_wire *wire,
		    struct err *err)
{
	struct sums sums = { NULL, NULL, NULL, NULL };
	int rc;

	memset(wire, 0, sizeof(*wire));
	wire->source = client->type->wire_source;
	if (!client->type->own || !client->type->wire || !count)
		return 0;
	rc = sums_open(&sums, client, before, err);
	if (rc == 0)
		rc = add_texts(client, texts, count, &sums, err);
	if (rc >= 0)
		wire_lines(sums.before, sums.after, wire);
	sums_free(&sums);
	return rc;
}
