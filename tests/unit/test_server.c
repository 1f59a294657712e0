/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ledger's server with connections of its own: what is sealed is "UID TEXT", the
 * service is told by a question what to do, and the clock goes on when a test says so. */
#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "lib/envelope.h"
#include "ledger/server.h"
#include "tests/unit/append.h"
#include "tests/unit/listener.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#define ALICE 1000
#define BOB 1001
#define LEDGER_UID 500
#define BIG (1000 * 1000)

#define NONCE_A "0123456789abcdef0123456789abcdef"
#define NONCE_B "fedcba9876543210fedcba9876543210"
#define PUT "{\"op\":\"put\"}"
#define GET "{\"op\":\"get\"}"
#define OK "{\"ok\":true}"
#define ONE "jobio/1 " NONCE_A "\n"

static struct server *server;
static struct service service;
static struct metrics metrics;
static char did[64000]; /* by the service, and what was sealed */
static bool is_full;
static uint16_t port;

#define note(...) append(did, sizeof(did), __VA_ARGS__)

/* What was noted until now. */
static const char *noted(void)
{
	static char text[sizeof(did)];

	strcpy(text, did);
	*did = 0;
	return text;
}

/* ---- the server's world ---------------------------------------------------- */

static unsigned long long clock_ms = 1000 * 1000;

int fake_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	ts->tv_sec = (time_t)(clock_ms / 1000);
	ts->tv_nsec = (long)(clock_ms % 1000) * 1000000;
	return 0;
}

#undef event_new
struct event *event_new(struct event_base *base, evutil_socket_t fd, short what,
			event_callback_fn call, void *arg);

static struct event *tick_event, *batch_event;

struct event *fake_event_new(struct event_base *base, evutil_socket_t fd, short what,
			     event_callback_fn call, void *arg)
{
	struct event *event = event_new(base, fd, what, call, arg);

	if (fd < 0 && what & EV_PERSIST)
		tick_event = event;
	else if (fd < 0 && !batch_event)
		batch_event = event;
	return event;
}

int seal_open(struct seal *seal, const char *credential, char **data, size_t *size, uid_t *writer,
	      struct err *err)
{
	char *end;

	(void)seal;
	*writer = (uid_t)strtoul(credential, &end, 10);
	if (*end != ' ')
		return err_set(err, "munge: not sealed");
	*data = strdup(end + 1);
	*size = strlen(*data);
	return 0;
}

int seal_close(struct seal *seal, const void *data, size_t size, uid_t reader, char **credential,
	       struct err *err)
{
	(void)seal;
	note("s%u ", reader);
	if (reader == 666)
		return err_set(err, "munge: it is gone");
	ck_assert_int_gt(asprintf(credential, "%u %.*s", reader, (int)size, (const char *)data), 0);
	return 0;
}

/* "put" waits for the commit, "fail" breaks the store, "big" gets much. */
int service_handle(struct service *of, const char *request, size_t size, uid_t uid, int64_t now_s,
		   char **answer)
{
	ck_assert_ptr_eq(of, &service);
	ck_assert_uint_eq(size, strlen(request));
	ck_assert_int_gt(now_s, 0);
	ck_assert(!strncmp(request, "{\"op\":\"", 7));
	note("%c%u ", request[7], uid);
	if (strstr(request, "strange"))
		strcpy(of->remark, "strange indeed");
	if (strstr(request, "fail")) {
		*answer = strdup("store: it is broken");
		return -1;
	}
	if (strstr(request, "big"))
		ck_assert_int_gt(asprintf(answer, "{%0*d}", BIG, 0), 0);
	else
		*answer = strdup(strstr(request, "other") ? "{}" : OK);
	of->has_news = of->has_news || strstr(request, "news");
	return !strncmp(request + 7, "put", 3);
}

int service_commit(struct service *of, struct err *err)
{
	ck_assert_ptr_eq(of, &service);
	note("c ");
	return is_full ? err_set(err, "store: it is full") : 0;
}

void service_abort(struct service *of)
{
	ck_assert_ptr_eq(of, &service);
	note("a ");
}

char *service_error(const char *sentence, bool is_bad_record)
{
	char *text;

	ck_assert(!is_bad_record);
	ck_assert_int_gt(asprintf(&text, "error: %s", sentence), 0);
	return text;
}

static void wake(void *arg)
{
	ck_assert_ptr_eq(arg, &service);
	note("w ");
}

/* ---- to and fro ------------------------------------------------------------ */

