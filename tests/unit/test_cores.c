/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cores Slurm withholds, and which OS CPUs they are. The results are compared with
 * what the real daemons of two versions printed on 145 machines (tests/machines). Tables of
 * rows cover the rest: findings, soundness, odd machines, node lines and records, the cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

#include "base/version.h"
#include "cores/core_map_load.h"
#include "cores/reservation.h"
#include "tests/machines/machines.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define MACHINES SRCDIR "/tests/machines/"
#define WORDS_MAX 32
#define MAPS_MAX 1024

static struct err err;

/* Text of a set, for a comparison; four buffers in turn. */
static const char *list_of(const struct cpuset *set)
{
	static char kept[4][4096];
	static int turn;
	char *text = cpuset_format(set), *to = kept[turn++ % 4];

	snprintf(to, sizeof(kept[0]), "%s", text);
	free(text);
	return to;
}

/* ---- what the daemons printed ---------------------------------------------------- */

/* A row of a file of tests/machines, with the words of its head. */
struct row {
	char *heads[WORDS_MAX], *words[WORDS_MAX];
};

struct score {
	unsigned int rows, left_out, equal, regular, regular_equal, silent, misclassed;
};

static void split(char *line, char **words)
{
	char *state, *word = strtok_r(line, " \t\n", &state);
	int count = 0;

	for (; word && count < WORDS_MAX; word = strtok_r(NULL, " \t\n", &state))
		words[count++] = word;
	while (count < WORDS_MAX)
		words[count++] = NULL;
}

/* Call for each row, or for each head that has no rows, except those that is_left_out() drops. */
static void each_row(const char *name, bool heads_only, struct score *score,
		     void (*judge)(const struct row *row, struct score *score))
{
	char *line = NULL, *head = NULL;
	FILE *in = fopen(name, "r");
	struct row row = { 0 };
	size_t room = 0;

	ck_assert_msg(in != NULL, "%s cannot be read", name);
	tempdir_make();
	while (getline(&line, &room, in) > 0) {
		if (*line == '#' || *line == '\n')
			continue;
		if (*line != '\t') {
			free(head);
			head = strdup(line);
			split(head, row.heads);
		}
		split(line, row.words);
		if (heads_only || *line == '\t')
			judge(&row, score);
	}
	tempdir_remove();
	fclose(in);
	free(line);
	free(head);
}

/* Under valgrind most rows are left out. */
static bool is_left_out(struct score *score)
{
	bool is = (score->rows + score->left_out) % (unsigned int)rounds_share();

	score->left_out += is;
	return is;
}

/* "-" in a table is the empty text. */
static const char *plain(const char *word)
{
	ck_assert_ptr_nonnull(word);
	return !strcmp(word, "-") ? "" : word;
}

/* The map of a machine of the table; kept, since many rows use it. */
static const struct core_map *map_of(const char *machine, const char *flags, unsigned int version)
{
	struct core_map_options options = { .slurm_version = version };
	static struct {
		char key[256];
		struct core_map *map;
	} maps[MAPS_MAX];
	char key[256];
	int i;

	core_map_slurmd_parameters(&options, flags);
	snprintf(key, sizeof(key), "%s %d %x", machine, options.socket, version);
	for (i = 0; i < MAPS_MAX && maps[i].map; i++)
		if (!strcmp(maps[i].key, key))
			return maps[i].map;
	ck_assert_int_lt(i, MAPS_MAX);
	options.xml = tempdir_path("machine.xml");
	ck_assert_msg(machines_write(MACHINES "machines.txt", machine, options.xml, &err) == 0,
		      "%s", err.text);
	strcpy(maps[i].key, key);
	maps[i].map = core_map_load(&options, &err);
	ck_assert_msg(maps[i].map != NULL, "%s: %s", machine, err.text);
	return maps[i].map;
}

/* Compute the reservation for a node line with a spec set ("cores=2", "cpus=0,16") and compare
 * it with the daemon's log. */
static void judge(struct score *score, const struct row *row, const char *line, const char *usage,
		  unsigned int version, struct reservation_request request, const char *class,
		  const char *abs_cpus, const char *os_cpus)
{
	const char *spec = row->words[0], *machine = row->heads[0], *flags = row->heads[1];
	struct findings findings = { 0 };
	struct reservation got;
	struct node node;
	char text[1024], *abs_list;
	bool equal, regular = !strcmp(class, "regular");

	snprintf(text, sizeof(text), "%s %s%s", line,
		 spec[1] == 'p' ? "CpuSpecList=" : "CoreSpecCount=", strchr(spec, '=') + 1);
	node_init(&node);
	node.version = version;
	node.spec_cores_first = strstr(flags, "first") != NULL;
	node.allow_spec_resources_usage = !strcmp(usage, "yes");
	snprintf(node.slurmd_parameters, sizeof(node.slurmd_parameters), "%s", flags);
	ck_assert_msg(node_line_parse(&node, text, &findings, &err) == 0, "%s: %s", text, err.text);
	ck_assert_msg(reservation_compute(&node, map_of(machine, flags, version), &request, &got,
					  &err) == 0,
		      "%s", err.text);
	abs_list = reservation_abs_cpus_text(&got);
	equal = !strcmp(abs_list, abs_cpus) && !strcmp(list_of(&got.os_cpus), os_cpus);
	if (!equal)
		printf("%s [%s] %s: want %s = %s, got %s = %s\n", machine, flags, spec, abs_cpus,
		       os_cpus, abs_list, list_of(&got.os_cpus));
	score->rows++;
	score->equal += equal;
	score->regular += regular;
	score->regular_equal += regular && equal;
	score->silent += !equal && !got.findings.count && !findings.count;
	score->misclassed +=
		!strcmp(flags, "default") && strcmp(class, reservation_class_name(got.class)) != 0;
	free(abs_list);
	reservation_free(&got);
	findings_free(&findings);
}

static const char *version_name; /* of the rows that are compared */
static unsigned int version;

/* Head: machine, flags, class, CPUs, boards, sockets of all boards, cores per socket, threads
 * per core. Row: spec set, abstract CPUs, OS CPUs, and the version if the two versions differ. */
static void judge_slurmd(const struct row *row, struct score *score)
{
	char *const *h = row->heads, *const *w = row->words;
	char line[512];

	if ((w[3] && strcmp(w[3], version_name) != 0) || is_left_out(score))
		return;
	snprintf(line, sizeof(line),
		 "CPUs=%s Boards=%s SocketsPerBoard=%d CoresPerSocket=%s ThreadsPerCore=%s", h[3],
		 h[4], atoi(h[5]) / atoi(h[4]), h[6], h[7]);
	judge(score, row, line, "yes", version, (struct reservation_request){ 0 }, h[2],
	      plain(w[1]), plain(w[2]));
}

