/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mount options of WEKA: those that a profile may set, and those that exclude each other. */
#include "client/weka/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/child.h"
#include "client/cache.h"
#include "client/mount_option.h"
#include "client/rule.h"
#include "client/weka/checks.h"
#include "client/weka/facts.h"
#include "client/weka/ready.h"
#include "record/alloc.h"

/* WEKA's mount guide, tables of 4.0 to 5.x. profile: only options in the mount table, since others
 * cannot be verified and restored. group: exactly one of these options (cache, atime) or at most
 * one (sync) is set. */
static const struct setting_key keys[] = {
	{ "writecache", true, true, 'c', 0 },
	{ "readcache", true, true, 'c', 0 },
	{ "forcedirect", true, true, 'c', 0 }, /* since 4.2 */
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
	/* of any file system, proc_pid_mounts(5): MS_REMOUNT resets those that are not repeated */
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
	/* selects one of several clients */
	{ "container_name", true, false, 0, ~0UL },
	/* for a new mount only: no remount changes them */
	{ "inode_bits", false, false, 0, ~0UL },
	{ "df_remote", false, false, 0, 0 },
	{ "acl", false, false, 0, 0 },
	{ 0 }
};

static int write_options(const struct setting *setting, struct client *client, const char *target,
			 const char *list, struct err *err);

const struct setting weka_options = {
	.keys = keys,
	.one = "mount option",
	.many = "mount options",
	.no_key = "not an option that a profile may set on a mounted WEKA file system",
	.shown_by = "the mount table",
	.wanted = mount_option_wanted,
	.target = mount_option_target,
	.now = mount_option_now,
	.read = mounts_reread,
	.write = write_options,
};

/* ---- a remount that restarts ------------------------------------------- */

bool weka_is_stateful(const struct weka_container *container, const struct client_mount *mount)
{
	return container->persistent || (mount && !strchr(mount->source, '/'));
}

/* Read the containers if they are unknown, as in the epilog; the version is that of the last
 * query. */
static void know_containers(struct client *client)
{
	const struct weka_facts *facts = weka_of(client);

	if (facts->containers_known || facts->ps.answer != QUERY_NOT_MADE)
		return;
	client->deadline_ms = child_now_ms() + 4ULL * client->section->timeout_ms;
	weka_read_files(client);
	if (!cache_use(client) && !facts->containers_known)
		weka_read_containers(client);
}

/* WEKA's mount guide of 5.x, "Remount options for stateless clients": "Remounting a stateless
 * client restarts the client container", for any option. Return 1 if it does, with the container's
 * [name], 0 if not, -1 if the version is unknown. */
static int restarts(struct client *client, const struct client_mount *mount,
		    char name[WEKA_NAME_MAX])
{
	const struct weka_unit *unit;

	know_containers(client);
	if (!options_get(mount->options, "container_name", name, WEKA_NAME_MAX))
		snprintf(name, WEKA_NAME_MAX, "%s", weka_of(client)->unit[0].info.name);
	unit = weka_unit(client, name);
	if (!unit || !weka_major(&unit->info))
		return -1;
	return weka_major(&unit->info) >= 5 && !weka_is_stateful(&unit->info, mount);
}

/* Return 0 if it is READY afterwards, with the remount's error in *err; -1: not READY, with the
 * reason in *late. */
static int remount_and_wait(struct client *client, const struct client_mount *mount,
			    const char *list, const char *container, struct err *err,
			    struct err *late)
{
	unsigned int timeout_ms = client->section->ready_timeout_ms;
	unsigned long long end_ms = child_now_ms() + timeout_ms;

	cache_drop(client);
	err->text[0] = '\0';
	mount_option_run(client, mount, list, timeout_ms, err);
	return weka_wait_ready(client, container, end_ms, late) ? 0 : -1;
}

static int write_options(const struct setting *setting, struct client *client, const char *target,
			 const char *wanted, struct err *err)
{
	const struct client_mount *mount = mounts_find(client->mounts, target);
	char container[WEKA_NAME_MAX], *list;
	struct err late;
	int rc;

	if (!mount || restarts(client, mount, container) <= 0)
		return mount_option_write(setting, client, target, wanted, err);
	list = mount_option_remount(setting, mount->options, wanted);
	rc = remount_and_wait(client, mount, list, container, err, &late);
	/* one that had restarted, after a prolog that was killed, is READY now */
	if (rc == 0 && *err->text)
		rc = remount_and_wait(client, mount, list, container, err, &late);
	if (rc == 0)
		cache_store(client);
	else
		rule_report_code(client, "W08", WEKA_LOG_CURE,
				 "container '%s' was restarted by the remount of '%s': %.300s",
				 container, target, late.text);
	free(list);
	return *err->text ? -1 : 0;
}

