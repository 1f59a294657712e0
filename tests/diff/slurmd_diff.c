/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The differential test; see README.md beside this file. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/version.h"
#include "cores/core_map_load.h"
#include "cores/node.h"
#include "cores/reservation.h"
#include "tests/diff/daemon.h"
#include "tests/diff/machine.h"

#define STARTS 4 /* starts of slurmd for each machine */
#define TIMEOUT_MS 20000
#define WORKERS_MAX 64

struct settings {
	unsigned long count, seed, workers;
	const char *slurmd;
	const char *preload;
	const char *keep;
	unsigned int version;
	bool odd;
	char folder[256];
};

/* The settings of one start. */
struct trial {
	char line[512];
	char parameters[128];
	bool first;
};

static int find_version(struct settings *settings, struct err *err)
{
	char *argv[] = { (char *)settings->slurmd, "-V", NULL };
	struct child_result result;
	char *blank;
	int rc;

	if (child_run(argv, NULL, 5000, &result, err) < 0)
		return -1;
	result.out[strcspn(result.out, "\n")] = '\0';
	blank = strrchr(result.out, ' '); /* "slurm-wlm 22.05.8" */
	rc = version_parse(blank ? blank + 1 : result.out, &settings->version, err);
	child_result_free(&result);
	return rc;
}

static unsigned int at_least_one(unsigned int number)
{
	return number ? number : 1;
}

/* Mostly the line that slurmd -C prints; sometimes a line as administrators write it. */
static void draw_geometry(struct trial *trial, const struct core_map_shape *shape,
			  struct dice *dice)
{
	unsigned int boards = shape->boards, cpus = shape->cpus;
	unsigned int cores = shape->cores, threads = shape->threads;
	unsigned int per_board = shape->sockets / boards;

	switch (dice_roll(dice, 12)) {
	case 0:
		per_board *= boards;
		boards = 1;
		break;
	case 1: /* CPUs are cores; each task gets all threads of its core */
		cpus = shape->sockets * cores;
		break;
	case 2: /* ThreadsPerCore forgotten */
		cpus = shape->sockets * cores;
		threads = 1;
		break;
	case 3: /* threads written as cores */
		cores *= threads;
		threads = 1;
		break;
	case 4: /* twice the sockets, half the cores */
		if (cores % 2 == 0) {
			cores /= 2;
			per_board *= 2;
		}
		break;
	case 5:
		snprintf(trial->line, sizeof(trial->line), "CPUs=%u", cpus);
		return;
	default:
		break;
	}
	snprintf(trial->line, sizeof(trial->line),
		 "CPUs=%u Boards=%u SocketsPerBoard=%u CoresPerSocket=%u ThreadsPerCore=%u", cpus,
		 boards, per_board, cores, threads);
}

static void draw_spec(struct trial *trial, const struct core_map_shape *shape, unsigned int turn,
		      struct dice *dice)
{
	unsigned int cores = at_least_one(shape->sockets * shape->cores);
	size_t used = strlen(trial->line);
	char *at = trial->line + used;
	size_t room = sizeof(trial->line) - used;
	unsigned int low, high;

	if (turn % STARTS < STARTS - 1) {
		snprintf(at, room, " CoreSpecCount=%u",
			 1 + dice_roll(dice, at_least_one(turn % 2 ? cores / 4 : cores - 1)));
		return;
	}
	low = dice_roll(dice, at_least_one(shape->cpus / 2));
	high = low + dice_roll(dice, at_least_one(shape->cpus / 4));
	if (dice_roll(dice, 2))
		snprintf(at, room, " CpuSpecList=%u-%u", low, high);
	else
		snprintf(at, room, " CpuSpecList=%u,%u", low, shape->cpus - 1);
}

/* CPUs of the largest line that draw_geometry() writes; zeros count as ones. */
static unsigned long most_cpus(const struct core_map_shape *shape)
{
	unsigned long sockets = shape->sockets > shape->boards ? shape->sockets : shape->boards;

	return sockets * 2 * at_least_one(shape->cores) * at_least_one(shape->threads);
}

static void draw_trial(struct trial *trial, const struct machine *machine,
		       const struct core_map_shape *shape, unsigned int turn, struct dice *dice)
{
	trial->first = turn % 2;
	draw_geometry(trial, shape, dice);
	if (most_cpus(shape) > CPUSET_MAX) /* no node line with cores fits */
		snprintf(trial->line, sizeof(trial->line), "CPUs=%u", shape->cpus);
	draw_spec(trial, shape, turn, dice);
	snprintf(trial->parameters, sizeof(trial->parameters), "%s%s%s", machine->slurmd_parameters,
		 *machine->slurmd_parameters ? "," : "",
		 dice_roll(dice, 8) ? "shutdown_on_reboot" : "config_overrides");
}

