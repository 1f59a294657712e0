/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scarce.h - a calloc() for which there is no memory, with -Wl,--wrap=calloc
 *
 * scarce_after(n): n more calls get some, and then the next one none. */
#ifndef JOBIO_TESTS_UNIT_SCARCE_H
#define JOBIO_TESTS_UNIT_SCARCE_H

#include <stddef.h>

static int scarce_left = -1; /* -1: there is enough */

static void scarce_after(int calls)
{
	scarce_left = calls;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
	if (scarce_left == 0) {
		scarce_left = -1;
		return NULL;
	}
	scarce_left -= scarce_left > 0;
	return __real_calloc(count, size);
}

#endif
