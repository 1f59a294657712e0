/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of clients, as their kernels and daemons print them: Lustre's stats, NFS's
 * mountstats, Storage Scale's mmpmon and mmdiag -Y. A row is a text and the result of
 * parsing it: "KEY=NUMBER ..", "?" for an unknown number; or "damaged". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/gpfs/mmpmon.h"
#include "client/gpfs/y.h"
#include "client/lustre/stats.h"
#include "client/nfs/stats.h"
#include "client/weka/counters.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"

#define MOST "9223372036854775807"
#define UNDERFLOW "18446744073709551615"

struct row {
	const char *text, *want;
};

typedef int64_t (*getter)(const void *of, const char *key);

static void expect_words(const void *of, getter get, const char *want, const char *text)
{
	char words[256], *word, *rest, *value, have[24];
	int64_t number;

	snprintf(words, sizeof(words), "%s", want);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		value = strchr(word, '=');
		*value++ = '\0';
		number = get(of, word);
		snprintf(have, sizeof(have), "%lld", (long long)number);
		ck_assert_msg(!strcmp(number < 0 ? "?" : have, value), "%s is %s, not %s, in: %s",
			      word, have, value, text);
	}
}

/* ---- Lustre ------------------------------------------------------------------ */

static int64_t lustre_get(const void *of, const char *key)
{
	static const struct {
		const char *key;
		enum io_number kind;
	} kinds[] = { { "asked_read", IO_ASKED_READ_BYTES },
		      { "asked_write", IO_ASKED_WRITE_BYTES },
		      { "read_bytes", IO_READ_BYTES },
		      { "write_bytes", IO_WRITE_BYTES },
		      { "reads", IO_READ_CALLS },
		      { "writes", IO_WRITE_CALLS },
		      { "read_us", IO_READ_US },
		      { "write_us", IO_WRITE_US },
		      { "meta", IO_META_CALLS },
		      { "meta_us", IO_META_US },
		      { "resent", IO_RESENT } };
	const struct lustre_stats *stats = of;
	size_t i;

	for (i = 0; i < ROWS(kinds) && strcmp(kinds[i].key, key) != 0; i++)
		;
	ck_assert_msg(i < ROWS(kinds), "%s", key);
	return stats->count[kinds[i].kind];
}

static void lustre(enum tree_kind kind, const struct row *rows, size_t count)
{
	struct lustre_stats stats;
	size_t i;
	int rc;

	for (i = 0; i < count; i++) {
		rc = lustre_stats_parse(rows[i].text, kind, &stats);
		ck_assert_msg((rc < 0) == !strcmp(rows[i].want, "damaged"), "%d of: %s", rc,
			      rows[i].text);
		if (rc == 0)
			expect_words(&stats, lustre_get, rows[i].want, rows[i].text);
	}
}

#define TIMES "2 samples [usec] 1 4 5\n"
#define SIZES "2 samples [bytes] 1 4 6\n"
#define ALL_LINES "read_bytes " SIZES "write_bytes " SIZES "ost_read " TIMES "ost_write " TIMES

START_TEST(counters_of_an_ost_are_bytes_and_calls_over_the_network)
{
	static const struct row rows[] = {
		{ ALL_LINES, "read_bytes=6 write_bytes=6 reads=2 writes=2 read_us=5 write_us=5" },
		{ ALL_LINES, "asked_read=0 meta=0 resent=?" },
		{ "req_waittime " TIMES, "meta=0" },
		{ "open 7 samples [regs]\n", "reads=0" },
		{ "read_bytes 0 samples [bytes] 0 0 0 0\n", "reads=0 read_bytes=0" },
		/* on a busy client a sum of squares wraps to 0 */
		{ "read_bytes 2 samples [bytes] 1 4 5 17\n", "reads=2" },
		{ "read_bytes 2 samples [bytes] 1 4 5 -17\n", "reads=2" },
		{ "read_bytes 2 samples [bytes] 1 4 5 " UNDERFLOW "\n", "reads=2 read_bytes=5" },
		/* columns of a later release */
		{ "read_bytes 2 samples [bytes] 1 4 5 17 9 -9 0\n", "reads=2 read_bytes=5" },
		/* a sum that has overflowed is unknown; the number of samples is known */
		{ "write_bytes 2 samples [bytes] 4096 4096 " MOST " 1\n",
		  "write_bytes=? writes=2" },
		/* the clock was set back */
		{ "read_bytes 4 samples [bytes] 4 4 16\nost_read 4 samples [usec] -500 3 -499\n",
		  "reads=4 read_us=?" },
		/* truncated: no request follows ost_write, and the lines have fewer than req_waittime */
		{ "req_waittime 4 samples [usec] 1 4 9\nread_bytes " SIZES "ost_read " TIMES,
		  "read_bytes=? reads=? write_bytes=? meta=0" },
		{ "req_waittime 2 samples [usec] 1 4 9\nread_bytes " SIZES "ost_read " TIMES,
		  "reads=2 writes=0" },
		{ "req_waittime 4 samples [usec] 1 4 9\nost_connect 1 samples [usec] 1 1 1\n",
		  "reads=0" },
		/* a sum may include a few samples that are not counted yet */
		{ "read_bytes 1 samples [bytes] 0 10 10250\n", "reads=1" },
		{ "read_bytes 1 samples [bytes] 0 10 10251\n", "damaged" },
	};

	lustre(TREE_OSC, rows, ROWS(rows));
}
END_TEST

