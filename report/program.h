/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - run Slurm's commands as the shell of the caller would find them
 *
 * Terms   name: "sbatch"; looked for in PATH, in its absolute folders only, then
 *           in that of the Slurm which configure was told (--with-slurm).
 * Owner   an environment is good as long as its struct. *out: the caller.
 * Errors  -1 and "NAME: why", of a command that failed with the first line
 *           that it wrote on standard error. errno is ETIMEDOUT at the
 *           deadline: nobody knows what it did.
 * Runs    jobio's commands, any user. Every call has a deadline.
 */
#ifndef JOBIO_REPORT_PROGRAM_H
#define JOBIO_REPORT_PROGRAM_H

#include <stddef.h>

#include "lib/err.h"

#define PROGRAM_PATH 4096

/* What a command of Slurm's needs of the caller's environment, beside what every
 * child gets (lib/child.h). */
struct program_env {
	char *list[4];
	char conf[PROGRAM_PATH], zone[256];
};

/* 'more': one more "NAME=value", or NULL. */
void program_env(struct program_env *env, const char *more);

int program_find(const char *name, char path[PROGRAM_PATH], struct err *err);

/* 'words': what stands behind the name, NULL-terminated. */
int program_run(const char *name, const char *const *words, unsigned int timeout_ms, char **out,
		struct err *err);

#endif
