/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_io.h"

#include <stdlib.h>
#include <string.h>

#include "lib/run.h"
#include "report/bar.h"
#include "report/job_timeline.h"
#include "report/tone.h"

/* ---- numbers ------------------------------------------------------------- */

const char *job_bytes(int64_t number, char *out)
{
	if (number < 0)
		return "unknown";
	summary_bytes(number, out, 16);
	return out;
}

const char *job_count(int64_t number, char *out)
{
	if (number < 0)
		return "unknown";
	summary_count(number, out, 16);
	return out;
}

void job_print_lacks(FILE *out, const char *before, uint32_t lacks)
{
	static const char *const words[] = {
		[SUMMARY_BIT_STARTED] = "a start",
		[SUMMARY_BIT_PROFILE] = "profile",
		[SUMMARY_BIT_CORES] = "io-cores",
		[SUMMARY_BIT_GATE] = "cores apart from the client's",
	};
	unsigned int bit;

	for (bit = 0; bit < SUMMARY_LACK_COUNT; bit++) {
		if (!(lacks & (UINT32_C(1) << bit)))
			continue;
		fprintf(out, "%s%s", before, words[bit]);
		before = ", ";
	}
}

/* ---- the lines of I/O ---------------------------------------------------- */

bool job_find_bins(const int64_t *hist, int *first, int *last, int64_t *most)
{
	int bin;

	*first = *last = -1;
	*most = 0;
	for (bin = 0; bin < IO_BINS; bin++) {
		if (hist[bin] <= 0)
			continue;
		*first = *first < 0 ? bin : *first;
		*last = bin;
		*most = hist[bin] > *most ? hist[bin] : *most;
	}
	return *first >= 0;
}

void job_bin_text(int bin, bool is_time, char out[16])
{
	int64_t value = INT64_C(1) << (bin > 62 ? 62 : bin);

	if (is_time)
		summary_time(value, out, 16);
	else
		summary_bytes(value, out, 16);
}

static void print_hist(FILE *out, const char *name, const int64_t *hist, bool is_time)
{
	int bin, first, last;
	char low[16], high[16];
	int64_t most;

	if (!job_find_bins(hist, &first, &last, &most))
		return;
	fprintf(out, "                %-12s ", name);
	for (bin = first; bin <= last; bin++)
		bar_print(out, hist[bin], most);
	job_bin_text(first, is_time, low);
	job_bin_text(last + 1, is_time, high);
	fprintf(out, "  %s to %s\n", low, high);
}

static void print_meta(FILE *out, const struct io *io, double seconds)
{
	const char *before = "                metadata     ";
	int64_t all = io_ops(io);
	char text[16];
	int i;

	for (i = IO_OP_OPEN; i < IO_COUNT; i++) {
		if (io->numbers[i] <= 0)
			continue;
		fprintf(out, "%s%s %s", before, io_quantities[i].key,
			job_count(io->numbers[i], text));
		before = ", ";
	}
	if (*before != ',')
		return;
	if (seconds > 0)
		fprintf(out, "; %s/s over the job's %.*f s",
			job_count((int64_t)((double)all / seconds), text), seconds < 10 ? 1 : 0,
			seconds);
	fputc('\n', out);
}

/* Of the seconds in which it happened where these are known, and says so. */
struct span {
	double job, active; /* 0: unknown */
};

static void print_speed(FILE *out, int64_t bytes, const struct span *span)
{
	double seconds = span->active > 0 ? span->active : span->job;
	char text[16];

	if (bytes > 0 && seconds > 0)
		fprintf(out, ", %s/s over the %s%.*f s%s",
			job_bytes((int64_t)((double)bytes / seconds), text),
			span->active > 0 ? "" : "job's ", seconds < 10 ? 1 : 0, seconds,
			span->active > 0 ? " in which it did" : "");
}

