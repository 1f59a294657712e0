/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live_link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/alloc.h"
#include "lib/child.h"
#include "lib/utf8.h"
#include "report/program.h"

#define LINE_BYTES 4096 /* of srun: longer ones are none of ours */
#define END_MS 3000U	/* for srun to end its step */
#define SLICE_MS 100

/* What runs where the plugin does not know of looks: LOOK_ERROR, ask 0. */
#define OLD_NODE                                                                                   \
	"echo \"" LOOK_MARK " e ${SLURM_STEP_NUM_NODES:-0} 0 1 1 "                                 \
	"${SLURMD_NODENAME:-?} its jobio cannot tell: it is older, or "                            \
	"switched off there\""

struct stream {
	int fd; /* -1: it has ended */
	char line[LINE_BYTES];
	size_t used;
};

struct live_link {
	pid_t pid;
	int ask_fd;
	struct stream out, error;
	unsigned int asked;
	struct looks looks;
	char said[ERR_MAX]; /* srun's first error, else its first line */
	bool is_error;
};

/* ---- srun -------------------------------------------------------------------- */

struct command {
	char setpriv[PROGRAM_PATH], uid[32], gid[32];
	char srun[PROGRAM_PATH], job[48], group[32], nodes[32], tasks[32], export[64];
	struct program_env env;
	char *argv[32];
	size_t args;
};

static void add(struct command *c, const char *word)
{
	c->argv[c->args++] = (char *)word;
}

/* slurmctld lets nobody but the job's user start steps in it, root neither
 * (step_mgr.c:step_create: ESLURM_ACCESS_DENIED): root becomes that user. */
static int become(struct command *c, const char *user, struct err *err)
{
	struct passwd *who = getpwnam(user);

	if (!who)
		return err_set(err, "user '%s': unknown on this host", user);
	if (program_find("setpriv", c->setpriv, NULL) < 0)
		return err_set(err, "there is no setpriv in PATH");
	snprintf(c->uid, sizeof(c->uid), "--reuid=%u", who->pw_uid);
	snprintf(c->gid, sizeof(c->gid), "--regid=%u", who->pw_gid);
	add(c, c->setpriv);
	add(c, c->uid);
	add(c, c->gid);
	add(c, "--init-groups");
	return 0;
}

/* As little of the job's cores and memory as there is, beside what runs there. */
static int make_command(struct command *c, const struct live_job *job, struct err *err)
{
	static const char *const words[] = {
		"--overlap",  "--ntasks-per-node=1",   "--mem=0", "--gres=none", "--cpu-bind=none",
		"--mpi=none", "--job-name=jobio-live",
	};
	size_t i;

	memset(c, 0, sizeof(*c));
	if (program_find("srun", c->srun, err) < 0)
		return -1;
	snprintf(c->job, sizeof(c->job), "--jobid=%u", job->leader);
	snprintf(c->group, sizeof(c->group), "--het-group=%lld", (long long)job->component);
	snprintf(c->nodes, sizeof(c->nodes), "--nodes=%u", job->nodes);
	snprintf(c->tasks, sizeof(c->tasks), "--ntasks=%u", job->nodes);
	snprintf(c->export, sizeof(c->export), "--export=" LOOK_ENV "=%u", job->id);
	if (job->user && geteuid() == 0 && become(c, job->user, err) < 0)
		return -1;
	add(c, c->srun);
	add(c, c->job);
	if (job->component >= 0)
		add(c, c->group);
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		add(c, words[i]);
	if (job->nodes) {
		add(c, c->nodes);
		add(c, c->tasks);
	}
	add(c, c->export);
	add(c, "/bin/sh");
	add(c, "-c");
	add(c, OLD_NODE);
	program_env(&c->env, NULL);
	return 0;
}

static void close_pair(int pair[2])
{
	if (pair[0] >= 0)
		close(pair[0]);
	if (pair[1] >= 0)
		close(pair[1]);
}

static int start(struct live_link *link, const struct command *c, struct err *err)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, error[2] = { -1, -1 };
	int rc = -1;

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(error, O_CLOEXEC) < 0) {
		err_set(err, "srun: no pipe: %s", strerror(errno));
		goto out;
	}
	link->pid =
		child_start(c->argv, c->env.list, (const int[]){ in[0], out[1], error[1] }, err);
	if (link->pid < 0)
		goto out;
	fcntl(in[1], F_SETFL, O_NONBLOCK);
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(error[0], F_SETFL, O_NONBLOCK);
	link->ask_fd = in[1];
	link->out.fd = out[0];
	link->error.fd = error[0];
	in[1] = out[0] = error[0] = -1;
	rc = 0;
out:
	close_pair(in);
	close_pair(out);
	close_pair(error);
	return rc;
}

struct live_link *live_link_open(const struct live_job *job, struct err *err)
{
	struct live_link *link = xcalloc(1, sizeof(*link));
	struct command *command = xcalloc(1, sizeof(*command));

