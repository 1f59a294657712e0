/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/gpfs/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/sysfs.h"
#include "client/gpfs/facts.h"
#include "client/gpfs/mmpmon.h"
#include "client/gpfs/y.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)
#define LONG_WAIT_S 60
#define MANY_SYNCS 1000 /* threshold of Drishti (config.py) */
#define MANY_LOOKUPS 100000
#define MANY_REMOVED 10000
#define COPY_WAIT_S 1
/* part of the memory that a client needs to stream to a fast NIC, and the upper limit for nodes
 * with much memory */
#define PAGEPOOL_PART 32
#define PAGEPOOL_ENOUGH (16 * GIB)

static const struct gpfs_facts *facts_of(const struct judge *judge)
{
	return gpfs_facts(judge->client);
}

/* ---- health ------------------------------------------------------- */

static void check_mmfsd(const struct judge *judge)
{
	if (judge->client->common.mount_count && facts_of(judge)->mmfsd <= 0)
		rule_report(
			judge,
			"%zu file systems are mounted, but no process mmfsd runs: I/O to them blocks or fails",
			judge->client->common.mount_count);
}

static bool is_refusal(const struct query *query)
{
	return query->answer == QUERY_FAILED || query->answer == QUERY_MISSING;
}

/* Return the first query with this result; NULL: none. */
static const struct query *query_with(const struct judge *judge, enum query_answer answer)
{
	const struct gpfs_facts *facts = facts_of(judge);
	const struct query *const queries[] = { &facts->config, &facts->waiters, &facts->counters };
	size_t i = 0;

	while (i < 3 && queries[i]->answer != answer)
		i++;
	return i < 3 ? queries[i] : NULL;
}

/* Report one finding for a client that hangs, for any query. */
static void check_hangs(const struct judge *judge)
{
	const struct query *query = query_with(judge, QUERY_HUNG);

	if (query)
		rule_report(judge, "mmfsd does not answer: %.300s", query->why);
}

static void check_mmdiag(const struct judge *judge)
{
	if (is_refusal(&facts_of(judge)->config))
		rule_report(judge, "its settings are unknown: mmdiag: %.300s",
			    facts_of(judge)->config.why);
}

static void check_mmpmon(const struct judge *judge)
{
	const struct query *query = &facts_of(judge)->counters;
	struct err why = { "" };
	struct client_counters *counters;

	if (is_refusal(query)) {
		rule_report(judge, "its counters cannot be read: mmpmon: %.300s", query->why);
		return;
	}
	counters = query->answer == QUERY_ANSWERED ? client_counters_new() : NULL;
	if (counters && gpfs_mmpmon_sources(counters, query->text, "-", &why) < 0)
		rule_report(judge, "its counters cannot be read: %.300s", why.text);
	client_counters_free(counters);
}

static void check_time(const struct judge *judge)
{
	if (query_with(judge, QUERY_NO_TIME))
		rule_report(judge, "the client could not be judged: no time was left");
}

/* ---- waiters --------------------------------------------------------------- */

/* Two that wait for work (treydock/gpfs_exporter skips them, too: collectors/waiter.go). */
static bool is_idle(const char *thread)
{
	return !strcmp(thread, "EventsExporterSenderThread") || !strncmp(thread, "Fsck", 4);
}

static void check_waiters(const struct judge *judge)
{
	const struct query *query = &facts_of(judge)->waiters;
	const char *text = query->text;
	char thread[64], time[32], reason[1024], longest[256] = "";
	struct gpfs_y y = { "", "" };
	double time_s, most_s = LONG_WAIT_S;
	int count = 0;

	while (query->answer == QUERY_ANSWERED && gpfs_y_next(&text, "mmdiag:waiters:", &y)) {
		if (!gpfs_y_get(&y, "threadName", thread, sizeof(thread)) ||
		    !gpfs_y_get(&y, "waitTime", time, sizeof(time)) || is_idle(thread))
			continue;
		time_s = strtod(time, NULL);
		if (!(time_s >= LONG_WAIT_S))
			continue;
		count++;
		if (time_s < most_s)
			continue;
		most_s = time_s;
		if ((!gpfs_y_get(&y, "condVarReason", reason, sizeof(reason)) || !*reason) &&
		    (!gpfs_y_get(&y, "auxReason", reason, sizeof(reason)) || !*reason))
			strcpy(reason, "reason unknown");
		snprintf(longest, sizeof(longest), "%s for %.0f s, %s", thread, time_s, reason);
	}
	if (!count)
		return;
	rule_report(judge, "threads of mmfsd wait for %d s or more", LONG_WAIT_S);
	findings_measured(judge->findings, "%d: %s", count, longest);
}