/* Rows that have some of it; those that have none at both ends are not there. */
double job_active_seconds(const struct timeline *line, enum timeline_lane lane)
{
	size_t i, rows = 0;

	for (i = 0; i < line->count; i++)
		rows += line->rows[lane][i] > 0;
	return (double)rows * (double)line->width;
}

static void print_rate(FILE *out, int64_t number, int64_t calls, const struct span *span)
{
	char text[16];

	if (number > 0 && calls > 0)
		fprintf(out, ", %s a call", job_bytes(number / calls, text));
	print_speed(out, number, span);
	fputc('\n', out);
}

static void print_one(FILE *out, const char *what, int64_t number, int64_t calls,
		      const struct span *span)
{
	char a[16], b[16];

	fprintf(out, "                %-12s %s", what, job_bytes(number, a));
	if (calls >= 0)
		fprintf(out, " in %s calls", job_count(calls, b));
	print_rate(out, number, calls, span);
}

/* Of one node: those of several need not be of the same second. */
static void print_peak(FILE *out, int64_t rd, int64_t wr)
{
	char a[16], b[16];

	if (rd >= 0 || wr >= 0)
		fprintf(out,
			"                %-12s %s read, %s written: the most that one node moved in a second\n",
			"peak", job_bytes(rd, a), job_bytes(wr, b));
}

const char *job_spent(int64_t us, char *out)
{
	if (us < 0)
		return "unknown";
	summary_time(us > INT64_MAX / 1000 ? INT64_MAX : us * 1000, out, 16);
	return out;
}

static void print_time_spent(FILE *out, const int64_t *numbers)
{
	char a[16], b[16];

	if (numbers[IO_READ_US] >= 0 || numbers[IO_WRITE_US] >= 0)
		fprintf(out,
			"                %-12s %s reading, %s writing: all processes together\n",
			"time", job_spent(numbers[IO_READ_US], a),
			job_spent(numbers[IO_WRITE_US], b));
}

static void print_line_head(FILE *out, const struct run_line *line, size_t records)
{
	static const char *const names[] = { "I/O", "also seen as", "on the wire" };
	const char *all = line->kind == RUN_WIRE ? "whole node" : "all files";

	fprintf(out, "  %-13s %s, from %s%s%s: %s", names[line->kind],
		line->io.fs ? line->io.fs : all, line->io.source,
		*line->io.client ? " of client " : "", line->io.client,
		line->io.scope == IO_SCOPE_JOB ? "the job's alone"
					       : "NODE-WIDE, with whatever else ran there");
	if (line->nodes < records)
		fprintf(out, ", on %zu nodes of %zu", line->nodes, records);
}

/* "4.2ms", of one; "unknown" */
static const char *mean(int64_t us, int64_t count, char *out)
{
	if (us < 0 || count <= 0)
		return "unknown";
	return job_spent(us / count, out);
}

/* llite does not count asynchronous direct I/O (Lustre 2.14 and later). */
static bool is_asked_known(const struct run_line *line)
{
	const int64_t *n = line->io.numbers;

	if (!strcmp(line->io.source, "osc") && (n[IO_READ_BYTES] > n[IO_ASKED_READ_BYTES] ||
						n[IO_WRITE_BYTES] > n[IO_ASKED_WRITE_BYTES]))
		return false;
	return n[IO_ASKED_READ_BYTES] >= 0 || n[IO_ASKED_WRITE_BYTES] >= 0;
}

