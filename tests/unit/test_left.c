/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What prolog and steps leave in RUN/JOB, and what the epilog makes of it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job/log.h"
#include "lib/journal.h"
#include "lib/rundir.h"
#include "tests/unit/job_node.h"
#include "tests/unit/runner.h"

static void begin(void)
{
	setup();
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
}

static void put_step(const char *name, const char *text)
{
	char path[64];

	snprintf(path, sizeof(path), "run/7/steps/%s", name);
	tempdir_put(path, text);
}

/* A state with two clients, NFS and Lustre, of a node that was rebooted. */
static struct record *with_clients(void)
{
	struct record *state = new_state(7, 1000, 0);

	record_add_client(state, "home", "nfs", "", NULL);
	record_add_client(state, "work", "lustre", "", NULL);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	return state;
}

/* ---- nobody else may look --------------------------------------------------------- */

static void expect_mode(const char *name, unsigned int mode)
{
	struct stat st;

	ck_assert_msg(lstat(tempdir_path(name), &st) == 0, "no %s", name);
	ck_assert_msg((st.st_mode & 07777) == mode, "%s: %o", name,
		      st.st_mode & 07777);
}

START_TEST(what_lies_in_run_and_spool_is_roots_alone)
{
	static const char *const folders[] = { "run",	     "spool",
					       "spool/open", "spool/state",
					       "run/7",	     "run/7/steps" };
	static const char *const files[] = {
		"run/lock",
		"run/reason",
		"run/7/start.json",
		"run/7/mountinfo",
		"run/7/sluid",
		"run/8/others",
		"spool/open/7.c1.json",
		"spool/7.0.c1.json",
		"spool/reason",
		"spool/released",
	};
	struct findings findings = { 0 };
	struct record *state;
	size_t i;
	int fd;

	umask(0);
	begin();
	load("on_error = drain\n");
	ck_assert_int_eq(job_make_folder(config, 8, &err), 0);
	fd = job_lock(config, 0, &err);
	ck_assert_int_ge(fd, 0);
	close(fd);
	state = new_state(7, 1000, 0);
	ck_assert_int_eq(job_state_write(config, state, &err), 0);
	ck_assert_int_eq(job_keep_record(config, state, &err), 0);
	ck_assert_int_eq(job_note_mounts(config, 7, "/", &err), 0);
	setenv("SLURM_JOB_SLUID", "s7", 1);
	job_note_sluid(config, 7);
	job_note_others(config, 7);
	job_remember_released(config, 6, 0);
	findings_add(&findings, "W08", FINDING_ERROR, "wait", "not up");
	job_reason_set(config, state, &findings.list[0]);
	findings_free(&findings);
	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		expect_mode(folders[i], 0700);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		expect_mode(files[i], 0600);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(runs_that_are_noted_beside_a_spool_that_is_away_are_roots_too)
{
	umask(0);
	setup();
	ck_assert(rename(tempdir_path("spool"), tempdir_path("away")) == 0);
	tempdir_put("spool", "");
	job_remember_released(config, 8, 0);
	expect_mode("run/released", 0600);
	teardown();
}
END_TEST

START_TEST(folders_that_cannot_be_made_are_an_error_whichever_it_is)
{
	static const char *const names[] = { "run", "spool" };
	char wanted[32];
	size_t i;

	for (i = 0; i < 2; i++) {
		setup();
		ck_assert(fileio_rmtree(tempdir_path(names[i]), &err) == 0);
		tempdir_put(names[i], "");
		ck_assert_int_eq(job_make_dirs(config, &err), -1);
		snprintf(wanted, sizeof(wanted), "/%s'", names[i]);
		ck_assert_ptr_nonnull(strstr(err.text, wanted));
		teardown();
	}
}
END_TEST

/* Of this length, which nobody makes: another name of the folder. */
static char *long_name(const char *name, size_t length)
{
	char *path = malloc(length + 1);
	size_t used = strlen(tempdir_name), end = length - strlen(name) - 1;

	ck_assert_ptr_nonnull(path);
	memcpy(path, tempdir_name, used);
	for (; used + 2 <= end; used += 2)
		memcpy(path + used, "/.", 2);
	sprintf(path + used, "%s/%s", used < end ? "/" : "", name);
	ck_assert_uint_eq(strlen(path), length);
	return path;
}

static void set_dirs(size_t run_length, size_t spool_length)
{
	free(config->run_dir);
	free(config->spool_dir);
	config->run_dir = long_name("run", run_length);
	config->spool_dir = long_name("spool", spool_length);
}

/* Is this the error of a name that does not fit? */
static bool is_too_long(int rc)
{
	bool yes = rc == -1 && strstr(err.text, "': too long") != NULL;

	err.text[0] = '\0';
	return yes;
}

START_TEST(of_a_job_whose_names_in_run_do_not_fit_nothing_is_known)
{
	struct findings findings = { 0 };
	struct record *state;
	size_t count = 1;
	bool is_whole = false;

	begin();
	state = new_state(7, 1000, 0);
	record_add_change(state, "a", "mount-option", "/a", "x", "y", -1, -1);
	tempdir_put("run/7/steps/0", "{}");
	tempdir_put("run/7/journal", "");
	tempdir_put("run/7/counted", "");
	tempdir_put("run/7/begun", "1");
	tempdir_put("run/7/away", "");
	ck_assert_int_eq(job_state_update(config, state, &err), 0);
	set_dirs(RUNDIR_PATH_MAX, 300);
	ck_assert(!job_has_folder(config, 7) && !job_has_steps(config, 7));
	ck_assert(!job_has_changes(config, 7, NULL));
	ck_assert(!job_is_counted(config, 7) && !job_is_old(config, 7));
	ck_assert(!job_has_stepd(config, 7));
	ck_assert_ptr_null(job_state_read(config, 7, "c1"));
	ck_assert_ptr_null(job_own_texts(config, 7, &count, &is_whole));
	ck_assert(count == 0 && is_whole);
	ck_assert(is_too_long(job_lock(config, 0, &err)));
	ck_assert(is_too_long(job_make_folder(config, 7, &err)));
	ck_assert(is_too_long(job_state_update(config, state, &err)));
	ck_assert(is_too_long(job_note_mounts(config, 7, "/", &err)));
	ck_assert(is_too_long(job_mend(config, 7, state, &err)));
	ck_assert(is_too_long(job_discard(config, 7, &err)));
	job_add_steps(config, state);
	ck_assert_uint_eq(state->flags, 0);
	/* its record is made all the same, and what is left is told */
	ck_assert(is_too_long(job_finish(config, state, &err)));
	ck_assert(is_there("spool/7.0.c1.json"));
	findings_add(&findings, "W08", FINDING_ERROR, "wait", "not up");
	job_reason_set(config, state, &findings.list[0]);
	job_reason_clear(config, state);
	ck_assert(!is_there("spool/reason"));
	findings_free(&findings);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(without_room_for_names_in_the_spool_there_is_no_record)
{
	struct record *state;

	begin();
	state = new_state(7, 1000, 0);
	set_dirs(300, RUNDIR_PATH_MAX);
	ck_assert(is_too_long(job_state_write(config, state, &err)));
	ck_assert(is_too_long(job_keep_record(config, state, &err)));
	ck_assert(is_too_long(job_finish(config, state, &err)));
	ck_assert(job_has_folder(config, 7));
	job_remember_released(config, 7, 0);
	ck_assert(!is_there("run/released"));
	/* what is in the making fits, and its number does not */
	set_dirs(300, RUNDIR_PATH_MAX - 1 - strlen("/open/7.c1.json"));
	state->restart = INT32_MAX;
	ck_assert(is_too_long(job_keep_record(config, state, &err)));
	/* nor where it would be none */
	set_dirs(300, 300);
	strcpy(state->cluster, "");
	ck_assert_int_eq(job_keep_record(config, state, &err), -1);
	ck_assert_str_eq(err.text, "record: cluster: '': not a name");
	record_free(state);
	teardown();
}
END_TEST

START_TEST(names_that_fit_are_used_however_long_they_are)
{
	static const char *const left[] = { "run", "spool" };
	char path[RUNDIR_PATH_MAX + 300], name[220];
	struct record *state;
	size_t count, i;
	char **texts;
	bool is_whole;
	FILE *file;

	begin();
	set_dirs(900, 900);
	memset(name, 'x', sizeof(name));
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s/%.200s.tmp.1", tempdir_name,
			 left[i], name);
		file = fopen(path, "w");
		ck_assert(file && fclose(file) == 0);
		job_sweep(config, true);
		ck_assert_int_eq(access(path, F_OK), -1);
	}
	put_step("0.own", "own");
	put_step("0", "{\"read_bytes\":1,\"write_bytes\":2,\"read_calls\":3,"
		      "\"write_calls\":4,\"own_out\":true}");
	texts = job_own_texts(config, 7, &count, &is_whole);
	ck_assert(count == 1 && is_whole);
	ck_assert_str_eq(texts[0], "own");
	free(texts[0]);
	free(texts);
	state = new_state(7, 1000, 0);
	job_add_steps(config, state);
	ck_assert_uint_eq(state->app_count, 1);
	ck_assert_int_eq(state->app[0].numbers[RECORD_READ_BYTES], 1);
	ck_assert(!(state->flags & RECORD_FLAG(STEP_MISSING)));
	record_free(state);
	/* a spool that is full of one user's */
	config->spool_max_records = 2;
	tempdir_put("spool/1.0.c1.json", "{\"jobio\":1,\"uid\":5}");
	tempdir_put("spool/2.0.c1.json", "{\"jobio\":1,\"uid\":5}");
	state = new_state(7, 1000, 0);
	ck_assert_int_eq(job_finish(config, state, &err), 1);
	ck_assert(is_there("spool/7.0.c1.json"));
	ck_assert_int_ne(is_there("spool/1.0.c1.json"),
			 is_there("spool/2.0.c1.json"));
	record_free(state);
	teardown();
}
END_TEST

