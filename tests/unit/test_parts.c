/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What clients of all types are made of: questions, commands, changes, what is kept
 * for the next job and across reboots. */
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "client/ask.h"
#include "client/cache.h"
#include "client/change.h"
#include "client/client.h"
#include "client/command.h"
#include "client/place.h"
#include "client/rule.h"
#include "client/state.h"
#include "client/type.h"
#include "client/weka/baseline.h"
#include "lib/child.h"
#include "lib/fileio.h"
#include "lib/host.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

#define SH(script) ((char *[]){ "/bin/sh", "-c", (script), NULL })

static struct config_client section;
static struct client_type_ops type;
static struct client client;
static struct err err;

static void begin(void)
{
	tempdir_make();
	section = (struct config_client){ .name = (char *)"c",
					  .mounts = (char *)"",
					  .timeout_ms = 20000 };
	client = (struct client){ .type = &type,
				  .section = &section,
				  .run_dir = tempdir_name,
				  .state_dir = tempdir_name,
				  .deadline_ms = child_now_ms() + 60000 };
	*err.text = '\0';
}

static void end(void)
{
	tempdir_remove();
}

static void expect_file(const char *name, const char *text)
{
	char *is = fileio_read(tempdir_path(name), 100000, NULL, NULL);

	ck_assert_ptr_nonnull(is);
	ck_assert_str_eq(is, text);
	free(is);
}

static bool is_there(const char *name)
{
	return access(tempdir_path(name), F_OK) == 0;
}

/* ---- ask ------------------------------------------------------------------- */

START_TEST(a_question_may_take_what_is_left_of_the_time_for_all)
{
	begin();
	ck_assert_uint_eq(ask_limit_ms(&client), 20000);
	client.deadline_ms = child_now_ms() + 5000;
	ck_assert_uint_le(ask_limit_ms(&client), 5000);
	ck_assert_uint_gt(ask_limit_ms(&client), 1000);
	client.deadline_ms = child_now_ms() - 1;
	ck_assert_uint_eq(ask_limit_ms(&client), 0);
	end();
}
END_TEST

static void expect_ask(char *script, enum ask_answer answer, const char *why)
{
	struct ask ask = { 0 };

	ask_command(&client, &ask, SH(script), NULL);
	ck_assert_int_eq(ask.answer, answer);
	ck_assert_str_eq(ask.why, why);
	ck_assert_ptr_null(ask.text);
	ask_clear(&ask);
}

START_TEST(a_command_answers_or_it_is_told_why_not)
{
	char *const missing[] = { "/no/such", NULL };
	char *const folder[] = { "/etc", NULL };
	char *const env[] = { "A=b", NULL };
	struct ask ask = { 0 };

	begin();
	ask_command(&client, &ask, SH("echo \"$A\""), env);
	ck_assert_int_eq(ask.answer, ASK_ANSWERED);
	ck_assert_str_eq(ask.text, "b\n");
	ck_assert_str_eq(ask.why, "");
	ask_command(&client, &ask, missing, NULL); /* the text is cleared */
	ck_assert_int_eq(ask.answer, ASK_MISSING);
	ck_assert_ptr_null(ask.text);
	ck_assert_str_eq(ask.why, "cannot execute /no/such: No such file or "
				  "directory");
	ask_command(&client, &ask, folder, NULL);
	ck_assert_int_eq(ask.answer, ASK_MISSING);
	ask_clear(&ask);
	ck_assert_int_eq(ask.answer, ASK_NOT_ASKED);
	expect_ask("echo no >&2; echo more >&2; echo out; exit 3", ASK_FAILED,
		   "exit status 3: no");
	expect_ask("echo out; echo more; exit 1", ASK_FAILED,
		   "exit status 1: out");
	expect_ask("exit 125", ASK_FAILED, "exit status 125: no message");
	expect_ask("kill -9 $$", ASK_FAILED, "exit status 137: no message");
	end();
}
END_TEST

START_TEST(a_command_that_hangs_is_told_from_one_that_had_no_time)
{
	begin();
	section.timeout_ms = 400;
	expect_ask("sleep 30", ASK_HUNG, "'/bin/sh': no answer within 400 ms");
	section.timeout_ms = 4000;
	client.deadline_ms = child_now_ms() + 2900; /* more than half of it */
	ck_assert_uint_gt(ask_limit_ms(&client), 2000);
	struct ask ask = { 0 };

	ask_command(&client, &ask, SH("sleep 30"), NULL);
	ck_assert_int_eq(ask.answer, ASK_HUNG);
	ck_assert(ask_is_silent(&ask));
	client.deadline_ms = child_now_ms() + 1600; /* less */
	ask_command(&client, &ask, SH("sleep 30"), NULL);
	ck_assert_int_eq(ask.answer, ASK_NO_TIME);
	ck_assert(ask_is_silent(&ask));
	client.deadline_ms = 0;
	expect_ask("echo", ASK_NO_TIME, "no time left");
	end();
}
END_TEST

