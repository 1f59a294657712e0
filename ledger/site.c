/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/site.h"

#include <stdlib.h>

#include "ledger/site_totals.h"
#include "record/alloc.h"
#include "record/json.h"

struct page {
	struct site_totals *totals;
	int64_t rows;
};

/* A usage of another version cannot be read, but counts as a row. Return 1 if the page is full. */
static int add_usage(const char *text, size_t size, void *arg, struct err *err)
{
	struct page *page = arg;

	(void)size;
	(void)err;
	site_totals_add(page->totals, text);
	return ++page->rows == SITE_ROWS || site_totals_bytes(page->totals) >= SITE_BYTES;
}

/* Set [cursor] to "after", else to "since". */
static int read_cursor(struct json *request, struct store_cursor *cursor)
{
	const struct json *list = json_list(request, "after"), *ended = json_first(list);

	cursor->ended_s = json_number(request, "since");
	cursor->id = 0;
	if (list && (!json_value_number(ended, &cursor->ended_s) ||
		     !json_value_number(ended->next, &cursor->id)))
		return -1;
	return cursor->ended_s < 0 || cursor->id < 0 ? -1 : 0;
}

char *site_answer(struct store *store, struct json *request, struct err *err)
{
	int64_t until_s = json_number(request, "until");
	struct page page = { .totals = site_totals_new() };
	struct json *top, *next;
	struct store_cursor cursor;
	char *answer = NULL;
	int rc;

	if (read_cursor(request, &cursor) < 0 || until_s < 0) {
		err_set(err, "site: since and until: must be seconds");
		goto out;
	}
	rc = store_usages(store, &cursor, until_s, SITE_ROWS, add_usage, &page, err);
	if (rc < 0)
		goto out;
	top = json_new_object();
	json_add_bool(top, "ok", true);
	json_add_number(top, "rows", page.rows);
	site_totals_json(page.totals, top);
	if (rc > 0) {
		next = json_add_list(top, "next");
		json_append_number(next, cursor.ended_s);
		json_append_number(next, cursor.id);
	}
	answer = json_line_free(top);
out:
	site_totals_free(page.totals);
	return answer;
}
