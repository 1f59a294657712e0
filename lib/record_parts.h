/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record_parts.h - what building and reading a record's text share
 *
 * Terms   record.c has the struct, its names and its rules, record_build.c makes
 *           the text of it, record_read.c makes it of a text. The words are
 *           record.h's.
 * Owner   as record.h's: texts belong to their field.
 * Errors  -1, the reason in *err; outputs change on success only.
 * Runs    where record.h does. Nobody but these three files includes this.
 */
#ifndef JOBIO_RECORD_PARTS_H
#define JOBIO_RECORD_PARTS_H

#include <stddef.h>

#include "lib/err.h"
#include "lib/record.h"

#define RECORD_TIME_MAX ((double)TIMELINE_TIME_MAX)

/* Set a text to a copy of the first 'max' bytes of 'size'; NULL removes it. */
void record_set_sized(char **field, const char *text, size_t size, size_t max);

/* Are cluster, node, job and times such as a record may have? */
int record_check_head(const struct record *record, struct err *err);

#endif
