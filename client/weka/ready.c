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

int weka_wait_state(struct client *client, const char *container, size_t *index)
{
	client->deadline_ms = child_now_ms() + 4ULL * client->section->timeout_ms;
	weka_read_containers(client);
	weka_read_interface(client);
	weka_read_cgroups(client);
	weka_digest(client);
	return weka_container(weka_of(client), container, index) ? 0 : -1;
}

static bool is_connected(const struct weka_facts *facts, size_t i)
{
	size_t n, links = 0;

	/* no file of the driver: READY is enough */
	if (facts->interface_source.answer != QUERY_ANSWERED || !facts->interface.link_count)
		return true;
	for (n = 0; n < facts->interface.link_count; n++) {
		if (strcmp(facts->interface.link[n].container, facts->containers.item[i].name) != 0)
			continue;
		if (!facts->interface.link[n].connected)
			return false;
		links++;
	}
	return links == facts->stable[i].frontend_count;
}

static bool is_healthy(const struct weka_facts *facts, size_t i)
{
	return facts->containers.item[i].running &&
	       !strcmp(facts->containers.item[i].display_status, "READY") &&
	       facts->stable[i].known && is_connected(facts, i);
}

int weka_wait_ready(struct client *client, const char *container, unsigned long long end_ms,
		    size_t *index, struct err *err)
{
	const struct timespec nap = { .tv_nsec = WEKA_POLL_MS * 1000000L };

	for (;;) {
		if (weka_wait_state(client, container, index) == 0 &&
		    is_healthy(weka_of(client), *index))
			return 0;
		if (child_now_ms() >= end_ms)
			return err_set(err,
				       "it was not READY with all frontends connected after %u ms",
				       client->section->ready_timeout_ms);
		nanosleep(&nap, NULL);
	}
}
