/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for spreadsheets: one line of comma-separated values. */
#include "report/job_print.h"

#include "report/job_advice.h"
#include "report/job_view.h"

void job_print_csv_head(FILE *out)
{
	fputs("job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,"
	      "cpus,profile,read_bytes,read_calls,write_bytes,write_calls,"
	      "scope,counted_by,quality,peak_read_Bps,peak_write_Bps,name,"
	      "user,account,partition,state,exit_code,start,end,elapsed_s,"
	      "nodes,advice\n",
	      out);
}

static void csv_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputs("\",", out);
}

static void csv_number(FILE *out, int64_t number)
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

	csv_text(out, job->name);
	csv_text(out, job_user_of(r));
	csv_text(out, job->account);
	csv_text(out, job->partition);
	csv_text(out, job->state);
	csv_number(out, job->exit_code);
	csv_number(out, job->start);
	csv_number(out, job->end);
	csv_number(out, job->elapsed_s);
	csv_number(out, nodes);
	fputc('"', out);
	job_advice_codes(out, r);
	fputs("\"\n", out);
}

void job_print_csv(const struct job_report *r, FILE *out)
{
	static const char *const scopes[] = { "", "job", "node" };
	const struct summary *s = &r->summary;

	csv_text(out, r->id);
	csv_text(out, r->cluster);
	csv_number(out, r->restart);
	csv_text(out, r->source);
	csv_number(out, s->nodes_seen);
	csv_number(out, s->nodes_expected);
	csv_text(out, s->cores);
	csv_text(out, s->cpus);
	csv_text(out, s->prof);
	csv_number(out, s->rd_bytes);
	csv_number(out, s->rd_calls);
	csv_number(out, s->wr_bytes);
	csv_number(out, s->wr_calls);
	csv_text(out, scopes[s->scope]);
	csv_text(out, s->src);
	csv_quality(out, s->flags);
	csv_number(out, s->peak_rd);
	csv_number(out, s->peak_wr);
	csv_slurm(out, r);
}
