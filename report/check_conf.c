/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_conf.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "client/client.h"
#include "lib/number.h"

/* ---- the file ------------------------------------------------------------- */

/* Root, or SlurmUser, whose slurm.conf names programs that root runs anyway. */
static bool is_trusted(const struct doctor *doctor, uid_t uid)
{
	const char *user = doctor->slurm ? slurm_conf_get(doctor->slurm, "SlurmUser") : NULL;
	const struct passwd *pw = user ? getpwnam(user) : NULL;

	return uid == 0 || (pw && uid == pw->pw_uid);
}

static void check_file(const struct doctor *doctor)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s%s", doctor->root, doctor->conf);
	if (stat(path, &st) < 0)
		return;
	if (!is_trusted(doctor, st.st_uid) || st.st_mode & 022)
		findings_add(
			doctor->findings, "J04", FINDING_ERROR, "chown root:root and chmod 644",
			"%s: uid %u owns it, mode %03o: others than root may write it, and root runs the commands that it names",
			doctor->conf, st.st_uid, st.st_mode & 0777);
	if (!(st.st_mode & 004))
		findings_add(
			doctor->findings, "J05", FINDING_ERROR, "chmod 644",
			"%s: mode %03o: sbatch of a user cannot read it and refuses --io-cores and --io-profile",
			doctor->conf, st.st_mode & 0777);
}

/* ---- profiles against clients ----------------------------------------------- */

static void judge_profile(const struct doctor *doctor, const struct config_profile *profile,
			  const struct config_client *section)
{
	static const char end[] = "; the profile was not applied";
	struct findings refused = { 0 };
	char *cut;

	client_judge_profile(section, profile, &refused);
	for (size_t i = 0; i < refused.count; i++) {
		cut = strstr(refused.list[i].text, end);
		if (cut)
			*cut = '\0';
		findings_add(doctor->findings, "J06", FINDING_ERROR,
			     "correct the profile: jobs would run without it",
			     "[profile %s] on [client %s]: %s", profile->name, section->name,
			     refused.list[i].text);
	}
	findings_free(&refused);
}

static void check_profile(const struct doctor *doctor, const char *name)
{
	const struct config *config = doctor->config;
	const struct config_profile *profile;
	bool is_taken = false;

	for (size_t i = 0; i < config->client_count; i++) {
		profile = config_profile_for(config, name, &config->clients[i]);
		is_taken |= config_profile_is_for(config, name, &config->clients[i]);
		judge_profile(doctor, profile, &config->clients[i]);
	}
	if (!is_taken && !config_profile_is_empty(config, name))
		findings_add(
			doctor->findings, "J07", FINDING_WARNING,
			"give it settings of a client that the site has",
			"[profile %s]: no [client] here is of a type that takes its settings: jobs run without it",
			name);
}

/* ---- numbers ---------------------------------------------------------------- */

static unsigned int spec_cores(const struct node *node)
{
	unsigned int total = node->sockets * node->cores;
	unsigned int unit = total >= node->cpus ? 1 : node->threads;

	if (!node->has_spec_list)
		return node->core_spec_count;
	return cpuset_count(&node->spec_list) / (unit ? unit : 1);
}

static void check_bounds(const struct doctor *doctor)
{
	const struct node *node = &doctor->state.node;
	const struct config *config = doctor->config;
	unsigned int cores = node->sockets * node->cores, spec;

	if (!doctor->has_node)
		return;
	spec = spec_cores(node);
	if (config->io_cores_max >= cores)
		findings_add(
			doctor->findings, "J08", FINDING_WARNING,
			"a smaller io_cores_max in [option]",
			"jobio.conf: io_cores_max=%u, and this node has %u cores: a job that asks for all of them can never start there",
			config->io_cores_max, cores);
	if (doctor->fixed_cores > config->io_cores_min)
		findings_add(
			doctor->findings, "J09", FINDING_ERROR,
			"io_cores_min in [option] as large as the largest client of all nodes",
			"jobio.conf: io_cores_min=%u, and the client of this node has %u cores: a job that asks for fewer is given cores on which it polls",
			config->io_cores_min, doctor->fixed_cores);
	else if (spec > config->io_cores_min)
		findings_add(
			doctor->findings, "J09", FINDING_WARNING,
			"io_cores_min in [option] as large as the spec set",
			"jobio.conf: io_cores_min=%u, and this node reserves %u cores: a job that asks for fewer is given the client's, and gate=enforce does not start it",
			config->io_cores_min, spec);
}

