/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Begins to count for a job, and takes away what is idle. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/sysfs.h"
#include "base/text.h"
#include "count/counters_parts.h"
#include "count/mounts.h"
#include "record/alloc.h"

#define STALE_S 3600			 /* a prolog is long over then */
#define CGROUP_DEPTH 5			 /* system.slice/slurmstepd.scope/job_1 and the like */
#define MOUNTS_MAX (RECORD_LIST_MAX - 4) /* all files and the steps, too */
#define SLUID_LENGTH 14			 /* src/common/sluid.h; Crockford's digits */
#define SLUID_DIGITS "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

static int find_job_dir(const char *path, const char *name, int depth)
{
	char below[4096];
	struct dirent *entry;
	struct stat st;
	int found = 0;
	DIR *dir = opendir(path);

	if (!dir)
		return 0;
	while (!found && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || entry->d_type != DT_DIR)
			continue;
		found = !strcmp(entry->d_name, name);
		snprintf(below, sizeof(below), "%s/%s", path, entry->d_name);
		if (!found && depth > 1 && !lstat(below, &st) && S_ISDIR(st.st_mode))
			found = find_job_dir(below, name, depth - 1);
	}
	closedir(dir);
	return found;
}

/* Does a cgroup of the job exist? */
static int job_lives(const struct counters_options *options, struct pins *p, uint32_t job)
{
	union count_name name, *before = NULL, next;
	char dir[512];
	uint32_t found;

	snprintf(dir, sizeof(dir), "%s%s", options->cgroup_dir,
		 p->info.cgroup_v1 ? "/freezer" : "");
	while (!bpf_map_get_next_key(p->names, before, &next)) {
		name = next;
		before = &name;
		if (!bpf_map_lookup_elem(p->names, &name, &found) && found == job &&
		    find_job_dir(dir, name.text, CGROUP_DEPTH))
			return 1;
	}
	return 0;
}

struct stale {
	const struct counters_options *options;
	uint64_t now_s;
};

/* An epilog that never ran leaves entries: they go after an hour, when no
 * cgroup of the job is left. */
static int drop_stale(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		      void *arg)
{
	struct stale *stale = arg;

	if (entry->start_s + STALE_S > stale->now_s || job_lives(stale->options, p, key->job))
		return 0;
	return pins_drop_entry(p, key, entry, NULL);
}

static int is_job(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		  void *arg)
{
	const uint32_t *job = arg;

	(void)p;
	(void)entry;
	return key->job == *job;
}

/* Of a job that has no entry any more? */
static bool is_idle(struct pins *p, uint32_t job, void *arg)
{
	(void)arg;
	return !pins_each_entry(p, is_job, &job);
}

static int is_dev(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		  void *arg)
{
	const uint32_t *dev = arg;

	(void)p;
	(void)entry;
	return key->dev == *dev;
}

/* Device numbers that no job is counted on, and where they were mounted. */
static void drop_idle_devs(struct pins *p)
{
	struct count_path path, next_path;
	struct count_dev state;
	uint32_t dev, next;
	int rc = bpf_map_get_next_key(p->devs, NULL, &next);

	while (!rc) {
		dev = next;
		rc = bpf_map_get_next_key(p->devs, &dev, &next);
		if (!pins_each_entry(p, is_dev, &dev))
			bpf_map_delete_elem(p->devs, &dev);
	}
	rc = bpf_map_get_next_key(p->paths, NULL, &next_path);
	while (!rc) {
		path = next_path;
		rc = bpf_map_get_next_key(p->paths, &path, &next_path);
		if (!bpf_map_lookup_elem(p->paths, &path, &dev) &&
		    bpf_map_lookup_elem(p->devs, &dev, &state))
			bpf_map_delete_elem(p->paths, &path);
	}
}

static int mark_used(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		     void *arg)
{
	bool *used = arg;

	(void)key;
	if (entry->slot < p->info.slots)
		used[entry->slot] = true;
	return 0;
}

/* Slot 0 belongs to nobody. */
static uint32_t free_slot(const bool *used, uint32_t slots)
{
	uint32_t i;

	for (i = 1; i < slots; i++)
		if (!used[i])
			return i;
	return 0;
}

struct adding {
	struct pins *pins;
	bool *used;
	uint32_t job;
	unsigned int mounts;
	bool partial; /* there is a filesystem that is not counted */
	struct counters_state *state;
	__u64 skipped[COUNT_KINDS]; /* by the programs, so far */
};

/* What is known of the device so far; from now on it is watched. */
static int watch_dev(struct pins *p, uint32_t dev, struct count_dev *state)
{
	if (!dev || !bpf_map_lookup_elem(p->devs, &dev, state))
		return 0;
	memset(state, 0, sizeof(*state));
	return bpf_map_update_elem(p->devs, &dev, state, BPF_ANY);
}

