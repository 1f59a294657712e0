/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/sysfs.h"
#include "client/nfs/nfs.h"

#define SMALL_IO_BYTES (256U << 10) /* supported by all current servers */
#define FEW 1000		    /* too few for a rate */
#define FAST_MBITS 25000	    /* more than the rate of one connection */
#define SLOW_MS 50		    /* a disk would be faster */

static bool each_mount(struct judge *judge, size_t *at)
{
	const struct nfs_facts *facts = nfs_of(judge->client);
	const struct nfs_mount *mount = &facts->mounts[*at];

	if (*at == facts->count)
		return false;
	++*at;
	judge->item = mount;
	judge->target = mount->mount->target;
	return true;
}

/* Return true if they have the same counters. */
static bool shares_superblock(const struct nfs_mount *a, const struct nfs_mount *b)
{
	return a->device && b->device && !strcmp(a->device, b->device);
}

/* Return the length of the server's name in "files:/a" and "192.0.2.40:/b". */
static size_t name_length(const struct nfs_mount *mount)
{
	const char *source = mount->mount->source, *at = strstr(source, ":/");

	return at ? (size_t)(at - source) : strlen(source);
}

/* Set [text] to "files:"; "": the name is too long. */
static const char *server_of(const struct nfs_mount *mount, char text[FINDING_TARGET_MAX])
{
	size_t length = name_length(mount);

	*text = '\0';
	if (length + 1 < FINDING_TARGET_MAX)
		sprintf(text, "%.*s:", (int)length, mount->mount->source);
	return text;
}

/* Return the target of a finding about the server of the mount: "files:", or the mount itself if
 * others of this address have another port or, for findings about TCP, use RDMA. NULL: reported for
 * an earlier mount of this server. */
static const char *server_target(const struct judge *judge, bool is_of_tcp,
				 char text[FINDING_TARGET_MAX])
{
	const struct nfs_facts *facts = nfs_of(judge->client);
	const struct nfs_mount *mount = judge->item, *other = facts->mounts;
	bool is_reported = false;

	for (; other < facts->mounts + facts->count; other++) {
		if (strcmp(other->address, mount->address) != 0)
			continue;
		if (other->port != mount->port || (is_of_tcp && other->is_tcp != mount->is_tcp))
			return judge->target;
		is_reported |= other < mount;
	}
	return is_reported ? NULL : server_of(mount, text);
}

static bool has(const struct judge *judge, const char *option)
{
	const struct nfs_mount *mount = judge->item;

	return options_get(mount->mount->options, option, NULL, 0);
}

static void check_unreadable(const struct judge *judge)
{
	if (!nfs_of(judge->client)->text)
		rule_report(judge, "its counters cannot be read: %.300s",
			    nfs_of(judge->client)->why);
}

static void check_soft(const struct judge *judge)
{
	if (has(judge, "soft"))
		rule_report(
			judge,
			"'%s' is mounted soft: a slow server becomes an I/O error, and data that was written may be lost",
			judge->target);
}

static unsigned long size_of(const struct nfs_mount *mount, const char *key)
{
	unsigned long size_bytes;
	char value[16];

	if (!options_get(mount->mount->options, key, value, sizeof(value)) ||
	    number_parse(value, 1, UINT32_MAX, &size_bytes, NULL) < 0)
		return SMALL_IO_BYTES;
	return size_bytes;
}

static void check_small(const struct judge *judge)
{
	unsigned long rsize = size_of(judge->item, "rsize"), wsize = size_of(judge->item, "wsize");

	if (rsize < SMALL_IO_BYTES || wsize < SMALL_IO_BYTES)
		rule_report(judge, "'%s' moves at most %lu bytes in a READ and %lu in a WRITE",
			    judge->target, rsize, wsize);
}

static void check_uncached(const struct judge *judge)
{
	bool noac = has(judge, "noac");

	if (noac || has(judge, "sync"))
		rule_report(judge, "'%s' is mounted with %s: each %s waits for the server",
			    judge->target, noac ? "noac" : "sync",
			    noac ? "look at a file" : "write");
}