START_TEST(llite_counts_requested_bytes_and_an_mdt_requests_for_metadata)
{
	static const struct row llite[] = {
		{ ALL_LINES, "asked_read=6 asked_write=6 reads=0 read_us=0 read_bytes=0" },
		{ "hybrid_read_bytes " SIZES "cached_read_bytes " SIZES "read_bytes " SIZES
		  "open " TIMES,
		  "asked_read=6" },
	};
	static const struct row mdc[] = {
		{ ALL_LINES, "read_bytes=6 writes=2 write_us=5" },
		{ "req_waittime 20 samples [usecs] 1 9 90\nobd_ping 2 samples [usecs] 1 4 5\n"
		  "ost_read 3 samples [usec] 1 9 7\nost_write 4 samples [usec] 1 9 8\n",
		  "meta=11 meta_us=70" },
		{ "req_waittime 1 samples [usec] 1 9 9\nobd_ping " TIMES, "meta=? meta_us=?" },
		{ "req_waittime 9 samples [usec] 1 9 4\nobd_ping " TIMES, "meta=7 meta_us=?" },
		{ "req_waittime 9 samples [usec] 20 90 500 1\nobd_ping 2 samples [usec] -7 90 83 1\n",
		  "meta=7 meta_us=?" },
		{ "obd_ping 20 samples [usec] 40 90 1000 1\n", "meta=? meta_us=?" },
	};

	lustre(TREE_LLITE, llite, ROWS(llite));
	lustre(TREE_MDC, mdc, ROWS(mdc));
}
END_TEST

START_TEST(damaged_statistics_are_refused)
{
	static const char *const rest[] = { "2",
					    "2 samples",
					    "2 samples [bytes]",
					    "2 samples [bytes] 1 4",
					    "2 sample [bytes] 1 4 5",
					    "2 samples bytes] 1 4 5",
					    "2 samples [bytes 1 4 5",
					    "2 samples [pages] 1 4 5",
					    "2 samples [usec] 1 4 5",
					    "x samples [bytes] 1 4 5",
					    "-2 samples [bytes] 1 4 5",
					    "+2 samples [bytes] 1 4 5",
					    "9223372036854775808 samples [bytes] 1 4 5",
					    "2 samples [bytes] x 4 5",
					    "2 samples [bytes] 1 x 5",
					    "2 samples [bytes] 1 4 5x",
					    "2 samples [bytes] 1 4 5 -",
					    "2 samples [bytes] 1 4 5 9x",
					    "2 samples [bytes] -1 4 5",
					    "2 samples [bytes] 1 4 -5" };
	static const struct row rows[] = {
		{ "", "damaged" },
		{ "\n", "damaged" },
		{ "nonsense\n", "damaged" },
		{ "start_times 5\n", "damaged" },
		{ ": 5\n", "damaged" },
		{ "ioctl 262 samples [reqs\n", "damaged" },
		{ "read_bytes " SIZES "read_bytes " SIZES, "damaged" }, /* twice */
		{ "ost_read " TIMES "ost_read " TIMES, "damaged" },
		{ "read_bytes 2 samples [bytes] 1 4 5 9 write_bytes\n", "damaged" },
		{ "ost_read 2 samples [msecs] 1 4 5\n", "damaged" },
		{ "start_time 5.5 secs.nsecs\nread_bytes 2 samples [bytes] 1 4 5", "damaged" },
	};
	char line[200];
	struct lustre_stats stats;
	size_t i;

	lustre(TREE_OSC, rows, ROWS(rows));
	for (i = 0; i < ROWS(rest); i++) {
		snprintf(line, sizeof(line), "read_bytes %s\n", rest[i]);
		ck_assert_msg(lustre_stats_parse(line, TREE_OSC, &stats) < 0, "%s", line);
	}
}
END_TEST

