/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reservation says beside its cores: sound, class, findings. The cores
 * themselves are held by what the daemons printed (test_oracle.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/reservation.h"
#include "lib/version.h"
#include "tests/unit/runner.h"

/* 2 sockets of 2 cores with 2 threads; core k is CPU k and k + 4 */
#define SMT "core_map/1 8 1 2 2 2 0 0-7 0-7 0,4,1,5,2,6,3,7 0,4;1,5;2,6;3,7"
/* the same without SMT: 4 CPUs */
#define PLAIN "core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3"

static struct node node;
static struct reservation got;

static void record(unsigned int cpus, unsigned int threads)
{
	node_init(&node);
	strcpy(node.name, "n1");
	node.cpus = cpus;
	node.boards = 1;
	node.sockets = node.cores = 2;
	node.threads = threads;
	node.version = VERSION_OF(24, 11, 5);
}

static int compute(const char *text, enum reservation_kind kind, unsigned int count,
		   struct err *err)
{
	struct reservation_request request = { kind, count };
	struct core_map *map = core_map_parse(text, err);
	int rc;

	ck_assert_msg(map != NULL, "%s", err->text);
	rc = reservation_compute(&node, map, &request, &got, err);
	core_map_free(map);
	return rc;
}

/* "C23 C18": the codes, in order; each has a cure. */
static void expect(const char *text, enum reservation_kind kind, unsigned int count,
		   const char *os_cpus, const char *codes)
{
	struct err err = { "" };
	char *cpus, said[128] = "";
	size_t i;

	reservation_free(&got);
	ck_assert_msg(compute(text, kind, count, &err) == 0, "%s", err.text);
	cpus = cpuset_format(&got.os_cpus);
	ck_assert_str_eq(cpus, os_cpus);
	free(cpus);
	for (i = 0; i < got.findings.count; i++) {
		strcat(strcat(said, i ? " " : ""), got.findings.list[i].code);
		ck_assert(*got.findings.list[i].cure);
	}
	ck_assert_str_eq(said, codes);
}

static void expect_text(size_t index, const char *text)
{
	ck_assert_uint_gt(got.findings.count, index);
	ck_assert_str_eq(got.findings.list[index].text, text);
}

static void expect_job(const char *os_cpus)
{
	char *cpus = cpuset_format(&got.job_os_cpus);

	ck_assert_str_eq(cpus, os_cpus);
	free(cpus);
}

START_TEST(whole_cores_that_the_job_does_not_get_are_sound)
{
	record(8, 2);
	expect(SMT, RESERVATION_CORES, 1, "3,7", "");
	ck_assert(got.sound && got.possible && !got.is_spec_set);
	ck_assert_int_eq(got.class, RESERVATION_REGULAR);
	ck_assert_str_eq(reservation_class_name(got.class), "regular");
	expect_job("0-2,4-6");
	expect(SMT, RESERVATION_CORES, 3, "1-3,5-7", "");
	ck_assert(got.sound);
	node.spec_cores_first = true;
	expect(SMT, RESERVATION_CORES, 1, "0,4", "");
	ck_assert(got.sound);
	record(4, 1);
	node.spec_cores_first = true;
	expect(PLAIN, RESERVATION_CORES, 1, "0", "");
	ck_assert(got.sound);
	reservation_free(&got);
}
END_TEST

START_TEST(daemons_that_choose_other_cores_for_the_spec_set_are_said)
{
	struct err err = { "" };

	record(8, 2);
	node.version = VERSION_OF(22, 5, 0);
	node.has_spec_list = true;
	cpuset_add(&node.spec_list, 2);
	ck_assert_int_eq(compute(SMT, RESERVATION_CORES, 1, &err), 0);
	ck_assert(!findings_has(&got.findings, "C18"));
	reservation_free(&got);
	/* CPU 2 is of core 0 where a core has four threads, as the line says */
	node.cpus = 16;
	node.threads = 4;
	ck_assert_int_eq(compute(SMT, RESERVATION_CORES, 1, &err), 0);
	ck_assert(findings_has(&got.findings, "C18"));
	reservation_free(&got);
}
END_TEST

START_TEST(half_of_a_core_is_not_sound)
{
	/* slurmd counts the threads as cores; none of the job's, yet half */
	record(4, 1);
	expect("core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0,1;2,3", RESERVATION_CORES, 1, "3", "");
	ck_assert(!got.sound);
	/* CPUs of no core that the machine has */
	expect("core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2", RESERVATION_CORES, 1, "3", "");
	ck_assert(!got.sound);
	/* two of Slurm's cores are one of the machine's */
	expect("core_map/1 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;2;1,3", RESERVATION_CORES, 2, "1,3", "");
	ck_assert(!got.sound);
	reservation_free(&got);
}
END_TEST

START_TEST(cpus_that_are_withheld_and_given_are_told)
{
	record(4, 1);
	expect("core_map/1 4 1 2 2 1 1 0-3 0-2 0,1,3,3 0;1;2;3", RESERVATION_CORES, 1, "3",
	       "C01 C19");
	ck_assert(!got.sound);
	ck_assert(cpuset_has(&got.shared_os_cpus, 3));
	ck_assert_uint_eq(cpuset_count(&got.shared_os_cpus), 1);
	expect_text(1, "slurmd gives the job CPUs that it also withholds: 3");
	ck_assert_str_eq(reservation_class_name(got.class), "sparse");
	reservation_free(&got);
}
END_TEST

START_TEST(a_job_that_asks_for_all_cores_never_runs)
{
	record(8, 2);
	expect(SMT, RESERVATION_CORES, 4, "", "C20");
	expect_text(0, "a job that asks for 4 cores never runs on this node: it has 4");
	ck_assert(!got.possible);
	expect(SMT, RESERVATION_CORES, 3, "1-3,5-7", "");
	ck_assert(got.possible);
	record(4, 1);
	expect(PLAIN, RESERVATION_THREADS, 4, "0-3", "C20");
	ck_assert(!got.possible);
	expect(PLAIN, RESERVATION_THREADS, 3, "1-3", "");
	ck_assert(got.possible);
	reservation_free(&got);
}
END_TEST

START_TEST(a_job_that_asks_for_less_than_the_spec_set_is_told)
{
	record(8, 2);
	node.core_spec_count = 2;
	expect(SMT, RESERVATION_UNSET, 0, "1,3,5,7", "");
	ck_assert(got.is_spec_set && got.sound);
	expect(SMT, RESERVATION_CORES, 1, "1,5", "C23");
	expect_text(
		0,
		"the node's spec set has 2 cores and the job asks for 1: Slurm gives it the other 1, keeping back the lowest numbers of the set");
	expect(SMT, RESERVATION_CORES, 2, "1,3,5,7", "");
	expect(SMT, RESERVATION_CORES, 0, "", "C23");
	expect_text(
		0,
		"the node's spec set has 2 cores and the job asks for 0: Slurm gives it the other 2, keeping back the lowest numbers of the set");
	ck_assert_int_eq(got.findings.list[0].severity, FINDING_WARNING);
	reservation_free(&got);
}
END_TEST

START_TEST(the_spec_set_comes_first_and_is_filled_up)
{
	record(8, 2);
	node.has_spec_list = true;
	cpuset_add(&node.spec_list, 0);
	expect(SMT, RESERVATION_CORES, 2, "0,3-4,7", "");
	node.spec_cores_first = true;
	expect(SMT, RESERVATION_CORES, 2, "0,2,4,6", "");
	reservation_free(&got);
}
END_TEST

START_TEST(a_request_that_slurm_drops_is_told)
{
	record(8, 2);
	node.core_spec_count = 1;
	node.allow_spec_resources_usage = false;
	expect(SMT, RESERVATION_CORES, 2, "3,7", "C21");
	node.cons_tres = false;
	expect(SMT, RESERVATION_CORES, 2, "3,7", "C25");
	ck_assert_int_eq(got.findings.list[0].severity, FINDING_ERROR);
	expect(SMT, RESERVATION_UNSET, 0, "3,7", "");
	reservation_free(&got);
}
END_TEST

START_TEST(threads_name_no_cpu_where_cores_have_several)
{
	record(8, 2);
	expect(SMT, RESERVATION_THREADS, 2, "", "C24");
	expect_text(
		0,
		"--thread-spec names no particular CPU on a node with 2 threads a core: only the spec set is withheld");
	record(4, 1);
	expect(PLAIN, RESERVATION_THREADS, 1, "3", "");
	expect(PLAIN, RESERVATION_THREADS, 0, "", "C24");
	reservation_free(&got);
}
END_TEST

START_TEST(a_spec_set_that_slurmd_refuses_fails)
{
	record(8, 2);
	node.version = VERSION_OF(22, 5, 8);
	node.core_spec_count = 4;
	expect(SMT, RESERVATION_UNSET, 0, "", "C16");
	expect_text(0, "slurmd disables core specialization on this node: CoreSpecCount too large");
	ck_assert_str_eq(reservation_class_name(got.class), "fails");
	ck_assert(!got.sound);
	node.core_spec_count = 3;
	expect(SMT, RESERVATION_UNSET, 0, "1-3,5-7", "");
	ck_assert(got.sound);
	node.has_spec_list = true;
	cpuset_add(&node.spec_list, 7);
	expect(SMT, RESERVATION_UNSET, 0, "3,7", "");
	cpuset_add(&node.spec_list, 8);
	expect(SMT, RESERVATION_UNSET, 0, "", "C16");
	expect_text(
		0,
		"slurmd disables core specialization on this node: CpuSpecList names a CPU beyond those that slurmd counts");
	reservation_free(&got);
}
END_TEST

START_TEST(another_geometry_is_a_finding)
{
	record(8, 2);
	node.boards = 2;
	expect(SMT, RESERVATION_CORES, 1, "3,7", "C10");
	expect_text(
		0,
		"the node record says CPUs=8 Boards=2 Sockets=2 CoresPerSocket=2 ThreadsPerCore=2, slurmd finds CPUs=8 Boards=1 Sockets=2 CoresPerSocket=2 ThreadsPerCore=2");
	ck_assert_int_eq(got.findings.list[0].severity, FINDING_WARNING);
	ck_assert_str_eq(reservation_class_name(got.class), "conf_mismatch");
	record(4, 1);
	expect(SMT, RESERVATION_CORES, 1, "3", "C10");
	ck_assert(!got.sound);
	ck_assert_int_eq(got.findings.list[0].severity, FINDING_ERROR);
	reservation_free(&got);
}
END_TEST

START_TEST(cores_that_slurmd_does_not_count_cannot_be_turned_into_cpus)
{
	record(16, 2);
	node.sockets = 4;
	expect(SMT, RESERVATION_CORES, 1, "", "C17 C10");
	expect_text(
		0,
		"slurmctld counts 8 cores on this node, slurmd 4: slurmd cannot turn the job's cores into CPUs");
	ck_assert(!got.sound);
	/* the first that it does not count */
	record(10, 2);
	node.sockets = 5;
	node.cores = 1;
	expect(SMT, RESERVATION_CORES, 1, "", "C17 C10");
	expect_text(
		0,
		"slurmctld counts 5 cores on this node, slurmd 4: slurmd cannot turn the job's cores into CPUs");
	reservation_free(&got);
}
END_TEST

START_TEST(every_flaw_of_a_machine_has_its_finding_and_class)
{
	static const struct {
		int flaws;
		const char *codes, *class;
	} rows[] = {
		{ CORE_MAP_SPARSE, "C01", "sparse" },
		{ CORE_MAP_UNEVEN_THREADS, "C02", "irregular" },
		{ CORE_MAP_UNEVEN_CORES, "C03", "irregular" },
		{ CORE_MAP_NO_SOCKETS, "C04", "regular" },
		{ CORE_MAP_ECORES_DROPPED, "C05", "regular" },
		{ CORE_MAP_FATAL, "C06", "fails" },
		{ CORE_MAP_UNEVEN_BOARDS, "C08", "irregular" },
		{ CORE_MAP_EMPTY_CORES, "C09", "irregular" },
		{ CORE_MAP_EMPTY_CORES | CORE_MAP_SPARSE, "C01 C09", "irregular" },
	};
	char text[128];
	size_t i;

	record(8, 2);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool fatal = rows[i].flaws == CORE_MAP_FATAL;

		snprintf(text, sizeof(text),
			 "core_map/1 8 1 2 2 2 %d 0-7 0-7 0,4,1,5,2,6,3,7 0,4;1,5;2,6;3,7",
			 rows[i].flaws);
		expect(text, RESERVATION_CORES, 1, fatal ? "" : "3,7", rows[i].codes);
		ck_assert_str_eq(reservation_class_name(got.class), rows[i].class);
		ck_assert(got.sound == !fatal && got.possible == !fatal);
	}
	reservation_free(&got);
}
END_TEST

