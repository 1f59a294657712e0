/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio cores - which cores and CPUs Slurm withholds from a job on a node. */
#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "core_map.h"
#include "node.h"
#include "number.h"
#include "reservation.h"
#include "version.h"

#define NAME "cores"
#define RUN_DIR "/run/jobio"
#define TIMEOUT_MS 5000
#define SPEC_MAX 0x7fff /* slurm.h:CORE_SPEC_THREAD is the bit above */

static const char usage[] =
	"usage: jobio cores [OPTION]...\n"
	"\n"
	"Shows which cores Slurm withholds from a job on a node, in Slurm's\n"
	"numbers and in Linux's, and what is wrong with them.\n"
	"\n"
	"  --topology=FILE.xml   the machine as lstopo(1) wrote it; without: "
	"this one\n"
	"  --node='LINE'         the node line of slurm.conf: 'CPUs=64 "
	"Boards=1\n"
	"                        SocketsPerBoard=2 CoresPerSocket=16\n"
	"                        ThreadsPerCore=2 CoreSpecCount=1'; without: "
	"what\n"
	"                        slurmctld says of this node or, with "
	"--topology,\n"
	"                        what `slurmd -C` would say\n"
	"  --core-spec=N         a job that asks for N cores; without: one "
	"that\n"
	"                        does not\n"
	"  --thread-spec=N       a job that asks for N threads\n"
	"  --allow-spec-resources-usage=yes|no   default yes, or slurmctld's\n"
	"  --spec-cores-first    SchedulerParameters=spec_cores_first\n"
	"  --slurmd-parameters=LIST   SlurmdParameters: l3cache_as_socket,\n"
	"                        numa_node_as_socket, allow_ecores,\n"
	"                        config_overrides\n"
	"  --slurm-version=V     20.11 to 26.05; default: the node's, or the "
	"one\n"
	"                        jobio was built with\n"
	"  --format=text|json    default text\n"
	"\n"
	"Exit status: 0 Slurm's numbers are sound; 3 Slurm itself reserves\n"
	"something else than the numbers say, or nothing (os_cpus is what it\n"
	"really reserves); 2 bad usage; 1 no answer.\n";

struct options {
	const char *topology;
	const char *line;
	const char *slurmd_parameters;
	struct reservation_request request;
	int allow; /* -1: not given */
	bool first;
	unsigned int version; /* 0: not given */
	bool json;
	bool help;
};

enum {
	OPT_TOPOLOGY = 1,
	OPT_NODE,
	OPT_CORE_SPEC,
	OPT_THREAD_SPEC,
	OPT_ALLOW,
	OPT_FIRST,
	OPT_PARAMETERS,
	OPT_VERSION,
	OPT_FORMAT,
	OPT_HELP,
};

static const struct option long_options[] = {
	{ "topology", required_argument, NULL, OPT_TOPOLOGY },
	{ "node", required_argument, NULL, OPT_NODE },
	{ "core-spec", required_argument, NULL, OPT_CORE_SPEC },
	{ "thread-spec", required_argument, NULL, OPT_THREAD_SPEC },
	{ "allow-spec-resources-usage", required_argument, NULL, OPT_ALLOW },
	{ "spec-cores-first", no_argument, NULL, OPT_FIRST },
	{ "slurmd-parameters", required_argument, NULL, OPT_PARAMETERS },
	{ "slurm-version", required_argument, NULL, OPT_VERSION },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static int choose(const char *option, const char *value, const char *yes,
		  const char *no, struct err *err)
{
	if (!strcmp(value, yes))
		return 1;
	if (!strcmp(value, no))
		return 0;
	return err_set(err, "--%s: '%s': must be %s or %s", option, value, yes,
		       no);
}

static int set_request(struct options *options, const char *name,
		       enum reservation_kind kind, const char *value,
		       struct err *err)
{
	unsigned long count;

	if (options->request.kind != RESERVATION_UNSET)
		return err_set(err, "--core-spec and --thread-spec exclude "
				    "each other");
	if (number_parse(value, 0, SPEC_MAX, &count, err) < 0)
		return err_prefix(err, "--%s", name);
	options->request.kind = kind;
	options->request.count = (unsigned int)count;
	return 0;
}

static int set_flag(int *flag, int value)
{
	if (value < 0)
		return -1;
	*flag = value;
	return 0;
}

static int set_option(struct options *options, int option, const char *value,
		      struct err *err)
{
	int json = 0, rc = 0;

	switch (option) {
	case OPT_TOPOLOGY:
		options->topology = value;
		break;
	case OPT_NODE:
		options->line = value;
		break;
	case OPT_CORE_SPEC:
		return set_request(options, "core-spec", RESERVATION_CORES,
				   value, err);
	case OPT_THREAD_SPEC:
		return set_request(options, "thread-spec", RESERVATION_THREADS,
				   value, err);
	case OPT_ALLOW:
		return set_flag(&options->allow,
				choose("allow-spec-resources-usage", value,
				       "yes", "no", err));
	case OPT_FIRST:
		options->first = true;
		break;
	case OPT_PARAMETERS:
		options->slurmd_parameters = value;
		break;
	case OPT_VERSION:
		return version_parse(value, &options->version, err);
	case OPT_FORMAT:
		rc = set_flag(&json,
			      choose("format", value, "json", "text", err));
		options->json = json;
		break;
	case OPT_HELP:
		options->help = true;
		break;
	default:
		return err_set(err, "bad usage");
	}
	return rc;
}

static int parse_options(struct options *options, int argc, char *argv[],
			 struct err *err)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "", long_options, NULL)) !=
	       -1) {
		if (option == '?')
			return err_set(err,
				       "'%s': no such option, or its "
				       "value is missing; see jobio "
				       "cores --help",
				       argv[optind - 1]);
		if (set_option(options, option, optarg, err) < 0)
			return -1;
	}
	if (optind < argc)
		return err_set(err, "'%s': one word too many", argv[optind]);
	return 0;
}

