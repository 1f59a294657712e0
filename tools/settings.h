/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.h - print jobio.conf as JSON
 *
 * Terms   keys as in jobio.conf, but "ledger":{..}, "clients":[{"name":..,"nodes":..}] and
 *           "profiles":[{"name":"stream","io_cores":2,"mount_options":"..","empty":false,
 *             "clients":[{"name":"weka","mount_options":"..","used":true,"refused":["why"]}]}]
 *         clients of a profile: settings of its jobs on each, as the prolog applies them: of
 *           [profile NAME:CLIENT] if there is one; used: the client's type has some of them;
 *           refused: those that the client rejects.
 * Owner   -
 * Errors  none.
 * Runs    jobio-ask, jobio-facts.
 */
#ifndef JOBIO_TOOLS_SETTINGS_H
#define JOBIO_TOOLS_SETTINGS_H

#include "base/config.h"
#include "record/json.h"

void settings_add(struct json *top, const struct config *config);

#endif
