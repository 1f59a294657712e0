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
bool calls_is_cached(const struct view *v, enum io_number calls)
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

/* Do writes wait for the fsync behind them? By how long they took one sees; else where
 * the client wrote no oftener than it was told to: SQLite, 2.5 writes for each. */
static bool is_synced(const struct view *v, double writes)
{
	double syncs = view_number(v, IO_OP_FSYNC);
	double sent = v->wire ? (double)v->wire->numbers[IO_WRITE_CALLS] : -1;

	return syncs * 2 > writes || (view_number(v, IO_WRITE_US) <= 0 && sent >= 0 &&
				      syncs >= FLOOR_OPS && syncs * 10 >= sent * 9);
}

/* By the client's own requests: one of its own for each call is what it cannot read ahead
 * or collect. "": nobody knows. */
const char *calls_places(const struct view *v, enum io_number bytes, enum io_number calls)
{
	double mean = view_mean(v, bytes, calls), asked, sent;

	if (!v->wire || v->wire->numbers[calls] <= 0 || v->wire->numbers[bytes] <= 0)
		return "";
	asked = (double)v->wire->numbers[calls];
	sent = (double)v->wire->numbers[bytes] / asked;
	if (asked * 2 >= view_number(v, calls) && sent <= 2 * mean)
		return "random";
	return sent >= 8 * mean ? "sequential" : "";
}

void calls_add(const struct view *v, struct advice *a, bool is_read)
{
	enum io_number calls = is_read ? IO_READ_CALLS : IO_WRITE_CALLS;
	enum io_number bytes = is_read ? IO_READ_BYTES : IO_WRITE_BYTES;

	view_add(a, "calls", view_number(v, calls));
	view_add(a, "size_bytes", view_mean(v, bytes, calls));
	view_add(a, "moved_bytes", view_number(v, bytes));
}

static bool is_small(const struct view *v, struct advice *a, bool is_read)
{
	enum io_number calls = is_read ? IO_READ_CALLS : IO_WRITE_CALLS;
	enum io_number us = is_read ? IO_READ_US : IO_WRITE_US;
	unsigned int limit = is_read ? v->limits->small_read_kb : v->limits->small_write_kb;
	double count = view_number(v, calls), share = time_in(v, us, calls, a);
	double mean = view_mean(v, is_read ? IO_READ_BYTES : IO_WRITE_BYTES, calls);

	if (count < LIMIT_MANY_OPS || mean >= limit * 1000.0 || calls_is_cached(v, calls) ||
	    share < LEAST_SHARE)
		return false;
	/* what it waits for is the fsync, or to open the files */
	if ((!is_read && is_synced(v, count)) || view_number(v, IO_OP_OPEN) * 4 > count)
		return false;
	a->kind = calls_places(v, is_read ? IO_READ_BYTES : IO_WRITE_BYTES, calls);
	calls_add(v, a, is_read);
	return view_tell(a, is_read ? "read" : "write", share);
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
	a->option = ADVICE_CACHED;
	view_add(a, "calls", view_calls(v));
	view_add(a, "size_bytes", mean_call(v));
	return view_tell(a, "read", share);
}

bool calls_direct_metadata(const struct view *v, struct advice *a)
{
	double all = view_metas(v), share = view_meta_share(v, all);

	/* 1 in 10 of all operations */
	if (!view_has_option(v, "forcedirect") || all < LIMIT_MANY_OPS || all * 9 < view_calls(v) ||
	    share < LEAST_SHARE)
		return false;
	a->option = ADVICE_CACHED;
	view_add(a, "operations", all);
	view_add(a, "calls", view_calls(v));
	return view_tell(a, "meta", share);
}

bool calls_cached_stream(const struct view *v, struct advice *a)
{
	if ((!view_has_option(v, "writecache") && !view_has_option(v, "readcache")) ||
	    mean_call(v) < LIMIT_LARGE_KIB * KIB || !view_is_busy(v) ||
	    view_metas(v) * 9 > view_calls(v) || calls_is_cached(v, IO_READ_CALLS))
		return false;
	a->option = ADVICE_DIRECT;
	view_add(a, "moved_bytes", view_bytes(v));
	view_add(a, "size_bytes", mean_call(v));
	return view_tell(a, "read", view_io_share(v) / 4);
}

