/* SPDX-License-Identifier: GPL-2.0-or-later */
/* param.h - the parameters of a Lustre client that a profile may set
 *
 * Only parameters in the table are written. No change is persistent (`lctl set_param -P`
 * and -C are for servers), and no statistics are cleared.
 *
 * Terms   word: of a profile: "osc.max_rpcs_in_flight=16". In the list of a device
 *           (setting.h) it has no "osc.".
 *         coupled: parameters of a device that the kernel changes when one of them is
 *           written (lustre/include/obd.h:client_adjust_max_dirty(),
 *           obdclass/genops.c:obd_set_max_mod_rpcs_in_flight()), or limits by each other
 *           (llite/lproc_llite.c). They are written together, in the order of the table,
 *           both to apply and to restore, so that each gets its own value last.
 * Owner   lists are malloc'ed and freed by the caller.
 * Errors  as at each function.
 * Runs    as in client.h.
 */
#ifndef JOBIO_CLIENT_LUSTRE_PARAM_H
#define JOBIO_CLIENT_LUSTRE_PARAM_H

#include "client/lustre/facts.h"
#include "client/setting.h"

/* All keys of the table, for struct setting. */
extern const struct setting_key param_keys[];

/* Return why a profile may not have this word; NULL: it may. */
const char *param_refusal(const char *key, const char *value);

/* Return true if the profile has a word for devices of this kind. */
bool param_concerns(const char *wanted, enum tree_kind kind);

/* Get all parameters of the table that the device has, "key=value,..". Return -1 with errno:
 * ENOENT, the device is gone; else a parameter could not be read. */
#define PARAM_LIST_MAX 1024 /* 16 parameters: a key of 31 bytes, 20 digits */
int param_now(const struct config_client *section, enum tree_kind kind, const char *device,
	      char list[PARAM_LIST_MAX]);
/* Write a value to a parameter, in one write(2). Return -1 with errno on failure. */
int param_write(const struct config_client *section, enum tree_kind kind, const char *device,
		const char *key, const char *value);

/* Get the parameters of a device that the profile [wanted] changes: two lists of as many words, old
 * and new values; both NULL if there is nothing to change. Return -1 if this client does not have a
 * parameter, or one could not be read. */
int param_compose(const struct client *client, const struct tree_device *device, const char *wanted,
		  char **old_list, char **new_list, struct err *err);

#endif
