/* SPDX-License-Identifier: GPL-2.0-or-later */
/* check_fold.h - what many hosts said, in one table
 *
 * Terms   answer: the line of `jobio check --format=json`; a tool may have put
 *           "HOST: " before it (clush, srun --label). Other lines are counted.
 * Errors  the exit status of jobio: the worst severity of all hosts, see
 *           `jobio check --help`; 1 also where a host gave no answer.
 * Runs    jobio check --fold, any user; its input is not trusted.
 */
#ifndef JOBIO_REPORT_CHECK_FOLD_H
#define JOBIO_REPORT_CHECK_FOLD_H

#include <stdio.h>

int check_fold(FILE *in);

#endif
