/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/counters_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "count/hooks.h"
#include "count/series.h"
#include "count/mounts.h"
#include "count/pins.h"

#define READ_TRIES 16 /* programs write to the series of a shard once a second */

/* ---- one slot ------------------------------------------------------------ */

static void add_shard(struct count_slot *sum, const struct count_slot *shard)
{
	const __u64 *from = shard->bytes;
	__u64 *to = sum->bytes;

	while (to < &sum->slowest_ns)
		*to++ += *from++;
	if (shard->slowest_ns > sum->slowest_ns) {
		sum->slowest_ns = shard->slowest_ns;
		sum->slowest_lifetime_ns = shard->slowest_lifetime_ns;
	}
}

/* Copy a shard at a time when no program writes to its series: the second of three copies with the
 * same mark. Without three of them, the copy has no series. */
static int shard_read(struct pins *p, uint32_t at, struct count_slot *shard)
{
	struct count_slot next;
	int tries, same = 0;

	if (bpf_map_lookup_elem(p->map[MAP_SLOTS], &at, &next))
		return -1;
	for (tries = 0; same < 2 && tries < READ_TRIES; tries++) {
		*shard = next;
		if (bpf_map_lookup_elem(p->map[MAP_SLOTS], &at, &next))
			return -1;
		same = shard->series.writes & 1 || shard->series.writes != next.series.writes
			       ? 0
			       : same + 1;
	}
	if (same < 2)
		shard->until = 0;
	return 0;
}

/* Add the rows of a shard, with what was counted since its last window. On kernels without
 * bpf_jiffies64() there are none. */
static void add_rows(struct timeline *timeline, struct count_slot *shard)
{
	struct count_series *series = &shard->series;
	struct count_row now = {
		.bytes = { shard->bytes[COUNT_READ], shard->bytes[COUNT_WRITE] },
		.calls = shard->calls[COUNT_READ] + shard->calls[COUNT_WRITE],
	};
	int64_t amounts[TIMELINE_LANES], width, start;
	const struct count_row *row;
	size_t i;

	for (i = 0; i < COUNT_CLASSES; i++)
		now.ns += shard->time_ns[i];
	if (!shard->until) {
		if (now.calls || now.ns)
			timeline_spoil(timeline);
		return;
	}
	series_update(series, &now);
	width = INT64_C(1) << (series->shift & 31);
	for (i = 0; i < COUNT_ROWS; i++) {
		row = &series->rows[i];
		start = (int64_t)(series->base + i) * width;
		amounts[TIMELINE_READ] = (int64_t)row->bytes[COUNT_READ];
		amounts[TIMELINE_WRITE] = (int64_t)row->bytes[COUNT_WRITE];
		amounts[TIMELINE_CALLS] = (int64_t)row->calls;
		amounts[TIMELINE_IO_US] = (int64_t)(row->ns / 1000);
		if (timeline_is_row(start, width))
			timeline_put(timeline, start, width, amounts);
	}
}

static int slot_read(struct pins *p, uint32_t slot, struct count_slot *sum,
		     struct timeline *timeline)
{
	uint32_t i, n = 1U << p->info.shard_shift;
	struct count_slot shard;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < n; i++) {
		if (shard_read(p, (slot << p->info.shard_shift) + i, &shard) < 0)
			return -1;
		add_shard(sum, &shard);
		add_rows(timeline, &shard);
		if (!i)
			memcpy(sum->peak, shard.peak, sizeof(sum->peak));
	}
	return 0;
}

/* ---- numbers of a record ------------------------------------------------- */

/* Set numbers of read and write, which are neighbours in io.h. */
static void set_pair(struct io *io, enum io_number read, const __u64 values[2])
{
	io->numbers[read] = (int64_t)values[COUNT_READ];
	io->numbers[read + 1] = (int64_t)values[COUNT_WRITE];
}

static void set_hist(struct io *io, enum io_hist which, const __u64 *bins, size_t n)
{
	size_t i;

	io->has_hist[which] = true;
	for (i = 0; i < n; i++)
		io->hist[which][i] = (int64_t)bins[i];
}

