/* SPDX-License-Identifier: GPL-2.0-or-later */
/* number.h - strict parser for decimal numbers
 *
 * Terms   A number is decimal digits only: no sign, blank, "0x" or unit; no
 *           leading zero except "0" itself.
 * Errors  -1 and "'12x': not a number from 1 to 64"; output unchanged.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_BASE_NUMBER_H
#define JOBIO_BASE_NUMBER_H

#include "base/err.h"

int number_parse(const char *text, unsigned long min, unsigned long max, unsigned long *number,
		 struct err *err);

#endif
