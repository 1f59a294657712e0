/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"

/* ---- JSON -------------------------------------------------------------- */

static const char *const severities[] = {
	[FINDING_INFO] = "info", [FINDING_WARNING] = "warning", [FINDING_ERROR] = "error", NULL
};

static int get_users(const void *of)
{
	const struct finding *finding = of;

	return finding->reach == FINDING_OF_JOB ? 1 : -1;
}

static void set_users(void *of, bool is_users)
{
	struct finding *finding = of;

	finding->reach = is_users ? FINDING_OF_JOB : FINDING_OF_SITE;
}

const struct field finding_fields[] = {
	FIELD(WORD, "code", finding, code),
	FIELD(CHOICE, "severity", finding, severity, .words = severities),
	FIELD(TEXT, "text", finding, text),
	FIELD(TEXT, "cure", finding, cure),
	FIELD(TEXT, "target", finding, target, FIELD_IF_KNOWN),
	FIELD(DERIVED, "users", finding, reach, FIELD_IF_KNOWN, .get = get_users, .set = set_users),
	FIELD_LAST,
};

/* ---- lists ------------------------------------------------------------- */

static struct finding *grow(struct findings *findings, struct finding new)
{
	new.phase = findings->phase;
	new.client = findings->client;
	new.is_cached = findings->is_cached;
	findings->list = xmore(findings->list, findings->count, sizeof(new));
	findings->list[findings->count] = new;
	return &findings->list[findings->count++];
}

struct finding *findings_add(struct findings *findings, const char *code,
			     enum finding_severity severity, const char *cure, const char *format,
			     ...)
{
	struct finding *finding = grow(findings, (struct finding){ .severity = severity });
	char text[ERR_MAX];
	va_list args;

	snprintf(finding->code, sizeof(finding->code), "%s", code);
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	field_set(&finding->text, text, ERR_MAX - 1);
	field_set(&finding->cure, cure && *cure ? cure : NULL, ERR_MAX - 1);
	return finding;
}

void findings_measured(struct findings *findings, const char *format, ...)
{
	struct finding *last = &findings->list[findings->count - 1];
	char text[ERR_MAX], *whole;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	last->measured_at = strlen(last->text);
	whole = xasprintf("%s (%.400s)", last->text, text);
	field_set(&last->text, whole, ERR_MAX - 1);
	free(whole);
}

void findings_append(struct findings *findings, const struct findings *more)
{
	struct finding *finding;
	size_t i;

	for (i = 0; i < more->count; i++) {
		finding = grow(findings, more->list[i]);
		finding->text = xstrdup(finding->text);
		finding->cure = xstrdup(finding->cure);
		finding->target = xstrdup(finding->target);
	}
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

void findings_free(struct findings *findings)
{
	while (findings->count)
		field_free(finding_fields, &findings->list[--findings->count]);
	free(findings->list);
	findings->list = NULL;
}
