/* SPDX-License-Identifier: GPL-2.0-or-later */
/* io.h - the set of I/O counters of all sources
 *
 * Terms   io: numbers, histograms, errors and a timeline of one filesystem, or of all
 *           files, in one scope, from one source. Counters of the kernel, a step, a client
 *           or a record, and sums of them: all of these are a struct io.
 *         quantity: a row of IO_QUANTITIES: its id, its key in JSON, its unit, how it adds,
 *           and words. A new one is a row here, and is counted elsewhere.
 *         unknown: a number that was not measured is IO_UNKNOWN here and null or missing
 *           in JSON, never 0.
 *         scope: "job" (this job only) or "node" (everything on the node while the job
 *           ran).
 *         class: of calls. mapped: page faults of mapped files that waited.
 *         times: inside calls of that class, of all threads added up. Those of a client: of
 *           requests, from the first sending until the reply.
 *         random: a read or write that does not begin where the last one of the same thread
 *           on that file ended; the first is neither random nor not. A call with an unknown
 *           offset is none of these.
 *         threads: those that did I/O, counted on each filesystem again; thread_us: their
 *           lifetime while they were counted.
 * Owner   plain values; 'fs' belongs to the caller and is not freed here.
 * Errors  -1 and a message that begins with a key. A sum ends at INT64_MAX. Unknown values
 *           are skipped; if all are unknown, so is the sum. Sums do not depend on the
 *           order in which they are made.
 * Runs    jobio-count, prolog, epilog, ledger, report.
 */
#ifndef JOBIO_RECORD_IO_H
#define JOBIO_RECORD_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/field.h"
#include "record/timeline.h"

#define IO_UNKNOWN INT64_C(-1)
#define IO_WORD_MAX 64 /* sources, names of clients, with the final 0 */
#define IO_BINS 64

/* Of clients and of processes. The first four are in every source: null in JSON if unknown; others
 * are left out then. */
#define IO_CLIENT_NUMBERS(X)                                                                       \
	X(READ_BYTES, "read_bytes", BYTES, SUM, "read")                                            \
	X(WRITE_BYTES, "write_bytes", BYTES, SUM, "written")                                       \
	X(READ_CALLS, "read_calls", CALLS, SUM, "reads")                                           \
	X(WRITE_CALLS, "write_calls", CALLS, SUM, "writes")                                        \
	X(MMAP_READ_BYTES, "mmap_read_bytes", BYTES, SUM, "read from mapped files")                \
	X(MMAP_WRITE_BYTES, "mmap_write_bytes", BYTES, SUM, "written to mapped files")             \
	X(READ_US, "read_us", US, SUM, "time in reads")                                            \
	X(WRITE_US, "write_us", US, SUM, "time in writes")                                         \
	X(META_CALLS, "meta_calls", CALLS, SUM, "metadata operations of the client")               \
	X(META_US, "meta_us", US, SUM, "time in metadata operations")                              \
	X(ASKED_READ_BYTES, "asked_read_bytes", BYTES, SUM, "read, as the client was asked")       \
	X(ASKED_WRITE_BYTES, "asked_write_bytes", BYTES, SUM, "written, as the client was asked")  \
	X(RESENT, "resent", CALLS, SUM, "requests that were sent more than once")                  \
	X(QUEUE_US, "queue_us", US, SUM, "time that requests waited to be sent")                   \
	X(BACKLOG, "backlog", CALLS, SUM, "requests that waited for a slot as others were sent")   \
	X(COPIES, "copies", CALLS, SUM, "copies made within a server")                             \
	X(NAME_CALLS, "name_calls", CALLS, SUM, "of meta_calls, those that only ask for a name")   \
	X(LOCK_CALLS, "lock_calls", CALLS, SUM, "of meta_calls, those for locks of files")

