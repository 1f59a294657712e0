/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal.h - changes made for a job, written to disk before they are made
 *
 * Terms   change, state, pending: record/change.h.
 *         The file has one JSON object a line, {"seq":1,"client":"work",
 *           "what":KIND,"target":"..","old":"..","new":"..","state":"planned"};
 *           later lines of the same "seq" have a new state only.
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
#include "record/change.h"

#define CHANGES_MAX 256 /* of a journal */

struct journal;

/* Open 'path' (0600) and read it; create it if it is missing. */
struct journal *journal_open(const char *path, struct err *err);

/* Read 'path' (it may be missing or unreadable), for use in memory: new lines are not written. */
struct journal *journal_scratch(const char *path);
void journal_close(struct journal *journal);

/* Write a planned change, and set its number. */
int journal_plan(struct journal *journal, struct change *change, struct err *err);
/* The state in memory is set even if the line could not be written. */
int journal_mark(struct journal *journal, unsigned int seq, enum change_state state,
		 struct err *err);

const struct changes *journal_changes(const struct journal *journal);

/* Return true if a change is pending. */
bool journal_is_pending(const struct journal *journal);
bool journal_is_damaged(const struct journal *journal);
/* Return the errno if its file could not be read, although it may exist, else 0. */
int journal_is_unread(const struct journal *journal);

#endif