static uint16_t listens_at(void)
{
	struct sockaddr_in at;
	socklen_t size = sizeof(at), int_size = sizeof(int);
	int fd, is = 0;

	for (fd = 0; fd < 64; fd++)
		if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is, &int_size) == 0 && is &&
		    getsockname(fd, (struct sockaddr *)&at, &size) == 0)
			return at.sin_port;
	ck_abort_msg("nobody listens");
	return 0;
}

static void begin(void)
{
	struct config_ledger config = { .listen = (char *)"127.0.0.1" };
	struct err err = { "" };

	tempdir_make();
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	service.metrics = &metrics;
	service.ledger_uid = LEDGER_UID;
	batch_event = NULL;
	server = server_new(&config, &service, NULL, wake, &service, &err);
	ck_assert_msg(server != NULL, "%s", err.text);
	port = listens_at();
}

static const char *said(void)
{
	static char text[16000];
	FILE *file = fopen(tempdir_path("said"), "r");

	fflush(stderr);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static void end(void)
{
	server_free(server);
	ck_assert_uint_eq(metrics.peers, 0);
	tempdir_remove();
}

/* All that can be done now. */
static void turn(void)
{
	int i;

	for (i = 0; i < 10; i++)
		event_base_loop(server_base(server), EVLOOP_NONBLOCK);
}

/* A test that fails does not wait for ever; the real time. */
#define LIMIT_S 15

#define UNTIL(is_so)                                                                               \
	do {                                                                                       \
		time_t limit_ = time(NULL) + LIMIT_S;                                              \
		while (!(is_so) && time(NULL) < limit_)                                            \
			event_base_loop(server_base(server), EVLOOP_ONCE);                         \
		ck_assert(is_so);                                                                  \
	} while (0)

/* So many seconds later. */
static void later(unsigned int ms)
{
	clock_ms += ms;
	turn();
	event_active(tick_event, EV_TIMEOUT, 1);
	turn();
}

static int connected(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = port };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	const struct linger at_once = { 1, 0 };
	const int small = 4096, one = 1;

	ck_assert_int_ge(fd, 0);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	/* and nothing is left of it that waits for a minute */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) < 0)
		ck_assert_int_eq(errno, EINPROGRESS);
	return fd;
}

static void put_bytes(int fd, const void *bytes, size_t size)
{
	const char *at = bytes;
	ssize_t n;

	for (; size; at += n, size -= (size_t)n) {
		n = send(fd, at, size, MSG_NOSIGNAL);
		if (n < 0) {
			ck_assert_int_eq(errno, EAGAIN);
			event_base_loop(server_base(server), EVLOOP_NONBLOCK);
			n = 0;
		}
	}
}

static void put_size(int fd, uint32_t size)
{
	size = htonl(size);
	put_bytes(fd, &size, sizeof(size));
}

static void ask(int fd, uid_t uid, const char *text)
{
	char *sealed;
	int size = asprintf(&sealed, "%u %s%s", uid, strncmp(text, "jobio/", 6) ? ONE : "", text);

	ck_assert_int_gt(size, 0);
	put_size(fd, (uint32_t)size);
	put_bytes(fd, sealed, (size_t)size);
	free(sealed);
}

static int asked(uid_t uid, const char *text)
{
	int fd = connected();

	ask(fd, uid, text);
	return fd;
}

/* As much of it as is here. */
static size_t got(int fd, char *bytes, size_t size)
{
	size_t have = 0;
	time_t limit = time(NULL) + LIMIT_S;
	ssize_t n;

	while (have < size && time(NULL) < limit) {
		n = recv(fd, bytes + have, size - have, 0);
		ck_assert_msg(n != 0, "it has hung up");
		if (n > 0) {
			have += (size_t)n;
			continue;
		}
		ck_assert_int_eq(errno, EAGAIN);
		event_base_loop(server_base(server), EVLOOP_ONCE);
	}
	return have;
}

static char named[4000]; /* the first line of the last answer */

/* The next answer, which is for nobody but the asker. */
static const char *answered(int fd, uid_t uid)
{
	static char text[BIG + 1000];
	char *end, *line;
	uint32_t size;

	ck_assert_uint_eq(got(fd, (char *)&size, sizeof(size)), sizeof(size));
	size = ntohl(size);
	ck_assert_uint_lt(size, sizeof(text));
	ck_assert_uint_eq(got(fd, text, size), size);
	text[size] = 0;
	ck_assert_uint_eq(strtoul(text, &end, 10), uid);
	line = strchr(end, '\n');
	ck_assert_ptr_nonnull(line);
	snprintf(named, sizeof(named), "%.*s", (int)(line - end), end + 1);
	return line + 1;
}

