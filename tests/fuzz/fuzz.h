/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.h - interface of the fuzz targets
 *
 * A target is FUZZ(NAME) { .. return 0; } in fuzz_NAME.c: it gets 'data' and 'size' and
 * asserts with MUST() what holds for every input. It is compiled twice: for libFuzzer
 * ("make fuzz"), and into tests/fuzz/replay, which runs the kept inputs of all targets
 * in "make check".
 *
 * Parts: an input of several texts has a line "----" between them. */
#ifndef JOBIO_TESTS_FUZZ_FUZZ_H
#define JOBIO_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int fuzz_fn(const uint8_t *data, size_t size);

#ifdef FUZZ_ALONE /* called by libFuzzer's main() */
#define FUZZ(name) int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
fuzz_fn LLVMFuzzerTestOneInput;
#else
/* Defined in replay.c; the inputs are in tests/fuzz/corpus/NAME. */
void fuzz_add(const char *name, fuzz_fn *fn);
#define FUZZ(name)                                                                                 \
	static fuzz_fn fuzz_##name;                                                                \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		fuzz_add(#name, fuzz_##name);                                                      \
	}                                                                                          \
	static int fuzz_##name(const uint8_t *data, size_t size)
#endif

/* Like assert(), also with NDEBUG. */
#define MUST(condition)                                                                            \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);    \
			abort();                                                                   \
		}                                                                                  \
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

/* The next part as a text, "" if there is none; the caller frees it. */
__attribute__((unused)) static char *fuzz_part(const uint8_t **data, size_t *size)
{
	static const char line[] = "\n----\n";
	const size_t length = sizeof(line) - 1;
	const uint8_t *end = *size ? memmem(*data, *size, line, length) : NULL;
	size_t part = end ? (size_t)(end - *data) + 1 : *size;
	char *text = fuzz_text(*data, part);

	*data += part;
	*size -= part;
	if (end) {
		*data += length - 1;
		*size -= length - 1;
	}
	return text;
}

/* A temporary folder for this process; tests/fuzz/run or replay removes it. */
__attribute__((unused)) static const char *fuzz_folder(void)
{
	const char *base = getenv("TMPDIR");
	static char folder[256];

	if (!*folder) {
		snprintf(folder, sizeof(folder), "%s/jobio-fuzz-XXXXXX", base ? base : "/tmp");
		MUST(mkdtemp(folder));
	}
	return folder;
}

/* Write a text to a file of that folder and return its path (static, one for each
 * name): for parsers that open their file. */
__attribute__((unused)) static const char *fuzz_file(const char *name, const char *text)
{
	static char paths[8][300];
	static int turn;
	char *path = paths[turn++ % 8];
	FILE *out;

	snprintf(path, sizeof(paths[0]), "%s/%s", fuzz_folder(), name);
	out = fopen(path, "w");
	MUST(out && fputs(text, out) >= 0 && fclose(out) == 0);
	return path;
}

#endif
