/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/json_tree.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/utf8.h"

#define CHUNK 256	  /* nodes */
#define PLAIN_DEPTH_MAX 6 /* json-c allows its limit less two, at least */
#define DIGITS_MAX 18	  /* of any int64_t */

struct chunk {
	struct chunk *next;
	size_t used;
	struct json_node nodes[CHUNK];
};

struct json_tree {
	struct json_node top;
	struct chunk *chunks;
	struct json_object *slow; /* what the texts hang on; NULL: the text */
	bool is_finite;		  /* all numbers: json-c takes NaN and 1e999 as well */
};

void json_tree_free(struct json_tree *tree)
{
	struct chunk *chunk;

	if (!tree)
		return;
	while ((chunk = tree->chunks)) {
		tree->chunks = chunk->next;
		free(chunk);
	}
	json_object_put(tree->slow);
	free(tree);
}

const struct json_node *json_tree_top(const struct json_tree *tree)
{
	return &tree->top;
}

const struct json_node *json_node_member(const struct json_node *node, const char *key)
{
	const struct json_node *found = NULL, *member;
	size_t size = strlen(key);

	if (!node || node->kind != JSON_OBJECT)
		return NULL;
	for (member = node->list.first; member; member = member->next)
		if (member->key_size == size && !memcmp(member->key, key, size))
			found = member;
	return found;
}

static struct json_node *new_node(struct json_tree *tree)
{
	struct chunk *chunk = tree->chunks;

	if (!chunk || chunk->used == CHUNK) {
		chunk = xneed(malloc(sizeof(*chunk))); /* not zeroed: fast */
		chunk->used = 0;
		chunk->next = tree->chunks;
		tree->chunks = chunk;
	}
	return memset(&chunk->nodes[chunk->used++], 0, sizeof(struct json_node));
}

/* ---- plain text ---------------------------------------------------------- */

/* What is not plain ends the reading: false, and json-c reads it all again. */
struct reader {
	struct json_tree *tree;
	const char *at, *end;
	int depth;
};

static char next_sign(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
	return r->at < r->end ? *r->at : 0;
}

static bool read_string(struct reader *r, const char **bytes, size_t *size)
{
	const char *at;

	if (next_sign(r) != '"')
		return false;
	for (at = ++r->at; at < r->end && *at != '"'; at++)
		if (*at < ' ' || *at > '~' || *at == '\\')
			return false;
	if (at == r->end)
		return false;
	*bytes = r->at;
	*size = (size_t)(at - r->at);
	r->at = at + 1;
	return true;
}

/* Digits from here on; a zero in front of others is no JSON. */
static bool read_digits(struct reader *r, int64_t *number, int *count)
{
	const char *from = r->at;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9') {
		if (++*count > DIGITS_MAX)
			return false;
		*number = *number * 10 + (*r->at++ - '0');
	}
	return r->at > from;
}

/* Below 2^53 both are exact, and so is the nearest double of their quotient. */
static bool read_fraction(struct reader *r, int64_t number, int digits, struct json_node *node)
{
	double divisor = 1;
	int before = digits;

	r->at++;
	if (!read_digits(r, &number, &digits) || number > INT64_C(1) << 53)
		return false;
	for (; digits > before; digits--)
		divisor *= 10;
	node->kind = JSON_REAL;
	node->real = (double)number / divisor;
	return true;
}

static bool read_number(struct reader *r, struct json_node *node)
{
	bool is_negative = *r->at == '-', is_real;
	const char *first;
	int64_t number = 0;
	int digits = 0;

	r->at += is_negative;
	first = r->at;
	if (!read_digits(r, &number, &digits) || (*first == '0' && (digits > 1 || is_negative)))
		return false;
	is_real = r->at < r->end && *r->at == '.';
	if (is_real && (is_negative || !read_fraction(r, number, digits, node)))
		return false;
	if (!is_real) {
		node->kind = JSON_WHOLE;
		node->whole = is_negative ? -number : number;
	}
	/* an exponent, or no number at all */
	return r->at < r->end &&
	       (*r->at == ',' || *r->at == '}' || *r->at == ']' || *r->at == ' ' || *r->at == '\n');
}

