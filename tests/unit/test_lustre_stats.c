/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a Lustre client counts, by texts alone: a file of statistics, what a child has
 * printed of all of them, and what lctl shows. Files as the kernel has them:
 * test_lustre.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/lustre/facts.h"
#include "client/lustre/lustre.h"
#include "client/lustre/stats.h"
#include "client/lustre/wire.h"
#include "lib/child.h"
#include "tests/unit/lustre_dirs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define INSTANCE "work-ffff9a2c41d08000"
#define OST0 "work-OST0000-osc-ffff9a2c41d08000"
#define DAMAGED INT64_C(-2)

static struct lustre_facts facts;
static struct config_client section;
static struct client_mount mounts[] = {
	{ .source = (char *)"a@tcp:/workshop/sub", .target = (char *)"/shop" },
	{ .source = (char *)"/dev/sdc", .target = (char *)"/mnt/ost" },
	{ .source = (char *)"b@tcp:/work", .target = (char *)"/mnt/work" },
	{ .source = (char *)"c@tcp:/home/me", .target = (char *)"/home" },
	{ .source = (char *)"b@tcp:/work", .target = (char *)"/mnt/again" },
};
static struct client client = { .type = &lustre_type,
				.section = &section,
				.facts = &facts,
				.common = { .mounts = mounts,
					    .mount_count = sizeof(mounts) / sizeof(mounts[0]) } };
static struct err err;

/* ---- one file ------------------------------------------------------------------- */

/* What these lines say of one kind, of a device of this kind; DAMAGED. */
static int64_t counted(enum tree_kind device, const char *text, enum wire_kind kind)
{
	struct lustre_stats stats;

	if (lustre_stats_parse(text, device, &stats) < 0)
		return DAMAGED;
	return stats.count[kind];
}

/* Of an OST's line "read_bytes ..": how many reads. */
static int64_t reads(const char *rest)
{
	char line[200];

	snprintf(line, sizeof(line), "read_bytes %s\n", rest);
	return counted(TREE_OSC, line, WIRE_READS);
}

START_TEST(a_line_of_statistics_has_four_words_or_seven_and_more)
{
	static const char *const damaged[] = {
		"2",
		"2 samples",
		"2 samples [bytes]",
		"2 samples [bytes] 1",
		"2 samples [bytes] 1 4",
		"2 samples [bytes] 1 4 5 9 write_bytes",
		"2 samples [bytes] 1 4 5 9 2 samples",
		"2 sample [bytes] 1 4 5",
		"2 samples bytes] 1 4 5",
		"2 samples [bytes 1 4 5",
		"2 samples [pages] 1 4 5",
		"x samples [bytes] 1 4 5",
		"-2 samples [bytes] 1 4 5",
		"+2 samples [bytes] 1 4 5",
		"9223372036854775808 samples [bytes] 1 4 5",
		"2 samples [bytes] x 4 5",
		"2 samples [bytes] 1 x 5",
		"2 samples [bytes] 1 4 x",
		"2 samples [bytes] 1 4 5x",
		"2 samples [bytes] 1 4 5 -",
		"2 samples [bytes] 1 4 5 9x",
		"2 samples [bytes] -1 4 5",
		"2 samples [bytes] 1 4 -5",
	};
	size_t i;

	for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		ck_assert_msg(reads(damaged[i]) == DAMAGED, "%s", damaged[i]);
	ck_assert_int_eq(reads("2 samples [bytes] 1 4 5"), 2);
	ck_assert_int_eq(reads("2 samples [bytes] 1 4 5 17"), 2);
	ck_assert_int_eq(reads("2 samples [bytes] 1 4 5 -17"), 2);
	/* columns of a later release, behind those that there are */
	ck_assert_int_eq(reads("2 samples [bytes] 1 4 5 17 9"), 2);
	ck_assert_int_eq(reads("2 samples [bytes] 1 4 5 17 9 -9 0"), 2);
	ck_assert_int_eq(reads(" \t3 \t samples\t[bytes] 1 4 5 \t"), 3);
	ck_assert_int_eq(reads("0 samples [bytes] 0 0 0 0"), 0);
	/* of what nobody counts here four words do */
	ck_assert_int_eq(counted(TREE_OSC, "open 7 samples [regs]\n", WIRE_READS), 0);
	ck_assert_int_eq(counted(TREE_OSC, "open 7 samples [usec] 1 4 5x\n", WIRE_READS), DAMAGED);
}
END_TEST

