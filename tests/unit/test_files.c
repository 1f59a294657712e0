/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files and commands under faults: writes on a full or failing disk and in a process that is
 * killed, the journal, the folders of jobs, commands with timeouts, processes by name, and
 * the cache of slurmctld's node record. */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/lock.h"
#include "base/rundir.h"
#include "base/sysfs.h"
#include "client/journal.h"
#include "cores/node_load.h"
#include "tests/unit/rows.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define SH(script) ((char *[]){ "/bin/sh", "-c", (script), NULL })

static struct err err;

static unsigned int mode_of(const char *name)
{
	struct stat st;

	ck_assert_int_eq(lstat(tempdir_path(name), &st), 0);
	return st.st_mode & 07777U;
}

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

/* Limit the size of this process's files; RLIM_INFINITY: no limit. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit = { bytes, RLIM_INFINITY };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit); /* no assertion: Check would write to its file */
}

/* ---- files --------------------------------------------------------------------------- */

START_TEST(a_file_is_written_whole_with_its_mode_and_read_back)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 4097, 100000 };
	char *data = malloc(100001), *text;
	size_t size;

	tempdir_make();
	for (size_t i = 0; i < 100000; i++)
		data[i] = (char)(i * 7);
	for (size_t i = 0; i < ROWS(sizes); i++) {
		ck_assert_int_eq(fileio_write(tempdir_path("a"), data, sizes[i], 0640, &err), 0);
		text = fileio_read(tempdir_path("a"), sizes[i], &size, &err);
		ck_assert_msg(text && size == sizes[i] && !memcmp(text, data, size), "%s",
			      err.text);
		ck_assert(!text[size] && mode_of("a") == 0640);
		free(text);
	}
	ck_assert_ptr_null(fileio_read(tempdir_path("a"), 99999, NULL, &err));
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_int_eq(chdir(tempdir_name), 0);
	ck_assert_int_eq(fileio_write_volatile("a", "x", 1, 0600, NULL), 0);
	tempdir_expect("a", "x");
	ck_assert_int_eq(chdir("/"), 0);
	free(data);
	tempdir_remove();
}
END_TEST

START_TEST(links_are_neither_read_nor_followed_by_a_write)
{
	char *text;

	tempdir_make();
	tempdir_put("victim", "secret");
	ck_assert_int_eq(symlink("victim", tempdir_path("link")), 0);
	ck_assert_int_eq(mkfifo(tempdir_path("fifo"), 0600), 0);
	ck_assert_ptr_null(fileio_read(tempdir_path("link"), 99, NULL, &err));
	ck_assert_int_eq(errno, ELOOP);
	text = fileio_read_linked(tempdir_path("link"), 99, &err);
	ck_assert_str_eq(text, "secret");
	free(text);
	ck_assert_ptr_null(fileio_read(tempdir_path("fifo"), 99, NULL, &err));
	ck_assert_ptr_nonnull(strstr(err.text, "not a regular file"));
	ck_assert_int_eq(fileio_write(tempdir_path("link"), "x", 1, 0600, NULL), 0);
	tempdir_expect("victim", "secret");
	tempdir_expect("link", "x");
	tempdir_remove();
}
END_TEST

/* The folder contains this file only. */
static void expect_alone(const char *name, const char *text)
{
	tempdir_expect(name, text);
	ck_assert_int_eq(fileio_rmtree(tempdir_path(name), NULL), 0);
	ck_assert_int_eq(rmdir(tempdir_name), 0);
}

START_TEST(a_write_on_a_full_disk_leaves_the_old_text_and_no_temporary_file)
{
	int rc;

	tempdir_make();
	tempdir_put("a", "old");
	limit_files(4); /* applies to Check's own file as well */
	rc = fileio_write(tempdir_path("a"), "newer", 5, 0600, &err);
	limit_files(RLIM_INFINITY);
	ck_assert_int_eq(rc, -1);
	ck_assert(strstr(err.text, "cannot write") && strstr(err.text, "File too large"));
	expect_alone("a", "old");
	tempdir_make();
	ck_assert_int_eq(mkdir(tempdir_path("a"), 0700), 0);
	ck_assert_int_eq(fileio_write_volatile(tempdir_path("a"), "x", 1, 0600, &err), -1);
	ck_assert_int_eq(errno, EISDIR);
	expect_alone("a", "");
}
END_TEST

/* From now on fsync(2) fails with EIO in this process, as on a failing disk. */
static void fail_fsync(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ROWS(filter), filter };

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

