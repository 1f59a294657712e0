/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print.h - print texts and findings as JSON
 *
 * Owner   print_add_text() frees the text that it is given.
 *         print_json() frees the object.
 * Errors  none; the caller checks stdout.
 * Runs    commands of jobio(1).
 */
#ifndef JOBIO_TOOLS_PRINT_H
#define JOBIO_TOOLS_PRINT_H

#include <stdbool.h>

#include "client/types.h"
#include "record/finding.h"

struct json;

/* NULL is printed as "". */
void print_add_text(struct json *json, const char *key, char *text);
/* As in a record; "same_bytes": of the text, without measured values at its end. */
void print_add_findings(struct json *json, const struct findings *findings);
/* Each with its NUMA node, the CPUs of that, and what it serves; 'xml' as for locality_load(). */
void print_add_nics(struct json *list, const struct client_nics *nics, const char *xml);
void print_json(struct json *json);

#endif
