/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filesystems that a job's namespace has alone, by files like those of /proc. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "spank/own_mounts.h"
#include "spank/own_node.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define NODE                                                                   \
	"25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"              \
	"30 25 0:52 / /home rw shared:2 - nfs4 srv:/home rw,vers=4.2\n"        \
	"31 25 0:40 / /net rw shared:3 - autofs /etc/auto.net rw,indirect\n"

static char types[OWN_MOUNTS_MAX];

/* 1: the types were looked for, and there are some; 0: there are none, or the task
 * is in the namespace of the node; -1: unknown. */
static int look(const char *proc, const char *noted)
{
	struct own_node node;
	char *mine;
	int rc = -1;

	*types = '\0';
	if (own_node_is_ours(proc, noted))
		return 0;
	mine = own_mounts_table(proc, "self");
	own_node_load(&node, proc, noted);
	if (mine && node.mounts) {
		own_mounts_types(mine, node.mounts, types);
		rc = *types != '\0';
	}
	own_node_free(&node);
	free(mine);
	return rc;
}

static void make_processes(void)
{
	static const char *const folders[] = { "self", "self/ns", "1", "1/ns" };
	size_t i;

	tempdir_make();
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		ck_assert_int_eq(mkdir(tempdir_path(folders[i]), 0700), 0);
}

/* The task is in this namespace and has this table; process 1 is in mnt:[1], which
 * has NODE, or what the task has where both are in it. */
static int find_noted(const char *namespace, const char *mine,
		      const char *noted)
{
	char path[512];
	int rc;

	make_processes();
	if (noted)
		snprintf(path, sizeof(path), "%s", tempdir_put("noted", noted));
	ck_assert_int_eq(symlink(namespace, tempdir_path("self/ns/mnt")), 0);
	if (!strcmp(namespace, "hidden"))
		ck_assert_int_eq(rmdir(tempdir_path("1/ns")), 0);
	else
		ck_assert_int_eq(symlink("mnt:[1]", tempdir_path("1/ns/mnt")),
				 0);
	tempdir_put("1/mountinfo",
		    mine && !strcmp(namespace, "mnt:[1]") ? mine : NODE);
	if (mine)
		tempdir_put("self/mountinfo", mine);
	rc = look(tempdir_path("."), noted ? path : NULL);
	tempdir_remove();
	return rc;
}

static int find(const char *namespace, const char *mine)
{
	return find_noted(namespace, mine, NULL);
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
	ck_assert_int_eq(find("mnt:[2]", NULL), -1);
	ck_assert_int_eq(look("/nonexistent", NULL), -1);
	ck_assert_int_eq(find("mnt:[2]", "40\n40 25\n40 25 0:90 / /x rw nfs\n"
					 "40 25 0:90 / /x rw - \n"
					 "40 25 0:90 / /x rw - \"nfs a:/ rw\n"
					 "40 25  / /x rw - nfs a:/ rw\n"
					 "\n40 25 0:90"),
			 0);
	ck_assert_str_eq(types, "");
	ck_assert_int_eq(find("mnt:[2]", "40\n41 25 0:91 / /y rw - nfs a:/ rw\n"
					 "40 25 0:90 / /x rw - \n"
					 "42 25 0:92 / /z rw - tmpfs a rw\n"),
			 1);
	ck_assert_str_eq(types, "nfs tmpfs");
}
END_TEST

