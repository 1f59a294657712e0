/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/next_run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/alloc.h"
#include "advice/advice.h"
#include "client/client.h"
#include "report/job_view.h"
#include "report/samples.h"

#define LIKE_PERCENT 10
#define LIKE_BYTES 1048576.0 /* less is no work */
#define SINGLE_PERCENT 5

struct setup {
	unsigned int cores;
	bool is_any_cores;   /* of a profile that brings its own */
	const char *profile; /* "": none, or not applied */
};

struct search {
	struct next_run *next;
	const struct job_report *job;
	struct job_report *const *runs;
	size_t count;
	const struct config *config;
	struct setup mine;
	bool has_cores, has_profile, is_exclusive; /* taken already */
};

/* ---- runs ---------------------------------------------------------------------- */

static struct setup setup_of(const struct job_report *r)
{
	struct setup setup = { .profile = "" };
	const struct record *first = r->record_count ? r->records[0] : NULL;

	if (!first || !first->has_request)
		return setup;
	setup.cores = first->request.io_cores;
	if (first->profile_applied != 0)
		setup.profile = first->request.profile;
	return setup;
}

static bool is_near(int64_t a, int64_t b)
{
	double one = (double)a, other = (double)b;

	return a >= 0 && b >= 0 &&
	       (fabs(one - other) <= LIKE_BYTES ||
		fabs(one - other) * 100 <= fmax(one, other) * LIKE_PERCENT);
}

static bool is_like(const struct job_report *a, const struct job_report *b)
{
	return a->record_count && b->record_count && a->summary.scope == SUMMARY_SCOPE_JOB &&
	       b->summary.scope == SUMMARY_SCOPE_JOB && job_nodes_of(a) == job_nodes_of(b) &&
	       is_near(a->summary.rd_bytes, b->summary.rd_bytes) &&
	       is_near(a->summary.wr_bytes, b->summary.wr_bytes);
}

static void add_time(struct samples *samples, const struct job_report *r)
{
	double seconds = job_time_of(r).seconds;

	if (seconds > 0)
		samples_add(samples, seconds);
}

/* How long runs like the job took with this setup; 'first': the id of one. */
static struct samples times_with(const struct search *s, const struct setup *setup,
				 const char **first)
{
	struct samples samples = { 0 };
	size_t i;

	for (i = 0; i < s->count; i++) {
		struct setup one = setup_of(s->runs[i]);

		if (!is_like(s->job, s->runs[i]) ||
		    (!setup->is_any_cores && one.cores != setup->cores) ||
		    strcmp(one.profile, setup->profile) != 0)
			continue;
		if (!samples.count)
			*first = s->runs[i]->id;
		add_time(&samples, s->runs[i]);
	}
	return samples;
}

static bool is_same(const struct setup *a, const struct setup *b)
{
	return a->cores == b->cores && !strcmp(a->profile, b->profile);
}

/* The job's own time, and that of runs with the same setup. */
static struct samples times_of_mine(const struct search *s)
{
	struct samples samples = { 0 };
	size_t i;

	add_time(&samples, s->job);
	for (i = 0; i < s->count; i++) {
		struct setup one = setup_of(s->runs[i]);

		if (is_like(s->job, s->runs[i]) && is_same(&one, &s->mine))
			add_time(&samples, s->runs[i]);
	}
	return samples;
}

/* 1 longer, -1 shorter, 0 nobody can tell them apart; in percent, too. */
static int compare_times(const struct samples *mine, const struct samples *other, double *percent)
{
	int differ = samples_differ(mine, other);

	*percent = mine->mean > 0 ? (other->mean - mine->mean) * 100 / mine->mean : 0;
	if (differ < 0)
		differ = fabs(*percent) >= SINGLE_PERCENT;
	return !differ ? 0 : *percent > 0 ? 1 : -1;
}

/* What runs say that had the setup; true: they do not speak against it. A
 * saving need not be faster. */
static bool ask_runs(const struct search *s, const struct setup *setup, bool is_saving, char *note,
		     size_t room)
{
	struct samples mine = times_of_mine(s), other;
	const char *first = "";
	double percent;
	char more[40] = "";
	int sign;

	other = times_with(s, setup, &first);
	if (!other.count || !mine.count)
		return true;
	sign = compare_times(&mine, &other, &percent);
	if (other.count > 1)
		snprintf(more, sizeof(more), " and %zu more", other.count - 1);
	if (sign)
		snprintf(note, room, "run %s%s had it: %.0f %% %s time", first, more, fabs(percent),
			 sign > 0 ? "more" : "less");
	else
		snprintf(note, room, "run %s%s had it: no difference in time", first, more);
	return sign < 0 || (is_saving && sign == 0);
}

/* ---- options ------------------------------------------------------------------- */

/* In a shell it stays one word, and does nothing else. */
static bool is_word(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return *text && *text != '-' && strspn(text, letters) == strlen(text);
}

