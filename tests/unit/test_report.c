/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a report looks. Where it comes from: tests/scripts/report.bats. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/command.h"
#include "report/job_advice.h"
#include "report/job_io.h"
#include "report/job_print.h"
#include "report/tone.h"
#include "tests/unit/records.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"
#include "tests/unit/terminal.h"

static char printed[65536];

static int usual_errno; /* of jobio.conf in its usual place, which is not there */

struct config *__real_config_load(const char *file, struct err *err);
struct config *__wrap_config_load(const char *file, struct err *err)
{
	if (file)
		return __real_config_load(file, err);
	err_set(err, "no jobio.conf");
	errno = usual_errno;
	return NULL;
}

#define START "\"start\":1795224862,"
#define NODE(node, more)                                                                           \
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"" node                                \
	"\",\"uid\":1000,\"user\":\"alice\"," START "\"end\":1795224962" more "}"

static void begin(const char *summary)
{
	struct err err = { "" };

	memset(&report, 0, sizeof(report));
	report.id = (char *)"7";
	report.source = "ledger";
	report.cluster = (char *)"c";
	report.state = (char *)"written";
	report.summary_text = (char *)summary;
	report.advice = ADVICE_WANT_NONE;
	report.limits = &limits;
	report.runs = 1;
	report.restart = 0;
	report.is_verbose = true;
	slurm = (struct sacct_row){ .id = "7",
				    .user = "",
				    .account = "",
				    .partition = "",
				    .name = "",
				    .state = "COMPLETED",
				    .exit_code = 0,
				    .signal = RECORD_UNKNOWN,
				    .start = 1795224862,
				    .end = 1795228462,
				    .elapsed_s = 3600,
				    .nodes = RECORD_UNKNOWN };
	setenv("TZ", "UTC", 1);
	tzset();
	ck_assert_msg(summary_parse(summary, &report.summary, &err) == 0, "%s", err.text);
}

static const char *print(void (*how)(const struct job_report *, FILE *))
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	how(&report, out);
	fclose(out);
	return printed;
}

