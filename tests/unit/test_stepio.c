/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/runner.h"
#include "spank/stepio.h"
#include "tests/unit/tempdir.h"

#define STEP_BATCH 0xfffffffbU

static struct err err;

static const struct stepio from = { 100, 200, 3, 4, 1000 };
static const struct stepio to = { 1100, 5200, 13, 10, 1060 };

static const char *written(const struct stepio_label *label, const char *step)
{
	static char path[64];
	char *text;

	ck_assert_msg(
		stepio_write(&from, &to, label, tempdir_path("."), &err) == 0,
		"%s", err.text);
	snprintf(path, sizeof(path), "7/steps/%s", step);
	text = fileio_read(tempdir_path(path), 4096, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	return text;
}

START_TEST(the_difference_is_left_for_the_epilog)
{
	struct stepio_label label = { 7, 0, STEPIO_NONE, STEPIO_NONE, NULL };
	const char *text;

	tempdir_make();
	text = written(&label, "0");
	ck_assert_str_eq(text, "{\"step\":\"0\",\"source\":\"stepd\","
			       "\"read_bytes\":1000,\"write_bytes\":5000,"
			       "\"read_calls\":10,\"write_calls\":6,"
			       "\"array_job_id\":null,\"array_task_id\":null,"
			       "\"start\":1000,\"end\":1060}\n");
	free((char *)text);
	tempdir_remove();
}
END_TEST

START_TEST(the_array_is_named_when_known)
{
	struct stepio_label label = { 7, STEP_BATCH, 5, 2, NULL };
	const char *text;

	tempdir_make();
	text = written(&label, "batch");
	ck_assert_ptr_nonnull(strstr(text, "{\"step\":\"batch\","));
	ck_assert_ptr_nonnull(strstr(text, "\"array_job_id\":5,"
					   "\"array_task_id\":2,"));
	free((char *)text);
	tempdir_remove();
}
END_TEST

START_TEST(what_the_gate_said_is_quoted_and_bounded)
{
	struct stepio_label label = { 7, 0, STEPIO_NONE, STEPIO_NONE,
				      "CPU \"7\" \\ \xc3\xa4\n" };
	char text[3 * ERR_MAX];
	const char *line;

	tempdir_make();
	line = written(&label, "0");
	ck_assert_ptr_nonnull(
		strstr(line, ",\"refused\":\"CPU \\\"7\\\" \\\\ ???\"}\n"));
	free((char *)line);
	memset(text, '"', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	label.refused = text;
	line = written(&label, "0");
	ck_assert_str_eq(line + strlen(line) - 5, "\\\"\"}\n");
	ck_assert_uint_lt(strlen(line), 4096); /* job/steps.c reads no more */
	free((char *)line);
	tempdir_remove();
}
END_TEST

START_TEST(only_root_reads_the_step_files)
{
	struct stepio_label label = { 7, 0, 0, 0, NULL };
	struct stat st;

	tempdir_make();
	free((char *)written(&label, "0"));
	ck_assert_int_eq(stat(tempdir_path("7/steps/0"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(stat(tempdir_path("7/steps"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	tempdir_remove();
}
END_TEST

START_TEST(a_node_without_jobio_gets_no_folders)
{
	struct stepio_label label = { 7, 0, 0, 0, NULL };
	struct stat st;

	tempdir_make();
	ck_assert_int_eq(
		stepio_write(&from, &to, &label, tempdir_path("no"), &err), 0);
	ck_assert_int_eq(stat(tempdir_path("no"), &st), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_link_in_place_of_a_folder_is_not_followed)
{
	struct stepio_label label = { 7, 0, 0, 0, NULL };

	tempdir_make();
	ck_assert_int_eq(symlink("/tmp", tempdir_path("7")), 0);
	ck_assert_int_eq(
		stepio_write(&from, &to, &label, tempdir_path("."), &err), -1);
	tempdir_remove();
}
END_TEST

START_TEST(counters_without_all_four_are_refused)
{
	struct stepio io = { .read_bytes = 9 };

	tempdir_make();
	ck_assert_int_eq(stepio_read(&io,
				     tempdir_put("io", "rchar: 1\nwchar: 2\n"
						       "syscr: 3\n"),
				     &err),
			 -1);
	ck_assert_uint_eq(io.read_bytes, 9);
	ck_assert_ptr_nonnull(strstr(err.text, "has not the four counters"));
	ck_assert_int_eq(stepio_read(&io,
				     tempdir_put("io", "rchar: 1\nwchar: 2\n"
						       "syscr: 3\nsyscw: -4\n"),
				     &err),
			 -1);
	tempdir_remove();
}
END_TEST

START_TEST(the_kernel_adds_what_waited_for_children_did)
{
	static char block[1 << 20];
	struct stepio start, end;
	int status;
	pid_t pid;
	FILE *out;

	tempdir_make();
	ck_assert_int_eq(stepio_read(&start, "/proc/self/io", &err), 0);
	pid = fork();
	if (pid == 0) {
		out = fopen(tempdir_path("big"), "w");
		_exit(out && fwrite(block, sizeof(block), 1, out) == 1 &&
				      fclose(out) == 0
			      ? 0
			      : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(stepio_read(&end, "/proc/self/io", &err), 0);
	ck_assert_uint_ge(end.write_bytes - start.write_bytes, sizeof(block));
	ck_assert_uint_lt(end.write_bytes - start.write_bytes,
			  sizeof(block) + 4096);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("stepio", the_difference_is_left_for_the_epilog,
	  the_array_is_named_when_known,
	  what_the_gate_said_is_quoted_and_bounded,
	  only_root_reads_the_step_files, a_node_without_jobio_gets_no_folders,
	  a_link_in_place_of_a_folder_is_not_followed,
	  counters_without_all_four_are_refused,
	  the_kernel_adds_what_waited_for_children_did)
