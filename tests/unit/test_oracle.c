/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The judge of core_map and reservation: what the real daemons of two versions
 * printed on 145 machines (tests/machines). */
#include "lib/core_map.h"
#include "lib/node.h"
#include "lib/reservation.h"
#include "lib/version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"
#include "tests/machines/machines.h"

#define MACHINES SRCDIR "/tests/machines/"
#define WORDS_MAX 32
#define MAPS_MAX 1024

/* Lines that start with a tab belong to the head above them. */
struct table {
	FILE *in;
	char *line, *head;
	size_t room;
	char *heads[WORDS_MAX], *words[WORDS_MAX];
};

struct cached_map {
	char key[256];
	struct core_map *map;
};

struct score {
	unsigned int rows, equal, regular, regular_equal, silent, misclassed;
	unsigned int left_out; /* of the rows */
};

/* Of a row: where it comes from, and what the daemon said. */
struct row {
	const char *machine, *flags, *class;
	const char *spec; /* of the node line */
	const char *abs_cpus, *os_cpus;
};

static struct cached_map maps[MAPS_MAX];
static int map_count;

static void split(char *line, char **words)
{
	char *state, *word = strtok_r(line, " \t\n", &state);
	int count = 0;

	for (; word && count < WORDS_MAX; word = strtok_r(NULL, " \t\n", &state))
		words[count++] = word;
	while (count < WORDS_MAX)
		words[count++] = NULL;
}

static void table_open(struct table *table, const char *name)
{
	memset(table, 0, sizeof(*table));
	table->in = fopen(name, "r");
	ck_assert_msg(table->in != NULL, "%s cannot be read", name);
}

/* The next line with words in it; heads are kept for the rows below them. */
static int table_next(struct table *table, bool rows_only)
{
	while (getline(&table->line, &table->room, table->in) > 0) {
		bool row = *table->line == '\t';

		if (*table->line == '#')
			continue;
		if (!row) {
			free(table->head);
			table->head = strdup(table->line);
			split(table->head, table->heads);
		}
		split(table->line, table->words);
		if (row || !rows_only)
			return 1;
	}
	fclose(table->in);
	free(table->line);
	free(table->head);
	return 0;
}

/* "-" stands for nothing. */
static const char *plain(const char *word)
{
	ck_assert_ptr_nonnull(word);
	return !strcmp(word, "-") ? "" : word;
}

static unsigned int number(const char *word)
{
	ck_assert_ptr_nonnull(word);
	return (unsigned int)strtoul(word, NULL, 10);
}

/* "cores=2" or "cpus=0,16" */
static void format_spec(char *line, size_t size, const char *word)
{
	if (!strncmp(word, "cpus=", 5))
		snprintf(line, size, "CpuSpecList=%s", word + 5);
	else
		snprintf(line, size, "CoreSpecCount=%s", word + 6);
}

static const struct core_map *load_map(const char *machine, const char *flags, unsigned int version)
{
	struct core_map_options options = { .slurm_version = version };
	struct err err;
	char key[256];

	core_map_slurmd_parameters(&options, flags);
	snprintf(key, sizeof(key), "%s %d %x", machine, options.socket, version);
	for (int i = map_count - 1; i >= 0; i--)
		if (!strcmp(maps[i].key, key))
			return maps[i].map;
	ck_assert_int_lt(map_count, MAPS_MAX);
	options.xml = tempdir_path("machine.xml");
	ck_assert_msg(machines_write(MACHINES "machines.txt", machine, options.xml, &err) == 0,
		      "%s", err.text);
	maps[map_count].map = core_map_load(&options, &err);
	ck_assert_msg(maps[map_count].map != NULL, "%s: %s", machine, err.text);
	strcpy(maps[map_count].key, key);
	return maps[map_count++].map;
}

static void free_maps(void)
{
	while (map_count)
		core_map_free(maps[--map_count].map);
}

/* The node line that was in slurm.conf for this row. */
static void read_node(struct node *node, const char *flags, const char *line, unsigned int version,
		      struct findings *findings)
{
	struct err err;

	node_init(node);
	node->version = version;
	node->spec_cores_first = strstr(flags, "first") != NULL;
	snprintf(node->slurmd_parameters, sizeof(node->slurmd_parameters), "%s", flags);
	ck_assert_msg(node_line_parse(node, line, findings, &err) == 0, "%s: %s", line, err.text);
}

static int same(const struct cpuset *set, const char *list)
{
	char *text = cpuset_format(set);
	int equal = !strcmp(text, list);

	free(text);
	return equal;
}

static void show(const struct row *row, const struct reservation *got)
{
	char *abs_list = cpuset_format(&got->abs_cpus);
	char *os_list = cpuset_format(&got->os_cpus);

	printf("%s [%s] %s: want %s = %s, got %s = %s (%s, %zu findings)\n", row->machine,
	       row->flags, reservation_class_name(got->class), row->abs_cpus, row->os_cpus,
	       abs_list, os_list, got->sound ? "sound" : "unsound", got->findings.count);
	free(abs_list);
	free(os_list);
}

