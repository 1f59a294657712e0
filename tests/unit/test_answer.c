/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reports make of a ledger's answers, whatever it answers. With a ledger:
 * report.bats. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/ledger_link.h"
#include "report/job_report.h"
#include "report/job_row.h"
#include "report/job_source.h"
#include "tests/unit/runner.h"

#define SUMMARY                                                                \
	"jobio/1 rd=1KiB/1 wr=2KiB/- nodes=1/2 cores=1 cpus=1 prof=stream "    \
	"fs=/a:t scope=job src=stepd q=-"

static const char *answers[8]; /* in their order; NULL: the ledger is away */
static char *asked[8];
static size_t calls;
static struct job_source source;
static struct sacct_row row[4];
static struct sacct_rows rows = { .row = row };
static struct err err;

/* reports that nobody has freed, and how many there may be */
static size_t made, made_max = 2000;

struct job_report *__real_job_report_new(const char *id, const char *from);
struct job_report *__wrap_job_report_new(const char *id, const char *from)
{
	if (made == made_max)
		return NULL;
	made++;
	return __real_job_report_new(id, from);
}

void __real_job_report_free(struct job_report *report);
void __wrap_job_report_free(struct job_report *report)
{
	made -= report != NULL;
	__real_job_report_free(report);
}

/* In its place: a ledger that answers what a test has for it. */
char *__wrap_job_source_call(struct job_source *from, const char *request,
			     struct err *why)
{
	const char *answer;

	ck_assert_ptr_eq(from->slurm, source.slurm);
	ck_assert_uint_lt(calls, 8);
	asked[calls] = strdup(request);
	answer = answers[calls++];
	if (!answer)
		err_set(why, "the ledger is away");
	return answer ? strdup(answer) : NULL;
}

const char *__wrap_job_source_cluster(struct job_source *from)
{
	return from->slurm ? "c" : NULL;
}

static void begin(const char *answer)
{
	while (calls)
		free(asked[--calls]);
	memset(answers, 0, sizeof(answers));
	answers[0] = answer;
	err.text[0] = '\0';
}

static struct sacct_row a_row(const char *id, const char *raw_id)
{
	return (struct sacct_row){ .id = id,
				   .raw_id = raw_id,
				   .cluster = "c",
				   .user = "alice",
				   .account = "",
				   .partition = "",
				   .name = "",
				   .state = "COMPLETED",
				   .start = 1000,
				   .end = 2000,
				   .elapsed_s = 1000,
				   .nodes = 1 };
}

/* Without a summary in sacct: what is shown is the ledger's. */
static void knows(const char *id, const char *raw_id)
{
	row[0] = a_row(id, raw_id);
	rows.count = 1;
	source.slurm = &rows;
}

#define RECORD(node, bytes)                                                    \
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"" node            \
	"\",\"uid\":1,\"start\":1000,\"end\":2000,\"app\":[{\"scope\":"        \
	"\"job\",\"source\":\"bpf\",\"read_bytes\":" bytes                     \
	",\"read_calls\":3,\"write_bytes\":5,\"write_calls\":6}]}"
#define HEAD(more)                                                             \
	"\"job\":7,\"restart\":2,\"cluster\":\"c\",\"state\":\"written\","     \
	"\"error\":null,\"summary\":\"" SUMMARY "\"" more
#define ANSWER(more) "{\"ok\":true," HEAD(more) "}"

static struct job_report *get(const char *answer)
{
	struct job_report *r;

	begin(answer);
	r = job_report_get(&source, "7", RECORD_UNKNOWN, &err);
	ck_assert_msg(r != NULL, "%s", err.text);
	return r;
}

/* Nothing is known, for this reason. */
static void refuse(const char *answer, const char *why)
{
	begin(answer);
	ck_assert_ptr_null(job_report_get(&source, "7", RECORD_UNKNOWN, &err));
	ck_assert_str_eq(err.text, why);
}

/* ---- one job --------------------------------------------------------------------- */

