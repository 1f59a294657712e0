/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of coupled settings, changed and put back; the targets are texts here. What
 * makes them files and mounts is tested with the types. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "client/rule.h"
#include "client/setting.h"
#include "client/type.h"
#include "tests/unit/runner.h"

static const struct rule rules[] = {
	{ "F", FINDING_ERROR, RULE_SPARES_NODE, "the cure", NULL },
	{ "B", FINDING_ERROR, RULE_SPARES_NODE, "c", NULL },
	{ "O", FINDING_WARNING, RULE_SPARES_NODE, "c", NULL },
	{ "S", FINDING_INFO, RULE_SPARES_NODE, "c", NULL },
	{ "R", FINDING_WARNING, RULE_SPARES_NODE, "c", NULL },
	{ 0 }
};

#define TARGETS 3

/* What a target has, and what it will have after each command. */
static struct {
	const char *name; /* NULL: there are no more */
	const char *now;  /* NULL: it is gone */
	const char *next[3];
} targets[TARGETS + 1];

static const char *asked, *complaint, *unreadable;
static char written[200];

static const char *wanted(const struct client_want *want)
{
	(void)want;
	return asked;
}

static const char *target(const struct client *client, size_t index)
{
	(void)client;
	return targets[index].name;
}

static size_t place_of(const char *name)
{
	size_t i;

	for (i = 0; targets[i].name; i++)
		if (!strcmp(targets[i].name, name))
			return i;
	ck_abort_msg("no target '%s'", name);
}

static const char *now(const struct client *client, const char *name)
{
	(void)client;
	return targets[place_of(name)].now;
}

static int read_all(struct client *client, struct err *err)
{
	(void)client;
	return unreadable ? err_set(err, "%s", unreadable) : 0;
}

static int write_list(const struct setting *setting, struct client *client,
		      const char *name, const char *list, struct err *err)
{
	size_t i = place_of(name);

	(void)setting;
	(void)client;
	snprintf(written + strlen(written), sizeof(written) - strlen(written),
		 "%s:%s;", name, list);
	if (targets[i].next[0]) {
		targets[i].now = targets[i].next[0];
		targets[i].next[0] = targets[i].next[1];
		targets[i].next[1] = targets[i].next[2];
	}
	return complaint ? err_set(err, "%s", complaint) : 0;
}

static const struct setting_key keys[] = {
	{ .key = "a", .profile = true },
	{ .key = "b", .profile = true, .group = 'g' },
	{ .key = "c", .profile = true, .group = 'g' },
	{ .key = "n", .profile = true, .max = 100 },
	{ .key = "fixed" },
	{ 0 }
};
static const struct setting setting = {
	.keys = keys,
	.one = "word",
	.many = "words",
	.no_key = "not for a profile",
	.shown_by = "the list",
	.failed = "F",
	.not_back = "B",
	.not_ours = "O",
	.shared = "S",
	.refused = "R",
	.wanted = wanted,
	.target = target,
	.now = now,
	.read = read_all,
	.write = write_list,
};
static const struct change_kind kind = {
	.name = "words",
	.how = &setting,
	.plan = setting_plan,
	.make = setting_make,
	.undo = setting_undo,
};
static struct config_client section = { .name = (char *)"c" };
static const struct client_type_ops type = { .name = "t", .rules = rules };
static struct client client = { .type = &type, .section = &section };
static struct findings findings;
static struct err err;

static void expect_finding(const char *code, const char *text)
{
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, code);
	ck_assert_str_eq(findings.list[0].text, text);
	findings_free(&findings);
}

static void expect_no_finding(void)
{
	ck_assert_msg(!findings.count, "%s", findings.list[0].text);
}

/* "t0: old -> new;" of each change */
static const char *plan(const char *words, bool alone)
{
	struct client_plan *made = calloc(1, sizeof(*made));
	struct client_want want = { .alone = alone };
	static char text[400];
	size_t i;

	asked = words;
	*text = '\0';
	ck_assert_int_eq(
		setting_plan(&kind, &client, &want, made, &findings, &err), 0);
	for (i = 0; i < made->count; i++)
		sprintf(text + strlen(text), "%s: %s -> %s;",
			made->change[i].target, made->change[i].old_value,
			made->change[i].new_value);
	change_clear(made);
	free(made);
	return text;
}

