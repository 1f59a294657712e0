/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobio calibrate makes of its command line, and how it ends. Its plan, its jobs and
 * its results are of others, in whose place there is a word here; on whole
 * calibrations: tests/scripts/calibrate.bats. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/calib_watch.h"
#include "report/calib_write.h"
#include "report/command.h"
#include "report/commands.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define JOBS 3

static struct {
	/* what fails, or stops it: "submit", ...; "": nothing */
	const char *fails, *stops;
	int signal;   /* that stops it; 0: SIGTERM */
	bool is_left; /* what cannot be removed */
	int others;
	const char *folder; /* which is made */
	size_t jobs, settings, measured;
	unsigned int job_s;
	const char *why[JOBS];
	/* what was seen */
	char done[200]; /* "plan folder submit " */
	struct calib_wish wish;
	char about[100];
	char extra[100];
	char words[3][40]; /* cores, profiles, processes */
} world;

static struct calib_shape shapes[1];
static struct calib_setting settings[2];
static struct calib_turn turns[JOBS] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
static struct calib_job calib_jobs[JOBS];

/* ---- in the place of others ------------------------------------------------------- */

static int done(const char *what, struct err *err)
{
	strcat(strcat(world.done, what), " ");
	if (!strcmp(world.stops, what))
		raise(world.signal ? world.signal : SIGTERM);
	return strcmp(world.fails, what) ? 0 : err_set(err, "no %s", what);
}

int calib_plan_make(struct calib_plan *plan, const struct calib_wish *wish,
		    const struct config *config, struct err *err)
{
	const char *const words[] = { wish->cores, wish->profiles,
				      wish->processes };
	size_t i;

	(void)config;
	world.wish = *wish;
	for (i = 0; i < 3; i++)
		snprintf(world.words[i], sizeof(world.words[i]), "%s",
			 words[i] ? words[i] : "-");
	plan->shapes = shapes;
	plan->settings = settings;
	plan->turns = turns;
	plan->shape_count = 24;
	plan->setting_count = world.settings;
	plan->turn_count = world.jobs;
	plan->repeats = 2;
	plan->processes[0] = 1;
	plan->processes[1] = 4;
	plan->processes_count = 2;
	plan->file_bytes = UINT64_C(256) << 20;
	plan->max_bytes = UINT64_C(3) << 40;
	plan->space_bytes = 77;
	return done("plan", err);
}

void calib_plan_free(struct calib_plan *plan)
{
	ck_assert_ptr_eq(plan->turns, turns);
	done("planned", NULL);
}

unsigned int calib_plan_job_s(const struct calib_plan *plan)
{
	(void)plan;
	return world.job_s;
}

const char *calib_setting_text(const struct calib_setting *setting, char *out,
			       size_t room)
{
	snprintf(out, room, "setting %d", (int)(setting - settings));
	return out;
}

int calib_data_init(struct calib_data *data, const struct calib_plan *plan,
		    struct err *err)
{
	data->plan = plan;
	data->jobs = calib_jobs;
	return done("data", err);
}

void calib_data_free(struct calib_data *data)
{
	ck_assert_ptr_eq(data->jobs, calib_jobs);
}

size_t calib_data_count(struct calib_data *data)
{
	(void)data;
	return world.measured;
}

size_t calib_constants(const struct calib_data *data, const char *fstype,
		       const struct config_advice *limits,
		       struct calib_constant list[CALIB_CONSTANTS])
{
	(void)data;
	ck_assert_str_eq(fstype, "nfs4");
	ck_assert_ptr_nonnull(limits);
	list[0] = (struct calib_constant){ "core_read_mbs", 4000, "twice" };
	list[1] = (struct calib_constant){ "io_processes", 8, "once" };
	return 2;
}

const char *calib_fstype(const struct calib_data *data)
{
	(void)data;
	return "nfs4";
}

int calib_write(const char *folder, const struct calib_data *data,
		const struct calib_about *about, struct err *err)
{
	(void)data;
	ck_assert_str_eq(folder, tempdir_path("out"));
	ck_assert(about->start > 0 && about->end >= about->start);
	snprintf(world.about, sizeof(world.about), "%s of %s", about->dir,
		 about->cluster);
	return done("write", err);
}

