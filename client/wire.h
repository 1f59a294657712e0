/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - what a client has moved, by its own counters
 *
 * Terms   row: counters of one source (a process for one filesystem, a
 *           superblock) since that source began; 'id' names it. Rows are
 *           compared one by one: in a sum the restart of one would hide behind
 *           the others.
 *         filesystem: what a row is of, where that can be told ("/home"). The
 *           rows of each are a line of their own in the record.
 *         restart: a row whose counters went back, that was born anew, that is
 *           gone, or that is new and older than the first reading. Then nobody
 *           knows what was moved on its filesystem.
 *         born: when the source began to count, seconds since boot; sources
 *           that tell their age may be off by two.
 *         counters are those of enum io_number; IO_UNKNOWN where nobody
 *           tells. Times may go back (some kernels underflow), and a backlog,
 *           which is of connections that may be older than a row or end before
 *           it: then they are unknown, and nothing has restarted. That of a new
 *           row is unknown.
 *         calls_wrap: the client's counters of operations begin at 0 again when
 *           they reach it; 0: they do not, nor does one that is beyond it. One
 *           that is below its old value may have done so, and is unknown where
 *           it may have done so unseen.
 *         clears_all: who clears the counters of one row clears those of all; some
 *           may have come further since than they were.
 *         unread: a source that there was no time for. Its id ends in '@', where
 *           others have their epoch: with this row alone it is left out of the
 *           sum, which is a lower bound then.
 *         event: the last thing that happened to the client that a job should
 *           know, told by a rule of its type; code "": nothing.
 * Owner   wire_free(), NULL allowed. Rows are the wire's; a pointer to one
 *           lives until the next is made.
 * Errors  NULL or -1, sentence in *err, outputs untouched.
 * Runs    prolog and epilog, as root. Texts are checked as if hostile.
 */
#ifndef JOBIO_CLIENT_WIRE_H
#define JOBIO_CLIENT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "client/terms.h"

#define WIRE_ID_MAX 512
#define WIRE_ROWS_MAX 4096
#define WIRE_BORN_SLACK_S 2 /* ages are told in whole seconds */

struct wire_row {
	char id[WIRE_ID_MAX];
	char fs[WIRE_FS_MAX]; /* "": not told */
	int64_t born_s;	      /* IO_UNKNOWN: not told */
	int64_t numbers[WIRE_NUMBERS];
};

struct wire {
	int64_t at_s; /* when it was read, seconds since boot */
	int64_t calls_wrap;
	bool clears_all;
	struct client_wire_event event;
	size_t count, unread;
	struct wire_row *row; /* of at most WIRE_ROWS_MAX */
};

struct wire *wire_new(void);
void wire_free(struct wire *wire);

/* The row of this id, made when there is none; NULL: there are too many, or no
 * memory for it. */
struct wire_row *wire_row(struct wire *wire, const char *id);
/* -1: the sum is too large. */
int wire_row_add(struct wire_row *row, enum io_number kind, int64_t count);

/* Names as a text keeps them: UTF-8 without hidden characters (utf8.h). */
void wire_clean(struct wire *wire);
/* As text and back; caller frees. */
char *wire_text(const struct wire *wire);
struct wire *wire_parse(const char *text, struct err *err);

/* 'after' less 'before', of the rows of one filesystem: 1; or 0: something has
 * restarted. */
int wire_since(const struct wire *before, const struct wire *after, const char *fs,
	       int64_t moved[WIRE_NUMBERS]);
/* The same for each filesystem; what there is no line left for is in the last,
 * which is then of all filesystems ("") not told before. */
void wire_lines(const struct wire *before, const struct wire *after, struct client_wire *told);

#endif
