/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/service.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "ledger/merge.h"
#include "ledger/site.h"
#include "link/ledger_link.h"
#include "record/alloc.h"
#include "record/json.h"
#include "record/record.h"

#define DEPTH_MAX 16
#define RUNS_MAX 64
#define FAMILY_MAX 1000 /* tasks of an array in one reply */
#define MERGE_MAX 2048	/* nodes: 0.1 s */
#define LIST_JOBS_MAX 1000
#define LIST_NODES_MAX 64
#define LIST_RUN_MAX (64U * 1024) /* of records, or the text, of one run */
/* Records in one reply; the rest of the frame is for the head. */
#define RECORDS_BYTES_MAX (LEDGER_PAYLOAD_MAX - 200U * 1024)

/* Above this another run would not fit. */
#define LIST_BYTES_MAX (LEDGER_PAYLOAD_MAX - 2 * LIST_RUN_MAX - 16U * 1024)

/* ---- answers ------------------------------------------------------------- */

char *service_error(const char *sentence, bool is_bad_record)
{
	struct json *top = json_new_object();

	json_add_bool(top, "ok", false);
	json_add_text(top, "error", sentence);
	if (is_bad_record)
		json_add_bool(top, "bad_record", true);
	return json_line_free(top);
}

static struct json *ok_reply(void)
{
	struct json *top = json_new_object();

	json_add_bool(top, "ok", true);
	return top;
}

static void count_refused(struct service *service, enum metrics_refused why)
{
	metrics_count(&service->metrics->refused[why]);
}

/* ---- put ----------------------------------------------------------------- */

static int begin(struct service *service, struct err *err)
{
	if (!service->in_batch && store_begin(service->store, err) < 0) {
		metrics_count(&service->metrics->store_failures);
		if (!service->is_store_down)
			snprintf(service->log_text, sizeof(service->log_text), "%s", err->text);
		service->is_store_down = true;
		return -1;
	}
	if (service->is_store_down)
		snprintf(service->log_text, sizeof(service->log_text), "store: works again");
	service->is_store_down = false;
	service->in_batch = true;
	return 0;
}

/* Store a record as received. */
static int add_record(struct service *service, const struct record *record, const char *text,
		      size_t size, int64_t now_s, struct err *err)
{
	int64_t due;
	int rc;

	if (begin(service, err) < 0)
		return -1;
	rc = store_put(service->store, record, text, size, now_s, service->config->grace_s, &due,
		       err);
	if (rc > 0) {
		metrics_count(&service->metrics->received);
		metrics_add(&service->metrics->gate_warned, record->gate_warned);
		metrics_add(&service->metrics->gate_refused, record->gate_refused);
		if (due <= now_s)
			service->has_due_runs = true;
	} else if (rc == 0) {
		metrics_count(&service->metrics->duplicates);
	}
	return rc < 0 ? -1 : 0;
}

static int put(struct service *service, const char *text, const struct json *request, uid_t uid,
	       int64_t now_s, char **answer)
{
	const struct json *object = json_map(request, "record");
	struct record *record;
	struct err err = { "" };
	int rc;

	if (uid != 0 && uid != service->ledger_uid) {
		count_refused(service, METRICS_REFUSED_USER);
		*answer = service_error("put: only root may put records", false);
		return 0;
	}
	if (!object) {
		count_refused(service, METRICS_REFUSED_RECORD);
		*answer = service_error("put: record: must be an object", true);
		return 0;
	}
	record = record_read(object, text, &err);
	if (!record) {
		count_refused(service, METRICS_REFUSED_RECORD);
		*answer = service_error(err.text, true);
		return 0;
	}
	rc = add_record(service, record, text + object->list.at, object->list.size, now_s, &err);
	record_free(record);
	if (rc < 0) {
		*answer = service_error(err.text, false);
		return service->in_batch ? -1 : 0;
	}
	*answer = xstrdup("{\"ok\":true}");
	return 1;
}

/* ---- get ----------------------------------------------------------------- */

/* Records are stored as JSON: they are copied one after the other. */
struct collector {
	FILE *out;
	size_t bytes, bytes_max; /* of the records */
	int64_t omitted;	 /* number that did not fit */
};

static int collect(const char *text, size_t size, void *arg, struct err *err)
{
	struct collector *c = arg;

	(void)err;
	if (c->omitted || c->bytes + size > c->bytes_max) {
		c->omitted++;
		return 0;
	}
	if (c->bytes)
		fputc(',', c->out);
	c->bytes += size;
	fwrite(text, size, 1, c->out);
	return 0;
}

