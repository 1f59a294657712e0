/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench_verdict CONF ROUNDS - cost of a client's facts and findings for a prolog
 *
 * Facts and findings of the client in CONF, once read from the client itself, then ROUNDS
 * times from the cache: each time in a new process, like the worker of jobio-prepare.
 * Medians. With more than 19 rounds it fails if one costs 5 ms of CPU. Run by
 * tests/bench/hooks, with its client.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config_load.h"
#include "client/client.h"
#include "tests/bench/result.h"
#include "tests/bench/times.h"

#define ROUNDS_MAX 500
#define ROUNDS_JUDGED 20
#define BUDGET_MS 60000
#define BAR_MS 5

struct times {
	double clock_ms[ROUNDS_MAX], cpu_ms[ROUNDS_MAX];
};

static char path[4096]; /* the prolog's cache */
static const char *run_dir;
static const struct config_client *section;
static struct times *times; /* shared with the children */

static void die(const char *what, const char *why)
{
	fprintf(stderr, "bench_verdict: %s: %s\n", what, why);
	unlink(path);
	exit(1);
}

static double of_ms(const struct timeval *time)
{
	return (double)time->tv_sec * 1e3 + (double)time->tv_usec / 1e3;
}

/* CPU time of this process and of its children that were waited for. */
static double cpu_ms(void)
{
	struct rusage self, children;

	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &children);
	return of_ms(&self.ru_utime) + of_ms(&self.ru_stime) + of_ms(&children.ru_utime) +
	       of_ms(&children.ru_stime);
}

/* As visit_prepare(): the cache, the facts, the findings. */
static struct client *judge(void)
{
	struct client_desired desired = { .mem_spec_limit_mb = -1 };
	struct findings findings = { 0 };
	struct client *client;
	struct err err;

	client = client_open(section, run_dir, NULL);
	if (!client || client_inspect(client, BUDGET_MS, &err) < 0)
		die("client", err.text);
	client_judge(client, &desired, &findings);
	findings_free(&findings);
	return client;
}

static void child(int round, bool cached)
{
	double start_us = now_us(), start_cpu_ms = cpu_ms();
	struct client *client = judge();

	times->clock_ms[round] = (now_us() - start_us) / 1e3;
	times->cpu_ms[round] = cpu_ms() - start_cpu_ms;
	if (client_is_cached(client) != cached)
		die("client", cached ? "what was kept did not hold" : "it was not asked");
	client_store(client);
	client_close(client);
	exit(0);
}

/* Afterwards clock_ms[0] and cpu_ms[0] are the medians. */
static void bench(const char *name, int rounds, bool cached)
{
	int round, status;
	pid_t pid;

	fflush(stdout);
	for (round = 0; round < rounds; round++) {
		pid = fork();
		if (pid == 0)
			child(round, cached);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			die(name, "a round failed");
	}
	times->clock_ms[0] = median(times->clock_ms, rounds);
	times->cpu_ms[0] = median(times->cpu_ms, rounds);
	printf("%-46s %8.2f %19.2f\n", name, times->cpu_ms[0], times->clock_ms[0]);
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 0;
	char measured[32], beside[128];
	struct config *config;
	struct err err;
	double asked_ms;

	if (rounds < 1 || rounds > ROUNDS_MAX)
		die("usage", "bench_verdict CONF ROUNDS");
	config = config_load(argv[1], &err);
	if (!config)
		die("config", err.text);
	section = config->client_count ? &config->clients[0] : NULL;
	run_dir = config->run_dir;
	snprintf(path, sizeof(path), "%s/client.%s.json", run_dir, section ? section->name : "");
	unlink(path);
	times = mmap(NULL, sizeof(*times), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (!section || times == MAP_FAILED)
		die("start", "no client for node c1, or no memory");
	bench("the client's verdict: asked of the client", 1, false);
	asked_ms = times->clock_ms[0];
	bench("the client's verdict: kept from an earlier job", rounds, true);
	unlink(path);
	config_free(config);
	snprintf(measured, sizeof(measured), "%.2f ms", times->clock_ms[0]);
	snprintf(beside, sizeof(beside),
		 "CPU: %.2f ms; asked anew, with weka at 50 ms a call: %.0f ms", times->cpu_ms[0],
		 asked_ms);
	result("prolog: the client's verdict, kept from an earlier job", measured, "5 ms", beside);
	if (rounds < ROUNDS_JUDGED || times->cpu_ms[0] < BAR_MS)
		return 0;
	fprintf(stderr, "bench_verdict: %.2f ms of CPU, %d are allowed\n", times->cpu_ms[0],
		BAR_MS);
	return 1;
}
