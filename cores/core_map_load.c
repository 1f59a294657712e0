/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cores/core_map_load.h"

/* Slurm counts cores over the whole node, including CPUs outside our own cpuset, in hwloc's logical
 * order, and drops Intel's E-cores. The topology is loaded here with the same flags and filters as
 * in xcpuinfo.c, without what cannot change the map (PCI, cpuid walks), and walked the same way. */
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "record/alloc.h"

#define SOCKETS_MAX 1024 /* xcpuinfo.c:_MAX_SOCKET_INX */
#define HYBRID_MARK "/sys/devices/cpu_atom"

/* Objects of one type that have a CPU, in logical order. */
struct level {
	hwloc_obj_t *obj;
	unsigned int count;
	unsigned int total; /* including those without one */
};

struct walk {
	hwloc_topology_t topology;
	struct level cores;
	struct level sockets;	   /* those with a CPU */
	unsigned int *cores_in;	   /* per socket of the level, counted by Slurm */
	unsigned int socket_count; /* of the level, empty ones included */
	bool *used;
	unsigned int used_count;
	bool fatal;
};

/* ---- loading ------------------------------------------------------------ */

static void set_filters(hwloc_topology_t topology)
{
	static const hwloc_obj_type_t dropped[] = {
		HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L4CACHE,
		HWLOC_OBJ_L5CACHE, HWLOC_OBJ_MISC,
	};

	for (size_t i = 0; i < sizeof(dropped) / sizeof(dropped[0]); i++)
		hwloc_topology_set_type_filter(topology, dropped[i], HWLOC_TYPE_FILTER_KEEP_NONE);
	hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
}

/* sysfs has all that the map needs. Only two kinds of machine need the slow walk over cpuid: hybrid
 * ones, where it may be the only source for the kinds of cores (hwloc < 2.10), and those with a
 * kernel that reports no cores. */
static unsigned long load_flags(hwloc_topology_t topology, bool cpuid)
{
	unsigned long flags = HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED;

	if (cpuid)
		return flags;
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
#if HWLOC_API_VERSION >= 0x00020800
	flags |= HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS | HWLOC_TOPOLOGY_FLAG_NO_CPUKINDS;
#endif
	return flags;
}

static int load(hwloc_topology_t *topology, const struct core_map_options *options, bool cpuid,
		struct err *err)
{
	hwloc_topology_t loaded = NULL;

	hwloc_topology_init(&loaded);
	xneed(loaded);
	if (options->xml && hwloc_topology_set_xml(loaded, options->xml) < 0) {
		err_set(err, "topology: '%s': not a readable hwloc XML file", options->xml);
		goto fail;
	}
	set_filters(loaded);
	hwloc_topology_set_flags(loaded, load_flags(loaded, cpuid));
	if (hwloc_topology_load(loaded) < 0) {
		err_set(err, "topology: '%s': hwloc cannot load it: %s",
			options->xml ? options->xml : "this machine", strerror(errno));
		goto fail;
	}
	*topology = loaded;
	return 0;
fail:
	hwloc_topology_destroy(loaded);
	return -1;
}

static int load_fast(hwloc_topology_t *topology, const struct core_map_options *options,
		     struct err *err)
{
	bool cpuid = options->xml || access(HYBRID_MARK, F_OK) == 0;

	if (load(topology, options, cpuid, err) < 0)
		return -1;
	if (cpuid || hwloc_get_nbobjs_by_type(*topology, HWLOC_OBJ_CORE) > 0)
		return 0;
	hwloc_topology_destroy(*topology);
	return load(topology, options, true, err);
}

/* ---- E-cores: xcpuinfo.c:_remove_ecores, 23.02 and later ------------------ */

#if HWLOC_API_VERSION > 0x00020401

struct kind {
	hwloc_bitmap_t cpuset;
	bool intel_core;
	const char *mhz;
};

