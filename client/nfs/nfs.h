/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs.h - the NFS client of the kernel, a row of the table in client.c
 *
 * All that is read are the mount table, /proc/self/mountinfo and mountstats:
 * never a statfs(2) nor a stat(2) of a mount, which wait for its server as long
 * as it takes.
 *
 * Terms   superblock: MAJOR:MINOR of mountinfo. Mounts that share one show the
 *           same counters in mountstats; they are counted once.
 *         server bytes: what READ and WRITE moved, without headers; what
 *           programs asked for is more (page cache) or less (read-ahead).
 *         hung: requests wait, no answer has come for a while, and the server
 *           does not answer a question of ours either; with ask_servers=yes
 *           the last is enough.
 *         server: an address and a port: two proxies at 127.0.0.1 are two.
 *         card: the network interface that the kernel's routes have for the
 *           server's address; none for the loopback interface, and where a
 *           mount uses several addresses.
 *         proxy: a process of this node that listens where a mount goes
 *           (efs-proxy, stunnel); looked for by `jobio check` alone.
 * Owner   facts belong to the client.
 * Errors  as in client.h.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_NFS_NFS_H
#define JOBIO_CLIENT_NFS_NFS_H

#include "client/mounts.h"
#include "client/nfs/stats.h"
#include "client/place.h"
#include "client/rule.h"
#include "client/type.h"

/* The card that leads to a server. */
struct nfs_card {
	char name[32];
	long speed_mbits; /* -1 unknown */
	int numa_node;	  /* -1 unknown, or there is none */
	bool has_rdma;
};

struct nfs_mount {
	const struct client_mount *mount;
	char device[PLACE_DEVICE_MAX]; /* "": not in mountinfo */
	char address[NFS_ADDRESS_MAX]; /* of the server; "": unknown */
	unsigned int port;	       /* to ask it over TCP */
	bool is_tcp, is_hung, has_stats, has_card;
	struct nfs_card card;
	char proxy[32]; /* "efs-proxy"; "": none, or not looked for */
	unsigned long proxy_pid;
	int64_t waiting; /* requests without an answer, when it is hung */
	struct nfs_stats stats;
};

/* What is known of a server. It is asked once whether it answers: what follows
 * takes no longer for it. A change of settings does not move its card. */
struct nfs_server {
	char address[NFS_ADDRESS_MAX];
	unsigned int port;
	bool is_asked, is_hung, has_card;
	struct nfs_card card;
};

struct nfs_facts {
	char *mountinfo, *text; /* text: mountstats; NULL: not read */
	char why[ERR_MAX];	/* when it is */
	char version[32];
	struct nfs_mount *mounts; /* as client->common.mounts */
	size_t count;
	struct nfs_server *servers; /* of the mounts */
	size_t server_count;
	char now[1024]; /* of the setting that was asked for last */
};

/* false: unknown, or the loopback interface */
bool nfs_card_find(const char *address, struct nfs_card *card);

static inline struct nfs_facts *nfs_of(const struct client *client)
{
	return client->facts;
}

/* Read the tables anew: mounts, mountinfo. What is known of their servers stays,
 * the counters do not. */
int nfs_read(struct client *client, struct err *err);
/* Read the counters; -1: 'why' says why not. */
int nfs_read_counters(struct client *client);
/* Read the counters, which servers are hung, and their cards, unless that was
 * done since the tables were read. */
void nfs_look(struct client *client);
void nfs_clear(void *facts);
int nfs_inspect(struct client *client, struct err *err);
/* From here on the mount's server counts as hung. */
void nfs_remember_hung(struct client *client, const struct nfs_mount *mount);
/* NULL: not one of ours. */
struct nfs_mount *nfs_mount_at(const struct client *client, const char *target);

/* The process that listens where the mount goes, at 127.x.x.x: its proxy, unless none is
 * found in 200 ms, as where it is a server in the kernel. */
void nfs_proxy_find(const char *process_dir, struct nfs_mount *mount);

struct sockaddr_storage;

/* "192.0.2.1" or "2001:db8::1"; 0: it is neither. */
unsigned int nfs_parse_address(const char *text, unsigned int port, struct sockaddr_storage *to);

/* Do both have the same server, the same transports? Not where the address is
 * unknown. */
bool nfs_is_same_server(const struct nfs_mount *a, const struct nfs_mount *b);
bool nfs_shares_transports(const struct nfs_mount *a, const struct nfs_mount *b);
/* Has a mount before it, with counters, the same by this function? */
bool nfs_is_told(const struct nfs_facts *facts, const struct nfs_mount *mount,
		 bool (*is_same)(const struct nfs_mount *a, const struct nfs_mount *b));

struct wire;

/* The superblock's row, once: the same for all mounts that share it. With the
 * backlog of its transports, unless another row has it. */
int nfs_add_row(struct wire *wire, const struct nfs_mount *mount, bool has_backlog,
		struct err *err);
/* ---- the type -------------------------------------------------------------- */

extern const struct rule nfs_rules[];
void nfs_judge_work(struct client *client, const struct client_work *work,
		    struct findings *findings);
extern const struct change_kind *const nfs_changes[];
extern const struct client_type_ops nfs_type;

#endif
