/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.h - what each fuzz_NAME.c gives, to libFuzzer ("make fuzz") and to
 * replay.c, which tries the kept inputs in "make check" */
#ifndef JOBIO_TESTS_FUZZ_FUZZ_H
#define JOBIO_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Holds for every input, also without assert(). */
#define MUST(condition)                                                        \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
				__LINE__, #condition);                         \
			abort();                                               \
		}                                                              \
	} while (0)

/* The input as a text; the caller frees it. */
__attribute__((unused)) static char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	size_t i;

	MUST(text);
	for (i = 0; i < size; i++)
		text[i] = (char)data[i];
	text[size] = 0;
	return text;
}

#endif
