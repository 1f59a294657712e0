/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reservation.h - cores that Slurm withholds from a job on a node
 *
 * Terms   request: of the job: nothing, --core-spec=N or --thread-spec=N.
 *         abstract core, abstract CPU, OS CPU, block map: see core_map.h.
 *         withheld: never part of the job's cpuset if cgroups confine it.
 *         sound: the withheld OS CPUs are all threads of as many real cores
 *           as Slurm counted, and the job gets none of them.
 *         class: regular; sparse (OS numbers with holes that slurmd drops);
 *           irregular (slurmd warns about the machine); conf_mismatch (the
 *           node record contradicts the machine); fails (slurmd does not
 *           start, or cannot reserve anything).
 * Owner   reservation_free() frees the findings; the rest is plain value.
 * Errors  -1 and the reason in *err if there is no result at all (empty or too
 *           large record). What Slurm does wrongly is a finding.
 * Runs    prolog and `jobio cores`; accesses nothing.
 *
 * Not computed, only reported: a spec set that slurmd takes from its own cgroup
 * (SlurmdSpecOverride, C26).
 *
 * Rules: slurm's slurmd.c:_core_spec_init, node_conf.c:_init_node_record,
 * cons_helpers.c:cons_helpers_mark_avail_cores (cons_common.c up to 22.05).
 */
#ifndef JOBIO_CORES_RESERVATION_H
#define JOBIO_CORES_RESERVATION_H

#include <stdbool.h>

#include "base/cpuset.h"
#include "base/err.h"
#include "cores/core_map.h"
#include "cores/node.h"
#include "record/finding.h"

#define RESERVATION_LOG_MAX 255 /* slurmd.c:MAX_CPUSTR - 1 */

enum reservation_kind {
	RESERVATION_UNSET,   /* no request: the whole spec set */
	RESERVATION_CORES,   /* --core-spec=N */
	RESERVATION_THREADS, /* --thread-spec=N */
};

struct reservation_request {
	enum reservation_kind kind;
	unsigned int count;
};

enum reservation_class {
	RESERVATION_REGULAR,
	RESERVATION_SPARSE,
	RESERVATION_IRREGULAR,
	RESERVATION_CONF_MISMATCH,
	RESERVATION_FAILS,
};

struct reservation {
	struct cpuset abs_cores;
	struct cpuset abs_cpus;
	struct cpuset os_cpus;	      /* what slurmd withholds in fact */
	struct cpuset shared_os_cpus; /* withheld, and given to the job: a bug of Slurm; never give
				       * these to a client */
	struct cpuset job_os_cpus;    /* the most that the job's cpuset can have */
	enum reservation_class class;
	bool sound;
	bool possible;	  /* false: such a job never runs on this node */
	bool is_spec_set; /* the request was RESERVATION_UNSET */
	struct findings findings;
};

int reservation_compute(const struct node *node, const struct core_map *map,
			const struct reservation_request *request, struct reservation *reservation,
			struct err *err);

/* Return the abstract CPUs as Slurm prints them, malloc'ed. For a node's spec set that is slurmd's
 * log line, which has RESERVATION_LOG_MAX characters: the list is cut there (and "C07" is among the
 * findings). */
char *reservation_abs_cpus_text(const struct reservation *reservation);

/* "regular", "sparse", "irregular", "conf_mismatch", "fails" */
const char *reservation_class_name(enum reservation_class class);

void reservation_free(struct reservation *reservation);

#endif
