/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/counters_load.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/rundir.h"
#include "count/pins.h"
#include "count/programs.h"

#define REFUSAL_MAX 4096
#define LOADING "/loading-new" /* a folder, as bpffs has no files: lock of loading and unloading */
#define STEP_NS 5000000L

/* ---- refusals ------------------------------------------------------------ */

/* A refusal is not tried again until the next boot, or the next load. */
static bool is_refused(const struct counters_options *options, const char *folder,
		       struct counters_state *state)
{
	char path[RUNDIR_PATH_MAX], *text, *reason;
	bool same = false;

	if (options->again || rundir_node_file(path, options->run_dir, RUNDIR_COUNT, NULL) < 0)
		return false;
	text = reason = fileio_read(path, REFUSAL_MAX, NULL, NULL);
	if (text && !strcmp(strsep(&reason, "\n"), folder) && reason) {
		err_set(&state->reason, "%s", strsep(&reason, "\n"));
		same = true;
	}
	free(text);
	return same;
}

/* Without a run_dir each job tries again. */
static void store_refusal(const struct counters_options *options, const char *folder,
			  const char *reason)
{
	char path[RUNDIR_PATH_MAX], text[REFUSAL_MAX];
	int n = snprintf(text, sizeof(text), "%s\n%s\n", folder, reason);

	if (rundir_node_file(path, options->run_dir, RUNDIR_COUNT, NULL) == 0)
		fileio_write_volatile(path, text, (size_t)n, 0600, NULL);
}

bool counters_is_to_load(const struct counters_options *options, struct counters_state *state)
{
	char folder[PINS_PATH_MAX];

	pins_folder(options, folder);
	if (access(folder, F_OK) == 0 || is_refused(options, folder, state))
		return false;
	/* not stored: the kernel loads them as soon as ftrace is on */
	if (!counters_is_ftrace_off())
		return true;
	err_set(&state->reason, "%s", counters_ftrace_off);
	return false;
}

/* ---- in this process ----------------------------------------------------- */

static void load(const struct counters_options *options, struct counters_state *state)
{
	char folder[PINS_PATH_MAX];

	pins_folder(options, folder);
	if (programs_load(folder, counters_groups(options), counters_cgroup(options),
			  &state->reason) < 0)
		store_refusal(options, folder, state->reason.text);
}

int counters_load(const struct counters_options *options, struct counters_state *state,
		  struct err *err)
{
	int loading, lock, rc = pins_begin(options, state, &lock, err);
	struct pins pins;

	if (rc <= 0)
		return rc;
	close(lock);
	loading = pins_lock(options, LOADING, err);
	if (loading < 0)
		return -1;
	if (counters_is_to_load(options, state))
		load(options, state);
	lock = pins_lock(options, "", NULL);
	if (pins_get(options, &pins, state))
		pins_close(&pins);
	if (lock >= 0) {
		pins_forget(options, 0, false, NULL);
		close(lock);
	}
	pins_remove(options, "*-old", NULL);
	close(loading);
	return 0;
}

int counters_unload(const struct counters_options *options, struct err *err)
{
	int loading, lock, rc = -1;

	if (!pins_have_bpffs(options, NULL))
		return 0;
	loading = pins_lock(options, LOADING, err);
	lock = loading < 0 ? -1 : pins_lock(options, "", err);
	if (lock >= 0) {
		rc = pins_remove(options, "*", err);
		close(lock);
	}
	if (loading >= 0)
		close(loading);
	return rc;
}

/* ---- in another process -------------------------------------------------- */

/* As fork(), with neither the caller's files nor its session. */
static pid_t fork_detached(void)
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

int counters_load_async(const struct counters_options *options)
{
	const struct timespec step = { 0, STEP_NS };
	struct counters_options patient = *options;
	unsigned long long end_ms = child_now_ms() + options->wait_ms;
	struct counters_state state;
	pid_t pid = fork_detached(), rc;

	if (pid == 0) {
		if (patient.lock_ms < patient.wait_ms)
			patient.lock_ms = patient.wait_ms;
		counters_load(&patient, &state, NULL);
		_exit(0);
	}
	if (pid < 0)
		return -1;
	while ((rc = waitpid(pid, NULL, WNOHANG)) == 0 && child_now_ms() < end_ms)
		nanosleep(&step, NULL);
	return rc != 0;
}

void counters_unload_async(const struct counters_options *options)
{
	if (fork_detached())
		return;
	if (pins_lock(options, LOADING, NULL) >= 0)
		pins_remove(options, "*-old", NULL);
	_exit(0);
}