START_TEST(a_sum_is_one_of_as_many_samples_and_a_few)
{
	ck_assert_int_eq(reads("1 samples [bytes] 0 10 10250"), 1);
	ck_assert_int_eq(reads("1 samples [bytes] 0 10 10251"), DAMAGED);
	ck_assert_int_eq(reads("2048 samples [bytes] 4 10 4096"), 2048);
	ck_assert_int_eq(reads("2048 samples [bytes] 4 10 4095"), DAMAGED);
	ck_assert_int_eq(reads("1024 samples [bytes] 4 10 0"), 1024);
	ck_assert_int_eq(reads("1025 samples [bytes] 4 10 3"), DAMAGED);
	/* one that is full is the sum of any */
	ck_assert_int_eq(reads("1 samples [bytes] 0 10 9223372036854775807"), 1);
}
END_TEST

#define TIME "2 samples [usec] 1 4 5\n"
#define BYTES "2 samples [bytes] 1 4 6\n"

START_TEST(each_kind_of_device_counts_its_own)
{
	static const char all[] =
		"read_bytes " BYTES "write_bytes " BYTES "ost_read " TIME "ost_write " TIME;

	ck_assert_int_eq(counted(TREE_LLITE, all, WIRE_ASKED_READ_BYTES), 6);
	ck_assert_int_eq(counted(TREE_LLITE, all, WIRE_ASKED_WRITE_BYTES), 6);
	ck_assert_int_eq(counted(TREE_LLITE, all, WIRE_READS), 0);
	ck_assert_int_eq(counted(TREE_LLITE, all, WIRE_READ_US), 0);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_ASKED_READ_BYTES), 0);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_READ_BYTES), 6);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_WRITE_BYTES), 6);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_READS), 2);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_WRITES), 2);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_READ_US), 5);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_WRITE_US), 5);
	ck_assert_int_eq(counted(TREE_OSC, all, WIRE_META), 0);
	ck_assert_int_eq(counted(TREE_OSC, "req_waittime " TIME, WIRE_META), 0);
	ck_assert_int_eq(counted(TREE_MDC, all, WIRE_READ_BYTES), 6);
	ck_assert_int_eq(counted(TREE_MDC, all, WIRE_WRITES), 2);
	ck_assert_int_eq(counted(TREE_MDC, all, WIRE_WRITE_US), 5);
	ck_assert_int_eq(counted(TREE_MDC, all, WIRE_QUEUE_US), WIRE_UNKNOWN);
	ck_assert_int_eq(counted(TREE_MDC, all, WIRE_NAMES), WIRE_UNKNOWN);
}
END_TEST

START_TEST(requests_for_metadata_are_all_but_data_and_pings)
{
	static const char all[] = "req_waittime 20 samples [usecs] 1 9 90\n"
				  "obd_ping 2 samples [usecs] 1 4 5\n"
				  "ost_read 3 samples [usec] 1 9 7\n"
				  "ost_write 4 samples [usec] 1 9 8\n";

	ck_assert_int_eq(counted(TREE_MDC, all, WIRE_META), 11);
	ck_assert_int_eq(counted(TREE_MDC, all, WIRE_META_US), 70);
	/* just as many, and one too few */
	ck_assert_int_eq(counted(TREE_MDC,
				 "req_waittime 2 samples [usec] 1 4 5\n"
				 "obd_ping " TIME,
				 WIRE_META),
			 0);
	ck_assert_int_eq(counted(TREE_MDC,
				 "req_waittime 1 samples [usec] 1 9 9\n"
				 "obd_ping " TIME,
				 WIRE_META),
			 WIRE_UNKNOWN);
	/* whose times are nobody's then */
	ck_assert_int_eq(counted(TREE_MDC,
				 "req_waittime 1 samples [usec] 1 9 9\n"
				 "obd_ping " TIME,
				 WIRE_META_US),
			 WIRE_UNKNOWN);
	ck_assert_int_eq(counted(TREE_MDC,
				 "req_waittime 9 samples [usec] 1 9 4\n"
				 "obd_ping " TIME,
				 WIRE_META),
			 7);
	ck_assert_int_eq(counted(TREE_MDC,
				 "req_waittime 9 samples [usec] 1 9 4\n"
				 "obd_ping " TIME,
				 WIRE_META_US),
			 WIRE_UNKNOWN);
}
END_TEST

