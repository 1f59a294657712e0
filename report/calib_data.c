/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"
#include "lib/run.h"
#include "lib/summary.h"

#define MIB (INT64_C(1) << 20)
#define SHORT_MS 1000
#define RUN_MAX (INT64_C(1) << 50) /* sums of many fit into 63 bits */
/* What a record may differ by: fio's own output, and a rounded summary. */
#define AGREE_PERCENT 1
#define AGREE_BYTES (1 * MIB)
/* With all_files: what fio reads of libraries, /proc and /sys, and what its
 * processes tell each other, for each run. */
#define AGREE_FILES_BYTES (4 * MIB)

/* ---- fio --------------------------------------------------------------------- */

static int64_t whole(struct json *top, const char *key)
{
	struct json *value = json_member(top, key);

	return json_is(value, JSON_REAL) ? (int64_t)value->real : json_number(top, key);
}

static double mean_us(struct json *way)
{
	const struct json *mean = json_member(json_map(way, "lat_ns"), "mean");

	return json_is(mean, JSON_REAL)	   ? mean->real / 1000
	       : json_is(mean, JSON_WHOLE) ? (double)mean->whole / 1000
					   : 0;
}

/* fio 3.0 and later */
static int take_way(struct json *job, bool is_write, struct calib_run *run, struct err *err)
{
	struct json *way = json_map(job, is_write ? "write" : "read");
	int64_t error = whole(job, "error");

	if (error)
		return err_set(err, "fio: error %lld", (long long)error);
	run->bytes = whole(way, "io_bytes");
	run->calls = whole(way, "total_ios");
	run->ms = whole(way, "runtime");
	run->latency_us = mean_us(way);
	if (run->bytes <= 0 || run->calls <= 0 || run->ms < 0)
		return err_set(err, "fio: it moved nothing");
	if (run->bytes > RUN_MAX || run->calls > RUN_MAX || run->ms > RUN_MAX)
		return err_set(err, "fio: its answer has no meaning");
	run->ms = run->ms ? run->ms : 1;
	return 0;
}

int calib_run_parse(const char *text, bool is_write, struct calib_run *run, struct err *err)
{
	const char *from = strchr(text, '{');
	struct json *top = from ? json_parse(from) : NULL, *list;
	struct calib_run found = { 0 };
	int rc;

	list = json_list(top, "jobs");
	if (!list || list->list.count != 1)
		rc = err_set(err, "fio: its answer has no meaning");
	else
		rc = take_way(json_first(list), is_write, &found, err);
	if (rc == 0)
		*run = found;
	json_free(top);
	return rc;
}

/* ---- jobs ---------------------------------------------------------------------- */

void calib_data_init(struct calib_data *data, const struct calib_plan *plan)
{
	size_t i;

	memset(data, 0, sizeof(*data));
	data->plan = plan;
	data->jobs = xcalloc(plan->turn_count, sizeof(*data->jobs));
	data->cells = xcalloc(plan->setting_count * plan->shape_count, sizeof(*data->cells));
	for (i = 0; i < plan->turn_count; i++) {
		data->jobs[i].runs = xcalloc(plan->shape_count, sizeof(struct calib_run));
		data->jobs[i].has_run = xcalloc(plan->shape_count, sizeof(bool));
	}
}

void calib_data_free(struct calib_data *data)
{
	size_t i;

	for (i = 0; data->jobs && i < data->plan->turn_count; i++) {
		free(data->jobs[i].runs);
		free(data->jobs[i].has_run);
	}
	free(data->jobs);
	free(data->cells);
	memset(data, 0, sizeof(*data));
}

static void add_moved(struct calib_moved *moved, bool is_write, const struct calib_run *run)
{
	if (is_write) {
		moved->write_bytes += run->bytes;
		moved->write_calls += run->calls;
	} else {
		moved->read_bytes += run->bytes;
		moved->read_calls += run->calls;
	}
}

int calib_data_take(struct calib_data *data, size_t number, const char *name, const char *text,
		    struct err *err)
{
	struct calib_job *job = &data->jobs[number];
	int shape = calib_plan_find(data->plan, name);
	bool is_layout = !strcmp(name, CALIB_LAYOUT);
	const struct calib_shape *s = shape < 0 ? NULL : &data->plan->shapes[shape];
	struct calib_run run;

