/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.h - on how many OSTs a new file in the job's directory lies
 *
 * What a folder says of new files is its extended attribute lustre.lov, and to
 * read that asks an MDT: it is read for jobs that stream alone, as the job's user,
 * by a child with a deadline, and not while an MDT is known to be away.
 *
 * Terms   stripes: how many OSTs; of a layout of several components the most.
 * Owner   plain values.
 * Errors  LUSTRE_UNKNOWN: not understood, or not read.
 * Runs    layout_look() as client.h says; layout_stripes() takes any bytes.
 */
#ifndef JOBIO_CLIENT_LUSTRE_LAYOUT_H
#define JOBIO_CLIENT_LUSTRE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "client/type.h"

#define LAYOUT_ALL 65535 /* all OSTs that there are */

/* Of the bytes of lustre.lov; 0: as the filesystem has it. */
long layout_stripes(const void *data, size_t size);

/* Does the profile want streams: large RPCs, or read-ahead? */
bool layout_matters(const struct client_want *want);

/* Into the client's facts, what the job's directory says. */
void layout_look(struct client *client, const struct client_want *want);

#endif
