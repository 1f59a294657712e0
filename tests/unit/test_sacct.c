/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sacct prints, and the states and rows that reports make of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/child.h"
#include "lib/record.h"
#include "report/job_row.h"
#include "report/job_view.h"
#include "report/program.h"
#include "report/sacct.h"
#include "tests/unit/runner.h"

static struct err err;

static struct sacct_rows *parse(const char *text)
{
	return sacct_parse(strdup(text), "|", &err);
}

/* A row as sacct prints it, of these id and comments. */
#define ROW(name, system, user, id)                                                                \
	name "|" system "|" user "|physics|part|big|COMPLETED|3:9|"                                \
	     "1000|2000|1000|4|77|" id "\n"
#define SUMMARY                                                                                    \
	"jobio/1 rd=1KiB/1 wr=2KiB/- nodes=1/2 cores=1 cpus=1 prof=stream "                        \
	"fs=/a:t scope=job src=stepd q=-"

START_TEST(a_row_ends_with_the_id_of_its_job)
{
	struct sacct_rows *rows =
		parse(ROW("a", "", "alice", "7") ROW("two\nlines", "", "root", "5_1"));

	ck_assert_msg(rows != NULL, "%s", err.text);
	ck_assert_uint_eq(rows->count, 2);
	ck_assert_str_eq(rows->row[0].id, "7");
	ck_assert_str_eq(rows->row[0].raw_id, "77");
	ck_assert_str_eq(rows->row[0].name, "a");
	ck_assert_str_eq(rows->row[0].user, "alice");
	ck_assert_str_eq(rows->row[0].account, "physics");
	ck_assert_str_eq(rows->row[0].partition, "part");
	ck_assert_str_eq(rows->row[0].cluster, "big");
	ck_assert_str_eq(rows->row[0].state, "COMPLETED");
	ck_assert_int_eq(rows->row[0].exit_code, 3);
	ck_assert_int_eq(rows->row[0].signal, 9);
	ck_assert_int_eq(rows->row[0].start, 1000);
	ck_assert_int_eq(rows->row[0].end, 2000);
	ck_assert_int_eq(rows->row[0].elapsed_s, 1000);
	ck_assert_int_eq(rows->row[0].nodes, 4);
	ck_assert_ptr_null(rows->row[0].summary);
	/* slurmdbd's word for nobody yet */
	ck_assert_str_eq(rows->row[1].user, "");
	ck_assert_str_eq(rows->row[1].id, "5_1");
	sacct_free(rows);
	sacct_free(NULL);
}
END_TEST

START_TEST(an_answer_without_its_last_newline_is_whole)
{
	struct sacct_rows *rows = parse("a||||||||||||7");

	ck_assert_ptr_null(rows); /* of 13 fields alone */
	ck_assert_str_eq(err.text, "sacct: its answer has no meaning");
	rows = parse("a|||||||||Unknown|-5|x|7|7");
	ck_assert_msg(rows != NULL, "%s", err.text);
	ck_assert_uint_eq(rows->count, 1);
	ck_assert_str_eq(rows->row[0].id, "7");
	ck_assert_int_eq(rows->row[0].exit_code, RECORD_UNKNOWN);
	ck_assert_int_eq(rows->row[0].signal, RECORD_UNKNOWN);
	ck_assert_int_eq(rows->row[0].start, RECORD_UNKNOWN);
	ck_assert_int_eq(rows->row[0].end, RECORD_UNKNOWN);
	ck_assert_int_eq(rows->row[0].elapsed_s, RECORD_UNKNOWN);
	ck_assert_int_eq(rows->row[0].nodes, RECORD_UNKNOWN);
	sacct_free(rows);
	ck_assert_ptr_null(parse("an error\n"));
	rows = parse("");
	ck_assert_uint_eq(rows->count, 0);
	sacct_free(rows);
}
END_TEST

START_TEST(a_summary_is_found_in_the_comment)
{
	struct sacct_rows *rows = parse(ROW("a", SUMMARY, "u", "1") ROW("a", "no", "u", "2"));

	ck_assert_uint_eq(rows->count, 2);
	ck_assert_str_eq(rows->row[0].summary, SUMMARY);
	ck_assert_ptr_null(rows->row[1].summary);
	sacct_free(rows);
}
END_TEST

