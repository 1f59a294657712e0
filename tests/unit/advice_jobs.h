/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice_jobs.h - a job for each rule of advice/, and one that just is not
 *
 * Terms   cases: a code and what makes its job; is: true for the job that the
 *           rule is about, false for the one that differs as little as matters.
 * Runs    test_advice.c, test_advice_bounds.c, test_next_run.c. */
#ifndef JOBIO_TESTS_UNIT_ADVICE_JOBS_H
#define JOBIO_TESTS_UNIT_ADVICE_JOBS_H

#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "advice/advice.h"

#define GIB (INT64_C(1) << 30)
#define MIB (INT64_C(1) << 20)
#define NODES_MAX 4

/* A job on one filesystem, /work, of so many nodes that did all the same. */
struct job {
	const char *type, *option, *profile;
	size_t nodes;
	double seconds;
	double ahead; /* by so many is the clock of each node but the first */
	int64_t cores;
	int applied, met;
	size_t applied_first; /* so many nodes have it, whatever the others */
	enum record_scope scope;
	struct record_io io, wire; /* of a node; wire without source: none */
	bool is_whole;		   /* wire is of all of the client */
	bool has_other;		   /* the client has another filesystem, too */
	double bytes_part[NODES_MAX], us_part[NODES_MAX];
	struct record *records[NODES_MAX];
};

static struct job job_on(const char *type)
{
	struct job j = { .type = type,
			 .nodes = 1,
			 .seconds = 1000,
			 .applied = 1,
			 .met = 1,
			 .scope = RECORD_SCOPE_JOB };
	size_t i;

	record_io_init(&j.io);
	record_io_init(&j.wire);
	for (i = 0; i < NODES_MAX; i++)
		j.bytes_part[i] = j.us_part[i] = 1;
	return j;
}

static void reads(struct job *j, int64_t calls, int64_t bytes)
{
	j->io.numbers[RECORD_READ_CALLS] = calls;
	j->io.numbers[RECORD_READ_BYTES] = bytes;
}

static void writes(struct job *j, int64_t calls, int64_t bytes)
{
	j->io.numbers[RECORD_WRITE_CALLS] = calls;
	j->io.numbers[RECORD_WRITE_BYTES] = bytes;
}

static void meta(struct job *j, enum record_meta op, int64_t count)
{
	j->io.has_meta = true;
	j->io.meta[op] = count;
}

static void peak(struct job *j, int64_t rd, int64_t wr)
{
	j->io.peak[RECORD_PEAK_READ] = rd;
	j->io.peak[RECORD_PEAK_WRITE] = wr;
	j->io.peak_window_s = 1;
}

/* What was moved in 16 s of the run, some seconds after its start, at 1000 */
__attribute__((unused)) static void row(struct job *j, int64_t after, int64_t rd, int64_t wr)
{
	const int64_t amounts[TIMELINE_LANES] = { rd, wr, 1 };

	timeline_put(&j->io.timeline, (1000 + after) / 16 * 16, 16, amounts);
}

static void scale(int64_t *number, double part)
{
	if (*number >= 0)
		*number = (int64_t)((double)*number * part);
}

static void add_io(struct job *j, struct record *r, size_t at)
{
	struct record_io io = j->io;

	strcpy(io.source, "bpf");
	io.fs = (char *)"/work";
	io.scope = j->scope;
	scale(&io.numbers[RECORD_READ_BYTES], j->bytes_part[at]);
	scale(&io.numbers[RECORD_WRITE_BYTES], j->bytes_part[at]);
	scale(&io.numbers[RECORD_READ_US], j->us_part[at]);
	scale(&io.numbers[RECORD_WRITE_US], j->us_part[at]);
	record_add_app(r, &io);
	if (!*j->wire.source)
		return;
	io = j->wire;
	io.scope = RECORD_SCOPE_NODE;
	strcpy(io.client, "work");
	io.fs = j->is_whole ? NULL : (char *)"/work";
	record_add_wire(r, &io);
}

static struct record *make(struct job *j, size_t at)
{
	struct record *r = record_new();

	ck_assert_ptr_nonnull(r);
	snprintf(r->node, sizeof(r->node), "c%zu", at + 1);
	r->start = 1000 + (at ? j->ahead : 0);
	r->end = r->start + j->seconds;
	r->has_io_cores = j->cores > 0;
	r->io_cores_count = j->cores;
	r->cores_met = j->met;
	r->profile_applied = at < j->applied_first || j->applied;
	r->has_request = j->profile || j->cores;
	r->request.io_cores = (unsigned int)j->cores;
	if (j->profile)
		strcpy(r->request.profile, j->profile);
	record_add_client(r, "work", j->type, "", NULL);
	record_add_mount(r, "/work", "fs", "server:/work");
	if (j->has_other)
		record_add_mount(r, "/other", "fs", "server:/other");
	if (j->option)
		record_add_change(r, "work", "mount-option", "/work", "other", j->option, 1, 1);
	add_io(j, r, at);
	return r;
}