int calib_folder_make(struct calib_folder *folder, const char *dir,
		      uint64_t space_bytes, struct err *err)
{
	ck_assert_str_eq(dir, "/fs");
	ck_assert_uint_eq(space_bytes, 77);
	snprintf(folder->path, sizeof(folder->path), "%s", world.folder);
	folder->others = world.others;
	return done("folder", err);
}

static bool is_hex(const char *text)
{
	return strlen(text) == 12 &&
	       strspn(text, "0123456789abcdef") == strlen(text);
}

int calib_watch_submit(struct calib_watch *watch, struct err *err)
{
	char *const *word = watch->slurm->extra;

	ck_assert_ptr_eq(watch->slurm->folder, watch->folder->path);
	ck_assert_str_eq(watch->slurm->script, "/pkg/calibrate-job");
	ck_assert_int_eq(strncmp(watch->slurm->name, "jobio-calibrate-", 16),
			 0);
	ck_assert_msg(is_hex(watch->slurm->name + 16), "%s",
		      watch->slurm->name);
	snprintf(world.extra, sizeof(world.extra), "%s:", watch->slurm->fio);
	for (; *word; word++)
		strcat(strcat(world.extra, " "), *word);
	return done("submit", err);
}

int calib_watch_run(struct calib_watch *watch, struct err *err)
{
	(void)watch;
	return done("run", err);
}

int calib_watch_judge(struct calib_watch *watch, char cluster[RECORD_NAME_MAX],
		      struct err *err)
{
	size_t i;

	strcpy(cluster, "big");
	for (i = 0; i < JOBS; i++)
		if (world.why[i])
			strcpy(watch->data->jobs[i].why, world.why[i]);
	return done("judge", err);
}

int calib_watch_end(struct calib_watch *watch)
{
	(void)watch;
	done("end", NULL);
	return world.is_left ? -1 : 0;
}

/* ---- what a test says ------------------------------------------------------------- */

static char *said, *complained;

static void begin(void)
{
	tempdir_make();
	tempdir_put("jobio.conf", "");
	memset(&world, 0, sizeof(world));
	world.fails = world.stops = "";
	world.folder = "/fs/jobio-calibrate.abc";
	world.jobs = world.measured = JOBS;
	world.settings = 2;
	world.job_s = 20;
}

/* Words behind --conf, --output and --dir. */
static int run(const char *line)
{
	char conf[600], output[600], *words = strdup(line), *rest = words;
	char *argv[20] = { (char *)"calibrate", conf, output,
			   (char *)"--dir=/fs" };
	FILE *old_out = stdout, *old_err = stderr;
	size_t size[2];
	int argc = 4, status;

	snprintf(conf, sizeof(conf), "--conf=%s", tempdir_path("jobio.conf"));
	snprintf(output, sizeof(output), "--output=%s", tempdir_path("out"));
	while (*line && (argv[argc] = strsep(&rest, " ")))
		argc++;
	argv[argc] = NULL;
	free(said);
	free(complained);
	*world.done = '\0';
	optind = 0;
	stdout = open_memstream(&said, &size[0]);
	stderr = open_memstream(&complained, &size[1]);
	status = calibrate_main(argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = old_out;
	stderr = old_err;
	free(words);
	return status;
}

static void expect(int status, const char *finished, const char *complaint)
{
	int rc = run("");

	ck_assert_msg(rc == status, "%d: %s", rc, complained);
	ck_assert_str_eq(world.done, finished);
	ck_assert_msg(strstr(complained, complaint) != NULL, "no '%s' in\n%s",
		      complaint, complained);
}

/* What this option wishes for; it is taken, or refused with its word. */
static const struct calib_wish *wished(const char *option, bool is_taken)
{
	char line[100];
	int status;

	snprintf(line, sizeof(line), "--dry-run%s%s", *option ? " " : "",
		 option);
	status = run(line);
	ck_assert_msg(status == (is_taken ? COMMAND_OK : COMMAND_USAGE),
		      "%s: %d: %s", option, status, complained);
	return &world.wish;
}

static void refuse(const char *option, const char *why)
{
	wished(option, false);
	ck_assert_msg(strstr(complained, why) != NULL, "%s", complained);
	ck_assert_str_eq(world.done, "");
}

/* ---- the command line ---------------------------------------------------------------- */

START_TEST(sizes_are_bytes_or_so_many_of_a_unit)
{
	static const char *const wrong[] = {
		"G",
		"0",
		"8g",
		"8GB",
		"-1",
		"1.5",
		"0K",
		"1000001K",
		"1000000000001",
		"1e9",
		"8GG",
		"1000001T",
		"K8",
		"99999999999999999999999999999G",
		"",
	};
	static const struct {
		const char *text;
		uint64_t bytes;
	} right[] = {
		{ "1", 1 },
		{ "1000001", 1000001 },
		{ "1000000000000", UINT64_C(1000000000000) },
		{ "1K", 1024 },
		{ "800M", UINT64_C(800) << 20 },
		{ "8G", UINT64_C(8) << 30 },
		{ "1000000K", UINT64_C(1000000) << 10 },
		{ "1000000T", UINT64_C(1000000) << 40 },
	};
	char option[100];
	size_t i;

	begin();
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		snprintf(option, sizeof(option), "--space=%s", right[i].text);
		ck_assert_uint_eq(wished(option, true)->space_bytes,
				  right[i].bytes);
		ck_assert_uint_eq(world.wish.max_bytes, 0);
		snprintf(option, sizeof(option), "--max-bytes=%s",
			 right[i].text);
		ck_assert_uint_eq(wished(option, true)->max_bytes,
				  right[i].bytes);
		ck_assert_uint_eq(world.wish.space_bytes, 0);
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(option, sizeof(option), "--max-bytes=%s", wrong[i]);
		refuse(option, "--max-bytes: '");
	}
	tempdir_remove();
}
END_TEST

