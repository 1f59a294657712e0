/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/settings.h"

#include "client/client.h"
#include "lib/json.h"

static void add_client(struct json *list, const struct config *config, const char *name,
		       const struct config_client *client)
{
	const struct config_profile *profile = config_profile_for(config, name, client);
	const char *options = config_profile_options(profile, client);
	struct json *o = json_append_object(list);
	struct findings refused = { 0 };

	client_judge_profile(client, profile, &refused);
	json_add_text(o, "name", client->name);
	json_add_text(o, "mount_options", options ? options : "");
	json_add_bool(o, "refused", refused.count > 0);
	findings_free(&refused);
}

static void add_profile(struct json *list, const struct config *config,
			const struct config_profile *profile)
{
	struct json *o = json_append_object(list), *clients;
	size_t i;

	json_add_text(o, "name", profile->name);
	json_add_number(o, "io_cores", profile->io_cores);
	json_add_text(o, "mount_options", profile->mount_options);
	clients = json_add_list(o, "clients");
	for (i = 0; i < config->client_count; i++)
		add_client(clients, config, profile->name, &config->clients[i]);
}

void settings_put(const struct config *config, FILE *out)
{
	struct json *top = json_new_object(), *list;
	size_t i;

	json_add_bool(top, "ok", true);
	json_add_number(top, "io_cores_min", config->io_cores_min);
	json_add_number(top, "io_cores_max", config->io_cores_max);
	json_add_number(top, "io_cores_default", config->io_cores_default);
	json_add_text(top, "profile_default", config->profile_default);
	json_add_text(top, "ledger_user", config->ledger.user);
	json_add_number(top, "grace_s", config->ledger.grace_s);
	json_add_number(top, "send_timeout_ms", config->ledger.send_timeout_ms);
	list = json_add_list(top, "profiles");
	for (i = 0; i < config->profile_count; i++)
		add_profile(list, config, &config->profiles[i]);
	fprintf(out, "%s\n", json_line(top));
	json_free(top);
}