START_TEST(times_are_in_microseconds_and_sizes_in_bytes)
{
	ck_assert_int_eq(counted(TREE_OSC, "ost_read 2 samples [usec] 1 4 5\n", WIRE_READ_US), 5);
	ck_assert_int_eq(counted(TREE_OSC, "ost_read 2 samples [usecs] 1 4 5\n", WIRE_READ_US), 5);
	ck_assert_int_eq(counted(TREE_OSC, "ost_read 2 samples [bytes] 1 4 5\n", WIRE_READ_US),
			 DAMAGED);
	ck_assert_int_eq(counted(TREE_OSC, "read_bytes 2 samples [usec] 1 4 5\n", WIRE_READS),
			 DAMAGED);
}
END_TEST

START_TEST(a_line_that_is_there_twice_is_refused)
{
	ck_assert_int_eq(counted(TREE_OSC, "read_bytes " BYTES "read_bytes " BYTES, WIRE_READS),
			 DAMAGED);
	ck_assert_int_eq(counted(TREE_MDC, "ost_read " TIME "ost_read " TIME, WIRE_META), DAMAGED);
	ck_assert_int_eq(counted(TREE_OSC, "open " TIME "open " TIME, WIRE_READS), 0);
}
END_TEST

START_TEST(what_is_no_head_of_statistics_is_damaged)
{
	struct lustre_stats stats;

	ck_assert_int_eq(lustre_stats_parse("start_times 5\n", TREE_OSC, &stats), -1);
	ck_assert_int_eq(lustre_stats_parse(": 5\n", TREE_OSC, &stats), -1);
	ck_assert_int_eq(lustre_stats_parse("elapsed_time 5.5 secs.nsecs\n"
					    "snapshot_time: 7.5 secs.nsecs\n",
					    TREE_OSC, &stats),
			 0);
	ck_assert_str_eq(stats.epoch, "");
	ck_assert_int_eq(lustre_stats_parse("start_time 1 secs.nsecs\n", TREE_OSC, &stats), 0);
	ck_assert_str_eq(stats.epoch, "1");
}
END_TEST

START_TEST(the_last_eviction_of_a_history_is_told)
{
	ck_assert_int_eq(lustre_eviction_parse("current_state: FULL\nstate_history:\n"
					       " - [ 1771990001, CONNECTING ]\n"
					       " - [ 1771990002, EVICTED ]\n"
					       " - [ 1771990009, EVICTED ]\n"
					       " - [ 0, EVICTED ]\n - [ x, EVICTED ]\n"
					       " - [ 1771990010, FULL ]\n"),
			 1771990009);
	ck_assert_int_eq(lustre_eviction_parse(" - [ 1, EVICTED ]\n"), 1);
	ck_assert_int_eq(lustre_eviction_parse("current_state: EVICTED\n"
					       " - [ 1771990010, FULL ]\n"),
			 0);
	ck_assert_int_eq(lustre_eviction_parse(""), 0);
}
END_TEST

/* ---- rows ------------------------------------------------------------------------ */

static struct tree_device device_of(enum tree_kind kind, const char *name, const char *instance)
{
	struct tree_device device = { .kind = kind, .tracked = TREE_UNREAD };

