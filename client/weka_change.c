/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changing mount options of a WEKA client, and putting them back. A change of
 * one mount is one journal entry: two lists of the same length, the options as
 * they were and as they shall be; "!key" stands for "not set". */
#include "client/weka.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/command.h"
#include "client/plan.h"
#include "client/weka_cores.h"
#include "lib/faultpoint.h"
#include "lib/number.h"

#define OPTION_MAX 256

/* WEKA's mount guide, tables of 4.0 to 5.x. general: falls back to its default
 * when a remount leaves it out, so it must be repeated. profile: a profile may
 * set it; only what the mount table shows, since nothing else can be verified
 * and put back. group: of these options exactly one (cache, atime) or at most
 * one (sync) holds. */
struct option {
	const char *key;
	bool general, profile;
	char group;
	unsigned long max; /* of a number; 0: takes no value */
};

static const struct option options[] = {
	{ "writecache", true, true, 'c', 0 },
	{ "readcache", true, true, 'c', 0 },
	{ "forcedirect", true, true, 'c', 0 }, /* from 4.2 on */
	{ "dentry_max_age_positive", true, true, 0, 86400000 },
	{ "dentry_max_age_negative", true, true, 0, 86400000 },
	{ "noatime", true, true, 'a', 0 },
	{ "relatime", true, true, 'a', 0 },
	{ "strictatime", true, true, 'a', 0 },
	{ "relatime_threshold", true, true, 0, 31536000 },
	{ "sync_on_close", true, true, 's', 0 },
	{ "nosync_on_close", true, true, 's', 0 },
	{ "readahead_kb", false, true, 0, 1048576 }, /* stateless: is kept */
	{ "ro", true, false, 'w', 0 },
	{ "rw", true, false, 'w', 0 },
	{ "verbose", true, false, 'v', 0 },
	{ "quiet", true, false, 'v', 0 },
	{ "obs_direct", true, false, 0, 0 },
	{ "nosuid", true, false, 0, 0 },
	{ "nodev", true, false, 0, 0 },
	{ "noexec", true, false, 0, 0 },
	/* of any file system, proc_pid_mounts(5): MS_REMOUNT takes away what is
	 * not said again */
	{ "nodiratime", true, false, 0, 0 },
	{ "sync", true, false, 0, 0 },
	{ "dirsync", true, false, 0, 0 },
	{ "mand", true, false, 0, 0 },
	{ "lazytime", true, false, 0, 0 },
	{ "nosymfollow", true, false, 0, 0 },
	{ "file_create_mask", true, false, 0, ~0UL },
	{ "directory_create_mask", true, false, 0, ~0UL },
	{ "force_file_mode", true, false, 0, ~0UL },
	{ "force_directory_mode", true, false, 0, ~0UL },
	/* says which of several clients is meant */
	{ "container_name", true, false, 0, ~0UL },
	/* of a new mount only: no remount changes them */
	{ "inode_bits", false, false, 0, ~0UL },
	{ "df_remote", false, false, 0, 0 },
	{ "acl", false, false, 0, 0 },
};

static const struct option *option_find(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (strcmp(options[i].key, key) == 0)
			return &options[i];
	return NULL;
}

bool weka_option_is_general(const char *key)
{
	const struct option *option = option_find(key);

	return option && option->general;
}

const char *weka_option_refusal(const char *key, const char *value)
{
	const struct option *option = option_find(key);
	unsigned long number;

	if (!option || !option->profile)
		return "not an option that a profile may set on a mounted "
		       "WEKA file system";
	if (!option->max)
		return *value ? "takes no value" : NULL;
	if (number_parse(value, 0, option->max, &number, NULL) < 0)
		return "its value is not a number within bounds";
	return NULL;
}

/* Do two options exclude each other (or are they the same)? */
static bool is_rival(const char *a, const char *b)
{
	const struct option *x = option_find(a), *y = option_find(b);

	if (strcmp(a, b) == 0)
		return true;
	return x && y && x->group && x->group == y->group;
}

/* ---- what a mount has -------------------------------------------------- */

struct holder {
	const char *key;
	char *option;
	bool found;
};

static int hold(void *arg, const char *option, const char *key,
		const char *value)
{
	struct holder *holder = arg;

	(void)value;
	if (is_rival(key, holder->key)) {
		snprintf(holder->option, OPTION_MAX, "%s", option);
		holder->found = true;
	}
	return 0;
}

static void split(const char *option, char *key, char *value)
{
	size_t length = strcspn(option, "=");

	snprintf(key, OPTION_MAX, "%.*s", (int)length, option);
	snprintf(value, OPTION_MAX, "%s",
		 option[length] ? option + length + 1 : "");
}

