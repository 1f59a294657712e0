/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio compare - two jobs, or two sets of them, side by side. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"
#include "lib/run.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/job_advice.h"
#include "report/job_io.h"
#include "report/job_report.h"
#include "report/job_view.h"
#include "report/print.h"
#include "report/samples.h"
#include "report/tone.h"

#define NAME "compare"
#define WORK_PERCENT 10 /* more: it was not the same work */

static const char usage[] =
	"usage: jobio compare [OPTION]... JOB[,JOB]... JOB[,JOB]...\n"
	"\n"
	"Shows two jobs side by side: the same script with two profiles, or two\n"
	"numbers of io-cores. Several jobs on a side, or an array, are repeats.\n"
	"What differs by more than chance is marked: over the repeats or, where\n"
	"there are none, over the nodes.\n"
	"\n"
	"  --json        one JSON object\n"
	"  --conf=FILE   instead of " JOBIO_CONF "\n"
	"\n"
	"Exit status: 0; 1 when nothing is known of one of the jobs; 2 bad usage.\n";

enum metric {
	ELAPSED,
	READ,
	READ_RATE,
	READ_SIZE,
	READ_TIME,
	WRITTEN,
	WRITE_RATE,
	WRITE_SIZE,
	WRITE_TIME,
	META,
	METRICS
};

static const struct {
	const char *name, *key, *unit;
	bool is_work, is_less_better;
} metrics[METRICS] = {
	[ELAPSED] = { "elapsed", "elapsed_s", "s", false, true },
	[READ] = { "read", "read_bytes", "B", true, false },
	[READ_RATE] = { "  rate", "read_Bps", "B/s", false, false },
	[READ_SIZE] = { "  a call", "read_size", "B", false, false },
	[READ_TIME] = { "  time of it", "read_call_s", "s", false, true },
	[WRITTEN] = { "written", "write_bytes", "B", true, false },
	[WRITE_RATE] = { "  rate", "write_Bps", "B/s", false, false },
	[WRITE_SIZE] = { "  a call", "write_size", "B", false, false },
	[WRITE_TIME] = { "  time of it", "write_call_s", "s", false, true },
	[META] = { "metadata", "meta", "", true, false },
};

struct side {
	char *text; /* as it was written */
	struct job_report **reports;
	size_t count;
	struct samples jobs[METRICS], nodes[METRICS];
};

struct options {
	const char *conf;
	bool is_json;
	struct side sides[2];
	struct config_advice limits;
};

/* ---- numbers ----------------------------------------------------------------- */

static void add_known(struct samples *samples, enum metric metric, double value)
{
	if (value >= 0 && isfinite(value))
		samples_add(&samples[metric], value);
}

static double ratio(int64_t number, double of)
{
	return number >= 0 && of > 0 ? (double)number / of : -1;
}

/* Of the seconds in which it happened; of all where nobody says which. */
static double rate(int64_t bytes, const struct timeline *when, enum timeline_lane lane,
		   double seconds)
{
	double active = job_active_seconds(when, lane);

	return bytes > 0 ? ratio(bytes, active > 0 ? active : seconds) : -1;
}

static void take_io(struct samples *s, const struct io *io, const struct timeline *when,
		    double seconds)
{
	const int64_t *n = io->numbers;

	add_known(s, READ, (double)n[IO_READ_BYTES]);
	add_known(s, READ_RATE, rate(n[IO_READ_BYTES], when, TIMELINE_READ, seconds));
	add_known(s, READ_SIZE, ratio(n[IO_READ_BYTES], (double)n[IO_READ_CALLS]));
	add_known(s, READ_TIME, ratio(n[IO_READ_US], (double)n[IO_READ_CALLS] * 1e6));
	add_known(s, WRITTEN, (double)n[IO_WRITE_BYTES]);
	add_known(s, WRITE_RATE, rate(n[IO_WRITE_BYTES], when, TIMELINE_WRITE, seconds));
	add_known(s, WRITE_SIZE, ratio(n[IO_WRITE_BYTES], (double)n[IO_WRITE_CALLS]));
	add_known(s, WRITE_TIME, ratio(n[IO_WRITE_US], (double)n[IO_WRITE_CALLS] * 1e6));
	add_known(s, META, (double)io_ops(io));
}

