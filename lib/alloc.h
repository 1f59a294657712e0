/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloc.h - memory for programs, which end when there is none
 *
 * Owner   the caller frees what it gets, with free().
 * Errors  none: out of memory is one line on stderr and _exit(71). What is on disk
 *           survives that as it survives a kill -9.
 * Runs    programs only; the plugin and what it links (libbase) check malloc().
 */
#ifndef JOBIO_ALLOC_H
#define JOBIO_ALLOC_H

#include <stddef.h>

/* The same pointer, of any function that answers NULL when out of memory. */
void *xneed(void *memory);

void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
/* Room for one more behind 'count' of them, in a list that has room for 1, 2, 4 .. */
void *xmore(void *list, size_t count, size_t size);
/* NULL is NULL. */
char *xstrdup(const char *text);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

#endif
