/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spent FILE COMMAND [ARGUMENT..] - run a command and measure its CPU time
 *
 * Appends one line to FILE: microseconds of the command and of all children that it waited
 * for. bash's `time` has milliseconds only, of two parts. Exits with the command's status. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long us(const struct timeval *time)
{
	return time->tv_sec * 1000000L + time->tv_usec;
}

static int tell(const char *path, const struct rusage *used)
{
	FILE *file = fopen(path, "ae");

	if (!file)
		return -1;
	fprintf(file, "%ld\n", us(&used->ru_utime) + us(&used->ru_stime));
	return fclose(file);
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: spent FILE COMMAND [ARGUMENT..]\n");
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		execv(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &used) < 0 || tell(argv[1], &used) < 0) {
		perror("spent");
		return 2;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
