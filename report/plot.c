/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/plot.h"

#include <math.h>
#include <string.h>

#define PANEL_WIDE 350.0
#define PANEL_HIGH 230.0
#define LEFT 58.0 /* room for the numbers */
#define HEAD 44.0 /* title and note of a panel */
#define FOOT 36.0 /* names of the places, and of the axis */
#define COLOURS 6
#define LETTER 6.2 /* about as wide as one is */

/* Colours that are told apart by those who see few, and in grey. */
static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1b1f;--dim:#5c5f66;--line:#d5d7dc;--c0:#1f6fb4;--c1:#b5530b;--c2:#1d6b34;--c3:#5d4aa3;--c4:#a3195b;--c5:#4a4d55}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e6e7ea;--dim:#a6a9b2;--line:#3a3d45;--c0:#6db3f2;--c1:#f0a15c;--c2:#7fd196;--c3:#b5a6f2;--c4:#f58cbd;--c5:#c3c6cd}}\n"
	"@media print{:root{--bg:#fff;--fg:#000;--dim:#444;--line:#999}}\n"
	"text{fill:var(--fg);font:11px system-ui,sans-serif}.t{font-size:15px;font-weight:600}.h{font-size:12px;font-weight:600}.d{fill:var(--dim)}.g{stroke:var(--line)}.bg{fill:var(--bg)}\n"
	".l{fill:none;stroke-width:2}.e{stroke-width:1;stroke-opacity:.7}.k{stroke:var(--fg);stroke-dasharray:2 4;fill:none}\n"
	".s0{stroke:var(--c0)}.s1{stroke:var(--c1);stroke-dasharray:7 3}.s2{stroke:var(--c2);stroke-dasharray:3 3}.s3{stroke:var(--c3);stroke-dasharray:9 3 2 3}.s4{stroke:var(--c4);stroke-dasharray:12 4}.s5{stroke:var(--c5);stroke-dasharray:1 3}\n"
	".f0{fill:var(--c0)}.f1{fill:var(--c1)}.f2{fill:var(--c2)}.f3{fill:var(--c3)}.f4{fill:var(--c4)}.f5{fill:var(--c5)}\n";

/* ---- numbers -------------------------------------------------------------------- */

void plot_number(double value, char *out, size_t room)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };
	size_t unit = 0;
	char digits[16];

	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1000;
		unit++;
	}
	snprintf(digits, sizeof(digits), "%.3g", value);
	snprintf(out, room, "%s%s", digits, units[unit]);
}

/* The end of an axis that has this value: 1, 2, 2.5 or 5 times a power of 10 in at most 5
 * steps of *step. */
static double end_of(double most, double *step)
{
	static const double steps[] = { 1, 2, 2.5, 5, 10 };
	double power;
	size_t i;

	if (!(most > 0) || !isfinite(most))
		return *step = 1;
	power = pow(10, floor(log10(most / 5)));
	for (i = 0; i < 4 && steps[i] * power * 5 < most; i++)
		;
	*step = steps[i] * power;
	return ceil(most / *step - 1e-9) * *step;
}

/* ---- the frame -------------------------------------------------------------------- */

static void words(struct plot *plot, double x, double y, const char *anchor, const char *class,
		  const char *text)
{
	page_raw(&plot->page, "<text x=\"%.5g\" y=\"%.5g\" text-anchor=\"%s\" class=\"%s\">", x, y,
		 anchor, class);
	page_put(&plot->page, text);
	page_raw(&plot->page, "</text>\n");
}

/* A mark of its own for each colour: circle, square, triangle, diamond. */
static void mark(struct plot *plot, size_t series, double x, double y)
{
	int which = (int)(series % COLOURS);

	if (which % 4 == 0)
		page_raw(&plot->page, "<circle class=\"f%d\" cx=\"%.5g\" cy=\"%.5g\" r=\"3.5\"/>\n",
			 which, x, y);
	else if (which % 4 == 1)
		page_raw(&plot->page, "<path class=\"f%d\" d=\"M%.5g %.5gh7v7h-7z\"/>\n", which,
			 x - 3.5, y - 3.5);
	else if (which % 4 == 2)
		page_raw(&plot->page, "<path class=\"f%d\" d=\"M%.5g %.5gl4.5 8h-9z\"/>\n", which,
			 x, y - 5);
	else
		page_raw(&plot->page, "<path class=\"f%d\" d=\"M%.5g %.5gl5 5-5 5-5-5z\"/>\n",
			 which, x, y - 5);
}

