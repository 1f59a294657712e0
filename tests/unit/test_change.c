/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes of a client as the journal tells them; what is changed is made up here. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/change.h"
#include "client/client.h"
#include "client/type.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static char told[200];	       /* who was asked, in order */
static const char *plan_fails; /* of this kind; NULL: of none */
static const char *not_held;
static enum change_made made[3]; /* of the first change, the second, .. */
static enum change_undone undone;
static size_t makes;
static struct config_client section = { .name = (char *)"scratch" };

static void tell(const char *what, const char *name)
{
	size_t used = strlen(told);

	snprintf(told + used, sizeof(told) - used, "%s %s;", what, name);
}

static int plan_one(const struct change_kind *kind, struct client *client,
		    const struct client_want *want, struct client_plan *plan,
		    struct findings *findings, struct err *err)
{
	(void)want, (void)findings;
	tell("plan", kind->name);
	if (plan_fails && !strcmp(plan_fails, kind->name))
		return err_set(err, "no plan of %s", kind->name);
	return change_add(plan, client, kind, "/t", "old", "new", err);
}

static enum change_made make_one(const struct change_kind *kind,
				 struct client *client,
				 const struct journal_change *change,
				 struct findings *findings)
{
	(void)client, (void)findings;
	ck_assert_str_eq(change->what, kind->name);
	tell("make", kind->name);
	return made[makes++];
}

static enum change_undone undo_one(const struct change_kind *kind,
				   struct client *client,
				   const struct journal_change *change,
				   struct findings *findings)
{
	(void)client, (void)findings;
	ck_assert_str_eq(change->what, kind->name);
	return undone;
}

static bool holds_one(const struct change_kind *kind,
		      const struct client *client,
		      const struct client_want *want)
{
	(void)client, (void)want;
	return !not_held || strcmp(not_held, kind->name) != 0;
}

static const struct change_kind a = {
	.name = "a", .plan = plan_one, .make = make_one, .undo = undo_one
};
static const struct change_kind b = { .name = "b",
				      .plan = plan_one,
				      .make = make_one,
				      .undo = undo_one,
				      .holds = holds_one };
static const struct change_kind bb = { .name = "bb",
				       .plan = plan_one,
				       .make = make_one,
				       .undo = undo_one,
				       .holds = holds_one };
static const struct change_kind *const kinds[] = { &a, &b, &bb, NULL };
static const struct client_type_ops type = { .name = "t", .changes = kinds };
static const struct client_type_ops type_without = { .name = "none" };
static struct client client = { .type = &type, .section = &section };
static struct findings findings;
static struct err err;

static bool is_journal_full;

int __real_journal_plan(struct journal *journal,
			const struct journal_change *change, struct err *err);
int __wrap_journal_plan(struct journal *journal,
			const struct journal_change *change, struct err *err);

int __wrap_journal_plan(struct journal *journal,
			const struct journal_change *change, struct err *error)
{
	if (is_journal_full)
		return err_set(error, "the journal is full");
	return __real_journal_plan(journal, change, error);
}

/* ---- plans ------------------------------------------------------------------- */

static struct client_plan plan;

static int plan_all(void)
{
	const struct client_want want = { .alone = true };

	*told = '\0';
	return change_plan(&client, &want, &plan, &findings, &err);
}

START_TEST(all_kinds_are_asked_for_a_plan_in_their_order)
{
	ck_assert_int_eq(plan_all(), 0);
	ck_assert_str_eq(told, "plan a;plan b;plan bb;");
	ck_assert_uint_eq(plan.count, 3);
	ck_assert_str_eq(plan.change[1].client, "scratch");
	ck_assert_str_eq(plan.change[1].what, "b");
	ck_assert_str_eq(plan.change[1].target, "/t");
	ck_assert_str_eq(plan.change[1].old_value, "old");
	ck_assert_str_eq(plan.change[1].new_value, "new");
	change_clear(&plan);
	ck_assert_uint_eq(plan.count, 0);
	client.type = &type_without;
	ck_assert_int_eq(plan_all(), 0);
	ck_assert_uint_eq(plan.count, 0);
}
END_TEST

START_TEST(a_kind_that_cannot_plan_ends_the_plan)
{
	plan_fails = "b";
	ck_assert_int_eq(plan_all(), -1);
	ck_assert_str_eq(told, "plan a;plan b;");
	ck_assert_str_eq(err.text, "no plan of b");
	change_clear(&plan);
}
END_TEST

START_TEST(a_plan_has_so_many_changes_and_no_more)
{
	plan.count = CHANGES_MAX - 1;
	ck_assert_int_eq(change_add(&plan, &client, &a, "/t", "0", "1", &err),
			 0);
	ck_assert_uint_eq(plan.count, CHANGES_MAX);
	ck_assert_int_eq(change_add(&plan, &client, &a, "/t", "0", "1", &err),
			 1);
	ck_assert_uint_eq(plan.count, CHANGES_MAX);
	journal_change_clear(&plan.change[CHANGES_MAX - 1]);
}
END_TEST

START_TEST(a_profile_stands_when_no_kind_says_otherwise)
{
	const struct client_want want = { .alone = true };

	ck_assert(change_holds(&client, &want));
	not_held = "bb";
	ck_assert(!change_holds(&client, &want));
	not_held = "b";
	ck_assert(!change_holds(&client, &want));
	client.type = &type_without;
	ck_assert(change_holds(&client, &want));
}
END_TEST

