/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filesystems that are mounted while a job runs, by tables of then and now. */
#include <check.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client/client.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define ROOT "21 1 8:2 / / rw,relatime shared:1 - xfs /dev/sda2 rw\n"
#define WORK "80 21 0:60 / /work rw,relatime - nfs4 srv:/work rw,vers=4.2\n"
#define PROJECT                                                                \
	"81 21 0:60 /p /srv/my\\040p ro,relatime - nfs4 srv:/work/p rw\n"
#define LATE "90 21 0:71 / /late rw,relatime - nfs srv:/late rw,vers=3\n"

/* Of mount_table=, in the same order. */
#define T_WORK "srv:/work /work nfs4 rw,vers=4.2 0 0\n"
#define T_PROJECT "srv:/work/p /srv/my\\040p nfs4 ro 0 0\n"
#define T_LATE "srv:/late /late nfs rw,vers=3 0 0\n"

static char *const work[] = { (char *)"/work" };
static char then_path[512], now_path[512];

/* The job found /work. */
static struct client_moments moments = { then_path, now_path, work, 1 };

static void tables(const char *then, const char *now)
{
	snprintf(then_path, sizeof(then_path), "%s", tempdir_put("then", then));
	snprintf(now_path, sizeof(now_path), "%s", tempdir_put("now", now));
}

/* Of a client of this type, with this in mount_table= and mounts=. */
static int since(enum client_type type, const char *mounts, const char *table)
{
	struct config_client section = {
		.name = (char *)"home",
		.type = type,
		.mounts = (char *)mounts,
		.timeout_ms = 1000,
		.mount_table = (char *)(table ? tempdir_put("mounts", table)
					      : tempdir_path("nowhere")),
	};
	struct client *client = client_open(&section, NULL, NULL, NULL);
	int rc;

	ck_assert_ptr_nonnull(client);
	rc = client_mounted_since(client, &moments, NULL);
	client_close(client);
	return rc;
}

static int nfs_since(const char *then, const char *now, const char *table)
{
	tables(then, now);
	return since(CLIENT_NFS, "", table);
}

