/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_submit.h - one job of a second, and what each room did for it
 *
 * Terms   the job: srun of one task on one node with --io-cores, which says what
 *           it was given. It is the caller's, and counts as his.
 * Errors  findings (T..), see doctor_view.h; a room that did its work is one line
 *           on standard output, where there is a place for it.
 * Runs    jobio check --submit, on a login host, as a user who may submit. Every
 *           wait has an end: two minutes for the job, one for its record, one
 *           for sacct.
 */
#ifndef JOBIO_REPORT_CHECK_SUBMIT_H
#define JOBIO_REPORT_CHECK_SUBMIT_H

#include <stdio.h>

#include "report/doctor_view.h"

/* 'partition' NULL: the default. 'out' NULL: say findings only. Needs
 * doctor->config. */
void check_submit(const struct doctor *doctor, const char *partition, FILE *out);

#endif
