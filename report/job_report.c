/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_report.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/number.h"
#include "lib/run.h"
#include "lib/utf8.h"

#define RECORDS_MAX 2048 /* of one job: more are left out */

static bool is_id(const char *id)
{
	unsigned long number;
	char copy[32], *mark;

	if (strlen(id) >= sizeof(copy))
		return false;
	strcpy(copy, id);
	mark = strpbrk(copy, "_+");
	if (mark) {
		*mark++ = 0;
		if (number_parse(mark, 0, UINT32_MAX, &number, NULL) < 0)
			return false;
	}
	return number_parse(copy, 1, UINT32_MAX, &number, NULL) == 0;
}

static int check_id(const char *id, struct err *err)
{
	size_t length = strcspn(id, ".");
	char job[32];

	if (is_id(id))
		return 0;
	if (id[length] && length < sizeof(job)) {
		snprintf(job, sizeof(job), "%.*s", (int)length, id);
		if (is_id(job))
			return err_set(err,
				       "job: '%s': a step; what is counted is "
				       "the whole job: %s",
				       id, job);
	}
	return err_set(err, "job: '%s': not a job id like 7, 5_1 or 7+1", id);
}

/* "3", "1-3", "0-8:2" */
static int parse_range(char *text, unsigned long *first, unsigned long *last,
		       unsigned long *step)
{
	char *by = strchr(text, ':'), *to = strchr(text, '-');

	*step = 1;
	if (by)
		*by++ = 0;
	if (to)
		*to++ = 0;
	if (number_parse(text, 0, UINT32_MAX, first, NULL) < 0 ||
	    (by && number_parse(by, 1, UINT32_MAX, step, NULL) < 0))
		return -1;
	*last = *first;
	return to ? number_parse(to, *first, UINT32_MAX, last, NULL) : 0;
}

/* The text between the brackets, which is cut to pieces. */
static int add_tasks(const char *job, char *list, char (*ids)[JOB_ID_SIZE],
		     size_t max)
{
	unsigned long first, last, step, number;
	char *range, *rest = NULL;
	size_t count = 0;

	for (range = strtok_r(list, ",", &rest); range;
	     range = strtok_r(NULL, ",", &rest)) {
		if (parse_range(range, &first, &last, &step) < 0)
			return -1;
		for (number = first; number <= last; number += step) {
			if (count == max)
				return -1;
			snprintf(ids[count], JOB_ID_SIZE, "%s_%lu", job,
				 number);
			if (!is_id(ids[count++]))
				return -1;
		}
	}
	return count ? (int)count : -1;
}

int job_report_expand(const char *id, char (*ids)[JOB_ID_SIZE], size_t max,
		      struct err *err)
{
	char job[12], *list = NULL, *end;
	const char *mark = strstr(id, "_[");
	int count = -1;

	if (mark && (size_t)(mark - id) < sizeof(job))
		list = strdup(mark + 2);
	end = list ? strpbrk(list, "]%") : NULL;
	if (end && (*end == ']' ? !end[1] : end[strlen(end) - 1] == ']')) {
		*end = 0;
		snprintf(job, sizeof(job), "%.*s", (int)(mark - id), id);
		count = add_tasks(job, list, ids, max);
	}
	free(list);
	return count < 0 ? err_set(err,
				   "job: '%s': not tasks of an array like "
				   "5_[1-3,7], or more than %zu",
				   id, max)
			 : count;
}

static int check_tasks(const char *id, struct err *err)
{
	char(*ids)[JOB_ID_SIZE] = calloc(JOB_FAMILY_MAX, JOB_ID_SIZE);
	int rc = ids ? job_report_expand(id, ids, JOB_FAMILY_MAX, err)
		     : err_set(err, "out of memory");

	free(ids);
	return rc < 0 ? -1 : 0;
}

int job_report_check(const char *id, struct err *err)
{
	return strchr(id, '[') ? check_tasks(id, err) : check_id(id, err);
}

