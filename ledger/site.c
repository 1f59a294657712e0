/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/site.h"

#include <stdlib.h>
#include <string.h>

#include "ledger/store_site.h"
#include "record/json.h"

/* Set [position] to "after", else to "since". */
static int read_position(struct json *request, struct site_position *position)
{
	const struct json *list = json_list(request, "after"), *ended = json_first(list);

	position->ended_s = json_number(request, "since");
	position->run = 0;
	if (list && (!json_value_number(ended, &position->ended_s) ||
		     !json_value_number(ended->next, &position->run)))
		return -1;
	return position->ended_s < 0 || position->run < 0 ? -1 : 0;
}

static char *page_of(struct store *store, const struct site_part *part, int64_t until_s,
		     struct err *err)
{
	struct json *top = json_new_object(), *next;

	json_add_bool(top, "ok", true);
	if (store_site_read(store, part, top, err) < 0) {
		json_free(top);
		return NULL;
	}
	if (part->to.ended_s < until_s) {
		next = json_add_list(top, "next");
		json_append_number(next, part->to.ended_s);
		json_append_number(next, part->to.run);
	}
	return json_line_free(top);
}

char *site_answer(struct store *store, struct json *request, struct err *err)
{
	int64_t until_s = json_number(request, "until"), days = SITE_DAYS, rows = SITE_ROWS;
	struct site_part part;
	char *page;

	if (read_position(request, &part.from) < 0 || until_s < 0) {
		err_set(err, "site: since and until: must be seconds");
		return NULL;
	}
	/* make a page that is too large again, with less */
	for (;;) {
		if (store_site_part(store, &part, until_s, days, rows, err) < 0)
			return NULL;
		page = page_of(store, &part, until_s, err);
		if (!page || strlen(page) < SITE_BYTES || !rows)
			return page;
		free(page);
		if (part.is_days)
			days = (part.to.ended_s - part.from.ended_s) / SITE_DAY_S / 2;
		else
			rows /= 4;
	}
}
