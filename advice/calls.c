/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/calls.h"

#include <string.h>

#include "advice/limits.h"

/* ---- access patterns --------------------------------------------------------- */

/* The client handled few of the calls; the page cache served the rest. */
bool calls_is_cached(const struct view *v, enum io_number calls)
{
	return v->client_io && v->client_io->numbers[calls] >= 0 &&
	       !reaches((double)v->client_io->numbers[calls], LIMIT_UNCACHED_PERCENT,
			view_number(v, calls));
}

/* Return the order of accesses from the client's requests: "random" if it sends about one request
 * for each call (no read-ahead, no merging), "sequential" if requests are larger, "" if unknown. */
const char *calls_order(const struct view *v, enum io_number bytes, enum io_number calls)
{
	double mean = view_mean(v, bytes, calls), requested, sent;

	if (!v->client_io || v->client_io->numbers[calls] <= 0 || v->client_io->numbers[bytes] <= 0)
		return "";
	requested = (double)v->client_io->numbers[calls];
	sent = (double)v->client_io->numbers[bytes] / requested;
	if (requested * LIMIT_RANDOM_TIMES >= view_number(v, calls) &&
	    sent <= LIMIT_RANDOM_TIMES * mean)
		return "random";
	return sent >= LIMIT_SEQUENTIAL_TIMES * mean ? "sequential" : "";
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
	bool has_journals = created * LIMIT_SYNCS_PER_JOURNAL >= syncs;

	if (syncs < LIMIT_SOME_OPS)
		return false;
	if (!has_journals)
		return reaches(view_number(v, IO_WRITE_RANDOM), LIMIT_HALF_PERCENT, writes);
	return reaches(view_number(v, IO_OP_UNLINK), LIMIT_HALF_PERCENT, created) &&
	       writes >= LIMIT_WRITES_PER_JOURNAL * created;
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

/* The first open of a file looks up its name, unless the node has it cached. If few opens do, the
 * same files are opened repeatedly. */
bool calls_is_opened_again(const struct view *v)
{
	return view_number(v, IO_OP_LOOKUP_MISS) * 100 <= calls_opened(v) * LIMIT_NEW_NAMES_PERCENT;
}

/* The job removed most of the files that it created. */
bool calls_is_temporary(const struct view *v)
{
	double created = view_number(v, IO_OP_CREATE), removed = view_number(v, IO_OP_UNLINK);

	return reaches(removed, LIMIT_MOST_PERCENT, created) &&
	       removed <= created * LIMIT_REMOVED_PER_CREATED &&
	       view_number(v, IO_OP_FSYNC) < created;
}

/* A file is replaced repeatedly: written under a temporary name, then renamed. Each temporary name
 * is a lookup miss, the final name is not. Copies also set modes and times. */
bool calls_is_replaced(const struct view *v)
{
	double created = view_number(v, IO_OP_CREATE);
	double changed = view_number(v, IO_OP_CHMOD) + view_number(v, IO_OP_UTIMES);

	return reaches(view_number(v, IO_OP_RENAME), LIMIT_MOST_PERCENT, created) &&
	       !reaches(changed, LIMIT_HALF_PERCENT, created) &&
	       view_number(v, IO_OP_LOOKUP_MISS) < created * LIMIT_MISSES_PER_REPLACED;
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

	a->kind = created >= removed && reaches(created, LIMIT_HALF_PERCENT, reads) ? "written"
		  : reaches(removed, LIMIT_HALF_PERCENT, reads)			    ? "removed"
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

	return (lookup_ops > changing ? lookup_ops : changing) +
	       LIMIT_NAMES_PER_RENAME *
		       (view_number(v, IO_OP_RENAME) + view_number(v, IO_OP_LINK)) +
	       view_number(v, IO_OP_UNLINK) + view_number(v, IO_OP_MKDIR) +
	       view_number(v, IO_OP_RMDIR) + view_number(v, IO_OP_SYMLINK) +
	       view_number(v, IO_OP_MKNOD);
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
	    mean_call(v) >= LIMIT_SMALL_BYTES ||
	    !reaches(view_io_share(v), LIMIT_SIGNIFICANT_PERCENT, 1))
		return false;
	a->option = ADVICE_CACHED;
	view_add(a, "calls", view_calls(v));
	view_add(a, "size_bytes", mean_call(v));
	return view_set(a, "", view_io_share(v));
}

bool calls_direct_metadata(const struct view *v, struct advice *a)
{
	double all = view_metas(v);

	if (!view_has_option(v, "forcedirect") || all < LIMIT_MANY_OPS ||
	    !reaches(all, LIMIT_BUSY_PERCENT, all + view_calls(v)))
		return false;
	a->option = ADVICE_CACHED;
	view_add(a, "operations", all);
	view_add(a, "calls", view_calls(v));
	return view_set(a, "meta", STAKE_ALL);
}

bool calls_cached_stream(const struct view *v, struct advice *a)
{
	if ((!view_has_option(v, "writecache") && !view_has_option(v, "readcache")) ||
	    mean_call(v) < LIMIT_LARGE_BYTES || !view_is_busy(v) ||
	    !reaches(view_calls(v), 100 - LIMIT_BUSY_PERCENT, view_metas(v) + view_calls(v)) ||
	    calls_is_cached(v, IO_READ_CALLS))
		return false;
	a->option = ADVICE_DIRECT;
	view_add(a, "moved_bytes", view_bytes(v));
	view_add(a, "size_bytes", mean_call(v));
	return view_set(a, "", view_io_share(v) * STAKE_CACHED_STREAM);
}

/* ---- metadata -------------------------------------------------------------------- */

