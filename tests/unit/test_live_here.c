/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-live on a node made of a folder, asked by a viewer that is the test; its
 * counters and its clock are the test's, too. With real ones: live.bats. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/lock.h"
#include "lib/look.h"
#include "tests/unit/job_node.h"
#include "tests/unit/program.h"
#include "tests/unit/runner.h"

#undef main /* jobio-live's has another name here */
int jobio_live_main(int argc, char **argv);

#define STATUS_USAGE 64
#define STATUS_FAILED 70

static struct {
	const char *asks[8]; /* what each read of its standard input gives */
	int reads, counts, naps;
	int error; /* of the read behind them; 0: the end */
	unsigned long long now_ms, took_ms, nap_ms;
	bool is_blind, is_busy;
} world;

ssize_t __real_read(int fd, void *to, size_t size);

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	const char *ask;

	if (fd != STDIN_FILENO)
		return __real_read(fd, to, size);
	ask = world.asks[world.reads++];
	if (!ask) {
		errno = world.error;
		return world.error ? -1 : 0;
	}
	if (!strcmp(ask, "signal")) {
		errno = EINTR;
		return -1;
	}
	ck_assert_uint_le(strlen(ask), size);
	memcpy(to, ask, strlen(ask));
	return (ssize_t)strlen(ask);
}

int __wrap_job_count_read(const struct config *of, struct record *state,
			  struct err *why)
{
	struct record_io io;

	ck_assert(of && state->job == 7);
	world.counts++;
	world.now_ms += world.took_ms;
	if (world.is_blind)
		return err_set(why, "jobio-count: no BTF");
	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.numbers[RECORD_READ_BYTES] = world.counts;
	return record_add_app(state, &io);
}

int __wrap_lock_wait(int fd, unsigned int timeout_ms)
{
	ck_assert(fd > 0 && timeout_ms == 5000);
	return world.is_busy ? -1 : 0;
}

unsigned long long __wrap_child_now_ms(void)
{
	return world.now_ms;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	world.naps++;
	world.nap_ms = (unsigned long long)time->tv_sec * 1000 +
		       (unsigned long long)time->tv_nsec / 1000000;
	return 0;
}

/* ---- words of the tests ------------------------------------------------------------- */

static struct looks looks;

/* Job 7 of user 1000 runs on node c1. */
static void begin(void)
{
	struct record *state;

	memset(&world, 0, sizeof(world));
	world.asks[0] = "\n";
	world.now_ms = 9000;
	setup();
	setenv("SLURMD_NODENAME", "c1", 1);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	state = new_state(7, 1000, 0);
	ck_assert_int_eq(job_state_write(config, state, &err), 0);
	record_free(state);
}

static void end(void)
{
	looks_free(&looks);
	memset(&looks, 0, sizeof(looks));
	teardown();
}

/* Its exit status; what it has answered is in 'looks'. */
static int live(const char *uid)
{
	char conf[600], line[2000];
	char *argv[] = { (char *)"jobio-live", conf,	    (char *)"7",
			 (char *)uid,	       (char *)"3", NULL };
	int out, rc;
	FILE *file;

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	world.reads = 0;
	looks_free(&looks);
	memset(&looks, 0, sizeof(looks));
	fflush(stdout);
	out = dup(STDOUT_FILENO);
	ck_assert(freopen(tempdir_path("out"), "w", stdout) != NULL);
	optind = 0;
	rc = jobio_live_main(5, argv);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	file = fopen(tempdir_path("out"), "r");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file))
		ck_assert_int_eq(looks_take(&looks, line), 1);
	fclose(file);
	return rc;
}

/* Of this node, to this question. */
static const char *answer(const char *node, enum look_kind kind,
			  unsigned int ask)
{
	ck_assert_uint_eq(looks.count, 1);
	ck_assert_uint_eq(looks.nodes, 3);
	ck_assert_str_eq(looks.node[0]->name, node);
	ck_assert_int_eq(looks.node[0]->kind, kind);
	ck_assert_uint_eq(looks.node[0]->ask, ask);
	return looks.node[0]->text;
}

