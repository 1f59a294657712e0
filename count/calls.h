/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calls.h - functions of the kernel that are calls of a job, and what is counted at them
 *
 * Terms   row: loss, way (hooks.h), name of its program, function, number of its arguments,
 *           COUNT_WHAT. Rows of a loss are side by side.
 *         BEGIN: a program at the beginning of the function; BOTH: and one at its end, NAME_done;
 *           END: this one alone. MORE: the end for the BEGIN of another row, of another loss.
 *         AGAIN, AGAIN_BEGIN: the programs of another row at another function, or for another loss.
 * Runs    jobio.bpf.c makes programs of it, hooks.c its table. Where the kernel preempts itself
 *           one program is at all of these functions.
 */
#ifndef JOBIO_COUNT_CALLS_H
#define JOBIO_COUNT_CALLS_H

#include "count/layout.h"

/* A shape alone, one with an operation, one with a class of time */
#define AS(shape) COUNT_WHAT(COUNT_##shape, 0, 0)
#define DOES(shape, op) COUNT_WHAT(COUNT_##shape, COUNT_##op + 1, 0)
#define TAKES(shape, class) COUNT_WHAT(COUNT_##shape, 0, COUNT_TIME_##class + 1)

/* clang-format off */
#define COUNT_CALLS(BEGIN, BOTH, END, MORE, AGAIN, AGAIN_BEGIN, AGAIN_END) \
	BOTH(COPY, 0, copy, "vfs_copy_file_range", 6, AS(COPY)) \
	/* sendfile(2), and copy_file_range(2) before 6.8 */ \
	BOTH(SENDFILE, 0, direct, "do_splice_direct", 6, AS(DIRECT)) \
	/* splice(2) and that of io_uring, from a file or to one */ \
	BOTH(SPLICE, 0, splice, "do_splice", 6, AS(COPY)) \
	/* sendfile(2) to a pipe (5.12); before, it is do_splice_direct() as well */ \
	BOTH(TO_PIPE, 0, to_pipe, "splice_file_to_pipe", 5, AS(TO_PIPE)) \
	BOTH(AIO, 0, aio_read, "aio_read", 4, AS(AIO_READ)) \
	BOTH(AIO, 0, aio_write, "aio_write", 4, AS(AIO_WRITE)) \
	/* the kernel does it later, in a thread of its own */ \
	END(AIO_FSYNC, 0, aio_fsync, "aio_fsync", 3, AS(AIO_FSYNC)) \
	BOTH(URING, 0, io_read, "io_read", 2, AS(URING)) \
	BOTH(URING, 0, io_write, "io_write", 2, AS(URING)) \
	END(URING_FSYNC, 0, io_fsync, "io_fsync", 2, AS(URING_FSYNC)) \
	/* renamed in 7.0 */ \
	BOTH(OPEN, 0, open, "do_filp_open", 3, TAKES(OPENED, META)) \
	AGAIN(OPEN, 1, open, "do_file_open", 3, TAKES(OPENED, META)) \
	/* open_by_handle_at(2) */ \
	BOTH(OPEN_HANDLE, 0, open_root, "file_open_root", 4, TAKES(OPENED_ROOT, META)) \
	BOTH(OPEN_HANDLE, 1, open_root_5, "file_open_root", 5, TAKES(OPENED_ROOT, META)) \
	BEGIN(STAT, 0, stat, "security_inode_getattr", 1, DOES(OF_PATH, STAT)) \
	BEGIN(UNLINK, 0, unlink, "security_inode_unlink", 2, DOES(OF_INODE, UNLINK)) \
	BEGIN(MKDIR, 0, mkdir, "security_inode_mkdir", 3, DOES(OF_INODE, MKDIR)) \
	BEGIN(RMDIR, 0, rmdir, "security_inode_rmdir", 2, DOES(OF_INODE, RMDIR)) \
	BEGIN(RENAME, 0, rename, "security_inode_rename", 5, DOES(OF_INODE, RENAME)) \
	BEGIN(READDIR, 0, readdir, "iterate_dir", 2, DOES(FILE, READDIR)) \
	BEGIN(FSYNC, 0, sync_range, "vfs_fsync_range", 4, AS(OF_SYNC)) \
	/* on arm64 they are called __arm64_sys_* */ \
	BEGIN(SYNC_CALLS, 0, fsync, "__x64_sys_fsync", 1, DOES(DESCRIPTOR, FSYNC)) \
	BEGIN(SYNC_CALLS, 0, fdatasync, "__x64_sys_fdatasync", 1, DOES(DESCRIPTOR, FSYNC)) \
	BOTH(SYNC_CALLS, 0, msync, "__x64_sys_msync", 1, TAKES(MSYNC, SYNC)) \
	AGAIN_BEGIN(SYNC_CALLS, 1, fsync, "__arm64_sys_fsync", 1, DOES(DESCRIPTOR, FSYNC)) \
	AGAIN_BEGIN(SYNC_CALLS, 1, fdatasync, "__arm64_sys_fdatasync", 1, DOES(DESCRIPTOR, FSYNC)) \
	AGAIN(SYNC_CALLS, 1, msync, "__arm64_sys_msync", 1, TAKES(MSYNC, SYNC)) \
	BEGIN(LINK, 0, link, "security_inode_link", 3, DOES(OF_INODE_1, LINK)) \
	BEGIN(SYMLINK, 0, symlink, "security_inode_symlink", 3, DOES(OF_INODE, SYMLINK)) \
	BEGIN(MKNOD, 0, mknod, "security_inode_mknod", 4, DOES(OF_INODE, MKNOD)) \
	/* 6.0 and 5.12 put an argument in front, see struct count_config */ \
	BEGIN(SETATTR, 0, setattr, "security_inode_setattr", ANY_ARGS, AS(OF_CHANGE)) \
	BEGIN(XATTR, 0, setxattr, "security_inode_setxattr", ANY_ARGS, DOES(OF_XATTR, XATTR)) \
	BEGIN(XATTR, 0, removexattr, "security_inode_removexattr", ANY_ARGS, DOES(OF_XATTR, XATTR)) \
	BEGIN(XATTR, 0, getxattr, "security_inode_getxattr", 2, DOES(OF_DENTRY, XATTR)) \
	BEGIN(XATTR, 0, listxattr, "security_inode_listxattr", 1, DOES(OF_DENTRY, XATTR)) \
	/* before 6.2 they are attributes like others */ \
	BEGIN(ACL, 0, set_acl, "security_inode_set_acl", 4, DOES(OF_DENTRY_1, XATTR)) \
	BEGIN(ACL, 0, get_acl, "security_inode_get_acl", 3, DOES(OF_DENTRY_1, XATTR)) \
	BEGIN(ACL, 0, remove_acl, "security_inode_remove_acl", 3, DOES(OF_DENTRY_1, XATTR)) \
	BEGIN(FALLOCATE, 0, fallocate, "vfs_fallocate", 4, DOES(FILE, FALLOCATE)) \
	BEGIN(STATFS, 0, statfs, "security_sb_statfs", 1, AS(OF_SPACE)) \
	BOTH(STATFS, 0, time_statfs, "user_statfs", 2, TAKES(SPACE, META)) \
	BOTH(STATFS, 0, time_fstatfs, "fd_statfs", 2, TAKES(SPACE, META)) \
	BEGIN(LOOKUP, 0, lookup_miss, "d_alloc_parallel", ANY_ARGS, AS(OF_LOOKUP)) \
	BOTH(FAULTS, 0, fault, "filemap_fault", 1, TAKES(FAULT, MAPPED)) \
	BOTH(FAULTS, 0, mkwrite, "do_page_mkwrite", ANY_ARGS, TAKES(FAULT, MAPPED)) \
	BOTH(FAULTS, 0, dirty_page, "fault_dirty_shared_page", 1, TAKES(FAULT, MAPPED)) \
	/* MADV_WILLNEED reads without a fault */ \
	BOTH(WILLNEED, 0, willneed, "vfs_fadvise", 4, AS(WILLNEED)) \
	AGAIN(T_OPEN, 0, open, "do_filp_open", 3, TAKES(OPENED, META)) \
	AGAIN(T_OPEN, 1, open, "do_file_open", 3, TAKES(OPENED, META)) \
	BOTH(T_STAT, 0, time_stat, "vfs_statx", 5, TAKES(NAME, META)) \
	BOTH(T_STAT, 0, time_fstat, "vfs_fstat", 2, TAKES(CALL, META)) \
	/* statx(2) of a descriptor */ \
	BOTH(T_STATX, 0, time_statx, "do_statx_fd", 4, TAKES(CALL, META)) \
	BOTH(T_ACCESS, 0, access, "do_faccessat", 4, TAKES(NAME, META)) \
	BOTH(T_ACCESS, 0, readlink, "do_readlinkat", 4, TAKES(NAME, META)) \
	/* their names before 7.0, and since */ \
	BOTH(T_UNLINK, 0, time_unlink, "do_unlinkat", 2, TAKES(NAME, META)) \
	BOTH(T_UNLINK, 0, time_rmdir, "do_rmdir", 2, TAKES(NAME, META)) \
	AGAIN(T_UNLINK, 1, time_unlink, "filename_unlinkat", 2, TAKES(NAME, META)) \
	AGAIN(T_UNLINK, 1, time_rmdir, "filename_rmdir", 2, TAKES(NAME, META)) \
	BOTH(T_RENAME, 0, time_rename, "do_renameat2", 5, TAKES(NAME, META)) \
	BOTH(T_RENAME, 0, time_mkdir, "do_mkdirat", 3, TAKES(NAME, META)) \
	AGAIN(T_RENAME, 1, time_rename, "filename_renameat2", 5, TAKES(NAME, META)) \
	AGAIN(T_RENAME, 1, time_mkdir, "filename_mkdirat", 3, TAKES(NAME, META)) \
	BOTH(T_LINK, 0, time_link, "do_linkat", 5, TAKES(NAME, META)) \
	BOTH(T_LINK, 0, time_symlink, "do_symlinkat", 3, TAKES(CALL, META)) \
	BOTH(T_LINK, 0, time_mknod, "do_mknodat", 4, TAKES(NAME, META)) \
	AGAIN(T_LINK, 1, time_link, "filename_linkat", 5, TAKES(NAME, META)) \
	AGAIN(T_LINK, 1, time_symlink, "filename_symlinkat", 3, TAKES(CALL, META)) \
	AGAIN(T_LINK, 1, time_mknod, "filename_mknodat", 4, TAKES(NAME, META)) \
	BOTH(T_SETATTR, 0, time_setattr, "notify_change", 4, TAKES(CALL, META)) \
	BOTH(T_SETATTR, 1, time_setattr_3, "notify_change", 3, TAKES(CALL, META)) \
	MORE(T_READDIR, 0, readdir, "iterate_dir", 2, TAKES(FILE, META)) \
	MORE(T_FALLOCATE, 0, fallocate, "vfs_fallocate", 4, TAKES(FILE, META)) \
	BOTH(T_LOCK, 0, time_lock, "fcntl_setlk", 4, TAKES(LOCK, META)) \
	BOTH(T_LOCK, 0, time_getlk, "fcntl_getlk", 3, TAKES(FILE, META)) \
	BOTH(T_FLOCK, 0, time_flock, "__x64_sys_flock", 1, TAKES(DESCRIPTOR, META)) \
	AGAIN(T_FLOCK, 1, time_flock, "__arm64_sys_flock", 1, TAKES(DESCRIPTOR, META)) \
	MORE(T_SYNC, 0, fsync, "__x64_sys_fsync", 1, TAKES(DESCRIPTOR, SYNC)) \
	MORE(T_SYNC, 0, fdatasync, "__x64_sys_fdatasync", 1, TAKES(DESCRIPTOR, SYNC)) \
	AGAIN(T_SYNC, 1, fsync, "__arm64_sys_fsync", 1, TAKES(DESCRIPTOR, SYNC)) \
	AGAIN(T_SYNC, 1, fdatasync, "__arm64_sys_fdatasync", 1, TAKES(DESCRIPTOR, SYNC)) \
	/* since 6.6 close(2) calls the one, and the end of a process both */ \
	BOTH(T_CLOSE, 0, time_close, "filp_close", 2, TAKES(FLUSH, CLOSE)) \
	BOTH(T_CLOSE, 0, time_flush, "filp_flush", 2, TAKES(FLUSH, CLOSE)) \
	AGAIN(T_CLOSE, 1, time_close, "filp_close", 2, TAKES(FLUSH, CLOSE)) \
	BOTH(T_RELEASE, 0, time_release, "__fput", 1, TAKES(RELEASE, CLOSE)) \
	BOTH(T_GETEVENTS, 0, time_getevents, "do_io_getevents", 5, TAKES(CALL, ASYNC)) \
	/* kernels have the function, or compilers put it into the call */ \
	END(T_URING, 0, time_ring, "io_cqring_wait", ANY_ARGS, AS(RING)) \
	AGAIN_END(T_URING, 1, time_ring, "__x64_sys_io_uring_enter", 1, AS(RING_CALL)) \
	AGAIN_END(T_URING, 2, time_ring, "__arm64_sys_io_uring_enter", 1, AS(RING_CALL)) \
	BEGIN(T_THREADS, 0, thread_gone, "cgroup_exit", 1, AS(OF_THREAD)) \
	AGAIN_BEGIN(T_THREADS, 1, thread_gone, "cgroup_task_exit", 1, AS(OF_THREAD))
/* clang-format on */

#endif