START_TEST(times_are_those_of_sbatch)
{
	static const char *const wrong[] = {
		"0",	  "0:00", "1:60", "1:2:60", "1:60:0", "1:2:3:4",
		"100001", "1:-1", "1d",	  "1:5s",   ":",      "100001:00:00"
	};
	static const struct {
		const char *text;
		unsigned int seconds;
	} right[] = {
		{ "480", 28800 },     { "480:00", 28800 },
		{ "8:00:00", 28800 }, { "0:30", 30 },
		{ "00:05", 5 },	      { "05", 300 },
		{ "1:05:09", 3909 },  { "1:59", 119 },
		{ "1:5", 65 },	      { "100000", 6000000 },
		{ "0:59:59", 3599 },  { "0:00:01", 1 },
	};
	char option[100];
	size_t i;

	begin();
	for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
		snprintf(option, sizeof(option), "--max-time=%s",
			 right[i].text);
		ck_assert_uint_eq(wished(option, true)->max_s,
				  right[i].seconds);
	}
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(option, sizeof(option), "--max-time=%s", wrong[i]);
		refuse(option, "expected minutes, minutes:seconds or "
			       "hours:minutes:seconds\n");
	}
	tempdir_remove();
}
END_TEST

START_TEST(what_is_wished_for_is_what_the_plan_is_made_of)
{
	char *argv[2] = { NULL }, text[100] = "";
	FILE *old;

	begin();
	ck_assert_uint_eq(wished("--repeats=1", true)->repeats, 1);
	ck_assert_uint_eq(wished("--repeats=100", true)->repeats, 100);
	refuse("--repeats=101", "--repeats: '101': not a number from 1 to 100");
	ck_assert_uint_eq(wished("--seconds=3600", true)->seconds, 3600);
	refuse("--seconds=3601", "--seconds: '3601': not a number");
	wished("--io-cores=0,2 --profiles=none --processes=1,4", true);
	ck_assert_str_eq(world.words[0], "0,2");
	ck_assert_str_eq(world.words[1], "none");
	ck_assert_str_eq(world.words[2], "1,4");
	wished("--repeats=2", true);
	ck_assert_str_eq(world.words[0], "-");
	refuse("word", "'word': one word too many; what is for sbatch stands "
		       "behind --\n");
	refuse("--repeats=2 word -- x", "'word': one word too many");
	refuse("--output=", "--output: '': must not be empty\n");
	refuse("--nosuch --repeats=2", "calibrate: '--nosuch': no such option");
	optind = 0;
	argv[0] = (char *)"calibrate";
	old = stderr;
	stderr = fmemopen(text, sizeof(text), "w");
	ck_assert_int_eq(calibrate_main(1, argv), COMMAND_USAGE);
	fclose(stderr);
	stderr = old;
	ck_assert_str_eq(text, "jobio: calibrate: --dir: which folder?\n");
	ck_assert_int_eq(run("--help"), 0);
	ck_assert_int_eq(strncmp(said, "usage: jobio calibrate --dir=", 29), 0);
	ck_assert_int_eq(run("-- --partition=a -x"), 0);
	ck_assert_str_eq(world.extra, "fio: --partition=a -x");
	ck_assert_int_eq(run("--fio=/opt/fio --"), 0);
	ck_assert_str_eq(world.extra, "/opt/fio:");
	tempdir_remove();
}
END_TEST

