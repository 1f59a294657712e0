/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobio compare says of jobs that are known. Where they come from: compare.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/commands.h"
#include "report/job_report.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/terminal.h"

#define START "\"start\":1795224848,\"end\":"
#define NODE(name, end, more)                                                  \
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"" name            \
	"\",\"uid\":1000,\"user\":\"alice\"," START end more "}"
#define APP(source, fs, more)                                                  \
	"{\"scope\":\"job\",\"source\":\"" source "\",\"fs\":" fs more "}"
#define MOVED(read, calls, written)                                            \
	",\"read_bytes\":" read ",\"read_calls\":" calls                       \
	",\"write_bytes\":" written ",\"write_calls\":2"

#define OF_ALL_JOBS                                                            \
	"{\"scope\":\"node\",\"source\":\"mountstats\",\"fs\":\"/a\"" MOVED(   \
		"8888", "8", "8888") "},"
#define OF_IT                                                                  \
	APP("bpf", "\"/a\"",                                                   \
	    MOVED("1024", "2", "1000") ",\"read_us\":500,\"write_us\":9000,"   \
				       "\"meta\":{\"open\":10,\"stat\":5}")    \
	"," APP("bpf", "\"/b\"", MOVED("1024", "1", "24")) "," APP(            \
		"stepd", "null", MOVED("9999", "9", "9999"))

#define AT_FIRST                                                               \
	",\"timeline\":{\"start\":1795224848,\"width_s\":16,"                  \
	"\"read_bytes\":[1024],\"write_bytes\":[0],\"calls\":[4]}"

static const struct job {
	const char *id, *summary;
	const char *records[3];
	int64_t elapsed_s; /* of sacct; 0: it knows nothing */
	int64_t left_out;
} jobs[] = {
	/* two nodes, two filesystems, a worse source and what the node did */
	{ "7",
	  "jobio/1 rd=3KiB/6 wr=2KiB/4 nodes=2/2 cores=1 cpus=1 prof=a "
	  "fs=/a:nfs scope=job src=bpf q=-",
	  { NODE("c1", "1795224948", ",\"app\":[" OF_ALL_JOBS OF_IT "]"),
	    NODE("c2", "1795224948",
		 ",\"app\":[" APP("bpf", "\"/a\"",
				  MOVED("1024", "3", "1024")) "]"),
	    NULL },
	  0,
	  0 },
	/* twice as fast, with other bytes written and a time of them */
	{ "8",
	  "jobio/1 rd=3KiB/6 wr=4KiB/4 nodes=2/2 cores=2 cpus=1 prof=b "
	  "fs=/a:nfs scope=node src=bpf q=-",
	  { NODE("c1", "1795224898",
		 ",\"app\":[" APP(
			 "bpf", "\"/a\"",
			 MOVED("2048", "2",
			       "2048") ",\"timeline\":{"
				       "\"start\":1795224848,\"width_s\":16,"
				       "\"read_bytes\":[1024,0,1024],"
				       "\"write_bytes\":[2048],\"calls\":[4]"
				       "}") "]"),
	    NODE("c2", "1795224898",
		 ",\"app\":[" APP(
			 "bpf", "\"/a\"",
			 MOVED("1024", "3",
			       "2048") ",\"read_us\":600,"
				       "\"timeline\":{\"start\":1795224848,"
				       "\"width_s\":16,\"read_bytes\":[1024],"
				       "\"write_bytes\":[2048],\"calls\":[5]"
				       "}") "]"),
	    NULL },
	  100,
	  0 },
	/* what sacct alone knows; its records do not all fit, too */
	{ "9",
	  "jobio/1 rd=1GiB/1k wr=0B/0 nodes=4/4 cores=- cpus=- prof=a "
	  "fs=/a:nfs scope=job src=bpf q=- meta=12",
	  { NULL },
	  100,
	  0 },
	{ "10",
	  "jobio/1 rd=2GiB/1k wr=1GiB/1k nodes=3/3 cores=- cpus=- prof=a "
	  "fs=/a:nfs scope=node src=bpf q=- meta=24",
	  { NODE("c1", "1795224948",
		 ",\"app\":[" APP("bpf", "\"/a\"", MOVED("1", "2", "3")) "]"),
	    NULL },
	  50,
	  2 },
	{ "25_1",
	  "jobio/1 rd=100MiB/1k wr=-/- nodes=1/1 cores=- cpus=- prof=a fs=- "
	  "scope=job src=bpf q=-",
	  { NULL },
	  10,
	  0 },
	{ "25_2",
	  "jobio/1 rd=102MiB/1k wr=-/- nodes=2/2 cores=- cpus=- prof=b fs=- "
	  "scope=job src=bpf q=-",
	  { NULL },
	  11,
	  0 },
	{ "26_1",
	  "jobio/1 rd=200MiB/1k wr=-/- nodes=1/1 cores=- cpus=- prof=a fs=- "
	  "scope=job src=bpf q=-",
	  { NULL },
	  4,
	  0 },
	{ "26_2",
	  "jobio/1 rd=204MiB/1k wr=-/- nodes=1/1 cores=- cpus=- prof=a fs=- "
	  "scope=job src=bpf q=-",
	  { NULL },
	  4,
	  0 },
#define WROTE(id, bytes) DID(id, bytes, "0")
#define DID(id, bytes, calls)                                                  \
	{                                                                      \
		id,                                                            \
			"jobio/1 rd=1GiB/1k wr=" bytes "/1k nodes=1/1 "        \
			"cores=- cpus=- prof=a fs=- scope=job src=bpf q=- "    \
			"meta=" calls,                                         \
			{ NULL }, 100, 0                                       \
	}
	WROTE("40", "0B"),
	WROTE("41", "100MiB"),
	WROTE("42", "110MiB"),
	WROTE("43", "111MiB"),
	DID("44", "1MiB", "1"),
	DID("45", "1MiB", "2"),
#define BESIDE(id, more)                                                       \
	{                                                                      \
		id,                                                            \
			"jobio/1 rd=1KiB/2 wr=0B/2 nodes=1/1 cores=- cpus=- "  \
			"prof=a fs=/a:nfs scope=job src=bpf q=-",              \
			{ NODE("c1", "1795224948",                             \
			       ",\"app\":[" APP(                               \
				       "bpf", "\"/a\"",                        \
				       MOVED("1024", "2", "0")                 \
					       AT_FIRST) "," APP("bpf",        \
								 "\"/b\"",     \
								 more) "]"),   \
			  NULL },                                              \
			0, 0                                                   \
	}
	/* one filesystem in 16 seconds of hundred, another one at any time */
	BESIDE("50", MOVED("0", "0", "0")),
	BESIDE("51", MOVED("1", "1", "0")),
	BESIDE("52", MOVED("0", "0", "1")),
	{ "30",
	  "jobio/1 rd=-/- wr=-/- nodes=-/- cores=- cpus=- prof=- fs=- scope=- "
	  "src=- q=-",
	  { NULL },
	  0,
	  0 },
};

