/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replies of jobio-ledgerd by request and user, and the checks of a reply by its clients
 * (link/ledger_link.h). The real ledger runs with a munged that has a key of its own and the
 * slurmdbd of tests/tools/slurmdb.c. Hostile peers: tests/scripts/peers.bats. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/config_load.h"
#include "base/fileio.h"
#include "base/number.h"
#include "link/ledger_link.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define SUMMARY_OF_7                                                                               \
	"jobio/1 rd=2KiB/- wr=-/- nodes=2/2 cores=- cpus=- prof=- fs=- scope=job src=stepd q=- imb=1.00@n1"

enum who {
	ROOT, /* or the user that runs the tests: the ledger's user */
	ALICE = 1000,
	BOB = 1001,
	OPERATOR = 1 /* user "daemon" */
};

static pid_t munged, ledger;
static struct config *config;

/* ---- the daemons ---------------------------------------------------------------- */

static bool is_up(const char *file)
{
	int i;

	for (i = 0; i < 400; i++, usleep(50000))
		if (access(file, F_OK) == 0)
			return true;
	return false;
}

static unsigned int free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert(bind(fd, (struct sockaddr *)&at, size) == 0 &&
		  getsockname(fd, (struct sockaddr *)&at, &size) == 0);
	close(fd);
	return ntohs(at.sin_port);
}

__attribute__((format(printf, 1, 2))) static pid_t spawned(const char *format, ...)
{
	char command[2000] = "PATH=$PATH:/usr/sbin; exec ";
	va_list args;
	pid_t pid;

	va_start(args, format);
	vsnprintf(command + strlen(command), sizeof(command) - strlen(command), format, args);
	va_end(args);
	pid = fork();
	if (pid == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	return pid;
}

static void configure(unsigned int port, const char *more)
{
	const char *socket = getenv("JOBIO_TEST_MARIADB"); /* as in test_store.c */
	static int count;
	char text[2000], store[600];
	struct err err = { "" };

	snprintf(store, sizeof(store), "%s/s", tempdir_name);
	if (socket)
		snprintf(store, sizeof(store),
			 "mariadb\nstorage_host = %s\nstorage_user = root\nstorage_loc = t%d_%d",
			 socket, (int)getpid(), count++);
	snprintf(
		text, sizeof(text),
		"[ledger]\nhost = 127.0.0.1\nlisten = 127.0.0.1\nport = %u\nuser = %s\nstore = %s\nmunge_socket = %s/m/socket\n%s",
		port, getpwuid(geteuid())->pw_name, store, tempdir_name, more);
	tempdir_put("conf", text);
	config_free(config);
	config = config_load(tempdir_path("conf"), &err);
	ck_assert_msg(config != NULL, "%s", err.text);
}

static void start_munged(void)
{
	char key[129];
	int i;

	tempdir_make();
	ck_assert_int_eq(chmod(tempdir_name, 0755), 0);
	for (i = 0; i < 128; i++)
		key[i] = (char)('a' + (i * 7 + getpid()) % 26);
	key[128] = '\0';
	ck_assert_int_eq(chmod(tempdir_put("m/key", key), 0600) | chmod(tempdir_path("m"), 0755),
			 0);
	munged = spawned(
		"munged --force --foreground --num-threads=2 --key-file=%1$s/key --socket=%1$s/socket --pid-file=%1$s/pid --log-file=%1$s/log --seed-file=%1$s/seed >%1$s/out 2>&1",
		tempdir_path("m"));
	ck_assert_msg(is_up(tempdir_path("m/socket")), "no munged");
}

static void start(void)
{
	start_munged();
	tempdir_put("slurmdb/users", "2 daemon\n3 nobody_of_this_host\n");
	tempdir_put("slurmdb/rows", "c 7 900 1000 2000 3 5 1 - - physics|\n"
				    "c 8 900 1000 2000 3 - - - - -|\n");
	configure(free_port(), "grace_s = 300\n");
	ledger = spawned(
		"env LD_PRELOAD=" BUILDDIR
		"/.libs/slurmdb.so ASAN_OPTIONS=verify_asan_link_order=0 SLURMDB=%1$s/slurmdb " BUILDDIR
		"/jobio-ledgerd --conf=%1$s/conf 2>%1$s/messages",
		tempdir_name);
	ck_assert_msg(is_up(tempdir_path("slurmdb/log")), "no ledger");
}

static void stop(pid_t *pid)
{
	if (*pid > 0) {
		kill(*pid, SIGTERM);
		waitpid(*pid, NULL, 0);
	}
	*pid = 0;
}

static void end(void)
{
	stop(&ledger);
	stop(&munged);
	tempdir_remove();
}

/* ---- requests ----------------------------------------------------------------------- */

/* In a process of that user: print the reply, or the error message. */
static void ask_and_exit(enum who who, const char *request)
{
	struct err err = { "" };
	struct ledger_link *link;
	char *answer = NULL;

	if (who != ROOT && (setgid(who) < 0 || setuid(who) < 0))
		_exit(1);
	link = ledger_link_open(&config->ledger, &err);
	if (!link || ledger_link_call(link, request, &answer, &err) < 0)
		answer = err.text;
	printf("%s", answer);
	fflush(stdout);
	ledger_link_close(link);
	_exit(0);
}

/* The result is valid until the next call. */
static const char *ask(enum who who, const char *request)
{
	static char answer[LEDGER_FRAME_MAX];
	int fd[2];
	size_t size;
	FILE *in;
	pid_t pid;

	ck_assert_int_eq(pipe(fd), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fd[1], STDOUT_FILENO);
		ask_and_exit(who, request);
	}
	close(fd[1]);
	in = fdopen(fd[0], "r");
	size = fread(answer, 1, sizeof(answer) - 1, in);
	answer[size] = '\0';
	fclose(in);
	waitpid(pid, NULL, 0);
	return answer;
}

