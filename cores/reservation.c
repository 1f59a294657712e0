/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cores/reservation.h"

#include <stdlib.h>
#include <string.h>

#include "base/version.h"

/* Geometry of the node, as one daemon uses it. */
struct view {
	unsigned int cpus;
	unsigned int sockets;
	unsigned int cores;   /* per socket */
	unsigned int threads; /* per core */
};

struct work {
	const struct node *node;
	const struct core_map *map;
	const struct core_map_shape *hw;
	struct view ctld;
	struct view slurmd;
	unsigned int actual_threads; /* threads per core that slurmd assumes */
	struct cpuset ctld_spec;     /* abstract cores */
	struct cpuset slurmd_spec;
	bool slurmd_disabled;
	bool cut; /* slurmd's list does not fit into its registration */
	struct reservation *out;
};

static unsigned int total_cores(const struct view *view)
{
	return view->sockets * view->cores;
}

/* node_ptr->tpc (node_conf.c:_init_node_record, 22.05 and later) */
static unsigned int schedulable_threads(const struct view *view)
{
	return total_cores(view) >= view->cpus ? 1 : view->threads;
}

/*
 * The scan order of all versions: from the last core of the last socket, round
 * robin over the sockets; spec_cores_first: from the first, upward.
 */
static void pick_cores(struct cpuset *parsed, const struct view *view, unsigned int count,
		       bool first)
{
	for (unsigned int c = 0; c < view->cores && count; c++) {
		unsigned int core = first ? c : view->cores - 1 - c;

		for (unsigned int s = 0; s < view->sockets && count; s++) {
			unsigned int socket = first ? s : view->sockets - 1 - s;
			unsigned int abs_core = socket * view->cores + core;

			if (cpuset_has(parsed, abs_core))
				continue;
			cpuset_add(parsed, abs_core);
			count--;
		}
	}
}

static unsigned int last_member(const struct cpuset *set)
{
	unsigned int last = 0;
	int member;

	cpuset_for_each (member, set)
		last = (unsigned int)member;
	return last;
}

static void divide(struct cpuset *cores, const struct cpuset *cpus, unsigned int threads)
{
	int cpu;

	cpuset_zero(cores);
	cpuset_for_each (cpu, cpus)
		cpuset_add(cores, (unsigned int)cpu / (threads ? threads : 1));
}

static void multiply(struct cpuset *cpus, const struct cpuset *cores, unsigned int threads)
{
	int core;

	cpuset_zero(cpus);
	cpuset_for_each (core, cores)
		for (unsigned int t = 0; t < threads; t++)
			cpuset_add(cpus, (unsigned int)core * threads + t);
}

/* ---- slurmd's geometry: slurmd.c:_read_config ------------------------------- */

static void set_slurmd_view(struct work *work)
{
	const struct node *node = work->node;
	const struct core_map_shape *hw = work->hw;
	bool overrides = strcasestr(node->slurmd_parameters, "config_override") != NULL;
	struct view conf = work->ctld;
	struct view actual = { hw->cpus, hw->sockets, hw->cores, hw->threads };

	work->actual_threads = hw->threads;
	work->slurmd = conf;
	if (node->version >= VERSION_OF(23, 11, 7) && conf.sockets == hw->cpus &&
	    conf.cpus == hw->cpus && conf.cores == 1 && conf.threads == 1) {
		/* "Only CPUs= was configured": slurmd assumes 1 thread a core */
		work->actual_threads = 1;
	} else if (!overrides && hw->cpus < conf.cpus) {
		work->slurmd = actual;
	} else if (node->version < VERSION_OF(25, 11, 0) && !overrides && node->cons_tres &&
		   hw->sockets != conf.sockets && hw->cores != conf.cores &&
		   hw->sockets * hw->cores == total_cores(&conf)) {
		/* "Node reconfigured socket/core boundaries" */
		work->slurmd.sockets = hw->sockets;
		work->slurmd.cores = hw->cores;
	}
}

/* ---- slurmctld's spec set --------------------------------------------------- */

/* 23.02 and later print CpuSpecList in their own unit. Up to 22.05 the list comes from slurmd, in
 * threads, unless slurm.conf has one on 22.05, which counts cores if CPUs <= cores. core_spec_count
 * distinguishes the two. */
