/* SPDX-License-Identifier: GPL-2.0-or-later */
/* y.h - parse -Y output of Storage Scale commands
 *
 * Terms   line: "mmdiag:config:0:1:::pagepool:4294967296:static:", fields between
 *           colons; a colon in a field is %3A. A line that is too long for the command
 *           continues in the next, which does not begin with the command's name.
 *         kind: the line's first two fields with their colons, "mmdiag:config:".
 *         header: the line with HEADER as third field has the names of the columns;
 *           columns are found by name, because releases add some.
 * Owner   struct gpfs_y is a plain value; zeroed it is "before the first line".
 * Errors  lines of other kinds are skipped.
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

/* Read the next line of the kind with values; false: there is none. */
bool gpfs_y_next(const char **text, const char *kind, struct gpfs_y *y);
/* Get the value in a column; false: no such column, it does not fit, or no colon ends it: the
 * output was truncated. */
bool gpfs_y_get(const struct gpfs_y *y, const char *column, char *value, size_t size);

/* Get the value of an attribute in `mmdiag --config -Y`; false: it has none. */
bool gpfs_y_config(const char *text, const char *name, char *value, size_t size);
/* Return the lines of these attributes only (blank-separated names); caller frees. */
char *gpfs_y_only(const char *text, const char *names);

#endif
