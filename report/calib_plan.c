/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/alloc.h"
#include "lib/number.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define LARGE_KIB 1024U
#define SMALL_KIB 4U
#define HUGE_KIB 65536U
#define RUN_MORE_S 60U	  /* what a run may take longer than it should */
#define RUN_STARTS_S 1U	  /* what fio takes around it */
#define SLOWEST_MBS 20U	  /* files are made at this rate, or the job ends */
#define JOB_MORE_S 300U	  /* prolog and epilog, a client that restarts */
#define RUN_BYTES_MIN MIB /* of a process: less measures nothing */

/* ---- chance ------------------------------------------------------------------ */

/* xorshift64*: for an order, not for secrets */
static uint64_t next_random(struct calib_plan *plan)
{
	uint64_t x = plan->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	plan->random = x;
	return x * UINT64_C(2685821657736338717);
}

static void shuffle(struct calib_plan *plan, size_t *list, size_t count)
{
	size_t i, other, keep;

	for (i = count; i > 1; i--) {
		other = next_random(plan) % i;
		keep = list[i - 1];
		list[i - 1] = list[other];
		list[other] = keep;
	}
}

/* ---- shapes ------------------------------------------------------------------ */

static const char *size_name(unsigned int kib, char out[16])
{
	if (kib % 1024)
		snprintf(out, 16, "%uk", kib);
	else
		snprintf(out, 16, "%um", kib / 1024);
	return out;
}

static void add_shape(struct calib_plan *plan, const struct calib_shape *like)
{
	struct calib_shape *shape = &plan->shapes[plan->shape_count++];
	const char *way = like->is_write ? "write" : "read";
	char size[16];

	*shape = *like;
	size_name(like->block_kib, size);
	if (like->is_alone)
		snprintf(shape->name, sizeof(shape->name), "%s-%s-%s", size, way,
			 like->is_direct ? "direct" : "buffered");
	else
		snprintf(shape->name, sizeof(shape->name), "%s-%s-%s-%u", size, way,
			 like->is_async ? "async" : "sync", like->processes);
}

static void add_alone(struct calib_plan *plan)
{
	static const unsigned int sizes[] = { HUGE_KIB, SMALL_KIB };
	int i;

	for (i = 0; i < 8; i++)
		add_shape(plan, &(struct calib_shape){ .is_alone = true,
						       .block_kib = sizes[i / 4],
						       .is_write = i & 1,
						       .is_direct = i & 2,
						       .processes = 1,
						       .depth = 1 });
}

static void add_shapes(struct calib_plan *plan)
{
	static const unsigned int sizes[] = { LARGE_KIB, SMALL_KIB };
	size_t count = 8 * plan->processes_count + 8, p;
	struct calib_shape shape = { .is_direct = true };
	int i;

	plan->shapes = xcalloc(count, sizeof(*plan->shapes));
	for (i = 0; i < 8; i++)
		for (p = 0; p < plan->processes_count; p++) {
			shape.block_kib = sizes[i / 4];
			shape.is_write = i & 1;
			shape.is_async = i & 2;
			shape.processes = plan->processes[p];
			shape.depth = !shape.is_async ? 1 : i < 4 ? CALIB_DEPTH_LARGE : CALIB_DEPTH;
			add_shape(plan, &shape);
		}
	add_alone(plan);
}

int calib_plan_find(const struct calib_plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->shape_count; i++)
		if (!strcmp(plan->shapes[i].name, name))
			return (int)i;
	return -1;
}

/* ---- lists of the command line ------------------------------------------------- */

/* "0,1,4": ascending, each once. Returns how many. */
static int parse_numbers(const char *option, const char *text, unsigned long least,
			 unsigned long most, unsigned int *list, size_t room, struct err *err)
{
	char copy[256], *word, *rest = NULL;
	unsigned long number;
	size_t count = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		if (number_parse(word, least, most, &number, err) < 0)
			return err_prefix(err, "--%s", option);
		if ((count && number <= list[count - 1]) || count == room)
			return err_set(
				err,
				"--%s: '%s': expected at most %zu numbers, each larger than the one before",
				option, text, room);
		list[count++] = (unsigned int)number;
	}
	return count ? (int)count : err_set(err, "--%s: '%s': expected numbers", option, text);
}

static int take_processes(struct calib_plan *plan, const struct calib_wish *wish, struct err *err)
{
	int count = parse_numbers("processes", wish->processes ? wish->processes : "1,2,4,8,16,32",
				  1, 1024, plan->processes, CALIB_PROCESSES_MAX, err);

	if (count < 0)
		return -1;
	plan->processes_count = (size_t)count;
	return 0;
}

/* ---- settings ------------------------------------------------------------------ */

struct cores {
	unsigned int list[CALIB_CORES_MAX];
	size_t count;
};

