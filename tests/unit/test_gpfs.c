/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Storage Scale client on outputs written for the tests (tests/samples/gpfs)
 * and on a machine made of files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/change.h"
#include "client/client.h"
#include "client/cache.h"
#include "client/gpfs/facts.h"
#include "client/gpfs/judge.h"
#include "client/gpfs/mmconfig.h"
#include "client/gpfs/mmpmon.h"
#include "client/gpfs/y.h"
#include "lib/fileio.h"
#include "lib/lock.h"
#include "lib/rundir.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/unix_server.h"

#define LINE(key, cl, fs, rest)                                                                    \
	key " _n_ 192.0.2.31 _nn_ c1 _rc_ 0 _t_ 1 _tu_ 2 _cl_ " cl " _fs_ " fs " _d_ 4 " rest "\n"

#define CONFIG "mmdiag:config:HEADER:version:reserved:reserved:name:value:c:\n"
#define ATTRIBUTE(name, value) "mmdiag:config:0:1:::" name ":" value "::\n"

/* ---- -Y ------------------------------------------------------------------ */

START_TEST(an_attribute_is_found_by_its_name_and_decoded)
{
	char *text = sample_read("gpfs/mmdiag-config.txt"), value[256];

	ck_assert(gpfs_y_config(text, "pagepool", value, sizeof(value)));
	ck_assert_str_eq(value, "17179869184");
	ck_assert(gpfs_y_config(text, "numactlOptionN", value, sizeof(value)));
	ck_assert_str_eq(value, "");
	/* %3A is a colon, and the line is broken in two */
	ck_assert(gpfs_y_config(text, "opensslLibName", value, sizeof(value)));
	ck_assert_str_eq(value,
			 "/usr/lib64/libssl.so.3:/usr/lib64/libssl.so.1.1:libssl.so.10:libssl.so");
	ck_assert(gpfs_y_config(text, "pagepoolMaxPhysMemPct", value, sizeof(value)));
	ck_assert(!gpfs_y_config(text, "page", value, sizeof(value)));
	ck_assert(!gpfs_y_config(text, "opensslLibName", value, 8));
	free(text);
}
END_TEST

START_TEST(columns_are_found_by_the_header_and_not_by_their_place)
{
	static const char text[] = "mmdiag:config:HEADER:version:reserved:new:value:more:name:\n"
				   "mmdiag:config:0:1:::7:x:maxMBpS:\n";
	static const char without[] = "mmdiag:config:0:1:::maxMBpS:7::\n";
	char value[16];

	ck_assert(gpfs_y_config(text, "maxMBpS", value, sizeof(value)));
	ck_assert_str_eq(value, "7");
	ck_assert(!gpfs_y_config(without, "maxMBpS", value, sizeof(value)));
	ck_assert(!gpfs_y_config("", "maxMBpS", value, sizeof(value)));
}
END_TEST

START_TEST(half_a_code_is_left_as_it_is)
{
	static const char text[] = "mmdiag:config:HEADER:version:reserved:reserved:name:value:\n"
				   "mmdiag:config:0:1:::a:50%:\nmmdiag:config:0:1:::b:%4:\n"
				   "mmdiag:config:0:1:::c:%zz%41:\n";
	char value[16];

	ck_assert(gpfs_y_config(text, "a", value, sizeof(value)));
	ck_assert_str_eq(value, "50%");
	ck_assert(gpfs_y_config(text, "b", value, sizeof(value)));
	ck_assert_str_eq(value, "%4");
	ck_assert(gpfs_y_config(text, "c", value, sizeof(value)));
	ck_assert_str_eq(value, "%zzA");
}
END_TEST

START_TEST(every_digit_of_a_code_is_decoded)
{
	static const char text[] = CONFIG ATTRIBUTE("a", "%20x%30%39%2f%2F%6a%09%00.");
	char value[32];

	ck_assert(gpfs_y_config(text, "a", value, sizeof(value)));
	ck_assert_str_eq(value, " x09//j\t");
	ck_assert_int_eq(value[9], '.'); /* behind what ends it */
}
END_TEST

START_TEST(lines_of_other_kinds_are_passed_over)
{
	static const char text[] =
		"=== mmdiag: config ===\n"
		"mmdiag:version:HEADER:version:reserved:reserved:value:name:\n" CONFIG
		"mmdiag:version:0:1:::maxMBpS:5:\n"
		"mmdiag:version:HEADER:version:reserved:reserved:value:name:\n" ATTRIBUTE("maxMBpS",
											  "7");
	char value[16];

	ck_assert(gpfs_y_config(text, "maxMBpS", value, sizeof(value)));
	ck_assert_str_eq(value, "7");
}
END_TEST

START_TEST(the_last_header_says_where_columns_are)
{
	static const char text[] =
		CONFIG ATTRIBUTE("a", "1") "mmdiag:config:HEADER:version:reserved:value:name\n"
					   "mmdiag:config:0:1::2:b:\n";
	char value[16];

	ck_assert(gpfs_y_config(text, "a", value, sizeof(value)));
	ck_assert_str_eq(value, "1");
	ck_assert(gpfs_y_config(text, "b", value, sizeof(value)));
	ck_assert_str_eq(value, "2");
}
END_TEST

START_TEST(a_value_of_two_lines_may_go_on_like_the_name_of_the_command)
{
	static const char text[] = CONFIG "mmdiag:config:0:1:::a:/usr/\nmmdiag/lib::\n";
	char value[32];

	ck_assert(gpfs_y_config(text, "a", value, sizeof(value)));
	ck_assert_str_eq(value, "/usr/mmdiag/lib");
}
END_TEST

START_TEST(a_line_that_is_too_long_is_passed_over_and_others_are_not)
{
	static char text[3 * GPFS_Y_LINE_MAX], line[2 * GPFS_Y_LINE_MAX];
	static char value[GPFS_Y_LINE_MAX];
	static const char start[] = "mmdiag:config:0:1:::a:";
	size_t used = strlen(start);

	memcpy(line, start, used);
	memset(line + used, 'x', GPFS_Y_LINE_MAX - used);
	snprintf(text, sizeof(text), CONFIG "%s\n" ATTRIBUTE("a", "7"), line);
	ck_assert(gpfs_y_config(text, "a", value, sizeof(value)));
	ck_assert_str_eq(value, "7");
	line[GPFS_Y_LINE_MAX - 1] = '\0';
	line[GPFS_Y_LINE_MAX - 2] = ':';
	snprintf(text, sizeof(text), CONFIG "%s\n" ATTRIBUTE("a", "7"), line);
	ck_assert(gpfs_y_config(text, "a", value, sizeof(value)));
	line[GPFS_Y_LINE_MAX - 2] = '\0';
	ck_assert_str_eq(value, line + used);
}
END_TEST

START_TEST(a_value_is_whole_in_front_of_its_colon_alone)
{
	static const char text[] = "mmdiag:config:HEADER:version:reserved:reserved:name:value\n"
				   "mmdiag:config:0:1:::a:7:\nmmdiag:config:0:1:::pagepool:4294";
	char value[16];

	ck_assert(gpfs_y_config(text, "a", value, sizeof(value)));
	ck_assert_str_eq(value, "7");
	ck_assert(!gpfs_y_config(text, "pagepool", value, sizeof(value)));
}
END_TEST

START_TEST(a_value_fits_whole_or_is_not_there)
{
	static const char text[] =
		"mmdiag:config:HEADER:version:reserved:reserved:name:value:\n"
		"mmdiag:config:0:1:::a:1234567:\nmmdiag:config:0:1:::b:12345678:\n"
		"mmdiag:config:0:1:::c:123456%41:\n";
	char value[9];

	value[8] = '+';
	ck_assert(!gpfs_y_config(text, "b", value, 8));
	ck_assert_int_eq(value[8], '+');
	ck_assert(gpfs_y_config(text, "a", value, 8));
	ck_assert_str_eq(value, "1234567");
	ck_assert(gpfs_y_config(text, "c", value, 8));
	ck_assert_str_eq(value, "123456A");
}
END_TEST

