/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/timed.h"

#include "advice/calls.h"
#include "advice/limits.h"
#include "advice/timing.h"

struct judging {
	const struct view *v;
	struct view_times rest;	 /* not yet explained by an advice */
	double threshold, floor; /* least share and operations to report */
	double metadata;	 /* seconds to explain by metadata_causes */
	enum advice_confidence confidence;
	struct advice *list;
	size_t count;
	double *cached;
};

static double n(const struct judging *j, enum io_number number)
{
	return view_number(j->v, number);
}

static struct advice *add_advice(struct judging *j, const char *code, const char *kind,
				 const char *class, double seconds)
{
	struct advice *a = &j->list[j->count++];

	*a = (struct advice){
		.code = code, .kind = kind, .confidence = j->confidence, .by = j->rest.by
	};
	if ((*class == 'r' && n(j, IO_READ_US) > 0) || (*class == 'w' && n(j, IO_WRITE_US) > 0))
		a->confidence = ADVICE_SURE; /* latency was counted at least */
	view_set(a, class, seconds * j->rest.scale);
	if (j->rest.by != VIEW_BY_KERNEL)
		return a;
	view_add(a, "time_s", seconds);
	view_add(a, "mean_share", seconds / j->rest.lifetime);
	if (view_slowest(j->v) > 0)
		view_add(a, "slowest_share", view_slowest(j->v));
	return a;
}

static bool is_significant(const struct judging *j, double seconds)
{
	return j->count < TIMED_MAX && seconds * j->rest.scale >= j->threshold;
}

/* ---- errors ------------------------------------------------------------------ */

static double failed(const struct view *v, enum io_errno error, enum io_class *most)
{
	double all = 0, calls;
	int i;

	*most = IO_CLASS_READ;
	for (i = 0; i < IO_CLASS_COUNT; i++) {
		calls = view_failed(v, error, (enum io_class)i);
		if (calls > view_failed(v, error, *most))
			*most = (enum io_class)i;
		all += calls;
	}
	return all;
}

/* EACCES is included: only the exit status of the job shows if it matters. */
size_t timed_errors(const struct view *v, struct advice list[TIMED_MAX])
{
	enum io_class most;
	size_t count = 0;
	double calls;
	int error;

	for (error = 0; error < IO_ENOENT; error++) {
		calls = failed(v, (enum io_errno)error, &most);
		if (calls <= 0)
			continue;
		list[count] = (struct advice){ .code = "A50",
					       .kind = io_errno_names[error],
					       .error = io_errno_names[error],
					       .confidence = ADVICE_SURE };
		view_set(&list[count], io_class_names[most], 0);
		view_add(&list[count++], "calls", calls);
	}
	return count;
}

/* ---- the server ---------------------------------------------------------------- */

/* Requests of the client for locks of files, if there are more than other operations. */
static double lock_requests(const struct judging *j)
{
	double locks;

	if (!j->v->client_io || j->rest.by != VIEW_BY_KERNEL)
		return 0;
	locks = view_known(j->v->client_io->numbers[IO_LOCK_CALLS]);
	return locks >= LIMIT_SOME_OPS && locks >= view_metas(j->v) ? locks : 0;
}

/* Few calls that took long and moved little: the job cannot improve them. */
static void stalled(struct judging *j)
{
	const struct view_times *rest = &j->rest;
	double calls = view_calls(j->v) + view_metas(j->v);
	struct advice *a;

	if (rest->by != VIEW_BY_KERNEL || !is_significant(j, rest->total) ||
	    rest->total < calls * LIMIT_STALL_S ||
	    view_bytes(j->v) + view_mapped(j->v) > rest->total * LIMIT_STALL_BPS ||
	    (!reaches(rest->total - rest->meta, LIMIT_HALF_PERCENT, rest->total) &&
	     lock_requests(j) > 0))
		return;
	a = add_advice(j, "A33", "", "", rest->total);
	view_add(a, "calls", calls);
	view_add(a, "each_s", rest->total / (calls > 0 ? calls : 1));
	j->rest = (struct view_times){ .by = rest->by, .lifetime = rest->lifetime };
}

/* ---- files --------------------------------------------------------------------- */

