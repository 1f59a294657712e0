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

#include "base/child.h"
#include "base/fileio.h"
#include "base/lock.h"
#include "base/rundir.h"
#include "count/counters_parts.h"
#include "count/folder.h"
#include "count/hooks.h"
#include "count/kernel.h"
#include "count/layout.h"
#include "count/programs.h"

#define IDLE_MS 1000 /* within JOB_COUNT_START_MS, after loading */
#define NS_IN_S INT64_C(1000000000)
#define REFUSAL_MAX 4096
#define PIN_LINK "link_"

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

static void home_path(const struct counters_options *options, char *path, size_t room)
{
	snprintf(path, room, "%s/jobio", options->bpffs);
}

/* The folder of what these options load; bpffs allows no dots in names. */
static void folder_name(const struct counters_options *options, char *name, size_t room)
{
	snprintf(name, room, "%u-%016llx-v%d%s", COUNT_LAYOUT, (unsigned long long)programs_hash(),
		 cgroup_version(options), options->latency ? "-latency" : "");
}

bool counters_has_bpffs(const struct counters_options *options, struct err *err)
{
	struct statfs fs;

	if (statfs(options->bpffs, &fs) == 0 && fs.f_type == BPF_FS_MAGIC)
		return true;
	err_set(err, "counters: '%s': no bpffs is mounted there", options->bpffs);
	return false;
}

/* bpffs is 1777 where nobody said otherwise: what a user put in our place is
 * moved out of the way. The sticky bit keeps ours where it is. */
static int make_home(const char *path, struct err *err)
{
	char aside[320];
	struct stat st;

	if (lstat(path, &st) == 0 && st.st_uid != geteuid()) {
		snprintf(aside, sizeof(aside), "%s-of-uid-%lu-%ld", path, (unsigned long)st.st_uid,
			 (long)getpid());
		if (rename(path, aside) < 0)
			return err_set(err, "counters: '%s': uid %lu has it: %s", path,
				       (unsigned long)st.st_uid, strerror(errno));
	}
	return fileio_mkdir(path, 0700, err);
}