START_TEST(statistics_have_the_start_time_of_the_kernel)
{
	static const struct row rows[] = {
		{ "snapshot_time 7.1 secs.nsecs\nstart_time 5.9 secs.nsecs\n", "5.9" },
		{ "start_time 1 secs.nsecs\n", "1" },
		{ "snapshot_time 7.1 secs.usecs\n", "" }, /* before 2.15 */
		{ "start_time @\n", "" },
		{ "start_time 0.000000000 secs.nsecs\n", "" },
	};
	struct lustre_stats stats;
	size_t i;

	for (i = 0; i < ROWS(rows); i++) {
		ck_assert_int_eq(lustre_stats_parse(rows[i].text, TREE_OSC, &stats), 0);
		ck_assert_str_eq(stats.epoch, rows[i].want);
	}
}
END_TEST

/* ---- truncated texts ------------------------------------------------------- */

/* Reads the numbers of a text; false: it is damaged. */
typedef bool (*reader)(const char *text, size_t size, int64_t numbers[CLIENT_IO_NUMBERS]);

/* Truncated at each byte from 'least' on, a text must have the same numbers or unknown ones. */
static void expect_no_other(reader read, const char *text, size_t least, const char *name)
{
	int64_t whole[CLIENT_IO_NUMBERS], part[CLIENT_IO_NUMBERS];
	size_t size = strlen(text);
	char *cut = strdup(text);
	int kind;

	ck_assert_msg(read(text, size, whole), "%s", name);
	while (size-- > least) {
		cut[size] = '\0';
		for (kind = 0; kind < CLIENT_IO_NUMBERS && read(cut, size, part); kind++)
			ck_assert_msg(part[kind] == IO_UNKNOWN || part[kind] == whole[kind],
				      "%s: %lld, not %lld of %d, in: %s", name,
				      (long long)part[kind], (long long)whole[kind], kind, cut);
	}
	free(cut);
}

static enum tree_kind device_kind;

/* Statistics without any counter are those of a device that was cleared: all are 0. */
static bool read_lustre(const char *text, size_t size, int64_t numbers[CLIENT_IO_NUMBERS])
{
	struct lustre_stats stats;

	(void)size;
	if (!strstr(text, " samples ") || lustre_stats_parse(text, device_kind, &stats) < 0)
		return false;
	memcpy(numbers, stats.count, sizeof(stats.count));
	return true;
}

/* The line of the next parameter. */
static char *next_param(char *line)
{
	while (*line && strcspn(line, "=") > strcspn(line, " \n"))
		line += strcspn(line, "\n") + 1;
	return line;
}

START_TEST(truncated_statistics_of_lustre_are_unknown)
{
	static const char *const samples[] = { "lustre/get_param-2.10.txt",
					       "lustre/get_param-2.17.txt",
					       "lustre/stats-2.17.txt" };
	static const char *const kinds[] = { "llite.", "mdc.", "osc." };
	char *sample, *at, *body;
	size_t i, devices = 0;

	for (i = 0; i < ROWS(samples) * ROWS(kinds); i++) {
		sample = sample_read(samples[i / ROWS(kinds)]);
		device_kind = (enum tree_kind)(i % ROWS(kinds));
		for (at = sample; (at = strstr(at, kinds[device_kind])); at = body) {
			body = at + strcspn(at, "\n");
			if (strncmp(body - 7, ".stats=", 7) != 0)
				continue;
			at = next_param(body + 1);
			body = strndup(body + 1, (size_t)(at - body - 1));
			expect_no_other(read_lustre, body, 0, samples[i / ROWS(kinds)]);
			free(body);
			body = at - 1;
			devices++;
		}
		free(sample);
	}
	ck_assert_int_eq(devices, 15);
}
END_TEST

