/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_fit.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "advice/limits.h"

#define FLAT_PERCENT 90 /* of the best: more processes add nothing */
#define LARGE_KIB 1024U
#define SMALL_KIB 4U

/* ---- a line -------------------------------------------------------------------- */

struct calib_point {
	unsigned int io_cores;
	double value;
};

static int by_cores(const void *a, const void *b)
{
	unsigned int one = ((const struct calib_point *)a)->io_cores;
	unsigned int other = ((const struct calib_point *)b)->io_cores;

	return (one > other) - (one < other);
}

static double mean_at(const struct calib_point *p, size_t count, unsigned int cores)
{
	struct samples s = { .count = 0 };
	size_t i;

	for (i = 0; i < count; i++)
		if (p[i].io_cores == cores)
			samples_add(&s, p[i].value);
	return s.mean;
}

/* Least squares through the origin, over the points up to 'cores'. */
static double slope(const struct calib_point *p, size_t count, unsigned int cores)
{
	double above = 0, below = 0;
	size_t i;

	for (i = 0; i < count && p[i].io_cores <= cores; i++) {
		above += p[i].io_cores * p[i].value;
		below += (double)p[i].io_cores * p[i].io_cores;
	}
	return below > 0 ? above / below : 0;
}

/* How far it grows: each number of cores adds its part of the first one's. */
static unsigned int grown(const struct calib_point *p, size_t count, double part)
{
	unsigned int first = p[0].io_cores, last = first;
	double before = mean_at(p, count, first), now;
	double one = before / first;
	size_t i;

	for (i = 0; i < count; i++) {
		if (p[i].io_cores == last)
			continue;
		now = mean_at(p, count, p[i].io_cores);
		if (now - before < part * one * (p[i].io_cores - last))
			break;
		last = p[i].io_cores;
		before = now;
	}
	return last;
}

/* Points of 0 io-cores are passed over. */
static struct calib_line fit_line(const struct calib_point *points, size_t count)
{
	struct calib_line line = { .spread = -1 };
	struct samples each = { .count = 0 };
	struct calib_point *p = xcalloc(count + 1, sizeof(*p));
	size_t i, kept = 0;

	for (i = 0; i < count; i++)
		if (points[i].io_cores)
			p[kept++] = points[i];
	if (kept) {
		qsort(p, kept, sizeof(*p), by_cores);
		line.grows_to = grown(p, kept, LIMIT_FULL_PERCENT / 100.0);
		line.per_core = slope(p, kept, line.grows_to);
		for (i = 0; i < kept && p[i].io_cores <= line.grows_to; i++)
			samples_add(&each, p[i].value / p[i].io_cores);
		line.count = each.count;
		line.spread = samples_spread(&each);
	}
	free(p);
	return line;
}

/* ---- metrics --------------------------------------------------------------------- */

static const struct {
	const char *name, *words;
	bool is_write, is_bytes;
} metrics[CALIB_METRICS] = {
	[CALIB_READ_BPS] = { "read_Bps", "1 MiB read", false, true },
	[CALIB_WRITE_BPS] = { "write_Bps", "1 MiB written", true, true },
	[CALIB_READ_IOPS] = { "read_iops", "4 KiB read", false, false },
	[CALIB_WRITE_IOPS] = { "write_iops", "4 KiB written", true, false },
};

const char *calib_metric_name(enum calib_metric metric)
{
	return metrics[metric].name;
}

const char *calib_metric_words(enum calib_metric metric)
{
	return metrics[metric].words;
}

static bool is_of(const struct calib_shape *s, enum calib_metric metric)
{
	return !s->is_alone && s->is_write == metrics[metric].is_write &&
	       s->block_kib == (metrics[metric].is_bytes ? LARGE_KIB : SMALL_KIB);
}

static double best_of(const struct calib_data *data, size_t job, enum calib_metric metric)
{
	const struct calib_plan *plan = data->plan;
	double best = 0, value;
	size_t i;

	for (i = 0; i < plan->shape_count; i++) {
		const struct calib_run *run = &data->jobs[job].runs[i];

		if (!is_of(&plan->shapes[i], metric))
			continue;
		value = (double)(metrics[metric].is_bytes ? run->bytes : run->calls) * 1000 /
			(double)run->ms;
		best = value > best ? value : best;
	}
	return best;
}

