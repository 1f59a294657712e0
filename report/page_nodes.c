/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How evenly a job's nodes worked, and on which CPUs their clients did. */
#include <string.h>

#include "lib/cpuset.h"
#include "report/job_io.h"
#include "report/page_out.h"

#define LEVELS 8
#define ACROSS 50 /* nodes in a row */
#define CELL 14
#define PARTS_MAX 3
#define SHAPES_MAX 4 /* kinds of nodes whose CPUs are drawn */
#define CPUS_MAX 512
#define CPUS_ACROSS 32

/* ---- nodes ------------------------------------------------------------------- */

struct amounts {
	int64_t read, written, both;
};

/* What a node did there, as a job; unknown where it says nothing. */
static struct amounts amounts_of(const struct record *record,
				 const struct run_line *line)
{
	struct amounts a = { RECORD_UNKNOWN, RECORD_UNKNOWN, RECORD_UNKNOWN };
	const struct record_io *io;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		if (io->scope != line->first->scope ||
		    strcmp(io->source, line->first->source) != 0 ||
		    strcmp(io->fs ? io->fs : "",
			   line->first->fs ? line->first->fs : "") != 0)
			continue;
		run_add(&a.read, io->numbers[RECORD_READ_BYTES]);
		run_add(&a.written, io->numbers[RECORD_WRITE_BYTES]);
	}
	run_add(&a.both, a.read);
	run_add(&a.both, a.written);
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

static int level_of(int64_t amount, int64_t most)
{
	int level;

	if (amount <= 0)
		return 0;
	level = 1 + (int)((double)amount / (double)most * (LEVELS - 1.01));
	return level < LEVELS ? level : LEVELS - 1;
}

/* All nodes of a level are one path. */
static void draw_level(struct page *page, const struct run_line *line,
		       int64_t most, int level)
{
	const struct job_report *r = page->report;
	char class[8];
	size_t i;

	snprintf(class, sizeof(class), "h%d", level);
	page_path(page, class);
	for (i = 0; i < r->record_count; i++)
		if (level_of(amounts_of(r->records[i], line).both, most) ==
		    level)
			page_bar(page, (double)(i % ACROSS) * CELL,
				 (double)(i / ACROSS) * CELL, CELL - 1,
				 CELL - 1);
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
	snprintf(about, sizeof(about),
		 "One square a node, %zu of them, the darker the more it "
		 "moved; the busiest moved %s.",
		 r->record_count, job_bytes(most, text));
	page_picture(page, "How much each node moved", about, PAGE_WIDE,
		     (int)((r->record_count + ACROSS - 1) / ACROSS) * CELL);
	for (level = 0; level < LEVELS; level++)
		draw_level(page, line, most, level);
	page_picture_end(page);
}

static void list_nodes(struct page *page, const struct run_line *const *parts,
		       size_t count)
{
	const struct job_report *r = page->report;
	char head[300] = "Node", text[64];
	struct amounts a;
	size_t i, k;

	for (k = 0; k < count; k++) {
		snprintf(text, sizeof(text), "|Read %zu|Written %zu", k + 1,
			 k + 1);
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
		page_raw(page,
			 ", moved %.2f times as much as the mean one.</p>\n",
			 s->imbalance);
	}
	if (s->slowest_ns >= 0) {
		summary_time(s->slowest_ns, text, sizeof(text));
		page_raw(page, "<p>The processes of ");
		page_put(page, s->slowest);
		page_raw(page,
			 " spent most time in read and write calls: %s."
			 "</p>\n",
			 text);
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

/* ---- cores ------------------------------------------------------------------- */

/* The CPUs of one kind of nodes; what is unknown is "". */
struct shape {
	const char *reserved, *client;
	size_t nodes;
	const char *first; /* node */
};

static const char *client_cpus(const struct record *record)
{
	size_t i;

	for (i = 0; i < record->client_count; i++)
		if (record->clients[i].cpus)
			return record->clients[i].cpus;
	return "";
}

static size_t find_shapes(const struct job_report *r,
			  struct shape shapes[SHAPES_MAX])
{
	size_t i, k, count = 0;

	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];
		const char *os = record->has_io_cores && record->io_cores_os
					 ? record->io_cores_os
					 : "";
		const char *cpus = client_cpus(record);

		if (!*os && !*cpus)
			continue;
		for (k = 0; k < count; k++)
			if (!strcmp(shapes[k].reserved, os) &&
			    !strcmp(shapes[k].client, cpus))
				break;
		if (k == SHAPES_MAX)
			continue;
		if (k == count)
			shapes[count++] =
				(struct shape){ os, cpus, 0, record->node };
		shapes[k].nodes++;
	}
	return count;
}