START_TEST(too_much_output_is_no_answer_and_no_silence)
{
	struct ask ask = { 0 };

	begin();
	ask_command(&client, &ask, SH("yes"), NULL);
	ck_assert_int_eq(ask.answer, ASK_FAILED);
	ck_assert(!ask_is_silent(&ask));
	ask_set(&ask, ASK_ANSWERED, NULL);
	ck_assert_str_eq(ask.why, "");
	ck_assert(!ask_is_silent(&ask));
	ask_set(&ask, ASK_MISSING, "why");
	ck_assert_str_eq(ask.why, "why");
	ck_assert(!ask_is_silent(&ask));
	ask_set(&ask, ASK_NOT_ASKED, NULL);
	ck_assert(!ask_is_silent(&ask));
	end();
}
END_TEST

static int tell(void *arg)
{
	printf("told");
	return *(int *)arg;
}

static int tell_and_hang(void *arg)
{
	(void)arg;
	printf("half");
	fflush(stdout);
	for (;;)
		pause();
	return 0;
}

START_TEST(a_function_answers_like_a_command)
{
	struct ask ask = { 0 };
	int status = 0;

	begin();
	ask_function(&client, &ask, "it", tell, &status);
	ck_assert_int_eq(ask.answer, ASK_ANSWERED);
	ck_assert_str_eq(ask.text, "told");
	status = 2;
	ask_function(&client, &ask, "it", tell, &status);
	ck_assert_int_eq(ask.answer, ASK_MISSING);
	ck_assert_str_eq(ask.why, "cannot read it");
	ck_assert_ptr_null(ask.text);
	status = 1;
	ask_function_heard(&client, &ask, "it", tell, &status);
	ck_assert_int_eq(ask.answer, ASK_FAILED);
	ck_assert_str_eq(ask.why, "cannot read it");
	status = 3;
	ask_function(&client, &ask, "it", tell, &status);
	ck_assert_int_eq(ask.answer, ASK_FAILED);
	section.timeout_ms = 300;
	ask_function(&client, &ask, "it", tell_and_hang, NULL);
	ck_assert_int_eq(ask.answer, ASK_HUNG);
	ck_assert_ptr_null(ask.text);
	ask_function_heard(&client, &ask, "it", tell_and_hang, NULL);
	ck_assert_int_eq(ask.answer, ASK_HUNG);
	ck_assert_str_eq(ask.text, "half");
	ask_clear(&ask);
	end();
}
END_TEST

/* ---- command --------------------------------------------------------------- */

static void expect_status(char *const argv[], int status, const char *out)
{
	struct child_result result;

	ck_assert_msg(command_run(tempdir_name, argv, NULL, 20000, &result,
				  &err) == 0,
		      "%s", err.text);
	ck_assert_int_eq(result.status, status);
	ck_assert_str_eq(result.out, out);
	child_result_free(&result);
}

START_TEST(a_command_is_marked_as_long_as_it_runs)
{
	char script[600], wanted[64], *text;
	struct child_result result;
	unsigned long pid, ticks;
	size_t size;

	begin();
	snprintf(script, sizeof(script), "echo $$; cat %s",
		 tempdir_path("command"));
	ck_assert_int_eq(command_run(tempdir_name, SH(script), NULL, 20000,
				     &result, &err),
			 0);
	ck_assert_int_eq(sscanf(result.out, "%lu", &pid), 1);
	text = strchr(result.out, '\n') + 1;
	ck_assert_uint_eq(strlen(text), 64);
	ck_assert_int_eq(text[63], '\n');
	ck_assert_int_eq(sscanf(text, "%*u %lu", &ticks), 1);
	ck_assert_uint_gt(ticks, 0);
	snprintf(wanted, sizeof(wanted), "%lu %lu ", pid, ticks);
	ck_assert_int_eq(strncmp(text, wanted, strlen(wanted)), 0);
	child_result_free(&result);
	text = fileio_read(tempdir_path("command"), 64, &size, NULL);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(size, 64);
	ck_assert_int_eq(strncmp(text, "0 0 ", 4), 0);
	free(text);
	end();
}
END_TEST

