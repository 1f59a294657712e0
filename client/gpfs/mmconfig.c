/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/mmconfig.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client/cache.h"
#include "client/command.h"
#include "client/gpfs/facts.h"
#include "client/gpfs/mmpmon.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "client/setting.h"
#include "lib/child.h"
#include "lib/faultpoint.h"

#define TARGET "mmfsd"
#define LIST_MAX 1024
#define EXIT_NO_PLACE 75
#define MARGIN_MS 500 /* to say that there is no place, on a busy node */

/* mmchconfig(8): those above take -I, those below a restart of mmfsd. */
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
	static const char *const names[] = { "maxFilesToCache", "maxStatCache",
					     "nBucketGroups", "pagepool",
					     "workerThreads" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], key))
			return true;
	return false;
}

static bool is_switch(const char *key)
{
	return !strcmp(key, "fsyncIsGlobal") ||
	       !strcmp(key, "ignorePrefetchLUNCount");
}

/* ---- what there is --------------------------------------------------------- */

static const char *target(const struct client *client, size_t index)
{
	(void)client;
	return index ? NULL : TARGET;
}

static const char *now(const struct client *client, const char *target_name)
{
	struct gpfs_facts *facts = gpfs_facts(client);
	const struct setting_key *key = keys;
	char value[64];
	size_t used = 0;

	(void)target_name;
	if (facts->mmfsd <= 0 || facts->config.answer != ASK_ANSWERED)
		return NULL;
	for (; key->key && used < sizeof(facts->now); key++) {
		if (!gpfs_word(client, key->key, value, sizeof(value)))
			continue;
		if (is_switch(key->key) && !strcmp(value, "yes"))
			strcpy(value, "1");
		if (is_switch(key->key) && !strcmp(value, "no"))
			strcpy(value, "0");
		used += (size_t)snprintf(facts->now + used,
					 sizeof(facts->now) - used, "%s%s=%s",
					 used ? "," : "", key->key, value);
	}
	return facts->now;
}

/* A mmfsd that has ended has forgotten what -I gave it. */
static int read_config(struct client *client, struct err *err)
{
	struct gpfs_facts *facts = gpfs_facts(client);

	gpfs_ask_config(client);
	if (facts->mmfsd > 0 && facts->config.answer != ASK_ANSWERED)
		return err_set(err, "mmdiag: %.300s", facts->config.why);
	return 0;
}

/* ---- mmchconfig ------------------------------------------------------------ */

struct place {
	const struct config_client *section;
	unsigned long long end_ms;
};

/* In the command's process, which keeps the lock until it ends (fcntl(2): locks
 * stay over execve). A file on a filesystem that hangs holds up nobody else. */
static int take_place(void *arg)
{
	const struct timespec nap = { .tv_nsec = 50000000 };
	struct flock byte = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const struct place *place = arg;
	const char *path = place->section->mmchconfig_lock;
	int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);

	if (fd < 0) {
		dprintf(2, "cannot open '%s': %s\n", path, strerror(errno));
		return EXIT_NO_PLACE;
	}
	byte.l_len = 1;
	for (;;) {
		for (byte.l_start = 0;
		     byte.l_start < place->section->mmchconfig_at_once;
		     byte.l_start++)
			if (fcntl(fd, F_SETLK, &byte) == 0)
				return 0;
		if (child_now_ms() + MARGIN_MS >= place->end_ms)
			break;
		nanosleep(&nap, NULL);
	}
	dprintf(2, "%u nodes change their settings already, by '%s'\n",
		place->section->mmchconfig_at_once, path);
	return EXIT_NO_PLACE;
}

static int compose(void *arg, const char *word, const char *key,
		   const char *value)
{
	char **composed = arg;
	char text[SETTING_WORD_MAX + 16];

	if (*word == '!')
		snprintf(text, sizeof(text), "%.200s=DEFAULT", word + 1);
	else if (is_switch(key))
		snprintf(text, sizeof(text), "%s=%s", key,
			 !strcmp(value, "0") ? "no" : "yes");
	else
		snprintf(text, sizeof(text), "%.200s", word);
	*composed = options_append(*composed, text);
	return *composed ? 0 : -1;
}

/* The address by which the cluster knows this node. */
static int find_node(const struct client *client, char *node, size_t size,
		     struct err *err)
{
	struct ask ask = { 0 };
	long pid;
	int rc = 0;

	gpfs_mmpmon_ask(client, &ask, &pid);
	if (ask.answer != ASK_ANSWERED)
		rc = err_set(err, "mmpmon: %.300s", ask.why);
	else if (!gpfs_mmpmon_word(ask.text, "_n_", node, size))
		rc = err_set(err, "mmpmon does not say which node this is");
	ask_clear(&ask);
	return rc;
}

