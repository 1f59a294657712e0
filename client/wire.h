/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.h - what a client has moved, by its own counters
 *
 * Terms   row: counters of one source (a process for one filesystem, a
 *           superblock) since that source began; 'id' names it. Rows are
 *           compared one by one: in a sum the restart of one would hide behind
 *           the others.
 *         restart: a row whose counters went back, or that is gone. Then
 *           nobody knows what was moved.
 *         counters are bytes and operations; WIRE_UNKNOWN where nobody tells.
 * Owner   wire_free(), NULL allowed. Rows are the wire's; a pointer to one
 *           lives until the next is made.
 * Errors  NULL or -1, sentence in *err, outputs untouched.
 * Runs    prolog and epilog, as root. Texts are checked as if hostile.
 */
#ifndef JOBIO_CLIENT_WIRE_H
#define JOBIO_CLIENT_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define WIRE_ID_MAX 512
#define WIRE_ROWS_MAX 1024
#define WIRE_UNKNOWN INT64_C(-1)

enum wire_kind {
	WIRE_READ_BYTES,
	WIRE_WRITE_BYTES,
	WIRE_READS,
	WIRE_WRITES,
	WIRE_KINDS
};

struct wire_row {
	char id[WIRE_ID_MAX];
	int64_t count[WIRE_KINDS];
};

struct wire {
	size_t count;
	struct wire_row row[WIRE_ROWS_MAX];
};

struct wire *wire_new(struct err *err);
void wire_free(struct wire *wire);

/* The row of this id, made when there is none; NULL: there are too many. */
struct wire_row *wire_row(struct wire *wire, const char *id);
/* -1: the sum is too large. */
int wire_row_add(struct wire_row *row, enum wire_kind kind, int64_t count);

/* As text and back; caller frees. */
char *wire_text(const struct wire *wire, struct err *err);
struct wire *wire_parse(const char *text, struct err *err);

/* 'after' less 'before': 1; or 0: something has restarted. */
int wire_since(const struct wire *before, const struct wire *after,
	       int64_t moved[WIRE_KINDS]);

#endif
