/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/diff/machine.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 256U

struct plan {
	unsigned int groups, sockets, numas, l3s, cores, threads; /* per parent */
	unsigned int numbering;
	bool holes, forbidden, hybrid;
};

enum {
	BLOCK,	     /* cores first, then their siblings: Intel */
	ADJACENT,    /* siblings side by side: POWER, some BIOSes */
	INTERLEAVED, /* sockets in turn: Dell, HPE */
	INTERLEAVED_ADJACENT,
	NUMA_INTERLEAVED,
	SWAPPED, /* last socket first */
	SCRAMBLED,
	NUMBERINGS
};

static const char *const numbering_names[] = {
	"block",   "adjacent",	"interleaved", "interleaved-adjacent", "numa-interleaved",
	"swapped", "scrambled",
};

/* Scatter the seed: neighbouring seeds would give similar sequences. */
void dice_seed(struct dice *dice, uint64_t seed)
{
	dice->state = seed * 0xd1342543de82ef95U + 1;
	dice->state ^= dice->state >> 29;
	dice->state *= 0xff51afd7ed558ccdU;
	dice->state ^= dice->state >> 32;
}

/* splitmix64 */
unsigned int dice_roll(struct dice *dice, unsigned int sides)
{
	uint64_t z = dice->state += 0x9e3779b97f4a7c15U;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
	return (unsigned int)((z ^ (z >> 31)) % sides);
}

static unsigned int pick(struct dice *dice, const unsigned int *from, unsigned int count)
{
	return from[dice_roll(dice, count)];
}

static unsigned int plan_cpus(const struct plan *plan)
{
	return plan->groups * plan->sockets * plan->numas * plan->l3s * plan->cores * plan->threads;
}

static void draw_plan(struct plan *plan, struct dice *dice)
{
	static const unsigned int smt[] = { 1, 1, 2, 2, 2, 4, 8 };
	static const unsigned int numas[] = { 1, 1, 1, 2, 2, 4 };
	static const unsigned int l3s[] = { 1, 1, 2, 3, 4 };
	static const unsigned int groups[] = { 1, 1, 1, 1, 1, 2, 4 };

	do {
		plan->groups = pick(dice, groups, 7);
		plan->sockets = 1 + dice_roll(dice, 8);
		plan->numas = pick(dice, numas, 6);
		plan->l3s = pick(dice, l3s, 5);
		plan->cores = 1 + dice_roll(dice, 12);
		plan->threads = pick(dice, smt, 7);
	} while (plan_cpus(plan) > CPUS_MAX || plan_cpus(plan) / plan->threads < 2);
	plan->numbering = dice_roll(dice, NUMBERINGS);
	plan->holes = dice_roll(dice, 6) == 0;
	plan->forbidden = dice_roll(dice, 10) == 0;
	plan->hybrid = dice_roll(dice, 8) == 0;
}

static void scramble(unsigned int *os, unsigned int count, struct dice *dice)
{
	for (unsigned int i = count - 1; i > 0; i--) {
		unsigned int j = dice_roll(dice, i + 1), keep = os[i];

		os[i] = os[j];
		os[j] = keep;
	}
}

/* os[i]: the OS number of the i-th thread in the order of the tree. */
static void number(unsigned int *os, const struct plan *plan, struct dice *dice)
{
	unsigned int cpus = plan_cpus(plan), threads = plan->threads;
	unsigned int packs = plan->groups * plan->sockets;
	unsigned int cores = cpus / threads, per_pack = cores / packs;
	unsigned int numas = packs * plan->numas, per_numa = cores / numas;

	for (unsigned int i = 0; i < cpus; i++) {
		unsigned int core = i / threads, thread = i % threads;
		unsigned int pack = core / per_pack, numa = core / per_numa;

		switch (plan->numbering) {
		case BLOCK:
			os[i] = thread * cores + core;
			break;
		case INTERLEAVED:
			os[i] = thread * cores + core % per_pack * packs + pack;
			break;
		case INTERLEAVED_ADJACENT:
			os[i] = (core % per_pack * packs + pack) * threads + thread;
			break;
		case NUMA_INTERLEAVED:
			os[i] = thread * cores + core % per_numa * numas + numa;
			break;
		case SWAPPED:
			os[i] = thread * cores + core % per_pack + (packs - 1 - pack) * per_pack;
			break;
		default:
			os[i] = i;
		}
	}
	if (plan->numbering == SCRAMBLED)
		scramble(os, cpus, dice);
}

