/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - read, change and write JSON (RFC 8259)
 *
 * Terms   value: a node of a tree. Members of an object and elements of a list are
 *           linked in the order of the text, or as they were added; of two
 *           members with one name the last counts.
 *         top: the root of a tree.
 *         whole number: -2^63 to 2^63-1; one beyond is the nearest of these. A
 *           number with a fraction or an exponent is real, and written again with
 *           the digits that were read.
 *         text: bytes that need not be UTF-8, as names of files need not: they
 *           are written as they were read; check text of other hosts before
 *           storing it (utf8.h).
 * Owner   json_free(top) frees the whole tree, with all values and texts in it; NULL is
 *           allowed. What is read or added is copied.
 * Errors  a value that is missing, null or of another type is NULL, JSON_UNKNOWN or
 *           false, and NULL has no members; json_member() and 'kind' distinguish
 *           these. json_text() is NULL for a text with a NUL in it. Out of memory
 *           ends the program (alloc.h).
 * Runs    helpers, ledger, report.
 *
 * Why no library: 10,000 records of 5.4 KB take 0.09 s to read here, json-c 0.16
 * 0.85 s and jansson 2.14 1.12 s; the ledger reads each twice, on receipt and when
 * its job is merged, and may spend 2.0 s with munged and SQLite. Neither has the
 * position of a value in the text, which the ledger needs to store part of a request.
 * jansson refuses texts that are not UTF-8 and numbers beyond 2^63, limits no depth
 * below 2048, and exports json_object_get() as json-c does, which libslurm loads.
 */
#ifndef JOBIO_RECORD_JSON_H
#define JOBIO_RECORD_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define JSON_UNKNOWN INT64_C(-1)
#define JSON_DEPTH_MAX 32  /* nested objects and lists */
#define JSON_COUNTS_MAX 64 /* of a list that is an array */

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_REAL,
	JSON_WHOLE,
	JSON_OBJECT,
	JSON_LIST,
	JSON_TEXT
};

struct json {
	enum json_kind kind;
	uint32_t key_size;
	const char *key;   /* of a member, NUL-terminated; NULL of others */
	struct json *next; /* in the same object or list; NULL: the last */
	struct json_tree *tree;
	union {
		bool is_true;
		int64_t whole;
		struct {
			double real;
			const char *digits; /* as it is written */
		};
		struct {
			const char *bytes; /* NUL-terminated */
			size_t size;
		} text;
		struct {
			struct json *first, *last; /* json_first() */
			size_t count;
			int64_t *counts;   /* of a list of counts that was read; else NULL */
			uint32_t at, size; /* position in the text; size 0: not read */
		} list;			   /* or object */
	};
};

/* Read a text with one JSON value, and only blanks after it. NULL: "not JSON: .." in *err. */
struct json *json_read(const char *text, size_t size, int depth_max, struct err *err);
/* Read a NUL-terminated text; NULL: not JSON, or not an object (a list). */
struct json *json_parse(const char *text);
struct json *json_parse_list(const char *text);
struct json *json_new_object(void);
void json_free(struct json *top);

/* Return a member of any kind; NULL: missing, or null. */
struct json *json_member(const struct json *object, const char *key);
const char *json_text(const struct json *object, const char *key);
/* Return a whole number that is not negative. */
int64_t json_number(const struct json *object, const char *key);
bool json_is_true(const struct json *object, const char *key);
struct json *json_list(const struct json *object, const char *key);
struct json *json_map(const struct json *object, const char *key);

/* Query a value itself: an element of a list, or a member of unknown kind. */
const char *json_value_text(const struct json *value);
/* Get a whole number, also a negative one. Return false if it is none. */
bool json_value_number(const struct json *value, int64_t *number);
bool json_is(const struct json *value, enum json_kind kind);
/* Return the first element or member; NULL: there is none, or 'value' has none. */
struct json *json_first(const struct json *value);

/* Add members to objects. NULL is written as null. */
void json_add_text(struct json *object, const char *key, const char *text);
void json_add_number(struct json *object, const char *key, int64_t number);
/* A negative number is written as null. */
void json_add_known(struct json *object, const char *key, int64_t number);
/* A number as printed by the caller, "1.50"; NULL: null. */
void json_add_real(struct json *object, const char *key, const char *digits);
/* With three decimals: 1.500 */
void json_add_seconds(struct json *object, const char *key, double seconds);
void json_add_bool(struct json *object, const char *key, bool is_true);
void json_add_null(struct json *object, const char *key);
/* Add an empty object or list. */
struct json *json_add_object(struct json *object, const char *key);
struct json *json_add_list(struct json *object, const char *key);
/* Add a copy of a whole value of any tree. */
void json_add_copy(struct json *object, const char *key, const struct json *value);

/* Append elements to lists. */
struct json *json_append_object(struct json *list);
void json_append_number(struct json *list, int64_t number);
void json_append_text(struct json *list, const char *text);

/* Return the value on one line; freed with the tree. */
const char *json_line(const struct json *value);
/* The same, malloc'ed, and the tree is freed. */
char *json_line_free(struct json *top);
/* Write the members of an object that is text, each after a comma. */
void json_write_members(FILE *out, const char *object);

#endif
