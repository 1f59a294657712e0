/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/site.h"

#include <stdlib.h>

#include "ledger/tally.h"
#include "record/alloc.h"
#include "record/json.h"

struct page {
	struct tally *tally;
	int64_t rows;
};

/* A use of another version cannot be read, but counts as a row. Return 1 if the page is full. */
static int add_use(const char *text, size_t size, void *arg, struct err *err)
{
	struct page *page = arg;

	(void)size;
	(void)err;
	tally_add(page->tally, text);
	return ++page->rows == SITE_ROWS || tally_bytes(page->tally) >= SITE_BYTES;
}

/* Set [place] to "after", else to "since". */
static int find_place(struct json *request, struct store_place *place)
{
	const struct json *list = json_list(request, "after"), *ended = json_first(list);

	place->ended_s = json_number(request, "since");
	place->id = 0;
	if (list && (!json_value_number(ended, &place->ended_s) ||
		     !json_value_number(ended->next, &place->id)))
		return -1;
	return place->ended_s < 0 || place->id < 0 ? -1 : 0;
}

char *site_answer(struct store *store, struct json *request, struct err *err)
{
	int64_t until_s = json_number(request, "until");
	struct page page = { .tally = tally_new() };
	struct json *top, *next;
	struct store_place place;
	char *answer = NULL;
	int rc;

	if (find_place(request, &place) < 0 || until_s < 0) {
		err_set(err, "site: since and until: must be seconds");
		goto out;
	}
	rc = store_uses(store, &place, until_s, SITE_ROWS, add_use, &page, err);
	if (rc < 0)
		goto out;
	top = json_new_object();
	json_add_bool(top, "ok", true);
	json_add_number(top, "rows", page.rows);
	tally_json(page.tally, top);
	if (rc > 0) {
		next = json_add_list(top, "next");
		json_append_number(next, place.ended_s);
		json_append_number(next, place.id);
	}
	answer = json_line_free(top);
out:
	tally_free(page.tally);
	return answer;
}
