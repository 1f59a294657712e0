/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The NFS client on tables as the kernel writes them (tests/samples/nfs), and
 * on a read-ahead made of files. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/client.h"
#include "client/nfs/nfs.h"
#include "client/setting.h"
#include "client/wire.h"
#include "lib/child.h"
#include "lib/fileio.h"
#include "lib/journal.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define SAMPLES SRCDIR "/tests/samples/nfs/"
#define HARD "rw,vers=3,rsize=1048576,wsize=1048576,hard,local_lock=none"
#define WORK "192.0.2.40:/export/work /mnt/work nfs " HARD " 0 0\n"
#define HOME "192.0.2.40:/export/home /mnt/home nfs " HARD " 0 0\n"
#define FILES                                                                                      \
	"files.example.org:/ /mnt/my\\040files nfs4 rw,vers=4.2,rsize=262144,"                     \
	"wsize=262144,hard,local_lock=none 0 0\n"

static char mount_table[512], bdi_dir[512];
static struct config_client section;
static struct findings findings;
static struct client_want want;
static struct client *client;
static struct journal *journal; /* of change() */

static void put_folder(const char *name)
{
	ck_assert_int_eq(fileio_mkdir(tempdir_path(name), 0755, NULL), 0);
}

static void node(const char *table, const char *version)
{
	static char mountinfo[512], mountstats[512];

	tempdir_make();
	snprintf(mount_table, sizeof(mount_table), "%s", tempdir_put("mounts", table));
	snprintf(bdi_dir, sizeof(bdi_dir), "%s", tempdir_path("bdi"));
	put_folder("bdi");
	put_folder("bdi/0:60");
	tempdir_put("bdi/0:60/read_ahead_kb", "128\n");
	snprintf(mountinfo, sizeof(mountinfo), SAMPLES "mountinfo-%s.txt", version);
	snprintf(mountstats, sizeof(mountstats), SAMPLES "mountstats-%s.txt", version);
	section = (struct config_client){ .name = (char *)"home",
					  .type = CLIENT_NFS,
					  .mounts = (char *)"",
					  .timeout_ms = 1000,
					  .mount_table = mount_table,
					  .mountinfo = mountinfo,
					  .mountstats = mountstats,
					  .bdi_dir = bdi_dir };
	want = (struct client_want){
		.alone = true, .mount_options = "", .read_ahead_kb = "", .mem_spec_limit_mb = -1
	};
	client = client_open(&section, tempdir_name, tempdir_name);
	ck_assert_ptr_nonnull(client);
}

static void look(void)
{
	struct err err = { "" };

	ck_assert_msg(client_inspect(client, 1000, &err) == 0, "%s", err.text);
	client_judge(client, &want, &findings);
}

static void away(void)
{
	journal_close(journal);
	journal = NULL;
	findings_free(&findings);
	client_close(client);
	tempdir_remove();
}

static void expect(size_t count, const char *code, const char *text)
{
	size_t i;

	ck_assert_msg(findings.count == count, "%zu findings, first: %s", findings.count,
		      findings.count ? findings.list[0].text : "");
	for (i = 0; i < findings.count; i++)
		if (strcmp(findings.list[i].code, code) == 0)
			break;
	ck_assert_msg(i < findings.count, "no %s", code);
	ck_assert_str_eq(findings.list[i].text, text);
	ck_assert(*findings.list[i].cure);
}

START_TEST(a_client_in_order_has_no_finding_and_no_cpu)
{
	node(WORK HOME FILES, "6.1");
	look();
	ck_assert_msg(findings.count == 0, "%s", findings.list[0].text);
	ck_assert_uint_eq(client_facts(client)->mount_count, 3);
	ck_assert(client_facts(client)->cpus_known);
	ck_assert(cpuset_is_empty(&client_facts(client)->frontend_cpus));
	away();
}
END_TEST

static void expect_version(const char *table, const char *version)
{
	node(table, "6.1");
	section.mountstats = (char *)tempdir_put("stats", "");
	look();
	ck_assert_str_eq(client_facts(client)->version, version);
	away();
}

#define OF_VERSION(name, version) "s:/" name " /" name " nfs rw,vers=" version " 0 0\n"

START_TEST(each_version_of_the_protocol_is_told_once)
{
	expect_version("s:/a /a nfs rw 0 0\n", "");
	expect_version("s:/a /a nfs rw 0 0\n" OF_VERSION("b", "3") OF_VERSION("c", "3")
			       OF_VERSION("d", "4.2") OF_VERSION("e", "3"),
		       "3,4.2");
	/* as many as there is room for */
	expect_version(OF_VERSION("a", "4.2.111") OF_VERSION("b", "4.2.112")
			       OF_VERSION("c", "4.2.115") OF_VERSION("d", "4.2.116"),
		       "4.2.111,4.2.112,4.2.115,4.2.116");
	expect_version(OF_VERSION("a", "4.2.11") OF_VERSION("b", "4.2.12") OF_VERSION("c", "4.2.15")
			       OF_VERSION("d", "4.2.16") OF_VERSION("e", "4.2.17")
				       OF_VERSION("f", "3"),
		       "4.2.11,4.2.12,4.2.15,4.2.16");
	expect_version(OF_VERSION("a", "4.2.11") OF_VERSION("b", "4.2.12") OF_VERSION("c", "4.2.15")
			       OF_VERSION("d", "4.2.16") OF_VERSION("e", "4.19"),
		       "4.2.11,4.2.12,4.2.15,4.2.16");
	expect_version(OF_VERSION("a", "4.2.11") OF_VERSION("b", "4.2.12") OF_VERSION("c", "4.2.15")
			       OF_VERSION("d", "4.2.16") OF_VERSION("e", "4.9"),
		       "4.2.11,4.2.12,4.2.15,4.2.16,4.9");
}
END_TEST

START_TEST(a_client_whose_tables_cannot_be_read_is_not_looked_at)
{
	char missing[600];
	struct err err = { "" };

	node(WORK, "6.1");
	snprintf(missing, sizeof(missing), "%s/none", tempdir_name);
	section.mountinfo = missing;
	ck_assert_int_eq(client_inspect(client, 1000, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/none'"));
	away();
	node(WORK, "6.1");
	section.mount_table = missing;
	ck_assert_int_eq(nfs_read(client, &err), -1);
	ck_assert_int_eq(client_inspect(client, 1000, &err), -1);
	section.mount_table = mount_table;
	section.mountstats = missing;
	ck_assert_int_eq(nfs_read_counters(client), -1);
	ck_assert_ptr_nonnull(strstr(nfs_of(client)->why, "/none'"));
	away();
}
END_TEST

/* Nobody listens on the port: the connection is refused at once. */
#define NOBODY "s:/w /mnt/work nfs rw,proto=tcp,port=1,addr=127.0.0.1 0 0\n"

static void let_requests_wait(void)
{
	section.mountstats = (char *)tempdir_put(
		"stats", "device s:/w mounted on /mnt/work with fstype nfs statvers=1.1\n"
			 "\txprt:\ttcp 802 1 1 0 0 17 12 0 9100 0 65 4 1\n");
}

static void expect_no_answer(void)
{
	char text[200];

	snprintf(
		text, sizeof(text),
		"NFS server 127.0.0.1 port %u of '/mnt/work' is not responding: I/O to it will block (5 requests wait)",
		nfs_mount_at(client, "/mnt/work")->port);
	expect(1, "NF09", text);
}

START_TEST(a_server_that_answers_nobody_is_said)
{
	node(NOBODY "s:/h /mnt/home nfs rw,proto=tcp,port=1,addr=127.0.0.1 0 0\n", "6.1");
	let_requests_wait();
	look();
	expect_no_answer();
	want.mount_options = "sync";
	ck_assert(!client_holds(client, &want));
	away();
}
END_TEST

/* In place of libc's: who sleeps before asking has made a job wait. */
static int naps;
int nanosleep(const struct timespec *nap, struct timespec *rest)
{
	(void)nap;
	(void)rest;
	naps++;
	return 0;
}

/* A server on this host: one question is answered, or none. */
static int server_fd;
static pid_t server;
static bool hangs_up; /* instead of an answer */

static void answer_one(void)
{
	char question[44];
	int fd = accept(server_fd, NULL, NULL);

	if (recv(fd, question, sizeof(question), MSG_WAITALL) == (ssize_t)sizeof(question) &&
	    !hangs_up)
		send(fd, "\x80\0\0\x18", 4, MSG_NOSIGNAL);
	/* and is it asked no more? */
	_exit(!hangs_up && recv(fd, question, sizeof(question), 0) > 0);
}

/* A mount of this server; "requests" are sent, 12 of them answered. */
static void node_at(const char *address, unsigned int port, unsigned int requests)
{
	char line[128], stats[256];

	snprintf(line, sizeof(line), "s:/w /mnt/work nfs rw,proto=tcp,port=%u,addr=%s 0 0\n", port,
		 address);
	node(line, "6.1");
	snprintf(stats, sizeof(stats),
		 "device s:/w mounted on /mnt/work with fstype nfs statvers=1.1\n"
		 "\txprt:\ttcp 802 1 1 0 0 %u 12 0 9100 0 65 4 1\n",
		 requests);
	section.mountstats = (char *)tempdir_put("stats", stats);
}

static void node_with_server(bool answers, unsigned int requests)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);

	server_fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(server_fd, (struct sockaddr *)&at, size), 0);
	ck_assert_int_eq(listen(server_fd, 1), 0);
	getsockname(server_fd, (struct sockaddr *)&at, &size);
	server = answers ? fork() : -1;
	if (server == 0)
		answer_one();
	node_at("127.0.0.1", ntohs(at.sin_port), requests);
	section.timeout_ms = 60000;
}

static void server_away(void)
{
	int status = 0;

	away();
	close(server_fd);
	if (server > 0)
		ck_assert_int_eq(waitpid(server, &status, 0), server);
	ck_assert_int_eq(status, 0);
}

static void expect_none(void)
{
	ck_assert_msg(!findings.count, "%s", findings.list[0].text);
}

/* Answers that were lost with a connection are missing for ever: no job waits to see
 * whether they come. */
START_TEST(a_server_that_answers_us_is_no_finding_whatever_waits)
{
	node_with_server(true, 17);
	look();
	expect_none();
	ck_assert_int_eq(naps, 0);
	server_away();
}
END_TEST

START_TEST(a_server_that_takes_questions_and_answers_none_is_said)
{
	node_with_server(false, 17);
	section.timeout_ms = 50;
	look();
	expect_no_answer();
	server_away();
}
END_TEST

START_TEST(a_server_that_hangs_up_has_not_answered)
{
	hangs_up = true;
	node_with_server(true, 17);
	look();
	expect_no_answer();
	server_away();
}
END_TEST

/* As the first one that a process without standard input has. */
START_TEST(no_connection_to_a_server_is_left_open)
{
	node_with_server(false, 17);
	section.timeout_ms = 50;
	close(STDIN_FILENO);
	look();
	ck_assert_int_eq(fcntl(STDIN_FILENO, F_GETFD), -1);
	expect_no_answer();
	server_away();
}
END_TEST

