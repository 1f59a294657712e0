/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/faultpoint.h"
#include "base/text.h"
#include "client/lustre/param.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "record/alloc.h"

#define GROUPS_MAX 24	/* journal entries for one job */
#define TARGET_MAX 4096 /* limit of a record */

/* ---- one device ------------------------------------------------------------ */

static const struct setting parameters;

/* "osc work-OST0001-osc-ffff9a2c41d08000" */
static const char *split(const char *target, enum tree_kind *kind)
{
	const char *blank = strchr(target, ' ');
	int i;

	for (i = 0; blank && i < TREE_KINDS; i++)
		if (!strncmp(target, tree_folder((enum tree_kind)i), (size_t)(blank - target))) {
			*kind = (enum tree_kind)i;
			return blank + 1;
		}
	return NULL;
}

static const char *now(const struct client *client, const char *target)
{
	static char list[PARAM_LIST_MAX]; /* borrowed until the next call */
	enum tree_kind kind;
	const char *device = split(target, &kind);

	errno = EINVAL;
	if (!device || param_now(client->section, kind, device, list) < 0)
		return NULL;
	return list;
}

/* Write every word, even after a failure: each one counts on the way back. */
static int write_list(const struct setting *setting, struct client *client, const char *target,
		      const char *list, struct err *err)
{
	enum tree_kind kind = TREE_LLITE;
	const char *device = split(target, &kind);
	struct options_word w;
	int rc = 0;

	lustre_facts_drop_counters(client); /* a smaller cache writes back data */
	while (options_next(&list, &w)) {
		FAULT_POINT("parameter before");
		if (param_write(client->section, kind, device, w.key, w.value) < 0 && rc == 0)
			rc = err_set(err, "%s: %s", w.word, strerror(errno));
		FAULT_POINT("parameter after");
	}
	return rc;
}

/* Values are read where they are compared. */
static int read_nothing(struct client *client, struct err *err)
{
	return 0;
}

static const struct setting parameters = {
	.keys = param_keys,
	.one = "parameter",
	.many = "parameters",
	.shown_by = "the kernel",
	.now = now,
	.read = read_nothing,
	.write = write_list,
};

/* ---- the devices of one entry ------------------------------------------------ */

struct group {
	char instance[TREE_NAME_MAX];
	unsigned long inode; /* of its folder */
	enum tree_kind kind;
	struct cpuset indexes;
	char *old_list, *new_list;
};

/* Return false if it does not fit; a truncated list would be of other devices. */
static bool group_target(const struct group *group, char text[TARGET_MAX])
{
	char *list = cpuset_format(&group->indexes);
	int size;

	size = snprintf(text, TARGET_MAX, "%s:%lu %s %s", group->instance, group->inode,
			tree_folder(group->kind), group->kind == TREE_LLITE || !list ? "-" : list);
	free(list);
	return size < TARGET_MAX;
}

static int group_parse(const char *target, struct group *group)
{
	char copy[TARGET_MAX], *word[3], *rest = NULL, *colon;
	int i;

	memset(group, 0, sizeof(*group));
	TEXT_SET(copy, target);
	for (i = 0; i < 3; i++) {
		word[i] = strtok_r(i ? NULL : copy, " ", &rest);
		if (!word[i])
			return -1;
	}
	colon = strchr(word[0], ':');
	if (!colon || strlen(word[0]) >= TREE_NAME_MAX || strchr(copy, '/'))
		return -1;
	*colon = '\0';
	TEXT_SET(group->instance, word[0]);
	group->inode = strtoul(colon + 1, NULL, 10);
	for (i = 0; i < TREE_KINDS; i++)
		if (!strcmp(word[1], tree_folder((enum tree_kind)i)))
			break;
	if (i == TREE_KINDS)
		return -1;
	group->kind = (enum tree_kind)i;
	if (group->kind != TREE_LLITE)
		return cpuset_parse(&group->indexes, word[2], NULL);
	cpuset_add(&group->indexes, 0);
	return 0;
}

