/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - read, change and write JSON (RFC 8259)
 *
 * Terms   value: a node of a tree. Members of an object and elements of a list hang
 *           on it one after the other, in the order of the text, or as they were
 *           added; of two members with one name the last counts.
 *         top: the value that a tree was made for.
 *         whole number: -2^63 to 2^63-1; one beyond is the nearest of these. A
 *           number with a fraction or an exponent is real, and written again with
 *           the digits that were read.
 *         text: bytes that need not be UTF-8, as names of files are none: they
 *           are written as they were read, and who keeps what other hosts send
 *           checks it (utf8.h).
 * Owner   json_free(top), of a tree as a whole; NULL is allowed. All values and
 *           texts in it live as long. What is read or added is copied.
 * Errors  a value that is missing, null or of another type is NULL, JSON_UNKNOWN or
 *           false, and NULL has no members: json_member() and 'kind' tell these
 *           apart. A text with a NUL in it is none for json_text(). Out of memory
 *           ends the program (alloc.h).
 * Runs    helpers, ledger, report.
 *
 * Why no library: 10,000 records of 5.4 KB take 0.09 s to read here, json-c 0.16
 * 0.85 s and jansson 2.14 1.12 s; the ledger reads each twice, when it comes and when
 * its job is merged, and may spend 2.0 s with munged and SQLite. Neither tells where in
 * the text a value stands, which is what the ledger keeps of a request. jansson
 * refuses texts that are not UTF-8 and numbers beyond 2^63, bounds no depth below
 * 2048, and exports json_object_get() as json-c does, which libslurm loads.
 */
#ifndef JOBIO_JSON_H
#define JOBIO_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define JSON_UNKNOWN INT64_C(-1)
#define JSON_DEPTH_MAX 32  /* objects and lists in each other */
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
			int64_t *counts;   /* of a list of counts that was read; NULL */
			uint32_t at, size; /* bytes of the text that was read; size 0: was not */
		} list;			   /* or object */
	};
};

/* A text that is one JSON value, and nothing behind it but blanks. NULL: "not JSON:
 * .." in *err. */
struct json *json_read(const char *text, size_t size, int depth_max, struct err *err);
/* The same of a NUL-terminated text; NULL: no JSON, or no object, no list. */
struct json *json_parse(const char *text);
struct json *json_parse_list(const char *text);
struct json *json_new_object(void);
void json_free(struct json *top);

/* A member of any kind; NULL: missing, or null. */
struct json *json_member(const struct json *object, const char *key);
const char *json_text(const struct json *object, const char *key);
/* A whole number that is not negative. */
int64_t json_number(const struct json *object, const char *key);
bool json_is_true(const struct json *object, const char *key);
struct json *json_list(const struct json *object, const char *key);
struct json *json_map(const struct json *object, const char *key);

/* A value by itself: an element of a list, or a member of unknown kind. */
const char *json_value_text(const struct json *value);
/* A whole number, negative ones too; *number is set when it is one. */
bool json_value_number(const struct json *value, int64_t *number);
bool json_is(const struct json *value, enum json_kind kind);
/* The first element or member; NULL: there is none, or 'value' has none. */
struct json *json_first(const struct json *value);

/* Members, to objects. NULL is written as null. */
void json_add_text(struct json *object, const char *key, const char *text);
void json_add_number(struct json *object, const char *key, int64_t number);
/* A negative number is written as null. */
void json_add_known(struct json *object, const char *key, int64_t number);
/* A number as the caller has printed it, "1.50"; NULL: null. */
void json_add_real(struct json *object, const char *key, const char *digits);
/* In thousandths: 1.500 */
void json_add_seconds(struct json *object, const char *key, double seconds);
void json_add_bool(struct json *object, const char *key, bool is_true);
void json_add_null(struct json *object, const char *key);
/* A new object or list, empty. */
struct json *json_add_object(struct json *object, const char *key);
struct json *json_add_list(struct json *object, const char *key);
/* All of a value of any tree. */
void json_add_copy(struct json *object, const char *key, const struct json *value);

/* Elements, to lists. */
struct json *json_append_object(struct json *list);
void json_append_number(struct json *list, int64_t number);
void json_append_text(struct json *list, const char *text);

/* The value on one line. */
const char *json_line(const struct json *value);
/* The same, malloc'ed, and the tree is freed. */
char *json_line_free(struct json *top);

#endif
