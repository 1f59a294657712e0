/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the client of the node moved while a job ran: RUN/JOB/wire has its
 * counters at the start, {"boot_id":"..","alone":true,"counters":"TEXT"}. */
#include "job/job.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/faultpoint.h"
#include "lib/fileio.h"
#include "lib/host.h"
#include "lib/json.h"
#include "lib/rundir.h"

#define WIRE_BYTES_MAX (1U << 20)

static int write_start(const char *path, const struct record *state, bool alone,
		       const char *counters, struct err *err)
{
	struct json_object *top = json_object_new_object();
	const char *text;
	int rc;

	if (!top)
		return err_set(err, "out of memory");
	json_add_text(top, "boot_id", state->boot_id);
	json_add_bool(top, "alone", alone);
	json_add_text(top, "counters", counters);
	text = json_line(top);
	if (!text) {
		json_object_put(top);
		return err_set(err, "out of memory");
	}
	rc = fileio_write_volatile(path, text, strlen(text), 0600, err);
	json_object_put(top);
	return rc;
}

int job_wire_start(const struct config *config, const struct record *state,
		   struct client *client, bool alone, struct err *err)
{
	char path[RUNDIR_PATH_MAX], *counters;
	int rc;

	if (rundir_job_file(path, config->run_dir, state->job, RUNDIR_WIRE,
			    err) < 0)
		return -1;
	counters = client_wire_save(client, err);
	if (!counters)
		return errno == ENOENT ? 0 : -1;
	FAULT_POINT("wire before");
	rc = write_start(path, state, alone, counters, err);
	FAULT_POINT("wire after");
	free(counters);
	return rc;
}

static void add_wire(struct record *state, const struct client_wire *wire,
		     bool alone)
{
	struct record_io io;

	record_io_init(&io);
	io.scope = RECORD_SCOPE_NODE;
	io.shared = alone ? 0 : RECORD_UNKNOWN;
	snprintf(io.source, sizeof(io.source), "%s", wire->source);
	io.numbers[RECORD_READ_BYTES] = wire->read_bytes;
	io.numbers[RECORD_WRITE_BYTES] = wire->write_bytes;
	io.numbers[RECORD_READ_CALLS] = wire->reads;
	io.numbers[RECORD_WRITE_CALLS] = wire->writes;
	record_add_wire(state, &io);
}

static void read_since(struct client *client, struct json_object *start,
		       struct record *state)
{
	const char *counters = json_text(start, "counters");
	struct client_wire wire;
	int rc;

	if (!counters)
		return;
	rc = client_wire_since(client, counters, &wire, NULL);
	if (rc == 0)
		state->flags |= RECORD_FLAG(WIRE_RESET);
	if (rc <= 0)
		return;
	add_wire(state, &wire, json_is_true(start, "alone"));
}

/* RUN may be on a disk, where it outlives what the client counted. */
static bool is_of_this_boot(struct json_object *start)
{
	const char *then = json_text(start, "boot_id");
	char now[RECORD_WORD_MAX];

	host_boot_id(now, sizeof(now));
	return then && !strcmp(then, now);
}

void job_wire_read(const struct config *config, struct record *state)
{
	const struct config_client *section;
	char path[RUNDIR_PATH_MAX], *text;
	struct json_object *start;
	struct client *client;

	if (rundir_job_file(path, config->run_dir, state->job, RUNDIR_WIRE,
			    NULL) < 0)
		return;
	text = fileio_read(path, WIRE_BYTES_MAX, NULL, NULL);
	if (!text)
		return;
	start = json_parse(text);
	free(text);
	section = config_client_for(config, state->node);
	client = section ? client_open(section, NULL, NULL, NULL) : NULL;
	if (client && is_of_this_boot(start))
		read_since(client, start, state);
	client_close(client);
	json_object_put(start);
}
