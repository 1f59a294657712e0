/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/change.h"

#include <string.h>

#include "client/type.h"
#include "record/alloc.h"

const struct change_kind *change_find(const struct client_type_ops *type, const char *what)
{
	const struct change_kind *const *kind = type->changes;

	for (; kind && *kind; kind++)
		if (!strcmp((*kind)->name, what))
			return *kind;
	return NULL;
}

/* ---- plans ------------------------------------------------------------- */

int change_add(struct client_plan *plan, const struct client *client,
	       const struct change_kind *kind, const char *target, const char *old_value,
	       const char *new_value)
{
	struct journal_change *change;

	if (plan->count == CHANGES_MAX)
		return 1;
	change = &plan->change[plan->count];
	change->client = xstrdup(client->section->name);
	change->what = xstrdup(kind->name);
	change->target = xstrdup(target);
	change->old_value = xstrdup(old_value);
	change->new_value = xstrdup(new_value);
	plan->count++;
	return 0;
}

void change_clear(struct client_plan *plan)
{
	while (plan->count)
		journal_change_clear(&plan->change[--plan->count]);
}

void change_plan(struct client *client, const struct client_desired *desired,
		 struct client_plan *plan, struct findings *findings)
{
	const struct change_kind *const *kind = client->type->changes;

	for (; kind && *kind; kind++)
		(*kind)->plan(*kind, client, desired, plan, findings);
}

bool change_holds(const struct client *client, const struct client_desired *desired)
{
	const struct change_kind *const *kind = client->type->changes;

	for (; kind && *kind; kind++)
		if ((*kind)->holds && !(*kind)->holds(*kind, client, desired))
			return false;
	return true;
}

/* ---- make ------------------------------------------------------------- */

/* If the mark cannot be written, the change stays "planned", and undoing it reads the value
 * itself. */
static int apply_one(struct client *client, const struct journal_change *change, unsigned int seq,
		     struct journal *journal, struct findings *findings)
{
	const struct change_kind *kind = change_find(client->type, change->what);
	enum change_made made;

	made = kind->make(kind, client, change, findings);
	if (made == CHANGE_STUCK)
		return 1;
	journal_mark(journal, seq, made == CHANGE_MADE ? JOURNAL_DONE : JOURNAL_FAILED, NULL);
	return made == CHANGE_MADE ? 0 : 1;
}

int change_apply(struct client *client, const struct client_plan *plan, struct journal *journal,
		 struct findings *findings, struct err *err)
{
	int seq[CHANGES_MAX], rc = 0;
	size_t i, count = plan ? plan->count : 0;

	/* journal all of them first: a remount may make more than one */
	for (i = 0; i < count; i++) {
		seq[i] = journal_plan(journal, &plan->change[i], err);
		if (seq[i] < 0)
			return -1;
	}
	client->plan = plan;
	client->findings = findings;
	for (i = 0; i < count; i++)
		if (apply_one(client, &plan->change[i], (unsigned int)seq[i], journal, findings))
			rc = 1;
	client->plan = NULL;
	return rc;
}

/* ---- undo -------------------------------------------------------------- */

static enum journal_state state_after(enum change_undone undone)
{
	switch (undone) {
	case CHANGE_UNDONE:
		return JOURNAL_RESTORED;
	case CHANGE_GONE:
		return JOURNAL_GONE;
	case CHANGE_NOT_OURS:
		return JOURNAL_LOST;
	case CHANGE_KEPT:
		return JOURNAL_KEPT;
	case CHANGE_NOT_UNDONE:
		break;
	}
	return JOURNAL_PLANNED;
}

int change_undo(struct client *client, const struct journal_change *change, struct journal *journal,
		struct findings *findings, struct err *err)
{
	const struct change_kind *kind = change_find(client->type, change->what);
	enum change_undone undone = CHANGE_NOT_UNDONE;

	if (!kind || !kind->undo)
		return err_set(err, "%s '%s': a client of type %s cannot put that back",
			       change->what, change->target, client->type->name);
	client->findings = findings;
	undone = kind->undo(kind, client, change, findings);
	if (undone == CHANGE_NOT_UNDONE)
		return err_set(err, "%s '%s': could not be put back", change->what, change->target);
	journal_mark(journal, change->seq, state_after(undone), NULL);
	return undone == CHANGE_UNDONE;
}
