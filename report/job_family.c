/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report for people of many tasks: their sum, and a line each. */
#include "report/job_print.h"

#include <string.h>

#include "lib/run.h"
#include "report/job_io.h"
#include "report/job_view.h"

static void print_numbers(FILE *out, const char *name, const struct summary *s)
{
	char a[16], b[16], c[16], d[16];

	fprintf(out, "  %-13s read %s in %s calls, written %s in %s", name,
		job_bytes(s->rd_bytes, a), job_count(s->rd_calls, b), job_bytes(s->wr_bytes, c),
		job_count(s->wr_calls, d));
}

static void print_task(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;
	char seen[16], all[16];

	print_numbers(out, r->id, s);
	if (s->nodes_expected >= 0 && s->nodes_seen < s->nodes_expected)
		fprintf(out, "; %s of %s nodes", job_count(s->nodes_seen, seen),
			job_count(s->nodes_expected, all));
	if (s->scope == SUMMARY_SCOPE_NODE)
		fputs("; NODE-WIDE", out);
	job_print_lacks(out, "; not given: ", s->lacks);
	if (job_is_of_slurm(r))
		fprintf(out, "; %s%s%s", tone(job_state_tone(r->slurm->state)), r->slurm->state,
			tone(TONE_END));
	fputc('\n', out);
}

static void add(struct summary *sum, const struct summary *s)
{
	io_add_number(&sum->rd_bytes, s->rd_bytes);
	io_add_number(&sum->rd_calls, s->rd_calls);
	io_add_number(&sum->wr_bytes, s->wr_bytes);
	io_add_number(&sum->wr_calls, s->wr_calls);
	io_add_number(&sum->meta, s->meta);
	sum->lacks |= s->lacks;
	sum->flags |= s->flags;
	if (s->scope > sum->scope)
		sum->scope = s->scope;
}

void job_family_sum(struct job_report *const *reports, size_t count, struct summary *sum)
{
	size_t i;

	summary_init(sum);
	for (i = 0; i < count; i++)
		add(sum, &reports[i]->summary);
}

void job_print_family(const char *id, struct job_report *const *reports, size_t count,
		      size_t unknown, FILE *out)
{
	const char *user = job_user_of(reports[0]);
	bool is_array = strchr(reports[0]->id, '_') != NULL;
	struct summary sum;
	size_t i;

	job_family_sum(reports, count, &sum);
	fprintf(out, "job %s: %zu %s", id, count, is_array ? "tasks of an array" : "components");
	if (reports[0]->cluster)
		fprintf(out, " on cluster %s", reports[0]->cluster);
	if (*user)
		fprintf(out, ", user %s", user);
	job_print_lacks(out, "; not given: ", sum.lacks);
	fputc('\n', out);
	print_numbers(out, "total", &sum);
	fputc('\n', out);
	for (i = 0; i < count; i++)
		print_task(out, reports[i]);
	if (sum.flags & RECORD_FLAG(ALL_FILES))
		fprintf(out, "  %-13s %s\n", "quality", record_flag_words(RECORD_BIT_ALL_FILES));
	if (unknown)
		fprintf(out, "  %-13s nothing is known of %zu more\n", "note", unknown);
	fprintf(out, "  %-13s one in full: jobio report %s\n", "note", reports[0]->id);
}