	if (!s && !is_layout)
		return err_set(err, "'%s': no such run", name);
	if (calib_run_parse(text, is_layout || s->is_write, &run, err) < 0)
		return err_prefix(err, "%s", name);
	add_moved(&job->moved, is_layout || s->is_write, &run);
	if (s && s->is_async)
		add_moved(&job->aio, s->is_write, &run);
	if (!s)
		return 0;
	job->run_count += !job->has_run[shape];
	job->has_run[shape] = true;
	job->runs[shape] = run;
	return 0;
}

static void add_run(struct calib_cell *cell, const struct calib_run *run)
{
	double seconds = (double)run->ms / 1000;

	samples_add(&cell->Bps, (double)run->bytes / seconds);
	samples_add(&cell->iops, (double)run->calls / seconds);
	if (run->latency_us > 0)
		samples_add(&cell->latency_us, run->latency_us);
	cell->short_runs += run->ms < SHORT_MS;
}

struct calib_cell *calib_data_cell(const struct calib_data *data, size_t setting, size_t shape)
{
	return &data->cells[setting * data->plan->shape_count + shape];
}

bool calib_data_is_whole(const struct calib_data *data, size_t job)
{
	return !data->jobs[job].is_lacking && data->jobs[job].run_count == data->plan->shape_count;
}

size_t calib_data_count(struct calib_data *data)
{
	const struct calib_plan *plan = data->plan;
	size_t i, shape, count = 0;

	for (i = 0; i < plan->turn_count; i++) {
		const struct calib_job *job = &data->jobs[i];

		if (!calib_data_is_whole(data, i))
			continue;
		count++;
		for (shape = 0; shape < plan->shape_count; shape++)
			add_run(calib_data_cell(data, plan->turns[i].setting, shape),
				&job->runs[shape]);
	}
	return count;
}

/* ---- fio and jobio ---------------------------------------------------------------- */

/* With these a record may say less than was moved. */
static const uint32_t less_flags =
	RECORD_FLAG(BASELINE_MISSING) | RECORD_FLAG(NODE_REBOOTED) | RECORD_FLAG(NO_STEP) |
	RECORD_FLAG(STEP_MISSING) | RECORD_FLAG(COUNTER_RESET) | RECORD_FLAG(REMOUNTED) |
	RECORD_FLAG(UNMOUNTED) | RECORD_FLAG(MOUNT_BELOW) | RECORD_FLAG(MOUNTED_LATE) |
	RECORD_FLAG(PRIVATE_MOUNT) | RECORD_FLAG(PLUGIN_AWAY) | RECORD_FLAG(TRUNCATED) |
	RECORD_FLAG(OTHER);

struct direction {
	const char *name;
	int64_t moved, aio, told;
	uint32_t less_flag;
};

/* Bytes of one direction: -1 and the sentence when no flag explains it. */
static int compare(const struct direction *d, const struct calib_job *job, int64_t files,
		   struct err *err)
{
	int64_t slack = d->moved / 100 * AGREE_PERCENT + AGREE_BYTES;
	int64_t least = d->moved - slack, most = d->moved + slack;
	bool may_be_less = job->flags & (less_flags | d->less_flag);

	if (job->flags & RECORD_FLAG(AIO_MISSING))
		least -= d->aio;
	if (job->flags & (RECORD_FLAG(ALL_FILES) | RECORD_FLAG(INCLUDES_STEPD)))
		most += files;
	if (d->told < 0 && !may_be_less)
		return err_set(err, "its record does not say what it %s", d->name);
	if (d->told >= 0 && (d->told > most || (d->told < least && !may_be_less)))
		return err_set(
			err,
			"fio %s %lld bytes, jobio's record has %lld (%s), and no flag of it says why",
			d->name, (long long)d->moved, (long long)d->told, job->source);
	return 0;
}

