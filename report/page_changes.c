/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was changed for a job and put back, and what was found. */
#include <string.h>

#include "report/job_view.h"
#include "report/page_out.h"

#define ROWS_MAX 200 /* different ones; those that come later are counted */

/* One of several nodes. */
struct row {
	const void *what;
	const char *node;
	size_t nodes;
};

struct rows {
	struct row row[ROWS_MAX];
	size_t count, more;
};

static void add(struct rows *rows, const void *what, const char *node,
		bool (*is_same)(const void *a, const void *b))
{
	size_t i;

	for (i = 0; i < rows->count; i++)
		if (is_same(rows->row[i].what, what)) {
			rows->row[i].nodes++;
			return;
		}
	if (rows->count < ROWS_MAX)
		rows->row[rows->count++] = (struct row){ what, node, 1 };
	else
		rows->more++;
}

static void cell_nodes(struct page *page, const struct row *row)
{
	page_raw(page, "<td>%zu: ", row->nodes);
	page_put(page, row->node);
	page_raw(page, "%s</td></tr>\n", row->nodes > 1 ? ", .." : "");
}

static void put_more(struct page *page, const struct rows *rows)
{
	if (rows->more)
		page_raw(page, "<p>and %zu more</p>\n", rows->more);
}

/* ---- changes -------------------------------------------------------------------- */

static void put_change(struct page *page, const struct row *row)
{
	const struct record_change *c = row->what;

	page_raw(page, "<tr>");
	page_cell(page, c->what ? c->what : "");
	page_cell(page, c->target ? c->target : "");
	page_cell(page, c->old_value ? c->old_value : "");
	page_cell(page, c->new_value ? c->new_value : "");
	page_raw(page, "<td>%s%s</td>", c->made < 0 ? "unknown whether it was taken; " : "",
		 !c->made	    ? "was not taken"
		 : c->restored > 0  ? "put back"
		 : c->restored == 0 ? "NOT put back"
				    : "unknown whether put back");
	cell_nodes(page, row);
}

static void put_changes(struct page *page, const struct rows *rows)
{
	size_t i;

	page_table(page, "Settings that were changed for the job",
		   "What|Where|From|To|After the job|Nodes");
	for (i = 0; i < rows->count; i++)
		put_change(page, &rows->row[i]);
	page_table_end(page);
	put_more(page, rows);
}

/* ---- findings ------------------------------------------------------------------- */

static bool is_same_finding(const void *one, const void *other)
{
	const struct record_finding *a = one, *b = other;

	return !strcmp(a->code, b->code) && job_is_same_text(a->text, b->text);
}

static bool is_same_words(const void *one, const void *other)
{
	return !strcmp(one, other);
}

static void put_findings(struct page *page, const struct rows *rows)
{
	const struct record_finding *f;
	size_t i;

	page_table(page, "What was found on the nodes", "Code|Severity|What|Cure|Nodes");
	for (i = 0; i < rows->count; i++) {
		f = rows->row[i].what;
		page_raw(page, "<tr>");
		page_cell(page, f->code);
		page_cell(page, f->severity);
		page_cell(page, f->text ? f->text : "");
		page_cell(page, f->cure ? f->cure : "");
		cell_nodes(page, &rows->row[i]);
	}
	page_table_end(page);
	put_more(page, rows);
}

static void put_refused(struct page *page, const struct rows *rows)
{
	size_t i;

	page_table(page, "Nodes that turned the job down", "Why|Nodes");
	for (i = 0; i < rows->count; i++) {
		page_raw(page, "<tr>");
		page_cell(page, rows->row[i].what);
		cell_nodes(page, &rows->row[i]);
	}
	page_table_end(page);
}

static void collect(const struct job_report *r, struct rows *changes, struct rows *findings,
		    struct rows *refused)
{
	size_t i, k;

	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		for (k = 0; k < record->change_count; k++)
			add(changes, &record->changes[k], record->node, job_is_same_change);
		for (k = 0; k < record->finding_count; k++)
			add(findings, &record->findings[k], record->node, is_same_finding);
		if (record->refused)
			add(refused, record->refused, record->node, is_same_words);
	}
}

void page_changes(struct page *page)
{
	struct rows changes = { .count = 0 }, findings = { .count = 0 };
	struct rows refused = { .count = 0 };

	collect(page->report, &changes, &findings, &refused);
	if (!changes.count && !findings.count && !refused.count)
		return;
	page_section(page, "Settings and findings");
	if (refused.count)
		put_refused(page, &refused);
	if (changes.count)
		put_changes(page, &changes);
	if (findings.count)
		put_findings(page, &findings);
	page_section_end(page);
}
