/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filesystems that a job's namespace has alone, by files like those of /proc. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spank/own_mounts.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define NODE                                                                   \
	"25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"              \
	"30 25 0:52 / /home rw shared:2 - nfs4 srv:/home rw,vers=4.2\n"        \
	"31 25 0:40 / /net rw shared:3 - autofs /etc/auto.net rw,indirect\n"

static char types[OWN_MOUNTS_MAX];

/* As at the begin of a task: 1: there are some, 0: none, -1: unknown. */
static int find_types(const char *proc)
{
	char *mine, *nodes;
	int rc = -1;

	*types = '\0';
	if (own_mounts_none(proc))
		return 0;
	mine = own_mounts_table(proc, "self");
	nodes = own_mounts_table(proc, "1");
	if (mine && nodes) {
		own_mounts_types(mine, nodes, types);
		rc = *types != '\0';
	}
	free(mine);
	free(nodes);
	return rc;
}

/* The task is in this namespace and has this table; the node is in mnt:[1]. */
static int find(const char *namespace, const char *mine)
{
	static const char *const folders[] = { "self", "self/ns", "1", "1/ns" };
	size_t i;
	int rc;

	tempdir_make();
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		ck_assert_int_eq(mkdir(tempdir_path(folders[i]), 0700), 0);
	ck_assert_int_eq(symlink(namespace, tempdir_path("self/ns/mnt")), 0);
	if (!strcmp(namespace, "hidden"))
		ck_assert_int_eq(rmdir(tempdir_path("1/ns")), 0);
	else
		ck_assert_int_eq(symlink("mnt:[1]", tempdir_path("1/ns/mnt")),
				 0);
	tempdir_put("1/mountinfo", NODE);
	if (mine)
		tempdir_put("self/mountinfo", mine);
	rc = find_types(tempdir_path("."));
	tempdir_remove();
	return rc;
}

START_TEST(in_the_namespace_of_the_node_no_mount_is_own)
{
	ck_assert_int_eq(find("mnt:[1]", "40 25 0:90 / /x rw - nfs4 a:/ rw\n"),
			 0);
	ck_assert_str_eq(types, "");
}
END_TEST

START_TEST(what_only_the_task_has_is_own_each_type_once)
{
	ck_assert_int_eq(
		find("mnt:[2]", NODE
		     "40 25 0:90 / /tmp rw,nosuid - tmpfs tmpfs rw\n"
		     "41 25 0:91 / /scratch rw - nfs4 srv:/scratch rw\n"
		     "42 25 0:92 / /data rw shared:9 - nfs4 other:/ rw\n"
		     "43 25 0:93 / /work rw - lustre 192.0.2.1@tcp:/w rw\n"),
		1);
	ck_assert_str_eq(types, "tmpfs nfs4 lustre");
}
END_TEST

START_TEST(where_the_namespace_is_not_told_the_tables_tell)
{
	ck_assert_int_eq(find("hidden", NODE), 0);
	ck_assert_int_eq(find("hidden", NODE "41 25 0:91 / /s rw - nfs a:/ rw"),
			 1);
	ck_assert_str_eq(types, "nfs");
}
END_TEST

START_TEST(another_place_of_what_the_node_has_is_not_own)
{
	ck_assert_int_eq(
		find("mnt:[2]", NODE
		     "40 25 0:52 /alice /workspace rw - nfs4 srv:/home rw\n"),
		0);
	ck_assert_str_eq(types, "");
	/* 0:5 is not 0:52 */
	ck_assert_int_eq(find("mnt:[2]", "40 25 0:5 / /x rw - nfs a:/ rw\n"),
			 1);
	ck_assert_str_eq(types, "nfs");
}
END_TEST

START_TEST(what_cannot_be_read_is_unknown_and_odd_lines_say_nothing)
{
	char proc[64];

	ck_assert_int_eq(find("mnt:[2]", NULL), -1);
	snprintf(proc, sizeof(proc), "/nonexistent");
	ck_assert_int_eq(find_types(proc), -1);
	ck_assert_int_eq(find("mnt:[2]", "40\n40 25\n40 25 0:90 / /x rw nfs\n"
					 "40 25 0:90 / /x rw - \n"
					 "40 25 0:90 / /x rw - \"nfs a:/ rw\n"
					 "\n40 25 0:90"),
			 0);
	ck_assert_str_eq(types, "");
}
END_TEST

START_TEST(more_types_than_there_is_room_for_are_left_out)
{
	char table[8192] = "", line[64];
	int i;

	for (i = 0; i < 90; i++) {
		snprintf(line, sizeof(line),
			 "40 25 0:%d / /x rw - filesystem%d a rw\n", 100 + i,
			 i);
		strcat(table, line);
	}
	ck_assert_int_eq(find("mnt:[2]", table), 1);
	ck_assert_uint_lt(strlen(types), OWN_MOUNTS_MAX);
	ck_assert_ptr_nonnull(strstr(types, "filesystem0 filesystem1 "));
}
END_TEST

UNIT_MAIN("own_mounts", in_the_namespace_of_the_node_no_mount_is_own,
	  what_only_the_task_has_is_own_each_type_once,
	  where_the_namespace_is_not_told_the_tables_tell,
	  another_place_of_what_the_node_has_is_not_own,
	  what_cannot_be_read_is_unknown_and_odd_lines_say_nothing,
	  more_types_than_there_is_room_for_are_left_out)
