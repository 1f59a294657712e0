/* SPDX-License-Identifier: GPL-2.0-or-later */
/* when.h - a time as sacct's -S and -E take it, in seconds since 1970
 *
 * Terms   "now", "now-7days", "now+1hour" (seconds, minutes, hours, days, weeks,
 *           their beginnings, or seconds without a word), "today", "midnight",
 *           "noon", "2026-11-15", "2026-11-15T12:30[:05]", "12:30[:05]": of
 *           today, in the caller's time zone.
 * Errors  -1: "'x': not a time like ..".
 * Runs    jobio report.
 */
#ifndef JOBIO_REPORT_WHEN_H
#define JOBIO_REPORT_WHEN_H

#include <stdint.h>

#include "lib/err.h"

int when_parse(const char *text, int64_t now_s, int64_t *when_s, struct err *err);

/* "2026-11-15T12:30:05", for sacct; 'out' of WHEN_SIZE bytes. */
#define WHEN_SIZE 32
const char *when_text(int64_t when_s, char *out);

#endif
