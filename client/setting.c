/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/setting.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "client/type.h"
#include "record/alloc.h"

static const struct setting *setting_of(const struct change_kind *kind)
{
	return kind->how;
}

/* ---- keys -------------------------------------------------------------- */

const struct setting_key *setting_key_find(const struct setting *setting, const char *key)
{
	const struct setting_key *row = setting->keys;

	for (; row->key; row++)
		if (!strcmp(row->key, key))
			return row;
	return NULL;
}

const char *setting_refusal(const struct setting *setting, const char *key, const char *value)
{
	const struct setting_key *row = setting_key_find(setting, key);
	unsigned long number;

	if (!row || !row->profile)
		return setting->no_key;
	if (!row->max)
		return *value ? "takes no value" : NULL;
	if (number_parse(value, 0, row->max, &number, NULL) < 0)
		return "its value is not a number within bounds";
	return NULL;
}

static bool is_rival(const struct setting *setting, const char *a, const char *b)
{
	const struct setting_key *x, *y;

	if (!strcmp(a, b))
		return true;
	x = setting_key_find(setting, a);
	y = setting_key_find(setting, b);
	return x && y && x->group && x->group == y->group;
}

/* ---- lists ------------------------------------------------------------- */

/* Find the last word of the list that a word of this key replaces. [word]: SETTING_WORD_MAX bytes,
 * or NULL. */
static bool find_rival(const struct setting *setting, const char *list, const char *key, char *word)
{
	struct options_word w;
	bool found = false;

	while (options_next(&list, &w)) {
		if (!is_rival(setting, w.key + (*w.word == '!'), key))
			continue;
		if (word)
			text_copy(word, SETTING_WORD_MAX, w.word);
		found = true;
	}
	return found;
}

bool setting_is_replaced(const struct setting *setting, const char *list, const char *key)
{
	return find_rival(setting, list, key, NULL);
}

/* Get the word of the list that 'word' would replace: "writecache" for "forcedirect", "!key" if
 * there is none. */
static void keeps_old(const struct setting *setting, const char *list, const char *word,
		      char current[SETTING_WORD_MAX])
{
	char key[SETTING_WORD_MAX];

	word += *word == '!';
	TEXT_SET_PART(key, word, strcspn(word, "="));
	if (!find_rival(setting, list, key, current))
		snprintf(current, SETTING_WORD_MAX, "!%.*s", SETTING_WORD_MAX - 2, key);
}

/* Return true if the list has this word; for "!key", if it has not. */
static bool holds(const struct setting *setting, const char *list, const char *word)
{
	char current[SETTING_WORD_MAX];

	keeps_old(setting, list, word, current);
	return !strcmp(current, word);
}

static bool holds_all(const struct setting *setting, const char *list, const char *wanted)
{
	struct options_word w;

	while (options_next(&wanted, &w))
		if (!holds(setting, list, w.word))
			return false;
	return true;
}

int setting_verify(const struct setting *setting, const char *before, const char *after,
		   const char *wanted, struct err *err)
{
	struct options_word w;

	if (!holds_all(setting, after, wanted))
		return err_set(err, "%s shows '%.300s' instead", setting->shown_by, after);
	while (options_next(&before, &w))
		if (!setting_is_replaced(setting, wanted, w.key) && !holds(setting, after, w.word))
			return err_set(err, "it has lost '%s'", w.word);
	return 0;
}

/* ---- plan -------------------------------------------------------------- */

static int plan_target(const struct change_kind *kind, struct client *client, const char *target,
		       const char *wanted)
{
	const struct setting *setting = setting_of(kind);
	const char *now = setting->now(client, target);
	char *old_list = NULL, *new_list = NULL, current[SETTING_WORD_MAX];
	struct options_word w;
	int rc = 0;

	while (options_next(&wanted, &w)) {
		keeps_old(setting, now, w.word, current);
		if (!strcmp(current, w.word) ||
		    (new_list && setting_is_replaced(setting, new_list, w.key)))
			continue; /* set already, or by an earlier word of the list */
		old_list = options_append(old_list, current);
		new_list = options_append(new_list, w.word);
	}
	if (new_list)
		rc = change_add(client, kind, target, old_list, new_list);
	free(old_list);
	free(new_list);
	return rc;
}

bool setting_refuses(const struct setting *setting, const struct client *client, const char *wanted)
{
	const char *rest = wanted, *why;
	char other[SETTING_WORD_MAX];
	struct options_word w;

	while (options_next(&rest, &w)) {
		why = setting_refusal(setting, w.key, w.value);
		if (why)
			rule_report_code(client, RULE_REFUSED, NULL,
					 "%s '%s' of the profile: %s; the profile was not applied",
					 setting->one, w.word, why);
		else if (find_rival(setting, wanted, w.key, other) && strcmp(other, w.word) != 0)
			rule_report_code(
				client, RULE_REFUSED, NULL,
				"%s '%s' of the profile and its '%s' exclude each other; the profile was not applied",
				setting->one, w.word, other);
		else
			continue;
		return true;
	}
	return false;
}

