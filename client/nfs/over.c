/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A new NFS mount on top of the old one, while a job has the node alone
 *
 * Most options cannot be changed on a live mount, and a live mount cannot be
 * taken away: somebody always has a file open there. So the same source is
 * mounted once more on the same place, with the wanted options, every other one
 * as the old mount shows it, and the same read-ahead. Whoever comes after that
 * finds the new one; what is open stays where it is.
 *
 * The journal's old value has the old one's id in mountinfo,
 * "id=36,rsize=262144,!nocto": ours has that parent, its place and its source. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "client/change.h"
#include "client/command.h"
#include "client/nfs/nfs.h"
#include "client/place.h"
#include "lib/child.h"
#include "lib/faultpoint.h"
#include "lib/number.h"

#define BUSY_TRIES 5 /* a process that ends closes its files a moment later */
#define BUSY_MS 100

/* ---- old and new ----------------------------------------------------------- */

static bool find(const struct client *client, const struct place_search *search,
		 struct place *place)
{
	const char *mountinfo = nfs_of(client)->mountinfo;

	return mountinfo && place_find(mountinfo, search, place);
}

static bool find_seen(const struct client *client, const char *target,
		      struct place *place)
{
	const struct place_search search = { .target = target };

	return find(client, &search, place);
}

static unsigned long id_of(const struct journal_change *change)
{
	unsigned long id;
	char text[16];

	if (!options_get(change->old_value, "id", text, sizeof(text)) ||
	    number_parse(text, 1, UINT32_MAX, &id, NULL) < 0)
		return 0;
	return id;
}

static bool find_old(const struct client *client,
		     const struct journal_change *change, struct place *old)
{
	const struct place_search search = { .target = change->target,
					     .id = id_of(change) };

	return search.id && find(client, &search, old);
}

/* The mount that was made for the change: on the old one, of its source. */
static bool find_new(const struct client *client,
		     const struct journal_change *change, struct place *new)
{
	struct place_search search = { .target = change->target };
	struct place old;

	if (!find_old(client, change, &old))
		return false;
	search.source = old.source;
	search.parent = old.id;
	return find(client, &search, new);
}

/* ---- plan ------------------------------------------------------------------ */

static bool is_wanted(const struct client_want *want)
{
	return want->mount && *want->mount;
}

bool nfs_over_is_refused(const struct client *client,
			 const struct client_want *want)
{
	return is_wanted(want) &&
	       client->section->mount_change == MOUNT_CHANGE_NEVER;
}

static bool is_inside(const char *path, const char *target)
{
	size_t length = strlen(target);

	return path && !strncmp(path, target, length) &&
	       (path[length] == '/' || !path[length]);
}

/* Tables of another process's namespace, where our mounts may not be. */
static bool is_foreign(const char *path)
{
	return !strncmp(path, "/proc/", 6) && path[6] >= '0' && path[6] <= '9';
}

static bool is_of_autofs(const struct client *client, unsigned long parent)
{
	const struct place_search search = { .id = parent };
	struct place place;

	return find(client, &search, &place) && !strcmp(place.fstype, "autofs");
}

/* Why the old mount stays as it is; 0: nothing is against a new one. */
static int reason(const struct client *client, const struct place *seen,
		  struct err *why)
{
	const struct config_client *section = client->section;
	const struct place_search below = { .target = seen->target,
					    .below = true };
	struct place place;

	if (is_foreign(section->mount_table) || is_foreign(section->mountinfo))
		return err_set(why, "mount_table= or mountinfo= is another "
				    "process's, and may not show it");
	if (find(client, &below, &place))
		return err_set(why,
			       "'%.300s' is mounted below it and would be "
			       "hidden",
			       place.target);
	if (is_of_autofs(client, seen->parent))
		return err_set(why, "autofs has mounted it, and takes away "
				    "what it finds there");
	if (strcmp(seen->root, "/") != 0)
		return err_set(why, "it shows a part of another mount");
	if (is_inside(client->run_dir, seen->target) ||
	    is_inside(client->state_dir, seen->target))
		return err_set(why, "jobio's own files are there");
	return 0;
}

static int plan_one(const struct change_kind *kind, struct client *client,
		    const char *target, const char *wanted,
		    struct client_plan *plan, struct findings *findings,
		    struct err *err)
{
	struct err why = { "" };
	struct place seen;
	char *old;
	int rc;

	if (nfs_over_stand(client, target, wanted))
		return 0;
	if (!find_seen(client, target, &seen))
		err_set(&why, "mountinfo does not show it");
	else
		reason(client, &seen, &why);
	if (*why.text) {
		rule_tell(client, "NF38", NULL, findings,
			  "'%s' did not get the profile's new mount: %s",
			  target, why.text);
		return 0;
	}
	old = nfs_over_old(client, target, seen.id, wanted);
	if (!old)
		return err_set(err, "client: out of memory");
	rc = change_add(plan, client, kind, target, old, wanted, err);
	free(old);
	return rc;
}

