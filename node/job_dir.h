/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_dir.h - RUN, SPOOL and the folders of jobs, RUN/JOB
 *
 * Terms   lock: RUN/lock, one prolog or epilog at a time; the kernel releases it when
 *           the process ends.
 * Owner   the directories are those of jobio.conf, which must outlive them.
 * Errors  -1, sentence in *err.
 * Runs    prolog and epilog, as root. main() calls dirs_set() first.
 */
#ifndef JOBIO_NODE_JOB_DIR_H
#define JOBIO_NODE_JOB_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct config;

/* run_dir, spool_dir and spool_max_records of jobio.conf. */
struct dirs {
	const char *run, *spool;
	unsigned int spool_max_records;
};

extern struct dirs dirs;

void dirs_set(const struct config *config);
/* Create RUN, SPOOL and the folders in SPOOL. */
int job_make_dirs(struct err *err);
/* Wait at most [timeout_ms] for the lock. Return its file descriptor, or -1. */
int job_lock(unsigned int timeout_ms, struct err *err);
/* Remove partly removed folders and temporary files of killed processes in RUN, with [spool] also
 * in SPOOL. */
void job_sweep(bool spool);

/* Create RUN/JOB and RUN/JOB/steps. */
int job_make_folder(uint32_t job_id, struct err *err);
bool job_has_folder(uint32_t job_id);
/* Return true if RUN/JOB/NAME exists, or this cannot be determined. */
bool job_has_file(uint32_t job_id, const char *name);
bool job_has_steps(uint32_t job_id);
/* Read RUN/JOB/NAME, of at most [max] bytes. Return NULL with errno; the caller frees. */
char *job_dir_read(uint32_t job_id, const char *name, size_t max);
/* Write RUN/JOB/NAME, without fsync(2). */
int job_dir_write(uint32_t job_id, const char *name, const char *text, struct err *err);
/* Call [fn] for every folder RUN/JOB, ordered by job ID, until one call does not return 0. Return
 * the last result. */
int job_each_folder(int (*fn)(void *arg, uint32_t job_id), void *arg);
/* Remove RUN/JOB. */
int job_discard(uint32_t job_id, struct err *err);

#endif