/* Of processes only. */
#define IO_PROCESS_NUMBERS(X)                                                                      \
	X(SYNC_US, "sync_us", US, SUM, "time in fsync, msync and similar calls")                   \
	X(CLOSE_US, "close_us", US, SUM, "time in close")                                          \
	X(MAPPED_US, "mapped_us", US, SUM, "time in page faults of mapped files")                  \
	X(ASYNC_US, "async_us", US, SUM, "time blocked until asynchronous I/O was done")           \
	X(THREADS, "threads", CALLS, SUM, "threads that did I/O")                                  \
	X(THREAD_US, "thread_us", US, SUM, "lifetime of these threads")                            \
	X(SLOWEST_US, "slowest_us", US, MOST, "time of the thread with the most")                  \
	X(SLOWEST_LIFE_US, "slowest_life_us", US, WITH, "lifetime of that thread")                 \
	X(READ_RANDOM, "read_random", CALLS, SUM,                                                  \
	  "reads that do not begin at the end of the last")                                        \
	X(WRITE_RANDOM, "write_random", CALLS, SUM,                                                \
	  "writes that do not begin at the end of the last")                                       \
	X(READ_FIRST, "read_first", CALLS, SUM, "first reads of a file by a thread")               \
	X(WRITE_FIRST, "write_first", CALLS, SUM, "first writes of a file by a thread")            \
	X(READ_SKIPPED, "read_skipped", CALLS, SUM, "reads that may be missing")                   \
	X(WRITE_SKIPPED, "write_skipped", CALLS, SUM, "writes that may be missing")                \
	X(META_SKIPPED, "meta_skipped", CALLS, SUM, "operations that may be missing")              \
	X(TIMES_SKIPPED, "times_skipped", CALLS, SUM, "calls whose time may be missing")

/* Members of "peak": of one node in a window, per second. */
#define IO_PEAKS(X)                                                                                \
	X(PEAK_READ, "read_Bps", BYTES, MOST, "the most that was read in a second")                \
	X(PEAK_WRITE, "write_Bps", BYTES, MOST, "the most that was written in a second")           \
	X(PEAK_WINDOW_S, "window_s", S, MOST, "the windows of these")

/* Members of "meta": operations, in the order of count/layout.h. */
#define IO_OPERATIONS(X)                                                                           \
	X(OP_OPEN, "open", CALLS, SUM, "opens")                                                    \
	X(OP_CREATE, "create", CALLS, SUM, "files created")                                        \
	X(OP_UNLINK, "unlink", CALLS, SUM, "files removed")                                        \
	X(OP_RENAME, "rename", CALLS, SUM, "renames")                                              \
	X(OP_MKDIR, "mkdir", CALLS, SUM, "directories created")                                    \
	X(OP_RMDIR, "rmdir", CALLS, SUM, "directories removed")                                    \
	X(OP_STAT, "stat", CALLS, SUM, "stats")                                                    \
	X(OP_LOOKUP_MISS, "lookup_miss", CALLS, SUM, "names that were not known to the node")      \
	X(OP_READDIR, "readdir", CALLS, SUM, "reads of directories")                               \
	X(OP_FSYNC, "fsync", CALLS, SUM, "fsyncs")                                                 \
	X(OP_LINK, "link", CALLS, SUM, "links")                                                    \
	X(OP_SYMLINK, "symlink", CALLS, SUM, "symbolic links")                                     \
	X(OP_MKNOD, "mknod", CALLS, SUM, "special files")                                          \
	X(OP_CHMOD, "chmod", CALLS, SUM, "changes of mode")                                        \
	X(OP_CHOWN, "chown", CALLS, SUM, "changes of owner")                                       \
	X(OP_UTIMES, "utimes", CALLS, SUM, "changes of times")                                     \
	X(OP_TRUNCATE, "truncate", CALLS, SUM, "truncations")                                      \
	X(OP_XATTR, "xattr", CALLS, SUM, "extended attributes read or changed")                    \
	X(OP_FALLOCATE, "fallocate", CALLS, SUM, "allocations")                                    \
	X(OP_STATFS, "statfs", CALLS, SUM, "queries of free space")

#define IO_NUMBERS(X)                                                                              \
	IO_CLIENT_NUMBERS(X)                                                                       \
	IO_PROCESS_NUMBERS(X)

#define IO_QUANTITIES(X)                                                                           \
	IO_NUMBERS(X)                                                                              \
	IO_PEAKS(X)                                                                                \
	IO_OPERATIONS(X)

#define IO_QUANTITY_ENUM(id, key, unit, adds, words) IO_##id,
enum io_number {
	IO_QUANTITIES(IO_QUANTITY_ENUM) IO_COUNT
};
#define IO_OPS (IO_COUNT - IO_OP_OPEN) /* operations: IO_OP_OPEN + 0, 1, .. */