START_TEST(a_job_is_what_its_ledger_says)
{
	struct job_report *r;

	knows("7", "7");
	r = get(ANSWER(",\"array_job\":5,\"array_task\":0,\"het_job\":null,"
		       "\"het_offset\":null,\"runs\":[{\"restart\":3},"
		       "{\"restart\":2}],\"totals\":{\"read_bytes\":1025,"
		       "\"read_calls\":2,\"write_bytes\":2049,"
		       "\"write_calls\":4},\"records\":[" RECORD(
			       "c1", "1") "," RECORD("c2", "2") "],"
								"\"records_"
								"left_out\":"
								"0"));
	ck_assert_str_eq(asked[0],
			 "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"c\"}");
	ck_assert_uint_eq(calls, 1);
	ck_assert_str_eq(r->source, "ledger");
	ck_assert_str_eq(r->id, "7");
	ck_assert_uint_eq(r->job, 7);
	ck_assert_int_eq(r->restart, 2);
	ck_assert_int_eq(r->newest, 3);
	ck_assert_int_eq(r->runs, 2);
	ck_assert_int_eq(r->array_job, 5);
	ck_assert_int_eq(r->array_task, 0);
	ck_assert_int_lt(r->het_job, 0);
	ck_assert_int_eq(r->left_out, 0);
	ck_assert_str_eq(r->cluster, "c");
	ck_assert_str_eq(r->state, "written");
	ck_assert_ptr_null(r->error);
	ck_assert_int_eq(r->summary.rd_bytes, 1025);
	ck_assert_int_eq(r->summary.rd_calls, 2);
	ck_assert_int_eq(r->summary.wr_bytes, 2049);
	ck_assert_int_eq(r->summary.wr_calls, 4);
	ck_assert_uint_eq(r->record_count, 2);
	ck_assert_str_eq(r->records[1]->node, "c2");
	ck_assert_ptr_eq(r->slurm, &row[0]);
	ck_assert_str_eq(r->json, answers[0]);
	job_report_free(r);
	/* what an older ledger does not say */
	source.slurm = NULL;
	begin(ANSWER(""));
	r = job_report_get(&source, "7", 0, &err);
	ck_assert_str_eq(asked[0],
			 "{\"op\":\"get\",\"job\":\"7\",\"restart\":0}");
	ck_assert_uint_eq(r->record_count, 0);
	ck_assert_int_eq(r->runs, 0);
	ck_assert_int_lt(r->newest, 0);
	ck_assert_int_eq(r->summary.rd_bytes, 1024);
	ck_assert_ptr_null(r->slurm);
	job_report_free(r);
	r = get(ANSWER(",\"runs\":[{\"restart\":3}],\"records\":null"));
	ck_assert_int_eq(r->newest, 3);
	ck_assert_uint_eq(r->record_count, 0);
	job_report_free(r);
	r = get(ANSWER(",\"runs\":[],\"records\":[]"));
	ck_assert_int_lt(r->newest, 0);
	ck_assert_uint_eq(r->record_count, 0);
	job_report_free(r);
}
END_TEST

/* Of a job of so many nodes, of which the answer leaves some out. */
static struct job_report *get_many_nodes(size_t nodes, int left_out)
{
	char *text = NULL;
	struct job_report *r;
	size_t size = 0, i;
	FILE *out = open_memstream(&text, &size);

	knows("7", "7");
	fputs("{\"ok\":true," HEAD(",\"records\":["), out);
	for (i = 0; i < nodes; i++)
		fprintf(out, "%s" RECORD("n%zu", "1"), i ? "," : "", i);
	fprintf(out, "],\"records_left_out\":%d}", left_out);
	ck_assert_int_eq(fclose(out), 0);
	r = get(text);
	free(text);
	return r;
}

START_TEST(all_records_of_an_answer_are_read)
{
	struct job_report *r = get_many_nodes(100, 0);
	char node[24];
	size_t i;

	ck_assert_uint_eq(r->record_count, 100);
	for (i = 0; i < r->record_count; i++) {
		snprintf(node, sizeof(node), "n%zu", i);
		ck_assert_str_eq(r->records[i]->node, node);
	}
	job_report_free(r);
}
END_TEST

START_TEST(behind_two_thousand_records_nobody_asks_for_more)
{
	struct job_report *r = get_many_nodes(2048, 5);

	ck_assert_uint_eq(calls, 1);
	ck_assert_uint_eq(r->record_count, 2048);
	ck_assert_int_eq(r->left_out, 5);
	job_report_free(r);
	r = get_many_nodes(2047, 5);
	ck_assert_uint_eq(calls, 2);
	ck_assert_int_eq(r->left_out, 5);
	job_report_free(r);
}
END_TEST

