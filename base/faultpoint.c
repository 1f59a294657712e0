/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/faultpoint.h"

#ifdef JOBIO_FAULTPOINTS
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The worker of jobio-prepare has a parent of the same program: kill that too. */
static void kill_supervisor(void)
{
	struct stat ours, theirs;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%ld/exe", (long)getppid());
	if (stat("/proc/self/exe", &ours) == 0 && stat(path, &theirs) == 0 &&
	    ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino)
		kill(getppid(), SIGKILL);
}

void fault_point(const char *name)
{
	static int passed;
	const char *at = getenv("JOBIO_FAULT_AT");
	const char *log = getenv("JOBIO_FAULT_LOG");
	FILE *file = log ? fopen(log, "ae") : NULL;

	passed++;
	if (file) {
		fprintf(file, "%d %s\n", passed, name);
		fclose(file);
	}
	if (!at || strtol(at, NULL, 10) != passed)
		return;
	kill_supervisor();
	kill(getpid(), SIGKILL);
}

double fault_clock(void)
{
	const char *seconds = getenv("JOBIO_FAULT_CLOCK");

	return seconds ? strtod(seconds, NULL) : 0;
}

void fault_hang(const char *name)
{
	const char *here = getenv("JOBIO_FAULT_HANG");

	while (here && !strcmp(here, name))
		pause();
}
#else
typedef int faultpoint_is_empty; /* ISO C requires a declaration */
#endif
