/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slim.h - answers of the ledger, with advice, and lists without records
 *
 * Terms   row, of a run in a slim list:
 *           {"job":7,"restart":0|null,"cluster":"c"|null,"array_job":..,"array_task":..,
 *            "het_job":..,"het_offset":..,"summary":"jobio/1 ..","user":"alice"|null,
 *            "totals":{"read_bytes":N|null,"read_calls":..,"write_bytes":..,"write_calls":..}|null,
 *            "last":1795224890.1|null,"seconds":28.1|null,"records":2,"findings":["W01",..],
 *            "advice":[..]|null}
 *         totals: to the last digit, where all records of the job alone are there; null: as
 *           the summary has them. last: when its last node was done.
 *         advice: [{"code","fs","what","why","do","confidence","source","value"}], the most
 *           valuable first; null: too little to judge.
 * Owner   slim_job_clear() of a job that was zeroed first.
 * Errors  none; those of 'out' stay in it. Records of later versions are left out.
 * Runs    jobio-ask.
 */
#ifndef JOBIO_TOOLS_SLIM_H
#define JOBIO_TOOLS_SLIM_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/config.h"
#include "lib/json.h"
#include "lib/record.h"

/* The records of one job, in several answers. */
struct slim_job {
	struct record **records;
	size_t count, room;
	int64_t left_out; /* -1: nobody said */
	bool is_all_nodes;
};

struct slim_want {
	bool is_slim, is_advice;
	const struct config_advice *limits;
};

void slim_job_clear(struct slim_job *job);

/* Print the answer, which is ok; 'text': what it was read from. */
void slim_list(const struct json *answer, const char *text, const struct slim_want *want,
	       FILE *out);
/* 'is_more': it continues the one before. */
void slim_get(struct slim_job *job, const struct json *answer, const char *text, bool is_more,
	      const struct slim_want *want, FILE *out);
/* {"ok":true,"advice":..} of all its records. */
void slim_advice(const struct slim_job *job, const struct config_advice *limits, FILE *out);

#endif
