/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/nfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/mount_option.h"
#include "client/mounts.h"
#include "client/rule.h"
#include "client/setting.h"
#include "client/wire.h"
#include "lib/faultpoint.h"
#include "lib/fileio.h"
#include "lib/number.h"
#include "lib/sysfs.h"
#include "lib/text.h"

#define TABLE_BYTES_MAX (16U << 20)
#define LINE_TEXT_MAX 4096
#define PATH_TEXT_MAX 1024
#define READ_AHEAD_KB_MAX 1048576
#define SMALL_IO_BYTES (256U << 10) /* what servers of this century take */
#define FEW_SENT 1000		    /* too few to speak of a rate */

struct nfs_facts {
	char *mountinfo, *stats; /* texts; stats NULL: unreadable */
	char why[ERR_MAX];	 /* when it is */
	char read_ahead[32];	 /* of the mount that was asked for last */
};

static struct nfs_facts *nfs_of(const struct client *client)
{
	return client->facts;
}

static void clear(void *what)
{
	struct nfs_facts *facts = what;

	free(facts->mountinfo);
	free(facts->stats);
	memset(facts, 0, sizeof(*facts));
}

/* ---- mountstats ---------------------------------------------------------- */

/* What one mount's part of mountstats says; fs/nfs/super.c:nfs_show_stats(),
 * net/sunrpc/stats.c:rpc_clnt_show_stats(). UNKNOWN where a line is missing. */
struct stats {
	int64_t read_bytes, write_bytes; /* from and to the server */
	int64_t reads, writes;		 /* operations */
	int64_t sent, operations;	 /* of both: a resend counts again */
};

/* The numbers of a line behind its word; how many there are. A number that is
 * none (an underflow is one near 2^64) ends them. */
static size_t numbers(const char *text, int64_t number[], size_t max)
{
	char *end;
	size_t i;

	for (i = 0; i < max; i++) {
		errno = 0;
		number[i] = strtoll(text, &end, 10);
		if (end == text || errno || number[i] < 0)
			break;
		text = end;
	}
	return i;
}

static void add(int64_t *sum, int64_t more)
{
	*sum = (*sum == WIRE_UNKNOWN ? 0 : *sum) + more;
}

static void read_stats_line(const char *line, struct stats *stats)
{
	int64_t n[8];

	line += strspn(line, " \t");
	if (!strncmp(line, "bytes:", 6) && numbers(line + 6, n, 8) >= 6) {
		stats->read_bytes = n[4];
		stats->write_bytes = n[5];
	} else if ((!strncmp(line, "READ:", 5) ||
		    !strncmp(line, "READ_PLUS:", 10)) &&
		   numbers(strchr(line, ':') + 1, n, 2) == 2) {
		add(&stats->reads, n[0]);
		add(&stats->operations, n[0]);
		add(&stats->sent, n[1]);
	} else if (!strncmp(line, "WRITE:", 6) &&
		   numbers(line + 6, n, 2) == 2) {
		add(&stats->writes, n[0]);
		add(&stats->operations, n[0]);
		add(&stats->sent, n[1]);
	}
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
	end = strstr(at, " with fstype ");
	if (!end || end - at >= (long)sizeof(copy))
		return false;
	snprintf(copy, sizeof(copy), "%.*s", (int)(end - at), at);
	text_unescape_octal(copy);
	return !strcmp(copy, target) && strstr(end, " fstype nfs") == end + 5;
}

/* 0: the mount is there. Of several on one place the last counts. */
static int stats_of(const char *text, const char *target, struct stats *stats)
{
	char line[LINE_TEXT_MAX];
	bool inside = false;
	int rc = -1;

	while (text_next_line(&text, line, sizeof(line))) {
		if (strncmp(line, "device ", 7) != 0) {
			if (inside)
				read_stats_line(line, stats);
			continue;
		}
		inside = begins(line, target);
		if (!inside)
			continue;
		*stats = (struct stats){ WIRE_UNKNOWN, WIRE_UNKNOWN,
					 WIRE_UNKNOWN, WIRE_UNKNOWN,
					 WIRE_UNKNOWN, WIRE_UNKNOWN };
		rc = 0;
	}
	return rc;
}

/* ---- facts --------------------------------------------------------------- */

