/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/json.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "lib/alloc.h"

struct json_object *json_parse(const char *text)
{
	struct json_object *top = json_tokener_parse(text);

	if (json_object_is_type(top, json_type_object))
		return top;
	json_object_put(top);
	return NULL;
}

struct json_object *json_parse_list(const char *text)
{
	struct json_object *list = json_tokener_parse(text);

	if (json_object_is_type(list, json_type_array))
		return list;
	json_object_put(list);
	return NULL;
}

static bool is_blank(const char *text, size_t size)
{
	while (size && strchr(" \t\r\n", *text) && *text)
		text++, size--;
	return !size;
}

struct json_object *json_parse_bounded(const char *text, size_t size_bytes, size_t bytes_max,
				       int depth_max)
{
	struct json_tokener *tok = xneed(json_tokener_new_ex(depth_max));
	struct json_object *top = NULL;
	size_t at;

	if (size_bytes <= bytes_max)
		top = json_tokener_parse_ex(tok, text, (int)size_bytes);
#if JSON_C_VERSION_NUM >= (14 << 8)
	at = json_tokener_get_parse_end(tok);
#else
	at = (size_t)tok->char_offset; /* Enterprise Linux 8: 0.13.1 */
#endif
	if (json_tokener_get_error(tok) != json_tokener_success ||
	    (top && !is_blank(text + at, size_bytes - at))) {
		json_object_put(top);
		top = NULL;
	}
	json_tokener_free(tok);
	return top;
}

/* Behind the string that begins here; its end, when it has none. */
static const char *string_end(const char *text)
{
	for (text++; *text && *text != '"'; text++)
		if (*text == '\\' && text[1])
			text++;
	return *text ? text + 1 : text;
}

/* Brackets outside of strings; whether they match is for the parser to say.
 * Most of a text is neither, and is passed at a look each. */
const char *json_end(const char *text)
{
	static const bool counts[256] = {
		['\0'] = true, ['"'] = true, ['{'] = true, ['['] = true, ['}'] = true, [']'] = true
	};
	int depth = 0;

	for (;;) {
		while (!counts[(unsigned char)*text])
			text++;
		if (!*text)
			return NULL;
		if (*text == '"') {
			text = string_end(text);
			continue;
		}
		depth += *text == '{' || *text == '[' ? 1 : -1;
		text++;
		if (depth <= 0)
			return text;
	}
}

struct json_object *json_member(struct json_object *top, const char *key)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(top, key, &value);
	return value;
}

static struct json_object *typed(struct json_object *top, const char *key, enum json_type type)
{
	struct json_object *value = json_member(top, key);

	return value && json_object_is_type(value, type) ? value : NULL;
}

const char *json_value_text(struct json_object *value)
{
	const char *text;

	if (!json_object_is_type(value, json_type_string))
		return NULL;
	text = json_object_get_string(value);
	if (!text || strlen(text) != (size_t)json_object_get_string_len(value))
		return NULL;
	return text;
}

const char *json_text(struct json_object *top, const char *key)
{
	return json_value_text(json_member(top, key));
}

bool json_value_number(struct json_object *value, int64_t *number)
{
	if (!json_object_is_type(value, json_type_int))
		return false;
	*number = json_object_get_int64(value);
	return true;
}

int64_t json_number(struct json_object *top, const char *key)
{
	int64_t number;

	return json_value_number(json_member(top, key), &number) && number >= 0 ? number
										: JSON_UNKNOWN;
}

bool json_is_true(struct json_object *top, const char *key)
{
	struct json_object *value = typed(top, key, json_type_boolean);

	return value && json_object_get_boolean(value);
}

struct json_object *json_list(struct json_object *top, const char *key)
{
	return typed(top, key, json_type_array);
}

struct json_object *json_map(struct json_object *top, const char *key)
{
	return typed(top, key, json_type_object);
}

void json_add_text(struct json_object *top, const char *key, const char *text)
{
	json_object_object_add(top, key, text ? xneed(json_object_new_string(text)) : NULL);
}

void json_add_number(struct json_object *top, const char *key, int64_t number)
{
	json_object_object_add(top, key, xneed(json_object_new_int64(number)));
}

void json_add_known(struct json_object *top, const char *key, int64_t number)
{
	json_object_object_add(top, key, number < 0 ? NULL : xneed(json_object_new_int64(number)));
}

struct json_object *json_new(void)
{
	return xneed(json_object_new_object());
}

void json_add_time(struct json_object *top, const char *key, double seconds)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", seconds);
	json_object_object_add(top, key,
			       seconds < 0 ? NULL : xneed(json_object_new_double_s(seconds, text)));
}

void json_add_bool(struct json_object *top, const char *key, bool is_true)
{
	json_object_object_add(top, key, xneed(json_object_new_boolean(is_true)));
}

void json_add_answer(struct json_object *top, const char *key, int answer)
{
	if (answer < 0)
		json_object_object_add(top, key, NULL);
	else
		json_add_bool(top, key, answer);
}

struct json_object *json_add_object(struct json_object *top, const char *key)
{
	struct json_object *new = xneed(json_object_new_object());

	json_object_object_add(top, key, new);
	return new;
}

struct json_object *json_add_list(struct json_object *top, const char *key)
{
	struct json_object *new = xneed(json_object_new_array());

	json_object_object_add(top, key, new);
	return new;
}

struct json_object *json_append_object(struct json_object *list)
{
	struct json_object *new = xneed(json_object_new_object());

	json_object_array_add(list, new);
	return new;
}

void json_append_number(struct json_object *list, int64_t number)
{
	json_object_array_add(list, xneed(json_object_new_int64(number)));
}

void json_append_text(struct json_object *list, const char *text)
{
	json_object_array_add(list, xneed(json_object_new_string(text)));
}

const char *json_line(struct json_object *top)
{
	return xneed((char *)json_object_to_json_string_ext(
		top, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
}

char *json_line_put(struct json_object *top)
{
	char *copy = xstrdup(json_line(top));

	json_object_put(top);
	return copy;
}