/* A request with a record of alice's, from 1000 to 2000 s, with parts of its text replaced:
 * "\"job\":7|\"job\":8". */
static const char *put_request(const char *const *changes)
{
	static char text[8000], next[8000];
	char old[200];
	const char *new, *at;

	strcpy(text,
	       "{\"op\":\"put\",\"record\":{\"jobio\":1,\"cluster\":\"c\",\"job\":7,\"restart\":0,\"node\":\"n1\",\"nodelist\":\"n[1-2]\",\"uid\":1000,\"user\":\"alice\",\"start\":1000.0,\"end\":2000.0,\"array\":null,\"findings\":[],\"app\":[{\"scope\":\"job\",\"source\":\"stepd\",\"fs\":null,\"read_bytes\":1024}]}}");
	for (; *changes; changes++) {
		new = strchr(*changes, '|') + 1;
		snprintf(old, sizeof(old), "%.*s", (int)(new - 1 - *changes), *changes);
		at = strstr(text, old);
		ck_assert_msg(at != NULL, "no %s", old);
		snprintf(next, sizeof(next), "%.*s%s%s", (int)(at - text), text, new,
			 at + strlen(old));
		strcpy(text, next);
	}
	return text;
}

#define PUT(...)                                                                                   \
	ck_assert_str_eq(ask(ROOT, put_request((const char *const[]){ __VA_ARGS__, NULL })),       \
			 "{\"ok\":true}")

/* Without permission the reply is the same as for a job that does not exist. */
#define NO(what) "{\"ok\":false,\"error\":\"" what "\"}"
#define NO_JOB(job) NO("job '" job "': no record that you may read")
#define NO_SITE NO("site: for root, SlurmUser and operators of Slurm only")
#define BAD(what) "{\"ok\":false,\"error\":\"" what "\",\"bad_record\":true}"

