/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/record.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json.h"
#include "lib/json_tree.h"
#include "lib/utf8.h"

#define DEPTH_MAX 8
#define TIME_MAX ((double)TIMELINE_TIME_MAX)

/* ---- names --------------------------------------------------------------- */

#define FLAG_NAME(id, name, words) name,
#define FLAG_WORDS(id, name, words) words,
static const char *const flag_names[] = { RECORD_FLAGS(FLAG_NAME) };
static const char *const flag_words[] = { RECORD_FLAGS(FLAG_WORDS) };

#define META_NAME(id, name) name,
static const char *const meta_names[] = { RECORD_META_OPS(META_NAME) };

static const char *const number_names[] = {
	"read_bytes",  "write_bytes",	   "read_calls",
	"write_calls", "mmap_read_bytes",  "mmap_write_bytes",
	"read_us",     "write_us",	   "meta_calls",
	"meta_us",     "asked_read_bytes", "asked_write_bytes",
	"resent",      "queue_us",
};

static const char *const peak_names[] = { "read_Bps", "write_Bps" };

static const char *const lane_names[] = { "read_bytes", "write_bytes",
					  "calls" };

static const char *const hist_names[] = {
	"read_sizes",
	"write_sizes",
	"read_ns",
	"write_ns",
};

const char *record_flag_name(unsigned int bit)
{
	return bit < RECORD_FLAG_COUNT ? flag_names[bit] : NULL;
}

const char *record_flag_words(unsigned int bit)
{
	return bit < RECORD_FLAG_COUNT ? flag_words[bit] : NULL;
}

uint32_t record_flag(const char *name)
{
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (!strcmp(flag_names[bit], name))
			return UINT32_C(1) << bit;
	return RECORD_FLAG(OTHER);
}

const char *record_meta_name(unsigned int op)
{
	return op < RECORD_META_COUNT ? meta_names[op] : NULL;
}

const char *record_number_name(unsigned int number)
{
	return number < RECORD_NUMBER_COUNT ? number_names[number] : NULL;
}

/* ---- text ---------------------------------------------------------------- */

static int set_sized(char **field, const char *text, size_t size, size_t max)
{
	char *copy = NULL;

	if (text) {
		if (size > max)
			size = max;
		copy = malloc(size + 1);
		if (!copy)
			return -1;
		utf8_clean(copy, size + 1, text, size);
	}
	free(*field);
	*field = copy;
	return 0;
}

int record_set(char **field, const char *text)
{
	return set_sized(field, text, text ? strlen(text) : 0,
			 RECORD_NODELIST_MAX);
}

int record_set_io_cores(struct record *record, const struct cpuset *abs_cores,
			const struct cpuset *os_cpus)
{
	char *abstract = cpuset_format(abs_cores), *os = cpuset_format(os_cpus);
	int rc = -1;

	if (abstract && os &&
	    record_set(&record->io_cores_abstract, abstract) == 0 &&
	    record_set(&record->io_cores_os, os) == 0) {
		record->io_cores_count = cpuset_count(abs_cores);
		record->has_io_cores = true;
		rc = 0;
	}
	free(abstract);
	free(os);
	return rc;
}

static int set_short(char **field, const char *text)
{
	return set_sized(field, text, text ? strlen(text) : 0,
			 RECORD_STRING_MAX);
}

static void set_array(char *field, size_t room, const char *text)
{
	utf8_clean(field, room, text ? text : "", text ? strlen(text) : 0);
}

/* A name that may become a file name or a key: no blank, no slash. */
static bool is_name(const char *name)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789._-";

	return *name && *name != '.' && strspn(name, allowed) == strlen(name);
}

/* ---- the struct ---------------------------------------------------------- */

struct record *record_new(void)
{
	struct record *record = calloc(1, sizeof(*record));

	if (!record)
		return NULL;
	record->restart = RECORD_UNKNOWN;
	record->up = record->end = -1;
	record->array_job = record->array_task = RECORD_UNKNOWN;
	record->het_job = record->het_offset = RECORD_UNKNOWN;
	record->profile_applied = record->cores_met = -1;
	return record;
}

static void free_io(struct record_io *io, size_t count)
{
	while (count)
		free(io[--count].fs);
	free(io);
}

void record_free(struct record *record)
{
	size_t i;

	if (!record)
		return;
	for (i = 0; i < record->client_count; i++) {
		free(record->clients[i].cpus);
		free(record->clients[i].cards);
		free(record->clients[i].card_nodes);
	}
	for (i = 0; i < record->mount_count; i++) {
		free(record->mounts[i].mount);
		free(record->mounts[i].fstype);
		free(record->mounts[i].source);
	}
	for (i = 0; i < record->change_count; i++) {
		free(record->changes[i].what);
		free(record->changes[i].target);
		free(record->changes[i].old_value);
		free(record->changes[i].new_value);
	}
	for (i = 0; i < record->finding_count; i++) {
		free(record->findings[i].text);
		free(record->findings[i].cure);
		free(record->findings[i].target);
	}
	free_io(record->app, record->app_count);
	free_io(record->wire, record->wire_count);
	free(record->clients);
	free(record->mounts);
	free(record->changes);
	free(record->findings);
	free(record->nodelist);
	free(record->refused);
	free(record->gate_text);
	free(record->io_cores_abstract);
	free(record->io_cores_os);
	free(record);
}