START_TEST(a_server_that_takes_its_time_has_answered)
{
	pid_t waker;

	node_with_server(true, 17);
	kill(server, SIGSTOP);
	close(STDIN_FILENO);
	waker = fork();
	if (waker == 0) {
		usleep(60000);
		_exit(kill(server, SIGCONT));
	}
	look();
	expect_none();
	waitpid(waker, NULL, 0);
	server_away();
}
END_TEST

START_TEST(a_prolog_that_has_little_time_left_asks_no_longer)
{
	unsigned long long begun_ms;

	node_with_server(false, 17);
	begun_ms = child_now_ms();
	ck_assert_int_eq(client_inspect(client, 50, NULL), 0);
	ck_assert_uint_lt(child_now_ms() - begun_ms, 1000);
	client_judge(client, &want, &findings);
	expect_no_answer();
	server_away();
}
END_TEST

/* In place of libc's: the counters are these, once a server has been asked. */
static const char *counters_then;
int poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
	const struct timespec most = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };

	if (counters_then && *counters_then)
		tempdir_put("stats", counters_then);
	else if (counters_then)
		remove(tempdir_path("stats"));
	return ppoll(fds, count, &most, NULL);
}

/* Of 17 requests 12 were answered; with these counters a moment later, is a server
 * that does not answer us a finding? */
static size_t hung_with(const char *then)
{
	size_t count;

	node_with_server(false, 17);
	section.timeout_ms = 50;
	counters_then = then;
	look();
	counters_then = NULL;
	count = findings.count;
	server_away();
	return count;
}

#define OF_WORK "device s:/w mounted on /mnt/work with fstype nfs statvers=1.1\n"
#define HAS(sent, answered) "\txprt:\ttcp 802 1 1 0 0 " sent " " answered " 0 9100 0 65 4 1\n"

START_TEST(a_server_that_answers_others_meanwhile_is_no_finding)
{
	ck_assert_uint_eq(hung_with(OF_WORK HAS("17", "12")), 1);
	ck_assert_uint_eq(hung_with(OF_WORK HAS("18", "12")), 1);
	ck_assert_uint_eq(hung_with(OF_WORK HAS("17", "13")), 0);
	ck_assert_uint_eq(hung_with(OF_WORK HAS("99", "13")), 0);
	/* nobody waits any more */
	ck_assert_uint_eq(hung_with(OF_WORK HAS("12", "12")), 0);
	/* where the counters are gone nobody knows */
	ck_assert_uint_eq(hung_with("device s:/h mounted on /mnt/h with fstype nfs statvers=1.1\n"),
			  0);
}
END_TEST

START_TEST(a_server_whose_counters_cannot_be_read_any_more_is_not_hung)
{
	node_with_server(false, 17);
	section.timeout_ms = 50;
	counters_then = "";
	look();
	counters_then = NULL;
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, "NF03");
	server_away();
}
END_TEST

START_TEST(each_server_is_known_by_its_address_and_port)
{
	node("s:/a /mnt/a nfs rw,proto=tcp,addr=127.0.0.1 0 0\n"
	     "s:/b /mnt/b nfs rw,proto=tcp,port=20149,addr=127.0.0.1 0 0\n"
	     "s:/c /mnt/c nfs rw,proto=rdma,port=20049,addr=127.0.0.1 0 0\n"
	     "s:/d /mnt/d nfs rw,proto=tcp,port=20149,addr=127.0.0.2 0 0\n",
	     "6.1");
	look();
	nfs_remember_hung(client, nfs_mount_at(client, "/mnt/b"));
	ck_assert_int_eq(nfs_read(client, NULL), 0);
	ck_assert(!nfs_mount_at(client, "/mnt/a")->is_hung);
	ck_assert(nfs_mount_at(client, "/mnt/b")->is_hung);
	ck_assert(!nfs_mount_at(client, "/mnt/c")->is_hung);
	ck_assert(!nfs_mount_at(client, "/mnt/d")->is_hung);
	ck_assert_uint_eq(nfs_of(client)->server_count, 3);
	ck_assert_ptr_null(nfs_mount_at(client, "/mnt"));
	away();
}
END_TEST

START_TEST(a_server_is_asked_behind_mounts_of_which_nothing_is_known)
{
	node("s:/a /mnt/a nfs rw,proto=tcp,port=1,addr=127.0.0.2 0 0\n"
	     "s:/w /mnt/home nfs rw,proto=tcp,port=1 0 0\n" NOBODY,
	     "6.1");
	let_requests_wait();
	look();
	expect_no_answer();
	away();
}
END_TEST

START_TEST(on_the_way_back_a_server_has_all_its_time)
{
	node_with_server(true, 17);
	client->deadline_ms = 0;
	ck_assert_int_eq(nfs_read(client, NULL), 0);
	nfs_look(client);
	ck_assert(!nfs_mount_at(client, "/mnt/work")->is_hung);
	server_away();
}
END_TEST

START_TEST(how_a_mount_reaches_its_server_is_in_its_options)
{
	static const struct {
		const char *options;
		bool is_tcp;
		unsigned int port;
	} cases[] = {
		{ "rw", false, 2049 },
		{ "rw,proto=tcp", true, 2049 },
		{ "rw,proto=tcp6,port=0", true, 2049 },
		{ "rw,proto=tcp,port=1", true, 1 },
		{ "rw,proto=tcp,port=65535", true, 65535 },
		{ "rw,proto=tcp,port=65536", true, 2049 },
		{ "rw,proto=rdma,port=20049", false, 2049 },
		{ "rw,proto=rdma6", false, 2049 },
		{ "rw,proto=udp,port=1", false, 2049 },
	};
	const struct nfs_mount *mount;
	char table[200];
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(table, sizeof(table), "s:/a /mnt/a nfs %s 0 0\n", cases[i].options);
		node(table, "6.1");
		ck_assert_int_eq(nfs_read(client, NULL), 0);
		mount = nfs_mount_at(client, "/mnt/a");
		ck_assert_int_eq(mount->is_tcp, cases[i].is_tcp);
		ck_assert_uint_eq(mount->port, cases[i].port);
		ck_assert_str_eq(mount->address, "");
		away();
	}
}
END_TEST

START_TEST(each_server_is_asked_where_the_site_wants_it)
{
	node_with_server(false, 12);
	look();
	expect_none();
	server_away();

	node_with_server(false, 12);
	section.ask_servers = SWITCH_YES;
	section.timeout_ms = 50;
	look();
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, "NF09");
	server_away();

	node_with_server(true, 12);
	section.ask_servers = SWITCH_YES;
	look();
	expect_none();
	server_away();

	/* no time to ask, and nothing known, or requests that wait */
	node_with_server(false, 12);
	section.ask_servers = SWITCH_YES;
	ck_assert_int_eq(client_inspect(client, 0, NULL), 0);
	client_judge(client, &want, &findings);
	expect_none();
	server_away();
	node_with_server(false, 17);
	ck_assert_int_eq(client_inspect(client, 0, NULL), 0);
	client_judge(client, &want, &findings);
	expect_no_answer();
	server_away();

	node_with_server(false, 12);
	section.ask_servers = SWITCH_YES;
	section.timeout_ms = 0;
	look();
	expect_none();
	server_away();
}
END_TEST

/* A mount of a server on whose port nobody listens. */
static void look_at_address(const char *address, unsigned int requests)
{
	node_at(address, 1, requests);
	section.ask_servers = SWITCH_YES;
	look();
}

START_TEST(a_server_that_cannot_be_asked_is_judged_by_what_waits)
{
	int fd = socket(AF_INET6, SOCK_STREAM, 0);

	look_at_address("fe80::1%ib0", 12);
	expect_none();
	away();
	look_at_address("fe80::1%ib0", 13);
	expect(1, "NF09",
	       "NFS server fe80::1%ib0 port 1 of '/mnt/work' is not responding: I/O to it will block (1 requests wait)");
	away();
	if (fd >= 0) {
		look_at_address("::1", 12);
		expect(1, "NF09",
		       "NFS server ::1 port 1 of '/mnt/work' is not responding: I/O to it will block");
		away();
		close(fd);
	}
}
END_TEST

/* ---- wire ---------------------------------------------------------------- */

/* What the client moved on this mount between the sample and a later one. */
static const struct client_wire_line *moved(const char *after, const char *fs)
{
	static struct client_wire wire;
	size_t i;

	static char later[512];
	struct err err = { "" };
	char *before = client_wire_save(client, &err);
	int rc;

	ck_assert_msg(before != NULL, "%s", err.text);
	snprintf(later, sizeof(later), SAMPLES "mountstats-%s.txt", after);
	section.mountstats = later;
	rc = client_wire_since(client, before, &wire, &err);
	free(before);
	ck_assert_msg(rc == 0, "%s", err.text);
	ck_assert_str_eq(wire.source, "mountstats");
	for (i = 0; i < wire.line_count; i++)
		if (!strcmp(wire.line[i].fs, fs))
			return &wire.line[i];
	ck_abort_msg("no line for '%s'", fs);
}

static void expect_moved(const struct client_wire_line *line, int64_t read_bytes, int64_t reads,
			 int64_t write_bytes, int64_t writes)
{
	ck_assert(!line->has_restarted);
	ck_assert_int_eq(line->count[WIRE_READ_BYTES], read_bytes);
	ck_assert_int_eq(line->count[WIRE_READS], reads);
	ck_assert_int_eq(line->count[WIRE_WRITE_BYTES], write_bytes);
	ck_assert_int_eq(line->count[WIRE_WRITES], writes);
}

START_TEST(mounts_that_share_a_superblock_are_counted_once)
{
	node(WORK HOME, "6.1");
	expect_moved(moved("6.1-later", "/mnt/work"), 256 << 20, 256, 64 << 20, 64);
	away();
}
END_TEST

START_TEST(read_plus_is_a_read_and_a_blank_belongs_to_the_name)
{
	node(FILES, "6.1");
	expect_moved(moved("6.1-later", "/mnt/my files"), 16 << 20, 64, 32 << 20, 128);
	away();
}
END_TEST

static void expect_kind(const struct nfs_ops *ops, int64_t count, int64_t sent, int64_t queue_ms,
			int64_t rtt_ms, int64_t total_ms)
{
	ck_assert_int_eq(ops->count, count);
	ck_assert_int_eq(ops->sent, sent);
	ck_assert_int_eq(ops->queue_ms, queue_ms);
	ck_assert_int_eq(ops->rtt_ms, rtt_ms);
	ck_assert_int_eq(ops->total_ms, total_ms);
}

static void expect_transport(const struct nfs_stats *stats, int64_t sent, int64_t answered,
			     int64_t backlog)
{
	ck_assert_uint_eq(stats->transports, 1);
	ck_assert_int_eq(stats->transport[0].sent, sent);
	ck_assert_int_eq(stats->transport[0].answered, answered);
	ck_assert_int_eq(stats->transport[0].backlog, backlog);
}

