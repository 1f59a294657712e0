/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <sys/stat.h>

#include "lib/gatefile.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

START_TEST(what_the_prolog_writes_the_gate_reads)
{
	struct gatefile in = { .policy = GATE_ENFORCE,
			       .asked = true,
			       .note = "core 3 = yours? no",
			       .client = "weka:client",
			       .request.io_cores = 2,
			       .request.profile = "stream" };
	struct gatefile out;
	struct stat st;
	struct err err;

	tempdir_make();
	cpuset_add(&in.client_cpus, 1);
	cpuset_add(&in.client_cpus, 33);
	cpuset_add(&in.io_cpus, 1);
	cpuset_add(&in.spec_cpus, 2);
	ck_assert_int_eq(gatefile_write(tempdir_path("gate"), &in, &err), 0);
	ck_assert_int_eq(gatefile_read(tempdir_path("gate"), &out, &err), 1);
	ck_assert_int_eq(out.policy, GATE_ENFORCE);
	ck_assert(out.asked);
	ck_assert_str_eq(out.note, in.note);
	ck_assert(cpuset_equal(&out.spec_cpus, &in.spec_cpus));
	ck_assert_str_eq(out.client, "weka:client");
	ck_assert(cpuset_equal(&out.client_cpus, &in.client_cpus));
	ck_assert(cpuset_equal(&out.io_cpus, &in.io_cpus));
	ck_assert_uint_eq(out.request.io_cores, 2);
	ck_assert_str_eq(out.request.profile, "stream");
	ck_assert_int_eq(stat(tempdir_path("gate"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	tempdir_remove();
}
END_TEST

START_TEST(no_file_is_not_an_error)
{
	struct gatefile gate;

	tempdir_make();
	ck_assert_int_eq(gatefile_read(tempdir_path("gate"), &gate, NULL), 0);
	tempdir_remove();
}
END_TEST

static void expect_damaged(const char *text, const char *why)
{
	struct gatefile gate = { .request.io_cores = 7 };
	struct err err;

	tempdir_make();
	ck_assert_int_eq(gatefile_read(tempdir_put("gate", text), &gate, &err), -1);
	ck_assert_msg(strstr(err.text, why), "'%s' not in '%s'", why, err.text);
	ck_assert_uint_eq(gate.request.io_cores, 7);
	tempdir_remove();
}

START_TEST(a_damaged_file_is_an_error_that_says_where)
{
	expect_damaged("", "not whole");
	expect_damaged("version=2\npolicy=off\n", "bad version '2'");
	expect_damaged("version=1\npolicy=off\nclient_cpus=1,,2\n", "bad client_cpus '1,,2'");
	expect_damaged("version=1\npolicy=off\nio_cores=-1\n", "bad io_cores");
	expect_damaged("version=1\npolicy", "no '='");
}
END_TEST

START_TEST(an_unknown_key_of_a_newer_prolog_is_ignored)
{
	struct gatefile gate;

	tempdir_make();
	ck_assert_int_eq(gatefile_read(tempdir_put("gate", "version=1\n"
							   "policy=off\n"
							   "colour=blue\n"),
				       &gate, NULL),
			 1);
	ck_assert_int_eq(gate.policy, GATE_OFF);
	tempdir_remove();
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_an_error)
{
	struct gatefile gate;
	struct err err;

	tempdir_make();
	tempdir_put("file", "");
	ck_assert_int_eq(gatefile_read(tempdir_path("file/gate"), &gate, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "Not a directory"));
	memset(&gate, 0, sizeof(gate));
	ck_assert_int_eq(gatefile_write(tempdir_path("file/gate"), &gate, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "Not a directory"));
	tempdir_remove();
}
END_TEST

UNIT_MAIN("gatefile", what_the_prolog_writes_the_gate_reads, no_file_is_not_an_error,
	  a_damaged_file_is_an_error_that_says_where, an_unknown_key_of_a_newer_prolog_is_ignored,
	  a_file_that_cannot_be_read_is_an_error)