START_TEST(records_of_later_versions_are_left_out)
{
	struct job_report *r;

	knows("7", "7");
	r = get(ANSWER(",\"records\":[{\"jobio\":9}," RECORD(
		"c1", "1") ",{\"jobio\":9}],\"records_left_out\":0"));
	ck_assert_uint_eq(r->record_count, 1);
	ck_assert_int_eq(r->left_out, 2);
	ck_assert_str_eq(asked[1],
			 "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"c\","
			 "\"restart\":2,\"after\":\"c1\"}");
	job_report_free(r);
}
END_TEST

/* c1's record, with the word that so many more are there; MORE() has others. */
#define OF_MORE(count)                                                         \
	ANSWER(",\"records\":[" RECORD("c1",                                   \
				       "1") "],\"records_left_out\":" count)
#define MORE(records) "{\"ok\":true,\"job\":7,\"records\":[" records "]}"

START_TEST(records_that_are_left_out_are_asked_for)
{
	struct job_report *r;

	knows("7", "7");
	begin(OF_MORE("3"));
	answers[1] = MORE(RECORD("c2", "1") "," RECORD("c3", "1"));
	answers[2] = MORE(RECORD("c4", "1"));
	r = job_report_get(&source, "7", RECORD_UNKNOWN, &err);
	ck_assert_uint_eq(calls, 3);
	ck_assert_str_eq(asked[1],
			 "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"c\","
			 "\"restart\":2,\"after\":\"c1\"}");
	ck_assert_ptr_nonnull(strstr(asked[2], "\"after\":\"c3\"}"));
	ck_assert_uint_eq(r->record_count, 4);
	ck_assert_int_eq(r->left_out, 0);
	job_report_free(r);
	/* more came than it had said */
	begin(OF_MORE("1"));
	answers[1] = MORE(RECORD("c2", "1") "," RECORD("c3", "1"));
	r = job_report_get(&source, "7", RECORD_UNKNOWN, &err);
	ck_assert_uint_eq(calls, 2);
	ck_assert_uint_eq(r->record_count, 3);
	ck_assert_int_eq(r->left_out, 0);
	job_report_free(r);
	/* the ledger goes away, has no more, or sends the same again */
	begin(OF_MORE("3"));
	r = job_report_get(&source, "7", RECORD_UNKNOWN, &err);
	ck_assert_uint_eq(calls, 2);
	ck_assert_int_eq(r->left_out, 3);
	job_report_free(r);
	begin(OF_MORE("3"));
	answers[1] = MORE("");
	r = job_report_get(&source, "7", RECORD_UNKNOWN, &err);
	ck_assert_uint_eq(calls, 2);
	ck_assert_int_eq(r->left_out, 3);
	job_report_free(r);
	begin(OF_MORE("3"));
	answers[1] = "{\"ok\":false,\"records\":[" RECORD("c2", "1") "]}";
	r = job_report_get(&source, "7", RECORD_UNKNOWN, &err);
	ck_assert_uint_eq(calls, 2);
	ck_assert_uint_eq(r->record_count, 1);
	job_report_free(r);
	begin(ANSWER(",\"records\":[" RECORD("c1", "1") "," RECORD(
		"c2", "1") "],\"records_left_out\":3"));
	answers[1] = MORE(RECORD("c1", "1") "," RECORD("c2", "1"));
	r = job_report_get(&source, "7", RECORD_UNKNOWN, &err);
	ck_assert_uint_eq(calls, 2);
	ck_assert_uint_eq(r->record_count, 2);
	ck_assert_int_eq(r->left_out, 3);
	job_report_free(r);
}
END_TEST