static void legend_entry(struct plot *plot, const char *name, size_t series, bool is_fit, double x,
			 double y)
{
	if (is_fit)
		page_raw(&plot->page, "<path class=\"k\" ");
	else
		page_raw(&plot->page, "<path class=\"l s%zu\" ", series % COLOURS);
	page_raw(&plot->page, "d=\"M%.5g %.5gh22\"/>\n", x, y - 4);
	if (!is_fit)
		mark(plot, series, x + 11, y - 4);
	words(plot, x + 28, y, "start", "", name);
}

/* In as many lines as they need; returns where they end. 'plot' NULL: that alone. */
static double legend(struct plot *plot, const char *const *names, size_t count, bool has_fit)
{
	double x = 12, y = 46, wide;
	const char *name;
	size_t i;

	for (i = 0; i < count + has_fit; i++) {
		name = i < count ? names[i] : "in proportion to the io-cores";
		wide = 30 + LETTER * (double)strlen(name);
		if (x > 12 && x + wide > 2 * PANEL_WIDE) {
			x = 12;
			y += 18;
		}
		if (plot)
			legend_entry(plot, name, i, i == count, x, y);
		x += wide + 16;
	}
	return y + 8;
}

void plot_begin(struct plot *plot, FILE *out, const char *title, const char *about, size_t panels,
		const char *const *names, size_t count, bool has_fit)
{
	double rows = (double)((panels + 1) / 2);
	double high = legend(NULL, names, count, has_fit) + rows * PANEL_HIGH;

	memset(plot, 0, sizeof(*plot));
	plot->page.out = out;
	page_raw(
		&plot->page,
		"<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"t d\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\"><title id=\"t\">",
		2 * PANEL_WIDE, high, 2 * PANEL_WIDE, high);
	page_put(&plot->page, title);
	page_raw(&plot->page, "</title><desc id=\"d\">");
	page_put(&plot->page, about);
	page_raw(&plot->page,
		 "</desc><style>\n%s</style>\n"
		 "<rect class=\"bg\" width=\"100%%\" height=\"100%%\"/>\n",
		 style);
	words(plot, 12, 22, "start", "t", title);
	plot->top = legend(plot, names, count, has_fit);
}

void plot_end(struct plot *plot)
{
	page_raw(&plot->page, "</svg>\n");
}

/* ---- a panel ------------------------------------------------------------------------ */

struct axes {
	const struct plot_panel *panel;
	double left, right, top, bottom; /* of the field */
	double end, step;		 /* of y */
};

static double at_y(const struct axes *a, double value)
{
	return a->bottom - value / a->end * (a->bottom - a->top);
}

static double place_wide(const struct axes *a)
{
	return (a->right - a->left) / (double)a->panel->places;
}

static double at_x(const struct axes *a, size_t place)
{
	return a->left + ((double)place + 0.5) * place_wide(a);
}

static double most_of(const struct plot_panel *p)
{
	double most = 0, value;
	size_t i, k;

	for (i = 0; i < p->series_count; i++)
		for (k = 0; k < p->places; k++) {
			value = p->series[i].value[k] +
				(p->series[i].spread[k] > 0 ? p->series[i].spread[k] : 0);
			most = value > most ? value : most;
		}
	for (k = 0; p->has_fit && k < p->places; k++)
		most = p->fit[k] > most ? p->fit[k] : most;
	return most;
}

static void draw_grid(struct plot *plot, const struct axes *a)
{
	char text[24], name[32];
	double value, y;
	size_t i, every, letters;

	for (value = 0; value <= a->end * 1.0001; value += a->step) {
		y = at_y(a, value);
		page_raw(&plot->page, "<path class=\"g\" d=\"M%.5g %.5gH%.5g\"/>\n", a->left, y,
			 a->right);
		plot_number(value, text, sizeof(text));
		words(plot, a->left - 6, y + 4, "end", "d", text);
	}
	every = (size_t)ceil(18 / place_wide(a));
	letters = (size_t)(place_wide(a) * (double)every / LETTER);
	letters = letters > 31 ? 31 : letters < 1 ? 1 : letters;
	for (i = 0; i < a->panel->places; i += every) {
		snprintf(name, sizeof(name), "%.*s", (int)letters, a->panel->place[i]);
		words(plot, at_x(a, i), a->bottom + 15, "middle", "", name);
	}
	words(plot, (a->left + a->right) / 2, a->bottom + 30, "middle", "d", a->panel->x_name);
}

