/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lock.h - wait for a lock, with a timeout
 *
 * Terms   lock: flock(2) of an open file or folder, exclusive. It belongs to the
 *           open file description, and ends when the last descriptor of it is
 *           closed, in any process.
 * Owner   the file descriptor stays the caller's, locked or not.
 * Errors  -1 and errno: EWOULDBLOCK if it was locked elsewhere all the time.
 * Runs    helpers; between fork and exec, too.
 */
#ifndef JOBIO_BASE_LOCK_H
#define JOBIO_BASE_LOCK_H

/* At least one attempt is made: timeout_ms may be 0. */
int lock_wait(int fd, unsigned int timeout_ms);

#endif