char *job_report_next(char **list)
{
	char *id = *list + strspn(*list, ","), *end = id;
	bool is_inside = false;

	for (; *end && (is_inside || *end != ','); end++)
		is_inside = *end == '[' || (is_inside && *end != ']');
	*list = *end ? end + 1 : end;
	*end = 0;
	return *id ? id : NULL;
}

void job_report_free(struct job_report *r)
{
	if (!r)
		return;
	while (r->record_count)
		record_free(r->records[--r->record_count]);
	free(r->records);
	free(r->id);
	free(r->summary_text);
	free(r->json);
	free(r->cluster);
	free(r->state);
	free(r->error);
	free(r);
}

static struct job_report *new_report(const char *id, const char *source)
{
	struct job_report *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->source = source;
	r->restart = RECORD_UNKNOWN;
	r->array_job = r->het_job = RECORD_UNKNOWN;
	r->id = strdup(id);
	if (!r->id) {
		free(r);
		return NULL;
	}
	return r;
}

/* ---- the ledger ---------------------------------------------------------- */

/* An answer, or the part of one: the records are long, and are parsed once, by
 * themselves. The head has all the rest. */
struct answer {
	struct json_object *head;
	const char *records, *end; /* "[{..},{..}]"; NULL: none */
};

/* What follows a comma and a quote is a key, and no part of a string. */
static int answer_open(struct answer *a, const char *text, size_t size)
{
	static const char key[] = ",\"records\":[";
	const char *at = memmem(text, size, key, sizeof(key) - 1);
	const char *rest = text + size;
	char *copy;

	a->records = a->end = NULL;
	if (at) {
		a->records = at + sizeof(key) - 2;
		a->end = json_end(a->records);
		if (!a->end || a->end > rest)
			return -1;
		rest = a->end;
	} else {
		at = rest;
	}
	if (asprintf(&copy, "%.*s%.*s", (int)(at - text), text,
		     (int)(text + size - rest), rest) < 0)
		return -1;
	a->head = json_parse(copy);
	free(copy);
	return 0;
}

/* Those that do not fit into the answer are not left out yet. */
static int take_records(struct job_report *r, const struct answer *a)
{
	const char *at = a->records ? a->records + 1 : NULL, *last;
	size_t room = r->record_count;
	struct record **more, *record;

	for (; at && at < a->end && *at == '{'; at = last + (*last == ',')) {
		last = json_end(at);
		if (!last)
			break;
		if (r->record_count == room) {
			room = room ? room * 2 : 4;
			more = realloc(r->records, room * sizeof(*more));
			if (!more)
				return -1;
			r->records = more;
		}
		record = record_parse(at, (size_t)(last - at), NULL);
		if (record)
			r->records[r->record_count++] = record;
		else
			r->left_out++; /* of a later version */
	}
	return 0;
}

/* For people: the ledger and sacct say what nodes and users told them. */
static int copy(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	if (*out)
		utf8_clean(*out, strlen(text) + 1, text, strlen(text));
	return text && !*out ? -1 : 0;
}

/* Exact numbers where the summary has three digits. */
static void take_totals(struct job_report *r, struct json_object *top)
{
	struct json_object *totals = json_map(top, "totals");

	if (!totals)
		return;
	r->summary.rd_bytes = json_number(totals, "read_bytes");
	r->summary.rd_calls = json_number(totals, "read_calls");
	r->summary.wr_bytes = json_number(totals, "write_bytes");
	r->summary.wr_calls = json_number(totals, "write_calls");
}

/* All but the records. */
static int take_head(struct job_report *r, struct json_object *top,
		     struct err *err)
{
	struct json_object *runs = json_list(top, "runs");
	int64_t left = json_number(top, "records_left_out");

