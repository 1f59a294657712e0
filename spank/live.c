/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/live.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/live_view.h"
#include "base/number.h"

#define PATH_SIZE 600
#define RELAY_BYTES 4096
#define FILES_MAX 65536L /* slurmstepd has fewer: some 10 ms, once a live view */
#define SOCKET_FD 3	 /* the task's end of the socket */
#define END_MS 50U	 /* its socket is closed: it is about to exit */

bool live_is_requested(const char *value, uint32_t job_id)
{
	unsigned long number;

	return number_parse(value, 1, UINT32_MAX, &number, NULL) == 0 && number == job_id;
}

static pid_t start(const char *program, const struct live_step *step, int fd, struct err *err)
{
	char conf[PATH_SIZE], node[PATH_SIZE], job[16], uid[16], nodes[16];
	char *argv[] = { (char *)program, conf, job, uid, nodes, NULL };
	char *env[] = { node, NULL };
	const int stdio[3] = { fd, fd, -1 };

	snprintf(conf, sizeof(conf), "--conf=%s", step->conf);
	snprintf(node, sizeof(node), "SLURMD_NODENAME=%s", step->node);
	snprintf(job, sizeof(job), "%" PRIu32, step->job_id);
	snprintf(uid, sizeof(uid), "%" PRIu32, step->uid);
	snprintf(nodes, sizeof(nodes), "%" PRIu32, step->nodes);
	return child_start(argv, env, stdio, err);
}

void live_open(struct live *live, const char *program, const struct live_step *step)
{
	int ends[2];

	memset(live, 0, sizeof(*live));
	live->is_on = true;
	live->task_fd = -1;
	if (access(program, X_OK) < 0) {
		err_set(&live->error, "%s: %s", program, strerror(errno));
		return;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
		err_set(&live->error, "no socket: %s", strerror(errno));
		return;
	}
	live->helper = start(program, step, ends[1], &live->error);
	close(ends[1]);
	if (live->helper > 0) {
		live->task_fd = ends[0];
		return;
	}
	live->helper = 0;
	close(ends[0]);
}

void live_forked(struct live *live)
{
	if (live->task_fd >= 0)
		close(live->task_fd);
	live->task_fd = -1;
}

void live_close(struct live *live)
{
	live_forked(live);
	if (live->helper > 0)
		child_end(live->helper, END_MS);
	live->helper = 0;
}

/* ---- the task ---------------------------------------------------------------- */

/* Copy what has arrived at one side to the other. Return false if either has ended. */
static bool copy(int from, int to)
{
	char bytes[RELAY_BYTES];
	ssize_t got = read(from, bytes, sizeof(bytes)), put;
	size_t at = 0;

	if (got < 0)
		return errno == EINTR || errno == EAGAIN;
	while (at < (size_t)got) {
		put = write(to, bytes + at, (size_t)got - at);
		if (put < 0 && errno != EINTR)
			return false;
		at += put > 0 ? (size_t)put : 0;
	}
	return got > 0;
}

static void reset_signals(void)
{
	sigset_t none;

	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* slurmstepd's ends of this task's own pipes are close-on-exec, and nothing is executed: its
 * standard input would never end. Older kernels have no close_range(2). */
static void close_other_fds(void)
{
	long fd, last = sysconf(_SC_OPEN_MAX);

	if (last < 0 || last > FILES_MAX)
		last = FILES_MAX;
	for (fd = SOCKET_FD + 1; fd < last; fd++)
		close((int)fd);
}

void live_relay(const struct live *live, const char *node)
{
	struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
				 { .fd = live->task_fd, .events = POLLIN } };
	struct live_view_sender from = { .node = node };
	bool is_running = true;

	reset_signals();
	if (live->task_fd < 0) {
		live_view_write(stdout, &from, LIVE_VIEW_ERROR, live->error.text);
		fflush(stdout);
		return;
	}
	fds[1].fd = dup2(live->task_fd, SOCKET_FD);
	close_other_fds();
	while (is_running) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents)
			is_running = copy(SOCKET_FD, STDOUT_FILENO);
		else if (fds[0].revents)
			is_running = copy(STDIN_FILENO, SOCKET_FD);
	}
	/* if slurmstepd has the hooks called in a process of its own (contain_spank, 24.05) that
	 * one has this end open, too */
	shutdown(SOCKET_FD, SHUT_RDWR);
}
