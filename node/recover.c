/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/recover.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/host.h"
#include "base/rundir.h"
#include "node/ask_slurm.h"
#include "node/leftover.h"
#include "node/log.h"
#include "record/json.h"

#define NAME_MS 5000U /* it may query DNS */

/* Return true if slurmctld reports that the job holds this node; false without a reply. */
static bool is_held(const struct visit *visit, uint32_t job_id)
{
	struct child_result result = { 0 };
	struct json *top = NULL;
	char id[16];
	bool is_here;

	snprintf(id, sizeof(id), "%u", job_id);
	if (ask_slurm(visit_time_left_ms(visit), "job", id, NULL, &result, NULL) < 0)
		return false;
	if (result.status == 0)
		top = json_parse(result.out);
	is_here = json_is_true(top, "here");
	json_free(top);
	child_result_free(&result);
	return is_here;
}

static int mend(struct visit *visit, uint32_t job_id, struct err *err)
{
	struct record *state = job_state_read(visit->config, job_id, visit->job.node);
	int count = job_mend(visit->config, job_id, state, err);

	record_free(state);
	if (count > 0)
		visit->mended += count;
	return count < 0 ? -1 : 0;
}

/* Return true if the folder of a job without processes is left (recover.h). */
static bool is_left(const struct visit *visit, uint32_t job_id)
{
	struct record *state = job_state_read(visit->config, job_id, visit->job.node);
	bool is_ended = state && job_state_is_ended(state);

	record_free(state);
	return is_ended || job_is_old(visit->config, job_id);
}

/* Restore the settings of a job without processes; its epilog, which may still run, writes the
 * record. After ten minutes without an epilog it is written here. */
static int mend_dead(void *arg, uint32_t job_id)
{
	struct visit *visit = arg;
	bool is_over;
	struct err err;

	if (job_has_stepd(visit->config, job_id))
		return 0;
	is_over = is_left(visit, job_id) && !is_held(visit, job_id);
	if ((is_over ? leftover_finish : mend)(visit, job_id, &err) < 0)
		log_line("of job %u: %s", job_id, err.text);
	return 0;
}

static int list_folder(void *arg, uint32_t job_id)
{
	const struct visit *visit = arg;
	bool lives = job_has_stepd(visit->config, job_id) || !is_left(visit, job_id);

	printf("%u %s\n", job_id, lives ? "lives" : "left");
	return 0;
}

/* Find this node's name, which slurmd sets for prologs only, by jobio-slurm, which calls Slurm's
 * library; else use the host's name. */
static int find_name(struct visit *visit, struct err *err)
{
	const char *given = getenv("SLURMD_NODENAME");
	struct child_result result = { 0 };

	if ((!given || !*given) && ask_slurm(NAME_MS, "name", NULL, NULL, &result, NULL) == 0) {
		result.out[strcspn(result.out, "\n")] = '\0';
		if (result.status == 0 && *result.out && !strpbrk(result.out, " \t{\""))
			setenv("SLURMD_NODENAME", result.out, 1);
		child_result_free(&result);
	}
	return job_node_name(visit->job.node, sizeof(visit->job.node), err);
}

int recover_list(struct visit *visit, struct err *err)
{
	if (find_name(visit, err) < 0)
		return -1;
	job_each_folder(visit->config, list_folder, visit);
	return 0;
}

/* Finish a job of an earlier boot. Changes that a reboot resets count as restored. */
static void finish_rebooted(struct visit *visit, struct record *state)
{
	const struct record_client *client;
	struct err err;
	size_t i;
	int rc;

	if (!job_state_is_ended(state))
		state->flags |= RECORD_FLAG(NODE_REBOOTED);
	for (i = 0; i < state->change_count; i++) {
		if (state->changes[i].restored == 1)
			continue;
		client = record_client_named(state, state->changes[i].client);
		if (!client_change_outlives_reboot(client ? client->type : "",
						   state->changes[i].what))
			state->changes[i].restored = 1;
	}
	rc = job_finish(visit->config, state, RECORD_UNKNOWN, &err);
	if (rc != 0)
		log_line("of job %u: %s", state->job, err.text);
	if (rc >= 0)
		visit->finished++;
}

static void look_at_open(struct visit *visit, const char *path, const char *boot_id)
{
	struct record *state = NULL;
	size_t size_bytes = 0;
	char *text;

	text = fileio_read(path, RECORD_TEXT_MAX, &size_bytes, NULL);
	if (text)
		state = record_parse(text, size_bytes, NULL);
	if (state && *state->boot_id && strcmp(state->boot_id, boot_id) != 0)
		finish_rebooted(visit, state);
	record_free(state);
	free(text);
}

static void finish_all_rebooted(struct visit *visit)
{
	char folder[RUNDIR_PATH_MAX], path[RUNDIR_PATH_MAX + 258], boot_id[64];
	struct dirent *entry;
	DIR *dir;

	host_boot_id(boot_id, sizeof(boot_id));
	if (!*boot_id)
		return;
	if (rundir_open_folder(folder, visit->config->spool_dir, NULL) < 0)
		return;
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		look_at_open(visit, path, boot_id);
	}
	if (dir)
		closedir(dir);
}

/* Stop the counters of a job without a folder and processes: its epilog was killed before it could.
 * With a folder, they are read for its record. */
static int stop_dead(void *arg, uint32_t job_id)
{
	const struct job_run any = JOB_RUN_ANY(job_id);
	struct visit *visit = arg;

	if (job_has_folder(visit->config, job_id) || job_has_stepd(visit->config, job_id))
		return 0;
	if (!job_was_released(visit->config, &any))
		log_line("of job %u: it was counted and has no folder: counters stopped", job_id);
	job_count_stop(visit->config, job_id, NULL);
	return 0;
}

int recover_node(struct visit *visit, struct err *err)
{
	struct err why;

	visit->lock_fd = -1;
	if (find_name(visit, err) < 0 || job_make_dirs(visit->config, err) < 0)
		return -1;
	visit->lock_fd = job_lock(visit->config, visit->config->prolog_budget_ms, err);
	if (visit->lock_fd < 0)
		return -1;
	visit->end_ms = child_now_ms() + visit->config->prolog_budget_ms / 2;
	job_sweep(visit->config, true);
	job_each_folder(visit->config, mend_dead, visit);
	finish_all_rebooted(visit);
	if (job_count_each(visit->config, stop_dead, visit, &why) < 0)
		log_line("%s", why.text);
	return 0;
}

int recover_load(struct visit *visit, struct err *err)
{
	if (find_name(visit, err) < 0)
		return -1;
	if (config_is_off(visit->config, visit->job.node, NULL, NULL))
		return 0;
	return job_count_load(visit->config, err);
}