START_TEST(a_command_has_an_environment_of_its_own)
{
	char text[20][16], *env[21] = { NULL };
	char *argv[] = { "/usr/bin/env", NULL };
	struct child_result result;
	int i;

	begin();
	for (i = 0; i < 20; i++) {
		snprintf(text[i], sizeof(text[i]), "V%d=x", i);
		env[i] = text[i];
	}
	ck_assert_int_eq(
		command_run(tempdir_name, argv, env, 20000, &result, &err), 0);
	ck_assert_str_eq(strtok(result.out, "\n"),
			 "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
	ck_assert_str_eq(strtok(NULL, "\n"), "LC_ALL=C");
	ck_assert_str_eq(strtok(NULL, "\n"), "NO_COLOR=1");
	for (i = 0; i < 16; i++)
		ck_assert_str_eq(strtok(NULL, "\n"), text[i]);
	ck_assert_ptr_null(strtok(NULL, "\n"));
	child_result_free(&result);
	expect_status(argv, 0,
		      "PATH=/usr/sbin:/usr/bin:/sbin:/bin\nLC_ALL=C\n"
		      "NO_COLOR=1\n");
	expect_status((char *[]){ "/no/such", NULL }, 127, "");
	expect_status((char *[]){ "/etc", NULL }, 126, "");
	end();
}
END_TEST

START_TEST(a_command_that_must_succeed_says_why_it_did_not)
{
	char longest[1100];

	begin();
	ck_assert_int_eq(command_do(tempdir_name, SH("echo out; echo e >&2"),
				    "x", 20000, &err),
			 0);
	ck_assert_int_eq(command_do(tempdir_name,
				    SH("echo a >&2; echo b >&2; exit 3"), "x",
				    20000, &err),
			 -1);
	ck_assert_str_eq(err.text, "x: exit status 3: a");
	ck_assert_int_eq(
		command_do(tempdir_name, SH("sleep 30"), "x", 200, &err), -1);
	ck_assert_int_eq(errno, ETIMEDOUT);
	ck_assert_str_eq(err.text, "'/bin/sh': no answer within 200 ms");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	ck_assert_int_eq(command_do(longest, SH(":"), "x", 20000, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "too long"));
	ck_assert_int_eq(command_end_leftover(longest, &err), -1);
	end();
}
END_TEST

static int first(void *arg)
{
	return *(int *)arg;
}

START_TEST(a_command_does_not_begin_when_what_comes_first_fails)
{
	struct child_result result;
	char script[600];
	int status = 0;

	begin();
	snprintf(script, sizeof(script), ": >%s", tempdir_path("done"));
	status = 5;
	ck_assert_int_eq(command_run_after(tempdir_name, first, &status,
					   SH(script), 20000, &result, &err),
			 0);
	ck_assert_int_eq(result.status, 5);
	ck_assert(!is_there("done"));
	child_result_free(&result);
	status = 0;
	ck_assert_int_eq(command_run_after(tempdir_name, first, &status,
					   SH(script), 20000, &result, &err),
			 0);
	ck_assert_int_eq(result.status, 0);
	ck_assert(is_there("done"));
	child_result_free(&result);
	end();
}
END_TEST

/* A command as a killed helper leaves it, in a process group of its own. */
static pid_t leave(unsigned long long plus_ticks)
{
	const int stdio[3] = { -1, -1, -1 };
	pid_t pid = child_start(SH("exec sleep 100"), NULL, stdio, NULL);
	unsigned long long ticks;
	char text[80];

	ck_assert_int_gt(pid, 1);
	ck_assert_int_eq(process_start(pid, NULL, &ticks), 0);
	snprintf(text, sizeof(text), "%ld %llu \n", (long)pid,
		 ticks + plus_ticks);
	tempdir_put("command", text);
	return pid;
}

START_TEST(what_a_killed_helper_left_running_is_ended)
{
	pid_t pid;

	begin();
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	signal(SIGCHLD, SIG_IGN); /* as init reaps it */
	pid = leave(0);
	ck_assert_msg(command_end_leftover(tempdir_name, &err) == 1, "%s",
		      err.text);
	ck_assert_int_eq(kill(pid, 0), -1);
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	signal(SIGCHLD, SIG_DFL);
	end();
}
END_TEST

START_TEST(another_process_of_that_number_is_left_alone)
{
	pid_t pid;

	begin();
	pid = leave(1);
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	tempdir_put("command", "");
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	tempdir_put("command", "4711\n");
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	tempdir_put("command", "x y\n");
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), 0);
	end();
}
END_TEST

START_TEST(what_does_not_end_is_told)
{
	unsigned long long began;
	char wanted[100];
	pid_t pid;

	begin();
	pid = leave(0); /* nobody reaps it */
	began = child_now_ms();
	ck_assert_int_eq(command_end_leftover(tempdir_name, &err), -1);
	ck_assert_uint_ge(child_now_ms() - began, 2000);
	snprintf(wanted, sizeof(wanted),
		 "a command of a killed helper, pid %ld, does not end",
		 (long)pid);
	ck_assert_str_eq(err.text, wanted);
	waitpid(pid, NULL, 0);
	end();
}
END_TEST

/* ---- change ---------------------------------------------------------------- */

static enum change_made made;
static enum change_undone undone;
static int planned;
static bool stands;

static int fake_plan(const struct change_kind *kind, struct client *c,
		     const struct client_want *want, struct client_plan *plan,
		     struct findings *findings, struct err *why)
{
	(void)want;
	(void)findings;
	if (planned < 0)
		return err_set(why, "no");
	return change_add(plan, c, kind, "t", "old", "new", why);
}

static enum change_made fake_make(const struct change_kind *kind,
				  struct client *c,
				  const struct journal_change *change,
				  struct findings *findings)
{
	(void)c;
	(void)findings;
	ck_assert_str_eq(kind->name, change->what);
	/* the second of two may fail where the first does not */
	return !strcmp(change->target, "good") ? CHANGE_MADE : made;
}

static enum change_undone fake_undo(const struct change_kind *kind,
				    struct client *c,
				    const struct journal_change *change,
				    struct findings *findings)
{
	(void)kind;
	(void)c;
	(void)change;
	(void)findings;
	return undone;
}

static bool fake_holds(const struct change_kind *kind, const struct client *c,
		       const struct client_want *want)
{
	(void)kind;
	(void)c;
	(void)want;
	return stands;
}

static const struct change_kind one = {
	.name = "one", .plan = fake_plan, .make = fake_make, .undo = fake_undo
};
static const struct change_kind two = { .name = "two",
					.plan = fake_plan,
					.make = fake_make,
					.undo = fake_undo,
					.holds = fake_holds };
static const struct change_kind *const kinds[] = { &one, &two, NULL };

static struct client_plan *plan_with(const char *const targets[])
{
	struct client_plan *plan = calloc(1, sizeof(*plan));

