/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/view.h"

#include <string.h>

#include "advice/limits.h"

static double known(int64_t number)
{
	return number > 0 ? (double)number : 0;
}

double view_number(const struct view *v, enum io_number number)
{
	return known(v->io->numbers[number]);
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
	return v->seconds > 0 && v->nodes ? number / v->seconds / (double)v->nodes : 0;
}

bool view_is_timed(const struct view *v)
{
	return view_number(v, IO_READ_US) + view_number(v, IO_WRITE_US) > 0;
}

double view_concurrency(const struct view *v)
{
	return view_rate(v, (view_number(v, IO_READ_US) + view_number(v, IO_WRITE_US)) / 1e6);
}

double view_call_share(const struct view *v, double calls)
{
	return view_rate(v, calls * v->limits->sync_call_us / 1e6);
}

double view_waiting(const struct view *v, enum io_number us)
{
	return v->wire && v->wire->numbers[us] > 0
		       ? view_rate(v, (double)v->wire->numbers[us] / 1e6)
		       : 0;
}

/* The client asked for a tenth of them, or less: it had the rest at hand. */
bool view_is_at_hand(const struct view *v)
{
	return v->wire && v->wire->numbers[IO_META_CALLS] >= 0 &&
	       (double)v->wire->numbers[IO_META_CALLS] * 10 < view_metas(v);
}

/* A name that is new to the node is looked up by the stat or the open of it: that is
 * one operation. */
static double meta_operations(const struct view *v)
{
	double asking = view_number(v, IO_OP_STAT) + view_number(v, IO_OP_OPEN);
	double looked_up = view_number(v, IO_OP_LOOKUP_MISS);

	return view_metas(v) - (looked_up < asking ? looked_up : asking);
}

double view_meta_waiting(const struct view *v, double ops)
{
	double all = meta_operations(v);
	double part = all > 0 && ops < all ? ops / all : 1;

	return view_waiting(v, IO_META_US) * part;
}

double view_meta_share(const struct view *v, double ops)
{
	double least = view_call_share(v, ops);
	double waiting = view_meta_waiting(v, ops);

	return waiting > least || view_is_at_hand(v) ? waiting : least;
}

/* At the speed of a core: the least that it can have taken. */
static double least_share(const struct view *v)
{
	return view_rate(v, view_number(v, IO_READ_BYTES) / (v->limits->core_read_mbs * 1e6)) +
	       view_rate(v, view_number(v, IO_WRITE_BYTES) / (v->limits->core_write_mbs * 1e6));
}

/* The client reads ahead and writes behind, several requests at a time: the job
 * cannot have waited longer than it ran. */
static double client_share(const struct view *v)
{
	double share = view_waiting(v, IO_READ_US) + view_waiting(v, IO_WRITE_US);

	return share < 1 ? share : 1;
}

double view_io_share(const struct view *v)
{
	double least = least_share(v), share = client_share(v);

	if (view_is_timed(v))
		return view_concurrency(v);
	return share > least ? share : least;
}

/* Bytes or calls: what the client moved, or did, where it tells, and not what came from the
 * page cache; else as asked for. Of mapped files, too, where it tells. */
static double moved_by(const struct view *v, enum io_number number)
{
	const int64_t *wire = v->wire ? v->wire->numbers : NULL;

	if (!wire || (wire[IO_READ_BYTES] < 0 && wire[IO_WRITE_BYTES] < 0))
		return view_number(v, number);
	return known(wire[number]);
}

bool view_is_busy(const struct view *v)
{
	double busy = LIMIT_BUSY_PERCENT / 100.0;
	double moved = moved_by(v, IO_READ_BYTES) + moved_by(v, IO_WRITE_BYTES);

	return moved >= v->limits->min_mib * 1048576.0 &&
	       (view_io_share(v) >= busy || (!view_is_timed(v) && least_share(v) >= busy / 10));
}

static bool is_set(const struct record_change *change, const char *fs, const char *option)
{
	return change->made > 0 && change->what && change->target && change->new_value &&
	       !strcmp(change->what, "mount-option") && !strcmp(change->target, fs) &&
	       !strcmp(change->new_value, option);
}

bool view_has_option(const struct view *v, const char *option)
{
	size_t i, k;

	for (i = 0; i < v->count; i++)
		for (k = 0; k < v->records[i]->change_count; k++)
			if (is_set(&v->records[i]->changes[k], v->fs, option))
				return true;
	return false;
}

int64_t view_cores(const struct view *v)
{
	int64_t least = 0, cores;
	size_t i;

	for (i = 0; i < v->count; i++) {
		cores = v->records[i]->io_cores_count;
		if (!v->records[i]->has_io_cores || cores < 1 || !v->records[i]->cores_met)
			return 0;
		least = least && least < cores ? least : cores;
	}
	return least;
}

static double seconds(const struct view *v, enum io_number us)
{
	return view_number(v, us) / 1e6;
}

/* The mean process may wait little and the one for which all others wait much: of both
 * shares the larger is what can be gained. */
static double gain_of(const struct view *v, const struct view_times *t)
{
	double mean = t->total / t->life, slowest = seconds(v, IO_SLOWEST_US);

	slowest = v->seconds > 0 ? slowest / v->seconds : 0;
	slowest = slowest > 1 ? 1 : slowest;
	return slowest > mean ? slowest : mean;
}

bool view_times(const struct view *v, struct view_times *t)
{
	*t = (struct view_times){ .read = seconds(v, IO_READ_US),
				  .write = seconds(v, IO_WRITE_US),
				  .meta = seconds(v, IO_META_US),
				  .sync = seconds(v, IO_SYNC_US),
				  .close = seconds(v, IO_CLOSE_US),
				  .mapped = seconds(v, IO_MAPPED_US),
				  .async = seconds(v, IO_ASYNC_US),
				  .life = seconds(v, IO_THREAD_US) };
	t->total = t->read + t->write + t->meta + t->sync + t->close + t->mapped + t->async;
	if (t->life <= 0)
		return false;
	t->scale = t->total > 0 ? gain_of(v, t) / t->total : 0;
	return true;
}

double view_failed(const struct view *v, enum io_errno error, enum io_class class)
{
	return known(v->io->errors[error][class]);
}

bool view_tell(struct advice *a, const char *class, double share)
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
