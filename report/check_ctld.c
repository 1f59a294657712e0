/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_ctld.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/alloc.h"
#include "lib/child.h"
#include "report/program.h"

#define ASK_MS 5000U
#define OUTPUT_MAX (64U << 20) /* a node is about 1 KB */

/* "Key                     = value", as scontrol prints it; caller frees. */
static char *value_of(const char *text, const char *key)
{
	size_t length = strlen(key);
	const char *line = text, *value;

	for (; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncasecmp(line, key, length) != 0 ||
		    (line[length] != ' ' && line[length] != '['))
			continue;
		value = strstr(line, " = ");
		if (value)
			return xneed(strndup(value + 3, strcspn(value + 3, "\n")));
	}
	return NULL;
}

/* Is each word of the file in what slurmctld says, which adds words and sorts
 * them? */
static bool has_all(const char *loaded, const char *words)
{
	size_t length;

	for (; *words; words += length + (words[length] == ',')) {
		char word[256];

		length = strcspn(words, ",");
		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (!strcasestr(loaded, word))
			return false;
	}
	return true;
}

/* scontrol prints a switch as Yes or No, until 22.05 as 1 or 0. */
static bool is_same(const struct doctor *doctor, const char *key, const char *file,
		    const char *loaded)
{
	if (!strcmp(key, "AllowSpecResourcesUsage"))
		return slurm_conf_is(doctor->slurm, key, false) ==
		       (!strcasecmp(loaded, "yes") || !strcmp(loaded, "1"));
	return has_all(loaded, file);
}

static void compare(const struct doctor *doctor, const char *text, const char *key)
{
	const char *file = slurm_conf_nth(doctor->slurm, key, 0);
	char *loaded = value_of(text, key);

	if (loaded && file && !is_same(doctor, key, file, loaded))
		findings_add(
			doctor->findings, "S20", FINDING_ERROR,
			"scontrol reconfigure; where that does not help, start slurmctld and slurmd again",
			"slurm.conf: %s=%s, and slurmctld runs with %s: the change was not taken over",
			key, file, loaded);
	free(loaded);
}

/* What slurmctld says of "config" or of "nodes", a line each; NULL, and a finding;
 * caller frees. */
static char *ask(const struct doctor *doctor, const char *what)
{
	char conf[PATH_MAX + 16], scontrol[PROGRAM_PATH], *text = NULL;
	char *argv[] = { scontrol, (char *)"-ao", (char *)"show", (char *)what, NULL };
	char *env[] = { conf, NULL };
	struct child_result result = { 0 };
	struct err err;

	if (program_find("scontrol", scontrol, NULL) < 0)
		return NULL;
	snprintf(conf, sizeof(conf), "SLURM_CONF=%s", doctor->slurm_conf_path);
	if (child_run_big(argv, env, ASK_MS, OUTPUT_MAX, &result, &err) == 0) {
		if (!result.status)
			text = xstrdup(result.out);
		err_set(&err, "%s show %s: exit status %d: %.*s", scontrol, what, result.status,
			(int)strcspn(result.errtext, "\n"), result.errtext);
		child_result_free(&result);
	}
	if (!text)
		findings_add(doctor->findings, "S21", FINDING_ERROR,
			     "start slurmctld, or open its port (6817) for this host",
			     "slurmctld does not answer: %s", err.text);
	return text;
}

/* ---- nodes of jobio.conf ------------------------------------------------------- */

/* Not empty, and not ALL. */
static bool names_nodes(const char *list)
{
	return *list && !config_has_node(list, "");
}

static void check_nodes(const struct doctor *doctor, const char *nodes, const char *section,
			const char *name, const char *key, const char *list)
{
	char node[256];
	bool found = !names_nodes(list);

	for (; nodes && !found; nodes = strchr(nodes, '\n')) {
		nodes += *nodes == '\n';
		found = sscanf(nodes, "NodeName=%255s", node) == 1 && config_has_node(list, node);
	}
	if (!found)
		findings_add(doctor->findings, "J15", FINDING_ERROR,
			     "names of Slurm's nodes: sinfo --all --Node",
			     "jobio.conf: [%s%s] %s: '%s': slurmctld has no such node", section,
			     name, key, list);
}

static void check_lists(const struct doctor *doctor)
{
	const struct config *config = doctor->config;
	bool asks = names_nodes(config->nodes) || names_nodes(config->ledger.wait_nodes);
	char *nodes;
	size_t i;

	for (i = 0; i < config->client_count; i++)
		asks |= names_nodes(config->clients[i].nodes);
	nodes = asks ? ask(doctor, "nodes") : NULL;
	if (!nodes)
		return;
	check_nodes(doctor, nodes, "jobio", "", "nodes", config->nodes);
	check_nodes(doctor, nodes, "ledger", "", "wait_nodes", config->ledger.wait_nodes);
	for (i = 0; i < config->client_count; i++)
		check_nodes(doctor, nodes, "client ", config->clients[i].name, "nodes",
			    config->clients[i].nodes);
	free(nodes);
}

void check_ctld(const struct doctor *doctor)
{
	static const char *const keys[] = {
		"SelectType", "AllowSpecResourcesUsage", "PrologFlags", "Prolog", "Epilog",
		"TaskPlugin",
	};
	char *text;

	if (*doctor->root || !doctor->slurm)
		return;
	text = ask(doctor, "config");
	for (size_t i = 0; text && i < sizeof(keys) / sizeof(keys[0]); i++)
		compare(doctor, text, keys[i]);
	if (text && doctor->config)
		check_lists(doctor);
	free(text);
}
