/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record as text. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"
#include "lib/json.h"
#include "lib/record_parts.h"

/* ---- values -------------------------------------------------------------- */

/* What of a record is left out. */
struct builder {
	bool no_timelines, no_hists;
	size_t most; /* of each list */
};

static size_t at_most(const struct builder *b, size_t count)
{
	return count < b->most ? count : b->most;
}

static void put_time(struct json_object *in, const char *key, double when)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", when);
	json_object_object_add(in, key,
			       when < 0 ? NULL : xneed(json_object_new_double_s(when, text)));
}

/* An array field: "" is null. */
static void put_word(struct json_object *in, const char *key, const char *text)
{
	json_add_text(in, key, *text ? text : NULL);
}

/* null where it is not known; NULL then. */
static struct json_object *add_known_object(struct json_object *top, const char *key, bool is_known)
{
	if (is_known)
		return json_add_object(top, key);
	json_object_object_add(top, key, NULL);
	return NULL;
}

/* ---- parts --------------------------------------------------------------- */

static void build_pair(struct json_object *top, const char *key, const char *second, int64_t job,
		       int64_t number)
{
	struct json_object *o = add_known_object(top, key, job >= 0);

	if (o) {
		json_add_known(o, "job", job);
		json_add_known(o, second, number);
	}
}

static void build_request(struct json_object *top, const struct record *r)
{
	struct json_object *o = add_known_object(top, "request", r->has_request);

	if (o) {
		json_add_known(o, "io_cores",
			       r->request.io_cores ? r->request.io_cores : RECORD_UNKNOWN);
		put_word(o, "profile", r->request.profile);
		json_add_answer(o, "applied", r->profile_applied);
		if (r->cores_met >= 0)
			json_add_answer(o, "cores_met", r->cores_met);
	}
	json_add_text(top, "refused", r->refused);
	o = r->has_gate ? json_add_object(top, "gate") : NULL;
	if (o) {
		json_add_known(o, "warned", r->gate_warned);
		json_add_known(o, "refused", r->gate_refused);
		json_add_text(o, "text", r->gate_text);
	}
}

static void build_cores(struct json_object *top, const struct record *r)
{
	struct json_object *o = add_known_object(top, "io_cores", r->has_io_cores);

	if (o) {
		json_add_known(o, "count", r->io_cores_count);
		json_add_text(o, "abstract", r->io_cores_abstract);
		json_add_text(o, "os_cpus", r->io_cores_os);
	}
}

static void build_machine(struct builder *b, struct json_object *top, const struct record *r)
{
	struct json_object *o, *list, *part;
	size_t i;

	if (!r->part_count && !r->job_cpus)
		return;
	o = json_add_object(top, "machine");
	json_add_text(o, "job_cpus", r->job_cpus);
	list = json_add_list(o, "parts");
	for (i = 0; i < at_most(b, r->part_count); i++) {
		part = json_append_object(list);
		json_add_known(part, "socket", r->parts[i].socket);
		json_add_known(part, "numa_node", r->parts[i].numa_node);
		json_add_text(part, "cpus", r->parts[i].cpus);
	}
}

static void build_card(struct json_object *client, const struct record_client *c)
{
	struct json_object *o = c->cards ? json_add_object(client, "card") : NULL;

	if (!o)
		return;
	json_add_text(o, "names", c->cards);
	json_add_text(o, "numa_nodes", c->card_nodes);
	json_add_answer(o, "beside", c->is_beside);
}

static void build_client(struct builder *b, struct json_object *o, const struct record *r,
			 size_t client)
{
	struct json_object *list, *m;
	size_t i;

	put_word(o, "name", r->clients[client].name);
	put_word(o, "type", r->clients[client].type);
	put_word(o, "version", r->clients[client].version);
	json_add_text(o, "cpus", r->clients[client].cpus);
	if (*r->clients[client].app_to_wire)
		put_word(o, "app_to_wire", r->clients[client].app_to_wire);
	build_card(o, &r->clients[client]);
	list = json_add_list(o, "mounts");
	for (i = 0; i < at_most(b, r->mount_count); i++) {
		if (r->mounts[i].client != client)
			continue;
		m = json_append_object(list);
		json_add_text(m, "mount", r->mounts[i].mount);
		json_add_text(m, "fstype", r->mounts[i].fstype);
		json_add_text(m, "source", r->mounts[i].source);
	}
}

/* The first where readers of old look for the only one. */
static void build_clients(struct builder *b, struct json_object *top, const struct record *r)
{
	struct json_object *o = add_known_object(top, "client", r->client_count);
	struct json_object *list;
	size_t i;

	if (o)
		build_client(b, o, r, 0);
	if (at_most(b, r->client_count) < 2)
		return;
	list = json_add_list(top, "more_clients");
	for (i = 1; i < at_most(b, r->client_count); i++)
		build_client(b, json_append_object(list), r, i);
}

