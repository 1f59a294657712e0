/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The front of all commands, with stand-ins for them. Its main() is jobio_main(). */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/command.h"
#include "report/commands.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

int jobio_main(int argc, char *argv[]);

static char called[200]; /* "plan plan --cores " */
static int status;	 /* of the command */
static bool is_torn;	 /* what it prints is lost, and nothing later */

static int call(const char *name, int argc, char *argv[])
{
	int i, null;

	snprintf(called, sizeof(called), "%s", name);
	for (i = 0; i < argc; i++)
		snprintf(called + strlen(called),
			 sizeof(called) - strlen(called), " %s", argv[i]);
	ck_assert_ptr_null(argv[argc]);
	printf("I am %s\n", name);
	if (is_torn) {
		fflush(stdout);
		null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		ck_assert(dup2(null, STDOUT_FILENO) == STDOUT_FILENO);
		close(null);
	}
	return status;
}

#define COMMAND(name)                                                          \
	int name##_main(int argc, char *argv[])                                \
	{                                                                      \
		return call(#name, argc, argv);                                \
	}
COMMAND(advise)
COMMAND(calibrate)
COMMAND(check)
COMMAND(compare)
COMMAND(cores)
COMMAND(plan)
COMMAND(report)

/* stdout goes there; stderr into "said". */
static void begin(const char *out)
{
	*called = '\0';
	status = 0;
	if (!*tempdir_name)
		tempdir_make();
	ck_assert_ptr_nonnull(
		freopen(out ? out : tempdir_path("out"), "w", stdout));
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
}

static int run(const char *one, const char *other)
{
	char *argv[] = { (char *)"jobio", (char *)one, (char *)other, NULL };
	int rc = jobio_main(one ? other ? 3 : 2 : 1, argv);

	fflush(stderr);
	return rc;
}

START_TEST(each_command_gets_the_words_behind_its_name)
{
	static const char *const names[] = { "cores",	 "plan",    "check",
					     "report",	 "compare", "advise",
					     "calibrate" };
	char wanted[100];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		begin(NULL);
		status = (int)i;
		ck_assert_int_eq(run(names[i], "--help"), (int)i);
		snprintf(wanted, sizeof(wanted), "%s %s --help", names[i],
			 names[i]);
		ck_assert_str_eq(called, wanted);
		tempdir_expect("said", "");
	}
	begin(NULL);
	ck_assert_int_eq(run("doctor", NULL), 0);
	ck_assert_str_eq(called, "check doctor");
	tempdir_remove();
}
END_TEST

#define HELP                                                                   \
	"usage: jobio COMMAND [OPTION]...\n\n"                                 \
	"  cores     which cores and CPUs Slurm withholds\n"                   \
	"  plan      which cores to give to the client\n"                      \
	"  check     what is wrong on this host, and the cure\n"               \
	"  report    what jobs read and wrote\n"                               \
	"  compare   two jobs side by side\n"                                  \
	"  advise    what to ask for the next time\n"                          \
	"  calibrate what cores and profiles are worth\n\n"                    \
	"jobio COMMAND --help explains a command; see jobio(1).\n"

static void expect_out(const char *word, const char *text)
{
	begin(NULL);
	ck_assert_int_eq(run(word, NULL), COMMAND_OK);
	tempdir_expect("out", text);
	tempdir_expect("said", "");
	ck_assert_str_eq(called, "");
}

START_TEST(help_names_the_commands_in_the_order_of_the_manual)
{
	expect_out("--help", HELP);
	expect_out("help", HELP);
	expect_out("--version", "jobio 1\n");
	tempdir_remove();
}
END_TEST

static void refuse(const char *word, const char *sentence)
{
	begin(NULL);
	ck_assert_int_eq(run(word, NULL), COMMAND_USAGE);
	tempdir_expect("said", sentence);
	tempdir_expect("out", "");
	ck_assert_str_eq(called, "");
}

START_TEST(what_is_no_command_is_told_where_they_are)
{
	refuse(NULL, "jobio: which command? see jobio --help\n");
	refuse("plans", "jobio: 'plans': no such command; see jobio --help\n");
	refuse("", "jobio: '': no such command; see jobio --help\n");
	tempdir_remove();
}
END_TEST

#define NO_SPACE "jobio: standard output: No space left on device\n"

START_TEST(what_cannot_be_printed_is_no_success)
{
	begin("/dev/full");
	ck_assert_int_eq(run("plan", NULL), COMMAND_FAILED);
	tempdir_expect("said", NO_SPACE);
	begin("/dev/full");
	status = COMMAND_UNSOUND;
	ck_assert_int_eq(run("plan", NULL), COMMAND_UNSOUND);
	tempdir_expect("said", NO_SPACE);
	begin("/dev/full");
	is_torn = true;
	ck_assert_int_eq(run("plan", NULL), COMMAND_FAILED);
	tempdir_expect("said",
		       "jobio: standard output: not all could be written\n");
	is_torn = false;
	begin("/dev/null");
	ck_assert_int_eq(close(STDOUT_FILENO), 0);
	ck_assert_int_eq(run("plan", NULL), COMMAND_FAILED);
	tempdir_expect("said", "jobio: standard output: Bad file descriptor\n");
	tempdir_remove();
}
END_TEST

/* As of "jobio report | head". */
START_TEST(a_reader_who_has_gone_is_no_failure)
{
	int ends[2];

	begin("/dev/null");
	signal(SIGPIPE, SIG_IGN);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert(dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
	ck_assert_int_eq(run("plan", NULL), COMMAND_OK);
	ck_assert_str_eq(called, "plan plan");
	tempdir_expect("said", "");
	tempdir_remove();
}
END_TEST

#undef main
UNIT_MAIN("jobio", each_command_gets_the_words_behind_its_name,
	  help_names_the_commands_in_the_order_of_the_manual,
	  what_is_no_command_is_told_where_they_are,
	  what_cannot_be_printed_is_no_success,
	  a_reader_who_has_gone_is_no_failure)