START_TEST(an_answer_without_meaning_is_told_with_what_sacct_says)
{
	source.slurm = NULL;
	strcpy(source.why_no_slurm.text, "no sacct");
	refuse(NULL, "job: '7': the ledger is away; no sacct");
	refuse("", "job: '7': ledger: the answer has no meaning; no sacct");
	refuse("{\"ok\":true,\"records\":[{}",
	       "job: '7': ledger: the answer has no meaning; no sacct");
	refuse("{\"ok\":false,\"error\":\"no record\"}",
	       "job: '7': ledger: no record; no sacct");
	refuse("{\"ok\":true,\"job\":7}",
	       "job: '7': ledger: it has no summary; no sacct");
	refuse("{\"ok\":true,\"job\":7,\"summary\":\"x\"}",
	       "job: '7': summary: 'x': not a jobio/1 summary; no sacct");
	knows("7", "7");
	refuse("", "job: '7': ledger: the answer has no meaning; sacct: the "
		   "job is COMPLETED and has no summary: jobio was not at "
		   "work, or its nodes have not reported yet");
	row[0].state = "RUNNING";
	refuse("", "job: '7': the job is RUNNING; what it read and wrote is "
		   "known when it has ended");
	/* of a run with a number sacct knows nothing */
	begin("");
	ck_assert_ptr_null(job_report_get(&source, "7", 0, &err));
	ck_assert_str_eq(err.text,
			 "job: '7': ledger: the answer has no meaning");
	knows("8", "8");
	refuse(NULL, "job: '7': the ledger is away; sacct: no such job that "
		     "you may see");
}
END_TEST

START_TEST(without_its_ledger_a_job_is_its_row)
{
	struct job_report *r;

	knows("5_1", "7");
	row[0].summary = (char *)SUMMARY;
	r = get(NULL);
	ck_assert_str_eq(r->source, "sacct");
	ck_assert_str_eq(r->why_not_ledger, "the ledger is away");
	ck_assert_str_eq(r->summary_text, SUMMARY);
	ck_assert_str_eq(r->cluster, "c");
	ck_assert_ptr_eq(r->slurm, &row[0]);
	ck_assert_int_eq(r->array_job, 5);
	ck_assert_int_eq(r->array_task, 1);
	job_report_free(r);
	/* the first job of a cluster, too */
	row[0].id = "1+0";
	begin(NULL);
	r = job_report_get(&source, "1+0", RECORD_UNKNOWN, &err);
	ck_assert_int_eq(r->het_job, 1);
	ck_assert_int_eq(r->het_offset, 0);
	job_report_free(r);
}
END_TEST

/* ---- families ---------------------------------------------------------------------- */

START_TEST(the_tasks_of_an_array_are_those_that_have_an_id)
{
	char ids[4][JOB_ID_SIZE];

	source.slurm = NULL;
	begin("{\"ok\":true,\"family\":[\"5_1\",\"x\",7,\"5_[2-3]\",\"5_4\"]}");
	ck_assert_uint_eq(
		job_report_family(&source, JOB_ASKED_LEDGER, "5", ids, 4), 3);
	ck_assert_str_eq(asked[0], "{\"op\":\"family\",\"job\":\"5\"}");
	ck_assert_str_eq(ids[0], "5_1");
	ck_assert_str_eq(ids[1], "7");
	ck_assert_str_eq(ids[2], "5_4");
	begin("{\"ok\":true,\"family\":[\"5_1\",\"5_2\",\"5_3\"]}");
	ck_assert_uint_eq(
		job_report_family(&source, JOB_ASKED_LEDGER, "5", ids, 2), 2);
	begin("{\"ok\":false}");
	ck_assert_uint_eq(
		job_report_family(&source, JOB_ASKED_LEDGER, "5", ids, 4), 0);
	begin(NULL);
	ck_assert_uint_eq(
		job_report_family(&source, JOB_ASKED_LEDGER, "5", ids, 4), 0);
	knows("5_1", "7");
	begin(NULL);
	ck_assert_uint_eq(
		job_report_family(&source, JOB_ASKED_SACCT, "5", ids, 4), 1);
	ck_assert_uint_eq(calls, 0);
	job_report_family(&source, JOB_ASKED_LEDGER, "5", ids, 4);
	ck_assert_str_eq(asked[0], "{\"op\":\"family\",\"job\":\"5\","
				   "\"cluster\":\"c\"}");
}
END_TEST

/* ---- many jobs ----------------------------------------------------------------------- */

#define RUN(job, records)                                                      \
	"{\"job\":" job ",\"restart\":0,\"cluster\":\"c\",\"summary\":"        \
	"\"" SUMMARY "\"" records "}"
#define RUNS(runs, done) "{\"ok\":true,\"runs\":[" runs "],\"done\":" done "}"

static struct job_report **list;

