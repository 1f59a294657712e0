/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.h - data shared by the BPF programs and jobio-count
 *
 * Terms   slot: counters of one job on one filesystem, in an array. A slot has up to
 *           COUNT_SHARDS_MAX shards, selected by the CPU, so that CPUs rarely write to the
 *           same cache line. Slot 0 is not used.
 *         dev: device number of a superblock, major << 20 | minor, as in
 *           /proc/self/mountinfo; 0: all files (process exit).
 *         group: programs for one kind of I/O (hooks.h).
 *         window: a second of CLOCK_REALTIME since 1970, by the clock at the start of the job;
 *           its end is known in jiffies.
 *         class: of calls, by the kind of time spent in them.
 *         thread: one that did timed I/O on the slot's filesystem; 'alive' ones have not
 *           ended. Its start: when it, or counting, started.
 *         row: bytes and time of 1 << shift windows. Row n begins with window n << shift, so
 *           rows of two series nest.
 *         series: the last COUNT_ROWS rows of a shard. For later windows neighbours are added
 *           up (series.h): its size is constant.
 * Owner   plain data.
 * Errors  none.
 * Runs    in the kernel and in jobio-count. Every change of a struct here needs a new
 *           COUNT_LAYOUT: pinned maps stay over updates of jobio-count.
 */
#ifndef JOBIO_COUNT_LAYOUT_H
#define JOBIO_COUNT_LAYOUT_H

#include <linux/types.h>

#define COUNT_LAYOUT 9
#define COUNT_SHARDS_MAX 8
#define COUNT_NAME_BYTES 16
#define COUNT_MOUNT_BYTES 488
#define COUNT_PATH_BYTES 128 /* a power of two */
#define COUNT_SIZE_BINS 32   /* calls of less than 2 GiB */
#define COUNT_NS_BINS 40     /* 2^40 ns are 18 minutes */
#define COUNT_WINDOW_S 1
#define COUNT_ROWS 64
#define COUNT_PEAK_SHIFT 16 /* CPUs add to the peak in steps of 64 KiB */

enum count_rw {
	COUNT_READ,
	COUNT_WRITE
};

/* In the order of IO_CLASSES (record/io.h); failures are counted for the first of them. */
enum count_class {
	COUNT_TIME_READ,
	COUNT_TIME_WRITE,
	COUNT_TIME_META,
	COUNT_TIME_SYNC,
	COUNT_TIME_CLOSE,
	COUNT_TIME_MAPPED,
	COUNT_FAILED_CLASSES,
	COUNT_TIME_ASYNC = COUNT_FAILED_CLASSES,
	COUNT_CLASSES
};

#define COUNT_ERRNOS 8 /* those of IO_ERRNOS */

/* Events that a program could not count. */
enum count_missed {
	COUNT_MISSED_READ,
	COUNT_MISSED_WRITE,
	COUNT_MISSED_MOUNT, /* a filesystem mounted below this one */
	COUNT_MISSED_IMAGE, /* loop device or overlay of its files */
	COUNT_MISSED_KINDS
};

/* In the order of IO_QUANTITIES (record/io.h). */
enum count_meta {
	COUNT_OPEN,
	COUNT_CREATE,
	COUNT_UNLINK,
	COUNT_RENAME,
	COUNT_MKDIR,
	COUNT_RMDIR,
	COUNT_STAT,
	COUNT_LOOKUP_MISS,
	COUNT_READDIR,
	COUNT_FSYNC,
	COUNT_LINK,
	COUNT_SYMLINK,
	COUNT_MKNOD,
	COUNT_CHMOD,
	COUNT_CHOWN,
	COUNT_UTIMES,
	COUNT_TRUNCATE,
	COUNT_XATTR,
	COUNT_FALLOCATE,
	COUNT_STATFS,
	COUNT_META_OPS
};

/* Placeholders in calls, which the loader replaces by BTF ids of kernel functions. */
#define COUNT_CALL_IS_RETURN 0x6a6f0001 /* bpf_session_is_return() */
#define COUNT_CALL_COOKIE 0x6a6f0002	/* bpf_session_cookie() */
#define COUNT_CALL_TYPED 0x6a6f0003	/* bpf_rdonly_cast() */

