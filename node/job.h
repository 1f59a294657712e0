/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job.h - one job on this node, from its prolog to its record
 *
 * Terms   state: the incomplete record of the job (record.h), written in two places
 *           before the first change: RUN/JOB/start.json, quick to read, and
 *           SPOOL/open/JOB.NODE.json, which survives a reboot.
 *         to undo: to restore what pending changes of a journal replaced.
 *         to finish: to write the state as a record to the spool and to remove the
 *           job's folder. Each step can be interrupted and repeated: write the record
 *           to the open copy, add the run to SPOOL/released, rename the copy. So a run
 *           in SPOOL/released has a record or a complete open copy; any other run has
 *           its state.
 *         starting: the prolog wrote RUN/JOB/gate within the last ten minutes, and
 *           there is no RUN/JOB/begun and no counters of a step: other scripts of the
 *           site run, or slurmd starts slurmstepd. After ten minutes the job counts as
 *           finished.
 *         alive: starting, or with a slurmstepd or other processes on this node.
 *         lock: RUN/lock, one prolog or epilog at a time; the kernel releases it when
 *           the process ends.
 *         released: SPOOL/released, the last runs that were finished, so that an epilog
 *           that runs twice, even across a reboot, does not write a second, empty
 *           record.
 *         ended: the state is a complete record without its final name, or was written
 *           as a record while a setting could not be restored.
 *         reason: why this node is not ready for jobs, "jobio:W08 SENTENCE; cure:
 *           CURE". RUN/reason has the full text, for any on_error. If the node is
 *           drained (on_error=drain), Slurm gets it, truncated and without quotes.
 * Owner   job_state_*() return a struct record: record_free().
 * Errors  -1 or NULL, sentence in *err.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_JOB_H
#define JOBIO_NODE_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "base/err.h"
#include "client/client.h"
#include "record/record.h"

/* Whether Slurm keeps other jobs off the nodes of this one. Unknown before 23.02, and on 26.05 if
 * sbatch was older. */
enum job_alone {
	JOB_ALONE_UNKNOWN,
	JOB_NOT_ALONE,
	JOB_ALONE
};

/* The job, from the SLURM_* variables that slurmd sets. */
struct job {
	uint32_t id, uid, gid;
	char node[RECORD_NAME_MAX];
	char user[RECORD_NAME_MAX];	 /* "" unknown */
	char cluster[RECORD_NAME_MAX];	 /* "" unknown */
	char partition[RECORD_NAME_MAX]; /* "" unknown */
	const char *nodelist;		 /* NULL unknown; borrowed from the environment */
	int restart;			 /* -1 unknown */
	int64_t start;			 /* RECORD_UNKNOWN; slurmctld's clock */
	int core_spec;			 /* --core-spec; -1 none, or 0 */
	bool core_spec_is_threads;	 /* true: core_spec is of --thread-spec */
	bool core_spec_is_set;		 /* false: this Slurm does not set the variable */
	enum job_alone alone;
};

int job_from_env(struct job *job, struct err *err);
/* Get the node's name only, for --recover. */
int job_node_name(char *node, size_t size, struct err *err);

/* Create RUN, SPOOL and the folders in SPOOL. */
int job_make_dirs(const struct config *config, struct err *err);
/* Set [path], of RUNDIR_PATH_MAX bytes, to SPOOL/state, for client_open(). */
void job_state_dir(const struct config *config, char *path);

/* Return the maximum time of client restarts, to change cores and to restore them, in ms. It is
 * added to prolog_budget_ms. */
unsigned int job_restarts_ms(const struct config *config);

/* Wait at most [timeout_ms] for the lock. Return its file descriptor, or -1. */
int job_lock(const struct config *config, unsigned int timeout_ms, struct err *err);

/* Return a new state of [job], which starts now. */
struct record *job_state_new(const struct job *job, const struct config *config);
/* Build the state from the counters of the steps, for a job without a state; [here] has node and
 * cluster. Return NULL with errno: ENOENT, no step has the user's ID, or the cluster is unknown;
 * else see fileio_may_be_there(). */
struct record *job_state_of_steps(const struct config *config, uint32_t job_id,
				  const struct job *here);
/* Write the state to both places, or to RUN only. */
int job_state_write(const struct config *config, const struct record *state, struct err *err);
int job_state_update(const struct config *config, const struct record *state, struct err *err);
/* Return true if the state is ended: its counters are complete, nothing is read any more. */
bool job_state_is_ended(const struct record *state);
/* Read the state from RUN, else from SPOOL. Return NULL with errno: ENOENT, there is none; EBADMSG,
 * it is damaged or of another job; else see fileio_may_be_there(). */