/* PrologEpilogTimeout; 0: Slurm waits for as long as it takes. */
static unsigned long hook_limit_s(const struct doctor *doctor)
{
	const char *value =
		doctor->slurm ? slurm_conf_get(doctor->slurm, "PrologEpilogTimeout") : NULL;
	unsigned long seconds;

	return value && number_parse(value, 1, 65533, &seconds, NULL) == 0 ? seconds : 0;
}

static void check_limit(const struct doctor *doctor, unsigned int ms, const char *cure,
			const char *key, const char *what)
{
	unsigned long seconds = hook_limit_s(doctor);

	if (seconds && ms > seconds * 500)
		findings_add(doctor->findings, "J13", FINDING_WARNING, cure,
			     "slurm.conf: PrologEpilogTimeout=%lu, and jobio.conf: %s=%u%s",
			     seconds, key, ms, what);
}

static void check_limits(const struct doctor *doctor)
{
	const struct config *config = doctor->config;

	if (doctor->roles & (ROLE_NODE | ROLE_CTLD))
		check_limit(
			doctor, config->prolog_budget_ms,
			"PrologEpilogTimeout of twice prolog_budget_ms at least",
			"prolog_budget_ms",
			": Slurm may end a prolog, and drain the node, before jobio gives up by itself");
	if (config_waits(config, doctor->host))
		check_limit(
			doctor, config->ledger.send_timeout_ms,
			"PrologEpilogTimeout of twice send_timeout_ms at least", "send_timeout_ms",
			" with wait_nodes: Slurm may end an epilog, and drain the node, while it waits for the ledger");
}

/* ---- where it is in use ------------------------------------------------------ */

static bool is_partition(const struct doctor *doctor, const char *name)
{
	const char *known;

	for (size_t i = 0; slurm_conf_record(doctor->slurm, "PartitionName", i, &known); i++)
		if (!strcmp(known, name))
			return true;
	return false;
}

static void check_partitions(const struct doctor *doctor)
{
	const char *list = doctor->config->partitions;
	char name[256];
	size_t length;

	for (; doctor->slurm && *list; list += length) {
		list += strspn(list, ", \t");
		length = strcspn(list, ", \t");
		snprintf(name, sizeof(name), "%.*s", (int)length, list);
		if (length && !is_partition(doctor, name))
			findings_add(
				doctor->findings, "J11", FINDING_ERROR,
				"names of slurm.conf's partitions",
				"jobio.conf: partitions: '%s': slurm.conf has no such partition",
				name);
	}
}

static void check_use(const struct doctor *doctor)
{
	const struct config *config = doctor->config;
	struct err why;

	if (config_is_off(config, doctor->roles & ROLE_NODE ? doctor->host : NULL, NULL, &why))
		findings_add(doctor->findings, "J10", FINDING_INFO,
			     "enabled=yes, and nodes= with this node, in [jobio]",
			     "jobio does nothing on this host: %s",
			     config->enabled == SWITCH_NO ? "enabled=no" : "nodes= leaves it out");
	else if (*config->partitions)
		findings_add(doctor->findings, "J12", FINDING_INFO,
			     "partitions= in [jobio], empty for all",
			     "jobio is in use in partition %s only", config->partitions);
	check_partitions(doctor);
}

/* Where reports are read, and added up: advice does without it, and says so each
 * time. */
static void check_calibration(const struct doctor *doctor)
{
	struct config *config = doctor->config;
	struct err err;

	if ((doctor->roles & (ROLE_LOGIN | ROLE_LEDGER)) && config_calibrate(config, &err) < 0)
		findings_add(doctor->findings, "J14", FINDING_WARNING,
			     "copy the advice.conf of jobio calibrate there, or take the key out",
			     "%s", err.text);
}

void check_conf(const struct doctor *doctor)
{
	const struct config *config = doctor->config;

	check_file(doctor);
	check_use(doctor);
	for (size_t i = 0; i < config->profile_count; i++)
		check_profile(doctor, config->profiles[i].name);
	check_calibration(doctor);
	if (doctor->roles & ROLE_NODE)
		check_bounds(doctor);
	check_limits(doctor);
}