START_TEST(without_a_configuration_or_a_plan_nothing_is_begun)
{
	begin();
	world.fails = "plan";
	expect(COMMAND_USAGE, "plan ", "jobio: calibrate: no plan\n");
	ck_assert_int_eq(remove(tempdir_path("jobio.conf")), 0);
	expect(COMMAND_USAGE, "", "jobio.conf");
	tempdir_remove();
}
END_TEST

/* ---- what it says -------------------------------------------------------------------- */

START_TEST(with_a_dry_run_it_says_what_it_would_do)
{
	begin();
	wished("", true);
	ck_assert_str_eq(
		complained,
		"3 jobs of 24 runs (2 settings, repeats: 2), about 2 "
		"min when none waits; files of 1GiB below /fs, at most "
		"3TiB read and written\n");
	ck_assert_str_eq(world.done, "plan planned ");
	/* a minute that has begun is one; ten seconds are between jobs */
	world.jobs = world.settings = 1;
	world.job_s = 50;
	wished("", true);
	ck_assert_ptr_nonnull(strstr(complained,
				     "1 job of 24 runs (1 setting, repeats: "
				     "2), about 1 min when"));
	world.jobs = 2;
	wished("", true);
	ck_assert_ptr_nonnull(strstr(complained, "2 jobs of 24 runs"));
	world.jobs = 1;
	world.job_s = 51;
	wished("", true);
	ck_assert_ptr_nonnull(strstr(complained, "about 2 min when"));
	tempdir_remove();
}
END_TEST

#define MEASURED "plan data folder submit run judge write end planned "

START_TEST(what_follows_is_told_and_written_down)
{
	char wanted[800];

	begin();
	expect(COMMAND_OK, MEASURED, "3 jobs of");
	snprintf(wanted, sizeof(wanted),
		 "core_read_mbs          4000  twice\n"
		 "io_processes              8  once\n"
		 "written: %s/{calibration.json,advice.conf,scaling.svg,"
		 "engines.svg,direct.svg}\n",
		 tempdir_path("out"));
	ck_assert_str_eq(said, wanted);
	ck_assert_str_eq(world.about, "/fs of big");
	ck_assert_ptr_null(strstr(complained, "others"));
	/* again, beside others, in the folder above all */
	world.folder = "/jobio-calibrate.abc";
	world.others = 2;
	expect(COMMAND_OK, MEASURED,
	       "jobio: calibrate: '/fs': others run there, or were killed "
	       "(jobio-calibrate.*: 2): if they run, all measure less\n");
	ck_assert_str_eq(world.about, "/ of big");
	tempdir_remove();
}
END_TEST

