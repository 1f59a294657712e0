/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plugin in slurmstepd, in Slurm's order (mgr.c, task.c): init and
 * init_post_opt as root, task_init in each forked task, task_exit when it has
 * been waited for, exit. Each slurmstepd here is a process of its own. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/gatefile.h"
#include "lib/host.h"
#include "spank/gate.h"
#include "tests/unit/fake_stepd.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define STEP_EXTERN 0xfffffffcU
#define STEP_BATCH 0xfffffffbU
#define STEP_INTERACTIVE 0xfffffffaU
#define NO_VALUE 0xfffffffeU

int fake_dladdr(const void *address, Dl_info *info);
int slurm_spank_init(spank_t sp, int argc, char *argv[]);
int slurm_spank_init_post_opt(spank_t sp, int argc, char *argv[]);
int slurm_spank_task_init_privileged(spank_t sp, int argc, char *argv[]);
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
	fake.is_array = fake.is_missing = false;
	tempdir_make();
	snprintf(text, sizeof(text), "[jobio]\nrun_dir = %s\n", tempdir_path("run"));
	tempdir_put("jobio.conf", text);
	mkdir(tempdir_path("run"), 0755);
	mkdir(tempdir_path("run/7"), 0755);
	ck_assert_int_eq(gatefile_write(tempdir_path("run/7/gate"), gate, NULL), 0);
	setenv("SLURMD_NODENAME", "c1", 1);
	unsetenv("JOBIO_GOT_ALL");
	unsetenv("JOBIO_LIVE");
}

/* What the task finds in its environment of these names. */
static const char *const shown[] = { "ROMIO_HINTS", "OMPI_MCA_io", "JOBIO_ENVIRONMENT", NULL };

/* And of what it is told about its job. */
static const char *const told[] = { "SLURM_IO_CORES", "SLURM_IO_CPUS", "SLURM_IO_PROFILE",
				    "JOBIO_GOT_ALL", NULL };

static void show_environment(int fd, const char *const names[])
{
	size_t i;

	for (i = 0; names[i]; i++)
		if (getenv(names[i]))
			dprintf(fd, "%s=%s\n", names[i], getenv(names[i]));
}

static int open_file(const char *name, int how)
{
	return open(tempdir_path(name), O_WRONLY | O_CREAT | how, 0600);
}

#define BLOCK (8 << 20)

static bool is_reading; /* each task, and slurmstepd when they have ended */

static void read_block(void)
{
	static char block[1 << 16];
	int fd = open("/dev/zero", O_RDONLY), i;

	for (i = 0; i < BLOCK; i += (int)sizeof(block))
		if (read(fd, block, sizeof(block)) != sizeof(block))
			_exit(8);
	close(fd);
}

/* Where the plugin is; NULL: it cannot be told, "": nobody knows. */
static const char *plugin_path;
static bool is_removed; /* by whom the step runs beside */

int fake_dladdr(const void *address, Dl_info *info)
{
	ck_assert_ptr_nonnull(address);
	info->dli_fname = plugin_path && *plugin_path ? plugin_path : NULL;
	return plugin_path != NULL;
}

static int be_task(void)
{
	int out = open_file("out", O_APPEND), env = open_file("env", O_TRUNC);
	int told_fd = open_file("told", O_TRUNC);

	dup2(out, STDERR_FILENO);
	dup2(out, STDOUT_FILENO);
	if (slurm_spank_task_init_privileged(NULL, 0, NULL) != 0)
		return 7;
	if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
		return 7;
	if (slurm_spank_task_init(NULL, 0, NULL) != 0)
		return 7;
	show_environment(env, shown);
	show_environment(told_fd, told);
	if (is_reading)
		read_block();
	return 0;
}

static void read_later(void)
{
	int status;

	if (fork() == 0) {
		read_block();
		_exit(0);
	}
	wait(&status);
}

static char *other_argument; /* of plugstack.conf; or NULL */

