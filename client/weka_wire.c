/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/number.h"

#define DEPTH_MAX 16
#define SOCKETS_MAX 8
#define ID_MAX 512
#define WORD_MAX 64
#define UNKNOWN INT64_C(-1)

enum stat_kind {
	READ_BYTES,
	WRITE_BYTES,
	READS,
	WRITES,
	KINDS
};

static const char *const stat_names[KINDS] = { "READ_BYTES", "WRITE_BYTES",
					       "READS", "WRITES" };

struct row {
	char id[ID_MAX]; /* socket, process and filesystem */
	int64_t count[KINDS];
};

struct weka_wire {
	size_t count;
	struct row row[WEKA_WIRE_ROWS_MAX];
};

struct weka_wire *weka_wire_new(struct err *err)
{
	struct weka_wire *wire = calloc(1, sizeof(*wire));

	if (!wire)
		err_set(err, "out of memory");
	return wire;
}

void weka_wire_free(struct weka_wire *wire)
{
	free(wire);
}

/* ---- rows -------------------------------------------------------------- */

static struct row *find_row(const struct weka_wire *wire, const char *id)
{
	size_t i;

	for (i = 0; i < wire->count; i++)
		if (strcmp(wire->row[i].id, id) == 0)
			return (struct row *)&wire->row[i];
	return NULL;
}

static struct row *make_row(struct weka_wire *wire, const char *id)
{
	struct row *row = find_row(wire, id);
	int kind;

	if (row || wire->count == WEKA_WIRE_ROWS_MAX)
		return row;
	row = &wire->row[wire->count++];
	snprintf(row->id, sizeof(row->id), "%s", id);
	for (kind = 0; kind < KINDS; kind++)
		row->count[kind] = UNKNOWN;
	return row;
}

static int add_count(struct row *row, enum stat_kind kind, int64_t count)
{
	int64_t *sum = &row->count[kind];

	if (*sum == UNKNOWN)
		*sum = 0;
	if (count > INT64_MAX - *sum)
		return -1;
	*sum += count;
	return 0;
}

/* ---- the answer -------------------------------------------------------- */

/* A word of the answer; NULL: not there, or no such word. A process is
 * "NodeId<25011>", in later releases perhaps a plain number. */
static const char *word_of(struct json_object *object, const char *key)
{
	struct json_object *value;
	const char *text;

	if (!json_object_object_get_ex(object, key, &value) ||
	    (!json_object_is_type(value, json_type_string) &&
	     !json_object_is_type(value, json_type_int)))
		return NULL;
	text = json_object_get_string(value);
	return *text && strlen(text) < WORD_MAX ? text : NULL;
}

/* KINDS: not one of ours. */
static int kind_of(struct json_object *item)
{
	const char *category = word_of(item, "category");
	const char *stat = word_of(item, "stat");
	int kind;

	if (!category || !stat || strcmp(category, "fs_stats") != 0)
		return KINDS;
	for (kind = 0; kind < KINDS; kind++)
		if (strcmp(stat, stat_names[kind]) == 0)
			break;
	return kind;
}

static int read_count(struct json_object *item, int64_t *count, struct err *err)
{
	struct json_object *value;
	unsigned long number;

	if (!json_object_object_get_ex(item, "value", &value) ||
	    !json_object_is_type(value, json_type_string))
		return err_set(err, "a counter has no value");
	if (number_parse(json_object_get_string(value), 0, INT64_MAX, &number,
			 err) < 0)
		return err_prefix(err, "a counter");
	*count = (int64_t)number;
	return 0;
}

/* Nothing public says whether a process also tells the sum of its filesystems;
 * with rows of both kinds nobody knows which of them to add. */
struct reading {
	struct weka_wire *wire;
	const char *socket;
	bool has_fs, has_sum;
};

static int read_item(struct reading *r, struct json_object *item,
		     struct err *err)
{
	struct json_object *params = NULL;
	const char *process, *fs;
	char id[ID_MAX];
	struct row *row;
	int64_t count = 0;
	int kind;

