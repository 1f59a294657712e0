/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "lib/fileio.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* Where it is not 0: no write takes more at once, and each other one is ended by
 * a signal before it begins. */
static size_t write_most;
static int writes;

ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	if (write_most && writes++ % 2 == 0) {
		errno = EINTR;
		return -1;
	}
	return __real_write(fd, data, write_most && size > write_most ? write_most : size);
}

static int files_synced, folders_synced;

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0)
		*(S_ISDIR(st.st_mode) ? &folders_synced : &files_synced) += 1;
	return __real_fsync(fd);
}

START_TEST(what_is_written_is_read_back_with_its_mode)
{
	struct stat st;
	size_t size;
	char *text;

	tempdir_make();
	ck_assert_int_eq(fileio_write(tempdir_path("a"), "one\0two", 7, 0640, NULL), 0);
	text = fileio_read(tempdir_path("a"), 100, &size, NULL);
	ck_assert_uint_eq(size, 7);
	ck_assert_int_eq(memcmp(text, "one\0two", 8), 0);
	free(text);
	ck_assert_int_eq(stat(tempdir_path("a"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0640);
	ck_assert_int_eq(fileio_write_volatile(tempdir_path("a"), "x", 1, 0600, NULL), 0);
	text = fileio_read(tempdir_path("a"), 1, NULL, NULL);
	ck_assert_str_eq(text, "x");
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(a_file_that_is_too_big_is_refused)
{
	struct err err;

	tempdir_make();
	tempdir_put("a", "0123456789");
	ck_assert_ptr_null(fileio_read(tempdir_path("a"), 9, NULL, &err));
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_ptr_nonnull(strstr(err.text, "File too large"));
	tempdir_remove();
}
END_TEST

START_TEST(links_fifos_and_missing_files_are_refused)
{
	struct err err;
	char *text;

	tempdir_make();
	tempdir_put("a", "secret");
	ck_assert_int_eq(symlink("a", tempdir_path("link")), 0);
	ck_assert_int_eq(mkfifo(tempdir_path("fifo"), 0600), 0);
	ck_assert_ptr_null(fileio_read(tempdir_path("link"), 99, NULL, &err));
	ck_assert_int_eq(errno, ELOOP);
	text = fileio_read_linked(tempdir_path("link"), 99, &err);
	ck_assert_str_eq(text, "secret");
	free(text);
	ck_assert_ptr_null(fileio_read(tempdir_path("fifo"), 99, NULL, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "not a regular file"));
	ck_assert_ptr_null(fileio_read(tempdir_path("b"), 99, NULL, &err));
	ck_assert_int_eq(errno, ENOENT);
	tempdir_remove();
}
END_TEST

START_TEST(a_link_in_the_way_of_a_write_is_replaced_not_followed)
{
	char *text;

	tempdir_make();
	tempdir_put("victim", "safe");
	ck_assert_int_eq(symlink("victim", tempdir_path("a")), 0);
	ck_assert_int_eq(fileio_write(tempdir_path("a"), "x", 1, 0600, NULL), 0);
	text = fileio_read(tempdir_path("victim"), 99, NULL, NULL);
	ck_assert_str_eq(text, "safe");
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(a_failed_write_leaves_the_old_text_and_no_litter)
{
	struct err err;

	tempdir_make();
	ck_assert_int_eq(fileio_write(tempdir_path("no/such"), "x", 1, 0600, &err), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(rmdir(tempdir_name), 0);
}
END_TEST

START_TEST(a_folder_is_made_once_and_a_foreign_one_is_refused)
{
	struct stat st;
	struct err err;

	tempdir_make();
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), 0);
	ck_assert_int_eq(chmod(tempdir_path("d"), 0755), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), 0);
	ck_assert_int_eq(stat(tempdir_path("d"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(chmod(tempdir_path("d"), 0777), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "with mode 777"));
	ck_assert_int_eq(symlink("d", tempdir_path("l")), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("l"), 0700, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "not a folder"));
	tempdir_remove();
}
END_TEST

START_TEST(a_write_lasts_as_long_as_its_name_says)
{
	tempdir_make();
	fileio_write_volatile(tempdir_path("a"), "x", 1, 0600, NULL);
	ck_assert_int_eq(files_synced, 0);
	ck_assert_int_eq(folders_synced, 0);
	fileio_write_before(tempdir_path("a"), "x", 1, 0600, NULL);
	ck_assert_int_eq(files_synced, 1);
	ck_assert_int_eq(folders_synced, 0);
	fileio_write(tempdir_path("a"), "x", 1, 0600, NULL);
	ck_assert_int_eq(files_synced, 2);
	ck_assert_int_eq(folders_synced, 1);
	tempdir_remove();
}
END_TEST

START_TEST(a_tree_that_cannot_be_looked_into_is_told)
{
	struct rlimit limit, none;
	struct err err;
	int rc;

	tempdir_make();
	tempdir_put("t/f", "x");
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	rc = fileio_rmtree(tempdir_path("t"), &err);
	setrlimit(RLIMIT_NOFILE, &limit);
	ck_assert_int_eq(rc, -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': Too many open files"));
	ck_assert_int_eq(access(tempdir_path("t/f"), F_OK), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_write_that_is_cut_short_or_interrupted_goes_on)
{
	char *text;
	size_t size;
	int rc;

	tempdir_make();
	write_most = 3;
	rc = fileio_write(tempdir_path("a"), "12345678", 8, 0600, NULL);
	write_most = 0;
	ck_assert_int_eq(rc, 0);
	text = fileio_read(tempdir_path("a"), 100, &size, NULL);
	ck_assert_uint_eq(size, 8);
	ck_assert_str_eq(text, "12345678");
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(a_tree_is_removed_and_links_out_of_it_are_not_followed)
{
	tempdir_make();
	ck_assert_int_eq(mkdir(tempdir_path("t"), 0700), 0);
	ck_assert_int_eq(mkdir(tempdir_path("t/u"), 0700), 0);
	tempdir_put("t/u/f", "x");
	tempdir_put("keep", "x");
	ck_assert_int_eq(symlink("../../keep", tempdir_path("t/u/l")), 0);
	ck_assert_int_eq(symlink("..", tempdir_path("t/up")), 0);
	ck_assert_int_eq(fileio_rmtree(tempdir_path("t"), NULL), 0);
	ck_assert_int_eq(fileio_rmtree(tempdir_path("t"), NULL), 0);
	ck_assert_int_eq(access(tempdir_path("t"), F_OK), -1);
	ck_assert_int_eq(access(tempdir_path("keep"), F_OK), 0);
	tempdir_remove();
}
END_TEST

/* A file of so many bytes, all of them 'x', is read whole. */
static void expect_whole(size_t size)
{
	char *data = malloc(size), *text;
	size_t got = 0;

	memset(data, 'x', size);
	ck_assert_int_eq(fileio_write_before(tempdir_path("a"), data, size, 0600, NULL), 0);
	text = fileio_read(tempdir_path("a"), size, &got, NULL);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(got, size);
	ck_assert_uint_eq(strspn(text, "x"), size);
	ck_assert_uint_eq(strlen(text), size);
	free(text);
	free(data);
}

START_TEST(a_file_of_any_length_is_read_whole)
{
	tempdir_make();
	expect_whole(1);
	expect_whole(4094);
	expect_whole(4095);
	expect_whole(4096);
	expect_whole(4097);
	expect_whole(100000);
	tempdir_remove();
}
END_TEST

START_TEST(a_file_may_lie_in_the_working_directory)
{
	char *text;

	tempdir_make();
	ck_assert_int_eq(chdir(tempdir_name), 0);
	ck_assert_int_eq(fileio_write("a", "x", 1, 0600, NULL), 0);
	text = fileio_read("a", 1, NULL, NULL);
	ck_assert_str_eq(text, "x");
	free(text);
	ck_assert_int_eq(chdir("/"), 0);
	tempdir_remove();
}
END_TEST

/* Nothing but what it had is in the folder. */
static void expect_no_litter(const char *name)
{
	ck_assert_int_eq(fileio_rmtree(tempdir_path(name), NULL), 0);
	ck_assert_int_eq(rmdir(tempdir_name), 0);
}

START_TEST(a_write_that_does_not_fit_leaves_the_old_text)
{
	struct rlimit limit = { 4, RLIM_INFINITY };
	struct err err;
	char *text;
	int rc;

	tempdir_make();
	tempdir_put("a", "old");
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit); /* for Check's own file, too */
	rc = fileio_write(tempdir_path("a"), "newer", 5, 0600, &err);
	limit.rlim_cur = RLIM_INFINITY;
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(rc, -1);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot write"));
	ck_assert_ptr_nonnull(strstr(err.text, "File too large"));
	text = fileio_read(tempdir_path("a"), 99, NULL, NULL);
	ck_assert_str_eq(text, "old");
	free(text);
	expect_no_litter("a");
}
END_TEST

/* Whoever may write there, and not look, cannot make sure that a name lasts. */
START_TEST(what_may_not_last_is_not_said_to_be_written)
{
	struct err err;

	tempdir_make();
	if (geteuid() == 0)
		ck_assert(chown(tempdir_name, 65534, 65534) == 0 && seteuid(65534) == 0);
	ck_assert_int_eq(chmod(tempdir_name, 0300), 0);
	ck_assert_int_eq(fileio_write(tempdir_path("a"), "x", 1, 0600, &err), -1);
	ck_assert_int_eq(errno, EACCES);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot write"));
	ck_assert_int_eq(fileio_write_before(tempdir_path("b"), "x", 1, 0600, &err), 0);
	ck_assert_int_eq(chmod(tempdir_name, 0700), 0);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_folder_is_not_replaced_by_a_file)
{
	struct err err;

	tempdir_make();
	ck_assert_int_eq(mkdir(tempdir_path("a"), 0700), 0);
	ck_assert_int_eq(fileio_write_volatile(tempdir_path("a"), "x", 1, 0600, &err), -1);
	ck_assert_int_eq(errno, EISDIR);
	ck_assert_ptr_nonnull(strstr(err.text, "Is a directory"));
	expect_no_litter("a");
}
END_TEST

START_TEST(a_folder_has_its_mode_whatever_the_umask_is)
{
	struct stat st;
	struct err err;

	tempdir_make();
	umask(077);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0755, &err), 0);
	umask(022);
	ck_assert_int_eq(stat(tempdir_path("d"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0755);
	ck_assert_int_eq(chmod(tempdir_path("d"), 0700), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0755, &err), 0);
	ck_assert_int_eq(stat(tempdir_path("d"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(chmod(tempdir_path("d"), 0720), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0755, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "with mode 720; it must be"));
	ck_assert_int_eq(fileio_mkdir(tempdir_path("no/d"), 0755, &err), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot make folder"));
	tempdir_put("f", "");
	ck_assert_int_eq(fileio_mkdir(tempdir_path("f"), 0755, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "exists and is not a folder"));
	tempdir_remove();
}
END_TEST

START_TEST(a_folder_of_somebody_else_is_refused)
{
	struct err err;

	tempdir_make();
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(tempdir_path("d"), 1, 1), 0);
		ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.text, "belongs to uid 1 with mode 700"));
	}
	tempdir_remove();
}
END_TEST

UNIT_MAIN("fileio", what_is_written_is_read_back_with_its_mode, a_file_that_is_too_big_is_refused,
	  links_fifos_and_missing_files_are_refused,
	  a_link_in_the_way_of_a_write_is_replaced_not_followed,
	  a_failed_write_leaves_the_old_text_and_no_litter,
	  a_folder_is_made_once_and_a_foreign_one_is_refused,
	  a_write_lasts_as_long_as_its_name_says, a_tree_that_cannot_be_looked_into_is_told,
	  a_write_that_is_cut_short_or_interrupted_goes_on,
	  a_tree_is_removed_and_links_out_of_it_are_not_followed,
	  a_file_of_any_length_is_read_whole, a_file_may_lie_in_the_working_directory,
	  a_write_that_does_not_fit_leaves_the_old_text,
	  what_may_not_last_is_not_said_to_be_written, a_folder_is_not_replaced_by_a_file,
	  a_folder_has_its_mode_whatever_the_umask_is, a_folder_of_somebody_else_is_refused)
