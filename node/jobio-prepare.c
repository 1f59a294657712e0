/* SPDX-License-Identifier: GPL-2.0-or-later */
/* jobio-prepare - make this node ready for one job
 *
 *   jobio-prepare [--conf=FILE] [--sysfs=DIR]   as slurmd's prolog
 *   jobio-prepare --recover [--conf=FILE]       before slurmd starts
 *   jobio-prepare --load [--conf=FILE]          load the programs that count I/O, before slurmd
 *   jobio-prepare --list [--conf=FILE]          list the jobs' folders (recover.h)
 *   jobio-prepare --help
 *
 * A child does the work, so that a hanging query cannot block the node: it is killed after the
 * budget, and the journal has the changes that it did not complete. Exit status: 0 done, or failed
 * with on_error=continue; 69 the node's fault, 70 an error of jobio; both only with
 * on_error=drain. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/command_line.h"
#include "base/config_load.h"
#include "base/config_query.h"
#include "base/request.h"
#include "client/client.h"
#include "node/count_helper.h"
#include "node/job.h"
#include "node/job_dir.h"
#include "node/log.h"
#include "node/prepare.h"
#include "node/reason.h"
#include "node/recover.h"

#define GRACE_MS 1000U

struct arguments {
	const char *conf;
	bool recover;
	bool load;
	bool list;
};

static const struct command_line line = {
	.program = "jobio-prepare",
	.usage = "usage: jobio-prepare [--recover|--load|--list] [--conf=FILE]\n"
		 "Makes this node ready for a job; slurmd's prolog runs it.\n"
		 "  --recover    restore what finished jobs left changed; before slurmd starts\n"
		 "  --load       load the programs that count I/O; before slurmd starts\n"
		 "  --list       print each job that has a folder here, and whether it is running\n"
		 "  --conf=FILE  instead of " JOBIO_CONF "\n",
	.usage_status = EX_USAGE,
	.table =
		(const struct command_option[]){ COMMAND_TEXT("conf", struct arguments, conf),
						 COMMAND_FLAG("recover", struct arguments, recover),
						 COMMAND_FLAG("load", struct arguments, load),
						 COMMAND_FLAG("list", struct arguments, list),
						 COMMAND_SYSFS,
						 { 0 } },
};

/* Return true if on_error=drain and jobio is enabled for this node and partition. */
static bool is_to_drain(const struct config *config, const struct job *job)
{
	return config->on_error == ON_ERROR_DRAIN &&
	       !config_is_off(config, job->node, job->partition, NULL);
}

/* Drain the node if is_to_drain(). [what]: a finding's code, or "prolog". */
static void drain(const struct config *config, const struct job *job, const char *what,
		  const char *why, const char *cure)
{
	char reason[JOB_REASON_MAX];

	job_reason_make(reason, what, why, cure);
	if (job->id && is_to_drain(config, job))
		job_drain(JOB_DRAIN, job->node, reason);
}

/* Do the work, in the child. Return the exit status. */
static int work(const struct config *config, const struct job *job,
		const struct arguments *arguments)
{
	struct prepare_context ctx = { .config = config };
	struct err err = { "" };
	int rc;

	rc = arguments->list	  ? recover_list(&ctx, &err)
	     : arguments->recover ? recover_node(&ctx, &err)
	     : arguments->load	  ? recover_load(&ctx, &err)
				  : prepare_node(&ctx, &err);
	prepare_log(&ctx);
	if (ctx.lock_fd > 0)
		close(ctx.lock_fd);
	ctx.lock_fd = -1;
	if (rc < 0) {
		log_line("%s", err.text);
		drain(config, job, "prolog", err.text, "");
		rc = EX_SOFTWARE;
	} else if (ctx.fault) {
		drain(config, job, ctx.fault->code, ctx.fault->text, ctx.fault->cure);
	}
	prepare_context_free(&ctx);
	return rc;
}

/* Return the time limit of the child: with the client's restarts for another job, whose lock it
 * waits for, and for this one. A remount restarts a client of WEKA 5, and the version is not known
 * here. */
static unsigned int budget_ms(const struct config *config)
{
	unsigned int ms = config->prolog_budget_ms + JOB_COUNT_START_MS + GRACE_MS +
			  2 * config_restarts_ms(config);
	size_t i;

	for (i = 0; i < config->client_count; i++)
		if (config->clients[i].type == CLIENT_WEKA)
			ms += 2 * config->clients[i].ready_timeout_ms;
	return ms;
}

static int wait_for(pid_t pid, unsigned int timeout_ms, int *status)
{
	const struct timespec slice = { .tv_nsec = 100000000 };
	unsigned long long end_ms = child_now_ms() + timeout_ms;
	sigset_t chld;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	while (waitpid(pid, status, WNOHANG) == 0) {
		if (child_now_ms() >= end_ms)
			return -1;
		sigtimedwait(&chld, NULL, &slice);
	}
	return 0;
}

static int supervise(struct config *config, const struct job *job,
		     const struct arguments *arguments)
{
	unsigned int ms = budget_ms(config) + (arguments->load ? JOB_COUNT_LOAD_MS : 0);
	int status = 0, rc = EX_SOFTWARE;
	struct err why;
	pid_t pid, parent = getpid();
	sigset_t chld;

	/* blocked, so that sigtimedwait() sees it */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* if slurmd kills the parent */
		if (getppid() != parent)
			_exit(EX_SOFTWARE);
		rc = work(config, job, arguments);
		config_free(config);
		exit(rc);
	}
	if (pid < 0) {
		err_set(&why, "cannot fork: %s", strerror(errno));
	} else if (wait_for(pid, ms, &status) < 0) {
		err_set(&why, "not done within %u ms: ended; the epilog restores its changes", ms);
		kill(pid, SIGKILL);
		wait_for(pid, GRACE_MS, &status);
		rc = EX_UNAVAILABLE;
	} else if (WIFSIGNALED(status)) {
		err_set(&why, "ended by signal %d", WTERMSIG(status));
	} else {
		return WEXITSTATUS(status);
	}
	log_line("%s", why.text);
	drain(config, job, "prolog", why.text, "");
	return rc;
}

int main(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct config *config;
	struct request request;
	struct job job = { 0 };
	struct err err;
	int rc = command_parse(&line, &arguments, argc, argv);

	if (rc >= 0)
		return rc;
	job_from_env(&job, NULL);
	log_open("prolog", job.id);
	config = config_load(arguments.conf, &err);
	if (!config) {
		/* no line for a node without jobio.conf and a job without I/O options */
		if (errno != ENOENT || request_from_env(&request, NULL) != 0)
			log_line("%s; the job runs without jobio", err.text);
		return 0; /* on_error is unknown: use its default */
	}
	dirs_set(config);
	rc = supervise(config, &job, &arguments);
	if (rc != 0 && !is_to_drain(config, &job)) {
		log_line("going on: %s", config->on_error == ON_ERROR_CONTINUE
						 ? "on_error=continue"
						 : "jobio is off here");
		rc = 0;
	}
	config_free(config);
	return rc;
}
