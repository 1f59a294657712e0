/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The judge of core_map and reservation: what the real daemons printed on 145
 * machines, two versions (../shared/oracle of the source tree). */
#include "lib/core_map.h"
#include "lib/node.h"
#include "lib/reservation.h"
#include "lib/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/runner.h"

#define COLUMNS_MAX 32
#define MAPS_MAX 1024

struct table {
	FILE *in;
	char *line;
	size_t room;
	char *head;
	char *names[COLUMNS_MAX];
	char *values[COLUMNS_MAX];
	int columns;
};

struct cached_map {
	char key[256];
	struct core_map *map;
};

struct score {
	unsigned int rows, equal, regular, regular_equal, silent, misclassed;
};

static struct cached_map maps[MAPS_MAX];
static int map_count;

static const char *oracle(const char *name)
{
	static char path[2][1024];
	static int turn;
	const char *shared = getenv("JOBIO_SHARED");

	turn = !turn;
	if (shared)
		snprintf(path[turn], sizeof(path[0]), "%s/oracle/%s", shared,
			 name);
	else
		snprintf(path[turn], sizeof(path[0]),
			 SRCDIR "/../shared/oracle/%s", name);
	return path[turn];
}

static int split(char *line, char **parts)
{
	int count = 0;

	line[strcspn(line, "\n")] = '\0';
	while (count < COLUMNS_MAX) {
		parts[count++] = line;
		line = strchr(line, '\t');
		if (!line)
			break;
		*line++ = '\0';
	}
	return count;
}

static void table_open(struct table *table, const char *name)
{
	memset(table, 0, sizeof(*table));
	table->in = fopen(oracle(name), "r");
	ck_assert_msg(table->in != NULL,
		      "%s is missing: the oracle must lie in ../shared beside "
		      "the source tree (or set JOBIO_SHARED)",
		      oracle(name));
	ck_assert_int_gt(getline(&table->line, &table->room, table->in), 0);
	table->head = strdup(table->line);
	table->columns = split(table->head, table->names);
}

static int table_next(struct table *table)
{
	if (getline(&table->line, &table->room, table->in) <= 0) {
		fclose(table->in);
		free(table->line);
		free(table->head);
		return 0;
	}
	for (int i = 0; i < COLUMNS_MAX; i++)
		table->values[i] = "";
	split(table->line, table->values);
	return 1;
}

static const char *get(const struct table *table, const char *column)
{
	for (int i = 0; i < table->columns; i++)
		if (!strncmp(table->names[i], column, strlen(column)))
			return table->values[i];
	ck_abort_msg("no column %s", column);
	return "";
}

static unsigned int number(const struct table *table, const char *column)
{
	return (unsigned int)strtoul(get(table, column), NULL, 10);
}

static const struct core_map *load_map(const char *file, const char *flags,
				       unsigned int version)
{
	struct core_map_options options = { .slurm_version = version };
	struct err err;
	char key[256], name[512];

	core_map_slurmd_parameters(&options, flags);
	snprintf(key, sizeof(key), "%s %d %x", file, options.socket, version);
	for (int i = map_count - 1; i >= 0; i--)
		if (!strcmp(maps[i].key, key))
			return maps[i].map;
	ck_assert_int_lt(map_count, MAPS_MAX);
	/* the same machine twice in the oracle; one file only is there */
	if (!strcmp(file, "syn_weka_doc_2x32_interleaved.xml"))
		file = "syn_interleaved_nosmt_2x32.xml";
	snprintf(name, sizeof(name), "xml/%s", file);
	options.xml = oracle(name);
	maps[map_count].map = core_map_load(&options, &err);
	ck_assert_msg(maps[map_count].map != NULL, "%s: %s", file, err.text);
	strcpy(maps[map_count].key, key);
	return maps[map_count++].map;
}

static void free_maps(void)
{
	while (map_count)
		core_map_free(maps[--map_count].map);
}

/* The node line that was in slurm.conf for this row. */
static void read_node(struct node *node, const struct table *table,
		      const char *spec, const char *cpus, unsigned int boards,
		      unsigned int version, struct findings *findings)
{
	const char *flags = get(table, "flags");
	struct err err;
	char line[1024];

	node_init(node);
	node->version = version;
	node->spec_cores_first = strstr(flags, "first") != NULL;
	snprintf(node->slurmd_parameters, sizeof(node->slurmd_parameters), "%s",
		 flags);
	snprintf(line, sizeof(line),
		 "CPUs=%s Boards=%u SocketsPerBoard=%u CoresPerSocket=%s "
		 "ThreadsPerCore=%s %s",
		 cpus, boards, number(table, "sockets") / boards,
		 get(table, "cores_per_socket"), get(table, "threads"), spec);
	ck_assert_msg(node_line_parse(node, line, findings, &err) == 0,
		      "%s: %s", line, err.text);
}

