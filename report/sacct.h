/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sacct.h - what Slurm's accounting says of jobs, in one call of sacct
 *
 * Terms   row: a job, a task of an array or a component of a heterogeneous job;
 *           of a requeued one its newest run. Tasks that wait are one row,
 *           "25_[4-9]".
 *         summary: the one of ours in SystemComment; NULL: none.
 * Owner   sacct_free(), NULL allowed; all texts hang on the rows, and are clean
 *           (utf8.h). What is unknown is "" or RECORD_UNKNOWN.
 * Errors  NULL and a sentence that begins with "sacct: ". No job is no error.
 * Runs    jobio's commands, as whoever calls them: sacct shows what slurmdbd
 *           lets them see. It has a deadline.
 */
#ifndef JOBIO_REPORT_SACCT_H
#define JOBIO_REPORT_SACCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct sacct_row {
	const char *id, *raw_id; /* "5_1", "6" */
	const char *cluster, *user, *account, *partition, *name;
	const char *state;	       /* "COMPLETED", "CANCELLED by 0" */
	int64_t exit_code, signal;     /* of the batch script */
	int64_t start, end, elapsed_s; /* seconds since 1970 */
	int64_t nodes;
	char *summary;
};

struct sacct_rows {
	struct sacct_row *row;
	size_t count;
	char *text;
};

/* What is NULL is not asked for. */
struct sacct_query {
	const char *jobs; /* "7,9_2" */
	const char *users, *accounts;
	const char *name;	   /* of the jobs: where it is more than one word, sacct
			   * is not told, and lists others, too */
	const char *since, *until; /* as sacct takes them */
	bool is_everybody;	   /* not only the caller's */
};

struct sacct_rows *sacct_ask(const struct sacct_query *query, struct err *err);
void sacct_free(struct sacct_rows *rows);

/* What it printed, with 'mark' between the fields; it is taken, and freed. */
struct sacct_rows *sacct_parse(char *text, const char *mark, struct err *err);

/* The row that has this id, or this raw id; NULL: there is none. */
const struct sacct_row *sacct_find(const struct sacct_rows *rows, const char *id);

/* Is a job of this state yet to run, or to end? */
bool sacct_is_early(const char *state);

/* Is the state this word of sacct's, or its short form: "FAILED", "f"? */
bool sacct_is_state(const char *state, const char *word);
/* Is it a word that some state has? */
bool sacct_knows_state(const char *word);

#endif
