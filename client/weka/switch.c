/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/switch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/child.h"
#include "base/faultpoint.h"
#include "client/weka/facts.h"
#include "client/weka/options.h"
#include "client/weka/ready.h"
#include "client/weka/remount.h"
#include "record/alloc.h"

/* Return "1,2,3": single ids, no ranges. */
char *weka_ids_text(const struct cpuset *ids)
{
	size_t room = (size_t)cpuset_count(ids) * 8 + 1, used = 0;
	char *text = xcalloc(1, room);
	int os_cpu;

	cpuset_for_each (os_cpu, ids)
		used += (size_t)snprintf(text + used, room - used, "%s%d", used ? "," : "", os_cpu);
	return text;
}

static int stage(struct client *client, const char *container, const struct cpuset *ids,
		 struct err *err)
{
	char number[16], *list = weka_ids_text(ids);
	const char *args[] = {
		"local",      "resources", "cores", number,    "--only-frontend-cores",
		"--core-ids", list,	   "-C",    container, NULL
	};
	int rc;

	snprintf(number, sizeof(number), "%u", cpuset_count(ids));
	FAULT_POINT("stage before");
	rc = weka_order(client, client->section->timeout_ms, args, err);
	FAULT_POINT("stage after");
	free(list);
	return rc;
}

static int apply(struct client *client, const char *container, struct err *err)
{
	const struct weka_unit *now = weka_unit(client, container);
	unsigned int timeout_ms = client->section->ready_timeout_ms;
	char wait[16];
	/* option of the 6.x command line, with a default of 20 minutes */
	const char *args[] = { "local",
			       "resources",
			       "apply",
			       "-f",
			       "-C",
			       container,
			       now && weka_major(&now->info) >= 6 ? "--timeout" : NULL,
			       wait,
			       NULL };
	int rc;

	snprintf(wait, sizeof(wait), "%us", (timeout_ms + 999) / 1000);
	FAULT_POINT("apply before");
	/* restarts the container: 8 to 30 s on real nodes */
	rc = weka_order(client, timeout_ms, args, err);
	FAULT_POINT("apply after");
	return rc;
}

static int unstage(struct client *client, const char *container, struct err *err)
{
	const char *args[] = { "local", "resources", "restore", "-C", container, NULL };
	int rc;

	FAULT_POINT("unstage before");
	rc = weka_order(client, client->section->timeout_ms, args, err);
	FAULT_POINT("unstage after");
	return rc;
}

static unsigned long long ready_end(const struct client *client)
{
	return child_now_ms() + client->section->ready_timeout_ms;
}

/* Wait for the removal of the container after its last umount. Return 0 once it is gone. */
static int wait_gone(struct client *client, const char *container, unsigned long long end_ms,
		     struct err *err)
{
	const struct timespec nap = { .tv_nsec = WEKA_POLL_MS * 1000000L };

	while (weka_wait_state(client, container) || !weka_of(client)->containers_known) {
		if (child_now_ms() >= end_ms)
			return err_set(
				err,
				"it still ran %u ms after its last umount: is it mounted in another mount namespace?",
				client->section->ready_timeout_ms);
		nanosleep(&nap, NULL);
	}
	return 0;
}

/* Return 0 if the container runs on exactly these cores. */
static int verify(const struct weka_unit *unit, const struct cpuset *ids, struct err *err)
{
	struct cpuset now;
	char *list;

	weka_named_cpus(&unit->stable, &now);
	if (!cpuset_equal(&now, ids) || weka_is_automatic(&unit->stable)) {
		list = cpuset_format(&now);
		err_set(err, "its resources name core %s instead", list ? list : "?");
		free(list);
		return -1;
	}
	if (unit->cgroup.known && !cpuset_is_subset(ids, &unit->cgroup.cpus))
		return err_set(err, "its cpuset does not hold them");
	return 0;
}

/* Wait until it is READY. Return 0 if it runs on exactly these cores. */
static int wait_for(struct client *client, const char *container, unsigned long long end_ms,
		    const struct cpuset *ids, struct err *err)
{
	const struct weka_unit *unit = weka_wait_ready(client, container, end_ms, err);

	return unit ? verify(unit, ids, err) : -1;
}

static int order_cores(struct client *client, const char *container, const struct cpuset *ids,
		       bool *begun, struct err *err)
{
	const struct client_mount *mount;

	*begun = false;
	if (client->section->core_method == CORE_METHOD_REMOUNT) {
		mount = weka_mount_of(client, container);
		if (!mount)
			return err_set(err, "it has no mount to remount");
		*begun = true;
		return weka_remount_cores(client, mount, ids, err);
	}
	if (stage(client, container, ids, err) < 0)
		return -1;
	*begun = true;
	return apply(client, container, err);
}

