/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal - what was changed for a job, written down before it is done
 *
 * Terms   A change has a 'what' ("mount-option", "cores"), a 'target' (a mount
 *           point, a container), the value before and the value wanted.
 *         State of a change: planned (written before the first command, so the
 *           change may or may not have happened), done (seen to be there),
 *           kept (done, and left so on purpose), restored (the old value is
 *           back), lost (someone else set a third value: not ours any more),
 *           failed (the client did not take it, the old value is there).
 *         The file holds one JSON object a line; a change is its first line
 *           folded with later lines of the same "seq".
 *         torn: the last line has no end, because the writer was killed. What
 *           it announced never began. damaged: any other line that cannot be
 *           read; the changes it named are unknown.
 * Owner   journal_close() frees; NULL allowed. Changes are borrowed and live
 *           until the next call that writes.
 * Errors  NULL or -1, sentence in *err. A line is either whole in the file or
 *           taken back (full file system), so that a failed journal_plan()
 *           means: do not begin the change.
 * Runs    prolog and epilog, as root, under the node's lock.
 */
#ifndef JOBIO_JOURNAL_H
#define JOBIO_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

enum journal_state {
	JOURNAL_PLANNED,
	JOURNAL_DONE,
	JOURNAL_KEPT,
	JOURNAL_RESTORED,
	JOURNAL_LOST,
	JOURNAL_FAILED,
};

struct journal_change {
	unsigned int seq;
	char *client; /* NAME of the [client NAME] section */
	char *what;
	char *target;
	char *old_value;
	char *new_value;
	enum journal_state state;
	bool was_done; /* whatever it is now */
};

/* Free its texts; it is all zeros then. */
void journal_change_clear(struct journal_change *change);

struct journal;

/* Open 'path' (0600) and read what it holds; create it when it is missing. */
struct journal *journal_open(const char *path, struct err *err);

/* What 'path' holds (it may be missing or unreadable), for use in memory: new
 * lines are not written anywhere. */
struct journal *journal_scratch(const char *path);
void journal_close(struct journal *journal);

/* Write down a change that is about to begin; its number is returned (> 0). */
int journal_plan(struct journal *journal, const struct journal_change *change, struct err *err);
/* In memory the state is new even when the line could not be written. */
int journal_mark(struct journal *journal, unsigned int seq, enum journal_state state,
		 struct err *err);

size_t journal_count(const struct journal *journal);
const struct journal_change *journal_at(const struct journal *journal, size_t index);

/* Is there a change that may still have to be undone (planned or done)? */
bool journal_is_pending(const struct journal *journal);
bool journal_is_damaged(const struct journal *journal);
/* Its file could not be read, although it may be there: errno, else 0. */
int journal_is_unread(const struct journal *journal);

#endif
