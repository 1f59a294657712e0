/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list_row.h - a job of a list as words, one for each column
 *
 * Terms   word: at most LIST_NAME_MAX characters, the last a '+' where there were
 *           more; "-" for what is unknown. A number with a '*' is node-wide.
 *         tone: of the state's word; TONE_END: of none.
 * Owner   words are in the row.
 * Errors  none.
 * Runs    jobio report.
 */
#ifndef JOBIO_REPORT_LIST_ROW_H
#define JOBIO_REPORT_LIST_ROW_H

#include <stdbool.h>

#include "report/job_list.h"
#include "report/tone.h"

#define LIST_NAME_MAX 60
#define LIST_WIDE_NOTE "* NODE-WIDE, with whatever else ran there"

enum list_column {
	LIST_ID,
	LIST_USER, /* where there are several */
	LIST_NAME,
	LIST_STATE,
	LIST_ELAPSED,
	LIST_NODES,
	LIST_PROFILE,
	LIST_READ,
	LIST_WRITTEN,
	LIST_COLUMNS /* and advice, which ends the line */
};

struct list_row {
	enum tone tone;
	char word[LIST_COLUMNS][LIST_NAME_MAX * 4 + 5];
};

extern const char *const list_heads[LIST_COLUMNS];

void list_row_fill(struct list_row *row, const struct job_report *report);
/* Of tasks of an array, or of components: their sum, "mixed" where they differ, and
 * how many of them are COMPLETED. */
void list_row_sum(struct list_row *row, struct job_report *const *reports, size_t count);
/* The first advice, "A01 .. reads of .."; 'out' of LIST_ADVICE bytes. */
#define LIST_ADVICE 280
void list_row_advice(const struct job_report *report, char *out);

/* "" unknown */
const char *list_user_of(const struct job_report *report);
/* Does sacct speak of the run that is shown? Also where slurmdbd has not heard of its
 * end. */
bool list_is_of_slurm(const struct job_report *report);
/* Are they of more than one user? */
bool list_has_users(struct job_report *const *reports, size_t count);
/* Has one of them node-wide numbers? */
bool list_is_wide(const struct job_list *list);

/* Characters, not bytes: those that begin one. */
int list_width_of(const char *text);
/* At most so many characters; the last is a '+' when there were more. */
void list_cut(char *text, int max);

#endif
