/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/reason.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/err.h"

static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
			   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			   "0123456789 +/=._:;,@()<>#-";

void reason_make(char *reason, const char *code, const char *text,
		 const char *cure)
{
	char raw[2 * ERR_MAX + 64];
	const char *from;
	size_t used = 0;

	snprintf(raw, sizeof(raw), "jobio:%s %s%s%s", code, text,
		 cure && *cure ? "; cure: " : "", cure ? cure : "");
	for (from = raw; *from && used < REASON_MAX - 1; from++)
		if (!strchr("'\"`", *from))
			reason[used++] = strchr(safe, *from) ? *from : '.';
	while (used && reason[used - 1] == ' ')
		used--;
	reason[used] = '\0';
}

bool reason_is_valid(const char *reason)
{
	size_t size = strlen(reason);

	return size < REASON_MAX && strspn(reason, safe) == size &&
	       !strncmp(reason, "jobio:", 6) && size > 6 &&
	       strchr(reason, ' ') != NULL;
}
