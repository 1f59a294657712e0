/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/config_check.h"

/* Check keys that depend on each other. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/config_keys.h"
#include "base/config_names.h"
#include "base/config_query.h"
#include "base/number.h"
#include "base/text.h"
#include "base/variables.h"

#define READ_AHEAD_KB_MAX 1048576
#define SCHEMA_MAX 64 /* bytes of a schema's name in MariaDB */

static int wrong(struct config *config, struct err *err, const char *key, const char *value,
		 const char *why)
{
	return err_set(err, "%s: %s: '%s': %s", config->file, key, value, why);
}

#define PROFILE_KEY_MAX 128

static void profile_key(const struct config_profile *profile, const char *key,
			char text[PROFILE_KEY_MAX])
{
	snprintf(text, PROFILE_KEY_MAX, "[profile %s%s%s] %s", profile->name,
		 *profile->client ? ":" : "", profile->client, key);
}

static int check_read_ahead(struct config *config, const struct config_profile *profile,
			    struct err *err)
{
	unsigned long number;
	char key[PROFILE_KEY_MAX];

	profile_key(profile, "read_ahead_kb", key);
	if (*profile->read_ahead_kb &&
	    number_parse(profile->read_ahead_kb, 0, READ_AHEAD_KB_MAX, &number, NULL) < 0)
		return wrong(config, err, key, profile->read_ahead_kb,
			     "expected a number from 0 to 1048576");
	return 0;
}

static int check_environment(struct config *config, const struct config_profile *profile,
			     struct err *err)
{
	char key[PROFILE_KEY_MAX], word[VARIABLES_MAX];
	struct err why = { "" };

	profile_key(profile, "environment", key);
	if (variables_check(profile->environment, word, &why) < 0)
		return wrong(config, err, key, word, why.text);
	return 0;
}

/* A client with cores of its own is given others; one without can be bound to CPUs. */
static int check_core_change(struct config *config, struct err *err)
{
	const struct config_client *client;
	char key[80];
	size_t i;

	for (i = 0; i < config->client_count; i++) {
		client = &config->clients[i];
		snprintf(key, sizeof(key), "[client %s] core_change", client->name);
		if (client->type == CLIENT_WEKA && client->core_change == CORE_CHANGE_AFFINITY)
			return wrong(
				config, err, key, "affinity",
				"a WEKA client has cores of its own: expected never, grow or any");
	}
	return 0;
}

/* Return the NFS client of a site without another type that has mount options; else NULL. */
static const struct config_client *only_nfs(const struct config *config)
{
	const struct config_client *found = NULL;
	size_t i;

	for (i = 0; i < config->client_count; i++) {
		if (config->clients[i].type == CLIENT_WEKA)
			return NULL;
		if (!found && config->clients[i].type == CLIENT_NFS)
			found = &config->clients[i];
	}
	return found;
}

/* Options that can be changed on a mounted filesystem: fs/nfs/super.c:nfs_reconfigure() and those
 * of the VFS itself; seen on 5.10, 6.1 and 6.12. */
static bool is_live_option(const char *word)
{
	static const char *const words[] = { "sync",	    "async",	  "noatime",  "relatime",
					     "strictatime", "nodiratime", "diratime", NULL };

	return config_find_choice(words, word) >= 0;
}

static int refuse_option(struct config *config, const char *key, const char *word,
			 const struct config_client *nfs, struct err *err)
{
	char target[CONFIG_WORD_MAX];
	struct err why;

	if (!config_word(nfs->mounts, 0, target))
		strcpy(target, "MOUNT_POINT");
	err_set(&why,
		"a remount of NFS changes sync, async, noatime, relatime, strictatime, nodiratime and diratime only; in /etc/fstab: SERVER:/EXPORT %s nfs defaults,%s 0 0",
		target, word);
	return wrong(config, err, key, word, why.text);
}

/* Set nfs_options; with 'nfs' all others are refused. */
static int check_nfs_options(struct config *config, struct config_profile *profile,
			     const struct config_client *nfs, struct err *err)
{
	char copy[CONFIG_TEXT_MAX + 1], kept[CONFIG_TEXT_MAX + 2] = "";
	char key[PROFILE_KEY_MAX], *word, *rest = NULL;

	profile_key(profile, "mount_options", key);
	TEXT_SET(copy, profile->mount_options);
	for (word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (is_live_option(word)) {
			strcat(kept, *kept ? "," : "");
			strcat(kept, word);
		} else if (nfs) {
			return refuse_option(config, key, word, nfs, err);
		}
	}
	profile->nfs_options = strdup(kept);
	return profile->nfs_options ? 0 : err_set(err, "out of memory");
}

/* Check the settings of any section of a profile. nfs: it is for this client only. */
static int check_settings(struct config *config, struct config_profile *profile,
			  const struct config_client *nfs, struct err *err)
{
	if (check_read_ahead(config, profile, err) < 0)
		return -1;
	return check_nfs_options(config, profile, nfs, err);
}

