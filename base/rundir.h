/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rundir.h - names of jobio's files on a node
 *
 *   RUN/node.json          node record and core map         prolog, jobio
 *   RUN/client.NAME.json   cached output of the client      prolog
 *   RUN/gate               gate file for jobs without one   prolog
 *   RUN/reason             why the node takes no jobs       prolog
 *   RUN/lock               one prolog or epilog at a time   prolog, epilog
 *   RUN/command            the command that is being run    prolog, epilog
 *   RUN/mmpmon             locked by a running mmpmon       prolog, epilog
 *   RUN/count              why the kernel does not count    jobio-count
 *   RUN/plugin             where the plugin is loaded from  slurmstepd
 *   RUN/JOB/journal        changes to the client            prolog, epilog
 *   RUN/JOB/start.json     state of the job for the epilog  prolog, epilog
 *   RUN/JOB/gate           gate file of the job             prolog
 *   RUN/JOB/begun          pid and start of the job's first slurmstepd
 *                                                           slurmstepd
 *   RUN/JOB/sluid          Slurm's name of the run (26.05)  prolog
 *   RUN/JOB/wire           the client's counters at the start prolog
 *   RUN/JOB/others         exists: other jobs ran here, too   prologs
 *   RUN/JOB/counted        exists: the kernel counts        prolog
 *   RUN/JOB/uncounted      cure and reason, if it could     prolog
 *   RUN/JOB/mountinfo      the node's namespace and mounts, for a slurmstepd
 *                          that is in another one           prolog
 *   RUN/JOB/away           exists: a step may have begun without the plugin
 *                                                           slurmstepd
 *   RUN/JOB/told           not empty: unmet requests were reported in the
 *                          job's output                     slurmstepd
 *   RUN/JOB/steps/STEP     I/O of one step                  slurmstepd
 *   RUN/.gone.JOB          a folder that is being removed   prolog, epilog
 *   SPOOL/JOB.RESTART.NODE.json        a record to send     epilog
 *   SPOOL/JOB.x.NODE.START.json        the same, of a run that Slurm does not
 *                                      number, if the first name exists
 *   SPOOL/open/JOB.NODE.json           an unfinished record prolog, epilog
 *   SPOOL/state/NAME.KIND  state of a client across a reboot: KIND is
 *                          "baseline" or "mounts"           prolog, epilog
 *   SPOOL/released         recently finished runs; RUN/released while
 *                          SPOOL cannot be written          prolog, epilog
 *   SPOOL/bad/...          records never to be accepted jobio-send
 *   SPOOL/.lock            one jobio-send at a time         jobio-send
 *   NAME.tmp.PID           any of them while it is written  fileio.h
 *
 * Terms   RUN is run_dir of jobio.conf (/run/jobio), removed by a reboot;
 *         SPOOL is spool_dir (/var/spool/jobio), which is not. Both belong to
 *           root and are closed to others: jobs and their requests are private
 *           to their users (PrivateData of slurm.conf).
 *         STEP is "batch", "extern", "interactive" or a number; NAME that of
 *         the section [client NAME]; START seconds since 1970.
 * Owner   the caller provides the buffer, of RUNDIR_PATH_MAX bytes.
 * Errors  -1 if a name does not fit or a node's name has a '/' in it.
 * Runs    node, as root: prolog, epilog, slurmstepd. jobio reads node.json
 *         when root runs it, and queries slurmctld otherwise.
 */
#ifndef JOBIO_BASE_RUNDIR_H
#define JOBIO_BASE_RUNDIR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define RUNDIR_PATH_MAX 1024

/* Defaults of run_dir and spool_dir. */
#define RUNDIR_RUN "/run/jobio"
#define RUNDIR_SPOOL "/var/spool/jobio"

