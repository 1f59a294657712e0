/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Readers and writers of JSON: what is taken can be written and read again. */
#include <json-c/json.h>

#include "lib/json.h"
#include "tests/fuzz/fuzz.h"

static const char *const keys[] = { "a", "op", "job", "node", "list", "map" };

static void copy_members(struct json_object *from, struct json_object *to)
{
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		json_add_text(to, keys[i], json_text(from, keys[i]));
		if (json_number(from, keys[i]) != JSON_UNKNOWN)
			json_add_known(to, keys[i], json_number(from, keys[i]));
		if (json_is_true(from, keys[i]))
			json_add_bool(to, keys[i], true);
	}
}

static void check_members(struct json_object *a, struct json_object *b)
{
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *text = json_text(a, keys[i]);
		const char *again = json_text(b, keys[i]);

		MUST(!text == !again && (!text || !strcmp(text, again)));
		MUST(json_number(a, keys[i]) == json_number(b, keys[i]));
		MUST(json_is_true(a, keys[i]) == json_is_true(b, keys[i]));
		MUST(!json_list(a, keys[i]) || !json_map(a, keys[i]));
	}
}

FUZZ(json)
{
	char *text = fuzz_text(data, size);
	struct json_object *top = json_parse(text), *copy, *again;
	struct json_object *bounded;

	bounded = json_parse_bounded((const char *)data, size, 4096, 8);
	MUST(!bounded || size <= 4096);
	if (json_object_is_type(bounded, json_type_object))
		copy_members(bounded, bounded);
	json_object_put(bounded);
	if (top) {
		copy = json_object_new_object();
		copy_members(top, copy);
		check_members(top, copy);
		again = json_parse(json_line(copy));
		MUST(again);
		check_members(top, again);
		json_object_put(again);
		json_object_put(copy);
	}
	json_object_put(top);
	free(text);
	return 0;
}