/* slurm.conf(5) has it since 23.02, which is the first that drops them. */
START_TEST(efficiency_cores_can_be_kept)
{
	record(8, 2);
	expect("core_map/1 8 1 2 2 2 32 0-7 0-7 0,4,1,5,2,6,3,7 0,4;1,5;2,6;3,7", /* CORE_MAP_ECORES_DROPPED */
	       RESERVATION_CORES, 1, "3,7", "C05");
	ck_assert_str_eq(got.findings.list[0].cure, "SlurmdParameters=allow_ecores keeps them");
	reservation_free(&got);
}
END_TEST

START_TEST(an_override_of_slurmd_is_told_where_it_counts)
{
	record(8, 2);
	strcpy(node.task_plugin_param, "slurmdspecoverride");
	expect(SMT, RESERVATION_CORES, 1, "3,7", "");
	node.version = VERSION_OF(25, 5, 0) - 1;
	expect(SMT, RESERVATION_CORES, 1, "3,7", "");
	node.version = VERSION_OF(25, 5, 0);
	expect(SMT, RESERVATION_CORES, 1, "3,7", "C26");
	node.from_controller = true;
	expect(SMT, RESERVATION_CORES, 1, "3,7", "");
	reservation_free(&got);
}
END_TEST

/* The caller frees. */
static char *many_cores(unsigned int sockets, unsigned int cores)
{
	unsigned int all = sockets * cores, i;
	char *text = malloc(8192);

	sprintf(text, "core_map/1 %u 1 %u %u 1 0 0-%u 0-%u ", all, sockets, cores, all - 1,
		all - 1);
	for (i = 0; i < all; i++)
		sprintf(text + strlen(text), "%s%u", i ? "," : "", i);
	for (i = 0; i < all; i++)
		sprintf(text + strlen(text), "%s%u", i ? ";" : " ", i);
	return text;
}

