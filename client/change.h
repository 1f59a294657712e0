/* SPDX-License-Identifier: GPL-2.0-or-later */
/* change.h - make and undo changes of a client
 *
 * One engine for all types: it journals, makes, and undoes changes, and finds the kind of
 * a change by its name in the journal.
 *
 * Terms   change and its states: record/change.h.
 *         kind: what can be changed ("mount-option", "cores"). It plans (adds to the plan
 *           what a job needs), makes one change, undoes one.
 *         outlives a reboot: the client still has the new value after a reboot. Other
 *           changes are undone by the reboot.
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

struct client;
struct client_type_ops;

struct change_kind {
	const char *name; /* struct change: 'kind' */
	bool outlives_reboot;
	const void *how; /* of the kind: struct setting */
	/* add to client->plan what the job wants and the client does not have; a kind without
	 * make() and undo() only reports it */
	void (*plan)(const struct change_kind *kind, struct client *client,
		     const struct client_desired *desired);
	/* return CHANGE_DONE or CHANGE_FAILED; the same state: neither made nor undone */
	enum change_state (*make)(const struct change_kind *kind, struct client *client,
				  const struct change *change);
	/* return the new state; the same state: could not be undone */
	enum change_state (*undo)(const struct change_kind *kind, struct client *client,
				  const struct change *change);
	/* return true if the client has what the job wants; NULL: not set by profiles */
	bool (*holds)(const struct change_kind *kind, const struct client *client,
		      const struct client_desired *desired);
};

/* For 'plan'. Return 1 if the plan is full, which the caller reports. */
int change_add(const struct client *client, const struct change_kind *kind, const char *target,
	       const char *old_value, const char *new_value);

/* See client_apply(). */
int change_apply(struct client *client, struct changes *plan, struct journal *journal,
		 struct findings *findings, struct err *err);

/* Undo one change and mark it. Return 1 if restored, 0 if kept, replaced or gone, -1 if it is still
 * in effect. */
int change_undo(struct client *client, const struct change *change, struct journal *journal,
		struct findings *findings, struct err *err);

/* Return NULL if the type has no such kind. */
const struct change_kind *change_find(const struct client_type_ops *type, const char *name);

#endif
