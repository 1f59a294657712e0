/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "report/plot.h"

/* What hangs on a picture while it is drawn. */
struct sheet {
	const struct calib_data *data;
	struct plot plot;
	struct plot_series *series;
	size_t series_count;
	char place[PLOT_PLACES_MAX][PROFILE_NAME_MAX + 1];
	char *text;
	size_t size;
	FILE *out;
};

static void sheet_open(struct sheet *sheet, const struct calib_data *data)
{
	memset(sheet, 0, sizeof(*sheet));
	sheet->data = data;
	sheet->series = xcalloc(PLOT_SERIES_MAX, sizeof(*sheet->series));
	sheet->out = xneed(open_memstream(&sheet->text, &sheet->size));
}

static char *sheet_close(struct sheet *sheet)
{
	plot_end(&sheet->plot);
	free(sheet->series);
	fclose(sheet->out);
	return sheet->text;
}

static void series_clear(struct plot_series *s, const char *name)
{
	size_t i;

	s->name = name;
	for (i = 0; i < PLOT_PLACES_MAX; i++) {
		s->value[i] = -1;
		s->spread[i] = 0;
	}
}

static void series_put(struct plot_series *s, size_t place, const struct samples *samples)
{
	double spread = samples_spread(samples);

	if (!samples->count || place >= PLOT_PLACES_MAX)
		return;
	s->value[place] = samples->mean;
	s->spread[place] = spread > 0 ? spread : 0;
}

static const char *profile_name(const struct config_profile *profile)
{
	return profile ? profile->name : "no profile";
}

/* The profiles of a plan, each once. */
static size_t profiles_of(const struct calib_plan *plan, const struct config_profile **list,
			  size_t room)
{
	size_t i, k, count = 0;

	for (i = 0; i < plan->setting_count; i++) {
		for (k = 0; k < count; k++)
			if (list[k] == plan->settings[i].profile)
				break;
		if (k == count && count < room)
			list[count++] = plan->settings[i].profile;
	}
	return count;
}

static const char *unit_of(enum calib_metric metric)
{
	return metric == CALIB_READ_BPS || metric == CALIB_WRITE_BPS ? "bytes/s" : "calls/s";
}

/* ---- scaling ---------------------------------------------------------------------- */

/* The numbers of io-cores, ascending. */
static size_t cores_of(const struct calib_plan *plan, unsigned int *list)
{
	unsigned int core;
	size_t i, count = 0;

	for (core = 0; core <= IO_CORES_LIMIT; core++)
		for (i = 0; i < plan->setting_count; i++)
			if (plan->settings[i].io_cores == core) {
				list[count++] = core;
				break;
			}
	return count;
}

static size_t place_of(const unsigned int *cores, size_t count, unsigned int core)
{
	size_t i;

	for (i = 0; i < count && cores[i] != core; i++)
		;
	return i;
}

static void put_metric(struct sheet *sheet, const unsigned int *cores, size_t count,
		       const struct config_profile **profiles, enum calib_metric metric)
{
	const struct calib_plan *plan = sheet->data->plan;
	struct samples s;
	size_t i, k;

	for (k = 0; k < sheet->series_count; k++) {
		series_clear(&sheet->series[k], profile_name(profiles[k]));
		for (i = 0; i < plan->setting_count; i++) {
			if (plan->settings[i].profile != profiles[k])
				continue;
			s = calib_metric_of(sheet->data, i, metric);
			series_put(&sheet->series[k],
				   place_of(cores, count, plan->settings[i].io_cores), &s);
		}
	}
}

