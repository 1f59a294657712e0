/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-slurm, with a slurmctld that says what a test has for it. With a real one:
 * tests/cluster. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#define SLURM_BACKWARD_COMPAT
#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/append.h"
#include "tests/unit/program.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"

#undef main /* jobio-slurm's has another name here */
int jobio_slurm_main(int argc, char **argv);

#define STATUS_USAGE 2
#ifdef CONF_FLAG_ASRU
#define ASRU CONF_FLAG_ASRU
#else
#define ASRU CTL_CONF_ASRU
#endif
/* What slurm_load_job() and slurm_requeue() get: since 26.05 a step's ids. */
#if SLURM_VERSION_NUMBER < 0x1a0500
#define JOB_ID uint32_t
#define JOB_NUMBER(id) (id)
#else
#define JOB_ID slurm_step_id_t
#define JOB_NUMBER(id) ((id).job_id)
#endif

static char told[400]; /* what was asked and freed, in its order */
static struct {
	slurm_conf_t conf;
	node_info_t node;
	node_info_msg_t nodes;
	job_info_t job;
	job_info_msg_t jobs;
	int conf_error, node_error, job_error, requeue_error, update_error;
	struct itimerval timer;
} world;

#define tell(...) append(told, sizeof(told), __VA_ARGS__)

static int answer(int error)
{
	errno = error;
	return error ? SLURM_ERROR : SLURM_SUCCESS;
}

void __wrap_slurm_init(const char *conf)
{
	ck_assert_ptr_null(conf);
}

int __wrap_slurm_load_ctl_conf(time_t since, slurm_conf_t **conf)
{
	ck_assert_int_eq(since, 0);
	tell("conf;");
	*conf = world.conf_error ? NULL : &world.conf;
	return answer(world.conf_error);
}

int __wrap_slurm_load_node_single(node_info_msg_t **nodes, char *name,
				  uint16_t flags)
{
	ck_assert_uint_eq(flags, SHOW_DETAIL);
	tell("node %s;", name);
	*nodes = world.node_error ? NULL : &world.nodes;
	return answer(world.node_error);
}

void __wrap_slurm_free_node_info_msg(node_info_msg_t *nodes)
{
	tell("%s", nodes ? "free node;" : "");
}

void __wrap_slurm_free_ctl_conf(slurm_conf_t *conf)
{
	ck_assert_ptr_eq(conf, &world.conf);
	tell("free conf;");
}

void __wrap_slurm_free_conf(slurm_conf_t *conf)
{
	__wrap_slurm_free_ctl_conf(conf);
}

int __wrap_setitimer(int which, const struct itimerval *timer,
		     struct itimerval *old)
{
	ck_assert(which == ITIMER_REAL && !old);
	world.timer = *timer;
	return 0;
}

/* ---- words of the tests ------------------------------------------------------------- */

#define said program_said

static void begin(void)
{
	memset(&world, 0, sizeof(world));
	world.nodes.node_array = &world.node;
	world.nodes.record_count = 1;
	world.jobs.job_array = &world.job;
	world.jobs.record_count = 1;
	world.job.core_spec = NO_VAL16;
	tempdir_make();
	setenv("SLURMD_NODENAME", "c1", 1);
}

/* Its exit status. */
#define RUN(...) asked((const char *[]){ "jobio-slurm", __VA_ARGS__, NULL })

static int asked(const char *const *words)
{
	*told = '\0';
	return program_run(jobio_slurm_main, words);
}

static void expect_failure(const char *what, int error)
{
	char wanted[400];

	snprintf(wanted, sizeof(wanted), "%s: %s\n", what,
		 slurm_strerror(error));
	ck_assert_str_eq(said, wanted);
}

/* ---- node ----------------------------------------------------------------------------- */

