/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "advice/advice.h"

#include <stdlib.h>
#include <string.h>

#include "advice/limits.h"
#include "advice/rules.h"
#include "advice/timed.h"
#include "advice/view.h"
#include "base/utf8.h"
#include "record/alloc.h"
#include "record/run.h"

/* ---- views ------------------------------------------------------------------- */

/* Set [v->type] and [v->client] to the client that mounts [v->fs]; "" if there is none. */
static void find_client(struct view *v)
{
	const struct run_mount *mount = v->run->mounts, *end = mount + v->run->mount_count;

	v->type = v->client = "";
	for (; mount < end && !*v->type; mount++) {
		if (strcmp(mount->mount, v->fs) != 0)
			continue;
		v->type = mount->type;
		v->client = mount->client;
	}
}

/* Return true if [v->fs] is the only filesystem of its client, on all nodes. */
static bool is_only_fs(const struct view *v)
{
	const struct run_mount *mount = v->run->mounts, *end = mount + v->run->mount_count;

	while (mount < end && (strcmp(mount->client, v->client) || !strcmp(mount->mount, v->fs)))
		mount++;
	return mount == end;
}

/* Return the client's counters; NULL: unknown, or the job shared one of its nodes. Those of a whole
 * client (WEKA) belong to a filesystem if the client has no other. */
static const struct io *find_client_io(const struct view *v)
{
	const struct run_series *one = v->run->series, *end = one + v->run->series_count;

	if (v->run->flags & RECORD_FLAG(SHARED_NODE) || v->run->is_client_io_shared)
		return NULL;
	for (; one < end; one++)
		if (one->kind == RUN_CLIENT_IO && one->nodes >= v->nodes &&
		    (one->io.fs ? !strcmp(one->io.fs, v->fs)
				: !strcmp(one->io.client, v->client) && is_only_fs(v)))
			return &one->io;
	return NULL;
}

/* Return true if there is enough to judge: LIMIT_WAITED_S of I/O time measured by the kernel, or
 * the configured minimum of seconds, MiB or calls. */
static bool is_enough(const struct view *v, const struct view_times *t)
{
	const struct config_advice *least = v->limits;

	return (t->by == VIEW_BY_KERNEL && t->total >= LIMIT_WAITED_S) ||
	       (view_calls(v) + view_metas(v) > 0 && v->run->seconds > 0 &&
		v->run->seconds >= least->min_seconds) ||
	       view_bytes(v) + view_mapped(v) >= least->min_mib * MIB ||
	       view_calls(v) + view_metas(v) >= least->min_calls;
}

/* ---- rules -------------------------------------------------------------------- */

static double cap_share(double share)
{
	return share > 1 ? 1 : share;
}

static struct advice *append(struct advice_list *list, const struct view *v, bool is_of_fs)
{
	struct advice *a = &list->list[list->count++];

	if (is_of_fs)
		utf8_clean(a->fs, sizeof(a->fs), v->fs, strlen(v->fs));
	return a;
}

/* Convert a->share from a part of its class to a part of the job. Return false if the class took
 * too little time. */
static bool is_significant(struct advice *a, const struct view_times *t)
{
	const struct {
		const char *class;
		double seconds;
	} classes[] = { { "read", t->read },
			{ "write", t->write + t->sync + t->close },
			{ "meta", t->meta + t->close } };
	size_t i;

	for (i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		if (strcmp(a->class, classes[i].class) != 0)
			continue;
		a->share = cap_share(a->share * classes[i].seconds * t->scale);
		return (t->by != VIEW_BY_KERNEL && *a->class != 'm') ||
		       classes[i].seconds * t->scale >= timed_threshold(t);
	}
	return true;
}

static void check_rules(struct advice_list *list, const struct view *v, const struct view_times *t,
			bool is_once, enum rule_when least)
{
	const struct rule *rule;
	struct advice *a;

	for (rule = rules; rule->code && list->count < ADVICE_MAX; rule++) {
		if (rule->is_once != is_once || rule->when < least)
			continue;
		a = &list->list[list->count];
		*a = (struct advice){
			.code = rule->code, .kind = "", .confidence = rule->confidence, .by = t->by
		};
		if (rule->check(v, a) && is_significant(a, t))
			append(list, v, !is_once);
	}
}

static void add_all(struct advice_list *list, const struct view *v, const struct advice *found,
		    size_t count)
{
	size_t i;

	for (i = 0; i < count && list->count < ADVICE_MAX; i++) {
		list->list[list->count] = found[i];
		append(list, v, true);
	}
}

/* Sort key: failed calls first, then share times confidence. For large calls (A32, A41) only the
 * time is known; advice with a cause precedes them. */
static double value_of(const struct advice *a)
{
	bool is_vague = !strcmp(a->code, "A32") || !strcmp(a->code, "A41");

	return a->share * (1 + (double)a->confidence) * (is_vague ? RANK_NO_CAUSE : 1) +
	       (a->error ? RANK_FAILED : 0);
}

static int compare(const void *one, const void *other)
{
	const struct advice *a = one, *b = other;
	double left = value_of(a), right = value_of(b);

	if (left < right || left > right)
		return left < right ? 1 : -1;
	return strcmp(a->code, b->code) ? strcmp(a->code, b->code) : strcmp(a->fs, b->fs);
}

/* Fill in the view of a series. Return true if it counts this job on a client's filesystem. */
static bool set_view(struct view *v, const struct run_series *series)
{
	if (series->kind != RUN_APP || series->io.scope != IO_SCOPE_JOB || !series->io.fs)
		return false;
	v->fs = series->io.fs;
	v->io = &series->io;
	v->nodes = series->nodes;
	find_client(v);
	v->client_io = find_client_io(v);
	return *v->type;
}

