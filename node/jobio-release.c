/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-release - put the client back and write the job's record
 *
 *   jobio-release [--conf=FILE] [--sysfs=DIR]   as slurmd's epilog
 *
 * Safe to run twice and after an interrupted run: every step checks the present state. The record
 * is in the spool before other files of the job are removed. jobio-send runs in the background;
 * only on nodes of wait_nodes, which may be removed next, this waits for it, up to
 * send_timeout_ms. Exit status: 0 done, or failed with on_error=continue; 70 an error of jobio. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/child.h"
#include "base/command_line.h"
#include "base/config_load.h"
#include "base/config_query.h"
#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/request.h"
#include "base/rundir.h"
#include "client/client.h"
#include "node/alive.h"
#include "node/count_helper.h"
#include "node/helper.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/log.h"
#include "node/reason.h"
#include "node/release.h"
#include "node/released.h"
#include "node/undo.h"

/* Additional time for a prolog that still waits for its client. */
#define LOCK_GRACE_MS 5000U

struct arguments {
	const char *conf;
};

static const struct command_line line = {
	.program = "jobio-release",
	.usage =
		"usage: jobio-release [--conf=FILE]\n"
		"Restores the client after a job and writes the job's record; slurmd's epilog\nruns it.\n"
		"  --conf=FILE  instead of " JOBIO_CONF "\n",
	.usage_status = EX_USAGE,
	.table = (const struct command_option[]){ COMMAND_TEXT("conf", struct arguments, conf),
						  COMMAND_SYSFS,
						  { 0 } },
};

static bool has_open_record(const struct job *job)
{
	char path[RUNDIR_PATH_MAX];
	struct stat st;

	if (rundir_open_file(path, dirs.spool, job->id, job->node, NULL) < 0)
		return false;
	return lstat(path, &st) == 0 || fileio_may_be_there(errno);
}

/* Return the prolog's state, else a new one from the epilog's environment, without the restart
 * count, which is the next run's if the job was requeued (job_mgr.c:_job_requeue_op counts before
 * the epilog runs). */
static struct record *state_of(const struct job *job, const char *cluster, struct err *err)
{
	struct record *state = job_state_read(job->id, job->node);

	if (state)
		return state;
	if (fileio_may_be_there(errno)) {
		err_set(err, "its state cannot be read: %s; left for the next prolog",
			strerror(errno));
		return NULL;
	}
	state = job_state_new(job, cluster);
	state->flags |= RECORD_FLAG(START_UNKNOWN);
	state->restart = RECORD_UNKNOWN;
	if (job->start > 0 && (double)job->start <= state->start) {
		state->start = (double)job->start; /* Slurm's start time */
		state->up = RECORD_UNKNOWN;
	}
	state->has_request = request_from_env(&state->request, NULL) == 1;
	/* with a journal, the prolog may have made changes */
	if (!job_has_changes(job->id, NULL))
		record_set_unmet(state);
	return state;
}

/* Return true if the run was finished and no folder or open record of the job exists. */
static bool is_released(const struct job *job)
{
	const struct job_run run = { job->id, job->restart, job->start };

	return !job_has_folder(job->id) && !has_open_record(job) && job_was_released(&run);
}

/* Return 0 if the record is in the spool; if the client could not be restored, the folder stays for
 * the next prolog. */
static int release(const struct config *config, const struct job *job, bool locked, struct err *err)
{
	struct record *state;
	int rc, restored = 0;

	if (is_released(job)) {
		/* the first epilog may have been killed before this */
		if (config->count_kernel == SWITCH_YES)
			job_count_stop(job->id, NULL);
		return 0;
	}
	state = state_of(job, config->ledger.cluster, err);
	if (!state)
		return -1;
	rc = job_release(config, state, locked, job->start, &restored, err);
	if (rc > 0)
		log_line("%s: left for the next prolog", err->text);
	record_free(state);
	return rc < 0 ? -1 : 0;
}

/* On nodes of wait_nodes, wait for jobio-send: Slurm may remove the node after the epilog. */
static void wait_for_ledger(const struct config *config, const struct job *job)
{
	unsigned int limit_ms = config->ledger.send_timeout_ms;

	if (job->id && config_waits(config, job->node) && !job_wait_sent(job->id, limit_ms))
		log_line(
			"ledger: it has not taken this job's record within %u ms (send_timeout_ms): the record stays in %s, and goes with the node",
			limit_ms, dirs.spool);
}

static unsigned int lock_timeout_ms(const struct config *config)
{
	return config->prolog_budget_ms + LOCK_GRACE_MS + config_restarts_ms(config);
}

static int run(const struct config *config, struct err *err)
{
	int lock_fd, rc;
	struct job job;

	if (job_from_env(&job, err) < 0 || job_make_dirs(err) < 0)
		return -1;
	lock_fd = job_lock(lock_timeout_ms(config), err);
	job_is_over(job.id);
	if (lock_fd >= 0)
		job_sweep(false);
	rc = release(config, &job, lock_fd >= 0, err);
	if (lock_fd >= 0)
		close(lock_fd);
	return rc;
}

int main(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct config *config;
	struct job job = { 0 };
	struct err err = { "" }, sender;
	char reason[JOB_REASON_MAX];
	int rc = command_parse(&line, &arguments, argc, argv);

	if (rc >= 0)
		return rc;
	job_from_env(&job, NULL);
	log_open("epilog", job.id);
	config = config_load(arguments.conf, &err);
	if (!config) {
		if (errno != ENOENT)
			log_line("%s; there is no record of this job", err.text);
		return 0; /* on_error is unknown: its default */
	}
	dirs_set(config);
	rc = run(config, &err) < 0 ? EX_SOFTWARE : 0;
	if (rc)
		log_line("%s", err.text);
	FAULT_POINT("send before");
	if (job_start_sender(arguments.conf, &sender) < 0)
		log_line("%s", sender.text);
	FAULT_POINT("send after");
	wait_for_ledger(config, &job);
	if (rc && config->on_error == ON_ERROR_CONTINUE) {
		log_line("going on: on_error=continue");
		rc = 0;
	}
	if (rc) {
		job_reason_make(reason, "epilog", err.text, "");
		job_drain(JOB_DRAIN_NEW, job.node, reason);
	}
	config_free(config);
	return rc;
}
