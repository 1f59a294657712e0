/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/helper.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/rundir.h"
#include "node/job_dir.h"

#define POLL_NS 5000000L /* a record takes about 20 ms */

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

int job_start_sender(const char *conf, struct err *err)
{
	char path[PATH_MAX], option[PATH_MAX + 8];
	char *argv[] = { path, NULL, NULL };

	/* sd_booted(3) */
	if (!strcmp(dirs.spool, RUNDIR_SPOOL) && access("/run/systemd/system", F_OK) == 0)
		return 0;
	if (job_helper_path("jobio-send", path, sizeof(path)) < 0 || access(path, X_OK) < 0)
		return 0;
	if (conf) {
		snprintf(option, sizeof(option), "--conf=%s", conf);
		argv[1] = option;
	}
	return child_detach(argv, err);
}

bool job_wait_sent(uint32_t job_id, unsigned int timeout_ms)
{
	unsigned long long end_ms = child_now_ms() + timeout_ms;

	while (rundir_count_records(dirs.spool, job_id, 1)) {
		if (child_now_ms() >= end_ms)
			return false;
		nanosleep(&(struct timespec){ .tv_nsec = POLL_NS }, NULL);
	}
	return true;
}
