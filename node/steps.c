/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/steps.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fileio.h"
#include "base/rundir.h"
#include "base/sysfs.h"
#include "client/client.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/log.h"
#include "record/field.h"
#include "record/run.h"

#define STEP_BYTES_MAX 8192

/* Contents of a file of spank/stepio.c: the keys of struct io and these. */
struct step {
	struct io io;
	int64_t uid, start, array_job, array_task, refused_tasks, warned_tasks;
	char *refused, *warned, *cpus, *private_mounts;
	bool is_own_out;
};

static const struct field fields[] = {
	FIELD(NUMBER, "uid", step, uid),
	FIELD(NUMBER, "start", step, start),
	FIELD(NUMBER, "array_job_id", step, array_job),
	FIELD(NUMBER, "array_task_id", step, array_task),
	FIELD(NUMBER, "refused_tasks", step, refused_tasks),
	FIELD(NUMBER, "warned_tasks", step, warned_tasks),
	FIELD(TEXT, "refused", step, refused),
	FIELD(TEXT, "warned", step, warned),
	FIELD(TEXT, "cpus", step, cpus),
	FIELD(TEXT, "private_mounts", step, private_mounts),
	FIELD(FLAG, "own_out", step, is_own_out),
	FIELD_LAST,
};

static int step_parse(struct step *step, const char *text)
{
	struct json *top = json_parse(text);
	bool is_cut = false;
	int rc = -1;

	if (top && field_read(fields, step, top, &is_cut, NULL) == 0 &&
	    field_read(io_fields, &step->io, top, &is_cut, NULL) == 0)
		rc = 0;
	json_free(top);
	return rc;
}

/* Return false after logging the error: the file is removed with its folder. */
static bool read_file(const char *path, struct step *step, int *error)
{
	struct err err;
	char *text = fileio_read(path, STEP_BYTES_MAX, NULL, &err);
	bool is_read = text && step_parse(step, text) == 0;

	if (!text && fileio_may_be_there(errno))
		*error = errno;
	if (!is_read)
		log_line("a step's counters are lost: %s%s", text ? path : err.text,
			 text ? ": not the JSON of jobio.so" : "");
	free(text);
	return is_read;
}

/* Call [fn] for each step, with NULL for an unreadable one. Return -1 with errno if another try may
 * find more. */