/* What is no list is none. */
static void read_cpus(struct cpuset *set, const char *list)
{
	if (!*list || cpuset_parse(set, list, NULL) < 0)
		cpuset_zero(set);
}

static void draw_cpus(struct page *page, const char *class,
		      const struct cpuset *reserved,
		      const struct cpuset *client, unsigned int count, int kind)
{
	unsigned int cpu;

	page_path(page, class);
	for (cpu = 0; cpu < count; cpu++)
		if (cpuset_has(reserved, cpu) + 2 * cpuset_has(client, cpu) ==
		    kind)
			page_bar(page, cpu % CPUS_ACROSS * 22.0,
				 cpu / CPUS_ACROSS * 22.0, 20, 20);
	page_path_end(page);
}

static unsigned int last_cpu(const struct cpuset *set)
{
	unsigned int cpu, last = 0;

	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		if (cpuset_has(set, cpu))
			last = cpu;
	return last;
}

static void draw_shape(struct page *page, const struct shape *shape)
{
	struct cpuset reserved, client;
	char about[400], number[16];
	unsigned int cpu, count;

	read_cpus(&reserved, shape->reserved);
	read_cpus(&client, shape->client);
	count = last_cpu(&reserved) > last_cpu(&client) ? last_cpu(&reserved)
							: last_cpu(&client);
	count++;
	snprintf(about, sizeof(about),
		 "CPUs 0 to %u: reserved for the client by Slurm: %.80s; the "
		 "client works on: %.80s.",
		 count - 1, *shape->reserved ? shape->reserved : "none",
		 *shape->client ? shape->client : "unknown");
	page_picture(page, "CPUs of the client", about, PAGE_WIDE,
		     (int)((count + CPUS_ACROSS - 1) / CPUS_ACROSS) * 22);
	draw_cpus(page, "c0", &reserved, &client, count, 0);
	draw_cpus(page, "c1", &reserved, &client, count, 1);
	draw_cpus(page, "c2", &reserved, &client, count, 2);
	draw_cpus(page, "c3", &reserved, &client, count, 3);
	for (cpu = 0; cpu < count; cpu++) {
		if (!cpuset_has(&reserved, cpu) && !cpuset_has(&client, cpu))
			continue;
		snprintf(number, sizeof(number), "%u", cpu);
		page_label(page, cpu % CPUS_ACROSS * 22.0 + 10,
			   cpu / CPUS_ACROSS * 22.0 + 14, "middle", number);
	}
	page_picture_end(page);
}

void page_cores(struct page *page)
{
	struct shape shapes[SHAPES_MAX];
	size_t i, count = find_shapes(page->report, shapes);

	if (!count)
		return;
	page_section(page, "Cores");
	page_raw(page, "<p class=\"key\"><span class=\"k3\"></span> reserved "
		       "and the client's <span class=\"k1\"></span> reserved, "
		       "the client is not there <span class=\"k2\"></span> the "
		       "client's, not reserved <span class=\"k0\"></span> "
		       "other CPUs, as far as they are known</p>\n");
	for (i = 0; i < count; i++)
		draw_shape(page, &shapes[i]);
	page_details(page, "CPUs by kind of node",
		     "Nodes|One of them|Reserved|The client&#39;s");
	for (i = 0; i < count; i++) {
		page_raw(page, "<tr><td>%zu</td>", shapes[i].nodes);
		page_cell(page, shapes[i].first);
		page_cell(page, shapes[i].reserved);
		page_cell(page, shapes[i].client);
		page_raw(page, "</tr>\n");
	}
	page_details_end(page);
	page_section_end(page);
}
