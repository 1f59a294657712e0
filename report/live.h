/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.h - jobio report --live: a job that runs, as long as somebody looks
 *
 * Terms   On a terminal it is shown again and again, with a last line that says
 *           when; else once.
 * Errors  the exit status of jobio, see command.h; what was wrong is said.
 * Runs    jobio report. SIGINT and SIGTERM end the look, and with it the step.
 */
#ifndef JOBIO_REPORT_LIVE_H
#define JOBIO_REPORT_LIVE_H

#include <stdbool.h>

#include "report/job_report.h"

#define LIVE_SECONDS 5
#define LIVE_SECONDS_MAX 3600

struct live_query {
	const char *id;
	unsigned int every_s;
	bool is_json, is_verbose;
	enum advice_want advice;
	const struct config_advice *limits;
};

int live_report(struct job_source *source, const struct live_query *query);

#endif