/* Merge the records again if what is stored is out of date; else load the text if it is requested.
 * Jobs of more nodes than this are left out, without brief and text: they would delay other
 * requests. */
static int refresh(struct service *service, struct store_row *row, int64_t nodes_max, bool has_text,
		   struct err *err)
{
	struct run *run;
	struct err why;

	if (row->dirty != STORE_DIRTY)
		return has_text ? store_load_text(service->store, row, err) : 0;
	if (row->run.nodes_seen > nodes_max) {
		free(row->brief);
		row->brief = NULL;
		return 0;
	}
	run = merge_load(service->store, row->id, &why, err);
	if (!run)
		return -1;
	merge_describe(run, service->advice, row, NULL);
	run_free(run);
	return 0;
}

static void describe(struct json *o, const struct store_row *row)
{
	const struct run_key *key = &row->run.key;

	json_add_text(o, "cluster", key->cluster);
	json_add_known(o, "job", key->job);
	json_add_known(o, "restart", key->restart);
	json_add_known(o, "array_job", key->array_job);
	json_add_known(o, "array_task", key->array_task);
	json_add_known(o, "het_job", key->het_job);
	json_add_known(o, "het_offset", key->het_offset);
	json_add_known(o, "nodes_seen", row->run.nodes_seen);
	json_add_known(o, "nodes_expected", row->run.nodes_expected);
	json_add_text(o, "state",
		      row->dirty != STORE_DIRTY ? "written"
		      : row->written		? "changed"
		      : row->tries		? "retrying"
						: "waiting");
	json_add_text(o, "error", row->error);
	json_add_text(o, "summary", row->summary);
}

/* Write a tree without its last brace, and free it. */
static void write_open(FILE *out, struct json *top)
{
	char *text = json_line_free(top);

	fwrite(text, 1, strlen(text) - 1, out);
	free(text);
}

/* Write the head of an answer with records, without its last brace. */
static void write_head(FILE *out, const struct store_row *row, struct json *top)
{
	static const char *const members[] = { "totals", "judged" };
	struct json *brief = row->brief ? json_parse(row->brief) : NULL, *one;
	size_t i;

	for (i = 0; i < sizeof(members) / sizeof(*members); i++) {
		one = json_member(brief, members[i]);
		if (one)
			json_add_copy(top, members[i], one);
	}
	json_free(brief);
	write_open(out, top);
}

/* Write the same with brief, if there is one. */
static void write_brief(FILE *out, const struct store_row *row, struct json *top)
{
	write_open(out, top);
	json_write_members(out, row->brief ? row->brief : "{}");
}

/* User, and cluster of the requested jobs (NULL: any). */
struct requester {
	uid_t uid;
	const char *cluster;
};

static bool may_read(const struct service *service, const struct store_row *row,
		     const struct requester *requester)
{
	const struct run_key *key = &row->run.key;

	if (requester->cluster && strcasecmp(requester->cluster, key->cluster) != 0)
		return false;
	return requester->uid == 0 || requester->uid == service->ledger_uid ||
	       requester->uid == key->uid;
}

/* "7", "5_1" or "7+1" */
static int parse_job(const char *text, struct store_selector *selector, struct err *err)
{
	char copy[32];
	unsigned long number;
	char *mark;

	if (strlen(text) >= sizeof(copy))
		return err_set(err, "job: '%.40s': not a job id", text);
	strcpy(copy, text);
	mark = strpbrk(copy, "_+");
	selector->kind = !mark ? STORE_JOB : *mark == '_' ? STORE_ARRAY_TASK : STORE_HET_COMPONENT;
	selector->component = RECORD_UNKNOWN;
	if (mark) {
		*mark++ = 0;
		if (number_parse(mark, 0, UINT32_MAX, &number, NULL) < 0)
			return err_set(err, "job: '%s': not a job id", text);
		selector->component = (int64_t)number;
	}
	if (number_parse(copy, 1, UINT32_MAX, &number, NULL) < 0)
		return err_set(err, "job: '%s': not a job id", text);
	selector->job = (uint32_t)number;
	return 0;
}

/* Add the summary of each run that this user may see. *row is the newest of them, or the one asked
 * for. Return 1, 0 if there is none, -1 if the store failed. */
