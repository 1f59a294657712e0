/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print.h - lists and findings on stdout, as text and as JSON
 *
 * Owner   print_add_text() frees the text that it is given.
 *         print_json() frees the object.
 * Errors  none are told: stdout is the caller's business.
 * Runs    commands of jobio(1).
 */
#ifndef JOBIO_TOOLS_PRINT_H
#define JOBIO_TOOLS_PRINT_H

#include <stdbool.h>

#include "lib/cpuset.h"
#include "lib/finding.h"

struct json;

/* "label            2-3,8" or "none" */
void print_list(const char *label, const struct cpuset *set);
void print_findings(const struct findings *findings);

/* NULL is "". */
void print_add_text(struct json *json, const char *key, char *text);
/* 'has_same': with "same_bytes", too. */
void print_add_findings(struct json *json, const struct findings *findings, bool has_same);
void print_json(struct json *json);

/* The exit status, when all has been printed. */
int print_end(int status);

#endif
