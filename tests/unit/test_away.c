/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "spank/away.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct away away;

/* More than the clock of inodes may be behind. */
static void wait_a_while(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 60000000 }, NULL);
}

static const char *plugin(void)
{
	return tempdir_path("jobio.so");
}

static void begin(void)
{
	tempdir_make();
	tempdir_put("jobio.so", "one");
	wait_a_while();
	away_open(&away, plugin());
	ck_assert(away.is_open);
}

static void end(void)
{
	away_close(&away);
	ck_assert(!away_was(&away));
	tempdir_remove();
}

START_TEST(a_plugin_that_stays_was_not_away)
{
	begin();
	ck_assert(!away_was(&away));
	end();
}
END_TEST

START_TEST(a_plugin_that_is_removed_is_away)
{
	begin();
	ck_assert_int_eq(unlink(plugin()), 0);
	ck_assert(away_was(&away));
	end();
}
END_TEST

START_TEST(a_plugin_that_was_removed_and_came_again_was_away)
{
	begin();
	ck_assert_int_eq(unlink(plugin()), 0);
	wait_a_while();
	tempdir_put("jobio.so", "two");
	ck_assert(away_was(&away));
	end();
	begin(); /* moved aside, as by hand */
	ck_assert_int_eq(rename(plugin(), tempdir_path("aside")), 0);
	wait_a_while();
	tempdir_put("jobio.so", "two");
	ck_assert(away_was(&away));
	end();
}
END_TEST

/* As dpkg does it, which keeps a link to the old one until all is unpacked; and
 * without one, as rpm does. */
START_TEST(a_plugin_that_another_was_renamed_over_was_not_away)
{
	begin();
	ck_assert_int_eq(link(plugin(), tempdir_path("jobio.so.dpkg-tmp")), 0);
	tempdir_put("jobio.so.dpkg-new", "two");
	wait_a_while();
	ck_assert_int_eq(rename(tempdir_path("jobio.so.dpkg-new"), plugin()), 0);
	ck_assert(!away_was(&away));
	wait_a_while();
	ck_assert_int_eq(unlink(tempdir_path("jobio.so.dpkg-tmp")), 0);
	ck_assert(!away_was(&away));
	end();
	begin();
	tempdir_put("jobio.so;1", "two");
	wait_a_while();
	ck_assert_int_eq(rename(tempdir_path("jobio.so;1"), plugin()), 0);
	ck_assert(!away_was(&away));
	end();
}
END_TEST

START_TEST(a_plugin_whose_old_inode_tells_no_time_may_have_been_away)
{
	struct stat st;

	begin();
	tempdir_put("new", "two");
	ck_assert_int_eq(rename(tempdir_path("new"), plugin()), 0);
	ck_assert_int_eq(fstat(away.fd, &st), 0);
	away.changed = st.st_ctim; /* as if it had not changed */
	ck_assert(away_was(&away));
	end();
}
END_TEST

START_TEST(a_plugin_without_an_absolute_path_is_not_watched)
{
	begin();
	away_close(&away);
	ck_assert_int_eq(chdir(tempdir_name), 0);
	away_open(&away, "jobio.so");
	ck_assert(!away.is_open && !away_was(&away));
	away_open(&away, tempdir_path("none"));
	ck_assert(!away.is_open && !away_was(&away));
	end();
}
END_TEST

START_TEST(a_plugin_that_cannot_be_looked_at_any_more_was_not_away)
{
	begin();
	close(away.fd);
	ck_assert(!away_was(&away));
	end();
}
END_TEST

START_TEST(a_plugin_that_came_after_the_prolog_is_newer_than_what_that_left)
{
	struct stat st;

	begin();
	ck_assert(!away_is_newer(&away, tempdir_path("gate")));
	tempdir_put("gate", "");
	ck_assert(!away_is_newer(&away, tempdir_path("gate")));
	away_close(&away);
	wait_a_while();
	ck_assert_int_eq(chmod(plugin(), 0600), 0);
	away_open(&away, plugin());
	ck_assert(away_is_newer(&away, tempdir_path("gate")));
	/* by a nanosecond */
	ck_assert_int_eq(stat(tempdir_path("gate"), &st), 0);
	away.changed = st.st_mtim;
	ck_assert(!away_is_newer(&away, tempdir_path("gate")));
	st.st_mtim.tv_nsec = 0;
	away.changed = st.st_mtim;
	away.changed.tv_nsec = 1;
	ck_assert_int_eq(utimensat(AT_FDCWD, tempdir_path("gate"),
				   (struct timespec[]){ st.st_mtim, st.st_mtim }, 0),
			 0);
	ck_assert(away_is_newer(&away, tempdir_path("gate")));
	end();
}
END_TEST

static void expect_text(const char *name, const char *wanted)
{
	char *text = fileio_read(tempdir_path(name), 600, NULL, NULL);

	ck_assert_str_eq(text ? text : "none", wanted);
	free(text);
}

START_TEST(the_epilog_is_told_that_it_was_and_where_it_is)
{
	struct stat st;

	begin();
	away_note(tempdir_path("."), 7); /* no prolog has made a folder */
	ck_assert_int_lt(access(tempdir_path("7"), F_OK), 0);
	ck_assert_int_eq(mkdir(tempdir_path("7"), 0700), 0);
	umask(0);
	away_note(tempdir_path("."), 7);
	expect_text("7/away", "");
	ck_assert_int_eq(stat(tempdir_path("7/away"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(st.st_size, 0);
	away_note_path(&away, tempdir_path("."));
	expect_text("plugin", plugin());
	ck_assert_int_eq(stat(tempdir_path("plugin"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	tempdir_put("plugin", "/elsewhere/jobio.so");
	away_note_path(&away, tempdir_path("."));
	expect_text("plugin", plugin());
	end();
}
END_TEST

UNIT_MAIN("away", a_plugin_that_stays_was_not_away, a_plugin_that_is_removed_is_away,
	  a_plugin_that_was_removed_and_came_again_was_away,
	  a_plugin_that_another_was_renamed_over_was_not_away,
	  a_plugin_whose_old_inode_tells_no_time_may_have_been_away,
	  a_plugin_without_an_absolute_path_is_not_watched,
	  a_plugin_that_cannot_be_looked_at_any_more_was_not_away,
	  a_plugin_that_came_after_the_prolog_is_newer_than_what_that_left,
	  the_epilog_is_told_that_it_was_and_where_it_is)