/* From sacct's summary, where the ledger shows no records. */
static void take_summary(struct io *io, const struct summary *s)
{
	io->numbers[IO_READ_BYTES] = s->rd_bytes;
	io->numbers[IO_READ_CALLS] = s->rd_calls;
	io->numbers[IO_WRITE_BYTES] = s->wr_bytes;
	io->numbers[IO_WRITE_CALLS] = s->wr_calls;
	io->numbers[IO_OP_OPEN] = s->meta; /* their sum is what counts */
}

static void take_report(struct side *side, const struct job_report *r)
{
	struct timeline when = { 0 }, one;
	struct io sum, io;
	double seconds = job_time_of(r).seconds;
	size_t i;

	io_init(&sum);
	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		io_init(&io);
		memset(&one, 0, sizeof(one));
		job_io_add(&io, &one, record);
		take_io(side->nodes, &io, &one, record->end - record->start);
		job_io_add(&sum, &when, record);
	}
	if (!r->record_count || r->left_out) {
		/* of some nodes, this is no number of the job */
		io_init(&sum);
		memset(&when, 0, sizeof(when));
		take_summary(&sum, &r->summary);
	}
	take_io(side->jobs, &sum, &when, seconds);
	add_known(side->jobs, ELAPSED, seconds > 0 ? seconds : -1);
}

/* ---- significance -------------------------------------------------------------- */

/* What the means of both sides and their spread are of. */
static bool is_of_nodes(const struct side *sides)
{
	return sides[0].count < 2 && sides[1].count < 2;
}

static const struct samples *spread_of(const struct side *sides, int which, enum metric metric)
{
	return is_of_nodes(sides) ? &sides[which].nodes[metric] : &sides[which].jobs[metric];
}

/* 1: they differ, 0: by chance, -1: nobody can say. */
static int is_significant(const struct side *sides, enum metric metric)
{
	return samples_differ(spread_of(sides, 0, metric), spread_of(sides, 1, metric));
}

static bool is_known(const struct side *sides, enum metric metric)
{
	return sides[0].jobs[metric].count && sides[1].jobs[metric].count;
}

/* In percent; NAN where there is nothing to divide by. */
static double change_of(const struct side *sides, enum metric metric)
{
	double from = sides[0].jobs[metric].mean;
	double to = sides[1].jobs[metric].mean;

	if (!is_known(sides, metric) || (from <= 0 && to > 0))
		return NAN;
	return from <= 0 ? 0 : (to - from) / from * 100;
}

/* ---- text ----------------------------------------------------------------------- */

static const char *value_text(enum metric metric, double value, char *out)
{
	char text[24];

	if (metric == ELAPSED)
		return job_elapsed(value, out);
	if (metric == META)
		summary_count((int64_t)value, text, sizeof(text));
	else if (!strcmp(metrics[metric].unit, "s"))
		summary_time((int64_t)(value * 1e9), text, sizeof(text));
	else
		summary_bytes((int64_t)value, text, sizeof(text));
	snprintf(out, JOB_ELAPSED, "%s%s", text, strstr(metrics[metric].unit, "/s") ? "/s" : "");
	return out;
}

static void print_row(const char *name, const char *one, const char *other, const char *tail)
{
	printf("%-13s  %-16s  %-*s%s\n", name, one, *tail ? 16 : 0, other, tail);
}

