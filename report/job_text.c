/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a report looks: as text for people, as JSON and CSV for programs. */
#include <json-c/json.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/utf8.h"
#include "report/job_report.h"

#define NODES_SHOWN 16
#define NAMES_SHOWN 8
#define LINES_MAX 64

/* ---- numbers ------------------------------------------------------------- */

static const char *bytes(int64_t number, char *out)
{
	if (number < 0)
		return "unknown";
	summary_bytes(number, out, 16);
	return out;
}

static const char *count(int64_t number, char *out)
{
	if (number < 0)
		return "unknown";
	summary_count(number, out, 16);
	return out;
}

static void add_known(int64_t *sum, int64_t number)
{
	if (number < 0)
		return;
	if (*sum < 0)
		*sum = 0;
	*sum = number > INT64_MAX - *sum ? INT64_MAX : *sum + number;
}

/* ---- the lines of I/O ---------------------------------------------------- */

enum line_kind {
	LINE_APP,   /* what the job asked for, by the best source of the node */
	LINE_OTHER, /* the same, as another source saw it */
	LINE_WIRE   /* what the client did */
};

/* The same line of all nodes together: kind, scope, source and files are its
 * name. */
struct io_line {
	const struct record_io *first;
	struct record_io sum;
	enum line_kind kind;
	size_t nodes;
};

static int is_same(const struct io_line *line, const struct record_io *io,
		   enum line_kind kind)
{
	const char *a = line->first->fs ? line->first->fs : "";

	return line->kind == kind && line->first->scope == io->scope &&
	       !strcmp(line->first->source, io->source) &&
	       !strcmp(a, io->fs ? io->fs : "");
}

static void add_io(struct record_io *sum, const struct record_io *io)
{
	int i, bin;

	for (i = 0; i < RECORD_NUMBER_COUNT; i++)
		add_known(&sum->numbers[i], io->numbers[i]);
	for (i = 0; i < RECORD_PEAK_COUNT; i++)
		if (io->peak[i] > sum->peak[i])
			sum->peak[i] = io->peak[i];
	for (i = 0; io->has_meta && i < RECORD_META_COUNT; i++)
		add_known(&sum->meta[i], io->meta[i]);
	sum->has_meta |= io->has_meta;
	for (i = 0; i < RECORD_HIST_COUNT; i++) {
		sum->has_hist[i] |= io->has_hist[i];
		for (bin = 0; io->has_hist[i] && bin < RECORD_BINS; bin++)
			add_known(&sum->hist[i][bin], io->hist[i][bin]);
	}
}

static size_t add_line(struct io_line *lines, size_t used,
		       const struct record_io *io, enum line_kind kind)
{
	size_t at;

	for (at = 0; at < used && !is_same(&lines[at], io, kind);)
		at++;
	if (at == LINES_MAX)
		return used;
	if (at == used) {
		lines[used].first = io;
		lines[used].kind = kind;
		record_io_init(&lines[used++].sum);
	}
	lines[at].nodes++;
	add_io(&lines[at].sum, io);
	return used;
}

/* The source of the node's numbers; its lines of other filesystems than the
 * client's are told too, and are not the same I/O. */
static const char *best_source(const struct record *record,
			       enum record_scope scope)
{
	uint64_t best = record_best_app(record, scope);
	size_t i;

	for (i = 0; i < record->app_count; i++)
		if (best >> i & 1)
			return record->app[i].source;
	return "";
}

static size_t add_lines(struct io_line *lines, size_t used,
			const struct record *record)
{
	const struct record_io *io;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		io = &record->app[i];
		used = add_line(
			lines, used, io,
			strcmp(io->source, best_source(record, io->scope))
				? LINE_OTHER
				: LINE_APP);
	}
	for (i = 0; i < record->wire_count; i++)
		used = add_line(lines, used, &record->wire[i], LINE_WIRE);
	return used;
}

