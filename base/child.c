/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"

#define ENV_MAX 32
#define SLICE_MS 20 /* delay until the end of a child is noticed */

struct pipe_reader {
	int fd;
	char *text;
	size_t used, room, max;
};

unsigned long long child_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned long long)now.tv_sec * 1000 + (unsigned long long)now.tv_nsec / 1000000;
}

unsigned int child_left_ms(unsigned long long end_ms)
{
	unsigned long long now = child_now_ms();

	return now >= end_ms ? 0 : (unsigned int)(end_ms - now);
}

static void close_all_from(int first)
{
	int fd, last;

#ifdef SYS_close_range
	if (syscall(SYS_close_range, (unsigned int)first, ~0U, 0) == 0)
		return;
#endif
	last = (int)sysconf(_SC_OPEN_MAX);
	for (fd = first; fd < last && fd < 65536; fd++)
		close(fd);
}

static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Reset all of them: a program inherits ignored signals. */
static void reset_signals(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	int sig;

	for (sig = 1; sig < NSIG; sig++)
		sigaction(sig, &dfl, NULL); /* KILL and STOP fail: fine */
	unblock_signals();
}

/* Reset those that our programs catch, for a function of ours: all 64 would take as long as reading
 * a dozen files. */
static void reset_caught(void)
{
	static const int caught[] = { SIGHUP,  SIGINT,	SIGQUIT, SIGPIPE, SIGALRM,
				      SIGTERM, SIGCHLD, SIGUSR1, SIGUSR2 };
	struct sigaction dfl = { .sa_handler = SIG_DFL };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(caught); i++)
		sigaction(caught[i], &dfl, NULL);
	unblock_signals();
}

/* Fork with signals blocked: a child that gets one before its signals are reset must not run our
 * handlers. On Linux sigprocmask(2) blocks for this thread only; pthread_sigmask() would need
 * libpthread before glibc 2.32. */
static pid_t fork_blocked(void)
{
	sigset_t all, before;
	pid_t pid;
	int saved;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	saved = errno;
	if (pid != 0)
		sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return pid;
}

static void set_stdio(int out, int errout)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || dup2(null, 0) < 0 || dup2(out < 0 ? null : out, 1) < 0 ||
	    dup2(errout < 0 ? null : errout, 2) < 0)
		_exit(126);
	close_all_from(3);
}

