/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of a mounted NFS filesystem that can be changed: the read-ahead of its superblock, and
 * the few options that the kernel supports in a remount (fs/nfs/super.c:nfs_reconfigure and those
 * of the VFS itself). The others are refused, or ignored without an error; base/config_check.c has
 * the same list, so that a profile with one of them is refused when jobio.conf is read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/faultpoint.h"
#include "base/number.h"
#include "base/sysfs.h"
#include "client/affinity.h"
#include "client/command.h"
#include "client/mount_option.h"
#include "client/nfs/nfs.h"
#include "client/setting.h"
#include "record/alloc.h"

#define READ_AHEAD_KB_MAX 1048576
#define PATH_TEXT_MAX 1024

/* ---- read-ahead ------------------------------------------------------------ */

/* The kernel rounds to whole pages (mm/backing-dev.c:read_ahead_kb_store()). */
static const char *desired_read_ahead(const struct client_desired *desired)
{
	const unsigned long page_kb = (unsigned long)getpagesize() / 1024;
	static char list[64];
	unsigned long kb;

	*list = '\0';
	if (*desired->read_ahead_kb &&
	    number_parse(desired->read_ahead_kb, 0, READ_AHEAD_KB_MAX, &kb, NULL) == 0)
		snprintf(list, sizeof(list), "read_ahead_kb=%lu", kb - kb % page_kb);
	return list;
}

static int bdi_path(const struct client *client, const char *target, char path[PATH_TEXT_MAX])
{
	const struct nfs_mount *mount = nfs_mount_at(client, target);

	errno = mount ? ENODEV : ENOENT;
	if (!mount || !mount->device)
		return -1;
	snprintf(path, PATH_TEXT_MAX, "%s/%s/read_ahead_kb", client->section->bdi_dir,
		 mount->device);
	return 0;
}

static const char *read_ahead_now(const struct client *client, const char *target)
{
	struct nfs_facts *facts = nfs_of(client);
	char path[PATH_TEXT_MAX], line[16];
	unsigned long kb;

	if (bdi_path(client, target, path) < 0)
		return NULL;
	if (sysfs_line(path, line, sizeof(line)) < 0) {
		errno = errno == ENOENT ? ENODEV : errno; /* it is in the mount table */
		return NULL;
	}
	errno = EINVAL;
	if (number_parse(line, 0, UINT32_MAX, &kb, NULL) < 0)
		return NULL;
	snprintf(facts->now, sizeof(facts->now), "read_ahead_kb=%lu", kb);
	return facts->now;
}

/* Takes effect for files opened from now on. */
static int set_read_ahead(const struct setting *setting, struct client *client, const char *target,
			  const char *list, struct err *err)
{
	const char *value = strchr(list, '=');
	char path[PATH_TEXT_MAX];
	int rc;

	if (!value || bdi_path(client, target, path) < 0)
		return err_set(err, "%s",
			       errno == ENOENT ? "it is not mounted any more"
					       : "mountinfo does not have it");
	FAULT_POINT("read-ahead before");
	rc = sysfs_write_line(path, value + 1);
	if (rc < 0)
		err_set(err, "%s: %s", path, strerror(errno));
	FAULT_POINT("read-ahead after");
	return rc;
}

static const struct setting_key read_ahead_keys[] = {
	{ "read_ahead_kb", false, true, 0, READ_AHEAD_KB_MAX },
	{ 0 },
};

static const struct setting read_ahead = {
	.keys = read_ahead_keys,
	.one = "setting",
	.many = "settings",
	.no_key = "there is no such setting",
	.shown_by = "the kernel",
	.wanted = desired_read_ahead,
	.target = mount_option_target,
	.now = read_ahead_now,
	.read = nfs_read,
	.write = set_read_ahead,
};

/* ---- options of a mount ---------------------------------------------------- */

/* All options of the VFS itself are repeated: mount(2) resets those that are missing in a remount.
 * The mount table does not show defaults; here each has a word, so that it can be restored. */
static const struct setting_key option_keys[] = {
	{ "ro", true, false, 0, 0 },	       { "nosuid", true, false, 0, 0 },
	{ "nodev", true, false, 0, 0 },	       { "noexec", true, false, 0, 0 },
	{ "sync", true, true, 's', 0 },	       { "async", true, true, 's', 0 },
	{ "noatime", true, true, 't', 0 },     { "relatime", true, true, 't', 0 },
	{ "strictatime", true, true, 't', 0 }, { "nodiratime", true, true, 'd', 0 },
	{ "diratime", true, true, 'd', 0 },    { 0 },
};