/* The lines, in this order, among others. */
static void expect(const char *lines)
{
	const char *text = print(job_print_text), *at;
	char *copy = strdup(lines), *line, *rest = NULL;

	for (line = strtok_r(copy, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		at = strstr(text, line);
		ck_assert_msg(at && (at == printed || at[-1] == '\n') && at[strlen(line)] == '\n',
			      "no '%s' here in\n%s", line, printed);
		text = at + strlen(line);
	}
	free(copy);
}

/* How often it says so. */
static int times(const char *part)
{
	const char *at = print(job_print_text);
	int count = 0;

	while ((at = strstr(at, part))) {
		count++;
		at++;
	}
	return count;
}

static void expect_no(const char *part)
{
	print(job_print_text);
	ck_assert_msg(!strstr(printed, part), "'%s' in\n%s", part, printed);
}

#define PLAIN                                                                                      \
	"jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=1/1 cores=- cpus=- prof=- "                             \
	"fs=/mnt/weka:wekafs scope=job src=bpf q=-"

/* ---- the head ----------------------------------------------------------- */

#define FULL                                                                                       \
	"jobio/1 not=profile,gate rd=1KiB/3 wr=2KiB/4 of=all_files nodes=2/3 "                     \
	"cores=1 cpus=7,15 prof=stream fs=/mnt/weka:wekafs scope=job "                             \
	"src=exit q=all_files,aio_missing meta=12 rsz=4KiB/1MiB "                                  \
	"wsz=8KiB/2MiB rlat=64us/1.05ms wlat=1ms/2ms peak=512B/1KiB "                              \
	"imb=1.52@c2 slow=4.1s@c1 chg=1/2 find=1/2 miss=c3"

START_TEST(a_report_without_records_says_what_the_summary_says)
{
	begin(FULL);
	report.source = "sacct";
	slurm.user = "alice";
	slurm.name = "train";
	slurm.partition = "gpu";
	slurm.account = "lab";
	report.slurm = &slurm;
	strcpy(report.why_not_ledger, "no job 7 that you may read");
	print(job_print_text);
	ck_assert_str_eq(
		printed,
		"job 7 on cluster c, user alice; not given: profile, cores apart from the client's\n"
		"  name          train, partition gpu, account lab\n"
		"  state         COMPLETED, exit code 0, 01:00:00 on 3 nodes\n"
		"  time          2026-11-21 01:34:22 to 2026-11-21 02:34:22 (3600.0 s)\n"
		"  nodes         2 of 3 reported; missing: c3\n"
		"  io-cores      1 on each node, CPUs 7,15\n"
		"  profile       stream\n"
		"  filesystems   /mnt/weka:wekafs\n"
		"  changed       2 settings, 1 put back\n"
		"  I/O           all nodes, from exit: the job's alone\n"
		"                read         1KiB in 3 calls, 341B a call\n"
		"                written      2KiB in 4 calls, 512B a call\n"
		"                /mnt/weka:wekafs unknown, of this: pipes, sockets and other files are in it\n"
		"                peak         512B read, 1KiB written: the most that one node moved in a second\n"
		"                metadata     12 operations\n"
		"                read sizes   half up to 4KiB, 99 % up to 1MiB\n"
		"                write sizes  half up to 8KiB, 99 % up to 2MiB\n"
		"                read times   half up to 64us, 99 % up to 1.05ms\n"
		"                write times  half up to 1ms, 99 % up to 2ms\n"
		"  balance       c2 moved 1.52 times as much as the mean node\n"
		"  slowest       c1: its processes spent 4.1s in read and write calls\n"
		"  quality       counts every file, pipe and socket, not only the client's files\n"
		"                asynchronous I/O (aio, io_uring) is not counted\n"
		"  findings      1 error, 2 warnings\n"
		"  note          from sacct, three digits and no details: no job 7 that you may read (its owner, root and SlurmUser may)\n"
		"  summary       " FULL "\n");
	records_end();
}
END_TEST

START_TEST(the_head_says_which_job_of_which_family_it_is)
{
	begin(PLAIN);
	expect("job 7 on cluster c");
	report.cluster = NULL;
	expect("job 7");
	report.array_job = 5;
	report.array_task = 3;
	expect("job 7 (task 5_3 of array 5)");
	report.id = (char *)"5_3";
	expect("job 5_3");
	report.array_job = 0;
	report.id = (char *)"7";
	report.het_job = 6;
	report.het_offset = 1;
	expect("job 7 (component 6+1 of job 6)");
	report.id = (char *)"6+1";
	expect("job 6+1");
	report.restart = 1;
	expect("job 6+1, run 1 of 1 known");
	report.restart = RECORD_UNKNOWN;
	expect("job 6+1");
	report.runs = 2;
	expect("job 6+1, run 0 of 2 known");
	report.restart = 0;
	expect("job 6+1, run 0 of 2 known");
	report.slurm = &slurm;
	expect("job 6+1, run 0 of 2 known");
	slurm.user = "bob";
	expect("job 6+1, user bob, run 0 of 2 known");
	slurm.state = "PENDING";
	expect("  note          the job has been requeued and is PENDING: this is its last run that ended");
	records_end();
}
END_TEST

START_TEST(the_time_is_from_the_first_start_to_the_last_end)
{
	begin(PLAIN);
	records_take(
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c1\",\"uid\":1,\"start\":1795224862}");
	expect("  time          2026-11-21 01:34:22 to unknown (0.0 s)");
	records_take(NODE("c2", ""));
	records_take(
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c3\",\"uid\":1,\"start\":1795224800,\"end\":1795224810}");
	expect("job 7 on cluster c\n"
	       "  state         unknown, 00:02:42 on 1 node\n"
	       "  time          2026-11-21 01:33:20 to 2026-11-21 01:36:02 (162.0 s)\n"
	       "  nodes         1 of 1 reported");
	records_end();
	begin("jobio/1 rd=-/- wr=-/- nodes=2/- cores=- cpus=- prof=- fs=- scope=- src=- q=-");
	expect("  nodes         2\n"
	       "  io-cores      none\n"
	       "  profile       none\n"
	       "  filesystems   none\n"
	       "  I/O           not counted");
	records_end();
}
END_TEST

/* ---- what it did not get ------------------------------------------------- */

#define REQUEST(applied, met)                                                                      \
	",\"request\":{\"io_cores\":1,\"profile\":\"stream\","                                     \
	"\"applied\":" applied ",\"cores_met\":" met "}"

START_TEST(what_was_not_given_is_said_once_with_its_nodes)
{
	begin(PLAIN);
	records_take(NODE("c1", REQUEST("false", "true")));
	records_take(NODE("c2", REQUEST("true", "false")));
	records_take(NODE("c3", REQUEST("false", "false")));
	records_take(NODE("c4", REQUEST("true", "true")));
	records_take(
		NODE("c5", ",\"gate\":{\"warned\":1,\"refused\":0,\"text\":\"may run on CPU 7\"}"));
	records_take(NODE("c6", ",\"gate\":{\"warned\":0,\"refused\":2,\"text\":\"may not\"}"));
	records_take(NODE("c7", REQUEST("false", "false") ",\"refused\":\"no\""));
	expect("job 7 on cluster c, user alice\n"
	       "  not given     on c1, c3: profile stream was not applied\n"
	       "  not given     on c2, c3: the io-cores were without use\n"
	       "  not given     on c5: may run on CPU 7\n"
	       "  state         unknown, 00:01:40 on 1 node\n"
	       "  time          2026-11-21 01:34:22 to 2026-11-21 01:36:02 (100.0 s)\n"
	       "  refused       on c7: no\n"
	       "  request       1 io-core on each node, profile stream");
	expect_no("may not");
	expect_no("on c3: ");
	ck_assert_int_eq(times("not given"), 3);
	records_end();
}
END_TEST

START_TEST(a_start_that_was_not_given_is_told)
{
	begin("jobio/1 not=started,cores rd=-/- wr=-/- nodes=1/1 cores=- cpus=- prof=- fs=- scope=- src=- q=-");
	expect("job 7 on cluster c; not given: a start, io-cores");
}
END_TEST

START_TEST(a_long_list_of_nodes_is_cut)
{
	char text[400];
	int i;

	begin(PLAIN);
	for (i = 1; i <= 9; i++) {
		snprintf(
			text, sizeof(text),
			"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c%d\",\"uid\":1," START
			"\"refused\":\"no\"}",
			i);
		records_take(text);
		if (i == 8)
			expect("  refused       on c1, c2, c3, c4, c5, c6, c7, c8: no");
	}
	expect("  refused       on c1, c2, c3, c4, c5, c6, c7, c8 and 1 more nodes: no");
	records_end();
}
END_TEST

/* ---- request, cores, clients ----------------------------------------------- */

START_TEST(a_request_says_what_was_asked_for)
{
	begin(PLAIN);
	records_take(NODE("c1", ",\"request\":{\"io_cores\":2}"));
	expect("  request       2 io-cores on each node");
	records_end();
	begin(PLAIN);
	records_take(NODE("c1", ",\"request\":{\"profile\":\"stream\"}"));
	expect("  request       profile stream");
	records_end();
	begin(PLAIN);
	records_take(NODE("c1", ""));
	expect_no("request");
	records_end();
}
END_TEST

#define CORES(count, cpus)                                                                         \
	",\"io_cores\":{\"count\":" count ",\"abstract\":\"1\",\"os_cpus\":" cpus "}"

START_TEST(cores_that_differ_are_told_of_each_node)
{
	begin("jobio/1 rd=-/- wr=-/- nodes=4/4 cores=1 cpus=mixed prof=mixed fs=- scope=- src=- q=-");
	expect("  io-cores      not the same on all nodes\n"
	       "  profile       mixed");
	records_take(NODE("c1", CORES("1", "\"7,15\"")));
	records_take(NODE("c2", CORES("1", "\"3\"")));
	records_take(NODE("c3", CORES("1", "\"7,15\"")));
	records_take(NODE("c4", CORES("2", "null")));
	records_take(NODE("c5", ""));
	expect("  io-cores      1, CPUs 7,15, on c1, c3\n"
	       "                1, CPUs 3, on c2\n"
	       "                2, CPUs unknown, on c4\n"
	       "  profile       mixed");
	ck_assert_int_eq(times(", CPUs "), 3);
	records_end();
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=2 cpus=7,15 prof=p fs=- scope=- src=- q=-");
	expect("  io-cores      2 on each node, CPUs 7,15\n"
	       "  profile       p");
	records_end();
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=2 cpus=- prof=p fs=- scope=- src=- q=-");
	expect("  io-cores      2 on each node, CPUs unknown");
	records_end();
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=mixed cpus=7 prof=p fs=- scope=- src=- q=-");
	expect("  io-cores      not the same on all nodes");
	records_end();
}
END_TEST

#define CLIENT(name, type, version)                                                                \
	"{\"name\":\"" name "\",\"type\":\"" type "\",\"version\":" version                        \
	",\"cpus\":null,\"mounts\":[]}"

START_TEST(clients_of_one_version_are_one_line)
{
	begin(PLAIN);
	records_take(NODE(
		"c1", ",\"client\":" CLIENT("a", "weka", "\"4.4\"") ",\"more_clients\":[" CLIENT(
			      "b", "nfs", "null") "]"));
	records_take(NODE("c2", ",\"client\":" CLIENT("a", "weka", "\"4.3\"")));
	records_take(NODE(
		"c3", ",\"client\":" CLIENT("x", "weka", "\"4.4\"") ",\"more_clients\":[" CLIENT(
			      "y", "weka", "\"4.4\"") "]"));
	expect("  filesystems   /mnt/weka:wekafs\n"
	       "  client        weka 4.4 on c1, c3\n"
	       "                nfs of unknown version on c1\n"
	       "                weka 4.3 on c2\n"
	       "  I/O           not counted");
	ck_assert_int_eq(times(" on c"), 4); /* and the cluster */
	records_end();
	/* two of one node that are the same */
	begin(PLAIN);
	records_take(NODE(
		"c3", ",\"client\":" CLIENT("x", "weka", "\"4.4\"") ",\"more_clients\":[" CLIENT(
			      "y", "weka", "\"4.4\"") "," CLIENT("z", "nfs", "\"4.4\"") "]"));
	expect("  client        weka 4.4 on c3\n"
	       "                nfs 4.4 on c3");
	ck_assert_int_eq(times(" 4.4 on c3"), 2);
	records_end();
	begin(PLAIN);
	records_take(NODE("c3",
			  ",\"client\":" CLIENT("z", "nfs", "\"4.4\"") ",\"more_clients\":[" CLIENT(
				  "x", "weka", "\"4.4\"") "," CLIENT("y", "weka", "\"4.4\"") "]"));
	ck_assert_int_eq(times(" 4.4 on c3"), 2);
	records_end();
}
END_TEST

#define CARD(name, card)                                                                           \
	"{\"name\":\"" name "\",\"type\":\"nfs\",\"version\":null,"                                \
	"\"cpus\":null,\"card\":{\"names\":\"" card                                                \
	"\",\"numa_nodes\":\"1\",\"beside\":true},\"mounts\":[]}"

START_TEST(each_card_is_told_once_whichever_client_has_it)
{
	begin(PLAIN);
	records_take(
		NODE("c1", ",\"client\":" CLIENT("a", "weka", "null") ",\"more_clients\":[" CARD(
				   "b", "ib0") "]"));
	records_take(NODE(
		"c2", ",\"client\":" CARD("b", "ib0") ",\"more_clients\":[" CARD("d", "ib1") "]"));
	expect("  card          ib0 (b, NUMA node 1): the job had cores beside it on c1, c2\n"
	       "                ib1 (d, NUMA node 1): the job had cores beside it on c2");
	ck_assert_int_eq(times("NUMA node 1"), 2);
	records_end();
}
END_TEST

/* ---- changes and findings ---------------------------------------------------- */

START_TEST(a_change_is_told_once_with_how_it_ended)
{
	begin(PLAIN);
	records_take(NODE("c1", ",\"changes\":[" CHANGE("/a", "true", "true") "," CHANGE(
					"/b", "false", "true") "]"));
	records_take(NODE("c2", ",\"changes\":[" CHANGE("/a", "true", "true") "," CHANGE(
					"/b", "null", "true") "]"));
	records_take(NODE("c3", ",\"changes\":[" CHANGE("/a", "null", "false") "]"));
	records_take(NODE("c4", ",\"changes\":[" CHANGE("/a", "true", "null") "]"));
	expect("  changed       mount-option /a: 'x' became 'y', put back (2 nodes)\n"
	       "  changed       mount-option /b: 'x' became 'y', NOT put back (1 node)\n"
	       "  changed       mount-option /b: 'x' became 'y', unknown whether put back (1 node)\n"
	       "  not changed   mount-option /a: 'x' stayed, 'y' was not taken (1 node)\n"
	       "  unknown       mount-option /a: whether 'x' became 'y'; put back (1 node)");
	ck_assert_int_eq(times("changed "), 4);
	records_end();
	/* a node that says it twice is one; the summary's numbers are not told then */
	begin(PLAIN " chg=1/2");
	records_take(NODE("c1", ",\"changes\":[" CHANGE("/a", "true", "true") "," CHANGE(
					"/a", "true", "true") "]"));
	expect("  changed       mount-option /a: 'x' became 'y', put back (1 node)");
	records_end();
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=- cpus=- prof=p fs=- scope=- src=- q=- chg=1/2 find=1/0");
	expect("  changed       2 settings, 1 put back\n"
	       "  findings      1 error");
	records_end();
}
END_TEST

#define FINDING(code, text, cure, users)                                                           \
	"{\"code\":\"" code "\",\"severity\":\"warning\",\"text\":\"" text                         \
	"\",\"cure\":" cure users "}"

START_TEST(a_finding_is_told_once_and_briefly_to_who_can_mend_it)
{
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=- cpus=- prof=p fs=- scope=- src=- q=- find=0/3");
	records_take(
		NODE("c1", ",\"findings\":[" FINDING("X1", "bad", "\"mend it\"", "") "," FINDING(
				   "X2", "yours", "\"ask\"",
				   ",\"users\":true") "," FINDING("X3", "root's", "null",
								  ",\"users\":false") "]"));
	records_take(NODE("c2", ",\"findings\":[" FINDING("X1", "bad", "null", "") "," FINDING(
					"X1", "worse", "null", "") "]"));
	expect("  finding       warning X1 on c1, c2: bad; mend it\n"
	       "  finding       warning X2 on c1: yours; ask\n"
	       "  finding       warning X3 on c1: root's\n"
	       "  finding       warning X1 on c2: worse");
	ck_assert_int_eq(times("finding "), 4);
	report.is_verbose = false;
	expect("  finding       warning X2 on c1: yours; ask\n"
	       "  findings      3 warnings: --verbose shows them");
	ck_assert_int_eq(times("finding "), 1);
	records_end();
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=- cpus=- prof=p fs=- scope=- src=- q=- find=0/0");
	report.is_verbose = false;
	expect_no("  findings");
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=- cpus=- prof=p fs=- scope=- src=- q=- find=1/0");
	report.is_verbose = false;
	expect("  findings      1 error");
	begin("jobio/1 rd=-/- wr=-/- nodes=1/1 cores=- cpus=- prof=p fs=- scope=- src=- q=- find=0/1");
	report.is_verbose = false;
	expect("  findings      1 warning");
}
END_TEST

/* ---- I/O ------------------------------------------------------------------------ */

#define APP(more)                                                                                  \
	",\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/mnt/"                           \
	"weka\","                                                                                  \
	"\"read_bytes\":2048,\"write_bytes\":4096,\"read_calls\":2,"                               \
	"\"write_calls\":1" more "}]"

/* Beside what the kernel saw of all files */
START_TEST(a_rate_is_of_the_seconds_in_which_something_was_moved)
{
	begin(PLAIN);
	report.is_verbose = false;
	records_take(NODE(
		"c1",
		",\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":1024,\"read_calls\":3,\"write_bytes\":2048,\"write_calls\":4,\"timeline\":{\"start\":1795224864,\"width_s\":2,\"read_bytes\":[0,24,0,1000],\"write_bytes\":[2048],\"calls\":[4,1,0,2]}},{\"scope\":\"job\",\"source\":\"stepd\",\"read_bytes\":9999,\"write_bytes\":1}]"));
	expect("  read          1KiB in 3 calls of 341B, 256B/s over the 4.0 s in which it did\n"
	       "  written       2KiB in 4 calls of 512B, 1KiB/s over the 2.0 s in which it did");
	records_end();
}
END_TEST

START_TEST(numbers_have_rates_peaks_and_histograms)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		APP(",\"mmap_read_bytes\":10,\"mmap_write_bytes\":20,\"meta\":{\"open\":100,\"create\":0,\"stat\":300},\"read_us\":1500,\"write_us\":2000000,\"peak\":{\"read_Bps\":1024,\"write_Bps\":2048,\"window_s\":1},\"read_sizes\":[0,0,1,0,8],\"read_ns\":[0,4]")));
	expect("  I/O           /mnt/weka, from bpf: the job's alone\n"
	       "                read         2KiB in 2 calls, 1KiB a call, 20B/s over the job's 100 s\n"
	       "                written      4KiB in 1 calls, 4KiB a call, 40B/s over the job's 100 s\n"
	       "                mapped, read 10B\n"
	       "                mapped, wr.  20B\n"
	       "                peak         1KiB read, 2KiB written: the most that one node moved in a second\n"
	       "                time         1.5ms reading, 2s writing: all processes together\n"
	       "                metadata     open 100, stat 300; 4/s over the job's 100 s\n"
	       "                read sizes   . #  4B to 32B\n"
	       "                read times   #  2ns to 4ns");
	expect_no("write sizes");
	records_end();
	begin(PLAIN);
	records_take(NODE("c1", APP("")));
	records_take(NODE("c2", ""));
	expect("  I/O           /mnt/weka, from bpf: the job's alone, on 1 nodes of 2");
	expect_no("mapped");
	expect_no("peak");
	expect_no("reading, ");
	expect_no("metadata");
	records_end();
}
END_TEST

