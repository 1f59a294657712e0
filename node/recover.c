/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/recover.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/config_query.h"
#include "base/fileio.h"
#include "base/host.h"
#include "base/rundir.h"
#include "node/alive.h"
#include "node/count_helper.h"
#include "node/finish.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/log.h"
#include "node/released.h"
#include "node/slurm_query.h"
#include "node/stale.h"
#include "node/undo.h"
#include "record/json.h"

#define NAME_MS 5000U /* it may query DNS */

/* Return true if slurmctld reports that the job holds this node; false without a reply. */
static bool holds_node(uint32_t job_id, unsigned int timeout_ms)
{
	struct child_result result = { 0 };
	struct json *top = NULL;
	char id[16];
	bool is_here;

	snprintf(id, sizeof(id), "%u", job_id);
	if (slurm_query(timeout_ms, "job", id, NULL, &result, NULL) < 0)
		return false;
	if (result.status == 0)
		top = json_parse(result.out);
	is_here = json_is_true(top, "here");
	json_free(top);
	child_result_free(&result);
	return is_here;
}

static int undo_changes(struct prepare_context *ctx, uint32_t job_id, struct err *err)
{
	struct record *state = job_state_read(job_id, ctx->job.node);
	int count = job_undo(ctx->config, job_id, state, err);

	record_free(state);
	if (count > 0)
		ctx->restored += count;
	return count < 0 ? -1 : 0;
}

/* Return true if the folder of a job without processes is left (recover.h). */
static bool is_stale(uint32_t job_id, const char *node)
{
	struct record *state = job_state_read(job_id, node);
	bool is_ended = state && job_state_is_ended(state);

	record_free(state);
	return is_ended || job_is_old(job_id);
}

/* Restore the settings of a job without processes; its epilog, which may still run, writes the
 * record. After ten minutes without an epilog it is written here. */
static int finish_stale(void *arg, uint32_t job_id)
{
	struct prepare_context *ctx = arg;
	bool is_over;
	struct err err;

	if (job_has_stepd(job_id))
		return 0;
	is_over =
		is_stale(job_id, ctx->job.node) && !holds_node(job_id, child_left_ms(ctx->end_ms));
	if ((is_over ? stale_finish : undo_changes)(ctx, job_id, &err) < 0)
		log_line("of job %u: %s", job_id, err.text);
	return 0;
}

static int list_folder(void *arg, uint32_t job_id)
{
	const struct prepare_context *ctx = arg;
	bool lives = job_has_stepd(job_id) || !is_stale(job_id, ctx->job.node);

	printf("%u %s\n", job_id, lives ? "lives" : "left");
	return 0;
}

/* Find this node's name, which slurmd sets for prologs only, by jobio-slurm, which calls Slurm's
 * library; else use the host's name. */
static int find_name(struct job *job, struct err *err)
{
	const char *given = getenv("SLURMD_NODENAME");
	struct child_result result = { 0 };

	if ((!given || !*given) && slurm_query(NAME_MS, "name", NULL, NULL, &result, NULL) == 0) {
		result.out[strcspn(result.out, "\n")] = '\0';
		if (result.status == 0 && *result.out && !strpbrk(result.out, " \t{\""))
			setenv("SLURMD_NODENAME", result.out, 1);
		child_result_free(&result);
	}
	return job_node_name(job->node, sizeof(job->node), err);
}

int recover_list(struct prepare_context *ctx, struct err *err)
{
	if (find_name(&ctx->job, err) < 0)
		return -1;
	job_each_folder(list_folder, ctx);
	return 0;
}

/* Finish a job of an earlier boot. Changes that a reboot resets are gone: no value was read
 * back. Return true if its record is written, or lost. */
static bool finish_rebooted(struct record *state)
{
	const struct record_client *client;
	struct change *change;
	struct err err;
	size_t i;
	int rc;

	if (!job_state_is_ended(state))
		state->flags |= RECORD_FLAG(NODE_REBOOTED);
	for (i = 0; i < state->changes.count; i++) {
		change = &state->changes.list[i];
		client = record_client_named(state, change->client);
		if (change->state != CHANGE_FAILED && change->state != CHANGE_RESTORED &&
		    change->kind &&
		    !client_change_outlives_reboot(client ? client->type : "", change->kind))
			change->state = CHANGE_GONE;
	}
	rc = job_finish(state, RECORD_UNKNOWN, &err);
	if (rc != 0)
		log_line("of job %u: %s", state->job, err.text);
	return rc >= 0;
}

static bool is_rebooted(const struct record *state, const char *boot_id)
{
	return state && *state->boot_id && strcmp(state->boot_id, boot_id) != 0;
}

/* Return the number of jobs. */
static int finish_all_rebooted(void)
{
	char folder[RUNDIR_PATH_MAX], path[RUNDIR_PATH_MAX + 258], boot_id[64];
	struct record *state;
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	host_boot_id(boot_id, sizeof(boot_id));
	if (!*boot_id || rundir_open_folder(folder, dirs.spool, NULL) < 0)
		return 0;
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		state = job_state_load(path);
		count += is_rebooted(state, boot_id) && finish_rebooted(state);
		record_free(state);
	}
	if (dir)
		closedir(dir);
	return count;
}

/* Stop the counters of a job without a folder and processes: its epilog was killed before it could.
 * With a folder, they are read for its record. */
static int stop_stale(void *arg, uint32_t job_id)
{
	const struct job_run any = JOB_RUN_ANY(job_id);

	(void)arg;
	if (job_has_folder(job_id) || job_has_stepd(job_id))
		return 0;
	if (!job_was_released(&any))
		log_line("of job %u: it was counted and has no folder: counters stopped", job_id);
	job_count_stop(job_id, NULL);
	return 0;
}

int recover_node(struct prepare_context *ctx, struct err *err)
{
	struct err why;

	ctx->lock_fd = -1;
	if (find_name(&ctx->job, err) < 0 || job_make_dirs(err) < 0)
		return -1;
	ctx->lock_fd = job_lock(ctx->config->prolog_budget_ms, err);
	if (ctx->lock_fd < 0)
		return -1;
	ctx->end_ms = child_now_ms() + ctx->config->prolog_budget_ms / 2;
	job_sweep(true);
	job_each_folder(finish_stale, ctx);
	ctx->finished += finish_all_rebooted();
	if (job_count_each(ctx->config, stop_stale, NULL, &why) < 0)
		log_line("%s", why.text);
	return 0;
}

int recover_load(struct prepare_context *ctx, struct err *err)
{
	if (find_name(&ctx->job, err) < 0)
		return -1;
	if (config_is_off(ctx->config, ctx->job.node, NULL, NULL))
		return 0;
	return job_count_load(ctx->config, err);
}
