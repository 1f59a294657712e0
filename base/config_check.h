/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_check.h - check a whole jobio.conf
 *
 * Owner   as in config.h.
 * Errors  -1, the reason in *err.
 * Runs    config_load().
 */
#ifndef JOBIO_BASE_CONFIG_CHECK_H
#define JOBIO_BASE_CONFIG_CHECK_H

#include "base/config.h"

/* Set nfs_options of profiles, and the store's path, too. */
int config_check(struct config *config, struct err *err);

#endif
