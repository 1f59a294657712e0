/* SPDX-License-Identifier: GPL-2.0-or-later */
/* y.h - what a command of Storage Scale prints with -Y
 *
 * Terms   line: "mmdiag:config:0:1:::pagepool:4294967296:static:", fields
 *           between colons; a colon in a field is %3A. A line that is too long
 *           for the command goes on in the next, which does not begin with the
 *           command's name.
 *         kind: the line's first two fields with their colons,
 *           "mmdiag:config:".
 *         header: the line with HEADER as third field names the columns, by
 *           which they are found: releases add some.
 * Owner   struct gpfs_y is a plain value; zeroed it is "before the first line".
 * Errors  what is not a line of the kind is passed over.
 * Runs    everywhere.
 */
#ifndef JOBIO_CLIENT_GPFS_Y_H
#define JOBIO_CLIENT_GPFS_Y_H

#include <stdbool.h>
#include <stddef.h>

#define GPFS_Y_LINE_MAX 8192

struct gpfs_y {
	char header[GPFS_Y_LINE_MAX]; /* "": none so far */
	char line[GPFS_Y_LINE_MAX];
};

/* The next line of the kind with values; false: there is none. */
bool gpfs_y_next(const char **text, const char *kind, struct gpfs_y *y);
/* The value in a column; false: no such column, it does not fit, or no colon ends it:
 * there the answer was cut off. */
bool gpfs_y_get(const struct gpfs_y *y, const char *column, char *value, size_t size);

/* Of `mmdiag --config -Y`: the value of an attribute; false: not there. */
bool gpfs_y_config(const char *text, const char *name, char *value, size_t size);
/* The same, of the attributes of these blank-separated names alone; caller frees. */
char *gpfs_y_only(const char *text, const char *names);

#endif
