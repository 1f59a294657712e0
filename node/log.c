/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

static const char *log_room = "prolog";
static uint32_t log_job;

void log_open(const char *room, uint32_t job_id)
{
	log_room = room;
	log_job = job_id;
	openlog("jobio", LOG_PID, LOG_DAEMON);
}

void log_line(const char *format, ...)
{
	char text[2048], job[32] = "";
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (log_job)
		snprintf(job, sizeof(job), "job %u: ", log_job);
	fprintf(stderr, "jobio: %s: %s%s\n", log_room, job, text);
	syslog(LOG_WARNING, "%s: %s%s", log_room, job, text);
}

void log_finding(const struct finding *finding)
{
	log_line("%s %s; cure: %s", finding->code, finding->text,
		 finding->cure ? finding->cure : "none");
}
