/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/judge.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "client/lustre/facts.h"
#include "client/lustre/layout.h"
#include "client/mounts.h"

#define NAMED_MAX 4 /* targets that a message lists; further ones are counted */

/* 8 to 24 were best for small I/O from one client, 1 and 128 worse; Lustre 2.15, 200 Gb/s (man
 * page, FIGURES). */
#define RPCS_LEAST 8
#define RPCS_MOST 24

static const struct lustre_facts *facts_of(const struct judge *judge)
{
	return lustre_facts_of(judge->client);
}

/* Return the profile's list of parameters; "": none. */
static const char *wanted(const struct judge *judge)
{
	return judge->desired && judge->desired->parameters ? judge->desired->parameters : "";
}

/* Set the mounts of filesystems: one instance each. */
static bool each_instance(struct judge *judge, size_t *at)
{
	const struct lustre_facts *facts = facts_of(judge);
	const struct lustre_instance *instance = &facts->instance[*at];

	if (*at == facts->instance_count)
		return false;
	++*at;
	judge->item = instance;
	judge->target = instance->filesystem;
	return true;
}

/* Report a finding of a filesystem once, even if it has several mounts. */
__attribute__((format(printf, 2, 3))) static void report_once(const struct judge *judge,
							      const char *format, ...)
{
	const struct findings *reported = judge->findings;
	char text[ERR_MAX];
	va_list args;
	size_t i;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (i = 0; i < reported->count; i++)
		if (!strcmp(reported->list[i].code, judge->rule->code) &&
		    !strcmp(reported->list[i].text, text))
			return;
	rule_report(judge, "%s", text);
}

/* ---- readable files ---------------------------------------------------- */

static void check_unreadable(const struct judge *judge)
{
	const struct lustre_facts *facts = facts_of(judge);

	if (facts->query.answer != QUERY_ANSWERED && facts->query.answer != QUERY_NOT_MADE)
		rule_report(judge, "its parameters cannot be read: %.300s", facts->query.why);
	else if (facts->unread)
		rule_report(judge, "the state of %zu of its %zu targets cannot be read: %s",
			    facts->unread, facts->target_count, facts->unread_why);
}

/* ---- targets --------------------------------------------------------------- */

/* Targets that pass a test: their number, the number of all, and the names of the first few. */
struct targets {
	size_t count, all;
	char names[160];
};

typedef bool (*target_test)(const struct lustre_target *target);

static void name_target(struct targets *found, const struct lustre_target *target, bool with_state)
{
	struct tree_device device = { .kind = target->kind, .index = target->index };
	size_t used = strlen(found->names);
	char name[16];

	if (found->count++ >= NAMED_MAX)
		return;
	snprintf(found->names + used, sizeof(found->names) - used,
		 with_state ? "%s%s (%s)" : "%s%s", used ? ", " : "", tree_target(&device, name),
		 target->state);
}

/* Report the targets of one kind that pass [test]. */
static void report_targets(const struct judge *judge, enum tree_kind kind, target_test test,
			   bool with_state, const char *what)
{
	const struct lustre_facts *facts = facts_of(judge);
	const struct lustre_instance *instance = judge->item;
	const struct lustre_target *target = facts->target;
	struct targets found = { 0 };

	for (; target < facts->target + facts->target_count; target++) {
		if (target->kind != kind || strcmp(target->instance, instance->name) != 0)
			continue;
		found.all++;
		if (test(target))
			name_target(&found, target, with_state);
	}
	if (found.count)
		report_once(judge, "%zu of the %zu %s of '%s' %s: %s%s", found.count, found.all,
			    kind == TREE_OSC ? "OSTs" : "MDTs", judge->target, what, found.names,
			    found.count > NAMED_MAX ? ", .." : "");
}

/* Return true if it is disconnected. An idle target is disconnected on purpose, and connects when
 * it is used. */
static bool is_away(const struct lustre_target *target)
{
	return target->active != 0 && *target->state && strcmp(target->state, "FULL") != 0 &&
	       strcmp(target->state, "IDLE") != 0;
}