/* Head: machine, flags, sockets, cores per socket, threads per core, AllowSpecResourcesUsage,
 * version. Row: spec set, the job's request ("-": none; "2": cores; "t2": threads), abstract
 * CPUs and OS CPUs that were withheld from the job. */
static void judge_job(const struct row *row, struct score *score)
{
	struct reservation_request request = { RESERVATION_CORES, 0 };
	char *const *h = row->heads, *const *w = row->words;
	char line[512];

	if (strcmp(h[6], version_name) != 0 || is_left_out(score))
		return;
	request.kind = *w[1] == '-'   ? RESERVATION_UNSET
		       : *w[1] == 't' ? RESERVATION_THREADS
				      : RESERVATION_CORES;
	request.count = (unsigned int)atoi(w[1] + strcspn(w[1], "0123456789"));
	snprintf(line, sizeof(line),
		 "CPUs=%d Boards=1 SocketsPerBoard=%s CoresPerSocket=%s ThreadsPerCore=%s",
		 atoi(h[2]) * atoi(h[3]) * atoi(h[4]), h[2], h[3], h[4]);
	judge(score, row, line, h[5], version, request, "regular", plain(w[2]), plain(w[3]));
}

/* All rows were compared; of irregular machines at least 95 % agree, the others have a finding. */
static void expect_rows(const char *file, const char *name, unsigned int number, unsigned int rows)
{
	struct score score = { 0 };

	version_name = name;
	version = number;
	each_row(file, false, &score, strstr(file, "jobs") ? judge_job : judge_slurmd);
	printf("%s: %u rows, %u equal; regular %u of %u; %u silent\n", name, score.rows,
	       score.equal, score.regular_equal, score.regular, score.silent);
	ck_assert_uint_eq(score.rows + score.left_out, rows);
	ck_assert_uint_eq(score.regular_equal, score.regular);
	ck_assert_uint_ge((score.equal - score.regular_equal) * 100,
			  (score.rows - score.regular) * 95);
	ck_assert_uint_eq(score.silent, 0);
	if (number < VERSION_OF(23, 2, 0) && !strstr(file, "jobs"))
		ck_assert_uint_eq(score.misclassed, 0);
}

START_TEST(spec_sets_are_those_that_slurmd_22_05_and_25_11_reserve)
{
	expect_rows(MACHINES "slurmd.txt", "22.05", VERSION_OF(22, 5, 8), 5205);
	expect_rows(MACHINES "slurmd.txt", "25.11", VERSION_OF(25, 11, 7), 5205);
}
END_TEST

START_TEST(jobs_do_not_get_the_cores_that_slurmctld_22_05_and_25_11_withhold)
{
	expect_rows(MACHINES "jobs.txt", "22.05", VERSION_OF(22, 5, 8), 1411);
	expect_rows(MACHINES "jobs.txt", "25.11", VERSION_OF(25, 11, 7), 183);
}
END_TEST

/* "0,4*,1": OS CPUs in Slurm's order; '*': slurmd left the default. */
static char *block_of(const struct core_map *map)
{
	unsigned int cpus = core_map_shape(map)->cpus;
	char *text = calloc(cpus + 1, 8), *at = text;

	for (unsigned int i = 0; i < cpus; i++)
		at += sprintf(at, "%d%s,", core_map_os_cpu(map, i),
			      core_map_is_set(map, i) ? "" : "*");
	return text;
}

/* The same from the words of a row: a list for the first threads of all cores, one for the
 * second threads, ..., "default" and the entries that are defaults. */
static char *block_of_words(char *const *words)
{
	unsigned int *lists[WORDS_MAX], counts[WORDS_MAX], threads = 0, cpus = 0, defaults;
	char *text, *at;

	for (; words[threads] && strcmp(words[threads], "default") != 0; threads++) {
		lists[threads] = machines_list(words[threads], &counts[threads], &err);
		ck_assert_msg(lists[threads] != NULL, "%s", err.text);
		cpus += counts[threads];
	}
	lists[threads] = machines_list(words[threads] ? words[threads + 1] : "-", &defaults, &err);
	text = at = calloc(cpus + 1, 8);
	for (unsigned int i = 0, k; i < cpus; i++) {
		for (k = 0; k < defaults && lists[threads][k] != i; k++)
			;
		at += sprintf(at, "%u%s,", lists[i % threads][i / threads],
			      k < defaults ? "*" : "");
	}
	for (unsigned int i = 0; i <= threads; i++)
		free(lists[i]);
	return text;
}

/* The map is unchanged after being written as text and read again. */
static void expect_same_as_text(const struct core_map *map)
{
	char *text = core_map_format(map), *again, *a = block_of(map), *b;
	struct core_map *copy = core_map_parse(text, &err);

	ck_assert_msg(copy != NULL, "%s", err.text);
	again = core_map_format(copy);
	b = block_of(copy);
	ck_assert_str_eq(text, again);
	ck_assert_str_eq(a, b);
	ck_assert(cpuset_equal(core_map_cpus(map), core_map_cpus(copy)));
	free(a);
	free(b);
	free(text);
	free(again);
	core_map_free(copy);
}

static void judge_map(const struct row *row, struct score *score)
{
	const struct core_map *map;
	char *want, *got;

	if (is_left_out(score))
		return;
	map = map_of(row->heads[0], row->heads[1], VERSION_OF(22, 5, 8));
	want = block_of_words(&row->heads[2]);
	got = block_of(map);
	score->rows++;
	if (!*want || !strcmp(got, want))
		score->equal++;
	else
		printf("%s [%s]:\n want %s\n got  %s\n", row->heads[0], row->heads[1], want, got);
	expect_same_as_text(map);
	free(got);
	free(want);
}

START_TEST(the_map_of_cores_to_os_cpus_is_slurmds_own_and_survives_the_cache)
{
	struct score score = { 0 };

	each_row(MACHINES "maps.txt", true, &score, judge_map);
	ck_assert_uint_eq(score.rows + score.left_out, 209);
	ck_assert_uint_eq(score.equal, score.rows);
}
END_TEST

/* ---- reservations ------------------------------------------------------------------ */

/* smt: 2 sockets of 2 cores with 2 threads, core k is CPUs k and k + 4, %d: the machine's flaws;
 * the other map: 2 sockets of 2 cores with one thread */
#define SMT "core_map/1 8 1 2 2 2 %d 0-7 0-7 0,4,1,5,2,6,3,7 0,4;1,5;2,6;3,7"
#define PLAIN "4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3"

