/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/child.h"
#include "base/text.h"

#define LINE_TEXT_MAX 512
#define SAMPLES_BETWEEN 1024
#define WORDS_MAX 16 /* name count samples [unit] min max sum sumsq, and later columns */

/* ---- one file of statistics ------------------------------------------------ */

/* Parse a number as the kernel prints it: digits, with a sign if a clock went back. */
static int parse_signed(const char *text, int64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoll(text, &end, 10);
	return !*text || *end || *text == '+' || errno ? -1 : 0;
}

/* Parse digits. A full counter stays at INT64_MAX. */
static int parse_count(const char *text, int64_t *number)
{
	return parse_signed(text, number) < 0 || *text == '-' ? -1 : 0;
}

/* Return true if it has the form of a number. Sums of squares, which overflow, and columns after
 * them are not parsed. */
static bool is_number(const char *text)
{
	text += *text == '-';
	return *text && !text[strspn(text, "0123456789")];
}

struct sample {
	const char *name, *unit;
	bool summed;
	int64_t count, sum, least, most;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Split a line. strtok_r(3) would take longer than the rest of the work on a line. */
static int split_words(char *line, char *word[WORDS_MAX + 1])
{
	char *at = line;
	int n = 0;

	for (; n <= WORDS_MAX; n++) {
		while (is_blank(*at))
			at++;
		if (!*at)
			break;
		word[n] = at;
		while (*at && !is_blank(*at))
			at++;
		if (*at)
			*at++ = '\0';
	}
	return n;
}

/* Parse "read_bytes 64 samples [bytes] 4096 1048576 67108864 70368744177664". A name may have
 * blanks ("failed to reach end"), but none in the table has. */
static int parse_sample(char *line, struct sample *sample)
{
	char *word[WORDS_MAX + 1];
	int n = split_words(line, word);

	memset(sample, 0, sizeof(*sample));
	if (n < 4 || n > WORDS_MAX || strcmp(word[2], "samples") != 0 || *word[3] != '[' ||
	    word[3][strlen(word[3]) - 1] != ']' || parse_count(word[1], &sample->count) < 0)
		return -1;
	sample->name = word[0];
	sample->unit = word[3];
	if (n == 4)
		return 0;
	if (n < 7 || parse_signed(word[4], &sample->least) < 0 ||
	    parse_signed(word[5], &sample->most) < 0 || parse_signed(word[6], &sample->sum) < 0)
		return -1;
	while (n > 7)
		if (!is_number(word[--n]))
			return -1;
	sample->summed = true;
	return 0;
}

/* Counters in a line, for some kinds of devices: its samples and their sum. Creation of files and
 * the like are requests of an mdc, also for data on an MDT; pings to check the server are not
 * counted. */
#define NOTHING CLIENT_IO_NUMBERS
static const struct counted {
	unsigned int kinds; /* bit mask of devices */
	const char *name;
	enum io_number samples, sum;
	int sign;
} counted[] = {
	{ 1 << TREE_LLITE, "read_bytes", NOTHING, IO_ASKED_READ_BYTES, 1 },
	{ 1 << TREE_LLITE, "write_bytes", NOTHING, IO_ASKED_WRITE_BYTES, 1 },
	{ 1 << TREE_OSC | 1 << TREE_MDC, "read_bytes", IO_READ_CALLS, IO_READ_BYTES, 1 },
	{ 1 << TREE_OSC | 1 << TREE_MDC, "write_bytes", IO_WRITE_CALLS, IO_WRITE_BYTES, 1 },
	{ 1 << TREE_OSC | 1 << TREE_MDC, "ost_read", NOTHING, IO_READ_US, 1 },
	{ 1 << TREE_OSC | 1 << TREE_MDC, "ost_write", NOTHING, IO_WRITE_US, 1 },
	{ 1 << TREE_MDC, "req_waittime", IO_META_CALLS, IO_META_US, 1 },
	{ 1 << TREE_MDC, "obd_ping", IO_META_CALLS, IO_META_US, -1 },
	{ 1 << TREE_MDC, "ost_read", IO_META_CALLS, IO_META_US, -1 },
	{ 1 << TREE_MDC, "ost_write", IO_META_CALLS, IO_META_US, -1 },
};

static bool is_bytes(enum io_number kind)
{
	return kind == IO_READ_BYTES || kind == IO_WRITE_BYTES || kind == IO_ASKED_READ_BYTES ||
	       kind == IO_ASKED_WRITE_BYTES;
}

/* Check the unit: "[usec]", later "[usecs]". */
static bool is_unit(const struct sample *sample, enum io_number kind)
{
	if (is_bytes(kind))
		return !strcmp(sample->unit, "[bytes]");
	return !strcmp(sample->unit, "[usec]") || !strcmp(sample->unit, "[usecs]");
}

/* Return true if the counter is full, or a clock was set during a sample. */
static bool is_lost(const struct sample *sample)
{
	return sample->sum == INT64_MAX || sample->least < 0;
}

/* Return true if these samples can have this sum: one that lost digits cannot. The kernel may count
 * further samples between two of the numbers. */
static bool is_sum(const struct sample *sample)
{
	const __int128 more = (__int128)sample->count + SAMPLES_BETWEEN;
	const __int128 less = (__int128)sample->count - SAMPLES_BETWEEN;

	return is_lost(sample) || (sample->sum >= 0 && more * sample->most >= sample->sum &&
				   less * sample->least <= sample->sum);
}

/* Sums over the lines of a file; lost: unknown. */
struct sums {
	int64_t sum[CLIENT_IO_NUMBERS];
	bool is_unknown[CLIENT_IO_NUMBERS];
	unsigned int seen; /* lines, as bits of the rows of the table */
	/* for is_cut(): all requests, those of the lines of the table, and whether lines follow
	 * them */
	int64_t requests, listed;
	bool has_bytes, is_behind_data, is_behind_ping;
};

static void add_sum(struct sums *sums, enum io_number kind, int64_t number)
{
	if (__builtin_add_overflow(sums->sum[kind], number, &sums->sum[kind]))
		sums->is_unknown[kind] = true;
}

static bool begins_with(const char *name, const char *const words[])
{
	while (*words && strncmp(name, *words, strlen(*words)) != 0)
		words++;
	return *words;
}

/* A counter without samples has no line and no line marks the end, but the order is fixed:
 * [bytes], ost_getattr to ost_write, the other requests (at least a connect), obd_ping and what
 * follows (ptlrpc/lproc_ptlrpc.c: ll_eopcode_table, ll_rpc_opcode_table). In llite, times of
 * read(2), write(2) and open(2) follow [bytes] (llite/lproc_llite.c: llite_opcode_table). */
static void set_seen(const struct sample *sample, enum tree_kind kind, struct sums *sums)
{
	static const char *const data[] = { "ldlm_glimpse_e",
					    "ldlm_plain_e",
					    "ldlm_extent_e",
					    "ldlm_flock_e",
					    "ldlm_ibits_e",
					    "mds_reint_",
					    "ost_getattr",
					    "ost_setattr",
					    "ost_read",
					    "ost_write",
					    NULL };
	static const char *const last[] = {
		"obd_", "llog_", "quota_", "seq_", "sec_", "fld_", NULL
	};

	if (!strcmp(sample->unit, "[bytes]")) {
		sums->has_bytes = true;
	} else if (!strncmp(sample->name, "req", 3)) {
		if (!strcmp(sample->name, "req_waittime"))
			sums->requests = sample->count;
	} else {
		if (__builtin_add_overflow(sums->listed, sample->count, &sums->listed))
			sums->listed = INT64_MAX;
		sums->is_behind_data |= kind == TREE_LLITE || !begins_with(sample->name, data);
		sums->is_behind_ping |= begins_with(sample->name, last);
	}
}

/* Return true if the text may be truncated before the line of this number. Statistics that were
 * cleared have neither lines nor requests. */
static bool is_cut(const struct sums *sums, enum tree_kind kind, int number)
{
	if (kind == TREE_LLITE)
		return sums->has_bytes && !sums->is_behind_data;
	if (sums->listed >= sums->requests)
		return false;
	if (number == IO_META_CALLS || number == IO_META_US)
		return kind == TREE_MDC && !sums->is_behind_ping;
	return !sums->is_behind_data;
}

/* Add a line. Return -1 if a line of this name has no such number, or was there before. */
static int add_sample(const struct sample *sample, enum tree_kind kind, struct sums *sums)
{
	const struct counted *row = counted;
	const struct counted *end = row + ARRAY_SIZE(counted);

	set_seen(sample, kind, sums);
	for (; row < end; row++) {
		if (!(row->kinds & 1U << kind) || strcmp(sample->name, row->name) != 0)
			continue;
		if (!sample->summed || !is_sum(sample) || !is_unit(sample, row->sum) ||
		    (is_bytes(row->sum) && sample->least < 0) || sums->seen & 1U << (row - counted))
			return -1;
		sums->seen |= 1U << (row - counted);
		if (row->samples != NOTHING)
			add_sum(sums, row->samples, row->sign * sample->count);
		if (is_lost(sample))
			sums->is_unknown[row->sum] = true;
		else
			add_sum(sums, row->sum, row->sign * sample->sum);
	}
	return 0;
}

/* Parse snapshot_time, start_time, elapsed_time: "1771990000.900000001 secs.nsecs". Some releases
 * never set the start, which is 0 for all statistics then. */
static bool is_header(const char *line, struct lustre_stats *stats)
{
	size_t length = strcspn(line, " \t:");
	const char *value = line + length + strspn(line + length, " \t:");

	if (strncmp(line, "snapshot_time", length) != 0 &&
	    strncmp(line, "start_time", length) != 0 && strncmp(line, "elapsed_time", length) != 0)
		return false;
	if (length == strlen("start_time") && strpbrk(value, "123456789"))
		TEXT_SET_PART(stats->epoch, value, strspn(value, "0123456789."));
	return length > 0;
}

/* Return true if lines of a device have it; other numbers are of other types of client, and
 * unknown. */
static bool is_counted(int kind)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counted); i++)
		if ((int)counted[i].samples == kind || (int)counted[i].sum == kind)
			return true;
	return false;
}