/* RUN/... */
#define RUNDIR_NODE "node.json"
#define RUNDIR_GATE "gate" /* RUN/JOB/... too */
#define RUNDIR_REASON "reason"
#define RUNDIR_LOCK "lock"
#define RUNDIR_RELEASED "released" /* SPOOL/... first */
#define RUNDIR_COMMAND "command"
#define RUNDIR_MMPMON "mmpmon"
#define RUNDIR_COUNT "count"
#define RUNDIR_PLUGIN "plugin"
/* RUN/JOB/... */
#define RUNDIR_JOURNAL "journal"
#define RUNDIR_START "start.json"
#define RUNDIR_STARTED "begun"
#define RUNDIR_SLUID "sluid"
#define RUNDIR_CLIENT_IO "wire"
#define RUNDIR_COUNTED "counted"
#define RUNDIR_UNCOUNTED "uncounted"
#define RUNDIR_STEPS "steps"
#define RUNDIR_MOUNTINFO "mountinfo" /* spank/private_mount.h */
#define RUNDIR_REPORTED "told"
#define RUNDIR_AWAY "away"     /* spank/plugin_file.h */
#define RUNDIR_OTHERS "others" /* jobs were here at the same time */
/* SPOOL/state/NAME.... */
#define RUNDIR_BASELINE "baseline"
#define RUNDIR_MOUNTS "mounts"

/* RUN/NAME */
int rundir_node_file(char *path, const char *run_dir, const char *name, struct err *err);

/* RUN/client.NAME.json */
int rundir_client_file(char *path, const char *run_dir, const char *client, struct err *err);

/* RUN/JOB or, with a name, RUN/JOB/NAME */
int rundir_job_file(char *path, const char *run_dir, uint32_t job_id, const char *name,
		    struct err *err);

/* RUN/JOB/steps/STEP; step_id is Slurm's number, special steps included */
int rundir_step_file(char *path, const char *run_dir, uint32_t job_id, uint32_t step_id,
		     struct err *err);

/* Create RUN/JOB, and RUN/JOB/steps: prolog and slurmstepd, whichever is first. */
int rundir_make_job(const char *run_dir, uint32_t job_id, struct err *err);
int rundir_make_steps(const char *run_dir, uint32_t job_id, struct err *err);

/* Create RUN/JOB/begun with the pid of this process and its start (process_start(), 0: unknown),
 * unless it exists, or no prolog has made RUN/JOB. Return true if it was created. */
bool rundir_mark_started(const char *run_dir, uint32_t job_id);

/* RUN/.gone.JOB */
int rundir_gone_folder(char *path, const char *run_dir, uint32_t job_id, struct err *err);
/* Return true if it is a temporary file of a killed process: .gone.JOB, NAME.tmp.PID. */
bool rundir_is_temporary(const char *name);

/* SPOOL/JOB.RESTART.NODE.json; restart < 0 (unknown) is written as "x" */
int rundir_record_file(char *path, const char *spool_dir, uint32_t job_id, int restart,
		       const char *node, struct err *err);
/* SPOOL/JOB.x.NODE.START.json */
int rundir_record_again(char *path, const char *spool_dir, uint32_t job_id, const char *node,
			double start, struct err *err);
/* Return true if it is the name of a record to send. */
bool rundir_is_record(const char *name);
/* Return the number of records in the spool, of this job or, with 0, of all; counting stops at
 * 'max'. */
unsigned int rundir_count_records(const char *spool_dir, uint32_t job_id, unsigned int max);

/* SPOOL/NAME: of a record to send, or RUNDIR_RELEASED */
int rundir_spool_file(char *path, const char *spool_dir, const char *name, struct err *err);

/* SPOOL/open or, with a node, SPOOL/open/JOB.NODE.json */
int rundir_open_folder(char *path, const char *spool_dir, struct err *err);
int rundir_open_file(char *path, const char *spool_dir, uint32_t job_id, const char *node,
		     struct err *err);

/* SPOOL/state, and in that folder NAME.KIND */
int rundir_state_folder(char *path, const char *spool_dir, struct err *err);
int rundir_state_file(char *path, const char *state_dir, const char *client, const char *kind,
		      struct err *err);

/* SPOOL/bad or, with a name, SPOOL/bad/NAME */
int rundir_bad_file(char *path, const char *spool_dir, const char *name, struct err *err);

/* SPOOL/.lock */
int rundir_sender_lock(char *path, const char *spool_dir, struct err *err);

#endif