START_TEST(a_kind_is_found_by_its_whole_name)
{
	ck_assert_ptr_eq(change_find(&type, "a"), &a);
	ck_assert_ptr_eq(change_find(&type, "bb"), &bb);
	ck_assert_ptr_null(change_find(&type, "bbb"));
	ck_assert_ptr_null(change_find(&type_without, "a"));
}
END_TEST

/* ---- there and back ------------------------------------------------------------ */

static struct journal *journal;

static void open_journal(void)
{
	tempdir_make();
	journal = journal_open(tempdir_path("journal"), &err);
	ck_assert_msg(journal != NULL, "%s", err.text);
}

static int apply(enum change_made first, enum change_made second,
		 enum change_made third)
{
	int rc;

	open_journal();
	ck_assert_int_eq(plan_all(), 0);
	*told = '\0';
	made[0] = first;
	made[1] = second;
	made[2] = third;
	makes = 0;
	rc = change_apply(&client, &plan, journal, &findings, &err);
	change_clear(&plan);
	return rc;
}

static void away(void)
{
	journal_close(journal);
	tempdir_remove();
}

static void expect_states(enum journal_state first, enum journal_state second,
			  enum journal_state third)
{
	ck_assert_str_eq(told, "make a;make b;make bb;");
	ck_assert_uint_eq(journal_count(journal), 3);
	ck_assert_int_eq(journal_at(journal, 0)->state, first);
	ck_assert_int_eq(journal_at(journal, 1)->state, second);
	ck_assert_int_eq(journal_at(journal, 2)->state, third);
	away();
}

START_TEST(the_journal_says_what_became_of_each_change)
{
	ck_assert_int_eq(apply(CHANGE_MADE, CHANGE_MADE, CHANGE_MADE), 0);
	expect_states(JOURNAL_DONE, JOURNAL_DONE, JOURNAL_DONE);
	ck_assert_int_eq(apply(CHANGE_NOT_MADE, CHANGE_MADE, CHANGE_MADE), 1);
	expect_states(JOURNAL_FAILED, JOURNAL_DONE, JOURNAL_DONE);
	/* half made: it is looked at again when it is undone */
	ck_assert_int_eq(apply(CHANGE_MADE, CHANGE_STUCK, CHANGE_MADE), 1);
	expect_states(JOURNAL_DONE, JOURNAL_PLANNED, JOURNAL_DONE);
}
END_TEST

START_TEST(without_a_line_in_the_journal_nothing_is_changed)
{
	is_journal_full = true;
	ck_assert_int_eq(apply(CHANGE_MADE, CHANGE_MADE, CHANGE_MADE), -1);
	ck_assert_str_eq(err.text, "the journal is full");
	ck_assert_str_eq(told, "");
	ck_assert_uint_eq(journal_count(journal), 0);
	ck_assert_int_eq(change_apply(&client, NULL, journal, &findings, &err),
			 0);
	away();
}
END_TEST

/* Of a change that is made; its state in the journal is then this. */
static int undo(enum change_undone how, enum journal_state state)
{
	int rc;

	ck_assert_int_eq(apply(CHANGE_MADE, CHANGE_MADE, CHANGE_MADE), 0);
	undone = how;
	rc = change_undo(&client, journal_at(journal, 1), journal, &findings,
			 &err);
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_DONE);
	ck_assert_int_eq(journal_at(journal, 1)->state, state);
	away();
	return rc;
}

START_TEST(the_journal_says_how_a_change_was_undone)
{
	ck_assert_int_eq(undo(CHANGE_UNDONE, JOURNAL_RESTORED), 1);
	ck_assert_int_eq(undo(CHANGE_NOT_OURS, JOURNAL_LOST), 0);
	ck_assert_int_eq(undo(CHANGE_KEPT, JOURNAL_KEPT), 0);
	ck_assert_int_eq(undo(CHANGE_NOT_UNDONE, JOURNAL_DONE), -1);
	ck_assert_str_eq(err.text, "b '/t': could not be put back");
}
END_TEST

START_TEST(a_change_that_the_type_does_not_know_is_not_undone)
{
	ck_assert_int_eq(apply(CHANGE_MADE, CHANGE_MADE, CHANGE_MADE), 0);
	client.type = &type_without;
	ck_assert_int_eq(change_undo(&client, journal_at(journal, 0), journal,
				     &findings, &err),
			 -1);
	ck_assert_str_eq(err.text, "a '/t': a client of type none cannot put "
				   "that back");
	ck_assert_int_eq(journal_at(journal, 0)->state, JOURNAL_DONE);
	away();
}
END_TEST

UNIT_MAIN("change", all_kinds_are_asked_for_a_plan_in_their_order,
	  a_kind_that_cannot_plan_ends_the_plan,
	  a_plan_has_so_many_changes_and_no_more,
	  a_profile_stands_when_no_kind_says_otherwise,
	  a_kind_is_found_by_its_whole_name,
	  the_journal_says_what_became_of_each_change,
	  without_a_line_in_the_journal_nothing_is_changed,
	  the_journal_says_how_a_change_was_undone,
	  a_change_that_the_type_does_not_know_is_not_undone)
