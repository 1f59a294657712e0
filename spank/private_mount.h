/* SPDX-License-Identifier: GPL-2.0-or-later */
/* private_mount.h - filesystems that are mounted for the job only
 *
 * Terms   private: mounted in the mount namespace of the task (job_container/tmpfs,
 *           namespace/linux, a container), and the node has no mount of the
 *           superblock: counters of the node do not include it. A bind mount of
 *           a filesystem of the node is not private.
 *         note: RUN/JOB/mountinfo, written by the prolog: the name of the
 *           node's namespace, as the link /proc/self/ns/mnt has it, and below it
 *           the node's mountinfo.
 *         types: "nfs4 tmpfs", each once; what does not fit is left out.
 * Owner   plain text.
 * Errors  none: without a note, or if a table is unreadable, no type is found.
 * Runs    task_init_privileged: as root, when Slurm has joined the job's
 *         namespace (mgr.c:_pre_task_child_privileged), before the task is the
 *         user's. Reads links and tables in /proc, accesses no mount.
 */
#ifndef JOBIO_SPANK_PRIVATE_MOUNT_H
#define JOBIO_SPANK_PRIVATE_MOUNT_H

#define PRIVATE_TYPES_MAX 128

/* 'types' is empty, or has those of the same step. */
void private_mount_types(const char *note, char types[PRIVATE_TYPES_MAX]);

#endif
