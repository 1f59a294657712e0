/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/number.h"
#include "base/sysfs.h"
#include "client/cache.h"
#include "client/gpfs/mmpmon.h"
#include "client/gpfs/y.h"
#include "record/json.h"

struct gpfs_facts *gpfs_facts(const struct client *client)
{
	return client->facts;
}

void gpfs_facts_clear(void *what)
{
	struct gpfs_facts *facts = what;

	query_clear(&facts->config);
	query_clear(&facts->waiters);
	query_clear(&facts->counters);
	memset(facts, 0, sizeof(*facts));
}

/* ---- queries --------------------------------------------------------- */

static void query_mmdiag(const struct client *client, struct query *query, const char *what)
{
	char *argv[] = { client->section->mmdiag, (char *)what, (char *)"-Y", NULL };

	query_command(client, query, argv, NULL);
}

/* Attributes that rules and settings use. mmfsd has several hundred, which each job would otherwise
 * parse. */
static const char attributes[] =
	"autoCompactDir dynamicPagepoolEnabled enableIASegPrefetch fgdlTokenBatchAcquire fsyncIsGlobal ignorePrefetchLUNCount maxFilesToCache maxMBpS maxStatCache nBucketGroups pagepool preferDesignatedMnode seqDiscardThreshold verbsPorts verbsRdma workerThreads writebehindThreshold";

static void store_reply(struct query *config)
{
	char *only;

	if (config->answer != QUERY_ANSWERED)
		return;
	only = gpfs_y_only(config->text, attributes);
	free(config->text);
	config->text = only;
}

void gpfs_query_config(struct client *client)
{
	struct gpfs_facts *facts = gpfs_facts(client);

	if (child_now_ms() >= client->deadline_ms) /* no inspect() before */
		client->deadline_ms = child_now_ms() + client->section->timeout_ms;
	facts->mmfsd = process_named(client->section->process_dir, GPFS_MMFSD);
	if (facts->mmfsd > 0)
		query_mmdiag(client, &facts->config, "--config");
	store_reply(&facts->config);
}

/* Read the facts. Threads of mmfsd, which may run anywhere, do its work: it has no CPUs of its own.
 * After a timeout nothing else is queried. */
int gpfs_inspect(struct client *client, struct err *err)
{
	struct gpfs_facts *facts = gpfs_facts(client);
	long pid;

	client->common.cpus_known = true;
	if (!client->common.mount_count || cache_use(client))
		return 0;
	gpfs_facts_clear(facts); /* out of date */
	gpfs_query_config(client);
	if (facts->mmfsd <= 0 || query_has_timed_out(&facts->config))
		return 0;
	query_mmdiag(client, &facts->waiters, "--waiters");
	if (!query_has_timed_out(&facts->waiters))
		gpfs_mmpmon_query(client, &facts->counters, &pid);
	return 0;
}

/* ---- the cache ----------------------------------------------------------- */

int gpfs_load(struct client *client, const struct json *cache)
{
	struct gpfs_facts *facts = gpfs_facts(client);

	facts->mmfsd = (long)json_number(cache, "mmfsd");
	return facts->mmfsd > 0 ? cache_answer(cache, "config", &facts->config) : -1;
}

int gpfs_store(const struct client *client, struct json *cache)
{
	const struct gpfs_facts *facts = gpfs_facts(client);

	if (facts->mmfsd <= 0 || facts->config.answer != QUERY_ANSWERED ||
	    facts->counters.answer != QUERY_ANSWERED)
		return -1;
	json_add_number(cache, "mmfsd", facts->mmfsd);
	cache_store_answer(cache, "config", &facts->config);
	return 0;
}

void gpfs_key(const struct client *client, struct cache_key *key)
{
	cache_key_process(key, gpfs_facts(client)->mmfsd);
	cache_key_file(key, client->section->mmdiag);
	cache_key_file(key, client->section->mmpmon);
}

/* ---- its configuration -------------------------------------------------------- */

bool gpfs_word(const struct client *client, const char *name, char *word, size_t size)
{
	const struct query *config = &gpfs_facts(client)->config;

	return config->answer == QUERY_ANSWERED && gpfs_y_config(config->text, name, word, size);
}

int64_t gpfs_number(const struct client *client, const char *name)
{
	unsigned long number;
	char word[24];

	if (!gpfs_word(client, name, word, sizeof(word)) ||
	    number_parse(word, 0, INT64_MAX, &number, NULL) < 0)
		return -1;
	return (int64_t)number;
}

bool gpfs_is_on(const struct client *client, const char *name)
{
	char word[8];

	return gpfs_word(client, name, word, sizeof(word)) &&
	       (!strcmp(word, "yes") || !strcmp(word, "1"));
}
