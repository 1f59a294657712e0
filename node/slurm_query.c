/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/slurm_query.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "node/helper.h"

#define MORE_MS 100U /* for its own timeout and message */

int slurm_query(unsigned int timeout_ms, const char *what, const char *about, const char *more,
		struct child_result *result, struct err *err)
{
	char helper[PATH_MAX], limit[48], conf[PATH_MAX + 16], node[300];
	const char *conf_path = getenv("SLURM_CONF"), *name = getenv("SLURMD_NODENAME");
	char *argv[] = { helper, limit, (char *)what, (char *)about, (char *)more, NULL };
	char *env[3] = { NULL };
	size_t count = 0;

	if (timeout_ms < SLURM_QUERY_LEAST_MS)
		return err_set(err, SLURM_QUERY_NO_TIME);
	snprintf(limit, sizeof(limit), "--timeout-ms=%u", timeout_ms);
	snprintf(conf, sizeof(conf), "SLURM_CONF=%s", conf_path ? conf_path : "");
	snprintf(node, sizeof(node), "SLURMD_NODENAME=%s", name ? name : "");
	if (conf_path)
		env[count++] = conf;
	if (name)
		env[count] = node;
	if (job_helper_path("jobio-slurm", helper, sizeof(helper)) < 0)
		return err_set(err, "there is no jobio-slurm beside this program");
	return child_run(argv, env, timeout_ms + MORE_MS, result, err);
}
