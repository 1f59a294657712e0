/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"

#include <string.h>

static bool is_octal(const char *s)
{
	return s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
	       s[3] >= '0' && s[3] <= '7';
}

void text_unescape_octal(char *text)
{
	char *out = text;

	while (*text) {
		if (is_octal(text)) {
			*out++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
					(text[3] - '0'));
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

bool text_next_line(const char **text, char *line, size_t size)
{
	bool fits = false;
	size_t length;

	while (**text && !fits) {
		length = strcspn(*text, "\n");
		fits = length < size;
		if (fits) {
			memcpy(line, *text, length);
			line[length] = '\0';
		}
		*text += length + ((*text)[length] == '\n');
	}
	return fits;
}

bool text_next_word(const char **text, char *word, size_t size)
{
	size_t length;

	*text += strspn(*text, " \t");
	length = strcspn(*text, " \t");
	text_copy_part(word, size, *text, length);
	*text += length;
	return length > 0;
}

bool text_is_lines(const char *text, size_t size)
{
	size_t length;

	if (!*text)
		return false;
	for (; *text; text += length + 1) {
		length = strcspn(text, "\n");
		if (!text[length] || length >= size)
			return false;
	}
	return true;
}

void text_copy_part(char *to, size_t size, const char *from, size_t length)
{
	length = strnlen(from, length < size ? length : size - 1);
	memcpy(to, from, length);
	to[length] = '\0';
}

void text_copy(char *to, size_t size, const char *from)
{
	text_copy_part(to, size, from, size);
}
