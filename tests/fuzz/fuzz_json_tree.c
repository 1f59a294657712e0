/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether json_tree reads a text itself or has json-c read it, it is the same. */
#include "lib/json_tree.h"
#include "tests/fuzz/fuzz.h"

#define DEPTH 8

static void check_node(const struct json_node *a, const struct json_node *b);

static void check_list(const struct json_node *a, const struct json_node *b)
{
	const struct json_node *x = a->list.first, *y = b->list.first;
	char key[64];

	MUST(a->kind == JSON_OBJECT || a->list.count == b->list.count);
	for (; a->kind == JSON_LIST && x && y; x = x->next, y = y->next)
		check_node(x, y);
	for (x = a->list.first; a->kind == JSON_OBJECT && x; x = x->next) {
		if (x->key_size >= sizeof(key))
			continue;
		snprintf(key, sizeof(key), "%.*s", (int)x->key_size, x->key);
		y = json_node_member(b, key);
		MUST(y);
		check_node(json_node_member(a, key), y);
	}
}

static void check_node(const struct json_node *a, const struct json_node *b)
{
	MUST(a->kind == b->kind);
	if (a->kind == JSON_OBJECT || a->kind == JSON_LIST)
		check_list(a, b);
	if (a->kind == JSON_WHOLE)
		MUST(a->whole == b->whole);
	if (a->kind == JSON_REAL)
		MUST(a->real >= b->real && a->real <= b->real);
	if (a->kind == JSON_BOOL)
		MUST(a->is_true == b->is_true);
	if (a->kind == JSON_TEXT)
		MUST(a->text.size == b->text.size &&
		     !memcmp(a->text.bytes, b->text.bytes, a->text.size));
}

FUZZ(json_tree)
{
	struct err one = { "" }, other = { "" };
	struct json_tree *a = json_tree_new((const char *)data, size, DEPTH, &one);
	struct json_tree *b = json_tree_new_slow((const char *)data, size, DEPTH, &other);

	MUST(!a == !b);
	MUST(!strcmp(one.text, other.text));
	if (a)
		check_node(json_tree_top(a), json_tree_top(b));
	json_tree_free(a);
	json_tree_free(b);
	return 0;
}