static void judge(struct score *score, const struct row *row, const struct reservation *got)
{
	char *abs_list = reservation_abs_cpus_text(got);
	int equal = same(&got->os_cpus, row->os_cpus) && !strcmp(abs_list, row->abs_cpus);
	int regular = !strcmp(row->class, "regular");

	score->rows++;
	score->equal += (unsigned int)equal;
	score->regular += (unsigned int)regular;
	score->regular_equal += (unsigned int)(regular && equal);
	score->silent += !equal && !got->findings.count;
	if (!strcmp(row->flags, "default") &&
	    strcmp(row->class, reservation_class_name(got->class)) != 0) {
		score->misclassed++;
		printf("%s: class %s\n", row->machine, row->class);
		show(row, got);
	}
	free(abs_list);
	if (!equal)
		show(row, got);
}

/* Head: machine, flags, class, CPUs, Boards, sockets of all boards, cores of a
 * socket, threads of a core. Row: spec set, abstract CPUs, CPUs of Linux, and
 * the version when the two do not agree. */
static void judge_slurmd_row(struct score *score, char **heads, char **words, unsigned int version)
{
	static const struct reservation_request unset = { RESERVATION_UNSET, 0 };
	struct row row = {
		heads[0], heads[1], heads[2], words[0], plain(words[1]), plain(words[2])
	};
	struct findings findings = { 0 };
	struct reservation got;
	struct node node;
	struct err err;
	char spec[512], line[1024];

	format_spec(spec, sizeof(spec), row.spec);
	snprintf(line, sizeof(line),
		 "CPUs=%s Boards=%s SocketsPerBoard=%u CoresPerSocket=%s ThreadsPerCore=%s %s",
		 heads[3], heads[4], number(heads[5]) / number(heads[4]), heads[6], heads[7], spec);
	read_node(&node, row.flags, line, version, &findings);
	ck_assert_msg(reservation_compute(&node, load_map(row.machine, row.flags, version), &unset,
					  &got, &err) == 0,
		      "%s", err.text);
	findings_append(&got.findings, &findings);
	judge(score, &row, &got);
	reservation_free(&got);
	findings_free(&findings);
}

/* In an emulator of memory, all but some of the rows. */
static bool is_left_out(struct score *score)
{
	bool is = (score->rows + score->left_out) % (unsigned int)rounds_share();

	score->left_out += is;
	return is;
}

static void judge_slurmd(const char *name, unsigned int version, struct score *score)
{
	struct table table;

	setvbuf(stdout, NULL, _IOLBF, 0);
	tempdir_make();
	table_open(&table, MACHINES "slurmd.txt");
	while (table_next(&table, true))
		if ((!table.words[3] || !strcmp(table.words[3], name)) && !is_left_out(score))
			judge_slurmd_row(score, table.heads, table.words, version);
	free_maps();
	tempdir_remove();
}

/* No row may get lost on the way. */
static void expect(const struct score *score, unsigned int rows)
{
	unsigned int others = score->rows - score->regular;
	unsigned int others_equal = score->equal - score->regular_equal;

	printf("%u rows, %u equal; regular %u of %u; others %u of %u; %u silent\n", score->rows,
	       score->equal, score->regular_equal, score->regular, others_equal, others,
	       score->silent);
	ck_assert_uint_eq(score->rows + score->left_out, rows);
	ck_assert_uint_eq(score->regular_equal, score->regular);
	ck_assert_uint_ge(others_equal * 100, others * 95);
	ck_assert_uint_eq(score->silent, 0);
}

START_TEST(spec_sets_and_classes_are_those_of_slurmd_22_05)
{
	struct score score = { 0 };

	judge_slurmd("22.05", VERSION_OF(22, 5, 8), &score);
	expect(&score, 5205);
	ck_assert_uint_eq(score.misclassed, 0);
}
END_TEST

START_TEST(spec_sets_are_those_of_slurmd_25_11)
{
	struct score score = { 0 };

	judge_slurmd("25.11", VERSION_OF(25, 11, 7), &score);
	expect(&score, 5205);
}
END_TEST

/* "-": the job asks for nothing; "2": cores; "t2": threads */
static struct reservation_request read_request(const char *word)
{
	struct reservation_request request = { RESERVATION_CORES, 0 };

	if (*word == '-')
		request.kind = RESERVATION_UNSET;
	else if (*word == 't')
		request.kind = RESERVATION_THREADS;
	request.count = number(word + (*word < '0' || *word > '9'));
	return request;
}

/* Head: machine, flags, sockets, cores of a socket, threads of a core,
 * AllowSpecResourcesUsage, version. Row: spec set, the job's request, abstract
 * CPUs and CPUs of Linux that it did not get. */
