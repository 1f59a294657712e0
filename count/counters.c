/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/magic.h>

#include "count/counters.h"
#include "count/folder.h"
#include "count/layout.h"
#include "count/line.h"
#include "count/mounts.h"
#include "count/programs.h"
#include "lib/child.h"
#include "lib/fileio.h"
#include "lib/lock.h"
#include "lib/rundir.h"

#define IDLE_MS 1000 /* within JOB_COUNT_START_MS, after loading */
#define NS_IN_S INT64_C(1000000000)
#define STALE_S 3600   /* a prolog is long over then */
#define CGROUP_DEPTH 5 /* system.slice/slurmstepd.scope/job_1 and the like */
#define REFUSAL_MAX 4096
#define READ_TRIES 16 /* a shard is written to once a second */
#define MOUNTS_MAX (RECORD_LIST_MAX - 4) /* all files and the steps, too */
#define SLUID_LENGTH 14 /* src/common/sluid.h; Crockford's digits */
#define SLUID_DIGITS "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

/* One folder of pins, open. */
struct pins {
	char folder[256];
	int slots, jobs, names, devs, info_map, data;
	struct count_info info;
};

/* ---- where --------------------------------------------------------------- */

/* As slurmd decides it (src/interfaces/cgroup.c:autodetect_cgroup_version). */
static int cgroup_version(const struct counters_options *options)
{
	struct statfs fs;

	if (options->cgroup)
		return options->cgroup;
	if (statfs(options->cgroup_dir, &fs) < 0)
		return 2;
	return fs.f_type == CGROUP2_SUPER_MAGIC ? 2 : 1;
}

static void home_path(const struct counters_options *options, char *path,
		      size_t room)
{
	snprintf(path, room, "%s/jobio", options->bpffs);
}

/* The folder of what these options load; bpffs allows no dots in names. */
static void folder_name(const struct counters_options *options, char *name,
			size_t room)
{
	snprintf(name, room, "%u-%016llx-v%d%s", COUNT_LAYOUT,
		 (unsigned long long)programs_hash(), cgroup_version(options),
		 options->latency ? "-latency" : "");
}

static bool has_bpffs(const struct counters_options *options, struct err *err)
{
	struct statfs fs;

	if (statfs(options->bpffs, &fs) == 0 && fs.f_type == BPF_FS_MAGIC)
		return true;
	err_set(err, "counters: '%s': no bpffs is mounted there",
		options->bpffs);
	return false;
}

/* bpffs is 1777 where nobody said otherwise: what a user put in our place is
 * moved out of the way. The sticky bit keeps ours where it is. */
static int make_home(const char *path, struct err *err)
{
	char aside[320];
	struct stat st;

	if (lstat(path, &st) == 0 && st.st_uid != geteuid()) {
		snprintf(aside, sizeof(aside), "%s-of-uid-%lu-%ld", path,
			 (unsigned long)st.st_uid, (long)getpid());
		if (rename(path, aside) < 0)
			return err_set(
				err, "counters: '%s': uid %lu has it: %s", path,
				(unsigned long)st.st_uid, strerror(errno));
	}
	return fileio_mkdir(path, 0700, err);
}

