/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/doctor_node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/client.h"
#include "lib/core_map.h"
#include "lib/hostlist.h"
#include "lib/locality.h"
#include "lib/reservation.h"
#include "report/doctor_slurmd.h"

static void add_lists(struct findings *findings, const char *code, enum finding_severity severity,
		      const char *cure, const char *format, const struct cpuset *a,
		      const struct cpuset *b) __attribute__((format(printf, 5, 0)));

static void add_lists(struct findings *findings, const char *code, enum finding_severity severity,
		      const char *cure, const char *format, const struct cpuset *a,
		      const struct cpuset *b)
{
	char *first = cpuset_format(a), *second = cpuset_format(b);
	char text[ERR_MAX];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), format, first ? first : "?", second ? second : "?");
#pragma GCC diagnostic pop
	findings_add(findings, code, severity, cure, "%s", text);
	free(first);
	free(second);
}

/* ---- the host's node line ------------------------------------------------------- */

static void read_limit(struct doctor *doctor, const char *line)
{
	const char *value = slurm_conf_setting(line, "MemSpecLimit");

	doctor->mem_spec_limit_mb = value ? strtol(value, NULL, 10) : 0;
}

static void copy_setting(char *to, size_t room, const struct doctor *doctor, const char *key)
{
	const char *value = slurm_conf_get(doctor->slurm, key);

	snprintf(to, room, "%s", value ? value : "");
}

static int read_node(struct doctor *doctor, const char *line, struct err *err)
{
	struct core_map_options options = {
		.xml = doctor->topology,
		.slurm_version = doctor->version,
	};
	struct node *node = &doctor->state.node;

	node_init(node);
	node->version = doctor->version;
	copy_setting(node->slurmd_parameters, sizeof(node->slurmd_parameters), doctor,
		     "SlurmdParameters");
	copy_setting(node->task_plugin_param, sizeof(node->task_plugin_param), doctor,
		     "TaskPluginParam");
	node->spec_cores_first =
		slurm_conf_has(doctor->slurm, "SchedulerParameters", "spec_cores_first");
	if (node_line_parse(node, line, doctor->findings, err) < 0)
		return -1;
	snprintf(node->name, sizeof(node->name), "%s", doctor->host);
	core_map_slurmd_parameters(&options, node->slurmd_parameters);
	doctor->state.map = core_map_load(&options, err);
	return doctor->state.map ? 0 : -1;
}

void doctor_find_node(struct doctor *doctor)
{
	const char *name, *line;
	struct err err;

	for (size_t i = 0; (line = slurm_conf_record(doctor->slurm, "NodeName", i, &name)); i++) {
		if (hostlist_match(name, doctor->host) <= 0)
			continue;
		read_limit(doctor, line);
		if (read_node(doctor, line, &err) == 0)
			doctor->has_node = true;
		else
			findings_add(doctor->findings, "N01", FINDING_ERROR,
				     "correct the node line", "slurm.conf: %s", err.text);
		return;
	}
	findings_add(doctor->findings, "N02", FINDING_WARNING,
		     "name the node with --host=NODENAME, or run this on a compute node",
		     "slurm.conf: no NodeName line for this host: nothing is known of its cores");
}

/* ---- the record and the machine ---------------------------------------------------- */

static void check_record(const struct doctor *doctor)
{
	const struct node *node = &doctor->state.node;
	const struct core_map_shape *shape = core_map_shape(doctor->state.map);

	if (node->cpus < shape->cpus && node->cpus != shape->sockets * shape->cores)
		findings_add(doctor->findings, "N04", FINDING_WARNING,
			     "write the line that `slurmd -C` prints",
			     "the node line gives Slurm %u of the machine's %u CPUs", node->cpus,
			     shape->cpus);
}

/* ---- the spec set and the client ---------------------------------------------------- */

static int reserved(const struct doctor *doctor, struct cpuset *os_cpus, struct findings *findings)
{
	static const struct reservation_request unset = { RESERVATION_UNSET, 0 };
	struct reservation got;
	struct err err;

	if (reservation_compute(&doctor->state.node, doctor->state.map, &unset, &got, &err) < 0) {
		findings_add(findings, "N01", FINDING_ERROR, "correct the node line", "%s",
			     err.text);
		return -1;
	}
	findings_append(findings, &got.findings);
	*os_cpus = got.os_cpus;
	reservation_free(&got);
	return 0;
}