/* Blocks from low to high; plain letters where the terminal has no UTF-8. */
static void print_hist(FILE *out, const char *name, const int64_t *hist,
		       int is_time)
{
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄",
					      "▅", "▆", "▇", "█" };
	static const char plain[] = " .:-=+*%#";
	int is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	int bin, first = -1, last = -1;
	char low[16], high[16];
	int64_t most = 0;

	for (bin = 0; bin < RECORD_BINS; bin++) {
		if (hist[bin] <= 0)
			continue;
		first = first < 0 ? bin : first;
		last = bin;
		most = hist[bin] > most ? hist[bin] : most;
	}
	if (first < 0)
		return;
	fprintf(out, "                %-12s ", name);
	for (bin = first; bin <= last; bin++) {
		int level = hist[bin] <= 0 ? 0
					   : 1 + (int)((double)hist[bin] *
						       7.99 / (double)most);

		if (is_utf8)
			fputs(blocks[level > 8 ? 8 : level], out);
		else
			fputc(plain[level > 8 ? 8 : level], out);
	}
	if (is_time) {
		summary_time(INT64_C(1) << (first > 62 ? 62 : first), low,
			     sizeof(low));
		summary_time(INT64_C(1) << (last > 61 ? 62 : last + 1), high,
			     sizeof(high));
	} else {
		summary_bytes(INT64_C(1) << (first > 62 ? 62 : first), low,
			      sizeof(low));
		summary_bytes(INT64_C(1) << (last > 61 ? 62 : last + 1), high,
			      sizeof(high));
	}
	fprintf(out, "  %s to %s\n", low, high);
}

static void print_meta(FILE *out, const struct record_io *io, double seconds)
{
	const char *before = "                metadata     ";
	int64_t all = 0;
	char text[16];
	int i;

	for (i = 0; io->has_meta && i < RECORD_META_COUNT; i++) {
		if (io->meta[i] <= 0)
			continue;
		fprintf(out, "%s%s %s", before,
			record_meta_name((unsigned int)i),
			count(io->meta[i], text));
		add_known(&all, io->meta[i]);
		before = ", ";
	}
	if (*before != ',')
		return;
	if (seconds > 0)
		fprintf(out, "; %s/s",
			count((int64_t)((double)all / seconds), text));
	fputc('\n', out);
}

static void print_rate(FILE *out, int64_t number, int64_t calls, double seconds)
{
	char text[16];

	if (number > 0 && calls > 0)
		fprintf(out, ", %s a call", bytes(number / calls, text));
	if (number > 0 && seconds > 0)
		fprintf(out, ", %s/s",
			bytes((int64_t)((double)number / seconds), text));
	fputc('\n', out);
}

static void print_one(FILE *out, const char *what, int64_t number,
		      int64_t calls, double seconds)
{
	char a[16], b[16];

	fprintf(out, "                %-12s %s", what, bytes(number, a));
	if (calls >= 0)
		fprintf(out, " in %s calls", count(calls, b));
	print_rate(out, number, calls, seconds);
}

/* Of one node: those of several need not be of the same second. */
static void print_peak(FILE *out, int64_t rd, int64_t wr)
{
	char a[16], b[16];

	if (rd >= 0 || wr >= 0)
		fprintf(out,
			"                %-12s %s read, %s written: the most "
			"that one node moved in a second\n",
			"peak", bytes(rd, a), bytes(wr, b));
}

static const char *span(int64_t us, char *out)
{
	if (us < 0)
		return "unknown";
	summary_time(us > INT64_MAX / 1000 ? INT64_MAX : us * 1000, out, 16);
	return out;
}

static void print_time_spent(FILE *out, const int64_t *numbers)
{
	char a[16], b[16];

	if (numbers[RECORD_READ_US] >= 0 || numbers[RECORD_WRITE_US] >= 0)
		fprintf(out,
			"                %-12s %s reading, %s writing: all "
			"processes together\n",
			"time", span(numbers[RECORD_READ_US], a),
			span(numbers[RECORD_WRITE_US], b));
}

static void print_line_head(FILE *out, const struct io_line *line,
			    size_t records)
{
	static const char *const names[] = { "I/O", "also seen as",
					     "on the wire" };
	const char *all = line->kind == LINE_WIRE ? "whole node" : "all files";

	fprintf(out, "  %-13s %s, from %s: %s", names[line->kind],
		line->first->fs ? line->first->fs : all, line->first->source,
		line->first->scope == RECORD_SCOPE_JOB
			? "the job's alone"
			: "NODE-WIDE, with whatever else ran there");
	if (line->nodes < records)
		fprintf(out, ", on %zu nodes of %zu", line->nodes, records);
}

/* Another view of I/O that is told already, or what the node's client did: not
 * to be added. */