/* "8:2x2x2 count=1 list=7 ...": a node record of 24.11.5, with these words changed. */
static void set_node(struct node *node, const char *text)
{
	char words[200], *state, *word, *value;
	unsigned int release[3] = { 24, 11, 5 };

	node_init(node);
	node->boards = 1;
	strcpy(node->name, "n1");
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		value = word + strcspn(word, "=") + 1;
		if (sscanf(word, "%u:%ux%ux%u", &node->cpus, &node->sockets, &node->cores,
			   &node->threads) == 4)
			continue;
		else if (!strncmp(word, "boards=", 7))
			node->boards = (unsigned int)atoi(value);
		else if (!strncmp(word, "count=", 6))
			node->core_spec_count = (unsigned int)atoi(value);
		else if (!strncmp(word, "list=", 5))
			node->has_spec_list = cpuset_parse(&node->spec_list, value, NULL) == 0;
		else if (!strncmp(word, "version=", 8))
			ck_assert_int_eq(
				sscanf(value, "%u.%u.%u", &release[0], &release[1], &release[2]),
				3);
		else if (!strncmp(word, "slurmd=", 7))
			strcpy(node->slurmd_parameters, value);
		else if (!strncmp(word, "task=", 5))
			strcpy(node->task_plugin_param, value);
		else if (!strcmp(word, "first"))
			node->spec_cores_first = true;
		else if (!strcmp(word, "controller"))
			node->from_controller = true;
		else if (!strcmp(word, "no-usage"))
			node->allow_spec_resources_usage = false;
		else if (!strcmp(word, "linear"))
			node->cons_tres = false;
		else
			ck_abort_msg("no such word: %s", word);
	}
	node->version = VERSION_OF(release[0], release[1], release[2]);
}

/* 'text': "smt" with 'flaws', or the text of another map of four CPUs. */
static int compute(const struct node *node, const char *text, const char *asked,
		   struct reservation *got)
{
	struct reservation_request request = { RESERVATION_CORES, (unsigned int)atoi(asked) };
	char line[32768];
	struct core_map *map;
	int rc;

	if (*asked == '-')
		request.kind = RESERVATION_UNSET;
	if (*asked == 't')
		request = (struct reservation_request){ RESERVATION_THREADS,
							(unsigned int)atoi(asked + 1) };
	if (!strncmp(text, "smt", 3))
		snprintf(line, sizeof(line), SMT, atoi(text + 3));
	else
		snprintf(line, sizeof(line), "core_map/1 %s", strcmp(text, "plain") ? text : PLAIN);
	map = core_map_parse(line, &err);
	ck_assert_msg(map != NULL, "%s", err.text);
	rc = reservation_compute(node, map, &request, got, &err);
	core_map_free(map);
	return rc;
}

/* Class, "unsound", "never" (no such job can run), and the codes of the findings in order. */
static const char *says_of(const struct reservation *got)
{
	static char says[200];

	snprintf(says, sizeof(says), "%s%s%s", reservation_class_name(got->class),
		 got->sound ? "" : " unsound", got->possible ? "" : " never");
	for (size_t i = 0; i < got->findings.count; i++) {
		strcat(strcat(says, " "), got->findings.list[i].code);
		ck_assert_ptr_nonnull(got->findings.list[i].cure);
	}
	return says;
}

/* Map | node record | request of the job (-: none, N: --core-spec, tN: --thread-spec) |
 * abstract cores and OS CPUs withheld | class and findings | the first finding's text. */