static char *synthetic(const struct plan *plan, const unsigned int *os)
{
	unsigned int cpus = plan_cpus(plan);
	char *text = malloc(256 + cpus * 8), *at = text;

	if (!text)
		return NULL;
	*at = '\0';
	if (plan->groups > 1)
		at += sprintf(at, "group:%u ", plan->groups);
	at += sprintf(at, "package:%u numa:%u l3:%u core:%u pu:%u(indexes=", plan->sockets,
		      plan->numas, plan->l3s, plan->cores, plan->threads);
	for (unsigned int i = 0; i < cpus; i++)
		at += sprintf(at, "%s%u", i ? "," : "", os[i]);
	sprintf(at, ")");
	return text;
}

/* Remove up to a quarter of the CPUs: offline CPUs, or whole cores. */
static int make_holes(hwloc_topology_t topology, const struct plan *plan, struct dice *dice)
{
	unsigned int cpus = plan_cpus(plan);
	unsigned int count = 1 + dice_roll(dice, cpus / 4 + 1);
	hwloc_bitmap_t keep = hwloc_bitmap_alloc();
	bool whole = dice_roll(dice, 2);
	int rc;

	hwloc_bitmap_set_range(keep, 0, (int)cpus - 1);
	for (unsigned int i = 0; i < count; i++) {
		unsigned int cpu = dice_roll(dice, cpus);
		hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, cpu);

		if (whole && pu && pu->parent->type == HWLOC_OBJ_CORE)
			hwloc_bitmap_andnot(keep, keep, pu->parent->cpuset);
		else
			hwloc_bitmap_clr(keep, cpu);
	}
	if (hwloc_bitmap_weight(keep) < 2 ||
	    !hwloc_bitmap_intersects(keep, hwloc_topology_get_topology_cpuset(topology)))
		hwloc_bitmap_set_range(keep, 0, (int)cpus - 1);
	rc = hwloc_topology_restrict(topology, keep, 0);
	hwloc_bitmap_free(keep);
	return rc;
}

/* Forbid CPUs as a cgroup does: present, but not usable by this process. */
static int forbid(hwloc_topology_t topology, struct dice *dice)
{
	hwloc_bitmap_t allowed = hwloc_bitmap_dup(hwloc_topology_get_topology_cpuset(topology));
	int last = hwloc_bitmap_last(allowed), rc;

	for (int i = 0; i < last; i++)
		if (dice_roll(dice, 4) == 0)
			hwloc_bitmap_clr(allowed, (unsigned int)i);
	rc = hwloc_topology_allow(topology, allowed, NULL, HWLOC_ALLOW_FLAG_CUSTOM);
	hwloc_bitmap_free(allowed);
	return rc;
}

#if HWLOC_API_VERSION >= 0x00020400 && HWLOC_API_VERSION < 0x00030000

static int add_kind(hwloc_topology_t topology, hwloc_const_bitmap_t cpus, const char *type,
		    const char *mhz)
{
	struct hwloc_info_s infos[] = { { (char *)"CoreType", (char *)type },
					{ (char *)"FrequencyMaxMHz", (char *)mhz } };

	if (hwloc_bitmap_iszero(cpus))
		return 0;
	return hwloc_cpukinds_register(topology, (hwloc_bitmap_t)cpus, -1, 2, infos, 0);
}

/*
 * Intel's hybrid kinds: the last cores are efficient ones without siblings;
 * the others have one or two speeds. In some machines the type of some cores
 * is unknown, as in a cgroup.
 */
static int make_hybrid(hwloc_topology_t topology, struct dice *dice)
{
	hwloc_bitmap_t kinds[3], gone = hwloc_bitmap_alloc();
	int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
	int fast = 1 + (int)dice_roll(dice, (unsigned int)cores);
	bool two = dice_roll(dice, 2), untold = dice_roll(dice, 3) == 0;
	int rc;

	for (int i = 0; i < 3; i++)
		kinds[i] = hwloc_bitmap_alloc();
	for (int i = 0; i < cores; i++) {
		hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned int)i);
		hwloc_bitmap_t rest = hwloc_bitmap_dup(core->cpuset);

		if (i >= fast) { /* one thread only */
			hwloc_bitmap_clr(rest, (unsigned int)hwloc_bitmap_first(rest));
			hwloc_bitmap_or(gone, gone, rest);
			hwloc_bitmap_set(kinds[2], (unsigned int)hwloc_bitmap_first(core->cpuset));
		} else {
			hwloc_bitmap_or(kinds[two && i % 2], kinds[two && i % 2], core->cpuset);
		}
		hwloc_bitmap_free(rest);
	}
	rc = add_kind(topology, kinds[2], "IntelAtom", "3200");
	if (rc == 0)
		rc = add_kind(topology, kinds[0], "IntelCore", "4900");
	if (rc == 0)
		rc = add_kind(topology, kinds[1], untold ? "unknown" : "IntelCore",
			      untold ? "4900" : "5000");
	hwloc_bitmap_not(gone, gone);
	if (rc == 0)
		rc = hwloc_topology_restrict(topology, gone, 0);
	for (int i = 0; i < 3; i++)
		hwloc_bitmap_free(kinds[i]);
	hwloc_bitmap_free(gone);
	return rc;
}