	link->ask_fd = link->out.fd = link->error.fd = -1;
	signal(SIGPIPE, SIG_IGN);
	if (make_command(command, job, err) < 0 || start(link, command, err) < 0) {
		free(link);
		link = NULL;
	}
	free(command);
	return link;
}

static void close_stream(struct stream *stream)
{
	if (stream->fd >= 0)
		close(stream->fd);
	stream->fd = -1;
}

void live_link_close(struct live_link *link)
{
	if (!link)
		return;
	if (link->ask_fd >= 0)
		close(link->ask_fd); /* the tasks end with it */
	close_stream(&link->out);
	close_stream(&link->error);
	child_end(link->pid, END_MS);
	looks_free(&link->looks);
	free(link);
}

/* ---- what it says -------------------------------------------------------------- */

/* "srun: error: Unable to ..: Invalid job id specified" */
static void hear(struct live_link *link, const char *line)
{
	static const char *const marks[] = { "srun: ", "error: ", "fatal: " };
	bool is_error = false;
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strncmp(line, marks[i], strlen(marks[i]))) {
			line += strlen(marks[i]);
			is_error = i > 0;
		}
	if (*line && (!*link->said || (is_error && !link->is_error))) {
		utf8_clean(link->said, sizeof(link->said), line, strlen(line));
		link->is_error = is_error;
	}
}

static void take_line(struct live_link *link, struct stream *stream)
{
	stream->line[stream->used] = '\0';
	stream->used = 0;
	if (stream == &link->out)
		looks_take(&link->looks, stream->line);
	else
		hear(link, stream->line);
}

static void take(struct live_link *link, struct stream *stream)
{
	char bytes[LINE_BYTES];
	ssize_t got, i;

	while ((got = read(stream->fd, bytes, sizeof(bytes))) > 0)
		for (i = 0; i < got; i++) {
			if (bytes[i] == '\n')
				take_line(link, stream);
			else if (stream->used < LINE_BYTES - 1)
				stream->line[stream->used++] = bytes[i];
		}
	if (got == 0 || (errno != EAGAIN && errno != EINTR))
		close_stream(stream);
}

/* For a moment; false: srun has ended. */
static bool attend(struct live_link *link)
{
	struct pollfd fds[2] = { { .fd = link->out.fd, .events = POLLIN },
				 { .fd = link->error.fd, .events = POLLIN } };

	if (poll(fds, 2, SLICE_MS) > 0) {
		if (fds[0].revents)
			take(link, &link->out);
		if (fds[1].revents)
			take(link, &link->error);
	}
	return link->out.fd >= 0 || link->error.fd >= 0;
}

/* ---- questions ----------------------------------------------------------------- */

struct tally {
	unsigned int answered, silent, mute;
};

static struct tally tally_of(const struct live_link *link)
{
	const struct looks *looks = &link->looks;
	struct tally tally = { 0 };
	size_t i;

	for (i = 0; i < looks->count; i++) {
		const struct look_node *node = looks->node[i];

		if (node->is_mute)
			tally.mute++;
		else if (node->ask >= link->asked)
			tally.answered++;
		else
			tally.silent++;
	}
	return tally;
}

/* The first time all nodes are waited for; then those that have ever said
 * something. */
static bool is_complete(const struct live_link *link)
{
	struct tally tally = tally_of(link);

	return !tally.silent && link->looks.nodes &&
	       (link->asked > 1 || tally.answered + tally.mute >= link->looks.nodes);
}

int live_link_ask(struct live_link *link, unsigned int timeout_ms,
		  const volatile sig_atomic_t *stop, struct err *err)
{
	unsigned long long end_ms = child_now_ms() + timeout_ms;
	struct tally tally;
	bool goes_on = true;

	link->asked++;
	if (write(link->ask_fd, "\n", 1) != 1 && errno == EPIPE)
		end_ms = child_now_ms() + SLICE_MS; /* why does it say? */
	while (goes_on && !*stop && !is_complete(link) && child_now_ms() < end_ms)
		goes_on = attend(link);
	tally = tally_of(link);
	if (tally.answered || (tally.mute && link->asked == 1))
		return (int)tally.answered;
	if (!goes_on)
		return err_set(err, "%s",
			       *link->said ? link->said : "the step that asks has ended");
	return *stop || link->asked > 1
		       ? 0
		       : err_set(err, "no node has answered within %u s%s%s", timeout_ms / 1000,
				 *link->said ? ": " : "", link->said);
}

bool live_link_wait(struct live_link *link, unsigned int wait_ms, const volatile sig_atomic_t *stop)
{
	unsigned long long end_ms = child_now_ms() + wait_ms;
	bool goes_on = true;

	while (goes_on && !*stop && child_now_ms() < end_ms)
		goes_on = attend(link);
	return goes_on && !*stop;
}

const struct looks *live_link_looks(const struct live_link *link)
{
	return &link->looks;
}

unsigned int live_link_number(const struct live_link *link)
{
	return link->asked;
}
