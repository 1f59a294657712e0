/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RUN/reason and SPOOL/reason: why this node is about to be drained. */
#include "job/job.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/faultpoint.h"
#include "lib/fileio.h"
#include "lib/json.h"
#include "lib/reason.h"
#include "lib/rundir.h"

/* For jobio-send; 'reason' NULL takes the last one back. */
static void tell_ledger(const struct config *config, const struct record *state,
			const char *reason)
{
	struct json_object *top;
	char path[RUNDIR_PATH_MAX];
	const char *text;

	if (config->on_error != ON_ERROR_DRAIN ||
	    rundir_reason_file(path, config->spool_dir, NULL) < 0)
		return;
	top = json_object_new_object();
	json_add_text(top, "op", "reason");
	json_add_text(top, "cluster", state->cluster);
	json_add_text(top, "node", state->node);
	json_add_number(top, "time", (int64_t)job_now());
	json_add_text(top, "reason", reason);
	text = json_line(top);
	if (text)
		fileio_write(path, text, strlen(text), 0600, NULL);
	json_object_put(top);
}

void job_reason_set(const struct config *config, const struct record *state,
		    const struct finding *finding)
{
	char path[RUNDIR_PATH_MAX], text[ERR_MAX * 2 + 64], reason[REASON_MAX];

	if (rundir_node_file(path, config->run_dir, RUNDIR_REASON, NULL) < 0)
		return;
	snprintf(text, sizeof(text), "jobio:%s %s; cure: %s\n", finding->code,
		 finding->text, finding->cure);
	FAULT_POINT("reason before");
	fileio_write_volatile(path, text, strlen(text), 0600, NULL);
	FAULT_POINT("reason after");
	reason_make(reason, finding->code, finding->text, finding->cure);
	tell_ledger(config, state, reason);
	FAULT_POINT("reason told");
}

void job_reason_clear(const struct config *config, const struct record *state)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_node_file(path, config->run_dir, RUNDIR_REASON, NULL) < 0 ||
	    access(path, F_OK) < 0)
		return;
	/* told first: who is killed in between takes it back once more */
	FAULT_POINT("reason back before");
	tell_ledger(config, state, NULL);
	FAULT_POINT("reason back told");
	unlink(path);
	FAULT_POINT("reason back after");
}
