/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/nfs/stats.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "client/mounts.h"

#define LINE_TEXT_MAX 4096
#define PATH_TEXT_MAX 1024
#define OP_NUMBERS 9 /* the last since RPC iostats 1.1 */

/* Parse the numbers of a line after its first word. Return how many there are; other text ends
 * them; a number that underflowed is unknown. */
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

/* An unknown number makes the sum unknown. */
static void add(int64_t *sum, int64_t more)
{
	if (*sum != NFS_UNKNOWN)
		*sum = more == NFS_UNKNOWN || more > INT64_MAX - *sum ? NFS_UNKNOWN : *sum + more;
}

/* Normal read, write; direct read, write; read, written by the server; pages read, written. Every
 * kernel has all eight. */
static void read_bytes(const char *text, struct nfs_stats *stats)
{
	int64_t n[8];

	if (numbers(text, n, 8) < 8)
		return;
	stats->requested_read = n[0];
	add(&stats->requested_read, n[2]);
	stats->requested_write = n[1];
	add(&stats->requested_write, n[3]);
	stats->read_bytes = n[4];
	stats->write_bytes = n[5];
}

/* Lines of one mount, as far as read. */
struct part {
	struct nfs_stats *stats;
	bool is_v3, is_ops; /* is_ops: after "per-op statistics" */
	bool has_read, has_write, has_other, has_last;
	bool has_bytes, has_end;		/* the empty line at its end */
	bool has_odd_transport, is_cut, is_two; /* is_two: includes lines of another mount */
	/* data on disks without an RPC to the server (pNFS), and the number of such transfers;
	 * NFS_UNKNOWN: not in the file */
	bool has_disks;
	int64_t disk_reads, disk_writes;
};

static const struct nfs_ops unknown_ops = { NFS_UNKNOWN, NFS_UNKNOWN, NFS_UNKNOWN, NFS_UNKNOWN,
					    NFS_UNKNOWN };

/* Parse a line of a transport. tcp and rdma: port binds connects connect_time idle sends recvs
 * bad_xids req_u bklog_u ..; udp has port, binds, then sends. Return -1 if it is not understood. */
static int read_transport(const char *text, struct nfs_stats *stats)
{
	struct nfs_transport *transport = &stats->transport[stats->transports];
	size_t skip;
	char word[8];
	int64_t n[10];

	text_next_word(&text, word, sizeof(word));
	skip = !strcmp(word, "udp") ? 2 : 5;
	if (!mounts_word_in("udp tcp rdma", word) || stats->transports == NFS_TRANSPORTS_MAX ||
	    numbers(text, n, skip + 5) < skip + 5 || n[skip] < 0 || n[skip + 1] < 0 ||
	    n[skip + 4] < 0)
		return -1;
	transport->sent = n[skip];
	transport->answered = n[skip + 1];
	transport->backlog = n[skip + 4];
	stats->transports++;
	return 0;
}

/* Parse "bm0=0xfdffafff,..,sessions,pnfs=LAYOUT_SCSI". A layout of files uses READ and WRITE, which
 * the kernel counts with those of the server; one of blocks or objects does not
 * (fs/nfs/super.c:show_pnfs(), filelayout/, flexfilelayout/). */
static bool has_disks(const char *text)
{
	char layout[32] = "";

	text = strstr(text, "pnfs=");
	if (text)
		TEXT_SET_PART(layout, text + 5, strcspn(text + 5, ","));
	return *layout && strcmp(layout, "not configured") != 0 &&
	       !mounts_word_in("LAYOUT_NFSV4_1_FILES LAYOUT_FLEX_FILES", layout);
}

/* include/linux/nfs_iostat.h: NFSIOS_PNFS_READ and _WRITE are the last two */
static void read_events(struct part *part, const char *text)
{
	int64_t n[27];

	if (numbers(text, n, 27) < 27)
		return;
	part->disk_reads = n[25];
	part->disk_writes = n[26];
}

/* Operations that no process waits for: the client returns state, or writes back. fsync waits for
 * COMMIT, which is no operation on names. */