/* RPC 1.0: ten numbers of a TCP transport, seven of UDP, eight columns. */
START_TEST(mounts_of_an_older_kernel_are_read)
{
	char *text = fileio_read(SAMPLES "mountstats-4.18.txt", 65536, NULL, NULL);
	struct nfs_stats stats;

	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(nfs_stats_find(text, "/tools", &stats), 0);
	expect_transport(&stats, 31, 30, 4);
	ck_assert_int_eq(stats.age_s, 86300);
	ck_assert_int_eq(stats.asked_read, 4096);
	ck_assert_int_eq(stats.read_bytes, 4096);
	ck_assert_int_eq(stats.asked_write, 0);
	ck_assert_int_eq(stats.write_bytes, 0);
	expect_kind(&stats.reads, 1, 1, 0, 2, 2);
	expect_kind(&stats.writes, 0, 0, 0, 0, 0);
	ck_assert_int_eq(nfs_stats_find(text, "/data", &stats), 0);
	expect_transport(&stats, 359, 357, 41);
	ck_assert_int_eq(stats.age_s, 60); /* the second one there */
	expect_kind(&stats.others, 0, 0, 0, 0, 0);
	strstr(text, "device oldserver:/data2")[0] = '\0';
	ck_assert_int_eq(nfs_stats_find(text, "/data", &stats), 0);
	expect_transport(&stats, 359, 357, 41);
	ck_assert_int_eq(stats.age_s, 86400);
	ck_assert_int_eq(stats.asked_read, 2621440);
	ck_assert_int_eq(stats.write_bytes, 589824);
	expect_kind(&stats.reads, 40, 40, 10, 400, 420);
	expect_kind(&stats.writes, 9, 9, 4, 90, 95);
	expect_kind(&stats.others, 308, 309, 11, 857, 877);
	ck_assert_int_eq(stats.names, 290);
	free(text);
}
END_TEST

#define V4 "device f:/ mounted on /f with fstype nfs4 statvers=1.1\n"
#define V4_OPS                                                                                     \
	"\tper-op statistics\n\tREAD: 0 0 0 0 0 0 0 0\n"                                           \
	"\tWRITE: 0 0 0 0 0 0 0 0\n\tOPEN: 3 3 0 0 0 0 0 0\n"

static void expect_copies(const char *text, int64_t copies)
{
	struct nfs_stats stats;

	ck_assert_int_eq(nfs_stats_find(text, "/f", &stats), 0);
	ck_assert_int_eq(stats.copies, copies);
}

START_TEST(what_the_server_copied_is_told_without_what_it_refused)
{
	expect_copies(V4 V4_OPS "\tCLONE: 0 0 0 0 0 0 0 0 0\n"
				"\tCOPY: 7 7 0 8 9 0 1 1 0\n",
		      7);
	/* cp asks for a clone first, here in vain */
	expect_copies(V4 V4_OPS "\tCLONE: 3 3 0 8 9 0 1 1 1\n"
				"\tCOPY: 7 7 0 8 9 0 1 1 2\n",
		      2 + 5);
	expect_copies(V4 V4_OPS "\tCLONE: 1 1 0 8 9 0 1 1 2\n", 0);
	expect_copies(V4 V4_OPS "\tCOPY_NOTIFY: 5 5 0 8 9 0 1 1 0\n", 0);
}
END_TEST

START_TEST(copies_that_may_have_been_refused_are_unknown)
{
	/* RPC iostats 1.0 */
	expect_copies(V4 V4_OPS "\tCLONE: 0 0 0 0 0 0 0 0\n"
				"\tCOPY: 7 7 0 8 9 0 1 1\n",
		      NFS_UNKNOWN);
	expect_copies(V4 V4_OPS "\tCOPY: 0 0 0 0 0 0 0 0\n", 0);
	expect_copies(V4 V4_OPS "\tCOPY: 7 7 0\n", NFS_UNKNOWN);
	expect_copies(V4 V4_OPS "\tCOPY: 7 7 0 8 9 0 1 1 18446744073709551615\n", NFS_UNKNOWN);
	expect_copies(V4 V4_OPS "\tCOPY: 18446744073709551615 7 0 8 9 0 1 1 0\n", NFS_UNKNOWN);
	/* without lines of operations, and cut off */
	expect_copies(V4 "\tage:\t5\n", NFS_UNKNOWN);
	expect_copies(V4 V4_OPS "\tCOPY: 7 7 0 8 9 0 1 1 0", NFS_UNKNOWN);
}
END_TEST

START_TEST(copies_are_a_number_of_the_wire)
{
	char *text = fileio_read(SAMPLES "mountstats-6.1-later.txt", 65536, NULL, NULL);
	const struct client_wire_line *line;
	struct client_wire wire;
	char *before, *copy;

	ck_assert_ptr_nonnull(text);
	node(WORK FILES, "6.1");
	before = client_wire_save(client, NULL);
	copy = strstr(text, "COPY: 1 1 0 248 164 0 30 30 0");
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, "COPY: 9 9 0 248 164 0 30 30 0", 29);
	section.mountstats = (char *)tempdir_put("later", text);
	ck_assert_int_eq(client_wire_since(client, before, &wire, NULL), 0);
	line = &wire.line[1];
	ck_assert_str_eq(line->fs, "/mnt/my files");
	ck_assert_int_eq(line->count[WIRE_COPIES], 8);
	ck_assert_int_eq(wire.line[0].count[WIRE_COPIES], 0);
	free(before);
	free(text);
	away();
}
END_TEST

START_TEST(only_the_mounts_of_jobio_conf_are_counted)
{
	struct client_wire wire;
	char *before;

	node(WORK FILES, "6.1");
	section.mounts = (char *)"/mnt/work";
	before = client_wire_save(client, NULL);
	ck_assert_int_eq(client_wire_since(client, before, &wire, NULL), 0);
	ck_assert_uint_eq(wire.line_count, 1);
	ck_assert_str_eq(wire.line[0].fs, "/mnt/work");
	free(before);
	away();
}
END_TEST

