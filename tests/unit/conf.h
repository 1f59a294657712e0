/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.h - load a configuration from a text; its temporary file is removed */
#ifndef JOBIO_TESTS_UNIT_CONF_H
#define JOBIO_TESTS_UNIT_CONF_H

#include "base/config.h"
#include "base/config_load.h"
#include "tests/unit/tempdir.h"

static struct config *conf_load(const char *text)
{
	struct config *config;
	struct err err;

	tempdir_make();
	config = config_load(tempdir_put("jobio.conf", text), &err);
	ck_assert_msg(config != NULL, "%s", err.text);
	tempdir_remove();
	return config;
}

#endif
