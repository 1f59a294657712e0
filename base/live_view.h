/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_view.h - requests and answers of the live view of a running job
 *
 * Terms   viewer: jobio report --live. It starts one step on all nodes of the
 *           job (srun --overlap) with LIVE_VIEW_ENV, the job's ID. No program of
 *           the user's runs in such a step: the plugin makes slurmstepd start
 *           jobio-live, as root, and the task copies bytes in both directions.
 *         request: a newline on srun's standard input, which all nodes get. Without
 *           a request nothing is read, and without a viewer nothing runs.
 *         answer: a record of the node so far (record.h), or a message why there
 *           is none. It is cut to lines, because srun mixes those of several
 *           nodes, and slurmstepd cuts what is longer than 1,024 bytes
 *           (slurmstepd/io.c: MAX_MSG_LEN):
 *             @jobio/1 KIND NODES REQUEST PART PARTS NODE TEXT
 *           KIND is 'r' or 'e' (a message); NODES those of the step; REQUEST the
 *           number of the request, 0: this node will answer none; PART from 1
 *           to PARTS; TEXT the rest of the line.
 *         Why srun: slurmctld and slurmstepd verify the job's owner, on connections
 *           that the site permits anyway; a view costs slurmctld the start and the
 *           end of one step, however long it takes. An agent on each node, queried
 *           by the ledger, would be one more service as root, with a port, for
 *           what is used once a day.
 *         Why one step for all requests: Slurm 24.11, three nodes, a busy host:
 *           the first answer took 1.3 to 5 s, nearly all of it srun's, a further
 *           one 33 ms. A step for each request took 2.2 s, and five RPC.
 * Owner   nothing to free.
 * Errors  none.
 * Runs    jobio-live (root), the plugin; libc only. Parser: report/live.py.
 */
#ifndef JOBIO_BASE_LIVE_VIEW_H
#define JOBIO_BASE_LIVE_VIEW_H

#include <stdio.h>

#define LIVE_VIEW_ENV "JOBIO_LIVE"
#define LIVE_VIEW_MARK "@jobio/1"
#define LIVE_VIEW_PART_BYTES 600U

enum live_view_kind {
	LIVE_VIEW_RECORD = 'r',
	LIVE_VIEW_ERROR = 'e'
};

struct live_view_sender {
	const char *node;
	unsigned int nodes; /* of the step */
	unsigned int request;
};

void live_view_write(FILE *out, const struct live_view_sender *from, enum live_view_kind kind,
		     const char *text);

#endif
