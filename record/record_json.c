/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record as JSON; input is not trusted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "record/alloc.h"
#include "record/field.h"
#include "record/json.h"
#include "record/record.h"

/* ---- tables ------------------------------------------------------------------ */

#define TEXT(name, of, member, ...) FIELD(TEXT, name, of, member, __VA_ARGS__)
#define WORD(name, of, member, ...) FIELD(WORD, name, of, member, __VA_ARGS__)
#define ANSWER(name, of, member, ...) FIELD(ANSWER, name, of, member, __VA_ARGS__)
#define NUMBER(name, of, member, limit) FIELD(NUMBER, name, of, member, .most = limit)

static const struct field array_fields[] = {
	NUMBER("job", record, array_job, UINT32_MAX),
	NUMBER("task", record, array_task, UINT32_MAX),
	FIELD_LAST,
};

static const struct field het_fields[] = {
	NUMBER("job", record, het_job, UINT32_MAX),
	NUMBER("offset", record, het_offset, UINT32_MAX),
	FIELD_LAST,
};

static const struct field request_fields[] = {
	FIELD(SOME, "io_cores", record, request.io_cores),
	WORD("profile", record, request.profile),
	ANSWER("applied", record, profile_applied),
	ANSWER("cores_met", record, cores_met, FIELD_IF_KNOWN),
	FIELD_LAST,
};

static const struct field gate_fields[] = {
	NUMBER("warned", record, gate_warned, UINT32_MAX),
	NUMBER("refused", record, gate_refused, UINT32_MAX),
	TEXT("text", record, gate_text),
	FIELD_LAST,
};

static const struct field cores_fields[] = {
	NUMBER("count", record, io_cores_count, UINT32_MAX),
	TEXT("abstract", record, io_cores_abstract),
	TEXT("os_cpus", record, io_cores_os),
	FIELD_LAST,
};

static const struct field part_fields[] = {
	NUMBER("socket", record_part, socket, UINT16_MAX),
	NUMBER("numa_node", record_part, numa_node, UINT16_MAX),
	TEXT("cpus", record_part, cpus),
	FIELD_LAST,
};

static const struct field machine_fields[] = {
	TEXT("job_cpus", record, job_cpus),
	FIELD_ALL("parts", part_fields, record, parts, part_count),
	FIELD_LAST,
};

static const struct field head_fields[] = {
	WORD("cluster", record, cluster),
	FIELD(ID, "job", record, job),
	NUMBER("restart", record, restart, UINT32_MAX),
	WORD("node", record, node),
	TEXT("nodelist", record, nodelist, .most = RECORD_NODELIST_MAX),
	FIELD(ID, "uid", record, uid),
	FIELD(ID, "gid", record, gid),
	WORD("user", record, user),
	WORD("boot_id", record, boot_id),
	FIELD(TIME, "up", record, up),
	FIELD(TIME, "start", record, start),
	FIELD(TIME, "end", record, end),
	FIELD_PART("array", array_fields),
	FIELD_PART("het", het_fields),
	FIELD_PART("request", request_fields, FIELD_HAS(record, has_request)),
	TEXT("refused", record, refused),
	FIELD_PART("gate", gate_fields, FIELD_IF_KNOWN, FIELD_HAS(record, has_gate)),
	FIELD_PART("io_cores", cores_fields, FIELD_HAS(record, has_io_cores)),
	FIELD_PART("machine", machine_fields, FIELD_IF_KNOWN),
	FIELD_LAST,
};

/* A client with its mounts, which are one list in the struct. */
struct client {
	struct record_client c;
	struct record_mount *mounts;
	size_t count;
};

struct clients {
	struct client first; /* older readers expect the only client here */
	bool has_first;
	struct client *more;
	size_t count;
};

static const struct field nic_fields[] = {
	TEXT("names", client, c.nics),
	TEXT("numa_nodes", client, c.nic_numa_nodes),
	ANSWER("beside", client, c.is_numa_local),
	FIELD_LAST,
};

static const struct field mount_fields[] = {
	TEXT("mount", record_mount, mount),
	TEXT("fstype", record_mount, fstype),
	TEXT("source", record_mount, source),
	FIELD_LAST,
};

