/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/number.h"

static int env_number(const char *name, uint32_t *value, struct err *err)
{
	const char *text = getenv(name);
	unsigned long number;

	if (!text)
		return err_set(err, "%s is not set: not run by slurmd?", name);
	if (number_parse(text, 0, UINT32_MAX, &number, err) < 0) {
		err_prefix(err, "%s", name);
		return -1;
	}
	*value = (uint32_t)number;
	return 0;
}

static int64_t env_optional(const char *name, unsigned long max)
{
	const char *text = getenv(name);
	unsigned long number;

	if (!text || number_parse(text, 0, max, &number, NULL) < 0)
		return -1;
	return (int64_t)number;
}

static void env_text(const char *name, char *text, size_t size)
{
	const char *value = getenv(name);

	snprintf(text, size, "%s", value ? value : "");
}

/* Whether other jobs may share the node, by slurmctld's variables (slurm_protocol_defs.c):
 * SLURM_JOB_OVERSUBSCRIBE since 23.02, NO for jobs that do not share; SLURM_JOB_EXCLUSIVE since
 * 26.05, where the former is NO for plain jobs too. Users cannot set them: their variables get the
 * prefix SPANK_. If sbatch was older than 26.05, which slurmctld accepts, both are NO even for
 * --exclusive and --core-spec: slurmctld has to be queried. */
static enum job_alone env_alone(const struct job *job)
{
	const char *exclusive = getenv("SLURM_JOB_EXCLUSIVE");
	const char *oversubscribe = getenv("SLURM_JOB_OVERSUBSCRIBE");
	bool excludes = oversubscribe && !strcmp(oversubscribe, "NO");
	bool yes;

	if (!exclusive && !oversubscribe)
		return JOB_ALONE_UNKNOWN;
	if (!exclusive)
		return excludes ? JOB_ALONE : JOB_NOT_ALONE;
	if (!strcmp(exclusive, "NO") && excludes)
		return JOB_ALONE_UNKNOWN;
	/* TOPO hides NODE, which core-spec brings */
	yes = !strcmp(exclusive, "NODE") || (!strcmp(exclusive, "TOPO") && job->core_spec > 0);
	return yes ? JOB_ALONE : JOB_NOT_ALONE;
}

int job_node_name(char *node, size_t size, struct err *err)
{
	if (host_node_name(node, size) < 0)
		return err_set(err, "the node has no name: %s", strerror(errno));
	if (strchr(node, '/') || *node == '.')
		return err_set(err, "node name '%s': not a name", node);
	return 0;
}

int job_from_env(struct job *job, struct err *err)
{
	struct job new = { 0 };
	const char *type;

	if (env_number("SLURM_JOB_ID", &new.id, err) < 0 ||
	    env_number("SLURM_JOB_UID", &new.uid, err) < 0)
		return -1;
	if (!new.id)
		return err_set(err, "SLURM_JOB_ID '0': not a job");
	if (env_number("SLURM_JOB_GID", &new.gid, NULL) < 0)
		new.gid = UINT32_MAX;
	if (job_node_name(new.node, sizeof(new.node), err) < 0)
		return -1;
	env_text("SLURM_JOB_USER", new.user, sizeof(new.user));
	env_text("SLURM_CLUSTER_NAME", new.cluster, sizeof(new.cluster));
	env_text("SLURM_JOB_PARTITION", new.partition, sizeof(new.partition));
	new.nodelist = getenv("SLURM_NODELIST");
	new.restart = (int)env_optional("SLURM_JOB_RESTART_COUNT", 65533);
	new.core_spec = (int)env_optional("SLURM_JOB_CORE_SPEC_COUNT", 65533);
	new.start = env_optional("SLURM_JOB_START_TIME", INT64_MAX);
	type = getenv("SLURM_JOB_CORE_SPEC_TYPE");
	new.core_spec_is_threads = type && !strcmp(type, "threads");
	/* the count is set for prologs since 23.02, as is the start time */
	new.core_spec_is_set = new.core_spec >= 0 || new.start != RECORD_UNKNOWN;
	/* 0 is also set for a job without --core-spec (prep_script_slurmd.c:_build_env) */
	if (new.core_spec == 0)
		new.core_spec = -1;
	new.alone = env_alone(&new);
	*job = new;
	return 0;
}