START_TEST(jobs_with_something_wrong_are_told_and_the_rest_counts)
{
	begin();
	strcpy(calib_jobs[1].id, "8");
	strcpy(calib_jobs[1].node, "n1");
	strcpy(calib_jobs[2].id, "9");
	world.why[0] = "refused";
	world.why[1] = "too slow";
	world.why[2] = "killed";
	world.measured = 1;
	expect(COMMAND_FAILED, MEASURED,
	       "jobio: calibrate: job - (setting 0): refused\n"
	       "jobio: calibrate: job 8 on n1 (setting 1): too slow\n"
	       "jobio: calibrate: job 9 (setting 0): killed\n");
	ck_assert_ptr_nonnull(strstr(said, "written: "));
	/* behind one that is well */
	world.why[0] = NULL;
	*calib_jobs[0].why = '\0';
	expect(COMMAND_FAILED, MEASURED,
	       "read and written\n"
	       "jobio: calibrate: job 8 on n1 (setting 1): too slow\n");
	world.measured = 0;
	expect(COMMAND_FAILED, "plan data folder submit run judge end planned ",
	       "jobio: calibrate: no job has measured anything\n");
	ck_assert_str_eq(said, "");
	tempdir_remove();
}
END_TEST

/* ---- how it ends ----------------------------------------------------------------------- */

START_TEST(what_fails_ends_it_and_nothing_is_left_behind)
{
	begin();
	world.fails = "data";
	expect(COMMAND_FAILED, "plan data planned ", "calibrate: no data\n");
	world.fails = "folder";
	expect(COMMAND_FAILED, "plan data folder planned ",
	       "calibrate: no folder\n");
	world.fails = "submit";
	expect(COMMAND_FAILED, "plan data folder submit end planned ",
	       "calibrate: no submit\n");
	world.fails = "run";
	expect(COMMAND_FAILED, "plan data folder submit run end planned ",
	       "calibrate: no run\n");
	world.fails = "judge";
	expect(COMMAND_FAILED, "plan data folder submit run judge end planned ",
	       "calibrate: no judge\n");
	world.fails = "write";
	expect(COMMAND_FAILED, MEASURED, "calibrate: no write\n");
	ck_assert_str_eq(said, "");
	world.fails = "";
	world.is_left = true;
	expect(COMMAND_FAILED, MEASURED, "");
	ck_assert_ptr_nonnull(strstr(said, "written: "));
	tempdir_remove();
}
END_TEST

#define STOPPED                                                                \
	"jobio: calibrate: stopped; cancelling its jobs, removing its files\n"

START_TEST(one_that_is_stopped_in_its_jobs_removes_them)
{
	begin();
	world.stops = world.fails = "run"; /* whatever else is wrong */
	world.is_left = true;
	expect(130, "plan data folder submit run end planned ", STOPPED);
	ck_assert_str_eq(said, "");
	tempdir_remove();
}
END_TEST

START_TEST(one_that_is_stopped_at_its_records_writes_nothing)
{
	begin();
	world.stops = "judge";
	world.signal = SIGINT;
	expect(130, "plan data folder submit run judge end planned ", STOPPED);
	ck_assert_str_eq(said, "");
	tempdir_remove();
}
END_TEST

START_TEST(results_go_into_a_folder_that_can_be_written)
{
	struct stat st;

	begin();
	umask(022);
	expect(COMMAND_OK, MEASURED, "");
	ck_assert_int_eq(stat(tempdir_path("out"), &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0755);
	expect(COMMAND_OK, MEASURED, ""); /* which is there */
	ck_assert_int_eq(remove(tempdir_path("out")), 0);
	tempdir_put("out", "");
	expect(COMMAND_FAILED, "plan data planned ",
	       "/out': cannot write there: Not a directory\n");
	ck_assert_int_eq(remove(tempdir_path("out")), 0);
	ck_assert_int_eq(symlink("nowhere/x", tempdir_path("out")), 0);
	expect(COMMAND_FAILED, "plan data planned ", "cannot write there: ");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("calibrate", sizes_are_bytes_or_so_many_of_a_unit,
	  times_are_those_of_sbatch,
	  what_is_wished_for_is_what_the_plan_is_made_of,
	  without_a_configuration_or_a_plan_nothing_is_begun,
	  with_a_dry_run_it_says_what_it_would_do,
	  what_follows_is_told_and_written_down,
	  jobs_with_something_wrong_are_told_and_the_rest_counts,
	  what_fails_ends_it_and_nothing_is_left_behind,
	  one_that_is_stopped_in_its_jobs_removes_them,
	  one_that_is_stopped_at_its_records_writes_nothing,
	  results_go_into_a_folder_that_can_be_written)