/* ---- NFS ------------------------------------------------------------------------ */

static int64_t nfs_get(const void *of, const char *key)
{
	const struct nfs_stats *s = of;
	const struct {
		const char *key;
		int64_t number;
	} all[] = { { "age", s->age_s },
		    { "asked_read", s->requested_read },
		    { "asked_write", s->requested_write },
		    { "read_bytes", s->read_bytes },
		    { "write_bytes", s->write_bytes },
		    { "reads", s->reads.count },
		    { "read_sent", s->reads.sent },
		    { "read_queue", s->reads.queue_ms },
		    { "read_rtt", s->reads.rtt_ms },
		    { "read_total", s->reads.total_ms },
		    { "writes", s->writes.count },
		    { "others", s->others.count },
		    { "other_sent", s->others.sent },
		    { "other_total", s->others.total_ms },
		    { "names", s->names },
		    { "copies", s->copies },
		    { "transports", (int64_t)s->transports },
		    { "waiting", nfs_stats_waiting(s) },
		    { "answered", nfs_stats_answered(s) },
		    { "backlog", s->transport[0].backlog } };
	size_t i;

	for (i = 0; i < ROWS(all) && strcmp(all[i].key, key) != 0; i++)
		;
	ck_assert_msg(i < ROWS(all), "%s", key);
	return all[i].number;
}

#define DEVICE "device s:/e mounted on /a with fstype nfs4 statvers=1.1\n"
#define OPS "\tper-op statistics\n\t  NULL: 1 1 0 44 24 0 0 0 0\n"
#define READ "\t  READ: 5 6 0 900 90 1 2 3 0\n"
#define WRITE "\t WRITE: 7 7 0 900 90 1 2 3 0\n"
#define ACCESS "\tACCESS: 9 9 0 900 90 1 2 3 0\n"
#define TCP "\txprt:\ttcp 0 0 1 0 2 40 30 0 44 5 8 0 1\n"
#define V3 "\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n"
#define LAYOUT(name) "\tnfsv4:\tbm0=0xfdff,acl=0x0,sessions,pnfs=" name ",lease_time=90\n"
#define EVENTS "\tevents:\t1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 "

/* The part of mountstats for the mount at /a: DEVICE, the row, an empty line (not after CUT). */
#define CUT "\v"
static void nfs(const struct row *rows, size_t count)
{
	struct nfs_stats stats;
	char text[8192];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), DEVICE "%s\n", rows[i].text);
		text[strcspn(text, CUT)] = '\0';
		ck_assert_int_eq(nfs_stats_find(text, "/a", &stats), 0);
		expect_words(&stats, nfs_get, rows[i].want, rows[i].text);
	}
}

