/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for spreadsheets: one line of comma-separated values. */
#include "report/job_print.h"

void job_print_csv_head(FILE *out)
{
	fputs("job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,"
	      "cpus,profile,read_bytes,read_calls,write_bytes,write_calls,"
	      "scope,counted_by,quality,peak_read_Bps,peak_write_Bps\n",
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
	if (s->peak_wr >= 0)
		fprintf(out, "%lld", (long long)s->peak_wr);
	fputc('\n', out);
}
