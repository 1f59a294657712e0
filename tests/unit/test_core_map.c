/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Odd machines, and maps as text. What slurmd makes of real machines is in
 * test_oracle.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

#include "lib/core_map.h"
#include "lib/fileio.h"
#include "lib/locality.h"
#include "lib/version.h"
#include "tests/machines/machines.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct err err;

/* NULL: it is told why not. */
static struct core_map *try_load(const char *machine, struct core_map_options options)
{
	static char table[60000];
	struct core_map *map;

	tempdir_make();
	snprintf(table, sizeof(table), "machine m\n%s", machine);
	options.xml = tempdir_path("m.xml");
	ck_assert_msg(machines_write(tempdir_put("table", table), "m", options.xml, &err) == 0,
		      "%s", err.text);
	map = core_map_load(&options, &err);
	tempdir_remove();
	return map;
}

static struct core_map *load_for(const char *machine, struct core_map_options options)
{
	struct core_map *map = try_load(machine, options);

	ck_assert_msg(map != NULL, "%s", err.text);
	return map;
}

static struct core_map *load(const char *machine, enum core_map_socket socket)
{
	return load_for(machine, (struct core_map_options){
					 .socket = socket,
					 .slurm_version = VERSION_OF(24, 11, 5),
				 });
}

static void expect(const char *machine, enum core_map_socket socket, unsigned int sockets,
		   unsigned int cores, unsigned int threads, unsigned int flaws)
{
	struct core_map *map = load(machine, socket), *again;
	const struct core_map_shape *shape = core_map_shape(map);
	char *text = core_map_format(map), *text_again;

	ck_assert_uint_eq(shape->sockets, sockets);
	ck_assert_uint_eq(shape->cores, cores);
	ck_assert_uint_eq(shape->threads, threads);
	ck_assert_uint_eq(core_map_flaws(map), flaws);
	/* as text it is the same map */
	again = core_map_parse(text, &err);
	ck_assert_msg(again != NULL, "%s", err.text);
	text_again = core_map_format(again);
	ck_assert_str_eq(text_again, text);
	free(text);
	free(text_again);
	core_map_free(again);
	core_map_free(map);
}

START_TEST(a_regular_machine_has_no_flaw)
{
	expect("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1 4-5\n"
	       "\tpackage 1\n\t\tcore 2-3 pu 2-3 6-7\n",
	       CORE_MAP_PACKAGE, 2, 2, 2, 0);
}
END_TEST

START_TEST(all_flaws_of_a_machine_are_told)
{
	/* five CPUs on three cores in two sockets */
	expect("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1 3-4\n"
	       "\tpackage 1\n\t\tcore 2 pu 2\n",
	       CORE_MAP_PACKAGE, 2, 1, 1,
	       CORE_MAP_UNEVEN_THREADS | CORE_MAP_UNEVEN_CORES | CORE_MAP_SHIFTED);
	/* CPU 8 is one of four */
	expect("\tnuma 0\n\tpackage 0\n\t\tcore 0-3 pu 0-2,8\n", CORE_MAP_PACKAGE, 1, 4, 1,
	       CORE_MAP_SPARSE | CORE_MAP_SHIFTED);
	/* no cache that could be a socket: the map is the identity */
	expect("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1\n", CORE_MAP_L3CACHE, 1, 2, 1,
	       CORE_MAP_NO_SOCKETS);
}
END_TEST

START_TEST(a_machine_with_one_numa_node_is_one_socket_of_that_kind)
{
	expect("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1\n"
	       "\tpackage 1\n\t\tcore 2-3 pu 2-3\n",
	       CORE_MAP_NUMA_NODE, 1, 4, 1, 0);
	expect("\tpackage 0 numa 0\n\t\tcore 0-1 pu 0-1\n"
	       "\tpackage 1 numa 1\n\t\tcore 2-3 pu 2-3\n",
	       CORE_MAP_NUMA_NODE, 2, 2, 1, 0);
}
END_TEST

START_TEST(a_machine_without_cores_has_one)
{
	expect("\tnuma 0\n\tpackage 0\n\t\tpu 0-1\n", CORE_MAP_PACKAGE, 1, 1, 2,
	       CORE_MAP_NO_CORES | CORE_MAP_SHIFTED);
}
END_TEST

