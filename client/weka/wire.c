/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/wire.h"

#include <errno.h>
#include <glob.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "client/socket.h"
#include "lib/alloc.h"
#include "lib/child.h"
#include "lib/json.h"
#include "lib/number.h"

#define DEPTH_MAX 16
#define SOCKETS_MAX 8
#define WORD_MAX 64
#define UNKNOWN WIRE_UNKNOWN

static const char *const stat_names[WIRE_KINDS] = { "READ_BYTES", "WRITE_BYTES", "READS",
						    "WRITES" };

/* ---- the answer -------------------------------------------------------- */

/* A word of the answer; NULL: not there, or no such word. A process is
 * "NodeId<25011>", in later releases perhaps a plain number. */
static const char *word_of(struct json_object *object, const char *key)
{
	struct json_object *value = json_member(object, key);
	const char *text = json_value_text(value);

	if (json_object_is_type(value, json_type_int))
		text = json_object_get_string(value);
	return text && *text && strlen(text) < WORD_MAX ? text : NULL;
}

/* WIRE_KINDS: not one of ours. */
static int kind_of(struct json_object *item)
{
	const char *category = word_of(item, "category");
	const char *stat = word_of(item, "stat");
	int kind;

	if (!category || !stat || strcmp(category, "fs_stats") != 0)
		return WIRE_KINDS;
	for (kind = 0; kind < WIRE_KINDS; kind++)
		if (stat_names[kind] && !strcmp(stat, stat_names[kind]))
			break;
	return kind;
}

static int read_count(struct json_object *item, int64_t *count, struct err *err)
{
	const char *value = json_text(item, "value");
	unsigned long number;

	if (!value)
		return err_set(err, "a counter has no value");
	if (number_parse(value, 0, INT64_MAX, &number, err) < 0)
		return err_prefix(err, "a counter");
	*count = (int64_t)number;
	return 0;
}

/* Nothing public says whether a process also tells the sum of its filesystems;
 * with rows of both kinds nobody knows which of them to add. */
struct reading {
	struct wire *wire;
	const char *socket;
	bool has_fs, has_sum;
};

static int read_item(struct reading *r, struct json_object *item, struct err *err)
{
	const char *process, *fs;
	char id[WIRE_ID_MAX];
	struct wire_row *row;
	int64_t count = 0;
	int kind;

	if (!json_object_is_type(item, json_type_object))
		return err_set(err, "a row is not an object");
	kind = kind_of(item);
	if (kind == WIRE_KINDS)
		return 0;
	process = word_of(item, "nodeId");
	if (!process)
		return err_set(err, "a counter of no process");
	if (read_count(item, &count, err) < 0)
		return -1;
	fs = word_of(json_map(item, "params"), "fS");
	r->has_fs |= fs != NULL;
	r->has_sum |= fs == NULL;
	if (r->has_fs && r->has_sum)
		return err_set(err, "some counters name a filesystem, others do not");
	if (snprintf(id, sizeof(id), "%s %s %s", r->socket, process, fs ? fs : "-") >=
	    (int)sizeof(id))
		return err_set(err, "path too long");
	row = wire_row(r->wire, id);
	if (!row)
		return err_set(err, "more than %d counters", WIRE_ROWS_MAX);
	return wire_row_add(row, (enum wire_kind)kind, count) < 0
		       ? err_set(err, "a counter is too large")
		       : 0;
}

static int read_items(struct reading *r, struct json_object *top, struct err *err)
{
	size_t i, before = r->wire->count;
	struct json_object *result = json_list(top, "result");

	if (!result)
		return err_set(err, "the answer has no result");
	for (i = 0; i < json_object_array_length(result); i++)
		if (read_item(r, json_object_array_get_idx(result, i), err) < 0)
			return -1;
	return r->wire->count > before ? 0 : err_set(err, "the answer has no counters");
}

/* ---- HTTP -------------------------------------------------------------- */

struct head {
	size_t size_bytes;  /* with the empty line */
	int64_t body_bytes; /* UNKNOWN: until the end of the stream */
	bool is_ok;
};

static bool is_field(const char *line, size_t size, const char *name)
{
	return size > strlen(name) && line[strlen(name)] == ':' &&
	       !strncasecmp(line, name, strlen(name));
}

static int64_t field_number(const char *line, size_t size)
{
	const char *colon = memchr(line, ':', size), *end = line + size;
	unsigned long number;
	char text[24];

	for (colon++; colon < end && (*colon == ' ' || *colon == '\t');)
		colon++;
	snprintf(text, sizeof(text), "%.*s", (int)(end - colon), colon);
	if (number_parse(text, 0, WEKA_WIRE_BYTES_MAX, &number, NULL) < 0)
		return -1;
	return (int64_t)number;
}

/* 1, 0: not all of it is there yet, -1: nothing that we can read. */
static int read_head(const char *text, size_t size_bytes, struct head *head)
{
	const char *end = memmem(text, size_bytes, "\r\n\r\n", 4);
	const char *line, *next;
	size_t size;

	if (!end)
		return 0;
	head->size_bytes = (size_t)(end + 4 - text);
	head->body_bytes = UNKNOWN;
	head->is_ok = head->size_bytes > 12 && !memcmp(text, "HTTP/1.", 7) &&
		      !memcmp(text + 8, " 200", 4);
	for (line = text; line < end; line = next) {
		next = memmem(line, (size_t)(end + 2 - line), "\r\n", 2);
		size = (size_t)(next - line);
		next += 2;
		if (is_field(line, size, "Transfer-Encoding"))
			return -1;
		if (!is_field(line, size, "Content-Length"))
			continue;
		head->body_bytes = field_number(line, size);
		if (head->body_bytes < 0)
			return -1;
	}
	return 1;
}

