/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What many hosts answered, in one table. With a real check: check_site.bats. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/check_fold.h"
#include "report/command.h"
#include "tests/unit/append.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static char in[3 << 20], out[1 << 16];

/* One more line of what is folded. */
#define say(...) append(in, sizeof(in), __VA_ARGS__)

/* A host with one finding of this code and severity; "" has none. */
static void host(const char *name, const char *code, const char *severity)
{
	say("{\"host\":\"%s\",\"jobio\":\"1\",\"conf\":\"aa\",\"findings\":[",
	    name);
	if (*code)
		say("{\"code\":\"%s\",\"severity\":\"%s\",\"text\":\"it is\","
		    "\"cure\":\"mend it\"}",
		    code, severity);
	say("]}\n");
}

/* The exit status; what was printed is in 'out', and all that was said is gone. */
static int fold(void)
{
	FILE *file = fmemopen(in, strlen(in) + !*in, "r");
	int status, saved, to;
	char *text;

	tempdir_make();
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	to = open(tempdir_path("out"), O_WRONLY | O_CREAT, 0600);
	dup2(to, STDOUT_FILENO);
	status = check_fold(file);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(to);
	close(saved);
	fclose(file);
	text = fileio_read(tempdir_path("out"), sizeof(out) - 1, NULL, NULL);
	snprintf(out, sizeof(out), "%s", text ? text : "");
	free(text);
	tempdir_remove();
	memset(in, 0, sizeof(in));
	return status;
}

static void expect(const char *wanted)
{
	ck_assert_msg(strstr(out, wanted) != NULL, "no '%s' in:\n%s", wanted,
		      out);
}

START_TEST(the_worst_finding_decides_the_exit_status)
{
	host("c1", "", "");
	ck_assert_int_eq(fold(), COMMAND_OK);
	ck_assert_str_eq(out, "1 hosts answered, 1 with nothing wrong\n");
	host("c1", "X1", "info");
	ck_assert_int_eq(fold(), COMMAND_OK);
	expect("1 hosts answered, 1 with nothing wrong\n");
	host("c1", "X1", "warning");
	host("c2", "", "");
	ck_assert_int_eq(fold(), COMMAND_FAILED);
	expect("2 hosts answered, 1 with nothing wrong\n");
	host("c1", "X1", "error");
	host("c2", "X2", "warning");
	ck_assert_int_eq(fold(), COMMAND_UNSOUND);
	expect("2 hosts answered, 0 with nothing wrong\n");
	ck_assert_int_eq(fold(), COMMAND_FAILED); /* nobody answered */
}
END_TEST

START_TEST(findings_are_sorted_by_weight_and_hosts_and_code)
{
	host("c1", "B1", "warning");
	host("c2", "A1", "warning");
	host("c3", "C1", "warning");
	host("c4", "C1", "info");
	host("c5", "D1", "error");
	host("c5", "D1", "error"); /* twice on one host */
	fold();
	ck_assert_str_eq(strchr(out, '\n') + 1,
			 "CODE  SEVERITY HOSTS  WHERE\n"
			 "D1    error        1  c5\n"
			 "    it is\n    cure: mend it\n"
			 "C1    warning      2  c3-4\n"
			 "    it is\n    cure: mend it\n"
			 "A1    warning      1  c2\n"
			 "    it is\n    cure: mend it\n"
			 "B1    warning      1  c1\n"
			 "    it is\n    cure: mend it\n");
}
END_TEST

START_TEST(a_finding_is_as_bad_as_it_is_anywhere)
{
	host("c1", "X1", "warning");
	host("c2", "X1", "error");
	host("c3", "X1", "info");
	ck_assert_int_eq(fold(), COMMAND_UNSOUND);
	expect("X1    error        3  c1-3\n");
	expect("3 hosts answered, 1 with nothing wrong\n");
}
END_TEST

