/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A site's sums for people and for programs. */
#include "report/site.h"

#include <string.h>

#include "advice/advice.h"
#include "lib/json.h"
#include "report/job_io.h"
#include "report/job_print.h"
#include "report/tone.h"
#include "report/when.h"

#define NAME_WIDE 28
#define GATE_SHOWN 20
#define CURE_MIN_WIDE 30

/* ---- text -------------------------------------------------------------------- */

static void print_jobs(FILE *out, const char *name, int64_t count, const char *words)
{
	char text[16];

	if (count > 0)
		fprintf(out, "  %-13s %s job%s %s\n", name, job_count(count, text),
			count == 1 ? "" : "s", words);
}

static void print_head(FILE *out, const struct site *site)
{
	const struct tally *t = site->tally;
	char since[WHEN_SIZE], until[WHEN_SIZE], jobs[16], hours[SITE_HOURS];

	fprintf(out, "%s%s job%s%s that ended from %s to %s, %s node hours\n", tone(TONE_STRONG),
		job_count(t->jobs, jobs), t->jobs == 1 ? "" : "s", tone(TONE_END),
		when_text(site->since_s, since), when_text(site->until_s, until),
		site_hours(t->node_s, hours));
	print_jobs(out, "not added", t->wide, "with node-wide numbers alone");
	print_jobs(out, "not added", site->silent, "of which sacct has no summary");
	if (*site->why_not_ledger)
		fprintf(out, "  %-13s from the summaries in sacct, without advice: %s\n", "note",
			site->why_not_ledger);
}

static void print_gate(FILE *out, const struct site *site)
{
	const struct tally *t = site->tally;
	char words[200], text[16];
	size_t i, shown = 0;

	site_gate_words(site, words, sizeof(words));
	fprintf(out, "  %-13s %s%s%s\n", "gate", t->warned_jobs ? tone(TONE_WARN) : "", words,
		tone(TONE_END));
	print_jobs(out, "", t->refused_jobs, "had tasks that it refused");
	for (i = 0; i < t->gate_count && shown < GATE_SHOWN; i++) {
		const struct tally_job *job = &t->gate[i];

		if (!job->warned)
			continue;
		fprintf(out, "  %-13s %lld of %s on cluster %s, %s task%s\n",
			shown++ ? "" : "warned", (long long)job->job,
			*job->user ? job->user : "unknown", job->cluster,
			job_count(job->warned, text), job->warned == 1 ? "" : "s");
	}
	if (t->warned_jobs > (int64_t)shown)
		fprintf(out, "  %-13s and %lld more: --csv has them\n", "",
			(long long)t->warned_jobs - (long long)shown);
}

/* "-" unknown */
static const char *bytes(int64_t number, char *out)
{
	return number < 0 ? "-" : job_bytes(number, out);
}

static void print_sum(FILE *out, const struct tally *t, enum tally_kind kind,
		      const struct tally_sum *sum)
{
	char text[SITE_NAME], hours[SITE_HOURS], jobs[16], read[16];
	char written[16], meta[16], peak[16];
	const char *name = site_name(t, kind, sum, text);

	/* its numbers stay below the others' */
	if (strlen(name) > NAME_WIDE) {
		fprintf(out, "%s\n", name);
		name = "";
	}
	fprintf(out, "%-*s %7s %10s %9s %9s %9s", NAME_WIDE, name, job_count(sum->jobs, jobs),
		site_hours(sum->node_s, hours), bytes(sum->numbers[IO_READ_BYTES], read),
		bytes(sum->numbers[IO_WRITE_BYTES], written),
		sum->numbers[IO_META_CALLS] < 0 ? "-"
						: job_count(sum->numbers[IO_META_CALLS], meta));
	if (sum->numbers[IO_PEAK_READ] >= 0)
		fprintf(out, " %9s  %lld\n", job_bytes(sum->numbers[IO_PEAK_READ], peak),
			(long long)sum->peak_job);
	else
		fprintf(out, " %9s  -\n", "-");
}

