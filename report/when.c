/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/when.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "lib/number.h"

#define COUNT_MAX 1000000000UL

/* As parse_time.c of Slurm counts: any beginning of the word. */
static int64_t seconds_of(const char *unit)
{
	static const struct {
		const char *name;
		int64_t seconds;
	} units[] = { { "seconds", 1 },
		      { "minutes", 60 },
		      { "hours", 3600 },
		      { "days", 86400 },
		      { "weeks", INT64_C(7) * 86400 } };
	size_t i, size = strlen(unit);

	if (!size)
		return 1;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (size <= strlen(units[i].name) && !strncasecmp(unit, units[i].name, size))
			return units[i].seconds;
	return 0;
}

/* What stands behind "now". */
static bool parse_shift(const char *text, int64_t now_s, int64_t *when_s)
{
	size_t digits = strspn(text + (*text != 0), "0123456789");
	unsigned long count = 0;
	char number[16];
	int64_t unit, shift;

	*when_s = now_s;
	if (!*text)
		return true;
	if ((*text != '-' && *text != '+') || !digits || digits >= sizeof(number))
		return false;
	memcpy(number, text + 1, digits);
	number[digits] = 0;
	unit = seconds_of(text + 1 + digits);
	if (!unit || number_parse(number, 0, COUNT_MAX, &count, NULL) < 0)
		return false;
	shift = (int64_t)count * unit;
	*when_s = *text == '-' ? now_s - shift : now_s + shift;
	return *when_s >= 0;
}

static bool parse_clock(const char *text, struct tm *tm)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d",
					     "%H:%M:%S", "%H:%M" };
	struct tm today = *tm;
	const char *end;
	size_t i;

	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		*tm = today;
		tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
		end = strptime(text, forms[i], tm);
		if (end && !*end)
			return true;
	}
	return false;
}

int when_parse(const char *text, int64_t now_s, int64_t *when_s, struct err *err)
{
	time_t now = (time_t)now_s, when = -1;
	struct tm tm;

	if (!strncasecmp(text, "now", 3) && parse_shift(text + 3, now_s, when_s))
		return 0;
	if (localtime_r(&now, &tm)) {
		bool is_noon = !strcasecmp(text, "noon");

		tm.tm_isdst = -1;
		if (is_noon || !strcasecmp(text, "today") || !strcasecmp(text, "midnight")) {
			tm.tm_hour = is_noon ? 12 : 0;
			tm.tm_min = tm.tm_sec = 0;
			when = mktime(&tm);
		} else if (parse_clock(text, &tm)) {
			tm.tm_isdst = -1;
			when = mktime(&tm);
		}
	}
	if (when < 0)
		return err_set(
			err,
			"'%.60s': not a time like now-7days, today, 2026-11-15 or 2026-11-15T12:30",
			text);
	*when_s = when;
	return 0;
}

const char *when_text(int64_t when_s, char *out)
{
	time_t when = (time_t)when_s;
	struct tm tm;

	if (!localtime_r(&when, &tm) || !strftime(out, WHEN_SIZE, "%Y-%m-%dT%H:%M:%S", &tm))
		strcpy(out, "?");
	return out;
}