/* Names below a mount point are its filesystem's. */
static void add_path(struct pins *p, uint32_t dev, const char *mount)
{
	struct count_path path = { .bits = 0 };
	int n = snprintf(path.text, sizeof(path.text), "%s/", strcmp(mount, "/") ? mount : "");

	path.bits = 8 * (uint32_t)n;
	if ((size_t)n < sizeof(path.text))
		bpf_map_update_elem(p->paths, &path, &dev, BPF_ANY);
}

static int add_entry(struct adding *a, uint32_t dev, const char *mount, struct err *err)
{
	struct count_key key = { a->job, dev };
	struct count_entry entry;

	memset(&entry, 0, sizeof(entry));
	entry.slot = free_slot(a->used, a->pins->info.slots);
	entry.start_s = counters_boottime_s();
	memcpy(entry.skipped, a->skipped, sizeof(entry.skipped));
	snprintf(entry.mount, sizeof(entry.mount), "%s", mount);
	if (!entry.slot) {
		snprintf(a->state->reason, sizeof(a->state->reason),
			 "counters: all %u slots are taken: '%s' of job %u is not counted",
			 a->pins->info.slots, *mount ? mount : "all files", a->job);
		a->partial = true;
		return 0;
	}
	if (watch_dev(a->pins, dev, &entry.dev) || pins_write_slot(a->pins, entry.slot, &key) ||
	    bpf_map_update_elem(a->pins->jobs, &key, &entry, BPF_NOEXIST))
		return err_set(err, "counters: '%s': %s", mount, strerror(errno));
	a->used[entry.slot] = true;
	a->state->slots_used++;
	return 0;
}

/* One entry for each filesystem: two mount points of one are one. A mount that
 * cannot be counted is said, and the others are counted. */
static int add_mount(const struct counters_options *options, struct adding *a, const char *mount,
		     struct err *err)
{
	struct count_key key = { a->job, 0 };
	struct count_entry entry;
	struct err why = { "" };
	int rc;

	if (strlen(mount) < COUNT_MOUNT_BYTES)
		rc = mounts_dev(options->mountinfo, mount, &key.dev, &why);
	else
		rc = err_set(&why, "counters: mount: '%.64s...': too long", mount);
	if (rc == 0)
		err_set(&why, "counters: mount: '%s': not a mount point", mount);
	if (rc <= 0) {
		memcpy(a->state->reason, why.text, sizeof(why.text));
		return 0;
	}
	add_path(a->pins, key.dev, mount);
	if (!bpf_map_lookup_elem(a->pins->jobs, &key, &entry))
		return 0;
	if (a->mounts == MOUNTS_MAX) {
		snprintf(a->state->reason, sizeof(a->state->reason),
			 "counters: mount: '%s': not counted: more than %d filesystems", mount,
			 MOUNTS_MAX);
		a->partial = true;
		return 0;
	}
	a->mounts++;
	return add_entry(a, key.dev, mount, err);
}

/* 'path' is the file of a loop device or a layer of an overlay. */
static void mark_image(const struct mountinfo *table, struct adding *a, char *path)
{
	struct count_key key = { a->job, 0 };
	struct count_entry entry;

	if (*path != '/')
		return;
	text_unescape_octal(path);
	key.dev = mounts_dev_below(table, path);
	if (!key.dev || bpf_map_lookup_elem(a->pins->jobs, &key, &entry))
		return;
	entry.flags |= COUNT_IMAGE;
	bpf_map_update_elem(a->pins->jobs, &key, &entry, BPF_EXIST);
}

/* Those that the job finds; of what comes later the programs see that it is made. */
static void mark_images(const struct counters_options *options, struct adding *a)
{
	struct mountinfo *table = mountinfo_read(options->mountinfo, NULL);
	char path[4096], *copy, *rest, *word;
	glob_t loops = { 0 };
	size_t i;

	if (!table)
		return;
	glob("/sys/block/loop*/loop/backing_file", 0, NULL, &loops);
	for (i = 0; i < loops.gl_pathc; i++)
		if (sysfs_line(loops.gl_pathv[i], path, sizeof(path)) == 0)
			mark_image(table, a, path);
	globfree(&loops);
	for (i = 0; i < table->count; i++) {
		if (strcmp(table->mount[i].fstype, "overlay") != 0)
			continue;
		copy = rest = xstrdup(table->mount[i].super_options);
		while ((word = strtok_r(NULL, ",=:", &rest)))
			mark_image(table, a, word);
		free(copy);
	}
	mountinfo_free(table);
}