static void draw_spread(struct plot *plot, const struct axes *a, double x, double value,
			double spread)
{
	double low = value - spread < 0 ? 0 : value - spread;

	if (spread <= 0)
		return;
	page_raw(&plot->page,
		 "<path class=\"e\" stroke=\"var(--fg)\" d=\"M%.5g %.5gV%.5gm-3 0h6\"/>\n", x,
		 at_y(a, low), at_y(a, value + spread));
}

static void draw_line(struct plot *plot, const struct axes *a, size_t series)
{
	const struct plot_series *s = &a->panel->series[series];
	bool is_on = false;
	size_t i;

	page_raw(&plot->page, "<path class=\"l s%zu\" d=\"", series % COLOURS);
	for (i = 0; i < a->panel->places; i++) {
		if (s->value[i] < 0)
			continue;
		page_raw(&plot->page, "%c%.5g %.5g", is_on ? 'L' : 'M', at_x(a, i),
			 at_y(a, s->value[i]));
		is_on = true;
	}
	page_raw(&plot->page, "\"/>\n");
	for (i = 0; i < a->panel->places; i++) {
		if (s->value[i] < 0)
			continue;
		draw_spread(plot, a, at_x(a, i), s->value[i], s->spread[i]);
		mark(plot, series, at_x(a, i), at_y(a, s->value[i]));
	}
}

static void draw_bars(struct plot *plot, const struct axes *a, size_t series)
{
	const struct plot_series *s = &a->panel->series[series];
	double all = place_wide(a) * 0.8, x;
	double wide = all / (double)a->panel->series_count;
	size_t i;

	for (i = 0; i < a->panel->places; i++) {
		if (s->value[i] < 0)
			continue;
		x = at_x(a, i) - all / 2 + (double)series * wide;
		page_raw(&plot->page, "<path class=\"f%zu\" d=\"M%.5g %.5gh%.5gV%.5gh%.5gz\"/>\n",
			 series % COLOURS, x + 1, a->bottom, wide - 2, at_y(a, s->value[i]),
			 2 - wide);
		draw_spread(plot, a, x + wide / 2, s->value[i], s->spread[i]);
	}
}

static void draw_fit(struct plot *plot, const struct axes *a)
{
	bool is_on = false;
	size_t i;

	page_raw(&plot->page, "<path class=\"k\" d=\"");
	for (i = 0; i < a->panel->places; i++) {
		if (a->panel->fit[i] < 0)
			continue;
		page_raw(&plot->page, "%c%.5g %.5g", is_on ? 'L' : 'M', at_x(a, i),
			 at_y(a, a->panel->fit[i]));
		is_on = true;
	}
	page_raw(&plot->page, "\"/>\n");
}

void plot_panel(struct plot *plot, const struct plot_panel *panel)
{
	double left = plot->panels % 2 * PANEL_WIDE;
	double top = plot->top + plot->panels / 2 * PANEL_HIGH;
	struct axes a = { .panel = panel,
			  .left = left + LEFT,
			  .right = left + PANEL_WIDE - 8,
			  .top = top + HEAD,
			  .bottom = top + PANEL_HIGH - FOOT };
	char title[160];
	size_t i;

	plot->panels++;
	a.end = end_of(most_of(panel), &a.step);
	snprintf(title, sizeof(title), "%s, %s", panel->title, panel->unit);
	words(plot, left + 12, top + 18, "start", "h", title);
	if (*panel->note)
		words(plot, left + 12, top + 33, "start", "d", panel->note);
	draw_grid(plot, &a);
	if (panel->has_fit)
		draw_fit(plot, &a);
	for (i = 0; i < panel->series_count; i++)
		if (panel->is_bars)
			draw_bars(plot, &a, i);
		else
			draw_line(plot, &a, i);
}