/* The home folder, locked: a file descriptor, or -1. */
static int lock_home(const struct counters_options *options, struct err *err)
{
	char path[256];
	int fd;

	home_path(options, path, sizeof(path));
	if (make_home(path, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, "counters: '%s': %s", path,
			       strerror(errno));
	if (lock_wait(fd, options->lock_ms) < 0) {
		close(fd);
		return err_set(err,
			       "counters: '%s': another jobio-count holds the "
			       "lock for %u ms",
			       path, options->lock_ms);
	}
	return fd;
}

/* ---- pins ---------------------------------------------------------------- */

static int pin_get(const char *folder, const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return bpf_obj_get(path);
}

static void pins_close(struct pins *p)
{
	int *fds[] = { &p->slots, &p->jobs,	&p->names,
		       &p->devs,  &p->info_map, &p->data };
	size_t i;

	for (i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

static int pins_open(struct pins *p, const char *folder, struct err *err)
{
	uint32_t zero = 0;

	snprintf(p->folder, sizeof(p->folder), "%s", folder);
	p->slots = pin_get(folder, "slots");
	p->jobs = pin_get(folder, "jobs");
	p->names = pin_get(folder, "names");
	p->devs = pin_get(folder, "devs");
	p->info_map = pin_get(folder, "info");
	p->data = pin_get(folder, "data");
	if (p->slots < 0 || p->jobs < 0 || p->names < 0 || p->devs < 0 ||
	    p->info_map < 0 || p->data < 0 ||
	    bpf_map_lookup_elem(p->info_map, &zero, &p->info) ||
	    p->info.layout != COUNT_LAYOUT || p->info.shard_shift > 3) {
		pins_close(p);
		return err_set(err,
			       "counters: '%s': pins that this version "
			       "cannot read",
			       folder);
	}
	return 0;
}

/* Tell the programs that a job came or went: what they remember is old. */
static int pins_changed(struct pins *p)
{
	uint32_t zero = 0, generation = 0;

	if (bpf_map_lookup_elem(p->data, &zero, &generation))
		return -1;
	generation++;
	return bpf_map_update_elem(p->data, &zero, &generation, BPF_ANY);
}

static enum counters_tier tier_of(uint32_t groups)
{
	if (groups & COUNT_GROUP(RW))
		return COUNTERS_BPF;
	return groups & COUNT_GROUP(EXIT) ? COUNTERS_EXIT : COUNTERS_NONE;
}

static void fill_state(struct counters_state *state, const struct pins *p)
{
	state->groups = p->info.groups;
	state->tier = tier_of(p->info.groups);
	state->cgroup = p->info.cgroup_v1 ? 1 : 2;
	state->slots = p->info.slots;
	state->loaded = true;
	snprintf(state->pins, sizeof(state->pins), "%s", p->folder);
}

static uint64_t boottime_s(void)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec;
}

/* What has to be added to the clock of jiffies to get the time of day. */
static uint64_t real_ns(void)
{
	struct timespec real = { 0, 0 }, clock = { 0, 0 };

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &clock);
	return (uint64_t)((real.tv_sec - clock.tv_sec) * NS_IN_S +
			  real.tv_nsec - clock.tv_nsec);
}

/* Call fn for every entry; it may delete that one. Keys are collected first,
 * because deleting while walking starts the walk again. */
static int each_entry(struct pins *p,
		      int (*fn)(struct pins *p, const struct count_key *key,
				const struct count_entry *entry, void *arg),
		      void *arg)
{
	struct count_key *keys = calloc(p->info.slots + 1, sizeof(*keys));
	struct count_entry entry;
	size_t n = 0, i;
	int rc = 0;

	if (!keys)
		return -1;
	while (n < p->info.slots &&
	       !bpf_map_get_next_key(p->jobs, n ? &keys[n - 1] : NULL,
				     &keys[n]))
		n++;
	for (i = 0; i < n && !rc; i++)
		if (!bpf_map_lookup_elem(p->jobs, &keys[i], &entry))
			rc = fn(p, &keys[i], &entry, arg);
	free(keys);
	return rc;
}

static int slot_write(struct pins *p, uint32_t slot,
		      const struct count_key *owner)
{
	struct count_slot zero;
	uint32_t i, n = 1U << p->info.shard_shift, at;

	memset(&zero, 0, sizeof(zero));
	if (owner) {
		zero.job = owner->job;
		zero.dev = owner->dev;
		zero.first = slot << p->info.shard_shift;
		zero.line.real_ns = real_ns();
	}
	for (i = 0; i < n; i++) {
		at = (slot << p->info.shard_shift) + i;
		if (bpf_map_update_elem(p->slots, &at, &zero, BPF_ANY))
			return -1;
	}
	return 0;
}

static int drop_entry(struct pins *p, const struct count_key *key,
		      const struct count_entry *entry, void *arg)
{
	const uint32_t *job = arg;

	if (job && key->job != *job)
		return 0;
	if (bpf_map_delete_elem(p->jobs, key) && errno != ENOENT)
		return -1;
	return slot_write(p, entry->slot, NULL);
}

static void drop_names(struct pins *p, uint32_t job)
{
	union count_name key, next;
	uint32_t found;
	int rc = bpf_map_get_next_key(p->names, NULL, &next);

	while (!rc) {
		key = next;
		rc = bpf_map_get_next_key(p->names, &key, &next);
		if (!bpf_map_lookup_elem(p->names, &key, &found) &&
		    found == job)
			bpf_map_delete_elem(p->names, &key);
	}
}

static int drop_job(struct pins *p, uint32_t job)
{
	int rc = each_entry(p, drop_entry, &job);

	drop_names(p, job);
	return pins_changed(p) ? -1 : rc;
}

/* ---- every folder -------------------------------------------------------- */

/* Call fn for the folders of our layout; stops at -1. */
static int each_folder(const struct counters_options *options,
		       int (*fn)(struct pins *p, void *arg, struct err *err),
		       void *arg, struct err *err)
{
	char home[256], path[512], prefix[16];
	struct dirent *entry;
	struct pins pins;
	DIR *dir;
	int rc = 0;

	home_path(options, home, sizeof(home));
	snprintf(prefix, sizeof(prefix), "%u-", COUNT_LAYOUT);
	dir = opendir(home);
	if (!dir)
		return err_set(err, "counters: '%s': %s", home,
			       strerror(errno));
	while (!rc && (entry = readdir(dir))) {
		if (!folder_is_whole(entry->d_name) ||
		    strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (pins_open(&pins, path, err) < 0)
			continue;
		rc = fn(&pins, arg, err);
		pins_close(&pins);
	}
	closedir(dir);
	return rc;
}

static int count_entry(struct pins *p, const struct count_key *key,
		       const struct count_entry *entry, void *arg)
{
	unsigned int *n = arg;

	(void)p;
	(void)key;
	(void)entry;
	++*n;
	return 0;
}

static int retire_idle(struct pins *p, void *arg, struct err *err)
{
	const char *ours = arg;
	unsigned int jobs = 0;

	(void)err;
	if (strcmp(p->folder, ours) != 0 &&
	    !each_entry(p, count_entry, &jobs) && !jobs)
		folder_retire(p->folder, NULL);
	return 0;
}

/* Folders of other versions or options go when their last job has gone. The
 * prolog waits for this: what takes longer is the next job's. */
static void drop_idle(const struct counters_options *options, char *ours)
{
	char home[256];

	each_folder(options, retire_idle, ours, NULL);
	home_path(options, home, sizeof(home));
	folder_sweep(home, child_now_ms() + IDLE_MS);
}

/* ---- load ---------------------------------------------------------------- */

static uint32_t wanted_groups(const struct counters_options *options)
{
	uint32_t all = (1U << COUNT_GROUP_COUNT) - 1;

	return options->latency ? all : all & ~COUNT_GROUP(LATENCY);
}

/* What was refused since the last boot is not tried at every job. */
static bool was_refused(const struct counters_options *options,
			const char *folder, struct counters_state *state)
{
	char path[RUNDIR_PATH_MAX], *text, *newline;
	bool same = false;

	if (rundir_node_file(path, options->run_dir, RUNDIR_COUNT, NULL) < 0)
		return false;
	text = fileio_read(path, REFUSAL_MAX, NULL, NULL);
	newline = text ? strchr(text, '\n') : NULL;
	if (newline) {
		*newline = '\0';
		same = !strcmp(text, folder);
		newline[1 + strcspn(newline + 1, "\n")] = '\0';
		if (same)
			snprintf(state->reason, sizeof(state->reason), "%s",
				 newline + 1);
	}
	free(text);
	return same;
}

/* Without a run_dir it is tried again: slower, not wrong. */
static void remember_refusal(const struct counters_options *options,
			     const char *folder, const char *reason)
{
	char path[RUNDIR_PATH_MAX], text[REFUSAL_MAX];
	int n = snprintf(text, sizeof(text), "%s\n%s\n", folder, reason);

	if (rundir_node_file(path, options->run_dir, RUNDIR_COUNT, NULL) == 0)
		fileio_write_volatile(path, text, (size_t)n, 0600, NULL);
}

/* Open what is pinned, or load it: 1 open, 0 nothing to be had. */
static int pins_get(const struct counters_options *options, struct pins *p,
		    struct counters_state *state)
{
	struct count_info info;
	struct err err = { "" };
	char folder[128], home[256], path[512];

	folder_name(options, folder, sizeof(folder));
	home_path(options, home, sizeof(home));
	snprintf(path, sizeof(path), "%s/%s", home, folder);
	if (access(path, F_OK) < 0) {
		if (was_refused(options, path, state))
			return 0;
		if (programs_load(path, wanted_groups(options),
				  cgroup_version(options), &info, &err) < 0) {
			memcpy(state->reason, err.text, sizeof(err.text));
			remember_refusal(options, path, err.text);
			return 0;
		}
	}
	memcpy(state->reason, err.text, sizeof(err.text));
	if (pins_open(p, path, &err) < 0) {
		memcpy(state->reason, err.text, sizeof(err.text));
		return 0;
	}
	fill_state(state, p);
	return 1;
}

static void state_init(const struct counters_options *options,
		       struct counters_state *state)
{
	memset(state, 0, sizeof(*state));
	state->cgroup = cgroup_version(options);
}

int counters_probe(const struct counters_options *options,
		   struct counters_state *state, struct err *err)
{
	char folder[128], path[512];
	struct count_info info = { 0 };
	struct err why = { "" };
	struct pins pins;

	(void)err;
	state_init(options, state);
	folder_name(options, folder, sizeof(folder));
	snprintf(path, sizeof(path), "%s/jobio/%s", options->bpffs, folder);
	if (!has_bpffs(options, &why)) {
		memcpy(state->reason, why.text, sizeof(why.text));
		return 0;
	}
	if (access(path, F_OK) == 0 && pins_open(&pins, path, &why) == 0) {
		fill_state(state, &pins);
		each_entry(&pins, count_entry, &state->slots_used);
		pins_close(&pins);
		return 0;
	}
	if (programs_load(NULL, wanted_groups(options), cgroup_version(options),
			  &info, &why) == 0) {
		state->groups = info.groups;
		state->tier = tier_of(info.groups);
	}
	memcpy(state->reason, why.text, sizeof(why.text));
	return 0;
}

/* ---- start --------------------------------------------------------------- */

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
		if (!found && depth > 1 && !lstat(below, &st) &&
		    S_ISDIR(st.st_mode))
			found = find_job_dir(below, name, depth - 1);
	}
	closedir(dir);
	return found;
}

