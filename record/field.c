/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "record/alloc.h"

/* Pointer to a field. */
union place {
	void *any;
	char *word;
	char **text;
	void **list;
	int64_t *number; /* or rows */
	uint32_t *id;
	double *time;
	int *answer;
	bool *flag;
};

static union place place_of(const struct field *f, const void *of)
{
	return (union place){ (char *)of + f->at };
}

static size_t *count_of(const struct field *f, const void *of)
{
	return (size_t *)(void *)((char *)of + f->has);
}

/* ---- set to unknown, free ---------------------------------------------------- */

void field_init(const struct field *f, void *of)
{
	union place p;

	for (; f->kind != FIELD_END; f++) {
		p = place_of(f, of);
		if (f->kind == FIELD_NUMBER)
			*p.number = JSON_UNKNOWN;
		else if (f->kind == FIELD_TIME)
			*p.time = -1;
		else if (f->kind == FIELD_ANSWER || f->kind == FIELD_CHOICE)
			*p.answer = -1;
		else if (f->kind == FIELD_OBJECT)
			field_init(f->table, p.any);
	}
}

static void free_list(const struct field *f, void *of)
{
	char *first = *place_of(f, of).list;
	size_t i, count = *count_of(f, of);

	for (i = 0; i < count; i++)
		field_free(f->table, first + i * f->size);
	free(first);
}

void field_free(const struct field *f, void *of)
{
	for (; f->kind != FIELD_END; f++) {
		if (f->kind == FIELD_TEXT)
			free(*place_of(f, of).text);
		else if (f->kind == FIELD_OBJECT)
			field_free(f->table, place_of(f, of).any);
		else if (f->kind == FIELD_LIST)
			free_list(f, of);
	}
}

static void set_sized(char **field, const char *text, size_t size)
{
	char *copy = NULL;

	if (text) {
		copy = xcalloc(size + 1, 1);
		utf8_clean(copy, size + 1, text, size);
	}
	free(*field);
	*field = copy;
}

void field_set(char **field, const char *text, size_t most)
{
	set_sized(field, text, text ? strnlen(text, most) : 0);
}

static size_t text_max(const struct field *f)
{
	return f->most ? (size_t)f->most : FIELD_TEXT_MAX;
}

/* Append an element, all unknown; NULL: the list is full. */
static void *grow(const struct field *f, void *of)
{
	void **list = place_of(f, of).list, *new;
	size_t *count = count_of(f, of);

	if (*count >= (f->most ? (size_t)f->most : FIELD_LIST_MAX))
		return NULL;
	*list = xmore(*list, *count, f->size);
	new = memset((char *)*list + (*count)++ * f->size, 0, f->size);
	field_init(f->table, new);
	return new;
}

/* ---- write ------------------------------------------------------------------- */

static size_t row_count(const struct field *f, const int64_t *rows)
{
	size_t count = f->room / sizeof(*rows);

	while (count && !rows[count - 1])
		count--;
	return count;
}

static bool has_any(const struct field *f, const void *of);

/* Return -1 if there is no such field. */
static int says_has(const struct field *f, const void *of)
{
	if (f->has_size == sizeof(bool))
		return *((const bool *)of + f->has);
	return f->has_size ? *count_of(f, of) > 0 : -1;
}

static bool is_known(const struct field *f, const void *of)
{
	union place p = place_of(f, of);
	int has = says_has(f, of);

	switch (f->kind) {
	case FIELD_TEXT:
		return *p.text != NULL;
	case FIELD_WORD:
		return *p.word;
	case FIELD_NUMBER:
		return *p.number >= 0;
	case FIELD_COUNT:
		return *p.number > 0;
	case FIELD_SOME:
		return *p.id;
	case FIELD_TIME:
		return *p.time >= 0;
	case FIELD_ANSWER:
	case FIELD_CHOICE:
		return *p.answer >= 0;
	case FIELD_DERIVED:
		return f->get(of) >= 0;
	case FIELD_FLAG:
		return *p.flag;
	case FIELD_ROWS:
		return has < 0 ? row_count(f, p.number) > 0 : has > 0;
	case FIELD_OBJECT:
		return has < 0 ? has_any(f->table, p.any) : has;
	case FIELD_LIST:
		return has;
	default:
		return true;
	}
}

static bool has_any(const struct field *f, const void *of)
{
	for (; f->kind != FIELD_END; f++)
		if (is_known(f, of))
			return true;
	return false;
}

static void write_text(const struct field *f, const char *text, struct json *to)
{
	char *clean = NULL;

	field_set(&clean, text, text_max(f));
	json_add_text(to, f->key, clean);
	free(clean);
}

