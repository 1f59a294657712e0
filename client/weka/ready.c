/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/ready.h"

#include <string.h>
#include <time.h>

#include "base/child.h"
#include "client/mounts.h"
#include "client/weka/facts.h"

const struct client_mount *weka_mount_of(const struct client *client, const char *container)
{
	const struct mounts *mounts = client->mounts;
	char name[WEKA_NAME_MAX];
	size_t i;

	for (i = 0; i < mounts->count; i++) {
		if (!options_get(mounts->mount[i].options, "container_name", name, sizeof(name)) ||
		    !strcmp(name, container))
			return &mounts->mount[i];
	}
	return NULL;
}

const struct weka_unit *weka_wait_state(struct client *client, const char *container)
{
	client->deadline_ms = child_now_ms() + 4ULL * client->section->timeout_ms;
	weka_read_containers(client);
	weka_read_interface(client);
	weka_read_cgroups(client);
	weka_digest(client);
	return weka_unit(client, container);
}

static bool is_connected(const struct weka_facts *facts, const struct weka_unit *unit)
{
	const struct weka_link *link = facts->interface.link;
	size_t i, links = 0;

	/* no file of the driver: READY is enough */
	if (facts->interface_source.answer != QUERY_ANSWERED || !facts->interface.link_count)
		return true;
	for (i = 0; i < facts->interface.link_count; i++) {
		if (strcmp(link[i].container, unit->info.name) != 0)
			continue;
		if (!link[i].connected)
			return false;
		links++;
	}
	return links == unit->stable.frontend_count;
}

const struct weka_unit *weka_wait_ready(struct client *client, const char *container,
					unsigned long long end_ms, struct err *err)
{
	const struct timespec nap = { .tv_nsec = WEKA_POLL_MS * 1000000L };
	const struct weka_unit *unit;

	for (;;) {
		unit = weka_wait_state(client, container);
		if (unit && unit->info.running && !strcmp(unit->info.display_status, "READY") &&
		    unit->stable.known && is_connected(weka_of(client), unit))
			return unit;
		if (child_now_ms() >= end_ms)
			break;
		nanosleep(&nap, NULL);
	}
	err_set(err, "it was not READY with all frontends connected after %u ms",
		client->section->ready_timeout_ms);
	return NULL;
}
