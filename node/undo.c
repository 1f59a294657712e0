/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Undo the pending changes of a job's journal. */
#include "node/job.h"

#include <errno.h>
#include <string.h>

#include "base/rundir.h"
#include "client/journal.h"

static bool has_change(const struct journal *journal, const struct record_change *change)
{
	const struct journal_change *known;
	size_t i;

	for (i = 0; i < journal_count(journal); i++) {
		known = journal_at(journal, i);
		if ((!*change->client || !strcmp(known->client, change->client)) &&
		    !strcmp(known->what, change->what) && !strcmp(known->target, change->target) &&
		    !strcmp(known->new_value, change->new_value))
			return true;
	}
	return false;
}

/* Add planned changes of the state that are missing in the journal, which may have lost lines: they
 * may have been applied. */
static void add_from_state(struct journal *journal, const struct record *state)
{
	struct journal_change planned = { 0 };
	const struct record_client *client;
	size_t i;

	for (i = 0; i < state->change_count; i++) {
		if (state->changes[i].restored == 1 || state->changes[i].made == 0 ||
		    has_change(journal, &state->changes[i]))
			continue;
		client = record_client_named(state, state->changes[i].client);
		planned.client = client ? (char *)client->name : "";
		planned.what = state->changes[i].what;
		planned.target = state->changes[i].target;
		planned.old_value = state->changes[i].old_value;
		planned.new_value = state->changes[i].new_value;
		journal_plan(journal, &planned, NULL);
	}
}

/* Open the journal; if the file cannot be written, a copy in memory: settings are restored even if
 * /run is not writable. */
static struct journal *open_journal(const struct config *config, uint32_t job_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	struct journal *journal;

	if (rundir_job_file(path, config->run_dir, job_id, RUNDIR_JOURNAL, err) < 0)
		return NULL;
	journal = journal_open(path, NULL);
	return journal ? journal : journal_scratch(path);
}

bool job_has_changes(const struct config *config, uint32_t job_id, const struct record *state)
{
	return (state && state->change_count) || job_has_file(config, job_id, RUNDIR_JOURNAL);
}

/* Return 1 if the change was made, 0 if it failed, -1 if unknown: its process was killed. */
static int is_made(const struct journal_change *change)
{
	if (change->state == JOURNAL_FAILED)
		return 0;
	return change->was_done ? 1 : -1;
}

/* Replace the state's list of changes by the journal's. */
static void report_changes(struct record *state, const struct journal *journal)
{
	const struct journal_change *change;
	struct record *blank;
	struct record_change *list = state->changes;
	size_t i, count = state->change_count;

	if (!journal_count(journal))
		return;
	blank = record_new();
	for (i = 0; i < journal_count(journal); i++) {
		change = journal_at(journal, i);
		record_add_change(
			blank, change->client, change->what, change->target, change->old_value,
			change->new_value, is_made(change),
			change->state == JOURNAL_GONE ? -1 : change->state == JOURNAL_RESTORED);
	}
	state->changes = blank->changes;
	state->change_count = blank->change_count;
	blank->changes = list;
	blank->change_count = count;
	record_free(blank);
}

int job_undo(const struct config *config, uint32_t job_id, struct record *state, struct err *err)
{
	struct findings findings = { 0 };
	char state_dir[RUNDIR_PATH_MAX];
	struct journal *journal;
	int rc = 0;

	if (!job_has_changes(config, job_id, state))
		return 0;
	journal = open_journal(config, job_id, err);
	if (!journal)
		return -1;
	if (journal_is_unread(journal)) {
		err_set(err, "its journal cannot be read: %s",
			strerror(journal_is_unread(journal)));
		if (state)
			state->flags |= RECORD_FLAG(JOURNAL_DAMAGED);
		journal_close(journal);
		return -1;
	}
	if (state)
		add_from_state(journal, state);
	job_state_dir(config, state_dir);
	if (journal_is_pending(journal))
		rc = client_restore(config, state_dir, journal, &findings, err);
	if (state) {
		if (journal_is_damaged(journal))
			state->flags |= RECORD_FLAG(JOURNAL_DAMAGED);
		job_add_findings(state, &findings);
		report_changes(state, journal);
	}
	findings_free(&findings);
	journal_close(journal);
	return rc;
}
