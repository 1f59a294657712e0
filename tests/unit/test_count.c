/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What prolog and epilog ask of jobio-count, and what they make of its answers, with
 * one that answers what a test has for it. With the kernel's: count_job.bats. */
#include <stdlib.h>
#include <string.h>

#include "lib/child.h"
#include "lib/rundir.h"
#include "tests/unit/job_node.h"
#include "tests/unit/runner.h"

static struct {
	const char *out,
		*errtext; /* what it prints; out NULL: it does not run */
	int status;
	char words[16384]; /* it was called with, behind its own name */
	int calls;
	bool is_lost;
} helper;

int __wrap_job_helper_path(const char *name, char *path, size_t size)
{
	ck_assert_str_eq(name, "jobio-count");
	snprintf(path, size, "/libexec/%s", name);
	return helper.is_lost ? -1 : 0;
}

int __wrap_child_run(char *const argv[], char *const env[],
		     unsigned int timeout_ms, struct child_result *result,
		     struct err *why)
{
	size_t i;

	(void)env;
	ck_assert_uint_ge(timeout_ms, 1000);
	ck_assert_str_eq(strrchr(argv[0], '/'), "/jobio-count");
	ck_assert(!strncmp(argv[1], "--run-dir=", 10));
	ck_assert_str_eq(argv[1] + 10, config->run_dir);
	helper.words[0] = '\0';
	for (i = 2; argv[i]; i++) {
		strcat(helper.words, i > 2 ? " " : "");
		strcat(helper.words, argv[i]);
	}
	ck_assert_uint_lt(i, 1024);
	helper.calls++;
	if (!helper.out)
		return err_set(why, "it does not run");
	result->status = helper.status;
	result->out = strdup(helper.out);
	result->out_bytes = strlen(helper.out);
	result->errtext = strdup(helper.errtext);
	return 0;
}

static void answer(const char *out)
{
	helper.out = out;
	helper.errtext = "";
	helper.status = helper.calls = 0;
	helper.words[0] = err.text[0] = '\0';
}

/* It ends so, and says why, for people of many lines. */
static void give_up(void)
{
	answer("");
	helper.status = 3;
	helper.errtext = "no BTF\nand more";
}

#define FAILED "jobio-count: exit status 3: no BTF"

static struct record *state;

/* Job 7, on two filesystems of a client. */
static void begin(const char *more)
{
	setup();
	load(more);
	unsetenv("SLURM_JOB_SLUID");
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	state = record_new();
	state->job = 7;
	record_add_client(state, "home", "nfs", "", NULL);
	record_add_mount(state, "/home", "nfs", "server:/home");
	record_add_mount(state, "/work", "nfs", "server:/work");
}

static void end(void)
{
	record_free(state);
	teardown();
}

/* ---- start ------------------------------------------------------------------------- */

static void started(const char *out, int rc, const char *why, bool is_counted)
{
	answer(out);
	remove(tempdir_path("run/7/counted"));
	ck_assert_int_eq(job_count_start(config, state, &err), rc);
	ck_assert_str_eq(err.text, why);
	ck_assert_int_eq(helper.calls, 1);
	ck_assert_int_eq(job_is_counted(config, 7), is_counted);
}

START_TEST(a_job_is_counted_on_the_clients_filesystems_and_those_of_jobio_conf)
{
	begin("");
	started("{\"tier\":\"fs\"}", 0, "", true);
	ck_assert_str_eq(helper.words, "start 7 /home /work");
	ck_assert(!job_is_counted(config, 8));
	end();
	begin("[count]\nmounts = /scratch /data\nlatency = yes\n");
	setenv("SLURM_JOB_SLUID", "s7", 1);
	started("{\"tier\":\"fs\"}", 0, "", true);
	ck_assert_str_eq(helper.words, "--latency --sluid=s7 start 7 /home "
				       "/work /scratch /data");
	setenv("SLURM_JOB_SLUID", "", 1);
	started("{\"tier\":\"fs\"}", 0, "", true);
	ck_assert_str_eq(helper.words,
			 "--latency start 7 /home /work /scratch /data");
	end();
}
END_TEST

