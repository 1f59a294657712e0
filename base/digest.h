/* SPDX-License-Identifier: GPL-2.0-or-later */
/* digest.h - 64-bit digest of texts
 *
 * Terms   digest: FNV-1a of 64 bits, the same on every machine. It is stored in
 *           records and in names of folders: another one would be another format.
 *           It is no protection: two texts with one digest can be made at will.
 * Owner   plain values.
 * Errors  none.
 * Runs    everywhere, also in the plugin: needs libc only.
 */
#ifndef JOBIO_BASE_DIGEST_H
#define JOBIO_BASE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define DIGEST_BEGIN UINT64_C(0xcbf29ce484222325) /* of no bytes */

/* Return 'digest' extended by these bytes. */
uint64_t digest_add(uint64_t digest, const void *bytes, size_t size);

#endif