START_TEST(a_write_that_fsync_does_not_confirm_is_an_error_but_for_files_of_run)
{
	tempdir_make();
	tempdir_put("a", "old");
	fail_fsync();
	ck_assert_int_eq(fileio_write(tempdir_path("a"), "x", 1, 0600, &err), -1);
	ck_assert_int_eq(errno, EIO);
	ck_assert_int_eq(fileio_write_before(tempdir_path("a"), "x", 1, 0600, &err), -1);
	tempdir_expect("a", "old");
	ck_assert_int_eq(fileio_write_volatile(tempdir_path("a"), "new", 3, 0600, &err), 0);
	expect_alone("a", "new");
}
END_TEST

/* Without read permission on the folder, fsync(2) of the folder is impossible: the new name may
 * be lost in a crash. */
START_TEST(a_name_that_cannot_be_made_durable_is_an_error)
{
	tempdir_make();
	if (geteuid() == 0)
		ck_assert(chown(tempdir_name, 65534, 65534) == 0 && seteuid(65534) == 0);
	ck_assert_int_eq(chmod(tempdir_name, 0300), 0);
	ck_assert_int_eq(fileio_write(tempdir_path("a"), "x", 1, 0600, &err), -1);
	ck_assert_int_eq(errno, EACCES);
	ck_assert_int_eq(fileio_write_before(tempdir_path("b"), "x", 1, 0600, &err), 0);
	ck_assert_int_eq(chmod(tempdir_name, 0700), 0);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	tempdir_remove();
}
END_TEST

/* Start a process that writes the two texts in turn, without end. */
static pid_t start_writer(const char *path, size_t size)
{
	pid_t pid = fork();
	char *text;

	if (pid)
		return pid;
	text = malloc(size);
	for (char letter = 'a';; letter ^= 'a' ^ 'b') {
		memset(text, letter, size);
		fileio_write_volatile(path, text, size, 0600, NULL);
	}
}

START_TEST(a_process_that_is_killed_while_it_writes_leaves_one_whole_text)
{
	const size_t size = 300000;
	char command[600], *text;
	size_t got;
	pid_t pid;

	tempdir_make();
	for (int i = 0; i < 20; i++) {
		pid = start_writer(tempdir_path("a"), size);
		while (access(tempdir_path("a"), F_OK) < 0)
			pause_ms(1);
		pause_ms(i % 5);
		kill(pid, SIGKILL);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		text = fileio_read(tempdir_path("a"), size, &got, &err);
		ck_assert_msg(text != NULL, "%s", err.text);
		ck_assert(got == size && strspn(text, *text == 'a' ? "a" : "b") == size);
		free(text);
	}
	/* the temporary file has a known name; prologs remove it */
	snprintf(command, sizeof(command), "cd %s && rm a && ! ls | grep -v '^a\\.tmp\\.'",
		 tempdir_name);
	ck_assert_int_eq(system(command), 0);
	ck_assert(rundir_is_temporary("a.tmp.4711"));
	tempdir_remove();
}
END_TEST

