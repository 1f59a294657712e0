/* SPDX-License-Identifier: GPL-2.0-or-later */
/* credential.h - encode and decode MUNGE credentials for one UID
 *
 * Terms   credential: base64 text that only a host with the site's MUNGE key
 *           can encode or decode; it has the UID of its encoder. Ours have a
 *           UID restriction: munged decodes them for that user only.
 * Owner   encoded and decoded data are malloc'ed; the caller frees them.
 * Errors  -1, the reason in *err, also if munged does not run.
 *           A replayed credential is accepted: jobio's requests may all be
 *           repeated, and payload.h matches answers to requests.
 * Runs    jobio-send, ledger, report. libmunge has a timeout of its own if
 *           munged does not reply.
 */
#ifndef JOBIO_LINK_CREDENTIAL_H
#define JOBIO_LINK_CREDENTIAL_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

struct credential_ctx;

/* 'munge_socket' "" or NULL: munged's default. */
struct credential_ctx *credential_ctx_new(const char *munge_socket, struct err *err);
void credential_ctx_free(struct credential_ctx *munge);

/* Encode 'size' bytes of data into *credential, for user 'reader'. */
int credential_encode(struct credential_ctx *munge, const void *data, size_t size, uid_t reader,
		      char **credential, struct err *err);

/* Decode a credential into *data (NUL-terminated), *size and *writer. */
int credential_decode(struct credential_ctx *munge, const char *credential, char **data,
		      size_t *size, uid_t *writer, struct err *err);

/* Return 0 if this host can encode a credential for this user, and decode it. */
int credential_check(const char *munge_socket, struct err *err);

#endif