/* The list read as Linux's numbers: whole cores? */
static bool is_whole_cores(const struct doctor *doctor, const struct cpuset *os_cpus)
{
	int os_cpu;

	cpuset_for_each (os_cpu, os_cpus) {
		int core = core_map_core_of(doctor->state.map, (unsigned int)os_cpu);

		if (core < 0 ||
		    !cpuset_is_subset(core_map_core(doctor->state.map, (unsigned int)core),
				      os_cpus))
			return false;
	}
	return true;
}

/* The same, read as Slurm does. */
static bool is_whole_in_slurm(const struct node *node, const struct cpuset *list)
{
	unsigned int total = node->sockets * node->cores;
	unsigned int unit = total >= node->cpus ? 1 : node->threads;
	int cpu;

	cpuset_for_each (cpu, list)
		for (unsigned int t = 0; t < unit; t++)
			if (!cpuset_has(list, (unsigned int)cpu / unit * unit + t))
				return false;
	return true;
}

/*
 * A list of whole cores in the one numbers and torn ones in the other is in the
 * one. Else the client's CPUs tell.
 */
static bool is_in_os_numbers(const struct doctor *doctor, const struct cpuset *really)
{
	const struct node *node = &doctor->state.node;
	const struct cpuset *list = &node->spec_list;
	bool is_slurms = is_whole_in_slurm(node, list);
	bool is_linuxs = is_whole_cores(doctor, list);

	if (cpuset_equal(list, really) || (is_slurms && !is_linuxs))
		return false;
	if (doctor->client_known && !cpuset_is_empty(&doctor->client_cpus))
		return (cpuset_is_subset(list, &doctor->client_cpus) &&
			!cpuset_equal(really, &doctor->client_cpus)) ||
		       (cpuset_intersects(list, &doctor->client_cpus) &&
			!cpuset_is_subset(&doctor->client_cpus, really));
	return is_linuxs && !is_slurms;
}

/* The CpuSpecList that withholds these OS CPUs, as a line to write. */
static void spec_line(const struct doctor *doctor, const struct cpuset *os_cpus, char line[ERR_MAX])
{
	const struct node *node = &doctor->state.node;
	unsigned int total = node->sockets * node->cores;
	unsigned int unit = total >= node->cpus ? 1 : node->threads;
	struct cpuset list = { 0 };
	char *text;
	int os_cpu;

	cpuset_for_each (os_cpu, os_cpus) {
		int core = core_map_core_of(doctor->state.map, (unsigned int)os_cpu);

		for (unsigned int t = 0; core >= 0 && t < unit; t++)
			cpuset_add(&list, (unsigned int)core * unit + t);
	}
	text = cpuset_format(&list);
	snprintf(line, ERR_MAX, "CpuSpecList=%s", text ? text : "?");
	free(text);
}

static void check_spec_list(const struct doctor *doctor, const struct cpuset *really)
{
	const struct node *node = &doctor->state.node;
	const struct cpuset *meant = doctor->client_known && !cpuset_is_empty(&doctor->client_cpus)
					     ? &doctor->client_cpus
					     : &node->spec_list;
	char cure[ERR_MAX];

	if (!node->has_spec_list || !is_in_os_numbers(doctor, really))
		return;
	spec_line(doctor, meant, cure);
	add_lists(
		doctor->findings, "N05", FINDING_ERROR, cure,
		"CpuSpecList=%s is written in Linux's numbers; Slurm reads its own and reserves OS CPUs %s",
		&node->spec_list, really);
}

static void check_client(const struct doctor *doctor, const struct cpuset *really)
{
	const struct node *node = &doctor->state.node;
	bool has_spec = node->has_spec_list || node->core_spec_count;
	struct cpuset open = doctor->client_cpus;
	char cure[ERR_MAX];

	if (!doctor->client_known || cpuset_is_empty(&open))
		return;
	cpuset_andnot(&open, really);
	if (cpuset_is_empty(&open))
		return;
	spec_line(doctor, &doctor->client_cpus, cure);
	if (has_spec)
		add_lists(
			doctor->findings, "N06", FINDING_ERROR, cure,
			"the client has OS CPUs %s that are not in the spec set (%s): jobs run there",
			&open, really);
	else
		add_lists(
			doctor->findings, "N07",
			doctor->config && doctor->config->gate == GATE_ENFORCE ? FINDING_ERROR
									       : FINDING_WARNING,
			cure,
			"the client has OS CPUs %s and the node has no spec set: a job that asks for no io-cores runs there%s",
			&open, &(struct cpuset){ 0 });
}

