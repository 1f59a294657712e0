/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/host.h"
#include "base/lock.h"
#include "base/number.h"
#include "base/rundir.h"
#include "node/spool.h"

#define CLOCK_SLOP_S 60 /* more than ntpd may slew */

/* ---- environment from slurmd ------------------------------------------- */

static int env_number(const char *name, uint32_t *value, struct err *err)
{
	const char *text = getenv(name);
	unsigned long number;

	if (!text)
		return err_set(err, "%s is not set: not run by slurmd?", name);
	if (number_parse(text, 0, UINT32_MAX, &number, err) < 0) {
		err_prefix(err, "%s", name);
		return -1;
	}
	*value = (uint32_t)number;
	return 0;
}

static int64_t env_optional(const char *name, unsigned long max)
{
	const char *text = getenv(name);
	unsigned long number;

	if (!text || number_parse(text, 0, max, &number, NULL) < 0)
		return -1;
	return (int64_t)number;
}

static void env_text(const char *name, char *text, size_t size)
{
	const char *value = getenv(name);

	snprintf(text, size, "%s", value ? value : "");
}

/* Whether other jobs may share the node, by slurmctld's variables (slurm_protocol_defs.c):
 * SLURM_JOB_OVERSUBSCRIBE since 23.02, NO for jobs that do not share; SLURM_JOB_EXCLUSIVE since
 * 26.05, where the former is NO for plain jobs too. Users cannot set them: their variables get the
 * prefix SPANK_. If sbatch was older than 26.05, which slurmctld accepts, both are NO even for
 * --exclusive and --core-spec: slurmctld has to be queried. */
static enum job_alone env_alone(const struct job *job)
{
	const char *exclusive = getenv("SLURM_JOB_EXCLUSIVE");
	const char *oversubscribe = getenv("SLURM_JOB_OVERSUBSCRIBE");
	bool excludes = oversubscribe && !strcmp(oversubscribe, "NO");
	bool yes;

	if (!exclusive && !oversubscribe)
		return JOB_ALONE_UNKNOWN;
	if (!exclusive)
		return excludes ? JOB_ALONE : JOB_NOT_ALONE;
	if (!strcmp(exclusive, "NO") && excludes)
		return JOB_ALONE_UNKNOWN;
	/* TOPO hides NODE, which core-spec brings */
	yes = !strcmp(exclusive, "NODE") || (!strcmp(exclusive, "TOPO") && job->core_spec > 0);
	return yes ? JOB_ALONE : JOB_NOT_ALONE;
}

int job_node_name(char *node, size_t size, struct err *err)
{
	if (host_node_name(node, size) < 0)
		return err_set(err, "the node has no name: %s", strerror(errno));
	if (strchr(node, '/') || *node == '.')
		return err_set(err, "node name '%s': not a name", node);
	return 0;
}

int job_from_env(struct job *job, struct err *err)
{
	struct job new = { 0 };
	const char *type;

	if (env_number("SLURM_JOB_ID", &new.id, err) < 0 ||
	    env_number("SLURM_JOB_UID", &new.uid, err) < 0)
		return -1;
	if (!new.id)
		return err_set(err, "SLURM_JOB_ID '0': not a job");
	if (env_number("SLURM_JOB_GID", &new.gid, NULL) < 0)
		new.gid = UINT32_MAX;
	if (job_node_name(new.node, sizeof(new.node), err) < 0)
		return -1;
	env_text("SLURM_JOB_USER", new.user, sizeof(new.user));
	env_text("SLURM_CLUSTER_NAME", new.cluster, sizeof(new.cluster));
	env_text("SLURM_JOB_PARTITION", new.partition, sizeof(new.partition));
	new.nodelist = getenv("SLURM_NODELIST");
	new.restart = (int)env_optional("SLURM_JOB_RESTART_COUNT", 65533);
	new.core_spec = (int)env_optional("SLURM_JOB_CORE_SPEC_COUNT", 65533);
	new.start = env_optional("SLURM_JOB_START_TIME", INT64_MAX);
	type = getenv("SLURM_JOB_CORE_SPEC_TYPE");
	new.core_spec_is_threads = type && !strcmp(type, "threads");
	/* the count is set for prologs since 23.02, as is the start time */
	new.core_spec_is_set = new.core_spec >= 0 || new.start != RECORD_UNKNOWN;
	/* 0 is also set for a job without --core-spec (prep_script_slurmd.c:_build_env) */
	if (new.core_spec == 0)
		new.core_spec = -1;
	new.alone = env_alone(&new);
	*job = new;
	return 0;
}

