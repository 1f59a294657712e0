/* SPDX-License-Identifier: GPL-2.0-or-later */
/* config_query.h - questions about a configuration
 *
 * Owner   results are borrowed from the configuration.
 * Errors  none: NULL or false.
 * Runs    everywhere; libc only.
 */
#ifndef JOBIO_BASE_CONFIG_QUERY_H
#define JOBIO_BASE_CONFIG_QUERY_H

#include "base/config.h"

/* Get word number 'at' of a list with blanks or commas. Return false if there are fewer. */
bool config_word(const char *list, size_t at, char word[CONFIG_WORD_MAX]);

/* Return true if jobio is off here, and the key that does it in *why, for users and records. 'node'
 * NULL: not checked. 'partitions': those that the job may run in, separated by commas, all of which
 * must be the site's; "": unknown, which is not one of the site's; NULL: not checked. */
bool config_is_off(const struct config *config, const char *node, const char *partitions,
		   struct err *why);

/* Return the maximum time of client restarts, to change cores and to restore them, in ms. It is
 * added to prolog_budget_ms. */
unsigned int config_restarts_ms(const struct config *config);
/* Return true if one of the lists above contains this node. */
bool config_has_node(const char *nodes, const char *node);
/* Return true if this node's epilog waits for the ledger ([ledger] wait_nodes). */
bool config_waits(const struct config *config, const char *node);

/* Borrowed; NULL: there is none. */
const struct config_client *config_client_find(const struct config *config, const char *name);
struct config_profile *config_profile_in(struct config_profile list[], size_t count,
					 const char *name, const char *client);
const struct config_profile *config_profile_find(const struct config *config, const char *name);
/* Return the name most similar to a mistyped one; NULL if none is. */
const char *config_profile_nearest(const struct config *config, const char *name);
/* Set [list] to the [client] sections of a node, in their order: those with a matching nodes=. If
 * two of one type claim the same mount, only the first is used. Return their number. */
size_t config_clients_for(const struct config *config, const char *node,
			  const struct config_client *list[CONFIG_CLIENTS_MAX]);
/* Return the settings of a profile for a client: [profile NAME:CLIENT] if it exists, else those for
 * all; NULL: no such profile. */
const struct config_profile *config_profile_for(const struct config *config, const char *name,
						const struct config_client *client);

/* Return its mount options for this client: those for all may be of several types. */
const char *config_profile_options(const struct config_profile *profile,
				   const struct config_client *client);
/* Return true if it has a setting that the client's type uses. */
bool config_profile_is_for(const struct config *config, const char *name,
			   const struct config_client *client);
/* Return true if it sets nothing but io_cores, for any client. */
bool config_profile_is_empty(const struct config *config, const char *name);

/* Put 'root' before the paths that the file does not set, or before all, and set mountinfo and
 * mountstats to the files beside mount_table. Return -1 if out of memory. */
int config_set_root(struct config_client *client, const char *root, bool all);

#endif
