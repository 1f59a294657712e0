/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/config_keys.h"
#include "base/config_names.h"
#include "base/hostlist.h"
#include "base/text.h"

/* ---- words --------------------------------------------------------------- */

bool config_word(const char *list, size_t at, char word[CONFIG_WORD_MAX])
{
	static const char between[] = " \t,";
	size_t size;

	for (list += strspn(list, between); at && *list; at--) {
		list += strcspn(list, between);
		list += strspn(list, between);
	}
	size = strcspn(list, between);
	if (!size || size >= CONFIG_WORD_MAX)
		return false;
	memcpy(word, list, size);
	word[size] = 0;
	return true;
}

/* ---- profiles and clients ------------------------------------------------ */

/* Types that use a setting of a profile, even if only to refuse it; others ignore it. */
#define IS(type) (1U << (type))
#define AT(member) offsetof(struct config_profile, member)
static const struct setting {
	size_t offset;
	unsigned int types;
} settings[] = {
	{ AT(mount_options), IS(CLIENT_WEKA) | IS(CLIENT_LUSTRE) | IS(CLIENT_GPFS) },
	{ AT(nfs_options), IS(CLIENT_NFS) },
	{ AT(read_ahead_kb), IS(CLIENT_NFS) | IS(CLIENT_LUSTRE) },
	{ AT(parameters), IS(CLIENT_LUSTRE) },
	{ AT(mmconfig), IS(CLIENT_GPFS) },
};
#define SETTING_COUNT ARRAY_SIZE(settings)
#undef AT

struct config_profile *config_profile_in(struct config_profile list[], size_t count,
					 const char *name, const char *client)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(list[i].name, name) && !strcmp(list[i].client, client))
			return &list[i];
	return NULL;
}

const struct config_profile *config_profile_find(const struct config *config, const char *name)
{
	size_t i;

	for (i = 0; i < config->profile_count; i++)
		if (!strcmp(config->profiles[i].name, name))
			return &config->profiles[i];
	return NULL;
}

const char *config_profile_nearest(const struct config *config, const char *name)
{
	const char *nearest = NULL;
	size_t i, d, best = strlen(name) / 2 + 1;

	if (!config_is_name(name))
		return NULL;
	for (i = 0; i < config->profile_count; i++) {
		d = config_distance(name, config->profiles[i].name);
		if (d < best) {
			best = d;
			nearest = config->profiles[i].name;
		}
	}
	return nearest;
}

const struct config_profile *config_profile_for(const struct config *config, const char *name,
						const struct config_client *client)
{
	const struct config_profile *own =
		config_profile_in((struct config_profile *)config->client_profiles,
				  config->client_profile_count, name, client->name);

	return own ? own : config_profile_find(config, name);
}

const char *config_profile_options(const struct config_profile *profile,
				   const struct config_client *client)
{
	return client->type == CLIENT_NFS ? profile->nfs_options : profile->mount_options;
}

/* Return the types for which the profile has a setting. */
static unsigned int types_of(const struct config_profile *profile)
{
	unsigned int found = 0;
	size_t i;

	for (i = 0; i < SETTING_COUNT; i++)
		if (**(char *const *)((const char *)profile + settings[i].offset))
			found |= settings[i].types;
	return found;
}

bool config_profile_is_for(const struct config *config, const char *name,
			   const struct config_client *client)
{
	const struct config_profile *profile = config_profile_for(config, name, client);

	return profile && types_of(profile) & IS(client->type);
}

bool config_profile_is_empty(const struct config *config, const char *name)
{
	const struct config_profile *profile = config_profile_find(config, name);
	bool found = profile && types_of(profile);
	size_t i;

	for (i = 0; i < config->client_profile_count && !found; i++) {
		profile = &config->client_profiles[i];
		found = !strcmp(profile->name, name) && types_of(profile);
	}
	return !found;
}

bool config_has_node(const char *nodes, const char *node)
{
	return !strcasecmp(nodes, CONFIG_ALL) || hostlist_match(nodes, node) > 0;
}

