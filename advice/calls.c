/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/calls.h"

#include <string.h>

#include "advice/limits.h"

#define KIB 1024.0
#define MIB 1048576.0
#define SPILL_FILES 8
#define SOME_BYTES 10000 /* of reads at the client; fewer are not compared */

/* ---- access patterns --------------------------------------------------------- */

/* The client handled less than a tenth of the calls; the page cache served the rest (facts of
 * Lustre: 556,629 cached reads a second, 6,742 uncached). */
bool calls_is_cached(const struct view *v, enum io_number calls)
{
	return v->client_io && v->client_io->numbers[calls] >= 0 &&
	       (double)v->client_io->numbers[calls] * 10 < view_number(v, calls);
}

/* Return the order of accesses from the client's requests: "random" if it sends about one request
 * for each call (no read-ahead, no merging), "sequential" if requests are 8 times as large, "" if
 * unknown. */
const char *calls_order(const struct view *v, enum io_number bytes, enum io_number calls)
{
	double mean = view_mean(v, bytes, calls), requested, sent;

	if (!v->client_io || v->client_io->numbers[calls] <= 0 || v->client_io->numbers[bytes] <= 0)
		return "";
	requested = (double)v->client_io->numbers[calls];
	sent = (double)v->client_io->numbers[bytes] / requested;
	if (requested * 2 >= view_number(v, calls) && sent <= 2 * mean)
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

/* A journal is created and removed for each transaction, or pages are rewritten in place. */
bool calls_is_database(const struct view *v)
{
	double syncs = view_number(v, IO_OP_FSYNC), created = view_number(v, IO_OP_CREATE);
	double writes = view_number(v, IO_WRITE_CALLS);
	double random_writes = view_number(v, IO_WRITE_RANDOM);

	if (syncs < LIMIT_SOME_OPS)
		return false;
	return (created * 8 >= syncs && view_number(v, IO_OP_UNLINK) * 2 >= created &&
		writes >= 2 * created) ||
	       (random_writes * 2 >= writes && created * 8 < syncs);
}

void calls_add_syncs(const struct view *v, struct advice *a)
{
	view_add(a, "syncs", view_number(v, IO_OP_FSYNC));
	view_add(a, "writes", view_number(v, IO_WRITE_CALLS));
	view_add(a, "moved_bytes", view_number(v, IO_WRITE_BYTES));
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
	double created = view_number(v, IO_OP_CREATE), bytes = view_number(v, IO_WRITE_BYTES);

	view_add(a, "files", created);
	view_add(a, "gone", view_number(v, IO_OP_UNLINK));
	view_add(a, "moved_bytes", bytes);
	view_add(a, "each_bytes", each(bytes, created));
}

void calls_add_files_read(const struct view *v, struct advice *a)
{
	view_add(a, "opens", calls_opened(v));
	view_add(a, "calls", view_number(v, IO_READ_CALLS));
	view_add(a, "misses", view_number(v, IO_OP_LOOKUP_MISS));
	view_add(a, "each_bytes", each(view_number(v, IO_READ_BYTES), calls_opened(v)));
}

/* The first open of a file looks up its name, unless the node has it cached. If at most a quarter
 * of the opens do, the same files are opened repeatedly. */
bool calls_is_opened_again(const struct view *v)
{
	return view_number(v, IO_OP_LOOKUP_MISS) * 4 <= calls_opened(v);
}

/* The job removed nine in ten or more of the files that it created. */
bool calls_is_temporary(const struct view *v)
{
	double created = view_number(v, IO_OP_CREATE), removed = view_number(v, IO_OP_UNLINK);

	return removed * 10 >= created * 9 && removed <= created * 2 &&
	       view_number(v, IO_OP_FSYNC) < created;
}

/* A file is replaced repeatedly: written under a temporary name, then renamed. Each temporary name
 * is a lookup miss, the final name is not. Copies also set modes and times. */
bool calls_is_replaced(const struct view *v)
{
	double created = view_number(v, IO_OP_CREATE);
	double changed = view_number(v, IO_OP_CHMOD) + view_number(v, IO_OP_UTIMES);

	return view_number(v, IO_OP_RENAME) * 10 >= created * 9 && changed * 2 < created &&
	       view_number(v, IO_OP_LOOKUP_MISS) * 2 < created * 3;
}

/* Set a->kind to the effect of most operations ("written", "removed" or "read"); add the counts. */
void calls_add_metadata(const struct view *v, struct advice *a)
{
	double created = view_number(v, IO_OP_CREATE) + view_number(v, IO_OP_MKDIR) +
			 view_number(v, IO_OP_RENAME) + view_number(v, IO_OP_LINK) +
			 view_number(v, IO_OP_SYMLINK) + view_number(v, IO_OP_CHMOD) +
			 view_number(v, IO_OP_CHOWN) + view_number(v, IO_OP_UTIMES);
	double removed = view_number(v, IO_OP_UNLINK) + view_number(v, IO_OP_RMDIR);
	double reads = calls_opened(v) + view_number(v, IO_OP_READDIR);

	a->kind = created >= removed && created * 2 >= reads ? "written"
		  : removed * 2 >= reads		     ? "removed"
							     : "read";
	view_add(a, "operations", view_metas(v));
	view_add(a, "opens", view_number(v, IO_OP_OPEN));
	view_add(a, "files", view_number(v, IO_OP_CREATE));
	view_add(a, "gone", removed);
	view_add(a, "stats", view_number(v, IO_OP_STAT));
	view_add(a, "misses", view_number(v, IO_OP_LOOKUP_MISS));
	view_add(a, "renames", view_number(v, IO_OP_RENAME));
	view_add(a, "folders", view_number(v, IO_OP_MKDIR));
	view_add(a, "links", view_number(v, IO_OP_LINK) + view_number(v, IO_OP_SYMLINK));
	view_add(a, "changes",
		 view_number(v, IO_OP_CHMOD) + view_number(v, IO_OP_CHOWN) +
			 view_number(v, IO_OP_UTIMES));
}

/* Return the lookups that operations explain. Each name that is new to the node is looked up once;
 * the target of a rename always is. Attribute changes mostly follow an open or stat. */
static double names_used(const struct view *v)
{
	double lookup_ops = view_number(v, IO_OP_STAT) + view_number(v, IO_OP_OPEN);
	double changing = view_number(v, IO_OP_CHMOD) + view_number(v, IO_OP_CHOWN) +
			  view_number(v, IO_OP_UTIMES) + view_number(v, IO_OP_TRUNCATE);

	return (lookup_ops > changing ? lookup_ops : changing) + 2 * view_number(v, IO_OP_RENAME) +
	       2 * view_number(v, IO_OP_LINK) + view_number(v, IO_OP_UNLINK) +
	       view_number(v, IO_OP_MKDIR) + view_number(v, IO_OP_RMDIR) +
	       view_number(v, IO_OP_SYMLINK) + view_number(v, IO_OP_MKNOD);
}

double calls_misses(const struct view *v)
{
	double misses = view_number(v, IO_OP_LOOKUP_MISS) - names_used(v);

	return misses > 0 ? misses : 0;
}

/* ---- the page cache ------------------------------------------------------------ */

static double mean_call(const struct view *v)
{
	return view_calls(v) > 0 ? view_bytes(v) / view_calls(v) : 0;
}

bool calls_direct_small(const struct view *v, struct advice *a)
{
	if (!view_has_option(v, "forcedirect") || view_calls(v) < LIMIT_MANY_OPS ||
	    mean_call(v) >= LIMIT_SMALL_KIB * KIB ||
	    view_io_share(v) * 100 < LIMIT_SIGNIFICANT_PERCENT)
		return false;
	a->option = ADVICE_CACHED;
	view_add(a, "calls", view_calls(v));
	view_add(a, "size_bytes", mean_call(v));
	return view_set(a, "", view_io_share(v));
}

bool calls_direct_metadata(const struct view *v, struct advice *a)
{
	double all = view_metas(v);

	/* at least 1 in 10 of all operations */
	if (!view_has_option(v, "forcedirect") || all < LIMIT_MANY_OPS || all * 9 < view_calls(v))
		return false;
	a->option = ADVICE_CACHED;
	view_add(a, "operations", all);
	view_add(a, "calls", view_calls(v));
	return view_set(a, "meta", 1);
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
	return view_set(a, "", view_io_share(v) / 4);
}

/* ---- metadata -------------------------------------------------------------------- */

/* Most requests that an operation on a name sends: to revalidate and to check access, for the
 * folder and for the name. NFS v3 with lookupcache=none and actimeo=0: 3.95 for each absent name of
 * a search path, 2.9 for each stat. */
#define REQUESTS_A_NAME 4

/* Return the share of the client's metadata requests that revalidate cached names; 0: none. Lookups
 * that end without a file, and names cached as absent, are in no counter of the job; with noac or
 * actimeo=0 the client sends requests for them each time. Counted are requests that no operation
 * explains; or all, if there are twice as many as operations and they took half of the run: Python
 * on a mount with noac and lookupcache=none sent 4.6 for each and spent 61 % of its time there. */
double calls_revalidated(const struct view *v)
{
	const int64_t *client_io = v->client_io ? v->client_io->numbers : NULL;
	double names = client_io ? (double)client_io[IO_NAME_CALLS] : 0;
	double all = client_io ? (double)client_io[IO_META_CALLS] : 0;
	double waited = client_io ? (double)client_io[IO_META_US] / 1e6 : 0;
	double again = names - REQUESTS_A_NAME * view_metas(v) - view_calls(v);

	if (names < LIMIT_MANY_OPS || all < names)
		return 0;
	if (names >= 2 * view_metas(v) && waited * (names / all) >= 0.5 * v->seconds)
		return names / all;
	return again >= LIMIT_MANY_OPS ? again / all : 0;
}

/* Cluster-wide rate, over all nodes. */
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
	return view_set(a, "meta", 1);
}

