/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comment.h - jobio's summary in a SystemComment with other text
 *
 * Terms   SystemComment: the field that sacct prints. Slurm's burst buffer plugins
 *           add lines to it (burst_buffer_common.c:bb_update_system_comment),
 *           administrators write it with sacctmgr. The summary is appended after
 *           a blank, or replaces an older summary.
 * Owner   the result of comment_with() is malloc'ed; the caller frees it.
 * Errors  NULL and *err: slurmdbd would cut the text.
 * Runs    ledger, report.
 */
#ifndef JOBIO_LEDGER_COMMENT_H
#define JOBIO_LEDGER_COMMENT_H

#include <stddef.h>

#include "base/err.h"

/* slurmdbd cuts at 65,535 bytes, without an error. */
#define COMMENT_MAX 60000

/* Return the last summary in 'text', and its size; NULL: there is none. */
const char *comment_find(const char *text, size_t *size);

/* Return 'text' (NULL: none) with this summary, in place of its old one. */
char *comment_with(const char *text, const char *summary, struct err *err);

#endif