void record_io_init(struct record_io *io)
{
	size_t i;

	memset(io, 0, sizeof(*io));
	io->shared = RECORD_UNKNOWN;
	for (i = 0; i < RECORD_NUMBER_COUNT; i++)
		io->numbers[i] = RECORD_UNKNOWN;
	for (i = 0; i < RECORD_PEAK_COUNT; i++)
		io->peak[i] = RECORD_UNKNOWN;
	io->peak_window_s = RECORD_UNKNOWN;
	for (i = 0; i < RECORD_META_COUNT; i++)
		io->meta[i] = RECORD_UNKNOWN;
}

/* Room for one more in a list: 1, 0 (full: flag set), -1 (out of memory). The
 * new element is zeroed and counted. */
static int grow(struct record *record, void **list, size_t *count, size_t size)
{
	char *bigger;

	if (*count >= RECORD_LIST_MAX) {
		record->flags |= RECORD_FLAG(TRUNCATED);
		return 0;
	}
	bigger = realloc(*list, (*count + 1) * size);
	if (!bigger)
		return -1;
	memset(bigger + *count * size, 0, size);
	*list = bigger;
	(*count)++;
	return 1;
}

int record_add_client(struct record *record, const char *name, const char *type,
		      const char *version, const char *cpus)
{
	int rc = grow(record, (void **)&record->clients, &record->client_count,
		      sizeof(*record->clients));
	struct record_client *new;

	if (rc <= 0)
		return rc;
	new = &record->clients[record->client_count - 1];
	new->is_beside = -1;
	set_array(new->name, sizeof(new->name), name);
	set_array(new->type, sizeof(new->type), type);
	set_array(new->version, sizeof(new->version), version);
	return set_short(&new->cpus, cpus);
}

int record_set_cards(struct record *record, const char *names,
		     const struct cpuset *numa_nodes)
{
	struct record_client *client;
	char *list;
	int rc;

	if (!record->client_count)
		return 0;
	client = &record->clients[record->client_count - 1];
	list = cpuset_is_empty(numa_nodes) ? NULL : cpuset_format(numa_nodes);
	rc = set_short(&client->cards, names) < 0 ||
			     set_short(&client->card_nodes, list) < 0
		     ? -1
		     : 0;
	free(list);
	return rc;
}

const struct record_client *record_client_named(const struct record *record,
						const char *name)
{
	size_t i;

	for (i = 0; i < record->client_count; i++)
		if (!*name || !strcmp(record->clients[i].name, name))
			return &record->clients[i];
	return NULL;
}

int record_add_mount(struct record *record, const char *mount,
		     const char *fstype, const char *source)
{
	int rc = grow(record, (void **)&record->mounts, &record->mount_count,
		      sizeof(*record->mounts));
	struct record_mount *new;

	if (rc <= 0)
		return rc;
	new = &record->mounts[record->mount_count - 1];
	new->client = record->client_count ? record->client_count - 1 : 0;
	if (set_short(&new->mount, mount) < 0 ||
	    set_short(&new->fstype, fstype) < 0 ||
	    set_short(&new->source, source) < 0)
		return -1;
	return 0;
}

int record_add_change(struct record *record, const char *client,
		      const char *what, const char *target,
		      const char *old_value, const char *new_value, int made,
		      int restored)
{
	int rc = grow(record, (void **)&record->changes, &record->change_count,
		      sizeof(*record->changes));
	struct record_change *new;

	if (rc <= 0)
		return rc;
	new = &record->changes[record->change_count - 1];
	new->made = made;
	new->restored = made == 0 ? -1 : restored;
	set_array(new->client, sizeof(new->client), client);
	if (set_short(&new->what, what) < 0 ||
	    set_short(&new->target, target) < 0 ||
	    set_short(&new->old_value, old_value) < 0 ||
	    set_short(&new->new_value, new_value) < 0)
		return -1;
	return 0;
}

int record_add_finding(struct record *record, const char *code,
		       const char *severity, const char *text, const char *cure)
{
	int rc = grow(record, (void **)&record->findings,
		      &record->finding_count, sizeof(*record->findings));
	struct record_finding *new;

	if (rc <= 0)
		return rc;
	new = &record->findings[record->finding_count - 1];
	set_array(new->code, sizeof(new->code), code);
	set_array(new->severity, sizeof(new->severity), severity);
	new->is_users = -1;
	if (set_short(&new->text, text) < 0 || set_short(&new->cure, cure) < 0)
		return -1;
	return 0;
}

