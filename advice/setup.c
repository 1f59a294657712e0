/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/setup.h"

#include <stdio.h>
#include <string.h>

#include "advice/limits.h"
#include "record/run.h"

/* ---- the job's request ---------------------------------------------------- */

/* Return true if the client of any node left its settings unchanged because of other jobs. */
static bool is_node_shared(const struct run *run)
{
	static const char *const codes[] = { "W46", "NF46", "LU46" };
	size_t i;

	for (i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (run_count(run, RUN_GROUPED_FINDINGS, "code", codes[i]))
			return true;
	return false;
}

bool setup_no_profile(const struct view *v, struct advice *a)
{
	if (!v->run->lost_profiles)
		return false;
	view_add(a, "nodes", (double)v->run->lost_profiles);
	view_add(a, "of_nodes", (double)v->run->node_count);
	snprintf(a->profile, sizeof(a->profile), "%s", v->run->lost_profile);
	if (is_node_shared(v->run)) {
		a->option = ADVICE_EXCLUSIVE;
		a->kind = "shared";
	}
	return view_set(a, "", view_io_share(v));
}

bool setup_cores_unmet(const struct view *v, struct advice *a)
{
	if (!v->run->lost_cores)
		return false;
	view_add(a, "nodes", (double)v->run->lost_cores);
	view_add(a, "of_nodes", (double)v->run->node_count);
	a->option = ADVICE_NO_CORES;
	return view_set(a, "", STAKE_CORES_UNMET);
}

/* ---- number of io-cores ---------------------------------------------------- */

/* Highest rate of one node in any second, in units of one core's rate; -1: unknown. */
static double peak_cores(const struct view *v)
{
	int64_t rd = v->io->numbers[IO_PEAK_READ];
	int64_t wr = v->io->numbers[IO_PEAK_WRITE];

	if (rd < 0 || wr < 0)
		return -1;
	return (double)rd / (v->limits->core_read_mbs * MB) +
	       (double)wr / (v->limits->core_write_mbs * MB);
}

static double mean_cores(const struct view *v)
{
	return view_rate(v, view_number(v, IO_READ_BYTES)) / (v->limits->core_read_mbs * MB) +
	       view_rate(v, view_number(v, IO_WRITE_BYTES)) / (v->limits->core_write_mbs * MB);
}

static double call_cores(const struct view *v)
{
	return view_rate(v, view_number(v, IO_READ_CALLS)) / v->limits->core_read_iops +
	       view_rate(v, view_number(v, IO_WRITE_CALLS)) / v->limits->core_write_iops;
}

static double limit_of(int64_t cores)
{
	return (double)cores * LIMIT_FULL_PERCENT / 100.0;
}

static void set_cores(const struct view *v, struct advice *a, int64_t cores)
{
	a->option = ADVICE_CORES;
	a->cores = (unsigned int)cores;
	view_add(a, "io_cores", (double)v->run->least_cores);
	view_add(a, "wanted_cores", (double)cores);
}

/* Return true if the client moved these bytes, not the page cache. Direct I/O bypasses the cache;
 * else compare with the client's counters, or (less certain) with what its cores can move. */
static bool has_reached_client(const struct view *v, int64_t cores, struct advice *a)
{
	double most = 1 + LIMIT_HEADROOM_PERCENT / 100.0;

	if (view_has_option(v, "forcedirect"))
		return true;
	if (v->client_io && v->client_io->numbers[IO_READ_BYTES] >= 0 &&
	    v->client_io->numbers[IO_WRITE_BYTES] >= 0)
		return reaches((double)v->client_io->numbers[IO_READ_BYTES] +
				       (double)v->client_io->numbers[IO_WRITE_BYTES],
			       LIMIT_HALF_PERCENT, view_bytes(v));
	a->confidence = ADVICE_PERHAPS;
	return peak_cores(v) <= (double)cores * most;
}

/* At the limit in its best second, and at a part of it on average. */
bool setup_core_bytes(const struct view *v, struct advice *a)
{
	int64_t cores = v->run->least_cores;

	if (strcmp(v->type, "weka") != 0 || !cores || peak_cores(v) < limit_of(cores) ||
	    !reaches(mean_cores(v), LIMIT_SUSTAINED_PERCENT, limit_of(cores)) ||
	    !has_reached_client(v, cores, a))
		return false;
	view_add(a, "rate_Bps", view_rate(v, view_bytes(v)));
	view_add(a, "peak_read_Bps", (double)v->io->numbers[IO_PEAK_READ]);
	view_add(a, "peak_write_Bps", (double)v->io->numbers[IO_PEAK_WRITE]);
	set_cores(v, a, cores + 1);
	return view_set(a, "", mean_cores(v) / (double)cores);
}

/* Only calls that bypass the page cache are known to have reached the client. */
bool setup_core_calls(const struct view *v, struct advice *a)
{
	int64_t cores = v->run->least_cores;

	if (strcmp(v->type, "weka") != 0 || !cores || !view_has_option(v, "forcedirect") ||
	    call_cores(v) < limit_of(cores))
		return false;
	view_add(a, "per_s", view_rate(v, view_calls(v)));
	set_cores(v, a, cores + 1);
	return view_set(a, "", call_cores(v) / (double)cores);
}

/* Several filesystems of one client share its cores: the use of one is unknown. */
static bool is_single_fs(const struct view *v)
{
	size_t i;

	for (i = 0; i < v->run->mount_count; i++)
		if (strcmp(v->run->mounts[i].mount, v->fs) != 0)
			return false;
	return true;
}

/* Cores that the site always reserves cannot be left out by the job. */
static bool has_requested_cores(const struct view *v)
{
	return v->run->core_requests == (int64_t)v->run->node_count;
}

bool setup_cores_idle(const struct view *v, struct advice *a)
{
	int64_t cores = v->run->least_cores;

	if (strcmp(v->type, "weka") != 0 || !cores || !has_requested_cores(v) || !is_single_fs(v) ||
	    v->run->seconds < LIMIT_IDLE_S || peak_cores(v) < 0 ||
	    reaches(peak_cores(v), LIMIT_IDLE_PERCENT, 1) ||
	    reaches(call_cores(v), LIMIT_IDLE_CALLS_PERCENT, 1) ||
	    reaches(view_rate(v, view_call_s(v, view_metas(v))), LIMIT_IDLE_CALLS_PERCENT, 1))
		return false;
	a->option = ADVICE_NO_CORES;
	view_add(a, "io_cores", (double)cores);
	view_add(a, "busy_share", peak_cores(v));
	return view_set(a, "", STAKE_CORES_IDLE);
}

bool setup_one_core(const struct view *v, struct advice *a)
{
	static const unsigned int limit = 100 - LIMIT_HEADROOM_PERCENT;
	int64_t cores = v->run->least_cores;

	if (strcmp(v->type, "weka") != 0 || cores < 2 || !has_requested_cores(v) ||
	    !is_single_fs(v) || !reaches(peak_cores(v), LIMIT_IDLE_PERCENT, 1) ||
	    reaches(peak_cores(v), limit, 1) || reaches(call_cores(v), limit, 1))
		return false;
	view_add(a, "busy_share", peak_cores(v));
	set_cores(v, a, 1);
	return view_set(a, "", STAKE_ONE_CORE);
}

/* ---- comparison of nodes --------------------------------------------------- */

struct node_io {
	const char *name;
	double bytes, us, calls;
};

static struct node_io node_of(const struct run_node *node)
{
	const int64_t *n = node->numbers;

	return (struct node_io){
		.name = node->name,
		.bytes = view_known(n[IO_READ_BYTES]) + view_known(n[IO_WRITE_BYTES]),
		.us = view_known(n[IO_READ_US]) + view_known(n[IO_WRITE_US]),
		.calls = view_known(n[IO_READ_CALLS]) + view_known(n[IO_WRITE_CALLS]),
	};
}

/* Return the sum over all nodes, with the name of the node that moved the most bytes. */
static struct node_io all_nodes(const struct view *v, double *most)
{
	struct node_io all = { .name = "" }, one;
	size_t i;

	*most = 0;
	for (i = 0; i < v->run->node_count; i++) {
		one = node_of(v->run->nodes[i]);
		if (one.bytes > *most) {
			*most = one.bytes;
			all.name = one.name;
		}
		all.bytes += one.bytes;
		all.us += one.us;
	}
	return all;
}

/* Return true if the nodes can be compared. */
static bool has_comparable_nodes(const struct view *v)
{
	return run_is_whole(v->run) && v->run->node_count > 1 && view_is_busy(v);
}

/* Return true if one node moved (nearly) all bytes. */
static bool is_one_node(double most, double all)
{
	return reaches(most, LIMIT_ONE_NODE_PERCENT, all);
}

bool setup_one_node(const struct view *v, struct advice *a)
{
	struct node_io all;
	double most;

	if (!has_comparable_nodes(v))
		return false;
	all = all_nodes(v, &most);
	if (!is_one_node(most, all.bytes))
		return false;
	snprintf(a->node, sizeof(a->node), "%s", all.name);
	view_add(a, "most_bytes", most);
	view_add(a, "moved_bytes", all.bytes);
	view_add(a, "of_nodes", (double)v->run->node_count);
	return view_set(a, "",
			view_io_share(v) * (double)v->nodes *
				(1 - 1.0 / (double)v->run->node_count));
}

bool setup_imbalance(const struct view *v, struct advice *a)
{
	double most, over;
	struct node_io all;

	if (!has_comparable_nodes(v))
		return false;
	all = all_nodes(v, &most);
	over = most * (double)v->run->node_count / all.bytes;
	if (is_one_node(most, all.bytes) || !reaches(over, 100 + LIMIT_IMBALANCE_PERCENT, 1))
		return false;
	snprintf(a->node, sizeof(a->node), "%s", all.name);
	view_add(a, "over", over);
	view_add(a, "of_nodes", (double)v->run->node_count);
	return view_set(a, "", view_io_share(v) * (over - 1));
}

/* Return true if the node moved half of the mean, and the others half of theirs, in enough calls. */
static bool is_comparable(const struct view *v, const struct node_io *one,
			  const struct node_io *all)
{
	double nodes = (double)v->run->node_count;

	return one->us > 0 && all->us > one->us && one->calls >= LIMIT_SPEED_OPS &&
	       reaches(one->bytes * nodes, LIMIT_HALF_PERCENT, all->bytes) &&
	       reaches((all->bytes - one->bytes) * nodes, LIMIT_HALF_PERCENT,
		       all->bytes * (nodes - 1));
}

/* Compare each node's bytes per second of I/O time with those of all others together. */
bool setup_slow_node(const struct view *v, struct advice *a)
{
	double most, speed, others, slowest = 1;
	struct node_io all, one;
	const char *name = NULL;
	size_t i;

	if (!has_comparable_nodes(v))
		return false;
	all = all_nodes(v, &most);
	for (i = 0; i < v->run->node_count; i++) {
		one = node_of(v->run->nodes[i]);
		if (!is_comparable(v, &one, &all))
			continue;
		speed = one.bytes / one.us;
		others = (all.bytes - one.bytes) / (all.us - one.us);
		if (speed < others * slowest) {
			slowest = speed / others;
			name = one.name;
		}
	}
	if (!name || reaches(slowest, LIMIT_SLOW_PERCENT, 1))
		return false;
	a->option = ADVICE_EXCLUDE;
	snprintf(a->node, sizeof(a->node), "%s", name);
	view_add(a, "speed_share", slowest);
	return view_set(a, "", view_io_share(v) * (1 - slowest));
}

bool setup_resent(const struct view *v, struct advice *a)
{
	double calls = 0, resent;

	if (!v->client_io)
		return false;
	resent = (double)v->client_io->numbers[IO_RESENT];
	if (v->client_io->numbers[IO_READ_CALLS] > 0)
		calls += (double)v->client_io->numbers[IO_READ_CALLS];
	if (v->client_io->numbers[IO_WRITE_CALLS] > 0)
		calls += (double)v->client_io->numbers[IO_WRITE_CALLS];
	if (calls < LIMIT_RESENT_OPS || !reaches(resent, LIMIT_RESENT_PERCENT, calls))
		return false;
	view_add(a, "resent", resent);
	view_add(a, "calls", calls);
	return view_set(a, "", STAKE_RESENT);
}
