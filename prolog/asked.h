/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked.h - what the job asks for, and what this node's jobio.conf lets it have
 *
 * Terms   A request was judged where the job was submitted. What is wrong in
 *           itself was forged, and is refused.
 *         mismatch: it is right, but jobio.conf of this node does not allow it:
 *           it is another file than the submit host's, or was changed while the
 *           job waited. That is no fault of the job's. on_mismatch says what
 *           becomes of it: it runs without what is not allowed here, is put back
 *           into the queue and held, or is refused.
 *         The judgement that came with the request explains; it is the user's
 *           environment, and nothing is allowed because of it.
 * Errors  none: findings W58 to W60, or a refusal.
 * Runs    prolog; asked_read before the lock, asked_hold under it, when there is
 *         a state.
 */
#ifndef JOBIO_PROLOG_ASKED_H
#define JOBIO_PROLOG_ASKED_H

#include "prolog/visit.h"

/* Into visit->asked, and what is followed of it into visit->request. */
void asked_read(struct visit *visit);
/* Where the site says so: ask slurmctld to hold the job, and refuse it. A job that
 * cannot be held (it is no batch job, --no-requeue) runs without. */
void asked_hold(struct visit *visit);

#endif
