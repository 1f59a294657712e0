/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The jobs of a calibration, with a Slurm of a few lines of shell. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/calib_slurm.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static struct err err;
static char *no_words[] = { NULL };
static struct calib_slurm slurm = { .name = "jobio-calibrate-1",
				    .folder = "/mnt/f",
				    .script = "/s/calibrate-job",
				    .fio = "/usr/bin/fio",
				    .extra = no_words };

/* A command of Slurm's: what it was told is in "words". */
static void command(const char *name, const char *script)
{
	char text[1000];

	snprintf(text, sizeof(text), "#!/bin/sh\necho \"$@\" >%s\n%s\n",
		 tempdir_path("words"), script);
	chmod(tempdir_put(name, text), 0755);
	setenv("PATH", tempdir_name, 1);
}

static void expect_words(const char *wanted)
{
	char *text = fileio_read(tempdir_path("words"), 65536, NULL, &err);

	ck_assert_msg(text != NULL, "%s", err.text);
	ck_assert_str_eq(text, wanted);
	free(text);
}

static int submit(const struct calib_setting *setting, unsigned int limit_s,
		  char id[CALIB_ID])
{
	return calib_slurm_submit(&slurm, setting, 3, limit_s, id, &err);
}

#define FIXED                                                                  \
	"--parsable --job-name=jobio-calibrate-1 --dependency=singleton "      \
	"--nodes=1 --ntasks=1 --exclusive --no-requeue "
#define LAST "/s/calibrate-job /mnt/f 3 /usr/bin/fio\n"

START_TEST(a_job_is_submitted_with_what_its_setting_has)
{
	struct config_profile profile = { .name = (char *)"stream" };
	struct calib_setting plain = { 0, NULL }, full = { 2, &profile };
	static char *words[] = { (char *)"-p", (char *)"test", NULL };
	char id[CALIB_ID] = "";

	tempdir_make();
	command("sbatch", "echo 4711");
	ck_assert_msg(submit(&plain, 60, id) == 0, "%s", err.text);
	ck_assert_str_eq(id, "4711");
	expect_words(FIXED "--time=1 --chdir=/mnt/f --output=3.out " LAST);
	ck_assert_int_eq(submit(&full, 61, id), 0);
	expect_words(FIXED
		     "--time=2 --chdir=/mnt/f --output=3.out --io-cores=2 "
		     "--io-profile=stream " LAST);
	slurm.extra = words;
	ck_assert_int_eq(submit(&plain, 120, id), 0);
	expect_words(FIXED
		     "--time=2 --chdir=/mnt/f --output=3.out -p test " LAST);
	tempdir_remove();
}
END_TEST

START_TEST(sbatchs_answer_is_the_number_of_a_job)
{
	static const char *const bad[] = { "",
					   "0",
					   "x",
					   "47x1",
					   "-1",
					   "4294967296",
					   "0000000000000007",
					   "Submitted batch job 7" };
	struct calib_setting plain = { 0, NULL };
	char id[CALIB_ID] = "before", script[64];
	size_t i;

	tempdir_make();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(script, sizeof(script), "echo '%s'", bad[i]);
		command("sbatch", script);
		ck_assert_msg(submit(&plain, 60, id) == -1, "%s", bad[i]);
		snprintf(script, sizeof(script), "sbatch: '%s': not a job id",
			 bad[i]);
		ck_assert_str_eq(err.text, script);
		ck_assert_str_eq(id, "before");
	}
	command("sbatch", "echo '4294967295;big'");
	ck_assert_int_eq(submit(&plain, 60, id), 0);
	ck_assert_str_eq(id, "4294967295");
	command("sbatch", "echo 'sbatch: error: no' >&2; exit 1");
	ck_assert_int_eq(submit(&plain, 60, id), -1);
	ck_assert_str_eq(err.text, "sbatch: exit status 1: sbatch: error: no");
	tempdir_remove();
}
END_TEST

