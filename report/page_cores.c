/* SPDX-License-Identifier: GPL-2.0-or-later */
/* On which CPUs of which socket a job and its clients worked, and where the cards
 * are. A kind: nodes that look the same, drawn once. */
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/cpuset.h"
#include "report/job_view.h"
#include "report/page_out.h"

#define KINDS_MAX 4 /* are drawn; those that come later are counted */
#define CPUS_MAX 512
#define ACROSS 32
#define CELL 22
#define HEAD 18 /* height of the line above a socket */

enum mark {
	MARK_RESERVED,
	MARK_CLIENT,
	MARK_JOB,
	MARK_COUNT
};

struct kind {
	const struct record *record; /* of one of them */
	size_t nodes;
	struct cpuset marks[MARK_COUNT];
	struct cpuset all; /* that are drawn, of all parts */
};

/* ---- which nodes look the same ------------------------------------------------ */

/* What is no list is none. */
static void add_list(struct cpuset *set, const char *list)
{
	struct cpuset some;

	if (list && cpuset_parse(&some, list, NULL) == 0)
		cpuset_or(set, &some);
}

static void read_marks(const struct record *r, struct cpuset marks[MARK_COUNT])
{
	size_t i;

	for (i = 0; i < MARK_COUNT; i++)
		cpuset_zero(&marks[i]);
	if (r->has_io_cores)
		add_list(&marks[MARK_RESERVED], r->io_cores_os);
	for (i = 0; i < r->client_count; i++)
		add_list(&marks[MARK_CLIENT], r->clients[i].cpus);
	add_list(&marks[MARK_JOB], r->job_cpus);
}

static bool is_same_machine(const struct record *a, const struct record *b)
{
	size_t i;

	if (a->part_count != b->part_count || a->client_count != b->client_count)
		return false;
	for (i = 0; i < a->part_count; i++)
		if (a->parts[i].socket != b->parts[i].socket ||
		    a->parts[i].numa_node != b->parts[i].numa_node ||
		    !job_is_same_text(a->parts[i].cpus, b->parts[i].cpus))
			return false;
	for (i = 0; i < a->client_count; i++)
		if (!job_is_same_text(a->clients[i].cards, b->clients[i].cards) ||
		    !job_is_same_text(a->clients[i].card_nodes, b->clients[i].card_nodes))
			return false;
	return true;
}

static bool is_same_kind(const struct kind *kind, const struct record *record,
			 const struct cpuset marks[MARK_COUNT])
{
	size_t i;

	for (i = 0; i < MARK_COUNT; i++)
		if (!cpuset_equal(&kind->marks[i], &marks[i]))
			return false;
	return is_same_machine(kind->record, record);
}

/* Without parts up to the last CPU that is known. */
static void find_all(struct kind *kind)
{
	unsigned int cpu, last = 0;
	size_t i;

	cpuset_zero(&kind->all);
	for (i = 0; i < kind->record->part_count; i++)
		add_list(&kind->all, kind->record->parts[i].cpus);
	if (kind->record->part_count)
		return;
	for (cpu = 0; cpu < CPUS_MAX; cpu++)
		for (i = 0; i < MARK_COUNT; i++)
			if (cpuset_has(&kind->marks[i], cpu))
				last = cpu;
	for (cpu = 0; cpu <= last; cpu++)
		cpuset_add(&kind->all, cpu);
}

/* Nodes of which neither cores nor CPUs of a client are known are in none. */
static size_t find_kinds(const struct job_report *r, struct kind *kinds, size_t *others)
{
	struct cpuset marks[MARK_COUNT];
	size_t i, k, count = 0;

	*others = 0;
	for (i = 0; i < r->record_count; i++) {
		read_marks(r->records[i], marks);
		if (cpuset_is_empty(&marks[MARK_RESERVED]) && cpuset_is_empty(&marks[MARK_CLIENT]))
			continue;
		for (k = 0; k < count; k++)
			if (is_same_kind(&kinds[k], r->records[i], marks))
				break;
		if (k == KINDS_MAX) {
			++*others;
			continue;
		}
		if (k == count) {
			kinds[count].record = r->records[i];
			memcpy(kinds[count].marks, marks, sizeof(marks));
			find_all(&kinds[count++]);
		}
		kinds[k].nodes++;
	}
	return count;
}