START_TEST(a_folder_of_another_user_or_mode_is_refused_and_links_are_not_followed)
{
	tempdir_make();
	umask(077);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0755, &err), 0);
	umask(022);
	ck_assert_uint_eq(mode_of("d"), 0755);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), 0);
	ck_assert_uint_eq(mode_of("d"), 0700);
	ck_assert_int_eq(chmod(tempdir_path("d"), 0720), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0755, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "with mode 720; it must be"));
	ck_assert_int_eq(chmod(tempdir_path("d"), 0700), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(tempdir_path("d"), 1, 1), 0);
		ck_assert_int_eq(fileio_mkdir(tempdir_path("d"), 0700, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.text, "belongs to uid 1 with mode 700"));
	}
	ck_assert_int_eq(symlink("d", tempdir_path("l")), 0);
	ck_assert_int_eq(fileio_mkdir(tempdir_path("l"), 0700, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "exists and is not a folder"));
	ck_assert_int_eq(fileio_mkdir(tempdir_path("no/d"), 0755, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot make folder"));
	tempdir_put("t/u/f", "x");
	tempdir_put("keep", "x");
	ck_assert_int_eq(symlink("../../keep", tempdir_path("t/u/l")), 0);
	ck_assert_int_eq(symlink("..", tempdir_path("t/up")), 0);
	ck_assert_int_eq(fileio_rmtree(tempdir_path("t"), NULL), 0);
	ck_assert_int_eq(fileio_rmtree(tempdir_path("t"), NULL), 0); /* no such folder */
	ck_assert_int_eq(access(tempdir_path("t"), F_OK), -1);
	tempdir_expect("keep", "x");
	tempdir_remove();
}
END_TEST

START_TEST(a_lock_is_waited_for_until_its_deadline)
{
	unsigned long long begin = child_now_ms();
	int a, b;

	tempdir_make();
	tempdir_put("lock", "");
	a = open(tempdir_path("lock"), O_RDWR | O_CLOEXEC);
	b = open(tempdir_path("lock"), O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(lock_wait(a, 0), 0);
	ck_assert_int_eq(lock_wait(b, 100), -1);
	ck_assert_uint_ge(child_now_ms() - begin, 100);
	close(a);
	ck_assert_int_eq(lock_wait(b, 0), 0);
	close(b);
	tempdir_remove();
}
END_TEST

START_TEST(names_below_run_dir_and_spool_dir_are_those_of_the_manual)
{
	static const struct {
		const char *name;
		bool leftover, record;
	} names[] = { { ".gone.7", true, false },  { "node.json.tmp.4711", true, false },
		      { "7", false, false },	   { "7.0.c1.json", false, true },
		      { ".json", false, false },   { "7.0.c1.json.tmp.4711", true, false },
		      { ".7.json", false, false }, { "reason", false, false } };
	char path[RUNDIR_PATH_MAX];

	for (size_t i = 0; i < ROWS(names); i++)
		ck_assert_msg(rundir_is_temporary(names[i].name) == names[i].leftover &&
				      rundir_is_record(names[i].name) == names[i].record,
			      "%s", names[i].name);
	rundir_step_file(path, "/r", 7, 0, NULL);
	ck_assert_str_eq(path, "/r/7/steps/0");
	rundir_step_file(path, "/r", 7, 0xfffffffbU, NULL);
	ck_assert_str_eq(path, "/r/7/steps/batch");
	rundir_step_file(path, "/r", 7, 0xfffffffcU, NULL);
	ck_assert_str_eq(path, "/r/7/steps/extern");
	rundir_step_file(path, "/r", 7, 0xfffffffaU, NULL);
	ck_assert_str_eq(path, "/r/7/steps/interactive");
	rundir_record_file(path, "/s", 7, -1, "c1", NULL);
	ck_assert_str_eq(path, "/s/7.x.c1.json");
	/* a node name with "../" is refused */
	ck_assert_int_eq(rundir_open_file(path, "/s", 7, "../../x", &err), -1);
	ck_assert_int_eq(rundir_open_file(path, "/s", 7, "", &err), -1);
	ck_assert_str_eq(err.text, "node name '': not a name");
	tempdir_make();
	ck_assert_int_eq(rundir_make_job(tempdir_name, 7, NULL), 0);
	ck_assert_int_eq(rundir_make_steps(tempdir_name, 7, NULL), 0);
	ck_assert(mode_of("7") == 0700 && mode_of("7/steps") == 0700);
	tempdir_remove();
}
END_TEST

/* ---- the journal ---------------------------------------------------------------------- */

static struct change change = {
	.client = "weka",
	.kind = "mount-option",
	.target = "/mnt/we \"ka\\",
	.old_value = "writecache",
	.new_value = "forcedirect",
};

static struct journal *reopen(struct journal *journal)
{
	journal_close(journal);
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_msg(journal != NULL, "%s", err.text);
	return journal;
}

START_TEST(a_journal_keeps_the_last_state_of_each_change)
{
	struct journal *journal, *scratch;
	const struct changes *changes;
	const struct change *found;
	enum change_state state;

	tempdir_make();
	journal = reopen(NULL);
	ck_assert(mode_of("journal") == 0600 && !journal_is_pending(journal));
	for (state = CHANGE_PLANNED; state < CHANGE_STATES; state++) {
		ck_assert_int_eq(journal_plan(journal, &change, NULL), 0);
		ck_assert_uint_eq(change.seq, state + 1);
		journal_mark(journal, change.seq, state, NULL);
	}
	journal = reopen(journal);
	changes = journal_changes(journal);
	ck_assert_uint_eq(changes->count, CHANGE_STATES);
	for (state = CHANGE_PLANNED; state < CHANGE_STATES; state++) {
		found = &changes->list[state];
		ck_assert(found->seq == state + 1 && found->state == state);
		ck_assert_str_eq(found->target, "/mnt/we \"ka\\");
		ck_assert_int_eq(found->was_done, state == CHANGE_DONE || state == CHANGE_KEPT);
	}
	ck_assert_int_eq(journal_mark(journal, 9, CHANGE_DONE, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': no change 9"));
	scratch = journal_scratch(tempdir_path("journal")); /* marks are kept in memory only */
	journal_mark(scratch, CHANGE_PLANNED + 1, CHANGE_RESTORED, NULL);
	ck_assert(journal_is_pending(scratch)); /* one change is still DONE */
	journal_mark(scratch, CHANGE_DONE + 1, CHANGE_RESTORED, NULL);
	ck_assert(!journal_is_pending(scratch) &&
		  journal_changes(scratch)->list[CHANGE_DONE].was_done);
	ck_assert(journal_is_pending(journal = reopen(journal)));
	journal_close(scratch);
	journal_close(journal);
	tempdir_remove();
}
END_TEST

/* Property: after a cut at any byte, complete lines are read and the next line is written whole. */
START_TEST(a_truncated_journal_has_its_complete_lines_and_accepts_the_next)
{
	struct journal *journal;
	size_t size, lines;
	char *text;

	tempdir_make();
	journal = reopen(NULL);
	for (int i = 0; i < 3; i++)
		journal_plan(journal, &change, NULL);
	text = fileio_read(tempdir_path("journal"), 9999, &size, NULL);
	for (size_t cut = 0; cut <= size; cut++) {
		ck_assert_int_eq(truncate(tempdir_put("journal", text), (off_t)cut), 0);
		lines = 0;
		for (size_t i = 0; i < cut; i++)
			lines += text[i] == '\n';
		journal = reopen(journal);
		ck_assert(!journal_is_damaged(journal) && journal_changes(journal)->count == lines);
		ck_assert_int_eq(journal_plan(journal, &change, NULL), 0);
		journal = reopen(journal);
		ck_assert(!journal_is_damaged(journal) &&
			  journal_changes(journal)->count == lines + 1);
	}
	free(text);
	journal_close(journal);
	tempdir_remove();
}
END_TEST

START_TEST(a_damaged_line_of_a_journal_is_reported_and_the_others_are_read)
{
#define LINE(seq, state)                                                                                   \
	"{\"seq\":" #seq                                                                                   \
	",\"client\":\"w\",\"what\":\"x\",\"target\":\"y\",\"old\":\"1\",\"new\":\"z\",\"state\":\"" state \
	"\"}\n"
	static const struct {
		const char *text;
		size_t count;
		bool damaged;
	} rows[] = {
		{ "\n\n", 0, false },
		{ LINE(9, "planned") LINE(4, "done"), 2, false },
		{ LINE(1, "planned") "garbage\n" LINE(2, "planned"), 2, true },
		{ "[1]\n", 0, true },
		{ "{}\n", 0, true },
		{ LINE(0, "planned"), 0, true },
		{ LINE(1, "perhaps"), 0, true },
		{ LINE("1", "planned"), 0, true },
		{ "{\"seq\":1,\"state\":\"planned\"}\n", 0, true },
		{ "{\"seq\":1,\"state\":\"done\"}\n", 0, true },
	};
	struct journal *journal = NULL;

	tempdir_make();
	for (size_t i = 0; i < ROWS(rows); i++) {
		tempdir_put("journal", rows[i].text);
		journal = reopen(journal);
		ck_assert_msg(journal_is_damaged(journal) == rows[i].damaged &&
				      journal_changes(journal)->count == rows[i].count,
			      "%s", rows[i].text);
		if (i == 1) /* the number after the highest one */
			ck_assert(journal_plan(journal, &change, NULL) == 0 && change.seq == 10);
	}
	journal_close(journal);
	journal = journal_scratch(tempdir_path("journal/x")); /* unreadable */
	ck_assert(journal_is_damaged(journal) && journal_changes(journal)->count == 0);
	journal_close(journal);
	unlink(tempdir_path("journal"));
	ck_assert_int_eq(symlink("elsewhere", tempdir_path("journal")), 0);
	ck_assert_ptr_null(journal_open(tempdir_path("journal"), &err));
	ck_assert_ptr_nonnull(strstr(err.text, "': Too many levels of symbolic links"));
	tempdir_remove();
}
END_TEST

START_TEST(a_line_of_the_journal_that_does_not_fit_on_the_disk_is_removed)
{
	struct journal *journal;
	struct stat st;
	off_t whole;
	int rc[2];

	tempdir_make();
	journal = reopen(NULL);
	journal_plan(journal, &change, NULL);
	stat(tempdir_path("journal"), &st);
	whole = st.st_size;
	limit_files((rlim_t)whole + 10); /* room for part of a line */
	rc[0] = journal_plan(journal, &change, &err);
	limit_files(0);
	rc[1] = journal_mark(journal, 1, CHANGE_REPLACED, NULL);
	limit_files(RLIM_INFINITY);
	ck_assert(rc[0] == -1 && rc[1] == -1);
	ck_assert_ptr_nonnull(strstr(err.text, "': No space left on device"));
	ck_assert(journal_changes(journal)->count == 1 &&
		  journal_changes(journal)->list[0].state == CHANGE_REPLACED);
	ck_assert(journal_plan(journal, &change, NULL) == 0 && change.seq == 2);
	stat(tempdir_path("journal"), &st);
	ck_assert_int_eq(st.st_size, 2 * whole);
	journal = reopen(journal);
	ck_assert_int_eq(journal_changes(journal)->list[0].state, CHANGE_PLANNED);
	for (int i = 3; i <= 256; i++)
		ck_assert_int_eq(journal_plan(journal, &change, NULL), 0);
	ck_assert_int_eq(journal_plan(journal, &change, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "more than 256 changes"));
	journal_close(journal);
	tempdir_remove();
}
END_TEST

/* ---- commands ---------------------------------------------------------------------------- */

static void expect_no_child(void)
{
	ck_assert(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
}

START_TEST(a_command_has_a_status_and_output_or_is_killed_at_its_deadline)
{
	static const struct {
		char *script;
		unsigned int timeout_ms;
		int status; /* -1: not run to its end */
		const char *out, *errtext;
	} rows[] = {
		{ "echo out; echo err >&2; exit 7", 20000, 7, "out\n", "err\n" },
		{ ":", 20000, 0, "", "" },
		{ "kill -9 $$", 20000, 128 + SIGKILL, "", "" },
		{ "kill -TERM $$", 20000, 128 + SIGTERM, "", "" },
		{ "exec 2>&-; sleep 0.1; echo late", 20000, 0, "late\n", "" },
		{ "exec >&-; sleep 0.1; echo late >&2", 20000, 0, "", "late\n" },
		{ "setsid sleep 2 & echo started", 20000, 0, "started\n", "" },
		{ "for i in 0 1 2 3 4 5 6 7 8 9 77; do test -e /proc/self/fd/$i && echo $i; done; :",
		  20000, 0, "0\n1\n2\n", "" },
		{ "echo $A $LC_ALL $LD_PRELOAD_FAKE", 20000, 0, "b C\n", "" },
		{ "sleep 30 & sleep 30", 100, -1, "no answer within 100 ms", NULL },
		{ "exec >&- 2>&-; exec sleep 30", 100, -1, "no answer within 100 ms", NULL },
		{ "yes", 20000, -1, "bytes of output", NULL },
	};
	unsigned long long begin = child_now_ms();
	char *env[] = { "A=b", NULL };
	struct child_result r;

	setenv("LD_PRELOAD_FAKE", "evil", 1);
	signal(SIGTERM, SIG_IGN);
	ck_assert_int_eq(dup2(1, 77), 77);
	for (size_t i = 0; i < ROWS(rows); i++) {
		int rc = child_run(SH(rows[i].script), env, rows[i].timeout_ms, &r, &err);

		ck_assert_msg((rc < 0) == (rows[i].status < 0), "%s", rows[i].script);
		if (rc < 0) {
			ck_assert_ptr_nonnull(strstr(err.text, rows[i].out));
			continue;
		}
		ck_assert_msg(r.status == rows[i].status, "%s: %d", rows[i].script, r.status);
		ck_assert_str_eq(r.out, rows[i].out);
		ck_assert_str_eq(r.errtext, rows[i].errtext);
		child_result_free(&r);
	}
	ck_assert_uint_lt(child_now_ms() - begin, 15000);
	ck_assert_int_eq(child_run((char *[]){ "/no/such", NULL }, NULL, 5000, &r, NULL), 0);
	ck_assert_int_eq(r.status, 127);
	ck_assert_str_eq(r.errtext, "cannot execute /no/such: No such file or directory\n");
	child_result_free(&r);
}
END_TEST

START_TEST(all_that_a_command_started_is_killed_with_it)
{
	struct child_result r;
	char script[700];

	tempdir_make();
	snprintf(script, sizeof(script), "(sleep 0.4; : >%s) & sleep 30", tempdir_path("late"));
	ck_assert_int_eq(child_run(SH(script), NULL, 100, &r, NULL), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	pause_ms(500);
	ck_assert_int_eq(access(tempdir_path("late"), F_OK), -1);
	expect_no_child();
	tempdir_remove();
}
END_TEST

static void ours(int number)
{
	_exit(number);
}

static void nothing(int number)
{
	(void)number;
}

static int speak(void *arg)
{
	printf("%s", (char *)arg);
	fflush(stdout);
	return 3;
}

static int speak_and_hang(void *arg)
{
	speak(arg);
	for (;;)
		pause();
	return 0;
}

static int end_itself(void *arg)
{
	kill(getpid(), *(int *)arg);
	return 0;
}

START_TEST(a_function_in_a_child_has_the_same_deadline_and_no_signal_handlers)
{
	struct itimerval often = { { 0, 5000 }, { 0, 5000 } }, never = { 0 };
	struct child_result r;
	int number = SIGTERM;

	signal(SIGTERM, ours);
	ck_assert_int_eq(child_call("end", end_itself, &number, 5000, &r, NULL), 0);
	ck_assert_int_eq(r.status, 128 + SIGTERM);
	child_result_free(&r);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = nothing }, NULL);
	setitimer(ITIMER_REAL, &often, NULL); /* the wait continues after signals */
	ck_assert_int_eq(child_call("read", speak, "hello", 5000, &r, &err), 0);
	ck_assert_int_eq(r.status, 3);
	ck_assert_str_eq(r.out, "hello");
	child_result_free(&r);
	setitimer(ITIMER_REAL, &never, NULL);
	ck_assert_int_eq(child_call("read of x", speak_and_hang, "half", 100, &r, &err), -1);
	ck_assert_str_eq(err.text, "'read of x': no answer within 100 ms");
	ck_assert_int_eq(child_call_partial("read", speak_and_hang, "half", 300, &r, &err), -1);
	ck_assert_str_eq(r.out, "half"); /* printed before the timeout */
	child_result_free(&r);
	expect_no_child();
}
END_TEST

START_TEST(a_started_child_gets_sigterm_after_its_grace_and_then_sigkill)
{
	static char *const scripts[] = {
		"sleep 0.1; : >done",
		"trap ': >done; exit' TERM; : >ready; while :; do sleep 0.05; done",
		"trap '' TERM; : >ready; while :; do sleep 0.05; done"
	};
	const int stdio[3] = { -1, -1, -1 };
	unsigned long long begin;
	char script[400];
	pid_t pid;

	for (int i = 0; i < 3; i++) {
		tempdir_make();
		snprintf(script, sizeof(script), "cd %s; %s", tempdir_name, scripts[i]);
		pid = child_start(SH(script), NULL, stdio, &err);
		ck_assert_int_eq(getpgid(pid), pid);
		while (i && access(tempdir_path("ready"), F_OK) < 0)
			pause_ms(5);
		begin = child_now_ms();
		child_end(pid, i ? 50 : 20000);
		ck_assert_int_eq(access(tempdir_path("done"), F_OK), i < 2 ? 0 : -1);
		ck_assert_uint_lt(child_now_ms() - begin, 15000);
		expect_no_child();
		tempdir_remove();
	}
	ck_assert_int_eq(child_detach((char *[]){ "/bin/sleep", "1", NULL }, &err), 0);
	expect_no_child();
}
END_TEST

/* ---- processes ------------------------------------------------------------------------------ */

static void put_process(const char *pid, const char *cmdline, const char *comm)
{
	char path[100];

	snprintf(path, sizeof(path), "proc/%s/cmdline", pid);
	tempdir_put(path, cmdline);
	snprintf(path, sizeof(path), "proc/%s/comm", pid);
	tempdir_put(path, comm);
}

START_TEST(processes_of_root_and_ours_in_our_namespace_are_known_by_title_and_name)
{
	char proc[512];

	sysfs_set_root(tempdir_make());
	snprintf(proc, sizeof(proc), "%s", tempdir_path("proc"));
	ck_assert_int_eq(process_named(proc, "mmfsd"), -1);
	put_process("11", "slurmstepd: [7.0]", "slurmstepd\n");
	put_process("12", "slurmstepd: [7.batch]", "mmfsd\n");
	put_process("13", "slurmstepd: [77.0]", "mmfsd2\n");
	put_process("x14", "slurmstepd: [7.1]", "mmfsd\n");
	ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 2);
	ck_assert_int_eq(process_count_titled("slurmd"), 0);
	ck_assert_int_eq(process_named(proc, "mmfsd"), 12);
	ck_assert(process_is_named(12, "mmfsd") && !process_is_named(13, "mmfsd"));
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(tempdir_path("proc/12"), 12345, 12345), 0);
		ck_assert_int_eq(process_named(proc, "mmfsd"), 0);
		ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 1);
	}
	tempdir_put("proc/11/ns/pid", ""); /* process of a container */
	ck_assert_int_eq(process_count_titled("slurmstepd: [7."), geteuid() == 0 ? 0 : 1);
	tempdir_remove();
}
END_TEST

