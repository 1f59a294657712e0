/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/check_role.h"

#include <string.h>

#include "lib/hostlist.h"

static const char *const names[] = { "login", "node", "ctld", "ledger" };
#define ROLE_COUNT (sizeof(names) / sizeof(names[0]))

static unsigned int role_named(const char *word, size_t length)
{
	for (size_t i = 0; i < ROLE_COUNT; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], word, length))
			return 1U << i;
	return 0;
}

int check_role_parse(const char *list, unsigned int *roles, struct err *err)
{
	unsigned int found = 0, role;
	size_t length;

	for (; *list; list += length + (list[length] == ',')) {
		length = strcspn(list, ",");
		role = role_named(list, length);
		if (!role)
			return err_set(err, "--role: '%.*s': expected login, node, ctld or ledger",
				       (int)length, list);
		found |= role;
	}
	*roles = found;
	return 0;
}

static bool has_node_line(const struct doctor *doctor)
{
	const char *name;

	for (size_t i = 0; doctor->slurm && slurm_conf_record(doctor->slurm, "NodeName", i, &name);
	     i++)
		if (hostlist_match(name, doctor->host) > 0)
			return true;
	return false;
}

/* SlurmctldHost=NAME or NAME(ADDRESS), one line for each; ControlMachine until
 * 22.05. */
static bool is_controller(const struct doctor *doctor)
{
	static const char *const keys[] = { "SlurmctldHost", "ControlMachine" };
	size_t length = strlen(doctor->host);
	const char *value;

	for (size_t k = 0; doctor->slurm && k < 2; k++)
		for (size_t i = 0; (value = slurm_conf_nth(doctor->slurm, keys[k], i)); i++)
			if (!strncmp(value, doctor->host, length) && strchr("(,", value[length]))
				return true;
	return false;
}

unsigned int check_role_find(const struct doctor *doctor)
{
	unsigned int roles = 0;

	if (has_node_line(doctor) || doctor_runs(doctor, "slurmd"))
		roles |= ROLE_NODE;
	if (is_controller(doctor) || doctor_runs(doctor, "slurmctld"))
		roles |= ROLE_CTLD;
	if (doctor_runs(doctor, "jobio-ledgerd"))
		roles |= ROLE_LEDGER;
	return roles ? roles : ROLE_LOGIN;
}

const char *check_role_name(unsigned int roles, unsigned int index)
{
	for (size_t i = 0; i < ROLE_COUNT; i++)
		if (roles & 1U << i && !index--)
			return names[i];
	return NULL;
}