START_TEST(in_short_there_is_a_mean_where_there_are_bytes_and_calls)
{
	begin("jobio/1 rd=0B/5 wr=1KiB/0 nodes=1/1 cores=- cpus=- prof=- fs=/a:nfs scope=job src=exit q=all_files peak=512B/1KiB");
	report.is_verbose = false;
	expect("  read          0B in 5 calls\n"
	       "  written       1KiB in 0 calls, of all files, pipes and sockets; at most 1KiB/s on a node");
	records_end();
	begin("jobio/1 rd=1KiB/4 wr=-/- nodes=1/1 cores=- cpus=- prof=- fs=/a:nfs scope=node src=weka q=-");
	report.is_verbose = false;
	expect("  read          NODE-WIDE 1KiB in 4 calls of 256B\n"
	       "  written       NODE-WIDE unknown");
	records_end();
}
END_TEST

START_TEST(the_time_of_a_long_job_is_written_out)
{
	begin(PLAIN);
	records_take("{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c1\",\"uid\":1000," START
		     "\"end\":1795311262" APP(",\"meta\":{\"open\":172800}") "}");
	expect("                metadata     open 173k; 2/s over the job's 86400 s");
	records_end();
}
END_TEST

/* A node with 64 filesystems, and what its client moved on one or two of them. */
static struct record *many_filesystems(int wires)
{
	struct record *r = record_new();
	struct record_io io;
	char fs[16];
	int i;

	strcpy(r->cluster, "c");
	strcpy(r->node, "c1");
	r->job = 7;
	r->start = 1795224862;
	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = 1;
	io.fs = fs;
	for (i = 0; i < RECORD_LIST_MAX; i++) {
		snprintf(fs, sizeof(fs), "/mnt/%d", i);
		record_add_app(r, &io);
	}
	strcpy(io.source, "mountstats");
	record_add_wire(r, &io);
	strcpy(fs, "/mnt/0");
	if (wires > 1)
		record_add_wire(r, &io);
	return r;
}

START_TEST(lines_that_are_too_many_are_counted)
{
	begin(PLAIN);
	records_take(NODE("c1", APP("")));
	expect_no("more line");
	records_end();
	begin(PLAIN);
	records[0] = many_filesystems(2);
	report.records = records;
	report.record_count = 1;
	expect("  I/O           /mnt/63, from bpf: the job's alone\n"
	       "  note          2 more lines of its nodes' I/O: --json has them");
	records_end();
	records[0] = many_filesystems(1);
	report.record_count = 1;
	expect("  note          1 more line of its nodes' I/O: --json has them");
	records_end();
}
END_TEST

START_TEST(all_files_are_not_the_clients)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"app\":[{\"scope\":\"job\",\"source\":\"stepd\",\"read_bytes\":2048,\"write_bytes\":0,\"read_calls\":0,\"write_calls\":null},{\"scope\":\"node\",\"source\":\"other\",\"read_bytes\":1,\"write_bytes\":null,\"read_calls\":3,\"write_calls\":4}]"));
	expect("  I/O           all files, from stepd: the job's alone\n"
	       "                read         2KiB in 0 calls, 20B/s over the job's 100 s\n"
	       "                written      0B\n"
	       "                /mnt/weka:wekafs unknown, of this: pipes, sockets and other files are in it");
	/* of the job alone, not of the node */
	ck_assert_int_eq(times("unknown, of this"), 1);
	records_end();
	begin(PLAIN);
	records_take(NODE("c1",
			  ",\"app\":[{\"scope\":\"node\",\"source\":\"other\",\"read_bytes\":1}]"));
	expect_no("unknown, of this");
	records_end();
}
END_TEST

START_TEST(what_the_client_moved_is_told_with_what_it_tells_besides)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"wire\":[{\"scope\":\"node\",\"source\":\"nfs\",\"client\":\"home\",\"fs\":\"/home\",\"read_bytes\":4096,\"write_bytes\":1024,\"read_calls\":4,\"write_calls\":0,\"read_us\":4000,\"write_us\":50,\"meta_calls\":2,\"meta_us\":3000,\"asked_read_bytes\":100,\"asked_write_bytes\":200,\"resent\":3,\"queue_us\":7000,\"backlog\":42,\"copies\":5,\"name_calls\":1}]"));
	expect("  on the wire   /home, from nfs of client home: NODE-WIDE, with whatever else ran there: read 4KiB in 4 calls, written 1KiB in 0\n"
	       "                asked        read 100B, written 200B: asked of the client\n"
	       "                took         a read 1ms, a write unknown, another operation 1.5ms: on average\n"
	       "                others       2 operations, of which 1 ask for names and attributes\n"
	       "                sent again   3 requests; waiting to be sent: 7ms, all together\n"
	       "                backlog      42 requests waited for a free slot, added up whenever one was sent\n"
	       "                copies       5 operations: what the server copied by itself crossed no wire");
	records_end();
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"wire\":[{\"scope\":\"node\",\"source\":\"weka\",\"read_bytes\":4096,\"write_bytes\":null,\"read_calls\":4,\"write_calls\":null,\"resent\":0,\"queue_us\":0,\"backlog\":0,\"copies\":0}]"));
	expect("  on the wire   whole node, from weka: NODE-WIDE, with whatever else ran there: read 4KiB in 4 calls, written unknown in unknown");
	expect_no("asked");
	expect_no("took");
	expect_no("others");
	expect_no("sent again");
	expect_no("backlog");
	expect_no("copies");
	records_end();
}
END_TEST

