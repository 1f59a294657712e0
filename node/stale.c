/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/stale.h"

#include <errno.h>
#include <string.h>

#include "base/fileio.h"
#include "base/rundir.h"
#include "node/alive.h"
#include "node/count_helper.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/log.h"
#include "node/release.h"
#include "node/released.h"
#include "node/steps.h"
#include "node/undo.h"

/* Clear a folder of an unknown user (no state, no steps): slurmstepd created it without a prolog,
 * or both copies of the state are damaged. Its changes are undone, but no record can be made. If
 * there are counters, the folder is kept for ten minutes for the job's epilog, where slurmd sets
 * the user. */
static void remove_unnamed(struct prepare_context *ctx, uint32_t job_id)
{
	const struct job_run any = JOB_RUN_ANY(job_id);
	bool is_counted = job_is_counted(job_id);
	bool has_steps = job_has_steps(job_id);
	struct err err;
	int count = job_undo(ctx->config, job_id, NULL, &err);

	ctx->restored += count > 0 ? count : 0;
	if (count >= 0 && (is_counted || has_steps) && job_id != ctx->job.id && !job_is_old(job_id))
		return;
	if (count < 0 || job_discard(job_id, &err) < 0) {
		log_line("of job %u: %s", job_id, err.text);
		return;
	}
	if (is_counted)
		job_count_stop(job_id, NULL);
	if (has_steps || !job_was_released(&any))
		log_line("of job %u: no record: its user is unknown", job_id);
}

int stale_finish(struct prepare_context *ctx, uint32_t job_id, struct err *err)
{
	const struct config *config = ctx->config;
	/* 0: an earlier run of this job, not the one that starts now */
	int64_t start = job_id == ctx->job.id ? 0 : RECORD_UNKNOWN;
	struct record *state;
	int rc;

	state = job_state_read(job_id, ctx->job.node);
	if (!state && !fileio_may_be_there(errno))
		state = job_state_of_steps(job_id, &ctx->job, config->ledger.cluster);
	if (!state && fileio_may_be_there(errno))
		return err_set(err, "its state cannot be read: %s", strerror(errno));
	if (!state) {
		remove_unnamed(ctx, job_id);
		return 0;
	}
	rc = job_release(config, state, true, start, &ctx->restored, err);
	ctx->finished += rc == 0;
	record_free(state);
	return rc == 0 ? 0 : -1;
}

/* Mend and finish another job that is not alive but has a folder: its prolog or epilog was
 * interrupted. If this fails, the next prolog tries again. */
static int finish_other(void *arg, uint32_t job_id)
{
	struct prepare_context *ctx = arg;
	struct record *state;
	bool is_suspect;
	struct err err;

	if (job_id == ctx->job.id)
		return 0;
	state = job_state_read(job_id, ctx->job.node);
	is_suspect = ctx->desired.alone || job_is_old(job_id) || job_has_changes(job_id, state);
	record_free(state);
	/* Nodes can be shared (--oversubscribe, gang scheduling, suspended jobs), even with
	 * --core-spec: folder and changes of a job that is alive are kept for its own epilog. */
	if (is_suspect && job_is_alive(job_id)) {
		ctx->is_shared = true;
		return 0;
	}
	if (is_suspect && stale_finish(ctx, job_id, &err) < 0)
		log_line("of job %u: %s", job_id, err.text);
	return 0;
}

void stale_finish_all(struct prepare_context *ctx)
{
	job_each_folder(finish_other, ctx);
	if (ctx->is_shared)
		ctx->desired.alone = false;
}

/* Return true if the folder is of an earlier run without an epilog. In a prolog the restart count
 * is that of the new run. */
static bool is_earlier(const struct job *job, const struct record *state)
{
	return job_has_steps(job->id) || (state && state->restart >= 0 && job->restart >= 0 &&
					  state->restart != job->restart);
}

int stale_clear_own(struct prepare_context *ctx, struct err *err)
{
	const struct config *config = ctx->config;
	uint32_t id = ctx->job.id;
	struct record *state = job_state_read(id, ctx->job.node);
	int rc = 0, count;

	if (!state && fileio_may_be_there(errno)) {
		rc = err_set(err, "its state cannot be read: %s", strerror(errno));
	} else if (is_earlier(&ctx->job, state)) {
		rc = stale_finish(ctx, id, err);
	} else if (job_has_changes(id, state) || job_has_file(id, RUNDIR_START)) {
		count = job_undo(config, id, state, err);
		ctx->restored += count > 0 ? count : 0;
		rc = count < 0 ? -1 : job_discard(id, err);
	}
	record_free(state);
	if (rc == 0)
		job_remove_released(id);
	return rc;
}