static void check_import(const struct judge *judge)
{
	report_targets(judge, TREE_MDC, is_away, true, "are not connected");
	report_targets(judge, TREE_OSC, is_away, true, "are not connected");
}

static bool is_inactive(const struct lustre_target *target)
{
	return target->active == 0;
}

static void check_inactive(const struct judge *judge)
{
	report_targets(judge, TREE_MDC, is_inactive, false, "are deactivated on this node");
	report_targets(judge, TREE_OSC, is_inactive, false, "are deactivated on this node");
}

static bool has_one_rpc(const struct lustre_target *target)
{
	return target->rpcs == 1;
}

static void check_one_rpc(const struct judge *judge)
{
	report_targets(judge, TREE_OSC, has_one_rpc, false,
		       "get one RPC at a time (max_rpcs_in_flight=1)");
}

static bool has_odd_rpcs(const struct lustre_target *target)
{
	return target->rpcs > 1 && (target->rpcs < RPCS_LEAST || target->rpcs > RPCS_MOST);
}

static void check_rpcs(const struct judge *judge)
{
	report_targets(judge, TREE_OSC, has_odd_rpcs, false,
		       "have a max_rpcs_in_flight outside 8 to 24, which suits small I/O best");
}

static bool has_small_rpcs(const struct lustre_target *target)
{
	return target->pages > 0 && target->server_bytes > 0 &&
	       target->pages <= (target->server_bytes - 1) / getpagesize();
}

static void check_pages(const struct judge *judge)
{
	report_targets(judge, TREE_OSC, has_small_rpcs, false,
		       "get smaller RPCs than their servers take (max_pages_per_rpc)");
}

static bool has_checksums(const struct lustre_target *target)
{
	return target->checksums == 1;
}

/* After the profile was applied (desired->alone) the facts are out of date: its values are in
 * effect. */
static void check_checksums(const struct judge *judge)
{
	char value[8];

	if (options_get(wanted(judge), "osc.checksums", value, sizeof(value)) &&
	    !strcmp(value, "0") && !judge->desired->alone)
		report_targets(judge, TREE_OSC, has_checksums, false,
			       "have checksums on, which the profile does without");
}

/* ---- the mount ------------------------------------------------------------- */

static void check_read_ahead(const struct judge *judge)
{
	const struct lustre_instance *instance = judge->item;

	if (instance->ahead_mb == 0 || instance->ahead_file_mb == 0)
		report_once(judge, "'%s' reads nothing ahead (%s=0)", judge->target,
			    instance->ahead_mb == 0 ? "max_read_ahead_mb"
						    : "max_read_ahead_per_file_mb");
}

static void check_jobid(const struct judge *judge)
{
	const struct lustre_facts *facts = facts_of(judge);

	if (!strcmp(facts->jobid_var, "disable"))
		rule_report(
			judge,
			"its requests carry no job ID for the servers' job_stats (jobid_var=disable)");
}

static void check_tracking(const struct judge *judge)
{
	const struct lustre_instance *instance = judge->item;

	if (instance->tracked > 0)
		report_once(
			judge,
			"the counters of '%s' count one process or group alone, %ld (stats_track_*)",
			judge->target, instance->tracked);
}

/* For jobs that stream: the layout of the job's directory, or else the default of new files. */
static void check_folder(const struct judge *judge)
{
	if (layout_matters(judge->desired) && facts_of(judge)->folder_stripes == 1)
		rule_report(
			judge,
			"a new file in the job's directory '%.200s' is on one OST (stripe count 1)",
			judge->desired->work_dir);
}

static void check_stripes(const struct judge *judge)
{
	const struct lustre_instance *instance = judge->item;

	if (layout_matters(judge->desired) && facts_of(judge)->folder_stripes < 1 &&
	    instance->stripe_count == 1)
		report_once(
			judge,
			"a new file of '%s' is on one OST unless its directory has another layout (stripecount=1)",
			judge->target);
}

/* ---- LNet -------------------------------------------------------------------- */

