/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.h - text from outside that people's terminals will show
 *
 * Terms   hidden: a character that moves the cursor or the words instead of
 *           being read: controls (U+0000-1F, 7F-9F), marks that turn the
 *           direction of writing (U+061C, 200E, 200F, 202A-202E, 2066-2069),
 *           line and paragraph separators (U+2028, 2029).
 * Owner   out is the caller's; utf8_clean() may work in place.
 * Errors  none: a hidden character, or a byte that is not UTF-8, becomes '?'.
 * Runs    everywhere.
 */
#ifndef JOBIO_UTF8_H
#define JOBIO_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the UTF-8 character at 's' ('size' of them are there, at least one)
 * and its *code; 0: not UTF-8. */
size_t utf8_character(const char *s, size_t size, unsigned int *code);

/* Is all of it UTF-8? */
bool utf8_is_text(const char *text, size_t size);

/* 1: hidden, 0: not. */
int utf8_is_hidden(unsigned int code);

/* Copy at most room - 1 clean bytes of 'text', whole characters only. */
void utf8_clean(char *out, size_t room, const char *text, size_t size);

#endif
