/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the sums of a site look. Where they come from: tests/scripts/site.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/site.h"
#include "report/tone.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/terminal.h"

#define HOUR 3600
#define GIB (INT64_C(1) << 30)

static struct site site;
static struct use use;

static void begin(void)
{
	memset(&site, 0, sizeof(site));
	site.source = "ledger";
	site.since_s = 1795219200;
	site.until_s = 1795305600;
	site.tally = tally_new();
	ck_assert_ptr_nonnull(site.tally);
	setenv("TZ", "UTC", 1);
	tzset();
	tone_init();
}

static void end(void)
{
	tally_free(site.tally);
}

/* A run of so many node hours; its filesystems follow. */
static void run(const char *cluster, const char *user, const char *account,
		const char *profile, int64_t hours, const char *advice)
{
	use_init(&use);
	use.cluster = cluster;
	use.user = user;
	use.account = account;
	use.profile = profile;
	use.node_s = hours * HOUR;
	use.nodes = 1;
	use.job = site.tally->jobs + 1;
	use.ended = site.since_s + use.job;
	use.is_judged = true;
	strcpy(use.advice, advice);
}

static void moved(const char *name, const char *type, int64_t read,
		  int64_t written, int64_t meta, int64_t peak)
{
	use.fs[use.fs_count++] =
		(struct use_fs){ name, type, read, written, meta, peak };
}

static void put(void)
{
	ck_assert_int_eq(tally_add(site.tally, &use), 0);
}

/* Jobs of two clusters, of which each number is known somewhere and nowhere. */
static void fill(void)
{
	run("c", "alice", "lab", "stream", 1, "A01");
	moved("/work", "weka", 3 * GIB, GIB, 1000, GIB);
	put();
	run("d", "bob", "lab", "", 200, "A01 A17 A99");
	moved("/work", "weka", 2 * GIB, -1, -1, 0);
	moved("/a filesystem of more than 28 letters", "", 0, 5, 0, -1);
	use.warned = 1;
	use.refused = 2;
	put();
	run("c", "", "", "stream", 0, "");
	use.warned = 2;
	put();
	run("c", "carol", "\"lab\"", "x", 2, "");
	use.is_wide = true;
	put();
	tally_sort(site.tally);
}

/* What 'how' prints; caller frees. */
static char *printed(void (*how)(FILE *out))
{
	static char *text;
	static size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_ptr_nonnull(out);
	how(out);
	fclose(out);
	return text;
}

static size_t limit;

static void as_text(FILE *out)
{
	site_print_text(out, &site, limit);
}

static void as_csv(FILE *out)
{
	site_print_csv(out, &site);
}

/* Takes the text. */
static void expect(char *text, const char *part)
{
	ck_assert_msg(strstr(text, part) != NULL, "no '%s' in\n%s", part, text);
	free(text);
}

static void expect_no(char *text, const char *part)
{
	ck_assert_msg(!strstr(text, part), "'%s' in\n%s", part, text);
	free(text);
}

static void expect_kept(const char *name, char *text)
{
	sample_kept(name, text);
	free(text);
}

static char *paged(void)
{
	struct err err = { "" };
	char *text;

	tempdir_make();
	ck_assert_msg(
		site_page_write(tempdir_path("page"), &site, limit, &err) == 0,
		"%s", err.text);
	text = fileio_read(tempdir_path("page"), 1U << 20, NULL, &err);
	ck_assert_ptr_nonnull(text);
	memmove(text, strstr(text, "<main>"),
		strlen(strstr(text, "<main>")) + 1);
	tempdir_remove();
	return text;
}

START_TEST(a_site_looks_as_it_did_when_somebody_looked_at_it_last)
{
	begin();
	fill();
	limit = 20;
	expect_kept("report/site.txt.golden", printed(as_text));
	expect_kept("report/site.csv.golden", printed(as_csv));
	site.silent = 1;
	site.left = 2;
	strcpy(site.why_not_ledger, "no <ledger>");
	limit = 1;
	expect_kept("report/site_less.txt.golden", printed(as_text));
	expect_kept("report/site_less.html.golden", paged());
	end();
}
END_TEST