static void print_other(FILE *out, const struct io_line *line, size_t records)
{
	const int64_t *n = line->sum.numbers;
	char a[16], b[16], c[16], d[16];

	print_line_head(out, line, records);
	fprintf(out, ": read %s in %s calls, written %s in %s\n",
		bytes(n[RECORD_READ_BYTES], a), count(n[RECORD_READ_CALLS], b),
		bytes(n[RECORD_WRITE_BYTES], c),
		count(n[RECORD_WRITE_CALLS], d));
}

static void print_io_line(FILE *out, const struct io_line *line, size_t records,
			  double seconds)
{
	const struct record_io *io = &line->sum;

	print_line_head(out, line, records);
	fputc('\n', out);
	print_one(out, "read", io->numbers[RECORD_READ_BYTES],
		  io->numbers[RECORD_READ_CALLS], seconds);
	print_one(out, "written", io->numbers[RECORD_WRITE_BYTES],
		  io->numbers[RECORD_WRITE_CALLS], seconds);
	if (io->numbers[RECORD_MMAP_READ_BYTES] >= 0 ||
	    io->numbers[RECORD_MMAP_WRITE_BYTES] >= 0) {
		print_one(out, "mapped, read",
			  io->numbers[RECORD_MMAP_READ_BYTES], -1, 0);
		print_one(out, "mapped, wr.",
			  io->numbers[RECORD_MMAP_WRITE_BYTES], -1, 0);
	}
	print_peak(out, io->peak[RECORD_PEAK_READ],
		   io->peak[RECORD_PEAK_WRITE]);
	print_time_spent(out, io->numbers);
	print_meta(out, io, seconds);
	print_hist(out, "read sizes", io->hist[RECORD_READ_SIZES], 0);
	print_hist(out, "write sizes", io->hist[RECORD_WRITE_SIZES], 0);
	print_hist(out, "read times", io->hist[RECORD_READ_NS], 1);
	print_hist(out, "write times", io->hist[RECORD_WRITE_NS], 1);
}

static void print_io(FILE *out, const struct job_report *r, double seconds)
{
	struct io_line *lines = calloc(LINES_MAX, sizeof(*lines));
	size_t i, used = 0;

	for (i = 0; lines && i < r->record_count; i++)
		used = add_lines(lines, used, r->records[i]);
	if (!used)
		fprintf(out, "  %-13s not counted\n", "I/O");
	for (i = 0; i < used; i++)
		if (lines[i].kind == LINE_APP)
			print_io_line(out, &lines[i], r->record_count, seconds);
	for (i = 0; i < used; i++)
		if (lines[i].kind != LINE_APP)
			print_other(out, &lines[i], r->record_count);
	free(lines);
}

static void print_tail(FILE *out, const char *name,
		       void (*print)(int64_t value, char *out, size_t room),
		       const int64_t *pair)
{
	char half[16], most[16];

	if (pair[0] < 0)
		return;
	print(pair[0], half, sizeof(half));
	print(pair[1], most, sizeof(most));
	fprintf(out, "                %-12s half up to %s, 99 %% up to %s\n",
		name, half, most);
}

/* The summary's numbers, where there are no records or not all of them. */
static void print_totals(FILE *out, const struct summary *s)
{
	char text[16];

	if (s->scope == SUMMARY_SCOPE_NONE) {
		fprintf(out, "  %-13s not counted\n", "I/O");
		return;
	}
	fprintf(out, "  %-13s all nodes, from %s: %s\n", "I/O",
		*s->src ? s->src : "-",
		s->scope == SUMMARY_SCOPE_JOB
			? "the job's alone"
			: "NODE-WIDE, with whatever else ran there");
	print_one(out, "read", s->rd_bytes, s->rd_calls, 0);
	print_one(out, "written", s->wr_bytes, s->wr_calls, 0);
	print_peak(out, s->peak_rd, s->peak_wr);
	if (s->meta >= 0)
		fprintf(out, "                %-12s %s operations\n",
			"metadata", count(s->meta, text));
	print_tail(out, "read sizes", summary_bytes, s->rsz);
	print_tail(out, "write sizes", summary_bytes, s->wsz);
	print_tail(out, "read times", summary_time, s->rlat_ns);
	print_tail(out, "write times", summary_time, s->wlat_ns);
}

