/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mount_option.h - mount options of a mounted filesystem, as settings
 *
 * A type whose mounts take options with "mount -o remount" makes a struct
 * setting of its table of keys and these functions.
 *
 * Terms   remount: mount(8) is called with those of the mount's own options
 *           that fall back when they are left out (setting.h: repeat), and the
 *           wanted ones.
 * Owner   options_*() return malloc'ed lists.
 * Errors  as in setting.h.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_MOUNT_OPTION_H
#define JOBIO_CLIENT_MOUNT_OPTION_H

#include "client/mounts.h"
#include "client/setting.h"

/* For struct setting. */
const char *mount_option_wanted(const struct client_want *want);
const char *mount_option_target(const struct client *client, size_t index);
const char *mount_option_now(const struct client *client, const char *target);
int mount_option_write(const struct setting *setting, struct client *client, const char *target,
		       const char *list, struct err *err);

/* "remount," + what must be repeated of 'now' + what 'wanted' sets; NULL: out
 * of memory. */
char *mount_option_remount(const struct setting *setting, const char *now, const char *wanted);

/* Run mount(8) with this list for this mount. */
int mount_option_run(struct client *client, const struct client_mount *mount, const char *list,
		     unsigned int timeout_ms, struct err *err);

#endif
