/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/io.h"

#include <string.h>

#define QUANTITY(id, key, unit, adds, words) { key, words, IO_##unit, IO_##adds },
const struct io_quantity io_quantities[IO_COUNT] = { IO_QUANTITIES(QUANTITY) };

const char *const io_hist_names[IO_HISTS] = { "read_sizes", "write_sizes", "read_ns", "write_ns" };

#define CLASS_NAME(id, name) name,
const char *const io_class_names[IO_CLASS_COUNT] = { IO_CLASSES(CLASS_NAME) };

#define ERRNO_NAME(name) #name,
const char *const io_errno_names[IO_ERRNO_COUNT] = { IO_ERRNOS(ERRNO_NAME) };

const char *const io_lane_names[TIMELINE_LANES] = { "read_bytes", "write_bytes", "calls", "io_us" };

void io_init(struct io *io)
{
	int i;

	memset(io, 0, sizeof(*io));
	io->shared = IO_UNKNOWN;
	for (i = 0; i < IO_COUNT; i++)
		io->numbers[i] = IO_UNKNOWN;
}

void io_add_number(int64_t *sum, int64_t number)
{
	if (number < 0)
		return;
	if (*sum < 0)
		*sum = 0;
	*sum = number > INT64_MAX - *sum ? INT64_MAX : *sum + number;
}

/* The larger one, with those that go with it. Where two are as large these decide, so
 * that the order does not. */
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

/* What moved something and does not say when would be missing in the picture. */
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

bool io_is_known(const struct io *io)
{
	int i;

	for (i = 0; i < IO_COUNT; i++)
		if (io->numbers[i] >= 0)
			return true;
	return false;
}

int64_t io_ops(const struct io *io)
{
	int64_t sum = IO_UNKNOWN;
	int i;

	for (i = 0; i < IO_OPS; i++)
		io_add_number(&sum, io->numbers[IO_OP_OPEN + i]);
	return sum;
}
