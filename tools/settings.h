/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.h - jobio.conf as JSON
 *
 * Terms   keys as in jobio.conf, but "ledger":{..}, "clients":[{"name":..,"nodes":..}] and
 *           "profiles":[{"name":"stream","io_cores":2,"mount_options":"..","empty":false,
 *             "clients":[{"name":"weka","mount_options":"..","used":true,"refused":["why"]}]}]
 *         clients of a profile: what a job with it gets on each, as its prolog has it: of
 *           [profile NAME:CLIENT] where there is one; used: the client's type takes some of it;
 *           refused: what the client would not take.
 * Owner   -
 * Errors  none.
 * Runs    jobio-ask, jobio-facts.
 */
#ifndef JOBIO_TOOLS_SETTINGS_H
#define JOBIO_TOOLS_SETTINGS_H

#include "lib/config.h"
#include "lib/json.h"

void settings_add(struct json *top, const struct config *config);

#endif