START_TEST(a_mount_of_jobio_conf_is_found_behind_any_number_of_others)
{
	static char table[320 * 64];
	size_t used = 0;
	int i;

	for (i = 0; i < 300; i++)
		used += (size_t)sprintf(table + used, "files:/%d /home/%d nfs rw,vers=3 0 0\n", i,
					i);
	strcpy(table + used, WORK);
	node(table, "6.1");
	section.mounts = (char *)"/mnt/work";
	look();
	ck_assert_uint_eq(client_facts(client)->mount_count, 1);
	ck_assert_str_eq(client_facts(client)->mounts[0].target, "/mnt/work");
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(counters_that_went_back_are_no_number)
{
	node(WORK, "6.1-later");
	section.mountinfo = (char *)SAMPLES "mountinfo-6.1.txt";
	ck_assert(moved("6.1", "/mnt/work")->has_restarted);
	away();
}
END_TEST

#define OVER(target, options)                                                                      \
	"files:/a " target " nfs rw,hard,local_lock=none," options ",addr=127.0.0.1 0 0\n"

static void expect_backlog(const char *fs, int64_t backlog)
{
	ck_assert_int_eq(moved("6.1-later", fs)->count[WIRE_BACKLOG], backlog);
	section.mountstats = (char *)SAMPLES "mountstats-6.1.txt";
}

START_TEST(the_backlog_of_transports_is_counted_once)
{
	node(OVER("/mnt/work", "vers=3,proto=rdma") OVER("/mnt/home", "vers=3,proto=rdma")
		     OVER("/mnt/my\\040files", "vers=4.2,proto=tcp"),
	     "6.1");
	expect_backlog("/mnt/work", 300 + 120);
	expect_backlog("/mnt/my files", 5 + 2);
	away();
	/* two superblocks; of the second's transports the kernel says the same */
	node(OVER("/mnt/work", "vers=3,proto=tcp") OVER("/mnt/my\\040files", "vers=3,proto=tcp"),
	     "6.1");
	expect_backlog("/mnt/work", 300 + 120);
	expect_backlog("/mnt/my files", WIRE_UNKNOWN);
	away();
	/* whose they are is not known */
	node(WORK, "6.1");
	expect_backlog("/mnt/work", WIRE_UNKNOWN);
	away();
}
END_TEST

START_TEST(of_transports_that_are_not_understood_no_backlog_is_told)
{
	struct client_wire wire;
	char *before;

	node(OVER("/mnt/work", "vers=3,proto=rdma"), "6.1");
	section.mountstats = (char *)tempdir_put(
		"stats",
		"device s:/w mounted on /mnt/work with fstype nfs statvers=1.1\n\tbytes:\t1 2 3 4 5 6 7 8\n");
	before = client_wire_save(client, NULL);
	ck_assert_int_eq(client_wire_since(client, before, &wire, NULL), 0);
	ck_assert_int_eq(wire.line[0].count[WIRE_READ_BYTES], 0);
	ck_assert_int_eq(wire.line[0].count[WIRE_BACKLOG], WIRE_UNKNOWN);
	free(before);
	away();
}
END_TEST

/* ---- rows ------------------------------------------------------------------ */

static struct wire *rows;

/* The row of a mount of these counters, read 100 s after boot. */
static const struct wire_row *row_of(const struct nfs_stats *has, bool has_backlog)
{
	static const struct client_mount at = { .target = (char *)"/mnt/a" };
	struct nfs_mount mount = {
		.mount = &at, .device = "0:60", .has_stats = true, .stats = *has
	};

	wire_free(rows);
	rows = wire_new();
	ck_assert_ptr_nonnull(rows);
	rows->at_s = 100;
	ck_assert_int_eq(nfs_add_row(rows, &mount, has_backlog, NULL), 0);
	ck_assert_uint_eq(rows->count, 1);
	ck_assert_str_eq(rows->row[0].fs, "/mnt/a");
	return &rows->row[0];
}

static void rows_away(void)
{
	wire_free(rows);
	rows = NULL;
}

START_TEST(what_was_sent_again_is_what_was_sent_beyond_what_was_begun)
{
	struct nfs_stats has = { .age_s = 1 };

	ck_assert_int_eq(row_of(&has, false)->count[WIRE_RESENT], 0);
	has.reads.count = has.reads.sent = 5;
	has.writes.count = has.writes.sent = 6;
	has.others.count = has.others.sent = 7;
	ck_assert_int_eq(row_of(&has, false)->count[WIRE_RESENT], 0);
	has.reads.sent += 100;
	has.writes.sent += 20;
	has.others.sent += 3;
	ck_assert_int_eq(row_of(&has, false)->count[WIRE_RESENT], 123);
	/* a sum that is unknown, and one that goes back */
	has.writes.sent = NFS_UNKNOWN;
	ck_assert_int_eq(row_of(&has, false)->count[WIRE_RESENT], WIRE_UNKNOWN);
	has.writes.sent = 0;
	has.reads.sent = 0;
	ck_assert_int_eq(row_of(&has, false)->count[WIRE_RESENT], WIRE_UNKNOWN);
	has.writes.sent = 600;
	has.reads.count = NFS_UNKNOWN;
	ck_assert_int_eq(row_of(&has, false)->count[WIRE_RESENT], WIRE_UNKNOWN);
	rows_away();
}
END_TEST

/* Of READs, WRITEs and others so many were sent, and none begun. */
static int64_t resent(int64_t reads, int64_t writes, int64_t others)
{
	struct nfs_stats has = { .age_s = 1 };
	int64_t count;

	has.reads.sent = reads;
	has.writes.sent = writes;
	has.others.sent = others;
	count = row_of(&has, false)->count[WIRE_RESENT];
	rows_away();
	return count;
}

START_TEST(a_sum_that_could_be_too_large_is_unknown)
{
	const int64_t most = INT64_MAX / 4;

	ck_assert_int_eq(resent(most, 1, 2), most + 3);
	ck_assert_int_eq(resent(1, most, 2), most + 3);
	ck_assert_int_eq(resent(1, 2, most), most + 3);
	ck_assert_int_eq(resent(most, most, most), 3 * most);
	ck_assert_int_eq(resent(most + 1, 0, 0), WIRE_UNKNOWN);
	ck_assert_int_eq(resent(0, most + 1, 0), WIRE_UNKNOWN);
	ck_assert_int_eq(resent(0, 0, most + 1), WIRE_UNKNOWN);
}
END_TEST

/* Milliseconds of the queues of READs, WRITEs and others: as the row has it. */
static int64_t queued(int64_t reads, int64_t writes, int64_t others)
{
	struct nfs_stats has = { .age_s = 1 };
	int64_t us;

	has.reads.queue_ms = reads;
	has.writes.queue_ms = writes;
	has.others.queue_ms = others;
	us = row_of(&has, false)->count[WIRE_QUEUE_US];
	rows_away();
	return us;
}

START_TEST(times_are_microseconds_as_far_as_they_can_be_told)
{
	const int64_t most = INT64_MAX / 1000, quarter = INT64_MAX / 4;
	struct nfs_stats has = { .reads.total_ms = 1,
				 .writes.total_ms = 0,
				 .others.total_ms = most };
	const struct wire_row *row = row_of(&has, false);

	ck_assert_int_eq(row->count[WIRE_READ_US], 1000);
	ck_assert_int_eq(row->count[WIRE_WRITE_US], 0);
	ck_assert_int_eq(row->count[WIRE_META_US], most * 1000);
	has.others.total_ms = most + 1;
	has.reads.total_ms = NFS_UNKNOWN;
	row = row_of(&has, false);
	ck_assert_int_eq(row->count[WIRE_META_US], WIRE_UNKNOWN);
	ck_assert_int_eq(row->count[WIRE_READ_US], WIRE_UNKNOWN);
	rows_away();
	ck_assert_int_eq(queued(0, 0, 0), 0);
	ck_assert_int_eq(queued(1, 20, 300), 321000);
	ck_assert_int_eq(queued(-1, 20, 300), WIRE_UNKNOWN);
	ck_assert_int_eq(queued(1, -1, 300), WIRE_UNKNOWN);
	ck_assert_int_eq(queued(1, 20, -1), WIRE_UNKNOWN);
	ck_assert_int_eq(queued(most, 0, 0), most * 1000);
	ck_assert_int_eq(queued(most, 1, 0), WIRE_UNKNOWN);
	ck_assert_int_eq(queued(quarter + 1, quarter + 1, quarter + 1), WIRE_UNKNOWN);
}
END_TEST

START_TEST(a_row_is_born_as_long_ago_as_its_superblock_is_old)
{
	struct nfs_stats has = { .age_s = 99 };

	ck_assert_int_eq(row_of(&has, false)->born_s, 1);
	has.age_s = 0;
	ck_assert_int_eq(row_of(&has, false)->born_s, 100);
	has.age_s = 100;
	ck_assert_int_eq(row_of(&has, false)->born_s, 0);
	has.age_s = 101; /* told in whole seconds */
	ck_assert_int_eq(row_of(&has, false)->born_s, 0);
	has.age_s = NFS_UNKNOWN;
	ck_assert_int_eq(row_of(&has, false)->born_s, WIRE_UNKNOWN);
	rows_away();
}
END_TEST

START_TEST(a_row_has_the_name_of_its_mount_if_it_fits)
{
	char target[WIRE_FS_MAX + 1] = "";
	const struct client_mount at = { .target = target };
	const struct nfs_mount mount = { .mount = &at, .device = "0:60", .has_stats = true };

	memset(target, '/', WIRE_FS_MAX - 1);
	rows = wire_new();
	ck_assert_int_eq(nfs_add_row(rows, &mount, false, NULL), 0);
	ck_assert_str_eq(rows->row[0].fs, target);
	rows_away();
	target[WIRE_FS_MAX - 1] = '/';
	rows = wire_new();
	ck_assert_int_eq(nfs_add_row(rows, &mount, false, NULL), 0);
	ck_assert_str_eq(rows->row[0].fs, "");
	rows_away();
}
END_TEST

START_TEST(a_backlog_is_that_of_all_transports)
{
	struct nfs_stats has = { .transports = 3 };

	has.transport[0].backlog = 1;
	has.transport[1].backlog = 20;
	has.transport[2].backlog = 300;
	has.transport[3].backlog = 4000;
	ck_assert_int_eq(row_of(&has, true)->count[WIRE_BACKLOG], 321);
	ck_assert_int_eq(row_of(&has, false)->count[WIRE_BACKLOG], WIRE_UNKNOWN);
	has.transport[1].backlog = NFS_UNKNOWN;
	ck_assert_int_eq(row_of(&has, true)->count[WIRE_BACKLOG], WIRE_UNKNOWN);
	has.transports = 0;
	ck_assert_int_eq(row_of(&has, true)->count[WIRE_BACKLOG], WIRE_UNKNOWN);
	rows_away();
}
END_TEST

START_TEST(a_mount_that_mountinfo_does_not_show_has_no_row)
{
	rows = wire_new();
	ck_assert_int_eq(nfs_add_row(rows, &(struct nfs_mount){ .has_stats = true }, true, NULL),
			 0);
	ck_assert_int_eq(nfs_add_row(rows, &(struct nfs_mount){ .device = "0:91" }, true, NULL), 0);
	ck_assert_uint_eq(rows->count, 0);
	rows_away();
}
END_TEST

static void expect_no_wire(int why)
{
	struct err err;

	errno = 0;
	ck_assert_ptr_null(nfs_type.wire(client, &err));
	ck_assert_int_eq(errno, why);
	away();
}

START_TEST(that_nothing_is_counted_is_told_from_what_cannot_be_read)
{
	node("/dev/sda2 / xfs rw 0 0\n", "6.1");
	expect_no_wire(ENOENT);
	node(WORK, "6.1");
	section.mountstats = (char *)"/nowhere";
	expect_no_wire(ENOENT);
	node("s:/a /mnt/a nfs rw 0 0\n", "6.1");
	expect_no_wire(ENOENT);
	node(WORK, "6.1");
	section.mountinfo = (char *)"/nowhere";
	expect_no_wire(EIO);
	node(WORK, "6.1");
	section.mount_table = (char *)"/nowhere";
	expect_no_wire(EIO);
}
END_TEST

START_TEST(a_mount_that_one_file_lacks_keeps_no_other_from_being_counted)
{
	node("s:/a /mnt/a nfs rw 0 0\n" WORK, "6.1");
	expect_moved(moved("6.1-later", "/mnt/work"), 256 << 20, 256, 64 << 20, 64);
	away();
}
END_TEST

/* ---- what is not told ------------------------------------------------------ */

#define DEVICE(target)                                                                             \
	"device 192.0.2.40:/export mounted on " target                                             \
	" with fstype nfs4 statvers=1.1\n\tage:\t90\n"
#define BYTES "\tbytes:\t10 20 1 2 7 8 1 1\n"
#define OPS "\tper-op statistics\n\t  NULL: 1 1 0 44 24 0 0 0 0\n"
#define READ "\t  READ: 5 6 0 900 90 1 2 3 0\n"
#define WRITE "\t WRITE: 7 7 0 900 90 1 2 3 0\n"
#define ACCESS "\tACCESS: 9 9 0 900 90 1 2 3 0\n"
#define TCP "\txprt:\ttcp 0 0 1 0 2 40 30 0 44 5 8 0 1\n"

static struct nfs_stats stats;

static void expect_ops(const char *text, int64_t reads, int64_t writes, int64_t others)
{
	ck_assert_int_eq(nfs_stats_find(text, "/mnt/a", &stats), 0);
	ck_assert_msg(stats.reads.count == reads && stats.writes.count == writes &&
			      stats.others.count == others,
		      "%lld %lld %lld of %s", (long long)stats.reads.count,
		      (long long)stats.writes.count, (long long)stats.others.count, text);
}

/* COMMIT asks for no name, and LOOKUP_ROOT is no LOOKUP. */
START_TEST(what_asks_for_names_and_attributes_is_told_apart)
{
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE ACCESS "\tGETATTR: 20 20 0 1 1 1 1 1\n"
							  "\tLOOKUP: 300 300 0 1 1 1 1 1\n"
							  "\tLOOKUP_ROOT: 4000 4000 0 1 1 1 1 1\n"
							  "\tCOMMIT: 50000 50000 0 1 1 1 1 1\n",
		   5, 7, 54329);
	ck_assert_int_eq(stats.names, 329);
	/* what is unknown of the whole is so of a part */
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE ACCESS "\tLOOKUP: 3\n", 5, 7, -1);
	ck_assert_int_eq(stats.names, NFS_UNKNOWN);
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE, 5, 7, -1);
	ck_assert_int_eq(stats.names, NFS_UNKNOWN);
}
END_TEST

START_TEST(operations_that_no_line_tells_of_are_unknown)
{
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE ACCESS, 5, 7, 9);
	expect_ops(DEVICE("/mnt/a"), -1, -1, -1);
	expect_ops(DEVICE("/mnt/a") OPS, -1, -1, -1);
	expect_ops(DEVICE("/mnt/a") OPS READ ACCESS, 5, -1, -1);
	expect_ops(DEVICE("/mnt/a") OPS WRITE ACCESS, -1, 7, -1);
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE, 5, 7, -1);
	/* version 3 ends with COMMIT */
	expect_ops(DEVICE("/mnt/a") "\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n" OPS ACCESS
			   READ WRITE,
		   5, 7, -1);
	expect_ops(DEVICE("/mnt/a") "\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n" OPS ACCESS
			   READ WRITE "\tCOMMIT: 4 4 0 1 1 1 1 1\n",
		   5, 7, 13);
	/* and has it, wherever it stands */
	expect_ops(DEVICE("/mnt/a") "\tRPC iostats version: 1.1  p/v: 100003/3 (nfs)\n" OPS
				    "\tCOMMIT: 4 4 0 1 1 1 1 1\n" ACCESS READ WRITE,
		   5, 7, 13);
}
END_TEST

