/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fileio.h - read small files whole, write files that others read
 *
 * Terms   atomic write: a temporary name in the same folder, write, fsync,
 *           rename, fsync of the folder: a reader sees the old or the new
 *           text, after power loss too.
 * Owner   fileio_read() returns malloc'ed, NUL-terminated text; the caller
 *           frees it.
 * Errors  NULL or -1, sentence in *err with the path and the reason, errno
 *           kept (so ENOENT can be told apart).
 *         Symbolic links are not followed in the last part of a path, except
 *         by fileio_read_linked(); a FIFO or device is refused, so that a
 *         read cannot hang on one.
 * Runs    everywhere. A file of a kernel driver that a stuck client can hold
 *           is read by a child with a deadline instead (child.h).
 */
#ifndef JOBIO_FILEIO_H
#define JOBIO_FILEIO_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/err.h"

/* The whole of a regular file of at most max_bytes; *size_bytes may be NULL. */
char *fileio_read(const char *path, size_t max_bytes, size_t *size_bytes, struct err *err);

/* The same through symbolic links: for files of the administrator's, in folders
 * that only root may write. */
char *fileio_read_linked(const char *path, size_t max_bytes, struct err *err);

/* After a read that failed, by its errno: may the file be there all the same, and be read
 * by another try? (It may not where there is none, or none that could be read.) */
bool fileio_may_be_there(int error);

/* What a name has in it while its file is written: NAME.tmp.PID. */
#define FILEIO_TEMPORARY ".tmp."

/* Replace or create 'path' atomically with the given permissions. */
int fileio_write(const char *path, const void *data, size_t size_bytes, mode_t mode,
		 struct err *err);

/* The same without fsync of the folder: the caller's next fileio_write() there
 * makes both names last, in their order. */
int fileio_write_before(const char *path, const void *data, size_t size_bytes, mode_t mode,
			struct err *err);

/* The same without fsync: for files in /run, which do not survive anyway. */
int fileio_write_volatile(const char *path, const void *data, size_t size_bytes, mode_t mode,
			  struct err *err);

/* Make a folder if it is not there (one level). An existing one must be a real
 * folder that belongs to us and that nobody else may write to; permissions that
 * 'mode' has not are taken from it where they can be. */
int fileio_mkdir(const char *path, mode_t mode, struct err *err);

/* Remove a folder with the files and folders in it, never through a link. No
 * such folder is success. */
int fileio_rmtree(const char *path, struct err *err);

#endif
