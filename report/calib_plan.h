/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_plan.h - what a calibration measures, and in which order
 *
 * Terms   setting: io-cores (0: none are asked for) and a profile (NULL: none).
 *         shape: what fio does for some seconds, on 'processes' files at most:
 *           blocks of 1 MiB and 4 KiB, read and written, synchronously and with
 *           libaio, by 1 to 32 processes, direct; and blocks of 64 MiB and
 *           4 KiB, direct and buffered, by one.
 *         job: one setting, once: all shapes, in an order of its own. Every
 *           setting is measured 'repeats' times; all are shuffled by rounds, so
 *           that an hour in which the servers are busy spoils none alone.
 *         run: one shape in one job: at most 'seconds' long and 'run_bytes'
 *           large.
 * Owner   calib_plan_free(); profiles are the config's.
 * Errors  -1 and what is wrong with the wish.
 * Runs    jobio calibrate.
 */
#ifndef JOBIO_REPORT_CALIB_PLAN_H
#define JOBIO_REPORT_CALIB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/config.h"
#include "lib/err.h"

#define CALIB_PROCESSES_MAX 8 /* different numbers of them */
#define CALIB_CORES_MAX (IO_CORES_LIMIT + 1)
#define CALIB_REPEATS_MAX 100U
#define CALIB_LAYOUT "layout" /* the run that makes the files */
#define CALIB_DEPTH 32U	      /* requests of a process, 4 KiB with libaio */
#define CALIB_DEPTH_LARGE 4U

/* What the command line says; 0 and NULL: the default. */
struct calib_wish {
	const char *cores, *profiles, *processes; /* "0,1,2", "none,stream" */
	unsigned long repeats, seconds;
	unsigned int max_s;
	uint64_t space_bytes, max_bytes;
};

struct calib_shape {
	char name[32]; /* "4k-read-async-16", "64m-write-buffered" */
	bool is_write, is_async, is_direct;
	bool is_alone; /* of the shapes with one process */
	unsigned int block_kib, processes, depth;
};

struct calib_setting {
	unsigned int io_cores;
	const struct config_profile *profile;
};

struct calib_turn {
	size_t setting;
	unsigned int repeat;
};

struct calib_plan {
	struct calib_shape *shapes;
	struct calib_setting *settings;
	struct calib_turn *turns; /* the jobs, in their order */
	size_t shape_count, setting_count, turn_count;
	unsigned int processes[CALIB_PROCESSES_MAX]; /* ascending */
	size_t processes_count;
	unsigned int repeats, seconds, max_s;
	uint64_t space_bytes, max_bytes; /* as wished */
	uint64_t file_bytes, run_bytes;	 /* of one file, of one process */
	uint64_t random;
};

int calib_plan_make(struct calib_plan *plan, const struct calib_wish *wish,
		    const struct config *config, struct err *err);
void calib_plan_free(struct calib_plan *plan);

/* The lines of one job: NAME LIMIT_S OPTION..., the shapes in random order;
 * malloc'ed. */
char *calib_plan_text(struct calib_plan *plan);

/* How many seconds one job takes, when nothing hangs, and at most. */
unsigned int calib_plan_job_s(const struct calib_plan *plan);
unsigned int calib_plan_job_limit_s(const struct calib_plan *plan);

/* -1: there is no such shape. */
int calib_plan_find(const struct calib_plan *plan, const char *name);

/* "2 io-cores, profile stream" */
const char *calib_setting_text(const struct calib_setting *setting, char *out, size_t room);

#endif