	snprintf(device.name, sizeof(device.name), "%s", name);
	snprintf(device.instance, sizeof(device.instance), "%s", instance);
	return device;
}

static const char *mount_of(const char *instance)
{
	const struct tree_device device = device_of(TREE_LLITE, instance, instance);

	return lustre_stats_mount(&client, &device);
}

START_TEST(a_filesystem_is_told_by_its_first_mount)
{
	ck_assert_str_eq(mount_of(INSTANCE), "/mnt/work");
	ck_assert_str_eq(mount_of("workshop-ffff9a2c41d08000"), "/shop");
	ck_assert_str_eq(mount_of("home-ffff9a2c41d08000"), "/home");
	ck_assert_str_eq(mount_of("wor-ffff9a2c41d08000"), "");
	ck_assert_str_eq(mount_of("hom-ffff9a2c41d08000"), "");
}
END_TEST

static void dirs(void)
{
	lustre_dirs(&section);
	section.mounts = (char *)"";
}

/* The id of an OST of an instance whose folder is here; "": nowhere. */
static void expect_id_by(const char *root)
{
	const struct tree_device device = device_of(TREE_OSC, OST0, INSTANCE);
	const struct lustre_stats stats = { .epoch = "" };
	char id[WIRE_ID_MAX], wanted[200], path[100];
	struct stat st;

	dirs();
	snprintf(wanted, sizeof(wanted), "osc." OST0 "@?");
	if (*root) {
		snprintf(path, sizeof(path), "%s/llite/" INSTANCE "/x", root);
		tempdir_put(path, "");
		*strrchr(path, '/') = '\0';
		ck_assert_int_eq(stat(tempdir_path(path), &st), 0);
		snprintf(wanted, sizeof(wanted), "osc." OST0 "@%lu", (unsigned long)st.st_ino);
	}
	lustre_stats_id(&client, &device, &stats, id);
	ck_assert_str_eq(id, wanted);
	tempdir_remove();
}

START_TEST(a_row_is_known_by_when_it_began_or_by_its_mount)
{
	const struct tree_device device = device_of(TREE_OSC, OST0, INSTANCE);
	const struct lustre_stats stats = { .epoch = "1771990000.9" };
	char id[WIRE_ID_MAX];

	lustre_stats_id(&client, &device, &stats, id);
	ck_assert_str_eq(id, "osc." OST0 "@1771990000.9");
	expect_id_by("sys");
	expect_id_by("proc");
	expect_id_by("");
}
END_TEST

START_TEST(the_most_that_is_tracked_is_told)
{
	const struct tree_device device = device_of(TREE_LLITE, INSTANCE, INSTANCE);

	dirs();
	ck_assert_int_eq(lustre_stats_tracked(&section, &device), -1);
	tempdir_put("sys/llite/" INSTANCE "/stats_track_pid", "0 (all)\n");
	ck_assert_int_eq(lustre_stats_tracked(&section, &device), 0);
	tempdir_put("sys/llite/" INSTANCE "/stats_track_ppid", "7\n");
	ck_assert_int_eq(lustre_stats_tracked(&section, &device), 7);
	tempdir_put("sys/llite/" INSTANCE "/stats_track_gid", "9\n");
	ck_assert_int_eq(lustre_stats_tracked(&section, &device), 9);
	tempdir_put("sys/llite/" INSTANCE "/stats_track_pid", "11\n");
	ck_assert_int_eq(lustre_stats_tracked(&section, &device), 11);
	tempdir_remove();
}
END_TEST

/* ---- what a child prints -------------------------------------------------------- */

#define HEADER "start_time 5.5 secs.nsecs\n"
#define MDT0 "work-MDT0000-mdc-ffff9a2c41d08000"
#define OST1 "work-OST0001-osc-ffff9a2c41d08000"
#define ZEROS " 0 0 0 0 0 0 0 0 "
#define UNKNOWNS " -1 -1 -1 -1 -1 "

struct printing {
	const struct tree *tree;
	bool evictions;
	unsigned long long enough_ms;
};

