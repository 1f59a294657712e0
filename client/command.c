/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/number.h"
#include "base/rundir.h"
#include "base/sysfs.h"

#define MARKER_BYTES 64
#define END_WAIT_MS 2000
#define ENV_MAX 16

struct order {
	const char *marker;
	pid_t helper;
	char *const *argv;
	char *const *env;
};

static int mark(const char *marker, long pid, unsigned long long ticks)
{
	char text[MARKER_BYTES + 1];
	ssize_t wrote;
	int fd;

	snprintf(text, sizeof(text), "%ld %llu", pid, ticks);
	memset(text + strlen(text), ' ', MARKER_BYTES - strlen(text));
	text[MARKER_BYTES - 1] = '\n';
	fd = open(marker, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	wrote = pwrite(fd, text, MARKER_BYTES, 0);
	close(fd);
	return wrote == MARKER_BYTES ? 0 : -1;
}

/* Write the marker, in the child. Until it is written, a helper that is killed takes the child with
 * it, before slurmd can wait for the helper (kernel/exit.c:exit_notify(), Linux 6.12). */
static void own(const struct order *order)
{
	unsigned long long ticks = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != order->helper)
		_exit(127);
	if (process_start(getpid(), NULL, &ticks) == 0 && mark(order->marker, getpid(), ticks) == 0)
		prctl(PR_SET_PDEATHSIG, 0);
}

static int become(void *arg)
{
	char *env[ENV_MAX + 4] = {
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		"LC_ALL=C",
		"NO_COLOR=1",
	};
	const struct order *order = arg;
	int i;

	for (i = 0; order->env && order->env[i] && i < ENV_MAX; i++)
		env[3 + i] = order->env[i];
	own(order);
	execve(order->argv[0], order->argv, env);
	dprintf(2, "cannot execute %s: %s\n", order->argv[0], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}

int command_run(const char *run_dir, char *const argv[], char *const env[], unsigned int timeout_ms,
		struct child_result *result, struct err *err)
{
	struct order order = { .helper = getpid(), .argv = argv, .env = env };
	char marker[RUNDIR_PATH_MAX];
	int rc, saved;

	if (rundir_node_file(marker, run_dir, RUNDIR_COMMAND, err) < 0)
		return -1;
	order.marker = marker;
	rc = child_call(argv[0], become, &order, timeout_ms, result, err);
	saved = errno;
	mark(marker, 0, 0);
	errno = saved;
	return rc;
}

int command_do(const char *run_dir, char *const argv[], const char *name, unsigned int timeout_ms,
	       struct err *err)
{
	struct child_result result = { 0 };
	int rc = command_run(run_dir, argv, NULL, timeout_ms, &result, err);

	if (rc == 0 && result.status != 0) {
		result.errtext[strcspn(result.errtext, "\n")] = '\0';
		rc = err_set(err, "%s: exit status %d: %.300s", name, result.status,
			     result.errtext);
	}
	child_result_free(&result);
	return rc;
}

/* Return -1 if unknown. */
static int is_alive(long pid, unsigned long long ticks)
{
	unsigned long long now;

	if (process_start(pid, NULL, &now) < 0)
		return errno == ENOENT || errno == ESRCH ? 0 : -1;
	return now == ticks;
}

static int end_group(long pid, unsigned long long ticks, struct err *err)
{
	const struct timespec nap = { .tv_nsec = 5000000 };
	unsigned long long end_ms = child_now_ms() + END_WAIT_MS;

	kill((pid_t)-pid, SIGKILL);
	while (kill((pid_t)-pid, 0) == 0 || is_alive(pid, ticks)) {
		if (child_now_ms() >= end_ms)
			return err_set(err, "a command of a killed helper, pid %ld, does not end",
				       pid);
		nanosleep(&nap, NULL);
	}
	return 0;
}

int command_end_running(const char *run_dir, struct err *err)
{
	char marker[RUNDIR_PATH_MAX], *text, *save = NULL;
	char *pid_text, *ticks_text;
	unsigned long pid, ticks;
	int rc = 0;

	if (rundir_node_file(marker, run_dir, RUNDIR_COMMAND, err) < 0)
		return -1;
	text = fileio_read(marker, 128, NULL, err);
	if (!text)
		return fileio_may_be_there(errno) ? -1 : 0;
	pid_text = strtok_r(text, " \n", &save);
	ticks_text = strtok_r(NULL, " \n", &save);
	if (pid_text && ticks_text && number_parse(pid_text, 2, 1UL << 30, &pid, NULL) == 0 &&
	    number_parse(ticks_text, 0, ~0UL, &ticks, NULL) == 0)
		rc = is_alive((long)pid, ticks);
	if (rc < 0)
		err_set(err, "'%s': does process %lu still run?", marker, pid);
	if (rc > 0)
		rc = end_group((long)pid, ticks, err) < 0 ? -1 : 1;
	if (rc > 0)
		mark(marker, 0, 0);
	free(text);
	return rc;
}