static void print_advice(FILE *out, const struct tally *t, const struct tally_sum *sum)
{
	const char *cure = advice_cure(sum->name);
	char hours[SITE_HOURS], jobs[16];
	int room = tone_width() - NAME_WIDE - 28;

	if (room < CURE_MIN_WIDE)
		room = tone_width() ? CURE_MIN_WIDE : 1000;
	fprintf(out, "%-*s %7s %10s %7.0f%%  %.*s\n", NAME_WIDE, sum->name,
		job_count(sum->jobs, jobs), site_hours(sum->node_s, hours),
		t->judged > 0 ? 100.0 * (double)sum->jobs / (double)t->judged : 0, room,
		cure ? cure : "of a later version");
}

static void print_table(FILE *out, const struct tally *t, enum tally_kind kind, size_t limit)
{
	size_t i, count = t->counts[kind];

	if (!count)
		return;
	fprintf(out, "\n%s%-*s %7s %10s ", tone(TONE_STRONG), NAME_WIDE, site_heads[kind], "Jobs",
		"Node hours");
	if (kind == TALLY_ADVICE)
		fprintf(out, "%8s  Do", "Of jobs");
	else
		fprintf(out, "%9s %9s %9s %9s  Its job", "Read", "Written", "Metadata", "Peak/s");
	fprintf(out, "%s\n", tone(TONE_END));
	for (i = 0; i < count && i < limit; i++)
		if (kind == TALLY_ADVICE)
			print_advice(out, t, &t->sums[kind][i]);
		else
			print_sum(out, t, kind, &t->sums[kind][i]);
	if (count > limit)
		fprintf(out, "and %zu more: --limit=%zu shows them\n", count - limit, count);
}

void site_print_text(FILE *out, const struct site *site, size_t limit)
{
	int kind;

	print_head(out, site);
	print_gate(out, site);
	for (kind = 0; kind < TALLY_KINDS; kind++)
		print_table(out, site->tally, (enum tally_kind)kind, limit);
}

/* ---- CSV --------------------------------------------------------------------- */

static void csv_sum(FILE *out, enum tally_kind kind, const struct tally_sum *sum)
{
	bool is_advice = kind == TALLY_ADVICE;

	job_csv_text(out, tally_names[kind]);
	job_csv_text(out, sum->name);
	job_csv_text(out, sum->cluster);
	job_csv_text(out, sum->type);
	job_csv_number(out, sum->jobs);
	fprintf(out, "%.3f,", (double)sum->node_s / 3600);
	job_csv_number(out, is_advice ? -1 : sum->numbers[IO_READ_BYTES]);
	job_csv_number(out, is_advice ? -1 : sum->numbers[IO_WRITE_BYTES]);
	job_csv_number(out, is_advice ? -1 : sum->numbers[IO_META_CALLS]);
	job_csv_number(out, is_advice ? -1 : sum->numbers[IO_PEAK_READ]);
	job_csv_number(out, is_advice || sum->numbers[IO_PEAK_READ] < 0 ? -1 : sum->peak_job);
	fputs(",\n", out); /* tasks are the gate's */
}

void site_print_csv(FILE *out, const struct site *site)
{
	const struct tally *t = site->tally;
	size_t i;
	int kind;

	fputs("table,name,cluster,type,jobs,node_hours,read_bytes,write_bytes,metadata,peak_Bps,job,warned_tasks,refused_tasks\n",
	      out);
	for (kind = 0; kind < TALLY_KINDS; kind++)
		for (i = 0; i < t->counts[kind]; i++)
			csv_sum(out, (enum tally_kind)kind, &t->sums[kind][i]);
	for (i = 0; i < t->gate_count; i++) {
		job_csv_text(out, "gate");
		job_csv_text(out, t->gate[i].user);
		job_csv_text(out, t->gate[i].cluster);
		fputs("\"\",1,,,,,,", out);
		job_csv_number(out, t->gate[i].job);
		job_csv_number(out, t->gate[i].warned);
		fprintf(out, "%lld\n", (long long)t->gate[i].refused);
	}
}

/* ---- JSON -------------------------------------------------------------------- */

void site_print_json(FILE *out, const struct site *site)
{
	struct json *top = json_new_object();

	json_add_text(top, "source", site->source);
	json_add_text(top, "why_not_ledger", *site->why_not_ledger ? site->why_not_ledger : NULL);
	json_add_number(top, "since", site->since_s);
	json_add_number(top, "until", site->until_s);
	json_add_number(top, "silent", site->silent);
	tally_json(site->tally, top);
	fprintf(out, "%s\n", json_line(top));
	json_free(top);
}
