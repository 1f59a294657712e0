/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/nic.h"

#include <stdio.h>
#include <string.h>

static struct client_nic *find_nic(struct client_nics *nics, const char *name)
{
	size_t i;

	for (i = 0; i < nics->count; i++)
		if (!strcmp(nics->nic[i].name, name))
			return &nics->nic[i];
	return NULL;
}

void nic_add(struct client_nics *nics, const char *name, int numa_node, const char *serves)
{
	struct client_nic *nic = find_nic(nics, name);
	size_t used;

	if (!nic) {
		if (nics->count == CLIENT_NICS_MAX || !*name || strlen(name) >= sizeof(nic->name))
			return;
		nic = &nics->nic[nics->count++];
		memset(nic, 0, sizeof(*nic));
		strcpy(nic->name, name);
		nic->numa_node = numa_node;
	}
	used = strlen(nic->serves);
	if (used + strlen(serves) + 2 <= sizeof(nic->serves))
		snprintf(nic->serves + used, sizeof(nic->serves) - used, "%s%s", used ? "," : "",
			 serves);
}
