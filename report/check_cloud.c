/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_cloud.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/number.h"

#define SOON_S 60U
#define NAME_MAX_CHARS 256
#define LIST_MAX 4096

/* A setting of a record, with an end; false: it is not there. */
static bool setting(const char *line, const char *key, char *value, size_t size)
{
	const char *found = slurm_conf_setting(line, key);

	if (found)
		snprintf(value, size, "%.*s", (int)strcspn(found, " "), found);
	return found;
}

/* "r[01-16]n[1-4],x" is r01n1 and others. */
static void first_name(const char *list, char *name, size_t size)
{
	size_t length = 0;

	while (*list && *list != ',' && length < size - 1) {
		if (*list != '[') {
			name[length++] = *list++;
			continue;
		}
		for (list++;
		     length < size - 1 && *list && !strchr("-,]", *list);
		     list++)
			name[length++] = *list;
		list += strcspn(list, "]");
		list += *list == ']';
	}
	name[length] = '\0';
}

static bool is_soon(const struct doctor *doctor, const char *line)
{
	const char *all = slurm_conf_get(doctor->slurm, "SuspendTime");
	unsigned long seconds;
	char value[64];

	if (!setting(line, "SuspendTime", value, sizeof(value)))
		snprintf(value, sizeof(value), "%s", all ? all : "");
	return number_parse(value, 0, SOON_S - 1, &seconds, NULL) == 0;
}

/* Of several SuspendTime of its partitions the longest counts. */
static bool goes_soon(const struct doctor *doctor, const char *node)
{
	char nodes[LIST_MAX], value[64];
	bool soon = false, late = false;
	const char *name, *line;

	for (size_t i = 0; (line = slurm_conf_record(
				    doctor->slurm, "PartitionName", i, &name));
	     i++) {
		if (!setting(line, "Nodes", nodes, sizeof(nodes)) ||
		    (strcasecmp(nodes, "ALL") &&
		     !slurm_conf_in_list(nodes, node)))
			continue;
		if (setting(line, "PowerDownOnIdle", value, sizeof(value)) &&
		    slurm_conf_is_yes(value))
			return true;
		if (is_soon(doctor, line))
			soon = true;
		else
			late = true;
	}
	return soon && !late;
}

static void judge(const struct doctor *doctor, const char *nodes,
		  const char *node)
{
	bool soon = goes_soon(doctor, node);

	if (config_waits(doctor->config, node) ||
	    config_is_off(doctor->config, node, NULL, NULL))
		return;
	findings_add(doctor->findings, "J15",
		     soon ? FINDING_WARNING : FINDING_INFO,
		     "wait_nodes with them in [ledger], or jobio-send --flush "
		     "in SuspendProgram",
		     "slurm.conf: node %s has State=CLOUD%s: a record that "
		     "waits there for the ledger is lost with its disk",
		     nodes, soon ? " and is powered down after each job" : "");
}

void check_cloud(const struct doctor *doctor)
{
	const char *list, *line;
	char state[64], node[NAME_MAX_CHARS];

	for (size_t i = 0;
	     doctor->slurm &&
	     (line = slurm_conf_record(doctor->slurm, "NodeName", i, &list));
	     i++) {
		if (!setting(line, "State", state, sizeof(state)) ||
		    strcasecmp(state, "CLOUD"))
			continue;
		if (doctor->roles & ROLE_CTLD) {
			first_name(list, node, sizeof(node));
			judge(doctor, list, node);
		} else if (slurm_conf_in_list(list, doctor->host)) {
			judge(doctor, doctor->host, doctor->host);
		}
	}
}