/* ---- the head ------------------------------------------------------------ */

static void print_time(FILE *out, double when)
{
	time_t seconds = (time_t)when;
	struct tm tm;
	char text[64];

	if (!localtime_r(&seconds, &tm) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		strcpy(text, "?");
	fputs(text, out);
}

/* From the first start to the last end; 0 when that is unknown. */
static double duration(const struct job_report *r, double *first, double *last)
{
	size_t i;

	*first = *last = -1;
	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		if (*first < 0 || record->start < *first)
			*first = record->start;
		if (record->end > *last)
			*last = record->end;
	}
	return *first >= 0 && *last > *first ? *last - *first : 0;
}

static void print_nodes_line(FILE *out, const struct summary *s)
{
	char seen[16], all[16];

	count(s->nodes_seen, seen);
	fprintf(out, "  %-13s %s", "nodes", seen);
	if (s->nodes_expected >= 0) {
		count(s->nodes_expected, all);
		fprintf(out, " of %s reported", all);
	}
	if (*s->miss)
		fprintf(out, "; missing: %s", s->miss);
	fputc('\n', out);
}

/* "2" may be one task of array 2, and "3" the first component of job 3. */
static void print_family(FILE *out, const struct job_report *r)
{
	if (r->array_job > 0)
		fprintf(out, " (task %lld_%lld of array %lld)",
			(long long)r->array_job, (long long)r->array_task,
			(long long)r->array_job);
	else if (r->het_job > 0)
		fprintf(out, " (component %lld+%lld of job %lld)",
			(long long)r->het_job, (long long)r->het_offset,
			(long long)r->het_job);
}

static void print_head(FILE *out, const struct job_report *r, double first,
		       double last, double seconds)
{
	const struct record *any = r->record_count ? r->records[0] : NULL;

	fprintf(out, "job %s", r->id);
	if (!strpbrk(r->id, "_+"))
		print_family(out, r);
	if (r->cluster)
		fprintf(out, " on cluster %s", r->cluster);
	if (any && *any->user)
		fprintf(out, ", user %s", any->user);
	else if (r->user && *r->user)
		fprintf(out, ", user %s", r->user);
	if (r->restart > 0 || r->runs > 1)
		fprintf(out, ", run %lld of %lld known",
			(long long)(r->restart < 0 ? 0 : r->restart),
			(long long)r->runs);
	fputc('\n', out);
	if (any) {
		fprintf(out, "  %-13s ", "time");
		print_time(out, first);
		fputs(" to ", out);
		if (last >= 0)
			print_time(out, last);
		else
			fputs("unknown", out);
		fprintf(out, " (%.1f s)\n", seconds);
	} else if (r->start) {
		fprintf(out, "  %-13s %s to %s, %s\n", "time", r->start, r->end,
			r->job_state);
	}
	print_nodes_line(out, &r->summary);
}

/* ---- which nodes say the same --------------------------------------------- */

typedef int is_same_fn(const struct record *record, const void *what);

/* Does a node before 'at' say it too? Then it is told. */
static int is_told(const struct job_report *r, size_t at, is_same_fn *is_same,
		   const void *what)
{
	size_t i;

	for (i = 0; i < at; i++)
		if (is_same(r->records[i], what))
			return 1;
	return 0;
}

/* "c1", "c1, c2", "c1, c2, .. and 7 more nodes" */
static void print_names(FILE *out, const struct job_report *r,
			is_same_fn *is_same, const void *what)
{
	size_t i, count = 0;

	for (i = 0; i < r->record_count; i++) {
		if (!is_same(r->records[i], what))
			continue;
		if (count < NAMES_SHOWN)
			fprintf(out, "%s%s", count ? ", " : "",
				r->records[i]->node);
		count++;
	}
	if (count > NAMES_SHOWN)
		fprintf(out, " and %zu more nodes", count - NAMES_SHOWN);
}

/* ---- cores, client, changes, findings ------------------------------------ */

static int is_same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static int is_same_client(const struct record *record, const void *what)
{
	const struct record *other = what;

	return record->has_client &&
	       !strcmp(record->client_type, other->client_type) &&
	       !strcmp(record->client_version, other->client_version);
}

