/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-count - the kernel's counters of a job's I/O, for prolog and epilog
 *
 *   jobio-count [OPTION...] probe             what could be counted here
 *   jobio-count [OPTION...] load              load the programs
 *   jobio-count [OPTION...] start JOB MOUNT.. begin, from zero
 *   jobio-count [OPTION...] read JOB          the counters so far
 *   jobio-count [OPTION...] stop JOB          forget the job
 *   jobio-count [OPTION...] status            what is counted now
 *   jobio-count [OPTION...] unload            take everything out
 *
 *   --latency        how long calls take, too
 *   --sluid=SLUID    SLURM_JOB_SLUID of the prolog's environment (26.05)
 *   --cgroup=v1|v2   where slurmd makes the jobs' cgroups (found out)
 *   --bpffs=DIR      where bpffs is mounted (/sys/fs/bpf)
 *   --run-dir=DIR    run_dir of jobio.conf (/run/jobio)
 *   --wait=MS        start: give up waiting for programs that are being loaded
 *   --btf=FILE       probe: what could be counted on the kernel with this type
 *                    information, without root and without BPF
 *   --kallsyms=FILE  and these symbols, as /proc/kallsyms has them
 *
 * Prints one JSON object in one line: "tier" ("bpf", "exit", "none"), "groups",
 * "missing" (what is not counted), "reason" (why not more, or null), and what the command is for: "app" and
 * "quality" (read; as in the record), "jobs" (status), "hooks" (probe --btf). What the kernel refuses
 * is no failure: tier "none", exit 0. Exit 64: wrong usage; 1: it did not work,
 * one line on standard error. It does not hang, but the caller gives it a
 * deadline.
 */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "count/counters.h"
#include "count/hooks.h"
#include "record/json.h"

#define EX_USAGE 64

struct call {
	struct counters_options options;
	const char *sluid, *btf, *kallsyms;
	uint32_t job;
	char **mounts;
	size_t mount_count;
	struct counters_state state;
	struct json *out;
	struct json *jobs;
};

static void put(struct json *o, const char *key, const char *text)
{
	json_add_text(o, key, text && *text ? text : NULL);
}

static void put_state(struct call *c)
{
	const struct counters_state *s = &c->state;
	char skips[ERR_MAX];
	struct json *list;
	unsigned int i;

	put(c->out, "tier", counters_tier_name(s->tier));
	put(c->out, "reason", s->reason);
	if (s->loading)
		json_add_bool(c->out, "loading", true);
	list = json_add_list(c->out, "groups");
	for (i = 0; i < COUNT_GROUP_COUNT; i++)
		if (s->groups & 1U << i)
			json_append_text(list, hook_group_name(i));
	list = json_add_list(c->out, "missing");
	for (i = 0; i < HOOK_LOSS_COUNT; i++)
		if (s->lost & UINT64_C(1) << i)
			json_append_text(list, hook_loss_text(i));
	hooks_text(s->skips, skips, sizeof(skips));
	if (*skips)
		put(c->out, "skips", skips);
	put(c->out, "cgroup", s->cgroup == 1 ? "v1" : s->cgroup ? "v2" : NULL);
	put(c->out, "pins", s->pins);
}

static void list_hook(const struct hook *hook, void *arg)
{
	static const char *const types[] = { "fentry", "fexit", "tracepoint",
					     "kprobe", "multi", "session" };
	struct json *o = json_append_object(arg);

	put(o, "at", hook->target);
	put(o, "by", types[hook->type]);
	put(o, "program", hook->program);
	put(o, "counts", hook_loss_text(hook->loss));
}

/* For the kernel of --btf and --kallsyms. */
static int do_plan(struct call *c, struct err *err)
{
	int rc = counters_plan(&c->options, c->btf, c->kallsyms, list_hook,
			       json_add_list(c->out, "hooks"), &c->state, err);

	put_state(c);
	return rc;
}

static int do_probe(struct call *c, struct err *err)
{
	if (c->btf)
		return do_plan(c, err);
	if (counters_probe(&c->options, &c->state, err) < 0)
		return -1;
	put_state(c);
	return 0;
}

static int do_load(struct call *c, struct err *err)
{
	c->options.again = true;
	if (counters_load(&c->options, &c->state, err) < 0)
		return -1;
	put_state(c);
	return 0;
}

static int do_start(struct call *c, struct err *err)
{
	if (counters_start(&c->options, c->job, c->sluid, c->mounts, c->mount_count, &c->state,
			   err) < 0)
		return -1;
	put_state(c);
	return 0;
}

/* The record's own words, with ours before them. */
static int do_read(struct call *c, struct err *err)
{
	struct record *record = record_new();
	struct json *counters = NULL, *one;
	char *text = NULL;
	int rc = -1;

	if (counters_read(&c->options, c->job, record, &c->state, err) < 0)
		goto out;
	text = record_counters_text(record);
	put_state(c);
	counters = json_parse(text);
	for (one = json_first(counters); one; one = one->next)
		json_add_copy(c->out, one->key, one);
	rc = 0;
out:
	json_free(counters);
	free(text);
	record_free(record);
	return rc;
}

static int do_stop(struct call *c, struct err *err)
{
	return counters_stop(&c->options, c->job, err);
}

static void list_entry(uint32_t job, const char *mount, void *arg)
{
	struct call *c = arg;
	struct json *o = json_append_object(c->jobs);

	json_add_number(o, "job", job);
	put(o, "fs", mount);
}