#define LAYOUT(name) "\tnfsv4:\tbm0=0xfdffafff,acl=0x0,sessions,pnfs=" name ",lease_time=90\n"
#define EVENTS "\tevents:\t1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 "

/* What goes to disks by itself is in the bytes, and no READ nor WRITE. */
START_TEST(operations_beside_which_data_goes_to_disks_are_unknown)
{
	expect_ops(DEVICE("/mnt/a") LAYOUT("LAYOUT_SCSI") EVENTS "400 0\n" OPS READ WRITE ACCESS,
		   -1, 7, 9);
	expect_ops(DEVICE("/mnt/a") LAYOUT("LAYOUT_BLOCK_VOLUME") EVENTS
		   "0 500\n" OPS READ WRITE ACCESS,
		   5, -1, 9);
	/* nobody tells how much */
	expect_ops(DEVICE("/mnt/a") LAYOUT("LAYOUT_SCSI") OPS READ WRITE ACCESS, -1, -1, 9);
	expect_ops(DEVICE("/mnt/a") LAYOUT("LAYOUT_SCSI") EVENTS "\n" OPS READ WRITE ACCESS, -1, -1,
		   9);
	/* nor whose they are */
	expect_ops(DEVICE("/mnt/a") "\tbytes:\t0 0 0 0 8192 4096 0 0\n" OPS
				    "\t READ: 0 0 0 0 0 0 0 0 0\n" WRITE ACCESS,
		   -1, 7, 9);
	expect_ops(DEVICE("/mnt/a") "\tbytes:\t0 0 0 0 8192 4096 0 0\n" OPS READ
				    "\tWRITE: 0 0 0 0 0 0 0 0 0\n" ACCESS,
		   5, -1, 9);
	/* files of other servers are read by READ */
	expect_ops(DEVICE("/mnt/a") LAYOUT("LAYOUT_FLEX_FILES") EVENTS
		   "400 500\n" OPS READ WRITE ACCESS,
		   5, 7, 9);
	expect_ops(DEVICE("/mnt/a") LAYOUT("LAYOUT_NFSV4_1_FILES") EVENTS
		   "400 500\n" OPS READ WRITE ACCESS,
		   5, 7, 9);
	expect_ops(DEVICE("/mnt/a") LAYOUT("not configured") EVENTS "0 0\n" OPS READ WRITE ACCESS,
		   5, 7, 9);
	/* version 4.0 has no layouts */
	expect_ops(DEVICE("/mnt/a") "\tnfsv4:\tbm0=0xfdffafff,acl=0x0\n" EVENTS
				    "400 500\n" OPS READ WRITE ACCESS,
		   5, 7, 9);
}
END_TEST

START_TEST(an_operation_that_is_not_understood_makes_its_sum_unknown)
{
	expect_ops(DEVICE("/mnt/a") OPS "\t  READ: 5 6 0 900\n" WRITE ACCESS, -1, 7, 9);
	expect_ops(DEVICE("/mnt/a") OPS READ "\t WRITE: 7 7 0 x 9 1 2 3\n" ACCESS, 5, -1, 9);
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE "\tACCESS: -9 9 0 9 9 1 2 3\n"
						   "\tLOOKUP: 1 1 0 1 1 1 1 1\n",
		   5, 7, -1);
	expect_ops(DEVICE("/mnt/a") OPS "\t  READ: 5 6 0 900 90 1 2x 3 0\n" WRITE ACCESS, -1, 7, 9);
	expect_ops(DEVICE("/mnt/a") OPS
		   "\t  READ: 5 6 0 900 90 1 18446744073709551616 3 0\n" WRITE ACCESS,
		   -1, 7, 9);
	/* what nobody counts may be as it likes */
	expect_ops(DEVICE("/mnt/a") OPS "\tRENEW: ?\n" READ WRITE ACCESS, 5, 7, 9);
}
END_TEST

START_TEST(numbers_go_as_far_as_they_can_be_told)
{
	expect_ops(DEVICE("/mnt/a") "\tage:\t9223372036854775807\n"
				    "\tbytes:\t10\t20 \t1 2 7 8 1 1\n" OPS READ WRITE ACCESS,
		   5, 7, 9);
	ck_assert_int_eq(stats.age_s, INT64_MAX);
	ck_assert_int_eq(stats.asked_read, 11);
	ck_assert_int_eq(stats.asked_write, 22);
	ck_assert_int_eq(stats.read_bytes, 7);
	ck_assert_int_eq(stats.write_bytes, 8);
	expect_ops(DEVICE("/mnt/a") "\tage:\t9223372036854775808\n" OPS READ WRITE ACCESS, 5, 7, 9);
	ck_assert_int_eq(stats.age_s, NFS_UNKNOWN);
	/* a sum as well */
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE ACCESS
		   "\tLOOKUP: 9223372036854775798 1 0 1 1 1 1 1\n",
		   5, 7, INT64_MAX);
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE ACCESS
		   "\tLOOKUP: 9223372036854775799 1 0 1 1 1 1 1\n",
		   5, 7, -1);
}
END_TEST

START_TEST(a_line_that_is_cut_off_has_no_number)
{
	expect_ops(DEVICE("/mnt/a") OPS READ WRITE "\tACCESS: 900 900 0 900 90 1 2 3", 5, 7, -1);
	expect_ops(DEVICE("/mnt/a") OPS ACCESS READ "\t WRITE: 700 700 0 900 90 1 2 30", 5, -1, -1);
	ck_assert_int_eq(
		nfs_stats_find(DEVICE("/mnt/a") "\tbytes:\t10 20 1 2 7 8", "/mnt/a", &stats), 0);
	ck_assert_int_eq(stats.read_bytes, NFS_UNKNOWN);
	ck_assert_int_eq(stats.write_bytes, NFS_UNKNOWN);
	ck_assert_int_eq(stats.asked_read, NFS_UNKNOWN);
	ck_assert_int_eq(stats.age_s, 90);
}
END_TEST

static void expect_long_line(size_t length, int64_t others)
{
	static char text[16384];
	size_t n = (size_t)sprintf(text, "%s", DEVICE("/mnt/a") OPS READ);
	size_t used = n + (size_t)sprintf(text + n, "\tLOOKUP: 1 1 0 1 1 1 1 1");

	memset(text + used, ' ', length);
	strcpy(text + n + length, "\n" WRITE ACCESS);
	expect_ops(text, 5, 7, others);
	ck_assert_int_eq(stats.copies, others < 0 ? NFS_UNKNOWN : 0);
}

START_TEST(a_line_that_is_too_long_is_not_known_whatever_follows)
{
	expect_long_line(4095, 10);
	expect_long_line(4096, -1);
	expect_long_line(4097, -1);
	expect_long_line(5000, -1);
}
END_TEST

START_TEST(the_next_mounts_lines_are_not_this_ones)
{
	static char text[16384];
	int n;

	/* whatever begins its part: no device, a name too long to be read */
	n = snprintf(text, sizeof(text),
		     "%sno device mounted on /x:y with fstype z\n"
		     "\tACCESS: 1 1 0 1 1 1 1 1\n",
		     DEVICE("/mnt/a") BYTES OPS READ WRITE ACCESS);
	expect_ops(text, 5, 7, 9);
	n = snprintf(text, sizeof(text), "%sdevice ", DEVICE("/mnt/a") BYTES OPS READ WRITE ACCESS);
	memset(text + n, 'x', 5000);
	snprintf(text + n + 5000, sizeof(text) - (size_t)n - 5000,
		 " mounted on /b with fstype nfs statvers=1.1\n"
		 "\tbytes:\t0 0 0 0 0 0 0 0\n" OPS READ);
	expect_ops(text, 5, 7, 9);
	ck_assert_int_eq(stats.read_bytes, 7);
}
END_TEST

/* Is a mount found at 'wanted' whose name has 'length' letters, and whose line has
 * 'whole', if it is not 0? */
static bool is_found(size_t length, size_t wanted, size_t whole)
{
	static char text[16384], target[4096];
	size_t used = 0;

	memset(target, 'x', sizeof(target));
	target[0] = '/';
	used += (size_t)sprintf(text, "device s mounted on %.*s with fstype nfs statvers=1.1",
				(int)length, target);
	if (whole) {
		memset(text + used, ' ', sizeof(text) - used);
		used = whole;
	}
	strcpy(text + used, "\n\tage:\t5\n");
	target[wanted] = '\0';
	return nfs_stats_find(text, target, &stats) == 0;
}

START_TEST(a_name_that_is_too_long_is_not_the_one_that_it_begins_with)
{
	ck_assert(is_found(20, 20, 0));
	ck_assert(!is_found(20, 19, 0));
	ck_assert(!is_found(20, 21, 0));
	ck_assert(is_found(1023, 1023, 0));
	ck_assert(!is_found(1024, 1024, 0));
	ck_assert(!is_found(1024, 1023, 0));
	ck_assert(is_found(20, 20, 4095));
	ck_assert(!is_found(20, 20, 4096));
}
END_TEST

START_TEST(a_mount_on_the_last_line_has_no_numbers)
{
	static const char text[] =
		"device s:/a mounted on /mnt/a with fstype nfs statvers=1.1\0\tage:\t5\n";

	expect_ops(text, -1, -1, -1);
	ck_assert_int_eq(stats.age_s, NFS_UNKNOWN);
}
END_TEST

START_TEST(what_is_no_nfs_mount_is_nobodys_part)
{

	ck_assert_int_eq(nfs_stats_find("device x\n\tage:\t5\n", "x", &stats), -1);
	ck_assert_int_eq(
		nfs_stats_find("device tmpfs mounted on /a with fstype tmpfs\n", "/a", &stats), -1);
	ck_assert_int_eq(nfs_stats_find("device s mounted on /a with fstype nfs44\n", "/a", &stats),
			 -1);
	ck_assert_int_eq(nfs_stats_find("device s mounted on /a with fstype nfsd\n", "/a", &stats),
			 -1);
}
END_TEST

START_TEST(lines_of_two_mounts_are_nobodys)
{
	expect_ops(DEVICE("/mnt/a") BYTES OPS READ WRITE ACCESS
		   "devic\n" BYTES OPS READ WRITE ACCESS,
		   -1, -1, -1);
	ck_assert_int_eq(stats.read_bytes, NFS_UNKNOWN);
	ck_assert_int_eq(stats.age_s, NFS_UNKNOWN);
	/* of one of them the half is lost */
	expect_ops(DEVICE("/mnt/a") BYTES OPS READ READ WRITE ACCESS, -1, -1, -1);
	expect_ops(DEVICE("/mnt/a") BYTES OPS WRITE WRITE READ ACCESS, -1, -1, -1);
	/* seven of eight: which of them is missing? */
	expect_ops(DEVICE("/mnt/a") "\tbytes:\t10 20 1 2 7 8 1\n" OPS READ WRITE ACCESS, 5, 7, 9);
	ck_assert_int_eq(stats.read_bytes, NFS_UNKNOWN);
}
END_TEST

