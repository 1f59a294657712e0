/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/when.h"
#include "tests/unit/runner.h"

/* 2026-11-22 13:20:05 UTC */
#define NOW INT64_C(1795353605)

static int64_t when(const char *text)
{
	struct err err = { "" };
	int64_t found = -1;

	setenv("TZ", "UTC", 1);
	tzset();
	ck_assert_msg(when_parse(text, NOW, &found, &err) == 0, "%s", err.text);
	return found;
}

START_TEST(times_are_read_as_sacct_has_them)
{
	ck_assert_int_eq(when("now"), NOW);
	ck_assert_int_eq(when("now-7days"), NOW - 7 * 86400);
	ck_assert_int_eq(when("now-1day"), NOW - 86400);
	ck_assert_int_eq(when("Now-2h"), NOW - 7200);
	ck_assert_int_eq(when("now+90"), NOW + 90);
	ck_assert_int_eq(when("now-1weeks"), NOW - 7 * 86400);
	ck_assert_int_eq(when("now-60s"), NOW - 60);
	ck_assert_int_eq(when("now-60seconds"), NOW - 60);
	ck_assert_int_eq(when("now+5minutes"), NOW + 300);
	ck_assert_int_eq(when("now-1w"), NOW - 7 * 86400);
	ck_assert_int_eq(when("now-0"), NOW);
	ck_assert_int_eq(when("now-1000000000"), NOW - 1000000000);
	ck_assert_int_eq(when("today"), NOW / 86400 * 86400);
	ck_assert_int_eq(when("midnight"), NOW / 86400 * 86400);
	ck_assert_int_eq(when("noon"), NOW / 86400 * 86400 + 43200);
	ck_assert_int_eq(when("2026-11-15"), INT64_C(1794700800));
	ck_assert_int_eq(when("2026-11-15T12:30"), INT64_C(1794745800));
	ck_assert_int_eq(when("2026-11-15T12:30:05"), INT64_C(1794745805));
	ck_assert_int_eq(when("12:30"), NOW / 86400 * 86400 + 45000);
}
END_TEST

START_TEST(what_is_no_time_is_refused)
{
	static const char *const texts[] = { "",
					     "yesterday",
					     "now-",
					     "now-7moons",
					     "now7days",
					     "nob",
					     "now-99999999999",
					     "now-5minutesx",
					     "now-1000000001",
					     "now-100000weeks",
					     "now-7y",
					     "7",
					     "2026-13-01",
					     "12:99",
					     "2026-11-15Tx" };
	struct err err;
	int64_t found = 7;
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(when_parse(texts[i], NOW, &found, &err) < 0, "%s", texts[i]);
	ck_assert_int_eq(when_parse("then", NOW, &found, &err), -1);
	ck_assert_str_eq(
		err.text,
		"'then': not a time like now-7days, today, 2026-11-15 or 2026-11-15T12:30");
}
END_TEST

START_TEST(a_time_is_written_as_sacct_takes_it)
{
	char text[WHEN_SIZE];

	ck_assert_int_eq(when("now"), NOW);
	ck_assert_str_eq(when_text(NOW, text), "2026-11-22T13:20:05");
	ck_assert_int_eq(when(text), NOW);
}
END_TEST

/* Not before 1970, but then. */
START_TEST(the_first_second_of_1970_is_a_time)
{
	struct err err;
	int64_t found = 7;

	ck_assert_int_eq(when("1970-01-01"), 0);
	ck_assert_int_eq(when_parse("now-100", 100, &found, &err), 0);
	ck_assert_int_eq(found, 0);
	ck_assert_int_eq(when_parse("now-101", 100, &found, &err), -1);
}
END_TEST

UNIT_MAIN("when", times_are_read_as_sacct_has_them, what_is_no_time_is_refused,
	  a_time_is_written_as_sacct_takes_it, the_first_second_of_1970_is_a_time)
