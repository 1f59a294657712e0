/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#include "report/slurm_conf.h"

static struct slurm_conf *conf;
static struct err err;

/* What slurm.conf says, of a node that was copied into a folder. */
static void load(const char *text)
{
	slurm_conf_free(conf);
	ck_assert(mkdir(tempdir_path("etc"), 0700) == 0 || errno == EEXIST);
	tempdir_put("etc/slurm.conf", text);
	conf = slurm_conf_load(tempdir_name, "/etc/slurm.conf", &err);
}

static void expect(const char *text, const char *key, const char *value)
{
	const char *got;

	load(text);
	ck_assert_msg(conf != NULL, "%s", err.text);
	got = slurm_conf_get(conf, key);
	ck_assert_msg(value ? got && !strcmp(got, value) : !got, "%s: wanted %s, got %s", key,
		      value, got);
}

/* "DIR/etc/slurm.conf" and the sentence behind it */
static void expect_error(const char *text, const char *sentence)
{
	char wanted[700];

	load(text);
	ck_assert_ptr_null(conf);
	ck_assert_int_eq(errno, EINVAL);
	snprintf(wanted, sizeof(wanted), "%s/etc/%s", tempdir_name, sentence);
	ck_assert_str_eq(err.text, wanted);
}

static void expect_record(const char *kind, size_t index, const char *name, const char *line)
{
	const char *has = NULL, *got;

	got = slurm_conf_record(conf, kind, index, &has);
	ck_assert_str_eq(got, line);
	ck_assert_str_eq(has, name);
}

static void setup(void)
{
	tempdir_make();
}

static void teardown(void)
{
	slurm_conf_free(conf);
	conf = NULL;
	tempdir_remove();
}

START_TEST(keys_are_compared_without_case_and_the_last_one_counts)
{
	setup();
	expect("ClusterName=a\nCLUSTERNAME=b\n", "clustername", "b");
	expect("ClusterName=a\n", "Cluster", NULL);
	expect("A=1 B=2\n", "A", "1");
	expect("A=1 B=2", "B", "2");
	expect("\n\n", "A", NULL);
	expect("A=\n", "A", "");
	expect("A=b=c\n", "A", "b=c");
	teardown();
}
END_TEST

START_TEST(blanks_around_the_equals_sign_and_quotes_are_allowed)
{
	setup();
	expect("A = 1 B\t=\t2\n", "A", "1");
	expect("A = 1 B\t=\t2\n", "B", "2");
	expect("  A =1\n", "A", "1");
	expect("A=\"one two\" B=3\n", "A", "one two");
	expect("A=\"one two\" B=3\n", "B", "3");
	expect("A='a \"b\" c'\n", "A", "a \"b\" c");
	expect("A=x\"y z\"\n", "A", "xy z");
	teardown();
}
END_TEST

START_TEST(a_comment_ends_the_line_unless_it_is_escaped)
{
	setup();
	expect("#A=1\n", "A", NULL);
	expect("A=1#2\n", "A", "1");
	expect("A=1 # B=2\nC=3\n", "B", NULL);
	expect("A=1 # B=2\nC=3\n", "C", "3");
	expect("A=1\\#2\n", "A", "1\\#2");
	expect("A=1\\#2 #3\n", "A", "1\\#2");
	teardown();
}
END_TEST

START_TEST(a_backslash_joins_lines_and_errors_name_the_last_of_them)
{
	setup();
	expect("A=1 \\\nB=2\nC=3\n", "B", "2");
	expect("NodeName=n1 \\\nCPUs=2 \\\n Sockets=1\nC=3\n", "C", "3");
	expect_record("NodeName", 0, "n1", "NodeName=n1  CPUs=2 Sockets=1");
	expect("A=1\\", "A", "1\\");
	expect("\\\nA=1\n", "A", "1");
	expect_error("word\n", "slurm.conf:1: 'word': must be KEY=VALUE");
	expect_error("A=1\n\nB=2 word\n", "slurm.conf:3: 'word': must be KEY=VALUE");
	expect_error("A=1 \\\nB=2 \\\nC=3\nword\n", "slurm.conf:4: 'word': must be KEY=VALUE");
	expect_error("A=1 \\\nword\n", "slurm.conf:2: 'word': must be KEY=VALUE");
	teardown();
}
END_TEST

START_TEST(default_lines_stand_before_the_records_that_follow)
{
	setup();
	load("NodeName=n0 CPUs=1\n"
	     "NodeName=DEFAULT CPUs=4\n"
	     "PartitionName=p Nodes=n1\n"
	     "nodename=default Sockets=2 Feature=\"a b\"\n"
	     "NodeName=n[1-2] CPUs=8\n");
	ck_assert_msg(conf != NULL, "%s", err.text);
	expect_record("NodeName", 0, "n0", "NodeName=n0  CPUs=1");
	expect_record("nodename", 1, "n[1-2]",
		      "NodeName=n[1-2]  CPUs=4 Sockets=2 Feature=a_b CPUs=8");
	expect_record("PartitionName", 0, "p", "PartitionName=p  Nodes=n1");
	ck_assert_ptr_null(slurm_conf_record(conf, "NodeName", 2, NULL));
	ck_assert_ptr_null(slurm_conf_record(conf, "DownNodes", 0, NULL));
	/* what a record says is no key of the file */
	ck_assert_ptr_null(slurm_conf_get(conf, "CPUs"));
	ck_assert_ptr_null(slurm_conf_get(conf, "NodeName"));
	teardown();
}
END_TEST