#define BEHIND                                                                                     \
	"DELEGRETURN COMMIT LAYOUTCOMMIT LAYOUTRETURN LAYOUTSTATS LAYOUTERROR FREE_STATEID TEST_STATEID RELEASE_LOCKOWNER"

static struct nfs_ops *ops_of(struct part *part, const char *name)
{
	bool is_read = !strcmp(name, "READ"), is_write = !strcmp(name, "WRITE");

	part->is_two |= (is_read && part->has_read) || (is_write && part->has_write);
	part->has_read |= is_read;
	part->has_write |= is_write;
	if (is_read || !strcmp(name, "READ_PLUS"))
		return &part->stats->reads;
	if (is_write)
		return &part->stats->writes;
	part->has_other = true;
	part->has_last |= !strcmp(name, "COMMIT");
	return &part->stats->others;
}

/* Return how many operations succeeded: a client tries even if the server may refuse. RPC iostats
 * 1.0 has no errors. */
static int64_t succeeded(const int64_t n[], size_t count)
{
	if (count < OP_NUMBERS - 1 || n[0] < 0)
		return NFS_UNKNOWN;
	if (count < OP_NUMBERS)
		return n[0] ? NFS_UNKNOWN : 0;
	if (n[8] < 0)
		return NFS_UNKNOWN;
	return n[0] < n[8] ? 0 : n[0] - n[8];
}

/* OP: ops ntrans timeouts sent received queue rtt execute [errors] */
static void read_op(struct part *part, const char *name, const char *text)
{
	int64_t n[OP_NUMBERS];
	struct nfs_ops *ops;
	size_t count;

	if (mounts_word_in("NULL RENEW SEQUENCE", name)) /* of an idle client */
		return;
	ops = ops_of(part, name);
	count = numbers(text, n, OP_NUMBERS);
	if (mounts_word_in("COPY CLONE", name))
		add(&part->stats->copies, succeeded(n, count));
	if (count < OP_NUMBERS - 1) {
		*ops = unknown_ops;
		return;
	}
	add(&ops->count, n[0]);
	if (mounts_word_in("GETATTR LOOKUP ACCESS", name))
		add(&part->stats->names, n[0]);
	if (mounts_word_in("LOCK LOCKT LOCKU", name))
		add(&part->stats->locks, n[0]);
	/* one may be counted before it is sent */
	add(&ops->sent, n[1] < n[0] ? n[0] : n[1]);
	add(&ops->queue_ms, n[5]);
	add(&ops->rtt_ms, n[6]);
	add(&ops->total_ms, mounts_word_in(BEHIND, name) ? 0 : n[7]);
}

static void read_line(struct part *part, char *line)
{
	char *text;
	int64_t age;

	line += strspn(line, " \t");
	text = strchr(line, ':');
	if (!strncmp(line, "per-op statistics", 17))
		part->is_ops = true;
	if (!text)
		return;
	*text++ = '\0';
	if (part->is_ops)
		read_op(part, line, text);
	else if (!strcmp(line, "bytes")) {
		part->is_two |= part->has_bytes;
		part->has_bytes = true;
		read_bytes(text, part->stats);
	} else if (!strcmp(line, "nfsv4"))
		part->has_disks = has_disks(text);
	else if (!strcmp(line, "events"))
		read_events(part, text);
	else if (!strcmp(line, "xprt"))
		part->has_odd_transport |= read_transport(text, part->stats) < 0;
	else if (!strcmp(line, "age") && numbers(text, &age, 1) == 1)
		part->stats->age_s = age;
	else if (!strcmp(line, "RPC iostats version"))
		part->is_v3 = strstr(text, " 100003/3 ") != NULL;
}

/* Match "device SOURCE mounted on TARGET with fstype nfs4 statvers=1.1". */
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
	TEXT_SET_PART(copy, at, end - at);
	text_unescape_octal(copy);
	end += strlen(" with fstype nfs");
	end += *end == '4';
	return !strcmp(copy, target) && (*end == ' ' || !*end);
}

