/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/client_io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/config_query.h"
#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/host.h"
#include "base/rundir.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/log.h"
#include "record/alloc.h"
#include "record/json.h"
#include "record/run.h"

#define WIRE_BYTES_MAX (4U << 20)
#define TABLE_BYTES_MAX (1U << 20)
#define SPACE_MAX 64 /* "mnt:[4026531841]" */

static int write_start(const struct record *state, struct json *counters, bool alone,
		       struct err *err)
{
	struct json *top = json_new_object();
	const char *text;
	int rc;

	json_add_text(top, "boot_id", state->boot_id);
	json_add_bool(top, "alone", alone);
	json_add_copy(top, "clients", counters);
	text = json_line(top);
	rc = job_dir_write(state->job, RUNDIR_CLIENT_IO, text, err);
	json_free(top);
	return rc;
}

/* ---- other jobs ------------------------------------------------------------------ */

static void mark(uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];
	int fd;

	if (rundir_job_file(path, dirs.run, job_id, RUNDIR_OTHERS, NULL) < 0)
		return;
	/* fails if the job ends meanwhile and its folder is removed */
	fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		close(fd);
}

struct search {
	uint32_t own_id;
	bool found;
};

static int mark_other(void *arg, uint32_t job_id)
{
	struct search *search = arg;

	if (job_id != search->own_id) {
		mark(job_id);
		search->found = true;
	}
	return 0;
}

bool job_mark_others(uint32_t job_id)
{
	struct search search = { .own_id = job_id };

	job_each_folder(mark_other, &search);
	return search.found;
}

/* ---- at the start ---------------------------------------------------------------- */

/* Save a client's counters. An error of a client that did not change was logged before. */
static void save(struct client *client, struct json *counters)
{
	struct err err;
	char *text = client_counters_save(client, &err);

	if (text)
		json_add_text(counters, client_facts(client)->name, text);
	else if (errno != ENOENT && !client_is_cached(client))
		log_line("wire: %s", err.text);
	free(text);
}

void client_io_start(const struct record *state, struct client *const clients[], size_t count,
		     bool alone)
{
	struct json *counters = json_new_object();
	struct err err;
	size_t i;
	int rc;

	for (i = 0; i < count; i++)
		save(clients[i], counters);
	if (counters->list.count) {
		FAULT_POINT("wire before");
		rc = write_start(state, counters, alone, &err);
		FAULT_POINT("wire after");
		if (rc < 0)
			log_line("wire: %s", err.text);
	}
	json_free(counters);
}

int job_write_mounts(uint32_t job_id, struct err *err)
{
	char space[SPACE_MAX];
	char *table, *text = NULL;
	ssize_t length;
	int rc;

	length = readlink("/proc/self/ns/mnt", space, sizeof(space));
	if (length <= 0 || length == SPACE_MAX)
		return err_set(err, "'/proc/self/ns/mnt': %s", strerror(errno));
	table = fileio_read("/proc/self/mountinfo", TABLE_BYTES_MAX, NULL, err);
	if (!table)
		return -1;
	text = xasprintf("%.*s\n%s", (int)length, space, table);
	rc = job_dir_write(job_id, RUNDIR_MOUNTINFO, text, err);
	free(text);
	free(table);
	return rc;
}

/* ---- at the end ------------------------------------------------------------------ */

static void add_line(struct record *state, const char *client, const struct client_io *client_io,
		     const struct client_io_series *series, bool alone)
{
	struct io io;

	if (series->is_gone)
		state->flags |= RECORD_FLAG(UNMOUNTED);
	else if (series->has_restarted)
		state->flags |= RECORD_FLAG(WIRE_RESET);
	if (series->is_gone || series->has_restarted)
		return;
	io_init(&io);
	io.scope = IO_SCOPE_NODE;
	io.shared = alone ? 0 : RECORD_UNKNOWN;
	snprintf(io.source, sizeof(io.source), "%s", client_io->source);
	snprintf(io.client, sizeof(io.client), "%s", client);
	if (series->is_partial)
		state->flags |= RECORD_FLAG(OSC_PARTIAL);
	if (*series->fs)
		io.fs = (char *)series->fs; /* record_add_client_io() copies */
	memcpy(io.numbers, series->numbers, sizeof(series->numbers));
	record_add_client_io(state, &io);
}

