/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/state.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/rundir.h"
#include "client/type.h"

#define STATE_BYTES_MAX (1U << 20)

static int state_path(const struct client *client, const char *kind, char path[RUNDIR_PATH_MAX])
{
	if (!client->state_dir)
		return -1;
	return rundir_state_file(path, client->state_dir, client->section->name, kind, NULL);
}

char *state_read(const struct client *client, const char *kind)
{
	char path[RUNDIR_PATH_MAX];

	errno = ENOENT;
	if (state_path(client, kind, path) < 0)
		return NULL;
	return fileio_read(path, STATE_BYTES_MAX, NULL, NULL);
}

int state_write(const struct client *client, const char *kind, const char *text, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int rc;

	if (state_path(client, kind, path) < 0)
		return err_set(err, "no state directory to store the %s", kind);
	FAULT_POINT("state before");
	rc = fileio_write(path, text, strlen(text), 0600, err);
	FAULT_POINT("state after");
	return rc;
}

void state_forget(const struct client *client, const char *kind)
{
	char path[RUNDIR_PATH_MAX];

	if (state_path(client, kind, path) < 0)
		return;
	FAULT_POINT("forget before");
	unlink(path);
	FAULT_POINT("forget after");
}
