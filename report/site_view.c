/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/site.h"

#include <string.h>

#include "report/job_io.h"

const char *const site_heads[TALLY_KINDS] = {
	[TALLY_FILESYSTEMS] = "Filesystem", [TALLY_USERS] = "User",    [TALLY_ACCOUNTS] = "Account",
	[TALLY_PROFILES] = "Profile",	    [TALLY_ADVICE] = "Advice",
};

const char *site_hours(int64_t node_s, char *out)
{
	double hours = (double)node_s / 3600;

	if (hours < 100)
		snprintf(out, SITE_HOURS, "%.1f", hours);
	else
		job_count((int64_t)(hours + 0.5), out);
	return out;
}

/* Filesystems of one name on several clusters are told apart. */
static bool is_on_several(const struct tally *tally)
{
	const struct tally_sum *sums = tally->sums[TALLY_FILESYSTEMS];
	size_t i;

	for (i = 1; i < tally->counts[TALLY_FILESYSTEMS]; i++)
		if (strcmp(sums[i].cluster, sums[0].cluster) != 0)
			return true;
	return false;
}

const char *site_name(const struct tally *tally, enum tally_kind kind, const struct tally_sum *sum,
		      char *out)
{
	bool has_type = kind == TALLY_FILESYSTEMS && *sum->type;
	bool has_cluster = kind == TALLY_FILESYSTEMS && is_on_several(tally);

	if (*sum->name)
		snprintf(out, SITE_NAME, "%.200s%s%.40s%s%s%.40s", sum->name, has_type ? " (" : "",
			 has_type ? sum->type : "", has_type ? ")" : "", has_cluster ? " on " : "",
			 has_cluster ? sum->cluster : "");
	else
		snprintf(out, SITE_NAME, "%s", kind == TALLY_PROFILES ? "none" : "unknown");
	return out;
}

void site_gate_words(const struct site *site, char *out, size_t room)
{
	const struct tally *t = site->tally;
	char jobs[16], tasks[16];

	if (!t->warned_jobs)
		snprintf(out, room, "no task could run on a client's CPUs");
	else
		snprintf(out, room, "%s task%s of %s job%s could run on a client's CPUs",
			 job_count(t->warned_tasks, tasks), t->warned_tasks == 1 ? "" : "s",
			 job_count(t->warned_jobs, jobs), t->warned_jobs == 1 ? "" : "s");
}
