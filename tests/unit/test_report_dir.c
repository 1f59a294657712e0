/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where reports are left, and on which node somebody starts to. */
#include <check.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "epilog/report_dir.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"

static const struct job job = { .id = 7, .uid = 1000, .user = "alice" };

static void expect_path(const char *pattern, const char *work_dir,
			const char *path)
{
	char out[PATH_MAX];
	struct err err = { "" };

	ck_assert_msg(report_dir_expand(pattern, &job, work_dir, out,
					sizeof(out), &err) == 0,
		      "%s", err.text);
	ck_assert_str_eq(out, path);
}

static void expect_refused(const char *pattern, const struct job *who,
			   const char *work_dir, const char *why)
{
	char out[64] = "as it was";
	struct err err = { "" };

	ck_assert_int_eq(report_dir_expand(pattern, who, work_dir, out,
					   sizeof(out), &err),
			 -1);
	ck_assert_str_eq(err.text, why);
	ck_assert_str_eq(out, "as it was");
}

START_TEST(words_of_the_job_stand_in_the_name_of_the_directory)
{
	expect_path("/r", NULL, "/r");
	expect_path("%w", "/home/alice/x y", "/home/alice/x y");
	expect_path("/r/%u/%j/%%", NULL, "/r/alice/7/%");
	expect_path("%w/.jobio", "/%u", "/%u/.jobio"); /* once is enough */
}
END_TEST

START_TEST(what_nobody_knows_or_is_no_path_is_refused)
{
	static const struct job nobody = { .id = 7 };

	expect_refused("%w", &job, NULL,
		       "report_dir: '%w': Slurm does not tell what %w stands "
		       "for");
	expect_refused("%w", &job, "",
		       "report_dir: '%w': Slurm does not tell what %w stands "
		       "for");
	expect_refused("/r/%u", &nobody, NULL,
		       "report_dir: '/r/%u': Slurm does not tell what %u "
		       "stands for");
	expect_refused("%w/x", &job, "here",
		       "report_dir: 'here/x': not an absolute path");
	expect_refused("%w", &job,
		       "/0123456789012345678901234567890123456789012345678901"
		       "23456789012",
		       "report_dir: '%w': too long");
}
END_TEST

START_TEST(the_first_node_of_a_list_is_the_one)
{
	ck_assert(report_dir_is_first("c1", "c1"));
	ck_assert(report_dir_is_first("c[01-12]", "c01"));
	ck_assert(!report_dir_is_first("c[01-12]", "c02"));
	ck_assert(report_dir_is_first("c[1,3-4]-ib,d[1-2]", "c1-ib"));
	ck_assert(!report_dir_is_first("c[1,3-4]-ib,d[1-2]", "d1"));
	ck_assert(report_dir_is_first("r[1-2]n[3-4]", "r1n3"));
	ck_assert(report_dir_is_first("a,b", "a"));
	ck_assert(!report_dir_is_first("a,b", "b"));
	ck_assert(!report_dir_is_first("c[1-2", "c1")); /* is no list */
	ck_assert(report_dir_is_first(NULL, "c1"));
	ck_assert(report_dir_is_first("", "c1"));
}
END_TEST

/* A working directory so long, in a place of 'size' bytes: is there room? */
static bool fits(size_t length, size_t size)
{
	char *work_dir = malloc(length + 1), *out = malloc(size);
	bool fits;

	memset(work_dir, 'x', length);
	work_dir[0] = '/';
	work_dir[length] = '\0';
	fits = report_dir_expand("%w", &job, work_dir, out, size, NULL) == 0;
	ck_assert(!fits || !strcmp(out, work_dir));
	free(work_dir);
	free(out);
	return fits;
}

START_TEST(a_path_has_all_the_room_that_there_is)
{
	ck_assert(fits(63, 64));
	ck_assert(!fits(64, 64));
	ck_assert(fits(PATH_MAX - 1, 2 * PATH_MAX));
	ck_assert(!fits(PATH_MAX, 2 * PATH_MAX));
	expect_path("/r%", NULL, "/r%");
}
END_TEST

START_TEST(names_of_nodes_are_as_long_as_a_record_holds)
{
	char node[RECORD_NAME_MAX], list[RECORD_NAME_MAX + 4];

	memset(node, '1', sizeof(node) - 1);
	node[sizeof(node) - 1] = '\0';
	ck_assert(report_dir_is_first(node, node));
	snprintf(list, sizeof(list), "[%s]", node);
	ck_assert(report_dir_is_first(list, node));
	/* what is longer is cut, and nothing is written behind it */
	snprintf(list, sizeof(list), "%s2", node);
	ck_assert(report_dir_is_first(list, node));
	snprintf(list, sizeof(list), "[%s22]", node);
	ck_assert(report_dir_is_first(list, node));
	snprintf(list, sizeof(list), "[%s2", node);
	ck_assert(!report_dir_is_first(list, node));
}
END_TEST

/* ---- who gets one ------------------------------------------------------------------ */

/* What is said when a job ends whose report nobody can start to file: there is no
 * jobio-file beside this program. "": it gets none. */