static unsigned int reported_unit(struct work *work)
{
	const struct node *node = work->node;
	unsigned int members = cpuset_count(&node->spec_list);

	if (node->version >= VERSION_OF(23, 2, 0))
		return schedulable_threads(&work->ctld);
	if (schedulable_threads(&work->ctld) > 1 || work->ctld.threads == 1)
		return work->ctld.threads;
	if (members == node->core_spec_count)
		return 1;
	return work->ctld.threads;
}

/*
 * slurmd registers its abstract CPUs in a buffer of 256 bytes
 * (slurmd.c:res_abs_cpus, all versions): a longer list arrives cut.
 */
static struct cpuset registered_cpus(struct work *work)
{
	struct cpuset cpus, part, all = { 0 };
	char *text, *word, *save;

	multiply(&cpus, &work->slurmd_spec, work->slurmd.threads);
	text = cpuset_format(&cpus);
	if (!text || strlen(text) <= RESERVATION_LOG_MAX) {
		free(text);
		return cpus;
	}
	work->cut = true;
	text[RESERVATION_LOG_MAX] = '\0';
	for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		size_t length = strlen(word);

		if (length && word[length - 1] == '-')
			word[length - 1] = '\0';
		if (cpuset_parse(&part, word, NULL) == 0)
			cpuset_or(&all, &part);
	}
	free(text);
	return all;
}

static void set_ctld_spec(struct work *work)
{
	const struct node *node = work->node;
	struct cpuset registered = registered_cpus(work);

	if (node->has_spec_list)
		divide(&work->ctld_spec, &node->spec_list,
		       node->from_controller ? reported_unit(work)
					     : schedulable_threads(&work->ctld));
	else if (node->core_spec_count && (node->version >= VERSION_OF(23, 2, 0)))
		pick_cores(&work->ctld_spec, &work->ctld, node->core_spec_count,
			   node->spec_cores_first);
	else /* slurmctld uses what slurmd registers */
		divide(&work->ctld_spec, &registered, work->ctld.threads);
}

/* ---- slurmd's spec set: slurmd.c:_core_spec_init ----------------------------- */

static void disable(struct work *work, const char *why)
{
	work->slurmd_disabled = true;
	findings_add(&work->out->findings, "C16", FINDING_ERROR,
		     "correct CoreSpecCount, CpuSpecList or the geometry on the node line",
		     "slurmd disables core specialization on this node: %s", why);
}

/* slurmd.c:_validate_and_convert_cpu_list */
static void parse_list(struct work *work, const struct cpuset *list)
{
	const struct view *view = &work->slurmd;
	unsigned int unit = schedulable_threads(view);
	unsigned int room = total_cores(view) * unit;

	if (!cpuset_is_empty(list) && last_member(list) >= room) {
		disable(work, "CpuSpecList names a CPU beyond those that slurmd counts");
		return;
	}
	divide(&work->slurmd_spec, list, unit);
}

/* slurmd.c:_select_spec_cores */
static void parse_count(struct work *work)
{
	const struct node *node = work->node;

	if (node->core_spec_count >= total_cores(&work->slurmd))
		disable(work, "CoreSpecCount too large");
	else
		pick_cores(&work->slurmd_spec, &work->slurmd, node->core_spec_count,
			   node->spec_cores_first);
}

static void drop_from(struct cpuset *set, unsigned int first)
{
	for (int member = cpuset_next(set, first); member >= 0;
	     member = cpuset_next(set, (unsigned int)member + 1))
		cpuset_del(set, (unsigned int)member);
}

static void set_slurmd_spec(struct work *work)
{
	const struct node *node = work->node;
	struct cpuset cores = { 0 }, list = { 0 };

	if (!node->has_spec_list && !node->core_spec_count)
		return;
	if (node->from_controller && node->has_spec_list) {
		divide(&cores, &node->spec_list, reported_unit(work));
		multiply(&list, &cores, schedulable_threads(&work->ctld));
		parse_list(work, &list);
	} else if (node->has_spec_list && node->version < VERSION_OF(23, 2, 0)) {
		parse_list(work, &node->spec_list);
	} else if (node->version >= VERSION_OF(23, 2, 0)) {
		/* node_conf.c computes it for both daemons, as a CPU list */
		unsigned int unit = schedulable_threads(&work->ctld);

		if (node->has_spec_list)
			divide(&cores, &node->spec_list, unit);
		else
			pick_cores(&cores, &work->ctld, node->core_spec_count,
				   node->spec_cores_first);
		multiply(&list, &cores, unit);
		drop_from(&list, node->cpus); /* its bitmap ends there */
		if (cpuset_is_empty(&list))   /* and bit_fmt_full() returns NULL */
			parse_count(work);
		else
			parse_list(work, &list);
	} else {
		parse_count(work);
	}
}