static void exec_command(char *const argv[], char *const extra[])
{
	char *env[ENV_MAX + 4] = {
		"PATH=/usr/sbin:/usr/bin:/sbin:/bin",
		"LC_ALL=C",
		"NO_COLOR=1",
	};
	int i;

	for (i = 0; extra && extra[i] && i < ENV_MAX; i++)
		env[3 + i] = extra[i];
	execve(argv[0], argv, env);
	dprintf(2, "cannot execute %s: %s\n", argv[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static int reader_grow(struct pipe_reader *r)
{
	char *bigger;

	if (r->used + 1 < r->room)
		return 0;
	r->room = r->room ? r->room * 2 : 4096;
	bigger = realloc(r->text, r->room);
	if (!bigger)
		return -1;
	r->text = bigger;
	return 0;
}

/* Terminate the text, even if it is empty. */
static int reader_end(struct pipe_reader *r)
{
	if (reader_grow(r) < 0)
		return -1;
	r->text[r->used] = '\0';
	return 0;
}

/* Read what is there. Return 1 if more may come, 0 at the end, -1 if it is too much or there is no
 * memory. */
static int reader_take(struct pipe_reader *r)
{
	ssize_t got;

	if (reader_grow(r) < 0)
		return -1;
	got = read(r->fd, r->text + r->used, r->room - r->used - 1);
	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : 0;
	r->used += (size_t)got;
	r->text[r->used] = '\0';
	if (r->used > r->max) {
		errno = E2BIG;
		return -1;
	}
	return got > 0;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == pid;
}

/* Read both pipes until they end, or until the child has ended and they are empty: a daemon that it
 * started may hold them open. Return -1 with errno ETIMEDOUT or E2BIG. */
static int collect(struct pipe_reader r[2], pid_t pid, unsigned long long end_ms)
{
	struct pollfd fds[2] = {
		{ .fd = r[0].fd, .events = POLLIN },
		{ .fd = r[1].fd, .events = POLLIN },
	};
	unsigned long long now;
	int i, more, ended, ready;

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		now = child_now_ms();
		if (now >= end_ms) {
			errno = ETIMEDOUT;
			return -1;
		}
		ended = has_ended(pid);
		ready = poll(fds, 2,
			     ended		       ? 0
			     : end_ms - now < SLICE_MS ? (int)(end_ms - now)
						       : SLICE_MS);
		if (ready < 0 && errno != EINTR)
			return -1;
		if (ready == 0 && ended)
			break;
		for (i = 0; ready > 0 && i < 2; i++) {
			if (fds[i].fd < 0 || !fds[i].revents)
				continue;
			more = reader_take(&r[i]);
			if (more < 0)
				return -1;
			if (!more)
				fds[i].fd = -1;
		}
	}
	return 0;
}

/* Wait for the child until end_ms. Return 1 if it has ended, or is not ours, 0 if it still runs. */
static int reap(pid_t pid, unsigned long long end_ms, int *status)
{
	/* its pipes end a little before it does: most calls wait for that only */
	struct timespec nap = { .tv_nsec = 20000 };
	pid_t got;

	for (;;) {
		got = waitpid(pid, status, WNOHANG);
		if (got == pid || (got < 0 && errno == ECHILD))
			return 1;
		if (child_now_ms() >= end_ms)
			return 0;
		nanosleep(&nap, NULL);
		if (nap.tv_nsec < 20000000)
			nap.tv_nsec *= 2;
	}
}

static void kill_group(pid_t pid)
{
	int status;

	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	reap(pid, child_now_ms() + CHILD_REAP_MS, &status);
}

static int supervise(const char *name, pid_t pid, struct pipe_reader r[2], unsigned int timeout_ms,
		     int *status, struct err *err)
{
	unsigned long long end_ms = child_now_ms() + timeout_ms;
	int raw = 0, saved;

	if (collect(r, pid, end_ms) == 0 && reap(pid, end_ms, &raw)) {
		*status = WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : WEXITSTATUS(raw);
		return 0;
	}
	saved = errno == E2BIG ? E2BIG : ETIMEDOUT;
	kill_group(pid);
	if (saved == E2BIG)
		err_set(err, "'%s': more than %zu bytes of output", name, r[0].max);
	else
		err_set(err, "'%s': no answer within %u ms", name, timeout_ms);
	errno = saved;
	return -1;
}

struct job {
	const char *name;
	char *const *argv;
	char *const *env;
	int (*fn)(void *arg);
	void *arg;
	size_t output_max;
	bool is_partial; /* return output from before a timeout; no standard error */
};

static void be_child(const struct job *job, int out, int errout)
{
	int rc;

	setpgid(0, 0);
	if (job->argv)
		reset_signals();
	else
		reset_caught();
	set_stdio(out, errout);
	if (job->argv)
		exec_command(job->argv, job->env);
	rc = job->fn(job->arg);
	fflush(stdout);
	_exit(rc);
}

static int run(const struct job *job, unsigned int timeout_ms, struct child_result *result,
	       struct err *err)
{
	struct pipe_reader r[2] = { { .fd = -1, .max = job->output_max },
				    { .fd = -1, .max = job->output_max } };
	int out[2] = { -1, -1 }, errout[2] = { -1, -1 };
	int status = 0, rc = -1, saved = 0;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) < 0 || (!job->is_partial && pipe2(errout, O_CLOEXEC) < 0)) {
		err_set(err, "'%s': no pipe: %s", job->name, strerror(errno));
		goto out;
	}
	fflush(stdout);
	pid = fork_blocked();
	if (pid < 0) {
		err_set(err, "'%s': cannot fork: %s", job->name, strerror(errno));
		goto out;
	}
	if (pid == 0)
		be_child(job, out[1], errout[1]);
	setpgid(pid, pid); /* parent or child, whichever is first */
	close(out[1]);
	if (errout[1] >= 0)
		close(errout[1]);
	out[1] = errout[1] = -1;
	r[0].fd = out[0];
	r[1].fd = errout[0];
	rc = supervise(job->name, pid, r, timeout_ms, &status, err);
	saved = errno;
	if (rc == 0 && (reader_end(&r[0]) < 0 || reader_end(&r[1]) < 0))
		rc = err_set(err, "'%s': out of memory", job->name);
	if (rc == 0 || (job->is_partial && saved == ETIMEDOUT && reader_end(&r[0]) == 0)) {
		result->status = status;
		result->out = r[0].text;
		result->out_bytes = r[0].used;
		result->errtext = r[1].text;
		r[0].text = r[1].text = NULL;
	}
out:
	free(r[0].text);
	free(r[1].text);
	if (out[0] >= 0)
		close(out[0]);
	if (out[1] >= 0)
		close(out[1]);
	if (errout[0] >= 0)
		close(errout[0]);
	if (errout[1] >= 0)
		close(errout[1]);
	errno = saved;
	return rc;
}