static int add_io(struct record *record, struct record_io **list, size_t *count,
		  const struct record_io *io)
{
	int rc = grow(record, (void **)list, count, sizeof(**list));
	struct record_io *new;

	if (rc <= 0)
		return rc;
	new = &(*list)[*count - 1];
	*new = *io;
	new->fs = NULL;
	return set_short(&new->fs, io->fs);
}

int record_add_app(struct record *record, const struct record_io *io)
{
	return add_io(record, &record->app, &record->app_count, io);
}

int record_add_wire(struct record *record, const struct record_io *io)
{
	return add_io(record, &record->wire, &record->wire_count, io);
}

/* ---- build --------------------------------------------------------------- */

/* A failed allocation anywhere is remembered and reported at the end. */
struct builder {
	bool failed;
	bool is_short; /* no timelines */
};

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
	build_card(b, o, &r->clients[client]);
	list = put_list(b, o, "mounts");
	for (i = 0; i < r->mount_count && !b->failed; i++) {
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
	if (r->client_count < 2)
		return;
	list = put_list(b, top, "more_clients");
	for (i = 1; i < r->client_count && !b->failed; i++)
		build_client(b, append_object(b, list), r, i);
}

static void build_changes(struct builder *b, struct json_object *top,
			  const struct record *r)
{
	struct json_object *list = put_list(b, top, "changes"), *o;
	size_t i;

	for (i = 0; i < r->change_count && !b->failed; i++) {
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

	for (i = 0; i < r->finding_count && !b->failed; i++) {
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

	if (!io->has_hist[which])
		return;
	for (last = RECORD_BINS - 1; last >= 0 && !io->hist[which][last];)
		last--;
	list = put_list(b, o, hist_names[which]);
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
		put_number(b, peak, peak_names[i], io->peak[i]);
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

	if (!line->count || b->is_short)
		return;
	timeline = put_object(b, o, "timeline", false);
	put_number(b, timeline, "start", line->start);
	put_number(b, timeline, "width_s", line->width);
	for (i = 0; i < TIMELINE_LANES; i++)
		build_lane(b, timeline, lane_names[i], line->rows[i],
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
			put_number(b, o, number_names[i], io->numbers[i]);
	build_peak(b, o, io);
	build_timeline(b, o, &io->timeline);
	if (io->has_meta) {
		meta = put_object(b, o, "meta", false);
		for (i = 0; i < RECORD_META_COUNT && !b->failed; i++)
			put_number(b, meta, meta_names[i], io->meta[i]);
	}
	for (i = 0; i < RECORD_HIST_COUNT; i++)
		build_hist(b, o, io, i);
}

static void build_io(struct builder *b, struct json_object *top,
		     const char *key, const struct record_io *io, size_t count)
{
	struct json_object *list = put_list(b, top, key);
	size_t i;

	for (i = 0; i < count && !b->failed; i++)
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
			       json_object_new_string(flag_names[bit]));
}

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

static int check_head(const struct record *r, struct err *err)
{
	if (!is_name(r->cluster))
		return err_set(err, "record: cluster: '%s': not a name",
			       r->cluster);
	if (!is_name(r->node))
		return err_set(err, "record: node: '%s': not a name", r->node);
	if (!r->job)
		return err_set(err, "record: job: '0': not a job id");
	if (!(r->start >= 0 && r->start < TIME_MAX))
		return err_set(err, "record: start: not a time");
	if (!(r->end < TIME_MAX && r->up < TIME_MAX))
		return err_set(err, "record: end: not a time");
	if (r->end >= 0 && r->end + 86400 < r->start)
		return err_set(err, "record: end: more than a day before the "
				    "start");
	return 0;
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

static char *build_text(const struct record *record, bool is_short,
			struct err *err)
{
	struct builder b = { .is_short = is_short };
	struct json_object *top = json_object_new_object();

	build_head(&b, top, record);
	build_request(&b, top, record);
	build_cores(&b, top, record);
	build_clients(&b, top, record);
	build_changes(&b, top, record);
	build_findings(&b, top, record);
	build_io(&b, top, "app", record->app, record->app_count);
	if (record->wire_count)
		build_io(&b, top, "wire", record->wire, record->wire_count);
	else
		put(&b, top, "wire", NULL, true);
	put_number(&b, top, "steps", record->steps);
	build_quality(&b, top,
		      is_short ? record->flags | RECORD_FLAG(TRUNCATED)
			       : record->flags);
	return built(&b, top, err);
}

static bool has_timeline(const struct record *record)
{
	size_t i;

	for (i = 0; i < record->app_count; i++)
		if (record->app[i].timeline.count)
			return true;
	for (i = 0; i < record->wire_count; i++)
		if (record->wire[i].timeline.count)
			return true;
	return false;
}

char *record_text(const struct record *record, struct err *err)
{
	char *text;

	if (check_head(record, err) < 0)
		return NULL;
	text = build_text(record, false, err);
	if (!text || strlen(text) <= RECORD_TEXT_MAX || !has_timeline(record))
		return text;
	free(text);
	return build_text(record, true, err);
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
	struct builder b = { .failed = false };
	struct json_object *top = json_object_new_object();

	build_io(&b, top, "app", record->app, record->app_count);
	build_quality(&b, top, record->flags);
	return built(&b, top, err);
}

/* ---- parse --------------------------------------------------------------- */

/* The value of 'key': 1 there, 0 missing or null, -1 of another type. */
static int get(const struct json_node *in, const char *key, enum json_kind kind,
	       const struct json_node **value, struct err *err)
{
	static const char *const names[] = {
		[JSON_BOOL] = "true or false",	 [JSON_REAL] = "a number",
		[JSON_WHOLE] = "a whole number", [JSON_OBJECT] = "an object",
		[JSON_LIST] = "a list",		 [JSON_TEXT] = "a text",
	};

	*value = json_node_member(in, key);
	if (!*value || (*value)->kind == JSON_NULL)
		return 0;
	if ((*value)->kind != kind &&
	    !(kind == JSON_REAL && (*value)->kind == JSON_WHOLE))
		return err_set(err, "record: %s: must be %s or null", key,
			       names[kind]);
	return 1;
}

static int read_text(const struct json_node *in, const char *key, char **field,
		     size_t max, struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_TEXT, &value, err);

	if (rc <= 0)
		return rc;
	if (value->text.size > max)
		return err_set(err, "record: %s: longer than %zu bytes", key,
			       max);
	if (set_sized(field, value->text.bytes, value->text.size, max) < 0)
		return err_set(err, "record: out of memory");
	return 0;
}

static int read_word(const struct json_node *in, const char *key, char *field,
		     size_t room, struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_TEXT, &value, err);

	if (rc <= 0)
		return rc;
	if (value->text.size >= room)
		return err_set(err, "record: %s: longer than %zu bytes", key,
			       room - 1);
	utf8_clean(field, room, value->text.bytes, value->text.size);
	return 0;
}

static int read_number(const struct json_node *in, const char *key, int64_t max,
		       int64_t *field, struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_WHOLE, &value, err);
	int64_t number;

	if (rc <= 0)
		return rc;
	number = value->whole;
	if (number < 0 || number > max)
		return err_set(err, "record: %s: '%lld': must be 0 to %lld",
			       key, (long long)number, (long long)max);
	*field = number;
	return 0;
}

