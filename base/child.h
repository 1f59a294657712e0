/* SPDX-License-Identifier: GPL-2.0-or-later */
/* child.h - run a command, or a function that may hang, with a timeout
 *
 * Terms   deadline: timeout_ms from now, on the monotonic clock. At the
 *           deadline the child's process group gets SIGKILL. A child that
 *           SIGKILL does not end (stuck in the kernel) is abandoned after
 *           CHILD_REAP_MS more: the caller continues.
 *         argv: NULL-terminated; argv[0] is an absolute path; no shell.
 * Owner   result texts are malloc'ed, NUL-terminated, never NULL after
 *           success; child_result_free() frees them.
 * Errors  0: the child ended by itself, see result->status (its exit status, or
 *           128+N if signal N ended it). -1: it could not be started, or the
 *           deadline passed (err has the command and the time, errno is
 *           ETIMEDOUT), or it wrote more than CHILD_OUTPUT_MAX (E2BIG).
 * Runs    helpers as root, the plugin, jobio. The child gets a minimal environment (PATH,
 *           LC_ALL=C, NO_COLOR=1 and 'env'), stdin from /dev/null, no other open
 *           file, default signals.
 */
#ifndef JOBIO_BASE_CHILD_H
#define JOBIO_BASE_CHILD_H

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

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

/* The same with another limit of the output. */
int child_run_big(char *const argv[], char *const env[], unsigned int timeout_ms,
		  unsigned int output_max, struct child_result *result, struct err *err);

/* Run fn(arg) in a forked child and collect its standard output: for reads from files that may
 * block for ever. 'name' is for the error message. */
int child_call(const char *name, int (*fn)(void *arg), void *arg, unsigned int timeout_ms,
	       struct child_result *result, struct err *err);

/* The same; if the deadline passes, result->out is what the child has printed and flushed until
 * then, to be freed as well; else NULL. Its standard error is /dev/null, and result->errtext "". */
int child_call_partial(const char *name, int (*fn)(void *arg), void *arg, unsigned int timeout_ms,
		       struct child_result *result, struct err *err);

void child_result_free(struct child_result *result);

/* Start argv detached: own session, stdio on /dev/null, re-parented. Its exit status is not
 * collected. */
int child_detach(char *const argv[], struct err *err);

/* Start argv with these three as its standard input, output and error (-1: /dev/null), in a process
 * group of its own. Return its pid, which the caller waits for, or -1. The caller may have other
 * threads. */
pid_t child_start(char *const argv[], char *const env[], const int stdio[3], struct err *err);

/* Wait grace_ms for the child to end; then send SIGTERM to its process group, and SIGKILL. A child
 * that was waited for elsewhere is left alone. */
void child_end(pid_t pid, unsigned int grace_ms);

/* Return milliseconds on the monotonic clock, for budgets. */
unsigned long long child_now_ms(void);
/* Return the milliseconds until then, 0 after it. */
unsigned int child_left_ms(unsigned long long end_ms);

#endif