/* ---- the node and its map ---------------------------------------------------- */

static int apply_settings(struct node *node, const struct options *options,
			  struct err *err)
{
	const char *parameters = options->slurmd_parameters;

	if (options->allow >= 0)
		node->allow_spec_resources_usage = options->allow;
	if (options->first)
		node->spec_cores_first = true;
	if (options->version)
		node->version = options->version;
	if (!parameters)
		return 0;
	if (strlen(parameters) >= sizeof(node->slurmd_parameters))
		return err_set(err, "--slurmd-parameters: longer than %zu",
			       sizeof(node->slurmd_parameters) - 1);
	strcpy(node->slurmd_parameters, parameters);
	return 0;
}

static struct core_map *load_map(const struct node *node,
				 const struct options *options, struct err *err)
{
	struct core_map_options map_options = {
		.xml = options->topology,
		.slurm_version = node->version,
	};

	core_map_slurmd_parameters(&map_options, node->slurmd_parameters);
	return core_map_load(&map_options, err);
}

static void take_shape(struct node *node, const struct core_map *map)
{
	const struct core_map_shape *shape = core_map_shape(map);

	node->cpus = shape->cpus;
	node->boards = shape->boards;
	node->sockets = shape->sockets;
	node->cores = shape->cores;
	node->threads = shape->threads;
}

static int ask_slurmctld(struct node_state *state,
			 const struct options *options, struct err *err)
{
	const char *run_dir =
		geteuid() == 0 && access(RUN_DIR, W_OK) == 0 ? RUN_DIR : NULL;
	int rc = node_cached(RUN_DIR, state, NULL);

	if (rc <= 0 &&
	    node_refresh(run_dir, NULL, NULL, TIMEOUT_MS, state, err) < 0)
		return -1;
	if (apply_settings(&state->node, options, err) < 0)
		return -1;
	if (!options->slurmd_parameters && !options->version)
		return 0;
	core_map_free(state->map);
	state->map = load_map(&state->node, options, err);
	return state->map ? 0 : -1;
}

static int find_node(struct node_state *state, const struct options *options,
		     struct findings *findings, int *status, struct err *err)
{
	if (!options->line && !options->topology)
		return ask_slurmctld(state, options, err);
	node_init(&state->node);
	state->node.version = JOBIO_SLURM_VERSION;
	*status = COMMAND_USAGE;
	if (apply_settings(&state->node, options, err) < 0 ||
	    (options->line &&
	     node_line_parse(&state->node, options->line, findings, err) < 0))
		return -1;
	*status = COMMAND_FAILED;
	state->map = load_map(&state->node, options, err);
	if (!state->map)
		return -1;
	if (!options->line)
		take_shape(&state->node, state->map);
	return 0;
}

/* ---- output --------------------------------------------------------------------- */