/* Through the profile whose core does most. */
static void put_fit(struct sheet *sheet, struct plot_panel *panel, const unsigned int *cores,
		    const struct config_profile **profiles, enum calib_metric metric, char *note,
		    size_t room)
{
	struct calib_line best = { .count = 0 }, line;
	char one[24];
	size_t i;

	for (i = 0; i < sheet->series_count; i++) {
		line = calib_metric_fit(sheet->data, profiles[i], metric);
		if (line.count && line.per_core > best.per_core)
			best = line;
	}
	panel->has_fit = best.count > 0;
	for (i = 0; i < panel->places; i++)
		panel->fit[i] =
			best.count && cores[i] <= best.grows_to ? best.per_core * cores[i] : -1;
	if (!best.count)
		return;
	plot_number(best.per_core, one, sizeof(one));
	snprintf(note, room, "%s a core, up to %u", one, best.grows_to);
}

static void draw_scaling(struct sheet *sheet, const unsigned int *cores, size_t count,
			 const struct config_profile **profiles)
{
	struct plot_panel panel = { .x_name = "io-cores",
				    .places = count,
				    .series = sheet->series,
				    .series_count = sheet->series_count };
	char note[64];
	size_t i;
	int m;

	for (i = 0; i < count; i++) {
		snprintf(sheet->place[i], sizeof(sheet->place[i]), "%u", cores[i]);
		panel.place[i] = sheet->place[i];
	}
	for (m = 0; m < CALIB_METRICS; m++) {
		*note = 0;
		put_metric(sheet, cores, count, profiles, (enum calib_metric)m);
		put_fit(sheet, &panel, cores, profiles, (enum calib_metric)m, note, sizeof(note));
		panel.title = calib_metric_words((enum calib_metric)m);
		panel.unit = unit_of((enum calib_metric)m);
		panel.note = note;
		plot_panel(&sheet->plot, &panel);
	}
}

char *calib_plot_scaling(const struct calib_data *data)
{
	const struct config_profile *profiles[PLOT_SERIES_MAX];
	const char *names[PLOT_SERIES_MAX];
	unsigned int cores[CALIB_CORES_MAX];
	size_t count = cores_of(data->plan, cores), i;
	struct sheet sheet;

	sheet_open(&sheet, data);
	sheet.series_count = profiles_of(data->plan, profiles, PLOT_SERIES_MAX);
	for (i = 0; i < sheet.series_count; i++)
		names[i] = profile_name(profiles[i]);
	plot_begin(
		&sheet.plot, sheet.out, "What one node does, by io-cores",
		"Four panels: bytes a second in blocks of 1 MiB, and calls of 4 KiB a second, read and written, by the number of io-cores, a line for each profile. calibration.json has the numbers.",
		CALIB_METRICS, names, sheet.series_count, true);
	draw_scaling(&sheet, cores, count, profiles);
	return sheet_close(&sheet);
}

/* ---- engines ---------------------------------------------------------------------- */

static void put_engines(struct sheet *sheet, size_t setting, enum calib_metric metric)
{
	const struct calib_plan *plan = sheet->data->plan;
	bool is_bytes = metric == CALIB_READ_BPS || metric == CALIB_WRITE_BPS;
	bool is_write = metric == CALIB_WRITE_BPS || metric == CALIB_WRITE_IOPS;
	size_t i, place;

	series_clear(&sheet->series[0], "synchronous");
	series_clear(&sheet->series[1], "libaio");
	for (i = 0; i < plan->shape_count; i++) {
		const struct calib_shape *s = &plan->shapes[i];
		const struct calib_cell *cell = calib_data_cell(sheet->data, setting, i);

		if (s->is_alone || s->is_write != is_write || (s->block_kib == 1024) != is_bytes)
			continue;
		place = place_of(plan->processes, plan->processes_count, s->processes);
		series_put(&sheet->series[s->is_async], place, is_bytes ? &cell->Bps : &cell->iops);
	}
}

