/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prepare.h - what jobio-prepare does on a node, step by step
 *
 * The order of the writes is what makes a kill at any step harmless:
 *
 *   1 lock; end a command that a killed helper left running
 *   2 mend and finish what dead jobs left in RUN
 *   3 RUN/JOB, SPOOL/open/JOB.NODE.json, RUN/JOB/start.json  (with the plan)
 *   4 for each change: journal "planned", command, read back, journal "done"
 *   5 RUN/client.json, RUN/gate, RUN/JOB/start.json again, RUN/JOB/gate
 *   6 RUN/JOB/wire; the kernel's counters begin, last: what comes before is
 *     not the job's
 *
 * Before 3 nothing has happened; after 3 the epilog finds state and journal;
 * a job without a gate file of its own is judged by RUN/gate.
 *
 * Terms   fault: whose? The job's: its request is refused, with a sentence for
 *           the user. The node's: the client is broken. Ours: anything else.
 * Owner   visit_free(); the configuration stays the caller's.
 * Errors  visit_prepare() and visit_recover() return an exit status, or -1 with
 *           a sentence when the fault is ours.
 * Runs    prolog, as root, in a child of jobio-prepare, which logs.
 */
#ifndef JOBIO_PROLOG_PREPARE_H
#define JOBIO_PROLOG_PREPARE_H

#include "client/client.h"
#include "lib/config.h"
#include "job/job.h"
#include "lib/request.h"

struct visit {
	const struct config *config;
	struct job job;
	struct record *state;
	struct findings findings;
	struct request request;
	bool has_request;
	char refused[ERR_MAX]; /* "": not refused */
	struct client *client; /* NULL: this node has none */
	struct client_want want;
	struct cpuset abs_cores; /* withheld, as Slurm counts them */
	int mended, finished;	 /* changes put back, records made for others */
	unsigned long long end_ms;
	int lock_fd;
};

int visit_prepare(struct visit *visit, struct err *err);
int visit_recover(struct visit *visit, struct err *err);
/* Say what an administrator should know, one line each. */
void visit_log(const struct visit *visit);
void visit_free(struct visit *visit);

#endif
