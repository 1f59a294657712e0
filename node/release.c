/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/release.h"

#include <string.h>

#include "base/host.h"
#include "node/client_io.h"
#include "node/count_helper.h"
#include "node/finish.h"
#include "node/job_dir.h"
#include "node/job_state.h"
#include "node/log.h"
#include "node/released.h"
#include "node/steps.h"
#include "node/undo.h"

/* The ledger keeps the later of two records of a node: add the resolution of times in records. */
#define AGAIN_S 0.001 /* record/json.c */

static void log_findings(const struct record *state)
{
	size_t i;

	for (i = 0; i < state->findings.count; i++)
		if (state->findings.list[i].phase == FINDING_PHASE_RESTORE)
			log_finding(&state->findings.list[i]);
}

static void read_counters(const struct config *config, struct record *state)
{
	struct err why;

	if (job_count_read(state, &why) < 0)
		log_line("of job %u: %s", state->job, why.text);
	client_io_read(config, state);
}

/* Write the end to the state: the record is written again when all settings are restored, possibly
 * hours later, with the same counters and end. */
static void set_end(struct record *state, bool locked)
{
	struct err why;

	if (state->end >= 0)
		state->end += AGAIN_S;
	if (locked && job_state_write(state, &why) < 0)
		log_line("of job %u: %s", state->job, why.text);
	if (!locked) {
		/* the process with the lock may be writing the record: it removes the
		 * folder then, and the open copy must not be created again */
		state->flags &= ~RECORD_FLAG(OTHER);
		job_state_update(state, NULL);
	}
}

static int store_record(struct record *state, bool locked, int64_t start, struct err *err)
{
	const struct job_run run = { state->job, state->restart, start };
	struct err why;
	int rc;

	/* the process with the lock has written it */
	if (!locked && !job_has_folder(state->job) && job_was_released(&run))
		return 0;
	rc = job_store_record(state, &why);
	set_end(state, locked);
	if (rc < 0)
		*err = why;
	else if (rc > 0)
		log_line("of job %u: %s", state->job, why.text);
	return rc < 0 ? -1 : 1;
}

static int finish(const struct record *state, int64_t start, struct err *err)
{
	bool is_counted = job_is_counted(state->job);
	struct err why;
	int rc = job_finish(state, start, err);

	if (rc < 0)
		return -1;
	if (rc > 0)
		log_line("of job %u: %s", state->job, err->text);
	if (is_counted && job_count_stop(state->job, &why) < 0)
		log_line("of job %u: %s", state->job, why.text);
	return 0;
}

static bool is_of_other_boot(const struct record *state)
{
	char boot_id[64];

	host_boot_id(boot_id, sizeof(boot_id));
	return *boot_id && *state->boot_id && strcmp(boot_id, state->boot_id) != 0;
}

int job_release(const struct config *config, struct record *state, bool locked, int64_t start,
		int *restored, struct err *err)
{
	bool was_ended = job_state_is_ended(state);
	int count = -1;

	if (!was_ended && is_of_other_boot(state))
		state->flags |= RECORD_FLAG(NODE_REBOOTED);
	if (!was_ended)
		read_counters(config, state);
	if (locked)
		count = job_undo(config, state->job, state, err);
	else
		state->flags |= RECORD_FLAG(OTHER);
	log_findings(state);
	if (!was_ended) {
		job_add_steps(state);
		job_state_end(state);
	}
	if (count < 0)
		return was_ended ? 1 : store_record(state, locked, start, err);
	*restored += count;
	return finish(state, start, err);
}