static int run(struct client *client, char *list, struct err *err)
{
	const struct config_client *section = client->section;
	struct place place = { section, child_now_ms() + section->timeout_ms };
	struct child_result result = { 0 };
	char node[128];
	char *argv[] = { section->mmchconfig, list, (char *)"-I",
			 (char *)"-N",	      node, NULL };
	int rc;

	if (!*section->mmchconfig_lock)
		return err_set(err, "mmchconfig_lock= is not set any more");
	if (find_node(client, node, sizeof(node), err) < 0)
		return -1;
	FAULT_POINT("mmchconfig before");
	rc = command_run_after(client->run_dir, take_place, &place, argv,
			       section->timeout_ms, &result, err);
	FAULT_POINT("mmchconfig after");
	if (rc == 0 && result.status != 0) {
		result.errtext[strcspn(result.errtext, "\n")] = '\0';
		rc = err_set(err, "mmchconfig: exit status %d: %.300s",
			     result.status, result.errtext);
	}
	child_result_free(&result);
	return rc;
}

static int set(const struct setting *setting, struct client *client,
	       const char *target_name, const char *list, struct err *err)
{
	char *composed = NULL;
	int rc;

	(void)setting;
	(void)target_name;
	gpfs_facts(client)->is_changed = true;
	cache_drop(client);
	if (options_each(list, compose, &composed))
		return err_set(err, "out of memory");
	rc = run(client, composed, err);
	free(composed);
	return rc;
}

/* ---- what a profile wants -------------------------------------------------- */

static int choose(void *arg, const char *word, const char *key,
		  const char *value)
{
	char *list = arg;
	size_t used = strlen(list);

	(void)value;
	if (!takes_restart(key))
		snprintf(list + used, LIST_MAX - used, "%s%s", used ? "," : "",
			 word);
	return 0;
}

/* With mount options, which a mount of Storage Scale does not take: they are in
 * the list to be refused. */
static void wanted_all(const struct client_want *want, char list[LIST_MAX])
{
	const char *more = want->mmconfig ? want->mmconfig : "";

	snprintf(list, LIST_MAX, "%s%s%s", want->mount_options,
		 *want->mount_options && *more ? "," : "", more);
}

static const char *wanted(const struct client_want *want)
{
	static char list[LIST_MAX];
	char all[LIST_MAX];

	wanted_all(want, all);
	*list = '\0';
	options_each(all, choose, list);
	return list;
}

static const struct setting mmconfig = {
	.keys = keys,
	.one = "setting",
	.many = "settings",
	.no_key = "it is none of Storage Scale's that jobio changes",
	.shown_by = "mmdiag",
	.failed = "GP40",
	.not_back = "GP42",
	.not_ours = "GP43",
	.shared = "GP46",
	.refused = "GP49",
	.wanted = wanted,
	.target = target,
	.now = now,
	.read = read_config,
	.write = set,
};

/* ---- advice ------------------------------------------------------------------ */

struct adviser {
	const struct client *client;
	struct findings *findings;
	const char *why; /* NULL: what takes no restart is changed */
};

static int advise(void *arg, const char *word, const char *key,
		  const char *value)
{
	const struct adviser *adviser = arg;
	const char *is = now(adviser->client, TARGET);
	const char *why = takes_restart(key) ? "it takes a restart of mmfsd"
					     : adviser->why;
	char have[64] = "its default";

	(void)value;
	if (!why || !is || setting_verify(&mmconfig, "", is, word, NULL) == 0)
		return 0;
	options_get(is, key, have, sizeof(have));
	rule_tell(adviser->client, "GP41", NULL, adviser->findings,
		  "the profile asks for %s, and mmfsd has %s: not changed, %s",
		  word, have, why);
	return 0;
}

static int plan(const struct change_kind *kind, struct client *client,
		const struct client_want *want, struct client_plan *plan,
		struct findings *findings, struct err *err)
{
	const struct config_client *section = client->section;
	struct adviser adviser = { client, findings, NULL };
	char all[LIST_MAX];

	wanted_all(want, all);
	if (!*all)
		return 0;
	if (client->cached) /* others may have changed something since */
		gpfs_ask_config(client);
	if (section->allow_mmchconfig == SWITCH_NO)
		adviser.why = "allow_mmchconfig=no";
	else if (!*section->mmchconfig_lock)
		adviser.why = "mmchconfig_lock= is not set";
	if (setting_refuses(&mmconfig, client, all, findings))
		return 0;
	options_each(all, advise, &adviser);
	return adviser.why
		       ? 0
		       : setting_plan(kind, client, want, plan, findings, err);
}

/* Also what takes a restart: the node has it, or the profile does not stand. */
static bool holds(const struct change_kind *kind, const struct client *client,
		  const struct client_want *want)
{
	const char *is = now(client, TARGET);
	char all[LIST_MAX];

	(void)kind;
	wanted_all(want, all);
	return !*all ||
	       (is && setting_verify(&mmconfig, "", is, all, NULL) == 0);
}

const struct change_kind gpfs_mmconfig = {
	.name = "mmconfig",
	.how = &mmconfig,
	.plan = plan,
	.make = setting_make,
	.undo = setting_undo,
	.holds = holds,
};
