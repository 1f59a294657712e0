/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Lustre client on files as the kernel shows them (tests/samples/lustre);
 * tests/sim/lustre_params.c is linked in and takes what is written to them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/client.h"
#include "client/lustre/facts.h"
#include "client/lustre/layout.h"
#include "client/lustre/stats.h"
#include "lib/child.h"
#include "lib/fileio.h"
#include "lib/journal.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define SAMPLES SRCDIR "/tests/samples/lustre/"
#define INSTANCE "work-ffff9a2c41d08000"
#define OST(n) "osc/work-OST000" #n "-osc-ffff9a2c41d08000/"
#define MOUNT "192.0.2.60@tcp:192.0.2.61@tcp:/work /mnt/work lustre rw 0 0\n"

/* The clock of the client (--wrap): it may stand still, and jump, in its child too. */
static unsigned long long stands_at_ms, *jumped_ms;

unsigned long long __real_child_now_ms(void);
unsigned long long __wrap_child_now_ms(void);

unsigned long long __wrap_child_now_ms(void)
{
	unsigned long long now = stands_at_ms ? stands_at_ms : __real_child_now_ms();

	return now + (jumped_ms ? *jumped_ms : 0);
}

static char sys_dir[512], debug_dir[512], procfs_dir[512];
static char mount_table[512], lctl[512];
static struct config_client section;
static struct findings findings;
static struct client_want want;
static struct client *client;

static void sample(const char *name)
{
	char command[2048];

	snprintf(command, sizeof(command), SRCDIR "/tests/tools/lustre-tree " SAMPLES "%s %s", name,
		 tempdir_name);
	ck_assert_int_eq(system(command), 0);
}

static void client_of(const char *mounts)
{
	snprintf(sys_dir, sizeof(sys_dir), "%s", tempdir_path("sys"));
	snprintf(debug_dir, sizeof(debug_dir), "%s", tempdir_path("debug"));
	snprintf(procfs_dir, sizeof(procfs_dir), "%s", tempdir_path("proc"));
	snprintf(lctl, sizeof(lctl), "%s", tempdir_path("lctl"));
	snprintf(mount_table, sizeof(mount_table), "%s", tempdir_put("mounts", mounts));
	section = (struct config_client){ .name = (char *)"scratch",
					  .type = CLIENT_LUSTRE,
					  .mounts = (char *)"",
					  .jobid = (char *)"",
					  .timeout_ms = 5000,
					  .mount_table = mount_table,
					  .sys_dir = sys_dir,
					  .debug_dir = debug_dir,
					  .procfs_dir = procfs_dir,
					  .lnet_dir = tempdir_name,
					  .lctl = lctl };
	want = (struct client_want){ .alone = true,
				     .mount_options = "",
				     .read_ahead_kb = "",
				     .parameters = "",
				     .mem_spec_limit_mb = -1 };
	client = client_open(&section, tempdir_name, tempdir_name);
	ck_assert_ptr_nonnull(client);
}

static void node(const char *mounts)
{
	tempdir_make();
	setenv("LUSTRE_TREE", tempdir_name, 1);
	sample("get_param-2.17.txt");
	client_of(mounts);
}

static void put(const char *name, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "sys/%s", name);
	tempdir_put(path, text);
}

static void look(void)
{
	struct err err = { "" };

	ck_assert_msg(client_inspect(client, 5000, &err) == 0, "%s", err.text);
	client_judge(client, &want, &findings);
}

static void away(void)
{
	findings_free(&findings);
	client_close(client);
	tempdir_remove();
}

static void expect(const char *code, const char *text)
{
	size_t i;

	for (i = 0; i < findings.count; i++)
		if (!strcmp(findings.list[i].code, code) &&
		    (!text || !strcmp(findings.list[i].text, text)))
			return;
	ck_abort_msg("no %s '%s' among %zu, first: %s", code, text ? text : "", findings.count,
		     findings.count ? findings.list[0].text : "");
}

static void expect_none(const char *code)
{
	size_t i;

	for (i = 0; i < findings.count; i++)
		ck_assert_msg(strcmp(findings.list[i].code, code) != 0, "%s",
			      findings.list[i].text);
}

START_TEST(a_client_in_order_is_only_told_what_is_its_sites_to_choose)
{
	node(MOUNT "/dev/sdc /mnt/ost0 lustre rw,svname=work-OST0000 0 0\n");
	look();
	ck_assert_uint_eq(findings.count, 1);
	expect("LU12", "its servers do not learn whose I/O it is (jobid_var=disable)");
	ck_assert_uint_eq(client_facts(client)->mount_count, 1);
	ck_assert(client_facts(client)->cpus_known);
	away();
}
END_TEST

START_TEST(a_node_without_its_mount_is_broken)
{
	node("/dev/sdc /mnt/ost0 lustre rw,svname=work-OST0000 0 0\n");
	look();
	ck_assert_uint_eq(findings.count, 1);
	expect("LU01", "no file system of type lustre is mounted");
	ck_assert(findings.list[0].breaks_node);
	away();
}
END_TEST

START_TEST(targets_that_are_away_or_idle_are_told_apart)
{
	char text[65536], *at;
	char *import;

	node(MOUNT);
	import = fileio_read(tempdir_path("debug/" OST(0) "import"), 65536, NULL, NULL);
	at = strstr(import, "state: FULL");
	snprintf(text, sizeof(text), "%.*sstate: DISCONN%s", (int)(at - import), import,
		 at + strlen("state: FULL"));
	tempdir_put("debug/" OST(0) "import", text);
	free(import);
	look();
	expect("LU04",
	       "1 of the 2 OSTs of 'work' are not connected: OST0000 (DISCONN)"); /* OST0001 is IDLE */
	away();
}
END_TEST

START_TEST(what_limits_a_target_is_said)
{
	node(MOUNT);
	put(OST(0) "active", "0\n");
	put(OST(0) "max_rpcs_in_flight", "1\n");
	put(OST(1) "max_rpcs_in_flight", "128\n");
	put(OST(1) "max_pages_per_rpc", "256\n");
	look();
	expect("LU05", "1 of the 2 OSTs of 'work' are deactivated on this node: OST0000");
	expect("LU07",
	       "1 of the 2 OSTs of 'work' get one RPC at a time (max_rpcs_in_flight=1): OST0000");
	expect("LU08",
	       "1 of the 2 OSTs of 'work' have a max_rpcs_in_flight outside 8 to 24, which suits small I/O best: OST0001");
	expect("LU10",
	       "1 of the 2 OSTs of 'work' get smaller RPCs than their servers take (max_pages_per_rpc): OST0001");
	away();
}
END_TEST

START_TEST(a_request_of_one_page_is_small_too)
{
	node(MOUNT);
	put(OST(1) "max_pages_per_rpc", "1\n");
	look();
	expect("LU10",
	       "1 of the 2 OSTs of 'work' get smaller RPCs than their servers take (max_pages_per_rpc): OST0001");
	away();
}
END_TEST

START_TEST(what_limits_a_mount_is_said)
{
	node(MOUNT);
	put("llite/" INSTANCE "/max_read_ahead_mb", "0\n");
	put("llite/" INSTANCE "/stats_track_pid", "4711\n");
	ck_assert_int_eq(fileio_mkdir(tempdir_path("sys/lov"), 0755, NULL), 0);
	ck_assert_int_eq(
		fileio_mkdir(tempdir_path("sys/lov/work-clilov-ffff9a2c41d08000"), 0755, NULL), 0);
	put("lov/work-clilov-ffff9a2c41d08000/stripecount", "1\n");
	want.parameters = "osc.max_pages_per_rpc=4M,osc.checksums=0";
	want.alone = false;
	look();
	expect("LU11", "'work' reads nothing ahead (max_read_ahead_mb=0)");
	expect("LU13",
	       "the counters of 'work' count one process or group alone, 4711 (stats_track_*)");
	expect("LU15",
	       "a new file of 'work' lies on one OST unless its folder says otherwise (stripecount=1)");
	expect("LU09",
	       "1 of the 2 OSTs of 'work' have checksums on, which the profile does without: OST0000");
	away();
}
END_TEST

START_TEST(an_interface_that_is_down_is_said)
{
	node(MOUNT);
	tempdir_put("nis", "nid status alive refs peer rtr max tx min\n"
			   "0@lo up 0 2 0 0 0 0 0\n"
			   "192.0.2.31@tcp down -1 1 8 0 256 256 256\n");
	look();
	expect("LU16", "LNet's interface 192.0.2.31@tcp is down");
	expect_none("LU14");
	away();
}
END_TEST

/* ---- the card that leads to the servers ------------------------------------- */

/* It is this machine's loopback, at this NUMA node; CPUs 0 and 1 are at node 0, 2
 * and 3 at node 1, and of CPU 4 nobody knows. */
