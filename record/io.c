/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/io.h"

#include <string.h>

#define QUANTITY(id, key, unit, adds, words) { key, words, IO_##unit, IO_##adds },
const struct io_quantity io_quantities[IO_COUNT] = { IO_QUANTITIES(QUANTITY) };

const char *const io_lane_names[TIMELINE_LANES] = { "read_bytes", "write_bytes", "calls", "io_us" };

#define CLASS_NAME(id, name) name,
const char *const io_class_names[IO_CLASS_COUNT] = { IO_CLASSES(CLASS_NAME) };
#define ERRNO_NAME(name) #name,
const char *const io_errno_names[IO_ERRNO_COUNT] = { IO_ERRNOS(ERRNO_NAME) };

/* ---- JSON -------------------------------------------------------------------- */

#define NUMBER(id, name, ...)                                                                      \
	FIELD(NUMBER, name, io, numbers[IO_##id],                                                  \
	      .is_optional = IO_##id > IO_WRITE_CALLS && IO_##id < IO_PEAK_READ),
static const struct field peak_fields[] = { IO_PEAKS(NUMBER) FIELD_LAST };
static const struct field operation_fields[] = { IO_OPERATIONS(NUMBER) FIELD_LAST };

struct counts {
	int64_t of[IO_CLASS_COUNT];
};
#define CLASS(id, name) FIELD(COUNT, name, counts, of[IO_CLASS_##id], FIELD_IF_KNOWN),
static const struct field class_fields[] = { IO_CLASSES(CLASS) FIELD_LAST };

#define ERRNO(name)                                                                                \
	FIELD(OBJECT, #name, io, errors[IO_##name], FIELD_IF_KNOWN, .table = class_fields),
static const struct field errno_fields[] = { IO_ERRNOS(ERRNO) FIELD_LAST };

static const struct field timeline_fields[] = {
	FIELD(NUMBER, "start", timeline, start),
	FIELD(NUMBER, "width_s", timeline, width),
	FIELD(ROWS, "read_bytes", timeline, rows[TIMELINE_READ]),
	FIELD(ROWS, "write_bytes", timeline, rows[TIMELINE_WRITE]),
	FIELD(ROWS, "calls", timeline, rows[TIMELINE_CALLS]),
	FIELD(ROWS, "io_us", timeline, rows[TIMELINE_IO_US], FIELD_IF_KNOWN),
	FIELD_LAST,
};

#define HIST(name, which)                                                                          \
	FIELD(ROWS, name, io, hist[which], FIELD_IF_KNOWN, FIELD_HAS(io, has_hist[which]),         \
	      .is_picture = true)

static const char *const scopes[] = { [IO_SCOPE_JOB] = "job", [IO_SCOPE_NODE] = "node", NULL };

const struct field io_fields[] = {
	FIELD(CHOICE, "scope", io, scope, .words = scopes),
	FIELD(NUMBER, "shared", io, shared, FIELD_IF_KNOWN, .most = UINT32_MAX),
	FIELD(WORD, "source", io, source),
	FIELD(WORD, "client", io, client, FIELD_IF_KNOWN),
	FIELD(TEXT, "fs", io, fs),
	IO_NUMBERS(NUMBER) FIELD_PART("peak", peak_fields, FIELD_IF_KNOWN),
	FIELD(OBJECT, "timeline", io, timeline, FIELD_IF_KNOWN, FIELD_HAS(io, timeline.count),
	      .table = timeline_fields, .is_picture = true),
	FIELD_PART("meta", operation_fields, FIELD_IF_KNOWN),
	HIST("read_sizes", IO_READ_SIZES),
	HIST("write_sizes", IO_WRITE_SIZES),
	HIST("read_ns", IO_READ_NS),
	HIST("write_ns", IO_WRITE_NS),
	FIELD_PART("errors", errno_fields, FIELD_IF_KNOWN),
	FIELD_LAST,
};

int io_check_lanes(const struct io *io, struct err *err)
{
	static const enum io_number numbers[][2] = { { IO_READ_BYTES, IO_READ_BYTES },
						     { IO_WRITE_BYTES, IO_WRITE_BYTES },
						     { IO_READ_CALLS, IO_WRITE_CALLS } };
	enum timeline_lane lane;
	enum io_number i;
	int64_t sum, all;

	for (lane = TIMELINE_READ; lane <= TIMELINE_CALLS; lane++) {
		sum = timeline_sum(&io->timeline, lane);
		for (i = numbers[lane][0], all = 0; i <= numbers[lane][1]; i++)
			io_add_number(&all, io->numbers[i]);
		if (sum != all)
			return err_set(err, "timeline: %s: its rows add up to '%lld', not to %lld",
				       io_lane_names[lane], (long long)sum, (long long)all);
	}
	return 0;
}

/* Check a timeline as it was read: it may have empty rows, and has no count. */
static int check_timeline(struct io *io, struct err *err)
{
	struct timeline line = io->timeline;

	if (line.start < 0 && line.width < 0)
		line.start = line.width = 0;
	for (line.count = TIMELINE_ROWS; line.count && !timeline_has_row(&line, line.count - 1);)
		line.count--;
	if (!line.width && !line.start && !line.count) {
		io->timeline = line;
		return 0;
	}
	if (!timeline_is_row(line.start, line.width) ||
	    !timeline_is_row(line.start + (int64_t)line.count * line.width, line.width))
		return err_set(
			err,
			"timeline: width_s must be a power of two, and start a multiple of it");
	io->timeline.count = line.count;
	if (!timeline_has_row(&line, 0)) {
		memset(&io->timeline, 0, sizeof(io->timeline));
		timeline_add(&io->timeline, &line); /* without the empty rows at its start */
	}
	return io_check_lanes(io, err);
}

int io_check(struct io *io, struct err *err)
{
	const int64_t *n = io->numbers;

	if (io->scope < 0)
		return err_set(err, "scope: must be job or node");
	if (!*io->source)
		return err_set(err, "source: must be there");
	if ((n[IO_PEAK_READ] >= 0 || n[IO_PEAK_WRITE] >= 0 || !n[IO_PEAK_WINDOW_S]) &&
	    n[IO_PEAK_WINDOW_S] < 1)
		return err_set(err, "peak: window_s must be there, and at least 1");
	return check_timeline(io, err);
}

/* ---- sums -------------------------------------------------------------------- */

void io_init(struct io *io)
{
	memset(io, 0, sizeof(*io));
	field_init(io_fields, io);
	io->scope = IO_SCOPE_JOB;
	io->timeline.start = io->timeline.width = 0;
}

int64_t io_time_us(const int64_t *numbers)
{
	int64_t us = IO_UNKNOWN;

#define ADD_TIME(class) io_add_number(&us, numbers[IO_##class##_US]);
	IO_TIMES(ADD_TIME)
	return us;
}

/* Keep the larger number, with those that belong to it. If both are equal these decide, so that the
 * order does not matter. */
static void keep_most(struct io *sum, const struct io *io, int number)
{
	int count = 1;

	while (number + count < IO_COUNT && io_quantities[number + count].adds == IO_WITH)
		count++;
	for (int i = number; i < number + count; i++) {
		if (io->numbers[i] < sum->numbers[i])
			return;
		if (io->numbers[i] > sum->numbers[i])
			break;
	}
	memcpy(&sum->numbers[number], &io->numbers[number],
	       (size_t)count * sizeof(sum->numbers[0]));
}

static void add_hist(struct io *sum, const struct io *io, int which)
{
	int bin;

	if (!io->has_hist[which])
		return;
	sum->has_hist[which] = true;
	for (bin = 0; bin < IO_BINS; bin++)
		io_add_number(&sum->hist[which][bin], io->hist[which][bin]);
}

/* A timeline without bytes that were moved at an unknown time would be incomplete. */
static void add_timeline(struct io *sum, const struct io *io)
{
	const int64_t *n = io->numbers;

	if (!io->timeline.count && (n[IO_READ_BYTES] > 0 || n[IO_WRITE_BYTES] > 0 ||
				    n[IO_READ_CALLS] > 0 || n[IO_WRITE_CALLS] > 0))
		timeline_spoil(&sum->timeline);
	timeline_add(&sum->timeline, &io->timeline);
}

void io_add(struct io *sum, const struct io *io)
{
	int i, k;

	for (i = 0; i < IO_COUNT; i++)
		if (io_quantities[i].adds == IO_SUM)
			io_add_number(&sum->numbers[i], io->numbers[i]);
		else if (io_quantities[i].adds == IO_MOST)
			keep_most(sum, io, i);
	for (i = 0; i < IO_HISTS; i++)
		add_hist(sum, io, i);
	for (i = 0; i < IO_ERRNO_COUNT; i++)
		for (k = 0; k < IO_CLASS_COUNT; k++)
			io_add_number(&sum->errors[i][k], io->errors[i][k]);
	add_timeline(sum, io);
}

static bool is_known(const struct io *io, int first, int last)
{
	for (; first <= last; first++)
		if (io->numbers[first] >= 0)
			return true;
	return false;
}

bool io_is_known(const struct io *io)
{
	return is_known(io, 0, IO_COUNT - 1);
}

bool io_is_counted(const struct io *io)
{
	return is_known(io, IO_READ_BYTES, IO_WRITE_CALLS);
}

int64_t io_ops(const struct io *io)
{
	int64_t sum = IO_UNKNOWN;
	int i;

	for (i = 0; i < IO_OPS; i++)
		io_add_number(&sum, io->numbers[IO_OP_OPEN + i]);
	return sum;
}