static void print_verdict(const struct side *sides, enum metric metric)
{
	double change = change_of(sides, metric);
	int significant = is_significant(sides, metric);
	bool is_better = metrics[metric].is_less_better == (change < 0);
	enum tone which = metrics[metric].is_work ? TONE_END : is_better ? TONE_GOOD : TONE_BAD;

	if (isnan(change) || fabs(change) < 0.05) {
		puts(isnan(change) ? "" : "       same");
		return;
	}
	if (significant > 0 && which != TONE_END)
		fputs(tone(which), stdout);
	printf("%+9.1f %%", change);
	if (significant > 0)
		printf("  significant%s", which != TONE_END ? tone(TONE_END) : "");
	else if (significant == 0)
		fputs("  within the spread", stdout);
	putchar('\n');
}

static void print_metric(const struct side *sides, enum metric metric)
{
	char text[JOB_ELAPSED];
	int i;

	if (!sides[0].jobs[metric].count && !sides[1].jobs[metric].count)
		return;
	printf("%-13s", metrics[metric].name);
	for (i = 0; i < 2; i++)
		printf("  %-16s", sides[i].jobs[metric].count
					  ? value_text(metric, sides[i].jobs[metric].mean, text)
					  : "unknown");
	print_verdict(sides, metric);
}

static const char *const words[] = { "name", "state", "profile", "io-cores", "filesystems" };

#define WORDS (sizeof(words) / sizeof(words[0]))

static const char *word_of(const struct job_report *r, size_t which)
{
	const char *const all[WORDS] = {
		r->slurm ? r->slurm->name : "",
		job_is_of_slurm(r) ? r->slurm->state : "",
		r->summary.prof,
		r->summary.cores,
		r->summary.fs,
	};

	return all[which];
}

/* One word for all jobs of a side: "mixed" when they differ. */
static const char *common(const struct side *side, size_t which)
{
	const char *first = word_of(side->reports[0], which);
	size_t i;

	for (i = 1; i < side->count; i++)
		if (strcmp(word_of(side->reports[i], which), first) != 0)
			return "mixed";
	return *first ? first : "-";
}

static void print_words(const struct side *sides)
{
	const char *one, *other;
	size_t i;

	for (i = 0; i < WORDS; i++) {
		one = common(&sides[0], i);
		other = common(&sides[1], i);
		print_row(words[i], one, other, strcmp(one, other) ? "  differs" : "");
	}
}

static int64_t nodes_of(const struct side *side)
{
	int64_t nodes = job_nodes_of(side->reports[0]);
	size_t i;

	for (i = 1; i < side->count; i++)
		if (job_nodes_of(side->reports[i]) != nodes)
			return RECORD_UNKNOWN;
	return nodes;
}

static void print_nodes(const struct side *sides)
{
	int64_t one = nodes_of(&sides[0]), other = nodes_of(&sides[1]);
	char a[16], b[16];

	print_row("nodes", one < 0 ? "mixed" : job_count(one, a),
		  other < 0 ? "mixed" : job_count(other, b), one != other ? "  differs" : "");
}

/* Of the first job of a side; malloc'ed. */
static char *advice_of(const struct side *side)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = xneed(open_memstream(&text, &size));

	job_advice_codes(out, side->reports[0]);
	fclose(out);
	return text;
}

static void print_advice(const struct side *sides)
{
	char *one = advice_of(&sides[0]), *other = advice_of(&sides[1]);

	print_row("advice", *one ? one : "-", *other ? other : "-", "");
	free(one);
	free(other);
}

/* From nothing to something is no number of percent. */
static bool is_other_work(const struct side *sides, enum metric metric)
{
	double change = change_of(sides, metric);

	return isnan(change) ? is_known(sides, metric) : fabs(change) > WORK_PERCENT;
}

