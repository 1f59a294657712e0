/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "lib/gatefile.h"
#include "lib/record.h"
#include "lib/request.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static void set_env(const char *version, const char *cores, const char *profile)
{
	clearenv();
	if (version)
		setenv("SPANK_JOBIO_VERSION", version, 1);
	if (cores)
		setenv("SPANK_JOBIO_IO_CORES", cores, 1);
	if (profile)
		setenv("SPANK_JOBIO_IO_PROFILE", profile, 1);
}

static int put_in_env(void *arg, const char *name, const char *value)
{
	char prefixed[80];

	(void)arg;
	snprintf(prefixed, sizeof(prefixed), "SPANK_%s", name);
	return setenv(prefixed, value, 1);
}

START_TEST(what_is_exported_is_what_arrives)
{
	struct request sent = { .io_cores = 3, .profile = "stream" };
	struct request got = { 0 };

	clearenv();
	ck_assert_int_eq(request_export(&sent, put_in_env, NULL), 0);
	ck_assert_int_eq(request_from_env(&got, NULL), 1);
	ck_assert_uint_eq(got.io_cores, 3);
	ck_assert_str_eq(got.profile, "stream");
}
END_TEST

static void expect_same(const struct request *request, const struct request *sent)
{
	ck_assert_uint_eq(request->io_cores, sent->io_cores);
	ck_assert_str_eq(request->profile, sent->profile);
}

/* Both files as they are written and read again. */
static void through_files(const struct request *request, struct gatefile *gate,
			  struct record **record)
{
	struct record *written = record_new();
	char *text;

	tempdir_make();
	gate->request = written->request = *request;
	ck_assert_int_eq(gatefile_write(tempdir_path("gate"), gate, NULL), 0);
	memset(gate, 0, sizeof(*gate));
	ck_assert_int_eq(gatefile_read(tempdir_path("gate"), gate, NULL), 1);
	tempdir_remove();

	strcpy(written->cluster, "c");
	strcpy(written->node, "c1");
	written->job = 7;
	written->has_request = true;
	record_set_io_cores(written, &gate->io_cpus, &gate->io_cpus);
	text = record_text(written, NULL);
	*record = record_parse(text, strlen(text), NULL);
	ck_assert_ptr_nonnull(*record);
	free(text);
	record_free(written);
}

START_TEST(gate_file_and_record_say_what_the_job_asked_for)
{
	static const struct request sent[] = { { 3, "stream" },
					       { 2, "" },
					       { 0, "a_name-of-32-bytes-of-a-profile_" } };
	struct request got = { 0 };
	struct record *record;
	size_t i;

	for (i = 0; i < sizeof(sent) / sizeof(*sent); i++) {
		struct gatefile gate = { .asked = false };

		cpuset_parse(&gate.io_cpus, "7,15", NULL);
		clearenv();
		ck_assert_int_eq(request_export(&sent[i], put_in_env, NULL), 0);
		ck_assert_int_eq(request_from_env(&got, NULL), 1);
		through_files(&got, &gate, &record);
		expect_same(&gate.request, &sent[i]);
		expect_same(&record->request, &sent[i]);
		ck_assert(record->has_request);
		ck_assert_int_eq(record->io_cores_count, 2);
		ck_assert_str_eq(record->io_cores_os, "7,15");
		record_free(record);
	}
}
END_TEST

START_TEST(a_job_without_the_options_has_no_request)
{
	struct request request = { .io_cores = 9 };

	clearenv();
	ck_assert_int_eq(request_from_env(&request, NULL), 0);
	ck_assert_uint_eq(request.io_cores, 9);
}
END_TEST

static void expect_refused(const char *version, const char *cores, const char *profile,
			   const char *sentence)
{
	struct request request = { .io_cores = 9 };
	struct err err;

	set_env(version, cores, profile);
	ck_assert_int_eq(request_from_env(&request, &err), -1);
	ck_assert_msg(!strncmp(err.text, sentence, strlen(sentence)), "'%s' instead of '%s'",
		      err.text, sentence);
	ck_assert_uint_eq(request.io_cores, 9);
}

