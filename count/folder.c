/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 512
#define OLD "-old"

/* "-old" of "3-0123-v2-old"; "" of none. */
static const char *ending(const char *name)
{
	const char *dash = strrchr(name, '-');

	return dash ? dash : "";
}

bool folder_is_whole(const char *name)
{
	return name[0] != '.' && strcmp(ending(name), "-new") != 0 &&
	       strcmp(ending(name), OLD) != 0;
}

int folder_retire(const char *folder, struct err *err)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "%s" OLD, folder);
	if (rename(folder, path) == 0)
		return 0;
	return err_set(err, "BPF programs: '%s': %s", folder, strerror(errno));
}

static int empty(DIR *dir)
{
	struct dirent *entry;
	int rc = 0;

	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && unlinkat(dirfd(dir), entry->d_name, 0) < 0)
			rc = -1;
	return rc;
}

int folder_remove(const char *folder, struct err *err)
{
	DIR *dir = opendir(folder);
	int rc;

	if (!dir && errno == ENOENT)
		return 0;
	if (!dir)
		return err_set(err, "BPF programs: '%s': %s", folder, strerror(errno));
	rc = empty(dir);
	closedir(dir);
	if (rc < 0 || rmdir(folder) < 0)
		return err_set(err, "BPF programs: '%s': %s", folder, strerror(errno));
	return 0;
}

int folder_each_old(const char *home, int (*fn)(const char *folder, struct err *err))
{
	DIR *dir = opendir(home);
	char path[PATH_BYTES];
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' || strcmp(ending(entry->d_name), OLD) != 0)
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/%s", home, entry->d_name);
		if (fn)
			fn(path, NULL);
	}
	if (dir)
		closedir(dir);
	return n;
}
