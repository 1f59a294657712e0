/* SPDX-License-Identifier: GPL-2.0-or-later */
/* course.h - rules about when a job does its I/O, and what has no more to give
 *
 * Terms   as calls.h.
 *         servers: all of a filesystem together; full: a number of clients fills
 *           them, and more of these only share it.
 * Owner   everything is the caller's.
 * Errors  none.
 * Runs    advice.
 */
#ifndef JOBIO_ADVICE_COURSE_H
#define JOBIO_ADVICE_COURSE_H

#include <stdbool.h>

#include "advice/terms.h"
#include "advice/view.h"

bool course_tail(const struct view *v, struct advice *a);
bool course_more_nodes(const struct view *v, struct advice *a);
bool course_memory(const struct view *v, struct advice *a);

#endif
