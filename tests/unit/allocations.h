/* SPDX-License-Identifier: GPL-2.0-or-later */
/* allocations.h - allocations that fail
 *
 * For one program each, which is linked with --wrap of these functions. Check needs
 * allocations, too: none may fail while something is asserted. */
#ifndef JOBIO_TESTS_UNIT_ALLOCATIONS_H
#define JOBIO_TESTS_UNIT_ALLOCATIONS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

static int allocations_left; /* until the one that fails; 0: none does */
static bool has_failed;
/* What was allocated and not freed yet. What only libc allocates, as asprintf()
 * does, is freed here and counts as one less. */
static long allocations_kept;

static bool is_out(void)
{
	if (!allocations_left || --allocations_left)
		return false;
	has_failed = true;
	errno = ENOMEM;
	return true;
}

static void *keep(void *memory)
{
	allocations_kept += memory != NULL;
	return memory;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
FILE *__real_open_memstream(char **text, size_t *size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);
FILE *__wrap_open_memstream(char **text, size_t *size);

void *__wrap_malloc(size_t size)
{
	return is_out() ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return is_out() ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	if (is_out())
		return NULL;
	return old ? __real_realloc(old, size) : keep(__real_malloc(size));
}

char *__wrap_strdup(const char *text)
{
	return is_out() ? NULL : keep(__real_strdup(text));
}

FILE *__wrap_open_memstream(char **text, size_t *size)
{
	FILE *file = is_out() ? NULL : __real_open_memstream(text, size);

	allocations_kept += file != NULL; /* the text */
	return file;
}

void __wrap_free(void *memory)
{
	allocations_kept -= memory != NULL;
	__real_free(memory);
}

#endif