	if (!json_object_is_type(item, json_type_object))
		return err_set(err, "a row is not an object");
	kind = kind_of(item);
	if (kind == KINDS)
		return 0;
	process = word_of(item, "nodeId");
	if (!process)
		return err_set(err, "a counter of no process");
	if (read_count(item, &count, err) < 0)
		return -1;
	json_object_object_get_ex(item, "params", &params);
	fs = json_object_is_type(params, json_type_object)
		     ? word_of(params, "fS")
		     : NULL;
	r->has_fs |= fs != NULL;
	r->has_sum |= fs == NULL;
	if (r->has_fs && r->has_sum)
		return err_set(err, "some counters name a filesystem, others "
				    "do not");
	if (snprintf(id, sizeof(id), "%s %s %s", r->socket, process,
		     fs ? fs : "-") >= (int)sizeof(id))
		return err_set(err, "path too long");
	row = make_row(r->wire, id);
	if (!row)
		return err_set(err, "more than %d counters",
			       WEKA_WIRE_ROWS_MAX);
	return add_count(row, (enum stat_kind)kind, count) < 0
		       ? err_set(err, "a counter is too large")
		       : 0;
}

static int read_items(struct reading *r, struct json_object *top,
		      struct err *err)
{
	size_t i, before = r->wire->count;
	struct json_object *result;

	if (!json_object_is_type(top, json_type_object) ||
	    !json_object_object_get_ex(top, "result", &result) ||
	    !json_object_is_type(result, json_type_array))
		return err_set(err, "the answer has no result");
	for (i = 0; i < json_object_array_length(result); i++)
		if (read_item(r, json_object_array_get_idx(result, i), err) < 0)
			return -1;
	return r->wire->count > before
		       ? 0
		       : err_set(err, "the answer has no counters");
}

static struct json_object *parse_json(const char *text, size_t size_bytes)
{
	struct json_tokener *tok = json_tokener_new_ex(DEPTH_MAX);
	struct json_object *top = NULL;

	if (!tok)
		return NULL;
	if (size_bytes <= WEKA_WIRE_BYTES_MAX)
		top = json_tokener_parse_ex(tok, text, (int)size_bytes);
	if (json_tokener_get_error(tok) != json_tokener_success) {
		json_object_put(top);
		top = NULL;
	}
	json_tokener_free(tok);
	return top;
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
	       strncasecmp(line, name, strlen(name)) == 0;
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
	head->is_ok = head->size_bytes > 12 &&
		      memcmp(text, "HTTP/1.", 7) == 0 &&
		      memcmp(text + 8, " 200", 4) == 0;
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

int weka_wire_add(struct weka_wire *wire, const char *socket, const char *text,
		  size_t size_bytes, struct err *err)
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
	top = parse_json(text + head.size_bytes, body_bytes);
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

static int time_left(unsigned long long end_ms)
{
	unsigned long long now = child_now_ms();

	return now >= end_ms ? 0 : (int)(end_ms - now);
}

/* Connected, non-blocking; -1 and errno ENOENT: nobody is there. The path is
 * looked up once, and may be longer than a socket's address. */
static int connect_to(const char *path, struct err *err)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int at, fd = -1, saved;
	struct stat st;

	at = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0) {
		saved = errno;
		err_set(err, "'%s': %s", path, strerror(saved));
		errno = saved;
		return -1;
	}
	saved = EPERM;
	if (fstat(at, &st) < 0 || !S_ISSOCK(st.st_mode) ||
	    (st.st_uid != 0 && st.st_uid != geteuid())) {
		err_set(err, "'%s': not a socket of root", path);
		goto out;
	}
	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d",
		 at);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 &&
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		goto out;
	saved = errno == ECONNREFUSED ? ENOENT : errno;
	err_set(err, "'%s': %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	fd = -1;
out:
	close(at);
	errno = saved;
	return fd;
}

