/* SPDX-License-Identifier: GPL-2.0-or-later */
/* alloc.h - memory for programs, which exit if there is none
 *
 * Owner   the caller frees the result, with free().
 * Errors  none: out of memory is one line on stderr and _exit(71). Files survive that as
 *           they survive a kill -9.
 * Runs    programs only; the plugin and what it links (libbase) check malloc().
 */
#ifndef JOBIO_RECORD_ALLOC_H
#define JOBIO_RECORD_ALLOC_H

#include <stddef.h>

/* Return 'memory', the result of a function that returns NULL when out of memory. */
void *xneed(void *memory);

void *xcalloc(size_t count, size_t size);
void *xrealloc(void *old, size_t count, size_t size);
/* Return 'list' with room for one more than 'count' items; its room is 1, 2, 4 .. */
void *xmore(void *list, size_t count, size_t size);
/* NULL for NULL. */
char *xstrdup(const char *text);
__attribute__((format(printf, 1, 2))) char *xasprintf(const char *format, ...);

#endif