/* ---- places ------------------------------------------------------------ */

void job_state_dir(const struct config *config, char *path)
{
	rundir_state_folder(path, config->spool_dir, NULL);
}

int job_make_dirs(const struct config *config, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int rc;

	FAULT_POINT("dirs before");
	if (fileio_mkdir(config->run_dir, 0700, err) < 0 ||
	    fileio_mkdir(config->spool_dir, 0700, err) < 0)
		return -1;
	FAULT_POINT("dirs half");
	if (rundir_open_folder(path, config->spool_dir, err) < 0 ||
	    fileio_mkdir(path, 0700, err) < 0 ||
	    rundir_state_folder(path, config->spool_dir, err) < 0)
		return -1;
	rc = fileio_mkdir(path, 0700, err);
	FAULT_POINT("dirs after");
	return rc;
}

int job_make_folder(const struct config *config, uint32_t job_id, struct err *err)
{
	FAULT_POINT("folder before");
	if (rundir_make_job(config->run_dir, job_id, err) < 0)
		return -1;
	FAULT_POINT("folder half");
	if (rundir_make_steps(config->run_dir, job_id, err) < 0)
		return -1;
	FAULT_POINT("folder after");
	return 0;
}

bool job_has_file(const struct config *config, uint32_t job_id, const char *name)
{
	char path[RUNDIR_PATH_MAX];
	struct stat st;

	if (rundir_job_file(path, config->run_dir, job_id, name, NULL) < 0)
		return false;
	if (lstat(path, &st) < 0)
		return fileio_may_be_there(errno);
	return name || S_ISDIR(st.st_mode);
}

bool job_has_folder(const struct config *config, uint32_t job_id)
{
	return job_has_file(config, job_id, NULL);
}

bool job_has_steps(const struct config *config, uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (rundir_job_file(path, config->run_dir, job_id, RUNDIR_STEPS, NULL) < 0)
		return false;
	dir = opendir(path);
	if (!dir)
		return fileio_may_be_there(errno);
	while (!found && (errno = 0, entry = readdir(dir)))
		found = *entry->d_name != '.';
	found |= errno != 0;
	closedir(dir);
	return found;
}

int job_each_folder(const struct config *config, int (*fn)(void *arg, uint32_t job_id), void *arg)
{
	int i, rc = 0, count;
	struct dirent **all;
	unsigned long id;

	count = scandir(config->run_dir, &all, NULL, versionsort);
	for (i = 0; i < count; i++) {
		if (rc == 0 && number_parse(all[i]->d_name, 1, UINT32_MAX - 1, &id, NULL) == 0)
			rc = fn(arg, (uint32_t)id);
		free(all[i]);
	}
	if (count >= 0)
		free(all);
	return rc;
}

int job_helper_path(const char *name, char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	/* a result that fills the buffer may be truncated */
	if (length <= 0 || (size_t)length == size - 1)
		return -1;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || (size_t)(slash + 1 - path) + strlen(name) >= size)
		return -1;
	strcpy(slash + 1, name);
	return 0;
}

int job_start_sender(const struct config *config, const char *conf, struct err *err)
{
	char path[PATH_MAX], option[PATH_MAX + 8];
	char *argv[] = { path, NULL, NULL };

	/* sd_booted(3) */
	if (!strcmp(config->spool_dir, RUNDIR_SPOOL) && access("/run/systemd/system", F_OK) == 0)
		return 0;
	if (job_helper_path("jobio-send", path, sizeof(path)) < 0 || access(path, X_OK) < 0)
		return 0;
	if (conf) {
		snprintf(option, sizeof(option), "--conf=%s", conf);
		argv[1] = option;
	}
	return child_detach(argv, err);
}

