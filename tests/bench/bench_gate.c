/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cost of the gate for a task: each round in a new process that is bound to one CPU,
 * like slurmstepd's tasks. Medians; run by `make bench`. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fileio.h"
#include "spank/gate.h"
#include "spank/stepio.h"
#include "tests/bench/result.h"
#include "tests/bench/times.h"

#define ROUNDS_MAX 500
#define BAR_US 200

static char folder[64] = "/dev/shm/jobio-bench-XXXXXX";
static struct gate gate;
static int rounds = ROUNDS_MAX;
static double *times_us; /* shared with the children */

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench_gate: %s: %s\n", what, why);
	exit(1);
}

static void open_gate(void)
{
	struct err err = { "" };

	if (gate_open(&gate, folder, 7, &err) != 1)
		die("gate_open", err.text);
}

static void check(void)
{
	struct err err = { "" };

	if (gate_check(&gate, -1, "n1", &err) != GATE_PASS)
		die("gate_check", err.text);
}

static void count_step(void)
{
	const struct stepio_label label = { .job_id = 7,
					    .array_job_id = STEPIO_NONE,
					    .array_task_id = STEPIO_NONE };
	struct err err = { "" };
	struct stepio from, to;

	if (stepio_read(&from, "/proc/self", &err) < 0 ||
	    stepio_read(&to, "/proc/self", &err) < 0 ||
	    stepio_write(&from, &to, &label, folder, &err) < 0)
		die("stepio", err.text);
}

/* Cost of starting a task without the gate. */
static void start_true(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		die("/bin/true", "cannot run it");
}

static void child(int round, void (*work)(void))
{
	cpu_set_t one;
	double start;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	start = now_us();
	work();
	times_us[round] = now_us() - start;
	_exit(0);
}

static double bench(const char *name, void (*work)(void))
{
	int round, status;
	double middle;
	pid_t pid;

	for (round = 0; round < rounds; round++) {
		pid = fork();
		if (pid == 0)
			child(round, work);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			die(name, "a round failed");
	}
	middle = median(times_us, rounds);
	printf("%-44s %8.1f us  (95 %%: %.1f us)\n", name, middle, times_us[rounds * 95 / 100]);
	return middle;
}

static void prepare(void)
{
	struct gatefile file = { .policy = GATE_ENFORCE };
	struct err err = { "" };
	char path[128];

	if (!mkdtemp(folder))
		die(folder, "cannot make it");
	/* CPU numbers above those of any machine: every task passes */
	cpuset_parse(&file.client_cpus, "8000-8015", NULL);
	snprintf(path, sizeof(path), "%s/7", folder);
	if (fileio_mkdir(path, 0755, &err) < 0)
		die("prepare", err.text);
	snprintf(path, sizeof(path), "%s/7/gate", folder);
	if (gatefile_write(path, &file, &err) < 0)
		die("prepare", err.text);
}

/* bench_gate [ROUNDS]: at most ROUNDS rounds */
int main(int argc, char **argv)
{
	double look, step, counts, task;
	char measured[32], beside[128];

	if (argc > 1 && atoi(argv[1]) > 0 && atoi(argv[1]) < ROUNDS_MAX)
		rounds = atoi(argv[1]);
	times_us = mmap(NULL, ROUNDS_MAX * sizeof(*times_us), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (times_us == MAP_FAILED)
		die("mmap", "out of memory");
	prepare();
	open_gate();
	printf("the gate, in slurmstepd: medians\n");
	look = bench("gate: look at a task", check);
	step = bench("gate: read the gate file (once a step)", open_gate);
	counts = bench("stepio: two readings and a file (a step)", count_step);
	task = bench("fork, exec and wait for /bin/true", start_true);
	fileio_rmtree(folder, NULL);
	snprintf(measured, sizeof(measured), "%.0f us", look);
	snprintf(beside, sizeof(beside),
		 "%.0f us once a step; starting /bin/true: %.0f us (%.0f x)", step + counts, task,
		 task / look);
	result("gate: a look at a task", measured, "200 us", beside);
	if (look < BAR_US)
		return 0;
	fprintf(stderr, "bench_gate: %.0f us a task, %d are allowed\n", look, BAR_US);
	return 1;
}
