/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/leftover.h"

#include <errno.h>
#include <string.h>

#include "base/fileio.h"
#include "base/rundir.h"
#include "node/log.h"

/* Clear a folder of an unknown user (no state, no steps): slurmstepd created it without a prolog,
 * or both copies of the state are damaged. Its journal is mended, but no record can be made. If
 * there are counters, the folder is kept for ten minutes for the job's epilog, where slurmd sets
 * the user. */
static void clear_nameless(struct visit *visit, uint32_t job_id)
{
	const struct job_run any = JOB_RUN_ANY(job_id);
	bool is_counted = job_is_counted(visit->config, job_id);
	bool has_steps = job_has_steps(visit->config, job_id);
	struct err err;
	int count = job_mend(visit->config, job_id, NULL, &err);

	visit->mended += count > 0 ? count : 0;
	if (count >= 0 && (is_counted || has_steps) && job_id != visit->job.id &&
	    !job_is_old(visit->config, job_id))
		return;
	if (count < 0 || job_discard(visit->config, job_id, &err) < 0) {
		log_line("of job %u: %s", job_id, err.text);
		return;
	}
	if (is_counted)
		job_count_stop(visit->config, job_id, NULL);
	if (has_steps || !job_was_released(visit->config, &any))
		log_line("of job %u: nothing says whose it was: no record", job_id);
}

int leftover_finish(struct visit *visit, uint32_t job_id, struct err *err)
{
	const struct config *config = visit->config;
	/* 0: an earlier run of this job, not the one that starts now */
	int64_t start = job_id == visit->job.id ? 0 : RECORD_UNKNOWN;
	struct record *state;
	int rc;

	state = job_state_read(config, job_id, visit->job.node);
	if (!state && !fileio_may_be_there(errno))
		state = job_state_of_steps(config, job_id, &visit->job);
	if (!state && fileio_may_be_there(errno))
		return err_set(err, "its state cannot be read: %s", strerror(errno));
	if (!state) {
		clear_nameless(visit, job_id);
		return 0;
	}
	rc = job_release(config, state, true, start, &visit->mended, err);
	visit->finished += rc == 0;
	record_free(state);
	return rc == 0 ? 0 : -1;
}

/* Return true if the job is alive: its folder and changes are kept for its own epilog. Nodes can be
 * shared (--oversubscribe, gang scheduling, suspended jobs), even with --core-spec. */
static bool is_living(struct visit *visit, uint32_t job_id)
{
	if (!job_is_alive(visit->config, job_id))
		return false;
	visit->is_shared = true;
	return true;
}

/* Mend and finish another job that is not alive but has a folder: its prolog or epilog was
 * interrupted. If this fails, the next prolog tries again. */
static int mend_other(void *arg, uint32_t job_id)
{
	struct visit *visit = arg;
	struct record *state;
	bool is_suspect;
	struct err err;

	if (job_id == visit->job.id)
		return 0;
	state = job_state_read(visit->config, job_id, visit->job.node);
	is_suspect = visit->want.alone || job_is_old(visit->config, job_id) ||
		     job_has_changes(visit->config, job_id, state);
	record_free(state);
	if (is_suspect && !is_living(visit, job_id) && leftover_finish(visit, job_id, &err) < 0)
		log_line("of job %u: %s", job_id, err.text);
	return 0;
}

void leftover_mend(struct visit *visit)
{
	job_each_folder(visit->config, mend_other, visit);
	if (visit->is_shared)
		visit->want.alone = false;
}

/* Return true if the folder is of an earlier run without an epilog. In a prolog the restart count
 * is that of the new run. */
static bool is_earlier(const struct visit *visit, const struct record *state)
{
	return job_has_steps(visit->config, visit->job.id) ||
	       (state && state->restart >= 0 && visit->job.restart >= 0 &&
		state->restart != visit->job.restart);
}

int leftover_clear_own(struct visit *visit, struct err *err)
{
	const struct config *config = visit->config;
	uint32_t id = visit->job.id;
	struct record *state = job_state_read(config, id, visit->job.node);
	int rc = 0, count;

	if (!state && fileio_may_be_there(errno)) {
		rc = err_set(err, "its state cannot be read: %s", strerror(errno));
	} else if (is_earlier(visit, state)) {
		rc = leftover_finish(visit, id, err);
	} else if (job_has_changes(config, id, state) || job_has_file(config, id, RUNDIR_START)) {
		count = job_mend(config, id, state, err);
		visit->mended += count > 0 ? count : 0;
		rc = count < 0 ? -1 : job_discard(config, id, err);
	}
	record_free(state);
	if (rc == 0)
		job_forget_released(config, id);
	return rc;
}
