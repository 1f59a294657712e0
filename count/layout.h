/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.h - what the BPF programs and their loader say to each other
 *
 * Terms   slot: the counters of one job on one filesystem. The counters lie in
 *           an array, each slot COUNT_SHARDS_MAX times at most (the CPU picks
 *           one, so that many cores do not fight for a cache line); slot 0 is
 *           nobody's.
 *         dev: the kernel's number of a superblock, major << 20 | minor, as in
 *           /proc/self/mountinfo; 0 stands for all files (process exit).
 *         group: programs for one kind of I/O (hooks.h).
 *         window: a second of CLOCK_REALTIME, by its number since 1970, as the
 *           clock was when the job started; jiffies tell when it is over.
 *         class: of calls, by what the time in them was spent on.
 *         thread: one that did timed I/O on the slot's filesystem. Alive is one that did
 *           not end; 'born' is when it began to live, or the job to be counted.
 *         row: what was moved, and the time in calls, in 1 << shift windows, the first of which has a
 *           number that is a multiple of that. row n begins with window
 *           n << shift; rows of two lines lie in each other whole.
 *         line: the last COUNT_ROWS rows of a shard. When time runs past them,
 *           neighbours become one row (line.h): memory stays the same.
 * Runs    in the kernel and in jobio-count. Every change of a struct here is a
 *           new COUNT_LAYOUT: pinned maps outlive the helper that made them.
 */
#ifndef JOBIO_COUNT_LAYOUT_H
#define JOBIO_COUNT_LAYOUT_H

#include <linux/types.h>

#define COUNT_LAYOUT 9
#define COUNT_SHARDS_MAX 8
#define COUNT_NAME_BYTES 16
#define COUNT_MOUNT_BYTES 488
#define COUNT_PATH_BYTES 128 /* a power of two */
#define COUNT_SIZE_BINS 32   /* one call moves less than 2 GiB */
#define COUNT_NS_BINS 40     /* 2^40 ns are 18 minutes */
#define COUNT_WINDOW_S 1
#define COUNT_ROWS 64
#define COUNT_PEAK_SHIFT 16 /* a CPU reports what it moved by 64 KiB */

enum count_rw {
	COUNT_READ,
	COUNT_WRITE
};

/* In the order of IO_CLASSES (record/io.h); the first of them can fail. */
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

#define COUNT_ERRNOS 8 /* as IO_ERRNOS has them */

/* What a program saw and could not count. */
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

/* Functions of the kernel whose numbers the loader puts in. */
#define COUNT_CALL_IS_RETURN 0x6a6f0001 /* bpf_session_is_return() */
#define COUNT_CALL_COOKIE 0x6a6f0002	/* bpf_session_cookie() */
#define COUNT_CALL_TYPED 0x6a6f0003	/* bpf_rdonly_cast() */

/* How a program for many functions finds the filesystem of a call in its arguments, which
 * are these. What is timed, and from COUNT_OPENED on all, needs the end of the call, too. */
enum count_shape {
	COUNT_OF_NOTHING, /* the hook has a program of its own */
	COUNT_OF_PATH,
	COUNT_OF_INODE,
	COUNT_OF_INODE_1, /* the second argument */
	COUNT_OF_DENTRY,
	COUNT_OF_DENTRY_1,
	COUNT_OF_XATTR,	   /* a dentry */
	COUNT_OF_CHANGE,   /* of an inode's attributes */
	COUNT_OF_LOOKUP,   /* of a name */
	COUNT_OF_SYNC,	   /* file: what is written of it */
	COUNT_OF_DIRTY,	   /* a page */
	COUNT_OF_THREAD,   /* its end */
	COUNT_OF_ANSWER,   /* io_kiocb that is done */
	COUNT_NAME,	   /* a folder and a name */
	COUNT_CALL,	   /* of a filesystem that is found within it */
	COUNT_FILE,	   /* or folder */
	COUNT_LOCK,	   /* file: the second argument */
	COUNT_FLUSH,	   /* file, where the filesystem does something */
	COUNT_RELEASE,	   /* the same */
	COUNT_DESCRIPTOR,  /* of a system call */
	COUNT_OPENED,	   /* returns a file */
	COUNT_MSYNC,	   /* a system call */
	COUNT_COPY,	   /* from a file to another */
	COUNT_DIRECT,	   /* the same, which may be part of one */
	COUNT_TO_PIPE,	   /* the same, from a file alone */
	COUNT_AIO_READ,	   /* kiocb */
	COUNT_AIO_WRITE,   /* kiocb */
	COUNT_AIO_FSYNC,   /* fsync_iocb */
	COUNT_URING,	   /* io_kiocb: read or write */
	COUNT_URING_FSYNC, /* io_kiocb */
	COUNT_FAULT,	   /* vm_fault */
	COUNT_WILLNEED,	   /* file */
	COUNT_PAGE,	   /* added to a mapping */
	COUNT_RING,	   /* waits for answers of io_uring */
	COUNT_RING_CALL	   /* may wait for them */
};