/* What its callbacks return; how its tasks end is left in "ended". */
static int be_stepd(int tasks)
{
	char argument[600], *argv[] = { argument, other_argument };
	int ended = open_file("ended", O_APPEND), i, status, rc;

	snprintf(argument, sizeof(argument), "conf=%s", tempdir_path("jobio.conf"));
	rc = slurm_spank_init(NULL, other_argument ? 2 : 1, argv);
	fake_options();
	rc |= slurm_spank_init_post_opt(NULL, 1, argv);
	for (i = 0; i < tasks; i++) {
		fake.task = i;
		if (fork() == 0)
			_exit(be_task());
		rc |= slurm_spank_task_post_fork(NULL, 1, argv);
		if (wait(&status) <= 0)
			return -1;
		dprintf(ended, "%d ", WEXITSTATUS(status));
		rc |= slurm_spank_task_exit(NULL, 1, argv);
	}
	if (is_reading)
		read_later();
	if (is_removed)
		unlink(plugin_path);
	return rc | slurm_spank_exit(NULL, 1, argv);
}

static void step(uint32_t step_id, int node, int tasks)
{
	int status;

	fake.step_id = step_id;
	fake.node = node;
	if (fork() == 0) {
		fake.log = fopen(tempdir_path("log"), "a");
		setvbuf(fake.log, NULL, _IONBF, 0);
		dup2(fileno(fake.log), STDERR_FILENO);
		_exit(be_stepd(tasks) ? 1 : 0);
	}
	wait(&status);
	ck_assert_int_eq(status, 0);
}

static void expect_output(const char *wanted)
{
	char *text = fileio_read(tempdir_path("out"), 4096, NULL, NULL);

	ck_assert_str_eq(text ? text : "", wanted);
	free(text);
}

#define NOTE "profile 'stream' was not applied: the node is shared"
#define SAID "jobio: node c1: " NOTE "\n"

static void expect_file(const char *name, const char *wanted)
{
	char *text = fileio_read(tempdir_path(name), 4096, NULL, NULL);

	ck_assert_str_eq(text ? text : "", wanted);
	free(text);
}

static bool is_there(const char *name)
{
	return access(tempdir_path(name), F_OK) == 0;
}

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
	setenv("JOBIO_GOT_ALL", "6", 1); /* of the job that submitted this one */
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

#define UNPREPARED                                                                                 \
	"jobio: node c1: the node's prolog did not prepare this job: its I/O "                     \
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
	/* nor is what it moved lost */
	ck_assert(is_there("run/7/steps/batch"));
	ck_assert(is_there("run/7/steps/0"));
	tempdir_remove();
}
END_TEST

static void expect_step(const char *name, const char *wanted)
{
	char path[64], *text;

	snprintf(path, sizeof(path), "run/7/steps/%s", name);
	text = fileio_read(tempdir_path(path), 4096, NULL, NULL);
	ck_assert_msg(text && strstr(text, wanted) != NULL, "no '%s' in: %s", wanted, text);
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
	ck_assert_int_eq(strncmp(text, "jobio: node c1: the job may run on CPU", 38), 0);
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
		snprintf(text, sizeof(text), "[jobio]\nrun_dir = %s\n%s\n", tempdir_path("run"),
			 keys[i]);
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
	gate.asked = true;
	start(&gate);
	step(0, 0, 3);
	expect_step("0", ",\"refused_tasks\":3}");
	expect_step("0", "\"own_out\":true,");
	tempdir_remove();
}
END_TEST

#define REFUSED "slurmstepd: error: jobio: gate: not started: the job may run on CPU "

START_TEST(a_task_that_is_refused_ends_and_the_first_one_says_why)
{
	struct gatefile gate = gate_of("");
	char *text;
	int tasks;

	memset(&gate.client_cpus, 0xff, sizeof(gate.client_cpus));
	gate.policy = GATE_ENFORCE;
	gate.asked = true;
	for (tasks = 1; tasks < 4; tasks += 2) {
		start(&gate);
		step(0, 0, tasks);
		expect_file("ended", tasks == 1 ? "1 " : "1 1 1 ");
		text = fileio_read(tempdir_path("out"), 4096, NULL, NULL);
		ck_assert_ptr_nonnull(text);
		ck_assert_int_eq(strncmp(text, REFUSED, strlen(REFUSED)), 0);
		ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
		free(text);
		expect_step("0", ",\"refused\":\"the job may run on CPU ");
		tempdir_remove();
	}
}
END_TEST

