/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin in sbatch, salloc and srun: what the user reads, and whether the
 * client goes on. Each client here is a process of its own. */
#include <stdarg.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/fake_slurm.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define WENT_ON 97 /* valgrind has 99 */
#define FAILED 98  /* a callback did */

int slurm_spank_init(spank_t sp, int argc, char *argv[]);
int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_init_privileged(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_init(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_post_fork(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_exit(spank_t sp, int argc, char *argv[]);
int slurm_spank_exit(spank_t sp, int argc, char *argv[]);

/* ---- what a client has besides fake_slurm.h ------------------------------------- */

spank_err_t spank_getenv(spank_t sp, const char *name, char *buf, int len)
{
	(void)sp;
	(void)name;
	(void)buf;
	(void)len;
	return ESPANK_NOT_REMOTE;
}

spank_err_t spank_setenv(spank_t sp, const char *name, const char *value, int overwrite)
{
	(void)sp;
	(void)name;
	(void)value;
	(void)overwrite;
	return ESPANK_NOT_REMOTE;
}

spank_err_t spank_unsetenv(spank_t sp, const char *name)
{
	(void)sp;
	(void)name;
	return ESPANK_NOT_REMOTE;
}

static void say(const char *level, const char *format, va_list args)
{
	printf("%s: ", level);
	vprintf(format, args);
	putchar('\n');
}

spank_err_t spank_get_item(spank_t sp, spank_item_t item, ...)
{
	(void)sp;
	(void)item;
	return ESPANK_NOT_AVAIL;
}

void slurm_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("error", format, args);
	va_end(args);
}

void slurm_info(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("info", format, args);
	va_end(args);
}

void slurm_verbose(const char *format, ...)
{
	(void)format;
}

/* ---- a client ---------------------------------------------------------------------- */

static const char site[] = "[option]\nio_cores_max = 3\n"
			   "[profile stream]\nio_cores = 2\n";

static char out[8192]; /* what the client has printed */

static void be(const char *command)
{
	memset(&fake, 0, sizeof(fake));
	fake.command = command;
	fake.allow = "Yes";
	fake.select = "select/cons_tres";
}

/* Slurm's order, with what a client calls in vain. */
static int play(const char *words)
{
	char conf[600], *argv[] = { conf };
	const char *last[2] = { NULL, NULL };
	int rc;

	snprintf(conf, sizeof(conf), "conf=%s", tempdir_path("jobio.conf"));
	rc = slurm_spank_init(NULL, 1, argv);
	if (rc)
		return FAILED;
	fake_words(words, last);
	free((char *)last[0]);
	free((char *)last[1]);
	rc |= slurm_spank_init_post_opt(NULL, 1, argv);
	rc |= slurm_spank_task_init_privileged(NULL, 1, argv);
	rc |= slurm_spank_task_init(NULL, 1, argv);
	rc |= slurm_spank_task_post_fork(NULL, 1, argv);
	rc |= slurm_spank_task_exit(NULL, 1, argv);
	rc |= slurm_spank_exit(NULL, 1, argv);
	return rc ? FAILED : WENT_ON;
}

/* A client that ends with an answer frees nothing. */
void __lsan_disable(void) __attribute__((weak));

/* The client's exit status; 'conf' NULL: there is no configuration. */
static int run(const char *conf, const char *words)
{
	char *text;
	int status, fd;

	tempdir_make();
	if (conf)
		tempdir_put("jobio.conf", conf);
	fd = open(tempdir_path("out"), O_WRONLY | O_CREAT, 0600);
	fflush(NULL);
	if (fork() == 0) {
		if (__lsan_disable)
			__lsan_disable();
		dup2(fd, STDOUT_FILENO);
		status = play(words);
		fflush(stdout);
		_exit(status);
	}
	wait(&status);
	close(fd);
	text = fileio_read(tempdir_path("out"), sizeof(out) - 1, NULL, NULL);
	snprintf(out, sizeof(out), "%s", text ? text : "");
	free(text);
	tempdir_remove();
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void expect_begin(const char *wanted)
{
	ck_assert_msg(!strncmp(out, wanted, strlen(wanted)), "%s", out);
}

/* ---- tests ------------------------------------------------------------------------- */

START_TEST(a_request_that_is_granted_is_silent)
{
	be("sbopt");
	ck_assert_int_eq(run(site, "--io-cores=3"), WENT_ON);
	ck_assert_str_eq(out, "");
	be("sropt");
	ck_assert_int_eq(run(site, ""), WENT_ON);
	ck_assert_str_eq(out, "");
}
END_TEST

START_TEST(a_refusal_is_one_line_and_the_end_of_the_client)
{
	be("sbopt");
	ck_assert_int_eq(run(site, "--io-cores=9"), 1);
	ck_assert_str_eq(
		out,
		"error: jobio: option: --io-cores: '9': this site allows a number from 1 to 3 (see --io-cores=help)\n");
	be("sropt");
	ck_assert_int_eq(run(NULL, "--io-cores=1"), 1);
	expect_begin(
		"error: jobio: option: --io-cores: jobio has no valid configuration on this machine: ");
}
END_TEST

START_TEST(the_exit_status_of_a_refusal_is_the_one_that_slurm_was_given)
{
	static const struct {
		const char *text;
		int status;
	} cases[] = { { "3", 3 },   { "1", 1 }, { "255", 255 }, { "0", 1 },
		      { "256", 1 }, { "x", 1 }, { "", 1 },	{ "-1", 1 } };
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		setenv("SLURM_EXIT_ERROR", cases[i].text, 1);
		be("sbopt");
		ck_assert_msg(run(site, "--io-cores=9") == cases[i].status, "'%s'", cases[i].text);
	}
}
END_TEST

START_TEST(what_is_ignored_is_said_and_the_client_goes_on)
{
	be("sropt");
	setenv("SLURM_JOB_ID", "7", 1);
	ck_assert_int_eq(run(site, "--io-cores=3"), WENT_ON);
	expect_begin("info: jobio: option: --io-cores: '3': ignored for a step of job 7");
}
END_TEST

START_TEST(questions_are_answered_and_nothing_is_submitted)
{
	be("sbopt");
	ck_assert_int_eq(run(site, "--io-cores=help"), 0);
	expect_begin("--io-cores=N gives N whole cores of every node");
	be("sropt");
	ck_assert_int_eq(run(site, "--io-profile=list"), 0);
	expect_begin("NAME             IO-CORES DESCRIPTION\nstream ");
	setenv("SLURM_EXIT_ERROR", "5", 1);
	be("sbopt");
	ck_assert_int_eq(run(NULL, "--io-cores=help"), 5);
	expect_begin("error: jobio: option: jobio has no valid configuration on this machine: ");
	ck_assert_ptr_null(strstr(out, "--io-cores=N"));
}
END_TEST

START_TEST(scrontab_is_told_what_to_do_instead)
{
	be("scopt");
	ck_assert_int_eq(run(site, "--io-cores=1"), 1);
	ck_assert_str_eq(
		out,
		"error: jobio: option: scrontab cannot hand --io-cores and --io-profile on; let the entry call sbatch with them\n");
}
END_TEST

START_TEST(a_client_that_does_not_take_the_options_fails)
{
	be("sbopt");
	fake.not_taken = "io-profile";
	ck_assert_int_eq(run(site, ""), FAILED);
	ck_assert_str_eq(
		out,
		"error: jobio: option: Slurm does not take the options --io-cores and --io-profile\n");
}
END_TEST

/* ---- questions, before Slurm parses anything ----------------------------------------- */

/* The command line is the process' own: this program again, which ends here. */
#define COMMAND "JOBIO_TEST_COMMAND"
#define CONF "JOBIO_TEST_CONF"

__attribute__((constructor)) static void be_client(void)
{
	const char *command = getenv(COMMAND);
	char conf[600], *argv[] = { conf };

	if (!command)
		return;
	if (__lsan_disable)
		__lsan_disable();
	be(command);
	snprintf(conf, sizeof(conf), "conf=%s", getenv(CONF));
	exit(slurm_spank_init(NULL, 1, argv) ? FAILED : WENT_ON);
}

static int asked(const char *command, const char *word)
{
	char self[4096] = "";
	char *argv[] = { (char *)"client", (char *)word, NULL };
	int status;
	pid_t pid;

	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	tempdir_make();
	setenv(CONF, tempdir_put("jobio.conf", site), 1);
	pid = fork();
	if (!pid) {
		dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
		setenv(COMMAND, command, 1);
		execv(self, argv);
		_exit(FAILED);
	}
	ck_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	tempdir_remove();
	return WEXITSTATUS(status);
}

START_TEST(sbatch_and_salloc_answer_before_they_ask_for_a_script)
{
	ck_assert_int_eq(asked("sbopt", "--io-cores=help"), 0);
	ck_assert_int_eq(asked("saopt", "--io-profile=list"), 0);
	ck_assert_int_eq(asked("sbopt", "--io-cores=1"), WENT_ON);
	/* srun may have more than one job on its line */
	ck_assert_int_eq(asked("sropt", "--io-cores=help"), WENT_ON);
}
END_TEST

UNIT_MAIN("plugin_client", a_request_that_is_granted_is_silent,
	  a_refusal_is_one_line_and_the_end_of_the_client,
	  the_exit_status_of_a_refusal_is_the_one_that_slurm_was_given,
	  what_is_ignored_is_said_and_the_client_goes_on,
	  questions_are_answered_and_nothing_is_submitted, scrontab_is_told_what_to_do_instead,
	  a_client_that_does_not_take_the_options_fails,
	  sbatch_and_salloc_answer_before_they_ask_for_a_script)
