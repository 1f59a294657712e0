/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site.h - what all jobs of some days did with a site's filesystems
 *
 * Terms   tally: the sums (lib/tally.h), of jobs that ended from since_s to before
 *           until_s.
 *         source: "ledger", page by page; or "sacct", where the ledger does not
 *           answer or there is none: its summaries tell no advice, and what a
 *           job did on several filesystems is one sum.
 *         silent: jobs that sacct lists without a summary.
 * Owner   site_free(), NULL allowed.
 * Errors  NULL, the reason in *err: a user who is not root, SlurmUser or an
 *           operator of Slurm is refused.
 * Runs    jobio report --site.
 */
#ifndef JOBIO_REPORT_SITE_H
#define JOBIO_REPORT_SITE_H

#include <stdio.h>

#include "lib/tally.h"
#include "report/job_report.h"

struct site {
	int64_t since_s, until_s;
	const char *source;
	char why_not_ledger[ERR_MAX];
	int64_t silent;
	struct tally *tally; /* sorted */
};

/* Are these times, in this order? */
int site_check(const char *since, const char *until, struct err *err);

struct site *site_get(struct job_source *source, const char *since, const char *until,
		      struct err *err);
void site_free(struct site *site);

/* site_sacct.c: add up what sacct tells. */
int site_from_sacct(struct job_source *source, struct site *site, struct err *err);

/* site_text.c: so many lines of each table. */
void site_print_text(FILE *out, const struct site *site, size_t limit);
void site_print_csv(FILE *out, const struct site *site);
void site_print_json(FILE *out, const struct site *site);
/* site_page.c: as one HTML file, which replaces 'file'. */
int site_page_write(const char *file, const struct site *site, size_t limit, struct err *err);

/* site_view.c: what text and page say in the same words. */
#define SITE_HOURS 24
/* "5.6k", "0.5": hours of nodes */
const char *site_hours(int64_t node_s, char *out);
/* What a sum is called: "root", "no profile"; 'out' of SITE_NAME bytes. */
#define SITE_NAME 300
const char *site_name(const struct tally *tally, enum tally_kind kind, const struct tally_sum *sum,
		      char *out);
/* Would enforce have refused jobs? */
void site_gate_words(const struct site *site, char *out, size_t room);
/* "Filesystem", .. */
extern const char *const site_heads[TALLY_KINDS];

#endif