static int count_folder(void *arg, uint32_t job_id)
{
	uint64_t *sum = arg;

	*sum += job_id;
	return 0;
}

START_TEST(the_numbers_of_jobs_go_from_1_to_the_last_that_slurm_has)
{
	uint64_t sum = 0;

	setup();
	tempdir_put("run/1", "");
	tempdir_put("run/4294967294", "");
	tempdir_put("run/4294967295", "");
	ck_assert_int_eq(job_each_folder(config, count_folder, &sum), 0);
	ck_assert_uint_eq(sum, 4294967295U);
	ck_assert(fileio_rmtree(tempdir_path("run"), &err) == 0);
	ck_assert_int_eq(job_each_folder(config, count_folder, &sum), 0);
	ck_assert_uint_eq(sum, 4294967295U);
	teardown();
}
END_TEST

START_TEST(now_is_not_before_the_second_that_the_clock_shows)
{
	int i;

	for (i = 0; i < 3; i++) {
		double second = (double)time(NULL), now = job_now();

		ck_assert(now >= second && now < second + 60);
		usleep(300000);
	}
}
END_TEST

START_TEST(a_path_beside_this_program_fits_or_is_none)
{
	char whole[PATH_MAX], tight[PATH_MAX];
	size_t length;

	ck_assert_int_eq(job_helper_path("a-helper-with-a-long-name", whole,
					 sizeof(whole)),
			 0);
	length = strlen(whole);
	ck_assert_int_eq(
		job_helper_path("a-helper-with-a-long-name", tight, length + 1),
		0);
	ck_assert_str_eq(tight, whole);
	ck_assert_int_eq(
		job_helper_path("a-helper-with-a-long-name", tight, length),
		-1);
}
END_TEST

START_TEST(where_this_program_is_does_not_fit_no_helper_is_beside_it)
{
	char whole[PATH_MAX], path[PATH_MAX];
	size_t size;
	int rc;

	ck_assert_int_eq(job_helper_path("x", whole, sizeof(whole)), 0);
	for (size = 1; size < strlen(whole) + 40; size++) {
		memset(path, '#', sizeof(path));
		rc = job_helper_path("x", path, size);
		/* of half a folder it would be another one */
		ck_assert(rc < 0 || !strcmp(path, whole));
		ck_assert(rc == 0 || size < strlen(whole) + 20);
		ck_assert_int_eq(path[size], '#');
	}
}
END_TEST

/* ---- a disk that is full --------------------------------------------------------------- */

static struct {
	int fails; /* so often from now on */
	int why, tries;
} disk;

/* A record, which is in the spool and not below it. */
static bool is_record(const char *path)
{
	return strstr(path, "/7.") != NULL;
}

static int fail_write(struct err *why)
{
	disk.fails--;
	err_set(why, "%s", strerror(disk.why));
	errno = disk.why;
	return -1;
}