/* A change that restarts a container is skipped if the site has so configured. */
static void plan_options(const struct change_kind *kind, struct client *client,
			 const struct client_desired *desired)
{
	char container[WEKA_NAME_MAX];
	struct change *change;
	struct changes *plan = client->plan;
	size_t i = plan->count;

	setting_plan(kind, client, desired);
	while (client->section->light_only && i < plan->count) {
		change = &plan->list[i];
		if (!restarts(client, mounts_find(client->mounts, change->target), container)) {
			i++;
			continue;
		}
		rule_report_code(
			client, "W47",
			"set remount=any in [client] of jobio.conf, or leave it: the restart takes 8 to 30 s",
			"'%s' keeps %s, although this job should find %s: remount=light_only, and a remount restarts container '%s' from WEKA 5 on",
			change->target, change->old_value, change->new_value, container);
		change_clear(change);
		*change = plan->list[--plan->count];
	}
}

static enum change_state make_options(const struct change_kind *kind, struct client *client,
				      const struct change *change)
{
	const char *now;

	/* the remount for the job's cores may have set them as well */
	if (client->section->core_method == CORE_METHOD_REMOUNT &&
	    mounts_reread(client, NULL) == 0) {
		now = mount_option_now(client, change->target);
		if (now && setting_verify(&weka_options, "", now, change->new_value, NULL) == 0)
			return CHANGE_DONE;
	}
	return setting_make(kind, client, change);
}

const struct change_kind weka_mount_option = {
	.name = "mount-option",
	.how = &weka_options,
	.plan = plan_options,
	.make = make_options,
	.undo = setting_undo,
	.holds = setting_holds,
};

/* ---- a new mount ------------------------------------------------------- */

/* Options of fstab(5) for mount(8) and systemd, and those that are set by jobio. */
#define LEFT_OUT                                                                                   \
	"core num_cores defaults auto noauto nofail _netdev user users nouser nousers owner group comment remount"

char *weka_mount_options(const char *shown, const char *fstab)
{
	const char *rest = shown;
	char *list = xstrdup("");
	struct options_word w;

	while (options_next(&rest, &w))
		if (setting_key_find(&weka_options, w.key)) /* not one of the kernel: seclabel */
			list = options_append(list, w.word);
	while (options_next(&fstab, &w))
		if (!mounts_word_in(LEFT_OUT, w.key) && strncasecmp(w.key, "x-", 2) != 0 &&
		    !setting_is_replaced(&weka_options, shown, w.key))
			list = options_append(list, w.word);
	return list;
}

int weka_options_unchanged(const char *before, const char *after, struct err *err)
{
	return setting_verify(&weka_options, before, after, "", err);
}

/* ---- cores as mount options ---------------------------------------------- */

/* Mount with core= for each id; frees 'list'. */
static int mount_with_cores(struct client *client, const struct client_mount *mount, char *list,
			    const struct cpuset *ids, unsigned int timeout_ms, struct err *err)
{
	char core[32];
	int os_cpu, rc;

	cpuset_for_each (os_cpu, ids) {
		snprintf(core, sizeof(core), "core=%d", os_cpu);
		list = options_append(list, core);
	}
	rc = mount_option_run(client, mount, list, timeout_ms, err);
	free(list);
	return rc;
}

/* Return the options that the plan sets for a mount; NULL: none. */
static const char *planned_options(const struct client *client, const char *target)
{
	const struct changes *plan = client->plan;
	size_t i;

	for (i = 0; plan && i < plan->count; i++)
		if (!strcmp(plan->list[i].kind, weka_mount_option.name) &&
		    !strcmp(plan->list[i].target, target))
			return plan->list[i].new_value;
	return "";
}

int weka_remount_cores(struct client *client, const struct client_mount *mount,
		       const struct cpuset *ids, struct err *err)
{
	const char *wanted = planned_options(client, mount->target);

	return mount_with_cores(client, mount,
				mount_option_remount(&weka_options, mount->options, wanted), ids,
				client->section->ready_timeout_ms, err);
}

int weka_mount_cores(struct client *client, const struct client_mount *mount,
		     const struct cpuset *ids, unsigned int timeout_ms, struct err *err)
{
	return mount_with_cores(client, mount, xstrdup(mount->options), ids, timeout_ms, err);
}
