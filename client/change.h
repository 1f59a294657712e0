/* SPDX-License-Identifier: GPL-2.0-or-later */
/* change.h - make and undo changes of a client
 *
 * One engine for all types: it journals, makes, and undoes changes, and finds the kind of
 * a change by its name in the journal.
 *
 * Terms   kind: what can be changed ("mount-option", "cores"). It plans (adds to the plan
 *           what a job needs), makes one change, undoes one.
 *         outlives a reboot: the client still has the new value after a reboot. Other
 *           changes are undone by the reboot.
 *         not ours: a third value was set since. kept: not undone on purpose.
 * Owner   kinds are constant. The plan owns copies of all texts.
 * Errors  -1, sentence in *err. An error while a change is made or undone is a finding.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_CHANGE_H
#define JOBIO_CLIENT_CHANGE_H

#include "base/err.h"
#include "client/journal.h"
#include "client/types.h"
#include "record/finding.h"

#define CHANGES_MAX 256 /* limit of a journal */

struct client;
struct client_plan;
struct client_type_ops;

enum change_made {
	CHANGE_MADE,
	CHANGE_NOT_MADE, /* the old value is there */
	CHANGE_STUCK	 /* neither made nor undone */
};

/* By rank: the highest of several is the result of all. */
enum change_undone {
	CHANGE_UNDONE, /* the old value is there */
	CHANGE_GONE,   /* its target does not exist: nothing to restore */
	CHANGE_NOT_OURS,
	CHANGE_KEPT,
	CHANGE_NOT_UNDONE /* still ours, and could not be undone */
};

struct change_kind {
	const char *name; /* 'what' of the journal */
	bool outlives_reboot;
	const void *how; /* of the kind: struct setting */
	/* add what the job wants and the client does not have; a kind without make() and undo()
	 * only reports it */
	void (*plan)(const struct change_kind *kind, struct client *client,
		     const struct client_desired *desired, struct client_plan *plan,
		     struct findings *findings);
	enum change_made (*make)(const struct change_kind *kind, struct client *client,
				 const struct journal_change *change, struct findings *findings);
	enum change_undone (*undo)(const struct change_kind *kind, struct client *client,
				   const struct journal_change *change, struct findings *findings);
	/* return true if the client has what the job wants; NULL: not set by profiles */
	bool (*holds)(const struct change_kind *kind, const struct client *client,
		      const struct client_desired *desired);
};

struct client_plan {
	size_t count;
	struct journal_change change[CHANGES_MAX];
};

/* For 'plan'. Return 1 if the plan is full, which the caller reports. */
int change_add(struct client_plan *plan, const struct client *client,
	       const struct change_kind *kind, const char *target, const char *old_value,
	       const char *new_value);
/* Free the changes of a plan. */
void change_clear(struct client_plan *plan);

/* Return true if the client has everything that the profile sets. */
bool change_holds(const struct client *client, const struct client_desired *desired);

/* Plan all kinds of the client's type, in order. */
void change_plan(struct client *client, const struct client_desired *desired,
		 struct client_plan *plan, struct findings *findings);

/* See client_apply(). */
int change_apply(struct client *client, const struct client_plan *plan, struct journal *journal,
		 struct findings *findings, struct err *err);

/* Undo one change and mark it. Return 1 if restored, 0 if kept or not ours, -1 if it is still in
 * effect. */
int change_undo(struct client *client, const struct journal_change *change, struct journal *journal,
		struct findings *findings, struct err *err);

/* Return NULL if the type has no such kind. */
const struct change_kind *change_find(const struct client_type_ops *type, const char *what);

#endif