/* Does a cgroup of the job exist? */
static int job_lives(const struct counters_options *options, struct pins *p,
		     uint32_t job)
{
	union count_name name, *before = NULL, next;
	char dir[512];
	uint32_t found;

	snprintf(dir, sizeof(dir), "%s%s", options->cgroup_dir,
		 p->info.cgroup_v1 ? "/freezer" : "");
	while (!bpf_map_get_next_key(p->names, before, &next)) {
		name = next;
		before = &name;
		if (!bpf_map_lookup_elem(p->names, &name, &found) &&
		    found == job && find_job_dir(dir, name.text, CGROUP_DEPTH))
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
static int drop_stale(struct pins *p, const struct count_key *key,
		      const struct count_entry *entry, void *arg)
{
	struct stale *stale = arg;

	if (entry->start_s + STALE_S > stale->now_s ||
	    job_lives(stale->options, p, key->job))
		return 0;
	return drop_entry(p, key, entry, NULL);
}

static int is_job(struct pins *p, const struct count_key *key,
		  const struct count_entry *entry, void *arg)
{
	const uint32_t *job = arg;

	(void)p;
	(void)entry;
	return key->job == *job;
}

/* Names of jobs that have no entry any more. */
static void drop_idle_names(struct pins *p)
{
	union count_name name, next;
	uint32_t job;
	int rc = bpf_map_get_next_key(p->names, NULL, &next);

	while (!rc) {
		name = next;
		rc = bpf_map_get_next_key(p->names, &name, &next);
		if (!bpf_map_lookup_elem(p->names, &name, &job) &&
		    !each_entry(p, is_job, &job))
			bpf_map_delete_elem(p->names, &name);
	}
}

static int is_dev(struct pins *p, const struct count_key *key,
		  const struct count_entry *entry, void *arg)
{
	const uint32_t *dev = arg;

	(void)p;
	(void)entry;
	return key->dev == *dev;
}

/* Device numbers that no job is counted on. */
static void drop_idle_devs(struct pins *p)
{
	uint32_t dev, next;
	int rc = bpf_map_get_next_key(p->devs, NULL, &next);

	while (!rc) {
		dev = next;
		rc = bpf_map_get_next_key(p->devs, &dev, &next);
		if (!each_entry(p, is_dev, &dev))
			bpf_map_delete_elem(p->devs, &dev);
	}
}

static int mark_used(struct pins *p, const struct count_key *key,
		     const struct count_entry *entry, void *arg)
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
};

/* What is known of the device so far; from now on it is watched. */
static int watch_dev(struct pins *p, uint32_t dev, struct count_dev *state)
{
	if (!dev || !bpf_map_lookup_elem(p->devs, &dev, state))
		return 0;
	memset(state, 0, sizeof(*state));
	return bpf_map_update_elem(p->devs, &dev, state, BPF_ANY);
}

static int add_entry(struct adding *a, uint32_t dev, const char *mount,
		     struct err *err)
{
	struct count_key key = { a->job, dev };
	struct count_entry entry;

	memset(&entry, 0, sizeof(entry));
	entry.slot = free_slot(a->used, a->pins->info.slots);
	entry.start_s = boottime_s();
	snprintf(entry.mount, sizeof(entry.mount), "%s", mount);
	if (!entry.slot) {
		snprintf(a->state->reason, sizeof(a->state->reason),
			 "counters: all %u slots are taken: '%s' of job %u is "
			 "not counted",
			 a->pins->info.slots, *mount ? mount : "all files",
			 a->job);
		a->partial = true;
		return 0;
	}
	if (watch_dev(a->pins, dev, &entry.dev) ||
	    slot_write(a->pins, entry.slot, &key) ||
	    bpf_map_update_elem(a->pins->jobs, &key, &entry, BPF_NOEXIST))
		return err_set(err, "counters: '%s': %s", mount,
			       strerror(errno));
	a->used[entry.slot] = true;
	a->state->slots_used++;
	return 0;
}

/* One entry for each filesystem: two mount points of one are one. A mount that
 * cannot be counted is said, and the others are counted. */
static int add_mount(const struct counters_options *options, struct adding *a,
		     const char *mount, struct err *err)
{
	struct count_key key = { a->job, 0 };
	struct count_entry entry;
	struct err why = { "" };
	int rc;

	if (strlen(mount) < COUNT_MOUNT_BYTES)
		rc = mounts_dev(options->mountinfo, mount, &key.dev, &why);
	else
		rc = err_set(&why, "counters: mount: '%.64s...': too long",
			     mount);
	if (rc == 0)
		err_set(&why, "counters: mount: '%s': not a mount point",
			mount);
	if (rc <= 0) {
		memcpy(a->state->reason, why.text, sizeof(why.text));
		return 0;
	}
	if (!bpf_map_lookup_elem(a->pins->jobs, &key, &entry))
		return 0;
	if (a->mounts == MOUNTS_MAX) {
		snprintf(a->state->reason, sizeof(a->state->reason),
			 "counters: mount: '%s': not counted: more than %d "
			 "filesystems",
			 mount, MOUNTS_MAX);
		a->partial = true;
		return 0;
	}
	a->mounts++;
	return add_entry(a, key.dev, mount, err);
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
		return err_set(err, "counters: job %u: %s", a->job,
			       strerror(errno));
	return 0;
}

static int add_name(struct pins *p, const char *text, uint32_t job,
		    struct err *err)
{
	union count_name name;

	memset(&name, 0, sizeof(name));
	memcpy(name.text, text, strlen(text));
	if (bpf_map_update_elem(p->names, &name, &job, BPF_ANY))
		return err_set(err, "counters: cgroup name: '%s': %s", text,
			       strerror(errno));
	return 0;
}

/* What the job's cgroup may be called. */
static int add_names(struct pins *p, const char *sluid, uint32_t job,
		     struct err *err)
{
	char text[COUNT_NAME_BYTES];

	if (sluid && (strlen(sluid) != SLUID_LENGTH || sluid[0] != 's' ||
		      strspn(sluid + 1, SLUID_DIGITS) != SLUID_LENGTH - 1))
		return err_set(err,
			       "counters: sluid: '%s': not 's' and 13 "
			       "letters and digits",
			       sluid);
	snprintf(text, sizeof(text), "job_%u", job);
	if (add_name(p, text, job, err) < 0)
		return -1;
	return sluid ? add_name(p, sluid, job, err) : 0;
}

static int add_job(const struct counters_options *options, struct pins *p,
		   uint32_t job, const char *sluid, char *const mounts[],
		   size_t mount_count, struct counters_state *state,
		   struct err *err)
{
	struct adding a = { .pins = p, .job = job, .state = state };
	struct stale stale = { options, boottime_s() };
	int rc = -1;
	size_t i;

	a.used = calloc(p->info.slots, sizeof(*a.used));
	if (!a.used)
		return err_set(err, "counters: out of memory");
	each_entry(p, drop_stale, &stale);
	drop_idle_names(p);
	drop_idle_devs(p);
	each_entry(p, mark_used, a.used);
	each_entry(p, count_entry, &state->slots_used);
	if (add_names(p, sluid, job, err) < 0)
		goto out;
	if ((state->groups & COUNT_GROUP(EXIT)) &&
	    add_entry(&a, 0, "", err) < 0)
		goto out;
	for (i = 0; state->tier == COUNTERS_BPF && i < mount_count; i++)
		if (add_mount(options, &a, mounts[i], err) < 0)
			goto out;
	rc = mark_partial(&a, err);
out:
	if (rc < 0)
		drop_job(p, job);
	else
		pins_changed(p);
	free(a.used);
	return rc;
}

static int stop_folder(struct pins *p, void *arg, struct err *err)
{
	const uint32_t *job = arg;

	if (drop_job(p, *job) < 0)
		return err_set(err, "counters: job %u: cannot forget it: %s",
			       *job, strerror(errno));
	return 0;
}

int counters_start(const struct counters_options *options, uint32_t job,
		   const char *sluid, char *const mounts[], size_t mount_count,
		   struct counters_state *state, struct err *err)
{
	struct err why = { "" };
	struct pins pins;
	int lock, rc = 0;

	state_init(options, state);
	if (!job)
		return err_set(err, "counters: job: '0': not a job");
	if (!has_bpffs(options, &why)) {
		memcpy(state->reason, why.text, sizeof(why.text));
		return 0;
	}
	lock = lock_home(options, err);
	if (lock < 0)
		return -1;
	/* It may have run before, with other options. */
	each_folder(options, stop_folder, &job, NULL);
	if (pins_get(options, &pins, state)) {
		rc = add_job(options, &pins, job, sluid, mounts, mount_count,
			     state, err);
		pins_close(&pins);
		drop_idle(options, pins.folder);
	}
	close(lock);
	return rc;
}

/* ---- read ---------------------------------------------------------------- */

static void add_up(struct count_slot *sum, const struct count_slot *one)
{
	const __u64 *from = one->bytes;
	__u64 *to = sum->bytes;
	size_t i, n = (offsetof(struct count_slot, peak) -
		       offsetof(struct count_slot, bytes)) /
		      sizeof(*to);

	for (i = 0; i < n; i++)
		to[i] += from[i];
}

/* A copy of a shard, whose line nobody wrote to while it was made: it is the one
 * in the middle of three with the same mark. Where that is not to be had: one
 * without a line. */
static int shard_read(struct pins *p, uint32_t at, struct count_slot *one)
{
	struct count_slot next;
	int tries, same = 0;

	if (bpf_map_lookup_elem(p->slots, &at, &next))
		return -1;
	for (tries = 0; same < 2 && tries < READ_TRIES; tries++) {
		*one = next;
		if (bpf_map_lookup_elem(p->slots, &at, &next))
			return -1;
		same = one->line.writes & 1 ||
				       one->line.writes != next.line.writes
			       ? 0
			       : same + 1;
	}
	if (same < 2)
		one->until = 0;
	return 0;
}

/* The rows of a shard, with what is not told yet. Without a clock of jiffies there
 * are none. */
static void add_rows(struct timeline *timeline, struct count_slot *shard)
{
	const struct count_row now = {
		.bytes = { shard->bytes[COUNT_READ],
			   shard->bytes[COUNT_WRITE] },
		.calls = shard->calls[COUNT_READ] + shard->calls[COUNT_WRITE],
	};
	struct count_line *line = &shard->line;
	int64_t amounts[TIMELINE_LANES], width;
	size_t i;

	if (!shard->until && now.calls)
		timeline_spoil(timeline);
	if (!shard->until)
		return;
	line_tell(line, &now);
	width = INT64_C(1) << (line->shift & 31);
	for (i = 0; i < COUNT_ROWS; i++) {
		amounts[TIMELINE_READ] =
			(int64_t)line->rows[i].bytes[COUNT_READ];
		amounts[TIMELINE_WRITE] =
			(int64_t)line->rows[i].bytes[COUNT_WRITE];
		amounts[TIMELINE_CALLS] = (int64_t)line->rows[i].calls;
		if (timeline_is_row((int64_t)(line->base + i) * width, width))
			timeline_put(timeline,
				     (int64_t)(line->base + i) * width, width,
				     amounts);
	}
}

static int slot_read(struct pins *p, uint32_t slot, struct count_slot *sum,
		     struct timeline *timeline)
{
	uint32_t i, n = 1U << p->info.shard_shift;
	struct count_slot one;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < n; i++) {
		if (shard_read(p, (slot << p->info.shard_shift) + i, &one) < 0)
			return -1;
		add_up(sum, &one);
		add_rows(timeline, &one);
		if (!i)
			memcpy(sum->peak, one.peak, sizeof(sum->peak));
	}
	return 0;
}

