/* SPDX-License-Identifier: GPL-2.0-or-later */
/* param.h - the parameters of a Lustre client that a profile may set
 *
 * One table: what is not in it is never written. Nothing here is persistent
 * (`lctl set_param -P` and -C are the servers' business), and no statistics are
 * cleared.
 *
 * Terms   word: of a profile: "osc.max_rpcs_in_flight=16", or "jobid". In a
 *           list of one device (setting.h) it has no "osc.".
 *         coupled: parameters of a device that the kernel moves when one of
 *           them is written (lustre/include/obd.h:client_adjust_max_dirty(),
 *           obdclass/genops.c:obd_set_max_mod_rpcs_in_flight()), or bounds by
 *           each other (llite/lproc_llite.c). They are written together, in the
 *           order of the table, there and back: then each has the last word on
 *           itself.
 * Owner   lists are malloc'ed and freed by the caller.
 * Errors  as each says.
 * Runs    as client.h says.
 */
#ifndef JOBIO_CLIENT_LUSTRE_PARAM_H
#define JOBIO_CLIENT_LUSTRE_PARAM_H

#include "client/lustre/facts.h"
#include "client/setting.h"

#define PARAM_JOBID "jobid"

/* For struct setting: every key of the table. */
extern const struct setting_key param_keys[];

/* Why a profile may not have this word; NULL: it may. */
const char *param_refusal(const char *key, const char *value);

/* The words of a profile that are for devices of this kind? */
bool param_concerns(const char *wanted, enum tree_kind kind);

/* All parameters of the table that the device has, "key=value,..". -1 and errno:
 * ENOENT, it has none and is gone; else one of them could not be read. */
#define PARAM_LIST_MAX 1024 /* 16 of them: a key of 31 bytes, 20 digits */
int param_now(const struct config_client *section, enum tree_kind kind, const char *device,
	      char list[PARAM_LIST_MAX]);
/* Write one, or a file of the kernel's in one write(2); -1 and errno. */
int param_put(const char *path, const char *value);
int param_write(const struct config_client *section, enum tree_kind kind, const char *device,
		const char *key, const char *value);

/* What the profile's words change on a device: two lists, as many words in each;
 * both NULL when it has all of it. -1: this client does not have a parameter, or
 * one could not be read. */
int param_compose(const struct client *client, const struct tree_device *device, const char *wanted,
		  char **old_list, char **new_list, struct err *err);

#endif
