/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/site.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/alloc.h"
#include "lib/json.h"
#include "report/job_answer.h"
#include "report/job_source.h"
#include "report/when.h"

void site_free(struct site *site)
{
	if (site)
		tally_free(site->tally);
	free(site);
}

/* ---- the ledger ------------------------------------------------------------ */

/* "{"op":"site",..}"; 'next' is what the last answer said, or NULL. */
static char *ask_for(const struct site *site, const struct json *next)
{
	struct json *top = json_new_object();

	json_add_text(top, "op", "site");
	json_add_number(top, "since", site->since_s);
	json_add_number(top, "until", site->until_s);
	if (next)
		json_add_copy(top, "after", next);
	return json_line_free(top);
}

static struct json *ask_page(struct job_source *source, const struct site *site,
			     const struct json *next, struct err *err)
{
	char *request = ask_for(site, next);
	char *answer = job_source_call(source, request, err);
	struct json *top = NULL;

	if (answer) {
		top = json_parse(answer);
		if (!json_is_true(top, "ok")) {
			job_answer_refused(top, err);
			json_free(top);
			top = NULL;
		}
	}
	free(answer);
	free(request);
	return top;
}

/* Page by page: each is what the ledger adds up in a moment. */
static int ask_ledger(struct job_source *source, struct site *site, struct err *err)
{
	struct json *page = NULL, *last;
	int rc;

	do {
		last = page;
		page = ask_page(source, site, json_list(last, "next"), err);
		json_free(last);
		if (!page)
			return -1;
		rc = tally_join(site->tally, page);
		if (rc < 0)
			err_set(err, "ledger: the answer has no meaning");
	} while (rc == 0 && json_list(page, "next"));
	json_free(page);
	return rc;
}

/* ---- both ------------------------------------------------------------------- */

static int find_times(struct site *site, const char *since, const char *until, struct err *err)
{
	int64_t now_s = time(NULL);

	if (when_parse(since, now_s, &site->since_s, err) < 0)
		return err_prefix(err, "--starttime");
	if (when_parse(until, now_s, &site->until_s, err) < 0)
		return err_prefix(err, "--endtime");
	if (site->until_s < site->since_s)
		return err_set(err, "--endtime: it is before --starttime");
	return 0;
}

int site_check(const char *since, const char *until, struct err *err)
{
	struct site site;

	return find_times(&site, since, until, err);
}

/* A part of the ledger's answers must not be added to what sacct says. */
static void start_again(struct site *site)
{
	tally_free(site->tally);
	site->tally = tally_new();
}

static int fill(struct job_source *source, struct site *site, struct err *err)
{
	static const char refusal[] = "ledger: site: for root";
	struct err why = { "" }, second = { "" };

	site->source = "ledger";
	start_again(site);
	if (ask_ledger(source, site, &why) == 0)
		return 0;
	if (!strncmp(why.text, refusal, sizeof(refusal) - 1)) {
		*err = why;
		return -1;
	}
	site->source = "sacct";
	snprintf(site->why_not_ledger, sizeof(site->why_not_ledger), "%s", why.text);
	start_again(site);
	if (site_from_sacct(source, site, &second) == 0)
		return 0;
	return err_set(err, "%s; %s", why.text, second.text);
}

struct site *site_get(struct job_source *source, const char *since, const char *until,
		      struct err *err)
{
	struct site *site = xcalloc(1, sizeof(*site));

	if (find_times(site, since, until, err) < 0 || fill(source, site, err) < 0) {
		site_free(site);
		return NULL;
	}
	tally_sort(site->tally);
	return site;
}