static void put_hist(struct record_io *io, enum record_hist which,
		     const __u64 *bins, size_t n)
{
	size_t i;

	io->has_hist[which] = true;
	for (i = 0; i < n && i < RECORD_BINS; i++)
		io->hist[which][i] = (int64_t)bins[i];
}

/* CPUs report by steps: what is less is too little to tell a peak. */
static int64_t peak_rate(const struct count_slot *s, enum count_rw rw)
{
	const struct count_peak *peak = &s->peak[rw];
	uint64_t most = peak->total - peak->mark;

	most = most > peak->most ? most : peak->most;
	most = most > s->bytes[rw] ? s->bytes[rw] : most;
	if (!most && s->bytes[rw])
		return RECORD_UNKNOWN;
	return (int64_t)(most / COUNT_WINDOW_S);
}

/* The order of enum count_meta is the record's. */
static void put_bpf(struct record_io *io, const struct count_slot *s,
		    uint32_t groups)
{
	int i;

	put_hist(io, RECORD_READ_SIZES, s->sizes[COUNT_READ], COUNT_SIZE_BINS);
	put_hist(io, RECORD_WRITE_SIZES, s->sizes[COUNT_WRITE],
		 COUNT_SIZE_BINS);
	io->peak[RECORD_PEAK_READ] = peak_rate(s, COUNT_READ);
	io->peak[RECORD_PEAK_WRITE] = peak_rate(s, COUNT_WRITE);
	io->peak_window_s = COUNT_WINDOW_S;
	if (groups & COUNT_GROUP(META)) {
		io->has_meta = true;
		for (i = 0; i < COUNT_META_OPS; i++)
			io->meta[i] = (int64_t)s->meta[i];
	}
	if (groups & COUNT_GROUP(MMAP)) {
		io->numbers[RECORD_MMAP_READ_BYTES] =
			(int64_t)s->mmap_bytes[COUNT_READ];
		io->numbers[RECORD_MMAP_WRITE_BYTES] =
			(int64_t)s->mmap_bytes[COUNT_WRITE];
	}
	if (groups & COUNT_GROUP(LATENCY)) {
		io->numbers[RECORD_READ_US] =
			(int64_t)(s->ns_sum[COUNT_READ] / 1000);
		io->numbers[RECORD_WRITE_US] =
			(int64_t)(s->ns_sum[COUNT_WRITE] / 1000);
		put_hist(io, RECORD_READ_NS, s->ns[COUNT_READ], COUNT_NS_BINS);
		put_hist(io, RECORD_WRITE_NS, s->ns[COUNT_WRITE],
			 COUNT_NS_BINS);
	}
}