static void check_nics(const struct judge *judge)
{
	const struct lustre_facts *facts = facts_of(judge);
	const struct lustre_nic *nic = facts->nic;

	for (; nic < facts->nic + facts->nic_count; nic++)
		if (nic->numa_node >= 0 && !cpuset_is_empty(&facts->cpt_cpus) &&
		    sysfs_has_cpu_on(&facts->cpt_cpus, nic->numa_node) == 0)
			rule_report(
				judge,
				"%s (%s) is on NUMA node %d, where none of Lustre's CPU partitions has a CPU",
				nic->interface, nic->nid, nic->numa_node);
}

static void check_down(const struct judge *judge)
{
	const struct lustre_facts *facts = facts_of(judge);
	const struct lustre_nic *nic = facts->nic;

	for (; nic < facts->nic + facts->nic_count; nic++)
		if (!strcmp(nic->status, "down"))
			rule_report(judge, "LNet's interface %s is down", nic->nid);
}

#define STRIPES_CURE "lfs setstripe -c N for the job's folder"

const struct rule lustre_rules[] = {
	{ "LU01", FINDING_ERROR,
	  "mount it, or leave this node out of nodes= of [client] in jobio.conf",
	  rule_check_no_mount, .reach = FINDING_OF_NODE },
	{ "LU02", FINDING_WARNING, "mount it, or correct mounts= in jobio.conf",
	  rule_check_missing_mount },
	{ "LU03", FINDING_WARNING,
	  "run it as root, with debugfs: mount -t debugfs none /sys/kernel/debug",
	  check_unreadable },
	{ "LU04", FINDING_ERROR,
	  "look at the network and at the servers: lctl get_param osc.*.import, mdc.*.import",
	  check_import, each_instance },
	{ "LU05", FINDING_WARNING, "lctl set_param osc.NAME.active=1 when the server is back",
	  check_inactive, each_instance },
	{ "LU06", FINDING_WARNING,
	  "look into the logs of the server and of this node: what was not yet written is lost" },
	{ "LU07", FINDING_WARNING, "lctl set_param osc.*.max_rpcs_in_flight=8, its default",
	  check_one_rpc, each_instance },
	{ "LU08", FINDING_INFO, "none, if intended", check_rpcs, each_instance },
	{ "LU09", FINDING_WARNING, "ask for io-cores or --exclusive", check_checksums,
	  each_instance },
	{ "LU10", FINDING_INFO, "osc.max_pages_per_rpc in the profile of jobs that stream",
	  check_pages, each_instance },
	{ "LU11", FINDING_WARNING,
	  "lctl set_param llite.*.max_read_ahead_mb=N and max_read_ahead_per_file_mb=N",
	  check_read_ahead, each_instance },
	{ "LU12", FINDING_INFO, "lctl set_param jobid_var=SLURM_JOB_ID when the node mounts Lustre",
	  check_jobid },
	{ "LU13", FINDING_WARNING, "lctl set_param llite.*.stats_track_pid=0, _ppid=0 and _gid=0",
	  check_tracking, each_instance },
	{ "LU14", FINDING_WARNING, "cpu_pattern of libcfs: a partition on the card's NUMA node",
	  check_nics },
	{ "LU15", FINDING_INFO, STRIPES_CURE, check_folder },
	{ "LU15", FINDING_INFO, STRIPES_CURE, check_stripes, each_instance },
	{ "LU16", FINDING_WARNING, "look at its cable and at lnetctl net show -v", check_down },
	/* reported by the functions that change the client */
	{ "LU40", FINDING_ERROR, "see dmesg, and lctl get_param of what it could not get" },
	{ "LU42", FINDING_ERROR, "lctl set_param the old value, or let the next job try again" },
	{ "LU43", FINDING_WARNING, "none, if intended" },
	{ "LU44", FINDING_ERROR, "see dmesg, or set core_change=never in jobio.conf" },
	{ "LU45", FINDING_ERROR, "write the old CPUs by hand, or let the next job try again" },
	{ "LU46", FINDING_INFO, "ask for io-cores or --exclusive", .reach = FINDING_OF_JOB },
	{ "LU47", FINDING_INFO, "none, if they may stay there" },
	{ "LU48", FINDING_WARNING, "none, if intended" },
	{ "LU49", FINDING_ERROR, "take it out of the profile in jobio.conf" },
	{ 0 }
};
