/* SPDX-License-Identifier: GPL-2.0-or-later */
/* course.h - rules about when a job does its I/O
 *
 * Terms   as calls.h.
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

#endif
