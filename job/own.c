/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RUN/JOB/steps/STEP.own: what slurmstepd read in the namespace of a step. */
#include "job/job.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fileio.h"
#include "lib/rundir.h"

#define OWN_BYTES_MAX (1U << 20)
#define OWN_TEXTS_MAX 4096

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
