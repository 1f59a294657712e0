/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A site's sums from the summaries in slurmdbd. */
#include "report/site.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/number.h"
#include "lib/summary.h"
#include "lib/use.h"
#include "report/program.h"
#include "report/sacct.h"
#include "report/when.h"

#define TIMEOUT_MS 20000U
#define HOUR_S 3600

/* ---- who asks ---------------------------------------------------------------- */

/* What sacctmgr says of the caller: "Operator", "Administrator", "None" or
 * nothing. */
static int ask_level(const char *name, char *level, size_t room, struct err *err)
{
	char where[300], *out;
	const char *const words[] = { "-nP", "show", "user", where, "format=adminlevel", NULL };

	snprintf(where, sizeof(where), "name=%s", name);
	if (program_run("sacctmgr", words, TIMEOUT_MS, &out, err) < 0)
		return -1;
	snprintf(level, room, "%.*s", (int)strcspn(out, "\n"), out);
	free(out);
	return 0;
}

static int check_caller(const struct job_source *source, struct err *err)
{
	struct passwd *me = getpwuid(geteuid());
	char level[64] = "";

	if (geteuid() == 0 ||
	    (me && source->config && !strcmp(me->pw_name, source->config->ledger.user)))
		return 0;
	if (me && ask_level(me->pw_name, level, sizeof(level), err) < 0)
		return -1;
	if (!strcmp(level, "Operator") || !strcmp(level, "Administrator"))
		return 0;
	return err_set(err, "--site: for root, SlurmUser and operators of Slurm only");
}

/* ---- a row -------------------------------------------------------------------- */

/* "/mnt/work:nfs4" is one; of several nobody knows which. */
static void take_fs(struct use *use, const struct summary *s, char names[SUMMARY_FS])
{
	struct use_fs *fs = use->fs;
	char *type;

	strcpy(names, s->fs);
	type = strchr(names, ':');
	fs->name = *names ? names : USE_FS_ALL;
	fs->type = "";
	if (s->flags & RECORD_FLAG(ALL_FILES)) {
		fs->name = USE_FS_ALL;
	} else if (type && !strchr(names, ',')) {
		*type = 0;
		fs->type = type + 1;
	}
	use_numbers_init(fs->numbers);
	fs->numbers[IO_READ_BYTES] = s->rd_bytes;
	fs->numbers[IO_WRITE_BYTES] = s->wr_bytes;
	fs->numbers[IO_META_CALLS] = s->meta;
	fs->numbers[IO_PEAK_READ] = s->peak_rd > s->peak_wr ? s->peak_rd : s->peak_wr;
	use->fs_count = 1;
}

static void add_row(struct tally *tally, const struct sacct_row *row, const struct summary *s)
{
	char names[SUMMARY_FS], profile[SUMMARY_PROF];
	unsigned long job = 0;
	struct use use;

	use_init(&use);
	(void)number_parse(row->raw_id, 1, UINT32_MAX, &job, NULL);
	snprintf(profile, sizeof(profile), "%.*s", (int)strcspn(s->prof, "/"), s->prof);
	use.cluster = row->cluster;
	use.user = row->user;
	use.account = row->account;
	use.profile = profile;
	use.job = (int64_t)job;
	use.ended = row->end;
	use.nodes = row->nodes;
	if (row->elapsed_s > 0 && row->nodes > 0)
		use.node_s = row->elapsed_s * row->nodes;
	use.is_wide = s->scope == SUMMARY_SCOPE_NODE;
	use.warned = s->gate_warned;
	use.refused = s->gate_refused;
	if (s->scope == SUMMARY_SCOPE_JOB)
		take_fs(&use, s, names);
	tally_add(tally, &use);
}

/* A time for sacct. A clock that was set back showed an hour twice, and
 * mktime() of sacct takes the one or the other: such a time goes 'step' on,
 * out of that hour. Who is outside of what was asked for is not counted. */
static const char *unique_text(int64_t when_s, int64_t step, char *out)
{
	char other[WHEN_SIZE];

	if (!strcmp(when_text(when_s - step, other), when_text(when_s, out)))
		when_text(when_s + step, out);
	return out;
}

int site_from_sacct(struct job_source *source, struct site *site, struct err *err)
{
	char since[WHEN_SIZE], until[WHEN_SIZE];
	struct sacct_query query = {
		.since = unique_text(site->since_s, -HOUR_S, since),
		.until = unique_text(site->until_s, HOUR_S, until),
		.is_everybody = true,
	};
	const struct sacct_row *row;
	struct summary summary;
	size_t i;

	if (check_caller(source, err) < 0)
		return -1;
	source->slurm = sacct_ask(&query, err);
	for (i = 0; source->slurm && i < source->slurm->count; i++) {
		row = &source->slurm->row[i];
		if (row->end < site->since_s || row->end >= site->until_s)
			continue;
		if (!row->summary || summary_parse(row->summary, &summary, NULL) < 0)
			site->silent++;
		else
			add_row(site->tally, row, &summary);
	}
	return source->slurm ? 0 : -1;
}