static int list_runs(struct service *service, const int64_t *ids, int count, int64_t restart,
		     const struct requester *requester, struct json *runs, struct store_row *row,
		     struct err *err)
{
	struct store_row one;
	int i, found = 0, failed = 0;

	for (i = 0; i < count; i++) {
		if (store_load(service->store, ids[i], &one, err) < 0) {
			failed = -1;
			continue;
		}
		if (!may_read(service, &one, requester)) {
			store_row_clear(&one);
			continue;
		}
		describe(json_append_object(runs), &one);
		if (!found && (restart < 0 || restart == one.run.key.restart)) {
			*row = one;
			found = 1;
		} else {
			store_row_clear(&one);
		}
	}
	return found ? 1 : failed;
}

/* What to return of a run. */
struct run_query {
	enum {
		RUN_RECORDS,
		RUN_MERGED, /* brief and text if possible, else records */
		RUN_BRIEF   /* brief only */
	} form;
	int64_t restart;   /* RECORD_UNKNOWN: the newest */
	const char *after; /* NULL: all; else only the records of later nodes */
	int64_t merge_max; /* nodes */
	int64_t nodes_max; /* of more no records */
	size_t bytes_max;  /* of records, or the text */
};

static int put_records(struct service *service, const struct store_row *row,
		       const struct run_query *query, FILE *out, struct err *err)
{
	struct collector c = { .out = out, .bytes_max = query->bytes_max };
	int rc = 0;

	fputs(",\"records\":[", out);
	if (row->run.nodes_seen > query->nodes_max)
		c.omitted = row->run.nodes_seen;
	else
		rc = store_records_after(service->store, row->id, query->after ? query->after : "",
					 collect, &c, err);
	fprintf(out, "],\"records_left_out\":%" PRId64, c.omitted);
	return rc < 0 ? -1 : 0;
}

/* Write a run without its last brace: 'top' and what is requested. */
static int write_run(struct service *service, struct store_row *row, const struct run_query *query,
		     struct json *top, FILE *out, struct err *err)
{
	int rc = refresh(service, row, query->merge_max, query->form == RUN_MERGED, err);

	describe(top, row);
	if (query->form == RUN_BRIEF && !row->brief)
		json_add_number(top, "left_out", row->run.nodes_seen);
	if (query->form == RUN_BRIEF) {
		write_brief(out, row, top);
	} else if (query->form == RUN_MERGED && row->brief && row->text &&
		   strlen(row->text) <= query->bytes_max) {
		write_brief(out, row, top);
		json_write_members(out, row->text);
	} else {
		write_head(out, row, top);
		rc = rc < 0 ? rc : put_records(service, row, query, out, err);
	}
	return rc;
}