START_TEST(forged_values_are_refused_by_name)
{
	expect_refused("1", "99999", NULL,
		       "SPANK_JOBIO_IO_CORES: '99999': not a number from 1 to 64");
	expect_refused("1", "1; reboot", NULL, "SPANK_JOBIO_IO_CORES: '1; reb");
	expect_refused("1", "1", "../../etc/passwd",
		       "SPANK_JOBIO_IO_PROFILE: '../../etc/passwd': not a profile name");
	expect_refused("1", "1", "stream\nverdict=admit",
		       "SPANK_JOBIO_IO_PROFILE: 'stream?verdict=admit'");
	expect_refused("0", "1", NULL, "SPANK_JOBIO_VERSION '0'");
	expect_refused("1000", "1", NULL, "SPANK_JOBIO_VERSION '1000'");
	expect_refused("2 ", "1", NULL, "SPANK_JOBIO_VERSION '2 ': not a request that jobio wrote");
	expect_refused(NULL, "1", NULL, "SPANK_JOBIO_VERSION ''");
	expect_refused("1", "", NULL, "SPANK_JOBIO_IO_CORES: ''");
	expect_refused("1", "1", "", "SPANK_JOBIO_IO_PROFILE: ''");
}
END_TEST

START_TEST(a_request_of_a_newer_jobio_is_no_forgery_and_nothing_is_taken_from_it)
{
	struct request request = { .io_cores = 9 };
	struct err err = { "" };

	set_env("2", "1", "stream");
	ck_assert_int_eq(request_from_env(&request, &err), REQUEST_NEWER);
	set_env("999", "1 to 4", NULL);
	ck_assert_int_eq(request_from_env(&request, &err), REQUEST_NEWER);
	ck_assert_uint_eq(request.io_cores, 9);
	ck_assert_str_eq(err.text, "");
}
END_TEST

/* Property: whatever is in the variables, what gets through is a number within
 * the hard limit and a name, or nothing. */
START_TEST(random_bytes_never_get_further_than_refused)
{
	static const char likely[] = "0123456789-_az ,;$`\n\"'/.%s\x80\xff";
	char text[3][48];
	struct request r;
	unsigned int round;
	int i, j, length;

	srandom(20261121);
	for (round = 0; round < 20000; round++) {
		for (i = 0; i < 3; i++) {
			length = (int)(random() % 40);
			for (j = 0; j < length; j++)
				text[i][j] =
					random() % 3
						? likely[(size_t)random() % (sizeof(likely) - 1)]
						: (char)(random() % 255 + 1);
			text[i][length] = '\0';
		}
		set_env(random() % 4 ? "1" : text[0], random() % 4 ? text[1] : NULL,
			random() % 4 ? text[2] : NULL);
		memset(&r, 0, sizeof(r));
		if (request_from_env(&r, NULL) != 1) {
			ck_assert(r.io_cores == 0 && !r.profile[0]);
			continue;
		}
		ck_assert_uint_le(r.io_cores, IO_CORES_LIMIT);
		ck_assert(!r.profile[0] || config_is_name(r.profile));
		ck_assert(r.io_cores || r.profile[0]);
	}
}
END_TEST

START_TEST(what_the_site_does_not_allow_is_refused_with_what_it_does)
{
	struct request request = { .io_cores = 9 };
	struct config *config;
	struct err err;

	tempdir_make();
	config = config_load(tempdir_put("c", "[profile stream]\nio_cores=1\n"), &err);
	ck_assert_ptr_nonnull(config);
	ck_assert_int_eq(request_check(&request, config, &err), -1);
	ck_assert_str_eq(err.text, "--io-cores: '9': this site allows 1 to 4 io-cores");
	request.io_cores = 4;
	ck_assert_int_eq(request_check(&request, config, &err), 0);
	strcpy(request.profile, "straem");
	ck_assert_int_eq(request_check(&request, config, &err), -1);
	ck_assert_str_eq(
		err.text,
		"--io-profile: 'straem': this site has no such profile; did you mean 'stream'? (--io-profile=list shows all)");
	strcpy(request.profile, "stream");
	ck_assert_int_eq(request_check(&request, config, &err), 0);
	config_free(config);
	tempdir_remove();
}
END_TEST

