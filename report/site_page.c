/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A site's sums as a page: no network, no script, as that of a job. */
#include "report/site.h"

#include "advice/advice.h"
#include "report/job_io.h"
#include "report/page_out.h"
#include "report/when.h"

#define BAR_HIGH 14
#define BARS_MAX 10
#define NAME_ROOM 200

static void put_facts(struct page *page, const struct site *site)
{
	const struct tally *t = site->tally;
	char since[WHEN_SIZE], until[WHEN_SIZE], text[200];

	page_raw(page, "<h1>Filesystems of the site</h1>\n<dl>\n");
	page_fact(page, "From", when_text(site->since_s, since));
	page_fact(page, "To", when_text(site->until_s, until));
	page_fact(page, "Jobs", job_count(t->jobs, text));
	page_fact(page, "Node hours", site_hours(t->node_s, text));
	if (t->wide)
		page_fact(page, "Not added: node-wide numbers", job_count(t->wide, text));
	if (site->silent)
		page_fact(page, "Not added: no summary", job_count(site->silent, text));
	page_raw(page, "</dl>\n<p class=\"%s\">gate: ", t->warned_jobs ? "warn" : "dim");
	site_gate_words(site, text, sizeof(text));
	page_put(page, text);
	page_raw(page, ".</p>\n");
	if (*site->why_not_ledger) {
		page_say(page, "<p class=\"warn\">From the summaries in sacct, without advice: ",
			 site->why_not_ledger, ".</p>\n");
	}
}

static double moved(const struct tally_sum *sum)
{
	return (sum->numbers[IO_READ_BYTES] > 0 ? (double)sum->numbers[IO_READ_BYTES] : 0) +
	       (sum->numbers[IO_WRITE_BYTES] > 0 ? (double)sum->numbers[IO_WRITE_BYTES] : 0);
}

/* What was read and, behind it, written, by the largest. */
static void draw(struct page *page, const struct tally *t, enum tally_kind kind)
{
	const struct tally_sum *sums = t->sums[kind];
	size_t i, count = t->counts[kind] < BARS_MAX ? t->counts[kind] : BARS_MAX;
	double wide = PAGE_WIDE - NAME_ROOM, most = moved(&sums[0]), read;
	char name[SITE_NAME], about[100];

	if (most <= 0)
		return;
	snprintf(about, sizeof(about), "Bytes read and written by %s, the %zu that moved most.",
		 tally_names[kind], count);
	page_picture(page, "Read and written", about, PAGE_WIDE, (int)count * (BAR_HIGH + 4));
	for (i = 0; i < count; i++) {
		read = sums[i].numbers[IO_READ_BYTES] > 0
			       ? (double)sums[i].numbers[IO_READ_BYTES] / most * wide
			       : 0;
		page_path(page, "rd");
		page_bar(page, NAME_ROOM, (double)i * (BAR_HIGH + 4), read, BAR_HIGH);
		page_path_end(page);
		page_path(page, "wr");
		page_bar(page, NAME_ROOM + read, (double)i * (BAR_HIGH + 4),
			 moved(&sums[i]) / most * wide - read, BAR_HIGH);
		page_path_end(page);
		snprintf(about, sizeof(about), "%.28s", site_name(t, kind, &sums[i], name));
		page_label(page, NAME_ROOM - 6, (double)i * (BAR_HIGH + 4) + 11, "end", about);
	}
	page_picture_end(page);
}

static void put_sum(struct page *page, const struct tally *t, enum tally_kind kind,
		    const struct tally_sum *sum)
{
	char text[SITE_NAME];

	page_say(page, "<tr><th scope=\"row\">", site_name(t, kind, sum, text), "</th>");
	page_cell_count(page, sum->jobs);
	page_cell(page, site_hours(sum->node_s, text));
	if (kind == TALLY_ADVICE) {
		const char *cure = advice_cure(sum->name);

		page_cell(page, cure ? cure : "of a later version");
	} else {
		page_cell_bytes(page, sum->numbers[IO_READ_BYTES]);
		page_cell_bytes(page, sum->numbers[IO_WRITE_BYTES]);
		page_cell_count(page, sum->numbers[IO_META_CALLS]);
		page_cell_bytes(page, sum->numbers[IO_PEAK_READ]);
		snprintf(text, sizeof(text), "%lld", (long long)sum->peak_job);
		page_cell(page, sum->numbers[IO_PEAK_READ] < 0 ? "-" : text);
	}
	page_raw(page, "</tr>\n");
}

static void end_table(struct page *page, size_t count, size_t limit)
{
	page_table_end(page);
	if (count > limit)
		page_raw(page, "<p>and %zu more</p>\n", count - limit);
	page_section_end(page);
}

static void put_table(struct page *page, const struct site *site, enum tally_kind kind,
		      size_t limit)
{
	const struct tally *t = site->tally;
	char title[40], head[120];
	size_t i;

	if (!t->counts[kind])
		return;
	snprintf(title, sizeof(title), "%s", tally_names[kind]);
	*title = (char)(*title - 'a' + 'A');
	page_section(page, title);
	if (kind != TALLY_ADVICE)
		draw(page, t, kind);
	snprintf(head, sizeof(head), "%s|Jobs|Node hours|%s", site_heads[kind],
		 kind == TALLY_ADVICE ? "Do" : "Read|Written|Metadata|Peak in a second|Its job");
	page_table(page, title, head);
	for (i = 0; i < t->counts[kind] && i < limit; i++)
		put_sum(page, t, kind, &t->sums[kind][i]);
	end_table(page, t->counts[kind], limit);
}

static void put_gate(struct page *page, const struct site *site, size_t limit)
{
	const struct tally *t = site->tally;
	char text[24];
	size_t i;

	if (!t->gate_count)
		return;
	page_section(page, "Gate");
	page_table(page, "Jobs with tasks that could run on a client's CPUs",
		   "Job|Cluster|User|Tasks that ran|Tasks that were refused");
	for (i = 0; i < t->gate_count && i < limit; i++) {
		snprintf(text, sizeof(text), "%lld", (long long)t->gate[i].job);
		page_raw(page, "<tr>");
		page_cell(page, text);
		page_cell(page, t->gate[i].cluster);
		page_cell(page, t->gate[i].user);
		page_cell_count(page, t->gate[i].warned);
		page_cell_count(page, t->gate[i].refused);
		page_raw(page, "</tr>\n");
	}
	end_table(page, t->gate_count, limit);
}

int site_page_write(const char *file, const struct site *site, size_t limit, struct err *err)
{
	struct page page = { 0 };
	int kind;

	page_open(&page);
	page_begin(&page, "", "Filesystems of the site");
	put_facts(&page, site);
	for (kind = 0; kind < TALLY_KINDS; kind++)
		put_table(&page, site, (enum tally_kind)kind, limit);
	put_gate(&page, site, limit);
	page_end(&page);
	return page_save(file, &page, err);
}