static double claim(double *seconds)
{
	double claimed = *seconds;

	*seconds = 0;
	return claimed;
}

/* Operations that create files, as of an archive, a copy or an installation. */
static double making(const struct judging *j)
{
	return n(j, IO_OP_CREATE) + n(j, IO_OP_RENAME) + n(j, IO_OP_MKDIR) + n(j, IO_OP_CHMOD) +
	       n(j, IO_OP_CHOWN) + n(j, IO_OP_UTIMES) + n(j, IO_OP_LINK) + n(j, IO_OP_SYMLINK);
}

/* Many files are created, and this takes as long as writing their bytes. */
static void files_written(struct judging *j)
{
	struct view_times *rest = &j->rest;
	double files = n(j, IO_OP_CREATE);
	double all = rest->meta + rest->write + rest->close + rest->sync;
	bool is_temporary = calls_is_temporary(j->v);

	if (files < j->floor || !is_significant(j, all) || calls_is_database(j->v))
		return;
	if (!is_temporary &&
	    (n(j, IO_WRITE_BYTES) >= files * LIMIT_FILE_BYTES ||
	     !reaches(making(j), LIMIT_BUSY_PERCENT, view_metas(j->v) - n(j, IO_OP_LOOKUP_MISS)) ||
	     rest->meta + rest->close < rest->write))
		return;
	all = claim(&rest->meta) + claim(&rest->write) + claim(&rest->close) + claim(&rest->sync);
	/* a copy reads files as small, and as many */
	if (n(j, IO_READ_BYTES) < files * LIMIT_FILE_BYTES &&
	    n(j, IO_READ_CALLS) < files * LIMIT_READS_PER_COPY)
		all += claim(&rest->read);
	calls_add_files(j->v, add_advice(j, is_temporary ? "A16" : "A12",
					 !is_temporary && calls_is_replaced(j->v) ? "replaced" : "",
					 "meta", all));
}

/* At its start an interpreter looks for each module along its search path. */
static bool is_import(const struct judging *j, double opens)
{
	enum io_class most;
	double absent = failed(j->v, IO_ENOENT, &most);

	return n(j, IO_OP_STAT) >= LIMIT_STATS_PER_OPEN * opens ||
	       absent >= LIMIT_ABSENT_PER_OPEN * opens;
}

/* An existing file is opened for each write. */
static void files_appended(struct judging *j)
{
	struct view_times *rest = &j->rest;
	double opens = calls_opened(j->v), calls = n(j, IO_WRITE_CALLS);
	double all = rest->meta + rest->write + rest->close;
	struct advice *a;

	if (opens < j->floor || !is_significant(j, all) || calls > LIMIT_WRITES_PER_OPEN * opens ||
	    !reaches(calls, LIMIT_HALF_PERCENT, opens) ||
	    n(j, IO_READ_CALLS) * 100 > calls * LIMIT_HALF_PERCENT ||
	    n(j, IO_OP_CREATE) * 100 > opens * LIMIT_FEW_PERCENT)
		return;
	rest->meta = rest->write = rest->close = 0;
	a = add_advice(j, "A11", "append", "meta", all);
	view_add(a, "opens", opens);
	view_add(a, "calls", calls);
}

static void files_read(struct judging *j)
{
	struct view_times *rest = &j->rest;
	double opens = calls_opened(j->v);
	double all = rest->meta + rest->read + rest->close;
	struct advice *a;

	if (opens < j->floor || !is_significant(j, all) ||
	    !reaches(n(j, IO_READ_CALLS), LIMIT_HALF_PERCENT, opens) ||
	    n(j, IO_READ_BYTES) >= opens * LIMIT_FILE_BYTES ||
	    !reaches(rest->meta + rest->close, LIMIT_METADATA_PERCENT, rest->read))
		return;
	all = claim(&rest->meta) + claim(&rest->read) + claim(&rest->close);
	if (is_import(j, opens))
		a = add_advice(j, "A10", "imports", "meta", all);
	else if (calls_is_opened_again(j->v))
		a = add_advice(j, "A11", "read", "meta", all);
	else
		a = add_advice(j, "A13", "", "meta", all);
	calls_add_files_read(j->v, a);
	view_add(a, "stats", n(j, IO_OP_STAT));
}