/* User and request; the whole reply, or texts that it contains ("..") or not ("!.."). */
static const struct {
	enum who who;
	const char *request, *answer[5];
} questions[] = {
	{ ROOT,
	  "{\"op\":\"ping\"}",
	  { "..\"ok\":true,\"version\":\"" JOBIO_PACKAGE_VERSION "\",\"time\":1" } },
	{ ROOT, "7", { NO("the request is not a JSON object") } },
	{ ROOT, "{\"op\":\"dance\"}", { NO("op: must be put, get, list, family, site or ping") } },
	{ ROOT, "{\"op\":\"get\"}", { NO("get: job: must be a text") } },
	{ ROOT, "{\"op\":\"get\",\"job\":\"7x\"}", { NO("job: '7x': not a job id") } },
	{ ROOT, "{\"op\":\"get\",\"job\":\"5_x\"}", { NO("job: '5_x': not a job id") } },
	{ ROOT, "{\"op\":\"get\",\"job\":\"0\"}", { NO("job: '0': not a job id") } },
	{ ROOT, "{\"op\":\"family\",\"job\":\"2_1\"}", { NO("family: job: must be a job id") } },
	{ ROOT,
	  "{\"op\":\"list\",\"jobs\":7}",
	  { NO("list: jobs: must be a list of at most 1000 job ids") } },
	{ ROOT,
	  "{\"op\":\"site\",\"since\":\"x\",\"until\":1}",
	  { NO("site: since and until: must be seconds") } },
	{ ROOT, "{\"op\":\"put\",\"record\":7}", { BAD("put: record: must be an object") } },
	{ ROOT,
	  "{\"op\":\"put\",\"record\":{}}",
	  { BAD("record: jobio: '0': this program reads version 1") } },
	{ ALICE, "{\"op\":\"put\",\"record\":{}}", { NO("put: only root may put records") } },
	/* a job may be read by its owner, root and the ledger's user */
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"7\"}",
	  { "..\"records\":[{", "..\"totals\":{\"read_bytes\":2048,",
	    "..\"summary\":\"" SUMMARY_OF_7 "\"", "..\"state\":\"written\"",
	    "..\"array_job\":5,\"array_task\":1," } },
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"7\",\"after\":\"n1\"}",
	  { "..\"node\":\"n2\"", "!\"node\":\"n1\"", "!\"totals\"" } },
	/* what is merged instead of the records of several nodes */
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"7\",\"form\":\"slim\"}",
	  { "..\"judged\":{", "..\"record_count\":2,", "..\"lines\":[{", "!\"records\"",
	    "..\"state\":\"written\"" } },
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"9\",\"form\":\"row\"}",
	  { "..\"records\":[", "..\"judged\":{", "..\"state\":\"waiting\"" } },
	{ BOB, "{\"op\":\"get\",\"job\":\"7\"}", { NO_JOB("7") } },
	{ BOB, "{\"op\":\"get\",\"job\":\"77\"}", { NO_JOB("77") } },
	{ ROOT,
	  "{\"op\":\"get\",\"job\":\"8\"}",
	  { "..\"uid\":1001", "..\"records_left_out\":0" } },
	{ ALICE, "{\"op\":\"get\",\"job\":\"8\"}", { NO_JOB("8") } },
	/* a job that waits to be written has its summary already */
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"9\"}",
	  { "..\"state\":\"waiting\"", ".. nodes=1/2 ", ".. miss=n2" } },
	/* the newest run that the user may read, or the run that was requested */
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"10\"}",
	  { "..\"totals\"", "..\"start\":5000.0", "!\"start\":1000.0", "..\"restart\":0," } },
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"10\",\"restart\":0}",
	  { "..\"start\":1000.0", "!\"start\":5000.0" } },
	{ BOB, "{\"op\":\"get\",\"job\":\"10\"}", { "..\"start\":9000.0", "!\"start\":5000.0" } },
	/* a cluster's name, in upper or lower case */
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"7\",\"cluster\":\"C\"}",
	  { "..\"cluster\":\"c\"", "!\"cluster\":\"d\"" } },
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"11\",\"cluster\":\"c\"}",
	  { "..\"start\":1000.0", "!\"cluster\":\"d\"" } },
	{ ALICE,
	  "{\"op\":\"get\",\"job\":\"11\",\"cluster\":\"d\"}",
	  { "..\"start\":5000.0", "!\"cluster\":\"c\"" } },
	{ ALICE, "{\"op\":\"get\",\"job\":\"11\",\"cluster\":\"e\"}", { NO_JOB("11") } },
	{ ALICE,
	  "{\"op\":\"list\",\"jobs\":[11],\"cluster\":\"c\"}",
	  { "..\"start\":1000.0", "!\"cluster\":\"d\"" } },
	/* array tasks and het job components, by number */
	{ ALICE,
	  "{\"op\":\"family\",\"job\":\"25\"}",
	  { "{\"ok\":true,\"family\":[\"25_2\",\"25_10\"]}" } },
	{ ROOT,
	  "{\"op\":\"family\",\"job\":\"25\",\"cluster\":\"d\"}",
	  { "{\"ok\":true,\"family\":[\"25_2\"]}" } },
	{ BOB, "{\"op\":\"family\",\"job\":\"25\"}", { "{\"ok\":true,\"family\":[]}" } },
	{ ALICE, "{\"op\":\"get\",\"job\":\"25_10\"}", { "..\"job\":27," } },
	{ ALICE, "{\"op\":\"get\",\"job\":\"25_3\"}", { NO_JOB("25_3") } },
	{ ALICE, "{\"op\":\"family\",\"job\":\"40\"}", { "{\"ok\":true,\"family\":[\"40+0\"]}" } },
	{ ALICE, "{\"op\":\"get\",\"job\":\"40+0\"}", { "..\"job\":40," } },
	/* many jobs in one reply */
	{ ALICE,
	  "{\"op\":\"list\",\"jobs\":[7,9,8,\"x\",-1]}",
	  { "..\"node\":\"n2\"", "..\"job\":9,", "!\"job\":8,", "..\"done\":5}" } },
	{ BOB, "{\"op\":\"list\",\"jobs\":[7]}", { "{\"ok\":true,\"runs\":[],\"done\":1}" } },
	{ ALICE, "{\"op\":\"list\",\"jobs\":[12]}", { "..\"read_sizes\":[0,1]" } },
	{ ALICE,
	  "{\"op\":\"list\",\"jobs\":[12],\"brief\":true}",
	  { "..\"read_bytes\":1024", "..\"record_count\":1,", "!\"records\"", "!\"lines\"" } },
	/* site totals: root, the ledger's user and operators only */
	{ ROOT,
	  "{\"op\":\"site\",\"since\":0,\"until\":5000}",
	  { "..{\"ok\":true,\"columns\":[\"cluster\",\"user\",\"account\",", "..\"physics\"",
	    "!\"next\"" } },
	{ OPERATOR, "{\"op\":\"site\",\"since\":0,\"until\":5000}", { "..\"physics\"" } },
	{ ALICE, "{\"op\":\"site\",\"since\":0,\"until\":5000}", { NO_SITE } },
	{ ROOT,
	  "{\"op\":\"site\",\"since\":0,\"until\":5000,\"after\":[2000,1]}",
	  { "..\"sums\":[\"" } },
	{ ROOT,
	  "{\"op\":\"site\",\"since\":0,\"until\":5000,\"after\":[\"x\"]}",
	  { NO("site: since and until: must be seconds") } },
};