START_TEST(of_transports_not_all_of_which_are_understood_none_is_told)
{
	ck_assert_int_eq(nfs_stats_find(DEVICE("/mnt/a") TCP TCP, "/mnt/a", &stats), 0);
	ck_assert_uint_eq(stats.transports, 2);
	ck_assert_int_eq(nfs_stats_waiting(&stats), 20);
	ck_assert_int_eq(nfs_stats_find(DEVICE("/mnt/a") TCP
					"\txprt:\tlocal 0 1 0 2 40 30 0 44 5 8 0 1\n",
					"/mnt/a", &stats),
			 0);
	ck_assert_uint_eq(stats.transports, 0);
	ck_assert_int_eq(nfs_stats_find(DEVICE("/mnt/a") TCP "\txprt:\ttcp 0 0 1 0 2 40\n",
					"/mnt/a", &stats),
			 0);
	ck_assert_uint_eq(stats.transports, 0);
	ck_assert_int_eq(nfs_stats_waiting(&stats), 0);
	ck_assert_int_eq(nfs_stats_answered(&stats), 0);
}
END_TEST

/* The kind and the numbers of a transport: is it understood? */
static bool is_transport(const char *words)
{
	char text[300];

	snprintf(text, sizeof(text), DEVICE("/mnt/a") "\txprt:\t%s\n", words);
	ck_assert_int_eq(nfs_stats_find(text, "/mnt/a", &stats), 0);
	return stats.transports == 1;
}

#define LESS_THAN_0 "18446744073709551615"

START_TEST(a_transport_has_sent_answered_and_queued)
{
	ck_assert(is_transport("tcp 1 2 3 4 5 60 50 8 9 7"));
	ck_assert_int_eq(stats.transport[0].sent, 60);
	ck_assert_int_eq(stats.transport[0].answered, 50);
	ck_assert_int_eq(stats.transport[0].backlog, 7);
	ck_assert(is_transport("rdma 1 2 3 4 5 60 50 8 9 7"));
	ck_assert(is_transport("udp 1 2 60 50 8 9 7"));
	ck_assert_int_eq(stats.transport[0].answered, 50);
	ck_assert(!is_transport("tcp 1 2 3 4 5 60 50 8 9"));
	ck_assert(!is_transport("udp 1 2 60 50 8 9"));
	/* what underflowed is none of these */
	ck_assert(!is_transport("tcp 1 2 3 4 5 " LESS_THAN_0 " 50 8 9 7"));
	ck_assert(!is_transport("tcp 1 2 3 4 5 60 " LESS_THAN_0 " 8 9 7"));
	ck_assert(!is_transport("tcp 1 2 3 4 5 60 50 8 9 " LESS_THAN_0));
	ck_assert(is_transport("tcp 1 2 3 4 " LESS_THAN_0 " 60 50 " LESS_THAN_0 " " LESS_THAN_0
			       " 7"));
	ck_assert(is_transport("tcp 1 2 3 4 5 0 0 8 9 0"));
}
END_TEST

START_TEST(a_mount_may_have_more_than_sixteen_transports)
{
	char text[8192] = DEVICE("/mnt/a");
	int i;

	for (i = 0; i < 31; i++)
		strcat(text, TCP);
	ck_assert_int_eq(nfs_stats_find(text, "/mnt/a", &stats), 0);
	ck_assert_uint_eq(stats.transports, 31);
	ck_assert_int_eq(nfs_stats_answered(&stats), 31 * 30);
}
END_TEST

/* ---- read-ahead ------------------------------------------------------------ */

static struct config config;

