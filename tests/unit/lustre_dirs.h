/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lustre_dirs.h - a folder of a test's own with those that show a Lustre client
 *
 * lustre_dirs(&section) makes the folder (tempdir.h); sys_dir, debug_dir and
 * procfs_dir of the section are "sys", "debug" and "proc" in it, mount_table is
 * "mounts". None of them is made. */
#ifndef JOBIO_TESTS_UNIT_LUSTRE_DIRS_H
#define JOBIO_TESTS_UNIT_LUSTRE_DIRS_H

#include "lib/config.h"
#include "tests/unit/tempdir.h"

static void lustre_dirs(struct config_client *section)
{
	static const char *const names[] = { "sys", "debug", "proc", "mounts" };
	static char paths[4][512];
	size_t i;

	tempdir_make();
	for (i = 0; i < 4; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s", tempdir_path(names[i]));
	section->jobid = (char *)"";
	section->sys_dir = paths[0];
	section->debug_dir = paths[1];
	section->procfs_dir = paths[2];
	section->mount_table = paths[3];
}

#endif