/* Arguments of a function, for a program that is attached to many. Timed calls, and all from
 * COUNT_OPENED on, need a program at the end as well. */
enum count_shape {
	COUNT_OF_NOTHING, /* a hook with a program of its own */
	COUNT_OF_PATH,
	COUNT_OF_INODE,
	COUNT_OF_INODE_1, /* the second argument */
	COUNT_OF_DENTRY,
	COUNT_OF_DENTRY_1,
	COUNT_OF_XATTR,	   /* a dentry */
	COUNT_OF_CHANGE,   /* attributes of an inode */
	COUNT_OF_LOOKUP,   /* a name */
	COUNT_OF_SYNC,	   /* file */
	COUNT_OF_DIRTY,	   /* a page */
	COUNT_OF_SPACE,	   /* dentry: statfs */
	COUNT_OF_THREAD,   /* exit of a thread */
	COUNT_OF_ANSWER,   /* completed io_kiocb */
	COUNT_NAME,	   /* directory descriptor and path */
	COUNT_CALL,	   /* nested programs find the filesystem */
	COUNT_FILE,	   /* or directory */
	COUNT_LOCK,	   /* file: the second argument */
	COUNT_FLUSH,	   /* file, if the filesystem has this operation */
	COUNT_RELEASE,	   /* the same */
	COUNT_DESCRIPTOR,  /* first argument of a system call */
	COUNT_OPENED,	   /* returns a file */
	COUNT_OPENED_ROOT, /* the same, of a path */
	COUNT_MSYNC,	   /* a system call */
	COUNT_SPACE,	   /* statfs */
	COUNT_COPY,	   /* from a file to another */
	COUNT_DIRECT,	   /* the same, perhaps nested in one */
	COUNT_TO_PIPE,	   /* from a file to a pipe */
	COUNT_AIO_READ,	   /* kiocb */
	COUNT_AIO_WRITE,   /* kiocb */
	COUNT_AIO_FSYNC,   /* fsync_iocb */
	COUNT_URING,	   /* io_kiocb: read or write */
	COUNT_URING_FSYNC, /* io_kiocb */
	COUNT_FAULT,	   /* vm_fault */
	COUNT_WILLNEED,	   /* file */
	COUNT_PAGE,	   /* added to a mapping */
	COUNT_RING,	   /* wait for completions of io_uring */
	COUNT_RING_CALL	   /* io_uring_enter(2), which may wait */
};

/* Cookie of a hook: shape, operation + 1 and class of time + 1; 0: none. */
#define COUNT_WHAT(shape, op, class) ((shape) | (op) << 8 | (class) << 16)
#define COUNT_WHAT_SHAPE(what) ((what)&255)
#define COUNT_WHAT_OP(what) ((__u32)((what) >> 8 & 255) - 1)
#define COUNT_WHAT_CLASS(what) ((__u32)((what) >> 16 & 255) - 1)
#define COUNT_WHAT_ENDS(what) ((what) >> 16 || COUNT_WHAT_SHAPE(what) >= COUNT_OPENED)

#define COUNT_GROUPS(X)                                                                            \
	X(EXIT, "exit", "totals of processes")                                                     \
	X(RW, "rw", "read, write and their relatives")                                             \
	X(META, "meta", "operations on names and inodes")                                          \
	X(AIO, "aio", "libaio")                                                                    \
	X(URING, "uring", "io_uring")                                                              \
	X(MMAP, "mmap", "mapped files")                                                            \
	X(LATENCY, "latency", "latency")

#define COUNT_GROUP_BIT(id, name, text) COUNT_BIT_##id,
enum count_group_bit {
	COUNT_GROUPS(COUNT_GROUP_BIT) COUNT_GROUP_COUNT
};
#define COUNT_GROUP(id) (1U << COUNT_BIT_##id)

/* Kinds of calls, for quality flags after skipped programs. */
enum count_kind {
	COUNT_KIND_READ,
	COUNT_KIND_WRITE,
	COUNT_KIND_OPS,
	COUNT_KIND_MMAP,
	COUNT_KIND_MOUNTS,
	COUNT_KIND_EXIT,
	COUNT_KIND_TIMES,
	COUNT_KINDS
};

