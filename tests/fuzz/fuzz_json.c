/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON that can be parsed is the same after writing and parsing it again. */
#include "record/json.h"
#include "tests/fuzz/fuzz.h"

#define DEPTH 8

static void check_same(const struct json *a, const struct json *b)
{
	const struct json *x = json_first(a), *y = json_first(b);

	MUST(a->kind == b->kind);
	MUST(a->key_size == b->key_size &&
	     !memcmp(a->key ? a->key : "", b->key ? b->key : "", a->key_size));
	if (a->kind == JSON_WHOLE)
		MUST(a->whole == b->whole);
	if (a->kind == JSON_REAL)
		MUST(a->real >= b->real && a->real <= b->real);
	if (a->kind == JSON_BOOL)
		MUST(a->is_true == b->is_true);
	if (a->kind == JSON_TEXT)
		MUST(a->text.size == b->text.size &&
		     !memcmp(a->text.bytes, b->text.bytes, a->text.size));
	for (; x && y; x = x->next, y = y->next)
		check_same(x, y);
	MUST(!x && !y);
}

FUZZ(json)
{
	struct err err = { "" };
	struct json *top = json_read((const char *)data, size, DEPTH, &err), *again, *copy;
	char *line;

	MUST(!top == !!*err.text);
	if (!top)
		return 0;
	copy = json_new_object();
	json_add_copy(copy, NULL, top);
	check_same(top, json_first(copy));
	line = json_line_free(copy);
	again = json_read(line + 1, strlen(line) - 2, DEPTH, NULL);
	MUST(again);
	check_same(top, again);
	json_free(again);
	json_free(top);
	free(line);
	return 0;
}