START_TEST(many_rows_are_read)
{
	static char text[200 * 100];
	struct sacct_rows *rows;
	size_t used = 0;
	int i;

	for (i = 1; i <= 130; i++)
		used += (size_t)sprintf(text + used, "a|||||||||||4|%d|%d_%d\n", i, 9, i);
	rows = parse(text);
	ck_assert_uint_eq(rows->count, 130);
	ck_assert_str_eq(rows->row[129].id, "9_130");
	ck_assert_ptr_eq(sacct_find(rows, "9_65"), &rows->row[64]);
	ck_assert_ptr_eq(sacct_find(rows, "130"), &rows->row[129]);
	ck_assert_ptr_null(sacct_find(rows, "131"));
	ck_assert_ptr_null(sacct_find(NULL, "1"));
	sacct_free(rows);
}
END_TEST

START_TEST(states_have_long_and_short_names)
{
	ck_assert(sacct_knows_state("PENDING"));
	ck_assert(sacct_is_early("PENDING"));
	ck_assert(sacct_knows_state("COMPLETED"));
	ck_assert(sacct_knows_state("stage_out"));
	ck_assert(sacct_knows_state("pd"));
	ck_assert(!sacct_knows_state("COMP"));
	ck_assert(!sacct_knows_state(""));
	ck_assert(sacct_is_state("PENDING", "pd"));
	ck_assert(sacct_is_state("CANCELLED by 1000", "ca"));
	ck_assert(sacct_is_state("CANCELLED", "Cancelled"));
	ck_assert(sacct_is_state("STAGE_OUT", "SO"));
	ck_assert(!sacct_is_state("CANCELLEDx", "CA"));
	ck_assert(!sacct_is_state("COMPLETED", "CA"));
	ck_assert(!sacct_is_state("COMPLETED", "nothing"));
	ck_assert(!sacct_is_state("REQUEUED", "REQUEUE_HOLD"));
}
END_TEST

START_TEST(a_job_that_is_yet_to_end_is_early)
{
	static const char *const early[] = { "PENDING",	   "RUNNING",  "SUSPENDED",
					     "COMPLETING", "REQUEUED", "STAGE_OUT" };
	static const char *const late[] = { "COMPLETED",     "CANCELLED by 0", "FAILED",
					    "OUT_OF_MEMORY", "REVOKED",	       "",
					    "SOMETHING NEW" };
	size_t i;

	for (i = 0; i < sizeof(early) / sizeof(early[0]); i++)
		ck_assert_msg(sacct_is_early(early[i]), "%s", early[i]);
	for (i = 0; i < sizeof(late) / sizeof(late[0]); i++)
		ck_assert_msg(!sacct_is_early(late[i]), "%s", late[i]);
}
END_TEST

/* ---- reports of rows ---------------------------------------------------------------- */

START_TEST(the_rows_of_an_array_are_its_family)
{
	struct sacct_rows *rows = parse("a|||||||||||1|7|5_1\na|||||||||||1|8|5_[4-9]\n"
					"a|||||||||||1|9|55_1\na|||||||||||1|10|5+1\n"
					"a|||||||||||1|11|5\na|||||||||||1|12|5_12\n");
	char ids[4][JOB_ID_SIZE];

	ck_assert_uint_eq(job_row_family(rows, "5", ids, 4), 3);
	ck_assert_str_eq(ids[0], "5_1");
	ck_assert_str_eq(ids[1], "5+1");
	ck_assert_str_eq(ids[2], "5_12");
	ck_assert_uint_eq(job_row_family(rows, "5", ids, 2), 2);
	ck_assert_uint_eq(job_row_family(rows, "6", ids, 4), 0);
	ck_assert_uint_eq(job_row_family(NULL, "5", ids, 4), 0);
	sacct_free(rows);
}
END_TEST