static int do_status(struct call *c, struct err *err)
{
	c->jobs = json_add_list(c->out, "jobs");
	if (counters_status(&c->options, list_entry, c, &c->state, err) < 0)
		return -1;
	put_state(c);
	json_add_number(c->out, "slots", c->state.slots);
	return 0;
}

static int do_unload(struct call *c, struct err *err)
{
	return counters_unload(&c->options, err);
}

static const struct command {
	const char *name;
	int min_args, max_args;
	int (*run)(struct call *c, struct err *err);
} commands[] = {
	{ "probe", 0, 0, do_probe },   { "load", 0, 0, do_load }, { "start", 1, 4096, do_start },
	{ "read", 1, 1, do_read },     { "stop", 1, 1, do_stop }, { "status", 0, 0, do_status },
	{ "unload", 0, 0, do_unload },
};

static int usage(const char *why, const char *what)
{
	fprintf(stderr,
		"jobio: count: %s: '%s': usage: jobio-count [--latency] [--sluid=SLUID] [--cgroup=v1|v2] [--bpffs=DIR] [--run-dir=DIR] [--wait=MS] probe [--btf=FILE [--kallsyms=FILE]] | load | start JOB MOUNT... | read JOB | stop JOB | status | unload\n",
		why, what);
	return EX_USAGE;
}

static int help(void)
{
	fputs("usage: jobio-count [OPTION]... COMMAND\n"
	      "COMMAND is probe, load, start JOB MOUNT..., read JOB, stop JOB, status or unload.\n"
	      "  --latency       how long calls take, too\n"
	      "  --sluid=SLUID   SLURM_JOB_SLUID of the prolog's environment\n"
	      "  --cgroup=v1|v2  where slurmd makes the jobs' cgroups\n"
	      "  --bpffs=DIR     where bpffs is mounted\n"
	      "  --run-dir=DIR   run_dir of jobio.conf\n"
	      "  --wait=MS       start: milliseconds to wait for programs that are being loaded\n"
	      "  --btf=FILE      probe: on the kernel with this type information\n"
	      "  --kallsyms=FILE and these symbols\n",
	      stdout);
	return fflush(stdout) ? 1 : 0;
}

static int read_option(struct call *c, int option)
{
	unsigned long wait_ms;

	switch (option) {
	case 'l':
		c->options.latency = true;
		return 0;
	case 's':
		c->sluid = optarg;
		return 0;
	case 'b':
		c->options.bpffs = optarg;
		return 0;
	case 'r':
		c->options.run_dir = optarg;
		return 0;
	case 't':
		c->btf = optarg;
		return 0;
	case 'k':
		c->kallsyms = optarg;
		return 0;
	case 'w':
		if (number_parse(optarg, 0, UINT_MAX, &wait_ms, NULL) < 0)
			return usage("no number of milliseconds", optarg);
		c->options.wait_ms = (unsigned int)wait_ms;
		return 0;
	case 'c':
		c->options.cgroup = !strcmp(optarg, "v1") ? 1 : 2;
		if (!strcmp(optarg, "v1") || !strcmp(optarg, "v2"))
			return 0;
		return usage("no cgroup version", optarg);
	default:
		return EX_USAGE;
	}
}

static int read_options(struct call *c, int argc, char **argv)
{
	static const struct option options[] = {
		{ "latency", no_argument, NULL, 'l' },
		{ "sluid", required_argument, NULL, 's' },
		{ "cgroup", required_argument, NULL, 'c' },
		{ "bpffs", required_argument, NULL, 'b' },
		{ "run-dir", required_argument, NULL, 'r' },
		{ "wait", required_argument, NULL, 'w' },
		{ "btf", required_argument, NULL, 't' },
		{ "kallsyms", required_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option, rc;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) >= 0) {
		if (option == 'h')
			exit(help());
		rc = read_option(c, option);
		if (rc)
			return rc;
	}
	return 0;
}

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

static int run(const struct command *command, struct call *c)
{
	struct err err = { "" };
	int rc;

	c->out = json_new_object();
	rc = command->run(c, &err);
	if (rc < 0)
		fprintf(stderr, "jobio: count: %s: %s\n", command->name, err.text);
	else
		puts(json_line(c->out));
	json_free(c->out);
	return rc < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct call call = { .out = NULL };
	const struct command *command;
	struct err err = { "" };
	unsigned long job;
	int rc;

	counters_options_init(&call.options);
	rc = read_options(&call, argc, argv);
	if (rc)
		return rc;
	argc -= optind;
	argv += optind;
	command = argc ? find_command(argv[0]) : NULL;
	if (!command)
		return usage("no such command", argc ? argv[0] : "");
	if (!command->max_args) { /* options may stand behind it, too */
		optind = 0;
		rc = read_options(&call, argc, argv);
		if (rc)
			return rc;
		argc -= optind - 1;
		argv += optind - 1;
	}
	if (argc - 1 < command->min_args || argc - 1 > command->max_args)
		return usage("wrong number of arguments", command->name);
	if (argc > 1) {
		if (number_parse(argv[1], 1, UINT32_MAX, &job, &err) < 0)
			return usage("no job id", argv[1]);
		call.job = (uint32_t)job;
		call.mounts = argv + 2;
		call.mount_count = (size_t)argc - 2;
	}
	return run(command, &call);
}