struct samples calib_metric_of(const struct calib_data *data, size_t setting,
			       enum calib_metric metric)
{
	struct samples all = { .count = 0 };
	size_t i;

	for (i = 0; i < data->plan->turn_count; i++)
		if (data->plan->turns[i].setting == setting && calib_data_is_whole(data, i))
			samples_add(&all, best_of(data, i, metric));
	return all;
}

struct calib_line calib_metric_fit(const struct calib_data *data,
				   const struct config_profile *profile, enum calib_metric metric)
{
	const struct calib_plan *plan = data->plan;
	struct calib_point *points = xcalloc(plan->turn_count, sizeof(*points));
	struct calib_line line;
	size_t i, count = 0;

	for (i = 0; i < plan->turn_count; i++) {
		const struct calib_setting *setting = &plan->settings[plan->turns[i].setting];

		if (setting->profile == profile && calib_data_is_whole(data, i))
			points[count++] =
				(struct calib_point){ setting->io_cores, best_of(data, i, metric) };
	}
	line = fit_line(points, count);
	free(points);
	return line;
}

int calib_metric_best(const struct calib_data *data, enum calib_metric metric)
{
	double most = 0;
	int best = -1;
	size_t i;

	for (i = 0; i < data->plan->setting_count; i++) {
		struct samples s = calib_metric_of(data, i, metric);

		if (s.count && s.mean > most) {
			most = s.mean;
			best = (int)i;
		}
	}
	return best;
}

/* ---- constants --------------------------------------------------------------------- */

struct constants {
	const struct calib_data *data;
	struct calib_constant *list;
	size_t count;
};

__attribute__((format(printf, 4, 5))) static void add(struct constants *c, const char *key,
						      double value, const char *from, ...)
{
	struct calib_constant *one = &c->list[c->count];
	va_list args;

	if (value < 1 || value > 1e8 || c->count == CALIB_CONSTANTS)
		return;
	one->key = key;
	one->value = (unsigned int)lround(value);
	va_start(args, from);
	vsnprintf(one->from, sizeof(one->from), from, args);
	va_end(args);
	c->count++;
}

static const char *profile_name(const struct calib_setting *setting)
{
	return setting->profile ? setting->profile->name : "none";
}

/* Of the profile under which a core does most. */
static struct calib_line best_line(const struct constants *c, enum calib_metric metric, size_t *of)
{
	const struct calib_plan *plan = c->data->plan;
	struct calib_line best = { .count = 0 }, line;
	size_t i;

	for (i = 0; i < plan->setting_count; i++) {
		line = calib_metric_fit(c->data, plan->settings[i].profile, metric);
		if (!line.count || line.per_core <= best.per_core)
			continue;
		best = line;
		*of = i;
	}
	return best;
}

static void add_cores(struct constants *c)
{
	static const char *const keys[CALIB_METRICS] = {
		[CALIB_READ_BPS] = "core_read_mbs",
		[CALIB_WRITE_BPS] = "core_write_mbs",
		[CALIB_READ_IOPS] = "core_read_iops",
		[CALIB_WRITE_IOPS] = "core_write_iops",
	};
	double rates[CALIB_METRICS] = { 0 };
	struct calib_line line;
	char spread[32];
	size_t of = 0;
	int i;

	for (i = 0; i < CALIB_METRICS; i++) {
		line = best_line(c, (enum calib_metric)i, &of);
		if (!line.count)
			continue;
		rates[i] = line.per_core;
		*spread = 0;
		if (line.spread >= 0)
			snprintf(spread, sizeof(spread), ", spread %.0f %%",
				 line.spread / line.per_core * 100);
		add(c, keys[i], line.per_core / (metrics[i].is_bytes ? 1e6 : 1),
		    "profile %s, in proportion up to io-cores=%u, jobs: %zu%s",
		    profile_name(&c->data->plan->settings[of]), line.grows_to, line.count, spread);
	}
	if (rates[CALIB_READ_IOPS] > 0)
		add(c, "small_read_kb", rates[CALIB_READ_BPS] / rates[CALIB_READ_IOPS] / 1000,
		    "core_read_mbs / core_read_iops");
	if (rates[CALIB_WRITE_IOPS] > 0)
		add(c, "small_write_kb", rates[CALIB_WRITE_BPS] / rates[CALIB_WRITE_IOPS] / 1000,
		    "core_write_mbs / core_write_iops");
}