/* ---- how many at a time ---------------------------------------------------- */

/* Processes of a node that waited for the client: not those whose calls the page
 * cache has served. */
static double waiting_at_once(const struct view *v)
{
	double us = 0;

	if (!calls_is_cached(v, IO_READ_CALLS))
		us += view_number(v, IO_READ_US);
	if (!calls_is_cached(v, IO_WRITE_CALLS))
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
	a->kind = is_async_size(mean_call(v)) ? "small" : "";
	view_add(a, "at_once", at_once);
	view_add(a, "rate_Bps", view_rate(v, view_bytes(v)));
	view_add(a, "enough", v->limits->io_processes);
	/* half of the time in calls, and the less the nearer it is to full */
	return view_tell(a, "read",
			 (at_once < 1 ? at_once : 1) / 2 * (1 - at_once / v->limits->io_processes));
}

bool calls_many_synchronous(const struct view *v, struct advice *a)
{
	double at_once = view_concurrency(v);

	if (at_once <= v->limits->io_processes || view_calls(v) < LIMIT_MANY_OPS ||
	    !is_async_size(mean_call(v)))
		return false;
	view_add(a, "at_once", at_once);
	view_add(a, "size_bytes", mean_call(v));
	view_add(a, "enough", v->limits->io_processes);
	return view_tell(a, "read", 1 - v->limits->io_processes / at_once);
}

/* ---- metadata -------------------------------------------------------------- */

/* A journal is made for each transaction and removed behind it, or pages change in place. */
bool calls_is_database(const struct view *v)
{
	double syncs = view_number(v, IO_OP_FSYNC), made = view_number(v, IO_OP_CREATE);
	double writes = view_number(v, IO_WRITE_CALLS);
	double elsewhere = view_number(v, IO_WRITE_RANDOM);

	if (syncs < LIMIT_SOME_OPS)
		return false;
	return (made * 8 >= syncs && view_number(v, IO_OP_UNLINK) * 2 >= made &&
		writes >= 2 * made) ||
	       (elsewhere * 2 >= writes && made * 8 < syncs);
}

void calls_add_syncs(const struct view *v, struct advice *a)
{
	view_add(a, "syncs", view_number(v, IO_OP_FSYNC));
	view_add(a, "writes", view_number(v, IO_WRITE_CALLS));
	view_add(a, "moved_bytes", view_number(v, IO_WRITE_BYTES));
}

bool calls_fsync(const struct view *v, struct advice *a)
{
	double syncs = view_number(v, IO_OP_FSYNC);
	double writes = view_number(v, IO_WRITE_CALLS);
	double least = view_call_share(v, syncs) * 10;
	double waiting = view_waiting(v, IO_WRITE_US);
	double share = waiting > least ? waiting : least;

	if (syncs < FLOOR_OPS || syncs * 10 < writes || share < LEAST_SHARE)
		return false;
	a->kind = calls_is_database(v) ? "database" : "lines";
	calls_add_syncs(v, a);
	return view_tell(a, "sync", share);
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
	a->kind = is_asked_often(v, stats) ? "search" : "files";
	view_add(a, "stats", stats);
	view_add(a, "others", others);
	view_add(a, "per_s", view_rate(v, stats));
	return view_tell(a, "meta", share);
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
	a->kind = "again";
	view_add(a, "requests", names);
	view_add(a, "operations", ops);
	return view_tell(a, "meta", share);
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
	a->kind = "search";
	view_add(a, "misses", misses);
	view_add(a, "opens", opens);
	return view_tell(a, "meta", share);
}

bool calls_lookup(const struct view *v, struct advice *a)
{
	return is_missed(v, a) || is_asked_again(v, a);
}

double calls_opened(const struct view *v)
{
	double found = view_number(v, IO_OP_OPEN) - view_number(v, IO_OP_CREATE);

	return found > 0 ? found : 0;
}

static double each(double bytes, double files)
{
	return files > 0 ? bytes / files : 0;
}

void calls_add_files(const struct view *v, struct advice *a)
{
	double made = view_number(v, IO_OP_CREATE), bytes = view_number(v, IO_WRITE_BYTES);

	view_add(a, "files", made);
	view_add(a, "gone", view_number(v, IO_OP_UNLINK));
	view_add(a, "moved_bytes", bytes);
	view_add(a, "each_bytes", each(bytes, made));
}

