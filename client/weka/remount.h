/* SPDX-License-Identifier: GPL-2.0-or-later */
/* remount.h - all mounts of a WEKA container taken away and made again
 *
 * Terms   set: the mounts that a container serves, each with the options of a
 *           new mount: those that the mount table shows and those that only
 *           fstab(5) knows (net=, memory_mb=, ...), but no core=. It is kept
 *           in STATE/NAME.mounts from before the first umount until all are
 *           back, and means nothing after a reboot, which mounts from fstab.
 *         gone: the last umount of a stateless client removes its container
 *           (WEKA's mount guide, 4.0 to 5.x); only the next mount reads core=.
 * Errors  -1 with a sentence in *err. What counts is the mount table: an
 *           umount(8) that says "done" is not believed, nor a mount(8).
 *         Never lazy, never forced: a busy mount stays, *busy is set.
 * Runs    as client.h says; for weka/cores.c only.
 */
#ifndef JOBIO_CLIENT_WEKA_REMOUNT_H
#define JOBIO_CLIENT_WEKA_REMOUNT_H

#include "client/weka/facts.h"
#include "record/finding.h"

/* Why the mounts of the container cannot be made again: -1; else 0. */
int weka_mount_check(const struct client *client, const char *container, const char **cure,
		     struct err *why);

/* Keep the set; nothing else happens. */
int weka_mount_begin(const struct client *client, const char *container, struct err *err);
/* Is a set of this boot kept for the container? 1; 0; -1: not known. */
int weka_mount_is_begun(const struct client *client, const char *container);
void weka_mount_end(const struct client *client);
/* Forget a set of another boot: fstab has mounted what is to be mounted. */
void weka_mount_forget_old(const struct client *client);

/* How many of the set are mounted; -1: the mount table cannot be read. */
int weka_mount_count(struct client *client, struct err *err);
/* Unmount all of the set, the last first. */
int weka_mount_away(struct client *client, unsigned long long end_ms, bool *busy, struct err *err);
/* Mount those of the set that are missing, with core= for each id; 'insist':
 * try again until end_ms. An option that is lost on the way is a finding. */
int weka_mount_back(struct client *client, const struct cpuset *ids, unsigned long long end_ms,
		    bool insist, struct findings *findings, struct err *err);

#endif