/* Return the share of the client's metadata requests that revalidate cached names; 0: none. Lookups
 * that end without a file, and names cached as absent, are in no counter of the job; with noac or
 * actimeo=0 the client sends requests for them each time. Counted are requests that no operation
 * explains; or all, if there are many more than operations and they took most of the run. */
double calls_revalidated(const struct view *v)
{
	const int64_t *client_io = v->client_io ? v->client_io->numbers : NULL;
	double names = client_io ? (double)client_io[IO_NAME_CALLS] : 0;
	double all = client_io ? (double)client_io[IO_META_CALLS] : 0;
	double waited = client_io ? (double)client_io[IO_META_US] / US_PER_S : 0;
	double again = names - LIMIT_REQUESTS_PER_NAME * view_metas(v) - view_calls(v);

	if (names < LIMIT_MANY_OPS || all < names)
		return 0;
	if (names >= LIMIT_REVALIDATED_TIMES * view_metas(v) &&
	    reaches(waited * (names / all), LIMIT_HALF_PERCENT, v->run->seconds))
		return names / all;
	return again >= LIMIT_MANY_OPS ? again / all : 0;
}

/* Cluster-wide rate, over all nodes. */
bool calls_one_folder(const struct view *v, struct advice *a)
{
	double creates = view_number(v, IO_OP_CREATE);
	double rate = v->run->seconds > 0 ? creates / v->run->seconds : 0;

	if (creates < LIMIT_MANY_OPS ||
	    !reaches(rate, 100 - LIMIT_HEADROOM_PERCENT, v->limits->dir_creates_per_s))
		return false;
	view_add(a, "per_s", rate);
	view_add(a, "nodes", (double)v->nodes);
	view_add(a, "most_per_s", v->limits->dir_creates_per_s);
	return view_set(a, "meta", STAKE_ALL);
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

	return created >= LIMIT_SPILL_FILES && reaches(rd, LIMIT_MOST_PERCENT, wr) &&
	       (removed >= created ||
		(removed + 1 >= created && rd <= wr * LIMIT_SPILL_READ_TIMES));
}

bool calls_is_spill(const struct view *v)
{
	double created = view_number(v, IO_OP_CREATE), removed = view_number(v, IO_OP_UNLINK);

	/* synced files are not scratch: SQLite syncs a journal before removing it */
	return is_spill(v, created, removed) && removed <= created * LIMIT_REMOVED_PER_CREATED &&
	       view_number(v, IO_OP_FSYNC) < created &&
	       view_number(v, IO_WRITE_BYTES) >= v->limits->min_mib * MIB;
}

static bool is_type(const struct view *v, const char *type)
{
	return !strcmp(v->type, type);
}

bool calls_lustre_buffered(const struct view *v, struct advice *a)
{
	double at_once = view_rate(v, view_number(v, IO_WRITE_US) / US_PER_S);
	double mean = view_mean(v, IO_WRITE_BYTES, IO_WRITE_CALLS);
	double rate = view_rate(v, view_number(v, IO_WRITE_BYTES)) / MB;

	/* rate during writes; of one process, if there was one */
	rate = at_once > 0 && at_once < 1 ? rate / at_once : rate;
	if (!is_type(v, "lustre") || mean < LIMIT_LARGE_BYTES ||
	    view_number(v, IO_WRITE_BYTES) < v->limits->min_mib * MIB ||
	    !reaches(at_once, LIMIT_SIGNIFICANT_PERCENT, 1) || rate >= v->limits->lustre_write_mbs)
		return false;
	calls_add(v, a, false);
	view_add(a, "rate_Bps", rate * MB);
	view_add(a, "most_Bps", v->limits->lustre_write_mbs * MB);
	return view_set(a, "write", STAKE_LUSTRE_BUFFERED);
}

bool calls_nfs_ceiling(const struct view *v, struct advice *a)
{
	double rate = 0;

	if (!is_type(v, "nfs") || !v->client_io || v->run->seconds <= 0)
		return false;
	if (v->client_io->numbers[IO_READ_CALLS] > 0)
		rate += (double)v->client_io->numbers[IO_READ_CALLS];
	if (v->client_io->numbers[IO_WRITE_CALLS] > 0)
		rate += (double)v->client_io->numbers[IO_WRITE_CALLS];
	rate /= v->run->seconds;
	if (!reaches(rate, LIMIT_FULL_PERCENT, v->limits->nfs_ops_per_s))
		return false;
	view_add(a, "per_s", rate);
	view_add(a, "most_per_s", v->limits->nfs_ops_per_s);
	return view_set(a, "", STAKE_NFS_CEILING);
}

/* llite does not count asynchronous direct I/O (Lustre 2.14 and later): at least the bytes that the
 * job read were requested from the client. */
bool calls_overfetch(const struct view *v, struct advice *a)
{
	double requested, moved, read = view_number(v, IO_READ_BYTES);

	if (!v->client_io || v->io->numbers[IO_READ_BYTES] < 0 ||
	    v->client_io->numbers[IO_ASKED_READ_BYTES] < LIMIT_ASKED_BYTES)
		return false;
	requested = (double)v->client_io->numbers[IO_ASKED_READ_BYTES];
	requested = requested < read ? read : requested;
	/* the client does not count page faults as reads */
	requested += view_number(v, IO_MMAP_READ_BYTES);
	moved = (double)v->client_io->numbers[IO_READ_BYTES];
	if (moved < v->limits->min_mib * MIB ||
	    !reaches(moved, 100 + LIMIT_HEADROOM_PERCENT, requested))
		return false;
	view_add(a, "fetched_bytes", moved);
	view_add(a, "asked_bytes", requested);
	return view_set(a, "read", (moved - requested) / moved);
}
