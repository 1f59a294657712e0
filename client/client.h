/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - the contract of every filesystem client
 *
 * A node may have several, config_clients_for() of them; each is a client of its
 * own here. A room uses one in this order, leaving out what it does not need:
 *
 *   client_open     a [client NAME] of jobio.conf
 *   client_inspect  what is true of it now?             (facts)
 *   client_judge    what is wrong with it, for this job? (findings)
 *   client_plan     what would have to change?          (changes)
 *   client_apply    change it, journal first
 *   client_restore  put back what a journal says, each client its own
 *
 * Terms   see terms.h, and:
 *         fact: something read from the node. Each is read with a deadline of
 *           its own (timeout_ms of jobio.conf) in a child that can be killed;
 *           together they keep to the budget of the caller. A fact that could
 *           not be read is unknown, which is a finding, not an error.
 *         finding: code ("W01"), severity, one sentence, one cure. The same
 *           words go to the log, the record and `jobio check`.
 *         plan: a list of changes; its inside is client/change.h.
 * Owner   client_close() frees the client and all that was borrowed from it.
 * Errors  NULL or -1, sentence in *err, outputs untouched. Faults of the node
 *           are findings; -1 is kept for what stops the caller's work.
 *         client_apply never leaves a half-made change unmentioned: it is
 *           either journaled as done, or put back, or a finding says what is
 *           left.
 * Runs    prolog and epilog as root, under the node's lock; jobio check
 *           without it, reading only.
 */
#ifndef JOBIO_CLIENT_CLIENT_H
#define JOBIO_CLIENT_CLIENT_H

#include "base/config.h"
#include "base/err.h"
#include "client/journal.h"
#include "client/terms.h"
#include "record/finding.h"

struct client;
struct client_plan;

/* The client that the section tells of. 'run_dir' is the one of
 * jobio.conf; 'state_dir' is a folder of ours that outlives a reboot: the client
 * remembers there what it must go back to. Both NULL: for looking only. The
 * strings stay the caller's. An unimplemented type is an error. */
struct client *client_open(const struct config_client *section, const char *run_dir,
			   const char *state_dir);
void client_close(struct client *client);

/* Read the facts, spending at most budget_ms. What an earlier job has asked, and
 * still holds, is not asked again (RUN/client.NAME.json). */
int client_inspect(struct client *client, unsigned int budget_ms, struct err *err);
const struct client_facts *client_facts(const struct client *client);
/* Was nobody asked, because all that was known still holds? */
bool client_is_cached(const struct client *client);
/* Keep what was asked for the next job, or forget it when it does not hold. */
void client_keep(const struct client *client);

/* 'want' may be NULL: judge the client alone. */
void client_judge(struct client *client, const struct client_want *want, struct findings *findings);

/* What a client of this section would refuse of a profile, without looking at any
 * node: the findings that a job with it would have. */
void client_judge_profile(const struct config_client *section, const struct config_profile *profile,
			  struct findings *findings);

/* NULL: nothing has to change. Needs client_inspect(). */
struct client_plan *client_plan(struct client *client, const struct client_want *want,
				struct findings *findings);
size_t client_plan_count(const struct client_plan *plan);
/* Borrowed; 'seq' and 'state' mean nothing yet. */
const struct journal_change *client_plan_at(const struct client_plan *plan, size_t index);
void client_plan_free(struct client_plan *plan);

/* Make the changes of the plan, each journaled first and verified afterwards.
 * A change that failed has been put back. Returns 0 when all is as planned, 1
 * when some change was refused by the client (findings say which), -1 when the
 * journal could not be written: nothing was begun without it. */
int client_apply(struct client *client, const struct client_plan *plan, struct journal *journal,
		 struct findings *findings, struct err *err);

/* Undo what the journal has pending, last first, each change by the client of
 * 'config' that it names, where the value is still the one that was set. Needs
 * no client_inspect(). A journal that cannot be written is no reason to leave a
 * setting behind, nor is one change that cannot be undone. Returns the number
 * of changes put back, or -1 when some could not be (findings, *err: the last). */
int client_restore(const struct config *config, const char *state_dir, struct journal *journal,
		   struct findings *findings, struct err *err);
/* Does all that the profile of 'want' sets stand, by what was read last? */
bool client_holds(const struct client *client, const struct client_want *want);

/* Does a change of this kind, on a client of this type, survive a reboot? Of
 * what is not known: yes. */
bool client_change_outlives_reboot(const char *type, const char *what);

/* The client's own counters now, as text for client_wire_since(); caller frees.
 * Needs no client_inspect(); takes timeout_ms of jobio.conf at most.
 * NULL and errno ENOENT: this client has none, which is no fault. */
char *client_wire_save(struct client *client, struct err *err);
/* What it moved since 'before', a line for each filesystem that it tells of. -1:
 * it does not answer, or 'before' is damaged. */
int client_wire_since(struct client *client, const char *before, struct client_wire *wire,
		      struct err *err);

/* Has it a mount that shows a filesystem which none of its mounts showed then? By
 * superblock: another place of one that was there is none. Needs no
 * client_inspect(). 1; 0; -1: nobody knows. */
int client_mounted_since(struct client *client, const struct client_moments *moments,
			 struct err *err);

/* Judge it by what a job did that has ended, while it still has the job's settings.
 * Takes timeout_ms of jobio.conf at most. */
void client_judge_work(struct client *client, const struct client_work *work,
		       struct findings *findings);

/* What happened to it since a moment (seconds since 1970), as a finding. */
void client_wire_tell(const struct client *client, const struct client_wire *wire, int64_t since_s,
		      struct findings *findings);

/* Is this a filesystem of the type's, by the mount table? */
bool client_type_mounts(const char *type, const char *fstype);

/* The network cards that its work goes over, with their NUMA nodes. Needs
 * client_inspect(); of a type that cannot tell: none. */
void client_cards(const struct client *client, struct client_cards *cards);

/* Of a type; no client is needed. A type without cores of its own has zeros. */
const struct client_sizing *client_sizing(const char *type);
/* What to write or to type; caller frees; NULL: there is nothing, or out of
 * memory. */
char *client_cores_command(const char *type, const struct client_place *place);
/* The type whose cores `jobio plan` plans. */
const char *client_type_with_cores(void);

#endif
