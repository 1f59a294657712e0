/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "epilog/report_dir.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/child.h"

/* What a letter behind % stands for; NULL: nobody tells. */
static const char *meaning_of(char letter, const struct job *job,
			      const char *work_dir, char number[16])
{
	switch (letter) {
	case 'w':
		return work_dir && *work_dir ? work_dir : NULL;
	case 'u':
		return *job->user ? job->user : NULL;
	case 'j':
		snprintf(number, 16, "%u", job->id);
		return number;
	default:
		return "%";
	}
}

int report_dir_expand(const char *pattern, const struct job *job,
		      const char *work_dir, char *path, size_t size,
		      struct err *err)
{
	const char *at, *text;
	char number[16], out[PATH_MAX];
	size_t used = 0, length;

	for (at = pattern; *at; at++) {
		text = at;
		length = 1;
		if (*at == '%' && at[1]) {
			text = meaning_of(*++at, job, work_dir, number);
			if (!text)
				return err_set(err,
					       "report_dir: '%s': Slurm does "
					       "not tell what %%%c stands for",
					       pattern, *at);
			length = strlen(text);
		}
		if (used + length >= sizeof(out) || used + length >= size)
			return err_set(err, "report_dir: '%s': too long",
				       pattern);
		memcpy(out + used, text, length);
		used += length;
	}
	out[used] = '\0';
	if (*out != '/')
		return err_set(
			err, "report_dir: '%.200s': not an absolute path", out);
	memcpy(path, out, used + 1);
	return 0;
}

bool report_dir_is_first(const char *nodelist, const char *node)
{
	char name[RECORD_NAME_MAX];
	size_t used = 0;
	const char *at;

	if (!nodelist || !*nodelist)
		return true;
	for (at = nodelist; *at && *at != ',' && used < sizeof(name) - 1; at++)
		if (*at == '[') { /* the first number of a range */
			while (*++at && !strchr(",-]", *at) &&
			       used < sizeof(name) - 1)
				name[used++] = *at;
			at = strchr(at, ']');
			if (!at)
				return false;
		} else {
			name[used++] = *at;
		}
	name[used] = '\0';
	return !strcmp(name, node);
}

static bool is_wanted(const struct config *config, const struct job *job)
{
	return *config->report_dir && *config->ledger.host && job->uid &&
	       !config_is_off(config, job->node, job->partition, NULL) &&
	       report_dir_is_first(job->nodelist, job->node);
}

/* "%%w" is no %w. */
static bool names_work_dir(const char *pattern)
{
	const char *at;

	for (at = strchr(pattern, '%'); at && at[1]; at = strchr(at + 2, '%'))
		if (at[1] == 'w')
			return true;
	return false;
}

int report_dir_start(const struct config *config, const char *conf,
		     const struct job *job, const struct report_dir_run *run,
		     struct err *err)
{
	char helper[PATH_MAX], path[PATH_MAX], option[PATH_MAX + 8];
	char id[16], uid[16], gid[16], restart[24];
	char *argv[] = {
		helper, option, id, restart, uid, gid, (char *)job->user,
		path,	NULL
	};

	if (!is_wanted(config, job))
		return 0;
	if (report_dir_expand(config->report_dir, job,
			      getenv("SLURM_JOB_WORK_DIR"), path, sizeof(path),
			      err) < 0)
		return -1;
	if (run->own_work_dir && names_work_dir(config->report_dir))
		return err_set(err,
			       "report_dir: '%.200s': the job's working "
			       "directory was in a mount namespace of its own "
			       "and is gone: no report is left",
			       path);
	if (job_helper_path("jobio-file", helper, sizeof(helper)) < 0 ||
	    access(helper, X_OK) < 0)
		return err_set(err, "report_dir: there is no jobio-file "
				    "beside this program");
	snprintf(option, sizeof(option), "--conf=%s", conf ? conf : JOBIO_CONF);
	snprintf(id, sizeof(id), "%u", job->id);
	snprintf(restart, sizeof(restart), "-");
	if (run->restart >= 0)
		snprintf(restart, sizeof(restart), "%lld",
			 (long long)run->restart);
	snprintf(uid, sizeof(uid), "%u", job->uid);
	snprintf(gid, sizeof(gid), "%u", job->gid);
	return child_detach(argv, err);
}
