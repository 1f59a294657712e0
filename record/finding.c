/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct finding *grow(struct findings *findings)
{
	struct finding *list;

	list = realloc(findings->list, (findings->count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	findings->list = list;
	memset(&list[findings->count], 0, sizeof(*list));
	return &list[findings->count++];
}

int findings_add(struct findings *findings, const char *code, enum finding_severity severity,
		 const char *cure, const char *format, ...)
{
	struct finding *finding = grow(findings);
	struct err err;
	va_list args;
	char text[ERR_MAX];

	if (!finding)
		return -1;
	snprintf(finding->code, sizeof(finding->code), "%s", code);
	finding->severity = severity;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	err_set(&err, "%s", text); /* makes it printable */
	memcpy(finding->text, err.text, sizeof(finding->text));
	err_set(&err, "%s", cure ? cure : "");
	memcpy(finding->cure, err.text, sizeof(finding->cure));
	return 0;
}

void findings_measured(struct findings *findings, const char *format, ...)
{
	struct finding *last;
	struct err what;
	va_list args;
	char text[ERR_MAX];

	if (!findings->count)
		return;
	last = &findings->list[findings->count - 1];
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	err_set(&what, "%s (%.400s)", last->text, text);
	last->same_bytes = strlen(last->text);
	memcpy(last->text, what.text, sizeof(last->text));
}

int findings_append(struct findings *findings, const struct findings *more)
{
	for (size_t i = 0; i < more->count; i++) {
		struct finding *finding = grow(findings);

		if (!finding)
			return -1;
		*finding = more->list[i];
	}
	return 0;
}

bool findings_has(const struct findings *findings, const char *code)
{
	for (size_t i = 0; i < findings->count; i++)
		if (!strcmp(findings->list[i].code, code))
			return true;
	return false;
}

enum finding_severity findings_worst(const struct findings *findings)
{
	enum finding_severity worst = FINDING_INFO;

	for (size_t i = 0; i < findings->count; i++)
		if (findings->list[i].severity > worst)
			worst = findings->list[i].severity;
	return worst;
}

const char *finding_severity_name(enum finding_severity severity)
{
	switch (severity) {
	case FINDING_ERROR:
		return "error";
	case FINDING_WARNING:
		return "warning";
	case FINDING_INFO:
		break;
	}
	return "info";
}

void findings_free(struct findings *findings)
{
	free(findings->list);
	findings->list = NULL;
	findings->count = 0;
}
