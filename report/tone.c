/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/tone.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLACES 30
#define WIDTH_MIN 40

static bool is_on;
static int width;

void tone_init(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	struct winsize size = { 0 };

	is_on = false;
	width = 0;
	if (!isatty(STDOUT_FILENO))
		return;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= WIDTH_MIN)
		width = size.ws_col;
	is_on = (!no || !*no) && term && *term && strcmp(term, "dumb") != 0;
}

int tone_width(void)
{
	return width;
}

const char *tone(enum tone which)
{
	static const char *const codes[] = {
		[TONE_END] = "\033[0m",	 [TONE_GOOD] = "\033[32m",  [TONE_WARN] = "\033[33m",
		[TONE_BAD] = "\033[31m", [TONE_STRONG] = "\033[1m", [TONE_FAINT] = "\033[2m",
	};

	return is_on ? codes[which] : "";
}

void tone_bar(FILE *out, enum tone which, double share)
{
	int full, i;

	if (!is_on)
		return;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	full = (int)(share * PLACES + 0.5);
	fprintf(out, "[%s", tone(which));
	for (i = 0; i < PLACES; i++)
		fputc(i < full ? '|' : ' ', out);
	fprintf(out, "%s%4.0f%%] ", tone(TONE_END), share * 100);
}