static void expect_reply(const char *request, const char *reply, const char *wanted)
{
	if (*wanted == '!')
		ck_assert_msg(!strstr(reply, wanted + 1), "%s: %s in %.900s", request, wanted,
			      reply);
	else if (!strncmp(wanted, "..", 2))
		ck_assert_msg(strstr(reply, wanted + 2), "%s: no %s in %.900s", request, wanted,
			      reply);
	else
		ck_assert_msg(!strcmp(reply, wanted), "%s: %.900s", request, reply);
}

static void put_jobs(void)
{
	PUT("n1\"|n1\"");
	PUT("\"node\":\"n1\"|\"node\":\"n2\"");
	PUT("\"job\":7|\"job\":8", "n[1-2]|n1", "uid\":1000|uid\":1001");
	PUT("\"job\":7|\"job\":9");
	PUT("\"job\":7|\"job\":10");
	PUT("\"job\":7|\"job\":10", "1000.0|5000.0", "2000.0|6000.0", "restart\":0|restart\":1");
	PUT("\"job\":7|\"job\":10", "1000.0|9000.0", "2000.0|9900.0", "uid\":1000|uid\":1001");
	PUT("\"job\":7|\"job\":11");
	PUT("\"job\":7|\"job\":11", "1000.0|5000.0", "2000.0|6000.0", "\"c\"|\"d\"");
	PUT("\"job\":7|\"job\":12", "1024}|1024,\"read_sizes\":[0,1]}");
	PUT("\"job\":7|\"job\":26", "array\":null|array\":{\"job\":25,\"task\":2}");
	PUT("\"job\":7|\"job\":27", "array\":null|array\":{\"job\":25,\"task\":10}");
	PUT("\"job\":7|\"job\":28", "array\":null|array\":{\"job\":25,\"task\":2}", "\"c\"|\"d\"");
	PUT("\"job\":7|\"job\":40", "\"array\":null|\"het\":{\"job\":40,\"offset\":0}");
}

START_TEST(each_request_is_answered_by_the_permissions_of_its_user)
{
	const char *reply;
	size_t i, k;

	start();
	put_jobs();
	for (i = 0; i < 200; i++, usleep(100000)) /* until the summary is written */
		if (strstr(ask(ROOT, "{\"op\":\"list\",\"jobs\":[7]}"), "\"written\"") &&
		    strstr(ask(ROOT, "{\"op\":\"list\",\"jobs\":[8]}"), "\"written\""))
			break;
	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		if (geteuid() && questions[i].who != ROOT)
			continue; /* only root can act as another user */
		reply = ask(questions[i].who, questions[i].request);
		for (k = 0; k < 5 && questions[i].answer[k]; k++)
			expect_reply(questions[i].request, reply, questions[i].answer[k]);
	}
	end();
}
END_TEST

