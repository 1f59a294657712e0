/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/subject.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/config_load.h"
#include "base/rundir.h"
#include "base/version.h"
#include "cores/core_map_load.h"
#include "cores/node_load.h"

#define TIMEOUT_MS 5000

static void set_text(char to[NODE_TEXT_MAX], const char *value)
{
	if (value)
		snprintf(to, NODE_TEXT_MAX, "%s", value);
}

static int apply(struct node *node, const struct subject *subject, struct err *err)
{
	if (subject->allow)
		node->allow_spec_resources_usage = !strcmp(subject->allow, "yes");
	if (subject->first)
		node->spec_cores_first = true;
	set_text(node->slurmd_parameters, subject->slurmd_parameters);
	set_text(node->task_plugin_param, subject->task_plugin_param);
	return subject->version ? version_parse(subject->version, &node->version, err) : 0;
}

static struct core_map *load_map(const struct node *node, const struct subject *subject,
				 struct err *err)
{
	struct core_map_options options = {
		.xml = subject->topology,
		.slurm_version = node->version,
	};

	core_map_slurmd_parameters(&options, node->slurmd_parameters);
	return core_map_load(&options, err);
}

static void set_shape(struct node *node, const struct core_map *map)
{
	const struct core_map_shape *shape = core_map_shape(map);

	node->cpus = shape->cpus;
	node->boards = shape->boards;
	node->sockets = shape->sockets;
	node->cores = shape->cores;
	node->threads = shape->threads;
}

/* Use the prolog's copy in run_dir; a jobio.conf is not required. */
static int load_node(const struct subject *subject, struct node_state *state, struct err *err)
{
	const char *conf = subject->conf ? subject->conf : JOBIO_CONF;
	struct config *config = config_load(conf, err);
	const char *run_dir = config ? config->run_dir : RUNDIR_RUN;
	int rc = 0;

	if (!config && subject->conf)
		return -1;
	if (node_cached(run_dir, state, NULL) <= 0)
		rc = node_refresh(access(run_dir, W_OK) == 0 ? run_dir : NULL, NULL, NULL,
				  TIMEOUT_MS, state, err);
	config_free(config);
	return rc;
}

static int load_from_slurmctld(const struct subject *subject, struct node_state *state,
			       struct err *err)
{
	if (load_node(subject, state, err) < 0)
		return -1;
	if (apply(&state->node, subject, err) < 0)
		return -1;
	if (!subject->slurmd_parameters && !subject->version)
		return 0;
	core_map_free(state->map);
	state->map = load_map(&state->node, subject, err);
	return state->map ? 0 : -1;
}

int subject_find(const struct subject *subject, struct node_state *state, struct findings *findings,
		 int *status, struct err *err)
{
	*status = COMMAND_FAILED;
	if (!subject->line && !subject->topology)
		return load_from_slurmctld(subject, state, err);
	node_init(&state->node);
	state->node.version = JOBIO_SLURM_VERSION;
	*status = COMMAND_USAGE;
	if (apply(&state->node, subject, err) < 0 ||
	    (subject->line && node_line_parse(&state->node, subject->line, findings, err) < 0))
		return -1;
	*status = subject->topology ? COMMAND_USAGE : COMMAND_FAILED;
	state->map = load_map(&state->node, subject, err);
	if (!state->map)
		return -1;
	*status = COMMAND_FAILED;
	if (!subject->line)
		set_shape(&state->node, state->map);
	return 0;
}
