/* SPDX-License-Identifier: GPL-2.0-or-later */
/* submit.h - the sbatch, salloc or srun that loaded this plugin
 *
 * Terms   A Slurm client exports its option record 'opt' (sbatch/opt.c,
 *         salloc/opt.c, srun/opt.c) and, through libslurmfull, the functions
 *         slurm_option_isset, _get and _set (common/slurm_opt.c): the same
 *         names and arguments in 22.05 .. 26.05. They are looked up with
 *         dlsym(3) when they are needed; struct layouts are not used.
 * Owner   nothing to free.
 * Errors  questions: 1 yes, 0 no, -1 this client does not support it, reason in
 *         *err. Never logs, never exits.
 * Runs    user, submit host; no RPC, no file.
 */
#ifndef JOBIO_SPANK_SUBMIT_H
#define JOBIO_SPANK_SUBMIT_H

#include "base/err.h"

enum submit_command {
	SUBMIT_SBATCH,
	SUBMIT_SALLOC,
	SUBMIT_SRUN,
	SUBMIT_OTHER /* scrontab: parses options, but passes none on */
};

enum submit_command submit_command(void);

/* Return 1 if 'option' ("thread-spec") was given by any means. */
int submit_is_set(const char *option, struct err *err);

/* Get the number of the user's --core-spec, if there is one. */
int submit_core_spec(unsigned int *cores, struct err *err);

/* Return the partitions that the job may run in, separated by commas; "" if none were given.
 * Borrowed until the process ends. */
const char *submit_partitions(void);

/* Act as if --core-spec=CORES had been given; 0 or -1. */
int submit_set_core_spec(unsigned int cores, struct err *err);

/* Return 1 if this srun starts a step in an allocation that exists already. */
int submit_in_allocation(void);

/* Return 1 if slurmctld reserves the cores of a --core-spec, as far as this machine's slurm.conf
 * shows; 0: the missing setting in *err. */
int submit_site_reserves(struct err *err);

/* Return 1 if --NAME=WORD is on this command line; for use before Slurm parses it. */
int submit_has_early(const char *name, const char *word);

#endif