START_TEST(each_row_is_a_report_with_a_summary_or_without)
{
	struct sacct_rows *rows = parse(ROW("a", SUMMARY, "u", "5_0") ROW("a", "", "u", "7+1")
						ROW("a", "jobio/1 rd=x", "u", "9"));
	struct job_report **list = job_report_list(rows);

	ck_assert_str_eq(list[0]->id, "5_0");
	ck_assert_str_eq(list[0]->summary_text, SUMMARY);
	ck_assert_int_eq(list[0]->summary.rd_bytes, 1024);
	ck_assert_int_eq(list[0]->array_job, 5);
	ck_assert_int_eq(list[0]->array_task, 0);
	ck_assert_int_eq(list[0]->het_job, RECORD_UNKNOWN);
	ck_assert_str_eq(list[0]->cluster, "big");
	ck_assert_ptr_eq(list[0]->slurm, &rows->row[0]);
	ck_assert_ptr_null(list[1]->summary_text);
	ck_assert_int_eq(list[1]->het_job, 7);
	ck_assert_int_eq(list[1]->het_offset, 1);
	ck_assert_int_eq(list[1]->array_job, RECORD_UNKNOWN);
	ck_assert_int_eq(list[1]->summary.rd_bytes, SUMMARY_UNKNOWN);
	ck_assert_int_eq(list[2]->array_job, RECORD_UNKNOWN);
	job_report_free(list[0]);
	job_report_free(list[1]);
	job_report_free(list[2]);
	free(list);
	sacct_free(rows);
}
END_TEST

static void expect_lost(const char *state, bool is_early, const char *sentence)
{
	struct job_source source = { .slurm = parse("a|||||||||||1|7|7\n") };
	bool early = !is_early;

	source.slurm->row[0].state = state;
	ck_assert_ptr_null(job_row_find(&source, "7", &early, &err));
	ck_assert_int_eq(early, is_early);
	ck_assert_str_eq(err.text, sentence);
	sacct_free(source.slurm);
}

START_TEST(why_a_row_tells_nothing_is_said)
{
	struct job_source source = { .slurm = NULL };
	bool early = true;

	expect_lost("RUNNING", true,
		    "the job is RUNNING; what it read and wrote is known when it has ended");
	expect_lost(
		"COMPLETED", false,
		"sacct: the job is COMPLETED and has no summary: jobio was not at work, or its nodes have not reported yet");
	err_set(&source.why_no_slurm, "sacct: away");
	ck_assert_ptr_null(job_row_find(&source, "7", &early, &err));
	ck_assert_str_eq(err.text, "sacct: away");
	ck_assert(!early);
	source.slurm = parse("a|||||||||||1|7|7\n");
	ck_assert_ptr_null(job_row_find(&source, "8", &early, &err));
	ck_assert_str_eq(err.text, "sacct: no such job that you may see");
	sacct_free(source.slurm);
}
END_TEST

/* ---- the time of a job --------------------------------------------------------------- */

static const char *elapsed(double seconds)
{
	static char text[JOB_ELAPSED];

	return job_elapsed(seconds, text);
}

START_TEST(times_are_written_as_slurm_does)
{
	ck_assert_str_eq(elapsed(0), "00:00:00");
	ck_assert_str_eq(elapsed(0.4), "00:00:00");
	ck_assert_str_eq(elapsed(0.5), "00:00:01");
	ck_assert_str_eq(elapsed(59), "00:00:59");
	ck_assert_str_eq(elapsed(3661), "01:01:01");
	ck_assert_str_eq(elapsed(86399), "23:59:59");
	ck_assert_str_eq(elapsed(86400), "1-00:00:00");
	ck_assert_str_eq(elapsed(10.5 * 86400), "10-12:00:00");
	ck_assert_str_eq(elapsed(1e12), "00:00:00");
}
END_TEST

/* Of the ledger, with one record of these times, and Slurm's word. */
static struct job_report *report_of(double start, double end, struct sacct_row *row)
{
	struct job_report *r = job_report_new("7", "ledger");

	summary_init(&r->summary);
	if (end >= 0) {
		r->records = calloc(1, sizeof(*r->records));
		r->records[0] = record_new();
		r->records[0]->start = start;
		r->records[0]->end = end;
		r->record_count = 1;
	}
	r->slurm = row;
	return r;
}

