/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/use.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/alloc.h"

#define USE_BEFORE_ACCOUNT 3 /* version, cluster, user */

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
	memset(use, 0, sizeof(*use));
	use->cluster = use->user = use->profile = "";
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

	put_text(out, USE_LINE_VERSION);
	put_text(out, use->cluster);
	put_text(out, use->user);
	put_text(out, ""); /* account */
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

char *use_with_account(const char *line, const char *account)
{
	const char *at = line;
	char *text = NULL;
	size_t size = 0;
	FILE *out = xneed(open_memstream(&text, &size));
	int i;

	for (i = 0; i < USE_BEFORE_ACCOUNT; i++)
		at = strchr(at, '\t') + 1;
	fwrite(line, (size_t)(at - line), 1, out);
	put_text(out, account);
	fputs(strchr(at, '\t') + 1, out);
	fclose(out);
	return xneed(text);
}