static int read_u32(const struct json_node *in, const char *key,
		    uint32_t *field, struct err *err)
{
	int64_t number = *field;

	if (read_number(in, key, UINT32_MAX, &number, err) < 0)
		return -1;
	*field = (uint32_t)number;
	return 0;
}

static int read_time(const struct json_node *in, const char *key, double *field,
		     struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_REAL, &value, err);
	double when;

	if (rc <= 0)
		return rc;
	when = value->kind == JSON_WHOLE ? (double)value->whole : value->real;
	if (!isfinite(when) || when < 0 || when >= TIME_MAX)
		return err_set(err, "record: %s: not a time", key);
	*field = when;
	return 0;
}

static int read_pair(const struct json_node *top, const char *key,
		     const char *second, int64_t *job, int64_t *number,
		     struct err *err)
{
	const struct json_node *o;
	int rc = get(top, key, JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	if (read_number(o, "job", UINT32_MAX, job, err) < 0 ||
	    read_number(o, second, UINT32_MAX, number, err) < 0)
		return -1;
	if (*job < 0 || *number < 0)
		return err_set(err, "record: %s: needs job and %s", key,
			       second);
	return 0;
}

static int read_head(const struct json_node *top, struct record *r,
		     struct err *err)
{
	if (read_word(top, "cluster", r->cluster, sizeof(r->cluster), err) <
		    0 ||
	    read_u32(top, "job", &r->job, err) < 0 ||
	    read_number(top, "restart", UINT32_MAX, &r->restart, err) < 0 ||
	    read_word(top, "node", r->node, sizeof(r->node), err) < 0 ||
	    read_text(top, "nodelist", &r->nodelist, RECORD_NODELIST_MAX, err) <
		    0 ||
	    read_word(top, "user", r->user, sizeof(r->user), err) < 0 ||
	    read_word(top, "boot_id", r->boot_id, sizeof(r->boot_id), err) <
		    0 ||
	    read_time(top, "up", &r->up, err) < 0 ||
	    read_time(top, "start", &r->start, err) < 0 ||
	    read_time(top, "end", &r->end, err) < 0 ||
	    read_pair(top, "array", "task", &r->array_job, &r->array_task,
		      err) < 0 ||
	    read_pair(top, "het", "offset", &r->het_job, &r->het_offset, err) <
		    0)
		return -1;
	if (!json_node_member(top, "uid") || !json_node_member(top, "start"))
		return err_set(err, "record: uid and start must be there");
	if (read_u32(top, "uid", &r->uid, err) < 0 ||
	    read_u32(top, "gid", &r->gid, err) < 0)
		return -1;
	return check_head(r, err);
}

static int read_answer(const struct json_node *o, const char *key, int *answer,
		       struct err *err)
{
	const struct json_node *value;
	int rc = get(o, key, JSON_BOOL, &value, err);