void calls_add_files_read(const struct view *v, struct advice *a)
{
	view_add(a, "opens", calls_opened(v));
	view_add(a, "calls", view_number(v, IO_READ_CALLS));
	view_add(a, "misses", view_number(v, IO_OP_LOOKUP_MISS));
	view_add(a, "each_bytes", each(view_number(v, IO_READ_BYTES), calls_opened(v)));
}

/* A file that is opened for the first time is looked up by its name, if nobody else on
 * the node has used it before: of all opens a quarter, or fewer, are those of another
 * file. */
bool calls_is_opened_again(const struct view *v)
{
	return view_number(v, IO_OP_LOOKUP_MISS) * 4 <= calls_opened(v);
}

/* What is known of files that are opened to read a little */
static bool is_opened_to_read(const struct view *v, double *share)
{
	double opens = calls_opened(v), bytes = view_number(v, IO_READ_BYTES);
	double reads = view_number(v, IO_READ_CALLS);

	*share = view_meta_share(v, opens * 3) + view_waiting(v, IO_READ_US);
	/* folders are opened too, and not read */
	return opens >= LIMIT_MANY_OPS && reads * 10 >= opens * 9 && reads <= 4 * opens &&
	       bytes < opens * LIMIT_SMALL_KIB * KIB && *share >= LEAST_SHARE;
}

static bool is_read_again(const struct view *v, struct advice *a)
{
	double share;

	if (!is_opened_to_read(v, &share) || !calls_is_opened_again(v))
		return false;
	a->trust = ADVICE_PERHAPS;
	a->kind = "read";
	calls_add_files_read(v, a);
	return view_tell(a, "meta", share);
}

static bool is_appended(const struct view *v, struct advice *a)
{
	double opens = calls_opened(v), writes = view_number(v, IO_WRITE_CALLS);
	double share = view_meta_share(v, opens);

	if (opens < LIMIT_MANY_OPS || writes > 2 * opens || writes < opens / 2 ||
	    view_number(v, IO_READ_CALLS) > writes / 2 ||
	    view_number(v, IO_OP_CREATE) * 10 > opens || share < LEAST_SHARE)
		return false;
	a->kind = "append";
	view_add(a, "opens", opens);
	view_add(a, "calls", writes);
	return view_tell(a, "meta", share * 2);
}

bool calls_open_append(const struct view *v, struct advice *a)
{
	return is_appended(v, a) || is_read_again(v, a);
}

/* Of the files that it made the job has removed nine in ten or more. */
bool calls_is_gone(const struct view *v)
{
	double made = view_number(v, IO_OP_CREATE), gone = view_number(v, IO_OP_UNLINK);

	return gone * 10 >= made * 9 && gone <= made * 2 && view_number(v, IO_OP_FSYNC) < made;
}

bool calls_tiny_written(const struct view *v, struct advice *a)
{
	double files = view_number(v, IO_OP_CREATE);
	double size = files > 0 ? view_number(v, IO_WRITE_BYTES) / files : 0;
	double share = view_meta_share(v, files * 3) + view_waiting(v, IO_WRITE_US);

	if (files < LIMIT_MANY_OPS || size >= LIMIT_SMALL_KIB * KIB || share < LEAST_SHARE ||
	    calls_is_gone(v))
		return false;
	calls_add_files(v, a);
	return view_tell(a, "meta", share);
}

bool calls_tiny_read(const struct view *v, struct advice *a)
{
	double share;

	if (!is_opened_to_read(v, &share) || calls_is_opened_again(v))
		return false;
	calls_add_files_read(v, a);
	return view_tell(a, "meta", share);
}