static const struct field client_fields[] = {
	WORD("name", client, c.name),
	WORD("type", client, c.type),
	WORD("version", client, c.version),
	TEXT("cpus", client, c.cpus),
	WORD("app_to_wire", client, c.app_to_wire, FIELD_IF_KNOWN),
	FIELD_PART("card", nic_fields, FIELD_IF_KNOWN),
	FIELD_ALL("mounts", mount_fields, client, mounts, count),
	FIELD_LAST,
};

static const struct field clients_fields[] = {
	FIELD_PART("client", client_fields, FIELD_HAS(clients, has_first)),
	FIELD_ALL("more_clients", client_fields, clients, more, count, FIELD_IF_KNOWN),
	FIELD_LAST,
};

#define APP FIELD_ALL("app", io_fields, record, app, app_count)

static const struct field list_fields[] = {
	FIELD_ALL("changes", change_fields, record, changes.list, changes.count),
	FIELD_ALL("findings", finding_fields, record, findings.list, findings.count),
	APP,
	FIELD_ALL("wire", io_fields, record, client_io, client_io_count, .is_null = true),
	NUMBER("steps", record, steps, UINT32_MAX),
	FIELD_LAST,
};

static const struct field app_fields[] = { APP, FIELD_LAST };

/* ---- the struct -------------------------------------------------------------- */

struct record *record_new(void)
{
	struct record *record = xcalloc(1, sizeof(*record));

	field_init(head_fields, record);
	record->start = 0;
	record->io_cores_count = record->gate_warned = record->gate_refused = 0;
	return record;
}

void record_free(struct record *record)
{
	struct client client;
	size_t i;

	if (!record)
		return;
	for (i = 0; i < record->client_count; i++) {
		client = (struct client){ .c = record->clients[i] };
		field_free(client_fields, &client);
	}
	for (i = 0; i < record->mount_count; i++)
		field_free(mount_fields, &record->mounts[i]);
	free(record->clients);
	free(record->mounts);
	field_free(head_fields, record);
	field_free(list_fields, record);
	free(record);
}

/* ---- validation ---------------------------------------------------------- */

/* A name that may become a file name or a key: no blank, no slash. */
static bool is_name(const char *name)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

	return *name && *name != '.' && strspn(name, allowed) == strlen(name);
}

static int check_head(const struct record *r, struct err *err)
{
	if (!is_name(r->cluster))
		return err_set(err, "cluster: '%s': not a name", r->cluster);
	if (!is_name(r->node))
		return err_set(err, "node: '%s': not a name", r->node);
	if (!r->job)
		return err_set(err, "job: '0': not a job id");
	if (!(r->start >= 0 && r->start < (double)FIELD_TIME_MAX))
		return err_set(err, "start: not a time");
	if (!(r->end < (double)FIELD_TIME_MAX && r->up < (double)FIELD_TIME_MAX))
		return err_set(err, "end: not a time");
	if (r->end >= 0 && r->end + 86400 < r->start)
		return err_set(err, "end: more than a day before the start");
	if ((r->array_job < 0) != (r->array_task < 0))
		return err_set(err, "array: needs job and task");
	if ((r->het_job < 0) != (r->het_offset < 0))
		return err_set(err, "het: needs job and offset");
	return 0;
}

static int check_cpus(const char *list, const char *what, struct err *err)
{
	struct cpuset cpus;

	return list && cpuset_parse(&cpus, list, err) < 0 ? err_prefix(err, "%s", what) : 0;
}

static int check_client(const struct record_client *c, struct err *err)
{
	if (!c->nics && (c->nic_numa_nodes || c->is_numa_local >= 0))
		return err_set(err, "card: needs names");
	return check_cpus(c->nic_numa_nodes, "card: numa_nodes", err);
}

static int check_io(struct io *io, size_t count, struct err *err)
{
	for (; count; io++, count--)
		if (io_check(io, err) < 0)
			return -1;
	return 0;
}