/* ---- the cache of the node record ---------------------------------------------------------- */

/* A jobio-slurm that prints a node record and counts its calls. */
static const char *helper(long long conf_read_at)
{
	static char path[600];
	char script[1500];

	snprintf(
		script, sizeof(script),
		"#!/bin/sh\necho >>%%s/calls\necho '{\"name\":\"n1\",\"cpus\":8,\"boards\":1,\"sockets\":1,\"cores_per_socket\":4,\"threads_per_core\":2,\"core_spec_count\":1,\"cpu_spec_list\":null,\"version\":\"24.11.5\",\"controller_version\":\"24.11.5\",\"conf_read_at\":%lld,\"allow_spec_resources_usage\":true,\"select_type\":\"\",\"scheduler_parameters\":\"\",\"slurmd_parameters\":\"\"}'\n",
		conf_read_at);
	return tempdir_command("helper", script, path);
}

/* Number of calls of slurmctld after this load. */
static long load(const char *with, const char *node)
{
	struct node_state state = { 0 };
	struct stat st = { 0 };

	ck_assert_msg(node_load(tempdir_name, with, node, 5000, &state, &err) == 0, "%s", err.text);
	ck_assert(state.node.cpus == 8 && state.map);
	node_state_free(&state);
	stat(tempdir_path("calls"), &st);
	return (long)st.st_size;
}