START_TEST(how_what_a_client_moved_relates_to_what_was_asked_for_is_told)
{
	const char *at;

	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"client\":{\"name\":\"home\",\"type\":\"nfs\",\"version\":null,\"cpus\":null,\"app_to_wire\":\"cache=out read-ahead=in direct=in compression=none\",\"mounts\":[]},\"more_clients\":[{\"name\":\"fast\",\"type\":\"gpfs\",\"version\":null,\"cpus\":null,\"app_to_wire\":\"cache=in read-ahead=out new=maybe\",\"mounts\":[]},{\"name\":\"old\",\"type\":\"nfs\",\"version\":null,\"cpus\":null,\"mounts\":[]}],\"wire\":[{\"scope\":\"node\",\"source\":\"mountstats\",\"client\":\"home\",\"fs\":\"/home\",\"read_bytes\":1},{\"scope\":\"node\",\"source\":\"mmpmon\",\"client\":\"fast\",\"fs\":\"/fast\",\"read_bytes\":2},{\"scope\":\"node\",\"source\":\"mountstats\",\"client\":\"old\",\"fs\":\"/old\",\"read_bytes\":3}]"));
	expect("                beside I/O   without what a cache answered, with what was read ahead, with direct I/O, nothing is compressed\n"
	       "                beside I/O   with what a cache answered, without what was read ahead, new=maybe");
	/* of the third nobody says it */
	at = strstr(strstr(printed, "beside I/O") + 1, "beside I/O");
	ck_assert_ptr_null(strstr(at + 1, "beside I/O"));
	records_end();
	/* one node that says it is enough */
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"wire\":[{\"scope\":\"node\",\"source\":\"mountstats\",\"client\":\"home\",\"fs\":\"/home\",\"read_bytes\":1}]"));
	records_take(NODE(
		"c2",
		",\"client\":{\"name\":\"home\",\"type\":\"nfs\",\"version\":null,\"cpus\":null,\"app_to_wire\":\"direct=in\",\"mounts\":[]}"));
	expect("                beside I/O   with direct I/O");
	records_end();
}
END_TEST

/* ---- nodes, quality, notes ---------------------------------------------------------- */

START_TEST(nodes_are_listed_and_the_busiest_is_named)
{
	char text[500];
	int i;

	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=17/17 cores=- cpus=- prof=- fs=- scope=node src=bpf q=all_files,other imb=1.10@c2 slow=4.1s@c1");
	records_take(NODE("c1", APP("")));
	expect("  balance       NODE-WIDE, c2 moved 1.10 times as much as the mean node\n"
	       "  slowest       c1: its processes spent 4.1s in read and write calls");
	expect_no("by node");
	for (i = 2; i <= 17; i++) {
		snprintf(
			text, sizeof(text),
			"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c%d\",\"uid\":1," START
			"\"end\":1795224962}",
			i);
		records_take(text);
		if (i == 16)
			expect_no("--json has them");
	}
	expect("  by node       c1           read 2KiB, written 4KiB\n"
	       "                c2           read unknown, written unknown\n"
	       "                c16          read unknown, written unknown\n"
	       "                and 1 more nodes (--json has them)\n"
	       "  quality       counts every file, pipe and socket, not only the client's files");
	expect_no("c17 ");
	records_end();
	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=2/2 cores=- cpus=- prof=- fs=- scope=job src=bpf q=- imb=1.09@c2");
	expect_no("balance");
	expect_no("slowest");
	expect_no("quality");
	records_end();
}
END_TEST

START_TEST(what_is_not_whole_is_noted)
{
	begin(PLAIN);
	expect_no("note");
	report.state = (char *)"waiting";
	expect("  note          not in sacct yet: waiting");
	report.error = (char *)"no row";
	expect("  note          not in sacct yet: no row\n"
	       "  summary       " PLAIN);
	report.left_out = 12;
	records_take(NODE("c1", APP("")));
	expect("  I/O           all nodes, from bpf: the job's alone\n"
	       "                read         1KiB in 3 calls, 341B a call\n"
	       "  note          12 records are not shown: they do not fit into one answer");
	report.state = NULL;
	expect_no("not in sacct");
	records_end();
	begin(PLAIN);
	report.source = "sacct";
	strcpy(report.why_not_ledger, "no ledger");
	expect("  note          from sacct, three digits and no details: no ledger");
	records_end();
}
END_TEST

START_TEST(of_a_job_that_runs_it_is_told_what_is_not_known_yet)
{
	struct job_look look = { .nodes = 4 };

	begin(PLAIN);
	report.source = "live";
	report.look = &look;
	expect_no("so far");
	expect_no("  note");
	expect_no("  now");
	look.blind = 1; /* of all nodes: the report says nothing else */
	expect_no("  note");
	look.blind = 0;
	records_take(NODE("c1", APP("")));
	expect("  note          so far: the job runs, and what its clients moved is read when it ends");
	expect_no("count nothing");
	expect_no("no numbers");
	look.blind = 1;
	look.mute = 2;
	look.since_s = 2;
	look.rd_bytes = 4096;
	look.wr_bytes = 1024;
	expect("  now           read 2KiB/s, written 512B/s, in the last 2 s\n"
	       "  note          1 of 4 nodes count nothing before the job's processes end\n"
	       "  note          no numbers from 2 of 4 nodes\n"
	       "  note          so far: the job runs, and what its clients moved is read when it ends");
	strcpy(look.who, "c3: it did not answer");
	expect("  note          no numbers from 2 of 4 nodes: c3: it did not answer");
	records_end();
}
END_TEST

/* Of two numbers that are told together one may be unknown. */
START_TEST(none_is_a_number_and_not_unknown)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		APP(",\"mmap_read_bytes\":0,\"read_us\":0,\"peak\":{\"read_Bps\":0,\"write_Bps\":null,\"window_s\":1}")));
	expect("                mapped, read 0B\n"
	       "                mapped, wr.  unknown\n"
	       "                peak         0B read, unknown written: the most that one node moved in a second\n"
	       "                time         0ns reading, unknown writing: all processes together");
	records_end();
	begin(PLAIN);
	records_take(NODE(
		"c1",
		APP(",\"mmap_write_bytes\":0,\"write_us\":0,\"peak\":{\"read_Bps\":null,\"write_Bps\":0,\"window_s\":1}")));
	expect("                mapped, read unknown\n"
	       "                mapped, wr.  0B\n"
	       "                peak         unknown read, 0B written: the most that one node moved in a second\n"
	       "                time         unknown reading, 0ns writing: all processes together");
	records_end();
}
END_TEST

#define WIRE(more)                                                                                 \
	",\"wire\":[{\"scope\":\"node\",\"source\":\"nfs\",\"read_bytes\":1,"                      \
	"\"read_calls\":4,\"write_bytes\":2,\"write_calls\":5" more "}]"

START_TEST(none_of_a_client_is_a_number_and_not_unknown)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		WIRE(",\"asked_read_bytes\":0,\"read_us\":0,\"meta_calls\":0,\"name_calls\":0,\"resent\":0,\"queue_us\":5")));
	expect("                asked        read 0B, written unknown: asked of the client\n"
	       "                took         a read 0ns, a write unknown, another operation unknown: on average\n"
	       "                others       0 operations, of which 0 ask for names and attributes\n"
	       "                sent again   0 requests; waiting to be sent: 5us, all together");
	records_end();
	begin(PLAIN);
	records_take(NODE(
		"c1",
		WIRE(",\"asked_write_bytes\":0,\"write_us\":0,\"meta_calls\":2,\"resent\":3")));
	expect("                asked        read unknown, written 0B: asked of the client\n"
	       "                took         a read unknown, a write 0ns, another operation unknown: on average\n"
	       "                others       2 operations\n"
	       "                sent again   3 requests; waiting to be sent: unknown, all together");
	records_end();
	begin(PLAIN);
	records_take(NODE("c1", WIRE(",\"name_calls\":1")));
	expect_no("of which");
	records_end();
}
END_TEST

START_TEST(a_histogram_ends_where_numbers_do)
{
	begin(PLAIN);
	records_take(
		NODE("c1", APP(",\"read_sizes\":[" ZEROS_60 "0,0,0,1],\"write_sizes\":[" ZEROS_60
			       "0,0,1],\"read_ns\":[" ZEROS_60 "0,0,0,1],\"write_ns\":[" ZEROS_60
			       "0,0,1]")));
	expect("                read sizes   #  4EiB to 4EiB\n"
	       "                write sizes  #  4EiB to 4EiB\n"
	       "                read times   #  4611686018s to 4611686018s\n"
	       "                write times  #  4611686018s to 4611686018s");
	records_end();
}
END_TEST

START_TEST(a_histogram_begins_with_its_first_bin_that_has_some)
{
	begin(PLAIN);
	records_take(
		NODE("c1", APP(",\"read_sizes\":[8,1],\"write_sizes\":[5],\"read_ns\":[0,0]")));
	expect("                read sizes   #.  1B to 4B\n"
	       "                write sizes  #  1B to 2B");
	expect_no("read times");
	records_end();
}
END_TEST

#define SHORT_NODE(seconds, more)                                                                  \
	"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c1\",\"uid\":1,"                      \
	"\"start\":1795224800,\"end\":17952248" seconds more "}"

START_TEST(below_ten_seconds_a_rate_has_their_tenths)
{
	begin(PLAIN);
	records_take(SHORT_NODE("10", APP(",\"meta\":{\"open\":100}")));
	expect("                read         2KiB in 2 calls, 1KiB a call, 204B/s over the job's 10 s\n"
	       "                metadata     open 100; 10/s over the job's 10 s");
	records_end();
	begin(PLAIN);
	records_take(SHORT_NODE("09", APP(",\"meta\":{\"open\":100}")));
	expect("                read         2KiB in 2 calls, 1KiB a call, 227B/s over the job's 9.0 s\n"
	       "                metadata     open 100; 11/s over the job's 9.0 s");
	records_end();
	/* of no time there is none */
	begin(PLAIN);
	records_take(SHORT_NODE("00", APP(",\"meta\":{\"open\":100}")));
	expect("  state         unknown on 1 node\n"
	       "                read         2KiB in 2 calls, 1KiB a call\n"
	       "                metadata     open 100");
	records_end();
}
END_TEST