static char *wide_machine(void)
{
	return many_cores(1, 512);
}

START_TEST(a_list_that_slurmd_cuts_is_told)
{
	struct err err = { "" };
	char *text;
	size_t i;

	/* one socket of 512 cores, every other one reserved */
	record(512, 1);
	node.sockets = 1;
	node.cores = 512;
	node.has_spec_list = true;
	for (i = 0; i < 512; i += 2)
		cpuset_add(&node.spec_list, (unsigned int)i);
	text = wide_machine();
	ck_assert_int_eq(compute(text, RESERVATION_UNSET, 0, &err), 0);
	ck_assert(findings_has(&got.findings, "C07"));
	ck_assert_ptr_nonnull(strstr(got.findings.list[0].text, "CoreSpec differ"));
	free(text);
	text = reservation_abs_cpus_text(&got);
	ck_assert_uint_eq(strlen(text), RESERVATION_LOG_MAX);
	free(text);
	got.is_spec_set = false;
	text = reservation_abs_cpus_text(&got);
	ck_assert_uint_gt(strlen(text), RESERVATION_LOG_MAX);
	free(text);
	reservation_free(&got);
}
END_TEST

/* slurmd 22.05 reserves 'count' cores of this machine, and slurmctld takes what
 * it reads of the list: what 'is_left' says. A job that asks for as many cores
 * gets these. */
