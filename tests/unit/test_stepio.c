/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/runner.h"
#include "spank/stepio.h"
#include "tests/unit/tempdir.h"

#define STEP_BATCH 0xfffffffbU

static struct err err;

static const struct stepio from = { .all = { 100, 200, 3, 4 }, .time = 1000 };
static const struct stepio to = { .all = { 1100, 5200, 13, 10 }, .time = 1060 };

static const char *written(const struct stepio_label *label, const char *step)
{
	static char path[64];
	char *text;

	ck_assert_msg(stepio_write(&from, &to, label, tempdir_path("."), &err) == 0, "%s",
		      err.text);
	snprintf(path, sizeof(path), "7/steps/%s", step);
	text = fileio_read(tempdir_path(path), 4096, NULL, &err);
	ck_assert_msg(text != NULL, "%s", err.text);
	return text;
}

START_TEST(the_difference_is_left_for_the_epilog)
{
	struct stepio_label label = {
		.job_id = 7, .uid = 1000, .array_job_id = STEPIO_NONE, .array_task_id = STEPIO_NONE
	};
	const char *text;

	tempdir_make();
	text = written(&label, "0");
	ck_assert_str_eq(
		text,
		"{\"step\":\"0\",\"source\":\"stepd\",\"read_bytes\":1000,\"write_bytes\":5000,\"read_calls\":10,\"write_calls\":6,\"own_out\":false,\"uid\":1000,\"array_job_id\":null,\"array_task_id\":null,\"start\":1000,\"end\":1060}\n");
	free((char *)text);
	tempdir_remove();
}
END_TEST

START_TEST(the_array_is_named_when_known)
{
	struct stepio_label label = {
		.job_id = 7, .step_id = STEP_BATCH, .array_job_id = 5, .array_task_id = 2
	};
	const char *text;

	tempdir_make();
	text = written(&label, "batch");
	ck_assert_ptr_nonnull(strstr(text, "{\"step\":\"batch\","));
	ck_assert_ptr_nonnull(strstr(text, "\"array_job_id\":5,\"array_task_id\":2,"));
	free((char *)text);
	tempdir_remove();
}
END_TEST

