/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variables.h - what a profile puts into the environment of a job's tasks
 *
 * Terms   list: "NAME=VALUE NAME=VALUE", blanks between the words. A name has
 *           letters, digits and '_', a value letters, digits and _./:,@+=-
 *           and is not empty: nothing that a shell would read as more.
 *         denied: a name that decides which program runs, or as whom, or that is
 *           Slurm's, an MPI's link to it, or jobio's. jobio.conf is root's word:
 *           this keeps slips of the pen from every job of a profile.
 * Owner   plain values.
 * Errors  variables_check: -1 and *err, which begins with the word at fault.
 * Runs    everywhere, also in the plugin.
 */
#ifndef JOBIO_VARIABLES_H
#define JOBIO_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

#define VARIABLES_MAX 512 /* a list, with the final 0 */
#define VARIABLE_NAME_MAX 64

struct variable {
	char name[VARIABLE_NAME_MAX + 1];
	char value[VARIABLES_MAX];
};

/* Cut the next one off the list; false: at its end, or where a word is none. */
bool variable_next(const char **list, struct variable *variable);

/* Is each word of it one that a profile may set, and each name there once? If not,
 * 'word' is the one at fault, and *err says why. */
int variables_check(const char *list, char word[VARIABLES_MAX], struct err *err);

#endif