START_TEST(more_words_than_sbatch_is_given_are_refused)
{
	struct calib_setting plain = { 0, NULL };
	static char *words[80];
	char id[CALIB_ID];
	size_t i;

	tempdir_make();
	command("sbatch", "echo 7");
	for (i = 0; i < 50; i++)
		words[i] = (char *)"-x";
	slurm.extra = words;
	/* with the ten before and the four behind them 64 */
	ck_assert_msg(submit(&plain, 60, id) == 0, "%s", err.text);
	words[50] = (char *)"-x";
	ck_assert_int_eq(submit(&plain, 60, id), -1);
	ck_assert_str_eq(err.text, "sbatch: more than 48 words behind --");
	for (i = 51; i < 79; i++)
		words[i] = (char *)"-x";
	ck_assert_int_eq(submit(&plain, 60, id), -1);
	tempdir_remove();
}
END_TEST

START_TEST(the_queue_is_read_line_by_line)
{
	struct calib_queued *list = NULL;
	int count;

	tempdir_make();
	command("squeue",
		"printf '7|PENDING|Resources|\\n\\n8|RUNNING|None|c1\\n'");
	count = calib_slurm_queue(&slurm, &list, &err);
	ck_assert_int_eq(count, 2);
	expect_words("-h --name=jobio-calibrate-1 -o %i|%T|%r|%N\n");
	ck_assert_str_eq(list[0].id, "7");
	ck_assert_str_eq(list[0].state, "PENDING");
	ck_assert_str_eq(list[0].reason, "Resources");
	ck_assert_str_eq(list[0].node, "");
	ck_assert_str_eq(list[1].id, "8");
	ck_assert_str_eq(list[1].node, "c1");
	free(list);
	command("squeue", ":");
	list = NULL;
	ck_assert_int_eq(calib_slurm_queue(&slurm, &list, &err), 0);
	free(list);
	command("squeue", "exit 2");
	ck_assert_int_eq(calib_slurm_queue(&slurm, &list, &err), -1);
	ck_assert_str_eq(err.text, "squeue: exit status 2");
	tempdir_remove();
}
END_TEST

START_TEST(a_job_that_waits_for_a_person_is_hopeless)
{
	struct calib_queued job = { .state = "PENDING" };
	static const char *const reasons[] = { "BadConstraints", "JobHeldUser",
					       "InvalidQOS",
					       "launch failed requeued held",
					       "launch_failed_requeued_held" };
	static const char *const others[] = { "Resources", "Priority", "",
					      "Dependency", "launch" };
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		strcpy(job.reason, reasons[i]);
		ck_assert_msg(calib_slurm_is_hopeless(&job), "%s", reasons[i]);
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		strcpy(job.reason, others[i]);
		ck_assert_msg(!calib_slurm_is_hopeless(&job), "%s", others[i]);
	}
	strcpy(job.reason, "InvalidQOS");
	strcpy(job.state, "RUNNING");
	ck_assert(!calib_slurm_is_hopeless(&job));
}
END_TEST

START_TEST(one_job_is_cancelled_or_all_of_the_name)
{
	tempdir_make();
	command("scancel", ":");
	ck_assert_int_eq(calib_slurm_cancel(&slurm, "7", &err), 0);
	expect_words("--name=jobio-calibrate-1 7\n");
	ck_assert_int_eq(calib_slurm_cancel(&slurm, NULL, &err), 0);
	expect_words("--name=jobio-calibrate-1\n");
	command("scancel", "exit 1");
	ck_assert_int_eq(calib_slurm_cancel(&slurm, "7", &err), -1);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("calib_slurm", a_job_is_submitted_with_what_its_setting_has,
	  sbatchs_answer_is_the_number_of_a_job,
	  more_words_than_sbatch_is_given_are_refused,
	  the_queue_is_read_line_by_line,
	  a_job_that_waits_for_a_person_is_hopeless,
	  one_job_is_cancelled_or_all_of_the_name)
