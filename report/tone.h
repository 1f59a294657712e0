/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tone.h - colours and bars, on a terminal that has them
 *
 * Terms   tone: what a word is meant to say. Where stdout is no terminal, TERM
 *           is dumb, or NO_COLOR is set (no-color.org), nothing is printed for
 *           a tone, and no bar.
 *         bar: "[||||||||      40%]", of 30 places and as wide on all lines.
 * Owner   constants.
 * Errors  none.
 * Runs    jobio's commands; tone_init() once, before the first use.
 */
#ifndef JOBIO_REPORT_TONE_H
#define JOBIO_REPORT_TONE_H

#include <stdbool.h>
#include <stdio.h>

enum tone {
	TONE_END, /* of what one of the others began */
	TONE_GOOD,
	TONE_WARN,
	TONE_BAD,
	TONE_STRONG,
	TONE_FAINT
};

void tone_init(void);
/* How many characters a line has; 0: there is no terminal. */
int tone_width(void);
const char *tone(enum tone which);
/* With a blank behind it; nothing where there are no tones. */
void tone_bar(FILE *out, enum tone which, double share);

#endif
