/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/calls.h"

#include <string.h>

#include "advice/limits.h"

#define KIB 1024.0
#define MIB 1048576.0
/* Drishti (config.py) says nothing of fewer than 1,000 operations, and takes
 * 10 % of them for many. */
#define FLOOR_OPS 1000
#define SPILL_FILES 8
#define SOME_BYTES 10000 /* a client that was asked for fewer was not asked */

#define LEAST_SHARE (LIMIT_BUSY_PERCENT / 100.0)

static bool is_type(const struct view *v, const char *type)
{
	return !strcmp(v->type, type);
}

/* How much of the time is in these calls: measured, by the kernel or by the client
 * that each of them waited for, or estimated. */
static double time_in(const struct view *v, enum io_number us, enum io_number calls,
		      struct advice *a)
{
	double spent = view_number(v, us) / 1e6;
	double share = spent > 0 ? view_rate(v, spent) : view_waiting(v, us);

	if (share <= 0)
		return view_call_share(v, view_number(v, calls));
	a->trust = ADVICE_SURE;
	return share;
}

/* The client did a tenth of the calls, or less: the page cache had the rest
 * (facts of Lustre: 556,629 reads a second from it, against 6,742). */
static bool is_cached(const struct view *v, enum io_number calls)
{
	return v->wire && v->wire->numbers[calls] >= 0 &&
	       (double)v->wire->numbers[calls] * 10 < view_number(v, calls);
}

/* Are calls of this size worth several at a time? Lustre, 64 MiB: synchronous is as
 * fast as asynchronous. */
static bool is_async_size(double mean)
{
	return mean <= LIMIT_ASYNC_KIB * KIB;
}

static void cure_small(struct advice *a, bool is_read)
{
	view_cure(
		a,
		"%s 1 MiB at a time: open(path, %sbuffering=2**20), setvbuf(), dd bs=1M; what must stay small: libaio or io_uring, 16 or more at a time",
		is_read ? "read" : "write", is_read ? "" : "'w', ");
}

/* Do writes wait for the fsync behind them? By how long they took one sees; else where
 * the client wrote no oftener than it was told to: SQLite, 2.5 writes for each. */
static bool is_synced(const struct view *v, double writes)
{
	double syncs = view_number(v, IO_OP_FSYNC);
	double sent = v->wire ? (double)v->wire->numbers[IO_WRITE_CALLS] : -1;

	return syncs * 2 > writes || (view_number(v, IO_WRITE_US) <= 0 && sent >= 0 &&
				      syncs >= FLOOR_OPS && syncs * 10 >= sent * 9);
}

/* More than all of the time: several were asked for at a time. */
static void why_small(struct advice *a, unsigned int limit, double share)
{
	bool is_sure = a->trust == ADVICE_SURE;

	if (share <= 1 || !is_sure)
		view_why(
			a,
			"below %u kB a call costs more than its bytes: they %s %.0f %% of the job's time on a node",
			limit, is_sure ? "took" : "may have taken", share * 100);
	else
		view_why(
			a,
			"below %u kB a call costs more than its bytes: %.1f of them were on their way at a time on a node",
			limit, share);
}

static bool is_small(const struct view *v, struct advice *a, bool is_read)
{
	enum io_number calls = is_read ? IO_READ_CALLS : IO_WRITE_CALLS;
	enum io_number us = is_read ? IO_READ_US : IO_WRITE_US;
	unsigned int limit = is_read ? v->limits->small_read_kb : v->limits->small_write_kb;
	double count = view_number(v, calls), share = time_in(v, us, calls, a);
	double mean = view_mean(v, is_read ? IO_READ_BYTES : IO_WRITE_BYTES, calls);

	if (count < LIMIT_MANY_OPS || mean >= limit * 1000.0 || is_cached(v, calls) ||
	    share < LEAST_SHARE)
		return false;
	/* what it waits for is the fsync, or to open the files */
	if ((!is_read && is_synced(v, count)) || view_number(v, IO_OP_OPEN) * 4 > count)
		return false;
	if (is_async_size(mean))
		cure_small(a, is_read);
	view_what(a, "%.0f %s of %.1f KiB on average, %.0f a second on a node", count,
		  is_read ? "reads" : "writes", mean / KIB, view_rate(v, count));
	why_small(a, limit, share);
	return view_tell(a, share);
}

bool calls_small_reads(const struct view *v, struct advice *a)
{
	return is_small(v, a, true);
}

