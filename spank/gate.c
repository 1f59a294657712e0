/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/gate.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include "base/fileio.h"
#include "base/rundir.h"

#define CGROUP_BYTES_MAX 65536
#define CPUS_TEXT_MAX 100 /* of a list in a message */

int gate_open(struct gate *gate, const char *run_dir, uint32_t job_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int rc;

	memset(gate, 0, sizeof(*gate));
	gate->job_id = job_id;
	if (rundir_job_file(path, run_dir, job_id, RUNDIR_GATE, err) < 0)
		return -1;
	rc = gatefile_read(path, &gate->file, err);
	if (rc == 0) {
		if (rundir_node_file(path, run_dir, RUNDIR_GATE, err) < 0)
			return -1;
		rc = gatefile_read(path, &gate->file, err);
	} else {
		gate->is_job_file = true;
	}
	gate->has_file = rc == 1;
	return rc;
}

/* cpu_set_t and struct cpuset are both arrays of longs, lowest CPU first; they would differ only on
 * big-endian 32-bit machines. */
_Static_assert(sizeof(unsigned long) == sizeof(uint64_t),
	       "struct cpuset is handed to the kernel as it is");

static int get_affinity(struct cpuset *set)
{
	cpuset_zero(set);
	return sched_getaffinity(0, sizeof(*set), (cpu_set_t *)set);
}

static int set_affinity(const struct cpuset *set)
{
	return sched_setaffinity(0, sizeof(*set), (const cpu_set_t *)set);
}

int gate_bound(struct cpuset *bound)
{
	return get_affinity(bound);
}

/* Read the CPUs that this process may use. Its binding stays the same. */
static int read_view(struct gate_view *view, struct err *err)
{
	struct gate_view new = { .is_confined = true };
	struct cpuset all;
	int rc;

	memset(&all, 0xff, sizeof(all));
	if (get_affinity(&new.bound) < 0)
		return err_set(err, "cannot read the task's CPUs: %s", strerror(errno));
	/* The kernel clips this to the task's cpuset */
	if (set_affinity(&all) < 0)
		return err_set(err, "cannot try the task's CPUs: %s", strerror(errno));
	rc = get_affinity(&new.allowed);
	if ((rc < 0 || !cpuset_equal(&new.allowed, &new.bound)) && set_affinity(&new.bound) < 0)
		return err_set(err, "cannot restore the task's CPUs: %s", strerror(errno));
	if (rc < 0)
		return err_set(err, "cannot read the task's CPUs: %s", strerror(errno));
	*view = new;
	return 0;
}

/* Return the end of the first folder in a cgroup path that is of one job alone; NULL: there is
 * none. slurmd names it job_ID (cgroup_common.c), and on v2, in slurmstepd's scope, by the run's
 * SLUID from 26.05 on (cgroup_v2.c): any name is accepted there. Several slurmd on one machine:
 * NODE_slurmstepd.scope. */
static char *job_folder(char *path, uint32_t job_id)
{
	static const char scope[] = "slurmstepd.scope/";
	char name[24], *at;
	size_t length;

	at = strstr(path, scope);
	if (at && at > path && (at[-1] == '/' || at[-1] == '_')) {
		at += sizeof(scope) - 1;
		length = strcspn(at, "/");
		return length ? at + length : NULL;
	}
	length = (size_t)snprintf(name, sizeof(name), "/job_%u", job_id);
	for (at = strstr(path, name); at; at = strstr(at + 1, name))
		if (at[length] == '/' || at[length] == '\0')
			return at + length;
	return NULL;
}

/* v2: a folder may exist for other reasons; it confines if it has CPUs */
static bool has_cpus(const char *root, const char *folder)
{
	char path[RUNDIR_PATH_MAX], *text;
	bool has;

	if (snprintf(path, sizeof(path), "%s%s/cpuset.cpus", root, folder) >= (int)sizeof(path))
		return true;
	text = fileio_read(path, CGROUP_BYTES_MAX, NULL, NULL);
	has = text && text[0] != '\n' && text[0] != '\0';
	free(text);
	return has;
}

/* Return true if the job's folder, which ends at 'end', or one between it and the task (its step's,
 * its own) has CPUs. */
static bool has_cpus_below(const char *root, char *folder, char *end)
{
	char kept;
	bool has;

	for (;;) {
		kept = *end;
		*end = '\0';
		has = has_cpus(root, folder);
		*end = kept;
		if (has || !kept)
			return has;
		end += 1 + strcspn(end + 1, "/");
	}
}

