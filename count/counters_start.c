/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/counters_start.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/mountinfo.h"
#include "base/sysfs.h"
#include "base/text.h"
#include "count/counters_load.h"
#include "count/mounts.h"
#include "count/pins.h"
#include "record/alloc.h"
#include "record/record.h"

#define NS_IN_S INT64_C(1000000000)
#define STALE_S 3600			    /* longer than any prolog */
#define LEVELS "{,*/,*/*/,*/*/*/,*/*/*/*/}" /* of system.slice/slurmstepd.scope/job_1 */
#define ENTRIES_MAX (RECORD_LIST_MAX - 3)   /* with that of all files; steps come later */
#define SLUID_LENGTH 14			    /* src/common/sluid.h: Crockford's digits */
#define SLUID_DIGITS "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/* ---- leftovers of other jobs --------------------------------------------- */

static bool has_cgroup(const struct counters_options *options, const struct pins *p, uint32_t job)
{
	union count_name name, *before = NULL, next;
	char pattern[512];
	bool found = false;
	uint32_t named;
	glob_t paths;

	while (!found && !bpf_map_get_next_key(p->map[MAP_NAMES], before, &next)) {
		name = next;
		before = &name;
		if (bpf_map_lookup_elem(p->map[MAP_NAMES], &name, &named) || named != job)
			continue;
		snprintf(pattern, sizeof(pattern), "%s%s/" LEVELS "%.15s", options->cgroup_dir,
			 p->info.cgroup_v1 ? "/freezer" : "", name.text);
		found = glob(pattern, GLOB_BRACE, NULL, &paths) == 0;
		globfree(&paths);
	}
	return found;
}

/* Delete keys of a map that belong to no entry, by the job or the filesystem that is their value
 * (MAP_DEVS: the key itself). */
static void prune(struct pins *p, enum programs_map map)
{
	char key[sizeof(struct count_path)], next[sizeof(key)];
	int rc = bpf_map_get_next_key(p->map[map], NULL, next);
	const struct count_key *used;
	uint32_t id;
	size_t i;

	while (!rc) {
		memcpy(key, next, sizeof(key));
		rc = bpf_map_get_next_key(p->map[map], key, next);
		memcpy(&id, key, sizeof(id));
		if (map != MAP_DEVS && bpf_map_lookup_elem(p->map[map], key, &id))
			continue;
		for (i = 0; i < p->entry_count; i++) {
			used = &p->entries[i].key;
			if (used->job && (map == MAP_NAMES ? used->job : used->dev) == id)
				break;
		}
		if (i == p->entry_count)
			bpf_map_delete_elem(p->map[map], key);
	}
}

/* Remove entries of jobs without an epilog: they are older than an hour, and the job has no cgroup.
 * (RUN/JOB is no proof: another slurmd of this host may have another run_dir.) */
static void remove_stale(const struct counters_options *options, struct pins *p, uint64_t now_s)
{
	struct pins_entry *entry;
	size_t i;

	for (i = 0; i < p->entry_count; i++) {
		entry = &p->entries[i];
		if (entry->value.start_s + STALE_S > now_s ||
		    has_cgroup(options, p, entry->key.job))
			continue;
		bpf_map_delete_elem(p->map[MAP_JOBS], &entry->key);
		memset(entry, 0, sizeof(*entry));
	}
	prune(p, MAP_NAMES);
	prune(p, MAP_DEVS);
	prune(p, MAP_PATHS);
}

/* ---- the entries of a job ------------------------------------------------ */

struct start {
	struct pins *pins;
	uint32_t job;
	struct pins_entry entries[ENTRIES_MAX];
	size_t entry_count;
	uint32_t slot;	 /* of the last entry */
	bool is_partial; /* a filesystem is not counted */
	struct counters_state *state;
};

static struct pins_entry *find_entry(struct start *s, uint32_t dev)
{
	size_t i;

	for (i = 0; i < s->entry_count; i++)
		if (s->entries[i].key.dev == dev)
			return &s->entries[i];
	return NULL;
}

static bool is_used(const struct pins *p, uint32_t slot)
{
	size_t i;

	for (i = 0; i < p->entry_count; i++)
		if (p->entries[i].value.slot == slot)
			return true;
	return false;
}

static void add_entry(struct start *s, uint32_t dev, const char *mount)
{
	struct pins_entry *entry = &s->entries[s->entry_count];
	unsigned int slots = s->pins->info.slots;

	while (++s->slot < slots && is_used(s->pins, s->slot))
		;
	if (s->slot >= slots)
		err_set(&s->state->reason,
			"counters: all %u slots are taken: '%s' of job %u is not counted", slots,
			*mount ? mount : "all files", s->job);
	else if (s->entry_count == ENTRIES_MAX)
		err_set(&s->state->reason,
			"counters: mount: '%s': not counted: more than %d filesystems", mount,
			ENTRIES_MAX - 1);
	if (s->slot >= slots || s->entry_count == ENTRIES_MAX) {
		s->is_partial = true;
		return;
	}
	s->entry_count++;
	entry->key.job = s->job;
	entry->key.dev = dev;
	entry->value.slot = s->slot;
	snprintf(entry->value.mount, sizeof(entry->value.mount), "%s", mount);
}