/* What is to be done at a function: the cookie of the hook. Operation and class of time are
 * one more than their numbers, 0: none. */
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

/* What the record says when a program was skipped. */
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

/* Fixed when the programs are loaded: read only, so that the kernel removes
 * the branches that are not taken. */
struct count_config {
	__u32 cgroup_v1;    /* the freezer hierarchy instead of v2 */
	__u32 latency;	    /* the latency group is loaded */
	__u32 storage;	    /* tasks have storage; else a hash of threads */
	__u32 int_pointers; /* programs see arguments that point to numbers */
	__u32 shard_shift;  /* 1 << shard_shift shards */
	__u32 page_bytes;
	__u32 syncs_apart;    /* fsync(2) and fdatasync(2) have programs */
	__u32 window_ticks;   /* jiffies in COUNT_WINDOW_S; 0: no peaks, no rows */
	__u32 setattr_idmap;  /* security_inode_setattr(): a first argument */
	__u32 setxattr_idmap; /* security_inode_setxattr(): the same */
};

/* The most that was moved in one of the windows into which the kernel's clock
 * is cut. All CPUs report to the first shard; two that end a window at the same
 * time may lose what they are about to report, no more. */
struct count_peak {
	__u64 total;  /* so far */
	__u64 mark;   /* total when the window began */
	__u64 window; /* its number */
	__u64 most;   /* of the windows that are over */
};

struct count_row {
	__u64 bytes[2], calls; /* calls: of both kinds */
	__u64 ns;	       /* in calls of all classes */
};

/* What the counters of a shard were when its last window ended is 'told'; it is
 * the sum of the rows. What came after is of 'window'. Only who has the shard's
 * lock writes here. */
struct count_line {
	__u64 real_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC at the start */
	__u64 window;
	__u64 base; /* the number of the first row */
	__u32 shift;
	__u32 writes; /* odd: somebody writes */
	struct count_row told;
	struct count_row rows[COUNT_ROWS];
};

struct count_slot {
	__u32 job, dev;		  /* whose it is; 0: free */
	__u32 first, zero;	  /* index of the slot's first shard */
	__u64 start_ns;		  /* CLOCK_MONOTONIC when the job started */
	__u64 until;		  /* jiffies with which the window of the line
				     ends; 0: there is none yet */
	__u64 bytes[2], calls[2]; /* enum count_rw */
	__u64 sizes[2][COUNT_SIZE_BINS];
	__u64 meta[COUNT_META_OPS];
	__u64 mmap_bytes[2];
	__u64 missed[COUNT_MISSED_KINDS];
	__u64 ns[2][COUNT_NS_BINS];
	__u64 time_ns[COUNT_CLASSES];
	__u64 errors[COUNT_ERRNOS][COUNT_FAILED_CLASSES];
	__u64 random[2], firsts[2];	   /* not where the last ended; of a file */
	__u64 threads, life_ns;		   /* all of them; of those that ended */
	__u64 alive, born_ns;		   /* these times, added up */
	__u64 slowest_ns, slowest_life_ns; /* of one thread; not a sum */
	struct count_peak peak[2];	   /* in the first shard; not a sum */
	struct count_line line;		   /* of this shard */
};

struct count_key {
	__u32 job, dev;
};

/* What became of a device number that is counted: superblocks that had it and
 * ended; mount points that root, outside of jobs, made on it, loop devices and
 * overlays of its files. */
struct count_dev {
	__u32 ended, mounted, images;
};

/* "/m/scratch/", and its length in bits: names that begin so lie there */
struct count_path {
	__u32 bits;
	char text[COUNT_PATH_BYTES];
};

#define COUNT_PARTIAL 1U /* there was no room for all filesystems */
#define COUNT_IMAGE 2U	 /* a loop device or overlay of its files was there before the job */

struct count_entry {
	__u32 slot, flags;
	__u64 start_s;		    /* CLOCK_BOOTTIME */
	__u64 skipped[COUNT_KINDS]; /* calls, by then; see hooks.h */
	struct count_dev dev;	    /* as it was at the start */
	char mount[COUNT_MOUNT_BYTES];
};

/* "job_7", or Slurm's SLUID: "s" and 13 digits (src/common/sluid.h). Longer
 * names of cgroups are cut to 15 bytes, and so are never equal to these. */
union count_name {
	char text[COUNT_NAME_BYTES];
	__u64 words[COUNT_NAME_BYTES / 8];
};

/* What is pinned in this directory. */
struct count_info {
	__u32 layout, groups, slots, shard_shift;
	__u32 cgroup_v1, reserved;
	__u64 lost; /* bits of enum hook_loss (hooks.h) */
};

#endif
