/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

static void make_printable(struct err *err)
{
	utf8_clean(err->text, sizeof(err->text), err->text, strlen(err->text));
}

int err_set(struct err *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return -1;
	va_start(args, format);
	vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	make_printable(err);
	return -1;
}

int err_prefix(struct err *err, const char *format, ...)
{
	char old[ERR_MAX];
	va_list args;
	int used;

	if (!err)
		return -1;
	memcpy(old, err->text, sizeof(old));
	va_start(args, format);
	used = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (used >= 0 && (size_t)used < sizeof(err->text))
		snprintf(err->text + used, sizeof(err->text) - (size_t)used, ": %s", old);
	make_printable(err);
	return -1;
}