static const char *const reserved[] = {
	"smt | 8:2x2x2 | 1 | 3 | 3,7 | regular",
	"smt | 8:2x2x2 | 3 | 1-3 | 1-3,5-7 | regular",
	"smt | 8:2x2x2 first | 1 | 0 | 0,4 | regular",
	"plain | 4:2x2x1 first | 1 | 0 | 0 | regular",
	"4 1 2 2 1 0 0-3 0-3 0,1,2,3 0,1;2,3 | 4:2x2x1 | 1 | 3 | 3 | regular unsound",
	"4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2 | 4:2x2x1 | 1 | 3 | 3 | regular unsound",
	"4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;2;1,3 | 4:2x2x1 | 2 | 1,3 | 1,3 | regular unsound",
	"4 1 2 2 1 1 0-3 0-2 0,1,3,3 0;1;2;3 | 4:2x2x1 | 1 | 3 | 3 | sparse unsound C01 C19 | the machine numbers its 4 CPUs up to 3: slurmd drops every number from 4 on and names others instead",
	"smt | 8:2x2x2 | 4 | | | regular never C20 | a job that asks for 4 cores never runs on this node: it has 4",
	"plain | 4:2x2x1 | t4 | 0-3 | 0-3 | regular never C20",
	"plain | 4:2x2x1 | t3 | 1-3 | 1-3 | regular",
	"plain | 4:2x2x1 | t1 | 3 | 3 | regular",
	"plain | 4:2x2x1 | t0 | | | regular C24 | --thread-spec names no particular CPU on a node with 1 threads a core: only the spec set is withheld",
	"smt | 8:2x2x2 | t2 | | | regular C24",
	"smt | 8:2x2x2 count=2 | - | 1,3 | 1,3,5,7 | regular",
	"smt | 8:2x2x2 count=2 | 1 | 1 | 1,5 | regular C23 | the node's spec set has 2 cores and the job asks for 1: Slurm gives it the other 1, and withholds the lowest numbers of the set",
	"smt | 8:2x2x2 count=2 | 2 | 1,3 | 1,3,5,7 | regular",
	"smt | 8:2x2x2 count=2 | 0 | | | regular C23",
	"smt | 8:2x2x2 list=0 | 2 | 0,3 | 0,3-4,7 | regular",
	"smt | 8:2x2x2 list=0 first | 2 | 0,2 | 0,2,4,6 | regular",
	"smt | 8:2x2x2 count=1 no-usage | 2 | 3 | 3,7 | regular C21 | Slurm drops the request: AllowSpecResourcesUsage is not set; the whole spec set is withheld and nothing else",
	"smt | 8:2x2x2 count=1 no-usage linear | 2 | 3 | 3,7 | regular C25 | select/linear ignores --core-spec: no core is withheld for this request",
	"smt | 8:2x2x2 count=1 no-usage linear | - | 3 | 3,7 | regular",
	"smt | 8:2x2x2 version=22.5.8 count=4 | - | | | fails unsound C16 | slurmd disables core specialization on this node: CoreSpecCount too large",
	"smt | 8:2x2x2 version=22.5.8 count=3 | - | 1-3 | 1-3,5-7 | regular",
	"smt | 8:2x2x2 version=22.5.8 count=3 list=7 | - | 3 | 3,7 | regular",
	"smt | 8:2x2x2 version=22.5.8 count=3 list=7-8 | - | | | fails unsound C16 | slurmd disables core specialization on this node: CpuSpecList names a CPU beyond those that slurmd counts",
	"smt | 8:2x2x2 version=22.5.0 list=2 | 1 | 1 | 1,5 | regular",
	"smt | 16:2x2x4 version=22.5.0 list=2 | 1 | 0 | 0,4 | conf_mismatch C10 C18 | the node record has CPUs=16 Boards=1 Sockets=2 CoresPerSocket=2 ThreadsPerCore=4, slurmd finds CPUs=8 Boards=1 Sockets=2 CoresPerSocket=2 ThreadsPerCore=2",
	"smt | 8:2x2x2 boards=2 | 1 | 3 | 3,7 | conf_mismatch C10",
	"smt | 4:2x2x1 | 1 | 3 | 3 | conf_mismatch unsound C10",
	"smt | 16:4x2x2 | 1 | 7 | | conf_mismatch unsound C17 C10 | slurmctld counts 8 cores on this node, slurmd 4: slurmd cannot turn the job's cores into CPUs",
	"smt | 10:5x1x2 | 1 | 4 | | conf_mismatch unsound C17 C10 | slurmctld counts 5 cores on this node, slurmd 4: slurmd cannot turn the job's cores into CPUs",
	"smt | 8:2x2x2 version=25.4.255 task=slurmdspecoverride | 1 | 3 | 3,7 | regular",
	"smt | 8:2x2x2 version=25.5.0 task=slurmdspecoverride | 1 | 3 | 3,7 | regular C26 | TaskPluginParam=SlurmdSpecOverride: when slurmd is started in a cgroup without all CPUs, the missing CPUs are the spec set, not those of the node line: Slurm may reserve others than these",
	"smt | 8:2x2x2 version=25.5.0 task=slurmdspecoverride controller | 1 | 3 | 3,7 | regular",
	"smt | 8:2x2x2 version=23.2.0 count=4 | - | 0-3 | 0-7 | regular",
	"smt | 8:2x2x2 version=23.2.0 count=4 | 1 | 0 | 0,4 | regular C23",
	"smt | 8:2x2x2 version=23.1.255 count=4 | - | | | fails unsound C16 | slurmd disables core specialization on this node: CoreSpecCount too large",
	"smt | 8:2x2x2 version=23.1.255 count=4 | 1 | 3 | 3,7 | fails unsound C16 | slurmd disables core specialization on this node: CoreSpecCount too large",
	"smt | 8:2x2x2 version=23.2.0 count=5 first | - | 0-3 | 0-7 | regular",
	"smt | 8:2x2x2 version=23.2.0 list=7-8 | - | 3 | 3,7 | regular C18 | slurmctld and slurmd choose different cores for the spec set of this node",
	"smt | 8:2x2x2 version=23.1.255 list=7-8 | - | | | fails unsound C16 | slurmd disables core specialization on this node: CpuSpecList names a CPU beyond those that slurmd counts",
	"smt | 4:2x2x2 version=22.5.0 list=3 count=1 | - | 3 | 3,7 | conf_mismatch C10",
	"smt | 4:2x2x2 version=22.5.0 list=3 count=1 controller | - | 3 | 3,7 | conf_mismatch C10",
	"smt | 4:2x2x2 version=23.2.0 list=3 controller | - | 3 | 3,7 | conf_mismatch C10",
	"smt | 4:2x2x2 version=23.1.255 list=3 controller | - | 1 | 1,5 | conf_mismatch C10",
	"smt | 8:2x2x2 version=22.5.8 list=6-7 count=2 controller | - | 3 | 3,7 | regular",
	"smt | 8:2x2x2 version=22.5.8 list=6-7 count=2 controller | 1 | 3 | 3,7 | regular",
	"smt | 4:2x2x2 version=22.5.8 list=3 count=1 controller | - | 3 | 3,7 | conf_mismatch C10",
	"smt | 4:2x2x2 version=22.5.8 list=2-3 count=1 controller | - | 1 | 1,5 | conf_mismatch C10",
	"smt | 4:2x2x1 version=23.11.0 | 1 | 3 | 3 | conf_mismatch unsound C10",
	"smt | 4:2x2x1 version=23.10.255 | 1 | 3 | 5 | conf_mismatch unsound C10",
	"smt | 8:8x1x1 version=23.11.7 | 1 | 7 | 7 | conf_mismatch unsound C10",
	"smt | 8:8x1x1 version=23.11.6 | 1 | 7 | 3 | conf_mismatch unsound C10 C19",
	"smt | 16:4x2x2 version=22.5.0 slurmd=config_override | 1 | 7 | 3,7 | conf_mismatch unsound C10 C19",
	"smt | 16:4x2x2 version=22.5.0 | 1 | 7 | | conf_mismatch unsound C17 C10",
	"smt | 8:1x4x2 version=22.5.8 count=2 | - | 1,3 | 1,3,5,7 | conf_mismatch C10",
	"smt | 8:1x4x2 version=22.5.8 count=2 linear | - | 2-3 | 2-3,6-7 | conf_mismatch C10",
	"smt | 8:1x4x2 version=22.5.8 count=2 slurmd=config_overrides | - | 2-3 | 2-3,6-7 | conf_mismatch C10",
	"smt | 4:1x2x2 version=22.5.8 count=1 | - | 1 | 1,5 | conf_mismatch C10",
	"smt | 1:1x4x2 version=25.11.0 count=2 | - | 2-3 | 2-3,6-7 | conf_mismatch C10",
	"smt | 1:1x4x2 version=25.10.255 count=2 | - | 1,3 | 1,3,5,7 | conf_mismatch C10 C18",
	"smt | 8:2x2x2048 | - | | | conf_mismatch C10",
	"plain | 4:2x2x1 | - | | | regular",
	"smt 1 | 8:2x2x2 | 1 | 3 | 3,7 | sparse C01",
	"smt 2 | 8:2x2x2 | 1 | 3 | 3,7 | irregular C02 | 8 CPUs are no multiple of 4 cores: slurmd counts 2 thread(s) a core and leaves CPUs out",
	"smt 4 | 8:2x2x2 | 1 | 3 | 3,7 | irregular C03 | 4 cores are no multiple of 2 sockets: slurmd counts 2 a socket and leaves cores out",
	"smt 8 | 8:2x2x2 | 1 | 3 | 3,7 | regular C04 | the machine shows no object that slurmd could count as a socket: its CPU numbers stay as they are",
	"smt 32 | 8:2x2x2 | 1 | 3 | 3,7 | regular C05 | slurmd leaves the efficiency cores of this machine out",
	"smt 128 | 8:2x2x2 | 1 | | | fails unsound never C06 | slurmd does not start on this machine: it cannot count sockets of the kind that SlurmdParameters names",
	"smt 256 | 8:2x2x2 | 1 | 3 | 3,7 | irregular C08 | 2 sockets are no multiple of 1 boards: no SocketsPerBoard describes this machine",
	"smt 512 | 8:2x2x2 | 1 | 3 | 3,7 | irregular C09 | the machine shows cores without any CPU beside its 4: slurmd counts them and names CPUs that belong to others",
	"smt 513 | 8:2x2x2 | 1 | 3 | 3,7 | irregular C01 C09",
};

