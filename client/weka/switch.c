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
	const struct weka_container *now = weka_container(weka_of(client), container, NULL);
	unsigned int timeout_ms = client->section->ready_timeout_ms;
	char wait[16];
	/* option of the 6.x command line, with a default of 20 minutes */
	const char *args[] = { "local",
			       "resources",
			       "apply",
			       "-f",
			       "-C",
			       container,
			       now && weka_major(now) >= 6 ? "--timeout" : NULL,
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
	size_t i;

	for (;;) {
		if (weka_wait_state(client, container, &i) < 0 && weka_of(client)->containers_known)
			return 0;
		if (child_now_ms() >= end_ms)
			return err_set(
				err,
				"it still ran %u ms after its last umount: is it mounted in another mount namespace?",
				client->section->ready_timeout_ms);
		nanosleep(&nap, NULL);
	}
}

/* Return 0 if the container runs on exactly these cores. */
static int verify(const struct client *client, size_t i, const struct cpuset *ids, struct err *err)
{
	const struct weka_facts *facts = weka_of(client);
	struct cpuset now;
	char *list;

	weka_named_cpus(&facts->stable[i], &now);
	if (!cpuset_equal(&now, ids) || weka_is_automatic(&facts->stable[i])) {
		list = cpuset_format(&now);
		err_set(err, "its resources name core %s instead", list ? list : "?");
		free(list);
		return -1;
	}
	if (facts->cgroup[i].known && !cpuset_is_subset(ids, &facts->cgroup[i].cpus))
		return err_set(err, "its cpuset does not hold them");
	return 0;
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
			  unsigned long long end_ms, struct switch_report *report, struct err *err)
{
	if (weka_mount_away(client, end_ms, &report->busy, err) < 0 ||
	    wait_gone(client, container, end_ms, err) < 0)
		return -1;
	return weka_mount_back(client, ids, end_ms, false, report->findings, err);
}

static int switch_by_mount(struct client *client, const char *container, const struct cpuset *ids,
			   struct switch_report *report, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	size_t i;

	if (weka_mount_begin(client, container, err) < 0 ||
	    mount_with_ids(client, container, ids, end_ms, report, err) < 0 ||
	    weka_wait_ready(client, container, end_ms, &i, err) < 0 ||
	    verify(client, i, ids, err) < 0)
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
	size_t i;

	if (order_cores(client, container, ids, &begun, &why) < 0) {
		if (!begun)
			return err_set(err, "%s", why.text);
		/* it may have succeeded nevertheless: check */
		if (weka_wait_ready(client, container, end_ms, &i, err) == 0 &&
		    verify(client, i, ids, NULL) == 0)
			return 0;
		return err_set(err, "%s", why.text);
	}
	if (weka_wait_ready(client, container, end_ms, &i, err) < 0)
		return -1;
	return verify(client, i, ids, err);
}

int weka_switch_cores(struct client *client, const char *container, const struct cpuset *ids,
		      struct switch_report *report, struct err *err)
{
	if (client->section->core_method == CORE_METHOD_MOUNT)
		return switch_by_mount(client, container, ids, report, err);
	return switch_in_place(client, container, ids, err);
}

/* Return true if the container runs on other cores than these. */
static bool has_other_cores(struct client *client, const char *container, const struct cpuset *ids)
{
	size_t i;

	return weka_wait_state(client, container, &i) == 0 && weka_of(client)->stable[i].known &&
	       verify(client, i, ids, NULL) < 0;
}

/* Restore from any state of old and new mounts: at the end all are mounted, and the container has
 * its old cores. */
static int back_out_mount(struct client *client, const char *container,
			  const struct cpuset *old_ids, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	struct err ignored;
	bool busy;
	size_t i;

	if (has_other_cores(client, container, old_ids))
		weka_mount_away(client, end_ms, &busy, &ignored);
	if (weka_mount_count(client, err) == 0)
		wait_gone(client, container, end_ms, &ignored);
	if (weka_mount_back(client, old_ids, end_ms, true, NULL, err) < 0 ||
	    weka_wait_ready(client, container, end_ms, &i, err) < 0 ||
	    verify(client, i, old_ids, err) < 0)
		return -1;
	weka_mount_end(client);
	return 0;
}

/* Go back after a change that failed: nothing may stay staged, or the next restart would apply it.
 * A client that has the new cores and does not work with them is given the old ones again; WEKA 5
 * refuses that if there were fewer of them. Return 0 once the container runs on its old cores. */
int weka_switch_back(struct client *client, const char *container, const struct cpuset *old_ids,
		     struct err *err)
{
	int begun = weka_mount_is_begun(client, container);
	size_t i;

	if (begun < 0)
		return err_set(err, "what was mounted cannot be read");
	if (begun)
		return back_out_mount(client, container, old_ids, err);
	if (weka_wait_state(client, container, &i) < 0)
		return err_set(err, "the container is gone");
	if (weka_of(client)->stable[i].known && weka_of(client)->staged[i].known &&
	    weka_resources_equal(&weka_of(client)->stable[i], &weka_of(client)->staged[i]) &&
	    verify(client, i, old_ids, NULL) == 0)
		return 0;
	if (unstage(client, container, err) < 0)
		return -1;
	if (has_other_cores(client, container, old_ids))
		return switch_in_place(client, container, old_ids, err);
	if (weka_wait_ready(client, container, ready_end(client), &i, err) < 0)
		return -1;
	return verify(client, i, old_ids, err);
}

/* Mount what was unmounted, with the old cores, unless the container has started with new ones. */
static int remount_half(struct client *client, const char *container, const struct cpuset *old_ids,
			unsigned long long end_ms, struct err *err)
{
	int begun = weka_mount_is_begun(client, container);
	struct err ignored;

	if (begun < 0)
		return err_set(err, "what was mounted cannot be read");
	if (!begun)
		return 0;
	if (weka_mount_count(client, err) == 0)
		wait_gone(client, container, end_ms, &ignored);
	return weka_mount_back(client, old_ids, end_ms, true, NULL, err);
}

int weka_switch_finish(struct client *client, const char *container, const struct cpuset *old_ids,
		       size_t *index, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	int begun;

	if (remount_half(client, container, old_ids, end_ms, err) < 0 ||
	    weka_wait_ready(client, container, end_ms, index, err) < 0)
		return -1;
	begun = weka_mount_is_begun(client, container);
	if (begun < 0)
		return err_set(err, "what was mounted cannot be read");
	if (begun)
		weka_mount_end(client);
	if (weka_resources_equal(&weka_of(client)->stable[*index],
				 &weka_of(client)->staged[*index]))
		return 0;
	if (unstage(client, container, err) < 0)
		return -1;
	if (weka_wait_state(client, container, index) < 0)
		return err_set(err, "the container is gone");
	return 0;
}
