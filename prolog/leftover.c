/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prolog/leftover.h"

#include <unistd.h>

#include "job/log.h"
#include "lib/rundir.h"

/* A folder with nothing readable in it that says whose it is: slurmstepd made it
 * where no prolog had worked, or the files are damaged on both places. There is
 * no record to be made of it, but its journal holds. */
static void clear_nameless(struct visit *visit, uint32_t job_id,
			   bool is_counted)
{
	struct err err;
	int count = job_mend(visit->config, job_id, NULL, &err);

	if (count < 0 || job_discard(visit->config, job_id, &err) < 0) {
		log_line("of job %u: %s", job_id, err.text);
		return;
	}
	visit->mended += count;
	if (is_counted)
		job_count_stop(visit->config, job_id, NULL);
	if (!job_was_released(visit->config, job_id, RECORD_UNKNOWN))
		log_line("of job %u: nothing says whose it was: no record",
			 job_id);
}

/* -1: something of it could not be put back, and its folder stays. */
static int finish_dead(struct visit *visit, uint32_t job_id, struct err *err)
{
	bool is_counted = job_is_counted(visit->config, job_id);
	struct record *state;
	struct err why;
	bool is_ended;
	int rc, count;

	state = job_state_read(visit->config, job_id, visit->job.node);
	if (!state) {
		clear_nameless(visit, job_id, is_counted);
		return 0;
	}
	is_ended = job_state_is_ended(state);
	if (!is_ended && job_count_read(visit->config, state, &why) < 0)
		log_line("of job %u: %s", job_id, why.text);
	if (!is_ended)
		job_wire_read(visit->config, state);
	count = job_mend(visit->config, job_id, state, err);
	if (count < 0)
		goto out;
	visit->mended += count;
	if (!is_ended) {
		job_add_steps(visit->config, state);
		job_state_end(state);
	}
	rc = job_finish(visit->config, state, &why);
	if (rc != 0)
		log_line("of job %u: %s", job_id, why.text);
	if (rc >= 0) {
		visit->finished++;
		if (is_counted)
			job_count_stop(visit->config, job_id, NULL);
	}
out:
	record_free(state);
	return count < 0 ? -1 : 0;
}

/* A job that lives keeps its folder and what was changed for it: nodes are
 * shared with --oversubscribe, gangs and suspended jobs, whatever core-spec
 * says. Its own epilog mends and finishes it. */
static bool is_living(struct visit *visit, uint32_t job_id)
{
	if (!job_is_alive(visit->config, job_id))
		return false;
	visit->is_shared = true;
	return true;
}

/* A job that lives no more although its folder is there belongs to a prolog or
 * epilog that was cut off: what it has changed is put back, and its record is
 * due. One that nobody can put back is tried again by the next prolog. */
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
	if (is_suspect && !is_living(visit, job_id) &&
	    finish_dead(visit, job_id, &err) < 0)
		log_line("of job %u: %s", job_id, err.text);
	return 0;
}

void leftover_mend(struct visit *visit)
{
	job_each_folder(visit->config, mend_other, visit);
	if (visit->is_shared)
		visit->want.alone = false;
}

/* Has an earlier prolog of this job begun its work, or a step left something?
 * Our own folder is there already, and empty. */
static bool is_begun(const struct config *config, uint32_t job_id)
{
	static const char *const names[] = { RUNDIR_START, RUNDIR_JOURNAL };
	char path[RUNDIR_PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (rundir_job_file(path, config->run_dir, job_id, names[i],
				    NULL) == 0 &&
		    access(path, F_OK) == 0)
			return true;
	return job_has_steps(config, job_id);
}

int leftover_clear_own(struct visit *visit, struct err *err)
{
	const struct config *config = visit->config;
	struct record *state;
	int count;

	job_forget_released(config, visit->job.id);
	if (!is_begun(config, visit->job.id))
		return 0;
	if (job_has_steps(config, visit->job.id))
		return finish_dead(visit, visit->job.id, err);
	state = job_state_read(config, visit->job.id, visit->job.node);
	count = job_mend(config, visit->job.id, state, err);
	record_free(state);
	if (count < 0)
		return -1;
	visit->mended += count;
	return job_discard(config, visit->job.id, err);
}