START_TEST(a_job_does_not_get_the_cores_of_its_row_and_has_its_findings)
{
	struct reservation got;
	char part[8][700];
	struct node node;

	for (size_t i = 0; i < ROWS(reserved); i++) {
		split_row(reserved[i], part);
		set_node(&node, part[1]);
		ck_assert_msg(compute(&node, part[0], part[2], &got) == 0, "%s", err.text);
		ck_assert_msg(!strcmp(list_of(&got.abs_cores), part[3]) &&
				      !strcmp(list_of(&got.os_cpus), part[4]) &&
				      !strcmp(says_of(&got), part[5]),
			      "%s\ngot %s | %s | %s", reserved[i], list_of(&got.abs_cores),
			      list_of(&got.os_cpus), says_of(&got));
		ck_assert_str_eq(*part[6] ? got.findings.list[0].text : "", part[6]);
		ck_assert_int_eq(cpuset_intersects(&got.os_cpus, &got.job_os_cpus),
				 !cpuset_is_empty(&got.shared_os_cpus));
		reservation_free(&got);
	}
}
END_TEST

START_TEST(a_record_without_geometry_or_of_more_than_8192_cpus_has_no_answer)
{
	static const char *const rows[] = {
		"8:2x2x0 | the record has no geometry",
		"0:2x2x2 | the record has no geometry",
		"8:0x2x2 | the record has no geometry",
		"8:2x0x2 | the record has no geometry",
		"8:2x2x2049 | 4 cores of 2049 threads: more than 8192 CPUs",
		"8:8193x1x1 | 8193 cores of 1 threads: more than 8192 CPUs",
	};
	struct reservation got;
	char part[8][700];
	struct node node;

	for (size_t i = 0; i < ROWS(rows); i++) {
		split_row(rows[i], part);
		set_node(&node, part[0]);
		ck_assert_int_eq(compute(&node, "smt", "1", &got), -1);
		ck_assert_str_eq(err.text + strlen("node 'n1': "), part[1]);
	}
}
END_TEST

/* ---- lists that slurmd cuts at 255 characters (slurmd.c:res_abs_cpus) ------------------ */

/* A machine of so many sockets and cores per socket, one thread per core. */
static const char *many_cores(unsigned int sockets, unsigned int cores)
{
	unsigned int all = sockets * cores, i;
	static char text[8192];
	char *at = text;

	at += sprintf(at, "%u 1 %u %u 1 0 0-%u 0-%u ", all, sockets, cores, all - 1, all - 1);
	for (i = 0; i < all; i++)
		at += sprintf(at, "%s%u", i ? "," : "", i);
	for (i = 0; i < all; i++)
		at += sprintf(at, "%s%u", i ? ";" : " ", i);
	return text;
}

/* A node with this CoreSpecCount, and a job that requests the cores of 'list'. */
static void expect_cut(const char *release, unsigned int sockets, unsigned int cores,
		       unsigned int count, const char *list, const char *sentence)
{
	unsigned int *numbers, how_many, i;
	struct cpuset wanted = { 0 };
	struct reservation got;
	struct node node;
	char text[200];

	numbers = machines_list(list, &how_many, &err);
	for (i = 0; i < how_many; i++)
		cpuset_add(&wanted, numbers[i]);
	snprintf(text, sizeof(text), "%u:%ux%ux1 version=%s count=%u", sockets * cores, sockets,
		 cores, release, count);
	set_node(&node, text);
	snprintf(text, sizeof(text), "%u", how_many);
	ck_assert_msg(compute(&node, many_cores(sockets, cores), text, &got) == 0, "%s", err.text);
	ck_assert_str_eq(list_of(&got.abs_cores), list_of(&wanted));
	ck_assert_str_eq(says_of(&got), "regular C07");
	ck_assert_ptr_nonnull(strstr(got.findings.list[0].text, sentence));
	reservation_free(&got);
	free(numbers);
}

START_TEST(before_23_02_slurmctld_withholds_the_cores_of_a_list_that_slurmd_truncates)
{
	const char *left = "and slurmctld keeps back only what is left of it";

	expect_cut("22.5.8", 128, 4, 128, "3-279/4,28", left);	     /* "..,275,279,28" */
	expect_cut("22.5.8", 128, 4, 237, "3-179/4,78-182/4", left); /* "..,178-179,182-" */
	expect_cut("22.5.8", 128, 4, 256, "2-150/4,3-151/4", left);  /* "..,150-151,154-1" */
	expect_cut("22.5.8", 85, 6, 85, "5-407/6", left);	     /* "..,401,407," */
	expect_cut("23.1.255", 128, 4, 128, "3-279/4,28", left);
	expect_cut("23.2.0", 128, 4, 128, "3-511/4",
		   "and slurmctld sets the node down with the reason \"CoreSpec differ\"");
}
END_TEST

START_TEST(a_list_of_255_characters_is_not_truncated_one_of_256_is)
{
	struct reservation got;
	struct node node;
	char *text;

	set_node(&node, "512:1x512x1 list=0");
	cpuset_zero(&node.spec_list);
	for (unsigned int core = 2; core <= 156; core += 2)
		if (core != 98)
			cpuset_add(&node.spec_list, core);
	for (int more = 0; more < 2; more++) {
		ck_assert_int_eq(compute(&node, many_cores(1, 512), "-", &got), 0);
		ck_assert_str_eq(says_of(&got), more ? "regular C07" : "regular");
		text = reservation_abs_cpus_text(&got); /* the text in slurmd's log */
		ck_assert_uint_eq(strlen(text), RESERVATION_LOG_MAX);
		free(text);
		reservation_free(&got);
		cpuset_add(&node.spec_list, 158);
	}
}
END_TEST

/* ---- odd machines -------------------------------------------------------------------- */

#define HYBRID                                                                                     \
	"kind 0-3 CoreType=IntelCore; kind 4-5 CoreType=IntelAtom; numa 0; package 0; .core 0-1 pu 0-1 2-3; .core 2-3 pu 4-5"
#define KINDS                                                                                      \
	"kind 0 efficiency=4 CoreType=IntelAtom FrequencyMaxMHz=5100; kind 1 efficiency=3 CoreType=IntelAtom FrequencyMaxMHz=4800; kind 2 efficiency=0 CoreType=IntelCore FrequencyMaxMHz=5000; kind 3 efficiency=1 CoreType=IntelCore FrequencyMaxMHz=5100; kind 4 efficiency=2 CoreType=IntelCore FrequencyMaxMHz=5000; kind 5 efficiency=5 CoreType=IntelAtom FrequencyMaxMHz=5000; numa 0; package 0; .core 0-5 pu 0-5"

/* Release of Slurm, SlurmdParameters | machine, as in tests/machines, with "; " for newlines
 * and a point for a tab | the map as text: CPUs, boards, sockets, cores, threads, flaws,
 * OS CPUs, entries that slurmd sets, OS CPU of each abstract CPU, cores of the machine. */
