/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subject.h - options that select the node and the machine for a command
 *
 * Terms   --topology, --node, --slurmd-parameters, --task-plugin-param,
 *           --slurm-version, --spec-cores-first, --conf and
 *           --allow-spec-resources-usage are the same in every command: see
 *           jobio(1).
 * Owner   *state belongs to the caller: node_state_free().
 * Errors  -1, the reason in *err; *status is the exit status for it.
 * Runs    any user; contacts slurmctld only without --topology and --node.
 */
#ifndef JOBIO_TOOLS_SUBJECT_H
#define JOBIO_TOOLS_SUBJECT_H

#include <stdbool.h>

#include "base/command_line.h"
#include "base/err.h"
#include "cores/node.h"
#include "record/finding.h"

/* NULL: not given. jobio(1) has checked them. */
struct subject {
	const char *topology;
	const char *line;
	const char *slurmd_parameters;
	const char *task_plugin_param;
	const char *conf, *allow, *version;
	bool first;
};

/* Rows for a command's table; its struct of options begins with a struct subject. */
/* clang-format off */
#define SUBJECT_OPTIONS \
	COMMAND_TEXT("topology", struct subject, topology), \
	COMMAND_TEXT("node", struct subject, line), \
	COMMAND_TEXT("allow-spec-resources-usage", struct subject, allow), \
	COMMAND_FLAG("spec-cores-first", struct subject, first), \
	COMMAND_TEXT("slurmd-parameters", struct subject, slurmd_parameters), \
	COMMAND_TEXT("task-plugin-param", struct subject, task_plugin_param), \
	COMMAND_TEXT("slurm-version", struct subject, version), \
	COMMAND_TEXT("conf", struct subject, conf)
/* clang-format on */

int subject_find(const struct subject *subject, struct node_state *state, struct findings *findings,
		 int *status, struct err *err);

#endif
