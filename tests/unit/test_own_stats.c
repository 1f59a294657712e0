/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NFS that a job has in a namespace of its own: what slurmstepd leaves of a step,
 * by files like those of /proc, and what the epilog makes of it. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "spank/own_stats.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define ROOT "25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
#define HOME "30 25 0:52 / /home rw shared:2 - nfs4 srv:/home rw,vers=4.2\n"
#define NODE ROOT HOME
#define DATA "41 25 0:91 / /data rw - nfs4 srv:/data rw,vers=4.2\n"
#define BIND "42 25 0:91 /me /my\\040data rw - nfs4 srv:/data rw,vers=4.2\n"

static struct own_stats stats;
static struct own_page *page;
static char noted[512]; /* what the prolog left, if it did */

/* The part of mountstats of a mount that was made so long ago; so many MiB were
 * read from the server, and written. */
static const char *part(const char *target, int age_s, int read_mib,
			int written_mib)
{
	static char texts[4][1024];
	static int turn;
	char *text = texts[turn++ % 4];

	snprintf(
		text, sizeof(texts[0]),
		"device srv:/data mounted on %s with fstype nfs4 statvers=1.1\n"
		"\topts:\trw,vers=4.2\n\tage:\t%d\n"
		"\tbytes:\t0 0 0 0 %d %d 0 0 \n"
		"\txprt:\ttcp 802 1 1 0 0 17 17 0 9100 0 65 4 1\n"
		"\tper-op statistics\n"
		"\t        READ: %d %d 0 0 0 1 2 3 0\n"
		"\t       WRITE: %d %d 0 0 0 1 2 3 0\n\n",
		target, age_s, read_mib << 20, written_mib << 20, read_mib,
		read_mib, written_mib, written_mib);
	return text;
}

static void have(const char *table, const char *counters)
{
	char text[8192];

	snprintf(text, sizeof(text),
		 "device tmpfs mounted on /tmp with "
		 "fstype tmpfs\n%s",
		 counters);
	tempdir_put("self/mountinfo", table);
	tempdir_put("self/mountstats", text);
}

static void start(const char *namespace)
{
	static const char *const folders[] = { "self", "self/ns", "1", "1/ns" };
	size_t i;

	tempdir_make();
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		ck_assert_int_eq(mkdir(tempdir_path(folders[i]), 0700), 0);
	ck_assert_int_eq(symlink(namespace, tempdir_path("self/ns/mnt")), 0);
	ck_assert_int_eq(symlink("mnt:[1]", tempdir_path("1/ns/mnt")), 0);
	tempdir_put("1/mountinfo", NODE);
}

static void open_page(void)
{
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(page, MAP_FAILED);
	own_stats_open(&stats);
}

static void begin(const char *table, const char *counters)
{
	int status;

	open_page();
	have(table, counters);
	if (fork() == 0) {
		own_stats_begin(&stats, tempdir_path("."), noted, page);
		_exit(0);
	}
	ck_assert_int_gt(wait(&status), 0);
}

/* What is there now, though the task has ended; caller frees. */
static char *end(const char *table, const char *counters)
{
	char *text;

	have(table, counters);
	text = own_stats_end(&stats, tempdir_path("."), noted, page);
	munmap(page, sizeof(*page));
	return text;
}

/* ---- slurmstepd ------------------------------------------------------------- */