static void set_age(const char *path, long seconds)
{
	struct utimbuf times = { time(NULL) - seconds, time(NULL) - seconds };

	ck_assert_int_eq(utime(path, &times), 0);
}

/* Overwrite the cache with 'new', so many bytes after the start of 'from'. */
static void change_cache(const char *from, size_t behind, const char *new)
{
	char *text = fileio_read(tempdir_path("node.json"), 1 << 20, NULL, NULL);
	char *at = text ? strstr(text, from) : NULL;

	ck_assert_msg(at != NULL, "%s", from);
	memcpy(at + behind, new, strlen(new));
	tempdir_put("node.json", text);
	free(text);
}

static void write_cache_at(time_t when)
{
	char number[24];

	snprintf(number, sizeof(number), "%10lld", (long long)when);
	change_cache("\"written_at\":", strlen("\"written_at\":"), number);
}

/* This process takes the role of slurmd; otherwise the oldest slurmd of the machine would. */
static void begin_node(const char *conf)
{
	prctl(PR_SET_NAME, "slurmd");
	tempdir_make();
	setenv("SLURM_CONF", tempdir_put(conf, "x"), 1);
	set_age(getenv("SLURM_CONF"), 100);
}

START_TEST(slurmctld_is_asked_again_after_a_change_of_slurm_conf_or_slurmd)
{
	const char *with;
	int status;
	pid_t pid;

	begin_node("slurm.conf");
	with = helper((long long)time(NULL));
	ck_assert_int_eq(load(with, "n1"), 1);
	ck_assert_int_eq(load(with, "n1"), 1);
	ck_assert_int_eq(load(with, NULL), 1);
	ck_assert_uint_eq(mode_of("node.json"), 0600);
	set_age(getenv("SLURM_CONF"), 50);
	ck_assert_int_eq(load(with, "n1"), 2);
	set_age(tempdir_put("nodes.conf", "y"), 100); /* a file beside slurm.conf */
	ck_assert_int_eq(load(with, "n1"), 3);
	ck_assert_int_eq(load(with, "n2"), 4); /* another node of this host */
	tempdir_put("node.json", "{\"format\":1,");
	ck_assert_int_eq(load(with, "n1"), 5);
	prctl(PR_SET_NAME, "slurmd-wlm"); /* the process name on Debian, after reconfigure */
	ck_assert_int_eq(load(with, "n1"), 5);
	prctl(PR_SET_NAME, "test_files");
	pid = fork();
	if (pid == 0) { /* a new slurmd process */
		prctl(PR_SET_NAME, "slurmd");
		_exit((int)load(with, "n1"));
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), 6);
	ck_assert_int_eq(load(with, "n1"), 7); /* that process has exited */
	tempdir_remove();
}
END_TEST