#define JOBS (sizeof(jobs) / sizeof(jobs[0]))

static struct sacct_row rows[JOBS];
static bool is_sacct_broken;
static const char *asked[2]; /* about these jobs */

int __wrap_job_source_ask_sacct(struct job_source *source, char *const *ids,
				size_t count, struct err *err)
{
	ck_assert(source->config && !source->is_down);
	ck_assert_uint_eq(count, 2);
	ck_assert_str_eq(ids[0], asked[0]);
	ck_assert_str_eq(ids[1], asked[1]);
	return is_sacct_broken ? err_set(err, "no sacct") : 0;
}

void __wrap_job_source_close(struct job_source *source)
{
	(void)source;
}

static void fill(struct job_report *r, const struct job *job, size_t row)
{
	struct err err = { "" };
	size_t i;

	ck_assert_msg(summary_parse(job->summary, &r->summary, &err) == 0, "%s",
		      err.text);
	r->left_out = job->left_out;
	r->records = calloc(3, sizeof(*r->records));
	for (i = 0; job->records[i]; i++) {
		r->records[i] = record_parse(job->records[i],
					     strlen(job->records[i]), &err);
		ck_assert_msg(r->records[i] != NULL, "%s", err.text);
		r->record_count++;
	}
	rows[row] = (struct sacct_row){ .id = job->id,
					.user = "alice",
					.account = "",
					.partition = "",
					.name = "train",
					.state = "COMPLETED",
					.start = 1795224848,
					.end = 1795224848 + job->elapsed_s,
					.elapsed_s = job->elapsed_s,
					.nodes = RECORD_UNKNOWN };
	if (job->elapsed_s)
		r->slurm = &rows[row];
}

