/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fileio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/array.h"

#define TREE_DEPTH_MAX 8

static int fail(struct err *err, const char *what, const char *path)
{
	int saved = errno;

	err_set(err, "%s '%s': %s", what, path, strerror(saved));
	errno = saved;
	return -1;
}

static char *read_fd(int fd, size_t max_bytes, size_t *size_bytes)
{
	size_t used = 0, room = 4096;
	char *text = NULL, *bigger;
	ssize_t got;

	do {
		if (!text || used + 1 >= room) {
			room *= text ? 2 : 1;
			bigger = realloc(text, room);
			if (!bigger)
				goto fail;
			text = bigger;
		}
		got = read(fd, text + used, room - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			goto fail;
		used += (size_t)got;
		if (used > max_bytes) {
			errno = EFBIG;
			goto fail;
		}
	} while (got != 0);
	text[used] = '\0';
	if (size_bytes)
		*size_bytes = used;
	return text;
fail:
	free(text);
	return NULL;
}

static char *read_file(const char *path, int flags, size_t max_bytes, size_t *size_bytes,
		       struct err *err)
{
	char *text = NULL;
	struct stat st;
	int fd, saved;

	/* O_NONBLOCK: opening a FIFO must not wait for a writer */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
	if (fd < 0) {
		fail(err, "cannot open", path);
		return NULL;
	}
	if (fstat(fd, &st) < 0)
		fail(err, "cannot stat", path);
	else if (!S_ISREG(st.st_mode)) {
		err_set(err, "cannot read '%s': not a regular file", path);
		errno = EINVAL;
	} else {
		text = read_fd(fd, max_bytes, size_bytes);
		if (!text)
			fail(err, "cannot read", path);
	}
	saved = errno;
	close(fd);
	errno = saved;
	return text;
}

char *fileio_read(const char *path, size_t max_bytes, size_t *size_bytes, struct err *err)
{
	return read_file(path, O_NOFOLLOW, max_bytes, size_bytes, err);
}

char *fileio_read_linked(const char *path, size_t max_bytes, struct err *err)
{
	return read_file(path, 0, max_bytes, NULL, err);
}

bool fileio_may_be_there(int error)
{
	static const int never[] = { ENOENT, ENOTDIR, ELOOP, EISDIR, EINVAL, EFBIG, EBADMSG };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(never); i++)
		if (error == never[i])
			return false;
	return true;
}

static int write_all(int fd, const char *data, size_t size_bytes)
{
	ssize_t done;

	while (size_bytes) {
		done = write(fd, data, size_bytes);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		data += done;
		size_bytes -= (size_t)done;
	}
	return 0;
}

static int sync_folder_of(const char *path)
{
	char folder[PATH_MAX];
	char *slash;
	int fd, rc;

	TEXT_SET(folder, path);
	slash = strrchr(folder, '/');
	if (slash == folder)
		slash[1] = '\0';
	else if (slash)
		*slash = '\0';
	else
		strcpy(folder, ".");
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = fsync(fd);
	close(fd);
	return rc;
}

enum sync {
	SYNC_NOTHING,
	SYNC_FILE,
	SYNC_BOTH /* and its folder */
};

static int replace(const char *path, const void *data, size_t size_bytes, mode_t mode,
		   enum sync sync, struct err *err)
{
	char temp[PATH_MAX];
	int fd, saved;

	if (snprintf(temp, sizeof(temp), "%s" FILEIO_TEMPORARY "%ld", path, (long)getpid()) >=
	    (int)sizeof(temp)) {
		errno = ENAMETOOLONG;
		return fail(err, "cannot write", path);
	}
	/* leftover of a killed process with the same pid */
	unlink(temp);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(err, "cannot create", temp);
	if (write_all(fd, data, size_bytes) < 0 || fchmod(fd, mode) < 0 ||
	    (sync != SYNC_NOTHING && fsync(fd) < 0)) {
		saved = errno;
		close(fd);
		errno = saved;
		goto fail;
	}
	if (close(fd) < 0 || rename(temp, path) < 0 ||
	    (sync == SYNC_BOTH && sync_folder_of(path) < 0))
		goto fail;
	return 0;
fail:
	saved = errno;
	unlink(temp);
	errno = saved;
	return fail(err, "cannot write", path);
}

int fileio_write(const char *path, const void *data, size_t size_bytes, mode_t mode,
		 struct err *err)
{
	return replace(path, data, size_bytes, mode, SYNC_BOTH, err);
}

int fileio_write_before(const char *path, const void *data, size_t size_bytes, mode_t mode,
			struct err *err)
{
	return replace(path, data, size_bytes, mode, SYNC_FILE, err);
}

int fileio_write_volatile(const char *path, const void *data, size_t size_bytes, mode_t mode,
			  struct err *err)
{
	return replace(path, data, size_bytes, mode, SYNC_NOTHING, err);
}

int fileio_mkdir(const char *path, mode_t mode, struct err *err)
{
	struct stat st;

	if (mkdir(path, mode) == 0) {
		if (chmod(path, mode) < 0) /* independent of the umask */
			return fail(err, "cannot set permissions of", path);
		return 0;
	}
	if (errno != EEXIST)
		return fail(err, "cannot make folder", path);
	if (lstat(path, &st) < 0)
		return fail(err, "cannot stat", path);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, "'%s': exists and is not a folder", path);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_set(
			err,
			"folder '%s': belongs to uid %lu with mode %03o; it must be ours and writable by us alone",
			path, (unsigned long)st.st_uid, (unsigned int)st.st_mode & 0777);
	if (st.st_mode & 07777U & ~mode)
		(void)!chmod(path, st.st_mode & mode);
	return 0;
}

static int remove_below(int parent, const char *name, int depth)
{
	struct dirent *entry;
	int fd, rc = -1;
	DIR *dir;

	if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	if (depth >= TREE_DEPTH_MAX) {
		errno = ELOOP;
		return -1;
	}
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -1;
	}
	while ((entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (remove_below(dirfd(dir), entry->d_name, depth + 1) < 0)
			goto out;
	}
	rc = 0;
out:
	closedir(dir);
	return rc < 0 ? -1 : unlinkat(parent, name, AT_REMOVEDIR);
}

int fileio_rmtree(const char *path, struct err *err)
{
	if (remove_below(AT_FDCWD, path, 0) < 0)
		return fail(err, "cannot remove", path);
	return 0;
}