/* What a client tells besides: one line each, where it does. */
static void print_client(FILE *out, const struct run_line *line)
{
	const int64_t *n = line->io.numbers;
	char a[16], b[16], c[16];

	if (is_asked_known(line))
		fprintf(out, "                %-12s read %s, written %s: asked of the client\n",
			"asked", job_bytes(n[IO_ASKED_READ_BYTES], a),
			job_bytes(n[IO_ASKED_WRITE_BYTES], b));
	if (n[IO_READ_US] >= 0 || n[IO_WRITE_US] >= 0)
		fprintf(out,
			"                %-12s a read %s, a write %s, another operation %s: on average\n",
			"took", mean(n[IO_READ_US], n[IO_READ_CALLS], a),
			mean(n[IO_WRITE_US], n[IO_WRITE_CALLS], b),
			mean(n[IO_META_US], n[IO_META_CALLS], c));
	if (n[IO_META_CALLS] >= 0)
		fprintf(out, "                %-12s %s operations", "others",
			job_count(n[IO_META_CALLS], a));
	if (n[IO_META_CALLS] >= 0 && n[IO_NAME_CALLS] >= 0)
		fprintf(out, ", of which %s ask for names and attributes",
			job_count(n[IO_NAME_CALLS], b));
	if (n[IO_META_CALLS] >= 0)
		fputc('\n', out);
	if (n[IO_RESENT] > 0 || n[IO_QUEUE_US] > 0)
		fprintf(out,
			"                %-12s %s requests; waiting to be sent: %s, all together\n",
			"sent again", job_count(n[IO_RESENT], a), job_spent(n[IO_QUEUE_US], b));
	if (n[IO_BACKLOG] > 0)
		fprintf(out,
			"                %-12s %s requests waited for a free slot, added up whenever one was sent\n",
			"backlog", job_count(n[IO_BACKLOG], a));
	if (n[IO_COPIES] > 0)
		fprintf(out,
			"                %-12s %s operations: what the server copied by itself crossed no wire\n",
			"copies", job_count(n[IO_COPIES], a));
}

/* Words of record.h's app_to_wire, and what they say of the line. */
static const struct {
	const char *word, *says;
} relations[] = {
	{ "cache=out", "without what a cache answered" },
	{ "cache=in", "with what a cache answered" },
	{ "read-ahead=in", "with what was read ahead" },
	{ "read-ahead=out", "without what was read ahead" },
	{ "direct=in", "with direct I/O" },
	{ "direct=out", "without direct I/O" },
	{ "compression=none", "nothing is compressed" },
	{ "compression=before", "before compression" },
	{ "compression=after", "after compression" },
	{ "compression=unknown", "unknown whether compressed" },
};

static const char *relation_of(const char *word, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(relations) / sizeof(relations[0]); i++)
		if (strlen(relations[i].word) == length &&
		    !strncmp(relations[i].word, word, length))
			return relations[i].says;
	return NULL;
}

/* The words of the client whose line it is; "": no node says them. */
static const char *words_of(const struct job_report *r, const struct run_line *line)
{
	const struct record_client *client;
	size_t i;

	for (i = 0; i < r->record_count; i++) {
		client = record_client_named(r->records[i], line->io.client);
		if (client && *client->app_to_wire)
			return client->app_to_wire;
	}
	return "";
}

/* How what the client did relates to what the processes asked for. */
static void print_relation(FILE *out, const char *words)
{
	const char *says, *between = "";
	size_t length;

	if (!*words)
		return;
	fprintf(out, "                %-12s ", "beside I/O");
	for (; *words; words += length) {
		words += strspn(words, " ");
		length = strcspn(words, " ");
		if (!length)
			break;
		says = relation_of(words, length);
		if (says)
			fprintf(out, "%s%s", between, says);
		else
			fprintf(out, "%s%.*s", between, (int)length, words);
		between = ", ";
	}
	fputc('\n', out);
}

/* Another view of I/O that is told already, or what the node's client did: not
 * to be added. */
static void print_other(FILE *out, const struct job_report *r, const struct run_line *line)
{
	const int64_t *n = line->io.numbers;
	char a[16], b[16], c[16], d[16];

	print_line_head(out, line, r->record_count);
	fprintf(out, ": read %s in %s calls, written %s in %s\n", job_bytes(n[IO_READ_BYTES], a),
		job_count(n[IO_READ_CALLS], b), job_bytes(n[IO_WRITE_BYTES], c),
		job_count(n[IO_WRITE_CALLS], d));
	if (line->kind != RUN_WIRE)
		return;
	print_client(out, line);
	print_relation(out, words_of(r, line));
}

