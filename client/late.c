/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find mounts made after a time: compare mountinfo of then and now. */
#include <stdlib.h>
#include <string.h>

#include "base/fileio.h"
#include "base/text.h"
#include "client/client.h"
#include "client/mounts.h"
#include "client/place.h"
#include "client/type.h"
#include "record/alloc.h"

#define TABLE_BYTES_MAX (4U << 20)

struct shown {
	char device[PLACE_DEVICE_MAX];
	char *target;
};

struct table {
	size_t count;
	struct shown *shown;
};

static void table_free(struct table *table)
{
	while (table->count)
		free(table->shown[--table->count].target);
	free(table->shown);
	table->shown = NULL;
}

static void add_place(struct table *table, const struct place *place)
{
	struct shown *one;

	table->shown = xmore(table->shown, table->count, sizeof(*one));
	one = &table->shown[table->count++];
	one->target = xstrdup(place->target);
	strcpy(one->device, place->device);
}

static bool is_of(const struct client *client, const struct place *place)
{
	return mounts_word_in(client->type->fstypes, place->fstype) &&
	       mounts_word_in(client->section->mounts, place->target) &&
	       strlen(place->device) < PLACE_DEVICE_MAX;
}

/* Read the client's mounts in a file of mountinfo. */
static int table_read(const struct client *client, const char *path, struct table *table,
		      struct err *err)
{
	char *text = fileio_read(path, TABLE_BYTES_MAX, NULL, err);
	const char *rest = text;
	struct place place;

	if (!text)
		return -1;
	while (text_next_line(&rest, place.text, sizeof(place.text)))
		if (place_parse(&place) && is_of(client, &place))
			add_place(table, &place);
	free(text);
	return 0;
}

/* Return the device on top of a mount point; "": not mounted. */
static const char *device_at(const struct table *table, const char *target)
{
	size_t i;

	for (i = table->count; i > 0; i--)
		if (!strcmp(table->shown[i - 1].target, target))
			return table->shown[i - 1].device;
	return "";
}

static bool has_device(const struct table *table, const char *device)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (!strcmp(table->shown[i].device, device))
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

static int find_mount(const struct client *client, const struct client_moments *moments,
		      const struct client_mount *mount, struct err *err)
{
	struct table old = { 0, NULL }, new = { 0, NULL };
	int rc = -1;

	if (table_read(client, moments->then, &old, err) < 0 ||
	    table_read(client, moments->now, &new, err) < 0)
		goto out;
	for (rc = 0; mount && !rc; mount = next_unknown(client, moments, mount + 1))
		rc = !has_device(&old, device_at(&new, mount->target));
out:
	table_free(&old);
	table_free(&new);
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