int child_run_big(char *const argv[], char *const env[], unsigned int timeout_ms,
		  unsigned int output_max, struct child_result *result, struct err *err)
{
	struct job job = { .name = argv[0], .argv = argv, .env = env, .output_max = output_max };

	return run(&job, timeout_ms, result, err);
}

int child_run(char *const argv[], char *const env[], unsigned int timeout_ms,
	      struct child_result *result, struct err *err)
{
	return child_run_big(argv, env, timeout_ms, CHILD_OUTPUT_MAX, result, err);
}

int child_call(const char *name, int (*fn)(void *arg), void *arg, unsigned int timeout_ms,
	       struct child_result *result, struct err *err)
{
	struct job job = { .name = name, .fn = fn, .arg = arg, .output_max = CHILD_OUTPUT_MAX };

	return run(&job, timeout_ms, result, err);
}

int child_call_partial(const char *name, int (*fn)(void *arg), void *arg, unsigned int timeout_ms,
		       struct child_result *result, struct err *err)
{
	struct job job = { .name = name,
			   .fn = fn,
			   .arg = arg,
			   .output_max = CHILD_OUTPUT_MAX,
			   .is_partial = true };

	return run(&job, timeout_ms, result, err);
}

void child_result_free(struct child_result *result)
{
	if (!result)
		return;
	free(result->out);
	free(result->errtext);
	memset(result, 0, sizeof(*result));
}

int child_detach(char *const argv[], struct err *err)
{
	pid_t pid;
	int status;

	pid = fork_blocked();
	if (pid < 0)
		return err_set(err, "'%s': cannot fork: %s", argv[0], strerror(errno));
	if (pid == 0) {
		setsid();
		if (fork() != 0)
			_exit(0);
		reset_signals();
		if (chdir("/") < 0)
			_exit(126);
		set_stdio(-1, -1);
		exec_command(argv, NULL);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/* Move it above 0, 1 and 2, which are replaced next. */
static int move_up(int fd)
{
	return fcntl(fd < 0 ? open("/dev/null", O_RDWR) : fd, F_DUPFD, 3);
}

pid_t child_start(char *const argv[], char *const env[], const int stdio[3], struct err *err)
{
	int high[3], i;
	pid_t pid;

	pid = fork_blocked();
	if (pid < 0)
		return err_set(err, "'%s': cannot fork: %s", argv[0], strerror(errno));
	if (pid > 0) {
		setpgid(pid, pid); /* parent or child, whichever is first */
		return pid;
	}
	setpgid(0, 0);
	reset_signals();
	for (i = 0; i < 3; i++)
		high[i] = move_up(stdio[i]);
	for (i = 0; i < 3; i++)
		if (high[i] < 0 || dup2(high[i], i) < 0)
			_exit(126);
	close_all_from(3);
	if (chdir("/") < 0)
		_exit(126);
	exec_command(argv, env);
	return -1;
}

void child_end(pid_t pid, unsigned int grace_ms)
{
	int status;

	if (reap(pid, child_now_ms() + grace_ms, &status))
		return;
	kill(-pid, SIGTERM);
	if (!reap(pid, child_now_ms() + CHILD_REAP_MS, &status))
		kill_group(pid);
}