static void expect_left(unsigned int sockets, unsigned int cores, unsigned int count,
			bool (*is_left)(unsigned int core))
{
	struct cpuset left = { 0 };
	char *machine = many_cores(sockets, cores), *wanted, *has;
	struct err err = { "" };
	unsigned int core;

	for (core = 0; core < sockets * cores; core++)
		if (is_left(core))
			cpuset_add(&left, core);
	record(sockets * cores, 1);
	node.version = VERSION_OF(22, 5, 8);
	node.sockets = sockets;
	node.cores = cores;
	node.core_spec_count = count;
	reservation_free(&got);
	ck_assert_msg(compute(machine, RESERVATION_CORES, cpuset_count(&left), &err) == 0, "%s",
		      err.text);
	wanted = cpuset_format(&left);
	has = cpuset_format(&got.abs_cores);
	ck_assert_str_eq(has, wanted);
	ck_assert_uint_eq(got.findings.count, 1);
	ck_assert_str_eq(got.findings.list[0].code, "C07");
	ck_assert_ptr_nonnull(strstr(got.findings.list[0].text,
				     "and slurmctld keeps back only what is left of it"));
	reservation_free(&got);
	free(wanted);
	free(has);
	free(machine);
}

/* "..,275,279,28": one core that is reserved nowhere else */
static bool left_of_283(unsigned int core)
{
	return (core % 4 == 3 && core <= 279) || core == 28;
}