static int print_them(void *arg)
{
	const struct printing *p = arg;

	lustre_stats_print(&client, p->tree, p->evictions, p->enough_ms);
	return 0;
}

/* Of an instance whose counters count this one alone, an MDT and two OSTs, one of
 * which has no statistics; 'ms' from now on it is enough. */
static void expect_printed(long tracked, bool evictions, int ms, const char *wanted)
{
	struct tree_device devices[] = {
		device_of(TREE_LLITE, INSTANCE, INSTANCE),
		device_of(TREE_MDC, MDT0, INSTANCE),
		device_of(TREE_OSC, OST0, INSTANCE),
		device_of(TREE_OSC, OST1, INSTANCE),
	};
	const struct tree tree = { .count = 4, .device = devices };
	struct printing printing = { &tree, evictions, child_now_ms() + ms };
	struct child_result result;

	devices[0].tracked = tracked;
	devices[3].index = 1;
	ck_assert_int_eq(child_call("print", print_them, &printing, 10000, &result, &err), 0);
	ck_assert_str_eq(result.out, wanted);
	child_result_free(&result);
}

static void put_statistics(void)
{
	static const char state[] = "state_history:\n - [ 700, EVICTED ]\n";

	dirs();
	tempdir_put("debug/llite/" INSTANCE "/stats", HEADER "read_bytes " BYTES);
	tempdir_put("debug/llite/" INSTANCE "/state", state);
	tempdir_put("debug/mdc/" MDT0 "/stats", HEADER);
	tempdir_put("debug/osc/" OST0 "/stats", HEADER "write_bytes " BYTES);
	tempdir_put("debug/osc/" OST0 "/state", state);
}

#define INSTANCE_ROW "row llite." INSTANCE "@5.5" ZEROS "6 0" UNKNOWNS "/mnt/work\n"
#define INSTANCE_UNKNOWN "row llite." INSTANCE "@5.5" ZEROS "-1 -1" UNKNOWNS "/mnt/work\n"
#define MDT_ROW "row mdc." MDT0 "@5.5" ZEROS "0 0" UNKNOWNS "/mnt/work\n"
#define OST_ROW "row osc." OST0 "@5.5 0 6 0 2 0 0 0 0 0 0" UNKNOWNS "/mnt/work\n"
#define MISSING "missing osc." OST1 ": No such file or directory\n"

START_TEST(each_device_is_printed_in_its_order)
{
	put_statistics();
	expect_printed(0, false, 10000, INSTANCE_ROW MDT_ROW OST_ROW MISSING);
	expect_printed(0, true, 10000,
		       INSTANCE_ROW MDT_ROW OST_ROW "evicted 700 OST0000 of 'work'\n" MISSING);
	tempdir_put("debug/osc/" OST1 "/stats", "nonsense\n");
	expect_printed(0, false, 10000, INSTANCE_ROW MDT_ROW OST_ROW "damaged osc." OST1 "\n");
	tempdir_remove();
}
END_TEST

START_TEST(when_it_is_enough_other_osts_are_not_read)
{
	put_statistics();
	expect_printed(0, false, 0,
		       INSTANCE_ROW MDT_ROW "unread osc." OST0 "@ /mnt/work\n"
					    "unread osc." OST1 "@ /mnt/work\n");
	tempdir_remove();
}
END_TEST

START_TEST(an_instance_that_counts_one_process_is_printed_as_unknown)
{
	static const char others[] = MDT_ROW OST_ROW MISSING;
	char wanted[2000];

	put_statistics();
	snprintf(wanted, sizeof(wanted), INSTANCE_UNKNOWN "%s", others);
	expect_printed(1, false, 10000, wanted);
	expect_printed(4711, false, 10000, wanted);
	/* that nobody has looked at yet */
	tempdir_put("sys/llite/" INSTANCE "/stats_track_gid", "1\n");
	expect_printed(TREE_UNREAD, false, 10000, wanted);
	snprintf(wanted, sizeof(wanted), INSTANCE_ROW "%s", others);
	expect_printed(0, false, 10000, wanted);
	expect_printed(-1, false, 10000, wanted);
	tempdir_put("sys/llite/" INSTANCE "/stats_track_gid", "0\n");
	expect_printed(TREE_UNREAD, false, 10000, wanted);
	tempdir_remove();
}
END_TEST

