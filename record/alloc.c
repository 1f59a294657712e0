/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

void *xneed(void *memory)
{
	static const char text[] = "jobio: out of memory\n";

	if (memory)
		return memory;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(EX_OSERR); /* without the line */
	_exit(EX_OSERR);
}

void *xcalloc(size_t count, size_t size)
{
	return xneed(calloc(count ? count : 1, size));
}

void *xrealloc(void *old, size_t count, size_t size)
{
	return xneed(reallocarray(old, count ? count : 1, size));
}

void *xmore(void *list, size_t count, size_t size)
{
	if (count & (count - 1))
		return list;
	return xrealloc(list, count ? 2 * count : 1, size);
}

char *xstrdup(const char *text)
{
	return text ? xneed(strdup(text)) : NULL;
}

char *xasprintf(const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	return xneed(text);
}
