/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hooks.h - table of the kernel's functions at which jobio.bpf.c counts
 *
 * Terms   hook: one program on one function or tracepoint; a row of the table.
 *         loss: what is not counted without some hooks. Hooks of a loss are rows
 *           side by side; those with one number 'way' are one way to count it, and
 *           the first way of which the kernel has all hooks is taken.
 *         lost: losses as bits, 1 << enum hook_loss.
 *         skipped: how often the kernel did not run programs because they were still
 *           active on the same CPU, by enum count_kind.
 * Owner   static data.
 * Errors  none.
 * Runs    jobio-count, with libbpf or without.
 */
#ifndef JOBIO_COUNT_HOOKS_H
#define JOBIO_COUNT_HOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "count/layout.h"

#define HOOK_READ (1U << COUNT_KIND_READ)
#define HOOK_WRITE (1U << COUNT_KIND_WRITE)
#define HOOK_BOTH (HOOK_READ | HOOK_WRITE)
#define HOOK_OPS (1U << COUNT_KIND_OPS)
#define HOOK_MMAP (1U << COUNT_KIND_MMAP)
#define HOOK_MOUNTS (1U << COUNT_KIND_MOUNTS)
#define HOOK_EXIT (1U << COUNT_KIND_EXIT)
#define HOOK_TIMES (1U << COUNT_KIND_TIMES)

#define OP(id) (1U << COUNT_##id)
#define TIME(id) (1U << (COUNT_META_OPS + COUNT_TIME_##id))
#define THREADS_LOST (1U << (COUNT_META_OPS + COUNT_CLASSES))

/* group; what is not counted; numbers of the record that are too low then; operations
 * and times that are not known; a member without which it cannot be counted. "+": since some version
 * the kernel has the function; without it another one sees the same. */
