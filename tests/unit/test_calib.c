/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fileio.h"
#include "report/calib_data.h"
#include "report/calib_fit.h"
#include "report/calib_plan.h"
#include "report/calib_plot.h"
#include "report/calib_write.h"
#include "report/plot.h"
#include "tests/unit/conf.h"
#include "tests/unit/runner.h"
#include "tests/unit/samples.h"
#include "tests/unit/tempdir.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)

static const char site[] = "[option]\nio_cores_max = 2\n"
			   "[client weka]\ntype = weka\n"
			   "[profile stream]\nio_cores = 1\n"
			   "mount_options = forcedirect\n"
			   "[profile cached]\nmount_options = readcache\n";

static struct calib_plan make(const struct config *config, const struct calib_wish *wish)
{
	struct calib_plan plan;
	struct err err;

	ck_assert_msg(calib_plan_make(&plan, wish, config, &err) == 0, "%s", err.text);
	return plan;
}

static size_t count(const char *text, const char *word)
{
	size_t number = 0;

	for (; (text = strstr(text, word)); text++)
		number++;
	return number;
}

/* ---- the plan ------------------------------------------------------------------------ */

START_TEST(each_number_of_cores_is_measured_with_each_profile_that_allows_it)
{
	struct config *config = conf_load(site);
	struct calib_plan plan = make(config, &(struct calib_wish){ 0 });
	char text[96], all[800] = "";
	size_t i;

	for (i = 0; i < plan.setting_count; i++) {
		strcat(all, calib_setting_text(&plan.settings[i], text, sizeof(text)));
		strcat(all, "\n");
	}
	/* stream without io-cores would be stream with the one of the profile */
	ck_assert_str_eq(all, "no io-cores, no profile\n"
			      "1 io-core, no profile\n"
			      "2 io-cores, no profile\n"
			      "1 io-core, profile stream\n"
			      "2 io-cores, profile stream\n"
			      "no io-cores, profile cached\n"
			      "1 io-core, profile cached\n"
			      "2 io-cores, profile cached\n");
	ck_assert_uint_eq(plan.turn_count, 3 * plan.setting_count);
	ck_assert_uint_eq(plan.shape_count, 2 * 2 * 2 * 6 + 8);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

START_TEST(a_round_has_each_setting_once_and_rounds_differ)
{
	struct config *config = conf_load(site);
	struct calib_plan plan =
		make(config, &(struct calib_wish){ .repeats = 20, .max_s = 6000000 });
	size_t round, i, same = 0;
	unsigned int seen;

	for (round = 0; round < 20; round++) {
		const struct calib_turn *turns = &plan.turns[round * plan.setting_count];

		for (i = seen = 0; i < plan.setting_count; i++) {
			ck_assert_uint_eq(turns[i].repeat, round);
			seen |= 1U << turns[i].setting;
			same += turns[i].setting == plan.turns[i].setting;
		}
		ck_assert_uint_eq(seen, (1U << plan.setting_count) - 1);
	}
	ck_assert_uint_lt(same, 20 * plan.setting_count);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

START_TEST(each_calibration_has_an_order_of_its_own)
{
	struct config *config = conf_load(site);
	struct calib_wish wish = { .repeats = 20, .max_s = 6000000 };
	struct calib_plan plan = make(config, &wish);
	struct calib_plan other = make(config, &wish);
	size_t i, same = 0;

	ck_assert_uint_eq(plan.turn_count, other.turn_count);
	for (i = 0; i < plan.turn_count; i++)
		same += plan.turns[i].setting == other.turns[i].setting;
	ck_assert_uint_lt(same, plan.turn_count);
	calib_plan_free(&plan);
	calib_plan_free(&other);
	config_free(config);
}
END_TEST

START_TEST(a_job_makes_its_files_first_and_runs_all_shapes_in_any_order)
{
	struct config *config = conf_load(site);
	struct calib_plan plan = make(
		config,
		&(struct calib_wish){ .processes = "1,16", .space_bytes = 2 * GIB, .seconds = 5 });
	char *one = calib_plan_text(&plan), *other = calib_plan_text(&plan);
	size_t i, lines = 0;
	char *at;

	ck_assert_msg(
		!strncmp(
			one,
			"layout 162 --rw=write --bs=1m --numjobs=16 --size=134217728 --ioengine=psync --end_fsync=1 --filename_format=data.$jobnum ",
			60),
		"%s", one);
	for (at = one; (at = strchr(at, '\n')); at++)
		lines++;
	ck_assert_uint_eq(lines, 25);
	ck_assert_uint_eq(strlen(one), strlen(other));
	ck_assert_str_ne(one, other);
	for (i = 0; i < plan.shape_count; i++) {
		char name[40];

		snprintf(name, sizeof(name), "\n%s 65 ", plan.shapes[i].name);
		ck_assert_ptr_nonnull(strstr(one, name));
	}
	ck_assert_ptr_nonnull(strstr(
		one, "\n4k-read-async-16 65 --rw=randread --bs=4k --numjobs=16 --size=134217728 "));
	ck_assert_ptr_nonnull(strstr(one, " --ioengine=libaio --iodepth=32 --direct=1 "));
	ck_assert_ptr_nonnull(
		strstr(one, "64m-write-buffered 65 --rw=write --bs=65536k --numjobs=1 "));
	/* what is small goes anywhere in the files, unless it is alone */
	ck_assert_uint_eq(count(one, " --rw=randread "), 2 * 2);
	ck_assert_uint_eq(count(one, " --rw=randwrite "), 2 * 2);
	/* what was written through the cache is waited for */
	ck_assert_uint_eq(count(one, " --end_fsync=1 "), 1 + 2);
	ck_assert_uint_eq(count(one, " --direct=0 --end_fsync=1 "), 2);
	ck_assert_uint_eq(count(one, " --direct=0 "), 4);
	free(one);
	free(other);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

START_TEST(a_wish_that_cannot_be_met_is_refused_with_what_would_do)
{
	static const struct {
		struct calib_wish wish;
		const char *why;
	} bad[] = {
		{ { .cores = "0,3" }, "--io-cores: '3': not a number from 0 to 2" },
		{ { .cores = "2,2" },
		  "--io-cores: '2,2': expected at most 65 numbers, each larger than the one before" },
		{ { .cores = "2,1" },
		  "--io-cores: '2,1': expected at most 65 numbers, each larger than the one before" },
		{ { .cores = "," }, "--io-cores: ',': expected numbers" },
		{ { .cores = "0", .profiles = "stream" },
		  "--io-cores: no such number with any of these profiles" },
		{ { .profiles = "none,straem" },
		  "--profiles: 'straem': no such [profile]; is it 'stream'?" },
		{ { .processes = "0" }, "--processes: '0': not a number from 1 to 1024" },
		{ { .space_bytes = GIB }, "--space: 32 files of at least 64 MiB need 2048 MiB" },
		{ { .max_bytes = GIB },
		  "--max-bytes: 1344 runs of at least 64 MiB need 86080 MiB; fewer --io-cores, --profiles, --processes or --repeats need less" },
		{ { .max_s = 600 },
		  "--max-time: 24 jobs of 56 runs take about 93 minutes; more time, or fewer --io-cores, --profiles, --processes, --repeats or --seconds" },
	};
	struct config *config = conf_load(site);
	struct calib_plan plan;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(calib_plan_make(&plan, &bad[i].wish, config, &err), -1);
		ck_assert_str_eq(err.text, bad[i].why);
	}
	config_free(config);
	config = conf_load("[option]\nio_cores_min = 2\nio_cores_max = 3\n");
	ck_assert_int_eq(
		calib_plan_make(&plan, &(struct calib_wish){ .cores = "0,1" }, config, &err), -1);
	ck_assert_str_eq(err.text, "--io-cores: '1': this site allows 0, and 2 to 3");
	plan = make(config, &(struct calib_wish){ .cores = "0,2" });
	ck_assert_uint_eq(plan.setting_count, 2);
	calib_plan_free(&plan);
	config_free(config);
	config = conf_load("[option]\nprofile_default = a\n[profile a]\ndescription = b\n");
	ck_assert_int_eq(
		calib_plan_make(&plan, &(struct calib_wish){ .profiles = "none" }, config, &err),
		-1);
	ck_assert_str_eq(err.text,
			 "--profiles: 'none': a job that names none gets a here (profile_default)");
	config_free(config);
}
END_TEST

static bool is_met(const struct calib_wish *wish)
{
	struct config *config = conf_load(site);
	struct calib_plan plan;
	struct err err;
	int rc = calib_plan_make(&plan, wish, config, &err);

	config_free(config);
	if (rc == 0)
		calib_plan_free(&plan);
	return rc == 0;
}

START_TEST(a_wish_at_its_bound_is_met)
{
	struct config *config = conf_load(site);
	struct calib_plan plan;

	ck_assert(is_met(&(struct calib_wish){ .space_bytes = 2 * GIB }));
	ck_assert(!is_met(&(struct calib_wish){ .space_bytes = 2 * GIB - 1 }));
	ck_assert(is_met(&(struct calib_wish){ .max_bytes = 86080 * MIB }));
	ck_assert(!is_met(&(struct calib_wish){ .max_bytes = 86080 * MIB - 1 }));
	ck_assert(is_met(&(struct calib_wish){ .max_s = 93 * 60 }));
	ck_assert(!is_met(&(struct calib_wish){ .max_s = 93 * 60 - 1 }));
	/* a process moves a MiB at least */
	ck_assert(is_met(&(struct calib_wish){ .processes = "128", .max_bytes = 385 * 128 * MIB }));
	ck_assert(!is_met(
		&(struct calib_wish){ .processes = "128", .max_bytes = 385 * 128 * MIB - 1 }));
	plan = make(config, &(struct calib_wish){ .space_bytes = 2 * GIB });
	ck_assert_uint_eq(plan.file_bytes, 64 * MIB);
	ck_assert_uint_eq(plan.max_s, 8 * 3600); /* where nobody says */
	/* a second around each run; a job may take twice as long, and the files
	 * are made at 20 MiB/s at least */
	ck_assert_uint_eq(calib_plan_job_s(&plan), 56 * 4);
	ck_assert_uint_eq(calib_plan_job_limit_s(&plan), 2 * 56 * 4 + 60 + 2048 / 20 + 300);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

/* ---- fio ------------------------------------------------------------------------------ */

START_TEST(what_fio_says_is_read_with_its_notes_in_front)
{
	char *text = fileio_read(SRCDIR "/tests/samples/fio/read-3.39.json", 1 << 20, NULL, NULL),
	     *noted = NULL;
	struct calib_run run = { 0 };
	struct err err;

	ck_assert_ptr_nonnull(text);
	ck_assert_int_gt(asprintf(&noted, "fio: a note\n%s", text), 0);
	ck_assert_msg(calib_run_parse(noted, false, &run, &err) == 0, "%s", err.text);
	ck_assert_int_eq(run.bytes, 4194304);
	ck_assert_int_eq(run.calls, 1024);
	ck_assert_int_eq(run.ms, 28);
	ck_assert_double_eq_tol(run.latency_us, 412.485189, 1e-6);
	ck_assert_int_eq(calib_run_parse(text, true, &run, &err), -1);
	ck_assert_str_eq(err.text, "fio: it moved nothing");
	free(noted);
	free(text);
}
END_TEST

START_TEST(an_answer_of_fio_that_makes_no_sense_is_refused)
{
	static const char *const bad[] = {
		"",
		"fio: failed",
		"{}",
		"{\"jobs\":[]}",
		"{\"jobs\":[{},{}]}",
		"{\"jobs\":{}}",
		"{\"jobs\":[{\"error\":0,\"read\":{\"io_bytes\":9e18,\"total_ios\":1,\"runtime\":1}}]}"
	};
	struct calib_run run;
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ck_assert_int_eq(calib_run_parse(bad[i], false, &run, &err), -1);
		ck_assert_str_eq(err.text, "fio: its answer has no meaning");
	}
	ck_assert_int_eq(
		calib_run_parse("{\"jobs\":[{\"error\":28,\"read\":{}}]}", false, &run, &err), -1);
	ck_assert_str_eq(err.text, "fio: error 28");
	ck_assert_int_eq(calib_run_parse("{\"jobs\":[{\"error\":0}]}", false, &run, &err), -1);
	ck_assert_str_eq(err.text, "fio: it moved nothing");
}
END_TEST

/* Of a job that read so much in so many calls, for so long. */
static int parse_read(const char *bytes, const char *calls, const char *ms, struct calib_run *run)
{
	char text[300];
	struct err err;

	snprintf(
		text, sizeof(text),
		"{\"jobs\":[{\"error\":0,\"read\":{\"io_bytes\":%s,\"total_ios\":%s,\"runtime\":%s}}]}",
		bytes, calls, ms);
	return calib_run_parse(text, false, run, &err);
}

START_TEST(numbers_of_fio_have_bounds)
{
	struct calib_run run;

	ck_assert_int_eq(parse_read("1", "1", "1", &run), 0);
	ck_assert(run.bytes == 1 && run.calls == 1 && run.ms == 1);
	ck_assert(run.latency_us == 0);
	ck_assert_int_eq(parse_read("1", "1", "0", &run), 0);
	ck_assert_int_eq(run.ms, 1); /* nobody divides by nothing */
	ck_assert_int_eq(parse_read("0", "1", "1", &run), -1);
	ck_assert_int_eq(parse_read("1", "0", "1", &run), -1);
	ck_assert_int_eq(parse_read("1", "1", "-1", &run), -1);
	ck_assert_int_eq(
		parse_read("1125899906842624", "1125899906842624", "1125899906842624", &run), 0);
	ck_assert_int_eq(parse_read("1125899906842625", "1", "1", &run), -1);
	ck_assert_int_eq(parse_read("1", "1125899906842625", "1", &run), -1);
	ck_assert_int_eq(parse_read("1", "1", "1125899906842625", &run), -1);
}
END_TEST

static int shape_of(const struct calib_plan *plan, bool is_write, bool is_async)
{
	size_t i;

	for (i = 0; i < plan->shape_count; i++)
		if (plan->shapes[i].is_write == is_write && plan->shapes[i].is_async == is_async)
			return (int)i;
	return -1;
}

#define ANSWER(way)                                                                                \
	"{\"jobs\":[{\"error\":0,\"" way "\":{\"io_bytes\":100,"                                   \
	"\"total_ios\":5,\"runtime\":1000,\"lat_ns\":{\"mean\":2000}}}]}"

START_TEST(what_a_job_moved_is_added_up_and_what_libaio_did_apart)
{
	struct config *config = conf_load(site);
	struct calib_plan plan = make(config, &(struct calib_wish){ 0 });
	struct calib_data data;
	struct calib_job *job;
	struct err err;
	const char *name;

	calib_data_init(&data, &plan);
	job = &data.jobs[1];
	ck_assert_int_eq(calib_data_take(&data, 1, "layout", ANSWER("write"), &err), 0);
	ck_assert_uint_eq(job->run_count, 0);
	name = plan.shapes[shape_of(&plan, false, true)].name;
	ck_assert_int_eq(calib_data_take(&data, 1, name, ANSWER("read"), &err), 0);
	ck_assert_int_eq(calib_data_take(&data, 1, name, ANSWER("read"), &err), 0);
	ck_assert_uint_eq(job->run_count, 1); /* the second one counts anew */
	name = plan.shapes[shape_of(&plan, true, false)].name;
	ck_assert_int_eq(calib_data_take(&data, 1, name, ANSWER("write"), &err), 0);
	ck_assert_uint_eq(job->run_count, 2);
	ck_assert_int_eq(job->moved.write_bytes, 200);
	ck_assert_int_eq(job->moved.write_calls, 10);
	ck_assert_int_eq(job->moved.read_bytes, 200);
	ck_assert_int_eq(job->moved.read_calls, 10);
	ck_assert_int_eq(job->aio.read_bytes, 200);
	ck_assert_int_eq(job->aio.write_bytes, 0);
	ck_assert_int_eq(calib_data_take(&data, 1, plan.shapes[0].name, ANSWER("read"), &err), 0);
	ck_assert_uint_eq(job->run_count, 3);
	ck_assert_int_eq(job->aio.read_bytes, 200);
	ck_assert_int_eq(calib_data_take(&data, 1, "x", ANSWER("read"), &err), -1);
	ck_assert_str_eq(err.text, "'x': no such run");
	ck_assert_int_eq(calib_data_take(&data, 1, name, "{}", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "fio: its answer has no meaning"));
	ck_assert_uint_eq(calib_data_count(&data), 0); /* runs are missing */
	calib_data_free(&data);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

START_TEST(jobs_with_all_runs_are_measured_and_short_ones_are_noted)
{
	struct config *config = conf_load(site);
	struct calib_plan plan = make(config, &(struct calib_wish){ 0 });
	const struct calib_cell *cell;
	struct calib_data data;
	size_t i, k;

	calib_data_init(&data, &plan);
	for (i = 0; i < plan.turn_count; i++) {
		for (k = 0; k < plan.shape_count; k++)
			data.jobs[i].runs[k] =
				(struct calib_run){ 4000, 8, i ? 1000 : 999, i == 1 ? 0 : 7 };
		data.jobs[i].run_count = plan.shape_count;
	}
	data.jobs[plan.turn_count - 1].run_count--;
	ck_assert_uint_eq(calib_data_count(&data), plan.turn_count - 1);
	cell = calib_data_cell(&data, plan.turns[0].setting, 0);
	ck_assert_uint_eq(cell->short_runs, 1);
	cell = calib_data_cell(&data, plan.turns[1].setting, plan.shape_count - 1);
	ck_assert_uint_eq(cell->short_runs, 0);
	ck_assert_uint_eq(cell->Bps.count, cell->latency_us.count + 1);
	calib_data_free(&data);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

/* ---- fio and jobio ---------------------------------------------------------------------- */

/* A job that read 1000 MiB, half of them with libaio, and its record. */
static const char *judge(const char *source, const char *fs, int64_t read, uint32_t flags,
			 uint32_t lacks)
{
	static struct calib_job job;
	struct calib_shape shape = { .name = "x" };
	struct calib_plan plan = { .shapes = &shape, .shape_count = 1 };
	struct config_profile profile = { .name = (char *)"p" };
	struct calib_setting setting = { 1, &profile };
	struct record *record = record_new();
	struct job_report report = { .records = &record, .record_count = 1 };
	struct record_io io;

	memset(&job, 0, sizeof(job));
	strcpy(job.id, "7");
	job.moved = (struct calib_moved){ 1000 * MIB, 1000, 0, 0 };
	job.aio = (struct calib_moved){ 500 * MIB, 500, 0, 0 };
	record_io_init(&io);
	snprintf(io.source, sizeof(io.source), "%s", source);
	io.fs = (char *)fs;
	io.numbers[RECORD_READ_BYTES] = read;
	io.numbers[RECORD_WRITE_BYTES] = 0;
	record_add_client(record, "c", "weka", "", "");
	record_add_mount(record, "/mnt/w", "wekafs", "s");
	record_add_app(record, &io);
	record->flags = flags;
	report.summary.lacks = lacks;
	calib_job_judge(&job, &plan, &setting, &report, "/mnt/w/x");
	ck_assert_int_eq(job.disagrees, !lacks && *job.why);
	ck_assert_str_eq(job.fstype, "wekafs");
	record_free(record);
	return job.why;
}

START_TEST(a_record_may_differ_from_fio_by_one_percent)
{
	ck_assert_str_eq(judge("bpf", "/mnt/w", 1000 * MIB, 0, 0), "");
	ck_assert_str_eq(judge("bpf", "/mnt/w", 1010 * MIB, 0, 0), "");
	ck_assert_str_eq(judge("bpf", "/mnt/w", 990 * MIB, 0, 0), "");
	ck_assert_str_eq(
		judge("bpf", "/mnt/w", 0, 0, 0),
		"fio read 1048576000 bytes, jobio's record has 0 (bpf), and no flag of it says why");
	ck_assert_str_eq(
		judge("bpf", "/mnt/w", 1012 * MIB, 0, 0),
		"fio read 1048576000 bytes, jobio's record has 1061158912 (bpf), and no flag of it says why");
	ck_assert_str_eq(
		judge("bpf", "/mnt/w", 988 * MIB, 0, 0),
		"fio read 1048576000 bytes, jobio's record has 1035993088 (bpf), and no flag of it says why");
}
END_TEST

START_TEST(one_percent_and_a_mebibyte_are_the_bounds)
{
	uint32_t step = RECORD_FLAG(ALL_FILES) | RECORD_FLAG(AIO_MISSING);

	ck_assert_str_eq(judge("bpf", "/mnt/w", 1011 * MIB, 0, 0), "");
	ck_assert_str_ne(judge("bpf", "/mnt/w", 1011 * MIB + 1, 0, 0), "");
	ck_assert_str_eq(judge("bpf", "/mnt/w", 989 * MIB, 0, 0), "");
	ck_assert_str_ne(judge("bpf", "/mnt/w", 989 * MIB - 1, 0, 0), "");
	/* without libaio; with 4 MiB of other files for each run */
	ck_assert_str_eq(judge("stepd", NULL, 489 * MIB, step, 0), "");
	ck_assert_str_ne(judge("stepd", NULL, 489 * MIB - 1, step, 0), "");
	ck_assert_str_eq(judge("stepd", NULL, 1019 * MIB, step, 0), "");
	ck_assert_str_ne(judge("stepd", NULL, 1019 * MIB + 1, step, 0), "");
	ck_assert_str_eq(judge("stepd", NULL, 1019 * MIB, RECORD_FLAG(INCLUDES_STEPD), 0), "");
}
END_TEST

/* A job of this setting, and what the summary alone says of it. */
static struct calib_job judged(const struct calib_setting *setting, const struct summary *summary)
{
	struct calib_shape shape = { .name = "x" };
	struct calib_plan plan = { .shapes = &shape, .shape_count = 1 };
	struct job_report report = { .summary = *summary };
	struct calib_job job = { .id = "7" };

	job.moved = (struct calib_moved){ 1000 * MIB, 1000, 0, 0 };
	calib_job_judge(&job, &plan, setting, &report, "/mnt/w/x");
	ck_assert(job.is_judged);
	return job;
}

START_TEST(without_records_the_summary_speaks)
{
	struct calib_setting setting = { 0, NULL };
	struct summary summary;
	struct calib_job job;

	summary_init(&summary);
	job = judged(&setting, &summary);
	ck_assert(job.disagrees);
	ck_assert_str_eq(job.why, "its summary is not of the job alone");
	summary.scope = SUMMARY_SCOPE_JOB;
	summary.rd_bytes = 1000 * MIB;
	summary.rd_calls = 5;
	summary.wr_bytes = 0;
	summary.wr_calls = 6;
	job = judged(&setting, &summary);
	ck_assert_str_eq(job.why, "");
	ck_assert(!job.disagrees && !job.is_lacking);
	ck_assert_str_eq(job.source, "summary");
	ck_assert_int_eq(job.told.read_calls, 5);
	ck_assert_int_eq(job.told.write_calls, 6);
	strcpy(summary.src, "bpf");
	summary.rd_bytes = 1;
	job = judged(&setting, &summary);
	ck_assert(job.disagrees);
	ck_assert_str_eq(job.source, "bpf");
	summary.flags = RECORD_FLAG(TRUNCATED);
	job = judged(&setting, &summary);
	ck_assert(!job.disagrees);
	/* what was written counts as well */
	summary.wr_bytes = 100 * MIB;
	job = judged(&setting, &summary);
	ck_assert(job.disagrees);
	ck_assert_ptr_nonnull(
		strstr(job.why, "fio wrote 0 bytes, jobio's record has 104857600 (bpf)"));
}
END_TEST

START_TEST(a_job_lacks_only_what_its_setting_has)
{
	struct config_profile profile = { .name = (char *)"p" };
	struct calib_setting plain = { 0, NULL }, full = { 1, &profile };
	struct summary summary;
	struct calib_job job;

	summary_init(&summary);
	summary.scope = SUMMARY_SCOPE_JOB;
	summary.rd_bytes = 1000 * MIB;
	summary.wr_bytes = 0;
	summary.lacks = SUMMARY_LACK(PROFILE) | SUMMARY_LACK(CORES);
	ck_assert(!judged(&plain, &summary).is_lacking);
	job = judged(&full, &summary);
	ck_assert(job.is_lacking);
	ck_assert_str_eq(job.why, "its profile was not applied; jobio report -v 7 shows why");
	summary.lacks = SUMMARY_LACK(STARTED);
	job = judged(&plain, &summary);
	ck_assert(job.is_lacking && !job.disagrees);
	ck_assert_str_eq(job.why, "a node refused it; jobio report -v 7 shows why");
}
END_TEST

START_TEST(the_filesystem_of_the_folder_is_the_innermost)
{
	struct calib_shape shape = { .name = "x" };
	struct calib_plan plan = { .shapes = &shape, .shape_count = 1 };
	struct calib_setting setting = { 0, NULL };
	struct record *record = record_new();
	struct job_report report = { .records = &record, .record_count = 1 };
	struct calib_job job = { .id = "7" };
	static const char *const fs[] = { "/", "/mnt/w/x/y", "/mnt/w", "/mnt", "/mnt/w2" };
	struct record_io io;
	size_t i;

	strcpy(record->node, "c1");
	record_add_client(record, "c", "weka", "", "");
	for (i = 0; i < 5; i++) {
		record_io_init(&io);
		strcpy(io.source, "bpf");
		io.fs = (char *)fs[i];
		io.numbers[RECORD_READ_BYTES] = (int64_t)(10 + i);
		io.numbers[RECORD_WRITE_BYTES] = 0;
		record_add_app(record, &io);
		record_add_mount(record, fs[i], fs[i] + 1, "s");
	}
	/* of one over another the later */
	record_add_mount(record, "/mnt/w", "over", "s");
	job.moved.read_bytes = 12;
	calib_job_judge(&job, &plan, &setting, &report, "/mnt/w/x");
	ck_assert_str_eq(job.why, "");
	ck_assert_int_eq(job.told.read_bytes, 12);
	ck_assert_str_eq(job.mount, "/mnt/w");
	ck_assert_str_eq(job.fstype, "over");
	ck_assert_str_eq(job.node, "c1");
	record_free(record);
}
END_TEST

START_TEST(what_a_flag_of_the_record_explains_is_no_disagreement)
{
	uint32_t step = RECORD_FLAG(ALL_FILES) | RECORD_FLAG(AIO_MISSING);

	ck_assert_str_eq(judge("stepd", NULL, 500 * MIB, step, 0), "");
	ck_assert_str_eq(judge("stepd", NULL, 1017 * MIB, step, 0), "");
	ck_assert_str_ne(judge("stepd", NULL, 480 * MIB, step, 0), "");
	ck_assert_str_ne(judge("stepd", NULL, 1100 * MIB, step, 0), "");
	ck_assert_str_ne(judge("stepd", NULL, 500 * MIB, RECORD_FLAG(ALL_FILES), 0), "");
	ck_assert_str_eq(judge("bpf", "/mnt/w", 1, RECORD_FLAG(LOWER_BOUND_READ), 0), "");
	ck_assert_str_ne(judge("bpf", "/mnt/w", 1, RECORD_FLAG(LOWER_BOUND_WRITE), 0), "");
	ck_assert_str_ne(judge("bpf", "/mnt/w", 1100 * MIB, RECORD_FLAG(LOWER_BOUND_READ), 0), "");
}
END_TEST

START_TEST(a_record_that_is_not_about_these_files_says_nothing)
{
	const char *why = "its record has nothing of the job alone about these files";

	ck_assert_str_eq(judge("bpf", "/mnt/weka", 1000 * MIB, 0, 0), why);
	ck_assert_str_eq(judge("bpf", "/mnt", 1000 * MIB, 0, 0), "");
	ck_assert_str_eq(judge("bpf", "/", 1000 * MIB, 0, 0), "");
	ck_assert_str_eq(judge("bpf", "/mnt/w/x", 1000 * MIB, 0, 0), "");
	ck_assert_str_eq(judge("bpf", "/mnt/w/x/y", 1000 * MIB, 0, 0), why);
	ck_assert_str_eq(judge("bpf", "/mn", 1000 * MIB, 0, 0), why);
	ck_assert_str_eq(judge("bpf", "/opt/w", 1000 * MIB, 0, 0), why);
	ck_assert_str_eq(judge("bpf", "/mnt/w", RECORD_UNKNOWN, 0, 0),
			 "its record does not say what it read");
}
END_TEST

START_TEST(a_job_that_did_not_get_what_it_asked_for_measures_nothing)
{
	ck_assert_str_eq(judge("bpf", "/mnt/w", 1000 * MIB, 0, SUMMARY_LACK(PROFILE)),
			 "its profile was not applied; jobio report -v 7 shows why");
	ck_assert_str_eq(judge("bpf", "/mnt/w", 1000 * MIB, 0, SUMMARY_LACK(CORES)),
			 "the client did not work on its io-cores; jobio report -v 7 shows why");
}
END_TEST

/* ---- lines and constants ------------------------------------------------------------------ */

#define LINE(...)                                                                                  \
	calib_fit((const struct calib_point[]){ __VA_ARGS__ },                                     \
		  sizeof((const struct calib_point[]){ __VA_ARGS__ }) /                            \
			  sizeof(struct calib_point))

START_TEST(a_line_goes_as_far_as_each_core_adds_its_part)
{
	struct calib_line line =
		LINE({ 0, 50 }, { 1, 98 }, { 3, 300 }, { 2, 201 }, { 1, 102 }, { 4, 310 });

	ck_assert_uint_eq(line.grows_to, 3);
	ck_assert_uint_eq(line.count, 4);
	/* (98 + 102 + 402 + 900) / (1 + 1 + 4 + 9) */
	ck_assert_double_eq_tol(line.per_core, 1502.0 / 15, 1e-9);
	ck_assert_double_eq_tol(line.spread, 1.652018967, 1e-6);
	line = LINE({ 1, 100 }, { 2, 175 });
	ck_assert_uint_eq(line.grows_to, 1);
	ck_assert_double_eq_tol(line.per_core, 100, 1e-9);
	ck_assert(line.spread < 0);
	/* from the first one that was measured, and over a gap */
	line = LINE({ 2, 200 }, { 4, 390 });
	ck_assert_uint_eq(line.grows_to, 4);
	ck_assert_double_eq_tol(line.per_core, 98, 1e-9);
	/* where it has ended it does not begin again */
	line = LINE({ 1, 100 }, { 2, 110 }, { 3, 300 });
	ck_assert_uint_eq(line.grows_to, 1);
	line = LINE({ 0, 100 });
	ck_assert_uint_eq(line.count, 0);
}
END_TEST

static bool is_stream(const struct calib_setting *setting)
{
	return setting->profile && !strcmp(setting->profile->name, "stream");
}

/* What a site would see: 10,000 calls of each process, and a most of 100,000
 * calls or 5 GB/s for each core; so much more with one profile, and when it
 * writes. */
static void fill_with(struct calib_data *data, double stream, double writes)
{
	const struct calib_plan *plan = data->plan;
	size_t i, k;

	for (i = 0; i < plan->turn_count; i++) {
		const struct calib_setting *setting = &plan->settings[plan->turns[i].setting];
		unsigned int cores = setting->io_cores;
		struct calib_job *job = &data->jobs[i];

		for (k = 0; k < plan->shape_count; k++) {
			const struct calib_shape *s = &plan->shapes[k];
			double iops = 10000.0 * s->processes * s->depth;
			double most = 100000.0 * (cores ? cores : 1);
			double bytes = s->block_kib * 1024.0;

			most *= is_stream(setting) ? stream : 1;
			most *= s->is_write ? writes : 1;
			if (most * 50000 / bytes < most)
				most = most * 50000 / bytes;
			iops = iops < most ? iops : most;
			if (!s->is_direct)
				iops /= 4;
			job->runs[k] = (struct calib_run){ (int64_t)(iops * bytes * 2),
							   (int64_t)(iops * 2), 2000, 100 };
			job->has_run[k] = true;
		}
		job->run_count = plan->shape_count;
	}
}

static void fill(struct calib_data *data)
{
	fill_with(data, 1, 1);
}

/* A calibration in which all went well, of what a site wishes. */
static struct config *its_config;
static struct calib_plan its_plan;
static struct calib_data its;

static void begin(const char *conf, const struct calib_wish *wish)
{

	its_config = conf_load(conf);
	its_plan = make(its_config, wish);
	calib_data_init(&its, &its_plan);
	fill(&its);
}

static void end(void)
{
	calib_data_free(&its);
	calib_plan_free(&its_plan);
	config_free(its_config);
}

/* With the value 0 where there is no such constant. */
static struct calib_constant found(const struct calib_data *data, const char *fstype,
				   const char *key)
{
	struct calib_constant list[CALIB_CONSTANTS];
	size_t i, count;

	count = calib_constants(data, fstype, list);
	for (i = 0; i < count; i++)
		if (!strcmp(list[i].key, key))
			return list[i];
	return (struct calib_constant){ .value = 0 };
}

static unsigned int constant(const struct calib_data *data, const char *fstype, const char *key)
{
	return found(data, fstype, key).value;
}

START_TEST(constants_follow_from_what_was_measured)
{
	struct config *config = conf_load(site);
	struct calib_plan plan = make(config, &(struct calib_wish){ 0 });
	struct calib_data data;
	size_t i, k;

	calib_data_init(&data, &plan);
	ck_assert_uint_eq(constant(&data, "wekafs", "core_read_mbs"), 0);
	fill(&data);
	data.jobs[0].is_lacking = true;
	ck_assert_uint_eq(calib_data_count(&data), plan.turn_count - 1);
	ck_assert_uint_eq(constant(&data, "wekafs", "core_read_mbs"), 5000);
	ck_assert_uint_eq(constant(&data, "wekafs", "core_write_iops"), 100000);
	ck_assert_uint_eq(constant(&data, "wekafs", "small_read_kb"), 50);
	ck_assert_uint_eq(constant(&data, "wekafs", "sync_call_us"), 100);
	/* two cores do what 20 processes ask of them */
	ck_assert_uint_eq(constant(&data, "wekafs", "io_processes"), 32);
	ck_assert_uint_eq(constant(&data, "wekafs", "nfs_ops_per_s"), 0);
	ck_assert_uint_eq(constant(&data, "nfs4", "nfs_ops_per_s"), 200000);
	/* 10 GB/s, and a quarter of it buffered */
	ck_assert_uint_eq(constant(&data, "lustre", "lustre_write_mbs"), 5000);
	calib_data_free(&data);
	/* jobio.conf takes no less than 1 */
	calib_data_init(&data, &plan);
	fill(&data);
	for (i = 0; i < plan.turn_count; i++)
		for (k = 0; k < plan.shape_count; k++)
			data.jobs[i].runs[k].latency_us = 0.3;
	ck_assert_uint_eq(calib_data_count(&data), plan.turn_count);
	ck_assert_uint_eq(constant(&data, "wekafs", "sync_call_us"), 1);
	calib_data_free(&data);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

/* Nothing was moved in some of the runs. */
static void forget(struct calib_data *data, bool is_write, unsigned int kib)
{
	const struct calib_shape *shapes = data->plan->shapes;
	size_t i, k;

	for (i = 0; i < data->plan->turn_count; i++)
		for (k = 0; k < data->plan->shape_count; k++)
			if (shapes[k].is_write == is_write && shapes[k].block_kib == kib) {
				data->jobs[i].runs[k].bytes = 0;
				data->jobs[i].runs[k].calls = 0;
			}
}

/* What a constant was taken from. */
static const char *origin(const struct calib_data *data, const char *key)
{
	static struct calib_constant one;

	one = found(data, "wekafs", key);
	return one.from;
}

START_TEST(constants_are_those_of_the_profile_whose_core_does_most)
{
	size_t i, k;

	begin(site, &(struct calib_wish){ 0 });
	calib_data_count(&its);
	/* of equal ones the first */
	ck_assert_str_eq(origin(&its, "core_read_mbs"),
			 "profile none, in proportion up to io-cores=2, jobs: 6, spread 0 %");
	for (i = 0; i < its_plan.turn_count; i++)
		for (k = 0; k < its_plan.shape_count; k++)
			if (is_stream(&its_plan.settings[its_plan.turns[i].setting]))
				its.jobs[i].runs[k].bytes *= 2;
	ck_assert_str_eq(origin(&its, "core_read_mbs"),
			 "profile stream, in proportion up to io-cores=2, jobs: 6, spread 0 %");
	ck_assert_str_eq(origin(&its, "core_read_iops"),
			 "profile none, in proportion up to io-cores=2, jobs: 6, spread 0 %");
	end();
}
END_TEST

/* The run of this name makes so many calls a second, in each job. */
static void put_rate(struct calib_data *data, const char *name, int64_t calls)
{
	int shape = calib_plan_find(data->plan, name);
	struct calib_run *run;
	size_t i;

	ck_assert_int_ge(shape, 0);
	for (i = 0; i < data->plan->turn_count; i++) {
		run = &data->jobs[i].runs[shape];
		run->bytes = calls * data->plan->shapes[shape].block_kib * 1024;
		run->calls = calls;
		run->ms = 1000;
	}
}

START_TEST(the_fewest_processes_that_read_and_write_nearly_the_most_are_enough)
{

	begin(site, &(struct calib_wish){ 0 });
	put_rate(&its, "4k-read-sync-4", 89999);
	put_rate(&its, "4k-read-sync-8", 90000);
	put_rate(&its, "4k-read-sync-16", 100000);
	put_rate(&its, "4k-read-sync-32", 100000);
	put_rate(&its, "4k-write-sync-8", 80000);
	put_rate(&its, "4k-write-sync-16", 95000);
	put_rate(&its, "4k-write-sync-32", 100000);
	calib_data_count(&its);
	ck_assert_uint_eq(constant(&its, "wekafs", "io_processes"), 16);
	ck_assert_str_eq(origin(&its, "io_processes"),
			 "4 KiB, synchronous: 8 processes read 90 % of the most, 16 write it");
	end();
	/* one of two numbers may be enough; of one nobody knows */
	begin(site, &(struct calib_wish){ .processes = "4,8" });
	calib_data_count(&its);
	ck_assert_uint_eq(constant(&its, "wekafs", "io_processes"), 8);
	end();
	begin(site, &(struct calib_wish){ .processes = "8" });
	calib_data_count(&its);
	ck_assert_uint_eq(constant(&its, "wekafs", "io_processes"), 0);
	end();
}
END_TEST

START_TEST(a_call_takes_what_it_takes_where_it_is_quickest)
{
	size_t i, shape;

	begin(site, &(struct calib_wish){ 0 });
	shape = (size_t)calib_plan_find(&its_plan, "4k-write-direct");
	for (i = 0; i < its_plan.turn_count; i++)
		if (its_plan.turns[i].setting == its_plan.setting_count - 1)
			its.jobs[i].runs[shape].latency_us = 40;
	calib_data_count(&its);
	ck_assert_uint_eq(constant(&its, "wekafs", "sync_call_us"), 40);
	end();
	/* nobody knows where fio does not tell */
	begin(site, &(struct calib_wish){ 0 });
	for (i = 0; i < its_plan.turn_count; i++)
		for (shape = 0; shape < its_plan.shape_count; shape++)
			its.jobs[i].runs[shape].latency_us = 0;
	calib_data_count(&its);
	ck_assert_uint_eq(constant(&its, "wekafs", "sync_call_us"), 0);
	end();
}
END_TEST

START_TEST(lustre_is_written_direct_only_where_that_is_faster)
{
	static const int64_t buffered[] = { 49, 50, 51, 0 };
	size_t i;

	for (i = 0; i < 4; i++) {
		begin(site, &(struct calib_wish){ .cores = "0", .profiles = "none", .repeats = 1 });
		put_rate(&its, "64m-write-direct", 50);
		put_rate(&its, "64m-write-buffered", buffered[i]);
		calib_data_count(&its);
		/* the root of 50 * 49 times 64 MiB */
		ck_assert_uint_eq(constant(&its, "lustre", "lustre_write_mbs"), i ? 0 : 3322);
		/* of the only setting */
		ck_assert_uint_eq(constant(&its, "nfs", "nfs_ops_per_s"), 100000);
		ck_assert_uint_eq(constant(&its, "nfs", "lustre_write_mbs"), 0);
		end();
	}
}
END_TEST

START_TEST(what_nothing_has_measured_leaves_out_its_constant_and_panel_alone)
{
	char *picture;

	begin(site, &(struct calib_wish){ 0 });
	forget(&its, false, 1024);
	calib_data_count(&its);
	ck_assert_uint_eq(constant(&its, "wekafs", "core_read_mbs"), 0);
	ck_assert_uint_eq(constant(&its, "wekafs", "small_read_kb"), 0);
	ck_assert_uint_eq(constant(&its, "wekafs", "core_write_mbs"), 5000);
	ck_assert_uint_eq(constant(&its, "wekafs", "core_read_iops"), 100000);
	ck_assert_uint_eq(constant(&its, "wekafs", "small_write_kb"), 50);
	picture = calib_plot_engines(&its);
	ck_assert_ptr_null(strstr(picture, ">1 MiB read, "));
	ck_assert_ptr_nonnull(strstr(picture, ">1 MiB written, "));
	ck_assert_ptr_nonnull(strstr(picture, ">4 KiB written, "));
	free(picture);
	end();
	/* nor is there a ratio of two that are missing */
	begin(site, &(struct calib_wish){ 0 });
	forget(&its, false, 1024);
	forget(&its, false, 4);
	forget(&its, true, 1024);
	forget(&its, true, 4);
	calib_data_count(&its);
	ck_assert_str_eq(origin(&its, "small_read_kb"), "");
	ck_assert_str_eq(origin(&its, "small_write_kb"), "");
	end();
}
END_TEST

/* ---- pictures ------------------------------------------------------------------------------ */

START_TEST(an_axis_ends_at_a_round_number_above_the_most)
{
	double step;

	ck_assert_double_eq_tol(plot_end_of(14.9, &step), 15, 1e-9);
	ck_assert_double_eq_tol(step, 5, 1e-9);
	ck_assert_double_eq_tol(plot_end_of(1e9, &step), 1e9, 1);
	ck_assert_double_eq_tol(step, 2e8, 1);
	ck_assert_double_eq_tol(plot_end_of(0.031, &step), 0.04, 1e-9);
	ck_assert_double_eq_tol(plot_end_of(0, &step), 1, 1e-9);
	ck_assert_double_eq_tol(plot_end_of(NAN, &step), 1, 1e-9);
}
END_TEST

START_TEST(numbers_have_three_digits_and_a_unit)
{
	char text[24];

	plot_number(5730000000.0, text, sizeof(text));
	ck_assert_str_eq(text, "5.73G");
	plot_number(999.5, text, sizeof(text));
	ck_assert_str_eq(text, "1k");
	plot_number(999.4, text, sizeof(text));
	ck_assert_str_eq(text, "999");
	plot_number(0, text, sizeof(text));
	ck_assert_str_eq(text, "0");
	plot_number(144533, text, sizeof(text));
	ck_assert_str_eq(text, "145k");
}
END_TEST

START_TEST(pictures_have_all_panels_light_and_dark_and_a_description)
{
	struct config *config = conf_load(site);
	struct calib_plan plan = make(config, &(struct calib_wish){ 0 });
	struct calib_data data;
	char *pictures[3];
	int i;

	calib_data_init(&data, &plan);
	fill_with(&data, 1.5, 0.8);
	calib_data_count(&data);
	pictures[0] = calib_plot_scaling(&data);
	pictures[1] = calib_plot_engines(&data);
	pictures[2] = calib_plot_direct(&data);
	for (i = 0; i < 3; i++) {
		ck_assert_uint_eq(count(pictures[i], "class=\"h\""), 4);
		ck_assert_uint_eq(count(pictures[i], "<desc id=\"d\">"), 1);
		ck_assert_uint_eq(count(pictures[i], "role=\"img\""), 1);
		ck_assert_uint_eq(count(pictures[i], "prefers-color-scheme:dark"), 1);
		ck_assert_uint_eq(count(pictures[i], "nan"), 0);
		ck_assert_uint_eq(count(pictures[i], "http"), 1);
	}
	/* three numbers of cores for two profiles, two for the third: marks of
	 * 4 panels and of the legend */
	ck_assert_uint_eq(count(pictures[0], "<circle class=\"f0\""), 13);
	ck_assert_ptr_nonnull(strstr(pictures[0], "7.5G a core, up to 2"));
	ck_assert_uint_eq(count(pictures[1], "<circle class=\"f0\""), 25);
	ck_assert_ptr_nonnull(strstr(pictures[1], "2 io-cores, profile stream"));
	ck_assert_uint_eq(count(pictures[2], ">stream</text>"), 4);
	sample_kept("report/scaling.svg.golden", pictures[0]);
	sample_kept("report/engines.svg.golden", pictures[1]);
	sample_kept("report/direct.svg.golden", pictures[2]);
	for (i = 0; i < 3; i++)
		free(pictures[i]);
	calib_data_free(&data);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

START_TEST(what_was_not_measured_has_no_mark)
{
	char *picture;
	size_t i;

	begin(site, &(struct calib_wish){ 0 });
	for (i = 0; i < its_plan.turn_count; i++)
		its.jobs[i].is_lacking = its_plan.turns[i].setting == 0;
	calib_data_count(&its);
	picture = calib_plot_scaling(&its);
	/* two numbers of cores instead of three, and the legend's */
	ck_assert_uint_eq(count(picture, "<circle class=\"f0\""), 4 * 2 + 1);
	free(picture);
	end();
}
END_TEST

START_TEST(the_most_cores_that_a_site_may_allow_are_drawn)
{
	char *picture;

	begin("[option]\nio_cores_max = 64\n", &(struct calib_wish){ .cores = "1,64" });
	calib_data_count(&its);
	picture = calib_plot_scaling(&its);
	ck_assert_uint_eq(count(picture, ">64</text>"), 4);
	free(picture);
	end();
}
END_TEST

/* Nine series, of which some have no value or a wide spread, as lines and as bars. */
START_TEST(a_plot_of_many_series_looks_as_it_did)
{
	static const char *const names[] = { "no io-cores, no profile",
					     "1 io-core, profile of a long name",
					     "c",
					     "d",
					     "e",
					     "f",
					     "g",
					     "2 io-cores, another long profile",
					     "i<j>" };
	static struct plot_series series[9];
	static struct plot_panel panel = { .title = "Calls",
					   .note = "",
					   .x_name = "processes",
					   .unit = "1/s",
					   .places = 3,
					   .place = { "1", "2", "of 40" },
					   .series = series,
					   .series_count = 9,
					   .fit = { -1, 20, 45 } };
	struct plot plot;
	char *text = NULL;
	size_t size, i;
	FILE *out = open_memstream(&text, &size);

	for (i = 0; i < 9; i++)
		series[i] = (struct plot_series){ names[i],
						  { 10 + (double)i, i == 3 ? -1 : 50, 0 },
						  { i == 1 ? 14 : 0, i == 8 ? 5 : -1, 0 } };
	plot_begin(&plot, out, "A <plot>", "Of nine", 3, names, 9, true);
	panel.has_fit = true;
	plot_panel(&plot, &panel);
	panel.has_fit = false;
	panel.is_bars = true;
	panel.note = "as bars";
	plot_panel(&plot, &panel);
	panel.places = 0;
	panel.series_count = 0;
	plot_panel(&plot, &panel);
	plot_end(&plot);
	fclose(out);
	*strstr(text, "<style>") = '\0'; /* kept with the others */
	sample_kept("report/plot_head.svg.golden", text);
	sample_kept("report/plot.svg.golden", strstr(text + strlen(text) + 1, "</style>"));
	free(text);
}
END_TEST

START_TEST(of_many_places_some_have_their_names)
{
	static struct plot_series series;
	static struct plot_panel panel = { .title = "Calls",
					   .note = "",
					   .x_name = "",
					   .unit = "",
					   .series = &series,
					   .series_count = 1 };
	static const size_t places[] = { 8, 40, 80 }, named[] = { 8, 14, 14 };
	struct plot plot;
	size_t size, i, k;
	char *text;
	FILE *out;

	for (i = 0; i < 3; i++) {
		out = open_memstream(&text, &size);
		panel.places = places[i];
		for (k = 0; k < panel.places; k++) {
			panel.place[k] = "abcdefghijklmnop";
			series.value[k] = 1;
		}
		plot_begin(&plot, out, "", "", 1, NULL, 0, false);
		plot_panel(&plot, &panel);
		plot_end(&plot);
		fclose(out);
		ck_assert_uint_eq(count(text, ">ab"), named[i]);
		free(text);
	}
}
END_TEST

/* ---- what it leaves behind ------------------------------------------------------------------- */

/* JSON of one line for each shape, run and job. */
static void fold(char *text)
{
	char *to = text;
	bool is_start = false;

	for (; *text; text++) {
		is_start |= *text == '\n';
		if (*text == '\n' || (is_start && *text == ' '))
			continue;
		if (is_start && *text == '{')
			*to++ = '\n';
		is_start = false;
		*to++ = *text;
	}
	*to++ = '\n';
	*to = '\0';
}

/* Jobs that count, the second one with a record that disagrees, one that ended early, one that did
 * not get its cores. */
static void fill_some(struct calib_data *data)
{
	struct calib_job *jobs = data->jobs;

	fill(data);
	strcpy(jobs[0].id, "101");
	strcpy(jobs[0].source, "bpf");
	jobs[0].flags = RECORD_FLAG(ALL_FILES) | RECORD_FLAG(AIO_MISSING);
	jobs[0].told = (struct calib_moved){ 1, 2, 3, RECORD_UNKNOWN };
	jobs[0].is_judged = true;
	jobs[1].runs[0].calls /= 2;
	jobs[1].is_judged = jobs[1].disagrees = true;
	strcpy(jobs[1].node, "c1");
	strcpy(jobs[1].why, "it disagrees");
	strcpy(jobs[1].mount, "/mnt/w");
	strcpy(jobs[1].fstype, "wekafs");
	jobs[1].moved = (struct calib_moved){ 4, 3, 2, 1 };
	strcpy(jobs[3].fstype, "nfs");
	memset(jobs[3].has_run + 2, 0, (data->plan->shape_count - 2) * sizeof(bool));
	jobs[3].run_count = 2;
	memset(jobs[4].has_run, 0, data->plan->shape_count * sizeof(bool));
	jobs[4].is_lacking = true;
}

START_TEST(a_calibration_is_written_down_with_all_of_its_runs)
{
	static const char version[] = "\"jobio\":\"" JOBIO_PACKAGE_VERSION "\",";
	struct config *config = conf_load(site);
	struct calib_plan plan =
		make(config,
		     &(struct calib_wish){
			     .cores = "1", .processes = "1", .profiles = "cached", .repeats = 2 });
	struct calib_turn turns[] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 2, 0 }, { 2, 1 } };
	struct calib_turn *its_turns = plan.turns;
	struct calib_setting settings[] = { { 1, plan.settings[0].profile },
					    { 1, NULL },
					    { 2, plan.settings[0].profile } };
	struct calib_setting *its_settings = plan.settings;
	struct calib_about about = {
		.dir = "/mnt/w/x", .cluster = "c", .start = 1795224862, .end = 1795224962
	};
	struct calib_data data;
	struct err err = { "" };
	char *text, *at;

	plan.turns = turns;
	plan.turn_count = 5;
	plan.settings = settings;
	plan.setting_count = 3;
	calib_data_init(&data, &plan);
	ck_assert_str_eq(calib_fstype(&data), "");
	fill_some(&data);
	ck_assert_uint_eq(calib_data_count(&data), 3);
	tempdir_make();
	ck_assert_msg(calib_write(tempdir_name, &data, &about, &err) == 0, "%s", err.text);
	text = fileio_read(tempdir_path("calibration.json"), 1 << 20, NULL, &err);
	ck_assert_ptr_nonnull(text);
	fold(text);
	at = strstr(text, version);
	ck_assert_ptr_nonnull(at);
	memmove(at, at + strlen(version), strlen(at + strlen(version)) + 1);
	sample_kept("report/calibration.json.golden", text);
	free(text);
	text = fileio_read(tempdir_path("advice.conf"), 1 << 20, NULL, &err);
	sample_kept("report/advice.conf.golden", text);
	free(text);
	text = fileio_read(tempdir_path("direct.svg"), 1 << 20, NULL, &err);
	ck_assert_ptr_nonnull(text);
	free(text);
	/* of which nobody knows where it was */
	about.cluster = "";
	memset(data.jobs[1].fstype, 0, sizeof(data.jobs[1].fstype));
	memset(data.jobs[3].fstype, 0, sizeof(data.jobs[3].fstype));
	ck_assert_int_eq(calib_write(tempdir_name, &data, &about, &err), 0);
	text = fileio_read(tempdir_path("advice.conf"), 1 << 20, NULL, &err);
	ck_assert_ptr_nonnull(strstr(text, "# jobio calibrate, 2026-11-21T01:36:02Z: /mnt/w/x\n"));
	free(text);
	/* a folder where nothing can be written */
	ck_assert_int_eq(calib_write(tempdir_path("no"), &data, &about, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/no/calibration.json"));
	tempdir_remove();
	calib_data_free(&data);
	plan.turns = its_turns;
	plan.settings = its_settings;
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

/* The text of a file that was written; the caller frees. */
static char *written(const char *name)
{
	struct err err;
	char *text = fileio_read(tempdir_path(name), 1 << 22, NULL, &err);

	ck_assert_msg(text != NULL, "%s", err.text);
	return text;
}

START_TEST(each_profile_has_its_lines_and_a_job_the_runs_that_it_had)
{
	struct calib_about about = { .dir = "/mnt/w/x", .cluster = "" };
	struct err err;
	char *text;

	begin(site, &(struct calib_wish){ 0 });
	its.jobs[0].has_run[1] = false; /* and those behind it */
	its.jobs[0].run_count--;
	calib_data_count(&its);
	tempdir_make();
	ck_assert_msg(calib_write(tempdir_name, &its, &about, &err) == 0, "%s", err.text);
	text = written("calibration.json");
	ck_assert_uint_eq(count(text, "\"grows_to\":"), 3 * CALIB_METRICS);
	ck_assert_uint_eq(count(text, "\"ms\":"), its_plan.turn_count * its_plan.shape_count - 1);
	free(text);
	tempdir_remove();
	end();
}
END_TEST

/* In the place of the last file of a calibration is a folder. */
START_TEST(each_file_that_cannot_be_written_is_a_failure)
{
	static const char *const names[] = { "calibration.json", "advice.conf", "scaling.svg",
					     "engines.svg", "direct.svg" };
	struct config *config = conf_load(site);
	struct calib_plan plan = make(
		config, &(struct calib_wish){ .cores = "1", .processes = "1", .profiles = "none" });
	struct calib_about about = { .dir = "/", .cluster = "" };
	struct calib_data data;
	struct err err = { "" };
	size_t i;

	calib_data_init(&data, &plan);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		tempdir_make();
		ck_assert_int_eq(mkdir(tempdir_path(names[i]), 0700), 0);
		ck_assert_int_eq(calib_write(tempdir_name, &data, &about, &err), -1);
		ck_assert_msg(strstr(err.text, names[i]) != NULL, "%s", err.text);
		tempdir_remove();
	}
	calib_data_free(&data);
	calib_plan_free(&plan);
	config_free(config);
}
END_TEST

UNIT_MAIN("calib", each_number_of_cores_is_measured_with_each_profile_that_allows_it,
	  a_round_has_each_setting_once_and_rounds_differ, each_calibration_has_an_order_of_its_own,
	  a_job_makes_its_files_first_and_runs_all_shapes_in_any_order,
	  a_wish_that_cannot_be_met_is_refused_with_what_would_do, a_wish_at_its_bound_is_met,
	  what_fio_says_is_read_with_its_notes_in_front,
	  an_answer_of_fio_that_makes_no_sense_is_refused, numbers_of_fio_have_bounds,
	  what_a_job_moved_is_added_up_and_what_libaio_did_apart,
	  jobs_with_all_runs_are_measured_and_short_ones_are_noted,
	  a_record_may_differ_from_fio_by_one_percent, one_percent_and_a_mebibyte_are_the_bounds,
	  without_records_the_summary_speaks, a_job_lacks_only_what_its_setting_has,
	  the_filesystem_of_the_folder_is_the_innermost,
	  what_a_flag_of_the_record_explains_is_no_disagreement,
	  a_record_that_is_not_about_these_files_says_nothing,
	  a_job_that_did_not_get_what_it_asked_for_measures_nothing,
	  a_line_goes_as_far_as_each_core_adds_its_part, constants_follow_from_what_was_measured,
	  constants_are_those_of_the_profile_whose_core_does_most,
	  the_fewest_processes_that_read_and_write_nearly_the_most_are_enough,
	  a_call_takes_what_it_takes_where_it_is_quickest,
	  lustre_is_written_direct_only_where_that_is_faster,
	  what_nothing_has_measured_leaves_out_its_constant_and_panel_alone,
	  an_axis_ends_at_a_round_number_above_the_most, numbers_have_three_digits_and_a_unit,
	  pictures_have_all_panels_light_and_dark_and_a_description,
	  what_was_not_measured_has_no_mark, the_most_cores_that_a_site_may_allow_are_drawn,
	  a_plot_of_many_series_looks_as_it_did, of_many_places_some_have_their_names,
	  a_calibration_is_written_down_with_all_of_its_runs,
	  each_profile_has_its_lines_and_a_job_the_runs_that_it_had,
	  each_file_that_cannot_be_written_is_a_failure)
