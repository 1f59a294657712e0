/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/counters.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/child.h"
#include "base/number.h"
#include "base/text.h"
#include "client/mounts.h"
#include "client/socket.h"
#include "client/weka/facts.h"
#include "record/alloc.h"
#include "record/json.h"

#define DEPTH_MAX 16
#define WORD_MAX 64
#define UNKNOWN IO_UNKNOWN
/* json.h reads larger numbers as INT64_MAX */
#define COUNT_MAX (INT64_MAX - 1)

/* Units: "List of statistics" of WEKA's documentation, and the same words as constants. The numbers
 * are totals nevertheless: the only known client divides the latency by the reads (node_agent.go:
 * addLocalNodeStats). */
#define BYTES " bytes bytes/sec bytes_per_sec bytes_per_second "
#define OPS " ops ops/sec ops_per_sec ops_per_second iops "
#define MICROSECONDS " microseconds microsecs usecs us "
static const struct {
	const char *name, *units;
} stats[] = {
	[IO_READ_BYTES] = { "READ_BYTES", BYTES },
	[IO_WRITE_BYTES] = { "WRITE_BYTES", BYTES },
	[IO_READ_CALLS] = { "READS", OPS },
	[IO_WRITE_CALLS] = { "WRITES", OPS },
	[IO_READ_US] = { "READ_LATENCY", MICROSECONDS },
	[IO_WRITE_US] = { "WRITE_LATENCY", MICROSECONDS },
};
#define STATS ARRAY_SIZE(stats)

/* ---- the reply -------------------------------------------------------- */

/* Return a string or a number as written; NULL: neither, or missing. */
static const char *text_of(struct json *object, const char *key)
{
	struct json *value = json_member(object, key);

	if (json_is(value, JSON_WHOLE) || json_is(value, JSON_REAL))
		return json_line(value);
	return json_value_text(value);
}

/* Get the number in "NodeId<25011>", "FSId<1>" or a number. Other words stay. */
static bool id_of(struct json *object, const char *key, char id[WORD_MAX])
{
	const char *text = text_of(object, key), *open = text ? strchr(text, '<') : NULL;

	if (!text || !*text || strlen(text) >= WORD_MAX)
		return false;
	snprintf(id, WORD_MAX, "%.*s", open ? (int)strcspn(open + 1, ">") : WORD_MAX,
		 open ? open + 1 : text);
	return true;
}

/* Some quantities have no name. */
static bool is_named(size_t kind, const char *stat)
{
	return stats[kind].name && !strcmp(stats[kind].name, stat);
}

/* Return the quantity of an item; STATS: none of these. */
static size_t kind_of(struct json *item)
{
	const char *category = json_text(item, "category"), *stat = json_text(item, "stat");
	size_t kind = STATS;

	if (category && stat && !strcmp(category, "fs_stats"))
		for (kind = 0; kind < STATS && !is_named(kind, stat);)
			kind++;
	return kind;
}

/* Parse "123", "123.0", "1.5e+09"; a long double has the bits of an int64_t. Return -1 if it is not
 * a number, too large, or has a fraction and not [is_cut]. */
static int read_decimal(const char *text, bool is_cut, int64_t *count)
{
	long double value;
	char *end;

	if (!isdigit((unsigned char)*text) || text[strspn(text, "0123456789.eE+-")])
		return -1;
	value = strtold(text, &end);
	if (*end || value > COUNT_MAX || (!is_cut && value != (long double)(int64_t)value))
		return -1;
	*count = (int64_t)value;
	return 0;
}

static int read_count(struct json *item, size_t kind, int64_t *count, struct err *err)
{
	const char *unit = json_member(item, "unit") ? text_of(item, "unit") : "";
	const char *value = text_of(item, "value");
	char word[WORD_MAX];

	snprintf(word, sizeof(word), " %s ", unit ? unit : "?");
	if (!unit || (*unit && !strcasestr(stats[kind].units, word)))
		return err_set(err, "%s: unknown unit:%.40s", stats[kind].name, word);
	if (!value || read_decimal(value, kind >= IO_READ_US, count) < 0)
		return err_set(err, "%s: '%.40s': not a whole number from 0 to %" PRId64,
			       stats[kind].name, value ? value : "", COUNT_MAX);
	return 0;
}

/* Return the key of a source besides its filesystem: "feIdx", "disk" (node_agent.go: WekaStat), or
 * others; NULL: it is the total. */
