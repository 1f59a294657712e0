/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_fit.h - from what was measured to numbers that a site can use
 *
 * Terms   metric: one of the four that a core of the client limits: bytes a
 *           second of large blocks, calls a second of small ones, read and
 *           written; of each job the best number of processes and engine.
 *         line: value = per_core * io-cores, by least squares, over those
 *           numbers of io-cores at which the value still grew in proportion
 *           ('grows_to' is the last): where something else is at its limit, one
 *           more core adds less than LIMIT_FULL_PERCENT of what the first did.
 *         spread: the standard deviation of value / io-cores over those jobs; < 0: of
 *           one job there is none.
 *         constants: keys of [advice] in jobio.conf(5), as far as they follow
 *           from what was measured; 0: this one does not.
 * Owner   plain values.
 * Errors  none: count 0 is "no line".
 * Runs    jobio calibrate.
 */
#ifndef JOBIO_REPORT_CALIB_FIT_H
#define JOBIO_REPORT_CALIB_FIT_H

#include <stddef.h>

#include "report/calib_data.h"

struct calib_line {
	size_t count; /* points that it goes through; 0: no line */
	double per_core, spread;
	unsigned int grows_to;
};

enum calib_metric {
	CALIB_READ_BPS,
	CALIB_WRITE_BPS,
	CALIB_READ_IOPS,
	CALIB_WRITE_IOPS,
	CALIB_METRICS
};
const char *calib_metric_name(enum calib_metric metric);  /* "read_Bps" */
const char *calib_metric_words(enum calib_metric metric); /* for a picture */

/* The metric of all jobs under one setting: of each the best shape. */
struct samples calib_metric_of(const struct calib_data *data, size_t setting,
			       enum calib_metric metric);

/* Over the io-cores of one profile; NULL: without. */
struct calib_line calib_metric_fit(const struct calib_data *data,
				   const struct config_profile *profile, enum calib_metric metric);

/* The setting with the most of it on average; -1: nothing was measured. */
int calib_metric_best(const struct calib_data *data, enum calib_metric metric);

#define CALIB_CONSTANTS 10
struct calib_constant {
	const char *key; /* of [advice] */
	unsigned int value;
	char from[160]; /* what it was measured by */
};

/* 'fstype' as in a mount table: some are of one type alone. Returns how many. */
size_t calib_constants(const struct calib_data *data, const char *fstype,
		       struct calib_constant list[CALIB_CONSTANTS]);

#endif