/* Copies of inodes for a snapshot wait for the slowest client (8.9 s: IBM, io500 with Storage
 * Scale). The message is not always in the same column: the line is searched. */
static void check_copies(const struct judge *judge)
{
	const struct query *query = &facts_of(judge)->waiters;
	const char *text = query->text;
	struct gpfs_y y = { "", "" };
	double most_s = 0, time_s;
	char time[32];

	while (query->answer == QUERY_ANSWERED && gpfs_y_next(&text, "mmdiag:waiters:", &y)) {
		if (!strstr(y.line, "CopyInodeBlock") ||
		    !gpfs_y_get(&y, "waitTime", time, sizeof(time)))
			continue;
		time_s = strtod(time, NULL);
		most_s = time_s > most_s ? time_s : most_s;
	}
	if (most_s < COPY_WAIT_S)
		return;
	rule_report(
		judge,
		"a snapshot copies inodes (CopyInodeBlock): changes of files wait for the slowest client");
	findings_measured(judge->findings, "%.1f s", most_s);
}

/* ---- settings ------------------------------------------------------------ */

static void check_pagepool(const struct judge *judge)
{
	int64_t pagepool = gpfs_number(judge->client, "pagepool"), memory;

	/* from 5.2 it varies between pagepoolMinPhysMemPct and pagepoolMaxPhysMemPct (IBM Storage
	 * Scale 5.2.3, "Dynamic pagepool"): its current size is not the limit */
	if (gpfs_is_on(judge->client, "dynamicPagepoolEnabled"))
		return;
	memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	if (pagepool < 0 || pagepool >= PAGEPOOL_ENOUGH || pagepool >= memory / PAGEPOOL_PART)
		return;
	rule_report(judge,
		    "the page pool has %" PRId64 " MiB, and the node %" PRId64
		    " GiB of memory: few files are read ahead or written behind at a time",
		    pagepool / MIB, memory / GIB);
}

/* Counted since the start of mmfsd; the socket reports it, the program does not. */
static void check_stat_cache(const struct judge *judge)
{
	const struct query *query = &facts_of(judge)->counters;
	int64_t misses, lookups = 0;

	misses = query->answer == QUERY_ANSWERED ? gpfs_mmpmon_misses(query->text, &lookups) : 0;
	if (lookups < MANY_LOOKUPS || misses <= lookups / 2)
		return;
	rule_report(judge, "most lookups miss the stat cache (maxStatCache=%" PRId64 ")",
		    gpfs_number(judge->client, "maxStatCache"));
	findings_measured(judge->findings, "%" PRId64 " of %" PRId64, misses, lookups);
}

static void check_verbs(const struct judge *judge)
{
	char word[16];

	if (gpfs_word(judge->client, "verbsRdma", word, sizeof(word)) && !strcmp(word, "disable") &&
	    sysfs_has_active_rdma())
		rule_report(
			judge,
			"verbsRdma=disable, and this node has an RDMA port that is active: data go over TCP");
}

/* verbsPorts is "mlx5_0/1 mlx5_1/1/2": devices with ports and fabrics. */
static void check_numa_remote(const struct judge *judge)
{
	char ports[512], list[RULE_LIST_MAX], *port, *rest = NULL;
	struct cpuset cpus;
	int node;

	if (!gpfs_word(judge->client, "verbsPorts", ports, sizeof(ports)) || !*ports ||
	    process_cpus(facts_of(judge)->mmfsd, &cpus) < 0)
		return;
	for (port = strtok_r(ports, " ,", &rest); port; port = strtok_r(NULL, " ,", &rest)) {
		port[strcspn(port, "/")] = '\0';
		node = sysfs_numa_node_of_rdma(port);
		if (node < 0 || sysfs_has_cpu_on(&cpus, node) != 0)
			continue;
		rule_report(
			judge,
			"mmfsd is bound to CPU %s, and its card %s is on NUMA node %d, where it may not run",
			rule_list(&cpus, list), port, node);
		return;
	}
}

/* ---- at a job's end --------------------------------------------------------- */

/* Values of IBM's io500 runs with 5.1.9: files of one directory are removed 15 to 20 % faster with
 * the first two, up to twice as fast with the third, which needs the last. mmchconfig(8) does not
 * describe them. */
