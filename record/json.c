/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"

#define CHUNK_BYTES 32000

struct chunk {
	struct chunk *next;
	size_t used, size;
	_Alignas(8) char bytes[];
};

/* Values and their texts, in one pool of memory. */
struct json_tree {
	struct json top;
	struct chunk *chunks;
};

static struct chunk *new_chunk(struct json_tree *tree, size_t size)
{
	size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
	struct chunk *chunk = xneed(malloc(sizeof(*chunk) + room)); /* not zeroed: fast */

	*chunk = (struct chunk){ .next = tree->chunks, .size = room };
	tree->chunks = chunk;
	return chunk;
}

static inline void *take(struct json_tree *tree, size_t size)
{
	struct chunk *chunk = tree->chunks;

	size = (size + 7) & ~(size_t)7;
	if (!chunk || chunk->size - chunk->used < size)
		chunk = new_chunk(tree, size);
	chunk->used += size;
	return chunk->bytes + chunk->used - size;
}

static char *take_text(struct json_tree *tree, const char *text, size_t size)
{
	char *copy = take(tree, size + 1);

	memcpy(copy, text, size);
	copy[size] = 0;
	return copy;
}

static struct json *new_top(enum json_kind kind)
{
	struct json_tree *tree = xcalloc(1, sizeof(*tree));

	tree->top.kind = kind;
	tree->top.tree = tree;
	return &tree->top;
}

struct json *json_new_object(void)
{
	return new_top(JSON_OBJECT);
}

void json_free(struct json *top)
{
	struct json_tree *tree = top ? top->tree : NULL;
	struct chunk *chunk;

	while (tree && (chunk = tree->chunks)) {
		tree->chunks = chunk->next;
		free(chunk);
	}
	free(tree);
}

/* Append a value, null so far, to an object or list. */
static struct json *hang(struct json *list)
{
	struct json *one = take(list->tree, sizeof(*one));

	*one = (struct json){ .tree = list->tree };
	*(list->list.first ? &list->list.last->next : &list->list.first) = one;
	list->list.last = one;
	list->list.count++;
	return one;
}

/* ---- read ---------------------------------------------------------------- */

/* Reads a copy that ends with a NUL, which is not allowed in JSON: so every loop ends. Texts are
 * decoded in place, which never takes more bytes. */
struct reader {
	char *from, *at;
	int depth_left;
	const char *wrong; /* reason; NULL: not JSON */
};

/* Loops keep the position in a local variable, so that it is not written each time. */
static inline char next_sign(struct reader *r)
{
	char *at = r->at;

	if (*at > ' ')
		return *at; /* the usual case */
	while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r')
		at++;
	r->at = at;
	return *at;
}

/* Return the value of four hexadecimal digits, or -1. */
static long read_hex(const char *at)
{
	char digits[5] = "";

	if (strspn(at, "0123456789abcdefABCDEF") < 4)
		return -1;
	memcpy(digits, at, 4);
	return strtol(digits, NULL, 16);
}