/* What the list says where 'option' would stand: "writecache" for
 * "forcedirect", "!key" when it says nothing. 'held' has OPTION_MAX bytes. */
static void held_instead(const char *list, const char *option, char *held)
{
	char key[OPTION_MAX], value[OPTION_MAX];
	struct holder holder = { .key = key, .option = held };

	split(option + (*option == '!'), key, value);
	options_each(list, hold, &holder);
	if (!holder.found)
		snprintf(held, OPTION_MAX, "!%.*s", OPTION_MAX - 2, key);
}

/* Does a mount with these options have this one? "!key": not have it? */
static bool holds(const char *list, const char *option)
{
	char held[OPTION_MAX];

	held_instead(list, option, held);
	return strcmp(held, option) == 0;
}

/* ---- remount ----------------------------------------------------------- */

struct composer {
	const char *wanted;
	char *list;
	bool failed;
};

static int is_replaced(void *arg, const char *option, const char *key,
		       const char *value)
{
	(void)value;
	return is_rival(arg, key + (*option == '!'));
}

static int repeat(void *arg, const char *option, const char *key,
		  const char *value)
{
	struct composer *composer = arg;

	(void)value;
	if (!weka_option_is_general(key) ||
	    options_each(composer->wanted, is_replaced, (void *)key))
		return 0;
	composer->list = options_append(composer->list, option);
	return composer->list ? 0 : -1;
}

static int add_wanted(void *arg, const char *option, const char *key,
		      const char *value)
{
	struct composer *composer = arg;

	(void)key;
	(void)value;
	if (*option == '!')
		return 0;
	composer->list = options_append(composer->list, option);
	return composer->list ? 0 : -1;
}

/* "remount," + the general options of the mount + those wanted. */
static char *remount_options(const char *now, const char *wanted)
{
	struct composer composer = { .wanted = wanted };

	composer.list = options_append(NULL, "remount");
	if (!composer.list || options_each(now, repeat, &composer) ||
	    options_each(wanted, add_wanted, &composer))
		return NULL;
	return composer.list;
}

static int run_mount(struct client *client, const struct client_mount *mount,
		     const char *list, unsigned int timeout_ms, struct err *err)
{
	char *argv[] = { client->section->mount_command,
			 "-t",
			 WEKA_FSTYPE,
			 "-o",
			 (char *)list,
			 mount->source,
			 mount->target,
			 NULL };
	char name[216];
	int rc;

	snprintf(name, sizeof(name), "mount -o %.200s", list);
	FAULT_POINT("remount before");
	rc = command_do(client->run_dir, argv, name, timeout_ms, err);
	FAULT_POINT("remount after");
	return rc;
}

/* 'list' is freed. */
static int mount_with_cores(struct client *client,
			    const struct client_mount *mount, char *list,
			    const struct cpuset *ids, unsigned int timeout_ms,
			    struct err *err)
{
	char core[32];
	int os_cpu, rc = -1;

	cpuset_for_each (os_cpu, ids) {
		snprintf(core, sizeof(core), "core=%d", os_cpu);
		if (list)
			list = options_append(list, core);
	}
	if (list)
		rc = run_mount(client, mount, list, timeout_ms, err);
	else
		err_set(err, "client: out of memory");
	free(list);
	return rc;
}

int weka_remount_cores(struct client *client, const struct client_mount *mount,
		       const struct cpuset *ids, struct err *err)
{
	return mount_with_cores(client, mount,
				remount_options(mount->options, ""), ids,
				client->section->ready_timeout_ms, err);
}

int weka_mount_cores(struct client *client, const struct client_mount *mount,
		     const struct cpuset *ids, unsigned int timeout_ms,
		     struct err *err)
{
	return mount_with_cores(client, mount, strdup(mount->options), ids,
				timeout_ms, err);
}

/* ---- a new mount ------------------------------------------------------- */

