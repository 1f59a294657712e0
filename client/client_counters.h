/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client_counters.h - bytes and operations of a client, by its own counters
 *
 * Terms   source: counters of one part of the client (a process for one filesystem, a superblock)
 *           since that source began, with its 'id'. They are compared one by one: in a
 *           sum the restart of one would be hidden by the others.
 *         filesystem: of a source, if known ("/home"). The sources of each are a line of
 *           their own in the record.
 *         restart: a source with counters that went back or a source that began anew, one
 *           that is gone, or one that is new and older than the first reading. Then the
 *           sum of its filesystem is unknown.
 *         start: when the source began to count, seconds since boot; may be off by two
 *           if computed from an age.
 *         counters are those of enum io_number; IO_UNKNOWN if not counted. Times may go
 *           back (some kernels underflow), and a backlog, of connections that may be
 *           older than a source or end before it: then they are unknown, and nothing has
 *           restarted. The backlog of a new source is unknown.
 *         calls_wrap: the client's counters of operations wrap to 0 at this value; 0:
 *           they do not, nor does one that is beyond it. One that is below its old
 *           value may have wrapped, and is unknown if it may have done so without a
 *           trace.
 *         clears_all: clearing the counters of one source clears those of all; some may be
 *           above their old value already.
 *         unread: a source that was not read, because there was no time. Its id ends in
 *           '@', followed by the epoch in others; the source is left out of the sum,
 *           which is a lower bound then.
 *         event: the last event of the client that matters to a job, reported by a rule
 *           of its type; code "": none.
 * Owner   client_counters_free(), NULL allowed. Sources belong to the counters; a
 *           pointer to one is valid until another is added.
 * Errors  NULL or -1, sentence in *err, outputs untouched.
 * Runs    prolog and epilog, as root. Texts are checked as if hostile.
 */
#ifndef JOBIO_CLIENT_CLIENT_COUNTERS_H
#define JOBIO_CLIENT_CLIENT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "client/types.h"

#define CLIENT_SOURCE_ID_MAX 512
#define CLIENT_SOURCES_MAX 4096
#define CLIENT_SOURCE_START_SLACK_S 2 /* ages are in whole seconds */

struct source_counters {
	char id[CLIENT_SOURCE_ID_MAX];
	char fs[CLIENT_IO_FS_MAX]; /* "": unknown */
	int64_t start_s;	   /* IO_UNKNOWN: unknown */
	int64_t numbers[CLIENT_IO_NUMBERS];
};

struct client_counters {
	int64_t at_s; /* time of reading, seconds since boot */
	int64_t calls_wrap;
	bool clears_all;
	struct client_event event;
	size_t count, unread;
	struct source_counters *sources; /* at most CLIENT_SOURCES_MAX */
};

struct client_counters *client_counters_new(void);
void client_counters_free(struct client_counters *counters);

/* Return the source of this id, added if there is none; NULL: too many. */
struct source_counters *client_counters_source(struct client_counters *counters, const char *id);
/* Return -1 if the sum is too large. */
int source_counters_add(struct source_counters *source, enum io_number kind, int64_t count);

/* Make names valid in a text: UTF-8 without hidden characters (utf8.h). */
void client_counters_clean(struct client_counters *counters);
/* Convert to text and back; caller frees. */
char *client_counters_text(const struct client_counters *counters);
struct client_counters *client_counters_parse(const char *text, struct err *err);

/* Get the difference of 'after' and 'before' for the sources of one filesystem. Return 1, or 0 if
 * something has restarted. */
int client_counters_since(const struct client_counters *before, const struct client_counters *after,
			  const char *fs, int64_t moved[CLIENT_IO_NUMBERS]);
/* The same for each filesystem; those that do not fit are added up in the last line, with the
 * filesystem "". */
void client_counters_series(const struct client_counters *before,
			    const struct client_counters *after, struct client_io *client_io);

#endif
