/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "node/reason.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/rundir.h"
#include "node/job_dir.h"
#include "node/log.h"
#include "node/slurm_query.h"

#define DRAIN_MS 2000U

void job_reason_set(const struct finding *finding)
{
	char path[RUNDIR_PATH_MAX], text[ERR_MAX * 2 + 64];

	if (rundir_node_file(path, dirs.run, RUNDIR_REASON, NULL) < 0)
		return;
	snprintf(text, sizeof(text), "jobio:%s %s; cure: %s\n", finding->code, finding->text,
		 finding->cure ? finding->cure : "none");
	FAULT_POINT("reason before");
	fileio_write_volatile(path, text, strlen(text), 0600, NULL);
	FAULT_POINT("reason after");
}

void job_reason_clear(void)
{
	char path[RUNDIR_PATH_MAX];

	if (rundir_node_file(path, dirs.run, RUNDIR_REASON, NULL) == 0)
		unlink(path);
}

/* slurmctld writes the reason to the database as reason='%s' (as_mysql_cluster.c:
 * as_mysql_node_down, 22.05 to 26.05), into a column of 255 bytes (tinytext): no quotes, and no
 * byte that could be taken for SQL syntax. */
void job_reason_make(char reason[JOB_REASON_MAX], const char *code, const char *text,
		     const char *cure)
{
	static const char safe[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 +/=._:;,@()<>#-";
	char raw[2 * ERR_MAX + 64];
	const char *from;
	size_t used = 0;

	snprintf(raw, sizeof(raw), "jobio:%s %s%s%s", code, text, cure ? "; cure: " : "",
		 cure ? cure : "");
	for (from = raw; *from && used < JOB_REASON_MAX - 1; from++)
		if (!strchr("'\"`", *from))
			reason[used++] = strchr(safe, *from) ? *from : '.';
	while (used && reason[used - 1] == ' ')
		used--;
	reason[used] = '\0';
}

void job_drain(const char *how, const char *node, const char *reason)
{
	struct child_result result = { 0 };
	struct err err;

	if (slurm_query(DRAIN_MS, how, node, reason, &result, &err) < 0) {
		log_line("reason: %s", err.text);
		return;
	}
	if (result.status)
		log_line("reason: %.*s", (int)strcspn(result.errtext, "\n"), result.errtext);
	child_result_free(&result);
}