/* Rows that are not the counters would say what nobody saw. */
static void check_timeline(struct record_io *io)
{
	const int64_t *n = io->numbers;

	if (timeline_sum(&io->timeline, TIMELINE_READ) !=
		    n[RECORD_READ_BYTES] ||
	    timeline_sum(&io->timeline, TIMELINE_WRITE) !=
		    n[RECORD_WRITE_BYTES] ||
	    timeline_sum(&io->timeline, TIMELINE_CALLS) !=
		    n[RECORD_READ_CALLS] + n[RECORD_WRITE_CALLS])
		timeline_spoil(&io->timeline);
}

struct reading {
	const struct counters_options *options;
	uint32_t job;
	struct record *record;
	struct counters_state *state;
};

/* The mount point may have gone, or lead to another filesystem by now, be it
 * one with the same number. */
static uint32_t mount_flags(const struct counters_options *options,
			    struct pins *p, const struct count_key *key,
			    const struct count_entry *entry)
{
	struct count_dev now = entry->dev;
	uint32_t dev, flags = 0;
	int rc = mounts_dev(options->mountinfo, entry->mount, &dev, NULL);

	bpf_map_lookup_elem(p->devs, &key->dev, &now);
	if (now.mounted != entry->dev.mounted)
		flags |= RECORD_FLAG(MOUNT_BELOW);
	if (rc == 0)
		flags |= RECORD_FLAG(UNMOUNTED);
	else if ((rc > 0 && dev != key->dev) || now.ended != entry->dev.ended)
		flags |= RECORD_FLAG(REMOUNTED);
	return flags;
}