/* Of jobs 7, 8, 9_1 (10) and one without a number. */
static void list_some(void)
{
	row[0] = a_row("7", "7");
	row[1] = a_row("8", "8");
	row[2] = a_row("9_1", "10");
	row[3] = a_row("x", "x");
	rows.count = 4;
	source.slurm = &rows;
	list = job_report_list(&rows, &err);
	ck_assert_ptr_nonnull(list);
}

static void free_list(void)
{
	size_t i;

	for (i = 0; i < 4; i++)
		job_report_free(list[i]);
	free(list);
}

START_TEST(jobs_of_a_list_are_filled_page_by_page)
{
	list_some();
	begin(RUNS(RUN("7", ",\"records\":[" RECORD("c1", "70") "," RECORD(
				    "c2", "7") "]") "," RUN("10", ""),
		   "3"));
	answers[1] = RUNS("", "1");
	ck_assert_msg(job_report_fill(&source, list, 4, true, &err) == 0, "%s",
		      err.text);
	ck_assert_uint_eq(calls, 2);
	ck_assert_str_eq(asked[0],
			 "{\"op\":\"list\",\"cluster\":\"c\",\"jobs\":[7,8,10,"
			 "0],\"brief\":true}");
	ck_assert_str_eq(asked[1], "{\"op\":\"list\",\"cluster\":\"c\","
				   "\"jobs\":[0],\"brief\":true}");
	ck_assert_str_eq(list[0]->source, "ledger");
	ck_assert_str_eq(list[1]->source, "sacct");
	ck_assert_str_eq(list[2]->source, "ledger");
	ck_assert_str_eq(list[2]->id, "9_1");
	ck_assert_ptr_eq(list[2]->slurm, &row[2]);
	ck_assert_ptr_null(list[0]->json);
	/* to the last digit, where there are records */
	ck_assert_int_eq(list[0]->summary.rd_bytes, 77);
	ck_assert_int_eq(list[0]->summary.rd_calls, 6);
	ck_assert_int_eq(list[0]->summary.wr_bytes, 10);
	ck_assert_int_eq(list[0]->summary.wr_calls, 12);
	ck_assert_int_eq(list[2]->summary.rd_bytes, 1024);
	free_list();
}
END_TEST

START_TEST(a_list_that_is_not_brief_has_the_words_of_the_ledger)
{
	static const char run[] = RUN(
		"8",
		",\"records\":[" RECORD("c1", "77") "],"
						    "\"records_left_out\":1");

	list_some();
	begin(RUNS(RUN("8", ",\"records\":[" RECORD("c1", "77") "],"
								"\"records_"
								"left_out\":"
								"1"),
		   "4"));
	ck_assert_int_eq(job_report_fill(&source, list, 4, false, &err), 0);
	ck_assert_ptr_null(strstr(asked[0], "brief"));
	ck_assert_str_eq(list[1]->json, run);
	/* of a part of its records there is no sum */
	ck_assert_int_eq(list[1]->summary.rd_bytes, 1024);
	free_list();
}
END_TEST

START_TEST(a_run_before_the_one_that_slurm_speaks_of_is_not_filled_in)
{
	list_some();
	row[0].start = 5000;
	begin(RUNS(RUN("7", ",\"records\":[" RECORD("c1", "77") "]"), "4"));
	ck_assert_int_eq(job_report_fill(&source, list, 4, true, &err), 0);
	ck_assert_str_eq(list[0]->source, "sacct");
	ck_assert_uint_eq(list[0]->record_count, 0);
	free_list();
}
END_TEST

/* The ledger answers so, and the list stays as it is. */
static void refuse_list(const char *answer, const char *why)
{
	list_some();
	begin(answer);
	ck_assert_int_eq(job_report_fill(&source, list, 4, true, &err), -1);
	ck_assert_str_eq(err.text, why);
	free_list();
}