static bool is_open(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK) < 0 && errno == EAGAIN;
}

static bool is_closed(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_PEEK);

	return n == 0 || (n < 0 && errno == ECONNRESET);
}

static bool has_answer(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK) > 0;
}

/* ---- what is asked, and when it is answered -------------------------------- */

START_TEST(records_wait_for_their_commit_and_those_told_the_same_are_told_at_once)
{
	int put[7];
	size_t i;

	begin();
	put[0] = asked(0, PUT);
	put[1] = asked(0, PUT);
	put[2] = asked(LEDGER_UID, PUT);
	put[3] = asked(0, PUT);
	put[4] = asked(0, "{\"op\":\"put\",\"other\":1}");
	put[5] = asked(0, "jobio/1 " NONCE_B "\n" PUT);
	put[6] = asked(0, "{\"op\":\"put\",\"news\":1}");
	UNTIL(has_answer(put[0]));
	said_expect(did, "p0 c s");
	ck_assert_ptr_eq(strstr(did, "c "), strrchr(did, 'c'));
	/* root's, the other one, and the ledger's */
	ck_assert_uint_eq(strlen(strstr(did, "c ")), strlen("c s0 s0 s500 w "));
	said_expect(did, "s500 ");
	said_expect(did, "w ");
	ck_assert(!service.has_news);
	for (i = 0; i < 7; i++) {
		const char *text = answered(put[i], i == 2 ? LEDGER_UID : 0);

		ck_assert_str_eq(text, i == 4 ? "{}" : OK);
		said_expect(named, "jobio/1 ");
		said_expect(named, i == 5 ? NONCE_B : NONCE_A);
		if (i == 1)
			said_expect(named, NONCE_B);
	}
	ck_assert_str_eq(said(), "");
	end();
}
END_TEST

START_TEST(a_commit_that_fails_is_an_error_for_all_who_wait_and_no_news_for_the_writer)
{
	int a, b;

	begin();
	a = asked(0, "{\"op\":\"put\",\"news\":1}");
	b = asked(LEDGER_UID, PUT);
	is_full = true;
	UNTIL(has_answer(b));
	ck_assert_str_eq(answered(a, 0), "error: store: it is full");
	ck_assert_str_eq(answered(b, LEDGER_UID), "error: store: it is full");
	ck_assert_ptr_null(strchr(noted(), 'w'));
	said_expect(said(), "jobio: ledger: store: it is full\n");
	is_full = false;
	ask(a, 0, PUT);
	ck_assert_str_eq(answered(a, 0), OK);
	ck_assert_str_eq(noted(), "p0 c s0 ");
	end();
}
END_TEST

START_TEST(a_store_that_breaks_is_said_and_nobody_who_waits_is_told_that_it_has_his_record)
{
	int put, fail;

	begin();
	put = asked(0, PUT);
	fail = asked(0, "{\"op\":\"fail\"}");
	UNTIL(has_answer(put) && has_answer(fail));
	ck_assert_str_eq(answered(fail, 0), "store: it is broken");
	ck_assert_str_eq(answered(put, 0), "error: the store failed: see the ledger's log");
	ck_assert_str_eq(noted(), "p0 f0 a s0 s0 ");
	said_expect(said(), "jobio: ledger: store: it is broken\n");
	/* what came before is done with: nothing of it is committed later */
	ask(put, 0, "{\"op\":\"strange\"}");
	ck_assert_str_eq(answered(put, 0), OK);
	ck_assert_str_eq(noted(), "s0 s0 ");
	said_expect(said(), "jobio: ledger: strange indeed\n");
	ck_assert_str_eq(service.remark, "");
	end();
}
END_TEST

START_TEST(an_answer_that_cannot_be_sealed_is_said_and_the_connection_closed)
{
	int fd;

	begin();
	fd = asked(666, GET);
	UNTIL(is_closed(fd));
	said_expect(said(), "jobio: ledger: peer: '127.0.0.1:");
	said_expect(said(), "': answer: munge: it is gone\n");
	end();
}
END_TEST

