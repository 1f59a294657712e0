/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_node.h - what job/ finds on a node, in a folder of its own
 *
 * setup() makes RUN, SPOOL and an empty /sys and /proc in tempdir.h's folder, with a
 * jobio.conf that names them; load("...") has more in it. Names are below that
 * folder: is_there("run/7"), age("run/7", 600), expect_file("run/7/told", "").
 * slurmd_says() gives a script its environment.
 * teardown() at the end. */
#ifndef JOBIO_TESTS_UNIT_JOB_NODE_H
#define JOBIO_TESTS_UNIT_JOB_NODE_H

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "job/job.h"
#include "lib/sysfs.h"
#include "tests/unit/tempdir.h"

static struct config *config;
static struct err err;

static void load(const char *more)
{
	char text[1500];

	config_free(config);
	snprintf(text, sizeof(text), "[jobio]\nrun_dir = %s/run\nspool_dir = %s/spool\n%s",
		 tempdir_name, tempdir_name, more);
	config = config_load(tempdir_put("jobio.conf", text), &err);
	ck_assert_msg(config != NULL, "%s", err.text);
}

static void setup(void)
{
	static char root[300];

	tempdir_make();
	load("");
	snprintf(root, sizeof(root), "%s/sys", tempdir_name);
	ck_assert(mkdir(root, 0700) == 0);
	ck_assert(mkdir(tempdir_path("sys/proc"), 0700) == 0);
	sysfs_set_root(root);
	ck_assert_msg(job_make_dirs(config, &err) == 0, "%s", err.text);
}

/* What slurmd says to scripts of job 7 on node c1, and no more. */
__attribute__((unused)) static void slurmd_says(void)
{
	clearenv();
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_JOB_UID", "1000", 1);
	setenv("SLURMD_NODENAME", "c1", 1);
	setenv("SLURM_CLUSTER_NAME", "big", 1);
}

static void teardown(void)
{
	config_free(config);
	config = NULL;
	tempdir_remove();
}

__attribute__((unused)) static bool is_there(const char *name)
{
	struct stat st;

	return lstat(tempdir_path(name), &st) == 0;
}

__attribute__((unused)) static void expect_file(const char *name, const char *text)
{
	char *has = fileio_read(tempdir_path(name), 65536, NULL, &err);

	ck_assert_msg(has != NULL, "%s", err.text);
	ck_assert_str_eq(has, text);
	free(has);
}

__attribute__((unused)) static void age(const char *name, long seconds)
{
	struct timespec times[2] = { { time(NULL) - seconds, 0 } };

	times[1] = times[0];
	ck_assert(utimensat(AT_FDCWD, tempdir_path(name), times, 0) == 0);
}

__attribute__((unused)) static struct record *new_state(uint32_t id, uint32_t uid, int restart)
{
	struct job job = { .id = id,
			   .uid = uid,
			   .gid = 100,
			   .node = "c1",
			   .user = "alice",
			   .cluster = "big",
			   .nodelist = "c[1-2]",
			   .restart = restart };
	struct record *state = job_state_new(&job, config);

	ck_assert_ptr_nonnull(state);
	return state;
}

#endif
