/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h - the main() of a program as a test calls it
 *
 *   PROGRAM_RUN(jobio_node_main, "jobio-node", "--name=n1", "--run-dir=/run")
 *
 * is its exit status; what it said on both its outputs is in program_said.
 * program_help() wants --help to end it with 0 and its usage. In a folder of
 * tempdir.h. */
#ifndef JOBIO_TESTS_UNIT_PROGRAM_H
#define JOBIO_TESTS_UNIT_PROGRAM_H

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tempdir.h"

#define PROGRAM_WORDS_MAX 8

static char program_said[4000];

/* The words end with NULL. */
__attribute__((unused)) static int program_run(int (*run)(int, char **),
					       const char *const *words)
{
	int out = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO), fd, rc;
	char *argv[PROGRAM_WORDS_MAX + 1] = { NULL };
	ssize_t got;
	int argc;

	for (argc = 0; words[argc] && argc < PROGRAM_WORDS_MAX; argc++)
		argv[argc] = (char *)words[argc];
	fd = open(tempdir_path("said"), O_RDWR | O_CREAT | O_TRUNC | O_APPEND,
		  0600);
	fflush(stdout);
	ck_assert(fd >= 0 && dup2(fd, STDOUT_FILENO) >= 0 &&
		  dup2(fd, STDERR_FILENO) >= 0);
	optind = 0;
	rc = run(argc, argv);
	fflush(stdout);
	ck_assert(dup2(out, STDOUT_FILENO) >= 0 &&
		  dup2(errors, STDERR_FILENO) >= 0);
	close(out);
	close(errors);
	got = pread(fd, program_said, sizeof(program_said) - 1, 0);
	program_said[got > 0 ? got : 0] = '\0';
	close(fd);
	return rc;
}

#define PROGRAM_RUN(run, ...)                                                  \
	program_run(run, (const char *[]){ __VA_ARGS__, NULL })

/* Some exit(3) by themselves. */
__attribute__((unused)) static void program_help(int (*run)(int, char **),
						 const char *name)
{
	char *argv[] = { (char *)name, (char *)"--help", NULL };
	char wanted[100], *text;
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (!freopen(tempdir_path("help"), "w", stdout))
			_exit(9);
		optind = 0;
		exit(run(2, argv));
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	text = fileio_read(tempdir_path("help"), 2000, NULL, NULL);
	snprintf(wanted, sizeof(wanted), "usage: %s ", name);
	ck_assert(text && !strncmp(text, wanted, strlen(wanted)));
	free(text);
}

#endif
