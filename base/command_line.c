/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/command_line.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/sysfs.h"

#define OPTIONS_MAX 24
#define FIRST 0x100

int command_fail(const char *program, int status, const struct err *err)
{
	fprintf(stderr, "jobio: %s: %s\n", program + strlen("jobio-"), err->text);
	return status;
}

int command_set_sysfs(void *options, const char *name, const char *value, struct err *err)
{
	(void)options, (void)name, (void)err;
	sysfs_set_root(value);
	return 0;
}

static int set_option(const struct command_option *row, void *options, const char *value,
		      struct err *err)
{
	char *at = (char *)options + row->at;
	unsigned long number;

	if (value && !*value)
		return err_set(err, "--%s: '': must not be empty", row->name);
	if (row->set)
		return row->set(options, row->name, value, err);
	if (row->most) {
		if (number_parse(value, row->least, row->most, &number, err) < 0)
			return err_prefix(err, "--%s", row->name);
		memcpy(at, &number, sizeof(number));
	} else if (value) {
		memcpy(at, &value, sizeof(value));
	} else {
		*(bool *)at = true;
	}
	return 0;
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
			fputs(line->usage, stdout);
			return COMMAND_OK;
		}
		if (option == '?')
			rc = err_set(&err,
				     "'%s': no such option, or its value is missing; see %s --help",
				     argv[optind - 1], line->program);
		else
			rc = set_option(&line->table[option - FIRST], options, optarg, &err);
	}
	if (rc == 0 && argc - optind > line->words_most)
		rc = err_set(&err, "'%s': one word too many", argv[optind + line->words_most]);
	if (rc == 0 && argc - optind < line->words_least)
		rc = err_set(&err, "a word is missing; see %s --help", line->program);
	if (rc == 0 && line->check)
		rc = line->check(options, &err);
	return rc < 0 ? command_fail(line->program, line->usage_status, &err) : -1;
}