/* ---- mmpmon ---------------------------------------------------------------- */

static struct wire *rows(const char *text)
{
	struct wire *wire = wire_new();
	struct err err = { "" };

	ck_assert_msg(gpfs_mmpmon_rows(wire, text, "1.2", &err) == 1, "%s", err.text);
	return wire;
}

static void expect_row(const struct wire *wire, size_t i, const char *id, const char *counts)
{
	char text[128];

	ck_assert_uint_lt(i, wire->count);
	ck_assert_str_eq(wire->row[i].id, id);
	snprintf(text, sizeof(text), "%lld %lld %lld %lld",
		 (long long)wire->row[i].count[WIRE_READ_BYTES],
		 (long long)wire->row[i].count[WIRE_WRITE_BYTES],
		 (long long)wire->row[i].count[WIRE_READS],
		 (long long)wire->row[i].count[WIRE_WRITES]);
	ck_assert_str_eq(text, counts);
}

static void expect_no_rows(const char *text, const char *why)
{
	struct wire *wire = wire_new();
	struct err err = { "" };

	ck_assert_int_eq(gpfs_mmpmon_rows(wire, text, "1.2", &err), -1);
	ck_assert_str_eq(err.text, why);
	wire_free(wire);
}

START_TEST(file_systems_of_one_name_in_two_clusters_are_two)
{
	char *text = sample_read("gpfs/mmpmon-fs_io_s.txt");
	struct wire *wire = rows(text);

	ck_assert_uint_eq(wire->count, 3);
	expect_row(wire, 0, "hpc.example.org:scratch 1.2",
		   "9007199254740992 4398046511104 4294967000 900000");
	expect_row(wire, 1, "hpc.example.org:home 1.2", "1048576000 524288000 4000 2000");
	expect_row(wire, 2, "archive.example.org:scratch 1.2", "0 0 0 0");
	wire_free(wire);
	free(text);
}
END_TEST

START_TEST(the_answer_of_the_socket_has_the_same_counters)
{
	char *text = sample_read("gpfs/mmpmon-socket-gfis.txt"), node[32];
	struct wire *wire = rows(text);

	ck_assert_uint_eq(wire->count, 1);
	/* _rdc_ and _wc_, not _r_ and _w_ */
	expect_row(wire, 0, "hpc.example.org:scratch 1.2", "1073741824 536870912 2048 1024");
	ck_assert(gpfs_mmpmon_word(text, "_n_", node, sizeof(node)));
	ck_assert_str_eq(node, "192.0.2.31");
	wire_free(wire);
	free(text);
}
END_TEST

START_TEST(a_node_without_mounts_has_no_counters_and_no_fault)
{
	char *text = sample_read("gpfs/mmpmon-nothing-mounted.txt");
	struct wire *wire = wire_new();

	ck_assert_int_eq(gpfs_mmpmon_rows(wire, text, "1.2", NULL), 0);
	ck_assert_int_eq(gpfs_mmpmon_rows(wire, "_fs_io_s_ _rc_ 1\n", "1.2", NULL), 0);
	wire_free(wire);
	free(text);
	/* of one that is mounted it is a fault */
	expect_no_rows("_fs_io_s_ _n_ 1 _rc_ 1 _cl_ c _fs_ a\n", "mmpmon answers with _rc_ 1");
}
END_TEST

START_TEST(a_counter_that_cannot_be_read_is_unknown)
{
	struct wire *wire = rows(
		LINE("_fs_io_s_", "c", "a", "_br_ 99999999999999999999 _bw_ -1 _rdc_ x") LINE(
			"_fs_io_s_", "c", "b", "_br_ 1 _bw_ 2 _rdc_ 3 _wc_ 4 _new_ 5")
			LINE("_fs_io_s_", "c", "d", "_br_ 7 _bw_ 000000000000000000000001 _wc_"));

	expect_row(wire, 0, "c:a 1.2", "-1 -1 -1 -1");
	expect_row(wire, 1, "c:b 1.2", "1 2 3 4");
	expect_row(wire, 2, "c:d 1.2", "7 -1 -1 -1");
	wire_free(wire);
}
END_TEST

START_TEST(a_word_fits_whole_or_is_not_there)
{
	static const char text[] = "_fs_io_s_ _n_ 1234 _nn_ \n";
	char word[5] = "";

	ck_assert(gpfs_mmpmon_word(text, "_n_", word, 5));
	ck_assert_str_eq(word, "1234");
	ck_assert(!gpfs_mmpmon_word(text, "_n_", word, 4));
	ck_assert(!gpfs_mmpmon_word(text, "_nn_", word, 5));
	ck_assert(!gpfs_mmpmon_word("_fs_io_s_2 _n_ 1\n", "_n_", word, 5));
}
END_TEST

START_TEST(an_answer_that_is_not_understood_is_no_answer)
{
	static char line[4096];
	size_t i;

	expect_no_rows("", "mmpmon: the answer is cut off");
	expect_no_rows("_fs_io_s_ _rc_ 0 _cl_ c _fs_", "mmpmon: the answer is cut off");
	expect_no_rows("hello\n", "mmpmon: no counters in its answer");
	expect_no_rows("_fs_io_s_ _n_ 1 _rc_ 0 _cl_ c\n", "mmpmon: counters of no filesystem");
	expect_no_rows("_fs_io_s_ _n_ 1 _rc_ 16 _cl_ c _fs_ a\n",
		       "mmpmon answers with _rc_ 16: somebody else holds its lock");
	expect_no_rows("_fs_io_s_ _n_ 1 _cl_ c _fs_ a\n", "mmpmon answers with _rc_ -1");
	expect_no_rows(LINE("_fs_io_s_", "c", "a", "_br_ 1") LINE("_fs_io_s_", "c", "a", "_br_ 2"),
		       "mmpmon: 'c:a' comes twice");
	expect_no_rows("_fs_io_s_ _n_ 192.0.2.1 _rc_ 0 _cl_ c _fs_ a _br_ 1\n"
		       "_fs_io_s_ _n_ 192.0.2.2 _rc_ 0 _cl_ c _fs_ b _br_ 1\n",
		       "mmpmon: counters of 192.0.2.1, and of another node");
	/* a line too long to be read would be missing in the sum */
	i = (size_t)snprintf(line, sizeof(line), LINE("_fs_io_s_", "c", "a", "_br_ 1"));
	memset(line + i, ' ', sizeof(line) - i - 2);
	line[sizeof(line) - 2] = '\n';
	expect_no_rows(line, "mmpmon: the answer is cut off");
}
END_TEST

/* ---- the difference -------------------------------------------------------- */

#define WRAP (INT64_C(1) << 32)

static int64_t moved[WIRE_KINDS];

/* What has been moved between two readings of one filesystem, time_s apart. */
static int since(int64_t time_s, int64_t bytes_was, int64_t reads_was, int64_t bytes_is,
		 int64_t reads_is)
{
	struct wire *was = wire_new(), *is = wire_new();
	struct wire_row *row = wire_row(was, "c:a 1.2");
	int rc;

	row->count[WIRE_READ_BYTES] = bytes_was;
	row->count[WIRE_READS] = reads_was;
	row = wire_row(is, "c:a 1.2");
	row->count[WIRE_READ_BYTES] = bytes_is;
	row->count[WIRE_READS] = reads_is;
	is->calls_wrap = WRAP;
	was->at_s = 1000;
	is->at_s = 1000 + time_s;
	rc = wire_since(was, is, "", moved);
	wire_free(was);
	wire_free(is);
	return rc;
}