static void propose_cores(struct search *s, struct next_step *step, unsigned int cores)
{
	struct setup setup = { .cores = cores, .profile = s->mine.profile };
	unsigned int least = 1, most = IO_CORES_LIMIT;

	if (s->config) {
		least = s->config->io_cores_min;
		most = s->config->io_cores_max;
	}
	if (cores < least || cores > most) {
		snprintf(step->note, sizeof(step->note), "this site allows %u to %u io-cores",
			 least, most);
		return;
	}
	snprintf(step->option, sizeof(step->option), "--io-cores=%u", cores);
	step->is_taken = !s->has_cores &&
			 ask_runs(s, &setup, cores < s->mine.cores, step->note, sizeof(step->note));
	if (s->has_cores)
		snprintf(step->note, sizeof(step->note), "another advice is worth more");
	s->has_cores |= step->is_taken;
}

static bool has_option(const char *options, const char *word)
{
	const char *at = options;
	size_t length;

	for (; *at; at += length + (at[length] == ',')) {
		length = strcspn(at, ",");
		if (length == strlen(word) && !strncmp(at, word, length))
			return true;
	}
	return false;
}

/* Would a job with this profile have the mount option on this client? As its prolog
 * has it: of the client's own section, where there is one, and nothing of what the
 * client refuses. 'client' NULL: not one of this host's jobio.conf. */
static bool is_given(const struct config *config, const char *name,
		     const struct config_client *client, const char *option)
{
	const struct config_profile *profile;
	struct findings refused = { 0 };
	bool is;

	if (!client)
		return has_option(config_profile_find(config, name)->mount_options, option);
	profile = config_profile_for(config, name, client);
	if (!has_option(config_profile_options(profile, client), option))
		return false;
	client_judge_profile(client, profile, &refused);
	is = !refused.count;
	findings_free(&refused);
	return is;
}

static bool has_mount(const struct record *record, size_t client, const char *mount)
{
	size_t i;

	for (i = 0; i < record->mount_count; i++)
		if (record->mounts[i].client == client && !strcmp(record->mounts[i].mount, mount))
			return true;
	return false;
}

/* Of one client of a job: does it give this filesystem the option? 1, 0 it has no such
 * filesystem, -1 it does not, or gives it writecache. */
static int is_fit_for(const struct search *s, const char *name, const struct record *record,
		      size_t at, const char *fs, const char *option)
{
	const struct config_client *client =
		config_client_find(s->config, record->clients[at].name);

	if (is_given(s->config, name, client, "writecache"))
		return -1;
	if (!has_mount(record, at, fs))
		return 0;
	return is_given(s->config, name, client, option) ? 1 : -1;
}

/* On all nodes of the job. */
static bool is_fit(const struct search *s, const char *name, const char *fs, const char *option)
{
	const struct record *record;
	bool is_found = false;
	size_t i, k;
	int fits;

	for (i = 0; i < s->job->record_count; i++) {
		record = s->job->records[i];
		for (k = 0; k < record->client_count; k++) {
			fits = is_fit_for(s, name, record, k, fs, option);
			if (fits < 0)
				return false;
			is_found |= fits;
		}
	}
	return is_found;
}

/* Of several that fit, the one called stream, else the first. */
static const char *find_profile(const struct search *s, const char *fs, const char *option)
{
	const struct config *config = s->config;
	const char *found = NULL;
	size_t i;

	for (i = 0; config && i < config->profile_count; i++) {
		const char *name = config->profiles[i].name;

		if (!is_word(name) || !strcmp(name, s->mine.profile) ||
		    !is_fit(s, name, fs, option))
			continue;
		if (!found || !strcmp(name, "stream"))
			found = name;
	}
	return found;
}

static void propose_profile(struct search *s, struct next_step *step, const char *option)
{
	const char *name = find_profile(s, step->advice.fs, option);
	struct setup setup = { .is_any_cores = true, .profile = name };

	if (!name) {
		snprintf(step->note, sizeof(step->note),
			 "jobio.conf has no profile with %s on this host", option);
		return;
	}
	snprintf(step->option, sizeof(step->option), "--io-profile=%s", name);
	step->is_taken =
		!s->has_profile && ask_runs(s, &setup, false, step->note, sizeof(step->note));
	if (s->has_profile)
		snprintf(step->note, sizeof(step->note), "another advice is worth more");
	s->has_profile |= step->is_taken;
}

/* Does the run say so of this node? 1, 0; -1: it was not there. */
static int says_without(const struct job_report *r, const char *node)
{
	struct advice_list *list;
	size_t i;
	int says = -1;

	for (i = 0; i < r->record_count && says < 0; i++)
		says = strcmp(r->records[i]->node, node) ? -1 : 0;
	if (says < 0)
		return -1;
	list = xneed(advice_new(r->records, r->record_count, true, r->limits));
	for (i = 0; i < list->count; i++)
		if (list->list[i].option == ADVICE_WITHOUT && !strcmp(list->list[i].node, node))
			says = 1;
	advice_free(list);
	return says;
}

