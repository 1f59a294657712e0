/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/alive.h"

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
#include "base/number.h"
#include "base/rundir.h"
#include "base/sysfs.h"
#include "node/cgroup.h"
#include "node/job_dir.h"
#include "node/job_state.h"

/* slurmstepd's title (slurmstepd.c:_set_job_log_prefix): "[7.extern]" */
#define STEPD_TITLE "slurmstepd: ["
#define STEPD_NAME "slurmstepd"
#define TITLE_MAX 48
#define SCAN_MS 1000U /* limit of a scan of the processes */
#define EXIT_MS 1000U /* limit for a slurmstepd to exit after its step */
#define EXIT_POLL_NS 20000000L
#define OLD_S 600
#define STARTED_BYTES_MAX 48

static int print_titled(void *title)
{
	FAULT_HANG("titles");
	printf("%d", process_count_titled(title));
	return 0;
}

static bool scan_failed;

/* Return the number of processes with a title that begins with [title]; -1: unknown. A child scans,
 * because the title of a stuck process can block it; after a timeout no other scan is tried. */
static int count_titled(char *title)
{
	struct child_result result = { 0 };
	unsigned long count;
	int found = -1;

	if (scan_failed)
		return -1;
	if (child_call("/proc", print_titled, title, SCAN_MS, &result, NULL) == 0) {
		if (number_parse(result.out, 0, INT_MAX, &count, NULL) == 0)
			found = (int)count;
		child_result_free(&result);
	}
	scan_failed = found < 0;
	return found;
}

static int count_stepds(uint32_t job_id)
{
	char title[TITLE_MAX];

	snprintf(title, sizeof(title), STEPD_TITLE "%u.", job_id);
	return count_titled(title);
}

bool job_scan_failed(void)
{
	return scan_failed;
}

/* Return the seconds since a file of the job was written, or the folder, if [name] is NULL; -1:
 * there is none. A time in the future, after the clock was set back, counts as in the past. */
static double age_s(uint32_t job_id, const char *name)
{
	char path[RUNDIR_PATH_MAX];
	struct stat st;
	double age;

	if (rundir_job_file(path, dirs.run, job_id, name, NULL) < 0 || lstat(path, &st) < 0)
		return -1;
	age = job_now() - (double)st.st_mtime;
	return age < 0 ? -age : age;
}

bool job_is_old(uint32_t job_id)
{
	double steps = age_s(job_id, RUNDIR_STEPS);

	return age_s(job_id, NULL) > OLD_S && (steps < 0 || steps > OLD_S);
}

/* Return true if the job's first slurmstepd runs, mostly extern, which is also the last. Compares
 * its name, which can be read of a stuck process too, and its start time: the PID may have been
 * reused by another job's slurmstepd. */
static bool is_first_stepd_alive(uint32_t job_id)
{
	char *text, *start;
	unsigned long long then, now;
	unsigned long pid = 0;

	text = job_dir_read(job_id, RUNDIR_STARTED, STARTED_BYTES_MAX);
	start = text ? strchr(text, ' ') : NULL;
	then = start ? strtoull(start, NULL, 10) : 0;
	if (start)
		*start = '\0';
	if (!text || number_parse(text, 1, 1UL << 30, &pid, NULL) < 0)
		pid = 0;
	free(text);
	return pid && process_is_named(pid, STEPD_NAME) &&
	       (!then || process_start((long)pid, NULL, &now) < 0 || now == then);
}

static bool is_starting(uint32_t job_id)
{
	double age = age_s(job_id, RUNDIR_GATE);

	return age >= 0 && age <= OLD_S && age_s(job_id, RUNDIR_STARTED) < 0 &&
	       !job_has_steps(job_id);
}

/* ---- processes of a job, with or without a slurmstepd --------------------- */

void job_write_sluid(uint32_t job_id)
{
	const char *sluid = getenv("SLURM_JOB_SLUID");

	if (sluid)
		job_dir_write(job_id, RUNDIR_SLUID, sluid, NULL);
}

static void name_cgroups(uint32_t job_id, struct cgroup_names *names)
{
	char *text = job_dir_read(job_id, RUNDIR_SLUID, sizeof(names->sluid) - 1);

	snprintf(names->job, sizeof(names->job), "job_%u", job_id);
	snprintf(names->sluid, sizeof(names->sluid), "%s", text ? text : "");
	free(text);
}

static bool has_processes(uint32_t job_id)
{
	struct cgroup_names names;

	name_cgroups(job_id, &names);
	return cgroup_has_job(&names);
}

bool job_has_stepd(uint32_t job_id)
{
	return is_first_stepd_alive(job_id) || count_stepds(job_id) != 0 || has_processes(job_id);
}

bool job_is_alive(uint32_t job_id)
{
	return is_starting(job_id) || job_has_stepd(job_id);
}

void job_is_over(uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, dirs.run, job_id, RUNDIR_GATE, NULL) == 0)
		unlink(path);
	FAULT_POINT("over");
}

/* Return 1 if another job with a folder is starting or has processes. Processes in cgroups of jobs
 * without a folder survived the epilog: they do not count, or one would block the node for ever. */
static int find_alive(void *own_id, uint32_t job_id)
{
	return job_id != *(uint32_t *)own_id && (is_starting(job_id) || has_processes(job_id));
}

bool job_is_other_alive(uint32_t job_id)
{
	char title[] = STEPD_TITLE;
	int own, all;

	if (job_each_folder(find_alive, &job_id) != 0)
		return true;
	/* in this order: a slurmstepd that starts in between counts as another job's */
	own = count_stepds(job_id);
	all = count_titled(title);
	return all < 0 || own < 0 || all > own;
}

bool job_does_other_remain(uint32_t job_id)
{
	unsigned long long end_ms = child_now_ms() + EXIT_MS;

	while (job_is_other_alive(job_id)) {
		if (scan_failed || child_now_ms() >= end_ms)
			return true;
		nanosleep(&(struct timespec){ .tv_nsec = EXIT_POLL_NS }, NULL);
	}
	return false;
}
