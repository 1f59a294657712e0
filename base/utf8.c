/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Return the bytes of the UTF-8 sequence at 's' (at least one byte), 0: not UTF-8. */
static size_t utf8_length(const unsigned char *s, size_t size)
{
	size_t i, n = s[0] < 0x80   ? 1
		      : s[0] < 0xc2 ? 0
		      : s[0] < 0xe0 ? 2
		      : s[0] < 0xf0 ? 3
		      : s[0] < 0xf5 ? 4
				    : 0;

	if (n > size)
		return 0;
	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

size_t utf8_character(const char *s, size_t size, unsigned int *code)
{
	const unsigned char *bytes = (const unsigned char *)s;
	size_t i, n = utf8_length(bytes, size);

	if (!n)
		return 0;
	*code = n == 1 ? bytes[0] : bytes[0] & (0x7fU >> n);
	for (i = 1; i < n; i++)
		*code = *code << 6 | (bytes[i] & 0x3fU);
	return n;
}

bool utf8_is_text(const char *text, size_t size)
{
	uint64_t eight = 0;
	size_t n = 1;

	for (; size && n; text += n, size -= n) {
		if (size >= 8)
			memcpy(&eight, text, 8);
		n = size >= 8 && !(eight & UINT64_C(0x8080808080808080))
			    ? 8 /* ASCII, the usual case */
			    : utf8_length((const unsigned char *)text, size);
	}
	return !size;
}

int utf8_is_hidden(unsigned int code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

void utf8_clean(char *out, size_t room, const char *text, size_t size)
{
	unsigned int code = 0;
	size_t n, used = 0;

	while (size) {
		for (n = 0; n < size && used + n + 1 < room && text[n] >= ' ' && text[n] < 0x7f;)
			n++; /* ASCII, the usual case */
		memmove(out + used, text, n);
		used += n;
		text += n;
		size -= n;
		if (!size)
			break;
		n = utf8_character(text, size, &code);
		if (used + (n ? n : 1) >= room)
			break;
		if (!n || utf8_is_hidden(code)) {
			out[used++] = '?';
		} else {
			memmove(out + used, text, n);
			used += n;
		}
		text += n ? n : 1;
		size -= n ? n : 1;
	}
	out[used] = 0;
}
