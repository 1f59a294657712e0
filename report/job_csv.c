/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for spreadsheets and accounting: one line of comma-separated values.
 * jobio-report(5) promises that no column ever moves or goes: new ones come last. */
#include "report/job_print.h"

#include <string.h>

#include "lib/number.h"
#include "report/job_advice.h"
#include "report/job_view.h"

#define CODES_MAX 64 /* of findings */

void job_print_csv_head(FILE *out)
{
	fputs("job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,cpus,profile,read_bytes,read_calls,write_bytes,write_calls,scope,counted_by,quality,peak_read_Bps,peak_write_Bps,name,user,account,partition,state,exit_code,start,end,elapsed_s,nodes,advice,job_id,array_job,array_task,het_job,het_offset,signal,metadata_calls,filesystems,findings,gate_warned_tasks,gate_refused_tasks\n",
	      out);
}

static void csv_word(FILE *out, const char *text)
{
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
}

void job_csv_text(FILE *out, const char *text)
{
	fputc('"', out);
	csv_word(out, text);
	fputs("\",", out);
}

void job_csv_number(FILE *out, int64_t number)
{
	if (number >= 0)
		fprintf(out, "%lld", (long long)number);
	fputc(',', out);
}

static void csv_quality(FILE *out, uint32_t flags)
{
	const char *before = "\"";
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (flags & (UINT32_C(1) << bit)) {
			fprintf(out, "%s%s", before, record_flag_name(bit));
			before = " ";
		}
	fputs(*before == ' ' ? "\"," : "\"\",", out);
}

static void csv_slurm(FILE *out, const struct job_report *r)
{
	static const struct sacct_row none = { .name = "",
					       .account = "",
					       .partition = "",
					       .state = "",
					       .exit_code = RECORD_UNKNOWN,
					       .start = RECORD_UNKNOWN,
					       .end = RECORD_UNKNOWN,
					       .elapsed_s = RECORD_UNKNOWN };
	const struct sacct_row *job = r->slurm ? r->slurm : &none;
	int64_t nodes = job_nodes_of(r);

	job_csv_text(out, job->name);
	job_csv_text(out, job_user_of(r));
	job_csv_text(out, job->account);
	job_csv_text(out, job->partition);
	job_csv_text(out, job->state);
	job_csv_number(out, job->exit_code);
	job_csv_number(out, job->start);
	job_csv_number(out, job->end);
	job_csv_number(out, job->elapsed_s);
	job_csv_number(out, nodes);
	fputc('"', out);
	job_advice_codes(out, r);
	fputs("\",", out);
}

/* Slurm's own number, of an array's task as well. */
static int64_t number_of(const struct job_report *r)
{
	unsigned long number;

	if (r->job)
		return r->job;
	if (r->slurm && r->slurm->raw_id &&
	    number_parse(r->slurm->raw_id, 1, UINT32_MAX, &number, NULL) == 0)
		return (int64_t)number;
	return RECORD_UNKNOWN;
}

/* 1: it is new, and kept; 0: it is not, or there are too many. */
static int keep_code(const char *codes[CODES_MAX], size_t *count, const char *code)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (!strcmp(codes[i], code))
			return 0;
	if (*count == CODES_MAX)
		return 0;
	codes[(*count)++] = code;
	return 1;
}

/* The codes of all nodes, each once. */
static void csv_findings(FILE *out, const struct job_report *r)
{
	const char *codes[CODES_MAX], *code;
	size_t i, k, count = 0;

	fputc('"', out);
	for (i = 0; i < r->record_count; i++)
		for (k = 0; k < r->records[i]->finding_count; k++) {
			code = r->records[i]->findings[k].code;
			if (!keep_code(codes, &count, code))
				continue;
			fputs(count > 1 ? " " : "", out);
			csv_word(out, code);
		}
	fputs("\",", out);
}

/* Of what it is a part, and which; empty: it is none. */
static void csv_pair(FILE *out, int64_t job, int64_t part)
{
	job_csv_number(out, job > 0 ? job : RECORD_UNKNOWN);
	job_csv_number(out, job > 0 ? part : RECORD_UNKNOWN);
}

static void csv_rest(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;

	job_csv_number(out, number_of(r));
	csv_pair(out, r->array_job, r->array_task);
	csv_pair(out, r->het_job, r->het_offset);
	job_csv_number(out, r->slurm ? r->slurm->signal : RECORD_UNKNOWN);
	job_csv_number(out, s->meta);
	job_csv_text(out, s->fs);
	csv_findings(out, r);
	job_csv_number(out, s->gate_warned);
	if (s->gate_refused >= 0)
		fprintf(out, "%lld", (long long)s->gate_refused);
	fputc('\n', out);
}

void job_print_csv(const struct job_report *r, FILE *out)
{
	static const char *const scopes[] = { "", "job", "node" };
	const struct summary *s = &r->summary;

	job_csv_text(out, r->id);
	job_csv_text(out, r->cluster);
	job_csv_number(out, r->restart);
	job_csv_text(out, r->source);
	job_csv_number(out, s->nodes_seen);
	job_csv_number(out, s->nodes_expected);
	job_csv_text(out, s->cores);
	job_csv_text(out, s->cpus);
	job_csv_text(out, s->prof);
	job_csv_number(out, s->rd_bytes);
	job_csv_number(out, s->rd_calls);
	job_csv_number(out, s->wr_bytes);
	job_csv_number(out, s->wr_calls);
	job_csv_text(out, scopes[s->scope]);
	job_csv_text(out, s->src);
	csv_quality(out, s->flags);
	job_csv_number(out, s->peak_rd);
	job_csv_number(out, s->peak_wr);
	csv_slurm(out, r);
	csv_rest(out, r);
}
