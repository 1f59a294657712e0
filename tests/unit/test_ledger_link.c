/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an asker believes of who answers him. MUNGE is played here: a credential is
 * "UID:DATA", of whoever says so. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <munge.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pwd.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/ledger_link.h"
#include "lib/seal.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"

/* ---- MUNGE ----------------------------------------------------------------- */

struct munge_ctx {
	uid_t reader;
};

static struct munge_ctx played;
static munge_err_t fails_set, fails_encode, fails_decode;
static const char *complaint; /* of the context */
static const char *munge_path = "";

munge_ctx_t munge_ctx_create(void)
{
	return &played;
}

void munge_ctx_destroy(munge_ctx_t ctx)
{
	(void)ctx;
}

munge_err_t munge_ctx_set(munge_ctx_t ctx, int option, ...)
{
	va_list args;

	va_start(args, option);
	if (option == MUNGE_OPT_UID_RESTRICTION)
		ctx->reader = va_arg(args, uid_t);
	else if (option == MUNGE_OPT_SOCKET)
		munge_path = va_arg(args, const char *);
	va_end(args);
	return fails_set;
}

const char *munge_ctx_strerror(munge_ctx_t ctx)
{
	(void)ctx;
	return complaint;
}

const char *munge_strerror(munge_err_t rc)
{
	return rc == EMUNGE_BAD_CRED ? "bad" : "other";
}

munge_err_t munge_encode(char **cred, munge_ctx_t ctx, const void *buf, int len)
{
	if (fails_encode)
		return fails_encode;
	ck_assert_int_gt(asprintf(cred, "%u:%.*s", ctx->reader, len, (const char *)buf), 0);
	return EMUNGE_SUCCESS;
}

munge_err_t munge_decode(const char *cred, munge_ctx_t ctx, void **buf, int *len, uid_t *uid,
			 gid_t *gid)
{
	const char *colon = strchr(cred, ':');

	(void)ctx;
	if (!colon)
		return EMUNGE_BAD_CRED;
	*uid = (uid_t)strtoul(cred, NULL, 10);
	*gid = 0;
	*buf = strdup(colon + 1);
	*len = (int)strlen(colon + 1);
	return fails_decode;
}

/* ---- names of hosts ---------------------------------------------------------- */

static struct sockaddr_storage addresses[16];
static struct addrinfo infos[16];

static void add_address(int at, const char *text, const char *of_port, size_t size)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&addresses[at];

	in->sin_family = AF_INET;
	in->sin_port = htons((uint16_t)strtoul(of_port, NULL, 10));
	ck_assert_int_eq(inet_pton(AF_INET, text, &in->sin_addr), 1);
	infos[at].ai_addr = (struct sockaddr *)in;
	infos[at].ai_addrlen = (socklen_t)size;
	if (at)
		infos[at - 1].ai_next = &infos[at];
}

/* An address is a name, too; "8th" and "9th" have the ledger behind others, "wide"
 * behind one of a family with larger addresses, "wider" has no other, and that of
 * "strange" is of no family that Linux knows. */