static int sets_left;

static int set_some(void *arg, const char *name, const char *value)
{
	(void)arg;
	(void)name;
	(void)value;
	return sets_left-- > 0 ? 0 : -1;
}

START_TEST(a_request_that_cannot_be_put_whole_is_not_put)
{
	const struct request all = { 4, "stream" }, cores = { 4, "" }, profile = { 0, "stream" };
	int i;

	for (i = 0; i < 3; i++) {
		sets_left = i;
		ck_assert_int_eq(request_export(&all, set_some, NULL), -1);
	}
	sets_left = 3;
	ck_assert_int_eq(request_export(&all, set_some, NULL), 0);
	for (i = 0; i < 3; i++) {
		sets_left = i;
		ck_assert_int_eq(request_export(&cores, set_some, NULL), i == 2 ? 0 : -1);
		sets_left = i;
		ck_assert_int_eq(request_export(&profile, set_some, NULL), i == 2 ? 0 : -1);
	}
}
END_TEST

START_TEST(a_request_is_allowed_to_the_sites_bounds)
{
	struct request request = { 0, "" };
	struct config *config;
	struct err err;

	tempdir_make();
	config = config_load(tempdir_put("c", "[option]\nio_cores_min=2\nio_cores_max=3\n"), &err);
	ck_assert_ptr_nonnull(config);
	ck_assert_int_eq(request_check(&request, config, &err), 0);
	for (request.io_cores = 1; request.io_cores < 5; request.io_cores++)
		ck_assert_int_eq(request_check(&request, config, &err),
				 request.io_cores == 2 || request.io_cores == 3 ? 0 : -1);
	request.io_cores = 0;
	strcpy(request.profile, "zzz");
	ck_assert_int_eq(request_check(&request, config, &err), -1);
	ck_assert_str_eq(
		err.text,
		"--io-profile: 'zzz': this site has no such profile; --io-profile=list shows what it has");
	config_free(config);
	tempdir_remove();
}
END_TEST

START_TEST(half_of_a_request_is_one)
{
	struct request request = { 0, "" };

	set_env("1", "64", NULL);
	ck_assert_int_eq(request_from_env(&request, NULL), 1);
	ck_assert_uint_eq(request.io_cores, 64);
	ck_assert_str_eq(request.profile, "");
	set_env("1", NULL, "p");
	ck_assert_int_eq(request_from_env(&request, NULL), 1);
	ck_assert_uint_eq(request.io_cores, 0);
	ck_assert_str_eq(request.profile, "p");
	set_env("1", NULL, NULL);
	ck_assert_int_eq(request_from_env(&request, NULL), 0);
	expect_refused(NULL, NULL, "p", "SPANK_JOBIO_VERSION ''");
	expect_refused("1", "65", NULL, "SPANK_JOBIO_IO_CORES: '65'");
	expect_refused("1", "0", NULL, "SPANK_JOBIO_IO_CORES: '0'");
}
END_TEST

UNIT_MAIN("request", what_is_exported_is_what_arrives,
	  gate_file_and_record_say_what_the_job_asked_for, a_job_without_the_options_has_no_request,
	  forged_values_are_refused_by_name,
	  a_request_of_a_newer_jobio_is_no_forgery_and_nothing_is_taken_from_it,
	  random_bytes_never_get_further_than_refused,
	  what_the_site_does_not_allow_is_refused_with_what_it_does,
	  a_request_that_cannot_be_put_whole_is_not_put, a_request_is_allowed_to_the_sites_bounds,
	  half_of_a_request_is_one)
