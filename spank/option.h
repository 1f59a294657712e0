/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.h - make a request of --io-cores and --io-profile
 *
 * Terms   value: the user's text, and its source. Later sources override
 *           earlier ones, in Slurm's own order: #SBATCH lines, then the
 *           environment (SBATCH_IO_CORES, SALLOC_IO_CORES, or SLURM_IO_CORES
 *           for srun; _IO_PROFILE likewise), then the command line.
 *         request: the checked result (request.h). A number that was not given
 *           comes from the profile, else from the site's default.
 *         Each component of a heterogeneous job has its own values.
 * Owner   nothing to free.
 * Errors  option_settle: OPTION_REFUSED, and the message to print before the
 *         client exits. A job that uses neither option is never refused here,
 *         even if jobio.conf is invalid.
 * Runs    option_register in every context, option_is_given in slurmstepd; the
 *         rest in sbatch, salloc and srun, as the user, in slurm_spank_init and
 *         _init_post_opt.
 */
#ifndef JOBIO_SPANK_OPTION_H
#define JOBIO_SPANK_OPTION_H

#include <stdbool.h>
#include <stdio.h>

#include <slurm/spank.h>

#include "base/config.h"
#include "base/err.h"

enum option_query {
	OPTION_NONE,
	OPTION_CORES_HELP,   /* --io-cores=help */
	OPTION_PROFILE_LIST, /* --io-profile=list */
	OPTION_NOT_HERE	     /* either, in scrontab, which does not pass them on */
};

enum option_outcome {
	OPTION_REFUSED = -1,
	OPTION_DONE = 0,
	OPTION_NOTE = 1 /* done, and *err has a message for the user */
};

/* Register both options with Slurm, and read the environment variables. 'answer' prints and does
 * not return; it is called as soon as a query is parsed, but never for a task or step that runs
 * already. */
int option_register(spank_t sp, void (*answer)(enum option_query query), struct err *err);

/* In slurmstepd: return true if the step, or its job, has either option. Its value is the user's,
 * and not used. */
bool option_is_given(void);

/* Return the query on the command line. sbatch reads its script before it parses the options of
 * plugins. */
enum option_query option_early_query(void);

/* Call after all options of a component are parsed. */
enum option_outcome option_settle(spank_t sp, const char *conf, struct err *err);

void option_print_help(FILE *out, const struct config *config);
void option_print_profiles(FILE *out, const struct config *config);

#endif