/* Return the index-th mount point. Mounts of a hung server are skipped: a lookup of their path
 * would block. */
static const char *option_target(const struct client *client, size_t index)
{
	const struct nfs_facts *facts = nfs_of(client);
	size_t i;

	for (i = 0; i < facts->count; i++)
		if (!facts->mounts[i].is_hung && index-- == 0)
			return facts->mounts[i].mount->target;
	return NULL;
}

static bool shows(const char *options, const char *word)
{
	return options_get(options, word, NULL, 0);
}

static const char *options_now(const struct client *client, const char *target)
{
	const struct nfs_mount *mount = nfs_mount_at(client, target);
	struct nfs_facts *facts = nfs_of(client);
	const char *options, *atime;

	errno = ENOENT;
	if (!mount)
		return NULL;
	options = mount->mount->options;
	atime = shows(options, "noatime")    ? "noatime"
		: shows(options, "relatime") ? "relatime"
					     : "strictatime";
	snprintf(facts->now, sizeof(facts->now), "%s%s%s%s%s,%s,%s",
		 shows(options, "ro") ? "ro," : "", shows(options, "nosuid") ? "nosuid," : "",
		 shows(options, "nodev") ? "nodev," : "", shows(options, "noexec") ? "noexec," : "",
		 shows(options, "sync") ? "sync" : "async", atime,
		 shows(options, "nodiratime") ? "nodiratime" : "diratime");
	return facts->now;
}

/* "relatime" alone does not reset noatime (seen on 5.10, 6.1, 6.12): add "atime". */
static char *spelled(char *list)
{
	char *at = strstr(list, ",relatime"), *longer;

	if (!at)
		return list;
	longer = xasprintf("%.*s,atime%s", (int)(at - list), list, at);
	free(list);
	return longer;
}

/* -i: without mount(8)'s helper, which would contact the server first. */
static int remount(const struct setting *setting, struct client *client, const char *target,
		   const char *list, struct err *err)
{
	const struct nfs_mount *mount = nfs_mount_at(client, target);
	char *argv[] = {
		client->section->mount_command, "-i", "-t", NULL, "-o", NULL, NULL, NULL, NULL
	};
	unsigned long long begun_ms;
	char *options;
	int rc;

	if (!mount)
		return err_set(err, "it is not mounted any more");
	if (mount->is_hung)
		return err_set(err, "its server does not answer");
	options = spelled(mount_option_remount(setting, options_now(client, target), list));
	argv[3] = mount->mount->fstype;
	argv[5] = options;
	argv[6] = mount->mount->source;
	argv[7] = mount->mount->target;
	FAULT_POINT("remount before");
	begun_ms = child_now_ms();
	rc = command_do(client->run_dir, argv, "mount -o remount", client->section->timeout_ms,
			err);
	FAULT_POINT("remount after");
	/* other mounts of the server would block as long */
	if (rc < 0 && child_now_ms() - begun_ms >= client->section->timeout_ms)
		nfs_remember_hung(client, mount);
	free(options);
	return rc;
}

/* Read the mounts and find hung servers: a remount of one blocks. */
static int read_again(struct client *client, struct err *err)
{
	if (nfs_read(client, err) < 0)
		return -1;
	nfs_read_state(client);
	return 0;
}

static const struct setting mount_options = {
	.keys = option_keys,
	.one = "mount option",
	.many = "mount options",
	.no_key = "a remount of NFS does not change it",
	.shown_by = "the mount table",
	.wanted = mount_option_wanted,
	.target = option_target,
	.now = options_now,
	.read = read_again,
	.write = remount,
};

static const struct change_kind mount_option_kind = {
	.name = "mount-option",
	.how = &mount_options,
	.plan = setting_plan,
	.make = setting_make,
	.undo = setting_undo,
	.holds = setting_holds,
};

/* A profile is applied as a whole or not at all. */
static void plan_read_ahead(const struct change_kind *kind, struct client *client,
			    const struct client_desired *desired)
{
	const char *list = desired->mount_options;
	struct options_word w;

	while (options_next(&list, &w))
		if (setting_refusal(&mount_options, w.key, w.value))
			return;
	setting_plan(kind, client, desired);
}

static const struct change_kind read_ahead_kind = {
	.name = "read-ahead",
	.how = &read_ahead,
	.plan = plan_read_ahead,
	.make = setting_make,
	.undo = setting_undo,
	.holds = setting_holds,
};

const struct change_kind *const nfs_changes[] = { &mount_option_kind,  &read_ahead_kind,
						  &affinity_workqueue, &affinity_thread,
						  &affinity_interrupt, NULL };
