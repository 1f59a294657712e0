/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/mount_option.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/faultpoint.h"
#include "client/command.h"
#include "client/type.h"

const char *mount_option_wanted(const struct client_desired *desired)
{
	return desired->mount_options;
}

const char *mount_option_target(const struct client *client, size_t index)
{
	return index < client->common.mount_count ? client->common.mounts[index].target : NULL;
}

const char *mount_option_now(const struct client *client, const char *target)
{
	const struct client_mount *mount = mounts_find(client->mounts, target);

	errno = ENOENT;
	return mount ? mount->options : NULL;
}

/* ---- remount ----------------------------------------------------------- */

char *mount_option_remount(const struct setting *setting, const char *now, const char *wanted)
{
	char *list = options_append(NULL, "remount");
	const struct setting_key *row;
	struct options_word w;

	while (options_next(&now, &w)) {
		row = setting_key_find(setting, w.key);
		if (row && row->repeat && !setting_is_replaced(setting, wanted, w.key))
			list = options_append(list, w.word);
	}
	while (options_next(&wanted, &w))
		if (*w.word != '!')
			list = options_append(list, w.word);
	return list;
}

int mount_option_run(struct client *client, const struct client_mount *mount, const char *list,
		     unsigned int timeout_ms, struct err *err)
{
	char *argv[] = { client->section->mount_command,
			 "-t",
			 mount->fstype,
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

int mount_option_write(const struct setting *setting, struct client *client, const char *target,
		       const char *list, struct err *err)
{
	const struct client_mount *mount = mounts_find(client->mounts, target);
	char *options;
	int rc;

	if (!mount)
		return err_set(err, "it is not mounted any more");
	options = mount_option_remount(setting, mount->options, list);
	rc = mount_option_run(client, mount, options, client->section->timeout_ms, err);
	free(options);
	return rc;
}
