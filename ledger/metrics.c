/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "record/alloc.h"

#define PREFIX "jobio_ledger_"

/* ---- memory -------------------------------------------------------------- */

static struct metrics *map(int fd, int flags)
{
	void *memory = mmap(NULL, sizeof(struct metrics), PROT_READ | PROT_WRITE, flags, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

struct metrics *metrics_new(int *fd, struct err *err)
{
	struct metrics *metrics = NULL;

	*fd = memfd_create("jobio-metrics", MFD_CLOEXEC);
	if (*fd >= 0 && ftruncate(*fd, sizeof(struct metrics)) == 0)
		metrics = map(*fd, MAP_SHARED);
	if (metrics)
		return metrics;
	err_set(err, "metrics: %s", strerror(errno));
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return NULL;
}

struct metrics *metrics_attach(int fd, struct err *err)
{
	struct metrics *metrics = NULL;
	struct stat st;

	if (fstat(fd, &st) == 0 && st.st_size == sizeof(struct metrics))
		metrics = map(fd, MAP_SHARED);
	if (!metrics)
		metrics = map(-1, MAP_PRIVATE | MAP_ANONYMOUS);
	if (!metrics)
		err_set(err, "metrics: %s", strerror(errno));
	return metrics;
}

void metrics_free(struct metrics *metrics)
{
	if (metrics)
		munmap(metrics, sizeof(*metrics));
}

/* ---- text ---------------------------------------------------------------- */

static void head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out,
		"# HELP " PREFIX "%s %s\n"
		"# TYPE " PREFIX "%s %s\n",
		name, help, name, type);
}

static void counter(FILE *out, const char *name, uint64_t value, const char *help)
{
	head(out, name, "counter", help);
	fprintf(out, PREFIX "%s %" PRIu64 "\n", name, value);
}

static void gauge(FILE *out, const char *name, int64_t value, const char *help)
{
	head(out, name, "gauge", help);
	fprintf(out, PREFIX "%s %" PRId64 "\n", name, value);
}

static void labelled(FILE *out, const char *name, const char *label, const char *value,
		     uint64_t number)
{
	fprintf(out, PREFIX "%s{%s=\"%s\"} %" PRIu64 "\n", name, label, value, number);
}

static int64_t file_bytes(const char *path, const char *suffix)
{
	char name[512];
	struct stat st;

	snprintf(name, sizeof(name), "%s%s", path, suffix);
	return stat(name, &st) == 0 ? st.st_size : 0;
}

static void print_records(FILE *out, const struct metrics *m)
{
	counter(out, "records_received_total", m->received,
		"Records that were new, or better than what the ledger had.");
	counter(out, "records_duplicate_total", m->duplicates,
		"Records that were stored before, or worse than the stored one.");
	head(out, "gate_tasks_total", "counter",
	     "Tasks that could run on the client's CPUs, by what the gate did about it.");
	labelled(out, "gate_tasks_total", "did", "warn", m->gate_warned);
	labelled(out, "gate_tasks_total", "did", "refuse", m->gate_refused);
	head(out, "refused_total", "counter",
	     "Frames, requests and records that were refused, by cause.");
#define PRINT(id, name)                                                                            \
	labelled(out, "refused_total", "cause", name, m->refused[METRICS_REFUSED_##id]);
	METRICS_REFUSALS(PRINT)
#undef PRINT
}

static void print_peers(FILE *out, const struct metrics *m)
{
	gauge(out, "peers", (int64_t)m->peers, "Connections that are open.");
	head(out, "peers_closed_total", "counter", "Connections that the ledger closed, by cause.");
#define PRINT(id, name)                                                                            \
	labelled(out, "peers_closed_total", "cause", name, m->closed[METRICS_CLOSED_##id]);
	METRICS_CLOSED(PRINT)
#undef PRINT
}

static void print_writer(FILE *out, const struct metrics *m)
{
	counter(out, "summaries_written_total", m->written, "Summaries that slurmdbd has.");
	counter(out, "summaries_no_row_total", m->no_row,
		"Tries for which slurmdbd had no such job yet.");
	counter(out, "summaries_failed_total", m->refused_by_slurmdbd,
		"Tries that slurmdbd refused.");
	counter(out, "slurmdbd_failures_total", m->slurmdbd_failures,
		"Rounds in which slurmdbd could not be asked.");
	gauge(out, "slurmdbd_failing", (int64_t)m->slurmdbd_failing,
	      "How often in a row slurmdbd could not be asked; 0: it works.");
	gauge(out, "slurmdbd_last_write_timestamp_seconds", m->written_s,
	      "When a summary was written last; 0: not since the start.");
	counter(out, "writer_starts_total", m->writer_starts, "How often the writer was started.");
}

static void print_store(FILE *out, const struct metrics *m, const struct store_backlog *backlog,
			const char *path, int64_t now_s)
{
	double age = backlog->oldest > 0 ? (double)now_s - backlog->oldest : 0;
	struct statvfs fs;

	head(out, "runs_waiting", "gauge",
	     "Runs of jobs without an up-to-date summary in slurmdbd, and what they wait for.");
	labelled(out, "runs_waiting", "for", "nodes", (uint64_t)backlog->for_nodes);
	labelled(out, "runs_waiting", "for", "writer", (uint64_t)backlog->for_writer);
	labelled(out, "runs_waiting", "for", "retry", (uint64_t)backlog->for_retry);
	gauge(out, "waiting_oldest_seconds", age > 0 ? (int64_t)age : 0,
	      "How long ago the run ended that waits longest; 0: none waits.");
	gauge(out, "store_bytes",
	      *path == '/' ? file_bytes(path, "") + file_bytes(path, "-wal") : -1,
	      "Size of the store and its log; -1: unknown.");
	gauge(out, "store_free_bytes",
	      statvfs(path, &fs) == 0 ? (int64_t)fs.f_bavail * (int64_t)fs.f_frsize : -1,
	      "Room that is left on the store's filesystem; -1: unknown.");
	counter(out, "store_failures_total", m->store_failures,
		"Commits that failed; their records stay with the nodes.");
}

char *metrics_text(const struct metrics *metrics, struct store *store, const char *store_path,
		   int64_t now_s, struct err *err)
{
	struct store_backlog backlog;
	size_t size = 0;
	char *text = NULL;
	FILE *out;

	if (store_backlog(store, now_s, &backlog, err) < 0)
		return NULL;
	out = xneed(open_memstream(&text, &size));
	head(out, "info", "gauge", "The version that runs.");
	labelled(out, "info", "version", JOBIO_PACKAGE_VERSION, 1);
	gauge(out, "start_timestamp_seconds", metrics->started_s, "When the ledger was started.");
	print_records(out, metrics);
	print_peers(out, metrics);
	print_writer(out, metrics);
	print_store(out, metrics, &backlog, store_path, now_s);
	fclose(out);
	return xneed(text);
}
