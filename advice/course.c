/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/course.h"

#include <string.h>

#include "lib/timeline.h"

#define MEMORY_FACTOR 3.5 /* bytes of memory for one of I/O: Storage Scale */

/* ---- at the end of the job ---------------------------------------------------- */

static double written(const struct timeline *run, size_t from)
{
	double bytes = 0;

	for (; from < run->count; from++)
		bytes += (double)run->rows[TIMELINE_WRITE][from];
	return bytes;
}

/* How much of all that was moved was written in the last quarter of the run: 0 to 1,
 * 0 too where there are too few rows to tell, or clocks that differ. */
static double written_late(const struct view *v)
{
	struct timeline run;
	size_t quarter;

	timeline_cover(&v->io->timeline, (int64_t)v->start,
		       timeline_last(v->start, v->start + v->seconds), &run);
	quarter = (run.count + 3) / 4;
	if (v->apart > 0 || run.count < TIMELINE_SHAPE_ROWS ||
	    view_bytes(v) <= 0)
		return 0;
	return written(&run, run.count - quarter) / view_bytes(v);
}

bool course_tail(const struct view *v, struct advice *a)
{
	double late = written_late(v);

	if (v->seconds < v->limits->min_seconds || !view_is_busy(v) ||
	    late * 100 < v->limits->tail_percent)
		return false;
	view_what(a,
		  "%.1f GiB, %.0f %% of all that it moved, were written in the "
		  "last quarter of its time",
		  late * view_bytes(v) / 1073741824.0, late * 100);
	view_why(a,
		 "%u %% or more are a tail: its nodes wait for the "
		 "filesystem, and the filesystem had waited for them",
		 v->limits->tail_percent);
	return view_tell(a, view_io_share(v) * late);
}

/* ---- more nodes --------------------------------------------------------------- */

/* A second while it moved something, of all nodes. */
struct rates {
	double rd, wr, reads, writes;
};

static struct rates rates_of(const struct view *v)
{
	double seconds = view_moving_seconds(v);
	struct rates r = { 0 };

	if (seconds <= 0)
		return r;
	r.rd = view_moved(v, RECORD_READ_BYTES) / seconds;
	r.wr = view_moved(v, RECORD_WRITE_BYTES) / seconds;
	r.reads = view_moved(v, RECORD_READ_CALLS) / seconds;
	r.writes = view_moved(v, RECORD_WRITE_CALLS) / seconds;
	return r;
}

static double part_of(double bytes, double calls)
{
	return bytes > calls ? bytes : calls;
}

/* Of what all servers give */
static double part_of_servers(const struct rates *r,
			      const struct config_advice *most)
{
	return part_of(r->rd / (most->servers_read_mbs * 1e6) +
			       r->wr / (most->servers_write_mbs * 1e6),
		       r->reads / most->servers_read_iops +
			       r->writes / most->servers_write_iops);
}

/* In clients, of a core each */
static double in_clients(const struct rates *r,
			 const struct config_advice *most)
{
	return part_of(r->rd / (most->core_read_mbs * 1e6) +
			       r->wr / (most->core_write_mbs * 1e6),
		       r->reads / most->core_read_iops +
			       r->writes / most->core_write_iops);
}

static unsigned int round_up(double number)
{
	unsigned int whole = (unsigned int)number;

	return whole + (number > whole);
}

/* Enough of each node's processes wait to fill its client, and it moves less than half
 * of what it could: 36 % were seen of 25 clients (WEKA, 4 KiB writes), 93 % where the
 * servers had more to give. */
bool course_more_nodes(const struct view *v, struct advice *a)
{
	double moving = view_moving_seconds(v);
	double at_once =
		moving > 0 ? view_concurrency(v) * v->seconds / moving : 0;
	double cores = view_cores(v) > 1 ? (double)view_cores(v) : 1;
	struct rates r = rates_of(v);
	double servers = part_of_servers(&r, v->limits);
	double clients = in_clients(&r, v->limits);
	double each = clients / (double)v->nodes / cores;
	unsigned int enough;

	if (strcmp(v->type, "weka") != 0 || v->nodes < 2 ||
	    at_once < v->limits->io_processes || each >= 0.5 ||
	    servers * 100 < v->limits->at_limit_percent ||
	    moving * 100 < v->seconds * v->limits->busy_percent)
		return false;
	enough = round_up(clients / servers / cores);
	view_what(a,
		  "%zu nodes moved %.2f GB/s in %.0f calls a second together, "
		  "%.0f processes of each in calls at a time",
		  v->nodes, (r.rd + r.wr) / 1e9, r.reads + r.writes, at_once);
	view_why(a,
		 "%.0f %% of what the servers give, and %.0f %% of what each "
		 "node can move: more nodes share the same",
		 servers * 100, each * 100);
	view_cure(a,
		  "sbatch -N %u where only I/O counts; MPI-IO: ROMIO's "
		  "cb_nodes=%u; and not more nodes than now",
		  enough, enough);
	return view_tell(a,
			 moving / v->seconds * (1 - enough / (double)v->nodes));
}

/* ---- memory ------------------------------------------------------------------- */

/* What went around the page cache, or the client tells that it moved */
static bool is_moved(const struct view *v)
{
	return view_has_option(v, "forcedirect") ||
	       (v->wire && v->wire->numbers[RECORD_READ_BYTES] >= 0 &&
		v->wire->numbers[RECORD_WRITE_BYTES] >= 0);
}

/* What the job itself asks of the memory, nobody counts. */
bool course_memory(const struct view *v, struct advice *a)
{
	struct rates r = rates_of(v);
	double seconds = view_moving_seconds(v);
	double rate = v->nodes ? (r.rd + r.wr) / (double)v->nodes : 0;

	if (!is_moved(v) || rate < v->limits->memory_mbs * 1e6 ||
	    seconds * 100 < v->seconds * v->limits->busy_percent)
		return false;
	view_what(a,
		  "%.1f GB/s on a node while it read and wrote, %.0f %% of the "
		  "job's time",
		  rate / 1e9, seconds / v->seconds * 100);
	view_why(a,
		 "from %.1f GB/s on, the %.0f GB/s of memory that this takes "
		 "(3.5 bytes a byte) are missed by what computes",
		 v->limits->memory_mbs / 1e3, rate * MEMORY_FACTOR / 1e9);
	/* a fifth of the client's CPUs at 14 GB/s */
	return view_tell(a, seconds / v->seconds / 5);
}
