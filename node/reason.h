/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reason.h - why this node is not ready for jobs: RUN/reason, and the reason for Slurm
 *
 * Terms   reason: "jobio:W08 SENTENCE; cure: CURE". RUN/reason has the full text, for any
 *           on_error. If the node is drained (on_error=drain), Slurm gets it, truncated
 *           and without quotes.
 * Errors  none: those of RUN/reason are ignored, others are logged.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_REASON_H
#define JOBIO_NODE_REASON_H

#include "record/finding.h"

/* Write or remove RUN/reason. */
void job_reason_set(const struct finding *finding);
void job_reason_clear(void);

/* Build the reason for Slurm. [code]: of a finding, or "prolog", "epilog"; [cure] may be "". */
#define JOB_REASON_MAX 241
void job_reason_make(char reason[JOB_REASON_MAX], const char *code, const char *text,
		     const char *cure);
/* Drain the node with [reason], before slurmctld does with its own: one RPC, at most 2 s.
 * JOB_DRAIN_NEW: unless it is drained already, at the cost of one more RPC; the prolog does not
 * need that, because Slurm starts none on a drained node. */
#define JOB_DRAIN "drain"
#define JOB_DRAIN_NEW "drain-new"
void job_drain(const char *how, const char *node, const char *reason);

#endif
