/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/nfs/nfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/affinity.h"
#include "client/card.h"
#include "client/wire.h"

/* Milliseconds of the kernel as microseconds. */
static int64_t us(int64_t ms)
{
	return ms < 0 || ms > INT64_MAX / 1000 ? WIRE_UNKNOWN : ms * 1000;
}

static int64_t sum(int64_t a, int64_t b, int64_t c)
{
	if (a < 0 || b < 0 || c < 0 || a > INT64_MAX / 4 || b > INT64_MAX / 4 ||
	    c > INT64_MAX / 4)
		return WIRE_UNKNOWN;
	return a + b + c;
}

static void fill_row(struct wire_row *row, const struct nfs_stats *stats)
{
	const struct nfs_ops *r = &stats->reads, *w = &stats->writes,
			     *o = &stats->others;
	int64_t *count = row->count;
	int64_t sent = sum(r->sent, w->sent, o->sent);
	int64_t begun = sum(r->count, w->count, o->count);

	count[WIRE_READ_BYTES] = stats->read_bytes;
	count[WIRE_WRITE_BYTES] = stats->write_bytes;
	count[WIRE_READS] = r->count;
	count[WIRE_WRITES] = w->count;
	count[WIRE_READ_US] = us(r->total_ms);
	count[WIRE_WRITE_US] = us(w->total_ms);
	count[WIRE_META] = o->count;
	count[WIRE_META_US] = us(o->total_ms);
	count[WIRE_ASKED_READ_BYTES] = stats->asked_read;
	count[WIRE_ASKED_WRITE_BYTES] = stats->asked_write;
	if (sent >= begun && begun >= 0)
		count[WIRE_RESENT] = sent - begun;
	count[WIRE_QUEUE_US] = us(sum(r->queue_ms, w->queue_ms, o->queue_ms));
}

/* The superblock's row, once: the same for all mounts that share it. */
static int add_row(struct wire *wire, const struct nfs_mount *mount,
		   struct err *err)
{
	struct wire_row *row;

	if (!*mount->device || !mount->has_stats)
		return 0; /* mounted or gone between the files */
	row = wire_row(wire, mount->device);
	if (!row)
		return err_set(err, "more than %d superblocks", WIRE_ROWS_MAX);
	if (*row->fs)
		return 0;
	if (strlen(mount->mount->target) < sizeof(row->fs))
		strcpy(row->fs, mount->mount->target);
	if (mount->stats.age_s != NFS_UNKNOWN)
		row->born_s = wire->at_s > mount->stats.age_s
				      ? wire->at_s - mount->stats.age_s
				      : 0;
	fill_row(row, &mount->stats);
	return 0;
}

/* NULL and errno ENOENT: no such mount is there, or no mountstats (NF03). */
static struct wire *read_wire(const struct client *of, struct err *err)
{
	struct client client = { .type = of->type, .section = of->section };
	struct nfs_facts facts = { .count = 0 };
	struct wire *wire = wire_new(err);
	int rc = -1;
	size_t i;

	client.facts = &facts;
	if (!wire || nfs_read(&client, err) < 0)
		goto out;
	rc = 0;
	if (facts.count)
		nfs_read_counters(&client);
	for (i = 0; facts.text && i < facts.count && rc == 0; i++)
		rc = add_row(wire, &facts.mounts[i], err);
out:
	nfs_clear(&facts);
	mounts_free(client.mounts);
	if (rc == 0 && wire->count)
		return wire;
	errno = rc == 0 ? ENOENT : EIO;
	wire_free(wire);
	return NULL;
}

/* fs/nfs/inode.c:nfsiod_start(), net/sunrpc/sched.c:rpciod_start(), mm/
 * backing-dev.c:default_bdi_init(); those that the kernel shows. Callbacks of a
 * server have threads of their own (fs/nfs/callback.c). */
static const struct affinity affinity = {
	.workqueues = "nfsiod rpciod xprtiod writeback",
	.threads = "nfsv4.*-svc",
	.process = "",
	.failed = "NF44",
	.not_back = "NF45",
	.left = "NF47",
	.not_ours = "NF48",
};

static void cards(const struct client *client, struct client_cards *cards)
{
	const struct nfs_facts *facts = nfs_of(client);
	const struct nfs_mount *mount = facts->mounts;

	for (; mount < facts->mounts + facts->count; mount++)
		if (mount->has_card)
			card_add(cards, mount->card.name, mount->card.numa_node,
				 mount->mount->target);
}

/* It has no place of its own: the kernel's threads are told where to work while
 * a job has io-cores. */
static char *cores_command(const struct client_place *place)
{
	char *text = NULL;

	if (asprintf(&text,
		     "core_change=affinity%s%s in its section of jobio.conf",
		     *place->card ? " and interrupts_of=" : "",
		     place->card) < 0)
		text = NULL;
	return text;
}

const struct client_type_ops nfs_type = {
	.name = "nfs",
	.fstypes = "nfs nfs4",
	.facts_size = sizeof(struct nfs_facts),
	.clear = nfs_clear,
	.inspect = nfs_inspect,
	.look = nfs_look,
	.rules = nfs_rules,
	.changes = nfs_changes,
	.wire = read_wire,
	.wire_source = "mountstats",
	.affinity = &affinity,
	.cards = cards,
	.cores_command = cores_command,
};
