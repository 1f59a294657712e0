/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hostlist.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"
#define NAME DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-"
#define BETWEEN ", \t\n"
#define DIGITS_MAX 18	/* per number */
#define RANGE_MAX 65536 /* src/common/hostlist.h: MAX_RANGE */

/* Read a number and set *at behind it. Return its digits; 0: none, or too many. */
static size_t read_number(const char **at, unsigned long *number)
{
	size_t digits = strspn(*at, DIGITS);

	if (digits > DIGITS_MAX)
		return 0;
	*number = strtoul(*at, NULL, 10);
	*at += digits;
	return digits;
}

/* Read "07" or "1-3". Return the digits of its lower end; 0: refused. */
static size_t read_range(const char **at, unsigned long *low, unsigned long *high)
{
	size_t width = read_number(at, low);

	*high = *low;
	if (width && **at == '-') {
		++*at;
		if (!read_number(at, high))
			return 0;
	}
	return *high < *low || *high - *low >= RANGE_MAX ? 0 : width;
}

/* Return true if the number of so many digits is one of "[1-3,07]". *after: the text behind it;
 * NULL: refused. */
static bool in_bracket(const char *at, const char *text, size_t digits, const char **after)
{
	unsigned long number = 0, low, high;
	bool found = false;
	size_t width, i;

	for (i = 0; i < digits && digits <= DIGITS_MAX; i++)
		number = number * 10 + (unsigned long)(text[i] - '0');
	*after = NULL;
	do {
		at++; /* "[" or "," */
		width = read_range(&at, &low, &high);
		if (!width)
			return false;
		if (number >= low && number <= high && digits <= DIGITS_MAX)
			found |= digits == width || (digits > width && *text != '0');
	} while (*at == ',');
	if (*at == ']')
		*after = at + 1;
	return found;
}

/* Return 1 if the rest of an element matches the rest of a name, 0, or -1 if it is refused. The
 * digits behind a number of the name may be the element's own: "n[1-3]5". */
static int match(const char *at, const char *name)
{
	size_t length = strspn(at, NAME), digits;
	bool same = !strncmp(at, name, length), found;
	const char *after;
	int rest;

	at += length;
	name = same ? name + length : "";
	if (*at != '[')
		return strchr(BETWEEN, *at) ? same && !*name : -1;
	for (digits = strspn(name, DIGITS);; digits--) {
		found = in_bracket(at, name, digits, &after);
		rest = after ? match(after, found ? name + digits : "") : -1;
		if (rest < 0 || (found && rest) || !digits)
			return rest < 0 ? -1 : found && rest;
	}
}

int hostlist_match(const char *list, const char *name)
{
	bool found = false;
	int rc;

	while (*(list += strspn(list, BETWEEN))) {
		rc = match(list, name);
		if (rc < 0)
			return -1;
		found |= rc;
		while (*list && !strchr(BETWEEN, *list))
			list += *list == '[' ? strcspn(list, "]") : 1;
	}
	return found;
}
