/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_load.h - read jobio.conf
 *
 * Owner   config_free(), NULL allowed.
 * Errors  NULL or -1, the reason in *err.
 * Runs    everywhere, at the start of a program; libc only.
 */
#ifndef JOBIO_BASE_CONFIG_LOAD_H
#define JOBIO_BASE_CONFIG_LOAD_H

#include "base/config.h"

/* Read 'file'; NULL: the default, JOBIO_CONF. */
struct config *config_load(const char *file, struct err *err);
void config_free(struct config *config);
/* Read the file of [advice] calibration, if there is one: numbers that jobio.conf itself does not
 * set. Only programs that give advice need it. Return -1 and the reason; config->advice may be set
 * in part. */
int config_calibrate(struct config *config, struct err *err);
/* Set [advice] to its defaults. */
void config_advice_init(struct config_advice *advice);

#endif
