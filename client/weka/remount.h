/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remount.h - unmount all mounts of a WEKA container, and mount them again
 *
 * Terms   set: the mounts of a container, each with the options of a new mount: those in
 *           the mount table and those in fstab(5) only (net=, memory_mb=, ...), but no
 *           core=. It is stored in STATE/NAME.mounts from before the first umount until
 *           all are mounted again, and ignored after a reboot, which mounts from fstab.
 *         gone: the last umount of a stateless client removes its container (WEKA's
 *           mount guide, 4.0 to 5.x); only the next mount reads core=.
 * Errors  -1 with a sentence in *err. The mount table decides, not the exit status of
 *           umount(8) or mount(8).
 *         Never lazy, never forced: a busy mount stays, *busy is set.
 * Runs    as in client.h; for weka/cores.c only.
 */
#ifndef JOBIO_CLIENT_WEKA_REMOUNT_H
#define JOBIO_CLIENT_WEKA_REMOUNT_H

#include "client/weka/facts.h"
#include "record/finding.h"

/* Return 0 if the mounts of the container can be made again, else -1, with the reason in *why. */
int weka_mount_check(const struct client *client, const char *container, const char **cure,
		     struct err *why);

/* Store the set; nothing else is changed. */
int weka_mount_begin(const struct client *client, const char *container, struct err *err);
/* Return 1 if a set of this boot is stored for the container, 0 if not, -1 if unknown. */
int weka_mount_is_begun(const struct client *client, const char *container);
void weka_mount_end(const struct client *client);
/* Remove a set of another boot: mounts were made from fstab. */
void weka_mount_forget_old(const struct client *client);

/* Return how many of the set are mounted; -1: the mount table cannot be read. */
int weka_mount_count(struct client *client, struct err *err);
/* Unmount the whole set, in reverse order. */
int weka_mount_away(struct client *client, unsigned long long end_ms, bool *busy, struct err *err);
/* Mount those of the set that are missing, with core= for each id; 'insist': try again until
 * end_ms. A lost option is a finding. */
int weka_mount_back(struct client *client, const struct cpuset *ids, unsigned long long end_ms,
		    bool insist, struct err *err);

#endif
