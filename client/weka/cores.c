/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growing, moving and shrinking the frontends of a WEKA client.
 *
 * Up to 4.4 the documents want a container deactivated for that, WEKA's own
 * tools do it on running clients; 5.x allows it and refuses only to lower the
 * count while a file system is mounted ("Cannot lower frontend count while a
 * mount is active"). So: never touch a client that is right, and believe only
 * what is read back. */
#include "client/weka/cores.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "client/cache.h"
#include "lib/sysfs.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "client/state.h"
#include "client/weka/facts.h"
#include "client/weka/options.h"
#include "client/weka/remount.h"
#include "lib/faultpoint.h"
#include "lib/host.h"
#include "lib/number.h"
#include "lib/rundir.h"

#define POLL_MS 200

/* ---- the baseline ------------------------------------------------------ */

/* STATE/NAME.baseline, a line each:
 *   CONTAINER LIST    what it had before the first job wanted other cores
 *   boot ID           when that was
 *   ours LIST         what a job wanted, the newest last; a few
 * It holds as long as the container has cores that a job wanted. With any others
 * somebody else has configured it since, and is right: the site, or fstab when
 * the node came up again. */
#define OURS_MAX 16U

struct baseline {
	bool is_known;
	char boot_id[64]; /* "": written by an older version, as 'ours' */
	struct cpuset cores, ours[OURS_MAX];
	size_t ours_count;
};

static void baseline_ours(struct baseline *baseline, const struct cpuset *ids)
{
	if (baseline->ours_count == OURS_MAX) {
		memmove(baseline->ours, baseline->ours + 1,
			(OURS_MAX - 1) * sizeof(baseline->ours[0]));
		baseline->ours_count--;
	}
	baseline->ours[baseline->ours_count++] = *ids;
}

static void baseline_line(struct baseline *baseline, const char *container,
			  char *line)
{
	char *value = strchr(line, ' ');
	struct cpuset ids;

	if (!value)
		return;
	*value++ = '\0';
	if (!baseline->is_known)
		baseline->is_known =
			!strcmp(line, container) &&
			cpuset_parse(&baseline->cores, value, NULL) == 0;
	else if (!strcmp(line, "boot"))
		snprintf(baseline->boot_id, sizeof(baseline->boot_id), "%s",
			 value);
	else if (!strcmp(line, "ours") && cpuset_parse(&ids, value, NULL) == 0)
		baseline_ours(baseline, &ids);
}

static void baseline_load(const struct client *client, const char *container,
			  struct baseline *baseline)
{
	char *text = state_read(client, RUNDIR_BASELINE), *line, *save = NULL;

	memset(baseline, 0, sizeof(*baseline));
	if (!text)
		return;
	line = strtok_r(text, "\n", &save);
	while (line) {
		baseline_line(baseline, container, line);
		line = baseline->is_known ? strtok_r(NULL, "\n", &save) : NULL;
	}
	free(text);
}

/* 1: *cores is the baseline of the container; 0: it is at its baseline. */
static int baseline_read(const struct client *client, const char *container,
			 struct cpuset *cores)
{
	struct baseline baseline;

	baseline_load(client, container, &baseline);
	if (baseline.is_known)
		*cores = baseline.cores;
	return baseline.is_known;
}

static int print_list(FILE *file, const char *what, const struct cpuset *ids)
{
	char *list = cpuset_format(ids);
	int rc = list ? 0 : -1;

	if (list)
		fprintf(file, "%s %s\n", what, list);
	free(list);
	return rc;
}

static int baseline_store(const struct client *client, const char *container,
			  const struct baseline *baseline, struct err *err)
{
	size_t size_bytes = 0, i;
	char *text = NULL;
	FILE *file = open_memstream(&text, &size_bytes);
	int rc = file ? print_list(file, container, &baseline->cores) : -1;

	if (file)
		fprintf(file, "boot %s\n", baseline->boot_id);
	for (i = 0; rc == 0 && i < baseline->ours_count; i++)
		rc = print_list(file, "ours", &baseline->ours[i]);
	if (file && fclose(file) != 0)
		rc = -1;
	if (rc < 0)
		err_set(err, "client: out of memory");
	else
		rc = state_write(client, RUNDIR_BASELINE, text, err);
	free(text);
	return rc;
}

/* Before the container gets other cores for a job. */
static int baseline_keep(const struct client *client, const char *container,
			 const struct cpuset *old_ids,
			 const struct cpuset *new_ids, struct err *err)
{
	struct baseline baseline;

	baseline_load(client, container, &baseline);
	if (!baseline.is_known) {
		baseline.is_known = true;
		baseline.cores = *old_ids;
	} else if (!*baseline.boot_id) {
		baseline_ours(&baseline, old_ids);
	}
	host_boot_id(baseline.boot_id, sizeof(baseline.boot_id));
	baseline_ours(&baseline, new_ids);
	return baseline_store(client, container, &baseline, err);
}

/* Of another boot, and the container has cores that no job of then can have left
 * it with: WEKA keeps what was applied, fstab says what is mounted. */
static bool is_stale(const struct client *client,
		     const struct baseline *baseline, const struct cpuset *now)
{
	char boot_id[64];
	size_t i;

	if (!*baseline->boot_id)
		return false;
	host_boot_id(boot_id, sizeof(boot_id));
	if (strcmp(boot_id, baseline->boot_id) != 0 &&
	    (client->section->core_method != CORE_METHOD_RESOURCES ||
	     cpuset_equal(now, &baseline->cores)))
		return true;
	for (i = 0; i < baseline->ours_count; i++)
		if (cpuset_equal(now, &baseline->ours[i]))
			return false;
	return !cpuset_equal(now, &baseline->cores);
}

static void forget_stale(const struct client *client, const char *container,
			 const struct cpuset *now)
{
	struct baseline baseline;

	baseline_load(client, container, &baseline);
	if (baseline.is_known && is_stale(client, &baseline, now))
		state_forget(client, RUNDIR_BASELINE);
}

/* ---- plan -------------------------------------------------------------- */

/* A mount that the container serves; the only container serves all. */
static const struct client_mount *mount_of(const struct client *client,
					   const char *container)
{
	const struct mounts *mounts = client->mounts;
	char name[WEKA_NAME_MAX];
	size_t i;

	for (i = 0; i < mounts->count; i++) {
		if (!options_get(mounts->mount[i].options, "container_name",
				 name, sizeof(name)) ||
		    !strcmp(name, container))
			return &mounts->mount[i];
	}
	return NULL;
}

/* "5.0.1" is 5; unknown is 0. */
static unsigned int major_version(const char *version)
{
	char digits[8];
	unsigned long major;

	snprintf(digits, sizeof(digits), "%.*s",
		 (int)strspn(version, "0123456789"), version);
	if (number_parse(digits, 0, 999, &major, NULL) < 0)
		return 0;
	return (unsigned int)major;
}

/* Can this client be changed by the method of jobio.conf? NULL: yes. */
static const char *method_objection(const struct client *client,
				    const char *container, const char **cure,
				    struct err *why)
{
	const struct weka_container *now =
		weka_container(weka_of(client), container, NULL);

	switch (client->section->core_method) {
	case CORE_METHOD_RESOURCES:
		return NULL;
	case CORE_METHOD_REMOUNT:
		*cure = "set core_method=resources";
		if (!now || major_version(now->version) < 5)
			return "WEKA changes cores on a remount from version 5 "
			       "on only";
		return mount_of(client, container) ? NULL : "it has no mount";
	case CORE_METHOD_MOUNT:
		break;
	}
	return weka_mount_check(client, container, cure, why) < 0 ? why->text
								  : NULL;
}

/* One core id for each core of 'whole': the one in use, else the lowest. */
static void pick_ids(const struct cpuset *whole, const struct cpuset *in_use,
		     struct cpuset *ids)
{
	struct cpuset left = *whole, core, used;
	int os_cpu;

	cpuset_zero(ids);
	cpuset_for_each (os_cpu, whole) {
		if (!cpuset_has(&left, (unsigned int)os_cpu))
			continue;
		sysfs_siblings((unsigned int)os_cpu, &core);
		used = core;
		cpuset_and(&used, in_use);
		cpuset_add(ids,
			   (unsigned int)cpuset_next(
				   cpuset_is_empty(&used) ? &core : &used, 0));
		cpuset_andnot(&left, &core);
	}
}

static int the_container(const struct client *client, size_t *index)
{
	const struct weka_facts *facts = weka_of(client);

	if (facts->containers.count != 1 || !facts->stable[0].known ||
	    !facts->containers.item[0].running ||
	    strcmp(facts->containers.item[0].display_status, "READY") != 0)
		return -1;
	*index = 0;
	return 0;
}

/* Which ids shall the container have? 0: those it has. */
static int wanted_ids(const struct client *client,
		      const struct client_want *want, const char *container,
		      const struct cpuset *now, struct cpuset *ids)
{
	struct cpuset whole, job_may_use;

	if (want->io_cores && want->has_io_cores) {
		sysfs_whole_cores(&want->io_cpus, &whole);
		if (!cpuset_equal(&whole, &want->io_cpus))
			return 0; /* half a core: W05, or a wrong node line */
		pick_ids(&whole, now, ids);
		return !cpuset_equal(ids, now);
	}
	if (!baseline_read(client, container, ids) || cpuset_equal(ids, now))
		return 0;
	/* lazily: go back only when Slurm may give those CPUs to this job */
	if (!want->has_io_cores)
		return 1;
	sysfs_whole_cores(now, &job_may_use);
	cpuset_andnot(&job_may_use, &want->io_cpus);
	return !cpuset_is_empty(&job_may_use);
}

static void say_not_allowed(const struct client *client,
			    struct findings *findings, const char *container,
			    const char *have, const char *need, const char *why,
			    const char *cure)
{
	rule_tell(client, "W47", cure, findings,
		  "container '%s' keeps core %s, although this job should "
		  "find %s: %s",
		  container, have, need, why);
}

/* NULL: go on. */
static const char *objection(const struct client *client, const char *container,
			     const struct cpuset *now, const struct cpuset *ids,
			     const char **cure, struct err *text)
{
	enum core_change allowed = client->section->core_change;
	const char *why;

	why = allowed == CORE_CHANGE_NEVER
		      ? NULL
		      : method_objection(client, container, cure, text);
	if (why)
		return why;
	*cure = "set core_change=grow or any in jobio.conf, or give the client "
		"these cores for good (jobio plan)";
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
	    cpuset_count(ids) < cpuset_count(now) &&
	    weka_of(client)->interface.active_mounts != 0)
		return "WEKA does not lower the number of cores while a file "
		       "system is mounted";
	return NULL;
}