START_TEST(operations_of_a_mount_are_unknown_if_a_line_is_missing_or_malformed)
{
	static const struct row rows[] = {
		{ OPS READ WRITE ACCESS, "reads=5 read_sent=6 writes=7 others=9 copies=0" },
		{ OPS READ WRITE ACCESS, "read_queue=1 read_rtt=2 read_total=3" },
		{ "", "reads=? writes=? others=? copies=? names=? age=? read_bytes=?" },
		{ OPS READ ACCESS, "reads=5 writes=? others=?" },
		{ V3 OPS ACCESS READ WRITE, "reads=5 writes=7 others=?" }, /* COMMIT is missing */
		{ V3 OPS "\tCOMMIT: 4 4 0 1 1 1 1 1\n" ACCESS READ WRITE, "others=13" },
		/* operations that no process waits for have no time */
		{ OPS READ WRITE "\tLOOKUP: 1 1 0 1 1 1 5 7\n\tDELEGRETURN: 2 2 0 1 1 1 90 100\n"
				 "\tCOMMIT: 2 2 0 1 1 1 90 100\n",
		  "others=5 other_total=7" },
		{ OPS "\t  READ: 5 6 0 900\n" WRITE ACCESS, "reads=? writes=7 others=9" },
		{ OPS READ "\t WRITE: 7 7 0 x 9 1 2 3\n" ACCESS, "reads=5 writes=? others=9" },
		{ OPS READ WRITE "\tACCESS: -9 9 0 9 9 1 2 3\n\tLOOKUP: 1 1 0 1 1 1 1 1\n",
		  "others=? names=?" },
		{ OPS "\t  READ: 5 6 0 9 9 1 2x 3 0\n" WRITE ACCESS, "reads=? writes=7" },
		{ OPS READ WRITE "\tACCESS: 900 900 0 900 90 1 2 3", "writes=7 others=?" },
		/* truncated between two lines */
		{ V3 OPS READ WRITE "\tCOMMIT: 4 4 0 1 1 1 1 1\n" CUT, "writes=7 others=?" },
		{ OPS READ WRITE ACCESS CUT, "reads=? writes=7 others=?" },
		{ V3 OPS READ WRITE CUT, "reads=5 writes=7 others=?" },
		/* READ twice: lines of another mount's part are missing between them */
		{ OPS READ READ WRITE ACCESS, "reads=? writes=? others=?" },
		/* a kernel's underflow makes this time unknown, and no other number */
		{ OPS "\tREAD: 5 6 0 9 9 1 " UNDERFLOW " 3\n" WRITE ACCESS,
		  "reads=5 read_rtt=? read_queue=1" },
		{ OPS READ WRITE ACCESS
		  "\tGETATTR: 20 20 0 1 1 1 1 1\n"
		  "\tLOOKUP: 300 300 0 1 1 1 1 1\n\tLOOKUP_ROOT: 4 4 0 1 1 1 1 1\n",
		  "others=333 names=329" },
		{ OPS READ WRITE ACCESS "\tLOOKUP: 9223372036854775798 1 0 1 1 1 1 1\n",
		  "others=" MOST },
		{ OPS READ WRITE ACCESS "\tLOOKUP: 9223372036854775799 1 0 1 1 1 1 1\n",
		  "others=?" },
		{ OPS READ WRITE ACCESS "\tCLONE: 3 3 0 8 9 0 1 1 1\n\tCOPY: 7 7 0 8 9 0 1 1 2\n",
		  "copies=7" },
		{ OPS READ WRITE ACCESS "\tCOPY: 7 7 0 8 9 0 1 1\n", "copies=?" },
	};

	nfs(rows, ROWS(rows));
}
END_TEST

START_TEST(bytes_transports_and_layouts_of_a_mount_are_read)
{
	static const struct row rows[] = {
		{ "\tage:\t90\n\tbytes:\t10\t20 \t1 2 7 8 1 1\n",
		  "age=90 asked_read=11 asked_write=22 read_bytes=7 write_bytes=8" },
		{ "\tbytes:\t10 20 1 2 7 8 1\n", "read_bytes=?" },
		{ "\tbytes:\t1 2 3 4 5 6 7 8\n\tbytes:\t1 2 3 4 5 6 7 8\n", "read_bytes=?" },
		{ "\tage:\t" MOST "\n", "age=" MOST },
		{ "\tage:\t9223372036854775808\n", "age=?" },
		{ TCP TCP, "transports=2 waiting=20 answered=60" },
		{ TCP "\txprt:\tlocal 0 1 0 2 40 30 0 44 5 8 0 1\n", "transports=0 waiting=0" },
		{ TCP "\txprt:\ttcp 0 0 1 0 2 40\n", "transports=0 answered=0" },
		{ "\txprt:\trdma 1 2 3 4 5 60 50 8 9 7\n", "waiting=10 answered=50 backlog=7" },
		{ "\txprt:\tudp 1 2 60 50 8 9 7\n", "waiting=10 backlog=7" },
		{ "\txprt:\ttcp 1 2 3 4 5 60 50 8 9 " UNDERFLOW "\n", "transports=0" },
		{ "\txprt:\ttcp 1 2 3 4 " UNDERFLOW " 60 50 8 9 7\n", "transports=1" },
		/* pNFS block layouts: READ and WRITE do not count I/O to the disks */
		{ LAYOUT("LAYOUT_SCSI") EVENTS "400 0\n" OPS READ WRITE ACCESS,
		  "reads=? writes=7" },
		{ LAYOUT("LAYOUT_BLOCK_VOLUME") EVENTS "0 5\n" OPS READ WRITE ACCESS,
		  "reads=5 writes=?" },
		{ LAYOUT("LAYOUT_SCSI") OPS READ WRITE ACCESS, "reads=? writes=? others=9" },
		{ "\tnfsv4:\tbm0=0xf,acl=0x0\n" EVENTS "4 5\n" OPS READ WRITE ACCESS,
		  "reads=5 writes=7" },
	};

	nfs(rows, ROWS(rows));
}
END_TEST