static void print_notes(const struct side *sides)
{
	static const enum metric work[] = { READ, WRITTEN, META };
	size_t i;

	if (is_of_nodes(sides) &&
	    (sides[0].nodes[READ].count < 2 || sides[1].nodes[READ].count < 2))
		puts("\none job and one node a side: what is chance cannot be told; several jobs, A,B C,D, are repeats");
	else
		printf("\nsignificant: less than 5 of 100 by chance, over the %s\n",
		       is_of_nodes(sides) ? "nodes of the two jobs" : "jobs");
	for (i = 0; i < sizeof(work) / sizeof(work[0]); i++)
		if (is_other_work(sides, work[i])) {
			printf("not the same work: %s differs by more than %d %%\n",
			       metrics[work[i]].name, WORK_PERCENT);
			break;
		}
	for (i = 0; i < 2; i++)
		if (sides[i].reports[0]->summary.scope == SUMMARY_SCOPE_NODE)
			printf("%s: NODE-WIDE, with whatever else ran there\n", sides[i].text);
}

static void print_all(const struct side *sides)
{
	int i;

	fputs(tone(TONE_STRONG), stdout);
	print_row("job", sides[0].text, sides[1].text, tone(TONE_END));
	print_words(sides);
	print_nodes(sides);
	for (i = 0; i < METRICS; i++)
		print_metric(sides, (enum metric)i);
	print_advice(sides);
	print_notes(sides);
}

/* ---- JSON ----------------------------------------------------------------------- */

static void add_double(struct json *o, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", value);
	json_add_real(o, key, isfinite(value) ? text : NULL);
}

static void samples_json(struct json *top, const char *key, const struct samples *s)
{
	struct json *o;

	if (!s->count) {
		json_add_null(top, key);
		return;
	}
	o = json_add_object(top, key);
	add_double(o, "mean", s->mean);
	add_double(o, "spread", s->count > 1 ? samples_spread(s) : NAN);
	json_add_number(o, "samples", (int64_t)s->count);
}

static void side_json(struct json *o, const struct side *side)
{
	struct json *jobs = json_add_list(o, "jobs");
	size_t i;

	for (i = 0; i < side->count; i++)
		json_append_text(jobs, side->reports[i]->id);
	for (i = 0; i < WORDS; i++)
		json_add_text(o, words[i], common(side, i));
	json_add_known(o, "nodes", nodes_of(side));
}

static void print_json_of(const struct side *sides)
{
	struct json *top = json_new_object();
	struct json *both = json_add_list(top, "sides"), *one;
	int i;

	side_json(json_append_object(both), &sides[0]);
	side_json(json_append_object(both), &sides[1]);
	json_add_text(top, "spread_over", is_of_nodes(sides) ? "nodes" : "jobs");
	for (i = 0; i < METRICS; i++) {
		one = json_add_object(top, metrics[i].key);
		samples_json(one, "first", &sides[0].jobs[i]);
		samples_json(one, "second", &sides[1].jobs[i]);
		add_double(one, "change_percent", change_of(sides, (enum metric)i));
		json_add_answer(one, "significant", is_significant(sides, (enum metric)i));
	}
	print_json(top);
}

/* ---- the jobs ------------------------------------------------------------------- */

static int add_report(struct options *o, struct side *side, struct job_source *source,
		      const char *id, struct err *err)
{
	struct job_report *r = job_report_get(source, id, RECORD_UNKNOWN, err);

	if (!r)
		return -1;
	side->reports = xrealloc(side->reports, side->count + 1, sizeof(struct job_report *));
	side->reports[side->count++] = r;
	r->limits = &o->limits;
	take_report(side, r);
	return 0;
}

/* From the ledger, or from sacct where that knows of more. */
static size_t find_family(struct job_source *source, const char *id, char (*ids)[JOB_ID_SIZE])
{
	size_t count = job_report_family(source, JOB_ASKED_LEDGER, id, ids, JOB_FAMILY_MAX);
	size_t more;

	if (count > 1)
		return count;
	more = job_report_family(source, JOB_ASKED_SACCT, id, ids + count, JOB_FAMILY_MAX - count);
	if (more <= count)
		return count;
	memmove(ids, ids + count, more * sizeof(*ids));
	return more;
}

