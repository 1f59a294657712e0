/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_names.h"

#include <string.h>

const char *const config_gates[] = { "off", "warn", "enforce", NULL };
const char *const config_types[] = { "weka", "lustre", "gpfs", "nfs", NULL };

int config_find_choice(const char *const *choices, const char *value)
{
	int i;

	for (i = 0; choices[i]; i++)
		if (!strcmp(choices[i], value))
			return i;
	return -1;
}

bool config_is_name(const char *text)
{
	size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-");

	return length > 0 && length <= PROFILE_NAME_MAX && !text[length] && text[0] != '-' &&
	       text[0] != '_';
}

const char *gate_policy_name(enum gate_policy policy)
{
	return config_gates[policy];
}

int gate_policy_parse(const char *text, enum gate_policy *policy)
{
	int choice = config_find_choice(config_gates, text);

	if (choice < 0)
		return -1;
	*policy = (enum gate_policy)choice;
	return 0;
}

const char *client_type_name(enum client_type type)
{
	return config_types[type];
}
