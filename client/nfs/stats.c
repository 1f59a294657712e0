/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/nfs/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text.h"

#define LINE_TEXT_MAX 4096
#define PATH_TEXT_MAX 1024

/* The numbers of a line behind its word; how many there are. One that is none
 * ends them; what underflowed is unknown. */
static size_t numbers(const char *text, int64_t number[], size_t max)
{
	unsigned long long one;
	char *end;
	size_t i;

	for (i = 0; i < max; i++) {
		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			break;
		errno = 0;
		one = strtoull(text, &end, 10);
		if (errno || (*end && *end != ' ' && *end != '\t'))
			break;
		number[i] = one > INT64_MAX ? NFS_UNKNOWN : (int64_t)one;
		text = end;
	}
	return i;
}

/* What is unknown makes the sum so, and it stays so. */
static void add(int64_t *sum, int64_t more)
{
	if (*sum != NFS_UNKNOWN)
		*sum = more == NFS_UNKNOWN || more > INT64_MAX - *sum
			       ? NFS_UNKNOWN
			       : *sum + more;
}

static void read_bytes(const char *text, struct nfs_stats *stats)
{
	int64_t n[6];

	if (numbers(text, n, 6) < 6)
		return;
	stats->asked_read = n[0];
	add(&stats->asked_read, n[2]);
	stats->asked_write = n[1];
	add(&stats->asked_write, n[3]);
	stats->read_bytes = n[4];
	stats->write_bytes = n[5];
}

/* tcp: port binds connects connect_time idle sends recvs bad_xids req_u bklog_u
 * ..; rdma the same; udp has port, binds and sends on. */
static void read_transport(const char *text, struct nfs_stats *stats)
{
	struct nfs_transport *transport = &stats->transport[stats->transports];
	size_t skip, word;
	int64_t n[10];

	text += strspn(text, " \t");
	word = strcspn(text, " \t");
	skip = !strncmp(text, "udp", 3) ? 2 : 5;
	if (stats->transports == NFS_TRANSPORTS_MAX ||
	    numbers(text + word, n, skip + 5) < skip + 5)
		return;
	transport->is_rdma = !strncmp(text, "rdma", 4);
	transport->sent = n[skip];
	transport->answered = n[skip + 1];
	transport->backlog = n[skip + 4];
	stats->transports++;
}

/* What goes to and fro without anybody's asking. */
static bool is_idle(const char *name, size_t length)
{
	return (length == 4 && !strncmp(name, "NULL", 4)) ||
	       (length == 5 && !strncmp(name, "RENEW", 5)) ||
	       (length == 8 && !strncmp(name, "SEQUENCE", 8));
}

/* OP: ops ntrans timeouts sent received queue rtt execute [errors] */
static void read_op(const char *name, size_t length, const char *text,
		    struct nfs_stats *stats)
{
	struct nfs_ops *ops = &stats->others;
	int64_t n[8];

	if (numbers(text, n, 8) < 8 || is_idle(name, length))
		return;
	if ((length == 4 && !strncmp(name, "READ", 4)) ||
	    (length == 9 && !strncmp(name, "READ_PLUS", 9)))
		ops = &stats->reads;
	else if (length == 5 && !strncmp(name, "WRITE", 5))
		ops = &stats->writes;
	add(&ops->count, n[0]);
	/* one may be counted before it is sent */
	add(&ops->sent, n[1] < n[0] ? n[0] : n[1]);
	add(&ops->queue_ms, n[5]);
	add(&ops->rtt_ms, n[6]);
	add(&ops->total_ms, n[7]);
}

static void read_line(const char *line, bool *is_ops, struct nfs_stats *stats)
{
	const char *colon;
	int64_t age;

	line += strspn(line, " \t");
	colon = strchr(line, ':');
	if (!strcmp(line, "per-op statistics"))
		*is_ops = true;
	else if (!colon)
		return;
	else if (*is_ops)
		read_op(line, (size_t)(colon - line), colon + 1, stats);
	else if (!strncmp(line, "bytes:", 6))
		read_bytes(colon + 1, stats);
	else if (!strncmp(line, "xprt:", 5))
		read_transport(colon + 1, stats);
	else if (!strncmp(line, "age:", 4) && numbers(colon + 1, &age, 1) == 1)
		stats->age_s = age;
}

/* "device SOURCE mounted on TARGET with fstype nfs4 statvers=1.1" */
static bool begins(const char *line, const char *target)
{
	const char *at = strstr(line, " mounted on ");
	char copy[PATH_TEXT_MAX];
	const char *end;

	if (strncmp(line, "device ", 7) != 0 || !at)
		return false;
	at += strlen(" mounted on ");
	end = strstr(at, " with fstype nfs");
	if (!end || end - at >= (long)sizeof(copy))
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)(end - at), at);
	text_unescape_octal(copy);
	end += strlen(" with fstype nfs");
	end += *end == '4';
	return !strcmp(copy, target) && (*end == ' ' || !*end);
}

static void forget(struct nfs_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->age_s = NFS_UNKNOWN;
	stats->asked_read = stats->asked_write = NFS_UNKNOWN;
	stats->read_bytes = stats->write_bytes = NFS_UNKNOWN;
}

/* Without any line of operations nobody knows how many there were. */
static void finish(bool is_ops, struct nfs_stats *stats)
{
	const struct nfs_ops unknown = { NFS_UNKNOWN, NFS_UNKNOWN, NFS_UNKNOWN,
					 NFS_UNKNOWN, NFS_UNKNOWN };

	if (!is_ops)
		stats->reads = stats->writes = stats->others = unknown;
}

/* Where the next mount's part begins; NULL: there is none. */
static const char *next_part(const char *text)
{
	if (!strncmp(text, "device ", 7))
		return text;
	text = strstr(text, "\ndevice ");
	return text ? text + 1 : NULL;
}

int nfs_stats_find(const char *text, const char *target,
		   struct nfs_stats *stats)
{
	bool inside = false, is_ops = false;
	char line[LINE_TEXT_MAX];
	int rc = -1;

	while ((inside || (text = next_part(text))) &&
	       text_next_line(&text, line, sizeof(line))) {
		if (strncmp(line, "device ", 7) != 0) {
			if (inside)
				read_line(line, &is_ops, stats);
			continue;
		}
		if (inside)
			finish(is_ops, stats);
		inside = begins(line, target);
		if (!inside)
			continue;
		forget(stats);
		is_ops = false;
		rc = 0;
	}
	if (inside)
		finish(is_ops, stats);
	return rc;
}

int64_t nfs_stats_answered(const struct nfs_stats *stats)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < stats->transports; i++)
		add(&sum, stats->transport[i].answered);
	return sum;
}

int64_t nfs_stats_waiting(const struct nfs_stats *stats)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < stats->transports; i++)
		if (stats->transport[i].sent > stats->transport[i].answered)
			sum += stats->transport[i].sent -
			       stats->transport[i].answered;
	return sum;
}
