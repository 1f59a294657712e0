/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job made of the site's filesystems, as the store has it, and what a part
 * of all jobs made, as a ledger says it. Parts: a use, another one, a tally. */
#include <json-c/json.h>

#include "lib/json.h"
#include "lib/tally.h"
#include "tests/fuzz/fuzz.h"

/* What was read can be written, and is read again as the same. */
static void try_use(struct tally *tally, const char *text)
{
	char *line = strdup(text), *first, *second;
	struct use use;

	MUST(line);
	if (use_parse(line, &use) == 0) {
		MUST(use.fs_count <= USE_FS_MAX);
		tally_add(tally, &use);
		first = use_text(&use);
		MUST(first);
		free(line);
		line = strdup(first);
		MUST(line && use_parse(line, &use) == 0);
		second = use_text(&use);
		MUST(second && !strcmp(first, second));
		free(first);
		free(second);
	}
	free(line);
}

static char *text_of(const struct tally *tally)
{
	struct json_object *top = json_object_new_object();
	char *text;

	tally_json(tally, top);
	text = strdup(json_object_to_json_string(top));
	MUST(text);
	json_object_put(top);
	return text;
}

static void join(struct tally *tally, const char *text)
{
	struct json_object *json = json_parse(text);

	tally_join(tally, json);
	json_object_put(json);
}

/* Of what was told as a whole nothing is lost on the way. */
static void try_again(const struct tally *tally)
{
	struct tally *again = tally_new();
	char *told = text_of(tally), *retold;

	MUST(again);
	join(again, told);
	retold = text_of(again);
	MUST(again->jobs == tally->jobs && again->node_s == tally->node_s);
	MUST(!strcmp(told, retold));
	free(retold);
	free(told);
	tally_free(again);
}

FUZZ(use)
{
	char *one = fuzz_part(&data, &size), *other = fuzz_part(&data, &size);
	char *told = fuzz_part(&data, &size);
	struct tally *tally = tally_new();

	MUST(tally);
	try_use(tally, one);
	try_use(tally, other);
	tally_sort(tally);
	try_again(tally);
	join(tally, told);
	tally_sort(tally);
	free(text_of(tally));
	tally_free(tally);
	free(told);
	free(other);
	free(one);
	return 0;
}
