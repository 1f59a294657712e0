/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was counted for a job, as lines of a record. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "count/counters_parts.h"
#include "count/hooks.h"
#include "count/line.h"
#include "count/mounts.h"

#define READ_TRIES 16 /* a shard is written to once a second */

static void add_up(struct count_slot *sum, const struct count_slot *one)
{
	const __u64 *from = one->bytes;
	__u64 *to = sum->bytes;
	size_t i,
		n = (offsetof(struct count_slot, slowest_ns) - offsetof(struct count_slot, bytes)) /
		    sizeof(*to);

	for (i = 0; i < n; i++)
		to[i] += from[i];
	if (one->slowest_ns > sum->slowest_ns) {
		sum->slowest_ns = one->slowest_ns;
		sum->slowest_life_ns = one->slowest_life_ns;
	}
}

static uint64_t all_ns(const struct count_slot *s)
{
	uint64_t ns = 0;
	int i;

	for (i = 0; i < COUNT_CLASSES; i++)
		ns += s->time_ns[i];
	return ns;
}

/* A copy of a shard, whose line nobody wrote to while it was made: it is the one
 * in the middle of three with the same mark. Where that is not to be had: one
 * without a line. */
static int shard_read(struct pins *p, uint32_t at, struct count_slot *one)
{
	struct count_slot next;
	int tries, same = 0;

	if (bpf_map_lookup_elem(p->slots, &at, &next))
		return -1;
	for (tries = 0; same < 2 && tries < READ_TRIES; tries++) {
		*one = next;
		if (bpf_map_lookup_elem(p->slots, &at, &next))
			return -1;
		same = one->line.writes & 1 || one->line.writes != next.line.writes ? 0 : same + 1;
	}
	if (same < 2)
		one->until = 0;
	return 0;
}

/* The rows of a shard, with what is not told yet. Without a clock of jiffies there
 * are none. */
static void add_rows(struct timeline *timeline, struct count_slot *shard)
{
	const struct count_row now = {
		.bytes = { shard->bytes[COUNT_READ], shard->bytes[COUNT_WRITE] },
		.calls = shard->calls[COUNT_READ] + shard->calls[COUNT_WRITE],
		.ns = all_ns(shard),
	};
	struct count_line *line = &shard->line;
	int64_t amounts[TIMELINE_LANES] = { 0 }, width;
	size_t i;

	if (!shard->until && (now.calls || now.ns))
		timeline_spoil(timeline);
	if (!shard->until)
		return;
	line_tell(line, &now);
	width = INT64_C(1) << (line->shift & 31);
	for (i = 0; i < COUNT_ROWS; i++) {
		amounts[TIMELINE_READ] = (int64_t)line->rows[i].bytes[COUNT_READ];
		amounts[TIMELINE_WRITE] = (int64_t)line->rows[i].bytes[COUNT_WRITE];
		amounts[TIMELINE_CALLS] = (int64_t)line->rows[i].calls;
		amounts[TIMELINE_IO_US] = (int64_t)(line->rows[i].ns / 1000);
		if (timeline_is_row((int64_t)(line->base + i) * width, width))
			timeline_put(timeline, (int64_t)(line->base + i) * width, width, amounts);
	}
}

static int slot_read(struct pins *p, uint32_t slot, struct count_slot *sum,
		     struct timeline *timeline)
{
	uint32_t i, n = 1U << p->info.shard_shift;
	struct count_slot one;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < n; i++) {
		if (shard_read(p, (slot << p->info.shard_shift) + i, &one) < 0)
			return -1;
		add_up(sum, &one);
		add_rows(timeline, &one);
		if (!i)
			memcpy(sum->peak, one.peak, sizeof(sum->peak));
	}
	return 0;
}

static void put_hist(struct io *io, enum io_hist which, const __u64 *bins, size_t n)
{
	size_t i;

	io->has_hist[which] = true;
	for (i = 0; i < n && i < IO_BINS; i++)
		io->hist[which][i] = (int64_t)bins[i];
}

/* CPUs report by steps: what is less is too little to tell a peak. */
static int64_t peak_rate(const struct count_slot *s, enum count_rw rw)
{
	const struct count_peak *peak = &s->peak[rw];
	uint64_t most = peak->total - peak->mark;

	most = most > peak->most ? most : peak->most;
	most = most > s->bytes[rw] ? s->bytes[rw] : most;
	if (!most && s->bytes[rw])
		return RECORD_UNKNOWN;
	return (int64_t)(most / COUNT_WINDOW_S);
}

static int64_t in_us(uint64_t ns)
{
	return (int64_t)(ns / 1000);
}

