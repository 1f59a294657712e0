/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_view.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/run.h"

/* Clocks of a node and of slurmctld may be so far apart; a job that is requeued
 * waits for two minutes. */
#define CLOCKS_S 60

struct job_time job_time_of(const struct job_report *r)
{
	struct run_time run = run_time_of(r->records, r->record_count);
	struct job_time time = { run.first, run.last, run_time_seconds(&run), run.apart };

	if (time.first < 0 && job_is_of_slurm(r)) {
		time.first = (double)r->slurm->start;
		time.last = (double)r->slurm->end;
		if (r->slurm->elapsed_s > 0)
			time.seconds = (double)r->slurm->elapsed_s;
		else if (time.first >= 0 && time.last > time.first)
			time.seconds = time.last - time.first;
	}
	return time;
}

/* As secs2time_str() of slurm's parse_time.c does, with the hours always. */
const char *job_elapsed(double seconds, char *out)
{
	long long whole = seconds < 1e12 ? (long long)(seconds + 0.5) : 0;
	long long days = whole / 86400, rest = whole % 86400;
	int used = 0;

	if (days)
		used = snprintf(out, JOB_ELAPSED, "%lld-", days);
	snprintf(out + used, JOB_ELAPSED - (size_t)used, "%02lld:%02lld:%02lld", rest / 3600,
		 rest / 60 % 60, rest % 60);
	return out;
}

const char *job_clock(double when, char out[JOB_ELAPSED])
{
	time_t seconds = (time_t)when;
	struct tm tm;

	if (!localtime_r(&seconds, &tm) || !strftime(out, JOB_ELAPSED, "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(out, "?");
	return out;
}

bool job_is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

bool job_is_same_change(const void *one, const void *other)
{
	const struct record_change *a = one, *b = other;

	return job_is_same_text(a->what, b->what) && job_is_same_text(a->target, b->target) &&
	       job_is_same_text(a->old_value, b->old_value) &&
	       job_is_same_text(a->new_value, b->new_value) && a->restored == b->restored &&
	       a->made == b->made;
}

const char *job_user_of(const struct job_report *r)
{
	if (r->record_count && *r->records[0]->user)
		return r->records[0]->user;
	return r->slurm ? r->slurm->user : "";
}

bool job_is_whole(const struct job_report *r)
{
	return !r->left_out && r->summary.nodes_expected >= 0 &&
	       r->summary.nodes_seen >= r->summary.nodes_expected;
}

int64_t job_nodes_of(const struct job_report *r)
{
	if (r->summary.nodes_expected >= 0)
		return r->summary.nodes_expected;
	if (job_is_of_slurm(r) && r->slurm->nodes > 0)
		return r->slurm->nodes;
	return r->summary.nodes_seen > 0 ? r->summary.nodes_seen : RECORD_UNKNOWN;
}

/* Slurm speaks of the newest run, by whatever number it was asked for. */
static bool is_older(const struct job_report *r)
{
	return r->is_old_run && (r->newest < 0 || r->newest != r->restart);
}

bool job_is_before_slurm(const struct job_report *r)
{
	struct run_time time;

	if (!r->slurm)
		return false;
	if (r->slurm->start <= 0)
		return sacct_is_early(r->slurm->state);
	time = run_time_of(r->records, r->record_count);
	return time.last >= 0 && time.last + CLOCKS_S < (double)r->slurm->start;
}

bool job_is_of_slurm(const struct job_report *r)
{
	return r->slurm && !is_older(r) &&
	       (strcmp(r->source, "ledger") != 0 ||
		(!sacct_is_early(r->slurm->state) && !job_is_before_slurm(r)));
}

enum tone job_state_tone(const char *state)
{
	if (!strcmp(state, "COMPLETED"))
		return TONE_GOOD;
	return sacct_is_early(state) ? TONE_FAINT : TONE_BAD;
}