	for (; *targets; targets++)
		ck_assert_int_eq(change_add(plan, &client, &two, *targets,
					    "old", "new", &err),
				 0);
	return plan;
}

static void free_plan(struct client_plan *plan)
{
	change_clear(plan);
	ck_assert_uint_eq(plan->count, 0);
	free(plan);
}

START_TEST(all_kinds_of_a_type_plan_in_their_order)
{
	struct client_plan *plan = calloc(1, sizeof(*plan)), *all = NULL;

	begin();
	ck_assert_int_eq(change_plan(&client, NULL, plan, NULL, &err), 0);
	ck_assert_uint_eq(plan->count, 0); /* a type without changes */
	type.changes = kinds;
	ck_assert_ptr_eq(change_find(&type, "one"), &one);
	ck_assert_ptr_eq(change_find(&type, "two"), &two);
	ck_assert_ptr_null(change_find(&type, "three"));
	planned = 0;
	ck_assert_int_eq(change_plan(&client, NULL, plan, NULL, &err), 0);
	ck_assert_uint_eq(plan->count, 2);
	ck_assert_str_eq(plan->change[0].what, "one");
	ck_assert_str_eq(plan->change[1].what, "two");
	ck_assert_str_eq(plan->change[1].client, "c");
	ck_assert_str_eq(plan->change[1].target, "t");
	ck_assert_str_eq(plan->change[1].old_value, "old");
	ck_assert_str_eq(plan->change[1].new_value, "new");
	ck_assert_int_eq(client_plan(&client, NULL, &all, NULL, &err), 0);
	ck_assert_uint_eq(all->count, 2);
	client_plan_free(all);
	planned = -1;
	ck_assert_int_eq(change_plan(&client, NULL, plan, NULL, &err), -1);
	ck_assert_int_eq(client_plan(&client, NULL, &all, NULL, &err), -1);
	stands = false;
	ck_assert(!change_holds(&client, NULL));
	stands = true;
	ck_assert(change_holds(&client, NULL));
	free_plan(plan);
	end();
}
END_TEST

START_TEST(a_plan_has_room_for_as_many_changes_as_a_journal)
{
	struct client_plan *plan = calloc(1, sizeof(*plan));
	int i;

	begin();
	for (i = 0; i < 256; i++)
		ck_assert_int_eq(
			change_add(plan, &client, &one, "t", "a", "b", &err),
			0);
	ck_assert_int_eq(change_add(plan, &client, &one, "t", "a", "b", &err),
			 1);
	ck_assert_uint_eq(plan->count, 256);
	free_plan(plan);
	end();
}
END_TEST

static void expect_state(struct journal *journal, size_t index,
			 enum journal_state state)
{
	ck_assert_uint_gt(journal_count(journal), index);
	ck_assert_int_eq(journal_at(journal, index)->state, state);
}

START_TEST(what_is_made_is_journaled_and_what_is_not_is_told)
{
	static const char *const targets[] = { "bad", "good", NULL };
	struct client_plan *plan;
	struct journal *journal;

	begin();
	type.changes = kinds;
	plan = plan_with(targets);
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_int_eq(change_apply(&client, NULL, journal, NULL, &err), 0);
	made = CHANGE_MADE;
	ck_assert_int_eq(change_apply(&client, plan, journal, NULL, &err), 0);
	expect_state(journal, 0, JOURNAL_DONE);
	expect_state(journal, 1, JOURNAL_DONE);
	made = CHANGE_NOT_MADE;
	ck_assert_int_eq(change_apply(&client, plan, journal, NULL, &err), 1);
	expect_state(journal, 2, JOURNAL_FAILED);
	expect_state(journal, 3, JOURNAL_DONE);
	made = CHANGE_STUCK;
	ck_assert_int_eq(change_apply(&client, plan, journal, NULL, &err), 1);
	expect_state(journal, 4, JOURNAL_PLANNED);
	expect_state(journal, 5, JOURNAL_DONE);
	ck_assert_uint_eq(journal_count(journal), 6);
	journal_close(journal);
	journal = journal_open("/dev/full", &err);
	made = CHANGE_MADE;
	ck_assert_int_eq(change_apply(&client, plan, journal, NULL, &err), -1);
	ck_assert_uint_eq(journal_count(journal), 0);
	journal_close(journal);
	free_plan(plan);
	end();
}
END_TEST

START_TEST(how_a_change_ended_is_journaled)
{
	static const struct {
		enum change_undone undone;
		int rc;
		enum journal_state state;
	} rows[] = {
		{ CHANGE_UNDONE, 1, JOURNAL_RESTORED },
		{ CHANGE_NOT_OURS, 0, JOURNAL_LOST },
		{ CHANGE_KEPT, 0, JOURNAL_KEPT },
		{ CHANGE_NOT_UNDONE, -1, JOURNAL_PLANNED },
	};
	struct journal_change change = { .client = (char *)"c",
					 .what = (char *)"two",
					 .target = (char *)"t",
					 .old_value = (char *)"a",
					 .new_value = (char *)"b" };
	struct journal *journal;
	size_t i;

	begin();
	type.changes = kinds;
	type.name = "fake";
	journal = journal_open(tempdir_path("journal"), &err);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		undone = rows[i].undone;
		journal_plan(journal, &change, &err);
		ck_assert_int_eq(change_undo(&client, journal_at(journal, i),
					     journal, NULL, &err),
				 rows[i].rc);
		expect_state(journal, i, rows[i].state);
	}
	ck_assert_str_eq(err.text, "two 't': could not be put back");
	change.what = (char *)"three";
	ck_assert_int_eq(change_undo(&client, &change, journal, NULL, &err),
			 -1);
	ck_assert_str_eq(err.text, "three 't': a client of type fake cannot "
				   "put that back");
	journal_close(journal);
	end();
}
END_TEST

