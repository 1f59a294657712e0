/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_mounts.h - which filesystems has a job's namespace alone?
 *
 * Terms   own: mounted in the mount namespace that the task gets
 *           (job_container/tmpfs, a container's), and the superblock is mounted
 *           nowhere in that of the node (process 1): what the node's counters say
 *           of clients knows nothing of it. A bind mount of what the node has is
 *           not own, nor is anything where task and node share a namespace.
 *         types: "nfs4 tmpfs", each once; what does not fit is left out.
 * Owner   nothing to free.
 * Errors  -1: unknown; no sentence, because nobody needs to do anything.
 * Runs    task_init_privileged: as root, when Slurm has joined the job's
 *         container (mgr.c:_pre_task_child_privileged), before the task is the
 *         user's. Reads links and tables in /proc, walks to no mount.
 */
#ifndef JOBIO_SPANK_OWN_MOUNTS_H
#define JOBIO_SPANK_OWN_MOUNTS_H

#define OWN_MOUNTS_MAX 128

/* 1: there are some, 0: none. 'proc' is "/proc". */
int own_mounts_find(const char *proc, char types[OWN_MOUNTS_MAX]);

#endif