static const char *const odd[] = {
	"24.11.5 | numa 0; package 0; .core 0-1 pu 0-1 4-5; package 1; .core 2-3 pu 2-3 6-7 | 8 1 2 2 2 0 0-7 0-7 0,4,1,5,2,6,3,7 0,4;1,5;2,6;3,7",
	"24.11.5 | numa 0; package 0; .core 0-1 pu 0-1 3-4; package 1; .core 2 pu 2 | 5 1 2 1 1 70 0-4 0-2 0,1,2,3,4 0,3;1,4;2",
	"24.11.5 | numa 0; package 0; .core 0-3 pu 0-2,8 | 4 1 1 4 1 65 0-2,8 0-2 0,1,2,3 0;1;2;8",
	"24.11.5 l3cache_as_socket | numa 0; package 0; .core 0-1 pu 0-1 | 2 1 1 2 1 8 0-1 - 0,1 0;1",
	"24.11.5 l3cache_as_socket | numa 0; package 0; .l3; ..core 0-1 pu 0-1; .l3; ..core 2-3 pu 2-3 | 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
	"24.11.5 l3cache_as_socket | numa 0; package 0; .pu 0-1 | 2 1 1 1 2 88 0-1 - 0,1 -",
	"24.11.5 l3cache_as_socket | numa 0; package 0; .core 0-1 pu 0-1 3-4; package 1; .core 2 pu 2 | 5 1 1 3 1 74 0-4 - 0,1,2,3,4 0,3;1,4;2",
	"24.11.5 numa_node_as_socket | numa 0; package 0; .core 0-1 pu 0-1; package 1; .core 2-3 pu 2-3 | 4 1 1 4 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
	"24.11.5 numa_node_as_socket | package 0 numa 0; .core 0-1 pu 0-1; package 1 numa 1; .core 2-3 pu 2-3 | 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
	"24.11.5 | numa 0; package 0; .pu 0-1 | 2 1 1 1 2 80 0-1 - 0,1 -",
	"24.11.5 | numa 0; package 0; .core 0-1 pu 0-1 3-4; package 1; .core 2 pu 9 | 5 1 2 1 1 71 0-1,3-4,9 0-1 0,1,2,3,4 0,3;1,4;9",
	"24.11.5 | numa 0; package 0; .core 0-3 pu 0-2,4 | 4 1 1 4 1 65 0-2,4 0-2 0,1,2,3 0;1;2;4",
	"24.11.5 | numa 0; package 0; .core 0; ..group pu 0,9; ..group pu 1-2 | 4 1 1 1 4 1 0-2,9 0,2-3 0,1,1,2 0-2,9",
	"24.11.5 | numa 0; package 0; .pu 0; package 1; .core 0-1 pu 1-2 | 3 1 1 2 1 66 0-2 0-1 1,2,2 1;2",
	"24.11.5 | numa 0; package 0; .core 0 pu 0 1; .core 1 pu 2 3 4 | 5 1 1 2 2 66 0-4 0-3 0,1,2,3,4 0-1;2-4",
	"24.11.5 | package 0 numa 0; .core 0 pu 0 1 2; .core 1 numa 1; package 1 numa 2; .core 2 numa 3 | 3 1 2 1 1 580 0-2 0 0,1,2 0-2",
	"24.11.5 | numa 0; package 0; .core 0-1 pu 0,8191 | 2 1 1 2 1 65 0,8191 0 0,1 0;8191",
	"24.11.5 | numa 0; package 0; .core 0-1 pu 0,8192 | core map: an OS CPU number is beyond 8191",
	"24.11.5 | group numa 0; .package 0; ..core 0-1 pu 0-1 3-4; .package 1; ..core 2 pu 2; group numa 1; .package 2; ..core 3-4 pu 5-6 | 7 2 3 1 1 326 0-6 0-4 0,1,2,5,6,5,6 0,3;1,4;2;5;6",
	"24.11.5 | kind 0-1,7 CoreType=IntelCore; kind 2 CoreType=IntelAtom; numa 0; package 0; .core 0-3 pu 0-2,7 | 3 1 1 3 1 97 0-1,7 0-1 0,1,2 0;1;7",
	"24.11.5 | kind 0 CoreType=IntelAtom; kind 1 FrequencyMaxMHz=9; numa 0; package 0; .core 0-1 pu 0-1 | 2 1 1 2 1 0 0-1 0-1 0,1 0;1",
	"24.11.5 | kind 0-1 CoreType=IntelCore; numa 0; package 0; .core 0-1 pu 0-1 | 2 1 1 2 1 0 0-1 0-1 0,1 0;1",
	"24.11.0 | kind 0 efficiency=0 CoreType=IntelCore LinuxCapacity=9; kind 1 efficiency=1 CoreType=IntelCore LinuxCapacity=9; numa 0; package 0; .core 0-1 pu 0-1 | 1 1 1 1 1 32 0 0 0 0",
	"22.5.11 | " HYBRID " | 6 1 1 4 1 66 0-5 0-3 0,1,4,5,4,5 0,2;1,3;4;5",
	"23.2.0 | " HYBRID " | 4 1 1 2 2 32 0-3 0-3 0,2,1,3 0,2;1,3",
	"23.2.0 allow_ecores | " HYBRID " | 6 1 1 4 1 66 0-5 0-3 0,1,4,5,4,5 0,2;1,3;4;5",
	"25.11.3 allow_ecores | " HYBRID " | 6 1 1 4 1 66 0-5 0-3 0,1,4,5,4,5 0,2;1,3;4;5",
	"23.1.9 | " KINDS " | 6 1 1 6 1 0 0-5 0-5 0,1,2,3,4,5 0;1;2;3;4;5",
	"23.2.0 | " KINDS " | 1 1 1 1 1 97 2 - 0 2",
	"24.5.9 | " KINDS " | 1 1 1 1 1 97 2 - 0 2",
	"24.11.0 | " KINDS " | 3 1 1 3 1 97 2,4-5 0 2,1,2 2;4;5",
	"25.11.2 | " KINDS " | 3 1 1 3 1 97 2,4-5 0 2,1,2 2;4;5",
	"25.11.3 | " KINDS " | 5 1 1 5 1 97 0,2-5 0-3 0,2,3,4,4 0;2;3;4;5",
};

/* Write the machine as hwloc XML and return its path. */
static const char *write_machine(const char *machine)
{
	char table[2000] = "machine m\n\t", *at = table + strlen(table);
	bool begins = true;

	for (; *machine; machine++) {
		begins = begins && *machine == '.';
		if (!strncmp(machine, "; ", 2)) {
			at = stpcpy(at, "\n\t");
			begins = true;
			machine++;
		} else {
			*at++ = begins ? '\t' : *machine;
		}
	}
	strcpy(at, "\n");
	ck_assert_msg(
		machines_write(tempdir_put("table", table), "m", tempdir_path("m.xml"), &err) == 0,
		"%s", err.text);
	return tempdir_path("m.xml");
}

