/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/jobs_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "report/job_io.h"
#include "report/job_print.h"
#include "report/job_view.h"
#include "report/list_table.h"
#include "report/page_out.h"
#include "report/when.h"

#define NAMES_SHOWN 8 /* of jobs, in a heading or a note */
#define TITLE_MAX 400

/* All reports of all groups, in their order. */
struct jobs {
	const struct job_group *groups;
	size_t group_count;
	struct job_report **reports;
	size_t count;
};

void job_group_clear(struct job_group *group)
{
	while (group->count)
		job_report_free(group->reports[--group->count]);
	free(group->reports);
	group->reports = NULL;
}

static void gather(struct jobs *jobs, const struct job_group *groups, size_t count)
{
	size_t i, k, all = 0;

	for (i = 0; i < count; i++)
		all += groups[i].count;
	jobs->groups = groups;
	jobs->group_count = count;
	jobs->reports = xcalloc(all + 1, sizeof(struct job_report *));
	for (i = 0; i < count; i++)
		for (k = 0; k < groups[i].count; k++)
			jobs->reports[jobs->count++] = groups[i].reports[k];
}

/* ---- who and what ------------------------------------------------------------- */

static bool is_one_family(const struct jobs *jobs)
{
	return jobs->group_count == 1 && jobs->groups->is_family;
}

static void name_family(const struct job_group *group, char title[TITLE_MAX])
{
	bool is_array = strchr(group->reports[0]->id, '_') != NULL;
	const char *plural = group->count == 1 ? "" : "s";

	snprintf(title, TITLE_MAX, "Job %.80s: %zu %s%s%s", group->id, group->count,
		 is_array ? "task" : "component", plural, is_array ? " of an array" : "");
}

/* "Jobs 7, 25_[1-3]" */
static void name_jobs(const struct jobs *jobs, char title[TITLE_MAX])
{
	size_t i, used = 0;

	if (is_one_family(jobs)) {
		name_family(jobs->groups, title);
		return;
	}
	if (jobs->group_count > NAMES_SHOWN) {
		snprintf(title, TITLE_MAX, "%zu jobs", jobs->group_count);
		return;
	}
	for (i = 0; i < jobs->group_count; i++)
		used += (size_t)snprintf(title + used, TITLE_MAX - used, "%s%.40s",
					 i ? ", " : "Jobs ", jobs->groups[i].id);
}

static const char *cluster_of(const struct job_report *r)
{
	return r->cluster ? r->cluster : "";
}

/* What all of them say; "" where they differ. */
static const char *common(const struct jobs *jobs, const char *(*get)(const struct job_report *r))
{
	size_t i;

	for (i = 1; i < jobs->count; i++)
		if (strcmp(get(jobs->reports[i]), get(jobs->reports[0])) != 0)
			return "";
	return get(jobs->reports[0]);
}

/* From the beginning of the first to the end of the last. */
static void put_times(struct page *page, const struct jobs *jobs)
{
	double first = -1, last = -1;
	struct job_time time;
	char text[WHEN_SIZE];
	size_t i;

	for (i = 0; i < jobs->count; i++) {
		time = job_time_of(jobs->reports[i]);
		if (time.first >= 0 && (first < 0 || time.first < first))
			first = time.first;
		if (time.last > last)
			last = time.last;
	}
	if (first >= 0)
		page_fact(page, "From", when_text((int64_t)first, text));
	if (last >= 0)
		page_fact(page, "To", when_text((int64_t)last, text));
}

static void put_moved(struct page *page, const char *name, int64_t bytes, int64_t calls,
		      bool is_wide)
{
	char a[16], b[16], text[64];

	snprintf(text, sizeof(text), "%s%s", job_bytes(bytes, a), bytes >= 0 && is_wide ? "*" : "");
	if (bytes >= 0 && calls >= 0)
		snprintf(text, sizeof(text), "%s%s in %s calls", a, is_wide ? "*" : "",
			 job_count(calls, b));
	page_fact(page, name, text);
}

/* Of one array, or one heterogeneous job: of several jobs a sum says nothing. */
static void put_sum(struct page *page, const struct job_group *group)
{
	struct summary sum;
	bool is_wide;
	char text[16];

	job_family_sum(group->reports, group->count, &sum);
	is_wide = sum.scope == SUMMARY_SCOPE_NODE;
	page_raw(page, "<dl class=\"big\">\n");
	put_moved(page, "Read", sum.rd_bytes, sum.rd_calls, is_wide);
	put_moved(page, "Written", sum.wr_bytes, sum.wr_calls, is_wide);
	if (sum.meta >= 0)
		page_fact(page, "Metadata operations", job_count(sum.meta, text));
	page_raw(page, "</dl>\n");
}

static void put_head(struct page *page, const struct jobs *jobs)
{
	char title[TITLE_MAX];

	name_jobs(jobs, title);
	page_begin(page, "", title);
	page_put_in(page, "h1", title);
	page_raw(page, "\n<dl>\n");
	page_fact(page, "User", common(jobs, list_user_of));
	page_fact(page, "Cluster", common(jobs, cluster_of));
	put_times(page, jobs);
	page_raw(page, "</dl>\n");
	if (is_one_family(jobs))
		put_sum(page, jobs->groups);
}

/* ---- a line for each --------------------------------------------------------- */

static bool lacks_nodes(const struct job_report *r)
{
	return r->summary.nodes_expected >= 0 && r->summary.nodes_seen < r->summary.nodes_expected;
}

/* sacct speaks of a run after the one that is shown. */
static bool is_before(const struct job_report *r)
{
	return r->slurm && !r->is_old_run && !list_is_of_slurm(r);
}