static void look_with_card(const char *numa_node, const char *partitions)
{
	char command[2048];

	node(MOUNT);
	snprintf(
		command, sizeof(command),
		"cd '%s' && mkdir -p class/net/lo/device && for c in 0 1 2 3; do mkdir -p devices/system/cpu/cpu$c/node$((c / 2)); done && mkdir devices/system/cpu/cpu4",
		tempdir_name);
	ck_assert_int_eq(system(command), 0);
	tempdir_put("class/net/lo/device/numa_node", numa_node);
	tempdir_put("nis", "nid status alive refs peer rtr max tx min\n"
			   "0@lo up 0 2 0 0 0 0 0\n"
			   "127.0.0.1@tcp up -1 1 8 0 256 256 256\n");
	if (partitions)
		tempdir_put("cpu_partition_table", partitions);
	sysfs_set_root(tempdir_name);
	look();
}

static void expect_far(int numa_node)
{
	char text[128];

	snprintf(
		text, sizeof(text),
		"lo (127.0.0.1@tcp) is on NUMA node %d, where none of Lustre's CPU partitions has a CPU",
		numa_node);
	expect("LU14", text);
	away();
}

static void expect_near(void)
{
	expect_none("LU14");
	away();
}

START_TEST(a_card_far_from_the_cpu_partitions_is_said)
{
	look_with_card("1\n", "0\t: 0 1\n");
	expect_far(1);
	look_with_card("0\n", "0\t: 2\n1\t: 3\n");
	expect_far(0);
	look_with_card("1\n", "0\t: 0 1\n1\t: 2 3\n");
	expect_near();
	look_with_card("0\n", "0\t: 0 1\n");
	expect_near();
	/* where nobody knows it is not said */
	look_with_card("-1\n", "0\t: 0 1\n");
	expect_near();
	look_with_card("1\n", "0\t: 0 1 4\n");
	expect_near();
	look_with_card("1\n", NULL);
	expect_near();
}
END_TEST

/* As those of 2,000 CPUs: "0\t: 0 0 0 .. 2" */
START_TEST(a_partition_may_have_any_number_of_cpus)
{
	char line[4100] = "0\t:";
	size_t i;

	for (i = 0; i < 2000; i++)
		strcat(line, " 0");
	strcat(line, "\n");
	look_with_card("1\n", line);
	expect_far(1);
	strcpy(strchr(line, '\n'), " 2\n");
	look_with_card("1\n", line);
	expect_near();
}
END_TEST

START_TEST(parameters_that_cannot_be_read_are_said)
{
	node(MOUNT);
	snprintf(sys_dir, sizeof(sys_dir), "/nowhere");
	snprintf(procfs_dir, sizeof(procfs_dir), "/nowhere");
	look();
	ck_assert_uint_eq(findings.count, 1);
	expect("LU03",
	       "its parameters cannot be read: neither /nowhere nor /nowhere shows a mount of this filesystem");
	away();
}
END_TEST

/* ---- statistics ------------------------------------------------------------ */

#define HEADER                                                                                     \
	"snapshot_time 1772000000.1 secs.nsecs\nstart_time 1771990000.9 "                          \
	"secs.nsecs\n"

static int parse(const char *text, enum tree_kind kind, int64_t count[])
{
	struct lustre_stats stats;
	int rc = lustre_stats_parse(text, kind, &stats);

	if (rc == 0)
		memcpy(count, stats.count, sizeof(stats.count));
	return rc;
}

START_TEST(what_is_not_there_is_nothing_and_words_are_whole)
{
	int64_t n[WIRE_KINDS];

	ck_assert_int_eq(parse(HEADER "hybrid_read_bytes 5 samples [bytes] 1 9 45 405\n"
				      "cached_read_bytes 5 samples [bytes] 1 9 45 405\n"
				      "open 3 samples [regs]\n"
				      "read_bytes 2 samples [bytes] 4096 4096 8192 33554432\n",
			       TREE_LLITE, n),
			 0);
	ck_assert_int_eq(n[WIRE_ASKED_READ_BYTES], 8192);
	ck_assert_int_eq(n[WIRE_ASKED_WRITE_BYTES], 0);
	ck_assert_int_eq(n[WIRE_READ_BYTES], 0);
	ck_assert_int_eq(n[WIRE_RESENT], WIRE_UNKNOWN);
	ck_assert_int_eq(n[WIRE_BACKLOG], WIRE_UNKNOWN);
	ck_assert_int_eq(n[WIRE_COPIES], WIRE_UNKNOWN);
}
END_TEST

static void expect_epoch(const char *header, const char *epoch)
{
	struct lustre_stats stats;
	char text[300];

	snprintf(text, sizeof(text), "%sread_bytes 2 samples [bytes] 1 1 2 2\n", header);
	ck_assert_int_eq(lustre_stats_parse(text, TREE_OSC, &stats), 0);
	ck_assert_str_eq(stats.epoch, epoch);
	ck_assert_int_eq(stats.count[WIRE_READ_BYTES], 2);
}

START_TEST(statistics_are_known_by_when_they_began)
{
	expect_epoch(HEADER, "1771990000.9");
	expect_epoch("snapshot_time:\t 1772000000.1 secs.nsecs\n"
		     "start_time:    1771990000.25 secs.nsecs\n"
		     "elapsed_time:  9999.85 secs.nsecs\n",
		     "1771990000.25");
	/* before 2.15 there is none */
	expect_epoch("snapshot_time 1772000000.1 secs.usecs\n", "");
	expect_epoch("start_time @\n", "");
	/* nobody has set it */
	expect_epoch("snapshot_time 86400.25 secs.nsecs\n"
		     "start_time 0.000000000 secs.nsecs\n"
		     "elapsed_time 86400.25 secs.nsecs\n",
		     "");
}
END_TEST

START_TEST(a_counter_that_is_full_is_unknown)
{
	int64_t n[WIRE_KINDS];

	ck_assert_int_eq(parse(HEADER
			       "write_bytes 2 samples [bytes] 4096 4096 9223372036854775807 1\n",
			       TREE_OSC, n),
			 0);
	ck_assert_int_eq(n[WIRE_WRITE_BYTES], WIRE_UNKNOWN);
	ck_assert_int_eq(n[WIRE_WRITES], 2);
}
END_TEST

/* In lines that are parts of one that is missing. */
START_TEST(counts_beyond_all_numbers_are_unknown)
{
	static const char most[] = "9223372036854775807";
	int64_t n[WIRE_KINDS];
	char text[1024];

	snprintf(text, sizeof(text),
		 HEADER "read_bytes %s samples [bytes] 0 4096 16384 1\n"
			"obd_ping %s samples [usec] 0 %s %s 1\n"
			"ost_write %s samples [usec] 0 90 83 1\n"
			"ost_read %s samples [usec] 0 90 83 1\n",
		 most, most, most, most, most, most);
	ck_assert_int_eq(parse(text, TREE_MDC, n), 0);
	ck_assert_int_eq(n[WIRE_READS], INT64_MAX);
	ck_assert_int_eq(n[WIRE_READ_BYTES], 16384);
	ck_assert_int_eq(n[WIRE_META], WIRE_UNKNOWN);
	ck_assert_int_eq(n[WIRE_META_US], WIRE_UNKNOWN);
}
END_TEST

START_TEST(a_sum_of_squares_beyond_all_numbers_spoils_nothing)
{
	int64_t n[WIRE_KINDS];

	/* 20 million RPCs of 1 MiB: 2.1e19 of 1.8e19, begun at 0 again; so
	 * does what nobody counts, in either way of printing it */
	ck_assert_int_eq(
		parse(HEADER
		      "req_waittime 20000000 samples [usec] 90 1000 9000000000 18446744073709551615\n"
		      "write_bytes 20000000 samples [bytes] 1048576 1048576 20971520000000 12345678901234567890\n"
		      "ost_write 20000000 samples [usec] 90 1000 8000000000 -8446744073709551615\n",
		      TREE_OSC, n),
		0);
	ck_assert_int_eq(n[WIRE_WRITES], 20000000);
	ck_assert_int_eq(n[WIRE_WRITE_BYTES], 20971520000000);
	ck_assert_int_eq(n[WIRE_WRITE_US], 8000000000);
}
END_TEST

START_TEST(times_of_a_clock_that_went_back_are_unknown_and_counts_are_not)
{
	int64_t n[WIRE_KINDS];

	ck_assert_int_eq(parse(HEADER "read_bytes 4 samples [bytes] 4096 4096 16384\n"
				      "ost_read 4 samples [usec] -500000 300 -499000\n",
			       TREE_OSC, n),
			 0);
	ck_assert_int_eq(n[WIRE_READS], 4);
	ck_assert_int_eq(n[WIRE_READ_BYTES], 16384);
	ck_assert_int_eq(n[WIRE_READ_US], WIRE_UNKNOWN);
	ck_assert_int_eq(parse(HEADER "req_waittime 9 samples [usec] 20 90 500 1\n"
				      "obd_ping 2 samples [usec] -7 90 83 1\n",
			       TREE_MDC, n),
			 0);
	ck_assert_int_eq(n[WIRE_META], 7);
	ck_assert_int_eq(n[WIRE_META_US], WIRE_UNKNOWN);
}
END_TEST

