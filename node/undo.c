/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/undo.h"

#include <errno.h>
#include <string.h>

#include "base/rundir.h"
#include "client/client.h"
#include "client/journal.h"
#include "node/job_dir.h"
#include "node/job_state.h"

static bool has_change(const struct journal *journal, const struct change *change)
{
	const struct changes *changes = journal_changes(journal);
	const struct change *one;
	size_t i;

	for (i = 0; i < changes->count; i++) {
		one = &changes->list[i];
		if (!strcmp(one->client, change->client) && !strcmp(one->kind, change->kind) &&
		    !strcmp(one->target, change->target) &&
		    !strcmp(one->new_value, change->new_value))
			return true;
	}
	return false;
}

/* Add changes of the state that are missing in the journal, which may have lost lines: they may
 * have been made. */
static void add_from_state(struct journal *journal, const struct record *state)
{
	struct change change;
	size_t i;

	for (i = 0; i < state->changes.count; i++) {
		change = state->changes.list[i];
		if (change.state != CHANGE_RESTORED && change.state != CHANGE_FAILED &&
		    change_is_complete(&change) && !has_change(journal, &change))
			journal_plan(journal, &change, NULL);
	}
}

/* Open the journal; if the file cannot be written, a copy in memory: settings are restored even if
 * /run is not writable. */
static struct journal *open_journal(uint32_t job_id, struct err *err)
{
	char path[RUNDIR_PATH_MAX];
	struct journal *journal;

	if (rundir_job_file(path, dirs.run, job_id, RUNDIR_JOURNAL, err) < 0)
		return NULL;
	journal = journal_open(path, NULL);
	return journal ? journal : journal_scratch(path);
}

bool job_has_changes(uint32_t job_id, const struct record *state)
{
	return (state && state->changes.count) || job_has_file(job_id, RUNDIR_JOURNAL);
}

/* Replace the state's list of changes by the journal's. */
static void report_changes(struct record *state, const struct journal *journal)
{
	const struct changes *changes = journal_changes(journal);

	if (!changes->count)
		return;
	changes_free(&state->changes);
	changes_append(&state->changes, changes);
}

int job_undo(const struct config *config, uint32_t job_id, struct record *state, struct err *err)
{
	struct findings findings = { 0 };
	char state_dir[RUNDIR_PATH_MAX];
	struct journal *journal;
	int rc = 0;

	if (!job_has_changes(job_id, state))
		return 0;
	journal = open_journal(job_id, err);
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
	if (journal_is_pending(journal) && rundir_state_folder(state_dir, dirs.spool, NULL) == 0)
		rc = client_restore(config, state_dir, journal, &findings, err);
	if (state) {
		if (journal_is_damaged(journal))
			state->flags |= RECORD_FLAG(JOURNAL_DAMAGED);
		state->findings.phase = FINDING_PHASE_RESTORE;
		findings_append(&state->findings, &findings);
		report_changes(state, journal);
	}
	findings_free(&findings);
	journal_close(journal);
	return rc;
}