/* ---- place ----------------------------------------------------------------- */

static const char table[] =
	"20 1 8:1 / / rw - ext4 /dev/sda rw\n"
	"30 20 0:50 / /mnt/a\\040b rw,noatime shared:1 master:2 - nfs4 "
	"s:/x\\040y rw\n"
	"31 20 0:51 / /mnt/ab rw - nfs4 s:/z rw\n"
	"not a line\n"
	"32 30 0:52 /sub /mnt/a\\040b rw - nfs s:/w rw\n"
	"33 20 0:53 / /mnt/a\\040b/below rw - nfs s:/v rw\n";

static bool find(const char *target, const char *source, unsigned long id,
		 unsigned long parent, bool below, struct place *place)
{
	const struct place_search search = { .target = target,
					     .source = source,
					     .id = id,
					     .parent = parent,
					     .below = below };

	return place_find(table, &search, place);
}

START_TEST(the_last_mount_that_fits_is_found)
{
	char device[PLACE_DEVICE_MAX] = "";
	struct place place;

	ck_assert(find("/mnt/a b", NULL, 0, 0, false, &place));
	ck_assert_uint_eq(place.id, 32);
	ck_assert_uint_eq(place.parent, 30);
	ck_assert_str_eq(place.device, "0:52");
	ck_assert_str_eq(place.root, "/sub");
	ck_assert_str_eq(place.target, "/mnt/a b");
	ck_assert_str_eq(place.fstype, "nfs");
	ck_assert_str_eq(place.source, "s:/w");
	ck_assert(find("/mnt/a b", "s:/x y", 0, 0, false, &place));
	ck_assert_uint_eq(place.id, 30);
	ck_assert(find("/mnt/a b", NULL, 30, 0, false, &place));
	ck_assert_uint_eq(place.id, 30);
	ck_assert_str_eq(place.fstype, "nfs4");
	ck_assert(find(NULL, NULL, 0, 30, false, &place));
	ck_assert_uint_eq(place.id, 32);
	ck_assert(find(NULL, NULL, 0, 20, false, &place));
	ck_assert_uint_eq(place.id, 33);
	ck_assert(find(NULL, "s:/z", 0, 0, false, &place));
	ck_assert_uint_eq(place.id, 31);
	ck_assert(!find("/mnt/a b", "s:/z", 0, 0, false, &place));
	ck_assert(!find("/mnt/a", NULL, 0, 0, false, &place));
	ck_assert(!find("/mnt/ab", NULL, 30, 0, false, &place));
	ck_assert(!find("/mnt/ab", NULL, 0, 30, false, &place));
	ck_assert(place_device(table, "/mnt/ab", device));
	ck_assert_str_eq(device, "0:51");
	ck_assert(!place_device(table, "/mnt", device));
}
END_TEST

START_TEST(below_a_folder_is_not_the_folder_and_not_its_neighbour)
{
	struct place place;

	ck_assert(find("/mnt/a b", NULL, 0, 0, true, &place));
	ck_assert_uint_eq(place.id, 33);
	ck_assert(!find("/mnt/a b/below", NULL, 0, 0, true, &place));
	ck_assert(!find("/mnt/a", NULL, 0, 0, true, &place));
	ck_assert(!find("/mnt/ab", NULL, 0, 0, true, &place));
	ck_assert(find("/", NULL, 0, 0, true, &place));
	ck_assert_uint_eq(place.id, 33);
	ck_assert(!find("/other", NULL, 0, 0, true, &place));
	const struct place_search root = { .target = "/", .below = true };

	ck_assert(!place_find("20 1 8:1 / / rw - ext4 /dev/sda rw\n", &root,
			      &place));
}
END_TEST

START_TEST(half_a_line_is_no_place)
{
	static const char *const bad[] = {
		"",
		"20 1 8:1 / /x rw",
		"20 1 8:1 / - ext4 /dev/sda rw",
		"20 1 8:1 / /x rw - ext4",
		"x 1 8:1 / /x rw - ext4 /dev/sda rw",
		"20 x 8:1 / /x rw - ext4 /dev/sda rw",
		"4294967296 1 8:1 / /x rw - ext4 /dev/sda rw",
	};
	char device[PLACE_DEVICE_MAX];
	struct place place;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		strcpy(place.text, bad[i]);
		ck_assert_msg(!place_parse(&place), "%s", bad[i]);
	}
	strcpy(place.text, "4294967295 0 8:1 / /x rw - ext4 /dev/sda");
	ck_assert(place_parse(&place));
	ck_assert_uint_eq(place.id, 4294967295UL);
	ck_assert(place_device("1 0 12345678901:12345678901 / /x rw - a b rw",
			       "/x", device));
	ck_assert_uint_eq(strlen(device), 23);
	ck_assert(!place_device("1 0 12345678901:123456789012 / /x rw - a b rw",
				"/x", device));
}
END_TEST