static const char *part_of(struct json *params)
{
	const struct json *one;
	const char *text;

	for (one = json_first(params); one; one = one->next) {
		text = json_value_text(one);
		if (strcmp(one->key, "fS") != 0 && !json_is(one, JSON_NULL) && (!text || *text))
			return one->key;
	}
	return NULL;
}

/* Whether a process also has the sum of its filesystems is not public: sources of both kinds are
 * refused. */
struct reading {
	struct client_counters *counters;
	const char *socket;
	bool has_fs, has_sum;
};

/* Return the source of an item; NULL: reason in *err. */
static struct source_counters *source_of(struct reading *r, struct json *item, struct err *err)
{
	struct json *params = json_map(item, "params");
	char id[CLIENT_SOURCE_ID_MAX], process[WORD_MAX], fs[WORD_MAX] = "-";
	bool has_fs = json_member(params, "fS") != NULL;
	struct source_counters *source;

	if (!id_of(item, "nodeId", process))
		return err_set(err, "a counter of no process"), NULL;
	if ((has_fs && !id_of(params, "fS", fs)) || (json_member(item, "params") && !params))
		return err_set(err, "a counter of no filesystem"), NULL;
	r->has_fs |= has_fs;
	r->has_sum |= !has_fs;
	if (r->has_fs && r->has_sum)
		return err_set(err, "some counters name a filesystem, others do not"), NULL;
	snprintf(id, sizeof(id), "%s %s %s", r->socket, process, fs);
	source = client_counters_source(r->counters, id);
	if (!source)
		err_set(err, "more than %d counters", CLIENT_SOURCES_MAX);
	return source;
}

/* Read the totals first, then their parts, which are not added up: whether they are disjoint, or
 * complete, is not public. */
static int read_item(struct reading *r, struct json *item, bool parts, struct err *err)
{
	const char *part = part_of(json_map(item, "params"));
	size_t kind = kind_of(item);
	struct source_counters *source;
	int64_t count = 0;

	if (!json_is(item, JSON_OBJECT))
		return err_set(err, "a row is not an object");
	if (kind == STATS || parts != (part != NULL))
		return 0;
	source = source_of(r, item, err);
	if (!source)
		return -1;
	if (part && source->numbers[kind] == UNKNOWN && kind < IO_READ_US)
		return err_set(err, "%s by %.40s, and no total", stats[kind].name, part);
	if (part)
		return 0;
	if (source->numbers[kind] != UNKNOWN)
		return err_set(err, "%s comes twice", stats[kind].name);
	if (read_count(item, kind, &count, err) < 0)
		return kind < IO_READ_US ? -1 : 0; /* only the times are unknown */
	source->numbers[kind] = count;
	return 0;
}

static int read_items(struct reading *r, struct json *top, struct err *err)
{
	struct json *result = json_list(top, "result"), *item;
	size_t before = r->counters->count;
	int parts;

	if (!result || json_member(top, "error"))
		return err_set(err, "the answer has no result");
	for (parts = 0; parts < 2; parts++)
		for (item = json_first(result); item; item = item->next)
			if (read_item(r, item, parts, err) < 0)
				return -1;
	return r->counters->count > before ? 0 : err_set(err, "the answer has no counters");
}

/* ---- HTTP -------------------------------------------------------------- */

struct head {
	size_t size_bytes;  /* including the empty line */
	int64_t body_bytes; /* without chunk headers; UNKNOWN: to the end of the stream */
	bool is_ok, is_chunked;
	int is_whole; /* as weka_counters_is_whole() */
};

/* Join the chunks (RFC 9112, 7.1) in 'body', which may be NULL. Return 1, 0 if some are missing
 * yet, -1 on an error. */
static int read_chunks(const char *text, const char *end, char *body, int64_t *body_bytes)
{
	const char *data;
	unsigned long chunk;

	for (*body_bytes = 0;; text = data + chunk + 2) {
		data = memmem(text, (size_t)(end - text), "\r\n", 2);
		if (!data)
			return 0;
		data += 2;
		/* only its digits are parsed */
		chunk = isxdigit((unsigned char)*text) ? strtoul(text, NULL, 16) : ULONG_MAX;
		if (chunk > WEKA_COUNTERS_BYTES_MAX)
			return -1;
		if (!chunk)
			return 1;
		if ((size_t)(end - data) < chunk + 2)
			return 0;
		if (memcmp(data + chunk, "\r\n", 2) != 0)
			return -1;
		if (body)
			memcpy(body + *body_bytes, data, chunk);
		*body_bytes += (int64_t)chunk;
	}
}