/* ---- comparison ------------------------------------------------------------------ */

static int differ_shape(const struct core_map *map, const struct daemon_said *said, struct err *err)
{
	const struct core_map_shape *got = core_map_shape(map);

	if (core_map_flaws(map) & CORE_MAP_FATAL)
		return said->fatal ? 0 : err_set(err, "slurmd does start");
	if (said->fatal)
		return err_set(err, "slurmd does not start");
	if (!said->has_shape || memcmp(got, &said->shape, sizeof(*got)) != 0)
		return err_set(err, "geometry: slurmd %u/%u/%u/%u/%u, jobio %u/%u/%u/%u/%u",
			       said->shape.cpus, said->shape.boards, said->shape.sockets,
			       said->shape.cores, said->shape.threads, got->cpus, got->boards,
			       got->sockets, got->cores, got->threads);
	for (unsigned int i = 0; i < got->cpus; i++) {
		int os_cpu = core_map_is_set(map, i) ? core_map_os_cpu(map, i) : -1;

		if (os_cpu != said->block[i])
			return err_set(err, "CPU map[%u]: slurmd %d, jobio %d", i, said->block[i],
				       os_cpu);
	}
	return 0;
}

static int differ_lists(const struct reservation *got, const struct daemon_said *said,
			struct err *err)
{
	char *abs_cpus = reservation_abs_cpus_text(got);
	char *os_cpus = cpuset_format(&got->os_cpus);
	int rc = 0;

	if (strcmp(abs_cpus, said->abs_cpus) != 0 || strcmp(os_cpus, said->os_cpus) != 0)
		rc = err_set(err, "reserved: slurmd %s = %s%s, jobio %s = %s (%s)", said->abs_cpus,
			     said->os_cpus, said->disabled ? " disabled" : "", abs_cpus, os_cpus,
			     reservation_class_name(got->class));
	free(abs_cpus);
	free(os_cpus);
	return rc;
}

static int judge(const struct settings *settings, const struct trial *trial,
		 const struct core_map *map, const struct daemon_said *said, struct err *err)
{
	static const struct reservation_request unset = { RESERVATION_UNSET, 0 };
	struct findings findings = { 0 };
	struct reservation got = { 0 };
	struct node node;
	int rc = -1;

	if (differ_shape(map, said, err) < 0)
		return -1;
	if (said->fatal)
		return 0;
	node_init(&node);
	node.version = settings->version;
	node.spec_cores_first = trial->first;
	strcpy(node.slurmd_parameters, trial->parameters);
	if (node_line_parse(&node, trial->line, &findings, err) == 0 &&
	    reservation_compute(&node, map, &unset, &got, err) == 0)
		rc = differ_lists(&got, said, err);
	reservation_free(&got);
	findings_free(&findings);
	return rc;
}

/* ---- one machine ------------------------------------------------------------------ */

static void keep(const struct settings *settings, const char *folder, unsigned long number)
{
	char command[1024];

	if (!settings->keep)
		return;
	snprintf(command, sizeof(command), "mkdir -p '%s/%lu' && cp '%s'/* '%s/%lu' 2>&-",
		 settings->keep, number, folder, settings->keep, number);
	if (system(command) < 0)
		fputs("# cannot keep\n", stdout);
}

static struct core_map *load_map(const struct settings *settings, const struct machine *machine,
				 const char *xml, struct err *err)
{
	struct core_map_options options = {
		.xml = xml,
		.slurm_version = settings->version,
	};

	core_map_slurmd_parameters(&options, machine->slurmd_parameters);
	return core_map_load(&options, err);
}

static int try_once(const struct settings *settings, const struct trial *trial,
		    const struct core_map *map, const char *folder, const char *xml,
		    struct err *err)
{
	struct daemon_start start = {
		.slurmd = settings->slurmd,
		.preload = settings->preload,
		.folder = folder,
		.xml = xml,
		.node_line = trial->line,
		.slurmd_parameters = trial->parameters,
		.spec_cores_first = trial->first,
		.timeout_ms = TIMEOUT_MS,
	};
	struct daemon_said said;
	int rc = daemon_run(&start, &said, err);

	if (rc == 0)
		rc = judge(settings, trial, map, &said, err);
	daemon_said_free(&said);
	return rc;
}