static void check_no_lock(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;
	char value[16];

	if (options_get(mount->mount->options, "local_lock", value, sizeof(value)) &&
	    strcmp(value, "none") != 0)
		rule_report(
			judge,
			"'%s' keeps locks on this node (local_lock=%s): other nodes do not see them",
			judge->target, value);
}

/* Counters since the mount was made are not the job's: nfs_judge_work() has those. */
static bool is_of_job(const struct judge *judge)
{
	return judge->desired && judge->desired->job_id;
}

/* Get the number of READs and WRITEs; false: too few, or unknown. */
static bool traffic(const struct judge *judge, int64_t *count)
{
	const struct nfs_mount *mount = judge->item;
	const struct nfs_stats *stats = &mount->stats;

	if (is_of_job(judge) || !mount->has_stats ||
	    nfs_is_reported(nfs_of(judge->client), mount, shares_superblock) ||
	    stats->reads.count < 0 || stats->writes.count < 0)
		return false;
	*count = stats->reads.count + stats->writes.count;
	return *count >= FEW;
}

static void check_resends(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;
	int64_t count, again;

	if (!traffic(judge, &count))
		return;
	again = mount->stats.reads.sent + mount->stats.writes.sent - count;
	if (again < count / 100)
		return;
	rule_report(
		judge,
		"'%s' has sent one in 100 READs and WRITEs again, or more, since it was mounted",
		judge->target);
	findings_measured(judge->findings, "%" PRId64 " of %" PRId64, again, count);
}

static void check_hung(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;
	char text[FINDING_TARGET_MAX];
	const char *server;

	if (!mount->is_hung || !(server = server_target(judge, false, text)))
		return;
	rule_report_target(judge, server,
			   "NFS server %s port %u of '%s' is not responding: I/O to it will block",
			   mount->address, mount->port, judge->target);
	if (mount->waiting)
		findings_measured(judge->findings, "%" PRId64 " requests wait", mount->waiting);
}

static void check_transport(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;
	char text[FINDING_TARGET_MAX];
	const char *server;

	if (mount->is_tcp && mount->has_nic && mount->nic.has_rdma &&
	    (server = server_target(judge, true, text)))
		rule_report_target(
			judge, server,
			"'%s' goes over TCP, and the card %s that leads to its server can do RDMA",
			judge->target, mount->nic.name);
}

static void check_one_connection(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;
	char text[FINDING_TARGET_MAX];
	const char *server;

	if (mount->is_tcp && mount->has_stats && mount->has_nic && mount->stats.transports == 1 &&
	    mount->nic.speed_mbits >= FAST_MBITS && (server = server_target(judge, true, text)))
		rule_report_target(
			judge, server,
			"'%s' has one connection to its server, over a card of %ld Gbit/s",
			judge->target, mount->nic.speed_mbits / 1000);
}

static void check_two_names(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item, *other = nfs_of(judge->client)->mounts;
	size_t length = name_length(mount);

	while (other < mount && (!nfs_is_same_server(other, mount) ||
				 (name_length(other) == length &&
				  !strncmp(other->mount->source, mount->mount->source, length))))
		other++;
	if (other < mount)
		rule_report_target(
			judge, NULL,
			"'%s' and '%s' are of one server, %s, by two names: '%.*s' and '%.*s'",
			other->mount->target, judge->target, mount->address,
			(int)name_length(other), other->mount->source, (int)length,
			mount->mount->source);
}

/* include/linux/sunrpc/xprt.h: bklog_u is the sum of the queue's length at each request that is
 * sent. */
static void check_backlog(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;
	char text[FINDING_TARGET_MAX];
	int64_t backlog = 0, sent = 0;
	const char *server;
	size_t k;

	if (is_of_job(judge) || !mount->has_stats ||
	    nfs_is_reported(nfs_of(judge->client), mount, nfs_shares_transports))
		return;
	for (k = 0; k < mount->stats.transports; k++) {
		backlog += mount->stats.transport[k].backlog;
		sent += mount->stats.transport[k].sent;
	}
	if (sent < FEW || backlog < sent)
		return;
	server = server_target(judge, false, text);
	rule_report_target(judge, server ? server : server_of(mount, text),
			   "requests of '%s' wait for a free slot", judge->target);
	findings_measured(
		judge->findings,
		"%" PRId64
		" were in the queue whenever one was sent, on average since it was mounted",
		backlog / sent);
}