static void build_changes(struct builder *b, struct json_object *top, const struct record *r)
{
	struct json_object *list = json_add_list(top, "changes"), *o;
	size_t i;

	for (i = 0; i < at_most(b, r->change_count); i++) {
		const struct record_change *c = &r->changes[i];

		o = json_append_object(list);
		if (*c->client)
			json_add_text(o, "client", c->client);
		json_add_text(o, "what", c->what);
		json_add_text(o, "target", c->target);
		json_add_text(o, "old", c->old_value);
		json_add_text(o, "new", c->new_value);
		json_add_answer(o, "restored", c->restored);
		json_add_answer(o, "made", c->made);
	}
}

static void build_findings(struct builder *b, struct json_object *top, const struct record *r)
{
	struct json_object *list = json_add_list(top, "findings"), *o;
	size_t i;

	for (i = 0; i < at_most(b, r->finding_count); i++) {
		o = json_append_object(list);
		put_word(o, "code", r->findings[i].code);
		put_word(o, "severity", r->findings[i].severity);
		json_add_text(o, "text", r->findings[i].text);
		json_add_text(o, "cure", r->findings[i].cure);
		if (r->findings[i].target)
			json_add_text(o, "target", r->findings[i].target);
		if (r->findings[i].is_users >= 0)
			json_add_answer(o, "users", r->findings[i].is_users);
	}
}

/* Bins after the last that counted something are left out. */
static void build_hist(struct builder *b, struct json_object *o, const struct io *io,
		       unsigned int which)
{
	struct json_object *list;
	int i, last;

	if (!io->has_hist[which] || b->no_hists)
		return;
	for (last = IO_BINS - 1; last >= 0 && !io->hist[which][last];)
		last--;
	list = json_add_list(o, io_hist_names[which]);
	for (i = 0; i <= last; i++)
		json_append_number(list, io->hist[which][i]);
}

/* The known ones of these, as members of 'key'; nothing where there is none. */
static void build_group(struct json_object *o, const char *key, const struct io *io, int first,
			int end)
{
	struct json_object *group;
	int i = first;

	while (i < end && io->numbers[i] < 0)
		i++;
	if (i == end)
		return;
	group = json_add_object(o, key);
	for (i = first; i < end; i++)
		json_add_known(group, io_quantities[i].key, io->numbers[i]);
}

static void build_errors(struct json_object *o, const struct io *io)
{
	struct json_object *errors = NULL, *one;
	int i, k;

	for (i = 0; i < IO_ERRNO_COUNT; i++) {
		for (one = NULL, k = 0; k < IO_CLASS_COUNT; k++) {
			if (io->errors[i][k] <= 0)
				continue;
			errors = errors ? errors : json_add_object(o, "errors");
			one = one ? one : json_add_object(errors, io_errno_names[i]);
			json_add_known(one, io_class_names[k], io->errors[i][k]);
		}
	}
}

/* Rows after the last that is not 0 are left out. */
static void build_lane(struct json_object *o, const char *name, const int64_t *rows, size_t count)
{
	struct json_object *list = json_add_list(o, name);
	size_t i;

	while (count && !rows[count - 1])
		count--;
	for (i = 0; i < count; i++)
		json_append_number(list, rows[i]);
}

static void build_timeline(struct builder *b, struct json_object *o, const struct timeline *line)
{
	struct json_object *timeline;
	unsigned int i;

	if (!line->count || b->no_timelines)
		return;
	timeline = json_add_object(o, "timeline");
	json_add_known(timeline, "start", line->start);
	json_add_known(timeline, "width_s", line->width);
	for (i = 0; i < TIMELINE_LANES; i++)
		if (i <= TIMELINE_CALLS || timeline_sum(line, i))
			build_lane(timeline, io_lane_names[i], line->rows[i], line->count);
}

static void build_one_io(struct builder *b, struct json_object *o, const struct io *io)
{
	unsigned int i;

	json_add_text(o, "scope", io->scope == IO_SCOPE_JOB ? "job" : "node");
	if (io->shared >= 0)
		json_add_known(o, "shared", io->shared);
	put_word(o, "source", io->source);
	if (*io->client)
		json_add_text(o, "client", io->client);
	json_add_text(o, "fs", io->fs);
	for (i = 0; i < IO_PEAK_READ; i++)
		if (i <= IO_WRITE_CALLS || io->numbers[i] >= 0)
			json_add_known(o, io_quantities[i].key, io->numbers[i]);
	if (io->numbers[IO_PEAK_WINDOW_S] > 0)
		build_group(o, "peak", io, IO_PEAK_READ, IO_OP_OPEN);
	build_timeline(b, o, &io->timeline);
	build_group(o, "meta", io, IO_OP_OPEN, IO_COUNT);
	for (i = 0; i < IO_HISTS; i++)
		build_hist(b, o, io, i);
	build_errors(o, io);
}