static void set_us(struct io *io, enum io_number number, uint64_t ns)
{
	io->numbers[number] = (int64_t)(ns / 1000);
}

/* CPUs add to the peak in steps: with less than one the peak is unknown. */
static int64_t peak_rate(const struct count_slot *s, enum count_rw rw)
{
	const struct count_peak *peak = &s->peak[rw];
	uint64_t most = peak->total - peak->mark;

	most = most > peak->most ? most : peak->most;
	most = most > s->bytes[rw] ? s->bytes[rw] : most;
	return !most && s->bytes[rw] ? RECORD_UNKNOWN : (int64_t)(most / COUNT_WINDOW_S);
}

static void set_threads(struct io *io, const struct count_slot *s)
{
	struct timespec now = { 0, 0 };
	uint64_t now_ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	io->numbers[IO_THREADS] = (int64_t)s->threads;
	set_us(io, IO_THREAD_US, s->ended_lifetime_ns + s->alive * now_ns - s->started_ns);
	set_us(io, IO_SLOWEST_US, s->slowest_ns);
	set_us(io, IO_SLOWEST_LIFE_US, s->slowest_lifetime_ns);
}

static void set_times(struct io *io, const struct count_slot *s, uint32_t lost)
{
	static const enum io_number numbers[COUNT_CLASSES] = {
		[COUNT_TIME_READ] = IO_READ_US,	  [COUNT_TIME_WRITE] = IO_WRITE_US,
		[COUNT_TIME_META] = IO_META_US,	  [COUNT_TIME_SYNC] = IO_SYNC_US,
		[COUNT_TIME_CLOSE] = IO_CLOSE_US, [COUNT_TIME_MAPPED] = IO_MAPPED_US,
		[COUNT_TIME_ASYNC] = IO_ASYNC_US,
	};
	int i, j;

	for (i = 0; i < COUNT_CLASSES; i++)
		if (!(lost & 1U << (COUNT_META_OPS + i)))
			set_us(io, numbers[i], s->time_ns[i]);
	for (i = 0; i < COUNT_ERRNOS; i++)
		for (j = 0; j < COUNT_FAILED_CLASSES; j++)
			io->errors[i][j] = (int64_t)s->errors[i][j];
	set_pair(io, IO_READ_RANDOM, s->random);
	set_pair(io, IO_READ_FIRST, s->firsts);
	if (!(lost & TIME(READ)))
		set_hist(io, IO_READ_NS, s->ns[COUNT_READ], COUNT_NS_BINS);
	if (!(lost & TIME(WRITE)))
		set_hist(io, IO_WRITE_NS, s->ns[COUNT_WRITE], COUNT_NS_BINS);
	if (!(lost & THREADS_LOST))
		set_threads(io, s);
}

/* 'skipped': times of these classes are unknown, as hooks_skipped_times() has them. */
static void set_filesystem(struct io *io, const struct count_slot *s, const struct count_info *info,
			   uint32_t skipped)
{
	uint32_t lost = hooks_lost_ops(info->lost) | skipped;
	int i;

	set_hist(io, IO_READ_SIZES, s->sizes[COUNT_READ], COUNT_SIZE_BINS);
	set_hist(io, IO_WRITE_SIZES, s->sizes[COUNT_WRITE], COUNT_SIZE_BINS);
	io->numbers[IO_PEAK_READ] = peak_rate(s, COUNT_READ);
	io->numbers[IO_PEAK_WRITE] = peak_rate(s, COUNT_WRITE);
	io->numbers[IO_PEAK_WINDOW_S] = COUNT_WINDOW_S;
	for (i = 0; i < COUNT_META_OPS && info->groups & COUNT_GROUP(META); i++)
		if (!(lost & 1U << i))
			io->numbers[IO_OP_OPEN + i] = (int64_t)s->meta[i];
	if (info->groups & COUNT_GROUP(MMAP))
		set_pair(io, IO_MMAP_READ_BYTES, s->mmap_bytes);
	if (!(info->groups & COUNT_GROUP(MMAP)) || info->lost & UINT64_C(1) << LOSS_FAULTS)
		lost |= TIME(MAPPED);
	if (info->groups & COUNT_GROUP(LATENCY))
		set_times(io, s, lost);
}