void setting_plan(const struct change_kind *kind, struct client *client,
		  const struct client_desired *desired)
{
	const struct setting *setting = setting_of(kind);
	const char *wanted = setting->wanted(desired), *target;
	int rc = 0;
	size_t i;

	if (!*wanted || setting_refuses(setting, client, wanted))
		return;
	if (!desired->alone) {
		rule_report_code(
			client, RULE_SHARED, rule_shared_cure(desired),
			"the profile's %s were left out: the job shares this node with others",
			setting->many);
		return;
	}
	for (i = 0; rc == 0 && (target = setting->target(client, i)); i++) {
		if (!setting->now(client, target))
			rule_report_code(
				client, RULE_FAILED, NULL,
				"'%s' could not get %s: its present value cannot be read from %s",
				target, wanted, setting->shown_by);
		else
			rc = plan_target(kind, client, target, wanted);
		if (rc > 0)
			rule_report_code(
				client, RULE_FAILED, NULL,
				"'%s' and the targets after it could not get %s: a job has at most %d changes",
				target, wanted, CHANGES_MAX);
	}
}

bool setting_holds(const struct change_kind *kind, const struct client *client,
		   const struct client_desired *desired)
{
	const struct setting *setting = setting_of(kind);
	const char *wanted = setting->wanted(desired), *target, *now;
	size_t i;

	for (i = 0; *wanted && (target = setting->target(client, i)); i++) {
		now = setting->now(client, target);
		if (!now || !holds_all(setting, now, wanted))
			return false;
	}
	return !*wanted || i > 0;
}

/* ---- make and undo ---------------------------------------------------- */

/* Set the error after now() returned NULL. */
static int no_list(struct err *err)
{
	if (errno == ENOENT)
		return err_set(err, "it is not mounted any more");
	return err_set(err, "cannot read what it has: %s", strerror(errno));
}

/* Write the words of a list to a target. Return 0 if it has them now, and no other has changed. */
static int set_list(const struct setting *setting, struct client *client, const char *target,
		    const char *wanted, struct err *err)
{
	struct err failure = { "" };
	const char *after = setting->now(client, target);
	char *before;
	int rc = -1;

	if (!after)
		return no_list(err);
	before = xstrdup(after);
	if (setting->write(setting, client, target, wanted, &failure) < 0)
		err_set(err, "%s", failure.text);
	/* the value read back decides, not the status of the command */
	if (setting->read(client, failure.text[0] ? NULL : err) < 0)
		goto out;
	after = setting->now(client, target);
	if (!after) {
		no_list(err);
		goto out;
	}
	rc = setting_verify(setting, before, after, wanted, failure.text[0] ? NULL : err);
out:
	free(before);
	return rc;
}

enum change_state setting_make(const struct change_kind *kind, struct client *client,
			       const struct change *change)
{
	const struct setting *setting = setting_of(kind);
	struct err why = { "" };

	if (!setting->now(client, change->target) && errno == ENOENT) {
		rule_report_code(client, RULE_FAILED, "mount it", "'%s' is not mounted any more",
				 change->target);
		return CHANGE_FAILED;
	}
	if (set_list(setting, client, change->target, change->new_value, &why) == 0)
		return CHANGE_DONE;
	rule_report_code(client, RULE_FAILED, NULL, "'%s' could not get %s: %.300s", change->target,
			 change->new_value, why.text);
	return setting_undo(kind, client, change) >= CHANGE_GONE ? CHANGE_FAILED : change->state;
}

/* Return the old words to be restored: those with their new one still set. *strange: some have a
 * third value. */
static char *still_ours(const struct setting *setting, const char *now, const struct change *change,
			bool *strange)
{
	const char *olds = change->old_value, *news = change->new_value;
	struct options_word was, is;
	char *list = NULL;

	*strange = false;
	while (options_next(&olds, &was) && options_next(&news, &is)) {
		if (holds(setting, now, is.word))
			list = options_append(list, was.word);
		else if (!holds(setting, now, was.word))
			*strange = true;
	}
	return list;
}

static enum change_state undo_list(const struct setting *setting, struct client *client,
				   const struct change *change, char **list, struct err *why)
{
	const char *now;
	bool strange;

	if (setting->read(client, why) < 0)
		return change->state;
	now = setting->now(client, change->target);
	if (!now && errno == ENOENT)
		return CHANGE_GONE; /* the next mount has the defaults */
	if (!now) {
		no_list(why);
		return change->state;
	}
	*list = still_ours(setting, now, change, &strange);
	if (strange)
		rule_report_code(
			client, RULE_NOT_OURS, NULL,
			"'%s' has %.200s: neither what the node had (%.200s) nor what jobio set (%.200s); left as it is",
			change->target, now, change->old_value, change->new_value);
	if (!*list)
		return strange ? CHANGE_REPLACED : CHANGE_RESTORED;
	return set_list(setting, client, change->target, *list, why) == 0 ? CHANGE_RESTORED
									  : change->state;
}

enum change_state setting_undo(const struct change_kind *kind, struct client *client,
			       const struct change *change)
{
	const struct setting *setting = setting_of(kind);
	enum change_state undone;
	struct err why = { "" };
	char *list = NULL;

	undone = undo_list(setting, client, change, &list, &why);
	if (undone == change->state)
		rule_report_code(client, RULE_NOT_BACK, NULL, "'%s' could not get %s back: %.300s",
				 change->target, list ? list : change->old_value, why.text);
	free(list);
	return undone;
}