/* ---- cores withheld from this job -------------------------------------------- */

/* cons_common.c:common_mark_avail_cores, cons_helpers.c */
static void withhold(struct work *work, unsigned int count, bool is_counted,
		     struct cpuset *withheld)
{
	unsigned int left = count;
	int core;

	cpuset_zero(withheld);
	cpuset_for_each (core, &work->ctld_spec) {
		cpuset_add(withheld, (unsigned int)core);
		if (is_counted && !--left)
			return;
	}
	if (is_counted)
		pick_cores(withheld, &work->ctld, left, work->node->spec_cores_first);
}

static void note_subset(struct work *work, unsigned int count)
{
	unsigned int spec = cpuset_count(&work->ctld_spec);

	if (!spec || count >= spec)
		return;
	findings_add(
		&work->out->findings, "C23", FINDING_WARNING,
		"ask for at least as many cores as the spec set has (io_cores_min in jobio.conf)",
		"the node's spec set has %u cores and the job asks for %u: Slurm gives it the other %u, and withholds the lowest numbers of the set",
		spec, count, spec - count);
}

static void impossible(struct work *work, unsigned int count)
{
	work->out->possible = false;
	findings_add(&work->out->findings, "C20", FINDING_ERROR, "ask for fewer cores",
		     "a job that asks for %u cores never runs on this node: it has %u", count,
		     total_cores(&work->ctld));
}

static bool request_counts(struct work *work, const struct reservation_request *request)
{
	if (request->kind == RESERVATION_UNSET)
		return false;
	if (!work->node->cons_tres) {
		findings_add(
			&work->out->findings, "C25", FINDING_ERROR, "SelectType=select/cons_tres",
			"select/linear ignores --core-spec: no core is withheld for this request");
		return false;
	}
	if (!work->node->allow_spec_resources_usage) {
		findings_add(
			&work->out->findings, "C21", FINDING_WARNING, "AllowSpecResourcesUsage=yes",
			"Slurm drops the request: AllowSpecResourcesUsage is not set; the whole spec set is withheld and nothing else");
		return false;
	}
	return true;
}

static void apply_threads(struct work *work, unsigned int count, struct cpuset *withheld)
{
	if (work->ctld.cpus == total_cores(&work->ctld) && count) {
		/* "Each core has one thread, reserve cores here" */
		if (count >= total_cores(&work->ctld))
			impossible(work, count);
		note_subset(work, count);
		withhold(work, count, true, withheld);
		return;
	}
	withhold(work, 0, false, withheld);
	findings_add(
		&work->out->findings, "C24", FINDING_INFO, "use --core-spec",
		"--thread-spec names no particular CPU on a node with %u threads a core: only the spec set is withheld",
		work->ctld.threads);
}

static void apply_request(struct work *work, const struct reservation_request *request,
			  struct cpuset *withheld)
{
	unsigned int count = request->count;

	if (!request_counts(work, request)) {
		withhold(work, 0, false, withheld);
	} else if (request->kind == RESERVATION_THREADS) {
		apply_threads(work, count, withheld);
	} else if (count >= total_cores(&work->ctld)) {
		impossible(work, count);
		cpuset_zero(withheld);
	} else if (!count) {
		note_subset(work, 0);
		cpuset_zero(withheld);
	} else {
		note_subset(work, count);
		withhold(work, count, true, withheld);
	}
}

/* ---- abstract cores to OS CPUs: xcpuinfo.c:xcpuinfo_abs_to_mac --------------- */

static int to_os_cpus(const struct work *work, const struct cpuset *abs_cores,
		      struct cpuset *os_cpus)
{
	unsigned int cpus = work->hw->cpus;
	unsigned int stride = work->slurmd.threads;
	struct cpuset found = { 0 };
	int core;