START_TEST(the_map_of_an_odd_machine_is_the_one_of_its_row)
{
	struct core_map_options options = { 0 };
	unsigned int release[3];
	struct core_map *map;
	char part[8][700], *text;

	tempdir_make();
	for (size_t i = 0; i < ROWS(odd); i++) {
		split_row(odd[i], part);
		/* slurmd does not ask hwloc 2.4 and older for kinds of CPUs, xcpuinfo.c */
		if (HWLOC_API_VERSION <= 0x00020401 && strstr(part[1], "kind"))
			continue;
		options.xml = write_machine(part[1]);
		ck_assert_int_eq(sscanf(part[0], "%u.%u.%u", &release[0], &release[1], &release[2]),
				 3);
		options.slurm_version = VERSION_OF(release[0], release[1], release[2]);
		core_map_slurmd_parameters(&options, strchr(part[0], ' '));
		map = core_map_load(&options, &err);
		text = map ? core_map_format(map) : strdup(err.text);
		ck_assert_msg(!strcmp(text + (map ? strlen("core_map/1 ") : 0), part[2]),
			      "%s\ngot %s", odd[i], text);
		if (map)
			expect_same_as_text(map);
		free(text);
		core_map_free(map);
	}
	tempdir_remove();
}
END_TEST

START_TEST(a_damaged_map_or_topology_is_refused)
{
	static const char *const damaged[] = {
		"",
		"core_map/2 4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"0 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"4 1 0 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"-4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"8193 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"4 1 2 2 8193 0 0-3 0-3 0,1,2,3 0;1;2;3",
		"4 1 2 2 1 65536 0-3 0-3 0,1,2,3 0;1;2;3",
		"4 1 2 2 1 0 3-0 0-3 0,1,2,3 0;1;2;3",
		"4 1 2 2 1 0 0-3 x 0,1,2,3 0;1;2;3",
		"4 1 2 2 1 0 0-3 0-3 0,1,2",
		"4 1 2 2 1 0 0-3 0-3 0,1,2,- 0",
		"4 1 2 2 1 0 0-3 0-3 0,1,2,4 0;1;2;3",
		"4 1 2 2 1 0 0-3 0-3 0,1,2,3 ",
		"4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;x",
		"4 1 2 2 1 0 0-3 0-3 0,1,2,3 0;1;2;3;3",
		"4 1 2 2 1 0 0-3 0-3 99999999999999999999",
	};
	struct core_map_options options = { 0 };
	char text[200];

	for (size_t i = 0; i < ROWS(damaged); i++) {
		snprintf(text, sizeof(text), "%s%s",
			 *damaged[i] >= '-' && *damaged[i] <= '9' ? "core_map/1 " : "", damaged[i]);
		ck_assert_msg(!core_map_parse(text, &err), "%s", text);
		ck_assert_ptr_nonnull(strstr(err.text, "': damaged"));
	}
	tempdir_make();
	options.xml = tempdir_put("m.xml", "<topology");
	ck_assert_ptr_null(core_map_load(&options, &err));
	options.xml = tempdir_path("none.xml");
	ck_assert_ptr_null(core_map_load(&options, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "/none.xml': not a readable hwloc XML file"));
	tempdir_remove();
}
END_TEST

/* ---- node lines and records ------------------------------------------------------------ */

/* A line of slurm.conf, as slurmd and slurmctld correct it (read_config.c:_parse_nodename) |
 * CPUs, boards, sockets of all boards, cores, threads | the finding and its text, or the error
 * message if the line is refused. */
static const char *const node_lines[] = {
	"CPUs=64 Boards=1 SocketsPerBoard=2 CoresPerSocket=16 ThreadsPerCore=2 | 64 1 2 16 2",
	"nodename=n1 SOCKETS=2 corespersocket=4 RealMemory=9 | 8 1 2 4 1",
	"Procs=8 | 8 1 8 1 1",
	"CPUs=16 ThreadsPerCore=2 | 16 1 8 1 2",
	"Boards=4 SocketsPerBoard=2 | 8 4 8 1 1",
	"CPUs=1 CoresPerSocket=2 | 1 1 1 2 1",
	"Sockets=8 Boards=2 SocketsPerBoard=2 | 4 2 4 1 1",
	"CPUs=8 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 | 8 1 2 4 2",
	"CPUs=2 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 | 2 1 2 4 2",
	"Boards=2 Sockets=2 | 2 2 2 1 1",
	"Sockets=4096 ThreadsPerCore=2 | 8192 1 4096 1 2",
	"CPUs=4 CoreSpecCount=3 | 4 1 4 1 1",
	"CPUs=4 CpuSpecList=3 | 4 1 4 1 1",
	"CPUs=0 | 1 1 1 1 1 | C12",
	"CoresPerSocket=0 | 1 1 1 1 1 | C12",
	"ThreadsPerCore=0 | 1 1 1 1 1 | C12",
	"Sockets=0 | 1 1 1 1 1 | C12",
	"Boards=0 | 1 1 1 1 1 | C12",
	"CPUs=100 Sockets=2 CoresPerSocket=16 | 32 1 2 16 1 | C12",
	"CPUs=9 Sockets=2 CoresPerSocket=4 ThreadsPerCore=2 | 16 1 2 4 2 | C12",
	"CPUs=3 CoresPerSocket=2 | 2 1 1 2 1 | C12",
	"Sockets=1 Boards=2 CoresPerSocket=4 | 4 1 1 4 1 | C12",
	"CPUs=4 CoreSpecCount=4 | 4 1 4 1 1 | C13 Slurm reads CoreSpecCount=4 as 1: the node has 4 cores",
	"CPUs=4 CpuSpecList=2,4 | 4 1 4 1 1 | C14 Slurm ignores CpuSpecList=2,4: the node has CPUs 0-3 only",
	"CPUs=4 CpuSpecList=1 CoreSpecCount=2 | 4 1 4 1 1 | C15",
	"CPUs | | 'CPUs': must be KEY=VALUE",
	"CPUs=x | | CPUs: 'x'",
	"CPUs=-1 | | CPUs: '-1'",
	"CPUS=65536 | | '65536'",
	"Cpu=4 | | 'Cpu': not a key of a node line",
	"CPUs=4 CpuSpecList= | | CpuSpecList: empty list",
	"CPUs=4 CpuSpecList=1- | | CpuSpecList",
	"Sockets=65535 CoresPerSocket=65535 | | more than 8192 CPUs",
	"Sockets=4097 ThreadsPerCore=2 | | more than 8192 CPUs",
};

