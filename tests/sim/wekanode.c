/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wekanode - one process of a stand-in container: uses CPU time as a frontend does
 *
 * Terms   duty: percent of one CPU to use, read again every second from the
 *           file named by WEKA_SIM_DUTY; 0 sleeps.
 * Runs    as `/weka/wekanode --slot N`; the agent starts it, moves it into the
 *           container's cpuset and pins it. It is no child of the agent: a
 *           restart of the agent must not stop I/O.
 * Errors  none: it prints its process id, then runs until it is killed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 10000000L /* 10 ms */
#define SECOND_NS 1000000000L

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * (long long)SECOND_NS + ts.tv_nsec;
}

static void sleep_ns(long ns)
{
	struct timespec ts = { ns / SECOND_NS, ns % SECOND_NS };

	nanosleep(&ts, NULL);
}

static long read_duty(const char *path)
{
	char text[16] = "";
	long duty;
	int fd;

	fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	if (fd < 0)
		return 0;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	close(fd);
	duty = strtol(text, NULL, 10);
	return duty < 0 ? 0 : duty > 100 ? 100 : duty;
}

static void detach(void)
{
	pid_t pid = fork();
	int fd;

	if (pid < 0)
		exit(1);
	if (pid > 0) {
		printf("%d\n", (int)pid);
		exit(0);
	}
	setsid();
	fd = open("/dev/null", O_RDWR);
	if (fd < 0)
		exit(1);
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

int main(void)
{
	const char *path = getenv("WEKA_SIM_DUTY");
	long long until, look = 0;
	long duty = 0;

	detach();
	prctl(PR_SET_NAME, "wekanode");
	for (;;) {
		if (now_ns() >= look) {
			duty = read_duty(path);
			look = now_ns() + SECOND_NS;
		}
		if (!duty) {
			sleep_ns(SECOND_NS);
			continue;
		}
		until = now_ns() + PERIOD_NS / 100 * duty;
		while (now_ns() < until)
			;
		if (duty < 100)
			sleep_ns(PERIOD_NS / 100 * (100 - duty));
	}
}
