/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio plan - which cores to give to the filesystem client, and how to write
 * that for Slurm and for the client. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "lib/core_map.h"
#include "lib/locality.h"
#include "lib/number.h"
#include "lib/reservation.h"
#include "lib/sysfs.h"
#include "lib/version.h"
#include "report/command.h"
#include "report/commands.h"
#include "report/plan_client.h"
#include "report/print.h"
#include "report/subject.h"

#define NAME "plan"
#define CORES_MAX 64

static const char usage_head[] =
	"usage: jobio plan --max=N [--nic=IFACE] [OPTION]...\n"
	"       jobio plan --client=NAME [--max=N] [OPTION]...\n"
	"       jobio plan --os-cpus=LIST [OPTION]...\n"
	"\n"
	"Chooses whole cores for the filesystem client, never core 0: beside\n"
	"the network card, or spread over the NUMA nodes; and writes them as\n"
	"slurm.conf, as mount options and as a command for the client.\n"
	"\n"
	"  --max=N               the most cores that the client shall have\n"
	"  --client=NAME         that of [client NAME] in jobio.conf: find the "
	"cards\n"
	"                        that serve it on this node; --max is then 1\n"
	"  --nic=IFACE           the network card that the client polls\n"
	"  --local-cpus=LIST     OS CPUs beside it, where the machine cannot\n"
	"                        tell\n"
	"  --packed              the cores together\n"
	"  --spread              the cores over the NUMA nodes\n"
	"  --os-cpus=LIST        no choice: the client has these OS CPUs\n";

static const char usage_tail[] =
	"  --format=text|json    default text\n"
	"\n"
	"Exit status: 0 the plan can be had; 1 it cannot, or there is no\n"
	"answer; 2 bad usage.\n";

enum placement {
	PLACEMENT_AUTO,
	PLACEMENT_PACKED,
	PLACEMENT_SPREAD
};

struct options {
	struct subject subject;
	unsigned long max;
	const char *nic, *client;
	bool has_local, has_fixed;
	struct cpuset local; /* OS CPUs */
	struct cpuset fixed; /* OS CPUs */
	enum placement placement;
	bool json;
	bool help;
};

/* All of an answer. Cores are hardware cores, in hwloc's order. */
struct plan {
	const struct options *options;
	struct node_state state;
	struct locality locality;
	struct plan_client client;	       /* where --client was given */
	struct cpuset local[CLIENT_CARDS_MAX]; /* beside a card, each */
	size_t local_count;
	bool has_local, is_by_client;
	bool packed;
	char reason[ERR_MAX];
	struct cpuset cores;
	struct cpuset os_cpus;	  /* all threads */
	struct cpuset first_cpus; /* one a core: what the client is told */
	struct cpuset abs_cores;
	struct cpuset spec_list; /* in the unit of CpuSpecList */
	bool core_unit;
	bool no_spec_set; /* --core-spec gives the same without one */
	struct findings findings;
};

enum {
	OPT_MAX = 1,
	OPT_NIC,
	OPT_CLIENT,
	OPT_SYSFS,
	OPT_LOCAL,
	OPT_PACKED,
	OPT_SPREAD,
	OPT_FIXED,
	OPT_FORMAT,
	OPT_HELP,
};