static int send_request(int fd, struct err *err)
{
	static const char body[] =
		"{\"jsonrpc\":\"2.0\",\"id\":1,"
		"\"method\":\"fetch_local_stats\",\"params\":{}}";
	char request[512];
	int size;

	/* HTTP/1.0: then nobody sends chunks */
	size = snprintf(request, sizeof(request),
			"POST /api/v1 HTTP/1.0\r\nHost: localhost\r\n"
			"Content-Type: application/json\r\n"
			"Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
			sizeof(body) - 1, body);
	/* a new socket has room for it */
	return send(fd, request, (size_t)size, MSG_NOSIGNAL) == size
		       ? 0
		       : err_set(err, "cannot send: %s", strerror(errno));
}

static int receive(int fd, char *text, size_t *size_bytes,
		   unsigned long long end_ms, struct err *err)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	ssize_t got;
	int left;

	while (*size_bytes < WEKA_WIRE_BYTES_MAX) {
		left = time_left(end_ms);
		if (!left || poll(&wait, 1, left) == 0)
			return err_set(err, "no answer in time");
		got = recv(fd, text + *size_bytes,
			   WEKA_WIRE_BYTES_MAX - *size_bytes, 0);
		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (got < 0)
			return err_set(err, "%s", strerror(errno));
		*size_bytes += (size_t)got;
		if (!got || weka_wire_is_whole(text, *size_bytes) != 0)
			return 0;
	}
	return err_set(err, "the answer is larger than %u bytes",
		       WEKA_WIRE_BYTES_MAX);
}

