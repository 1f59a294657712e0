/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/site.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/tally.h"
#include "lib/use.h"

struct page {
	struct tally *tally;
	char *line; /* a copy, to be cut to pieces */
	size_t room;
	int64_t rows;
	struct store_place last;
	bool is_full;
};

static int copy_line(struct page *page, const char *text)
{
	size_t size = strlen(text) + 1;
	char *more;

	if (size > page->room) {
		more = realloc(page->line, size * 2);
		if (!more)
			return -1;
		page->line = more;
		page->room = size * 2;
	}
	memcpy(page->line, text, size);
	return 0;
}

/* One that cannot be read is of another version: it counts as a row. */
static int add_use(const struct store_place *place, const char *text, void *arg,
		   struct err *err)
{
	struct page *page = arg;
	struct use use;

	page->is_full =
		page->rows == SITE_ROWS || page->tally->bytes >= SITE_BYTES;
	if (page->is_full)
		return 1;
	if (copy_line(page, text) < 0 || (use_parse(page->line, &use) == 0 &&
					  tally_add(page->tally, &use) < 0))
		return err_set(err, "out of memory");
	page->rows++;
	page->last = *place;
	return 0;
}

static struct json_object *place_json(const struct store_place *place)
{
	struct json_object *list = json_object_new_array();

	json_object_array_add(list, json_object_new_int64(place->ended_s));
	json_object_array_add(list, json_object_new_int64(place->id));
	return list;
}

/* "after", else where the time begins. */
static int find_place(struct json_object *request, struct store_place *place)
{
	struct json_object *list = json_list(request, "after");

	place->ended_s = json_number(request, "since");
	place->id = 0;
	if (list && (!json_value_number(json_object_array_get_idx(list, 0),
					&place->ended_s) ||
		     !json_value_number(json_object_array_get_idx(list, 1),
					&place->id)))
		return -1;
	return place->ended_s < 0 || place->id < 0 ? -1 : 0;
}

static char *failed(const char *why)
{
	struct json_object *top = json_object_new_object();

	json_add_bool(top, "ok", false);
	json_add_text(top, "error", why);
	return json_line_put(top);
}

char *site_answer(struct store *store, struct json_object *request)
{
	int64_t until_s = json_number(request, "until");
	struct page page = { .tally = tally_new() };
	struct json_object *top;
	struct store_place place;
	struct err err = { "out of memory" };
	char *answer = NULL;

	if (find_place(request, &place) < 0 || until_s < 0) {
		tally_free(page.tally);
		return failed("site: since and until: must be seconds");
	}
	if (!page.tally || store_uses(store, &place, until_s, SITE_ROWS + 1,
				      add_use, &page, &err) < 0) {
		answer = failed(err.text);
		goto out;
	}
	top = json_object_new_object();
	json_add_bool(top, "ok", true);
	json_add_number(top, "rows", page.rows);
	tally_json(page.tally, top);
	if (page.is_full)
		json_object_object_add(top, "next", place_json(&page.last));
	answer = json_line_put(top);
out:
	tally_free(page.tally);
	free(page.line);
	return answer;
}