/* Paths below a mount point belong to its filesystem. */
static void add_path(struct pins *p, uint32_t dev, const char *mount)
{
	struct count_path path = { .bits = 0 };
	int n = snprintf(path.text, sizeof(path.text), "%s/", strcmp(mount, "/") ? mount : "");

	path.bits = 8 * (uint32_t)n;
	if ((size_t)n < sizeof(path.text))
		bpf_map_update_elem(p->map[MAP_PATHS], &path, &dev, BPF_ANY);
}

/* Several mount points of a filesystem are one entry. */
static void add_mount(struct start *s, const struct mountinfo *table, const char *mount)
{
	uint32_t dev = mounts_dev(mountinfo_on(table, mount));

	if (!dev || strlen(mount) >= COUNT_MOUNT_BYTES) {
		err_set(&s->state->reason, "counters: mount: '%.300s': %s", mount,
			dev ? "too long" : "not a mount point");
		return;
	}
	add_path(s->pins, dev, mount);
	if (!find_entry(s, dev))
		add_entry(s, dev, mount);
}

/* 'path': file of a loop device or layer of an overlay. */
static void mark_image(struct start *s, const struct mountinfo *table, char *path)
{
	struct pins_entry *entry = NULL;
	uint32_t dev = 0;

	if (*path == '/') {
		text_unescape_octal(path);
		dev = mounts_dev(mountinfo_above(table, path));
	}
	if (dev)
		entry = find_entry(s, dev);
	if (entry)
		entry->value.flags |= COUNT_IMAGE;
}

/* Images and overlays that exist before the job; the programs count those that are made later. */
static void mark_images(struct start *s, const struct mountinfo *table)
{
	char path[4096], *options, *word, *rest;
	glob_t loops = { 0 };
	size_t i;

	glob("/sys/block/loop*/loop/backing_file", 0, NULL, &loops);
	for (i = 0; i < loops.gl_pathc; i++)
		if (sysfs_line(loops.gl_pathv[i], path, sizeof(path)) == 0)
			mark_image(s, table, path);
	globfree(&loops);
	for (i = 0; i < table->count; i++) {
		if (strcmp(table->mount[i].fstype, "overlay") != 0)
			continue;
		options = rest = xstrdup(table->mount[i].super_options);
		while ((word = strtok_r(NULL, ",=:", &rest)))
			mark_image(s, table, word);
		free(options);
	}
}

static void add_mounts(struct start *s, const char *mountinfo, char *const mounts[],
		       size_t mount_count)
{
	struct mountinfo *table = mountinfo_read(mountinfo, &s->state->reason);
	size_t i;

	for (i = 0; table && i < mount_count; i++)
		add_mount(s, table, mounts[i]);
	if (table)
		mark_images(s, table);
	mountinfo_free(table);
}

/* ---- maps ---------------------------------------------------------------- */

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now = { 0, 0 };

	clock_gettime(id, &now);
	return (uint64_t)(now.tv_sec * NS_IN_S + now.tv_nsec);
}

/* Set the counters of all shards to zero. */
static int write_slot(const struct pins *p, const struct pins_entry *entry)
{
	uint32_t first = entry->value.slot << p->info.shard_shift, i;
	struct count_slot slot;

	memset(&slot, 0, sizeof(slot));
	slot.job = entry->key.job;
	slot.dev = entry->key.dev;
	slot.first = first;
	slot.start_ns = clock_ns(CLOCK_MONOTONIC);
	slot.series.real_ns = clock_ns(CLOCK_REALTIME) - slot.start_ns;
	for (i = first; i < first + (1U << p->info.shard_shift); i++)
		if (bpf_map_update_elem(p->map[MAP_SLOTS], &i, &slot, BPF_ANY))
			return -1;
	return 0;
}

/* Mounts and unmounts on the filesystem are counted from now on. */
static int watch_dev(const struct pins *p, uint32_t dev, struct count_dev *state)
{
	if (!dev || !bpf_map_lookup_elem(p->map[MAP_DEVS], &dev, state))
		return 0;
	return bpf_map_update_elem(p->map[MAP_DEVS], &dev, state, BPF_ANY);
}