START_TEST(questions_on_one_connection_are_answered_one_after_the_other)
{
	static const char get[] = "1000 " ONE GET;
	int fd, i;

	begin();
	fd = connected();
	/* byte by byte, and the second one behind it */
	put_bytes(fd, "\0\0\0", 3);
	turn();
	put_bytes(fd, &(char){ sizeof(get) - 1 }, 1);
	turn();
	for (i = 0; get[i]; i++) {
		ck_assert(is_open(fd));
		put_bytes(fd, get + i, 1);
		turn();
	}
	ask(fd, 0, PUT);
	ask(fd, ALICE, "{\"op\":\"other\"}");
	ck_assert_str_eq(answered(fd, ALICE), OK);
	ck_assert_str_eq(answered(fd, 0), OK);
	ck_assert_str_eq(answered(fd, ALICE), "{}");
	ck_assert_str_eq(noted(), "g1000 s1000 p0 c s0 o1000 s1000 ");
	end();
}
END_TEST

START_TEST(users_take_turns_and_a_record_waits_for_one_question_at_most)
{
	int fd[6], i, record;
	const char *order;

	begin();
	for (i = 0; i < 6; i++)
		fd[i] = asked(i < 4 ? ALICE : BOB, GET);
	record = asked(0, PUT);
	UNTIL(has_answer(record) && has_answer(fd[3]) && has_answer(fd[5]));
	order = noted();
	/* committed before the next question */
	ck_assert_ptr_null(strstr(order, "p0 g"));
	said_expect(order, "p0 c s0 ");
	ck_assert_ptr_nonnull(strstr(
		order, "g1000 s1000 g1001 s1001 g1000 s1000 g1001 s1001 g1000 s1000 g1000 s1000 "));
	/* whoever came last goes behind him who has not asked yet */
	ck_assert_str_eq(answered(fd[0], ALICE), OK);
	ask(fd[0], ALICE, GET);
	ck_assert_str_eq(answered(fd[4], BOB), OK);
	ask(fd[4], BOB, GET);
	UNTIL(has_answer(fd[0]) && has_answer(fd[4]));
	ck_assert_str_eq(noted(), "g1001 s1001 g1000 s1000 ");
	end();
}
END_TEST

static int count_of(const char *text, const char *what)
{
	int count = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		count++;
	return count;
}

START_TEST(a_user_who_does_not_read_has_four_answers_on_their_way_and_others_go_on)
{
	static const char big[] = "{\"op\":\"get\",\"big\":1}";
	int fd[6], bobs, i;

	begin();
	for (i = 0; i < 6; i++)
		fd[i] = asked(ALICE, big);
	UNTIL(has_answer(fd[3]));
	turn();
	ck_assert_int_eq(count_of(did, "g1000"), SERVER_USER_ANSWERS);
	ck_assert(is_open(fd[4]));
	bobs = asked(BOB, GET);
	ck_assert_str_eq(answered(bobs, BOB), OK);
	ck_assert_int_eq(count_of(did, "g1000"), SERVER_USER_ANSWERS);
	ck_assert_uint_eq(strlen(answered(fd[1], ALICE)), BIG + 2);
	UNTIL(has_answer(fd[4]));
	turn();
	ck_assert_int_eq(count_of(did, "g1000"), SERVER_USER_ANSWERS + 1);
	/* who goes away makes room, too */
	close(fd[0]);
	UNTIL(has_answer(fd[5]));
	/* after half a minute he is hung up on */
	later(SERVER_FRAME_S * 1000);
	ck_assert(has_answer(fd[2]));
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_SLOW], 0);
	later(1000);
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_SLOW], 4);
	said_expect(said(), "': has not read its answer in 30 s: closed\n");
	ck_assert_uint_eq(metrics.peers, 2);
	end();
}
END_TEST

START_TEST(roots_questions_wait_when_unread_answers_fill_memory_and_records_do_not)
{
	enum {
		FULL = SERVER_OUT_MAX / (BIG + 2 + 4 + 2) + 1
	};
	static const char big[] = "{\"op\":\"get\",\"big\":1}";
	int fd[FULL + 2], i, record;

	begin();
	for (i = 0; i < FULL + 2; i++)
		fd[i] = asked(0, big);
	UNTIL(has_answer(fd[FULL - 1]));
	turn();
	ck_assert_int_eq(count_of(noted(), "g0"), FULL);
	record = asked(0, PUT);
	ck_assert_str_eq(answered(record, 0), OK);
	ck_assert_int_eq(count_of(noted(), "g0"), 0);
	answered(fd[0], 0);
	UNTIL(has_answer(fd[FULL]));
	turn();
	ck_assert_int_eq(count_of(noted(), "g0"), 1);
	end();
}
END_TEST

