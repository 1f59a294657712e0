/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/plugin_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"

/* Inode times have the resolution of a tick: the two of one rename() may differ. */
#define TICKS_NS 20000000LL

void plugin_file_open(struct plugin_file *file, const char *path)
{
	struct stat st;

	file->is_open = false;
	if (*path != '/' || strlen(path) >= sizeof(file->path))
		return;
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (file->fd < 0)
		return;
	if (fstat(file->fd, &st) < 0) {
		close(file->fd);
		return;
	}
	file->is_open = true;
	file->changed = st.st_ctim;
	strcpy(file->path, path);
}

void plugin_file_close(struct plugin_file *file)
{
	if (file->is_open)
		close(file->fd);
	file->is_open = false;
}

static bool is_same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static long long ns_between(const struct timespec *from, const struct timespec *to)
{
	return (long long)(to->tv_sec - from->tv_sec) * 1000000000LL +
	       (to->tv_nsec - from->tv_nsec);
}

bool plugin_file_was_missing(const struct plugin_file *file)
{
	struct stat own, now;

	if (!file->is_open)
		return false;
	if (stat(file->path, &now) < 0)
		return errno == ENOENT;
	if (fstat(file->fd, &own) < 0)
		return errno == ESTALE;
	if (own.st_dev == now.st_dev && own.st_ino == now.st_ino)
		return false;
	return is_same_time(&own.st_ctim, &file->changed) ||
	       ns_between(&own.st_ctim, &now.st_ctim) > TICKS_NS;
}

bool plugin_file_is_newer(const struct plugin_file *file, const char *than)
{
	struct stat st;

	return file->is_open && stat(than, &st) == 0 && ns_between(&st.st_mtim, &file->changed) > 0;
}

void plugin_file_note_missing(const char *run_dir, uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, run_dir, job_id, RUNDIR_AWAY, NULL) == 0)
		fileio_write_volatile(path, "", 0, 0600, NULL);
}

void plugin_file_note_path(const struct plugin_file *file, const char *run_dir)
{
	char path[RUNDIR_PATH_MAX], *old_path;

	if (!file->is_open || rundir_node_file(path, run_dir, RUNDIR_PLUGIN, NULL) < 0)
		return;
	old_path = fileio_read(path, RUNDIR_PATH_MAX, NULL, NULL);
	if (!old_path || strcmp(old_path, file->path) != 0)
		fileio_write_volatile(path, file->path, strlen(file->path), 0600, NULL);
	free(old_path);
}