bool calls_small_writes(const struct view *v, struct advice *a)
{
	return is_small(v, a, false);
}

/* ---- around the page cache, or through it ---------------------------------- */

static double mean_call(const struct view *v)
{
	return view_calls(v) > 0 ? view_bytes(v) / view_calls(v) : 0;
}

bool calls_direct_small(const struct view *v, struct advice *a)
{
	double share = view_is_timed(v) ? view_concurrency(v) : view_call_share(v, view_calls(v));

	if (!view_has_option(v, "forcedirect") || view_calls(v) < LIMIT_MANY_OPS ||
	    mean_call(v) >= LIMIT_SMALL_KIB * KIB || share < LEAST_SHARE)
		return false;
	view_what(a, "forcedirect, and %.0f calls of %.1f KiB on average", view_calls(v),
		  mean_call(v) / KIB);
	view_why(a, "without the page cache each call below %u KiB waits for the servers",
		 LIMIT_SMALL_KIB);
	a->option = ADVICE_CACHED;
	return view_tell(a, share);
}

bool calls_direct_metadata(const struct view *v, struct advice *a)
{
	double all = view_metas(v), share = view_meta_share(v, all);

	/* 1 in 10 of all operations */
	if (!view_has_option(v, "forcedirect") || all < LIMIT_MANY_OPS || all * 9 < view_calls(v) ||
	    share < LEAST_SHARE)
		return false;
	view_what(a, "forcedirect, and %.0f metadata operations beside %.0f reads and writes", all,
		  view_calls(v));
	view_why(a, "with more than 10 %% of metadata the cache serves better");
	a->option = ADVICE_CACHED;
	return view_tell(a, share);
}

bool calls_cached_stream(const struct view *v, struct advice *a)
{
	if ((!view_has_option(v, "writecache") && !view_has_option(v, "readcache")) ||
	    mean_call(v) < LIMIT_LARGE_KIB * KIB || !view_is_busy(v) ||
	    view_metas(v) * 9 > view_calls(v) || is_cached(v, IO_READ_CALLS))
		return false;
	view_what(a, "a profile with the page cache, and %.1f GiB in calls of %.1f MiB on average",
		  view_bytes(v) / MIB / 1024, mean_call(v) / MIB);
	view_why(
		a,
		"from %u KiB a call on, a stream gains nothing from the page cache and pays a copy",
		LIMIT_LARGE_KIB);
	a->option = ADVICE_DIRECT;
	return view_tell(a, view_io_share(v) / 4);
}

/* ---- how many at a time ---------------------------------------------------- */

/* Processes of a node that waited for the client: not those whose calls the page
 * cache has served. */
static double waiting_at_once(const struct view *v)
{
	double us = 0;

	if (!is_cached(v, IO_READ_CALLS))
		us += view_number(v, IO_READ_US);
	if (!is_cached(v, IO_WRITE_CALLS))
		us += view_number(v, IO_WRITE_US);
	return view_rate(v, us / 1e6);
}

bool calls_few_processes(const struct view *v, struct advice *a)
{
	double at_once = waiting_at_once(v);
	double fast = view_rate(v, view_bytes(v)) / (v->limits->core_read_mbs * 1e6);

	if (at_once < 0.5 || at_once >= v->limits->io_processes || view_calls(v) < FLOOR_OPS ||
	    fast * 100 >= 100 - LIMIT_HEADROOM_PERCENT)
		return false;
	view_what(
		a,
		"%.1f processes of a node were in read or write calls at a time, moving %.0f MB/s",
		at_once, view_rate(v, view_bytes(v)) / 1e6);
	view_why(a, "rate times latency: it takes about %u at a time to fill a client",
		 v->limits->io_processes);
	if (is_async_size(mean_call(v)))
		view_cure(
			a,
			"libaio or io_uring (fio --ioengine=libaio --iodepth=32); or srun --ntasks-per-node=16, or as many threads");
	/* half of the time in calls, and the less the nearer it is to full */
	return view_tell(a,
			 (at_once < 1 ? at_once : 1) / 2 * (1 - at_once / v->limits->io_processes));
}

bool calls_many_synchronous(const struct view *v, struct advice *a)
{
	double at_once = view_concurrency(v);

	if (at_once <= v->limits->io_processes || view_calls(v) < LIMIT_MANY_OPS ||
	    !is_async_size(mean_call(v)))
		return false;
	view_what(a, "%.0f processes of a node were in calls of %.1f KiB at a time", at_once,
		  mean_call(v) / KIB);
	view_why(a,
		 "synchronous small I/O gains nothing beyond %u at a time: only the latency grows",
		 v->limits->io_processes);
	return view_tell(a, 1 - v->limits->io_processes / at_once);
}