START_TEST(a_type_whose_name_is_in_anothers_is_a_type_of_its_own)
{
	ck_assert_int_eq(find("mnt:[2]",
			      "40 25 0:90 / /a rw - nfs4 a:/ rw\n"
			      "41 25 0:91 / /b rw - nfs a:/ rw\n"
			      "42 25 0:92 / /c rw - fuse.sshfs_2-x a rw\n"
			      "43 25 0:93 / /d rw - nfs4 a:/ rw\n"
			      "44 25 0:94 / /e rw - fuse a rw\n"),
			 1);
	ck_assert_str_eq(types, "nfs4 nfs fuse.sshfs_2-x fuse");
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

/* The types of a task that has these two of its own, whose names are so long. */
static const char *types_of(int first, int second)
{
	char table[1024], names[2][2 * OWN_MOUNTS_MAX];

	snprintf(names[0], sizeof(names[0]), "%0*d", first, 1);
	snprintf(names[1], sizeof(names[1]), "%0*d", second, 2);
	snprintf(table, sizeof(table),
		 "40 25 0:90 / /x rw - %s a rw\n41 25 0:91 / /y rw - %s a rw\n",
		 names[0], names[1]);
	ck_assert_int_eq(find("mnt:[2]", table), 1);
	return types;
}

START_TEST(a_type_is_told_whole_or_not_at_all)
{
	size_t room = OWN_MOUNTS_MAX - 1; /* with the final 0 */

	ck_assert_uint_eq(strlen(types_of(60, (int)room - 61)), room);
	ck_assert_uint_eq(strlen(types_of(60, (int)room - 60)), 60);
	/* the one that is too long leaves the room to others */
	ck_assert_uint_eq(strlen(types_of((int)room, 10)), 10);
	ck_assert_uint_eq(strlen(types_of((int)room - 1, 10)), room - 1);
}
END_TEST

/* ---- which namespace is the node's ------------------------------------------------ */

#define OWN NODE "40 25 0:91 / /data rw - lustre 192.0.2.1@tcp:/w rw\n"

START_TEST(where_process_1_is_the_jobs_the_prolog_has_noted_the_node)
{
	/* the job's PID namespace: process 1 is in its mount namespace, too */
	ck_assert_int_eq(find_noted("mnt:[1]", OWN, "mnt:[9]\n/w\n" NODE), 1);
	ck_assert_str_eq(types, "lustre");
	ck_assert_int_eq(find_noted("mnt:[1]", NODE, "mnt:[9]\n\n" NODE), 0);
}
END_TEST

START_TEST(mounts_of_now_win_over_those_that_the_prolog_noted)
{
	/* process 1 has NODE; the prolog had no more than / */
	ck_assert_int_eq(find_noted("mnt:[2]", OWN,
				    "mnt:[1]\n\n25 1 8:1 / / rw - ext4 a rw\n"),
			 1);
	ck_assert_str_eq(types, "lustre");
}
END_TEST

START_TEST(slurmd_in_a_namespace_of_its_own_is_the_node)
{
	ck_assert_int_eq(find_noted("mnt:[3]", OWN, "mnt:[3]\n\n" OWN), 0);
	ck_assert_int_eq(find_noted("mnt:[2]", OWN, "mnt:[3]\n\n" OWN), 0);
	ck_assert_int_eq(find_noted("mnt:[2]",
				    OWN "41 25 0:92 / /s rw - nfs a:/ rw\n",
				    "mnt:[3]\n\n" OWN),
			 1);
	ck_assert_str_eq(types, "nfs");
}
END_TEST

START_TEST(half_a_note_is_none)
{
	static const char *const odd[] = {
		"", "\n", "mnt:[3]", "mnt:[3]\n", "mnt:[3]\n/w", "mnt:[3]\n/w\n"
	};
	size_t i;

	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		ck_assert_int_eq(find_noted("mnt:[2]", OWN, odd[i]), 1);
		ck_assert_str_eq(types, "lustre");
	}
}
END_TEST

/* Is the task in the namespace of this name that of the node, by the prolog's word or,
 * without one, by process 1? */
static bool is_ours(const char *task, const char *noted, const char *first)
{
	char path[512];
	bool is;

	make_processes();
	if (task)
		ck_assert_int_eq(symlink(task, tempdir_path("self/ns/mnt")), 0);
	ck_assert_int_eq(symlink(first, tempdir_path("1/ns/mnt")), 0);
	if (noted)
		snprintf(path, sizeof(path), "%s", tempdir_put("noted", noted));
	is = own_node_is_ours(tempdir_path("."), noted ? path : NULL);
	tempdir_remove();
	return is;
}

