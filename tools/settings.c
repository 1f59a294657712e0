/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/settings.h"

#include "base/config_names.h"
#include "base/config_query.h"
#include "client/client.h"

static void add_ledger(struct json *top, const struct config_ledger *ledger)
{
	struct json *object = json_add_object(top, "ledger");

	json_add_text(object, "host", ledger->host);
	json_add_number(object, "port", ledger->port);
	json_add_text(object, "user", ledger->user);
	json_add_text(object, "store", ledger->store);
	json_add_text(object, "storage_pass_file", ledger->storage_pass_file);
	json_add_text(object, "cluster", ledger->cluster);
	json_add_number(object, "grace_s", ledger->grace_s);
	json_add_number(object, "send_timeout_ms", ledger->send_timeout_ms);
	json_add_text(object, "wait_nodes", ledger->wait_nodes);
}

/* Add the settings of a profile for this client. */
static void add_profile_client(struct json *one, const struct config *config, const char *name,
			       const struct config_client *client)
{
	const struct config_profile *profile = config_profile_for(config, name, client);
	const char *options = config_profile_options(profile, client);
	struct json *list = json_add_list(one, "refused");
	struct findings refused = { 0 };
	size_t i;

	client_judge_profile(client, profile, &refused);
	json_add_text(one, "name", client->name);
	json_add_text(one, "mount_options", options ? options : "");
	json_add_bool(one, "used", config_profile_is_for(config, name, client));
	for (i = 0; i < refused.count; i++)
		json_append_text(list, refused.list[i].text);
	findings_free(&refused);
}

static void add_profile(struct json *one, const struct config *config,
			const struct config_profile *profile)
{
	struct json *list;
	size_t i;

	json_add_text(one, "name", profile->name);
	json_add_number(one, "io_cores", profile->io_cores);
	json_add_text(one, "mount_options", profile->mount_options);
	json_add_bool(one, "empty", config_profile_is_empty(config, profile->name));
	list = json_add_list(one, "clients");
	for (i = 0; i < config->client_count; i++)
		add_profile_client(json_append_object(list), config, profile->name,
				   &config->clients[i]);
}

void settings_add(struct json *top, const struct config *config)
{
	struct json *list, *one;
	size_t i;

	json_add_bool(top, "enabled", config->enabled == SWITCH_YES);
	json_add_text(top, "nodes", config->nodes);
	json_add_text(top, "partitions", config->partitions);
	json_add_text(top, "gate", gate_policy_name(config->gate));
	json_add_bool(top, "offers",
		      config->gate != GATE_OFF || config->has_option || config->profile_count);
	json_add_text(top, "run_dir", config->run_dir);
	json_add_text(top, "spool_dir", config->spool_dir);
	json_add_number(top, "spool_max_records", config->spool_max_records);
	json_add_number(top, "prolog_budget_ms", config->prolog_budget_ms);
	json_add_number(top, "io_cores_min", config->io_cores_min);
	json_add_number(top, "io_cores_max", config->io_cores_max);
	json_add_number(top, "io_cores_default", config->io_cores_default);
	json_add_text(top, "profile_default", config->profile_default);
	add_ledger(top, &config->ledger);
	list = json_add_list(top, "clients");
	for (i = 0; i < config->client_count; i++) {
		one = json_append_object(list);
		json_add_text(one, "name", config->clients[i].name);
		json_add_text(one, "type", client_type_name(config->clients[i].type));
		json_add_text(one, "nodes", config->clients[i].nodes);
	}
	list = json_add_list(top, "profiles");
	for (i = 0; i < config->profile_count; i++)
		add_profile(json_append_object(list), config, &config->profiles[i]);
}
