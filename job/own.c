/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jobs that have a mount namespace of their own: what the prolog leaves for their
 * slurmstepds, RUN/JOB/mountinfo, and what these read in it, RUN/JOB/steps/STEP.own. */
#include "job/job.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fileio.h"
#include "lib/rundir.h"

#define OWN_BYTES_MAX (1U << 20)
#define OWN_TEXTS_MAX 4096
#define TABLE_BYTES_MAX (1U << 20)
#define SPACE_MAX 64

/* ---- the prolog ------------------------------------------------------------------ */

/* As mountinfo writes paths (fs/seq_file.c:mangle_path(), fs/proc_namespace.c), and
 * without a slash too many. What does not fit is empty. */
static void mangle(const char *path, char *out, size_t room)
{
	size_t used = 0;

	for (; *path && used + 5 < room; path++) {
		if (*path == '/' && (path[1] == '/' || (!path[1] && used)))
			continue;
		if (strchr(" \t\n\\", *path))
			used += (size_t)sprintf(out + used, "\\%03o",
						(unsigned char)*path);
		else
			out[used++] = *path;
	}
	out[*path ? 0 : used] = '\0';
}

int job_note_mounts(const struct config *config, uint32_t job_id,
		    const char *work_dir, struct err *err)
{
	char path[RUNDIR_PATH_MAX], space[SPACE_MAX], mangled[PATH_MAX];
	char *table, *text = NULL;
	ssize_t length;
	int size, rc = -1;

	if (rundir_job_file(path, config->run_dir, job_id, RUNDIR_MOUNTINFO,
			    err) < 0)
		return -1;
	length = readlink("/proc/self/ns/mnt", space, sizeof(space));
	if (length <= 0 || length == SPACE_MAX)
		return err_set(err, "'/proc/self/ns/mnt': %s", strerror(errno));
	table = fileio_read("/proc/self/mountinfo", TABLE_BYTES_MAX, NULL, err);
	if (!table)
		return -1;
	mangle(work_dir ? work_dir : "", mangled, sizeof(mangled));
	size = asprintf(&text, "%.*s\n%s\n%s", (int)length, space, mangled,
			table);
	if (size < 0)
		err_set(err, "out of memory");
	else
		rc = fileio_write_volatile(path, text, (size_t)size, 0600, err);
	if (size >= 0)
		free(text);
	free(table);
	return rc;
}

/* ---- the epilog ------------------------------------------------------------------ */

static bool is_own(const char *name)
{
	size_t length = strlen(name), end = strlen(RUNDIR_OWN);

	return length > end && !strcmp(name + length - end, RUNDIR_OWN);
}

static int add_text(const char *folder, const char *name, char ***texts,
		    size_t *count)
{
	char path[RUNDIR_PATH_MAX + 258], **bigger;

	if (*count == OWN_TEXTS_MAX)
		return -1;
	bigger = realloc(*texts, (*count + 1) * sizeof(**texts));
	if (!bigger)
		return -1;
	*texts = bigger;
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	bigger[*count] = fileio_read(path, OWN_BYTES_MAX, NULL, NULL);
	if (!bigger[*count])
		return -1;
	(*count)++;
	return 0;
}

char **job_own_texts(const struct config *config, uint32_t job_id,
		     size_t *count, bool *is_whole)
{
	char folder[RUNDIR_PATH_MAX], **texts = NULL;
	struct dirent *entry;
	DIR *dir;

	*count = 0;
	*is_whole = true;
	if (rundir_job_file(folder, config->run_dir, job_id, RUNDIR_STEPS,
			    NULL) < 0)
		return NULL;
	dir = opendir(folder);
	while (dir && (entry = readdir(dir)))
		if (is_own(entry->d_name) &&
		    add_text(folder, entry->d_name, &texts, count) < 0)
			*is_whole = false;
	if (dir)
		closedir(dir);
	return texts;
}