/* The same absent name is looked up repeatedly until it exists. */
static bool is_polling(const struct judging *j)
{
	enum io_class most;
	double absent = failed(j->v, IO_ENOENT, &most), few = absent * LIMIT_POLLING_PERCENT;

	return absent >= j->floor && reaches(absent, LIMIT_POLLED_PERCENT, n(j, IO_OP_STAT)) &&
	       n(j, IO_OP_OPEN) * 100 <= few && n(j, IO_OP_CREATE) * 100 <= few &&
	       n(j, IO_OP_LOOKUP_MISS) * 100 <= absent * LIMIT_NEW_NAMES_PERCENT;
}

/* ---- other metadata ------------------------------------------------------------- */

static bool is_revalidated(const struct judging *j)
{
	double again = j->metadata * calls_revalidated(j->v);

	return again > 0 && is_significant(j, again);
}

static bool is_locking(const struct judging *j)
{
	return lock_requests(j) > 0;
}

static bool is_search(const struct judging *j)
{
	double misses = calls_misses(j->v);

	return misses >= LIMIT_ABSENT_PER_OPEN * n(j, IO_OP_OPEN) &&
	       reaches(misses, LIMIT_NEW_NAMES_PERCENT, view_metas(j->v));
}

static bool is_stat(const struct judging *j)
{
	double stats = n(j, IO_OP_STAT);
	double others = view_metas(j->v) - stats - n(j, IO_OP_LOOKUP_MISS);

	return stats >= LIMIT_STATS_TIMES * others ||
	       view_rate(j->v, stats) >= j->v->limits->stats_per_s;
}

/* A listing stats each name once or twice and looks it up the first time; program starts stat the
 * same names repeatedly. The kernel counts absent names itself. */
static bool is_repeated_stat(const struct judging *j)
{
	return is_stat(j) && j->rest.by != VIEW_BY_KERNEL &&
	       !reaches(n(j, IO_OP_LOOKUP_MISS), LIMIT_NEW_NAMES_PERCENT, n(j, IO_OP_STAT));
}

/* stat() of existing files without reading folders: waiting for one to change. */
static bool is_watching(const struct judging *j)
{
	double stats = n(j, IO_OP_STAT), few = stats * LIMIT_POLLING_PERCENT;

	return is_stat(j) && j->rest.by == VIEW_BY_KERNEL && n(j, IO_OP_LOOKUP_MISS) * 100 <= few &&
	       n(j, IO_OP_OPEN) * 100 <= few &&
	       n(j, IO_OP_READDIR) * LIMIT_STATS_PER_LISTING <= stats;
}

static void add_revalidated(const struct judging *j, struct advice *a)
{
	a->confidence = ADVICE_PERHAPS;
	view_add(a, "requests", (double)j->v->client_io->numbers[IO_NAME_CALLS]);
	view_add(a, "operations", view_metas(j->v));
}

static void add_locks(const struct judging *j, struct advice *a)
{
	a->confidence = ADVICE_LIKELY;
	view_add(a, "requests", lock_requests(j));
}

static void add_misses(const struct judging *j, struct advice *a)
{
	view_add(a, "misses", calls_misses(j->v));
	view_add(a, "opens", n(j, IO_OP_OPEN));
}

static void add_stats(const struct judging *j, struct advice *a)
{
	view_add(a, "stats", n(j, IO_OP_STAT));
	view_add(a, "per_s", view_rate(j->v, n(j, IO_OP_STAT)));
}

static void add_watched(const struct judging *j, struct advice *a)
{
	a->confidence = ADVICE_LIKELY;
	add_stats(j, a);
}

static void add_operations(const struct judging *j, struct advice *a)
{
	calls_add_metadata(j->v, a);
}

/* Causes of metadata; the first that matches is reported. */
static const struct cause {
	const char *code, *kind;
	bool (*matches)(const struct judging *j); /* NULL: always */
	void (*add)(const struct judging *j, struct advice *a);
	double (*part)(const struct view *v); /* of the time; NULL: all */
} metadata_causes[] = {
	{ "A10", "again", is_revalidated, add_revalidated, calls_revalidated },
	{ "A30", "locks", is_locking, add_locks, NULL },
	{ "A09", "polling", is_polling, add_stats, NULL },
	{ "A10", "search", is_search, add_misses, NULL },
	{ "A09", "search", is_repeated_stat, add_stats, NULL },
	{ "A09", "watching", is_watching, add_watched, NULL },
	{ "A09", "files", is_stat, add_stats, NULL },
	{ "A30", "", NULL, add_operations, NULL },
};

