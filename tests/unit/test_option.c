/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/conf.h"
#include "spank/option.h"
#include "spank/submit.h"
#include "tests/unit/fake_slurm.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static const char site[] = "[option]\n"
			   "io_cores_max = 3\n"
			   "[profile stream]\n"
			   "description = large files\n"
			   "io_cores = 2\n"
			   "[profile metadata]\n"
			   "description = many small files\n";

static const char *conf;
static struct err err;

static void start(const char *command, const char *text)
{
	tempdir_make();
	conf = text ? tempdir_put("jobio.conf", text) : "/nonexistent/x.conf";
	fake_start(command);
}

static void expect_equal(const char *what, const char *wanted, const char *got)
{
	ck_assert_msg((!wanted && !got) || (wanted && got && !strcmp(wanted, got)),
		      "%s: wanted %s, got %s (%s)", what, wanted, got, err.text);
}

/* NULL: nothing is reserved or asked */
static void expect_request(const char *core_spec, const char *io_cores, const char *profile)
{
	expect_equal("--core-spec", core_spec, fake.core_spec);
	expect_equal("JOBIO_IO_CORES", io_cores, fake_job_env("JOBIO_IO_CORES"));
	expect_equal("JOBIO_IO_PROFILE", profile, fake_job_env("JOBIO_IO_PROFILE"));
	expect_equal("JOBIO_VERSION", io_cores || profile ? "1" : NULL,
		     fake_job_env("JOBIO_VERSION"));
}

static void submit(const char *sbatch_lines, const char *command_line)
{
	enum option_outcome outcome = fake_submit(sbatch_lines, command_line, conf, &err);

	ck_assert_msg(outcome == OPTION_DONE, "outcome %d: %s", outcome, err.text);
	tempdir_remove();
}

static void refuse(const char *command_line, const char *sentence)
{
	enum option_outcome outcome = fake_submit("", command_line, conf, &err);

	ck_assert_int_eq(outcome, OPTION_REFUSED);
	ck_assert_msg(strstr(err.text, sentence) != NULL, "expected '%s' in '%s'", sentence,
		      err.text);
	ck_assert_msg(fake_job_env("JOBIO_IO_CORES") == NULL, "a refused job carries a request");
	tempdir_remove();
}

START_TEST(the_number_becomes_core_spec_and_a_request)
{
	start("sbopt", site);
	submit("", "--io-cores=3");
	expect_request("3", "3", NULL);
}
END_TEST

START_TEST(the_command_line_beats_the_environment_and_sbatch_lines)
{
	setenv("SBATCH_IO_CORES", "2", 1);
	start("sbopt", site);
	submit("--io-cores=1", "--io-cores=3");
	expect_request("3", "3", NULL);
}
END_TEST

START_TEST(the_environment_beats_sbatch_lines)
{
	setenv("SBATCH_IO_CORES", "2", 1);
	setenv("SBATCH_IO_PROFILE", "metadata", 1);
	start("sbopt", site);
	submit("--io-cores=1 --io-profile=stream", "");
	expect_request("2", "2", "metadata");
}
END_TEST

START_TEST(sbatch_lines_beat_the_profile)
{
	start("sbopt", site);
	submit("--io-cores=1", "--io-profile=stream");
	expect_request("1", "1", "stream");
}
END_TEST

START_TEST(the_profile_beats_the_default_of_the_site)
{
	start("sbopt", "[option]\nio_cores_default=1\n"
		       "[profile stream]\nio_cores=2\n");
	submit("", "--io-profile=stream");
	expect_request("2", "2", "stream");
}
END_TEST

START_TEST(a_job_that_says_nothing_gets_the_default_of_the_site)
{
	start("sbopt", "[option]\nio_cores_default=1\nprofile_default=p\n"
		       "[profile p]\ndescription=d\n");
	submit("", "");
	expect_request("1", "1", "p");
}
END_TEST