	if (rc > 0)
		*answer = value->is_true;
	return rc < 0 ? -1 : 0;
}

static int read_gate(const struct json_node *top, struct record *r,
		     struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "gate", JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	r->has_gate = true;
	return read_number(o, "warned", UINT32_MAX, &r->gate_warned, err) < 0 ||
			       read_number(o, "refused", UINT32_MAX,
					   &r->gate_refused, err) < 0 ||
			       read_text(o, "text", &r->gate_text,
					 RECORD_STRING_MAX, err) < 0
		       ? -1
		       : 0;
}

static int read_request(const struct json_node *top, struct record *r,
			struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "request", JSON_OBJECT, &o, err);

	if (rc < 0)
		return -1;
	if (rc > 0) {
		r->has_request = true;
		if (read_u32(o, "io_cores", &r->request.io_cores, err) < 0 ||
		    read_word(o, "profile", r->request.profile,
			      sizeof(r->request.profile), err) < 0 ||
		    read_answer(o, "applied", &r->profile_applied, err) < 0 ||
		    read_answer(o, "cores_met", &r->cores_met, err) < 0)
			return -1;
	}
	if (read_gate(top, r, err) < 0)
		return -1;
	return read_text(top, "refused", &r->refused, RECORD_STRING_MAX, err);
}

static int read_cores(const struct json_node *top, struct record *r,
		      struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "io_cores", JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	r->has_io_cores = true;
	if (read_number(o, "count", UINT32_MAX, &r->io_cores_count, err) < 0 ||
	    read_text(o, "abstract", &r->io_cores_abstract, RECORD_STRING_MAX,
		      err) < 0 ||
	    read_text(o, "os_cpus", &r->io_cores_os, RECORD_STRING_MAX, err) <
		    0)
		return -1;
	return 0;
}

/* One element of a list of objects. */
typedef int (*read_element)(const struct json_node *o, struct record *r,
			    void *arg, struct err *err);

static int read_list(const struct json_node *in, const char *key,
		     struct record *r, read_element one, void *arg,
		     struct err *err)
{
	const struct json_node *list, *o;
	int rc = get(in, key, JSON_LIST, &list, err);
	size_t i = 0;

	if (rc <= 0)
		return rc;
	if (list->list.count > RECORD_LIST_MAX)
		r->flags |= RECORD_FLAG(TRUNCATED);
	for (o = list->list.first; o && i < RECORD_LIST_MAX; o = o->next, i++) {
		if (o->kind != JSON_OBJECT)
			return err_set(err, "record: %s: must hold objects",
				       key);
		if (one(o, r, arg, err) < 0)
			return -1;
	}
	return 0;
}

static int read_mount(const struct json_node *o, struct record *r, void *arg,
		      struct err *err)
{
	struct record_mount *m;

	(void)arg;
	if (record_add_mount(r, NULL, NULL, NULL) < 0)
		return err_set(err, "record: out of memory");
	m = &r->mounts[r->mount_count - 1];
	if (read_text(o, "mount", &m->mount, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "fstype", &m->fstype, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "source", &m->source, RECORD_STRING_MAX, err) < 0)
		return -1;
	if (!m->mount || !m->fstype)
		return err_set(err, "record: mounts: need mount and fstype");
	return 0;
}

static int read_card(const struct json_node *client, struct record_client *c,
		     struct err *err)
{
	struct cpuset nodes;
	const struct json_node *o;
	int rc = get(client, "card", JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	if (read_text(o, "names", &c->cards, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "numa_nodes", &c->card_nodes, RECORD_STRING_MAX, err) <
		    0 ||
	    read_answer(o, "beside", &c->is_beside, err) < 0)
		return -1;
	if (!c->cards)
		return err_set(err, "record: card: needs names");
	if (c->card_nodes && cpuset_parse(&nodes, c->card_nodes, err) < 0)
		return err_prefix(err, "record: card: numa_nodes");
	return 0;
}

static int read_client(const struct json_node *o, struct record *r, void *arg,
		       struct err *err)
{
	struct record_client *c;

