/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked.h - what the job asks for, and what this node's jobio.conf lets it have
 *
 * Terms   A request was judged where the job was submitted. One that is wrong in
 *           itself was forged, and is left out.
 *         mismatch: it is right, but jobio.conf of this node does not allow it:
 *           it is another file than the submit host's, or was changed while the
 *           job waited. That is no fault of the job's: it runs without what is
 *           not allowed here.
 * Errors  none: finding W58.
 * Runs    prolog, before the lock.
 */
#ifndef JOBIO_NODE_ASKED_H
#define JOBIO_NODE_ASKED_H

#include "node/visit.h"

/* Into visit->asked, and what is followed of it into visit->request. */
void asked_read(struct visit *visit);

#endif