START_TEST(of_nothing_there_is_no_mean)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":0,\"read_calls\":5}]"));
	expect("                read         0B in 5 calls\n"
	       "                written      unknown");
	expect_no("not counted");
	expect_no("unknown, of this");
	records_end();
	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=1/1 cores=- cpus=- prof=- fs=- scope=job src=bpf q=- meta=0 rsz=0B/4KiB slow=0ns@c1");
	expect("                metadata     0 operations\n"
	       "                read sizes   half up to 0B, 99 % up to 4KiB\n"
	       "  slowest       c1: its processes spent 0ns in read and write calls");
	records_end();
}
END_TEST

#define TIMED                                                                                      \
	"\"read_bytes\":1024,\"write_bytes\":2048,\"read_calls\":2,"                               \
	"\"timeline\":{"                                                                           \
	"\"start\":1795224864,\"width_s\":2,\"read_bytes\":[1024],"                                \
	"\"write_bytes\":[0,2048],\"calls\":[1,1]}"
#define OF_BPF(fs, numbers) "{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"" fs "\"," numbers "}"
#define TWO_OF(numbers)                                                                            \
	",\"app\":[{\"scope\":\"node\",\"source\":\"bpf\",\"read_bytes\":"                         \
	"9999}," OF_BPF("/a", TIMED) "," OF_BPF("/b", numbers) "]"
#define READ_RATE "  read          1KiB in 3 calls of 341B, 512B/s over the 2.0 s"

/* One that moved something, nobody knows when, makes the seconds too few. */
START_TEST(the_seconds_are_those_of_all_filesystems_of_all_nodes)
{
	begin(PLAIN);
	report.is_verbose = false;
	records_take(NODE("c1", TWO_OF("\"read_bytes\":0,\"write_bytes\":0")));
	expect(READ_RATE
	       " in which it did\n"
	       "  written       2KiB in 4 calls of 512B, 1KiB/s over the 2.0 s in which it did");
	records_end();
	begin(PLAIN);
	report.is_verbose = false;
	records_take(NODE("c1", TWO_OF("\"read_bytes\":1,\"write_bytes\":0")));
	expect("  read          1KiB in 3 calls of 341B\n"
	       "  written       2KiB in 4 calls of 512B");
	records_end();
	begin(PLAIN);
	report.is_verbose = false;
	records_take(NODE("c1", TWO_OF("\"read_bytes\":0,\"write_bytes\":1")));
	expect("  read          1KiB in 3 calls of 341B");
	records_end();
	begin(PLAIN);
	report.is_verbose = false;
	records_take(NODE("c1", ",\"app\":[" OF_BPF("/a", TIMED) "]"));
	records_take(NODE("c2", ",\"app\":[" OF_BPF("/a", "\"read_bytes\":1024") "]"));
	expect("  read          1KiB in 3 calls of 341B");
	records_end();
	/* with another filesystem's timeline there are more of them */
	begin(PLAIN);
	report.is_verbose = false;
	records_take(NODE(
		"c1",
		TWO_OF("\"read_bytes\":3,\"read_calls\":3,\"timeline\":{\"start\":1795224880,\"width_s\":2,\"read_bytes\":[1,1,1],\"write_bytes\":[],\"calls\":[1,1,1]}")));
	expect("  read          1KiB in 3 calls of 341B, 128B/s over the 8.0 s in which it did");
	records_end();
}
END_TEST

START_TEST(a_peak_of_nothing_is_told_beside_what_was_moved)
{
	begin("jobio/1 rd=1KiB/4 wr=0B/0 nodes=2/2 cores=- cpus=- prof=- fs=/a:nfs scope=job src=exit q=- peak=0B/0B chg=0/0");
	report.is_verbose = false;
	expect("  read          1KiB in 4 calls of 256B; at most 0B/s on a node\n"
	       "  written       0B in 0 calls");
	expect_no("  nodes");
	expect_no("  summary");
	expect_no("changed");
	report.is_verbose = true;
	report.summary_text = NULL;
	expect_no("  summary");
	expect_no("changed");
}
END_TEST

START_TEST(in_short_the_nodes_are_told_where_some_are_missing)
{
	begin("jobio/1 rd=1KiB/4 wr=0B/0 nodes=1/2 cores=- cpus=- prof=- fs=/a:nfs scope=job src=exit q=-");
	report.is_verbose = false;
	expect("  nodes         1 of 2 reported");
	begin("jobio/1 rd=-/- wr=-/- nodes=0/0 cores=- cpus=- prof=- fs=- scope=- src=- q=-");
	expect("  state         unknown\n"
	       "  nodes         0 of 0 reported");
}
END_TEST

/* A node of which the clock was never set. */
START_TEST(a_run_of_1970_is_one_of_an_unset_clock)
{
	begin(PLAIN);
	records_take(
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"c1\",\"uid\":1,\"start\":0,\"end\":0}");
	expect("  time          1970-01-01 00:00:00 to 1970-01-01 00:00:00 (0.0 s)");
	report.slurm = &slurm;
	expect("  note          the job has run again and is COMPLETED, and there is no record of that: this is a run before it\n"
	       "  state         unknown on 1 node");
	report.source = "live";
	expect("  time          1970-01-01 00:00:00 to 1970-01-01 00:00:00 (0.0 s)");
	records_end();
	begin(PLAIN);
	report.source = "sacct";
	report.slurm = &slurm;
	slurm.start = 0;
	slurm.end = 100;
	slurm.elapsed_s = RECORD_UNKNOWN;
	expect("  time          1970-01-01 00:00:00 to 1970-01-01 00:01:40 (100.0 s)");
}
END_TEST

START_TEST(a_job_without_a_name_has_a_partition)
{
	begin(PLAIN);
	report.slurm = &slurm;
	expect_no("  name");
	slurm.name = "train";
	expect("  name          train");
	slurm.name = "";
	slurm.partition = "gpu";
	expect("  name          -, partition gpu");
}
END_TEST

START_TEST(a_job_that_is_looked_at_runs_unless_it_is_suspended)
{
	struct job_look look = { .nodes = 1 };

	begin(PLAIN);
	report.source = "live";
	report.look = &look;
	report.slurm = &slurm;
	slurm.signal = 9; /* of a run before it */
	expect("  state         RUNNING, 01:00:00 on 1 node");
	slurm.state = "SUSPENDED";
	expect("  state         SUSPENDED, 01:00:00 on 1 node");
	report.look = NULL;
	slurm.state = "FAILED";
	expect("  state         FAILED, exit code 0, signal 9, 01:00:00 on 1 node");
	slurm.signal = 0;
	expect("  state         FAILED, exit code 0, 01:00:00 on 1 node");
}
END_TEST

START_TEST(two_nodes_are_listed_each)
{
	begin(PLAIN);
	records_take(NODE("c1", APP("")));
	records_take(NODE("c2", ""));
	expect("  by node       c1           read 2KiB, written 4KiB\n"
	       "                c2           read unknown, written unknown");
	records_end();
}
END_TEST

#define BAR(bars, share) "[\033[32m" bars "\033[0m" share "%] "
#define BARS_15 "|||||||||||||||"
#define NO_BARS "                              "

START_TEST(on_a_terminal_shares_are_bars)
{
	int host = terminal_make(100);

	begin(PLAIN);
	tone_init();
	records_take(NODE("c1", APP("")));
	records_take(NODE(
		"c2",
		",\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":6144,\"write_bytes\":6144}]"));
	expect("  by node       c1           " BAR(
		BARS_15 "               ",
		"  50") "read 2KiB, written 4KiB\n"
			"                c2           " BAR(BARS_15 BARS_15,
							    " 100") "read 6KiB, written 6KiB");
	records_end();
	begin("jobio/1 rd=1KiB/4 wr=0B/0 nodes=2/2 cores=- cpus=- prof=- fs=/a:nfs scope=job src=exit q=-");
	report.is_verbose = false;
	expect("  read          " BAR(
		BARS_15 BARS_15,
		" 100") "\033[1m1KiB\033[0m in 4 calls of 256B\n"
			"  written       " BAR(NO_BARS, "   0") "\033[1m0B\033[0m in 0 calls");
	begin("jobio/1 rd=1B/4 wr=0B/0 nodes=2/2 cores=- cpus=- prof=- fs=/a:nfs scope=job src=exit q=-");
	report.is_verbose = false;
	said_expect(print(job_print_text), "  read          " BAR(BARS_15 BARS_15, " 100"));
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":1}]"));
	records_take(NODE("c2", ""));
	said_expect(print(job_print_text), "c1           " BAR(BARS_15 BARS_15, " 100") "read 1B");
	records_end();
	/* of nothing there are no shares */
	begin("jobio/1 rd=0B/4 wr=-/- nodes=2/2 cores=- cpus=- prof=- fs=/a:nfs scope=job src=exit q=-");
	report.is_verbose = false;
	expect("  read          \033[1m0B\033[0m in 4 calls\n"
	       "  written       \033[1munknown\033[0m");
	begin("jobio/1 rd=1KiB/4 wr=-/- nodes=2/2 cores=- cpus=- prof=- fs=/a:nfs scope=job src=exit q=-");
	report.is_verbose = false;
	expect("  written       \033[1munknown\033[0m");
	begin(PLAIN);
	records_take(NODE("c1", ""));
	records_take(NODE(
		"c2",
		",\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/a\",\"read_bytes\":0}]"));
	expect("  by node       c1           read unknown, written unknown\n"
	       "                c2           read 0B, written unknown");
	records_end();
	terminal_read(host, printed, sizeof(printed));
}
END_TEST

