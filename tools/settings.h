/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.h - what jobio.conf lets jobs ask for, as JSON
 *
 * Terms   {"ok":true,"io_cores_min":1,"io_cores_max":4,"io_cores_default":0,
 *          "profile_default":""|..,"ledger_user":"slurm","grace_s":300,"send_timeout_ms":10000,
 *          "profiles":[{"name":"stream","io_cores":2,"mount_options":"..",
 *                       "clients":[{"name":"weka","mount_options":"..","refused":false}]}]}
 *         clients: what a job with the profile gets on each, as its prolog has it: of
 *           [profile NAME:CLIENT] where there is one; refused: the client would not take all of it.
 * Owner   -
 * Errors  those of 'out' stay in it.
 * Runs    jobio-ask.
 */
#ifndef JOBIO_TOOLS_SETTINGS_H
#define JOBIO_TOOLS_SETTINGS_H

#include <stdio.h>

#include "lib/config.h"

void settings_put(const struct config *config, FILE *out);

#endif