START_TEST(a_list_that_the_ledger_answers_otherwise_is_told)
{
	static const char no_meaning[] = "ledger: the answer has no meaning";

	refuse_list(NULL, "the ledger is away");
	refuse_list("", no_meaning);
	refuse_list("{\"ok\":true}", no_meaning);
	refuse_list("{\"ok\":false,\"error\":\"too many\"}",
		    "ledger: too many");
	refuse_list(RUNS("", "0"), no_meaning);
	refuse_list(RUNS("", "5"), no_meaning);
	refuse_list(RUNS("", "x"), no_meaning);
	refuse_list("{\"ok\":true,\"runs\":[]}", no_meaning);
	refuse_list(RUNS(RUN("11", ""), "4"), "ledger: it speaks of job 11");
	refuse_list(RUNS(RUN("8", "") "," RUN("7", ""), "4"),
		    "ledger: it speaks of job 7"); /* in their order */
	refuse_list(RUNS("{\"job\":7}", "4"), "ledger: it has no summary");
	refuse_list("{\"ok\":true,\"runs\":[{\"job\":7,\"records\":[{}}",
		    no_meaning);
}
END_TEST

START_TEST(a_list_of_none_asks_nobody)
{
	list_some();
	begin(NULL);
	ck_assert_int_eq(job_report_fill(&source, list, 0, true, &err), 0);
	ck_assert_uint_eq(calls, 0);
	free_list();
}
END_TEST

/* ---- many jobs, in the place of one by one ------------------------------------------ */

static struct job_report *many[5];

/* Of jobs 7, 8, 9_1, one that sacct does not know, and x. */
static int get_many(bool is_brief)
{
	static char ids[5][JOB_ID_SIZE] = { "7", "8", "9_1", "12", "x" };

	return job_report_many(&source, ids, 5, is_brief, many);
}

static void knows_many(void)
{
	list_some();
	free_list();
}

START_TEST(of_many_jobs_those_of_which_the_ledger_shows_all_are_in_their_places)
{
	knows_many();
	begin(RUNS(
		RUN("7", ",\"records\":[" RECORD("c1", "77") "]") "," RUN(
			"8",
			",\"records\":[" RECORD(
				"c1",
				"77") "],\"records_left_out\":1") "," RUN("10",
									  ""),
		"4"));
	ck_assert_int_eq(get_many(true), 0);
	ck_assert_uint_eq(calls, 1);
	ck_assert_str_eq(asked[0],
			 "{\"op\":\"list\",\"cluster\":\"c\",\"jobs\":[7,8,10,"
			 "0],\"brief\":true}");
	ck_assert_ptr_nonnull(many[0]);
	ck_assert_str_eq(many[0]->id, "7");
	ck_assert_int_eq(many[0]->summary.rd_bytes, 77);
	ck_assert_ptr_eq(many[0]->slurm, &row[0]);
	ck_assert_ptr_null(many[1]); /* a part of its records */
	ck_assert_ptr_nonnull(many[2]);
	ck_assert_str_eq(many[2]->id, "9_1");
	ck_assert_ptr_null(many[3]);
	ck_assert_ptr_null(many[4]);
	job_report_free(many[0]);
	job_report_free(many[2]);
}
END_TEST

START_TEST(where_the_ledger_is_away_each_of_many_jobs_is_asked_for_by_itself)
{
	size_t i;

	knows_many();
	begin(NULL);
	ck_assert_int_eq(get_many(false), 0);
	ck_assert_uint_eq(calls, 1);
	for (i = 0; i < 5; i++)
		ck_assert_ptr_null(many[i]);
	/* sacct knows none: nobody is asked */
	rows.count = 0;
	begin(NULL);
	ck_assert_int_eq(get_many(true), 0);
	ck_assert_uint_eq(calls, 0);
}
END_TEST