static int check(struct record *r, struct err *err)
{
	int rc = check_head(r, err);
	size_t i;

	if (rc == 0)
		rc = check_cpus(r->job_cpus, "machine", err);
	for (i = 0; rc == 0 && i < r->part_count; i++)
		rc = check_cpus(r->parts[i].cpus, "machine", err);
	for (i = 0; rc == 0 && i < r->client_count; i++)
		rc = check_client(&r->clients[i], err);
	for (i = 0; rc == 0 && i < r->mount_count; i++)
		if (!r->mounts[i].mount || !r->mounts[i].fstype)
			rc = err_set(err, "mounts: need mount and fstype");
	for (i = 0; rc == 0 && i < r->findings.count; i++)
		if (r->findings.list[i].severity < 0)
			rc = err_set(err, "findings: need severity");
	if (rc == 0)
		rc = check_io(r->app, r->app_count, err);
	return rc < 0 ? -1 : check_io(r->client_io, r->client_io_count, err);
}

/* ---- write ------------------------------------------------------------------- */

static void write_clients(const struct record *r, struct json *top, size_t most)
{
	struct client *list = xcalloc(r->client_count + 1, sizeof(*list)), *client;
	struct clients all = { .has_first = r->client_count > 0, .more = list + 1 };
	size_t i;

	for (i = 0; i < r->client_count; i++)
		list[i].c = r->clients[i];
	for (i = 0; i < r->mount_count && r->client_count; i++) {
		client = &list[r->mounts[i].client];
		client->mounts = xmore(client->mounts, client->count, sizeof(*client->mounts));
		client->mounts[client->count++] = r->mounts[i];
	}
	all.first = *list;
	all.count = r->client_count > 1 && most > 1 ? r->client_count - 1 : 0;
	field_write(clients_fields, &all, top, most, 0);
	for (i = 0; i < r->client_count; i++)
		free(list[i].mounts);
	free(list);
}

static void write_quality(struct json *top, uint64_t flags)
{
	struct json *list = json_add_list(top, "quality");
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (flags & (UINT64_C(1) << bit))
			json_append_text(list, record_flag_name(bit));
}

static char *write_text(const struct record *record, size_t most, unsigned int without)
{
	struct json *top = json_new_object();
	bool is_cut = without != 0;

	json_add_number(top, "jobio", RECORD_VERSION);
	field_write(head_fields, record, top, most, without);
	write_clients(record, top, most);
	field_write(list_fields, record, top, most, without);
	is_cut |= record->changes.count > most || record->findings.count > most;
	write_quality(top, is_cut ? record->flags | RECORD_FLAG(TRUNCATED) : record->flags);
	return json_line_free(top);
}

/* If a record would be too long for its readers leave out pictures, then half of each list, and
 * half of that. */
char *record_text(const struct record *record, struct err *err)
{
	size_t most = RECORD_LIST_MAX;
	char *text;

	if (check_head(record, err) < 0) {
		err_prefix(err, "record");
		return NULL;
	}
	text = write_text(record, most, 0);
	for (; strlen(text) > RECORD_TEXT_MAX && most > 1; most /= 2) {
		free(text);
		text = write_text(record, most, FIELD_NO_PICTURES);
	}
	return text;
}

char *record_counters_text(const struct record *record)
{
	struct json *top = json_new_object();

	field_write(app_fields, record, top, RECORD_LIST_MAX, 0);
	write_quality(top, record->flags);
	return json_line_free(top);
}

/* ---- read -------------------------------------------------------------------- */

/* The mounts of all clients are one list. */
static void move_client(struct record *r, struct client *client)
{
	size_t i, before = r->client_count, mounts;

	record_add_client(r, NULL, NULL, NULL, NULL);
	if (r->client_count > before) {
		r->clients[before] = client->c;
		memset(&client->c, 0, sizeof(client->c));
	}
	for (i = 0; i < client->count && r->client_count > before; i++) {
		mounts = r->mount_count;
		record_add_mount(r, NULL, NULL, NULL);
		if (r->mount_count == mounts)
			break;
		r->mounts[mounts] = client->mounts[i];
		r->mounts[mounts].client = before;
		memset(&client->mounts[i], 0, sizeof(client->mounts[i]));
	}
}

