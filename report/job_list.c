/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_list.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/alloc.h"
#include "lib/number.h"
#include "report/job_view.h"

#define LIMIT_MAX 100000UL
#define WORDS_MAX 4000 /* of one option: sacct reads them again */

/* ---- order ---------------------------------------------------------------- */

/* Most, or last, first; what is unknown at the end. */
static int most_first(int64_t a, int64_t b)
{
	return a == b ? 0 : a > b ? -1 : 1;
}

/* What has not begun comes first: it will be the newest. */
static int by_start(const struct job_report *a, const struct job_report *b)
{
	int64_t one = a->slurm->start, other = b->slurm->start;

	return most_first(one < 0 ? INT64_MAX : one, other < 0 ? INT64_MAX : other);
}

enum sort {
	SORT_START, /* what is done unasked */
	SORT_END,
	SORT_NAME,
	SORT_USER,
	SORT_STATE,
	SORT_ELAPSED,
	SORT_NODES,
	SORT_PROFILE,
	SORT_READ,
	SORT_WRITTEN,
	SORTS
};

static int by(enum sort sort, const struct job_report *a, const struct job_report *b)
{
	const struct sacct_row *one = a->slurm, *other = b->slurm;
	const struct summary *s = &a->summary, *t = &b->summary;

	switch (sort) {
	case SORT_END:
		return most_first(one->end, other->end);
	case SORT_NAME:
		return strcmp(one->name, other->name);
	case SORT_USER:
		return strcmp(one->user, other->user);
	case SORT_STATE:
		return strcmp(one->state, other->state);
	case SORT_ELAPSED:
		return most_first(one->elapsed_s, other->elapsed_s);
	case SORT_NODES:
		return most_first(job_nodes_of(a), job_nodes_of(b));
	case SORT_PROFILE:
		return strcmp(s->prof, t->prof);
	case SORT_READ:
		return most_first(s->rd_bytes, t->rd_bytes);
	case SORT_WRITTEN:
		return most_first(s->wr_bytes, t->wr_bytes);
	case SORT_START:
	case SORTS:
		break;
	}
	return 0;
}

/* ---- what is asked for ---------------------------------------------------- */

/* They become words of sacct's command line: no option, no second word. */
static int take_word(const char **word, const char *name, const char *value, const char *signs,
		     struct err *err)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *at;

	for (at = value; *at; at++)
		if (!strchr(letters, *at) && !strchr(signs, *at))
			break;
	if (!*value || *value == '-' || *at || strlen(value) > WORDS_MAX)
		return err_set(err, "--%s: '%.60s': not a word that sacct takes", name, value);
	*word = value;
	return 1;
}

