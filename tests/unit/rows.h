/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rows.h - tables of text
 *
 * ROWS(table) is the number of rows. split_row("a | b | c", part) splits a row at '|' and
 * trims blanks; parts that are missing are "". */
#ifndef JOBIO_TESTS_UNIT_ROWS_H
#define JOBIO_TESTS_UNIT_ROWS_H

#include <stdio.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

__attribute__((unused)) static void split_row(const char *row, char part[8][700])
{
	for (int i = 0; i < 8; i++) {
		size_t size = strcspn(row, "|"), end = size;

		while (end && row[end - 1] == ' ')
			end--;
		snprintf(part[i], sizeof(part[0]), "%.*s", (int)end, row);
		row += size + (row[size] == '|');
		row += strspn(row, " ");
	}
}

#endif
