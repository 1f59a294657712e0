/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "job_report.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "js1.h"
#include "number.h"

#define SACCT_TIMEOUT_MS 20000U
#define PATH_SIZE 4096

int job_report_is_id(const char *id)
{
	unsigned long number;
	char copy[32], *mark;

	if (strlen(id) >= sizeof(copy))
		return 0;
	strcpy(copy, id);
	mark = strpbrk(copy, "_+");
	if (mark) {
		*mark++ = 0;
		if (number_parse(mark, 0, UINT32_MAX, &number, NULL) < 0)
			return 0;
	}
	return number_parse(copy, 1, UINT32_MAX, &number, NULL) == 0;
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
	r->id = strdup(id);
	if (!r->id) {
		free(r);
		return NULL;
	}
	return r;
}

/* ---- the ledger ---------------------------------------------------------- */

static int64_t get_number(struct json_object *top, const char *key)
{
	struct json_object *value;

	if (json_object_object_get_ex(top, key, &value) &&
	    json_object_is_type(value, json_type_int))
		return json_object_get_int64(value);
	return RECORD_UNKNOWN;
}

static const char *get_text(struct json_object *top, const char *key)
{
	struct json_object *value;

	if (json_object_object_get_ex(top, key, &value) &&
	    json_object_is_type(value, json_type_string))
		return json_object_get_string(value);
	return NULL;
}

static int take_records(struct job_report *r, struct json_object *top)
{
	struct json_object *list;
	size_t i, count;

	if (!json_object_object_get_ex(top, "records", &list) ||
	    !json_object_is_type(list, json_type_array))
		return 0;
	count = json_object_array_length(list);
	r->records = calloc(count + 1, sizeof(*r->records));
	if (!r->records)
		return -1;
	for (i = 0; i < count; i++) {
		const char *text = json_object_to_json_string_ext(
			json_object_array_get_idx(list, i),
			JSON_C_TO_STRING_PLAIN);
		struct record *record =
			text ? record_parse(text, strlen(text), NULL) : NULL;

		if (record)
			r->records[r->record_count++] = record;
		else
			r->left_out++; /* of a later version */
	}
	return 0;
}

static int copy(char **out, const char *text)
{
	*out = text ? strdup(text) : NULL;
	return text && !*out ? -1 : 0;
}

/* Exact numbers where the summary has three digits. */
static void take_totals(struct job_report *r, struct json_object *top)
{
	struct json_object *totals;

	if (!json_object_object_get_ex(top, "totals", &totals))
		return;
	r->summary.rd_bytes = get_number(totals, "read_bytes");
	r->summary.rd_calls = get_number(totals, "read_calls");
	r->summary.wr_bytes = get_number(totals, "write_bytes");
	r->summary.wr_calls = get_number(totals, "write_calls");
}

static int take_answer(struct job_report *r, struct json_object *top,
		       struct err *err)
{
	struct json_object *runs;
	int64_t left = get_number(top, "records_left_out");

	r->job = (uint32_t)get_number(top, "job");
	r->restart = get_number(top, "restart");
	r->left_out = left > 0 ? left : 0;
	if (json_object_object_get_ex(top, "runs", &runs) &&
	    json_object_is_type(runs, json_type_array))
		r->runs = (int64_t)json_object_array_length(runs);
	if (copy(&r->cluster, get_text(top, "cluster")) < 0 ||
	    copy(&r->state, get_text(top, "state")) < 0 ||
	    copy(&r->error, get_text(top, "error")) < 0 ||
	    copy(&r->summary_text, get_text(top, "summary")) < 0 ||
	    copy(&r->json,
		 json_object_to_json_string_ext(
			 top, JSON_C_TO_STRING_PLAIN |
				      JSON_C_TO_STRING_NOSLASHESCAPE)) < 0 ||
	    take_records(r, top) < 0)
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
	struct json_object *top = json_tokener_parse(text), *ok;
	struct job_report *r = NULL;

	if (!json_object_object_get_ex(top, "ok", &ok) ||
	    !json_object_get_boolean(ok)) {
		err_set(err, "ledger: %s",
			get_text(top, "error") ? get_text(top, "error")
					       : "the answer has no meaning");
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

static struct job_report *ask_ledger(struct job_source *source, const char *id,
				     int64_t restart, struct err *err)
{
	struct job_report *r = NULL;
	char request[128], run[40] = "", *answer = NULL;

	if (source->is_down) {
		*err = source->why_down;
		return NULL;
	}
	if (restart >= 0)
		snprintf(run, sizeof(run), ",\"restart\":%lld",
			 (long long)restart);
	snprintf(request, sizeof(request), "{\"op\":\"get\",\"job\":\"%s\"%s}",
		 id, run);
	if (!source->link)
		source->link = ledger_link_open(&source->config->ledger, err);
	if (!source->link ||
	    ledger_link_call(source->link, request, &answer, err) < 0) {
		source->is_down = 1;
		source->why_down = *err;
		return NULL;
	}
	r = read_answer(id, answer, err);
	free(answer);
	return r;
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

/* The first field that is a summary of ours, "jobio/1 ...", or a JS1 that holds
 * one (js1.h). Neither has '|', which sacct puts between fields. */
static int find_summary(char *text, char *summary, size_t room)
{
	char *field, *rest = NULL;

	for (field = strtok_r(text, "|\n", &rest); field;
	     field = strtok_r(NULL, "|\n", &rest)) {
		if (js1_find(field, summary, room))
			return 1;
		if (!strncmp(field, "jobio/1 ", 8) && strlen(field) < room) {
			strcpy(summary, field);
			return 1;
		}
	}
	return 0;
}

static struct job_report *from_sacct(const char *id, char *out, struct err *err)
{
	char text[SUMMARY_MAX];
	struct job_report *r;

	if (!find_summary(out, text, sizeof(text))) {
		err_set(err, "sacct: SystemComment has no summary of jobio");
		return NULL;
	}
	r = new_report(id, "sacct");
	if (!r || copy(&r->summary_text, text) < 0) {
		err_set(err, "out of memory");
	} else if (summary_parse(text, &r->summary, err) == 0) {
		return r;
	}
	job_report_free(r);
	return NULL;
}

static struct job_report *ask_sacct(const char *id, struct err *err)
{
	char path[PATH_SIZE], conf[PATH_SIZE], *env[] = { conf, NULL };
	char *argv[] = { path,	       (char *)"-n",
			 (char *)"-X", (char *)"-P",
			 (char *)"-j", (char *)id,
			 (char *)"-o", (char *)"SystemComment,AdminComment",
			 NULL };
	const char *slurm_conf = getenv("SLURM_CONF");
	struct child_result result = { 0 };
	struct job_report *r = NULL;

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
		r = from_sacct(id, result.out, err);
	}
	child_result_free(&result);
	return r;
}

struct job_report *job_report_get(struct job_source *source, const char *id,
				  int64_t restart, struct err *err)
{
	struct err first = { "" }, second = { "" };
	struct job_report *r = ask_ledger(source, id, restart, &first);

	if (!r && restart < 0) {
		r = ask_sacct(id, &second);
		if (r)
			snprintf(r->why_not_ledger, sizeof(r->why_not_ledger),
				 "%s", first.text);
	}
	if (!r)
		err_set(err, "job: '%s': %s%s%s", id, first.text,
			*second.text ? "; " : "", second.text);
	return r;
}
