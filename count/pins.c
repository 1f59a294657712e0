/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/pins.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/magic.h>

#include "base/fileio.h"
#include "base/lock.h"
#include "count/hooks.h"
#include "record/alloc.h"

#define HOME_MAX 256
#define OLD "-old"

/* ---- folders ------------------------------------------------------------- */

static void home_path(const struct counters_options *options, char path[HOME_MAX])
{
	snprintf(path, HOME_MAX, "%s/jobio", options->bpffs);
}

/* bpffs allows no dots in names. */
static void folder_name(const struct counters_options *options, bool any_options,
			char name[HOME_MAX])
{
	int n = snprintf(name, HOME_MAX, "%u-%016llx-", COUNT_LAYOUT,
			 (unsigned long long)programs_hash());

	if (any_options)
		strcpy(name + n, "*");
	else
		snprintf(name + n, 16, "v%d%s", counters_cgroup(options),
			 options->latency ? "-latency" : "");
}

void pins_folder(const struct counters_options *options, char path[PINS_PATH_MAX])
{
	char home[HOME_MAX], name[HOME_MAX];

	home_path(options, home);
	folder_name(options, false, name);
	snprintf(path, PINS_PATH_MAX, "%s/%s", home, name);
}

static const char *base_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool is_complete(const char *name)
{
	return name[0] != '.' && fnmatch("*-new", name, 0) && fnmatch("*" OLD, name, 0);
}

bool pins_have_bpffs(const struct counters_options *options, struct err *err)
{
	struct statfs fs;

	if (statfs(options->bpffs, &fs) == 0 && fs.f_type == BPF_FS_MAGIC)
		return true;
	err_set(err, "counters: '%s': no bpffs is mounted there", options->bpffs);
	return false;
}

/* Any user can create files in bpffs, which has mode 1777 by default. A folder of another user in
 * place of ours is renamed; the sticky bit protects ours. */
static int make_home(const char *path, struct err *err)
{
	char aside[HOME_MAX + 64];
	struct stat st;

	if (lstat(path, &st) == 0 && st.st_uid != geteuid()) {
		snprintf(aside, sizeof(aside), "%s-of-uid-%u-%ld", path, st.st_uid, (long)getpid());
		if (rename(path, aside) < 0)
			return err_set(err, "counters: '%s': belongs to uid %u: %s", path,
				       st.st_uid, strerror(errno));
	}
	return fileio_mkdir(path, 0700, err);
}

int pins_lock(const struct counters_options *options, const char *below, struct err *err)
{
	char path[HOME_MAX + 16];
	int fd;

	home_path(options, path);
	if (make_home(path, err) < 0)
		return -1;
	strcat(path, below);
	if (*below && fileio_mkdir(path, 0700, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && lock_wait(fd, options->lock_ms) == 0)
		return fd;
	if (fd < 0)
		return err_set(err, "counters: '%s': %s", path, strerror(errno));
	close(fd);
	return err_set(err, "counters: '%s': another jobio-count holds the lock for %u ms", path,
		       options->lock_ms);
}

int pins_begin(const struct counters_options *options, struct counters_state *state, int *lock,
	       struct err *err)
{
	counters_state_init(options, state);
	if (!pins_have_bpffs(options, &state->reason))
		return 0;
	*lock = pins_lock(options, "", err);
	return *lock < 0 ? -1 : 1;
}

/* Rename a folder, and *path. */
static int retire(char path[PINS_PATH_MAX])
{
	char old[PINS_PATH_MAX + sizeof(OLD)];

	snprintf(old, sizeof(old), "%s" OLD, path);
	if (rename(path, old) < 0)
		return -1;
	strcat(path, OLD);
	return 0;
}

int pins_remove(const struct counters_options *options, const char *pattern, struct err *err)
{
	char home[HOME_MAX], path[PINS_PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int rc = 0;

	home_path(options, home);
	dir = opendir(home);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || fnmatch(pattern, entry->d_name, 0))
			continue;
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (is_complete(entry->d_name))
			retire(path);
		if (fileio_rmtree(path, err) < 0)
			rc = -1;
	}
	if (dir)
		closedir(dir);
	return rc;
}

/* ---- pins ---------------------------------------------------------------- */

static int pin_get(const char *folder, const char *name)
{
	char path[PINS_PATH_MAX + 80];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return bpf_obj_get(path);
}

static int read_entries(struct pins *p)
{
	int jobs = p->map[MAP_JOBS];
	struct pins_entry *entry;
	struct bpf_map_info info;
	uint32_t size = sizeof(info);

	memset(&info, 0, sizeof(info));
	if (jobs < 0 || bpf_obj_get_info_by_fd(jobs, &info, &size) ||
	    info.key_size < sizeof(entry->key.job) || info.key_size > PINS_KEY_BYTES)
		return -1;
	p->entries = xcalloc(info.max_entries + 1, sizeof(*p->entries));
	for (; p->entry_count <= info.max_entries; p->entry_count++) {
		entry = p->entries + p->entry_count;
		if (bpf_map_get_next_key(jobs, p->entry_count ? entry[-1].bytes : NULL,
					 entry->bytes))
			return errno == ENOENT ? 0 : -1;
		if (p->is_readable)
			bpf_map_lookup_elem(jobs, &entry->key, &entry->value);
	}
	return -1;
}

