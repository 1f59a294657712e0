/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_mounts.h - which filesystems has a job's namespace alone?
 *
 * Terms   own: mounted in the mount namespace that the task gets
 *           (job_container/tmpfs, a container's), and the superblock is mounted
 *           nowhere in that of the node (process 1): what the node's counters say
 *           of clients knows nothing of it. A bind mount of what the node has is
 *           not own, nor is anything where task and node share a namespace.
 *         types: "nfs4 tmpfs", each once; what does not fit is left out.
 * Owner   the caller frees a table.
 * Errors  NULL: unreadable; no sentence, because nobody needs to do anything.
 * Runs    task_init_privileged: as root, when Slurm has joined the job's
 *         container (mgr.c:_pre_task_child_privileged), before the task is the
 *         user's. Reads links and tables in /proc, walks to no mount.
 */
#ifndef JOBIO_SPANK_OWN_MOUNTS_H
#define JOBIO_SPANK_OWN_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define OWN_MOUNTS_MAX 128
#define OWN_TABLE_BYTES_MAX (1U << 20)

/* One of a table, as proc_pid_mountinfo(5) writes it; texts are not ended. */
struct own_mount {
	const char *line, *device, *target, *type;
	size_t line_bytes, device_bytes, target_bytes, type_bytes;
};

/* Is this process in the node's namespace? 'proc' is "/proc". Where links of process 1 are kept from
 * us: no, its table will tell. */
bool own_mounts_none(const char *proc);
/* The table of process 'who'; NULL: unreadable. */
char *own_mounts_table(const char *proc, const char *who);
/* The next mount of *table, stepping over it; false: there is none. */
bool own_mounts_next(const char **table, struct own_mount *mount);
/* Has 'nodes' no mount of its superblock? */
bool own_mounts_is_own(const char *nodes, const struct own_mount *mount);
/* The types of all that are own, beside those that are there. */
void own_mounts_types(const char *table, const char *nodes,
		      char types[OWN_MOUNTS_MAX]);

#endif
