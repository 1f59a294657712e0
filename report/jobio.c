/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio - the front of what a person asks: one subcommand, one file. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "report/command.h"
#include "report/commands.h"

struct command {
	const char *name;
	int (*main)(int argc, char *argv[]);
	const char *summary;
};

/* One line a subcommand, in the order of the manual. */
static const struct command commands[] = {
	{ "report", report_main, "what jobs read and wrote" },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void help(FILE *out)
{
	fputs("usage: jobio COMMAND [OPTION]...\n\n", out);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
	fputs("\njobio COMMAND --help explains a command; see jobio(1).\n", out);
}

static int run(int argc, char *argv[])
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		fputs("jobio: which command? see jobio --help\n", stderr);
		return COMMAND_USAGE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "help")) {
		help(stdout);
		return COMMAND_OK;
	}
	if (!strcmp(name, "--version")) {
		puts(JOBIO_PACKAGE);
		return COMMAND_OK;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(name, commands[i].name))
			return commands[i].main(argc - 1, argv + 1);
	fprintf(stderr, "jobio: '%s': no such command; see jobio --help\n", name);
	return COMMAND_USAGE;
}

/* Of a pipe; --live goes on when it cannot write. */
static bool is_reader_gone(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO };

	return poll(&p, 1, 0) > 0 && p.revents & POLLERR;
}

/* Half of a list, on a disk that is full, is no success. A reader that has gone has
 * what it wanted. */
int main(int argc, char *argv[])
{
	int status = run(argc, argv);
	int error = fflush(stdout) ? errno : 0;

	if (!ferror(stdout) || is_reader_gone())
		return status;
	fprintf(stderr, "jobio: standard output: %s\n",
		error ? strerror(error) : "not all could be written");
	return status ? status : COMMAND_FAILED;
}
