/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helper.h - programs beside this one
 *
 * Owner   plain values.
 * Errors  -1, sentence in *err.
 * Runs    prolog and epilog, as root.
 */
#ifndef JOBIO_NODE_HELPER_H
#define JOBIO_NODE_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Set [path] to the helper [name] in this program's directory. Return -1 if unknown or too long. */
int job_helper_path(const char *name, char *path, size_t size);
/* Start jobio-send in the background; [conf] may be NULL. If systemd runs and the spool is the
 * default one, jobio-send.path starts it instead, with restrictions. Return 0 also if jobio-send is
 * not installed beside this program: then the timer sends. */
int job_start_sender(const char *conf, struct err *err);
/* Wait until no record of the job is in the spool, sent or set aside. Return false on timeout. */
bool job_wait_sent(uint32_t job_id, unsigned int timeout_ms);

#endif
