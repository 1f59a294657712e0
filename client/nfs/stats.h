/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - what one mount's part of mountstats says
 *
 * fs/nfs/super.c:nfs_show_stats(), net/sunrpc/stats.c:rpc_clnt_show_stats(),
 * xprtsock.c and xprtrdma/transport.c: *_print_stats(), Linux 3.10 to 6.12.
 *
 * Terms   All counters are since the superblock was made, 'age_s' ago. Times of
 *           operations are added up; a kernel may let one underflow (near
 *           2^64), which makes that sum unknown and no other.
 *         queue: before a request was sent; rtt: from there to its answer;
 *           total: from its begin to its end, without operations that no process
 *           waits for (DELEGRETURN, COMMIT and the like).
 *         copies: COPY and CLONE that succeeded (RFC 7862, 15.2 and 15.13): bytes
 *           that crossed no wire, how many is not told.
 *         transport: a connection to the server. It belongs to the server's
 *           address: all mounts of one show the same.
 *         With pNFS of blocks (RFC 5663, RFC 8154) data goes to the disks
 *           themselves: the bytes are those, too, but READs and WRITEs are told
 *           of what went to the server alone, and so are unknown.
 * Owner   plain values.
 * Errors  NFS_UNKNOWN where a line is missing, cut off or not understood; with
 *           such a line of a transport there are none at all.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_NFS_STATS_H
#define JOBIO_CLIENT_NFS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NFS_UNKNOWN INT64_C(-1)
#define NFS_ADDRESS_MAX 64
/* nconnect=16 with as many addresses of the server (max_connect), and what
 * vendors' clients make of it */
#define NFS_TRANSPORTS_MAX 64

/* Of one kind of operation, or several added up. */
struct nfs_ops {
	int64_t count, sent, queue_ms, rtt_ms, total_ms;
};

struct nfs_transport {
	int64_t sent, answered, backlog; /* backlog: waiters seen, added up */
};

struct nfs_stats {
	int64_t age_s;
	int64_t asked_read, asked_write; /* bytes; direct I/O included */
	int64_t read_bytes, write_bytes; /* from and to the server */
	struct nfs_ops reads, writes, others;
	int64_t copies; /* of the others: files that the server copied itself */
	int64_t names;	/* of the others: GETATTR, LOOKUP and ACCESS */
	struct nfs_transport transport[NFS_TRANSPORTS_MAX];
	size_t transports;
};

/* 0: the mount is there. Of several on one place the last counts. */
int nfs_stats_find(const char *text, const char *target, struct nfs_stats *stats);

/* Requests of all transports that are sent and not answered, and how many were
 * answered. */
int64_t nfs_stats_waiting(const struct nfs_stats *stats);
int64_t nfs_stats_answered(const struct nfs_stats *stats);

#endif
