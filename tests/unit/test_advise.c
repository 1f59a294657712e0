/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobio advise makes of its command line, which jobs it takes for other runs, and
 * what it prints of steps. What is known of jobs, and what to ask for, are of others, in
 * whose place there is a word here; on whole jobs: tests/scripts/advise.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/record.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/job_advice.h"
#include "report/job_report.h"
#include "report/next_run.h"
#include "report/tone.h"
#include "tests/unit/job_reports.h"
#include "tests/unit/runner.h"

#define LISTED_MAX 40

static struct {
	/* what is broken */
	bool is_unknown, is_bad_config, has_no_list;
	/* what sacct lists, the job itself not among it */
	struct sacct_row row[LISTED_MAX];
	size_t listed;
	struct sacct_row own; /* without an id: sacct does not know it */
	size_t records;
	struct next_run next;
	/* what was seen */
	char runs[400]; /* "1 2 3 " */
	char conf[20];
	size_t rows; /* that nobody has freed */
	bool is_closed;
	struct ledger_link *closed;
} world;

/* Only its address counts. */
#define LINK ((struct ledger_link *)&world)

/* ---- in the place of others ------------------------------------------------------- */

void tone_init(void)
{
}

const char *tone(enum tone which)
{
	(void)which;
	return "";
}

int job_advice_config(struct config **found, struct config_advice *limits, const char *conf,
		      const char *command, struct err *why)
{
	ck_assert_str_eq(command, "advise");
	snprintf(world.conf, sizeof(world.conf), "%s", conf ? conf : "");
	*found = NULL;
	if (world.is_bad_config)
		return COMMAND_USAGE;
	err_set(why, "there is no jobio.conf");
	config_advice_init(limits);
	limits->min_mib = 77;
	return COMMAND_OK;
}

void job_source_ask_sacct(struct job_source *source, char *const *ids, size_t count)
{
	ck_assert(source->is_down && !source->config);
	ck_assert_str_eq(source->why_down.text, "there is no jobio.conf");
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(ids[0], "7");
}

void job_source_close(struct job_source *source)
{
	world.is_closed = true;
	world.closed = source->link;
}

static struct job_report *a_report(const char *id, const struct sacct_row *row)
{
	struct job_report *r = job_report_named(id);

	r->slurm = row;
	return r;
}

struct job_report *job_report_get(struct job_source *source, const char *id, int64_t restart,
				  struct err *err)
{
	static struct record of_node, *record = &of_node;
	struct job_report *r;

	ck_assert_int_eq(restart, RECORD_UNKNOWN);
	source->link = LINK;
	if (world.is_unknown) {
		err_set(err, "job: '%s': nobody knows it", id);
		return NULL;
	}
	r = a_report(id, world.own.id ? &world.own : NULL);
	r->record_count = world.records;
	r->records = &record;
	snprintf(r->why_not_ledger, sizeof(r->why_not_ledger), "it is away");
	return r;
}

struct sacct_rows *sacct_ask(const struct sacct_query *query, struct err *err)
{
	struct sacct_rows *rows;

	ck_assert_str_eq(query->users, "alice");
	ck_assert_str_eq(query->name, "train");
	ck_assert_str_eq(query->since, "now-30days");
	ck_assert_str_eq(query->until, "now");
	ck_assert(!query->is_everybody && !query->jobs);
	if (world.has_no_list) {
		err_set(err, "no list");
		return NULL;
	}
	rows = calloc(1, sizeof(*rows));
	rows->row = world.row;
	rows->count = world.listed;
	world.rows++;
	return rows;
}

void sacct_free(struct sacct_rows *rows)
{
	world.rows -= rows != NULL;
	free(rows);
}

bool sacct_is_state(const char *state, const char *word)
{
	return !strcmp(state, word);
}

bool sacct_is_early(const char *state)
{
	(void)state;
	return false;
}

struct job_report **job_report_list(const struct sacct_rows *rows)
{
	struct job_report **list = calloc(rows->count + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < rows->count; i++)
		list[i] = a_report(rows->row[i].id, &rows->row[i]);
	return list;
}

int job_report_fill(struct job_source *source, struct job_report **reports, size_t count,
		    bool is_brief, struct err *err)
{
	(void)reports, (void)count;
	ck_assert(source->slurm && source->link == LINK && !is_brief);
	return err_set(err, "the ledger is away");
}

void next_run_find(struct next_run *next, const struct job_report *job,
		   struct job_report *const *runs, size_t count, const struct config *config)
{
	size_t i;

	ck_assert_uint_eq(job->limits->min_mib, 77);
	ck_assert_ptr_null(config);
	for (i = 0; i < count; i++) {
		ck_assert_ptr_eq(runs[i]->limits, job->limits);
		strcat(strcat(world.runs, runs[i]->id), " ");
	}
	*next = world.next;
}

/* ---- what a test says ------------------------------------------------------------- */

