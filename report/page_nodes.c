/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How evenly a job's nodes worked. */
#include <string.h>

#include "report/job_io.h"
#include "report/page_out.h"

#define LEVELS 8
#define ACROSS 50 /* nodes in a row */
#define CELL 14
#define PARTS_MAX 3

/* ---- nodes ------------------------------------------------------------------- */

struct amounts {
	int64_t read, written, both;
};

/* What a node did there, as a job; unknown where it says nothing. */
static struct amounts amounts_of(const struct record *record, const struct run_line *line)
{
	struct amounts a = { RECORD_UNKNOWN, RECORD_UNKNOWN, RECORD_UNKNOWN };
	const struct io *io;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		if (io->scope != line->io.scope || strcmp(io->source, line->io.source) != 0 ||
		    strcmp(io->fs ? io->fs : "", line->io.fs ? line->io.fs : "") != 0)
			continue;
		io_add_number(&a.read, io->numbers[IO_READ_BYTES]);
		io_add_number(&a.written, io->numbers[IO_WRITE_BYTES]);
	}
	io_add_number(&a.both, a.read);
	io_add_number(&a.both, a.written);
	return a;
}

static int64_t most_of(const struct page *page, const struct run_line *line)
{
	const struct job_report *r = page->report;
	int64_t most = 0, both;
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		both = amounts_of(r->records[i], line).both;
		most = both > most ? both : most;
	}
	return most;
}

/* 0 for nothing, LEVELS - 1 for the most. */
static int level_of(int64_t amount, int64_t most)
{
	return amount <= 0 ? 0 : 1 + (int)((double)amount / (double)most * (LEVELS - 1.01));
}

/* All nodes of a level are one path. */
static void draw_level(struct page *page, const struct run_line *line, int64_t most, int level)
{
	const struct job_report *r = page->report;
	char class[8];
	size_t i;

	snprintf(class, sizeof(class), "h%d", level);
	page_path(page, class);
	for (i = 0; i < r->record_count; i++)
		if (level_of(amounts_of(r->records[i], line).both, most) == level)
			page_bar(page, (double)(i % ACROSS) * CELL, (double)(i / ACROSS) * CELL,
				 CELL - 1, CELL - 1);
	page_path_end(page);
}

static void draw_heat(struct page *page, const struct run_line *line)
{
	const struct job_report *r = page->report;
	int64_t most = most_of(page, line);
	char about[400], name[300], text[16];
	int level;

	if (most <= 0)
		return;
	page_line_name(line, name, sizeof(name));
	page_put_in(page, "h3", name);
	snprintf(
		about, sizeof(about),
		"One square a node, %zu of them, the darker the more it moved; the busiest moved %s.",
		r->record_count, job_bytes(most, text));
	page_picture(page, "How much each node moved", about, PAGE_WIDE,
		     (int)((r->record_count + ACROSS - 1) / ACROSS) * CELL);
	for (level = 0; level < LEVELS; level++)
		draw_level(page, line, most, level);
	page_picture_end(page);
}

static void list_nodes(struct page *page, const struct run_line *const *parts, size_t count)
{
	const struct job_report *r = page->report;
	char head[300] = "Node", text[64];
	struct amounts a;
	size_t i, k;

	for (k = 0; k < count; k++) {
		snprintf(text, sizeof(text), "|Read %zu|Written %zu", k + 1, k + 1);
		strcat(head, count == 1 ? "|Read|Written" : text);
	}
	page_details(page, "What each node moved", head);
	for (i = 0; i < r->record_count; i++) {
		page_raw(page, "<tr>");
		page_cell(page, r->records[i]->node);
		for (k = 0; k < count; k++) {
			a = amounts_of(r->records[i], parts[k]);
			page_cell_bytes(page, a.read);
			page_cell_bytes(page, a.written);
		}
		page_raw(page, "</tr>\n");
	}
	page_details_end(page);
}

static void put_balance(struct page *page)
{
	const struct summary *s = &page->report->summary;
	char text[16];

	if (s->imbalance > 0) {
		page_raw(page, "<p>The busiest node, ");
		page_put(page, s->busiest);
		page_raw(page, ", moved %.2f times as much as the mean one.</p>\n", s->imbalance);
	}
	if (s->slowest_ns >= 0) {
		summary_time(s->slowest_ns, text, sizeof(text));
		page_raw(page, "<p>The processes of ");
		page_put(page, s->slowest);
		page_raw(page, " spent most time in read and write calls: %s.</p>\n", text);
	}
}

void page_nodes(struct page *page)
{
	const struct run_line *parts[PARTS_MAX];
	size_t i, count = 0;

	for (i = 0; page->lines && i < page->lines->count; i++)
		if (page->lines->line[i].kind == RUN_APP && count < PARTS_MAX)
			parts[count++] = &page->lines->line[i];
	if (!count || page->report->record_count < 2)
		return;
	page_section(page, "Nodes");
	put_balance(page);
	for (i = 0; i < count; i++)
		draw_heat(page, parts[i]);
	list_nodes(page, parts, count);
	page_section_end(page);
}
