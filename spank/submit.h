/* SPDX-License-Identifier: GPL-2.0-or-later */
/* submit.h - the sbatch, salloc or srun that this plugin was loaded into
 *
 * Terms   A Slurm client exports its option record 'opt' (sbatch/opt.c,
 *         salloc/opt.c, srun/opt.c) and, through libslurmfull, the functions
 *         slurm_option_isset, _get and _set (common/slurm_opt.c): the same
 *         names and arguments in 22.05 .. 26.05. They are looked up with
 *         dlsym(3) when they are needed; struct layouts are never touched.
 * Owner   nothing to free.
 * Errors  questions: 1 yes, 0 no, -1 this client cannot be asked, reason in
 *         *err. Never logs, never exits.
 * Runs    user, submit host; no RPC, no file.
 */
#ifndef JOBIO_SPANK_SUBMIT_H
#define JOBIO_SPANK_SUBMIT_H

#include "lib/err.h"

enum submit_command {
	SUBMIT_SBATCH,
	SUBMIT_SALLOC,
	SUBMIT_SRUN,
	SUBMIT_OTHER /* scrontab: parses options, but can carry nothing */
};

enum submit_command submit_command(void);

/* Has 'option' ("thread-spec") been given by any means? */
int submit_is_set(const char *option, struct err *err);

/* The number of the user's --core-spec, if there is one. */
int submit_core_spec(unsigned int *cores, struct err *err);

/* The partitions that the job may run in, with commas between them, as far as
 * somebody named them: "" otherwise. Borrowed until the process ends. */
const char *submit_partitions(void);

/* Act as if --core-spec=CORES had been given; 0 or -1. */
int submit_set_core_spec(unsigned int cores, struct err *err);

/* Is this an srun that starts a step in an allocation that exists already? */
int submit_in_allocation(void);

/* Will slurmctld reserve the cores of a --core-spec, as far as this machine's
 * slurm.conf tells? No: *err says what is missing. */
int submit_site_reserves(struct err *err);

/* Is --NAME=WORD on this command line? For the time before Slurm parses it. */
int submit_asks_early(const char *name, const char *word);

#endif
