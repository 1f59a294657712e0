/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bar.h - one character that is the higher the more there is
 *
 * Errors  none; those of 'out' stay in it.
 * Runs    jobio report; blocks where the locale has UTF-8, else letters.
 */
#ifndef JOBIO_REPORT_BAR_H
#define JOBIO_REPORT_BAR_H

#include <stdint.h>
#include <stdio.h>

/* A blank for nothing, and for nothing else; the highest one for 'most'. */
void bar_print(FILE *out, int64_t value, int64_t most);

#endif