START_TEST(a_user_has_so_many_connections_and_root_and_the_ledgers_user_more)
{
	int fd[SERVER_USER_PEERS + 1], i;

	begin();
	for (i = 0; i < SERVER_USER_PEERS; i++) {
		fd[i] = asked(ALICE, GET);
		ck_assert_str_eq(answered(fd[i], ALICE), OK);
	}
	/* the last of them may ask again, and be another user */
	ask(fd[i - 1], ALICE, GET);
	ck_assert_str_eq(answered(fd[i - 1], ALICE), OK);
	fd[i] = asked(BOB, GET);
	ck_assert_str_eq(answered(fd[i], BOB), OK);
	ask(fd[i], ALICE, GET);
	UNTIL(is_closed(fd[i]));
	said_expect(said(), "': too many connections of user 1000: closed\n");
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_USER], 1);
	shutdown(fd[0], SHUT_WR);
	UNTIL(metrics.peers == SERVER_USER_PEERS - 1);
	fd[0] = asked(ALICE, GET);
	ck_assert_str_eq(answered(fd[0], ALICE), OK);
	for (i = 0; i <= SERVER_USER_PEERS; i++) {
		fd[i] = asked(i & 1 ? 0 : LEDGER_UID, GET);
		ck_assert_str_eq(answered(fd[i], i & 1 ? 0 : LEDGER_UID), OK);
	}
	for (i = 0; i <= SERVER_USER_PEERS; i++) {
		fd[i] = asked(0, GET);
		ck_assert_str_eq(answered(fd[i], 0), OK);
	}
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_USER], 1);
	end();
}
END_TEST

/* A question of so many bytes. */
static const char *long_question(const char *op, int size)
{
	static char text[10000];
	int used = snprintf(text, sizeof(text), "{\"op\":\"%s\",", op);

	snprintf(text + used, sizeof(text) - (size_t)used, "%0*d}", size - used - 1, 0);
	ck_assert_uint_eq(strlen(text), size);
	return text;
}

START_TEST(questions_that_are_too_long_or_of_another_protocol_are_refused)
{
	static const char *const other[] = { "jobio/2 " NONCE_A "\n" GET,
					     "jobio/1 " NONCE_A " " NONCE_B "\n" GET,
					     "jobio/" GET };
	int fd;
	size_t i;

	begin();
	for (i = 0; i < 3; i++) {
		fd = asked(ALICE, other[i]);
		UNTIL(is_closed(fd));
	}
	said_expect(said(), "': another protocol: closed\n");
	ck_assert_uint_eq(metrics.refused[METRICS_REFUSED_FRAME], 3);
	ck_assert_str_eq(noted(), "");
	fd = asked(ALICE, long_question("get", SERVER_ASK_MAX));
	ck_assert_str_eq(answered(fd, ALICE), OK);
	ask(fd, ALICE, long_question("get", SERVER_ASK_MAX + 1));
	ck_assert_str_eq(answered(fd, ALICE), "error: the request is too long");
	ck_assert_str_eq(noted(), "g1000 s1000 s1000 ");
	ck_assert_uint_eq(metrics.refused[METRICS_REFUSED_REQUEST], 1);
	ask(fd, 0, long_question("get", SERVER_ASK_MAX + 1));
	ck_assert_str_eq(answered(fd, 0), OK);
	ask(fd, 0, long_question("put", SERVER_ASK_MAX + 1));
	ck_assert_str_eq(answered(fd, 0), OK);
	ck_assert_uint_eq(metrics.refused[METRICS_REFUSED_REQUEST], 1);
	end();
}
END_TEST

START_TEST(frames_that_nobody_sealed_or_of_an_impossible_size_end_the_connection)
{
	static char full[LEDGER_FRAME_MAX];
	int none, much, other, most;

	begin();
	put_size(none = connected(), 0);
	put_size(much = connected(), LEDGER_FRAME_MAX + 1);
	put_size(other = connected(), 3);
	put_bytes(other, "abc", 3);
	memset(full, ' ', sizeof(full));
	memcpy(full, "0 " ONE PUT, strlen("0 " ONE PUT));
	put_size(most = connected(), LEDGER_FRAME_MAX);
	put_bytes(most, full, sizeof(full));
	ck_assert_str_eq(answered(most, 0), OK);
	UNTIL(is_closed(none) && is_closed(much) && is_closed(other));
	ck_assert_uint_eq(metrics.refused[METRICS_REFUSED_FRAME], 2);
	ck_assert_uint_eq(metrics.refused[METRICS_REFUSED_SEAL], 1);
	said_expect(said(), "': a frame of 0 bytes: closed\n");
	said_expect(said(), "': a frame of 1048577 bytes: closed\n");
	said_expect(said(), "': refused: munge: not sealed\n");
	ck_assert_uint_eq(metrics.peers, 1);
	end();
}
END_TEST

