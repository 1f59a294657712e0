/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folders of pins of other versions or options. In each layout the keys of the hash "jobs" begin
 * with a job ID; nothing else is read of another layout. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "count/counters_parts.h"
#include "count/folder.h"

#define KEY_BYTES 64

static int jobs_open(const char *folder)
{
	struct bpf_map_info info;
	uint32_t size = sizeof(info);
	char path[600];
	int fd;

	memset(&info, 0, sizeof(info));
	snprintf(path, sizeof(path), "%s/jobs", folder);
	fd = bpf_obj_get(path);
	if (fd >= 0 && (bpf_obj_get_info_by_fd(fd, &info, &size) ||
			info.key_size < sizeof(uint32_t) || info.key_size > KEY_BYTES)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Removes the entries of one job. Calls each() for the others and returns their number;
 * -1 if they cannot be read. */
static int jobs_walk(const char *folder, const struct others *others)
{
	char key[KEY_BYTES] = { 0 }, next[KEY_BYTES] = { 0 };
	int rc, end, left = 0, map = jobs_open(folder);
	uint32_t job;

	if (map < 0)
		return -1;
	rc = bpf_map_get_next_key(map, NULL, next);
	end = errno;
	while (!rc) {
		memcpy(key, next, sizeof(key));
		rc = bpf_map_get_next_key(map, key, next);
		end = errno;
		memcpy(&job, key, sizeof(job));
		if (others->stop && job == *others->stop && !bpf_map_delete_elem(map, key))
			continue;
		left++;
		if (others->each)
			others->each(job, "", others->arg);
	}
	close(map);
	return end == ENOENT ? left : -1;
}

void others_visit(const struct counters_options *options, const struct others *others)
{
	char home[256], path[520];
	struct dirent *entry;
	DIR *dir;

	counters_home_path(options, home, sizeof(home));
	dir = opendir(home);
	while (dir && (entry = readdir(dir))) {
		if (!folder_is_whole(entry->d_name) || fnmatch(others->but, entry->d_name, 0) == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (jobs_walk(path, others) == 0 && others->retire)
			folder_retire(path, NULL);
	}
	if (dir)
		closedir(dir);
}

void others_sweep(const struct counters_options *options)
{
	char home[256];

	counters_home_path(options, home, sizeof(home));
	folder_each_old(home, folder_remove);
}