/* ---- what is kept for the next job ------------------------------------------- */

static int keeps, loads;
static const char *rests_on;
static struct ask kept_answer;

static int fake_load(struct client *c, const struct cache *cache)
{
	(void)c;
	if (cache_answer(cache, "answer", &kept_answer) < 0 ||
	    cache_number(cache, "number") != 7)
		return -1;
	return loads;
}

static int fake_keep(const struct client *c, struct cache *cache)
{
	struct ask ask = { .answer = ASK_ANSWERED, .text = (char *)"yes" };

	(void)c;
	cache_put_answer(cache, "answer", &ask);
	cache_put_number(cache, "number", 7);
	return keeps;
}

static void fake_key(const struct client *c, struct cache_key *key)
{
	(void)c;
	cache_key_text(key, rests_on);
	cache_key_file(key, tempdir_path("file"));
	cache_key_process(key, getpid());
	cache_key_process(key, 0);
}

static void begin_cache(void)
{
	begin();
	type.name = "fake";
	type.load = fake_load;
	type.keep = fake_keep;
	type.key = fake_key;
	rests_on = "a";
	keeps = loads = 0;
	cache_asked(&client);
}

START_TEST(an_answer_is_kept_as_long_as_all_that_it_rests_on)
{
	begin_cache();
	ck_assert(!cache_use(&client));
	ck_assert(!client.cached);
	ck_assert_int_gt(client.asked_at_s, 0);
	cache_keep(&client);
	ck_assert(is_there("client.c.json"));
	ck_assert(cache_use(&client));
	ck_assert(client.cached);
	ck_assert_int_eq(kept_answer.answer, ASK_ANSWERED);
	ck_assert_str_eq(kept_answer.text, "yes");
	cache_keep(&client); /* nothing new: it stays */
	ck_assert(cache_use(&client));
	rests_on = "b";
	ck_assert(!cache_use(&client));
	rests_on = "a";
	ck_assert(cache_use(&client));
	tempdir_put("file", "");
	ck_assert(!cache_use(&client));
	ck_assert_int_eq(unlink(tempdir_path("file")), 0);
	ck_assert(cache_use(&client));
	section.name = (char *)"d";
	ck_assert(!cache_use(&client));
	section.name = (char *)"c";
	loads = -1;
	ck_assert(!cache_use(&client));
	loads = 0;
	ck_assert(cache_use(&client));
	cache_drop(&client);
	ck_assert(!is_there("client.c.json"));
	ck_assert(!cache_use(&client));
	ask_clear(&kept_answer);
	end();
}
END_TEST

START_TEST(what_is_not_worth_keeping_takes_the_old_answer_with_it)
{
	begin_cache();
	cache_keep(&client);
	ck_assert(is_there("client.c.json"));
	keeps = -1;
	cache_keep(&client);
	ck_assert(!is_there("client.c.json"));
	keeps = 0;
	client.run_dir = NULL; /* who only looks keeps nothing */
	cache_keep(&client);
	ck_assert(!is_there("client.c.json"));
	ck_assert(!cache_use(&client));
	cache_drop(&client);
	client.run_dir = tempdir_name;
	type.keep = NULL;
	cache_keep(&client);
	ck_assert(!is_there("client.c.json"));
	type.keep = fake_keep;
	cache_keep(&client);
	type.load = NULL;
	ck_assert(!cache_use(&client));
	end();
}
END_TEST

/* The same answer, given so many seconds ago. */
static bool holds_after(int64_t age_s)
{
	char *text =
		fileio_read(tempdir_path("client.c.json"), 100000, NULL, NULL);
	struct json_object *json = json_tokener_parse(text), *at;
	struct timespec now;

	free(text);
	clock_gettime(CLOCK_BOOTTIME, &now);
	at = json_object_new_int64(now.tv_sec - age_s);
	json_object_object_add(json, "at", at);
	tempdir_put("client.c.json", json_object_to_json_string(json));
	json_object_put(json);
	return cache_use(&client);
}

START_TEST(an_answer_holds_for_ten_minutes)
{
	begin_cache();
	cache_keep(&client);
	ck_assert(holds_after(0));
	ck_assert(holds_after(590));
	ck_assert_int_gt(client.asked_at_s, 0);
	ck_assert(!holds_after(602));
	ck_assert(!holds_after(-10)); /* of another boot, by a chance */
	ck_assert(holds_after(1));
	tempdir_put("client.c.json", "{");
	ck_assert(!cache_use(&client));
	tempdir_put("client.c.json", "{\"at\":1}");
	ck_assert(!cache_use(&client));
	ask_clear(&kept_answer);
	end();
}
END_TEST

/* ---- what is kept across reboots ---------------------------------------------- */

static struct cpuset set_of(const char *list)
{
	struct cpuset set;

	ck_assert_int_eq(cpuset_parse(&set, list, NULL), 0);
	return set;
}

static void keep(const char *old_ids, const char *new_ids)
{
	struct cpuset from = set_of(old_ids), to = set_of(new_ids);

	ck_assert_msg(weka_baseline_keep(&client, "client", &from, &to, &err) ==
			      0,
		      "%s", err.text);
}

static void forget_stale(const char *now)
{
	struct cpuset set = set_of(now);

	weka_baseline_forget_stale(&client, "client", &set);
}

