/* SPDX-License-Identifier: GPL-2.0-or-later */
/* utf8.h - check and clean text from outside, for terminals
 *
 * Terms   hidden: a character that moves the cursor or the words instead of
 *           being read: controls (U+0000-1F, 7F-9F), marks that turn the
 *           direction of writing (U+061C, 200E, 200F, 202A-202E, 2066-2069),
 *           line and paragraph separators (U+2028, 2029).
 * Owner   out belongs to the caller; utf8_clean() may work in place.
 * Errors  none: a hidden character, or a byte that is not UTF-8, becomes '?'.
 * Runs    everywhere.
 */
#ifndef JOBIO_BASE_UTF8_H
#define JOBIO_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Get *code of the UTF-8 character at 's' (of 'size' bytes, at least one). Return its bytes; 0: not
 * UTF-8. */
size_t utf8_character(const char *s, size_t size, unsigned int *code);

/* Return true if all of it is UTF-8. */
bool utf8_is_text(const char *text, size_t size);

/* Return 1 if hidden, else 0. */
int utf8_is_hidden(unsigned int code);

/* Copy at most room - 1 clean bytes of 'text', whole characters only. */
void utf8_clean(char *out, size_t room, const char *text, size_t size);

#endif
