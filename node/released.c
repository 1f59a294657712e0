/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/released.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/rundir.h"
#include "node/job_dir.h"

/* Some hundred jobs of one core may end at once, and slurmd may repeat their epilogs when it
 * restarts. */
#define RELEASED_MAX 1024U
#define LINE_MAX_BYTES 64

struct released {
	struct job_run run[RELEASED_MAX];
	unsigned int count;
};

static void add(struct released *list, const struct job_run *run)
{
	if (list->count == RELEASED_MAX) {
		memmove(list->run, list->run + 1, (RELEASED_MAX - 1) * sizeof(list->run[0]));
		list->count--;
	}
	list->run[list->count++] = *run;
}

/* Return the next word of *rest as a number, or RECORD_UNKNOWN. */
static int64_t parse_number(char **rest)
{
	char *word = strsep(rest, " ");
	unsigned long number;

	return word && number_parse(word, 0, INT64_MAX, &number, NULL) == 0 ? (int64_t)number
									    : RECORD_UNKNOWN;
}

static void add_line(struct released *list, char *line)
{
	int64_t id = parse_number(&line);
	struct job_run run = { .job_id = (uint32_t)id };

	run.restart = parse_number(&line);
	run.start = parse_number(&line);
	if (id > 0 && id <= UINT32_MAX)
		add(list, &run);
}

static int load_file(struct released *list, const char *path)
{
	char *text, *line, *save = NULL;

	text = fileio_read(path, RELEASED_MAX * LINE_MAX_BYTES, NULL, NULL);
	if (!text)
		return fileio_may_be_there(errno) ? -1 : 0;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_line(list, line);
	free(text);
	return 0;
}

/* -1: some of them could not be read. */
static int load(struct released *list)
{
	char path[RUNDIR_PATH_MAX];
	int rc = 0;

	list->count = 0;
	if (rundir_spool_file(path, dirs.spool, RUNDIR_RELEASED, NULL) == 0)
		rc = load_file(list, path);
	if (rundir_node_file(path, dirs.run, RUNDIR_RELEASED, NULL) == 0 &&
	    load_file(list, path) < 0)
		rc = -1;
	return rc;
}

static const char *word_of(int64_t number, char word[24])
{
	snprintf(word, 24, "%lld", (long long)number);
	return number == RECORD_UNKNOWN ? "-" : word;
}

static size_t print(const struct released *list, char *text, size_t room)
{
	char restart[24], start[24];
	size_t used = 0;
	unsigned int i;

	for (i = 0; i < list->count; i++)
		used += (size_t)snprintf(
			text + used, room - used, "%u %s %s\n", list->run[i].job_id,
			word_of(list->run[i].restart, restart), word_of(list->run[i].start, start));
	return used;
}

static void store(const struct released *list)
{
	char text[RELEASED_MAX * LINE_MAX_BYTES + 1];
	char path[RUNDIR_PATH_MAX], here[RUNDIR_PATH_MAX];
	size_t size = print(list, text, sizeof(text));

	if (rundir_spool_file(path, dirs.spool, RUNDIR_RELEASED, NULL) < 0 ||
	    rundir_node_file(here, dirs.run, RUNDIR_RELEASED, NULL) < 0)
		return;
	FAULT_POINT("released before");
	if (fileio_write(path, text, size, 0600, NULL) == 0)
		unlink(here);
	else
		fileio_write_volatile(here, text, size, 0600, NULL);
	FAULT_POINT("released after");
}

/* Return true if restart count or start are equal; an unknown start is equal to any. slurmctld
 * counts a requeued job's next run before the epilog runs (job_mgr.c:_job_requeue_op), and sets a
 * later start when the node has powered up (job_config_fini). */
static bool is_same(const struct job_run *a, const struct job_run *b)
{
	bool is_restart = a->restart == b->restart && a->restart != RECORD_UNKNOWN;

	return a->job_id == b->job_id && (is_restart || a->start == b->start ||
					  a->start == RECORD_UNKNOWN || b->start == RECORD_UNKNOWN);
}

static bool drop(struct released *list, const struct job_run *run)
{
	unsigned int i, kept = 0, before = list->count;

	for (i = 0; i < before; i++)
		if (!is_same(&list->run[i], run))
			list->run[kept++] = list->run[i];
	list->count = kept;
	return kept != before;
}

bool job_was_released(const struct job_run *run)
{
	struct released list;

	load(&list);
	return drop(&list, run);
}

void job_add_released(const struct job_run *run)
{
	struct released list;

	/* do not overwrite the list with a part of it */
	if (load(&list) < 0)
		return;
	drop(&list, run);
	add(&list, run);
	store(&list);
}

void job_remove_released(uint32_t job_id)
{
	const struct job_run any = JOB_RUN_ANY(job_id);
	struct released list;

	if (load(&list) == 0 && drop(&list, &any))
		store(&list);
}
