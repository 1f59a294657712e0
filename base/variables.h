/* SPDX-License-Identifier: GPL-2.0-or-later */
/* variables.h - environment variables that a profile sets for a job's tasks
 *
 * Terms   list: "NAME=VALUE NAME=VALUE", blanks between the words. A name has
 *           letters, digits and '_', a value letters, digits and _./:,@+=-
 *           and is not empty: nothing that a shell would read as more.
 *         denied: a name that selects the program that runs, or its user, or that
 *           is Slurm's, an MPI's link to it, or jobio's. Only root writes
 *           jobio.conf: this prevents mistakes, which would affect every job of
 *           a profile.
 * Owner   plain values.
 * Errors  variables_check: -1, the reason in *err.
 * Runs    everywhere, also in the plugin.
 */
#ifndef JOBIO_BASE_VARIABLES_H
#define JOBIO_BASE_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define VARIABLES_MAX 512 /* a list, with the final 0 */
#define VARIABLE_NAME_MAX 64

struct variable {
	char name[VARIABLE_NAME_MAX + 1];
	char value[VARIABLES_MAX];
};

/* Get the next variable of the list. Return false at its end, or at an invalid word. */
bool variable_next(const char **list, struct variable *variable);

/* Check that a profile may set each variable, and that each name is there once. If not, 'word' is
 * the one at fault. */
int variables_check(const char *list, char word[VARIABLES_MAX], struct err *err);

#endif
