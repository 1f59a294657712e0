/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio advise - what to ask for the next time, and why. */
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "lib/alloc.h"
#include "lib/json.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/job_advice.h"
#include "report/job_report.h"
#include "report/job_view.h"
#include "report/next_run.h"
#include "report/print.h"
#include "report/tone.h"

#define NAME "advise"
#define SINCE "now-30days"
#define RUNS_MAX 20

static const char usage[] =
	"usage: jobio advise [OPTION]... JOB\n"
	"\n"
	"Says what to ask for when JOB is submitted again: from its advice, and from\n"
	"its other runs, the jobs of the same name and user of the last 30 days.\n"
	"\n"
	"  --options     only the options, for\n"
	"                sbatch $(jobio advise --options JOB) SCRIPT;\n"
	"                nothing where there is nothing to change\n"
	"  --json        one JSON object\n"
	"  --conf=FILE   instead of " JOBIO_CONF "\n"
	"\n"
	"Exit status: 0, also when there is nothing to change, or too little to judge\n"
	"(which it says on standard error); 1 when nothing is known of the job; 2 bad\n"
	"usage.\n";

struct options {
	const char *conf, *job;
	bool is_short, is_json;
	struct config_advice limits;
};

/* The job, and its other runs. */
struct work {
	struct job_source source, others;
	struct job_report *job, **runs;
	size_t count;
	struct next_run next;
};

/* ---- other runs ------------------------------------------------------------------ */

static bool is_other_run(const struct job_report *job, const struct job_report *run)
{
	return !strcmp(run->slurm->name, job->slurm->name) &&
	       !strcmp(run->slurm->user, job->slurm->user) &&
	       strcmp(run->slurm->raw_id, job->slurm->raw_id) != 0 &&
	       sacct_is_state(run->slurm->state, "COMPLETED");
}

/* sacct lists the newest last: those are kept. */
static void choose(struct work *w, size_t listed)
{
	size_t i, kept = 0;

	for (i = listed; i-- > 0;) {
		struct job_report *run = w->runs[i];

		w->runs[i] = NULL;
		if (kept < RUNS_MAX && is_other_run(w->job, run))
			w->runs[listed - ++kept] = run;
		else
			job_report_free(run);
	}
	/* in sacct's order: the ledger's answer has it, too */
	memmove(w->runs, w->runs + listed - kept, kept * sizeof(*w->runs));
	w->count = kept;
}

/* Without them the job's own advice is all there is: never a failure. */
static void find_runs(struct work *w, const struct options *o)
{
	const struct sacct_row *row = w->job->slurm;
	struct sacct_query query = { .since = SINCE, .until = "now" };
	struct err err;
	size_t i;

	if (!row || !*row->name || !*row->user)
		return;
	query.users = row->user;
	query.name = row->name;
	w->others = w->source;
	w->others.slurm = sacct_ask(&query, &err);
	if (!w->others.slurm)
		return;
	w->runs = job_report_list(w->others.slurm);
	choose(w, w->others.slurm->count);
	job_report_fill(&w->others, w->runs, w->count, false, &err);
	for (i = 0; i < w->count; i++)
		w->runs[i]->limits = &o->limits;
}

/* ---- text ------------------------------------------------------------------------ */

static void print_step(const struct next_step *step)
{
	const struct advice *a = &step->advice;

	if (step->is_taken)
		printf("  %s%s%s\n", tone(TONE_GOOD), step->option, tone(TONE_END));
	else if (*step->option)
		printf("  not taken: %s\n", step->option);
	else
		puts("  by hand");
	if (step->has_advice)
		printf("      %s%s%s%s%s, %s: %s; %s\n", tone(TONE_WARN), a->code, tone(TONE_END),
		       *a->fs ? " on " : "", a->fs, advice_trust_name(a->trust), a->what, a->why);
	if (step->has_advice && !*step->option)
		printf("      do: %s\n", a->cure);
	if (*step->note)
		printf("      %s\n", step->note);
}

static void print_text(const struct work *w)
{
	const struct next_run *next = &w->next;
	const char *user = job_user_of(w->job);
	size_t i;

	printf("%sjob %s%s%s%s: %zu other run%s of it, %zu like it\n", tone(TONE_STRONG),
	       w->job->id, tone(TONE_END), *user ? ", user " : "", user, w->count,
	       w->count == 1 ? "" : "s", next->like);
	for (i = 0; i < next->count; i++)
		print_step(&next->step[i]);
	if (*next->options)
		printf("next time: sbatch %s SCRIPT\n", next->options);
	else
		puts("next time: no other options");
}