	/* ThreadsPerCore below the hardware's: wrong CPUs before 23.11 */
	if (work->node->version >= VERSION_OF(23, 11, 0))
		stride = work->actual_threads;
	cpuset_for_each (core, abs_cores) {
		if ((unsigned int)core >= total_cores(&work->slurmd))
			return -1; /* bit_unfmt() fails */
		for (unsigned int t = 0; t < work->slurmd.threads; t++) {
			unsigned int abs_cpu = (unsigned int)core * stride + t;

			cpuset_add(&found,
				   (unsigned int)core_map_os_cpu(work->map, abs_cpu % cpus) % cpus);
		}
	}
	*os_cpus = found;
	return 0;
}

static void map_cores(struct work *work, const struct cpuset *withheld)
{
	struct reservation *out = work->out;
	struct cpuset given = { 0 };

	for (unsigned int i = 0; i < total_cores(&work->ctld); i++)
		if (!cpuset_has(withheld, i))
			cpuset_add(&given, i);
	out->abs_cores = *withheld;
	multiply(&out->abs_cpus, withheld, work->slurmd.threads);
	if (to_os_cpus(work, withheld, &out->os_cpus) < 0 ||
	    (out->possible && to_os_cpus(work, &given, &out->job_os_cpus) < 0)) {
		out->sound = false;
		findings_add(
			&out->findings, "C17", FINDING_ERROR,
			"write the geometry that `slurmd -C` prints",
			"slurmctld counts %u cores on this node, slurmd %u: slurmd cannot turn the job's cores into CPUs",
			total_cores(&work->ctld), total_cores(&work->slurmd));
	}
	out->shared_os_cpus = out->os_cpus;
	cpuset_and(&out->shared_os_cpus, &out->job_os_cpus);
}

/* ---- findings ------------------------------------------------------------------ */

static bool differs(const struct work *work)
{
	const struct node *node = work->node;
	const struct core_map_shape *hw = work->hw;

	return node->cpus != hw->cpus || node->boards != hw->boards ||
	       node->sockets != hw->sockets || node->cores != hw->cores ||
	       node->threads != hw->threads;
}

static void classify(struct work *work)
{
	unsigned int flaws = core_map_flaws(work->map);
	struct reservation *out = work->out;

	if (flaws & CORE_MAP_FATAL || work->slurmd_disabled)
		out->class = RESERVATION_FAILS;
	else if (flaws & (CORE_MAP_UNEVEN_THREADS | CORE_MAP_UNEVEN_CORES | CORE_MAP_UNEVEN_BOARDS |
			  CORE_MAP_EMPTY_CORES))
		out->class = RESERVATION_IRREGULAR;
	else if (flaws & CORE_MAP_SPARSE)
		out->class = RESERVATION_SPARSE;
	else if (differs(work))
		out->class = RESERVATION_CONF_MISMATCH;
	else
		out->class = RESERVATION_REGULAR;
}

