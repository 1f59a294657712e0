/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Convert a superblock's counters to a row (client/client_counters.h). */
#include <string.h>

#include "client/client_counters.h"
#include "client/nfs/nfs.h"

/* Convert milliseconds to microseconds. */
static int64_t us(int64_t ms)
{
	return ms < 0 || ms > INT64_MAX / 1000 ? IO_UNKNOWN : ms * 1000;
}

static int64_t sum(int64_t a, int64_t b, int64_t c)
{
	if (a < 0 || b < 0 || c < 0 || a > INT64_MAX / 4 || b > INT64_MAX / 4 || c > INT64_MAX / 4)
		return IO_UNKNOWN;
	return a + b + c;
}

/* include/linux/sunrpc/xprt.h: bklog_u is the sum of the queue's length at each request that is
 * sent. */
static int64_t backlog(const struct nfs_stats *stats)
{
	int64_t all = stats->transports ? 0 : IO_UNKNOWN;
	size_t i;

	for (i = 0; i < stats->transports && all != IO_UNKNOWN; i++)
		all = sum(all, stats->transport[i].backlog, 0);
	return all;
}

static void fill_source(struct source_counters *source, const struct nfs_stats *stats)
{
	const struct nfs_ops *r = &stats->reads, *w = &stats->writes, *o = &stats->others;
	int64_t *count = source->numbers;
	int64_t sent = sum(r->sent, w->sent, o->sent);
	int64_t begun = sum(r->count, w->count, o->count);

	count[IO_READ_BYTES] = stats->read_bytes;
	count[IO_WRITE_BYTES] = stats->write_bytes;
	count[IO_READ_CALLS] = r->count;
	count[IO_WRITE_CALLS] = w->count;
	count[IO_READ_US] = us(r->total_ms);
	count[IO_WRITE_US] = us(w->total_ms);
	count[IO_META_CALLS] = o->count;
	count[IO_META_US] = us(o->total_ms);
	count[IO_NAME_CALLS] = stats->names;
	count[IO_LOCK_CALLS] = stats->locks;
	count[IO_ASKED_READ_BYTES] = stats->requested_read;
	count[IO_ASKED_WRITE_BYTES] = stats->requested_write;
	count[IO_COPIES] = stats->copies;
	if (sent >= begun && begun >= 0)
		count[IO_RESENT] = sent - begun;
	count[IO_QUEUE_US] = us(sum(r->queue_ms, w->queue_ms, o->queue_ms));
}

int nfs_add_source(struct client_counters *counters, const struct nfs_mount *mount,
		   bool has_backlog, struct err *err)
{
	struct source_counters *source;

	if (!mount->device || !mount->has_stats)
		return 0; /* mounted or unmounted between the reads */
	source = client_counters_source(counters, mount->device);
	if (!source)
		return err_set(err, "more than %d superblocks", CLIENT_SOURCES_MAX);
	if (*source->fs)
		return 0;
	if (strlen(mount->mount->target) < sizeof(source->fs))
		strcpy(source->fs, mount->mount->target);
	if (mount->stats.age_s != NFS_UNKNOWN)
		source->start_s = counters->at_s > mount->stats.age_s
					  ? counters->at_s - mount->stats.age_s
					  : 0;
	fill_source(source, &mount->stats);
	/* a truncated part may have lost transports as well */
	if (has_backlog && mount->stats.others.count != NFS_UNKNOWN)
		source->numbers[IO_BACKLOG] = backlog(&mount->stats);
	return 0;
}