#define POLL_NS 5000000L /* a record takes about 20 ms */

bool job_wait_sent(const struct config *config, uint32_t job_id, unsigned int timeout_ms)
{
	unsigned long long end_ms = child_now_ms() + timeout_ms;

	while (rundir_count_records(config->spool_dir, job_id, 1)) {
		if (child_now_ms() >= end_ms)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
	}
	return true;
}

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

double job_now(void)
{
	return seconds_of(CLOCK_REALTIME) + FAULT_CLOCK();
}

static double seconds_up(void)
{
	return seconds_of(CLOCK_BOOTTIME);
}

/* ---- lock -------------------------------------------------------------- */

unsigned int job_restarts_ms(const struct config *config)
{
	unsigned int ms = 0;
	size_t i;

	for (i = 0; i < config->client_count; i++)
		if (config->clients[i].core_change != CORE_CHANGE_NEVER &&
		    config->clients[i].core_change != CORE_CHANGE_AFFINITY)
			ms += 2 * config->clients[i].ready_timeout_ms;
	return ms;
}

int job_lock(const struct config *config, unsigned int timeout_ms, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int fd;

	if (rundir_node_file(path, config->run_dir, RUNDIR_LOCK, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, "lock '%s': %s", path, strerror(errno));
	if (lock_wait(fd, timeout_ms) < 0) {
		close(fd);
		return err_set(err, "lock '%s': another prolog or epilog has held it for %u ms",
			       path, timeout_ms);
	}
	return fd;
}

/* ---- state ------------------------------------------------------------- */

struct record *job_state_new(const struct job *job, const struct config *config)
{
	struct record *state = record_new();

	snprintf(state->cluster, sizeof(state->cluster), "%s",
		 *config->ledger.cluster ? config->ledger.cluster : job->cluster);
	snprintf(state->node, sizeof(state->node), "%s", job->node);
	snprintf(state->user, sizeof(state->user), "%s", job->user);
	host_boot_id(state->boot_id, sizeof(state->boot_id));
	state->job = job->id;
	state->uid = job->uid;
	state->gid = job->gid;
	state->restart = job->restart < 0 ? RECORD_UNKNOWN : job->restart;
	state->start = job_now();
	state->up = seconds_up();
	record_set(&state->nodelist, job->nodelist);
	return state;
}

void job_state_end(struct record *state)
{
	double now = job_now(), took = -1;
	char boot_id[64];

	host_boot_id(boot_id, sizeof(boot_id));
	if (*boot_id && !strcmp(boot_id, state->boot_id) && state->up >= 0)
		took = seconds_up() - state->up;
	state->end = now;
	if (took >= 0 ? now - state->start - took > CLOCK_SLOP_S ||
				state->start + took - now > CLOCK_SLOP_S
		      : now < state->start) {
		state->flags |= RECORD_FLAG(CLOCK_SET);
		state->end = took >= 0 ? state->start + took : -1;
	}
}

bool job_state_is_ended(const struct record *state)
{
	return state->end >= 0 || state->flags & RECORD_FLAG(CLOCK_SET);
}

static int write_state(const char *path, const char *text,
		       int (*write)(const char *path, const void *data, size_t size_bytes,
				    mode_t mode, struct err *err),
		       struct err *err)
{
	int rc;

	FAULT_POINT("state before");
	rc = write(path, text, strlen(text), 0600, err);
	FAULT_POINT("state after");
	return rc;
}

/* Write the state to RUN. */
static int update_state(const struct config *config, uint32_t job_id, const char *text,
			struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, config->run_dir, job_id, RUNDIR_START, err) < 0)
		return -1;
	return write_state(path, text, fileio_write_volatile, err);
}