static void print_clients(FILE *out, const struct job_report *r)
{
	const char *name = "client";
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		if (!record->has_client ||
		    is_told(r, i, is_same_client, record))
			continue;
		fprintf(out, "  %-13s %s %s on ", name, record->client_type,
			*record->client_version ? record->client_version
						: "of unknown version");
		print_names(out, r, is_same_client, record);
		fputc('\n', out);
		name = "";
	}
}

static int is_same_cores(const struct record *record, const void *what)
{
	const struct record *other = what;

	return record->has_io_cores &&
	       record->io_cores_count == other->io_cores_count &&
	       is_same_text(record->io_cores_os, other->io_cores_os);
}

/* Nodes that differ, each with its own. */
static void print_mixed_cores(FILE *out, const struct job_report *r)
{
	const char *name = "io-cores";
	char text[16];
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		if (!record->has_io_cores ||
		    is_told(r, i, is_same_cores, record))
			continue;
		fprintf(out, "  %-13s %s, CPUs %s, on ", name,
			count(record->io_cores_count, text),
			record->io_cores_os ? record->io_cores_os : "unknown");
		print_names(out, r, is_same_cores, record);
		fputc('\n', out);
		name = "";
	}
}

static void print_cores(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;
	int is_mixed = !strcmp(s->cores, "mixed") || !strcmp(s->cpus, "mixed");

	if (is_mixed && r->record_count)
		print_mixed_cores(out, r);
	else if (!*s->cores)
		fprintf(out, "  %-13s none\n", "io-cores");
	else if (is_mixed)
		fprintf(out, "  %-13s not the same on all nodes\n", "io-cores");
	else
		fprintf(out, "  %-13s %s on each node, CPUs %s\n", "io-cores",
			s->cores, *s->cpus ? s->cpus : "unknown");
}

static void print_request(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;
	const struct record *any = r->record_count ? r->records[0] : NULL;
	char text[16];

	if (any && any->has_request) {
		fprintf(out, "  %-13s ", "request");
		if (any->request_io_cores >= 0)
			fprintf(out, "%s io-cores on each node",
				count(any->request_io_cores, text));
		if (*any->request_profile)
			fprintf(out, "%sprofile %s",
				any->request_io_cores >= 0 ? ", " : "",
				any->request_profile);
		fputc('\n', out);
	}
	print_cores(out, r);
	fprintf(out, "  %-13s %s\n", "profile", *s->prof ? s->prof : "none");
	fprintf(out, "  %-13s %s\n", "filesystems", *s->fs ? s->fs : "none");
	print_clients(out, r);
}

static int is_same_change(const struct record_change *a,
			  const struct record_change *b)
{
	return is_same_text(a->what, b->what) &&
	       is_same_text(a->target, b->target) &&
	       is_same_text(a->old_value, b->old_value) &&
	       is_same_text(a->new_value, b->new_value) &&
	       a->restored == b->restored;
}

/* How many nodes say the same; 0 when an earlier node has said it. */
static int change_nodes(const struct job_report *r, size_t at,
			const struct record_change *change)
{
	int nodes = 0;
	size_t i, k;

	for (i = 0; i < r->record_count; i++)
		for (k = 0; k < r->records[i]->change_count; k++)
			if (is_same_change(&r->records[i]->changes[k],
					   change)) {
				if (i < at)
					return 0;
				nodes++;
				break;
			}
	return nodes;
}

static void print_changes(FILE *out, const struct job_report *r)
{
	size_t i, k;
	int nodes;

	for (i = 0; i < r->record_count; i++)
		for (k = 0; k < r->records[i]->change_count; k++) {
			const struct record_change *c =
				&r->records[i]->changes[k];

			nodes = change_nodes(r, i, c);
			if (nodes)
				fprintf(out,
					"  %-13s %s %s: '%s' became '%s', %s "
					"(%d node%s)\n",
					"changed", c->what ? c->what : "?",
					c->target ? c->target : "",
					c->old_value ? c->old_value : "",
					c->new_value ? c->new_value : "",
					c->restored > 0 ? "put back"
					: c->restored == 0
						? "NOT put back"
						: "unknown whether put "
						  "back",
					nodes, nodes == 1 ? "" : "s");
		}
	if (!r->record_count && r->summary.changed > 0)
		fprintf(out, "  %-13s %lld settings, %lld put back\n",
			"changed", (long long)r->summary.changed,
			(long long)r->summary.restored);
}

