/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record as text. */
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/record_parts.h"

/* ---- values -------------------------------------------------------------- */

/* A failed allocation anywhere is remembered and reported at the end. */
struct builder {
	bool failed;
	bool no_timelines, no_hists;
	size_t most; /* of each list */
};

static size_t at_most(const struct builder *b, size_t count)
{
	return count < b->most ? count : b->most;
}

static void put(struct builder *b, struct json_object *in, const char *key,
		struct json_object *value, bool is_null)
{
	if ((!value && !is_null) || !in ||
	    json_object_object_add(in, key, value) < 0) {
		json_object_put(value);
		b->failed = true;
	}
}

static void put_text(struct builder *b, struct json_object *in, const char *key,
		     const char *text)
{
	put(b, in, key, text ? json_object_new_string(text) : NULL, !text);
}

/* An array field: "" is null. */
static void put_word(struct builder *b, struct json_object *in, const char *key,
		     const char *text)
{
	put_text(b, in, key, *text ? text : NULL);
}

static void put_number(struct builder *b, struct json_object *in,
		       const char *key, int64_t number)
{
	put(b, in, key, number < 0 ? NULL : json_object_new_int64(number),
	    number < 0);
}

static void put_time(struct builder *b, struct json_object *in, const char *key,
		     double when)
{
	char text[64];

	if (when < 0) {
		put(b, in, key, NULL, true);
		return;
	}
	snprintf(text, sizeof(text), "%.3f", when);
	put(b, in, key, json_object_new_double_s(when, text), false);
}

static struct json_object *put_object(struct builder *b, struct json_object *in,
				      const char *key, bool is_null)
{
	struct json_object *new = is_null ? NULL : json_object_new_object();

	put(b, in, key, new, is_null);
	return new;
}

static struct json_object *put_list(struct builder *b, struct json_object *in,
				    const char *key)
{
	struct json_object *new = json_object_new_array();

	put(b, in, key, new, false);
	return new;
}

static void append(struct builder *b, struct json_object *list,
		   struct json_object *value)
{
	if (!value || !list || json_object_array_add(list, value) < 0) {
		json_object_put(value);
		b->failed = true;
	}
}

static struct json_object *append_object(struct builder *b,
					 struct json_object *list)
{
	struct json_object *new = json_object_new_object();

	append(b, list, new);
	return new;
}

/* ---- parts --------------------------------------------------------------- */

static void build_pair(struct builder *b, struct json_object *top,
		       const char *key, const char *second, int64_t job,
		       int64_t number)
{
	struct json_object *o = put_object(b, top, key, job < 0);

	if (o) {
		put_number(b, o, "job", job);
		put_number(b, o, second, number);
	}
}

/* 1, 0, -1: nobody knows */
static void put_answer(struct builder *b, struct json_object *o,
		       const char *key, int answer)
{
	put(b, o, key, answer < 0 ? NULL : json_object_new_boolean(answer),
	    answer < 0);
}

static void build_request(struct builder *b, struct json_object *top,
			  const struct record *r)
{
	struct json_object *o = put_object(b, top, "request", !r->has_request);

	if (o) {
		put_number(b, o, "io_cores",
			   r->request.io_cores ? r->request.io_cores
					       : RECORD_UNKNOWN);
		put_word(b, o, "profile", r->request.profile);
		put_answer(b, o, "applied", r->profile_applied);
		if (r->cores_met >= 0)
			put_answer(b, o, "cores_met", r->cores_met);
	}
	put_text(b, top, "refused", r->refused);
	o = r->has_gate ? put_object(b, top, "gate", false) : NULL;
	if (o) {
		put_number(b, o, "warned", r->gate_warned);
		put_number(b, o, "refused", r->gate_refused);
		put_text(b, o, "text", r->gate_text);
	}
}

static void build_cores(struct builder *b, struct json_object *top,
			const struct record *r)
{
	struct json_object *o =
		put_object(b, top, "io_cores", !r->has_io_cores);

	if (o) {
		put_number(b, o, "count", r->io_cores_count);
		put_text(b, o, "abstract", r->io_cores_abstract);
		put_text(b, o, "os_cpus", r->io_cores_os);
	}
}

static void build_machine(struct builder *b, struct json_object *top,
			  const struct record *r)
{
	struct json_object *o, *list, *part;
	size_t i;

	if (!r->part_count && !r->job_cpus)
		return;
	o = put_object(b, top, "machine", false);
	put_text(b, o, "job_cpus", r->job_cpus);
	list = put_list(b, o, "parts");
	for (i = 0; i < at_most(b, r->part_count) && !b->failed; i++) {
		part = append_object(b, list);
		put_number(b, part, "socket", r->parts[i].socket);
		put_number(b, part, "numa_node", r->parts[i].numa_node);
		put_text(b, part, "cpus", r->parts[i].cpus);
	}
}