static void put_times(struct io *io, const struct count_slot *s, uint32_t lost)
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
			io->numbers[numbers[i]] = in_us(s->time_ns[i]);
	for (i = 0; i < COUNT_ERRNOS; i++)
		for (j = 0; j < COUNT_FAILED_CLASSES; j++)
			io->errors[i][j] = (int64_t)s->errors[i][j];
	io->numbers[IO_READ_RANDOM] = (int64_t)s->random[COUNT_READ];
	io->numbers[IO_WRITE_RANDOM] = (int64_t)s->random[COUNT_WRITE];
	io->numbers[IO_READ_FIRST] = (int64_t)s->firsts[COUNT_READ];
	io->numbers[IO_WRITE_FIRST] = (int64_t)s->firsts[COUNT_WRITE];
	if (!(lost & TIME(READ)))
		put_hist(io, IO_READ_NS, s->ns[COUNT_READ], COUNT_NS_BINS);
	if (!(lost & TIME(WRITE)))
		put_hist(io, IO_WRITE_NS, s->ns[COUNT_WRITE], COUNT_NS_BINS);
	if (lost & THREADS_LOST)
		return;
	io->numbers[IO_THREADS] = (int64_t)s->threads;
	io->numbers[IO_THREAD_US] = in_us(s->life_ns + s->alive * counters_now_ns() - s->born_ns);
	io->numbers[IO_SLOWEST_US] = in_us(s->slowest_ns);
	io->numbers[IO_SLOWEST_LIFE_US] = in_us(s->slowest_life_ns);
}

/* The order of enum count_meta is the record's. */
static void put_bpf(struct io *io, const struct count_slot *s, const struct count_info *info,
		    uint32_t skipped)
{
	uint32_t groups = info->groups, lost_ops = hooks_lost_ops(info->lost) | skipped;
	int i;

	put_hist(io, IO_READ_SIZES, s->sizes[COUNT_READ], COUNT_SIZE_BINS);
	put_hist(io, IO_WRITE_SIZES, s->sizes[COUNT_WRITE], COUNT_SIZE_BINS);
	io->numbers[IO_PEAK_READ] = peak_rate(s, COUNT_READ);
	io->numbers[IO_PEAK_WRITE] = peak_rate(s, COUNT_WRITE);
	io->numbers[IO_PEAK_WINDOW_S] = COUNT_WINDOW_S;
	if (groups & COUNT_GROUP(META)) {
		for (i = 0; i < COUNT_META_OPS; i++)
			if (!(lost_ops & 1U << i))
				io->numbers[IO_OP_OPEN + i] = (int64_t)s->meta[i];
	}
	if (groups & COUNT_GROUP(MMAP)) {
		io->numbers[IO_MMAP_READ_BYTES] = (int64_t)s->mmap_bytes[COUNT_READ];
		io->numbers[IO_MMAP_WRITE_BYTES] = (int64_t)s->mmap_bytes[COUNT_WRITE];
	}
	if (!(groups & COUNT_GROUP(MMAP)) || info->lost & UINT64_C(1) << LOSS_FAULTS)
		lost_ops |= TIME(MAPPED);
	if (groups & COUNT_GROUP(LATENCY))
		put_times(io, s, lost_ops);
}

struct reading {
	const struct counters_options *options;
	uint32_t job;
	struct record *record;
	struct counters_state *state;
	__u64 before[COUNT_KINDS]; /* skipped when the job began */
	__u64 now[COUNT_KINDS];
	bool has_mount;
	bool ftrace_off; /* nothing is counted now, and since when is not known */
	uint32_t used;	 /* HOOK_READ and the like: calls that the job did */
};

/* The mount point may have gone, or lead to another filesystem by now, be it
 * one with the same number. */
static uint64_t mount_flags(const struct counters_options *options, struct pins *p,
			    const struct count_key *key, const struct count_entry *entry)
{
	struct count_dev now = entry->dev;
	uint64_t flags = 0;
	uint32_t dev;
	int rc = mounts_dev(options->mountinfo, entry->mount, &dev, NULL);

	bpf_map_lookup_elem(p->devs, &key->dev, &now);
	if (now.mounted != entry->dev.mounted)
		flags |= RECORD_FLAG(MOUNT_BELOW);
	if (now.images != entry->dev.images || entry->flags & COUNT_IMAGE)
		flags |= RECORD_FLAG(IMAGE_MOUNTED);
	if (rc == 0)
		flags |= RECORD_FLAG(UNMOUNTED);
	else if ((rc > 0 && dev != key->dev) || now.ended != entry->dev.ended)
		flags |= RECORD_FLAG(REMOUNTED);
	return flags;
}

static uint64_t missed_flags(const struct count_slot *s, const struct count_entry *entry)
{
	uint64_t flags = 0;

	if (s->missed[COUNT_MISSED_READ] || (entry->flags & COUNT_PARTIAL))
		flags |= RECORD_FLAG(LOWER_BOUND_READ);
	if (s->missed[COUNT_MISSED_WRITE] || (entry->flags & COUNT_PARTIAL))
		flags |= RECORD_FLAG(LOWER_BOUND_WRITE);
	if (s->missed[COUNT_MISSED_MOUNT])
		flags |= RECORD_FLAG(MOUNT_BELOW);
	if (s->missed[COUNT_MISSED_IMAGE])
		flags |= RECORD_FLAG(IMAGE_MOUNTED);
	return flags;
}

/* Kinds of which something was counted. */
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

