/* SPDX-License-Identifier: GPL-2.0-or-later */
/* affinity_way.h - the things whose CPUs can be told, and how
 *
 * Terms   as in affinity.h.
 * Owner   constant.
 * Errors  -1; of 'set' with a sentence in *err.
 * Runs    as client.h says; for affinity.c only. The kernel's files and threads
 *           are changed here, without a journal.
 */
#ifndef JOBIO_CLIENT_AFFINITY_WAY_H
#define JOBIO_CLIENT_AFFINITY_WAY_H

#include "client/type.h"

#define AFFINITY_ITEM_MAX 96

/* What a type has; "": none. */
struct affinity {
	const char *workqueues; /* of /sys/devices/virtual/workqueue */
	/* fnmatch(3) patterns of kernel threads; blanks of a name are '_' */
	const char *threads;
	const char *process; /* the name of its daemon */
	/* rules of the type */
	const char *failed, *not_back, *left, *not_ours;
};

#define AFFINITY_GONE 2 /* there is no such item any more */

typedef void (*item_fn)(void *arg, const char *item);

/* How to find, read and set the things of a kind. */
struct affinity_way {
	const char *words; /* what a target is called, "%s" the words */
	/* call fn for each item of one of the type's words */
	void (*each)(const struct client *client, const char *word, item_fn fn, void *arg);
	/* -1 and errno, see affinity_is_gone() */
	int (*get)(const struct client *client, const char *item, struct cpuset *cpus);
	int (*set)(const struct client *client, const char *item, const struct cpuset *cpus,
		   struct err *err);
	/* To 'was' what is at 'is', no more of it: 1 done; AFFINITY_GONE; 0 it is
	 * at third ones; -1. NULL: as 'get' and 'set' say. */
	int (*back)(const struct client *client, const char *item, const struct cpuset *was,
		    const struct cpuset *is, struct err *err);
	/* the words of the type, or of jobio.conf; blank-separated */
	const char *(*wanted)(const struct client *client);
};

/* Does the errno of a 'get' mean that there is no such item any more? */
bool affinity_is_gone(int error);

extern const struct affinity_way affinity_workqueues, affinity_threads, affinity_processes,
	affinity_interrupts;

#endif