/* ---- a part of a node --------------------------------------------------------- */

/* Of a node without parts: all of it. */
static size_t part_count(const struct kind *kind)
{
	return kind->record->part_count ? kind->record->part_count : 1;
}

static void part_cpus(const struct kind *kind, size_t part, struct cpuset *cpus)
{
	*cpus = kind->all;
	if (!kind->record->part_count)
		return;
	cpuset_zero(cpus);
	add_list(cpus, kind->record->parts[part].cpus);
}

static bool is_socket_split(const struct record *r, int64_t socket)
{
	size_t i, parts = 0;

	for (i = 0; i < r->part_count; i++)
		parts += r->parts[i].socket == socket;
	return parts > 1;
}

/* "Socket 1", "Socket 1, NUMA node 3" */
static void part_name(const struct kind *kind, size_t part, char name[64])
{
	const struct record *r = kind->record;
	const struct record_part *p = r->parts + part;
	int used = 0;

	*name = '\0';
	if (!r->part_count) {
		snprintf(name, 64, "CPUs 0 to %u", cpuset_count(&kind->all) - 1);
		return;
	}
	if (p->socket >= 0)
		used = snprintf(name, 64, "Socket %lld", (long long)p->socket);
	if (p->numa_node >= 0 &&
	    (p->socket < 0 || is_socket_split(r, p->socket) || p->numa_node != p->socket))
		snprintf(name + used, 64 - (size_t)used, "%sNUMA node %lld", used ? ", " : "",
			 (long long)p->numa_node);
	else if (!used)
		snprintf(name, 64, "CPUs");
}

/* Where a card is, is a NUMA node; of a client's cards at several, nobody wrote
 * down which is where. */
static void put_cards(FILE *out, const struct kind *kind, size_t part)
{
	const struct record *r = kind->record;
	const struct record_client *c;
	struct cpuset nodes;
	bool is_first = true;
	size_t i;

	for (i = 0; i < r->client_count; i++) {
		c = &r->clients[i];
		cpuset_zero(&nodes);
		add_list(&nodes, c->card_nodes);
		if (!c->cards || part >= r->part_count || r->parts[part].numa_node < 0 ||
		    !cpuset_has(&nodes, (unsigned)r->parts[part].numa_node))
			continue;
		fprintf(out, "%s%s%.60s%s of %s", is_first ? "" : "; ",
			cpuset_count(&nodes) > 1 ? "one of " : "", c->cards,
			strlen(c->cards) > 60 ? ".." : "", *c->name ? c->name : c->type);
		is_first = false;
	}
}

static char *part_cards(const struct kind *kind, size_t part)
{
	char *text = NULL;
	size_t size;
	FILE *out = xneed(open_memstream(&text, &size));

	put_cards(out, kind, part);
	fclose(out);
	return text;
}

/* Those of the part; caller frees. */
static char *part_marks(const struct kind *kind, size_t part, enum mark mark)
{
	struct cpuset cpus;

	part_cpus(kind, part, &cpus);
	cpuset_and(&cpus, &kind->marks[mark]);
	return xneed(cpuset_format(&cpus));
}

/* ---- pictures ------------------------------------------------------------------ */

static void say_part(FILE *out, const struct kind *kind, size_t part)
{
	static const char *const words[MARK_COUNT] = { "reserved for the client by Slurm",
						       "the client works on",
						       "the job's tasks could run on" };
	struct cpuset cpus;
	char name[64], *list;
	bool is_known;
	size_t mark;

	part_name(kind, part, name);
	fprintf(out, "%s%s: ", part ? " " : "", name);
	if (kind->record->part_count) {
		part_cpus(kind, part, &cpus);
		list = xneed(cpuset_format(&cpus));
		fprintf(out, "CPUs %s; ", list);
		free(list);
	}
	for (mark = 0; mark < MARK_COUNT; mark++) {
		is_known = !cpuset_is_empty(&kind->marks[mark]);
		if (mark == MARK_JOB && !is_known)
			break;
		list = part_marks(kind, part, mark);
		fprintf(out, "%s%s: %s", mark ? "; " : "", words[mark],
			mark == MARK_CLIENT && !is_known ? "unknown"
			: *list				 ? list
							 : "none");
		free(list);
	}
	list = part_cards(kind, part);
	if (*list)
		fprintf(out, "; card: %s", list);
	free(list);
	fputc('.', out);
}