START_TEST(what_was_there_when_the_job_began_is_not_late)
{
	tempdir_make();
	ck_assert_int_eq(nfs_since(ROOT WORK, ROOT WORK, T_WORK), 0);
	/* it had no place in the record, and one in the table */
	ck_assert_int_eq(
		nfs_since(ROOT WORK LATE, ROOT WORK LATE, T_WORK T_LATE), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_superblock_that_no_mount_of_the_client_showed_is_late)
{
	tempdir_make();
	ck_assert_int_eq(nfs_since(ROOT WORK, ROOT WORK LATE, T_WORK T_LATE),
			 1);
	ck_assert_int_eq(nfs_since(ROOT, ROOT LATE, T_LATE), 1);
	tempdir_remove();
}
END_TEST

START_TEST(another_place_of_a_superblock_that_was_there_is_not_late)
{
	tempdir_make();
	ck_assert_int_eq(
		nfs_since(ROOT WORK, ROOT WORK PROJECT, T_WORK T_PROJECT), 0);
	/* of the two one is */
	ck_assert_int_eq(nfs_since(ROOT WORK, ROOT WORK PROJECT LATE,
				   T_WORK T_PROJECT T_LATE),
			 1);
	tempdir_remove();
}
END_TEST

START_TEST(of_several_mounts_on_one_place_the_last_is_meant)
{
	tempdir_make();
	ck_assert_int_eq(nfs_since(ROOT WORK,
				   ROOT WORK "91 21 0:60 / /late rw - nfs4 "
					     "srv:/work rw\n" LATE,
				   T_WORK T_LATE),
			 1);
	tempdir_remove();
}
END_TEST

START_TEST(a_number_that_another_type_had_is_late)
{
	tempdir_make();
	ck_assert_int_eq(nfs_since(ROOT WORK
				   "90 21 0:71 / /late rw - tmpfs t rw\n",
				   ROOT WORK LATE, T_WORK T_LATE),
			 1);
	tempdir_remove();
}
END_TEST

START_TEST(a_mount_that_the_table_of_now_does_not_show_is_late)
{
	tempdir_make();
	ck_assert_int_eq(nfs_since(ROOT WORK, ROOT WORK, T_WORK T_LATE), 1);
	tempdir_remove();
}
END_TEST

START_TEST(mounts_that_are_not_the_clients_are_not_late)
{
	tempdir_make();
	tables(ROOT, ROOT LATE);
	ck_assert_int_eq(since(CLIENT_LUSTRE, "", T_LATE), 0);
	ck_assert_int_eq(since(CLIENT_NFS, "/work", T_LATE), 0);
	ck_assert_int_eq(since(CLIENT_NFS, "/work /late", T_LATE), 1);
	/* a server's own */
	ck_assert_int_eq(
		since(CLIENT_LUSTRE, "",
		      "/dev/sdc /ost lustre rw,svname=w-OST0000 0 0\n"),
		0);
	ck_assert_int_eq(since(CLIENT_LUSTRE, "",
			       "192.0.2.60@tcp:/w /w lustre rw 0 0\n"),
			 1);
	tempdir_remove();
}
END_TEST

START_TEST(without_a_table_of_then_nobody_knows)
{
	tempdir_make();
	tables(ROOT, ROOT LATE);
	ck_assert_int_eq(unlink(then_path), 0);
	ck_assert_int_eq(since(CLIENT_NFS, "", T_LATE), -1);
	/* nothing is asked for */
	ck_assert_int_eq(since(CLIENT_NFS, "", T_WORK), 0);
	/* nor what is mounted now */
	ck_assert_int_eq(nfs_since(ROOT WORK, ROOT WORK, NULL), -1);
	tempdir_remove();
}
END_TEST

START_TEST(the_first_place_of_a_table_counts_like_any_other)
{
	tempdir_make();
	ck_assert_int_eq(nfs_since(LATE ROOT, LATE ROOT, T_LATE), 0);
	ck_assert_int_eq(nfs_since(ROOT, LATE ROOT, T_LATE), 1);
	tempdir_remove();
}
END_TEST

START_TEST(each_target_that_the_job_found_is_known)
{
	static char *const two[] = { (char *)"/work", (char *)"/late" };

	tempdir_make();
	ck_assert_int_eq(nfs_since(ROOT WORK, ROOT WORK LATE, T_WORK T_LATE),
			 1);
	moments.targets = two;
	moments.count = 2;
	ck_assert_int_eq(nfs_since(ROOT WORK, ROOT WORK LATE, T_WORK T_LATE),
			 0);
	tempdir_remove();
}
END_TEST

/* A superblock has two numbers of at most ten digits. */
START_TEST(a_place_whose_superblock_has_no_number_is_late)
{
	static const char odd[] =
		"90 21 12345678901:123456789012 / /late rw - nfs srv:/l rw\n";
	static const char even[] =
		"90 21 12345678901:12345678901 / /late rw - nfs srv:/l rw\n";

	tempdir_make();
	ck_assert_int_eq(nfs_since(odd, odd, T_LATE), 1);
	ck_assert_int_eq(nfs_since(even, even, T_LATE), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_node_may_have_many_mounts)
{
	char then[4000] = "", now[4200];
	int i;

	for (i = 0; i < 40; i++)
		sprintf(then + strlen(then),
			"%d 21 0:%d / /m%d rw - nfs srv:/m%d rw\n", 100 + i,
			100 + i, i, i);
	snprintf(now, sizeof(now), "%s%s", then, LATE);
	tempdir_make();
	ck_assert_int_eq(nfs_since(then, now, "srv:/m39 /m39 nfs rw 0 0\n"), 0);
	ck_assert_int_eq(nfs_since(then, now, T_LATE), 1);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("late", what_was_there_when_the_job_began_is_not_late,
	  a_superblock_that_no_mount_of_the_client_showed_is_late,
	  another_place_of_a_superblock_that_was_there_is_not_late,
	  of_several_mounts_on_one_place_the_last_is_meant,
	  a_number_that_another_type_had_is_late,
	  a_mount_that_the_table_of_now_does_not_show_is_late,
	  mounts_that_are_not_the_clients_are_not_late,
	  without_a_table_of_then_nobody_knows,
	  the_first_place_of_a_table_counts_like_any_other,
	  each_target_that_the_job_found_is_known,
	  a_place_whose_superblock_has_no_number_is_late,
	  a_node_may_have_many_mounts)
