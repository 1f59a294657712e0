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

#include "base/fileio.h"
#include "base/lock.h"
#include "count/counters_parts.h"
#include "count/folder.h"
#include "count/hooks.h"
#include "count/layout.h"
#include "count/programs.h"

#define NS_IN_S INT64_C(1000000000)
#define PIN_LINK "link_"
#define FTRACE_ENABLED "/proc/sys/kernel/ftrace_enabled"

/* ---- where --------------------------------------------------------------- */

/* As slurmd decides it (src/interfaces/cgroup.c:autodetect_cgroup_version). */
int counters_cgroup(const struct counters_options *options)
{
	struct statfs fs;

	if (options->cgroup)
		return options->cgroup;
	if (statfs(options->cgroup_dir, &fs) < 0)
		return 2;
	return fs.f_type == CGROUP2_SUPER_MAGIC ? 2 : 1;
}

void counters_home_path(const struct counters_options *options, char *path, size_t room)
{
	snprintf(path, room, "%s/jobio", options->bpffs);
}

/* The folder of what these options load; bpffs allows no dots in names. */
void counters_folder_name(const struct counters_options *options, char *name, size_t room)
{
	snprintf(name, room, "%u-%016llx-v%d%s", COUNT_LAYOUT, (unsigned long long)programs_hash(),
		 counters_cgroup(options), options->latency ? "-latency" : "");
}

void counters_folder(const struct counters_options *options, char *path, size_t room)
{
	char home[256], name[128];

	counters_home_path(options, home, sizeof(home));
	counters_folder_name(options, name, sizeof(name));
	snprintf(path, room, "%s/%s", home, name);
}

void counters_folder_names(char *pattern, size_t room)
{
	snprintf(pattern, room, "%u-%016llx-*", COUNT_LAYOUT, (unsigned long long)programs_hash());
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

	counters_home_path(options, path, sizeof(path));
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

int pins_open(struct pins *p, const char *folder, struct err *err)
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

enum counters_tier counters_tier(uint32_t groups)
{
	if (groups & COUNT_GROUP(RW))
		return COUNTERS_BPF;
	return groups & COUNT_GROUP(EXIT) ? COUNTERS_EXIT : COUNTERS_NONE;
}

void counters_fill_state(struct counters_state *state, const struct pins *p)
{
	state->groups = p->info.groups;
	state->tier = counters_tier(p->info.groups);
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

	counters_home_path(options, home, sizeof(home));
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

/* ---- open ---------------------------------------------------------------- */

uint32_t counters_wanted_groups(const struct counters_options *options)
{
	uint32_t all = (1U << COUNT_GROUP_COUNT) - 1;

	return options->latency ? all : all & ~COUNT_GROUP(LATENCY);
}

bool pins_get(const struct counters_options *options, struct pins *p, struct counters_state *state)
{
	struct err err = { "" };
	char folder[512];

	counters_folder(options, folder, sizeof(folder));
	if (pins_open(p, folder, &err) < 0) {
		if (!*state->reason)
			memcpy(state->reason, err.text, sizeof(err.text));
		return false;
	}
	counters_fill_state(state, p);
	return true;
}

void counters_state_init(const struct counters_options *options, struct counters_state *state)
{
	memset(state, 0, sizeof(*state));
	state->cgroup = counters_cgroup(options);
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

const char counters_ftrace_off[] =
	"kernel.ftrace_enabled=0: the kernel does not run BPF programs of functions";

bool counters_is_ftrace_off(void)
{
	char *text = fileio_read(FTRACE_ENABLED, 16, NULL, NULL);
	bool off = text && text[0] == '0';

	free(text);
	return off;
}

/* Why not all is counted, of programs that were loaded earlier, too. */
void counters_say_lost(struct counters_state *state)
{
	char text[ERR_MAX / 2];

	hooks_text(state->lost, text, sizeof(text));
	if (*text)
		snprintf(state->reason, sizeof(state->reason),
			 "BPF programs: this kernel does not count: %s", text);
}

int pins_stop_folder(struct pins *p, void *arg, struct err *err)
{
	const uint32_t *job = arg;

	if (pins_drop_job(p, *job) < 0)
		return err_set(err, "counters: job %u: cannot forget it: %s", *job,
			       strerror(errno));
	return 0;
}