int __real_fileio_write(const char *path, const void *data, size_t size_bytes,
			mode_t mode, struct err *why);

int __wrap_fileio_write(const char *path, const void *data, size_t size_bytes,
			mode_t mode, struct err *why)
{
	disk.tries += is_record(path);
	return is_record(path) && disk.fails
		       ? fail_write(why)
		       : __real_fileio_write(path, data, size_bytes, mode, why);
}

int __real_fileio_write_before(const char *path, const void *data,
			       size_t size_bytes, mode_t mode, struct err *why);

int __wrap_fileio_write_before(const char *path, const void *data,
			       size_t size_bytes, mode_t mode, struct err *why)
{
	disk.tries += is_record(path);
	return is_record(path) && disk.fails
		       ? fail_write(why)
		       : __real_fileio_write_before(path, data, size_bytes,
						    mode, why);
}

/* Keep the record of a job, or finish the job, where writing fails so often. */
static int with_disk(bool is_last, int fails, int why, bool has_open)
{
	struct record *state;
	int rc;

	begin();
	state = new_state(7, 1000, 1);
	if (has_open)
		ck_assert_int_eq(job_state_write(config, state, &err), 0);
	job_state_end(state);
	disk.fails = fails;
	disk.why = why;
	disk.tries = 0;
	err.text[0] = '\0';
	rc = is_last ? job_finish(config, state, &err)
		     : job_keep_record(config, state, &err);
	disk.fails = 0;
	record_free(state);
	return rc;
}

static void expect_lost(void)
{
	char wanted[600];

	snprintf(wanted, sizeof(wanted),
		 "record: '%s/spool/7.1.c1.json': the disk is full: this "
		 "record is lost, older ones are kept: look why jobio-send "
		 "does not reach the ledger",
		 tempdir_name);
	ck_assert_str_eq(err.text, wanted);
	ck_assert(!is_there("spool/7.1.c1.json"));
}

START_TEST(on_a_full_disk_the_record_takes_the_room_of_what_is_in_the_making)
{
	static const int full[] = { ENOSPC, EDQUOT };
	size_t i;
	int last;

	for (i = 0; i < 2; i++)
		for (last = 0; last < 2; last++) {
			ck_assert_int_eq(with_disk(last, 1, full[i], true), 0);
			ck_assert_int_eq(disk.tries, 2);
			ck_assert(is_there("spool/7.1.c1.json"));
			ck_assert(!is_there("spool/open/7.c1.json"));
			ck_assert_int_eq(job_has_folder(config, 7), !last);
			teardown();
			ck_assert_int_eq(with_disk(last, 2, full[i], true), 1);
			ck_assert_int_eq(disk.tries, 2);
			expect_lost();
			ck_assert_int_eq(job_was_released(config, 7, 1), last);
			ck_assert_int_eq(job_has_folder(config, 7), !last);
			teardown();
			/* there is nothing whose room it could take */
			ck_assert_int_eq(with_disk(last, 1, full[i], false), 1);
			ck_assert_int_eq(disk.tries, 1);
			expect_lost();
			teardown();
		}
}
END_TEST

START_TEST(on_a_bad_disk_the_job_stays_to_be_finished)
{
	int last;

	for (last = 0; last < 2; last++) {
		ck_assert_int_eq(with_disk(last, 1, EIO, true), -1);
		ck_assert_str_eq(err.text, strerror(EIO));
		ck_assert_int_eq(disk.tries, 1);
		ck_assert(!is_there("spool/7.1.c1.json"));
		ck_assert(is_there("spool/open/7.c1.json"));
		ck_assert(job_has_folder(config, 7));
		ck_assert(!job_was_released(config, 7, 1));
		teardown();
	}
}
END_TEST

/* ---- what is logged ------------------------------------------------------------------ */

static int log_fd = -1;

/* From here on, what is written to standard error. */
static void listen_to_log(void)
{
	log_fd = open(tempdir_path("log"),
		      O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0600);
	ck_assert_int_ge(log_fd, 0);
	fflush(stderr);
	ck_assert_int_ge(dup2(log_fd, STDERR_FILENO), 0);
}

/* It was this; and is empty again. */
static void expect_log(const char *wanted)
{
	char text[2000];
	ssize_t got;

	fflush(stderr);
	got = pread(log_fd, text, sizeof(text) - 1, 0);
	ck_assert_int_ge(got, 0);
	text[got] = '\0';
	ck_assert_str_eq(text, wanted);
	ck_assert_int_eq(ftruncate(log_fd, 0), 0);
}

START_TEST(a_line_of_the_log_says_whose_it_is)
{
	tempdir_make();
	listen_to_log();
	log_line("%s", "early");
	log_open("epilog", 0);
	log_line("%d records", 2);
	log_open("epilog", 7);
	log_line("lost");
	log_open("prolog", UINT32_MAX);
	log_line("lost");
	expect_log("jobio: prolog: early\n"
		   "jobio: epilog: 2 records\n"
		   "jobio: epilog: job 7: lost\n"
		   "jobio: prolog: job 4294967295: lost\n");
	close(log_fd);
	tempdir_remove();
}
END_TEST

/* Two clients on tables in the folder. */
static void load_clients(void)
{
	static const char tables[] =
		"type = nfs\nmount_table = %1$s/mounts\n"
		"mountinfo = %1$s/mountinfo\nmountstats = %1$s/mountstats\n"
		"bdi_dir = %1$s\n";
	char one[1300], text[2800];

	snprintf(one, sizeof(one), tables, tempdir_name);
	snprintf(text, sizeof(text), "[client a]\n%s[client b]\n%s", one, one);
	load(text);
	tempdir_put("mounts", "s:/a /a nfs rw,vers=3,hard 0 0\n");
	tempdir_put("mountinfo", "41 25 0:91 / /a rw - nfs s:/a rw\n");
	tempdir_put("mountstats",
		    "device s:/a mounted on /a with fstype nfs statvers=1.1\n"
		    "\tage:\t1\n");
}