/* The home folder, locked: a file descriptor, or -1. */
int counters_lock_home(const struct counters_options *options, struct err *err)
{
	char path[256];
	int fd;

	home_path(options, path, sizeof(path));
	if (make_home(path, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, "counters: '%s': %s", path, strerror(errno));
	if (lock_wait(fd, options->lock_ms) < 0) {
		close(fd);
		return err_set(err, "counters: '%s': another jobio-count holds the lock for %u ms",
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

void pins_close(struct pins *p)
{
	int *fds[] = {
		&p->slots, &p->jobs, &p->names, &p->devs, &p->paths, &p->info_map, &p->data
	};
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
	p->paths = pin_get(folder, "paths");
	p->info_map = pin_get(folder, "info");
	p->data = pin_get(folder, "data");
	if (p->slots < 0 || p->jobs < 0 || p->names < 0 || p->devs < 0 || p->paths < 0 ||
	    p->info_map < 0 || p->data < 0 || bpf_map_lookup_elem(p->info_map, &zero, &p->info) ||
	    p->info.layout != COUNT_LAYOUT || p->info.shard_shift > 3) {
		pins_close(p);
		return err_set(err, "counters: '%s': pins that this version cannot read", folder);
	}
	return 0;
}

/* Tell the programs that a job came or went: what they remember is old. */
int pins_changed(struct pins *p)
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

void counters_fill_state(struct counters_state *state, const struct pins *p)
{
	state->groups = p->info.groups;
	state->tier = tier_of(p->info.groups);
	state->cgroup = p->info.cgroup_v1 ? 1 : 2;
	state->slots = p->info.slots;
	state->loaded = true;
	state->lost = p->info.lost;
	snprintf(state->pins, sizeof(state->pins), "%s", p->folder);
}

uint64_t counters_boottime_s(void)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec;
}

uint64_t counters_now_ns(void)
{
	struct timespec clock = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &clock);
	return (uint64_t)(clock.tv_sec * NS_IN_S + clock.tv_nsec);
}

/* What has to be added to the clock of jiffies to get the time of day. */
static uint64_t real_ns(void)
{
	struct timespec real = { 0, 0 }, clock = { 0, 0 };

	clock_gettime(CLOCK_REALTIME, &real);
	clock_gettime(CLOCK_MONOTONIC, &clock);
	return (uint64_t)((real.tv_sec - clock.tv_sec) * NS_IN_S + real.tv_nsec - clock.tv_nsec);
}

/* Call fn for every entry; it may delete that one. Keys are collected first,
 * because deleting while walking starts the walk again. */
int pins_each_entry(struct pins *p,
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
	       !bpf_map_get_next_key(p->jobs, n ? &keys[n - 1] : NULL, &keys[n]))
		n++;
	for (i = 0; i < n && !rc; i++)
		if (!bpf_map_lookup_elem(p->jobs, &keys[i], &entry))
			rc = fn(p, &keys[i], &entry, arg);
	free(keys);
	return rc;
}

/* Since 5.12 the kernel says of a program how often it did not run it. */
static uint64_t link_skipped(struct pins *p, const char *file)
{
	union {
		struct bpf_prog_info info;
		char room[1024];
	} program;
	struct bpf_link_info link;
	uint32_t size = sizeof(link);
	uint64_t skipped = 0;
	int link_fd = pin_get(p->folder, file), fd = -1;

	memset(&link, 0, sizeof(link));
	if (link_fd >= 0 && !bpf_obj_get_info_by_fd(link_fd, &link, &size))
		fd = bpf_prog_get_fd_by_id(link.prog_id);
	size = sizeof(program);
	memset(&program, 0, sizeof(program));
	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &program, &size))
		memcpy(&skipped,
		       program.room + offsetof(struct bpf_prog_info, run_cnt) +
			       sizeof(program.info.run_cnt),
		       sizeof(skipped));
	if (fd >= 0)
		close(fd);
	if (link_fd >= 0)
		close(link_fd);
	return skipped;
}

void pins_skipped(struct pins *p, __u64 skipped[COUNT_KINDS])
{
	DIR *dir = opendir(p->folder);
	struct dirent *entry;
	uint32_t kinds;
	uint64_t n;
	int i;

	memset(skipped, 0, COUNT_KINDS * sizeof(*skipped));
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, PIN_LINK, strlen(PIN_LINK)) != 0)
			continue;
		n = link_skipped(p, entry->d_name);
		kinds = hooks_kinds(entry->d_name + strlen(PIN_LINK));
		if (!(p->info.groups & COUNT_GROUP(LATENCY)))
			kinds &= ~HOOK_TIMES;
		for (i = 0; i < COUNT_KINDS; i++)
			if (kinds & 1U << i)
				skipped[i] += n;
	}
	if (dir)
		closedir(dir);
}

int pins_write_slot(struct pins *p, uint32_t slot, const struct count_key *owner)
{
	struct count_slot zero;
	uint32_t i, n = 1U << p->info.shard_shift, at;

	memset(&zero, 0, sizeof(zero));
	if (owner) {
		zero.job = owner->job;
		zero.dev = owner->dev;
		zero.first = slot << p->info.shard_shift;
		zero.line.real_ns = real_ns();
		zero.start_ns = counters_now_ns();
	}
	for (i = 0; i < n; i++) {
		at = (slot << p->info.shard_shift) + i;
		if (bpf_map_update_elem(p->slots, &at, &zero, BPF_ANY))
			return -1;
	}
	return 0;
}

int pins_drop_entry(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		    void *arg)
{
	const uint32_t *job = arg;

	if (job && key->job != *job)
		return 0;
	if (bpf_map_delete_elem(p->jobs, key) && errno != ENOENT)
		return -1;
	return pins_write_slot(p, entry->slot, NULL);
}