/* What stands beside the client's filesystems is not what went to them. */
static void print_unknown_part(FILE *out, const char *fs)
{
	if (*fs)
		fprintf(out,
			"                %-12s unknown, of this: pipes, sockets and other files are in it\n",
			fs);
}

static void print_io_line(FILE *out, const struct job_report *r, const struct run_line *line,
			  double seconds)
{
	const struct io *io = &line->io;
	struct span rd = { seconds, job_active_seconds(&io->timeline, TIMELINE_READ) };
	struct span wr = { seconds, job_active_seconds(&io->timeline, TIMELINE_WRITE) };
	static const struct span none;

	print_line_head(out, line, r->record_count);
	fputc('\n', out);
	print_one(out, "read", io->numbers[IO_READ_BYTES], io->numbers[IO_READ_CALLS], &rd);
	print_one(out, "written", io->numbers[IO_WRITE_BYTES], io->numbers[IO_WRITE_CALLS], &wr);
	if (!line->io.fs && line->io.scope == IO_SCOPE_JOB)
		print_unknown_part(out, r->summary.fs);
	if (io->numbers[IO_MMAP_READ_BYTES] >= 0 || io->numbers[IO_MMAP_WRITE_BYTES] >= 0) {
		print_one(out, "mapped, read", io->numbers[IO_MMAP_READ_BYTES], -1, &none);
		print_one(out, "mapped, wr.", io->numbers[IO_MMAP_WRITE_BYTES], -1, &none);
	}
	print_peak(out, io->numbers[IO_PEAK_READ], io->numbers[IO_PEAK_WRITE]);
	job_print_timeline(out, r, &io->timeline);
	print_time_spent(out, io->numbers);
	print_meta(out, io, seconds);
	print_hist(out, "read sizes", io->hist[IO_READ_SIZES], 0);
	print_hist(out, "write sizes", io->hist[IO_WRITE_SIZES], 0);
	print_hist(out, "read times", io->hist[IO_READ_NS], 1);
	print_hist(out, "write times", io->hist[IO_WRITE_NS], 1);
}

void job_print_io(FILE *out, const struct job_report *r, double seconds)
{
	struct run_lines *lines = run_lines_new(r->records, r->record_count);
	const struct run_line *line, *end;

	if (!lines || !lines->count)
		fprintf(out, "  %-13s not counted\n", "I/O");
	line = lines ? lines->line : NULL;
	end = line ? line + lines->count : NULL;
	for (; line < end; line++)
		if (line->kind == RUN_APP)
			print_io_line(out, r, line, seconds);
	for (line = lines ? lines->line : NULL; line < end; line++)
		if (line->kind != RUN_APP)
			print_other(out, r, line);
	if (lines && lines->left_out)
		fprintf(out, "  %-13s %zu more line%s of its nodes' I/O: --json has them\n", "note",
			lines->left_out, lines->left_out == 1 ? "" : "s");
	run_lines_free(lines);
}

static void print_tail(FILE *out, const char *name,
		       void (*print)(int64_t value, char *out, size_t room), const int64_t *pair)
{
	char half[16], most[16];

	if (pair[0] < 0)
		return;
	print(pair[0], half, sizeof(half));
	print(pair[1], most, sizeof(most));
	fprintf(out, "                %-12s half up to %s, 99 %% up to %s\n", name, half, most);
}

