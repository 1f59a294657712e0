/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-cores - print the cores and CPUs that Slurm withholds from a job on a node, as JSON.
 * --map: each core, its socket, and its CPUs in Slurm's and in Linux's numbers. */
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/version.h"
#include "cores/core_map.h"
#include "cores/node.h"
#include "cores/reservation.h"
#include "record/json.h"
#include "base/command_line.h"
#include "tools/print.h"
#include "tools/subject.h"

#define NAME "jobio cores"
#define SPEC_MAX 0x7fff /* slurm.h:CORE_SPEC_THREAD is the bit above */

struct options {
	struct subject subject;
	struct reservation_request request;
	bool map;
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
	.program = NAME,
	.usage_status = COMMAND_USAGE,
	.usage = "usage: jobio-cores [OPTION]...\nPrints JSON: see jobio cores --help.\n",
	.table = (const struct command_option[]){ SUBJECT_OPTIONS,
						  COMMAND_CALL("core-spec", set_request),
						  COMMAND_CALL("thread-spec", set_request),
						  COMMAND_FLAG("map", struct options, map),
						  { 0 } },
};

/* RestrictedCoresPerGPU withholds cores near a GPU from jobs without one, but not from a job that
 * has the whole node, as with --core-spec (cons_helpers.c:cons_helpers_mark_avail_cores, 24.05). */
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

static void add_map(const struct core_map *map, struct json *list)
{
	const struct core_map_shape *shape = core_map_shape(map);
	struct json *one;

	for (unsigned int core = 0; core < shape->sockets * shape->cores; core++) {
		struct cpuset abs_cpus = { 0 }, os_cpus = { 0 };

		for (unsigned int t = 0; t < shape->threads; t++) {
			unsigned int cpu = core * shape->threads + t;

			cpuset_add(&abs_cpus, cpu);
			cpuset_add(&os_cpus, (unsigned int)core_map_os_cpu(map, cpu));
		}
		one = json_append_object(list);
		json_add_number(one, "socket", core / shape->cores);
		print_add_text(one, "abstract_cpus", cpuset_format(&abs_cpus));
		print_add_text(one, "os_cpus", cpuset_format(&os_cpus));
	}
}

static void output(const struct core_map *map, const struct reservation *got)
{
	struct json *json = json_new_object();

	print_add_text(json, "abstract_cores", cpuset_format(&got->abs_cores));
	print_add_text(json, "abstract_cpus", reservation_abs_cpus_text(got));
	print_add_text(json, "os_cpus", cpuset_format(&got->os_cpus));
	json_add_text(json, "class", reservation_class_name(got->class));
	if (map)
		add_map(map, json_add_list(json, "cores"));
	print_add_findings(json, &got->findings);
	print_json(json);
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
	output(options.map ? state.map : NULL, &got);
	status = exit_status(&got);
out:
	reservation_free(&got);
	findings_free(&findings);
	node_state_free(&state);
	return fflush(stdout) ? COMMAND_FAILED : status;
}