static int take_cores(struct cores *cores, const struct calib_wish *wish,
		      const struct config *config, struct err *err)
{
	unsigned int core;
	size_t i;
	int count;

	if (!wish->cores) {
		cores->list[cores->count++] = 0;
		for (core = config->io_cores_min; core <= config->io_cores_max; core++)
			cores->list[cores->count++] = core;
		return 0;
	}
	count = parse_numbers("io-cores", wish->cores, 0, config->io_cores_max, cores->list,
			      CALIB_CORES_MAX, err);
	if (count < 0)
		return -1;
	cores->count = (size_t)count;
	for (i = 0; i < cores->count; i++)
		if (cores->list[i] && cores->list[i] < config->io_cores_min)
			return err_set(err, "--io-cores: '%u': this site allows 0, and %u to %u",
				       cores->list[i], config->io_cores_min, config->io_cores_max);
	return 0;
}

/* A job without io-cores gets those of its profile, or of the site. */
static bool is_possible(const struct config *config, unsigned int cores,
			const struct config_profile *profile)
{
	return cores || (!config->io_cores_default && (!profile || !profile->io_cores));
}

static void add_settings(struct calib_plan *plan, const struct cores *cores,
			 const struct config *config, const struct config_profile *profile)
{
	size_t i, room = plan->setting_count + cores->count;

	plan->settings = xrealloc(plan->settings, room + 1, sizeof(*plan->settings));
	for (i = 0; i < cores->count; i++)
		if (is_possible(config, cores->list[i], profile))
			plan->settings[plan->setting_count++] =
				(struct calib_setting){ cores->list[i], profile };
}

/* "none" where the site gives no profile to a job that names none. */
static int add_profile(struct calib_plan *plan, const struct cores *cores,
		       const struct config *config, const char *name, struct err *err)
{
	const struct config_profile *profile = NULL;
	const char *nearest;

	if (strcmp(name, "none") != 0) {
		profile = config_profile_find(config, name);
		nearest = config_profile_nearest(config, name);
		if (!profile)
			return err_set(err, "--profiles: '%s': no such [profile]%s%s%s", name,
				       nearest ? "; is it '" : "", nearest ? nearest : "",
				       nearest ? "'?" : "");
	} else if (*config->profile_default) {
		return err_set(
			err,
			"--profiles: 'none': a job that names none gets %s here (profile_default)",
			config->profile_default);
	}
	add_settings(plan, cores, config, profile);
	return 0;
}

static int take_profiles(struct calib_plan *plan, const struct cores *cores,
			 const struct calib_wish *wish, const struct config *config,
			 struct err *err)
{
	char copy[1024], *word, *rest = NULL;
	size_t i;