static uint32_t missed_flags(const struct count_slot *s,
			     const struct count_entry *entry)
{
	uint32_t flags = 0;

	if (s->missed[COUNT_MISSED_READ] || (entry->flags & COUNT_PARTIAL))
		flags |= RECORD_FLAG(LOWER_BOUND_READ);
	if (s->missed[COUNT_MISSED_WRITE] || (entry->flags & COUNT_PARTIAL))
		flags |= RECORD_FLAG(LOWER_BOUND_WRITE);
	if (s->missed[COUNT_MISSED_MOUNT])
		flags |= RECORD_FLAG(MOUNT_BELOW);
	return flags;
}

static int read_entry(struct pins *p, const struct count_key *key,
		      const struct count_entry *entry, void *arg)
{
	struct reading *r = arg;
	struct count_slot sum;
	struct record_io io;
	char mount[COUNT_MOUNT_BYTES];

	if (key->job != r->job)
		return 0;
	record_io_init(&io);
	if (slot_read(p, entry->slot, &sum, &io.timeline) < 0)
		return -1;
	io.numbers[RECORD_READ_BYTES] = (int64_t)sum.bytes[COUNT_READ];
	io.numbers[RECORD_WRITE_BYTES] = (int64_t)sum.bytes[COUNT_WRITE];
	io.numbers[RECORD_READ_CALLS] = (int64_t)sum.calls[COUNT_READ];
	io.numbers[RECORD_WRITE_CALLS] = (int64_t)sum.calls[COUNT_WRITE];
	snprintf(io.source, sizeof(io.source), "%s", key->dev ? "bpf" : "exit");
	if (key->dev) {
		snprintf(mount, sizeof(mount), "%s", entry->mount);
		io.fs = mount;
		put_bpf(&io, &sum, p->info.groups);
		check_timeline(&io);
		r->record->flags |= mount_flags(r->options, p, key, entry);
	}
	r->record->flags |= missed_flags(&sum, entry);
	return record_add_app(r->record, &io);
}