START_TEST(a_task_is_in_the_namespace_that_the_prolog_noted_else_in_that_of_1)
{
	ck_assert(is_ours("mnt:[3]", "mnt:[3]\n\n" NODE, "mnt:[1]"));
	ck_assert(is_ours("mnt:[3]", "mnt:[3]", "mnt:[1]"));
	ck_assert(!is_ours("mnt:[3]", "mnt:[31]\n", "mnt:[3]"));
	ck_assert(is_ours("mnt:[1]", NULL, "mnt:[1]"));
	ck_assert(!is_ours("mnt:[2]", NULL, "mnt:[1]"));
	/* a note without a name is none */
	ck_assert(is_ours("mnt:[1]", "", "mnt:[1]"));
	ck_assert(is_ours("mnt:[1]", "\n\n" NODE, "mnt:[1]"));
	ck_assert(!is_ours("mnt:[2]", "\n\n" NODE, "mnt:[1]"));
	/* who cannot be looked at is nobody */
	ck_assert(!is_ours(NULL, "mnt:[1]\n", "mnt:[1]"));
}
END_TEST

START_TEST(
	without_a_process_1_to_look_at_no_task_is_in_the_namespace_of_the_node)
{
	char proc[512], first[512];
	bool was, is;

	make_processes();
	snprintf(proc, sizeof(proc), "%s", tempdir_path("."));
	snprintf(first, sizeof(first), "%s", tempdir_path("1/ns/mnt"));
	ck_assert_int_eq(symlink("mnt:[1]", tempdir_path("self/ns/mnt")), 0);
	ck_assert_int_eq(symlink("mnt:[1]", first), 0);
	was = own_node_is_ours(proc, NULL);
	unlink(first);
	is = own_node_is_ours(proc, NULL);
	ck_assert(was && !is);
	tempdir_remove();
}
END_TEST

START_TEST(names_of_namespaces_are_compared_to_the_last_character_that_fits)
{
	char a[OWN_SPACE_MAX], b[OWN_SPACE_MAX], longer[2 * OWN_SPACE_MAX];

	snprintf(a, sizeof(a), "%0*d", OWN_SPACE_MAX - 1, 1);
	snprintf(b, sizeof(b), "%0*d", OWN_SPACE_MAX - 1, 2);
	snprintf(longer, sizeof(longer), "%s3", a);
	ck_assert(is_ours(a, NULL, a));
	ck_assert(!is_ours(a, NULL, b));
	ck_assert(is_ours(a, a, b));
	ck_assert(!is_ours(a, b, a));
	/* nothing is written behind the room for one */
	ck_assert(is_ours(longer, longer, b));
	ck_assert(is_ours(a, longer, b));
}
END_TEST

START_TEST(the_prologs_note_is_read_where_standard_input_is_closed_too)
{
	char proc[512];
	bool is;

	make_processes();
	snprintf(proc, sizeof(proc), "%s", tempdir_path("."));
	tempdir_put("noted", "mnt:[3]\n");
	ck_assert_int_eq(symlink("mnt:[3]", tempdir_path("self/ns/mnt")), 0);
	ck_assert_int_eq(symlink("mnt:[1]", tempdir_path("1/ns/mnt")), 0);
	ck_assert_int_eq(close(STDIN_FILENO), 0);
	is = own_node_is_ours(proc, tempdir_path("noted"));
	ck_assert(is);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	tempdir_remove();
}
END_TEST

START_TEST(the_prologs_note_has_a_name_a_folder_and_mounts)
{
	struct own_node node;

	make_processes();
	tempdir_put("noted", "mnt:[3]\n/w\n" NODE);
	own_node_load(&node, tempdir_path("."), tempdir_path("noted"));
	ck_assert_str_eq(node.space, "mnt:[3]");
	ck_assert_str_eq(node.work_dir, "/w");
	ck_assert_str_eq(node.mounts, NODE);
	own_node_free(&node);
	ck_assert_ptr_null(node.mounts);
	tempdir_remove();
}
END_TEST

