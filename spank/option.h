/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option.h - --io-cores and --io-profile: from the user's words to a request
 *
 * Terms   wish: what the user said, as text, and where. Later words win over
 *           earlier ones, in Slurm's own order: #SBATCH lines, then the
 *           environment (SBATCH_IO_CORES, SALLOC_IO_CORES, or SLURM_IO_CORES
 *           for srun; _IO_PROFILE likewise), then the command line.
 *         request: the checked outcome (request.h). A number that nobody said
 *           comes from the profile, else from the site's default.
 *         Each component of a heterogeneous job has its own wishes.
 * Owner   struct option_note is a plain value.
 * Errors  option_settle: OPTION_REFUSED, and the sentence to show before the
 *         client ends. A job that uses neither option is never refused here,
 *         whatever state jobio.conf is in.
 * Runs    option_register in every context, option_is_wished in slurmstepd; the
 *         rest in sbatch, salloc and srun, as the user, in slurm_spank_init and
 *         _init_post_opt.
 */
#ifndef JOBIO_SPANK_OPTION_H
#define JOBIO_SPANK_OPTION_H

#include <stdbool.h>
#include <stdio.h>

#include <slurm/spank.h>

#include "lib/config.h"
#include "lib/err.h"

enum option_question {
	OPTION_NONE,
	OPTION_CORES_HELP,   /* --io-cores=help */
	OPTION_PROFILE_LIST, /* --io-profile=list */
	OPTION_NOT_HERE	     /* either, in scrontab: it hands nothing on */
};

enum option_outcome {
	OPTION_REFUSED = -1,
	OPTION_DONE = 0,
	OPTION_NOTE = 1 /* done, and *err holds something worth telling */
};

/* Make both options known to Slurm and take over the environment variables.
 * 'answer' prints and does not return; it is called as soon as a question is
 * parsed, but never for a task or step that runs already. */
int option_register(spank_t sp, void (*answer)(enum option_question question), struct err *err);

/* In slurmstepd: has the step either option, its job's included? What it says is
 * the user's, and not looked at. */
bool option_is_wished(void);

/* sbatch reads its script before it parses our options: a question that is on
 * the command line has to be found before. */
enum option_question option_early_question(void);

/* After all options of a component are parsed. */
enum option_outcome option_settle(spank_t sp, const char *conf, struct err *err);

void option_print_help(FILE *out, const struct config *config);
void option_print_profiles(FILE *out, const struct config *config);

#endif
