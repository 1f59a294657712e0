/* SPDX-License-Identifier: GPL-2.0-or-later */
/* core_map_load.h - core map of this machine
 *
 * Owner   core_map_free().
 * Errors  NULL, the reason in *err.
 * Runs    helpers; by hwloc, from sysfs without PCI.
 */
#ifndef JOBIO_CORES_CORE_MAP_LOAD_H
#define JOBIO_CORES_CORE_MAP_LOAD_H

#include "cores/core_map.h"

struct core_map *core_map_load(const struct core_map_options *options, struct err *err);

#endif