static int read_kind(hwloc_topology_t topology, unsigned int index, struct kind *kind)
{
#if HWLOC_API_VERSION >= 0x00030000
	struct hwloc_infos_s *list;
	unsigned int count;
	struct hwloc_info_s *infos;

	if (hwloc_cpukinds_get_info(topology, index, kind->cpuset, NULL, &list, 0) < 0)
		return -1;
	count = list->count;
	infos = list->array;
#else
	struct hwloc_info_s *infos;
	unsigned int count = 0;

	if (hwloc_cpukinds_get_info(topology, index, kind->cpuset, NULL, &count, &infos, 0) < 0)
		return -1;
#endif
	kind->intel_core = false;
	kind->mhz = NULL;
	for (unsigned int i = 0; i < count; i++) {
		if (!strcasecmp(infos[i].name, "CoreType") &&
		    !strcasecmp(infos[i].value, "IntelCore"))
			kind->intel_core = true;
		if (!strcasecmp(infos[i].name, "FrequencyMaxMHz") && !kind->mhz)
			kind->mhz = infos[i].value;
	}
	return 0;
}

/*
 * 23.02 .. 24.05: the first kind that is IntelCore. 24.11 .. 25.11.2: that one
 * and all of its frequency. 25.11.3 and later: every IntelCore kind and all of
 * their frequencies.
 */
static bool is_kept(const struct kind *kinds, unsigned int count, unsigned int index,
		    unsigned int version)
{
	bool every = version >= VERSION_OF(25, 11, 3);
	bool by_mhz = version >= VERSION_OF(24, 11, 0);

	for (unsigned int i = 0; i < count; i++) {
		if (!kinds[i].intel_core)
			continue;
		if (i == index)
			return true;
		if (by_mhz && kinds[i].mhz && kinds[index].mhz &&
		    !strcasecmp(kinds[i].mhz, kinds[index].mhz))
			return true;
		if (!every)
			break;
	}
	return false;
}

static void free_kinds(struct kind *kinds, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		hwloc_bitmap_free(kinds[i].cpuset);
	free(kinds);
}

static int drop_ecores(hwloc_topology_t topology, const struct core_map_options *options,
		       bool *dropped, struct err *err)
{
	int count = hwloc_cpukinds_get_nr(topology, 0);
	struct kind *kinds;
	hwloc_bitmap_t keep;
	int rc = -1;

	if (options->slurm_version < VERSION_OF(23, 2, 0) || options->allow_ecores || count <= 0)
		return 0;
	kinds = xcalloc((size_t)count, sizeof(*kinds));
	keep = xneed(hwloc_bitmap_alloc());
	for (int i = 0; i < count; i++) {
		kinds[i].cpuset = xneed(hwloc_bitmap_alloc());
		if (read_kind(topology, (unsigned int)i, &kinds[i]) < 0) {
			err_set(err, "core map: cannot read the kinds of CPUs");
			goto out;
		}
	}
	for (int i = 0; i < count; i++)
		if (is_kept(kinds, (unsigned int)count, (unsigned int)i, options->slurm_version))
			hwloc_bitmap_or(keep, keep, kinds[i].cpuset);
	rc = 0;
	if (hwloc_bitmap_iszero(keep) ||
	    hwloc_bitmap_isincluded(hwloc_topology_get_topology_cpuset(topology), keep))
		goto out;
	if (hwloc_topology_restrict(topology, keep, 0) < 0)
		rc = err_set(err, "core map: hwloc cannot leave out E-cores");
	else
		*dropped = true;
out:
	hwloc_bitmap_free(keep);
	free_kinds(kinds, (unsigned int)count);
	return rc;
}

#else

static int drop_ecores(hwloc_topology_t topology, const struct core_map_options *options,
		       bool *dropped, struct err *err)
{
	(void)topology;
	(void)options;
	(void)dropped;
	(void)err;
	return 0;
}

#endif

/* ---- the walk: xcpuinfo.c:xcpuinfo_hwloc_topo_get -------------------------- */

static void read_level(hwloc_topology_t topology, int depth, struct level *level)
{
	unsigned int count = hwloc_get_nbobjs_by_depth(topology, depth);

	level->total = count;
	level->obj = xcalloc(count + 1, sizeof(*level->obj));
	for (unsigned int i = 0; i < count; i++) {
		hwloc_obj_t obj = hwloc_get_obj_by_depth(topology, depth, i);

		/* hwloc_get_obj_inside_cpuset_by_depth() skips empty ones */
		if (obj->cpuset && !hwloc_bitmap_iszero(obj->cpuset))
			level->obj[level->count++] = obj;
	}
}

/* xcpuinfo.c:_core_child_count */
static unsigned int count_cores(hwloc_obj_t obj)
{
	unsigned int count = 0;

	if (obj->type == HWLOC_OBJ_CORE)
		return 1;
	for (unsigned int i = 0; i < obj->arity; i++)
		count += count_cores(obj->children[i]);
	return count;
}

