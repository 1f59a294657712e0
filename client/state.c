/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/state.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/type.h"
#include "lib/faultpoint.h"
#include "lib/fileio.h"

#define STATE_BYTES_MAX (1U << 20)

static int state_path(const struct client *client, const char *kind,
		      char path[PATH_MAX])
{
	if (!client->state_dir)
		return -1;
	return snprintf(path, PATH_MAX, "%s/%s.%s", client->state_dir,
			client->section->name, kind) < PATH_MAX
		       ? 0
		       : -1;
}

char *state_read(const struct client *client, const char *kind)
{
	char path[PATH_MAX];

	if (state_path(client, kind, path) < 0)
		return NULL;
	return fileio_read(path, STATE_BYTES_MAX, NULL, NULL);
}

int state_write(const struct client *client, const char *kind, const char *text,
		struct err *err)
{
	char path[PATH_MAX];
	int rc;

	if (state_path(client, kind, path) < 0)
		return err_set(err, "no place to remember the %s", kind);
	FAULT_POINT("state before");
	rc = fileio_write(path, text, strlen(text), 0600, err);
	FAULT_POINT("state after");
	return rc;
}

void state_forget(const struct client *client, const char *kind)
{
	char path[PATH_MAX];

	if (state_path(client, kind, path) < 0)
		return;
	FAULT_POINT("forget before");
	unlink(path);
	FAULT_POINT("forget after");
}
