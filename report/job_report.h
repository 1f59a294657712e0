/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_report.h - what is known of one job, from the ledger or from sacct
 *
 * Terms   source: "ledger" (summary and the records of the nodes), "sacct"
 *           (the summary alone, of three digits), or "live" (live_view.h).
 *         left_out: records that did not fit into the ledger's answer.
 * Owner   job_report_free(); everything hangs on the report.
 * Errors  NULL and a sentence that says what both sources said.
 * Runs    jobio report; any user. Both sources have deadlines.
 */
#ifndef JOBIO_REPORT_JOB_REPORT_H
#define JOBIO_REPORT_JOB_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/err.h"
#include "lib/ledger_link.h"
#include "lib/record.h"
#include "lib/summary.h"
#include "report/sacct.h"

#define JOB_ID_SIZE 32
#define JOB_FAMILY_MAX 1000

enum advice_want {
	ADVICE_WANT_FIRST, /* the most valuable */
	ADVICE_WANT_ALL,
	ADVICE_WANT_NONE
};

/* What is known only of a job that runs: of source "live". */
struct job_look {
	size_t nodes;		    /* of the job; 0: unknown */
	size_t blind;		    /* nodes that count nothing before the job ends */
	size_t mute;		    /* nodes that did not answer */
	char who[400];		    /* "c3: it did not answer, c4: .." */
	double since_s;		    /* since the look before; 0: there was none */
	int64_t rd_bytes, wr_bytes; /* since then */
};

struct job_report {
	char *id;		      /* as it was asked for */
	const char *source;	      /* "ledger", "sacct", "live" */
	char why_not_ledger[ERR_MAX]; /* of source "sacct" */
	char *summary_text;
	struct summary summary;
	/* array or heterogeneous job that it belongs to; both 0: none */
	int64_t array_job, array_task, het_job, het_offset;
	const struct sacct_row *slurm; /* borrowed; NULL: sacct has none */
	/* from the ledger only */
	char *json; /* its whole answer */
	char *cluster, *state, *error;
	uint32_t job;
	int64_t restart, runs, left_out;
	int64_t newest; /* run's number, of which Slurm speaks; unknown */
	struct record **records;
	size_t record_count;
	const struct job_look *look; /* borrowed; NULL: of source "live" only */
	/* for the printer */
	enum advice_want advice;
	const struct config_advice *limits; /* borrowed */
	bool is_verbose;
	bool is_old_run; /* asked for by its number */
};

/* Where to ask: the link is opened when it is first needed. */
struct job_source {
	const struct config *config; /* NULL: is_down */
	struct ledger_link *link;
	bool is_down; /* the link failed: do not try again */
	struct err why_down;
	struct sacct_rows *slurm; /* what it said of all jobs; NULL: nothing */
	struct err why_no_slurm;
	char *cluster; /* of this host; job_source_cluster() */
	bool knows_cluster;
};

/* Ask sacct about these jobs, in one call. That it says nothing is no error: the
 * ledger may know. */
void job_source_ask_sacct(struct job_source *source, char *const *ids, size_t count);
void job_source_close(struct job_source *source);

/* 'restart' RECORD_UNKNOWN: the newest run. */
struct job_report *job_report_get(struct job_source *source, const char *id, int64_t restart,
				  struct err *err);
void job_report_free(struct job_report *report);

/* One that knows nothing yet, to be filled in. */
struct job_report *job_report_new(const char *id, const char *source);
/* A clean copy, for people: the ledger and sacct say what nodes and users told
 * them. NULL stays NULL. */
void job_report_text(char **out, const char *text);

/* Of jobs that sacct has listed, as far as its summaries tell; one without is
 * of source "sacct", its summary_text NULL. Caller frees each and the list. */
struct job_report **job_report_list(const struct sacct_rows *rows);
/* Give them what the ledger knows and shows, in as few questions as it takes;
 * brief: nobody asks for timelines and histograms. -1: it does not answer, or
 * not to this question; they stay as they are. */
int job_report_fill(struct job_source *source, struct job_report **reports, size_t count,
		    bool is_brief, struct err *err);

/* Of those of the jobs that sacct knows, and the ledger all of: their reports, in
 * their places, in as few questions as it takes. NULL in the others' places, which
 * job_report_get() knows more of. */
void job_report_many(struct job_source *source, char (*ids)[JOB_ID_SIZE], size_t count,
		     bool is_brief, struct job_report **reports);

/* 0 when this is "7", "5_1", "7+1" or "5_[1-3]"; else a sentence that says what
 * to ask. */
int job_report_check(const char *id, struct err *err);
/* Is it "7", "5_1" or "7+1"? */
bool job_report_is_id(const char *id);
/* Cut the first of "7,5_[1-3,9],8" off; NULL: that was all. */
char *job_report_next(char **list);

/* The tasks of array 7, or the components of job 7, of which there are records,
 * or which sacct lists: their ids, in their order, of JOB_ID_SIZE bytes each.
 * Their number; 0: it has none, or nobody says. */
enum job_asked {
	JOB_ASKED_LEDGER,
	JOB_ASKED_SACCT
};
size_t job_report_family(struct job_source *source, enum job_asked asked, const char *id,
			 char (*ids)[JOB_ID_SIZE], size_t max);

/* "5_[1-3,7]", "5_[0-8:2%4]" as Slurm writes it: the tasks, likewise; -1: it is
 * not that. */
int job_report_expand(const char *id, char (*ids)[JOB_ID_SIZE], size_t max, struct err *err);

#endif