START_TEST(requests_are_unknown_without_the_line_of_all_of_them)
{
	int64_t n[WIRE_KINDS];

	ck_assert_int_eq(parse(HEADER "obd_ping 20 samples [usec] 40 90 1000 1\n", TREE_MDC, n), 0);
	ck_assert_int_eq(n[WIRE_META], WIRE_UNKNOWN);
	ck_assert_int_eq(n[WIRE_META_US], WIRE_UNKNOWN);
}
END_TEST

START_TEST(damaged_statistics_are_not_believed)
{
	static const char *const damaged[] = {
		"",
		HEADER "read_bytes 2 samples [bytes] 4096 4096 8192 33554432",
		HEADER "ioctl 262 samples [reqs\n",
		HEADER "write_bytes 2 samples [usecs] 2404 3089 5493 1532113\n",
		HEADER "read_bytes 2 samples [bytes] 4096 4096\n",
		HEADER "read_bytes -2 samples [bytes] 4096 4096 8192\n",
		HEADER "read_bytes 2x samples [bytes] 4096 4096 8192\n",
		HEADER "read_bytes 99999 samples [bytes] 4096 4096 40959590\n",
		HEADER "nonsense\n",
		HEADER "read_bytes 2 samples [bytes] -4096 4096 0\n",
		HEADER "read_bytes 2 samples [bytes] 1 4096 4097 12x\n",
		HEADER "read_bytes 1 samples [bytes] 4096 4096 -4096 12\n",
		HEADER "ost_read 2 samples [msecs] 1 4 5\n",
		"\n",
	};
	int64_t n[WIRE_KINDS];
	size_t i;

	for (i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++)
		ck_assert_msg(parse(damaged[i], TREE_OSC, n) == -1, "%s", damaged[i]);
}
END_TEST

/* The difference between the node now and a sample of later. */
static const struct client_wire_line *moved(const char *later)
{
	static struct client_wire wire;
	struct err err = { "" };
	char *before = client_wire_save(client, &err);

	ck_assert_msg(before != NULL, "%s", err.text);
	if (later)
		sample(later);
	ck_assert_msg(client_wire_since(client, before, &wire, &err) == 0, "%s", err.text);
	free(before);
	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert_str_eq(wire.line[0].fs, "/mnt/work");
	if (later) {
		ck_assert_str_eq(wire.event.code, "LU06");
		ck_assert_int_eq(wire.event.at_s, 1772000300);
		ck_assert_str_eq(wire.event.text, "OST0001 of 'work' has evicted this node");
	}
	return &wire.line[0];
}

START_TEST(the_servers_of_a_node_do_not_count)
{
	const struct client_wire_line *line;

	node(MOUNT);
	line = moved("get_param-2.17-later.txt");
	ck_assert(!line->has_restarted && !line->is_partial);
	ck_assert_int_eq(line->count[WIRE_READ_BYTES], 503320576);
	ck_assert_int_eq(line->count[WIRE_WRITE_BYTES], 838860800);
	ck_assert_int_eq(line->count[WIRE_READS], 121);
	ck_assert_int_eq(line->count[WIRE_WRITES], 200);
	away();
}
END_TEST

START_TEST(llite_that_counts_one_process_tells_nothing_of_the_node)
{
	const struct client_wire_line *line;

	node(MOUNT);
	line = moved("get_param-2.17-later.txt"); /* tracks one pid */
	ck_assert_int_eq(line->count[WIRE_ASKED_READ_BYTES], WIRE_UNKNOWN);
	ck_assert_int_eq(line->count[WIRE_ASKED_WRITE_BYTES], WIRE_UNKNOWN);
	away();
}
END_TEST

START_TEST(statistics_that_began_anew_have_restarted)
{
	static struct client_wire wire;
	char *before;

	node(MOUNT);
	before = client_wire_save(client, NULL);
	tempdir_put(
		"debug/" OST(0) "stats",
		"snapshot_time 1772000600.1 secs.nsecs\nstart_time 1772000500.0 secs.nsecs\nread_bytes 900 samples [bytes] 4096 4194304 3774873600\n");
	ck_assert_int_eq(client_wire_since(client, before, &wire, NULL), 0);
	ck_assert(wire.line[0].has_restarted);
	free(before);
	away();
}
END_TEST

/* What was read on the node since, from then until it is as it is later. */
static int64_t moved_until_later(void)
{
	static struct client_wire wire;
	struct err err = { "" };
	char *before;

	sample("get_param-2.17-later.txt");
	before = client_wire_save(client, &err);
	ck_assert_msg(before != NULL, "%s", err.text);
	ck_assert_int_eq(client_wire_since(client, before, &wire, &err), 0);
	free(before);
	return wire.line[0].count[WIRE_READ_BYTES];
}

START_TEST(what_was_read_with_the_facts_is_the_beginning_and_no_end)
{
	node(MOUNT);
	stands_at_ms = child_now_ms();
	look();
	stands_at_ms += 1000;
	ck_assert_int_eq(moved_until_later(), 503320576);
	stands_at_ms = 0;
	away();
}
END_TEST

START_TEST(what_was_read_with_the_facts_holds_for_a_second)
{
	node(MOUNT);
	stands_at_ms = child_now_ms();
	look();
	stands_at_ms += 1001;
	ck_assert_int_eq(moved_until_later(), 0);
	stands_at_ms = 0;
	away();
}
END_TEST

START_TEST(only_a_hook_reads_statistics_with_the_facts)
{
	node(MOUNT);
	look();
	ck_assert_ptr_nonnull(lustre_facts_of(client)->counters);
	client_close(client);
	client = client_open(&section, NULL, NULL);
	look();
	ck_assert_ptr_null(lustre_facts_of(client)->counters);
	away();
}
END_TEST

/* Those that are missing to so many devices; and look. */
static void look_at(size_t devices)
{
	const struct lustre_facts *facts = lustre_facts_of(client);
	size_t have = facts->instance_count + facts->target_count;
	char path[100];

	for (; have < devices; have++) {
		snprintf(path, sizeof(path), "sys/osc/work-OST%04zx-osc-ffff9a2c41d08000",
			 0x100 + have);
		ck_assert_int_eq(mkdir(tempdir_path(path), 0700), 0);
	}
	look();
	ck_assert_uint_eq(facts->instance_count + facts->target_count, devices);
}

START_TEST(of_very_many_devices_facts_are_read_without_statistics)
{
	node(MOUNT);
	stands_at_ms = child_now_ms();
	look();
	look_at(WIRE_ROWS_MAX);
	ck_assert_ptr_nonnull(lustre_facts_of(client)->counters);
	look_at(WIRE_ROWS_MAX + 1);
	ck_assert_ptr_null(lustre_facts_of(client)->counters);
	stands_at_ms = 0;
	away();
}
END_TEST

/* This file of the first OST takes so much of the minute that the client has for an
 * answer, or of the budget. Has a look of so long told of the statistics? */