struct job_report *__wrap_job_report_get(struct job_source *source,
					 const char *id, int64_t restart,
					 struct err *err)
{
	struct job_report *r;
	size_t i;

	(void)source;
	ck_assert_int_eq(restart, RECORD_UNKNOWN);
	for (i = 0; i < JOBS; i++)
		if (!strcmp(jobs[i].id, id)) {
			r = job_report_new(id, jobs[i].records[0] ? "ledger"
								  : "sacct");
			fill(r, &jobs[i], i);
			return r;
		}
	err_set(err, "job: '%s': nobody knows it", id);
	return NULL;
}

/* Which jobs are of one that is named, as the ledger and as sacct have it. */
static const struct {
	const char *id, *ledger[3], *sacct[4];
} families[] = {
	/* a task that Slurm has and jobio has not */
	{ "25", { "25_1", "25_2" }, { "25_1", "25_2", "25_3" } },
	{ "26", { "26_1", "26_2" }, { NULL } },
	{ "27", { NULL }, { "26_1", "26_2" } },
	{ "28", { "26_1" }, { "26_1", "26_2" } },
	{ "29", { "26_1" }, { "26_3" } },
};

static size_t copy_list(const char *const *list, char (*ids)[JOB_ID_SIZE])
{
	size_t count;

	for (count = 0; list[count]; count++)
		snprintf(ids[count], JOB_ID_SIZE, "%s", list[count]);
	return count;
}

size_t __wrap_job_report_family(struct job_source *source, enum job_asked asked,
				const char *id, char (*ids)[JOB_ID_SIZE],
				size_t max)
{
	static size_t of_ledger;
	size_t i;

	(void)source;
	ck_assert_ptr_null(strpbrk(id, "_["));
	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		if (strcmp(families[i].id, id) != 0)
			continue;
		/* sacct's are behind the ledger's */
		if (asked == JOB_ASKED_SACCT) {
			ck_assert_uint_eq(max, JOB_FAMILY_MAX - of_ledger);
			return copy_list(families[i].sacct, ids);
		}
		ck_assert_uint_eq(max, JOB_FAMILY_MAX);
		return of_ledger = copy_list(families[i].ledger, ids);
	}
	return 0;
}

void __wrap_job_advice_codes(FILE *out, const struct job_report *r)
{
	if (!strcmp(r->id, "41"))
		fputs("A01 A17", out);
}

static int status;
static char complained[400];

