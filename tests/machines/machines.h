/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machines.h - the machines of machines.txt, as hwloc XML
 *
 * Terms   name: what follows "machine " in the table (README.md beside this
 *           file tells its format).
 *         list: numbers in their order, "0-3,8,16-22/2"; unlike those of
 *           cpuset.h neither sorted nor unique.
 * Owner   machines_xml() returns malloc'ed text, machines_list() a malloc'ed
 *           array; the caller frees them.
 * Errors  NULL or -1, sentence in *err that names table and line.
 * Runs    in tests.
 */
#ifndef JOBIO_TESTS_MACHINES_MACHINES_H
#define JOBIO_TESTS_MACHINES_MACHINES_H

#include <stdio.h>

#include "base/err.h"

/* What hwloc_topology_set_xml() reads of one machine of the table. */
char *machines_xml(const char *table, const char *name, struct err *err);

/* The same as a file. */
int machines_write(const char *table, const char *name, const char *path, struct err *err);

/* One name a line. */
int machines_names(const char *table, FILE *out, struct err *err);

/* "" and "-" are the empty list: *count is 0, the array is not NULL. */
unsigned int *machines_list(const char *list, unsigned int *count, struct err *err);

#endif
