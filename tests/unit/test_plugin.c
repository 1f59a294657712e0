/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin in slurmstepd, in Slurm's order (mgr.c, task.c): init and
 * init_post_opt as root, task_init in each forked task, task_exit when it has
 * been waited for, exit. Each slurmstepd here is a process of its own. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/gatefile.h"
#include "spank/gate.h"
#include "spank/told.h"
#include "tests/unit/fake_stepd.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define STEP_BATCH 0xfffffffbU

int slurm_spank_init(spank_t sp, int argc, char *argv[]);
int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_init(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_post_fork(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_exit(spank_t sp, int argc, char *argv[]);
int slurm_spank_exit(spank_t sp, int argc, char *argv[]);

/* ---- a node -------------------------------------------------------------- */

/* Every CPU there is; the job could run on all of them. */
static struct gatefile gate_of(const char *note)
{
	struct gatefile gate = { .policy = GATE_WARN };

	snprintf(gate.note, sizeof(gate.note), "%s", note);
	return gate;
}

static void start(const struct gatefile *gate)
{
	char text[600];

	fake.job_id = 7;
	fake.uid = 1000;
	fake.nodes = 3;
	fake.profile = NULL;
	tempdir_make();
	snprintf(text, sizeof(text), "[jobio]\nrun_dir = %s\n",
		 tempdir_path("run"));
	tempdir_put("jobio.conf", text);
	mkdir(tempdir_path("run"), 0755);
	mkdir(tempdir_path("run/7"), 0755);
	ck_assert_int_eq(gatefile_write(tempdir_path("run/7/gate"), gate, NULL),
			 0);
	setenv("SLURMD_NODENAME", "c1", 1);
	unsetenv("JOBIO_GOT_ALL");
	unsetenv("JOBIO_LIVE");
}

/* What the task finds in its environment of these names. */
static const char *const shown[] = { "ROMIO_HINTS", "OMPI_MCA_io",
				     "JOBIO_ENVIRONMENT", NULL };

static void show_environment(int fd)
{
	size_t i;

	for (i = 0; shown[i]; i++)
		if (getenv(shown[i]))
			dprintf(fd, "%s=%s\n", shown[i], getenv(shown[i]));
}

static int be_task(void)
{
	int out =
		open(tempdir_path("out"), O_WRONLY | O_CREAT | O_APPEND, 0600);
	int env = open(tempdir_path("env"), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dup2(out, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return 1;
	slurm_spank_task_init(NULL, 0, NULL);
	show_environment(env);
	return 0;
}

static void be_stepd(int tasks)
{
	char argument[600], *argv[] = { argument };
	int i, status;

	snprintf(argument, sizeof(argument), "conf=%s",
		 tempdir_path("jobio.conf"));
	slurm_spank_init(NULL, 1, argv);
	fake_options();
	slurm_spank_init_post_opt(NULL, 1, argv);
	for (i = 0; i < tasks; i++) {
		fake.task = i;
		if (fork() == 0)
			_exit(be_task());
		slurm_spank_task_post_fork(NULL, 1, argv);
		if (wait(&status) > 0)
			slurm_spank_task_exit(NULL, 1, argv);
	}
	slurm_spank_exit(NULL, 1, argv);
}

static void step(uint32_t step_id, int node, int tasks)
{
	int status;

	fake.step_id = step_id;
	fake.node = node;
	if (fork() == 0) {
		be_stepd(tasks);
		_exit(0);
	}
	wait(&status);
}

static void expect_output(const char *wanted)
{
	char *text = fileio_read(tempdir_path("out"), 4096, NULL, NULL);

	ck_assert_str_eq(text ? text : "", wanted);
	free(text);
}

#define NOTE "profile 'stream' was not applied: the node is shared"
#define SAID "jobio: node c1: " NOTE "\n"

START_TEST(what_a_job_did_not_get_is_said_once_by_its_batch_script)
{
	struct gatefile gate = gate_of(NOTE);

	start(&gate);
	step(STEP_BATCH, 0, 1);
	expect_output(SAID);
	step(0, 0, 4);
	step(1, 0, 2);
	expect_output(SAID);
	tempdir_remove();
}
END_TEST

START_TEST(the_first_task_of_srun_says_it_where_there_is_no_script)
{
	struct gatefile gate = gate_of(NOTE);

	start(&gate);
	step(0, 0, 4);
	step(1, 0, 4);
	expect_output(SAID);
	tempdir_remove();
}
END_TEST

START_TEST(other_nodes_say_it_only_where_the_first_one_has_got_all)
{
	struct gatefile gate = gate_of(NOTE);

	start(&gate);
	step(0, 1, 2);
	expect_output("");
	setenv("JOBIO_GOT_ALL", "6",
	       1); /* of the job that submitted this one */
	step(0, 1, 2);
	expect_output("");
	setenv("JOBIO_GOT_ALL", "7", 1);
	step(0, 1, 2);
	step(1, 1, 2);
	expect_output(SAID);
	tempdir_remove();
}
END_TEST

START_TEST(a_job_that_got_all_is_told_nothing)
{
	struct gatefile gate = gate_of("");

	gate.request.io_cores = 1;
	strcpy(gate.request.profile, "stream");
	start(&gate);
	step(STEP_BATCH, 0, 1);
	step(0, 0, 2);
	expect_output("");
	tempdir_remove();
}
END_TEST

#define UNPREPARED                                                             \
	"jobio: node c1: the node's prolog did not prepare this job: its I/O " \
	"options may have no effect\n"

START_TEST(a_job_that_asked_and_was_not_prepared_is_told_so_once)
{
	struct gatefile gate = gate_of("");

	start(&gate);
	fake.profile = "stream";
	unlink(tempdir_path("run/7/gate"));
	step(STEP_BATCH, 0, 1);
	expect_output(UNPREPARED);
	step(0, 0, 4);
	expect_output(UNPREPARED);
	tempdir_remove();
}
END_TEST

START_TEST(a_job_that_asked_for_nothing_is_not_told_that_it_was_not_prepared)
{
	struct gatefile gate = gate_of("");

	start(&gate);
	unlink(tempdir_path("run/7/gate"));
	step(STEP_BATCH, 0, 1);
	step(0, 0, 4);
	expect_output("");
	tempdir_remove();
}
END_TEST

/* What the gate file of the node says of the client is not about this job. */
START_TEST(the_nodes_own_gate_file_prepares_no_job)
{
	struct gatefile gate = gate_of("");

	start(&gate);
	fake.profile = "stream";
	rename(tempdir_path("run/7/gate"), tempdir_path("run/gate"));
	step(STEP_BATCH, 0, 1);
	expect_output(UNPREPARED);
	tempdir_remove();
}
END_TEST

START_TEST(without_a_folder_for_the_job_its_script_says_it_for_its_steps)
{
	struct gatefile gate = gate_of("");

	start(&gate);
	fake.profile = "stream";
	unlink(tempdir_path("run/7/gate"));
	rmdir(tempdir_path("run/7"));
	step(STEP_BATCH, 0, 1);
	expect_output(UNPREPARED);
	/* as the script's environment says; of another job it says nothing */
	setenv("JOBIO_GOT_ALL", "no7", 1);
	step(0, 0, 4);
	expect_output(UNPREPARED);
	setenv("JOBIO_GOT_ALL", "no6", 1);
	step(1, 0, 1);
	expect_output(UNPREPARED UNPREPARED);
	tempdir_remove();
}
END_TEST

static void expect_step(const char *name, const char *wanted)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "run/7/steps/%s", name);
	text = fileio_read(tempdir_path(path), 4096, NULL, NULL);
	ck_assert_msg(text && strstr(text, wanted) != NULL, "no '%s' in: %s",
		      wanted, text);
	free(text);
}

START_TEST(a_warning_of_the_gate_is_left_for_the_record)
{
	struct gatefile gate = gate_of("");

	memset(&gate.client_cpus, 0xff, sizeof(gate.client_cpus));
	start(&gate);
	step(0, 0, 3);
	expect_output(""); /* whoever asks for nothing is told nothing */
	expect_step("0", ",\"warned\":\"the job may run on CPU ");
	expect_step("0", ",\"warned_tasks\":3}");
	tempdir_remove();
}
END_TEST

START_TEST(where_its_tasks_could_run_is_left_by_each_step)
{
	struct gatefile gate = gate_of("");
	struct cpuset mine;
	char *list, wanted[1100];

	ck_assert_int_eq(gate_bound(&mine), 0);
	list = cpuset_format(&mine);
	snprintf(wanted, sizeof(wanted), ",\"cpus\":\"%.1024s\"}", list);
	free(list);
	start(&gate);
	step(0, 0, 3);
	expect_step("0", wanted);
	tempdir_remove();
}
END_TEST

START_TEST(a_warning_of_the_gate_is_said_to_who_reserved_cores)
{
	struct gatefile gate = gate_of("");
	char *text;

	gate.request.io_cores = 1;
	memset(&gate.client_cpus, 0xff, sizeof(gate.client_cpus));
	start(&gate);
	step(STEP_BATCH, 0, 1);
	step(0, 0, 3);
	text = fileio_read(tempdir_path("out"), 4096, NULL, NULL);
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(
		strncmp(text, "jobio: node c1: the job may run on CPU", 38), 0);
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(where_the_site_has_switched_jobio_off_no_gate_is_asked)
{
	static const char *const keys[] = { "enabled = no", "nodes = d*" };
	struct gatefile gate = gate_of(NOTE);
	char text[600];

	memset(&gate.client_cpus, 0xff, sizeof(gate.client_cpus));
	gate.policy = GATE_ENFORCE;
	for (size_t i = 0; i < 2; i++) {
		start(&gate);
		snprintf(text, sizeof(text), "[jobio]\nrun_dir = %s\n%s\n",
			 tempdir_path("run"), keys[i]);
		tempdir_put("jobio.conf", text);
		fake.profile = "stream";
		step(0, 0, 2);
		expect_output("");
		expect_step("0", "\"own_out\":true,");
		tempdir_remove();
	}
}
END_TEST

START_TEST(a_refusal_counts_its_tasks)
{
	struct gatefile gate = gate_of("");

	memset(&gate.client_cpus, 0xff, sizeof(gate.client_cpus));
	gate.policy = GATE_ENFORCE;
	start(&gate);
	step(0, 0, 3);
	expect_step("0", ",\"refused_tasks\":3}");
	expect_step("0", "\"own_out\":true,");
	tempdir_remove();
}
END_TEST

/* Where jobio-live is not installed, one task says so; none is judged, counted
 * or becomes the user's program. */
START_TEST(a_step_that_looks_at_its_job_is_no_step_of_the_users)
{
	struct gatefile gate = gate_of(NOTE);

	start(&gate);
	setenv("JOBIO_LIVE", "7", 1);
	step(0, 0, 2);
	expect_output("@jobio/1 e 0 0 1 1 c1 " JOBIO_LIBEXECDIR
		      "/jobio-live: No such file or directory\n");
	ck_assert_int_lt(access(tempdir_path("run/7/steps/0"), F_OK), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_job_that_inherits_the_wish_to_look_runs_its_programs)
{
	struct gatefile gate = gate_of(NOTE);

	start(&gate);
	setenv("JOBIO_LIVE", "7", 1);
	step(STEP_BATCH, 0, 1);
	expect_output(SAID);
	expect_step("batch", "\"own_out\":true,");
	setenv("JOBIO_LIVE", "6", 1);
	step(0, 0, 2);
	expect_step("0", "\"own_out\":true,");
	tempdir_remove();
}
END_TEST

/* ---- variables of the profile -------------------------------------------------- */

#define MPI_IO "ROMIO_HINTS=/etc/a OMPI_MCA_io=romio341"

/* A job with this profile that was applied; "": with none. */
static void start_with(const char *profile)
{
	struct gatefile gate = gate_of("");
	char text[700];
	size_t i;

	snprintf(gate.request.profile, sizeof(gate.request.profile), "%s",
		 profile);
	for (i = 0; shown[i]; i++)
		unsetenv(shown[i]);
	start(&gate);
	snprintf(
		text, sizeof(text),
		"[jobio]\nrun_dir = %s\n[profile mpi-io]\nenvironment = " MPI_IO
		"\n[profile other]\nenvironment = ROMIO_HINTS=/etc/b\n"
		"[profile plain]\nio_cores = 1\n",
		tempdir_path("run"));
	tempdir_put("jobio.conf", text);
}

static void expect_environment(const char *wanted)
{
	char *text = fileio_read(tempdir_path("env"), 4096, NULL, NULL);

	ck_assert_str_eq(text ? text : "none", wanted);
	free(text);
}

START_TEST(tasks_find_the_variables_of_the_profile_that_was_applied)
{
	start_with("mpi-io");
	step(STEP_BATCH, 0, 1);
	expect_environment("ROMIO_HINTS=/etc/a\nOMPI_MCA_io=romio341\n"
			   "JOBIO_ENVIRONMENT=" MPI_IO "\n");
	expect_output("");
	tempdir_remove();
	start_with("plain");
	step(0, 0, 2);
	expect_environment("");
	tempdir_remove();
	start_with(""); /* not applied, or none was asked for */
	step(0, 0, 2);
	expect_environment("");
	tempdir_remove();
	start_with("gone"); /* from jobio.conf, meanwhile */
	step(0, 0, 1);
	expect_environment("");
	tempdir_remove();
}
END_TEST

START_TEST(what_the_user_has_set_stays)
{
	start_with("mpi-io");
	setenv("ROMIO_HINTS", "/home/alice/hints", 1);
	step(STEP_BATCH, 0, 1);
	expect_environment("ROMIO_HINTS=/home/alice/hints\n"
			   "OMPI_MCA_io=romio341\n"
			   "JOBIO_ENVIRONMENT=" MPI_IO "\n");
	/* in the script, too: before an srun, and to nothing */
	setenv("JOBIO_ENVIRONMENT", MPI_IO, 1);
	setenv("OMPI_MCA_io", "", 1);
	step(0, 0, 1);
	expect_environment("ROMIO_HINTS=/home/alice/hints\nOMPI_MCA_io=\n"
			   "JOBIO_ENVIRONMENT=" MPI_IO "\n");
	tempdir_remove();
}
END_TEST

START_TEST(what_an_outer_jobs_profile_gave_is_not_the_users)
{
	start_with("other");
	setenv("ROMIO_HINTS", "/etc/a", 1);
	setenv("OMPI_MCA_io", "romio341", 1);
	setenv("JOBIO_ENVIRONMENT", MPI_IO, 1);
	step(0, 0, 1);
	expect_environment("ROMIO_HINTS=/etc/b\n"
			   "JOBIO_ENVIRONMENT=ROMIO_HINTS=/etc/b\n");
	tempdir_remove();
	start_with("");
	setenv("ROMIO_HINTS", "/etc/a", 1);
	setenv("OMPI_MCA_io", "ompio", 1);
	setenv("JOBIO_ENVIRONMENT", MPI_IO, 1);
	step(0, 0, 1);
	expect_environment("OMPI_MCA_io=ompio\n");
	tempdir_remove();
	/* whoever writes it himself harms himself alone */
	start_with("mpi-io");
	setenv("JOBIO_ENVIRONMENT", "; rm -r ~ =", 1);
	step(0, 0, 1);
	expect_environment("ROMIO_HINTS=/etc/a\nOMPI_MCA_io=romio341\n"
			   "JOBIO_ENVIRONMENT=" MPI_IO "\n");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("plugin", what_a_job_did_not_get_is_said_once_by_its_batch_script,
	  the_first_task_of_srun_says_it_where_there_is_no_script,
	  other_nodes_say_it_only_where_the_first_one_has_got_all,
	  a_job_that_got_all_is_told_nothing,
	  a_job_that_asked_and_was_not_prepared_is_told_so_once,
	  a_job_that_asked_for_nothing_is_not_told_that_it_was_not_prepared,
	  the_nodes_own_gate_file_prepares_no_job,
	  without_a_folder_for_the_job_its_script_says_it_for_its_steps,
	  a_warning_of_the_gate_is_left_for_the_record,
	  where_its_tasks_could_run_is_left_by_each_step,
	  a_warning_of_the_gate_is_said_to_who_reserved_cores,
	  where_the_site_has_switched_jobio_off_no_gate_is_asked,
	  a_refusal_counts_its_tasks,
	  a_step_that_looks_at_its_job_is_no_step_of_the_users,
	  a_job_that_inherits_the_wish_to_look_runs_its_programs,
	  tasks_find_the_variables_of_the_profile_that_was_applied,
	  what_the_user_has_set_stays,
	  what_an_outer_jobs_profile_gave_is_not_the_users)
