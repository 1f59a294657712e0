/* SPDX-License-Identifier: GPL-2.0-or-later */
/* append.h - what a test's stand-ins saw, one behind the other in one text
 *
 * A text that is full fails the test. */
#ifndef JOBIO_TESTS_UNIT_APPEND_H
#define JOBIO_TESTS_UNIT_APPEND_H

#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

__attribute__((format(printf, 3, 0))) static inline void
append_list(char *text, size_t size, const char *format, va_list list)
{
	size_t used = strlen(text);
	int length = vsnprintf(text + used, size - used, format, list);

	ck_assert_int_ge(length, 0);
	ck_assert_uint_lt(used + (size_t)length, size);
}

__attribute__((format(printf, 3, 4))) static inline void append(char *text, size_t size,
								const char *format, ...)
{
	va_list list;

	va_start(list, format);
	append_list(text, size, format, list);
	va_end(list);
}

#endif