/* The values of another layout may be larger than ours: only its keys are read. */
int pins_open(struct pins *p, const char *folder, struct err *err)
{
	uint32_t zero = 0;
	int i;

	memset(p, 0, sizeof(*p));
	snprintf(p->folder, sizeof(p->folder), "%s", folder);
	p->is_readable = strtoul(base_name(folder), NULL, 10) == COUNT_LAYOUT;
	for (i = 0; i < MAPS; i++) {
		p->map[i] = pin_get(folder, programs_map_names[i]);
		p->is_readable &= p->map[i] >= 0;
	}
	p->is_readable = p->is_readable &&
			 !bpf_map_lookup_elem(p->map[MAP_INFO], &zero, &p->info) &&
			 p->info.layout == COUNT_LAYOUT && p->info.shard_shift <= 3;
	if (read_entries(p) == 0)
		return 0;
	pins_close(p);
	return err_set(err, "counters: '%s': pins that this version cannot read", folder);
}

void pins_close(struct pins *p)
{
	int i;

	for (i = 0; i < MAPS; i++) {
		if (p->map[i] >= 0)
			close(p->map[i]);
		p->map[i] = -1;
	}
	free(p->entries);
	p->entries = NULL;
}

void pins_fill_state(const struct pins *p, struct counters_state *state)
{
	state->groups = p->info.groups;
	state->tier = counters_tier(p->info.groups);
	state->cgroup = p->info.cgroup_v1 ? 1 : 2;
	state->slots = p->info.slots;
	state->loaded = true;
	state->lost = p->info.lost;
	snprintf(state->pins, sizeof(state->pins), "%.255s", p->folder);
}

bool pins_get(const struct counters_options *options, struct pins *p, struct counters_state *state)
{
	struct err *reason = *state->reason.text ? NULL : &state->reason;
	char folder[PINS_PATH_MAX];

	pins_folder(options, folder);
	if (pins_open(p, folder, reason) == 0 && p->is_readable) {
		pins_fill_state(p, state);
		return true;
	}
	pins_close(p);
	return false;
}

int pins_each(const struct counters_options *options,
	      int (*fn)(struct pins *p, void *arg, struct err *err), void *arg, struct err *err)
{
	char home[HOME_MAX], path[PINS_PATH_MAX];
	struct dirent *entry;
	struct pins pins;
	DIR *dir;
	int rc = 0;

	home_path(options, home);
	dir = opendir(home);
	if (!dir)
		return err_set(err, "counters: '%s': %s", home, strerror(errno));
	while (!rc && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (!is_complete(entry->d_name) || pins_open(&pins, path, NULL) < 0)
			continue;
		rc = fn(&pins, arg, err);
		pins_close(&pins);
	}
	closedir(dir);
	return rc;
}

int pins_invalidate(struct pins *p)
{
	uint32_t zero = 0, generation = 0;

	if (bpf_map_lookup_elem(p->map[MAP_DATA], &zero, &generation))
		return -1;
	generation++;
	return bpf_map_update_elem(p->map[MAP_DATA], &zero, &generation, BPF_ANY);
}

struct forget {
	uint32_t job;
	const char *keep; /* names of folders that stay */
	int retired;
};

static int forget_in(struct pins *p, void *arg, struct err *err)
{
	struct forget *f = arg;
	size_t i, left = 0;

	for (i = 0; i < p->entry_count; i++)
		if (p->entries[i].key.job != f->job)
			left++;
		else if (bpf_map_delete_elem(p->map[MAP_JOBS], p->entries[i].bytes) &&
			 errno != ENOENT)
			return err_set(err, "counters: job %u: '%s': %s", f->job, p->folder,
				       strerror(errno));
	if (p->is_readable && left < p->entry_count)
		pins_invalidate(p);
	if (!left && fnmatch(f->keep, base_name(p->folder), 0) && retire(p->folder) == 0)
		f->retired++;
	return 0;
}

int pins_forget(const struct counters_options *options, uint32_t job, bool any_options,
		struct err *err)
{
	char keep[HOME_MAX];
	struct forget f = { .job = job, .keep = keep };

	folder_name(options, any_options, keep);
	return pins_each(options, forget_in, &f, err) < 0 ? -1 : f.retired;
}

/* recursion_misses of struct bpf_prog_info (Linux 5.12): older headers do not declare it. */
static uint64_t link_skipped(const struct pins *p, const char *file)
{
	const size_t at = offsetof(struct bpf_prog_info, run_cnt) + sizeof(uint64_t);
	char program[1024] = { 0 };
	struct bpf_link_info link;
	uint32_t size = sizeof(link);
	uint64_t skipped = 0;
	int link_fd = pin_get(p->folder, file), fd = -1;

	memset(&link, 0, sizeof(link));
	if (link_fd >= 0 && !bpf_obj_get_info_by_fd(link_fd, &link, &size))
		fd = bpf_prog_get_fd_by_id(link.prog_id);
	size = sizeof(program);
	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, program, &size))
		memcpy(&skipped, program + at, sizeof(skipped));
	if (fd >= 0)
		close(fd);
	if (link_fd >= 0)
		close(link_fd);
	return skipped;
}

void pins_skipped(const struct pins *p, __u64 skipped[COUNT_KINDS])
{
	DIR *dir = opendir(p->folder);
	struct dirent *entry;
	uint32_t kinds;
	uint64_t n;
	int i;

	memset(skipped, 0, COUNT_KINDS * sizeof(*skipped));
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, PROGRAMS_LINK, strlen(PROGRAMS_LINK)) != 0)
			continue;
		n = link_skipped(p, entry->d_name);
		kinds = hooks_kinds(entry->d_name + strlen(PROGRAMS_LINK));
		if (!(p->info.groups & COUNT_GROUP(LATENCY)))
			kinds &= ~HOOK_TIMES;
		for (i = 0; i < COUNT_KINDS; i++)
			if (kinds & 1U << i)
				skipped[i] += n;
	}
	if (dir)
		closedir(dir);
}
