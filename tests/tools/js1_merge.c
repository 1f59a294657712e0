/* SPDX-License-Identifier: GPL-2.0-or-later */
/* js1_merge - put a summary into the comments on standard input, a line each
 *
 * js1_merge SUMMARY <COMMENTS
 * Prints a line for each: "merged COMMENT", "same", or "left REASON". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/js1.h"

int main(int argc, char **argv)
{
	char *line = NULL, *merged;
	size_t room = 0;
	struct err why;

	if (argc != 2)
		return 2;
	while (getline(&line, &room, stdin) > 0) {
		line[strcspn(line, "\n")] = 0;
		switch (js1_merge(line, argv[1], &merged, &why)) {
		case 1:
			printf("merged %s\n", merged);
			free(merged);
			break;
		case 0:
			puts("same");
			break;
		default:
			printf("left %s\n", why.text);
		}
	}
	free(line);
	return 0;
}