/* "..,178-179,182-" */
static bool left_of_182(unsigned int core)
{
	return (core % 4 == 3 && core <= 179) || (core % 4 == 2 && core >= 78 && core <= 182);
}

/* "..,150-151,154-1" */
static bool left_of_154(unsigned int core)
{
	return core % 4 >= 2 && core <= 151;
}

/* "..,401,407," */
static bool left_of_407(unsigned int core)
{
	return core % 6 == 5 && core <= 407;
}

START_TEST(before_23_02_slurmctld_takes_what_is_left_of_a_list)
{
	expect_left(128, 4, 128, left_of_283);
	expect_left(128, 4, 237, left_of_182);
	expect_left(128, 4, 256, left_of_154);
	expect_left(85, 6, 85, left_of_407);
}
END_TEST

/* The cores that slurmctld counts as the spec set do not hang on what slurmd's
 * registration lost of it. */
START_TEST(since_23_02_a_list_that_slurmd_cuts_leaves_the_spec_set_whole)
{
	char *machine = many_cores(128, 4), *cores;
	struct cpuset spec = { 0 };
	struct err err = { "" };
	unsigned int core;

	for (core = 3; core < 512; core += 4)
		cpuset_add(&spec, core);
	record(512, 1);
	node.version = VERSION_OF(23, 2, 0);
	node.sockets = 128;
	node.cores = 4;
	node.core_spec_count = 128;
	ck_assert_int_eq(compute(machine, RESERVATION_CORES, 128, &err), 0);
	ck_assert(cpuset_equal(&got.abs_cores, &spec));
	ck_assert_uint_eq(got.findings.count, 1);
	ck_assert_ptr_nonnull(
		strstr(got.findings.list[0].text,
		       "and slurmctld sets the node down with the reason \"CoreSpec differ\""));
	cores = reservation_abs_cpus_text(&got);
	ck_assert_uint_gt(strlen(cores), RESERVATION_LOG_MAX);
	free(cores);
	reservation_free(&got);
	node.version--;
	ck_assert_int_eq(compute(machine, RESERVATION_CORES, 128, &err), 0);
	ck_assert(!cpuset_equal(&got.abs_cores, &spec));
	ck_assert_ptr_nonnull(strstr(got.findings.list[0].text,
				     "and slurmctld keeps back only what is left of it"));
	reservation_free(&got);
	free(machine);
}
END_TEST

/* ---- the release in which a rule changed, and the one before --------------- */

static void expect_cores(unsigned int version, const char *map, enum reservation_kind kind,
			 unsigned int count, const char *abs_cores, const char *os_cpus)
{
	struct err err = { "" };
	char *cores, *cpus;

	reservation_free(&got);
	node.version = version;
	ck_assert_msg(compute(map, kind, count, &err) == 0, "%s", err.text);
	cores = cpuset_format(&got.abs_cores);
	cpus = cpuset_format(&got.os_cpus);
	ck_assert_str_eq(cores, abs_cores);
	ck_assert_str_eq(cpus, os_cpus);
	free(cores);
	free(cpus);
}