/* One of something is more than nothing of it. */
START_TEST(one_byte_in_one_call_of_one_second_is_told)
{
	begin("jobio/1 rd=1B/1 wr=0B/0 of=all_files nodes=1/1 cores=- cpus=- prof=- fs=- scope=job src=bpf q=all_files peak=1B/0B chg=0/1");
	report.slurm = &slurm;
	slurm.elapsed_s = slurm.signal = 1;
	slurm.state = "FAILED";
	report.array_job = 1;
	report.array_task = 3;
	expect("job 7 (task 1_3 of array 1) on cluster c\n"
	       "  state         FAILED, exit code 0, signal 1, 00:00:01 on 1 node\n"
	       "  changed       1 settings, 0 put back\n"
	       "                read         1B in 1 calls, 1B a call");
	report.array_job = 0;
	report.het_job = 1;
	report.het_offset = 3;
	expect("job 7 (component 1+3 of job 1) on cluster c");
	report.is_verbose = false;
	expect("  read          1B in 1 calls of 1B, of all files, pipes and sockets; at most 1B/s on a node");
	begin(PLAIN);
	report.is_verbose = false;
	records_take(SHORT_NODE(
		"01",
		",\"app\":[" OF_BPF(
			"/a",
			"\"read_bytes\":1,\"read_calls\":1,\"timeline\":{\"start\":1795224800,\"width_s\":1,\"read_bytes\":[1],\"write_bytes\":[],\"calls\":[1]}") "]"));
	expect("  read          1KiB in 3 calls of 341B, 1KiB/s over the 1.0 s in which it did");
	records_end();
	begin(PLAIN);
	records_take(SHORT_NODE(
		"01",
		",\"app\":[" OF_BPF(
			"/a", "\"read_bytes\":1,\"read_calls\":1,\"meta\":{\"open\":1}") "]"));
	expect("                read         1B in 1 calls, 1B a call, 1B/s over the job's 1.0 s\n"
	       "                metadata     open 1; 1/s over the job's 1.0 s");
	records_end();
}
END_TEST

START_TEST(one_request_of_a_client_is_told)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		WIRE(",\"meta_calls\":1,\"meta_us\":1000,\"read_us\":0,\"resent\":1,\"backlog\":1,\"copies\":1")));
	expect("                took         a read 0ns, a write unknown, another operation 1ms: on average\n"
	       "                sent again   1 requests; waiting to be sent: unknown, all together\n"
	       "                backlog      1 requests waited for a free slot, added up whenever one was sent\n"
	       "                copies       1 operations: what the server copied by itself crossed no wire");
	records_end();
	begin(PLAIN);
	records_take(NODE("c1", WIRE(",\"queue_us\":1")));
	expect("                sent again   unknown requests; waiting to be sent: 1us, all together");
	records_end();
}
END_TEST

/* ---- when it was moved -------------------------------------------------------------- */

#define ROWS(read)                                                                                 \
	",\"app\":[" OF_BPF("/a",                                                                  \
			    "\"read_bytes\":8000000,\"read_calls\":1,\"timeline\":{"               \
			    "\"start\":1795224864,\"width_s\":2,"                                  \
			    "\"read_bytes\":[" read "],\"write_bytes\":[],\"calls\":[1]}") "]"

/* Of the longest timeline, too, each side has its own. */
START_TEST(seconds_of_reading_are_none_of_writing)
{
	char zeros[2 * TIMELINE_ROWS] = "", *text;
	int i;

	for (i = 1; i < TIMELINE_ROWS; i++)
		strcat(zeros, "0,");
	ck_assert_int_gt(
		asprintf(
			&text,
			NODE("c1",
			     ",\"app\":[" OF_BPF(
				     "/a",
				     "\"read_bytes\":5,\"write_bytes\":3,\"timeline\":{\"start\":1795224862,\"width_s\":1,\"read_bytes\":[%s5],\"write_bytes\":[3],\"calls\":[]}") "]"),
			zeros),
		0);
	begin(PLAIN);
	records_take(text);
	free(text);
	expect("                read         5B, 5B/s over the 1.0 s in which it did\n"
	       "                written      3B, 3B/s over the 1.0 s in which it did");
	records_end();
}
END_TEST

START_TEST(a_timeline_says_what_it_looks_like)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"app\":[" OF_BPF(
			"/a",
			"\"read_bytes\":7,\"timeline\":{\"start\":1795224862,\"width_s\":2,\"read_bytes\":[4,3],\"write_bytes\":[],\"calls\":[]}") "]"));
	said_expect(print(job_print_text), "timeline     |#*");
	said_expect(printed, "| 2 s each, at most 4B\n");
	records_end();
	begin(PLAIN);
	records_take(NODE(
		"c1",
		ROWS("4000000,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4000000")));
	expect("                timeline     | #                               #                | 2 s each, at most 3.81MiB; 2 bursts");
	records_end();
	begin(PLAIN);
	records_take(NODE("c1", ROWS("0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,8000000")));
	expect("                timeline     |                         #                        | 2 s each, at most 7.63MiB; 1 burst");
	records_end();
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"app\":[" OF_BPF(
			"/a",
			"\"read_bytes\":0,\"read_calls\":1,\"timeline\":{\"start\":1795224864,\"width_s\":2,\"read_bytes\":[],\"write_bytes\":[],\"calls\":[1]}") "]"));
	expect_no("timeline");
	records_end();
}
END_TEST

/* ---- several tasks ------------------------------------------------------------------ */

static struct job_report tasks[3];
static struct job_report *const family[] = { &tasks[0], &tasks[1], &tasks[2] };

static void task(size_t at, const char *id, const char *summary)
{
	begin(summary);
	tasks[at] = report;
	tasks[at].id = (char *)id;
}

static const char *print_family(const char *id, size_t count, size_t unknown)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	job_print_family(id, family, count, unknown, out);
	fclose(out);
	return printed;
}

START_TEST(tasks_of_an_array_are_their_sum_and_a_line_each)
{
	task(0, "5_1",
	     "jobio/1 not=profile rd=1KiB/3 wr=2KiB/4 of=all_files nodes=1/2 cores=- cpus=- prof=- fs=- scope=node src=exit q=all_files");
	task(1, "5_2",
	     "jobio/1 not=gate rd=3KiB/5 wr=-/- nodes=2/2 cores=- cpus=- prof=- fs=- scope=job src=bpf q=-");
	task(2, "5_3",
	     "jobio/1 rd=-/- wr=1KiB/1 nodes=3/- cores=- cpus=- prof=- fs=- scope=job src=bpf q=-");
	slurm.user = "alice";
	slurm.state = "FAILED";
	tasks[0].slurm = &slurm;
	ck_assert_str_eq(
		print_family("5", 3, 2),
		"job 5: 3 tasks of an array on cluster c, user alice; not given: profile, cores apart from the client's\n"
		"  total         read 4KiB in 8 calls, written 3KiB in 5\n"
		"  5_1           read 1KiB in 3 calls, written 2KiB in 4; 1 of 2 nodes; NODE-WIDE; not given: profile; FAILED\n"
		"  5_2           read 3KiB in 5 calls, written unknown in unknown; not given: cores apart from the client's\n"
		"  5_3           read unknown in unknown calls, written 1KiB in 1\n"
		"  quality       counts every file, pipe and socket, not only the client's files\n"
		"  note          nothing is known of 2 more\n"
		"  note          one in full: jobio report 5_1\n");
}
END_TEST

START_TEST(components_without_a_cluster_are_no_tasks)
{
	task(0, "7+0", PLAIN);
	task(1, "7+1", PLAIN);
	tasks[0].cluster = NULL;
	ck_assert_str_eq(print_family("7", 2, 0),
			 "job 7: 2 components\n"
			 "  total         read 2KiB in 6 calls, written 4KiB in 8\n"
			 "  7+0           read 1KiB in 3 calls, written 2KiB in 4\n"
			 "  7+1           read 1KiB in 3 calls, written 2KiB in 4\n"
			 "  note          one in full: jobio report 7+0\n");
	/* whatever another report is of */
	tasks[1].cluster = (char *)"d";
	task(0, "5_1", PLAIN);
	said_expect(print_family("5", 1, 0), "job 5: 1 tasks of an array on cluster c\n");
}
END_TEST

START_TEST(a_sum_is_node_wide_where_one_of_them_is)
{
	struct summary sum;

	task(0, "5_1", PLAIN);
	task(1, "5_2", PLAIN);
	job_family_sum(family, 2, &sum);
	ck_assert_int_eq(sum.scope, SUMMARY_SCOPE_JOB);
	tasks[0].summary.scope = SUMMARY_SCOPE_NODE;
	job_family_sum(family, 2, &sum);
	ck_assert_int_eq(sum.scope, SUMMARY_SCOPE_NODE);
	tasks[0].summary.scope = SUMMARY_SCOPE_JOB;
	tasks[1].summary.scope = SUMMARY_SCOPE_NODE;
	job_family_sum(family, 2, &sum);
	ck_assert_int_eq(sum.scope, SUMMARY_SCOPE_NODE);
}
END_TEST