/* One job may have met a neighbour. */
static void propose_without(struct search *s, struct next_step *step)
{
	size_t i, yes = 0, no = 0;
	char node[256];
	int says;

	snprintf(node, sizeof(node), "%s", step->advice.node);
	if (!is_word(node))
		return;
	for (i = 0; i < s->count; i++) {
		says = says_without(s->runs[i], node);
		yes += says > 0;
		no += says == 0;
	}
	snprintf(step->option, sizeof(step->option), "--exclude=%s", node);
	snprintf(step->note, sizeof(step->note), "it was slow in %zu of %zu other runs on it", yes,
		 yes + no);
	step->is_taken = yes > no;
}

static void propose(struct search *s, struct next_step *step)
{
	switch (step->advice.option) {
	case ADVICE_CORES:
		propose_cores(s, step, step->advice.cores);
		break;
	case ADVICE_CACHED:
		propose_profile(s, step, "readcache");
		break;
	case ADVICE_DIRECT:
		propose_profile(s, step, "forcedirect");
		break;
	case ADVICE_EXCLUSIVE:
		snprintf(step->option, sizeof(step->option), "--exclusive");
		step->is_taken = !s->is_exclusive;
		s->is_exclusive = true;
		break;
	case ADVICE_WITHOUT:
		propose_without(s, step);
		break;
	case ADVICE_NO_CORES:
	case ADVICE_NO_OPTION:
		break;
	}
}

/* ---- what the runs alone say --------------------------------------------------- */

/* The setup whose runs took least, and less than mine by more than chance. */
static bool find_best(const struct search *s, struct setup *best, struct next_step *step)
{
	struct samples mine = times_of_mine(s), other;
	double percent, most = 0;
	const char *first = "";
	size_t i;

	for (i = 0; i < s->count; i++) {
		struct setup one = setup_of(s->runs[i]);

		if (!is_like(s->job, s->runs[i]) || is_same(&one, &s->mine))
			continue;
		other = times_with(s, &one, &first);
		if (samples_differ(&mine, &other) != 1 ||
		    compare_times(&mine, &other, &percent) >= 0 || percent >= most)
			continue;
		most = percent;
		*best = one;
		snprintf(step->note, sizeof(step->note),
			 "run %s and %zu more took %.0f %% less time than %zu like this one", first,
			 other.count - 1, -percent, mine.count);
	}
	return most < 0;
}

static void add_best(struct search *s)
{
	struct next_step *step = &s->next->step[s->next->count];
	struct setup best = { .profile = "" };
	size_t used = 0;

	memset(step, 0, sizeof(*step));
	if (s->has_cores || s->has_profile || !find_best(s, &best, step) ||
	    (*best.profile && !is_word(best.profile)))
		return;
	if (best.cores && best.cores != s->mine.cores)
		used = (size_t)snprintf(step->option, sizeof(step->option), "--io-cores=%u",
					best.cores);
	if (*best.profile && strcmp(best.profile, s->mine.profile) != 0)
		snprintf(step->option + used, sizeof(step->option) - used, "%s--io-profile=%s",
			 used ? " " : "", best.profile);
	/* no option takes a profile or cores away */
	step->is_taken = *step->option && (*best.profile || !*s->mine.profile) &&
			 (best.cores || !s->mine.cores);
	s->next->count++;
}

/* -------------------------------------------------------------------------------- */

static void join(struct next_run *next)
{
	size_t i, used = 0;

	for (i = 0; i < next->count; i++)
		if (next->step[i].is_taken && used < NEXT_WORDS)
			used += (size_t)snprintf(next->options + used, NEXT_WORDS - used, "%s%s",
						 used ? " " : "", next->step[i].option);
	if (used >= NEXT_WORDS)
		*next->options = '\0'; /* half a word is none */
}

void next_run_find(struct next_run *next, const struct job_report *job,
		   struct job_report *const *runs, size_t count, const struct config *config)
{
	struct search s = { .next = next,
			    .job = job,
			    .runs = runs,
			    .count = count,
			    .config = config,
			    .mine = setup_of(job) };
	struct advice_list *list;
	size_t i;

	memset(next, 0, sizeof(*next));
	list = xneed(advice_new(job->records, job->record_count, job_is_whole(job), job->limits));
	next->is_judged = list->is_judged;
	for (i = 0; i < count; i++)
		next->like += is_like(job, runs[i]);
	for (i = 0; i < list->count && i < NEXT_STEPS - 1; i++) {
		struct next_step *step = &next->step[next->count++];

		step->has_advice = true;
		step->advice = list->list[i];
		propose(&s, step);
	}
	if (next->is_judged)
		add_best(&s);
	join(next);
	advice_free(list);
}