START_TEST(a_counter_of_calls_that_wrapped_in_a_short_job_is_counted_on)
{
	ck_assert_int_eq(since(600, 1000, WRAP - 296, 2000, 120), 1);
	ck_assert_int_eq(moved[WIRE_READ_BYTES], 1000);
	ck_assert_int_eq(moved[WIRE_READS], 416);
}
END_TEST

START_TEST(calls_that_may_have_wrapped_unseen_are_unknown_and_bytes_are_not)
{
	/* eight hours, and 5 GiB: perhaps a wrap, perhaps none */
	ck_assert_int_eq(since(28800, 0, 100, 5 * (WRAP / 4) * 4, 300), 1);
	ck_assert_int_eq(moved[WIRE_READ_BYTES], 5 * WRAP);
	ck_assert_int_eq(moved[WIRE_READS], WIRE_UNKNOWN);
	ck_assert_int_eq(since(28800, 0, WRAP - 10, 5 * WRAP, 300), 1);
	ck_assert_int_eq(moved[WIRE_READS], WIRE_UNKNOWN);
	/* four billion calls that move less than a byte each: there was none */
	ck_assert_int_eq(since(28800, 0, 100, 1 << 30, 300), 1);
	ck_assert_int_eq(moved[WIRE_READS], 200);
	/* a counter of more bits wraps nowhere */
	ck_assert_int_eq(since(28800, 0, WRAP - 10, 5 * WRAP, WRAP + 10), 1);
	ck_assert_int_eq(moved[WIRE_READS], 20);
}
END_TEST

START_TEST(counters_that_began_anew_are_no_wrap)
{
	/* fewer than fit in */
	ck_assert_int_eq(since(600, 1000, 4000, 2000, 120), 0);
	ck_assert_int_eq(since(28800, 1000, 4000, 2000, 120), 0);
	/* bytes went back, too */
	ck_assert_int_eq(since(600, 1000, WRAP - 296, 500, 120), 0);
	/* not one of 32 bits */
	ck_assert_int_eq(since(600, 1000, WRAP + 296, 2000, 120), 0);
}
END_TEST

START_TEST(when_the_counters_were_read_is_kept_with_them)
{
	struct wire *was = wire_new(), *read;
	char *text;

	was->at_s = 4711;
	wire_row(was, "c:a 1.2")->count[WIRE_READS] = 7;
	text = wire_text(was);
	read = wire_parse(text, NULL);
	ck_assert_ptr_nonnull(read);
	ck_assert_int_eq(read->at_s, 4711);
	ck_assert_uint_eq(read->count, 1);
	wire_free(was);
	wire_free(read);
	free(text);
}
END_TEST

/* ---- findings -------------------------------------------------------------- */

static struct config_client section;
static struct findings findings;
static struct gpfs_facts facts;
static struct client client;
static const char *waiters; /* NULL: mmdiag was not asked for them */

/* A client with a mount, whose mmfsd is this process. */
static void begin_judging(void)
{
	section = (struct config_client){ .mounts = (char *)"" };
	client = (struct client){ .section = &section, .facts = &facts };
	client.common.mount_count = 1;
	facts.mmfsd = getpid();
}

static void check_rules(const struct judge *judge)
{
	const struct rule *rule;

	for (rule = gpfs_rules; rule->code; rule++)
		if (rule->check)
			rule->check(judge, rule);
}

/* mmfsd says that this is how it is set up. */
static void judge(const char *config)
{
	struct judge judge = { .client = &client, .findings = &findings };

	begin_judging();
	ask_set(&facts.config, ASK_ANSWERED, NULL);
	facts.config.text = strdup(config);
	if (waiters) {
		ask_set(&facts.waiters, ASK_ANSWERED, NULL);
		facts.waiters.text = strdup(waiters);
	}
	check_rules(&judge);
	gpfs_facts_clear(&facts);
}

static void expect_finding(const char *code)
{
	ck_assert_msg(findings.count == 1, "%zu findings, first: %s", findings.count,
		      findings.count ? findings.list[0].text : "");
	ck_assert_str_eq(findings.list[0].code, code);
	ck_assert(*findings.list[0].cure);
}

