/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field.h - convert a struct to a JSON object and back, by a table of fields
 *
 * Terms   field: a row of the table: key, kind, offset in the struct, and how an unknown value
 *           is written: as null, or not at all ('is_optional').
 *         unknown: a negative number or time, an answer of -1, a text that is NULL or
 *           "", a flag that is false, no rows, an object without a known field.
 *         rows: whole numbers; zeros at their end are left out.
 *         has: a field that contains whether an object or rows are present: a
 *           bool, which reading sets, or a count, which it does not.
 *         list: of structs; the field 'count' has their number.
 *         derived: 'get' and 'set' convert an answer from and to other members.
 * Owner   field_free() frees the texts and lists of a struct, not the struct.
 * Errors  -1 and a message that begins with the key. A text that is longer than 'most'
 *           bytes is an error when it is read, and cut when it is written; bytes that
 *           are not UTF-8, and hidden characters (utf8.h), become '?'. Unknown keys are ignored. Of a longer list
 *           only the first are read, *is_cut is set then.
 * Runs    helpers, ledger, report.
 */
#ifndef JOBIO_RECORD_FIELD_H
#define JOBIO_RECORD_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/json.h"

enum field_kind {
	FIELD_END,
	FIELD_TEXT,    /* char *, at most 'most' bytes */
	FIELD_WORD,    /* char [] */
	FIELD_NUMBER,  /* int64_t, at most 'most' */
	FIELD_ID,      /* uint32_t, always known */
	FIELD_SOME,    /* uint32_t; 0 is unknown */
	FIELD_COUNT,   /* int64_t; 0 is unknown */
	FIELD_TIME,    /* double, seconds */
	FIELD_ANSWER,  /* int */
	FIELD_FLAG,    /* bool; false is unknown */
	FIELD_CHOICE,  /* int or enum: index of a word of 'words' */
	FIELD_DERIVED, /* an answer of 'get'; reading calls 'set' */
	FIELD_ROWS,    /* int64_t [] */
	FIELD_OBJECT,  /* 'table' has the fields, of the struct at 'at' */
	FIELD_LIST     /* pointer to an array of at most 'most' */
};

struct field {
	const char *key;
	size_t key_size;
	enum field_kind kind;
	size_t at, room; /* in the struct, bytes */
	int64_t most;	 /* 0: FIELD_TEXT_MAX, FIELD_LIST_MAX */
	bool is_optional;
	bool is_null;	 /* an empty list is written as null */
	bool is_picture; /* left out if JSON gets too long */
	const struct field *table;
	const char *const *words; /* end with NULL */
	int (*get)(const void *of);
	void (*set)(void *of, bool answer);
	size_t size;	      /* of an element */
	size_t has, has_size; /* sizeof; 0: no such field */
};

/* Rows of a table; further arguments are members of the struct above. */
#define FIELD(type, name, of, member, ...)                                                         \
	{                                                                                          \
		.key = name, .key_size = sizeof(name) - 1, .kind = FIELD_##type,                   \
		.at = offsetof(struct of, member), .room = sizeof(((const struct of *)0)->member), \
		__VA_ARGS__                                                                        \
	}
#define FIELD_PART(name, fields, ...)                                                              \
	{                                                                                          \
		.key = name, .key_size = sizeof(name) - 1, .kind = FIELD_OBJECT, .table = fields,  \
		__VA_ARGS__                                                                        \
	}
#define FIELD_ALL(name, fields, of, list, count, ...)                                              \
	FIELD(LIST, name, of, list, .table = fields,                                               \
	      .size = sizeof(*((const struct of *)0)->list), FIELD_HAS(of, count), __VA_ARGS__)
#define FIELD_HAS(of, member)                                                                      \
	.has = offsetof(struct of, member), .has_size = sizeof(((const struct of *)0)->member)
#define FIELD_IF_KNOWN .is_optional = true
#define FIELD_LAST                                                                                 \
	{                                                                                          \
		.kind = FIELD_END                                                                  \
	}

#define FIELD_TEXT_MAX 4096
#define FIELD_LIST_MAX 64
#define FIELD_TIME_MAX INT64_C(100000000000) /* the year 5138 */

/* Set everything to unknown; bytes that are not in the table stay. */
void field_init(const struct field *table, void *of);
void field_free(const struct field *table, void *of);

/* Write members of 'to': of each list at most 'most' elements; without these. */
#define FIELD_NO_PICTURES 1U
#define FIELD_NO_UNKNOWN 2U
void field_write(const struct field *table, const void *of, struct json *to, size_t most,
		 unsigned int without);
int field_read(const struct field *table, void *of, const struct json *from, bool *is_cut,
	       struct err *err);

/* Set a text to a copy of at most 'most' bytes; NULL removes it. */
void field_set(char **field, const char *text, size_t most);

#endif
