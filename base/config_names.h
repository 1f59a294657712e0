/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_names.h - words of jobio.conf
 *
 * Owner   constant.
 * Errors  -1: no such word.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_BASE_CONFIG_NAMES_H
#define JOBIO_BASE_CONFIG_NAMES_H

#include "base/config.h"

/* Words of enum gate_policy, of enum client_type; they end with NULL. */
extern const char *const config_gates[], *const config_types[];

const char *gate_policy_name(enum gate_policy policy);
int gate_policy_parse(const char *text, enum gate_policy *policy);
const char *client_type_name(enum client_type type);

/* Return the index of a word in a list that ends with NULL. */
int config_find_choice(const char *const *choices, const char *value);
/* Return true if it is a valid name of a section. */
bool config_is_name(const char *text);

#endif