/* Return the number of the job's calls on the mounts of a client. */
static int64_t calls_on(const struct record *state, const char *name, enum io_number kind)
{
	const struct record_client *client = record_client_named(state, name);
	int64_t sum = RECORD_UNKNOWN;
	const struct io *io;
	size_t i, k;

	for (i = 0; client && i < state->mount_count; i++) {
		if (&state->clients[state->mounts[i].client] != client)
			continue;
		for (k = 0; k < state->app_count; k++) {
			io = &state->app[k];
			if (io->fs && io->scope == IO_SCOPE_JOB &&
			    !strcmp(io->fs, state->mounts[i].mount))
				io_add_number(&sum, io->numbers[kind]);
		}
	}
	return sum;
}

static void judge(struct client *client, const struct client_io *client_io, struct record *state)
{
	const char *name = client_facts(client)->name;
	struct client_work work = {
		.syncs = calls_on(state, name, IO_OP_FSYNC),
		.removed = calls_on(state, name, IO_OP_UNLINK),
		.client_io = client_io,
	};

	client_report_event(client, client_io, (int64_t)state->start, &state->findings);
	client_judge_work(client, &work, &state->findings);
}

static void read_since(const struct config *config, const char *name, const char *counters,
		       struct record *state, bool alone)
{
	const struct config_client *section = config_client_find(config, name);
	struct client *client;
	struct client_io client_io;
	size_t i;

	client = section ? client_open(section, dirs.run, NULL) : NULL;
	if (client && client_io_since(client, counters, &client_io, NULL) < 0) {
		state->flags |= RECORD_FLAG(CLIENT_UNREADABLE);
	} else if (client) {
		for (i = 0; i < client_io.series_count; i++)
			add_line(state, name, &client_io, &client_io.series[i], alone);
		judge(client, &client_io, state);
	}
	client_close(client);
}

/* ---- mounted during the job ------------------------------------------------------- */

/* Return true if the client got a mount after the start: counters by filesystem do not cover it. */
static bool has_late(const struct config *config, const char *name,
		     const struct client_moments *moments)
{
	const struct config_client *section = config_client_find(config, name);
	struct client *client = section ? client_open(section, NULL, NULL) : NULL;
	bool is_late = client && client_mounted_since(client, moments, NULL) > 0;

	client_close(client);
	return is_late;
}

static void report_late(const struct config *config, struct record *state)
{
	char path[RUNDIR_PATH_MAX], *targets[RECORD_LIST_MAX];
	const struct client_moments moments = { path, "/proc/self/mountinfo", targets,
						state->mount_count };
	size_t i;

	if (rundir_job_file(path, dirs.run, state->job, RUNDIR_MOUNTINFO, NULL) < 0)
		return;
	for (i = 0; i < state->mount_count; i++)
		targets[i] = state->mounts[i].mount;
	for (i = 0; i < state->client_count; i++)
		if (has_late(config, state->clients[i].name, &moments))
			state->flags |= RECORD_FLAG(MOUNTED_LATE);
}

/* RUN may be on a disk and survive a reboot, unlike the client's counters. */
static bool is_of_boot(const char *then, const char *now)
{
	return then && !strcmp(then, now);
}

static struct json *read_start(uint32_t job_id)
{
	char *text = job_dir_read(job_id, RUNDIR_CLIENT_IO, WIRE_BYTES_MAX);
	struct json *start = text ? json_parse(text) : NULL;

	free(text);
	return start;
}

void client_io_read(const struct config *config, struct record *state)
{
	struct json *start, *one = NULL;
	char now[RECORD_WORD_MAX];
	bool alone;

	host_boot_id(now, sizeof(now));
	start = read_start(state->job);
	alone = json_is_true(start, "alone") && !job_has_file(state->job, RUNDIR_OTHERS);
	if (is_of_boot(json_text(start, "boot_id"), now))
		one = json_first(json_map(start, "clients"));
	for (; one; one = one->next)
		if (json_is(one, JSON_TEXT))
			read_since(config, one->key, one->text.bytes, state, alone);
	if (is_of_boot(state->boot_id, now))
		report_late(config, state);
	json_free(start);
}
