/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stats.h - parse the statistics of one mount in mountstats
 *
 * fs/nfs/super.c:nfs_show_stats(), net/sunrpc/stats.c:rpc_clnt_show_stats(), xprtsock.c
 * and xprtrdma/transport.c: *_print_stats(), Linux 3.10 to 6.12.
 *
 * Terms   All counters are since the superblock was made, 'age_s' ago. Times of
 *           operations are sums; a kernel may let one underflow (near 2^64), which makes
 *           that sum unknown and no other.
 *         queue: until a request is sent; rtt: from there to its reply; total: from
 *           begin to end, without operations that no process waits for (DELEGRETURN,
 *           COMMIT and the like).
 *         copies: COPY and CLONE that succeeded (RFC 7862, 15.2 and 15.13). Their bytes
 *           are not sent over the network, and not counted.
 *         transport: a connection to the server. It belongs to the server's address: all
 *           mounts of one show the same.
 *         With pNFS of blocks (RFC 5663, RFC 8154) data is written to the disks directly:
 *           the bytes include it, but the counts of READ and WRITE are of those to the
 *           server only, and so are unknown.
 * Owner   plain values.
 * Errors  NFS_UNKNOWN if a line is missing, truncated or not understood; after such a
 *           line of a transport there are no transports.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_NFS_STATS_H
#define JOBIO_CLIENT_NFS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NFS_UNKNOWN INT64_C(-1)
#define NFS_ADDRESS_MAX 64
/* nconnect=16 with as many addresses of the server (max_connect), and more connections of vendors'
 * clients */
#define NFS_TRANSPORTS_MAX 64

/* One kind of operation, or a sum of several. */
struct nfs_ops {
	int64_t count, sent, queue_ms, rtt_ms, total_ms;
};

struct nfs_transport {
	int64_t sent, answered, backlog; /* backlog: sum of the queue's length at each request */
};

struct nfs_stats {
	int64_t age_s;
	int64_t requested_read, requested_write; /* bytes; direct I/O included */
	int64_t read_bytes, write_bytes;	 /* from and to the server */
	struct nfs_ops reads, writes, others;
	int64_t copies; /* of the others: COPY and CLONE */
	int64_t names;	/* of the others: GETATTR, LOOKUP and ACCESS */
	int64_t locks;	/* of the others: LOCK, LOCKT and LOCKU; version 3 has another protocol */
	struct nfs_transport transport[NFS_TRANSPORTS_MAX];
	size_t transports;
};

/* Find the statistics of a mount. Return 0 if it is there. Of several on one mount point the last
 * counts. */
int nfs_stats_find(const char *text, const char *target, struct nfs_stats *stats);

/* Return the number of requests of all transports that were sent and not answered, and of those
 * answered. */
int64_t nfs_stats_waiting(const struct nfs_stats *stats);
int64_t nfs_stats_answered(const struct nfs_stats *stats);

#endif