/* Set [text] to the target of one device: "osc work-OST0001-osc-ffff9a2c41d08000". */
static void device_target(const struct group *group, unsigned int index, char text[TARGET_MAX])
{
	const char *dash = strrchr(group->instance, '-');
	const char *folder = tree_folder(group->kind);

	if (group->kind == TREE_LLITE || !dash)
		snprintf(text, TARGET_MAX, "%s %s", folder, group->instance);
	else
		snprintf(text, TARGET_MAX, "%s %.*s-%s%04x-%s%s", folder,
			 (int)(dash - group->instance), group->instance,
			 group->kind == TREE_OSC ? "OST" : "MDT", index, folder, dash);
}

/* Parse the group of a change. Return 1 if it is still the same mount, 0 if not, -1 if unknown. */
static int find_group(const struct client *client, const struct change *change, struct group *group,
		      struct err *err)
{
	unsigned long inode;

	if (group_parse(change->target, group) < 0)
		return err_set(err, "not the name of a group of targets");
	inode = tree_inode(client->section, group->instance);
	if (!inode && errno != ENOENT)
		return err_set(err, "%s: %s", group->instance, strerror(errno));
	return inode && inode == group->inode;
}

static enum change_state undo_group(const struct change_kind *kind, struct client *client,
				    const struct change *change)
{
	enum change_state worst = CHANGE_RESTORED, one;
	struct change device = *change;
	char target[TARGET_MAX];
	struct group group;
	struct err why;
	int index, rc = find_group(client, change, &group, &why);

	if (rc == 0)
		return CHANGE_GONE; /* the next mount has the defaults */
	if (rc < 0) {
		rule_report_code(client, RULE_NOT_BACK, NULL, "'%s' could not get %s back: %.300s",
				 change->target, change->old_value, why.text);
		return change->state;
	}
	device.target = target;
	cpuset_for_each (index, &group.indexes) {
		device_target(&group, (unsigned int)index, target);
		one = setting_undo(kind, client, &device);
		worst = one < worst ? one : worst;
	}
	return worst;
}

static enum change_state make_group(const struct change_kind *kind, struct client *client,
				    const struct change *change)
{
	struct change device = *change;
	enum change_state made = CHANGE_DONE;
	char target[TARGET_MAX];
	struct group group;
	struct err why;
	int index, rc = find_group(client, change, &group, &why);

	if (rc == 0)
		rule_report_code(client, RULE_FAILED, "mount it", "'%s' is not mounted any more",
				 change->target);
	else if (rc < 0)
		rule_report_code(client, RULE_FAILED, NULL, "'%s' could not get %s: %.300s",
				 change->target, change->new_value, why.text);
	if (rc <= 0)
		return CHANGE_FAILED;
	device.target = target;
	cpuset_for_each (index, &group.indexes) {
		device_target(&group, (unsigned int)index, target);
		made = setting_make(kind, client, &device);
		if (made != CHANGE_DONE)
			break;
	}
	if (made == CHANGE_DONE)
		return made;
	return undo_group(kind, client, change) >= CHANGE_GONE ? CHANGE_FAILED : change->state;
}

/* ---- plan ---------------------------------------------------------------------- */

static bool is_refused(const struct client *client, const struct client_desired *desired)
{
	const char *list = desired->mount_options, *one = "mount option", *why;
	struct options_word w;

	if (*desired->read_ahead_kb) {
		rule_report_code(
			client, RULE_REFUSED, NULL,
			"read_ahead_kb of the profile: Lustre has llite.max_read_ahead_mb instead; the profile was not applied");
		return true;
	}
	why = "options of a Lustre mount are not changed";
	if (!options_next(&list, &w)) {
		one = "parameter";
		list = desired->parameters;
		for (why = NULL; !why && options_next(&list, &w);)
			why = param_refusal(w.key, w.value);
	}
	if (why)
		rule_report_code(client, RULE_REFUSED, NULL,
				 "%s '%s' of the profile: %s; the profile was not applied", one,
				 w.word, why);
	return why != NULL;
}

struct grouping {
	size_t count;
	struct group group[GROUPS_MAX];
};

/* Add a device to the group with the same values; frees the two lists or keeps them. */
static int add_to_group(struct grouping *all, const struct client *client,
			const struct tree_device *device, char *old_list, char *new_list,
			struct err *err)
{
	struct group *group = all->group, *end = group + all->count;
	unsigned long inode = tree_inode(client->section, device->instance);
	int error = errno;

