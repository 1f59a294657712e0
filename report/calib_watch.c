/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_watch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/alloc.h"
#include "lib/child.h"
#include "report/job_report.h"

#define POLL_FIRST_MS 200U
#define POLL_MAX_MS 10000U
#define SQUEUE_DOWN_MS 300000U /* slurmctld restarts */
#define END_MS 90000U	       /* for cancelled jobs to end */
#define FAILED_MAX 3	       /* before any job has succeeded */

/* ---- progress ------------------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void progress(struct calib_watch *w,
							   const char *format, ...)
{
	unsigned long long minutes = (child_now_ms() - w->start_ms) / 60000;
	va_list args;

	fprintf(stderr, isatty(2) ? "\r[%3llu min] " : "[%3llu min] ", minutes);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputs(isatty(2) ? "\033[K" : "\n", stderr);
	w->is_progress_open = isatty(2);
}

static void progress_end(struct calib_watch *w)
{
	if (w->is_progress_open)
		fputc('\n', stderr);
	w->is_progress_open = 0;
}

/* Less when it is stopped meanwhile. */
static void pause_ms(const struct calib_watch *w, unsigned int ms)
{
	struct timespec slice = { .tv_nsec = 50000000 };
	unsigned long long end = child_now_ms() + ms;

	while (!*w->is_stopped && child_now_ms() < end)
		nanosleep(&slice, NULL);
}

/* ---- submit -------------------------------------------------------------------------- */

static const struct calib_setting *setting_of(const struct calib_watch *w, size_t job)
{
	return &w->plan->settings[w->plan->turns[job].setting];
}

static int submit_one(struct calib_watch *w, size_t number, struct err *err)
{
	char *text = calib_plan_text(w->plan), name[32];
	int rc;

	snprintf(name, sizeof(name), "%zu.plan", number);
	rc = calib_folder_put(w->folder, name, text, err);
	free(text);
	if (rc < 0)
		return -1;
	errno = 0;
	rc = calib_slurm_submit(w->slurm, setting_of(w, number), number,
				calib_plan_job_limit_s(w->plan), w->data->jobs[number].id, err);
	if (rc == 0 || errno == ETIMEDOUT || errno == EPROTO)
		w->has_jobs = 1;
	return rc;
}

int calib_watch_submit(struct calib_watch *w, struct err *err)
{
	size_t i;

	for (i = 0; i < w->plan->turn_count && !*w->is_stopped; i++)
		if (submit_one(w, i, err) < 0)
			return -1;
	return 0;
}

/* ---- watch --------------------------------------------------------------------------- */

struct state {
	bool *is_over;
	size_t over, failed, whole;
	bool has_failed[2]; /* one without io-cores, one with */
	char doing[448];    /* what the job says that runs, or waits */
	unsigned long long heard_ms;
};

__attribute__((format(printf, 2, 3))) static void blame(struct calib_job *job, const char *format,
							...)
{
	struct err err;
	va_list args;
	char text[ERR_MAX];

	if (*job->why)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	err_set(&err, "%s", text);
	snprintf(job->why, sizeof(job->why), "%s", err.text);
}

struct taker {
	struct calib_watch *watch;
	size_t number;
	char said[400]; /* the first line of what the job printed */
};

static void take(void *arg, const char *name, const char *text)
{
	struct taker *t = arg;
	struct calib_job *job = &t->watch->data->jobs[t->number];
	size_t length = strlen(name);
	struct err err = { "" };
	char shape[64];

	if (!strcmp(name, "out"))
		snprintf(t->said, sizeof(t->said), "%.*s", (int)strcspn(text, "\n"), text);
	if (length < 6 || length >= sizeof(shape) || strcmp(name + length - 5, ".json") != 0)
		return;
	snprintf(shape, sizeof(shape), "%.*s", (int)length - 5, name);
	if (calib_data_take(t->watch->data, t->number, shape, text, &err) < 0)
		blame(job, "%s", err.text);
}

static void collect(struct calib_watch *w, struct state *s, size_t number)
{
	struct calib_job *job = &w->data->jobs[number];
	struct taker taker = { .watch = w, .number = number };
	struct err err = { "" };

	if (calib_folder_read(w->folder, number, take, &taker, &err) < 0)
		blame(job, "%s", err.text);
	if (job->run_count < w->plan->shape_count)
		blame(job, "%zu of %zu runs%s%s", job->run_count, w->plan->shape_count,
		      *taker.said ? ": " : "", taker.said);
	s->is_over[number] = true;
	s->over++;
	if (*job->why) {
		s->failed++;
		s->has_failed[setting_of(w, number)->io_cores > 0] = true;
	} else {
		s->whole++;
	}
}