START_TEST(statistics_that_are_kept_from_us_are_printed_as_denied)
{
	put_statistics();
	/* which root cannot read either */
	ck_assert_int_eq(
		symlink("/proc/sys/vm/drop_caches", (tempdir_put("debug/osc/" OST1 "/x", ""),
						     tempdir_path("debug/osc/" OST1 "/stats"))),
		0);
	expect_printed(0, false, 10000, INSTANCE_ROW MDT_ROW OST_ROW "denied " OST1 "\n");
	tempdir_remove();
}
END_TEST

/* ---- what a child has printed ------------------------------------------------------ */

static struct wire *read_lines(const char *lines)
{
	*err.text = '\0';
	lustre_facts_drop_counters(&client);
	facts.counters = strdup(lines);
	facts.counters_ms = child_now_ms();
	return lustre_wire_read(&client, &err);
}

#define NUMBERS " 1 2 3 4 5 6 7 8 9 10 11 12 13 -1 15"

START_TEST(a_row_has_its_numbers_and_its_filesystem)
{
	struct wire *wire = read_lines("row osc.a@5" NUMBERS " /mnt/work\n"
				       "row osc.b@5" NUMBERS " \n"
				       "row osc.c@5" NUMBERS " /my work\n"
				       "unread osc.d@ /mnt/work\n"
				       "nothing of that\nword\n\n");

	ck_assert_msg(wire != NULL, "%s", err.text);
	ck_assert_uint_eq(wire->count, 4);
	ck_assert_str_eq(wire->row[0].id, "osc.a@5");
	ck_assert_str_eq(wire->row[0].fs, "/mnt/work");
	ck_assert_int_eq(wire->row[0].count[0], 1);
	ck_assert_int_eq(wire->row[0].count[12], 13);
	ck_assert_int_eq(wire->row[0].count[13], WIRE_UNKNOWN);
	ck_assert_int_eq(wire->row[0].count[14], 15);
	ck_assert_str_eq(wire->row[1].fs, "");
	ck_assert_str_eq(wire->row[2].fs, "/my work");
	ck_assert_uint_eq(wire->unread, 1);
	ck_assert_str_eq(wire->row[3].id, "osc.d@");
	ck_assert_str_eq(wire->row[3].fs, "/mnt/work");
	ck_assert_int_eq(wire->row[3].count[0], WIRE_UNKNOWN);
	ck_assert_str_eq(wire->event.code, "");
	/* it is taken once */
	ck_assert_ptr_null(facts.counters);
	wire_free(wire);
}
END_TEST

START_TEST(the_last_eviction_of_all_targets_is_told)
{
	struct wire *wire = read_lines("row osc.a@5" NUMBERS " /mnt/work\n"
				       "evicted 500 OST0000 of 'work'\n"
				       "evicted 700 OST0001 of 'work'\n"
				       "evicted 600 OST0002 of 'work'\n");

	ck_assert_msg(wire != NULL, "%s", err.text);
	ck_assert_str_eq(wire->event.code, "LU06");
	ck_assert_int_eq(wire->event.at_s, 700);
	ck_assert_str_eq(wire->event.text, "OST0001 of 'work' has evicted this node");
	wire_free(wire);
	/* of one second the last that is told */
	wire = read_lines("row osc.a@5" NUMBERS " /mnt/work\n"
			  "evicted 700 OST0001 of 'work'\n"
			  "evicted 700 OST0003 of 'work'\n");
	ck_assert_str_eq(wire->event.text, "OST0003 of 'work' has evicted this node");
	wire_free(wire);
}
END_TEST

static void expect_no_wire(const char *lines, int error, const char *why)
{
	ck_assert_ptr_null(read_lines(lines));
	ck_assert_int_eq(errno, error);
	ck_assert_str_eq(err.text, why);
}