START_TEST(includes_are_absolute_below_the_root_or_beside_their_file)
{
	char deep[64];
	int i;

	setup();
	load("A=1\n");
	tempdir_put("etc/nodes.conf", "NodeName=n1\nB=2\n");
	tempdir_put("etc/nodes2.conf", "NodeName=n2\n");
	tempdir_put("other.conf", "C=3\n");
	expect("Include nodes*.conf\ninclude /other.conf\nD=4\n", "B", "2");
	ck_assert_str_eq(slurm_conf_get(conf, "C"), "3");
	ck_assert_str_eq(slurm_conf_get(conf, "D"), "4");
	expect("Include nothing*\nA=1\ninclude\t \n", "A", "1");
	expect("includes=1\n", "includes", "1");
	expect_error("includx nodes.conf\n", "slurm.conf:1: 'includx': must be KEY=VALUE");
	tempdir_put("etc/bad.conf", "A=1\nword\n");
	expect_error("B=1\nInclude bad.conf\n", "bad.conf:2: 'word': must be KEY=VALUE");
	expect_error("Include slurm.conf\n", "slurm.conf: includes within includes: more than 8");
	for (i = 1; i < 9; i++) {
		char name[64];

		snprintf(name, sizeof(name), "etc/deep%d", i);
		snprintf(deep, sizeof(deep), "Include deep%d\nLevel=%d\n", i + 1, i);
		tempdir_put(name, i < 8 ? deep : "Level=8\nBottom=1\n");
	}
	expect("Include deep1\n", "Bottom", "1");
	ck_assert_str_eq(slurm_conf_get(conf, "Level"), "1");
	teardown();
}
END_TEST

START_TEST(the_last_of_a_setting_in_a_line_counts)
{
	static const char line[] = "NodeName=n1 A=1 BA=2  b=3 A= c";

	ck_assert_str_eq(slurm_conf_setting(line, "a"), " c");
	ck_assert_str_eq(slurm_conf_setting(line, "BA"), "2  b=3 A= c");
	ck_assert_str_eq(slurm_conf_setting(line, "B"), "3 A= c");
	ck_assert_ptr_null(slurm_conf_setting(line, "c"));
	ck_assert_ptr_null(slurm_conf_setting("", "A"));
}
END_TEST

START_TEST(a_file_that_is_missing_is_told_from_one_that_is_wrong)
{
	char wanted[400];

	setup();
	conf = slurm_conf_load(tempdir_name, "/slurm.conf", &err);
	ck_assert_ptr_null(conf);
	ck_assert_int_eq(errno, ENOENT);
	snprintf(wanted, sizeof(wanted), "%s/slurm.conf: No such file or directory", tempdir_name);
	ck_assert_str_eq(err.text, wanted);
	slurm_conf_free(NULL);
	teardown();
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_an_error)
{
	setup();
	tempdir_put("etc/slurm.conf/x", "");
	conf = slurm_conf_load(tempdir_name, "/etc/slurm.conf", &err);
	ck_assert_ptr_null(conf);
	ck_assert_int_ne(errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "/etc/slurm.conf"));
	teardown();
}
END_TEST

START_TEST(a_key_of_several_lines_has_them_in_their_order)
{
	setup();
	load("X=1\nProlog=/a\nEpilog=/e\nprolog=/b\n");
	ck_assert_str_eq(slurm_conf_nth(conf, "X", 0), "1");
	ck_assert_str_eq(slurm_conf_nth(conf, "Prolog", 0), "/a");
	ck_assert_str_eq(slurm_conf_nth(conf, "PROLOG", 1), "/b");
	ck_assert_ptr_null(slurm_conf_nth(conf, "Prolog", 2));
	ck_assert_str_eq(slurm_conf_nth(conf, "Epilog", 0), "/e");
	ck_assert_ptr_null(slurm_conf_nth(conf, "Epilog", 1));
	ck_assert_ptr_null(slurm_conf_nth(conf, "TaskProlog", 0));
	teardown();
}
END_TEST

START_TEST(a_switch_has_four_words_for_yes)
{
	setup();
	load("A=yes\nB=TRUE\nC=1\nD=Up\nE=no\nF=2\nG=\n");
	ck_assert(slurm_conf_is(conf, "a", false));
	ck_assert(slurm_conf_is(conf, "B", false));
	ck_assert(slurm_conf_is(conf, "C", false));
	ck_assert(slurm_conf_is(conf, "D", false));
	ck_assert(!slurm_conf_is(conf, "E", true));
	ck_assert(!slurm_conf_is(conf, "F", true));
	ck_assert(!slurm_conf_is(conf, "G", true));
	ck_assert(slurm_conf_is(conf, "H", true));
	ck_assert(!slurm_conf_is(conf, "H", false));
	teardown();
}
END_TEST