int getaddrinfo(const char *__restrict host, const char *__restrict of_port,
		const struct addrinfo *__restrict hints, struct addrinfo **__restrict list)
{
	const size_t usual = sizeof(struct sockaddr_in);
	const size_t wide = sizeof(struct sockaddr_storage);
	int i, others = !strcmp(host, "8th") ? 7 : !strcmp(host, "9th") ? 8 : 0;

	ck_assert_int_eq(hints->ai_socktype, SOCK_STREAM);
	*list = infos;
	if (!strcmp(host, "nobody"))
		return EAI_NONAME;
	if (!strncmp(host, "wide", 4)) {
		add_address(0, "127.0.0.1", of_port, wide + 1);
		if (!strcmp(host, "wide"))
			add_address(1, "127.0.0.1", of_port, wide);
		return 0;
	}
	if (!strcmp(host, "strange")) {
		add_address(0, "127.0.0.1", of_port, usual);
		addresses[0].ss_family = AF_MAX;
		return 0;
	}
	for (i = 0; i < others; i++)
		add_address(i, "127.0.0.2", of_port, usual);
	add_address(i, others ? "127.0.0.1" : host, of_port, usual);
	return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

/* ---- a ledger ---------------------------------------------------------------- */

#define OK "{\"ok\":true}"
#define OTHER "000102030405060708090a0b0c0d0e0f"

enum manner {
	HONEST,
	OF_ROOT,
	OF_ANOTHER, /* user */
	TO_ANOTHER, /* request */
	PLAIN,	    /* without an envelope */
	DAMAGED,
	FULL, /* as long as a frame may be */
	EMPTY,
	TOO_LARGE,
	SILENT,
	DEAF,	  /* it reads nothing */
	HANGS_UP, /* before it has read all */
	GONE,
	HALF,
	SLOW
};

static pid_t ledger;
static unsigned int port;
static struct err err;
static struct config *config;

static uid_t nobody(void)
{
	struct passwd *pw = getpwnam("nobody");

	ck_assert_ptr_nonnull(pw);
	return pw->pw_uid;
}

/* A letter for each place. */
static void fill(char *text, size_t size)
{
	size_t i;

	for (i = 0; i < size; i++)
		text[i] = (char)('a' + i % 26);
}

static bool is_filled(const char *text)
{
	size_t i;

	for (i = 0; text[i] && text[i] == (char)('a' + i % 26); i++)
		;
	return !text[i];
}

static bool read_all(int fd, void *data, size_t size)
{
	return recv(fd, data, size, MSG_WAITALL) == (ssize_t)size;
}

/* false: the asker has gone. */
static bool answer(int fd, enum manner manner)
{
	static char text[LEDGER_FRAME_MAX + 1], out[LEDGER_FRAME_MAX + 1];
	char nonce[64];
	uint32_t size;
	char *at;

	if (manner == DEAF)
		sleep(60);
	if (!read_all(fd, &size, sizeof(size)))
		return false;
	if (manner == HANGS_UP) {
		recv(fd, text, 1, MSG_PEEK); /* more waits */
		return false;
	}
	size = ntohl(size);
	if (size >= sizeof(text) || !read_all(fd, text, size))
		_exit(1);
	text[size] = '\0';
	at = strstr(text, "jobio/1 ");
	if (!at || (strcmp(at + 41, "{}") != 0 && !is_filled(at + 41)))
		_exit(1);
	snprintf(nonce, sizeof(nonce), "%.32s", at + 8);
	snprintf(out, sizeof(out), "%u:jobio/1 %s\n" OK,
		 manner == OF_ROOT	? 0
		 : manner == OF_ANOTHER ? 12345
					: nobody(),
		 manner == TO_ANOTHER ? OTHER : nonce);
	if (manner == PLAIN)
		snprintf(out, sizeof(out), "0:" OK);
	if (manner == DAMAGED)
		strcpy(out, "what");
	if (manner == FULL)
		memset(out + strlen(out), ' ', LEDGER_FRAME_MAX - strlen(out));
	size = htonl(manner == EMPTY	   ? 0
		     : manner == TOO_LARGE ? LEDGER_FRAME_MAX + 1
					   : (uint32_t)strlen(out));
	if (manner == GONE)
		_exit(0);
	if (manner == SILENT)
		sleep(60);
	if (manner == SLOW) {
		send(fd, &size, 2, MSG_NOSIGNAL);
		usleep(30000);
		send(fd, (char *)&size + 2, 2, MSG_NOSIGNAL);
		usleep(30000);
		send(fd, out, 10, MSG_NOSIGNAL);
		usleep(30000);
		send(fd, out + 10, strlen(out) - 10, MSG_NOSIGNAL);
		return true;
	}
	send(fd, &size, sizeof(size), MSG_NOSIGNAL);
	send(fd, out, manner == HALF ? strlen(out) - 1 : strlen(out), MSG_NOSIGNAL);
	if (manner == HALF)
		_exit(0);
	return true;
}

static const int little = 4096; /* bytes that wait on their way */

/* It listens on 127.0.0.1, and on no other address of this host. */
static void begin(enum manner manner, const char *hosts)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t size = sizeof(own);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), peer;
	char text[300];

	if (manner == DEAF || manner == HANGS_UP)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof(little));
	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert(bind(fd, (struct sockaddr *)&own, sizeof(own)) == 0 && listen(fd, 4) == 0 &&
		  getsockname(fd, (struct sockaddr *)&own, &size) == 0);
	port = ntohs(own.sin_port);
	ledger = fork();
	if (!ledger) {
		while ((peer = accept(fd, NULL, NULL)) >= 0) {
			while (answer(peer, manner))
				;
			close(peer);
		}
		_exit(1);
	}
	close(fd);
	snprintf(text, sizeof(text),
		 "[ledger]\nhost = %s\nport = %u\nuser = nobody\n"
		 "send_timeout_ms = %u\n",
		 hosts, port, manner == SILENT || manner == DEAF ? 300 : 20000);
	config = conf_load(text);
}