static int plan(const struct change_kind *kind, struct client *client,
		const struct client_want *want, struct client_plan *plan,
		struct findings *findings, struct err *err)
{
	const struct nfs_facts *facts = nfs_of(client);
	size_t i;

	if (!is_wanted(want))
		return 0;
	if (nfs_over_is_refused(client, want)) {
		rule_tell(client, "NF49",
			  "mount_change=over in its section of jobio.conf, or "
			  "take it out of the profile",
			  findings,
			  "mount '%s' of the profile: mount_change=never in "
			  "[client %s]; the profile was not applied",
			  want->mount, client->section->name);
		return 0;
	}
	if (!want->alone) {
		rule_tell(client, "NF46", NULL, findings,
			  "the profile's new mount was left out: the job "
			  "shares this node with others");
		return 0;
	}
	for (i = 0; i < facts->count; i++)
		if (!facts->mounts[i].is_hung &&
		    plan_one(kind, client, facts->mounts[i].mount->target,
			     want->mount, plan, findings, err) < 0)
			return -1;
	return 0;
}

static bool holds(const struct change_kind *kind, const struct client *client,
		  const struct client_want *want)
{
	const struct nfs_facts *facts = nfs_of(client);
	size_t i, count = 0;

	(void)kind;
	for (i = 0; is_wanted(want) && i < facts->count; i++) {
		if (facts->mounts[i].is_hung)
			continue;
		if (!nfs_over_stand(client, facts->mounts[i].mount->target,
				    want->mount))
			return false;
		count++;
	}
	return !is_wanted(want) || count > 0;
}

/* ---- back ------------------------------------------------------------------ */

/* LATE: it was ended at its deadline. After all of timeout_ms its server would
 * hold up the others, too. */
#define LATE -2
static int run(struct client *client, char *const argv[], const char *name,
	       const struct nfs_mount *mount, unsigned int timeout_ms,
	       struct err *err)
{
	unsigned long long begun_ms = child_now_ms(), took_ms;
	int rc = command_do(client->run_dir, argv, name, timeout_ms, err);

	took_ms = child_now_ms() - begun_ms;
	if (rc < 0 && mount && took_ms >= client->section->timeout_ms)
		nfs_remember(client, mount->address, true);
	return rc < 0 && took_ms >= timeout_ms ? LATE : rc;
}

static int read_and_look(struct client *client, struct err *err)
{
	if (nfs_read(client, err) < 0)
		return -1;
	nfs_look(client);
	return 0;
}

/* -i: no helper, which would ask the server first. */
static int run_umount(struct client *client, const char *target, bool is_lazy,
		      struct err *err)
{
	char *argv[] = { client->section->umount_command,
			 is_lazy ? "-il" : "-i", (char *)target, NULL };
	int rc;

	FAULT_POINT("umount before");
	rc = run(client, argv, "umount", nfs_mount_at(client, target),
		 client->section->timeout_ms, err);
	FAULT_POINT("umount after");
	return rc;
}

/* 0: it is gone; 1: it is busy, -1: it is there for another reason. */
static int take_away(struct client *client, const struct journal_change *change,
		     bool is_lazy, struct err *err)
{
	struct err said = { "" };
	struct place place;

	if (run_umount(client, change->target, is_lazy, &said) == 0)
		err_set(&said, "umount says that it has worked");
	if (nfs_read(client, err) < 0)
		return -1;
	if (!find_new(client, change, &place))
		return 0;
	err_set(err, "%s", said.text);
	/* EBUSY in the C locale, which command.c sets */
	return strstr(said.text, "busy") ? 1 : -1;
}

static enum change_undone away(struct client *client,
			       const struct journal_change *change,
			       struct findings *findings, struct err *err)
{
	const struct timespec nap = { .tv_nsec = BUSY_MS * 1000000L };
	int rc, tries = 0;

	while ((rc = take_away(client, change, false, err)) == 1 &&
	       ++tries < BUSY_TRIES)
		nanosleep(&nap, NULL);
	if (rc == 1 && take_away(client, change, true, err) == 0) {
		rule_tell(client, "NF37", NULL, findings,
			  "the new mount of '%s' was in use after the job: it "
			  "is out of sight, and goes when its last file is "
			  "closed",
			  change->target);
		return CHANGE_UNDONE;
	}
	return rc == 0 ? CHANGE_UNDONE : CHANGE_NOT_UNDONE;
}

/* Is it what is seen there, with the options that it was made with? */
static bool is_ours(const struct client *client,
		    const struct journal_change *change,
		    const struct place *new)
{
	struct place seen;

	return find_seen(client, change->target, &seen) && seen.id == new->id &&
	       (!change->was_done || !nfs_of(client)->text ||
		nfs_over_stand(client, change->target, change->new_value));
}

static enum change_undone undo(const struct change_kind *kind,
			       struct client *client,
			       const struct journal_change *change,
			       struct findings *findings)
{
	const struct nfs_mount *mount;
	enum change_undone undone = CHANGE_NOT_UNDONE;
	struct err why = { "" };
	struct place new;

