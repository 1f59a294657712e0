/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_map.h - convert Slurm's CPU numbers to those of Linux
 *
 * Terms   abstract CPU: Slurm's number for a hardware thread of a node:
 *           core * threads + thread, cores counted socket by socket.
 *         OS CPU: Linux's number, as in taskset(1).
 *         block map: slurmd's table abstract CPU -> OS CPU, made when it
 *           starts (xcpuinfo.c:xcpuinfo_hwloc_topo_get). This module builds
 *           the same table, errors included: an OS number that is not below
 *           the count of CPUs is dropped and the abstract number keeps its
 *           default, itself.
 *         hardware core: a core of the machine, in hwloc's order.
 *         socket kind: what slurmd counts as a socket (SlurmdParameters=
 *           l3cache_as_socket, numa_node_as_socket).
 * Owner   the map is immutable; core_map_free() frees it, NULL allowed.
 *         core_map_format() returns malloc'ed text, the caller frees it.
 * Errors  NULL or -1, the reason in *err, outputs unchanged. Never logs, never
 *           exits, never runs a command.
 * Runs    helpers; reads nothing from the system (core_map_load.h does).
 */
#ifndef JOBIO_CORES_CORE_MAP_H
#define JOBIO_CORES_CORE_MAP_H

#include <stdbool.h>

#include "base/cpuset.h"
#include "base/err.h"

enum core_map_socket {
	CORE_MAP_PACKAGE,
	CORE_MAP_L3CACHE,
	CORE_MAP_NUMA_NODE,
};

struct core_map_options {
	const char *xml; /* hwloc XML file; NULL: this machine */
	enum core_map_socket socket;
	bool allow_ecores;
	unsigned int slurm_version; /* version.h */
};

/* Geometry that slurmd finds, as `slurmd -C` prints it; sockets of all boards. */
struct core_map_shape {
	unsigned int cpus;
	unsigned int boards;
	unsigned int sockets;
	unsigned int cores;   /* per socket */
	unsigned int threads; /* per core */
};

/* Reasons why slurmd's numbers differ from the machine. */
enum core_map_flaw {
	CORE_MAP_SPARSE = 1,	      /* an OS number >= the count of CPUs */
	CORE_MAP_UNEVEN_THREADS = 2,  /* CPUs not a multiple of cores */
	CORE_MAP_UNEVEN_CORES = 4,    /* cores not a multiple of sockets, or unequal sockets */
	CORE_MAP_NO_SOCKETS = 8,      /* no object of the socket kind: identity */
	CORE_MAP_NO_CORES = 16,	      /* no core objects */
	CORE_MAP_ECORES_DROPPED = 32, /* slurmd ignores the E-cores */
	CORE_MAP_SHIFTED = 64,	      /* the block map has other cores than hwloc's order */
	CORE_MAP_UNEVEN_BOARDS = 256, /* sockets not a multiple of boards: no node line describes
				       * the machine */
	CORE_MAP_EMPTY_CORES = 512,   /* cores without a CPU, which slurmd counts */
	CORE_MAP_FATAL = 128,	      /* slurmd does not start: no sockets to count */
};

/* For core_map_load.c, which makes it with hwloc, and core_map.c, which needs no hwloc: the prolog
 * has the map from the cache. Others use the functions below. */
struct core_map {
	struct core_map_shape shape;
	unsigned int flaws;
	unsigned int *block; /* shape.cpus entries */
	struct cpuset set;   /* entries that slurmd sets */
	struct cpuset cpus;
	struct cpuset *cores; /* hardware cores */
	unsigned int core_count;
};

/* Set socket kind and E-core rule from SlurmdParameters, as this version of slurmd reads them. */
void core_map_slurmd_parameters(struct core_map_options *options, const char *slurmd_parameters);

void core_map_free(struct core_map *map);

/* Convert the map to one line of text, and back: for the cache. */
char *core_map_format(const struct core_map *map);
struct core_map *core_map_parse(const char *text, struct err *err);

const struct core_map_shape *core_map_shape(const struct core_map *map);
unsigned int core_map_flaws(const struct core_map *map);

/* Look up slurmd's block map; -1 if abs_cpu is not below the count of CPUs. */
int core_map_os_cpu(const struct core_map *map, unsigned int abs_cpu);
/* False: slurmd never sets this entry, it has its default. */
bool core_map_is_set(const struct core_map *map, unsigned int abs_cpu);

/* The machine's own cores, in hwloc's order: their number, the threads of one (NULL after the
 * last), and the core of an OS CPU (-1: none). */
unsigned int core_map_core_count(const struct core_map *map);
const struct cpuset *core_map_core(const struct core_map *map, unsigned int core);
int core_map_core_of(const struct core_map *map, unsigned int os_cpu);

/* All OS CPUs that slurmd finds. */
const struct cpuset *core_map_cpus(const struct core_map *map);

#endif
