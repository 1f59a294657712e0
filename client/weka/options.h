/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - mount options of WEKA: those of profiles, and those of a new mount
 *
 * Owner   lists are malloc'ed; the caller frees them.
 * Errors  -1, sentence in *err.
 * Runs    as in client.h; for the parts of the WEKA client only.
 */
#ifndef JOBIO_CLIENT_WEKA_OPTIONS_H
#define JOBIO_CLIENT_WEKA_OPTIONS_H

#include "client/setting.h"
#include "client/weka/parse.h"

extern const struct setting weka_options;
extern const struct change_kind weka_mount_option;

/* Return true for a stateful client: WEKA's mount guide has it mount by the name of the file system
 * alone. isPersistent of `weka local ps -J` is in no public tool. */
bool weka_is_stateful(const struct weka_container *container, const struct client_mount *mount);

/* Remount a file system with its own options, those of the plan being applied, and core= for each
 * id, which restarts the container (5.x). */
int weka_remount_cores(struct client *client, const struct client_mount *mount,
		       const struct cpuset *ids, struct err *err);

/* Mount it (with the options of a new mount) with core= for each id. */
int weka_mount_cores(struct client *client, const struct client_mount *mount,
		     const struct cpuset *ids, unsigned int timeout_ms, struct err *err);
/* Return the options of a new mount: those in the mount table, then those in its line of fstab(5)
 * only; without core=. */
char *weka_mount_options(const char *shown, const char *fstab);
/* Return 0 if the mount table has the same options as before, else -1. */
int weka_options_unchanged(const char *before, const char *after, struct err *err);

#endif
