/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio cores - which cores and CPUs Slurm withholds from a job on a node. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/core_map.h"
#include "lib/json.h"
#include "lib/node.h"
#include "lib/number.h"
#include "lib/reservation.h"
#include "lib/version.h"
#include "tools/command.h"
#include "tools/print.h"
#include "tools/subject.h"

#define NAME "cores"
#define SPEC_MAX 0x7fff /* slurm.h:CORE_SPEC_THREAD is the bit above */

static const char usage_head[] =
	"usage: jobio cores [OPTION]...\n"
	"\n"
	"Shows which cores Slurm withholds from a job on a node, in Slurm's\n"
	"numbers and in Linux's, and what is wrong with them.\n"
	"\n";

static const char usage_tail[] =
	"  --core-spec=N         a job that asks for N cores; without: one that\n"
	"                        does not\n"
	"  --thread-spec=N       a job that asks for N threads\n"
	"  --format=text|json    default text\n"
	"\n"
	"Exit status: 0 Slurm's numbers are sound; 3 Slurm itself reserves\n"
	"something else than the numbers say, or nothing (os_cpus is what it\n"
	"really reserves); 2 bad usage; 1 no answer.\n";

struct options {
	struct subject subject;
	struct reservation_request request;
	bool json;
};

/* --core-spec, --thread-spec */
static int set_request(void *what, const char *name, const char *value, struct err *err)
{
	struct reservation_request *request = &((struct options *)what)->request;
	enum reservation_kind kind = *name == 'c' ? RESERVATION_CORES : RESERVATION_THREADS;
	unsigned long count;

	if (request->kind == kind)
		return err_set(err, "--%s: given twice", name);
	if (request->kind != RESERVATION_UNSET)
		return err_set(err, "--core-spec and --thread-spec exclude each other");
	if (number_parse(value, 0, SPEC_MAX, &count, err) < 0)
		return err_prefix(err, "--%s", name);
	request->kind = kind;
	request->count = (unsigned int)count;
	return 0;
}

static const struct command_line line = {
	.name = NAME,
	.usage = { usage_head, subject_usage, usage_tail },
	.table = (const struct command_option[]){ SUBJECT_OPTIONS,
						  COMMAND_CALL("core-spec", set_request),
						  COMMAND_CALL("thread-spec", set_request),
						  COMMAND_CHOICE("format", struct options, json,
								 "json", "text"),
						  { 0 } },
};

/*
 * RestrictedCoresPerGPU keeps cores beside a GPU from jobs without one, but not
 * from a job that has the whole node, which --core-spec makes of it
 * (cons_helpers.c:cons_helpers_mark_avail_cores, 24.05).
 */
static void add_gpu_cores(const struct node *node, enum reservation_kind kind,
			  struct findings *findings)
{
	if (!node->restricted_cores_per_gpu || node->version < VERSION_OF(24, 5, 0))
		return;
	if (kind == RESERVATION_UNSET)
		findings_add(
			findings, "C27", FINDING_INFO, NULL,
			"RestrictedCoresPerGPU=%u: a job that asks for neither a GPU nor the whole node does not get the cores beside the GPUs either%s%s; they are not among the numbers here",
			node->restricted_cores_per_gpu, *node->gpu_spec ? ": " : "",
			node->gpu_spec);
	else
		findings_add(
			findings, "C27", FINDING_INFO,
			"give the node a CpuSpecList of other cores (jobio plan --os-cpus=LIST writes it)",
			"RestrictedCoresPerGPU=%u: Slurm pays no heed to it when it withholds cores from this job; they may be those beside the GPUs%s%s",
			node->restricted_cores_per_gpu, *node->gpu_spec ? ": " : "",
			node->gpu_spec);
}

/* ---- output --------------------------------------------------------------------- */

static void output_json(const struct reservation *got)
{
	struct json *json = json_new_object();

	print_add_text(json, "abstract_cores", cpuset_format(&got->abs_cores));
	print_add_text(json, "abstract_cpus", reservation_abs_cpus_text(got));
	print_add_text(json, "os_cpus", cpuset_format(&got->os_cpus));
	json_add_text(json, "class", reservation_class_name(got->class));
	print_add_findings(json, &got->findings, false);
	print_json(json);
}

/* One line a core: which CPUs it is, for Slurm and for Linux. */
static void print_map(const struct node_state *state, const struct reservation *got)
{
	const struct core_map_shape *shape = core_map_shape(state->map);

	printf("\n  core socket  abstract CPUs     OS CPUs\n");
	for (unsigned int core = 0; core < shape->sockets * shape->cores; core++) {
		struct cpuset abs_cpus = { 0 }, os_cpus = { 0 };
		char *abs_list, *os_list;

		for (unsigned int t = 0; t < shape->threads; t++) {
			unsigned int cpu = core * shape->threads + t;

			cpuset_add(&abs_cpus, cpu);
			cpuset_add(&os_cpus, (unsigned int)core_map_os_cpu(state->map, cpu));
		}
		abs_list = cpuset_format(&abs_cpus);
		os_list = cpuset_format(&os_cpus);
		printf("%c %4u %6u  %-17s %s\n",
		       cpuset_intersects(&got->os_cpus, &os_cpus) ? '*' : ' ', core,
		       core / shape->cores, abs_list, os_list);
		free(abs_list);
		free(os_list);
	}
	printf("  (* withheld)\n");
}

static void output_text(const struct node_state *state, const struct reservation *got)
{
	print_list("abstract cores", &got->abs_cores);
	print_list("abstract CPUs", &got->abs_cpus);
	print_list("OS CPUs", &got->os_cpus);
	printf("%-16s %s\n", "class", reservation_class_name(got->class));
	print_findings(&got->findings);
	if (core_map_shape(state->map)->sockets)
		print_map(state, got);
}

static int exit_status(const struct reservation *got)
{
	bool fine = got->sound && got->possible && !findings_has(&got->findings, "C26") &&
		    (got->class == RESERVATION_REGULAR || got->class == RESERVATION_CONF_MISMATCH);

	return fine ? COMMAND_OK : COMMAND_UNSOUND;
}

int main(int argc, char *argv[])
{
	struct options options = { 0 };
	struct node_state state = { 0 };
	struct findings findings = { 0 };
	struct reservation got = { 0 };
	int status = COMMAND_FAILED;
	struct err err;
	int rc;

	subject_init(&options.subject);
	rc = command_parse(&line, &options, argc, argv);
	if (rc >= 0)
		return rc;
	if (subject_find(&options.subject, &state, &findings, &status, &err) < 0 ||
	    reservation_compute(&state.node, state.map, &options.request, &got, &err) < 0) {
		status = command_fail(NAME, status, &err);
		goto out;
	}
	findings_append(&got.findings, &findings);
	add_gpu_cores(&state.node, options.request.kind, &got.findings);
	if (options.json)
		output_json(&got);
	else
		output_text(&state, &got);
	status = exit_status(&got);
out:
	reservation_free(&got);
	findings_free(&findings);
	node_state_free(&state);
	return print_end(status);
}