static int same(const struct cpuset *set, const char *list)
{
	char *text = cpuset_format(set);
	int equal = !strcmp(text, list);

	free(text);
	return equal;
}

static void show(const struct table *table, const char *want_abs,
		 const char *want_os, const struct reservation *got)
{
	char *abs_list = cpuset_format(&got->abs_cpus);
	char *os_list = cpuset_format(&got->os_cpus);

	printf("%s [%s] %s: want %s = %s, got %s = %s (%s, %zu findings)\n",
	       get(table, "topology_file"), get(table, "flags"),
	       reservation_class_name(got->class), want_abs, want_os, abs_list,
	       os_list, got->sound ? "sound" : "unsound", got->findings.count);
	free(abs_list);
	free(os_list);
}

static void judge(struct score *score, const struct table *table,
		  const char *class, const char *want_abs, const char *want_os,
		  const struct reservation *got)
{
	char *abs_list = reservation_abs_cpus_text(got);
	int equal = same(&got->os_cpus, want_os) && !strcmp(abs_list, want_abs);
	int regular = !strcmp(class, "regular");

	score->rows++;
	score->equal += (unsigned int)equal;
	score->regular += (unsigned int)regular;
	score->regular_equal += (unsigned int)(regular && equal);
	score->silent += !equal && !got->findings.count;
	if (!strcmp(get(table, "flags"), "default") &&
	    strcmp(class, reservation_class_name(got->class)) != 0) {
		score->misclassed++;
		printf("%s: class %s\n", get(table, "topology_file"), class);
		show(table, want_abs, want_os, got);
	}
	free(abs_list);
	if (!equal)
		show(table, want_abs, want_os, got);
}

static void judge_slurmd_row(struct score *score, const struct table *table,
			     const char *class, unsigned int version)
{
	static const struct reservation_request unset = { RESERVATION_UNSET,
							  0 };
	const char *flags = get(table, "flags");
	const char *list = strstr(flags, "cpuspeclist=");
	struct findings findings = { 0 };
	struct reservation got;
	struct node node;
	struct err err;
	char spec[512];

	if (list)
		snprintf(spec, sizeof(spec), "CpuSpecList=%.*s",
			 (int)strcspn(list + 12, ";"), list + 12);
	else
		snprintf(spec, sizeof(spec), "CoreSpecCount=%s",
			 get(table, "N"));
	read_node(&node, table, spec, get(table, "cpus_C"),
		  number(table, "boards"), version, &findings);
	ck_assert_msg(reservation_compute(&node,
					  load_map(get(table, "topology_file"),
						   flags, version),
					  &unset, &got, &err) == 0,
		      "%s", err.text);
	findings_append(&got.findings, &findings);
	judge(score, table, class, get(table, "abstract_list"),
	      get(table, "machine_list"), &got);
	reservation_free(&got);
	findings_free(&findings);
}

/* The second table has no class column: its rows are those of the first. */
static void judge_slurmd(const char *name, unsigned int version,
			 struct score *score)
{
	struct table classes, table;

	setvbuf(stdout, NULL, _IOLBF, 0);

	table_open(&classes, "slurmd-22.05.8.tsv");
	table_open(&table, name);
	while (table_next(&table)) {
		ck_assert_int_eq(table_next(&classes), 1);
		ck_assert_str_eq(get(&classes, "topology_file"),
				 get(&table, "topology_file"));
		ck_assert_str_eq(get(&classes, "flags"), get(&table, "flags"));
		judge_slurmd_row(score, &table, get(&classes, "class"),
				 version);
	}
	ck_assert_int_eq(table_next(&classes), 0);
	free_maps();
}

static void expect(const struct score *score, unsigned int rows)
{
	unsigned int others = score->rows - score->regular;
	unsigned int others_equal = score->equal - score->regular_equal;

	printf("%u rows, %u equal; regular %u of %u; others %u of %u; %u "
	       "silent\n",
	       score->rows, score->equal, score->regular_equal, score->regular,
	       others_equal, others, score->silent);
	ck_assert_uint_ge(score->rows, rows);
	ck_assert_uint_eq(score->regular_equal, score->regular);
	ck_assert_uint_ge(others_equal * 100, others * 95);
	ck_assert_uint_eq(score->silent, 0);
}

START_TEST(spec_sets_and_classes_are_those_of_slurmd_22_05)
{
	struct score score = { 0 };

	judge_slurmd("slurmd-22.05.8.tsv", VERSION_OF(22, 5, 8), &score);
	expect(&score, 5205);
	ck_assert_uint_eq(score.misclassed, 0);
}
END_TEST

START_TEST(spec_sets_are_those_of_slurmd_25_11)
{
	struct score score = { 0 };

	judge_slurmd("slurmd-25.11.7.tsv", VERSION_OF(25, 11, 7), &score);
	expect(&score, 5205);
}
END_TEST