START_TEST(a_host_with_several_findings_is_as_bad_as_the_worst)
{
	say("{\"host\":\"c1\",\"jobio\":\"1\",\"conf\":\"aa\",\"findings\":["
	    "{\"code\":\"X1\",\"severity\":\"info\",\"text\":\"small\"},"
	    "{\"code\":\"X2\",\"severity\":\"error\",\"text\":\"large\"},"
	    "{\"code\":\"X3\",\"severity\":\"warning\",\"text\":\"so so\"}"
	    "]}\n");
	ck_assert_int_eq(fold(), COMMAND_UNSOUND);
	ck_assert_str_eq(out, "1 hosts answered, 0 with nothing wrong\n"
			      "CODE  SEVERITY HOSTS  WHERE\n"
			      "X2    error        1  c1\n    large\n"
			      "X3    warning      1  c1\n    so so\n"
			      "X1    info         1  c1\n    small\n");
}
END_TEST

START_TEST(codes_and_names_of_hosts_that_are_too_long_are_cut)
{
	static const char name[] = "a1234567890123456789012345678901234567890"
				   "12345678901234567890123456789";

	host(name, "X23456789012345ab", "error");
	host(name, "X23456789012345cd", "error");
	fold();
	ck_assert_str_eq(
		out,
		"1 hosts answered, 0 with nothing wrong\n"
		"CODE  SEVERITY HOSTS  WHERE\n"
		"X23456789012345 error        1  a12345678901234567890123456"
		"789012345678901234567890123456789012\n"
		"    it is\n    cure: mend it\n");
}
END_TEST

static const char *hosts_of(const char *names)
{
	static char line[200];
	char copy[2000], *name, *rest = NULL;

	snprintf(copy, sizeof(copy), "%s", names);
	for (name = strtok_r(copy, " ", &rest); name;
	     name = strtok_r(NULL, " ", &rest))
		host(name, "X1", "error");
	fold();
	name = strstr(out, "X1    error ");
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(name + 22, "\n"),
		 name + 22);
	return line;
}

START_TEST(hosts_with_numbers_that_follow_are_a_range)
{
	ck_assert_str_eq(hosts_of("c1"), "c1");
	ck_assert_str_eq(hosts_of("c3 c1 c2"), "c1-3");
	ck_assert_str_eq(hosts_of("c1 c3 c4 c5 d6"), "c1,c3-5,d6");
	ck_assert_str_eq(hosts_of("c9 c10 c11"), "c9-11");
	ck_assert_str_eq(hosts_of("c09 c10 c11"), "c09-11");
	ck_assert_str_eq(hosts_of("c099 c0100"), "c0100,c099");
	ck_assert_str_eq(hosts_of("c1 d2"), "c1,d2");
	ck_assert_str_eq(hosts_of("c1 ca2"), "c1,ca2");
	ck_assert_str_eq(hosts_of("login c1"), "c1,login");
	ck_assert_str_eq(hosts_of("1 2"), "1,2");
	ck_assert_str_eq(hosts_of("c1x c2x"), "c1x,c2x");
}
END_TEST

START_TEST(a_long_list_of_hosts_is_cut)
{
	/* ten of four characters, with a comma before all but the first: 49 */
	ck_assert_str_eq(hosts_of("aa01 aa03 aa05 aa07 aa09 aa11 aa13 aa15 "
				  "aa17 aa19"),
			 "aa01,aa03,aa05,aa07,aa09,aa11,aa13,aa15,aa17,..");
	/* 40 characters leave room for one more, and 41 do not */
	ck_assert_str_eq(
		hosts_of("aaa01 aaa03 aaa05 aaa07 aaa09 aaa11 aaaaa13"),
		"aaa01,aaa03,aaa05,aaa07,aaa09,aaa11,aaaaa13");
	ck_assert_str_eq(
		hosts_of("a1234567890123456789012345678901234567x b c"),
		"a1234567890123456789012345678901234567x,b,..");
	ck_assert_str_eq(
		hosts_of("a12345678901234567890123456789012345678x b c"),
		"a12345678901234567890123456789012345678x,b,..");
	ck_assert_str_eq(
		hosts_of("a123456789012345678901234567890123456789x b"),
		"a123456789012345678901234567890123456789x,..");
}
END_TEST

