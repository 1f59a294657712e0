/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nfs.h - the NFS client of the kernel, an entry of the table in client.c
 *
 * Only the mount table, /proc/self/mountinfo and mountstats are read: never statfs(2) or
 * stat(2) of a mount, which block until its server replies.
 *
 * Terms   superblock: MAJOR:MINOR of mountinfo. Mounts with the same one have the same
 *           counters in mountstats; they are counted once.
 *         server bytes: payload of READ and WRITE, without headers; the bytes that
 *           programs requested are more (page cache) or fewer (read-ahead).
 *         hung: requests wait, none was answered for a while, and the server does not
 *           reply to a NULL call either; with ask_servers=yes the last is enough.
 *         server: an address and a port: two proxies at 127.0.0.1 are two.
 *         nic: the network interface of the kernel's route to the server's address;
 *           none for the loopback interface, or if a mount uses several addresses.
 *         proxy: a process of this node that listens at the server's address and port
 *           (efs-proxy, stunnel); searched for by `jobio check` only.
 * Owner   facts belong to the client.
 * Errors  as in client.h.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_NFS_NFS_H
#define JOBIO_CLIENT_NFS_NFS_H

#include "base/mountinfo.h"
#include "client/mounts.h"
#include "client/nfs/stats.h"
#include "client/rule.h"
#include "client/type.h"

/* Network interface that leads to a server. */
struct nfs_nic {
	char name[32];
	long speed_mbits; /* -1 unknown */
	int numa_node;	  /* -1: unknown, or the node has none */
	bool has_rdma;
};

struct nfs_mount {
	const struct client_mount *mount;
	const char *device;	       /* in mountinfo; NULL: not there */
	char address[NFS_ADDRESS_MAX]; /* of the server; "": unknown */
	unsigned int port;	       /* for a NULL call over TCP */
	bool is_tcp, is_hung, has_stats, has_nic;
	struct nfs_nic nic;
	char proxy[32]; /* "efs-proxy"; "": none, or not searched for */
	unsigned long proxy_pid;
	int64_t waiting; /* requests without a reply, if it is hung */
	struct nfs_stats stats;
};

/* State of a server. It is queried once, so that later steps do not block on it. A change of
 * settings does not change its interface. */
struct nfs_server {
	char address[NFS_ADDRESS_MAX];
	unsigned int port;
	bool is_queried, is_hung, has_nic;
	struct nfs_nic nic;
};

struct nfs_facts {
	struct mountinfo *mountinfo;
	char *text;	   /* mountstats; NULL: not read */
	char why[ERR_MAX]; /* if text is NULL */
	char version[32];
	struct nfs_mount *mounts; /* same order as client->common.mounts */
	size_t count;
	struct nfs_server *servers; /* of the mounts */
	size_t server_count;
	char now[1024]; /* result of the last now() of a setting */
};

/* Return false if unknown, or the loopback interface. */
bool nfs_nic_find(const char *address, struct nfs_nic *nic);

static inline struct nfs_facts *nfs_of(const struct client *client)
{
	return client->facts;
}

/* Read mounts and mountinfo again. Known servers are kept, counters are discarded. */
int nfs_read(struct client *client, struct err *err);
/* Read the counters. Return -1, with the reason in 'why', on failure. */
int nfs_read_counters(struct client *client);
/* Read the counters, find hung servers and the interfaces, unless done since the tables were
 * read. */
void nfs_read_state(struct client *client);
void nfs_clear(void *facts);
int nfs_inspect(struct client *client, struct err *err);
/* Mark the mount's server as hung. */
void nfs_remember_hung(struct client *client, const struct nfs_mount *mount);
/* Return NULL if it is not a mount of this client. */
struct nfs_mount *nfs_mount_at(const struct client *client, const char *target);

/* Find the proxy: the process that listens at the mount's address, 127.x.x.x, and port. None if it
 * is not found in 200 ms, or the server is in the kernel. */
void nfs_proxy_find(const char *process_dir, struct nfs_mount *mount);

struct sockaddr_storage;

/* Parse "192.0.2.1" or "2001:db8::1". Return the size of the address; 0: neither. */
unsigned int nfs_parse_address(const char *text, unsigned int port, struct sockaddr_storage *to);

/* Return true if both have the same server, the same transports; false if the address is
 * unknown. */
bool nfs_is_same_server(const struct nfs_mount *a, const struct nfs_mount *b);
bool nfs_shares_transports(const struct nfs_mount *a, const struct nfs_mount *b);
/* Return true if an earlier mount with counters is the same by is_same(). */
bool nfs_is_reported(const struct nfs_facts *facts, const struct nfs_mount *mount,
		     bool (*is_same)(const struct nfs_mount *a, const struct nfs_mount *b));

struct client_counters;

/* Add the superblock's row, once for all its mounts, with the backlog of its transports unless
 * another row has it. */
int nfs_add_source(struct client_counters *counters, const struct nfs_mount *mount,
		   bool has_backlog, struct err *err);
/* ---- the type -------------------------------------------------------------- */

extern const struct rule nfs_rules[];
void nfs_judge_work(struct client *client, const struct client_work *work);
extern const struct change_kind *const nfs_changes[];
extern const struct client_type_ops nfs_type;

#endif