/* ---- CSV and JSON ------------------------------------------------------------------- */

/* What somebody's accounting reads by number stays where it is: a new column is
 * the last one here, in job_csv.c and in jobio-report(5). */
static const char columns[] =
	"job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,cpus,profile,read_bytes,read_calls,write_bytes,write_calls,scope,counted_by,quality,peak_read_Bps,peak_write_Bps,name,user,account,partition,state,exit_code,start,end,elapsed_s,nodes,advice,job_id,array_job,array_task,het_job,het_offset,signal,metadata_calls,filesystems,findings,gate_warned_tasks,gate_refused_tasks\n";

static int count_commas(const char *text)
{
	bool is_quoted = false;
	int count = 0;

	for (; *text; text++) {
		is_quoted ^= *text == '"';
		count += *text == ',' && !is_quoted;
	}
	return count;
}

START_TEST(columns_of_csv_keep_their_names_and_places)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	job_print_csv_head(out);
	fclose(out);
	ck_assert_str_eq(printed, columns);
	begin(PLAIN);
	print(job_print_csv);
	ck_assert_int_eq(count_commas(printed), count_commas(columns));
	records_end();
}
END_TEST

START_TEST(a_line_of_csv_has_what_the_job_is_a_part_of_and_what_was_found)
{
	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=2/2 cores=- cpus=- prof=- fs=/mnt/weka:wekafs scope=job src=bpf q=- meta=12 gate=warn:3,refuse:1");
	report.job = 28;
	report.array_job = 25;
	report.array_task = 0;
	report.het_job = RECORD_UNKNOWN;
	report.slurm = &slurm;
	slurm.signal = 9;
	records_take(NODE(
		"c1",
		",\"findings\":[{\"code\":\"W01\",\"severity\":\"error\"},{\"code\":\"W07\",\"severity\":\"info\"}]"));
	records_take(NODE(
		"c2",
		",\"findings\":[{\"code\":\"W07\",\"severity\":\"error\"},{\"code\":\"W01\",\"severity\":\"info\"},{\"code\":\"N\\\"1\",\"severity\":\"info\"}]"));
	print(job_print_csv);
	ck_assert_ptr_nonnull(strstr(
		printed, ",\"\",28,25,0,,,9,12,\"/mnt/weka:wekafs\",\"W01 W07 N\"\"1\",3,1\n"));
	/* without a ledger sacct has the number */
	report.job = 0;
	slurm.raw_id = "29";
	print(job_print_csv);
	ck_assert_ptr_nonnull(strstr(printed, ",\"\",29,25,0,,,9,12,"));
	slurm.raw_id = "0";
	print(job_print_csv);
	ck_assert_ptr_nonnull(strstr(printed, ",\"\",,25,0,,,9,12,"));
	slurm.raw_id = "1";
	report.array_job = 1;
	print(job_print_csv);
	ck_assert_ptr_nonnull(strstr(printed, ",\"\",1,1,0,,,9,12,"));
	records_end();
}
END_TEST

START_TEST(a_line_of_csv_has_64_codes_of_findings_at_most)
{
	char list[64 * 60] = "", one[60], words[64 * 4 + 3] = ",\"", *text;
	int i;

	for (i = 0; i < 64; i++) {
		snprintf(one, sizeof(one), "%s{\"code\":\"X%d\",\"severity\":\"info\"}",
			 i ? "," : "", i);
		strcat(list, one);
		snprintf(one, sizeof(one), "%sX%d", i ? " " : "", i);
		strcat(words, one);
	}
	begin(PLAIN);
	ck_assert_int_gt(asprintf(&text, NODE("c1", ",\"findings\":[%s]"), list), 0);
	records_take(text);
	free(text);
	records_take(NODE(
		"c2",
		",\"findings\":[{\"code\":\"X64\",\"severity\":\"info\"},{\"code\":\"X7\",\"severity\":\"info\"}]"));
	strcat(words, "\",");
	print(job_print_csv);
	ck_assert_msg(strstr(printed, words) != NULL, "%s", printed);
	records_end();
}
END_TEST

START_TEST(a_line_of_csv_has_all_columns)
{
	begin("jobio/1 rd=1KiB/3 wr=2KiB/4 nodes=2/3 cores=1 cpus=7,15 prof=stream fs=- scope=node src=bpf q=all_files,other peak=512B/1KiB");
	print(job_print_csv);
	ck_assert_str_eq(
		printed,
		"\"7\",\"c\",0,\"ledger\",2,3,\"1\",\"7,15\",\"stream\",1024,3,2048,4,\"node\",\"bpf\",\"all_files other\",512,1024,\"\",\"\",\"\",\"\",\"\",,,,,3,\"\",,,,,,,,\"\",\"\",0,0\n");
	report.id = (char *)"a\"b";
	report.cluster = NULL;
	report.restart = RECORD_UNKNOWN;
	report.summary.peak_rd = report.summary.peak_wr = -1;
	report.summary.flags = 0;
	report.summary.scope = SUMMARY_SCOPE_NONE;
	print(job_print_csv);
	ck_assert_str_eq(
		printed,
		"\"a\"\"b\",\"\",,\"ledger\",2,3,\"1\",\"7,15\",\"stream\",1024,3,2048,4,\"\",\"bpf\",\"\",,,\"\",\"\",\"\",\"\",\"\",,,,,3,\"\",,,,,,,,\"\",\"\",0,0\n");
	records_end();
}
END_TEST

START_TEST(json_is_the_answer_of_the_ledger_or_what_sacct_knows)
{
	begin(PLAIN);
	report.json = (char *)"{\"ok\":true,\"job\":7,\"x\":\"a\xe2\x80\xae\"}";
	print(job_print_json);
	ck_assert_str_eq(
		printed,
		"{\"job\":7,\"x\":\"a\\u202e\",\"id\":\"7\",\"source\":\"ledger\",\"slurm\":null}");
	report.json = NULL;
	report.source = "sacct";
	report.slurm = &slurm;
	print(job_print_json);
	ck_assert_ptr_nonnull(strstr(printed, "\"slurm\":{\"name\":null,\"user\":null,"));
	ck_assert_ptr_nonnull(strstr(printed, "\"state\":\"COMPLETED\""));
	ck_assert_ptr_nonnull(strstr(printed, "\"totals\":{\"read_bytes\":1024"));
	ck_assert_ptr_nonnull(strstr(printed, "\"summary\":\"" PLAIN "\""));
	ck_assert_ptr_null(strstr(printed, "advice"));
	records_end();
}
END_TEST

START_TEST(what_is_no_character_is_a_question_mark_in_json)
{
	begin(PLAIN);
	report.id = (char *)"7\xff"
			    "8\xc3";
	said_expect(print(job_print_json), "{\"id\":\"7?8?\",\"source\":");
}
END_TEST

START_TEST(numbers_that_nobody_knows_are_unknown)
{
	char out[16];

	ck_assert_str_eq(job_bytes(-1, out), "unknown");
	ck_assert_str_eq(job_bytes(0, out), "0B");
	ck_assert_str_eq(job_bytes(1300000000, out), "1.21GiB");
	ck_assert_str_eq(job_count(-1, out), "unknown");
	ck_assert_str_eq(job_count(0, out), "0");
	ck_assert_str_eq(job_count(3400000, out), "3.4M");
}
END_TEST

/* Timelines are one for each line of I/O that has one, of each scope. */
START_TEST(json_has_the_timelines_unless_records_are_left_out)
{
	begin(PLAIN);
	records_take(NODE(
		"c1",
		",\"app\":[" OF_BPF("/old", "\"read_bytes\":1") "," OF_BPF(
			"/a",
			TIMED) "],\"wire\":[{\"scope\":\"node\",\"source\":\"weka\",\"client\":\"w\",\"fs\":\"/a\"," TIMED
			       "}]"));
	print(job_print_json);
	said_expect(
		printed,
		"\"timelines\":[{\"fs\":\"/a\",\"source\":\"bpf\",\"scope\":\"job\",\"nodes\":1,\"start\":1795224864,\"width_s\":2,\"read_bytes\":[1024,0],\"write_bytes\":[0,2048],\"calls\":[1,1]},{\"fs\":\"/a\",\"source\":\"weka\",\"scope\":\"node\",\"nodes\":1,\"start\":1795224864,\"width_s\":2,\"read_bytes\":[1024,0],\"write_bytes\":[0,2048],\"calls\":[1,1]}]");
	ck_assert_ptr_null(strstr(printed, "advice"));
	report.left_out = 1;
	print(job_print_json);
	said_expect(printed, "\"timelines\":null");
	records_end();
	begin(PLAIN);
	records_take(NODE("c1", ",\"app\":[" OF_BPF("/a", TIMED) "]"));
	print(job_print_json);
	said_expect(printed, "\"timelines\":[{\"fs\":\"/a\",");
	records_end();
}
END_TEST

/* ---- advice ------------------------------------------------------------------------- */