START_TEST(of_mounts_on_one_directory_only_the_lines_of_the_last_count)
{
	static const char *const no_mount[] = { "device x\n\tage:\t5\n",
						"device tmpfs mounted on /a with fstype tmpfs\n",
						"device s mounted on /a with fstype nfs44\n",
						"device s mounted on /ab with fstype nfs\n" };
	char *old = sample_read("nfs/mountstats-4.18.txt"), text[16384];
	struct nfs_stats stats;
	size_t i, length;

	for (i = 0; i < ROWS(no_mount); i++)
		ck_assert_int_eq(nfs_stats_find(no_mount[i], "/a", &stats), -1);
	ck_assert_int_eq(nfs_stats_find(old, "/tools", &stats), 0);
	expect_words(&stats, nfs_get, "waiting=1 backlog=4 age=86300 read_bytes=4096 reads=1", old);
	ck_assert_int_eq(nfs_stats_find(old, "/data", &stats), 0);
	expect_words(&stats, nfs_get, "age=60 others=0", old);
	strstr(old, "device oldserver:/data2")[0] = '\0';
	ck_assert_int_eq(nfs_stats_find(old, "/data", &stats), 0);
	expect_words(&stats, nfs_get,
		     "answered=357 backlog=41 age=86400 asked_read=2621440 write_bytes=589824 "
		     "reads=40 read_rtt=400 writes=9 others=308 other_sent=309 names=290",
		     old);
	free(old);
	/* a line that is too long is unknown, and so is a line of another mount's part */
	for (length = 4000; length <= 5000; length += 1000) {
		snprintf(text, sizeof(text),
			 DEVICE OPS READ "\tLOOKUP: 1 1 0 1 1 1 1 1%*s\n" WRITE ACCESS "\n",
			 (int)length, "");
		ck_assert_int_eq(nfs_stats_find(text, "/a", &stats), 0);
		expect_words(&stats, nfs_get, length < 4096 ? "others=10" : "others=? copies=?",
			     "");
		snprintf(text, sizeof(text),
			 DEVICE OPS READ WRITE ACCESS
			 "\ndevice %*s mounted on /b with fstype nfs\n" OPS READ,
			 (int)length, "");
		ck_assert_int_eq(nfs_stats_find(text, "/a", &stats), 0);
		expect_words(&stats, nfs_get, "reads=5 writes=7 others=9", "");
	}
}
END_TEST

/* ---- Storage Scale ---------------------------------------------------------------- */

#define IO(cl, fs, rest) "_fs_io_s_ _n_ 1 _nn_ c1 _rc_ 0 _cl_ " cl " _fs_ " fs " _d_ 4 " rest "\n"

/* Each row as "ID READ-BYTES WRITE-BYTES READS WRITES;", or the error message. */
static const char *mmpmon(const char *text)
{
	static char told[1024];
	struct client_counters *counters = client_counters_new();
	struct err err = { "nothing is mounted" };
	int rc = gpfs_mmpmon_sources(counters, text, "1.2", &err);
	const struct source_counters *source = counters->sources;
	int used = snprintf(told, sizeof(told), "%s", rc == 1 ? "" : err.text);

	for (; rc == 1 && source < counters->sources + counters->count; source++)
		used += snprintf(told + used, sizeof(told) - (size_t)used,
				 "%s %lld %lld %lld %lld;", source->id,
				 (long long)source->numbers[IO_READ_BYTES],
				 (long long)source->numbers[IO_WRITE_BYTES],
				 (long long)source->numbers[IO_READ_CALLS],
				 (long long)source->numbers[IO_WRITE_CALLS]);
	client_counters_free(counters);
	return told;
}