int weka_wire_is_whole(const char *text, size_t size_bytes)
{
	struct head head;
	int rc = read_head(text, size_bytes, &head);

	if (rc <= 0)
		return rc;
	return head.body_bytes != UNKNOWN &&
	       size_bytes - head.size_bytes >= (size_t)head.body_bytes;
}

int weka_wire_add(struct wire *wire, const char *socket, const char *text, size_t size_bytes,
		  struct err *err)
{
	struct reading r = { .wire = wire, .socket = socket };
	size_t known = wire->count, body_bytes;
	struct json_object *top;
	struct head head;
	int rc;

	if (read_head(text, size_bytes, &head) <= 0)
		return err_set(err, "'%s': not an answer of HTTP/1.0", socket);
	if (!head.is_ok)
		return err_set(err, "'%s': refused: %.12s", socket, text);
	body_bytes = size_bytes - head.size_bytes;
	if (head.body_bytes != UNKNOWN && body_bytes < (size_t)head.body_bytes)
		return err_set(err, "'%s': the answer is cut off", socket);
	if (head.body_bytes != UNKNOWN)
		body_bytes = (size_t)head.body_bytes;
	top = json_parse_bounded(text + head.size_bytes, body_bytes, WEKA_WIRE_BYTES_MAX,
				 DEPTH_MAX);
	if (!top)
		return err_set(err, "'%s': the answer is not JSON", socket);
	rc = read_items(&r, top, err);
	json_object_put(top);
	if (rc < 0) {
		wire->count = known;
		return err_prefix(err, "'%s'", socket);
	}
	return 0;
}

/* ---- the socket -------------------------------------------------------- */

/* HTTP/1.0: then nobody sends chunks */
static size_t request(char *text, size_t room)
{
	static const char body[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fetch_local_stats\",\"params\":{}}";

	return (size_t)snprintf(text, room,
				"POST /api/v1 HTTP/1.0\r\nHost: localhost\r\n"
				"Content-Type: application/json\r\n"
				"Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
				sizeof(body) - 1, body);
}

/* 1, 0: nobody is there, -1 */
static int ask(struct wire *wire, const char *path, char *text, unsigned long long end_ms,
	       struct err *err)
{
	struct socket_question question = { .path = path,
					    .answer_max = WEKA_WIRE_BYTES_MAX,
					    .is_whole = weka_wire_is_whole,
					    .end_ms = end_ms };
	size_t size_bytes = 0;
	char asked[512];

	question.text = asked;
	question.size_bytes = request(asked, sizeof(asked));
	if (socket_ask(&question, text, &size_bytes, NULL, err) < 0)
		return errno == ENOENT ? 0 : -1;
	return weka_wire_add(wire, path, text, size_bytes, err) == 0 ? 1 : -1;
}

static int find_sockets(const struct config_client *section, glob_t *found)
{
	const char *at = section->stats_socket;
	char pattern[2048];
	size_t used = 0;

	for (; *at && used + 1 < sizeof(pattern); at++)
		if (*at == '*' && *section->container)
			used += (size_t)snprintf(pattern + used, sizeof(pattern) - used, "%s",
						 section->container);
		else
			pattern[used++] = *at;
	if (used >= sizeof(pattern))
		return -1;
	pattern[used] = '\0';
	return glob(pattern, GLOB_NOSORT, NULL, found) == 0 ? 0 : -1;
}

static int ask_all(struct wire *wire, const glob_t *found, unsigned int timeout_ms, struct err *err)
{
	unsigned long long end_ms = child_now_ms() + timeout_ms;
	char *text = xcalloc(WEKA_WIRE_BYTES_MAX, 1);
	int rc = 0, one = 0;
	size_t i;

	if (found->gl_pathc > SOCKETS_MAX)
		rc = err_set(err, "'%s': and more sockets than %d", found->gl_pathv[0],
			     SOCKETS_MAX);
	for (i = 0; rc >= 0 && i < found->gl_pathc; i++) {
		one = ask(wire, found->gl_pathv[i], text, end_ms, err);
		rc = one < 0 ? -1 : rc + one;
	}
	free(text);
	return rc;
}

struct wire *weka_wire_read(const struct client *client, struct err *err)
{
	const struct config_client *section = client->section;
	unsigned int timeout_ms = section->timeout_ms;
	struct wire *wire;
	glob_t found = { 0 };
	int rc = 0;

	if (timeout_ms > WEKA_WIRE_MS_MAX)
		timeout_ms = WEKA_WIRE_MS_MAX;
	wire = wire_new();
	if (!wire)
		return NULL;
	if (find_sockets(section, &found) == 0)
		rc = ask_all(wire, &found, timeout_ms, err);
	globfree(&found);
	if (rc > 0)
		return wire;
	if (rc == 0)
		err_set(err, "'%s': nobody is there", section->stats_socket);
	wire_free(wire);
	errno = rc == 0 ? ENOENT : EIO;
	return NULL;
}