static hwloc_obj_type_t socket_type(hwloc_topology_t topology, enum core_map_socket socket)
{
	hwloc_obj_t numa;

	if (socket == CORE_MAP_L3CACHE)
		return HWLOC_OBJ_L3CACHE;
	if (socket == CORE_MAP_NUMA_NODE) {
		numa = hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, 0);
		if (numa && numa->parent)
			return numa->parent->type;
	}
	return HWLOC_OBJ_PACKAGE;
}

/* Groups below the root are boards. */
static unsigned int count_boards(hwloc_topology_t topology)
{
	hwloc_obj_t root = hwloc_get_root_obj(topology);
	hwloc_obj_t child = hwloc_get_next_child(topology, root, NULL);

	if (!child || child->type != HWLOC_OBJ_GROUP)
		return 1;
	return hwloc_get_nbobjs_by_depth(topology, child->depth);
}

static void find_sockets(struct walk *walk, hwloc_obj_type_t type)
{
	int depth = hwloc_get_type_depth(walk->topology, type);
	unsigned int count;

	/* Groups on several levels: "can not handle nobj[SOCKET] = -1" */
	if (depth == HWLOC_TYPE_DEPTH_MULTIPLE)
		walk->fatal = true;
	count = depth < 0 ? 0 : hwloc_get_nbobjs_by_depth(walk->topology, depth);
	if (count >= SOCKETS_MAX) {
		walk->fatal = true; /* "Socket count exceeds 1024" */
		count = 0;
	}
	walk->cores_in = xcalloc(count + 1, sizeof(*walk->cores_in));
	walk->used = xcalloc(count + 1, sizeof(*walk->used));
	if (count)
		read_level(walk->topology, depth, &walk->sockets);
	walk->socket_count = count;
	for (unsigned int i = 0; i < count; i++) {
		walk->cores_in[i] = count_cores(hwloc_get_obj_by_depth(walk->topology, depth, i));
		walk->used[i] = walk->cores_in[i] > 0;
		walk->used_count += walk->used[i];
	}
	if (!walk->used_count) {
		/* "fudging nobj[SOCKET]": sockets without cores count too */
		for (unsigned int i = 0; i < count; i++)
			walk->used[i] = true;
		walk->used_count = count ? count : 1;
	}
}

static void measure(struct core_map *map, const struct walk *walk, unsigned int cpus)
{
	struct core_map_shape *shape = &map->shape;
	unsigned int cores = walk->cores.total; /* hwloc_get_nbobjs_by_type() */

	if (walk->cores.count < cores)
		map->flaws |= CORE_MAP_EMPTY_CORES;
	if (!cores) {
		cores = 1; /* "fudging nobj[CORE] from 0 to 1" */
		map->flaws |= CORE_MAP_NO_CORES;
	}
	if (walk->fatal)
		map->flaws |= CORE_MAP_FATAL;
	else if (!walk->socket_count)
		map->flaws |= CORE_MAP_NO_SOCKETS;
	if (cpus % cores)
		map->flaws |= CORE_MAP_UNEVEN_THREADS;
	if (cores % walk->used_count)
		map->flaws |= CORE_MAP_UNEVEN_CORES;
	shape->cpus = cpus;
	shape->boards = count_boards(walk->topology);
	if (walk->used_count % shape->boards)
		map->flaws |= CORE_MAP_UNEVEN_BOARDS;
	shape->sockets = walk->used_count;
	shape->cores = cores / walk->used_count;
	shape->threads = cpus / cores;
}

/* Use hwloc's order of a core's threads, which is not that of their numbers if there are caches or
 * groups below the core. */
static void set_core(struct core_map *map, const struct walk *walk, unsigned int core,
		     hwloc_obj_t obj)
{
	unsigned int threads = map->shape.threads, cpus = map->shape.cpus;
	hwloc_obj_t pu = NULL;

	for (unsigned int thread = 0; thread < threads; thread++) {
		unsigned int abs_cpu = core * threads + thread;

		pu = hwloc_get_next_obj_inside_cpuset_by_type(walk->topology, obj->cpuset,
							      HWLOC_OBJ_PU, pu);
		if (!pu)
			return;
		if (pu->os_index >= cpus || abs_cpu >= cpus)
			continue; /* "out of range": keeps its default */
		map->block[abs_cpu] = pu->os_index;
		cpuset_add(&map->set, abs_cpu);
	}
}