/* What the picture shows, in words. */
static char *kind_words(const struct kind *kind)
{
	char *text = NULL;
	size_t size, part;
	FILE *out = xneed(open_memstream(&text, &size));

	for (part = 0; part < part_count(kind); part++)
		say_part(out, kind, part);
	fclose(out);
	return text;
}

static int part_height(const struct kind *kind, size_t part)
{
	struct cpuset cpus;
	unsigned int count;

	part_cpus(kind, part, &cpus);
	count = cpuset_count(&cpus);
	count = count > CPUS_MAX ? CPUS_MAX : count;
	return HEAD + (int)((count + ACROSS - 1) / ACROSS) * CELL + 14;
}

/* 0: neither, 1: reserved, 2: the client's, 3: both */
static int look_of(const struct kind *kind, int cpu)
{
	return cpuset_has(&kind->marks[MARK_RESERVED], (unsigned)cpu) +
	       2 * cpuset_has(&kind->marks[MARK_CLIENT], (unsigned)cpu);
}

/* The squares of one look; of none, nothing. */
static void draw_cpus(struct page *page, const struct kind *kind, const struct cpuset *cpus,
		      int top, int look)
{
	bool is_begun = false;
	char class[8];
	int cpu, at = -1;

	snprintf(class, sizeof(class), "c%d", look);
	cpuset_for_each (cpu, cpus) {
		if (++at >= CPUS_MAX || look_of(kind, cpu) != look)
			continue;
		if (!is_begun)
			page_path(page, class);
		is_begun = true;
		page_bar(page, at % ACROSS * CELL + 4.0, at / ACROSS * CELL + top, 20, 20);
	}
	if (is_begun)
		page_path_end(page);
}

/* A bar at the foot of each CPU of the job, one for those that are neighbours. */
static void draw_job(struct page *page, const struct cpuset *job, const struct cpuset *cpus,
		     int top)
{
	int cpu, at = 0, from = -1, last = (int)cpuset_count(cpus) - 1;
	bool is_jobs, is_end;

	page_path(page, "cj");
	cpuset_for_each (cpu, cpus) {
		is_jobs = cpuset_has(job, (unsigned)cpu);
		from = is_jobs && from < 0 ? at : from;
		is_end = !is_jobs || at % ACROSS == ACROSS - 1 || at == last;
		if (from >= 0 && is_end && at < CPUS_MAX) {
			page_bar(page, from % ACROSS * CELL + 6.0, from / ACROSS * CELL + top + 15,
				 (at - from + is_jobs) * CELL - 6, 3);
			from = -1;
		}
		at++;
	}
	page_path_end(page);
}

static void draw_numbers(struct page *page, const struct kind *kind, const struct cpuset *cpus,
			 int top)
{
	char number[16];
	int cpu, at = 0;

	cpuset_for_each (cpu, cpus) {
		snprintf(number, sizeof(number), "%d", cpu);
		if (at < CPUS_MAX && look_of(kind, cpu))
			page_label(page, at % ACROSS * CELL + 14.0, at / ACROSS * CELL + top + 13,
				   "middle", number);
		at++;
	}
}

/* The card stands on the frame of its socket. */
static void draw_card(struct page *page, const char *cards, int top)
{
	char label[100];

	page_path(page, "cn");
	page_bar(page, 180, top + 4.0, 26, HEAD - 7);
	page_path_end(page);
	snprintf(label, sizeof(label), "card %.70s%s", cards, strlen(cards) > 70 ? ".." : "");
	page_label(page, 212, top + 13, "start", label);
}

