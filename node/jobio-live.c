/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-live - counters of a running job on this node so far
 *
 *   jobio-live [--conf=FILE] JOB UID NODES   as slurmstepd starts it (live.h)
 *
 * Each newline on standard input is a request, answered on standard output (live_view.h) with the record
 * as the epilog would write it now, without the clients' own counters and those of the steps, which
 * are only known at the end. Exits at end of input. Users may view their own jobs: UID is the
 * requesting user, set by slurmstepd. A job is read at most once a second, however many requests
 * come, so that they do not block other prologs at jobio-count's lock. Reads only.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/command_line.h"
#include "base/config_load.h"
#include "base/live_view.h"
#include "base/lock.h"
#include "base/number.h"
#include "base/rundir.h"
#include "node/count_helper.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/job_state.h"

#define INTERVAL_MS 1000U /* between two answers about a job */
#define TURN_MS 5000U	  /* longest wait for other viewers */
#define QUESTION_BYTES 256

struct live {
	const char *conf;
	uint32_t job, uid;
	char node[RECORD_NAME_MAX]; /* the host's, until the job's state is read */
	struct live_view_sender from;
};

static void nap(unsigned long long ms)
{
	struct timespec time = { .tv_sec = (time_t)(ms / 1000),
				 .tv_nsec = (long)(ms % 1000) * 1000000 };

	nanosleep(&time, NULL);
}

/* Lock the job's folder. Return the file descriptor, or -1. */
static int lock_turn(uint32_t job, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	int fd;

	if (rundir_job_file(path, dirs.run, job, NULL, err) < 0)
		return -1;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set(err, errno == ENOENT ? "jobio knows nothing of this job"
						    : "its folder cannot be read");
	if (lock_wait(fd, TURN_MS) < 0) {
		close(fd);
		return err_set(err, "too many look at this job");
	}
	return fd;
}

/* Return the record as if the job ended now; the caller frees. */
static char *read_job(struct live *live, struct err *err)
{
	struct record *state = job_state_read(live->job, live->node);
	char *text = NULL;

	if (!state)
		err_set(err, "jobio knows nothing of this job");
	else if (live->uid && state->uid != live->uid)
		err_set(err, "the job is another user's");
	else if (job_state_is_ended(state))
		err_set(err, "the job has ended here");
	else if (job_count_read(state, err) == 0) {
		snprintf(live->node, sizeof(live->node), "%s", state->node);
		job_state_end(state);
		text = record_text(state, err);
	}
	record_free(state);
	return text;
}

static void answer(struct live *live)
{
	struct err err = { "" };
	struct config *config = config_load(live->conf, &err);
	unsigned long long begin_ms, took_ms;
	char *text = NULL;
	int turn = -1;

	if (config) {
		dirs_set(config);
		turn = lock_turn(live->job, &err);
	}
	begin_ms = child_now_ms();
	if (turn >= 0)
		text = read_job(live, &err);
	live_view_write(stdout, &live->from, text ? LIVE_VIEW_RECORD : LIVE_VIEW_ERROR,
			text ? text : err.text);
	fflush(stdout);
	took_ms = child_now_ms() - begin_ms;
	if (turn >= 0) {
		if (took_ms < INTERVAL_MS)
			nap(INTERVAL_MS - took_ms);
		close(turn);
	}
	free(text);
	config_free(config);
}

/* Answer requests until end of input; of those that came meanwhile, the last one. */
static void serve(struct live *live)
{
	char bytes[QUESTION_BYTES];
	unsigned int before;
	ssize_t got, i;

	while ((got = read(STDIN_FILENO, bytes, sizeof(bytes))) != 0) {
		if (got < 0 && errno != EINTR)
			return;
		before = live->from.request;
		for (i = 0; i < got; i++)
			live->from.request += bytes[i] == '\n';
		if (live->from.request == before)
			continue;
		answer(live);
		if (ferror(stdout))
			return;
	}
}

static int read_number(const char *text, uint32_t *out)
{
	unsigned long number;

	if (number_parse(text, 0, UINT32_MAX, &number, NULL) < 0)
		return -1;
	*out = (uint32_t)number;
	return 0;
}

static const struct command_line line = {
	.program = "jobio-live",
	.usage =
		"usage: jobio-live [--conf=FILE] JOB UID NODES\n"
		"Prints the I/O of a running job on this node, once for each newline on its stdin;\nslurmstepd starts it for jobio report --live.\n"
		"  --conf=FILE  instead of " JOBIO_CONF "\n",
	.usage_status = EX_USAGE,
	.words_least = 3,
	.words_most = 3,
	.table = (const struct command_option[]){ COMMAND_TEXT("conf", struct live, conf), { 0 } },
};

int main(int argc, char **argv)
{
	struct live live = { .from.node = live.node };
	int rc = command_parse(&line, &live, argc, argv);
	uint32_t nodes;

	if (rc >= 0)
		return rc;
	argv += optind;
	if (read_number(argv[0], &live.job) < 0 || read_number(argv[1], &live.uid) < 0 ||
	    read_number(argv[2], &nodes) < 0 || !live.job)
		return fputs(line.usage, stderr) < 0 ? 1 : EX_USAGE;
	live.from.nodes = nodes;
	if (job_node_name(live.node, sizeof(live.node), NULL) < 0 || strpbrk(live.node, " \t\n"))
		return EX_SOFTWARE;
	signal(SIGPIPE, SIG_IGN);
	serve(&live);
	return 0;
}
