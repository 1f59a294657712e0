/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/nodes.h"

#include <slurm/slurm.h>
#include <stdlib.h>
#include <string.h>

/* How many names stand in one "[..]", at most; *end is set behind the "]". */
static unsigned long bracket_size(const char *open, const char **end)
{
	unsigned long total = 0;
	const char *at = open + 1;
	char *next;

	while (*at && *at != ']') {
		unsigned long low, high;

		low = high = strtoul(at, &next, 10);
		if (next == at)
			return NODES_MAX + 1UL;
		if (*next == '-')
			high = strtoul(next + 1, &next, 10);
		if (high < low || high - low > NODES_MAX)
			return NODES_MAX + 1UL;
		total += high - low + 1;
		if (total > NODES_MAX || (*next != ',' && *next != ']'))
			return NODES_MAX + 1UL;
		at = *next == ',' ? next + 1 : next;
	}
	if (!*at)
		return NODES_MAX + 1UL;
	*end = at + 1;
	return total;
}

/* libslurm expands whatever it is given, so count before. */
static int is_bounded(const char *list)
{
	unsigned long total = 0, product = 1;

	while (*list) {
		if (*list == '[') {
			unsigned long size = bracket_size(list, &list);

			if (size > NODES_MAX)
				return 0;
			product *= size;
			if (product > NODES_MAX)
				return 0;
			continue;
		}
		if (*list == ',') {
			total += product;
			product = 1;
		}
		list++;
	}
	return total + product <= NODES_MAX;
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

static int add(struct nodes *nodes, size_t *room, char *name)
{
	char **bigger;

	if (nodes->count == *room) {
		*room = *room ? 2 * *room : 64;
		bigger = realloc(nodes->names, *room * sizeof(*bigger));
		if (!bigger) {
			free(name);
			return -1;
		}
		nodes->names = bigger;
	}
	nodes->names[nodes->count++] = name;
	return 0;
}

struct nodes *nodes_expand(const char *list, struct err *err)
{
	struct nodes *nodes = NULL;
	size_t room = 0;
	char *name;
	/* hostlist_t is a pointer up to 22.05 and a struct from 23.02 on */
	__auto_type hosts =
		is_bounded(list) ? slurm_hostlist_create(list) : NULL;

	if (!hosts) {
		err_set(err, "node list: '%.200s': cannot be expanded", list);
		return NULL;
	}
	nodes = calloc(1, sizeof(*nodes));
	while (nodes && (name = slurm_hostlist_shift(hosts)))
		if (add(nodes, &room, name) < 0) {
			nodes_free(nodes);
			nodes = NULL;
		}
	slurm_hostlist_destroy(hosts);
	if (!nodes) {
		err_set(err, "node list: out of memory");
		return NULL;
	}
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

int nodes_has(const struct nodes *nodes, const char *name)
{
	return nodes->count && bsearch(&name, nodes->names, nodes->count,
				       sizeof(*nodes->names), by_name) != NULL;
}
