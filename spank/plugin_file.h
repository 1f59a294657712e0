/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plugin_file.h - was the plugin's file missing while a step ran?
 *
 * Terms   missing: the file has lost its name, because its package was removed, and no
 *           other file has got that name yet. A step that begins then loads no
 *           plugin: it has no counters, and leaves no trace on the node.
 *         exchanged: another file has the name. A package manager renames the new
 *           file over the old one (dpkg: lib/dpkg/unpack.c; rpm: lib/fsm.c): the
 *           name always existed. The inodes' times show it: the old one lost its
 *           name, or its last link, not before the new one got it. If the old one
 *           has no such time (NFS, the lower layer of overlayfs), or after two
 *           exchanges in a row, this cannot be determined, and the result is yes.
 * Owner   struct plugin_file is a plain value with an open file; plugin_file_close().
 * Errors  a file that cannot be examined was not missing.
 * Runs    slurmstepd, root: that of the extern step covers the whole job.
 */
#ifndef JOBIO_SPANK_PLUGIN_FILE_H
#define JOBIO_SPANK_PLUGIN_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/rundir.h"

struct plugin_file {
	bool is_open;
	int fd;
	char path[RUNDIR_PATH_MAX];
	struct timespec changed; /* of its inode, when it was opened */
};

/* Open the file that has this absolute name now. */
void plugin_file_open(struct plugin_file *file, const char *path);
void plugin_file_close(struct plugin_file *file);

/* Return true if it was missing at any time since then. */
bool plugin_file_was_missing(const struct plugin_file *file);

/* Return true if the file was created or changed after this one was written. */
bool plugin_file_is_newer(const struct plugin_file *file, const char *than);

/* Write for the epilog: RUN/JOB/away, that it was missing; RUN/plugin, the path of the file. */
void plugin_file_note_missing(const char *run_dir, uint32_t job_id);
void plugin_file_note_path(const struct plugin_file *file, const char *run_dir);

#endif