static int plan_change(struct client *client, const char *container,
		       const struct cpuset *now, const struct cpuset *ids,
		       struct client_plan *plan, struct findings *findings,
		       struct err *err)
{
	char *have = cpuset_format(now), *need = cpuset_format(ids);
	struct err text = { "" };
	const char *why, *cure;
	int rc = -1;

	if (!have || !need) {
		err_set(err, "client: out of memory");
		goto out;
	}
	rc = 0;
	why = objection(client, container, now, ids, &cure, &text);
	if (why)
		say_not_allowed(client, findings, container, have, need, why,
				cure);
	else
		rc = change_add(plan, client, &weka_cores, container, have,
				need, err);
out:
	free(have);
	free(need);
	return rc;
}

static int plan_cores(const struct change_kind *kind, struct client *client,
		      const struct client_want *want, struct client_plan *plan,
		      struct findings *findings, struct err *err)
{
	const char *container;
	struct cpuset now, ids;
	size_t i;

	(void)kind;
	weka_mount_forget_old(client);
	if (the_container(client, &i) < 0 ||
	    weka_is_automatic(&weka_of(client)->stable[i]))
		return 0;
	container = weka_of(client)->containers.item[i].name;
	weka_named_cpus(&weka_of(client)->stable[i], &now);
	forget_stale(client, container, &now);
	if (!(want->alone || (want->idle && !want->io_cores)))
		return 0;
	if (!wanted_ids(client, want, container, &now, &ids))
		return 0;
	return plan_change(client, container, &now, &ids, plan, findings, err);
}