/* Return " and 3 ms on this node"; "": a kernel let the time underflow. */
static const char *queued(const struct nfs_stats *stats, int64_t count, char text[64])
{
	*text = '\0';
	if (stats->reads.queue_ms >= 0 && stats->writes.queue_ms >= 0)
		snprintf(text, 64, " and %" PRId64 " ms on this node",
			 (stats->reads.queue_ms + stats->writes.queue_ms) / count);
	return text;
}

static void check_slow(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;
	const struct nfs_stats *stats = &mount->stats;
	int64_t count, rtt;
	char text[64];

	if (!traffic(judge, &count) || stats->reads.rtt_ms < 0 || stats->writes.rtt_ms < 0)
		return;
	rtt = stats->reads.rtt_ms + stats->writes.rtt_ms;
	if (rtt / count < SLOW_MS)
		return;
	rule_report(
		judge,
		"READs and WRITEs of '%s' wait %d ms or more for the server, on average since it was mounted",
		judge->target, SLOW_MS);
	findings_measured(judge->findings, "%" PRId64 " ms%s", rtt / count,
			  queued(stats, count, text));
}

static void check_numa_remote(const struct judge *judge)
{
	const struct client_desired *desired = judge->desired;
	const struct nfs_mount *mount = judge->item;
	char text[FINDING_TARGET_MAX];
	char list[RULE_LIST_MAX];
	const char *server;

	if (desired && desired->io_cores && desired->has_io_cores &&
	    !cpuset_is_empty(&desired->io_cpus) && mount->has_nic && mount->nic.numa_node >= 0 &&
	    sysfs_has_cpu_on(&desired->io_cpus, mount->nic.numa_node) == 0 &&
	    (server = server_target(judge, false, text)))
		rule_report_target(
			judge, server,
			"the card %s of '%s' is at NUMA node %d, the job's io-cores (CPUs %s) are at another",
			mount->nic.name, judge->target, mount->nic.numa_node,
			rule_list(&desired->io_cpus, list));
}

static void check_proxy(const struct judge *judge)
{
	const struct nfs_mount *mount = judge->item;

	if (!*mount->proxy)
		return;
	rule_report(
		judge,
		"I/O of '%s' passes through process %s on this node, which uses CPU time for it",
		judge->target, mount->proxy);
	findings_measured(judge->findings, "PID %lu, %s port %u", mount->proxy_pid, mount->address,
			  mount->port);
}

/* ---- end of a job --------------------------------------------------------- */

/* Judge the counters of the node for the time of the job. */
static void judge_line(struct client *client, const struct client_io_series *series)
{
	const int64_t *n = series->numbers;
	int64_t moved = n[IO_READ_CALLS] + n[IO_WRITE_CALLS];
	int64_t all = n[IO_META_CALLS] < 0 ? moved : moved + n[IO_META_CALLS];

	if (n[IO_READ_CALLS] < 0 || n[IO_WRITE_CALLS] < 0 || moved < FEW)
		return;
	if (n[IO_RESENT] > 0 && n[IO_RESENT] >= all / 100) {
		rule_report_code(client, "NF08", NULL,
				 "'%s' sent one in 100 requests again, or more, while the job ran",
				 series->fs);
		findings_measured(client->findings, "%" PRId64 " of %" PRId64, n[IO_RESENT], all);
	}
	if (n[IO_BACKLOG] >= all) {
		rule_report_code(client, "NF13", NULL,
				 "requests of '%s' waited for a free slot while the job ran",
				 series->fs);
		findings_measured(client->findings,
				  "%" PRId64 " were in the queue whenever one was sent, on average",
				  n[IO_BACKLOG] / all);
	}
	if (n[IO_READ_US] >= 0 && n[IO_WRITE_US] >= 0 &&
	    (n[IO_READ_US] + n[IO_WRITE_US]) / moved >= SLOW_MS * 1000) {
		rule_report_code(
			client, "NF14", NULL,
			"READs and WRITEs of '%s' took %d ms or more, on average while the job ran",
			series->fs, SLOW_MS);
		findings_measured(client->findings, "%" PRId64 " ms",
				  (n[IO_READ_US] + n[IO_WRITE_US]) / moved / 1000);
	}
}