static int read_clients(const struct json *top, struct record *r, bool *is_cut, struct err *err)
{
	struct clients all = { .count = 0 };
	int rc;
	size_t i;

	field_init(clients_fields, &all);
	rc = field_read(clients_fields, &all, top, is_cut, err);
	if (rc == 0 && all.has_first)
		move_client(r, &all.first);
	for (i = 0; rc == 0 && i < all.count; i++)
		move_client(r, &all.more[i]);
	field_free(clients_fields, &all);
	return rc;
}

static int read_quality(const struct json *top, struct record *r, struct err *err)
{
	const struct json *list = json_member(top, "quality"), *flag;
	char name[RECORD_WORD_MAX];

	if (!list)
		return 0;
	if (list->kind != JSON_LIST)
		return err_set(err, "quality: must be a list or null");
	for (flag = json_first(list); flag; flag = flag->next) {
		if (flag->kind != JSON_TEXT)
			return err_set(err, "quality: must hold texts");
		/* one that does not fit is unknown */
		snprintf(name, sizeof(name), "%.*s", (int)flag->text.size, flag->text.bytes);
		r->flags |= record_flag(name);
	}
	return 0;
}

static int read_version(const struct json *top, struct err *err)
{
	const struct json *version = json_member(top, "jobio");
	bool is_number = version && version->kind == JSON_WHOLE;

	if (is_number && version->whole == RECORD_VERSION)
		return 0;
	return err_set(err, "jobio: '%lld': this program reads version %d",
		       is_number ? (long long)version->whole : 0, RECORD_VERSION);
}

static int read_all(const struct json *top, struct record *r, struct err *err)
{
	bool is_cut = false;

	if (read_version(top, err) < 0 || field_read(head_fields, r, top, &is_cut, err) < 0)
		return -1;
	if (!json_member(top, "uid") || !json_member(top, "start"))
		return err_set(err, "uid and start must be there");
	if (read_clients(top, r, &is_cut, err) < 0 ||
	    field_read(list_fields, r, top, &is_cut, err) < 0 || read_quality(top, r, err) < 0)
		return -1;
	if (is_cut)
		r->flags |= RECORD_FLAG(TRUNCATED);
	return check(r, err);
}

static int check_size(size_t size, struct err *err)
{
	return size <= RECORD_TEXT_MAX ? 0 : err_set(err, "longer than %d bytes", RECORD_TEXT_MAX);
}

struct record *record_read(const struct json *json, const char *text, struct err *err)
{
	struct record *record = record_new();
	int rc;

	if (!json_is(json, JSON_OBJECT))
		rc = err_set(err, "not an object");
	else if (!utf8_is_text(text + json->list.at, json->list.size))
		rc = err_set(err, "not UTF-8");
	else
		rc = check_size(json->list.size, err) < 0 ? -1 : read_all(json, record, err);
	if (rc == 0)
		return record;
	err_prefix(err, "record");
	record_free(record);
	return NULL;
}

struct record *record_parse(const char *text, size_t size, struct err *err)
{
	struct record *record = NULL;
	struct json *top = NULL;

	if (check_size(size, err) == 0)
		top = json_read(text, size, JSON_DEPTH_MAX, err);
	if (top)
		record = record_read(top, text, err);
	else
		err_prefix(err, "record");
	json_free(top);
	return record;
}

static int read_counters(const struct json *top, struct record *part, bool *is_cut, struct err *err)
{
	if (!json_is(top, JSON_OBJECT))
		return err_set(err, "not an object");
	if (field_read(app_fields, part, top, is_cut, err) < 0 ||
	    check_io(part->app, part->app_count, err) < 0)
		return -1;
	return read_quality(top, part, err);
}

/* All or nothing: counters are copied if the whole text is valid. */
int record_counters_add(struct record *record, const char *text, size_t size, struct err *err)
{
	struct json *top = json_read(text, size, JSON_DEPTH_MAX, err);
	struct record *part = record_new();
	bool is_cut = false;
	int rc = top ? read_counters(top, part, &is_cut, err) : -1;
	size_t i;

	for (i = 0; rc == 0 && i < part->app_count; i++)
		record_add_app(record, &part->app[i]);
	if (rc == 0)
		record->flags |= part->flags | (is_cut ? RECORD_FLAG(TRUNCATED) : 0);
	else
		err_prefix(err, "record");
	record_free(part);
	json_free(top);
	return rc;
}
