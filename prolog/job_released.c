/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RUN/released: the jobs that were finished lately, one number a line. */
#include "prolog/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faultpoint.h"
#include "fileio.h"
#include "number.h"
#include "rundir.h"

#define RELEASED "released"
#define RELEASED_MAX 64U
#define LINE_MAX_BYTES 16

struct released {
	uint32_t job_id[RELEASED_MAX];
	unsigned int count;
};

static void add(struct released *list, uint32_t job_id)
{
	if (list->count == RELEASED_MAX) {
		memmove(list->job_id, list->job_id + 1,
			(RELEASED_MAX - 1) * sizeof(list->job_id[0]));
		list->count--;
	}
	list->job_id[list->count++] = job_id;
}

static void load(const struct config *config, struct released *list)
{
	char path[RUNDIR_PATH_MAX], *text, *line, *save = NULL;
	unsigned long id;

	list->count = 0;
	if (rundir_node_file(path, config->run_dir, RELEASED, NULL) < 0)
		return;
	text = fileio_read(path, 65536, NULL, NULL);
	if (!text)
		return;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		if (number_parse(line, 1, UINT32_MAX, &id, NULL) == 0)
			add(list, (uint32_t)id);
	free(text);
}

static void store(const struct config *config, const struct released *list)
{
	char path[RUNDIR_PATH_MAX], text[RELEASED_MAX * LINE_MAX_BYTES + 1];
	size_t used = 0;
	unsigned int i;

	if (rundir_node_file(path, config->run_dir, RELEASED, NULL) < 0)
		return;
	for (i = 0; i < list->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%u\n", list->job_id[i]);
	FAULT_POINT("released before");
	fileio_write_volatile(path, text, used, 0600, NULL);
	FAULT_POINT("released after");
}

static bool drop(struct released *list, uint32_t job_id)
{
	unsigned int i, kept = 0;

	for (i = 0; i < list->count; i++)
		if (list->job_id[i] != job_id)
			list->job_id[kept++] = list->job_id[i];
	i = list->count;
	list->count = kept;
	return kept != i;
}

bool job_was_released(const struct config *config, uint32_t job_id)
{
	struct released list;

	load(config, &list);
	return drop(&list, job_id);
}

void job_remember_released(const struct config *config, uint32_t job_id)
{
	struct released list;

	load(config, &list);
	drop(&list, job_id);
	add(&list, job_id);
	store(config, &list);
}

void job_forget_released(const struct config *config, uint32_t job_id)
{
	struct released list;

	load(config, &list);
	if (drop(&list, job_id))
		store(config, &list);
}