static void build_card(struct builder *b, struct json_object *client,
		       const struct record_client *c)
{
	struct json_object *o =
		c->cards ? put_object(b, client, "card", false) : NULL;

	if (!o)
		return;
	put_text(b, o, "names", c->cards);
	put_text(b, o, "numa_nodes", c->card_nodes);
	put_answer(b, o, "beside", c->is_beside);
}

static void build_client(struct builder *b, struct json_object *o,
			 const struct record *r, size_t client)
{
	struct json_object *list, *m;
	size_t i;

	put_word(b, o, "name", r->clients[client].name);
	put_word(b, o, "type", r->clients[client].type);
	put_word(b, o, "version", r->clients[client].version);
	put_text(b, o, "cpus", r->clients[client].cpus);
	if (*r->clients[client].app_to_wire)
		put_word(b, o, "app_to_wire", r->clients[client].app_to_wire);
	build_card(b, o, &r->clients[client]);
	list = put_list(b, o, "mounts");
	for (i = 0; i < at_most(b, r->mount_count) && !b->failed; i++) {
		if (r->mounts[i].client != client)
			continue;
		m = append_object(b, list);
		put_text(b, m, "mount", r->mounts[i].mount);
		put_text(b, m, "fstype", r->mounts[i].fstype);
		put_text(b, m, "source", r->mounts[i].source);
	}
}

/* The first where readers of old look for the only one. */
static void build_clients(struct builder *b, struct json_object *top,
			  const struct record *r)
{
	struct json_object *o = put_object(b, top, "client", !r->client_count);
	struct json_object *list;
	size_t i;

	if (o)
		build_client(b, o, r, 0);
	if (at_most(b, r->client_count) < 2)
		return;
	list = put_list(b, top, "more_clients");
	for (i = 1; i < at_most(b, r->client_count) && !b->failed; i++)
		build_client(b, append_object(b, list), r, i);
}

static void build_changes(struct builder *b, struct json_object *top,
			  const struct record *r)
{
	struct json_object *list = put_list(b, top, "changes"), *o;
	size_t i;

	for (i = 0; i < at_most(b, r->change_count) && !b->failed; i++) {
		const struct record_change *c = &r->changes[i];

		o = append_object(b, list);
		if (*c->client)
			put_text(b, o, "client", c->client);
		put_text(b, o, "what", c->what);
		put_text(b, o, "target", c->target);
		put_text(b, o, "old", c->old_value);
		put_text(b, o, "new", c->new_value);
		put_answer(b, o, "restored", c->restored);
		put_answer(b, o, "made", c->made);
	}
}

static void build_findings(struct builder *b, struct json_object *top,
			   const struct record *r)
{
	struct json_object *list = put_list(b, top, "findings"), *o;
	size_t i;

	for (i = 0; i < at_most(b, r->finding_count) && !b->failed; i++) {
		o = append_object(b, list);
		put_word(b, o, "code", r->findings[i].code);
		put_word(b, o, "severity", r->findings[i].severity);
		put_text(b, o, "text", r->findings[i].text);
		put_text(b, o, "cure", r->findings[i].cure);
		if (r->findings[i].target)
			put_text(b, o, "target", r->findings[i].target);
		if (r->findings[i].is_users >= 0)
			put_answer(b, o, "users", r->findings[i].is_users);
	}
}

/* Bins after the last that counted something are left out. */
static void build_hist(struct builder *b, struct json_object *o,
		       const struct record_io *io, unsigned int which)
{
	struct json_object *list;
	int i, last;

	if (!io->has_hist[which] || b->no_hists)
		return;
	for (last = RECORD_BINS - 1; last >= 0 && !io->hist[which][last];)
		last--;
	list = put_list(b, o, record_hist_names[which]);
	for (i = 0; i <= last && !b->failed; i++)
		append(b, list, json_object_new_int64(io->hist[which][i]));
}

static void build_peak(struct builder *b, struct json_object *o,
		       const struct record_io *io)
{
	struct json_object *peak;
	unsigned int i;

	if (io->peak_window_s < 0)
		return;
	peak = put_object(b, o, "peak", false);
	for (i = 0; i < RECORD_PEAK_COUNT; i++)
		put_number(b, peak, record_peak_names[i], io->peak[i]);
	put_number(b, peak, "window_s", io->peak_window_s);
}

/* Rows after the last that is not 0 are left out. */
static void build_lane(struct builder *b, struct json_object *o,
		       const char *name, const int64_t *rows, size_t count)
{
	struct json_object *list = put_list(b, o, name);
	size_t i;

	while (count && !rows[count - 1])
		count--;
	for (i = 0; i < count && !b->failed; i++)
		append(b, list, json_object_new_int64(rows[i]));
}

static void build_timeline(struct builder *b, struct json_object *o,
			   const struct timeline *line)
{
	struct json_object *timeline;
	unsigned int i;

	if (!line->count || b->no_timelines)
		return;
	timeline = put_object(b, o, "timeline", false);
	put_number(b, timeline, "start", line->start);
	put_number(b, timeline, "width_s", line->width);
	for (i = 0; i < TIMELINE_LANES; i++)
		build_lane(b, timeline, record_lane_names[i], line->rows[i],
			   line->count);
}

