/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loads the programs and takes out those that no job uses. Both take seconds, so a process of
 * its own does it, which goes on when the caller has no time left. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/lock.h"
#include "base/rundir.h"
#include "count/counters_parts.h"
#include "count/folder.h"
#include "count/programs.h"

#define REFUSAL_MAX 4096
#define LOADING "loading-new" /* bpffs holds no files: its lock is one process's that loads */
#define STEP_NS 5000000L

/* ---- refusals ------------------------------------------------------------ */

/* What was refused since the last boot is not tried at every job. */
static bool was_refused(const struct counters_options *options, const char *folder,
			struct counters_state *state)
{
	char path[RUNDIR_PATH_MAX], *text, *newline;
	bool same = false;

	if (options->again || rundir_node_file(path, options->run_dir, RUNDIR_COUNT, NULL) < 0)
		return false;
	text = fileio_read(path, REFUSAL_MAX, NULL, NULL);
	newline = text ? strchr(text, '\n') : NULL;
	if (newline) {
		*newline = '\0';
		same = !strcmp(text, folder);
		newline[1 + strcspn(newline + 1, "\n")] = '\0';
		if (same)
			snprintf(state->reason, sizeof(state->reason), "%s", newline + 1);
	}
	free(text);
	return same;
}

/* Without a run_dir it is tried again: slower, not wrong. */
static void remember_refusal(const struct counters_options *options, const char *folder,
			     const char *reason)
{
	char path[RUNDIR_PATH_MAX], text[REFUSAL_MAX];
	int n = snprintf(text, sizeof(text), "%s\n%s\n", folder, reason);

	if (rundir_node_file(path, options->run_dir, RUNDIR_COUNT, NULL) == 0)
		fileio_write_volatile(path, text, (size_t)n, 0600, NULL);
}

bool counters_is_to_load(const struct counters_options *options, struct counters_state *state)
{
	char folder[512];

	counters_folder(options, folder, sizeof(folder));
	if (access(folder, F_OK) == 0 || was_refused(options, folder, state))
		return false;
	/* what the kernel refuses then, it takes later */
	if (counters_is_ftrace_off())
		snprintf(state->reason, sizeof(state->reason), "%s", counters_ftrace_off);
	return !counters_is_ftrace_off();
}

/* ---- in this process ----------------------------------------------------- */

int counters_lock_loading(const struct counters_options *options, struct err *err)
{
	char home[256], path[300];
	int fd, lock = counters_lock_home(options, err); /* makes it */

	if (lock < 0)
		return -1;
	close(lock);
	counters_home_path(options, home, sizeof(home));
	snprintf(path, sizeof(path), "%s/" LOADING, home);
	if (fileio_mkdir(path, 0700, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && lock_wait(fd, options->lock_ms) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return err_set(err, "counters: '%s': another jobio-count has been loading for %u ms", path,
		       options->lock_ms);
}

static void load(const struct counters_options *options, struct counters_state *state)
{
	struct count_info info;
	struct err why = { "" };
	char folder[512];

	counters_folder(options, folder, sizeof(folder));
	if (programs_load(folder, counters_wanted_groups(options), counters_cgroup(options), &info,
			  &why) < 0)
		remember_refusal(options, folder, why.text);
	memcpy(state->reason, why.text, sizeof(why.text));
}

static void retire_idle(const struct counters_options *options)
{
	char ours[128];
	int lock = counters_lock_home(options, NULL);

	counters_folder_name(options, ours, sizeof(ours));
	if (lock >= 0)
		others_visit(options, &(struct others){ .but = ours, .retire = true });
	if (lock >= 0)
		close(lock);
}

int counters_load(const struct counters_options *options, struct counters_state *state,
		  struct err *err)
{
	struct err why = { "" };
	struct pins pins;
	int lock;

	counters_state_init(options, state);
	if (!counters_has_bpffs(options, &why)) {
		memcpy(state->reason, why.text, sizeof(why.text));
		return 0;
	}
	lock = counters_lock_loading(options, err);
	if (lock < 0)
		return -1;
	if (counters_is_to_load(options, state))
		load(options, state);
	if (pins_get(options, &pins, state))
		pins_close(&pins);
	retire_idle(options);
	others_sweep(options);
	close(lock);
	return 0;
}

/* ---- in another process -------------------------------------------------- */

/* As fork(), with neither the caller's files nor its session. */
static pid_t fork_away(void)
{
	pid_t pid = fork();
	int null, fd;

	if (pid)
		return pid;
	setsid();
	null = open("/dev/null", O_RDWR);
	for (fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	return 0;
}

static int ends_within(pid_t pid, unsigned long long end_ms, int *status)
{
	const struct timespec step = { 0, STEP_NS };
	pid_t rc;

	while ((rc = waitpid(pid, status, WNOHANG)) == 0) {
		if (child_now_ms() >= end_ms)
			return 0;
		nanosleep(&step, NULL);
	}
	return rc == pid;
}

int counters_load_away(const struct counters_options *options)
{
	struct counters_options patient = *options;
	unsigned long long end_ms = child_now_ms() + options->wait_ms;
	struct counters_state state;
	int status;
	pid_t pid = fork_away();

	if (pid == 0) {
		if (patient.lock_ms < patient.wait_ms)
			patient.lock_ms = patient.wait_ms;
		counters_load(&patient, &state, NULL);
		_exit(0);
	}
	return pid < 0 ? -1 : ends_within(pid, end_ms, &status);
}

void counters_sweep_away(const struct counters_options *options)
{
	char home[256];

	counters_home_path(options, home, sizeof(home));
	if (!folder_each_old(home, NULL) || fork_away())
		return;
	if (counters_lock_loading(options, NULL) >= 0)
		others_sweep(options);
	_exit(0);
}