static void two_targets(void)
{
	targets[0].name = "t0";
	targets[0].now = "fixed,b,n=5";
	targets[1].name = "t1";
	targets[1].now = "fixed,c";
}

START_TEST(what_a_target_has_is_not_planned)
{
	two_targets();
	ck_assert_str_eq(plan("", true), "");
	ck_assert_str_eq(plan("c", true), "t0: b -> c;");
	ck_assert_str_eq(plan("c,n=7", true),
			 "t0: b,n=5 -> c,n=7;t1: !n -> n=7;");
	ck_assert_str_eq(plan("a", true), "t0: !a -> a;t1: !a -> a;");
	ck_assert_str_eq(plan("a,a", true), "t0: !a -> a;t1: !a -> a;");
	expect_no_finding();
}
END_TEST

START_TEST(a_profile_with_a_word_that_it_may_not_have_is_not_applied)
{
	two_targets();
	ck_assert_str_eq(plan("a,fixed", true), "");
	expect_finding("R", "word 'fixed' of the profile: not for a profile; "
			    "the profile was not applied");
	ck_assert_str_eq(plan("nosuch,a", true), "");
	expect_finding("R", "word 'nosuch' of the profile: not for a profile; "
			    "the profile was not applied");
	ck_assert_str_eq(plan("!a", true), "");
	expect_finding("R", "word '!a' of the profile: not for a profile; "
			    "the profile was not applied");
	ck_assert_str_eq(plan("n=101", true), "");
	expect_finding("R", "word 'n=101' of the profile: its value is not a "
			    "number within bounds; the profile was not "
			    "applied");
	ck_assert_str_eq(plan("a=1", true), "");
	expect_finding("R", "word 'a=1' of the profile: takes no value; the "
			    "profile was not applied");
	ck_assert_str_eq(plan("b,c", true), "");
	expect_finding("R", "word 'b' of the profile and its 'c' exclude each "
			    "other; the profile was not applied");
	ck_assert_str_eq(plan("n=100", true),
			 "t0: n=5 -> n=100;t1: !n -> n=100;");
	ck_assert_str_eq(plan("n=0", true), "t0: n=5 -> n=0;t1: !n -> n=0;");
	expect_no_finding();
}
END_TEST

START_TEST(nothing_is_changed_where_others_live)
{
	two_targets();
	ck_assert_str_eq(plan("a", false), "");
	expect_finding("S", "the profile's words were left out: the job shares "
			    "this node with others");
	ck_assert_str_eq(plan("", false), "");
	expect_no_finding();
}
END_TEST

START_TEST(a_target_of_which_nothing_is_known_is_left_alone_and_told)
{
	two_targets();
	targets[0].now = NULL;
	ck_assert_str_eq(plan("a", true), "t1: !a -> a;");
	expect_finding("F", "'t0' could not get a: the list does not say what "
			    "it has now");
}
END_TEST

START_TEST(a_job_has_so_many_changes_and_the_rest_is_told)
{
	struct client_plan *made = calloc(1, sizeof(*made));
	struct client_want want = { .alone = true };

	two_targets();
	asked = "a";
	made->count = CHANGES_MAX - 1;
	ck_assert_int_eq(
		setting_plan(&kind, &client, &want, made, &findings, &err), 0);
	ck_assert_uint_eq(made->count, CHANGES_MAX);
	ck_assert_str_eq(made->change[CHANGES_MAX - 1].target, "t0");
	expect_finding("F", "'t1' and what is behind it could not get a: 256 "
			    "changes are all that a job has");
	journal_change_clear(&made->change[CHANGES_MAX - 1]);
	free(made);
}
END_TEST

static bool stands(const char *words)
{
	struct client_want want = { .alone = true };

	asked = words;
	return setting_holds(&kind, &client, &want);
}

START_TEST(a_profile_stands_when_all_targets_have_all_of_it)
{
	ck_assert(stands(""));
	ck_assert(!stands("a")); /* on nothing */
	two_targets();
	ck_assert(stands(""));
	ck_assert(stands("fixed"));
	ck_assert(stands("!a"));
	ck_assert(!stands("b"));
	ck_assert(!stands("c"));
	ck_assert(!stands("n=6"));
	targets[1].now = "b,n=5";
	ck_assert(stands("b"));
	ck_assert(stands("n=5,b"));
	ck_assert(!stands("b,a"));
	targets[1].now = NULL;
	ck_assert(!stands("b"));
}
END_TEST