START_TEST(a_site_without_jobs_has_no_tables)
{
	char *text;

	begin();
	text = printed(as_text);
	ck_assert_str_eq(
		text,
		"0 jobs that ended from 2026-11-21T00:00:00 to "
		"2026-11-22T00:00:00, 0.0 node hours\n"
		"  gate          enforce would have refused none of these "
		"jobs\n");
	free(text);
	expect_no(paged(), "<section>");
	expect(paged(), "</dl>\n<p class=\"dim\">gate: enforce would have "
			"refused none of these jobs.</p>\n</main>");
	end();
}
END_TEST

START_TEST(twenty_jobs_that_the_gate_would_refuse_are_named)
{
	int i;

	begin();
	limit = 20;
	for (i = 0; i < 21; i++) {
		run("c", "alice", "lab", "", 1, "");
		use.warned = 1;
		put();
		if (i == 19)
			expect_no(printed(as_text), "more: --csv has them");
	}
	expect(printed(as_text),
	       "                2 of alice on cluster c, 1 task\n"
	       "                and 1 more: --csv has them\n");
	expect_no(printed(as_text), "\n                1 of alice");
	expect(paged(), "<tr><td>2</td><td>c</td><td>alice</td><td>1</td>"
			"<td>0</td></tr>\n</tbody>");
	expect(paged(), "</table></div>\n<p>and 1 more</p>\n");
	end();
}
END_TEST

START_TEST(ten_bars_are_drawn_and_none_where_nothing_was_moved)
{
	char names[11][8];
	int i;

	begin();
	limit = 20;
	for (i = 0; i < 11; i++) {
		snprintf(names[i], sizeof(names[i]), "/%d", i);
		run("c", "alice", "lab", "", 1, "");
		moved(names[i], "", i == 0 ? 0 : 100 - i, 0, 0, -1);
		put();
	}
	tally_sort(site.tally);
	expect(paged(), "viewBox=\"0 0 720 180\"><title id=\"t1\">Read and "
			"written</title><desc id=\"d1\">Bytes read and written "
			"by filesystems, the 10 that moved most.</desc>");
	expect(paged(), "text-anchor=\"end\">/10</text>\n</svg>");
	end();
	begin();
	run("c", "alice", "lab", "", 1, "");
	moved("/a", "", 0, 0, 0, -1);
	put();
	expect_no(paged(), "<svg");
	end();
}
END_TEST

START_TEST(hours_have_one_digit_behind_the_point_up_to_a_hundred)
{
	char text[SITE_HOURS];

	ck_assert_str_eq(site_hours(0, text), "0.0");
	ck_assert_str_eq(site_hours(1800, text), "0.5");
	ck_assert_str_eq(site_hours(100 * HOUR - 360, text), "99.9");
	ck_assert_str_eq(site_hours(100 * HOUR, text), "100");
	ck_assert_str_eq(site_hours(100 * HOUR + 1800, text), "101");
	ck_assert_str_eq(site_hours(5600 * HOUR, text), "5.6k");
}
END_TEST

START_TEST(on_a_terminal_advice_ends_with_the_line)
{
	char *text, *line;

	terminal_make(100);
	begin();
	run("c", "alice", "lab", "", 1, "A01");
	use.warned = 1;
	put();
	limit = 1;
	text = printed(as_text);
	line = strstr(text, "\nA01");
	ck_assert_ptr_nonnull(line);
	ck_assert_uint_eq(strcspn(line + 1, "\n"), 58 + 44);
	ck_assert_ptr_nonnull(strstr(
		text, "\n\033[1mAdvice                          Jobs Node "
		      "hours  Of jobs  Do\033[0m\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "gate          \033[33menforce would"));
	free(text);
	terminal_make(60); /* a cure has 30 characters at least */
	tone_init();
	text = printed(as_text);
	line = strstr(text, "\nA01");
	ck_assert_uint_eq(strcspn(line + 1, "\n"), 58 + 30);
	free(text);
	end();
}
END_TEST

START_TEST(a_page_that_cannot_be_written_is_told)
{
	struct err err = { "" };

	begin();
	ck_assert_int_eq(site_page_write("/proc/self/no/page", &site, 1, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/proc/self/no/page"));
	end();
}
END_TEST

UNIT_MAIN("site", a_site_looks_as_it_did_when_somebody_looked_at_it_last,
	  a_site_without_jobs_has_no_tables,
	  twenty_jobs_that_the_gate_would_refuse_are_named,
	  ten_bars_are_drawn_and_none_where_nothing_was_moved,
	  hours_have_one_digit_behind_the_point_up_to_a_hundred,
	  on_a_terminal_advice_ends_with_the_line,
	  a_page_that_cannot_be_written_is_told)