/* ---- commands ---------------------------------------------------------- */

/* "1,2,3": single ids, no ranges; NULL: out of memory. */
static char *ids_text(const struct cpuset *ids)
{
	size_t room = (size_t)cpuset_count(ids) * 8 + 1, used = 0;
	char *text = calloc(1, room);
	int os_cpu;

	if (!text)
		return NULL;
	cpuset_for_each (os_cpu, ids)
		used += (size_t)snprintf(text + used, room - used, "%s%d",
					 used ? "," : "", os_cpu);
	return text;
}

static int stage(struct client *client, const char *container,
		 const struct cpuset *ids, struct err *err)
{
	char number[16], *list = ids_text(ids);
	const char *args[] = { "local",
			       "resources",
			       "cores",
			       number,
			       "--only-frontend-cores",
			       "--core-ids",
			       list,
			       "-C",
			       container,
			       NULL };
	int rc;

	if (!list)
		return err_set(err, "client: out of memory");
	snprintf(number, sizeof(number), "%u", cpuset_count(ids));
	FAULT_POINT("stage before");
	rc = weka_order(client, client->section->timeout_ms, args, err);
	FAULT_POINT("stage after");
	free(list);
	return rc;
}

static int apply(struct client *client, const char *container, struct err *err)
{
	const char *args[] = { "local", "resources", "apply", "-f",
			       "-C",	container,   NULL };
	int rc;

	FAULT_POINT("apply before");
	/* restarts the container: 8 to 30 s on real nodes */
	rc = weka_order(client, client->section->ready_timeout_ms, args, err);
	FAULT_POINT("apply after");
	return rc;
}