START_TEST(a_node_is_told_with_the_settings_that_say_what_it_means)
{
	begin();
	world.node = (node_info_t){ .name = (char *)"c1",
				    .cpus = 64,
				    .boards = 1,
				    .sockets = 2,
				    .cores = 16,
				    .threads = 3,
				    .core_spec_cnt = 4,
				    .cpu_spec_list = (char *)"0-3",
				    .version = (char *)"22.05.8",
				    .mem_spec_limit = 1024,
				    .reason = (char *)"jobio:W08 x" };
	world.conf =
		(slurm_conf_t){ .version = (char *)"23.02.1",
				.last_update = 1795224862,
				.conf_flags = ASRU,
				.select_type = (char *)"select/cons_tres",
				.sched_params = (char *)"bf_interval=30",
				.task_plugin = (char *)"task/cgroup",
				.task_plugin_param = SLURMD_OFF_SPEC | 0x200000,
				.prolog_flags = PROLOG_FLAG_ALLOC |
						PROLOG_FLAG_CONTAIN |
						PROLOG_FLAG_X11,
				.proctrack_type = (char *)"proctrack/x",
				.cluster_name = (char *)"big",
				.slurmd_params = (char *)"l3cache" };
	ck_assert_int_eq(RUN("node"), 0);
	ck_assert_str_eq(told, "conf;node c1;free node;free conf;");
	said_expect(said, "{\"name\":\"c1\",\"cpus\":64,\"boards\":1,"
			  "\"sockets\":2,\"cores_per_socket\":16,"
			  "\"threads_per_core\":3,\"core_spec_count\":4,"
			  "\"cpu_spec_list\":\"0-3\",\"version\":\"22.05.8\","
			  "\"mem_spec_limit\":1024,"
			  "\"reason\":\"jobio:W08 x\",");
	said_expect(said, "\"slurmd_parameters\":\"l3cache\","
			  "\"controller_version\":\"23.02.1\","
			  "\"conf_read_at\":1795224862,"
			  "\"allow_spec_resources_usage\":true,"
			  "\"select_type\":\"select\\/cons_tres\","
			  "\"scheduler_parameters\":\"bf_interval=30\","
			  "\"task_plugin\":\"task\\/cgroup\","
			  "\"task_plugin_param\":\"SlurmdOffSpec,"
			  "SlurmdSpecOverride\","
			  "\"prolog_flags\":\"Alloc,Contain,X11\","
			  "\"proctrack_type\":\"proctrack\\/x\","
			  "\"cluster\":\"big\"}\n");
	/* what Slurm leaves out is empty */
	world.node.cpu_spec_list = NULL;
	world.conf.slurmd_params = NULL;
	world.conf.conf_flags = 0;
	world.conf.task_plugin_param = 0;
	world.conf.prolog_flags = PROLOG_FLAG_SERIAL;
	ck_assert_int_eq(RUN("node", "c2"), 0);
	ck_assert_str_eq(told, "conf;node c2;free node;free conf;");
	said_expect(said, "\"cpu_spec_list\":\"\"");
	said_expect(said, "\"slurmd_parameters\":\"\"");
	said_expect(said, "\"allow_spec_resources_usage\":false");
	said_expect(said, "\"task_plugin_param\":\"\"");
	said_expect(said, "\"prolog_flags\":\"Serial\"");
	tempdir_remove();
}
END_TEST

START_TEST(a_node_that_slurmctld_does_not_know_is_an_error)
{
	begin();
	world.nodes.record_count = 0;
	ck_assert_int_eq(RUN("node", "c2"), 1);
	ck_assert_str_eq(told, "conf;node c2;free node;free conf;");
	ck_assert_str_eq(said, "slurmctld: node 'c2': no such node\n");
	world.node_error = ESLURM_INVALID_NODE_NAME;
	ck_assert_int_eq(RUN("node", "c2"), 1);
	ck_assert_str_eq(told, "conf;node c2;free conf;");
	expect_failure("slurmctld: node 'c2'", ESLURM_INVALID_NODE_NAME);
	world.conf_error = SLURM_PROTOCOL_VERSION_ERROR;
	ck_assert_int_eq(RUN("node", "c2"), 1);
	ck_assert_str_eq(told, "conf;");
	expect_failure("slurmctld: settings", SLURM_PROTOCOL_VERSION_ERROR);
	tempdir_remove();
}
END_TEST

START_TEST(an_answer_that_nobody_can_be_told_is_an_error)
{
	int full = open("/dev/full", O_WRONLY), out = dup(STDOUT_FILENO), rc;
	char *argv[] = { (char *)"jobio-slurm", (char *)"node", NULL };

	begin();
	fflush(stdout);
	ck_assert(full >= 0 && dup2(full, STDOUT_FILENO) >= 0);
	optind = 0;
	rc = jobio_slurm_main(2, argv);
	ck_assert(dup2(out, STDOUT_FILENO) >= 0);
	ck_assert_int_eq(rc, 1);
	close(full);
	close(out);
	tempdir_remove();
}
END_TEST

/* ---- job ------------------------------------------------------------------------------ */

int __wrap_slurm_load_job(job_info_msg_t **jobs, JOB_ID id, uint16_t flags)
{
	ck_assert_uint_eq(flags, 0);
	tell("job %u;", JOB_NUMBER(id));
	*jobs = world.job_error ? NULL : &world.jobs;
	return answer(world.job_error);
}