/* Set the numbers. A negative rest is unknown: the line with the total is missing. Requests of data
 * take time. */
static void finish(const struct sums *sums, enum tree_kind device, struct lustre_stats *stats)
{
	int64_t *count = stats->count;
	int kind;

	for (kind = 0; kind < CLIENT_IO_NUMBERS; kind++)
		count[kind] = !is_counted(kind) || sums->is_unknown[kind] || sums->sum[kind] < 0 ||
					      is_cut(sums, device, kind)
				      ? IO_UNKNOWN
				      : sums->sum[kind];
	if (count[IO_META_CALLS] == IO_UNKNOWN)
		count[IO_META_US] = IO_UNKNOWN;
	if (count[IO_READ_CALLS] && !count[IO_READ_US])
		count[IO_READ_US] = IO_UNKNOWN;
	if (count[IO_WRITE_CALLS] && !count[IO_WRITE_US])
		count[IO_WRITE_US] = IO_UNKNOWN;
}

int lustre_stats_parse(const char *text, enum tree_kind kind, struct lustre_stats *stats)
{
	char line[LINE_TEXT_MAX], *first;
	struct sums sums = { .seen = 0 };
	struct sample sample;
	bool is_empty = true;

	memset(stats, 0, sizeof(*stats));
	if (!text_is_lines(text, sizeof(line)))
		return -1;
	while (text_next_line(&text, line, sizeof(line))) {
		first = line + strspn(line, " \t");
		if (!*first)
			continue;
		is_empty = false;
		if (is_header(first, stats))
			continue;
		if (parse_sample(first, &sample) < 0 || add_sample(&sample, kind, &sums) < 0)
			return -1;
	}
	finish(&sums, kind, stats);
	return is_empty ? -1 : 0;
}

