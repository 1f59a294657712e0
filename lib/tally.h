/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - what the jobs of a site did together
 *
 * Terms   sum: over the jobs of one filesystem, user, account, profile or code of
 *           advice. Jobs whose numbers are node-wide are counted, and add no
 *           bytes. node_s: seconds of nodes.
 *         peak: the most that one node read, or wrote, in a second, and whose job it
 *           was.
 *         warned: jobs whose tasks could run on a client's CPUs, and ran: with
 *           gate = enforce these would have been refused.
 *         A tally of parts: what tally_json() told of each is added by
 *           tally_join(), in any order.
 * Owner   tally_free(), NULL allowed. Sums and jobs are the tally's.
 * Errors  -1: not a tally.
 * Runs    ledger (a part each answer), report (all of them).
 */
#ifndef JOBIO_TALLY_H
#define JOBIO_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/use.h"

struct json;

enum tally_kind {
	TALLY_FILESYSTEMS,
	TALLY_USERS,
	TALLY_ACCOUNTS,
	TALLY_PROFILES,
	TALLY_ADVICE,
	TALLY_KINDS
};

struct tally_sum {
	char *name;    /* "": unknown, or none */
	char *cluster; /* of a filesystem; "" of others */
	char *type;    /* of a filesystem; "" unknown */
	int64_t jobs, node_s;
	int64_t numbers[IO_COUNT]; /* as use.h has them */
	int64_t peak_job;
};

#define TALLY_JOBS_MAX 1000 /* those that ended last */

struct tally_job {
	char *cluster, *user;
	int64_t job, ended, warned, refused; /* tasks */
};

struct tally {
	int64_t jobs, node_s, wide, judged;
	int64_t warned_jobs, warned_tasks, refused_jobs, refused_tasks;
	struct tally_sum *sums[TALLY_KINDS];
	size_t counts[TALLY_KINDS];
	struct tally_job *gate; /* warned or refused; the last first */
	size_t gate_count;
	size_t bytes;		   /* of its JSON, about: texts that hold quotes take more */
	struct tally_index *index; /* to find sums by */
};

/* "filesystems", "users", .. */
extern const char *const tally_names[TALLY_KINDS];

struct tally *tally_new(void);
void tally_free(struct tally *tally);

void tally_add(struct tally *tally, const struct use *use);

/* As a member "tally" of 'top'. */
void tally_json(const struct tally *tally, struct json *top);
int tally_join(struct tally *tally, struct json *json);

/* The largest first, by bytes; advice by node hours. */
void tally_sort(struct tally *tally);

#endif