static const char *said(const char *report_dir, const char *more,
			const struct job *who, bool own_work_dir)
{
	struct config *config;
	struct report_dir_run run = { .restart = 0,
				      .own_work_dir = own_work_dir };
	static struct err err;
	char text[512];
	int rc;

	snprintf(text, sizeof(text), "[jobio]\n%s\n%s", report_dir, more);
	config = conf_load(text);
	err.text[0] = '\0';
	rc = report_dir_start(config, NULL, who, &run, &err);
	ck_assert_int_eq(rc, *err.text ? -1 : 0);
	config_free(config);
	return err.text;
}

#define HELPER "report_dir: there is no jobio-file beside this program"
#define HOST "[ledger]\nhost = 127.0.0.1\n"

START_TEST(a_job_gets_a_report_on_its_first_node_where_the_site_wants_it)
{
	struct job who = { .id = 7, .uid = 1000, .node = "c1" };

	ck_assert_str_eq(said("report_dir=/r", HOST, &who, false), HELPER);
	ck_assert_str_eq(said("", HOST, &who, false), "");
	ck_assert_str_eq(said("report_dir=/r", "", &who, false), "");
	ck_assert_str_eq(said("report_dir=/r\nnodes=d1", HOST, &who, false),
			 "");
	who.nodelist = "c[1-2]";
	ck_assert_str_eq(said("report_dir=/r", HOST, &who, false), HELPER);
	who.nodelist = "b1,c[1-2]";
	ck_assert_str_eq(said("report_dir=/r", HOST, &who, false), "");
	who.nodelist = NULL;
	who.uid = 0;
	ck_assert_str_eq(said("report_dir=/r", HOST, &who, false), "");
}
END_TEST

/* In place of job.c's and lib/child.c's: jobio-file is there, and is not started. */
static bool is_there;
static char words[300];

int __real_job_helper_path(const char *name, char *path, size_t size);

int __wrap_job_helper_path(const char *name, char *path, size_t size)
{
	ck_assert_str_eq(name, "jobio-file");
	if (!is_there)
		return __real_job_helper_path(name, path, size);
	snprintf(path, size, "/bin/sh");
	return 0;
}

int __wrap_child_detach(char *const argv[], struct err *err)
{
	(void)err;
	ck_assert(is_there);
	*words = '\0';
	for (; *argv; argv++)
		snprintf(words + strlen(words), sizeof(words) - strlen(words),
			 "%s|", *argv);
	return 0;
}

static void expect_started(const char *conf, int64_t restart,
			   const char *wanted)
{
	const struct report_dir_run run = { .restart = restart };
	struct config *config = conf_load("[jobio]\nreport_dir=/r/%u\n" HOST);
	struct job who = {
		.id = 7, .uid = 1000, .gid = 100, .user = "alice", .node = "c1"
	};
	struct err err;

	is_there = true;
	ck_assert_int_eq(report_dir_start(config, conf, &who, &run, &err), 0);
	ck_assert_str_eq(words, wanted);
	is_there = false;
	config_free(config);
}

START_TEST(who_files_a_report_is_told_whose_and_of_which_run)
{
	expect_started("/etc/j.conf", 0,
		       "/bin/sh|--conf=/etc/j.conf|7|0|1000|100|alice|/r/"
		       "alice|");
	expect_started("/etc/j.conf", 3,
		       "/bin/sh|--conf=/etc/j.conf|7|3|1000|100|alice|/r/"
		       "alice|");
	expect_started(NULL, -1,
		       "/bin/sh|--conf=" JOBIO_CONF
		       "|7|-|1000|100|alice|/r/alice|");
}
END_TEST

START_TEST(a_working_directory_of_the_jobs_own_is_gone_when_it_is_named)
{
	static const char *const named[] = { "%w", "%w/x", "%j%w", "%%%w" };
	static const char *const others[] = { "/r", "/%j", "/%%w", "/w",
					      "/r%%" };
	struct job who = { .id = 7, .uid = 1000, .node = "c1" };
	char line[64];
	size_t i;

	ck_assert_int_eq(setenv("SLURM_JOB_WORK_DIR", "/scratch", 1), 0);
	for (i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		snprintf(line, sizeof(line), "report_dir=/a%s", named[i]);
		ck_assert_ptr_nonnull(strstr(said(line, HOST, &who, true),
					     "of its own and is gone: no "
					     "report is left"));
		ck_assert_str_eq(said(line, HOST, &who, false), HELPER);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		snprintf(line, sizeof(line), "report_dir=%s", others[i]);
		ck_assert_str_eq(said(line, HOST, &who, true), HELPER);
	}
	ck_assert_int_eq(unsetenv("SLURM_JOB_WORK_DIR"), 0);
	ck_assert_str_eq(said("report_dir=%w", HOST, &who, false),
			 "report_dir: '%w': Slurm does not tell what %w "
			 "stands for");
}
END_TEST

UNIT_MAIN("report_dir", words_of_the_job_stand_in_the_name_of_the_directory,
	  what_nobody_knows_or_is_no_path_is_refused,
	  the_first_node_of_a_list_is_the_one,
	  a_path_has_all_the_room_that_there_is,
	  names_of_nodes_are_as_long_as_a_record_holds,
	  a_job_gets_a_report_on_its_first_node_where_the_site_wants_it,
	  who_files_a_report_is_told_whose_and_of_which_run,
	  a_working_directory_of_the_jobs_own_is_gone_when_it_is_named)