/* All other metadata, added up. close() is included if nothing was written. */
static void metadata(struct judging *j)
{
	bool has_writes = n(j, IO_WRITE_CALLS) > 0;
	const struct cause *cause = metadata_causes;
	double seconds;

	j->metadata = j->rest.meta + (has_writes ? 0 : j->rest.close);
	/* fewer calls are no cure if few take long, and the client's time includes other calls */
	if (!is_significant(j, j->metadata) ||
	    (view_metas(j->v) < j->floor && calls_revalidated(j->v) <= 0 && !is_locking(j)))
		return;
	j->rest.meta = 0;
	if (!has_writes)
		j->rest.close = 0;
	while (cause->matches && !cause->matches(j))
		cause++;
	seconds = j->metadata * (cause->part ? cause->part(j->v) : 1);
	cause->add(j, add_advice(j, cause->code, cause->kind, "meta", seconds));
}

/* Scratch files: removed (but for a result), and read as much as written. */
static void spilled(struct judging *j)
{
	struct view_times *rest = &j->rest;
	double all = rest->read + rest->write + rest->sync + rest->close + rest->meta;
	struct advice *a;

	if (!calls_is_spill(j->v) || !is_significant(j, all))
		return;
	rest->read = rest->write = rest->sync = rest->close = rest->meta = 0;
	a = add_advice(j, "A16", "", "write", all);
	a->confidence = ADVICE_PERHAPS;
	calls_add_files(j->v, a);
}

/* ---- fsync ----------------------------------------------------------------------- */

/* Few bytes between two fsyncs; without any fsync the file is open with O_SYNC. */
static void syncs(struct judging *j)
{
	struct view_times *rest = &j->rest;
	double count = n(j, IO_OP_FSYNC), writes = n(j, IO_WRITE_CALLS);
	bool is_osync = count <= 0, is_database = calls_is_database(j->v);
	bool has_files = reaches(n(j, IO_OP_CREATE), LIMIT_HALF_PERCENT, count);
	double all = rest->sync + rest->write + rest->close;
	double waits = is_osync ? writes : count;

	if (waits < (j->floor < LIMIT_MORE_OPS ? j->floor : LIMIT_MORE_OPS) || rest->sync <= 0 ||
	    !reaches(rest->sync, LIMIT_HALF_PERCENT, rest->write) ||
	    n(j, IO_WRITE_BYTES) >= waits * LIMIT_FILE_BYTES)
		return;
	if (is_database || has_files)
		all += rest->meta;
	if (!is_significant(j, all))
		return;
	rest->sync = rest->write = rest->close = 0;
	if (is_database || has_files)
		rest->meta = 0;
	calls_add_syncs(j->v, add_advice(j, "A08",
					 is_osync		   ? "osync"
					 : is_database		   ? "database"
					 : !has_files		   ? "lines"
					 : calls_is_replaced(j->v) ? "replaced"
								   : "files",
					 "sync", all));
}

/* ---- reads ------------------------------------------------------------------------ */

/* Return "random", "sequential", or "" if unknown. */
static const char *order(const struct judging *j, bool is_read)
{
	enum io_number random = is_read ? IO_READ_RANDOM : IO_WRITE_RANDOM;
	enum io_number first = is_read ? IO_READ_FIRST : IO_WRITE_FIRST;
	enum io_number calls = is_read ? IO_READ_CALLS : IO_WRITE_CALLS;
	double ordered = n(j, calls) - n(j, first);

	if (j->v->io->numbers[random] < 0 && !is_read)
		return ""; /* O_DIRECT and O_SYNC look the same */
	if (j->v->io->numbers[random] < 0)
		return calls_order(j->v, IO_READ_BYTES, calls);
	if (reaches(n(j, random), LIMIT_HALF_PERCENT, ordered) && n(j, random) > 0)
		return "random";
	/* the first call of a file has no order, asynchronous requests have no offset */
	return !reaches(ordered, LIMIT_FEW_PERCENT, n(j, calls)) || n(j, IO_ASYNC_US) > 0
		       ? ""
		       : "sequential";
}