static void expect_sentence(const char *wanted)
{
	ck_assert_int_eq(live("1000"), 0);
	ck_assert_str_eq(answer("c1", LOOK_ERROR, 1), wanted);
}

/* So many bytes were read, by the record. */
static void expect_record(unsigned int ask, int64_t bytes)
{
	const char *text = answer("c1", LOOK_RECORD, ask);
	struct record *record = record_parse(text, strlen(text), &err);

	ck_assert_msg(record != NULL, "%s", err.text);
	ck_assert_uint_eq(record->job, 7);
	ck_assert(job_state_is_ended(record));
	ck_assert_int_eq(record->app[0].numbers[RECORD_READ_BYTES], bytes);
	record_free(record);
}

/* ---- questions ------------------------------------------------------------------------- */

START_TEST(who_asks_gets_the_record_as_far_as_it_is_known)
{
	begin();
	ck_assert_int_eq(live("1000"), 0);
	expect_record(1, 1);
	/* the job goes on */
	ck_assert(is_there("run/7/start.json"));
	ck_assert(!is_there("spool/7.0.c1.json"));
	/* root may look at all jobs */
	ck_assert_int_eq(live("0"), 0);
	expect_record(1, 2);
	end();
}
END_TEST

START_TEST(of_questions_that_came_meanwhile_the_last_one_is_answered)
{
	begin();
	world.asks[0] = "\n\nx\n";
	ck_assert_int_eq(live("1000"), 0);
	ck_assert_int_eq(world.counts, 1);
	expect_record(3, 1);
	/* what is no newline is no question, nor is a signal */
	world.asks[0] = "x";
	world.asks[1] = "signal";
	world.asks[2] = "\n";
	world.asks[3] = "\n";
	world.counts = 0;
	ck_assert_int_eq(live("1000"), 0);
	ck_assert_int_eq(world.counts, 2);
	expect_record(2, 2);
	ck_assert_int_eq(world.reads, 5);
	/* nobody asks */
	memset(world.asks, 0, sizeof(world.asks));
	ck_assert_int_eq(live("1000"), 0);
	ck_assert_uint_eq(looks.count, 0);
	/* and who asks cannot be heard any more */
	world.error = EIO;
	ck_assert_int_eq(live("1000"), 0);
	ck_assert_int_eq(world.reads, 1);
	end();
}
END_TEST

START_TEST(where_nobody_reads_its_answers_it_ends)
{
	char conf[600];
	char *argv[] = { (char *)"jobio-live", conf,	    (char *)"7",
			 (char *)"1000",       (char *)"3", NULL };

	begin();
	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	world.asks[1] = "\n";
	ck_assert(freopen("/dev/full", "w", stdout) != NULL);
	optind = 0;
	ck_assert_int_eq(jobio_live_main(5, argv), 0);
	ck_assert_int_eq(world.reads, 1);
	ck_assert_int_eq(world.counts, 1);
	end();
}
END_TEST

/* ---- no answer ------------------------------------------------------------------------- */

START_TEST(why_a_node_cannot_tell_is_its_answer)
{
	struct record *state;

	begin();
	ck_assert_int_eq(live("1001"), 0);
	ck_assert_str_eq(answer("c1", LOOK_ERROR, 1),
			 "the job is another user's");
	ck_assert_int_eq(world.counts, 0);
	world.is_busy = true;
	expect_sentence("too many look at this job");
	world.is_busy = false;
	world.is_blind = true;
	expect_sentence("jobio-count: no BTF");
	world.is_blind = false;
	state = new_state(7, 1000, 0);
	job_state_end(state);
	ck_assert_int_eq(job_state_update(config, state, &err), 0);
	record_free(state);
	expect_sentence("the job has ended here");
	ck_assert_int_eq(remove(tempdir_path("run/7/start.json")), 0);
	ck_assert_int_eq(remove(tempdir_path("spool/open/7.c1.json")), 0);
	expect_sentence("jobio knows nothing of this job");
	ck_assert_int_eq(job_discard(config, 7, &err), 0);
	world.naps = 0;
	expect_sentence("jobio knows nothing of this job");
	tempdir_put("run/7", "");
	expect_sentence("its folder cannot be read");
	/* of which there is no turn */
	ck_assert_int_eq(world.naps, 0);
	ck_assert_int_eq(remove(tempdir_path("jobio.conf")), 0);
	ck_assert_int_eq(live("1000"), 0);
	ck_assert_ptr_nonnull(
		strstr(answer("c1", LOOK_ERROR, 1), "jobio.conf': "));
	end();
}
END_TEST

