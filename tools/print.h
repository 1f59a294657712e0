/* SPDX-License-Identifier: GPL-2.0-or-later */
/* print.h - texts and findings as JSON
 *
 * Owner   print_add_text() frees the text that it is given.
 *         print_json() frees the object.
 * Errors  none are told: stdout is the caller's business.
 * Runs    commands of jobio(1).
 */
#ifndef JOBIO_TOOLS_PRINT_H
#define JOBIO_TOOLS_PRINT_H

#include <stdbool.h>

#include "client/terms.h"
#include "lib/finding.h"

struct json;

/* NULL is "". */
void print_add_text(struct json *json, const char *key, char *text);
/* 'has_same': with "same_bytes", too. */
void print_add_findings(struct json *json, const struct findings *findings, bool has_same);
/* Each with its place, the CPUs beside it and what it serves; 'xml' as for locality_load(). */
void print_add_cards(struct json *list, const struct client_cards *cards, const char *xml);
void print_json(struct json *json);

#endif
