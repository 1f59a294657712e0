/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/remount.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/child.h"
#include "base/faultpoint.h"
#include "base/host.h"
#include "base/rundir.h"
#include "client/command.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "client/state.h"
#include "client/weka/options.h"
#include "client/weka/ready.h"
#include "record/alloc.h"

#define PATH_TEXT_MAX 1024
#define NAP_MS 500
/* A line of the set with the current options, not those of a new mount. */
#define SHOWN "wekafs-shown"

/* ---- which mounts ------------------------------------------------------ */

/* Return true if the mount is the container's. Before a node could have several the mount table had
 * no container_name. */
static bool serves(const char *container, const struct client_mount *mount)
{
	char name[WEKA_NAME_MAX];

	return !options_get(mount->options, "container_name", name, sizeof(name)) ||
	       !strcmp(name, container);
}

/* Return the name of the file system: "b0,b1/fs", "b0:/fs" and "fs" are the same. */
static const char *fs_name(const char *source)
{
	const char *slash = strrchr(source, '/');

	return slash ? slash + 1 : source;
}

static const struct client_mount *fstab_line(const struct mounts *fstab,
					     const struct client_mount *mount)
{
	size_t i, length = strlen(mount->target);
	const char *target;

	for (i = 0; i < fstab->count; i++) {
		target = fstab->mount[i].target;
		if (!strncmp(target, mount->target, length) &&
		    strspn(target + length, "/") == strlen(target + length) &&
		    !strcmp(fs_name(fstab->mount[i].source), fs_name(mount->source)))
			return &fstab->mount[i];
	}
	return NULL;
}

/* Return another mount of the same file system: a bind mount looks like one, and would not be
 * restored as such. */
static const struct client_mount *twin_of(const struct mounts *mounts, size_t i)
{
	size_t j;

	for (j = 0; j < i; j++)
		if (!strcmp(fs_name(mounts->mount[j].source), fs_name(mounts->mount[i].source)))
			return &mounts->mount[j];
	return NULL;
}

static int check_mount(const struct client *client, const struct mounts *all, size_t i,
		       const struct mounts *fstab, const char **cure, struct err *why)
{
	const struct client_mount *mount = &all->mount[i];
	const struct client_mount *twin = twin_of(all, i);

	*cure = "add it to mounts= in jobio.conf, or set core_method=resources";
	if (!mounts_word_in(client->section->mounts, mount->target))
		return err_set(why, "it also serves '%s', which mounts= leaves out", mount->target);
	*cure = "set core_method=resources";
	if (twin)
		return err_set(
			why, "'%s' and '%s' show one file system: a bind mount would not come back",
			twin->target, mount->target);
	*cure = "write the mount into fstab(5), with noauto if something else mounts it";
	if (!fstab_line(fstab, mount))
		return err_set(why, "%s has no line of type %s that mounts '%s' on '%s'",
			       client->section->fstab, WEKA_FSTYPE, mount->source, mount->target);
	return 0;
}

int weka_mount_check(const struct client *client, const char *container, const char **cure,
		     struct err *why)
{
	const struct weka_unit *now = weka_unit(client, container);
	struct mounts *all = NULL, *fstab = NULL;
	size_t i, count = 0;
	int rc = -1;

	*cure = "set core_method=resources";
	if (now && weka_is_stateful(&now->info, weka_mount_of(client, container)))
		return err_set(why, "it is a stateful client: mount options do not set its cores");
	all = mounts_read(client->section->mount_table, WEKA_FSTYPE, why);
	fstab = all ? mounts_read(client->section->fstab, WEKA_FSTYPE, why) : NULL;
	if (!all || !fstab)
		goto out;
	for (i = 0; i < all->count; i++) {
		if (!serves(container, &all->mount[i]))
			continue;
		if (check_mount(client, all, i, fstab, cure, why) < 0)
			goto out;
		count++;
	}
	rc = count ? 0 : err_set(why, "it has no mount");
out:
	mounts_free(all);
	mounts_free(fstab);
	return rc;
}

/* ---- the set on disk --------------------------------------------------- */

/* Write a field as the kernel does in a mount table: proc_pid_mounts(5). */
static void print_field(FILE *file, const char *text)
{
	for (; *text; text++)
		if (strchr(" \t\n\\#", *text))
			fprintf(file, "\\%03o", (unsigned char)*text);
		else
			fputc(*text, file);
	fputc(' ', file);
}