static struct journal_change change = {
	.client = (char *)"c",
	.what = (char *)"words",
	.target = (char *)"t0",
	.old_value = (char *)"b,!a",
	.new_value = (char *)"c,a",
};

static void before(const char *has)
{
	two_targets();
	targets[0].now = has;
	targets[0].next[0] = targets[0].next[1] = targets[0].next[2] = NULL;
	complaint = unreadable = NULL;
	*written = '\0';
}

START_TEST(a_profile_may_stand_on_the_only_target)
{
	const struct client_want want = { .alone = true };

	two_targets();
	targets[1].name = NULL;
	asked = "n=5";
	ck_assert(setting_holds(&kind, &client, &want));
	asked = "n=6";
	ck_assert(!setting_holds(&kind, &client, &want));
}
END_TEST

START_TEST(a_change_is_made_when_it_is_seen_to_be_there)
{
	before("fixed,b");
	targets[0].next[0] = "fixed,c,a";
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_MADE);
	ck_assert_str_eq(written, "t0:c,a;");
	before("fixed,b");
	targets[0].next[0] = "a,c,fixed";
	complaint = "exit status 32"; /* whatever the command said */
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_MADE);
	expect_no_finding();
}
END_TEST

START_TEST(a_change_that_does_not_happen_is_told_with_its_reason)
{
	before("fixed,b");
	complaint = "exit status 32";
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_NOT_MADE);
	ck_assert_str_eq(written, "t0:c,a;"); /* nothing to put back */
	expect_finding("F", "'t0' could not get c,a: exit status 32");
	before("fixed,b");
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_NOT_MADE);
	expect_finding("F", "'t0' could not get c,a: the list shows 'fixed,b' "
			    "instead");
	before(NULL);
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_NOT_MADE);
	ck_assert_str_eq(findings.list[0].cure, "mount it");
	ck_assert_str_eq(written, "");
	expect_finding("F", "'t0' is not mounted any more");
}
END_TEST

START_TEST(half_a_change_is_put_back)
{
	before("fixed,b");
	targets[0].next[0] = "fixed,c";
	targets[0].next[1] = "fixed,b";
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_NOT_MADE);
	ck_assert_str_eq(written, "t0:c,a;t0:b;");
	expect_finding("F", "'t0' could not get c,a: the list shows 'fixed,c' "
			    "instead");
	/* all of it, and something else is lost */
	before("fixed,b,n=5");
	targets[0].next[0] = "fixed,c,a";
	targets[0].next[1] = "fixed,b";
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_NOT_MADE);
	ck_assert_str_eq(written, "t0:c,a;t0:b,!a;");
	expect_finding("F",
		       "'t0' could not get c,a: it has lost 'n=5' on the way");
}
END_TEST

START_TEST(what_cannot_be_put_back_is_stuck)
{
	before("fixed,b");
	targets[0].next[0] = "fixed,c";
	complaint = "exit status 32";
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_STUCK);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.list[0].code, "F");
	ck_assert_str_eq(findings.list[0].text,
			 "'t0' could not get c,a: exit status 32");
	ck_assert_str_eq(findings.list[1].code, "B");
	ck_assert_str_eq(findings.list[1].text,
			 "'t0' could not get b back: exit status 32");
	findings_free(&findings);
	before("fixed,b");
	unreadable = "no table";
	ck_assert_int_eq(setting_make(&kind, &client, &change, &findings),
			 CHANGE_STUCK);
	ck_assert_uint_eq(findings.count, 2);
	ck_assert_str_eq(findings.list[0].text,
			 "'t0' could not get c,a: no table");
	ck_assert_str_eq(findings.list[1].text,
			 "'t0' could not get b,!a back: no table");
	findings_free(&findings);
}
END_TEST

static enum change_undone undo(void)
{
	*written = '\0';
	return setting_undo(&kind, &client, &change, &findings);
}

START_TEST(what_is_still_ours_is_put_back)
{
	before("fixed,c,a");
	targets[0].next[0] = "fixed,b";
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_str_eq(written, "t0:b,!a;");
	before("fixed,b,a"); /* one of the two is back */
	targets[0].next[0] = "fixed,b";
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_str_eq(written, "t0:!a;");
	before("fixed,b");
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_str_eq(written, "");
	before(NULL); /* the next mount starts anew */
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_str_eq(written, "");
	expect_no_finding();
}
END_TEST