/* Return true if both are of one type and claim the same mount. Without mounts= it is all. */
static bool claims_same(const struct config_client *a, const struct config_client *b)
{
	char ours[CONFIG_TEXT_MAX + 3], theirs[CONFIG_TEXT_MAX + 3], key[CONFIG_TEXT_MAX + 3];
	char *word, *state;

	if (a->type != b->type)
		return false;
	TEXT_SET(ours, a->mounts);
	snprintf(theirs, sizeof(theirs), " %s ", b->mounts);
	if (!*a->mounts || !*b->mounts)
		return true;
	for (word = strtok_r(ours, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
		snprintf(key, sizeof(key), " %.*s ", CONFIG_TEXT_MAX, word);
		if (strstr(theirs, key))
			return true;
	}
	return false;
}

const struct config_client *config_client_find(const struct config *config, const char *name)
{
	size_t i;

	for (i = 0; i < config->client_count; i++)
		if (!strcmp(config->clients[i].name, name))
			return &config->clients[i];
	return NULL;
}

size_t config_clients_for(const struct config *config, const char *node,
			  const struct config_client *list[CONFIG_CLIENTS_MAX])
{
	const struct config_client *client = config->clients;
	const struct config_client *end = client + config->client_count;
	size_t count = 0, i;

	for (; client < end; client++) {
		if (!config_has_node(client->nodes, node))
			continue;
		for (i = 0; i < count; i++)
			if (claims_same(list[i], client))
				break;
		if (i == count)
			list[count++] = client;
	}
	return count;
}

/* Return true if the partition is in [jobio] partitions. An empty list has all. */
static bool has_partition(const struct config *config, const char *name)
{
	char list[CONFIG_TEXT_MAX + 1];
	char *word, *state;

	if (!*config->partitions)
		return true;
	TEXT_SET(list, config->partitions);
	for (word = strtok_r(list, ", \t", &state); word; word = strtok_r(NULL, ", \t", &state))
		if (!strcmp(word, name))
			return true;
	return false;
}

/* Return the first of the job's partitions that is not the site's; NULL: there is none. */
static const char *foreign_partition(const struct config *config, const char *partitions,
				     char *name, size_t size)
{
	size_t length;

	if (!*config->partitions)
		return NULL;
	do {
		length = strcspn(partitions, ",");
		snprintf(name, size, "%.*s", (int)length, partitions);
		if (!has_partition(config, name))
			return name;
		partitions += length + (partitions[length] == ',');
	} while (*partitions);
	return NULL;
}

bool config_waits(const struct config *config, const char *node)
{
	return *config->ledger.host && config_has_node(config->ledger.wait_nodes, node);
}

bool config_is_off(const struct config *config, const char *node, const char *partitions,
		   struct err *why)
{
	char name[CONFIG_TEXT_MAX + 1];
	const char *foreign;

	if (config->enabled == SWITCH_NO) {
		err_set(why, "the site has switched jobio off (enabled=no)");
		return true;
	}
	if (node && !config_has_node(config->nodes, node)) {
		err_set(why, "the site does not use jobio on node %s yet (nodes=)", node);
		return true;
	}
	foreign = partitions ? foreign_partition(config, partitions, name, sizeof(name)) : NULL;
	if (!foreign)
		return false;
	if (*foreign)
		err_set(why, "the site does not use jobio in partition %s yet (partitions=)",
			foreign);
	else
		err_set(why, "the site uses jobio in partition %s only: name it with --partition",
			config->partitions);
	return true;
}

unsigned int config_restarts_ms(const struct config *config)
{
	const struct config_client *client = config->clients;
	unsigned int ms = 0;

	for (; client < config->clients + config->client_count; client++)
		if (client->core_change != CORE_CHANGE_NEVER &&
		    client->core_change != CORE_CHANGE_AFFINITY)
			ms += 2 * client->ready_timeout_ms;
	return ms;
}

static int put_root(struct config_client *client, const struct key *keys, const char *root,
		    bool all)
{
	char **path, *whole;

	for (; keys->name; keys++) {
		path = (char **)((char *)client + keys->offset);
		if ((keys->kind != PATH && keys->kind != FIXED_PATH) ||
		    (!all && strcmp(*path, keys->initial) != 0))
			continue;
		if (asprintf(&whole, "%s%s", root, *path) < 0)
			return -1;
		free(*path);
		*path = whole;
	}
	return 0;
}

/* Set a path to a file in the directory of mount_table. */
static int set_beside(const struct config_client *client, char **path, const char *name)
{
	const char *slash = strrchr(client->mount_table, '/');
	char *whole;

	if (asprintf(&whole, "%.*s/%s", (int)(slash - client->mount_table), client->mount_table,
		     name) < 0)
		return -1;
	free(*path);
	*path = whole;
	return 0;
}

int config_set_root(struct config_client *client, const char *root, bool all)
{
	if (put_root(client, config_client_keys, root, all) < 0 ||
	    put_root(client, config_type_keys[client->type], root, all) < 0)
		return -1;
	return set_beside(client, &client->mountinfo, "mountinfo") < 0 ||
			       set_beside(client, &client->mountstats, "mountstats") < 0
		       ? -1
		       : 0;
}
