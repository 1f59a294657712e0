/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/wire.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"

#define TEXT_BYTES_MAX (1U << 20)
#define DEPTH_MAX 4

struct wire *wire_new(struct err *err)
{
	struct wire *wire = calloc(1, sizeof(*wire));

	if (!wire)
		err_set(err, "out of memory");
	return wire;
}

void wire_free(struct wire *wire)
{
	free(wire);
}

/* ---- rows -------------------------------------------------------------- */

static const struct wire_row *find_row(const struct wire *wire, const char *id)
{
	size_t i;

	for (i = 0; i < wire->count; i++)
		if (!strcmp(wire->row[i].id, id))
			return &wire->row[i];
	return NULL;
}

struct wire_row *wire_row(struct wire *wire, const char *id)
{
	struct wire_row *row = (struct wire_row *)find_row(wire, id);
	int kind;

	if (row || wire->count == WIRE_ROWS_MAX)
		return row;
	row = &wire->row[wire->count++];
	snprintf(row->id, sizeof(row->id), "%s", id);
	for (kind = 0; kind < WIRE_KINDS; kind++)
		row->count[kind] = WIRE_UNKNOWN;
	return row;
}

int wire_row_add(struct wire_row *row, enum wire_kind kind, int64_t count)
{
	int64_t *sum = &row->count[kind];

	if (*sum == WIRE_UNKNOWN)
		*sum = 0;
	if (count > INT64_MAX - *sum)
		return -1;
	*sum += count;
	return 0;
}

/* ---- as text ----------------------------------------------------------- */

/* {"ID":[N,N,N,N],..} */
char *wire_text(const struct wire *wire, struct err *err)
{
	struct json_object *top = json_object_new_object(), *list;
	char *text = NULL;
	size_t i;
	int kind;

	for (i = 0; top && i < wire->count; i++) {
		list = json_object_new_array();
		for (kind = 0; list && kind < WIRE_KINDS; kind++)
			json_object_array_add(
				list, json_object_new_int64(
					      wire->row[i].count[kind]));
		json_object_object_add(top, wire->row[i].id, list);
	}
	if (top)
		text = strdup(json_object_to_json_string_ext(
			top, JSON_C_TO_STRING_PLAIN));
	json_object_put(top);
	if (!text)
		err_set(err, "out of memory");
	return text;
}

static int parse_row(struct wire *wire, const char *id,
		     struct json_object *list)
{
	struct json_object *value;
	struct wire_row *row;
	int kind;

	if (!json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) != WIRE_KINDS ||
	    strlen(id) >= WIRE_ID_MAX)
		return -1;
	row = wire_row(wire, id);
	if (!row)
		return -1;
	for (kind = 0; kind < WIRE_KINDS; kind++) {
		value = json_object_array_get_idx(list, (size_t)kind);
		if (!json_object_is_type(value, json_type_int) ||
		    json_object_get_int64(value) < WIRE_UNKNOWN)
			return -1;
		row->count[kind] = json_object_get_int64(value);
	}
	return 0;
}

struct wire *wire_parse(const char *text, struct err *err)
{
	struct json_object *top = json_parse_bounded(text, strlen(text),
						     TEXT_BYTES_MAX, DEPTH_MAX);
	struct wire *wire = wire_new(err);
	int rc = wire ? 0 : -1;

	if (rc == 0 && !json_object_is_type(top, json_type_object))
		rc = err_set(err, "counters of the client: not an object");
	if (rc == 0) {
		json_object_object_foreach (top, id, list)
			if (rc == 0 && parse_row(wire, id, list) < 0)
				rc = err_set(err,
					     "counters of the client: "
					     "'%.80s' is damaged",
					     id);
	}
	json_object_put(top);
	if (rc == 0)
		return wire;
	wire_free(wire);
	return NULL;
}

/* ---- the difference ---------------------------------------------------- */

/* A row that is new: its process started, or first used the filesystem, while
 * we looked elsewhere; all of it is since then. */
static int64_t row_since(const struct wire_row *before,
			 const struct wire_row *after, int kind)
{
	if (after->count[kind] == WIRE_UNKNOWN)
		return WIRE_UNKNOWN;
	if (!before)
		return after->count[kind];
	if (before->count[kind] == WIRE_UNKNOWN)
		return WIRE_UNKNOWN;
	return after->count[kind] - before->count[kind];
}

static bool went_back(const struct wire *before, const struct wire *after)
{
	const struct wire_row *row;
	size_t i;
	int kind;

	for (i = 0; i < before->count; i++) {
		row = find_row(after, before->row[i].id);
		if (!row)
			return true;
		for (kind = 0; kind < WIRE_KINDS; kind++)
			if (row->count[kind] != WIRE_UNKNOWN &&
			    row->count[kind] < before->row[i].count[kind])
				return true;
	}
	return false;
}

static int64_t all_since(const struct wire *before, const struct wire *after,
			 int kind)
{
	int64_t sum = 0, one;
	size_t i;

	for (i = 0; i < after->count; i++) {
		one = row_since(find_row(before, after->row[i].id),
				&after->row[i], kind);
		if (one == WIRE_UNKNOWN || one > INT64_MAX - sum)
			return WIRE_UNKNOWN;
		sum += one;
	}
	return sum;
}

int wire_since(const struct wire *before, const struct wire *after,
	       int64_t moved[WIRE_KINDS])
{
	int kind;

	if (went_back(before, after))
		return 0;
	for (kind = 0; kind < WIRE_KINDS; kind++)
		moved[kind] = all_since(before, after, kind);
	return 1;
}
