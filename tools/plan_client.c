/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/plan_client.h"

#include <stdio.h>
#include <string.h>

#include "base/config_load.h"
#include "base/config_query.h"
#include "client/client.h"
#include "cores/locality.h"

#define BUDGET_MS 20000

static int inspect(struct plan_client *found, const struct config_client *section, struct err *err)
{
	struct client *client = client_open(section, NULL, NULL);
	int rc = client_inspect(client, BUDGET_MS, err);

	if (rc == 0) {
		client_nics(client, &found->nics);
		found->type = client_facts(client)->type;
		if (client_facts(client)->fixed_cores || client_facts(client)->containers > 1)
			found->fixed = client_facts(client)->frontend_cpus;
	}
	client_close(client);
	return rc;
}

/* Find the NUMA nodes of the NICs, each once, in the order of the NICs. */
static int find_domains(struct plan_client *client, const char *xml, struct err *err)
{
	struct cpuset seen = { 0 };
	size_t i;

	client->numa_node = -1;
	for (i = 0; i < client->nics.count; i++) {
		int node = client->nics.nic[i].numa_node;

		if (node < 0 || cpuset_has(&seen, (unsigned int)node))
			continue;
		cpuset_add(&seen, (unsigned int)node);
		if (locality_of_node(xml, node, &client->domain[client->domain_count], err) < 0)
			return err_prefix(err, "card %s", client->nics.nic[i].name);
		if (!client->domain_count++)
			client->numa_node = node;
	}
	return 0;
}

int plan_client_find(struct plan_client *client, const char *name, const char *conf,
		     const char *xml, struct err *err)
{
	struct config *config = config_load(conf, err);
	const struct config_client *section;
	int rc = -1;

	if (!config)
		return -1;
	memset(client, 0, sizeof(*client));
	section = config_client_find(config, name);
	if (!section)
		err_set(err, "--client: '%s': jobio.conf has no [client %s]", name, name);
	else
		rc = inspect(client, section, err);
	if (rc == 0) {
		snprintf(client->name, sizeof(client->name), "%s", name);
		rc = find_domains(client, xml, err);
	}
	config_free(config);
	return rc;
}

const char *plan_client_nics(const struct plan_client *client, char text[PLAN_CLIENT_TEXT_MAX])
{
	size_t i, used = 0;

	*text = '\0';
	for (i = 0; i < client->nics.count; i++)
		used += (size_t)snprintf(text + used, PLAN_CLIENT_TEXT_MAX - used, "%s%s",
					 i ? "," : "", client->nics.nic[i].name);
	return text;
}