	r->job = (uint32_t)json_number(top, "job");
	r->restart = json_number(top, "restart");
	r->left_out = left > 0 ? left : 0;
	r->array_job = json_number(top, "array_job");
	r->array_task = json_number(top, "array_task");
	r->het_job = json_number(top, "het_job");
	r->het_offset = json_number(top, "het_offset");
	if (runs)
		r->runs = (int64_t)json_object_array_length(runs);
	if (copy(&r->cluster, json_text(top, "cluster")) < 0 ||
	    copy(&r->state, json_text(top, "state")) < 0 ||
	    copy(&r->error, json_text(top, "error")) < 0 ||
	    copy(&r->summary_text, json_text(top, "summary")) < 0)
		return err_set(err, "out of memory");
	if (!r->summary_text)
		return err_set(err, "ledger: it has no summary");
	if (summary_parse(r->summary_text, &r->summary, err) < 0)
		return -1;
	take_totals(r, top);
	return 0;
}

static struct job_report *read_answer(const char *id, const char *text,
				      struct err *err)
{
	struct answer a = { .head = NULL };
	struct job_report *r = NULL;
	const char *why;

	if (answer_open(&a, text, strlen(text)) < 0 ||
	    !json_is_true(a.head, "ok")) {
		why = json_text(a.head, "error");
		err_set(err, "ledger: %s",
			why ? why : "the answer has no meaning");
		goto out;
	}
	r = new_report(id, "ledger");
	if (!r) {
		err_set(err, "out of memory");
		goto out;
	}
	err_set(err, "out of memory");
	if (take_head(r, a.head, err) < 0 || take_records(r, &a) < 0 ||
	    !(r->json = strdup(text))) {
		job_report_free(r);
		r = NULL;
	}
out:
	json_object_put(a.head);
	return r;
}

/* NULL: the link failed, now or before; caller frees. */
static char *call_ledger(struct job_source *source, const char *request,
			 struct err *err)
{
	char *answer = NULL;

	if (source->is_down) {
		*err = source->why_down;
		return NULL;
	}
	if (!source->link)
		source->link = ledger_link_open(&source->config->ledger, err);
	if (source->link &&
	    ledger_link_call(source->link, request, &answer, err) == 0)
		return answer;
	source->is_down = 1;
	source->why_down = *err;
	return NULL;
}

/* "{"op":"get","job":"7","restart":0,"after":"n7"}"; malloc'ed */
static char *get_request(const char *id, int64_t restart, const char *after)
{
	struct json_object *top = json_object_new_object();

	json_add_text(top, "op", "get");
	json_add_text(top, "job", id);
	if (restart >= 0)
		json_add_number(top, "restart", restart);
	if (after)
		json_add_text(top, "after", after);
	return json_line_put(top);
}

/* The records of the nodes behind the last one; their number, or -1. */
static int take_page_of(struct job_source *source, struct job_report *r)
{
	const char *last = r->records[r->record_count - 1]->node;
	char *request = get_request(r->id, r->restart, last), *text = NULL;
	size_t before = r->record_count;
	struct answer a = { .head = NULL };
	struct err err;
	int count = -1;

	if (request)
		text = call_ledger(source, request, &err);
	if (text && answer_open(&a, text, strlen(text)) == 0 &&
	    json_is_true(a.head, "ok") && take_records(r, &a) == 0)
		count = (int)(r->record_count - before);
	json_object_put(a.head);
	free(text);
	free(request);
	return count;
}

/* A ledger that does not know "after" sends the same again. */
static void take_rest(struct job_source *source, struct job_report *r)
{
	size_t before;
	int count;

	while (r->left_out > 0 && r->record_count &&
	       r->record_count < RECORDS_MAX) {
		before = r->record_count;
		count = take_page_of(source, r);
		if (count <= 0)
			return;
		if (!strcmp(r->records[before]->node, r->records[0]->node)) {
			while (r->record_count > before)
				record_free(r->records[--r->record_count]);
			return;
		}
		r->left_out -= r->left_out > count ? count : r->left_out;
	}
}

static struct job_report *ask_ledger(struct job_source *source, const char *id,
				     int64_t restart, struct err *err)
{
	char *request = get_request(id, restart, NULL), *answer = NULL;
	struct job_report *r = NULL;

	if (request)
		answer = call_ledger(source, request, err);
	else
		err_set(err, "out of memory");
	if (answer)
		r = read_answer(id, answer, err);
	if (r)
		take_rest(source, r);
	free(answer);
	free(request);
	return r;
}

