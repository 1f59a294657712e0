/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a job read and wrote, where, and in which pieces. */

#include "report/job_io.h"
#include "report/job_view.h"
#include "report/page_out.h"

#define NAME_SIZE 300
#define LANE 70	    /* height of one direction of a timeline */
#define LEFT 70	    /* room of the labels at the left */
#define HIST_MAX 12 /* filesystems whose sizes are drawn */

/* ---- when ------------------------------------------------------------------- */

static int64_t most_of(const struct timeline *line)
{
	int64_t most = 0;
	size_t i;

	for (i = 0; i < line->count; i++) {
		if (line->rows[TIMELINE_READ][i] > most)
			most = line->rows[TIMELINE_READ][i];
		if (line->rows[TIMELINE_WRITE][i] > most)
			most = line->rows[TIMELINE_WRITE][i];
	}
	return most;
}

/* What was read upwards from the middle, what was written downwards. */
static void draw_lane(struct page *page, const struct timeline *line, enum timeline_lane lane,
		      int64_t most)
{
	double wide = (double)(PAGE_WIDE - LEFT) / (double)line->count;
	double high;
	size_t i;

	page_path(page, lane == TIMELINE_READ ? "rd" : "wr");
	for (i = 0; i < line->count; i++) {
		high = (double)line->rows[lane][i] / (double)most * LANE;
		if (line->rows[lane][i] <= 0)
			continue;
		high = high < 1 ? 1 : high;
		page_bar(page, LEFT + (double)i * wide, lane == TIMELINE_READ ? LANE - high : LANE,
			 wide > 3 ? wide - 1 : wide, high);
	}
	page_path_end(page);
}

static void draw_time(struct page *page, const struct timeline *line, const char *name,
		      int64_t most)
{
	int64_t end = line->start + (int64_t)line->count * line->width;
	char from[32], to[32], text[16], about[NAME_SIZE + 260];

	job_clock((double)line->start, from);
	job_clock((double)end, to);
	job_bytes(most, text);
	snprintf(
		about, sizeof(about),
		"Bytes read, upwards, and written, downwards, on %s from %s to %s, in steps of %lld seconds; at most %s in one.",
		name, from, to, (long long)line->width, text);
	page_picture(page, "When it read and wrote", about, PAGE_WIDE, 2 * LANE + 20);
	draw_lane(page, line, TIMELINE_READ, most);
	draw_lane(page, line, TIMELINE_WRITE, most);
	page_path(page, "axis");
	page_bar(page, LEFT, LANE, PAGE_WIDE - LEFT, 0.5);
	page_path_end(page);
	page_label(page, LEFT - 6, 14, "end", text);
	page_label(page, LEFT - 6, LANE - 8, "end", "read");
	page_label(page, LEFT - 6, LANE + 18, "end", "written");
	page_label(page, LEFT - 6, 2 * LANE, "end", text);
	page_label(page, LEFT, 2 * LANE + 16, "start", from);
	page_label(page, PAGE_WIDE, 2 * LANE + 16, "end", to);
	page_picture_end(page);
}

static void list_times(struct page *page, const struct timeline *line)
{
	char text[32];
	size_t i;

	page_details(page, "Bytes and calls by time", "From|Read|Written|Calls");
	for (i = 0; i < line->count; i++) {
		if (line->rows[TIMELINE_CALLS][i] <= 0)
			continue;
		job_clock((double)(line->start + (int64_t)i * line->width), text);
		page_raw(page, "<tr>");
		page_cell(page, text);
		page_cell_bytes(page, line->rows[TIMELINE_READ][i]);
		page_cell_bytes(page, line->rows[TIMELINE_WRITE][i]);
		page_cell_count(page, line->rows[TIMELINE_CALLS][i]);
		page_raw(page, "</tr>\n");
	}
	page_details_end(page);
}

static void show_time(struct page *page, const struct run_line *line)
{
	struct job_time time = job_time_of(page->report);
	struct timeline whole;
	char name[NAME_SIZE];
	int64_t most;

	timeline_cover(&line->io.timeline, (int64_t)time.first,
		       timeline_last(time.first, time.last), &whole);
	most = most_of(&whole);
	if (most <= 0)
		return;
	page_line_name(line, name, sizeof(name));
	page_put_in(page, "h3", name);
	draw_time(page, &whole, name, most);
	list_times(page, &whole);
}

void page_times(struct page *page)
{
	const struct run_line *line;
	bool is_there = false;
	size_t i;

	for (i = 0; page->lines && i < page->lines->count; i++) {
		line = &page->lines->line[i];
		if (line->kind != RUN_APP || !line->io.timeline.count)
			continue;
		if (!is_there)
			page_section(page, "When");
		is_there = true;
		show_time(page, line);
	}
	if (is_there)
		page_section_end(page);
}

/* ---- histograms -------------------------------------------------------------- */