/* The summary's numbers, where there are no records or not all of them. */
void job_print_totals(FILE *out, const struct summary *s)
{
	static const struct span none;
	char text[16];

	if (s->scope == SUMMARY_SCOPE_NONE) {
		fprintf(out, "  %-13s not counted\n", "I/O");
		return;
	}
	fprintf(out, "  %-13s all nodes, from %s: %s\n", "I/O", *s->src ? s->src : "-",
		s->scope == SUMMARY_SCOPE_JOB ? "the job's alone"
					      : "NODE-WIDE, with whatever else ran there");
	print_one(out, "read", s->rd_bytes, s->rd_calls, &none);
	print_one(out, "written", s->wr_bytes, s->wr_calls, &none);
	if (s->flags & RECORD_FLAG(ALL_FILES))
		print_unknown_part(out, s->fs);
	print_peak(out, s->peak_rd, s->peak_wr);
	job_print_shape(out, s);
	if (s->meta >= 0)
		fprintf(out, "                %-12s %s operations\n", "metadata",
			job_count(s->meta, text));
	print_tail(out, "read sizes", summary_bytes, s->rsz);
	print_tail(out, "write sizes", summary_bytes, s->wsz);
	print_tail(out, "read times", summary_time, s->rlat_ns);
	print_tail(out, "write times", summary_time, s->wlat_ns);
}

/* ---- two lines ----------------------------------------------------------- */

void job_io_add(struct io *sum, struct timeline *when, const struct record *record)
{
	uint64_t best = record_best_app(record, IO_SCOPE_JOB);
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		const struct io *io = &record->app[i];

		if (!(best >> i & 1))
			continue;
		io_add(sum, io);
		if (!io->timeline.count &&
		    (io->numbers[IO_READ_BYTES] > 0 || io->numbers[IO_WRITE_BYTES] > 0))
			timeline_spoil(when);
		timeline_add(when, &io->timeline);
	}
}

static void find_active(const struct job_report *r, struct span *rd, struct span *wr)
{
	struct timeline all = { 0 };
	struct io sum;
	size_t i;

	io_init(&sum);
	for (i = 0; i < r->record_count && !r->left_out; i++)
		job_io_add(&sum, &all, r->records[i]);
	rd->active = job_active_seconds(&all, TIMELINE_READ);
	wr->active = job_active_seconds(&all, TIMELINE_WRITE);
}

static void print_side(FILE *out, const char *name, const struct summary *s, bool is_read,
		       const struct span *span)
{
	int64_t bytes = is_read ? s->rd_bytes : s->wr_bytes;
	int64_t calls = is_read ? s->rd_calls : s->wr_calls;
	int64_t peak = is_read ? s->peak_rd : s->peak_wr, both = 0;
	char text[16];

	io_add_number(&both, s->rd_bytes);
	io_add_number(&both, s->wr_bytes);
	fprintf(out, "  %-13s ", name);
	if (both > 0 && bytes >= 0)
		tone_bar(out, TONE_GOOD, (double)bytes / (double)both);
	if (s->scope == SUMMARY_SCOPE_NODE)
		fprintf(out, "%sNODE-WIDE%s ", tone(TONE_WARN), tone(TONE_END));
	fprintf(out, "%s%s%s", tone(TONE_STRONG), job_bytes(bytes, text), tone(TONE_END));
	if (calls >= 0)
		fprintf(out, " in %s calls", job_count(calls, text));
	if (bytes > 0 && calls > 0)
		fprintf(out, " of %s", job_bytes(bytes / calls, text));
	if (bytes > 0 && (s->flags & RECORD_FLAG(ALL_FILES)))
		fputs(", of all files, pipes and sockets", out);
	if (span->active > 0)
		print_speed(out, bytes, span);
	if (bytes > 0 && peak >= 0)
		fprintf(out, "; at most %s/s on a node", job_bytes(peak, text));
	fputc('\n', out);
}

void job_print_short(FILE *out, const struct job_report *r)
{
	const struct summary *s = &r->summary;
	struct span rd = { 0 }, wr = { 0 };

	if (s->scope == SUMMARY_SCOPE_NONE) {
		fprintf(out, "  %-13s %s\n", "I/O",
			r->look ? "nothing to see before the job ends: the kernel does not count for it on its nodes (jobio-count probe says why)"
				: "not counted");
		return;
	}
	if (s->scope == SUMMARY_SCOPE_JOB)
		find_active(r, &rd, &wr);
	print_side(out, "read", s, true, &rd);
	print_side(out, "written", s, false, &wr);
}
