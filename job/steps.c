/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RUN/JOB/steps/STEP: what slurmstepd counted, one JSON object a file. */
#include "job/job.h"

#include <dirent.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fileio.h"
#include "lib/json.h"
#include "lib/run.h"
#include "lib/rundir.h"
#include "lib/sysfs.h"

#define STEP_BYTES_MAX 8192

/* Call fn for each step, with NULL for one that cannot be read. */
static void each_step(const struct config *config, uint32_t job_id,
		      void (*fn)(void *arg, struct json_object *step), void *arg)
{
	char folder[RUNDIR_PATH_MAX], path[RUNDIR_PATH_MAX + 258], *text;
	struct json_object *step;
	struct dirent *entry;
	DIR *dir;

	if (rundir_job_file(folder, config->run_dir, job_id, RUNDIR_STEPS, NULL) < 0)
		return;
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		/* "7.tmp.123": its writer was killed */
		if (strchr(entry->d_name, '.'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		text = fileio_read(path, STEP_BYTES_MAX, NULL, NULL);
		step = text ? json_parse(text) : NULL;
		free(text);
		fn(arg, step);
		json_object_put(step);
	}
	if (dir)
		closedir(dir);
}

/* ---- whose they were ------------------------------------------------------- */

struct owner {
	int64_t uid, start; /* of the first to begin */
};

static void find_owner(void *arg, struct json_object *step)
{
	int64_t uid = json_number(step, "uid");
	int64_t start = json_number(step, "start");
	struct owner *owner = arg;

	if (uid < 0 || uid > UINT32_MAX || start <= 0 || (owner->uid >= 0 && owner->start <= start))
		return;
	*owner = (struct owner){ uid, start };
}

struct record *job_state_of_steps(const struct config *config, uint32_t job_id,
				  const struct job *here)
{
	struct owner owner = { RECORD_UNKNOWN, 0 };
	struct job job = { .id = job_id, .gid = UINT32_MAX, .restart = -1 };
	struct record *state;

	each_step(config, job_id, find_owner, &owner);
	if (owner.uid < 0)
		return NULL;
	job.uid = (uint32_t)owner.uid;
	memcpy(job.node, here->node, sizeof(job.node));
	memcpy(job.cluster, here->cluster, sizeof(job.cluster));
	state = job_state_new(&job, config);
	if (!*state->cluster) {
		record_free(state);
		return NULL;
	}
	state->flags |= RECORD_FLAG(START_UNKNOWN);
	state->start = (double)owner.start;
	state->up = RECORD_UNKNOWN;
	return state;
}

/* ---- what they say --------------------------------------------------------- */

/* What the gate said of so many tasks of the step. */
static void add_gate(struct record *state, struct json_object *step, const char *word,
		     const char *tasks_word, int64_t *sum)
{
	const char *why = json_text(step, word);

	if (!why)
		return;
	state->has_gate = true;
	io_add_number(sum, json_number(step, tasks_word));
	if (!state->gate_text)
		record_set(&state->gate_text, why);
}

/* The gate turned tasks away after the prolog had let the job in. */
static void add_refusal(struct record *state, struct json_object *step)
{
	const char *why = json_text(step, "refused");

	if (!state->refused && why)
		record_set(&state->refused, why);
	add_gate(state, step, "refused", "refused_tasks", &state->gate_refused);
	add_gate(state, step, "warned", "warned_tasks", &state->gate_warned);
}

/* Where the tasks of the step could run. What is no list is no answer. */
static void add_cpus(struct cpuset *cpus, struct json_object *step)
{
	const char *list = json_text(step, "cpus");
	struct cpuset some;

	if (list && cpuset_parse(&some, list, NULL) == 0)
		cpuset_or(cpus, &some);
}

/* A mount that the job has alone, of the type of one of the clients: neither the
 * client's counters nor those by filesystem know it. */
static void add_private_mounts(struct record *state, struct json_object *step)
{
	const char *types = json_text(step, "private_mounts");
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

/* Had the job a core beside one of the client's cards? */
static void judge_cards(struct record_client *client, const struct cpuset *cpus)
{
	struct cpuset nodes, beside;
	bool is_whole = true;
	int node;

	client->is_beside = -1;
	if (!client->card_nodes || cpuset_is_empty(cpus) ||
	    cpuset_parse(&nodes, client->card_nodes, NULL) < 0)
		return;
	cpuset_for_each (node, &nodes) {
		if (sysfs_numa_cpus(node, &beside) < 0)
			is_whole = false;
		else if (cpuset_intersects(&beside, cpus))
			client->is_beside = 1;
	}
	if (client->is_beside < 0 && is_whole)
		client->is_beside = 0;
}

/* ---- steps that nobody counted --------------------------------------------- */

/* Has the plugin gone, or come, since the job started? */
static bool is_plugin_other(const struct config *config, const struct record *state)
{
	char note[RUNDIR_PATH_MAX], *path = NULL;
	struct stat st;
	bool is_other = false;

	if (rundir_node_file(note, config->run_dir, RUNDIR_PLUGIN, NULL) == 0)
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

/* By the word of a slurmstepd (spank/away.h); or none of the job has loaded the
 * plugin, which earlier jobs did. */
static bool was_plugin_away(const struct config *config, const struct record *state)
{
	return job_has_file(config, state->job, RUNDIR_AWAY) ||
	       (!job_has_file(config, state->job, RUNDIR_BEGUN) && is_plugin_other(config, state));
}

/* ---- those that left counters ------------------------------------------------ */

static int add_step(struct record *state, struct io *io, struct json_object *step)
{
	static const char *const keys[] = { "read_bytes", "write_bytes", "read_calls",
					    "write_calls" };
	static const enum io_number numbers[] = { IO_READ_BYTES, IO_WRITE_BYTES, IO_READ_CALLS,
						  IO_WRITE_CALLS };
	int64_t array_job = json_number(step, "array_job_id");
	int64_t array_task = json_number(step, "array_task_id");
	int rc = 0;
	size_t i;

	for (i = 0; i < 4; i++) {
		int64_t number = json_number(step, keys[i]);

		io_add_number(&io->numbers[numbers[i]], number);
		if (number == RECORD_UNKNOWN)
			rc = -1;
	}
	if (array_job != RECORD_UNKNOWN && array_task != RECORD_UNKNOWN) {
		state->array_job = array_job;
		state->array_task = array_task;
	}
	add_refusal(state, step);
	return rc;
}

struct sum {
	struct record *state;
	struct io io;
	struct cpuset cpus;
	bool is_best, has_stepd;
	int64_t steps;
};

static void read_step(void *arg, struct json_object *step)
{
	struct sum *sum = arg;
	int rc = -1;

	sum->steps++;
	if (step) {
		rc = add_step(sum->state, &sum->io, step);
		add_cpus(&sum->cpus, step);
		add_private_mounts(sum->state, step);
		sum->has_stepd |= !json_is_true(step, "own_out");
	}
	if (rc < 0 && sum->is_best)
		sum->state->flags |= RECORD_FLAG(STEP_MISSING);
}

void job_add_steps(const struct config *config, struct record *state)
{
	struct sum sum = { .state = state, .is_best = state->app_count == 0 };
	bool was_away = was_plugin_away(config, state);
	size_t i;

	io_init(&sum.io);
	snprintf(sum.io.source, sizeof(sum.io.source), "stepd");
	each_step(config, state->job, read_step, &sum);
	for (i = 0; i < state->client_count; i++)
		judge_cards(&state->clients[i], &sum.cpus);
	if (state->part_count)
		record_set_job_cpus(state, &sum.cpus);
	state->steps = sum.steps;
	if (was_away && (sum.is_best || !sum.steps))
		state->flags |= RECORD_FLAG(PLUGIN_AWAY);
	if (!sum.steps) {
		if (!was_away)
			state->flags |= RECORD_FLAG(NO_STEP);
		return;
	}
	/* what /proc/PID/io of slurmstepd does not see: fs/read_write.c counts
	 * system calls, twice where overlayfs copies through another filesystem;
	 * kernel/exit.c:wait_task_zombie adds reaped children */
	if (sum.is_best)
		state->flags |= RECORD_FLAG(ALL_FILES) | RECORD_FLAG(ORPHANS_MISSING) |
				RECORD_FLAG(MMAP_MISSING) | RECORD_FLAG(AIO_MISSING) |
				RECORD_FLAG(COPIES_TWICE) |
				(sum.has_stepd ? RECORD_FLAG(INCLUDES_STEPD) : 0);
	record_add_app(state, &sum.io);
}