enum io_unit {
	IO_BYTES,
	IO_CALLS, /* or threads: a count */
	IO_US,
	IO_S
};

enum io_adds {
	IO_SUM,
	IO_MOST, /* the larger one is kept, */
	IO_WITH	 /* and this one with that before it in the table */
};

struct io_quantity {
	const char *key, *words;
	enum io_unit unit;
	enum io_adds adds;
};
extern const struct io_quantity io_quantities[IO_COUNT];

enum io_scope {
	IO_SCOPE_JOB,
	IO_SCOPE_NODE
};

/* log2: bin i counts 2^i .. 2^(i+1)-1 bytes or nanoseconds; bin 0: 0 and 1. */
enum io_hist {
	IO_READ_SIZES,
	IO_WRITE_SIZES,
	IO_READ_NS,
	IO_WRITE_NS,
	IO_HISTS
};

/* Classes with times; their sum is a process' time in I/O. */
#define IO_TIMES(X) X(READ) X(WRITE) X(META) X(SYNC) X(CLOSE) X(MAPPED) X(ASYNC)

/* Failed calls are counted by class and errno. */
#define IO_CLASSES(X)                                                                              \
	X(READ, "read")                                                                            \
	X(WRITE, "write")                                                                          \
	X(META, "meta")                                                                            \
	X(SYNC, "sync")                                                                            \
	X(CLOSE, "close")                                                                          \
	X(MAPPED, "mapped")

#define IO_CLASS_ENUM(id, name) IO_CLASS_##id,
enum io_class {
	IO_CLASSES(IO_CLASS_ENUM) IO_CLASS_COUNT
};

#define IO_ERRNOS(X)                                                                               \
	X(EDQUOT)                                                                                  \
	X(ENOSPC)                                                                                  \
	X(EIO)                                                                                     \
	X(ESTALE)                                                                                  \
	X(ETIMEDOUT)                                                                               \
	X(EROFS)                                                                                   \
	X(EACCES)                                                                                  \
	X(ENOENT)

#define IO_ERRNO_ENUM(name) IO_##name,
enum io_errno {
	IO_ERRNOS(IO_ERRNO_ENUM) IO_ERRNO_COUNT
};

extern const char *const io_lane_names[TIMELINE_LANES];
extern const char *const io_class_names[IO_CLASS_COUNT];
extern const char *const io_errno_names[IO_ERRNO_COUNT];

struct io {
	int scope;	/* enum io_scope */
	int64_t shared; /* other jobs in numbers of scope node; IO_UNKNOWN */
	char source[IO_WORD_MAX];
	char client[IO_WORD_MAX]; /* client that has these counters; "" unknown */
	char *fs;		  /* mount point, or the client's name for it; NULL: all files */
	int64_t numbers[IO_COUNT];
	bool has_hist[IO_HISTS];
	int64_t hist[IO_HISTS][IO_BINS];
	int64_t errors[IO_ERRNO_COUNT][IO_CLASS_COUNT]; /* 0: none, or not counted */
	struct timeline timeline;			/* may have no rows */
};

/* Members in JSON (field.h). io_check() validates what was read. */
extern const struct field io_fields[];
int io_check(struct io *io, struct err *err);
/* Check that the rows of the timeline add up to the numbers. */
int io_check_lanes(const struct io *io, struct err *err);

/* Set all numbers to unknown, scope job. */
void io_init(struct io *io);

/* Add a number to a sum; either may be unknown. */
static inline void io_add_number(int64_t *sum, int64_t number)
{
	if (number < 0)
		return;
	if (*sum < 0)
		*sum = number;
	else if (__builtin_add_overflow(*sum, number, sum))
		*sum = INT64_MAX;
}

/* Return the time in all classes; IO_UNKNOWN if none is known. */
int64_t io_time_us(const int64_t *numbers);

/* Add the counters of 'io' to 'sum'; its scope, source and fs stay. */
void io_add(struct io *sum, const struct io *io);

/* Return true if any number is known. */
bool io_is_known(const struct io *io);
/* Return true if bytes or calls of reads or writes are known. */
bool io_is_counted(const struct io *io);

/* Return the metadata operations of all kinds. */
int64_t io_ops(const struct io *io);

#endif