static int each_step(uint32_t job_id, void (*fn)(void *arg, const struct step *step), void *arg)
{
	char folder[RUNDIR_PATH_MAX], path[RUNDIR_PATH_MAX + 258];
	struct dirent *entry;
	struct step step;
	int error = 0;
	DIR *dir;

	if (rundir_job_file(folder, dirs.run, job_id, RUNDIR_STEPS, NULL) < 0)
		return 0;
	dir = opendir(folder);
	if (!dir)
		return fileio_may_be_there(errno) ? -1 : 0;
	while ((errno = 0, entry = readdir(dir))) {
		/* "7.tmp.123": its writer was killed */
		if (strchr(entry->d_name, '.'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		memset(&step, 0, sizeof(step));
		field_init(fields, &step);
		io_init(&step.io);
		fn(arg, read_file(path, &step, &error) ? &step : NULL);
		field_free(fields, &step);
		free(step.io.fs);
	}
	error = errno ? errno : error;
	closedir(dir);
	errno = error;
	return error ? -1 : 0;
}

/* ---- user of the job ------------------------------------------------------- */

struct owner {
	int64_t uid, start; /* of the first step */
};

static void find_owner(void *arg, const struct step *step)
{
	struct owner *owner = arg;

	if (!step || step->uid < 0 || step->uid > UINT32_MAX || step->start <= 0 ||
	    (owner->uid >= 0 && owner->start <= step->start))
		return;
	*owner = (struct owner){ step->uid, step->start };
}

struct record *job_state_of_steps(uint32_t job_id, const struct job *here, const char *cluster)
{
	struct owner owner = { RECORD_UNKNOWN, 0 };
	struct job job = { .id = job_id, .gid = UINT32_MAX, .restart = -1 };
	struct record *state;

	if (each_step(job_id, find_owner, &owner) < 0)
		return NULL;
	errno = ENOENT;
	if (owner.uid < 0)
		return NULL;
	job.uid = (uint32_t)owner.uid;
	memcpy(job.node, here->node, sizeof(job.node));
	memcpy(job.cluster, here->cluster, sizeof(job.cluster));
	state = job_state_new(&job, cluster);
	if (!*state->cluster) {
		record_free(state);
		errno = ENOENT;
		return NULL;
	}
	state->flags |= RECORD_FLAG(START_UNKNOWN);
	state->start = (double)owner.start;
	state->up = RECORD_UNKNOWN;
	return state;
}

/* ---- gate, CPUs and mounts ------------------------------------------------- */

/* Add the gate's message and the number of the step's tasks that got it. */
static void add_gate(struct record *state, const char *why, int64_t tasks, int64_t *sum)
{
	if (!why)
		return;
	state->has_gate = true;
	io_add_number(sum, tasks);
	if (!state->gate_text)
		record_set(&state->gate_text, why);
}

/* Add tasks that the gate refused or warned. */
static void add_refusal(struct record *state, const struct step *step)
{
	if (!state->refused && step->refused)
		record_set(&state->refused, step->refused);
	add_gate(state, step->refused, step->refused_tasks, &state->gate_refused);
	add_gate(state, step->warned, step->warned_tasks, &state->gate_warned);
}

/* Add the CPUs on which the step's tasks could run. An invalid list is ignored. */
static void add_cpus(struct cpuset *cpus, const struct step *step)
{
	struct cpuset some;

	if (step->cpus && cpuset_parse(&some, step->cpus, NULL) == 0)
		cpuset_or(cpus, &some);
}

/* Set a flag for a private mount of the job, of a client's type: neither the client's counters nor
 * those by filesystem include it. */
static void add_private_mounts(struct record *state, const struct step *step)
{
	const char *types = step->private_mounts;
	char word[64];
	size_t i, length;

	for (; types && *types; types += length + strspn(types + length, " ")) {
		length = strcspn(types, " ");
		snprintf(word, sizeof(word), "%.*s", (int)length, types);
		for (i = 0; i < state->client_count; i++)
			if (client_type_mounts(state->clients[i].type, word))
				state->flags |= RECORD_FLAG(PRIVATE_MOUNT);
	}
}

/* Set is_numa_local: whether the job had a core on the NUMA node of one of the client's NICs. */
static void set_numa_local(struct record_client *client, const struct cpuset *cpus)
{
	struct cpuset nodes, beside;
	bool is_whole = true;
	int node;

	client->is_numa_local = -1;
	if (!client->nic_numa_nodes || cpuset_is_empty(cpus) ||
	    cpuset_parse(&nodes, client->nic_numa_nodes, NULL) < 0)
		return;
	cpuset_for_each (node, &nodes) {
		if (sysfs_numa_cpus(node, &beside) < 0)
			is_whole = false;
		else if (cpuset_intersects(&beside, cpus))
			client->is_numa_local = 1;
	}
	if (client->is_numa_local < 0 && is_whole)
		client->is_numa_local = 0;
}

/* ---- steps without counters ------------------------------------------------ */

/* Return true if the plugin's file was removed, or installed, since the job started. */
static bool is_plugin_other(const struct record *state)
{
	char note[RUNDIR_PATH_MAX], *path = NULL;
	struct stat st;
	bool is_other = false;

	if (rundir_node_file(note, dirs.run, RUNDIR_PLUGIN, NULL) == 0)
		path = fileio_read(note, RUNDIR_PATH_MAX, NULL, NULL);
	if (path && stat(path, &st) < 0)
		is_other = errno == ENOENT;
	else if (path)
		is_other =
			state->start >= 0 &&
			(double)st.st_ctim.tv_sec + (double)st.st_ctim.tv_nsec / 1e9 > state->start;
	free(path);
	return is_other;
}

/* Return true if a slurmstepd reported it (spank/plugin_file.h), or none of the job loaded the
 * plugin and its file has changed. */
static bool was_plugin_missing(const struct record *state)
{
	return job_has_file(state->job, RUNDIR_AWAY) ||
	       (!job_has_file(state->job, RUNDIR_STARTED) && is_plugin_other(state));
}

/* ---- steps with counters ----------------------------------------------------- */

struct sum {
	struct record *state;
	struct io io;
	struct cpuset cpus;
	bool is_best, has_stepd;
	int64_t steps;
};

/* Return -1 if a number that every source has is missing. */
static int add_step(struct sum *sum, const struct step *step)
{
	int number, rc = 0;

	io_add(&sum->io, &step->io);
	for (number = IO_READ_BYTES; number <= IO_WRITE_CALLS; number++)
		if (step->io.numbers[number] < 0)
			rc = -1;
	if (step->array_job >= 0 && step->array_task >= 0) {
		sum->state->array_job = step->array_job;
		sum->state->array_task = step->array_task;
	}
	add_refusal(sum->state, step);
	add_cpus(&sum->cpus, step);
	add_private_mounts(sum->state, step);
	sum->has_stepd |= !step->is_own_out;
	return rc;
}

static void read_step(void *arg, const struct step *step)
{
	struct sum *sum = arg;

	sum->steps++;
	if ((!step || add_step(sum, step) < 0) && sum->is_best)
		sum->state->flags |= RECORD_FLAG(STEP_MISSING);
}

void job_add_steps(struct record *state)
{
	struct sum sum = { .state = state, .is_best = state->app_count == 0 };
	bool was_missing = was_plugin_missing(state);
	size_t i;

	io_init(&sum.io);
	snprintf(sum.io.source, sizeof(sum.io.source), "stepd");
	if (each_step(state->job, read_step, &sum) < 0)
		state->flags |= RECORD_FLAG(STEP_MISSING);
	for (i = 0; i < state->client_count; i++)
		set_numa_local(&state->clients[i], &sum.cpus);
	if (state->part_count)
		record_set_job_cpus(state, &sum.cpus);
	state->steps = sum.steps;
	if (was_missing && (sum.is_best || !sum.steps))
		state->flags |= RECORD_FLAG(PLUGIN_AWAY);
	if (!sum.steps) {
		if (!was_missing && !(state->flags & RECORD_FLAG(STEP_MISSING)))
			state->flags |= RECORD_FLAG(NO_STEP);
		return;
	}
	/* limits of /proc/PID/io of slurmstepd: fs/read_write.c counts
	 * system calls, twice where overlayfs copies through another filesystem;
	 * kernel/exit.c:wait_task_zombie adds reaped children */
	if (sum.is_best)
		state->flags |= RECORD_FLAG(ALL_FILES) | RECORD_FLAG(ORPHANS_MISSING) |
				RECORD_FLAG(MMAP_MISSING) | RECORD_FLAG(AIO_MISSING) |
				RECORD_FLAG(COPIES_TWICE) |
				(sum.has_stepd ? RECORD_FLAG(INCLUDES_STEPD) : 0);
	record_add_app(state, &sum.io);
}
