/* SPDX-License-Identifier: GPL-2.0-or-later */
/* request.h - a job's request to its filesystem client, passed to the node
 *
 * Terms   A request is passed as job-control environment (spank(8)): the submit
 *           side sets JOBIO_VERSION, JOBIO_IO_CORES and JOBIO_IO_PROFILE; node
 *           scripts get them with the prefix SPANK_. No other file uses these
 *           names. The format grows by new variables only, which older nodes
 *           do not read.
 *         On the node they are HOSTILE: a user can set SPANK_JOBIO_*
 *           (slurm facts: SLURM_SPANK_FOO in srun's environment arrives as
 *           SPANK_FOO; spank.c:valid_spank_job_env). Hence: every value is
 *           parsed strictly, then checked against jobio.conf; io_cores counts
 *           only if the reservation computed from Slurm's own facts confirms
 *           it.
 * Owner   struct request is a plain value, no pointers.
 * Errors  request_from_env: 1 there is a request, 0 there is none, -1 there is
 *           one and it is refused: the message is for the user. REQUEST_NEWER:
 *           there is one, in the format of a later jobio.
 * Runs    request_export in sbatch, salloc, srun; request_from_env in prolog
 *           and epilog. libc only.
 */
#ifndef JOBIO_BASE_REQUEST_H
#define JOBIO_BASE_REQUEST_H

#include "base/config.h"
#include "base/err.h"

struct request {
	unsigned int io_cores;		    /* 0: none requested */
	char profile[PROFILE_NAME_MAX + 1]; /* "": none */
};

#define REQUEST_NEWER 2

/* Strict: [a-z0-9][a-z0-9_-]*, at most PROFILE_NAME_MAX. 'profile' has room for
 * PROFILE_NAME_MAX + 1. */
int request_parse_profile(const char *text, char *profile, struct err *err);

/* Check bounds and names against jobio.conf; the message has what is allowed, and the nearest
 * profile. */
int request_check(const struct request *request, const struct config *config, struct err *err);

/* Pass the variables to 'set', without prefix. Return -1 as soon as 'set' does. */
int request_export(const struct request *request,
		   int (*set)(void *arg, const char *name, const char *value), void *arg);

/* Read this process' SPANK_JOBIO_* environment, parsed but not checked. */
int request_from_env(struct request *request, struct err *err);

#endif
