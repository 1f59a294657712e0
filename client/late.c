/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find mounts made after a time: compare mountinfo of then and now. */
#include <string.h>

#include "base/mountinfo.h"
#include "client/client.h"
#include "client/mounts.h"
#include "client/type.h"

/* Return true if the client had a mount of the superblock. */
static bool has_device(const struct client *client, const struct mountinfo *table,
		       const char *device)
{
	const struct mountinfo_mount *mount = table->mount;

	for (; mount < table->mount + table->count; mount++)
		if (!strcmp(mount->device, device) &&
		    mounts_word_in(client->type->fstypes, mount->fstype) &&
		    mounts_word_in(client->section->mounts, mount->target))
			return true;
	return false;
}

static bool is_known(const struct client_moments *moments, const char *target)
{
	size_t i;

	for (i = 0; i < moments->count; i++)
		if (!strcmp(moments->targets[i], target))
			return true;
	return false;
}

/* Return the next mount from 'mount' on that was not there; NULL: none. */
static const struct client_mount *next_unknown(const struct client *client,
					       const struct client_moments *moments,
					       const struct client_mount *mount)
{
	const struct client_facts *facts = &client->common;

	while (mount < facts->mounts + facts->mount_count && is_known(moments, mount->target))
		mount++;
	return mount < facts->mounts + facts->mount_count ? mount : NULL;
}

/* Return 1 if a mount of the client has a superblock that no mount of the client had then. */
static int find_mount(const struct client *client, const struct client_moments *moments,
		      const struct client_mount *mount, struct err *err)
{
	struct mountinfo *then = mountinfo_read(moments->then, err);
	struct mountinfo *now = then ? mountinfo_read(moments->now, err) : NULL;
	const struct mountinfo_mount *on;
	int rc = now ? 0 : -1;

	for (; mount && !rc; mount = next_unknown(client, moments, mount + 1)) {
		on = mountinfo_on(now, mount->target);
		rc = !on || !has_device(client, then, on->device);
	}
	mountinfo_free(then);
	mountinfo_free(now);
	return rc;
}

int client_mounted_since(struct client *client, const struct client_moments *moments,
			 struct err *err)
{
	const struct client_mount *mount;

	if (mounts_reread(client, err) < 0)
		return -1;
	mount = next_unknown(client, moments, client->common.mounts);
	return mount ? find_mount(client, moments, mount, err) : 0;
}
