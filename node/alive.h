/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alive.h - jobs that are alive on this node
 *
 * Terms   starting: the prolog wrote RUN/JOB/gate within the last ten minutes, and
 *           there is no RUN/JOB/begun and no counters of a step: other scripts of the
 *           site run, or slurmd starts slurmstepd. After ten minutes the job counts as
 *           finished.
 *         alive: starting, or with a slurmstepd or other processes on this node.
 * Errors  what cannot be determined counts as alive.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_ALIVE_H
#define JOBIO_NODE_ALIVE_H

#include <stdbool.h>
#include <stdint.h>

/* Write Slurm's SLUID of this run to RUN/JOB/sluid: it may be the name of its cgroup. */
void job_write_sluid(uint32_t job_id);
/* Return true if the job's folder is more than ten minutes old. */
bool job_is_old(uint32_t job_id);
/* Return true if a slurmstepd of the job (extern, batch or step) runs, or a process of one that was
 * killed. May scan all processes. */
bool job_has_stepd(uint32_t job_id);
/* Return true if the job is starting, or job_has_stepd(). */
bool job_is_alive(uint32_t job_id);
/* Remove RUN/JOB/gate at the start of the epilog: the job is not starting any more. */
void job_is_over(uint32_t job_id);
/* Return true if any other job is alive, also one from before jobio's installation, without a
 * folder. Scans all processes. */
bool job_is_other_alive(uint32_t job_id);
/* The same for a job that has the node alone: wait up to a second for a slurmstepd of another job
 * to exit. slurmd runs epilog and next prolog when no step reports that it runs, which is before
 * its slurmstepd exits (slurmd/req.c:_pause_for_job_completion(), 24.11). */
bool job_does_other_remain(uint32_t job_id);
/* Return true if a scan of the processes timed out or failed in this program. */
bool job_scan_failed(void);

#endif
