/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/away.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fileio.h"

/* Inode times have the resolution of a tick: the two of one rename() may differ. */
#define TICKS_NS 20000000LL

void away_open(struct away *away, const char *path)
{
	struct stat st;

	away->is_open = false;
	if (*path != '/' || strlen(path) >= sizeof(away->path))
		return;
	away->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (away->fd < 0)
		return;
	if (fstat(away->fd, &st) < 0) {
		close(away->fd);
		return;
	}
	away->is_open = true;
	away->changed = st.st_ctim;
	strcpy(away->path, path);
}

void away_close(struct away *away)
{
	if (away->is_open)
		close(away->fd);
	away->is_open = false;
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

bool away_was(const struct away *away)
{
	struct stat own, now;

	if (!away->is_open)
		return false;
	if (stat(away->path, &now) < 0)
		return errno == ENOENT;
	if (fstat(away->fd, &own) < 0)
		return errno == ESTALE;
	if (own.st_dev == now.st_dev && own.st_ino == now.st_ino)
		return false;
	return is_same_time(&own.st_ctim, &away->changed) ||
	       ns_between(&own.st_ctim, &now.st_ctim) > TICKS_NS;
}

bool away_is_newer(const struct away *away, const char *than)
{
	struct stat st;

	return away->is_open && stat(than, &st) == 0 && ns_between(&st.st_mtim, &away->changed) > 0;
}

void away_note(const char *run_dir, uint32_t job_id)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_job_file(path, run_dir, job_id, RUNDIR_AWAY, NULL) == 0)
		fileio_write_volatile(path, "", 0, 0600, NULL);
}

void away_note_path(const struct away *away, const char *run_dir)
{
	char path[RUNDIR_PATH_MAX], *known;

	if (!away->is_open || rundir_node_file(path, run_dir, RUNDIR_PLUGIN, NULL) < 0)
		return;
	known = fileio_read(path, RUNDIR_PATH_MAX, NULL, NULL);
	if (!known || strcmp(known, away->path) != 0)
		fileio_write_volatile(path, away->path, strlen(away->path), 0600, NULL);
	free(known);
}