#else

static int make_hybrid(hwloc_topology_t topology, struct dice *dice)
{
	(void)topology;
	(void)dice;
	return 0;
}

#endif

static int build(const struct plan *plan, struct dice *dice, const char *xml)
{
	unsigned int *os = calloc(plan_cpus(plan), sizeof(*os));
	hwloc_topology_t topology;
	char *text = NULL;
	int rc = -1;

	if (!os || hwloc_topology_init(&topology) < 0)
		goto out;
	number(os, plan, dice);
	text = synthetic(plan, os);
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (text && hwloc_topology_set_synthetic(topology, text) == 0 &&
	    hwloc_topology_load(topology) == 0 &&
	    (!plan->hybrid || make_hybrid(topology, dice) == 0) &&
	    (!plan->holes || make_holes(topology, plan, dice) == 0) &&
	    (!plan->forbidden || forbid(topology, dice) == 0))
		rc = hwloc_topology_export_xml(topology, xml, 0);
	hwloc_topology_destroy(topology);
out:
	free(os);
	free(text);
	return rc;
}

static const char *const kinds[] = {
	"", "", "", "allow_ecores", "l3cache_as_socket", "numa_node_as_socket",
};

int machine_draw(struct machine *machine, struct dice *dice, const char *xml, struct err *err)
{
	struct plan plan;

	draw_plan(&plan, dice);
	machine->slurmd_parameters = kinds[dice_roll(dice, 6)];
	snprintf(machine->text, sizeof(machine->text),
		 "%ux%u sockets, %u NUMA, %u L3, %u cores, SMT%u, %s%s%s%s%s%s", plan.groups,
		 plan.sockets, plan.numas, plan.l3s, plan.cores, plan.threads,
		 numbering_names[plan.numbering], plan.hybrid ? ", hybrid" : "",
		 plan.holes ? ", holes" : "", plan.forbidden ? ", forbidden" : "",
		 *machine->slurmd_parameters ? ", " : "", machine->slurmd_parameters);
	if (build(&plan, dice, xml) < 0)
		return err_set(err, "machine '%s': hwloc cannot build it", machine->text);
	return 0;
}

/* ---- odd ones ------------------------------------------------------------------ */

#define ODD_LEVELS 5
#define ODD_TRIES 200

struct odd {
	char text[MACHINE_TEXT_MAX]; /* hwloc's synthetic description: "package:2 core:3 pu:2" */
	unsigned int cpus;
	unsigned int first, step; /* OS numbers */
	bool scrambled, lopsided, forbidden, hybrid, no_packages, no_cores;
};

/* Levels in any order; hwloc refuses some orders, then another one is drawn. */
static void draw_odd(struct odd *odd, struct dice *dice)
{
	static const char *const levels[] = { "package", "package", "numa", "die", "group",
					      "l3",	 "l2",	    "core", "core" };
	static const char *const memory[] = { "", "", "", " [numa]", " [numa] [numa]" };
	unsigned int count = 1 + dice_roll(dice, ODD_LEVELS);
	char *at = odd->text;
	unsigned int arity;

	odd->cpus = 1;
	*at = '\0';
	for (unsigned int i = 0; i < count; i++) {
		arity = 1 + dice_roll(dice, i + 1 == count ? 9 : 4);
		odd->cpus *= arity;
		at += sprintf(at, "%s:%u%s ", levels[dice_roll(dice, 9)], arity,
			      memory[dice_roll(dice, 5)]);
	}
	arity = 1 + dice_roll(dice, 3);
	odd->cpus *= arity;
	sprintf(at, "pu:%u", arity);
	odd->scrambled = dice_roll(dice, 2);
	odd->first = dice_roll(dice, 4) ? 0 : dice_roll(dice, 70);
	odd->step = 1 + (dice_roll(dice, 8) == 0);
	odd->lopsided = dice_roll(dice, 2);
	odd->forbidden = dice_roll(dice, 5) == 0;
	odd->hybrid = dice_roll(dice, 8) == 0;
	odd->no_packages = dice_roll(dice, 8) == 0;
	odd->no_cores = dice_roll(dice, 8) == 0;
}