/* Unmount all, then mount with other cores. Return 0 if the commands succeeded. */
static int mount_with_ids(struct client *client, const char *container, const struct cpuset *ids,
			  unsigned long long end_ms, bool *busy, struct err *err)
{
	if (weka_mount_away(client, end_ms, busy, err) < 0 ||
	    wait_gone(client, container, end_ms, err) < 0)
		return -1;
	return weka_mount_back(client, ids, end_ms, false, err);
}

static int switch_by_mount(struct client *client, const char *container, const struct cpuset *ids,
			   bool *busy, struct err *err)
{
	unsigned long long end_ms = ready_end(client);

	if (weka_mount_begin(client, container, err) < 0 ||
	    mount_with_ids(client, container, ids, end_ms, busy, err) < 0 ||
	    wait_for(client, container, end_ms, ids, err) < 0)
		return -1;
	weka_mount_end(client);
	return 0;
}

/* Command and wait share one timeout: ready_timeout_ms. */
static int switch_in_place(struct client *client, const char *container, const struct cpuset *ids,
			   struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	struct err why = { "" };
	bool begun;

	if (order_cores(client, container, ids, &begun, &why) == 0)
		return wait_for(client, container, end_ms, ids, err);
	/* it may have succeeded nevertheless: check */
	if (begun && wait_for(client, container, end_ms, ids, NULL) == 0)
		return 0;
	return err_set(err, "%s", why.text);
}

int weka_switch_cores(struct client *client, const char *container, const struct cpuset *ids,
		      bool *busy, struct err *err)
{
	if (client->section->core_method == CORE_METHOD_MOUNT)
		return switch_by_mount(client, container, ids, busy, err);
	return switch_in_place(client, container, ids, err);
}

/* Return true if the container runs on other cores than these. */
static bool has_other_cores(struct client *client, const char *container, const struct cpuset *ids)
{
	const struct weka_unit *unit = weka_wait_state(client, container);

	return unit && unit->stable.known && verify(unit, ids, NULL) < 0;
}

/* Mount what was unmounted, with the old cores. */
static int mount_back(struct client *client, const char *container, const struct cpuset *old_ids,
		      unsigned long long end_ms, struct err *err)
{
	if (weka_mount_count(client, err) == 0)
		wait_gone(client, container, end_ms, NULL);
	return weka_mount_back(client, old_ids, end_ms, true, err);
}

/* Restore from any state of old and new mounts: at the end all are mounted, and the container has
 * its old cores. */
static int back_out_mount(struct client *client, const char *container,
			  const struct cpuset *old_ids, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	bool busy;

	if (has_other_cores(client, container, old_ids))
		weka_mount_away(client, end_ms, &busy, NULL);
	if (mount_back(client, container, old_ids, end_ms, err) < 0 ||
	    wait_for(client, container, end_ms, old_ids, err) < 0)
		return -1;
	weka_mount_end(client);
	return 0;
}

/* Return 1 if a set of mounts is stored: an exchange was begun; 0 if not, -1 if unknown. */
static int is_begun(const struct client *client, const char *container, struct err *err)
{
	int begun = weka_mount_is_begun(client, container);

	return begun < 0 ? err_set(err, "what was mounted cannot be read") : begun;
}

/* Go back after a change that failed: nothing may stay staged, or the next restart would apply it.
 * A client that has the new cores and does not work with them is given the old ones again; WEKA 5
 * refuses that if there were fewer of them. Return 0 once the container runs on its old cores. */
int weka_switch_back(struct client *client, const char *container, const struct cpuset *old_ids,
		     struct err *err)
{
	int begun = is_begun(client, container, err);
	const struct weka_unit *unit;

	if (begun)
		return begun < 0 ? -1 : back_out_mount(client, container, old_ids, err);
	unit = weka_wait_state(client, container);
	if (!unit)
		return err_set(err, "the container is gone");
	if (unit->stable.known && unit->staged.known &&
	    weka_resources_equal(&unit->stable, &unit->staged) && verify(unit, old_ids, NULL) == 0)
		return 0;
	if (unstage(client, container, err) < 0)
		return -1;
	if (has_other_cores(client, container, old_ids))
		return switch_in_place(client, container, old_ids, err);
	return wait_for(client, container, ready_end(client), old_ids, err);
}

const struct weka_unit *weka_switch_finish(struct client *client, const char *container,
					   const struct cpuset *old_ids, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	int begun = is_begun(client, container, err);
	const struct weka_unit *unit;

	if (begun < 0 || (begun && mount_back(client, container, old_ids, end_ms, err) < 0))
		return NULL;
	unit = weka_wait_ready(client, container, end_ms, err);
	if (!unit)
		return NULL;
	if (begun)
		weka_mount_end(client);
	if (weka_resources_equal(&unit->stable, &unit->staged))
		return unit;
	if (unstage(client, container, err) < 0)
		return NULL;
	unit = weka_wait_state(client, container);
	if (!unit)
		err_set(err, "the container is gone");
	return unit;
}
