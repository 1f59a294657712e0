/* SPDX-License-Identifier: GPL-2.0-or-later */
/* envelope.h - which request an answer is for
 *
 * Terms   envelope: what is sealed (seal.h): a line "jobio/1 NONCE" and one
 *           JSON object. In an answer the line names every request that it is
 *           for, ENVELOPE_MAX at most: those that waited for one commit.
 *         nonce: 32 hexadecimal digits that the asker took at random. Whoever
 *           carries frames without a key can neither make nor change one: an
 *           answer that he saves up is not for the next request.
 * Owner   envelope_make(): malloc'ed. envelope_open() works in the text.
 * Errors  -1 or NULL, reason in *err where there is one.
 * Runs    jobio-send, ledger, report.
 */
#ifndef JOBIO_ENVELOPE_H
#define JOBIO_ENVELOPE_H

#include <stddef.h>

#include "lib/err.h"

#define ENVELOPE_MAX 64
#define ENVELOPE_NONCE 33 /* with the final 0 */

int envelope_nonce(char nonce[ENVELOPE_NONCE], struct err *err);

/* One text of 'json' for these requests. NULL: out of memory. */
char *envelope_make(const char *const *nonces, size_t count, const char *json);

/* The JSON in 'text'; *nonces: "NONCE NONCE ..". NULL: it has no envelope of this
 * protocol, or a damaged one. */
char *envelope_open(char *text, char **nonces);

/* 1: it is among them, 0: it is not. */
int envelope_is_for(const char *nonces, const char *nonce);

#endif
