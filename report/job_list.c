/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_list.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

	return most_first(one < 0 ? INT64_MAX : one,
			  other < 0 ? INT64_MAX : other);
}

static int by_end(const struct job_report *a, const struct job_report *b)
{
	return most_first(a->slurm->end, b->slurm->end);
}

static int by_name(const struct job_report *a, const struct job_report *b)
{
	return strcmp(a->slurm->name, b->slurm->name);
}

static int by_user(const struct job_report *a, const struct job_report *b)
{
	return strcmp(a->slurm->user, b->slurm->user);
}

static int by_state(const struct job_report *a, const struct job_report *b)
{
	return strcmp(a->slurm->state, b->slurm->state);
}

static int by_elapsed(const struct job_report *a, const struct job_report *b)
{
	return most_first(a->slurm->elapsed_s, b->slurm->elapsed_s);
}

static int by_nodes(const struct job_report *a, const struct job_report *b)
{
	return most_first(job_nodes_of(a), job_nodes_of(b));
}

static int by_profile(const struct job_report *a, const struct job_report *b)
{
	return strcmp(a->summary.prof, b->summary.prof);
}

static int by_read(const struct job_report *a, const struct job_report *b)
{
	return most_first(a->summary.rd_bytes, b->summary.rd_bytes);
}

static int by_written(const struct job_report *a, const struct job_report *b)
{
	return most_first(a->summary.wr_bytes, b->summary.wr_bytes);
}

/* ---- what is asked for ---------------------------------------------------- */

/* They become words of sacct's command line: no option, no second word. */
static int take_word(const char **word, const char *name, const char *value,
		     const char *signs, struct err *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const char *at;

	for (at = value; *at; at++)
		if (!strchr(letters, *at) && !strchr(signs, *at))
			break;
	if (!*value || *value == '-' || *at || strlen(value) > WORDS_MAX)
		return err_set(err,
			       "--%s: '%.60s': not a word that sacct takes",
			       name, value);
	*word = value;
	return 1;
}

static int take_states(struct job_list_query *query, const char *value,
		       struct err *err)
{
	const char *at = value;
	char word[24];
	size_t length;

	for (; *at; at += length + (at[length] == ',')) {
		length = strcspn(at, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, at);
		if (length >= sizeof(word) || !sacct_knows_state(word))
			return err_set(err,
				       "--state: '%.*s': not a state like "
				       "COMPLETED, FAILED or TO",
				       length < 60 ? (int)length : 60, at);
	}
	query->states = value;
	return 1;
}

/* The first is what is done unasked. */
static const struct {
	const char *name;
	int (*compare)(const struct job_report *a, const struct job_report *b);
} sorts[] = {
	{ "start", by_start }, { "end", by_end },
	{ "name", by_name },   { "user", by_user },
	{ "state", by_state }, { "elapsed", by_elapsed },
	{ "nodes", by_nodes }, { "profile", by_profile },
	{ "read", by_read },   { "written", by_written },
};

#define SORTS ((int)(sizeof(sorts) / sizeof(sorts[0])))

static int take_sort(struct job_list_query *query, const char *value,
		     struct err *err)
{
	int i;

	for (i = 0; i < SORTS; i++)
		if (!strcmp(sorts[i].name, value)) {
			query->sort = i;
			return 1;
		}
	return err_set(err,
		       "--sort: '%.60s': must be start, end, name, user, "
		       "state, elapsed, nodes, profile, read or written",
		       value);
}

static int take_limit(struct job_list_query *query, const char *value,
		      struct err *err)
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

int job_list_option(struct job_list_query *query, const char *name,
		    const char *value, struct err *err)
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
	return sorts[query->sort].name;
}

/* ---- sort ----------------------------------------------------------------- */

static int compare(const void *one, const void *other, void *arg)
{
	const struct job_report *a = *(struct job_report *const *)one;
	const struct job_report *b = *(struct job_report *const *)other;
	const struct job_list_query *query = arg;
	int rc = sorts[query->sort].compare(a, b);

	if (!rc)
		rc = by_start(a, b);
	/* tasks of an array: as they are numbered */
	return rc ? rc : a->slurm < b->slurm ? -1 : 1;
}

static void sort(struct job_list *list, const struct job_list_query *query)
{
	qsort_r(list->reports, list->count, sizeof(struct job_report *),
		compare, (void *)query);
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
static int ask_sacct(struct job_source *source,
		     const struct job_list_query *query, struct err *err)
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

struct job_list *job_list_get(struct job_source *source,
			      const struct job_list_query *query,
			      struct err *err)
{
	struct job_list *list = calloc(1, sizeof(*list));
	struct err why = { "" };

	if (!list) {
		err_set(err, "out of memory");
		return NULL;
	}
	if (ask_sacct(source, query, err) == 0)
		list->reports = job_report_list(source->slurm, err);
	if (!list->reports) {
		job_list_free(list);
		return NULL;
	}
	list->count = source->slurm->count;
	choose(list, query);
	if (job_report_fill(source, list->reports, list->count, query->is_brief,
			    &why) < 0)
		snprintf(list->why_not_ledger, sizeof(list->why_not_ledger),
			 "%s", why.text);
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