START_TEST(why_not_all_is_counted_is_told_and_that_nothing_is_is_not)
{
	begin("");
	started("{\"tier\":\"vfs\",\"reason\":\"no BTF\"}", -1,
		"jobio-count: no BTF", true);
	started("{\"tier\":\"none\",\"reason\":\"no BTF\"}", 0, "", false);
	started("{}", 0, "", false);
	started("x", 0, "", false);
	started(NULL, -1, "it does not run", false);
	give_up();
	ck_assert_int_eq(job_count_start(config, state, &err), -1);
	ck_assert_str_eq(err.text, FAILED);
	ck_assert(!job_is_counted(config, 7));
	/* a folder whose name is too long */
	free(config->run_dir);
	config->run_dir = calloc(1, RUNDIR_PATH_MAX);
	memset(config->run_dir, '/', RUNDIR_PATH_MAX - 4);
	answer("{\"tier\":\"fs\"}");
	ck_assert_int_eq(job_count_start(config, state, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': too long"));
	ck_assert_int_eq(helper.calls, 1);
	end();
	begin("");
	/* a folder that went away */
	ck_assert_int_eq(job_discard(config, 7, &err), 0);
	answer("{\"tier\":\"fs\"}");
	ck_assert_int_eq(job_count_start(config, state, &err), -1);
	ck_assert_str_ne(err.text, "");
	end();
}
END_TEST

START_TEST(where_jobio_conf_says_no_nothing_is_asked)
{
	int count = 0;

	begin("[count]\nkernel = no\n");
	answer("{\"tier\":\"fs\"}");
	ck_assert_int_eq(job_count_start(config, state, &err), 0);
	ck_assert_int_eq(job_count_each(config, NULL, &count, &err), 0);
	ck_assert_int_eq(helper.calls, 0);
	end();
}
END_TEST

START_TEST(filesystems_that_are_too_many_are_left_out)
{
	char *old, *many = calloc(1100, 6), *at = many;
	int i;

	begin("");
	for (i = 0; i < 1100; i++)
		at += sprintf(at, "/%d ", i);
	old = config->count_mounts;
	config->count_mounts = many;
	started("{\"tier\":\"fs\"}", 0, "", true);
	ck_assert(!strncmp(helper.words, "start 7 /home /work /0 /1 ", 26));
	/* 1,023 words, of which the first two are not among these */
	ck_assert_str_eq(strrchr(helper.words, ' '), " /1016");
	config->count_mounts = old;
	free(many);
	end();
}
END_TEST

/* ---- read and stop ------------------------------------------------------------------ */

#define COUNTED                                                                \
	"{\"app\":[{\"scope\":\"job\",\"source\":\"bpf\",\"fs\":\"/work\","    \
	"\"read_bytes\":5}]}"

START_TEST(counters_are_read_of_a_job_that_is_counted)
{
	begin("");
	answer(COUNTED);
	ck_assert_int_eq(job_count_read(config, state, &err), 0);
	ck_assert_int_eq(helper.calls, 0);
	started("{\"tier\":\"fs\"}", 0, "", true);
	answer(COUNTED);
	ck_assert_msg(job_count_read(config, state, &err) == 0, "%s", err.text);
	ck_assert_str_eq(helper.words, "read 7");
	ck_assert_uint_eq(state->app_count, 1);
	ck_assert_int_eq(state->app[0].numbers[RECORD_READ_BYTES], 5);
	answer("[]");
	ck_assert_int_eq(job_count_read(config, state, &err), -1);
	ck_assert_str_eq(err.text, "record: not an object");
	give_up();
	ck_assert_int_eq(job_count_read(config, state, &err), -1);
	ck_assert_str_eq(err.text, FAILED);
	ck_assert_uint_eq(state->app_count, 1);
	end();
}
END_TEST

START_TEST(who_does_not_know_where_it_is_finds_no_helper)
{
	static const char why[] = "jobio-count: its path is unknown";

	begin("");
	started("{\"tier\":\"fs\"}", 0, "", true);
	helper.is_lost = true;
	ck_assert_int_eq(job_count_start(config, state, &err), -1);
	ck_assert_str_eq(err.text, why);
	err.text[0] = '\0';
	ck_assert_int_eq(job_count_read(config, state, &err), -1);
	ck_assert_str_eq(err.text, why);
	err.text[0] = '\0';
	ck_assert_int_eq(job_count_stop(config, 7, &err), -1);
	ck_assert_str_eq(err.text, why);
	err.text[0] = '\0';
	ck_assert_int_eq(job_count_each(config, NULL, NULL, &err), -1);
	ck_assert_str_eq(err.text, why);
	ck_assert_int_eq(helper.calls, 1);
	end();
}
END_TEST

START_TEST(counting_is_stopped_of_any_job)
{
	begin("");
	answer("");
	ck_assert_int_eq(job_count_stop(config, 4294967294U, &err), 0);
	ck_assert_str_eq(helper.words, "stop 4294967294");
	give_up();
	ck_assert_int_eq(job_count_stop(config, 7, &err), -1);
	ck_assert_str_eq(err.text, FAILED);
	end();
}
END_TEST

/* ---- which jobs ---------------------------------------------------------------------- */

static char seen[200];
static uint32_t last;

static int see(void *arg, uint32_t job_id)
{
	char one[16];

	ck_assert_ptr_eq(arg, seen);
	snprintf(one, sizeof(one), "%u ", job_id);
	strcat(seen, one);
	return job_id == last ? 5 : 0;
}

static int each(const char *out)
{
	seen[0] = '\0';
	answer(out);
	return job_count_each(config, see, seen, &err);
}

START_TEST(jobs_that_are_counted_are_those_of_all_filesystems)
{
	begin("");
	ck_assert_int_eq(each("{\"jobs\":[{\"job\":7},{\"job\":7},{\"job\":8},"
			      "{\"job\":1},{\"job\":0},{\"job\":-7},{},"
			      "{\"job\":4294967294},{\"job\":4294967295}]}"),
			 0);
	ck_assert_str_eq(helper.words, "status");
	ck_assert_str_eq(seen, "7 8 1 4294967294 ");
	/* whoever has seen enough */
	last = 8;
	ck_assert_int_eq(
		each("{\"jobs\":[{\"job\":7},{\"job\":8},{\"job\":9}]}"), 5);
	ck_assert_str_eq(seen, "7 8 ");
	ck_assert_int_eq(each("{}"), 0);
	ck_assert_int_eq(each("x"), 0);
	ck_assert_int_eq(each(NULL), -1);
	ck_assert_str_eq(seen, "");
	give_up();
	ck_assert_int_eq(job_count_each(config, see, seen, &err), -1);
	ck_assert_str_eq(err.text, FAILED);
	end();
}
END_TEST

UNIT_MAIN("count",
	  a_job_is_counted_on_the_clients_filesystems_and_those_of_jobio_conf,
	  why_not_all_is_counted_is_told_and_that_nothing_is_is_not,
	  where_jobio_conf_says_no_nothing_is_asked,
	  filesystems_that_are_too_many_are_left_out,
	  counters_are_read_of_a_job_that_is_counted,
	  who_does_not_know_where_it_is_finds_no_helper,
	  counting_is_stopped_of_any_job,
	  jobs_that_are_counted_are_those_of_all_filesystems)