#define HOOK_LOSSES(X)                                                                             \
	X(EXIT, EXIT, "totals of processes", HOOK_EXIT, 0, NULL)                                   \
	X(READ, RW, "read and pread", HOOK_READ | HOOK_TIMES, 0, NULL)                             \
	X(READV, RW, "readv and preadv", HOOK_READ | HOOK_TIMES, 0, NULL)                          \
	X(WRITE, RW, "write and pwrite", HOOK_WRITE | HOOK_TIMES, 0, NULL)                         \
	X(WRITEV, RW, "writev and pwritev", HOOK_WRITE | HOOK_TIMES, 0, NULL)                      \
	X(COPY, RW, "copy_file_range", HOOK_BOTH | HOOK_TIMES, 0, NULL)                            \
	X(SENDFILE, RW, "sendfile", HOOK_BOTH | HOOK_TIMES, 0, NULL)                               \
	X(SPLICE, RW, "splice", HOOK_BOTH | HOOK_TIMES, 0, NULL)                                   \
	X(TO_PIPE, RW, "+sendfile to a pipe", HOOK_READ, 0, NULL)                                  \
	X(CORE, RW, "core dumps", HOOK_WRITE, 0, NULL)                                             \
	X(SUPER, RW, "device numbers that are used again", HOOK_MOUNTS, 0, NULL)                   \
	X(MOUNT, RW, "mounts below", HOOK_MOUNTS, 0, NULL)                                         \
	X(IMAGE, RW, "images and overlays", HOOK_MOUNTS, 0, NULL)                                  \
	X(AIO, AIO, "libaio", HOOK_BOTH | HOOK_TIMES, 0, NULL)                                     \
	X(AIO_DONE, AIO, "answers of libaio", HOOK_BOTH | HOOK_TIMES, 0, NULL)                     \
	X(AIO_TWICE, AIO, "+libaio where the kernel preempts itself", 0, 0, NULL)                  \
	X(AIO_FSYNC, AIO, "fsync of libaio", HOOK_OPS, 0, NULL)                                    \
	X(URING, URING, "io_uring", HOOK_BOTH, 0, "io_kiocb.cqe")                                  \
	X(URING_DONE, URING, "answers of io_uring", HOOK_BOTH, 0, "io_kiocb.cqe")                  \
	X(URING_POLL, URING, "polled rings of io_uring", HOOK_BOTH, 0, "io_kiocb.cqe")             \
	X(URING_FSYNC, URING, "fsync of io_uring", HOOK_OPS, 0, "io_kiocb.cqe")                    \
	X(OPEN, META, "open", HOOK_OPS, OP(OPEN) | OP(CREATE), NULL)                               \
	X(OPEN_HANDLE, META, "open_by_handle_at", HOOK_OPS, 0, NULL)                               \
	X(STAT, META, "stat", HOOK_OPS, OP(STAT), NULL)                                            \
	X(UNLINK, META, "unlink", HOOK_OPS, OP(UNLINK), NULL)                                      \
	X(MKDIR, META, "mkdir", HOOK_OPS, OP(MKDIR), NULL)                                         \
	X(RMDIR, META, "rmdir", HOOK_OPS, OP(RMDIR), NULL)                                         \
	X(RENAME, META, "rename", HOOK_OPS, OP(RENAME), NULL)                                      \
	X(READDIR, META, "readdir", HOOK_OPS | HOOK_TIMES, OP(READDIR), NULL)                      \
	X(FSYNC, META, "fsync", HOOK_OPS, OP(FSYNC), NULL)                                         \
	X(SYNC_CALLS, META, "+fsync beside O_SYNC", HOOK_OPS, 0, NULL)                             \
	X(LINK, META, "link", HOOK_OPS, OP(LINK), NULL)                                            \
	X(SYMLINK, META, "symlink", HOOK_OPS, OP(SYMLINK), NULL)                                   \
	X(MKNOD, META, "mknod", HOOK_OPS, OP(MKNOD), NULL)                                         \
	X(SETATTR, META, "chmod, chown, utimes and truncate", HOOK_OPS,                            \
	  OP(CHMOD) | OP(CHOWN) | OP(UTIMES) | OP(TRUNCATE), NULL)                                 \
	X(XATTR, META, "xattr", HOOK_OPS, OP(XATTR), NULL)                                         \
	X(ACL, META, "+POSIX ACLs", HOOK_OPS, 0, NULL)                                             \
	X(FALLOCATE, META, "fallocate", HOOK_OPS | HOOK_TIMES, OP(FALLOCATE), NULL)                \
	X(STATFS, META, "statfs", HOOK_OPS | HOOK_TIMES, OP(STATFS), NULL)                         \
	X(LOOKUP, META, "lookup_miss", HOOK_OPS, OP(LOOKUP_MISS), NULL)                            \
	X(MMAP_READ, MMAP, "pages that are read", HOOK_MMAP, 0, "folio.mapping")                   \
	X(MMAP_WRITE, MMAP, "pages that are dirtied", HOOK_MMAP, 0, "folio.mapping")               \
	X(FAULTS, MMAP, "page faults within system calls", HOOK_MMAP | HOOK_TIMES, 0,              \
	  "bpf_func_id.BPF_FUNC_task_pt_regs")                                                     \
	X(WILLNEED, MMAP, "MADV_WILLNEED", HOOK_MMAP, 0, "bpf_func_id.BPF_FUNC_task_pt_regs")      \
	X(LATENCY, LATENCY, "latency", HOOK_TIMES, TIME(READ) | TIME(WRITE), NULL)                 \
	X(T_OPEN, LATENCY, "time of open", HOOK_TIMES, TIME(META), NULL)                           \
	X(T_STAT, LATENCY, "time of stat", HOOK_TIMES, TIME(META), NULL)                           \
	X(T_STATX, LATENCY, "+time of statx of a descriptor", HOOK_TIMES, 0, NULL)                 \
	X(T_ACCESS, LATENCY, "time of access and readlink", HOOK_TIMES, 0, NULL)                   \
	X(T_UNLINK, LATENCY, "time of unlink and rmdir", HOOK_TIMES, TIME(META), NULL)             \
	X(T_RENAME, LATENCY, "time of rename and mkdir", HOOK_TIMES, TIME(META), NULL)             \
	X(T_LINK, LATENCY, "time of link, symlink and mknod", HOOK_TIMES, 0, NULL)                 \
	X(T_SETATTR, LATENCY, "time of chmod and the like", HOOK_TIMES, 0, NULL)                   \
	X(T_READDIR, LATENCY, "time of readdir", HOOK_TIMES, TIME(META), NULL)                     \
	X(T_FALLOCATE, LATENCY, "time of fallocate", HOOK_TIMES, 0, NULL)                          \
	X(T_LOCK, LATENCY, "time of fcntl locks", HOOK_TIMES, 0, NULL)                             \
	X(T_FLOCK, LATENCY, "time of flock", HOOK_TIMES, 0,                                        \
	  "bpf_func_id.BPF_FUNC_get_current_task_btf")                                             \
	X(T_SYNC, LATENCY, "time of fsync", HOOK_TIMES, TIME(SYNC), NULL)                          \
	X(T_CLOSE, LATENCY, "time of close", HOOK_TIMES, TIME(CLOSE), NULL)                        \
	X(T_RELEASE, LATENCY, "time of the last close", HOOK_TIMES, 0, NULL)                       \
	X(T_GETEVENTS, LATENCY, "waiting for libaio", HOOK_TIMES, TIME(ASYNC), NULL)               \
	X(T_RING, LATENCY, "start of waiting for io_uring", HOOK_TIMES, 0, "io_kiocb.cqe")         \
	X(T_URING, LATENCY, "waiting for io_uring", HOOK_TIMES, 0, "io_kiocb.cqe")                 \
	X(T_THREADS, LATENCY, "times of threads", HOOK_TIMES, THREADS_LOST, NULL)