static int unstage(struct client *client, const char *container,
		   struct err *err)
{
	const char *args[] = { "local", "resources", "restore",
			       "-C",	container,   NULL };
	int rc;

	FAULT_POINT("unstage before");
	rc = weka_order(client, client->section->timeout_ms, args, err);
	FAULT_POINT("unstage after");
	return rc;
}

/* Read containers and driver anew, with a fresh budget. */
static int look_again(struct client *client, const char *container,
		      size_t *index)
{
	client->deadline_ms =
		child_now_ms() + 4ULL * client->section->timeout_ms;
	weka_read_containers(client);
	weka_read_interface(client);
	weka_read_cgroups(client);
	weka_digest(client);
	return weka_container(weka_of(client), container, index) ? 0 : -1;
}

static bool is_connected(const struct weka_facts *facts, size_t i)
{
	size_t n, links = 0;

	/* no driver file to look at: READY has to be enough */
	if (facts->interface_source.answer != ASK_ANSWERED ||
	    !facts->interface.link_count)
		return true;
	for (n = 0; n < facts->interface.link_count; n++) {
		if (strcmp(facts->interface.link[n].container,
			   facts->containers.item[i].name) != 0)
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

static unsigned long long ready_end(const struct client *client)
{
	return child_now_ms() + client->section->ready_timeout_ms;
}

static int wait_ready(struct client *client, const char *container,
		      unsigned long long end_ms, size_t *index, struct err *err)
{
	const struct timespec nap = { .tv_nsec = POLL_MS * 1000000L };

	for (;;) {
		if (look_again(client, container, index) == 0 &&
		    is_healthy(weka_of(client), *index))
			return 0;
		if (child_now_ms() >= end_ms)
			return err_set(err,
				       "it was not READY with all frontends "
				       "connected after %u ms",
				       client->section->ready_timeout_ms);
		nanosleep(&nap, NULL);
	}
}

/* After its last umount; 0: there is no such container any more. */
static int wait_gone(struct client *client, const char *container,
		     unsigned long long end_ms, struct err *err)
{
	const struct timespec nap = { .tv_nsec = POLL_MS * 1000000L };
	size_t i;

	for (;;) {
		if (look_again(client, container, &i) < 0 &&
		    weka_of(client)->containers_known)
			return 0;
		if (child_now_ms() >= end_ms)
			return err_set(err,
				       "it was still there %u ms after its "
				       "last umount: has another mount "
				       "namespace its mount?",
				       client->section->ready_timeout_ms);
		nanosleep(&nap, NULL);
	}
}

/* Do the cores run that the list names? */
static int verify(const struct client *client, size_t i,
		  const struct cpuset *ids, struct err *err)
{
	const struct weka_facts *facts = weka_of(client);
	struct cpuset now;
	char *list;

	weka_named_cpus(&facts->stable[i], &now);
	if (!cpuset_equal(&now, ids) || weka_is_automatic(&facts->stable[i])) {
		list = cpuset_format(&now);
		err_set(err, "its resources name core %s instead",
			list ? list : "?");
		free(list);
		return -1;
	}
	if (facts->cgroup[i].known &&
	    !cpuset_is_subset(ids, &facts->cgroup[i].cpus))
		return err_set(err, "its cpuset does not hold them");
	return 0;
}

/* What a change says beside its error. */
struct change_report {
	struct findings *findings;
	bool busy; /* nothing was wrong but that a mount is in use */
};

static int order_cores(struct client *client, const char *container,
		       const struct cpuset *ids, bool *begun, struct err *err)
{
	const struct client_mount *mount;

	*begun = false;
	if (client->section->core_method == CORE_METHOD_REMOUNT) {
		mount = mount_of(client, container);
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

/* Everything away, then again with other cores. 0: the commands worked. */
static int mount_with_ids(struct client *client, const char *container,
			  const struct cpuset *ids, unsigned long long end_ms,
			  struct change_report *report, struct err *err)
{
	if (weka_mount_away(client, end_ms, &report->busy, err) < 0 ||
	    wait_gone(client, container, end_ms, err) < 0)
		return -1;
	return weka_mount_back(client, ids, end_ms, false, report->findings,
			       err);
}

static int switch_by_mount(struct client *client, const char *container,
			   const struct cpuset *ids,
			   struct change_report *report, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	size_t i;

	if (weka_mount_begin(client, container, err) < 0 ||
	    mount_with_ids(client, container, ids, end_ms, report, err) < 0 ||
	    wait_ready(client, container, end_ms, &i, err) < 0 ||
	    verify(client, i, ids, err) < 0)
		return -1;
	weka_mount_end(client);
	return 0;
}

/* Order and wait share one deadline: ready_timeout_ms. */
static int switch_cores(struct client *client, const char *container,
			const struct cpuset *ids, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	struct err why = { "" };
	bool begun;
	size_t i;

	if (order_cores(client, container, ids, &begun, &why) < 0) {
		if (!begun)
			return err_set(err, "%s", why.text);
		/* it may have happened all the same: look */
		if (wait_ready(client, container, end_ms, &i, err) == 0 &&
		    verify(client, i, ids, NULL) == 0)
			return 0;
		return err_set(err, "%s", why.text);
	}
	if (wait_ready(client, container, end_ms, &i, err) < 0)
		return -1;
	return verify(client, i, ids, err);
}

/* ---- make and undo ----------------------------------------------------- */

/* Does the container run with other cores than these? */
static bool has_other_cores(struct client *client, const char *container,
			    const struct cpuset *ids)
{
	size_t i;

	return look_again(client, container, &i) == 0 &&
	       weka_of(client)->stable[i].known &&
	       verify(client, i, ids, NULL) < 0;
}

/* Whatever is there of the old mounts and of the new ones: in the end all are
 * mounted, and the container has its old cores. */
static int back_out_mount(struct client *client, const char *container,
			  const struct cpuset *old_ids, struct err *err)
{
	unsigned long long end_ms = ready_end(client);
	struct err ignored;
	bool busy;
	size_t i;

	if (weka_mount_count(client, err) > 0 &&
	    has_other_cores(client, container, old_ids))
		weka_mount_away(client, end_ms, &busy, &ignored);
	if (weka_mount_count(client, err) == 0)
		wait_gone(client, container, end_ms, &ignored);
	if (weka_mount_back(client, old_ids, end_ms, true, NULL, err) < 0 ||
	    wait_ready(client, container, end_ms, &i, err) < 0 ||
	    verify(client, i, old_ids, err) < 0)
		return -1;
	weka_mount_end(client);
	return 0;
}

/* After a change that went wrong: nothing may stay staged, or the next restart
 * would take it. A client that took the new cores and does not work with them
 * gets the old ones again; WEKA 5 refuses that when there were fewer of them.
 * 0: the container runs with its old cores. */
static int back_out(struct client *client, const char *container,
		    const struct cpuset *old_ids, struct err *err)
{
	size_t i;

	if (weka_mount_is_begun(client, container))
		return back_out_mount(client, container, old_ids, err);
	if (look_again(client, container, &i) < 0)
		return err_set(err, "the container is gone");
	if (weka_of(client)->stable[i].known &&
	    weka_of(client)->staged[i].known &&
	    weka_resources_equal(&weka_of(client)->stable[i],
				 &weka_of(client)->staged[i]) &&
	    verify(client, i, old_ids, NULL) == 0)
		return 0;
	if (unstage(client, container, err) < 0)
		return -1;
	if (has_other_cores(client, container, old_ids))
		return switch_cores(client, container, old_ids, err);
	if (wait_ready(client, container, ready_end(client), &i, err) < 0)
		return -1;
	return verify(client, i, old_ids, err);
}

static int ids_of(const struct journal_change *change, struct cpuset *old_ids,
		  struct cpuset *new_ids)
{
	return cpuset_parse(old_ids, change->old_value, NULL) < 0 ||
			       cpuset_parse(new_ids, change->new_value, NULL) <
				       0
		       ? -1
		       : 0;
}

static void settle_baseline(const struct client *client, const char *container,
			    const struct cpuset *now)
{
	struct cpuset baseline;

	if (baseline_read(client, container, &baseline) &&
	    cpuset_equal(&baseline, now))
		state_forget(client, RUNDIR_BASELINE);
}

static int switch_by_method(struct client *client, const char *container,
			    const struct cpuset *ids,
			    struct change_report *report, struct err *err)
{
	if (client->section->core_method == CORE_METHOD_MOUNT)
		return switch_by_mount(client, container, ids, report, err);
	return switch_cores(client, container, ids, err);
}

static void say_failed(const struct client *client,
		       const struct change_report *report,
		       const struct journal_change *change,
		       const struct err *why, bool is_back)
{
	if (report->busy)
		rule_tell(client, "W48", NULL, report->findings,
			  "container '%s' keeps core %s, although this job "
			  "should find %s: %.300s",
			  change->target, change->old_value, change->new_value,
			  why->text);
	else
		rule_tell(client, "W44", NULL, report->findings,
			  "container '%s' could not change from core %s to "
			  "%s: %.300s%s%s",
			  change->target, change->old_value, change->new_value,
			  why->text, is_back ? "; it is back at core " : "",
			  is_back ? change->old_value : "");
}

static void say_not_back(const struct client *client, struct findings *findings,
			 const struct journal_change *change,
			 const struct err *why)
{
	rule_tell(client, "W45",
		  weka_mount_is_begun(client, change->target)
			  ? "mount what fstab(5) names; the next job tries "
			    "again"
			  : NULL,
		  findings, "container '%s' is not back at core %s: %.300s",
		  change->target, change->old_value, why->text);
}

static enum change_made make_cores(const struct change_kind *kind,
				   struct client *client,
				   const struct journal_change *change,
				   struct findings *findings)
{
	struct change_report report = { .findings = findings };
	struct cpuset old_ids, new_ids;
	struct err why = { "" }, worse = { "" };
	bool is_back;

	(void)kind;
	if (ids_of(change, &old_ids, &new_ids) < 0)
		return CHANGE_NOT_MADE;
	cache_drop(client);
	if (baseline_keep(client, change->target, &old_ids, &new_ids, &why) < 0)
		goto failed;
	if (switch_by_method(client, change->target, &new_ids, &report, &why) ==
	    0) {
		settle_baseline(client, change->target, &new_ids);
		return CHANGE_MADE;
	}
failed:
	is_back = back_out(client, change->target, &old_ids, &worse) == 0;
	say_failed(client, &report, change, &why, is_back);
	if (is_back) {
		settle_baseline(client, change->target, &old_ids);
		return CHANGE_NOT_MADE;
	}
	say_not_back(client, findings, change, &worse);
	return CHANGE_STUCK;
}

/* Mounts that were taken away come back; with the old cores, unless the
 * container has begun with new ones. */
static int remount_half(struct client *client, const char *container,
			const struct cpuset *old_ids, unsigned long long end_ms,
			struct err *err)
{
	struct err ignored;

	if (!weka_mount_is_begun(client, container))
		return 0;
	if (weka_mount_count(client, err) == 0)
		wait_gone(client, container, end_ms, &ignored);
	return weka_mount_back(client, old_ids, end_ms, true, NULL, err);
}

/* A finished change is kept: going back would restart the client again. One
 * that was cut off half-way is looked at: what runs now decides. */
static enum change_undone undo_cores(const struct change_kind *kind,
				     struct client *client,
				     const struct journal_change *change,
				     struct findings *findings)
{
	unsigned long long end_ms = ready_end(client);
	struct cpuset old_ids, new_ids, now;
	struct err why = { "" };
	size_t i;

	(void)kind;
	if (change->state == JOURNAL_DONE)
		return CHANGE_KEPT;
	if (ids_of(change, &old_ids, &new_ids) < 0)
		return CHANGE_NOT_OURS;
	cache_drop(client);
	if (remount_half(client, change->target, &old_ids, end_ms, &why) < 0 ||
	    wait_ready(client, change->target, end_ms, &i, &why) < 0)
		goto failed;
	if (weka_mount_is_begun(client, change->target))
		weka_mount_end(client);
	if (!weka_resources_equal(&weka_of(client)->stable[i],
				  &weka_of(client)->staged[i]) &&
	    (unstage(client, change->target, &why) < 0 ||
	     look_again(client, change->target, &i) < 0))
		goto failed;
	weka_named_cpus(&weka_of(client)->stable[i], &now);
	settle_baseline(client, change->target, &now);
	if (cpuset_equal(&now, &old_ids))
		return CHANGE_UNDONE;
	return cpuset_equal(&now, &new_ids) ? CHANGE_KEPT : CHANGE_NOT_OURS;
failed:
	say_not_back(client, findings, change, &why);
	return CHANGE_NOT_UNDONE;
}

const struct change_kind weka_cores = {
	.name = "cores",
	.outlives_reboot = true,
	.plan = plan_cores,
	.make = make_cores,
	.undo = undo_cores,
};

char *weka_cores_command(const struct client_place *place)
{
	char *list = ids_text(&place->ids), *text = NULL;

	if (!list || asprintf(&text,
			      "weka local resources cores %u "
			      "--only-frontend-cores --core-ids %s",
			      cpuset_count(&place->ids), list) < 0)
		text = NULL;
	free(list);
	return text;
}
