/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mount_option.h - mount options of a mounted filesystem, as settings
 *
 * A type that can change options with "mount -o remount" has a struct setting with its
 * table of keys and these functions.
 *
 * Terms   remount: mount(8) is called with those options of the mount that would
 *           otherwise be reset (setting.h: repeat), and the wanted ones.
 * Owner   lists are malloc'ed and freed by the caller.
 * Errors  as in setting.h.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_MOUNT_OPTION_H
#define JOBIO_CLIENT_MOUNT_OPTION_H

#include "client/mounts.h"
#include "client/setting.h"

/* For struct setting. */
const char *mount_option_wanted(const struct client_desired *desired);
const char *mount_option_target(const struct client *client, size_t index);
const char *mount_option_now(const struct client *client, const char *target);
int mount_option_write(const struct setting *setting, struct client *client, const char *target,
		       const char *list, struct err *err);

/* Return "remount," with the options of 'now' that must be repeated, and those of 'wanted'. */
char *mount_option_remount(const struct setting *setting, const char *now, const char *wanted);

/* Run mount(8) with this list for this mount. */
int mount_option_run(struct client *client, const struct client_mount *mount, const char *list,
		     unsigned int timeout_ms, struct err *err);

#endif