static bool line_has_cpuset(const char *controllers)
{
	const char *at = strstr(controllers, "cpuset");

	return at && (at == controllers || at[-1] == ',') && (at[6] == ',' || at[6] == '\0');
}

/* In a cgroup namespace (cgroup_namespaces(7)) paths begin at its root. */
static bool is_namespace_root(const char *path)
{
	return !strcmp(path, "/") || !strncmp(path, "/..", 3);
}

int gate_confined(uint32_t job_id, const char *proc_cgroup, const char *cgroup_root)
{
	char *text = fileio_read(proc_cgroup, CGROUP_BYTES_MAX, NULL, NULL);
	char *line, *state = NULL, *controllers, *path, *end;
	int confined = -1;

	/* cgroups(7): hierarchy-ID:controller-list:path, "0::path" for v2 */
	for (line = text ? strtok_r(text, "\n", &state) : NULL; line && confined < 1;
	     line = strtok_r(NULL, "\n", &state)) {
		controllers = strchr(line, ':');
		path = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!path)
			continue;
		*path++ = '\0';
		controllers++;
		end = job_folder(path, job_id);
		if (end && line_has_cpuset(controllers))
			confined = 1;
		else if (end && !*controllers)
			confined = has_cpus_below(cgroup_root, path, end);
		else if (!is_namespace_root(path))
			confined = 0;
	}
	free(text);
	return confined;
}

/* Slurm gives no CPU of the spec set to a job that has not requested it; if jobs are not confined,
 * no request is needed. */
static bool is_refused(const struct gatefile *file, const struct cpuset *overlap, bool is_confined)
{
	struct cpuset spec = *overlap;

	if (file->policy != GATE_ENFORCE)
		return false;
	cpuset_and(&spec, &file->spec_cpus);
	return file->is_requested || (is_confined && !cpuset_is_empty(&spec));
}

/* Return why the job has these CPUs, and what can be done. */
static const char *cure_of(const struct gatefile *file, bool is_refused)
{
	if (file->is_requested)
		return *file->note
			       ? file->note
			       : "the io-cores that Slurm reserved are others: ask your administrator to run 'jobio check' there";
	if (is_refused)
		return "slurm.conf reserves it (CpuSpecList): submit the job without --core-spec=0, or with --io-cores";
	return "slurm.conf does not reserve it: run 'jobio check' there for the CpuSpecList to write";
}

static enum gate_verdict judge_overlap(const struct gatefile *file, const struct cpuset *overlap,
				       bool is_confined, const char *node, struct err *err)
{
	bool refused = is_refused(file, overlap, is_confined);
	char *list = cpuset_format(overlap);

	err_set(err,
		"the job may run on CPU %.*s%s of node %s, where the filesystem client%s%s works%s; %s",
		CPUS_TEXT_MAX, list ? list : "?", list && strlen(list) > CPUS_TEXT_MAX ? "..." : "",
		node, *file->client ? " " : "", file->client,
		is_confined ? "" : " (jobs are not confined to their cores)",
		cure_of(file, refused));
	free(list);
	return refused ? GATE_REFUSE : GATE_REPORT;
}

enum gate_verdict gate_judge(const struct gate *gate, const struct gate_view *view,
			     const char *node, struct err *err)
{
	const struct gatefile *file = &gate->file;
	struct cpuset both;

	if (!gate->has_file || file->policy == GATE_OFF)
		return GATE_PASS;
	both = view->is_confined ? view->allowed : view->bound;
	cpuset_and(&both, &file->client_cpus);
	if (cpuset_is_empty(&both))
		return GATE_PASS;
	return judge_overlap(file, &both, view->is_confined, node, err);
}

enum gate_verdict gate_check(const struct gate *gate, int step_confined, const char *node,
			     struct err *err)
{
	struct gate_view view = { .is_confined = true };
	enum gate_verdict verdict;
	int confined;

	/* nothing to compare: save the system calls */
	if (!gate->has_file || gate->file.policy == GATE_OFF ||
	    cpuset_is_empty(&gate->file.client_cpus))
		return gate_judge(gate, &view, node, err);
	if (read_view(&view, err) < 0)
		return GATE_REPORT;
	verdict = gate_judge(gate, &view, node, err);
	if (verdict == GATE_PASS)
		return verdict;
	confined = gate_confined(gate->job_id, GATE_PROC_CGROUP, GATE_CGROUP_ROOT);
	view.is_confined =
		confined == 1 || step_confined == 1 || (confined < 0 && step_confined < 0);
	return view.is_confined ? verdict : gate_judge(gate, &view, node, err);
}
