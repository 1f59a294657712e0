/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options.h - mount options of WEKA: what a job may change, what a mount needs
 *
 * Owner   lists are malloc'ed; the caller frees them.
 * Errors  NULL: out of memory; -1, sentence in *err.
 * Runs    as client.h says; for the parts of the WEKA client only.
 */
#ifndef JOBIO_CLIENT_WEKA_OPTIONS_H
#define JOBIO_CLIENT_WEKA_OPTIONS_H

#include "client/setting.h"
#include "client/weka/parse.h"

extern const struct setting weka_options;
extern const struct change_kind weka_mount_option;

/* WEKA's mount guide: a stateful client mounts by the name of the file system
 * alone. isPersistent of `weka local ps -J` is in no public tool. */
bool weka_is_stateful(const struct weka_container *container, const struct client_mount *mount);

/* Remount a file system with its own options, those that the plan being applied has
 * for it, and core= for each id, which restarts the container (5.x). */
int weka_remount_cores(struct client *client, const struct client_mount *mount,
		       const struct cpuset *ids, struct err *err);

/* Mount it (its options are those of a new mount) with core= for each id. */
int weka_mount_cores(struct client *client, const struct client_mount *mount,
		     const struct cpuset *ids, unsigned int timeout_ms, struct err *err);
/* The options of a new mount: those that the mount table shows, then those that
 * only its line in fstab(5) knows; without core=. NULL: out of memory. */
char *weka_mount_options(const char *shown, const char *fstab);
/* Does the mount table still show what it has shown? 0: yes. */
int weka_options_kept(const char *before, const char *after, struct err *err);

#endif