/* ---- who may stay ---------------------------------------------------------- */

START_TEST(silent_connections_and_slow_frames_have_their_time_and_no_more)
{
	int stranger, known, slow, waits, i;

	begin();
	stranger = connected();
	known = asked(ALICE, GET);
	ck_assert_str_eq(answered(known, ALICE), OK);
	put_size(slow = connected(), 100);
	turn();
	later(SERVER_HELLO_S * 1000);
	ck_assert(is_open(stranger));
	later(1000);
	ck_assert(is_closed(stranger));
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_IDLE], 1);
	put_bytes(slow, "x", 1);
	later((SERVER_FRAME_S - SERVER_HELLO_S - 1) * 1000);
	ck_assert(is_open(slow));
	put_bytes(slow, "x", 1);
	later(1000);
	ck_assert(is_closed(slow));
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_SLOW], 1);
	said_expect(said(), "': no whole frame in 30 s: closed\n");
	later((SERVER_IDLE_S - SERVER_FRAME_S - 1) * 1000);
	ck_assert(is_open(known));
	ask(known, ALICE, GET);
	ck_assert_str_eq(answered(known, ALICE), OK);
	later(SERVER_IDLE_S * 1000);
	ck_assert(is_open(known));
	/* a frame's time begins with its first byte, on an old connection too */
	put_size(known, 100);
	turn();
	ck_assert(is_open(known));
	put_bytes(known, "1000 " ONE GET, strlen("1000 " ONE GET));
	for (i = (int)strlen("1000 " ONE GET); i < 100; i++)
		put_bytes(known, " ", 1);
	ck_assert_str_eq(answered(known, ALICE), OK);
	/* who waits for others' answers does not wait for ever */
	for (i = 0; i < SERVER_USER_ANSWERS; i++)
		asked(BOB, "{\"op\":\"get\",\"big\":1}");
	UNTIL(count_of(did, "g1001") == SERVER_USER_ANSWERS);
	waits = asked(BOB, GET);
	turn();
	ck_assert(is_open(waits));
	later(SERVER_IDLE_S * 1000 + 1000);
	ck_assert(is_closed(known));
	ck_assert_uint_eq(metrics.peers, 0);
	(void)waits;
	end();
}
END_TEST

START_TEST(the_log_about_peers_is_bounded_a_minute_and_says_how_much_was_left_out)
{
	int i, fd;

	begin();
	for (i = 0; i < SERVER_LOG_MAX; i++) {
		put_size(fd = connected(), 0);
		UNTIL(is_closed(fd));
		close(fd);
	}
	ck_assert_int_eq(count_of(said(), "0 bytes: closed\n"), SERVER_LOG_MAX);
	clock_ms += 60 * 1000;
	put_size(fd = connected(), 0);
	UNTIL(is_closed(fd));
	ck_assert_ptr_null(strstr(said(), "left out"));
	for (i = 0; i < SERVER_LOG_MAX + 1; i++) {
		put_size(fd = connected(), 0);
		UNTIL(is_closed(fd));
		close(fd);
	}
	ck_assert_int_eq(count_of(said(), "0 bytes: closed\n"), 2 * SERVER_LOG_MAX);
	clock_ms += 60 * 1000;
	put_size(fd = connected(), 0);
	UNTIL(is_closed(fd));
	said_expect(
		said(),
		"\njobio: ledger: peers: 2 more lines like these were left out\njobio: ledger: peer: '");
	ck_assert_int_eq(count_of(said(), "0 bytes: closed\n"), 2 * SERVER_LOG_MAX + 1);
	end();
}
END_TEST

START_TEST(frames_that_fill_memory_go_the_oldest_first)
{
	enum {
		MANY = SERVER_BYTES_MAX / (LEDGER_FRAME_MAX - 100) + 1
	};
	static char bytes[LEDGER_FRAME_MAX - 100];
	int fd[MANY + 1], i;

	begin();
	memset(bytes, 'x', sizeof(bytes));
	for (i = 0; i < MANY; i++) {
		clock_ms += i != 2 ? 10 : 0;
		put_size(fd[i] = connected(), LEDGER_FRAME_MAX);
	}
	turn();
	/* the third is the oldest, though not the first that came */
	clock_ms += 2000;
	fd[MANY] = connected();
	for (i = 0; i < MANY; i++) {
		ck_assert(is_open(fd[i]));
		put_bytes(fd[i], bytes, i < MANY - 1 ? sizeof(bytes) : 1);
		turn();
	}
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_MEMORY], 0);
	put_bytes(fd[MANY - 1], bytes, sizeof(bytes) - 1);
	UNTIL(is_closed(fd[0]));
	said_expect(said(), "': too many bytes wait: closed\n");
	ck_assert_uint_eq(metrics.closed[METRICS_CLOSED_MEMORY], 1);
	ck_assert(is_open(fd[MANY]) && is_open(fd[1]));
	end();
}
END_TEST