/* A job whose advice is to take one more core, and one that sacct knows. */
static void begin(void)
{
	struct next_step *step = &world.next.step[0];

	memset(&world, 0, sizeof(world));
	world.own = (struct sacct_row){
		.id = "7", .raw_id = "7", .user = "alice", .name = "train", .state = "COMPLETED"
	};
	world.records = 1;
	world.next.is_judged = true;
	world.next.like = 3;
	world.next.count = 1;
	strcpy(world.next.options, "--io-cores=2");
	step->has_advice = step->is_taken = true;
	strcpy(step->option, "--io-cores=2");
	step->advice.code = "A22";
	step->advice.trust = ADVICE_PERHAPS;
	strcpy(step->advice.what, "much");
	strcpy(step->advice.why, "more is faster");
	strcpy(step->advice.cure, "take one more");
}

static struct sacct_row *list(const char *id)
{
	struct sacct_row *row = &world.row[world.listed++];

	*row = world.own;
	row->id = row->raw_id = id;
	return row;
}

static char *said, *complained;

static int run(const char *line)
{
	char *words = strdup(line), *rest = words, *argv[10] = { "advise" };
	FILE *old_out = stdout, *old_err = stderr, *out, *why;
	size_t size[2];
	int argc = 1, status;

	while ((argv[argc] = strsep(&rest, " ")) && *argv[argc])
		argc++;
	argv[argc] = NULL;
	free(said);
	free(complained);
	out = open_memstream(&said, &size[0]);
	why = open_memstream(&complained, &size[1]);
	*world.runs = '\0';
	*world.conf = '\0';
	world.is_closed = false;
	optind = 0;
	stdout = out;
	stderr = why;
	status = advise_main(argc, argv);
	stdout = old_out;
	stderr = old_err;
	fclose(out);
	fclose(why);
	free(words);
	ck_assert_uint_eq(job_reports, 0);
	ck_assert_uint_eq(world.rows, 0);
	return status;
}

static void expect(const char *line, int status, const char *text, const char *complaint)
{
	ck_assert_msg(run(line) == status && !strcmp(said, text) && !strcmp(complained, complaint),
		      "%s:\n%s%s", line, said, complained);
}

static void expect_runs(const char *runs)
{
	ck_assert_int_eq(run("--options 7"), 0);
	ck_assert_str_eq(world.runs, runs);
}

/* ---- which jobs ------------------------------------------------------------------- */

START_TEST(other_runs_are_of_this_name_and_user_and_have_completed)
{
	begin();
	list("1");
	list("2")->name = "other";
	list("3")->user = "bob";
	list("4")->state = "FAILED";
	list("7"); /* itself */
	list("8");
	expect_runs("1 8 ");
	ck_assert_ptr_eq(world.closed, LINK); /* once, whoever opened it */
	/* of a task, whose own number is another */
	world.own.raw_id = "8";
	expect_runs("1 7 ");
}
END_TEST

START_TEST(the_newest_twenty_runs_are_enough)
{
	static char ids[25][4];
	int i;

	begin();
	for (i = 0; i < 25; i++) {
		snprintf(ids[i], sizeof(ids[i]), "%d", 11 + i);
		list(ids[i]);
		if (i == 19)
			expect_runs("11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 ");
	}
	world.row[23].state = "FAILED";
	expect_runs("15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 35 ");
}
END_TEST

START_TEST(without_other_runs_there_is_its_own_advice)
{
	static const char own[] = "--io-cores=2\n";

	begin();
	expect("--options 7", 0, own, "");
	list("1");
	world.has_no_list = true;
	expect("--options 7", 0, own, "");
	ck_assert_str_eq(world.runs, "");
	ck_assert(world.is_closed && world.closed == LINK);
	world.has_no_list = false;
	world.own.name = "";
	expect_runs("");
	world.own.name = "train";
	world.own.user = "";
	expect_runs("");
	world.own.id = NULL;
	expect_runs("");
}
END_TEST

/* ---- what it prints ---------------------------------------------------------------- */

