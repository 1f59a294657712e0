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
 *         card: the network interface that the kernel's routes have for the
 *           server's address.
 * Owner   facts belong to the client.
 * Errors  as in client.h.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_NFS_NFS_H
#define JOBIO_CLIENT_NFS_NFS_H

#include "client/mounts.h"
#include "client/place.h"
#include "client/nfs/stats.h"
#include "client/rule.h"
#include "client/type.h"
#include "lib/journal.h"

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
	bool is_rdma, is_tcp, is_hung, has_stats, has_card;
	struct nfs_card card;
	int64_t waiting; /* requests without an answer, when it is hung */
	struct nfs_stats stats;
};

/* What is known of a server. It is asked once whether it answers: what follows
 * takes no longer for it. A change of settings does not move its card. */
struct nfs_server {
	char address[NFS_ADDRESS_MAX];
	bool is_asked, is_hung;
	bool is_looked_for, has_card;
	struct nfs_card card;
};

struct nfs_facts {
	char *mountinfo, *text; /* text: mountstats; NULL: not read */
	char why[ERR_MAX];	/* when it is */
	char version[32];
	struct nfs_mount *mounts; /* as client->common.mounts */
	size_t count;
	struct nfs_server *servers; /* of the mounts' addresses */
	size_t server_count;
	char now[1024]; /* of the setting that was asked for last */
};

/* false: unknown */
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
/* From here on this server counts as hung, or as one that answers. */
void nfs_remember(struct client *client, const char *address, bool is_hung);
/* NULL: not one of ours. */
struct nfs_mount *nfs_mount_at(const struct client *client, const char *target);

/* Do both have the same transports? Not where the address is unknown. */
bool nfs_shares_transports(const struct nfs_mount *a,
			   const struct nfs_mount *b);

struct wire;

/* The superblock's row, once: the same for all mounts that share it. With the
 * backlog of its transports, unless another row has it. */
int nfs_add_row(struct wire *wire, const struct nfs_mount *mount,
		bool has_backlog, struct err *err);
/* As type.h says. */
int nfs_own(const struct client *client, const char *text, struct wire *wire,
	    struct err *err);

/* ---- a new mount on top of the old one (over.c) ---------------------------- */

extern const struct change_kind nfs_over;
/* Does the profile ask for what the site has not allowed? It is refused as a
 * whole. */
bool nfs_over_is_refused(const struct client *client,
			 const struct client_want *want);

/* For mount(8): 'shown' of the mount table, with 'wanted' in place of what it
 * replaces. */
char *nfs_over_list(const char *shown, const char *wanted);
/* "id=36,rsize=262144,!nocto": what the mount has of what is wanted. */
char *nfs_over_old(const struct client *client, const char *target,
		   unsigned long id, const char *wanted);
/* Does all stand that is wanted? */
bool nfs_over_stand(const struct client *client, const char *target,
		    const char *wanted);
/* 0: so it does, and everything of 'before' that it does not replace. */
int nfs_over_verify(const struct client *client, const char *target,
		    const char *before, const char *wanted, struct err *err);
/* Why the change is not there: it did not get its options, and is taken back if it
 * 'is_made', or could not be made. By what is seen there now. */
void nfs_over_tell(const struct client *client,
		   const struct journal_change *change, bool is_made,
		   const char *why, struct findings *findings);

/* ---- read-ahead, by superblock (bdi.c) ------------------------------------- */

#define NFS_BDI_PATH_MAX 1024
void nfs_bdi_path(const struct client *client, const char *device,
		  char path[NFS_BDI_PATH_MAX]);
/* -1 and errno: the kernel did not take it. */
int nfs_bdi_write(const char *path, const char *kb);
/* A superblock begins with the kernel's own read-ahead: give it another one's, as
 * far as that can be done. */
void nfs_bdi_keep(const struct client *client, const char *from,
		  const char *to);

/* ---- the type -------------------------------------------------------------- */

extern const struct rule nfs_rules[];
extern const struct change_kind *const nfs_changes[];
extern const struct client_type_ops nfs_type;

#endif