static void expect_baseline(const char *list)
{
	struct cpuset cores, wanted;

	cpuset_zero(&cores);
	ck_assert_int_eq(weka_baseline_read(&client, "client", &cores),
			 list != NULL);
	if (list) {
		wanted = set_of(list);
		ck_assert(cpuset_equal(&cores, &wanted));
	}
}

/* The file, with the boot that is now, or with another one. */
static void expect_baseline_file(const char *before, const char *after)
{
	char boot[64], text[1000];

	host_boot_id(boot, sizeof(boot));
	snprintf(text, sizeof(text), "%s\nboot %s\n%s", before, boot, after);
	expect_file("c.baseline", text);
}

START_TEST(the_cores_before_the_first_job_are_kept_until_they_are_back)
{
	struct cpuset set;

	begin();
	expect_baseline(NULL);
	keep("1", "2-3");
	expect_baseline("1");
	expect_baseline_file("client 1", "ours 2-3\n");
	keep("2-3", "4");
	expect_baseline("1");
	expect_baseline_file("client 1", "ours 2-3\nours 4\n");
	set = set_of("4");
	weka_baseline_settle(&client, "client", &set);
	expect_baseline("1");
	set = set_of("1");
	weka_baseline_settle(&client, "other", &set);
	expect_baseline("1");
	weka_baseline_settle(&client, "client", &set);
	expect_baseline(NULL);
	ck_assert(!is_there("c.baseline"));
	end();
}
END_TEST

START_TEST(the_last_sixteen_that_jobs_wanted_are_kept)
{
	char id[8];
	int i;

	begin();
	for (i = 1; i <= 17; i++) {
		snprintf(id, sizeof(id), "%d", i);
		keep("0", id);
	}
	expect_baseline_file("client 0",
			     "ours 2\nours 3\nours 4\nours 5\nours 6\nours 7\n"
			     "ours 8\nours 9\nours 10\nours 11\nours 12\n"
			     "ours 13\nours 14\nours 15\nours 16\nours 17\n");
	end();
}
END_TEST

START_TEST(cores_that_no_job_wanted_are_the_sites_new_ones)
{
	begin();
	keep("1", "2-3");
	keep("2-3", "4");
	forget_stale("4");
	expect_baseline("1");
	forget_stale("2-3");
	expect_baseline("1");
	forget_stale("1");
	expect_baseline("1");
	forget_stale("5");
	expect_baseline(NULL);
	end();
}
END_TEST

START_TEST(after_a_reboot_what_is_mounted_decides)
{
	static const char old[] = "client 1\nboot other\nours 2-3\n";

	begin();
	tempdir_put("c.baseline", old);
	forget_stale("2-3"); /* WEKA keeps what was applied */
	expect_baseline("1");
	forget_stale("1");
	expect_baseline(NULL);
	tempdir_put("c.baseline", old);
	forget_stale("4");
	expect_baseline(NULL);
	tempdir_put("c.baseline", old);
	section.core_method = CORE_METHOD_REMOUNT;
	forget_stale("2-3");
	expect_baseline(NULL);
	section.core_method = CORE_METHOD_MOUNT;
	tempdir_put("c.baseline", old);
	forget_stale("2-3");
	expect_baseline(NULL);
	keep("1", "2-3"); /* of this boot */
	forget_stale("2-3");
	expect_baseline("1");
	end();
}
END_TEST

START_TEST(what_an_older_version_kept_is_never_stale)
{
	begin();
	tempdir_put("c.baseline", "client 1\n");
	forget_stale("7");
	expect_baseline("1");
	keep("2", "3");
	expect_baseline_file("client 1", "ours 2\nours 3\n");
	tempdir_put("c.baseline", "client x\n");
	expect_baseline(NULL);
	tempdir_put("c.baseline", "client\n");
	expect_baseline(NULL);
	tempdir_put("c.baseline", "client \nours 1\n");
	expect_baseline(NULL);
	tempdir_put("c.baseline", "other 5\nclient 6\n");
	expect_baseline(NULL);
	client.state_dir = NULL;
	expect_baseline(NULL);
	struct cpuset set = set_of("1");

	ck_assert_int_eq(
		weka_baseline_keep(&client, "client", &set, &set, &err), -1);
	ck_assert_str_eq(err.text, "no place to remember the baseline");
	state_forget(&client, "baseline");
	client.state_dir = tempdir_name;
	ck_assert(is_there("c.baseline"));
	end();
}
END_TEST

/* What is kept as "client 12", "boot BOOT", "ours 3" and "ours 45", cut off. */
static void cut_baseline_file(const char *boot, size_t size)
{
	char text[200];

	snprintf(text, sizeof(text), "client 12\nboot %s\nours 3\nours 45\n",
		 boot);
	text[strlen(text) - size] = '\0';
	tempdir_put("c.baseline", text);
}

START_TEST(of_a_baseline_that_was_cut_off_only_whole_lines_are_believed)
{
	char boot[64];

	begin();
	host_boot_id(boot, sizeof(boot));
	cut_baseline_file(boot, 0);
	forget_stale("45");
	expect_baseline("12");
	forget_stale("4");
	expect_baseline(NULL);
	cut_baseline_file(boot, 1); /* "ours 45", or "ours 456" */
	forget_stale("45");
	expect_baseline("12");
	cut_baseline_file(boot, 2);
	forget_stale("4");
	expect_baseline("12");
	keep("45", "6"); /* it had them: a job of before wanted them */
	expect_baseline_file("client 12", "ours 3\nours 45\nours 6\n");
	cut_baseline_file(boot, 15); /* no job wanted anything */
	forget_stale("45");
	expect_baseline("12");
	tempdir_put("c.baseline", "client 1");
	expect_baseline(NULL);
	end();
}
END_TEST

