/* SPDX-License-Identifier: GPL-2.0-or-later */
/* change.h - what jobio changes on a client, and how it is put back
 *
 * One engine for all types: it journals, makes, and undoes, and finds the kind
 * of a change by the name that the journal has.
 *
 * Terms   kind: what can be changed ("mount-option", "cores"). It plans (adds
 *           to the plan what a job needs), makes one change, undoes one.
 *         outlives a reboot: the client has the new value when the node comes
 *           up again. What does not is put back by the reboot.
 *         not ours: somebody else has set a third value since. kept: left so
 *           on purpose.
 * Owner   kinds are constant. The plan owns copies of all texts.
 * Errors  -1, sentence in *err. What goes wrong while a change is made or
 *           undone is a finding.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_CHANGE_H
#define JOBIO_CLIENT_CHANGE_H

#include "base/err.h"
#include "client/journal.h"
#include "client/terms.h"
#include "record/finding.h"

#define CHANGES_MAX 256 /* as many as a journal has */

struct client;
struct client_plan;
struct client_type_ops;

enum change_made {
	CHANGE_MADE,
	CHANGE_NOT_MADE, /* the old value is there */
	CHANGE_STUCK	 /* neither made nor put back */
};

/* In the order in which one of several decides for all. */
enum change_undone {
	CHANGE_UNDONE, /* the old value is there */
	CHANGE_GONE,   /* its target is not there: nothing was put back, and nothing is left */
	CHANGE_NOT_OURS,
	CHANGE_KEPT,
	CHANGE_NOT_UNDONE /* still ours, and could not be undone */
};

struct change_kind {
	const char *name; /* 'what' of the journal */
	bool outlives_reboot;
	const void *how; /* the kind's own: struct setting */
	/* finds what the job wants and the client has not; without make() and
	 * undo() it plans nothing, and tells */
	void (*plan)(const struct change_kind *kind, struct client *client,
		     const struct client_want *want, struct client_plan *plan,
		     struct findings *findings);
	enum change_made (*make)(const struct change_kind *kind, struct client *client,
				 const struct journal_change *change, struct findings *findings);
	enum change_undone (*undo)(const struct change_kind *kind, struct client *client,
				   const struct journal_change *change, struct findings *findings);
	/* does what the job wants stand? NULL: not a matter of a profile */
	bool (*holds)(const struct change_kind *kind, const struct client *client,
		      const struct client_want *want);
};

struct client_plan {
	size_t count;
	struct journal_change change[CHANGES_MAX];
};

/* For 'plan'. 1: there is no room for it, and the caller says so. */
int change_add(struct client_plan *plan, const struct client *client,
	       const struct change_kind *kind, const char *target, const char *old_value,
	       const char *new_value);
/* What hangs on the plan. */
void change_clear(struct client_plan *plan);

/* Does all that the profile sets stand now? */
bool change_holds(const struct client *client, const struct client_want *want);

/* Ask all kinds of the client's type, in order. */
void change_plan(struct client *client, const struct client_want *want, struct client_plan *plan,
		 struct findings *findings);

/* See client_apply(). */
int change_apply(struct client *client, const struct client_plan *plan, struct journal *journal,
		 struct findings *findings, struct err *err);

/* Undo one change and mark it. 1: it was put back, 0: it was left or is not
 * ours, -1: it is still there. */
int change_undo(struct client *client, const struct journal_change *change, struct journal *journal,
		struct findings *findings, struct err *err);

/* NULL: the type has no such kind. */
const struct change_kind *change_find(const struct client_type_ops *type, const char *what);

#endif
