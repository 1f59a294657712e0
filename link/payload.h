/* SPDX-License-Identifier: GPL-2.0-or-later */
/* payload.h - payload of a credential: match an answer to its request
 *
 * Terms   payload of a credential (credential.h): a line "jobio/1 NONCE" and
 *           one JSON object. In an answer the line has the nonces of all requests
 *           that it is for, PAYLOAD_NONCES_MAX at most: those that waited for one commit.
 *         nonce: 32 hexadecimal digits, chosen at random for the request. Without
 *           the key an attacker on the network can neither make nor change one:
 *           a recorded answer does not match the next request.
 * Owner   payload_make(): malloc'ed. payload_parse() works in the text.
 * Errors  -1 or NULL, the reason in *err if there is one.
 * Runs    jobio-send, ledger, report.
 */
#ifndef JOBIO_LINK_PAYLOAD_H
#define JOBIO_LINK_PAYLOAD_H

#include <stddef.h>

#include "base/err.h"

#define PAYLOAD_NONCES_MAX 64
#define PAYLOAD_NONCE_SIZE 33 /* with the final 0 */

int payload_nonce(char nonce[PAYLOAD_NONCE_SIZE], struct err *err);

/* Return the payload with 'json' for these requests. */
char *payload_make(const char *const *nonces, size_t count, const char *json);

/* Return the JSON in 'text'; *nonces: "NONCE NONCE ..". NULL: no payload of this protocol, or a
 * damaged one. */
char *payload_parse(char *text, char **nonces);

/* Return 1 if [nonce] is among them, else 0. */
int payload_has_nonce(const char *nonces, const char *nonce);

#endif