static void judge_job_row(struct score *score, char **heads, char **words, unsigned int version)
{
	struct row row = {
		heads[0], heads[1], "regular", words[0], plain(words[2]), plain(words[3])
	};
	struct reservation_request request = read_request(words[1]);
	struct findings findings = { 0 };
	struct reservation got;
	struct node node;
	struct err err;
	char spec[512], line[1024];

	format_spec(spec, sizeof(spec), row.spec);
	snprintf(line, sizeof(line),
		 "CPUs=%u Boards=1 SocketsPerBoard=%s CoresPerSocket=%s ThreadsPerCore=%s %s",
		 number(heads[2]) * number(heads[3]) * number(heads[4]), heads[2], heads[3],
		 heads[4], spec);
	read_node(&node, row.flags, line, version, &findings);
	node.allow_spec_resources_usage = !strcmp(heads[5], "yes");
	ck_assert_msg(reservation_compute(&node, load_map(row.machine, row.flags, version),
					  &request, &got, &err) == 0,
		      "%s", err.text);
	judge(score, &row, &got);
	reservation_free(&got);
	findings_free(&findings);
}

static void judge_jobs(const char *name, unsigned int version, struct score *score)
{
	struct table table;

	tempdir_make();
	table_open(&table, MACHINES "jobs.txt");
	while (table_next(&table, true))
		if (!strcmp(table.heads[6], name) && !is_left_out(score))
			judge_job_row(score, table.heads, table.words, version);
	free_maps();
	tempdir_remove();
}

START_TEST(jobs_lose_the_cores_that_slurmctld_22_05_kept_back)
{
	struct score score = { 0 };

	judge_jobs("22.05", VERSION_OF(22, 5, 8), &score);
	expect(&score, 1411);
}
END_TEST

START_TEST(jobs_lose_the_cores_that_slurmctld_25_11_kept_back)
{
	struct score score = { 0 };

	judge_jobs("25.11", VERSION_OF(25, 11, 7), &score);
	expect(&score, 183);
}
END_TEST

static void append(char **at, const char *text)
{
	*at = stpcpy(*at, text);
}

/* The whole map as slurmd logs it: '*' marks a default. */
static char *format_block(const struct core_map *map)
{
	unsigned int cpus = core_map_shape(map)->cpus;
	char *text = malloc(cpus * 8 + 1), *at = text, part[16];

	*text = '\0';
	for (unsigned int i = 0; i < cpus; i++) {
		snprintf(part, sizeof(part), "%s%d%s", i ? "," : "", core_map_os_cpu(map, i),
			 core_map_is_set(map, i) ? "" : "*");
		append(&at, part);
	}
	return text;
}

static bool is_among(const unsigned int *numbers, unsigned int count, unsigned int number)
{
	while (count)
		if (numbers[--count] == number)
			return true;
	return false;
}

/* The same of the words of a row: a list for the first threads of all cores, one
 * for the second ones, ..., "default" and the entries that are defaults. */
static char *format_lists(char **words)
{
	unsigned int *lists[WORDS_MAX], counts[WORDS_MAX], threads = 0;
	unsigned int *defaults, default_count, cpus = 0;
	char *text, *at, part[16];
	struct err err;

	for (; words[threads] && strcmp(words[threads], "default") != 0; threads++) {
		lists[threads] = machines_list(words[threads], &counts[threads], &err);
		ck_assert_msg(lists[threads] != NULL, "%s", err.text);
		cpus += counts[threads];
	}
	defaults = machines_list(words[threads] ? words[threads + 1] : "-", &default_count, &err);
	ck_assert_msg(defaults != NULL, "%s", err.text);
	text = at = calloc(cpus + 1, 8);
	for (unsigned int i = 0; i < cpus; i++) {
		snprintf(part, sizeof(part), "%s%u%s", i ? "," : "",
			 lists[i % threads][i / threads],
			 is_among(defaults, default_count, i) ? "*" : "");
		append(&at, part);
	}
	while (threads)
		free(lists[--threads]);
	free(defaults);
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

/* Is it slurmd's? */
static bool is_same_block(char **words)
{
	const struct core_map *map = load_map(words[0], words[1], VERSION_OF(22, 5, 8));
	char *want = format_lists(&words[2]);
	char *got = format_block(map);
	bool is = !strcmp(got, want) || !*want;

	if (!is)
		printf("%s [%s]:\n want %s\n got  %s\n", words[0], words[1], want, got);
	expect_same_map(map);
	free(got);
	free(want);
	return is;
}

START_TEST(the_block_map_is_slurmds_own_and_survives_the_cache)
{
	struct score score = { 0 };
	struct table table;

	tempdir_make();
	table_open(&table, MACHINES "maps.txt");
	while (table_next(&table, false)) {
		if (is_left_out(&score))
			continue;
		score.rows++;
		score.equal += is_same_block(table.words);
	}
	free_maps();
	tempdir_remove();
	printf("%u maps, %u equal\n", score.rows, score.equal);
	ck_assert_uint_eq(score.rows + score.left_out, 209);
	ck_assert_uint_eq(score.equal, score.rows);
}
END_TEST

UNIT_MAIN("oracle", spec_sets_and_classes_are_those_of_slurmd_22_05,
	  spec_sets_are_those_of_slurmd_25_11, jobs_lose_the_cores_that_slurmctld_22_05_kept_back,
	  jobs_lose_the_cores_that_slurmctld_25_11_kept_back,
	  the_block_map_is_slurmds_own_and_survives_the_cache)