static void print_mount(FILE *file, const char *source, const char *target, const char *fstype,
			const char *options)
{
	print_field(file, source);
	print_field(file, target);
	print_field(file, fstype);
	print_field(file, options);
	fputs("0 0\n", file);
}

static void print_set(FILE *file, const struct client *client, const char *container,
		      const char *boot, const struct mounts *fstab)
{
	const struct mounts *mounts = client->mounts;
	const struct client_mount *mount, *line;
	char *list;
	size_t i;

	fprintf(file, "# %s %s\n", container, boot);
	for (i = 0; i < mounts->count; i++) {
		mount = &mounts->mount[i];
		line = fstab_line(fstab, mount);
		if (!line || !serves(container, mount))
			continue;
		list = weka_mount_options(mount->options, line->options);
		print_mount(file, line->source, mount->target, WEKA_FSTYPE, list);
		print_mount(file, line->source, mount->target, SHOWN, mount->options);
		free(list);
	}
}

int weka_mount_begin(const struct client *client, const char *container, struct err *err)
{
	struct mounts *fstab;
	char *text = NULL, boot[64];
	size_t size_bytes = 0;
	FILE *file;
	int rc;

	host_boot_id(boot, sizeof(boot));
	if (!*boot)
		return err_set(err, "the kernel's boot_id cannot be read");
	fstab = mounts_read(client->section->fstab, WEKA_FSTYPE, err);
	if (!fstab)
		return -1;
	file = xneed(open_memstream(&text, &size_bytes));
	print_set(file, client, container, boot, fstab);
	fclose(file);
	rc = state_write(client, RUNDIR_MOUNTS, xneed(text), err);
	free(text);
	mounts_free(fstab);
	return rc;
}

/* Read the stored set. Return NULL with errno: ENOENT, none of this boot; else unknown. 'container'
 * NULL: any. */
static char *set_read(const struct client *client, const char *container)
{
	char *text = state_read(client, RUNDIR_MOUNTS), boot[64], head[256];
	size_t length;
	bool ours;

	if (!text)
		return NULL;
	host_boot_id(boot, sizeof(boot));
	if (!*boot) {
		free(text);
		errno = EIO;
		return NULL;
	}
	length = strcspn(text, "\n");
	snprintf(head, sizeof(head), "# %s %s", container ? container : "", boot);
	if (container)
		ours = length == strlen(head) && !strncmp(text, head, length);
	else
		ours = length > strlen(boot) &&
		       !strncmp(text + length - strlen(boot), boot, strlen(boot));
	if (ours)
		return text;
	free(text);
	errno = ENOENT;
	return NULL;
}

/* Return the mounts of the set, or their options before (SHOWN). */
static struct mounts *set_load(const struct client *client, const char *fstype, struct err *err)
{
	char *text = set_read(client, NULL);
	struct mounts *set;

	if (!text) {
		err_set(err, "what was mounted is not known any more");
		return NULL;
	}
	set = mounts_parse(text, fstype);
	free(text);
	return set;
}

int weka_mount_is_begun(const struct client *client, const char *container)
{
	char *text = set_read(client, container);
	int begun = text ? 1 : errno == ENOENT ? 0 : -1;

	free(text);
	return begun;
}

void weka_mount_forget_old(const struct client *client)
{
	char *ours = set_read(client, NULL);

	if (!ours && errno == ENOENT)
		state_forget(client, RUNDIR_MOUNTS);
	free(ours);
}

void weka_mount_end(const struct client *client)
{
	state_forget(client, RUNDIR_MOUNTS);
}

/* ---- umount and mount -------------------------------------------------- */

static unsigned int left_ms(const struct client *client, unsigned long long end_ms)
{
	unsigned long long now = child_now_ms();
	unsigned long long least = client->section->timeout_ms;

	return (unsigned int)(end_ms > now + least ? end_ms - now : least);
}

static const struct client_mount *find(struct client *client, const char *target)
{
	return mounts_find(client->mounts, target);
}

int weka_mount_count(struct client *client, struct err *err)
{
	struct mounts *set = set_load(client, WEKA_FSTYPE, err);
	int count = -1;
	size_t i;

	if (set && mounts_reread(client, err) == 0)
		for (i = 0, count = 0; i < set->count; i++)
			count += find(client, set->mount[i].target) != NULL;
	mounts_free(set);
	return count;
}