/* What most of the operations did: "written", "removed" or "read". */
void calls_add_metadata(const struct view *v, struct advice *a)
{
	double made = view_number(v, IO_OP_CREATE) + view_number(v, IO_OP_MKDIR) +
		      view_number(v, IO_OP_RENAME) + view_number(v, IO_OP_LINK) +
		      view_number(v, IO_OP_SYMLINK) + view_number(v, IO_OP_CHMOD) +
		      view_number(v, IO_OP_CHOWN) + view_number(v, IO_OP_UTIMES);
	double gone = view_number(v, IO_OP_UNLINK) + view_number(v, IO_OP_RMDIR);
	double seen = calls_opened(v) + view_number(v, IO_OP_READDIR);

	a->kind = made >= gone && made * 2 >= seen ? "written"
		  : gone * 2 >= seen		   ? "removed"
						   : "read";
	view_add(a, "operations", view_metas(v));
	view_add(a, "opens", view_number(v, IO_OP_OPEN));
	view_add(a, "files", view_number(v, IO_OP_CREATE));
	view_add(a, "gone", gone);
	view_add(a, "stats", view_number(v, IO_OP_STAT));
	view_add(a, "misses", view_number(v, IO_OP_LOOKUP_MISS));
	view_add(a, "renames", view_number(v, IO_OP_RENAME));
	view_add(a, "folders", view_number(v, IO_OP_MKDIR));
	view_add(a, "links", view_number(v, IO_OP_LINK) + view_number(v, IO_OP_SYMLINK));
	view_add(a, "changes",
		 view_number(v, IO_OP_CHMOD) + view_number(v, IO_OP_CHOWN) +
			 view_number(v, IO_OP_UTIMES));
}

/* Each kind is too few for a rule of its own, and all together are not. */
bool calls_metadata(const struct view *v, struct advice *a)
{
	double all = view_metas(v), share = view_meta_share(v, all);
	double least = view_meta_waiting(v, all) > 0 ? FLOOR_OPS : LIMIT_MANY_OPS;
	struct advice other = { 0 };

	if (all < least || share * 100 < LIMIT_ADDED_PERCENT || calls_fsync(v, &other) ||
	    calls_direct_metadata(v, &other) || calls_stat(v, &other) || calls_lookup(v, &other) ||
	    calls_open_append(v, &other) || calls_tiny_written(v, &other) ||
	    calls_tiny_read(v, &other) || calls_deleted(v, &other))
		return false;
	calls_add_metadata(v, a);
	return view_tell(a, "meta", share);
}

/* Cluster-wide: of all nodes. */
bool calls_one_folder(const struct view *v, struct advice *a)
{
	double creates = view_number(v, IO_OP_CREATE);
	double rate = v->seconds > 0 ? creates / v->seconds : 0;

	if (creates < LIMIT_MANY_OPS ||
	    rate * 100 < v->limits->dir_creates_per_s * (100.0 - LIMIT_HEADROOM_PERCENT))
		return false;
	view_add(a, "per_s", rate);
	view_add(a, "nodes", (double)v->nodes);
	view_add(a, "most_per_s", v->limits->dir_creates_per_s);
	return view_tell(a, "meta", 0.5);
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
	view_add(a, "mapped_bytes", mapped);
	view_add(a, "moved_bytes", view_bytes(v));
	return view_tell(a, "mapped", share);
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
	double share = view_meta_share(v, made + gone);
	bool is_many = made >= FLOOR_OPS && calls_is_gone(v);

	/* what is synced is no scratch: a journal of SQLite is, before it goes */
	if ((!is_many && !is_spill(v, made, gone)) || gone > made * 2 ||
	    view_number(v, IO_OP_FSYNC) >= made ||
	    (written < v->limits->min_mib * MIB && (made < LIMIT_MANY_OPS || share < LEAST_SHARE)))
		return false;
	if (!is_many)
		a->trust = ADVICE_PERHAPS;
	calls_add_files(v, a);
	return view_tell(a, "meta", view_io_share(v) + share);
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
	calls_add(v, a, false);
	view_add(a, "rate_Bps", rate * 1e6);
	view_add(a, "most_Bps", v->limits->lustre_write_mbs * 1e6);
	return view_tell(a, "write", share * 0.7);
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
	view_add(a, "per_s", rate);
	view_add(a, "most_per_s", v->limits->nfs_ops_per_s);
	return view_tell(a, "read", 0.8);
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
	view_add(a, "fetched_bytes", moved);
	view_add(a, "asked_bytes", asked);
	return view_tell(a, "read",
			 (moved - asked) / moved * (view_io_share(v) < 1 ? view_io_share(v) : 1));
}
