/* SPDX-License-Identifier: GPL-2.0-or-later */
/* page.h - a report as one HTML file that needs nothing else
 *
 * Terms   page: no network, no script: style and pictures (SVG) are in it, and a
 *           Content-Security-Policy that lets a browser load nothing. Light or
 *           dark as the reader has it, light on paper. Behind each picture is a
 *           table of its numbers.
 *         Everything that a record or sacct says is encoded: what they hold is
 *           text, whatever it looks like.
 * Owner   -
 * Errors  -1, the reason in *err; an older file stays as it was.
 * Runs    jobio report --html.
 */
#ifndef JOBIO_REPORT_PAGE_H
#define JOBIO_REPORT_PAGE_H

#include "report/job_report.h"

/* Replace 'file' by it, in one step. */
int page_write(const char *file, const struct job_report *report, struct err *err);

#endif