/* ---- where a path leads to --------------------------------------------------------- */

#define TMP "32 25 0:25 / /tmp rw shared:4 - tmpfs tmp rw\n"
#define JOB_TMP "58 32 8:1 /jobs/7/.7/_tmp /tmp rw - ext4 /dev/sda1 rw\n"

START_TEST(a_private_directory_is_elsewhere_with_all_below_it)
{
	ck_assert(own_mounts_is_elsewhere(NODE TMP JOB_TMP, NODE TMP, "/tmp"));
	ck_assert(own_mounts_is_elsewhere(NODE TMP JOB_TMP, NODE TMP,
					  "/tmp/a/b"));
	ck_assert(
		!own_mounts_is_elsewhere(NODE TMP JOB_TMP, NODE TMP, "/tmpx"));
	ck_assert(!own_mounts_is_elsewhere(NODE TMP JOB_TMP, NODE TMP,
					   "/home/alice"));
	ck_assert(!own_mounts_is_elsewhere(NODE TMP JOB_TMP, NODE TMP, "/"));
	/* /tmp of the node is a folder of / */
	ck_assert(own_mounts_is_elsewhere(
		NODE "58 25 8:1 /jobs/7 /tmp rw - ext4 a rw\n", NODE, "/tmp"));
	/* and this shows the same folder */
	ck_assert(!own_mounts_is_elsewhere(
		NODE "58 25 8:1 /tmp /tmp rw - ext4 a rw\n", NODE, "/tmp/a"));
}
END_TEST

START_TEST(what_a_private_directory_hides_is_elsewhere_too)
{
	static const char below[] =
		"33 32 0:26 / /tmp/deep rw - tmpfs deep rw\n";
	char mine[1024], nodes[512];

	snprintf(nodes, sizeof(nodes), "%s%s%s", NODE, TMP, below);
	snprintf(mine, sizeof(mine), "%s%s", nodes, JOB_TMP);
	/* JOB_TMP stands on /tmp, before the way to /tmp/deep */
	ck_assert(own_mounts_is_elsewhere(mine, nodes, "/tmp/deep/a"));
	/* once more on top of that: the node's /tmp again */
	strcat(mine, "60 58 0:25 / /tmp rw - tmpfs tmp rw\n");
	ck_assert(!own_mounts_is_elsewhere(mine, nodes, "/tmp/a"));
}
END_TEST

START_TEST(what_stands_on_the_root_hides_all_of_it)
{
	static const char on_top[] = "70 25 0:30 / / rw - overlay o rw\n";
	char mine[512];

	snprintf(mine, sizeof(mine), "%s%s", NODE, on_top);
	ck_assert(own_mounts_is_elsewhere(mine, NODE, "/home2/alice"));
	ck_assert(own_mounts_is_elsewhere(mine, NODE, "/"));
	ck_assert(!own_mounts_is_elsewhere(mine, mine, "/home2/alice"));
}
END_TEST

START_TEST(a_root_may_stand_on_itself)
{
#define SELF "1 1 8:1 / / rw - ext4 a rw\n"
	ck_assert(own_mounts_is_elsewhere(
		SELF "58 1 8:1 /jobs/7 /tmp rw - ext4 a rw\n", SELF, "/tmp"));
	ck_assert(!own_mounts_is_elsewhere(
		SELF "58 1 8:1 /jobs/7 /tmp rw - ext4 a rw\n", SELF, "/var"));
	/* and need not be the first in the table */
	ck_assert(own_mounts_is_elsewhere(
		"58 1 8:1 /jobs/7 /tmp rw - ext4 a rw\n" SELF, SELF, "/tmp"));
	/* the mount nearest to it is met first, whatever the order */
	ck_assert(own_mounts_is_elsewhere(
		SELF "59 1 0:9 / /tmp/a rw - tmpfs t rw\n"
		     "58 1 8:1 /jobs/7 /tmp rw - ext4 a rw\n",
		SELF "59 1 0:9 / /tmp/a rw - tmpfs t rw\n", "/tmp/a"));
}
END_TEST

