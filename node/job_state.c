/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/job_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/host.h"
#include "base/rundir.h"
#include "node/job.h"
#include "node/job_dir.h"

#define CLOCK_SLOP_S 60 /* more than ntpd may slew */

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double job_now(void)
{
	return seconds_of(CLOCK_REALTIME) + FAULT_CLOCK();
}

static double seconds_up(void)
{
	return seconds_of(CLOCK_BOOTTIME);
}

struct record *job_state_new(const struct job *job, const char *cluster)
{
	struct record *state = record_new();

	snprintf(state->cluster, sizeof(state->cluster), "%s", *cluster ? cluster : job->cluster);
	snprintf(state->node, sizeof(state->node), "%s", job->node);
	snprintf(state->user, sizeof(state->user), "%s", job->user);
	host_boot_id(state->boot_id, sizeof(state->boot_id));
	state->job = job->id;
	state->uid = job->uid;
	state->gid = job->gid;
	state->restart = job->restart < 0 ? RECORD_UNKNOWN : job->restart;
	state->start = job_now();
	state->up = seconds_up();
	record_set(&state->nodelist, job->nodelist);
	return state;
}

void job_state_end(struct record *state)
{
	double now = job_now(), took = -1;
	char boot_id[64];

	host_boot_id(boot_id, sizeof(boot_id));
	if (*boot_id && !strcmp(boot_id, state->boot_id) && state->up >= 0)
		took = seconds_up() - state->up;
	state->end = now;
	if (took >= 0 ? now - state->start - took > CLOCK_SLOP_S ||
				state->start + took - now > CLOCK_SLOP_S
		      : now < state->start) {
		state->flags |= RECORD_FLAG(CLOCK_SET);
		state->end = took >= 0 ? state->start + took : -1;
	}
}

bool job_state_is_ended(const struct record *state)
{
	return state->end >= 0 || state->flags & RECORD_FLAG(CLOCK_SET);
}

static int write_state(const char *path, const char *text,
		       int (*write)(const char *path, const void *data, size_t size_bytes,
				    mode_t mode, struct err *err),
		       struct err *err)
{
	int rc;

	FAULT_POINT("state before");
	rc = write(path, text, strlen(text), 0600, err);
	FAULT_POINT("state after");
	return rc;
}

/* Write the state to RUN. */
static int update_state(uint32_t job_id, const char *text, struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, dirs.run, job_id, RUNDIR_START, err) < 0)
		return -1;
	return write_state(path, text, fileio_write_volatile, err);
}

int job_state_update(const struct record *state, struct err *err)
{
	char *text = record_text(state, err);
	int rc = text ? update_state(state->job, text, err) : -1;

	free(text);
	return rc;
}

int job_state_write(const struct record *state, struct err *err)
{
	char path[RUNDIR_PATH_MAX], *text;
	int rc = -1;

	if (rundir_open_file(path, dirs.spool, state->job, state->node, err) < 0)
		return -1;
	text = record_text(state, err);
	if (text && write_state(path, text, fileio_write, err) == 0)
		rc = update_state(state->job, text, err);
	free(text);
	return rc;
}

struct record *job_state_load(const char *path)
{
	struct record *state = NULL;
	size_t size_bytes;
	char *text;

	text = fileio_read(path, RECORD_TEXT_MAX, &size_bytes, NULL);
	if (!text)
		return NULL;
	state = record_parse(text, size_bytes, NULL);
	free(text);
	errno = EBADMSG;
	return state;
}

struct record *job_state_read(uint32_t job_id, const char *node)
{
	struct record *state = NULL;
	char path[RUNDIR_PATH_MAX];

	errno = ENOENT;
	if (rundir_job_file(path, dirs.run, job_id, RUNDIR_START, NULL) == 0)
		state = job_state_load(path);
	if (!state && !fileio_may_be_there(errno) &&
	    rundir_open_file(path, dirs.spool, job_id, node, NULL) == 0)
		state = job_state_load(path);
	if (state && state->job != job_id) {
		record_free(state);
		state = NULL;
		errno = EBADMSG;
	}
	return state;
}