void nfs_judge_work(struct client *client, const struct client_work *work)
{
	size_t i;

	for (i = 0; i < work->client_io->series_count; i++)
		if (!work->client_io->series[i].has_restarted &&
		    !work->client_io->series[i].is_gone)
			judge_line(client, &work->client_io->series[i]);
}

const struct rule nfs_rules[] = {
	{ "NF01", FINDING_ERROR,
	  "mount it, or leave this node out of nodes= of [client] in jobio.conf",
	  rule_check_no_mount, .reach = FINDING_OF_NODE },
	{ "NF02", FINDING_WARNING, "mount it, or correct mounts= in jobio.conf",
	  rule_check_missing_mount },
	{ "NF03", FINDING_WARNING, "correct mount_table= in jobio.conf", check_unreadable },
	{ "NF04", FINDING_WARNING, "mount it hard; a job that must not wait has a time limit",
	  check_soft, each_mount },
	{ "NF05", FINDING_WARNING,
	  "mount it with rsize=1048576,wsize=1048576, or raise the server's limit", check_small,
	  each_mount },
	{ "NF06", FINDING_WARNING, "mount it without, if its files are not shared by the second",
	  check_uncached, each_mount },
	{ "NF07", FINDING_INFO, "mount it without nolock where jobs lock files on several nodes",
	  check_no_lock, each_mount },
	{ "NF08", FINDING_WARNING, "look for lost packets between node and server", check_resends,
	  each_mount },
	{ "NF09", FINDING_ERROR,
	  "check the server and the network; jobs that wait continue when it responds", check_hung,
	  each_mount },
	{ "NF10", FINDING_INFO,
	  "mount it with proto=rdma,port=20049 if the server offers it; of a server's NFS 4 mounts the first decides",
	  check_transport, each_mount },
	{ "NF11", FINDING_INFO, "mount it with nconnect=4; of a server's mounts the first decides",
	  check_one_connection, each_mount },
	{ "NF12", FINDING_INFO, "mount both by one name: they may share cache and connections then",
	  check_two_names, each_mount },
	{ "NF13", FINDING_WARNING,
	  "mount it anew with nconnect=4 or more slots (sunrpc.tcp_max_slot_table_entries, nfs.max_session_slots)",
	  check_backlog, each_mount },
	{ "NF14", FINDING_WARNING, "look at the load of the server and of the network", check_slow,
	  each_mount },
	{ "NF15", FINDING_INFO, "reserve cores beside the card: jobio plan", check_numa_remote,
	  each_mount },
	{ "NF16", FINDING_INFO,
	  "keep it on CPUs that Slurm withholds from jobs (CpuSpecList=): taskset -apc CPUS PID",
	  check_proxy, each_mount },
	/* reported by the functions that change the client */
	{ "NF40", FINDING_ERROR, "see dmesg, and bdi_dir= in jobio.conf" },
	{ "NF42", FINDING_ERROR,
	  "write the old value into read_ahead_kb, or let the next job try again" },
	{ "NF43", FINDING_WARNING, "none, if intended" },
	{ "NF44", FINDING_ERROR, "see dmesg, or set core_change=never in jobio.conf" },
	{ "NF45", FINDING_ERROR, "write the old CPUs by hand, or let the next job try again" },
	{ "NF46", FINDING_INFO, "ask for io-cores or --exclusive", .reach = FINDING_OF_JOB },
	{ "NF47", FINDING_INFO, "none, if they may stay there" },
	{ "NF48", FINDING_WARNING, "none, if intended" },
	{ "NF49", FINDING_ERROR, "take it out of the profile in jobio.conf" },
	{ 0 }
};
