/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/nodes.h"

#include <slurm/slurm.h>
#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"
#include "record/record.h"

#define DIGITS "0123456789"
#define NAME_CHARACTERS DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-"
#define DIGITS_MAX 18 /* per number */
/* slurm_hostlist_shift() moves all remaining ranges: 0.2 s for so many */
#define RANGES_MAX 16384

/* Size of a list after libslurm's expansion, computed before it. */
struct extent {
	unsigned long names;  /* of the element */
	unsigned long ranges; /* that libslurm allocates for them */
	size_t length;	      /* of its longest name */
};

/* Read "7" or "007"; -1: not a number. */
static int read_number(const char **at, size_t *digits, unsigned long *number)
{
	*digits = strspn(*at, DIGITS);
	if (!*digits || *digits > DIGITS_MAX)
		return -1;
	*number = strtoul(*at, NULL, 10);
	*at += *digits;
	return 0;
}

/* Read "[1-3,7]", with ascending ranges only, and set *at behind it; -1: malformed or too large. */
static int read_bracket(const char **at, struct extent *extent)
{
	unsigned long low, high, count = 0, ranges = 0;
	size_t digits, longest = 0;

	do {
		(*at)++; /* "[" or "," */
		if (read_number(at, &digits, &low) < 0)
			return -1;
		longest = digits > longest ? digits : longest;
		high = low;
		if (**at == '-') {
			(*at)++;
			if (read_number(at, &digits, &high) < 0 || high < low)
				return -1;
			longest = digits > longest ? digits : longest;
		}
		if (high - low >= NODES_MAX)
			return -1;
		ranges++;
		count += high - low + 1;
		if (count > NODES_MAX)
			return -1;
	} while (**at == ',');
	if (*(*at)++ != ']')
		return -1;
	extent->ranges = extent->names * ranges;
	extent->names *= count; /* both factors are at most NODES_MAX */
	extent->length += longest;
	return extent->names > NODES_MAX ? -1 : 0;
}

/* Read one element of a list: characters of names, and brackets. */
static int read_element(const char **at, struct extent *extent)
{
	size_t size;

	extent->names = extent->ranges = 1;
	extent->length = 0;
	while (**at && **at != ',') {
		size = strspn(*at, NAME_CHARACTERS);
		*at += size;
		extent->length += size;
		if (**at == '[') {
			if (read_bracket(at, extent) < 0)
				return -1;
		} else if (!size) {
			return -1;
		}
		if (extent->length >= RECORD_NAME_MAX)
			return -1;
	}
	return extent->length ? 0 : -1;
}

/* Return true if the list is valid and not too large. libslurm expands any size and accepts lists
 * that slurmctld never writes. */
static bool is_bounded(const char *list)
{
	struct extent extent;
	unsigned long total = 0, ranges = 0;

	for (;; list++) {
		if (read_element(&list, &extent) < 0)
			return false;
		total += extent.names;
		ranges += extent.ranges;
		if (total > NODES_MAX || ranges > RANGES_MAX)
			return false;
		if (!*list)
			return true;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_once(struct nodes *nodes)
{
	size_t i, kept = 0;

	qsort(nodes->names, nodes->count, sizeof(*nodes->names), by_name);
	for (i = 0; i < nodes->count; i++) {
		if (kept && !strcmp(nodes->names[kept - 1], nodes->names[i]))
			free(nodes->names[i]);
		else
			nodes->names[kept++] = nodes->names[i];
	}
	nodes->count = kept;
}

struct nodes *nodes_expand(const char *list, struct err *err)
{
	struct nodes *nodes;
	char *name;
	/* hostlist_t is a pointer up to 22.05 and a struct from 23.02 on */
	__auto_type hosts = is_bounded(list) ? slurm_hostlist_create(list) : NULL;

	if (!hosts) {
		err_set(err, "node list: '%.200s': cannot be expanded", list);
		return NULL;
	}
	nodes = xcalloc(1, sizeof(*nodes));
	while ((name = slurm_hostlist_shift(hosts))) {
		nodes->names = xmore(nodes->names, nodes->count, sizeof(name));
		nodes->names[nodes->count++] = name;
	}
	slurm_hostlist_destroy(hosts);
	sort_once(nodes);
	return nodes;
}

void nodes_free(struct nodes *nodes)
{
	if (!nodes)
		return;
	while (nodes->count)
		free(nodes->names[--nodes->count]);
	free(nodes->names);
	free(nodes);
}
