/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.h - number of OSTs of a new file in the job's directory
 *
 * The default layout of a directory is its extended attribute lustre.lov; reading it is
 * a request to an MDT. It is read only for jobs that stream, as the job's user, by a
 * child with a timeout, and not while an MDT is disconnected.
 *
 * Terms   stripes: number of OSTs; of a composite layout, the largest of its components.
 * Owner   plain values.
 * Errors  LUSTRE_UNKNOWN: not understood, or not read.
 * Runs    layout_read() as in client.h; layout_stripes() accepts any bytes.
 */
#ifndef JOBIO_CLIENT_LUSTRE_LAYOUT_H
#define JOBIO_CLIENT_LUSTRE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "client/type.h"

#define LAYOUT_ALL 65535 /* all OSTs */

/* Return the stripes in the bytes of lustre.lov; 0: the filesystem's default. */
long layout_stripes(const void *data, size_t size);

/* Return true if the profile is for streams: it sets the size of RPCs or read-ahead. */
bool layout_matters(const struct client_desired *desired);

/* Store the stripes of the job's directory in the client's facts. */
void layout_read(struct client *client, const struct client_desired *desired);

#endif