static void report_map(struct work *work)
{
	unsigned int flaws = core_map_flaws(work->map);
	const struct core_map_shape *hw = work->hw;
	struct findings *findings = &work->out->findings;

	if (flaws & CORE_MAP_FATAL)
		findings_add(
			findings, "C06", FINDING_ERROR,
			"take numa_node_as_socket and l3cache_as_socket out of SlurmdParameters",
			"slurmd does not start on this machine: it cannot count sockets of the kind that SlurmdParameters names");
	if (flaws & CORE_MAP_SPARSE)
		findings_add(
			findings, "C01", FINDING_ERROR,
			"bring all CPUs online and start slurmd again, or use no io-cores on this node",
			"the machine numbers its %u CPUs up to %u: slurmd drops every number from %u on and names others instead",
			hw->cpus, last_member(core_map_cpus(work->map)), hw->cpus);
	if (flaws & CORE_MAP_UNEVEN_THREADS)
		findings_add(
			findings, "C02", FINDING_ERROR,
			"bring all threads of every core online, or turn SMT off",
			"%u CPUs are no multiple of %u cores: slurmd counts %u thread(s) a core and leaves CPUs out",
			hw->cpus, core_map_core_count(work->map), hw->threads);
	if (flaws & CORE_MAP_UNEVEN_CORES)
		findings_add(
			findings, "C03", FINDING_ERROR,
			"bring all cores of every socket online, or choose another socket kind in SlurmdParameters",
			"%u cores are no multiple of %u sockets: slurmd counts %u a socket and leaves cores out",
			core_map_core_count(work->map), hw->sockets, hw->cores);
	if (flaws & CORE_MAP_UNEVEN_BOARDS)
		findings_add(
			findings, "C08", FINDING_ERROR,
			"write Boards=1 and Sockets= on the node line",
			"%u sockets are no multiple of %u boards: no SocketsPerBoard describes this machine",
			hw->sockets, hw->boards);
	if (flaws & CORE_MAP_EMPTY_CORES)
		findings_add(
			findings, "C09", FINDING_ERROR,
			"bring their CPUs online and start slurmd again, or use no io-cores on this node",
			"the machine shows cores without any CPU beside its %u: slurmd counts them and names CPUs that belong to others",
			core_map_core_count(work->map));
	if (flaws & CORE_MAP_NO_SOCKETS)
		findings_add(
			findings, "C04", flaws & CORE_MAP_SHIFTED ? FINDING_ERROR : FINDING_INFO,
			"take l3cache_as_socket or numa_node_as_socket out of SlurmdParameters",
			"the machine shows no object that slurmd could count as a socket: its CPU numbers stay as they are");
	if (flaws & CORE_MAP_ECORES_DROPPED)
		findings_add(findings, "C05", FINDING_INFO,
			     "SlurmdParameters=allow_ecores keeps them",
			     "slurmd leaves the efficiency cores of this machine out");
}

/* Return true if the record is what slurmctld makes of the line that slurmd -C prints. If CPUs are
 * not a multiple of cores it drops the rest (node.c:line_cpus()). */
static bool is_as_printed(const struct node *node, const struct core_map_shape *hw)
{
	return node->boards == hw->boards && node->sockets == hw->sockets &&
	       node->cores == hw->cores && node->threads == hw->threads &&
	       node->cpus == hw->sockets * hw->cores * hw->threads;
}

static void report_geometry(struct work *work)
{
	const struct node *node = work->node;
	const struct core_map_shape *hw = work->hw;

	if (!differs(work))
		return;
	findings_add(
		&work->out->findings, "C10", work->out->sound ? FINDING_WARNING : FINDING_ERROR,
		is_as_printed(node, hw)
			? "bring all CPUs of every core online, or turn SMT off; the node line is that of `slurmd -C`"
			: "write the geometry that `slurmd -C` prints",
		"the node record has CPUs=%u Boards=%u Sockets=%u CoresPerSocket=%u ThreadsPerCore=%u, slurmd finds CPUs=%u Boards=%u Sockets=%u CoresPerSocket=%u ThreadsPerCore=%u",
		node->cpus, node->boards, node->sockets, node->cores, node->threads, hw->cpus,
		hw->boards, hw->sockets, hw->cores, hw->threads);
}

static void report_reservation(struct work *work)
{
	struct reservation *out = work->out;
	char *list;

	if (!cpuset_is_empty(&out->shared_os_cpus)) {
		list = cpuset_format(&out->shared_os_cpus);
		findings_add(&out->findings, "C19", FINDING_ERROR,
			     "use no io-cores on this node until the other findings are resolved",
			     "slurmd gives the job CPUs that it also withholds: %s",
			     list ? list : "?");
		free(list);
	}
	if (work->cut)
		findings_add(
			&out->findings, "C07", FINDING_WARNING,
			"reserve fewer cores, or cores that lie together",
			"slurmd's list of reserved CPUs is longer than %d characters: its log and its registration are cut there, and slurmctld %s",
			RESERVATION_LOG_MAX,
			work->node->version >= VERSION_OF(23, 2, 0)
				? "sets the node down with the reason \"CoreSpec differ\""
				: "keeps back only what is left of it");
	else if (!work->slurmd_disabled && !cpuset_equal(&work->ctld_spec, &work->slurmd_spec))
		findings_add(
			&out->findings, "C18", FINDING_ERROR,
			"write the geometry that `slurmd -C` prints",
			"slurmctld and slurmd choose different cores for the spec set of this node");
}