	(void)arg;
	if (record_add_client(r, NULL, NULL, NULL, NULL) < 0)
		return err_set(err, "record: out of memory");
	c = &r->clients[r->client_count - 1];
	if (read_word(o, "name", c->name, sizeof(c->name), err) < 0 ||
	    read_word(o, "type", c->type, sizeof(c->type), err) < 0 ||
	    read_word(o, "version", c->version, sizeof(c->version), err) < 0 ||
	    read_text(o, "cpus", &c->cpus, RECORD_STRING_MAX, err) < 0 ||
	    read_card(o, c, err) < 0)
		return -1;
	return read_list(o, "mounts", r, read_mount, NULL, err);
}

static int read_clients(const struct json_node *top, struct record *r,
			struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "client", JSON_OBJECT, &o, err);

	if (rc > 0)
		rc = read_client(o, r, NULL, err);
	if (rc < 0)
		return -1;
	return read_list(top, "more_clients", r, read_client, NULL, err);
}

static int read_change(const struct json_node *o, struct record *r, void *arg,
		       struct err *err)
{
	struct record_change *c;

	(void)arg;
	if (record_add_change(r, NULL, NULL, NULL, NULL, NULL, -1, -1) < 0)
		return err_set(err, "record: out of memory");
	c = &r->changes[r->change_count - 1];
	if (read_word(o, "client", c->client, sizeof(c->client), err) < 0 ||
	    read_text(o, "what", &c->what, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "target", &c->target, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "old", &c->old_value, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "new", &c->new_value, RECORD_STRING_MAX, err) < 0)
		return -1;
	/* "made" is younger than the others */
	return read_answer(o, "restored", &c->restored, err) < 0 ||
			       read_answer(o, "made", &c->made, err) < 0
		       ? -1
		       : 0;
}

static int read_finding(const struct json_node *o, struct record *r, void *arg,
			struct err *err)
{
	struct record_finding *f;

	(void)arg;
	if (record_add_finding(r, NULL, NULL, NULL, NULL) < 0)
		return err_set(err, "record: out of memory");
	f = &r->findings[r->finding_count - 1];
	if (read_word(o, "code", f->code, sizeof(f->code), err) < 0 ||
	    read_word(o, "severity", f->severity, sizeof(f->severity), err) <
		    0 ||
	    read_text(o, "text", &f->text, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "cure", &f->cure, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "target", &f->target, RECORD_STRING_MAX, err) < 0 ||
	    read_answer(o, "users", &f->is_users, err) < 0)
		return -1;
	if (strcmp(f->severity, "error") != 0 &&
	    strcmp(f->severity, "warning") != 0 &&
	    strcmp(f->severity, "info") != 0)
		return err_set(err,
			       "record: severity: '%s': must be error, "
			       "warning or info",
			       f->severity);
	return 0;
}

static int read_hist(const struct json_node *o, struct record_io *io,
		     unsigned int which, struct err *err)
{
	const struct json_node *list, *bin;
	int rc = get(o, hist_names[which], JSON_LIST, &list, err);
	size_t i = 0;

	if (rc <= 0)
		return rc;
	if (list->list.count > RECORD_BINS)
		return err_set(err, "record: %s: more than %d bins",
			       hist_names[which], RECORD_BINS);
	for (bin = list->list.first; bin; bin = bin->next) {
		if (bin->kind != JSON_WHOLE || bin->whole < 0)
			return err_set(err, "record: %s: must hold counts",
				       hist_names[which]);
		io->hist[which][i++] = bin->whole;
	}
	io->has_hist[which] = true;
	return 0;
}

/* A number for each name; what is missing stays unknown. */
static int read_each(const struct json_node *o, const char *const names[],
		     size_t count, int64_t numbers[], struct err *err)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (read_number(o, names[i], INT64_MAX, &numbers[i], err) < 0)
			return -1;
	return 0;
}

static int read_meta(const struct json_node *o, struct record_io *io,
		     struct err *err)
{
	const struct json_node *meta;
	int rc = get(o, "meta", JSON_OBJECT, &meta, err);

	if (rc <= 0)
		return rc;
	io->has_meta = true;
	return read_each(meta, meta_names, RECORD_META_COUNT, io->meta, err);
}

static int read_peak(const struct json_node *o, struct record_io *io,
		     struct err *err)
{
	const struct json_node *peak;
	int rc = get(o, "peak", JSON_OBJECT, &peak, err);

	if (rc <= 0)
		return rc;
	if (read_each(peak, peak_names, RECORD_PEAK_COUNT, io->peak, err) < 0)
		return -1;
	if (read_number(peak, "window_s", UINT32_MAX, &io->peak_window_s, err) <
	    0)
		return -1;
	if (io->peak_window_s < 1)
		return err_set(err, "record: peak: window_s must be there, "
				    "and at least 1");
	return 0;
}

static int read_lane(const struct json_node *o, unsigned int lane,
		     struct timeline *line, struct err *err)
{
	const struct json_node *list, *row;
	int rc = get(o, lane_names[lane], JSON_LIST, &list, err);
	size_t i = 0;