static int try_machine(const struct settings *settings, unsigned long number, const char *folder)
{
	struct machine machine = { .text = "?" };
	struct core_map *map = NULL;
	struct trial trial = { 0 };
	struct dice dice;
	struct err err;
	char xml[600];
	int rc = -1;

	snprintf(xml, sizeof(xml), "%s/machine.xml", folder);
	dice_seed(&dice, settings->seed * 1000003 + number);
	if ((settings->odd ? machine_draw_odd : machine_draw)(&machine, &dice, xml, &err) < 0)
		goto out;
	map = load_map(settings, &machine, xml, &err);
	if (!map)
		goto out;
	rc = 0;
	for (unsigned int turn = 0; turn < STARTS && rc == 0; turn++) {
		draw_trial(&trial, &machine, core_map_shape(map), turn, &dice);
		rc = try_once(settings, &trial, map, folder, xml, &err);
	}
out:
	printf("%s %lu %s\n", rc == 0 ? "ok" : "not ok", number, machine.text);
	if (rc < 0) {
		printf("# %s\n# NodeName=vm %s%s SlurmdParameters=%s\n", err.text, trial.line,
		       trial.first ? " (spec_cores_first)" : "", trial.parameters);
		keep(settings, folder, number);
	}
	fflush(stdout);
	core_map_free(map);
	return rc;
}

static int work(const struct settings *settings, unsigned long worker)
{
	char folder[512];
	int failed = 0;

	snprintf(folder, sizeof(folder), "%s/%lu", settings->folder, worker);
	if (mkdir(folder, 0755) < 0)
		return 1;
	for (unsigned long i = worker; i < settings->count; i += settings->workers)
		failed |= try_machine(settings, i + 1, folder) < 0;
	return failed;
}

static int run_workers(const struct settings *settings)
{
	int failed = 0, status;

	for (unsigned long i = 0; i < settings->workers; i++) {
		pid_t pid = fork();

		if (pid == 0)
			exit(work(settings, i));
		failed |= pid < 0;
	}
	while (wait(&status) > 0)
		failed |= !WIFEXITED(status) || WEXITSTATUS(status) != 0;
	return failed;
}

/* ---- the command line ------------------------------------------------------------- */

static int set_option(struct settings *settings, int option, struct err *err)
{
	switch (option) {
	case 'c':
		return number_parse(optarg, 1, 100000, &settings->count, err);
	case 's':
		return number_parse(optarg, 0, 1UL << 31, &settings->seed, err);
	case 'd':
		settings->slurmd = optarg;
		return 0;
	case 'p':
		settings->preload = optarg;
		return 0;
	case 'o':
		settings->odd = true;
		return 0;
	case 'k':
		settings->keep = optarg;
		return 0;
	default:
		return err_set(err, "bad usage; see tests/diff/README.md");
	}
}

static int parse_options(struct settings *settings, int argc, char *argv[], struct err *err)
{
	static const struct option options[] = {
		{ "count", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 's' },
		{ "slurmd", required_argument, NULL, 'd' },
		{ "preload", required_argument, NULL, 'p' },
		{ "odd", no_argument, NULL, 'o' },
		{ "keep", required_argument, NULL, 'k' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		if (set_option(settings, option, err) < 0)
			return -1;
	return 0;
}

int main(int argc, char *argv[])
{
	struct settings settings = {
		.count = 300,
		.seed = 1,
		.workers = (unsigned long)sysconf(_SC_NPROCESSORS_ONLN),
		.slurmd = "/usr/sbin/slurmd",
		.preload = BUILDDIR "/.libs/noaffinity.so",
		.folder = "/tmp/jobio-diff-XXXXXX",
	};
	struct err err;
	int failed;

	if (parse_options(&settings, argc, argv, &err) < 0 || find_version(&settings, &err) < 0) {
		fprintf(stderr, "slurmd_diff: %s\n", err.text);
		return 2;
	}
	if (settings.workers > WORKERS_MAX)
		settings.workers = WORKERS_MAX;
	if (!mkdtemp(settings.folder)) {
		perror("slurmd_diff: /tmp");
		return 2;
	}
	printf("1..%lu\n", settings.count);
	fflush(stdout);
	failed = run_workers(&settings);
	printf("# %lu machines, %d starts of slurmd each, seed %lu: %s\n", settings.count, STARTS,
	       settings.seed, failed ? "DIFFERENCES" : "0 differences");
	if (fileio_rmtree(settings.folder, &err) < 0)
		fprintf(stderr, "slurmd_diff: %s\n", err.text);
	return failed;
}