/* ---- rows ------------------------------------------------------------------ */

/* Statistics are per filesystem: only a request to the mount would show which instance it is. */
const char *lustre_stats_mount(const struct client *client, const struct tree_device *device)
{
	const struct client_facts *facts = &client->common;
	char name[TREE_NAME_MAX];
	const char *at;
	size_t i, length;

	tree_filesystem(device->instance, name);
	length = strlen(name);
	for (i = 0; i < facts->mount_count; i++) {
		at = strstr(facts->mounts[i].source, ":/");
		if (at && !strncmp(at + 2, name, length) &&
		    (!at[2 + length] || at[2 + length] == '/'))
			return facts->mounts[i].target;
	}
	return "";
}

/* "llite.work-ffff9a2c41d08000@1771990000.9" */
void lustre_stats_id(const struct client *client, const struct tree_device *device,
		     const struct lustre_stats *stats, char id[CLIENT_SOURCE_ID_MAX])
{
	char inode[40];

	if (!*stats->epoch)
		snprintf(inode, sizeof(inode), "%lu",
			 tree_inode(client->section, device->instance));
	snprintf(id, CLIENT_SOURCE_ID_MAX, "%s.%s@%s", tree_folder(device->kind), device->name,
		 *stats->epoch ? stats->epoch : inode);
}