void pins_drop_names(struct pins *p, bool (*is_to_go)(struct pins *p, uint32_t job, void *arg),
		     void *arg)
{
	union count_name name, next;
	uint32_t job;
	int rc = bpf_map_get_next_key(p->names, NULL, &next);

	while (!rc) {
		name = next;
		rc = bpf_map_get_next_key(p->names, &name, &next);
		if (!bpf_map_lookup_elem(p->names, &name, &job) && is_to_go(p, job, arg))
			bpf_map_delete_elem(p->names, &name);
	}
}

static bool is_this(struct pins *p, uint32_t job, void *arg)
{
	const uint32_t *wanted = arg;

	(void)p;
	return job == *wanted;
}

int pins_drop_job(struct pins *p, uint32_t job)
{
	int rc = pins_each_entry(p, pins_drop_entry, &job);

	pins_drop_names(p, is_this, &job);
	return pins_changed(p) ? -1 : rc;
}

/* ---- every folder -------------------------------------------------------- */

/* Call fn for the folders of our layout; stops at -1. */
int pins_each_folder(const struct counters_options *options,
		     int (*fn)(struct pins *p, void *arg, struct err *err), void *arg,
		     struct err *err)
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
		return err_set(err, "counters: '%s': %s", home, strerror(errno));
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

int pins_count_entry(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		     void *arg)
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
	if (strcmp(p->folder, ours) != 0 && !pins_each_entry(p, pins_count_entry, &jobs) && !jobs)
		folder_retire(p->folder, NULL);
	return 0;
}

/* Folders of other versions or options go when their last job has gone. The
 * prolog waits for this: what takes longer is the next job's. */
void pins_drop_idle(const struct counters_options *options, char *ours)
{
	char home[256];

	pins_each_folder(options, retire_idle, ours, NULL);
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
static bool was_refused(const struct counters_options *options, const char *folder,
			struct counters_state *state)
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
			snprintf(state->reason, sizeof(state->reason), "%s", newline + 1);
	}
	free(text);
	return same;
}

/* Without a run_dir it is tried again: slower, not wrong. */
static void remember_refusal(const struct counters_options *options, const char *folder,
			     const char *reason)
{
	char path[RUNDIR_PATH_MAX], text[REFUSAL_MAX];
	int n = snprintf(text, sizeof(text), "%s\n%s\n", folder, reason);

	if (rundir_node_file(path, options->run_dir, RUNDIR_COUNT, NULL) == 0)
		fileio_write_volatile(path, text, (size_t)n, 0600, NULL);
}

/* Open what is pinned, or load it: 1 open, 0 nothing to be had. */
int pins_get(const struct counters_options *options, struct pins *p, struct counters_state *state)
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
		if (programs_load(path, wanted_groups(options), cgroup_version(options), &info,
				  &err) < 0) {
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
	counters_fill_state(state, p);
	return 1;
}

void counters_state_init(const struct counters_options *options, struct counters_state *state)
{
	memset(state, 0, sizeof(*state));
	state->cgroup = cgroup_version(options);
}

int counters_look(const struct counters_options *options, struct counters_state *state, int *lock,
		  struct err *err)
{
	struct err why = { "" };

	counters_state_init(options, state);
	if (!counters_has_bpffs(options, &why)) {
		memcpy(state->reason, why.text, sizeof(why.text));
		return 0;
	}
	*lock = counters_lock_home(options, err);
	return *lock < 0 ? -1 : 1;
}

/* Why not all is counted, of programs that were loaded earlier, too. */
static void say_lost(struct counters_state *state)
{
	char text[ERR_MAX / 2];

	hooks_text(state->lost, text, sizeof(text));
	if (*text)
		snprintf(state->reason, sizeof(state->reason),
			 "BPF programs: this kernel does not count: %s", text);
}

int counters_probe(const struct counters_options *options, struct counters_state *state,
		   struct err *err)
{
	char folder[128], path[512];
	struct count_info info = { 0 };
	struct err why = { "" };
	struct pins pins;

