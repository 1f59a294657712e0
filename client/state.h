/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.h - what a client must still know after a reboot, a file each
 *
 * Terms   kind: a word that the type chooses ("baseline"); the file is
 *           STATE/NAME.KIND, where NAME is the [client NAME] of jobio.conf.
 * Owner   state_read() returns malloc'ed text; the caller frees it.
 * Errors  -1 and a sentence when the file cannot be written. NULL and errno: ENOENT, there
 *           is no file; else it could not be read. One that cannot be
 *           removed stays; its readers must know what is out of date by what
 *           it says.
 * Runs    as client.h says; a fault point before and after each change.
 */
#ifndef JOBIO_CLIENT_STATE_H
#define JOBIO_CLIENT_STATE_H

#include "base/err.h"

struct client;

char *state_read(const struct client *client, const char *kind);
int state_write(const struct client *client, const char *kind, const char *text, struct err *err);
void state_forget(const struct client *client, const char *kind);

#endif