/* By the client's counters; else by rates that no server reaches. */
static bool is_cached(const struct judging *j, double seconds, bool is_small)
{
	const struct io *client_io = j->v->client_io;
	unsigned int few = is_small ? LIMIT_UNCACHED_PERCENT : LIMIT_UNCACHED_LARGE_PERCENT;
	double bytes = n(j, IO_READ_BYTES), calls = n(j, IO_READ_CALLS);

	if (j->rest.by != VIEW_BY_KERNEL)
		return calls_is_cached(j->v, IO_READ_CALLS);
	if (client_io && client_io->numbers[IO_READ_BYTES] >= 0)
		return !reaches((double)client_io->numbers[IO_READ_BYTES], few, bytes);
	return bytes > seconds * LIMIT_CACHE_BPS || seconds * US_PER_S < calls * LIMIT_CACHE_US;
}

/* Return true if processes waited for these calls. A client reads ahead and writes behind: without
 * times of the kernel, small calls count if there are many, large ones if their latency was
 * counted. */
static bool is_waited_for(const struct judging *j, bool is_small, bool is_read)
{
	if (j->rest.by == VIEW_BY_KERNEL || n(j, is_read ? IO_READ_US : IO_WRITE_US) > 0)
		return true;
	return is_small && n(j, is_read ? IO_READ_CALLS : IO_WRITE_CALLS) >= LIMIT_MANY_OPS &&
	       (is_read || !calls_is_cached(j->v, IO_WRITE_CALLS));
}

static void large_reads(struct judging *j, double seconds)
{
	struct advice *a = add_advice(j, "A32", "", "read", seconds);

	calls_add(j->v, a, true);
	view_add(a, "enough", j->v->limits->io_processes);
}

static void reads(struct judging *j)
{
	double mean = view_mean(j->v, IO_READ_BYTES, IO_READ_CALLS);
	const char *where = order(j, true);
	bool is_random = *where == 'r';
	double limit = is_random && j->v->io->numbers[IO_READ_RANDOM] >= 0
			       ? LIMIT_RANDOM_BYTES
			       : j->v->limits->small_read_kb * KB;
	double seconds = j->rest.read;

	if (!is_significant(j, seconds) || !is_waited_for(j, mean < limit, true))
		return;
	j->rest.read = 0;
	if (is_cached(j, seconds, mean < limit) && (is_random || mean >= LIMIT_TINY_BYTES))
		*j->cached += seconds * j->rest.scale;
	else if (mean < limit)
		calls_add(j->v, add_advice(j, "A01", where, "read", seconds), true);
	else
		large_reads(j, seconds);
}

/* ---- writes ----------------------------------------------------------------------- */

/* Several processes write parts of one file: fewer files than threads were created. */
static bool is_one_file(const struct judging *j)
{
	return n(j, IO_THREADS) >= LIMIT_SHARED_THREADS &&
	       n(j, IO_OP_OPEN) >= LIMIT_SHARED_THREADS &&
	       n(j, IO_OP_CREATE) * 100 <= n(j, IO_THREADS) * LIMIT_HALF_PERCENT;
}

/* Add the number of bursts and the wait in each, by seconds of I/O time or by bytes. */
static void add_bursts(const struct judging *j, struct advice *a, double seconds)
{
	double bursts = timing_bursts(j->v), threads = n(j, IO_THREADS);

	if (bursts < LIMIT_BURSTS)
		return;
	view_add(a, "bursts", bursts);
	view_add(a, "wait_s", seconds / bursts / (threads > 0 ? threads : (double)j->v->nodes));
}

