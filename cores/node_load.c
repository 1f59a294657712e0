/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cores/node_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "cores/core_map_load.h"

static char *last_line(char *text)
{
	size_t length = strlen(text);
	char *at;

	while (length && text[length - 1] == '\n')
		text[--length] = '\0';
	at = strrchr(text, '\n');
	return at ? at + 1 : text;
}

static int ask(const char *helper, const char *node_name, unsigned int timeout_ms,
	       struct node *node, struct err *err)
{
	char limit[32], conf[NODE_TEXT_MAX + 16];
	const char *conf_path = getenv("SLURM_CONF");
	char *argv[] = { (char *)helper, limit, "node", (char *)node_name, NULL };
	char *env[] = { NULL, NULL };
	struct child_result result;
	int rc;

	snprintf(limit, sizeof(limit), "--timeout-ms=%u", timeout_ms);
	if (conf_path && strlen(conf_path) < NODE_TEXT_MAX) {
		snprintf(conf, sizeof(conf), "SLURM_CONF=%s", conf_path);
		env[0] = conf;
	}
	if (child_run(argv, env, timeout_ms + 500, &result, err) < 0)
		return -1;
	if (result.status == 0) {
		rc = node_parse_json(node, result.out, err);
	} else {
		/* one message; libslurm may have logged before it */
		char *last = last_line(result.errtext);

		rc = err_set(err, "node record: %s", *last ? last : "jobio-slurm failed");
	}
	child_result_free(&result);
	return rc;
}

int node_refresh(const char *run_dir, const char *helper, const char *node_name,
		 unsigned int timeout_ms, struct node_state *state, struct err *err)
{
	struct core_map_options options = { 0 };
	struct node_state read = { 0 };
	struct node_epoch epoch;

	if (!helper)
		helper = JOBIO_LIBEXECDIR "/jobio-slurm";
	/* before the query: a change in between makes the cache too old */
	node_epoch_read(&epoch);
	if (ask(helper, node_name, timeout_ms, &read.node, err) < 0)
		return -1;
	options.slurm_version = read.node.version;
	core_map_slurmd_parameters(&options, read.node.slurmd_parameters);
	read.map = core_map_load(&options, err);
	if (!read.map)
		return -1;
	if (run_dir && node_cache_write(run_dir, &epoch, &read, err) < 0) {
		node_state_free(&read);
		return -1;
	}
	*state = read;
	return 0;
}

int node_load(const char *run_dir, const char *helper, const char *node_name,
	      unsigned int timeout_ms, struct node_state *state, struct err *err)
{
	int rc = node_cached(run_dir, state, err);

	if (rc > 0 && node_name && *node_name && strcmp(state->node.name, node_name) != 0) {
		node_state_free(state); /* another node on this machine */
		rc = 0;
	}
	if (rc > 0)
		return 0;
	return node_refresh(run_dir, helper, node_name, timeout_ms, state, err);
}