/* Return the value of a header field, "\r\nNAME:"; NULL: none. */
static const char *field_in(const char *lines, const char *name)
{
	const char *value = strcasestr(lines, name);

	return value ? value + strlen(name) + strspn(value + strlen(name), " \t") : NULL;
}

/* Return 1, 0 if it is incomplete, -1 if it cannot be read. */
static int read_head(const char *text, size_t size_bytes, struct head *head)
{
	const char *end = memmem(text, size_bytes, "\r\n\r\n", 4), *coding, *length;
	char lines[8192], word[24];
	unsigned long number;

	if (!end)
		return 0;
	TEXT_SET_PART(lines, text, end + 2 - text);
	*head = (struct head){ .size_bytes = (size_t)(end + 4 - text), .body_bytes = UNKNOWN };
	head->is_ok = !strncmp(lines, "HTTP/1.", 7) && !strncmp(lines + 8, " 200", 4);
	coding = field_in(lines, "\r\nTransfer-Encoding:");
	head->is_chunked = coding && !strncasecmp(coding, "chunked\r\n", 9);
	if (head->is_chunked)
		head->is_whole = read_chunks(end + 4, text + size_bytes, NULL, &head->body_bytes);
	length = field_in(lines, "\r\nContent-Length:");
	if (coding || !length)
		return !coding || head->is_chunked ? 1 : -1;
	TEXT_SET_PART(word, length, strcspn(length, "\r"));
	if (number_parse(word, 0, WEKA_COUNTERS_BYTES_MAX, &number, NULL) < 0)
		return -1;
	head->body_bytes = (int64_t)number;
	head->is_whole = size_bytes - head->size_bytes >= number;
	return 1;
}

int weka_counters_is_whole(const char *text, size_t size_bytes)
{
	struct head head;
	int rc = read_head(text, size_bytes, &head);

	return rc > 0 ? head.is_whole : rc;
}

/* Return the JSON of a reply; NULL: none. */
static struct json *read_answer(const char *text, size_t size_bytes, struct err *err)
{
	const char *end = text + size_bytes;
	struct json *top;
	struct head head;
	char *joined = NULL;

	if (read_head(text, size_bytes, &head) <= 0)
		return err_set(err, "not an answer of HTTP"), NULL;
	if (!head.is_ok)
		return err_set(err, "refused: %.12s", text), NULL;
	if (head.body_bytes != UNKNOWN && head.is_whole <= 0)
		return err_set(err, "the answer is cut off"), NULL;
	text += head.size_bytes;
	if (head.body_bytes == UNKNOWN)
		head.body_bytes = end - text;
	if (head.is_chunked) {
		joined = xcalloc((size_t)head.body_bytes + 1, 1);
		read_chunks(text, end, joined, &head.body_bytes);
	}
	top = json_read(joined ? joined : text, (size_t)head.body_bytes, DEPTH_MAX, NULL);
	free(joined);
	if (!top)
		err_set(err, "the answer is not JSON");
	return top;
}

int weka_counters_add(struct client_counters *counters, const char *socket, const char *text,
		      size_t size_bytes, struct err *err)
{
	struct json *top = read_answer(text, size_bytes, err);
	struct reading r = { .counters = counters, .socket = socket };
	size_t known = counters->count;
	int rc = top ? read_items(&r, top, err) : -1;

	json_free(top);
	if (rc == 0)
		return 0;
	counters->count = known;
	return err_prefix(err, "'%s'", socket);
}

/* ---- names --------------------------------------------------------------- */

/* Return true for a mount of the filesystem, "be0,be1/NAME" or "NAME", by the container of the
 * socket. 'socket' NULL: it is the only one. */
static bool is_mount_of(const struct client_mount *mount, const char *name, const char *socket)
{
	size_t length = strlen(name), all = strlen(mount->source);
	char container[WORD_MAX] = "", folder[WORD_MAX + 2];

	if (all < length || strcmp(mount->source + all - length, name) != 0 ||
	    (all > length && mount->source[all - length - 1] != '/'))
		return false;
	options_get(mount->options, "container_name", container, sizeof(container));
	snprintf(folder, sizeof(folder), "/%s/", container);
	return !socket || !*container || strstr(socket, folder);
}

/* Set the source's filesystem to its first mount, or else its name. */
static void name_source(struct source_counters *source, struct json *list,
			const struct mounts *mounts, const char *socket)
{
	const char *fs = strrchr(source->id, ' ') + 1, *name;
	struct json *item;
	char id[WORD_MAX];
	size_t k;

	for (item = json_first(list); item; item = item->next) {
		name = json_text(item, "name");
		if (!name || !id_of(item, "filesystem_id", id) || strcmp(id, fs) != 0)
			continue;
		for (k = 0; k < mounts->count && !is_mount_of(&mounts->mount[k], name, socket);)
			k++;
		TEXT_SET(source->fs, k < mounts->count ? mounts->mount[k].target : name);
		return;
	}
}

