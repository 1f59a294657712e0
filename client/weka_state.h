/* SPDX-License-Identifier: GPL-2.0-or-later */
/* weka_state.h - what a client must still know after a reboot, a file each
 *
 * Terms   kind: "baseline" or "mounts"; the file is STATE/NAME.KIND, where NAME
 *           is the [client NAME] of jobio.conf.
 * Owner   weka_state_read() returns malloc'ed text; the caller frees it.
 * Errors  -1 and a sentence when the file cannot be written. A file that is not
 *           there, or cannot be read, says nothing: NULL. One that cannot be
 *           removed is told apart by its readers: a baseline that is reached,
 *           mounts of an earlier boot or that are all there.
 * Runs    as client.h says; a fault point before and after each change.
 */
#ifndef JOBIO_CLIENT_WEKA_STATE_H
#define JOBIO_CLIENT_WEKA_STATE_H

#include "client/weka.h"

char *weka_state_read(const struct client *client, const char *kind);
int weka_state_write(const struct client *client, const char *kind,
		     const char *text, struct err *err);
void weka_state_forget(const struct client *client, const char *kind);

#endif
