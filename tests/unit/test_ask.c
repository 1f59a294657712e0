/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to a client: how long they may take, what their answers are, and which of
 * them the next job need not put again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/ask.h"
#include "client/cache.h"
#include "client/state.h"
#include "client/type.h"
#include "lib/child.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* The clocks (--wrap) stand still when they are set. */
static unsigned long long stands_at_ms;
static time_t boot_s;

unsigned long long __real_child_now_ms(void);
unsigned long long __wrap_child_now_ms(void);

unsigned long long __wrap_child_now_ms(void)
{
	return stands_at_ms ? stands_at_ms : __real_child_now_ms();
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int rc = __real_clock_gettime(clock, now);

	if (boot_s && clock == CLOCK_BOOTTIME)
		now->tv_sec = boot_s;
	return rc;
}

static struct config_client section = { .name = (char *)"scratch" };
static struct client_type_ops type = { .name = "t" };
static struct client client = { .type = &type, .section = &section };
static struct ask ask;

static void expect(enum ask_answer answer, const char *text, const char *why)
{
	ck_assert_int_eq(ask.answer, answer);
	ck_assert_str_eq(ask.text ? ask.text : "-", text);
	ck_assert_str_eq(ask.why, why);
	ask_clear(&ask);
	ck_assert_int_eq(ask.answer, ASK_NOT_ASKED);
	ck_assert_ptr_null(ask.text);
}

/* ---- how long ------------------------------------------------------------------ */

static unsigned int limit(unsigned long long left_ms)
{
	client.deadline_ms = stands_at_ms + left_ms;
	return ask_limit_ms(&client);
}

START_TEST(a_question_has_its_time_or_what_is_left_of_all)
{
	stands_at_ms = 5000;
	section.timeout_ms = 1000;
	ck_assert_uint_eq(limit(999), 999);
	ck_assert_uint_eq(limit(1000), 1000);
	ck_assert_uint_eq(limit(1001), 1000);
	ck_assert_uint_eq(limit(0), 0);
	client.deadline_ms = 4999;
	ck_assert_uint_eq(ask_limit_ms(&client), 0);
	client.deadline_ms = 0;
	ck_assert_uint_eq(ask_limit_ms(&client), 0);
}
END_TEST

static void ask_shell(const char *script)
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)script,
			 NULL };

	ask_command(&client, &ask, argv, NULL);
}

/* Of so much time, with so much left, for what does not answer. */
static enum ask_answer silence(unsigned int timeout_ms, unsigned int left_ms)
{
	enum ask_answer answer;

	section.timeout_ms = timeout_ms;
	client.deadline_ms = child_now_ms() + left_ms;
	stands_at_ms = child_now_ms();
	ask_shell("exec sleep 60");
	stands_at_ms = 0;
	answer = ask.answer;
	ck_assert_str_ne(ask.why, "");
	ask_clear(&ask);
	return answer;
}

START_TEST(who_had_half_of_the_time_hangs)
{
	ck_assert_int_eq(silence(40, 1000), ASK_HUNG);
	ck_assert_int_eq(silence(100, 60), ASK_HUNG);
	ck_assert_int_eq(silence(100, 50), ASK_HUNG);
	ck_assert_int_eq(silence(102, 50), ASK_NO_TIME);
	section.timeout_ms = 1000;
	client.deadline_ms = 0;
	ask_shell("echo no");
	expect(ASK_NO_TIME, "-", "no time left");
}
END_TEST

START_TEST(who_is_silent_once_is_not_asked_again)
{
	static const struct {
		enum ask_answer answer;
		bool is_silent;
	} rows[] = {
		{ ASK_NOT_ASKED, false }, { ASK_ANSWERED, false },
		{ ASK_FAILED, false },	  { ASK_MISSING, false },
		{ ASK_HUNG, true },	  { ASK_NO_TIME, true },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ask_set(&ask, rows[i].answer, NULL);
		ck_assert_str_eq(ask.why, "");
		ck_assert_int_eq(ask_is_silent(&ask), rows[i].is_silent);
	}
}
END_TEST

/* ---- answers ------------------------------------------------------------------- */

static void have_time(void)
{
	section.timeout_ms = 10000;
	client.deadline_ms = child_now_ms() + 10000;
}

START_TEST(the_answer_of_a_command_is_what_it_prints_or_why_not)
{
	have_time();
	ask_shell("echo one; echo two; echo aside >&2");
	expect(ASK_ANSWERED, "one\ntwo\n", "");
	ask_shell("echo out; echo why >&2; echo more >&2; exit 3");
	expect(ASK_FAILED, "-", "exit status 3: why");
	ask_shell("echo out; echo more; exit 1");
	expect(ASK_FAILED, "-", "exit status 1: out");
	ask_shell("exit 125");
	expect(ASK_FAILED, "-", "exit status 125: no message");
	ask_shell("echo why >&2; echo more >&2; exit 126");
	expect(ASK_MISSING, "-", "why");
	ask_shell("echo why >&2; exit 127");
	expect(ASK_MISSING, "-", "why");
	ask_shell("exit 128");
	expect(ASK_FAILED, "-", "exit status 128: no message");
}
END_TEST

