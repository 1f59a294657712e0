/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_json.h - a run as JSON
 *
 * Terms   brief: members of the object
 *           "record_count":2,"user":"alice"|null,"left_out":0
 *           "time":{"first":..,"last":..,"seconds":..,"apart":..}, null where unknown
 *           "findings":["W01",..]: each code once
 *           "totals":{"read_bytes":..,..}|null: exact, the summary has three digits; null:
 *             records are missing
 *         text: its members
 *           "lines":[{"kind":"app"|"other"|"wire","nodes":2, and IO of record.h}]: each
 *             filesystem and source, added up over nodes
 *           "lines_left_out":0
 *           "nodes":[{"node":"c1","start":..,"end":.., and IO of scope job}]
 *           "same":{"findings":[{"value":..,"nodes":["c1",..]}],..}: each group
 *           "quality_words":{"all_files":"counts every file, ..",..}
 *         timelines: "timelines":[{"fs":..,"source":..,"scope":..,"nodes":2,"start":..,
 *           "width_s":..,"read_bytes":[..],"write_bytes":[..],"calls":[..],..}]|null (null:
 *           records are missing)
 *         Of IO only what is known.
 * Owner   -
 * Errors  none.
 * Runs    ledger, which stores brief and text; report.
 */
#ifndef JOBIO_RECORD_RUN_JSON_H
#define JOBIO_RECORD_RUN_JSON_H

#include "record/json.h"
#include "record/run.h"

void run_json_add_brief(struct json *to, const struct run *run);
void run_json_add_text(struct json *to, const struct run *run);
void run_json_add_totals(struct json *to, const struct run *run);
void run_json_add_timelines(struct json *to, const struct run *run);

#endif