START_TEST(hosts_of_several_jobio_conf_are_told_and_a_failure)
{
	say("{\"host\":\"c1\",\"jobio\":\"1\",\"conf\":\"aa\",\"findings\":[]}"
	    "\n"
	    "{\"host\":\"c2\",\"jobio\":\"2\",\"conf\":\"aa\",\"findings\":[]}"
	    "\n"
	    "{\"host\":\"c3\",\"jobio\":\"2\",\"conf\":\"aa\",\"findings\":[]}"
	    "\n");
	ck_assert_int_eq(fold(), COMMAND_OK);
	ck_assert_str_eq(strchr(out, '\n') + 1,
			 "jobio's version is not the same everywhere:\n"
			 "    2                    2  c2-3\n"
			 "    1                    1  c1\n");
	say("{\"host\":\"c1\",\"jobio\":\"1\",\"findings\":[]}\n"
	    "{\"host\":\"c2\",\"jobio\":\"1\",\"conf\":\"aa\",\"findings\":[]}"
	    "\n");
	ck_assert_int_eq(fold(), COMMAND_FAILED);
	expect("jobio.conf is not the same everywhere:\n");
	expect("    none                 1  c1\n");
}
END_TEST

START_TEST(lines_that_are_no_answer_are_counted_and_the_first_is_shown)
{
	host("c1", "", "");
	say("\n  \t\nslurmstepd: error: x\nanother\n");
	say("{\"host\":\"\",\"findings\":[]}\n{\"host\":\"c2\"}\n[]\n");
	ck_assert_int_eq(fold(), COMMAND_FAILED);
	expect("1 hosts answered, 1 with nothing wrong\n");
	expect("5 lines are no answer; the first: slurmstepd: error: x\n");
}
END_TEST

START_TEST(pieces_of_two_tasks_are_put_together_in_their_turns)
{
	say("0: {\"host\":\"c1\",\"jobio\"\n");
	say(" 1: {\"host\":\"c2\",\n");
	say("0: :\"1\",\"conf\":\"aa\",\"findings\":[]}\n");
	say(" 1: \"jobio\":\"1\",\"conf\":\"aa\",\"findings\":[]}\n");
	say("0: "
	    "{\"host\":\"c3\",\"jobio\":\"1\",\"conf\":\"aa\",\"findings\":[]}"
	    "\n");
	say("9: {\"host\":\"c5\",\"jobio\":\"1\",\n");
	say("10: {\"host\":\"c6\",\"jobio\":\"1\",\n");
	say("9: \"conf\":\"aa\",\"findings\":[]}\n");
	say("10: \"conf\":\"aa\",\"findings\":[]}\n");
	say("2: not an answer\n");
	say("3: {\"host\":\"c4\",\n");
	ck_assert_int_eq(fold(), COMMAND_FAILED);
	expect("5 hosts answered, 5 with nothing wrong\n");
	expect("2 lines are no answer; the first: 2: not an answer\n");
}
END_TEST

/* A task begins an answer, and goes on for so many bytes. */
static void begin_long(size_t size)
{
	static char more[1 << 20];

	memset(more, 'x', size);
	more[size] = '\0';
	say("0: {\"host\":\"c1\",\n0: %s\n", more);
}

START_TEST(what_a_task_has_begun_to_say_has_at_most_a_mebibyte)
{
	const size_t room = (1 << 20) - strlen("{\"host\":\"c1\",") - 1;

	begin_long(room);
	fold();
	expect("1 lines are no answer; the first: {\"host\":\"c1\",xxx");
	begin_long(room + 1);
	fold();
	expect("2 lines are no answer; the first: 0: xxx");
}
END_TEST

UNIT_MAIN("check_fold", the_worst_finding_decides_the_exit_status,
	  findings_are_sorted_by_weight_and_hosts_and_code,
	  a_finding_is_as_bad_as_it_is_anywhere,
	  a_host_with_several_findings_is_as_bad_as_the_worst,
	  codes_and_names_of_hosts_that_are_too_long_are_cut,
	  hosts_with_numbers_that_follow_are_a_range,
	  a_long_list_of_hosts_is_cut,
	  hosts_of_several_jobio_conf_are_told_and_a_failure,
	  lines_that_are_no_answer_are_counted_and_the_first_is_shown,
	  pieces_of_two_tasks_are_put_together_in_their_turns,
	  what_a_task_has_begun_to_say_has_at_most_a_mebibyte)