static int is_same_refusal(const struct record *record, const void *what)
{
	return record->refused && !strcmp(record->refused, what);
}

static int has_finding(const struct record *record, const void *what)
{
	const struct record_finding *f = what;
	size_t k;

	for (k = 0; k < record->finding_count; k++)
		if (!strcmp(record->findings[k].code, f->code) &&
		    is_same_text(record->findings[k].text, f->text))
			return 1;
	return 0;
}

/* Once, with all nodes that say it. */
static void print_finding(FILE *out, const struct job_report *r, size_t at,
			  const struct record_finding *f)
{
	if (is_told(r, at, has_finding, f))
		return;
	fprintf(out, "  %-13s %s %s on ", "finding", f->severity, f->code);
	print_names(out, r, has_finding, f);
	fprintf(out, ": %s%s%s\n", f->text ? f->text : "",
		f->cure && *f->cure ? "; " : "", f->cure ? f->cure : "");
}

static void print_findings(FILE *out, const struct job_report *r)
{
	size_t i, k;

	for (i = 0; i < r->record_count; i++) {
		const struct record *record = r->records[i];

		if (record->refused &&
		    !is_told(r, i, is_same_refusal, record->refused)) {
			fprintf(out, "  %-13s on ", "refused");
			print_names(out, r, is_same_refusal, record->refused);
			fprintf(out, ": %s\n", record->refused);
		}
		for (k = 0; k < record->finding_count; k++)
			print_finding(out, r, i, &record->findings[k]);
	}
	if (!r->record_count && r->summary.errors + r->summary.warnings > 0)
		fprintf(out, "  %-13s %lld errors, %lld warnings\n", "findings",
			(long long)r->summary.errors,
			(long long)r->summary.warnings);
}

static void print_quality(FILE *out, uint32_t flags)
{
	const char *name = "quality";
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++) {
		if (!(flags & (UINT32_C(1) << bit)))
			continue;
		fprintf(out, "  %-13s %s\n", name, record_flag_words(bit));
		name = "";
	}
}

/* One of the job's own numbers on a node. */
static int64_t job_number(const struct record *record,
			  enum record_number number)
{
	uint64_t best = record_best_app(record, RECORD_SCOPE_JOB);
	int64_t sum = RECORD_UNKNOWN;
	size_t i;

	for (i = 0; i < record->app_count; i++)
		if (best >> i & 1)
			add_known(&sum, record->app[i].numbers[number]);
	return sum;
}

/* What each node moved, for the job; '-' is unknown. */
static void print_nodes(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;
	size_t i, shown = r->record_count < NODES_SHOWN ? r->record_count
							: NODES_SHOWN;
	char a[16], b[16];

	if (s->imbalance >= 1.1)
		fprintf(out,
			"  %-13s %s%s moved %.2f times as much as the mean "
			"node\n",
			"balance",
			s->scope == SUMMARY_SCOPE_JOB ? "" : "NODE-WIDE, ",
			s->busiest, s->imbalance);
	if (s->slowest_ns >= 0) {
		summary_time(s->slowest_ns, a, sizeof(a));
		fprintf(out,
			"  %-13s %s: its processes spent %s in read and write "
			"calls\n",
			"slowest", s->slowest, a);
	}
	if (r->record_count < 2)
		return;
	for (i = 0; i < shown; i++) {
		const struct record *record = r->records[i];

		fprintf(out, "  %-13s %-12s read %s, written %s\n",
			i ? "" : "by node", record->node,
			bytes(job_number(record, RECORD_READ_BYTES), a),
			bytes(job_number(record, RECORD_WRITE_BYTES), b));
	}
	if (shown < r->record_count)
		fprintf(out, "  %-13s and %zu more nodes (--json has them)\n",
			"", r->record_count - shown);
}