static bool are_kept_beside(const char *file, unsigned int budget_ms, unsigned int first_ms)
{
	char name[200], *text;
	const char *path;
	struct err err = { "" };
	bool kept;
	ssize_t size;
	pid_t pid;
	int out;

	snprintf(name, sizeof(name), "debug/" OST(0) "%s", file);
	path = tempdir_path(name);
	text = fileio_read(path, 65536, NULL, NULL);
	ck_assert_ptr_nonnull(text);
	size = strlen(text);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	stands_at_ms = child_now_ms();
	jumped_ms = mmap(NULL, sizeof(*jumped_ms), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(jumped_ms, MAP_FAILED);
	pid = fork();
	if (!pid) { /* opened when somebody reads it */
		out = open(path, O_WRONLY);
		*jumped_ms = first_ms;
		_exit(write(out, text, size) != size);
	}
	ck_assert_int_eq(client_inspect(client, budget_ms, &err), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	munmap(jumped_ms, sizeof(*jumped_ms));
	jumped_ms = NULL;
	stands_at_ms = 0;
	ck_assert_int_eq(unlink(path), 0);
	tempdir_put(name, text);
	kept = lustre_facts_of(client)->counters != NULL;
	free(text);
	return kept;
}

static bool are_counters_kept(unsigned int budget_ms, unsigned int first_ms)
{
	return are_kept_beside("stats", budget_ms, first_ms);
}

static bool is_unread(void)
{
	return strstr(lustre_facts_of(client)->counters, "\nunread osc.");
}

START_TEST(statistics_that_the_budget_cut_short_are_read_again)
{
	node(MOUNT);
	section.timeout_ms = 60000;
	ck_assert(are_counters_kept(90000, 29999));
	ck_assert(!is_unread());
	ck_assert(are_counters_kept(90000, 30000));
	ck_assert(is_unread());
	ck_assert(are_counters_kept(60000, 30000));
	ck_assert(are_counters_kept(59999, 29998)); /* nothing is unread */
	ck_assert(!are_counters_kept(59999, 30000));
	ck_assert_int_eq(moved_until_later(), 0);
	away();
}
END_TEST

/* An eighth of the time is what may be spent before them. */
START_TEST(statistics_are_not_read_with_facts_that_took_their_time)
{
	node(MOUNT);
	section.timeout_ms = 60000;
	ck_assert(are_kept_beside("import", 90000, 7499));
	ck_assert(!are_kept_beside("import", 90000, 7500));
	ck_assert(are_kept_beside("import", 8000, 999));
	ck_assert(!are_kept_beside("import", 8000, 1000));
	away();
}
END_TEST

START_TEST(targets_that_were_not_read_leave_a_lower_bound)
{
	static struct client_wire wire;
	struct err err = { "" };
	char *all, *some, *at, *end;

	node(MOUNT);
	all = client_wire_save(client, &err);
	some = strdup(all);
	at = strstr(some, "@1771990000.100000000"); /* of OST0000 */
	ck_assert_ptr_nonnull(at);
	end = at + strlen("@1771990000.100000000");
	memmove(at + 1, end, strlen(end) + 1);
	sample("get_param-2.17-later.txt");
	ck_assert_msg(client_wire_since(client, some, &wire, &err) == 0, "%s", err.text);
	ck_assert(!wire.line[0].has_restarted && wire.line[0].is_partial);
	ck_assert_int_eq(wire.line[0].count[WIRE_WRITE_BYTES], 419430400);
	free(some);
	free(all);
	away();
}
END_TEST

/* ---- older versions ---------------------------------------------------------- */

/* Of a sample of several parameters, what one of them shows; caller frees. */
static char *shown(const char *name, const char *param)
{
	char path[512], *text, *at, *end, *part;

	snprintf(path, sizeof(path), SAMPLES "%s", name);
	text = fileio_read(path, 65536, NULL, NULL);
	ck_assert_ptr_nonnull(text);
	at = strstr(text, param);
	ck_assert_ptr_nonnull(at);
	at = strchr(at, '\n') + 1;
	end = strstr(at, ".stats=\n");
	while (end && end > at && end[-1] != '\n')
		end--;
	part = strndup(at, end ? (size_t)(end - at) : strlen(at));
	free(text);
	return part;
}

static int parse_shown(const char *name, const char *param, enum tree_kind kind, int64_t count[])
{
	char *text = shown(name, param);
	int rc = parse(text, kind, count);

	free(text);
	return rc;
}

START_TEST(older_forms_of_statistics_are_read)
{
	int64_t n[WIRE_KINDS];

	ck_assert_int_eq(parse_shown("stats-2.10.txt", "llite.old", TREE_LLITE, n), 0);
	ck_assert_int_eq(n[WIRE_ASKED_READ_BYTES], 1003520);
	ck_assert_int_eq(n[WIRE_ASKED_WRITE_BYTES], 203517);
	ck_assert_int_eq(n[WIRE_READ_BYTES], 0);
	ck_assert_int_eq(parse_shown("stats-2.10.txt", "osc.old", TREE_OSC, n), 0);
	ck_assert_int_eq(n[WIRE_READ_BYTES], 9437184);
	ck_assert_int_eq(n[WIRE_READS], 20);
	ck_assert_int_eq(n[WIRE_WRITE_BYTES], 203517);
	ck_assert_int_eq(n[WIRE_WRITES], 5);
	ck_assert_int_eq(n[WIRE_META], 0); /* of an OST */
}
END_TEST

START_TEST(what_others_than_root_get_is_not_believed)
{
	int64_t n[WIRE_KINDS];

	ck_assert_int_eq(parse_shown("stats-as-user.txt", "llite.work", TREE_LLITE, n), -1);
	ck_assert_int_eq(parse_shown("stats-as-user.txt", "osc.work", TREE_OSC, n), -1);
}
END_TEST

#define OLD_MOUNT "198.51.100.70@o2ib1:/old /mnt/old lustre rw 0 0\n"

/* All of it is below procfs, but for what 2.10 has in sysfs. */
static void old_sample(const char *name)
{
	char command[2048];

	snprintf(command, sizeof(command), SRCDIR "/tests/tools/lustre-tree " SAMPLES "%s %s proc",
		 name, tempdir_name);
	ck_assert_int_eq(system(command), 0);
}

static void old_node(const char *globals)
{
	char path[64];

	tempdir_make();
	setenv("LUSTRE_TREE", tempdir_name, 1);
	old_sample("get_param-2.10.txt");
	client_of(OLD_MOUNT);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("sys"), 0755, NULL), 0);
	snprintf(path, sizeof(path), "%s/version", globals);
	tempdir_put(path, "lustre: 2.10.8\nkernel: patchless_client\n");
	snprintf(path, sizeof(path), "%s/jobid_var", globals);
	tempdir_put(path, "disable\n");
	snprintf(path, sizeof(path), "%s/jobid_name", globals);
	tempdir_put(path, "%e.%u\n");
}

START_TEST(an_older_client_is_found_below_procfs)
{
	static const char *const globals[] = { "sys", "proc" };
	size_t i;

	for (i = 0; i < 2; i++) {
		old_node(globals[i]);
		want.parameters = "osc.max_pages_per_rpc=4M";
		look();
		ck_assert_uint_eq(findings.count, 3);
		expect("LU04", "1 of the 3 OSTs of 'old' are not connected: OST0002 (DISCONN)");
		expect("LU12", "its servers do not learn whose I/O it is (jobid_var=disable)");
		expect("LU15",
		       "a new file of 'old' lies on one OST unless its folder says otherwise (stripecount=1)");
		ck_assert_str_eq(client_facts(client)->version, "2.10.8");
		away();
	}
}
END_TEST