static void fill_block(struct core_map *map, const struct walk *walk)
{
	unsigned int core = 0;

	for (unsigned int i = 0; i < map->shape.cpus; i++)
		map->block[i] = i;
	for (unsigned int s = 0; s < walk->socket_count; s++) {
		unsigned int in = 0;

		if (!walk->used[s])
			continue;
		/* The s-th socket here is the s-th one with a CPU. */
		for (unsigned int c = 0;
		     s < walk->sockets.count && c < walk->cores.count && in < walk->cores_in[s];
		     c++) {
			hwloc_obj_t obj = walk->cores.obj[c];

			if (!hwloc_bitmap_isincluded(obj->cpuset, walk->sockets.obj[s]->cpuset))
				continue;
			set_core(map, walk, core + in, obj);
			in++;
		}
		core += walk->cores_in[s];
	}
}

static void add_bits(struct cpuset *set, hwloc_const_bitmap_t bits)
{
	int bit;

	for (bit = hwloc_bitmap_first(bits); bit >= 0; bit = hwloc_bitmap_next(bits, bit))
		cpuset_add(set, (unsigned int)bit);
}

/* Set the machine's own cores, to compare with Slurm's. */
static int fill_cores(struct core_map *map, const struct walk *walk)
{
	int depth = hwloc_get_type_depth(walk->topology, HWLOC_OBJ_PU);
	unsigned int cpus = hwloc_get_nbobjs_by_depth(walk->topology, depth);

	for (unsigned int i = 0; i < cpus; i++) {
		hwloc_obj_t pu = hwloc_get_obj_by_depth(walk->topology, depth, i);

		if (pu->os_index >= CPUSET_MAX)
			return -1;
		cpuset_add(&map->cpus, pu->os_index);
		if (pu->os_index >= cpus)
			map->flaws |= CORE_MAP_SPARSE;
	}
	map->core_count = walk->cores.count;
	for (unsigned int i = 0; i < map->core_count; i++)
		add_bits(&map->cores[i], walk->cores.obj[i]->cpuset);
	return 0;
}

static void find_shift(struct core_map *map)
{
	unsigned int threads = map->shape.threads;

	for (unsigned int i = 0; i < map->shape.cpus; i++) {
		const struct cpuset *core = core_map_core(map, threads ? i / threads : 0);

		if (!core || !cpuset_has(core, map->block[i]))
			map->flaws |= CORE_MAP_SHIFTED;
	}
}

static int build(struct core_map *map, struct walk *walk, enum core_map_socket socket,
		 struct err *err)
{
	int core_depth = hwloc_get_type_depth(walk->topology, HWLOC_OBJ_CORE);
	int cpus = hwloc_get_nbobjs_by_type(walk->topology, HWLOC_OBJ_PU);

	if (cpus <= 0 || cpus > CPUSET_MAX)
		return err_set(err, "core map: %d CPUs: must be 1 to %d", cpus, CPUSET_MAX);
	if (core_depth >= 0)
		read_level(walk->topology, core_depth, &walk->cores);
	find_sockets(walk, socket_type(walk->topology, socket));
	measure(map, walk, (unsigned int)cpus);
	map->block = xcalloc((size_t)cpus, sizeof(*map->block));
	map->cores = xcalloc(walk->cores.count + 1, sizeof(*map->cores));
	fill_block(map, walk);
	if (fill_cores(map, walk) < 0)
		return err_set(err, "core map: an OS CPU number is beyond %d", CPUSET_MAX - 1);
	find_shift(map);
	return 0;
}

static void free_walk(struct walk *walk)
{
	free(walk->cores.obj);
	free(walk->sockets.obj);
	free(walk->cores_in);
	free(walk->used);
}

struct core_map *core_map_load(const struct core_map_options *options, struct err *err)
{
	struct core_map *map = xcalloc(1, sizeof(*map));
	struct walk walk = { 0 };
	bool dropped = false;
	int rc = -1;

	if (load_fast(&walk.topology, options, err) < 0)
		goto out;
	if (drop_ecores(walk.topology, options, &dropped, err) == 0)
		rc = build(map, &walk, options->socket, err);
	if (dropped)
		map->flaws |= CORE_MAP_ECORES_DROPPED;
	hwloc_topology_destroy(walk.topology);
out:
	free_walk(&walk);
	if (rc < 0) {
		core_map_free(map);
		map = NULL;
	}
	return map;
}
