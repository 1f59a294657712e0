/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/number.h"

#include <limits.h>

static int refuse(const char *text, unsigned long min, unsigned long max, struct err *err)
{
	return err_set(err, "'%.40s': not a number from %lu to %lu", text, min, max);
}

int number_parse(const char *text, unsigned long min, unsigned long max, unsigned long *number,
		 struct err *err)
{
	unsigned long n = 0, digit;
	const char *at;

	if (!*text || (text[0] == '0' && text[1]))
		return refuse(text, min, max, err);
	for (at = text; *at; at++) {
		if (*at < '0' || *at > '9')
			return refuse(text, min, max, err);
		digit = (unsigned long)(*at - '0');
		if (n > (ULONG_MAX - digit) / 10)
			return refuse(text, min, max, err);
		n = n * 10 + digit;
	}
	if (n < min || n > max)
		return refuse(text, min, max, err);
	*number = n;
	return 0;
}