static const struct {
	const char *name;
	bool is_on;
} removal[] = {
	{ "fgdlTokenBatchAcquire", true },
	{ "autoCompactDir", false },
	{ "enableIASegPrefetch", true },
	{ "preferDesignatedMnode", true },
};

static void judge_removal(struct client *client, int64_t removed)
{
	char list[256] = "", word[16];
	size_t i, used = 0;

	for (i = 0; i < ARRAY_SIZE(removal); i++)
		if (gpfs_word(client, removal[i].name, word, sizeof(word)) &&
		    gpfs_is_on(client, removal[i].name) != removal[i].is_on)
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s=%s",
						 used ? ", " : "", removal[i].name, word);
	if (used)
		rule_report_code(
			client, "GP14", NULL,
			"the job removed %" PRId64
			" files on this node, which IBM's io500 runs did faster without %s",
			removed, list);
}

void gpfs_judge_work(struct client *client, const struct client_work *work)
{
	if (work->syncs < MANY_SYNCS && work->removed < MANY_REMOVED)
		return;
	gpfs_query_config(client);
	if (work->removed >= MANY_REMOVED)
		judge_removal(client, work->removed);
	if (work->syncs >= MANY_SYNCS && gpfs_is_on(client, "fsyncIsGlobal"))
		rule_report_code(
			client, "GP12", NULL,
			"the job called fsync %" PRId64
			" times on this node, and each waits for what other nodes have written of the file, too (fsyncIsGlobal=yes)",
			work->syncs);
}

const struct rule gpfs_rules[] = {
	{ "GP01", FINDING_ERROR,
	  "mmmount, or leave this node out of nodes= of [client] in jobio.conf",
	  rule_check_no_mount, .reach = FINDING_OF_NODE },
	{ "GP02", FINDING_WARNING, "mount it, or correct mounts= in jobio.conf",
	  rule_check_missing_mount },
	{ "GP03", FINDING_ERROR, "mmstartup, and see /var/adm/ras/mmfs.log.latest", check_mmfsd,
	  .reach = FINDING_OF_NODE },
	{ "GP04", FINDING_ERROR, "see mmhealth node show and /var/adm/ras/mmfs.log.latest",
	  check_hangs },
	{ "GP05", FINDING_WARNING, "correct mmdiag= in jobio.conf", check_mmdiag },
	{ "GP06", FINDING_WARNING, "correct mmpmon= in jobio.conf", check_mmpmon },
	{ "GP07", FINDING_WARNING, "see mmdiag --waiters, there and on the node that it waits for",
	  check_waiters },
	{ "GP08", FINDING_WARNING, "mmchconfig pagepool=SIZE for this class of nodes",
	  check_pagepool },
	{ "GP09", FINDING_WARNING,
	  "correct numactlOptionN and numactlOptioni of this class of nodes, and restart mmfsd",
	  check_numa_remote },
	{ "GP10", FINDING_WARNING,
	  "mmchconfig verbsRdma=enable with verbsPorts for this class of nodes, and restart mmfsd",
	  check_verbs },
	{ "GP11", FINDING_WARNING, "raise prolog_budget_ms in jobio.conf", check_time },
	{ "GP12", FINDING_INFO,
	  "mmchconfig fsyncIsGlobal=no -i -N CLASS, for nodes where no job relies on another node's fsync" },
	{ "GP13", FINDING_INFO,
	  "mmchconfig maxStatCache=COUNT for this class of nodes and restart mmfsd, if jobs look at the same files again",
	  check_stat_cache },
	{ "GP14", FINDING_INFO,
	  "ask IBM's support for these settings, which mmchconfig(8) does not describe" },
	{ "GP15", FINDING_INFO,
	  "none for the job; if it stays, mmdiag --waiters on all nodes shows which of them wait longest",
	  check_copies },
	/* reported by the functions that change the client */
	{ "GP41", FINDING_INFO, "mmchconfig for this class of nodes" },
	{ "GP44", FINDING_ERROR, "see dmesg, or set core_change=never in jobio.conf" },
	{ "GP45", FINDING_ERROR, "taskset -a with the old CPUs, or let the next job try again" },
	{ "GP47", FINDING_INFO, "none, if they may stay there" },
	{ "GP48", FINDING_WARNING, "none, if intended" },
	{ "GP49", FINDING_ERROR, "take it out of the profile in jobio.conf" },
	{ 0 }
};
