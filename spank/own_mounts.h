/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_mounts.h - which filesystems has a job's namespace alone?
 *
 * Terms   table: mountinfo of a mount namespace, as proc_pid_mountinfo(5) writes
 *           it: that of a task (job_container/tmpfs, namespace/linux, a
 *           container), or of the node (own_node.h).
 *         own: mounted in the namespace of the task, and the superblock is
 *           mounted nowhere in that of the node: what the node's counters say of
 *           clients knows nothing of it. A bind mount of what the node has is not
 *           own.
 *         elsewhere: a path leads to another place for the task than for the
 *           node: into another filesystem, or elsewhere in the same one. What the
 *           node mounts once somebody comes (autofs) is the same place.
 *         types: "nfs4 tmpfs", each once; what does not fit is left out.
 * Owner   own_mounts_table()'s text is the caller's; struct own_mount points
 *         into its table.
 * Errors  NULL: unreadable; no sentence, because nobody needs to do anything.
 * Runs    task_init_privileged: as root, when Slurm has joined the job's
 *         container (mgr.c:_pre_task_child_privileged), before the task is the
 *         user's; slurmstepd. Reads tables in /proc, walks to no mount.
 */
#ifndef JOBIO_SPANK_OWN_MOUNTS_H
#define JOBIO_SPANK_OWN_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#define OWN_MOUNTS_MAX 128
#define OWN_TABLE_BYTES_MAX (1U << 20)

/* A part of a table, not ended. */
struct own_word {
	const char *text;
	size_t bytes;
};

struct own_mount {
	struct own_word line, id, parent, device, root, target, type;
};

bool own_word_is(const struct own_word *a, const struct own_word *b);

/* The table of process 'who'; 'proc' is "/proc". */
char *own_mounts_table(const char *proc, const char *who);
/* The next mount of *table, stepping over it; false: there is none. */
bool own_mounts_next(const char **table, struct own_mount *mount);
/* Has 'nodes' no mount of its superblock? */
bool own_mounts_is_own(const char *nodes, const struct own_mount *mount);
/* The types of all that are own, beside those that are there. */
void own_mounts_types(const char *table, const char *nodes,
		      char types[OWN_MOUNTS_MAX]);
/* 'path' is absolute and written as paths of a table; of symbolic links nothing
 * is known. */
bool own_mounts_is_elsewhere(const char *table, const char *nodes,
			     const char *path);

#endif