START_TEST(what_the_gate_said_is_quoted_and_bounded)
{
	struct stepio_label label = {
		.job_id = 7,
		.refused = "CPU \"7\" \\ ~\xc3\xa4\n",
		.refused_tasks = 3,
	};
	struct cpuset cpus = { 0 };
	char text[3 * ERR_MAX];
	const char *line;
	unsigned int cpu;

	tempdir_make();
	line = written(&label, "0");
	ck_assert_ptr_nonnull(
		strstr(line, ",\"refused\":\"CPU \\\"7\\\" \\\\ ~???\",\"refused_tasks\":3}\n"));
	free((char *)line);
	/* a sentence is told whole */
	memset(text, 'x', ERR_MAX - 1);
	text[ERR_MAX - 1] = '\0';
	label.refused = text;
	line = written(&label, "0");
	ck_assert_uint_eq(strspn(strstr(line, "xxx"), "x"), ERR_MAX - 1);
	free((char *)line);
	memset(text, '"', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	label.refused = label.warned = text;
	label.warned_tasks = 2;
	line = written(&label, "0");
	ck_assert_str_eq(strstr(line, "\\\"\",\"warned_tasks\""), "\\\"\",\"warned_tasks\":2}\n");
	ck_assert_uint_lt(strlen(line), 4096); /* job/steps.c reads no more */
	free((char *)line);
	/* beside all else that there may be */
	for (cpu = 0; cpu < 510; cpu += 2)
		cpuset_add(&cpus, 100 + cpu);
	label.cpus = &cpus;
	label.private_mounts = "nfs4";
	line = written(&label, "0");
	ck_assert_ptr_nonnull(strstr(line, ",608\",\"private_mounts\":"));
	ck_assert_str_eq(strstr(line, "\\\"\",\"warned_tasks\""), "\\\"\",\"warned_tasks\":2}\n");
	ck_assert_uint_lt(strlen(line), 4096);
	free((char *)line);
	tempdir_remove();
}
END_TEST

START_TEST(where_the_tasks_could_run_is_left_unless_it_is_a_long_list)
{
	struct stepio_label label = { .job_id = 7 };
	struct cpuset cpus = { 0 };
	const char *text;
	unsigned int cpu;

	tempdir_make();
	label.cpus = &cpus;
	text = written(&label, "0");
	ck_assert_ptr_null(strstr(text, "cpus"));
	free((char *)text);
	for (cpu = 0; cpu < 8; cpu++)
		cpuset_add(&cpus, cpu);
	cpuset_add(&cpus, 16);
	text = written(&label, "0");
	ck_assert_ptr_nonnull(strstr(text, "\"end\":1060,\"cpus\":\"0-7,16\"}\n"));
	free((char *)text);
	for (cpu = 0; cpu < 4096; cpu += 2)
		cpuset_add(&cpus, cpu);
	label.private_mounts = "nfs4 tmpfs";
	text = written(&label, "0");
	ck_assert_ptr_null(strstr(text, "cpus"));
	ck_assert_ptr_nonnull(strstr(text, "\"end\":1060,\"private_mounts\":\"nfs4 tmpfs\"}\n"));
	free((char *)text);
	tempdir_remove();
}
END_TEST

START_TEST(only_root_reads_the_step_files)
{
	struct stepio_label label = { .job_id = 7 };
	struct stat st;

	tempdir_make();
	free((char *)written(&label, "0"));
	ck_assert_int_eq(stat(tempdir_path("7/steps/0"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(stat(tempdir_path("7/steps"), &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	tempdir_remove();
}
END_TEST

START_TEST(a_node_without_jobio_gets_no_folders)
{
	struct stepio_label label = { .job_id = 7 };
	struct stat st;

	tempdir_make();
	ck_assert_int_eq(stepio_write(&from, &to, &label, tempdir_path("no"), &err), 0);
	ck_assert_int_eq(stat(tempdir_path("no"), &st), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_node_without_configuration_gets_no_folder_but_keeps_one)
{
	struct stepio_label label = { .job_id = 7, .is_guess = true };
	struct stat st;

	tempdir_make();
	ck_assert_int_eq(stepio_write(&from, &to, &label, tempdir_path("."), &err), 0);
	ck_assert_int_eq(stat(tempdir_path("7"), &st), -1);
	ck_assert_int_eq(mkdir(tempdir_path("7"), 0700), 0);
	ck_assert_int_eq(stepio_write(&from, &to, &label, tempdir_path("."), &err), 0);
	ck_assert_int_eq(stat(tempdir_path("7/steps/0"), &st), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_link_in_place_of_a_folder_is_not_followed)
{
	struct stepio_label label = { .job_id = 7 };

	tempdir_make();
	ck_assert_int_eq(symlink("/tmp", tempdir_path("7")), 0);
	ck_assert_int_eq(stepio_write(&from, &to, &label, tempdir_path("."), &err), -1);
	tempdir_remove();
}
END_TEST

START_TEST(what_slurmstepd_moved_itself_is_taken_off_where_it_is_known)
{
	static const struct stepio start = {
		{ 1000, 2000, 30, 40 }, { 900, 1900, 20, 30 }, 1000, true
	};
	struct stepio end = { { 9000, 9000, 90, 90 }, { 5900, 6900, 50, 60 }, 1060, true };
	struct stepio_label label = { .job_id = 7 };
	char *text;

	tempdir_make();
	ck_assert_int_eq(stepio_write(&start, &end, &label, tempdir_path("."), &err), 0);
	text = fileio_read(tempdir_path("7/steps/0"), 4096, NULL, &err);
	ck_assert_ptr_nonnull(strstr(
		text,
		"\"read_bytes\":3000,\"write_bytes\":2000,\"read_calls\":30,\"write_calls\":20,\"own_out\":true,"));
	free(text);
	end.has_own = false; /* what it had moved before is not in either */
	ck_assert_int_eq(stepio_write(&start, &end, &label, tempdir_path("."), &err), 0);
	text = fileio_read(tempdir_path("7/steps/0"), 4096, NULL, &err);
	ck_assert_ptr_nonnull(strstr(
		text,
		"\"read_bytes\":8000,\"write_bytes\":7000,\"read_calls\":60,\"write_calls\":50,\"own_out\":false,"));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(counters_without_all_four_are_refused)
{
	struct stepio io = { .all = { .read_bytes = 9 } };

	tempdir_make();
	tempdir_put("io", "rchar: 1\nwchar: 2\nsyscr: 3\n");
	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), -1);
	ck_assert_uint_eq(io.all.read_bytes, 9);
	ck_assert_ptr_nonnull(strstr(err.text, "has not the four counters"));
	tempdir_put("io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: -4\n");
	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), -1);
	tempdir_remove();
}
END_TEST

START_TEST(where_threads_cannot_be_told_apart_the_process_counts_whole)
{
	struct stepio io;

	tempdir_make();
	tempdir_put("io", "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\n");
	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), 0);
	ck_assert_uint_eq(io.all.write_bytes, 2);
	ck_assert(!io.has_own);
	tempdir_remove();
}
END_TEST

START_TEST(what_cannot_be_read_is_an_error_with_its_reason)
{
	struct stepio io = { .all = { .read_bytes = 9 } };

	tempdir_make();
	ck_assert_int_eq(stepio_read(&io, tempdir_path("none"), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/none/io': No such file or directory"));
	ck_assert(mkdir(tempdir_path("io"), 0700) == 0);
	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/io': Is a directory"));
	ck_assert(rmdir(tempdir_path("io")) == 0);
	tempdir_put("io", "");
	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "has not the four counters"));
	ck_assert_uint_eq(io.all.read_bytes, 9);
	tempdir_remove();
}
END_TEST

/* ---- threads, by files like those of /proc ------------------------------------------ */

#define ALL "rchar: 9000\nwchar: 8000\nsyscr: 700\nsyscw: 600\n"

static void put_thread(long tid, const char *counters)
{
	char path[64];

	snprintf(path, sizeof(path), "task/%ld", tid);
	ck_assert(mkdir(tempdir_path(path), 0700) == 0);
	snprintf(path, sizeof(path), "task/%ld/io", tid);
	if (counters)
		tempdir_put(path, counters);
}

/* A slurmstepd with this thread alone, which has read 1000 bytes in 10 calls. */
static void make_threads(void)
{
	tempdir_make();
	tempdir_put("io", ALL);
	ck_assert(mkdir(tempdir_path("task"), 0700) == 0);
	put_thread(gettid(), "rchar: 1000\nwchar: 50\nsyscr: 10\nsyscw: 5\n");
}

static struct stepio read_threads(void)
{
	struct stepio io;

	ck_assert_int_eq(stepio_read(&io, tempdir_path("."), &err), 0);
	return io;
}

START_TEST(what_all_threads_moved_is_slurmstepds_own)
{
	struct stepio io;

	make_threads();
	tempdir_put("task/odd", "");
	ck_assert(mkdir(tempdir_path("task/0"), 0700) == 0);
	io = read_threads();
	ck_assert(io.has_own);
	ck_assert_uint_eq(io.all.read_bytes, 9000);
	ck_assert_uint_eq(io.all.write_calls, 600);
	/* without what it took to read the process' counters: one call */
	ck_assert_uint_eq(io.own.read_bytes, 1000 - strlen(ALL));
	ck_assert_uint_eq(io.own.write_bytes, 50);
	ck_assert_uint_eq(io.own.read_calls, 9);
	ck_assert_uint_eq(io.own.write_calls, 5);
	put_thread(999999998, "rchar: 30000\nwchar: 7\nsyscr: 200\nsyscw: 8\n");
	put_thread(999999999, "rchar: 400000\nwchar: 100\nsyscr: 1000\nsyscw: 80\n");
	io = read_threads();
	ck_assert(io.has_own);
	ck_assert_uint_eq(io.own.read_bytes, 431000 - strlen(ALL));
	ck_assert_uint_eq(io.own.write_bytes, 157);
	ck_assert_uint_eq(io.own.read_calls, 1209);
	ck_assert_uint_eq(io.own.write_calls, 93);
	tempdir_remove();
}
END_TEST

START_TEST(a_thread_that_cannot_be_read_makes_the_others_useless)
{
	make_threads();
	put_thread(999999999, NULL);
	ck_assert(!read_threads().has_own);
	tempdir_remove();
	make_threads();
	put_thread(999999999, "rchar: 1\n");
	ck_assert(!read_threads().has_own);
	tempdir_remove();
	/* itself, too */
	tempdir_make();
	tempdir_put("io", ALL);
	ck_assert(mkdir(tempdir_path("task"), 0700) == 0);
	put_thread(999999999, ALL);
	ck_assert(!read_threads().has_own);
	tempdir_remove();
}
END_TEST

#define BLOCK (1 << 20)

static char block[BLOCK];

/* A task: reads as much from /dev/zero as it prints. */
static void be_task(int out)
{
	int in = open("/dev/zero", O_RDONLY), i;
	ssize_t n;

	for (i = 0; i < BLOCK; i += (int)n) {
		n = read(in, block, 65536);
		if (n <= 0 || write(out, block, (size_t)n) != n)
			_exit(1);
	}
	_exit(0);
}

struct forward {
	int from, to;
	sem_t done, end;
};

static void *forward(void *arg)
{
	struct forward *f = arg;
	static char part[65536];
	ssize_t n;

	while ((n = read(f->from, part, sizeof(part))) > 0)
		ck_assert_int_eq(write(f->to, part, (size_t)n), n);
	sem_post(&f->done);
	sem_wait(&f->end);
	return NULL;
}

/* What the process, the thread that forwards still alive, says of its child. */
static void run_step(struct stepio *start, struct stepio *end)
{
	struct forward f = { 0 };
	int pipefd[2], status;
	pthread_t thread;
	pid_t pid;

	ck_assert_int_eq(stepio_read(start, "/proc/self", &err), 0);
	ck_assert_int_eq(pipe(pipefd), 0);
	f.from = pipefd[0];
	f.to = open("/dev/null", O_WRONLY);
	sem_init(&f.done, 0, 0);
	sem_init(&f.end, 0, 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, forward, &f), 0);
	pid = fork();
	if (pid == 0)
		be_task(pipefd[1]);
	close(pipefd[1]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	sem_wait(&f.done);
	ck_assert_int_eq(stepio_read(end, "/proc/self", &err), 0);
	sem_post(&f.end);
	pthread_join(thread, NULL);
	close(f.from);
	close(f.to);
}

START_TEST(what_is_forwarded_is_not_the_tasks)
{
	struct stepio_label label = { .job_id = 7 };
	struct stepio start, end;
	char *text;

	run_step(&start, &end);
	/* the process as a whole has moved it twice */
	ck_assert_uint_ge(end.all.read_bytes - start.all.read_bytes, 2 * BLOCK);
	ck_assert_uint_ge(end.all.write_bytes - start.all.write_bytes, 2 * BLOCK);
	tempdir_make();
	ck_assert_int_eq(stepio_write(&start, &end, &label, tempdir_path("."), &err), 0);
	text = fileio_read(tempdir_path("7/steps/0"), 4096, NULL, &err);
	ck_assert_ptr_nonnull(strstr(
		text,
		"\"read_bytes\":1048576,\"write_bytes\":1048576,\"read_calls\":16,\"write_calls\":"));
	/* valgrind writes an empty log when a task ends */
	ck_assert(strstr(text, "\"write_calls\":16,\"own_out\":true,") ||
		  strstr(text, "\"write_calls\":17,\"own_out\":true,"));
	free(text);
	tempdir_remove();
}
END_TEST

START_TEST(the_kernel_adds_what_waited_for_children_did)
{
	struct stepio start, end;
	uint64_t whole;

	run_step(&start, &end);
	whole = end.all.write_bytes - start.all.write_bytes;
	ck_assert_uint_eq(whole - (end.own.write_bytes - start.own.write_bytes), BLOCK);
}
END_TEST

UNIT_MAIN("stepio", the_difference_is_left_for_the_epilog, the_array_is_named_when_known,
	  what_the_gate_said_is_quoted_and_bounded,
	  where_the_tasks_could_run_is_left_unless_it_is_a_long_list,
	  only_root_reads_the_step_files, a_node_without_jobio_gets_no_folders,
	  a_node_without_configuration_gets_no_folder_but_keeps_one,
	  a_link_in_place_of_a_folder_is_not_followed,
	  what_slurmstepd_moved_itself_is_taken_off_where_it_is_known,
	  counters_without_all_four_are_refused,
	  where_threads_cannot_be_told_apart_the_process_counts_whole,
	  what_cannot_be_read_is_an_error_with_its_reason,
	  what_all_threads_moved_is_slurmstepds_own,
	  a_thread_that_cannot_be_read_makes_the_others_useless, what_is_forwarded_is_not_the_tasks,
	  the_kernel_adds_what_waited_for_children_did)