START_TEST(steps_are_told_with_why_and_those_that_no_option_says_with_what_to_do)
{
	struct next_step *step;

	begin();
	list("1");
	world.next.count = 3;
	strcpy(world.next.step[0].note, "run 1 had it");
	strcpy(world.next.step[0].advice.fs, "/work");
	step = &world.next.step[1];
	*step = world.next.step[0];
	step->is_taken = false;
	*step->advice.fs = '\0';
	step = &world.next.step[2];
	*step = world.next.step[1];
	*step->option = *step->note = '\0';
	expect("7", 0,
	       "job 7, user alice: 1 other run of it, 3 like it\n"
	       "  --io-cores=2\n"
	       "      A22 on /work, perhaps: much; more is faster\n"
	       "      run 1 had it\n"
	       "  not taken: --io-cores=2\n"
	       "      A22, perhaps: much; more is faster\n"
	       "      run 1 had it\n"
	       "  by hand\n"
	       "      A22, perhaps: much; more is faster\n"
	       "      do: take one more\n"
	       "next time: sbatch --io-cores=2 SCRIPT\n",
	       "");
	/* what runs alone say has no advice beside it */
	world.next.count = 1;
	world.next.step[0].has_advice = false;
	*world.next.options = '\0';
	list("2");
	expect("7", 0,
	       "job 7, user alice: 2 other runs of it, 3 like it\n"
	       "  --io-cores=2\n"
	       "      run 1 had it\n"
	       "next time: no other options\n",
	       "");
	expect("--options 7", 0, "", "");
	world.next.count = world.records = 0;
	world.own.id = NULL;
	expect("7", 0,
	       "job 7: 0 other runs of it, 3 like it\n"
	       "next time: no other options\n",
	       "");
}
END_TEST

START_TEST(in_json_what_is_not_there_is_null)
{
	struct next_step *step = &world.next.step[0];

	begin();
	world.next.count = 2;
	strcpy(step[0].advice.fs, "/work");
	strcpy(step[1].note, "by runs");
	expect("--json 7", 0,
	       "{\"id\":\"7\",\"judged\":true,\"options\":\"--io-cores=2\",\"runs\":0,\"runs_like_it\":3,\"steps\":[{\"option\":\"--io-cores=2\",\"taken\":true,\"note\":null,\"code\":\"A22\",\"fs\":\"/work\",\"what\":\"much\",\"why\":\"more is faster\",\"do\":\"take one more\",\"confidence\":\"perhaps\"},{\"option\":null,\"taken\":false,\"note\":\"by runs\",\"code\":null,\"fs\":null,\"what\":null,\"why\":null,\"do\":null,\"confidence\":null}]}\n",
	       "");
	/* of the whole job; and what cannot be judged is told here, too */
	*step[0].advice.fs = '\0';
	world.next.is_judged = false;
	ck_assert_int_eq(run("--json 7"), 0);
	ck_assert_ptr_nonnull(strstr(said, "\"code\":\"A22\",\"fs\":null,"));
	ck_assert_ptr_nonnull(strstr(said, "\"judged\":false,"));
	ck_assert_str_eq(complained, "");
}
END_TEST

START_TEST(too_little_to_judge_is_told_with_what_is_missing)
{
	begin();
	world.next.is_judged = false;
	expect("7", 0, "",
	       "jobio: advise: job: '7': too little to judge: not 60 s, 77 MiB or 10000 calls of this job alone on a client's filesystem\n");
	ck_assert_int_eq(run("--options 7"), 0);
	ck_assert_str_eq(said, "");
	world.records = 0;
	expect("7", 0, "",
	       "jobio: advise: job: '7': too little to judge: no records of its nodes: it is away\n");
}
END_TEST

/* ---- the command line ---------------------------------------------------------------- */

START_TEST(options_may_come_again_and_exclude_each_other)
{
	begin();
	expect("--options --options --conf=/a 7", 0, "--io-cores=2\n", "");
	ck_assert_str_eq(world.conf, "/a");
	/* what was said first stays */
	ck_assert_int_eq(run("--json --conf=/a 7"), 0);
	ck_assert_int_eq(*said, '{');
	expect("--options --json --conf=/a 7", 2, "",
	       "jobio: advise: --options and --json exclude each other\n");
	expect("--json --options 7", 2, "",
	       "jobio: advise: --options and --json exclude each other\n");
	expect("--nosuch 7", 2, "",
	       "jobio: advise: '--nosuch': no such option, or its value is missing; see jobio advise --help\n");
	expect("--conf= 7", 2, "", "jobio: advise: --conf: '': must not be empty\n");
	ck_assert(!world.is_closed);
	ck_assert_int_eq(run("--help"), 0);
	ck_assert_int_eq(strncmp(said, "usage: jobio advise [OPTION]", 28), 0);
	world.is_bad_config = true;
	expect("7", 2, "", "");
	ck_assert(!world.is_closed);
}
END_TEST

START_TEST(what_fails_is_told_and_nothing_is_printed)
{
	begin();
	list("1");
	world.is_unknown = true;
	expect("7", 1, "", "jobio: advise: job: '7': nobody knows it\n");
	ck_assert(world.is_closed);
}
END_TEST

UNIT_MAIN("advise", other_runs_are_of_this_name_and_user_and_have_completed,
	  the_newest_twenty_runs_are_enough, without_other_runs_there_is_its_own_advice,
	  steps_are_told_with_why_and_those_that_no_option_says_with_what_to_do,
	  in_json_what_is_not_there_is_null, too_little_to_judge_is_told_with_what_is_missing,
	  options_may_come_again_and_exclude_each_other, what_fails_is_told_and_nothing_is_printed)