/* Return the number of processes of a role in the container; -1: unknown. */
static int64_t role_count(struct json *summary, const char *role)
{
	return json_number(json_map(json_map(summary, "processes_summary"), role), "total");
}

/* ---- the socket -------------------------------------------------------- */

#define BODY "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{}}"
#define REQUEST                                                                                    \
	"POST /api/v1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n"

struct session {
	struct client_counters *counters;
	const struct mounts *mounts;
	bool is_alone; /* the only socket */
	char *text;    /* of WEKA_COUNTERS_BYTES_MAX */
	size_t size_bytes;
	unsigned long long end_ms;
};

/* Send a request in HTTP/1.1, as its only known client does. Return 1, 0 if nothing listens, -1 on
 * an error. */
static int query(struct session *a, const char *path, const char *method, struct err *err)
{
	char body[128], text[512];
	struct socket_question question = { .path = path,
					    .text = text,
					    .answer_max = WEKA_COUNTERS_BYTES_MAX,
					    .is_whole = weka_counters_is_whole,
					    .end_ms = a->end_ms };

	snprintf(body, sizeof(body), BODY, method);
	question.size_bytes =
		(size_t)snprintf(text, sizeof(text), REQUEST "%s", strlen(body), body);
	a->size_bytes = 0;
	if (socket_query(&question, a->text, &a->size_bytes, NULL, err) < 0)
		return errno == ENOENT ? 0 : -1;
	return 1;
}

/* Names and roles are in get_local_config_summary (node_agent.go: LocalConfigStateResponse);
 * without that method the sources have no names. A container with servers is skipped: their
 * processes also work for other nodes. */
static int query_container(struct session *a, const char *path, struct err *err)
{
	int rc = query(a, path, "get_local_config_summary", err);
	struct json *top, *summary;
	size_t i = a->counters->count;

	if (rc <= 0)
		return rc;
	top = read_answer(a->text, a->size_bytes, NULL);
	summary = json_map(top, "result");
	rc = role_count(summary, "compute") > 0 || role_count(summary, "drive") > 0
		     ? 0
		     : query(a, path, "fetch_local_stats", err);
	if (rc > 0 && weka_counters_add(a->counters, path, a->text, a->size_bytes, err) < 0)
		rc = -1;
	for (; i < a->counters->count; i++)
		name_source(&a->counters->sources[i], json_list(summary, "filesystems_summary"),
			    a->mounts, a->is_alone ? NULL : path);
	json_free(top);
	return rc;
}

static int find_sockets(const struct config_client *section, glob_t *found)
{
	const char *at = section->stats_socket;
	const char *star = *section->container ? strchr(at, '*') : NULL;
	int length = star ? (int)(star - at) : (int)strlen(at), rc;
	char *pattern = xasprintf("%.*s%s%s", length, at, star ? section->container : "",
				  star ? star + 1 : "");

	rc = glob(pattern, 0, NULL, found);
	free(pattern);
	return rc;
}

struct client_counters *weka_counters_read(const struct client *client, struct err *err)
{
	const struct config_client *section = client->section;
	unsigned int timeout_ms = section->timeout_ms;
	struct mounts *mounts = mounts_read(section->mount_table, WEKA_FSTYPE, err);
	struct session session = { .counters = client_counters_new(), .mounts = mounts };
	int rc = mounts ? 0 : -1, one;
	glob_t found = { 0 };
	size_t i;

	if (timeout_ms > WEKA_COUNTERS_MS_MAX)
		timeout_ms = WEKA_COUNTERS_MS_MAX;
	session.end_ms = child_now_ms() + timeout_ms;
	session.text = xcalloc(WEKA_COUNTERS_BYTES_MAX, 1);
	session.is_alone = find_sockets(section, &found) == 0 && found.gl_pathc == 1;
	for (i = 0; rc >= 0 && i < found.gl_pathc; i++) {
		one = query_container(&session, found.gl_pathv[i], err);
		rc = one < 0 ? -1 : rc + one;
	}
	globfree(&found);
	free(session.text);
	mounts_free(mounts);
	if (rc > 0)
		return session.counters;
	if (rc == 0)
		err_set(err, "'%s': no process listens", section->stats_socket);
	client_counters_free(session.counters);
	errno = rc == 0 ? ENOENT : EIO;
	return NULL;
}
