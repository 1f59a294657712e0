/* SPDX-License-Identifier: GPL-2.0-or-later */
/* undo.h - restore the settings that were changed for a job
 *
 * Errors  -1 if some could not be restored, the last reason in *err.
 * Runs    prolog and epilog, as root, under the lock.
 */
#ifndef JOBIO_NODE_UNDO_H
#define JOBIO_NODE_UNDO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/config.h"
#include "record/record.h"

/* Return true if the job has a journal, or changes in [state] (may be NULL): a setting may have
 * been changed for it. */
bool job_has_changes(uint32_t job_id, const struct record *state);
/* Undo the pending changes of the job's journal. [state] (may be NULL) is the second source if the
 * journal is damaged or missing; it gets findings and the result of each change. Return the number
 * of settings restored. */
int job_undo(const struct config *config, uint32_t job_id, struct record *state, struct err *err);

#endif