	while (group < end &&
	       (group->kind != device->kind || strcmp(group->instance, device->instance) != 0 ||
		strcmp(group->old_list, old_list) != 0 || strcmp(group->new_list, new_list) != 0))
		group++;
	if (group < end) {
		free(old_list);
		free(new_list);
	} else if (!inode || all->count == GROUPS_MAX) {
		free(old_list);
		free(new_list);
		if (!inode)
			return err_set(err, "%s: %s", device->instance, strerror(error));
		return err_set(err, "its targets differ in more than %d ways", GROUPS_MAX);
	} else {
		all->count++;
		TEXT_SET(group->instance, device->instance);
		group->inode = inode;
		group->kind = device->kind;
		group->old_list = old_list;
		group->new_list = new_list;
	}
	cpuset_add(&group->indexes, device->index);
	return 0;
}

static bool have_names(const struct grouping *all)
{
	char target[TARGET_MAX];
	size_t i;

	for (i = 0; i < all->count; i++)
		if (!group_target(&all->group[i], target))
			return false;
	return true;
}

static int group_devices(const struct client *client, const struct tree *tree, const char *wanted,
			 struct grouping *all, struct err *err)
{
	char *old_list, *new_list;
	const struct tree_device *device;
	size_t i;

	for (i = 0; i < tree->count; i++) {
		device = &tree->device[i];
		if (!param_concerns(wanted, device->kind))
			continue;
		if (param_compose(client, device, wanted, &old_list, &new_list, err) < 0 ||
		    (old_list && add_to_group(all, client, device, old_list, new_list, err) < 0))
			return -1;
	}
	return have_names(all)
		       ? 0
		       : err_set(err,
				 "its targets that are alike have too many numbers to be named");
}

static void add_changes(const struct change_kind *kind, struct client *client,
			const struct grouping *all)
{
	char target[TARGET_MAX];
	size_t i;

	for (i = 0; i < all->count; i++) {
		group_target(&all->group[i], target);
		change_add(client, kind, target, all->group[i].old_list, all->group[i].new_list);
	}
}

static void plan_tree(const struct change_kind *kind, struct client *client, const char *wanted)
{
	struct grouping *all = xcalloc(1, sizeof(*all));
	struct err why = { "" };
	struct tree *tree = tree_read(client, &why);
	size_t i;

	if (!tree || group_devices(client, tree, wanted, all, &why) < 0)
		rule_report_code(client, RULE_FAILED, NULL, "could not set %s: %s", wanted,
				 why.text);
	else
		add_changes(kind, client, all);
	for (i = 0; i < all->count; i++) {
		free(all->group[i].old_list);
		free(all->group[i].new_list);
	}
	free(all);
	tree_free(tree);
}

static bool has_settings(const struct client_desired *desired)
{
	return *desired->parameters || *desired->mount_options || *desired->read_ahead_kb;
}

static void plan_parameters(const struct change_kind *kind, struct client *client,
			    const struct client_desired *desired)
{
	if (!has_settings(desired) || is_refused(client, desired))
		return;
	if (!desired->alone)
		rule_report_code(
			client, RULE_SHARED, rule_shared_cure(desired),
			"the profile's parameters were left out: the job shares this node with others");
	else if (client->common.mount_count)
		plan_tree(kind, client, desired->parameters);
}

static bool holds_parameters(const struct change_kind *kind, const struct client *client,
			     const struct client_desired *desired)
{
	struct findings unsaid = { 0 };
	struct changes plan = { 0 };
	struct client copy = *client;
	bool holds;

	if (!*desired->parameters)
		return !has_settings(desired);
	copy.plan = &plan;
	copy.findings = &unsaid;
	plan_parameters(kind, &copy, desired);
	holds = !plan.count && !unsaid.count && client->common.mount_count;
	changes_free(&plan);
	findings_free(&unsaid);
	return holds;
}

const struct change_kind lustre_parameters = {
	.name = "parameters",
	.how = &parameters,
	.plan = plan_parameters,
	.make = make_group,
	.undo = undo_group,
	.holds = holds_parameters,
};
