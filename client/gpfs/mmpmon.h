/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mmpmon.h - what the node's Storage Scale client has moved, by mmpmon
 *
 * mmpmon's fs_io_s is documented (IBM Storage Scale, "Monitoring I/O performance
 * with the mmpmon command"). It is asked on its socket where that is there, which
 * nobody documents, else by the program: once, and never beside another of ours.
 *
 * Terms   row: one filesystem of one cluster, since this mmfsd mounted it. Its
 *           id names the process, too: another mmfsd counts from 0. Its filesystem
 *           is called by the first of its mounts; by cluster and name,
 *           "archive.example.org:scratch", where no mount can be told to be its.
 *         bytes and operations are what programs of the node asked for, answers
 *           from the page pool included. Operations have 32 bits.
 * Owner   as in client/wire.h.
 * Errors  none of a question: whatever goes wrong is the answer (client/ask.h).
 *         A counter that cannot be read is unknown; an answer in which anything
 *           is not understood as a whole is none.
 * Runs    prolog and epilog, as root, RUN given; jobio check without. The program
 *           itself holds the lock RUN/mmpmon while it runs, also one that
 *           nobody can kill.
 */
#ifndef JOBIO_CLIENT_GPFS_MMPMON_H
#define JOBIO_CLIENT_GPFS_MMPMON_H

#include "client/ask.h"
#include "client/type.h"
#include "client/wire.h"

#define GPFS_MMPMON_MS_MAX 1500U
#define GPFS_MMFSD "mmfsd"

/* Put the question; *pid of the mmfsd that answers, 0 unknown. */
void gpfs_mmpmon_ask(const struct client *client, struct ask *ask, long *pid);

/* Add the rows of an answer of mmfsd 'mmfsd' ("PID.TICKS"): 1 done, 0 nothing is
 * mounted, -1 it is no use. */
int gpfs_mmpmon_rows(struct wire *wire, const char *text, const char *mmfsd, struct err *err);
/* The word behind 'key' ("_n_") in the first line of an answer that has it. */
bool gpfs_mmpmon_word(const char *text, const char *key, char *word, size_t size);

/* Of the filesystem with most of them: how often the stat cache did not have what was
 * looked up, and of how many lookups (gfis: _sch_, _scm_); 0: none, or not told. */
int64_t gpfs_mmpmon_misses(const char *text, int64_t *lookups);

struct wire *gpfs_wire(const struct client *client, struct err *err);

#endif
