/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_ledger.h - does what this host knows reach the ledger?
 *
 * Terms   hello: a ping that is sealed with MUNGE, and an answer that only the
 *           ledger's user can have sealed (ledger_link.h).
 * Runs    jobio check; adds findings (L..), see doctor_view.h. Names, munged and
 *           ledger are asked in a child with a deadline.
 */
#ifndef JOBIO_REPORT_CHECK_LEDGER_H
#define JOBIO_REPORT_CHECK_LEDGER_H

#include "report/doctor_view.h"

/* Needs doctor->config. */
void check_ledger(const struct doctor *doctor);

#endif
