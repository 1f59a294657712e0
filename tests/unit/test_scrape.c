/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics over HTTP and in a file, with connections, a clock and timers of our own. */
#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ledger/scrape.h"
#include "tests/unit/listener.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#define GET "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"

static struct event_base *base;
static struct scrape *scrape;
static char where[64];
static uint16_t port;
static const char *body; /* NULL: it cannot be made */
static unsigned int made;

static char *make_text(void *arg, struct err *err)
{
	ck_assert_ptr_eq(arg, &made);
	made++;
	if (!body)
		err_set(err, "the store is away");
	return body ? strdup(body) : NULL;
}

/* ---- its world ------------------------------------------------------------- */

static time_t clock_s = 1000;

int fake_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec){ .tv_sec = clock_s };
	return 0;
}

#undef event_new
struct event *event_new(struct event_base *of, evutil_socket_t fd, short what,
			event_callback_fn call, void *arg);

static struct event *file_event, *deadline; /* of the last client */
static bool is_full; /* there is no memory for more of them */

struct event *fake_event_new(struct event_base *of, evutil_socket_t fd,
			     short what, event_callback_fn call, void *arg)
{
	struct event *event =
		is_full ? NULL : event_new(of, fd, what, call, arg);

	if (what & EV_PERSIST)
		file_event = event;
	else
		deadline = event;
	return event;
}

static struct scrape *made_scrape(const char *listen, const char *file,
				  struct err *err)
{
	struct config_ledger config = { .metrics_listen = (char *)listen,
					.metrics_file = (char *)file };

	return scrape_new(&config, base, make_text, &made, err);
}

/* On a port that nobody has. */
static void begin(const char *file)
{
	struct err err = { "" };
	int tries;

	tempdir_make();
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	base = event_base_new();
	body = "jobio 1\n";
	for (tries = 0; !scrape && tries < 50; tries++) {
		port = (uint16_t)(10000 + (getpid() + tries * 97) % 20000);
		snprintf(where, sizeof(where), "127.0.0.1:%u", port);
		scrape = made_scrape(where, file, &err);
	}
	ck_assert_msg(scrape != NULL, "%s", err.text);
}

static void end(void)
{
	scrape_free(scrape);
	event_base_free(base);
	tempdir_remove();
}

