/* SPDX-License-Identifier: GPL-2.0-or-later */
/* look.h - one look at a job that runs: how the answers of its nodes travel
 *
 * Terms   viewer: jobio report --live. It starts one step on all nodes of the
 *           job (srun --overlap) with LOOK_ENV, the job's number. No program of
 *           the user's runs in such a step: the plugin lets slurmstepd start
 *           jobio-live, as root, and the task hands bytes to and fro.
 *         to ask: a newline on srun's standard input, which all nodes get. Where
 *           nobody asks nothing is read, and where nobody looks nothing runs.
 *         answer: a record of the node as far as it is known (record.h), or a
 *           sentence why there is none. It is cut to lines, because srun mixes
 *           those of several nodes, and slurmstepd cuts what is longer than
 *           1,024 bytes (slurmstepd/io.c: MAX_MSG_LEN):
 *             @jobio/1 KIND NODES ASK PART PARTS NODE TEXT
 *           KIND is 'r' or 'e' (a sentence); NODES those of the step; ASK the
 *           number of the question, 0: this node will answer none; PART from 1
 *           to PARTS; TEXT what is left of the line.
 *         Why srun: slurmctld and slurmstepd say whose job it is, on the way that
 *           the site has open anyway; a look costs slurmctld the start and the
 *           end of one step, however long it takes. An agent on each node, asked
 *           by the ledger, would be one more service as root, with a port, for
 *           what is asked for once a day.
 *         Why one step for all questions: Slurm 24.11, three nodes, a busy host:
 *           the first answer took 1.3 to 5 s, nearly all of it srun's, a further
 *           one 33 ms. A step for each question took 2.2 s, and five RPC.
 * Owner   looks_free(), NULL allowed; texts hang on the nodes.
 * Errors  looks_take(): 1 taken, 0 no line of an answer, or one that cannot be:
 *           what a user's node prints is not trusted. -1: out of memory.
 * Runs    jobio-live (root), the plugin, jobio report; libc only.
 */
#ifndef JOBIO_LOOK_H
#define JOBIO_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define LOOK_ENV "JOBIO_LIVE"
#define LOOK_MARK "@jobio/1"
#define LOOK_PART_BYTES 600U
#define LOOK_TEXT_MAX (256U * 1024) /* RECORD_TEXT_MAX */
#define LOOK_NODE_MAX 256
#define LOOK_NODES_MAX 65536

enum look_kind {
	LOOK_RECORD = 'r',
	LOOK_ERROR = 'e'
};

struct look_from {
	const char *node;
	unsigned int nodes; /* of the step */
	unsigned int ask;
};

/* Those of 'out' stay in it. */
void look_put(FILE *out, const struct look_from *from, enum look_kind kind, const char *text);

struct look_node {
	char name[LOOK_NODE_MAX];
	enum look_kind kind;
	unsigned int ask; /* that 'text' answers; 0 with is_mute */
	bool is_mute;	  /* it will answer nothing */
	char *text;	  /* the last whole answer; NULL: none yet */
	/* what is on its way */
	char *part;
	size_t part_bytes;
	unsigned int parts, of_ask;
};

struct looks {
	struct look_node **node; /* in the order of their names */
	size_t count, room;
	unsigned int nodes; /* of the step; 0 unknown */
};

int looks_take(struct looks *looks, const char *line);
void looks_free(struct looks *looks);

#endif