static bool read_word(struct reader *r, struct json_node *node)
{
	static const struct {
		const char *word;
		enum json_kind kind;
		bool is_true;
	} words[] = { { "null", JSON_NULL, false },
		      { "true", JSON_BOOL, true },
		      { "false", JSON_BOOL, false } };
	size_t i, size;

	for (i = 0; i < 3; i++) {
		size = strlen(words[i].word);
		if ((size_t)(r->end - r->at) <= size || memcmp(r->at, words[i].word, size) != 0)
			continue;
		node->kind = words[i].kind;
		if (node->kind == JSON_BOOL)
			node->is_true = words[i].is_true;
		r->at += size;
		return true;
	}
	return false;
}

static bool read_value(struct reader *r, struct json_node *node);

/* One member or element, behind the others. */
static struct json_node *read_one(struct reader *r, bool is_object)
{
	struct json_node *one = new_node(r->tree);

	if (is_object) {
		if (!read_string(r, &one->key, &one->key_size) || next_sign(r) != ':')
			return NULL;
		r->at++;
	}
	return read_value(r, one) ? one : NULL;
}

static bool read_list(struct reader *r, struct json_node *node)
{
	bool is_object = *r->at++ == '{';
	char end = is_object ? '}' : ']', sign = next_sign(r);
	struct json_node **last = &node->list.first;

	node->kind = is_object ? JSON_OBJECT : JSON_LIST;
	if (++r->depth > PLAIN_DEPTH_MAX)
		return false;
	for (; sign != end || node->list.count; last = &(*last)->next) {
		*last = read_one(r, is_object);
		if (!*last)
			return false;
		node->list.count++;
		sign = next_sign(r);
		if (sign == end)
			break;
		if (sign != ',')
			return false;
		r->at++;
	}
	r->at++;
	r->depth--;
	return true;
}

static bool read_value(struct reader *r, struct json_node *node)
{
	char sign = next_sign(r);

	if (sign == '{' || sign == '[')
		return read_list(r, node);
	if (sign == '"') {
		node->kind = JSON_TEXT;
		return read_string(r, &node->text.bytes, &node->text.size);
	}
	if (sign == '-' || (sign >= '0' && sign <= '9'))
		return read_number(r, node);
	return read_word(r, node);
}

/* ---- any text, by json-c ------------------------------------------------- */

/* A copy of UTF-8 JSON text with every character outside ASCII as \uXXXX;
 * NULL: *bad says what no JSON has. Such a character is at home
 * in strings only, and outside of strings both ways to write it are errors. A NUL
 * would be the end for json-c, with success, whatever is behind it.
 */
static char *ascii_json(const char *text, size_t size, size_t *length, const char **bad)
{
	char *ascii = xneed(malloc(size * 3 + 1)); /* 2 bytes to 6 */
	char *out = ascii;
	unsigned int code = 0;
	size_t n;

	for (; size; text += n, size -= n) {
		n = utf8_character(text, size, &code);
		if (!n || !code) {
			*bad = n ? "a NUL character" : "invalid utf-8 string";
			free(ascii);
			return NULL;
		}
		if (code < 0x80)
			*out++ = (char)code;
		else if (code < 0x10000)
			out += sprintf(out, "\\u%04x", code);
		else
			out += sprintf(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10),
				       0xdc00 + ((code - 0x10000) & 0x3ff));
	}
	*length = (size_t)(out - ascii);
	return ascii;
}

/* json-c sees ASCII only: json-c 0.18 (Debian trixie) compares a signed char
 * with 0x1f and so refuses, when strict, every character outside ASCII.
 */
static struct json_object *tokenize(const char *text, size_t size, int depth_max, struct err *err)
{
	struct json_tokener *tok;
	struct json_object *top;
	enum json_tokener_error rc;
	const char *bad = NULL;
	size_t length = 0;
	char *ascii = ascii_json(text, size, &length, &bad);