/* The line of all files bears it. */
static int mark_partial(struct adding *a, struct err *err)
{
	struct count_key key = { a->job, 0 };
	struct count_entry entry;

	if (!a->partial || bpf_map_lookup_elem(a->pins->jobs, &key, &entry))
		return 0;
	entry.flags |= COUNT_PARTIAL;
	if (bpf_map_update_elem(a->pins->jobs, &key, &entry, BPF_EXIST))
		return err_set(err, "counters: job %u: %s", a->job, strerror(errno));
	return 0;
}

static int add_name(struct pins *p, const char *text, uint32_t job, struct err *err)
{
	union count_name name;

	memset(&name, 0, sizeof(name));
	memcpy(name.text, text, strlen(text));
	if (bpf_map_update_elem(p->names, &name, &job, BPF_ANY))
		return err_set(err, "counters: cgroup name: '%s': %s", text, strerror(errno));
	return 0;
}

/* What the job's cgroup may be called. */
static int add_names(struct pins *p, const char *sluid, uint32_t job, struct err *err)
{
	char text[COUNT_NAME_BYTES];

	if (sluid && (strlen(sluid) != SLUID_LENGTH || sluid[0] != 's' ||
		      strspn(sluid + 1, SLUID_DIGITS) != SLUID_LENGTH - 1))
		return err_set(err, "counters: sluid: '%s': not 's' and 13 letters and digits",
			       sluid);
	snprintf(text, sizeof(text), "job_%u", job);
	if (add_name(p, text, job, err) < 0)
		return -1;
	return sluid ? add_name(p, sluid, job, err) : 0;
}

static int add_job(const struct counters_options *options, struct pins *p, uint32_t job,
		   const char *sluid, char *const mounts[], size_t mount_count,
		   struct counters_state *state, struct err *err)
{
	struct adding a = { .pins = p, .job = job, .state = state };
	struct stale stale = { options, counters_boottime_s() };
	int rc = -1;
	size_t i;

	a.used = xcalloc(p->info.slots, sizeof(*a.used));
	pins_each_entry(p, drop_stale, &stale);
	pins_drop_names(p, is_idle, NULL);
	drop_idle_devs(p);
	pins_each_entry(p, mark_used, a.used);
	pins_skipped(p, a.skipped);
	pins_each_entry(p, pins_count_entry, &state->slots_used);
	if (add_names(p, sluid, job, err) < 0)
		goto out;
	if ((state->groups & COUNT_GROUP(EXIT)) && add_entry(&a, 0, "", err) < 0)
		goto out;
	for (i = 0; state->tier == COUNTERS_BPF && i < mount_count; i++)
		if (add_mount(options, &a, mounts[i], err) < 0)
			goto out;
	if (a.mounts)
		mark_images(options, &a);
	rc = mark_partial(&a, err);
out:
	if (rc < 0)
		pins_drop_job(p, job);
	else
		pins_changed(p);
	free(a.used);
	return rc;
}

/* 1: they are there, or refused; *loaded: only since now. 0: a process loads them. */
static int load_first(const struct counters_options *options, struct counters_state *state,
		      bool *loaded)
{
	int rc;

	*loaded = counters_is_to_load(options, state);
	if (!*loaded)
		return 1;
	rc = counters_load_away(options);
	state->loading = rc == 0;
	if (rc == 0)
		snprintf(
			state->reason, sizeof(state->reason),
			"counters: loading the BPF programs takes longer than %u ms and goes on: this job is not counted by filesystem",
			options->wait_ms);
	counters_is_to_load(options, state); /* for the reason */
	return rc;
}

int counters_start(const struct counters_options *options, uint32_t job, const char *sluid,
		   char *const mounts[], size_t mount_count, struct counters_state *state,
		   struct err *err)
{
	struct pins pins;
	char ours[128];
	bool loaded;
	int lock, rc;

	if (!job)
		return err_set(err, "counters: job: '0': not a job");
	rc = counters_look(options, state, &lock, err);
	if (rc <= 0)
		return rc;
	/* It may have run before, with other options. */
	pins_each_folder(options, pins_stop_folder, &job, NULL);
	counters_folder_name(options, ours, sizeof(ours));
	others_visit(options, &(struct others){ .but = ours, .stop = &job, .retire = true });
	close(lock);
	if (!load_first(options, state, &loaded))
		return 0;
	lock = counters_lock_home(options, err);
	if (lock < 0)
		return -1;
	if (pins_get(options, &pins, state)) {
		if (loaded)
			counters_say_lost(state);
		if (counters_is_ftrace_off()) {
			state->groups &= COUNT_GROUP(EXIT);
			state->tier = counters_tier(state->groups);
			snprintf(state->reason, sizeof(state->reason), "%s", counters_ftrace_off);
		}
		rc = add_job(options, &pins, job, sluid, mounts, mount_count, state, err);
		pins_close(&pins);
	}
	close(lock);
	counters_sweep_away(options);
	return rc < 0 ? -1 : 0;
}