/* Run umount(8). Return 0 if it succeeds. */
static int run_umount(struct client *client, const char *target, unsigned int timeout_ms,
		      struct err *err)
{
	char *argv[] = { client->section->umount_command, (char *)target, NULL };
	char name[PATH_TEXT_MAX + 8];
	int rc;

	snprintf(name, sizeof(name), "umount %s", target);
	FAULT_POINT("umount before");
	rc = command_do(client->run_dir, argv, name, timeout_ms, err);
	FAULT_POINT("umount after");
	return rc;
}

static int away_one(struct client *client, const char *target, unsigned long long end_ms,
		    bool *busy, struct err *err)
{
	struct err failure = { "" };

	if (run_umount(client, target, left_ms(client, end_ms), &failure) < 0)
		err_set(err, "%s", failure.text);
	if (mounts_reread(client, failure.text[0] ? NULL : err) < 0)
		return -1;
	if (!find(client, target))
		return 0; /* regardless of its exit status */
	/* EBUSY in the C locale, which command.c sets */
	*busy = strstr(failure.text, "is busy") != NULL;
	if (!failure.text[0])
		err_set(err, "umount %s exited with 0, but it is still mounted", target);
	return -1;
}

int weka_mount_away(struct client *client, unsigned long long end_ms, bool *busy, struct err *err)
{
	struct mounts *set = set_load(client, WEKA_FSTYPE, err);
	int rc = -1;
	size_t i;

	*busy = false;
	if (!set || mounts_reread(client, err) < 0)
		goto out;
	rc = 0;
	for (i = set->count; i > 0 && rc == 0; i--)
		if (find(client, set->mount[i - 1].target))
			rc = away_one(client, set->mount[i - 1].target, end_ms, busy, err);
out:
	mounts_free(set);
	return rc;
}

static int mount_once(struct client *client, const struct client_mount *mount,
		      const struct cpuset *ids, unsigned int timeout_ms, struct err *err)
{
	struct err failure = { "" };

	if (weka_mount_cores(client, mount, ids, timeout_ms, &failure) < 0)
		err_set(err, "%s", failure.text);
	if (mounts_reread(client, failure.text[0] ? NULL : err) < 0)
		return -1;
	if (find(client, mount->target))
		return 0;
	if (!failure.text[0])
		err_set(err, "mount %s exited with 0, but it is not mounted", mount->target);
	return -1;
}

static int back_one(struct client *client, const struct client_mount *mount,
		    const struct cpuset *ids, unsigned long long end_ms, bool insist,
		    struct err *err)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };

	for (;;) {
		if (find(client, mount->target))
			return 0;
		if (mount_once(client, mount, ids, left_ms(client, end_ms), err) == 0)
			return 0;
		/* an agent that is still removing the container, a join that fails once: WEKA's own
		 * mount scripts retry, too */
		if (!insist || child_now_ms() >= end_ms)
			return -1;
		nanosleep(&nap, NULL);
		if (mounts_reread(client, err) < 0)
			return -1;
	}
}

static void compare(struct client *client, const struct mounts *shown)
{
	const struct client_mount *mount;
	struct err why;
	size_t i;

	for (i = 0; shown && i < shown->count; i++) {
		mount = find(client, shown->mount[i].target);
		if (mount &&
		    weka_options_unchanged(shown->mount[i].options, mount->options, &why) < 0)
			rule_report_code(client, "W40", "remount it with the options of fstab(5)",
					 "'%s' was mounted again: %.300s", mount->target, why.text);
	}
}

int weka_mount_back(struct client *client, const struct cpuset *ids, unsigned long long end_ms,
		    bool insist, struct err *err)
{
	struct mounts *set = set_load(client, WEKA_FSTYPE, err);
	struct mounts *shown = NULL;
	int rc = -1;
	size_t i;

	if (!set || mounts_reread(client, err) < 0)
		goto out;
	rc = 0;
	for (i = 0; i < set->count; i++)
		if (back_one(client, &set->mount[i], ids, end_ms, insist, err) < 0)
			rc = -1;
	shown = set_load(client, SHOWN, NULL);
	if (!insist)
		compare(client, shown);
out:
	mounts_free(shown);
	mounts_free(set);
	return rc;
}