/* [profile NAME:CLIENT]: both must exist, and its keys must be those of a client. */
static int check_client_profiles(struct config *config, struct err *err)
{
	struct config_profile *profile;
	char key[PROFILE_KEY_MAX];
	size_t i, k;

	for (i = 0; i < config->client_profile_count; i++) {
		profile = &config->client_profiles[i];
		profile_key(profile, "", key);
		key[strlen(key) - 1] = '\0';
		for (k = 0; k < config->client_count; k++)
			if (!strcmp(config->clients[k].name, profile->client))
				break;
		if (k == config->client_count)
			return wrong(config, err, key, profile->client, "no such [client]");
		if (!config_profile_find(config, profile->name))
			return wrong(config, err, key, profile->name, "no such [profile]");
		if (profile->io_cores || *profile->description || *profile->environment)
			return wrong(config, err, key,
				     profile->io_cores	     ? "io_cores"
				     : *profile->environment ? "environment"
							     : "description",
				     "belongs into the [profile] for all clients");
		if (check_settings(config, profile,
				   config->clients[k].type == CLIENT_NFS ? &config->clients[k]
									 : NULL,
				   err) < 0)
			return -1;
	}
	return 0;
}

static int check_profiles(struct config *config, struct err *err)
{
	struct config_profile *profile;
	char key[PROFILE_KEY_MAX], value[16];
	size_t i;

	for (i = 0; i < config->profile_count; i++) {
		profile = &config->profiles[i];
		if (check_environment(config, profile, err) < 0 ||
		    check_settings(config, profile, only_nfs(config), err) < 0)
			return -1;
		profile_key(profile, "io_cores", key);
		snprintf(value, sizeof(value), "%u", profile->io_cores);
		if (profile->io_cores && (profile->io_cores < config->io_cores_min ||
					  profile->io_cores > config->io_cores_max))
			return wrong(config, err, key, value,
				     "outside [option] io_cores_min and io_cores_max");
	}
	if (*config->profile_default && !config_profile_find(config, config->profile_default))
		return wrong(config, err, "[option] profile_default", config->profile_default,
			     "no such [profile]");
	return check_client_profiles(config, err);
}

/* Check that the words are mount points, and few enough for one command line. */
static int check_mounts(struct config *config, struct err *err)
{
	char copy[CONFIG_TEXT_MAX + 1], *word, *rest = NULL;
	int count = 0;

	TEXT_SET(copy, config->count_mounts);
	for (word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
		if (!config_is_path(word))
			return wrong(config, err, "[count] mounts", word,
				     "expected an absolute path");
		if (++count > CONFIG_COUNT_MOUNTS_MAX)
			return wrong(config, err, "[count] mounts", word,
				     "more mount points than 16");
	}
	return 0;
}

static int check_files(struct config *config, struct err *err)
{
	const struct {
		const char *key, *path;
	} paths[] = {
		{ "[jobio] root", config->root },
		{ "[advice] calibration", config->calibration },
		{ "[ledger] metrics_file", config->ledger.metrics_file },
		{ "[ledger] storage_pass_file", config->ledger.storage_pass_file },
		{ "[ledger] storage_ca", config->ledger.storage_ca },
	};
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (*paths[i].path && !config_is_path(paths[i].path))
			return wrong(config, err, paths[i].key, paths[i].path,
				     "expected an absolute path");
	for (i = 0; i < config->client_count; i++)
		if (config_set_root(&config->clients[i], config->root, false) < 0)
			return err_set(err, "%s: out of memory", config->file);
	return 0;
}

static int check_storage(struct config *config, struct err *err)
{
	struct config_ledger *ledger = &config->ledger;
	size_t size = strlen(ledger->storage_loc);

	if (!strcmp(ledger->store, "sqlite") && config_replace_text(&ledger->store, CONFIG_SQLITE))
		return err_set(err, "%s: out of memory", config->file);
	if (strcmp(ledger->store, CONFIG_MARIADB) != 0 && !config_is_path(ledger->store))
		return wrong(config, err, "[ledger] store", ledger->store,
			     "expected sqlite, mariadb or an absolute path");
	if (!size || size > SCHEMA_MAX ||
	    strspn(ledger->storage_loc,
		   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != size)
		return wrong(config, err, "[ledger] storage_loc", ledger->storage_loc,
			     "expected at most 64 letters, digits and '_'");
	return 0;
}

int config_check(struct config *config, struct err *err)
{
	char value[16];

	snprintf(value, sizeof(value), "%u", config->io_cores_min);
	if (config->io_cores_min > config->io_cores_max)
		return wrong(config, err, "[option] io_cores_min", value, "more than io_cores_max");
	snprintf(value, sizeof(value), "%u", config->io_cores_default);
	if (config->io_cores_default && (config->io_cores_default < config->io_cores_min ||
					 config->io_cores_default > config->io_cores_max))
		return wrong(config, err, "[option] io_cores_default", value,
			     "outside io_cores_min and io_cores_max");
	if (check_mounts(config, err) < 0 || check_files(config, err) < 0 ||
	    check_storage(config, err) < 0 || check_core_change(config, err) < 0)
		return -1;
	return check_profiles(config, err);
}
