/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seal.h - put data into a MUNGE credential for one reader, and take it out
 *
 * Terms   credential: base64 text that only a host with the site's MUNGE key
 *           can make or open; it tells who sealed it (uid). We seal for one
 *           uid: munged opens it for that user only.
 * Owner   sealed and opened data are malloc'ed; the caller frees them.
 * Errors  -1, reason in *err. munged not running is an error like others.
 *           A credential opened before is accepted again: all that jobio asks
 *           for may be asked twice, and envelope.h says which request an
 *           answer is for.
 * Runs    jobio-send, ledger, report. libmunge gives up by itself when munged
 *           does not answer.
 */
#ifndef JOBIO_SEAL_H
#define JOBIO_SEAL_H

#include <stddef.h>
#include <sys/types.h>

#include "lib/err.h"

struct seal;

/* 'munge_socket' "" or NULL: where munged usually is. */
struct seal *seal_new(const char *munge_socket, struct err *err);
void seal_free(struct seal *seal);

/* Set *credential to 'size' bytes of data sealed for user 'reader'. */
int seal_close(struct seal *seal, const void *data, size_t size, uid_t reader, char **credential,
	       struct err *err);

/* Set *data (NUL-terminated), *size and *writer from a credential. */
int seal_open(struct seal *seal, const char *credential, char **data, size_t *size, uid_t *writer,
	      struct err *err);

/* Can this host seal for ourselves, and open that? */
int seal_check(const char *munge_socket, struct err *err);

#endif
