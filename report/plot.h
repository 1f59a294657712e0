/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plot.h - panels of lines or bars as one SVG file that needs nothing else
 *
 * Terms   panel: one pair of axes. y begins at 0; x has places, evenly apart,
 *           each with a name.
 *         series: a line, or the bars of one colour, the same in all panels; a
 *           value below 0 is not there. Its spread is drawn as a bar from mean
 *           - spread to mean + spread.
 *         Light or dark as its reader has it. Series differ in colour, in dash
 *           and in mark. Title and description are read to those who do not
 *           see it.
 * Owner   nothing; plot_end() leaves 'out' open.
 * Errors  none; those of 'out' stay in it.
 * Runs    jobio calibrate.
 */
#ifndef JOBIO_REPORT_PLOT_H
#define JOBIO_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/page_out.h"

#define PLOT_PLACES_MAX 80
#define PLOT_SERIES_MAX 64 /* colours come again after six */

struct plot_series {
	const char *name;
	double value[PLOT_PLACES_MAX], spread[PLOT_PLACES_MAX];
};

struct plot_panel {
	const char *title, *note; /* note: "" or what else to say */
	const char *x_name, *unit;
	bool is_bars;
	size_t places;
	const char *place[PLOT_PLACES_MAX]; /* their names */
	const struct plot_series *series;
	size_t series_count;
	/* a dashed line of its own; < 0: not there */
	double fit[PLOT_PLACES_MAX];
	bool has_fit;
};

struct plot {
	struct page page;
	int panels;
	double top; /* of the first row */
};

/* 'names': of the series, for the legend. */
void plot_begin(struct plot *plot, FILE *out, const char *title, const char *about, size_t panels,
		const char *const *names, size_t count, bool has_fit);
void plot_panel(struct plot *plot, const struct plot_panel *panel);
void plot_end(struct plot *plot);

/* "5.73G", "145k", "0": three digits. */
void plot_number(double value, char *out, size_t room);

#endif