START_TEST(a_record_older_than_slurm_conf_holds_for_a_minute)
{
	const char *with;

	begin_node("slurm.conf");
	with = helper((long long)time(NULL) - 1000);
	ck_assert_int_eq(load(with, "n1"), 1);
	write_cache_at(0);
	ck_assert_int_eq(load(with, "n1"), 2);
	write_cache_at(time(NULL) - NODE_YOUNG_S / 2);
	ck_assert_int_eq(load(with, "n1"), 2);
	write_cache_at(time(NULL) + NODE_YOUNG_S / 2); /* the clock was set back */
	ck_assert_int_eq(load(with, "n1"), 3);
	set_age(getenv("SLURM_CONF"), 4000); /* not changed for long */
	ck_assert_int_eq(load(with, "n1"), 4);
	write_cache_at(0);
	ck_assert_int_eq(load(with, "n1"), 4);
	tempdir_remove();
	/* slurmd rewrites conf-cache at each start: its mtime is not that of slurm.conf */
	begin_node("conf-cache/slurm.conf");
	with = helper((long long)time(NULL) - 1000);
	ck_assert_int_eq(load(with, "n1"), 1);
	write_cache_at(0);
	ck_assert_int_eq(load(with, "n1"), 1);
	tempdir_remove();
}
END_TEST