/* 1, 0: nobody is there, -1 */
static int ask(struct weka_wire *wire, const char *path, char *text,
	       unsigned long long end_ms, struct err *err)
{
	int fd = connect_to(path, err), rc = -1;
	size_t size_bytes = 0;

	if (fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (send_request(fd, err) < 0 ||
	    receive(fd, text, &size_bytes, end_ms, err) < 0)
		err_prefix(err, "'%s'", path);
	else if (weka_wire_add(wire, path, text, size_bytes, err) == 0)
		rc = 1;
	close(fd);
	return rc;
}

static int find_sockets(const struct config_client *section, glob_t *found)
{
	const char *at = section->stats_socket;
	char pattern[2048];
	size_t used = 0;

	for (; *at && used + 1 < sizeof(pattern); at++)
		if (*at == '*' && *section->container)
			used += (size_t)snprintf(pattern + used,
						 sizeof(pattern) - used, "%s",
						 section->container);
		else
			pattern[used++] = *at;
	if (used >= sizeof(pattern))
		return -1;
	pattern[used] = '\0';
	return glob(pattern, GLOB_NOSORT, NULL, found) == 0 ? 0 : -1;
}

static int ask_all(struct weka_wire *wire, const glob_t *found,
		   unsigned int timeout_ms, struct err *err)
{
	unsigned long long end_ms = child_now_ms() + timeout_ms;
	char *text = malloc(WEKA_WIRE_BYTES_MAX);
	int rc = 0, one = 0;
	size_t i;

	if (!text)
		return err_set(err, "out of memory");
	if (found->gl_pathc > SOCKETS_MAX)
		rc = err_set(err, "'%s': and more sockets than %d",
			     found->gl_pathv[0], SOCKETS_MAX);
	for (i = 0; rc >= 0 && i < found->gl_pathc; i++) {
		one = ask(wire, found->gl_pathv[i], text, end_ms, err);
		rc = one < 0 ? -1 : rc + one;
	}
	free(text);
	return rc;
}

struct weka_wire *weka_wire_read(const struct config_client *section,
				 struct err *err)
{
	unsigned int timeout_ms = section->timeout_ms;
	struct weka_wire *wire;
	glob_t found = { 0 };
	int rc = 0;

	if (timeout_ms > WEKA_WIRE_MS_MAX)
		timeout_ms = WEKA_WIRE_MS_MAX;
	wire = weka_wire_new(err);
	if (!wire)
		return NULL;
	if (find_sockets(section, &found) == 0)
		rc = ask_all(wire, &found, timeout_ms, err);
	globfree(&found);
	if (rc > 0)
		return wire;
	if (rc == 0)
		err_set(err, "'%s': nobody is there", section->stats_socket);
	weka_wire_free(wire);
	errno = rc == 0 ? ENOENT : EIO;
	return NULL;
}

/* ---- as text ----------------------------------------------------------- */

/* {"ID":[N,N,N,N],..} */
char *weka_wire_text(const struct weka_wire *wire, struct err *err)
{
	struct json_object *top = json_object_new_object(), *list;
	char *text = NULL;
	size_t i;
	int kind;

	for (i = 0; top && i < wire->count; i++) {
		list = json_object_new_array();
		for (kind = 0; list && kind < KINDS; kind++)
			json_object_array_add(
				list, json_object_new_int64(
					      wire->row[i].count[kind]));
		json_object_object_add(top, wire->row[i].id, list);
	}
	if (top)
		text = strdup(json_object_to_json_string_ext(
			top, JSON_C_TO_STRING_PLAIN));
	json_object_put(top);
	if (!text)
		err_set(err, "out of memory");
	return text;
}

static int parse_row(struct weka_wire *wire, const char *id,
		     struct json_object *list)
{
	struct json_object *value;
	struct row *row;
	int kind;

	if (!json_object_is_type(list, json_type_array) ||
	    json_object_array_length(list) != KINDS || strlen(id) >= ID_MAX)
		return -1;
	row = make_row(wire, id);
	if (!row)
		return -1;
	for (kind = 0; kind < KINDS; kind++) {
		value = json_object_array_get_idx(list, (size_t)kind);
		if (!json_object_is_type(value, json_type_int) ||
		    json_object_get_int64(value) < UNKNOWN)
			return -1;
		row->count[kind] = json_object_get_int64(value);
	}
	return 0;
}

struct weka_wire *weka_wire_parse(const char *text, struct err *err)
{
	struct json_object *top = parse_json(text, strlen(text));
	struct weka_wire *wire = weka_wire_new(err);
	int rc = wire ? 0 : -1;

	if (rc == 0 && !json_object_is_type(top, json_type_object))
		rc = err_set(err, "counters of the client: not an object");
	if (rc == 0) {
		json_object_object_foreach (top, id, list)
			if (rc == 0 && parse_row(wire, id, list) < 0)
				rc = err_set(err,
					     "counters of the client: "
					     "'%.80s' is damaged",
					     id);
	}
	json_object_put(top);
	if (rc == 0)
		return wire;
	weka_wire_free(wire);
	return NULL;
}

/* ---- the difference ---------------------------------------------------- */

/* A row that is new: its process started, or first used the filesystem, while
 * we looked elsewhere; all of it is since then. */
static int64_t row_since(const struct row *before, const struct row *after,
			 int kind)
{
	if (after->count[kind] == UNKNOWN)
		return UNKNOWN;
	if (!before)
		return after->count[kind];
	if (before->count[kind] == UNKNOWN)
		return UNKNOWN;
	return after->count[kind] - before->count[kind];
}

static bool went_back(const struct weka_wire *before,
		      const struct weka_wire *after)
{
	const struct row *row;
	size_t i;
	int kind;

	for (i = 0; i < before->count; i++) {
		row = find_row(after, before->row[i].id);
		if (!row)
			return true;
		for (kind = 0; kind < KINDS; kind++)
			if (row->count[kind] != UNKNOWN &&
			    row->count[kind] < before->row[i].count[kind])
				return true;
	}
	return false;
}

static int64_t all_since(const struct weka_wire *before,
			 const struct weka_wire *after, int kind)
{
	int64_t sum = 0, one;
	size_t i;

	for (i = 0; i < after->count; i++) {
		one = row_since(find_row(before, after->row[i].id),
				&after->row[i], kind);
		if (one == UNKNOWN || one > INT64_MAX - sum)
			return UNKNOWN;
		sum += one;
	}
	return sum;
}

int weka_wire_since(const struct weka_wire *before,
		    const struct weka_wire *after, struct client_wire *moved)
{
	if (went_back(before, after))
		return 0;
	moved->read_bytes = all_since(before, after, READ_BYTES);
	moved->write_bytes = all_since(before, after, WRITE_BYTES);
	moved->reads = all_since(before, after, READS);
	moved->writes = all_since(before, after, WRITES);
	return 1;
}