static void build_io(struct builder *b, struct json_object *top, const char *key,
		     const struct io *io, size_t count)
{
	struct json_object *list = json_add_list(top, key);
	size_t i;

	for (i = 0; i < at_most(b, count); i++)
		build_one_io(b, json_append_object(list), &io[i]);
}

static void build_quality(struct json_object *top, uint32_t flags)
{
	struct json_object *list = json_add_list(top, "quality");
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (flags & (UINT32_C(1) << bit))
			json_append_text(list, record_flag_name(bit));
}

/* ---- the whole ----------------------------------------------------------- */

static void build_head(struct json_object *top, const struct record *r)
{
	json_add_known(top, "jobio", RECORD_VERSION);
	json_add_text(top, "cluster", r->cluster);
	json_add_known(top, "job", r->job);
	json_add_known(top, "restart", r->restart);
	json_add_text(top, "node", r->node);
	json_add_text(top, "nodelist", r->nodelist);
	json_add_known(top, "uid", r->uid);
	json_add_known(top, "gid", r->gid);
	put_word(top, "user", r->user);
	put_word(top, "boot_id", r->boot_id);
	put_time(top, "up", r->up);
	put_time(top, "start", r->start);
	put_time(top, "end", r->end);
	build_pair(top, "array", "task", r->array_job, r->array_task);
	build_pair(top, "het", "offset", r->het_job, r->het_offset);
}

static char *build_text(struct builder *b, const struct record *record)
{
	struct json_object *top = xneed(json_object_new_object());

	build_head(top, record);
	build_request(top, record);
	build_cores(top, record);
	build_machine(b, top, record);
	build_clients(b, top, record);
	build_changes(b, top, record);
	build_findings(b, top, record);
	build_io(b, top, "app", record->app, record->app_count);
	if (record->wire_count)
		build_io(b, top, "wire", record->wire, record->wire_count);
	else
		json_object_object_add(top, "wire", NULL);
	json_add_known(top, "steps", record->steps);
	build_quality(top,
		      b->no_timelines ? record->flags | RECORD_FLAG(TRUNCATED) : record->flags);
	return json_line_put(top);
}

/* What gives way where a record would be too long for its readers: pictures first,
 * then half of each list, and half of that. */
static void cut(struct builder *b)
{
	if (!b->no_timelines)
		b->no_timelines = true;
	else if (!b->no_hists)
		b->no_hists = true;
	else
		b->most /= 2;
}

char *record_text(const struct record *record, struct err *err)
{
	struct builder b = { .most = RECORD_LIST_MAX };
	char *text;

	if (record_check_head(record, err) < 0)
		return NULL;
	text = build_text(&b, record);
	while (strlen(text) > RECORD_TEXT_MAX && b.most > 1) {
		free(text);
		cut(&b);
		text = build_text(&b, record);
	}
	return text;
}

/* The end of a timeline or histogram that begins behind this comma; NULL: it is
 * another member. In strings a quote has a backslash before it. */
static const char *picture_end(const char *comma)
{
	static const char *const keys[] = { "timeline", "read_sizes", "write_sizes", "read_ns",
					    "write_ns" };
	size_t i, size;

	if (comma[1] != '"')
		return NULL;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size = strlen(keys[i]);
		if (!strncmp(comma + 2, keys[i], size) && !strncmp(comma + 2 + size, "\":", 2) &&
		    strchr("{[", comma[size + 4]) && comma[size + 4])
			return json_end(comma + size + 4);
	}
	return NULL;
}

size_t record_text_brief(const char *text, size_t size, char *out)
{
	const char *end = text + size, *from = text, *at, *next;
	char *to = out;

	for (at = text; (at = memchr(at, ',', (size_t)(end - at)));) {
		next = picture_end(at);
		if (!next || next > end) {
			at++;
			continue;
		}
		to = mempcpy(to, from, (size_t)(at - from));
		from = at = next;
	}
	to = mempcpy(to, from, (size_t)(end - from));
	return (size_t)(to - out);
}

char *record_counters_text(const struct record *record)
{
	struct builder b = { .most = RECORD_LIST_MAX };
	struct json_object *top = xneed(json_object_new_object());

	build_io(&b, top, "app", record->app, record->app_count);
	build_quality(top, record->flags);
	return json_line_put(top);
}