/* One call of 4 KiB, direct, by one process: the quicker of read and write. */
static void add_call(struct constants *c)
{
	static const char *const names[] = { "4k-read-direct", "4k-write-direct" };
	const struct calib_plan *plan = c->data->plan;
	double least = 0;
	size_t i, setting;
	int shape;

	for (i = 0; i < 2; i++) {
		shape = calib_plan_find(plan, names[i]);
		for (setting = 0; setting < plan->setting_count; setting++) {
			const struct calib_cell *cell =
				calib_data_cell(c->data, setting, (size_t)shape);
			double us = cell->latency_us.mean;

			if (cell->latency_us.count && (!least || us < least))
				least = us;
		}
	}
	add(c, "sync_call_us", least < 1 && least > 0 ? 1 : least, "4 KiB, direct, one process");
}

/* The fewest processes that reach nearly the most, synchronously. */
static unsigned int enough(const struct calib_data *data, size_t setting, bool is_write)
{
	const struct calib_plan *plan = data->plan;
	double most = 0, rate;
	unsigned int least = 0;
	int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < plan->shape_count; i++) {
			const struct calib_shape *s = &plan->shapes[i];

			if (s->is_alone || s->is_async || s->block_kib != SMALL_KIB ||
			    s->is_write != is_write)
				continue;
			rate = calib_data_cell(data, setting, i)->iops.mean;
			if (!pass)
				most = rate > most ? rate : most;
			else if (rate * 100 >= most * FLAT_PERCENT &&
				 (!least || s->processes < least))
				least = s->processes;
		}
	return least;
}

static void add_processes(struct constants *c)
{
	int read = calib_metric_best(c->data, CALIB_READ_IOPS);
	int write = calib_metric_best(c->data, CALIB_WRITE_IOPS);
	unsigned int reads, writes;

	if (read < 0 || write < 0 || c->data->plan->processes_count < 2)
		return;
	reads = enough(c->data, (size_t)read, false);
	writes = enough(c->data, (size_t)write, true);
	add(c, "io_processes", reads > writes ? reads : writes,
	    "4 KiB, synchronous: %u processes read %d %% of the most, %u write it", reads,
	    FLAT_PERCENT, writes);
}

/* Of the setting that writes most with either. */
static double best_cell(const struct constants *c, const char *name)
{
	int shape = calib_plan_find(c->data->plan, name);
	double most = 0, rate;
	size_t i;

	for (i = 0; i < c->data->plan->setting_count; i++) {
		rate = calib_data_cell(c->data, i, (size_t)shape)->Bps.mean;
		most = rate > most ? rate : most;
	}
	return most;
}

/* Between what was written buffered and what O_DIRECT would have written. */
static void add_lustre(struct constants *c)
{
	double direct = best_cell(c, "64m-write-direct");
	double buffered = best_cell(c, "64m-write-buffered");

	if (direct > buffered && buffered > 0)
		add(c, "lustre_write_mbs", sqrt(direct * buffered) / 1e6,
		    "64 MiB: %.0f MB/s direct, %.0f buffered", direct / 1e6, buffered / 1e6);
}

static void add_nfs(struct constants *c)
{
	int best = calib_metric_best(c->data, CALIB_READ_IOPS);

	if (best >= 0)
		add(c, "nfs_ops_per_s",
		    calib_metric_of(c->data, (size_t)best, CALIB_READ_IOPS).mean,
		    "4 KiB read, one node");
}

size_t calib_constants(const struct calib_data *data, const char *fstype,
		       struct calib_constant list[CALIB_CONSTANTS])
{
	struct constants c = { .data = data, .list = list };

	add_cores(&c);
	add_call(&c);
	add_processes(&c);
	if (!strcmp(fstype, "lustre"))
		add_lustre(&c);
	if (!strncmp(fstype, "nfs", 3))
		add_nfs(&c);
	return c.count;
}
