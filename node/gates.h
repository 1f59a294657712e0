/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gates.h - the gate files: RUN/JOB/gate, and RUN/gate for jobs without one
 *
 * Errors  -1: a file could not be written; the other one is whole.
 * Runs    prolog, under the lock, after the client is as the job will find it.
 */
#ifndef JOBIO_NODE_GATES_H
#define JOBIO_NODE_GATES_H

#include "node/visit.h"

int gates_write(struct visit *visit, struct err *err);
/* Of a job for which jobio is off: the gate lets its tasks pass, and says why the
 * job has not got what it asked for. */
int gates_write_off(struct visit *visit, struct err *err);

#endif