int job_state_update(const struct config *config, const struct record *state, struct err *err)
{
	char *text = record_text(state, err);
	int rc = text ? update_state(config, state->job, text, err) : -1;

	free(text);
	return rc;
}

int job_state_write(const struct config *config, const struct record *state, struct err *err)
{
	char path[RUNDIR_PATH_MAX], *text;
	int rc = -1;

	if (rundir_open_file(path, config->spool_dir, state->job, state->node, err) < 0)
		return -1;
	text = record_text(state, err);
	if (text && write_state(path, text, fileio_write, err) == 0)
		rc = update_state(config, state->job, text, err);
	free(text);
	return rc;
}

static struct record *read_state(const char *path)
{
	struct record *state = NULL;
	size_t size_bytes;
	char *text;

	text = fileio_read(path, RECORD_TEXT_MAX, &size_bytes, NULL);
	if (!text)
		return NULL;
	state = record_parse(text, size_bytes, NULL);
	free(text);
	errno = EBADMSG;
	return state;
}

struct record *job_state_read(const struct config *config, uint32_t job_id, const char *node)
{
	struct record *state = NULL;
	char path[RUNDIR_PATH_MAX];

	errno = ENOENT;
	if (rundir_job_file(path, config->run_dir, job_id, RUNDIR_START, NULL) == 0)
		state = read_state(path);
	if (!state && !fileio_may_be_there(errno) &&
	    rundir_open_file(path, config->spool_dir, job_id, node, NULL) == 0)
		state = read_state(path);
	if (state && state->job != job_id) {
		record_free(state);
		state = NULL;
		errno = EBADMSG;
	}
	return state;
}

/* ---- finishing --------------------------------------------------------- */

static void sweep_folder(const char *folder)
{
	char path[RUNDIR_PATH_MAX + 258];
	struct dirent *entry;
	DIR *dir;

	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (!rundir_is_temporary(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		FAULT_POINT("sweep before");
		if (unlink(path) < 0)
			fileio_rmtree(path, NULL);
		FAULT_POINT("sweep after");
	}
	if (dir)
		closedir(dir);
}

void job_sweep(const struct config *config, bool spool)
{
	char path[RUNDIR_PATH_MAX];

	sweep_folder(config->run_dir);
	if (!spool)
		return;
	sweep_folder(config->spool_dir);
	job_state_dir(config, path);
	sweep_folder(path);
	if (rundir_open_folder(path, config->spool_dir, NULL) == 0)
		sweep_folder(path);
}

int job_discard(const struct config *config, uint32_t job_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX], moved[RUNDIR_PATH_MAX];

	/* rename first, so that a partly removed folder is never taken for a job */
	if (rundir_job_file(path, config->run_dir, job_id, NULL, err) < 0 ||
	    rundir_gone_folder(moved, config->run_dir, job_id, err) < 0 ||
	    fileio_rmtree(moved, err) < 0)
		return -1;
	FAULT_POINT("folder away before");
	if (rename(path, moved) < 0 && errno != ENOENT)
		return err_set(err, "cannot rename '%s': %s", path, strerror(errno));
	FAULT_POINT("folder away after");
	return fileio_rmtree(moved, err);
}

/* Set [path] to the record's name in the spool. If Slurm does not count restarts, two runs of a job
 * must not get the same name while the first is in the spool. Return -1 if an existing record
 * cannot be read now. */
static int record_path(const struct config *config, const struct record *state, char *path,
		       struct err *err)
{
	struct record *other;
	bool taken;

	if (rundir_record_file(path, config->spool_dir, state->job,
			       state->restart < 0 ? -1 : (int)state->restart, state->node, err) < 0)
		return -1;
	if (state->restart >= 0)
		return 0;
	other = read_state(path);
	if (!other && fileio_may_be_there(errno))
		return err_set(err, "record '%s': %s", path, strerror(errno));
	taken = other && other->start != state->start;
	record_free(other);
	return taken ? rundir_record_again(path, config->spool_dir, state->job, state->node,
					   state->start, err)
		     : 0;
}

