/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/version.h"

#include <stdio.h>

#define LAST_RELEASE 0xffU

/* Parse one or two digits, at most 99; NULL: none, or more. */
static const char *parse_part(const char *text, unsigned int *part)
{
	unsigned int digits = 0;

	*part = 0;
	for (; *text >= '0' && *text <= '9'; text++, digits++) {
		if (digits == 2)
			return NULL;
		*part = *part * 10 + (unsigned int)(*text - '0');
	}
	return digits ? text : NULL;
}

int version_parse(const char *text, unsigned int *version, struct err *err)
{
	unsigned int major, minor, micro = LAST_RELEASE;
	const char *at = parse_part(text, &major);

	if (at && *at == '.')
		at = parse_part(at + 1, &minor);
	else
		at = NULL;
	if (at && *at == '.')
		at = parse_part(at + 1, &micro);
	if (!at || (*at && *at != '-'))
		return err_set(err, "Slurm version: '%s': must look like 22.05 or 22.05.8", text);
	*version = VERSION_OF(major, minor, micro);
	return 0;
}

void version_format(unsigned int version, char text[VERSION_TEXT_MAX])
{
	unsigned int major = version >> 16 & 0xff;
	unsigned int minor = version >> 8 & 0xff;
	unsigned int micro = version & 0xff;

	if (micro == LAST_RELEASE)
		snprintf(text, VERSION_TEXT_MAX, "%02u.%02u", major, minor);
	else
		snprintf(text, VERSION_TEXT_MAX, "%02u.%02u.%u", major, minor, micro);
}