static void large_writes(struct judging *j, double seconds)
{
	double tail = timing_tail_time(j->v), bursts = timing_bursts(j->v);
	bool is_by_bytes = tail < 0;
	struct advice *a;

	tail = is_by_bytes ? timing_tail(j->v) : tail;
	if (reaches(tail, LIMIT_TAIL_PERCENT, 1) &&
	    j->v->run->seconds >= j->v->limits->min_seconds) {
		a = add_advice(j, "A40", is_by_bytes ? "" : "waits", "write", seconds);
		view_add(a, "late_share", tail);
		view_add(a, "late_bytes", tail * view_bytes(j->v));
		view_add(a, "moved_bytes", n(j, IO_WRITE_BYTES));
		return;
	}
	if (!is_significant(j, seconds) || !is_waited_for(j, false, false))
		return;
	a = add_advice(j, "A41", bursts >= LIMIT_BURSTS ? "bursts" : "steady", "write", seconds);
	calls_add(j->v, a, false);
	add_bursts(j, a, seconds);
}

static void writes(struct judging *j)
{
	double mean = view_mean(j->v, IO_WRITE_BYTES, IO_WRITE_CALLS);
	double seconds = j->rest.write + j->rest.sync + j->rest.close;
	const char *where = order(j, false);
	bool is_shared = *where == 'r' && is_one_file(j);
	bool is_small = mean < j->v->limits->small_write_kb * KB;

	if (n(j, IO_WRITE_CALLS) <= 0 || (is_small && !is_waited_for(j, true, false)) ||
	    !(is_significant(j, seconds) || (!is_small && view_is_busy(j->v))))
		return;
	j->rest.write = j->rest.sync = j->rest.close = 0;
	if (!is_small)
		large_writes(j, seconds);
	else
		calls_add(j->v,
			  add_advice(j, "A02", is_shared ? "shared" : where, "write", seconds),
			  false);
	if (is_shared && is_small)
		j->list[j->count - 1].confidence = ADVICE_LIKELY;
}

/* ---- mapped files, and asynchronous I/O ---------------------------------------------- */

static void mapped(struct judging *j)
{
	double seconds = j->rest.mapped;
	struct advice *a;

	if (!is_significant(j, seconds) || (j->rest.by != VIEW_BY_KERNEL && !calls_is_mapped(j->v)))
		return;
	a = add_advice(j, "A15", "", "mapped", seconds);
	view_add(a, "mapped_bytes", view_mapped(j->v));
	view_add(a, "moved_bytes", view_bytes(j->v));
}

static void asynchronous(struct judging *j)
{
	double seconds = j->rest.async;
	bool is_read = n(j, IO_READ_BYTES) >= n(j, IO_WRITE_BYTES);
	double mean = view_calls(j->v) > 0 ? view_bytes(j->v) / view_calls(j->v) : 0;

	if (is_significant(j, seconds))
		calls_add(j->v,
			  add_advice(j, "A31", mean < LIMIT_RANDOM_BYTES ? "small" : "large",
				     "async", seconds),
			  is_read);
}

double timed_threshold(const struct view_times *times)
{
	return (times->by == VIEW_BY_KERNEL ? LIMIT_SIGNIFICANT_PERCENT : LIMIT_BUSY_PERCENT) /
	       100.0;
}

/* In the order in which they explain the time of a class of calls. */
static void (*const causes[])(struct judging *j) = {
	stalled,	/* A33: all classes */
	syncs,		/* A08: sync, write, close; and metadata of new files */
	files_written,	/* A12, A16: metadata, write, close, sync; and reads of a copy */
	spilled,	/* A16: all of files */
	files_appended, /* A11: metadata, write, close */
	files_read,	/* A10, A11, A13: metadata, read, close */
	metadata,	/* A09, A10, A30: metadata, close */
	reads,		/* A01, A32, or cached: read */
	writes,		/* A02, A40, A41: write, sync, close */
	mapped,		/* A15 */
	asynchronous,	/* A31 */
};

size_t timed_judge(const struct view *v, struct advice list[TIMED_MAX], double *cached)
{
	struct judging j = { .v = v, .list = list, .cached = cached };
	size_t i;

	*cached = 0;
	view_times(v, &j.rest);
	j.threshold = timed_threshold(&j.rest);
	j.floor = j.rest.by == VIEW_BY_KERNEL	? LIMIT_SOME_OPS
		  : j.rest.by == VIEW_BY_CLIENT ? LIMIT_MORE_OPS
						: LIMIT_MANY_OPS;
	j.confidence = j.rest.by == VIEW_BY_KERNEL ? ADVICE_SURE : ADVICE_LIKELY;
	for (i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		causes[i](&j);
	return j.count;
}