	if (rc <= 0)
		return rc;
	if (list->list.count > TIMELINE_ROWS)
		return err_set(err, "record: timeline: %s: more than %d rows",
			       lane_names[lane], TIMELINE_ROWS);
	for (row = list->list.first; row; row = row->next) {
		if (row->kind != JSON_WHOLE || row->whole < 0)
			return err_set(err,
				       "record: timeline: %s: must hold "
				       "numbers",
				       lane_names[lane]);
		line->rows[lane][i++] = row->whole;
	}
	line->count = i > line->count ? i : line->count;
	return 0;
}

/* A picture that says other than the numbers is none. */
static int check_lane(const struct record_io *io, unsigned int lane,
		      struct err *err)
{
	int64_t sum = timeline_sum(&io->timeline, lane), all = 0;
	const int64_t *n = io->numbers;

	if (lane == TIMELINE_CALLS) {
		all = n[RECORD_READ_CALLS] > 0 ? n[RECORD_READ_CALLS] : 0;
		if (n[RECORD_WRITE_CALLS] > 0)
			all = n[RECORD_WRITE_CALLS] > INT64_MAX - all
				      ? INT64_MAX
				      : all + n[RECORD_WRITE_CALLS];
	} else if (n[RECORD_READ_BYTES + lane] > 0) {
		all = n[RECORD_READ_BYTES + lane];
	}
	if (sum == all)
		return 0;
	return err_set(err,
		       "record: timeline: %s: its rows add up to '%lld', not "
		       "to %lld",
		       lane_names[lane], (long long)sum, (long long)all);
}

static int read_timeline(const struct json_node *o, struct record_io *io,
			 struct err *err)
{
	struct timeline line = { .start = RECORD_UNKNOWN };
	const struct json_node *timeline;
	int rc = get(o, "timeline", JSON_OBJECT, &timeline, err);
	unsigned int i;

	if (rc <= 0)
		return rc;
	if (read_number(timeline, "start", INT64_MAX, &line.start, err) < 0 ||
	    read_number(timeline, "width_s", INT64_MAX, &line.width, err) < 0)
		return -1;
	for (i = 0; i < TIMELINE_LANES; i++)
		if (read_lane(timeline, i, &line, err) < 0)
			return -1;
	if (!timeline_is_row(line.start, line.width) ||
	    !timeline_is_row(line.start + (int64_t)line.count * line.width,
			     line.width))
		return err_set(err, "record: timeline: width_s must be a power "
				    "of two, and start a multiple of it");
	timeline_add(&io->timeline, &line); /* without empty rows at its ends */
	for (i = 0; i < TIMELINE_LANES; i++)
		if (check_lane(io, i, err) < 0)
			return -1;
	return 0;
}

static int read_numbers(const struct json_node *o, struct record_io *io,
			struct err *err)
{
	char scope[RECORD_WORD_MAX] = "";
	unsigned int i;

	if (read_word(o, "scope", scope, sizeof(scope), err) < 0)
		return -1;
	if (strcmp(scope, "job") != 0 && strcmp(scope, "node") != 0)
		return err_set(err, "record: scope: '%s': must be job or node",
			       scope);
	io->scope = scope[0] == 'j' ? RECORD_SCOPE_JOB : RECORD_SCOPE_NODE;
	if (read_number(o, "shared", UINT32_MAX, &io->shared, err) < 0 ||
	    read_word(o, "source", io->source, sizeof(io->source), err) < 0 ||
	    read_word(o, "client", io->client, sizeof(io->client), err) < 0)
		return -1;
	if (!*io->source)
		return err_set(err, "record: source: must be there");
	if (read_each(o, number_names, RECORD_NUMBER_COUNT, io->numbers, err) <
	    0)
		return -1;
	if (read_peak(o, io, err) < 0 || read_timeline(o, io, err) < 0 ||
	    read_meta(o, io, err) < 0)
		return -1;
	for (i = 0; i < RECORD_HIST_COUNT; i++)
		if (read_hist(o, io, i, err) < 0)
			return -1;
	return 0;
}

static int read_io(const struct json_node *o, struct record *r, void *arg,
		   struct err *err)
{
	int (*add)(struct record *, const struct record_io *) =
		arg ? record_add_wire : record_add_app;
	struct record_io io;
	int rc = -1;

	record_io_init(&io);
	if (read_numbers(o, &io, err) < 0 ||
	    read_text(o, "fs", &io.fs, RECORD_STRING_MAX, err) < 0)
		goto out;
	if (add(r, &io) < 0) {
		err_set(err, "record: out of memory");
		goto out;
	}
	rc = 0;
out:
	free(io.fs);
	return rc;
}

static int read_quality(const struct json_node *top, struct record *r,
			struct err *err)
{
	const struct json_node *list, *flag;
	int rc = get(top, "quality", JSON_LIST, &list, err);
	char name[RECORD_WORD_MAX];

