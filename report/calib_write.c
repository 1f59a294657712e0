/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/fileio.h"
#include "lib/json.h"
#include "report/calib_plot.h"

#define CALIBRATION_VERSION 1

static const char *first_of(const struct calib_data *data, bool is_type)
{
	const char *text;
	size_t i;

	for (i = 0; i < data->plan->turn_count; i++) {
		text = is_type ? data->jobs[i].fstype : data->jobs[i].mount;
		if (*text)
			return text;
	}
	return "";
}

const char *calib_fstype(const struct calib_data *data)
{
	return first_of(data, true);
}

static const char *profile_of(const struct calib_setting *setting)
{
	return setting->profile ? setting->profile->name : NULL;
}

static void stamp(time_t when, char *out, size_t room)
{
	struct tm tm;

	if (!gmtime_r(&when, &tm) || !strftime(out, room, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(out, room, "?");
}

/* ---- calibration.json ---------------------------------------------------------------- */

/* A negative one is unknown. */
static void add_double(struct json *o, const char *key, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", value);
	json_add_real(o, key, value < 0 ? NULL : text);
}

static void add_samples(struct json *o, const char *key, const struct samples *s)
{
	struct json *one;

	if (!s->count) {
		json_add_null(o, key);
		return;
	}
	one = json_add_object(o, key);
	add_double(one, "mean", s->mean);
	add_double(one, "spread", samples_spread(s));
	json_add_number(one, "samples", (int64_t)s->count);
}

static void add_about(struct json *top, const struct calib_data *data,
		      const struct calib_about *about)
{
	const struct calib_plan *plan = data->plan;
	char text[32];

	json_add_number(top, "jobio_calibration", CALIBRATION_VERSION);
	json_add_text(top, "jobio", JOBIO_PACKAGE_VERSION);
	stamp(about->start, text, sizeof(text));
	json_add_text(top, "start", text);
	stamp(about->end, text, sizeof(text));
	json_add_text(top, "end", text);
	json_add_text(top, "cluster", *about->cluster ? about->cluster : NULL);
	json_add_text(top, "directory", about->dir);
	json_add_text(top, "mount", first_of(data, false));
	json_add_text(top, "fstype", calib_fstype(data));
	json_add_number(top, "repeats", plan->repeats);
	json_add_number(top, "seconds", plan->seconds);
	json_add_number(top, "file_bytes", (int64_t)plan->file_bytes);
	json_add_number(top, "run_bytes", (int64_t)plan->run_bytes);
}

static void shape_json(struct json *o, const struct calib_shape *s, const struct calib_cell *cell)
{
	json_add_text(o, "shape", s->name);
	json_add_number(o, "block_bytes", (int64_t)s->block_kib * 1024);
	json_add_bool(o, "write", s->is_write);
	json_add_bool(o, "direct", s->is_direct);
	json_add_text(o, "engine", s->is_async ? "libaio" : "psync");
	json_add_number(o, "processes", s->processes);
	json_add_number(o, "depth", s->depth);
	add_samples(o, "Bps", &cell->Bps);
	add_samples(o, "iops", &cell->iops);
	add_samples(o, "latency_us", &cell->latency_us);
	json_add_number(o, "short_runs", (int64_t)cell->short_runs);
}

static void settings_json(struct json *list, const struct calib_data *data)
{
	const struct calib_plan *plan = data->plan;
	struct json *o, *shapes;
	size_t i, k;

	for (i = 0; i < plan->setting_count; i++) {
		o = json_append_object(list);
		json_add_number(o, "io_cores", plan->settings[i].io_cores);
		json_add_text(o, "profile", profile_of(&plan->settings[i]));
		shapes = json_add_list(o, "shapes");
		for (k = 0; k < plan->shape_count; k++)
			shape_json(json_append_object(shapes), &plan->shapes[k],
				   calib_data_cell(data, i, k));
	}
}

/* Is it the first setting of its profile? */
static bool is_first(const struct calib_plan *plan, size_t setting)
{
	size_t i;

	for (i = 0; i < setting; i++)
		if (plan->settings[i].profile == plan->settings[setting].profile)
			return false;
	return true;
}

static void lines_json(struct json *list, const struct calib_data *data)
{
	struct json *o;
	const struct calib_plan *plan = data->plan;
	struct calib_line line;
	size_t i;
	int m;

	for (i = 0; i < plan->setting_count; i++) {
		if (!is_first(plan, i))
			continue;
		for (m = 0; m < CALIB_METRICS; m++) {
			line = calib_metric_fit(data, plan->settings[i].profile,
						(enum calib_metric)m);
			if (!line.count)
				continue;
			o = json_append_object(list);
			json_add_text(o, "profile", profile_of(&plan->settings[i]));
			json_add_text(o, "metric", calib_metric_name((enum calib_metric)m));
			add_double(o, "per_core", line.per_core);
			add_double(o, "spread", line.spread);
			json_add_number(o, "grows_to", line.grows_to);
			json_add_number(o, "samples", (int64_t)line.count);
		}
	}
}

static void moved_json(struct json *o, const struct calib_moved *moved)
{
	json_add_known(o, "read_bytes", moved->read_bytes);
	json_add_known(o, "read_calls", moved->read_calls);
	json_add_known(o, "write_bytes", moved->write_bytes);
	json_add_known(o, "write_calls", moved->write_calls);
}

static void runs_json(struct json *list, const struct calib_plan *plan, const struct calib_job *job)
{
	struct json *o;
	size_t i;

	for (i = 0; i < plan->shape_count; i++) {
		if (!job->has_run[i])
			continue;
		o = json_append_object(list);
		json_add_text(o, "shape", plan->shapes[i].name);
		json_add_number(o, "bytes", job->runs[i].bytes);
		json_add_number(o, "calls", job->runs[i].calls);
		json_add_number(o, "ms", job->runs[i].ms);
		add_double(o, "latency_us", job->runs[i].latency_us);
	}
}

static void record_json(struct json *o, const struct calib_job *job)
{
	struct json *flags;
	unsigned int bit;

	moved_json(o, &job->told);
	json_add_text(o, "source", job->source);
	flags = json_add_list(o, "quality");
	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (job->flags & (UINT32_C(1) << bit))
			json_append_text(flags, record_flag_name(bit));
}

static void jobs_json(struct json *list, const struct calib_data *data)
{
	struct json *o;
	const struct calib_plan *plan = data->plan;
	size_t i;

	for (i = 0; i < plan->turn_count; i++) {
		const struct calib_job *job = &data->jobs[i];
		const struct calib_setting *setting = &plan->settings[plan->turns[i].setting];

		o = json_append_object(list);
		json_add_text(o, "job", *job->id ? job->id : NULL);
		json_add_text(o, "node", *job->node ? job->node : NULL);
		json_add_number(o, "io_cores", setting->io_cores);
		json_add_text(o, "profile", profile_of(setting));
		json_add_number(o, "repeat", plan->turns[i].repeat);
		json_add_bool(o, "counts", calib_data_is_whole(data, i));
		moved_json(json_add_object(o, "fio"), &job->moved);
		if (*job->source)
			record_json(json_add_object(o, "record"), job);
		else
			json_add_text(o, "record", NULL);
		json_add_bool(o, "agrees", job->is_judged && !job->disagrees);
		json_add_text(o, "why", *job->why ? job->why : NULL);
		runs_json(json_add_list(o, "runs"), plan, job);
	}
}

static char *json_of(const struct calib_data *data, const struct calib_about *about,
		     const struct calib_constant *constants, size_t count)
{
	struct json *top = json_new_object();
	struct json *advice;
	char *text;
	size_t i;

	add_about(top, data, about);
	settings_json(json_add_list(top, "settings"), data);
	lines_json(json_add_list(top, "per_core"), data);
	advice = json_add_object(top, "advice");
	for (i = 0; i < count; i++)
		json_add_number(advice, constants[i].key, constants[i].value);
	jobs_json(json_add_list(top, "jobs"), data);
	text = xasprintf("%s\n", json_line(top));
	json_free(top);
	return text;
}

/* ---- advice.conf ----------------------------------------------------------------------- */

static char *conf_of(const struct calib_data *data, const struct calib_about *about,
		     const struct calib_constant *constants, size_t count)
{
	char *text = NULL, when[32];
	size_t size = 0, i;
	FILE *out = xneed(open_memstream(&text, &size));

	stamp(about->end, when, sizeof(when));
	fprintf(out,
		"# jobio calibrate, %s%s%s: %s%s%s\n"
		"# in jobio.conf: [advice] calibration = /path/of/this/file\n"
		"[advice]\n",
		when, *about->cluster ? ", cluster " : "", about->cluster, about->dir,
		*calib_fstype(data) ? ", " : "", calib_fstype(data));
	for (i = 0; i < count; i++)
		fprintf(out, "# %s\n%s = %u\n", constants[i].from, constants[i].key,
			constants[i].value);
	fclose(out);
	return text;
}

/* ---- files -------------------------------------------------------------------------------- */

/* Takes the text. */
static int put(const char *folder, const char *name, char *text, struct err *err)
{
	char *path = xasprintf("%s/%s", folder, name);
	int rc = fileio_write(path, text, strlen(text), 0644, err);

	free(path);
	free(text);
	return rc;
}

int calib_write(const char *folder, const struct calib_data *data, const struct calib_about *about,
		struct err *err)
{
	struct calib_constant constants[CALIB_CONSTANTS];
	size_t count = calib_constants(data, calib_fstype(data), constants);

	if (put(folder, "calibration.json", json_of(data, about, constants, count), err) < 0 ||
	    put(folder, "advice.conf", conf_of(data, about, constants, count), err) < 0 ||
	    put(folder, "scaling.svg", calib_plot_scaling(data), err) < 0 ||
	    put(folder, "engines.svg", calib_plot_engines(data), err) < 0 ||
	    put(folder, "direct.svg", calib_plot_direct(data), err) < 0)
		return -1;
	return 0;
}
