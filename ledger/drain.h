/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drain.h - make Slurm's reason for a drained node say what was wrong
 *
 * Terms   A prolog that fails drains its node, by slurmctld, as SlurmUser, with
 *           one of two texts, the same from 22.05 to 26.05:
 *             "Prolog error"                node_mgr.c:validate_node_specs, on
 *               the registration that slurmd sends with ESLURMD_PROLOG_FAILED
 *             "batch job complete failure"  proc_req.c:
 *               _slurm_rpc_complete_batch_script, when that comes first
 *           No other text is ever replaced, whoever wrote it: drain_nodes()
 *           itself leaves a reason that is there already alone.
 *         wish: a node's own reason (lib/reason.h), made when its prolog failed.
 *         A wish only changes the text. It drains no node and resumes none.
 * Owner   struct drain_wish borrows its texts.
 * Errors  -1: slurmctld could not be asked, no wish has a verdict; try later.
 *           A wish that slurmctld refuses says so in 'why' (DRAIN_REFUSED).
 * Runs    in the writer process only, as SlurmUser, with a deadline: the RPCs
 *           are made in a child. One look at all nodes for all wishes, then one
 *           update for each node whose reason changes. Between the two an
 *           administrator may write a reason that is lost: Slurm has no update
 *           with a condition.
 */
#ifndef JOBIO_LEDGER_DRAIN_H
#define JOBIO_LEDGER_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define DRAIN_WISHES_MAX 64
/* Clocks of node and slurmctld differ less than this, or MUNGE would not let
 * them talk; and Slurm drains within this time after the prolog. */
#define DRAIN_NEAR_S 300

enum drain_verdict {
	DRAIN_SET,    /* the reason is ours to set (drain_settle: it was set) */
	DRAIN_DONE,   /* it is there */
	DRAIN_WAIT,   /* the node is not drained, or not yet */
	DRAIN_LEAVE,  /* somebody else's reason; no such node */
	DRAIN_REFUSED /* slurmctld does not let us; why tells */
};

struct drain_wish {
	const char *cluster, *node, *reason;
	int64_t time; /* when the prolog failed, by the node's clock */
	/* what comes back */
	enum drain_verdict verdict;
	struct err why; /* LEAVE, REFUSED: a sentence */
};

/* A node as slurmctld has it. */
struct drain_node {
	bool is_drained;    /* or draining */
	const char *reason; /* NULL or "": none */
	int64_t reason_time;
	uint32_t reason_uid;
};

/* What to do about a wish; 'node' NULL: slurmctld has no such node. Sets
 * verdict and why. */
void drain_judge(struct drain_wish *wish, const struct drain_node *node,
		 uint32_t slurm_uid);

/* What the writer uses; the tests have one of their own. */
struct drain_ops {
	int (*settle)(void *arg, struct drain_wish *wishes, size_t count,
		      struct err *err);
	void *arg;
};

int drain_settle(void *arg, struct drain_wish *wishes, size_t count,
		 struct err *err);

#endif