/* What it prints of them; caller frees. */
static char *said(const char *option, const char *one, const char *other)
{
	char *argv[] = { (char *)"compare", (char *)"--conf=", (char *)option,
			 (char *)one, (char *)other };
	char conf[600], *text;
	struct err err = { "" };
	FILE *out, *old = stderr;

	tempdir_make();
	snprintf(conf, sizeof(conf), "--conf=%s",
		 tempdir_put("jobio.conf", "[ledger]\nhost=h\n"));
	argv[1] = conf;
	asked[0] = one;
	asked[1] = other;
	optind = 0;
	out = freopen(tempdir_path("out"), "w", stdout);
	ck_assert_ptr_nonnull(out);
	memset(complained, 0, sizeof(complained));
	stderr = fmemopen(complained, sizeof(complained), "w");
	status = compare_main(5, argv);
	fclose(stderr);
	stderr = old;
	fflush(stdout);
	text = fileio_read(tempdir_path("out"), 1 << 20, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	tempdir_remove();
	return text;
}

static char *compared(const char *one, const char *other)
{
	return said("--", one, other);
}

/* Takes the text. */
static void expect(char *text, const char *part)
{
	ck_assert_int_eq(status, 0);
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in\n%s", part, text);
	free(text);
}

static void expect_kept(const char *name, char *text)
{
	ck_assert_int_eq(status, 0);
	sample_kept(name, text);
	free(text);
}

/* JSON with six digits of each number: what is behind them is the machine's. */
static char *rounded(char *json)
{
	char *text = NULL, *at = json, *end;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	double number;

	while (*at) {
		number = strtod(at, &end);
		if (at > json && at[-1] == ':' && end > at) {
			fprintf(out, "%.6g", number);
			at = end;
		} else {
			fputs(*at == '{' && at > json ? "\n{"
						      : (char[]){ *at, 0 },
			      out);
			at++;
		}
	}
	fclose(out);
	free(json);
	return text;
}

START_TEST(two_jobs_look_as_when_somebody_looked_at_them_last)
{
	expect_kept("report/compare.txt.golden", compared("7", "8"));
	expect_kept("report/compare.json.golden",
		    rounded(said("--json", "7", "8")));
	expect_kept("report/compare_back.txt.golden", compared("8", "7"));
	expect_kept("report/compare_sacct.txt.golden", compared("9", "10"));
	expect_kept("report/compare_sacct.json.golden",
		    rounded(said("--json", "9", "30")));
}
END_TEST

START_TEST(repeats_look_as_when_somebody_looked_at_them_last)
{
	expect_kept("report/compare_repeats.txt.golden", compared("25", "26"));
	expect_kept("report/compare_repeats.json.golden",
		    rounded(said("--json", "25", "26")));
}
END_TEST

START_TEST(an_array_is_all_its_tasks_or_those_that_are_named)
{
	char *all = compared("25", "26"), *named;
	const char *rest = strchr(all, '\n');

	named = compared("25_[1-2]", "26_1,26_2");
	ck_assert_str_eq(strchr(named, '\n'), rest);
	free(named);
	/* of which the ledger knows nothing */
	named = compared("25_1,25_2", "27");
	ck_assert_str_eq(strchr(named, '\n'), rest);
	free(named);
	/* of which it knows one task, and sacct more; or as many */
	named = compared("25", "28");
	ck_assert_str_eq(strchr(named, '\n'), rest);
	free(named);
	free(all);
	all = compared("25", "26_1");
	named = compared("25", "29");
	ck_assert_int_eq(status, 0);
	ck_assert_str_eq(strchr(named, '\n'), strchr(all, '\n'));
	free(named);
	free(all);
	/* one on a side, and two on the other, are repeats, too */
	expect(compared("25_1", "26"), "\nsignificant: less than 5 of 100 by "
				       "chance, over the jobs\n");
	expect(compared("26", "25_1"), "\nsignificant: less than 5 of 100 by "
				       "chance, over the jobs\n");
	expect(compared("25_1", "26_1"), "\none job and one node a side: ");
	expect(compared("7", "26_1"), "\none job and one node a side: ");
	expect(compared("26_1", "7"), "\none job and one node a side: ");
	expect(compared("50", "7"), "\none job and one node a side: ");
	expect(compared("7", "50"), "\none job and one node a side: ");
}
END_TEST

START_TEST(what_is_not_known_makes_no_verdict)
{
	expect(compared("30", "30"), "nodes          mixed             mixed\n"
				     "advice         -                 -\n");
	expect(compared("9", "30"), "read           1GiB              "
				    "unknown         \n");
	expect(compared("25", "9"), "nodes          mixed             4"
				    "                 differs\n");
	expect(compared("9", "25"), "nodes          4                 mixed"
				    "             differs\n");
}
END_TEST

START_TEST(bytes_are_of_the_seconds_in_which_they_were_moved)
{
	char *text = compared("50", "51");

	ck_assert_ptr_nonnull(strstr(text, "  rate         64B/s  "));
	/* of all, where somebody moved something and does not say when */
	ck_assert_ptr_nonnull(strstr(text, "  10B/s  "));
	/* calls that move nothing are calls */
	ck_assert_ptr_nonnull(strstr(text, "written        0B                "
					   "0B  "));
	ck_assert_ptr_nonnull(strstr(text, "  a call       0B                "
					   "0B  "));
	free(text);
	expect(compared("52", "50"), "  rate         10B/s             64B/s ");
}
END_TEST

START_TEST(what_jobs_of_a_side_do_not_have_in_common_is_mixed)
{
	char *text = compared("25_1,26_1,25_2", "9");

	ck_assert_ptr_nonnull(strstr(text, "profile        mixed  "));
	ck_assert_ptr_nonnull(strstr(text, "nodes          mixed  "));
	ck_assert_ptr_nonnull(strstr(text, "name           train  "));
	free(text);
	/* none at all is a number */
	expect(compared("40", "41"), "metadata       0                 0 ");
	expect(compared("44", "45"), "metadata       1                 2     "
				     "             +100.0 %\n");
	/* from none to some is no percentage, and from none to none no change */
	expect(compared("40", "44"), "metadata       0                 1      "
				     "         \n");
	expect(compared("40", "40"), "metadata       0                 0      "
				     "                same\n");
	expect(compared("40", "41"), "advice         -                 A01 "
				     "A17\n");
	expect(compared("41", "40"), "advice         A01 A17           -\n");
}
END_TEST

START_TEST(who_wrote_nothing_did_other_work)
{
	char *text;

	expect(compared("40", "41"),
	       "\nnot the same work: written differs by more than 10 %\n");
	expect(compared("41", "40"),
	       "\nnot the same work: written differs by more than 10 %\n");
	text = compared("40", "40");
	ck_assert_ptr_null(strstr(text, "not the same work"));
	free(text);
	text = compared("41", "42"); /* 10 % are the bound */
	ck_assert_ptr_null(strstr(text, "not the same work"));
	free(text);
	expect(compared("41", "43"), "\nnot the same work: written");
	text = compared("9", "30"); /* of what nobody knows, neither */
	ck_assert_ptr_null(strstr(text, "not the same work"));
	free(text);
}
END_TEST

static void refuse(const char *option, const char *one, const char *other,
		   int wanted, const char *why)
{
	char *text = said(option, one, other);

	ck_assert_int_eq(status, wanted);
	ck_assert_str_eq(text, "");
	ck_assert_int_eq(strncmp(complained, "jobio: compare: ", 16), 0);
	ck_assert_msg(strstr(complained, why) != NULL, "%s", complained);
	free(text);
}

START_TEST(a_job_that_nobody_knows_ends_it)
{
	char *text = compared("7", "11");

	ck_assert_int_eq(status, 1);
	ck_assert_str_eq(text, "");
	free(text);
	refuse("--", "7,11", "8", 1, "job: '11': nobody knows it\n");
	refuse("--", "7,,8", ",", 2, "which job?\n");
	refuse("--", ",", "8", 2, "which job?\n");
	refuse("--", "x", "8", 2, "'x'");
	refuse("--nosuch", "7", "8", 2,
	       "'--nosuch': no such option, or its value is missing; see "
	       "jobio compare --help\n");
	refuse("7", "8", "9", 2,
	       "two jobs, or two lists of them; see jobio compare --help\n");
	text = said("--jso", "7", "8"); /* as getopt_long() has it */
	ck_assert_int_eq(status, 0);
	free(text);
	expect(said("--help", "7", "8"), "usage: jobio compare ");
	is_sacct_broken = true;
	refuse("--", "7", "8", 1, "jobio: compare: no sacct\n");
}
END_TEST

/* What a terminal gets of these, without carriage returns. */
static const char *on_terminal(const char *one, const char *other)
{
	static char text[8192];
	char conf[600];
	char *argv[] = { (char *)"compare", conf, (char *)one, (char *)other };
	int host = terminal_make(100);

	tempdir_make();
	snprintf(conf, sizeof(conf), "--conf=%s",
		 tempdir_put("jobio.conf", "[ledger]\nhost=h\n"));
	asked[0] = one;
	asked[1] = other;
	optind = 0;
	ck_assert_int_eq(compare_main(4, argv), 0);
	terminal_read(host, text, sizeof(text));
	tempdir_remove();
	return text;
}

START_TEST(on_a_terminal_what_is_significant_is_green_or_red)
{
	sample_kept("report/compare_tones.txt.golden", on_terminal("25", "26"));
	ck_assert_ptr_nonnull(strstr(on_terminal("26", "25"),
				     "\033[31m   +162.5 %  "
				     "significant\033[0m\n"));
}
END_TEST

START_TEST(on_a_terminal_what_may_be_chance_has_no_colour)
{
	const char *text = on_terminal("7", "8");

	ck_assert_msg(strstr(text, "  96B/s              +212.5 %  within "
				   "the spread\n") != NULL,
		      "%s", text);
}
END_TEST

UNIT_MAIN("compare", two_jobs_look_as_when_somebody_looked_at_them_last,
	  repeats_look_as_when_somebody_looked_at_them_last,
	  an_array_is_all_its_tasks_or_those_that_are_named,
	  what_is_not_known_makes_no_verdict,
	  bytes_are_of_the_seconds_in_which_they_were_moved,
	  what_jobs_of_a_side_do_not_have_in_common_is_mixed,
	  who_wrote_nothing_did_other_work, a_job_that_nobody_knows_ends_it,
	  on_a_terminal_what_is_significant_is_green_or_red,
	  on_a_terminal_what_may_be_chance_has_no_colour)