START_TEST(an_older_client_is_counted)
{
	static const struct {
		enum wire_kind kind;
		int64_t moved;
	} row[] = {
		{ WIRE_READ_BYTES, 134217728 },
		{ WIRE_READS, 128 },
		{ WIRE_READ_US, 122500 },
		{ WIRE_WRITE_BYTES, 135266304 },
		{ WIRE_WRITES, 129 },
		{ WIRE_WRITE_US, 384000 },
		{ WIRE_META, 96 },
		{ WIRE_META_US, 60000 },
		{ WIRE_ASKED_READ_BYTES, 268435456 },
		{ WIRE_ASKED_WRITE_BYTES, 134217728 },
		{ WIRE_RESENT, WIRE_UNKNOWN },
		{ WIRE_QUEUE_US, WIRE_UNKNOWN },
	};
	static struct client_wire wire;
	struct err err = { "" };
	char *before;
	size_t i;

	old_node("sys");
	before = client_wire_save(client, &err);
	ck_assert_msg(before != NULL, "%s", err.text);
	old_sample("get_param-2.10-later.txt");
	ck_assert_msg(client_wire_since(client, before, &wire, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert_str_eq(wire.line[0].fs, "/mnt/old");
	ck_assert(!wire.line[0].has_restarted && !wire.line[0].is_partial);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		ck_assert_int_eq(wire.line[0].count[row[i].kind], row[i].moved);
	ck_assert_str_eq(wire.event.code, "LU06");
	ck_assert_int_eq(wire.event.at_s, 1571000544);
	ck_assert_str_eq(wire.event.text, "OST0001 of 'old' has evicted this node");
	free(before);
	away();
}
END_TEST

/* ---- lctl, where files are kept from us ------------------------------------- */

START_TEST(statistics_that_nobody_may_read_are_asked_of_lctl)
{
	const struct client_wire_line *line;
	struct err err = { "" };
	char script[1024];

	node(MOUNT);
	/* which root cannot read either */
	ck_assert_int_eq(unlink(tempdir_path("debug/" OST(0) "stats")), 0);
	ck_assert_int_eq(symlink("/proc/sys/vm/drop_caches", tempdir_path("debug/" OST(0) "stats")),
			 0);
	snprintf(
		script, sizeof(script),
		"#!/bin/sh\n[ \"$*\" = 'get_param llite.*.stats mdc.*.stats osc.*.stats' ] && cat " SAMPLES
		"get_param-2.17.txt\n");
	tempdir_put("lctl", script);
	ck_assert_int_eq(chmod(lctl, 0755), 0);
	line = moved(NULL);
	ck_assert(!line->has_restarted && !line->is_partial);
	ck_assert_int_eq(line->count[WIRE_WRITE_BYTES], 0);
	tempdir_put("lctl", "#!/bin/sh\necho 'llite.work: cut off'\n");
	ck_assert_ptr_null(client_wire_save(client, &err));
	ck_assert_str_eq(err.text, "lctl: 'llite.work: cut off'");
	away();
}
END_TEST

/* ---- layouts ----------------------------------------------------------------- */

static size_t plain(unsigned char *at, uint32_t magic, uint16_t count)
{
	memset(at, 0, 32);
	memcpy(at, &magic, sizeof(magic));
	memcpy(at + 28, &count, sizeof(count));
	return 32;
}

/* So many components; the offset and size of the last are these. */
static size_t composite(unsigned char *at, uint16_t count, uint32_t offset, uint32_t size)
{
	const uint32_t magic = 0x0BD60BD0;
	uint32_t part = 32 + 48U * count, length = 32;
	uint16_t i;

	memset(at, 0, part);
	memcpy(at, &magic, sizeof(magic));
	memcpy(at + 14, &count, sizeof(count));
	for (i = 0; i < count; i++) {
		bool is_last = i == count - 1;

		memcpy(at + 32 + 48 * i + 24, is_last ? &offset : &part, 4);
		memcpy(at + 32 + 48 * i + 28, is_last ? &size : &length, 4);
	}
	plain(at + part, 0x0BD30BD0, 3);
	return part + 32;
}

START_TEST(a_layout_says_on_how_many_osts_a_file_lies)
{
	unsigned char data[512];
	size_t size;

	plain(data, 0x0BD10BD0, 1);
	ck_assert_int_eq(layout_stripes(data, 32), 1);
	plain(data, 0x0BD30BD0, 8); /* with a pool's name behind it */
	ck_assert_int_eq(layout_stripes(data, 48), 8);
	plain(data, 0x0BD50BD0, 0xffff);
	ck_assert_int_eq(layout_stripes(data, 48), LAYOUT_ALL);
	plain(data, 0x0BD10BD0, 0);
	ck_assert_int_eq(layout_stripes(data, 32), 0);
	size = composite(data, 2, 32 + 96, 32);
	ck_assert_int_eq(layout_stripes(data, size), 3);
	ck_assert_int_eq(layout_stripes(data, 32), LUSTRE_UNKNOWN);
	size = composite(data, 0, 0, 0);
	ck_assert_int_eq(layout_stripes(data, size), 0);
}
END_TEST

START_TEST(a_layout_that_is_damaged_says_nothing)
{
	static const uint32_t wrong[][2] = { { 128, 31 },	  { 129, 32 },
					     { 128, 0xffffffff }, { 0xffffffff, 32 },
					     { 0, 32 },		  { 0xfffffff0, 0x20 },
					     { 160, 0 },	  { 0xffffffff, 1 } };
	unsigned char data[512];
	size_t i, size;

	plain(data, 0x0BD10BD0, 1);
	for (i = 0; i < 32; i++)
		ck_assert_int_eq(layout_stripes(data, i), LUSTRE_UNKNOWN);
	plain(data, 0x0BD70BD0, 1); /* of another kind of filesystem */
	ck_assert_int_eq(layout_stripes(data, 32), LUSTRE_UNKNOWN);
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		size = composite(data, 2, wrong[i][0], wrong[i][1]);
		ck_assert_int_eq(layout_stripes(data, size), LUSTRE_UNKNOWN);
	}
	size = composite(data, 2, 128, 32);
	for (i = 0; i < size; i++)
		ck_assert_int_eq(layout_stripes(data, i), LUSTRE_UNKNOWN);
}
END_TEST

/* ---- parameters -------------------------------------------------------------- */

static struct config config;

static char *value(const char *name)
{
	static char text[64];
	char path[200], *read;

	snprintf(path, sizeof(path), "sys/%s", name);
	read = fileio_read(tempdir_path(path), 64, NULL, NULL);
	ck_assert_ptr_nonnull(read);
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(read, "\n"), read);
	free(read);
	return text;
}

static struct journal *apply(const char *parameters)
{
	struct journal *journal;
	struct client_plan *plan = NULL;
	struct err err = { "" };

	want.parameters = parameters;
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	plan = client_plan(client, &want, &findings);
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_int_ge(client_apply(client, plan, journal, &findings, &err), 0);
	client_plan_free(plan);
	return journal;
}

static void restore(struct journal *journal)
{
	struct err err = { "" };

	config = (struct config){ .run_dir = tempdir_name,
				  .clients = { section },
				  .client_count = 1 };
	ck_assert_msg(client_restore(&config, tempdir_name, journal, &findings, &err) >= 0, "%s",
		      err.text);
	journal_close(journal);
}

START_TEST(what_a_change_may_have_moved_is_not_the_jobs)
{
	node(MOUNT);
	journal_close(apply("osc.max_rpcs_in_flight=24"));
	ck_assert_int_eq(moved_until_later(), 0);
	away();
}
END_TEST

START_TEST(each_parameter_of_the_table_goes_there_and_back)
{
	static const struct {
		const char *word, *file, *is, *was;
	} row[] = {
		{ "llite.max_read_ahead_mb=2048", "llite/" INSTANCE "/max_read_ahead_mb", "2048",
		  "1024" },
		{ "llite.max_read_ahead_per_file_mb=64",
		  "llite/" INSTANCE "/max_read_ahead_per_file_mb", "64", "256" },
		{ "llite.max_read_ahead_whole_mb=8", "llite/" INSTANCE "/max_read_ahead_whole_mb",
		  "8", "64" },
		{ "llite.statahead_max=1024", "llite/" INSTANCE "/statahead_max", "1024", "128" },
		{ "llite.hybrid_io=0", "llite/" INSTANCE "/hybrid_io", "0", "1" },
		{ "llite.hybrid_io_read_threshold_bytes=65536",
		  "llite/" INSTANCE "/hybrid_io_read_threshold_bytes", "65536", "8388608" },
		{ "llite.hybrid_io_write_threshold_bytes=65536",
		  "llite/" INSTANCE "/hybrid_io_write_threshold_bytes", "65536", "2097152" },
		{ "llite.parallel_dio=0", "llite/" INSTANCE "/parallel_dio", "0", "1" },
		{ "llite.unaligned_dio=0", "llite/" INSTANCE "/unaligned_dio", "0", "1" },
		{ "mdc.max_rpcs_in_flight=32",
		  "mdc/work-MDT0000-mdc-ffff9a2c41d08000/max_rpcs_in_flight", "32", "8" },
		{ "mdc.max_mod_rpcs_in_flight=8",
		  "mdc/work-MDT0000-mdc-ffff9a2c41d08000/max_mod_rpcs_in_flight", "8", "7" },
		{ "mdc.max_pages_per_rpc=64",
		  "mdc/work-MDT0000-mdc-ffff9a2c41d08000/max_pages_per_rpc", "64", "256" },
		{ "mdc.max_dirty_mb=64", "mdc/work-MDT0000-mdc-ffff9a2c41d08000/max_dirty_mb", "64",
		  "309" },
		{ "mdc.checksums=0", "mdc/work-MDT0000-mdc-ffff9a2c41d08000/checksums", "0", "1" },
		{ "osc.max_rpcs_in_flight=1", OST(0) "max_rpcs_in_flight", "1", "8" },
		{ "osc.max_pages_per_rpc=1M", OST(0) "max_pages_per_rpc", "256", "1024" },
		{ "osc.max_dirty_mb=64", OST(0) "max_dirty_mb", "64", "2000" },
		{ "osc.checksums=0", OST(0) "checksums", "0", "1" },
		{ "osc.short_io_bytes=0", OST(0) "short_io_bytes", "0", "16384" },
	};
	struct journal *journal;
	size_t i;

	node(MOUNT);
	put(OST(1) "max_pages_per_rpc", "1024\n"); /* as its server here */
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		journal = apply(row[i].word);
		ck_assert_str_eq(value(row[i].file), row[i].is);
		ck_assert(client_holds(client, &want));
		restore(journal);
		unlink(tempdir_path("journal"));
		ck_assert_str_eq(value(row[i].file), row[i].was);
		ck_assert_msg(!findings.count, "%s: %s", row[i].word, findings.list[0].text);
	}
	away();
}
END_TEST

static void expect_old(const char *name, const char *is)
{
	char path[200], *text;

	snprintf(path, sizeof(path), "proc/%s", name);
	text = fileio_read(tempdir_path(path), 64, NULL, NULL);
	ck_assert_ptr_nonnull(text);
	text[strcspn(text, "\n")] = '\0';
	ck_assert_str_eq(text, is);
	free(text);
}

START_TEST(parameters_of_an_older_client_go_there_and_back)
{
	static const char osc[] = "osc/old-OST0001-osc-ffff880412345000/max_rpcs_in_flight";
	static const char ahead[] = "llite/old-ffff880412345000/max_read_ahead_mb";
	struct journal *journal;

	old_node("proc");
	want.job_id = 4711;
	journal = apply("osc.max_rpcs_in_flight=16,llite.max_read_ahead_mb=256,jobid");
	expect_old(osc, "16");
	expect_old(ahead, "256");
	expect_old("jobid_var", "nodelocal");
	expect_old("jobid_name", "4711");
	ck_assert(client_holds(client, &want));
	restore(journal);
	expect_old(osc, "8");
	expect_old(ahead, "64");
	expect_old("jobid_var", "disable");
	expect_old("jobid_name", "%e.%u");
	ck_assert_msg(!findings.count, "%s", findings.list[0].text);
	away();
}
END_TEST

