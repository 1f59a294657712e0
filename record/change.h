/* SPDX-License-Identifier: GPL-2.0-or-later */
/* change.h - changes of a client's settings for a job: in a plan, a journal, a record
 *
 * Terms   kind: what is changed, "mount-option", "cores". target: a mount point, a
 *           container.
 *         planned: written to the journal before the first command, so it may or may not
 *           be in effect. done: the new value was read back. failed: the client rejected
 *           it, the old value was read back. kept: not restored, on purpose. restored:
 *           the old value was read back. replaced: a third value was set since, which is
 *           left. gone: the target does not exist any more.
 *         pending: planned or done; still to be restored.
 *         A record's JSON has the state as "made" and "restored": record.h.
 * Owner   a list owns copies of all texts. changes_free() leaves an empty list.
 * Errors  none.
 * Runs    prolog, epilog, ledger, report.
 */
#ifndef JOBIO_RECORD_CHANGE_H
#define JOBIO_RECORD_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "record/field.h"

/* The lowest state of several settings that are restored together is the state of all. */
enum change_state {
	CHANGE_PLANNED,
	CHANGE_DONE,
	CHANGE_KEPT,
	CHANGE_REPLACED,
	CHANGE_GONE,
	CHANGE_RESTORED,
	CHANGE_FAILED,
	CHANGE_STATES
};

struct change {
	unsigned int seq; /* in the journal; 0: not in a journal */
	char *client;	  /* NAME of the [client NAME] section */
	char *kind, *target, *old_value, *new_value;
	enum change_state state;
	bool was_done; /* at any time */
};

struct changes {
	struct change *list;
	size_t count;
};

/* Of a record: field.h. */
extern const struct field change_fields[];

/* "planned" .. "failed" */
extern const char *const change_state_names[CHANGE_STATES];

bool change_is_pending(const struct change *change);
/* Return true if it has all texts. */
bool change_is_complete(const struct change *change);
/* Free its texts. */
void change_clear(struct change *change);

/* Append a copy, and return it. */
struct change *changes_add(struct changes *changes, const struct change *change);
void changes_append(struct changes *changes, const struct changes *more);
void changes_free(struct changes *changes);

#endif