START_TEST(mmpmon_has_counters_of_each_file_system_of_each_cluster_or_a_reason)
{
	static const struct row rows[] = {
		{ "gpfs/mmpmon-fs_io_s.txt",
		  "hpc.example.org:scratch 1.2 9007199254740992 4398046511104 4294967000 900000;"
		  "hpc.example.org:home 1.2 1048576000 524288000 4000 2000;"
		  "archive.example.org:scratch 1.2 0 0 0 0;" },
		{ "gpfs/mmpmon-socket-gfis.txt",
		  "hpc.example.org:scratch 1.2 1073741824 536870912 2048 1024;" },
		{ "gpfs/mmpmon-nothing-mounted.txt", "nothing is mounted" },
		{ IO("c", "a", "_br_ 99999999999999999999 _bw_ -1 _rdc_ x"),
		  "c:a 1.2 -1 -1 -1 -1;" },
		{ IO("c", "b", "_br_ 1 _bw_ 2 _rdc_ 3 _wc_ 4 _new_ 5"), "c:b 1.2 1 2 3 4;" },
		{ IO("c", "d", "_br_ 7 _bw_ 000000000000000000000001 _wc_"),
		  "c:d 1.2 7 -1 -1 -1;" },
		{ "_fs_io_s_ _rc_ 1\n", "nothing is mounted" },
		{ "_fs_io_s_ _n_ 1 _rc_ 1 _cl_ c _fs_ a\n", "mmpmon answers with _rc_ 1" },
		{ "", "mmpmon: the answer is cut off" },
		{ "hello\n", "mmpmon: no counters in its answer" },
		{ "_fs_io_s_ _n_ 1 _rc_ 0 _cl_ c\n", "mmpmon: counters of no filesystem" },
		{ "_fs_io_s_ _n_ 1 _rc_ 16 _cl_ c _fs_ a\n",
		  "mmpmon answers with _rc_ 16: another process holds its lock" },
		{ "_fs_io_s_ _n_ 1 _cl_ c _fs_ a\n", "mmpmon answers with _rc_ -1" },
		{ IO("c", "a", "_br_ 1") IO("c", "a", "_br_ 2"), "mmpmon: 'c:a' comes twice" },
		{ IO("c", "a", "_br_ 1") "_fs_io_s_ _n_ 2 _rc_ 0 _cl_ c _fs_ b _br_ 1\n",
		  "mmpmon: counters of 1, and of another node" },
	};
	char *sample;
	size_t i;

	for (i = 0; i < ROWS(rows); i++) {
		sample = strncmp(rows[i].text, "gpfs/", 5) ? strdup(rows[i].text)
							   : sample_read(rows[i].text);
		ck_assert_str_eq(mmpmon(sample), rows[i].want);
		free(sample);
	}
}
END_TEST

#define CONFIG "mmdiag:config:HEADER:version:reserved:reserved:name:value:c:\n"

START_TEST(an_attribute_of_mmdiag_is_whole_decoded_and_found_by_its_header)
{
	static const struct row rows[] = {
		/* want NULL: no attribute 'a' */
		{ "mmdiag:config:HEADER:v:r:new:value:more:name:\nmmdiag:config:0:1:::7:x:a:\n",
		  "7" },
		{ "mmdiag:config:0:1:::a:7::\n", NULL },
		{ "", NULL },
		{ CONFIG "mmdiag:config:0:1:::a:%20x%30%2f%2F%6a%09.:\n", " x0//j\t." },
		{ CONFIG "mmdiag:config:0:1:::a:%zz%41:\n", "%zzA" },
		{ CONFIG "mmdiag:version:0:1:::a:5:\nmmdiag:config:0:1:::a:7:\n", "7" },
		{ CONFIG "mmdiag:config:0:1:::a:/usr/\nmmdiag/lib::\n", "/usr/mmdiag/lib" },
		{ CONFIG "mmdiag:config:0:1:::a:4294", NULL },			      /* cut off */
		{ CONFIG "mmdiag:config:0:1:::a:123456789012345678901234:\n", NULL }, /* too long */
	};
	char value[24];
	bool has;
	size_t i;

	for (i = 0; i < ROWS(rows); i++) {
		has = gpfs_y_config(rows[i].text, "a", value, sizeof(value));
		ck_assert_msg(has == (rows[i].want != NULL), "%s", rows[i].text);
		if (has)
			ck_assert_str_eq(value, rows[i].want);
	}
}
END_TEST