static int print_and_return(void *arg)
{
	printf("printed\n");
	return *(int *)arg;
}

static void ask_for(int status)
{
	ask_function(&client, &ask, "the file", print_and_return, &status);
}

START_TEST(the_answer_of_a_function_is_what_it_prints_or_why_not)
{
	have_time();
	ask_for(0);
	expect(ASK_ANSWERED, "printed\n", "");
	ask_for(1);
	expect(ASK_FAILED, "-", "cannot read the file");
	ask_for(2);
	expect(ASK_MISSING, "-", "cannot read the file");
	ask_for(3);
	expect(ASK_FAILED, "-", "cannot read the file");
}
END_TEST

static int print_and_hang(void *arg)
{
	(void)arg;
	printf("half of it\n");
	fflush(stdout);
	printf("lost");
	for (;;)
		pause();
	return 0;
}

START_TEST(of_who_is_silent_in_the_end_what_he_said_is_heard)
{
	/* on a slow machine he does not get to it at once */
	for (section.timeout_ms = 50;
	     section.timeout_ms < 20000 && !(ask.text && *ask.text);
	     section.timeout_ms *= 4) {
		client.deadline_ms = child_now_ms() + 100000;
		ask_function_heard(&client, &ask, "the file", print_and_hang,
				   NULL);
	}
	ck_assert_int_eq(ask.answer, ASK_HUNG);
	ck_assert_str_eq(ask.text, "half of it\n");
	ask_clear(&ask);
	section.timeout_ms = 50;
	ask_function(&client, &ask, "the file", print_and_hang, NULL);
	ck_assert_int_eq(ask.answer, ASK_HUNG);
	ck_assert_ptr_null(ask.text);
	ask_clear(&ask);
}
END_TEST

/* ---- what is kept -------------------------------------------------------------- */

static bool fits, is_worth_it;
static char key_file[512];

static int load(struct client *of, const struct cache *cache)
{
	(void)of;
	ck_assert_int_eq(cache_answer(cache, "none", &ask), -1);
	ck_assert_int_eq(cache_number(cache, "none"), -1);
	if (cache_answer(cache, "answer", &ask) < 0)
		return -1;
	ck_assert_int_eq(cache_number(cache, "number"), 42);
	return fits ? 0 : -1;
}

static int keep(const struct client *of, struct cache *cache)
{
	const struct ask answer = { .text = (char *)"yes" };

	(void)of;
	cache_put_answer(cache, "answer", &answer);
	cache_put_number(cache, "number", 42);
	return is_worth_it ? 0 : -1;
}

static void key(const struct client *of, struct cache_key *made)
{
	(void)of;
	cache_key_file(made, key_file);
	cache_key_process(made, getpid());
}

/* A client was asked when the node had run for 5000 seconds. */
static void begin(void)
{
	tempdir_make();
	snprintf(key_file, sizeof(key_file), "%s", tempdir_put("key", "1"));
	type.load = load;
	type.keep = keep;
	type.key = key;
	client.run_dir = tempdir_name;
	fits = is_worth_it = true;
	boot_s = 5000;
	cache_asked(&client);
	ck_assert(!client.cached);
	ck_assert_int_eq(client.asked_at_s, 5000);
	cache_keep(&client);
	client.asked_at_s = 0;
}

static void away(void)
{
	ask_clear(&ask);
	tempdir_remove();
}

START_TEST(what_a_client_said_holds_for_ten_minutes)
{
	begin();
	ck_assert(cache_use(&client));
	ck_assert(client.cached);
	ck_assert_int_eq(client.asked_at_s, 5000);
	ck_assert_int_eq(ask.answer, ASK_ANSWERED);
	ck_assert_str_eq(ask.text, "yes");
	boot_s = 5000 + CACHE_AGE_MAX_S;
	ck_assert(cache_use(&client));
	boot_s++;
	ck_assert(!cache_use(&client));
	ck_assert(!client.cached);
	boot_s = 4999; /* before it was said */
	ck_assert(!cache_use(&client));
	/* at once when the node came up */
	client.asked_at_s = 0;
	cache_keep(&client);
	boot_s = 100;
	ck_assert(cache_use(&client));
	client.asked_at_s = -1; /* nobody knows when */
	client.cached = false;
	cache_keep(&client);
	ck_assert(!cache_use(&client));
	away();
}
END_TEST