	if (wish->profiles) {
		snprintf(copy, sizeof(copy), "%s", wish->profiles);
		for (word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
			if (add_profile(plan, cores, config, word, err) < 0)
				return -1;
	} else {
		if (!*config->profile_default)
			add_settings(plan, cores, config, NULL);
		for (i = 0; i < config->profile_count; i++)
			add_settings(plan, cores, config, &config->profiles[i]);
	}
	return plan->setting_count
		       ? 0
		       : err_set(err, "--io-cores: no such number with any of these profiles");
}

/* ---- bounds -------------------------------------------------------------------- */

static unsigned int most_processes(const struct calib_plan *plan)
{
	return plan->processes[plan->processes_count - 1];
}

/* Whole MiB for each process that may run at a time. */
static int take_sizes(struct calib_plan *plan, struct err *err)
{
	uint64_t runs = plan->turn_count * plan->shape_count;
	uint64_t most = most_processes(plan), least = HUGE_KIB / 1024 * MIB;

	plan->file_bytes = plan->space_bytes / most / MIB * MIB;
	if (plan->file_bytes < least)
		return err_set(err, "--space: %llu files of at least 64 MiB need %llu MiB",
			       (unsigned long long)most, (unsigned long long)(most * least / MIB));
	plan->run_bytes = plan->max_bytes / (runs + 1);
	least = most * RUN_BYTES_MIN > least ? most * RUN_BYTES_MIN : least;
	if (plan->run_bytes < least)
		return err_set(
			err,
			"--max-bytes: %llu runs of at least %llu MiB need %llu MiB; fewer --io-cores, --profiles, --processes or --repeats need less",
			(unsigned long long)runs, (unsigned long long)(least / MIB),
			(unsigned long long)((runs + 1) * least / MIB));
	return 0;
}

static int check_time(const struct calib_plan *plan, struct err *err)
{
	unsigned long long minutes = plan->turn_count * (calib_plan_job_s(plan) + 10ULL) / 60;

	if (minutes > plan->max_s / 60)
		return err_set(
			err,
			"--max-time: %zu jobs of %zu runs take about %llu minutes; more time, or fewer --io-cores, --profiles, --processes, --repeats or --seconds",
			plan->turn_count, plan->shape_count, minutes);
	return 0;
}

static void make_turns(struct calib_plan *plan)
{
	size_t *order = xcalloc(plan->setting_count, sizeof(*order)), i;
	unsigned int round;

	plan->turns = xcalloc(plan->setting_count * plan->repeats, sizeof(*plan->turns));
	for (i = 0; i < plan->setting_count; i++)
		order[i] = i;
	for (round = 0; round < plan->repeats; round++) {
		shuffle(plan, order, plan->setting_count);
		for (i = 0; i < plan->setting_count; i++)
			plan->turns[plan->turn_count++] = (struct calib_turn){ order[i], round };
	}
	free(order);
}

int calib_plan_make(struct calib_plan *plan, const struct calib_wish *wish,
		    const struct config *config, struct err *err)
{
	struct cores cores = { .count = 0 };

	memset(plan, 0, sizeof(*plan));
	plan->repeats = wish->repeats ? (unsigned int)wish->repeats : 3;
	plan->seconds = wish->seconds ? (unsigned int)wish->seconds : 3;
	plan->max_s = wish->max_s ? wish->max_s : 8 * 3600;
	plan->space_bytes = wish->space_bytes ? wish->space_bytes : 8 * GIB;
	plan->max_bytes = wish->max_bytes ? wish->max_bytes : 16 * 1024 * GIB;
	if (getrandom(&plan->random, sizeof(plan->random), 0) != (ssize_t)sizeof(plan->random))
		return err_set(err, "no random number");
	plan->random |= 1;
	if (take_processes(plan, wish, err) < 0 || take_cores(&cores, wish, config, err) < 0 ||
	    take_profiles(plan, &cores, wish, config, err) < 0) {
		calib_plan_free(plan);
		return -1;
	}
	add_shapes(plan);
	make_turns(plan);
	if (take_sizes(plan, err) < 0 || check_time(plan, err) < 0) {
		calib_plan_free(plan);
		return -1;
	}
	return 0;
}

void calib_plan_free(struct calib_plan *plan)
{
	free(plan->shapes);
	free(plan->settings);
	free(plan->turns);
	memset(plan, 0, sizeof(*plan));
}

/* ---- the lines of a job ---------------------------------------------------------- */

unsigned int calib_plan_job_s(const struct calib_plan *plan)
{
	return (unsigned int)plan->shape_count * (plan->seconds + RUN_STARTS_S);
}

static unsigned int layout_limit_s(const struct calib_plan *plan)
{
	return RUN_MORE_S +
	       (unsigned int)(plan->file_bytes * most_processes(plan) / MIB / SLOWEST_MBS);
}

unsigned int calib_plan_job_limit_s(const struct calib_plan *plan)
{
	return 2 * calib_plan_job_s(plan) + layout_limit_s(plan) + JOB_MORE_S;
}

/* Each process has a file of its own, of the same name in all runs. */
#define ALWAYS                                                                                     \
	"--filename_format=data.$jobnum --group_reporting --randrepeat=0 "                         \
	"--norandommap --fallocate=none"

static void put_layout(const struct calib_plan *plan, FILE *out)
{
	fprintf(out,
		CALIB_LAYOUT
		" %u --rw=write --bs=1m --numjobs=%u --size=%llu --ioengine=psync --end_fsync=1 " ALWAYS
		"\n",
		layout_limit_s(plan), most_processes(plan), (unsigned long long)plan->file_bytes);
}

static void put_shape(const struct calib_plan *plan, const struct calib_shape *s, FILE *out)
{
	bool is_random = s->block_kib == SMALL_KIB && !s->is_alone;

	fprintf(out,
		"%s %u --rw=%s%s --bs=%uk --numjobs=%u --size=%llu --io_size=%llu --runtime=%u --ioengine=%s --iodepth=%u --direct=%d%s " ALWAYS
		"\n",
		s->name, plan->seconds + RUN_MORE_S, is_random ? "rand" : "",
		s->is_write ? "write" : "read", s->block_kib, s->processes,
		(unsigned long long)plan->file_bytes,
		(unsigned long long)(plan->run_bytes / s->processes), plan->seconds,
		s->is_async ? "libaio" : "psync", s->depth, s->is_direct,
		s->is_write && !s->is_direct ? " --end_fsync=1" : "");
}

char *calib_plan_text(struct calib_plan *plan)
{
	size_t *order = xcalloc(plan->shape_count, sizeof(*order));
	size_t i, size = 0;
	char *text = NULL;
	FILE *out = xneed(open_memstream(&text, &size));

	for (i = 0; i < plan->shape_count; i++)
		order[i] = i;
	shuffle(plan, order, plan->shape_count);
	put_layout(plan, out);
	for (i = 0; i < plan->shape_count; i++)
		put_shape(plan, &plan->shapes[order[i]], out);
	fclose(out);
	free(order);
	return text;
}

const char *calib_setting_text(const struct calib_setting *setting, char *out, size_t room)
{
	if (setting->io_cores)
		snprintf(out, room, "%u io-core%s, %s%s", setting->io_cores,
			 setting->io_cores > 1 ? "s" : "",
			 setting->profile ? "profile " : "no profile",
			 setting->profile ? setting->profile->name : "");
	else
		snprintf(out, room, "no io-cores, %s%s",
			 setting->profile ? "profile " : "no profile",
			 setting->profile ? setting->profile->name : "");
	return out;
}