static int read_folder(struct pins *p, void *arg, struct err *err)
{
	struct reading *r = arg;
	size_t i, before = r->record->app_count;
	bool has_mount = false;

	if (each_entry(p, read_entry, r))
		return err_set(err, "counters: job %u: cannot read '%s'",
			       r->job, p->folder);
	if (r->record->app_count == before)
		return 0;
	fill_state(r->state, p);
	for (i = before; i < r->record->app_count; i++)
		has_mount |= r->record->app[i].fs != NULL;
	r->record->flags |= counters_flags(&p->info, has_mount);
	return 0;
}

/* The best source first: filesystems by name, then all files. The kernel's
 * order is none. */
static int compare_io(const void *a, const void *b)
{
	const struct record_io *x = a, *y = b;

	if (!x->fs || !y->fs)
		return (x->fs == NULL) - (y->fs == NULL);
	return strcmp(x->fs, y->fs);
}

int counters_read(const struct counters_options *options, uint32_t job,
		  struct record *record, struct counters_state *state,
		  struct err *err)
{
	struct reading r = { options, job, record, state };
	size_t before = record->app_count;
	struct err why = { "" };
	int lock, rc;

	state_init(options, state);
	if (!has_bpffs(options, &why)) {
		memcpy(state->reason, why.text, sizeof(why.text));
		return 0;
	}
	lock = lock_home(options, err);
	if (lock < 0)
		return -1;
	rc = each_folder(options, read_folder, &r, err);
	if (record->app_count > before)
		qsort(record->app + before, record->app_count - before,
		      sizeof(*record->app), compare_io);
	if (!rc && state->tier == COUNTERS_NONE)
		snprintf(state->reason, sizeof(state->reason),
			 "counters: job %u: nothing was counted for it", job);
	close(lock);
	return rc;
}