START_TEST(the_counters_at_the_begin_and_the_end_of_a_step_are_told)
{
	char *text;

	start("mnt:[2]");
	begin(NODE DATA, part("/data", 100, 5, 7));
	ck_assert_str_eq(page->types, "nfs4");
	text = end(NODE DATA, part("/data", 130, 6, 9));
	ck_assert_ptr_nonnull(text);
	ck_assert(!strncmp(text, "own 1\nbegin ", 12));
	ck_assert_ptr_nonnull(strstr(text, "\n" DATA "device srv:/data mounted "
					   "on /data with fstype nfs4 "));
	ck_assert_ptr_nonnull(strstr(text, "READ: 5 5 "));
	ck_assert_ptr_nonnull(strstr(strstr(text, "\nend "), "READ: 6 6 "));
	ck_assert_ptr_null(strstr(text, "tmpfs"));
	ck_assert_ptr_null(strstr(text, "/home"));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(in_the_namespace_of_the_node_or_without_nfs_nothing_is_told)
{
	start("mnt:[1]");
	begin(NODE DATA, part("/data", 100, 5, 7));
	ck_assert_str_eq(page->begin, "");
	ck_assert_ptr_null(end(NODE DATA, part("/data", 130, 6, 9)));
	tempdir_remove();
	start("mnt:[2]");
	begin(NODE "40 25 0:90 / /tmp rw - tmpfs tmpfs rw\n", "");
	ck_assert_str_eq(page->types, "tmpfs");
	ck_assert_ptr_null(
		end(NODE "40 25 0:90 / /tmp rw - tmpfs tmpfs rw\n", ""));
	tempdir_remove();
}
END_TEST

START_TEST(a_superblock_is_told_once_and_not_where_another_mount_hides_it)
{
	char *text, *at;

	start("mnt:[2]");
	begin(NODE DATA BIND
	      "43 41 0:92 / /data rw - nfs4 srv:/other rw,vers=4.2\n",
	      part("/data", 100, 5, 7));
	text = end(NODE DATA BIND, part("/data", 130, 6, 9));
	/* only /my data shows 0:91 at the begin */
	at = strstr(text, "begin ");
	at = strstr(at, "\n") + 1;
	ck_assert_msg(!strncmp(at, "42 25 0:91 ", 11), "%s", at);
	ck_assert_ptr_nonnull(strstr(at, "\n43 41 0:92 "));
	at = strstr(text, "\nend ") + 1;
	ck_assert_ptr_nonnull(strstr(at, "\n41 25 0:91 "));
	ck_assert_ptr_null(strstr(at, "\n42 25 0:91 "));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(nfs_that_came_during_the_step_is_told_with_its_type)
{
	char *text;

	start("mnt:[2]");
	begin(NODE, "");
	ck_assert_str_eq(page->types, "");
	have(NODE DATA, part("/data", 3, 6, 9));
	text = own_stats_end(&stats, tempdir_path("."), noted, page);
	ck_assert_str_eq(page->types, "nfs4");
	ck_assert_ptr_nonnull(strstr(strstr(text, "\nend "), "READ: 6 6 "));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(counters_that_could_not_be_read_are_told_as_such)
{
	char *text;

	start("mnt:[2]");
	begin(NODE DATA, part("/data", 100, 5, 7));
	ck_assert_int_eq(unlink(tempdir_path("1/mountinfo")), 0);
	text = end(NODE DATA, part("/data", 130, 6, 9));
	ck_assert_ptr_nonnull(strstr(text, "\nend -1\n"));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(counters_that_could_not_be_read_at_the_begin_are_told_as_such)
{
	char *text;

	start("mnt:[2]");
	open_page();
	tempdir_put("self/mountinfo", NODE DATA);
	own_stats_begin(&stats, tempdir_path("."), noted, page);
	ck_assert_str_eq(page->begin, "begin -1\n");
	/* nor has anything been handed over for the end */
	text = end(NODE DATA, part("/data", 130, 6, 9));
	ck_assert_str_eq(text, "own 1\nbegin -1\nend -1\n");
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(of_tables_that_cannot_be_read_nothing_is_told_at_the_begin)
{
	static const char *const files[] = { "self/mountinfo", "1/mountinfo" };
	size_t i;

	for (i = 0; i < 2; i++) {
		start("mnt:[2]");
		open_page();
		have(NODE DATA, part("/data", 100, 5, 7));
		ck_assert_int_eq(unlink(tempdir_path(files[i])), 0);
		own_stats_begin(&stats, tempdir_path("."), noted, page);
		ck_assert_str_eq(page->begin, "");
		ck_assert_str_eq(page->types, "");
		ck_assert_ptr_null(end(NODE DATA, part("/data", 130, 6, 9)));
		tempdir_remove();
	}
}
END_TEST

/* The two files are 0 and 1 then. */
START_TEST(a_task_without_standard_files_tells_as_much_as_others)
{
	char *text;

	start("mnt:[2]");
	open_page();
	have(NODE DATA, part("/data", 100, 5, 7));
	ck_assert_int_eq(close(STDIN_FILENO), 0);
	own_stats_begin(&stats, tempdir_path("."), noted, page);
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	text = end(NODE DATA, part("/data", 130, 6, 9));
	ck_assert_ptr_nonnull(strstr(strstr(text, "\nend "), "READ: 6 6 "));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(a_slurmstepd_without_standard_files_is_told_as_much_as_others)
{
	char *text;

	start("mnt:[2]");
	ck_assert_int_eq(close(STDIN_FILENO), 0);
	begin(NODE DATA, part("/data", 100, 5, 7));
	ck_assert_int_eq(stats.task, STDIN_FILENO);
	text = end(NODE DATA, part("/data", 130, 6, 9));
	ck_assert_ptr_nonnull(strstr(strstr(text, "\nend "), "READ: 6 6 "));
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(an_end_that_nobody_knows_is_told_even_where_there_was_no_nfs)
{
	char *text;

	start("mnt:[2]");
	begin(NODE, "");
	ck_assert(!strncmp(page->begin, "begin ", 6));
	ck_assert_int_eq(unlink(tempdir_path("1/mountinfo")), 0);
	text = end(NODE, "");
	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text, "\nend -1\n"));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(nfs_of_version_3_and_the_last_mount_of_a_place_are_told)
{
	static const char old[] =
		"41 25 0:91 / /data rw - nfs srv:/data rw,vers=3\n";
	char both[4096], *text;

	start("mnt:[2]");
	snprintf(both, sizeof(both), "%s%s", part("/data", 100, 5, 7),
		 part("/data", 90, 3, 4));
	begin(ROOT HOME "41 25 0:91 / /data rw - nfs srv:/data rw,vers=3\n",
	      both);
	ck_assert_str_eq(page->types, "nfs");
	ck_assert_ptr_nonnull(strstr(page->begin, old));
	ck_assert_ptr_nonnull(strstr(page->begin, "READ: 3 3 "));
	ck_assert_ptr_null(strstr(page->begin, "READ: 5 5 "));
	text = end(NODE, "");
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(mounts_whose_path_begins_alike_have_their_own_counters)
{
	char both[4096];

	start("mnt:[2]");
	snprintf(both, sizeof(both), "%s%s%s", part("/data", 100, 5, 7),
		 part("/data/more", 90, 3, 4), part("/dat", 90, 2, 2));
	begin(NODE DATA, both);
	ck_assert_ptr_nonnull(strstr(page->begin, "READ: 5 5 "));
	ck_assert_ptr_null(strstr(page->begin, "READ: 3 3 "));
	ck_assert_ptr_null(strstr(page->begin, "READ: 2 2 "));
	free(end(NODE DATA, both));
	tempdir_remove();
}
END_TEST

START_TEST(counters_end_where_those_of_another_mount_begin)
{
	char text[2048];

	snprintf(text, sizeof(text), "%s", part("/data", 100, 5, 7));
	strcpy(text + strlen(text) - 1, /* in place of the empty line */
	       "device proc mounted on /proc with fstype proc\n"
	       "device none\nno device mounted on /data with fstype nfs4\n");
	start("mnt:[2]");
	begin(NODE DATA, text);
	ck_assert_ptr_nonnull(
		strstr(page->begin, "WRITE: 7 7 0 0 0 1 2 3 0\n"));
	ck_assert_ptr_null(strstr(page->begin, "fstype proc"));
	ck_assert_ptr_null(strstr(page->begin, "no device"));
	free(end(NODE DATA, text));
	tempdir_remove();
}
END_TEST

/* So many NFS mounts of the job's own. */
static const char *many(int count)
{
	static char table[8192];
	size_t used;
	int i;

	used = (size_t)sprintf(table, "%s", NODE);
	for (i = 0; i < count; i++)
		used += (size_t)sprintf(
			table + used, "%d 25 0:%d / /m%d rw - nfs4 srv:/ rw\n",
			100 + i, 100 + i, i);
	return table;
}

/* What a step leaves that has these at its begin, and no NFS of its own at its end. */
static char *gone(const char *table, const char *counters)
{
	char *text;

	start("mnt:[2]");
	begin(table, counters);
	text = end(NODE, "");
	tempdir_remove();
	return text;
}

START_TEST(nfs_that_has_gone_during_the_step_is_told)
{
	char *text = gone(NODE DATA, part("/data", 100, 5, 7));

	ck_assert_ptr_nonnull(text);
	ck_assert_ptr_nonnull(strstr(text, "READ: 5 5 "));
	ck_assert(!strncmp(strstr(text, "\nend "), "\nend ", 5));
	free(text);
	/* that it was unknown, too */
	text = gone(many(65), "");
	ck_assert_ptr_nonnull(text);
	ck_assert(!strncmp(text, "own 1\nbegin -1\nend ", 19));
	ck_assert_ptr_null(strstr(text, "end -1"));
	free(text);
}
END_TEST

START_TEST(more_superblocks_than_there_is_room_for_are_unknown)
{
	start("mnt:[2]");
	begin(many(64), "");
	ck_assert_ptr_nonnull(strstr(page->begin, "\n100 25 0:100 "));
	ck_assert_ptr_nonnull(strstr(page->begin, "\n163 25 0:163 "));
	free(end(many(64), ""));
	tempdir_remove();
	start("mnt:[2]");
	begin(many(65), "");
	ck_assert_str_eq(page->begin, "begin -1\n");
	free(end(many(65), ""));
	tempdir_remove();
}
END_TEST

/* How much a step has seen at its begin of one superblock, whose source has a name so
 * long; 0: that is unknown, and it says so. */
static size_t seen_of(size_t name)
{
	char *table = NULL;
	size_t seen;

	ck_assert_int_gt(asprintf(&table,
				  NODE "41 25 0:91 / /data rw - nfs4 %0*d rw\n",
				  (int)name, 1),
			 0);
	start("mnt:[2]");
	begin(table, "");
	seen = strlen(page->begin);
	if (!strcmp(page->begin, "begin -1\n"))
		seen = 0;
	free(end(table, ""));
	tempdir_remove();
	free(table);
	return seen;
}

START_TEST(as_much_as_a_page_holds_is_told_and_not_a_byte_more)
{
	size_t room = OWN_STATS_BYTES_MAX - 1, least, full, over;

	do { /* the time in it may get a digit more */
		least = seen_of(1);
		full = seen_of(1 + room - least);
		over = seen_of(2 + room - least);
	} while (seen_of(1) != least);
	ck_assert_uint_eq(full, room);
	ck_assert_uint_eq(over, 0);
}
END_TEST

START_TEST(what_a_step_saw_lies_beside_its_counters)
{
	char run_dir[5000] = "", *text;
	struct err err = { "" };
	struct stat st;

	tempdir_make();
	ck_assert_int_eq(
		own_stats_write("own 1\n", tempdir_path("."), 7, 0, &err), -1);
	ck_assert_str_ne(err.text, "");
	ck_assert_int_eq(mkdir(tempdir_path("7"), 0700), 0);
	ck_assert_int_eq(mkdir(tempdir_path("7/steps"), 0700), 0);
	umask(0);
	ck_assert_int_eq(
		own_stats_write("own 1\n", tempdir_path("."), 7, 0, &err), 0);
	text = fileio_read(tempdir_path("7/steps/0.own"), 100, NULL, NULL);
	ck_assert_str_eq(text, "own 1\n");
	free(text);
	ck_assert_int_eq(stat(tempdir_path("7/steps/0.own"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	memset(run_dir, 'x', sizeof(run_dir) - 1);
	run_dir[0] = '/';
	ck_assert_int_eq(own_stats_write("own 1\n", run_dir, 7, 0, &err), -1);
	tempdir_remove();
}
END_TEST

START_TEST(
	in_a_pid_namespace_of_the_jobs_the_prolog_has_left_what_the_node_mounts)
{
	char *text;

	start("mnt:[1]"); /* as that of process 1, which is the job's */
	tempdir_put("1/mountinfo", NODE DATA);
	strcpy(noted, tempdir_put("mountinfo", "mnt:[9]\n/data/a\n" NODE));
	begin(NODE DATA, part("/data", 100, 5, 7));
	ck_assert_str_eq(page->types, "nfs4");
	ck_assert(page->is_elsewhere);
	text = end(NODE DATA, part("/data", 130, 6, 9));
	ck_assert_ptr_nonnull(strstr(text, "READ: 5 5 "));
	ck_assert_ptr_nonnull(strstr(strstr(text, "\nend "), "READ: 6 6 "));
	ck_assert_ptr_null(strstr(text, "/home"));
	free(text);
	/* the same namespace as the prolog's */
	strcpy(noted, tempdir_put("mountinfo", "mnt:[1]\n/data/a\n" NODE));
	begin(NODE DATA, part("/data", 100, 5, 7));
	ck_assert(!*page->types && !*page->begin && !page->is_elsewhere);
	ck_assert_ptr_null(end(NODE DATA, part("/data", 130, 6, 9)));
	tempdir_remove();
}
END_TEST

/* ---- the epilog -------------------------------------------------------------- */

static struct config_client section;
static struct client_wire wire;

static long long now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (long long)now.tv_sec;
}

/* A node with these tables. */
static void node(const char *mountinfo, const char *counters)
{
	static char mounts[512], info[512], stat[512];
	char table[64] = "/dev/sda1 / ext4 rw 0 0\n";

	tempdir_make();
	if (strstr(mountinfo, "/home"))
		snprintf(table, sizeof(table), "srv:/home /home nfs4 rw 0 0\n");
	snprintf(mounts, sizeof(mounts), "%s", tempdir_put("mounts", table));
	snprintf(info, sizeof(info), "%s", tempdir_put("mountinfo", mountinfo));
	snprintf(stat, sizeof(stat), "%s", tempdir_put("mountstats", counters));
	section = (struct config_client){ .name = (char *)"home",
					  .type = CLIENT_NFS,
					  .mounts = (char *)"",
					  .timeout_ms = 1000,
					  .mount_table = mounts,
					  .mountinfo = info,
					  .mountstats = stat };
}

/* A step that began and ended at these moments since the boot. */
static char *step(const char *began, const char *at_begin, const char *ended,
		  const char *at_end)
{
	char *text = NULL;

	ck_assert_int_gt(asprintf(&text, "own 1\nbegin %s\n%send %s\n%s", began,
				  at_begin, ended, at_end),
			 0);
	return text;
}

/* "begin AT\nTABLE..." of a step that began and ended so many seconds ago */
static char *text_of(long long began, const char *at_begin, long long ended,
		     const char *at_end)
{
	char first[24], last[24];

	snprintf(first, sizeof(first), "%lld", now_s() - began);
	snprintf(last, sizeof(last), "%lld", now_s() - ended);
	return step(first, at_begin, last, at_end);
}

/* DATA and its counters */
static const char *data(int age_s, int read_mib, int written_mib)
{
	static char texts[8][2048];
	static int turn;
	char *text = texts[turn++ % 8];

	snprintf(text, sizeof(texts[0]), "%s%s", DATA,
		 part("/data", age_s, read_mib, written_mib));
	return text;
}

/* What the node's client makes of what one step, or two, have left. */
static int own(const char *before, char *first, char *second)
{
	struct client *client = client_open(&section, NULL, NULL, NULL);
	char *texts[] = { first, second };
	struct err err = { "" };
	int rc = client_wire_own(client, before, texts, second ? 2 : 1, &wire,
				 &err);

	ck_assert_msg(rc >= 0, "%s", err.text);
	free(first);
	free(second);
	client_close(client);
	return rc;
}

/* Of one step from 60 s ago until now */
static int own_minute(const char *before, const char *at_begin,
		      const char *at_end)
{
	return own(before, text_of(60, at_begin, 0, at_end), NULL);
}

/* One line, of /data; -1: unknown. */
static void expect(int64_t read_mib, int64_t written_mib)
{
	const struct client_wire_line *line = &wire.line[0];

	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert_str_eq(line->fs, "/data");
	ck_assert(!line->is_gone && !line->has_restarted);
	ck_assert_int_eq(line->count[WIRE_READ_BYTES],
			 read_mib < 0 ? -1 : read_mib << 20);
	ck_assert_int_eq(line->count[WIRE_WRITE_BYTES],
			 written_mib < 0 ? -1 : written_mib << 20);
}

START_TEST(what_a_step_moved_on_nfs_of_its_own_is_a_line)
{
	node(ROOT, "");
	ck_assert_int_eq(own_minute(NULL, data(100, 5, 7), data(160, 6, 9)), 0);
	ck_assert_str_eq(wire.source, "mountstats");
	expect(1, 2);
	tempdir_remove();
}
END_TEST

START_TEST(of_steps_with_one_superblock_the_first_reading_counts_and_the_last)
{
	node(ROOT, "");
	/* a batch script, and a step that it ran */
	ck_assert_int_eq(
		own(NULL, text_of(40, data(120, 6, 8), 20, data(140, 10, 12)),
		    text_of(60, data(100, 5, 7), 0, data(160, 11, 14))),
		0);
	expect(6, 7);
	tempdir_remove();
}
END_TEST

START_TEST(steps_of_one_second_are_taken_in_their_order)
{
	char *first, *second;
	int turned;

	/* folders have no order */
	for (turned = 0; turned < 2; turned++) {
		node(ROOT, "");
		first = step("5000.000000009", data(100, 5, 7),
			     "5000.000000010", data(100, 5, 11));
		second = step("5000.000000011", data(100, 5, 11),
			      "5000.100000000", data(100, 8, 11));
		ck_assert_int_eq(turned ? own(NULL, first, second)
					: own(NULL, second, first),
				 0);
		expect(3, 4);
		tempdir_remove();
	}
}
END_TEST

START_TEST(namespaces_of_two_steps_with_a_superblock_each_are_added)
{
	node(ROOT, "");
	/* the device number was given again */
	ck_assert_int_eq(own(NULL,
			     text_of(60, data(100, 5, 7), 50, data(110, 6, 7)),
			     text_of(20, data(5, 0, 0), 0, data(25, 4, 3))),
			 0);
	expect(5, 3);
	tempdir_remove();
}
END_TEST

START_TEST(a_superblock_that_was_made_in_the_job_counts_whole)
{
	node(ROOT, "");
	ck_assert_int_eq(own_minute(NULL, "", data(30, 6, 9)), 0);
	expect(6, 9);
	/* a later step found it */
	ck_assert_int_eq(own(NULL, text_of(60, "", 0, data(30, 6, 9)),
			     text_of(10, data(20, 4, 4), 5, data(25, 5, 5))),
			 0);
	expect(6, 9);
	tempdir_remove();
}
END_TEST

START_TEST(of_an_older_one_without_a_first_reading_nothing_is_known)
{
	node(ROOT, "");
	ck_assert_int_eq(own_minute(NULL, "", data(900, 6, 9)), 0);
	expect(-1, -1);
	tempdir_remove();
}
END_TEST

START_TEST(what_the_node_shows_as_well_is_counted_there_alone)
{
	char mountstats[2048], *before;
	struct client *client;

	snprintf(mountstats, sizeof(mountstats), "%s",
		 part("/home", 160, 6, 9));
	node(ROOT "30 25 0:91 / /home rw - nfs4 srv:/home rw\n", mountstats);
	ck_assert_int_eq(own_minute(NULL, data(100, 5, 7), data(160, 6, 9)), 0);
	ck_assert_uint_eq(wire.line_count, 0);
	/* a job's that has the number now, and is younger */
	ck_assert_int_eq(own_minute(NULL, data(10, 5, 7), data(70, 6, 9)), 0);
	expect(1, 2);
	/* the node had it when the job began */
	client = client_open(&section, NULL, NULL, NULL);
	before = client_wire_save(client, NULL);
	client_close(client);
	tempdir_put("mounts", "/dev/sda1 / ext4 rw 0 0\n");
	ck_assert_int_eq(own_minute(before, data(100, 5, 7), data(160, 6, 9)),
			 0);
	ck_assert_uint_eq(wire.line_count, 0);
	free(before);
	tempdir_remove();
}
END_TEST

START_TEST(a_mount_that_a_step_has_no_more_at_its_end_is_gone)
{
	node(ROOT, "");
	ck_assert_int_eq(own_minute(NULL, data(100, 5, 7), ""), 0);
	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert(wire.line[0].is_gone);
	tempdir_remove();
}
END_TEST

START_TEST(texts_and_mounts_without_counters_are_unknown_and_no_line)
{
	static const char *const odd[] = {
		"",
		"own 1\n",
		"own 2\nbegin 1\nend 2\n",
		"own 1\nbegin -1\nend 9\n",
		"own 1\nbegin 9\n" DATA "end -1\n",
		"own 1\nbegin 1\nend 2",
		"own 1\nend 2\n",
		"own 1\nbegin 1x\nend 2\n",
		"own 1\nbegin 1.\nend 2\n",
		"own 1\nbegin 1.12345678x\nend 2\n",
		"own 1\nbegin 1.1234567890\nend 2\n",
		"own 1\nbeginx1\nend 2\n",
		"own 1\nstart 1\nend 2\n",
	};
	size_t i;

	node(ROOT, "");
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		ck_assert_msg(own(NULL, strdup(odd[i]), NULL) ==
				      (i == 5 ? 0 : 1),
			      "%s", odd[i]);
		ck_assert_uint_eq(wire.line_count, 0);
	}
	ck_assert_int_eq(own_minute(NULL, DATA, DATA), 1);
	ck_assert_uint_eq(wire.line_count, 0);
	tempdir_remove();
}
END_TEST

START_TEST(mounts_of_jobio_conf_are_the_clients_in_a_namespace_too)
{
	node(ROOT, "");
	section.mounts = (char *)"/home";
	own_minute(NULL, data(100, 5, 7), data(160, 6, 9));
	ck_assert_uint_eq(wire.line_count, 0);
	section.mounts = (char *)"/home /data";
	own_minute(NULL, data(100, 5, 7), data(160, 6, 9));
	expect(1, 2);
	tempdir_remove();
}
END_TEST

/* Lines of a superblock that was made so long ago, beside one of the node's of
 * that number from 160 s ago. */
static size_t lines_of(int age_s)
{
	long long now;

	do {
		now = now_s();
		own_minute(NULL, data(age_s - 60, 5, 7), data(age_s, 6, 9));
	} while (now_s() != now);
	return wire.line_count;
}

START_TEST(ages_of_one_superblock_may_be_two_seconds_apart)
{
	char mountstats[2048];

	snprintf(mountstats, sizeof(mountstats), "%s",
		 part("/home", 160, 6, 9));
	node(ROOT "30 25 0:91 / /home rw - nfs4 srv:/home rw\n", mountstats);
	ck_assert_uint_eq(lines_of(157), 1);
	ck_assert_uint_eq(lines_of(158), 0);
	ck_assert_uint_eq(lines_of(162), 0);
	ck_assert_uint_eq(lines_of(163), 1);
	tempdir_remove();
}
END_TEST

START_TEST(a_first_reading_without_counters_stays_unknown_at_the_end)
{
	node(ROOT, "");
	ck_assert_int_eq(own_minute(NULL, DATA, data(160, 6, 9)), 1);
	tempdir_remove();
}
END_TEST

START_TEST(each_superblock_of_a_step_is_a_line)
{
	char first[2048], last[2048];

	node(ROOT, "");
	snprintf(first, sizeof(first), "%s%s%s", data(100, 5, 7),
		 "43 25 0:92 / /more rw - nfs4 srv:/data rw,vers=4.2\n",
		 part("/more", 100, 1, 1));
	snprintf(last, sizeof(last), "%s%s%s", data(160, 6, 9),
		 "43 25 0:92 / /more rw - nfs4 srv:/data rw,vers=4.2\n",
		 part("/more", 160, 4, 1));
	ck_assert_int_eq(own_minute(NULL, first, last), 0);
	ck_assert_uint_eq(wire.line_count, 2);
	section.mounts = (char *)"/more"; /* and not the first one */
	ck_assert_int_eq(own_minute(NULL, first, last), 0);
	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert_str_eq(wire.line[0].fs, "/more");
	ck_assert_int_eq(wire.line[0].count[WIRE_READ_BYTES], 3 << 20);
	tempdir_remove();
}
END_TEST

START_TEST(steps_that_began_in_one_second_have_their_own_first_readings)
{
	node(ROOT, "");
	ck_assert_int_eq(own(NULL,
			     step("5000.000000001", "", "5060", data(60, 6, 9)),
			     step("5000.500000000", data(0, 4, 4), "5050",
				  data(50, 5, 5))),
			 0);
	expect(2, 5);
	tempdir_remove();
}
END_TEST

/* Of a superblock that was made at 4998 it is not known whether it came with the
 * first step; one of 4997 was there before. */
START_TEST(what_came_with_the_first_step_counts_whole)
{
	node(ROOT, "");
	ck_assert_int_eq(
		own(NULL, step("5000", "", "5060", data(62, 6, 9)),
		    step("5050", data(52, 4, 4), "5055", data(57, 5, 5))),
		0);
	expect(6, 9);
	ck_assert_int_eq(
		own(NULL, step("5000", "", "5060", data(63, 6, 9)),
		    step("5050", data(53, 4, 4), "5055", data(58, 5, 5))),
		0);
	expect(2, 5);
	tempdir_remove();
}
END_TEST

START_TEST(a_line_that_begins_like_an_end_is_none)
{
	char first[4096];

	node(ROOT, "");
	snprintf(first, sizeof(first), "endless\n%s", data(100, 5, 7));
	ck_assert_int_eq(
		own(NULL, step("5000", first, "5060", data(160, 6, 9)), NULL),
		0);
	expect(1, 2);
	tempdir_remove();
}
END_TEST

START_TEST(a_step_that_left_nothing_readable_does_not_hide_another)
{
	node(ROOT, "");
	ck_assert_int_eq(
		own(NULL, strdup("own 2\n"),
		    step("5000", data(100, 5, 7), "5060", data(160, 6, 9))),
		1);
	expect(1, 2);
	ck_assert_int_eq(
		own(NULL,
		    step("5000", data(100, 5, 7), "5060", data(160, 6, 9)),
		    strdup("own 2\n")),
		1);
	expect(1, 2);
	tempdir_remove();
}
END_TEST

START_TEST(what_the_prolog_left_must_be_whole)
{
	struct client *client;
	struct err err = { "" };
	char *text = step("5000", "", "5060", data(30, 6, 9));

	node(ROOT, "");
	client = client_open(&section, NULL, NULL, NULL);
	ck_assert_int_eq(client_wire_own(client, "{}x", &text, 1, &wire, &err),
			 -1);
	ck_assert_str_eq(err.text, "counters of the client: not an object");
	ck_assert_int_eq(client_wire_own(client, NULL, NULL, 0, &wire, &err),
			 0);
	ck_assert_uint_eq(wire.line_count, 0);
	free(text);
	client_close(client);
	tempdir_remove();
}
END_TEST

START_TEST(the_second_of_the_nodes_superblocks_is_its_own_too)
{
	char mountstats[4096], ours[2048];

	snprintf(ours, sizeof(ours), "%s", data(160, 6, 9));
	snprintf(mountstats, sizeof(mountstats), "%s%s",
		 part("/home", 100, 1, 1), part("/b", 160, 6, 9));
	node(ROOT HOME "31 25 0:91 / /b rw - nfs4 srv:/b rw,vers=4.2\n",
	     mountstats);
	tempdir_put("mounts", "srv:/home /home nfs4 rw 0 0\n"
			      "srv:/b /b nfs4 rw 0 0\n");
	ck_assert_int_eq(own_minute(NULL, data(100, 5, 7), ours), 0);
	ck_assert_uint_eq(wire.line_count, 0);
	tempdir_remove();
}
END_TEST

UNIT_MAIN(
	"own_stats", the_counters_at_the_begin_and_the_end_of_a_step_are_told,
	in_the_namespace_of_the_node_or_without_nfs_nothing_is_told,
	a_superblock_is_told_once_and_not_where_another_mount_hides_it,
	nfs_that_came_during_the_step_is_told_with_its_type,
	counters_that_could_not_be_read_are_told_as_such,
	counters_that_could_not_be_read_at_the_begin_are_told_as_such,
	an_end_that_nobody_knows_is_told_even_where_there_was_no_nfs,
	of_tables_that_cannot_be_read_nothing_is_told_at_the_begin,
	a_task_without_standard_files_tells_as_much_as_others,
	a_slurmstepd_without_standard_files_is_told_as_much_as_others,
	counters_end_where_those_of_another_mount_begin,
	nfs_of_version_3_and_the_last_mount_of_a_place_are_told,
	mounts_whose_path_begins_alike_have_their_own_counters,
	nfs_that_has_gone_during_the_step_is_told,
	more_superblocks_than_there_is_room_for_are_unknown,
	as_much_as_a_page_holds_is_told_and_not_a_byte_more,
	what_a_step_saw_lies_beside_its_counters,
	in_a_pid_namespace_of_the_jobs_the_prolog_has_left_what_the_node_mounts,
	what_a_step_moved_on_nfs_of_its_own_is_a_line,
	of_steps_with_one_superblock_the_first_reading_counts_and_the_last,
	steps_of_one_second_are_taken_in_their_order,
	namespaces_of_two_steps_with_a_superblock_each_are_added,
	a_superblock_that_was_made_in_the_job_counts_whole,
	of_an_older_one_without_a_first_reading_nothing_is_known,
	what_the_node_shows_as_well_is_counted_there_alone,
	a_mount_that_a_step_has_no_more_at_its_end_is_gone,
	texts_and_mounts_without_counters_are_unknown_and_no_line,
	mounts_of_jobio_conf_are_the_clients_in_a_namespace_too,
	ages_of_one_superblock_may_be_two_seconds_apart,
	a_first_reading_without_counters_stays_unknown_at_the_end,
	each_superblock_of_a_step_is_a_line,
	steps_that_began_in_one_second_have_their_own_first_readings,
	what_came_with_the_first_step_counts_whole,
	a_line_that_begins_like_an_end_is_none,
	a_step_that_left_nothing_readable_does_not_hide_another,
	what_the_prolog_left_must_be_whole,
	the_second_of_the_nodes_superblocks_is_its_own_too)