/* ---- metadata -------------------------------------------------------------- */

bool calls_fsync(const struct view *v, struct advice *a)
{
	double syncs = view_number(v, IO_OP_FSYNC);
	double writes = view_number(v, IO_WRITE_CALLS);
	double least = view_call_share(v, syncs) * 10;
	double waiting = view_waiting(v, IO_WRITE_US);
	double share = waiting > least ? waiting : least;

	if (syncs < FLOOR_OPS || syncs * 10 < writes || share < LEAST_SHARE)
		return false;
	view_what(a, "%.0f fsync for %.0f writes, %.0f a second on a node", syncs, writes,
		  view_rate(v, syncs));
	view_why(a, "each waits for the servers, %u us or more; more than one in 10 writes is many",
		 v->limits->sync_call_us);
	return view_tell(a, share);
}

/* All but stats; a lookup is part of what asked for the name. */
static double beside_stats(const struct view *v)
{
	return view_calls(v) + view_metas(v) - view_number(v, IO_OP_STAT) -
	       view_number(v, IO_OP_LOOKUP_MISS);
}

/* Along a search path a start asks for some hundred names, and a job of few starts for
 * less than many. How many starts there were is in no record; but where the client has
 * measured that they took their time a tenth of many is enough. */
static bool is_many_to_search(const struct view *v, double names)
{
	return names >= LIMIT_MANY_OPS ||
	       (names * 10 >= LIMIT_MANY_OPS && view_meta_waiting(v, names) >= LEAST_SHARE);
}

/* Who lists files asks for each name once or twice, and looks it up the first time,
 * unless somebody else has before; Python's starts ask for the same ones again. */
static bool is_asked_often(const struct view *v, double stats)
{
	return view_number(v, IO_OP_LOOKUP_MISS) * 4 < stats;
}

static bool is_many_stats(const struct view *v, double stats)
{
	return is_asked_often(v, stats) ? is_many_to_search(v, stats) : stats >= LIMIT_MANY_OPS;
}

bool calls_stat(const struct view *v, struct advice *a)
{
	double stats = view_number(v, IO_OP_STAT);
	double others = beside_stats(v);
	double share = view_meta_share(v, stats);

	if (!is_many_stats(v, stats) ||
	    ((view_rate(v, stats) < v->limits->stats_per_s || view_is_at_hand(v)) &&
	     (stats < 10 * others || share < LEAST_SHARE)))
		return false;
	view_what(a, "%.0f stat, %.0f a second on a node, beside %.0f calls of all other kinds",
		  stats, view_rate(v, stats), others);
	view_why(a, "more than %u a second on a node, or 10 times as many as all else, is a storm",
		 v->limits->stats_per_s);
	if (is_asked_often(v, stats))
		view_cure(a, "%s; for files: os.scandir(), find -printf", CALLS_SEARCH_CURE);
	return view_tell(a, share);
}

/* What an operation on a name asks the servers at most: for the folder that it is in
 * and for the name, whether it holds still, and who may. NFS v3 with lookupcache=none
 * and actimeo=0: 3.95 for each name that a search path lacks, 2.9 a stat. */
#define REQUESTS_A_NAME 4

/* Names that nobody has got in the end, and that the client knows not to exist, are in
 * no count of the job's; with noac or actimeo=0 it asks the servers each time whether
 * that still holds. What no operation of the job explains is that; and so is twice as
 * much as there were operations, where most of the time went there: Python from a mount
 * with noac and lookupcache=none took 4.6 for each, and 61 % of its time.
 * How much of the time that took; 0: it is not so. */
static double asked_again(const struct view *v)
{
	const int64_t *wire = v->wire ? v->wire->numbers : NULL;
	double names = wire ? (double)wire[IO_NAME_CALLS] : 0;
	double all = wire ? (double)wire[IO_META_CALLS] : 0;
	double again = names - REQUESTS_A_NAME * view_metas(v) - view_calls(v);
	double share = view_waiting(v, IO_META_US);

	if (names < LIMIT_MANY_OPS || all < names)
		return 0;
	if (names >= 2 * view_metas(v) && share * (names / all) >= 0.5)
		return share * (names / all);
	return again >= LIMIT_MANY_OPS ? share * (again / all) : 0;
}