static void end(void)
{
	kill(ledger, SIGKILL);
	waitpid(ledger, NULL, 0);
	config_free(config);
}

static struct ledger_link *opened(void)
{
	struct ledger_link *link = ledger_link_open(&config->ledger, &err);

	ck_assert_msg(link != NULL, "%s", err.text);
	return link;
}

static void expect_answers(enum manner manner)
{
	struct ledger_link *link;
	char *text = NULL;
	int i;

	begin(manner, "127.0.0.1");
	link = opened();
	for (i = 0; i < 3; i++) { /* any number, one after the other */
		ck_assert_msg(ledger_link_call(link, "{}", &text, &err) == 0, "%s", err.text);
		ck_assert_int_eq(strncmp(text, OK, strlen(OK)), 0);
		ck_assert_uint_eq(strspn(text + strlen(OK), " "), strlen(text) - strlen(OK));
		free(text);
	}
	ck_assert_uint_eq(played.reader, nobody());
	ledger_link_close(link);
	end();
}

/* The sentence behind "ledger '127.0.0.1:PORT': ". */
static void expect_no_answer(enum manner manner, const char *why)
{
	char wanted[400], *text = (char *)"untouched";
	struct ledger_link *link;

	begin(manner, "127.0.0.1");
	link = opened();
	ck_assert_int_eq(ledger_link_call(link, "{}", &text, &err), -1);
	snprintf(wanted, sizeof(wanted), "ledger '127.0.0.1:%u': %s", port, why);
	ck_assert_str_eq(err.text, wanted);
	ck_assert_str_eq(text, "untouched");
	ledger_link_close(link);
	end();
}

START_TEST(the_ledgers_user_and_root_are_believed)
{
	expect_answers(HONEST);
	expect_answers(OF_ROOT);
	expect_answers(SLOW);
	expect_answers(FULL);
}
END_TEST

START_TEST(nobody_else_and_no_other_answer_is_believed)
{
	expect_no_answer(OF_ANOTHER, "the answer is from uid 12345, not from the ledger");
	expect_no_answer(TO_ANOTHER, "the answer is not to this request");
	expect_no_answer(PLAIN, "the answer is not to this request");
	expect_no_answer(DAMAGED, "answer: munge: bad");
}
END_TEST

START_TEST(an_answer_that_does_not_come_whole_is_told)
{
	expect_no_answer(EMPTY, "the answer is not a ledger's");
	expect_no_answer(TOO_LARGE, "the answer is not a ledger's");
	expect_no_answer(GONE, "no answer: Connection reset by peer");
	expect_no_answer(HANGS_UP, "no answer: Connection reset by peer");
	expect_no_answer(HALF, "no answer: Connection reset by peer");
	expect_no_answer(SILENT, "no answer: Connection timed out");
}
END_TEST