static bool has_remark(const struct job_report *r)
{
	return lacks_nodes(r) || r->summary.lacks || is_before(r);
}

static bool have_remarks(const struct jobs *jobs)
{
	size_t i;

	for (i = 0; i < jobs->count; i++)
		if (has_remark(jobs->reports[i]))
			return true;
	return false;
}

static void put_nodes_seen(struct page *page, const struct summary *s)
{
	char seen[16], all[16];

	page_raw(page, "%s of %s nodes reported", job_count(s->nodes_seen, seen),
		 job_count(s->nodes_expected, all));
	if (*s->miss) {
		page_raw(page, ", not ");
		page_put(page, s->miss);
	}
}

static void put_remark(struct page *page, const struct job_report *r)
{
	bool is_first = !lacks_nodes(r);

	page_raw(page, has_remark(r) ? "<td>" : "<td>-");
	if (lacks_nodes(r))
		put_nodes_seen(page, &r->summary);
	job_print_lacks(page->out, is_first ? "not given: " : "; not given: ", r->summary.lacks);
	is_first &= !r->summary.lacks;
	if (is_before(r)) {
		page_raw(page, "%sthe run before the one that is ", is_first ? "" : "; ");
		page_put(page, r->slurm->state);
	}
	page_raw(page, "</td>");
}

static void put_sum_line(const struct list_table *table, const struct job_group *group,
			 bool with_remarks)
{
	struct list_row row;

	list_row_sum(&row, group->reports, group->count);
	list_table_line(table, &row, true);
	if (with_remarks)
		page_cell(table->page, "");
	page_cell(table->page, "");
	page_raw(table->page, "</tr>\n");
}

/* Of LIST_PAGE_ROWS lines for jobs at most: a browser opens it in a moment. */
static void put_table(struct page *page, const struct jobs *jobs)
{
	const struct list_table table = { page, list_has_users(jobs->reports, jobs->count) };
	bool with_remarks = have_remarks(jobs);
	const struct job_group *group = jobs->groups;
	size_t i, k, lines = 0;

	list_table_begin(
		&table,
		"A line for each job, task and component; before those of one job their sum",
		with_remarks ? "Remarks|Advice" : "Advice");
	for (i = 0; i < jobs->group_count; i++, group++) {
		if (group->is_family && group->count && lines < LIST_PAGE_ROWS)
			put_sum_line(&table, group, with_remarks);
		for (k = 0; k < group->count && lines < LIST_PAGE_ROWS; k++) {
			list_table_job(&table, group->reports[k], with_remarks ? put_remark : NULL);
			lines++;
		}
	}
	page_table_end(page);
}

/* ---- about these numbers ------------------------------------------------------- */

static void put_unknown(struct page *page, const struct job_group *group)
{
	if (!group->count) {
		page_say(page, "<p class=\"warn\">Missing: ", group->why.text, ".</p>\n");
	} else if (group->unknown) {
		page_raw(page, "<p class=\"warn\">Nothing is known of %zu more of ",
			 group->unknown);
		page_put(page, group->id);
		page_raw(page, ".</p>\n");
	}
}

static bool is_sacct(const struct job_report *r)
{
	return !strcmp(r->source, "sacct");
}

/* Why not, of the first of them: it is nearly always the same. */
static void put_sacct(struct page *page, const struct jobs *jobs)
{
	const char *why = NULL;
	size_t i, count = 0;

	for (i = 0; i < jobs->count; i++) {
		if (!is_sacct(jobs->reports[i]))
			continue;
		if (!why)
			why = jobs->reports[i]->why_not_ledger;
		if (count < NAMES_SHOWN) {
			page_raw(
				page,
				count ? ", "
				      : "<p class=\"warn\">From sacct, three digits and no advice: ");
			page_put(page, jobs->reports[i]->id);
		}
		count++;
	}
	if (!count)
		return;
	if (count > NAMES_SHOWN)
		page_raw(page, " and %zu more", count - NAMES_SHOWN);
	page_say(page, ": ", why, ".</p>\n");
}

static void put_notes(struct page *page, const struct jobs *jobs)
{
	struct summary sum;
	size_t i;

	job_family_sum(jobs->reports, jobs->count, &sum);
	if (sum.scope == SUMMARY_SCOPE_NODE)
		page_raw(page, "<p class=\"warn\">%s.</p>\n", LIST_WIDE_NOTE);
	if (sum.flags & RECORD_FLAG(ALL_FILES))
		page_raw(
			page,
			"<p class=\"dim\">Some numbers are of all files, pipes and sockets, not only of the client's filesystems.</p>\n");
	if (jobs->count > LIST_PAGE_ROWS)
		page_raw(page,
			 "<p>%zu more: a page has %d jobs at most, --csv has all of them.</p>\n",
			 jobs->count - LIST_PAGE_ROWS, LIST_PAGE_ROWS);
	for (i = 0; i < jobs->group_count; i++)
		put_unknown(page, &jobs->groups[i]);
	put_sacct(page, jobs);
	page_say(page, "<p class=\"dim\">One in full: <code>jobio report --html=FILE ",
		 jobs->reports[0]->id, "</code></p>\n");
}

/* -------------------------------------------------------------------------------- */

int jobs_page_write(const char *file, const struct job_group *groups, size_t count, struct err *err)
{
	struct jobs jobs = { 0 };
	struct page page = { 0 };

	gather(&jobs, groups, count);
	page_open(&page);
	put_head(&page, &jobs);
	put_table(&page, &jobs);
	put_notes(&page, &jobs);
	page_end(&page);
	free(jobs.reports);
	return page_save(file, &page, err);
}
