/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_report.h"

#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/utf8.h"

void job_report_free(struct job_report *r)
{
	if (!r)
		return;
	while (r->record_count)
		record_free(r->records[--r->record_count]);
	free(r->records);
	free(r->id);
	free(r->summary_text);
	free(r->json);
	free(r->cluster);
	free(r->state);
	free(r->error);
	free(r);
}

struct job_report *job_report_new(const char *id, const char *source)
{
	struct job_report *r = xcalloc(1, sizeof(*r));

	r->source = source;
	r->restart = r->newest = RECORD_UNKNOWN;
	r->array_job = r->het_job = RECORD_UNKNOWN;
	r->id = xstrdup(id);
	return r;
}

void job_report_text(char **out, const char *text)
{
	*out = xstrdup(text);
	if (*out)
		utf8_clean(*out, strlen(text) + 1, text, strlen(text));
}
