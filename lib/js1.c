/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/js1.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "lib/json.h"

#define LEADER "JS1:"
#define LEADER_SIZE 4
#define JSON_BYTES_MAX (4U << 20) /* a bomb ends here */
#define DEPTH_MAX 16
#define GZIP (15 + 16) /* deflateInit2(): largest window, gzip's frame */
#define VALUE_MAX 1000

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "abcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- base64 -------------------------------------------------------------- */

/* Strictly: readers of JS1 raise an error when the padding is missing, so such
 * a text is broken already. NULL: not base64. */
static unsigned char *base64_decode(const char *text, size_t *size)
{
	size_t length = strlen(text), padding = 0, i;
	unsigned char *out;
	uint32_t bits = 0;
	const char *digit;

	while (padding < 2 && padding < length &&
	       text[length - 1 - padding] == '=')
		padding++;
	out = length && length % 4 == 0 ? malloc(length / 4 * 3) : NULL;
	if (!out)
		return NULL;
	for (i = 0; i < length; i++) {
		digit = i < length - padding ? strchr(digits, text[i]) : digits;
		if (!digit) {
			free(out);
			return NULL;
		}
		bits = bits << 6 | (uint32_t)(digit - digits);
		if (i % 4 < 3)
			continue;
		out[i / 4 * 3] = (unsigned char)(bits >> 16);
		out[i / 4 * 3 + 1] = (unsigned char)(bits >> 8);
		out[i / 4 * 3 + 2] = (unsigned char)bits;
	}
	*size = length / 4 * 3 - padding;
	return out;
}

/* 'data' has two more bytes than 'size', which are zero. */
static void base64_encode(const unsigned char *data, size_t size, char *out)
{
	uint32_t bits;
	size_t i;
	int shift;

	for (i = 0; i < size; i += 3) {
		bits = (uint32_t)data[i] << 16 | (uint32_t)data[i + 1] << 8 |
		       data[i + 2];
		for (shift = 18; shift >= 0; shift -= 6)
			*out++ = digits[bits >> shift & 63];
	}
	if (size % 3)
		out[-1] = '=';
	if (size % 3 == 1)
		out[-2] = '=';
	*out = 0;
}

/* ---- gzip ---------------------------------------------------------------- */

/* One member, then nothing but zero bytes. The text, NUL-terminated, or NULL:
 * damaged, or unreasonably large. */
static char *gunzip(unsigned char *data, size_t size, size_t *text_size)
{
	z_stream z = { .next_in = data, .avail_in = (uInt)size };
	size_t room = 8 * size + 1024;
	char *text = NULL, *more;
	int rc;

	if (inflateInit2(&z, GZIP) != Z_OK)
		return NULL;
	do {
		more = room <= JSON_BYTES_MAX ? realloc(text, room + 1) : NULL;
		if (!more) {
			rc = Z_MEM_ERROR;
			break;
		}
		text = more;
		z.next_out = (Bytef *)text + z.total_out;
		z.avail_out = (uInt)(room - z.total_out);
		rc = inflate(&z, Z_NO_FLUSH);
		room *= 2;
	} while (rc == Z_OK && z.avail_out == 0);
	while (rc == Z_STREAM_END && z.avail_in && !*z.next_in) {
		z.next_in++;
		z.avail_in--;
	}
	*text_size = z.total_out;
	inflateEnd(&z);
	if (rc != Z_STREAM_END || z.avail_in) {
		free(text);
		return NULL;
	}
	text[*text_size] = 0;
	return text;
}

/* "JS1:.." of a JSON text; NULL: out of memory. */
static char *wrap(char *text, size_t size)
{
	z_stream z = { .next_in = (Bytef *)text, .avail_in = (uInt)size };
	unsigned char *data = NULL;
	char *out = NULL;
	uLong bound;

	if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, 9,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	bound = deflateBound(&z, (uLong)size);
	data = calloc(1, bound + 3);
	if (!data)
		goto out;
	z.next_out = data;
	z.avail_out = (uInt)bound;
	if (deflate(&z, Z_FINISH) != Z_STREAM_END)
		goto out;
	size = z.total_out;
	if (size % 3 == 0)
		size++; /* a zero byte of 'data', for the padding */
	out = malloc(LEADER_SIZE + (size + 2) / 3 * 4 + 1);
	if (!out)
		goto out;
	memcpy(out, LEADER, LEADER_SIZE);
	base64_encode(data, size, out + LEADER_SIZE);
out:
	deflateEnd(&z);
	free(data);
	return out;
}

/* ---- the object ---------------------------------------------------------- */

struct payload {
	char *text; /* ends in '}', NUL-terminated */
	size_t size;
	size_t members;
	/* our value lies at 'value' up to the last two characters, its comma
	 * at 'ours'; 'value' 0: our key is not there */
	size_t ours, value;
};

static struct json_object *parse_object(const char *text, size_t size)
{
	struct json_object *top = NULL;

	if (strlen(text) == size)
		top = json_parse_bounded(text, size, JSON_BYTES_MAX, DEPTH_MAX);
	if (json_object_is_type(top, json_type_object))
		return top;
	json_object_put(top);
	return NULL;
}

