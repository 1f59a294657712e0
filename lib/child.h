/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - run a command, or a function, that may hang, with a deadline
 *
 * Terms   deadline: timeout_ms from now, on the monotonic clock. At the
 *           deadline the child's process group gets SIGKILL. A child that
 *           SIGKILL does not end (stuck in the kernel) is left behind after
 *           CHILD_REAP_MS more: the caller goes on.
 *         argv: NULL-terminated; argv[0] is an absolute path; no shell.
 * Owner   result texts are malloc'ed, NUL-terminated, never NULL after
 *           success; child_result_free() frees them.
 * Errors  0: the child ended by itself, see result->status (as exit status;
 *           128+N when signal N ended it). -1: it could not be started, or the
 *           deadline passed (err names the command and the time, errno is
 *           ETIMEDOUT), or it wrote more than CHILD_OUTPUT_MAX (E2BIG).
 * Runs    helpers as root, the plugin, jobio. The child gets a minimal environment (PATH,
 *           LC_ALL=C, NO_COLOR=1 and what 'env' names), stdin from /dev/null,
 *           no other open file, default signals.
 */
#ifndef JOBIO_CHILD_H
#define JOBIO_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "lib/err.h"

#define CHILD_OUTPUT_MAX (4U << 20)
#define CHILD_REAP_MS 500U

struct child_result {
	int status;
	char *out;
	size_t out_bytes;
	char *errtext; /* standard error, at most CHILD_OUTPUT_MAX */
};

/* 'env': NULL or a NULL-terminated list of "NAME=value" added to the minimal
 * environment. */
int child_run(char *const argv[], char *const env[], unsigned int timeout_ms,
	      struct child_result *result, struct err *err);

/* The same with more output than CHILD_OUTPUT_MAX, of what lists much. */
int child_run_big(char *const argv[], char *const env[], unsigned int timeout_ms,
		  unsigned int output_max, struct child_result *result, struct err *err);

/* Run fn(arg) in a forked child, its standard output collected: for reads from
 * files that may block for ever. 'name' is for the error sentence. */
int child_call(const char *name, int (*fn)(void *arg), void *arg, unsigned int timeout_ms,
	       struct child_result *result, struct err *err);

/* The same; when the deadline passes, result->out is what the child had printed and
 * flushed until then, to be freed all the same; else NULL. Its standard error is
 * /dev/null, and result->errtext "". */
int child_call_heard(const char *name, int (*fn)(void *arg), void *arg, unsigned int timeout_ms,
		     struct child_result *result, struct err *err);

void child_result_free(struct child_result *result);

/* Start argv detached from us: own session, stdio on /dev/null, re-parented;
 * nobody waits for it or learns its exit status. */
int child_detach(char *const argv[], struct err *err);

/* Start argv with these three as its standard input, output and error (-1:
 * /dev/null), in a process group of its own, and go on: its pid, which the caller
 * waits for, or -1. The caller may have other threads. */
pid_t child_start(char *const argv[], char *const env[], const int stdio[3], struct err *err);

/* Does it end by itself within grace_ms? Else SIGTERM for its process group, and
 * SIGKILL. A child that somebody else has waited for is nobody's. */
void child_end(pid_t pid, unsigned int grace_ms);

/* Milliseconds on the monotonic clock, for budgets. */
unsigned long long child_now_ms(void);

#endif