static const struct calib_queued *find(const struct calib_queued *list, int count, const char *id)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcmp(list[i].id, id))
			return &list[i];
	return NULL;
}

/* What a queued job does; one that will never start is cancelled. */
static void look(struct calib_watch *w, struct state *s, size_t number,
		 const struct calib_queued *queued)
{
	struct calib_job *job = &w->data->jobs[number];
	bool is_running = strcmp(queued->state, "PENDING") != 0;
	char text[96];

	if (calib_slurm_is_hopeless(queued)) {
		blame(job, "Slurm does not start it: %s", queued->reason);
		calib_slurm_cancel(w->slurm, job->id, NULL);
	}
	if (is_running && !*job->node)
		snprintf(job->node, sizeof(job->node), "%s", queued->node);
	if (*s->doing && !is_running)
		return;
	snprintf(s->doing, sizeof(s->doing), "; job %s %s %s (%s)", job->id,
		 is_running ? "runs on" : "waits:", is_running ? queued->node : queued->reason,
		 calib_setting_text(setting_of(w, number), text, sizeof(text)));
}

/* -1: squeue has not answered for too long. 1: something is over. */
static int turn(struct calib_watch *w, struct state *s, struct err *err)
{
	struct calib_queued *list = NULL;
	const struct calib_queued *queued;
	int count = calib_slurm_queue(w->slurm, &list, err);
	size_t i, before = s->over;

	if (count < 0)
		return child_now_ms() - s->heard_ms > SQUEUE_DOWN_MS ? -1 : 0;
	s->heard_ms = child_now_ms();
	*s->doing = 0;
	for (i = 0; i < w->plan->turn_count; i++) {
		if (s->is_over[i])
			continue;
		queued = find(list, count, w->data->jobs[i].id);
		if (queued)
			look(w, s, i, queued);
		else
			collect(w, s, i);
	}
	free(list);
	return s->over > before;
}

static void give_up(struct calib_watch *w, struct state *s, const char *why)
{
	size_t i;

	progress_end(w);
	fprintf(stderr, "jobio: calibrate: %s: the jobs that are left are cancelled\n", why);
	for (i = 0; i < w->plan->turn_count; i++)
		if (!s->is_over[i])
			blame(&w->data->jobs[i], "%s%s", why, s->doing);
	calib_slurm_cancel(w->slurm, NULL, NULL); /* calib_watch_end() waits */
}

/* Has nothing worked so far? A gate may refuse all jobs without io-cores, and
 * those alone. */
static bool is_hopeless(const struct calib_watch *w, const struct state *s)
{
	size_t i;

	if (s->whole || s->failed < FAILED_MAX)
		return false;
	for (i = 0; i < w->plan->setting_count; i++)
		if (!s->has_failed[w->plan->settings[i].io_cores > 0])
			return false;
	return true;
}

/* True when there is nothing more to wait for. */
static bool is_enough(struct calib_watch *w, struct state *s)
{
	if (s->over == w->plan->turn_count)
		return true;
	if (is_hopeless(w, s)) {
		give_up(w, s, "the first jobs have all failed");
		return true;
	}
	if (child_now_ms() - w->start_ms >= w->plan->max_s * 1000ULL) {
		give_up(w, s, "--max-time is over");
		return true;
	}
	return false;
}

static void tell(struct calib_watch *w, const struct state *s)
{
	unsigned int job_s = calib_plan_job_s(w->plan);

	char failed[32] = "";

	if (s->failed)
		snprintf(failed, sizeof(failed), ", %zu failed", s->failed);
	progress(w, "%zu of %zu over%s, about %zu min to go%s", s->over, w->plan->turn_count,
		 failed, ((w->plan->turn_count - s->over) * (job_s + 10) + 30) / 60, s->doing);
}

int calib_watch_run(struct calib_watch *w, struct err *err)
{
	struct state s = { .heard_ms = child_now_ms() };
	unsigned int poll_ms = POLL_FIRST_MS;
	char before[sizeof(s.doing)] = "";
	int rc = 0;

	s.is_over = xcalloc(w->plan->turn_count, sizeof(bool));
	while (!*w->is_stopped) {
		rc = turn(w, &s, err);
		if (rc < 0 || is_enough(w, &s))
			break;
		if (rc > 0 || strcmp(before, s.doing) != 0 || isatty(2))
			tell(w, &s);
		poll_ms = rc > 0 ? POLL_FIRST_MS : poll_ms * 3 / 2;
		poll_ms = poll_ms > POLL_MAX_MS ? POLL_MAX_MS : poll_ms;
		strcpy(before, s.doing);
		pause_ms(w, poll_ms);
	}
	progress_end(w);
	free(s.is_over);
	return rc < 0 ? -1 : 0;
}