static void check_core_zero(const struct doctor *doctor, const struct cpuset *really)
{
	if (!cpuset_has(really, 0))
		return;
	findings_add(doctor->findings, "N08", FINDING_WARNING, "reserve other cores: jobio plan",
		     "the spec set holds core 0, which is the kernel's: a client refuses it");
}

static void check_memory(const struct doctor *doctor)
{
	const struct client_sizing *size = client_sizing(client_type_with_cores());
	const struct node *node = &doctor->state.node;
	char cure[80];

	if (doctor->mem_spec_limit_mb > 0 || (!node->has_spec_list && !node->core_spec_count))
		return;
	snprintf(cure, sizeof(cure), "MemSpecLimit=%ld, and %ld more for each further core",
		 size->memory_fixed_mb + size->memory_core_mb, size->memory_core_mb);
	findings_add(
		doctor->findings, "N09", FINDING_WARNING, cure,
		"the node line has a spec set and no MemSpecLimit: jobs may take the memory of the client (%.1f GB and %.1f GB a core)",
		(double)size->memory_fixed_mb / 1000, (double)size->memory_core_mb / 1000);
}

/* ---- the clients' cards ------------------------------------------------------------- */

/* The cards of a client: their names, and the CPUs beside them. Empty: nobody
 * knows where they are. */
static void beside_cards(const struct doctor *doctor, const struct client_cards *cards,
			 char names[ERR_MAX], struct cpuset *beside)
{
	size_t i, used = 0;

	cpuset_zero(beside);
	*names = '\0';
	for (i = 0; i < cards->count; i++) {
		const struct client_card *card = &cards->card[i];
		struct cpuset cpus;

		if (card->numa_node < 0 ||
		    locality_of_node(doctor->topology, card->numa_node, &cpus, NULL) < 0)
			continue;
		cpuset_or(beside, &cpus);
		if (used < ERR_MAX / 2)
			used += (size_t)snprintf(names + used, ERR_MAX - used,
						 "%s%s (NUMA node %d)", used ? ", " : "",
						 card->name, card->numa_node);
	}
}

/* What a job gets that asks for one io-core. */
static int one_core(const struct doctor *doctor, struct cpuset *os_cpus)
{
	static const struct reservation_request one = { RESERVATION_CORES, 1 };
	struct node node = doctor->state.node;
	struct reservation got;

	node.allow_spec_resources_usage = true;
	node.cons_tres = true;
	if (reservation_compute(&node, doctor->state.map, &one, &got, NULL) < 0)
		return -1;
	*os_cpus = got.os_cpus;
	reservation_free(&got);
	return 0;
}

static void check_cards_of(const struct doctor *doctor, const struct doctor_cards *client,
			   const struct cpuset *really)
{
	bool has_spec = !cpuset_is_empty(really);
	char names[ERR_MAX], cure[ERR_MAX], *list;
	struct cpuset beside, cores = *really;

	beside_cards(doctor, &client->cards, names, &beside);
	if (cpuset_is_empty(&beside) || (!has_spec && one_core(doctor, &cores) < 0) ||
	    cpuset_intersects(&cores, &beside))
		return;
	list = cpuset_format(&cores);
	snprintf(cure, sizeof(cure), "CpuSpecList of cores beside it: jobio plan --client=%s",
		 client->client);
	findings_add(doctor->findings, "N13", has_spec ? FINDING_WARNING : FINDING_INFO, cure,
		     "%s OS CPUs %.80s, and none of them is beside the card of client '%s': %.300s",
		     has_spec ? "the spec set has" : "there is no spec set, --io-cores=1 gets",
		     list ? list : "?", client->client, names);
	free(list);
}

static void check_cards(const struct doctor *doctor, const struct cpuset *really)
{
	size_t i;

	for (i = 0; i < doctor->cards_count; i++)
		check_cards_of(doctor, &doctor->cards[i], really);
}

void doctor_node(const struct doctor *doctor)
{
	struct cpuset really;

	check_record(doctor);
	if (reserved(doctor, &really, doctor->findings) < 0)
		return;
	doctor_slurmd(doctor, &really);
	check_spec_list(doctor, &really);
	check_client(doctor, &really);
	check_core_zero(doctor, &really);
	check_cards(doctor, &really);
	check_memory(doctor);
}