START_TEST(slurm_speaks_of_the_run_that_the_records_are_of)
{
	struct sacct_row row = {
		.state = "COMPLETED", .start = 1000, .end = 2000, .elapsed_s = 900, .nodes = 4
	};
	struct job_report *r = report_of(1000, 2000, &row);

	ck_assert(job_is_of_slurm(r));
	ck_assert(!job_is_before_slurm(r));
	row.start = 2060; /* clocks differ */
	ck_assert(!job_is_before_slurm(r));
	row.start = 2061; /* a later run */
	ck_assert(job_is_before_slurm(r));
	ck_assert(!job_is_of_slurm(r));
	row.start = 1000;
	row.state = "RUNNING";
	ck_assert(!job_is_of_slurm(r));
	ck_assert(!job_is_before_slurm(r));
	row.start = 0; /* it waits again */
	ck_assert(job_is_before_slurm(r));
	row.state = "CANCELLED by 0";
	ck_assert(!job_is_before_slurm(r));
	row.start = 1000;
	row.state = "COMPLETED";
	r->is_old_run = true;
	ck_assert(!job_is_of_slurm(r)); /* which is the newest, nobody says */
	r->restart = r->newest = 2;
	ck_assert(job_is_of_slurm(r));
	r->newest = 3;
	ck_assert(!job_is_of_slurm(r));
	r->slurm = NULL;
	ck_assert(!job_is_of_slurm(r) && !job_is_before_slurm(r));
	job_report_free(r);
}
END_TEST

START_TEST(a_jobs_time_is_that_of_its_records_else_slurms)
{
	struct sacct_row row = {
		.state = "COMPLETED", .start = 1000, .end = 2000, .elapsed_s = 900
	};
	struct job_report *r = report_of(1100, 1600, &row);
	struct job_time time = job_time_of(r);

	ck_assert(time.first == 1100 && time.last == 1600);
	ck_assert(time.seconds == 500);
	job_report_free(r);
	r = report_of(0, -1, &row);
	time = job_time_of(r);
	ck_assert(time.first == 1000 && time.last == 2000);
	ck_assert(time.seconds == 900);
	row.elapsed_s = 0;
	time = job_time_of(r);
	ck_assert(time.seconds == 1000);
	row.end = 1000;
	time = job_time_of(r);
	ck_assert(time.seconds == 0);
	r->slurm = NULL;
	time = job_time_of(r);
	ck_assert(time.first < 0 && time.last < 0 && time.seconds == 0);
	job_report_free(r);
}
END_TEST

START_TEST(how_many_nodes_a_job_had_is_the_best_word_that_there_is)
{
	struct sacct_row row = { .state = "COMPLETED", .start = 1, .nodes = 4 };
	struct job_report *r = report_of(0, -1, &row);

	ck_assert_int_eq(job_nodes_of(r), 4);
	row.nodes = 0;
	ck_assert_int_eq(job_nodes_of(r), RECORD_UNKNOWN);
	r->summary.nodes_seen = 1;
	ck_assert_int_eq(job_nodes_of(r), 1);
	row.nodes = 2;
	ck_assert_int_eq(job_nodes_of(r), 2);
	r->summary.nodes_expected = 0;
	ck_assert_int_eq(job_nodes_of(r), 0);
	r->summary.nodes_expected = 8;
	ck_assert_int_eq(job_nodes_of(r), 8);
	job_report_free(r);
}
END_TEST

/* ---- the call ------------------------------------------------------------ */

static struct {
	const char *out, *errtext;
	int status;
	bool is_missing, hangs;
	char asked[600]; /* without the mark, whose place has a '|' */
} slurm;

int __wrap_program_find(const char *name, char path[PROGRAM_PATH], struct err *why)
{
	ck_assert_str_eq(name, "sacct");
	strcpy(path, "/bin/sacct");
	return slurm.is_missing ? err_set(why, "sacct: there is none") : 0;
}

/* What it would print, with the mark that it was given. */
static void print(const char *mark, struct child_result *result)
{
	size_t size;
	FILE *out = open_memstream(&result->out, &size);
	const char *at;

	for (at = slurm.out; *at; at++)
		fprintf(out, "%.*s", *at == '|' ? (int)strlen(mark) : 1, *at == '|' ? mark : at);
	fclose(out);
}

int __wrap_child_run_big(char *const argv[], char *const env[], unsigned int timeout_ms,
			 unsigned int output_max, struct child_result *result, struct err *why)
{
	const char *mark = "";
	size_t i, used = 0;

	(void)output_max;
	ck_assert_uint_ge(timeout_ms, 1000);
	ck_assert_ptr_nonnull(env);
	for (i = 0; argv[i]; i++) {
		bool is_mark = !strncmp(argv[i], "--delimiter=", 12);

		mark = is_mark ? argv[i] + 12 : mark;
		used += (size_t)snprintf(slurm.asked + used, sizeof(slurm.asked) - used, "%s ",
					 is_mark ? "|" : argv[i]);
	}
	ck_assert_uint_eq(strlen(mark), 18);
	if (slurm.hangs)
		return err_set(why, "sacct: too late");
	*result = (struct child_result){ .status = slurm.status, .errtext = strdup(slurm.errtext) };
	print(mark, result);
	return 0;
}