/* A ledger that does not know the question says so: then there is no family. */
static size_t family_of_ledger(struct job_source *source, const char *id,
			       char (*ids)[JOB_ID_SIZE], size_t max)
{
	struct json_object *top, *list;
	char request[128], *answer;
	struct err err;
	size_t i, count = 0;

	snprintf(request, sizeof(request), "{\"op\":\"family\",\"job\":\"%s\"}",
		 id);
	answer = call_ledger(source, request, &err);
	top = answer ? json_parse(answer) : NULL;
	list = json_list(top, "family");
	for (i = 0; list && i < json_object_array_length(list); i++) {
		const char *one = json_object_get_string(
			json_object_array_get_idx(list, i));

		if (one && is_id(one) && count < max)
			snprintf(ids[count++], JOB_ID_SIZE, "%s", one);
	}
	json_object_put(top);
	free(answer);
	return count;
}

/* ---- sacct ---------------------------------------------------------------- */

/* "5_2" and "7+1" as sacct writes them. */
static void take_family(struct job_report *r, const char *id)
{
	unsigned long job, part;
	char copy[64], *mark;
	bool is_array;

	snprintf(copy, sizeof(copy), "%s", id);
	mark = strpbrk(copy, "_+");
	if (!mark)
		return;
	is_array = *mark == '_';
	*mark++ = 0;
	if (number_parse(copy, 1, UINT32_MAX, &job, NULL) < 0 ||
	    number_parse(mark, 0, UINT32_MAX, &part, NULL) < 0)
		return;
	*(is_array ? &r->array_job : &r->het_job) = (int64_t)job;
	*(is_array ? &r->array_task : &r->het_offset) = (int64_t)part;
}

static struct job_report *from_row(const char *id, const struct sacct_row *row,
				   struct err *err)
{
	struct job_report *r = new_report(id, "sacct");

	if (!r || copy(&r->summary_text, row->summary) < 0 ||
	    copy(&r->cluster, row->cluster) < 0) {
		err_set(err, "out of memory");
	} else if (summary_parse(row->summary, &r->summary, err) == 0) {
		take_family(r, row->id);
		return r;
	}
	job_report_free(r);
	return NULL;
}

static struct job_report *from_sacct(const struct job_source *source,
				     const char *id, bool *is_early,
				     struct err *err)
{
	const struct sacct_row *row = sacct_find(source->slurm, id);

	*is_early = false;
	if (!source->slurm) {
		*err = source->why_no_slurm;
	} else if (!row) {
		err_set(err, "sacct: no such job that you may see");
	} else if (row->summary) {
		return from_row(id, row, err);
	} else if ((*is_early = sacct_is_early(row->state))) {
		err_set(err,
			"the job is %s; what it read and wrote is known "
			"when it has ended",
			row->state);
	} else {
		err_set(err,
			"sacct: the job is %s and has no summary: jobio was "
			"not at work, or its nodes have not reported yet",
			row->state);
	}
	return NULL;
}

/* "25_[4-9]" of tasks that wait is none of them. */
static size_t family_of_sacct(const struct sacct_rows *rows, const char *id,
			      char (*ids)[JOB_ID_SIZE], size_t max)
{
	size_t i, length = strlen(id), count = 0;

	for (i = 0; rows && i < rows->count && count < max; i++)
		if (is_id(rows->row[i].id) &&
		    !strncmp(rows->row[i].id, id, length) &&
		    strspn(rows->row[i].id + length, "_+") == 1)
			snprintf(ids[count++], JOB_ID_SIZE, "%s",
				 rows->row[i].id);
	return count;
}

size_t job_report_family(struct job_source *source, enum job_asked asked,
			 const char *id, char (*ids)[JOB_ID_SIZE], size_t max)
{
	return asked == JOB_ASKED_LEDGER
		       ? family_of_ledger(source, id, ids, max)
		       : family_of_sacct(source->slurm, id, ids, max);
}