void __wrap_slurm_free_job_info_msg(job_info_msg_t *jobs)
{
	tell("%s", jobs ? "free job;" : "");
}

int __wrap_slurm_requeue(JOB_ID id, uint32_t flags)
{
	ck_assert_uint_eq(flags, JOB_REQUEUE_HOLD);
	tell("requeue %u;", JOB_NUMBER(id));
	return answer(world.requeue_error);
}

int __wrap_slurm_update_job2(job_desc_msg_t *change,
			     job_array_resp_msg_t **answers)
{
	tell("update %s '%s';", change->job_id_str, change->admin_comment);
	*answers = NULL;
	return answer(world.update_error);
}

void __wrap_slurm_free_job_array_resp(job_array_resp_msg_t *answers)
{
	ck_assert_ptr_null(answers);
}

/* What is told of a job that asked for these cores. */
static void expect_job(uint16_t core_spec, uint16_t shared, const char *wanted)
{
	world.job.core_spec = core_spec;
	world.job.shared = shared;
	ck_assert_int_eq(RUN("job", "7"), 0);
	ck_assert_str_eq(told, "job 7;free job;");
	ck_assert_str_eq(said, wanted);
}

START_TEST(a_job_is_told_with_its_cores_and_whether_it_is_alone)
{
	begin();
	expect_job(NO_VAL16, 1,
		   "{\"job\":7,\"core_spec\":null,\"thread_spec\":null,"
		   "\"alone\":false}\n");
	expect_job(2, JOB_SHARED_NONE,
		   "{\"job\":7,\"core_spec\":2,\"thread_spec\":null,"
		   "\"alone\":true}\n");
	expect_job(0, JOB_SHARED_NONE,
		   "{\"job\":7,\"core_spec\":0,\"thread_spec\":null,"
		   "\"alone\":true}\n");
	expect_job(0x8000 | 3, JOB_SHARED_NONE,
		   "{\"job\":7,\"core_spec\":null,\"thread_spec\":3,"
		   "\"alone\":true}\n");
	ck_assert_int_eq(RUN("job", "1"), 0);
	said_expect(said, "{\"job\":1,");
	ck_assert_int_eq(RUN("job", "4294967295"), 0);
	said_expect(said, "{\"job\":4294967295,");
	tempdir_remove();
}
END_TEST

START_TEST(a_job_that_slurmctld_does_not_know_is_an_error)
{
	begin();
	world.jobs.record_count = 0;
	ck_assert_int_eq(RUN("job", "7"), 1);
	ck_assert_str_eq(told, "job 7;free job;");
	ck_assert_str_eq(said, "slurmctld: job 7: no such job\n");
	world.job_error = ESLURM_INVALID_JOB_ID;
	ck_assert_int_eq(RUN("job", "7"), 1);
	ck_assert_str_eq(told, "job 7;");
	expect_failure("slurmctld: job", ESLURM_INVALID_JOB_ID);
	/* nobody is asked about what is no number of a job */
	ck_assert_int_eq(RUN("job", "0"), STATUS_USAGE);
	said_expect(said, "job: '0': ");
	ck_assert_int_eq(RUN("job", "4294967296"), STATUS_USAGE);
	ck_assert_int_eq(RUN("hold", "x"), STATUS_USAGE);
	said_expect(said, "job: 'x': ");
	ck_assert_str_eq(told, "");
	tempdir_remove();
}
END_TEST

START_TEST(a_job_is_held_with_a_comment_unless_it_has_anothers)
{
	static const char *const ours[] = { NULL, "", "jobio: old" };
	size_t i;

	begin();
	ck_assert_int_eq(RUN("hold", "7"), 0);
	ck_assert_str_eq(told, "requeue 7;");
	ck_assert_str_eq(said, "");
	for (i = 0; i < 3; i++) {
		world.job.admin_comment = (char *)ours[i];
		ck_assert_int_eq(RUN("hold", "7", "jobio: no"), 0);
		ck_assert_str_eq(told, "requeue 7;job 7;free job;update 7 "
				       "'jobio: no';");
	}
	for (i = 0; i < 2; i++) {
		world.job.admin_comment =
			(char *)(i ? "jobio; mine" : "jobio:mine");
		ck_assert_int_eq(RUN("hold", "7", "jobio: no"), 0);
		ck_assert_str_eq(told, "requeue 7;job 7;free job;");
	}
	/* one that cannot be looked at keeps what it may have */
	world.job_error = ESLURM_INVALID_JOB_ID;
	ck_assert_int_eq(RUN("hold", "7", "jobio: no"), 0);
	ck_assert_str_eq(told, "requeue 7;job 7;");
	expect_failure("slurmctld: job", ESLURM_INVALID_JOB_ID);
	tempdir_remove();
}
END_TEST