/* ---- truncated texts of NFS, Storage Scale and WEKA ------------------------------------------ */

static const char *target;

static bool read_nfs(const char *text, size_t size, int64_t numbers[CLIENT_IO_NUMBERS])
{
	static const char *const keys[] = { "age",	  "asked_read",	 "asked_write",
					    "read_bytes", "write_bytes", "reads",
					    "read_sent",  "read_total",	 "writes",
					    "others",	  "names",	 "copies" };
	struct nfs_stats stats;
	size_t i;

	(void)size;
	if (nfs_stats_find(text, target, &stats) < 0)
		return false;
	for (i = 0; i < CLIENT_IO_NUMBERS; i++)
		numbers[i] = i < ROWS(keys) ? nfs_get(&stats, keys[i]) : IO_UNKNOWN;
	if (stats.transports && stats.others.count != NFS_UNKNOWN) {
		numbers[ROWS(keys)] = nfs_stats_answered(&stats);
		numbers[ROWS(keys) + 1] = nfs_stats_waiting(&stats);
	}
	return true;
}

START_TEST(truncated_statistics_of_nfs_are_unknown)
{
	static const struct {
		const char *sample, *target;
	} mounts[] = { { "nfs/mountstats-6.1.txt", "/mnt/work" },
		       { "nfs/mountstats-6.1-later.txt", "/mnt/my files" },
		       { "nfs/mountstats-4.18.txt", "/tools" } };
	char *sample;
	size_t i;

	for (i = 0; i < ROWS(mounts); i++) {
		sample = sample_read(mounts[i].sample);
		target = mounts[i].target;
		expect_no_other(read_nfs, sample, 0, mounts[i].sample);
		free(sample);
	}
}
END_TEST

/* Reads the numbers of the first row. */
static bool read_weka(const char *text, size_t size, int64_t numbers[CLIENT_IO_NUMBERS])
{
	struct client_counters *counters = client_counters_new();
	bool is_read = weka_counters_add(counters, "/sock", text, size, NULL) == 0;

	if (is_read)
		memcpy(numbers, counters->sources[0].numbers, sizeof(counters->sources[0].numbers));
	client_counters_free(counters);
	return is_read;
}

static bool read_mmpmon(const char *text, size_t size, int64_t numbers[CLIENT_IO_NUMBERS])
{
	struct client_counters *counters = client_counters_new();
	bool is_read = gpfs_mmpmon_sources(counters, text, "1.2", NULL) > 0;

	(void)size;
	if (is_read)
		memcpy(numbers, counters->sources[0].numbers, sizeof(counters->sources[0].numbers));
	client_counters_free(counters);
	return is_read;
}

/* Missing rows are found by their mounts: gpfs.cases. */
START_TEST(truncated_counters_of_weka_and_storage_scale_are_unknown)
{
	static const char weka[] =
		"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"result\":["
		"{\"nodeId\":1,\"category\":\"fs_stats\",\"stat\":\"READ_BYTES\",\"value\":\"123\"},"
		"{\"nodeId\":1,\"category\":\"fs_stats\",\"stat\":\"WRITE_BYTES\",\"value\":456.0}]}\n";
	char *sample = sample_read("gpfs/mmpmon-fs_io_s.txt");

	expect_no_other(read_mmpmon, sample, 0, "mmpmon");
	expect_no_other(read_weka, weka, 0, "WEKA");
	free(sample);
}
END_TEST

UNIT_MAIN("stats", counters_of_an_ost_are_bytes_and_calls_over_the_network,
	  llite_counts_requested_bytes_and_an_mdt_requests_for_metadata,
	  damaged_statistics_are_refused, statistics_have_the_start_time_of_the_kernel,
	  operations_of_a_mount_are_unknown_if_a_line_is_missing_or_malformed,
	  bytes_transports_and_layouts_of_a_mount_are_read,
	  of_mounts_on_one_directory_only_the_lines_of_the_last_count,
	  mmpmon_has_counters_of_each_file_system_of_each_cluster_or_a_reason,
	  an_attribute_of_mmdiag_is_whole_decoded_and_found_by_its_header,
	  truncated_statistics_of_lustre_are_unknown, truncated_statistics_of_nfs_are_unknown,
	  truncated_counters_of_weka_and_storage_scale_are_unknown)