static void forget(struct nfs_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->age_s = NFS_UNKNOWN;
	stats->requested_read = stats->requested_write = NFS_UNKNOWN;
	stats->read_bytes = stats->write_bytes = NFS_UNKNOWN;
}

/* Return true if bytes were moved without operations, as with a server on this node
 * (fs/nfs/localio.c, Linux 6.12). */
static bool includes_pnfs(const struct nfs_ops *ops, int64_t bytes)
{
	return bytes > 0 && !ops->count;
}

/* Operations without a line are unknown, not 0: each version has READ, WRITE and others, version 3
 * ends with COMMIT, and an empty line ends the statistics of a mount
 * (fs/proc_namespace.c:show_vfsstat()). */
static void finish(struct part *part)
{
	struct nfs_stats *stats = part->stats;
	bool is_whole = part->has_read && part->has_write && part->has_other &&
			(part->has_last || !part->is_v3) && part->has_end && !part->is_cut;

	if (part->is_two) {
		forget(stats);
		part->has_read = part->has_write = is_whole = false;
	}
	/* READ_PLUS of version 4.2 is one of the last */
	if (!part->has_read || ((!part->has_end || part->is_cut) && !part->is_v3) ||
	    (part->has_disks && part->disk_reads) ||
	    includes_pnfs(&stats->reads, stats->read_bytes))
		stats->reads = unknown_ops;
	if (!part->has_write || (part->has_disks && part->disk_writes) ||
	    includes_pnfs(&stats->writes, stats->write_bytes))
		stats->writes = unknown_ops;
	if (!is_whole) {
		stats->others = unknown_ops;
		stats->copies = NFS_UNKNOWN;
	}
	if (stats->others.count == NFS_UNKNOWN)
		stats->names = NFS_UNKNOWN;
	if (stats->others.count == NFS_UNKNOWN || part->is_v3)
		stats->locks = NFS_UNKNOWN;
	if (part->has_odd_transport)
		stats->transports = 0;
}

/* Return the start of the next mount's statistics; NULL: there is none. */
static const char *next_mount(const char *text)
{
	if (!strncmp(text, "device ", 7))
		return text;
	text = strstr(text, "\ndevice ");
	return text ? text + 1 : NULL;
}

/* Read the next line; false: it is too long, or truncated, and its numbers are ignored. */
static bool next_line(const char **text, char line[LINE_TEXT_MAX])
{
	size_t length = strcspn(*text, "\n");
	size_t kept = length < LINE_TEXT_MAX ? length : LINE_TEXT_MAX - 1;
	bool is_whole = kept == length && (*text)[length];
	char *colon;

	memcpy(line, *text, kept);
	line[kept] = '\0';
	colon = strchr(line, ':');
	if (!is_whole && colon)
		colon[1] = '\0';
	*text += length + ((*text)[length] == '\n');
	return is_whole;
}

static bool is_next_mount(const char *line)
{
	return !strncmp(line, "device ", 7) || !strncmp(line, "no device ", 10);
}

/* Read the lines up to the next mount. */
static void read_part(const char **text, struct nfs_stats *stats)
{
	struct part part = { .stats = stats,
			     .disk_reads = NFS_UNKNOWN,
			     .disk_writes = NFS_UNKNOWN };
	char line[LINE_TEXT_MAX];

	forget(stats);
	while (**text && !is_next_mount(*text)) {
		part.is_cut |= !next_line(text, line);
		part.has_end |= !*line;
		read_line(&part, line);
	}
	finish(&part);
}

int nfs_stats_find(const char *text, const char *target, struct nfs_stats *stats)
{
	char line[LINE_TEXT_MAX];
	size_t length;
	int rc = -1;

	while ((text = next_mount(text))) {
		length = strcspn(text, "\n");
		TEXT_SET_PART(line, text, length);
		text += length + (text[length] == '\n');
		if (length >= sizeof(line) || !begins(line, target))
			continue;
		read_part(&text, stats);
		rc = 0;
	}
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
			sum += stats->transport[i].sent - stats->transport[i].answered;
	return sum;
}