static void judge_job_row(struct score *score, const struct table *table,
			  unsigned int version)
{
	const char *flags = get(table, "flags"), *n = get(table, "job_N");
	const char *list = strstr(flags, "cpuspeclist=");
	struct reservation_request request = { RESERVATION_UNSET, 0 };
	struct findings findings = { 0 };
	struct reservation got;
	struct node node;
	struct err err;
	char spec[512], cpus[32];

	if (list)
		snprintf(spec, sizeof(spec), "CpuSpecList=%s", list + 12);
	else
		snprintf(spec, sizeof(spec), "CoreSpecCount=%s",
			 get(table, "node_M"));
	snprintf(cpus, sizeof(cpus), "%u",
		 number(table, "sockets") * number(table, "cores_per_socket") *
			 number(table, "threads"));
	read_node(&node, table, spec, cpus, 1, version, &findings);
	node.allow_spec_resources_usage =
		!strcmp(get(table, "AllowSpecResourcesUsage"), "YES");
	if (*n == 't')
		request.kind = RESERVATION_THREADS;
	else if (*n != '-')
		request.kind = RESERVATION_CORES;
	request.count = (unsigned int)strtoul(n + (*n == 't'), NULL, 10);
	ck_assert_msg(reservation_compute(&node,
					  load_map(get(table, "topology_file"),
						   flags, version),
					  &request, &got, &err) == 0,
		      "%s", err.text);
	judge(score, table, "regular", get(table, "not_given_to_job_abstract"),
	      get(table, "not_given_to_job_machine"), &got);
	reservation_free(&got);
	findings_free(&findings);
}

static void judge_jobs(const char *name, unsigned int version,
		       struct score *score)
{
	struct table table;

	table_open(&table, name);
	while (table_next(&table))
		judge_job_row(score, &table, version);
	free_maps();
}

START_TEST(jobs_lose_the_cores_that_slurmctld_22_05_kept_back)
{
	struct score score = { 0 };

	judge_jobs("jobs-22.05.8.tsv", VERSION_OF(22, 5, 8), &score);
	expect(&score, 1411);
}
END_TEST

START_TEST(jobs_lose_the_cores_that_slurmctld_25_11_kept_back)
{
	struct score score = { 0 };

	judge_jobs("jobs-25.11.7.tsv", VERSION_OF(25, 11, 7), &score);
	expect(&score, 183);
}
END_TEST

static void append(char **at, const char *text)
{
	*at = stpcpy(*at, text);
}

/* The table as the oracle prints it: '*' marks a default. */
static char *format_block(const struct core_map *map)
{
	unsigned int cpus = core_map_shape(map)->cpus;
	char *text = malloc(cpus * 8 + 1), *at = text, part[16];

	*text = '\0';
	for (unsigned int i = 0; i < cpus; i++) {
		snprintf(part, sizeof(part), "%s%d%s", i ? "," : "",
			 core_map_os_cpu(map, i),
			 core_map_is_set(map, i) ? "" : "*");
		append(&at, part);
	}
	return text;
}

static void expect_same_map(const struct core_map *map)
{
	struct err err;
	char *text = core_map_format(map), *again, *a, *b;
	struct core_map *copy = core_map_parse(text, &err);

	ck_assert_msg(copy != NULL, "%s", err.text);
	again = core_map_format(copy);
	ck_assert_str_eq(text, again);
	a = format_block(map);
	b = format_block(copy);
	ck_assert_str_eq(a, b);
	ck_assert(cpuset_equal(core_map_cpus(map), core_map_cpus(copy)));
	free(a);
	free(b);
	free(text);
	free(again);
	core_map_free(copy);
}

START_TEST(the_block_map_is_slurmds_own_and_survives_the_cache)
{
	unsigned int rows = 0, wrong = 0;

	struct table table;

	table_open(&table, "blockmap.tsv");
	while (table_next(&table)) {
		const struct core_map *map = load_map(
			get(&table, "topology_file"),
			get(&table, "socket_kind"), VERSION_OF(22, 5, 8));
		const char *want = get(&table, "block_map");
		char *got = format_block(map);

		rows++;
		if (strcmp(got, want) != 0 && *want) {
			wrong++;
			printf("%s [%s]:\n want %s\n got  %s\n",
			       get(&table, "topology_file"),
			       get(&table, "socket_kind"), want, got);
		}
		expect_same_map(map);
		free(got);
	}
	free_maps();
	printf("%u maps, %u wrong\n", rows, wrong);
	ck_assert_uint_ge(rows, 145);
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

UNIT_MAIN("oracle", spec_sets_and_classes_are_those_of_slurmd_22_05,
	  spec_sets_are_those_of_slurmd_25_11,
	  jobs_lose_the_cores_that_slurmctld_22_05_kept_back,
	  jobs_lose_the_cores_that_slurmctld_25_11_kept_back,
	  the_block_map_is_slurmds_own_and_survives_the_cache)
