/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_report.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/comment.h"
#include "lib/js1.h"
#include "lib/json.h"
#include "lib/number.h"
#include "lib/utf8.h"

#define SACCT_TIMEOUT_MS 20000U
#define PATH_SIZE 4096

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

int job_report_check_id(const char *id, struct err *err)
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
	free(r->user);
	free(r->job_state);
	free(r->start);
	free(r->end);
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

static int take_records(struct job_report *r, struct json_object *top)
{
	struct json_object *list = json_list(top, "records");
	size_t i, count;

	if (!list)
		return 0;
	count = json_object_array_length(list);
	r->records = calloc(count + 1, sizeof(*r->records));
	if (!r->records)
		return -1;
	for (i = 0; i < count; i++) {
		const char *text =
			json_line(json_object_array_get_idx(list, i));
		struct record *record =
			text ? record_parse(text, strlen(text), NULL) : NULL;

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

static int take_answer(struct job_report *r, struct json_object *top,
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
	    copy(&r->summary_text, json_text(top, "summary")) < 0 ||
	    !(r->json = strdup(json_line(top))) || take_records(r, top) < 0)
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
	struct json_object *top = json_parse(text);
	const char *why = json_text(top, "error");
	struct job_report *r = NULL;

	if (!json_is_true(top, "ok")) {
		err_set(err, "ledger: %s",
			why ? why : "the answer has no meaning");
		goto out;
	}
	r = new_report(id, "ledger");
	if (!r) {
		err_set(err, "out of memory");
		goto out;
	}
	if (take_answer(r, top, err) < 0) {
		job_report_free(r);
		r = NULL;
	}
out:
	json_object_put(top);
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

static struct job_report *ask_ledger(struct job_source *source, const char *id,
				     int64_t restart, struct err *err)
{
	struct job_report *r = NULL;
	char request[128], run[40] = "", *answer;

	if (restart >= 0)
		snprintf(run, sizeof(run), ",\"restart\":%lld",
			 (long long)restart);
	snprintf(request, sizeof(request), "{\"op\":\"get\",\"job\":\"%s\"%s}",
		 id, run);
	answer = call_ledger(source, request, err);
	if (answer)
		r = read_answer(id, answer, err);
	free(answer);
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

/* ---- sacct --------------------------------------------------------------- */

/* The user's own sacct, as the shell would find it. */
static int find_sacct(char *path, size_t room)
{
	const char *at = getenv("PATH"), *end;

	if (!at || !*at)
		at = "/usr/local/bin:/usr/bin:/bin";
	for (; *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ":");
		if (*at == '/' &&
		    snprintf(path, room, "%.*s/sacct", (int)(end - at), at) <
			    (int)room &&
		    access(path, X_OK) == 0)
			return 0;
	}
	return -1;
}

/* What sacct is asked for; the comments may hold anything. */
enum sacct_field {
	SACCT_ID,
	SACCT_RAW_ID,
	SACCT_CLUSTER,
	SACCT_USER,
	SACCT_STATE,
	SACCT_START,
	SACCT_END,
	SACCT_COMMENTS, /* both */
	SACCT_FIELDS
};

static const char sacct_format[] = "JobID,JobIDRaw,Cluster,User,State,Start,"
				   "End,SystemComment,AdminComment";

static int split_row(char *line, char *row[SACCT_FIELDS])
{
	int i;

	for (i = 0; i < SACCT_FIELDS; i++) {
		row[i] = line;
		if (i == SACCT_FIELDS - 1)
			break;
		line = strchr(line, '|');
		if (!line)
			return 0;
		*line++ = 0;
	}
	return 1;
}

static size_t columns(const char *line)
{
	size_t count = 1;

	for (; *line && *line != '\n'; line++)
		count += *line == '|';
	return count;
}

/* What Slurm or a person wrote may have several lines; each row shall be one. */
static void join_lines(char *text)
{
	for (; (text = strchr(text, '\n')); text++)
		if (text[1] && columns(text + 1) < SACCT_FIELDS)
			*text = ' ';
}

/*
 * sacct -j 2 lists every task of array 2 and every component of job 2. The one
 * that is meant has this id, or this number: the ledger takes it so, too. Of a
 * requeued job sacct -X lists the newest run.
 */
static int find_row(char *text, const char *id, char *row[SACCT_FIELDS])
{
	char *line, *rest = NULL;

	join_lines(text);
	for (line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		if (split_row(line, row) && (!strcmp(row[SACCT_ID], id) ||
					     !strcmp(row[SACCT_RAW_ID], id)))
			return 1;
	return 0;
}

/* The first field that holds a summary of ours (comment.h), or is a JS1 that
 * holds one (js1.h). Neither has '|', which sacct puts between fields. */
static int find_summary(char *text, char *summary, size_t room)
{
	char *field, *rest = NULL;
	const char *ours;
	size_t size;

	for (field = strtok_r(text, "|", &rest); field;
	     field = strtok_r(NULL, "|", &rest)) {
		if (js1_find(field, summary, room))
			return 1;
		ours = comment_find(field, &size);
		if (ours && size < room) {
			snprintf(summary, room, "%.*s", (int)size, ours);
			return 1;
		}
	}
	return 0;
}

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

bool job_report_is_early(const char *state)
{
	static const char *const early[] = {
		"PENDING",    "CONFIGURING", "RUNNING",	 "SUSPENDED",
		"COMPLETING", "REQUEUED",    "RESIZING",
	};
	size_t i;

	for (i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		if (!strcmp(state, early[i]))
			return true;
	return false;
}

/* Of a job that ended at once slurmdbd has the end first, and says "root" until
 * it has the start. */
static const char *known_user(const char *user)
{
	return !strcmp(user, "root") ? NULL : user;
}

static struct job_report *from_row(const char *id, char *row[SACCT_FIELDS],
				   const char *summary, struct err *err)
{
	struct job_report *r = new_report(id, "sacct");

	if (!r || copy(&r->summary_text, summary) < 0 ||
	    copy(&r->cluster, row[SACCT_CLUSTER]) < 0 ||
	    copy(&r->user, known_user(row[SACCT_USER])) < 0 ||
	    copy(&r->job_state, row[SACCT_STATE]) < 0 ||
	    copy(&r->start, row[SACCT_START]) < 0 ||
	    copy(&r->end, row[SACCT_END]) < 0) {
		err_set(err, "out of memory");
	} else if (summary_parse(summary, &r->summary, err) == 0) {
		take_family(r, row[SACCT_ID]);
		return r;
	}
	job_report_free(r);
	return NULL;
}

/* *is_early: the job has not ended, which says all. */
static struct job_report *from_sacct(const char *id, char *out, bool *is_early,
				     struct err *err)
{
	char *row[SACCT_FIELDS], summary[SUMMARY_MAX];

	if (!find_row(out, id, row)) {
		err_set(err, "sacct: no such job that you may see");
		return NULL;
	}
	if (find_summary(row[SACCT_COMMENTS], summary, sizeof(summary)))
		return from_row(id, row, summary, err);
	*is_early = job_report_is_early(row[SACCT_STATE]);
	if (*is_early)
		err_set(err,
			"the job is %s; what it read and wrote is known "
			"when it has ended",
			row[SACCT_STATE]);
	else
		err_set(err,
			"sacct: the job is %s and has no summary: jobio was "
			"not at work, or its nodes have not reported yet",
			row[SACCT_STATE]);
	return NULL;
}

/* What sacct says of a job, a row a line; NULL: nothing. Caller frees. */
static char *run_sacct(const char *id, struct err *err)
{
	char path[PATH_SIZE], conf[PATH_SIZE], *env[] = { conf, NULL };
	char *argv[] = { path,	       (char *)"-n",	     (char *)"-X",
			 (char *)"-P", (char *)"-j",	     (char *)id,
			 (char *)"-o", (char *)sacct_format, NULL };
	const char *slurm_conf = getenv("SLURM_CONF");
	struct child_result result = { 0 };
	char *out = NULL;

	if (find_sacct(path, sizeof(path)) < 0) {
		err_set(err, "sacct: there is no sacct in PATH");
		return NULL;
	}
	if (slurm_conf)
		snprintf(conf, sizeof(conf), "SLURM_CONF=%s", slurm_conf);
	if (child_run(argv, slurm_conf ? env : NULL, SACCT_TIMEOUT_MS, &result,
		      err) < 0)
		return NULL;
	if (result.status) {
		result.errtext[strcspn(result.errtext, "\n")] = 0;
		err_set(err, "sacct: exit status %d: %s", result.status,
			result.errtext);
	} else {
		out = strdup(result.out ? result.out : "");
	}
	child_result_free(&result);
	return out;
}

static struct job_report *ask_sacct(const char *id, bool *is_early,
				    struct err *err)
{
	char *out = run_sacct(id, err);
	struct job_report *r = out ? from_sacct(id, out, is_early, err) : NULL;

	free(out);
	return r;
}

int job_report_state(const char *id, char *state, size_t room)
{
	char *out = run_sacct(id, NULL), *row[SACCT_FIELDS];
	int rc = -1;

	if (out && find_row(out, id, row)) {
		utf8_clean(state, room, row[SACCT_STATE],
			   strlen(row[SACCT_STATE]));
		rc = 0;
	}
	free(out);
	return rc;
}

/* "25_[4-9]" of tasks that wait is none of them. */
static size_t family_of_sacct(const char *id, char (*ids)[JOB_ID_SIZE],
			      size_t max)
{
	char *out = run_sacct(id, NULL), *line, *rest = NULL;
	char *row[SACCT_FIELDS];
	size_t length = strlen(id), count = 0;

	if (out)
		join_lines(out);
	for (line = out ? strtok_r(out, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest))
		if (split_row(line, row) && is_id(row[SACCT_ID]) &&
		    !strncmp(row[SACCT_ID], id, length) &&
		    strspn(row[SACCT_ID] + length, "_+") == 1 && count < max)
			snprintf(ids[count++], JOB_ID_SIZE, "%s",
				 row[SACCT_ID]);
	free(out);
	return count;
}

size_t job_report_family(struct job_source *source, const char *id,
			 char (*ids)[JOB_ID_SIZE], size_t max)
{
	return source ? family_of_ledger(source, id, ids, max)
		      : family_of_sacct(id, ids, max);
}

struct job_report *job_report_get(struct job_source *source, const char *id,
				  int64_t restart, struct err *err)
{
	struct err first = { "" }, second = { "" };
	struct job_report *r = ask_ledger(source, id, restart, &first);
	bool is_early = false;

	if (!r && restart < 0) {
		r = ask_sacct(id, &is_early, &second);
		if (r)
			snprintf(r->why_not_ledger, sizeof(r->why_not_ledger),
				 "%s", first.text);
	}
	if (!r)
		err_set(err, "job: '%s': %s%s%s", id,
			is_early ? "" : first.text,
			*second.text && !is_early ? "; " : "", second.text);
	return r;
}
