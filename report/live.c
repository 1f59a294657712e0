/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/live.h"

#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/alloc.h"
#include "lib/child.h"
#include "lib/number.h"
#include "report/command.h"
#include "report/job_print.h"
#include "report/live_link.h"
#include "report/live_view.h"
#include "report/program.h"

#define NAME "report"
#define FIRST_MS 30000U /* srun has to start a step */
#define AGAIN_MS 10000U
#define SQUEUE_MS 10000U

struct live {
	const struct live_query *query;
	const struct sacct_row *slurm; /* NULL: sacct does not know */
	char user[256];		       /* whose it is; "" unknown */
	uint32_t number;	       /* its own */
	struct live_link *link;
	bool is_screen;
	/* of the look before */
	unsigned long long then_ms;
	int64_t rd_bytes, wr_bytes;
	size_t counted;
};

static volatile sig_atomic_t stop;

static void on_signal(int number)
{
	(void)number;
	stop = 1;
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
}

/* ---- which job --------------------------------------------------------------- */

/* slurmdbd may be seconds behind: whether a job that it takes for a waiting one
 * runs is for slurmctld to say. */
static int check_state(const struct live *live, struct err *err)
{
	const struct sacct_row *row = live->slurm;

	if (!row || sacct_is_early(row->state))
		return 0;
	return err_set(err, "job: '%s': it is %s: jobio report %s has all of it", live->query->id,
		       row->state, live->query->id);
}

/* Slurm would refuse the step; this says it better. root may try. */
static int check_user(const struct live *live, struct err *err)
{
	struct passwd *me = getpwuid(geteuid());

	if (!*live->user || !me || geteuid() == 0 || !strcmp(live->user, me->pw_name))
		return 0;
	return err_set(err, "job: '%s': it is %s's: while a job runs its owner may look at it",
		       live->query->id, live->user);
}

/* "7 alice" */
static int take_answer(struct live *live, char *text)
{
	unsigned long number;
	char *user;

	text[strcspn(text, "\n")] = '\0';
	user = strchr(text, ' ');
	if (!user)
		return -1;
	*user++ = '\0';
	if (number_parse(text, 1, UINT32_MAX, &number, NULL) < 0)
		return -1;
	live->number = (uint32_t)number;
	snprintf(live->user, sizeof(live->user), "%s", user);
	return 0;
}

/* Where sacct does not know yet: "5_1" is job 7, alice's. */
static int ask_squeue(struct live *live, struct err *err)
{
	char path[PROGRAM_PATH];
	char *argv[] = { path,	       (char *)"-h",	(char *)"-j", (char *)live->query->id,
			 (char *)"-o", (char *)"%A %u", NULL };
	struct child_result result = { 0 };
	struct program_env env;
	int rc;

	if (program_find("squeue", path, err) < 0)
		return -1;
	program_env(&env, NULL);
	if (child_run(argv, env.list, SQUEUE_MS, &result, err) < 0)
		return -1;
	rc = take_answer(live, result.out);
	child_result_free(&result);
	return rc < 0 ? err_set(err, "neither sacct nor squeue knows it") : 0;
}

/* What srun wants: not 5_1 or 7+1, but the number that such a job has alone; and
 * of root, whose job it is. */
static int find_job(struct live *live, struct job_source *source, struct err *err)
{
	char *id = (char *)live->query->id;
	unsigned long number = 0;
	bool is_known;

	job_source_ask_sacct(source, &id, 1);
	live->slurm = sacct_find(source->slurm, id);
	is_known = number_parse(live->slurm ? live->slurm->raw_id : id, 1, UINT32_MAX, &number,
				NULL) == 0;
	live->number = (uint32_t)number;
	if (live->slurm)
		snprintf(live->user, sizeof(live->user), "%s", live->slurm->user);
	if ((!is_known || (geteuid() == 0 && !*live->user)) && ask_squeue(live, err) < 0 &&
	    !is_known)
		return err_prefix(err, "job: '%s'", id);
	return check_state(live, err) < 0 ? -1 : check_user(live, err);
}

/* ---- show -------------------------------------------------------------------- */

/* What was moved since the look before, where the same nodes have answered. */
static void compare(struct live *live, const struct job_report *r, struct job_look *look)
{
	unsigned long long now_ms = child_now_ms();
	int64_t rd = r->summary.rd_bytes, wr = r->summary.wr_bytes;

	if (live->then_ms && live->counted == r->record_count && rd >= 0 && wr >= 0 &&
	    rd >= live->rd_bytes && wr >= live->wr_bytes) {
		look->since_s = (double)(now_ms - live->then_ms) / 1000;
		look->rd_bytes = rd - live->rd_bytes;
		look->wr_bytes = wr - live->wr_bytes;
	}
	live->then_ms = now_ms;
	live->counted = r->record_count;
	live->rd_bytes = rd;
	live->wr_bytes = wr;
}