START_TEST(a_task_that_is_warned_of_runs_and_slurmds_log_says_why)
{
	struct gatefile gate = gate_of("");
	char *text;

	memset(&gate.client_cpus, 0xff, sizeof(gate.client_cpus));
	start(&gate);
	step(0, 0, 1);
	step(1, 0, 2);
	expect_file("ended", "0 0 0 ");
	text = fileio_read(tempdir_path("log"), 8192, NULL, NULL);
	ck_assert_int_eq(strncmp(text, "info: jobio: gate: the job may run on", 37), 0);
	/* one line a step */
	ck_assert_ptr_eq(strchr(strchr(text, '\n') + 1, '\n'), text + strlen(text) - 1);
	free(text);
	expect_step("0", ",\"warned\":\"the job may run on CPU ");
	expect_step("0", ",\"warned_tasks\":1}");
	expect_step("1", ",\"warned_tasks\":2}");
	tempdir_remove();
}
END_TEST

/* ---- what tasks and slurmd's log are told ---------------------------------------- */

START_TEST(tasks_find_what_their_job_has_got)
{
	struct gatefile gate = gate_of("");

	gate.request.io_cores = 2;
	strcpy(gate.request.profile, "stream");
	cpuset_add(&gate.io_cpus, 6);
	cpuset_add(&gate.io_cpus, 7);
	start(&gate);
	step(0, 0, 1);
	expect_file("told", "SLURM_IO_CORES=2\nSLURM_IO_CPUS=6-7\n"
			    "SLURM_IO_PROFILE=stream\n");
	tempdir_remove();
	gate.request.profile[0] = '\0';
	start(&gate);
	step(0, 0, 1);
	expect_file("told", "SLURM_IO_CORES=2\nSLURM_IO_CPUS=6-7\n");
	tempdir_remove();
	/* whatever the job around has got, and however short a name is */
	strcpy(gate.request.profile, "x");
	start(&gate);
	setenv("SLURM_IO_CORES", "9", 1);
	setenv("SLURM_IO_CPUS", "9", 1);
	setenv("SLURM_IO_PROFILE", "other", 1);
	step(0, 0, 1);
	expect_file("told", "SLURM_IO_CORES=2\nSLURM_IO_CPUS=6-7\n"
			    "SLURM_IO_PROFILE=x\n");
	tempdir_remove();
}
END_TEST

START_TEST(a_task_or_node_that_slurm_does_not_number_is_the_first)
{
	static const spank_item_t items[] = { S_TASK_ID, S_JOB_NODEID };
	struct gatefile gate = gate_of(NOTE);
	size_t i;

	for (i = 0; i < 2; i++) {
		start(&gate);
		fake.is_missing = true;
		fake.missing = items[i];
		step(0, 0, 1);
		expect_output(SAID);
		tempdir_remove();
	}
	start(&gate);
	fake.is_missing = true;
	fake.missing = S_TASK_ID;
	setenv("JOBIO_LIVE", "7", 1);
	step(0, 0, 1);
	expect_output("@jobio/1 e 0 0 1 1 c1 " JOBIO_LIBEXECDIR
		      "/jobio-live: No such file or directory\n");
	tempdir_remove();
}
END_TEST