/* Caller frees. */
static struct advice_list *judge_with(struct job *j, const struct config_advice *limits)
{
	struct advice_list *list;
	size_t i;

	for (i = 0; i < j->nodes; i++)
		j->records[i] = make(j, i);
	list = advice_new(j->records, j->nodes, true, limits);
	for (i = 0; i < j->nodes; i++)
		record_free(j->records[i]);
	ck_assert_ptr_nonnull(list);
	return list;
}

__attribute__((unused)) static struct advice_list *judge(struct job *j)
{
	struct config_advice limits;

	config_advice_init(&limits);
	return judge_with(j, &limits);
}

__attribute__((unused)) static const struct advice *find(const struct advice_list *list,
							 const char *code)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (!strcmp(list->list[i].code, code))
			return &list->list[i];
	return NULL;
}

/* ---- a job for each rule, and one that just is not ------------------------- */

#define MAKES(name, type_name)                                                                     \
	static void name##_set(struct job *j, bool is);                                            \
	static struct job name(bool is)                                                            \
	{                                                                                          \
		struct job j = job_on(type_name);                                                  \
                                                                                                   \
		name##_set(&j, is);                                                                \
		return j;                                                                          \
	}                                                                                          \
	static void name##_set(struct job *j, bool is)

MAKES(a01, "weka")
{
	reads(j, 1000000, is ? 39000000000 : 40000000000);
}
MAKES(a02, "weka")
{
	writes(j, 1000000, is ? 69000000000 : 70000000000);
}
MAKES(a03, "weka")
{
	j->option = "forcedirect";
	reads(j, 1000000, 1000000 * (is ? 65535L : 65536L));
}
MAKES(a04, "weka")
{
	j->option = "forcedirect";
	meta(j, RECORD_META_STAT, 1000000);
	reads(j, is ? 9000000 : 9000001, 9000000 * MIB);
}
MAKES(a05, "weka")
{
	j->option = "writecache";
	reads(j, 200000, 200000 * (is ? MIB : MIB - 1));
}
MAKES(a06, "weka")
{
	reads(j, 2000, 2000 * MIB);
	j->io.numbers[RECORD_READ_US] = is ? 500000000 : 499000000;
}
MAKES(a07, "weka")
{
	reads(j, 20000, 20000 * 4096L);
	j->io.numbers[RECORD_READ_US] = is ? 16100000000 : 16000000000;
}
MAKES(a08, "nfs")
{
	j->seconds = 10;
	writes(j, 5000, 5000 * MIB);
	meta(j, RECORD_META_FSYNC, is ? 1000 : 999);
}
MAKES(a09, "lustre")
{
	reads(j, 10000000, 10000000 * MIB);
	meta(j, RECORD_META_STAT, is ? 20000000 : 19999000);
}
MAKES(a10, "nfs")
{
	meta(j, RECORD_META_LOOKUP_MISS, 300000);
	meta(j, RECORD_META_OPEN, is ? 100000 : 100001);
}
MAKES(a11, "nfs")
{
	meta(j, RECORD_META_OPEN, 1000000);
	writes(j, is ? 2000000 : 2000001, 1000000);
}
MAKES(a12, "nfs")
{
	meta(j, RECORD_META_CREATE, 300000);
	writes(j, 300000, 300000 * (is ? 65535L : 65536L));
}
MAKES(a13, "nfs")
{
	meta(j, RECORD_META_OPEN, 300000);
	meta(j, RECORD_META_LOOKUP_MISS, 300000);
	reads(j, 300000, 300000 * (is ? 65535L : 65536L));
}
/* each file four times */
MAKES(a11_again, "nfs")
{
	meta(j, RECORD_META_OPEN, 300000);
	meta(j, RECORD_META_LOOKUP_MISS, is ? 75000 : 75001);
	reads(j, 300000, 300000 * 100L);
}
MAKES(a14, "weka")
{
	j->seconds = 100;
	meta(j, RECORD_META_CREATE, is ? 2100000 : 2099900);
}
MAKES(a15, "lustre")
{
	reads(j, 102400, 100 * GIB);
	j->io.numbers[RECORD_MMAP_READ_BYTES] = is ? 100 * GIB : 100 * GIB - 1;
}
MAKES(a16, "weka")
{
	writes(j, 2048, 2 * GIB);
	meta(j, RECORD_META_CREATE, 1000);
	meta(j, RECORD_META_UNLINK, is ? 900 : 899);
}
MAKES(a16_spill, "weka")
{
	writes(j, 2000, 2000 * MIB);
	reads(j, 1800, is ? 1800 * MIB : 1800 * MIB - 1);
	meta(j, RECORD_META_CREATE, 8);
	meta(j, RECORD_META_UNLINK, 8);
}
MAKES(a16_but_one, "weka")
{
	writes(j, 2000, 2000 * MIB);
	reads(j, 5000, is ? 5000 * MIB : 5000 * MIB + 1);
	meta(j, RECORD_META_CREATE, 8);
	meta(j, RECORD_META_UNLINK, 7);
}
MAKES(a16_unsynced, "weka")
{
	a16_set(j, true);
	meta(j, RECORD_META_FSYNC, is ? 999 : 1000);
}
MAKES(a17, "lustre")
{
	writes(j, 20000, 20000 * (is ? MIB : MIB - 1));
	j->io.numbers[RECORD_WRITE_US] = 200000000;
}

