/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prepare_context.h - data of one prolog about the node and the job
 *
 * Terms   fault: the job's: it runs without its request, with a sentence for the user.
 *           The node's: a finding. Of jobio: anything else, -1 and a sentence.
 *         prepare.h or recover.h fill a context and pass it to stale.h, io_cores.h,
 *         describe.h, gates.h.
 * Owner   prepare_context_free(); the configuration stays the caller's.
 * Errors  none of its own.
 * Runs    prolog, as root, in a child of jobio-prepare.
 */
#ifndef JOBIO_NODE_PREPARE_CONTEXT_H
#define JOBIO_NODE_PREPARE_CONTEXT_H

#include "base/config.h"
#include "base/gatefile.h"
#include "base/request.h"
#include "client/client.h"
#include "node/job.h"

struct prepare_context {
	const struct config *config;
	struct job job;
	struct record *state;
	struct findings findings;
	const struct finding *fault; /* that breaks the node; NULL: none */
	struct request requested;    /* policy.h: of the job .. */
	struct request request;	     /* .. and its part that is allowed here */
	bool has_request;
	struct err no_cores, no_profile; /* reason for no effect; "": none */
	char note[GATE_TEXT_MAX];	 /* unmet.h; "": all is applied */
	const struct config_client *sections[CONFIG_CLIENTS_MAX];
	struct client *clients[CONFIG_CLIENTS_MAX]; /* of these */
	size_t client_count, owner;
	struct client_desired desired; /* the part that is the same for all */
	struct cpuset abs_cores;       /* withheld, as Slurm counts them */
	struct cpuset spec_cpus;       /* of the node's spec set, for enforce; empty: none */
	bool is_shared;		       /* another job of this node is alive */
	bool has_others;	       /* .. or has a folder */
	int restored, finished;	       /* changes put back, records made for others */
	unsigned long long end_ms;
	int lock_fd;
};

/* Log restored settings and new findings, one line each. */
void prepare_log(const struct prepare_context *ctx);
void prepare_context_free(struct prepare_context *ctx);

#endif
