/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_node.h - the node, for who may be in a namespace of a job's
 *
 * Terms   namespace of the node: the mount namespace of slurmd and its prolog,
 *           which leaves three things in RUN/JOB/mountinfo (job_note_mounts()):
 *           its name, as the link /proc/self/ns/mnt has it; the job's working
 *           directory, written as mountinfo writes paths, or an empty line; its
 *           mountinfo. Where no prolog did, the node is process 1. In a PID
 *           namespace of the job's (namespace/linux, clone_ns_flags), which has a
 *           slurmstepd of its own, that one is the job's, and what the prolog left
 *           is all that can be known.
 *         noted: the path of that file, be it there or not; NULL, "": none.
 *         'proc' is "/proc".
 * Owner   own_node_load() fills, own_node_free() empties.
 * Errors  none: what could not be read is NULL or "".
 * Runs    task_init_privileged and slurmstepd, root. Reads links and tables, walks
 *         to no mount.
 */
#ifndef JOBIO_SPANK_OWN_NODE_H
#define JOBIO_SPANK_OWN_NODE_H

#include <stdbool.h>

#define OWN_SPACE_MAX 64

struct own_node {
	char *noted, *now;	   /* texts */
	char space[OWN_SPACE_MAX]; /* "mnt:[4026531841]" */
	const char *work_dir;	   /* "": unknown */
	const char *mounts;	   /* its mountinfo; NULL: unknown */
};

/* Is this process in the namespace of the node? Where names are kept from us: no,
 * tables will tell. */
bool own_node_is_ours(const char *proc, const char *noted);

/* Its mounts are those of now where process 1 is of the node. */
void own_node_load(struct own_node *node, const char *proc, const char *noted);
void own_node_free(struct own_node *node);

#endif