static const char *text_of(const char *name)
{
	static char text[4000];
	FILE *file = fopen(tempdir_path(name), "r");

	fflush(stderr);
	ck_assert_ptr_nonnull(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = 0;
	fclose(file);
	return text;
}

static void turn(void)
{
	int i;

	for (i = 0; i < 10; i++)
		event_base_loop(base, EVLOOP_NONBLOCK);
}

static void expire(struct event *event)
{
	event_active(event, EV_TIMEOUT, 1);
	turn();
}

static int connected(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	const struct linger at_once = { 1, 0 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	turn();
	return fd;
}

static void say(int fd, const char *text, size_t size)
{
	ck_assert_int_eq(send(fd, text, size, MSG_NOSIGNAL), size);
	turn();
}

static bool is_silent(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 &&
	       errno == EAGAIN;
}

static bool is_closed(int fd)
{
	char byte;
	ssize_t n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno == ECONNRESET);
}

/* All of it, until the connection is closed. */
static const char *answer(int fd)
{
	static char text[3 << 20];
	size_t used = 0;
	ssize_t n;
	int i;

	for (i = 0; i < 1000; i++) {
		n = recv(fd, text + used, sizeof(text) - 1 - used,
			 MSG_DONTWAIT);
		if (n == 0)
			break;
		if (n > 0)
			used += (size_t)n;
		turn();
	}
	ck_assert_int_eq(n, 0);
	close(fd);
	text[used] = 0;
	return text;
}

static const char *answer_to(const char *request)
{
	int fd = connected();

	say(fd, request, strlen(request));
	return answer(fd);
}

static void expect_status(const char *request, const char *status)
{
	const char *got = answer_to(request);

	ck_assert_msg(!strncmp(got, status, strlen(status)), "%s: %s", request,
		      got);
}

/* ---- HTTP ------------------------------------------------------------------ */

#define HEADERS                                                                \
	"Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"           \
	"Content-Length: "

START_TEST(the_text_is_one_answer_of_http_and_head_has_its_headers_alone)
{
	static const char head[] =
		"HTTP/1.1 200 OK\r\n" HEADERS "8\r\nConnection: close\r\n\r\n";
	char whole[400];

	begin("");
	snprintf(whole, sizeof(whole), "%sjobio 1\n", head);
	ck_assert_str_eq(answer_to(GET), whole);
	ck_assert_str_eq(answer_to("GET /metrics?a=b HTTP/1.0\r\n\r\n"), whole);
	ck_assert_str_eq(answer_to("HEAD /metrics HTTP/1.1\r\n\r\n"), head);
	end();
}
END_TEST

START_TEST(other_questions_get_what_http_has_for_them)
{
	begin("");
	ck_assert_str_eq(answer_to("POST /metrics HTTP/1.1\r\n\r\n"),
			 "HTTP/1.1 405 Method Not Allowed\r\n" HEADERS
			 "18\r\nAllow: GET, HEAD\r\nConnection: close\r\n\r\n"
			 "only GET and HEAD\n");
	said_expect(answer_to("GET /metric HTTP/1.1\r\n\r\n"),
		    "\r\n\r\nonly /metrics\n");
	ck_assert_ptr_null(
		strstr(answer_to("HEAD / HTTP/1.1\r\n\r\n"), "only /metrics"));
	expect_status("HEAD / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found\r\n");
	expect_status("GET /metrics HTTP/2\r\n\r\n",
		      "HTTP/1.1 400 Bad Request\r\n");
	expect_status("GET /metrics\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n");
	expect_status("GET\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n");
	expect_status("\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n");
	said_expect(answer_to("x y\r\n\r\n"), "\r\n\r\nnot HTTP/1\n");
	ck_assert_uint_eq(made, 0);
	end();
}
END_TEST

START_TEST(a_question_is_answered_when_it_is_whole_and_not_when_it_is_too_long)
{
	static char line[SCRAPE_REQUEST_MAX + 1];
	int fd;
	size_t i;

	begin("");
	fd = connected();
	for (i = 0; i < strlen(GET); i++) {
		ck_assert(is_silent(fd));
		say(fd, &GET[i], 1);
	}
	said_expect(answer(fd), "\r\n\r\njobio 1\n");
	memset(line, 'x', sizeof(line));
	fd = connected();
	say(fd, line, SCRAPE_REQUEST_MAX - 1);
	ck_assert(is_silent(fd));
	say(fd, line, 1);
	ck_assert_str_eq(
		answer(fd),
		"HTTP/1.1 431 Request Header Fields Too Large\r\n" HEADERS
		"9\r\nConnection: close\r\n\r\ntoo long\n");
	end();
}
END_TEST

START_TEST(a_long_text_arrives_whole_and_once)
{
	static char text[2 << 20];
	const char *got;
	int fd;

	begin("");
	memset(text, '#', sizeof(text) - 1);
	body = text;
	fd = connected();
	say(fd, GET GET, strlen(GET GET));
	ck_assert(!is_closed(fd));
	got = answer(fd);
	ck_assert_uint_eq(strlen(strstr(got, "\r\n\r\n") + 4),
			  sizeof(text) - 1);
	ck_assert_uint_eq(made, 1);
	end();
}
END_TEST

START_TEST(the_text_is_made_once_a_second_and_that_it_cannot_be_is_told)
{
	begin("");
	answer_to(GET);
	body = NULL;
	said_expect(answer_to(GET), "jobio 1\n");
	ck_assert_uint_eq(made, 1);
	clock_s++;
	ck_assert_str_eq(answer_to(GET),
			 "HTTP/1.1 500 Internal Server Error\r\n" HEADERS
			 "17\r\nConnection: close\r\n\r\nthe store is away");
	body = "jobio 2\n";
	said_expect(answer_to(GET), "\r\n\r\njobio 2\n");
	ck_assert_uint_eq(made, 3);
	end();
}
END_TEST

/* ---- connections ----------------------------------------------------------- */

START_TEST(the_oldest_connection_makes_room_and_those_that_went_are_not_counted)
{
	int fd[SCRAPE_PEERS_MAX], i, more;

	begin("");
	for (i = 0; i < SCRAPE_PEERS_MAX; i++)
		fd[i] = connected();
	close(fd[3]);
	turn();
	shutdown(fd[4], SHUT_WR);
	turn();
	ck_assert(is_closed(fd[4]));
	fd[3] = connected();
	fd[4] = connected();
	for (i = 0; i < SCRAPE_PEERS_MAX; i++)
		ck_assert(is_silent(fd[i]));
	more = connected();
	ck_assert(is_closed(fd[0]));
	for (i = 1; i < SCRAPE_PEERS_MAX; i++)
		ck_assert(is_silent(fd[i]));
	/* or when there is no descriptor for the next */
	accept_error(listener, scrape);
	turn();
	ck_assert(is_closed(fd[1]) && is_silent(fd[2]));
	say(more, GET, strlen(GET));
	said_expect(answer(more), "jobio 1\n");
	end();
}
END_TEST

START_TEST(a_connection_has_its_time_and_no_more)
{
	struct timeval now, until;
	int fd;

	begin("");
	accept_error(listener, scrape); /* nobody is here to go */
	fd = connected();
	say(fd, "G", 1);
	ck_assert_int_ne(event_pending(deadline, EV_TIMEOUT, &until), 0);
	gettimeofday(&now, NULL);
	ck_assert_int_ge(until.tv_sec - now.tv_sec, SCRAPE_LIMIT_S - 2);
	ck_assert_int_le(until.tv_sec - now.tv_sec, SCRAPE_LIMIT_S);
	expire(deadline);
	ck_assert(is_closed(fd));
	end();
}
END_TEST

/* ---- the file, and where it listens ---------------------------------------- */

START_TEST(the_file_is_there_from_the_start_and_follows)
{
	struct timeval now, until;
	char path[256];
	struct stat st;

	begin("/none/jobio.prom");
	said_expect(text_of("said"), "jobio: ledger: metrics_file: ");
	said_expect(text_of("said"), "No such file or directory\n");
	scrape_free(scrape);
	scrape = NULL;
	snprintf(path, sizeof(path), "%s", tempdir_path("jobio.prom"));
	scrape = made_scrape("", path, NULL);
	ck_assert_str_eq(text_of("jobio.prom"), "jobio 1\n");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0644);
	ck_assert_int_ne(event_pending(file_event, EV_TIMEOUT, &until), 0);
	gettimeofday(&now, NULL);
	ck_assert_int_ge(until.tv_sec - now.tv_sec, SCRAPE_FILE_S - 2);
	ck_assert_int_le(until.tv_sec - now.tv_sec, SCRAPE_FILE_S);
	clock_s += SCRAPE_FILE_S;
	body = "jobio 2\n";
	expire(file_event);
	ck_assert_str_eq(text_of("jobio.prom"), "jobio 2\n");
	/* said when it begins to fail, and when it works again */
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	body = NULL;
	clock_s++;
	expire(file_event);
	expire(file_event);
	ck_assert_str_eq(text_of("said"),
			 "jobio: ledger: metrics_file: the store is away\n");
	ck_assert_str_eq(text_of("jobio.prom"), "jobio 2\n");
	body = "jobio 3\n";
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	expire(file_event);
	clock_s++;
	expire(file_event);
	said_expect(text_of("said"), "jobio.prom': works again\n");
	ck_assert_ptr_eq(strstr(text_of("said"), "works"),
			 strrchr(text_of("said"), 'w'));
	end();
}
END_TEST

