/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/hooks.h"

#include <stdio.h>
#include <string.h>

#include "record/record.h"

#define FENTRY HOOK_FENTRY
#define FEXIT HOOK_FEXIT
#define TRACE HOOK_TRACEPOINT

/* The beginning of a timed call and its end */
#define TIMED(loss, way, name, target, args)                                                       \
	{ LOSS_##loss, way, "time_" name, FENTRY, target, args },                                  \
	{                                                                                          \
		LOSS_##loss, way, "time_" name "_done", FEXIT, target, args                        \
	}

/* clang-format off */
const struct hook hooks[] = {
	{ LOSS_EXIT, 0, "exit_totals", TRACE, "sched_process_exit", ANY_ARGS },
	{ LOSS_READ, 0, "rw_session_read", HOOK_SESSION, "vfs_read", 4 },
	{ LOSS_READ, 1, "rw_vfs_read", FEXIT, "vfs_read", 4 },
	{ LOSS_READV, 0, "rw_session_read", HOOK_SESSION, "vfs_readv", 5 },
	{ LOSS_READV, 1, "rw_vfs_readv", FEXIT, "vfs_readv", 5 },
	{ LOSS_WRITE, 0, "rw_session_write", HOOK_SESSION, "vfs_write", 4 },
	{ LOSS_WRITE, 1, "rw_vfs_write", FEXIT, "vfs_write", 4 },
	{ LOSS_WRITEV, 0, "rw_session_write", HOOK_SESSION, "vfs_writev", 5 },
	{ LOSS_WRITEV, 1, "rw_vfs_writev", FEXIT, "vfs_writev", 5 },
	{ LOSS_COPY, 0, "rw_copy_begin", FENTRY, "vfs_copy_file_range", 6 },
	{ LOSS_COPY, 0, "rw_copy_done", FEXIT, "vfs_copy_file_range", 6 },
	{ LOSS_SENDFILE, 0, "rw_direct_done", FEXIT, "do_splice_direct", 6 },
	{ LOSS_SPLICE, 0, "rw_splice_begin", FENTRY, "do_splice", 6 },
	{ LOSS_SPLICE, 0, "rw_splice_done", FEXIT, "do_splice", 6 },
	{ LOSS_TO_PIPE, 0, "rw_pipe_done", FEXIT, "splice_file_to_pipe", 5 },
	/* renamed in 6.17; before 5.10 there is no dump_user_range() */
	{ LOSS_CORE, 0, "rw_dump_emit", FEXIT, "dump_emit", ANY_ARGS },
	{ LOSS_CORE, 0, "rw_dump_range", FEXIT, "dump_user_range", ANY_ARGS },
	{ LOSS_CORE, 0, "rw_dump_done", FEXIT, "do_coredump", ANY_ARGS },
	{ LOSS_CORE, 1, "rw_dump_emit", FEXIT, "dump_emit", ANY_ARGS },
	{ LOSS_CORE, 1, "rw_dump_range", FEXIT, "dump_user_range", ANY_ARGS },
	{ LOSS_CORE, 1, "rw_dump_done", FEXIT, "vfs_coredump", ANY_ARGS },
	{ LOSS_CORE, 2, "rw_dump_emit", FEXIT, "dump_emit", ANY_ARGS },
	{ LOSS_CORE, 2, "rw_dump_done", FEXIT, "do_coredump", ANY_ARGS },
	{ LOSS_SUPER, 0, "rw_super_ended", FENTRY, "generic_shutdown_super", 1 },
	{ LOSS_MOUNT, 0, "rw_mounted_4", FEXIT, "attach_recursive_mnt", 4 },
	{ LOSS_MOUNT, 1, "rw_mounted_3", FEXIT, "attach_recursive_mnt", 3 },
	{ LOSS_MOUNT, 2, "rw_mounted_2", FEXIT, "attach_recursive_mnt", 2 },
	{ LOSS_MOUNT, 3, "rw_mounted_3", FEXIT, "graft_tree", 3 },
	{ LOSS_MOUNT, 3, "rw_mount_moved", FENTRY, "security_move_mount", 2 },
	{ LOSS_MOUNT, 4, "rw_mounted_2", FEXIT, "graft_tree", 2 },
	{ LOSS_MOUNT, 4, "rw_mount_moved", FENTRY, "security_move_mount", 2 },
	/* renamed in 5.16 */
	{ LOSS_IMAGE, 0, "rw_layer", FENTRY, "clone_private_mount", 1 },
	{ LOSS_IMAGE, 0, "rw_loop", FENTRY, "blkdev_ioctl", 3 },
	{ LOSS_IMAGE, 1, "rw_layer", FENTRY, "clone_private_mount", 1 },
	{ LOSS_IMAGE, 1, "rw_loop", FENTRY, "block_ioctl", 3 },
	{ LOSS_AIO, 0, "aio_read_begin", FENTRY, "aio_read", 4 },
	{ LOSS_AIO, 0, "aio_write_begin", FENTRY, "aio_write", 4 },
	{ LOSS_AIO, 0, "aio_read_refused", FEXIT, "aio_read", 4 },
	{ LOSS_AIO, 0, "aio_write_refused", FEXIT, "aio_write", 4 },
	{ LOSS_AIO, 0, "aio_done", FENTRY, "aio_complete_rw", ANY_ARGS },
	{ LOSS_AIO_FSYNC, 0, "meta_aio_fsync", FEXIT, "aio_fsync", 3 },
	{ LOSS_URING, 0, "uring_read", FEXIT, "io_read", 2 },
	{ LOSS_URING, 0, "uring_write", FEXIT, "io_write", 2 },
	/* 6.15 to 6.18: an empty struct, of which trampolines know nothing */
	{ LOSS_URING_DONE, 0, "uring_done", FENTRY, "io_req_task_complete", 2 },
	{ LOSS_URING_DONE, 1, "uring_done_probe", HOOK_KPROBE, "io_req_task_complete", 2 },
	{ LOSS_URING_POLL, 0, "uring_polled", TRACE, "io_uring_complete", ANY_ARGS },
	{ LOSS_URING_POLL, 0, "uring_overflow", TRACE, "io_uring_cqe_overflow", ANY_ARGS },
	{ LOSS_URING_FSYNC, 0, "meta_uring_fsync", FEXIT, "io_fsync", 2 },
	/* renamed in 7.0 */
	{ LOSS_OPEN, 0, "meta_opened", FEXIT, "do_filp_open", 3 },
	{ LOSS_OPEN, 1, "meta_opened", FEXIT, "do_file_open", 3 },
	{ LOSS_OPEN, 2, "meta_open", FENTRY, "security_file_open", 1 },
	{ LOSS_STAT, 0, "meta_stat", FENTRY, "security_inode_getattr", 1 },
	{ LOSS_UNLINK, 0, "meta_unlink", FENTRY, "security_inode_unlink", 2 },
	{ LOSS_MKDIR, 0, "meta_mkdir", FENTRY, "security_inode_mkdir", 3 },
	{ LOSS_RMDIR, 0, "meta_rmdir", FENTRY, "security_inode_rmdir", 2 },
	{ LOSS_RENAME, 0, "meta_rename", FENTRY, "security_inode_rename", 5 },
	{ LOSS_READDIR, 0, "meta_readdir", FENTRY, "iterate_dir", 2 },
	{ LOSS_FSYNC, 0, "meta_fsync", FENTRY, "vfs_fsync_range", 4 },
	{ LOSS_SYNC_CALLS, 0, "meta_sys_fsync", FENTRY, "__x64_sys_fsync", 1 },
	{ LOSS_SYNC_CALLS, 0, "meta_sys_fdatasync", FENTRY, "__x64_sys_fdatasync", 1 },
	{ LOSS_SYNC_CALLS, 0, "meta_msync", FENTRY, "__x64_sys_msync", 1 },
	{ LOSS_SYNC_CALLS, 0, "meta_msync_done", FEXIT, "__x64_sys_msync", 1 },
	{ LOSS_SYNC_CALLS, 1, "meta_sys_fsync", FENTRY, "__arm64_sys_fsync", 1 },
	{ LOSS_SYNC_CALLS, 1, "meta_sys_fdatasync", FENTRY, "__arm64_sys_fdatasync", 1 },
	{ LOSS_SYNC_CALLS, 1, "meta_msync", FENTRY, "__arm64_sys_msync", 1 },
	{ LOSS_SYNC_CALLS, 1, "meta_msync_done", FEXIT, "__arm64_sys_msync", 1 },
	{ LOSS_LINK, 0, "meta_link", FENTRY, "security_inode_link", 3 },
	{ LOSS_SYMLINK, 0, "meta_symlink", FENTRY, "security_inode_symlink", 3 },
	{ LOSS_MKNOD, 0, "meta_mknod", FENTRY, "security_inode_mknod", 4 },
	/* 6.0 and 5.12 put an argument in front: the loader tells the programs */
	{ LOSS_SETATTR, 0, "meta_setattr", FENTRY, "security_inode_setattr", ANY_ARGS },
	{ LOSS_XATTR, 0, "meta_setxattr", FENTRY, "security_inode_setxattr", ANY_ARGS },
	{ LOSS_XATTR, 0, "meta_removexattr", FENTRY, "security_inode_removexattr", ANY_ARGS },
	{ LOSS_XATTR, 0, "meta_getxattr", FENTRY, "security_inode_getxattr", 2 },
	{ LOSS_XATTR, 0, "meta_listxattr", FENTRY, "security_inode_listxattr", 1 },
	/* before 6.2 they are attributes like others */
	{ LOSS_ACL, 0, "meta_set_acl", FENTRY, "security_inode_set_acl", 4 },
	{ LOSS_ACL, 0, "meta_get_acl", FENTRY, "security_inode_get_acl", 3 },
	{ LOSS_ACL, 0, "meta_remove_acl", FENTRY, "security_inode_remove_acl", 3 },
	{ LOSS_FALLOCATE, 0, "meta_fallocate", FENTRY, "vfs_fallocate", 4 },
	{ LOSS_STATFS, 0, "meta_statfs", FENTRY, "security_sb_statfs", 1 },
	{ LOSS_LOOKUP, 0, "meta_lookup_miss", FENTRY, "d_alloc_parallel", ANY_ARGS },
	{ LOSS_MMAP_READ, 0, "mmap_read", TRACE, "mm_filemap_add_to_page_cache", ANY_ARGS },
	{ LOSS_MMAP_WRITE, 0, "mmap_write", TRACE, "writeback_dirty_folio", ANY_ARGS },
	{ LOSS_FAULTS, 0, "mmap_fault", FENTRY, "filemap_fault", 1 },
	{ LOSS_FAULTS, 0, "mmap_fault_done", FEXIT, "filemap_fault", 1 },
	{ LOSS_FAULTS, 0, "mmap_mkwrite", FENTRY, "do_page_mkwrite", ANY_ARGS },
	{ LOSS_FAULTS, 0, "mmap_mkwrite_done", FEXIT, "do_page_mkwrite", ANY_ARGS },
	{ LOSS_FAULTS, 0, "mmap_dirty", FENTRY, "fault_dirty_shared_page", 1 },
	{ LOSS_FAULTS, 0, "mmap_dirty_done", FEXIT, "fault_dirty_shared_page", 1 },
	{ LOSS_WILLNEED, 0, "mmap_advise", FENTRY, "vfs_fadvise", 4 },
	{ LOSS_WILLNEED, 0, "mmap_advise_done", FEXIT, "vfs_fadvise", 4 },
	/* sessions measure it themselves */
	{ LOSS_LATENCY, 0, "rw_session_read", HOOK_SESSION, "vfs_read", 4 },
	{ LOSS_LATENCY, 1, "latency_vfs_read", FENTRY, "vfs_read", 4 },
	{ LOSS_LATENCY, 1, "latency_vfs_write", FENTRY, "vfs_write", 4 },
	{ LOSS_LATENCY, 1, "latency_vfs_readv", FENTRY, "vfs_readv", 5 },
	{ LOSS_LATENCY, 1, "latency_vfs_writev", FENTRY, "vfs_writev", 5 },
	{ LOSS_T_SENDFILE, 0, "time_direct", FENTRY, "do_splice_direct", 6 },
	{ LOSS_T_OPEN, 0, "time_open", FENTRY, "do_filp_open", 3 },
	{ LOSS_T_OPEN, 0, "meta_opened", FEXIT, "do_filp_open", 3 },
	{ LOSS_T_OPEN, 1, "time_open", FENTRY, "do_file_open", 3 },
	{ LOSS_T_OPEN, 1, "meta_opened", FEXIT, "do_file_open", 3 },
	TIMED(T_STAT, 0, "stat", "vfs_statx", 5),
	TIMED(T_STAT, 0, "fstat", "vfs_fstat", 2),
	TIMED(T_ACCESS, 0, "access", "do_faccessat", 4),
	TIMED(T_ACCESS, 0, "readlink", "do_readlinkat", 4),
	/* their names before 7.0, and since */
	TIMED(T_UNLINK, 0, "unlink", "do_unlinkat", 2),
	TIMED(T_UNLINK, 0, "rmdir", "do_rmdir", 2),
	TIMED(T_UNLINK, 1, "unlink", "filename_unlinkat", 2),
	TIMED(T_UNLINK, 1, "rmdir", "filename_rmdir", 2),
	TIMED(T_RENAME, 0, "rename", "do_renameat2", 5),
	TIMED(T_RENAME, 0, "mkdir", "do_mkdirat", 3),
	TIMED(T_RENAME, 1, "rename", "filename_renameat2", 5),
	TIMED(T_RENAME, 1, "mkdir", "filename_mkdirat", 3),
	TIMED(T_LINK, 0, "link", "do_linkat", 5),
	TIMED(T_LINK, 0, "symlink", "do_symlinkat", 3),
	TIMED(T_LINK, 0, "mknod", "do_mknodat", 4),
	TIMED(T_LINK, 1, "link", "filename_linkat", 5),
	TIMED(T_LINK, 1, "symlink", "filename_symlinkat", 3),
	TIMED(T_LINK, 1, "mknod", "filename_mknodat", 4),
	TIMED(T_SETATTR, 0, "setattr", "notify_change", 4),
	TIMED(T_SETATTR, 1, "setattr_3", "notify_change", 3),
	{ LOSS_T_READDIR, 0, "time_readdir_done", FEXIT, "iterate_dir", 2 },
	{ LOSS_T_FALLOCATE, 0, "time_fallocate_done", FEXIT, "vfs_fallocate", 4 },
	TIMED(T_LOCK, 0, "lock", "fcntl_setlk", 4),
	TIMED(T_FLOCK, 0, "flock", "__x64_sys_flock", 1),
	TIMED(T_FLOCK, 1, "flock", "__arm64_sys_flock", 1),
	{ LOSS_T_SYNC, 0, "meta_sys_fsync", FENTRY, "__x64_sys_fsync", 1 },
	{ LOSS_T_SYNC, 0, "time_fsync_done", FEXIT, "__x64_sys_fsync", 1 },
	{ LOSS_T_SYNC, 0, "meta_sys_fdatasync", FENTRY, "__x64_sys_fdatasync", 1 },
	{ LOSS_T_SYNC, 0, "time_fdatasync_done", FEXIT, "__x64_sys_fdatasync", 1 },
	{ LOSS_T_SYNC, 1, "meta_sys_fsync", FENTRY, "__arm64_sys_fsync", 1 },
	{ LOSS_T_SYNC, 1, "time_fsync_done", FEXIT, "__arm64_sys_fsync", 1 },
	{ LOSS_T_SYNC, 1, "meta_sys_fdatasync", FENTRY, "__arm64_sys_fdatasync", 1 },
	{ LOSS_T_SYNC, 1, "time_fdatasync_done", FEXIT, "__arm64_sys_fdatasync", 1 },
	/* since 6.6 close(2) calls the one, and the end of a process both */
	TIMED(T_CLOSE, 0, "close", "filp_close", 2),
	TIMED(T_CLOSE, 0, "flush", "filp_flush", 2),
	TIMED(T_CLOSE, 1, "flush", "filp_close", 2),
	TIMED(T_RELEASE, 0, "release", "__fput", 1),
	TIMED(T_GETEVENTS, 0, "getevents", "do_io_getevents", 5),
	/* kernels have the function, or compilers put it into the call */
	{ LOSS_T_URING, 0, "time_ring", TRACE, "io_uring_cqring_wait", ANY_ARGS },
	{ LOSS_T_URING, 0, "time_ring_done", FEXIT, "io_cqring_wait", ANY_ARGS },
	{ LOSS_T_URING, 1, "time_ring", TRACE, "io_uring_cqring_wait", ANY_ARGS },
	{ LOSS_T_URING, 1, "time_ring_done", FEXIT, "__x64_sys_io_uring_enter", 1 },
	{ LOSS_T_URING, 2, "time_ring", TRACE, "io_uring_cqring_wait", ANY_ARGS },
	{ LOSS_T_URING, 2, "time_ring_done", FEXIT, "__arm64_sys_io_uring_enter", 1 },
	{ LOSS_T_THREADS, 0, "time_thread_gone", FENTRY, "cgroup_exit", 1 },
	{ LOSS_T_THREADS, 1, "time_thread_gone", FENTRY, "cgroup_task_exit", 1 },
};
/* clang-format on */
const size_t hook_count = sizeof(hooks) / sizeof(hooks[0]);

static const struct loss {
	uint32_t group;
	const char *text;
	uint32_t kinds, ops;
	const char *needs;
} losses[] = {
#define LOSS(id, group, text, kinds, ops, needs) { COUNT_GROUP(group), text, kinds, ops, needs },
	HOOK_LOSSES(LOSS)
};
_Static_assert(HOOK_LOSS_COUNT <= 64, "losses are bits of 64");

#define GROUP_NAME(id, name, text) name,
#define GROUP_TEXT(id, name, text) text,
static const char *const group_names[] = { COUNT_GROUPS(GROUP_NAME) };
static const char *const group_texts[] = { COUNT_GROUPS(GROUP_TEXT) };

uint32_t hook_group(enum hook_loss loss)
{
	return losses[loss].group;
}

const char *hook_needs(enum hook_loss loss)
{
	return losses[loss].needs;
}

bool hook_is_newer(enum hook_loss loss)
{
	return losses[loss].text[0] == '+';
}

const char *hook_loss_text(enum hook_loss loss)
{
	return losses[loss].text + hook_is_newer(loss);
}

const char *hook_group_name(unsigned int bit)
{
	return group_names[bit];
}

static void add_word(char *text, size_t room, const char *word)
{
	size_t used = strlen(text);

	snprintf(text + used, room - used, "%s%s", used ? ", " : "", word);
}

/* Those that each kernel of today has a function for. */
static uint64_t losses_of(uint32_t group)
{
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < HOOK_LOSS_COUNT; i++)
		if (losses[i].group == group && !hook_is_newer(i))
			all |= UINT64_C(1) << i;
	return all;
}

