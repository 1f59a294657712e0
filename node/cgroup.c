/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/cgroup.h"

#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "base/sysfs.h"

#define PATH_ROOM (SYSFS_PATH_MAX + 1024)
#define DEPTH_MAX 5 /* job, step, user, task, and one more */

static const char *const parents[] = {
	"fs/cgroup/*slurmstepd.scope",
	"fs/cgroup/*/*slurmstepd.scope",
	"fs/cgroup/freezer/slurm*/uid_*",
	"fs/cgroup/cpuset/slurm*/uid_*",
};

/* Return 1 if a line of the file begins with [begin], 0 if none, -1 if it cannot be opened. */
static int has_line(const char *folder, const char *name, const char *begin)
{
	char path[PATH_ROOM + 32], line[64];
	FILE *file;
	int found = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (!found && fgets(line, sizeof(line), file))
		found = !strncmp(line, begin, strlen(begin));
	fclose(file);
	return found;
}

/* Return true if the cgroup has processes. v2's file covers all folders below, v1's only one. */
static bool has_processes(const char *folder, int depth)
{
	char path[PATH_ROOM];
	struct dirent *entry;
	bool found;
	DIR *dir;
	int rc;

	rc = has_line(folder, "cgroup.events", "populated 1");
	if (rc < 0)
		rc = has_line(folder, "cgroup.procs", "") > 0;
	else
		depth = 0;
	found = rc == 1;
	dir = found || !depth ? NULL : opendir(folder);
	while (dir && !found && (entry = readdir(dir))) {
		if (*entry->d_name == '.' || entry->d_type != DT_DIR ||
		    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >=
			    (int)sizeof(path))
			continue;
		found = has_processes(path, depth - 1);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool is_one(const char *name, const struct cgroup_names *names)
{
	return !strcmp(name, names->job) || !strcmp(name, names->sluid);
}

static bool has_below(const char *parent, const struct cgroup_names *names)
{
	char path[PATH_ROOM];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	dir = opendir(parent);
	while (dir && !found && (entry = readdir(dir)))
		found = is_one(entry->d_name, names) &&
			snprintf(path, sizeof(path), "%s/%s", parent, entry->d_name) <
				(int)sizeof(path) &&
			has_processes(path, DEPTH_MAX);
	if (dir)
		closedir(dir);
	return found;
}

bool cgroup_has_job(const struct cgroup_names *names)
{
	char pattern[SYSFS_PATH_MAX];
	glob_t found = { .gl_pathc = 0 };
	bool has = false;
	size_t i, k;

	for (i = 0; i < sizeof(parents) / sizeof(parents[0]) && !has; i++) {
		sysfs_path(pattern, parents[i]);
		if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
			continue;
		for (k = 0; k < found.gl_pathc && !has; k++)
			has = has_below(found.gl_pathv[k], names);
		globfree(&found);
	}
	return has;
}