static char *odd_synthetic(const struct odd *odd, struct dice *dice)
{
	unsigned int *os = calloc(odd->cpus, sizeof(*os));
	char *text = malloc(MACHINE_TEXT_MAX + 32 + odd->cpus * 8), *at = text;

	for (unsigned int i = 0; os && i < odd->cpus; i++)
		os[i] = odd->first + i * odd->step;
	if (os && odd->scrambled)
		scramble(os, odd->cpus, dice);
	if (at && os) {
		at += sprintf(at, "%s(indexes=", odd->text);
		for (unsigned int i = 0; i < odd->cpus; i++)
			at += sprintf(at, "%s%u", i ? "," : "", os[i]);
		sprintf(at, ")");
	}
	free(os);
	return text;
}

/* Remove threads from some cores, and cores from some of the objects above them. */
static int make_lopsided(hwloc_topology_t topology, struct dice *dice)
{
	hwloc_const_bitmap_t all = hwloc_topology_get_topology_cpuset(topology);
	hwloc_bitmap_t keep = hwloc_bitmap_dup(all);
	int depth = hwloc_topology_get_depth(topology), rc = 0;

	for (unsigned int i = 1 + dice_roll(dice, 4); i > 0; i--) {
		int at = (int)dice_roll(dice, (unsigned int)depth - 1) + 1;
		unsigned int width = hwloc_get_nbobjs_by_depth(topology, at);
		hwloc_obj_t object = hwloc_get_obj_by_depth(topology, at, dice_roll(dice, width));

		hwloc_bitmap_andnot(keep, keep, object->cpuset);
	}
	if (hwloc_bitmap_weight(keep) >= 2)
		rc = hwloc_topology_restrict(topology, keep, 0);
	hwloc_bitmap_free(keep);
	return rc;
}

static int build_odd(const struct odd *odd, struct dice *dice, const char *xml)
{
	char *text = odd_synthetic(odd, dice);
	hwloc_topology_t topology;
	int rc = -1;

	if (!text || hwloc_topology_init(&topology) < 0)
		goto out;
	hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_set_synthetic(topology, text) == 0 &&
	    (!odd->no_packages ||
	     hwloc_topology_set_type_filter(topology, HWLOC_OBJ_PACKAGE,
					    HWLOC_TYPE_FILTER_KEEP_NONE) == 0) &&
	    (!odd->no_cores || hwloc_topology_set_type_filter(topology, HWLOC_OBJ_CORE,
							      HWLOC_TYPE_FILTER_KEEP_NONE) == 0) &&
	    hwloc_topology_load(topology) == 0 &&
	    (!odd->hybrid || hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) < 1 ||
	     make_hybrid(topology, dice) == 0) &&
	    (!odd->lopsided || make_lopsided(topology, dice) == 0) &&
	    (!odd->forbidden || forbid(topology, dice) == 0))
		rc = hwloc_topology_export_xml(topology, xml, 0);
	hwloc_topology_destroy(topology);
out:
	free(text);
	return rc;
}

int machine_draw_odd(struct machine *machine, struct dice *dice, const char *xml, struct err *err)
{
	struct odd odd;

	machine->slurmd_parameters = kinds[dice_roll(dice, 6)];
	for (unsigned int tries = 0; tries < ODD_TRIES; tries++) {
		draw_odd(&odd, dice);
		if (odd.cpus < 2 || odd.cpus > CPUS_MAX || build_odd(&odd, dice, xml) < 0)
			continue;
		snprintf(machine->text, sizeof(machine->text), "%.160s, OS %u+%u%s%s%s%s%s%s%s%s",
			 odd.text, odd.first, odd.step, odd.scrambled ? ", scrambled" : "",
			 odd.lopsided ? ", lopsided" : "", odd.forbidden ? ", forbidden" : "",
			 odd.hybrid ? ", hybrid" : "", odd.no_packages ? ", no packages" : "",
			 odd.no_cores ? ", no cores" : "", *machine->slurmd_parameters ? ", " : "",
			 machine->slurmd_parameters);
		return 0;
	}
	return err_set(err, "hwloc refused %d odd machines", ODD_TRIES);
}
