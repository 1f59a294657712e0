/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

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

START_TEST(a_job_without_the_options_has_no_request)
{
	struct request request = { .io_cores = 9 };

	clearenv();
	ck_assert_int_eq(request_from_env(&request, NULL), 0);
	ck_assert_uint_eq(request.io_cores, 9);
}
END_TEST

static void expect_refused(const char *version, const char *cores,
			   const char *profile, const char *sentence)
{
	struct request request = { .io_cores = 9 };
	struct err err;

	set_env(version, cores, profile);
	ck_assert_int_eq(request_from_env(&request, &err), -1);
	ck_assert_msg(!strncmp(err.text, sentence, strlen(sentence)),
		      "'%s' instead of '%s'", err.text, sentence);
	ck_assert_uint_eq(request.io_cores, 9);
}

START_TEST(forged_values_are_refused_by_name)
{
	expect_refused("1", "99999", NULL,
		       "SPANK_JOBIO_IO_CORES: '99999': not a number from 1 to "
		       "64");
	expect_refused("1", "1; reboot", NULL, "SPANK_JOBIO_IO_CORES: '1; reb");
	expect_refused("1", "1", "../../etc/passwd",
		       "SPANK_JOBIO_IO_PROFILE: '../../etc/passwd': not a "
		       "profile name");
	expect_refused("1", "1", "stream\nverdict=admit",
		       "SPANK_JOBIO_IO_PROFILE: 'stream?verdict=admit'");
	expect_refused("2", "1", NULL, "SPANK_JOBIO_VERSION '2'");
	expect_refused(NULL, "1", NULL, "SPANK_JOBIO_VERSION ''");
	expect_refused("1", "", NULL, "SPANK_JOBIO_IO_CORES: ''");
	expect_refused("1", "1", "", "SPANK_JOBIO_IO_PROFILE: ''");
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
						? likely[(size_t)random() %
							 (sizeof(likely) - 1)]
						: (char)(random() % 255 + 1);
			text[i][length] = '\0';
		}
		set_env(random() % 4 ? "1" : text[0],
			random() % 4 ? text[1] : NULL,
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
	config = config_load(tempdir_put("c", "[profile stream]\nio_cores=1\n"),
			     &err);
	ck_assert_ptr_nonnull(config);
	ck_assert_int_eq(request_check(&request, config, &err), -1);
	ck_assert_str_eq(err.text,
			 "--io-cores: '9': this site allows 1 to 4 io-cores");
	request.io_cores = 4;
	ck_assert_int_eq(request_check(&request, config, &err), 0);
	strcpy(request.profile, "straem");
	ck_assert_int_eq(request_check(&request, config, &err), -1);
	ck_assert_str_eq(err.text,
			 "--io-profile: 'straem': this site has no such "
			 "profile; did you mean 'stream'? (--io-profile=list "
			 "shows all)");
	strcpy(request.profile, "stream");
	ck_assert_int_eq(request_check(&request, config, &err), 0);
	config_free(config);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("request", what_is_exported_is_what_arrives,
	  a_job_without_the_options_has_no_request,
	  forged_values_are_refused_by_name,
	  random_bytes_never_get_further_than_refused,
	  what_the_site_does_not_allow_is_refused_with_what_it_does)
