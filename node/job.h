/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job.h - one job on this node, from its prolog to its record
 *
 * Terms   state: the job's record as far as it is known (record.h), kept twice
 *           from before the first change on: RUN/JOB/start.json, quick to read,
 *           and SPOOL/open/JOB.NODE.json, which survives a reboot.
 *         to mend: to undo what a journal has pending.
 *         to finish: to turn the state into a record in the spool and to
 *           remove the job's folder. Every step can be cut off and done again:
 *           the open copy becomes the record, is noted as released, and gets
 *           the record's name; so a run that is noted has a record or an open
 *           copy that is one, and one that is not has its state.
 *         starting: a job whose prolog has left RUN/JOB/gate within the last
 *           ten minutes, without RUN/JOB/begun and counters of a step: other
 *           scripts of the site run, or slurmd starts slurmstepd. Ten minutes
 *           after its prolog a job that has begun nothing is dead.
 *         lock: RUN/lock, one prolog or epilog at a time, given back by the
 *           kernel when its holder dies.
 *         released: SPOOL/released, the last runs that were finished, so that an
 *           epilog that runs twice, with a reboot in between perhaps, does not
 *           write a second, empty record.
 *         ended: of a state that is a record already, all but its name, or that
 *           was one when something could not be put back.
 *         reason: why this node serves no job, "jobio:W08 SENTENCE; cure:
 *           CURE". RUN/reason has it whole, for whoever looks at the node, under
 *           any on_error. Slurm gets it, cut and without quotes, when the node
 *           is drained (on_error=drain).
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

/* Does Slurm keep other jobs off the nodes of this one? Unknown before 23.02,
 * and on 26.05 where sbatch was older. */
enum job_alone {
	JOB_ALONE_UNKNOWN,
	JOB_NOT_ALONE,
	JOB_ALONE
};

/* What slurmd says about the job (SLURM_* of its environment). */
struct job {
	uint32_t id, uid, gid;
	char node[RECORD_NAME_MAX];
	char user[RECORD_NAME_MAX];	 /* "" unknown */
	char cluster[RECORD_NAME_MAX];	 /* "" unknown */
	char partition[RECORD_NAME_MAX]; /* that it runs in; "" unknown */
	const char *nodelist;		 /* NULL unknown; of the environment */
	int restart;			 /* -1 unknown */
	int64_t start;			 /* RECORD_UNKNOWN; slurmctld's clock */
	int core_spec;			 /* --core-spec; -1 none, or 0 */
	bool core_spec_is_threads;	 /* it was --thread-spec */
	bool core_spec_is_told;		 /* false: this Slurm does not say */
	enum job_alone alone;
};

int job_from_env(struct job *job, struct err *err);
/* The node's name only, for --recover. */
int job_node_name(char *node, size_t size, struct err *err);

/* Make RUN, SPOOL and what belongs in them. */
int job_make_dirs(const struct config *config, struct err *err);
/* SPOOL/state, for client_open(); 'path' has RUNDIR_PATH_MAX bytes. */
void job_state_dir(const struct config *config, char *path);

/* A client that restarts for other cores has a time of its own, beside the
 * prolog's budget: the most that this may take, there and back. */
unsigned int job_restarts_ms(const struct config *config);

/* A file descriptor that holds the lock; -1 after timeout_ms. */
int job_lock(const struct config *config, unsigned int timeout_ms, struct err *err);

/* A state with all that the environment says. */
struct record *job_state_new(const struct job *job, const struct config *config);
/* From what slurmstepds left of a job whose state is in neither place; 'here' names
 * node and cluster. NULL: none says whose it was. */
struct record *job_state_of_steps(const struct config *config, uint32_t job_id,
				  const struct job *here);
/* Write the state to both places, or to RUN only. */
int job_state_write(const struct config *config, const struct record *state, struct err *err);
int job_state_update(const struct config *config, const struct record *state, struct err *err);
/* Was this run finished, but for the name of its record? There is nothing to be
 * counted or read any more. */
bool job_state_is_ended(const struct record *state);
/* From RUN, else from SPOOL; NULL: neither place has a readable one. */
/* NULL and errno: ENOENT, there is none; EBADMSG, it says nothing; else see
 * fileio_may_be_there(). */
