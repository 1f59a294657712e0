/* SPDX-License-Identifier: GPL-2.0-or-later */
/* away.h - was the plugin's own file away while a step ran?
 *
 * Terms   away: between the time when the file lost its name, because its package
 *           was removed, and the time when another file got that name; or still.
 *           A step that begins then loads no plugin: it leaves no counters, and
 *           nobody on the node knows that it was there.
 *         exchanged: another file has the name. A package manager renames the new
 *           file over the old one (dpkg: lib/dpkg/unpack.c; rpm: lib/fsm.c): there
 *           was no time without one. It shows in the inodes' times: the old one
 *           lost its name, or its last link, not before the new one got it. Where
 *           the old one shows no such time (NFS, the lower layer of overlayfs),
 *           or two exchanges came one after the other, nobody can tell, and the
 *           answer is yes.
 * Owner   struct away is a plain value with an open file; away_close().
 * Errors  what cannot be looked at was not away.
 * Runs    slurmstepd, root: that of the extern step looks at all of the job.
 */
#ifndef JOBIO_SPANK_AWAY_H
#define JOBIO_SPANK_AWAY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "lib/rundir.h"

struct away {
	bool is_open;
	int fd;
	char path[RUNDIR_PATH_MAX];
	struct timespec changed; /* its inode, when it was opened */
};

/* The file that has this absolute name now. */
void away_open(struct away *away, const char *path);
void away_close(struct away *away);

/* Was it away since then? */
bool away_was(const struct away *away);

/* Did the file come, or change, after this one was written? */
bool away_is_newer(const struct away *away, const char *than);

/* Leave for the epilog that it was: RUN/JOB/away. Where the file is: RUN/plugin. */
void away_note(const char *run_dir, uint32_t job_id);
void away_note_path(const struct away *away, const char *run_dir);

#endif
