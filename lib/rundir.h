/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rundir.h - the names of what the rooms leave for each other on a node
 *
 *   RUN/node.json            node record, from slurmctld        prolog
 *   RUN/client.json          what the client has now            prolog
 *   RUN/gate                 gate file for jobs without one     prolog, epilog
 *   RUN/reason               why the node serves no job         prolog
 *   RUN/lock                 one prolog or epilog at a time     prolog, epilog
 *   RUN/JOB/journal          changes to the client              prolog, epilog
 *   RUN/JOB/start.json       what the epilog needs to know      prolog
 *   RUN/JOB/gate             gate file of the job               prolog
 *   RUN/JOB/wire             the client's counters at the start prolog
 *   RUN/JOB/steps/STEP       I/O of one step                    slurmstepd
 *   SPOOL/JOB.RESTART.NODE.json          a record to send       epilog
 *   SPOOL/open/JOB.NODE.json             a record in the making prolog
 *   SPOOL/reason             why the node is drained, to send   prolog
 *   SPOOL/bad/...                        never to be accepted   jobio-send
 *
 * Terms   RUN is run_dir of jobio.conf (/run/jobio), gone after a reboot;
 *         SPOOL is spool_dir (/var/spool/jobio), which is not. Both belong to
 *         root and nobody else may write there.
 *         STEP is "batch", "extern", "interactive" or a number.
 * Owner   the caller gives the buffer, of RUNDIR_PATH_MAX bytes.
 * Errors  -1 when a name does not fit or a node's name has a '/' in it.
 * Runs    node, as root: prolog, epilog, slurmstepd.
 */
#ifndef JOBIO_RUNDIR_H
#define JOBIO_RUNDIR_H

#include <stdint.h>

#include "lib/err.h"

#define RUNDIR_PATH_MAX 1024

/* RUN/NAME, for node.json, client.json, gate, lock */
int rundir_node_file(char *path, const char *run_dir, const char *name,
		     struct err *err);

/* RUN/JOB or, with a name, RUN/JOB/NAME */
int rundir_job_file(char *path, const char *run_dir, uint32_t job_id,
		    const char *name, struct err *err);

/* RUN/JOB/steps/STEP; step_id is Slurm's number, special steps included */
int rundir_step_file(char *path, const char *run_dir, uint32_t job_id,
		     uint32_t step_id, struct err *err);

/* SPOOL/JOB.RESTART.NODE.json; restart < 0 (unknown) is written as "x" */
int rundir_record_file(char *path, const char *spool_dir, uint32_t job_id,
		       int restart, const char *node, struct err *err);

/* SPOOL/open/JOB.NODE.json */
int rundir_open_file(char *path, const char *spool_dir, uint32_t job_id,
		     const char *node, struct err *err);

/* SPOOL/reason */
int rundir_reason_file(char *path, const char *spool_dir, struct err *err);

#endif
