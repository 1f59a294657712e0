/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.h - interface of all filesystem clients
 *
 * A node may have several, config_clients_for() of them; each has a struct client. They
 * are called in this order, any of them may be left out:
 *
 *   client_open     for a [client NAME] of jobio.conf
 *   client_inspect  read its state                       (facts)
 *   client_judge    check it, for this job               (findings)
 *   client_plan     list what has to change              (changes)
 *   client_apply    change it, journal first
 *   client_restore  undo the changes of a journal, for all clients
 *
 * Terms   see types.h, and:
 *         fact: something read from the node. Each has a timeout of its own (timeout_ms
 *           of jobio.conf) in a child that can be killed; together they keep within the
 *           budget of the caller. A fact that could not be read is unknown, which is a
 *           finding, not an error.
 *         finding: code ("W01"), severity, one sentence, one cure. The log, the record
 *           and `jobio check` have the same text.
 *         plan: a list of planned changes.
 * Owner   client_close() frees the client and all that was borrowed from it.
 * Errors  NULL or -1, sentence in *err, outputs untouched. Faults of the node are
 *           findings; -1 is for errors that stop the caller.
 *         client_apply reports every incomplete change: it is journaled as done, or
 *           undone, or there is a finding about it.
 * Runs    prolog and epilog as root, under the node's lock; jobio check without it,
 *           reading only.
 */
#ifndef JOBIO_CLIENT_CLIENT_H
#define JOBIO_CLIENT_CLIENT_H

#include "base/config.h"
#include "base/err.h"
#include "client/journal.h"
#include "client/types.h"
#include "record/finding.h"

struct client;

/* Create the client of a section. 'run_dir' is the one of jobio.conf; 'state_dir' is kept across
 * reboots, for values to be restored. Both NULL: for reading only. The strings remain the
 * caller's. */
struct client *client_open(const struct config_client *section, const char *run_dir,
			   const char *state_dir);
void client_close(struct client *client);

/* Read the facts, within budget_ms. Valid replies of an earlier job are taken from the cache
 * (RUN/client.NAME.json). */
int client_inspect(struct client *client, unsigned int budget_ms, struct err *err);
const struct client_facts *client_facts(const struct client *client);
/* Return true if all replies are from the cache. */
bool client_is_cached(const struct client *client);
/* Store the replies for the next job, or remove those that are not valid. */
void client_store(const struct client *client);

/* 'desired' may be NULL: judge without a job. */
void client_judge(struct client *client, const struct client_desired *desired,
		  struct findings *findings);

/* Add the findings of a job with this profile about settings that a client of this section refuses.
 * Reads nothing from the node. */
void client_judge_profile(const struct config_client *section, const struct config_profile *profile,
			  struct findings *findings);

/* Add what has to change to a plan. Needs client_inspect(). */
void client_plan(struct client *client, const struct client_desired *desired, struct changes *plan,
		 struct findings *findings);

/* Make the changes of this client in the plan, each journaled first and verified afterwards. A
 * change that failed is undone. Return 0 if all are made, 1 if the client refused some (see
 * findings), -1 if the journal could not be written: then nothing was changed. */
int client_apply(struct client *client, struct changes *plan, struct journal *journal,
		 struct findings *findings, struct err *err);

/* Undo the pending changes of the journal, last first, each by its client in 'config', if the value
 * is still the one that was set. Needs no client_inspect(). Continues if the journal cannot be
 * written, or a change cannot be undone. Return the number of changes undone, or -1 if some could
 * not be (findings, *err: the last). */
int client_restore(const struct config *config, const char *state_dir, struct journal *journal,
		   struct findings *findings, struct err *err);
/* Return true if everything that the profile of 'desired' sets is in effect, by the facts. */
bool client_is_as_desired(const struct client *client, const struct client_desired *desired);

/* Return true if a change of this kind, on a client of this type, is kept across a reboot, or if
 * unknown. */
bool client_change_outlives_reboot(const char *type, const char *kind);

/* Return the client's own counters, as text for client_io_since(); caller frees. Needs no
 * client_inspect(); takes at most timeout_ms of jobio.conf. NULL with errno ENOENT: this client has
 * none, which is not an error. */
char *client_counters_save(struct client *client, struct err *err);
/* Get the difference of the counters since 'before', a line for each filesystem. Return -1 if the
 * client does not reply, or 'before' is damaged. */
int client_io_since(struct client *client, const char *before, struct client_io *client_io,
		    struct err *err);

/* Return 1 if it has a mount of a filesystem that none of its mounts had then, compared by
 * superblock: another mount of the same one does not count; 0 if not, -1 if unknown. Needs no
 * client_inspect(). */
int client_mounted_since(struct client *client, const struct client_moments *moments,
			 struct err *err);

/* Judge the work of a job that has ended, before its settings are restored. Takes at most
 * timeout_ms of jobio.conf. */
void client_judge_work(struct client *client, const struct client_work *work,
		       struct findings *findings);

/* Report an event of the client since a time (seconds since 1970), as a finding. */
void client_report_event(struct client *client, const struct client_io *client_io, int64_t since_s,
			 struct findings *findings);

/* Return true if the mount table's fstype is of this type. */
bool client_type_mounts(const char *type, const char *fstype);

/* Get the NICs of its traffic, with their NUMA nodes; none if the type cannot find out. Needs
 * client_inspect(). */
void client_nics(const struct client *client, struct client_nics *nics);

/* Return the sizes of a type, zeros for a type without cores of its own. Needs no client. */
const struct client_sizing *client_sizing(const char *type);
/* Return the command or the line of a configuration file for these cores; caller frees; NULL: there
 * is none. */
char *client_cores_command(const char *type, const struct client_placement *placement);
/* Return the type for `jobio plan`: the one with cores of its own. */
const char *client_type_with_cores(void);

#endif
