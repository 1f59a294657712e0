/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU time of computing a node's reservation, and of other ways to find it.
 * Medians; run by `make bench`. */
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/version.h"
#include "cores/core_map_load.h"
#include "cores/node_load.h"
#include "cores/reservation.h"
#include "tests/bench/result.h"
#include "tests/bench/times.h"

#define ROUNDS_MAX 2000

static char folder[64] = "/tmp/jobio-bench-XXXXXX";
static char helper[128], xml[128];

static const char record[] =
	"#!/bin/sh\n"
	"echo '{\"name\":\"n1\",\"cpus\":384,\"boards\":1,\"sockets\":2,\"cores_per_socket\":96,\"threads_per_core\":2,\"core_spec_count\":2,\"cpu_spec_list\":\"190-191,382-383\",\"version\":\"24.11.5\",\"conf_read_at\":9999999999,\"allow_spec_resources_usage\":true,\"select_type\":\"select/cons_tres\"}'\n";

static void die(const char *what, const struct err *err)
{
	fprintf(stderr, "bench_cores: %s: %s\n", what, err->text);
	exit(1);
}

static void reserve(const struct node_state *state)
{
	static const struct reservation_request request = { RESERVATION_CORES, 4 };
	struct reservation got;
	struct err err;

	if (reservation_compute(&state->node, state->map, &request, &got, &err) < 0)
		die("reservation", &err);
	reservation_free(&got);
}

/* As a prolog does. */
static void from_cache(void)
{
	struct node_state state = { 0 };
	struct err err = { "" };

	if (node_cached(folder, &state, &err) != 1)
		die("the cache does not hold", &err);
	reserve(&state);
	node_state_free(&state);
}

static void from_topology(const char *path)
{
	struct core_map_options options = {
		.xml = path,
		.slurm_version = VERSION_OF(24, 11, 5),
	};
	struct err err;
	struct core_map *map = core_map_load(&options, &err);

	if (!map)
		die("topology", &err);
	core_map_free(map);
}

static void from_sysfs(void)
{
	from_topology(NULL);
}

static void from_xml(void)
{
	from_topology(xml);
}

static void run(const char *command)
{
	char *argv[] = { "/bin/sh", "-c", (char *)command, NULL };
	struct child_result result;
	struct err err;

	if (child_run(argv, NULL, 10000, &result, &err) < 0)
		die(command, &err);
	if (result.status) {
		err_set(&err, "ended with status %d", result.status);
		die(command, &err);
	}
	child_result_free(&result);
}

static void hwloc_calc(void)
{
	run("hwloc-calc --whole-system --po --intersect pu core:1");
}

/* The published recipe: the highest CPU of a socket in lscpu. */
static void lscpu(void)
{
	run("lscpu -a --extended | grep -E ':0[[:space:]]+' | tail -n 1 | awk '{print $1}'");
}

static int has_hwloc_calc(void)
{
	return system("command -v hwloc-calc >/dev/null") == 0;
}

static int rounds_most = ROUNDS_MAX;

static double bench(void (*what)(void), int rounds)
{
	static double times[ROUNDS_MAX];

	if (rounds > rounds_most)
		rounds = rounds_most;
	what();
	for (int i = 0; i < rounds; i++) {
		double start = now_us();

		what();
		times[i] = now_us() - start;
	}
	return median(times, rounds);
}

static void write_machine(void)
{
	hwloc_topology_t topology;

	snprintf(xml, sizeof(xml), "%s/machine.xml", folder);
	if (hwloc_topology_init(&topology) < 0 ||
	    hwloc_topology_set_synthetic(
		    topology, "package:2 numa:4 l3:3 core:8 pu:2(indexes=core:pu)") < 0 ||
	    hwloc_topology_load(topology) < 0 || hwloc_topology_export_xml(topology, xml, 0) < 0)
		exit(1);
	hwloc_topology_destroy(topology);
}

/* Write a cache for a node of 384 CPUs. */
static void write_cache(void)
{
	struct node_state state = { 0 };
	struct err err;

	snprintf(helper, sizeof(helper), "%s/helper", folder);
	if (fileio_write(helper, record, strlen(record), 0755, &err) < 0)
		die("helper", &err);
	setenv("HWLOC_XMLFILE", xml, 1);
	if (node_refresh(folder, helper, NULL, 5000, &state, &err) < 0)
		die("cache", &err);
	node_state_free(&state);
	unsetenv("HWLOC_XMLFILE");
}

static double line(const char *what, double us, double base)
{
	printf("%-46s %10.0f us %8.1f x\n", what, us, base > 0 ? us / base : 1);
	return us;
}

/* bench_cores [ROUNDS]: at most ROUNDS rounds */
int main(int argc, char **argv)
{
	double cache, hwloc = 0, recipe;
	char measured[32], beside[256], calc[64] = "";
	struct err err;

	if (argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) < ROUNDS_MAX)
		rounds_most = atoi(argv[1]);
	if (!mkdtemp(folder))
		return 1;
	write_machine();
	write_cache();
	printf("which CPUs does Slurm withhold: medians\n");
	cache = line("prolog: cached record and map, 384 CPUs", bench(from_cache, 1000), 0);
	line("prolog, first after slurmd: sysfs, this machine", bench(from_sysfs, 200), cache);
	line("recorded machine of 384 CPUs (XML)", bench(from_xml, 50), cache);
	if (has_hwloc_calc())
		hwloc = line("hwloc-calc core:1, this machine", bench(hwloc_calc, 30), cache);
	else
		printf("%-46s %13s\n", "hwloc-calc core:1, this machine", "not installed");
	recipe = line("lscpu recipe, this machine", bench(lscpu, 30), cache);
	if (fileio_rmtree(folder, &err) < 0)
		die(folder, &err);
	snprintf(measured, sizeof(measured), "%.2f ms", cache / 1000);
	if (hwloc > 0)
		snprintf(calc, sizeof(calc), "hwloc-calc takes %.1f ms (%.0f x), ", hwloc / 1000,
			 hwloc / cache);
	snprintf(beside, sizeof(beside),
		 "on this machine %sthe lscpu recipe takes %.1f ms (%.0f x)", calc, recipe / 1000,
		 recipe / cache);
	result("prolog: reservation on a node of 384 CPUs", measured, "2 ms", beside);
	if (cache >= 2000) {
		fprintf(stderr, "bench_cores: the prolog's way takes %.0f us, 2000 are allowed\n",
			cache);
		return 1;
	}
	return 0;
}