	if (rc <= 0)
		return rc;
	for (flag = list->list.first; flag; flag = flag->next) {
		if (flag->kind != JSON_TEXT)
			return err_set(err, "record: quality: must hold texts");
		/* one that does not fit is none of ours */
		snprintf(name, sizeof(name), "%.*s", (int)flag->text.size,
			 flag->text.bytes);
		r->flags |= record_flag(name);
	}
	return 0;
}

static int read_version(const struct json_node *top, struct err *err)
{
	int64_t version = 0;

	if (read_number(top, "jobio", INT64_MAX, &version, err) < 0)
		return -1;
	if (version != RECORD_VERSION)
		return err_set(err,
			       "record: jobio: '%lld': this program reads "
			       "version %d",
			       (long long)version, RECORD_VERSION);
	return 0;
}

static int read_all(const struct json_node *top, struct record *r,
		    struct err *err)
{
	static char is_wire;

	if (read_version(top, err) < 0 || read_head(top, r, err) < 0 ||
	    read_request(top, r, err) < 0 || read_cores(top, r, err) < 0 ||
	    read_clients(top, r, err) < 0 ||
	    read_list(top, "changes", r, read_change, NULL, err) < 0 ||
	    read_list(top, "findings", r, read_finding, NULL, err) < 0 ||
	    read_list(top, "app", r, read_io, NULL, err) < 0 ||
	    read_list(top, "wire", r, read_io, &is_wire, err) < 0 ||
	    read_number(top, "steps", UINT32_MAX, &r->steps, err) < 0 ||
	    read_quality(top, r, err) < 0)
		return -1;
	return 0;
}

/* The whole text must be one object, strictly JSON, bounded in depth. */
static struct json_tree *read_tree(const char *text, size_t size,
				   struct err *err)
{
	struct json_tree *tree;

	if (size > RECORD_TEXT_MAX) {
		err_set(err, "record: longer than %d bytes", RECORD_TEXT_MAX);
		return NULL;
	}
	while (size && strchr("\n\r\t ", text[size - 1]) && text[size - 1])
		size--;
	tree = json_tree_new(text, size, DEPTH_MAX, err);
	if (!tree)
		err_prefix(err, "record");
	return tree;
}

struct record *record_parse(const char *text, size_t size, struct err *err)
{
	struct json_tree *tree = read_tree(text, size, err);
	struct record *record;

	if (!tree)
		return NULL;
	record = record_new();
	if (!record) {
		err_set(err, "record: out of memory");
	} else if (read_all(json_tree_top(tree), record, err) < 0) {
		record_free(record);
		record = NULL;
	}
	json_tree_free(tree);
	return record;
}

/* All or nothing: what was read goes over when it was right to the end. */
static bool is_client_mount(const struct record *record, const char *fs)
{
	size_t i;

	for (i = 0; fs && i < record->mount_count; i++)
		if (record->mounts[i].mount &&
		    !strcmp(record->mounts[i].mount, fs))
			return true;
	return false;
}

/* The lines of one source that are the record's numbers; 0: none of them is,
 * and *others has those of filesystems that are not the client's. */
static uint64_t best_of(const struct record *record, enum record_scope scope,
			const char *source, uint64_t *others)
{
	uint64_t all_files = 0, client = 0, bit = 1;
	const struct record_io *io;
	size_t i;

	*others = 0;
	for (i = 0; i < record->app_count; i++, bit <<= 1) {
		io = &record->app[i];
		if (io->scope != scope || strcmp(io->source, source) != 0)
			continue;
		if (!io->fs)
			all_files |= bit;
		else if (is_client_mount(record, io->fs))
			client |= bit;
		else
			*others |= bit;
	}
	if (all_files)
		return all_files;
	return client || record->mount_count ? client : *others;
}

uint64_t record_best_app(const struct record *record, enum record_scope scope)
{
	uint64_t best, others, fallback = 0;
	size_t i;

	for (i = 0; i < record->app_count; i++) {
		if (record->app[i].scope != scope)
			continue;
		best = best_of(record, scope, record->app[i].source, &others);
		if (best)
			return best;
		if (!fallback)
			fallback = others;
	}
	return fallback;
}

int record_counters_add(struct record *record, const char *text, size_t size,
			struct err *err)
{
	struct json_tree *tree = read_tree(text, size, err);
	struct record *part = NULL;
	const struct json_node *top;
	int rc = -1;
	size_t i;

	if (!tree)
		return -1;
	top = json_tree_top(tree);
	part = record_new();
	if (!part) {
		err_set(err, "record: out of memory");
		goto out;
	}
	if (read_list(top, "app", part, read_io, NULL, err) < 0 ||
	    read_quality(top, part, err) < 0)
		goto out;
	for (i = 0; i < part->app_count; i++) {
		if (record_add_app(record, &part->app[i]) < 0) {
			err_set(err, "record: out of memory");
			goto out;
		}
	}
	record->flags |= part->flags;
	rc = 0;
out:
	record_free(part);
	json_tree_free(tree);
	return rc;
}