START_TEST(what_is_not_in_the_table_is_refused)
{
	static const struct {
		const char *word, *why;
	} row[] = {
		{ "llite.checksums=0", "not a parameter that jobio sets" },
		{ "osc.idle_timeout=0", "not a parameter that jobio sets" },
		{ "osp.max_rpcs_in_flight=9", "not a parameter that jobio sets" },
		{ "max_dirty_mb=9", "not a parameter that jobio sets" },
		{ "osc.max_rpcs_in_flight=0", "expected a number from 1 to 256" },
		{ "mdc.max_rpcs_in_flight=1", "expected a number from 2 to 256" },
		{ "osc.max_pages_per_rpc=65M",
		  "expected a number from 1 to 16384, or mebibytes: 4M" },
		{ "osc.checksums=on", "expected a number from 0 to 1" },
		{ "jobid=7", "takes no value" },
	};
	char text[256];
	size_t i;

	node(MOUNT);
	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		restore(apply(row[i].word));
		snprintf(text, sizeof(text),
			 "parameter '%s' of the profile: %s; the profile was not applied",
			 row[i].word, row[i].why);
		expect("LU49", text);
		findings_free(&findings);
		memset(&findings, 0, sizeof(findings));
	}
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "8");
	away();
}
END_TEST

START_TEST(targets_with_too_many_numbers_to_be_named_keep_what_they_have)
{
	char name[64], file[80];
	int i;

	node(MOUNT);
	/* every other one has what the profile wants */
	for (i = 2; i < 2000; i++) {
		snprintf(name, sizeof(name), "sys/osc/work-OST%04x-osc-ffff9a2c41d08000", i);
		ck_assert_int_eq(mkdir(tempdir_path(name), 0755), 0);
		snprintf(file, sizeof(file), "%s/checksums", name);
		tempdir_put(file, i % 2 ? "1\n" : "0\n");
	}
	restore(apply("osc.checksums=0"));
	expect("LU40",
	       "could not set osc.checksums=0: its targets that are alike have too many numbers to be named");
	ck_assert_str_eq(value(OST(0) "checksums"), "1");
	away();
}
END_TEST

START_TEST(a_reboot_undoes_all_of_lustre)
{
	ck_assert(!client_change_outlives_reboot("lustre", "parameters"));
	ck_assert(!client_change_outlives_reboot("lustre", "jobid"));
}
END_TEST

/* How many findings of this code there are, where OST0000 has this value. */
static size_t said(const char *code, const char *param, const char *value)
{
	size_t i, count = 0;
	char path[200];

	node(MOUNT);
	snprintf(path, sizeof(path), OST(0) "%s", param);
	put(path, value);
	look();
	for (i = 0; i < findings.count; i++)
		count += !strcmp(findings.list[i].code, code);
	away();
	return count;
}

START_TEST(requests_in_flight_are_judged_at_their_bounds)
{
	ck_assert_uint_eq(said("LU07", "max_rpcs_in_flight", "1\n"), 1);
	ck_assert_uint_eq(said("LU08", "max_rpcs_in_flight", "1\n"), 0);
	ck_assert_uint_eq(said("LU07", "max_rpcs_in_flight", "2\n"), 0);
	ck_assert_uint_eq(said("LU08", "max_rpcs_in_flight", "2\n"), 1);
	ck_assert_uint_eq(said("LU08", "max_rpcs_in_flight", "7\n"), 1);
	ck_assert_uint_eq(said("LU08", "max_rpcs_in_flight", "8\n"), 0);
	ck_assert_uint_eq(said("LU08", "max_rpcs_in_flight", "24\n"), 0);
	ck_assert_uint_eq(said("LU08", "max_rpcs_in_flight", "25\n"), 1);
	ck_assert_uint_eq(said("LU05", "active", "1\n"), 0);
	ck_assert_uint_eq(said("LU05", "active", "0\n"), 1);
}
END_TEST

START_TEST(either_read_ahead_of_nothing_is_said)
{
	node(MOUNT);
	put("llite/" INSTANCE "/max_read_ahead_per_file_mb", "0\n");
	look();
	expect("LU11", "'work' reads nothing ahead (max_read_ahead_per_file_mb=0)");
	away();
	node(MOUNT);
	put("llite/" INSTANCE "/max_read_ahead_mb", "1\n");
	put("llite/" INSTANCE "/stats_track_gid", "1\n");
	look();
	expect_none("LU11");
	expect("LU13",
	       "the counters of 'work' count one process or group alone, 1 (stats_track_*)");
	away();
	node(MOUNT);
	put("llite/" INSTANCE "/stats_track_pid", "0\n");
	put("jobid_var", "nodelocal\n");
	look();
	expect_none("LU13");
	expect_none("LU12");
	away();
}
END_TEST

START_TEST(checksums_are_said_where_a_shared_node_keeps_them)
{
	static const struct {
		const char *parameters;
		bool alone;
		bool is_said;
	} rows[] = {
		{ "osc.checksums=0", false, true },
		{ "osc.checksums=0", true, false },
		{ "osc.checksums=1", false, false },
		{ "llite.hybrid_io=0", false, false },
		{ "", false, false },
	};
	size_t i, k, count;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		node(MOUNT);
		want.parameters = rows[i].parameters;
		want.alone = rows[i].alone;
		look();
		for (count = 0, k = 0; k < findings.count; k++)
			count += !strcmp(findings.list[k].code, "LU09");
		ck_assert_msg(count == rows[i].is_said, "%s", rows[i].parameters);
		away();
	}
}
END_TEST

START_TEST(blank_lines_among_statistics_say_nothing)
{
	int64_t n[WIRE_KINDS];

	ck_assert_int_eq(parse(HEADER "read_bytes 2 samples [bytes] 1 1 2 2\n"
				      "\n \t\n"
				      "write_bytes 3 samples [bytes] 1 1 3 3\n",
			       TREE_OSC, n),
			 0);
	ck_assert_int_eq(n[WIRE_READS], 2);
	ck_assert_int_eq(n[WIRE_WRITES], 3);
}
END_TEST

/* How many more there are with a folder of this name. */
static int adds_a_target(const char *name)
{
	struct err err = { "" };
	struct tree *was = tree_read(client, &err), *is;
	char path[200];
	int more;

	snprintf(path, sizeof(path), "sys/osc/%s", name);
	ck_assert_int_eq(fileio_mkdir(tempdir_path(path), 0755, NULL), 0);
	is = tree_read(client, &err);
	ck_assert(was && is);
	more = (int)is->count - (int)was->count;
	tree_free(was);
	tree_free(is);
	return more;
}

/* Like those of a server to its own OSTs. */
START_TEST(devices_with_other_names_are_no_targets)
{
	static const char *const others[] = {
		"work-OST0009-osc-ffff9a2",
		"work-OST0009-osc-ffff9a2c41d080001",
		"work-OST0009-osc-ffff9a2c41d0800x",
		"work-OST0009-osc-MDT0000",
		"work-OST009-osc-ffff9a2c41d08000",
		"work-OST00009-osc-ffff9a2c41d08000",
		"work-OST0009-oscx-ffff9a2c41d08000",
		"work-OST0009_osc-ffff9a2c41d08000",
		"work-MDT0009-osc-ffff9a2c41d08000",
		"ffff9a2c41d08000",
		"work-ffff9a2c41d08000",
		"wor-OST0009-osc-ffff9a2c41d08000",
		"workx-OST0009-osc-ffff9a2c41d08000",
		"home-OST0009-osc-ffff9a2c41d08000",
	};
	size_t i;

	node(MOUNT);
	look();
	ck_assert_int_eq(adds_a_target("work-OST0009-osc-ffff9a2c"), 1);
	ck_assert_int_eq(adds_a_target("work-OST000a-osc-ffff9a2c41d08000"), 1);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(adds_a_target(others[i]) == 0, "%s", others[i]);
	away();
}
END_TEST

/* Of a profile that is refused nothing at all is done. */
START_TEST(what_lustre_has_no_place_for_is_refused)
{
	struct journal *journal;

	node(MOUNT);
	want.read_ahead_kb = "4096";
	journal = apply("osc.max_rpcs_in_flight=16");
	ck_assert_uint_eq(journal_count(journal), 0);
	restore(journal);
	expect("LU49",
	       "read_ahead_kb of the profile: Lustre has llite.max_read_ahead_mb instead; the profile was not applied");
	findings_free(&findings);
	memset(&findings, 0, sizeof(findings));
	want.read_ahead_kb = "";
	want.mount_options = "noatime";
	journal = apply("osc.max_rpcs_in_flight=16");
	ck_assert_uint_eq(journal_count(journal), 0);
	restore(journal);
	expect("LU49",
	       "mount option 'noatime' of the profile: options of a Lustre mount are not changed; the profile was not applied");
	away();
}
END_TEST