/* So many descriptors, or false. */
static bool may_open(rlim_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max < count)
		return false;
	limit.rlim_cur = count;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

START_TEST(when_there_is_no_room_the_one_silent_for_longest_goes_unless_it_just_came)
{
	static int fd[SERVER_PEERS_MAX];
	int i, more;

	if (!may_open(3 * SERVER_PEERS_MAX))
		return;
	begin();
	for (i = 0; i < SERVER_PEERS_MAX; i++) {
		fd[i] = asked(0, GET);
		ck_assert_str_eq(answered(fd[i], 0), OK);
	}
	ck_assert_uint_eq(metrics.peers, SERVER_PEERS_MAX);
	ask(fd[0], 0, GET); /* and is not the oldest any more */
	ck_assert_str_eq(answered(fd[0], 0), OK);
	more = asked(0, GET);
	later(SERVER_FRESH_S * 1000 - 1000);
	ck_assert(is_open(more) && is_open(fd[1]));
	later(1000);
	ck_assert_str_eq(answered(more, 0), OK);
	ck_assert(is_closed(fd[1]) && is_open(fd[0]));
	said_expect(said(), "': silent for 2 s and others wait: closed\n");
	ck_assert_uint_ge(metrics.closed[METRICS_CLOSED_ROOM], 1);
	/* and one that goes makes room at once */
	for (i = 0; i < SERVER_PEERS_MAX; i++) {
		if (i == 1) /* whose place the new one has */
			continue;
		if (is_closed(fd[i])) {
			close(fd[i]);
			fd[i] = connected();
		}
		ask(fd[i], 0, GET);
		ck_assert_str_eq(answered(fd[i], 0), OK);
	}
	ck_assert_uint_eq(metrics.peers, SERVER_PEERS_MAX);
	more = asked(0, GET);
	turn();
	ck_assert(is_open(more));
	close(fd[5]);
	ck_assert_str_eq(answered(more, 0), OK);
	end();
}
END_TEST

/* A record that waits until the server next looks at what else there is to do. */
static int record_that_waits(void)
{
	int fd;

	event_del(tick_event);
	turn();
	fd = asked(0, PUT);
	UNTIL(strstr(did, "p0"));
	event_del(batch_event);
	return fd;
}

START_TEST(who_waits_for_a_commit_stays_and_those_who_came_later_go)
{
	int record, slow, silent;

	begin();
	record = record_that_waits();
	put_size(slow = connected(), 100);
	UNTIL(metrics.peers == 2);
	turn();
	ck_assert_str_eq(noted(), "p0 ");
	later(SERVER_FRAME_S * 1000 + 1000);
	ck_assert(is_closed(slow));
	ck_assert_str_eq(answered(record, 0), OK);
	close(record);
	UNTIL(metrics.peers == 0);
	noted();
	record = record_that_waits();
	silent = connected();
	UNTIL(metrics.peers == 2);
	ck_assert_str_eq(noted(), "p0 ");
	clock_ms += SERVER_FRESH_S * 1000;
	errno = EMFILE;
	accept_error(listener, server);
	turn();
	ck_assert(is_closed(silent));
	ck_assert_str_eq(answered(record, 0), OK);
	end();
}
END_TEST

START_TEST(without_a_descriptor_the_one_silent_for_longest_goes_and_it_is_said)
{
	int old, fresh, more;

	begin();
	old = asked(0, GET);
	ck_assert_str_eq(answered(old, 0), OK);
	clock_ms += SERVER_FRESH_S * 1000;
	fresh = asked(0, GET);
	ck_assert_str_eq(answered(fresh, 0), OK);
	errno = EMFILE;
	accept_error(listener, server);
	turn();
	ck_assert(is_closed(old) && is_open(fresh));
	said_expect(said(), "jobio: ledger: accept: Too many open files\n");
	more = asked(0, GET);
	ck_assert_str_eq(answered(more, 0), OK);
	/* where all are fresh the next one waits a moment, or until one goes */
	accept_error(listener, server);
	ck_assert(is_open(fresh) && is_open(more));
	old = asked(0, GET);
	turn();
	ck_assert(is_open(old));
	later(0);
	ck_assert_str_eq(answered(old, 0), OK);
	end();
}
END_TEST