	(void)err;
	counters_state_init(options, state);
	folder_name(options, folder, sizeof(folder));
	snprintf(path, sizeof(path), "%s/jobio/%s", options->bpffs, folder);
	if (!counters_has_bpffs(options, &why)) {
		memcpy(state->reason, why.text, sizeof(why.text));
		return 0;
	}
	if (access(path, F_OK) == 0 && pins_open(&pins, path, &why) == 0) {
		counters_fill_state(state, &pins);
		pins_each_entry(&pins, pins_count_entry, &state->slots_used);
		pins_close(&pins);
		say_lost(state);
		return 0;
	}
	if (programs_load(NULL, wanted_groups(options), cgroup_version(options), &info, &why) ==
	    0) {
		state->groups = info.groups;
		state->lost = info.lost;
		state->tier = tier_of(info.groups);
	}
	memcpy(state->reason, why.text, sizeof(why.text));
	return 0;
}

int counters_plan(const struct counters_options *options, const char *btf, const char *kallsyms,
		  void (*each)(const struct hook *hook, void *arg), void *arg,
		  struct counters_state *state, struct err *err)
{
	struct kernel kernel;
	struct plan plan = { .lost = 0 };
	size_t i;

	memset(state, 0, sizeof(*state));
	state->cgroup = options->cgroup;
	if (kernel_open(&kernel, btf, kallsyms, err) < 0)
		return -1;
	kernel_plan(&kernel, wanted_groups(options), &plan);
	for (i = 0; i < hook_count; i++)
		if (plan.hook[i])
			each(&hooks[i], arg);
	state->groups = plan.groups;
	state->lost = plan.lost;
	state->tier = tier_of(plan.groups);
	say_lost(state);
	if (!kernel.has_trampolines)
		snprintf(state->reason, sizeof(state->reason), "%s", kernel_no_trampolines);
	kernel_free(&kernel);
	return 0;
}

int pins_stop_folder(struct pins *p, void *arg, struct err *err)
{
	const uint32_t *job = arg;

	if (pins_drop_job(p, *job) < 0)
		return err_set(err, "counters: job %u: cannot forget it: %s", *job,
			       strerror(errno));
	return 0;
}

/* ---- stop, status, unload ------------------------------------------------ */

int counters_stop(const struct counters_options *options, uint32_t job, struct err *err)
{
	int lock, rc;

	if (!counters_has_bpffs(options, NULL))
		return 0;
	lock = counters_lock_home(options, err);
	if (lock < 0)
		return -1;
	rc = pins_each_folder(options, pins_stop_folder, &job, err);
	close(lock);
	return rc;
}

struct listing {
	void (*each)(uint32_t job, const char *mount, void *arg);
	void *arg;
	struct counters_state *state;
};

static int list_entry(struct pins *p, const struct count_key *key, const struct count_entry *entry,
		      void *arg)
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

	counters_fill_state(l->state, p);
	if (pins_each_entry(p, list_entry, l))
		return err_set(err, "counters: '%s': cannot read it", p->folder);
	return 0;
}

int counters_status(const struct counters_options *options,
		    void (*each)(uint32_t job, const char *mount, void *arg), void *arg,
		    struct counters_state *state, struct err *err)
{
	struct listing l = { each, arg, state };
	int lock, rc = counters_look(options, state, &lock, err);

	if (rc <= 0)
		return rc;
	rc = pins_each_folder(options, list_folder, &l, err);
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

	if (!counters_has_bpffs(options, NULL))
		return 0;
	lock = counters_lock_home(options, err);
	if (lock < 0)
		return -1;
	home_path(options, home, sizeof(home));
	dir = opendir(home);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (folder_is_whole(entry->d_name) && folder_retire(path, NULL) == 0)
			strcat(path, "-old");
		if (folder_remove(path, FOLDER_NO_END, err) < 0)
			rc = -1;
	}
	if (dir)
		closedir(dir);
	close(lock);
	return rc;
}