START_TEST(a_job_that_cannot_be_held_is_an_error_and_one_that_is_held_is_none)
{
	begin();
	world.requeue_error = ESLURM_JOB_PENDING;
	ck_assert_int_eq(RUN("hold", "7", "jobio: no"), 0);
	ck_assert_str_eq(told, "requeue 7;job 7;free job;update 7 'jobio: "
			       "no';");
	world.requeue_error = ESLURM_DISABLED;
	ck_assert_int_eq(RUN("hold", "7", "jobio: no"), 1);
	ck_assert_str_eq(told, "requeue 7;");
	expect_failure("slurmctld: requeue", ESLURM_DISABLED);
	/* held it is */
	world.requeue_error = 0;
	world.update_error = ESLURM_ACCESS_DENIED;
	ck_assert_int_eq(RUN("hold", "7", "jobio: no"), 0);
	expect_failure("slurmctld: AdminComment", ESLURM_ACCESS_DENIED);
	tempdir_remove();
}
END_TEST

/* ---- the command line ----------------------------------------------------------------- */

static void expect_usage(int rc, int wanted)
{
	ck_assert_int_eq(rc, wanted);
	said_expect(said, "usage: jobio-slurm ");
	ck_assert_str_eq(told, "");
}

START_TEST(words_that_are_no_question_are_refused)
{
	begin();
	expect_usage(RUN(NULL), STATUS_USAGE);
	expect_usage(RUN("nodes"), STATUS_USAGE);
	expect_usage(RUN("node", "c1", "c2"), STATUS_USAGE);
	expect_usage(RUN("job"), STATUS_USAGE);
	expect_usage(RUN("job", "7", "8"), STATUS_USAGE);
	expect_usage(RUN("hold"), STATUS_USAGE);
	expect_usage(RUN("hold", "7", "x", "y"), STATUS_USAGE);
	expect_usage(RUN("--nosuch", "node"), STATUS_USAGE);
	expect_usage(RUN("--timeout-ms=99", "node"), STATUS_USAGE);
	expect_usage(RUN("--timeout-ms=600001", "node"), STATUS_USAGE);
	expect_usage(RUN("--timeout-ms=x", "node"), STATUS_USAGE);
	expect_usage(RUN("--help", "node"), 0);
	tempdir_remove();
}
END_TEST

static void expect_deadline(const char *option, long seconds, long us)
{
	ck_assert_int_eq(RUN(option, "node", "c1"), 0);
	ck_assert_int_eq(world.timer.it_value.tv_sec, seconds);
	ck_assert_int_eq(world.timer.it_value.tv_usec, us);
	ck_assert_int_eq(world.timer.it_interval.tv_sec, 0);
}

START_TEST(a_question_has_a_deadline)
{
	int status;
	pid_t child;
	char *text;

	begin();
	expect_deadline("--timeout-ms=100", 0, 100000);
	expect_deadline("--timeout-ms=999", 0, 999000);
	expect_deadline("--timeout-ms=1001", 1, 1000);
	expect_deadline("--timeout-ms=600000", 600, 0);
	ck_assert_int_eq(RUN("node"), 0);
	ck_assert_int_eq(world.timer.it_value.tv_sec, 5);
	ck_assert_int_eq(world.timer.it_value.tv_usec, 0);
	child = fork();
	if (child == 0) {
		int fd = open(tempdir_path("late"), O_RDWR | O_CREAT, 0600);

		dup2(fd, STDERR_FILENO);
		raise(SIGALRM);
		_exit(9);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	text = fileio_read(tempdir_path("late"), 200, NULL, NULL);
	ck_assert_str_eq(text, "slurmctld: no answer before the deadline\n");
	free(text);
	tempdir_remove();
}
END_TEST

UNIT_MAIN("ask_controller",
	  a_job_is_told_with_its_cores_and_whether_it_is_alone,
	  a_job_that_slurmctld_does_not_know_is_an_error,
	  a_job_is_held_with_a_comment_unless_it_has_anothers,
	  a_job_that_cannot_be_held_is_an_error_and_one_that_is_held_is_none,
	  a_node_is_told_with_the_settings_that_say_what_it_means,
	  a_node_that_slurmctld_does_not_know_is_an_error,
	  an_answer_that_nobody_can_be_told_is_an_error,
	  words_that_are_no_question_are_refused, a_question_has_a_deadline)