static int read_mountinfo(struct client *client, struct err *err)
{
	struct nfs_facts *facts = nfs_of(client);

	free(facts->mountinfo);
	facts->mountinfo = fileio_read_linked(client->section->mountinfo,
					      TABLE_BYTES_MAX, err);
	return facts->mountinfo ? 0 : -1;
}

static int read_tables(struct client *client, struct err *err)
{
	return mounts_reread(client, err) < 0 ? -1
					      : read_mountinfo(client, err);
}

static int inspect(struct client *client, struct err *err)
{
	struct nfs_facts *facts = nfs_of(client);
	struct err why;

	if (read_mountinfo(client, err) < 0)
		return -1;
	facts->stats = fileio_read_linked(client->section->mountstats,
					  TABLE_BYTES_MAX, &why);
	if (!facts->stats)
		snprintf(facts->why, sizeof(facts->why), "%s", why.text);
	/* its work is done by kernel threads: no CPU is its own */
	client->common.cpus_known = true;
	return 0;
}

/* ---- rules --------------------------------------------------------------- */

static const struct client_mount *next_mount(const struct judge *judge,
					     size_t *i)
{
	const struct client_facts *facts = &judge->client->common;

	return *i < facts->mount_count ? &facts->mounts[(*i)++] : NULL;
}

static void check_unreadable(const struct judge *judge, const struct rule *rule)
{
	if (!nfs_of(judge->client)->stats)
		rule_say(judge, rule, "its counters cannot be read: %.300s",
			 nfs_of(judge->client)->why);
}

static void check_soft(const struct judge *judge, const struct rule *rule)
{
	const struct client_mount *mount;
	size_t i = 0;

	while ((mount = next_mount(judge, &i)))
		if (options_get(mount->options, "soft", NULL, 0))
			rule_say(judge, rule,
				 "'%s' is mounted soft: a slow server becomes "
				 "an I/O error, and data that was written may "
				 "be lost",
				 mount->target);
}

static unsigned long size_of(const struct client_mount *mount, const char *key)
{
	unsigned long size_bytes;
	char value[16];

	if (!options_get(mount->options, key, value, sizeof(value)) ||
	    number_parse(value, 1, UINT32_MAX, &size_bytes, NULL) < 0)
		return SMALL_IO_BYTES;
	return size_bytes;
}

static void check_small(const struct judge *judge, const struct rule *rule)
{
	const struct client_mount *mount;
	unsigned long rsize, wsize;
	size_t i = 0;

	while ((mount = next_mount(judge, &i))) {
		rsize = size_of(mount, "rsize");
		wsize = size_of(mount, "wsize");
		if (rsize < SMALL_IO_BYTES || wsize < SMALL_IO_BYTES)
			rule_say(judge, rule,
				 "'%s' moves at most %lu bytes in a READ and "
				 "%lu in a WRITE",
				 mount->target, rsize, wsize);
	}
}

static void check_uncached(const struct judge *judge, const struct rule *rule)
{
	const struct client_mount *mount;
	size_t i = 0;
	bool noac;

	while ((mount = next_mount(judge, &i))) {
		noac = options_get(mount->options, "noac", NULL, 0);
		if (noac || options_get(mount->options, "sync", NULL, 0))
			rule_say(judge, rule,
				 "'%s' is mounted with %s: each %s waits for "
				 "the server",
				 mount->target, noac ? "noac" : "sync",
				 noac ? "look at a file" : "write");
	}
}

static void check_no_lock(const struct judge *judge, const struct rule *rule)
{
	const struct client_mount *mount;
	char value[16];
	size_t i = 0;

	while ((mount = next_mount(judge, &i)))
		if (options_get(mount->options, "local_lock", value,
				sizeof(value)) &&
		    strcmp(value, "none") != 0)
			rule_say(judge, rule,
				 "'%s' keeps locks on this node "
				 "(local_lock=%s): other nodes do not see them",
				 mount->target, value);
}