static bool is_asked_again(const struct view *v, struct advice *a)
{
	double share = asked_again(v), ops = view_metas(v), names;

	if (share <= 0 || share < LEAST_SHARE)
		return false;
	names = (double)v->wire->numbers[IO_NAME_CALLS];
	a->trust = ADVICE_PERHAPS;
	view_what(a, "%.0f requests for names and attributes, beside %.0f operations on them",
		  names, ops);
	view_why(
		a,
		"%.1f for each: the client asks again for what it knew, or knew not to exist (noac, actimeo=0), as along a search path; %.0f %% of the job's time on a node",
		ops > 0 ? names / ops : names, share * 100);
	view_cure(
		a,
		"for an administrator: mount without noac, actimeo=0, lookupcache=none; until then: %s",
		CALLS_SEARCH_CURE);
	return view_tell(a, share);
}

/* Names that operations are about: each is looked up once if it is new to the node, and
 * that to which a file is renamed always is. What is changed about a file mostly follows
 * its open or stat. */
static double names_used(const struct view *v)
{
	double asking = view_number(v, IO_OP_STAT) + view_number(v, IO_OP_OPEN);
	double changing = view_number(v, IO_OP_CHMOD) + view_number(v, IO_OP_CHOWN) +
			  view_number(v, IO_OP_UTIMES) + view_number(v, IO_OP_TRUNCATE);

	return (asking > changing ? asking : changing) + 2 * view_number(v, IO_OP_RENAME) +
	       2 * view_number(v, IO_OP_LINK) + view_number(v, IO_OP_UNLINK) +
	       view_number(v, IO_OP_MKDIR) + view_number(v, IO_OP_RMDIR) +
	       view_number(v, IO_OP_SYMLINK) + view_number(v, IO_OP_MKNOD);
}

static bool is_missed(const struct view *v, struct advice *a)
{
	double opens = view_number(v, IO_OP_OPEN);
	double misses = view_number(v, IO_OP_LOOKUP_MISS) - names_used(v);
	double share = view_meta_share(v, misses);

	if (!is_many_to_search(v, misses) || misses < 2 * opens || share < LEAST_SHARE / 10)
		return false;
	view_what(a, "%.0f names were looked up that do not exist, for %.0f files opened", misses,
		  opens);
	view_why(a, "two or more misses for each open are a search path: each asks the servers");
	return view_tell(a, share);
}

bool calls_lookup(const struct view *v, struct advice *a)
{
	return is_missed(v, a) || is_asked_again(v, a);
}

static double opened(const struct view *v)
{
	double found = view_number(v, IO_OP_OPEN) - view_number(v, IO_OP_CREATE);

	return found > 0 ? found : 0;
}

/* A file that is opened for the first time is looked up by its name, if nobody else on
 * the node has used it before: of all opens a quarter, or fewer, are those of another
 * file. */
static bool is_opened_again(const struct view *v)
{
	return view_number(v, IO_OP_LOOKUP_MISS) * 4 <= opened(v);
}

/* What is known of files that are opened to read a little */
static bool is_opened_to_read(const struct view *v, double *share)
{
	double opens = opened(v), bytes = view_number(v, IO_READ_BYTES);
	double reads = view_number(v, IO_READ_CALLS);

	*share = view_meta_share(v, opens * 3) + view_waiting(v, IO_READ_US);
	/* folders are opened too, and not read */
	return opens >= LIMIT_MANY_OPS && reads * 10 >= opens * 9 && reads <= 4 * opens &&
	       bytes < opens * LIMIT_SMALL_KIB * KIB && *share >= LEAST_SHARE;
}

static bool is_read_again(const struct view *v, struct advice *a)
{
	double share;

	if (!is_opened_to_read(v, &share) || !is_opened_again(v))
		return false;
	a->trust = ADVICE_PERHAPS;
	view_what(a, "files were opened %.0f times for %.0f reads, and %.0f names looked up",
		  opened(v), view_number(v, IO_READ_CALLS), view_number(v, IO_OP_LOOKUP_MISS));
	view_why(
		a,
		"a file that is new to the node is looked up: these are a few, opened again and again, or the node knew them");
	view_cure(
		a,
		"open each file once and keep it open; if they are many: tar -xf INPUT.tar -C $TMPDIR at the start of the job, and read there");
	return view_tell(a, share);
}