static void write_rows(const struct field *f, const int64_t *rows, struct json *to)
{
	struct json *list = json_add_list(to, f->key);
	size_t i, count = row_count(f, rows);

	for (i = 0; i < count; i++)
		json_append_number(list, rows[i]);
}

static void write_list(const struct field *f, const void *of, struct json *to, size_t most,
		       unsigned int without)
{
	struct json *list = json_add_list(to, f->key);
	const char *first = *place_of(f, of).list;
	size_t i, count = *count_of(f, of);

	for (i = 0; i < count && i < most; i++)
		field_write(f->table, first + i * f->size, json_append_object(list), most, without);
}

static void write_known(const struct field *f, const void *of, struct json *to, size_t most,
			unsigned int without)
{
	union place p = place_of(f, of);

	if (f->kind == FIELD_TEXT)
		write_text(f, *p.text, to);
	else if (f->kind == FIELD_WORD)
		json_add_text(to, f->key, p.word);
	else if (f->kind == FIELD_NUMBER || f->kind == FIELD_COUNT)
		json_add_number(to, f->key, *p.number);
	else if (f->kind == FIELD_ID || f->kind == FIELD_SOME)
		json_add_number(to, f->key, *p.id);
	else if (f->kind == FIELD_TIME)
		json_add_seconds(to, f->key, *p.time);
	else if (f->kind == FIELD_ANSWER)
		json_add_bool(to, f->key, *p.answer);
	else if (f->kind == FIELD_FLAG)
		json_add_bool(to, f->key, *p.flag);
	else if (f->kind == FIELD_DERIVED)
		json_add_bool(to, f->key, f->get(of));
	else if (f->kind == FIELD_CHOICE)
		json_add_text(to, f->key, f->words[*p.answer]);
	else if (f->kind == FIELD_ROWS)
		write_rows(f, p.number, to);
	else if (f->kind == FIELD_OBJECT)
		field_write(f->table, p.any, json_add_object(to, f->key), most, without);
	else
		write_list(f, of, to, most, without);
}

/* Empty ones are written as such. */
static bool is_rows(const struct field *f)
{
	return f->kind == FIELD_ROWS || f->kind == FIELD_LIST;
}

void field_write(const struct field *f, const void *of, struct json *to, size_t most,
		 unsigned int without)
{
	for (; f->kind != FIELD_END; f++) {
		if (without & FIELD_NO_PICTURES && f->is_picture)
			continue;
		if (is_known(f, of) || (is_rows(f) && !f->is_optional && !f->is_null))
			write_known(f, of, to, most, without);
		else if (!f->is_optional && !(without & FIELD_NO_UNKNOWN))
			json_add_null(to, f->key);
	}
}

/* ---- read -------------------------------------------------------------------- */

static enum json_kind wanted_kind(enum field_kind kind)
{
	switch (kind) {
	case FIELD_TEXT:
	case FIELD_WORD:
	case FIELD_CHOICE:
		return JSON_TEXT;
	case FIELD_TIME:
		return JSON_REAL;
	case FIELD_ANSWER:
	case FIELD_FLAG:
	case FIELD_DERIVED:
		return JSON_BOOL;
	case FIELD_OBJECT:
		return JSON_OBJECT;
	case FIELD_ROWS:
	case FIELD_LIST:
		return JSON_LIST;
	default:
		return JSON_WHOLE;
	}
}

static int check_kind(const struct field *f, const struct json *value, struct err *err)
{
	static const char *const names[] = {
		[JSON_BOOL] = "true or false",	 [JSON_REAL] = "a number",
		[JSON_WHOLE] = "a whole number", [JSON_OBJECT] = "an object",
		[JSON_LIST] = "a list",		 [JSON_TEXT] = "a text",
	};
	enum json_kind kind = wanted_kind(f->kind);

	if (value->kind == kind || (kind == JSON_REAL && value->kind == JSON_WHOLE))
		return 0;
	return err_set(err, "%s: must be %s or null", f->key, names[kind]);
}

static int read_choice(const struct field *f, int *choice, const struct json *value,
		       struct err *err)
{
	size_t size = value->text.size;

	for (*choice = 0; f->words[*choice]; ++*choice)
		if (size == strlen(f->words[*choice]) &&
		    !memcmp(f->words[*choice], value->text.bytes, size))
			return 0;
	return err_set(err, "%s: '%.*s': not a known word", f->key, (int)size, value->text.bytes);
}

static int read_text(const struct field *f, union place p, const struct json *value,
		     struct err *err)
{
	size_t most = text_max(f), size = value->text.size;

