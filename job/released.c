/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SPOOL/released: the runs that were finished lately, "JOB RESTART" a line;
 * RESTART is "-" where Slurm does not tell it. RUN/released has them while SPOOL
 * cannot be written. */
#include "job/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/faultpoint.h"
#include "lib/fileio.h"
#include "lib/number.h"
#include "lib/rundir.h"

/* Some hundred jobs of one core each may end at once, and all of their epilogs run
 * again, when slurmd was started anew. */
#define RELEASED_MAX 1024U
#define LINE_MAX_BYTES 32

struct run {
	uint32_t job_id;
	int64_t restart; /* RECORD_UNKNOWN */
};

struct released {
	struct run run[RELEASED_MAX];
	unsigned int count;
};

static void add(struct released *list, uint32_t job_id, int64_t restart)
{
	if (list->count == RELEASED_MAX) {
		memmove(list->run, list->run + 1,
			(RELEASED_MAX - 1) * sizeof(list->run[0]));
		list->count--;
	}
	list->run[list->count++] =
		(struct run){ .job_id = job_id, .restart = restart };
}

static void add_line(struct released *list, char *line)
{
	char *space = strchr(line, ' ');
	unsigned long id, restart;

	if (!space)
		return;
	*space++ = '\0';
	if (number_parse(line, 1, UINT32_MAX, &id, NULL) < 0)
		return;
	if (number_parse(space, 0, INT32_MAX, &restart, NULL) < 0)
		add(list, (uint32_t)id, RECORD_UNKNOWN);
	else
		add(list, (uint32_t)id, (int64_t)restart);
}

static void load_file(struct released *list, const char *path)
{
	char *text, *line, *save = NULL;

	text = fileio_read(path, 65536, NULL, NULL);
	if (!text)
		return;
	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		add_line(list, line);
	free(text);
}

static void load(const struct config *config, struct released *list)
{
	char path[RUNDIR_PATH_MAX];

	list->count = 0;
	if (rundir_spool_file(path, config->spool_dir, RUNDIR_RELEASED, NULL) ==
	    0)
		load_file(list, path);
	if (rundir_node_file(path, config->run_dir, RUNDIR_RELEASED, NULL) == 0)
		load_file(list, path);
}

static size_t print(const struct released *list, char *text, size_t room)
{
	char restart[24];
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < list->count; i++) {
		snprintf(restart, sizeof(restart), "%lld",
			 (long long)list->run[i].restart);
		used += (size_t)snprintf(
			text + used, room - used, "%u %s\n",
			list->run[i].job_id,
			list->run[i].restart == RECORD_UNKNOWN ? "-" : restart);
	}
	return used;
}

static void store(const struct config *config, const struct released *list)
{
	char text[RELEASED_MAX * LINE_MAX_BYTES + 1];
	char path[RUNDIR_PATH_MAX], here[RUNDIR_PATH_MAX];
	size_t size = print(list, text, sizeof(text));

	if (rundir_spool_file(path, config->spool_dir, RUNDIR_RELEASED, NULL) <
		    0 ||
	    rundir_node_file(here, config->run_dir, RUNDIR_RELEASED, NULL) < 0)
		return;
	FAULT_POINT("released before");
	if (fileio_write(path, text, size, 0600, NULL) == 0)
		unlink(here);
	else
		fileio_write_volatile(here, text, size, 0600, NULL);
	FAULT_POINT("released after");
}

static bool is_same(const struct run *run, uint32_t job_id, int64_t restart)
{
	return run->job_id == job_id &&
	       (run->restart == restart || run->restart == RECORD_UNKNOWN ||
		restart == RECORD_UNKNOWN);
}

static bool drop(struct released *list, uint32_t job_id, int64_t restart)
{
	unsigned int i, kept = 0, before = list->count;

	for (i = 0; i < before; i++)
		if (!is_same(&list->run[i], job_id, restart))
			list->run[kept++] = list->run[i];
	list->count = kept;
	return kept != before;
}

bool job_was_released(const struct config *config, uint32_t job_id,
		      int64_t restart)
{
	struct released list;

	load(config, &list);
	return drop(&list, job_id, restart);
}

void job_remember_released(const struct config *config, uint32_t job_id,
			   int64_t restart)
{
	struct released list;

	load(config, &list);
	drop(&list, job_id, restart);
	add(&list, job_id, restart);
	store(config, &list);
}

void job_forget_released(const struct config *config, uint32_t job_id)
{
	struct released list;

	load(config, &list);
	if (drop(&list, job_id, RECORD_UNKNOWN))
		store(config, &list);
}