#define MDC "mdc/work-MDT0000-mdc-ffff9a2c41d08000/"
#define OSTS "osc.max_rpcs_in_flight=24"

/* How often the layout of the job's folder was asked for, and what it said. */
static size_t asked_for(const char *folder, const char *parameters)
{
	char *text;
	size_t count;

	tempdir_put("layout/asked", "");
	want.work_dir = folder;
	want.parameters = parameters;
	findings_free(&findings);
	look();
	text = fileio_read(tempdir_path("layout/asked"), 100, NULL, NULL);
	count = strlen(text);
	free(text);
	return count;
}

START_TEST(the_folder_of_a_job_that_streams_is_asked_for_its_layout)
{
	const long *stripes;
	unsigned char data[32];
	char name[64];
	FILE *out;

	node(MOUNT);
	stripes = &lustre_facts_of(client)->folder_stripes;
	ck_assert_int_eq(mkdir(tempdir_path("layout"), 0755), 0);
	want.uid = geteuid();
	want.gid = getegid();
	ck_assert_uint_eq(asked_for("/mnt/work/a", "osc.max_pages_per_rpc=1M"), 1);
	ck_assert_int_eq(*stripes, 0); /* it has no layout of its own */
	ck_assert_ptr_null(lustre_facts_of(client)->counters);
	snprintf(name, sizeof(name), "layout/%u", geteuid());
	out = fopen(tempdir_path(name), "w");
	ck_assert(out && fwrite(data, plain(data, 0x0BD10BD0, 1), 1, out) == 1);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_uint_eq(asked_for("/mnt/work", "llite.max_read_ahead_mb=9"), 1);
	ck_assert_int_eq(*stripes, 1);
	expect("LU15",
	       "a new file in the job's directory '/mnt/work' lies on one OST (stripe count 1)");
	ck_assert_uint_eq(asked_for("/mnt/workshop", "llite.max_read_ahead_mb=9"), 0);
	ck_assert_int_eq(*stripes, LUSTRE_UNKNOWN);
	ck_assert_ptr_nonnull(lustre_facts_of(client)->counters);
	ck_assert_uint_eq(asked_for("/mnt", "llite.max_read_ahead_mb=9"), 0);
	ck_assert_uint_eq(asked_for(NULL, "llite.max_read_ahead_mb=9"), 0);
	ck_assert_uint_eq(asked_for("/mnt/work/a", "osc.checksums=0"), 0);
	ck_assert_uint_eq(asked_for("/mnt/work/a", ""), 0);
	away();
}
END_TEST

START_TEST(a_metadata_server_that_is_away_is_not_asked_for_a_layout)
{
	char text[65536], *at, *import;

	node(MOUNT);
	ck_assert_int_eq(mkdir(tempdir_path("layout"), 0755), 0);
	want.uid = geteuid();
	want.gid = getegid();
	import = fileio_read(tempdir_path("debug/" MDC "import"), 65536, NULL, NULL);
	at = strstr(import, "state: FULL");
	ck_assert_ptr_nonnull(at);
	snprintf(text, sizeof(text), "%.*sstate: IDLE%s", (int)(at - import), import,
		 at + strlen("state: FULL"));
	tempdir_put("debug/" MDC "import", text);
	ck_assert_uint_eq(asked_for("/mnt/work", "llite.max_read_ahead_mb=9"), 1);
	snprintf(text, sizeof(text), "%.*sstate: DISCONN%s", (int)(at - import), import,
		 at + strlen("state: FULL"));
	tempdir_put("debug/" MDC "import", text);
	free(import);
	ck_assert_uint_eq(asked_for("/mnt/work", "llite.max_read_ahead_mb=9"), 0);
	away();
}
END_TEST

START_TEST(a_parameter_that_the_kernel_does_not_take_is_told)
{
	struct journal *journal;

	node(MOUNT);
	setenv("LUSTRE_DENY", "max_rpcs_in_flight", 1);
	journal = apply(OSTS);
	expect("LU40", NULL);
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_FAILED);
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "8");
	ck_assert(!client_holds(client, &want));
	restore(journal);
	unlink(tempdir_path("journal"));
	findings_free(&findings);
	unsetenv("LUSTRE_DENY");
	journal = apply(OSTS);
	ck_assert_uint_eq(findings.count, 0);
	setenv("LUSTRE_DENY", "max_rpcs_in_flight", 1);
	config = (struct config){ .run_dir = tempdir_name,
				  .clients = { section },
				  .client_count = 1 };
	ck_assert_int_eq(client_restore(&config, tempdir_name, journal, &findings, NULL), -1);
	expect("LU42", NULL);
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "24");
	unsetenv("LUSTRE_DENY");
	restore(journal); /* the next one does it */
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "8");
	away();
}
END_TEST

START_TEST(what_somebody_else_has_set_on_a_target_stays)
{
	struct journal *journal;

	node(MOUNT);
	journal = apply(OSTS);
	put(OST(0) "max_rpcs_in_flight", "12\n");
	restore(journal);
	expect("LU43", NULL);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "12");
	ck_assert_str_eq(value(OST(1) "max_rpcs_in_flight"), "16");
	away();
}
END_TEST

static void umount_all(void)
{
	ck_assert_int_eq(rename(tempdir_path("sys/llite/" INSTANCE), tempdir_path("gone")), 0);
}

START_TEST(a_mount_that_is_gone_has_nothing_to_put_back)
{
	struct client_plan *plan = NULL;
	struct journal *journal;
	struct err err = { "" };

	node(MOUNT);
	journal = apply(OSTS);
	umount_all();
	restore(journal);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "24");
	away();
	node(MOUNT);
	want.parameters = OSTS;
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	plan = client_plan(client, &want, &findings);
	ck_assert_uint_eq(client_plan_count(plan), 2);
	umount_all();
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_int_eq(client_apply(client, plan, journal, &findings, &err), 1);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.list[0].code, "LU40");
	ck_assert_str_eq(findings.list[0].cure, "mount it");
	ck_assert_ptr_nonnull(strstr(findings.list[0].text, "is not mounted any more"));
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "8");
	client_plan_free(plan);
	journal_close(journal);
	away();
}
END_TEST

/* The same address, and another folder. */
START_TEST(a_filesystem_that_was_mounted_anew_has_nothing_to_put_back)
{
	struct journal *journal;

	node(MOUNT);
	journal = apply(OSTS);
	umount_all();
	ck_assert_int_eq(mkdir(tempdir_path("sys/llite/" INSTANCE), 0755), 0);
	restore(journal);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "24");
	away();
}
END_TEST

START_TEST(a_target_that_is_gone_keeps_those_that_are_like_it_as_they_are)
{
	struct client_plan *plan = NULL;
	struct journal *journal;
	struct err err = { "" };

	node(MOUNT);
	put(OST(1) "max_rpcs_in_flight", "8\n");
	put(OST(1) "max_pages_per_rpc", "1024\n");
	put(OST(1) "max_dirty_mb", "2000\n");
	want.parameters = OSTS;
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	plan = client_plan(client, &want, &findings);
	ck_assert_uint_eq(client_plan_count(plan), 1);
	ck_assert_ptr_nonnull(strstr(client_plan_at(plan, 0)->target, " osc 0-1"));
	ck_assert_int_eq(rename(tempdir_path("sys/" OST(0)), tempdir_path("gone")), 0);
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_int_eq(client_apply(client, plan, journal, &findings, &err), 1);
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_FAILED);
	expect("LU40", "'osc work-OST0000-osc-ffff9a2c41d08000' is not mounted any more");
	ck_assert_str_eq(value(OST(1) "max_rpcs_in_flight"), "8");
	client_plan_free(plan);
	journal_close(journal);
	away();
}
END_TEST

START_TEST(what_is_back_already_does_not_keep_the_rest_from_going_back)
{
	struct journal *journal;

	node(MOUNT);
	want.job_id = 7;
	journal = apply("jobid," OSTS);
	ck_assert_uint_eq(journal_count(journal), 3);
	/* the last one, which is the first on the way back */
	journal_mark(journal, journal_at(journal, 2)->seq, JOURNAL_RESTORED, NULL);
	restore(journal);
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_str_eq(value("jobid_var"), "disable");
	ck_assert_str_eq(value(OST(0) "max_rpcs_in_flight"), "8");
	ck_assert_str_eq(value(OST(1) "max_rpcs_in_flight"), "24");
	away();
}
END_TEST

/* Nothing is changed, and one finding says why. */
static void expect_none_changed(const char *parameters, const char *code, const char *text)
{
	struct journal *journal = apply(parameters);

	ck_assert_uint_eq(journal_count(journal), 0);
	restore(journal);
	unlink(tempdir_path("journal"));
	ck_assert_uint_eq(findings.count, 1);
	expect(code, text);
	ck_assert(!client_holds(client, &want));
	findings_free(&findings);
}