/* The server's end of a connection. */
static int other_end(int fd)
{
	struct sockaddr_in ours, theirs;
	socklen_t size = sizeof(ours);
	int other;

	getsockname(fd, (struct sockaddr *)&ours, &size);
	for (other = 0; other < 64; other++)
		if (getpeername(other, (struct sockaddr *)&theirs, &size) == 0 &&
		    theirs.sin_port == ours.sin_port)
			return other;
	ck_abort_msg("no other end");
	return -1;
}

START_TEST(the_end_of_an_answer_is_sent_at_once_and_the_kernel_holds_little_of_it)
{
	int fd, is, size;
	socklen_t int_size = sizeof(int);

	begin();
	fd = asked(0, GET);
	ck_assert_str_eq(answered(fd, 0), OK);
	fd = other_end(fd);
	getsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &is, &int_size);
	ck_assert_int_ne(is, 0);
	getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &int_size);
	ck_assert_int_le(size, 2 * SERVER_SOCKET_BYTES); /* socket(7): doubled */
	end();
}
END_TEST

/* ---- begin and end --------------------------------------------------------- */

START_TEST(a_signal_ends_it_when_what_waits_has_been_committed)
{
	static const int signals[] = { SIGTERM, SIGINT };
	struct err err = { "" };
	size_t i;
	int fd;

	for (i = 0; i < 2; i++) {
		begin();
		fd = asked(0, PUT);
		UNTIL(strstr(did, "p0"));
		raise(signals[i]);
		ck_assert_int_eq(server_run(server, &err), 0);
		ck_assert_int_ge(count_of(did, "c "), 1);
		noted();
		close(fd);
		end();
	}
}
END_TEST

START_TEST(where_it_cannot_listen_is_said)
{
	struct config_ledger config = { .listen = (char *)"nowhere", .port = 8000 };
	struct err err;
	char *wanted;

	begin();
	ck_assert_ptr_null(server_new(&config, &service, NULL, wake, NULL, &err));
	ck_assert_str_eq(err.text, "[ledger] listen: 'nowhere': not an address");
	config.listen = (char *)"127.0.0.1";
	config.port = ntohs(port);
	ck_assert_ptr_null(server_new(&config, &service, NULL, wake, NULL, &err));
	ck_assert_int_gt(
		asprintf(&wanted, "listen: '127.0.0.1:%u': Address already in use", config.port),
		0);
	ck_assert_str_eq(err.text, wanted);
	free(wanted);
	end();
}
END_TEST

UNIT_MAIN("server", records_wait_for_their_commit_and_those_told_the_same_are_told_at_once,
	  a_commit_that_fails_is_an_error_for_all_who_wait_and_no_news_for_the_writer,
	  a_store_that_breaks_is_said_and_nobody_who_waits_is_told_that_it_has_his_record,
	  an_answer_that_cannot_be_sealed_is_said_and_the_connection_closed,
	  questions_on_one_connection_are_answered_one_after_the_other,
	  users_take_turns_and_a_record_waits_for_one_question_at_most,
	  a_user_who_does_not_read_has_four_answers_on_their_way_and_others_go_on,
	  roots_questions_wait_when_unread_answers_fill_memory_and_records_do_not,
	  a_user_has_so_many_connections_and_root_and_the_ledgers_user_more,
	  questions_that_are_too_long_or_of_another_protocol_are_refused,
	  frames_that_nobody_sealed_or_of_an_impossible_size_end_the_connection,
	  silent_connections_and_slow_frames_have_their_time_and_no_more,
	  the_log_about_peers_is_bounded_a_minute_and_says_how_much_was_left_out,
	  frames_that_fill_memory_go_the_oldest_first,
	  when_there_is_no_room_the_one_silent_for_longest_goes_unless_it_just_came,
	  who_waits_for_a_commit_stays_and_those_who_came_later_go,
	  without_a_descriptor_the_one_silent_for_longest_goes_and_it_is_said,
	  the_end_of_an_answer_is_sent_at_once_and_the_kernel_holds_little_of_it,
	  a_signal_ends_it_when_what_waits_has_been_committed, where_it_cannot_listen_is_said)
