/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/y.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "client/mounts.h"
#include "record/alloc.h"

#define CONFIG "mmdiag:config:"

/* Return true for the first line of a record, false for a continuation. */
static bool is_begin(const char *text, const char *kind)
{
	size_t length = strcspn(kind, ":") + 1;

	return !strncmp(text, kind, length);
}

/* Read one line with its continuations; false: it does not fit. */
static bool next_line(const char **text, const char *kind, char line[GPFS_Y_LINE_MAX])
{
	size_t used = 0, length;
	bool fits = true;

	do {
		length = strcspn(*text, "\n");
		if (used + length < GPFS_Y_LINE_MAX) {
			memcpy(line + used, *text, length);
			used += length;
		} else {
			fits = false;
		}
		*text += length;
		*text += **text == '\n';
	} while (**text && !is_begin(*text, kind));
	line[used] = '\0';
	return fits;
}

/* Get field number 'index' of a line; false: it has fewer. */
static bool field_at(const char *line, size_t index, const char **field, size_t *length)
{
	for (; index; index--) {
		line = strchr(line, ':');
		if (!line)
			return false;
		line++;
	}
	*field = line;
	*length = strcspn(line, ":");
	return true;
}

static bool is_field(const char *line, size_t index, const char *word)
{
	const char *field;
	size_t length;

	return field_at(line, index, &field, &length) && length == strlen(word) &&
	       !strncmp(field, word, length);
}

bool gpfs_y_next(const char **text, const char *kind, struct gpfs_y *y)
{
	while (**text) {
		if (!next_line(text, kind, y->line) || strncmp(y->line, kind, strlen(kind)) != 0)
			continue;
		if (is_field(y->line, 2, "HEADER"))
			memcpy(y->header, y->line, strlen(y->line) + 1);
		else if (*y->header)
			return true;
	}
	return false;
}

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool decode(const char *field, size_t length, char *value, size_t size)
{
	size_t i, used = 0;
	int high, low;

	for (i = 0; i < length; i++) {
		if (used + 1 >= size)
			return false;
		high = i + 2 < length && field[i] == '%' ? hex(field[i + 1]) : -1;
		low = high >= 0 ? hex(field[i + 2]) : -1;
		if (low >= 0) {
			value[used++] = (char)(high * 16 + low);
			i += 2;
		} else {
			value[used++] = field[i];
		}
	}
	value[used] = '\0';
	return true;
}

bool gpfs_y_get(const struct gpfs_y *y, const char *column, char *value, size_t size)
{
	const char *field;
	size_t i, length;

	for (i = 3; field_at(y->header, i, &field, &length); i++)
		if (is_field(y->header, i, column))
			return field_at(y->line, i, &field, &length) && field[length] == ':' &&
			       decode(field, length, value, size);
	return false;
}

bool gpfs_y_config(const char *text, const char *name, char *value, size_t size)
{
	struct gpfs_y y = { "", "" };
	char key[128];

	while (gpfs_y_next(&text, CONFIG, &y))
		if (gpfs_y_get(&y, "name", key, sizeof(key)) && !strcmp(key, name))
			return gpfs_y_get(&y, "value", value, size);
	return false;
}

char *gpfs_y_only(const char *text, const char *names)
{
	struct gpfs_y y = { "", "" };
	char name[128], *only = NULL;
	size_t size = 0;
	FILE *out = xneed(open_memstream(&only, &size));

	while (gpfs_y_next(&text, CONFIG, &y))
		if (gpfs_y_get(&y, "name", name, sizeof(name)) && mounts_word_in(names, name))
			fprintf(out, "%s\n%s\n", y.header, y.line);
	fclose(out);
	return xneed(only);
}