/* Any user may ask so much, and not more. */
START_TEST(a_question_about_many_jobs_is_no_longer_than_the_ledger_takes)
{
	enum {
		JOBS = 1000
	};
	static struct sacct_row long_row[JOBS];
	static char id[JOBS][JOB_ID_SIZE];
	struct job_report **long_list;
	size_t i;

	for (i = 0; i < JOBS; i++) {
		snprintf(id[i], JOB_ID_SIZE, "%zu", 1000 + i);
		long_row[i] = a_row(id[i], id[i]);
	}
	rows.row = long_row;
	rows.count = JOBS;
	source.slurm = &rows;
	long_list = job_report_list(&rows, &err);
	ck_assert_ptr_nonnull(long_list);
	begin(RUNS("", "700"));
	answers[1] = RUNS("", "300");
	ck_assert_int_eq(job_report_fill(&source, long_list, JOBS, true, &err),
			 0);
	ck_assert_uint_eq(calls, 2);
	ck_assert_uint_le(strlen(asked[0]), LEDGER_ASK_MAX);
	ck_assert_ptr_nonnull(strstr(asked[0], "[1000,"));
	ck_assert_ptr_nonnull(strstr(asked[0], ",1710,"));
	ck_assert_ptr_nonnull(strstr(asked[1], "[1700,"));
	ck_assert_ptr_nonnull(strstr(asked[1], ",1999]"));
	/* one that is a letter shorter makes them as long as may be */
	long_row[0] = a_row("100", "100");
	begin(RUNS("", "700"));
	answers[1] = RUNS("", "300");
	job_report_free(long_list[0]);
	long_list[0] = job_row_listed(&long_row[0]);
	ck_assert_int_eq(job_report_fill(&source, long_list, JOBS, true, &err),
			 0);
	ck_assert_ptr_nonnull(strstr(asked[0], "[100,1001,"));
	ck_assert_ptr_nonnull(strstr(asked[0], ",1716]"));
	for (i = 0; i < JOBS; i++)
		job_report_free(long_list[i]);
	free(long_list);
	rows.row = row;
}
END_TEST

/* Nothing of it is left, then. */
START_TEST(a_list_for_which_there_is_no_memory_is_none)
{
	row[0] = a_row("7", "7");
	row[1] = a_row("8", "8");
	row[2] = a_row("9_1", "10");
	rows.count = 3;
	begin(NULL);
	made_max = 2;
	ck_assert_ptr_null(job_report_list(&rows, &err));
	ck_assert_str_eq(err.text, "out of memory");
	ck_assert_uint_eq(made, 0);
	made_max = 3;
	err.text[0] = '\0';
	list = job_report_list(&rows, &err);
	ck_assert_ptr_nonnull(list);
	ck_assert_str_eq(err.text, "");
	ck_assert_uint_eq(made, 3);
	while (made)
		job_report_free(list[made - 1]);
	free(list);
}
END_TEST

/* As many as a family may have: the ledger answers for no more of them. */
START_TEST(a_question_is_about_a_thousand_jobs_at_most)
{
	enum {
		JOBS = 1001
	};
	static struct sacct_row short_row[JOBS];
	const char *at;
	size_t i, ids = 1;

	for (i = 0; i < JOBS; i++)
		short_row[i] = a_row("1", "1");
	rows.row = short_row;
	rows.count = JOBS;
	source.slurm = &rows;
	begin(RUNS("", "1000"));
	answers[1] = RUNS("", "1");
	list = job_report_list(&rows, &err);
	ck_assert_ptr_nonnull(list);
	ck_assert_int_eq(job_report_fill(&source, list, JOBS, true, &err), 0);
	ck_assert_uint_eq(calls, 2);
	for (at = strchr(asked[0], '['); *at != ']'; at++)
		ids += *at == ',';
	ck_assert_uint_eq(ids, 1000);
	ck_assert_ptr_nonnull(strstr(asked[1], "[1]"));
	for (i = 0; i < JOBS; i++)
		job_report_free(list[i]);
	free(list);
	ck_assert_uint_eq(made, 0);
	rows.row = row;
}
END_TEST

UNIT_MAIN("answer", a_job_is_what_its_ledger_says,
	  records_of_later_versions_are_left_out,
	  records_that_are_left_out_are_asked_for,
	  an_answer_without_meaning_is_told_with_what_sacct_says,
	  without_its_ledger_a_job_is_its_row,
	  the_tasks_of_an_array_are_those_that_have_an_id,
	  jobs_of_a_list_are_filled_page_by_page,
	  a_list_that_is_not_brief_has_the_words_of_the_ledger,
	  a_run_before_the_one_that_slurm_speaks_of_is_not_filled_in,
	  a_list_that_the_ledger_answers_otherwise_is_told,
	  a_list_of_none_asks_nobody,
	  of_many_jobs_those_of_which_the_ledger_shows_all_are_in_their_places,
	  where_the_ledger_is_away_each_of_many_jobs_is_asked_for_by_itself,
	  a_question_about_many_jobs_is_no_longer_than_the_ledger_takes,
	  all_records_of_an_answer_are_read,
	  behind_two_thousand_records_nobody_asks_for_more,
	  a_list_for_which_there_is_no_memory_is_none,
	  a_question_is_about_a_thousand_jobs_at_most)