#define HOOK_LOSS_ENUM(id, group, text, kinds, ops, needs) LOSS_##id,
enum hook_loss {
	HOOK_LOSSES(HOOK_LOSS_ENUM) HOOK_LOSS_COUNT
};

enum hook_type {
	HOOK_FENTRY,
	HOOK_FEXIT,
	HOOK_TRACEPOINT,
	HOOK_KPROBE,
	HOOK_MULTI,  /* fprobe: one program at many functions; where the kernel preempts itself */
	HOOK_SESSION /* the same, and at their ends */
};

struct hook {
	enum hook_loss loss;
	unsigned int way;
	const char *program; /* in jobio.bpf.c */
	enum hook_type type;
	const char *target;
	int args;      /* so many; ANY_ARGS */
	uint32_t what; /* for a program at many functions, COUNT_WHAT; 0: cannot be done by one */
};
#define ANY_ARGS (-1)

#define HOOKS_MAX 224
extern const struct hook hooks[];
extern const size_t hook_count;

/* The group that a loss belongs to, as a bit; its member, or NULL; does the kernel
 * count it in another way where it has none of the functions? */
uint32_t hook_group(enum hook_loss loss);
const char *hook_needs(enum hook_loss loss);
bool hook_is_newer(enum hook_loss loss);

const char *hook_group_name(unsigned int bit);

const char *hook_loss_text(enum hook_loss loss);

/* What is lost, as words: "io_uring, core dumps"; "" for nothing. */
void hooks_text(uint64_t lost, char *text, size_t room);

/* The operations that are not counted: OP(), and the times: TIME(), THREADS_LOST. */
uint32_t hooks_lost_ops(uint64_t lost);

/* Quality flags of a record; skipped: of these kinds. */
uint64_t hooks_lost_flags(uint64_t lost);
/* Classes of time of which more than 1 in 100 calls may have been skipped, TIME() and THREADS_LOST;
 * 's' has the calls that were counted. Where the end of a call and the beginning of the next one
 * were skipped, the time between them is counted: with 1 in 100, at most 1 % of it. */
uint32_t hooks_skipped_times(const __u64 before[COUNT_KINDS], const __u64 now[COUNT_KINDS],
			     const struct count_slot *s);
uint64_t hooks_skipped_flags(const __u64 before[COUNT_KINDS], const __u64 now[COUNT_KINDS],
			     uint32_t kinds);

/* The kinds of calls that a program counts: HOOK_READ and the like. */
uint32_t hooks_kinds(const char *program);

#endif
