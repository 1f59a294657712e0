/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/doctor_view.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fileio.h"
#include "lib/host.h"

#define SMALL_FILE_MAX (1U << 20)

char *doctor_read(const struct doctor *doctor, const char *path)
{
	char whole[PATH_MAX];
	char *real, *text;

	snprintf(whole, sizeof(whole), "%s%s", doctor->root, path);
	real = realpath(whole, NULL);
	text = real ? fileio_read(real, SMALL_FILE_MAX, NULL, NULL) : NULL;
	free(real);
	return text;
}

size_t doctor_glob(const struct doctor *doctor, const char *pattern, glob_t *found)
{
	char whole[PATH_MAX];

	memset(found, 0, sizeof(*found));
	snprintf(whole, sizeof(whole), "%s%s", doctor->root, pattern);
	if (glob(whole, 0, NULL, found) != 0)
		found->gl_pathc = 0;
	return found->gl_pathc;
}

/* The first lines of /proc/PID/status; a process in a container has a number in
 * its own PID namespace as well. */
bool doctor_is_named(const char *status, const char *name)
{
	const char *inside = strstr(status, "\nNSpid:\t");
	char comm[32];

	if (strncmp(status, "Name:\t", 6) != 0)
		return false;
	snprintf(comm, sizeof(comm), "%.*s", (int)strcspn(status + 6, "\n"), status + 6);
	if (!host_is_daemon(comm, name))
		return false;
	inside = inside ? inside + strlen("\nNSpid:\t") : "";
	inside += strcspn(inside, " \t\n");
	return *inside != ' ' && *inside != '\t';
}

bool doctor_runs(const struct doctor *doctor, const char *name)
{
	char path[PATH_MAX], *status;
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/proc", doctor->root);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		snprintf(path, sizeof(path), "/proc/%.20s/status", entry->d_name);
		status = doctor_read(doctor, path);
		found = status && doctor_is_named(status, name);
		free(status);
	}
	if (dir)
		closedir(dir);
	return found;
}