/* ---- bytes ------------------------------------------------------------------ */

/* READs of the client in excess of the job's read() calls are from mapped files. */
bool calls_is_mapped(const struct view *v)
{
	double more = v->client_io ? (double)v->client_io->numbers[IO_READ_CALLS] -
					     view_number(v, IO_READ_CALLS)
				   : 0;

	return view_mapped(v) >= view_bytes(v) &&
	       (view_mapped(v) >= v->limits->min_mib * MIB || more >= LIMIT_MORE_OPS);
}

/* Scratch files, as of an external sort: all are removed, or all but the result, and the data is
 * read back. A sort reads its input too, about as much again. More reads with one file left may be
 * a job that keeps its last checkpoint. */
static bool is_spill(const struct view *v, double created, double removed)
{
	double rd = view_number(v, IO_READ_BYTES);
	double wr = view_number(v, IO_WRITE_BYTES);

	return created >= SPILL_FILES && rd * 10 >= wr * 9 &&
	       (removed >= created || (removed + 1 >= created && rd * 2 <= wr * 5));
}

bool calls_is_spill(const struct view *v)
{
	double created = view_number(v, IO_OP_CREATE), removed = view_number(v, IO_OP_UNLINK);

	/* synced files are not scratch: SQLite syncs a journal before removing it */
	return is_spill(v, created, removed) && removed <= created * 2 &&
	       view_number(v, IO_OP_FSYNC) < created &&
	       view_number(v, IO_WRITE_BYTES) >= v->limits->min_mib * MIB;
}

