/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_row.h"

#include <stdio.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/number.h"

/* "5_2" and "7+1" as sacct writes them. */
static void take_family(struct job_report *r, const char *id)
{
	unsigned long job, part;
	char copy[64], *mark;
	bool is_array;

	snprintf(copy, sizeof(copy), "%s", id);
	mark = strpbrk(copy, "_+");
	if (!mark)
		return;
	is_array = *mark == '_';
	*mark++ = 0;
	if (number_parse(copy, 1, UINT32_MAX, &job, NULL) < 0 ||
	    number_parse(mark, 0, UINT32_MAX, &part, NULL) < 0)
		return;
	*(is_array ? &r->array_job : &r->het_job) = (int64_t)job;
	*(is_array ? &r->array_task : &r->het_offset) = (int64_t)part;
}

/* Of a row with a summary. */
static struct job_report *row_report(const char *id, const struct sacct_row *row, struct err *err)
{
	struct job_report *r = job_report_new(id, "sacct");

	job_report_text(&r->summary_text, row->summary);
	job_report_text(&r->cluster, row->cluster);
	if (summary_parse(row->summary, &r->summary, err) == 0) {
		take_family(r, row->id);
		return r;
	}
	job_report_free(r);
	return NULL;
}

struct job_report *job_row_find(const struct job_source *source, const char *id, bool *is_early,
				struct err *err)
{
	const struct sacct_row *row = sacct_find(source->slurm, id);

	*is_early = false;
	if (!source->slurm) {
		*err = source->why_no_slurm;
	} else if (!row) {
		err_set(err, "sacct: no such job that you may see");
	} else if (row->summary) {
		return row_report(id, row, err);
	} else if ((*is_early = sacct_is_early(row->state))) {
		err_set(err, "the job is %s; what it read and wrote is known when it has ended",
			row->state);
	} else {
		err_set(err,
			"sacct: the job is %s and has no summary: jobio was not at work, or its nodes have not reported yet",
			row->state);
	}
	return NULL;
}

/* "25_[4-9]" of tasks that wait is none of them. */
size_t job_row_family(const struct sacct_rows *rows, const char *id, char (*ids)[JOB_ID_SIZE],
		      size_t max)
{
	size_t i, length = strlen(id), count = 0;

	for (i = 0; rows && i < rows->count && count < max; i++)
		if (job_report_is_id(rows->row[i].id) && !strncmp(rows->row[i].id, id, length) &&
		    strspn(rows->row[i].id + length, "_+") == 1)
			snprintf(ids[count++], JOB_ID_SIZE, "%s", rows->row[i].id);
	return count;
}

struct job_report *job_row_listed(const struct sacct_row *row)
{
	struct job_report *r = row->summary ? row_report(row->id, row, NULL) : NULL;

	if (!r) {
		r = job_report_new(row->id, "sacct");
		job_report_text(&r->cluster, row->cluster);
		summary_init(&r->summary);
		take_family(r, row->id);
	}
	r->slurm = row;
	return r;
}

struct job_report **job_report_list(const struct sacct_rows *rows)
{
	struct job_report **list = xcalloc(rows->count + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < rows->count; i++)
		list[i] = job_row_listed(&rows->row[i]);
	return list;
}
