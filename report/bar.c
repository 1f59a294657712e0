/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/bar.h"

#include <langinfo.h>
#include <stdbool.h>
#include <string.h>

void bar_print(FILE *out, int64_t value, int64_t most)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char plain[] = " .:-=+*%#";
	bool is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	int level = value <= 0 ? 0 : 1 + (int)((double)value * 7.99 / (double)most);

	level = level > 8 ? 8 : level;
	if (is_utf8)
		fputs(blocks[level], out);
	else
		fputc(plain[level], out);
}
