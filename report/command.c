/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/command.h"

#include <stdio.h>
#include <unistd.h>

int command_fail(const char *name, enum command_status status,
		 const struct err *err)
{
	fprintf(stderr, "jobio: %s: %s\n", name, err->text);
	return status;
}

int command_bad_option(const char *name, const char *word, struct err *err)
{
	return err_set(err,
		       "'%s': no such option, or its value is missing; see "
		       "jobio %s --help",
		       word, name);
}

int command_empty_value(const char *option, const char *value, struct err *err)
{
	if (!value || *value)
		return 0;
	return err_set(err, "--%s: '': must not be empty", option);
}

int command_options(const char *name, const struct option *table,
		    int may_be_empty, int argc, char *argv[],
		    int (*set)(void *options, int option, const char *value,
			       struct err *err),
		    void *options, struct err *err)
{
	char shorts[] = { 0, 0 };
	int option, index = 0;

	for (const struct option *row = table; row->name; row++)
		if (row->val == 'v')
			*shorts = 'v';
	opterr = 0;
	while ((option = getopt_long(argc, argv, shorts, table, &index)) !=
	       -1) {
		if (option == '?')
			return command_bad_option(name, argv[optind - 1], err);
		if ((option != may_be_empty &&
		     command_empty_value(table[index].name, optarg, err) < 0) ||
		    set(options, option, optarg, err) < 0)
			return -1;
	}
	if (optind < argc)
		return err_set(err, "'%s': one word too many", argv[optind]);
	return 0;
}
