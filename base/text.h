/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - parse texts of the kernel and of clients
 *
 * Owner   the caller; a text is changed in place only to become shorter.
 * Errors  none.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_BASE_TEXT_H
#define JOBIO_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"

/* Replace "\040" by " ": fields of mount tables, as fs/proc_namespace.c:mangle() writes them and
 * getmntent(3) reads them. Other backslashes stay. */
void text_unescape_octal(char *text);

/* Copy, and cut to fit; at most [length] bytes of it. */
void text_copy(char *to, size_t size, const char *from);
void text_copy_part(char *to, size_t size, const char *from, size_t length);
/* The same for an array. */
#define TEXT_SET(array, from) text_copy(array, ARRAY_SIZE(array), from)
#define TEXT_SET_PART(array, from, length) text_copy_part(array, ARRAY_SIZE(array), from, length)

/* Copy the next line without its end and step over it. Return false at the end of the text. A line
 * that does not fit is skipped. */
bool text_next_line(const char **text, char *line, size_t size);

/* The same for words between blanks and tabs; a word that does not fit is cut. */
bool text_next_word(const char **text, char *word, size_t size);

/* Return true if it is complete lines, at least one, that all fit. */
bool text_is_lines(const char *text, size_t size);

#endif