static void check_resends(const struct judge *judge, const struct rule *rule)
{
	const char *text = nfs_of(judge->client)->stats;
	const struct client_mount *mount;
	struct stats stats;
	int64_t again;
	size_t i = 0;

	while (text && (mount = next_mount(judge, &i))) {
		if (stats_of(text, mount->target, &stats) < 0 ||
		    stats.operations < FEW_SENT)
			continue;
		again = stats.sent - stats.operations;
		if (again >= stats.operations / 100)
			rule_say(judge, rule,
				 "'%s' has sent %" PRId64 " of %" PRId64
				 " READs and WRITEs again since it was mounted",
				 mount->target, again, stats.operations);
	}
}

static const struct rule rules[] = {
	{ "NF01", FINDING_ERROR, RULE_BREAKS_NODE,
	  "mount it, or leave this node out of nodes= of [client] in "
	  "jobio.conf",
	  rule_check_no_mount },
	{ "NF02", FINDING_WARNING, RULE_SPARES_NODE,
	  "mount it, or correct mounts= in jobio.conf",
	  rule_check_missing_mount },
	{ "NF03", FINDING_WARNING, RULE_SPARES_NODE,
	  "correct mountstats= in jobio.conf", check_unreadable },
	{ "NF04", FINDING_WARNING, RULE_SPARES_NODE,
	  "mount it hard; a job that must not wait has a time limit",
	  check_soft },
	{ "NF05", FINDING_WARNING, RULE_SPARES_NODE,
	  "mount it with rsize=1048576,wsize=1048576, or raise the server's "
	  "limit",
	  check_small },
	{ "NF06", FINDING_WARNING, RULE_SPARES_NODE,
	  "mount it without, if its files are not shared by the second",
	  check_uncached },
	{ "NF07", FINDING_INFO, RULE_SPARES_NODE,
	  "mount it without nolock where jobs lock files on several nodes",
	  check_no_lock },
	{ "NF08", FINDING_WARNING, RULE_SPARES_NODE,
	  "look for lost packets between node and server", check_resends },
	/* told by what changes the client */
	{ "NF40", FINDING_ERROR, RULE_SPARES_NODE,
	  "see dmesg, and bdi_dir= in jobio.conf", NULL },
	{ "NF42", FINDING_ERROR, RULE_SPARES_NODE,
	  "write the old value into read_ahead_kb, or let the next job try "
	  "again",
	  NULL },
	{ "NF43", FINDING_WARNING, RULE_SPARES_NODE, "none, if intended",
	  NULL },
	{ "NF46", FINDING_INFO, RULE_OF_JOB, "ask for io-cores or --exclusive",
	  NULL },
	{ "NF49", FINDING_ERROR, RULE_SPARES_NODE,
	  "take it out of the profile in jobio.conf", NULL },
	{ 0 }
};

/* ---- read-ahead ------------------------------------------------------------ */

/* Options of a live mount are not changed: it takes few, and mount(8) says
 * nothing of most that it ignores. They are in the list to be refused. The
 * kernel keeps whole pages (mm/backing-dev.c:read_ahead_kb_store()). */
static const char *wanted(const struct client_want *want)
{
	const unsigned long page_kb = (unsigned long)getpagesize() / 1024;
	const char *options = want->mount_options;
	static char list[1024];
	unsigned long kb;

	snprintf(list, sizeof(list) - 64, "%s", options);
	if (*want->read_ahead_kb &&
	    number_parse(want->read_ahead_kb, 0, READ_AHEAD_KB_MAX, &kb,
			 NULL) == 0)
		snprintf(list + strlen(list), 64, "%sread_ahead_kb=%lu",
			 *options ? "," : "", kb - kb % page_kb);
	return list;
}

static int bdi_path(const struct client *client, const char *target,
		    char path[PATH_TEXT_MAX])
{
	const char *mountinfo = nfs_of(client)->mountinfo;
	char device[MOUNTS_DEVICE_MAX];

	if (!mountinfo || mounts_device(mountinfo, target, device) < 0)
		return -1;
	snprintf(path, PATH_TEXT_MAX, "%s/%s/read_ahead_kb",
		 client->section->bdi_dir, device);
	return 0;
}

static const char *now(const struct client *client, const char *target)
{
	struct nfs_facts *facts = nfs_of(client);
	char path[PATH_TEXT_MAX], line[16];
	unsigned long kb;

	if (bdi_path(client, target, path) < 0 ||
	    sysfs_line(path, line, sizeof(line)) < 0 ||
	    number_parse(line, 0, UINT32_MAX, &kb, NULL) < 0)
		return NULL;
	snprintf(facts->read_ahead, sizeof(facts->read_ahead),
		 "read_ahead_kb=%lu", kb);
	return facts->read_ahead;
}

