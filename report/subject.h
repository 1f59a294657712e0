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
#ifndef JOBIO_REPORT_SUBJECT_H
#define JOBIO_REPORT_SUBJECT_H

#include <getopt.h>
#include <stdbool.h>

#include "lib/err.h"
#include "lib/finding.h"
#include "lib/node.h"

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

/* Rows for the table of getopt_long(), values from SUBJECT_FIRST on. */
enum {
	SUBJECT_TOPOLOGY = 0x100,
	SUBJECT_NODE,
	SUBJECT_ALLOW,
	SUBJECT_FIRST,
	SUBJECT_PARAMETERS,
	SUBJECT_TASK_PARAM,
	SUBJECT_VERSION,
	SUBJECT_CONF,
	SUBJECT_END,
};

/* clang-format off */
#define SUBJECT_OPTIONS \
	{ "topology", required_argument, NULL, SUBJECT_TOPOLOGY }, \
	{ "node", required_argument, NULL, SUBJECT_NODE }, \
	{ "allow-spec-resources-usage", required_argument, NULL, \
	  SUBJECT_ALLOW }, \
	{ "spec-cores-first", no_argument, NULL, SUBJECT_FIRST }, \
	{ "slurmd-parameters", required_argument, NULL, \
	  SUBJECT_PARAMETERS }, \
	{ "task-plugin-param", required_argument, NULL, \
	  SUBJECT_TASK_PARAM }, \
	{ "slurm-version", required_argument, NULL, SUBJECT_VERSION }, \
	{ "conf", required_argument, NULL, SUBJECT_CONF }
/* clang-format on */

/* What --help says of them. */
extern const char subject_usage[];

void subject_init(struct subject *subject);

/* 1: it was one of ours; 0: it was not. */
int subject_option(struct subject *subject, int option, const char *value,
		   struct err *err);

int subject_find(const struct subject *subject, struct node_state *state,
		 struct findings *findings, int *status, struct err *err);

/* From 22.05 to 26.05, or a sentence. */
int subject_version(const char *value, unsigned int *version, struct err *err);

/* 'value' is one of two words: 1 the first, 0 the second, -1 neither. */
int subject_choose(const char *option, const char *value, const char *yes,
		   const char *no, struct err *err);

#endif