START_TEST(an_invalid_cache_is_ignored)
{
	static const char *const changes[][2] = {
		{ "\"format\":1", "\"format\":2" },
		{ "\"written_at\":", "\"written_ax\":" },
		{ "\"core_map\":\"core", "\"core_map\":\"x" },
		{ "\"conf_files\":1", "\"conf_files\":2" },
		{ "\"cpus\":8", "\"cpus\":x" },
		{ "\"boards\":1", "\"boardx\":1" },
		{ "\"slurmd_pid\":", "\"slurmd_pix\":" },
		{ "\"conf_ns\":1", "\"conf_ns\":2" },
	};
	struct node_state state = { 0 };

	begin_node("slurm.conf");
	ck_assert_int_eq(node_cached(tempdir_name, &state, &err), 0);
	for (size_t i = 0; i < ROWS(changes); i++) {
		load(helper((long long)time(NULL)), "n1");
		change_cache(changes[i][0], 0, changes[i][1]);
		ck_assert_msg(node_cached(tempdir_name, &state, &err) == 0, "%s", changes[i][1]);
	}
	tempdir_remove();
}
END_TEST

START_TEST(the_error_message_of_jobio_slurm_reaches_the_caller)
{
	static const char *const rows[][2] = {
		{ "#!/bin/sh\necho noise >&2\necho no such node >&2\nexit 1\n",
		  "node record: no such node" },
		{ "#!/bin/sh\nexit 1\n", "node record: jobio-slurm failed" },
		{ "#!/bin/sh\necho '{'\n", "node record: '{" },
		{ "#!/bin/sh\nexec sleep 60\n", "helper': no answer within " },
	};
	struct node_state state = { 0 };
	char path[600];

	begin_node("slurm.conf");
	for (size_t i = 0; i < ROWS(rows); i++) {
		tempdir_command("helper", rows[i][0], path);
		ck_assert_int_eq(
			node_load(tempdir_name, path, NULL, i == 3 ? 100 : 5000, &state, &err), -1);
		ck_assert_msg(strstr(err.text, rows[i][1]) != NULL, "%s", err.text);
		ck_assert_ptr_null(state.map);
	}
	tempdir_remove();
}
END_TEST