/* For files that are opened from now on. */
static int set(const struct setting *setting, struct client *client,
	       const char *target, const char *list, struct err *err)
{
	const char *value = strchr(list, '=');
	char path[PATH_TEXT_MAX];
	FILE *file;
	int rc = 0;

	(void)setting;
	if (!value || bdi_path(client, target, path) < 0)
		return err_set(err, "it is not mounted any more");
	FAULT_POINT("read-ahead before");
	file = fopen(path, "we");
	if (!file || fprintf(file, "%s\n", value + 1) < 0)
		rc = -1;
	if (file && fclose(file) != 0)
		rc = -1;
	if (rc < 0)
		err_set(err, "%s: %s", path, strerror(errno));
	FAULT_POINT("read-ahead after");
	return rc;
}

static const struct setting_key keys[] = {
	{ "read_ahead_kb", false, true, 0, READ_AHEAD_KB_MAX },
	{ 0 },
};

static const struct setting read_ahead = {
	.keys = keys,
	.one = "mount option",
	.many = "settings",
	.no_key = "options of an NFS mount are not changed",
	.shown_by = "the kernel",
	.failed = "NF40",
	.not_back = "NF42",
	.not_ours = "NF43",
	.shared = "NF46",
	.refused = "NF49",
	.wanted = wanted,
	.target = mount_option_target,
	.now = now,
	.read = read_tables,
	.write = set,
};

static const struct change_kind read_ahead_kind = {
	.name = "read-ahead",
	.how = &read_ahead,
	.plan = setting_plan,
	.make = setting_make,
	.undo = setting_undo,
	.holds = setting_holds,
};

/* ---- wire ---------------------------------------------------------------- */

static int add_row(struct wire *wire, const char *mountinfo, const char *text,
		   const char *target, struct err *err)
{
	char device[MOUNTS_DEVICE_MAX];
	struct wire_row *row;
	struct stats stats;

	if (mounts_device(mountinfo, target, device) < 0 ||
	    stats_of(text, target, &stats) < 0)
		return 0;	      /* mounted or gone between the files */
	row = wire_row(wire, device); /* the same for all that share it */
	if (!row)
		return err_set(err, "more than %d superblocks", WIRE_ROWS_MAX);
	if (!*row->fs)
		snprintf(row->fs, sizeof(row->fs), "%s", target);
	row->count[WIRE_READ_BYTES] = stats.read_bytes;
	row->count[WIRE_WRITE_BYTES] = stats.write_bytes;
	row->count[WIRE_READS] = stats.reads;
	row->count[WIRE_WRITES] = stats.writes;
	return 0;
}

/* NULL and errno ENOENT: no such mount is there, or no mountstats (NF03). */
static struct wire *read_wire(const struct config_client *section,
			      struct err *err)
{
	struct client client = { .type = &nfs_type, .section = section };
	struct nfs_facts facts = { 0 };
	struct wire *wire = wire_new(err);
	size_t i = 0;
	int rc = -1;

	client.facts = &facts;
	if (!wire || mounts_reread(&client, err) < 0 ||
	    inspect(&client, err) < 0)
		goto out;
	rc = 0;
	while (facts.stats && i < client.common.mount_count && rc == 0)
		rc = add_row(wire, facts.mountinfo, facts.stats,
			     client.common.mounts[i++].target, err);
out:
	mounts_free(client.mounts);
	clear(&facts);
	if (rc == 0 && wire->count)
		return wire;
	errno = rc == 0 ? ENOENT : EIO;
	wire_free(wire);
	return NULL;
}

static const struct change_kind *const changes[] = { &read_ahead_kind, NULL };

const struct client_type_ops nfs_type = {
	.name = "nfs",
	.fstypes = "nfs nfs4",
	.facts_size = sizeof(struct nfs_facts),
	.clear = clear,
	.inspect = inspect,
	.rules = rules,
	.changes = changes,
	.wire = read_wire,
	.wire_source = "mountstats",
};
