/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/mmconfig.h"

#include <stdio.h>
#include <string.h>

#include "client/gpfs/facts.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "client/setting.h"

#define LIST_MAX 1024
#define DYNAMIC "a dynamic one"

/* mmchconfig(8): the first five can be set with -i, the others (takes_restart()) need a restart of
 * mmfsd. */
static const struct setting_key keys[] = {
	{ "fsyncIsGlobal", false, true, 0, 1 },
	{ "ignorePrefetchLUNCount", false, true, 0, 1 },
	{ "maxMBpS", false, true, 0, 200000 },
	{ "seqDiscardThreshold", false, true, 0, 1UL << 40 },
	{ "writebehindThreshold", false, true, 0, 1UL << 40 },
	{ "maxFilesToCache", false, true, 0, 10000000 },
	{ "maxStatCache", false, true, 0, 10000000 },
	{ "nBucketGroups", false, true, 0, 1024 },
	{ "pagepool", false, true, 0, 1UL << 44 },
	{ "workerThreads", false, true, 0, 8192 },
	{ 0 },
};

static bool takes_restart(const char *key)
{
	return mounts_word_in("maxFilesToCache maxStatCache nBucketGroups pagepool workerThreads",
			      key);
}

static bool is_switch(const char *key)
{
	return !strcmp(key, "fsyncIsGlobal") || !strcmp(key, "ignorePrefetchLUNCount");
}

/* Return the settings as words; NULL: unknown. */
static const char *now(const struct client *client)
{
	struct gpfs_facts *facts = gpfs_facts(client);
	const struct setting_key *key = keys;
	char value[64];
	size_t used = 0;

	if (facts->mmfsd <= 0 || facts->config.answer != QUERY_ANSWERED)
		return NULL;
	for (; key->key && used < sizeof(facts->now); key++) {
		if (!gpfs_word(client, key->key, value, sizeof(value)))
			continue;
		if (!strcmp(key->key, "pagepool") && gpfs_is_on(client, "dynamicPagepoolEnabled"))
			strcpy(value, DYNAMIC);
		if (is_switch(key->key) && !strcmp(value, "yes"))
			strcpy(value, "1");
		if (is_switch(key->key) && !strcmp(value, "no"))
			strcpy(value, "0");
		used += (size_t)snprintf(facts->now + used, sizeof(facts->now) - used, "%s%s=%s",
					 used ? "," : "", key->key, value);
	}
	return facts->now;
}

/* Set [list] to the profile's settings and mount options. A mount of Storage Scale cannot change
 * options: they are in the list to be refused. */
static void all_desired(const struct client_desired *desired, char list[LIST_MAX])
{
	const char *more = desired->mmconfig ? desired->mmconfig : "";

	snprintf(list, LIST_MAX, "%s%s%s", desired->mount_options,
		 *desired->mount_options && *more ? "," : "", more);
}

static const struct setting mmconfig = {
	.keys = keys,
	.one = "setting",
	.no_key = "not a setting of Storage Scale that jobio compares",
	.shown_by = "mmdiag",
};

static void advise(const struct client *client, const char *is, const struct options_word *w)
{
	char have[64] = "none (mmdiag --config)", cure[SETTING_WORD_MAX];
	bool is_known = options_get(is, w->key, have, sizeof(have));
	const char *value = w->value;

	if (setting_verify(&mmconfig, "", is, w->word, NULL) == 0)
		return;
	if (is_switch(w->key))
		value = !strcmp(value, "0") ? "no" : "yes";
	snprintf(cure, sizeof(cure), "mmchconfig %.100s=%.30s %s", w->key, value,
		 takes_restart(w->key) ? "-N CLASS, and restart mmfsd there" : "-i -N CLASS");
	/* mmdiag lists the attributes of this mmfsd: mmchconfig's page has fsyncIsGlobal in 6.0.1,
	 * and not in 5.1.3 */
	if (!is_known || !strcmp(have, DYNAMIC))
		strcpy(cure, "take it out of the profile in jobio.conf");
	rule_report_code(client, "GP41", cure, "the profile asks for %s, and mmfsd has %s", w->word,
			 have);
}

static void plan(const struct change_kind *kind, struct client *client,
		 const struct client_desired *desired)
{
	char all[LIST_MAX];
	const char *rest = all, *is;
	struct options_word w;

	all_desired(desired, all);
	if (!*all || setting_refuses(&mmconfig, client, all))
		return;
	if (client->cached) /* the configuration may have changed since */
		gpfs_query_config(client);
	is = now(client);
	while (is && options_next(&rest, &w))
		advise(client, is, &w);
}

static bool holds(const struct change_kind *kind, const struct client *client,
		  const struct client_desired *desired)
{
	const char *is = now(client);
	char all[LIST_MAX];

	all_desired(desired, all);
	return !*all || (is && setting_verify(&mmconfig, "", is, all, NULL) == 0);
}

const struct change_kind gpfs_mmconfig = {
	.name = "mmconfig",
	.plan = plan,
	.holds = holds,
};