START_TEST(why_there_are_no_counters_is_told)
{
	static char text[(WIRE_ROWS_MAX + 5) * 20];
	struct wire *wire;
	int i;

	dirs();
	tempdir_put("mounts", "");
	expect_no_wire("damaged osc.a\nrow osc.b@5" NUMBERS " /a\n", EIO,
		       "osc.a: its statistics are damaged");
	expect_no_wire("missing osc.a: No such file\n", EIO, "osc.a: No such file");
	/* lctl is not asked where nothing is mounted any more */
	expect_no_wire("denied osc.a\n", ENOENT, "");
	snprintf(text, sizeof(text), "no statistics of Lustre in %s", section.debug_dir);
	expect_no_wire("", EIO, text);
	facts.no_counters = strdup("too slow");
	expect_no_wire("row osc.a@5" NUMBERS " /a\n", EIO, "too slow");
	free(facts.no_counters);
	facts.no_counters = NULL;
	*text = '\0';
	for (i = 0; i < WIRE_ROWS_MAX; i++)
		sprintf(text + i * 20, "unread osc.%04d@ /a\n", i);
	wire = read_lines(text);
	ck_assert_msg(wire != NULL, "%s", err.text);
	ck_assert_uint_eq(wire->count, WIRE_ROWS_MAX);
	wire_free(wire);
	sprintf(text + i * 20, "unread osc.x@ /a\n");
	expect_no_wire(text, EIO, "more than 4096 devices");
	sprintf(text + i * 20, "row osc.x@5" NUMBERS " /a\n");
	expect_no_wire(text, EIO, "more than 4096 devices");
	lustre_facts_clear(&facts);
	tempdir_remove();
}
END_TEST

/* ---- what lctl shows ------------------------------------------------------------- */

static struct wire *wire;

/* Of an instance and one OST. */
static int take(const char *shown)
{
	struct tree_device devices[] = { device_of(TREE_LLITE, INSTANCE, INSTANCE),
					 device_of(TREE_OSC, OST0, INSTANCE) };
	const struct tree tree = { .count = 2, .device = devices };
	char *text = strdup(shown);
	int rc;

	wire_free(wire);
	wire = wire_new();
	rc = lustre_wire_params(&client, wire, &tree, text, &err);
	free(text);
	return rc;
}

START_TEST(parameters_of_lctl_are_taken_one_by_one)
{
	ck_assert_int_eq(take("llite." INSTANCE ".stats=\n" HEADER "read_bytes " BYTES "osc." OST0
			      ".stats=\n" HEADER "write_bytes " BYTES
			      "osc.work-OST0000-osc-MDT0000.stats=\nnonsense\n"
			      "osc." OST0 ".active=1\n"),
			 0);
	ck_assert_uint_eq(wire->count, 2);
	ck_assert_str_eq(wire->row[0].id, "llite." INSTANCE "@5.5");
	ck_assert_str_eq(wire->row[0].fs, "/mnt/work");
	ck_assert_int_eq(wire->row[0].count[WIRE_ASKED_READ_BYTES], 6);
	ck_assert_str_eq(wire->row[1].id, "osc." OST0 "@5.5");
	ck_assert_int_eq(wire->row[1].count[WIRE_WRITE_BYTES], 6);
	ck_assert_int_eq(wire->row[1].count[WIRE_ASKED_READ_BYTES], 0);
	/* on the line of its name, too */
	ck_assert_int_eq(take("osc." OST0 ".stats=read_bytes " BYTES "start_time 7.5 secs.nsecs\n"),
			 0);
	ck_assert_str_eq(wire->row[0].id, "osc." OST0 "@7.5");
	ck_assert_int_eq(wire->row[0].count[WIRE_READS], 2);
	ck_assert_int_eq(take(""), 0);
	ck_assert_uint_eq(wire->count, 0);
	ck_assert_int_eq(take("osc." OST0 ".stats=\n" HEADER "osc." OST0 ".stats=\n" HEADER), -1);
	ck_assert_str_eq(err.text, "osc." OST0 "@5.5: shown twice");
	wire_free(wire);
}
END_TEST

