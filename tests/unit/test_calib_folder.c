/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report/calib_folder.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct err err;

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void make(struct calib_folder *folder)
{
	ck_assert_msg(calib_folder_make(folder, tempdir_name, 1, &err) == 0,
		      "%s", err.text);
}

START_TEST(a_folder_is_made_and_removed_with_all_in_it)
{
	struct calib_folder first, second, none = { .path = "" };
	char path[CALIB_PATH + 8];
	struct stat st;

	tempdir_make();
	tempdir_put("other", "");
	make(&first);
	ck_assert(is_folder(first.path));
	ck_assert_ptr_nonnull(strstr(first.path, "/" CALIB_FOLDER));
	ck_assert_int_eq(first.others, 0);
	make(&second);
	ck_assert_int_eq(second.others, 1);
	ck_assert_str_ne(first.path, second.path);
	ck_assert_int_eq(calib_folder_put(&first, "3.a", "x", &err), 0);
	snprintf(path, sizeof(path), "%s/3.a", first.path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(calib_folder_remove(&first, &err), 0);
	ck_assert_str_eq(first.path, "");
	ck_assert_int_eq(calib_folder_remove(&first, &err), 0);
	ck_assert_int_eq(calib_folder_remove(&none, &err), 0);
	ck_assert(is_folder(second.path));
	ck_assert_int_eq(calib_folder_remove(&second, &err), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_place_that_does_not_do_is_told_and_left_as_it_is)
{
	struct calib_folder folder;

	tempdir_make();
	ck_assert_int_eq(
		calib_folder_make(&folder, tempdir_path("no"), 1, &err), -1);
	ck_assert_ptr_nonnull(
		strstr(err.text, "/no': cannot be used: No such file"));
	tempdir_put("file", "");
	ck_assert_int_eq(
		calib_folder_make(&folder, tempdir_path("file"), 1, &err), -1);
	ck_assert_ptr_nonnull(
		strstr(err.text, "/file': cannot make a folder there: Not a "));
	ck_assert_int_eq(calib_folder_make(&folder, tempdir_name,
					   UINT64_C(1) << 62, &err),
			 -1);
	ck_assert_ptr_nonnull(strstr(err.text, " MiB are free, and "
					       "4398046511104 MiB are needed; "
					       "see --space"));
	tempdir_remove();
}
END_TEST

START_TEST(a_folder_that_cannot_be_removed_is_told_and_remembered)
{
	struct calib_folder folder;
	char path[CALIB_PATH];

	tempdir_make();
	tempdir_put("file", "");
	snprintf(path, sizeof(path), "%s", tempdir_path("file/x"));
	strcpy(folder.path, path);
	ck_assert_int_eq(calib_folder_remove(&folder, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/file/x'"));
	ck_assert_ptr_nonnull(strstr(err.text, "cannot remove"));
	ck_assert_ptr_nonnull(strstr(err.text, "Not a directory"));
	ck_assert_str_eq(folder.path, path);
	tempdir_remove();
}
END_TEST

static char taken[400];

static void take(void *arg, const char *name, const char *text)
{
	size_t used = strlen(taken);

	ck_assert_str_eq(arg, "arg");
	snprintf(taken + used, sizeof(taken) - used, "%s=%s;", name, text);
}

static const char *read_of(const struct calib_folder *folder, size_t number)
{
	*taken = '\0';
	ck_assert_msg(calib_folder_read(folder, number, take, (void *)"arg",
					&err) == 0,
		      "%s", err.text);
	return taken;
}

/* It is back in 300 ms; the process that sees to it. */
static pid_t take_away(const struct calib_folder *folder)
{
	char away[CALIB_PATH + 8];
	pid_t pid;

	snprintf(away, sizeof(away), "%s.away", folder->path);
	ck_assert_int_eq(rename(folder->path, away), 0);
	pid = fork();
	if (pid == 0) {
		nanosleep(&(struct timespec){ .tv_nsec = 300000000 }, NULL);
		_exit(rename(away, folder->path) != 0);
	}
	return pid;
}

START_TEST(a_folder_that_is_away_for_a_moment_is_waited_for)
{
	struct calib_folder folder;
	pid_t pid;

	tempdir_make();
	make(&folder);
	pid = take_away(&folder);
	ck_assert_msg(calib_folder_put(&folder, "3.out", "here", &err) == 0,
		      "%s", err.text);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	pid = take_away(&folder);
	ck_assert_str_eq(read_of(&folder, 3), "out=here;");
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	tempdir_remove();
}
END_TEST

START_TEST(files_of_one_number_are_read_whatever_is_in_them)
{
	struct calib_folder folder;
	char *text;

	tempdir_make();
	make(&folder);
	ck_assert_str_eq(read_of(&folder, 3), "");
	ck_assert_int_eq(calib_folder_put(&folder, "3.out", "{\n}", &err), 0);
	ck_assert_int_eq(calib_folder_put(&folder, "13.out", "no", &err), 0);
	ck_assert_int_eq(calib_folder_put(&folder, "33", "no", &err), 0);
	ck_assert_str_eq(read_of(&folder, 3), "out={\n};");
	ck_assert_int_eq(calib_folder_put(&folder, "3.empty", "", &err), 0);
	text = (char *)read_of(&folder, 3);
	ck_assert(!strcmp(text, "out={\n};empty=;") ||
		  !strcmp(text, "empty=;out={\n};"));
	ck_assert_int_eq(calib_folder_remove(&folder, &err), 0);
	strcpy(folder.path, "/nonexistent");
	folder.patience_ms = 0;
	ck_assert_int_eq(
		calib_folder_read(&folder, 3, take, (void *)"arg", &err), -1);
	ck_assert_ptr_nonnull(
		strstr(err.text, "'/nonexistent': cannot read: No such file"));
	ck_assert_int_eq(calib_folder_put(&folder, "3.a", "x", &err), -1);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("calib_folder", a_folder_is_made_and_removed_with_all_in_it,
	  a_place_that_does_not_do_is_told_and_left_as_it_is,
	  a_folder_that_cannot_be_removed_is_told_and_remembered,
	  a_folder_that_is_away_for_a_moment_is_waited_for,
	  files_of_one_number_are_read_whatever_is_in_them)
