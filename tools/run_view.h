/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_view.h - merge the records of a run, and print them as JSON
 *
 * Terms   run: the ledger's answer about a job, or one of the runs of a list.
 *         full: the run as received, and after it
 *           "timelines":[{"fs":..,"source":..,"scope":..,"nodes":2,"start":..,"width_s":..,
 *             "read_bytes":[..],"write_bytes":[..],"calls":[..],..}]|null (null: records
 *             are missing)
 *           "judged":{..}, the object of advice_text(), unless the ledger has sent it
 *         slim: the same without "records", and
 *           "record_count":2
 *           "time":{"first":..,"last":..,"seconds":..,"apart":..}, null where unknown
 *           "lines":[{"kind":"app"|"other"|"wire","nodes":2, and IO of record.h}]: each
 *             filesystem and source, added up over nodes
 *           "lines_left_out":0
 *           "nodes":[{"node":"c1","start":..,"end":.., and IO of scope job}]
 *           "same":{"findings":[{"value":..,"nodes":["c1",..]}],..}: each member of a
 *             record that is in SAME, once for all nodes with the same value; of lists each
 *             element
 *           "quality_words":{"all_files":"counts every file, ..",..}
 *           of each advice also "option", a change to the next submission:
 *           {"io_cores":2}, {"mount_option":"readcache"} (or "forcedirect"; by a profile),
 *           {"exclude":"c2"}, {"exclusive":true}, or null
 *         row: the head of a slim run and
 *           "user":"alice"|null,"totals":{..}|null (exact, if all records have counters of
 *           scope job; null: as in the summary),"time":..,
 *           "findings":["W01",..],"judged":..
 * Owner   run_view_clear() of a run that was zeroed first.
 * Errors  none; those of 'out' stay in it. Records of later versions are left out.
 * Runs    jobio-ask.
 */
#ifndef JOBIO_TOOLS_RUN_VIEW_H
#define JOBIO_TOOLS_RUN_VIEW_H

#include <stdbool.h>
#include <stdio.h>

#include "base/config.h"
#include "record/json.h"
#include "record/record.h"

enum run_view_form {
	RUN_VIEW_FULL,
	RUN_VIEW_SLIM,
	RUN_VIEW_ROW
};

struct run_view {
	struct json *first; /* answer; belongs to the caller */
	struct record **records;
	size_t count, room;
	int64_t left_out;
	struct json *same; /* NULL: not requested */
	void **groups;	   /* of each member of SAME, by value */
};

struct run_view_options {
	enum run_view_form form;
	bool is_advice;
	const struct config_advice *limits;
};

/* Add the first answer, which must stay valid, or one that continues it. 'text': what it was parsed
 * from. */
void run_view_add(struct run_view *run, struct json *answer, const char *text,
		  enum run_view_form form);
void run_view_clear(struct run_view *run);
/* Print one line without the newline; 'text': that of the first answer. */
void run_view_print(const struct run_view *run, const char *text,
		    const struct run_view_options *options, FILE *out);

#endif