/* ---- jobio's own records --------------------------------------------------------------- */

static bool wants_judging(const struct calib_watch *w, size_t i)
{
	const struct calib_job *job = &w->data->jobs[i];

	return *job->id && !job->is_judged && job->run_count == w->plan->shape_count;
}

/* sacct is asked once about all of them. Returns how many are not judged. */
static size_t judge_all(struct calib_watch *w, char cluster[RECORD_NAME_MAX], char **ids,
			size_t count, struct err *err)
{
	struct job_source source = { .config = w->config };
	struct job_report *report;
	size_t i, left = 0;

	job_source_ask_sacct(&source, ids, count);
	for (i = 0; i < w->plan->turn_count; i++) {
		if (!wants_judging(w, i))
			continue;
		report = job_report_get(&source, w->data->jobs[i].id, RECORD_UNKNOWN, err);
		if (report && (report->record_count || report->summary.nodes_seen > 0)) {
			calib_job_judge(&w->data->jobs[i], w->plan, setting_of(w, i), report,
					w->folder->path);
			if (report->cluster)
				snprintf(cluster, RECORD_NAME_MAX, "%s", report->cluster);
		} else {
			left++;
		}
		job_report_free(report);
	}
	job_source_close(&source);
	return left;
}

static void blame_the_rest(struct calib_watch *w, const struct err *err)
{
	size_t i;

	for (i = 0; i < w->plan->turn_count; i++)
		if (wants_judging(w, i)) {
			w->data->jobs[i].disagrees = true;
			blame(&w->data->jobs[i], "jobio has no record of it%s%s",
			      *err->text ? ": " : "", err->text);
		}
}

void calib_watch_judge(struct calib_watch *w, char cluster[RECORD_NAME_MAX])
{
	const struct config_ledger *ledger = &w->config->ledger;
	unsigned long long end =
		child_now_ms() + ledger->grace_s * 1000ULL + 2ULL * ledger->send_timeout_ms;
	char **ids = xcalloc(w->plan->turn_count + 1, sizeof(*ids));
	struct err why = { "" };
	size_t i, count = 0, left, before = SIZE_MAX;

	for (i = 0; i < w->plan->turn_count; i++)
		if (wants_judging(w, i))
			ids[count++] = w->data->jobs[i].id;
	for (left = count; count; pause_ms(w, 1000)) {
		left = judge_all(w, cluster, ids, count, &why);
		if (!left || *w->is_stopped || child_now_ms() > end)
			break;
		if (left < before || isatty(2))
			progress(w, "waiting for jobio's records, missing: %zu", left);
		before = left;
	}
	progress_end(w);
	if (left)
		blame_the_rest(w, &why);
	free(ids);
}

/* ---- the end ----------------------------------------------------------------------------- */

/* How many are left in the queue; -1: nobody says. */
static int wait_until_gone(struct calib_watch *w, unsigned int ms, struct err *err)
{
	unsigned long long end = child_now_ms() + ms;
	struct timespec slice = { .tv_nsec = 200000000 };
	struct calib_queued *list = NULL;
	int count;

	for (;;) {
		count = calib_slurm_queue(w->slurm, &list, err);
		free(list);
		list = NULL;
		if (count <= 0 || child_now_ms() >= end)
			return count;
		nanosleep(&slice, NULL);
		if (slice.tv_nsec < 900000000)
			slice.tv_nsec += 100000000;
	}
}

static int cancel_all(struct calib_watch *w)
{
	struct err err = { "" };
	int left = wait_until_gone(w, 0, &err);

	if (left && calib_slurm_cancel(w->slurm, NULL, &err) == 0)
		left = wait_until_gone(w, END_MS, &err);
	if (!left)
		return 0;
	fprintf(stderr, "jobio: calibrate: jobs may be left: %s; scancel --name=%s\n",
		*err.text ? err.text : "they do not end", w->slurm->name);
	return -1;
}

int calib_watch_end(struct calib_watch *w)
{
	struct err err = { "" };
	int rc = 0;

	progress_end(w);
	if (w->has_jobs)
		rc = cancel_all(w);
	if (calib_folder_remove(w->folder, &err) < 0) {
		fprintf(stderr, "jobio: calibrate: %s\n", err.text);
		rc = -1;
	}
	return rc;
}