START_TEST(a_topology_that_cannot_be_read_is_told)
{
	struct core_map_options options = { .socket = CORE_MAP_PACKAGE };

	tempdir_make();
	options.xml = tempdir_put("m.xml", "<topology");
	ck_assert_ptr_null(core_map_load(&options, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/m.xml': "));
	options.xml = tempdir_path("none.xml");
	ck_assert_ptr_null(core_map_load(&options, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/none.xml': not a readable hwloc XML file"));
	tempdir_remove();
}
END_TEST

static enum core_map_socket socket_of(const char *parameters, unsigned int version, bool *ecores)
{
	struct core_map_options options = { .socket = CORE_MAP_NUMA_NODE,
					    .slurm_version = version };

	core_map_slurmd_parameters(&options, parameters);
	*ecores = options.allow_ecores;
	return options.socket;
}

START_TEST(what_is_a_socket_hangs_on_slurmds_parameters)
{
	bool ecores;

	ck_assert_int_eq(socket_of(NULL, VERSION_OF(24, 11, 0), &ecores), CORE_MAP_PACKAGE);
	ck_assert(!ecores);
	ck_assert_int_eq(
		socket_of("a,L3CACHE_as_socket,numa_node_as_socket", VERSION_OF(22, 5, 0), &ecores),
		CORE_MAP_L3CACHE);
	ck_assert_int_eq(socket_of("numa_node_as_socket", VERSION_OF(22, 5, 0), &ecores),
			 CORE_MAP_NUMA_NODE);
	ck_assert(!ecores);
	socket_of("allow_ecores", VERSION_OF(24, 5, 0), &ecores);
	ck_assert(ecores);
}
END_TEST

/* Two fast cores with two threads, two slow ones with one. */
static bool drops_ecores(unsigned int version, bool allow)
{
	struct core_map *map = load_for(
		"\tkind 0-3 CoreType=IntelCore\n"
		"\tkind 4-5 CoreType=IntelAtom\n"
		"\tnuma 0\n\tpackage 0\n"
		"\t\tcore 0-1 pu 0-1 2-3\n"
		"\t\tcore 2-3 pu 4-5\n",
		(struct core_map_options){ .slurm_version = version, .allow_ecores = allow });
	unsigned int cores;
	bool is_dropped;

	is_dropped = core_map_flaws(map) & CORE_MAP_ECORES_DROPPED;
	cores = core_map_shape(map)->cores;
	ck_assert_uint_eq(cores, is_dropped ? 2 : 4);
	core_map_free(map);
	return is_dropped;
}

START_TEST(slurmd_leaves_out_slow_cores_since_23_02_unless_it_shall_not)
{
	/* as slurmd, which does not ask an older hwloc for kinds of CPUs */
	const bool does = HWLOC_API_VERSION > 0x00020401;

	ck_assert(!drops_ecores(VERSION_OF(22, 5, 11), false));
	ck_assert(!drops_ecores(VERSION_OF(22, 5, 11), true));
	ck_assert_int_eq(drops_ecores(VERSION_OF(23, 2, 0), false), does);
	ck_assert(!drops_ecores(VERSION_OF(23, 2, 0), true));
	ck_assert_int_eq(drops_ecores(VERSION_OF(25, 11, 3), false), does);
	ck_assert(!drops_ecores(VERSION_OF(25, 11, 3), true));
}
END_TEST

/* The map as text: shape, flaws, all CPUs, which slurmd set, the block map. */
static void expect_text(const char *machine, struct core_map_options options, const char *wanted)
{
	struct core_map *map = load_for(machine, options);
	char *text = core_map_format(map);

	ck_assert_str_eq(text, wanted);
	free(text);
	core_map_free(map);
}

START_TEST(which_kinds_of_cores_slurmd_keeps_hangs_on_its_version)
{
	/* three kinds of fast cores and two of slow ones, a CPU each */
	static const char machine[] =
		"\tkind 0 efficiency=4 CoreType=IntelAtom FrequencyMaxMHz=5100\n"
		"\tkind 1 efficiency=3 CoreType=IntelAtom FrequencyMaxMHz=4800\n"
		"\tkind 2 efficiency=0 CoreType=IntelCore FrequencyMaxMHz=5000\n"
		"\tkind 3 efficiency=1 CoreType=IntelCore FrequencyMaxMHz=5100\n"
		"\tkind 4 efficiency=2 CoreType=IntelCore FrequencyMaxMHz=5000\n"
		"\tkind 5 efficiency=5 CoreType=IntelAtom FrequencyMaxMHz=5000\n"
		"\tnuma 0\n\tpackage 0\n\t\tcore 0-5 pu 0-5\n";
	static const struct {
		unsigned int version;
		const char *cpus;
	} tries[] = {
		{ VERSION_OF(23, 1, 9), "0-5" },    { VERSION_OF(23, 2, 0), "2" },
		{ VERSION_OF(24, 5, 9), "2" },	    { VERSION_OF(24, 11, 0), "2,4-5" },
		{ VERSION_OF(25, 11, 2), "2,4-5" }, { VERSION_OF(25, 11, 3), "0,2-5" },
	};
	struct core_map_options options = { .socket = CORE_MAP_PACKAGE };
	struct core_map *map;
	char *cpus;

	if (HWLOC_API_VERSION <= 0x00020401)
		return;
	/* frequencies that nobody tells are not the same */
	expect_text("\tkind 0 efficiency=0 CoreType=IntelCore LinuxCapacity=9\n"
		    "\tkind 1 efficiency=1 CoreType=IntelCore LinuxCapacity=9\n"
		    "\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1\n",
		    (struct core_map_options){ .slurm_version = VERSION_OF(24, 11, 0) },
		    "core_map/1 1 1 1 1 1 32 0 0 0 0");
	/* no Intel's, or Intel's fast cores only: all are kept */
	expect("\tkind 0 CoreType=IntelAtom\n\tkind 1 FrequencyMaxMHz=9\n"
	       "\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1\n",
	       CORE_MAP_PACKAGE, 1, 2, 1, 0);
	expect("\tkind 0-1 CoreType=IntelCore\n"
	       "\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1\n",
	       CORE_MAP_PACKAGE, 1, 2, 1, 0);
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		options.slurm_version = tries[i].version;
		map = load_for(machine, options);
		cpus = cpuset_format(core_map_cpus(map));
		ck_assert_msg(!strcmp(cpus, tries[i].cpus), "%zu: %s", i, cpus);
		free(cpus);
		core_map_free(map);
	}
}
END_TEST

static void expect_damaged(const char *text)
{
	*err.text = '\0';
	ck_assert_msg(!core_map_parse(text, &err), "%s", text);
	ck_assert_ptr_nonnull(strstr(err.text, "': damaged"));
}

#define GOOD "core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3"

START_TEST(a_damaged_text_is_no_map)
{
	static const char *const damaged[] = {
		"",
		"core_map/2 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 0 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 4 1 0 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 -4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 99999999 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 4 1 2 2 1 65536 0-3 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 4 1 2 2 1 0 3-0 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 4 1 2 2 1 0 0-3 x 0,1,2,3 0;1;2;3",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,4 0;1;2;3",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,-",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,4",
		"core_map/1 +4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 ",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;x",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;-;1",
		"core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3;3",
	};
	struct core_map *map = core_map_parse(GOOD, &err);
	size_t i;

	ck_assert_msg(map != NULL, "%s", err.text);
	ck_assert_uint_eq(core_map_core_count(map), 4);
	ck_assert_int_eq(core_map_os_cpu(map, 3), 3);
	ck_assert_int_eq(core_map_os_cpu(map, 4), -1);
	ck_assert_ptr_null(core_map_core(map, 4));
	ck_assert_int_eq(core_map_core_of(map, 4), -1);
	core_map_free(map);
	for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		expect_damaged(damaged[i]);
	map = core_map_parse("core_map/1 4 1 2 2 1 65535 - - 3,2,1,0 -", &err);
	ck_assert_msg(map != NULL, "%s", err.text);
	ck_assert_uint_eq(core_map_flaws(map), 65535);
	ck_assert(cpuset_is_empty(core_map_cpus(map)));
	ck_assert(!core_map_is_set(map, 0));
	ck_assert_int_eq(core_map_os_cpu(map, 0), 3);
	ck_assert_uint_eq(core_map_core_count(map), 0);
	core_map_free(map);
}
END_TEST

START_TEST(one_flaw_does_not_hide_another)
{
	/* neither cores nor caches */
	expect("\tnuma 0\n\tpackage 0\n\t\tpu 0-1\n", CORE_MAP_L3CACHE, 1, 1, 2,
	       CORE_MAP_NO_CORES | CORE_MAP_NO_SOCKETS | CORE_MAP_SHIFTED);
	expect("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1 3-4\n"
	       "\tpackage 1\n\t\tcore 2 pu 2\n",
	       CORE_MAP_L3CACHE, 1, 3, 1,
	       CORE_MAP_NO_SOCKETS | CORE_MAP_UNEVEN_THREADS | CORE_MAP_SHIFTED);
	expect("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1 3-4\n"
	       "\tpackage 1\n\t\tcore 2 pu 9\n",
	       CORE_MAP_PACKAGE, 2, 1, 1,
	       CORE_MAP_UNEVEN_THREADS | CORE_MAP_UNEVEN_CORES | CORE_MAP_SPARSE |
		       CORE_MAP_SHIFTED);
}
END_TEST

START_TEST(a_number_that_is_no_cpus_place_keeps_its_default)
{
	const struct core_map_options options = { .socket = CORE_MAP_PACKAGE };

	/* the last number of four is 3 */
	expect_text("\tnuma 0\n\tpackage 0\n\t\tcore 0-3 pu 0-2,4\n", options,
		    "core_map/1 4 1 1 4 1 65 0-2,4 0-2 0,1,2,3 0;1;2;4");
	/* behind one that is dropped the others are still taken */
	expect_text("\tnuma 0\n\tpackage 0\n\t\tcore 0\n"
		    "\t\t\tgroup pu 0,9\n\t\t\tgroup pu 1-2\n",
		    options, "core_map/1 4 1 1 1 4 1 0-2,9 0,2-3 0,1,1,2 0-2,9");
	/* the first socket has no cores */
	expect_text("\tnuma 0\n\tpackage 0\n\t\tpu 0\n"
		    "\tpackage 1\n\t\tcore 0-1 pu 1-2\n",
		    options, "core_map/1 3 1 1 2 1 66 0-2 0-1 1,2,2 1;2");
}
END_TEST

START_TEST(a_thread_more_than_others_have_is_not_in_the_map)
{
	expect_text("\tnuma 0\n\tpackage 0\n\t\tcore 0 pu 0 1\n"
		    "\t\tcore 1 pu 2 3 4\n",
		    (struct core_map_options){ .socket = CORE_MAP_PACKAGE },
		    "core_map/1 5 1 1 2 2 66 0-4 0-3 0,1,2,3,4 0-1;2-4");
}
END_TEST

START_TEST(cores_and_sockets_that_only_have_memory_are_counted)
{
	expect_text("\tpackage 0 numa 0\n\t\tcore 0 pu 0 1 2\n"
		    "\t\tcore 1 numa 1\n"
		    "\tpackage 1 numa 2\n\t\tcore 2 numa 3\n",
		    (struct core_map_options){ .socket = CORE_MAP_PACKAGE },
		    "core_map/1 3 1 2 1 1 580 0-2 0 0,1,2 0-2");
}
END_TEST

START_TEST(a_cache_can_be_a_socket)
{
	static const char machine[] = "\tnuma 0\n\tpackage 0\n"
				      "\t\tl3\n\t\t\tcore 0-1 pu 0-1\n"
				      "\t\tl3\n\t\t\tcore 2-3 pu 2-3\n";
	struct core_map_options options = { .socket = CORE_MAP_L3CACHE };

	options.slurm_version = VERSION_OF(22, 5, 0);
	expect_text(machine, options, "core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3");
}
END_TEST

START_TEST(the_number_of_a_cpu_has_a_largest)
{
	const struct core_map_options options = { .socket = CORE_MAP_PACKAGE };
	struct core_map *map;

	map = load_for("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0,8191\n", options);
	ck_assert_uint_eq(core_map_flaws(map), CORE_MAP_SPARSE | CORE_MAP_SHIFTED);
	core_map_free(map);
	ck_assert_ptr_null(try_load("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0,8192\n", options));
	ck_assert_str_eq(err.text, "core map: an OS CPU number is beyond 8191");
}
END_TEST

/* So many packages of one CPU, without cores. */
static unsigned int flaws_of_packages(int count)
{
	static char machine[60000];
	struct core_map *map;
	unsigned int flaws;
	char *at = machine;

	at += sprintf(at, "\tnuma 0\n");
	for (int i = 0; i < count; i++)
		at += sprintf(at, "\tpackage %d\n\t\tpu %d\n", i, i);
	map = load(machine, CORE_MAP_PACKAGE);
	flaws = core_map_flaws(map);
	core_map_free(map);
	return flaws;
}

START_TEST(slurmd_does_not_start_with_more_sockets_than_it_counts)
{
	ck_assert_uint_eq(flaws_of_packages(1023),
			  CORE_MAP_NO_CORES | CORE_MAP_UNEVEN_CORES | CORE_MAP_SHIFTED);
	ck_assert_uint_eq(flaws_of_packages(1024),
			  CORE_MAP_NO_CORES | CORE_MAP_FATAL | CORE_MAP_SHIFTED);
}
END_TEST

START_TEST(boards_and_slow_cores_are_told_beside_other_flaws)
{
	/* three sockets on two boards, five CPUs on three cores */
	expect("\tgroup numa 0\n\t\tpackage 0\n\t\t\tcore 0-1 pu 0-1 3-4\n"
	       "\t\tpackage 1\n\t\t\tcore 2 pu 2\n"
	       "\tgroup numa 1\n\t\tpackage 2\n\t\t\tcore 3-4 pu 5-6\n",
	       CORE_MAP_PACKAGE, 3, 1, 1,
	       CORE_MAP_UNEVEN_THREADS | CORE_MAP_UNEVEN_CORES | CORE_MAP_UNEVEN_BOARDS |
		       CORE_MAP_SHIFTED);
	if (HWLOC_API_VERSION > 0x00020401)
		expect("\tkind 0-1,7 CoreType=IntelCore\n"
		       "\tkind 2 CoreType=IntelAtom\n"
		       "\tnuma 0\n\tpackage 0\n\t\tcore 0-3 pu 0-2,7\n",
		       CORE_MAP_PACKAGE, 1, 3, 1,
		       CORE_MAP_ECORES_DROPPED | CORE_MAP_SPARSE | CORE_MAP_SHIFTED);
}
END_TEST

START_TEST(cpus_that_a_cgroup_hides_from_this_process_are_counted)
{
	struct core_map_options options = { .socket = CORE_MAP_PACKAGE };
	struct core_map *map;
	char *cpus;

	tempdir_make();
	ck_assert_msg(machines_write(tempdir_put("table", "machine m\n\tallowed 0-1\n"
							  "\tnuma 0\n\tpackage 0\n"
							  "\t\tcore 0-3 pu 0-3\n"),
				     "m", tempdir_path("m.xml"), &err) == 0,
		      "%s", err.text);
	/* in place of this machine */
	setenv("HWLOC_XMLFILE", tempdir_path("m.xml"), 1);
	map = core_map_load(&options, &err);
	unsetenv("HWLOC_XMLFILE");
	ck_assert_msg(map != NULL, "%s", err.text);
	cpus = cpuset_format(core_map_cpus(map));
	ck_assert_str_eq(cpus, "0-3");
	free(cpus);
	core_map_free(map);
	tempdir_remove();
}
END_TEST

START_TEST(a_number_of_a_map_is_as_large_as_it_may_be)
{
	struct core_map *map;

	expect_damaged("core_map/1 4 8193 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3");
	expect_damaged("core_map/1 4 1 8193 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3");
	expect_damaged("core_map/1 4 1 2 8193 1 0 0-3 0-3 0,1,2,3 0;1;2;3");
	expect_damaged("core_map/1 4 1 2 2 8193 0 0-3 0-3 0,1,2,3 0;1;2;3");
	expect_damaged("core_map/1 4 1 2 2 1 x 0-3 0-3 0,1,2,3 0;1;2;3");
	expect_damaged("core_map/1 4 1 2 2 1 0 0-3 0-3 99999999999999999999");
	map = core_map_parse("core_map/1 2 8192 8192 8192 8192 0 0-1 1 1,0 0-1", &err);
	ck_assert_msg(map != NULL, "%s", err.text);
	ck_assert_uint_eq(core_map_shape(map)->boards, 8192);
	ck_assert_uint_eq(core_map_shape(map)->threads, 8192);
	ck_assert(core_map_is_set(map, 1) && !core_map_is_set(map, 0));
	ck_assert_uint_eq(core_map_core_count(map), 1);
	ck_assert_int_eq(core_map_core_of(map, 1), 0);
	ck_assert_int_eq(core_map_core_of(map, 2), -1);
	ck_assert_ptr_nonnull(core_map_core(map, 0));
	ck_assert_ptr_null(core_map_core(map, 1));
	core_map_free(map);
	core_map_free(NULL);
}
END_TEST

/* ---- locality ---------------------------------------------------------------- */

static const char *xml_of(const char *machine)
{
	char table[20000];

	snprintf(table, sizeof(table), "machine m\n%s", machine);
	ck_assert_msg(
		machines_write(tempdir_put("table", table), "m", tempdir_path("m.xml"), &err) == 0,
		"%s", err.text);
	return tempdir_path("m.xml");
}

static void expect_domain(const struct cpuset *cpus, const char *wanted)
{
	char *list = cpuset_format(cpus);

	ck_assert_str_eq(list, wanted);
	free(list);
}

START_TEST(cpus_that_are_near_share_a_numa_node_or_else_a_package)
{
	static struct locality near;
	struct cpuset cpus;

	tempdir_make();
	ck_assert_int_eq(locality_load(xml_of("\tnuma 0\n\tpackage 0\n"
					      "\t\tcore 0-1 pu 0-1 4-5\n"
					      "\tpackage 1\n\t\tcore 2-3 pu 2-3 6-7\n"),
				       &near, &err),
			 0);
	ck_assert_uint_eq(near.count, 2);
	ck_assert_str_eq(near.kind, "package");
	expect_domain(&near.domain[0], "0-1,4-5");
	expect_domain(&near.domain[1], "2-3,6-7");
	ck_assert_int_eq(locality_of_node(tempdir_path("m.xml"), 0, &cpus, &err), 0);
	expect_domain(&cpus, "0-7");
	ck_assert_int_eq(locality_of_node(tempdir_path("m.xml"), 1, &cpus, &err), -1);
	ck_assert_int_eq(strncmp(err.text, "NUMA node 1: ", 13), 0);
	ck_assert_ptr_nonnull(strstr(err.text, "m.xml has no CPUs there"));
	ck_assert_int_eq(locality_load(tempdir_path("none"), &near, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/none': not a readable hwloc XML file"));
	ck_assert_int_eq(locality_of_node(tempdir_path("none"), 0, &cpus, &err), -1);
	ck_assert_int_eq(locality_of_nic(tempdir_path("none"), "eth0", &cpus, &err), -1);
	ck_assert_int_eq(locality_of_nic(tempdir_path("m.xml"), "eth0", &cpus, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "network card 'eth0': not in '"));
	tempdir_remove();
}
END_TEST

START_TEST(a_machine_has_a_hundred_and_twenty_eight_places_at_most)
{
	static char machine[20000];
	static struct locality near;
	size_t used = 0;
	int i;

	tempdir_make();
	used = (size_t)sprintf(machine, "\tnuma 0\n");
	for (i = 0; i <= LOCALITY_DOMAINS_MAX; i++)
		used += (size_t)sprintf(machine + used, "\tpackage %d\n\t\tcore %d pu %d\n", i, i,
					i);
	ck_assert_int_eq(locality_load(xml_of(machine), &near, &err), 0);
	ck_assert_uint_eq(near.count, LOCALITY_DOMAINS_MAX);
	ck_assert_str_eq(near.kind, "package");
	expect_domain(&near.domain[LOCALITY_DOMAINS_MAX - 1], "127");
	tempdir_remove();
}
END_TEST

/* Two network cards on each package: eth0 and ib0 on the first, eth1 and ib1. */
static const char *xml_with_cards(void)
{
	static const char slot[] =
		"<object type=\"Bridge\" gp_index=\"%d0\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"000%d:[00-01]\">\n"
		"<object type=\"PCIDev\" gp_index=\"%d1\" pci_busid=\"000%d:01:00.0\" pci_type=\"0200 [15b3:1017] [15b3:0020] 00\" pci_link_speed=\"0\">\n"
		"<object type=\"OSDev\" gp_index=\"%d2\" name=\"eth%d\" osdev_type=\"2\"/>\n"
		"<object type=\"OSDev\" gp_index=\"%d3\" name=\"ib%d\" osdev_type=\"2\"/>\n</object>\n</object>\n";
	const char *path = xml_of("\tnuma 0\n\tpackage 0\n\t\tcore 0-1 pu 0-1\n"
				  "\tpackage 1\n\t\tcore 2-3 pu 2-3\n");
	char *xml = fileio_read(path, 65536, NULL, NULL), *out = NULL, *at;
	char *from = xml;
	size_t size;
	FILE *file = open_memstream(&out, &size);
	int i;

	for (i = 0; i < 2; i++) {
		at = strchr(strstr(from, "<object type=\"Package\""), '\n') + 1;
		fprintf(file, "%.*s", (int)(at - from), from);
		fprintf(file, slot, i + 8, i, i + 8, i, i + 8, i, i + 8, i);
		from = at;
	}
	fputs(from, file);
	fclose(file);
	path = tempdir_put("cards.xml", out);
	free(out);
	free(xml);
	return path;
}

START_TEST(a_card_of_a_recorded_machine_is_near_the_cpus_of_its_package)
{
	static const char *const cards[][2] = {
		{ "eth0", "0-1" },
		{ "ib0", "0-1" },
		{ "eth1", "2-3" },
		{ "ib1", "2-3" },
	};
	struct cpuset cpus;
	const char *xml;

	tempdir_make();
	xml = xml_with_cards();
	for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++) {
		ck_assert_msg(locality_of_nic(xml, cards[i][0], &cpus, &err) == 0, "%s", err.text);
		expect_domain(&cpus, cards[i][1]);
	}
	ck_assert_int_eq(locality_of_nic(xml, "eth", &cpus, &err), -1);
	ck_assert_int_eq(locality_of_nic(xml, "eth00", &cpus, &err), -1);
	expect_domain(&cpus, "2-3");
	tempdir_remove();
}
END_TEST

START_TEST(a_card_that_this_machine_has_not_is_told)
{
	struct cpuset cpus;
	char name[70];

	ck_assert_int_eq(locality_of_nic(NULL, "", &cpus, &err), -1);
	ck_assert_str_eq(err.text, "network card '': no such interface");
	ck_assert_int_eq(locality_of_nic(NULL, "a/b", &cpus, &err), -1);
	ck_assert_str_eq(err.text, "network card 'a/b': no such interface");
	ck_assert_int_eq(locality_of_nic(NULL, "nosuch0", &cpus, &err), -1);
	ck_assert_str_eq(err.text, "network card 'nosuch0': no such interface");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	ck_assert_int_eq(locality_of_nic(NULL, name, &cpus, &err), -1);
	ck_assert_int_eq(locality_of_nic(NULL, "lo", &cpus, &err), -1);
	ck_assert_str_eq(
		err.text,
		"network card 'lo': it has no place on a bus; give its local CPUs with --local-cpus");
}
END_TEST

UNIT_MAIN("core_map", a_regular_machine_has_no_flaw, all_flaws_of_a_machine_are_told,
	  a_machine_without_cores_has_one, a_machine_with_one_numa_node_is_one_socket_of_that_kind,
	  what_is_a_socket_hangs_on_slurmds_parameters,
	  slurmd_leaves_out_slow_cores_since_23_02_unless_it_shall_not,
	  a_topology_that_cannot_be_read_is_told, a_damaged_text_is_no_map,
	  one_flaw_does_not_hide_another, which_kinds_of_cores_slurmd_keeps_hangs_on_its_version,
	  a_number_that_is_no_cpus_place_keeps_its_default,
	  a_thread_more_than_others_have_is_not_in_the_map,
	  cores_and_sockets_that_only_have_memory_are_counted, a_cache_can_be_a_socket,
	  the_number_of_a_cpu_has_a_largest, slurmd_does_not_start_with_more_sockets_than_it_counts,
	  boards_and_slow_cores_are_told_beside_other_flaws,
	  cpus_that_a_cgroup_hides_from_this_process_are_counted,
	  a_number_of_a_map_is_as_large_as_it_may_be,
	  cpus_that_are_near_share_a_numa_node_or_else_a_package,
	  a_machine_has_a_hundred_and_twenty_eight_places_at_most,
	  a_card_of_a_recorded_machine_is_near_the_cpus_of_its_package,
	  a_card_that_this_machine_has_not_is_told)