static void draw_part(struct page *page, const struct kind *kind, size_t part, int top)
{
	int look, high = part_height(kind, part);
	struct cpuset cpus;
	char name[64], *cards = part_cards(kind, part);

	part_cpus(kind, part, &cpus);
	if (kind->record->part_count) {
		part_name(kind, part, name);
		page_label(page, 4, top + 13, "start", name);
		page_path(page, "cs");
		page_bar(page, 0.5, top + HEAD - 3.0, PAGE_WIDE - 8, high - HEAD - 9);
		page_path_end(page);
	}
	if (cards && *cards)
		draw_card(page, cards, top);
	free(cards);
	for (look = 0; look < 4; look++)
		draw_cpus(page, kind, &cpus, top + HEAD, look);
	if (cpuset_intersects(&cpus, &kind->marks[MARK_JOB]))
		draw_job(page, &kind->marks[MARK_JOB], &cpus, top + HEAD);
	draw_numbers(page, kind, &cpus, top + HEAD);
}

static void draw_kind(struct page *page, const struct kind *kind)
{
	char *about = kind_words(kind);
	size_t part;
	int high = 0;

	for (part = 0; part < part_count(kind); part++)
		high += part_height(kind, part);
	page_picture(page, "CPUs of the job and of the client", about ? about : "", PAGE_WIDE,
		     high);
	high = 0;
	for (part = 0; part < part_count(kind); part++) {
		draw_part(page, kind, part, high);
		high += part_height(kind, part);
	}
	page_picture_end(page);
	free(about);
}

/* ---- the section ---------------------------------------------------------------- */

static void put_key(struct page *page, const struct kind *kinds, size_t count)
{
	bool has_job = false, has_card = false;
	size_t i, k;

	for (i = 0; i < count; i++) {
		has_job |= !cpuset_is_empty(&kinds[i].marks[MARK_JOB]);
		for (k = 0; k < kinds[i].record->client_count; k++)
			has_card |= kinds[i].record->part_count &&
				    kinds[i].record->clients[k].card_nodes;
	}
	page_raw(
		page,
		"<p class=\"key\"><span class=\"k3\"></span> reserved and the client's <span class=\"k1\"></span> reserved, the client is not there <span class=\"k2\"></span> the client's, not reserved <span class=\"k0\"></span> other CPUs, as far as they are known%s%s</p>\n",
		has_job ? " <span class=\"kj\"></span> the job's tasks could run there" : "",
		has_card ? " <span class=\"kn\"></span> card of the client" : "");
}

static void cell_free(struct page *page, char *text)
{
	page_cell(page, text ? text : "");
	free(text);
}

static void list_kind(struct page *page, const struct kind *kind)
{
	struct cpuset cpus;
	char name[64];
	size_t part, mark;

	for (part = 0; part < part_count(kind); part++) {
		page_raw(page, "<tr><td>%zu</td>", kind->nodes);
		page_cell(page, kind->record->node);
		part_name(kind, part, name);
		page_cell(page, name);
		part_cpus(kind, part, &cpus);
		cell_free(page, cpuset_format(&cpus));
		for (mark = 0; mark < MARK_COUNT; mark++)
			cell_free(page, part_marks(kind, part, mark));
		cell_free(page, part_cards(kind, part));
		page_raw(page, "</tr>\n");
	}
}

void page_cores(struct page *page)
{
	struct kind *kinds = xcalloc(KINDS_MAX, sizeof(*kinds));
	size_t i, others, count = find_kinds(page->report, kinds, &others);

	if (!count) {
		free(kinds);
		return;
	}
	page_section(page, "Cores");
	put_key(page, kinds, count);
	for (i = 0; i < count; i++)
		draw_kind(page, &kinds[i]);
	page_details(page, "CPUs by kind of node",
		     "Nodes|One of them|Where|CPUs|Reserved|The client&#39;s|The job&#39;s|Card");
	for (i = 0; i < count; i++)
		list_kind(page, &kinds[i]);
	page_details_end(page);
	if (others)
		page_raw(page, "<p>and %zu nodes that look otherwise</p>\n", others);
	page_section_end(page);
	free(kinds);
}