struct job_report *job_report_get(struct job_source *source, const char *id,
				  int64_t restart, struct err *err)
{
	struct err first = { "" }, second = { "" };
	struct job_report *r = ask_ledger(source, id, restart, &first);
	bool is_early = false;

	if (!r && restart < 0) {
		r = from_sacct(source, id, &is_early, &second);
		if (r)
			snprintf(r->why_not_ledger, sizeof(r->why_not_ledger),
				 "%s", first.text);
	}
	if (r)
		r->slurm = sacct_find(source->slurm, id);
	else
		err_set(err, "job: '%s': %s%s%s", id,
			is_early ? "" : first.text,
			*second.text && !is_early ? "; " : "", second.text);
	return r;
}

/* ---- many ------------------------------------------------------------------ */

static struct job_report *from_listed(const struct sacct_row *row)
{
	struct job_report *r =
		row->summary ? from_row(row->id, row, NULL) : NULL;

	if (!r) {
		r = new_report(row->id, "sacct");
		if (!r || copy(&r->cluster, row->cluster) < 0) {
			job_report_free(r);
			return NULL;
		}
		summary_init(&r->summary);
		take_family(r, row->id);
	}
	r->slurm = row;
	return r;
}

struct job_report **job_report_list(const struct sacct_rows *rows,
				    struct err *err)
{
	struct job_report **list = calloc(rows->count + 1, sizeof(*list));
	size_t i;

	for (i = 0; list && i < rows->count; i++) {
		list[i] = from_listed(&rows->row[i]);
		if (list[i])
			continue;
		while (i)
			job_report_free(list[--i]);
		free(list);
		list = NULL;
		break;
	}
	if (!list)
		err_set(err, "out of memory");
	return list;
}

/* To the last digit, where the summary has three: what the ledger would add. */
static void take_sums(struct job_report *r)
{
	struct summary *s = &r->summary;
	struct record_io sum, best;
	size_t i;

	if (!r->record_count || r->left_out || s->scope != SUMMARY_SCOPE_JOB)
		return;
	record_io_init(&sum);
	for (i = 0; i < r->record_count; i++) {
		run_best(r->records[i], RECORD_SCOPE_JOB, &best);
		run_add_io(&sum, &best);
	}
	s->rd_bytes = sum.numbers[RECORD_READ_BYTES];
	s->rd_calls = sum.numbers[RECORD_READ_CALLS];
	s->wr_bytes = sum.numbers[RECORD_WRITE_BYTES];
	s->wr_calls = sum.numbers[RECORD_WRITE_CALLS];
}

static int take_run(struct job_report *r, const struct answer *a,
		    struct err *err)
{
	if (take_head(r, a->head, err) < 0)
		return -1;
	if (take_records(r, a) < 0)
		return err_set(err, "out of memory");
	take_sums(r);
	return 0;
}

/* The run of one of the reports, in the place of what sacct had. */
static int fill_one(struct job_report **reports, size_t count, size_t *next,
		    const char *text, const char *end, struct err *err)
{
	struct answer a = { .head = NULL };
	struct job_report *new;
	char job[24];
	int rc = -1;

	if (answer_open(&a, text, (size_t)(end - text)) < 0)
		return err_set(err, "ledger: the answer has no meaning");
	snprintf(job, sizeof(job), "%lld",
		 (long long)json_number(a.head, "job"));
	while (*next < count && strcmp(reports[*next]->slurm->raw_id, job) != 0)
		++*next;
	new = *next < count ? new_report(reports[*next]->id, "ledger") : NULL;
	if (!new) {
		err_set(err, "ledger: it speaks of job %s", job);
	} else if (take_run(new, &a, err) < 0) {
		job_report_free(new);
	} else {
		new->slurm = reports[*next]->slurm;
		job_report_free(reports[*next]);
		reports[(*next)++] = new;
		rc = 0;
	}
	json_object_put(a.head);
	return rc;
}