START_TEST(a_node_answers_by_the_name_that_it_had_when_the_job_began)
{
	begin();
	setenv("SLURMD_NODENAME", "host", 1);
	ck_assert_int_eq(live("1001"), 0);
	answer("host", LOOK_ERROR, 1);
	ck_assert_int_eq(live("1000"), 0);
	answer("c1", LOOK_RECORD, 1);
	/* one that would be two words */
	setenv("SLURMD_NODENAME", "a host", 1);
	ck_assert_int_eq(live("1000"), STATUS_FAILED);
	setenv("SLURMD_NODENAME", "a/b", 1);
	ck_assert_int_eq(live("1000"), STATUS_FAILED);
	ck_assert_uint_eq(looks.count, 0);
	end();
}
END_TEST

/* ---- how often ------------------------------------------------------------------------- */

/* The nap of who has needed so long. */
static unsigned long long nap_after(unsigned int took_ms)
{
	world.took_ms = took_ms;
	world.nap_ms = 0;
	ck_assert_int_eq(live("1000"), 0);
	return world.nap_ms;
}

START_TEST(a_job_is_read_once_a_second_at_most)
{
	begin();
	ck_assert_uint_eq(nap_after(0), 1000);
	ck_assert_uint_eq(nap_after(1), 999);
	ck_assert_uint_eq(nap_after(300), 700);
	ck_assert_uint_eq(nap_after(999), 1);
	world.naps = 0;
	ck_assert_uint_eq(nap_after(1000), 0);
	ck_assert_uint_eq(nap_after(2500), 0);
	ck_assert_int_eq(world.naps, 0);
	/* nobody keeps the turn for ever */
	world.asks[1] = world.asks[2] = "\n";
	ck_assert_uint_eq(nap_after(0), 1000);
	ck_assert_int_eq(world.naps, 3);
	ck_assert_int_eq(world.counts, 9);
	end();
}
END_TEST

/* ---- the command line ------------------------------------------------------------------- */

START_TEST(words_that_are_none_of_slurmstepds_are_refused)
{
	static const char *const bad[][5] = {
		{ NULL },
		{ "7", "1000" },
		{ "7", "1000", "3", "4" },
		{ "0", "1000", "3" },
		{ "x", "1000", "3" },
		{ "7", "x", "3" },
		{ "7", "1000", "x" },
		{ "4294967296", "1000", "3" },
		{ "7", "-1", "3" },
		{ "--nosuch", "7", "1000", "3" },
	};
	char *argv[8] = { (char *)"jobio-live" };
	size_t i;
	int argc;

	begin();
	ck_assert_ptr_nonnull(freopen(tempdir_path("said"), "w", stderr));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		for (argc = 1; argc < 6 && bad[i][argc - 1]; argc++)
			argv[argc] = (char *)bad[i][argc - 1];
		argv[argc] = NULL;
		optind = 0;
		ck_assert_int_eq(jobio_live_main(argc, argv), STATUS_USAGE);
	}
	fflush(stderr);
	ck_assert_int_eq(world.reads, 0);
	end();
}
END_TEST

START_TEST(who_asks_for_help_gets_it)
{
	begin();
	program_help(jobio_live_main, "jobio-live");
	end();
}
END_TEST

UNIT_MAIN("live_here", who_asks_gets_the_record_as_far_as_it_is_known,
	  of_questions_that_came_meanwhile_the_last_one_is_answered,
	  where_nobody_reads_its_answers_it_ends,
	  why_a_node_cannot_tell_is_its_answer,
	  a_node_answers_by_the_name_that_it_had_when_the_job_began,
	  a_job_is_read_once_a_second_at_most,
	  words_that_are_none_of_slurmstepds_are_refused,
	  who_asks_for_help_gets_it)