START_TEST(what_somebody_else_has_set_is_left_and_told)
{
	static const char sentence[] =
		"'t0' has fixed: neither what the node had (b,!a) nor what "
		"jobio set (c,a); left as it is";

	before("fixed"); /* neither b nor c */
	ck_assert_int_eq(undo(), CHANGE_NOT_OURS);
	ck_assert_str_eq(written, "");
	expect_finding("O", sentence);
	before("fixed,a");
	targets[0].next[0] = "fixed";
	ck_assert_int_eq(undo(), CHANGE_UNDONE);
	ck_assert_str_eq(written, "t0:!a;");
	expect_finding("O", "'t0' has fixed,a: neither what the node had "
			    "(b,!a) nor what jobio set (c,a); left as it is");
}
END_TEST

START_TEST(what_does_not_come_back_is_told)
{
	before("fixed,c,a");
	complaint = "exit status 1";
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	expect_finding("B", "'t0' could not get b,!a back: exit status 1");
	before("fixed,c,a");
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	expect_finding("B", "'t0' could not get b,!a back: the list shows "
			    "'fixed,c,a' instead");
	before("fixed,c,a");
	unreadable = "no table";
	ck_assert_int_eq(undo(), CHANGE_NOT_UNDONE);
	ck_assert_str_eq(written, "");
	expect_finding("B", "'t0' could not get b,!a back: no table");
}
END_TEST

/* ---- types by name ----------------------------------------------------------- */

START_TEST(a_type_is_asked_by_its_name)
{
	ck_assert(client_type_mounts("nfs", "nfs4"));
	ck_assert(client_type_mounts("weka", "wekafs"));
	ck_assert(!client_type_mounts("weka", "nfs4"));
	ck_assert(!client_type_mounts("nfs", ""));
	ck_assert(!client_type_mounts("nosuch", "nfs4"));
	ck_assert_str_eq(client_type_with_cores(), "weka");
	ck_assert_uint_gt(client_sizing("weka")->cores_max, 0);
	ck_assert_uint_eq(client_sizing("nfs")->cores_max, 0);
	ck_assert_uint_eq(client_sizing("nosuch")->cores_max, 0);
	ck_assert(client_change_outlives_reboot("weka", "cores"));
	ck_assert(!client_change_outlives_reboot("nfs", "read-ahead"));
	ck_assert(!client_change_outlives_reboot("lustre", "parameters"));
	/* of what is not known the worst is thought */
	ck_assert(client_change_outlives_reboot("nfs", "nosuch"));
	ck_assert(client_change_outlives_reboot("nosuch", "cores"));
}
END_TEST

START_TEST(what_an_administrator_types_for_cores_is_of_the_type)
{
	struct client_place place = { .numa_node = -1, .card = "" };
	char *text;

	cpuset_add(&place.ids, 3);
	cpuset_add(&place.ids, 4);
	text = client_cores_command("weka", &place);
	ck_assert_str_eq(text, "weka local resources cores 2 "
			       "--only-frontend-cores --core-ids 3,4");
	free(text);
	ck_assert_ptr_null(client_cores_command("nosuch", &place));
}
END_TEST

UNIT_MAIN("setting", what_a_target_has_is_not_planned,
	  a_profile_with_a_word_that_it_may_not_have_is_not_applied,
	  nothing_is_changed_where_others_live,
	  a_target_of_which_nothing_is_known_is_left_alone_and_told,
	  a_job_has_so_many_changes_and_the_rest_is_told,
	  a_profile_stands_when_all_targets_have_all_of_it,
	  a_profile_may_stand_on_the_only_target,
	  a_change_is_made_when_it_is_seen_to_be_there,
	  a_change_that_does_not_happen_is_told_with_its_reason,
	  half_a_change_is_put_back, what_cannot_be_put_back_is_stuck,
	  what_is_still_ours_is_put_back,
	  what_somebody_else_has_set_is_left_and_told,
	  what_does_not_come_back_is_told, a_type_is_asked_by_its_name,
	  what_an_administrator_types_for_cores_is_of_the_type)