static bool is_appended(const struct view *v, struct advice *a)
{
	double opens = opened(v), writes = view_number(v, IO_WRITE_CALLS);
	double share = view_meta_share(v, opens);

	if (opens < LIMIT_MANY_OPS || writes > 2 * opens || writes < opens / 2 ||
	    view_number(v, IO_READ_CALLS) > writes / 2 ||
	    view_number(v, IO_OP_CREATE) * 10 > opens || share < LEAST_SHARE)
		return false;
	view_what(a, "files that exist were opened %.0f times for %.0f writes", opens, writes);
	view_why(a, "to open and close around each write costs two requests more than the write");
	return view_tell(a, share * 2);
}

bool calls_open_append(const struct view *v, struct advice *a)
{
	return is_appended(v, a) || is_read_again(v, a);
}

bool calls_tiny_written(const struct view *v, struct advice *a)
{
	double files = view_number(v, IO_OP_CREATE);
	double size = files > 0 ? view_number(v, IO_WRITE_BYTES) / files : 0;
	double share = view_meta_share(v, files * 3) + view_waiting(v, IO_WRITE_US);

	if (files < LIMIT_MANY_OPS || size >= LIMIT_SMALL_KIB * KIB || share < LEAST_SHARE)
		return false;
	view_what(a, "%.0f files were made, with %.1f KiB written for each", files, size / KIB);
	view_why(a, "below %u KiB a file costs what its open, write and close cost",
		 LIMIT_SMALL_KIB);
	return view_tell(a, share);
}

bool calls_tiny_read(const struct view *v, struct advice *a)
{
	double share;

	if (!is_opened_to_read(v, &share) || is_opened_again(v))
		return false;
	view_what(a, "%.0f files were opened, and %.1f KiB of each read", opened(v),
		  view_number(v, IO_READ_BYTES) / opened(v) / KIB);
	view_why(a, "below %u KiB a file costs what its open, read and close cost",
		 LIMIT_SMALL_KIB);
	return view_tell(a, share);
}

/* Cluster-wide: of all nodes. */
bool calls_one_folder(const struct view *v, struct advice *a)
{
	double creates = view_number(v, IO_OP_CREATE);
	double rate = v->seconds > 0 ? creates / v->seconds : 0;

	if (creates < LIMIT_MANY_OPS ||
	    rate * 100 < v->limits->dir_creates_per_s * (100.0 - LIMIT_HEADROOM_PERCENT))
		return false;
	view_what(a, "%.0f files a second were made, on %zu nodes", rate, v->nodes);
	view_why(a, "one folder takes %u a second, however many nodes there are",
		 v->limits->dir_creates_per_s);
	return view_tell(a, 0.5);
}

/* ---- bytes ------------------------------------------------------------------ */

/* READs of the client that no read() can have asked for: of mapped files. */
static double mapped_requests(const struct view *v)
{
	return v->wire ? (double)v->wire->numbers[IO_READ_CALLS] - view_number(v, IO_READ_CALLS)
		       : 0;
}

bool calls_mapped(const struct view *v, struct advice *a)
{
	double mapped = view_mapped(v);
	double least = view_call_share(v, mapped / 4096);
	double waiting =
		view_waiting(v, IO_READ_US) * mapped / (mapped + view_number(v, IO_READ_BYTES) + 1);
	double share = waiting > least ? waiting : least;

	if ((mapped < v->limits->min_mib * MIB && mapped_requests(v) < LIMIT_MANY_OPS) ||
	    mapped < view_bytes(v) || share < LEAST_SHARE)
		return false;
	view_what(a, "%.0f MiB went through mapped files, %.0f MiB through read and write",
		  mapped / MIB, view_bytes(v) / MIB);
	view_why(
		a,
		"a mapped file comes page by page: 4 KiB a time moves 1/510 of what 64 MiB a time do");
	return view_tell(a, share);
}

/* Fewer files, all of which are gone, or all but the result, and what was written was
 * read again: as a sort does that does not fit into memory. It reads its input, too: as
 * much again. Who reads more, and keeps one, may as well have kept the last of its
 * checkpoints. */
static bool is_spill(const struct view *v, double made, double gone)
{
	double rd = view_number(v, IO_READ_BYTES);
	double wr = view_number(v, IO_WRITE_BYTES);

	return made >= SPILL_FILES && rd * 10 >= wr * 9 &&
	       (gone >= made || (gone + 1 >= made && rd * 2 <= wr * 5));
}