START_TEST(a_node_line_is_read_as_slurm_reads_it)
{
	char part[8][700], got[900];
	struct findings findings = { 0 };
	struct node node;

	for (size_t i = 0; i < ROWS(node_lines); i++) {
		split_row(node_lines[i], part);
		node_init(&node);
		if (node_line_parse(&node, part[0], &findings, &err) < 0) {
			ck_assert_msg(!*part[1] && strstr(err.text, part[2]), "%s: %s", part[0],
				      err.text);
			continue;
		}
		snprintf(got, sizeof(got), "%u %u %u %u %u", node.cpus, node.boards, node.sockets,
			 node.cores, node.threads);
		ck_assert_msg(!strcmp(got, part[1]), "%s: %s", part[0], got);
		got[0] = '\0';
		if (findings.count)
			snprintf(got, sizeof(got), "%s %s", findings.list[0].code,
				 findings.list[0].text);
		ck_assert_msg(!*got == !*part[2] && !strncmp(got, part[2], strlen(part[2])),
			      "%s: %s", part[0], got);
		findings_free(&findings);
	}
}
END_TEST

START_TEST(parameters_of_a_node_line_count_since_25_11)
{
	struct findings findings = { 0 };
	struct node node;

	for (int newer = 0; newer < 2; newer++) {
		node_init(&node);
		node.version = VERSION_OF(25, 11, 0) - !newer;
		strcpy(node.slurmd_parameters, "a");
		ck_assert_int_eq(
			node_line_parse(&node, "NodeName=n7 CPUs=4 Parameters=b", &findings, &err),
			0);
		ck_assert_str_eq(node.slurmd_parameters, newer ? "a,b" : "a");
		ck_assert_str_eq(node.name, "n7");
	}
}
END_TEST

/* Output of jobio-slurm; rows replace parts of it. */
static const char record[] =
	"{\"name\":\"n1\",\"cpus\":8,\"boards\":1,\"sockets\":1,\"cores_per_socket\":4,\"threads_per_core\":2,\"core_spec_count\":1,\"cpu_spec_list\":\"6-7\",\"version\":\"24.11.5\",\"controller_version\":\"26.05.3\",\"mem_spec_limit\":5100,\"conf_read_at\":12,\"allow_spec_resources_usage\":true,\"select_type\":\"select/cons_tres\",\"scheduler_parameters\":\"defer,spec_cores_first\",\"restricted_cores_per_gpu\":2,\"gpu_spec\":\"0-3\",\"slurmd_parameters\":\"\"}";

/* Text to replace | new text | error message, or the contents of the record. */
static const char *const records[] = {
	"x | x | first cons_tres usage list=6-7 mem=5100 gpu=2 controller=26.05.3",
	"select/cons_tres | select/linear | first usage list=6-7 mem=5100 gpu=2 controller=26.05.3",
	"select/cons_tres | | first cons_tres usage list=6-7 mem=5100 gpu=2 controller=26.05.3",
	"defer,spec_cores_first | defer | cons_tres usage list=6-7 mem=5100 gpu=2 controller=26.05.3",
	"spec_cores_first | Spec_Cores_First=1 | first cons_tres usage list=6-7 mem=5100 gpu=2 controller=26.05.3",
	"\"6-7\" | null | first cons_tres usage mem=5100 gpu=2 controller=26.05.3",
	"_usage\":true | _usage\":false | first cons_tres list=6-7 mem=5100 gpu=2 controller=26.05.3",
	"\"mem_spec | \"xem_spec | first cons_tres usage list=6-7 mem=-1 gpu=2 controller=26.05.3",
	"5100 | 8796093022207 | first cons_tres usage list=6-7 mem=8796093022207 gpu=2 controller=26.05.3",
	"\"restricted | \"xestricted | first cons_tres usage list=6-7 mem=5100 gpu=0 controller=26.05.3",
	"26.05.3 | | first cons_tres usage list=6-7 mem=5100 gpu=2 controller=",
	"cpus\":8 | cpus\":65536 | node record: 'cpus': out of bounds",
	"cpus\":8 | cpus\":-1 | node record: 'cpus': out of bounds",
	"cpus\":8 | cpus\":\"4\" | node record: 'cpus': no number",
	"count\":1 | count\":1.5 | node record: 'core_spec_count': no number",
	"read_at\":12 | read_at\":-1 | node record: 'conf_read_at': out of bounds",
	"5100 | -2 | node record: 'mem_spec_limit': out of bounds",
	"5100 | 8796093022208 | node record: 'mem_spec_limit': out of bounds",
	"gpu\":2 | gpu\":65536 | node record: 'restricted_cores_per_gpu': out of bounds",
	"6-7 | 7-6 | node record: cpu_spec_list: CPU list '7-6': bad range",
	"24.11.5 | x | Slurm version: 'x'",
	"{ | [ | node record: '[",
};

START_TEST(a_record_of_slurmctld_is_read_strictly)
{
	char part[8][700], json[900], got[300], release[VERSION_TEXT_MAX];
	struct node node;
	char *at;

	for (size_t i = 0; i < ROWS(records); i++) {
		split_row(records[i], part);
		at = strstr(record, part[0]);
		snprintf(json, sizeof(json), "%.*s%s%s",
			 at ? (int)(at - record) : (int)strlen(record), record, at ? part[1] : "",
			 at ? at + strlen(part[0]) : "");
		if (node_parse_json(&node, json, &err) < 0) {
			ck_assert_msg(!strncmp(err.text, part[2], strlen(part[2])), "%s: %s",
				      records[i], err.text);
			continue;
		}
		version_format(node.controller_version, release);
		snprintf(got, sizeof(got), "%s%s%s%smem=%lld gpu=%u controller=%s",
			 node.spec_cores_first ? "first " : "", node.cons_tres ? "cons_tres " : "",
			 node.allow_spec_resources_usage ? "usage " : "",
			 node.has_spec_list ? "list=6-7 " : "", (long long)node.mem_spec_limit_mb,
			 node.restricted_cores_per_gpu, node.controller_version ? release : "");
		ck_assert_msg(!strcmp(got, part[2]), "%s: %s", records[i], got);
		ck_assert(node.from_controller && node.version == VERSION_OF(24, 11, 5));
	}
}
END_TEST

UNIT_MAIN("cores", spec_sets_are_those_that_slurmd_22_05_and_25_11_reserve,
	  jobs_do_not_get_the_cores_that_slurmctld_22_05_and_25_11_withhold,
	  the_map_of_cores_to_os_cpus_is_slurmds_own_and_survives_the_cache,
	  a_job_does_not_get_the_cores_of_its_row_and_has_its_findings,
	  a_record_without_geometry_or_of_more_than_8192_cpus_has_no_answer,
	  before_23_02_slurmctld_withholds_the_cores_of_a_list_that_slurmd_truncates,
	  a_list_of_255_characters_is_not_truncated_one_of_256_is,
	  the_map_of_an_odd_machine_is_the_one_of_its_row, a_damaged_map_or_topology_is_refused,
	  a_node_line_is_read_as_slurm_reads_it, parameters_of_a_node_line_count_since_25_11,
	  a_record_of_slurmctld_is_read_strictly)