START_TEST(a_parameter_that_this_client_has_not_keeps_all_as_they_are)
{
	node(MOUNT);
	unlink(tempdir_path("sys/" OST(0) "short_io_bytes"));
	unlink(tempdir_path("sys/" OST(1) "short_io_bytes"));
	expect_none_changed(
		"osc.short_io_bytes=0,osc.max_dirty_mb=9", "LU40",
		"could not set osc.short_io_bytes=0,osc.max_dirty_mb=9: this client does not have 'osc.short_io_bytes'");
	want.alone = false;
	expect_none_changed(
		"osc.max_dirty_mb=9", "LU46",
		"the profile's parameters were left out: the job shares this node with others");
	away();
}
END_TEST

START_TEST(targets_that_differ_in_too_many_ways_keep_what_they_have)
{
	char name[64], file[80], kb[16];
	struct journal *journal;
	int i;

	node(MOUNT); /* two, which are alike */
	for (i = 2; i <= 25; i++) {
		snprintf(name, sizeof(name), "sys/osc/work-OST%04x-osc-ffff9a2c41d08000", i);
		ck_assert_int_eq(mkdir(tempdir_path(name), 0755), 0);
		snprintf(file, sizeof(file), "%s/short_io_bytes", name);
		snprintf(kb, sizeof(kb), "%d\n", i);
		tempdir_put(file, kb);
		if (i < 24)
			continue;
		if (i == 25) {
			expect_none_changed(
				"osc.short_io_bytes=0", "LU40",
				"could not set osc.short_io_bytes=0: its targets differ in more than 24 ways");
			break;
		}
		journal = apply("osc.short_io_bytes=0");
		ck_assert_uint_eq(journal_count(journal), 24);
		restore(journal);
		unlink(tempdir_path("journal"));
	}
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

/* So many changes are planned where the job is number 7. */
static size_t planned_for_7(const char *parameters)
{
	struct client_plan *plan = NULL;
	struct err err = { "" };
	size_t count;

	want.job_id = 7;
	want.parameters = parameters;
	ck_assert_int_eq(client_inspect(client, 5000, &err), 0);
	plan = client_plan(client, &want, &findings);
	count = client_plan_count(plan);
	if (count) {
		ck_assert_str_eq(client_plan_at(plan, 0)->what, "jobid");
		ck_assert_str_eq(client_plan_at(plan, 0)->target, "node");
		ck_assert_str_eq(client_plan_at(plan, 0)->new_value,
				 "jobid_name=7,jobid_var=nodelocal");
		ck_assert_ptr_null(client_plan_at(plan, count));
	}
	client_plan_free(plan);
	return count;
}

START_TEST(servers_learn_the_number_of_a_job_that_is_alone)
{
	node(MOUNT);
	ck_assert_uint_eq(planned_for_7(""), 0);
	ck_assert(client_holds(client, &want));
	ck_assert_uint_eq(planned_for_7("jobid"), 1);
	ck_assert(!client_holds(client, &want));
	section.jobid = (char *)"%j";
	ck_assert_uint_eq(planned_for_7(""), 1);
	want.alone = false;
	ck_assert_uint_eq(planned_for_7(""), 0);
	want.alone = true;
	put("jobid_var", "nodelocal\n");
	put("jobid_name", "7\n");
	ck_assert_uint_eq(planned_for_7(""), 0);
	ck_assert(client_holds(client, &want));
	put("jobid_name", "70\n");
	ck_assert_uint_eq(planned_for_7(""), 1);
	ck_assert_uint_eq(findings.count, 0);
	put("jobid_name", "%e,%u\n"); /* would be two words */
	ck_assert_uint_eq(planned_for_7(""), 0);
	ck_assert_uint_eq(findings.count, 1);
	expect("LU40",
	       "'node' could not get the job's number: the kernel does not say what jobid_var and jobid_name are");
	tempdir_put("mounts", "");
	ck_assert_uint_eq(planned_for_7(""), 0);
	ck_assert_uint_eq(findings.count, 1);
	away();
}
END_TEST

START_TEST(statistics_that_are_damaged_or_missing_are_told)
{
	struct err err = { "" };
	char why[200];

	node(MOUNT);
	tempdir_put("debug/" OST(0) "stats", "read_bytes x\n");
	ck_assert_ptr_null(client_wire_save(client, &err));
	ck_assert_str_eq(err.text,
			 "osc.work-OST0000-osc-ffff9a2c41d08000: its statistics are damaged");
	unlink(tempdir_path("debug/" OST(0) "stats"));
	ck_assert_ptr_null(client_wire_save(client, &err));
	snprintf(why, sizeof(why), "osc.work-OST0000-osc-ffff9a2c41d08000: %s", strerror(ENOENT));
	ck_assert_str_eq(err.text, why);
	away();
}
END_TEST

START_TEST(a_card_and_a_command_are_told_for_plans)
{
	struct client_place place = { .card = "" };
	struct client_cards cards;
	char *text;

	look_with_card("1\n", "");
	client_cards(client, &cards);
	ck_assert_uint_eq(cards.count, 1);
	ck_assert_int_eq(cards.card[0].numa_node, 1);
	ck_assert(*cards.card[0].name && *cards.card[0].serves);
	away();
	ck_assert_int_eq(cpuset_parse(&place.os_cpus, "3-4,7", NULL), 0);
	text = client_cores_command("lustre", &place);
	ck_assert_str_eq(
		text,
		"options libcfs cpu_pattern=\"0[3-4,7]\" in /etc/modprobe.d, and load Lustre's modules anew");
	free(text);
}
END_TEST

UNIT_MAIN("lustre", a_client_in_order_is_only_told_what_is_its_sites_to_choose,
	  a_node_without_its_mount_is_broken, targets_that_are_away_or_idle_are_told_apart,
	  what_limits_a_target_is_said, a_request_of_one_page_is_small_too,
	  what_limits_a_mount_is_said, an_interface_that_is_down_is_said,
	  a_card_far_from_the_cpu_partitions_is_said, a_partition_may_have_any_number_of_cpus,
	  parameters_that_cannot_be_read_are_said, what_is_not_there_is_nothing_and_words_are_whole,
	  statistics_are_known_by_when_they_began, a_counter_that_is_full_is_unknown,
	  counts_beyond_all_numbers_are_unknown, a_sum_of_squares_beyond_all_numbers_spoils_nothing,
	  times_of_a_clock_that_went_back_are_unknown_and_counts_are_not,
	  requests_are_unknown_without_the_line_of_all_of_them, damaged_statistics_are_not_believed,
	  the_servers_of_a_node_do_not_count,
	  llite_that_counts_one_process_tells_nothing_of_the_node,
	  statistics_that_began_anew_have_restarted,
	  what_was_read_with_the_facts_is_the_beginning_and_no_end,
	  what_was_read_with_the_facts_holds_for_a_second,
	  only_a_hook_reads_statistics_with_the_facts,
	  of_very_many_devices_facts_are_read_without_statistics,
	  statistics_that_the_budget_cut_short_are_read_again,
	  what_a_change_may_have_moved_is_not_the_jobs,
	  statistics_are_not_read_with_facts_that_took_their_time,

	  targets_that_were_not_read_leave_a_lower_bound, older_forms_of_statistics_are_read,
	  what_others_than_root_get_is_not_believed, an_older_client_is_found_below_procfs,
	  an_older_client_is_counted, statistics_that_nobody_may_read_are_asked_of_lctl,
	  a_layout_says_on_how_many_osts_a_file_lies, a_layout_that_is_damaged_says_nothing,
	  each_parameter_of_the_table_goes_there_and_back,
	  parameters_of_an_older_client_go_there_and_back, what_is_not_in_the_table_is_refused,
	  targets_with_too_many_numbers_to_be_named_keep_what_they_have,
	  a_reboot_undoes_all_of_lustre, requests_in_flight_are_judged_at_their_bounds,
	  either_read_ahead_of_nothing_is_said, checksums_are_said_where_a_shared_node_keeps_them,
	  blank_lines_among_statistics_say_nothing, devices_with_other_names_are_no_targets,
	  what_lustre_has_no_place_for_is_refused,
	  the_folder_of_a_job_that_streams_is_asked_for_its_layout,
	  a_metadata_server_that_is_away_is_not_asked_for_a_layout,
	  a_parameter_that_the_kernel_does_not_take_is_told,
	  what_somebody_else_has_set_on_a_target_stays,
	  a_mount_that_is_gone_has_nothing_to_put_back,
	  a_filesystem_that_was_mounted_anew_has_nothing_to_put_back,
	  a_target_that_is_gone_keeps_those_that_are_like_it_as_they_are,
	  what_is_back_already_does_not_keep_the_rest_from_going_back,
	  a_parameter_that_this_client_has_not_keeps_all_as_they_are,
	  targets_that_differ_in_too_many_ways_keep_what_they_have,
	  servers_learn_the_number_of_a_job_that_is_alone,
	  statistics_that_are_damaged_or_missing_are_told, a_card_and_a_command_are_told_for_plans)