bool calls_deleted(const struct view *v, struct advice *a)
{
	double made = view_number(v, IO_OP_CREATE);
	double gone = view_number(v, IO_OP_UNLINK);
	double written = view_number(v, IO_WRITE_BYTES);
	bool is_many = made >= FLOOR_OPS && gone * 10 >= made * 9;

	/* what is synced is no scratch: a journal of SQLite is, before it goes */
	if ((!is_many && !is_spill(v, made, gone)) || gone > made * 2 ||
	    written < v->limits->min_mib * MIB || view_number(v, IO_OP_FSYNC) >= made)
		return false;
	if (!is_many)
		a->trust = ADVICE_PERHAPS;
	view_what(a, "%.0f files were made and %.0f deleted, with %.1f GiB written", made, gone,
		  written / MIB / 1024);
	view_why(a, "what the job deletes again (%s) need not cross the network",
		 is_many	? "9 in 10"
		 : gone >= made ? "all of them, and read as much"
				: "all but one, and read as much");
	return view_tell(a, view_io_share(v) + view_meta_share(v, made + gone));
}

bool calls_lustre_buffered(const struct view *v, struct advice *a)
{
	double share = view_rate(v, view_number(v, IO_WRITE_US) / 1e6);
	double mean = view_mean(v, IO_WRITE_BYTES, IO_WRITE_CALLS);
	double rate = view_rate(v, view_number(v, IO_WRITE_BYTES)) / 1e6;

	/* the rate while it wrote: of one process, if it was one */
	rate = share > 0 && share < 1 ? rate / share : rate;
	if (!is_type(v, "lustre") || mean < LIMIT_LARGE_KIB * KIB ||
	    view_number(v, IO_WRITE_BYTES) < v->limits->min_mib * MIB || share < LEAST_SHARE ||
	    rate >= v->limits->lustre_write_mbs)
		return false;
	view_what(a, "%.1f GiB were written in calls of %.1f MiB, at %.0f MB/s a node",
		  view_number(v, IO_WRITE_BYTES) / MIB / 1024, mean / MIB, rate);
	view_why(a,
		 "below %u MB/s a node: large writes around the page cache were 3.4 times as fast",
		 v->limits->lustre_write_mbs);
	return view_tell(a, share * 0.7);
}

bool calls_nfs_ceiling(const struct view *v, struct advice *a)
{
	double rate = 0;

	if (!is_type(v, "nfs") || !v->wire || v->seconds <= 0)
		return false;
	if (v->wire->numbers[IO_READ_CALLS] > 0)
		rate += (double)v->wire->numbers[IO_READ_CALLS];
	if (v->wire->numbers[IO_WRITE_CALLS] > 0)
		rate += (double)v->wire->numbers[IO_WRITE_CALLS];
	rate /= v->seconds;
	if (rate * 100 < (double)v->limits->nfs_ops_per_s * LIMIT_FULL_PERCENT)
		return false;
	view_what(a, "%.0f READs and WRITEs a second", rate);
	view_why(
		a,
		"%u a second were the most that NFS gave, of any version and with any number of processes",
		v->limits->nfs_ops_per_s);
	return view_tell(a, 0.8);
}

/* llite does not count asynchronous direct I/O (Lustre 2.14 and later): what the
 * client was asked for is at least what the job read. */
bool calls_more_than_asked(const struct view *v, struct advice *a)
{
	double asked, moved, read = view_number(v, IO_READ_BYTES);

	if (!v->wire || v->io->numbers[IO_READ_BYTES] < 0 ||
	    v->wire->numbers[IO_ASKED_READ_BYTES] < SOME_BYTES)
		return false;
	asked = (double)v->wire->numbers[IO_ASKED_READ_BYTES];
	asked = asked < read ? read : asked;
	/* a page fault is no read of the client's */
	asked += view_number(v, IO_MMAP_READ_BYTES);
	moved = (double)v->wire->numbers[IO_READ_BYTES];
	if (moved < v->limits->min_mib * MIB ||
	    moved * 100 < asked * (100.0 + LIMIT_HEADROOM_PERCENT))
		return false;
	view_what(a, "%.1f GiB were read from the servers for %.1f GiB that processes read",
		  moved / MIB / 1024, asked / MIB / 1024);
	view_why(
		a,
		"more than %u %% above: read ahead for nothing, or out of the cache again before its turn came",
		LIMIT_HEADROOM_PERCENT);
	return view_tell(a,
			 (moved - asked) / moved * (view_io_share(v) < 1 ? view_io_share(v) : 1));
}