START_TEST(a_slurmstepd_without_standard_files_says_and_counts_as_much)
{
	struct gatefile gate = gate_of(NOTE);
	struct stat st;

	start(&gate);
	umask(0);
	close(STDIN_FILENO);
	step(0, 0, 2);
	step(1, 0, 2);
	expect_output(SAID);
	ck_assert(is_there("run/7/steps/0"));
	ck_assert_int_eq(stat(tempdir_path("run/7/told"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	step(1, 0, 2);
	expect_output(SAID);
	tempdir_remove();
}
END_TEST

START_TEST(what_the_job_around_has_got_is_not_this_jobs)
{
	struct gatefile gate = gate_of("");

	setenv("SLURM_IO_CORES", "9", 1);
	setenv("SLURM_IO_CPUS", "9", 1);
	setenv("SLURM_IO_PROFILE", "other", 1);
	start(&gate);
	step(0, 0, 1);
	expect_file("told", "");
	tempdir_remove();
	gate.request.io_cores = 2;
	strcpy(gate.request.profile, "stream");
	start(&gate);
	unlink(tempdir_path("run/7/gate"));
	step(0, 0, 1);
	expect_file("told", "");
	tempdir_remove();
}
END_TEST

START_TEST(a_script_hands_on_whether_its_node_has_got_all)
{
	struct gatefile gate = gate_of("");
	struct gatefile lacks = gate_of(NOTE);

	start(&gate); /* it asked for nothing */
	step(STEP_BATCH, 0, 1);
	expect_file("told", "");
	tempdir_remove();
	strcpy(gate.request.profile, "s");
	start(&gate);
	setenv("JOBIO_GOT_ALL", "6", 1); /* of the job around */
	step(STEP_BATCH, 0, 1);
	expect_file("told", "SLURM_IO_PROFILE=s\nJOBIO_GOT_ALL=7\n");
	step(STEP_INTERACTIVE, 0, 1);
	expect_file("told", "SLURM_IO_PROFILE=s\nJOBIO_GOT_ALL=7\n");
	unsetenv("JOBIO_GOT_ALL");
	step(0, 0, 1); /* as a step finds its script's */
	expect_file("told", "SLURM_IO_PROFILE=s\n");
	tempdir_remove();
	gate.request.profile[0] = '\0';
	gate.request.io_cores = 1;
	cpuset_add(&gate.io_cpus, 7);
	start(&gate);
	step(STEP_BATCH, 0, 1);
	expect_file("told", "SLURM_IO_CORES=1\nSLURM_IO_CPUS=7\n"
			    "JOBIO_GOT_ALL=7\n");
	tempdir_remove();
	start(&lacks);
	step(STEP_BATCH, 0, 1);
	expect_file("told", "JOBIO_GOT_ALL=no7\n");
	tempdir_remove();
}
END_TEST

START_TEST(slurmstepd_says_which_tasks_it_does_not_check)
{
	struct gatefile gate = gate_of("");
	char wanted[600];

	start(&gate);
	step(0, 0, 1);
	expect_file("log", "");
	unlink(tempdir_path("run/7/gate"));
	step(0, 0, 1);
	snprintf(
		wanted, sizeof(wanted),
		"info: jobio: gate: tasks are not checked: no gate file for job 7 in %s (did the prolog run?)\n",
		tempdir_path("run"));
	expect_file("log", wanted);
	unlink(tempdir_path("log"));
	tempdir_put("run/7/gate", "version=1\npolicy=maybe\n");
	step(0, 0, 1);
	expect_output("");
	snprintf(
		wanted, sizeof(wanted),
		"slurmstepd: error: jobio: gate: tasks are not checked: gate file '%s': bad policy 'maybe'\n",
		tempdir_path("run/7/gate"));
	expect_file("log", wanted);
	tempdir_remove();
}
END_TEST

START_TEST(arguments_of_plugstack_conf_that_mean_nothing_are_told)
{
	static const char *const others[] = { "gate=off", "conf=jobio.conf", "conf" };
	struct gatefile gate = gate_of("");
	char wanted[200];
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		other_argument = (char *)others[i];
		start(&gate);
		step(0, 0, 1);
		snprintf(
			wanted, sizeof(wanted),
			"verbose: jobio: plugstack.conf: '%s': unknown argument, expected conf=/PATH\n",
			others[i]);
		expect_file("log", wanted);
		ck_assert(is_there("run/7/steps/0"));
		tempdir_remove();
	}
}
END_TEST

START_TEST(a_node_that_slurmd_does_not_name_has_the_hosts_name)
{
	struct gatefile gate = gate_of(NOTE);
	char host[256] = "", wanted[600];

	ck_assert_int_eq(host_name(host, sizeof(host)), 0);
	start(&gate);
	unsetenv("SLURMD_NODENAME");
	step(0, 0, 1);
	snprintf(wanted, sizeof(wanted), "jobio: node %s: " NOTE "\n", host);
	expect_output(wanted);
	tempdir_remove();
}
END_TEST

/* ---- what is counted -------------------------------------------------------------- */

START_TEST(the_step_around_a_job_is_noted_and_not_counted)
{
	struct gatefile gate = gate_of(NOTE);

	start(&gate);
	step(STEP_EXTERN, 0, 0);
	ck_assert(is_there("run/7/begun"));
	ck_assert(!is_there("run/7/steps/extern"));
	ck_assert(!is_there("run/7/told"));
	tempdir_remove();
}
END_TEST

START_TEST(a_step_that_slurm_does_not_name_is_left_alone)
{
	static const spank_item_t items[] = { S_JOB_ID, S_JOB_STEPID };
	struct gatefile gate = gate_of(NOTE);
	size_t i;

	for (i = 0; i < 2; i++) {
		start(&gate);
		fake.is_missing = true;
		fake.missing = items[i];
		step(0, 0, 1);
		expect_output("");
		expect_file("ended", "0 ");
		ck_assert(!is_there("run/7/steps/0"));
		ck_assert(!is_there("run/7/begun"));
		tempdir_remove();
	}
}
END_TEST

START_TEST(a_step_of_an_array_names_it)
{
	struct gatefile gate = gate_of("");

	start(&gate);
	step(0, 0, 1);
	expect_step("0", "\"array_job_id\":null,\"array_task_id\":null,");
	fake.is_array = true;
	fake.array_job = 5;
	fake.array_task = 2;
	step(0, 0, 1);
	expect_step("0", "\"array_job_id\":5,\"array_task_id\":2,");
	/* of other jobs the first number is their own */
	fake.array_task = NO_VALUE;
	step(0, 0, 1);
	expect_step("0", "\"array_job_id\":null,\"array_task_id\":null,");
	tempdir_remove();
}
END_TEST

START_TEST(a_step_ends_with_its_last_task)
{
	struct gatefile gate = gate_of("");
	char *text;
	long bytes;

	is_reading = true;
	start(&gate);
	step(0, 0, 2);
	text = fileio_read(tempdir_path("run/7/steps/0"), 4096, NULL, NULL);
	bytes = atol(strstr(text, "\"read_bytes\":") + 13);
	free(text);
	ck_assert_int_ge(bytes, 2 * BLOCK);
	ck_assert_int_lt(bytes, 3 * BLOCK);
	tempdir_remove();
}
END_TEST

START_TEST(a_step_whose_tasks_end_elsewhere_is_counted_at_its_end)
{
	struct gatefile gate = gate_of("");

	start(&gate);
	step(0, 0, 0);
	ck_assert(is_there("run/7/steps/0"));
	tempdir_remove();
}
END_TEST

START_TEST(what_the_first_task_sees_and_the_node_does_not_is_left)
{
	struct gatefile gate = gate_of("");

	start(&gate);
	/* the node, a namespace with a disk and nothing else */
	tempdir_put("run/7/mountinfo", "mnt:[1]\n1 1 8:1 / / rw - ext4 a rw\n");
	step(0, 0, 1);
	expect_step("0", ",\"private_mounts\":\"");
	tempdir_remove();
}
END_TEST

/* The gate file is as old as this; the plugin came just now. */
static void start_with_plugin(const struct gatefile *gate, time_t gate_s)
{
	static char path[600];
	const struct timespec times[2] = { { .tv_sec = gate_s }, { .tv_sec = gate_s } };

	start(gate);
	snprintf(path, sizeof(path), "%s", tempdir_put("jobio.so", ""));
	plugin_path = path;
	ck_assert_int_eq(utimensat(AT_FDCWD, tempdir_path("run/7/gate"), times, 0), 0);
}

#define LATER 4000000000 /* in 2096 */

START_TEST(a_plugin_that_came_after_the_prolog_was_away_before_the_first_step)
{
	struct gatefile gate = gate_of(NOTE);

	start_with_plugin(&gate, 1);
	step(0, 0, 1);
	ck_assert(is_there("run/7/away"));
	expect_file("run/plugin", plugin_path);
	tempdir_remove();
	start_with_plugin(&gate, LATER);
	step(0, 0, 1);
	ck_assert(!is_there("run/7/away"));
	expect_file("run/plugin", plugin_path);
	tempdir_remove();
	/* not before the second: the first one had it */
	start_with_plugin(&gate, 1);
	step(STEP_EXTERN, 0, 0);
	step(0, 0, 1);
	ck_assert(!is_there("run/7/away"));
	tempdir_remove();
}
END_TEST

START_TEST(a_plugin_that_is_removed_during_a_step_was_away)
{
	struct gatefile gate = gate_of(NOTE);

	start_with_plugin(&gate, LATER);
	is_removed = true;
	step(0, 0, 1);
	ck_assert(is_there("run/7/away"));
	tempdir_remove();
}
END_TEST

START_TEST(a_plugin_that_cannot_tell_where_it_is_is_not_watched)
{
	struct gatefile gate = gate_of(NOTE);

	start_with_plugin(&gate, 1);
	plugin_path = "";
	step(0, 0, 1);
	plugin_path = NULL;
	step(1, 0, 1);
	ck_assert(!is_there("run/plugin"));
	ck_assert(!is_there("run/7/away"));
	tempdir_remove();
}
END_TEST

START_TEST(where_slurm_prepares_a_job_or_starts_its_own_daemon_nothing_is_done)
{
	static const spank_context_t contexts[] = { S_CTX_SLURMD, S_CTX_JOB_SCRIPT };
	size_t i;

	for (i = 0; i < 2; i++) {
		fake.context = contexts[i];
		ck_assert_int_eq(slurm_spank_init(NULL, 0, NULL), 0);
		ck_assert_int_eq(slurm_spank_init_post_opt(NULL, 0, NULL), 0);
		ck_assert_int_eq(slurm_spank_exit(NULL, 0, NULL), 0);
	}
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
	step(1, 0, 1);
	expect_output("@jobio/1 e 0 0 1 1 c1 " JOBIO_LIBEXECDIR
		      "/jobio-live: No such file or directory\n"
		      "@jobio/1 e 0 0 1 1 c1 " JOBIO_LIBEXECDIR
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
	step(STEP_INTERACTIVE, 0, 1);
	expect_step("interactive", "\"own_out\":true,");
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

	snprintf(gate.request.profile, sizeof(gate.request.profile), "%s", profile);
	for (i = 0; shown[i]; i++)
		unsetenv(shown[i]);
	start(&gate);
	snprintf(text, sizeof(text),
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
	  a_job_that_got_all_is_told_nothing, a_job_that_asked_and_was_not_prepared_is_told_so_once,
	  a_job_that_asked_for_nothing_is_not_told_that_it_was_not_prepared,
	  the_nodes_own_gate_file_prepares_no_job,
	  without_a_folder_for_the_job_its_script_says_it_for_its_steps,
	  a_warning_of_the_gate_is_left_for_the_record,
	  where_its_tasks_could_run_is_left_by_each_step,
	  a_warning_of_the_gate_is_said_to_who_reserved_cores,
	  where_the_site_has_switched_jobio_off_no_gate_is_asked, a_refusal_counts_its_tasks,
	  a_task_that_is_refused_ends_and_the_first_one_says_why,
	  a_task_that_is_warned_of_runs_and_slurmds_log_says_why, tasks_find_what_their_job_has_got,
	  a_task_or_node_that_slurm_does_not_number_is_the_first,
	  a_slurmstepd_without_standard_files_says_and_counts_as_much,
	  a_step_whose_tasks_end_elsewhere_is_counted_at_its_end,
	  what_the_job_around_has_got_is_not_this_jobs,
	  a_script_hands_on_whether_its_node_has_got_all,
	  slurmstepd_says_which_tasks_it_does_not_check,
	  arguments_of_plugstack_conf_that_mean_nothing_are_told,
	  a_node_that_slurmd_does_not_name_has_the_hosts_name,
	  the_step_around_a_job_is_noted_and_not_counted,
	  a_step_that_slurm_does_not_name_is_left_alone, a_step_of_an_array_names_it,
	  a_step_ends_with_its_last_task, what_the_first_task_sees_and_the_node_does_not_is_left,
	  a_plugin_that_came_after_the_prolog_was_away_before_the_first_step,
	  a_plugin_that_is_removed_during_a_step_was_away,
	  a_plugin_that_cannot_tell_where_it_is_is_not_watched,
	  where_slurm_prepares_a_job_or_starts_its_own_daemon_nothing_is_done,
	  a_step_that_looks_at_its_job_is_no_step_of_the_users,
	  a_job_that_inherits_the_wish_to_look_runs_its_programs,
	  tasks_find_the_variables_of_the_profile_that_was_applied, what_the_user_has_set_stays,
	  what_an_outer_jobs_profile_gave_is_not_the_users)