/* ---- quality flags ------------------------------------------------------- */

/* The filesystem may be unmounted by now, or another one be mounted there, perhaps with the same
 * device number. */
static uint64_t mount_flags(const struct mountinfo *table, struct pins *p,
			    const struct pins_entry *entry)
{
	const struct count_dev *start = &entry->value.dev;
	struct count_dev now = *start;
	uint32_t dev = table ? mounts_dev(mountinfo_on(table, entry->value.mount)) : entry->key.dev;
	uint64_t flags = 0;

	bpf_map_lookup_elem(p->map[MAP_DEVS], &entry->key.dev, &now);
	if (now.mounted != start->mounted)
		flags |= RECORD_FLAG(MOUNT_BELOW);
	if (now.images != start->images || entry->value.flags & COUNT_IMAGE)
		flags |= RECORD_FLAG(IMAGE_MOUNTED);
	if (!dev)
		flags |= RECORD_FLAG(UNMOUNTED);
	else if (dev != entry->key.dev || now.ended != start->ended)
		flags |= RECORD_FLAG(REMOUNTED);
	return flags;
}

static uint64_t missed_flags(const struct count_slot *s, const struct pins_entry *entry)
{
	static const uint64_t flags[COUNT_MISSED_KINDS] = {
		[COUNT_MISSED_READ] = RECORD_FLAG(LOWER_BOUND_READ),
		[COUNT_MISSED_WRITE] = RECORD_FLAG(LOWER_BOUND_WRITE),
		[COUNT_MISSED_MOUNT] = RECORD_FLAG(MOUNT_BELOW),
		[COUNT_MISSED_IMAGE] = RECORD_FLAG(IMAGE_MOUNTED),
	};
	bool is_partial = entry->value.flags & COUNT_PARTIAL;
	uint64_t all = 0;
	int i;

	for (i = 0; i < COUNT_MISSED_KINDS; i++)
		if (s->missed[i] || (is_partial && i <= COUNT_MISSED_WRITE))
			all |= flags[i];
	return all;
}

/* Return the kinds of calls that the job did. */
static uint32_t used_kinds(const struct count_slot *s)
{
	uint32_t used = HOOK_MOUNTS;
	int i;

	if (s->calls[COUNT_READ])
		used |= HOOK_READ | HOOK_TIMES;
	if (s->calls[COUNT_WRITE])
		used |= HOOK_WRITE | HOOK_TIMES;
	for (i = 0; i < COUNT_META_OPS; i++)
		if (s->meta[i])
			used |= HOOK_OPS | HOOK_TIMES;
	if (s->mmap_bytes[COUNT_READ] || s->mmap_bytes[COUNT_WRITE] ||
	    s->time_ns[COUNT_TIME_MAPPED])
		used |= HOOK_MMAP | HOOK_TIMES;
	return used;
}

/* ---- a job --------------------------------------------------------------- */

struct reading {
	struct mountinfo *table; /* NULL: not readable */
	uint32_t job;
	struct record *record;
	struct counters_state *state;
	__u64 now[COUNT_KINDS]; /* skipped calls of the node */
	bool is_ftrace_off;	/* calls are lost, since an unknown time */
	bool is_elsewhere;	/* another version counts the job */
};

/* Set how many calls may be missing: those that were skipped on the whole node. */
static void set_skipped(struct io *io, const struct pins_entry *entry, const struct reading *r)
{
	static const enum io_number numbers[] = {
		[COUNT_KIND_READ] = IO_READ_SKIPPED,
		[COUNT_KIND_WRITE] = IO_WRITE_SKIPPED,
		[COUNT_KIND_OPS] = IO_META_SKIPPED,
		[COUNT_KIND_TIMES] = IO_TIMES_SKIPPED,
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !r->is_ftrace_off; i++)
		if (numbers[i] && r->now[i] > entry->value.skipped[i])
			io->numbers[numbers[i]] = (int64_t)(r->now[i] - entry->value.skipped[i]);
}