START_TEST(each_client_that_counts_is_noted_and_why_one_cannot_is_logged)
{
	struct client *clients[2];
	struct record *state;
	char wanted[600], *wire;
	size_t i;

	begin();
	load_clients();
	state = new_state(7, 1000, 0);
	for (i = 0; i < 2; i++) {
		clients[i] = client_open(&config->clients[i], NULL, NULL, &err);
		ck_assert_ptr_nonnull(clients[i]);
		ck_assert_int_eq(client_inspect(clients[i], 1000, &err), 0);
	}
	listen_to_log();
	job_wire_start(config, state, clients, 2, true);
	wire = fileio_read(tempdir_path("run/7/wire"), 65536, NULL, &err);
	ck_assert_ptr_nonnull(strstr(wire, "\"alone\":true"));
	ck_assert_ptr_nonnull(strstr(wire, "\"a\":\""));
	ck_assert_ptr_nonnull(strstr(wire, "\"b\":\""));
	free(wire);
	expect_log("");
	/* that there are no counters is a finding of the client's */
	ck_assert_int_eq(remove(tempdir_path("mountstats")), 0);
	job_wire_start(config, state, clients, 2, true);
	expect_log("");
	ck_assert_int_eq(remove(tempdir_path("mountinfo")), 0);
	job_wire_start(config, state, clients, 1, true);
	snprintf(wanted, sizeof(wanted),
		 "jobio: prolog: wire: cannot open '%s/mountinfo': No such "
		 "file or "
		 "directory\n",
		 tempdir_name);
	expect_log(wanted);
	for (i = 0; i < 2; i++)
		client_close(clients[i]);
	record_free(state);
	close(log_fd);
	teardown();
}
END_TEST

/* In the place of lib/child.c's. */
int __wrap_child_detach(char *const argv[], struct err *why)
{
	(void)why;
	ck_abort_msg("%s is started", argv[0]);
}

START_TEST(a_sender_that_is_not_beside_this_program_is_not_started)
{
	ck_assert_int_eq(job_start_sender(NULL, &err), 0);
	ck_assert_int_eq(job_start_sender("/etc/jobio.conf", &err), 0);
}
END_TEST

/* ---- the node's mounts, for steps in another namespace ----------------------------- */

/* What is left for a job with this working directory: its path there. */
static const char *noted(const char *work_dir)
{
	static char text[1 << 20];
	char *all, *first, *second;

	ck_assert_int_eq(job_note_mounts(config, 7, work_dir, &err), 0);
	all = fileio_read(tempdir_path("run/7/mountinfo"), 1U << 20, NULL,
			  &err);
	ck_assert_msg(all != NULL, "%s", err.text);
	first = strchr(all, '\n');
	second = strchr(first + 1, '\n');
	ck_assert(!strncmp(all, "mnt:[", 5) && first[-1] == ']');
	/* the table follows */
	ck_assert_ptr_nonnull(strstr(second, " - "));
	*second = '\0';
	snprintf(text, sizeof(text), "%s", first + 1);
	free(all);
	return text;
}

