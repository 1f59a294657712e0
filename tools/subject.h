/* SPDX-License-Identifier: GPL-2.0-or-later */
/* subject.h - the node and the machine that a command is asked about
 *
 * Terms   --topology, --node, --slurmd-parameters, --task-plugin-param,
 *           --slurm-version, --spec-cores-first, --conf and
 *           --allow-spec-resources-usage mean the same in every command: see
 *           `jobio cores --help`.
 * Owner   *state belongs to the caller: node_state_free().
 * Errors  -1, sentence in *err; *status is the exit status that fits it.
 * Runs    any user; asks slurmctld only without --topology and --node.
 */
#ifndef JOBIO_TOOLS_SUBJECT_H
#define JOBIO_TOOLS_SUBJECT_H

#include <stdbool.h>

#include "lib/err.h"
#include "lib/finding.h"
#include "lib/node.h"
#include "tools/command.h"

struct subject {
	const char *topology;
	const char *line;
	const char *slurmd_parameters;
	const char *task_plugin_param;
	const char *conf; /* NULL: not given */
	int allow;	  /* -1: not given */
	bool first;
	unsigned int version; /* 0: not given */
};

/* Rows for the table of a command whose options begin with a struct subject. */
/* clang-format off */
#define SUBJECT_OPTIONS \
	COMMAND_TEXT("topology", struct subject, topology), \
	COMMAND_TEXT("node", struct subject, line), \
	COMMAND_CALL("allow-spec-resources-usage", subject_set_allow), \
	COMMAND_FLAG("spec-cores-first", struct subject, first), \
	COMMAND_CALL("slurmd-parameters", subject_set_parameters), \
	COMMAND_TEXT("task-plugin-param", struct subject, task_plugin_param), \
	COMMAND_CALL("slurm-version", subject_set_version), \
	COMMAND_TEXT("conf", struct subject, conf)
/* clang-format on */

int subject_set_allow(void *subject, const char *name, const char *value, struct err *err);
int subject_set_parameters(void *subject, const char *name, const char *value, struct err *err);
/* For tests: before anything of the machine is read. */
int subject_set_sysfs(void *subject, const char *name, const char *value, struct err *err);
int subject_set_version(void *subject, const char *name, const char *value, struct err *err);

/* What --help says of them. */
extern const char subject_usage[];

void subject_init(struct subject *subject);

int subject_find(const struct subject *subject, struct node_state *state, struct findings *findings,
		 int *status, struct err *err);

#endif
