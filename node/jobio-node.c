/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-node - write RUN/node.json, if it is outdated
 *
 *   jobio-node --run-dir=DIR --name=NODE --timeout-ms=N
 *
 * jobio-prepare starts it for a job with io-cores, or with gate = enforce. It queries slurmctld,
 * through jobio-slurm in the same directory, and the machine, through hwloc. It is a program of
 * its own so that jobio-prepare, which runs for every job, starts fast. Exit status: 0, or 1 with
 * one line on standard error.
 */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/command_line.h"
#include "cores/node_load.h"

#define TIMEOUT_MAX_MS 600000

struct arguments {
	const char *run_dir, *name;
	unsigned long timeout_ms;
};

/* Both have no default. */
static int check(void *what, struct err *err)
{
	const struct arguments *arguments = what;

	return arguments->run_dir && arguments->name
		       ? 0
		       : err_set(err, "--run-dir and --name are needed");
}

static const struct command_line line = {
	.program = "jobio-node",
	.usage = "usage: jobio-node --run-dir=DIR --name=NODE --timeout-ms=N\n"
		 "Stores slurmctld's record of this node; jobio-prepare runs it.\n",
	.usage_status = EX_USAGE,
	.check = check,
	.table =
		(const struct command_option[]){ COMMAND_TEXT("run-dir", struct arguments, run_dir),
						 COMMAND_TEXT("name", struct arguments, name),
						 COMMAND_NUMBER("timeout-ms", struct arguments,
								timeout_ms, 0, TIMEOUT_MAX_MS),
						 { 0 } },
};

int main(int argc, char **argv)
{
	struct arguments arguments = { .timeout_ms = 5000 };
	char self[PATH_MAX] = "", helper[PATH_MAX + 16];
	struct node_state state = { 0 };
	struct err err;
	int rc = command_parse(&line, &arguments, argc, argv);

	if (rc >= 0)
		return rc;
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) {
		fprintf(stderr, "its path is unknown\n");
		return 1;
	}
	snprintf(helper, sizeof(helper), "%s/jobio-slurm", dirname(self));
	if (node_load(arguments.run_dir, helper, arguments.name, (unsigned int)arguments.timeout_ms,
		      &state, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	node_state_free(&state);
	return 0;
}