/* ---- stop, status, unload ------------------------------------------------ */

int counters_stop(const struct counters_options *options, uint32_t job,
		  struct err *err)
{
	int lock, rc;

	if (!has_bpffs(options, NULL))
		return 0;
	lock = lock_home(options, err);
	if (lock < 0)
		return -1;
	rc = each_folder(options, stop_folder, &job, err);
	close(lock);
	return rc;
}

struct listing {
	void (*each)(uint32_t job, const char *mount, void *arg);
	void *arg;
	struct counters_state *state;
};

static int list_entry(struct pins *p, const struct count_key *key,
		      const struct count_entry *entry, void *arg)
{
	struct listing *l = arg;

	(void)p;
	l->each(key->job, entry->mount, l->arg);
	l->state->slots_used++;
	return 0;
}

static int list_folder(struct pins *p, void *arg, struct err *err)
{
	struct listing *l = arg;

	fill_state(l->state, p);
	if (each_entry(p, list_entry, l))
		return err_set(err, "counters: '%s': cannot read it",
			       p->folder);
	return 0;
}

int counters_status(const struct counters_options *options,
		    void (*each)(uint32_t job, const char *mount, void *arg),
		    void *arg, struct counters_state *state, struct err *err)
{
	struct listing l = { each, arg, state };
	struct err why = { "" };
	int lock, rc;

	state_init(options, state);
	if (!has_bpffs(options, &why)) {
		memcpy(state->reason, why.text, sizeof(why.text));
		return 0;
	}
	lock = lock_home(options, err);
	if (lock < 0)
		return -1;
	rc = each_folder(options, list_folder, &l, err);
	close(lock);
	return rc;
}

/* Whatever version it is, and what a killed helper left half done. */
int counters_unload(const struct counters_options *options, struct err *err)
{
	char home[256], path[516];
	struct dirent *entry;
	int lock, rc = 0;
	DIR *dir;

	if (!has_bpffs(options, NULL))
		return 0;
	lock = lock_home(options, err);
	if (lock < 0)
		return -1;
	home_path(options, home, sizeof(home));
	dir = opendir(home);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (folder_is_whole(entry->d_name) &&
		    folder_retire(path, NULL) == 0)
			strcat(path, "-old");
		if (folder_remove(path, FOLDER_NO_END, err) < 0)
			rc = -1;
	}
	if (dir)
		closedir(dir);
	close(lock);
	return rc;
}
