/* SPDX-License-Identifier: GPL-2.0-or-later */
/* slurm_conf.h - what slurm.conf, cgroup.conf and their includes say
 *
 * Terms   key: compared without case, as Slurm does; the last one in the files
 *           counts. record: a line that begins with NodeName or PartitionName;
 *           it holds what the DEFAULT lines before it say, then its own.
 *         root: a folder in front of every absolute path (a copied node).
 * Owner   slurm_conf_free(); strings are borrowed from the object.
 * Errors  NULL, sentence with file and line in *err; errno is ENOENT when the
 *           first file is missing.
 * Runs    jobio check and report. Reads regular files only, of bounded size.
 */
#ifndef JOBIO_REPORT_SLURM_CONF_H
#define JOBIO_REPORT_SLURM_CONF_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

struct slurm_conf;

struct slurm_conf *slurm_conf_load(const char *root, const char *path, struct err *err);
void slurm_conf_free(struct slurm_conf *conf);

/* NULL when the key is not there. */
const char *slurm_conf_get(const struct slurm_conf *conf, const char *key);
/* The index-th of a key that may stand in several lines (Prolog=, since 24.05), in
 * their order; NULL: there are no more. */
const char *slurm_conf_nth(const struct slurm_conf *conf, const char *key, size_t index);
/* Is it "yes", "true", "1" or "up", whole and without case: what Slurm takes
 * (parse_value.c:s_p_handle_boolean())? 'missing' when the key is not there. */
bool slurm_conf_is(const struct slurm_conf *conf, const char *key, bool missing);
/* Does the comma-separated value hold this word (without case)? */
bool slurm_conf_has(const struct slurm_conf *conf, const char *key, const char *word);

/* Records of a kind ("NodeName"): the whole line, and its name; NULL past the last. */
const char *slurm_conf_record(const struct slurm_conf *conf, const char *kind, size_t index,
			      const char **name);

/* The value of a key in such a line, up to a blank or its end; the last one counts:
 * its own behind those of DEFAULT. NULL: it is not there. */
const char *slurm_conf_setting(const char *line, const char *key);

#endif