START_TEST(a_job_that_says_nothing_is_left_alone_by_default)
{
	start("sbopt", site);
	submit("", "");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(the_last_of_several_wins)
{
	start("sbopt", site);
	submit("--io-cores=3 --io-cores=3", "--io-cores=1 --io-cores=2");
	expect_request("2", "2", NULL);
}
END_TEST

START_TEST(each_client_has_its_own_variable)
{
	setenv("SBATCH_IO_CORES", "1", 1);
	setenv("SALLOC_IO_CORES", "2", 1);
	setenv("SLURM_IO_CORES", "3", 1);
	start("saopt", site);
	submit("", "");
	expect_request("2", "2", NULL);
	start("sropt", site);
	submit("", "");
	expect_request("3", "3", NULL);
	start("sbopt", site);
	submit("", "");
	expect_request("1", "1", NULL);
}
END_TEST

START_TEST(an_empty_variable_is_no_wish)
{
	setenv("SBATCH_IO_CORES", "", 1);
	start("sbopt", site);
	submit("", "");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(a_job_from_inside_a_job_does_not_inherit)
{
	setenv("SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores", "3", 1);
	setenv("SLURM_IO_CORES", "3", 1);
	start("sbopt", site);
	/* nor do the jobs that it submits in turn */
	ck_assert_ptr_null(getenv("SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores"));
	submit("--io-cores=1", "");
	expect_request("1", "1", NULL);
}
END_TEST

START_TEST(a_component_does_not_inherit_from_the_one_before)
{
	start("sbopt", site);
	ck_assert_int_eq(fake_submit("", "--io-cores=3 --io-profile=stream", conf, &err),
			 OPTION_DONE);
	expect_request("3", "3", "stream");
	fake.core_spec = NULL; /* Slurm resets it (reset_each_pass) */
	submit("", "");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(the_environment_holds_for_every_component)
{
	setenv("SBATCH_IO_CORES", "2", 1);
	start("sbopt", site);
	ck_assert_int_eq(fake_submit("", "--io-cores=3", conf, &err), OPTION_DONE);
	expect_request("3", "3", NULL);
	fake.core_spec = NULL;
	submit("", "");
	expect_request("2", "2", NULL);
}
END_TEST

/* sbatch or salloc with these words, and then srun in that job. */
static enum option_outcome step_of(const char *command, const char *words, const char *step_words)
{
	start(command, site);
	ck_assert_int_eq(fake_submit("", words, conf, &err), OPTION_DONE);
	tempdir_remove();
	setenv("SLURM_JOB_ID", "7", 1);
	*err.text = '\0';
	start("sropt", site);
	return fake_submit("", step_words, conf, &err);
}

START_TEST(a_step_that_asks_for_what_its_job_has_is_told_nothing)
{
	/* salloc's shell is on no node: no gate has told it SLURM_IO_CORES */
	ck_assert_int_eq(step_of("saopt", "--io-cores=1", "--io-cores=1"), OPTION_DONE);
	tempdir_remove();
	ck_assert_int_eq(
		step_of("saopt", "--io-profile=stream", "--io-cores=2 --io-profile=stream"),
		OPTION_DONE);
	tempdir_remove();
	unsetenv("SLURM_JOB_ID");
	ck_assert_int_eq(step_of("saopt", "--io-cores=1", "--io-cores=2"), OPTION_NOTE);
	tempdir_remove();
}
END_TEST

START_TEST(a_profile_for_a_step_is_ignored_with_a_word)
{
	setenv("SLURM_JOB_ID", "7", 1);
	start("sropt", site);
	ck_assert_int_eq(fake_submit("", "--io-profile=stream", conf, &err), OPTION_NOTE);
	ck_assert_str_eq(
		err.text,
		"--io-profile: 'stream': ignored for a step of job 7: the profile of a job is settled when it is submitted");
	tempdir_remove();
	unsetenv("SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_profile");
	start("sropt", site);
	ck_assert_int_eq(fake_submit("", "--io-cores=3 --io-profile=stream", conf, &err),
			 OPTION_NOTE);
	ck_assert_str_eq(
		err.text,
		"--io-cores: '3', --io-profile: 'stream': ignored for a step of job 7: the io-cores and profile of a job are settled when it is submitted");
	tempdir_remove();
	start("sropt", site);
	setenv("SLURM_IO_PROFILE", "stream", 1);
	ck_assert_int_eq(fake_submit("", "--io-profile=stream", conf, &err), OPTION_DONE);
	tempdir_remove();
}
END_TEST

START_TEST(a_step_cannot_change_its_job_and_is_told)
{
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_IO_CORES", "1", 1);
	start("sropt", site);
	ck_assert_int_eq(fake_submit("", "--io-cores=3", conf, &err), OPTION_NOTE);
	ck_assert_str_eq(
		err.text,
		"--io-cores: '3': ignored for a step of job 7: the io-cores of a job are settled when it is submitted");
	expect_request(NULL, NULL, NULL);
	tempdir_remove();
}
END_TEST

START_TEST(a_step_that_inherits_is_silent)
{
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_IO_CORES", "1", 1);
	start("sropt", NULL);
	submit("", "");
	expect_request(NULL, NULL, NULL);
	start("sropt", NULL);
	submit("", "--io-cores=1");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(garbage_in_a_step_is_no_error)
{
	start("sropt", site);
	fake.jobid = "7";
	ck_assert_int_eq(fake_submit("", "--io-cores=x --io-profile=-", conf, &err), OPTION_NOTE);
	tempdir_remove();
}
END_TEST

START_TEST(numbers_outside_the_site_are_refused)
{
	start("sbopt", site);
	refuse("--io-cores=4",
	       "--io-cores: '4': this site allows a number from 1 to 3 (see --io-cores=help)");
	start("sbopt", site);
	refuse("--io-cores=0", "--io-cores: '0': this site allows");
	start("sbopt", site);
	refuse("--io-cores=99999999999999999999", "this site allows");
}
END_TEST

START_TEST(garbage_is_refused)
{
	start("sbopt", site);
	refuse("--io-cores=2x", "--io-cores: '2x': this site allows");
	start("sbopt", site);
	refuse("--io-cores=", "--io-cores: '': this site allows");
	start("sbopt", site);
	refuse("--io-cores=-1", "--io-cores: '-1': this site allows");
	start("sbopt", site);
	refuse("--io-profile=../x", "--io-profile: '../x': not a profile name");
}
END_TEST

START_TEST(a_refusal_names_the_variable_it_came_from)
{
	setenv("SBATCH_IO_CORES", "many", 1);
	start("sbopt", site);
	refuse("", "SBATCH_IO_CORES: 'many': this site allows");
}
END_TEST

START_TEST(a_question_in_the_environment_is_no_question)
{
	setenv("SBATCH_IO_CORES", "help", 1);
	start("sbopt", site);
	refuse("", "SBATCH_IO_CORES: 'help': this site allows");
	ck_assert_int_eq(fake.answered, OPTION_NONE);
}
END_TEST

START_TEST(an_unknown_profile_is_refused_with_the_nearest)
{
	start("sbopt", site);
	refuse("--io-profile=strem",
	       "'strem': this site has no such profile; did you mean 'stream'?");
}
END_TEST

START_TEST(another_core_spec_is_refused_and_an_equal_one_is_not)
{
	start("sbopt", site);
	fake.core_spec = "2";
	refuse("--io-cores=1",
	       "--io-cores: '1': sets --core-spec=1, but --core-spec=2 was given too; leave --core-spec out");
	start("sbopt", site);
	fake.core_spec = "0";
	refuse("--io-profile=stream",
	       "--io-profile: 'stream' (brings 2 io-cores): sets --core-spec=2, but");
	start("sbopt", site);
	fake.core_spec = "1";
	submit("", "--io-cores=1");
	expect_request("1", "1", NULL);
}
END_TEST

START_TEST(thread_spec_is_refused)
{
	start("sbopt", site);
	fake.thread_spec = "1";
	refuse("--io-cores=1",
	       "--io-cores: '1': cannot go together with --thread-spec; leave one of them out");
}
END_TEST

START_TEST(a_site_that_does_not_reserve_is_named)
{
	start("sbopt", site);
	fake.allow = "No";
	refuse("--io-cores=1", "AllowSpecResourcesUsage=yes");
	start("sbopt", site);
	fake.select = "select/linear";
	refuse("--io-cores=1", "SelectType=select/linear");
}
END_TEST

START_TEST(another_cluster_is_not_judged_by_this_slurm_conf)
{
	start("sbopt", site);
	fake.allow = "No";
	fake.clusters = "other";
	submit("", "--io-cores=1");
	expect_request("1", "1", NULL);
}
END_TEST

START_TEST(a_client_without_its_symbols_is_refused_with_the_guard)
{
	start("sbopt", site);
	fake.missing = "slurm_option_set";
	refuse("--io-cores=1", "does not export 'slurm_option_set'");
	start("sbopt", site);
	fake.missing = "opt";
	refuse("--io-cores=1", "contrib/job_submit.lua");
}
END_TEST

START_TEST(a_slurm_that_cannot_be_asked_about_its_configuration_is_trusted)
{
	static const char *const symbols[] = {
		"slurm_conf",	   "slurm_ctl_conf_2_key_pairs",  "slurm_list_iterator_create",
		"slurm_list_next", "slurm_list_iterator_destroy",
	};
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		start("sbopt", site);
		fake.missing = symbols[i];
		fake.allow = "No";
		submit("", "--io-cores=1");
		expect_request("1", "1", NULL);
	}
	/* one that does not know the key, either */
	start("sbopt", site);
	fake.allow = NULL;
	fake.select = "select/linear";
	submit("", "--io-cores=1");
	expect_request("1", "1", NULL);
	start("sbopt", site);
	fake.select = NULL;
	submit("", "--io-cores=1");
	expect_request("1", "1", NULL);
}
END_TEST

START_TEST(a_client_that_does_not_take_a_core_spec_from_a_plugin_is_refused)
{
	static const char sentence[] =
		"--io-cores: '1': this Slurm client does not take --core-spec=1 from a plugin; give it yourself";

	start("sbopt", site);
	fake.takes_no_core_spec = true;
	refuse("--io-cores=1", sentence);
	start("sbopt", site);
	fake.takes_only = "2";
	refuse("--io-cores=1", sentence);
	start("sbopt", site);
	fake.takes_only = "";
	refuse("--io-cores=1", sentence);
}
END_TEST

START_TEST(a_core_spec_that_was_taken_back_is_none)
{
	start("sbopt", site);
	fake.core_spec = "unset"; /* slurm_opt.c: a --thread-spec came later */
	submit("", "--io-cores=1");
	expect_request("1", "1", NULL);
	/* 0 is a number of cores, 32767 the last one */
	start("sbopt", site);
	fake.core_spec = "0";
	refuse("--io-cores=1", "but --core-spec=0 was given too");
	start("sbopt", site);
	fake.core_spec = "32767";
	refuse("--io-cores=1", "but --core-spec=32767 was given too");
	start("sbopt", site);
	fake.core_spec = "32768";
	submit("", "--io-cores=1");
	expect_request("1", "1", NULL);
}
END_TEST

START_TEST(a_profile_of_one_core_is_refused_in_the_singular)
{
	start("sbopt", "[profile one]\nio_cores = 1\n");
	fake.core_spec = "2";
	refuse("--io-profile=one", "--io-profile: 'one' (brings 1 io-core): sets --core-spec=1");
}
END_TEST

START_TEST(an_srun_without_a_job_around_it_submits_one)
{
	setenv("SLURM_JOB_ID", "", 1);
	start("sropt", site);
	submit("", "--io-cores=2");
	expect_request("2", "2", NULL);
}
END_TEST

START_TEST(a_step_that_asks_for_what_the_gate_has_told_is_told_nothing)
{
	setenv("SLURM_JOB_ID", "7", 1);
	setenv("SLURM_IO_CORES", "1", 1);
	setenv("SLURM_IO_PROFILE", "stream", 1);
	start("sropt", site);
	submit("", "--io-cores=1 --io-profile=stream");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(a_node_remembers_that_something_was_asked_for)
{
	start("sbopt", site);
	fake.options[0].cb(fake.options[0].val, "2", 0);
	fake.options[0].cb(fake.options[0].val, NULL, 1);
	ck_assert(!option_is_wished());
	fake.options[0].cb(fake.options[0].val, "2", 1);
	ck_assert(option_is_wished());
	fake.options[1].cb(fake.options[1].val, NULL, 1);
	ck_assert(option_is_wished());
	tempdir_remove();
}
END_TEST

START_TEST(without_a_configuration_only_those_who_ask_are_refused)
{
	start("sbopt", NULL);
	refuse("--io-cores=1",
	       "--io-cores: jobio has no valid configuration on this machine: '/nonexistent/x.conf': cannot read");
	start("sbopt", NULL);
	submit("", "");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(a_broken_configuration_hurts_only_those_who_ask)
{
	start("sbopt", "[option]\nio_cores_max = many\n");
	refuse("--io-profile=stream",
	       "--io-profile: jobio has no valid configuration on this machine: ");
	start("sbopt", "[option]\nio_cores_max = many\n");
	submit("", "");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(a_profile_with_a_variable_that_it_may_not_set_is_one_clear_line)
{
	static const char text[] = "[profile p]\nenvironment = ROMIO_HINTS=/x PATH=/tmp\n";

	start("sbopt", text);
	refuse("--io-profile=p",
	       "[profile p] environment: 'PATH=/tmp': PATH is not for a profile to set: it decides what runs, or is Slurm's");
	start("sbopt", text);
	submit("", "");
	expect_request(NULL, NULL, NULL);
}
END_TEST

START_TEST(the_default_of_the_site_yields_to_the_user)
{
	static const char text[] = "[option]\nio_cores_default=1\n";

	start("sbopt", text);
	fake.core_spec = "2";
	submit("", "");
	expect_request("2", NULL, NULL);
	start("sbopt", text);
	fake.thread_spec = "1";
	submit("", "");
	expect_request(NULL, NULL, NULL);
	start("sbopt", text);
	fake.allow = "No";
	submit("", "");
	expect_request(NULL, NULL, NULL);
	start("sbopt", text);
	fake.missing = "opt";
	submit("", "");
	expect_request(NULL, NULL, NULL);
	/* its profile goes without them */
	start("sbopt", "[option]\nio_cores_default=1\n"
		       "profile_default=plain\n[profile plain]\ndescription=x\n");
	fake.allow = "No";
	submit("", "");
	expect_request(NULL, NULL, "plain");
}
END_TEST

static const char short_names[] = "[option]\nprofile_default=y\n"
				  "[profile x]\ndescription=x\n"
				  "[profile y]\ndescription=y\n";

START_TEST(a_profile_may_have_a_name_of_one_letter)
{
	start("sbopt", short_names);
	submit("", "--io-profile=x");
	expect_request(NULL, NULL, "x");
	expect_equal("profile", "x", getenv(fake_spank_env(&fake.options[1])));
}
END_TEST

START_TEST(a_component_that_says_nothing_leaves_the_default_for_its_steps)
{
	start("sbopt", short_names);
	fake_submit("", "--io-profile=x", conf, &err);
	submit("", "");
	expect_request(NULL, NULL, "y");
	expect_equal("profile", "y", getenv(fake_spank_env(&fake.options[1])));
}
END_TEST

START_TEST(a_client_that_cannot_be_asked_is_no_client)
{
	static const char why[] =
		"this Slurm client does not export 'slurm_option_get', so --core-spec cannot be set for you; ";
	unsigned int cores = 7;

	start("sbopt", site);
	fake.missing = "slurm_option_get";
	fake.partition = "long";
	ck_assert_int_eq(submit_is_set("core-spec", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, why));
	*err.text = '\0';
	ck_assert_int_eq(submit_core_spec(&cores, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, why));
	ck_assert_uint_eq(cores, 7);
	*err.text = '\0';
	ck_assert_int_eq(submit_set_core_spec(1, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, why));
	ck_assert_str_eq(submit_partitions(), "");
	fake.missing = NULL;
	ck_assert_str_eq(submit_partitions(), "long");
	tempdir_remove();
}
END_TEST

START_TEST(a_request_that_slurm_does_not_carry_is_refused)
{
	start("sbopt", site);
	fake.env_is_full = true;
	refuse("--io-cores=1", "Slurm does not carry the request");
	start("sbopt", "[option]\nio_cores_default=1\n");
	fake.env_is_full = true;
	submit("", "");
}
END_TEST

START_TEST(options_that_slurm_does_not_take_are_an_error)
{
	static const char *const names[] = { "io-cores", "io-profile" };
	size_t i;

	for (i = 0; i < 2; i++) {
		start("sbopt", site);
		fake.not_taken = names[i];
		ck_assert_int_eq(option_register((spank_t)fake_spank, NULL, &err), -1);
		ck_assert_str_eq(err.text,
				 "Slurm does not take the options --io-cores and --io-profile");
		fake.not_taken = NULL;
		ck_assert_int_eq(option_register((spank_t)fake_spank, NULL, &err), 0);
		tempdir_remove();
	}
}
END_TEST

START_TEST(both_options_take_a_word)
{
	start("sbopt", site);
	ck_assert_int_eq(fake.option_count, 2);
	ck_assert_str_eq(fake.options[0].name, "io-cores");
	ck_assert_int_eq(fake.options[0].has_arg, 1);
	ck_assert_str_eq(fake.options[1].name, "io-profile");
	ck_assert_int_eq(fake.options[1].has_arg, 1);
	ck_assert_int_ne(fake.options[0].val, fake.options[1].val);
	tempdir_remove();
}
END_TEST

START_TEST(questions_are_answered_when_they_are_parsed)
{
	start("sbopt", site);
	fake.options[0].cb(fake.options[0].val, "help", 0);
	ck_assert_int_eq(fake.answered, OPTION_CORES_HELP);
	fake.options[1].cb(fake.options[1].val, "list", 0);
	ck_assert_int_eq(fake.answered, OPTION_PROFILE_LIST);
	tempdir_remove();
}
END_TEST

START_TEST(the_node_side_accepts_anything_in_silence)
{
	start("sbopt", site);
	ck_assert_int_eq(fake.options[0].cb(fake.options[0].val, "help", 1), 0);
	ck_assert_int_eq(fake.options[0].cb(fake.options[0].val, NULL, 1), 0);
	ck_assert_int_eq(fake.options[0].cb(99, "x", 1), 0);
	ck_assert_int_eq(fake.options[0].cb(-1, "x", 0), 0);
	ck_assert_int_eq(fake.options[0].cb(2, "x", 0), 0);
	ck_assert_int_eq(fake.options[0].cb(fake.options[0].val, NULL, 0), 0);
	ck_assert_int_eq(fake.answered, OPTION_NONE);
	tempdir_remove();
}
END_TEST

START_TEST(scrontab_is_told_that_it_cannot)
{
	start("scopt", site);
	fake.options[0].cb(fake.options[0].val, "1", 0);
	ck_assert_int_eq(fake.answered, OPTION_NOT_HERE);
	tempdir_remove();
}
END_TEST

START_TEST(the_help_of_slurm_has_room_for_ours)
{
	int i;

	start("sbopt", site);
	/* spank.c:spank_print_options(stdout, 6, 30): 80 columns, 50 of text */
	for (i = 0; i < fake.option_count; i++) {
		ck_assert_uint_lt(6 + 2 + strlen(fake.options[i].name) + 1 +
					  strlen(fake.options[i].arginfo),
				  30);
		ck_assert_uint_lt(strlen(fake.options[i].usage), 2 * 49);
	}
	tempdir_remove();
}
END_TEST

static const char *printed(void (*print)(FILE *, const struct config *), const char *text)
{
	static char buffer[4096];
	struct config *config;
	FILE *out = fmemopen(buffer, sizeof(buffer), "w");

	config = conf_load(text);
	ck_assert_ptr_nonnull(out);
	print(out, config);
	fclose(out);
	config_free(config);
	return buffer;
}

START_TEST(the_answers_say_what_this_site_allows)
{
	const char *text = printed(option_print_help, site);

	ck_assert_ptr_nonnull(strstr(text, "allowed here  1 to 3\n"));
	ck_assert_ptr_nonnull(strstr(text, "else none\n"));
	ck_assert_ptr_nonnull(strstr(text, "start check   warn:"));
	text = printed(option_print_profiles, site);
	ck_assert_str_eq(text, "NAME             IO-CORES DESCRIPTION\n"
			       "stream           2        large files\n"
			       "metadata         -        many small files\n");
	text = printed(option_print_profiles, "[jobio]\n");
	ck_assert_str_eq(text, "This site has no profiles.\n");
}
END_TEST

static void note(const char *options, const char *sentence)
{
	ck_assert_int_eq(fake_submit("", options, conf, &err), OPTION_NOTE);
	ck_assert_str_eq(err.text, sentence);
	expect_request(NULL, NULL, NULL);
}

START_TEST(a_site_that_has_switched_jobio_off_takes_options_and_does_nothing)
{
	start("sbopt", "[jobio]\nenabled = no\n[option]\nio_cores_default=1\n");
	note("--io-cores=99 --io-profile=nosuch",
	     "--io-cores and --io-profile: nothing is done: the site has switched jobio off (enabled=no)");
	tempdir_remove();
	start("sbopt", "[jobio]\nenabled = no\n[option]\nio_cores_default=1\n");
	submit("", ""); /* and says so to those who ask */
	expect_request(NULL, NULL, NULL);
	ck_assert_ptr_nonnull(strstr(printed(option_print_help, "[jobio]\nenabled=no\n"),
				     "state         off: nothing is done\n"));
}
END_TEST

#define CANARY "[jobio]\npartitions = test,io\n"

START_TEST(a_site_may_use_jobio_in_some_partitions_only)
{
	start("sbopt", CANARY);
	fake.partition = "io";
	submit("", "--io-cores=1");
	expect_request("1", "1", NULL);
	start("sbopt", CANARY);
	fake.partition = "io,batch";
	note("--io-profile=p",
	     "--io-profile: nothing is done: the site does not use jobio in partition batch yet (partitions=)");
	tempdir_remove();
	start("sbopt", CANARY);
	note("--io-cores=1",
	     "--io-cores: nothing is done: the site uses jobio in partition test,io only: name it with --partition");
	tempdir_remove();
	ck_assert_ptr_nonnull(strstr(printed(option_print_help, CANARY),
				     "state         in use in partition test,io only\n"));
}
END_TEST

START_TEST(steps_find_what_their_component_has)
{
	static const char name[] = "SLURM_SPANK__SLURM_SPANK_OPTION_jobio_io_cores";

	start("sbopt", site);
	ck_assert_int_eq(fake_submit("", "--io-cores=3", conf, &err), OPTION_DONE);
	ck_assert_str_eq(getenv(name), "3");
	fake.core_spec = NULL;
	submit("", "--io-profile=stream"); /* brings 2 */
	expect_request("2", "2", "stream");
	ck_assert_str_eq(getenv(name), "2");
}
END_TEST

START_TEST(the_answers_name_the_defaults_of_the_site)
{
	const char *text = printed(option_print_help,
				   "[jobio]\ngate = enforce\n[option]\nio_cores_default = 1\n");

	ck_assert_ptr_nonnull(strstr(text, "else 1\n"));
	ck_assert_ptr_nonnull(
		strstr(text, "start check   enforce: no task starts on the client's cores\n"));
	text = printed(option_print_help, "[jobio]\ngate = off\n");
	ck_assert_ptr_nonnull(strstr(text, "start check   off\n"));
	text = printed(option_print_profiles, "[option]\nprofile_default = b\n"
					      "[profile a]\ndescription = first\n"
					      "[profile b]\ndescription = second\nio_cores = 1\n");
	ck_assert_str_eq(text, "NAME             IO-CORES DESCRIPTION\n"
			       "a                -        first\n"
			       "b                1        second (default)\n");
}
END_TEST

/* ---- questions, before Slurm parses anything -------------------------------- */

/* The command line is the process' own: this program again, which ends here. */
#define MISSING "JOBIO_TEST_MISSING"
#define LOOKED 96 /* exit status of a client that was asked for its table */

__attribute__((constructor)) static void be_sbatch(void)
{
	const char *missing = getenv(MISSING);
	int asked;

	if (!missing)
		return;
	fake_start("sbopt");
	fake.missing = missing;
	fake.no_letters = !strcmp(missing, "letters");
	fake.table_status = strcmp(missing, "nothing") ? 0 : LOOKED;
	opterr = 7; /* a client's own, which it finds again */
	asked = (int)option_early_question();
	exit(opterr == 7 && optind <= 1 ? asked : 97);
}

static bool is_closed; /* its standard input */

/* The exit status says which question was found. */
static int asked_without(const char *missing, const char *words)
{
	char *argv[16] = { (char *)"sbatch" }, *copy = strdup(words), *state;
	char self[4096] = "";
	int argc = 1, status;
	pid_t pid;

	/* the file itself: under valgrind the link leads to valgrind */
	ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof(self) - 1), 0);
	for (argv[argc] = strtok_r(copy, " ", &state); argv[argc];
	     argv[argc] = strtok_r(NULL, " ", &state))
		argc++;
	pid = fork();
	if (!pid) {
		setenv(MISSING, missing, 1);
		if (is_closed)
			close(STDIN_FILENO);
		execv(self, argv);
		_exit(98);
	}
	ck_assert(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	free(copy);
	return WEXITSTATUS(status);
}

static int asked(const char *words)
{
	return asked_without("", words);
}

START_TEST(a_question_on_the_command_line_is_found_early)
{
	ck_assert_int_eq(asked("--io-cores=help"), OPTION_CORES_HELP);
	ck_assert_int_eq(asked("--io-cores help job.sh"), OPTION_CORES_HELP);
	ck_assert_int_eq(asked("-n 2 --job-name=x --io-cores=help"), OPTION_CORES_HELP);
	ck_assert_int_eq(asked("--io-profile=list"), OPTION_PROFILE_LIST);
	ck_assert_int_eq(asked("--io-cores=1 --io-profile list"), OPTION_PROFILE_LIST);
	/* getopt_long(3) takes what is unambiguous */
	ck_assert_int_eq(asked("--io-c=help"), OPTION_CORES_HELP);
	ck_assert_int_eq(asked("--nonsense --io-cores=help"), OPTION_CORES_HELP);
	is_closed = true;
	ck_assert_int_eq(asked("--io-cores=help"), OPTION_CORES_HELP);
}
END_TEST

START_TEST(words_that_ask_nothing_are_no_question)
{
	ck_assert_int_eq(asked(""), OPTION_NONE);
	ck_assert_int_eq(asked("--io-cores=1 job.sh"), OPTION_NONE);
	ck_assert_int_eq(asked("-J --io-cores=help job.sh"), OPTION_NONE);
	ck_assert_int_eq(asked("job.sh --io-cores=help"), OPTION_NONE);
	ck_assert_int_eq(asked("-- --io-cores=help"), OPTION_NONE);
	ck_assert_int_eq(asked("--io-cores=list"), OPTION_NONE);
	ck_assert_int_eq(asked("--io-profile=help"), OPTION_NONE);
	ck_assert_int_eq(asked("--job-name=help --io-cores=2"), OPTION_NONE);
	ck_assert_int_eq(asked("--io-cores=nohelp"), OPTION_NONE);
}
END_TEST

START_TEST(without_slurms_table_of_options_no_question_is_answered_early)
{
	ck_assert_int_eq(asked_without("slurm_option_table_create", "--io-cores=help"),
			 OPTION_NONE);
	ck_assert_int_eq(asked_without("opt", "--io-cores=help"), OPTION_NONE);
	ck_assert_int_eq(asked_without("letters", "--io-cores=help"), OPTION_NONE);
}
END_TEST

START_TEST(where_no_word_asks_slurms_table_of_options_is_not_looked_for)
{
	ck_assert_int_eq(asked_without("nothing", "--io-cores=1 -n 2 job.sh"), OPTION_NONE);
	ck_assert_int_eq(asked_without("nothing", "--io-cores=helpless h"), OPTION_NONE);
	ck_assert_int_eq(asked_without("nothing", "--io-cores=help"), LOOKED);
}
END_TEST

UNIT_MAIN("option", the_number_becomes_core_spec_and_a_request,
	  the_command_line_beats_the_environment_and_sbatch_lines,
	  the_environment_beats_sbatch_lines, sbatch_lines_beat_the_profile,
	  the_profile_beats_the_default_of_the_site,
	  a_job_that_says_nothing_gets_the_default_of_the_site,
	  a_job_that_says_nothing_is_left_alone_by_default, the_last_of_several_wins,
	  each_client_has_its_own_variable, an_empty_variable_is_no_wish,
	  a_job_from_inside_a_job_does_not_inherit,
	  a_component_does_not_inherit_from_the_one_before,
	  the_environment_holds_for_every_component,
	  a_step_that_asks_for_what_its_job_has_is_told_nothing,
	  a_profile_for_a_step_is_ignored_with_a_word, a_step_cannot_change_its_job_and_is_told,
	  a_step_that_inherits_is_silent, garbage_in_a_step_is_no_error,
	  numbers_outside_the_site_are_refused, garbage_is_refused,
	  a_refusal_names_the_variable_it_came_from, a_question_in_the_environment_is_no_question,
	  an_unknown_profile_is_refused_with_the_nearest,
	  another_core_spec_is_refused_and_an_equal_one_is_not, thread_spec_is_refused,
	  a_site_that_does_not_reserve_is_named, another_cluster_is_not_judged_by_this_slurm_conf,
	  a_client_without_its_symbols_is_refused_with_the_guard,
	  a_slurm_that_cannot_be_asked_about_its_configuration_is_trusted,
	  a_client_that_does_not_take_a_core_spec_from_a_plugin_is_refused,
	  a_core_spec_that_was_taken_back_is_none, a_profile_of_one_core_is_refused_in_the_singular,
	  an_srun_without_a_job_around_it_submits_one,
	  a_step_that_asks_for_what_the_gate_has_told_is_told_nothing,
	  a_node_remembers_that_something_was_asked_for,
	  without_a_configuration_only_those_who_ask_are_refused,
	  a_broken_configuration_hurts_only_those_who_ask,
	  a_profile_with_a_variable_that_it_may_not_set_is_one_clear_line,
	  the_default_of_the_site_yields_to_the_user, a_profile_may_have_a_name_of_one_letter,
	  a_component_that_says_nothing_leaves_the_default_for_its_steps,
	  a_client_that_cannot_be_asked_is_no_client,
	  a_request_that_slurm_does_not_carry_is_refused,
	  options_that_slurm_does_not_take_are_an_error, both_options_take_a_word,
	  questions_are_answered_when_they_are_parsed, the_node_side_accepts_anything_in_silence,
	  scrontab_is_told_that_it_cannot, the_help_of_slurm_has_room_for_ours,
	  the_answers_say_what_this_site_allows,
	  a_site_that_has_switched_jobio_off_takes_options_and_does_nothing,
	  a_site_may_use_jobio_in_some_partitions_only, steps_find_what_their_component_has,
	  the_answers_name_the_defaults_of_the_site, a_question_on_the_command_line_is_found_early,
	  words_that_ask_nothing_are_no_question,
	  without_slurms_table_of_options_no_question_is_answered_early,
	  where_no_word_asks_slurms_table_of_options_is_not_looked_for)