UNIT_MAIN("files", a_file_is_written_whole_with_its_mode_and_read_back,
	  links_are_neither_read_nor_followed_by_a_write,
	  a_write_on_a_full_disk_leaves_the_old_text_and_no_temporary_file,
	  a_write_that_fsync_does_not_confirm_is_an_error_but_for_files_of_run,
	  a_name_that_cannot_be_made_durable_is_an_error,
	  a_process_that_is_killed_while_it_writes_leaves_one_whole_text,
	  a_folder_of_another_user_or_mode_is_refused_and_links_are_not_followed,
	  a_lock_is_waited_for_until_its_deadline,
	  names_below_run_dir_and_spool_dir_are_those_of_the_manual,
	  a_journal_keeps_the_last_state_of_each_change,
	  a_truncated_journal_has_its_complete_lines_and_accepts_the_next,
	  a_damaged_line_of_a_journal_is_reported_and_the_others_are_read,
	  a_line_of_the_journal_that_does_not_fit_on_the_disk_is_removed,
	  a_command_has_a_status_and_output_or_is_killed_at_its_deadline,
	  all_that_a_command_started_is_killed_with_it,
	  a_function_in_a_child_has_the_same_deadline_and_no_signal_handlers,
	  a_started_child_gets_sigterm_after_its_grace_and_then_sigkill,
	  processes_of_root_and_ours_in_our_namespace_are_known_by_title_and_name,
	  slurmctld_is_asked_again_after_a_change_of_slurm_conf_or_slurmd,
	  a_record_older_than_slurm_conf_holds_for_a_minute, an_invalid_cache_is_ignored,
	  the_error_message_of_jobio_slurm_reaches_the_caller)
