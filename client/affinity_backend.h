/* SPDX-License-Identifier: GPL-2.0-or-later */
/* affinity_backend.h - back ends for setting CPU affinity
 *
 * Terms   as in affinity.h.
 * Owner   constant.
 * Errors  -1; for 'set' with a sentence in *err.
 * Runs    as in client.h; for affinity.c only. The kernel's files and threads are
 *           changed here, without a journal.
 */
#ifndef JOBIO_CLIENT_AFFINITY_BACKEND_H
#define JOBIO_CLIENT_AFFINITY_BACKEND_H

#include "client/type.h"

#define AFFINITY_ITEM_MAX 96

/* Items of a type; "": none. */
struct affinity {
	const char *workqueues; /* of /sys/devices/virtual/workqueue */
	/* fnmatch(3) patterns of kernel threads; blanks of a name are '_' */
	const char *threads;
	const char *process; /* name of its daemon */
};

#define AFFINITY_GONE 2 /* the item does not exist any more */

typedef void (*item_fn)(void *arg, const char *item);

/* Find, read and set the items of a kind. */
struct affinity_backend {
	const char *words; /* first part of a target, before its words */
	/* call fn for each item that matches one of the words */
	void (*each)(const struct client *client, const char *word, item_fn fn, void *arg);
	/* return -1 with errno, see affinity_is_gone() */
	int (*get)(const struct client *client, const char *item, struct cpuset *cpus);
	int (*set)(const struct client *client, const char *item, const struct cpuset *cpus,
		   struct err *err);
	/* Restore to 'was' only what is at 'is'. Return 1 if done, AFFINITY_GONE, 0 if some have
	 * third values, -1 on an error. NULL: done by 'get' and 'set'. */
	int (*back)(const struct client *client, const char *item, const struct cpuset *was,
		    const struct cpuset *is, struct err *err);
	/* return the words of the type, or of jobio.conf; blank-separated */
	const char *(*words_of)(const struct client *client);
};

/* Return true if the errno of 'get' means that the item does not exist any more. */
bool affinity_is_gone(int error);

extern const struct affinity_backend affinity_workqueues, affinity_threads, affinity_processes,
	affinity_interrupts;

#endif
