/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gatefile.h - file from the prolog to the gate: CPUs and policy for a job
 *
 * Terms   A gate file is text, one "key=value" a line; see rundir.h for where.
 *           version=1
 *           policy=off|warn|enforce
 *           client=TEXT              client of these CPUs, TYPE:NAME; may be empty
 *           client_cpus=LIST         OS CPUs, all threads of its cores
 *           spec_cpus=LIST           OS CPUs of the node's spec set, with enforce
 *           asked=0|1                the job requested io-cores, or the site did for it
 *           io_cores=N io_cpus=LIST io_profile=NAME   the job's own, or absent
 *           note=MESSAGE             what the job requested and did not get here
 *         Unknown keys are ignored: an older plugin reads a newer prolog.
 * Owner   struct gatefile is a plain value, no pointers.
 * Errors  gatefile_read: 1 read, 0 there is none, -1 unreadable or damaged.
 * Runs    written by the prolog as root, 0600; read by slurmstepd as
 *           root.
 *         libc only.
 */
#ifndef JOBIO_BASE_GATEFILE_H
#define JOBIO_BASE_GATEFILE_H

#include "base/config.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "base/request.h"

#define GATE_TEXT_MAX 400

struct gatefile {
	enum gate_policy policy;
	char note[GATE_TEXT_MAX]; /* "": it got everything */
	char client[64];
	struct cpuset client_cpus, spec_cpus;
	bool is_requested;
	struct request request;
	struct cpuset io_cpus; /* OS CPUs withheld for request.io_cores */
};

int gatefile_write(const char *path, const struct gatefile *gate, struct err *err);
int gatefile_read(const char *path, struct gatefile *gate, struct err *err);

#endif