/* Return the run, or the records of later nodes. NULL: the store failed. */
static char *whole_run(struct service *service, struct store_row *row,
		       const struct run_query *query, const struct json *runs, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = xneed(open_memstream(&text, &size));
	int rc;

	if (query->after) {
		fputs("{\"ok\":true", out);
		rc = put_records(service, row, query, out, err);
	} else {
		rc = write_run(service, row, query, ok_reply(), out, err);
		fprintf(out, ",\"runs\":%s", json_line(runs));
	}
	fputc('}', out);
	fclose(out);
	xneed(text);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

/* Return the newest run, or the one asked for, with its records, and summaries of the others. NULL:
 * no run that this user may see, or the reason in *err. */
static char *get_run(struct service *service, const int64_t *ids, int count,
		     const struct run_query *query, const struct requester *requester,
		     struct err *err)
{
	struct json *top = json_new_object(), *runs = json_add_list(top, "runs");
	struct store_row row = { 0 };
	char *answer = NULL;
	int found;

	found = list_runs(service, ids, count, query->restart, requester, runs, &row, err);
	if (!found)
		*err->text = 0;
	if (found > 0)
		answer = whole_run(service, &row, query, runs, err);
	store_row_clear(&row);
	json_free(top);
	return answer;
}

static char *get(struct service *service, struct json *request, const struct requester *requester)
{
	struct store_selector selector = { .cluster = requester->cluster };
	int64_t ids[RUNS_MAX];
	const char *job = json_text(request, "job"), *form = json_text(request, "form");
	char sentence[100], job_text[40], *answer;
	struct err err = { "" };
	struct run_query query = { .merge_max = MERGE_MAX,
				   .nodes_max = INT64_MAX,
				   .bytes_max = RECORDS_BYTES_MAX };
	int count;

	if (!job)
		return service_error("get: job: must be a text", false);
	snprintf(job_text, sizeof(job_text), "%s", job);
	if (parse_job(job_text, &selector, &err) < 0)
		return service_error(err.text, false);
	count = store_find(service->store, &selector, ids, RUNS_MAX, &err);
	if (count < 0)
		return service_error(err.text, false);
	query.restart = json_number(request, "restart");
	query.after = json_text(request, "after");
	query.form = form && strcmp(form, "full") != 0 ? RUN_MERGED : RUN_RECORDS;
	answer = get_run(service, ids, count, &query, requester, &err);
	if (answer)
		return answer;
	if (*err.text)
		return service_error(err.text, false);
	snprintf(sentence, sizeof(sentence), "job '%s': no record that you may read", job_text);
	return service_error(sentence, false);
}

/* ---- family -------------------------------------------------------------- */

/* Tasks of the same number, of several clusters or users, are adjacent. */
static void add_once(struct json *list, const char *text)
{
	const char *last = json_value_text(list->list.last);

	if (!last || strcmp(last, text) != 0)
		json_append_text(list, text);
}

/* List the tasks of an array, or the components of a het job, that this user may see, as job IDs:
 * "5_1", "7+1". */
static int list_family(struct service *service, enum store_job_kind kind, uint32_t job,
		       const struct requester *requester, struct json *list, struct err *err)
{
	const struct store_selector selector = { kind, job, RECORD_UNKNOWN, requester->cluster };
	int64_t *ids = xcalloc(FAMILY_MAX, sizeof(*ids));
	struct store_row row;
	char text[40];
	int i, count;

	count = store_find(service->store, &selector, ids, FAMILY_MAX, err);
	for (i = 0; i < count; i++) {
		if (store_load(service->store, ids[i], &row, err) < 0)
			continue;
		snprintf(text, sizeof(text), "%" PRIu32 "%c%" PRId64, job,
			 kind == STORE_ARRAY_TASK ? '_' : '+',
			 kind == STORE_ARRAY_TASK ? row.run.key.array_task
						  : row.run.key.het_offset);
		if (may_read(service, &row, requester))
			add_once(list, text);
		store_row_clear(&row);
	}
	free(ids);
	return count < 0 ? -1 : 0;
}

static char *family(struct service *service, struct json *request,
		    const struct requester *requester)
{
	const char *text = json_text(request, "job");
	struct json *top, *list;
	unsigned long job;
	struct err err = { "" };

	if (!text || number_parse(text, 1, UINT32_MAX, &job, NULL) < 0)
		return service_error("family: job: must be a job id", false);
	top = ok_reply();
	list = json_add_list(top, "family");
	if (list_family(service, STORE_ARRAY_TASK, (uint32_t)job, requester, list, &err) < 0 ||
	    (!list->list.count &&
	     list_family(service, STORE_HET_COMPONENT, (uint32_t)job, requester, list, &err) < 0)) {
		json_free(top);
		return service_error(err.text, false);
	}
	return json_line_free(top);
}

/* ---- list ---------------------------------------------------------------- */

/* Write the newest run that this user may see, and set *between. Return 0 also if there is none. */
static int list_job(struct service *service, const struct run_query *query, uint32_t job,
		    const struct requester *requester, FILE *out, const char **between,
		    struct err *err)
{
	const struct store_selector selector = { STORE_JOB, job, RECORD_UNKNOWN,
						 requester->cluster };
	int64_t ids[RUNS_MAX];
	struct store_row row;
	bool is_found = false;
	int i, rc = 0, count = store_find(service->store, &selector, ids, RUNS_MAX, err);

	for (i = 0; i < count && !is_found; i++) {
		if (store_load(service->store, ids[i], &row, err) < 0) {
			rc = -1;
			continue;
		}
		is_found = may_read(service, &row, requester);
		if (is_found) {
			fputs(*between, out);
			*between = ",";
			rc = write_run(service, &row, query, json_new_object(), out, err);
			fputc('}', out);
		}
		store_row_clear(&row);
	}
	return count < 0 ? -1 : rc;
}

static int list_form(const struct json *request)
{
	const char *form = json_text(request, "form");

	if (form && !strcmp(form, "slim"))
		return RUN_MERGED;
	return json_is_true(request, "brief") ? RUN_BRIEF : RUN_RECORDS;
}

/* Return as many of the jobs as fit; "done" is their number, from the first. */
static char *list(struct service *service, struct json *request, const struct requester *requester)
{
	const struct json *jobs = json_list(request, "jobs"), *one = json_first(jobs);
	const struct run_query query = { .form = list_form(request),
					 .merge_max = LIST_NODES_MAX,
					 .nodes_max = LIST_NODES_MAX,
					 .bytes_max = LIST_RUN_MAX };
	const char *between = "";
	size_t done = 0, size = 0;
	char *answer = NULL;
	struct err err = { "" };
	int64_t job;
	FILE *out;
	int rc = 0;

	if (!jobs || jobs->list.count > LIST_JOBS_MAX)
		return service_error("list: jobs: must be a list of at most 1000 job ids", false);
	out = xneed(open_memstream(&answer, &size));
	fputs("{\"ok\":true,\"runs\":[", out);
	for (; one && rc == 0 && size < LIST_BYTES_MAX; one = one->next, done++) {
		if (json_value_number(one, &job) && job > 0 && job <= UINT32_MAX)
			rc = list_job(service, &query, (uint32_t)job, requester, out, &between,
				      &err);
		fflush(out); /* sets size */
	}
	fprintf(out, "],\"done\":%zu}", done);
	fclose(out);
	xneed(answer);
	if (rc == 0)
		return answer;
	free(answer);
	return service_error(err.text, false);
}

/* ---- site ---------------------------------------------------------------- */

/* Root, the ledger's own user, and operators in slurmdbd. */
static bool is_operator(const struct service *service, uid_t uid)
{
	const struct metrics *metrics = service->metrics;
	uint64_t i, count = __atomic_load_n(&metrics->operator_count, __ATOMIC_RELAXED);

	if (uid == 0 || uid == service->ledger_uid)
		return true;
	for (i = 0; i < count && i < METRICS_OPERATORS_MAX; i++)
		if (metrics->operators[i] == uid)
			return true;
	return false;
}

static char *site(struct service *service, struct json *request, uid_t uid)
{
	struct err err;
	char *answer;

	if (is_operator(service, uid)) {
		answer = site_answer(service->store, request, &err);
		return answer ? answer : service_error(err.text, false);
	}
	count_refused(service, METRICS_REFUSED_USER);
	return service_error("site: for root, SlurmUser and operators of Slurm only", false);
}

/* ---- all ----------------------------------------------------------------- */

/* Return the clock that records are judged by: `jobio check` compares it. */
static char *ping(int64_t now_s)
{
	struct json *top = ok_reply();

	json_add_text(top, "version", JOBIO_PACKAGE_VERSION);
	json_add_number(top, "time", now_s);
	return json_line_free(top);
}

int service_handle(struct service *service, const char *request, size_t size, uid_t uid,
		   int64_t now_s, char **answer)
{
	struct json *top =
		size > LEDGER_PAYLOAD_MAX ? NULL : json_read(request, size, DEPTH_MAX, NULL);
	const struct requester requester = { uid, json_text(top, "cluster") };
	const char *name = json_text(top, "op");
	int rc = 0;

	name = name ? name : "";
	if (!json_is(top, JSON_OBJECT)) {
		count_refused(service, METRICS_REFUSED_REQUEST);
		*answer = service_error("the request is not a JSON object", false);
	} else if (!strcmp(name, "put")) {
		rc = put(service, request, top, uid, now_s, answer);
	} else if (!strcmp(name, "get")) {
		*answer = get(service, top, &requester);
	} else if (!strcmp(name, "family")) {
		*answer = family(service, top, &requester);
	} else if (!strcmp(name, "list")) {
		*answer = list(service, top, &requester);
	} else if (!strcmp(name, "site")) {
		*answer = site(service, top, uid);
	} else if (!strcmp(name, "ping")) {
		*answer = ping(now_s);
	} else {
		count_refused(service, METRICS_REFUSED_REQUEST);
		*answer = service_error("op: must be put, get, list, family, site or ping", 0);
	}
	json_free(top);
	return rc;
}

int service_commit(struct service *service, struct err *err)
{
	int rc;

	if (!service->in_batch)
		return 0;
	service->in_batch = false;
	rc = store_commit(service->store, err);
	if (rc < 0) {
		metrics_count(&service->metrics->store_failures);
		store_rollback(service->store);
		return -1;
	}
	if (rc > 0)
		service->has_due_runs = true;
	return 0;
}

void service_abort(struct service *service)
{
	metrics_count(&service->metrics->store_failures);
	if (service->in_batch)
		store_rollback(service->store);
	service->in_batch = false;
}
