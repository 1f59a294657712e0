/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kept.h - the last answers, for those who ask the same again
 *
 * Terms   key: a text that tells everything the answer was made of; another
 *           key, another answer. Nothing here ever gets out of date.
 * Owner   struct kept: kept_free(), NULL allowed. What kept_find() returns is
 *           good until the next kept_add().
 * Errors  none: what cannot be kept is made again.
 * Runs    ledger, the server process. KEPT_MAX answers, each a frame at most.
 */
#ifndef JOBIO_LEDGER_KEPT_H
#define JOBIO_LEDGER_KEPT_H

#define KEPT_MAX 16

struct kept;

struct kept *kept_new(void);
void kept_free(struct kept *kept);

/* NULL: not among them. 'kept' may be NULL. */
const char *kept_find(struct kept *kept, const char *key);

/* Keep a copy, in the place of the one that was asked for longest ago. */
void kept_add(struct kept *kept, const char *key, const char *answer);

#endif
