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
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/number.h"
#include "cores/node.h"

#define TIMEOUT_MAX_MS 600000

struct arguments {
	const char *run_dir, *name;
	unsigned long timeout_ms;
};

static int usage(FILE *to, int rc)
{
	fprintf(to, "usage: jobio-node --run-dir=DIR --name=NODE --timeout-ms=N\n"
		    "Keeps what slurmctld knows of this node; jobio-prepare runs it.\n");
	return rc;
}

static int read_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option options[] = {
		{ "run-dir", required_argument, NULL, 'r' },
		{ "name", required_argument, NULL, 'n' },
		{ "timeout-ms", required_argument, NULL, 't' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'r')
			arguments->run_dir = optarg;
		else if (option == 'n')
			arguments->name = optarg;
		else if (option == 'h')
			exit(usage(stdout, 0));
		else if (option != 't' ||
			 number_parse(optarg, 0, TIMEOUT_MAX_MS, &arguments->timeout_ms, NULL) < 0)
			return -1;
	}
	return optind == argc && arguments->run_dir && arguments->name ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct arguments arguments = { .timeout_ms = 5000 };
	char self[PATH_MAX] = "", helper[PATH_MAX + 16];
	struct node_state state = { 0 };
	struct err err;

	if (read_arguments(argc, argv, &arguments) < 0)
		return usage(stderr, EX_USAGE);
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
