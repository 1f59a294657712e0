/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/job_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/host.h"
#include "report/slurm_conf.h"

char *job_source_call(struct job_source *source, const char *request, struct err *err)
{
	char *answer = NULL;

	if (source->is_down) {
		*err = source->why_down;
		return NULL;
	}
	if (!source->link)
		source->link = ledger_link_open(&source->config->ledger, err);
	if (source->link && ledger_link_call(source->link, request, &answer, err) == 0)
		return answer;
	source->is_down = 1;
	source->why_down = *err;
	return NULL;
}

/* As records and slurmdbd have it; NULL: unknown. */
static char *cluster_here(const struct config *config)
{
	const char *path = host_slurm_conf(""), *name;
	struct slurm_conf *conf = NULL;
	char *cluster = NULL;
	struct err why;

	if (config && *config->ledger.cluster)
		return xstrdup(config->ledger.cluster);
	if (path)
		conf = slurm_conf_load("", path, &why);
	name = conf ? slurm_conf_get(conf, "ClusterName") : NULL;
	if (name && *name)
		cluster = xstrdup(name);
	slurm_conf_free(conf);
	return cluster;
}

const char *job_source_cluster(struct job_source *source)
{
	const struct sacct_rows *rows = source->slurm;

	if (rows && rows->count && *rows->row[0].cluster)
		return rows->row[0].cluster;
	if (!source->knows_cluster)
		source->cluster = cluster_here(source->config);
	source->knows_cluster = true;
	return source->cluster;
}

/* "5_[1-3],7" is some of 5, and 7. */
static void put_bare(FILE *out, const char *text)
{
	while (*text) {
		if (!strncmp(text, "_[", 2)) {
			text += strcspn(text, "]");
			text += *text == ']';
			continue;
		}
		fputc(*text++, out);
	}
}

void job_source_ask_sacct(struct job_source *source, char *const *ids, size_t count)
{
	struct sacct_query query = { 0 };
	char *list = NULL;
	size_t i, size = 0;
	FILE *out = xneed(open_memstream(&list, &size));

	for (i = 0; i < count; i++) {
		if (i)
			fputc(',', out);
		put_bare(out, ids[i]);
	}
	fclose(out);
	query.jobs = list;
	source->slurm = sacct_ask(&query, &source->why_no_slurm);
	free(list);
}

void job_source_close(struct job_source *source)
{
	ledger_link_close(source->link);
	sacct_free(source->slurm);
	free(source->cluster);
	source->cluster = NULL;
	source->knows_cluster = false;
	source->link = NULL;
	source->slurm = NULL;
}