/* ---- JSON ------------------------------------------------------------------------ */

static void step_json(struct json *o, const struct next_step *step)
{
	const struct advice *a = &step->advice;
	bool has = step->has_advice;

	json_add_text(o, "option", *step->option ? step->option : NULL);
	json_add_bool(o, "taken", step->is_taken);
	json_add_text(o, "note", *step->note ? step->note : NULL);
	json_add_text(o, "code", has ? a->code : NULL);
	json_add_text(o, "fs", has && *a->fs ? a->fs : NULL);
	json_add_text(o, "what", has ? a->what : NULL);
	json_add_text(o, "why", has ? a->why : NULL);
	json_add_text(o, "do", has ? a->cure : NULL);
	json_add_text(o, "confidence", has ? advice_trust_name(a->trust) : NULL);
}

static void print_as_json(const struct work *w)
{
	struct json *top = json_new_object();
	struct json *steps;
	size_t i;

	json_add_text(top, "id", w->job->id);
	json_add_bool(top, "judged", w->next.is_judged);
	json_add_text(top, "options", w->next.options);
	json_add_number(top, "runs", (int64_t)w->count);
	json_add_number(top, "runs_like_it", (int64_t)w->next.like);
	steps = json_add_list(top, "steps");
	for (i = 0; i < w->next.count; i++)
		step_json(json_append_object(steps), &w->next.step[i]);
	print_json(top);
}

/* ---------------------------------------------------------------------------------- */

static void say_too_little(const struct work *w, const struct options *o)
{
	const struct job_report *r = w->job;

	if (!r->record_count)
		fprintf(stderr,
			"jobio: " NAME
			": job: '%s': too little to judge: no records of its nodes: %s\n",
			r->id, r->why_not_ledger);
	else
		fprintf(stderr,
			"jobio: " NAME
			": job: '%s': too little to judge: not %u s, %u MiB or %u calls of this job alone on a client's filesystem\n",
			r->id, o->limits.min_seconds, o->limits.min_mib, o->limits.min_calls);
}

static int advise(struct work *w, const struct options *o, const struct config *config,
		  struct err *err)
{
	char *id = (char *)o->job;

	job_source_ask_sacct(&w->source, &id, 1);
	w->job = job_report_get(&w->source, id, RECORD_UNKNOWN, err);
	if (!w->job)
		return -1;
	w->job->limits = &o->limits;
	find_runs(w, o);
	next_run_find(&w->next, w->job, w->runs, w->count, config);
	if (o->is_json)
		print_as_json(w);
	else if (!w->next.is_judged)
		say_too_little(w, o);
	else if (!o->is_short)
		print_text(w);
	else if (*w->next.options)
		puts(w->next.options);
	return 0;
}

static void release(struct work *w)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		job_report_free(w->runs[i]);
	free(w->runs);
	job_report_free(w->job);
	sacct_free(w->others.slurm);
	w->source.link = w->others.link ? w->others.link : w->source.link;
	job_source_close(&w->source);
}

static int check(void *options, int argc, char *argv[], struct err *err)
{
	struct options *o = options;

	if (argc != 1)
		return err_set(err, "of which job? one, as in jobio advise 7");
	o->job = argv[0];
	if (o->is_short && o->is_json)
		return err_set(err, "--options and --json exclude each other");
	if (strchr(o->job, '['))
		return err_set(err, "job: '%s': several: name one of its tasks", o->job);
	return job_report_check(o->job, err);
}

static const struct command_line line = {
	.name = NAME,
	.usage = { usage },
	.words = COMMAND_WORDS,
	.check = check,
	.table = (const struct command_option[]){ COMMAND_FLAG("options", struct options, is_short),
						  COMMAND_FLAG("json", struct options, is_json),
						  COMMAND_TEXT("conf", struct options, conf),
						  { 0 } },
};

int advise_main(int argc, char *argv[])
{
	struct options o = { .conf = NULL };
	struct config *config;
	struct work *w;
	struct err err = { "" };
	int rc;

	setlocale(LC_CTYPE, "");
	tone_init();
	rc = command_parse(&line, &o, argc, argv);
	if (rc >= 0)
		return rc;
	rc = job_advice_config(&config, &o.limits, o.conf, NAME, &err);
	if (rc != COMMAND_OK)
		return rc;
	w = xcalloc(1, sizeof(*w));
	w->source.config = config;
	w->source.is_down = !config;
	w->source.why_down = err;
	if (advise(w, &o, config, &err) < 0)
		rc = command_fail(NAME, COMMAND_FAILED, &err);
	release(w);
	free(w);
	config_free(config);
	return rc;
}
