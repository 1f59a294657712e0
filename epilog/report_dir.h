/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_dir.h - where a job's report is to be left, and who starts to leave it
 *
 * Terms   pattern: [jobio] report_dir, with %w (the job's working directory), %u
 *           (its user), %j (its number) and %% in it.
 *         own: of a job that had a mount namespace of its own, a working directory
 *           that is not the node's of the same name (record.h): a report there
 *           would be in somebody else's place, or in nobody's.
 *         first: the node that slurmd names first of the job's; its epilog leaves
 *           the report of all nodes.
 * Owner   the caller gives the buffers.
 * Errors  -1, sentence in *err.
 * Runs    epilog, as root: touches no file but that of the helper. What is in the
 *         directory is touched by jobio-file, as the job's user.
 */
#ifndef JOBIO_EPILOG_REPORT_DIR_H
#define JOBIO_EPILOG_REPORT_DIR_H

#include <stdbool.h>
#include <stddef.h>

#include "job/job.h"

/* 'work_dir' NULL: Slurm does not tell it (20.11). */
int report_dir_expand(const char *pattern, const struct job *job,
		      const char *work_dir, char *path, size_t size,
		      struct err *err);

/* Of a list like "c[01-02,7]-ib,d1"; NULL: nobody knows, and each is. */
bool report_dir_is_first(const char *nodelist, const char *node);

struct report_dir_run {
	int64_t restart; /* the run's number or RECORD_UNKNOWN */
	bool own_work_dir;
};

/* Start jobio-file for this job and leave it alone; nothing where the site wants
 * no reports, on other nodes than the first, and for root's jobs. 'conf' may be
 * NULL. */
int report_dir_start(const struct config *config, const char *conf,
		     const struct job *job, const struct report_dir_run *run,
		     struct err *err);

#endif