static void draw_hist(struct page *page, const char *title, const int64_t *hist, bool is_time)
{
	int bin, first, last;
	char low[16], high[16], about[160];
	double wide, tall;
	int64_t most;

	if (!job_find_bins(hist, &first, &last, &most))
		return;
	job_bin_text(first, is_time, low);
	job_bin_text(last + 1, is_time, high);
	snprintf(
		about, sizeof(about),
		"How many calls took or moved how much, from %s to %s, each bar the double of the one before.",
		low, high);
	wide = (double)PAGE_HALF / (last - first + 1);
	wide = wide > 40 ? 40 : wide;
	page_picture(page, title, about, PAGE_HALF, LANE + 20);
	page_path(page, is_time ? "lat" : "rd");
	for (bin = first; bin <= last; bin++) {
		tall = (double)hist[bin] / (double)most * LANE;
		if (hist[bin] > 0)
			page_bar(page, (bin - first) * wide, LANE - (tall < 1 ? 1 : tall), wide - 1,
				 tall < 1 ? 1 : tall);
	}
	page_path_end(page);
	page_label(page, 0, LANE + 16, "start", low);
	page_label(page, wide * (last - first + 1) < 140 ? 140 : wide * (last - first + 1),
		   LANE + 16, "end", high);
	page_picture_end(page);
}

static void list_hist(struct page *page, const char *title, const int64_t *hist, bool is_time)
{
	int bin, first, last;
	char text[16];
	int64_t most;

	if (!job_find_bins(hist, &first, &last, &most))
		return;
	page_details(page, title, is_time ? "Up to|Calls" : "Below|Calls");
	for (bin = first; bin <= last; bin++) {
		job_bin_text(bin + 1, is_time, text);
		page_raw(page, "<tr>");
		page_cell(page, text);
		page_cell_count(page, hist[bin] < 0 ? 0 : hist[bin]);
		page_raw(page, "</tr>\n");
	}
	page_details_end(page);
}

static void show_hists(struct page *page, const struct run_line *line)
{
	static const char *const titles[] = { "Sizes of reads", "Sizes of writes", "Times of reads",
					      "Times of writes" };
	char title[NAME_SIZE + 40], name[NAME_SIZE];
	int i, first, last;
	int64_t most;

	page_line_name(line, name, sizeof(name));
	for (i = 0; i < IO_HISTS; i++) {
		const int64_t *hist = line->io.hist[i];

		if (!line->io.has_hist[i] || !job_find_bins(hist, &first, &last, &most))
			continue;
		snprintf(title, sizeof(title), "%s: %s", titles[i], name);
		page_raw(page, "<div>");
		page_put_in(page, "h3", title);
		draw_hist(page, title, hist, i >= IO_READ_NS);
		list_hist(page, title, hist, i >= IO_READ_NS);
		page_raw(page, "</div>\n");
	}
}

/* ---- filesystems -------------------------------------------------------------- */

static void cell_mean(struct page *page, int64_t bytes, int64_t calls)
{
	page_cell_bytes(page, bytes > 0 && calls > 0 ? bytes / calls : RECORD_UNKNOWN);
}

static void cell_time(struct page *page, int64_t us)
{
	char text[16];

	page_cell(page, us < 0 ? "-" : job_spent(us, text));
}

static void show_line(struct page *page, const struct run_line *line)
{
	static const char *const kinds[] = { "what the job did", "the same, less exactly",
					     "what the clients moved" };
	const int64_t *n = line->io.numbers;
	char name[NAME_SIZE];

	page_line_name(line, name, sizeof(name));
	page_say(page, "<tr><th scope=\"row\">", name, "</th>");
	page_cell(page, kinds[line->kind]);
	page_cell_bytes(page, n[IO_READ_BYTES]);
	page_cell_count(page, n[IO_READ_CALLS]);
	cell_mean(page, n[IO_READ_BYTES], n[IO_READ_CALLS]);
	cell_time(page, n[IO_READ_US]);
	page_cell_bytes(page, n[IO_WRITE_BYTES]);
	page_cell_count(page, n[IO_WRITE_CALLS]);
	cell_mean(page, n[IO_WRITE_BYTES], n[IO_WRITE_CALLS]);
	cell_time(page, n[IO_WRITE_US]);
	page_cell_count(page, io_ops(&line->io));
	page_raw(page, "</tr>\n");
}

static void show_meta(struct page *page, const struct run_line *line)
{
	const struct io *io = &line->io;
	char name[NAME_SIZE];
	int i;

	if (io_ops(io) <= 0)
		return;
	page_line_name(line, name, sizeof(name));
	page_table(page, "Metadata operations", "Operation|Number");
	page_say(page, "<tr><th scope=\"row\" colspan=\"2\">", name, "</th></tr>\n");
	for (i = IO_OP_OPEN; i < IO_COUNT; i++) {
		if (io->numbers[i] <= 0)
			continue;
		page_raw(page, "<tr>");
		page_cell(page, io_quantities[i].key);
		page_cell_count(page, io->numbers[i]);
		page_raw(page, "</tr>\n");
	}
	page_table_end(page);
}

void page_parts(struct page *page)
{
	const struct run_line *line;
	size_t i, drawn = 0;

	if (!page->lines || !page->lines->count)
		return;
	page_section(page, "Filesystems");
	page_table(
		page, "What was read and written",
		"Files|Seen as|Read|Calls|A call|Time in calls|Written|Calls|A call|Time in calls|Metadata");
	for (i = 0; i < page->lines->count; i++)
		show_line(page, &page->lines->line[i]);
	page_table_end(page);
	if (page->lines->left_out)
		page_raw(page, "<p>and %zu more of its nodes</p>\n", page->lines->left_out);
	for (i = 0; i < page->lines->count; i++) {
		line = &page->lines->line[i];
		if (line->kind != RUN_APP || drawn++ >= HIST_MAX)
			continue;
		page_raw(page, "<div class=\"two\">\n");
		show_hists(page, line);
		page_raw(page, "</div>\n");
		show_meta(page, line);
	}
	page_section_end(page);
}