static int write_entries(struct start *s, struct err *err)
{
	uint64_t start_s = clock_ns(CLOCK_BOOTTIME) / NS_IN_S;
	__u64 skipped[COUNT_KINDS];
	struct pins_entry *entry;
	size_t i;

	pins_skipped(s->pins, skipped);
	for (i = 0; i < s->entry_count; i++) {
		entry = &s->entries[i];
		entry->value.start_s = start_s;
		memcpy(entry->value.skipped, skipped, sizeof(skipped));
		if (watch_dev(s->pins, entry->key.dev, &entry->value.dev) ||
		    write_slot(s->pins, entry) ||
		    bpf_map_update_elem(s->pins->map[MAP_JOBS], &entry->key, &entry->value,
					BPF_NOEXIST))
			return err_set(err, "counters: '%s': %s", entry->value.mount,
				       strerror(errno));
	}
	return 0;
}

static int write_name(const struct start *s, const char *text, struct err *err)
{
	union count_name name;

	memset(&name, 0, sizeof(name));
	memcpy(name.text, text, strlen(text));
	if (bpf_map_update_elem(s->pins->map[MAP_NAMES], &name, &s->job, BPF_ANY))
		return err_set(err, "counters: cgroup name: '%s': %s", text, strerror(errno));
	return 0;
}

/* Add both names that the job's cgroup may have. */
static int write_names(const struct start *s, const char *sluid, struct err *err)
{
	char text[COUNT_NAME_BYTES];

	if (sluid && (strlen(sluid) != SLUID_LENGTH || sluid[0] != 's' ||
		      strspn(sluid + 1, SLUID_DIGITS) != SLUID_LENGTH - 1))
		return err_set(err, "counters: sluid: '%s': not 's' and 13 letters and digits",
			       sluid);
	snprintf(text, sizeof(text), "job_%u", s->job);
	if (write_name(s, text, err) < 0)
		return -1;
	return sluid ? write_name(s, sluid, err) : 0;
}

/* ---- start --------------------------------------------------------------- */

static int add_job(const struct counters_options *options, struct start *s, const char *sluid,
		   char *const mounts[], size_t mount_count, struct err *err)
{
	int rc;
	size_t i;

	remove_stale(options, s->pins, clock_ns(CLOCK_BOOTTIME) / NS_IN_S);
	if (s->state->groups & COUNT_GROUP(EXIT))
		add_entry(s, 0, "");
	if (s->state->tier == COUNTERS_BPF && mount_count)
		add_mounts(s, options->mountinfo, mounts, mount_count);
	if (s->is_partial && find_entry(s, 0))
		find_entry(s, 0)->value.flags |= COUNT_PARTIAL;
	rc = write_names(s, sluid, err);
	if (rc == 0)
		rc = write_entries(s, err);
	for (i = 0; rc < 0 && i < s->entry_count; i++)
		bpf_map_delete_elem(s->pins->map[MAP_JOBS], &s->entries[i].key);
	pins_invalidate(s->pins);
	return rc;
}

static void set_ftrace_off(struct counters_state *state)
{
	state->groups &= COUNT_GROUP(EXIT);
	state->tier = counters_tier(state->groups);
	err_set(&state->reason, "%s", counters_ftrace_off);
}

/* Return 1 if they are loaded or refused, 0 if a process goes on loading them, -1. *loaded is set
 * if they were not loaded before. */
static int load_first(const struct counters_options *options, struct counters_state *state,
		      bool *loaded)
{
	int rc;

	*loaded = counters_is_to_load(options, state);
	if (!*loaded)
		return 1;
	rc = counters_load_async(options);
	state->loading = rc == 0;
	if (rc == 0)
		err_set(&state->reason,
			"counters: loading the BPF programs takes longer than %u ms and goes on: this job is not counted by filesystem",
			options->wait_ms);
	counters_is_to_load(options, state); /* sets the reason of a refusal */
	return rc;
}

int counters_start(const struct counters_options *options, uint32_t job, const char *sluid,
		   char *const mounts[], size_t mount_count, struct counters_state *state,
		   struct err *err)
{
	struct start start = { .job = job, .state = state };
	struct pins pins;
	int lock, retired, rc = pins_begin(options, state, &lock, err);
	bool loaded;

	if (rc <= 0)
		return rc;
	retired = pins_forget(options, job, false, NULL); /* an earlier run of the job */
	close(lock);
	if (!load_first(options, state, &loaded))
		return 0;
	lock = pins_lock(options, "", err);
	if (lock < 0)
		return -1;
	if (pins_get(options, &pins, state)) {
		start.pins = &pins;
		if (loaded)
			counters_set_lost(state);
		if (counters_is_ftrace_off())
			set_ftrace_off(state);
		rc = add_job(options, &start, sluid, mounts, mount_count, err);
		pins_close(&pins);
	}
	close(lock);
	if (retired > 0)
		counters_unload_async(options);
	return rc < 0 ? -1 : 0;
}