/* Words of fstab(5) for mount(8) and systemd, and what is named anew. */
static bool is_left_out(const char *key)
{
	static const char *const keys[] = {
		"core",	   "num_cores", "defaults", "auto",    "noauto",
		"nofail",  "_netdev",	"user",	    "users",   "nouser",
		"nousers", "owner",	"group",    "comment", "remount",
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return strncmp(key, "x-", 2) == 0 || strncmp(key, "X-", 2) == 0;
}

static int add_shown(void *arg, const char *option, const char *key,
		     const char *value)
{
	struct composer *composer = arg;

	(void)value;
	if (!option_find(key))
		return 0; /* the kernel's own word, such as seclabel */
	composer->list = options_append(composer->list, option);
	return composer->list ? 0 : -1;
}

static int is_same(void *arg, const char *option, const char *key,
		   const char *value)
{
	(void)option;
	(void)value;
	return is_rival(arg, key);
}

static int add_hidden(void *arg, const char *option, const char *key,
		      const char *value)
{
	struct composer *composer = arg;

	(void)value;
	if (is_left_out(key) ||
	    options_each(composer->wanted, is_same, (void *)key))
		return 0;
	composer->list = options_append(composer->list, option);
	return composer->list ? 0 : -1;
}

char *weka_mount_options(const char *shown, const char *fstab)
{
	struct composer composer = { .wanted = shown };

	composer.list = strdup("");
	if (!composer.list || options_each(shown, add_shown, &composer) ||
	    options_each(fstab, add_hidden, &composer))
		return NULL;
	return composer.list;
}

struct comparison {
	const char *after, *wanted;
	char differing[OPTION_MAX];
};

static int compare(void *arg, const char *option, const char *key,
		   const char *value)
{
	struct comparison *comparison = arg;

	(void)value;
	if (options_each(comparison->wanted, is_replaced, (void *)key) ||
	    holds(comparison->after, option))
		return 0;
	snprintf(comparison->differing, OPTION_MAX, "%s", option);
	return 1;
}

static int is_missing(void *arg, const char *option, const char *key,
		      const char *value)
{
	(void)key;
	(void)value;
	return !holds(arg, option);
}

/* The wanted ones hold, and no other has changed on the way. */
static int verify(const char *before, const char *after, const char *wanted,
		  struct err *err)
{
	struct comparison comparison = { .after = after, .wanted = wanted };

	if (options_each(wanted, is_missing, (void *)after))
		return err_set(err, "the mount table shows '%.300s' instead",
			       after);
	if (options_each(before, compare, &comparison))
		return err_set(err, "it has lost '%s' on the way",
			       comparison.differing);
	return 0;
}

int weka_options_kept(const char *before, const char *after, struct err *err)
{
	return verify(before, after, "", err);
}

/* Give a mount the options of a list. 0: it has them now. */
static int set_options(struct client *client, const char *target,
		       const char *wanted, struct err *err)
{
	const struct client_mount *mount =
		mounts_find(client->facts.mounts, target);
	struct err said = { "" };
	char *before, *list;
	int rc = -1;

	before = strdup(mount->options);
	list = remount_options(mount->options, wanted);
	if (!before || !list) {
		err_set(err, "out of memory");
		goto out;
	}
	if (run_mount(client, mount, list, client->section->timeout_ms, &said) <
	    0)
		err_set(err, "%s", said.text);
	/* whatever the command said: what counts is what is there */
	if (weka_read_mounts(client, said.text[0] ? NULL : err) < 0)
		goto out;
	mount = mounts_find(client->facts.mounts, target);
	if (!mount) {
		err_set(err, "it is not mounted any more");
		goto out;
	}
	rc = verify(before, mount->options, wanted, said.text[0] ? NULL : err);
out:
	free(before);
	free(list);
	return rc;
}

/* ---- plan -------------------------------------------------------------- */

struct planner {
	const char *now;
	char *old_list, *new_list;
};

static int plan_option(void *arg, const char *option, const char *key,
		       const char *value)
{
	struct planner *planner = arg;
	char held[OPTION_MAX];

	(void)key;
	(void)value;
	held_instead(planner->now, option, held);
	if (strcmp(held, option) == 0)
		return 0;
	planner->old_list = options_append(planner->old_list, held);
	planner->new_list = options_append(planner->new_list, option);
	return planner->old_list && planner->new_list ? 0 : -1;
}

static int refuse_option(void *arg, const char *option, const char *key,
			 const char *value)
{
	const char *why = weka_option_refusal(key, value);

	if (why)
		findings_add(
			arg, "W49", FINDING_ERROR,
			"correct mount_options= of the profile in "
			"jobio.conf; jobio.conf(5) has the list",
			"mount option '%s' of the profile: %s; the profile "
			"was not applied",
			option, why);
	return why != NULL;
}

static int plan_mount(struct client *client, const struct client_mount *mount,
		      const char *wanted, struct client_plan *plan,
		      struct err *err)
{
	struct planner planner = { .now = mount->options };
	int rc;

	rc = options_each(wanted, plan_option, &planner);
	if (rc < 0)
		err_set(err, "client: out of memory");
	else if (planner.new_list)
		rc = plan_add(plan, client->section->name, "mount-option",
			      mount->target, planner.old_list, planner.new_list,
			      err);
	free(planner.old_list);
	free(planner.new_list);
	return rc;
}

static int plan_mounts(struct client *client, const struct client_want *want,
		       struct client_plan *plan, struct findings *findings,
		       struct err *err)
{
	size_t i;

	if (!*want->mount_options)
		return 0;
	if (options_each(want->mount_options, refuse_option, findings))
		return 0;
	if (!want->alone) {
		findings_add(findings, "W46", FINDING_INFO,
			     "ask for io-cores or --exclusive",
			     "the profile's mount options were left out: the "
			     "job shares this node with others");
		return 0;
	}
	for (i = 0; i < client->common.mount_count; i++)
		if (plan_mount(client, &client->common.mounts[i],
			       want->mount_options, plan, err) < 0)
			return -1;
	return 0;
}

int weka_plan(struct client *client, const struct client_want *want,
	      struct client_plan *plan, struct findings *findings,
	      struct err *err)
{
	/* cores first: a restarted client may come back with other options */
	if (weka_cores_plan(client, want, plan, findings, err) < 0)
		return -1;
	return plan_mounts(client, want, plan, findings, err);
}

/* ---- make and undo ----------------------------------------------------- */

static enum weka_made make_options(struct client *client,
				   const struct journal_change *change,
				   struct findings *findings)
{
	struct err why = { "" };

	if (!mounts_find(client->facts.mounts, change->target)) {
		findings_add(findings, "W40", FINDING_ERROR, "mount it",
			     "'%s' is not mounted any more", change->target);
		return WEKA_NOT_MADE;
	}
	if (set_options(client, change->target, change->new_value, &why) == 0)
		return WEKA_MADE;
	findings_add(findings, "W40", FINDING_ERROR,
		     "see the client's log; does this version know the option?",
		     "'%s' could not get %s: %.300s", change->target,
		     change->new_value, why.text);
	if (weka_undo(client, change, findings) == WEKA_UNDONE)
		return WEKA_NOT_MADE;
	return WEKA_NOT_MADE_NOT_UNDONE;
}

/* Cut the first option off a list; false at its end. */
static bool next_option(const char **list, char *option)
{
	size_t length = options_length(*list);

	if (!length)
		return false;
	snprintf(option, OPTION_MAX, "%.*s", (int)length, *list);
	*list += length + ((*list)[length] == ',');
	return true;
}

/* Which of the old options have to come back: those whose new one still
 * stands. *strange: some third value stands. */
static char *still_ours(const char *now, const struct journal_change *change,
			bool *strange)
{
	const char *olds = change->old_value, *news = change->new_value;
	char was[OPTION_MAX], is[OPTION_MAX];
	char *list = NULL;

	*strange = false;
	while (next_option(&olds, was) && next_option(&news, is)) {
		if (holds(now, is))
			list = options_append(list, was);
		else if (!holds(now, was))
			*strange = true;
	}
	return list;
}

static enum weka_undone undo_options(struct client *client,
				     const struct journal_change *change,
				     struct findings *findings)
{
	const struct client_mount *mount;
	enum weka_undone undone = WEKA_NOT_UNDONE;
	struct err why = { "" };
	bool strange;
	char *list = NULL;

	if (weka_read_mounts(client, &why) < 0)
		goto out;
	mount = mounts_find(client->facts.mounts, change->target);
	if (!mount)
		return WEKA_UNDONE; /* the next mount starts from fstab */
	list = still_ours(mount->options, change, &strange);
	if (strange)
		findings_add(findings, "W43", FINDING_WARNING,
			     "nothing, when that was meant",
			     "'%s' has options that neither jobio nor the node "
			     "had set (%.200s instead of %s): left as they are",
			     change->target, mount->options, change->new_value);
	if (!list)
		return strange ? WEKA_NOT_OURS : WEKA_UNDONE;
	if (set_options(client, change->target, list, &why) == 0)
		undone = WEKA_UNDONE;
out:
	if (undone != WEKA_UNDONE)
		findings_add(findings, "W42", FINDING_ERROR,
			     "remount it with the options of fstab(5), or let "
			     "the next job try again",
			     "'%s' could not get %s back: %.300s",
			     change->target, list ? list : change->old_value,
			     why.text);
	free(list);
	return undone;
}

enum weka_made weka_make(struct client *client,
			 const struct journal_change *change,
			 struct findings *findings)
{
	if (strcmp(change->what, "cores") == 0)
		return weka_cores_make(client, change, findings);
	return make_options(client, change, findings);
}

enum weka_undone weka_undo(struct client *client,
			   const struct journal_change *change,
			   struct findings *findings)
{
	if (strcmp(change->what, "cores") == 0)
		return weka_cores_undo(client, change, findings);
	return undo_options(client, change, findings);
}
