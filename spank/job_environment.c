/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/job_environment.h"

#include <stdbool.h>
#include <string.h>

#include "base/variables.h"

#define LIST_VARIABLE "JOBIO_ENVIRONMENT"

static bool has(spank_t sp, const struct variable *variable)
{
	char value[VARIABLES_MAX] = "";

	return spank_getenv(sp, variable->name, value, sizeof(value)) == ESPANK_SUCCESS &&
	       !strcmp(value, variable->value);
}

static void unset_list(spank_t sp, const char *list)
{
	struct variable variable;

	while (variable_next(&list, &variable))
		if (has(sp, &variable))
			spank_unsetenv(sp, variable.name);
}

void job_environment_set(spank_t sp, const char *list)
{
	char before[VARIABLES_MAX] = "";
	struct variable variable;
	const char *at = list;

	if (spank_getenv(sp, LIST_VARIABLE, before, sizeof(before)) == ESPANK_SUCCESS) {
		unset_list(sp, before);
		spank_unsetenv(sp, LIST_VARIABLE);
	}
	if (!*list)
		return;
	while (variable_next(&at, &variable))
		spank_setenv(sp, variable.name, variable.value, 0);
	spank_setenv(sp, LIST_VARIABLE, list, 1);
}