static int take_states(struct job_list_query *query, const char *value, struct err *err)
{
	const char *at = value;
	char word[24];
	size_t length;

	for (; *at; at += length + (at[length] == ',')) {
		length = strcspn(at, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		if (length >= sizeof(word) || !sacct_knows_state(word))
			return err_set(err,
				       "--state: '%.*s': not a state like COMPLETED, FAILED or TO",
				       length < 60 ? (int)length : 60, at);
	}
	query->states = value;
	return 1;
}

static const char *const sorts[SORTS] = { "start",   "end",   "name",	 "user", "state",
					  "elapsed", "nodes", "profile", "read", "written" };

static int take_sort(struct job_list_query *query, const char *value, struct err *err)
{
	int i;

	for (i = 0; i < SORTS; i++)
		if (!strcmp(sorts[i], value)) {
			query->sort = i;
			return 1;
		}
	return err_set(
		err,
		"--sort: '%.60s': must be start, end, name, user, state, elapsed, nodes, profile, read or written",
		value);
}

static int take_limit(struct job_list_query *query, const char *value, struct err *err)
{
	unsigned long number;

	if (number_parse(value, 1, LIMIT_MAX, &number, err) < 0)
		return err_prefix(err, "--limit");
	query->limit = number;
	query->has_limit = true;
	return 1;
}

void job_list_init(struct job_list_query *query)
{
	memset(query, 0, sizeof(*query));
	query->since = "now-1days";
	query->until = "now";
	query->limit = JOB_LIST_LIMIT;
}

int job_list_option(struct job_list_query *query, const char *name, const char *value,
		    struct err *err)
{
	int rc = 0;

	if (!strcmp(name, "user"))
		rc = take_word(&query->users, name, value, "._-,$@\\", err);
	else if (!strcmp(name, "account"))
		rc = take_word(&query->accounts, name, value, "._-,", err);
	else if (!strcmp(name, "starttime"))
		rc = take_word(&query->since, name, value, "/:.-+", err);
	else if (!strcmp(name, "endtime"))
		rc = take_word(&query->until, name, value, "/:.-+", err);
	else if (!strcmp(name, "state"))
		rc = take_states(query, value, err);
	else if (!strcmp(name, "sort"))
		rc = take_sort(query, value, err);
	else if (!strcmp(name, "limit"))
		rc = take_limit(query, value, err);
	query->is_given |= rc > 0;
	return rc;
}

const char *job_list_sorted_by(const struct job_list_query *query)
{
	return sorts[query->sort];
}

/* ---- sort ----------------------------------------------------------------- */

static int compare(const void *one, const void *other, void *arg)
{
	const struct job_report *a = *(struct job_report *const *)one;
	const struct job_report *b = *(struct job_report *const *)other;
	const struct job_list_query *query = arg;
	int rc = by((enum sort)query->sort, a, b);

	if (!rc)
		rc = by_start(a, b);
	/* tasks of an array: as they are numbered */
	return rc ? rc : a->slurm < b->slurm ? -1 : 1;
}

static void sort(struct job_list *list, const struct job_list_query *query)
{
	qsort_r(list->reports, list->count, sizeof(struct job_report *), compare, (void *)query);
}

/* ---- get ------------------------------------------------------------------- */

static bool is_wanted(const struct job_report *r, const char *states)
{
	const char *at = states;
	char word[24];
	size_t length;

	for (; at && *at; at += length + (at[length] == ',')) {
		length = strcspn(at, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		if (sacct_is_state(r->slurm->state, word))
			return true;
	}
	return !states;
}

static void choose(struct job_list *list, const struct job_list_query *query)
{
	size_t i, kept = 0;

	for (i = 0; i < list->count; i++) {
		if (is_wanted(list->reports[i], query->states))
			list->reports[kept++] = list->reports[i];
		else
			job_report_free(list->reports[i]);
	}
	list->count = kept;
	sort(list, query);
	while (list->count > query->limit) {
		job_report_free(list->reports[--list->count]);
		list->left_out++;
	}
}

/* The caller's own jobs, if nobody else's are asked for: root's, too. */
static int ask_sacct(struct job_source *source, const struct job_list_query *query, struct err *err)
{
	struct sacct_query words = { .users = query->users,
				     .accounts = query->accounts,
				     .since = query->since,
				     .until = query->until };
	struct passwd *me = getpwuid(geteuid());
	char uid[16];

	snprintf(uid, sizeof(uid), "%u", (unsigned int)geteuid());
	if (!words.users && !words.accounts)
		words.users = me ? me->pw_name : uid;
	words.is_everybody = !words.users;
	source->slurm = sacct_ask(&words, err);
	return source->slurm ? 0 : -1;
}

struct job_list *job_list_get(struct job_source *source, const struct job_list_query *query,
			      struct err *err)
{
	struct job_list *list;
	struct err why = { "" };

	if (ask_sacct(source, query, err) < 0)
		return NULL;
	list = xcalloc(1, sizeof(*list));
	list->reports = job_report_list(source->slurm);
	list->count = source->slurm->count;
	choose(list, query);
	if (job_report_fill(source, list->reports, list->count, query->is_brief, &why) < 0)
		snprintf(list->why_not_ledger, sizeof(list->why_not_ledger), "%s", why.text);
	else
		sort(list, query);
	return list;
}

void job_list_free(struct job_list *list)
{
	size_t i;

	if (!list)
		return;
	for (i = 0; list->reports && i < list->count; i++)
		job_report_free(list->reports[i]);
	free(list->reports);
	free(list);
}