static char *put_utf8(char *to, unsigned int code)
{
	static const unsigned char first[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	int size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4, i;

	for (i = size - 1; i > 0; i--, code >>= 6)
		to[i] = (char)(0x80 | (code & 0x3f));
	to[0] = (char)(first[size > 1 ? size : 0] | code);
	return to + size;
}

/* Read \uXXXX, or two of them that are one character; half of such a pair is U+FFFD. */
static char *read_unicode(struct reader *r, char *to)
{
	long code = read_hex(r->at + 1), low;

	if (code < 0)
		return NULL;
	r->at += 5;
	low = code >= 0xd800 && code < 0xdc00 && !strncmp(r->at, "\\u", 2) ? read_hex(r->at + 2)
									   : -1;
	if (low >= 0xdc00 && low < 0xe000) {
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		r->at += 6;
	} else if (code >= 0xd800 && code < 0xe000) {
		code = 0xfffd;
	}
	return put_utf8(to, (unsigned int)code);
}

static char *read_escape(struct reader *r, char *to)
{
	static const char signs[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *sign;

	r->at++;
	if (*r->at == 'u')
		return read_unicode(r, to);
	sign = *r->at ? strchr(signs, *r->at) : NULL;
	if (!sign)
		return NULL;
	r->at++;
	*to = meant[sign - signs];
	return to + 1;
}

/* All but '"', '\\' and control characters. */
static bool is_plain(char sign)
{
	static const bool plain[256] = { [' ' ... '!'] = true,
					 ['#' ... '['] = true,
					 [']' ... 255] = true };

	return plain[(unsigned char)sign];
}

/* Return the bytes, NUL-terminated; NULL: not a string. */
static char *read_string(struct reader *r, size_t *size)
{
	char *bytes = r->at + 1, *to = bytes;

	if (*r->at != '"')
		return NULL;
	while (is_plain(*to))
		to++;
	for (r->at = to; *r->at != '"';) {
		if (is_plain(*r->at))
			*to++ = *r->at++;
		else if (*r->at != '\\' || !(to = read_escape(r, to)))
			return NULL;
	}
	r->at++;
	*to = 0;
	*size = (size_t)(to - bytes);
	return bytes;
}

/* Skip digits; *number is their value if they are at most 19. */
static inline bool pass_digits(struct reader *r, uint64_t *number)
{
	char *from = r->at, *at = from;
	uint64_t all = 0;

	for (; *at >= '0' && *at <= '9'; at++)
		all = all * 10 + (uint64_t)(*at - '0');
	r->at = at;
	*number = all;
	return at > from;
}

static bool read_real(struct reader *r, char *from, struct json *value)
{
	uint64_t ignored;
	size_t size;

	if (*r->at == '.' && (r->at++, !pass_digits(r, &ignored)))
		return false;
	if (*r->at == 'e' || *r->at == 'E') {
		r->at++;
		r->at += *r->at == '+' || *r->at == '-';
		if (!pass_digits(r, &ignored))
			return false;
	}
	size = (size_t)(r->at - from);
	value->kind = JSON_REAL;
	value->digits = take_text(value->tree, from, size);
	value->real = strtod(value->digits, NULL);
	if (isfinite(value->real))
		return true;
	r->wrong = "a number is too large";
	return false;
}

static bool read_number(struct reader *r, struct json *value)
{
	char *from = r->at, *first = from + (*from == '-');
	uint64_t number;

	r->at = first;
	if (!pass_digits(r, &number) || (*first == '0' && r->at > first + 1))
		return false;
	if (*r->at == '.' || *r->at == 'e' || *r->at == 'E')
		return read_real(r, from, value);
	if (r->at - first > 19 || number > INT64_MAX)
		number = (uint64_t)INT64_MAX + (first > from); /* the nearest possible */
	value->kind = JSON_WHOLE;
	value->whole = first > from ? (int64_t)-number : (int64_t)number;
	return true;
}

static bool read_word(struct reader *r, const char *word)
{
	size_t size = strlen(word);

	if (strncmp(r->at, word, size) != 0)
		return false;
	r->at += size;
	return true;
}

static bool read_value(struct reader *r, struct json *value);

/* Read one member or element, and append it. */
static bool read_one(struct reader *r, struct json *list)
{
	struct json *one = hang(list);
	size_t size = 0;

	if (list->kind == JSON_OBJECT) {
		one->key = next_sign(r) == '"' ? read_string(r, &size) : NULL;
		one->key_size = (uint32_t)size;
		if (!one->key || next_sign(r) != ':')
			return false;
		r->at++;
	}
	return read_value(r, one);
}

/* Most values of a record are numbers of a histogram or timeline, "[1,20,3]": store them as an
 * array. Return false if it is another list, of which nothing has been read. */
static bool read_counts(struct reader *r, struct json *list)
{
	int64_t counts[JSON_COUNTS_MAX];
	char *at = r->at, *from;
	uint64_t number;
	unsigned int digit;
	size_t count = 0;

	do {
		from = ++at;
		for (number = 0; (digit = (unsigned int)*at - '0') <= 9; at++)
			number = number * 10 + digit;
		if (at == from || at - from > 18 || (*from == '0' && at > from + 1) ||
		    count == JSON_COUNTS_MAX)
			return false;
		counts[count++] = (int64_t)number;
	} while (*at == ',');
	if (*at != ']')
		return false;
	list->kind = JSON_LIST;
	list->list.count = count;
	list->list.counts = take(list->tree, count * sizeof(*counts));
	memcpy(list->list.counts, counts, count * sizeof(*counts));
	r->at = at + 1;
	return true;
}

static bool read_all(struct reader *r, struct json *list)
{
	char end = *r->at++ == '{' ? '}' : ']', sign;

	list->kind = end == '}' ? JSON_OBJECT : JSON_LIST;
	for (sign = next_sign(r); sign != end || list->list.count; sign = ',') {
		if (!read_one(r, list))
			return false;
		sign = next_sign(r);
		if (sign == end)
			break;
		if (sign != ',')
			return false;
		r->at++;
	}
	r->at++;
	return true;
}

static bool read_list(struct reader *r, struct json *list)
{
	char *from = r->at;

	if (r->depth_left-- == 0) {
		r->wrong = "objects and lists in too many others";
		return false;
	}
	if ((*from != '[' || !read_counts(r, list)) && !read_all(r, list))
		return false;
	r->depth_left++;
	list->list.at = (uint32_t)(from - r->from);
	list->list.size = (uint32_t)(r->at - from);
	return true;
}

static bool read_value(struct reader *r, struct json *value)
{
	switch (next_sign(r)) {
	case '{':
	case '[':
		return read_list(r, value);
	case '"':
		value->kind = JSON_TEXT;
		value->text.bytes = read_string(r, &value->text.size);
		return value->text.bytes != NULL;
	case 'n':
		return read_word(r, "null");
	case 't':
	case 'f':
		value->kind = JSON_BOOL;
		value->is_true = *r->at == 't';
		return read_word(r, value->is_true ? "true" : "false");
	default:
		return read_number(r, value);
	}
}

struct json *json_read(const char *text, size_t size, int depth_max, struct err *err)
{
	struct json *top = new_top(JSON_NULL);
	struct reader r = { .depth_left = depth_max };
	const char *end;

	r.at = r.from = take_text(top->tree, text, size);
	end = r.from + size;
	if (size <= UINT32_MAX && read_value(&r, top) && (next_sign(&r), r.at == end))
		return top;
	if (r.wrong)
		err_set(err, "not JSON: %s", r.wrong);
	else if (r.at == end)
		err_set(err, "not JSON: it ends too early");
	else
		err_set(err, "not JSON: byte %zu", (size_t)(r.at - r.from) + 1);
	json_free(top);
	return NULL;
}

static struct json *parse(const char *text, enum json_kind kind)
{
	struct json *top = json_read(text, strlen(text), JSON_DEPTH_MAX, NULL);

	if (!top || top->kind == kind)
		return top;
	json_free(top);
	return NULL;
}

struct json *json_parse(const char *text)
{
	return parse(text, JSON_OBJECT);
}

struct json *json_parse_list(const char *text)
{
	return parse(text, JSON_LIST);
}

/* ---- queries ------------------------------------------------------------- */

bool json_is(const struct json *value, enum json_kind kind)
{
	return value && value->kind == kind;
}

/* Make values of the numbers of a list that has them as an array. */
static void hang_counts(struct json *list)
{
	const int64_t *counts = list->list.counts, *end = counts + list->list.count;

	list->list.counts = NULL;
	list->list.count = 0;
	for (; counts < end; counts++)
		json_append_number(list, *counts);
}

struct json *json_first(const struct json *value)
{
	if (!json_is(value, JSON_OBJECT) && !json_is(value, JSON_LIST))
		return NULL;
	if (value->list.counts)
		hang_counts((struct json *)value);
	return value->list.first;
}

struct json *json_member(const struct json *object, const char *key)
{
	struct json *found = NULL, *one = json_first(object);
	size_t size = strlen(key);

	for (; one; one = one->next)
		if (one->key_size == size && one->key && !memcmp(one->key, key, size))
			found = one;
	return found && found->kind != JSON_NULL ? found : NULL;
}

static struct json *typed(const struct json *object, const char *key, enum json_kind kind)
{
	struct json *value = json_member(object, key);

	return json_is(value, kind) ? value : NULL;
}

const char *json_value_text(const struct json *value)
{
	return json_is(value, JSON_TEXT) && strlen(value->text.bytes) == value->text.size
		       ? value->text.bytes
		       : NULL;
}

const char *json_text(const struct json *object, const char *key)
{
	return json_value_text(json_member(object, key));
}

bool json_value_number(const struct json *value, int64_t *number)
{
	if (!json_is(value, JSON_WHOLE))
		return false;
	*number = value->whole;
	return true;
}

int64_t json_number(const struct json *object, const char *key)
{
	const struct json *value = typed(object, key, JSON_WHOLE);

	return value && value->whole >= 0 ? value->whole : JSON_UNKNOWN;
}

bool json_is_true(const struct json *object, const char *key)
{
	const struct json *value = typed(object, key, JSON_BOOL);

	return value && value->is_true;
}

struct json *json_list(const struct json *object, const char *key)
{
	return typed(object, key, JSON_LIST);
}

struct json *json_map(const struct json *object, const char *key)
{
	return typed(object, key, JSON_OBJECT);
}

/* ---- change -------------------------------------------------------------- */

static struct json *add_key(struct json *list, const char *key, size_t size, enum json_kind kind)
{
	struct json *one;

	if (list->list.counts)
		hang_counts(list);
	one = hang(list);
	one->kind = kind;
	one->key_size = (uint32_t)size;
	one->key = key ? take_text(list->tree, key, size) : NULL;
	return one;
}

static struct json *add(struct json *list, const char *key, enum json_kind kind)
{
	return add_key(list, key, key ? strlen(key) : 0, kind);
}

static void add_bytes(struct json *list, const char *key, const char *text, size_t size)
{
	struct json *one = add(list, key, JSON_TEXT);

	one->text.bytes = take_text(list->tree, text, size);
	one->text.size = size;
}

void json_add_null(struct json *object, const char *key)
{
	add(object, key, JSON_NULL);
}

void json_add_text(struct json *object, const char *key, const char *text)
{
	if (text)
		add_bytes(object, key, text, strlen(text));
	else
		json_add_null(object, key);
}

void json_add_number(struct json *object, const char *key, int64_t number)
{
	add(object, key, JSON_WHOLE)->whole = number;
}

void json_add_known(struct json *object, const char *key, int64_t number)
{
	if (number < 0)
		json_add_null(object, key);
	else
		json_add_number(object, key, number);
}

void json_add_real(struct json *object, const char *key, const char *digits)
{
	struct json *one = add(object, key, digits ? JSON_REAL : JSON_NULL);

	if (!digits)
		return;
	one->digits = take_text(object->tree, digits, strlen(digits));
	one->real = strtod(digits, NULL);
}

void json_add_seconds(struct json *object, const char *key, double seconds)
{
	char digits[64];

	snprintf(digits, sizeof(digits), "%.3f", seconds);
	json_add_real(object, key, digits);
}

void json_add_bool(struct json *object, const char *key, bool is_true)
{
	add(object, key, JSON_BOOL)->is_true = is_true;
}

struct json *json_add_object(struct json *object, const char *key)
{
	return add(object, key, JSON_OBJECT);
}

struct json *json_add_list(struct json *object, const char *key)
{
	return add(object, key, JSON_LIST);
}

static void add_copy(struct json *object, const char *key, size_t size, const struct json *value)
{
	struct json *one = add_key(object, key, size, value->kind);
	const struct json *from;

	if (value->kind == JSON_TEXT) {
		one->text.bytes = take_text(object->tree, value->text.bytes, value->text.size);
		one->text.size = value->text.size;
	} else if (value->kind == JSON_REAL) {
		one->digits = take_text(object->tree, value->digits, strlen(value->digits));
		one->real = value->real;
	} else if (value->kind == JSON_OBJECT || value->kind == JSON_LIST) {
		for (from = json_first(value); from; from = from->next)
			add_copy(one, from->key, from->key_size, from);
	} else {
		one->whole = value->whole;
	}
}

void json_add_copy(struct json *object, const char *key, const struct json *value)
{
	add_copy(object, key, key ? strlen(key) : 0, value);
}

struct json *json_append_object(struct json *list)
{
	return json_add_object(list, NULL);
}

void json_append_number(struct json *list, int64_t number)
{
	json_add_number(list, NULL, number);
}

void json_append_text(struct json *list, const char *text)
{
	json_add_text(list, NULL, text);
}

/* ---- write --------------------------------------------------------------- */

struct line {
	char *text;
	size_t size, room;
};

static void put(struct line *line, const char *bytes, size_t size)
{
	if (line->size + size >= line->room) {
		line->room = 2 * (line->size + size) + 64;
		line->text = xrealloc(line->text, line->room, 1);
	}
	memcpy(line->text + line->size, bytes, size);
	line->size += size;
}

static void put_word(struct line *line, const char *word)
{
	put(line, word, strlen(word));
}

static void put_text(struct line *line, const char *text, size_t size)
{
	static const char signs[] = "\"\\\b\f\n\r\t", written[] = "\"\\bfnrt";
	const char *sign, *end = text + size, *from;
	char escaped[8];

	put(line, "\"", 1);
	for (; text < end; text++) {
		for (from = text; text < end && is_plain(*text);)
			text++;
		put(line, from, (size_t)(text - from));
		if (text == end)
			break;
		sign = *text ? strchr(signs, *text) : NULL;
		if (sign)
			snprintf(escaped, sizeof(escaped), "\\%c", written[sign - signs]);
		else
			snprintf(escaped, sizeof(escaped), "\\u%04x", *text);
		put_word(line, escaped);
	}
	put(line, "\"", 1);
}

static void put_whole(struct line *line, int64_t whole)
{
	uint64_t rest = whole < 0 ? -(uint64_t)whole : (uint64_t)whole;
	char digits[20], *at = digits + sizeof(digits);

	do
		*--at = (char)('0' + rest % 10);
	while (rest /= 10);
	if (whole < 0)
		put(line, "-", 1);
	put(line, at, (size_t)(digits + sizeof(digits) - at));
}

static void put_value(struct line *line, const struct json *value);

static void put_list(struct line *line, const struct json *list)
{
	const struct json *one;

	put(line, list->kind == JSON_OBJECT ? "{" : "[", 1);
	for (one = json_first(list); one; one = one->next) {
		if (one->key) {
			put_text(line, one->key, one->key_size);
			put(line, ":", 1);
		}
		put_value(line, one);
		if (one->next)
			put(line, ",", 1);
	}
	put(line, list->kind == JSON_OBJECT ? "}" : "]", 1);
}

static void put_value(struct line *line, const struct json *value)
{
	switch (value->kind) {
	case JSON_NULL:
		put_word(line, "null");
		break;
	case JSON_BOOL:
		put_word(line, value->is_true ? "true" : "false");
		break;
	case JSON_REAL:
		put_word(line, value->digits);
		break;
	case JSON_WHOLE:
		put_whole(line, value->whole);
		break;
	case JSON_TEXT:
		put_text(line, value->text.bytes, value->text.size);
		break;
	default:
		put_list(line, value);
	}
}

const char *json_line(const struct json *value)
{
	struct line line = { .size = 0 };
	const char *text;

	put_value(&line, value);
	text = take_text(value->tree, line.text, line.size);
	free(line.text);
	return text;
}

char *json_line_free(struct json *top)
{
	struct line line = { .size = 0 };

	put_value(&line, top);
	line.text[line.size] = 0;
	json_free(top);
	return line.text;
}

void json_write_members(FILE *out, const char *object)
{
	size_t size = strlen(object) - 2;

	if (!size)
		return;
	fputc(',', out);
	fwrite(object + 1, 1, size, out);
}