	(void)kind;
	if (read_and_look(client, &why) < 0)
		goto out;
	if (!find_new(client, change, &new))
		return CHANGE_UNDONE;
	if (!is_ours(client, change, &new)) {
		rule_tell(client, "NF43", NULL, findings,
			  "'%s' is not as jobio mounted it (%.200s): left as "
			  "it is",
			  change->target, change->new_value);
		return CHANGE_NOT_OURS;
	}
	mount = nfs_mount_at(client, change->target);
	if (mount && mount->is_hung)
		err_set(&why, "its server does not answer");
	else
		undone = away(client, change, findings, &why);
out:
	if (undone == CHANGE_NOT_UNDONE)
		rule_tell(client, "NF42",
			  "umount it, or let the next job try again", findings,
			  "the new mount of '%s' could not be taken away: "
			  "%.300s",
			  change->target, why.text);
	return undone;
}

/* ---- there ----------------------------------------------------------------- */

/* What is left of the prolog's time. */
static unsigned int time_ms(const struct client *client)
{
	unsigned int most = client->section->timeout_ms;
	unsigned long long now = child_now_ms(), end = client->deadline_ms;

	if (!end || now + most <= end)
		return most;
	return now < end ? (unsigned int)(end - now) : 0;
}

/* -i: no helper of mount(8). It would look up names and versions anew, and what
 * the table shows is what the kernel was told: addr=, mountport=, clientaddr=. */
static int run_mount(struct client *client, const struct nfs_mount *mount,
		     const char *wanted, struct err *err)
{
	char *options = nfs_over_list(mount->mount->options, wanted);
	char *argv[] = { client->section->mount_command,
			 "-i",
			 "-t",
			 mount->mount->fstype,
			 "-o",
			 options,
			 mount->mount->source,
			 mount->mount->target,
			 NULL };
	unsigned int timeout_ms = time_ms(client);
	int rc;

	if (!timeout_ms)
		rc = err_set(err, "prolog_budget_ms is used up");
	else if (!options)
		rc = err_set(err, "out of memory");
	else {
		FAULT_POINT("mount before");
		rc = run(client, argv, "mount", mount, timeout_ms, err);
		FAULT_POINT("mount after");
	}
	free(options);
	return rc;
}

/* Is the old mount what is seen there? Then mount; what is there then says whether
 * that was done. */
static int put_over(struct client *client, const struct journal_change *change,
		    struct err *err)
{
	const struct nfs_mount *mount = nfs_mount_at(client, change->target);
	struct place seen;

	if (!mount || !find_seen(client, change->target, &seen))
		return err_set(err, "it is not mounted any more");
	if (seen.id != id_of(change))
		return err_set(err, "something else was mounted there");
	if (mount->is_hung)
		return err_set(err, "its server does not answer");
	return run_mount(client, mount, change->new_value, err);
}

static enum change_made take_back(const struct change_kind *kind,
				  struct client *client,
				  const struct journal_change *change,
				  struct findings *findings)
{
	return undo(kind, client, change, findings) == CHANGE_UNDONE
		       ? CHANGE_NOT_MADE
		       : CHANGE_STUCK;
}

/* A command that was ended at its deadline may have worked all the same, or will:
 * the epilog looks. */
static enum change_made not_there(const struct change_kind *kind,
				  struct client *client,
				  const struct journal_change *change,
				  bool is_late, const char *why,
				  struct findings *findings)
{
	nfs_over_tell(client, change, false, why, findings);
	return is_late ? CHANGE_STUCK
		       : take_back(kind, client, change, findings);
}

/* Of mounts that are bound to each other the new one of the first is on all. */
static enum change_made make_from(const struct change_kind *kind,
				  struct client *client,
				  const struct journal_change *change,
				  const char *before, struct findings *findings)
{
	struct err why = { "" }, unread;
	struct place old, new;
	int rc = 0;

	if (!find_new(client, change, &new)) {
		rc = put_over(client, change, &why);
		if (rc == 0)
			err_set(&why, "mount says that it has worked, and the "
				      "mount table does not show it");
		if (read_and_look(client, &unread) < 0)
			return CHANGE_STUCK;
	}
	if (!find_new(client, change, &new))
		return not_there(kind, client, change, rc == LATE, why.text,
				 findings);
	if (nfs_over_verify(client, change->target, before, change->new_value,
			    &why) < 0) {
		nfs_over_tell(client, change, true, why.text, findings);
		return take_back(kind, client, change, findings);
	}
	if (find_old(client, change, &old))
		nfs_bdi_keep(client, old.device, new.device);
	return CHANGE_MADE;
}

static enum change_made make(const struct change_kind *kind,
			     struct client *client,
			     const struct journal_change *change,
			     struct findings *findings)
{
	const struct nfs_mount *mount = nfs_mount_at(client, change->target);
	char *before = strdup(mount ? mount->mount->options : "");
	enum change_made made = CHANGE_NOT_MADE;

	if (before)
		made = make_from(kind, client, change, before, findings);
	free(before);
	return made;
}

const struct change_kind nfs_over = {
	.name = "mount",
	.plan = plan,
	.make = make,
	.undo = undo,
	.holds = holds,
};