struct record *job_state_read(const struct config *config, uint32_t job_id, const char *node);

/* Create RUN/JOB and RUN/JOB/steps. */
int job_make_folder(const struct config *config, uint32_t job_id, struct err *err);
/* Return true if RUN/JOB/NAME exists, or this cannot be determined. */
bool job_has_file(const struct config *config, uint32_t job_id, const char *name);
bool job_has_folder(const struct config *config, uint32_t job_id);
/* Write Slurm's SLUID of this run to RUN/JOB/sluid: it may be the name of its cgroup. */
void job_write_sluid(const struct config *config, uint32_t job_id);
/* Return true if a slurmstepd of the job (extern, batch or step) runs, or a process of one that was
 * killed, or this cannot be determined. May scan all processes. */
bool job_has_stepd(const struct config *config, uint32_t job_id);
/* Return true if the job is starting, or job_has_stepd(). */
bool job_is_alive(const struct config *config, uint32_t job_id);
/* Remove RUN/JOB/gate at the start of the epilog: the job is not starting any more. */
void job_is_over(const struct config *config, uint32_t job_id);
/* Return true if any other job is alive, also one from before jobio's installation, without a
 * folder. Scans all processes. */
bool job_is_other_alive(const struct config *config, uint32_t job_id);
/* The same for a job that has the node alone: wait up to a second for a slurmstepd of another job
 * to exit. slurmd runs epilog and next prolog when no step reports that it runs, which is before
 * its slurmstepd exits (slurmd/req.c:_pause_for_job_completion(), 24.11). */
bool job_does_other_remain(const struct config *config, uint32_t job_id);
/* Return true if a scan of the processes timed out or failed in this program. */
bool job_scan_failed(void);
/* Return true if no file was added to or removed from its folder for ten minutes. Jobs without
 * changes are examined only then: most of them run. */
bool job_is_old(const struct config *config, uint32_t job_id);
/* Return true if there are counters of a step, or this cannot be determined. */
bool job_has_steps(const struct config *config, uint32_t job_id);

/* Call [fn] for every folder RUN/JOB, ordered by job ID, until one call does not return 0. Return
 * the last result. */
int job_each_folder(const struct config *config, int (*fn)(void *arg, uint32_t job_id), void *arg);

/* Return true if the job has a journal, or changes in [state] (may be NULL): a setting may have
 * been changed for it. */
bool job_has_changes(const struct config *config, uint32_t job_id, const struct record *state);
/* Undo the pending changes of the job's journal. [state] (may be NULL) is the second source if the
 * journal is damaged or missing; it gets findings and the result of each change. Return the number
 * of settings restored, -1 if some could not be. */
int job_undo(const struct config *config, uint32_t job_id, struct record *state, struct err *err);

/* Start the kernel's counters of the job (jobio-count), on the client's filesystems and on mounts=
 * of [count]. Wait at most [wait_ms] for programs that are being loaded; if that takes longer, it
 * continues, and this job is not counted: finding W62. Return -1 with a line for the administrator;
 * it is never a reason to fail. A kernel that does not permit it is not an error: the counters of
 * the steps are used. */
#define JOB_COUNT_START_MS 2000U /* in addition to wait_ms */
int job_count_start(const struct config *config, const struct record *state, unsigned int wait_ms,
		    struct err *err);
/* Load the programs before slurmd starts. */
#define JOB_COUNT_LOAD_MS 120000U
int job_count_load(const struct config *config, struct err *err);
/* Return true if the job is counted. Call it before job_finish(), which removes the mark. */
bool job_is_counted(const struct config *config, uint32_t job_id);
/* Add the counters to the state. Call it before job_add_steps(): the best source is first. */
int job_count_read(const struct config *config, struct record *state, struct err *err);
int job_count_stop(const struct config *config, uint32_t job_id, struct err *err);
/* Call [fn] for every job that is counted, possibly several times for one job. */
int job_count_each(const struct config *config, int (*fn)(void *arg, uint32_t job_id), void *arg,
		   struct err *err);

/* Create RUN/JOB/others in the folders of all other jobs. Return true if there are any. Call it
 * under the lock, after RUN/JOB was created: of two jobs, one finds the other. */
bool job_mark_others(const struct config *config, uint32_t job_id);

/* Write the clients' own counters at the start of the job to RUN/JOB/wire. [alone]: no other job
 * was on the node, or Slurm keeps others off. Errors are logged, once while the client does not
 * change (client_is_cached()), and are never a reason to fail. */
