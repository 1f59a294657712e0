/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ledger/store_schema.h"

#include <stdio.h>
#include <string.h>

#include "ledger/site_run.h"
#include "record/alloc.h"

/* Words in which the databases differ. 'site' is the type of a name with up to 1,023 bytes. */
static const struct word {
	const char *name, *text[STORE_DIALECTS];
} words[] = {
	{ "id", { "INTEGER", "BIGINT NOT NULL AUTO_INCREMENT" } },
	{ "cluster", { "TEXT", "VARCHAR(255) CHARACTER SET latin1 COLLATE latin1_bin" } },
	{ "name", { "TEXT", "VARBINARY(255)" } },
	{ "site", { "TEXT", "VARBINARY(1024)" } },
	{ "text", { "TEXT", "BLOB" } },
	{ "long", { "TEXT", "MEDIUMBLOB" } },
	{ "end", { "", "ENGINE=InnoDB DEFAULT CHARACTER SET binary" } },
};

#define BIGINT(id, column) ", " #column " BIGINT"
#define DECIMAL(id, column) ", " #column " DECIMAL(30)" /* no overflow of sums */

static const char *const statements[] = {
	"CREATE TABLE IF NOT EXISTS runs(id @id PRIMARY KEY, cluster @cluster NOT NULL, job BIGINT NOT NULL, uid BIGINT NOT NULL, seq BIGINT NOT NULL, restart BIGINT, array_job BIGINT, array_task BIGINT, het_job BIGINT, het_offset BIGINT, first DOUBLE NOT NULL, last DOUBLE NOT NULL, nodelist @long, nodes_seen BIGINT NOT NULL, nodes_expected BIGINT, version BIGINT NOT NULL, dirty BIGINT NOT NULL, next_try BIGINT, tries BIGINT NOT NULL DEFAULT 0, summary @text, written BIGINT NOT NULL DEFAULT 0, error @text, brief @text, merged @long, claimed_by @name, claimed_until BIGINT NOT NULL DEFAULT 0) @end",
	"CREATE UNIQUE INDEX IF NOT EXISTS runs_by_job ON runs(job, cluster, uid, seq)",
	"CREATE INDEX IF NOT EXISTS runs_by_array ON runs(array_job, array_task)",
	"CREATE INDEX IF NOT EXISTS runs_by_het ON runs(het_job, het_offset)",
	"CREATE INDEX IF NOT EXISTS runs_due ON runs(next_try)",
	"CREATE INDEX IF NOT EXISTS runs_by_age ON runs(last)",
	"CREATE TABLE IF NOT EXISTS records(run BIGINT NOT NULL, node @name NOT NULL, received BIGINT NOT NULL, text @long NOT NULL, PRIMARY KEY(run, node)) @end",
	"CREATE TABLE IF NOT EXISTS run_sums(run BIGINT NOT NULL, n BIGINT NOT NULL, day BIGINT NOT NULL, ended BIGINT NOT NULL, stamp BIGINT NOT NULL, gated BIGINT NOT NULL, job BIGINT NOT NULL, cluster @site NOT NULL, user @site, account @site, profile @site, advice @site, fs @site, type @site, peak @name" SITE_SUMS(
		BIGINT) ", PRIMARY KEY(run, n)) @end",
	"CREATE INDEX IF NOT EXISTS run_sums_by_end ON run_sums(day, ended, run, stamp)",
	"CREATE INDEX IF NOT EXISTS run_sums_of_gate ON run_sums(gated, ended, run)",
	"CREATE TABLE IF NOT EXISTS day_sums(day BIGINT NOT NULL, kind BIGINT NOT NULL, cluster @site NOT NULL, name @site NOT NULL, stamp BIGINT, type @site, peak @name" SITE_SUMS(
		DECIMAL) ", PRIMARY KEY(day, kind, cluster, name)) @end",
};

/* Return the word at [text] and its length. */
static const char *word_at(const char *text, enum store_dialect dialect, size_t *size)
{
	const struct word *word = words;

	while (strncmp(text, word->name, strlen(word->name)) != 0)
		word++;
	*size = strlen(word->name);
	return word->text[dialect];
}

char *store_schema(size_t at, enum store_dialect dialect)
{
	const char *from;
	char *text = NULL;
	size_t size;
	FILE *out;

	if (at >= sizeof(statements) / sizeof(*statements))
		return NULL;
	out = xneed(open_memstream(&text, &size));
	for (from = statements[at]; *from; from++) {
		if (*from != '@') {
			fputc(*from, out);
			continue;
		}
		fputs(word_at(from + 1, dialect, &size), out);
		from += size;
	}
	fclose(out);
	return xneed(text);
}