static int compare_job(const struct calib_job *job, const struct calib_plan *plan, struct err *err)
{
	int64_t files = AGREE_FILES_BYTES * (int64_t)(plan->shape_count + 1);
	struct direction read = { "read", job->moved.read_bytes, job->aio.read_bytes,
				  job->told.read_bytes, RECORD_FLAG(LOWER_BOUND_READ) };
	struct direction written = { "wrote", job->moved.write_bytes, job->aio.write_bytes,
				     job->told.write_bytes, RECORD_FLAG(LOWER_BOUND_WRITE) };

	return compare(&read, job, files, err) < 0 || compare(&written, job, files, err) < 0 ? -1
											     : 0;
}

/* Is the folder below this mount point? */
static bool is_below(const char *folder, const char *mount)
{
	size_t length = strlen(mount);

	if (!strcmp(mount, "/"))
		return true;
	return !strncmp(folder, mount, length) && (folder[length] == '/' || !folder[length]);
}

/* The line of the best source that is about these files, or about all. */
static const struct io *line_for(const struct record *record, const char *folder)
{
	uint64_t best = record_best_app(record, IO_SCOPE_JOB);
	const struct io *io, *found = NULL;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		if (!(best >> i & 1) || (io->fs && !is_below(folder, io->fs)))
			continue;
		if (!found || (io->fs && (!found->fs || strlen(io->fs) > strlen(found->fs))))
			found = io;
	}
	return found;
}

static void take_mount(struct calib_job *job, const struct record *record, const char *folder)
{
	size_t i;

	for (i = 0; i < record->mount_count; i++) {
		const struct record_mount *m = &record->mounts[i];

		if (!is_below(folder, m->mount) || strlen(m->mount) < strlen(job->mount))
			continue;
		snprintf(job->mount, sizeof(job->mount), "%s", m->mount);
		snprintf(job->fstype, sizeof(job->fstype), "%s", m->fstype ? m->fstype : "");
	}
}

static void tell(struct calib_job *job, const struct io *io)
{
	const int64_t *n = io->numbers;

	job->told = (struct calib_moved){ n[IO_READ_BYTES], n[IO_READ_CALLS], n[IO_WRITE_BYTES],
					  n[IO_WRITE_CALLS] };
	snprintf(job->source, sizeof(job->source), "%s", io->source);
}

/* From the record of its node or, where the ledger shows none, from the
 * summary. */
static int take_told(struct calib_job *job, const struct job_report *r, const char *folder,
		     struct err *err)
{
	const struct summary *s = &r->summary;
	const struct io *io;

	job->flags = s->flags;
	if (r->record_count) {
		job->flags = r->records[0]->flags;
		snprintf(job->node, sizeof(job->node), "%s", r->records[0]->node);
		take_mount(job, r->records[0], folder);
		io = line_for(r->records[0], folder);
		if (!io)
			return err_set(err,
				       "its record has nothing of the job alone about these files");
		tell(job, io);
		return 0;
	}
	if (s->scope != SUMMARY_SCOPE_JOB)
		return err_set(err, "its summary is not of the job alone");
	job->told = (struct calib_moved){ s->rd_bytes, s->rd_calls, s->wr_bytes, s->wr_calls };
	snprintf(job->source, sizeof(job->source), "%s", *s->src ? s->src : "summary");
	return 0;
}

static const char *lack_of(const struct calib_setting *setting, const struct summary *s)
{
	if (s->lacks & SUMMARY_LACK(STARTED))
		return "a node refused it";
	if (setting->profile && (s->lacks & SUMMARY_LACK(PROFILE)))
		return "its profile was not applied";
	if (setting->io_cores && (s->lacks & SUMMARY_LACK(CORES)))
		return "the client did not work on its io-cores";
	return NULL;
}

void calib_job_judge(struct calib_job *job, const struct calib_plan *plan,
		     const struct calib_setting *setting, const struct job_report *report,
		     const char *folder)
{
	const char *lack = lack_of(setting, &report->summary);
	struct err err = { "" };

	job->is_judged = true;
	job->told = (struct calib_moved){ -1, -1, -1, -1 };
	if (take_told(job, report, folder, &err) < 0 || compare_job(job, plan, &err) < 0)
		job->disagrees = true;
	if (lack) {
		job->is_lacking = true;
		err_set(&err, "%s; jobio report -v %s shows why", lack, job->id);
	}
	if (!*job->why)
		snprintf(job->why, sizeof(job->why), "%s", err.text);
}