START_TEST(lctl_tells_all_or_why_it_does_not)
{
	char script[600];

	dirs();
	section.timeout_ms = 5000;
	tempdir_put("mounts", "b@tcp:/work /mnt/work lustre rw 0 0\n");
	snprintf(script, sizeof(script), "neither %s nor %s shows a mount of this filesystem",
		 section.sys_dir, section.procfs_dir);
	expect_no_wire("denied osc.a\n", EIO, script);
	tempdir_put("sys/llite/" INSTANCE "/x", "");
	tempdir_put("sys/osc/" OST0 "/x", "");
	section.lctl =
		tempdir_command("lctl",
				"#!/bin/sh\ncat <<.\nosc." OST0 ".stats=\n" HEADER
				"read_bytes " BYTES "llite." INSTANCE ".stats=\n" HEADER ".\n",
				script);
	/* at once where the prolog has met it; what it could read counts once */
	wire = read_lines("row osc.a@5" NUMBERS " /mnt/work\ndenied osc.b\n");
	ck_assert_msg(wire != NULL, "%s", err.text);
	ck_assert_uint_eq(wire->count, 2);
	ck_assert_str_eq(wire->row[0].id, "osc." OST0 "@5.5");
	wire_free(wire);
	/* a device that it leaves out now would be new later, with all it ever counted */
	section.lctl = tempdir_command("lctl",
				       "#!/bin/sh\nprintf 'osc." OST0 ".stats=\\n"
				       "start_time 5.5 x\\n'\n",
				       script);
	expect_no_wire("denied osc.b\n", EIO, "lctl shows the statistics of 1 of 2 devices");
	section.lctl = tempdir_command("lctl", "#!/bin/sh\necho no >&2\nexit 3\n", script);
	expect_no_wire("denied osc.b\n", EIO, "exit status 3: no");
	tempdir_remove();
}
END_TEST

START_TEST(what_lctl_shows_damaged_is_said)
{
	ck_assert_int_eq(take("llite." INSTANCE ".stats=\nnonsense\nosc." OST0 ".stats=\n" HEADER),
			 -1);
	ck_assert_str_eq(err.text, "llite." INSTANCE ".stats: lctl shows it damaged");
	ck_assert_int_eq(take("error: get_param\nllite." INSTANCE ".stats=\n" HEADER), -1);
	ck_assert_str_eq(err.text, "lctl: 'error: get_param'");
	ck_assert_int_eq(take("llite." INSTANCE ".stats =\n" HEADER), -1);
	ck_assert_str_eq(err.text, "lctl: 'llite." INSTANCE ".stats ='");
	wire_free(wire);
}
END_TEST

UNIT_MAIN("lustre_stats", a_line_of_statistics_has_four_words_or_seven_and_more,
	  a_sum_is_one_of_as_many_samples_and_a_few, each_kind_of_device_counts_its_own,
	  requests_for_metadata_are_all_but_data_and_pings,
	  times_are_in_microseconds_and_sizes_in_bytes, a_line_that_is_there_twice_is_refused,
	  what_is_no_head_of_statistics_is_damaged, the_last_eviction_of_a_history_is_told,
	  a_filesystem_is_told_by_its_first_mount, a_row_is_known_by_when_it_began_or_by_its_mount,
	  the_most_that_is_tracked_is_told, each_device_is_printed_in_its_order,
	  when_it_is_enough_other_osts_are_not_read,
	  an_instance_that_counts_one_process_is_printed_as_unknown,
	  statistics_that_are_kept_from_us_are_printed_as_denied,
	  a_row_has_its_numbers_and_its_filesystem, the_last_eviction_of_all_targets_is_told,
	  why_there_are_no_counters_is_told, parameters_of_lctl_are_taken_one_by_one,
	  lctl_tells_all_or_why_it_does_not, what_lctl_shows_damaged_is_said)