/* "],"done":7}" */
static size_t done_of(const char *text)
{
	static const char begin[] = "],\"done\":";
	unsigned long number;
	char copy[24];

	if (strncmp(text, begin, sizeof(begin) - 1) != 0)
		return 0;
	text += sizeof(begin) - 1;
	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(text, "}"), text);
	return number_parse(copy, 1, JOB_FAMILY_MAX, &number, NULL) < 0
		       ? 0
		       : number;
}

/* The runs are those of some of the jobs, in their order. How many jobs it
 * speaks of; -1: it does not. */
static int take_page(const char *answer, struct job_report **reports,
		     size_t count, struct err *err)
{
	static const char begin[] = "{\"ok\":true,\"runs\":[";
	const char *at = answer + sizeof(begin) - 1, *end;
	struct json_object *top;
	const char *why;
	size_t next = 0, done;

	if (strncmp(answer, begin, sizeof(begin) - 1) != 0) {
		top = json_parse(answer);
		why = json_text(top, "error");
		err_set(err, "ledger: %s",
			why ? why : "the answer has no meaning");
		json_object_put(top);
		return -1;
	}
	for (; *at == '{'; at = end + (*end == ',')) {
		end = json_end(at);
		if (!end || fill_one(reports, count, &next, at, end, err) < 0)
			return -1;
	}
	done = done_of(at);
	if (done < 1 || done > count)
		return err_set(err, "ledger: the answer has no meaning");
	return (int)done;
}

/* "{"op":"list","jobs":[7,8]}"; NULL: out of memory. */
static char *ask_for(struct job_report *const *reports, size_t count)
{
	char *text = NULL;
	size_t i, size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("{\"op\":\"list\",\"jobs\":[", out);
	for (i = 0; i < count; i++) {
		const char *id = reports[i]->slurm->raw_id;

		fprintf(out, "%s%s", i ? "," : "", is_id(id) ? id : "0");
	}
	fputs("]}", out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

/* How many of them it has answered for; -1: none. */
static int fill_page(struct job_source *source, struct job_report **reports,
		     size_t count, struct err *err)
{
	char *request = ask_for(reports, count), *answer = NULL;
	int done = -1;

	if (request)
		answer = call_ledger(source, request, err);
	else
		err_set(err, "out of memory");
	if (answer)
		done = take_page(answer, reports, count, err);
	free(answer);
	free(request);
	return done;
}

int job_report_fill(struct job_source *source, struct job_report **reports,
		    size_t count, struct err *err)
{
	size_t at = 0, page;
	int done;

	while (at < count) {
		page = count - at < JOB_FAMILY_MAX ? count - at
						   : JOB_FAMILY_MAX;
		done = fill_page(source, reports + at, page, err);
		if (done < 0)
			return -1;
		at += (size_t)done;
	}
	return 0;
}

/* ---- the source ------------------------------------------------------------ */

/* "5_[1-3],7" is some of 5, and 7. */
static void put_bare(FILE *out, const char *text)
{
	while (*text) {
		if (!strncmp(text, "_[", 2)) {
			text += strcspn(text, "]");
			text += *text == ']';
			continue;
		}
		fputc(*text++, out);
	}
}

int job_source_ask_sacct(struct job_source *source, char *const *ids,
			 size_t count, struct err *err)
{
	struct sacct_query query = { 0 };
	char *list = NULL;
	size_t i, size = 0;
	FILE *out = open_memstream(&list, &size);

	if (!out)
		return err_set(err, "out of memory");
	for (i = 0; i < count; i++) {
		if (i)
			fputc(',', out);
		put_bare(out, ids[i]);
	}
	if (fclose(out)) {
		free(list);
		return err_set(err, "out of memory");
	}
	query.jobs = list;
	source->slurm = sacct_ask(&query, &source->why_no_slurm);
	free(list);
	return 0;
}

void job_source_close(struct job_source *source)
{
	ledger_link_close(source->link);
	sacct_free(source->slurm);
	source->link = NULL;
	source->slurm = NULL;
}