START_TEST(since_23_02_slurmctld_computes_the_spec_set)
{
	const unsigned int since = VERSION_OF(23, 2, 0);

	record(8, 2);
	node.core_spec_count = 4; /* all */
	expect_cores(since, SMT, RESERVATION_UNSET, 0, "0-3", "0-7");
	expect_cores(since, SMT, RESERVATION_CORES, 1, "0", "0,4");
	expect_cores(since - 1, SMT, RESERVATION_UNSET, 0, "", "");
	ck_assert(findings_has(&got.findings, "C16"));
	expect_cores(since - 1, SMT, RESERVATION_CORES, 1, "3", "3,7");
	node.core_spec_count = 5; /* more than there are */
	node.spec_cores_first = true;
	expect_cores(since, SMT, RESERVATION_UNSET, 0, "0-3", "0-7");
	ck_assert_uint_eq(got.findings.count, 0);
	node.core_spec_count = 0;
	node.has_spec_list = true;
	cpuset_add(&node.spec_list, 7);
	cpuset_add(&node.spec_list, 8); /* beyond the last */
	expect_cores(since, SMT, RESERVATION_UNSET, 0, "3", "3,7");
	expect_cores(since - 1, SMT, RESERVATION_UNSET, 0, "", "");
	ck_assert(findings_has(&got.findings, "C16"));
	reservation_free(&got);
}
END_TEST

START_TEST(lists_of_cores_are_told_from_lists_of_threads)
{
	/* four cores of two threads, of which Slurm uses one each */
	record(4, 2);
	node.has_spec_list = true;
	cpuset_add(&node.spec_list, 3);
	node.core_spec_count = 1;
	expect_cores(VERSION_OF(22, 5, 0), SMT, RESERVATION_UNSET, 0, "3", "3,7");
	node.from_controller = true;
	expect_cores(VERSION_OF(22, 5, 0), SMT, RESERVATION_UNSET, 0, "3", "3,7");
	node.core_spec_count = 0;
	expect_cores(VERSION_OF(23, 2, 0), SMT, RESERVATION_UNSET, 0, "3", "3,7");
	expect_cores(VERSION_OF(23, 2, 0) - 1, SMT, RESERVATION_UNSET, 0, "1", "1,5");
	reservation_free(&got);
}
END_TEST

START_TEST(a_list_of_all_threads_of_a_core_is_none_of_cores)
{
	record(8, 2);
	node.from_controller = node.has_spec_list = true;
	cpuset_add(&node.spec_list, 6);
	cpuset_add(&node.spec_list, 7);
	node.core_spec_count = 2;
	expect_cores(VERSION_OF(22, 5, 8), SMT, RESERVATION_UNSET, 0, "3", "3,7");
	expect_cores(VERSION_OF(22, 5, 8), SMT, RESERVATION_CORES, 1, "3", "3,7");
	reservation_free(&got);
}
END_TEST

START_TEST(a_list_that_slurm_conf_wrote_counts_cores_where_cpus_are_no_more)
{
	record(4, 2);
	node.from_controller = node.has_spec_list = true;
	cpuset_add(&node.spec_list, 3);
	node.core_spec_count = 1;
	expect_cores(VERSION_OF(22, 5, 8), SMT, RESERVATION_UNSET, 0, "3", "3,7");
	/* of threads: those of a core are two */
	cpuset_add(&node.spec_list, 2);
	expect_cores(VERSION_OF(22, 5, 8), SMT, RESERVATION_UNSET, 0, "1", "1,5");
	reservation_free(&got);
}
END_TEST

START_TEST(since_23_11_slurmd_knows_the_threads_of_the_machine)
{
	record(4, 1);
	expect_cores(VERSION_OF(23, 11, 0), SMT, RESERVATION_CORES, 1, "3", "3");
	expect_cores(VERSION_OF(23, 11, 0) - 1, SMT, RESERVATION_CORES, 1, "3", "5");
	record(8, 1); /* only CPUs= was written */
	node.sockets = 8;
	node.cores = 1;
	expect_cores(VERSION_OF(23, 11, 7), SMT, RESERVATION_CORES, 1, "7", "7");
	expect_cores(VERSION_OF(23, 11, 7) - 1, SMT, RESERVATION_CORES, 1, "7", "3");
	reservation_free(&got);
}
END_TEST

