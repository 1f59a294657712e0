/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gates.h - the gate files: RUN/JOB/gate, and RUN/gate for jobs without one
 *
 * Errors  -1: a file could not be written; the other one is complete.
 * Runs    prolog, under the lock, after all changes of the client for the job.
 */
#ifndef JOBIO_NODE_GATES_H
#define JOBIO_NODE_GATES_H

#include "node/prepare_context.h"

int gates_write(struct prepare_context *ctx, struct err *err);
/* Write the gate file of a job for which jobio is disabled: its tasks pass, and [note] has the
 * reason why its options have no effect. */
int gates_write_off(uint32_t job_id, const char *note, struct err *err);

#endif