START_TEST(a_word_of_a_list_is_found_whole)
{
	setup();
	load("P=alloc,Contain,X11\nQ=\nR=one\n");
	ck_assert(slurm_conf_has(conf, "P", "Alloc"));
	ck_assert(slurm_conf_has(conf, "p", "contain"));
	ck_assert(slurm_conf_has(conf, "P", "x11"));
	ck_assert(!slurm_conf_has(conf, "P", "all"));
	ck_assert(!slurm_conf_has(conf, "P", "allocs"));
	ck_assert(!slurm_conf_has(conf, "P", "X1"));
	ck_assert(!slurm_conf_has(conf, "Q", "x"));
	ck_assert(slurm_conf_has(conf, "R", "one"));
	ck_assert(!slurm_conf_has(conf, "S", "one"));
	teardown();
}
END_TEST

START_TEST(hosts_are_found_in_lists_as_slurm_writes_them)
{
	static const struct {
		const char *list, *host;
		bool in;
	} cases[] = {
		{ "c1", "c1", true },
		{ "c1", "c10", false },
		{ "c10", "c1", false },
		{ "c1", "d1", false },
		{ "a,c1,b", "c1", true },
		{ "a,c1,b", "b", true },
		{ "a,c1", "c", false },
		{ "", "c1", false },
		{ "c[1-3,7]", "c1", true },
		{ "c[1-3,7]", "c3", true },
		{ "c[1-3,7]", "c4", false },
		{ "c[1-3,7]", "c7", true },
		{ "c[1-3,7]", "c0", false },
		{ "c[1-3,7]", "c8", false },
		{ "c[1-3,7]", "c", false },
		{ "c[1-3,7]", "c2x", false },
		{ "c[1-3,7]", "cx", false },
		{ "c[1-3,7],login", "login", true },
		{ "c[1-3,7],login", "7]", false },
		{ "login,c[2]", "c2", true },
		{ "c[01-12]", "c07", true },
		{ "c[01-12]", "c7", false },
		{ "c[01-12]", "c12", true },
		{ "c[01-12]", "c012", false },
		{ "c[01-128]", "c99", true },
		{ "c[01-128]", "c100", true },
		{ "c[01-128]", "c099", false },
		{ "c[01-128]", "c1", false },
		{ "c[1-12]", "c7", true },
		{ "c[1-12]", "c07", false },
		{ "c[0-3]", "c0", true },
		{ "c[0-3]", "c00", false },
		{ "c[00-03]", "c00", true },
		{ "c[00-03]", "c0", false },
		{ "c[9-10]", "c10", true },
		{ "c[9-10]", "c11", false },
		{ "c[1-3]-ib", "c2-ib", true },
		{ "c[1-3]-ib", "c2", false },
		{ "c[1-3]5", "c25", true },
		{ "c[1-30]5", "c205", true },
		{ "c[1-3]5", "c55", false },
		{ "r[1-2]n[01-04]", "r2n03", true },
		{ "r[1-2]n[01-04]", "r3n03", false },
		{ "r[1-2]n[01-04]", "r2n05", false },
		{ "r[1-2]n[01-04]", "r2n3", false },
		{ "c[1,5-9]", "c3", false },
		{ "c[1,5-9]", "c7", true },
		{ "c[1,]", "c0", false },
		{ "c[1x,3]", "c3", true },
		{ "c[1-3", "c1", false },
		{ "c[100000000000000]", "c100000000000000", true },
		{ "c[100000000000000]", "c1000000000000000", false },
		{ "c[1-3]", "c100000000000000000000000001", false },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(slurm_conf_in_list(cases[i].list, cases[i].host) == cases[i].in,
			      "'%s' in '%s'", cases[i].host, cases[i].list);
}
END_TEST

UNIT_MAIN("slurm_conf", keys_are_compared_without_case_and_the_last_one_counts,
	  blanks_around_the_equals_sign_and_quotes_are_allowed,
	  a_comment_ends_the_line_unless_it_is_escaped,
	  a_backslash_joins_lines_and_errors_name_the_last_of_them,
	  default_lines_stand_before_the_records_that_follow,
	  includes_are_absolute_below_the_root_or_beside_their_file,
	  the_last_of_a_setting_in_a_line_counts,
	  a_file_that_is_missing_is_told_from_one_that_is_wrong,
	  a_file_that_cannot_be_read_is_an_error, a_key_of_several_lines_has_them_in_their_order,
	  a_switch_has_four_words_for_yes, a_word_of_a_list_is_found_whole,
	  hosts_are_found_in_lists_as_slurm_writes_them)