/* A node of a job that reads so many filesystems in small pieces: an advice each. */
static void take_small_reads(const char *node, int filesystems)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int i;

	fprintf(out,
		"{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"node\":\"%s\",\"uid\":1000," START
		"\"end\":1795224962,\"client\":{\"name\":\"home\",\"type\":\"nfs\",\"version\":\"4.2\",\"cpus\":\"\",\"mounts\":[",
		node);
	for (i = 0; i < filesystems; i++)
		fprintf(out, "%s{\"mount\":\"/m%d\",\"fstype\":\"nfs4\",\"source\":\"s:/\"}",
			i ? "," : "", i);
	fputs("]},\"app\":[", out);
	for (i = 0; i < filesystems; i++)
		fprintf(out,
			"%s{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/m%d\",\"read_bytes\":45056000,\"read_calls\":11000,\"write_bytes\":0,\"write_calls\":0,\"read_us\":1600000000,\"read_sizes\":[0,0,0,0,0,0,0,0,0,0,0,0,11000]}",
			i ? "," : "", i);
	fputs("]}", out);
	ck_assert_int_eq(fclose(out), 0);
	records_take(text);
	free(text);
}

static void begin_advised(int filesystems)
{
	begin(PLAIN);
	report.is_verbose = false;
	report.advice = ADVICE_WANT_FIRST;
	config_advice_init(&limits);
	take_small_reads("c1", filesystems);
}

START_TEST(advice_is_five_lines_unless_all_of_it_is_wanted)
{
	begin_advised(2);
	said_expect(
		print(job_print_text),
		"  advice        A01 on /m0: 11000 reads of 4.0 KiB on average, 110 a second on a node; ");
	records_end();
	begin_advised(5);
	ck_assert_int_eq(times("A01 on /m"), 5);
	expect_no("more: --advice=all");
	records_end();
	begin_advised(7);
	expect("                and 3 more: --advice=all");
	ck_assert_int_eq(times("A01 on /m"), 4);
	report.advice = ADVICE_WANT_ALL;
	ck_assert_int_eq(times("A01 on /m"), 7);
	expect_no("more: --advice=all");
	report.advice = ADVICE_WANT_NONE;
	expect_no("A01");
	records_end();
}
END_TEST

START_TEST(json_and_csv_have_all_advice_that_there_is)
{
	begin_advised(2);
	print(job_print_json);
	said_expect(printed, "\"advice\":[{\"code\":\"A01\",\"fs\":\"/m0\",");
	said_expect(printed, "},{\"code\":\"A01\",\"fs\":\"/m1\",");
	print(job_print_csv);
	said_expect(printed, ",\"A01 A01\",");
	limits.min_seconds = 1000;
	limits.min_calls = 100000;
	print(job_print_json);
	said_expect(printed, "\"advice\":null");
	expect("  advice        too little to judge: not 1000 s, 1024 MiB or 100000 calls of this job alone on a client's filesystem");
	records_end();
	begin(PLAIN);
	report.advice = ADVICE_WANT_FIRST;
	print(job_print_json);
	ck_assert_ptr_null(strstr(printed, "advice"));
}
END_TEST

START_TEST(nodes_are_compared_when_all_of_them_have_reported)
{
	begin_advised(1);
	take_small_reads("c2", 0);
	limits.min_mib = 1;
	report.summary.nodes_seen = report.summary.nodes_expected = 2;
	ck_assert_int_eq(times(" A26: c1 moved"), 1);
	report.summary.nodes_seen = 1;
	expect_no(" A26: ");
	report.summary.nodes_seen = 2;
	report.left_out = 1;
	expect_no(" A26: ");
	report.left_out = 0;
	report.summary.nodes_expected = RECORD_UNKNOWN;
	expect_no(" A26: ");
	/* of none nobody is missing */
	report.summary.nodes_expected = 0;
	ck_assert_int_eq(times(" A26: c1 moved"), 1);
	records_end();
}
END_TEST

/* What a command says to stderr is in the file "said". */
START_TEST(advice_goes_by_jobio_conf_and_its_calibration)
{
	struct config *config = NULL;
	struct err why = { "" };
	char text[1000];
	const char *conf;

	tempdir_make();
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	tempdir_put("numbers", "[advice]\ncore_read_mbs = 5\n");
	snprintf(text, sizeof(text), "[advice]\nmin_calls = 3\ncalibration = %s/numbers\n",
		 tempdir_name);
	conf = tempdir_put("jobio.conf", text);
	ck_assert_int_eq(job_advice_config(&config, &limits, conf, "report", &why), COMMAND_OK);
	ck_assert_uint_eq(limits.core_read_mbs, 5);
	ck_assert_uint_eq(limits.min_calls, 3);
	config_free(config);
	fflush(stderr);
	tempdir_expect("said", "");
	ck_assert_int_eq(unlink(tempdir_path("numbers")), 0);
	ck_assert_int_eq(job_advice_config(&config, &limits, conf, "report", &why), COMMAND_OK);
	ck_assert_uint_gt(limits.core_read_mbs, 5);
	ck_assert_uint_eq(limits.min_calls, 3);
	config_free(config);
	fflush(stderr);
	snprintf(
		text, sizeof(text),
		"jobio: report: %s/jobio.conf: [advice] calibration: '%s/numbers': cannot read: No such file or directory; its numbers are not used\n",
		tempdir_name, tempdir_name);
	tempdir_expect("said", text);
	tempdir_remove();
}
END_TEST

START_TEST(a_jobio_conf_that_was_named_must_be_there)
{
	struct config *config = NULL;
	struct err why = { "" };

	tempdir_make();
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
	ck_assert_int_eq(job_advice_config(&config, &limits, tempdir_path("none"), "report", &why),
			 COMMAND_USAGE);
	ck_assert_ptr_null(config);
	/* in the usual place it need not be, but nobody may hide it */
	usual_errno = ENOENT;
	ck_assert_int_eq(job_advice_config(&config, &limits, NULL, "report", &why), COMMAND_OK);
	ck_assert_ptr_null(config);
	ck_assert_uint_eq(limits.min_mib, 1024);
	usual_errno = EACCES;
	ck_assert_int_eq(job_advice_config(&config, &limits, NULL, "report", &why), COMMAND_FAILED);
	ck_assert_int_eq(job_advice_config(&config, &limits, tempdir_path("none"), "report", &why),
			 COMMAND_USAGE);
	said_expect(why.text, "/none': cannot read: No such file or directory");
	tempdir_remove();
}
END_TEST

UNIT_MAIN(
	"report", a_report_without_records_says_what_the_summary_says,
	the_head_says_which_job_of_which_family_it_is,
	the_time_is_from_the_first_start_to_the_last_end,
	what_was_not_given_is_said_once_with_its_nodes, a_long_list_of_nodes_is_cut,
	a_request_says_what_was_asked_for, cores_that_differ_are_told_of_each_node,
	clients_of_one_version_are_one_line, each_card_is_told_once_whichever_client_has_it,
	a_change_is_told_once_with_how_it_ended,
	a_finding_is_told_once_and_briefly_to_who_can_mend_it,
	a_rate_is_of_the_seconds_in_which_something_was_moved,
	numbers_have_rates_peaks_and_histograms,
	in_short_there_is_a_mean_where_there_are_bytes_and_calls,
	the_time_of_a_long_job_is_written_out, lines_that_are_too_many_are_counted,
	all_files_are_not_the_clients, what_the_client_moved_is_told_with_what_it_tells_besides,
	how_what_a_client_moved_relates_to_what_was_asked_for_is_told,
	nodes_are_listed_and_the_busiest_is_named, what_is_not_whole_is_noted,
	of_a_job_that_runs_it_is_told_what_is_not_known_yet,
	tasks_of_an_array_are_their_sum_and_a_line_each, components_without_a_cluster_are_no_tasks,
	a_sum_is_node_wide_where_one_of_them_is, columns_of_csv_keep_their_names_and_places,
	a_line_of_csv_has_what_the_job_is_a_part_of_and_what_was_found,
	a_line_of_csv_has_64_codes_of_findings_at_most, a_line_of_csv_has_all_columns,
	json_is_the_answer_of_the_ledger_or_what_sacct_knows, numbers_that_nobody_knows_are_unknown,
	none_is_a_number_and_not_unknown, none_of_a_client_is_a_number_and_not_unknown,
	a_histogram_begins_with_its_first_bin_that_has_some,
	below_ten_seconds_a_rate_has_their_tenths, of_nothing_there_is_no_mean,
	the_seconds_are_those_of_all_filesystems_of_all_nodes,
	a_peak_of_nothing_is_told_beside_what_was_moved,
	in_short_the_nodes_are_told_where_some_are_missing, a_run_of_1970_is_one_of_an_unset_clock,
	a_job_without_a_name_has_a_partition, a_job_that_is_looked_at_runs_unless_it_is_suspended,
	two_nodes_are_listed_each, on_a_terminal_shares_are_bars,
	seconds_of_reading_are_none_of_writing, what_is_no_character_is_a_question_mark_in_json,
	a_histogram_ends_where_numbers_do, a_start_that_was_not_given_is_told,
	a_timeline_says_what_it_looks_like, json_has_the_timelines_unless_records_are_left_out,
	advice_is_five_lines_unless_all_of_it_is_wanted, json_and_csv_have_all_advice_that_there_is,
	nodes_are_compared_when_all_of_them_have_reported,
	one_byte_in_one_call_of_one_second_is_told, one_request_of_a_client_is_told,
	advice_goes_by_jobio_conf_and_its_calibration, a_jobio_conf_that_was_named_must_be_there)
