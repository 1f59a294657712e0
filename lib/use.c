/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/use.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/alloc.h"

/* Fields end with a tab, a filesystem begins with a newline: no text of a record
 * has one of these (utf8.h). */
#define LINE_VERSION "1"

const enum io_number use_numbers[USE_NUMBERS] = {
#define X(id) IO_##id,
	USE_QUANTITIES
#undef X
};

void use_numbers_init(int64_t numbers[USE_NUMBERS])
{
	int i;

	for (i = 0; i < USE_NUMBERS; i++)
		numbers[i] = USE_UNKNOWN;
}

void use_numbers_add(int64_t numbers[USE_NUMBERS], const int64_t more[USE_NUMBERS])
{
	int i;

	for (i = 0; i < USE_NUMBERS; i++)
		if (i != USE_PEAK_READ)
			io_add_number(&numbers[i], more[i]);
		else if (more[i] > numbers[i])
			numbers[i] = more[i];
}

void use_init(struct use *use)
{
	memset(use, 0, offsetof(struct use, fs)); /* large: there is one for each row */
	use->cluster = use->user = use->account = use->profile = "";
	use->uid = USE_UNKNOWN;
}

/* ---- write --------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
	for (; text && *text; text++)
		fputc(*text == '\t' || *text == '\n' ? '?' : *text, out);
	fputc('\t', out);
}

static void put_number(FILE *out, int64_t number)
{
	if (number >= 0)
		fprintf(out, "%" PRId64, number);
	fputc('\t', out);
}

/* Unknown ones at the end are left out, as in lines of before they were counted. */
static void put_fs(FILE *out, const struct use_fs *fs)
{
	int i, last = USE_NUMBERS - 1;

	fputc('\n', out);
	put_text(out, fs->name);
	put_text(out, fs->type);
	while (last >= USE_FIRST && fs->numbers[last] < 0)
		last--;
	for (i = 0; i <= last; i++)
		put_number(out, fs->numbers[i]);
}

char *use_text(const struct use *use)
{
	char *text = NULL;
	size_t i, size = 0;
	FILE *out = xneed(open_memstream(&text, &size));

	put_text(out, LINE_VERSION);
	put_text(out, use->cluster);
	put_text(out, use->user);
	put_text(out, use->account);
	put_text(out, use->profile);
	put_number(out, use->job);
	put_number(out, use->uid);
	put_number(out, use->ended);
	put_number(out, use->nodes);
	put_number(out, use->node_s);
	put_number(out, use->is_wide + 2 * use->is_judged);
	put_number(out, use->warned);
	put_number(out, use->refused);
	put_text(out, use->advice);
	for (i = 0; i < use->fs_count; i++)
		put_fs(out, &use->fs[i]);
	fclose(out);
	return xneed(text);
}

/* ---- read ---------------------------------------------------------------- */

/* Cut the next field off; NULL: there is none. */
static const char *take_text(char **at)
{
	char *text = *at, *end = text ? strchr(text, '\t') : NULL;

	*at = end ? end + 1 : NULL;
	if (!end)
		return NULL;
	*end = 0;
	return text;
}

/* -1: there is none, or no number. */
static int take_number(char **at, int64_t *number)
{
	char *text = *at;
	int64_t sum = 0;

	*number = USE_UNKNOWN;
	if (!text)
		return -1;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (sum > (INT64_MAX - 9) / 10)
			sum = (INT64_MAX - 9) / 10;
		sum = sum * 10 + (*text - '0');
	}
	if (*text != '\t')
		return -1;
	if (text > *at)
		*number = sum;
	*at = text + 1;
	return 0;
}

static int take_fs(char **at, struct use *use)
{
	struct use_fs *fs = &use->fs[use->fs_count];
	int64_t number;
	int i;

	if (use->fs_count == USE_FS_MAX || !(fs->name = take_text(at)) ||
	    !(fs->type = take_text(at)))
		return -1;
	use_numbers_init(fs->numbers);
	for (i = 0; i < USE_FIRST || (**at && **at != '\n'); i++) {
		if (take_number(at, &number) < 0)
			return -1;
		if (i < USE_NUMBERS)
			fs->numbers[i] = number;
	}
	use->fs_count++;
	return 0;
}

static int take_numbers(char **at, struct use *use)
{
	int64_t flags;

	if (take_number(at, &use->job) < 0 || take_number(at, &use->uid) < 0 ||
	    take_number(at, &use->ended) < 0 || take_number(at, &use->nodes) < 0 ||
	    take_number(at, &use->node_s) < 0 || take_number(at, &flags) < 0 || flags < 0 ||
	    take_number(at, &use->warned) < 0 || take_number(at, &use->refused) < 0)
		return -1;
	use->is_wide = flags & 1;
	use->is_judged = flags & 2;
	return 0;
}

int use_parse(char *line, struct use *use)
{
	const char *version = take_text(&line), *advice;

	use_init(use);
	if (!version || strcmp(version, LINE_VERSION) != 0 || !(use->cluster = take_text(&line)) ||
	    !(use->user = take_text(&line)) || !(use->account = take_text(&line)) ||
	    !(use->profile = take_text(&line)) || take_numbers(&line, use) < 0 ||
	    !(advice = take_text(&line)) || strlen(advice) >= sizeof(use->advice))
		return -1;
	strcpy(use->advice, advice);
	while (*line == '\n') {
		line++;
		if (take_fs(&line, use) < 0)
			return -1;
	}
	return *line ? -1 : 0;
}