static void wire(struct job *j, int64_t calls, int64_t bytes)
{
	strcpy(j->wire.source, "mountstats");
	j->wire.shared = 0;
	j->wire.numbers[RECORD_READ_CALLS] = calls;
	j->wire.numbers[RECORD_READ_BYTES] = bytes;
}

MAKES(a18, "nfs")
{
	reads(j, 200000000, 200000000 * 4096L);
	wire(j, is ? 200000000 : 199999000, 200000000 * 4096L);
}
MAKES(a19, "nfs")
{
	reads(j, 102400, 100 * GIB);
	wire(j, 102400, is ? 130 * GIB : 130 * GIB - MIB);
	j->wire.numbers[RECORD_ASKED_READ_BYTES] = 100 * GIB;
}
MAKES(a20, "weka")
{
	reads(j, 1024, GIB);
	j->profile = "stream";
	j->applied = !is;
}
MAKES(a21, "weka")
{
	reads(j, 1024, GIB);
	j->cores = 1;
	j->met = !is;
}
MAKES(a22, "weka")
{
	j->cores = 1;
	reads(j, 2000000, 2000000000000);
	peak(j, is ? 4584000001 : 4583999999, 0);
}
MAKES(a23, "weka")
{
	j->cores = 1;
	j->option = "forcedirect";
	reads(j, is ? 115626401 : 115626399, 115626400 * 4096L);
}
MAKES(a24, "weka")
{
	j->cores = 1;
	reads(j, 1024, GIB);
	peak(j, is ? 572000000 : 573000001, 0);
}
MAKES(a25, "weka")
{
	j->cores = 2;
	reads(j, 1024, GIB);
	peak(j, is ? 4010000000 : 4012000000, 0);
}

static void two_nodes(struct job *j, double first)
{
	j->nodes = 2;
	reads(j, 204800, 200 * GIB);
	j->bytes_part[0] = first;
	j->bytes_part[1] = 1 - first;
}

MAKES(a26, "weka")
{
	two_nodes(j, is ? 0.901 : 0.899);
}
MAKES(a27, "weka")
{
	two_nodes(j, is ? 0.651 : 0.649);
}
MAKES(a28, "weka")
{
	two_nodes(j, 0.5);
	j->io.numbers[RECORD_READ_US] = 300000000;
	j->us_part[1] = is ? 1 / 0.39 : 1 / 0.41;
}
MAKES(a29, "nfs")
{
	reads(j, 100000, 100000 * MIB);
	wire(j, 100000, 100000 * MIB);
	j->wire.numbers[RECORD_RESENT] = is ? 1000 : 999;
}

/* 1,000 s: the last quarter begins at 750 */
MAKES(a40, "nfs")
{
	int64_t late = 75 * GIB - (is ? 0 : MIB);

	writes(j, 102400, 100 * GIB);
	row(j, 100, 0, 100 * GIB - late);
	row(j, 900, 0, late);
}
static const struct {
	const char *code;
	struct job (*make)(bool is);
} cases[] = {
	{ "A01", a01 },		 { "A02", a02 },	 { "A03", a03 },       { "A04", a04 },
	{ "A05", a05 },		 { "A06", a06 },	 { "A07", a07 },       { "A08", a08 },
	{ "A09", a09 },		 { "A10", a10 },	 { "A11", a11 },       { "A12", a12 },
	{ "A13", a13 },		 { "A14", a14 },	 { "A15", a15 },       { "A16", a16 },
	{ "A17", a17 },		 { "A18", a18 },	 { "A19", a19 },       { "A20", a20 },
	{ "A21", a21 },		 { "A22", a22 },	 { "A23", a23 },       { "A24", a24 },
	{ "A25", a25 },		 { "A26", a26 },	 { "A27", a27 },       { "A28", a28 },
	{ "A29", a29 },		 { "A40", a40 },	 { "A11", a11_again }, { "A16", a16_spill },
	{ "A16", a16_unsynced }, { "A16", a16_but_one },
};
#define CASES (sizeof(cases) / sizeof(cases[0]))

#endif
