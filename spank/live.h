/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.h - a step that looks at its job (look.h), in slurmstepd
 *
 * Terms   helper: jobio-live, as root, a child of slurmstepd. There it is in no
 *           cgroup of the user's tasks: who stops or suspends these does not stop it
 *           while it holds a lock of jobio-count. It is given the job and the
 *           user as slurmstepd knows them, nothing of the user's environment,
 *           and a socket; it ends when the other end is closed.
 *         The task has that other end, and the step's standard input and output:
 *           it hands bytes to and fro as the user, and never becomes a program.
 * Owner   struct live is a plain value; live_close() takes the helper back.
 * Errors  -1, sentence in *err: the task tells it to the viewer.
 * Runs    live_open, live_close: slurmstepd, root, once a step each. live_forked:
 *           slurmstepd, when the task is there. live_relay: the task.
 */
#ifndef JOBIO_SPANK_LIVE_H
#define JOBIO_SPANK_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/err.h"

struct live {
	bool is_on;
	pid_t helper;	  /* 0: none */
	int task_fd;	  /* -1: none */
	struct err error; /* why there is no helper; "": there is one */
};

struct live_step {
	uint32_t job_id, uid, nodes;
	const char *node, *conf;
};

/* Does the step's LOOK_ENV, 'value', ask for this job? */
bool live_is_asked(const char *value, uint32_t job_id);

/* Start PROGRAM, the helper. */
void live_open(struct live *live, const char *program, const struct live_step *step);
void live_forked(struct live *live);
/* Until the viewer or the helper has gone; then the caller ends. */
void live_relay(const struct live *live, const char *node);
void live_close(struct live *live);

#endif
