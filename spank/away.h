/* SPDX-License-Identifier: GPL-2.0-or-later */
/* away.h - was the plugin's file missing while a step ran?
 *
 * Terms   away: the file has lost its name, because its package was removed, and no
 *           other file has got that name yet. A step that begins then loads no
 *           plugin: it has no counters, and leaves no trace on the node.
 *         exchanged: another file has the name. A package manager renames the new
 *           file over the old one (dpkg: lib/dpkg/unpack.c; rpm: lib/fsm.c): the
 *           name always existed. The inodes' times show it: the old one lost its
 *           name, or its last link, not before the new one got it. If the old one
 *           has no such time (NFS, the lower layer of overlayfs), or after two
 *           exchanges in a row, this cannot be determined, and the result is yes.
 * Owner   struct away is a plain value with an open file; away_close().
 * Errors  a file that cannot be examined was not away.
 * Runs    slurmstepd, root: that of the extern step covers the whole job.
 */
#ifndef JOBIO_SPANK_AWAY_H
#define JOBIO_SPANK_AWAY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/rundir.h"

struct away {
	bool is_open;
	int fd;
	char path[RUNDIR_PATH_MAX];
	struct timespec changed; /* of its inode, when it was opened */
};

/* Open the file that has this absolute name now. */
void away_open(struct away *away, const char *path);
void away_close(struct away *away);

/* Return true if it was away since then. */
bool away_was(const struct away *away);

/* Return true if the file was created or changed after this one was written. */
bool away_is_newer(const struct away *away, const char *than);

/* Write for the epilog: RUN/JOB/away, that it was away; RUN/plugin, the path of the file. */
void away_note(const char *run_dir, uint32_t job_id);
void away_note_path(const struct away *away, const char *run_dir);

#endif