/* The most that can be missing: programs were skipped on the whole node. */
static void put_skipped(struct io *io, const struct count_entry *entry, const struct reading *r)
{
	static const enum io_number numbers[] = {
		[COUNT_KIND_READ] = IO_READ_SKIPPED,
		[COUNT_KIND_WRITE] = IO_WRITE_SKIPPED,
		[COUNT_KIND_OPS] = IO_META_SKIPPED,
	};
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]) && !r->ftrace_off; i++)
		if (r->now[i] > entry->skipped[i])
			io->numbers[numbers[i]] = (int64_t)(r->now[i] - entry->skipped[i]);
}

static int read_entry(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		      void *arg)
{
	uint32_t skipped = hooks_skipped_times(entry->skipped, ((struct reading *)arg)->now);
	struct reading *r = arg;
	struct count_slot sum;
	struct io io;
	char mount[COUNT_MOUNT_BYTES];

	if (key->job != r->job)
		return 0;
	io_init(&io);
	if (slot_read(p, entry->slot, &sum, &io.timeline) < 0)
		return -1;
	if (skipped)
		memset(io.timeline.rows[TIMELINE_IO_US], 0,
		       sizeof(io.timeline.rows[TIMELINE_IO_US]));
	io.numbers[IO_READ_BYTES] = (int64_t)sum.bytes[COUNT_READ];
	io.numbers[IO_WRITE_BYTES] = (int64_t)sum.bytes[COUNT_WRITE];
	io.numbers[IO_READ_CALLS] = (int64_t)sum.calls[COUNT_READ];
	io.numbers[IO_WRITE_CALLS] = (int64_t)sum.calls[COUNT_WRITE];
	snprintf(io.source, sizeof(io.source), "%s", key->dev ? "bpf" : "exit");
	if (key->dev) {
		snprintf(mount, sizeof(mount), "%s", entry->mount);
		io.fs = mount;
		put_bpf(&io, &sum, &p->info, skipped);
		/* rows that are not the counters would show other I/O */
		if (io_check_lanes(&io, NULL) < 0)
			timeline_spoil(&io.timeline);
		r->record->flags |= mount_flags(r->options, p, key, entry);
	}
	if (key->dev) {
		r->has_mount = true;
		r->used |= r->ftrace_off ? UINT32_MAX : used_kinds(&sum);
		put_skipped(&io, entry, r);
	}
	memcpy(r->before, entry->skipped, sizeof(r->before)); /* all the same */
	r->record->flags |= missed_flags(&sum, entry);
	record_add_app(r->record, &io);
	return 0;
}

static int read_folder(struct pins *p, void *arg, struct err *err)
{
	struct reading *r = arg;
	size_t before = r->record->app_count;
	int i;

	pins_skipped(p, r->now);
	r->ftrace_off = counters_is_ftrace_off();
	for (i = 0; i < COUNT_KINDS && r->ftrace_off; i++)
		if (i != COUNT_KIND_EXIT)
			r->now[i] = UINT64_MAX;
	if (pins_each_entry(p, read_entry, r))
		return err_set(err, "counters: job %u: cannot read '%s'", r->job, p->folder);
	if (r->record->app_count == before)
		return 0;
	counters_fill_state(r->state, p);
	r->record->flags |= counters_flags(&p->info, r->has_mount) |
			    hooks_skipped_flags(r->before, r->now,
						r->has_mount ? r->used & ~HOOK_EXIT : HOOK_EXIT);
	return 0;
}

/* The best source first: filesystems by name, then all files. The kernel's
 * order is none. */
static int compare_io(const void *a, const void *b)
{
	const struct io *x = a, *y = b;

	if (!x->fs || !y->fs)
		return (x->fs == NULL) - (y->fs == NULL);
	return strcmp(x->fs, y->fs);
}

/* The job that is looked for becomes 0. */
static void note_job(uint32_t job, const char *mount, void *arg)
{
	uint32_t *wanted = arg;

	(void)mount;
	if (job == *wanted)
		*wanted = 0;
}

static void say_nothing(const struct reading *r)
{
	uint32_t job = r->job;

	others_visit(r->options,
		     &(struct others){ .but = COUNTERS_LAYOUT, .each = note_job, .arg = &job });
	snprintf(r->state->reason, sizeof(r->state->reason),
		 job ? "counters: job %u: nothing was counted for it"
		     : "counters: job %u: another version of jobio began to count it",
		 r->job);
}

int counters_read(const struct counters_options *options, uint32_t job, struct record *record,
		  struct counters_state *state, struct err *err)
{
	struct reading r = { .options = options, .job = job, .record = record, .state = state };
	size_t before = record->app_count;
	int lock, rc = counters_look(options, state, &lock, err);

	if (rc <= 0)
		return rc;
	rc = pins_each_folder(options, read_folder, &r, err);
	if (record->app_count > before)
		qsort(record->app + before, record->app_count - before, sizeof(*record->app),
		      compare_io);
	if (!rc && state->tier == COUNTERS_NONE)
		say_nothing(&r);
	close(lock);
	return rc;
}