static struct json_object *findings_json(const struct findings *findings)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->list[i];
		struct json_object *json = json_object_new_object();

		json_object_object_add(json, "code",
				       json_object_new_string(finding->code));
		json_object_object_add(
			json, "severity",
			json_object_new_string(
				finding_severity_name(finding->severity)));
		json_object_object_add(json, "text",
				       json_object_new_string(finding->text));
		json_object_object_add(json, "cure",
				       json_object_new_string(finding->cure));
		json_object_array_add(array, json);
	}
	return array;
}

static void add_text(struct json_object *json, const char *key, char *text)
{
	json_object_object_add(json, key,
			       json_object_new_string(text ? text : ""));
	free(text);
}

static void print_json(const struct reservation *got)
{
	struct json_object *json = json_object_new_object();

	add_text(json, "abstract_cores", cpuset_format(&got->abs_cores));
	add_text(json, "abstract_cpus", reservation_abs_cpus_text(got));
	add_text(json, "os_cpus", cpuset_format(&got->os_cpus));
	json_object_object_add(
		json, "class",
		json_object_new_string(reservation_class_name(got->class)));
	json_object_object_add(json, "findings", findings_json(&got->findings));
	puts(json_object_to_json_string_ext(
		json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(json);
}

static void print_set(const char *label, char *list)
{
	printf("%-16s %s\n", label, list && *list ? list : "none");
	free(list);
}

/* One line a core: which CPUs it is, for Slurm and for Linux. */
static void print_map(const struct node_state *state,
		      const struct reservation *got)
{
	const struct core_map_shape *shape = core_map_shape(state->map);

	printf("\n  core socket  abstract CPUs     OS CPUs\n");
	for (unsigned int core = 0; core < shape->sockets * shape->cores;
	     core++) {
		struct cpuset abs_cpus = { 0 }, os_cpus = { 0 };
		char *abs_list, *os_list;

		for (unsigned int t = 0; t < shape->threads; t++) {
			unsigned int cpu = core * shape->threads + t;

			cpuset_add(&abs_cpus, cpu);
			cpuset_add(&os_cpus, (unsigned int)core_map_os_cpu(
						     state->map, cpu));
		}
		abs_list = cpuset_format(&abs_cpus);
		os_list = cpuset_format(&os_cpus);
		printf("%c %4u %6u  %-17s %s\n",
		       cpuset_intersects(&got->os_cpus, &os_cpus) ? '*' : ' ',
		       core, core / shape->cores, abs_list, os_list);
		free(abs_list);
		free(os_list);
	}
	printf("  (* withheld)\n");
}

static void print_text(const struct node_state *state,
		       const struct reservation *got)
{
	print_set("abstract cores", cpuset_format(&got->abs_cores));
	print_set("abstract CPUs", reservation_abs_cpus_text(got));
	print_set("OS CPUs", cpuset_format(&got->os_cpus));
	printf("%-16s %s\n", "class", reservation_class_name(got->class));
	for (size_t i = 0; i < got->findings.count; i++) {
		const struct finding *finding = &got->findings.list[i];

		printf("%s %s: %s\n", finding->code,
		       finding_severity_name(finding->severity), finding->text);
		if (*finding->cure)
			printf("    cure: %s\n", finding->cure);
	}
	if (core_map_shape(state->map)->sockets)
		print_map(state, got);
}

static int exit_status(const struct reservation *got)
{
	bool fine = got->sound && got->possible &&
		    (got->class == RESERVATION_REGULAR ||
		     got->class == RESERVATION_CONF_MISMATCH);

	return fine ? COMMAND_OK : COMMAND_UNSOUND;
}

int cores_main(int argc, char *argv[])
{
	struct options options = { .allow = -1 };
	struct node_state state = { 0 };
	struct findings findings = { 0 };
	struct reservation got = { 0 };
	int status = COMMAND_FAILED;
	struct err err;

	if (parse_options(&options, argc, argv, &err) < 0)
		return command_fail(NAME, COMMAND_USAGE, &err);
	if (options.help) {
		fputs(usage, stdout);
		return COMMAND_OK;
	}
	if (find_node(&state, &options, &findings, &status, &err) < 0 ||
	    reservation_compute(&state.node, state.map, &options.request, &got,
				&err) < 0) {
		status = command_fail(NAME, status, &err);
		goto out;
	}
	findings_append(&got.findings, &findings);
	if (options.json)
		print_json(&got);
	else
		print_text(&state, &got);
	status = exit_status(&got);
out:
	reservation_free(&got);
	findings_free(&findings);
	node_state_free(&state);
	return status;
}
