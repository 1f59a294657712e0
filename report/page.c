/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "advice/advice.h"
#include "lib/fileio.h"
#include "report/job_io.h"
#include "report/job_view.h"
#include "report/page_out.h"

/* Colours that are told apart by those who see few, and in grey. */
static const char style[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1b1f;--dim:#5c5f66;"
	"--line:#d5d7dc;--rd:#1f6fb4;--wr:#b5530b;--lat:#5d4aa3;--warn:#9a4a00;"
	"--bad:#b3261e;--good:#1d6b34;--heat:31,111,180}\n"
	"@media(prefers-color-scheme:dark){:root{--bg:#16181c;--fg:#e6e7ea;"
	"--dim:#a6a9b2;--line:#3a3d45;--rd:#6db3f2;--wr:#f0a15c;--lat:#b5a6f2;"
	"--warn:#f0a15c;--bad:#ff8a80;--good:#7fd196;--heat:109,179,242}}\n"
	"@media print{:root{color-scheme:light;--bg:#fff;--fg:#000;--dim:#444;"
	"--line:#999;--rd:#1f6fb4;--wr:#b5530b;--lat:#5d4aa3;"
	"--heat:31,111,180}section{break-inside:avoid}"
	"*{print-color-adjust:exact}}\n"
	"body{background:var(--bg);color:var(--fg);font:15px/1.45 system-ui,"
	"sans-serif;max-width:62rem;margin:0 auto;padding:1rem}\n"
	"h1{font-size:1.5rem;overflow-wrap:anywhere}h2{font-size:1.2rem;"
	"border-bottom:1px solid var(--line);margin-top:2rem}"
	"h3{font-size:1rem;margin:1rem 0 .3rem;overflow-wrap:anywhere}\n"
	"dl{display:flex;flex-wrap:wrap;gap:.3rem 1.6rem;margin:0}"
	"dt{color:var(--dim);font-size:.8rem}dd{margin:0;overflow-wrap:"
	"anywhere}"
	"dl.big{margin-top:.6rem}dl.big dd{font-size:1.5rem}\n"
	"table{border-collapse:collapse;font-size:.85rem}caption{text-align:"
	"left;color:var(--dim)}th,td{border-bottom:1px solid var(--line);"
	"padding:.15rem .8rem .15rem 0;text-align:left;vertical-align:top;"
	"overflow-wrap:break-word}th{font-weight:600}\n"
	".two{display:grid;grid-template-columns:repeat(auto-fit,"
	"minmax(min(22rem,100%),1fr));gap:0 2rem}.two>div{min-width:0}\n"
	".wide{overflow-x:auto}svg{width:100%;height:auto;display:block;"
	"margin:.4rem 0}text{fill:var(--fg);font:11px system-ui,sans-serif}"
	"code{font-size:.85rem;overflow-wrap:anywhere}"
	"summary{color:var(--dim);cursor:pointer;font-size:.85rem}\n"
	".rd{fill:var(--rd)}.wr{fill:var(--wr)}.lat{fill:var(--lat)}"
	".axis{fill:var(--dim)}.bad{color:var(--bad)}.good{color:var(--good)}"
	".warn{color:var(--warn)}.dim{color:var(--dim)}\n"
	".h0{fill:none;stroke:var(--line)}.h1{fill:rgba(var(--heat),.15)}"
	".h2{fill:rgba(var(--heat),.28)}.h3{fill:rgba(var(--heat),.42)}"
	".h4{fill:rgba(var(--heat),.56)}.h5{fill:rgba(var(--heat),.7)}"
	".h6{fill:rgba(var(--heat),.85)}.h7{fill:rgb(var(--heat))}\n"
	".c0{fill:none;stroke:var(--line)}.c1{fill:rgba(var(--heat),.25);"
	"stroke:var(--rd)}.c2{fill:none;stroke:var(--bad);stroke-width:2}"
	".c3{fill:rgba(var(--heat),.6);stroke:var(--rd)}\n"
	".key span{display:inline-block;width:1em;height:1em;"
	"border:1px solid var(--line);vertical-align:-.15em;margin-left:.8em}"
	".k3{background:rgba(var(--heat),.6)}.k1{background:rgba(var(--heat),"
	".25)}.key .k2{border:2px solid var(--bad)}\n"
	"ol.advice li{margin:.6rem 0}ol.advice p{margin:.1rem 0}\n";

/* ---- who and what ------------------------------------------------------------- */

static void put_head(struct page *page)
{
	const struct job_report *r = page->report;

	page_raw(page,
		 "<!DOCTYPE html>\n<html lang=\"en\"><head>"
		 "<meta charset=\"utf-8\"/>"
		 "<meta http-equiv=\"Content-Security-Policy\" "
		 "content=\"default-src 'none'; style-src 'unsafe-inline'\"/>"
		 "<meta name=\"viewport\" content=\"width=device-width, "
		 "initial-scale=1\"/><title>Job ");
	page_put(page, r->id);
	page_raw(page, "</title><style>\n%s</style></head>\n<body><main>\n",
		 style);
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
		snprintf(text, sizeof(text), "%lld, signal %lld",
			 (long long)job->exit_code, (long long)job->signal);
	page_fact(page, "Exit code", text);
}

static void fact_time(struct page *page, const char *name, double when)
{
	time_t seconds = (time_t)when;
	char text[64];
	struct tm tm;

	if (when >= 0 && localtime_r(&seconds, &tm) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		page_fact(page, name, text);
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
		snprintf(text, sizeof(text), "%lld, of which %lld reported",
			 (long long)nodes, (long long)s->nodes_seen);
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
		page_fact(page, "Metadata operations",
			  job_count(s->meta, text));
	page_raw(page, "</dl>\n");
	if (s->scope == SUMMARY_SCOPE_NODE)
		page_raw(page, "<p class=\"warn\">NODE-WIDE: with whatever "
			       "else ran on the nodes.</p>\n");
	if (s->flags & RECORD_FLAG(ALL_FILES))
		page_raw(page, "<p class=\"dim\">Of all files, pipes and "
			       "sockets, not only of the filesystems "
			       "above.</p>\n");
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
	const struct job_report *r = page->report;
	const struct summary *s = &r->summary;
	struct advice_list *list;
	size_t i;

	if (!r->record_count || r->advice == ADVICE_WANT_NONE)
		return;
	list = advice_new(r->records, r->record_count,
			  !r->left_out && s->nodes_expected >= 0 &&
				  s->nodes_seen >= s->nodes_expected,
			  r->limits);
	page_section(page, "Advice");
	if (!list || !list->is_judged)
		page_raw(page, "<p>Too little to judge.</p>\n");
	else if (!list->count)
		page_raw(page, "<p>Nothing to change.</p>\n");
	page_raw(page, list && list->count ? "<ol class=\"advice\">\n" : "");
	for (i = 0; list && i < list->count; i++)
		put_one(page, &list->list[i]);
	page_raw(page, list && list->count ? "</ol>\n" : "");
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
			 "<li>%lld records are not shown: they do not fit into "
			 "the answer</li>\n",
			 (long long)r->left_out);
	if (!strcmp(r->source, "sacct")) {
		page_raw(page, "<li>from sacct, three digits and no details: ");
		page_put(page, r->why_not_ledger);
		page_raw(page, "</li>\n");
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
	page_raw(page, "</main></body></html>\n");
}

char *page_text(const struct job_report *report, struct err *err)
{
	struct page page = { .report = report };
	char *text = NULL;
	size_t size = 0;

	page.out = open_memstream(&text, &size);
	if (report->record_count && !report->left_out)
		page.lines =
			run_lines_new(report->records, report->record_count);
	if (page.out) {
		put_all(&page);
		if (fclose(page.out) == 0) {
			run_lines_free(page.lines);
			return text;
		}
	}
	run_lines_free(page.lines);
	free(text);
	err_set(err, "page: out of memory");
	return NULL;
}

int page_write(const char *file, const struct job_report *report,
	       struct err *err)
{
	char *text = page_text(report, err);
	mode_t mask = umask(0);
	int rc;

	umask(mask);
	if (!text)
		return -1;
	rc = fileio_write(file, text, strlen(text), 0666 & ~mask, err);
	free(text);
	return rc;
}