/* slurmd.c:_spec_override, 25.05; slurmctld then uses what slurmd registers
 * (node_mgr.c:validate_node_specs), so its own record is right. */
static void report_override(struct work *work)
{
	const struct node *node = work->node;

	if (node->from_controller || node->version < VERSION_OF(25, 5, 0) ||
	    !strcasestr(node->task_plugin_param, "SlurmdSpecOverride"))
		return;
	findings_add(
		&work->out->findings, "C26", FINDING_WARNING,
		"ask slurmctld for the node's record (jobio cores without --node, on the node)",
		"TaskPluginParam=SlurmdSpecOverride: when slurmd is started in a cgroup without all CPUs, the missing CPUs are the spec set, not those of the node line: Slurm may reserve others than these");
}

/* Return true if these are all threads of as many real cores as Slurm counted, none of which the
 * job gets. */
static bool is_sound(const struct work *work)
{
	const struct reservation *out = work->out;
	struct cpuset rest = out->os_cpus;
	unsigned int cores = 0;
	int os_cpu;

	if (!cpuset_is_empty(&out->shared_os_cpus))
		return false;
	while ((os_cpu = cpuset_next(&rest, 0)) >= 0) {
		int core = core_map_core_of(work->map, (unsigned int)os_cpu);
		const struct cpuset *whole;

		if (core < 0)
			return false;
		whole = core_map_core(work->map, (unsigned int)core);
		if (!cpuset_is_subset(whole, &out->os_cpus))
			return false;
		cpuset_andnot(&rest, whole);
		cores++;
	}
	return cores == cpuset_count(&out->abs_cores);
}

static int check_input(const struct node *node, const struct core_map *map, struct err *err)
{
	unsigned long cores = (unsigned long)node->sockets * node->cores;

	if (!node->cpus || !node->sockets || !node->cores || !node->threads ||
	    !core_map_shape(map)->cpus)
		return err_set(err, "node '%s': the record has no geometry", node->name);
	if (cores * node->threads > CPUSET_MAX || cores > CPUSET_MAX)
		return err_set(err, "node '%s': %lu cores of %u threads: more than %d CPUs",
			       node->name, cores, node->threads, CPUSET_MAX);
	return 0;
}

int reservation_compute(const struct node *node, const struct core_map *map,
			const struct reservation_request *request, struct reservation *reservation,
			struct err *err)
{
	struct reservation out = {
		.possible = true,
		.sound = true,
		.is_spec_set = request->kind == RESERVATION_UNSET,
	};
	struct work work = { .node = node, .map = map, .out = &out };
	struct cpuset withheld;

	if (check_input(node, map, err) < 0)
		return -1;
	work.hw = core_map_shape(map);
	work.ctld = (struct view){ node->cpus, node->sockets, node->cores, node->threads };
	set_slurmd_view(&work);
	set_slurmd_spec(&work);
	set_ctld_spec(&work);
	apply_request(&work, request, &withheld);
	if (request->kind == RESERVATION_UNSET)
		withheld = work.slurmd_spec; /* what slurmd logs and confines */
	if (core_map_flaws(map) & CORE_MAP_FATAL) {
		cpuset_zero(&withheld);
		out.possible = out.sound = false;
	}
	map_cores(&work, &withheld);
	out.sound = out.sound && !work.slurmd_disabled && is_sound(&work);
	classify(&work);
	report_map(&work);
	report_geometry(&work);
	report_reservation(&work);
	report_override(&work);
	*reservation = out;
	return 0;
}

char *reservation_abs_cpus_text(const struct reservation *reservation)
{
	char *text = cpuset_format(&reservation->abs_cpus);

	if (text && reservation->is_spec_set && strlen(text) > RESERVATION_LOG_MAX)
		text[RESERVATION_LOG_MAX] = '\0';
	return text;
}

const char *reservation_class_name(enum reservation_class class)
{
	switch (class) {
	case RESERVATION_REGULAR:
		break;
	case RESERVATION_SPARSE:
		return "sparse";
	case RESERVATION_IRREGULAR:
		return "irregular";
	case RESERVATION_CONF_MISMATCH:
		return "conf_mismatch";
	case RESERVATION_FAILS:
		return "fails";
	}
	return "regular";
}

void reservation_free(struct reservation *reservation)
{
	findings_free(&reservation->findings);
}
