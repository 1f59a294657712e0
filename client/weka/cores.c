/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Add, move and remove frontends of a WEKA client.
 *
 * Up to 4.4 the documentation requires that a container is deactivated for that, WEKA's
 * own tools do it on running clients; 5.x allows it, but not a lower count while a file
 * system is mounted ("Cannot lower frontend count while a mount is active"). So a client
 * with the right cores is left alone, and every change is read back. */
#include "client/weka/cores.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysfs.h"
#include "client/cache.h"
#include "client/rule.h"
#include "client/state.h"
#include "client/weka/baseline.h"
#include "client/weka/checks.h"
#include "client/weka/facts.h"
#include "client/weka/options.h"
#include "client/weka/ready.h"
#include "client/weka/remount.h"
#include "client/weka/switch.h"
#include "record/alloc.h"

/* ---- plan -------------------------------------------------------------- */

/* Return why this client cannot be changed by the method of jobio.conf; NULL: it can. */
static const char *method_objection(const struct client *client, const char *container,
				    const char **cure, struct err *why)
{
	const struct weka_unit *now = weka_unit(client, container);

	switch (client->section->core_method) {
	case CORE_METHOD_RESOURCES:
		return NULL;
	case CORE_METHOD_REMOUNT:
		*cure = "set core_method=resources";
		if (!now || weka_major(&now->info) < 5)
			return "WEKA changes cores on a remount from version 5 on only";
		if (client->section->light_only)
			return "remount=light_only, and a remount restarts the container";
		return weka_mount_of(client, container) ? NULL : "it has no mount";
	case CORE_METHOD_MOUNT:
		break;
	}
	return weka_mount_check(client, container, cure, why) < 0 ? why->text : NULL;
}

/* Return the only container; NULL: none. With others that poll, a job's cores are not this
 * container's alone. */
static const struct weka_unit *the_container(const struct client *client)
{
	const struct weka_facts *facts = weka_of(client);
	const struct weka_unit *unit = facts->unit;

	return facts->count == 1 && !facts->others_running && unit->stable.known &&
			       !unit->stable.server_count && unit->info.running &&
			       !strcmp(unit->info.display_status, "READY")
		       ? unit
		       : NULL;
}

/* Get the ids that the container is to have. Return 0 if it has them. */
static int desired_ids(const struct client *client, const struct client_desired *desired,
		       const char *container, const struct cpuset *now, struct cpuset *ids)
{
	struct cpuset whole, job_may_use;

	if (desired->io_cores && desired->has_io_cores) {
		sysfs_whole_cores(&desired->io_cpus, &whole);
		if (!cpuset_equal(&whole, &desired->io_cpus))
			return 0; /* not whole cores: W05, or a wrong node line */
		sysfs_core_ids(&whole, now, ids);
		return !cpuset_equal(ids, now);
	}
	if (!weka_baseline_read(client, container, ids) || cpuset_equal(ids, now))
		return 0;
	/* lazily: go back only if Slurm may give those CPUs to this job */
	if (!desired->has_io_cores)
		return 1;
	sysfs_whole_cores(now, &job_may_use);
	cpuset_andnot(&job_may_use, &desired->io_cpus);
	return !cpuset_is_empty(&job_may_use);
}

static void report_not_allowed(const struct client *client, const char *container, const char *have,
			       const char *need, const char *why, const char *cure)
{
	rule_report_code(client, "W47", cure,
			 "container '%s' keeps core %s, although this job should find %s: %s",
			 container, have, need, why);
}

/* Return why the cores cannot be changed; NULL: they can. */
static const char *objection(const struct client *client, const char *container,
			     const struct cpuset *now, const struct cpuset *ids, const char **cure,
			     struct err *text)
{
	enum core_change allowed = client->section->core_change;
	const char *why;

	why = allowed == CORE_CHANGE_NEVER ? NULL : method_objection(client, container, cure, text);
	if (why)
		return why;
	*cure = "set core_change=grow or any in jobio.conf, or give the client these cores for good (jobio plan)";
	if (allowed == CORE_CHANGE_NEVER)
		return "core_change=never";
	if (allowed == CORE_CHANGE_GROW && !cpuset_is_subset(now, ids))
		return "core_change=grow, and that would take a core away";
	*cure = "reserve other cores in slurm.conf";
	if (cpuset_has(ids, 0))
		return "WEKA refuses core 0";
	if (cpuset_count(ids) > weka_sizing.cores_max)
		return "WEKA allows at most 19 cores a container";
	*cure = "set core_method=mount, or leave the client its cores";
	if (client->section->core_method != CORE_METHOD_MOUNT &&
	    cpuset_count(ids) < cpuset_count(now) && weka_of(client)->interface.active_mounts != 0)
		return "WEKA does not lower the number of cores while a file system is mounted";
	return NULL;
}