START_TEST(a_node_that_is_smaller_than_its_record_can_be_overridden)
{
	record(16, 2);
	node.sockets = 4;
	strcpy(node.slurmd_parameters, "config_override");
	expect_cores(VERSION_OF(22, 5, 0), SMT, RESERVATION_CORES, 1, "7", "3,7");
	ck_assert(!findings_has(&got.findings, "C17"));
	*node.slurmd_parameters = '\0';
	expect_cores(VERSION_OF(22, 5, 0), SMT, RESERVATION_CORES, 1, "7", "");
	ck_assert(findings_has(&got.findings, "C17"));
	reservation_free(&got);
}
END_TEST

START_TEST(a_record_without_geometry_has_no_answer)
{
	struct err err = { "" };

	record(8, 2);
	node.threads = 0;
	ck_assert_int_eq(compute(SMT, RESERVATION_CORES, 1, &err), -1);
	ck_assert_str_eq(err.text, "node 'n1': the record has no geometry");
	node.threads = 4096;
	ck_assert_int_eq(compute(SMT, RESERVATION_CORES, 1, &err), -1);
	ck_assert_str_eq(err.text, "node 'n1': 4 cores of 4096 threads: more than 8192 CPUs");
}
END_TEST

START_TEST(slurmd_takes_the_sockets_of_the_machine_when_the_cores_add_up)
{
	const unsigned int version = VERSION_OF(22, 5, 8);

	record(8, 2);
	node.sockets = 1;
	node.cores = 4;
	node.core_spec_count = 2;
	expect_cores(version, SMT, RESERVATION_UNSET, 0, "1,3", "1,3,5,7");
	node.cons_tres = false;
	expect_cores(version, SMT, RESERVATION_UNSET, 0, "2-3", "2-3,6-7");
	node.cons_tres = true;
	strcpy(node.slurmd_parameters, "config_overrides");
	expect_cores(version, SMT, RESERVATION_UNSET, 0, "2-3", "2-3,6-7");
	*node.slurmd_parameters = '\0';
	node.cpus = 4; /* two cores: they do not add up */
	node.cores = 2;
	node.core_spec_count = 1;
	expect_cores(version, SMT, RESERVATION_UNSET, 0, "1", "1,5");
	reservation_free(&got);
}
END_TEST

START_TEST(since_25_11_slurmd_keeps_the_sockets_of_its_record)
{
	const unsigned int since = VERSION_OF(25, 11, 0);

	/* a bitmap of one CPU: slurmd counts for itself */
	record(1, 2);
	node.sockets = 1;
	node.cores = 4;
	node.core_spec_count = 2;
	expect_cores(since, SMT, RESERVATION_UNSET, 0, "2-3", "2-3,6-7");
	expect_cores(since - 1, SMT, RESERVATION_UNSET, 0, "1,3", "1,3,5,7");
	reservation_free(&got);
}
END_TEST

START_TEST(the_findings_name_the_numbers_of_the_machine)
{
	record(8, 2);
	expect("core_map/1 8 1 2 2 2 1 0-7 0-7 0,4,1,5,2,6,3,7 0,4;1,5;2,6;3,7", RESERVATION_CORES,
	       1, "3,7", "C01");
	expect_text(
		0,
		"the machine numbers its 8 CPUs up to 7: slurmd drops every number from 8 on and names others instead");
	reservation_free(&got);
}
END_TEST