void hooks_text(uint64_t lost, char *text, size_t room)
{
	unsigned int bit, i;
	uint64_t all;
	bool whole;

	*text = '\0';
	for (bit = 0; bit < COUNT_GROUP_COUNT; bit++) {
		all = losses_of(1U << bit);
		whole = (lost & all) == all;
		if (whole)
			add_word(text, room, group_texts[bit]);
		for (i = 0; !whole && i < HOOK_LOSS_COUNT; i++)
			if (losses[i].group == 1U << bit && lost & UINT64_C(1) << i)
				add_word(text, room, hook_loss_text(i));
	}
}

uint32_t hooks_lost_ops(uint64_t lost)
{
	uint32_t ops = 0;
	unsigned int i;

	for (i = 0; i < HOOK_LOSS_COUNT; i++)
		if (lost & UINT64_C(1) << i)
			ops |= losses[i].ops;
	return ops;
}

static uint64_t kind_flags(uint32_t kinds)
{
	static const uint64_t flags[COUNT_KINDS] = {
		[COUNT_KIND_READ] = RECORD_FLAG(LOWER_BOUND_READ),
		[COUNT_KIND_WRITE] = RECORD_FLAG(LOWER_BOUND_WRITE),
		[COUNT_KIND_OPS] = RECORD_FLAG(LOWER_BOUND_OPS),
		[COUNT_KIND_MMAP] = RECORD_FLAG(MMAP_MISSING),
		[COUNT_KIND_MOUNTS] = RECORD_FLAG(MOUNTS_UNSEEN),
		[COUNT_KIND_EXIT] = RECORD_FLAG(LOWER_BOUND_READ) | RECORD_FLAG(LOWER_BOUND_WRITE),
		[COUNT_KIND_TIMES] = RECORD_FLAG(TIMES_SKIPPED),
	};
	uint64_t all = 0;
	int i;

	for (i = 0; i < COUNT_KINDS; i++)
		if (kinds & 1U << i)
			all |= flags[i];
	return all;
}

