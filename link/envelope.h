/* SPDX-License-Identifier: GPL-2.0-or-later */
/* envelope.h - match an answer to its request
 *
 * Terms   envelope: payload of a credential (seal.h): a line "jobio/1 NONCE" and
 *           one JSON object. In an answer the line has the nonces of all requests
 *           that it is for, ENVELOPE_MAX at most: those that waited for one commit.
 *         nonce: 32 hexadecimal digits, chosen at random for the request. Without
 *           the key an attacker on the network can neither make nor change one:
 *           a recorded answer does not match the next request.
 * Owner   envelope_make(): malloc'ed. envelope_open() works in the text.
 * Errors  -1 or NULL, the reason in *err if there is one.
 * Runs    jobio-send, ledger, report.
 */
#ifndef JOBIO_LINK_ENVELOPE_H
#define JOBIO_LINK_ENVELOPE_H

#include <stddef.h>

#include "base/err.h"

#define ENVELOPE_MAX 64
#define ENVELOPE_NONCE 33 /* with the final 0 */

int envelope_nonce(char nonce[ENVELOPE_NONCE], struct err *err);

/* Return 'json' in an envelope for these requests. */
char *envelope_make(const char *const *nonces, size_t count, const char *json);

/* Return the JSON in 'text'; *nonces: "NONCE NONCE ..". NULL: no envelope of this protocol, or a
 * damaged one. */
char *envelope_open(char *text, char **nonces);

/* Return 1 if [nonce] is among them, else 0. */
int envelope_is_for(const char *nonces, const char *nonce);

#endif
