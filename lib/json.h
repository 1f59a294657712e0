/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - read and write the members of JSON objects (json-c)
 *
 * Terms   top: an object, or anything else, NULL included: it then has no
 *           members.
 * Owner   json_parse(): the caller, json_object_put(). What is read from an
 *           object lives as long as the object. The adding functions take
 *           nothing but copy. json_line_put(): the caller frees the text.
 * Errors  a member that is missing, null or of another type is NULL,
 *           JSON_UNKNOWN or false: whoever needs to tell these apart asks
 *           json_member(). A text with a zero byte in it is no text.
 * Runs    helpers, ledger, report; json-c only.
 */
#ifndef JOBIO_JSON_H
#define JOBIO_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

#define JSON_UNKNOWN INT64_C(-1)

/* The object that a text is; NULL: no JSON, or no object. */
struct json_object *json_parse(const char *text);
/* The list that it is. */
struct json_object *json_parse_list(const char *text);

/* A new object, empty. */
struct json_object *json_new(void);

/* What comes from outside: JSON of any type with nothing behind it but blanks, of
 * at most bytes_max bytes and so deep; else NULL. */
struct json_object *json_parse_bounded(const char *text, size_t size_bytes, size_t bytes_max,
				       int depth_max);

/* The end of the object or list that begins here; NULL: the text ends first. For
 * what is cut to pieces that are parsed by themselves. */
const char *json_end(const char *text);

/* A member of any type; NULL: missing, or null. */
struct json_object *json_member(struct json_object *top, const char *key);
const char *json_text(struct json_object *top, const char *key);
/* A whole number that is not negative. */
int64_t json_number(struct json_object *top, const char *key);
bool json_is_true(struct json_object *top, const char *key);
struct json_object *json_list(struct json_object *top, const char *key);
struct json_object *json_map(struct json_object *top, const char *key);

/* A value by itself: an element of a list, or a member of unknown type. */
const char *json_value_text(struct json_object *value);
/* A whole number, negative ones too; *number is set when it is one. */
bool json_value_number(struct json_object *value, int64_t *number);

/* NULL is written as null. */
void json_add_text(struct json_object *top, const char *key, const char *text);
void json_add_number(struct json_object *top, const char *key, int64_t number);
/* A negative number is written as null. */
void json_add_known(struct json_object *top, const char *key, int64_t number);
/* Seconds with three digits behind the point; a negative number is written as null. */
void json_add_time(struct json_object *top, const char *key, double seconds);
void json_add_bool(struct json_object *top, const char *key, bool is_true);

/* 1, 0; -1: unknown, null. */
void json_add_answer(struct json_object *top, const char *key, int answer);
/* A new object or list, empty: borrowed. */
struct json_object *json_add_object(struct json_object *top, const char *key);
struct json_object *json_add_list(struct json_object *top, const char *key);

/* Elements of a list. */
struct json_object *json_append_object(struct json_object *list);
void json_append_number(struct json_object *list, int64_t number);
void json_append_text(struct json_object *list, const char *text);

/* The object on one line, slashes as they are. */
const char *json_line(struct json_object *top);
/* The same, malloc'ed, and the object is put. */
char *json_line_put(struct json_object *top);

#endif
