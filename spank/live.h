/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.h - a step that shows its running job (live_view.h), in slurmstepd
 *
 * Terms   helper: jobio-live, as root, a child of slurmstepd. It is in no cgroup of
 *           the user's tasks: stopping or suspending these does not stop it
 *           while it holds a lock of jobio-count. Its input is the job and the
 *           user from slurmstepd, nothing of the user's environment, and a
 *           socket; it exits when the other end is closed.
 *         The task has that other end, and the step's standard input and output:
 *           it copies bytes in both directions as the user, and executes nothing.
 * Owner   struct live is a plain value; live_close() ends the helper.
 * Errors  live->error: the task sends it to the viewer.
 * Runs    live_open, live_close: slurmstepd, root, once a step each. live_forked:
 *           slurmstepd, when the task exists. live_relay: the task.
 */
#ifndef JOBIO_SPANK_LIVE_H
#define JOBIO_SPANK_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct live {
	bool is_on;
	pid_t helper;	  /* 0: none */
	int task_fd;	  /* -1: none */
	struct err error; /* why there is no helper, else "" */
};

struct live_step {
	uint32_t job_id, uid, nodes;
	const char *node, *conf;
};

/* Return true if 'value', the step's LIVE_VIEW_ENV, is this job's ID. */
bool live_is_requested(const char *value, uint32_t job_id);

/* Start PROGRAM, the helper. */
void live_open(struct live *live, const char *program, const struct live_step *step);
void live_forked(struct live *live);
/* Run until the viewer or the helper has exited; then the caller exits. */
void live_relay(const struct live *live, const char *node);
void live_close(struct live *live);

#endif
