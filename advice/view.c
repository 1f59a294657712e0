/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/view.h"

#include <string.h>

#include "advice/limits.h"

static double larger(double a, double b)
{
	return a > b ? a : b;
}

double view_known(int64_t number)
{
	return number > 0 ? (double)number : 0;
}

double view_number(const struct view *v, enum io_number number)
{
	return view_known(v->io->numbers[number]);
}

double view_metas(const struct view *v)
{
	double all = 0;
	int op;

	for (op = IO_OP_OPEN; op < IO_COUNT; op++)
		all += view_number(v, (enum io_number)op);
	return all;
}

double view_bytes(const struct view *v)
{
	return view_number(v, IO_READ_BYTES) + view_number(v, IO_WRITE_BYTES);
}

double view_mapped(const struct view *v)
{
	return view_number(v, IO_MMAP_READ_BYTES) + view_number(v, IO_MMAP_WRITE_BYTES);
}

double view_calls(const struct view *v)
{
	return view_number(v, IO_READ_CALLS) + view_number(v, IO_WRITE_CALLS);
}

double view_mean(const struct view *v, enum io_number bytes, enum io_number calls)
{
	double count = view_number(v, calls);

	return count > 0 ? view_number(v, bytes) / count : 0;
}

double view_rate(const struct view *v, double number)
{
	return v->run->seconds > 0 && v->nodes ? number / v->run->seconds / (double)v->nodes : 0;
}

double view_call_s(const struct view *v, double calls)
{
	return calls * v->limits->sync_call_us / US_PER_S;
}

/* The client sent few of the operations; its cache served the rest. */
static bool is_metadata_cached(const struct view *v)
{
	return v->client_io && v->client_io->numbers[IO_META_CALLS] >= 0 &&
	       !reaches((double)v->client_io->numbers[IO_META_CALLS], LIMIT_UNCACHED_PERCENT,
			view_metas(v));
}

/* Bytes or calls handled by the client, if it counts them (with mapped files, without the page
 * cache); else those of the job. */
static double moved_by(const struct view *v, enum io_number number)
{
	const int64_t *client_io = v->client_io ? v->client_io->numbers : NULL;

	if (!client_io || (client_io[IO_READ_BYTES] < 0 && client_io[IO_WRITE_BYTES] < 0))
		return view_number(v, number);
	return view_known(client_io[number]);
}

double view_io_share(const struct view *v)
{
	struct view_times t;

	view_times(v, &t);
	return (t.read + t.write + t.sync + t.close) * t.scale;
}

bool view_is_busy(const struct view *v)
{
	double moved = moved_by(v, IO_READ_BYTES) + moved_by(v, IO_WRITE_BYTES);

	double share, least;
	struct view_times t;

	view_times(v, &t);
	share = (t.read + t.write + t.sync + t.close) * t.scale * 100;
	/* the least time it can have taken, at the speed of a core */
	least = t.by == VIEW_BY_KERNEL	 ? LIMIT_SIGNIFICANT_PERCENT
		: t.by == VIEW_BY_CLIENT ? LIMIT_BUSY_PERCENT
					 : LIMIT_ESTIMATED_PERCENT;
	return moved >= v->limits->min_mib * MIB && share >= least;
}

bool view_has_option(const struct view *v, const char *option)
{
	return run_has_option(v->run, v->fs, option);
}

/* ---- times -------------------------------------------------------------------- */

static double seconds(const struct view *v, enum io_number us)
{
	return view_number(v, us) / US_PER_S;
}

/* All processes may wait for the slowest: the possible gain is the larger of its share and the mean
 * share. */
static double gain_of(const struct view *v, const struct view_times *t)
{
	double slowest = v->run->seconds > 0 ? seconds(v, IO_SLOWEST_US) / v->run->seconds : 0;

	return larger(t->total / t->lifetime, slowest > 1 ? 1 : slowest);
}

double view_slowest(const struct view *v)
{
	double lifetime = view_number(v, IO_SLOWEST_LIFE_US), threads = view_number(v, IO_THREADS);

	if (lifetime <= 0 || (threads > 0 && !reaches(lifetime * threads, LIMIT_HALF_PERCENT,
						      view_number(v, IO_THREAD_US))))
		return -1;
	return view_number(v, IO_SLOWEST_US) / lifetime;
}

/* Sum over the client's requests, in seconds; < 0: not counted. */
static double waited(const struct view *v, enum io_number us)
{
	return v->client_io && v->client_io->numbers[us] >= 0
		       ? (double)v->client_io->numbers[us] / US_PER_S
		       : -1;
}

/* Time of reads or writes: from the kernel, if it measured these; else from the client; else the
 * least that the calls or bytes take. */
