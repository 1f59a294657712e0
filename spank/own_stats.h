/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_stats.h - the kernel's counters of NFS mounts that a job has alone
 *
 * Terms   own: as own_mounts.h says. Their counters are in no mountstats but that
 *           of the job's namespace, and go with it.
 *         page: memory that slurmstepd and the task share.
 *         A task opens mountinfo and mountstats of its own namespace and hands
 *           them over to slurmstepd: who holds one holds the namespace
 *           (fs/proc_namespace.c:mounts_open_common(), Linux 4.18 to 6.12), so
 *           that what all tasks did is read when the last one has ended.
 *         text: "own 1", "begin SECONDS", and of each own superblock with the
 *           mount that is seen: its line of mountinfo and its part of mountstats;
 *           "end SECONDS", the same. SECONDS are since boot, to the nanosecond
 *           ("4711.000000815"; a plugin from before an update: "4711"); -1: unreadable.
 * Owner   own_stats_end() returns malloc'ed text.
 * Errors  none: what could not be read is -1 in the text, for the epilog to say.
 * Runs    slurmstepd, root: open before the first task is there, end when the
 *         step has ended; begin in the task, in task_init_privileged. Reads
 *         tables in /proc, walks to no mount.
 */
#ifndef JOBIO_SPANK_OWN_STATS_H
#define JOBIO_SPANK_OWN_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "spank/own_mounts.h"

#define OWN_STATS_BYTES_MAX (256U << 10)

/* Only what is written to takes memory. */
struct own_page {
	char types[OWN_MOUNTS_MAX];	 /* own_mounts.h */
	bool is_elsewhere;		 /* the job's working directory */
	char begin[OWN_STATS_BYTES_MAX]; /* that part of the text; "": the
					  * namespace is the node's */
};

struct own_stats {
	int task, stepd; /* ends of a socket; -1 */
};

void own_stats_open(struct own_stats *stats);
/* In the namespace of the node nothing is done. 'proc' is "/proc", 'noted' what the
 * prolog left (own_node.h). */
void own_stats_begin(const struct own_stats *stats, const char *proc,
		     const char *noted, struct own_page *page);
/* Types that came during the step are added to those of the page. NULL: the
 * step had no NFS of its own. */
char *own_stats_end(struct own_stats *stats, const char *proc,
		    const char *noted, struct own_page *page);

/* RUN/JOB/steps/STEP.own, beside the file that stepio_write() has left. */
int own_stats_write(const char *text, const char *run_dir, uint32_t job_id,
		    uint32_t step_id, struct err *err);

#endif