/* ---- rules ----------------------------------------------------------------- */

static const struct rule rules[] = {
	{ "A1", FINDING_WARNING, RULE_SPARES_NODE, "cure", NULL },
	{ "A2", FINDING_ERROR, RULE_BREAKS_NODE, "other", NULL },
	{ "A3", FINDING_INFO, RULE_OF_JOB, NULL, NULL },
	{ 0 }
};

START_TEST(a_rule_tells_by_its_code_whom_it_is_for)
{
	char target[FINDING_TARGET_MAX + 1];
	struct findings findings = { 0 };
	const struct judge judge = { .client = &client, .findings = &findings };

	begin();
	rule_tell(&client, "A1", NULL, &findings, "no rules");
	ck_assert_uint_eq(findings.count, 0);
	type.rules = rules;
	rule_check_all(&judge); /* none has a check */
	rule_tell(&client, "A4", NULL, &findings, "no such rule");
	ck_assert_uint_eq(findings.count, 0);
	rule_tell(&client, "A2", NULL, &findings, "%d", 2);
	rule_tell(&client, "A1", "mine", &findings, "%d", 1);
	memset(target, 't', sizeof(target) - 1);
	target[FINDING_TARGET_MAX - 1] = '\0';
	rule_say_of(&judge, &rules[2], target, "x");
	target[FINDING_TARGET_MAX - 1] = 't';
	target[FINDING_TARGET_MAX] = '\0';
	rule_say_of(&judge, &rules[2], target, "y");
	ck_assert_uint_eq(findings.count, 4);
	ck_assert_str_eq(findings.list[0].code, "A2");
	ck_assert_str_eq(findings.list[0].text, "2");
	ck_assert_str_eq(findings.list[0].cure, "other");
	ck_assert(findings.list[0].breaks_node);
	ck_assert(!findings.list[0].is_users);
	ck_assert_str_eq(findings.list[1].cure, "mine");
	ck_assert(!findings.list[1].breaks_node);
	ck_assert(!findings.list[1].is_users);
	ck_assert(findings.list[2].is_users);
	ck_assert_uint_eq(strlen(findings.list[2].target),
			  FINDING_TARGET_MAX - 1);
	ck_assert_str_eq(findings.list[3].target, "");
	ck_assert_str_eq(findings.list[3].text, "y");
	findings_free(&findings);
	end();
}
END_TEST

START_TEST(a_list_of_no_cpus_says_so)
{
	struct cpuset set = set_of("2-3,8");
	char text[RULE_LIST_MAX];

	ck_assert_str_eq(rule_list(&set, text), "2-3,8");
	cpuset_zero(&set);
	ck_assert_str_eq(rule_list(&set, text), "none");
}
END_TEST

START_TEST(what_stands_behind_a_text_that_is_too_long_still_counts)
{
	static char text[5000];

	begin_cache();
	memset(text, 'x', sizeof(text) - 1);
	rests_on = text;
	cache_keep(&client);
	ck_assert(cache_use(&client));
	tempdir_put("file", "");
	ck_assert(!cache_use(&client));
	ask_clear(&kept_answer);
	end();
}
END_TEST

UNIT_MAIN("parts", a_question_may_take_what_is_left_of_the_time_for_all,
	  a_command_answers_or_it_is_told_why_not,
	  a_command_that_hangs_is_told_from_one_that_had_no_time,
	  too_much_output_is_no_answer_and_no_silence,
	  a_function_answers_like_a_command,
	  a_command_is_marked_as_long_as_it_runs,
	  a_command_has_an_environment_of_its_own,
	  a_command_that_must_succeed_says_why_it_did_not,
	  a_command_does_not_begin_when_what_comes_first_fails,
	  what_a_killed_helper_left_running_is_ended,
	  another_process_of_that_number_is_left_alone,
	  what_does_not_end_is_told, all_kinds_of_a_type_plan_in_their_order,
	  a_plan_has_room_for_as_many_changes_as_a_journal,
	  what_is_made_is_journaled_and_what_is_not_is_told,
	  how_a_change_ended_is_journaled, the_last_mount_that_fits_is_found,
	  below_a_folder_is_not_the_folder_and_not_its_neighbour,
	  half_a_line_is_no_place,
	  an_answer_is_kept_as_long_as_all_that_it_rests_on,
	  what_is_not_worth_keeping_takes_the_old_answer_with_it,
	  an_answer_holds_for_ten_minutes,
	  the_cores_before_the_first_job_are_kept_until_they_are_back,
	  the_last_sixteen_that_jobs_wanted_are_kept,
	  cores_that_no_job_wanted_are_the_sites_new_ones,
	  after_a_reboot_what_is_mounted_decides,
	  what_an_older_version_kept_is_never_stale,
	  of_a_baseline_that_was_cut_off_only_whole_lines_are_believed,
	  a_rule_tells_by_its_code_whom_it_is_for, a_list_of_no_cpus_says_so,
	  what_stands_behind_a_text_that_is_too_long_still_counts)
