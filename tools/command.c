/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/number.h"

#define OPTIONS_MAX 24
#define FIRST 0x100

int command_fail(const char *name, enum command_status status, const struct err *err)
{
	fprintf(stderr, "jobio: %s: %s\n", name, err->text);
	return status;
}

int command_choose(const char *option, const char *value, const char *yes, const char *no,
		   struct err *err)
{
	if (!strcmp(value, yes))
		return 1;
	if (!strcmp(value, no))
		return 0;
	return err_set(err, "--%s: '%s': must be %s or %s", option, value, yes, no);
}

static int take(const struct command_option *row, void *options, const char *value, struct err *err)
{
	char *at = (char *)options + row->at;
	int is = 1;

	if (value && !*value)
		return err_set(err, "--%s: '': must not be empty", row->name);
	if (row->set)
		return row->set(options, row->name, value, err);
	if (row->most)
		return number_parse(value, row->least, row->most, (unsigned long *)at, err) < 0
			       ? err_prefix(err, "--%s", row->name)
			       : 0;
	if (value && !row->yes) {
		memcpy(at, &value, sizeof(value));
		return 0;
	}
	if (value)
		is = command_choose(row->name, value, row->yes, row->no, err);
	*(bool *)at = is > 0;
	return is < 0 ? -1 : 0;
}

int command_parse(const struct command_line *line, void *options, int argc, char *argv[])
{
	struct option table[OPTIONS_MAX + 2] = { { 0 } };
	struct err err;
	int option, rc = 0;
	size_t i;

	for (i = 0; line->table[i].name && i < OPTIONS_MAX; i++)
		table[i] = (struct option){ line->table[i].name, line->table[i].argument, NULL,
					    FIRST + (int)i };
	table[i] = (struct option){ "help", no_argument, NULL, 'h' };
	opterr = 0;
	while (rc == 0 && (option = getopt_long(argc, argv, "", table, NULL)) != -1) {
		if (option == 'h') {
			for (i = 0; i < 3 && line->usage[i]; i++)
				fputs(line->usage[i], stdout);
			return COMMAND_OK;
		}
		if (option == '?')
			rc = err_set(
				&err,
				"'%s': no such option, or its value is missing; see jobio %s --help",
				argv[optind - 1], line->name);
		else
			rc = take(&line->table[option - FIRST], options, optarg, &err);
	}
	if (rc == 0 && optind < argc)
		rc = err_set(&err, "'%s': one word too many", argv[optind]);
	if (rc == 0 && line->check)
		rc = line->check(options, &err);
	return rc < 0 ? command_fail(line->name, COMMAND_USAGE, &err) : -1;
}