struct record *job_state_read(const struct config *config, uint32_t job_id, const char *node);

/* Make RUN/JOB and RUN/JOB/steps. */
int job_make_folder(const struct config *config, uint32_t job_id, struct err *err);
/* Is there RUN/JOB/NAME? */
bool job_has_file(const struct config *config, uint32_t job_id, const char *name);
bool job_has_folder(const struct config *config, uint32_t job_id);
/* Leave Slurm's name of this run for those that look for its cgroup. */
void job_note_sluid(const struct config *config, uint32_t job_id);
/* Does a slurmstepd of the job run, be it extern, batch or step, or a process of
 * one that was killed? Where nobody can tell: yes. May look at all processes. */
bool job_has_stepd(const struct config *config, uint32_t job_id);
/* Does it live: has it one, or is it starting? */
bool job_is_alive(const struct config *config, uint32_t job_id);
/* Its epilog has begun: from now on it is not starting, whatever comes. */
void job_is_over(const struct config *config, uint32_t job_id);
/* Is any other job? One that came before jobio did has no folder. Looks at all
 * processes. */
bool job_is_other_alive(const struct config *config, uint32_t job_id);
/* The same where Slurm calls this job alone: another one's slurmstepd that is about
 * to end gets a second for it. slurmd waits until no step says that it runs, which
 * one says before it has ended (slurmd/req.c:_pause_for_job_completion(), 24.11):
 * the epilog is over then, and the next job's prolog begins. */
bool job_does_other_stay(const struct config *config, uint32_t job_id);
/* Could nobody tell, because some process does not let itself be looked at? */
bool job_look_failed(void);
/* Has nothing come into its folder, or gone, for ten minutes? Of jobs that change
 * nothing only such are looked at: most of them live. */
bool job_is_old(const struct config *config, uint32_t job_id);
/* Has a step of the job left its counters? */
bool job_has_steps(const struct config *config, uint32_t job_id);

/* Call fn for every folder RUN/JOB, by number; stops and returns what is not 0. */
int job_each_folder(const struct config *config, int (*fn)(void *arg, uint32_t job_id), void *arg);

/* Has something been changed for the job, or may it have been? By its journal,
 * or by its state (may be NULL). */
bool job_has_changes(const struct config *config, uint32_t job_id, const struct record *state);
/* Undo what the job's journal has pending; 'state' (may be NULL) is the second
 * source when the journal is damaged or gone, and gets findings and the end of
 * each change. Returns how many were put back, -1 when some could not be. */
int job_mend(const struct config *config, uint32_t job_id, struct record *state, struct err *err);

/* The kernel's counters of a job (jobio-count), on the client's filesystems and
 * those of [count] mounts. -1: something an administrator should read; it is
 * never the job's fault, nor a reason to fail. A kernel that refuses is none:
 * the counters of the steps are there then. */
#define JOB_COUNT_START_MS 2000U /* besides wait_ms */
/* wait_ms: for programs that are being loaded. What it takes longer than that keeps this job
 * from being counted, which its record says (finding W62), and goes on. */
int job_count_start(const struct config *config, const struct record *state, unsigned int wait_ms,
		    struct err *err);
/* Load the programs before there are jobs. */
#define JOB_COUNT_LOAD_MS 120000U
int job_count_load(const struct config *config, struct err *err);
/* Did it start? Asked before job_finish(), which forgets it. */
bool job_is_counted(const struct config *config, uint32_t job_id);
/* Into the state, the best source first. Before job_add_steps(). */
int job_count_read(const struct config *config, struct record *state, struct err *err);
int job_count_stop(const struct config *config, uint32_t job_id, struct err *err);
/* Call fn for every job that is counted, perhaps several times. */
int job_count_each(const struct config *config, int (*fn)(void *arg, uint32_t job_id), void *arg,
		   struct err *err);

/* Tell all other jobs that are here that they are not alone: RUN/JOB/others. True:
 * there are some. Under the lock, with the job's own folder made: of two jobs, one
 * finds the other. */
bool job_note_others(const struct config *config, uint32_t job_id);

/* The clients' own counters at the start, of those that have any: RUN/JOB/wire.
 * 'alone': no other job was here, or Slurm lets none come. What cannot be read is
 * said once (node/log.h); never a reason to fail. */
