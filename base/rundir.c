/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rundir.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/sysfs.h"

#define GONE ".gone."

/* Numbers of special steps: slurm/slurm.h, the same in 22.05 .. 26.05 */
#define STEP_EXTERN 0xfffffffcU
#define STEP_BATCH 0xfffffffbU
#define STEP_INTERACTIVE 0xfffffffaU

static int name(char *path, struct err *err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int name(char *path, struct err *err, const char *format, ...)
{
	va_list args;
	int used;

	va_start(args, format);
	used = vsnprintf(path, RUNDIR_PATH_MAX, format, args);
	va_end(args);
	if (used < 0 || used >= RUNDIR_PATH_MAX)
		return err_set(err, "path '%.60s...': too long", path);
	return 0;
}

static int check_node(const char *node, struct err *err)
{
	if (!node || !*node || strchr(node, '/') || node[0] == '.')
		return err_set(err, "node name '%s': not a name", node ? node : "");
	return 0;
}

int rundir_node_file(char *path, const char *run_dir, const char *file, struct err *err)
{
	return name(path, err, "%s/%s", run_dir, file);
}

int rundir_client_file(char *path, const char *run_dir, const char *client, struct err *err)
{
	return name(path, err, "%s/client.%s.json", run_dir, client);
}

int rundir_job_file(char *path, const char *run_dir, uint32_t job_id, const char *file,
		    struct err *err)
{
	if (!file)
		return name(path, err, "%s/%u", run_dir, job_id);
	return name(path, err, "%s/%u/%s", run_dir, job_id, file);
}

int rundir_step_file(char *path, const char *run_dir, uint32_t job_id, uint32_t step_id,
		     struct err *err)
{
	switch (step_id) {
	case STEP_EXTERN:
		return name(path, err, "%s/%u/" RUNDIR_STEPS "/extern", run_dir, job_id);
	case STEP_BATCH:
		return name(path, err, "%s/%u/" RUNDIR_STEPS "/batch", run_dir, job_id);
	case STEP_INTERACTIVE:
		return name(path, err, "%s/%u/" RUNDIR_STEPS "/interactive", run_dir, job_id);
	default:
		return name(path, err, "%s/%u/" RUNDIR_STEPS "/%u", run_dir, job_id, step_id);
	}
}

int rundir_make_job(const char *run_dir, uint32_t job_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, run_dir, job_id, NULL, err) < 0)
		return -1;
	return fileio_mkdir(path, 0700, err);
}

int rundir_make_steps(const char *run_dir, uint32_t job_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, run_dir, job_id, RUNDIR_STEPS, err) < 0)
		return -1;
	return fileio_mkdir(path, 0700, err);
}

bool rundir_mark_started(const char *run_dir, uint32_t job_id)
{
	unsigned long long ticks = 0;
	char path[RUNDIR_PATH_MAX];
	int fd;

	if (rundir_job_file(path, run_dir, job_id, RUNDIR_STARTED, NULL) < 0)
		return false;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	process_start(getpid(), NULL, &ticks);
	dprintf(fd, "%ld %llu", (long)getpid(), ticks);
	close(fd);
	return true;
}

int rundir_gone_folder(char *path, const char *run_dir, uint32_t job_id, struct err *err)
{
	return name(path, err, "%s/" GONE "%u", run_dir, job_id);
}

bool rundir_is_temporary(const char *name)
{
	return !strncmp(name, GONE, strlen(GONE)) || strstr(name, FILEIO_TEMPORARY);
}

int rundir_record_file(char *path, const char *spool_dir, uint32_t job_id, int restart,
		       const char *node, struct err *err)
{
	if (check_node(node, err) < 0)
		return -1;
	if (restart < 0)
		return name(path, err, "%s/%u.x.%s.json", spool_dir, job_id, node);
	return name(path, err, "%s/%u.%d.%s.json", spool_dir, job_id, restart, node);
}

int rundir_record_again(char *path, const char *spool_dir, uint32_t job_id, const char *node,
			double start, struct err *err)
{
	if (check_node(node, err) < 0)
		return -1;
	return name(path, err, "%s/%u.x.%s.%.0f.json", spool_dir, job_id, node, start);
}

bool rundir_is_record(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && name[0] != '.' && !strcmp(name + length - 5, ".json");
}

unsigned int rundir_count_records(const char *spool_dir, uint32_t job_id, unsigned int max)
{
	DIR *dir = opendir(spool_dir);
	unsigned int count = 0;
	struct dirent *entry;
	char prefix[16] = "";

	if (job_id)
		snprintf(prefix, sizeof(prefix), "%u.", job_id);
	while (dir && count < max && (entry = readdir(dir)))
		count += rundir_is_record(entry->d_name) &&
			 !strncmp(entry->d_name, prefix, strlen(prefix));
	if (dir)
		closedir(dir);
	return count;
}

int rundir_spool_file(char *path, const char *spool_dir, const char *file, struct err *err)
{
	return name(path, err, "%s/%s", spool_dir, file);
}

int rundir_open_folder(char *path, const char *spool_dir, struct err *err)
{
	return name(path, err, "%s/open", spool_dir);
}

int rundir_open_file(char *path, const char *spool_dir, uint32_t job_id, const char *node,
		     struct err *err)
{
	if (check_node(node, err) < 0)
		return -1;
	return name(path, err, "%s/open/%u.%s.json", spool_dir, job_id, node);
}

int rundir_state_folder(char *path, const char *spool_dir, struct err *err)
{
	return name(path, err, "%s/state", spool_dir);
}

int rundir_state_file(char *path, const char *state_dir, const char *client, const char *kind,
		      struct err *err)
{
	return name(path, err, "%s/%s.%s", state_dir, client, kind);
}

int rundir_bad_file(char *path, const char *spool_dir, const char *file, struct err *err)
{
	if (!file)
		return name(path, err, "%s/bad", spool_dir);
	return name(path, err, "%s/bad/%s", spool_dir, file);
}

int rundir_sender_lock(char *path, const char *spool_dir, struct err *err)
{
	return name(path, err, "%s/.lock", spool_dir);
}
