/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json_tree.h - all that a JSON text says, for those who read many of them
 *
 * Terms   node: a value. Members of an object and elements of a list hang on it,
 *           one after the other, as they stand in the text.
 *         plain text: ASCII without escapes, whole numbers of at most 18 digits,
 *           others without an exponent: what programs write. It is read here;
 *           any other text is read by json-c, which also says what is wrong
 *           with one that is none. Both see the same in what both read.
 * Owner   json_tree_free(), NULL allowed. Nodes belong to the tree, their texts
 *           to it or to the text that was read, which must outlive it.
 * Errors  NULL, a sentence in *err that begins with "not JSON: ", or "not an
 *           object".
 * Runs    lib/record_read.c: ledger, report, helpers.
 */
#ifndef JOBIO_JSON_TREE_H
#define JOBIO_JSON_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

enum json_kind {
	JSON_NULL,
	JSON_BOOL,
	JSON_REAL,
	JSON_WHOLE,
	JSON_OBJECT,
	JSON_LIST,
	JSON_TEXT
};

struct json_node {
	enum json_kind kind;
	const char *key; /* of a member; not NUL-terminated */
	size_t key_size;
	struct json_node *next; /* in the same object or list; NULL: the last */
	union {
		bool is_true;
		double real;
		int64_t whole;
		struct {
			const char *bytes; /* not NUL-terminated */
			size_t size;
		} text;
		struct {
			struct json_node *first;
			size_t count;
		} list; /* or object */
	};
};

struct json_tree;

/* The whole text must be one object, strictly JSON, so deep at most. */
struct json_tree *json_tree_new(const char *text, size_t size, int depth_max, struct err *err);
/* Ask json-c of any text: what the tests compare with. */
struct json_tree *json_tree_new_slow(const char *text, size_t size, int depth_max, struct err *err);
void json_tree_free(struct json_tree *tree);

/* The object. */
const struct json_node *json_tree_top(const struct json_tree *tree);

/* Of two members with one name the last counts. NULL: there is none, or 'node'
 * is no object. */
const struct json_node *json_node_member(const struct json_node *node, const char *key);

#endif