START_TEST(what_the_node_mounts_when_somebody_comes_is_the_same_place)
{
	ck_assert(!own_mounts_is_elsewhere(
		NODE "50 31 0:70 / /net/srv rw - nfs4 srv:/ rw\n", NODE,
		"/net/srv/alice"));
}
END_TEST

START_TEST(paths_and_tables_that_say_nothing_are_not_elsewhere)
{
	ck_assert(!own_mounts_is_elsewhere(NODE TMP JOB_TMP, NODE TMP, ""));
	ck_assert(!own_mounts_is_elsewhere(NODE TMP JOB_TMP, NODE TMP, "tmp"));
	ck_assert(!own_mounts_is_elsewhere("", NODE, "/tmp"));
	ck_assert(!own_mounts_is_elsewhere(NODE, "25 1\n", "/tmp"));
	/* a table without a root: of a folder, of one that stands on another */
	ck_assert(!own_mounts_is_elsewhere(JOB_TMP, NODE, "/tmp"));
	ck_assert(!own_mounts_is_elsewhere(
		"1 2 8:1 /x / rw - ext4 a rw\n2 1 8:1 / /t rw - ext4 a rw\n",
		NODE, "/t"));
	/* a line that ends too early */
	ck_assert(!own_mounts_is_elsewhere(NODE "58 25 8:1 /jobs/7 /tmp\n",
					   NODE, "/tmp"));
	ck_assert(!own_mounts_is_elsewhere(NODE "58 25 8:1 /jobs/7 /tmp rw\n",
					   NODE, "/tmp"));
	/* mounts that stand on each other */
	ck_assert(!own_mounts_is_elsewhere(
		"1 1 8:1 / / rw - ext4 a rw\n2 3 8:1 / /t rw - ext4 a rw\n"
		"3 2 8:1 / /t rw - ext4 a rw\n4 1 8:1 /t /t rw - ext4 a rw\n"
		"5 4 8:1 /t /t rw - ext4 a rw\n4 5 8:1 /t /t rw - ext4 a rw\n",
		"1 1 8:1 / / rw - ext4 a rw\n", "/t"));
}
END_TEST

UNIT_MAIN(
	"own_mounts", in_the_namespace_of_the_node_no_mount_is_own,
	what_only_the_task_has_is_own_each_type_once,
	where_the_namespace_is_not_told_the_tables_tell,
	another_place_of_what_the_node_has_is_not_own,
	what_cannot_be_read_is_unknown_and_odd_lines_say_nothing,
	a_type_whose_name_is_in_anothers_is_a_type_of_its_own,
	more_types_than_there_is_room_for_are_left_out,
	a_type_is_told_whole_or_not_at_all,
	where_process_1_is_the_jobs_the_prolog_has_noted_the_node,
	mounts_of_now_win_over_those_that_the_prolog_noted,
	slurmd_in_a_namespace_of_its_own_is_the_node, half_a_note_is_none,
	a_task_is_in_the_namespace_that_the_prolog_noted_else_in_that_of_1,
	the_prologs_note_is_read_where_standard_input_is_closed_too,
	the_prologs_note_has_a_name_a_folder_and_mounts,
	without_a_process_1_to_look_at_no_task_is_in_the_namespace_of_the_node,
	names_of_namespaces_are_compared_to_the_last_character_that_fits,
	a_root_may_stand_on_itself,
	a_private_directory_is_elsewhere_with_all_below_it,
	what_a_private_directory_hides_is_elsewhere_too,
	what_stands_on_the_root_hides_all_of_it,
	what_the_node_mounts_when_somebody_comes_is_the_same_place,
	paths_and_tables_that_say_nothing_are_not_elsewhere)