START_TEST(what_a_client_said_holds_while_its_files_are_the_same)
{
	begin();
	tempdir_put("key", "12");
	ck_assert(!cache_use(&client));
	away();
	begin();
	unlink(key_file);
	ck_assert(!cache_use(&client));
	away();
	begin();
	section.name = (char *)"home";
	ck_assert(!cache_use(&client));
	section.name = (char *)"scratch";
	type.name = "u";
	ck_assert(!cache_use(&client));
	type.name = "t";
	ck_assert(cache_use(&client));
	away();
}
END_TEST

START_TEST(what_does_not_fit_or_is_not_there_does_not_hold)
{
	begin();
	fits = false;
	ck_assert(!cache_use(&client));
	fits = true;
	type.load = NULL;
	ck_assert(!cache_use(&client));
	type.load = load;
	client.run_dir = NULL;
	ck_assert(!cache_use(&client));
	client.run_dir = tempdir_name;
	ck_assert(cache_use(&client));
	tempdir_put("client.scratch.json", "{\"at\":5000}");
	ck_assert(!cache_use(&client));
	tempdir_put("client.scratch.json", "no json");
	ck_assert(!cache_use(&client));
	unlink(tempdir_path("client.scratch.json"));
	ck_assert(!cache_use(&client));
	away();
}
END_TEST

/* It is nobody else's business. */
static bool is_ours(const char *name)
{
	struct stat st;

	if (stat(tempdir_path(name), &st) < 0)
		return false;
	ck_assert_int_eq(st.st_mode & 0777, 0600);
	return true;
}

static bool is_kept(void)
{
	return is_ours("client.scratch.json");
}

START_TEST(what_is_kept_gets_no_younger_and_is_dropped_when_it_is_no_use)
{
	begin();
	ck_assert(cache_use(&client));
	boot_s = 5100;
	cache_keep(&client); /* it is the old answer */
	boot_s = 5000 + CACHE_AGE_MAX_S + 1;
	ck_assert(!cache_use(&client));
	cache_asked(&client);
	is_worth_it = false;
	cache_keep(&client);
	ck_assert(!is_kept());
	is_worth_it = true;
	type.keep = NULL;
	cache_keep(&client);
	ck_assert(!is_kept());
	type.keep = keep;
	client.run_dir = NULL;
	cache_keep(&client);
	cache_drop(&client);
	client.run_dir = tempdir_name;
	ck_assert(!is_kept());
	cache_keep(&client);
	ck_assert(is_kept());
	ck_assert(cache_use(&client));
	cache_drop(&client);
	ck_assert(!is_kept());
	away();
}
END_TEST

/* ---- what outlives a reboot ------------------------------------------------------ */

START_TEST(what_must_be_known_after_a_reboot_is_a_file_each)
{
	struct err err = { "" };
	char *text;

	tempdir_make();
	client.state_dir = tempdir_name;
	ck_assert_ptr_null(state_read(&client, "baseline"));
	ck_assert_int_eq(state_write(&client, "baseline", "one\n", &err), 0);
	ck_assert_int_eq(state_write(&client, "mounts", "two\n", &err), 0);
	ck_assert(is_ours("scratch.baseline"));
	tempdir_expect("scratch.baseline", "one\n");
	text = state_read(&client, "mounts");
	ck_assert_str_eq(text, "two\n");
	free(text);
	state_forget(&client, "baseline");
	ck_assert_ptr_null(state_read(&client, "baseline"));
	tempdir_expect("scratch.mounts", "two\n");
	client.state_dir = "/nowhere/at/all";
	ck_assert_int_eq(state_write(&client, "mounts", "x", &err), -1);
	client.state_dir = NULL;
	ck_assert_int_eq(state_write(&client, "mounts", "x", &err), -1);
	ck_assert_str_eq(err.text, "no place to remember the mounts");
	ck_assert_ptr_null(state_read(&client, "mounts"));
	state_forget(&client, "mounts");
	tempdir_expect("scratch.mounts", "two\n");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("ask", a_question_has_its_time_or_what_is_left_of_all,
	  who_had_half_of_the_time_hangs, who_is_silent_once_is_not_asked_again,
	  the_answer_of_a_command_is_what_it_prints_or_why_not,
	  the_answer_of_a_function_is_what_it_prints_or_why_not,
	  of_who_is_silent_in_the_end_what_he_said_is_heard,
	  what_a_client_said_holds_for_ten_minutes,
	  what_a_client_said_holds_while_its_files_are_the_same,
	  what_does_not_fit_or_is_not_there_does_not_hold,
	  what_is_kept_gets_no_younger_and_is_dropped_when_it_is_no_use,
	  what_must_be_known_after_a_reboot_is_a_file_each)