static void build_one_io(struct builder *b, struct json_object *o,
			 const struct record_io *io)
{
	struct json_object *meta;
	unsigned int i;

	put_text(b, o, "scope", io->scope == RECORD_SCOPE_JOB ? "job" : "node");
	if (io->shared >= 0)
		put_number(b, o, "shared", io->shared);
	put_word(b, o, "source", io->source);
	if (*io->client)
		put_text(b, o, "client", io->client);
	put_text(b, o, "fs", io->fs);
	for (i = 0; i < RECORD_NUMBER_COUNT; i++)
		if (i <= RECORD_WRITE_CALLS || io->numbers[i] >= 0)
			put_number(b, o, record_number_names[i],
				   io->numbers[i]);
	build_peak(b, o, io);
	build_timeline(b, o, &io->timeline);
	if (io->has_meta) {
		meta = put_object(b, o, "meta", false);
		for (i = 0; i < RECORD_META_COUNT && !b->failed; i++)
			put_number(b, meta, record_meta_names[i], io->meta[i]);
	}
	for (i = 0; i < RECORD_HIST_COUNT; i++)
		build_hist(b, o, io, i);
}

static void build_io(struct builder *b, struct json_object *top,
		     const char *key, const struct record_io *io, size_t count)
{
	struct json_object *list = put_list(b, top, key);
	size_t i;

	for (i = 0; i < at_most(b, count) && !b->failed; i++)
		build_one_io(b, append_object(b, list), &io[i]);
}

static void build_quality(struct builder *b, struct json_object *top,
			  uint32_t flags)
{
	struct json_object *list = put_list(b, top, "quality");
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT && !b->failed; bit++)
		if (flags & (UINT32_C(1) << bit))
			append(b, list,
			       json_object_new_string(record_flag_name(bit)));
}

/* ---- the whole ----------------------------------------------------------- */

static void build_head(struct builder *b, struct json_object *top,
		       const struct record *r)
{
	put_number(b, top, "jobio", RECORD_VERSION);
	put_text(b, top, "cluster", r->cluster);
	put_number(b, top, "job", r->job);
	put_number(b, top, "restart", r->restart);
	put_text(b, top, "node", r->node);
	put_text(b, top, "nodelist", r->nodelist);
	put_number(b, top, "uid", r->uid);
	put_number(b, top, "gid", r->gid);
	put_word(b, top, "user", r->user);
	put_word(b, top, "boot_id", r->boot_id);
	put_time(b, top, "up", r->up);
	put_time(b, top, "start", r->start);
	put_time(b, top, "end", r->end);
	build_pair(b, top, "array", "task", r->array_job, r->array_task);
	build_pair(b, top, "het", "offset", r->het_job, r->het_offset);
}

/* The text, malloc'ed; 'top' is put. */
static char *built(const struct builder *b, struct json_object *top,
		   struct err *err)
{
	char *text = json_line_put(top);

	if (b->failed) {
		free(text);
		text = NULL;
	}
	if (!text)
		err_set(err, "record: out of memory");
	return text;
}

static char *build_text(struct builder *b, const struct record *record,
			struct err *err)
{
	struct json_object *top = json_object_new_object();

	build_head(b, top, record);
	build_request(b, top, record);
	build_cores(b, top, record);
	build_machine(b, top, record);
	build_clients(b, top, record);
	build_changes(b, top, record);
	build_findings(b, top, record);
	build_io(b, top, "app", record->app, record->app_count);
	if (record->wire_count)
		build_io(b, top, "wire", record->wire, record->wire_count);
	else
		put(b, top, "wire", NULL, true);
	put_number(b, top, "steps", record->steps);
	build_quality(b, top,
		      b->no_timelines ? record->flags | RECORD_FLAG(TRUNCATED)
				      : record->flags);
	return built(b, top, err);
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
	text = build_text(&b, record, err);
	while (text && strlen(text) > RECORD_TEXT_MAX && b.most > 1) {
		free(text);
		cut(&b);
		text = build_text(&b, record, err);
	}
	return text;
}

/* The end of a timeline or histogram that begins behind this comma; NULL: it is
 * another member. In strings a quote has a backslash before it. */
static const char *picture_end(const char *comma)
{
	static const char *const keys[] = { "timeline", "read_sizes",
					    "write_sizes", "read_ns",
					    "write_ns" };
	size_t i, size;

	if (comma[1] != '"')
		return NULL;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		size = strlen(keys[i]);
		if (!strncmp(comma + 2, keys[i], size) &&
		    !strncmp(comma + 2 + size, "\":", 2) &&
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

char *record_counters_text(const struct record *record, struct err *err)
{
	struct builder b = { .most = RECORD_LIST_MAX };
	struct json_object *top = json_object_new_object();

	build_io(&b, top, "app", record->app, record->app_count);
	build_quality(&b, top, record->flags);
	return built(&b, top, err);
}