START_TEST(a_request_that_is_too_long_is_refused_for_users_only)
{
	static char request[LEDGER_QUERY_MAX + 600];

	start();
	snprintf(request, sizeof(request), "{\"op\":\"ping\",\"x\":\"%*s\"}",
		 LEDGER_QUERY_MAX + 500, "");
	expect_reply("root's", ask(ROOT, request), "..\"ok\":true");
	if (!geteuid())
		expect_reply("alice's", ask(ALICE, request), NO("the request is too long"));
	end();
}
END_TEST

START_TEST(records_that_do_not_fit_into_a_reply_are_counted_and_sent_in_the_next)
{
	char node[40],
		finding[4200] =
			"findings\":[]|findings\":[{\"code\":\"X\",\"severity\":\"info\",\"text\":\"";
	const char *reply, *left;
	int i, count = 0, asked = 0;

	start();
	memset(finding + strlen(finding), 'x', 3900);
	strcat(finding, "\"}]");
	for (i = 100; i < 240; i++) {
		snprintf(node, sizeof(node), "\"n1\"|\"n%d\"", i);
		PUT(node, finding);
	}
	strcpy(node, "n0");
	do {
		char request[100];

		snprintf(request, sizeof(request),
			 "{\"op\":\"get\",\"job\":\"7\",\"after\":\"%s\"}", node);
		reply = ask(ROOT, request);
		while ((reply = strstr(reply, "\"node\":\"")) && ++count)
			snprintf(node, sizeof(node), "%.4s", reply += 8);
		left = strstr(ask(ROOT, request), "\"records_left_out\":") + 19;
		ck_assert_int_lt(++asked, 9);
	} while (*left != '0');
	ck_assert_int_eq(count, 140);
	ck_assert_int_gt(asked, 1);
	end();
}
END_TEST

/* ---- peers that are not a ledger ---------------------------------------------------- */

/* Read one frame and write these bytes; '*': write nothing and keep the connection. */
static pid_t liar(int server, const char *bytes, size_t size)
{
	char frame[4096];
	pid_t pid = fork();
	int peer;

	if (pid)
		return pid;
	peer = accept(server, NULL, NULL);
	if (read(peer, frame, sizeof(frame)) > 0 && *bytes != '*' &&
	    write(peer, bytes, size) == (ssize_t)size)
		shutdown(peer, SHUT_WR);
	while (*bytes == '*' || read(peer, frame, sizeof(frame)) > 0)
		usleep(1000);
	_exit(0);
}

START_TEST(an_incomplete_reply_is_an_error)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *why;
	} rows[] = {
		{ "\0\0\0\0", 4, "the answer is not a ledger's" },
		{ "\xff\xff\xff\xff", 4, "the answer is not a ledger's" },
		{ "", 0, "no answer: Connection reset by peer" },
		{ "\0\0", 2, "no answer: Connection reset by peer" },
		{ "\0\0\0\x09half", 8, "no answer: Connection reset by peer" },
		{ "\0\0\0\x04nope", 8, "answer: munge: " },
		{ "*", 1, "no answer: Connection timed out" },
	};
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	char wanted[200];
	int server;
	size_t i;
	pid_t pid;

	start_munged();
	configure(free_port(), "send_timeout_ms = 2000\n");
	at.sin_port = htons((uint16_t)config->ledger.port);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		server = socket(AF_INET, SOCK_STREAM, 0);
		setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 }, sizeof(int));
		ck_assert_int_eq(bind(server, (struct sockaddr *)&at, sizeof(at)), 0);
		ck_assert_int_eq(listen(server, 1), 0);
		pid = liar(server, rows[i].bytes, rows[i].size);
		close(server);
		snprintf(wanted, sizeof(wanted), "..ledger '127.0.0.1:%u': %s", config->ledger.port,
			 rows[i].why);
		expect_reply(rows[i].why, ask(ROOT, "{\"op\":\"ping\"}"), wanted);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	snprintf(wanted, sizeof(wanted), "ledger '127.0.0.1:%u': Connection refused",
		 config->ledger.port);
	expect_reply("nobody", ask(ROOT, "{\"op\":\"ping\"}"), wanted);
	end();
}
END_TEST

UNIT_MAIN("protocol", each_request_is_answered_by_the_permissions_of_its_user,
	  a_request_that_is_too_long_is_refused_for_users_only,
	  records_that_do_not_fit_into_a_reply_are_counted_and_sent_in_the_next,
	  an_incomplete_reply_is_an_error)