/* ---- shares ------------------------------------------------------------------ */

static void set_times(struct advice_usage *usage, const struct view *v, const struct view_times *t)
{
	const double seconds[ADVICE_CLASSES] = { t->read,  t->write,  t->meta, t->sync,
						 t->close, t->mapped, t->async };
	int i;

	usage->by = t->by;
	usage->share = t->lifetime > 0 ? cap_share(t->total / t->lifetime) : -1;
	usage->slowest = view_slowest(v);
	for (i = 0; i < ADVICE_CLASSES; i++)
		usage->classes[i] = t->lifetime > 0 ? cap_share(seconds[i] / t->lifetime) : 0;
}

/* Add the times of one filesystem to those of the job. Threads are counted on each filesystem
 * again, so the job's lifetime is the largest, not the sum. Without I/O time only the elapsed time
 * is known. */
static void add_usage(struct advice_list *list, const struct view *v, const struct view_times *t,
		      struct view_times *all)
{
	struct advice_usage *usage = &list->usages[list->usage_count];

	if (list->usage_count == ADVICE_USAGES)
		return;
	list->usage_count++;
	*usage = (struct advice_usage){ .share = -1, .slowest = -1 };
	utf8_clean(usage->fs, sizeof(usage->fs), v->fs, strlen(v->fs));
	utf8_clean(usage->type, sizeof(usage->type), v->type, strlen(v->type));
	set_times(usage, v, t);
	if (all->total <= 0) {
		*all = *t;
	} else if (t->total > 0) {
		all->total += t->total;
		all->lifetime = t->lifetime > all->lifetime ? t->lifetime : all->lifetime;
		all->scale = t->scale > all->scale ? t->scale : all->scale;
		all->by = t->by;
	}
	list->slowest = usage->slowest > list->slowest ? usage->slowest : list->slowest;
}

/* ---- all of it ----------------------------------------------------------------- */

static bool is_large(const struct view_times *t)
{
	return t->total * t->scale >= timed_threshold(t);
}

/* Judge one filesystem: first the causes of its I/O time, then the other rules. */
static void judge_one(struct advice_list *list, const struct view *v, const struct view_times *t,
		      double *cached)
{
	struct advice found[TIMED_MAX];

	if (!is_enough(v, t))
		return;
	list->is_judged = true;
	if (t->lifetime > 0)
		add_all(list, v, found, timed_judge(v, found, cached));
	check_rules(list, v, t, false,
		    is_large(t) || t->by != VIEW_BY_KERNEL ? RULE_LARGE : RULE_ALWAYS);
}

/* Return why there is no advice, or ADVICE_GIVEN. */
static enum advice_reason reason_of(const struct advice_list *list, const struct run *run,
				    const struct view_times *all, double cached)
{
	enum advice_reason why = ADVICE_NO_NUMBERS;
	const struct io *io;
	size_t i;

	if (list->count)
		return ADVICE_GIVEN;
	if (list->is_judged && cached > 0)
		return ADVICE_CACHED_IO;
	if (list->is_judged)
		return all->lifetime <= 0 || is_large(all) ? ADVICE_NOTHING : ADVICE_LITTLE;
	if (list->usage_count)
		return all->by == VIEW_BY_KERNEL && !is_large(all) ? ADVICE_LITTLE : ADVICE_SHORT;
	for (i = 0; i < run->series_count; i++) {
		io = &run->series[i].io;
		if (run->series[i].kind != RUN_APP || !io_is_counted(io))
			continue;
		if (io->scope == IO_SCOPE_JOB)
			return io->fs ? ADVICE_NO_NUMBERS : ADVICE_ALL_FILES;
		why = ADVICE_NODE_WIDE;
	}
	return why;
}

static void judge(struct advice_list *list, struct view *v)
{
	const struct run *run = v->run;
	struct view_times t, all = { 0 }, of_main = { 0 };
	struct advice found[TIMED_MAX];
	size_t i, main = run->series_count;
	double most = -1, cached = 0, one;

	for (i = 0; i < run->series_count; i++) {
		if (!set_view(v, &run->series[i]))
			continue;
		view_times(v, &t);
		add_usage(list, v, &t, &all);
		add_all(list, v, found, timed_errors(v, found));
		one = 0;
		judge_one(list, v, &t, &one);
		cached += one;
		if (is_enough(v, &t) && view_bytes(v) > most) {
			most = view_bytes(v);
			main = i;
			of_main = t;
		}
	}
	if (main < run->series_count && set_view(v, &run->series[main]))
		check_rules(list, v, &of_main, true,
			    is_large(&of_main) || of_main.by != VIEW_BY_KERNEL ? RULE_LARGE
									       : RULE_ALWAYS);
	list->is_judged |= list->count > 0;
	if (all.lifetime > 0)
		list->share = cap_share(all.total / all.lifetime);
	list->reason = reason_of(list, run, &all, cached);
	qsort(list->list, list->count, sizeof(list->list[0]), compare);
}

struct advice_list *advice_new(const struct run *run, const struct config_advice *limits)
{
	struct advice_list *list = xneed(malloc(sizeof(*list)));
	struct view v = { .run = run, .limits = limits };

	/* entries of list[] and usages[] are set when they are added */
	list->is_judged = false;
	list->count = list->usage_count = 0;
	list->share = list->slowest = -1;
	judge(list, &v);
	return list;
}