static void plan_change(struct client *client, const char *container, const struct cpuset *now,
			const struct cpuset *ids)
{
	char *have = xneed(cpuset_format(now));
	char *need = xneed(cpuset_format(ids));
	struct err text = { "" };
	const char *why, *cure;

	why = objection(client, container, now, ids, &cure, &text);
	if (why)
		report_not_allowed(client, container, have, need, why, cure);
	else
		change_add(client, &weka_cores, container, have, need);
	free(have);
	free(need);
}

static void plan_cores(const struct change_kind *kind, struct client *client,
		       const struct client_desired *desired)
{
	const struct weka_unit *unit = the_container(client);
	struct cpuset now, ids;

	weka_mount_forget_old(client);
	if (!unit || weka_is_automatic(&unit->stable))
		return;
	weka_named_cpus(&unit->stable, &now);
	if (cpuset_is_empty(&now))
		return; /* no process polls */
	weka_baseline_forget_stale(client, unit->info.name, &now);
	if ((desired->alone || (desired->idle && !desired->io_cores)) &&
	    desired_ids(client, desired, unit->info.name, &now, &ids))
		plan_change(client, unit->info.name, &now, &ids);
}

/* ---- make and undo ----------------------------------------------------- */

static int ids_of(const struct change *change, struct cpuset *old_ids, struct cpuset *new_ids)
{
	return cpuset_parse(old_ids, change->old_value, NULL) < 0 ||
			       cpuset_parse(new_ids, change->new_value, NULL) < 0
		       ? -1
		       : 0;
}

static void report_failed(const struct client *client, bool is_busy, const struct change *change,
			  const struct err *why, bool is_back)
{
	if (is_busy)
		rule_report_code(
			client, "W48", NULL,
			"container '%s' keeps core %s, although this job should find %s: %.300s",
			change->target, change->old_value, change->new_value, why->text);
	else
		rule_report_code(client, "W44", NULL,
				 "container '%s' could not change from core %s to %s: %.300s%s%s",
				 change->target, change->old_value, change->new_value, why->text,
				 is_back ? "; it is back at core " : "",
				 is_back ? change->old_value : "");
}

static void report_not_restored(const struct client *client, const struct change *change,
				const struct err *why)
{
	char *cure = rule_cure_for(weka_mount_is_begun(client, change->target) > 0
					   ? "mount what fstab(5) names; the next job tries again"
					   : WEKA_BACK_CURE,
				   change->target);

	rule_report_code(client, "W45", cure, "container '%s' is not back at core %s: %.300s",
			 change->target, change->old_value, why->text);
	free(cure);
}

static enum change_state make_cores(const struct change_kind *kind, struct client *client,
				    const struct change *change)
{
	struct cpuset old_ids, new_ids;
	struct err why = { "" }, worse = { "" };
	bool is_back, is_busy = false;

	if (ids_of(change, &old_ids, &new_ids) < 0)
		return CHANGE_FAILED;
	cache_drop(client);
	if (weka_baseline_store(client, change->target, &old_ids, &new_ids, &why) < 0)
		goto failed;
	if (weka_switch_cores(client, change->target, &new_ids, &is_busy, &why) == 0) {
		weka_baseline_settle(client, change->target, &new_ids);
		cache_store(client);
		return CHANGE_DONE;
	}
failed:
	client->plan = NULL; /* options of the plan are not set on the way back */
	is_back = weka_switch_back(client, change->target, &old_ids, &worse) == 0;
	report_failed(client, is_busy, change, &why, is_back);
	if (is_back) {
		weka_baseline_settle(client, change->target, &old_ids);
		return CHANGE_FAILED;
	}
	report_not_restored(client, change, &worse);
	return change->state;
}

/* A completed change is kept: going back would restart the client again. After an interrupted one
 * the current cores decide. */
static enum change_state undo_cores(const struct change_kind *kind, struct client *client,
				    const struct change *change)
{
	struct cpuset old_ids, new_ids, now;
	const struct weka_unit *unit;
	struct err why = { "" };

	if (change->state == CHANGE_DONE)
		return CHANGE_KEPT;
	if (ids_of(change, &old_ids, &new_ids) < 0)
		return CHANGE_REPLACED;
	cache_drop(client);
	unit = weka_switch_finish(client, change->target, &old_ids, &why);
	if (!unit) {
		report_not_restored(client, change, &why);
		return change->state;
	}
	weka_named_cpus(&unit->stable, &now);
	weka_baseline_settle(client, change->target, &now);
	if (cpuset_equal(&now, &old_ids))
		return CHANGE_RESTORED;
	return cpuset_equal(&now, &new_ids) ? CHANGE_KEPT : CHANGE_REPLACED;
}

const struct change_kind weka_cores = {
	.name = "cores",
	.outlives_reboot = true,
	.plan = plan_cores,
	.make = make_cores,
	.undo = undo_cores,
};

char *weka_cores_command(const struct client_placement *placement)
{
	char *list = weka_ids_text(&placement->ids);
	char *text = xasprintf(
		"weka local resources cores %u --only-frontend-cores --core-ids %s --allow-mix-setting -C client && weka local resources apply -C client",
		cpuset_count(&placement->ids), list);

	free(list);
	return text;
}