char *calib_plot_engines(const struct calib_data *data)
{
	static const char *const names[] = { "synchronous", "libaio" };
	const struct calib_plan *plan = data->plan;
	struct plot_panel panel = { .x_name = "processes",
				    .places = plan->processes_count,
				    .series_count = 2 };
	struct sheet sheet;
	char note[96];
	int best, m;
	size_t i;

	sheet_open(&sheet, data);
	plot_begin(
		&sheet.plot, sheet.out, "One request at a time, or many",
		"Four panels: bytes a second in blocks of 1 MiB, and calls of 4 KiB a second, read and written, by the number of processes, synchronous and with libaio.",
		CALIB_METRICS, names, 2, false);
	panel.series = sheet.series;
	for (i = 0; i < panel.places; i++) {
		snprintf(sheet.place[i], sizeof(sheet.place[i]), "%u", plan->processes[i]);
		panel.place[i] = sheet.place[i];
	}
	for (m = 0; m < CALIB_METRICS; m++) {
		best = calib_metric_best(data, (enum calib_metric)m);
		if (best < 0)
			continue;
		put_engines(&sheet, (size_t)best, (enum calib_metric)m);
		panel.note = calib_setting_text(&plan->settings[best], note, sizeof(note));
		panel.title = calib_metric_words((enum calib_metric)m);
		panel.unit = unit_of((enum calib_metric)m);
		plot_panel(&sheet.plot, &panel);
	}
	return sheet_close(&sheet);
}

/* ---- direct ------------------------------------------------------------------------ */

/* The setting of a profile with the most io-cores. */
static size_t largest(const struct calib_plan *plan, const struct config_profile *profile)
{
	size_t i, best = 0;
	bool is_there = false;

	for (i = 0; i < plan->setting_count; i++) {
		if (plan->settings[i].profile != profile ||
		    (is_there && plan->settings[i].io_cores <= plan->settings[best].io_cores))
			continue;
		best = i;
		is_there = true;
	}
	return best;
}

static void put_direct(struct sheet *sheet, const char *shape,
		       const struct config_profile **profiles, size_t count)
{
	static const char *const ways[] = { "direct", "buffered" };
	const struct calib_plan *plan = sheet->data->plan;
	char name[48];
	size_t i, k;
	int which;

	for (i = 0; i < 2; i++) {
		series_clear(&sheet->series[i], ways[i]);
		snprintf(name, sizeof(name), "%s-%s", shape, ways[i]);
		which = calib_plan_find(plan, name);
		for (k = 0; k < count; k++)
			series_put(&sheet->series[i], k,
				   &calib_data_cell(sheet->data, largest(plan, profiles[k]),
						    (size_t)which)
					    ->Bps);
	}
}

char *calib_plot_direct(const struct calib_data *data)
{
	static const struct {
		const char *shape, *title;
	} rows[] = { { "64m-read", "64 MiB read" },
		     { "64m-write", "64 MiB written" },
		     { "4k-read", "4 KiB read, in order" },
		     { "4k-write", "4 KiB written, in order" } };
	static const char *const names[] = { "direct", "through the cache" };
	const struct config_profile *profiles[PLOT_PLACES_MAX];
	struct plot_panel panel = { .x_name = "profile",
				    .is_bars = true,
				    .note = "",
				    .unit = "bytes/s",
				    .series_count = 2 };
	struct sheet sheet;
	size_t i;

	sheet_open(&sheet, data);
	panel.places = profiles_of(data->plan, profiles, PLOT_PLACES_MAX);
	panel.series = sheet.series;
	for (i = 0; i < panel.places; i++)
		panel.place[i] = profile_name(profiles[i]);
	plot_begin(
		&sheet.plot, sheet.out, "Around the page cache, and through it",
		"Four panels: bytes a second of one process in blocks of 64 MiB and of 4 KiB, read and written, with O_DIRECT and without, by profile, with the most io-cores.",
		4, names, 2, false);
	for (i = 0; i < 4; i++) {
		put_direct(&sheet, rows[i].shape, profiles, panel.places);
		panel.title = rows[i].title;
		plot_panel(&sheet.plot, &panel);
	}
	return sheet_close(&sheet);
}
