/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fileio.h - read small files, write files atomically
 *
 * Terms   atomic write: a temporary name in the same folder, write, fsync,
 *           rename, fsync of the folder: a reader gets the old or the new
 *           text, after power loss too.
 * Owner   fileio_read() returns malloc'ed, NUL-terminated text; the caller
 *           frees it.
 * Errors  NULL or -1, path and reason in *err, errno kept (ENOENT: no file).
 *         Symbolic links are not followed in the last part of a path, except
 *         by fileio_read_linked(); a FIFO or device is refused, because
 *         reading it could hang.
 * Runs    everywhere. A file of a kernel driver that a stuck client can block
 *           is read by a child with a timeout instead (child.h).
 */
#ifndef JOBIO_BASE_FILEIO_H
#define JOBIO_BASE_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Read a regular file of at most max_bytes; *size_bytes may be NULL. */
char *fileio_read(const char *path, size_t max_bytes, size_t *size_bytes, struct err *err);

/* The same through symbolic links: for the administrator's files, in folders that only root may
 * write. */
char *fileio_read_linked(const char *path, size_t max_bytes, struct err *err);

/* Return true if a read that failed with this errno may work at another try; false if there is no
 * file, or none that can be read. */
bool fileio_may_be_there(int error);

/* Part of a file's name while it is written: NAME.tmp.PID. */
#define FILEIO_TEMPORARY ".tmp."

/* Replace or create 'path' atomically with the given permissions. */
int fileio_write(const char *path, const void *data, size_t size_bytes, mode_t mode,
		 struct err *err);

/* The same without fsync of the folder: the caller's next fileio_write() there makes both names
 * durable, in their order. */
int fileio_write_before(const char *path, const void *data, size_t size_bytes, mode_t mode,
			struct err *err);

/* The same without fsync: for files in /run, which are lost at a reboot. */
int fileio_write_volatile(const char *path, const void *data, size_t size_bytes, mode_t mode,
			  struct err *err);

/* Create a folder unless it exists (one level). An existing one must be a real folder, ours, and
 * not writable by others; permissions that are not in 'mode' are removed if possible. */
int fileio_mkdir(const char *path, mode_t mode, struct err *err);

/* Remove a folder with the files and folders in it, never through a link. Without such a folder it
 * succeeds. */
int fileio_rmtree(const char *path, struct err *err);

#endif
