/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-count - count the I/O of jobs in the kernel, for prolog and epilog
 *
 *   jobio-count [OPTION...] probe             print what can be counted
 *   jobio-count [OPTION...] load              load the programs
 *   jobio-count [OPTION...] start JOB MOUNT.. start counting from zero
 *   jobio-count [OPTION...] read JOB          print the counters of a job
 *   jobio-count [OPTION...] stop JOB          remove them
 *   jobio-count [OPTION...] status            list the counted jobs
 *   jobio-count [OPTION...] unload            unload all programs
 *
 *   --latency        with times of calls
 *   --sluid=SLUID    SLURM_JOB_SLUID of the prolog's environment (26.05)
 *   --cgroup=v1|v2   hierarchy with the jobs' cgroups (default: as slurmd selects it)
 *   --bpffs=DIR      mount point of bpffs (/sys/fs/bpf)
 *   --run-dir=DIR    run_dir of jobio.conf (/run/jobio)
 *   --wait=MS        start: timeout for a load, which goes on
 *   --btf=FILE       probe: on the kernel with this type information, without privileges
 *   --kallsyms=FILE  and these symbols, in the format of /proc/kallsyms
 *
 * Prints one JSON object in one line: "tier" ("bpf", "exit", "none"), "groups", "missing" (what is
 * not counted), "reason" (of a lower tier or missing groups, or null), and by command: "app" and
 * "quality" (read; as in the record), "jobs" (status), "hooks" (probe --btf). A kernel without BPF
 * is tier "none" and exit status 0. Exit 64: usage error; 1: failure, with one line on standard
 * error.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "base/command_line.h"
#include "base/number.h"
#include "count/counters.h"
#include "count/counters_load.h"
#include "count/counters_probe.h"
#include "count/counters_read.h"
#include "count/counters_start.h"
#include "count/counters_stop.h"
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
};

static void add_text(struct json *o, const char *key, const char *text)
{
	json_add_text(o, key, text && *text ? text : NULL);
}

static void add_state(struct call *c)
{
	const struct counters_state *s = &c->state;
	char skips[ERR_MAX];
	struct json *list;
	unsigned int i;

	add_text(c->out, "tier", counters_tier_name(s->tier));
	add_text(c->out, "reason", s->reason.text);
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
		add_text(c->out, "skips", skips);
	add_text(c->out, "cgroup", s->cgroup == 1 ? "v1" : s->cgroup ? "v2" : NULL);
	add_text(c->out, "pins", s->pins);
}

#ifdef HAVE_BPF
static void list_hook(const struct hook *hook, void *arg)
{
	static const char *const types[] = { "fentry", "fexit", "tracepoint",
					     "kprobe", "multi", "session" };
	struct json *o = json_append_object(arg);

	add_text(o, "at", hook->target);
	add_text(o, "by", types[hook->type]);
	add_text(o, "program", hook->program);
	add_text(o, "counts", hook_loss_text(hook->loss));
}

static int do_probe(struct call *c, struct err *err)
{
	if (!c->btf)
		return counters_probe(&c->options, &c->state, err);
	c->state.cgroup = c->options.cgroup;
	return counters_plan(&c->options, c->btf, c->kallsyms, list_hook,
			     json_add_list(c->out, "hooks"), &c->state, err);
}

static int do_load(struct call *c, struct err *err)
{
	c->options.again = true;
	return counters_load(&c->options, &c->state, err);
}

static int do_start(struct call *c, struct err *err)
{
	return counters_start(&c->options, c->job, c->sluid, c->mounts, c->mount_count, &c->state,
			      err);
}

/* Print what a record has of these counters. */
static int do_read(struct call *c, struct err *err)
{
	struct record *record = record_new();
	struct json *counters, *one;
	char *text;
	int rc = counters_read(&c->options, c->job, record, &c->state, err);

	text = record_counters_text(record);
	counters = json_parse(text);
	for (one = json_first(counters); one; one = one->next)
		json_add_copy(c->out, one->key, one);
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
	struct json *o = json_append_object(arg);

	json_add_number(o, "job", job);
	add_text(o, "fs", mount);
}

static int do_status(struct call *c, struct err *err)
{
	int rc = counters_status(&c->options, list_entry, json_add_list(c->out, "jobs"), &c->state,
				 err);

	json_add_number(c->out, "slots", c->state.slots);
	return rc;
}

static int do_unload(struct call *c, struct err *err)
{
	return counters_unload(&c->options, err);
}
#else
static int do_nothing(struct call *c, struct err *err)
{
	(void)err;
	err_set(&c->state.reason, "counters: this jobio was built without BPF");
	return 0;
}
#define do_probe do_nothing
#define do_load do_nothing
#define do_start do_nothing
#define do_read do_nothing
#define do_stop do_nothing
#define do_status do_nothing
#define do_unload do_nothing
#endif

static const struct command {
	const char *name;
	int min_args, max_args;
	bool has_state;
	int (*run)(struct call *c, struct err *err);
} commands[] = {
	{ "probe", 0, 0, true, do_probe },    { "load", 0, 0, true, do_load },
	{ "start", 1, 4096, true, do_start }, { "read", 1, 1, true, do_read },
	{ "stop", 1, 1, false, do_stop },     { "status", 0, 0, true, do_status },
	{ "unload", 0, 0, false, do_unload },
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
		"  --cgroup=v1|v2  hierarchy with the jobs' cgroups\n"
		"  --bpffs=DIR     mount point of bpffs\n"
		"  --run-dir=DIR   run_dir of jobio.conf\n"
		"  --wait=MS       start: timeout for a load, in milliseconds\n"
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
	if (rc == 0 && command->has_state)
		add_state(c);
	if (rc == 0)
		puts(json_line(c->out));
	else
		fprintf(stderr, "jobio: count: %s: %s\n", command->name, err.text);
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