	if (!ascii) {
		err_set(err, "not JSON: %s", bad);
		return NULL;
	}
	tok = xneed(json_tokener_new_ex(depth_max));
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	top = json_tokener_parse_ex(tok, ascii, (int)length);
	rc = json_tokener_get_error(tok);
	if (!top || rc != json_tokener_success) {
		err_set(err, "not JSON: %s",
			rc == json_tokener_continue  ? "it ends too early"
			: rc == json_tokener_success ? "no object"
						     : json_tokener_error_desc(rc));
		json_object_put(top);
		top = NULL;
	} else if (!json_object_is_type(top, json_type_object)) {
		err_set(err, "not an object");
		json_object_put(top);
		top = NULL;
	}
	free(ascii);
	json_tokener_free(tok);
	return top;
}

static void take(struct json_tree *tree, struct json_object *from, struct json_node *node);

static void take_one(struct json_tree *tree, struct json_object *value, const char *key,
		     struct json_node *list, struct json_node ***last)
{
	struct json_node *one = new_node(tree);

	one->key = key;
	one->key_size = key ? strlen(key) : 0;
	**last = one;
	*last = &one->next;
	list->list.count++;
	take(tree, value, one);
}

static void take_list(struct json_tree *tree, struct json_object *from, struct json_node *node)
{
	struct json_node **last = &node->list.first;
	size_t i;

	if (node->kind == JSON_OBJECT) {
		json_object_object_foreach (from, key, value)
			take_one(tree, value, key, node, &last);
		return;
	}
	for (i = 0; i < json_object_array_length(from); i++)
		take_one(tree, json_object_array_get_idx(from, i), NULL, node, &last);
}

/* What json-c found, as the nodes of a tree. */
static void take(struct json_tree *tree, struct json_object *from, struct json_node *node)
{
	static const enum json_kind kinds[] = {
		[json_type_null] = JSON_NULL,	  [json_type_boolean] = JSON_BOOL,
		[json_type_double] = JSON_REAL,	  [json_type_int] = JSON_WHOLE,
		[json_type_object] = JSON_OBJECT, [json_type_array] = JSON_LIST,
		[json_type_string] = JSON_TEXT,
	};

	node->kind = kinds[json_object_get_type(from)];
	if (node->kind == JSON_OBJECT || node->kind == JSON_LIST)
		take_list(tree, from, node);
	if (node->kind == JSON_BOOL)
		node->is_true = json_object_get_boolean(from);
	if (node->kind == JSON_REAL) {
		node->real = json_object_get_double(from);
		tree->is_finite &= isfinite(node->real) != 0;
	}
	if (node->kind == JSON_WHOLE)
		node->whole = json_object_get_int64(from);
	if (node->kind == JSON_TEXT) {
		node->text.bytes = json_object_get_string(from);
		node->text.size = (size_t)json_object_get_string_len(from);
	}
}

struct json_tree *json_tree_new_slow(const char *text, size_t size, int depth_max, struct err *err)
{
	struct json_object *top = tokenize(text, size, depth_max, err);
	struct json_tree *tree;

	if (!top)
		return NULL;
	tree = xcalloc(1, sizeof(*tree));
	*tree = (struct json_tree){ .slow = top, .is_finite = true };
	take(tree, top, &tree->top);
	if (tree->is_finite)
		return tree;
	err_set(err, "not JSON: a number that is none, or too large");
	json_tree_free(tree);
	return NULL;
}

struct json_tree *json_tree_new(const char *text, size_t size, int depth_max, struct err *err)
{
	struct json_tree *tree = xcalloc(1, sizeof(*tree));
	struct reader r = { .tree = tree, .at = text, .end = text + size };

	if (depth_max >= PLAIN_DEPTH_MAX + 2 && next_sign(&r) == '{' && read_list(&r, &tree->top) &&
	    r.at == r.end)
		return tree;
	json_tree_free(tree);
	return json_tree_new_slow(text, size, depth_max, err);
}