long lustre_stats_tracked(const struct config_client *section, const struct tree_device *device)
{
	static const char *const names[] = { "stats_track_pid", "stats_track_ppid",
					     "stats_track_gid" };
	long id, most = -1;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		id = tree_number(section, "llite", device->name, names[i]);
		most = id > most ? id : most;
	}
	return most;
}

/* Return true if only one process, parent or group is counted. */
static bool is_tracking(const struct config_client *section, const struct tree_device *device)
{
	if (device->kind != TREE_LLITE)
		return false;
	return (device->tracked == TREE_UNREAD ? lustre_stats_tracked(section, device)
					       : device->tracked) > 0;
}

/* Print "row ID N N .. FS" for a device, with its statistics or all unknown. */
static void print_source(const struct client *client, const struct tree_device *device,
			 const char *text)
{
	struct lustre_stats stats;
	char id[CLIENT_SOURCE_ID_MAX];
	int kind;

	if (text && lustre_stats_parse(text, device->kind, &stats) < 0) {
		printf("damaged %s.%s\n", tree_folder(device->kind), device->name);
		return;
	}
	if (is_tracking(client->section, device))
		stats.count[IO_ASKED_READ_BYTES] = stats.count[IO_ASKED_WRITE_BYTES] = IO_UNKNOWN;
	snprintf(id, sizeof(id), "%s.%s@", tree_folder(device->kind), device->name);
	if (text)
		lustre_stats_id(client, device, &stats, id);
	printf("row %s", id);
	for (kind = 0; kind < CLIENT_IO_NUMBERS; kind++)
		printf(" %" PRId64, text ? stats.count[kind] : IO_UNKNOWN);
	printf(" %s\n", lustre_stats_mount(client, device));
}

int64_t lustre_eviction_parse(const char *state)
{
	long long second, last = 0;
	char line[128];

	while (text_next_line(&state, line, sizeof(line)))
		if (strstr(line, ", EVICTED ]") && sscanf(line, " - [ %lld,", &second) == 1 &&
		    second > 0)
			last = second;
	return last;
}

static void print_eviction(const struct config_client *section, const struct tree_device *device)
{
	char text[4096], target[16], name[TREE_NAME_MAX];
	int64_t at_s;

	if (device->kind == TREE_LLITE || tree_text(section, tree_folder(device->kind),
						    device->name, "state", text, sizeof(text)) < 0)
		return;
	at_s = lustre_eviction_parse(text);
	if (at_s)
		printf("evicted %" PRId64 " %s of '%s'\n", at_s, tree_target(device, target),
		       tree_filesystem(device->instance, name));
}

/* Return true if the file exists but may not be read. */
static bool is_denied(int error)
{
	return error == EPERM || error == EACCES;
}

static void print_device(const struct client *client, const struct tree_device *device,
			 bool evictions, unsigned long long enough_ms)
{
	const struct config_client *section = client->section;
	static char text[TREE_TEXT_MAX];

	if (device->kind == TREE_OSC && child_now_ms() >= enough_ms)
		print_source(client, device, NULL);
	else if (tree_text(section, tree_folder(device->kind), device->name, "stats", text,
			   sizeof(text)) == 0) {
		print_source(client, device, text);
		if (evictions)
			print_eviction(section, device);
	} else if (is_denied(errno))
		printf("denied %s\n", device->name);
	else
		printf("missing %s.%s: %s\n", tree_folder(device->kind), device->name,
		       strerror(errno));
}

void lustre_stats_print(const struct client *client, const struct tree *tree, bool evictions,
			unsigned long long enough_ms)
{
	size_t i;

	for (i = 0; i < tree->count; i++)
		print_device(client, &tree->device[i], evictions, enough_ms);
}
