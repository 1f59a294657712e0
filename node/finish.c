/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/finish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/rundir.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/released.h"
#include "node/spool.h"

/* Set [path] to the record's name in the spool. If Slurm does not count restarts, two runs of a job
 * must not get the same name while the first is in the spool. Return -1 if an existing record
 * cannot be read now. */
static int record_path(const struct record *state, char *path, struct err *err)
{
	struct record *other;
	bool taken;

	if (rundir_record_file(path, dirs.spool, state->job,
			       state->restart < 0 ? -1 : (int)state->restart, state->node, err) < 0)
		return -1;
	if (state->restart >= 0)
		return 0;
	other = job_state_load(path);
	if (!other && fileio_may_be_there(errno))
		return err_set(err, "record '%s': %s", path, strerror(errno));
	taken = other && other->start != state->start;
	record_free(other);
	return taken ? rundir_record_again(path, dirs.spool, state->job, state->node, state->start,
					   err)
		     : 0;
}

/* Return 0, 1 if the disk is full, or -1. After the last write of a run (is_last) SPOOL/released is
 * written to the same filesystem. */
static int write_text(const char *path, const char *text, bool is_last, struct err *err)
{
	if ((is_last ? fileio_write_before : fileio_write)(path, text, strlen(text), 0600, err) ==
	    0)
		return 0;
	return errno == ENOSPC || errno == EDQUOT ? 1 : -1;
}

/* As write_text(). If the disk is full, remove the open copy, which is about as large, and try
 * again: the state in RUN is sufficient. */
static int write_tightly(const char *path, const char *open_path, const char *text, bool is_last,
			 struct err *err)
{
	int rc;

	FAULT_POINT("record before");
	rc = write_text(path, text, is_last, err);
	if (rc > 0 && unlink(open_path) == 0)
		rc = write_text(path, text, is_last, err);
	FAULT_POINT("record after");
	return rc;
}

static int rename_record(const char *open_path, const char *path, struct err *err)
{
	FAULT_POINT("record name before");
	if (rename(open_path, path) < 0)
		return err_set(err, "record: cannot rename '%s': %s", open_path, strerror(errno));
	FAULT_POINT("record name after");
	return 0;
}

/* Return 1 if the spool has a record of this run with more counters, 0 if not, -1 if it cannot be
 * read: of two epilogs at the same time, one may have run after the folder was removed. */
static int has_better(const char *path, const struct record *state, struct err *err)
{
	struct record *other = job_state_load(path);
	int is_better = other && record_weight(other) > record_weight(state);

	if (!other && fileio_may_be_there(errno))
		return err_set(err, "record '%s': %s", path, strerror(errno));
	record_free(other);
	return is_better;
}

/* Return 0, 1 if the record is lost, or -1. The last record of a run (is_last) replaces the open
 * copy first. */
static int write_record(const struct record *state, bool is_last, int64_t start, struct err *err)
{
	const struct job_run run = { state->job, state->restart, start };
	char path[RUNDIR_PATH_MAX], open_path[RUNDIR_PATH_MAX], *text;
	int rc = -1;

	text = record_text(state, err);
	if (!text)
		return -1;
	if (record_path(state, path, err) < 0 ||
	    rundir_open_file(open_path, dirs.spool, state->job, state->node, err) < 0)
		goto out;
	rc = has_better(path, state, err);
	if (rc > 0 && is_last)
		job_add_released(&run);
	if (rc) {
		rc = rc < 0 ? -1 : 0;
		goto out;
	}
	rc = spool_check_room(state, path, err);
	if (rc)
		goto out;
	rc = write_tightly(is_last ? open_path : path, open_path, text, is_last, err);
	if (rc == 0 && is_last) {
		/* the folder may have no state, if the prolog was killed */
		if (job_has_folder(state->job))
			job_state_update(state, NULL);
		job_add_released(&run);
		rc = rename_record(open_path, path, err);
	}
	if (rc > 0)
		spool_set_lost(path, "the disk is full", err);
out:
	free(text);
	return rc;
}

int job_store_record(const struct record *state, struct err *err)
{
	return write_record(state, false, RECORD_UNKNOWN, err);
}

int job_finish(const struct record *state, int64_t start, struct err *err)
{
	const struct job_run run = { state->job, state->restart, start };
	char path[RUNDIR_PATH_MAX];
	struct err refused;
	int rc = write_record(state, true, start, err);

	if (rc < 0)
		return -1;
	refused = *err;
	if (rc > 0)
		job_add_released(&run);
	if (rundir_open_file(path, dirs.spool, state->job, state->node, err) < 0)
		return -1;
	if (unlink(path) < 0 && errno != ENOENT)
		return err_set(err, "cannot remove '%s': %s", path, strerror(errno));
	FAULT_POINT("open record gone");
	if (job_discard(state->job, err) < 0)
		return -1;
	if (rc > 0)
		*err = refused;
	return rc;
}