/* Return 0, 1 if the disk is full, or -1. After the last write of a run (is_last) SPOOL/released is
 * written to the same filesystem. */
static int write_text(const char *path, const char *text, bool is_last, struct err *err)
{
	if ((is_last ? fileio_write_before : fileio_write)(path, text, strlen(text), 0600, err) ==
	    0)
		return 0;
	return errno == ENOSPC || errno == EDQUOT ? 1 : -1;
}

/* As write_text(). If the disk is full, remove the open copy, which is about as large, and try
 * again: the state in RUN is sufficient. */
static int write_tightly(const char *path, const char *open_path, const char *text, bool is_last,
			 struct err *err)
{
	int rc;

	FAULT_POINT("record before");
	rc = write_text(path, text, is_last, err);
	if (rc > 0 && unlink(open_path) == 0)
		rc = write_text(path, text, is_last, err);
	FAULT_POINT("record after");
	return rc;
}

static int rename_record(const char *open_path, const char *path, struct err *err)
{
	FAULT_POINT("record name before");
	if (rename(open_path, path) < 0)
		return err_set(err, "record: cannot rename '%s': %s", open_path, strerror(errno));
	FAULT_POINT("record name after");
	return 0;
}

/* Return 1 if the spool has a record of this run with more counters, 0 if not, -1 if it cannot be
 * read: of two epilogs at the same time, one may have run after the folder was removed. */
static int has_better(const char *path, const struct record *state, struct err *err)
{
	struct record *other = read_state(path);
	int is_better = other && record_weight(other) > record_weight(state);

	if (!other && fileio_may_be_there(errno))
		return err_set(err, "record '%s': %s", path, strerror(errno));
	record_free(other);
	return is_better;
}

/* Return 0, 1 if the record is lost, or -1. The last record of a run (is_last) replaces the open
 * copy first. */
static int write_record(const struct config *config, const struct record *state, bool is_last,
			int64_t start, struct err *err)
{
	const struct job_run run = { state->job, state->restart, start };
	char path[RUNDIR_PATH_MAX], open_path[RUNDIR_PATH_MAX], *text;
	int rc = -1;

	text = record_text(state, err);
	if (!text)
		return -1;
	if (record_path(config, state, path, err) < 0 ||
	    rundir_open_file(open_path, config->spool_dir, state->job, state->node, err) < 0)
		goto out;
	rc = has_better(path, state, err);
	if (rc > 0 && is_last)
		job_add_released(config, &run);
	if (rc) {
		rc = rc < 0 ? -1 : 0;
		goto out;
	}
	rc = spool_check_room(config, state, path, err);
	if (rc)
		goto out;
	rc = write_tightly(is_last ? open_path : path, open_path, text, is_last, err);
	if (rc == 0 && is_last) {
		/* the folder may have no state, if the prolog was killed */
		if (job_has_folder(config, state->job))
			update_state(config, state->job, text, NULL);
		job_add_released(config, &run);
		rc = rename_record(open_path, path, err);
	}
	if (rc > 0)
		spool_set_lost(path, "the disk is full", err);
out:
	free(text);
	return rc;
}

int job_store_record(const struct config *config, const struct record *state, struct err *err)
{
	return write_record(config, state, false, RECORD_UNKNOWN, err);
}

int job_finish(const struct config *config, const struct record *state, int64_t start,
	       struct err *err)
{
	const struct job_run run = { state->job, state->restart, start };
	char path[RUNDIR_PATH_MAX];
	struct err refused;
	int rc = write_record(config, state, true, start, err);

	if (rc < 0)
		return -1;
	refused = *err;
	if (rc > 0)
		job_add_released(config, &run);
	if (rundir_open_file(path, config->spool_dir, state->job, state->node, err) < 0)
		return -1;
	if (unlink(path) < 0 && errno != ENOENT)
		return err_set(err, "cannot remove '%s': %s", path, strerror(errno));
	FAULT_POINT("open record gone");
	if (job_discard(config, state->job, err) < 0)
		return -1;
	if (rc > 0)
		*err = refused;
	return rc;
}
