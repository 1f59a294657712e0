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
#include "lib/rundir.h"

#define WIRE_BYTES_MAX (1U << 20)

static const char *string_of(struct json_object *top, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(top, key, &value) &&
			       json_object_is_type(value, json_type_string)
		       ? json_object_get_string(value)
		       : NULL;
}

static int write_start(const char *path, const struct record *state, bool alone,
		       const char *counters, struct err *err)
{
	struct json_object *top = json_object_new_object();
	const char *text;
	int rc;

	if (!top)
		return err_set(err, "out of memory");
	json_object_object_add(top, "boot_id",
			       json_object_new_string(state->boot_id));
	json_object_object_add(top, "alone", json_object_new_boolean(alone));
	json_object_object_add(top, "counters",
			       json_object_new_string(counters));
	text = json_object_to_json_string_ext(top, JSON_C_TO_STRING_PLAIN);
	rc = fileio_write_volatile(path, text, strlen(text), 0600, err);
	json_object_put(top);
	return rc;
}

int job_wire_start(const struct config *config, const struct record *state,
		   struct client *client, bool alone, struct err *err)
{
	char path[RUNDIR_PATH_MAX], *counters;
	int rc;

	if (rundir_job_file(path, config->run_dir, state->job, "wire", err) < 0)
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
	const char *counters = string_of(start, "counters");
	struct client_wire wire;
	struct json_object *alone;
	int rc;

	if (!counters)
		return;
	rc = client_wire_since(client, counters, &wire, NULL);
	if (rc == 0)
		state->flags |= RECORD_FLAG(WIRE_RESET);
	if (rc <= 0)
		return;
	add_wire(state, &wire,
		 json_object_object_get_ex(start, "alone", &alone) &&
			 json_object_get_boolean(alone));
}

/* RUN may be on a disk, where it outlives what the client counted. */
static bool is_of_this_boot(struct json_object *start)
{
	const char *then = string_of(start, "boot_id");
	char now[RECORD_WORD_MAX];

	host_boot_id(now, sizeof(now));
	return then && strcmp(then, now) == 0;
}

void job_wire_read(const struct config *config, struct record *state)
{
	const struct config_client *section;
	char path[RUNDIR_PATH_MAX], *text;
	struct json_object *start;
	struct client *client;

	if (rundir_job_file(path, config->run_dir, state->job, "wire", NULL) <
	    0)
		return;
	text = fileio_read(path, WIRE_BYTES_MAX, NULL, NULL);
	if (!text)
		return;
	start = json_tokener_parse(text);
	free(text);
	section = config_client_for(config, state->node);
	client = section ? client_open(section, NULL, NULL, NULL) : NULL;
	if (client && is_of_this_boot(start))
		read_since(client, start, state);
	client_close(client);
	json_object_put(start);
}