static bool is_type(const struct view *v, const char *type)
{
	return !strcmp(v->type, type);
}

bool calls_lustre_buffered(const struct view *v, struct advice *a)
{
	double at_once = view_rate(v, view_number(v, IO_WRITE_US) / 1e6);
	double mean = view_mean(v, IO_WRITE_BYTES, IO_WRITE_CALLS);
	double rate = view_rate(v, view_number(v, IO_WRITE_BYTES)) / 1e6;

	/* rate during writes; of one process, if there was one */
	rate = at_once > 0 && at_once < 1 ? rate / at_once : rate;
	if (!is_type(v, "lustre") || mean < LIMIT_LARGE_KIB * KIB ||
	    view_number(v, IO_WRITE_BYTES) < v->limits->min_mib * MIB ||
	    at_once * 100 < LIMIT_SIGNIFICANT_PERCENT || rate >= v->limits->lustre_write_mbs)
		return false;
	calls_add(v, a, false);
	view_add(a, "rate_Bps", rate * 1e6);
	view_add(a, "most_Bps", v->limits->lustre_write_mbs * 1e6);
	return view_set(a, "write", 0.7);
}

bool calls_nfs_ceiling(const struct view *v, struct advice *a)
{
	double rate = 0;

	if (!is_type(v, "nfs") || !v->client_io || v->seconds <= 0)
		return false;
	if (v->client_io->numbers[IO_READ_CALLS] > 0)
		rate += (double)v->client_io->numbers[IO_READ_CALLS];
	if (v->client_io->numbers[IO_WRITE_CALLS] > 0)
		rate += (double)v->client_io->numbers[IO_WRITE_CALLS];
	rate /= v->seconds;
	if (rate * 100 < (double)v->limits->nfs_ops_per_s * LIMIT_FULL_PERCENT)
		return false;
	view_add(a, "per_s", rate);
	view_add(a, "most_per_s", v->limits->nfs_ops_per_s);
	return view_set(a, "", 0.8);
}

/* llite does not count asynchronous direct I/O (Lustre 2.14 and later): at least the bytes that the
 * job read were requested from the client. */
bool calls_overfetch(const struct view *v, struct advice *a)
{
	double requested, moved, read = view_number(v, IO_READ_BYTES);

	if (!v->client_io || v->io->numbers[IO_READ_BYTES] < 0 ||
	    v->client_io->numbers[IO_ASKED_READ_BYTES] < SOME_BYTES)
		return false;
	requested = (double)v->client_io->numbers[IO_ASKED_READ_BYTES];
	requested = requested < read ? read : requested;
	/* the client does not count page faults as reads */
	requested += view_number(v, IO_MMAP_READ_BYTES);
	moved = (double)v->client_io->numbers[IO_READ_BYTES];
	if (moved < v->limits->min_mib * MIB ||
	    moved * 100 < requested * (100.0 + LIMIT_HEADROOM_PERCENT))
		return false;
	view_add(a, "fetched_bytes", moved);
	view_add(a, "asked_bytes", requested);
	return view_set(a, "read", (moved - requested) / moved);
}