static int read_entry(struct pins *p, struct pins_entry *entry, struct reading *r, uint32_t *used)
{
	bool is_filesystem = entry->key.dev;
	uint32_t skipped;
	struct count_slot sum;
	struct io io;

	io_init(&io);
	if (slot_read(p, entry->value.slot, &sum, &io.timeline) < 0)
		return -1;
	skipped = hooks_skipped_times(entry->value.skipped, r->now, &sum);
	if (skipped)
		memset(io.timeline.rows[TIMELINE_IO_US], 0,
		       sizeof(io.timeline.rows[TIMELINE_IO_US]));
	set_pair(&io, IO_READ_BYTES, sum.bytes);
	set_pair(&io, IO_READ_CALLS, sum.calls);
	snprintf(io.source, sizeof(io.source), "%s", is_filesystem ? "bpf" : "exit");
	if (is_filesystem) {
		io.fs = entry->value.mount;
		set_filesystem(&io, &sum, &p->info, skipped);
		/* rows of a program that was skipped: less than the counters */
		if (io_check_lanes(&io, NULL) < 0)
			timeline_spoil(&io.timeline);
		r->record->flags |= mount_flags(r->table, p, entry);
		*used |= r->is_ftrace_off ? UINT32_MAX : used_kinds(&sum);
		set_skipped(&io, entry, r);
	}
	r->record->flags |= missed_flags(&sum, entry);
	record_add_app(r->record, &io);
	return 0;
}

static uint64_t source_flags(const struct count_info *info, bool has_filesystem)
{
	if (has_filesystem)
		return hooks_lost_flags(info->lost);
	return RECORD_FLAG(ALL_FILES) | RECORD_FLAG(AIO_MISSING) | RECORD_FLAG(MMAP_MISSING) |
	       RECORD_FLAG(COPIES_TWICE) | (info->cgroup_v1 ? RECORD_FLAG(INCLUDES_STEPD) : 0);
}

static int read_folder(struct pins *p, void *arg, struct err *err)
{
	const struct pins_entry *last = NULL;
	struct reading *r = arg;
	uint32_t used = 0; /* HOOK_READ and the like; 0: no filesystem */
	size_t i;

	if (p->is_readable)
		pins_skipped(p, r->now);
	for (i = 0; i < COUNT_KINDS && r->is_ftrace_off; i++)
		if (i != COUNT_KIND_EXIT)
			r->now[i] = UINT64_MAX;
	for (i = 0; i < p->entry_count; i++) {
		if (p->entries[i].key.job != r->job)
			continue;
		if (!p->is_readable) {
			r->is_elsewhere = true;
			return 0;
		}
		last = &p->entries[i];
		if (read_entry(p, &p->entries[i], r, &used) < 0)
			return err_set(err, "counters: job %u: cannot read '%s'", r->job,
				       p->folder);
	}
	if (!last)
		return 0;
	pins_fill_state(p, r->state);
	r->record->flags |= source_flags(&p->info, used) |
			    hooks_skipped_flags(last->value.skipped, r->now,
						used ? used & ~HOOK_EXIT : HOOK_EXIT);
	return 0;
}

/* Filesystems by name, then all files. */
static int compare_io(const void *a, const void *b)
{
	const struct io *x = a, *y = b;

	if (!x->fs || !y->fs)
		return (x->fs == NULL) - (y->fs == NULL);
	return strcmp(x->fs, y->fs);
}

int counters_read(const struct counters_options *options, uint32_t job, struct record *record,
		  struct counters_state *state, struct err *err)
{
	struct reading r = { .job = job, .record = record, .state = state };
	size_t before = record->app_count;
	int lock, rc = pins_begin(options, state, &lock, err);

	if (rc <= 0)
		return rc;
	r.table = mountinfo_read(options->mountinfo, NULL);
	r.is_ftrace_off = counters_is_ftrace_off();
	rc = pins_each(options, read_folder, &r, err);
	if (record->app_count > before)
		qsort(record->app + before, record->app_count - before, sizeof(*record->app),
		      compare_io);
	if (!rc && state->tier == COUNTERS_NONE)
		err_set(&state->reason,
			r.is_elsewhere
				? "counters: job %u: another version of jobio began to count it"
				: "counters: job %u: nothing was counted for it",
			job);
	mountinfo_free(r.table);
	close(lock);
	return rc;
}
