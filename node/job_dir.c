/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/job_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/config.h"
#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/lock.h"
#include "base/number.h"
#include "base/rundir.h"

struct dirs dirs;

void dirs_set(const struct config *config)
{
	dirs = (struct dirs){ config->run_dir, config->spool_dir, config->spool_max_records };
}

int job_make_dirs(struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int rc;

	FAULT_POINT("dirs before");
	if (fileio_mkdir(dirs.run, 0700, err) < 0 || fileio_mkdir(dirs.spool, 0700, err) < 0)
		return -1;
	FAULT_POINT("dirs half");
	if (rundir_open_folder(path, dirs.spool, err) < 0 || fileio_mkdir(path, 0700, err) < 0 ||
	    rundir_state_folder(path, dirs.spool, err) < 0)
		return -1;
	rc = fileio_mkdir(path, 0700, err);
	FAULT_POINT("dirs after");
	return rc;
}

int job_lock(unsigned int timeout_ms, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int fd;

	if (rundir_node_file(path, dirs.run, RUNDIR_LOCK, err) < 0)
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_set(err, "lock '%s': %s", path, strerror(errno));
	if (lock_wait(fd, timeout_ms) < 0) {
		close(fd);
		return err_set(err, "lock '%s': another prolog or epilog has held it for %u ms",
			       path, timeout_ms);
	}
	return fd;
}

static void sweep_folder(const char *folder)
{
	char path[RUNDIR_PATH_MAX + 258];
	struct dirent *entry;
	DIR *dir;

	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (!rundir_is_temporary(entry->d_name))
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		FAULT_POINT("sweep before");
		if (unlink(path) < 0)
			fileio_rmtree(path, NULL);
		FAULT_POINT("sweep after");
	}
	if (dir)
		closedir(dir);
}

void job_sweep(bool spool)
{
	char path[RUNDIR_PATH_MAX];

	sweep_folder(dirs.run);
	if (!spool)
		return;
	sweep_folder(dirs.spool);
	if (rundir_state_folder(path, dirs.spool, NULL) == 0)
		sweep_folder(path);
	if (rundir_open_folder(path, dirs.spool, NULL) == 0)
		sweep_folder(path);
}

int job_make_folder(uint32_t job_id, struct err *err)
{
	FAULT_POINT("folder before");
	if (rundir_make_job(dirs.run, job_id, err) < 0)
		return -1;
	FAULT_POINT("folder half");
	if (rundir_make_steps(dirs.run, job_id, err) < 0)
		return -1;
	FAULT_POINT("folder after");
	return 0;
}

bool job_has_file(uint32_t job_id, const char *name)
{
	char path[RUNDIR_PATH_MAX];
	struct stat st;

	if (rundir_job_file(path, dirs.run, job_id, name, NULL) < 0)
		return false;
	if (lstat(path, &st) < 0)
		return fileio_may_be_there(errno);
	return name || S_ISDIR(st.st_mode);
}

bool job_has_folder(uint32_t job_id)
{
	return job_has_file(job_id, NULL);
}

bool job_has_steps(uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	if (rundir_job_file(path, dirs.run, job_id, RUNDIR_STEPS, NULL) < 0)
		return false;
	dir = opendir(path);
	if (!dir)
		return fileio_may_be_there(errno);
	while (!found && (errno = 0, entry = readdir(dir)))
		found = *entry->d_name != '.';
	found |= errno != 0;
	closedir(dir);
	return found;
}

char *job_dir_read(uint32_t job_id, const char *name, size_t max)
{
	char path[RUNDIR_PATH_MAX];

	errno = ENOENT;
	if (rundir_job_file(path, dirs.run, job_id, name, NULL) < 0)
		return NULL;
	return fileio_read(path, max, NULL, NULL);
}

int job_dir_write(uint32_t job_id, const char *name, const char *text, struct err *err)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, dirs.run, job_id, name, err) < 0)
		return -1;
	return fileio_write_volatile(path, text, strlen(text), 0600, err);
}

int job_each_folder(int (*fn)(void *arg, uint32_t job_id), void *arg)
{
	int i, rc = 0, count;
	struct dirent **all;
	unsigned long id;

	count = scandir(dirs.run, &all, NULL, versionsort);
	for (i = 0; i < count; i++) {
		if (rc == 0 && number_parse(all[i]->d_name, 1, UINT32_MAX - 1, &id, NULL) == 0)
			rc = fn(arg, (uint32_t)id);
		free(all[i]);
	}
	if (count >= 0)
		free(all);
	return rc;
}

int job_discard(uint32_t job_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX], moved[RUNDIR_PATH_MAX];

	/* rename first, so that a partly removed folder is never taken for a job */
	if (rundir_job_file(path, dirs.run, job_id, NULL, err) < 0 ||
	    rundir_gone_folder(moved, dirs.run, job_id, err) < 0 || fileio_rmtree(moved, err) < 0)
		return -1;
	FAULT_POINT("folder away before");
	if (rename(path, moved) < 0 && errno != ENOENT)
		return err_set(err, "cannot rename '%s': %s", path, strerror(errno));
	FAULT_POINT("folder away after");
	return fileio_rmtree(moved, err);
}
