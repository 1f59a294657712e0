/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - what the rules see: one filesystem of one run
 *
 * Terms   view: the job's own numbers on one filesystem of a client, of all
 *           nodes; wire: what the client did there, NULL when it is unknown or
 *           of other jobs too.
 *         share: of the job's time on its nodes, 1.0 is all of it; the calls
 *           of several processes may make it more.
 *         A number that is unknown counts as 0: no rule asks for few of
 *           something without asking for much of something else.
 * Owner   everything is borrowed from the run.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_VIEW_H
#define JOBIO_ADVICE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice/terms.h"
#include "lib/config.h"
#include "lib/record.h"

struct view {
	const char *fs, *type;
	const char *client; /* name of its section */
	const struct io *io, *wire;
	struct record *const *records; /* of the run */
	size_t count, nodes;	       /* nodes: those with numbers of it */
	bool is_whole;
	double start;	/* the first node's; < 0 unknown */
	double seconds; /* how long the job ran */
	double apart;	/* by which clocks of nodes differ (run.h) */
	const struct config_advice *limits;
};

/* Seconds of the job in calls on this filesystem, by class. By the kernel: of all threads,
 * and how long they lived. By the client: of its requests, several of which are on their
 * way at a time, at most as long as the job took; by the number of calls likewise; life is
 * then the time of the job on its nodes. */
struct view_times {
	enum view_by by;
	double read, write, meta, sync, close, mapped, async;
	double total, life; /* life 0: the job has not run */
	double scale;	    /* of a class's seconds to its share */
};

double view_known(int64_t number); /* 0: it is not */
double view_number(const struct view *v, enum io_number number);
double view_metas(const struct view *v); /* all of them */
double view_bytes(const struct view *v);
double view_mapped(const struct view *v); /* through mapped files: not in it */
double view_calls(const struct view *v);
/* Bytes a call; 0: there is none. */
double view_mean(const struct view *v, enum io_number bytes, enum io_number calls);

/* A second on each node. */
double view_rate(const struct view *v, double number);
/* Seconds that so many synchronous calls take at least: limits->sync_call_us each. */
double view_call_s(const struct view *v, double calls);
/* Share of the job's time in reading and writing. */
double view_io_share(const struct view *v);
/* Enough of it for a cure to be noticed. */
bool view_is_busy(const struct view *v);

/* Did jobio set this mount option, on this filesystem? */
bool view_has_option(const struct view *v, const char *option);
/* io-cores of a node that the client works on: the fewest; 0: none or unknown. */
int64_t view_cores(const struct view *v);

void view_times(const struct view *v, struct view_times *times);
/* Share of its life that the thread with the most time waited; < 0: unknown, or it lived for
 * less than half as long as the others do. */
double view_slowest(const struct view *v);
/* Calls of a class that failed so. */
double view_failed(const struct view *v, enum io_errno error, enum io_class class);

/* Fill in an advice; a share is at most 1. */
bool view_tell(struct advice *a, const char *class, double share); /* true */
void view_add(struct advice *a, const char *key, double number);

#endif