START_TEST(a_record_of_the_most_cpus_has_an_answer)
{
	struct err err = { "" };

	record(8, 2);
	node.threads = 2048; /* 4 cores: 8192 CPUs */
	ck_assert_msg(compute(SMT, RESERVATION_UNSET, 0, &err) == 0, "%s", err.text);
	reservation_free(&got);
	node.sockets = 8192;
	node.cores = node.threads = 1;
	ck_assert_msg(compute(SMT, RESERVATION_UNSET, 0, &err) == 0, "%s", err.text);
	node.sockets = 8193;
	ck_assert_int_eq(compute(SMT, RESERVATION_UNSET, 0, &err), -1);
	ck_assert_str_eq(err.text, "node 'n1': 8193 cores of 1 threads: more than 8192 CPUs");
	node.sockets = node.cores = 2;
	node.threads = 2049;
	ck_assert_int_eq(compute(SMT, RESERVATION_UNSET, 0, &err), -1);
	ck_assert_str_eq(err.text, "node 'n1': 4 cores of 2049 threads: more than 8192 CPUs");
	reservation_free(&got);
}
END_TEST

START_TEST(each_number_of_the_geometry_is_needed)
{
	unsigned int *const numbers[] = { &node.cpus, &node.sockets, &node.cores, &node.threads };
	struct err err = { "" };
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		record(8, 2);
		*numbers[i] = 0;
		ck_assert_int_eq(compute(SMT, RESERVATION_CORES, 1, &err), -1);
		ck_assert_str_eq(err.text, "node 'n1': the record has no geometry");
	}
}
END_TEST

START_TEST(a_list_that_just_fits_is_not_cut)
{
	struct err err = { "" };
	char *machine = wide_machine(), *text;
	unsigned int core;

	record(512, 1);
	node.sockets = 1;
	node.cores = 512;
	node.has_spec_list = true;
	for (core = 2; core <= 156; core += 2)
		if (core != 98)
			cpuset_add(&node.spec_list, core);
	ck_assert_int_eq(compute(machine, RESERVATION_UNSET, 0, &err), 0);
	text = cpuset_format(&got.abs_cpus);
	ck_assert_uint_eq(strlen(text), RESERVATION_LOG_MAX);
	free(text);
	ck_assert(!findings_has(&got.findings, "C07"));
	reservation_free(&got);
	cpuset_add(&node.spec_list, 158);
	ck_assert_int_eq(compute(machine, RESERVATION_UNSET, 0, &err), 0);
	ck_assert(findings_has(&got.findings, "C07"));
	reservation_free(&got);
	free(machine);
}
END_TEST

UNIT_MAIN("reservation", since_25_11_slurmd_keeps_the_sockets_of_its_record,
	  whole_cores_that_the_job_does_not_get_are_sound,
	  daemons_that_choose_other_cores_for_the_spec_set_are_said, half_of_a_core_is_not_sound,
	  cpus_that_are_withheld_and_given_are_told, a_job_that_asks_for_all_cores_never_runs,
	  a_job_that_asks_for_less_than_the_spec_set_is_told,
	  the_spec_set_comes_first_and_is_filled_up, a_request_that_slurm_drops_is_told,
	  threads_name_no_cpu_where_cores_have_several, a_spec_set_that_slurmd_refuses_fails,
	  another_geometry_is_a_finding,
	  cores_that_slurmd_does_not_count_cannot_be_turned_into_cpus,
	  every_flaw_of_a_machine_has_its_finding_and_class, efficiency_cores_can_be_kept,
	  an_override_of_slurmd_is_told_where_it_counts, a_list_that_slurmd_cuts_is_told,
	  before_23_02_slurmctld_takes_what_is_left_of_a_list,
	  since_23_02_a_list_that_slurmd_cuts_leaves_the_spec_set_whole,
	  since_23_02_slurmctld_computes_the_spec_set,
	  lists_of_cores_are_told_from_lists_of_threads,
	  a_list_of_all_threads_of_a_core_is_none_of_cores,
	  a_list_that_slurm_conf_wrote_counts_cores_where_cpus_are_no_more,
	  since_23_11_slurmd_knows_the_threads_of_the_machine,
	  a_node_that_is_smaller_than_its_record_can_be_overridden,
	  a_record_without_geometry_has_no_answer,
	  slurmd_takes_the_sockets_of_the_machine_when_the_cores_add_up,
	  the_findings_name_the_numbers_of_the_machine, a_record_of_the_most_cpus_has_an_answer,
	  each_number_of_the_geometry_is_needed, a_list_that_just_fits_is_not_cut)
