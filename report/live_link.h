/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_link.h - the step that asks the nodes of a running job (look.h)
 *
 * Terms   link: one srun --overlap in the job, for as long as somebody looks: two
 *           RPC to slurmctld when it begins, one from each node at most when it
 *           ends, none a question. With a step for each question these, and a row
 *           in sacct, would be spent each time. It ends with its standard input,
 *           and so with the viewer, however that ends.
 *         Slurm decides who may: srun starts steps in the caller's own jobs; root
 *           starts it as the job's user.
 * Owner   live_link_close(), NULL allowed.
 * Errors  NULL or -1 and a sentence, srun's own where it has said one.
 * Runs    jobio report --live, as whoever calls it. Each wait has an end.
 */
#ifndef JOBIO_REPORT_LIVE_LINK_H
#define JOBIO_REPORT_LIVE_LINK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/look.h"

struct live_link;

struct live_job {
	uint32_t id;	    /* as in SLURM_JOB_ID */
	uint32_t leader;    /* of the heterogeneous job of which it is a component,
			     * or itself */
	int64_t component;  /* < 0: of none */
	unsigned int nodes; /* 0: unknown */
	const char *user;   /* whose step it is when root looks; NULL: root's */
};

struct live_link *live_link_open(const struct live_job *job, struct err *err);

/* Ask, and wait until all nodes have answered that can, for timeout_ms, or until
 * 'stop' is set. How many did; -1: srun has ended. */
int live_link_ask(struct live_link *link, unsigned int timeout_ms,
		  const volatile sig_atomic_t *stop, struct err *err);

/* Wait; false: srun has ended, or 'stop' was set. */
bool live_link_wait(struct live_link *link, unsigned int wait_ms,
		    const volatile sig_atomic_t *stop);

const struct looks *live_link_looks(const struct live_link *link);
/* The number of the last question. */
unsigned int live_link_number(const struct live_link *link);
void live_link_close(struct live_link *link);

#endif
