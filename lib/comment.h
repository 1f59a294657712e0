/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comment.h - our summary in a SystemComment that others may use, too
 *
 * Terms   SystemComment: the one that sacct shows. Slurm's burst buffer plugins
 *           add lines to it (burst_buffer_common.c:bb_update_system_comment),
 *           administrators write it with sacctmgr. Ours follows what was
 *           there, after a blank, and replaces only an older one of ours.
 * Owner   what comment_with() returns is malloc'ed; the caller frees it.
 * Errors  NULL and *err: the text would be cut off by slurmdbd, or no memory.
 * Runs    ledger, report.
 */
#ifndef JOBIO_COMMENT_H
#define JOBIO_COMMENT_H

#include <stddef.h>

#include "lib/err.h"

/* slurmdbd cuts at 65,535 bytes and says nothing. */
#define COMMENT_MAX 60000

/* The last summary of ours in 'text', and its size; NULL: there is none. */
const char *comment_find(const char *text, size_t *size);

/* 'text' (NULL: none) with this summary, in the place of the one it has. */
char *comment_with(const char *text, const char *summary, struct err *err);

#endif
