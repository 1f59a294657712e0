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
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/command_line.h"
#include "base/number.h"
#include "count/counters.h"
#include "count/hooks.h"
#include "record/json.h"

struct call {
	struct counters_options options;
	const char *sluid, *btf, *kallsyms;
	unsigned long wait_ms;
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

static int set_cgroup(void *what, const char *name, const char *value, struct err *err)
{
	struct call *c = what;

	c->options.cgroup = !strcmp(value, "v1") ? 1 : 2;
	return c->options.cgroup == 1 || !strcmp(value, "v2")
		       ? 0
		       : err_set(err, "--%s: '%s': must be v1 or v2", name, value);
}

static const struct command_line line = {
	.program = "jobio-count",
	.usage =
		"usage: jobio-count [OPTION]... COMMAND\n"
		"COMMAND is probe, load, start JOB MOUNT..., read JOB, stop JOB, status or unload.\n"
		"  --latency       also measure the time of calls\n"
		"  --sluid=SLUID   SLURM_JOB_SLUID of the prolog's environment\n"
		"  --cgroup=v1|v2  where slurmd makes the jobs' cgroups\n"
		"  --bpffs=DIR     where bpffs is mounted\n"
		"  --run-dir=DIR   run_dir of jobio.conf\n"
		"  --wait=MS       start: milliseconds to wait for programs that are being loaded\n"
		"  --btf=FILE      probe: on the kernel with this type information\n"
		"  --kallsyms=FILE and these symbols\n",
	.usage_status = EX_USAGE,
	.words_most = COMMAND_ANY_WORDS,
	.table =
		(const struct command_option[]){
			COMMAND_FLAG("latency", struct call, options.latency),
			COMMAND_TEXT("sluid", struct call, sluid),
			COMMAND_CALL("cgroup", set_cgroup),
			COMMAND_TEXT("bpffs", struct call, options.bpffs),
			COMMAND_TEXT("run-dir", struct call, options.run_dir),
			COMMAND_NUMBER("wait", struct call, wait_ms, 0, UINT_MAX),
			COMMAND_TEXT("btf", struct call, btf),
			COMMAND_TEXT("kallsyms", struct call, kallsyms),
			{ 0 } },
};

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

/* Find the command and its arguments. */
static const struct command *read_words(struct call *c, int count, char **words, struct err *err)
{
	const struct command *command = count ? find_command(words[0]) : NULL;
	unsigned long job;

	if (!command)
		return err_set(err, "no such command: '%s'", count ? words[0] : ""), NULL;
	if (count - 1 < command->min_args || count - 1 > command->max_args)
		return err_set(err, "wrong number of arguments: '%s'", command->name), NULL;
	if (count == 1)
		return command;
	if (number_parse(words[1], 1, UINT32_MAX, &job, NULL) < 0)
		return err_set(err, "no job id: '%s'", words[1]), NULL;
	c->job = (uint32_t)job;
	c->mounts = words + 2;
	c->mount_count = (size_t)count - 2;
	return command;
}

int main(int argc, char **argv)
{
	struct call call = { .wait_ms = UINT_MAX };
	const struct command *command;
	struct err err;
	int rc;

	counters_options_init(&call.options);
	rc = command_parse(&line, &call, argc, argv);
	if (rc >= 0)
		return rc;
	call.options.wait_ms = (unsigned int)call.wait_ms;
	command = read_words(&call, argc - optind, argv + optind, &err);
	return command ? run(command, &call) : command_fail(line.program, EX_USAGE, &err);
}
