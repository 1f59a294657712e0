/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ledger/nodelay.h"
#include "tests/unit/runner.h"

#define ROUNDS 50
#define PART 4
#define BODY 600

static int ours, theirs; /* the two ends of a TCP connection */

static void make_connection(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t size = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, size), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	getsockname(listener, (struct sockaddr *)&at, &size);
	ours = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(ours, (struct sockaddr *)&at, size), 0);
	theirs = accept(listener, NULL, NULL);
	ck_assert_int_ge(theirs, 0);
	close(listener);
}

static void wait_for(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	ck_assert_int_eq(poll(&p, 1, 10000), 1);
}

static void get(int fd, size_t size)
{
	char buffer[BODY];
	ssize_t n;

	for (; size; size -= (size_t)n) {
		n = read(fd, buffer, size);
		ck_assert_int_gt(n, 0);
	}
}

/* slurmdbd, which has libc's poll() or none and never heard of TCP_NODELAY */
static void *answer(void *arg)
{
	static const char part[BODY];
	int i;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		get(theirs, PART);
		get(theirs, BODY);
		if (write(theirs, part, PART) != PART ||
		    write(theirs, part, BODY) != BODY)
			break;
	}
	return NULL;
}

/* As slurm_persist_send_msg() and slurm_persist_recv_msg() do. */
static void ask(void)
{
	static const char part[BODY];

	wait_for(ours, POLLOUT);
	ck_assert_int_eq(write(ours, part, PART), PART);
	wait_for(ours, POLLOUT);
	ck_assert_int_eq(write(ours, part, BODY), BODY);
	wait_for(ours, POLLIN);
	get(ours, PART);
	wait_for(ours, POLLIN);
	get(ours, BODY);
}

START_TEST(a_message_in_two_parts_does_not_wait_for_acknowledgements)
{
	struct timespec from, to;
	pthread_t slurmdbd;
	int i;

	make_connection();
	nodelay_set(true);
	ck_assert_int_eq(pthread_create(&slurmdbd, NULL, answer, NULL), 0);
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (i = 0; i < ROUNDS; i++)
		ask();
	clock_gettime(CLOCK_MONOTONIC, &to);
	pthread_join(slurmdbd, NULL);
	/* 40 ms each way of each round, were they to wait: 4 s */
	ck_assert_int_lt((to.tv_sec - from.tv_sec) * 1000 +
				 (to.tv_nsec - from.tv_nsec) / 1000000,
			 ROUNDS * 40 / 2);
}
END_TEST

static int option(int fd, int which)
{
	int value = -1;
	socklen_t size = sizeof(value);

	getsockopt(fd, IPPROTO_TCP, which, &value, &size);
	return value;
}

START_TEST(the_server_keeps_its_sockets_as_they_are)
{
	make_connection();
	wait_for(ours, POLLOUT);
	ck_assert_int_eq(option(ours, TCP_NODELAY), 0);
	nodelay_set(true);
	wait_for(ours, POLLOUT);
	ck_assert_int_ne(option(ours, TCP_NODELAY), 0);
}
END_TEST

START_TEST(each_of_the_sockets_that_are_asked_about_is_set)
{
	struct pollfd p[3] = { { .fd = -1 }, { 0 }, { 0 } };
	int i;

	for (i = 1; i < 3; i++) {
		make_connection();
		p[i] = (struct pollfd){ .fd = ours, .events = POLLOUT };
	}
	nodelay_set(true);
	ck_assert_int_eq(poll(p, 3, 10000), 2);
	ck_assert_int_ne(option(p[1].fd, TCP_NODELAY), 0);
	ck_assert_int_ne(option(p[2].fd, TCP_NODELAY), 0);
}
END_TEST

START_TEST(poll_says_what_it_always_says)
{
	struct pollfd p[2] = { { .events = POLLIN },
			       { .fd = -1, .events = POLLIN } };
	int ends[2];

	make_connection();
	p[0].fd = ours;
	nodelay_set(true);
	ck_assert_int_eq(poll(p, 2, 0), 0);
	ck_assert_int_eq(poll(p, 2, 20), 0);
	ck_assert_int_eq(write(theirs, "x", 1), 1);
	ck_assert_int_eq(poll(p, 2, -1), 1);
	ck_assert_int_eq(p[0].revents, POLLIN);
	ck_assert_int_eq(p[1].revents, 0);
	ck_assert_int_eq(pipe(ends), 0);
	p[0].fd = ends[1];
	p[0].events = POLLOUT;
	errno = 0;
	ck_assert_int_eq(poll(p, 1, 1000), 1); /* no TCP: no error either */
	ck_assert_int_eq(errno, 0);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

UNIT_MAIN("nodelay", a_message_in_two_parts_does_not_wait_for_acknowledgements,
	  the_server_keeps_its_sockets_as_they_are,
	  each_of_the_sockets_that_are_asked_about_is_set,
	  poll_says_what_it_always_says)
