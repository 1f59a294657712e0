/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page.h"

#include <string.h>

#include "advice/advice.h"
#include "report/job_advice.h"
#include "report/job_io.h"
#include "report/job_view.h"
#include "report/page_out.h"

/* ---- who and what ------------------------------------------------------------- */

static void put_head(struct page *page)
{
	const struct job_report *r = page->report;

	page_begin(page, "Job ", r->id);
	page_raw(page, "<h1>Job ");
	page_put(page, r->id);
	if (r->slurm && *r->slurm->name) {
		page_raw(page, ": ");
		page_put(page, r->slurm->name);
	}
	page_raw(page, "</h1>\n");
}

static void put_state(struct page *page, const struct sacct_row *job)
{
	enum tone which = job_state_tone(job->state);
	char text[64];

	page_raw(page, "<div><dt>State</dt><dd class=\"%s\">",
		 which == TONE_GOOD  ? "good"
		 : which == TONE_BAD ? "bad"
				     : "dim");
	page_put(page, job->state);
	page_raw(page, "</dd></div>\n");
	if (job->exit_code < 0)
		return;
	snprintf(text, sizeof(text), "%lld", (long long)job->exit_code);
	if (job->signal > 0)
		snprintf(text, sizeof(text), "%lld, signal %lld", (long long)job->exit_code,
			 (long long)job->signal);
	page_fact(page, "Exit code", text);
}

static void fact_time(struct page *page, const char *name, double when)
{
	char text[JOB_ELAPSED];

	if (when >= 0)
		page_fact(page, name, job_clock(when, text));
}

static void put_nodes(struct page *page)
{
	const struct summary *s = &page->report->summary;
	int64_t nodes = job_nodes_of(page->report);
	char text[256];

	if (nodes < 0)
		return;
	snprintf(text, sizeof(text), "%lld", (long long)nodes);
	if (s->nodes_seen < nodes)
		snprintf(text, sizeof(text), "%lld, of which %lld reported", (long long)nodes,
			 (long long)s->nodes_seen);
	page_fact(page, "Nodes", text);
	page_fact(page, "Missing", s->miss);
}

static void put_facts(struct page *page)
{
	const struct job_report *r = page->report;
	struct job_time time = job_time_of(r);
	char text[JOB_ELAPSED];

	page_raw(page, "<dl>\n");
	page_fact(page, "User", job_user_of(r));
	if (r->slurm) {
		page_fact(page, "Account", r->slurm->account);
		page_fact(page, "Partition", r->slurm->partition);
	}
	page_fact(page, "Cluster", r->cluster);
	if (job_is_of_slurm(r))
		put_state(page, r->slurm);
	if (time.seconds > 0)
		page_fact(page, "Elapsed", job_elapsed(time.seconds, text));
	put_nodes(page);
	fact_time(page, "From", time.first);
	fact_time(page, "To", time.last);
	page_fact(page, "Profile", r->summary.prof);
	page_fact(page, "io-cores", r->summary.cores);
	page_fact(page, "Filesystems", r->summary.fs);
	page_raw(page, "</dl>\n");
}

static void put_totals(struct page *page)
{
	const struct summary *s = &page->report->summary;
	char text[16];

	if (s->lacks) {
		page_raw(page, "<p class=\"warn\">The job did not get all");
		job_print_lacks(page->out, ": ", s->lacks);
		page_raw(page, ".</p>\n");
	}
	page_raw(page, "<dl class=\"big\">\n");
	page_fact(page, "Read", job_bytes(s->rd_bytes, text));
	page_fact(page, "Written", job_bytes(s->wr_bytes, text));
	if (s->meta >= 0)
		page_fact(page, "Metadata operations", job_count(s->meta, text));
	page_raw(page, "</dl>\n");
	if (s->scope == SUMMARY_SCOPE_NODE)
		page_raw(page,
			 "<p class=\"warn\">NODE-WIDE: with whatever else ran on the nodes.</p>\n");
	if (s->flags & RECORD_FLAG(ALL_FILES))
		page_raw(
			page,
			"<p class=\"dim\">Of all files, pipes and sockets, not only of the filesystems above.</p>\n");
}

/* ---- advice ------------------------------------------------------------------- */

static void put_one(struct page *page, const struct advice *a)
{
	page_raw(page, "<li><p><strong>");
	page_put(page, a->what);
	page_raw(page, "</strong> <span class=\"dim\">%s, %s", a->code,
		 advice_trust_name(a->trust));
	if (*a->fs) {
		page_raw(page, ", on ");
		page_put(page, a->fs);
	}
	page_raw(page, "</span></p>");
	page_put_in(page, "p", a->why);
	page_raw(page, "<p>Do: ");
	page_put_in(page, "code", a->cure);
	page_raw(page, "</p></li>\n");
}

static void put_advice(struct page *page)
{
	struct advice_list *list = job_advice_of(page->report);
	size_t i;

	if (!list)
		return;
	page_section(page, "Advice");
	if (!list->is_judged)
		page_raw(page, "<p>Too little to judge.</p>\n");
	else if (!list->count)
		page_raw(page, "<p>Nothing to change.</p>\n");
	page_raw(page, list->count ? "<ol class=\"advice\">\n" : "");
	for (i = 0; i < list->count; i++)
		put_one(page, &list->list[i]);
	page_raw(page, list->count ? "</ol>\n" : "");
	page_section_end(page);
	advice_free(list);
}

/* ---- the rest ----------------------------------------------------------------- */

static void put_quality(struct page *page)
{
	const struct job_report *r = page->report;
	unsigned int bit;

	page_section(page, "About these numbers");
	page_raw(page, "<ul>\n");
	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (r->summary.flags & (UINT32_C(1) << bit))
			page_put_in(page, "li", record_flag_words(bit));
	if (r->left_out)
		page_raw(page,
			 "<li>%lld records are not shown: they do not fit into the answer</li>\n",
			 (long long)r->left_out);
	if (!strcmp(r->source, "sacct")) {
		page_say(page, "<li>from sacct, three digits and no details: ", r->why_not_ledger,
			 "</li>\n");
	}
	page_raw(page, "<li>summary: ");
	page_put_in(page, "code", r->summary_text);
	page_raw(page, "</li>\n</ul>\n");
	page_section_end(page);
}

static void put_all(struct page *page)
{
	put_head(page);
	put_facts(page);
	put_totals(page);
	put_advice(page);
	page_times(page);
	page_parts(page);
	page_nodes(page);
	page_cores(page);
	page_changes(page);
	put_quality(page);
	page_end(page);
}

int page_write(const char *file, const struct job_report *report, struct err *err)
{
	struct page page = { .report = report };

	page_open(&page);
	if (report->record_count && !report->left_out)
		page.lines = run_lines_new(report->records, report->record_count);
	put_all(&page);
	run_lines_free(page.lines);
	return page_save(file, &page, err);
}
