/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Mount options of WEKA: which of them a job may change, and how they stand to
 * each other. */
#include "client/weka/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/mount_option.h"
#include "client/type.h"
#include "lib/alloc.h"

/* WEKA's mount guide, tables of 4.0 to 5.x. profile: only what the mount table
 * shows, since nothing else can be verified and put back. group: of these
 * options exactly one (cache, atime) or at most one (sync) holds. */
static const struct setting_key keys[] = {
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
	{ 0 }
};

const struct setting weka_options = {
	.keys = keys,
	.one = "mount option",
	.many = "mount options",
	.no_key = "not an option that a profile may set on a mounted WEKA file system",
	.shown_by = "the mount table",
	.failed = "W40",
	.not_back = "W42",
	.not_ours = "W43",
	.shared = "W46",
	.refused = "W49",
	.wanted = mount_option_wanted,
	.target = mount_option_target,
	.now = mount_option_now,
	.read = mounts_reread,
	.write = mount_option_write,
};

const struct change_kind weka_mount_option = {
	.name = "mount-option",
	.how = &weka_options,
	.plan = setting_plan,
	.make = setting_make,
	.undo = setting_undo,
	.holds = setting_holds,
};

/* ---- a new mount ------------------------------------------------------- */

struct composer {
	const char *shown;
	char *list;
};

/* Words of fstab(5) for mount(8) and systemd, and what is named anew. */
static bool is_left_out(const char *key)
{
	static const char *const keys[] = {
		"core",	 "num_cores", "defaults", "auto",  "noauto", "nofail",	"_netdev", "user",
		"users", "nouser",    "nousers",  "owner", "group",  "comment", "remount",
	};
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcmp(keys[i], key))
			return true;
	return !strncmp(key, "x-", 2) || !strncmp(key, "X-", 2);
}

static int add_shown(void *arg, const char *option, const char *key, const char *value)
{
	struct composer *composer = arg;

	(void)value;
	if (!setting_key_find(&weka_options, key))
		return 0; /* the kernel's own word, such as seclabel */
	composer->list = options_append(composer->list, option);
	return 0;
}

static int add_hidden(void *arg, const char *option, const char *key, const char *value)
{
	struct composer *composer = arg;

	(void)value;
	if (is_left_out(key) || setting_is_replaced(&weka_options, composer->shown, key))
		return 0;
	composer->list = options_append(composer->list, option);
	return 0;
}

char *weka_mount_options(const char *shown, const char *fstab)
{
	struct composer composer = { .shown = shown };

	composer.list = xstrdup("");
	options_each(shown, add_shown, &composer);
	options_each(fstab, add_hidden, &composer);
	return composer.list;
}

int weka_options_kept(const char *before, const char *after, struct err *err)
{
	return setting_verify(&weka_options, before, after, "", err);
}

/* ---- cores as mount options ---------------------------------------------- */

/* 'list' is freed. */
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

int weka_remount_cores(struct client *client, const struct client_mount *mount,
		       const struct cpuset *ids, struct err *err)
{
	return mount_with_cores(client, mount,
				mount_option_remount(&weka_options, mount->options, ""), ids,
				client->section->ready_timeout_ms, err);
}

int weka_mount_cores(struct client *client, const struct client_mount *mount,
		     const struct cpuset *ids, unsigned int timeout_ms, struct err *err)
{
	return mount_with_cores(client, mount, xstrdup(mount->options), ids, timeout_ms, err);
}