void job_wire_start(const struct config *config, const struct record *state,
		    struct client *const clients[], size_t count, bool alone);
/* What they moved since then, into the state; nothing where nobody knows; and whether
 * one of their filesystems was mounted since. Before job_mend(), which may restart
 * the client. */
void job_wire_read(const struct config *config, struct record *state);

/* Leave for the job's slurmstepds, which may be in another mount namespace, what
 * this one is, and its mounts (spank/private_mount.h). -1: only they miss
 * something. */
int job_note_mounts(const struct config *config, uint32_t job_id, struct err *err);

/* Counters of the steps, array ids and restart count into the state. Flags are
 * about the best source: the steps set theirs when there is no better one. */
void job_add_steps(const struct config *config, struct record *state);

/* Remove what killed processes left: half-removed folders and temporary files
 * in RUN, with 'spool' also in SPOOL. */
void job_sweep(const struct config *config, bool spool);
/* Remove the job's folder without a record. */
int job_discard(const struct config *config, uint32_t job_id, struct err *err);

/* The record goes into the spool, and the rest stays: something is left to be
 * mended. 1 and *err: it is lost, because the disk is full or the spool is, or the
 * user's half of it (spool.h). */
int job_keep_record(const struct config *config, const struct record *state, struct err *err);

/* The state becomes a record in the spool; its open copy and the job's folder
 * go. 1 and *err: so they did, but the record is lost, as above. 'start': of struct
 * job_run. */
int job_finish(const struct config *config, const struct record *state, int64_t start,
	       struct err *err);

/* The work of an epilog, also for a job without one: read the counters, put back
 * changes (*mended grows by that many), finish. 'locked' is false where the lock was not
 * to be had: nothing is put back then. 1 and *err: something is left to be put back:
 * the record is in the spool, once, and the folder stays. */
int job_release(const struct config *config, struct record *state, bool locked, int64_t start,
		int *mended, struct err *err);

/* One run of a job; RECORD_UNKNOWN where Slurm does not tell. */
struct job_run {
	uint32_t job_id;
	int64_t restart;
	int64_t start; /* by slurmctld's clock */
};

#define JOB_RUN_ANY(id)                                                                            \
	{                                                                                          \
		(id), RECORD_UNKNOWN, RECORD_UNKNOWN                                               \
	}

void job_remember_released(const struct config *config, const struct job_run *run);
bool job_was_released(const struct config *config, const struct job_run *run);
/* All of its runs. */
void job_forget_released(const struct config *config, uint32_t job_id);

void job_add_findings(struct record *state, const struct findings *findings);

/* RUN/reason. One that cannot be written never stops anything. */
void job_reason_set(const struct config *config, const struct finding *finding);
void job_reason_clear(const struct config *config);

/* For Slurm: 'code' of a finding, or "prolog", "epilog"; 'cure' may be "". */
#define JOB_REASON_MAX 241
void job_reason_make(char reason[JOB_REASON_MAX], const char *code, const char *text,
		     const char *cure);
/* Drain the node with this reason, before slurmctld does it with one of its own:
 * one RPC, 2 s at most, and a line in the log if it fails. JOB_DRAIN_NEW: not a node
 * that is drained already, which takes one RPC more to know. Slurm starts a prolog on
 * no such node. */
#define JOB_DRAIN "drain"
#define JOB_DRAIN_NEW "drain-new"
void job_drain(const char *how, const char *node, const char *reason);

/* Start jobio-send and leave it alone; 'conf' may be NULL. Where systemd runs and the
 * spool is the default one, jobio-send.path starts it, restricted. 0 also when there is
 * no jobio-send: then the timer sends. */
int job_start_sender(const struct config *config, const char *conf, struct err *err);
/* Wait until no record of the job is in the spool, however it got out: 1; 0: one
 * is, and time is up. */
bool job_await_sender(const struct config *config, uint32_t job_id, unsigned int timeout_ms);

/* The path of a helper beside this program. */
int job_helper_path(const char *name, char *path, size_t size);

double job_now(void);
/* The run ends now. Where the clock was set meanwhile the end is as long after
 * the start as the kernel says, or, when nobody knows, unknown; flagged. */
void job_state_end(struct record *state);

#endif
