/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_write.h - what a calibration leaves behind, in one folder
 *
 * Terms   calibration.json: every run, means and spreads, lines, constants, and
 *           what fio and jobio say of each job.
 *         advice.conf: the constants as an [advice] section, for the key
 *           'calibration' of jobio.conf(5).
 *         scaling.svg, engines.svg, direct.svg: calib_plot.h.
 *         about: where and when it was measured.
 * Owner   nothing.
 * Errors  -1 and a sentence with the path; each file is replaced in one step.
 * Runs    jobio calibrate.
 */
#ifndef JOBIO_REPORT_CALIB_WRITE_H
#define JOBIO_REPORT_CALIB_WRITE_H

#include <time.h>

#include "report/calib_fit.h"

struct calib_about {
	const char *dir, *cluster; /* cluster "": unknown */
	time_t start, end;
};

/* The mount point and its type, as the first node has it that says so. */
const char *calib_fstype(const struct calib_data *data);

int calib_write(const char *folder, const struct calib_data *data, const struct calib_about *about,
		struct err *err);

#endif