void client_io_start(const struct config *config, const struct record *state,
		     struct client *const clients[], size_t count, bool alone);
/* Add the difference of these counters to the state, nothing if unknown, and a flag if one of the
 * clients' filesystems was mounted since. Call it before job_undo(), which may restart the
 * client. */
void client_io_read(const struct config *config, struct record *state);

/* Write this mount namespace and its mounts to RUN/JOB/mountinfo: slurmstepd may run in another
 * namespace and compares (spank/private_mount.h). Return -1 on failure: private mounts are not
 * detected then. */
int job_write_mounts(const struct config *config, uint32_t job_id, struct err *err);

/* Add the counters of the steps, the array IDs, the gate's messages and the job's CPUs to the
 * state. Flags describe the best source: those of the steps are set if there is no better one. */
void job_add_steps(const struct config *config, struct record *state);

/* Remove partly removed folders and temporary files of killed processes in RUN, with [spool] also
 * in SPOOL. */
void job_sweep(const struct config *config, bool spool);
/* Remove the job's folder without a record. */
int job_discard(const struct config *config, uint32_t job_id, struct err *err);

/* Write the record to the spool and keep the job's folder: a setting is still to be restored.
 * Return 0, -1, or 1 with *err if the record is lost, because the disk, the spool or the user's
 * half of it (spool.h) is full. */
int job_store_record(const struct config *config, const struct record *state, struct err *err);

/* Write the state as a record to the spool; remove its open copy and the job's folder. [start]: of
 * struct job_run. Return 0, -1, or 1 with *err if both were removed but the record is lost, as
 * above. */
int job_finish(const struct config *config, const struct record *state, int64_t start,
	       struct err *err);

/* Do an epilog's work, also for a job that had none: read the counters, restore settings (their
 * number is added to *restored), finish. If [locked] is false, the lock was not available: nothing is
 * restored. Return 0, -1, or 1 with *err if a setting is still to be restored: the record is in the
 * spool, once, and the folder stays. */
int job_release(const struct config *config, struct record *state, bool locked, int64_t start,
		int *restored, struct err *err);

/* One run of a job; RECORD_UNKNOWN if Slurm does not report the value. */
struct job_run {
	uint32_t job_id;
	int64_t restart;
	int64_t start; /* by slurmctld's clock */
};

#define JOB_RUN_ANY(id)                                                                            \
	{                                                                                          \
		(id), RECORD_UNKNOWN, RECORD_UNKNOWN                                               \
	}

void job_add_released(const struct config *config, const struct job_run *run);
bool job_was_released(const struct config *config, const struct job_run *run);
/* Remove all runs of the job from the list. */
void job_remove_released(const struct config *config, uint32_t job_id);

/* Write or remove RUN/reason. Errors are ignored. */
void job_reason_set(const struct config *config, const struct finding *finding);
void job_reason_clear(const struct config *config);

/* Build the reason for Slurm. [code]: of a finding, or "prolog", "epilog"; [cure] may be NULL. */
#define JOB_REASON_MAX 241
void job_reason_make(char reason[JOB_REASON_MAX], const char *code, const char *text,
		     const char *cure);
/* Drain the node with [reason], before slurmctld does with its own: one RPC, at most 2 s; a failure
 * is logged. JOB_DRAIN_NEW: unless it is drained already, at the cost of one more RPC; the prolog
 * does not need that, because Slurm starts none on a drained node. */
#define JOB_DRAIN "drain"
#define JOB_DRAIN_NEW "drain-new"
void job_drain(const char *how, const char *node, const char *reason);

/* Start jobio-send in the background; [conf] may be NULL. If systemd runs and the spool is the
 * default one, jobio-send.path starts it instead, with restrictions. Return 0 also if jobio-send is
 * not installed beside this program: then the timer sends. */
int job_start_sender(const struct config *config, const char *conf, struct err *err);
/* Wait until no record of the job is in the spool, sent or set aside. Return false on timeout. */
bool job_wait_sent(const struct config *config, uint32_t job_id, unsigned int timeout_ms);

/* Set [path] to the helper [name] in this program's directory. Return -1 if unknown or too long. */
int job_helper_path(const char *name, char *path, size_t size);

double job_now(void);
/* Set the end of the run to now. If the clock was set during the run, compute the end from the
 * kernel's CLOCK_BOOTTIME, or leave it unknown after a reboot; RECORD_FLAG(CLOCK_SET). */
void job_state_end(struct record *state);

#endif
