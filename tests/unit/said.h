/* SPDX-License-Identifier: GPL-2.0-or-later */
/* said.h - findings as text, one a line: "K04 warning text; cure"
 *
 * said_findings() empties the list; its text is static. said_expect() wants
 * a line, or a part of one, among others. */
#ifndef JOBIO_TESTS_UNIT_SAID_H
#define JOBIO_TESTS_UNIT_SAID_H

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "lib/finding.h"

__attribute__((unused)) static const char *said_findings(struct findings *findings)
{
	static char text[8192];
	size_t i, used = 0;

	*text = '\0';
	for (i = 0; i < findings->count; i++) {
		const struct finding *f = &findings->list[i];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s %s; %s\n",
					 f->code, finding_severity_name(f->severity), f->text,
					 f->cure);
		ck_assert_uint_lt(used, sizeof(text));
	}
	findings_free(findings);
	return text;
}

__attribute__((unused)) static void said_expect(const char *text, const char *wanted)
{
	ck_assert_msg(strstr(text, wanted) != NULL, "no '%s' in:\n%s", wanted, text);
}

#endif