/* What sacct is asked for; the fields are another test's. */
static const char *asked(struct sacct_query query)
{
	struct sacct_rows *rows;

	slurm.out = slurm.errtext = "";
	rows = sacct_ask(&query, &err);
	ck_assert_msg(rows != NULL, "%s", err.text);
	sacct_free(rows);
	*strstr(slurm.asked, " -o ") = '\0';
	return slurm.asked;
}

#define SACCT "/bin/sacct -nXP |"

START_TEST(sacct_is_asked_for_what_is_not_null)
{
	ck_assert_str_eq(asked((struct sacct_query){ .jobs = NULL }), SACCT);
	ck_assert_str_eq(
		asked((struct sacct_query){ .jobs = "7,9_2", .since = "now-1day", .until = "now" }),
		SACCT " -j 7,9_2 -S now-1day -E now");
	ck_assert_str_eq(asked((struct sacct_query){
				 .users = "a,b", .accounts = "lab", .is_everybody = true }),
			 SACCT " -u a,b -A lab -a");
	ck_assert_ptr_null(strstr(slurm.asked + strlen(slurm.asked) + 1, "AdminComment"));
}
END_TEST

START_TEST(a_name_that_sacct_would_take_for_more_is_not_told)
{
	static const char *const names[] = { "", "-x", "a b", "a,b", "a\tb", "a\nb", NULL };
	size_t i;

	ck_assert_str_eq(asked((struct sacct_query){ .name = "x-1" }), SACCT " --name x-1");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_str_eq(asked((struct sacct_query){ .name = names[i] }), SACCT);
}
END_TEST

START_TEST(sacct_answers_with_the_mark_that_it_was_given)
{
	struct sacct_query query = { .jobs = "7" };
	struct sacct_rows *rows;

	slurm.out = ROW("a", SUMMARY, "alice", "7");
	slurm.errtext = "";
	rows = sacct_ask(&query, &err);
	ck_assert_msg(rows != NULL, "%s", err.text);
	ck_assert_uint_eq(rows->count, 1);
	ck_assert_str_eq(rows->row[0].summary, SUMMARY);
	sacct_free(rows);
}
END_TEST

START_TEST(why_sacct_does_not_answer_is_told)
{
	struct sacct_query query = { .jobs = "7" };

	slurm.out = "";
	slurm.errtext = "sacct: no slurmdbd\nand more";
	slurm.status = 1;
	ck_assert_ptr_null(sacct_ask(&query, &err));
	ck_assert_str_eq(err.text, "sacct: exit status 1: sacct: no slurmdbd");
	slurm.hangs = true;
	ck_assert_ptr_null(sacct_ask(&query, &err));
	ck_assert_str_eq(err.text, "sacct: too late");
	slurm.is_missing = true;
	ck_assert_ptr_null(sacct_ask(&query, &err));
	ck_assert_str_eq(err.text, "sacct: there is none");
}
END_TEST

UNIT_MAIN("sacct", a_row_ends_with_the_id_of_its_job, an_answer_without_its_last_newline_is_whole,
	  a_summary_is_found_in_the_comment, many_rows_are_read, states_have_long_and_short_names,
	  a_job_that_is_yet_to_end_is_early, the_rows_of_an_array_are_its_family,
	  each_row_is_a_report_with_a_summary_or_without, why_a_row_tells_nothing_is_said,
	  times_are_written_as_slurm_does, slurm_speaks_of_the_run_that_the_records_are_of,
	  a_jobs_time_is_that_of_its_records_else_slurms,
	  how_many_nodes_a_job_had_is_the_best_word_that_there_is,
	  sacct_is_asked_for_what_is_not_null, a_name_that_sacct_would_take_for_more_is_not_told,
	  sacct_answers_with_the_mark_that_it_was_given, why_sacct_does_not_answer_is_told)