void job_report_print_text(const struct job_report *r, FILE *out)
{
	double first, last, seconds = duration(r, &first, &last);

	print_head(out, r, first, last, seconds);
	print_request(out, r);
	print_changes(out, r);
	if (r->record_count && !r->left_out)
		print_io(out, r, seconds);
	else
		print_totals(out, &r->summary);
	print_nodes(out, r);
	print_quality(out, r->summary.flags);
	print_findings(out, r);
	if (r->left_out)
		fprintf(out,
			"  %-13s %lld records are not shown: they do not "
			"fit into one answer\n",
			"note", (long long)r->left_out);
	if (!strcmp(r->source, "sacct"))
		fprintf(out,
			"  %-13s from sacct, three digits and no details: "
			"%s%s\n",
			"note", r->why_not_ledger,
			strstr(r->why_not_ledger, "you may read")
				? " (its owner, root and SlurmUser may)"
				: "");
	else if (r->state && strcmp(r->state, "written"))
		fprintf(out, "  %-13s not in sacct yet: %s\n", "note",
			r->error ? r->error : r->state);
	fprintf(out, "  %-13s %s\n", "summary", r->summary_text);
}

/* ---- JSON and CSV -------------------------------------------------------- */

static void add_text(struct json_object *top, const char *key, const char *text)
{
	json_object_object_add(top, key,
			       text ? json_object_new_string(text) : NULL);
}

static void add_sacct(struct json_object *top, const struct job_report *r)
{
	add_text(top, "cluster", r->cluster);
	add_text(top, "user", r->user);
	add_text(top, "job_state", r->job_state);
	add_text(top, "start", r->start);
	add_text(top, "end", r->end);
	add_text(top, "summary", r->summary_text);
	add_text(top, "why_not_ledger", r->why_not_ledger);
}

/* Hidden characters as \uXXXX: a terminal may show JSON, too. */
static void put_json(const char *json, FILE *out)
{
	size_t size = strlen(json), n;
	unsigned int code = 0;

	for (; size; json += n, size -= n) {
		n = utf8_character(json, size, &code);
		if (!n)
			fputc('?', out);
		else if (utf8_is_hidden(code))
			fprintf(out, "\\u%04x", code);
		else
			fwrite(json, n, 1, out);
		n = n ? n : 1;
	}
}

/* The ledger's answer as it came, or what sacct knows in the same form. */
void job_report_print_json(const struct job_report *r, FILE *out)
{
	struct json_object *top = r->json ? json_tokener_parse(r->json)
					  : json_object_new_object();

	json_object_object_del(top, "ok");
	json_object_object_add(top, "id", json_object_new_string(r->id));
	json_object_object_add(top, "source",
			       json_object_new_string(r->source));
	if (!r->json)
		add_sacct(top, r);
	put_json(json_object_to_json_string_ext(
			 top, JSON_C_TO_STRING_PLAIN |
				      JSON_C_TO_STRING_NOSLASHESCAPE),
		 out);
	json_object_put(top);
}

void job_report_print_csv_head(FILE *out)
{
	fputs("job,cluster,restart,source,nodes_seen,nodes_expected,io_cores,"
	      "cpus,profile,read_bytes,read_calls,write_bytes,write_calls,"
	      "scope,counted_by,quality,peak_read_Bps,peak_write_Bps\n",
	      out);
}

static void csv_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (; text && *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputs("\",", out);
}

static void csv_number(FILE *out, int64_t number)
{
	if (number >= 0)
		fprintf(out, "%lld", (long long)number);
	fputc(',', out);
}

static void csv_quality(FILE *out, uint32_t flags)
{
	const char *before = "\"";
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (flags & (UINT32_C(1) << bit)) {
			fprintf(out, "%s%s", before, record_flag_name(bit));
			before = " ";
		}
	fputs(*before == ' ' ? "\"," : "\"\",", out);
}

void job_report_print_csv(const struct job_report *r, FILE *out)
{
	static const char *const scopes[] = { "", "job", "node" };
	const struct summary *s = &r->summary;

	csv_text(out, r->id);
	csv_text(out, r->cluster);
	csv_number(out, r->restart);
	csv_text(out, r->source);
	csv_number(out, s->nodes_seen);
	csv_number(out, s->nodes_expected);
	csv_text(out, s->cores);
	csv_text(out, s->cpus);
	csv_text(out, s->prof);
	csv_number(out, s->rd_bytes);
	csv_number(out, s->rd_calls);
	csv_number(out, s->wr_bytes);
	csv_number(out, s->wr_calls);
	csv_text(out, scopes[s->scope]);
	csv_text(out, s->src);
	csv_quality(out, s->flags);
	csv_number(out, s->peak_rd);
	if (s->peak_wr >= 0)
		fprintf(out, "%lld", (long long)s->peak_wr);
	fputc('\n', out);
}