static void print(const struct live *live, const struct job_report *r)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (live->query->is_json) {
		job_print_json(r, stdout);
		putchar('\n');
		return;
	}
	out = xneed(open_memstream(&text, &size));
	job_print_text(r, out);
	fclose(out);
	/* at once, over what was there: no screen that is half empty */
	printf("%s%s", live->is_screen ? "\033[H\033[2J" : "", text);
	fflush(stdout);
	free(text);
}

/* Nothing to show is an error; *err says why not. */
static int show(struct live *live, struct err *err)
{
	struct job_look look;
	struct job_report *r =
		live_view_new(live->query->id, live->number, live->slurm,
			      live_link_looks(live->link), live_link_number(live->link), &look);
	int rc = 0;

	r->is_verbose = live->query->is_verbose;
	r->advice = live->query->advice;
	r->limits = live->query->limits;
	if (!r->record_count && !look.blind) {
		rc = err_set(err, "job: '%s': no node can tell%s%s", live->query->id,
			     *look.who ? ": " : "", look.who);
	} else {
		compare(live, r, &look);
		print(live, r);
	}
	job_report_free(r);
	return rc;
}

/* A line that stays where it is. */
static void tell(const struct live *live, const char *text)
{
	if (live->is_screen) {
		printf("\r\033[K%s", text);
		fflush(stdout);
	}
}

/* The seconds go down until the next look; false: enough was seen. */
static bool wait_for_next(const struct live *live)
{
	unsigned int left = live->query->every_s;
	char text[96], clock[16] = "?";
	time_t now = time(NULL);
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	for (; left; left--) {
		snprintf(text, sizeof(text), "  %s, again in %u s; Ctrl-C ends this", clock, left);
		tell(live, text);
		if (!live_link_wait(live->link, 1000, &stop))
			return false;
	}
	tell(live, "  asking the nodes ..");
	return true;
}

static int look_again(struct live *live, struct err *err)
{
	while (wait_for_next(live)) {
		if (live_link_ask(live->link, AGAIN_MS, &stop, err) < 0)
			break;
		if (!stop && show(live, err) < 0)
			return -1;
	}
	tell(live, "");
	if (!stop)
		printf("  the job has ended; soon jobio report %s has all of it\n",
		       live->query->id);
	return 0;
}

/* srun takes 7+1 as --jobid=7 --het-group=1, and no other way. */
static void find_leader(struct live_job *job, const char *id)
{
	const char *plus = strchr(id, '+');
	unsigned long leader, component;
	char text[16];

	job->leader = job->id;
	job->component = -1;
	if (!plus || (size_t)(plus - id) >= sizeof(text))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)(plus - id), id);
	if (number_parse(text, 1, UINT32_MAX, &leader, NULL) < 0 ||
	    number_parse(plus + 1, 0, UINT32_MAX, &component, NULL) < 0)
		return;
	job->leader = (uint32_t)leader;
	job->component = (int64_t)component;
}

static int run(struct live *live, struct err *err)
{
	const struct sacct_row *row = live->slurm;
	struct live_job job = { .id = live->number };

	find_leader(&job, row ? row->id : live->query->id);

	if (row && row->nodes > 0 && row->nodes < LOOK_NODES_MAX)
		job.nodes = (unsigned int)row->nodes;
	if (*live->user)
		job.user = live->user;
	tell(live, "  asking the nodes ..");
	live->link = live_link_open(&job, err);
	if (!live->link)
		return -1;
	if (live_link_ask(live->link, FIRST_MS, &stop, err) < 0) {
		tell(live, "");
		return err_prefix(err, "job: '%s'", live->query->id);
	}
	if (stop)
		return 0;
	tell(live, "");
	if (show(live, err) < 0)
		return -1;
	return live->is_screen ? look_again(live, err) : 0;
}

int live_report(struct job_source *source, const struct live_query *query)
{
	const char *terminal = getenv("TERM");
	struct live live = { .query = query };
	struct err err = { "" };
	int rc;

	live.is_screen = !query->is_json && isatty(STDOUT_FILENO) && terminal &&
			 strcmp(terminal, "dumb") != 0;
	catch_signals();
	rc = find_job(&live, source, &err);
	if (rc == 0)
		rc = run(&live, &err);
	live_link_close(live.link);
	return rc < 0 ? (int)command_fail(NAME, COMMAND_FAILED, &err) : COMMAND_OK;
}
