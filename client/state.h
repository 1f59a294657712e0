/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - files of a client that are kept across reboots
 *
 * Terms   kind: a word of the type ("baseline"); the file is STATE/NAME.KIND, where NAME
 *           is the [client NAME] of jobio.conf.
 * Owner   state_read() returns malloc'ed text; the caller frees it.
 * Errors  -1 and a sentence if the file cannot be written. NULL and errno: ENOENT, there
 *           is no file; else it could not be read. One that cannot be removed stays; it
 *           must contain what shows that it is out of date.
 * Runs    as in client.h; a fault point before and after each change.
 */
#ifndef JOBIO_CLIENT_STATE_H
#define JOBIO_CLIENT_STATE_H

#include "base/err.h"

struct client;

char *state_read(const struct client *client, const char *kind);
int state_write(const struct client *client, const char *kind, const char *text, struct err *err);
void state_forget(const struct client *client, const char *kind);

#endif