	if (f->kind == FIELD_CHOICE)
		return read_choice(f, p.answer, value, err);
	if (f->kind == FIELD_WORD)
		most = f->room - 1;
	if (size > most)
		return err_set(err, "%s: longer than %zu bytes", f->key, most);
	if (f->kind == FIELD_WORD)
		utf8_clean(p.word, most + 1, value->text.bytes, size);
	else
		set_sized(p.text, value->text.bytes, size);
	return 0;
}

static int read_number(const struct field *f, union place p, const struct json *value,
		       struct err *err)
{
	bool is_id = f->kind == FIELD_ID || f->kind == FIELD_SOME;
	int64_t most = is_id ? UINT32_MAX : f->most ? f->most : INT64_MAX;

	if (value->whole < 0 || value->whole > most)
		return err_set(err, "%s: '%lld': must be 0 to %lld", f->key,
			       (long long)value->whole, (long long)most);
	if (is_id)
		*p.id = (uint32_t)value->whole;
	else
		*p.number = value->whole;
	return 0;
}

static int read_time(const struct field *f, union place p, const struct json *value,
		     struct err *err)
{
	double when = value->kind == JSON_WHOLE ? (double)value->whole : value->real;

	if (!isfinite(when) || when < 0 || when >= (double)FIELD_TIME_MAX)
		return err_set(err, "%s: not a time", f->key);
	*p.time = when;
	return 0;
}

static int read_rows(const struct field *f, int64_t *rows, const struct json *list, struct err *err)
{
	size_t i = 0, most = f->room / sizeof(*rows);
	const struct json *row;

	if (list->list.count > most)
		return err_set(err, "%s: more than %zu numbers", f->key, most);
	if (list->list.counts) {
		memcpy(rows, list->list.counts, list->list.count * sizeof(*rows));
		return 0;
	}
	for (row = list->list.first; row; row = row->next) {
		if (row->kind != JSON_WHOLE || row->whole < 0)
			return err_set(err, "%s: must hold counts", f->key);
		rows[i++] = row->whole;
	}
	return 0;
}

static int read_list(const struct field *f, void *of, const struct json *list, bool *is_cut,
		     struct err *err)
{
	const struct json *one;
	void *new;

	for (one = json_first(list); one; one = one->next) {
		if (one->kind != JSON_OBJECT)
			return err_set(err, "%s: must hold objects", f->key);
		new = grow(f, of);
		if (!new)
			*is_cut = true;
		if (!new)
			break;
		if (field_read(f->table, new, one, is_cut, err) < 0)
			return -1;
	}
	return 0;
}

static int read_value(const struct field *f, void *of, const struct json *value, bool *is_cut,
		      struct err *err)
{
	union place p = place_of(f, of);

	if (value->kind == JSON_NULL)
		return 0;
	if (check_kind(f, value, err) < 0)
		return -1;
	if (f->has_size == sizeof(bool))
		*((bool *)of + f->has) = true;
	if (f->kind == FIELD_OBJECT)
		return field_read(f->table, p.any, value, is_cut, err);
	if (f->kind == FIELD_LIST)
		return read_list(f, of, value, is_cut, err);
	if (f->kind == FIELD_ROWS)
		return read_rows(f, p.number, value, err);
	if (f->kind == FIELD_TIME)
		return read_time(f, p, value, err);
	if (f->kind == FIELD_ANSWER)
		*p.answer = value->is_true;
	else if (f->kind == FIELD_FLAG)
		*p.flag = value->is_true;
	else if (f->kind == FIELD_DERIVED)
		f->set(of, value->is_true);
	else
		return value->kind == JSON_TEXT ? read_text(f, p, value, err)
						: read_number(f, p, value, err);
	return 0;
}

static bool is_of(const struct field *f, const struct json *member)
{
	return f->kind != FIELD_END && f->key_size == member->key_size &&
	       !memcmp(f->key, member->key, member->key_size);
}

/* Members are mostly in the order of the table: search from the last match on. */
int field_read(const struct field *table, void *of, const struct json *from, bool *is_cut,
	       struct err *err)
{
	const struct field *next = table, *f;
	const struct json *member;

	for (member = json_first(from); member; member = member->next) {
		for (f = next; f->kind != FIELD_END && !is_of(f, member);)
			f++;
		if (f->kind == FIELD_END)
			for (f = table; f != next && !is_of(f, member);)
				f++;
		if (!is_of(f, member))
			continue;
		if (read_value(f, of, member, is_cut, err) < 0)
			return -1;
		next = f + 1;
	}
	return 0;
}
