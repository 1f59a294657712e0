/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/hooks.h"

#include <stdio.h>
#include <string.h>

#include "count/calls.h"
#include "record/record.h"

#define FENTRY HOOK_FENTRY
#define FEXIT HOOK_FEXIT
#define TRACE HOOK_TRACEPOINT

/* Rows of calls.h */
#define BEGIN(loss, way, name, target, args, what)                                                 \
	{ LOSS_##loss, way, "at_" #name, FENTRY, target, args, what },
#define END(loss, way, name, target, args, what)                                                   \
	{ LOSS_##loss, way, "at_" #name "_done", FEXIT, target, args, what },
#define BOTH(...) BEGIN(__VA_ARGS__) END(__VA_ARGS__)

/* clang-format off */
const struct hook hooks[] = {
	{ LOSS_EXIT, 0, "exit_totals", TRACE, "sched_process_exit", ANY_ARGS, 0 },
	{ LOSS_READ, 0, "rw_session_read", HOOK_SESSION, "vfs_read", 4, 0 },
	{ LOSS_READ, 1, "rw_vfs_read", FEXIT, "vfs_read", 4, 0 },
	{ LOSS_READV, 0, "rw_session_read", HOOK_SESSION, "vfs_readv", 5, 0 },
	{ LOSS_READV, 1, "rw_vfs_readv", FEXIT, "vfs_readv", 5, 0 },
	{ LOSS_WRITE, 0, "rw_session_write", HOOK_SESSION, "vfs_write", 4, 0 },
	{ LOSS_WRITE, 1, "rw_vfs_write", FEXIT, "vfs_write", 4, 0 },
	{ LOSS_WRITEV, 0, "rw_session_writev", HOOK_SESSION, "vfs_writev", 5, 0 },
	{ LOSS_WRITEV, 1, "rw_vfs_writev", FEXIT, "vfs_writev", 5, 0 },
	/* renamed in 6.17; before 5.10 there is no dump_user_range() */
	{ LOSS_CORE, 0, "rw_dump_emit", FEXIT, "dump_emit", ANY_ARGS, 0 },
	{ LOSS_CORE, 0, "rw_dump_range", FEXIT, "dump_user_range", ANY_ARGS, 0 },
	{ LOSS_CORE, 0, "rw_dump_done", FEXIT, "do_coredump", ANY_ARGS, 0 },
	{ LOSS_CORE, 1, "rw_dump_emit", FEXIT, "dump_emit", ANY_ARGS, 0 },
	{ LOSS_CORE, 1, "rw_dump_range", FEXIT, "dump_user_range", ANY_ARGS, 0 },
	{ LOSS_CORE, 1, "rw_dump_done", FEXIT, "vfs_coredump", ANY_ARGS, 0 },
	{ LOSS_CORE, 2, "rw_dump_emit", FEXIT, "dump_emit", ANY_ARGS, 0 },
	{ LOSS_CORE, 2, "rw_dump_done", FEXIT, "do_coredump", ANY_ARGS, 0 },
	{ LOSS_SUPER, 0, "rw_super_ended", FENTRY, "generic_shutdown_super", 1, 0 },
	{ LOSS_MOUNT, 0, "rw_mounted_4", FEXIT, "attach_recursive_mnt", 4, 0 },
	{ LOSS_MOUNT, 1, "rw_mounted_3", FEXIT, "attach_recursive_mnt", 3, 0 },
	{ LOSS_MOUNT, 2, "rw_mounted_2", FEXIT, "attach_recursive_mnt", 2, 0 },
	{ LOSS_MOUNT, 3, "rw_mounted_3", FEXIT, "graft_tree", 3, 0 },
	{ LOSS_MOUNT, 3, "rw_mount_moved", FENTRY, "security_move_mount", 2, 0 },
	{ LOSS_MOUNT, 4, "rw_mounted_2", FEXIT, "graft_tree", 2, 0 },
	{ LOSS_MOUNT, 4, "rw_mount_moved", FENTRY, "security_move_mount", 2, 0 },
	/* renamed in 5.16 */
	{ LOSS_IMAGE, 0, "rw_layer", FENTRY, "clone_private_mount", 1, 0 },
	{ LOSS_IMAGE, 0, "rw_loop", FENTRY, "blkdev_ioctl", 3, 0 },
	{ LOSS_IMAGE, 1, "rw_layer", FENTRY, "clone_private_mount", 1, 0 },
	{ LOSS_IMAGE, 1, "rw_loop", FENTRY, "block_ioctl", 3, 0 },
	{ LOSS_AIO_DONE, 0, "aio_done", FENTRY, "aio_complete_rw", ANY_ARGS, 0 },
	{ LOSS_AIO_TWICE, 0, "aio_done_too", HOOK_MULTI, "aio_complete_rw", ANY_ARGS, 0 },
	/* 6.15 to 6.18: an empty struct, of which trampolines know nothing */
	{ LOSS_URING_DONE, 0, "uring_done", FENTRY, "io_req_task_complete", 2, AS(OF_ANSWER) },
	{ LOSS_URING_DONE, 1, "uring_done_probe", HOOK_KPROBE, "io_req_task_complete", 2, 0 },
	{ LOSS_URING_POLL, 0, "uring_polled", TRACE, "io_uring_complete", ANY_ARGS, 0 },
	{ LOSS_URING_POLL, 0, "uring_overflow", TRACE, "io_uring_cqe_overflow", ANY_ARGS, 0 },
	{ LOSS_MMAP_READ, 0, "any_session", HOOK_SESSION, "__filemap_add_folio", 5, AS(PAGE) },
	{ LOSS_MMAP_READ, 1, "mmap_read", TRACE, "mm_filemap_add_to_page_cache", ANY_ARGS, 0 },
	{ LOSS_MMAP_WRITE, 0, "any_begins", HOOK_MULTI, "__folio_mark_dirty", 3, AS(OF_DIRTY) },
	{ LOSS_MMAP_WRITE, 1, "mmap_write", TRACE, "writeback_dirty_folio", ANY_ARGS, 0 },
	/* sessions measure it themselves */
	{ LOSS_LATENCY, 0, "rw_session_read", HOOK_SESSION, "vfs_read", 4, 0 },
	{ LOSS_LATENCY, 1, "latency_vfs_read", FENTRY, "vfs_read", 4, 0 },
	{ LOSS_LATENCY, 1, "latency_vfs_write", FENTRY, "vfs_write", 4, 0 },
	{ LOSS_LATENCY, 1, "latency_vfs_readv", FENTRY, "vfs_readv", 5, 0 },
	{ LOSS_LATENCY, 1, "latency_vfs_writev", FENTRY, "vfs_writev", 5, 0 },
	{ LOSS_T_RING, 0, "time_ring", TRACE, "io_uring_cqring_wait", ANY_ARGS, 0 },
	COUNT_CALLS(BEGIN, BOTH, END, BOTH, BOTH, BEGIN, END)
};
/* clang-format on */
_Static_assert(sizeof(hooks) / sizeof(hooks[0]) <= HOOKS_MAX, "the table must fit");
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

#define SKIPPED_SHARE 100 /* below 1 % no advice changes */

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

uint32_t hooks_skipped_times(const __u64 before[COUNT_KINDS], const __u64 now[COUNT_KINDS],
			     const struct count_slot *s)
{
	/* 0: the calls of the class are not counted */
	__u64 calls[COUNT_CLASSES] = {
		[COUNT_TIME_READ] = s->calls[COUNT_READ],
		[COUNT_TIME_WRITE] = s->calls[COUNT_WRITE],
		[COUNT_TIME_SYNC] = s->meta[COUNT_FSYNC],
		[COUNT_TIME_CLOSE] = s->meta[COUNT_OPEN],
	};
	__u64 skipped = now[COUNT_KIND_TIMES] - before[COUNT_KIND_TIMES], all;
	uint32_t lost = 0;
	int i;

	for (i = 0; i < COUNT_META_OPS; i++)
		if (i != COUNT_FSYNC && i != COUNT_LOOKUP_MISS)
			calls[COUNT_TIME_META] += s->meta[i];
	for (i = 0; i < COUNT_CLASSES; i++)
		if (skipped > calls[i] / SKIPPED_SHARE)
			lost |= 1U << (COUNT_META_OPS + i);
	all = calls[COUNT_TIME_READ] + calls[COUNT_TIME_WRITE] + calls[COUNT_TIME_META];
	return skipped > all / SKIPPED_SHARE ? lost | THREADS_LOST : lost;
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

	if (!strncmp(program, "any_", 4))
		return HOOK_BOTH | HOOK_OPS | HOOK_MMAP | HOOK_TIMES;
	for (i = 0; i < hook_count; i++)
		if (!strcmp(hooks[i].program, program))
			kinds |= losses[hooks[i].loss].kinds;
	return kinds;
}
