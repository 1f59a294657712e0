/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cores/core_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "record/alloc.h"

void core_map_slurmd_parameters(struct core_map_options *options, const char *slurmd_parameters)
{
	options->socket = CORE_MAP_PACKAGE;
	options->allow_ecores = false;
	if (!slurmd_parameters)
		return;
	/* Substrings, as in xstrcasestr(); L3 takes precedence over NUMA. */
	if (strcasestr(slurmd_parameters, "l3cache_as_socket"))
		options->socket = CORE_MAP_L3CACHE;
	else if (strcasestr(slurmd_parameters, "numa_node_as_socket"))
		options->socket = CORE_MAP_NUMA_NODE;
	if (strcasestr(slurmd_parameters, "allow_ecores"))
		options->allow_ecores = true;
}

void core_map_free(struct core_map *map)
{
	if (!map)
		return;
	free(map->block);
	free(map->cores);
	free(map);
}

/* ---- text form -------------------------------------------------------------
 * core_map/1 CPUS BOARDS SOCKETS CORES THREADS FLAWS OSCPUS SET BLOCK CORE;...
 * where BLOCK is the table in order and an empty list is "-".
 */

static void put_set(FILE *out, const char *before, const struct cpuset *set)
{
	char *list = xneed(cpuset_format(set));

	fprintf(out, "%s%s", before, *list ? list : "-");
	free(list);
}

char *core_map_format(const struct core_map *map)
{
	const struct core_map_shape *shape = &map->shape;
	char *text = NULL;
	size_t size;
	FILE *out = xneed(open_memstream(&text, &size));

	fprintf(out, "core_map/1 %u %u %u %u %u %u", shape->cpus, shape->boards, shape->sockets,
		shape->cores, shape->threads, map->flaws);
	put_set(out, " ", &map->cpus);
	put_set(out, " ", &map->set);
	for (unsigned int i = 0; i < shape->cpus; i++)
		fprintf(out, "%s%u", i ? "," : " ", map->block[i]);
	fputs(map->core_count ? "" : " -", out);
	for (unsigned int i = 0; i < map->core_count; i++)
		put_set(out, i ? ";" : " ", &map->cores[i]);
	fclose(out);
	return xneed(text);
}

static int parse_number(char **at, unsigned int max, unsigned int *number)
{
	char *end;
	unsigned long value;

	if (**at < '0' || **at > '9')
		return -1;
	errno = 0;
	value = strtoul(*at, &end, 10);
	if (errno || value > max)
		return -1;
	*number = (unsigned int)value;
	*at = end;
	if (**at == ' ' || **at == ',')
		(*at)++;
	return 0;
}

/* Read a list up to one of 'stops' or the end. */
static int parse_set(char **at, const char *stops, struct cpuset *set)
{
	size_t length = strcspn(*at, stops);
	char *end = *at + length;
	char stop = *end;
	int rc;

	*end = '\0';
	if (!strcmp(*at, "-")) {
		cpuset_zero(set);
		rc = 0;
	} else {
		rc = cpuset_parse(set, *at, NULL);
	}
	*end = stop;
	*at = stop ? end + 1 : end;
	return rc;
}

static int parse_body(struct core_map *map, char *at)
{
	struct core_map_shape *shape = &map->shape;

	if (parse_number(&at, CPUSET_MAX, &shape->cpus) < 0 ||
	    parse_number(&at, CPUSET_MAX, &shape->boards) < 0 ||
	    parse_number(&at, CPUSET_MAX, &shape->sockets) < 0 ||
	    parse_number(&at, CPUSET_MAX, &shape->cores) < 0 ||
	    parse_number(&at, CPUSET_MAX, &shape->threads) < 0 ||
	    parse_number(&at, 0xffff, &map->flaws) < 0 || !shape->cpus || !shape->sockets ||
	    parse_set(&at, " ", &map->cpus) < 0 || parse_set(&at, " ", &map->set) < 0)
		return -1;
	map->block = xcalloc(shape->cpus, sizeof(*map->block));
	map->cores = xcalloc(shape->cpus + 1, sizeof(*map->cores));
	for (unsigned int i = 0; i < shape->cpus; i++)
		if (parse_number(&at, shape->cpus - 1, &map->block[i]) < 0)
			return -1;
	if (!strcmp(at, "-"))
		return 0;
	while (*at) {
		struct cpuset *core = &map->cores[map->core_count];

		if (map->core_count == shape->cpus || parse_set(&at, ";", core) < 0 ||
		    cpuset_is_empty(core))
			return -1;
		map->core_count++;
	}
	return map->core_count ? 0 : -1;
}

struct core_map *core_map_parse(const char *text, struct err *err)
{
	static const char head[] = "core_map/1 ";
	struct core_map *map = xcalloc(1, sizeof(*map));
	char *copy = xstrdup(text);

	if (strncmp(copy, head, sizeof(head) - 1) != 0 ||
	    parse_body(map, copy + sizeof(head) - 1) < 0) {
		err_set(err, "core map: '%.40s': damaged", text);
		core_map_free(map);
		map = NULL;
	}
	free(copy);
	return map;
}

/* ---- queries ------------------------------------------------------------- */

const struct core_map_shape *core_map_shape(const struct core_map *map)
{
	return &map->shape;
}

unsigned int core_map_flaws(const struct core_map *map)
{
	return map->flaws;
}

int core_map_os_cpu(const struct core_map *map, unsigned int abs_cpu)
{
	return abs_cpu < map->shape.cpus ? (int)map->block[abs_cpu] : -1;
}

bool core_map_is_set(const struct core_map *map, unsigned int abs_cpu)
{
	return cpuset_has(&map->set, abs_cpu);
}

unsigned int core_map_core_count(const struct core_map *map)
{
	return map->core_count;
}

const struct cpuset *core_map_core(const struct core_map *map, unsigned int core)
{
	return core < map->core_count ? &map->cores[core] : NULL;
}

int core_map_core_of(const struct core_map *map, unsigned int os_cpu)
{
	for (unsigned int i = 0; i < map->core_count; i++)
		if (cpuset_has(&map->cores[i], os_cpu))
			return (int)i;
	return -1;
}

const struct cpuset *core_map_cpus(const struct core_map *map)
{
	return &map->cpus;
}