static char *read_ahead(void)
{
	char *text = fileio_read(tempdir_path("bdi/0:60/read_ahead_kb"), 64, NULL, NULL);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static void expect_read_ahead(const char *kb)
{
	char *text = read_ahead();

	ck_assert_str_eq(text, kb);
	free(text);
}

/* Read-ahead, as a profile has it; so many changes were made. */
static void change(const char *kb, size_t made)
{
	struct client_plan *plan = NULL;
	struct err err = { "" };

	want.read_ahead_kb = kb;
	ck_assert_msg(client_inspect(client, 1000, &err) == 0, "%s", err.text);
	plan = client_plan(client, &want, &findings);
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_msg(journal != NULL, "%s", err.text);
	ck_assert_int_ge(client_apply(client, plan, journal, &findings, &err), 0);
	client_plan_free(plan);
	ck_assert_uint_eq(journal_count(journal), made);
}

/* Of the changes so many could be undone, and this is there now. */
static void expect_restored(int count, const char *kb)
{
	config.run_dir = tempdir_name;
	config.clients[0] = section;
	config.client_count = 1;
	ck_assert_int_eq(client_restore(&config, tempdir_name, journal, &findings, NULL), count);
	expect_read_ahead(kb);
}

START_TEST(read_ahead_is_changed_and_put_back)
{
	node(WORK, "6.1");
	change("512", 1);
	ck_assert_str_eq(journal_at(journal, 0)->what, "read-ahead");
	ck_assert_str_eq(journal_at(journal, 0)->old_value, "read_ahead_kb=128");
	ck_assert_str_eq(journal_at(journal, 0)->new_value, "read_ahead_kb=512");
	expect_read_ahead("512");
	expect_restored(1, "128");
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(what_is_more_than_all_changes_of_a_job_is_said)
{
	static char table[256 * 64];
	struct client_plan *plan = NULL;
	size_t used = (size_t)sprintf(table, "%s", WORK);
	struct err err = { "" };
	int i;

	for (i = 1; i < 256; i++)
		used += (size_t)sprintf(table + used, "files:/%d /m/%d nfs rw,vers=3 0 0\n", i, i);
	node(table, "6.1");
	want.mount_options = "sync";
	want.read_ahead_kb = "512";
	ck_assert_int_eq(client_inspect(client, 1000, &err), 0);
	plan = client_plan(client, &want, &findings);
	ck_assert_uint_eq(client_plan_count(plan), 256);
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, "NF40");
	ck_assert_str_eq(
		findings.list[0].text,
		"'/mnt/work' and what is behind it could not get read_ahead_kb=512: 256 changes are all that a job has");
	client_plan_free(plan);
	away();
}
END_TEST

START_TEST(rules_have_the_counters_of_after_a_change)
{
	node(NOBODY, "6.1");
	section.mountstats = (char *)"/no/such/mountstats";
	change("512", 1);
	expect_read_ahead("512");
	ck_assert_uint_eq(findings.count, 0);
	let_requests_wait();
	client_judge(client, &want, &findings);
	expect_no_answer();
	away();
}
END_TEST

START_TEST(a_superblock_of_two_mounts_gets_its_old_read_ahead_back)
{
	node(WORK HOME, "6.1");
	change("512", 2);
	expect_restored(2, "128");
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_read_ahead_is_whole_pages_as_the_kernel_keeps_it)
{
	node(WORK, "6.1");
	change("513", 1);
	ck_assert_str_eq(journal_at(journal, 0)->new_value, "read_ahead_kb=512");
	expect_read_ahead("512");
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

/* ---- options of a live mount ---------------------------------------------------- */

/* The table is then as a test has written it down. */
#define REMOUNT                                                                                    \
	"#!/bin/sh\n"                                                                              \
	"cd '%s' || exit 9\n"                                                                      \
	"echo \"$*\" >>calls\n"                                                                    \
	"[ -e refuses ] && { echo refused >&2; exit 32; }\n"                                       \
	"[ -e hangs ] && exec sleep 60\n"                                                          \
	"[ -e shown ] && mv shown mounts\n"                                                        \
	"[ -e late ] && exit 32\n"                                                                 \
	"exit 0\n"
#define AT_WORK " 192.0.2.40:/export/work /mnt/work\n"
#define WORK_WITH(options)                                                                         \
	"192.0.2.40:/export/work /mnt/work nfs " options ",vers=3,hard,local_lock=none 0 0\n"

static void begin_options(const char *options)
{
	static char command[600];
	char text[1000];

	snprintf(text, sizeof(text), WORK_WITH("%s"), options);
	node(text, "6.1");
	section.mount_command = tempdir_command("mount", REMOUNT, command);
	section.timeout_ms = 60000;
}

/* A change to these words is planned, and made, or not. */
static void change_options(const char *words, enum journal_state state, const char *old)
{
	want.mount_options = words;
	change("", 1);
	ck_assert_str_eq(journal_at(journal, 0)->what, "mount-option");
	ck_assert_str_eq(journal_at(journal, 0)->old_value, old);
	ck_assert_str_eq(journal_at(journal, 0)->new_value, words);
	ck_assert_int_eq(journal_at(journal, 0)->state, state);
}

static void put_back(int count)
{
	config.run_dir = tempdir_name;
	config.clients[0] = section;
	config.client_count = 1;
	ck_assert_int_eq(client_restore(&config, tempdir_name, journal, &findings, NULL), count);
}

START_TEST(a_remount_says_again_what_the_kernel_would_take_away)
{
#define ALL "remount,ro,nosuid,nodev,noexec,sync,nodiratime,"
	begin_options("ro,nosuid,nodev,noexec,sync,relatime,nodiratime");
	tempdir_put("shown", WORK_WITH("ro,nosuid,nodev,noexec,sync,noatime,nodiratime"));
	change_options("noatime", JOURNAL_DONE, "relatime");
	tempdir_expect("calls", "-i -t nfs -o " ALL "noatime" AT_WORK);
	ck_assert(client_holds(client, &want));
	tempdir_put("shown", WORK_WITH("ro,nosuid,nodev,noexec,sync,relatime,nodiratime"));
	put_back(1);
	/* "relatime" alone does not end a noatime */
	tempdir_expect("calls", "-i -t nfs -o " ALL "noatime" AT_WORK "-i -t nfs -o " ALL
				"atime,relatime" AT_WORK);
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_default_of_a_mount_has_a_word_to_go_back_to)
{
	begin_options("rw");
	tempdir_put("shown", WORK_WITH("rw,sync,noatime,nodiratime"));
	change_options("noatime,sync,nodiratime", JOURNAL_DONE, "strictatime,async,diratime");
	tempdir_put("shown", WORK_WITH("rw"));
	put_back(1);
	tempdir_expect("calls", "-i -t nfs -o remount,noatime,sync,nodiratime" AT_WORK
				"-i -t nfs -o remount,strictatime,async,diratime" AT_WORK);
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_remount_that_fails_is_told_and_one_that_only_says_so_is_none)
{
	struct client_plan *plan = NULL;

	begin_options("rw");
	tempdir_put("refuses", "");
	change_options("noatime", JOURNAL_FAILED, "strictatime");
	expect(1, "NF40",
	       "'/mnt/work' could not get noatime: mount -o remount: exit status 32: refused");
	tempdir_expect("calls", "-i -t nfs -o remount,async,diratime,noatime" AT_WORK);
	/* it did not hang: it is tried again */
	plan = client_plan(client, &want, &findings);
	ck_assert_uint_eq(client_plan_count(plan), 1);
	client_plan_free(plan);
	away();
	begin_options("rw");
	tempdir_put("shown", WORK_WITH("rw,noatime"));
	tempdir_put("late", "");
	change_options("noatime", JOURNAL_DONE, "strictatime");
	ck_assert_uint_eq(findings.count, 0);
	away();
	begin_options("rw"); /* one that does nothing */
	change_options("noatime", JOURNAL_FAILED, "strictatime");
	expect(1, "NF40",
	       "'/mnt/work' could not get noatime: the mount table shows 'async,strictatime,diratime' instead");
	away();
}
END_TEST

START_TEST(a_mount_whose_remount_hung_is_left_alone)
{
	struct client_plan *plan = NULL;

	begin_options("rw");
	tempdir_put("hangs", "");
	section.timeout_ms = 1000;
	change_options("noatime", JOURNAL_FAILED, "strictatime");
	ck_assert_uint_eq(findings.count, 1);
	plan = client_plan(client, &want, &findings);
	ck_assert_uint_eq(client_plan_count(plan), 0);
	ck_assert(!client_holds(client, &want));
	away();
}
END_TEST

START_TEST(a_mount_that_is_gone_gets_no_options_and_gives_none_back)
{
	begin_options("rw");
	tempdir_put("shown", WORK_WITH("rw,noatime"));
	change_options("noatime", JOURNAL_DONE, "strictatime");
	tempdir_put("mounts", "");
	put_back(1);
	tempdir_expect("calls", "-i -t nfs -o remount,async,diratime,noatime" AT_WORK);
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

/* ---- what the settings of a mount are read and written by ----------------------- */

START_TEST(a_setting_of_a_mount_that_is_gone_cannot_be_written)
{
	const struct setting *setting;
	struct err err;
	size_t i;

	node(WORK, "6.1");
	look();
	for (i = 0; i < 2; i++) {
		setting = nfs_changes[i]->how;
		err.text[0] = '\0';
		ck_assert_int_eq(
			setting->write(setting, client, "/mnt/gone", "read_ahead_kb=512", &err),
			-1);
		ck_assert_str_eq(err.text, "it is not mounted any more");
		ck_assert_ptr_null(setting->now(client, "/mnt/gone"));
		ck_assert_int_eq(setting->read(client, &err), 0);
	}
	expect_read_ahead("128");
	setting = nfs_changes[1]->how;
	err.text[0] = '\0';
	ck_assert_int_eq(setting->write(setting, client, "/mnt/work", "read_ahead_kb=512", &err),
			 0);
	ck_assert_str_eq(err.text, "");
	expect_read_ahead("512");
	section.mountinfo = (char *)"/nowhere";
	for (i = 0; i < 2; i++) {
		setting = nfs_changes[i]->how;
		ck_assert_int_eq(setting->read(client, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.text, "/nowhere"));
	}
	away();
}
END_TEST

/* ---- the card that leads to the server ------------------------------------- */

/* The server is this machine, the card one that has its address, too, with what is put in
 * its folder; FILES has two connections. */
#define LOCAL                                                                                      \
	"files.example.org:/ /mnt/my\\040files nfs4 rw,vers=4.2,rsize=262144,"                     \
	"wsize=262144,hard,proto=tcp,local_lock=none,addr=127.0.0.1 0 0\n"

/* In place of libc's. */
static bool is_mute; /* the kernel tells of no interface */
int getifaddrs(struct ifaddrs **all)
{
	static const struct {
		const char *name, *address;
		int family;
	} cards[] = {
		{ "wg0", NULL, 0 },
		{ "lo", NULL, AF_PACKET },
		{ "eth0", "192.0.2.127", AF_INET },
		{ "eth6", "2001:db8::1", AF_INET6 },
		{ "lo", "127.0.0.1", AF_INET },
		{ "eth7", "::2", AF_INET6 },
		{ "lo", "::1", AF_INET6 },
		{ "eth1", "127.0.0.1", AF_INET },
	};
	enum {
		COUNT = sizeof(cards) / sizeof(cards[0])
	};
	static struct sockaddr_storage at[COUNT];
	static struct ifaddrs list[COUNT];
	size_t i;

	if (is_mute)
		return -1;
	for (i = 0; i < COUNT; i++) {
		list[i].ifa_next = i + 1 < COUNT ? &list[i + 1] : NULL;
		list[i].ifa_name = (char *)cards[i].name;
		list[i].ifa_flags = strcmp(cards[i].name, "lo") ? 0 : IFF_LOOPBACK;
		list[i].ifa_addr = cards[i].family ? (struct sockaddr *)&at[i] : NULL;
		at[i].ss_family = (sa_family_t)cards[i].family;
		if (cards[i].family == AF_INET)
			inet_pton(AF_INET, cards[i].address,
				  &((struct sockaddr_in *)&at[i])->sin_addr);
		if (cards[i].family == AF_INET6)
			inet_pton(AF_INET6, cards[i].address,
				  &((struct sockaddr_in6 *)&at[i])->sin6_addr);
	}
	*all = list;
	return 0;
}

void freeifaddrs(struct ifaddrs *all)
{
	(void)all;
}

static void put_card(const char *speed, const char *numa_node)
{
	static const char *const folders[] = {
		"class",   "class/net",	     "class/net/eth1",	   "class/net/eth1/device",
		"devices", "devices/system", "devices/system/cpu",
	};
	char path[64];
	size_t i;
	int cpu;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		put_folder(folders[i]);
	for (cpu = 0; cpu < 4; cpu++) { /* CPUs 0 and 1 are at node 0 */
		snprintf(path, sizeof(path), "devices/system/cpu/cpu%d", cpu);
		put_folder(path);
		snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/node%d", cpu, cpu / 2);
		put_folder(path);
	}
	tempdir_put("class/net/eth1/speed", speed);
	tempdir_put("class/net/eth1/device/numa_node", numa_node);
	sysfs_set_root(tempdir_name);
}

static void one_connection(void)
{
	char *text = fileio_read(section.mountstats, 65536, NULL, NULL);
	char *second = strstr(text, "\txprt:\ttcp 941");
	char *end = strchr(second, '\n') + 1;
	static char path[512];

	memmove(second, end, strlen(end) + 1);
	snprintf(path, sizeof(path), "%s", tempdir_put("one", text));
	section.mountstats = path;
	free(text);
}

START_TEST(one_connection_over_a_fast_card_is_said)
{
	node(LOCAL, "6.1");
	put_card("100000\n", "0\n");
	look();
	ck_assert_msg(!findings.count, "%s", findings.list[0].text);
	away();
	node(LOCAL, "6.1");
	put_card("25000\n", "0\n");
	one_connection();
	look();
	expect(1, "NF11",
	       "'/mnt/my files' has one connection to its server, over a card of 25 Gbit/s");
	away();
	node(LOCAL, "6.1");
	put_card("199900\n", "0\n");
	one_connection();
	look();
	expect(1, "NF11",
	       "'/mnt/my files' has one connection to its server, over a card of 199 Gbit/s");
	away();
	node(LOCAL, "6.1");
	put_card("24999\n", "0\n");
	one_connection();
	look();
	ck_assert_msg(!findings.count, "%s", findings.list[0].text);
	away();
}
END_TEST

/* rdma_rxe stands upon an interface */
static void put_rxe(const char *interface)
{
	put_folder("class/infiniband");
	put_folder("class/infiniband/rxe0");
	tempdir_put("class/infiniband/rxe0/parent", interface);
}

static void expect_tcp(void)
{
	expect(1, "NF10",
	       "'/mnt/my files' goes over TCP, and the card eth1 that leads to its server can do RDMA");
	ck_assert_str_eq(
		findings.list[0].cure,
		"mount it with proto=rdma,port=20049 if the server offers it; of a server's NFS 4 mounts the first decides");
}

START_TEST(tcp_over_a_card_that_can_do_rdma_is_said)
{
	node(LOCAL, "6.1");
	put_card("1000\n", "0\n");
	put_folder("class/net/eth1/device/infiniband");
	look();
	expect_tcp();
	ck_assert_str_eq(findings.list[0].target, "files.example.org:");
	away();
	/* of one mount, where the server has others over RDMA */
	node("files.example.org:/ /mnt/fast nfs4 rw,vers=4.2,rsize=262144,wsize=262144,hard,proto=rdma,local_lock=none,addr=127.0.0.1 0 0\n" LOCAL,
	     "6.1");
	put_card("1000\n", "0\n");
	put_folder("class/net/eth1/device/infiniband");
	look();
	expect_tcp();
	ck_assert_str_eq(findings.list[0].target, "/mnt/my files");
	away();
	node(LOCAL, "6.1");
	put_card("1000\n", "0\n");
	put_rxe("eth0\n");
	look();
	ck_assert_msg(!findings.count, "%s", findings.list[0].text);
	away();
	node(LOCAL, "6.1");
	put_card("1000\n", "0\n");
	put_rxe("eth1\n");
	look();
	expect_tcp();
	away();
}
END_TEST

static void look_with_cores(const char *cpus, const char *numa_node)
{
	node(LOCAL, "6.1");
	put_card("1000\n", numa_node);
	want.io_cores = 1;
	want.has_io_cores = true;
	ck_assert_int_eq(cpuset_parse(&want.io_cpus, cpus, NULL), 0);
	look();
}

START_TEST(io_cores_far_from_the_card_are_said)
{
	look_with_cores("2-3", "0\n");
	expect(1, "NF15",
	       "the card eth1 of '/mnt/my files' is at NUMA node 0, the job's io-cores (CPUs 2-3) are at another");
	away();
	look_with_cores("1-2", "0\n");
	ck_assert_uint_eq(findings.count, 0);
	away();
	look_with_cores("2-3", "1\n");
	ck_assert_uint_eq(findings.count, 0);
	away();
	look_with_cores("0-1", "1\n");
	expect(1, "NF15",
	       "the card eth1 of '/mnt/my files' is at NUMA node 1, the job's io-cores (CPUs 0-1) are at another");
	away();
	/* where nobody knows it is not said */
	look_with_cores("2-3", "-1\n");
	ck_assert_uint_eq(findings.count, 0);
	away();
	look_with_cores("2-4", "0\n");
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_server_whose_address_is_not_known_has_no_card)
{
	struct client_cards cards;

	node(FILES, "6.1");
	put_card("1000\n", "0\n");
	want.io_cores = 1;
	want.has_io_cores = true;
	ck_assert_int_eq(cpuset_parse(&want.io_cpus, "2-3", NULL), 0);
	look();
	expect_none();
	client_cards(client, &cards);
	ck_assert_uint_eq(cards.count, 0);
	away();
}
END_TEST

/* The card that leads to this address; "": none. */
static void expect_card(const char *address, const char *name)
{
	struct nfs_card card;

	put_card("1000\n", "0\n");
	ck_assert_int_eq(nfs_card_find(address, &card), *name != '\0');
	if (*name)
		ck_assert_str_eq(card.name, name);
}

/* How many findings are there of the card of such a mount? */
static size_t of_the_card(const char *options)
{
	struct client_cards cards;
	char line[300];
	size_t count;

	snprintf(line, sizeof(line), "f:/ /mnt/my\\040files nfs4 rw,hard,%s,addr=127.0.0.1 0 0\n",
		 options);
	node(line, "6.1");
	put_card("100000\n", "0\n");
	put_folder("class/net/eth1/device/infiniband");
	one_connection();
	look();
	count = findings.count;
	client_cards(client, &cards);
	ck_assert_uint_eq(cards.count, count ? 1 : 0);
	away();
	return count;
}

START_TEST(a_mount_that_uses_several_addresses_has_no_card)
{
	ck_assert_uint_eq(of_the_card("vers=3,proto=tcp"), 2);
	ck_assert_uint_eq(of_the_card("vers=3,proto=tcp,nconnect=16"), 2);
	ck_assert_uint_eq(of_the_card("vers=3,proto=tcp,nconnect=17"), 0);
	ck_assert_uint_eq(of_the_card("vers=3,proto=tcp,nconnect=56,remoteports=dns"), 0);
	ck_assert_uint_eq(of_the_card("vers=3,proto=tcp,remoteports=192.0.2.1-192.0.2.8"), 0);
	ck_assert_uint_eq(of_the_card("vers=3,proto=tcp,localports=192.0.2.100~192.0.2.101"), 0);
	ck_assert_uint_eq(of_the_card("vers=3,proto=tcp,nconnect=8,spread_reads"), 0);
	ck_assert_uint_eq(of_the_card("vers=4.1,proto=tcp,max_connect=4"), 0);
}
END_TEST

START_TEST(the_first_interface_with_the_address_of_the_way_is_the_card)
{
	tempdir_make();
	expect_card("127.0.0.1", "eth1");
	expect_card("", "");
	expect_card("files.example.org", "");
	tempdir_remove();
}
END_TEST

START_TEST(what_is_known_of_one_server_is_not_told_of_the_next)
{
	struct nfs_card card;

	tempdir_make();
	expect_card("127.0.0.1", "eth1");
	ck_assert(nfs_card_find("127.0.0.1", &card));
	ck_assert(!nfs_card_find("files.example.org", &card));
	ck_assert(nfs_card_find("127.0.0.1", &card));
	is_mute = true;
	ck_assert(!nfs_card_find("127.0.0.1", &card));
	is_mute = false;
	ck_assert(nfs_card_find("127.0.0.1", &card));
	tempdir_remove();
}
END_TEST

START_TEST(a_mount_option_of_a_profile_is_refused)
{
	node(WORK, "6.1");
	want.mount_options = "forcedirect";
	change("512", 0);
	expect(1, "NF49",
	       "mount option 'forcedirect' of the profile: a live NFS mount does not take it; the profile was not applied");
	expect_read_ahead("128");
	away();
}
END_TEST

START_TEST(a_reboot_undoes_the_read_ahead_of_nfs)
{
	ck_assert(!client_change_outlives_reboot("nfs", "read-ahead"));
	ck_assert(client_change_outlives_reboot("weka", "cores"));
	ck_assert(!client_change_outlives_reboot("weka", "mount-option"));
	ck_assert(client_change_outlives_reboot("unknown", "mount-option"));
}
END_TEST

START_TEST(a_servers_name_is_told_whole_or_not_at_all)
{
	char name[FINDING_TARGET_MAX], table[400];
	size_t length;

	for (length = sizeof(name) - 2; length < sizeof(name); length++) {
		memset(name, 'n', length);
		snprintf(table, sizeof(table),
			 "%.*s:/w /mnt/work nfs rw,proto=tcp,port=1,addr=127.0.0.1 0 0\n",
			 (int)length, name);
		node(table, "6.1");
		let_requests_wait();
		look();
		expect_no_answer();
		ck_assert_uint_eq(strlen(findings.list[0].target),
				  length + 1 < sizeof(name) ? length + 1 : 0);
		away();
	}
}
END_TEST

START_TEST(a_transport_that_nobody_has_used_is_understood)
{
	ck_assert_int_eq(nfs_stats_find(DEVICE("/mnt/a") "\txprt:\ttcp 0 0 1 0 2 0 0 0 0 0 0 0 0\n",
					"/mnt/a", &stats),
			 0);
	ck_assert_uint_eq(stats.transports, 1);
	ck_assert_int_eq(nfs_stats_waiting(&stats), 0);
	ck_assert_int_eq(nfs_stats_answered(&stats), 0);
}
END_TEST

START_TEST(a_card_and_a_line_of_jobio_conf_are_told_for_plans)
{
	struct client_place place = { .card = "" };
	struct client_cards cards;
	char *text;

	node(LOCAL, "6.1");
	put_card("100000\n", "1\n");
	look();
	client_cards(client, &cards);
	ck_assert_uint_eq(cards.count, 1);
	ck_assert_str_eq(cards.card[0].name, "eth1");
	ck_assert_str_eq(cards.card[0].serves, "/mnt/my files");
	ck_assert_int_eq(cards.card[0].numa_node, 1);
	away();
	text = client_cores_command("nfs", &place);
	ck_assert_str_eq(text, "core_change=affinity in its section of jobio.conf");
	free(text);
	place.card = "ib0";
	text = client_cores_command("nfs", &place);
	ck_assert_str_eq(text,
			 "core_change=affinity and interrupts_of=ib0 in its section of jobio.conf");
	free(text);
	ck_assert_ptr_null(client_cores_command("xfs", &place));
	ck_assert_uint_eq(client_sizing("xfs")->cores_max, 0);
	ck_assert_uint_eq(client_sizing("nfs")->cores_max, 0);
	ck_assert_uint_ne(client_sizing("weka")->cores_max, 0);
	ck_assert_str_eq(client_type_with_cores(), "weka");
	ck_assert(client_type_mounts("nfs", "nfs4"));
	ck_assert(!client_type_mounts("nfs", "nfsd"));
	ck_assert(!client_type_mounts("nfs", ""));
	ck_assert(!client_type_mounts("xfs", "xfs"));
}
END_TEST

UNIT_MAIN(
	"nfs", a_client_in_order_has_no_finding_and_no_cpu,
	each_version_of_the_protocol_is_told_once,
	a_client_whose_tables_cannot_be_read_is_not_looked_at, a_server_that_answers_nobody_is_said,
	a_server_that_answers_us_is_no_finding_whatever_waits,
	a_server_that_takes_questions_and_answers_none_is_said,
	a_server_that_hangs_up_has_not_answered, no_connection_to_a_server_is_left_open,
	a_server_that_takes_its_time_has_answered,
	a_prolog_that_has_little_time_left_asks_no_longer,
	a_server_that_answers_others_meanwhile_is_no_finding,
	a_server_whose_counters_cannot_be_read_any_more_is_not_hung,
	each_server_is_known_by_its_address_and_port,
	a_server_is_asked_behind_mounts_of_which_nothing_is_known,
	on_the_way_back_a_server_has_all_its_time, how_a_mount_reaches_its_server_is_in_its_options,
	each_server_is_asked_where_the_site_wants_it,
	a_server_that_cannot_be_asked_is_judged_by_what_waits,
	mounts_that_share_a_superblock_are_counted_once,
	read_plus_is_a_read_and_a_blank_belongs_to_the_name, mounts_of_an_older_kernel_are_read,
	only_the_mounts_of_jobio_conf_are_counted,
	a_mount_of_jobio_conf_is_found_behind_any_number_of_others,
	counters_that_went_back_are_no_number,
	what_the_server_copied_is_told_without_what_it_refused,
	copies_that_may_have_been_refused_are_unknown, copies_are_a_number_of_the_wire,
	what_was_sent_again_is_what_was_sent_beyond_what_was_begun,
	a_sum_that_could_be_too_large_is_unknown, times_are_microseconds_as_far_as_they_can_be_told,
	a_row_is_born_as_long_ago_as_its_superblock_is_old,
	a_row_has_the_name_of_its_mount_if_it_fits, a_backlog_is_that_of_all_transports,
	a_mount_that_mountinfo_does_not_show_has_no_row,
	that_nothing_is_counted_is_told_from_what_cannot_be_read,
	a_mount_that_one_file_lacks_keeps_no_other_from_being_counted,
	the_backlog_of_transports_is_counted_once,
	of_transports_that_are_not_understood_no_backlog_is_told,
	what_asks_for_names_and_attributes_is_told_apart,
	operations_that_no_line_tells_of_are_unknown,
	operations_beside_which_data_goes_to_disks_are_unknown,
	an_operation_that_is_not_understood_makes_its_sum_unknown,
	numbers_go_as_far_as_they_can_be_told, a_line_that_is_cut_off_has_no_number,
	a_line_that_is_too_long_is_not_known_whatever_follows,
	the_next_mounts_lines_are_not_this_ones,
	a_name_that_is_too_long_is_not_the_one_that_it_begins_with,
	a_mount_on_the_last_line_has_no_numbers, what_is_no_nfs_mount_is_nobodys_part,
	lines_of_two_mounts_are_nobodys, of_transports_not_all_of_which_are_understood_none_is_told,
	a_transport_has_sent_answered_and_queued, a_mount_may_have_more_than_sixteen_transports,
	read_ahead_is_changed_and_put_back, what_is_more_than_all_changes_of_a_job_is_said,
	rules_have_the_counters_of_after_a_change,
	a_superblock_of_two_mounts_gets_its_old_read_ahead_back,
	a_read_ahead_is_whole_pages_as_the_kernel_keeps_it,
	a_setting_of_a_mount_that_is_gone_cannot_be_written,
	one_connection_over_a_fast_card_is_said, tcp_over_a_card_that_can_do_rdma_is_said,
	io_cores_far_from_the_card_are_said, a_server_whose_address_is_not_known_has_no_card,
	a_mount_that_uses_several_addresses_has_no_card,
	the_first_interface_with_the_address_of_the_way_is_the_card,
	what_is_known_of_one_server_is_not_told_of_the_next, a_mount_option_of_a_profile_is_refused,
	a_reboot_undoes_the_read_ahead_of_nfs, a_servers_name_is_told_whole_or_not_at_all,
	a_transport_that_nobody_has_used_is_understood,
	a_remount_says_again_what_the_kernel_would_take_away,
	a_default_of_a_mount_has_a_word_to_go_back_to,
	a_remount_that_fails_is_told_and_one_that_only_says_so_is_none,
	a_mount_whose_remount_hung_is_left_alone,
	a_mount_that_is_gone_gets_no_options_and_gives_none_back,
	a_card_and_a_line_of_jobio_conf_are_told_for_plans)
