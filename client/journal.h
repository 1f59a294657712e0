/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.h - changes made for a job, written to disk before they are made
 *
 * Terms   A change has a 'what' ("mount-option", "cores"), a 'target' (a mount
 *           point, a container), the old value and the new value.
 *         State of a change: planned (written before the first command, so the
 *           change may or may not have been made), done (verified), kept (done,
 *           and not undone on purpose), restored (the old value is back), lost
 *           (a third value was set: not ours any more), failed (the client
 *           rejected it, the old value is there), gone (the target is gone).
 *         The file has one JSON object a line; a change is its first line,
 *           updated by later lines of the same "seq".
 *         torn: the last line is incomplete, because the writer was killed. Its
 *           change never began. damaged: any other line that cannot be
 *           read; its change is unknown.
 * Owner   journal_close() frees; NULL allowed. Changes are borrowed until the
 *           next call that writes.
 * Errors  NULL or -1, the reason in *err. A line is either complete in the file
 *           or removed again (full file system): if journal_plan() fails, do not
 *           begin the change.
 * Runs    prolog and epilog, as root, under the node's lock.
 */
#ifndef JOBIO_CLIENT_JOURNAL_H
#define JOBIO_CLIENT_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum journal_state {
	JOURNAL_PLANNED,
	JOURNAL_DONE,
	JOURNAL_KEPT,
	JOURNAL_RESTORED,
	JOURNAL_LOST,
	JOURNAL_FAILED,
	JOURNAL_GONE,
};

struct journal_change {
	unsigned int seq;
	char *client; /* NAME of the [client NAME] section */
	char *what;
	char *target;
	char *old_value;
	char *new_value;
	enum journal_state state;
	bool was_done; /* at any time */
};

/* Free its texts and set it to zeros. */
void journal_change_clear(struct journal_change *change);

struct journal;

/* Open 'path' (0600) and read it; create it if it is missing. */
struct journal *journal_open(const char *path, struct err *err);

/* Read 'path' (it may be missing or unreadable), for use in memory: new lines are not written. */
struct journal *journal_scratch(const char *path);
void journal_close(struct journal *journal);

/* Write a change that is about to begin. Return its number (> 0). */
int journal_plan(struct journal *journal, const struct journal_change *change, struct err *err);
/* The state in memory is set even if the line could not be written. */
int journal_mark(struct journal *journal, unsigned int seq, enum journal_state state,
		 struct err *err);

size_t journal_count(const struct journal *journal);
const struct journal_change *journal_at(const struct journal *journal, size_t index);

/* Return true if a change may still have to be undone (planned or done). */
bool journal_is_pending(const struct journal *journal);
bool journal_is_damaged(const struct journal *journal);
/* Return the errno if its file could not be read, although it may exist, else 0. */
int journal_is_unread(const struct journal *journal);

#endif