/* "7", all of array 7, "7_[1-3]" */
static int add_jobs(struct options *o, struct side *side, struct job_source *source, const char *id,
		    struct err *err)
{
	char(*ids)[JOB_ID_SIZE] = xcalloc(JOB_FAMILY_MAX, JOB_ID_SIZE);
	size_t i, count = 0;
	int rc = 0;

	if (strchr(id, '['))
		count = (size_t)job_report_expand(id, ids, JOB_FAMILY_MAX, NULL);
	else if (!strpbrk(id, "_+"))
		count = find_family(source, id, ids);
	for (i = 0; rc == 0 && i < count; i++)
		rc = add_report(o, side, source, ids[i], err);
	if (!count)
		rc = add_report(o, side, source, id, err);
	free(ids);
	return rc;
}

static int fill_side(struct options *o, struct side *side, struct job_source *source,
		     struct err *err)
{
	char *copy = xstrdup(side->text), *list = copy, *id;
	int rc = 0;

	while (rc == 0 && (id = job_report_next(&list)))
		rc = add_jobs(o, side, source, id, err);
	free(copy);
	return rc;
}

static int compare(struct options *o, struct job_source *source, struct err *err)
{
	char *texts[] = { o->sides[0].text, o->sides[1].text };

	job_source_ask_sacct(source, texts, 2);
	if (fill_side(o, &o->sides[0], source, err) < 0 ||
	    fill_side(o, &o->sides[1], source, err) < 0)
		return -1;
	if (o->is_json)
		print_json_of(o->sides);
	else
		print_all(o->sides);
	return 0;
}

/* ---- the command line ------------------------------------------------------------ */

static int check_side(const char *text, struct err *err)
{
	char *copy = xstrdup(text), *list = copy, *id;
	int rc = 0, count = 0;

	while (rc == 0 && (id = job_report_next(&list))) {
		rc = job_report_check(id, err);
		count++;
	}
	free(copy);
	return rc < 0 || count ? rc : err_set(err, "which job?");
}

static int take_sides(void *options, int argc, char *argv[], struct err *err)
{
	struct options *o = options;

	if (argc != 2)
		return err_set(err, "two jobs, or two lists of them; see jobio compare --help");
	o->sides[0].text = argv[0];
	o->sides[1].text = argv[1];
	return check_side(argv[0], err) < 0 || check_side(argv[1], err) < 0 ? -1 : 0;
}

static const struct command_line line = {
	.name = NAME,
	.usage = { usage },
	.words = COMMAND_WORDS,
	.check = take_sides,
	.table = (const struct command_option[]){ COMMAND_FLAG("json", struct options, is_json),
						  COMMAND_TEXT("conf", struct options, conf),
						  { 0 } },
};

static void free_sides(struct options *o)
{
	int i;

	for (i = 0; i < 2; i++) {
		while (o->sides[i].count)
			job_report_free(o->sides[i].reports[--o->sides[i].count]);
		free(o->sides[i].reports);
	}
}

int compare_main(int argc, char *argv[])
{
	struct options o = { .conf = NULL };
	struct job_source source = { .config = NULL };
	struct config *config;
	struct err err = { "" };
	int rc = command_parse(&line, &o, argc, argv);

	if (rc >= 0)
		return rc;
	setlocale(LC_CTYPE, "");
	tone_init();
	rc = job_advice_config(&config, &o.limits, o.conf, NAME, &err);
	if (rc != COMMAND_OK)
		return rc;
	source.config = config;
	source.is_down = !config;
	source.why_down = err;
	rc = compare(&o, &source, &err) < 0 ? (int)command_fail(NAME, COMMAND_FAILED, &err)
					    : COMMAND_OK;
	free_sides(&o);
	job_source_close(&source);
	config_free(config);
	return rc;
}
