/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_list.h - the jobs of a user, an account or a time, a line each
 *
 * Terms   query: what was asked for on the command line; sacct chooses, who
 *           shows what slurmdbd lets the caller see.
 *         left_out: jobs beyond the limit, the last in the order asked for.
 * Owner   job_list_free(), NULL allowed. 'source' must outlive the list.
 * Errors  -1 or NULL, the reason in *err.
 * Runs    jobio report; any user. The ledger is asked in pages; what it does not
 *         show, or does not answer, is from sacct's summaries: why_not_ledger.
 */
#ifndef JOBIO_REPORT_JOB_LIST_H
#define JOBIO_REPORT_JOB_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/job_report.h"

#define JOB_LIST_LIMIT 1000

struct job_list_query {
	const char *users, *accounts, *since, *until, *states;
	int sort; /* a row of the table in job_list.c */
	size_t limit;
	bool has_limit; /* it was asked for */
	bool is_given;	/* one of these was asked for */
	bool is_brief;	/* without timelines and histograms */
};

struct job_list {
	struct job_report **reports;
	size_t count, left_out;
	char why_not_ledger[ERR_MAX];
};

/* Options of these names; 'name' is that of the table of getopt_long(). 1: it
 * was one of ours, 0: it was not. */
int job_list_option(struct job_list_query *query, const char *name, const char *value,
		    struct err *err);
void job_list_init(struct job_list_query *query);
/* "start": what they are sorted by. */
const char *job_list_sorted_by(const struct job_list_query *query);

struct job_list *job_list_get(struct job_source *source, const struct job_list_query *query,
			      struct err *err);
void job_list_free(struct job_list *list);

/* A table; the list has what each report needs (limits). */
void job_list_print(FILE *out, const struct job_list *list, const struct job_list_query *query);

#endif
