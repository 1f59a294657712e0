/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin.c - what Slurm calls, in each context, and who does the work
 *
 *   context            callback        does
 *   sbatch salloc srun init            option_register
 *                      init_post_opt   option_settle: a refusal ends the client
 *   slurmstepd         init            option_register (Slurm insists)
 *                      init_post_opt   gate_open, stepio_begin
 *                      task_init       gate_check: a refusal ends the task
 *                      exit            stepio_end
 *   slurmd             init            nothing
 *
 * Callbacks return 0 or -1: positive values mean failure only since 25.05
 * (spank.c). This is the only file of the plugin that logs or ends a process.
 */
#include <stdlib.h>
#include <string.h>

#include <slurm/spank.h>

#include "config.h"
#include "err.h"
#include "number.h"
#include "option.h"

SPANK_PLUGIN(jobio, 1)

/* Static: Slurm gives the arguments of plugstack.conf to every callback, but
 * not to those of options. */
static const char *conf = JOBIO_CONF;

static void read_arguments(int argc, char *argv[])
{
	int i;

	for (i = 0; i < argc; i++) {
		if (!strncmp(argv[i], "conf=/", 6))
			conf = argv[i] + strlen("conf=");
		else
			slurm_verbose("jobio: plugstack.conf: '%s': unknown "
				      "argument, expected conf=/PATH",
				      argv[i]);
	}
}

/* Slurm's own exit status for errors (SLURM_EXIT_ERROR in srun(1)) */
static void end_client(void)
{
	const char *text = getenv("SLURM_EXIT_ERROR");
	unsigned long status = EXIT_FAILURE;

	if (text)
		number_parse(text, 1, 255, &status, NULL);
	exit((int)status);
}

/* ---- sbatch, salloc, srun ------------------------------------------------ */

static void answer(enum option_question question)
{
	struct err err = { "" };
	struct config *config;

	if (question == OPTION_NOT_HERE) {
		slurm_error("jobio: option: scrontab cannot hand --io-cores "
			    "and --io-profile on; let the entry call sbatch "
			    "with them");
		end_client();
	}
	config = config_load(conf, &err);
	if (!config) {
		slurm_error(
			"jobio: option: jobio has no valid configuration on "
			"this machine: %s",
			err.text);
		end_client();
	}
	if (question == OPTION_CORES_HELP)
		option_print_help(stdout, config);
	else
		option_print_profiles(stdout, config);
	exit(EXIT_SUCCESS);
}

static int init_client(spank_t sp, spank_context_t context)
{
	enum option_question question;
	struct err err = { "" };

	if (option_register(sp, answer, &err) < 0) {
		slurm_error("jobio: option: %s", err.text);
		return -1;
	}
	if (context == S_CTX_ALLOCATOR) {
		question = option_early_question();
		if (question != OPTION_NONE)
			answer(question);
	}
	return 0;
}

/* Ends the client itself when it refuses: the return value of a plugin that
 * plugstack.conf calls optional is thrown away (spank.c:_do_call_stack), and
 * that of a required one adds two lines that say nothing. Nothing has been
 * submitted yet (sbatch.c, salloc.c, srun/opt.c: before the job description is
 * made). */
static int settle_client(spank_t sp)
{
	struct err err = { "" };

	switch (option_settle(sp, conf, &err)) {
	case OPTION_REFUSED:
		slurm_error("jobio: option: %s", err.text);
		end_client();
		break;
	case OPTION_NOTE:
		slurm_info("jobio: option: %s", err.text);
		break;
	case OPTION_DONE:
		break;
	}
	return 0;
}

/* ---- Slurm's entry points ------------------------------------------------ */

int slurm_spank_init(spank_t sp, int argc, char *argv[])
{
	spank_context_t context = spank_context();
	struct err err = { "" };

	read_arguments(argc, argv);
	switch (context) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return init_client(sp, context);
	case S_CTX_REMOTE:
		if (option_register(sp, answer, &err) < 0)
			slurm_error("jobio: option: %s", err.text);
		return 0;
	default:
		return 0;
	}
}

int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[])
{
	(void)argc;
	(void)argv;
	switch (spank_context()) {
	case S_CTX_LOCAL:
	case S_CTX_ALLOCATOR:
		return settle_client(sp);
	default:
		return 0;
	}
}