uint64_t hooks_lost_flags(uint64_t lost)
{
	uint64_t flags = 0;
	unsigned int i;

	lost &= ~losses_of(COUNT_GROUP(EXIT));
	for (i = 0; i < HOOK_LOSS_COUNT; i++) {
		if (!(lost & UINT64_C(1) << i))
			continue;
		if (losses[i].group & (COUNT_GROUP(AIO) | COUNT_GROUP(URING)))
			flags |= RECORD_FLAG(AIO_MISSING);
		else
			flags |= kind_flags(losses[i].kinds & ~HOOK_TIMES);
	}
	return flags;
}

uint32_t hooks_skipped_times(const __u64 before[COUNT_KINDS], const __u64 now[COUNT_KINDS])
{
	uint32_t lost =
		TIME(META) | TIME(SYNC) | TIME(CLOSE) | TIME(MAPPED) | TIME(ASYNC) | THREADS_LOST;

	if (now[COUNT_KIND_TIMES] == before[COUNT_KIND_TIMES])
		return 0;
	/* sessions, which are not skipped, time reads and writes by themselves */
	if (now[COUNT_KIND_READ] != before[COUNT_KIND_READ])
		lost |= TIME(READ);
	if (now[COUNT_KIND_WRITE] != before[COUNT_KIND_WRITE])
		lost |= TIME(WRITE);
	return lost;
}

uint64_t hooks_skipped_flags(const __u64 before[COUNT_KINDS], const __u64 now[COUNT_KINDS],
			     uint32_t kinds)
{
	int i;

	for (i = 0; i < COUNT_KINDS; i++)
		if (now[i] == before[i])
			kinds &= ~(1U << i);
	return kind_flags(kinds);
}

uint32_t hooks_kinds(const char *program)
{
	uint32_t kinds = 0;
	size_t i;

	for (i = 0; i < hook_count; i++)
		if (!strcmp(hooks[i].program, program))
			kinds |= losses[hooks[i].loss].kinds;
	return kinds;
}