START_TEST(a_request_fits_into_a_frame_or_is_told)
{
	struct ledger_link *link;
	char *request = calloc(LEDGER_FRAME_MAX, 1), *text = NULL;
	int before = snprintf(NULL, 0, "%u:jobio/1 %032d\n", nobody(), 0);

	begin(HONEST, "127.0.0.1");
	link = opened();
	fill(request, LEDGER_FRAME_MAX - (size_t)before);
	ck_assert_msg(ledger_link_call(link, request, &text, &err) == 0, "%s", err.text);
	free(text);
	request[LEDGER_FRAME_MAX - (size_t)before] = 'x';
	ck_assert_int_eq(ledger_link_call(link, request, &text, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': a request of 1048577 bytes is too large"));
	ledger_link_close(link);
	free(request);
	end();
}
END_TEST

static const char *why_not_sent(enum manner manner)
{
	const size_t size = LEDGER_PAYLOAD_MAX;
	char *request = calloc(size + 1, 1), *text = NULL;
	struct ledger_link *link;
	int fd;

	begin(manner, "127.0.0.1");
	fd = dup(0); /* the number that the link will have */
	close(fd);
	link = opened();
	ck_assert_int_eq(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &little, sizeof(little)), 0);
	fill(request, size);
	ck_assert_int_eq(ledger_link_call(link, request, &text, &err), -1);
	ck_assert_ptr_null(text);
	ledger_link_close(link);
	free(request);
	end();
	ck_assert_int_eq(strncmp(err.text, "ledger '127.0.0.1:", 18), 0);
	return strchr(err.text + 18, ' ') + 1;
}

START_TEST(a_request_that_is_not_taken_is_told)
{
	const char *why = why_not_sent(DEAF);

	ck_assert_str_eq(why, "send: Connection timed out");
	why = why_not_sent(HANGS_UP);
	ck_assert_msg(!strcmp(why, "send: Connection reset by peer") ||
			      !strcmp(why, "send: Broken pipe"),
		      "%s", why);
}
END_TEST

static void nothing(int number)
{
	(void)number;
}

START_TEST(a_signal_meanwhile_does_not_end_the_wait_for_an_answer)
{
	struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
	struct sigaction action = { .sa_handler = nothing };
	struct ledger_link *link;
	char *text = NULL;
	int rc;

	begin(SLOW, "127.0.0.1");
	link = opened();
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	rc = ledger_link_call(link, "{}", &text, &err);
	setitimer(ITIMER_REAL, &never, NULL);
	ck_assert_msg(rc == 0, "%s", err.text);
	ck_assert_str_eq(text, OK);
	free(text);
	ledger_link_close(link);
	end();
}
END_TEST

START_TEST(what_munge_says_is_told)
{
	struct ledger_link *link;
	char *text = NULL;

	begin(HONEST, "127.0.0.1");
	link = opened();
	fails_encode = EMUNGE_SNAFU;
	ck_assert_int_eq(ledger_link_call(link, "{}", &text, &err), -1);
	ck_assert_str_eq(err.text, "munge: other");
	complaint = "in detail";
	ck_assert_int_eq(ledger_link_call(link, "{}", &text, &err), -1);
	ck_assert_str_eq(err.text, "munge: in detail");
	fails_encode = EMUNGE_SUCCESS;
	fails_set = EMUNGE_BAD_ARG;
	ck_assert_int_eq(ledger_link_call(link, "{}", &text, &err), -1);
	ck_assert_str_eq(err.text, "munge: in detail");
	ledger_link_close(link);
	end();
	ck_assert_ptr_null(seal_new("/socket", &err));
	ck_assert_str_eq(err.text, "munge: socket '/socket': in detail");
	fails_set = EMUNGE_SUCCESS;
	munge_path = "";
	seal_free(seal_new("", &err));
	seal_free(seal_new(NULL, &err));
	ck_assert_str_eq(munge_path, "");
	seal_free(seal_new("/socket", &err));
	ck_assert_str_eq(munge_path, "/socket");
	seal_free(NULL);
}
END_TEST

START_TEST(a_host_that_can_seal_and_open_is_in_order)
{
	ck_assert_int_eq(seal_check("", &err), 0);
	ck_assert_uint_eq(played.reader, geteuid());
	fails_decode = EMUNGE_CRED_REPLAYED; /* all may be asked twice */
	ck_assert_int_eq(seal_check("", &err), 0);
	fails_decode = EMUNGE_CRED_EXPIRED;
	complaint = "Expired credential";
	ck_assert_int_eq(seal_check("", &err), -1);
	ck_assert_str_eq(err.text, "munge: Expired credential");
	fails_decode = EMUNGE_SUCCESS;
	fails_encode = EMUNGE_SOCKET;
	ck_assert_int_eq(seal_check("", &err), -1);
	fails_encode = EMUNGE_SUCCESS;
	fails_set = EMUNGE_BAD_ARG;
	ck_assert_int_eq(seal_check("/s", &err), -1);
}
END_TEST

START_TEST(what_was_sealed_is_opened_with_its_length)
{
	struct seal *seal = seal_new("", &err);
	char *credential = NULL, *data = NULL;
	uid_t writer = 1;
	size_t size = 9;

	ck_assert_int_eq(seal_close(seal, "data", 4, 77, &credential, &err), 0);
	ck_assert_str_eq(credential, "77:data");
	ck_assert_int_eq(seal_open(seal, credential, &data, &size, &writer, &err), 0);
	ck_assert_str_eq(data, "data");
	ck_assert_uint_eq(size, 4);
	ck_assert_uint_eq(writer, 77);
	free(data);
	ck_assert_int_eq(seal_open(seal, "7:", &data, &size, &writer, &err), 0);
	ck_assert_str_eq(data, "");
	ck_assert_uint_eq(size, 0);
	free(data);
	free(credential);
	seal_free(seal);
}
END_TEST

START_TEST(the_next_ledger_is_asked_where_one_is_not_there)
{
	struct ledger_link *link;
	size_t at = 0;

	begin(HONEST, "127.0.0.2 127.0.0.1");
	ck_assert_uint_eq(ledger_link_count(&config->ledger), 2);
	link = ledger_link_open_from(&config->ledger, &at, &err);
	ck_assert_msg(link != NULL, "%s", err.text);
	ck_assert_uint_eq(at, 1);
	ledger_link_close(link);
	at = 3; /* counted on: the second of two */
	link = ledger_link_open_from(&config->ledger, &at, &err);
	ck_assert_ptr_nonnull(link);
	ck_assert_uint_eq(at, 3);
	ledger_link_close(link);
	at = 2;
	link = ledger_link_open_from(&config->ledger, &at, &err);
	ck_assert_ptr_nonnull(link);
	ck_assert_uint_eq(at, 3);
	ledger_link_close(link);
	ledger_link_close(NULL);
	end();
}
END_TEST

static void expect_reached(const char *host)
{
	struct ledger_link *link;
	char *text = NULL;

	begin(HONEST, host);
	link = opened();
	ck_assert_msg(ledger_link_call(link, "{}", &text, &err) == 0, "%s", err.text);
	free(text);
	ledger_link_close(link);
	end();
}

static void expect_not_reached(const char *host, const char *why)
{
	char wanted[200];

	begin(HONEST, host);
	ck_assert_ptr_null(ledger_link_open(&config->ledger, &err));
	snprintf(wanted, sizeof(wanted), "ledger '%s:%u': %s", host, port, why);
	ck_assert_str_eq(err.text, wanted);
	end();
}

START_TEST(eight_addresses_of_a_host_are_tried_one_after_the_other)
{
	expect_reached("8th");
	expect_not_reached("9th", "Connection refused");
	expect_reached("wide");
	expect_not_reached("wider", "the name of the host is not known");
	expect_not_reached("strange", "Address family not supported by protocol");
	expect_not_reached("nobody", "the name of the host is not known");
}
END_TEST

START_TEST(the_last_of_several_ledgers_that_are_not_there_is_told)
{
	char wanted[200];
	size_t at = 0;

	begin(HONEST, "127.0.0.2 127.0.0.3");
	ck_assert_ptr_null(ledger_link_open_from(&config->ledger, &at, &err));
	snprintf(wanted, sizeof(wanted), "ledger '127.0.0.3:%u': Connection refused", port);
	ck_assert_str_eq(err.text, wanted);
	ck_assert_uint_eq(at, 2);
	end();
}
END_TEST

START_TEST(a_ledger_that_accepts_nobody_is_waited_for_until_the_deadline)
{
	struct sockaddr_in own = { .sin_family = AF_INET };
	socklen_t size = sizeof(own);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), waits[4], i;
	char text[300], wanted[100];

	own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert(bind(fd, (struct sockaddr *)&own, sizeof(own)) == 0 && listen(fd, 0) == 0 &&
		  getsockname(fd, (struct sockaddr *)&own, &size) == 0);
	for (i = 0; i < 4; i++) { /* more than it lets wait */
		waits[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)!connect(waits[i], (struct sockaddr *)&own, sizeof(own));
	}
	snprintf(text, sizeof(text),
		 "[ledger]\nhost = 127.0.0.1\nport = %u\nuser = nobody\n"
		 "send_timeout_ms = 200\n",
		 ntohs(own.sin_port));
	config = conf_load(text);
	ck_assert_ptr_null(ledger_link_open(&config->ledger, &err));
	snprintf(wanted, sizeof(wanted), "ledger '127.0.0.1:%u': Connection timed out",
		 ntohs(own.sin_port));
	ck_assert_str_eq(err.text, wanted);
	config_free(config);
	for (i = 0; i < 4; i++)
		close(waits[i]);
	close(fd);
}
END_TEST