static void put_card(const char *node)
{
	static const char *const folders[] = { "class",
					       "class/infiniband",
					       "class/infiniband/mlx5_0",
					       "class/infiniband/mlx5_0/device",
					       "class/infiniband/mlx5_0/ports",
					       "class/infiniband/mlx5_0/ports/1" };
	size_t i;

	tempdir_make();
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		ck_assert_int_eq(mkdir(tempdir_path(folders[i]), 0755), 0);
	tempdir_put("class/infiniband/mlx5_0/device/numa_node", node);
	tempdir_put("class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
	sysfs_set_root(tempdir_name);
}

START_TEST(a_mmfsd_that_may_not_run_beside_its_card_is_said)
{
	put_card("1\n"); /* no CPU of this machine of files is on any node */
	judge(CONFIG ATTRIBUTE("verbsPorts", "mlx5_0/1 mlx5_0/2"));
	expect_finding("GP09");
	ck_assert_ptr_nonnull(strstr(findings.list[0].text,
				     "its card mlx5_0 is on NUMA node 1, where it may not run"));
	tempdir_remove();
}
END_TEST

/* All that this process, which is mmfsd, may run on. */
static void put_cpus_on_node(int node)
{
	struct cpuset cpus;
	char path[100];
	int i;

	ck_assert_int_eq(process_cpus(getpid(), &cpus), 0);
	cpuset_for_each (i, &cpus) {
		snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/node%d/x", i, node);
		tempdir_put(path, "");
	}
}

START_TEST(cards_beside_mmfsd_are_right_and_one_that_is_not_is_said)
{
	put_card("1\n");
	put_cpus_on_node(1);
	judge(CONFIG ATTRIBUTE("verbsPorts", "mlx5_0/1"));
	ck_assert_uint_eq(findings.count, 0);
	/* the first is beside it, and nobody knows where the second is */
	tempdir_put("class/infiniband/mlx5_1/device/numa_node", "-1\n");
	tempdir_put("class/infiniband/mlx5_2/device/numa_node", "2\n");
	judge(CONFIG ATTRIBUTE("verbsPorts", "mlx5_0/1 mlx5_1/1 mlx5_2/1 mlx5_2/2"));
	expect_finding("GP09");
	ck_assert_ptr_nonnull(strstr(findings.list[0].text,
				     "its card mlx5_2 is on NUMA node 2, where it may not run"));
	tempdir_remove();
}
END_TEST

START_TEST(a_card_whose_place_nobody_knows_is_no_finding)
{
	put_card("-1\n");
	judge(CONFIG ATTRIBUTE("verbsPorts", "mlx5_0/1"));
	ck_assert_uint_eq(findings.count, 0);
	tempdir_remove();
}
END_TEST

START_TEST(rdma_that_is_there_and_not_used_is_said)
{
	put_card("-1\n");
	judge(CONFIG ATTRIBUTE("verbsRdma", "disable"));
	expect_finding("GP10");
	findings_free(&findings);
	judge(CONFIG ATTRIBUTE("verbsRdma", "enable"));
	ck_assert_uint_eq(findings.count, 0);
	tempdir_put("class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
	judge(CONFIG ATTRIBUTE("verbsRdma", "disable"));
	ck_assert_uint_eq(findings.count, 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_page_pool_is_small_beside_the_memory_or_not_at_all)
{
	judge(CONFIG ATTRIBUTE("pagepool", "1048576"));
	expect_finding("GP08");
	findings_free(&findings);
	judge(CONFIG ATTRIBUTE("pagepool", "17179869184"));
	ck_assert_uint_eq(findings.count, 0);
	judge(CONFIG ATTRIBUTE("pagepool", "1G")); /* not understood */
	ck_assert_uint_eq(findings.count, 0);
	judge(CONFIG ATTRIBUTE("pagepool", "1048576") ATTRIBUTE("dynamicPagepoolEnabled", "1"));
	ck_assert_uint_eq(findings.count, 0);
	judge(CONFIG ATTRIBUTE("pagepool", "1048576") ATTRIBUTE("dynamicPagepoolEnabled", "no"));
	expect_finding("GP08");
	findings_free(&findings);
}
END_TEST

#define WAITERS "mmdiag:waiters:HEADER:version:reserved:reserved:threadName:waitTime:"
#define LONG_REASON                                                                                \
	"waiting for the token that a node with a long name has, which waits "                     \
	"for the recovery of another one that somebody has switched off"

START_TEST(a_waiter_is_told_with_its_reason_however_long_it_is)
{
	waiters = WAITERS "condVarReason:\n"
			  "mmdiag:waiters:0:1:::A:70.5:" LONG_REASON ":\n";
	judge(CONFIG);
	expect_finding("GP07");
	ck_assert_str_eq(findings.list[0].text,
			 "threads of mmfsd wait for 60 s or more (1: A for 70 s, " LONG_REASON ")");
	findings_free(&findings);
	waiters = WAITERS "\nmmdiag:waiters:0:1:::A:70.5:\n";
	judge(CONFIG);
	expect_finding("GP07");
	ck_assert_str_eq(findings.list[0].text,
			 "threads of mmfsd wait for 60 s or more (1: A for 70 s, reason unknown)");
	findings_free(&findings);
	waiters = NULL;
}
END_TEST

/* Of name, time and reason 255 bytes are told. */
START_TEST(a_reason_without_end_is_cut_off)
{
	static const char start[] = "threads of mmfsd wait for 60 s or more (1: ";
	char text[900], reason[401] = "";

	memset(reason, 'r', sizeof(reason) - 1);
	snprintf(text, sizeof(text), WAITERS "condVarReason:\nmmdiag:waiters:0:1:::A:70.5:%s:\n",
		 reason);
	waiters = text;
	judge(CONFIG);
	expect_finding("GP07");
	ck_assert_int_eq(strncmp(findings.list[0].text, start, strlen(start)), 0);
	ck_assert_uint_eq(strlen(findings.list[0].text), strlen(start) + 256);
	findings_free(&findings);
	waiters = NULL;
}
END_TEST

START_TEST(a_question_without_an_answer_is_said_once)
{
	struct judge judge = { .client = &client, .findings = &findings };
	const struct {
		struct ask *ask;
		enum ask_answer answer;
		const char *code, *text;
	} rows[] = {
		{ &facts.config, ASK_NO_TIME, "GP11",
		  "the client could not be judged: no time was left" },
		{ &facts.waiters, ASK_NO_TIME, "GP11",
		  "the client could not be judged: no time was left" },
		{ &facts.counters, ASK_NO_TIME, "GP11",
		  "the client could not be judged: no time was left" },
		{ &facts.config, ASK_MISSING, "GP05", "its settings are unknown: mmdiag: why" },
		{ &facts.config, ASK_FAILED, "GP05", "its settings are unknown: mmdiag: why" },
		{ &facts.config, ASK_HUNG, "GP04", "mmfsd does not answer: why" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		begin_judging();
		ask_set(rows[i].ask, rows[i].answer, "why");
		check_rules(&judge);
		expect_finding(rows[i].code);
		ck_assert_str_eq(findings.list[0].text, rows[i].text);
		findings_free(&findings);
		gpfs_facts_clear(&facts);
	}
}
END_TEST

/* What is said of counters that mmpmon printed so; NULL: nothing. */
static void expect_counters(const char *text, const char *code, const char *sentence)
{
	struct judge judge = { .client = &client, .findings = &findings };

	begin_judging();
	ask_set(&facts.counters, ASK_ANSWERED, NULL);
	facts.counters.text = strdup(text);
	check_rules(&judge);
	if (sentence) {
		expect_finding(code);
		ck_assert_str_eq(findings.list[0].text, sentence);
	} else {
		ck_assert_uint_eq(findings.count, 0);
	}
	findings_free(&findings);
	gpfs_facts_clear(&facts);
}

START_TEST(counters_that_are_not_understood_are_said_and_none_are_not)
{
	expect_counters(LINE("_fs_io_s_", "c", "a", "_br_ 1"), NULL, NULL);
	expect_counters("_fs_io_s_ _n_ 1 _rc_ 1 _fs_ -\n", NULL, NULL);
	expect_counters("hello\n", "GP06",
			"its counters cannot be read: mmpmon: no counters in its answer");
}
END_TEST

#define GFIS(fs, rest) LINE("_mmpmon::gfis_", "c", fs, rest)

START_TEST(a_stat_cache_that_mostly_misses_is_said)
{
	static const char said[] = "most lookups miss the stat cache (maxStatCache=-1) (";
	char text[100];

	snprintf(text, sizeof(text), "%s50001 of 100000)", said);
	expect_counters(GFIS("a", "_sch_ 49999 _scm_ 50001"), "GP13", text);
	expect_counters(GFIS("b", "_sch_ 9 _scm_ 50000") GFIS("a", "_sch_ 49999 _scm_ 50001")
				GFIS("d", "_br_ 1"),
			"GP13", text);
	expect_counters(GFIS("a", "_sch_ 50000 _scm_ 50000"), NULL, NULL);
	expect_counters(GFIS("a", "_sch_ 49998 _scm_ 50001"), NULL, NULL);
	expect_counters(GFIS("a", "_sch_ 9223372036854775807 _scm_ 9"), NULL, NULL);
	expect_counters(GFIS("a", "_sch_ x _scm_ 900000"), NULL, NULL);
}
END_TEST

/* Threads that wait for so long, beside one another. */
static const char *waiting(const char *text)
{
	static char all[2000];

	snprintf(all, sizeof(all), WAITERS "condVarReason:auxReason:\n%s", text);
	return all;
}

static void expect_waiters(const char *lines, const char *sentence)
{
	waiters = waiting(lines);
	judge(CONFIG);
	if (sentence) {
		expect_finding("GP07");
		ck_assert_str_eq(findings.list[0].text, sentence);
	} else {
		ck_assert_uint_eq(findings.count, 0);
	}
	findings_free(&findings);
	waiters = NULL;
}

#define WAITER(name, time, why, aux) "mmdiag:waiters:0:1:::" name ":" time ":" why ":" aux ":\n"

START_TEST(who_waits_longest_is_named_and_all_are_counted)
{
	expect_waiters(WAITER("A", "59.999", "w", ""), NULL);
	expect_waiters(WAITER("A", "60", "w", ""),
		       "threads of mmfsd wait for 60 s or more (1: A for 60 s, w)");
	expect_waiters(WAITER("A", "61", "w", "") WAITER("B", "90", "v", "")
			       WAITER("C", "70", "u", ""),
		       "threads of mmfsd wait for 60 s or more (3: B for 90 s, v)");
	expect_waiters(WAITER("A", "90", "", "aux") WAITER("EventsExporterSenderThread", "999", "w",
							   "") WAITER("FsckX", "999", "w", ""),
		       "threads of mmfsd wait for 60 s or more (1: A for 90 s, aux)");
	expect_waiters(WAITER("A", "nan", "w", "") WAITER("B", "x", "w", ""), NULL);
	expect_waiters("mmdiag:waiters:0:1:::A:\n", NULL);
	/* behind what does not count */
	expect_waiters(WAITER("A", "5", "w", "") WAITER("B", "90", "v", ""),
		       "threads of mmfsd wait for 60 s or more (1: B for 90 s, v)");
	expect_waiters(WAITER("FsckX", "999", "w", "") WAITER("B", "90", "v", ""),
		       "threads of mmfsd wait for 60 s or more (1: B for 90 s, v)");
	expect_waiters("mmdiag:waiters:0:1:::A:\n" WAITER("B", "90", "v", ""),
		       "threads of mmfsd wait for 60 s or more (1: B for 90 s, v)");
	expect_waiters(WAITER("A", "90", "w", "") WAITER("B", "70", "v", "")
			       WAITER("C", "99", "u", ""),
		       "threads of mmfsd wait for 60 s or more (3: C for 99 s, u)");
}
END_TEST

START_TEST(a_page_pool_of_sixteen_gibibytes_is_enough_for_all)
{
	judge(CONFIG ATTRIBUTE("pagepool", "0"));
	expect_finding("GP08");
	findings_free(&findings);
	judge(CONFIG ATTRIBUTE("pagepool", "17179869184"));
	ck_assert_uint_eq(findings.count, 0);
	judge(CONFIG);
	ck_assert_uint_eq(findings.count, 0);
}
END_TEST

START_TEST(a_page_pool_of_a_part_in_32_of_the_memory_is_enough)
{
	long long part = (long long)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 32;
	char config[200];

	if (part >= 16LL << 30)
		return;
	snprintf(config, sizeof(config), CONFIG ATTRIBUTE("pagepool", "%lld"), part);
	judge(config);
	ck_assert_uint_eq(findings.count, 0);
	snprintf(config, sizeof(config), CONFIG ATTRIBUTE("pagepool", "%lld"), part - 1);
	judge(config);
	expect_finding("GP08");
}
END_TEST

START_TEST(a_mmfsd_that_does_not_run_is_said_of_mounts)
{
	struct judge judge = { .client = &client, .findings = &findings };

	begin_judging();
	facts.mmfsd = 0;
	client.common.mount_count = 2;
	check_rules(&judge);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(
		findings.list[0].text,
		"2 file systems are mounted, but no process mmfsd runs: I/O to them blocks or fails");
	findings_free(&findings);
	facts.mmfsd = -1;
	check_rules(&judge);
	ck_assert_uint_eq(findings.count, 1);
	findings_free(&findings);
	facts.mmfsd = 1;
	check_rules(&judge);
	ck_assert_uint_eq(findings.count, 0);
}
END_TEST

/* ---- counters and mounts ----------------------------------------------------- */

/* A node with these mounts, whose mmfsd is this process: its mmpmon prints so. */
static void node_of(const char *table, const char *answer)
{
	static char mount_table[512], process_dir[512], mmpmon[512];
	char text[4096], path[64];

	tempdir_make();
	snprintf(mount_table, sizeof(mount_table), "%s", tempdir_put("mounts", table));
	snprintf(process_dir, sizeof(process_dir), "%s", tempdir_path("proc"));
	ck_assert_int_eq(mkdir(process_dir, 0755), 0);
	snprintf(path, sizeof(path), "proc/%d", (int)getpid());
	ck_assert_int_eq(mkdir(tempdir_path(path), 0755), 0);
	strcat(path, "/comm");
	tempdir_put(path, "mmfsd\n");
	/* no process but the shell: it has a second */
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nread -r a\n[ \"$a$1$2\" = 'once fs_io_s-p-s' ] || exit 9\necho '%s'\n",
		 answer);
	snprintf(mmpmon, sizeof(mmpmon), "%s", tempdir_put("mmpmon", text));
	ck_assert_int_eq(chmod(mmpmon, 0755), 0);
	section = (struct config_client){ .name = (char *)"scratch",
					  .type = CLIENT_GPFS,
					  .mounts = (char *)"",
					  .timeout_ms = 5000,
					  .mount_table = mount_table,
					  .process_dir = process_dir,
					  .mmpmon = mmpmon,
					  .mmpmon_socket = (char *)"/nowhere" };
}

/* Its rows, "ID=MOUNT" with a blank behind each; or why there are none. */
static const char *counted(const char *run_dir)
{
	static char text[2000];
	struct client *opened = client_open(&section, run_dir, NULL);
	struct err err = { "" };
	struct wire *wire;
	size_t i;

	ck_assert_ptr_nonnull(opened);
	errno = 0;
	*text = '\0';
	wire = gpfs_wire(opened, &err);
	if (!wire)
		snprintf(text, sizeof(text), "%s: %s", errno == ENOENT ? "none" : "failed",
			 err.text);
	for (i = 0; wire && i < wire->count; i++)
		sprintf(text + strlen(text), "%.*s=%s ", (int)strcspn(wire->row[i].id, " "),
			wire->row[i].id, wire->row[i].fs);
	wire_free(wire);
	client_close(opened);
	return text;
}

#define COUNTERS                                                                                   \
	LINE("_fs_io_s_", "c", "s", "_br_ 1")                                                      \
	LINE("_fs_io_s_", "c", "h", "_br_ 1")                                                      \
	LINE("_fs_io_s_", "d", "s", "_br_ 1")

START_TEST(counters_are_called_by_the_first_mount_of_their_file_system)
{
	node_of("h /home gpfs rw 0 0\n/dev/h /again gpfs rw 0 0\n"
		"s /s gpfs rw 0 0\nd:s /d gpfs rw 0 0\n",
		COUNTERS);
	ck_assert_str_eq(counted(NULL), "c:s=/s c:h=/home d:s=/d ");
	tempdir_remove();
	/* of two of one name nobody knows which it is */
	node_of("s /s gpfs rw 0 0\n/dev/h /home gpfs rw 0 0\n", COUNTERS);
	ck_assert_str_eq(counted(NULL), "c:s=c:s c:h=/home d:s=d:s ");
	tempdir_remove();
	/* half a name is none */
	node_of("hh /a gpfs rw 0 0\nc:ss /b gpfs rw 0 0\nh /c nfs rw 0 0\n", COUNTERS);
	ck_assert_str_eq(counted(NULL), "c:s=c:s c:h=c:h d:s=d:s ");
	tempdir_remove();
}
END_TEST

START_TEST(file_systems_of_jobio_conf_alone_are_counted)
{
	node_of("s /s gpfs rw 0 0\nh /home gpfs rw 0 0\nx /x gpfs rw 0 0\n", COUNTERS);
	section.mounts = (char *)"/home";
	ck_assert_str_eq(counted(NULL), "c:h=/home ");
	section.mounts = (char *)"/home /s";
	ck_assert_str_eq(counted(NULL), "failed: mmpmon has more than one filesystem 's' of '/s'");
	section.mounts = (char *)"/x";
	ck_assert_str_eq(counted(NULL), "failed: mmpmon has no filesystem 'x' of '/x'");
	section.mounts = (char *)"/nothing";
	ck_assert_str_eq(counted(NULL), "none: ");
	tempdir_remove();
}
END_TEST

START_TEST(counters_that_do_not_come_are_told)
{
	char path[64];

	node_of("h /home gpfs rw 0 0\n", "_fs_io_s_ _n_ 1 _rc_ 1 _fs_ -");
	ck_assert_str_eq(counted(NULL), "none: ");
	section.mounts = (char *)"/home";
	ck_assert_str_eq(counted(NULL), "none: ");
	tempdir_put("mmpmon", "#!/bin/sh\necho what >&2\nexit 9\n");
	ck_assert_str_eq(counted(NULL), "failed: mmpmon: exit status 9: what");
	section.mmpmon = (char *)"/nowhere";
	ck_assert_ptr_nonnull(strstr(counted(NULL), "failed: mmpmon: "));
	snprintf(path, sizeof(path), "proc/%d/comm", (int)getpid());
	tempdir_put(path, "mmfsck\n");
	ck_assert_str_eq(counted(NULL), "failed: mmpmon: there is no process mmfsd");
	tempdir_remove();
}
END_TEST

/* mmfsd is who listens: this process. */
static void listen_as_mmfsd(const char *answer)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s", tempdir_path("mmpmon.socket"));
	unlink(path);
	unix_serve("mmpmon.socket", answer);
	section.mmpmon_socket = path;
}

#define ANSWER(lines) "_response_ begin mmpmon gfis\n" lines "_response_ end\n"

START_TEST(a_mmfsd_that_listens_is_asked_without_a_program)
{
	unsigned long long ticks = 0;
	struct client *one;
	struct wire *wire;
	struct err why;
	char id[100];

	node_of("h /home gpfs rw 0 0\n", "");
	section.mmpmon = (char *)"/nowhere";
	section.process_dir = (char *)"/nowhere";
	listen_as_mmfsd(ANSWER(LINE("_mmpmon::fis_", "c", "h", "_br_ 7")));
	one = client_open(&section, NULL, NULL);
	wire = gpfs_wire(one, &why);
	ck_assert_msg(wire != NULL, "%s", why.text);
	ck_assert_int_eq(process_start(getpid(), NULL, &ticks), 0);
	snprintf(id, sizeof(id), "c:h %d.%llu", (int)getpid(), ticks);
	expect_row(wire, 0, id, "7 -1 -1 -1");
	ck_assert_str_eq(wire->row[0].fs, "/home");
	tempdir_expect("mmpmon.socket.asked", "mmpmon gfis\n");
	wire_free(wire);
	client_close(one);
	unix_stop();
	tempdir_remove();
}
END_TEST

START_TEST(a_mmfsd_that_answers_half_is_asked_by_the_program)
{
	node_of("h /home gpfs rw 0 0\n", COUNTERS);
	listen_as_mmfsd("_response_ begin mmpmon fis\n" LINE("_mmpmon::fis_", "x", "h", "_br_ 7"));
	ck_assert_str_eq(counted(NULL), "c:s=c:s c:h=/home d:s=d:s ");
	unix_stop();
	/* nobody listens any more */
	ck_assert_str_eq(counted(NULL), "c:s=c:s c:h=/home d:s=d:s ");
	tempdir_remove();
}
END_TEST

static enum ask_answer answered(const char *run_dir)
{
	struct client *one = client_open(&section, run_dir, NULL);
	struct ask ask = { 0 };
	enum ask_answer answer;
	long pid;

	gpfs_mmpmon_ask(one, &ask, &pid);
	answer = ask.answer;
	ck_assert_int_eq(pid, getpid());
	ask_clear(&ask);
	client_close(one);
	return answer;
}

START_TEST(a_mmfsd_that_hangs_is_not_asked_once_more)
{
	node_of("h /home gpfs rw 0 0\n", COUNTERS);
	section.timeout_ms = 100;
	listen_as_mmfsd(NULL);
	ck_assert_int_eq(answered(NULL), ASK_HUNG);
	ck_assert_ptr_nonnull(strstr(counted(NULL), "mmpmon.socket': no answer in time"));
	unix_stop();
	section.mmpmon_socket = (char *)"/nowhere";
	section.timeout_ms = 400; /* it has to begin in this time */
	tempdir_put("mmpmon", "#!/bin/sh\nexec sleep 60\n");
	ck_assert_int_eq(answered(NULL), ASK_HUNG);
	tempdir_remove();
}
END_TEST

START_TEST(a_program_that_cannot_be_run_has_failed_or_is_missing)
{
	node_of("h /home gpfs rw 0 0\n", COUNTERS);
	ck_assert_int_eq(answered(NULL), ASK_ANSWERED);
	tempdir_put("mmpmon", "#!/bin/sh\nexit 3\n");
	ck_assert_int_eq(answered(NULL), ASK_HUNG); /* another one runs */
	tempdir_put("mmpmon", "#!/bin/sh\nexit 4\n");
	ck_assert_int_eq(answered(NULL), ASK_FAILED);
	section.mmpmon = (char *)"/nowhere";
	ck_assert_int_eq(answered(NULL), ASK_MISSING);
	ck_assert_str_eq(counted(NULL),
			 "failed: mmpmon: cannot execute /nowhere: No such file or directory");
	tempdir_remove();
}
END_TEST

START_TEST(no_second_mmpmon_is_started_while_one_runs)
{
	char run_dir[512];
	int fd;

	node_of("h /home gpfs rw 0 0\n", COUNTERS);
	snprintf(run_dir, sizeof(run_dir), "%s", tempdir_path("run"));
	ck_assert_int_eq(mkdir(run_dir, 0755), 0);
	ck_assert_str_eq(counted(run_dir), "c:s=c:s c:h=/home d:s=d:s ");
	fd = open(tempdir_path("run/" RUNDIR_MMPMON), O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(lock_wait(fd, 0), 0);
	ck_assert_ptr_nonnull(strstr(counted(run_dir), "another mmpmon of jobio does not end"));
	ck_assert_int_eq(answered(run_dir), ASK_HUNG);
	close(fd);
	ck_assert_str_eq(counted(run_dir), "c:s=c:s c:h=/home d:s=d:s ");
	tempdir_remove();
}
END_TEST

/* ---- settings -------------------------------------------------------------------- */

/* mmdiag prints what is in "config". */
#define MMDIAG                                                                                     \
	"#!/bin/sh\n"                                                                              \
	"cd '%s' || exit 9\n"                                                                      \
	"echo \"mmdiag $*\" >>asked\n"                                                             \
	"[ -e dumb ] && { echo dumb >&2; exit 1; }\n"                                              \
	"[ \"$1\" = --config ] && exec cat config\n"                                               \
	"exit 0\n"
static char run_dir[600], state_dir[600];
static struct client *opened;
static struct client_want want;
static struct client_plan plan;
static struct err err;

static void look(void)
{
	ck_assert_msg(client_inspect(opened, 60000, &err) == 0, "%s", err.text);
}

static void begin_settings(void)
{
	static char mmdiag[600];

	node_of("h /home gpfs rw 0 0\n", COUNTERS);
	tempdir_command("mmdiag", MMDIAG, mmdiag);
	tempdir_put("config",
		    CONFIG ATTRIBUTE("fsyncIsGlobal", "yes") ATTRIBUTE("maxMBpS", "2048")
			    ATTRIBUTE("pagepool", "1073741824") ATTRIBUTE("maxStatCache", "9")
				    ATTRIBUTE("other", "1"));
	section.timeout_ms = 60000;
	section.mmdiag = mmdiag;
	want = (struct client_want){ .alone = true, .mount_options = "", .read_ahead_kb = "" };
	snprintf(run_dir, sizeof(run_dir), "%s", tempdir_path("run"));
	snprintf(state_dir, sizeof(state_dir), "%s", tempdir_path("state"));
	ck_assert_int_eq(mkdir(run_dir, 0755), 0);
	ck_assert_int_eq(mkdir(state_dir, 0755), 0);
	opened = client_open(&section, run_dir, NULL);
	ck_assert_ptr_nonnull(opened);
	look();
}

static void end_settings(void)
{
	change_clear(&plan);
	findings_free(&findings);
	client_close(opened);
	tempdir_remove();
}

static void expect_text(const char *code, const char *text)
{
	expect_finding(code);
	ck_assert_str_eq(findings.list[0].text, text);
	findings_free(&findings);
}

/* Nothing is ever planned. */
static void advise(const char *settings)
{
	want.mmconfig = settings;
	gpfs_mmconfig.plan(&gpfs_mmconfig, opened, &want, &plan, &findings);
	ck_assert_uint_eq(plan.count, 0);
}

static bool holds(const char *settings)
{
	want.mmconfig = settings;
	return gpfs_mmconfig.holds(&gpfs_mmconfig, opened, &want);
}

#define NONE "none (mmdiag --config)"
#define DROP "take it out of the profile in jobio.conf"

START_TEST(what_differs_is_said_with_its_command)
{
	static const struct {
		const char *word, *have, *cure; /* cure NULL: it has it */
	} cases[] = {
		{ "fsyncIsGlobal=0", "1", "mmchconfig fsyncIsGlobal=no -i -N CLASS" },
		{ "ignorePrefetchLUNCount=1", NONE, DROP },
		{ "maxMBpS=200000", "2048", "mmchconfig maxMBpS=200000 -i -N CLASS" },
		{ "seqDiscardThreshold=1099511627776", NONE, DROP },
		{ "writebehindThreshold=0", NONE, DROP },
		{ "maxFilesToCache=1", NONE, DROP },
		{ "maxStatCache=1", "9",
		  "mmchconfig maxStatCache=1 -N CLASS, and restart mmfsd there" },
		{ "nBucketGroups=1", NONE, DROP },
		{ "pagepool=1", "1073741824",
		  "mmchconfig pagepool=1 -N CLASS, and restart mmfsd there" },
		{ "workerThreads=1", NONE, DROP },
		{ "pagepool=1073741824", "", NULL },
		{ "maxMBpS=2048,fsyncIsGlobal=1", "", NULL },
		{ "", "", NULL },
		{ NULL, "", NULL },
	};
	char text[200];
	size_t i;

	begin_settings();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		advise(cases[i].word);
		ck_assert_int_eq(holds(cases[i].word), !cases[i].cure);
		ck_assert_uint_eq(findings.count, cases[i].cure ? 1 : 0);
		if (!cases[i].cure)
			continue;
		ck_assert_str_eq(findings.list[0].cure, cases[i].cure);
		snprintf(text, sizeof(text), "the profile asks for %s, and mmfsd has %s",
			 cases[i].word, cases[i].have);
		expect_text("GP41", text);
	}
	advise("pagepool=1,maxMBpS=1");
	ck_assert_uint_eq(findings.count, 2);
	ck_assert(!holds("maxMBpS=2048,pagepool=1"));
	end_settings();
}
END_TEST

START_TEST(settings_out_of_bounds_and_mount_options_are_refused)
{
	static const char *const words[] = {
		"fsyncIsGlobal=2",
		"ignorePrefetchLUNCount=2",
		"maxMBpS=200001",
		"seqDiscardThreshold=1099511627777",
		"nBucketGroups=1025",
		"writebehindThreshold=1099511627777",
		"workerThreads=8193",
		"maxFilesToCache=10000001",
		"maxMBpS=",
		"maxStatCache=10000001",
		"pagepool=17592186044417",
	};
	char text[200];
	size_t i;

	begin_settings();
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		advise(words[i]);
		snprintf(
			text, sizeof(text),
			"setting '%s' of the profile: its value is not a number within bounds; the profile was not applied",
			words[i]);
		expect_text("GP49", text);
	}
	want.mount_options = "noatime";
	advise("maxMBpS=1");
	expect_text(
		"GP49",
		"setting 'noatime' of the profile: it is none of Storage Scale's that jobio compares; the profile was not applied");
	ck_assert(!holds(""));
	end_settings();
}
END_TEST

#define ASKED "mmdiag --config -Y\nmmdiag --waiters -Y\n"

START_TEST(a_node_is_asked_for_what_rules_and_settings_need)
{
	static const char *const names[] = {
		"fsyncIsGlobal", "ignorePrefetchLUNCount", "maxFilesToCache",
		"maxMBpS",	 "maxStatCache",	   "nBucketGroups",
		"pagepool",	 "seqDiscardThreshold",	   "verbsPorts",
		"verbsRdma",	 "workerThreads",	   "writebehindThreshold",
	};
	char config[2000] = CONFIG, line[100], word[24];
	size_t i;

	begin_settings();
	tempdir_expect("asked", ASKED);
	ck_assert(client_facts(opened)->cpus_known);
	ck_assert_int_eq(gpfs_facts(opened)->mmfsd, getpid());
	ck_assert_int_eq(gpfs_facts(opened)->counters.answer, ASK_ANSWERED);
	ck_assert(!gpfs_word(opened, "other", word, sizeof(word)));
	ck_assert_int_eq(gpfs_number(opened, "maxMBpS"), 2048);
	ck_assert_int_eq(gpfs_number(opened, "fsyncIsGlobal"), -1);
	ck_assert_int_eq(gpfs_number(opened, "workerThreads"), -1);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(line, sizeof(line), ATTRIBUTE("%s", "%zu"), names[i], i + 1);
		strcat(config, line);
	}
	tempdir_put("config", config);
	look();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_int_eq(gpfs_number(opened, names[i]), (int)i + 1);
	tempdir_expect("asked", ASKED ASKED);
	tempdir_put("dumb", ""); /* it has answered: it is asked on */
	look();
	ck_assert_int_eq(gpfs_facts(opened)->config.answer, ASK_FAILED);
	ck_assert_int_eq(gpfs_facts(opened)->counters.answer, ASK_ANSWERED);
	ck_assert_int_eq(gpfs_number(opened, "maxMBpS"), -1);
	tempdir_expect("asked", ASKED ASKED ASKED);
	end_settings();
}
END_TEST

START_TEST(a_node_without_mounts_or_mmfsd_is_asked_nothing)
{
	char path[64];

	begin_settings();
	ck_assert_int_eq(remove(tempdir_path("asked")), 0);
	tempdir_put("mounts", "");
	look();
	tempdir_expect("asked", "");
	tempdir_put("mounts", "h /home gpfs rw 0 0\n");
	snprintf(path, sizeof(path), "proc/%d/comm", (int)getpid());
	tempdir_put(path, "mmfsck\n");
	look();
	tempdir_expect("asked", "");
	ck_assert_int_eq(gpfs_facts(opened)->mmfsd, 0);
	ck_assert(!holds("maxMBpS=2048"));
	end_settings();
}
END_TEST

START_TEST(who_hangs_once_is_not_asked_again)
{
	begin_settings();
	ck_assert_int_eq(remove(tempdir_path("asked")), 0);
	tempdir_put("mmdiag", "#!/bin/sh\nexec sleep 60\n");
	section.timeout_ms = 100;
	look();
	ck_assert_int_eq(gpfs_facts(opened)->config.answer, ASK_HUNG);
	ck_assert_int_eq(gpfs_facts(opened)->waiters.answer, ASK_NOT_ASKED);
	ck_assert_int_eq(gpfs_facts(opened)->counters.answer, ASK_NOT_ASKED);
	errno = 0;
	ck_assert_ptr_null(client_wire_save(opened, &err));
	ck_assert_int_eq(errno, ENOENT);
	end_settings();
}
END_TEST

START_TEST(what_a_mmfsd_said_is_kept_unless_its_counters_fail_later)
{
	char path[600];

	begin_settings();
	client_close(opened);
	opened = client_open(&section, run_dir, state_dir);
	tempdir_command("mmpmon", "#!/bin/sh\nexec cat '%s/answer'\n", path);
	tempdir_put("answer", "_fs_io_s_ _rc_ 1 _fs_ -\n");
	look();
	client_keep(opened);
	ck_assert_ptr_null(client_wire_save(opened, &err)); /* no counters */
	look();
	ck_assert(client_is_cached(opened));
	ck_assert_int_eq(remove(tempdir_path("answer")), 0);
	ck_assert_ptr_null(client_wire_save(opened, &err));
	look();
	ck_assert(!client_is_cached(opened));
	end_settings();
}
END_TEST

START_TEST(what_a_mmfsd_said_is_kept_for_the_next_job)
{
	begin_settings();
	client_close(opened);
	opened = client_open(&section, run_dir, state_dir);
	look();
	ck_assert(!client_is_cached(opened));
	client_keep(opened);
	tempdir_expect("asked", ASKED ASKED);
	look();
	ck_assert(client_is_cached(opened));
	tempdir_expect("asked", ASKED ASKED);
	ck_assert_int_eq(gpfs_number(opened, "maxMBpS"), 2048);
	/* but a setting is compared with what mmfsd has now */
	advise("maxMBpS=2048");
	tempdir_expect("asked", ASKED ASKED "mmdiag --config -Y\n");
	client_keep(opened);
	cache_drop(opened);
	tempdir_put("mmpmon", "#!/bin/sh\nexit 9\n");
	look();
	client_keep(opened); /* not of a client that is not in order */
	look();
	ck_assert(!client_is_cached(opened));
	end_settings();
}
END_TEST

START_TEST(a_job_of_many_fsyncs_is_told_what_they_wait_for)
{
	struct client_work work = { .syncs = 999 };

	begin_settings();
	client_judge_work(opened, &work, &findings);
	ck_assert_uint_eq(findings.count, 0);
	work.syncs = 1000;
	client_judge_work(opened, &work, &findings);
	expect_text(
		"GP12",
		"the job called fsync 1000 times on this node, and each waits for what other nodes have written of the file, too (fsyncIsGlobal=yes)");
	tempdir_put("config", CONFIG ATTRIBUTE("fsyncIsGlobal", "1"));
	client_judge_work(opened, &work, &findings);
	expect_finding("GP12");
	findings_free(&findings);
	tempdir_put("config", CONFIG ATTRIBUTE("fsyncIsGlobal", "no"));
	client_judge_work(opened, &work, &findings);
	ck_assert_uint_eq(findings.count, 0);
	/* by an epilog, which has inspected nothing */
	tempdir_put("config", CONFIG ATTRIBUTE("fsyncIsGlobal", "yes"));
	client_close(opened);
	opened = client_open(&section, run_dir, NULL);
	client_judge_work(opened, &work, &findings);
	expect_finding("GP12");
	end_settings();
}
END_TEST

START_TEST(cards_of_mmfsd_are_those_that_it_uses)
{
	struct client_cards cards;

	begin_settings();
	sysfs_set_root("/nowhere");
	tempdir_put("config", CONFIG ATTRIBUTE("verbsRdma", "enable")
				      ATTRIBUTE("verbsPorts", "mlx5_0/1 mlx5_1/1/2,mlx5_2"));
	look();
	client_cards(opened, &cards);
	ck_assert_uint_eq(cards.count, 3);
	ck_assert_str_eq(cards.card[0].name, "mlx5_0");
	ck_assert_str_eq(cards.card[1].name, "mlx5_1");
	ck_assert_str_eq(cards.card[2].name, "mlx5_2");
	ck_assert_str_eq(cards.card[2].serves, "verbsPorts");
	ck_assert_int_eq(cards.card[2].numa_node, -1);
	tempdir_put("config",
		    CONFIG ATTRIBUTE("verbsRdma", "disable") ATTRIBUTE("verbsPorts", "mlx5_0/1"));
	look();
	client_cards(opened, &cards);
	ck_assert_uint_eq(cards.count, 0);
	tempdir_put("config", CONFIG ATTRIBUTE("verbsRdma", "enable"));
	look();
	client_cards(opened, &cards);
	ck_assert_uint_eq(cards.count, 0);
	end_settings();
}
END_TEST

START_TEST(mmfsd_is_told_a_numa_node_and_no_cores)
{
	struct client_place place = { .numa_node = 0, .card = "" };
	char *text = client_cores_command("gpfs", &place);

	ck_assert_str_eq(
		text,
		"mmchconfig numactlOptionN=0,numactlOptioni=0 for this class of nodes, and restart mmfsd");
	free(text);
	place.numa_node = -1;
	ck_assert_ptr_null(client_cores_command("gpfs", &place));
}
END_TEST

UNIT_MAIN("gpfs", an_attribute_is_found_by_its_name_and_decoded,
	  columns_are_found_by_the_header_and_not_by_their_place, half_a_code_is_left_as_it_is,
	  a_value_fits_whole_or_is_not_there, file_systems_of_one_name_in_two_clusters_are_two,
	  the_answer_of_the_socket_has_the_same_counters,
	  a_node_without_mounts_has_no_counters_and_no_fault,
	  a_counter_that_cannot_be_read_is_unknown, an_answer_that_is_not_understood_is_no_answer,
	  a_counter_of_calls_that_wrapped_in_a_short_job_is_counted_on,
	  calls_that_may_have_wrapped_unseen_are_unknown_and_bytes_are_not,
	  counters_that_began_anew_are_no_wrap, when_the_counters_were_read_is_kept_with_them,
	  a_mmfsd_that_may_not_run_beside_its_card_is_said,
	  a_card_whose_place_nobody_knows_is_no_finding, rdma_that_is_there_and_not_used_is_said,
	  a_page_pool_is_small_beside_the_memory_or_not_at_all,
	  a_waiter_is_told_with_its_reason_however_long_it_is, a_reason_without_end_is_cut_off,
	  a_question_without_an_answer_is_said_once,
	  counters_that_are_not_understood_are_said_and_none_are_not,
	  a_stat_cache_that_mostly_misses_is_said, who_waits_longest_is_named_and_all_are_counted,
	  a_page_pool_of_sixteen_gibibytes_is_enough_for_all,
	  a_mmfsd_that_does_not_run_is_said_of_mounts,
	  counters_are_called_by_the_first_mount_of_their_file_system,
	  file_systems_of_jobio_conf_alone_are_counted, counters_that_do_not_come_are_told,
	  no_second_mmpmon_is_started_while_one_runs, what_differs_is_said_with_its_command,
	  settings_out_of_bounds_and_mount_options_are_refused,
	  a_node_is_asked_for_what_rules_and_settings_need,
	  a_node_without_mounts_or_mmfsd_is_asked_nothing, who_hangs_once_is_not_asked_again,
	  what_a_mmfsd_said_is_kept_for_the_next_job,
	  a_job_of_many_fsyncs_is_told_what_they_wait_for, cards_of_mmfsd_are_those_that_it_uses,
	  mmfsd_is_told_a_numa_node_and_no_cores, every_digit_of_a_code_is_decoded,
	  lines_of_other_kinds_are_passed_over, the_last_header_says_where_columns_are,
	  a_value_of_two_lines_may_go_on_like_the_name_of_the_command,
	  a_line_that_is_too_long_is_passed_over_and_others_are_not,
	  a_value_is_whole_in_front_of_its_colon_alone, a_word_fits_whole_or_is_not_there,
	  cards_beside_mmfsd_are_right_and_one_that_is_not_is_said,
	  a_page_pool_of_a_part_in_32_of_the_memory_is_enough,
	  a_mmfsd_that_listens_is_asked_without_a_program,
	  a_mmfsd_that_answers_half_is_asked_by_the_program,
	  a_mmfsd_that_hangs_is_not_asked_once_more,
	  a_program_that_cannot_be_run_has_failed_or_is_missing,
	  what_a_mmfsd_said_is_kept_unless_its_counters_fail_later)
