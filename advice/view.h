/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - input of the rules: one job on one filesystem
 *
 * Terms   view: the job's own counters on one filesystem of a client, over all nodes;
 *           client_io: the client's counters there; NULL: unknown, or they include other jobs.
 *         share: of the job's time on its nodes, 1.0 is all of it; the calls of several
 *           processes may add up to more.
 *         An unknown number counts as 0: no rule requires little of one number without
 *           much of another.
 * Owner   everything is borrowed from the run.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_VIEW_H
#define JOBIO_ADVICE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice/types.h"
#include "base/config.h"
#include "record/run.h"

struct view {
	const char *fs, *type;
	const char *client; /* its section in jobio.conf */
	const struct io *io, *client_io;
	const struct run *run;
	size_t nodes; /* with counters of it */
	const struct config_advice *limits;
};

/* Seconds of the job in calls on this filesystem, by class. From the kernel: over all threads,
 * whose lifetimes add up to 'lifetime'. From the client: over its requests, which may overlap, at
 * most the job's time; from the number of calls likewise; 'lifetime' is then the time of the job on
 * its nodes. */
struct view_times {
	enum view_by by;
	double read, write, meta, sync, close, mapped, async;
	double total, lifetime; /* 0: the job has not run */
	double scale;		/* factor from seconds to share */
};

double view_known(int64_t number); /* 0 if unknown */
double view_number(const struct view *v, enum io_number number);
double view_metas(const struct view *v); /* all metadata operations */
double view_bytes(const struct view *v);
double view_mapped(const struct view *v); /* by mapped files: not in view_bytes() */
double view_calls(const struct view *v);
/* Bytes per call; 0: no calls. */
double view_mean(const struct view *v, enum io_number bytes, enum io_number calls);

/* Per second and node. */
double view_rate(const struct view *v, double number);
/* Least seconds of [calls] synchronous calls: limits->sync_call_us each. */
double view_call_s(const struct view *v, double calls);
/* Share of the job's time in reads and writes. */
double view_io_share(const struct view *v);
/* Return true if there is enough I/O for a change to be noticed. */
bool view_is_busy(const struct view *v);

/* Return true if jobio set this mount option on this filesystem. */
bool view_has_option(const struct view *v, const char *option);

void view_times(const struct view *v, struct view_times *times);
/* I/O share of the lifetime of the thread with the most I/O time; < 0: unknown, or it ran for less
 * than half of the mean lifetime. */
double view_slowest(const struct view *v);
/* Number of calls of [class] that failed with [error]. */
double view_failed(const struct view *v, enum io_errno error, enum io_class class);

/* Set class and share; a share is at most 1. */
bool view_set(struct advice *a, const char *class, double share); /* always true */
void view_add(struct advice *a, const char *key, double number);

#endif