START_TEST(a_ledger_that_is_not_there_is_told)
{
	char wanted[200];

	begin(HONEST, "127.0.0.2");
	ck_assert_ptr_null(ledger_link_open(&config->ledger, &err));
	snprintf(wanted, sizeof(wanted), "ledger '127.0.0.2:%u': Connection refused", port);
	ck_assert_str_eq(err.text, wanted);
	end();
	config = conf_load("");
	ck_assert_uint_eq(ledger_link_count(&config->ledger), 0);
	ck_assert_ptr_null(ledger_link_open(&config->ledger, &err));
	ck_assert_str_eq(err.text, "[ledger] host is not set: records stay where they are");
	config_free(config);
	config = conf_load("[ledger]\nhost=127.0.0.1\nuser=nosuchuser\n");
	ck_assert_ptr_null(ledger_link_open(&config->ledger, &err));
	ck_assert_str_eq(err.text, "[ledger] user: 'nosuchuser': no such user here");
	config_free(config);
}
END_TEST

UNIT_MAIN("ledger_link", the_ledgers_user_and_root_are_believed,
	  nobody_else_and_no_other_answer_is_believed, an_answer_that_does_not_come_whole_is_told,
	  a_request_fits_into_a_frame_or_is_told, a_request_that_is_not_taken_is_told,
	  a_signal_meanwhile_does_not_end_the_wait_for_an_answer, what_munge_says_is_told,
	  a_host_that_can_seal_and_open_is_in_order, what_was_sealed_is_opened_with_its_length,
	  the_next_ledger_is_asked_where_one_is_not_there,
	  eight_addresses_of_a_host_are_tried_one_after_the_other,
	  the_last_of_several_ledgers_that_are_not_there_is_told,
	  a_ledger_that_accepts_nobody_is_waited_for_until_the_deadline,
	  a_ledger_that_is_not_there_is_told)