START_TEST(the_working_directory_is_left_as_the_kernel_writes_it)
{
	char longest[PATH_MAX + 16];

	begin();
	ck_assert_str_eq(noted("/home/alice"), "/home/alice");
	ck_assert_str_eq(noted("//home///alice//"), "/home/alice");
	ck_assert_str_eq(noted("/"), "/");
	ck_assert_str_eq(noted("//"), "/");
	ck_assert_str_eq(noted("/my data\t\n\\x"),
			 "/my\\040data\\011\\012\\134x");
	ck_assert_str_eq(noted(""), "");
	ck_assert_str_eq(noted(NULL), "");
	/* what does not fit says nothing; a part of it would be another path */
	memset(longest, 'x', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_str_eq(noted(longest), "");
	longest[1000] = '\0';
	ck_assert_str_eq(noted(longest), longest);
	teardown();
}
END_TEST

START_TEST(mounts_of_a_job_without_a_folder_are_not_left)
{
	setup();
	ck_assert_int_eq(job_note_mounts(config, 7, "/", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "/run/7/mountinfo"));
	teardown();
}
END_TEST

static size_t own_texts(bool *is_whole)
{
	char **texts;
	size_t count, i, bytes = 0;

	texts = job_own_texts(config, 7, &count, is_whole);
	for (i = 0; i < count; i++) {
		bytes += strlen(texts[i]);
		free(texts[i]);
	}
	free(texts);
	return bytes;
}

START_TEST(what_steps_saw_alone_is_read_from_files_of_their_own)
{
	bool is_whole;

	setup();
	ck_assert_uint_eq(own_texts(&is_whole), 0);
	ck_assert(is_whole);
	ck_assert_int_eq(job_make_folder(config, 7, &err), 0);
	put_step("0", "{}");
	put_step(".own", "not a step's");
	put_step("batch.own.tmp.3", "its writer was killed");
	ck_assert_uint_eq(own_texts(&is_whole), 0);
	put_step("0.own", "1");
	put_step("1.own", "22");
	put_step("batch.own", "4444");
	ck_assert_uint_eq(own_texts(&is_whole), 7);
	ck_assert(is_whole);
	/* one that cannot be read keeps nobody from the others */
	ck_assert_int_eq(mkdir(tempdir_path("run/7/steps/2.own"), 0700), 0);
	ck_assert_uint_eq(own_texts(&is_whole), 7);
	ck_assert(!is_whole);
	teardown();
}
END_TEST

/* ---- steps ------------------------------------------------------------------------- */

static uint32_t flags_with_step(const char *own_mounts)
{
	struct record *state = with_clients();
	char text[256];
	uint32_t flags;

	snprintf(text, sizeof(text), "{\"own_mounts\":\"%s\"}", own_mounts);
	put_step("0", text);
	job_add_steps(config, state);
	flags = state->flags;
	record_free(state);
	return flags &
	       (RECORD_FLAG(PRIVATE_MOUNT) | RECORD_FLAG(NODE_REBOOTED));
}

START_TEST(of_more_steps_than_a_job_is_thought_to_have_some_are_left_out)
{
	char name[32];
	bool is_whole;
	int i;

	begin();
	for (i = 0; i < 4096; i++) {
		snprintf(name, sizeof(name), "%d.own", i);
		put_step(name, "1");
	}
	ck_assert_uint_eq(own_texts(&is_whole), 4096);
	ck_assert(is_whole);
	put_step("4096.own", "1");
	ck_assert_uint_eq(own_texts(&is_whole), 4096);
	ck_assert(!is_whole);
	teardown();
}
END_TEST

START_TEST(a_mount_of_a_clients_type_that_a_step_has_alone_is_told)
{
	static const char *const own[] = { "nfs4",	 "lustre",
					   "tmpfs nfs",	 "tmpfs  lustre",
					   "nfs4 tmpfs", "a b c nfs4 d",
					   "a   bb nfs4" };
	static const char *const others[] = { "",   "tmpfs", "ext4 tmpfs",
					      "nf", "nfs44", "wekafs" };
	size_t i;

	begin();
	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		ck_assert_msg(flags_with_step(own[i]) ==
				      (RECORD_FLAG(PRIVATE_MOUNT) |
				       RECORD_FLAG(NODE_REBOOTED)),
			      "'%s'", own[i]);
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(flags_with_step(others[i]) ==
				      RECORD_FLAG(NODE_REBOOTED),
			      "'%s'", others[i]);
	teardown();
}
END_TEST

/* Folders have no order: each of the two is the first one once. */
static void put_two(const char *one, const char *other, int turn)
{
	put_step("0", turn ? one : other);
	put_step("1", turn ? other : one);
}

START_TEST(what_one_step_says_the_others_do_not_take_back)
{
	struct record *state;
	int turn;

	begin();
	for (turn = 0; turn < 2; turn++) {
		put_two("{\"own_work_dir\":true,\"own_out\":false}",
			"{\"own_work_dir\":false,\"own_out\":true}", turn);
		state = new_state(7, 1000, 0);
		job_add_steps(config, state);
		ck_assert(state->own_work_dir);
		ck_assert(state->flags & RECORD_FLAG(INCLUDES_STEPD));
		record_free(state);
		put_two("{\"own_out\":true}", "{\"own_out\":true}", turn);
		state = new_state(7, 1000, 0);
		job_add_steps(config, state);
		ck_assert(!state->own_work_dir);
		ck_assert(!(state->flags & RECORD_FLAG(INCLUDES_STEPD)));
		record_free(state);
	}
	teardown();
}
END_TEST

START_TEST(the_first_sentence_of_the_gate_is_the_jobs)
{
	struct record *state;

	begin();
	put_step("0", "{\"refused\":\"no\",\"refused_tasks\":4,"
		      "\"warned\":\"on CPU 7\",\"warned_tasks\":1}");
	state = new_state(7, 1000, 0);
	job_add_steps(config, state);
	ck_assert_str_eq(state->gate_text, "no");
	ck_assert_str_eq(state->refused, "no");
	ck_assert_int_eq(state->gate_refused, 4);
	ck_assert_int_eq(state->gate_warned, 1);
	record_free(state);
	put_step("0", "{\"warned\":\"on CPU 7\"}");
	state = new_state(7, 1000, 0);
	record_set(&state->gate_text, "said before");
	job_add_steps(config, state);
	ck_assert_str_eq(state->gate_text, "said before");
	ck_assert_ptr_null(state->refused);
	ck_assert_int_eq(state->gate_refused, 0);
	record_free(state);
	teardown();
}
END_TEST

static struct record *state_of_cards(const char *nodes)
{
	struct record *state = new_state(7, 1000, 0);
	struct cpuset numa;

	record_add_client(state, "home", "nfs", "", NULL);
	ck_assert_int_eq(cpuset_parse(&numa, nodes, NULL), 0);
	record_set_cards(state, "ib0", &numa);
	return state;
}

/* Of a job on these CPUs and cards at these NUMA nodes: 0 has CPUs 0-3, 1 has 4-7,
 * what 2 has is not told. */
static int is_beside(const char *cpus, const char *nodes)
{
	struct record *state = state_of_cards(nodes);
	char text[64];
	int beside;

	snprintf(text, sizeof(text), "{\"cpus\":\"%s\"}", cpus);
	put_step("0", text);
	job_add_steps(config, state);
	beside = state->clients[0].is_beside;
	record_free(state);
	return beside;
}

static void make_numa(void)
{
	static const char *const folders[] = {
		"sys/devices",
		"sys/devices/system",
		"sys/devices/system/node",
		"sys/devices/system/node/node0",
		"sys/devices/system/node/node1",
	};
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		ck_assert(mkdir(tempdir_path(folders[i]), 0700) == 0);
	tempdir_put("sys/devices/system/node/node0/cpulist", "0-3\n");
	tempdir_put("sys/devices/system/node/node1/cpulist", "4-7\n");
}

START_TEST(whether_a_job_ran_beside_a_card_of_the_client)
{
	begin();
	make_numa();
	ck_assert_int_eq(is_beside("0-1", "0"), 1);
	ck_assert_int_eq(is_beside("4-5", "0"), 0);
	ck_assert_int_eq(is_beside("4-5", "0-1"), 1);
	ck_assert_int_eq(is_beside("0-1", "0-1"), 1);
	ck_assert_int_eq(is_beside("8", "0-1"), 0);
	/* what is not known is not no */
	ck_assert_int_eq(is_beside("4-5", "0,2"), -1);
	ck_assert_int_eq(is_beside("0-1", "0,2"), 1);
	ck_assert_int_eq(is_beside("0-1", ""), -1);
	ck_assert_int_eq(is_beside("", "0"), -1);
	ck_assert_int_eq(is_beside("0-", "0"), -1);
	teardown();
}
END_TEST

START_TEST(each_client_is_asked_whether_its_card_was_near)
{
	struct record *state;
	struct cpuset numa;
	int i;

	begin();
	make_numa();
	put_step("0", "{\"cpus\":\"0-1\"}");
	state = new_state(7, 1000, 0);
	for (i = 0; i < 3; i++) {
		record_add_client(state, i ? i > 1 ? "c" : "b" : "a", "nfs", "",
				  NULL);
		ck_assert_int_eq(cpuset_parse(&numa, i == 1 ? "1" : "0", NULL),
				 0);
		record_set_cards(state, "ib0", &numa);
	}
	job_add_steps(config, state);
	ck_assert_int_eq(state->clients[0].is_beside, 1);
	ck_assert_int_eq(state->clients[1].is_beside, 0);
	ck_assert_int_eq(state->clients[2].is_beside, 1);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(where_a_job_ran_is_what_all_its_steps_say)
{
	struct record *state;
	struct cpuset all;

	begin();
	put_step("0", "{\"cpus\":\"0-1\"}");
	put_step("1", "{\"cpus\":\"4\"}");
	put_step("2", "{\"cpus\":\"x\"}");
	put_step("3", "{}");
	state = new_state(7, 1000, 0);
	job_add_steps(config, state);
	ck_assert_ptr_null(state->job_cpus); /* of a node without parts */
	record_free(state);
	state = new_state(7, 1000, 0);
	ck_assert_int_eq(cpuset_parse(&all, "0-7", NULL), 0);
	record_add_part(state, 0, 0, &all);
	job_add_steps(config, state);
	ck_assert_str_eq(state->job_cpus, "0-1,4");
	record_free(state);
	teardown();
}
END_TEST

START_TEST(a_task_of_an_array_is_known_by_both_its_numbers)
{
	struct record *state;

	begin();
	put_step("0", "{\"array_task_id\":3}");
	state = new_state(7, 1000, 0);
	job_add_steps(config, state);
	ck_assert_int_eq(state->array_job, RECORD_UNKNOWN);
	ck_assert_int_eq(state->array_task, RECORD_UNKNOWN);
	record_free(state);
	put_step("0", "{\"array_job_id\":5,\"array_task_id\":0}");
	state = new_state(7, 1000, 0);
	job_add_steps(config, state);
	ck_assert_int_eq(state->array_job, 5);
	ck_assert_int_eq(state->array_task, 0);
	record_free(state);
	teardown();
}
END_TEST

START_TEST(a_finding_keeps_what_it_is_about)
{
	struct findings findings = { 0 };
	struct record *state;

	begin();
	state = new_state(7, 1000, 0);
	findings_add(&findings, "X1", FINDING_INFO, NULL, "of all");
	findings_add(&findings, "X2", FINDING_INFO, NULL, "of one");
	snprintf(findings.list[1].target, sizeof(findings.list[1].target),
		 "/mnt/a");
	job_add_findings(state, &findings);
	job_add_findings(state, &findings);
	ck_assert_uint_eq(state->finding_count, 4);
	ck_assert_ptr_null(state->findings[0].target);
	ck_assert_str_eq(state->findings[1].target, "/mnt/a");
	ck_assert_str_eq(state->findings[0].severity, "info");
	ck_assert_ptr_null(state->findings[2].target);
	ck_assert_str_eq(state->findings[3].target, "/mnt/a");
	findings_free(&findings);
	record_free(state);
	teardown();
}
END_TEST

/* ---- the end of a run ----------------------------------------------------------------- */

static struct record *ended(double start_off, double up)
{
	struct record *state = new_state(7, 1000, 0);

	state->start += start_off;
	state->up = up;
	job_state_end(state);
	return state;
}

START_TEST(where_the_kernels_clock_was_not_noted_the_other_one_counts)
{
	struct record *state;

	setup();
	state = ended(-100, -1);
	ck_assert(!(state->flags & RECORD_FLAG(CLOCK_SET)));
	ck_assert(state->end - state->start > 99);
	record_free(state);
	state = ended(100, -1);
	ck_assert(state->flags & RECORD_FLAG(CLOCK_SET) && state->end < 0);
	record_free(state);
	teardown();
}
END_TEST

/* A run of so many seconds by the kernel, which began so long ago by the clock. */
static void expect_end(double took, double ago, bool is_set)
{
	struct record *state = new_state(7, 1000, 0);

	state->start -= ago;
	state->up -= took;
	job_state_end(state);
	ck_assert_int_eq((state->flags & RECORD_FLAG(CLOCK_SET)) != 0, is_set);
	if (is_set)
		ck_assert(state->end - state->start > took - 1 &&
			  state->end - state->start < took + 60);
	else
		ck_assert(state->end - state->start > ago - 1 &&
			  state->end - state->start < ago + 60);
	ck_assert(job_state_is_ended(state));
	record_free(state);
}

START_TEST(a_run_took_as_long_as_the_kernel_says)
{
	setup();
	expect_end(1000, 1000, false);
	expect_end(1000, 1050, false);
	expect_end(1000, 950, false);
	expect_end(1000, 1100, true);
	expect_end(1000, 900, true);
	expect_end(1000, -500, true);
	teardown();
}
END_TEST

START_TEST(a_run_that_began_as_the_node_did_is_as_old_as_the_node)
{
	struct record *state;
	double up;

	setup();
	state = new_state(7, 1000, 0);
	up = state->up;
	state->start -= up + 100;
	state->up = 0;
	job_state_end(state);
	ck_assert(state->flags & RECORD_FLAG(CLOCK_SET));
	ck_assert(state->end - state->start > up - 1 &&
		  state->end - state->start < up + 60);
	record_free(state);
	teardown();
}
END_TEST

/* ---- changes, as the journal and the state know them ------------------------------------ */

#define WHAT "mount-option"

/* Of client "a", from "x" to "y". */
static unsigned int plan(struct journal *journal, const char *target)
{
	struct journal_change change = { .client = (char *)"a",
					 .what = (char *)WHAT,
					 .target = (char *)target,
					 .old_value = (char *)"x",
					 .new_value = (char *)"y" };
	int seq = journal_plan(journal, &change, &err);

	ck_assert_msg(seq > 0, "%s", err.text);
	return (unsigned int)seq;
}

static void mark(struct journal *journal, unsigned int seq,
		 enum journal_state first, enum journal_state last)
{
	ck_assert_int_eq(journal_mark(journal, seq, first, &err), 0);
	if (last != first)
		ck_assert_int_eq(journal_mark(journal, seq, last, &err), 0);
}

static struct journal *open_journal(void)
{
	struct journal *journal =
		journal_open(tempdir_path("run/7/journal"), &err);

	ck_assert_msg(journal != NULL, "%s", err.text);
	return journal;
}

static void expect_change(const struct record *state, size_t i,
			  const char *target, int made, int restored)
{
	ck_assert_uint_lt(i, state->change_count);
	ck_assert_str_eq(state->changes[i].client, "a");
	ck_assert_str_eq(state->changes[i].target, target);
	ck_assert_msg(state->changes[i].made == made &&
			      state->changes[i].restored == restored,
		      "%s: made %d, restored %d", target,
		      state->changes[i].made, state->changes[i].restored);
}

START_TEST(what_became_of_a_change_is_the_journals_word)
{
	struct journal *journal;
	struct record *state;

	begin();
	journal = open_journal();
	mark(journal, plan(journal, "/back"), JOURNAL_DONE, JOURNAL_RESTORED);
	mark(journal, plan(journal, "/failed"), JOURNAL_FAILED, JOURNAL_FAILED);
	mark(journal, plan(journal, "/lost"), JOURNAL_DONE, JOURNAL_LOST);
	mark(journal, plan(journal, "/kept"), JOURNAL_DONE, JOURNAL_KEPT);
	mark(journal, plan(journal, "/killed"), JOURNAL_RESTORED,
	     JOURNAL_RESTORED);
	journal_close(journal);
	state = new_state(7, 1000, 0);
	ck_assert_int_eq(job_mend(config, 7, state, &err), 0);
	ck_assert_uint_eq(state->change_count, 5);
	expect_change(state, 0, "/back", 1, 1);
	expect_change(state, 1, "/failed", 0, -1);
	expect_change(state, 2, "/lost", 1, 0);
	expect_change(state, 3, "/kept", 1, 0);
	expect_change(state, 4, "/killed", -1, 1);
	ck_assert_uint_eq(state->flags, 0);
	record_free(state);
	/* whoever has no state can be told nothing */
	ck_assert_int_eq(job_mend(config, 7, NULL, &err), 0);
	teardown();
}
END_TEST

START_TEST(without_a_journal_the_states_word_stays)
{
	struct record *state;

	begin();
	state = new_state(7, 1000, 0);
	record_add_change(state, "a", WHAT, "/a", "x", "y", 1, 1);
	record_add_change(state, "a", WHAT, "/b", "x", "y", 0, -1);
	ck_assert_int_eq(job_mend(config, 7, state, &err), 0);
	ck_assert_uint_eq(state->change_count, 2);
	expect_change(state, 0, "/a", 1, 1);
	expect_change(state, 1, "/b", 0, -1);
	record_free(state);
	teardown();
}
END_TEST

/* It is told beside what was known of the job. */
static void expect_damaged_journal(void)
{
	struct record *state = with_clients();

	ck_assert_int_eq(job_mend(config, 7, state, &err), 0);
	ck_assert_uint_eq(state->flags, RECORD_FLAG(NODE_REBOOTED) |
						RECORD_FLAG(JOURNAL_DAMAGED));
	record_free(state);
}

START_TEST(a_journal_that_lost_lines_is_told_beside_what_was_known)
{
	begin();
	tempdir_put("run/7/journal", "x\ny\n");
	expect_damaged_journal();
	teardown();
}
END_TEST

/* How many of the changes of a state are to be undone beside those of the journal,
 * which has put back "a", WHAT, "/a", "y". */
static size_t undone(const char *client, const char *what, const char *target,
		     const char *new_value)
{
	struct record *state;
	struct journal *journal;
	size_t count;
	int rc;

	begin();
	journal = open_journal();
	mark(journal, plan(journal, "/first"), JOURNAL_DONE, JOURNAL_RESTORED);
	mark(journal, plan(journal, "/a"), JOURNAL_DONE, JOURNAL_RESTORED);
	journal_close(journal);
	state = new_state(7, 1000, 0);
	record_add_client(state, "a", "weka", "", NULL);
	record_add_client(state, "b", "weka", "", NULL);
	/* neither of these is pending */
	record_add_change(state, "a", WHAT, "/r", "x", "y", 1, 1);
	record_add_change(state, "a", WHAT, "/f", "x", "y", 0, -1);
	record_add_change(state, client, what, target, "x", new_value, -1, -1);
	rc = job_mend(config, 7, state, &err);
	count = state->change_count - 2;
	ck_assert_int_eq(rc, count ? -1 : 0);
	if (count)
		ck_assert_ptr_nonnull(
			strstr(err.text, "jobio.conf has no [client "));
	record_free(state);
	teardown();
	return count;
}

START_TEST(a_change_that_the_journal_lost_is_undone_by_the_states_word)
{
	ck_assert_uint_eq(undone("a", WHAT, "/a", "y"), 0);
	ck_assert_uint_eq(undone("", WHAT, "/a", "y"), 0);
	ck_assert_uint_eq(undone("b", WHAT, "/a", "y"), 1);
	ck_assert_uint_eq(undone("a", "cores", "/a", "y"), 1);
	ck_assert_uint_eq(undone("a", WHAT, "/b", "y"), 1);
	ck_assert_uint_eq(undone("a", WHAT, "/a", "z"), 1);
}
END_TEST

START_TEST(a_journal_that_cannot_be_read_has_lost_lines)
{
	begin();
	ck_assert_int_eq(mkdir(tempdir_path("run/7/journal"), 0700), 0);
	ck_assert(job_has_changes(config, 7, NULL));
	expect_damaged_journal();
	teardown();
}
END_TEST

/* ---- what clients counted, with answers in their place ------------------------------ */

/* By the first letter of a client's name: part of its counters, r that began anew, g that
 * are gone, u that cannot be read, and others of which all is known. */
static int64_t judged[128];
static const char *mounted[3]; /* when the job began, as was told */

int __wrap_client_wire_since(struct client *client, const char *before,
			     struct client_wire *wire, struct err *why)
{
	char kind = *client_facts(client)->name;
	int i;

	ck_assert_str_eq(before, "then");
	memset(wire, 0, sizeof(*wire));
	if (kind == 'u')
		return err_set(why, "cannot be read");
	wire->source = "counters";
	wire->line_count = 2;
	for (i = 0; i < WIRE_KINDS; i++)
		wire->line[0].count[i] = wire->line[1].count[i] = i;
	wire->line[0].is_partial = kind == 'p';
	wire->line[0].has_restarted = kind == 'r';
	wire->line[0].is_gone = kind == 'g';
	return 0;
}

int __wrap_client_mounted_since(struct client *client,
				const struct client_moments *moments,
				struct err *why)
{
	char kind = *client_facts(client)->name;
	size_t i;

	(void)why;
	ck_assert_str_eq(strrchr(moments->then, '/'), "/mountinfo");
	for (i = 0; mounted[i]; i++) {
		ck_assert_uint_lt(i, moments->count);
		ck_assert_str_eq(moments->targets[i], mounted[i]);
	}
	if (i)
		ck_assert_uint_eq(moments->count, i);
	return kind == 'l' ? 1 : kind == 'u' ? -1 : 0;
}

void __wrap_client_judge_work(struct client *client,
			      const struct client_work *work,
			      struct findings *findings)
{
	(void)findings;
	judged[(int)*client_facts(client)->name] = work->syncs;
}

/* A state with these clients, whose counters were noted at the start. */
static struct record *counted_by(const char *names)
{
	struct record *state = new_state(7, 1000, 0);
	char conf[400] = "", wire[800], *at = wire;
	char name[2] = "";

	at += sprintf(at, "{\"boot_id\":\"%s\",\"clients\":{", state->boot_id);
	for (; *names; names++) {
		*name = *names;
		sprintf(conf + strlen(conf), "[client %s]\ntype = nfs\n", name);
		at += sprintf(at, "\"%s\":\"then\"%s", name,
			      names[1] ? "," : "}}");
		record_add_client(state, name, "nfs", "", NULL);
	}
	load(conf);
	tempdir_put("run/7/wire", wire);
	state->flags = RECORD_FLAG(NODE_REBOOTED);
	return state;
}

static void expect_flags(const char *names, uint64_t flags, size_t lines)
{
	struct record *state = counted_by(names);

	job_wire_read(config, state);
	ck_assert_uint_eq(state->flags, flags | RECORD_FLAG(NODE_REBOOTED));
	ck_assert_uint_eq(state->wire_count, lines);
	record_free(state);
}

START_TEST(what_one_client_lacks_is_told_beside_what_others_lack)
{
	begin();
	expect_flags("a", 0, 2);
	expect_flags("p", RECORD_FLAG(OSC_PARTIAL), 2);
	expect_flags("r", RECORD_FLAG(WIRE_RESET), 1);
	expect_flags("g", RECORD_FLAG(UNMOUNTED), 1);
	expect_flags("u", RECORD_FLAG(CLIENT_UNREADABLE), 0);
	expect_flags("l", RECORD_FLAG(MOUNTED_LATE), 2);
	expect_flags("ugrpla",
		     RECORD_FLAG(OSC_PARTIAL) | RECORD_FLAG(WIRE_RESET) |
			     RECORD_FLAG(UNMOUNTED) |
			     RECORD_FLAG(CLIENT_UNREADABLE) |
			     RECORD_FLAG(MOUNTED_LATE),
		     8);
	teardown();
}
END_TEST

START_TEST(whether_a_mount_came_late_is_asked_of_all_that_were_there)
{
	struct record *state;

	begin();
	state = counted_by("l");
	mounted[0] = "/a";
	mounted[1] = "/b";
	record_add_mount(state, "/a", "nfs", "srv:/a");
	record_add_mount(state, "/b", "nfs", "srv:/b");
	job_wire_read(config, state);
	ck_assert(state->flags & RECORD_FLAG(MOUNTED_LATE));
	record_free(state);
	mounted[0] = NULL;
	teardown();
}
END_TEST

static void add_syncs(struct record *state, const char *fs,
		      enum record_scope scope, int64_t count)
{
	struct record_io io;

	record_io_init(&io);
	strcpy(io.source, "bpf");
	io.scope = scope;
	io.fs = (char *)fs;
	io.has_meta = count >= 0;
	io.meta[RECORD_META_FSYNC] = count;
	ck_assert_int_eq(record_add_app(state, &io), 0);
}

START_TEST(a_client_is_judged_by_the_syncs_on_its_own_mounts)
{
	struct record *state;

	begin();
	state = counted_by("abc");
	record_add_mount(state, "/c", "nfs", "srv:/c");
	record_add_mount(state, "/a", "nfs", "srv:/a");
	record_add_mount(state, "/b", "nfs", "srv:/b");
	record_add_mount(state, "/more", "nfs", "srv:/more");
	state->mounts[0].client = 2;
	state->mounts[1].client = state->mounts[3].client = 0;
	state->mounts[2].client = 1;
	add_syncs(state, "/b", RECORD_SCOPE_JOB, 1000);
	add_syncs(state, NULL, RECORD_SCOPE_JOB, 2000);
	add_syncs(state, "/a", RECORD_SCOPE_JOB, 3);
	add_syncs(state, "/a", RECORD_SCOPE_NODE, 500);
	add_syncs(state, "/c", RECORD_SCOPE_JOB, -1);
	add_syncs(state, "/more", RECORD_SCOPE_JOB, 4);
	job_wire_read(config, state);
	ck_assert_int_eq(judged['a'], 7);
	ck_assert_int_eq(judged['b'], 1000);
	ck_assert_int_eq(judged['c'], RECORD_UNKNOWN);
	record_free(state);
	teardown();
}
END_TEST

UNIT_MAIN("left", what_lies_in_run_and_spool_is_roots_alone,
	  runs_that_are_noted_beside_a_spool_that_is_away_are_roots_too,
	  folders_that_cannot_be_made_are_an_error_whichever_it_is,
	  of_a_job_whose_names_in_run_do_not_fit_nothing_is_known,
	  without_room_for_names_in_the_spool_there_is_no_record,
	  names_that_fit_are_used_however_long_they_are,
	  the_numbers_of_jobs_go_from_1_to_the_last_that_slurm_has,
	  now_is_not_before_the_second_that_the_clock_shows,
	  a_path_beside_this_program_fits_or_is_none,
	  where_this_program_is_does_not_fit_no_helper_is_beside_it,
	  on_a_full_disk_the_record_takes_the_room_of_what_is_in_the_making,
	  on_a_bad_disk_the_job_stays_to_be_finished,
	  a_line_of_the_log_says_whose_it_is,
	  each_client_that_counts_is_noted_and_why_one_cannot_is_logged,
	  a_sender_that_is_not_beside_this_program_is_not_started,
	  the_working_directory_is_left_as_the_kernel_writes_it,
	  mounts_of_a_job_without_a_folder_are_not_left,
	  what_steps_saw_alone_is_read_from_files_of_their_own,
	  of_more_steps_than_a_job_is_thought_to_have_some_are_left_out,
	  a_mount_of_a_clients_type_that_a_step_has_alone_is_told,
	  what_one_step_says_the_others_do_not_take_back,
	  the_first_sentence_of_the_gate_is_the_jobs,
	  whether_a_job_ran_beside_a_card_of_the_client,
	  each_client_is_asked_whether_its_card_was_near,
	  where_a_job_ran_is_what_all_its_steps_say,
	  a_task_of_an_array_is_known_by_both_its_numbers,
	  a_finding_keeps_what_it_is_about,
	  where_the_kernels_clock_was_not_noted_the_other_one_counts,
	  a_run_took_as_long_as_the_kernel_says,
	  a_run_that_began_as_the_node_did_is_as_old_as_the_node,
	  what_became_of_a_change_is_the_journals_word,
	  without_a_journal_the_states_word_stays,
	  a_journal_that_lost_lines_is_told_beside_what_was_known,
	  a_change_that_the_journal_lost_is_undone_by_the_states_word,
	  a_journal_that_cannot_be_read_has_lost_lines,
	  what_one_client_lacks_is_told_beside_what_others_lack,
	  whether_a_mount_came_late_is_asked_of_all_that_were_there,
	  a_client_is_judged_by_the_syncs_on_its_own_mounts)
