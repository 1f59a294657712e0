/* SPDX-License-Identifier: GPL-2.0-or-later */
/* daemon.h - one start of the real slurmd on a made-up machine
 *
 * Terms   folder: a folder for slurm.conf and slurmd's spool, for one start.
 * Owner   daemon_said_free() frees what daemon_start() filled in.
 * Errors  -1, message in *err: slurmd did not log its cores in time.
 * Runs    as root (required by slurmd); slurmd is killed by its pid.
 */
#ifndef JOBIO_TESTS_DIFF_DAEMON_H
#define JOBIO_TESTS_DIFF_DAEMON_H

#include <stdbool.h>

#include "base/err.h"
#include "cores/core_map.h"

struct daemon_start {
	const char *slurmd;  /* path */
	const char *preload; /* noaffinity.so */
	const char *folder;
	const char *xml;
	const char *node_line;
	const char *slurmd_parameters;
	bool spec_cores_first;
	unsigned int timeout_ms;
};

struct daemon_said {
	struct core_map_shape shape;
	bool has_shape;
	int block[8192]; /* abstract CPU -> OS CPU; -1: not in the log */
	char *abs_cpus;
	char *os_cpus;
	bool disabled; /* "core specialization disabled" */
	bool fatal;
	char *log;
};

int daemon_run(const struct daemon_start *start, struct daemon_said *said, struct err *err);
void daemon_said_free(struct daemon_said *said);

#endif