/* Our key as we write it: ..,"jobio":"VALUE"} with no quote in VALUE, and
 * nothing between the comma (or the object's beginning) and the key. */
static void find_ours(struct payload *p)
{
	static const char key[] = "\"jobio\":\"";
	size_t key_size = sizeof(key) - 1, at = p->size - 2;
	size_t before;

	if (p->size < key_size + 3 || p->text[at] != '"')
		return;
	while (at > 0 && p->text[at - 1] != '"')
		at--;
	if (at <= key_size || memcmp(p->text + at - key_size, key, key_size))
		return;
	at -= key_size;
	for (before = at - 1; before && strchr(" \t\r\n", p->text[before]);)
		before--;
	if (p->text[before] == '{')
		p->ours = at;
	else if (p->text[at - 1] == ',')
		p->ours = at - 1;
	else
		return;
	p->value = at + key_size;
}

/* 0, or -1: leave it alone. *p is the caller's to free. */
static int payload_read(const char *comment, struct payload *p, struct err *why)
{
	unsigned char *data = NULL;
	struct json_object *top;
	bool is_there;
	size_t size;

	memset(p, 0, sizeof(*p));
	if (!comment || strncmp(comment, LEADER, LEADER_SIZE) != 0)
		return err_set(why, "no JS1");
	data = base64_decode(comment + LEADER_SIZE, &size);
	p->text = data ? gunzip(data, size, &p->size) : NULL;
	free(data);
	if (!p->text)
		return err_set(why, "JS1 without data, or damaged");
	while (p->size && strchr(" \t\r\n", p->text[p->size - 1]))
		p->text[--p->size] = 0;
	top = parse_object(p->text, p->size);
	if (!top)
		return err_set(why, "JS1 is not a JSON object");
	p->members = (size_t)json_object_object_length(top);
	find_ours(p);
	is_there = json_has(top, "jobio");
	json_object_put(top);
	if (is_there && !p->value)
		return err_set(why, "JS1 has a key 'jobio' of somebody else");
	return 0;
}

static bool is_clean(const char *summary)
{
	return *summary && strlen(summary) <= VALUE_MAX &&
	       !strpbrk(summary, "\"\\") &&
	       strspn(summary,
		      " !#$%&'()*+,-./0123456789:;<=>?@"
		      "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
		      "abcdefghijklmnopqrstuvwxyz{|}~") == strlen(summary);
}

/* The JSON text with our key in it, malloc'ed. */
static char *with_summary(const struct payload *p, const char *summary)
{
	size_t keep = p->value ? p->ours : p->size - 1;
	size_t others = p->members - (p->value ? 1 : 0);
	size_t room = keep + strlen(summary) + 16;
	char *text = malloc(room);

	if (!text)
		return NULL;
	memcpy(text, p->text, keep);
	strcpy(text + keep, others ? ",\"jobio\":\"" : "\"jobio\":\"");
	strcat(text + keep, summary);
	strcat(text + keep, "\"}");
	return text;
}

/* It goes over what jobstats wrote: is it one object, with one member more at
 * most, does our key say what it should, and will it be found again? */
static bool is_sound(const struct payload *p, char *text, const char *summary)
{
	struct payload again = { .text = text, .size = strlen(text) };
	struct json_object *top = parse_object(text, strlen(text));
	const char *ours = json_text(top, "jobio");
	size_t members = p->members + (p->value ? 0 : 1);
	bool sound = top && (size_t)json_object_object_length(top) == members &&
		     ours && !strcmp(ours, summary);

	json_object_put(top);
	find_ours(&again);
	return sound && again.value == again.size - 2 - strlen(summary);
}

int js1_merge(const char *comment, const char *summary, char **merged,
	      struct err *why)
{
	char *text = NULL, *out = NULL;
	struct payload p;
	size_t size;
	int rc = -1;

	if (payload_read(comment, &p, why) < 0)
		goto out;
	if (!is_clean(summary)) {
		err_set(why, "the summary has characters that JS1 cannot hold");
		goto out;
	}
	size = p.value ? p.size - 2 - p.value : 0;
	if (p.value && size == strlen(summary) &&
	    !memcmp(p.text + p.value, summary, size)) {
		rc = 0;
		goto out;
	}
	text = with_summary(&p, summary);
	if (text && !is_sound(&p, text, summary)) {
		err_set(why, "JS1 would not be JSON any more");
		goto out;
	}
	out = text ? wrap(text, strlen(text)) : NULL;
	if (!out) {
		err_set(why, "JS1: out of memory");
	} else if (strlen(out) > JS1_MAX) {
		err_set(why, "JS1 would be longer than %d bytes", JS1_MAX);
		free(out);
	} else {
		*merged = out;
		rc = 1;
	}
out:
	free(text);
	free(p.text);
	return rc;
}

int js1_find(const char *comment, char *summary, size_t room)
{
	struct payload p;
	struct err why;
	size_t size;
	int rc = 0;

	if (payload_read(comment, &p, &why) == 0 && p.value) {
		size = p.size - 2 - p.value;
		if (size < room) {
			memcpy(summary, p.text + p.value, size);
			summary[size] = 0;
			rc = 1;
		}
	}
	free(p.text);
	return rc;
}