static const struct option long_options[] = {
	SUBJECT_OPTIONS,
	{ "max", required_argument, NULL, OPT_MAX },
	{ "nic", required_argument, NULL, OPT_NIC },
	{ "client", required_argument, NULL, OPT_CLIENT },
	{ "sysfs", required_argument, NULL, OPT_SYSFS }, /* for tests */
	{ "local-cpus", required_argument, NULL, OPT_LOCAL },
	{ "packed", no_argument, NULL, OPT_PACKED },
	{ "spread", no_argument, NULL, OPT_SPREAD },
	{ "os-cpus", required_argument, NULL, OPT_FIXED },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static int set_list(struct cpuset *set, bool *given, const char *name,
		    const char *value, struct err *err)
{
	if (cpuset_parse(set, value, err) < 0)
		return err_prefix(err, "--%s", name);
	if (cpuset_is_empty(set))
		return err_set(err, "--%s: empty list", name);
	*given = true;
	return 0;
}

static int set_placement(struct options *options, enum placement placement,
			 struct err *err)
{
	if (options->placement != PLACEMENT_AUTO &&
	    options->placement != placement)
		return err_set(err, "--packed and --spread exclude each other");
	options->placement = placement;
	return 0;
}

static int set_option(void *what, int option, const char *value,
		      struct err *err)
{
	struct options *options = what;
	int json;

	switch (option) {
	case OPT_MAX:
		return number_parse(value, 1, CORES_MAX, &options->max, err) < 0
			       ? err_prefix(err, "--max")
			       : 0;
	case OPT_NIC:
		options->nic = value;
		return 0;
	case OPT_CLIENT:
		options->client = value;
		return 0;
	case OPT_SYSFS:
		sysfs_set_root(value);
		return 0;
	case OPT_LOCAL:
		return set_list(&options->local, &options->has_local,
				"local-cpus", value, err);
	case OPT_FIXED:
		return set_list(&options->fixed, &options->has_fixed, "os-cpus",
				value, err);
	case OPT_PACKED:
		return set_placement(options, PLACEMENT_PACKED, err);
	case OPT_SPREAD:
		return set_placement(options, PLACEMENT_SPREAD, err);
	case OPT_FORMAT:
		json = subject_choose("format", value, "json", "text", err);
		options->json = json > 0;
		return json < 0 ? -1 : 0;
	case OPT_HELP:
		options->help = true;
		return 0;
	default:
		return subject_option(&options->subject, option, value, err);
	}
}

static int parse_options(struct options *options, int argc, char *argv[],
			 struct err *err)
{
	subject_init(&options->subject);
	if (command_options(NAME, long_options, 0, argc, argv, set_option,
			    options, err) < 0)
		return -1;
	if (options->client && !options->max && !options->has_fixed)
		options->max = 1;
	if (!options->help && !options->max == !options->has_fixed)
		return err_set(err, "give one of --max=N and --os-cpus=LIST");
	return 0;
}

/* ---- choosing cores ------------------------------------------------------------ */

static bool is_free(const struct plan *plan, unsigned int core)
{
	const struct core_map *map = plan->state.map;

	/* core 0 takes the kernel's own work; the client refuses it */
	return core < core_map_core_count(map) &&
	       !cpuset_has(core_map_core(map, core), 0) &&
	       !cpuset_has(&plan->cores, core);
}

static bool lies_in(const struct plan *plan, unsigned int core,
		    const struct cpuset *os_cpus)
{
	return cpuset_is_subset(core_map_core(plan->state.map, core), os_cpus);
}

/* The highest free core within 'os_cpus' (NULL: anywhere), or -1. */
static int highest(const struct plan *plan, const struct cpuset *os_cpus)
{
	for (int core = (int)core_map_core_count(plan->state.map) - 1;
	     core >= 0; core--)
		if (is_free(plan, (unsigned int)core) &&
		    (!os_cpus || lies_in(plan, (unsigned int)core, os_cpus)))
			return core;
	return -1;
}

static unsigned int take(struct plan *plan, const struct cpuset *os_cpus,
			 unsigned int count)
{
	unsigned int taken = 0;
	int core;

	while (taken < count && (core = highest(plan, os_cpus)) >= 0) {
		cpuset_add(&plan->cores, (unsigned int)core);
		taken++;
	}
	return taken;
}

static void take_spread(struct plan *plan, unsigned int count)
{
	const struct locality *locality = &plan->locality;
	bool progress = true;

	while (count && progress) {
		progress = false;
		for (unsigned int i = locality->count; i-- > 0 && count;)
			if (take(plan, &locality->domain[i], 1)) {
				count--;
				progress = true;
			}
	}
	take(plan, NULL, count); /* no NUMA nodes at all */
}

/* Beside each card in turn. */
static unsigned int take_local(struct plan *plan, unsigned int count)
{
	unsigned int taken = 0, before;
	size_t i;

	do {
		before = taken;
		for (i = 0; i < plan->local_count && taken < count; i++)
			taken += take(plan, &plan->local[i], 1);
	} while (taken > before);
	return taken;
}

static void take_packed(struct plan *plan, unsigned int count)
{
	unsigned int local = take_local(plan, count);

	if (plan->has_local && local < count)
		findings_add(&plan->findings, "P03", FINDING_WARNING,
			     "ask for fewer cores, or move the card",
			     "only %u of %u cores can lie beside the network "
			     "card",
			     local, count);
	take(plan, NULL, count - local);
}

static void say_place(struct plan *plan)
{
	char cards[PLAN_CLIENT_TEXT_MAX];

	snprintf(plan->reason, sizeof(plan->reason),
		 "beside the card%s of client '%s': %.300s",
		 plan->client.cards.count == 1 ? "" : "s", plan->client.name,
		 plan_client_cards(&plan->client, cards));
}

static void choose(struct plan *plan)
{
	const struct options *options = plan->options;
	unsigned int count = (unsigned int)options->max;

	plan->packed =
		options->placement == PLACEMENT_PACKED ||
		(options->placement == PLACEMENT_AUTO && plan->has_local);
	if (plan->packed && plan->is_by_client)
		say_place(plan);
	else if (plan->packed && plan->has_local)
		snprintf(plan->reason, sizeof(plan->reason),
			 "packed beside the network card: its queues are "
			 "polled from there");
	else if (plan->packed)
		snprintf(plan->reason, sizeof(plan->reason),
			 "packed, as asked: the highest cores");
	else
		snprintf(plan->reason, sizeof(plan->reason),
			 "spread over %u %s(s): no network card was named, no "
			 "place is better",
			 plan->locality.count, plan->locality.kind);
	if (plan->packed)
		take_packed(plan, count);
	else
		take_spread(plan, count);
}

/* Whole cores around the CPUs that the client has. */
static int adopt(struct plan *plan, struct err *err)
{
	struct cpuset whole = { 0 };
	int os_cpu;

	cpuset_for_each (os_cpu, &plan->options->fixed) {
		int core =
			core_map_core_of(plan->state.map, (unsigned int)os_cpu);

		if (core < 0)
			return err_set(err, "--os-cpus: %d: no such CPU here",
				       os_cpu);
		cpuset_add(&plan->cores, (unsigned int)core);
		cpuset_or(&whole,
			  core_map_core(plan->state.map, (unsigned int)core));
	}
	snprintf(plan->reason, sizeof(plan->reason), "as given with --os-cpus");
	if (cpuset_has(&whole, 0))
		findings_add(&plan->findings, "P04", FINDING_ERROR,
			     "move the client to other cores",
			     "core 0 is the kernel's: a client refuses it or "
			     "starves there");
	return 0;
}

/* ---- writing them down ----------------------------------------------------------- */

static void expand(struct plan *plan)
{
	int core;

	cpuset_for_each (core, &plan->cores) {
		const struct cpuset *cpus =
			core_map_core(plan->state.map, (unsigned int)core);

		cpuset_or(&plan->os_cpus, cpus);
		cpuset_add(&plan->first_cpus,
			   (unsigned int)cpuset_next(cpus, 0));
	}
}

static int reserve(const struct plan *plan, const struct node *node,
		   enum reservation_kind kind, unsigned int count,
		   struct cpuset *os_cpus, struct err *err)
{
	struct reservation_request request = { kind, count };
	struct reservation got;

	if (reservation_compute(node, plan->state.map, &request, &got, err) < 0)
		return -1;
	*os_cpus = got.os_cpus;
	reservation_free(&got);
	return 0;
}

/* A copy of the node whose spec set is the one abstract core, or empty. */
static struct node with_spec(const struct plan *plan, const struct cpuset *list)
{
	struct node node = plan->state.node;

	node.from_controller = false;
	node.core_spec_count = 0;
	node.has_spec_list = list != NULL;
	if (list)
		node.spec_list = *list;
	return node;
}

static void add_unit(const struct plan *plan, struct cpuset *list,
		     unsigned int abs_core)
{
	unsigned int unit = plan->core_unit ? 1 : plan->state.node.threads;

	for (unsigned int t = 0; t < unit; t++)
		cpuset_add(list, abs_core * unit + t);
}

/* Ask for every abstract core what slurmd makes of it. */
static int find_abstract(struct plan *plan, struct err *err)
{
	const struct node *record = &plan->state.node;
	unsigned int total = record->sockets * record->cores;
	struct cpuset missing = plan->os_cpus, os_cpus;

	plan->core_unit = record->version >= VERSION_OF(21, 8, 0) &&
			  total >= record->cpus;
	for (unsigned int i = 0; i < total; i++) {
		struct cpuset one = { 0 };
		struct node node;

		add_unit(plan, &one, i);
		node = with_spec(plan, &one);
		if (reserve(plan, &node, RESERVATION_UNSET, 0, &os_cpus, err) <
		    0)
			return -1;
		if (cpuset_is_empty(&os_cpus) ||
		    !cpuset_is_subset(&os_cpus, &plan->os_cpus))
			continue;
		cpuset_add(&plan->abs_cores, i);
		add_unit(plan, &plan->spec_list, i);
		cpuset_andnot(&missing, &os_cpus);
	}
	if (!cpuset_is_empty(&missing))
		findings_add(&plan->findings, "P06", FINDING_ERROR,
			     "see jobio cores; correct the node line or the "
			     "machine first",
			     "no CpuSpecList reserves these cores on this "
			     "node: Slurm's numbers do not fit the machine");
	return 0;
}

/* What would a job get that asks for as many io-cores, without a spec set? */
static int compare_with_slurm(struct plan *plan, struct err *err)
{
	struct node bare = with_spec(plan, NULL);
	unsigned int count = cpuset_count(&plan->cores);
	struct cpuset os_cpus;
	char *list;

	bare.allow_spec_resources_usage = true;
	bare.cons_tres = true;
	if (reserve(plan, &bare, RESERVATION_CORES, count, &os_cpus, err) < 0)
		return -1;
	plan->no_spec_set = cpuset_equal(&os_cpus, &plan->os_cpus);
	if (plan->no_spec_set)
		return 0;
	list = cpuset_format(&os_cpus);
	findings_add(&plan->findings, "P01", FINDING_INFO, "",
		     "without a spec set, and with CoreSpecCount=%u, Slurm "
		     "takes OS CPUs %s instead: it goes round the sockets from "
		     "the %s core",
		     count, list ? list : "?",
		     bare.spec_cores_first ? "first" : "last");
	free(list);
	findings_add(&plan->findings, "P02", FINDING_WARNING,
		     "let jobs ask for none or for all of them (io_cores_min "
		     "in jobio.conf)",
		     "a job that asks for fewer than %u cores gets the rest "
		     "of the spec set for itself",
		     count);
	return 0;
}

/* The type whose cores are planned. */
static const char *planned_type(const struct plan *plan)
{
	return plan->client.type ? plan->client.type : client_type_with_cores();
}

static void warn_of_room(struct plan *plan)
{
	const struct node *node = &plan->state.node;
	unsigned int cores = core_map_core_count(plan->state.map);
	unsigned int cores_max = client_sizing(planned_type(plan))->cores_max;

	if (!plan->options->has_fixed &&
	    cpuset_count(&plan->cores) < plan->options->max)
		findings_add(&plan->findings, "P05", FINDING_ERROR,
			     "ask for fewer cores",
			     "the machine has %u cores: %lu for the client "
			     "beside core 0 cannot be had",
			     cores, plan->options->max);
	if (cores_max && cpuset_count(&plan->cores) > cores_max)
		findings_add(&plan->findings, "P08", FINDING_WARNING,
			     "ask for fewer cores",
			     "a WEKA client takes at most %u cores in one "
			     "container",
			     cores_max);
	if (node->spec_cores_first)
		findings_add(&plan->findings, "P07", FINDING_WARNING,
			     "take spec_cores_first out of "
			     "SchedulerParameters",
			     "spec_cores_first makes --core-spec begin with "
			     "core 0, which is the kernel's");
}

/* What was said on the command line holds; else the client's cards. */
static int find_local(struct plan *plan, struct err *err)
{
	const struct options *options = plan->options;
	const char *xml = options->subject.topology;

	plan->has_local = options->has_local || options->nic;
	plan->local_count = plan->has_local;
	plan->local[0] = options->local;
	if (options->client &&
	    plan_client_find(&plan->client, options->client,
			     options->subject.conf, xml, err) < 0)
		return -1;
	if (options->nic && !options->has_local)
		return locality_of_nic(xml, options->nic, &plan->local[0], err);
	if (plan->has_local || !options->client)
		return 0;
	memcpy(plan->local, plan->client.domain, sizeof(plan->local));
	plan->local_count = plan->client.domain_count;
	plan->has_local = plan->is_by_client = plan->local_count > 0;
	if (!plan->has_local)
		findings_add(
			&plan->findings, "P09", FINDING_WARNING,
			"name it with --nic=IFACE, or give the CPUs beside "
			"it with --local-cpus",
			"nobody tells which card serves client '%s', or "
			"where it is",
			options->client);
	return 0;
}

static int make_plan(struct plan *plan, int *status, struct err *err)
{
	const struct options *options = plan->options;
	const char *xml = options->subject.topology;

	if (locality_load(xml, &plan->locality, err) < 0)
		return -1;
	*status = COMMAND_USAGE;
	if (find_local(plan, err) < 0)
		return -1;
	if (options->has_fixed && adopt(plan, err) < 0)
		return -1;
	*status = COMMAND_FAILED;
	if (!options->has_fixed)
		choose(plan);
	warn_of_room(plan);
	expand(plan);
	return find_abstract(plan, err) < 0 || compare_with_slurm(plan, err) < 0
		       ? -1
		       : 0;
}

/* ---- output --------------------------------------------------------------------- */

static char *slurm_line(const struct plan *plan)
{
	char *list = cpuset_format(&plan->spec_list), *line = NULL;

	if (list && asprintf(&line, "CpuSpecList=%s", list) < 0)
		line = NULL;
	free(list);
	return line;
}

static char *join_first_cpus(const struct plan *plan, const char *before,
			     const char *between)
{
	char *text = calloc(1, CPUSET_MAX), *at = text;
	int cpu;

	if (!text)
		return NULL;
	cpuset_for_each (cpu, &plan->first_cpus)
		at += snprintf(at, CPUSET_MAX - (size_t)(at - text), "%s%s%d",
			       at == text ? "" : between, before, cpu);
	return text;
}

/* NULL: its cores are not said at the mount. */
static char *mount_options(const struct plan *plan)
{
	bool has_cores = client_sizing(planned_type(plan))->cores_max > 0;
	char *cores = has_cores ? join_first_cpus(plan, "core=", ",") : NULL;
	const char *nic = plan->options->nic;
	char *text = NULL;

	if (!nic && plan->client.cards.count == 1)
		nic = plan->client.cards.card[0].name;

	if (!cores || asprintf(&text, "-o %s%s%s%s", nic ? "net=" : "",
			       nic ? nic : "", nic ? "," : "", cores) < 0)
		text = NULL;
	free(cores);
	return text;
}

/* The command of the client whose cores are planned. */
static char *client_command(const struct plan *plan)
{
	struct client_place place = {
		.ids = plan->first_cpus,
		.os_cpus = plan->os_cpus,
		.numa_node = plan->client.type ? plan->client.numa_node : -1,
		.card = plan->client.cards.count
				? plan->client.cards.card[0].name
				: "",
	};

	return client_cores_command(planned_type(plan), &place);
}

static void add_optional(struct json_object *json, const char *key, char *text)
{
	if (text)
		print_add_text(json, key, text);
}

static void output_json(const struct plan *plan)
{
	struct json_object *json = json_object_new_object();
	char command_key[32];

	print_add_text(json, "abstract_cores", cpuset_format(&plan->abs_cores));
	print_add_text(json, "os_cpus", cpuset_format(&plan->os_cpus));
	print_add_text(json, "client_cpus", cpuset_format(&plan->first_cpus));
	print_add_text(json, "cpu_spec_list", cpuset_format(&plan->spec_list));
	json_object_object_add(json, "spec_set_needed",
			       json_object_new_boolean(!plan->no_spec_set));
	print_add_text(json, "slurm_conf", slurm_line(plan));
	add_optional(json, "mount_options", mount_options(plan));
	snprintf(command_key, sizeof(command_key), "%s_command",
		 planned_type(plan));
	add_optional(json, command_key, client_command(plan));
	if (plan->client.type)
		json_object_object_add(json, "client",
				       plan_client_json(&plan->client));
	print_add_text(json, "placement",
		       strdup(plan->options->has_fixed ? "given"
			      : plan->packed	       ? "packed"
						       : "spread"));
	print_add_text(json, "reason", strdup(plan->reason));
	json_object_object_add(json, "findings",
			       print_findings_json(&plan->findings));
	print_json(json);
}

static void print_owned(const char *label, char *text)
{
	printf("%-16s %s\n", label, text ? text : "?");
	free(text);
}

/* Where there is nothing to say: no line. */
static void print_told(const char *label, char *text)
{
	if (text)
		print_owned(label, text);
}

static void output_text(const struct plan *plan)
{
	plan_client_print(&plan->client);
	print_list("abstract cores", &plan->abs_cores);
	print_list("OS CPUs", &plan->os_cpus);
	printf("%-16s %s\n", "placement", plan->reason);
	print_owned("slurm.conf", slurm_line(plan));
	printf("%-16s on the node line, in %s; no CoreSpecCount beside it\n",
	       "",
	       plan->core_unit ? "cores, since CPUs=cores there"
			       : "Slurm's numbers of threads");
	if (plan->no_spec_set)
		printf("%-16s no spec set needed where every job that finds "
		       "the client\n%-16s working asks with --io-cores=%u: "
		       "Slurm takes the same cores\n",
		       "", "", cpuset_count(&plan->cores));
	print_told("mount", mount_options(plan));
	print_told(client_sizing(planned_type(plan))->cores_max ? "or"
								: "client",
		   client_command(plan));
	print_findings(&plan->findings);
}

int plan_main(int argc, char *argv[])
{
	struct options options = { 0 };
	struct plan *plan = calloc(1, sizeof(*plan));
	int status = COMMAND_FAILED;
	struct err err;

	if (!plan) {
		err_set(&err, "out of memory");
		return command_fail(NAME, COMMAND_FAILED, &err);
	}
	plan->options = &options;
	if (parse_options(&options, argc, argv, &err) < 0) {
		status = command_fail(NAME, COMMAND_USAGE, &err);
		goto out;
	}
	if (options.help) {
		printf("%s%s%s", usage_head, subject_usage, usage_tail);
		status = COMMAND_OK;
		goto out;
	}
	if (subject_find(&options.subject, &plan->state, &plan->findings,
			 &status, &err) < 0 ||
	    make_plan(plan, &status, &err) < 0) {
		command_fail(NAME, status, &err);
		goto out;
	}
	if (options.json)
		output_json(plan);
	else
		output_text(plan);
	status = findings_worst(&plan->findings) == FINDING_ERROR
			 ? COMMAND_FAILED
			 : COMMAND_OK;
out:
	findings_free(&plan->findings);
	node_state_free(&plan->state);
	free(plan);
	return status;
}
