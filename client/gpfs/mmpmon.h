/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mmpmon.h - bytes and operations of the node's Storage Scale client, by mmpmon
 *
 * mmpmon's fs_io_s is documented (IBM Storage Scale, "Monitoring I/O performance with the
 * mmpmon command"). The socket, which is not documented, is used if it exists; else the
 * program is run: once, and only one of jobio's at a time.
 *
 * Terms   source: one filesystem of one cluster, since this mmfsd mounted it. Its id has
 *           the process, too: another mmfsd counts from 0. Its filesystem is the first
 *           of its mounts; if none can be attributed, cluster and name,
 *           "archive.example.org:scratch".
 *         bytes and operations are those that programs of the node requested, including
 *           those from the page pool. Operations have 32 bits.
 * Owner   as in client/client_counters.h.
 * Errors  a query never fails: errors are in the reply (client/query.h). A counter that
 *           cannot be read is unknown; a reply that is not understood as a whole is
 *           ignored.
 * Runs    prolog and epilog, as root, RUN given; jobio check without. The program
 *           itself holds the lock RUN/mmpmon while it runs, even if it cannot be killed.
 */
#ifndef JOBIO_CLIENT_GPFS_MMPMON_H
#define JOBIO_CLIENT_GPFS_MMPMON_H

#include "client/client_counters.h"
#include "client/query.h"
#include "client/type.h"

#define GPFS_MMPMON_MS_MAX 1500U
#define GPFS_MMFSD "mmfsd"

/* Run the query; *pid is that of the mmfsd that replied, 0: unknown. */
void gpfs_mmpmon_query(const struct client *client, struct query *query, long *pid);

/* Add the sources of a reply of mmfsd 'mmfsd' ("PID.TICKS"). Return 1 if done, 0 if nothing is
 * mounted, -1 if the reply is unusable. */
int gpfs_mmpmon_sources(struct client_counters *counters, const char *text, const char *mmfsd,
			struct err *err);
/* Get the word after 'key' ("_n_") in the first line of a reply that has it. */
bool gpfs_mmpmon_word(const char *text, const char *key, char *word, size_t size);

/* Return the misses of the stat cache for the filesystem with most of them, and its number of
 * lookups (gfis: _sch_, _scm_); 0: none, or not in the reply. */
int64_t gpfs_mmpmon_misses(const char *text, int64_t *lookups);

struct client_counters *gpfs_counters(const struct client *client, struct err *err);

#endif
