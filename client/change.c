/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/change.h"

#include <string.h>

#include "client/type.h"
#include "record/alloc.h"

const struct change_kind *change_find(const struct client_type_ops *type, const char *name)
{
	const struct change_kind *const *kind = type->changes;

	for (; kind && *kind; kind++)
		if (!strcmp((*kind)->name, name))
			return *kind;
	return NULL;
}

/* ---- plans ------------------------------------------------------------- */

int change_add(const struct client *client, const struct change_kind *kind, const char *target,
	       const char *old_value, const char *new_value)
{
	const struct change change = {
		.client = (char *)client->section->name,
		.kind = (char *)kind->name,
		.target = (char *)target,
		.old_value = (char *)old_value,
		.new_value = (char *)new_value,
	};

	if (client->plan->count == CHANGES_MAX)
		return 1;
	changes_add(client->plan, &change);
	return 0;
}

/* ---- make ------------------------------------------------------------- */

static bool is_of(const struct client *client, const struct change *change)
{
	return !strcmp(change->client, client->section->name);
}

/* If the mark cannot be written, the change stays "planned", and undoing it reads the value
 * itself. */
static int apply_one(struct client *client, const struct change *change, struct journal *journal)
{
	const struct change_kind *kind = change_find(client->type, change->kind);
	enum change_state state = kind->make(kind, client, change);

	if (state != change->state)
		journal_mark(journal, change->seq, state, NULL);
	return state == CHANGE_DONE ? 0 : 1;
}

int change_apply(struct client *client, struct changes *plan, struct journal *journal,
		 struct findings *findings, struct err *err)
{
	int rc = 0;
	size_t i;

	/* journal all of them first: a remount may make more than one */
	for (i = 0; i < plan->count; i++)
		if (is_of(client, &plan->list[i]) && journal_plan(journal, &plan->list[i], err) < 0)
			return -1;
	client->plan = plan;
	client->findings = findings;
	for (i = 0; i < plan->count; i++)
		if (is_of(client, &plan->list[i]))
			rc |= apply_one(client, &plan->list[i], journal);
	client->plan = NULL;
	return rc;
}

/* ---- undo -------------------------------------------------------------- */

int change_undo(struct client *client, const struct change *change, struct journal *journal,
		struct findings *findings, struct err *err)
{
	const struct change_kind *kind = change_find(client->type, change->kind);
	enum change_state state;

	if (!kind || !kind->undo)
		return err_set(err, "%s '%s': a client of type %s cannot put that back",
			       change->kind, change->target, client->type->name);
	client->findings = findings;
	state = kind->undo(kind, client, change);
	if (state == change->state)
		return err_set(err, "%s '%s': could not be put back", change->kind, change->target);
	journal_mark(journal, change->seq, state, NULL);
	return state == CHANGE_RESTORED;
}
