/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/change.h"

#include <stdlib.h>
#include <string.h>

#include "record/alloc.h"

const char *const change_state_names[CHANGE_STATES] = {
	[CHANGE_PLANNED] = "planned",	[CHANGE_DONE] = "done", [CHANGE_KEPT] = "kept",
	[CHANGE_REPLACED] = "replaced", [CHANGE_GONE] = "gone", [CHANGE_RESTORED] = "restored",
	[CHANGE_FAILED] = "failed",
};

/* ---- JSON -------------------------------------------------------------- */

static int get_made(const void *of)
{
	const struct change *change = of;

	if (change->state == CHANGE_FAILED)
		return 0;
	return change->was_done ? 1 : -1;
}

static void set_made(void *of, bool is_made)
{
	struct change *change = of;

	change->was_done = is_made;
	if (!is_made)
		change->state = CHANGE_FAILED;
}

static int get_restored(const void *of)
{
	const struct change *change = of;

	if (change->state == CHANGE_FAILED || change->state == CHANGE_GONE ||
	    (change->state == CHANGE_PLANNED && !change->seq))
		return -1;
	return change->state == CHANGE_RESTORED;
}

static void set_restored(void *of, bool is_restored)
{
	struct change *change = of;

	if (change->state != CHANGE_FAILED)
		change->state = is_restored ? CHANGE_RESTORED : CHANGE_DONE;
}

const struct field change_fields[] = {
	FIELD(TEXT, "client", change, client, FIELD_IF_KNOWN),
	FIELD(TEXT, "what", change, kind),
	FIELD(TEXT, "target", change, target),
	FIELD(TEXT, "old", change, old_value),
	FIELD(TEXT, "new", change, new_value),
	FIELD(DERIVED, "restored", change, state, .get = get_restored, .set = set_restored),
	FIELD(DERIVED, "made", change, state, .get = get_made, .set = set_made),
	FIELD_LAST,
};

/* ---- lists ------------------------------------------------------------- */

bool change_is_pending(const struct change *change)
{
	return change->state == CHANGE_PLANNED || change->state == CHANGE_DONE;
}

bool change_is_complete(const struct change *change)
{
	return change->client && change->kind && change->target && change->old_value &&
	       change->new_value;
}

void change_clear(struct change *change)
{
	field_free(change_fields, change);
}

struct change *changes_add(struct changes *changes, const struct change *change)
{
	struct change *copy;

	changes->list = xmore(changes->list, changes->count, sizeof(*copy));
	copy = &changes->list[changes->count++];
	*copy = *change;
	copy->client = xstrdup(change->client);
	copy->kind = xstrdup(change->kind);
	copy->target = xstrdup(change->target);
	copy->old_value = xstrdup(change->old_value);
	copy->new_value = xstrdup(change->new_value);
	return copy;
}

void changes_append(struct changes *changes, const struct changes *more)
{
	size_t i;

	for (i = 0; i < more->count; i++)
		changes_add(changes, &more->list[i]);
}

void changes_free(struct changes *changes)
{
	while (changes->count)
		change_clear(&changes->list[--changes->count]);
	free(changes->list);
	changes->list = NULL;
}
