/* SPDX-License-Identifier: GPL-2.0-or-later */
/* visit.h - data of one prolog about the node and the job
 *
 * Terms   fault: the job's: it runs without its request, with a sentence for the user.
 *           The node's: a finding. Of jobio: anything else, -1 and a sentence.
 *         prepare.h or recover.h fill a visit and pass it to leftover.h, cores.h,
 *         describe.h, gates.h.
 * Owner   visit_free(); the configuration stays the caller's.
 * Errors  none of its own.
 * Runs    prolog, as root, in a child of jobio-prepare.
 */
#ifndef JOBIO_NODE_VISIT_H
#define JOBIO_NODE_VISIT_H

#include "base/config.h"
#include "base/gatefile.h"
#include "base/request.h"
#include "client/client.h"
#include "node/job.h"

struct visit {
	const struct config *config;
	struct job job;
	struct record *state;
	struct findings findings;
	const struct finding *fault; /* that breaks the node; NULL: none */
	size_t findings_client;	     /* from here on they are about the clients .. */
	size_t findings_judge;	     /* .. up to here about this job's change of them */
	struct request asked;	     /* asked.h: of the job .. */
	struct request request;	     /* .. and its part that is allowed here */
	bool has_request;
	struct err no_cores, no_profile; /* reason for no effect; "": none */
	char note[GATE_TEXT_MAX];	 /* lack.h; "": it gets what it asked for */
	const struct config_client *sections[CONFIG_CLIENTS_MAX];
	struct client *clients[CONFIG_CLIENTS_MAX]; /* of these */
	size_t client_count, owner;
	/* the findings that the client's rules made: from, and to before */
	size_t judged_from[CONFIG_CLIENTS_MAX], judged_to[CONFIG_CLIENTS_MAX];
	struct client_want want; /* the part that is the same for all */
	struct cpuset abs_cores; /* withheld, as Slurm counts them */
	struct cpuset spec_cpus; /* of the node's spec set, for enforce; empty: none */
	bool is_shared;		 /* another job of this node is alive */
	bool has_others;	 /* .. or has a folder */
	int mended, finished;	 /* changes put back, records made for others */
	unsigned long long end_ms;
	int lock_fd;
};

/* Return the remaining time of the prolog. */
unsigned int visit_time_left_ms(const struct visit *visit);
/* Log restored settings and new findings, one line each. */
void visit_log(const struct visit *visit);
void visit_free(struct visit *visit);

#endif
