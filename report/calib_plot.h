/* SPDX-License-Identifier: GPL-2.0-or-later */
/* calib_plot.h - the three pictures of a calibration
 *
 * Terms   scaling: the four metrics by the number of io-cores, a line for each
 *           profile, and what would be in proportion.
 *         engines: synchronous calls and libaio by the number of processes,
 *           each metric under the setting that does most.
 *         direct: large and small blocks of one process around the page cache
 *           and through it, by profile, with the most io-cores.
 * Owner   the caller frees the text.
 * Errors  none.
 * Runs    jobio calibrate.
 */
#ifndef JOBIO_REPORT_CALIB_PLOT_H
#define JOBIO_REPORT_CALIB_PLOT_H

#include "report/calib_fit.h"

char *calib_plot_scaling(const struct calib_data *data);
char *calib_plot_engines(const struct calib_data *data);
char *calib_plot_direct(const struct calib_data *data);

#endif