START_TEST(a_connection_that_there_is_no_memory_for_is_closed)
{
	int fd;

	begin("");
	is_full = true;
	fd = connected();
	ck_assert(is_closed(fd));
	close(fd);
	is_full = false;
	expect_status(GET, "HTTP/1.1 200 OK");
	end();
}
END_TEST

START_TEST(a_file_that_there_is_no_memory_for_is_said)
{
	struct err err;

	begin("");
	is_full = true;
	ck_assert_ptr_null(made_scrape("", tempdir_path("file"), &err));
	ck_assert_str_eq(err.text, "metrics: out of memory");
	is_full = false;
	tempdir_expect("file", "");
	end();
}
END_TEST

START_TEST(where_it_cannot_listen_is_said)
{
	struct err err;

	begin("");
	ck_assert_ptr_null(made_scrape("1.2.3.4:", "", &err));
	ck_assert_str_eq(err.text, "[ledger] metrics_listen: '1.2.3.4:': not "
				   "an address");
	ck_assert_ptr_null(made_scrape("nowhere:80", "", &err));
	ck_assert_str_eq(err.text, "[ledger] metrics_listen: 'nowhere:80': not "
				   "an address");
	ck_assert_ptr_null(made_scrape(where, "", &err));
	said_expect(err.text, "metrics_listen: '127.0.0.1:");
	said_expect(err.text, "': Address already in use");
	end();
}
END_TEST

UNIT_MAIN("scrape",
	  the_text_is_one_answer_of_http_and_head_has_its_headers_alone,
	  other_questions_get_what_http_has_for_them,
	  a_question_is_answered_when_it_is_whole_and_not_when_it_is_too_long,
	  a_long_text_arrives_whole_and_once,
	  the_text_is_made_once_a_second_and_that_it_cannot_be_is_told,
	  the_oldest_connection_makes_room_and_those_that_went_are_not_counted,
	  a_connection_has_its_time_and_no_more,
	  the_file_is_there_from_the_start_and_follows,
	  a_connection_that_there_is_no_memory_for_is_closed,
	  a_file_that_there_is_no_memory_for_is_said,
	  where_it_cannot_listen_is_said)