static double moving(const struct view *v, bool is_read, double part)
{
	enum io_number us = is_read ? IO_READ_US : IO_WRITE_US;
	enum io_number bytes = is_read ? IO_READ_BYTES : IO_WRITE_BYTES;
	enum io_number calls = is_read ? IO_READ_CALLS : IO_WRITE_CALLS;
	double mbs = is_read ? v->limits->core_read_mbs : v->limits->core_write_mbs;

	if (seconds(v, us) > 0)
		return seconds(v, us);
	if (waited(v, us) >= 0)
		return waited(v, us) * part;
	return larger(view_call_s(v, view_number(v, calls)), view_number(v, bytes) / (mbs * MB));
}

/* The stat or open of a name that is new to the node includes its lookup: one operation. */
static double meta_operations(const struct view *v)
{
	double lookup_ops = view_number(v, IO_OP_STAT) + view_number(v, IO_OP_OPEN);
	double looked_up = view_number(v, IO_OP_LOOKUP_MISS);

	return view_metas(v) - (looked_up < lookup_ops ? looked_up : lookup_ops) +
	       (LIMIT_CALLS_PER_OPEN - 1) *
		       larger(view_number(v, IO_OP_OPEN), view_number(v, IO_OP_CREATE));
}

/* An fsync waits for WRITEs: the client's time of WRITEs counts as fsync. */
static void split_syncs(const struct view *v, struct view_times *t)
{
	double syncs = view_number(v, IO_OP_FSYNC), measured = seconds(v, IO_WRITE_US);

	if (!reaches(syncs, LIMIT_SYNCED_PERCENT, view_number(v, IO_WRITE_CALLS)) || syncs <= 0)
		return;
	t->sync = larger(waited(v, IO_WRITE_US) - measured,
			 view_call_s(v, syncs * LIMIT_CALLS_PER_SYNC));
	t->write = measured;
}

static void estimate(const struct view *v, struct view_times *t)
{
	double mapped = view_mapped(v),
	       part = mapped / (mapped + view_number(v, IO_READ_BYTES) + 1);
	double least = is_metadata_cached(v) ? 0 : view_call_s(v, meta_operations(v));
	double *classes[] = { &t->read, &t->write, &t->meta, &t->sync, &t->mapped };
	size_t i;

	t->by = waited(v, IO_META_US) >= 0 || waited(v, IO_READ_US) >= 0 ||
				waited(v, IO_WRITE_US) >= 0
			? VIEW_BY_CLIENT
			: VIEW_BY_CALLS;
	t->lifetime = v->run->seconds * (double)v->nodes;
	t->read = moving(v, true, 1 - part);
	t->write = moving(v, false, 1);
	t->meta = larger(waited(v, IO_META_US), least);
	t->mapped = larger(waited(v, IO_READ_US) * part, view_call_s(v, mapped / LIMIT_PAGE_BYTES));
	split_syncs(v, t);
	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (*classes[i] > t->lifetime)
			*classes[i] = t->lifetime;
	t->total = t->read + t->write + t->meta + t->sync + t->mapped;
	t->scale = t->lifetime > 0 ? 1 / t->lifetime : 0;
}

void view_times(const struct view *v, struct view_times *t)
{
	*t = (struct view_times){ .by = VIEW_BY_KERNEL,
				  .read = seconds(v, IO_READ_US),
				  .write = seconds(v, IO_WRITE_US),
				  .meta = seconds(v, IO_META_US),
				  .sync = seconds(v, IO_SYNC_US),
				  .close = seconds(v, IO_CLOSE_US),
				  .mapped = seconds(v, IO_MAPPED_US),
				  .async = seconds(v, IO_ASYNC_US),
				  .lifetime = seconds(v, IO_THREAD_US) };
	t->total = t->read + t->write + t->meta + t->sync + t->close + t->mapped + t->async;
	if (t->lifetime <= 0 && v->io->numbers[IO_THREAD_US] == 0 && t->total <= 0)
		t->lifetime = v->run->seconds * (double)v->nodes; /* no process used it */
	if (t->lifetime <= 0) {
		estimate(v, t);
		return;
	}
	t->scale = t->total > 0 ? gain_of(v, t) / t->total : 0;
}

double view_failed(const struct view *v, enum io_errno error, enum io_class class)
{
	return view_known(v->io->errors[error][class]);
}

bool view_set(struct advice *a, const char *class, double share)
{
	a->class = class;
	a->share = share > 1 ? 1 : share;
	return true;
}

void view_add(struct advice *a, const char *key, double number)
{
	if (a->number_count < ADVICE_NUMBERS)
		a->numbers[a->number_count++] = (struct advice_number){ key, number };
}