/* Constants of a loaded set, read only: the verifier removes branches that they exclude. */
struct count_config {
	__u32 cgroup_v1;    /* the freezer hierarchy instead of v2 */
	__u32 latency;	    /* the latency group is loaded */
	__u32 storage;	    /* task storage for threads; else a hash */
	__u32 int_pointers; /* programs may load arguments that point to integers */
	__u32 shard_shift;  /* 1 << shard_shift shards */
	__u32 page_bytes;
	__u32 syncs_apart;    /* fsync(2) and fdatasync(2) have programs */
	__u32 window_ticks;   /* jiffies in COUNT_WINDOW_S; 0: no peaks, no rows */
	__u32 setattr_idmap;  /* security_inode_setattr() has it as first argument */
	__u32 setxattr_idmap; /* security_inode_setxattr(): the same */
};

/* Most bytes in one window of the kernel's clock. All CPUs add to the first shard. If two close a
 * window at the same time, one step of each may be lost. */
struct count_peak {
	__u64 total;  /* so far */
	__u64 mark;   /* total at the start of the window */
	__u64 window; /* its number */
	__u64 most;   /* in earlier windows */
};

struct count_row {
	__u64 bytes[2], calls; /* calls: of both kinds */
	__u64 ns;	       /* in calls of all classes */
};

/* 'counted': counters at the end of the last window, the sum of all rows. Later calls belong to
 * 'window'. Written under the lock of the shard. */
struct count_series {
	__u64 real_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC at the start */
	__u64 window;
	__u64 base; /* the number of the first row */
	__u32 shift;
	__u32 writes; /* odd during a write */
	struct count_row counted;
	struct count_row rows[COUNT_ROWS];
};

struct count_slot {
	__u32 job, dev;		  /* 0: free */
	__u32 first, zero;	  /* index of the slot's first shard */
	__u64 start_ns;		  /* CLOCK_MONOTONIC when the job started */
	__u64 until;		  /* end of the window, in jiffies; 0: none */
	__u64 bytes[2], calls[2]; /* enum count_rw */
	__u64 sizes[2][COUNT_SIZE_BINS];
	__u64 meta[COUNT_META_OPS];
	__u64 mmap_bytes[2];
	__u64 missed[COUNT_MISSED_KINDS];
	__u64 ns[2][COUNT_NS_BINS];
	__u64 time_ns[COUNT_CLASSES];
	__u64 errors[COUNT_ERRNOS][COUNT_FAILED_CLASSES];
	__u64 random[2], firsts[2];	       /* at another offset; of a file */
	__u64 threads, ended_lifetime_ns;      /* number; lifetimes of ended ones */
	__u64 alive, started_ns;	       /* number; sum of their starts */
	__u64 slowest_ns, slowest_lifetime_ns; /* of one thread: no sums */
	struct count_peak peak[2];	       /* in the first shard: no sum */
	struct count_series series;	       /* of this shard */
};

struct count_key {
	__u32 job, dev;
};

/* Events on a counted device number: destroyed superblocks; mounts, and loop devices or overlays
 * of its files, that root made outside of jobs. */
struct count_dev {
	__u32 ended, mounted, images;
};

/* A mount point with a final "/", and its length in bits: a prefix of paths */
struct count_path {
	__u32 bits;
	char text[COUNT_PATH_BYTES];
};

#define COUNT_PARTIAL 1U /* some filesystems are not counted */
#define COUNT_IMAGE 2U	 /* a loop device or overlay of its files existed before the job */

struct count_entry {
	__u32 slot, flags;
	__u64 start_s;		    /* CLOCK_BOOTTIME */
	__u64 skipped[COUNT_KINDS]; /* skipped calls at the start (hooks.h) */
	struct count_dev dev;	    /* at the start */
	char mount[COUNT_MOUNT_BYTES];
};

/* "job_7", or Slurm's SLUID: "s" and 13 digits (src/common/sluid.h). Longer names of cgroups are
 * cut to 15 bytes, and equal none of these. */
union count_name {
	char text[COUNT_NAME_BYTES];
	__u64 words[COUNT_NAME_BYTES / 8];
};

/* Description of a pinned set. */
struct count_info {
	__u32 layout, groups, slots, shard_shift;
	__u32 cgroup_v1, reserved;
	__u64 lost; /* bits of enum hook_loss (hooks.h) */
};

#endif
