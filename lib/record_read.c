/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record from text, which nobody has to believe. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/json_tree.h"
#include "lib/record_parts.h"
#include "lib/utf8.h"

#define DEPTH_MAX 8

/* ---- values -------------------------------------------------------------- */

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
	if ((*value)->kind != kind && !(kind == JSON_REAL && (*value)->kind == JSON_WHOLE))
		return err_set(err, "record: %s: must be %s or null", key, names[kind]);
	return 1;
}

static int read_text(const struct json_node *in, const char *key, char **field, size_t max,
		     struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_TEXT, &value, err);

	if (rc <= 0)
		return rc;
	if (value->text.size > max)
		return err_set(err, "record: %s: longer than %zu bytes", key, max);
	record_set_sized(field, value->text.bytes, value->text.size, max);
	return 0;
}

static int read_word(const struct json_node *in, const char *key, char *field, size_t room,
		     struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_TEXT, &value, err);

	if (rc <= 0)
		return rc;
	if (value->text.size >= room)
		return err_set(err, "record: %s: longer than %zu bytes", key, room - 1);
	utf8_clean(field, room, value->text.bytes, value->text.size);
	return 0;
}

static int read_number(const struct json_node *in, const char *key, int64_t max, int64_t *field,
		       struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_WHOLE, &value, err);
	int64_t number;

	if (rc <= 0)
		return rc;
	number = value->whole;
	if (number < 0 || number > max)
		return err_set(err, "record: %s: '%lld': must be 0 to %lld", key, (long long)number,
			       (long long)max);
	*field = number;
	return 0;
}

static int read_u32(const struct json_node *in, const char *key, uint32_t *field, struct err *err)
{
	int64_t number = *field;

	if (read_number(in, key, UINT32_MAX, &number, err) < 0)
		return -1;
	*field = (uint32_t)number;
	return 0;
}

static int read_time(const struct json_node *in, const char *key, double *field, struct err *err)
{
	const struct json_node *value;
	int rc = get(in, key, JSON_REAL, &value, err);
	double when;

	if (rc <= 0)
		return rc;
	when = value->kind == JSON_WHOLE ? (double)value->whole : value->real;
	if (!isfinite(when) || when < 0 || when >= RECORD_TIME_MAX)
		return err_set(err, "record: %s: not a time", key);
	*field = when;
	return 0;
}

/* ---- job and node -------------------------------------------------------- */

static int read_pair(const struct json_node *top, const char *key, const char *second, int64_t *job,
		     int64_t *number, struct err *err)
{
	const struct json_node *o;
	int rc = get(top, key, JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	if (read_number(o, "job", UINT32_MAX, job, err) < 0 ||
	    read_number(o, second, UINT32_MAX, number, err) < 0)
		return -1;
	if (*job < 0 || *number < 0)
		return err_set(err, "record: %s: needs job and %s", key, second);
	return 0;
}

static int read_head(const struct json_node *top, struct record *r, struct err *err)
{
	if (read_word(top, "cluster", r->cluster, sizeof(r->cluster), err) < 0 ||
	    read_u32(top, "job", &r->job, err) < 0 ||
	    read_number(top, "restart", UINT32_MAX, &r->restart, err) < 0 ||
	    read_word(top, "node", r->node, sizeof(r->node), err) < 0 ||
	    read_text(top, "nodelist", &r->nodelist, RECORD_NODELIST_MAX, err) < 0 ||
	    read_word(top, "user", r->user, sizeof(r->user), err) < 0 ||
	    read_word(top, "boot_id", r->boot_id, sizeof(r->boot_id), err) < 0 ||
	    read_time(top, "up", &r->up, err) < 0 || read_time(top, "start", &r->start, err) < 0 ||
	    read_time(top, "end", &r->end, err) < 0 ||
	    read_pair(top, "array", "task", &r->array_job, &r->array_task, err) < 0 ||
	    read_pair(top, "het", "offset", &r->het_job, &r->het_offset, err) < 0)
		return -1;
	if (!json_node_member(top, "uid") || !json_node_member(top, "start"))
		return err_set(err, "record: uid and start must be there");
	if (read_u32(top, "uid", &r->uid, err) < 0 || read_u32(top, "gid", &r->gid, err) < 0)
		return -1;
	return record_check_head(r, err);
}

static int read_answer(const struct json_node *o, const char *key, int *answer, struct err *err)
{
	const struct json_node *value;
	int rc = get(o, key, JSON_BOOL, &value, err);

	if (rc > 0)
		*answer = value->is_true;
	return rc < 0 ? -1 : 0;
}

static int read_gate(const struct json_node *top, struct record *r, struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "gate", JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	r->has_gate = true;
	return read_number(o, "warned", UINT32_MAX, &r->gate_warned, err) < 0 ||
			       read_number(o, "refused", UINT32_MAX, &r->gate_refused, err) < 0 ||
			       read_text(o, "text", &r->gate_text, RECORD_STRING_MAX, err) < 0
		       ? -1
		       : 0;
}

static int read_request(const struct json_node *top, struct record *r, struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "request", JSON_OBJECT, &o, err);

	if (rc < 0)
		return -1;
	if (rc > 0) {
		r->has_request = true;
		if (read_u32(o, "io_cores", &r->request.io_cores, err) < 0 ||
		    read_word(o, "profile", r->request.profile, sizeof(r->request.profile), err) <
			    0 ||
		    read_answer(o, "applied", &r->profile_applied, err) < 0 ||
		    read_answer(o, "cores_met", &r->cores_met, err) < 0)
			return -1;
	}
	if (read_gate(top, r, err) < 0)
		return -1;
	return read_text(top, "refused", &r->refused, RECORD_STRING_MAX, err);
}

static int read_cores(const struct json_node *top, struct record *r, struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "io_cores", JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	r->has_io_cores = true;
	if (read_number(o, "count", UINT32_MAX, &r->io_cores_count, err) < 0 ||
	    read_text(o, "abstract", &r->io_cores_abstract, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "os_cpus", &r->io_cores_os, RECORD_STRING_MAX, err) < 0)
		return -1;
	return 0;
}

/* ---- lists --------------------------------------------------------------- */

/* One element of a list of objects. */
typedef int (*read_element)(const struct json_node *o, struct record *r, void *arg,
			    struct err *err);

static int read_list(const struct json_node *in, const char *key, struct record *r,
		     read_element one, void *arg, struct err *err)
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
			return err_set(err, "record: %s: must hold objects", key);
		if (one(o, r, arg, err) < 0)
			return -1;
	}
	return 0;
}

/* A list of CPUs or null. */
static int read_cpus(const struct json_node *o, const char *key, char **field, struct err *err)
{
	struct cpuset cpus;

	if (read_text(o, key, field, RECORD_STRING_MAX, err) < 0)
		return -1;
	if (*field && cpuset_parse(&cpus, *field, err) < 0)
		return err_prefix(err, "record: machine");
	return 0;
}

static int read_part(const struct json_node *o, struct record *r, void *arg, struct err *err)
{
	static const struct cpuset none;
	struct record_part *part;

	(void)arg;
	record_add_part(r, RECORD_UNKNOWN, RECORD_UNKNOWN, &none);
	part = &r->parts[r->part_count - 1];
	return read_number(o, "socket", UINT16_MAX, &part->socket, err) < 0 ||
			       read_number(o, "numa_node", UINT16_MAX, &part->numa_node, err) < 0 ||
			       read_cpus(o, "cpus", &part->cpus, err) < 0
		       ? -1
		       : 0;
}

static int read_machine(const struct json_node *top, struct record *r, struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "machine", JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	if (read_cpus(o, "job_cpus", &r->job_cpus, err) < 0)
		return -1;
	return read_list(o, "parts", r, read_part, NULL, err);
}

static int read_mount(const struct json_node *o, struct record *r, void *arg, struct err *err)
{
	size_t before = r->mount_count;
	struct record_mount *m;

	(void)arg;
	record_add_mount(r, NULL, NULL, NULL);
	if (r->mount_count == before) /* those of all clients are one list */
		return 0;
	m = &r->mounts[r->mount_count - 1];
	if (read_text(o, "mount", &m->mount, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "fstype", &m->fstype, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "source", &m->source, RECORD_STRING_MAX, err) < 0)
		return -1;
	if (!m->mount || !m->fstype)
		return err_set(err, "record: mounts: need mount and fstype");
	return 0;
}

static int read_card(const struct json_node *client, struct record_client *c, struct err *err)
{
	struct cpuset nodes;
	const struct json_node *o;
	int rc = get(client, "card", JSON_OBJECT, &o, err);

	if (rc <= 0)
		return rc;
	if (read_text(o, "names", &c->cards, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "numa_nodes", &c->card_nodes, RECORD_STRING_MAX, err) < 0 ||
	    read_answer(o, "beside", &c->is_beside, err) < 0)
		return -1;
	if (!c->cards)
		return err_set(err, "record: card: needs names");
	if (c->card_nodes && cpuset_parse(&nodes, c->card_nodes, err) < 0)
		return err_prefix(err, "record: card: numa_nodes");
	return 0;
}

static int read_client(const struct json_node *o, struct record *r, void *arg, struct err *err)
{
	size_t before = r->client_count;
	struct record_client *c;

	(void)arg;
	record_add_client(r, NULL, NULL, NULL, NULL);
	if (r->client_count == before) /* the first one is not in the list */
		return 0;
	c = &r->clients[r->client_count - 1];
	if (read_word(o, "name", c->name, sizeof(c->name), err) < 0 ||
	    read_word(o, "type", c->type, sizeof(c->type), err) < 0 ||
	    read_word(o, "version", c->version, sizeof(c->version), err) < 0 ||
	    read_text(o, "cpus", &c->cpus, RECORD_STRING_MAX, err) < 0 ||
	    read_word(o, "app_to_wire", c->app_to_wire, sizeof(c->app_to_wire), err) < 0 ||
	    read_card(o, c, err) < 0)
		return -1;
	return read_list(o, "mounts", r, read_mount, NULL, err);
}

static int read_clients(const struct json_node *top, struct record *r, struct err *err)
{
	const struct json_node *o;
	int rc = get(top, "client", JSON_OBJECT, &o, err);

	if (rc > 0)
		rc = read_client(o, r, NULL, err);
	if (rc < 0)
		return -1;
	return read_list(top, "more_clients", r, read_client, NULL, err);
}

static int read_change(const struct json_node *o, struct record *r, void *arg, struct err *err)
{
	struct record_change *c;

	(void)arg;
	record_add_change(r, NULL, NULL, NULL, NULL, NULL, -1, -1);
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

static int read_finding(const struct json_node *o, struct record *r, void *arg, struct err *err)
{
	struct record_finding *f;

	(void)arg;
	record_add_finding(r, NULL, NULL, NULL, NULL);
	f = &r->findings[r->finding_count - 1];
	if (read_word(o, "code", f->code, sizeof(f->code), err) < 0 ||
	    read_word(o, "severity", f->severity, sizeof(f->severity), err) < 0 ||
	    read_text(o, "text", &f->text, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "cure", &f->cure, RECORD_STRING_MAX, err) < 0 ||
	    read_text(o, "target", &f->target, RECORD_STRING_MAX, err) < 0 ||
	    read_answer(o, "users", &f->is_users, err) < 0)
		return -1;
	if (strcmp(f->severity, "error") != 0 && strcmp(f->severity, "warning") != 0 &&
	    strcmp(f->severity, "info") != 0)
		return err_set(err, "record: severity: '%s': must be error, warning or info",
			       f->severity);
	return 0;
}

/* ---- counters ------------------------------------------------------------ */

static int read_hist(const struct json_node *o, struct io *io, unsigned int which, struct err *err)
{
	const struct json_node *list, *bin;
	int rc = get(o, io_hist_names[which], JSON_LIST, &list, err);
	size_t i = 0;

	if (rc <= 0)
		return rc;
	if (list->list.count > IO_BINS)
		return err_set(err, "record: %s: more than %d bins", io_hist_names[which], IO_BINS);
	for (bin = list->list.first; bin; bin = bin->next) {
		if (bin->kind != JSON_WHOLE || bin->whole < 0)
			return err_set(err, "record: %s: must hold counts", io_hist_names[which]);
		io->hist[which][i++] = bin->whole;
	}
	io->has_hist[which] = true;
	return 0;
}

/* What is missing stays unknown. */
static int read_quantities(const struct json_node *o, struct io *io, int first, int end,
			   struct err *err)
{
	int i;

	for (i = first; i < end; i++)
		if (read_number(o, io_quantities[i].key, INT64_MAX, &io->numbers[i], err) < 0)
			return -1;
	return 0;
}

static int read_group(const struct json_node *o, const char *key, struct io *io, int first, int end,
		      struct err *err)
{
	const struct json_node *group;
	int rc = get(o, key, JSON_OBJECT, &group, err);

	return rc <= 0 ? rc : read_quantities(group, io, first, end, err);
}

static int read_peak(const struct json_node *o, struct io *io, struct err *err)
{
	if (read_group(o, "peak", io, IO_PEAK_READ, IO_OP_OPEN, err) < 0)
		return -1;
	if (json_node_member(o, "peak") && json_node_member(o, "peak")->kind == JSON_OBJECT &&
	    io->numbers[IO_PEAK_WINDOW_S] < 1)
		return err_set(err, "record: peak: window_s must be there, and at least 1");
	return 0;
}

/* What has no name here is of a later version. */
static int read_errors(const struct json_node *o, struct io *io, struct err *err)
{
	const struct json_node *errors, *one;
	int i, k, rc = get(o, "errors", JSON_OBJECT, &errors, err);

	for (i = 0; rc > 0 && i < IO_ERRNO_COUNT; i++) {
		rc = get(errors, io_errno_names[i], JSON_OBJECT, &one, err);
		for (k = 0; rc > 0 && k < IO_CLASS_COUNT; k++)
			if (read_number(one, io_class_names[k], INT64_MAX, &io->errors[i][k], err) <
			    0)
				rc = -1;
		rc = rc < 0 ? -1 : 1;
	}
	return rc < 0 ? -1 : 0;
}

static int read_lane(const struct json_node *o, unsigned int lane, struct timeline *line,
		     struct err *err)
{
	const struct json_node *list, *row;
	int rc = get(o, io_lane_names[lane], JSON_LIST, &list, err);
	size_t i = 0;

	if (rc <= 0)
		return rc;
	if (list->list.count > TIMELINE_ROWS)
		return err_set(err, "record: timeline: %s: more than %d rows", io_lane_names[lane],
			       TIMELINE_ROWS);
	for (row = list->list.first; row; row = row->next) {
		if (row->kind != JSON_WHOLE || row->whole < 0)
			return err_set(err, "record: timeline: %s: must hold numbers",
				       io_lane_names[lane]);
		line->rows[lane][i++] = row->whole;
	}
	line->count = i > line->count ? i : line->count;
	return 0;
}

/* A picture that says other than the numbers is none. */
static int check_lane(const struct io *io, unsigned int lane, struct err *err)
{
	int64_t sum = timeline_sum(&io->timeline, lane), all = 0;
	const int64_t *n = io->numbers;

	if (lane == TIMELINE_CALLS) {
		all = n[IO_READ_CALLS] > 0 ? n[IO_READ_CALLS] : 0;
		if (n[IO_WRITE_CALLS] > 0)
			all = n[IO_WRITE_CALLS] > INT64_MAX - all ? INT64_MAX
								  : all + n[IO_WRITE_CALLS];
	} else if (n[IO_READ_BYTES + lane] > 0) {
		all = n[IO_READ_BYTES + lane];
	}
	if (sum == all)
		return 0;
	return err_set(err, "record: timeline: %s: its rows add up to '%lld', not to %lld",
		       io_lane_names[lane], (long long)sum, (long long)all);
}

static int read_timeline(const struct json_node *o, struct io *io, struct err *err)
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
	    !timeline_is_row(line.start + (int64_t)line.count * line.width, line.width))
		return err_set(
			err,
			"record: timeline: width_s must be a power of two, and start a multiple of it");
	timeline_add(&io->timeline, &line); /* without empty rows at its ends */
	for (i = 0; i <= TIMELINE_CALLS; i++)
		if (check_lane(io, i, err) < 0)
			return -1;
	return 0;
}

static int read_numbers(const struct json_node *o, struct io *io, struct err *err)
{
	char scope[RECORD_WORD_MAX] = "";
	unsigned int i;

	if (read_word(o, "scope", scope, sizeof(scope), err) < 0)
		return -1;
	if (strcmp(scope, "job") != 0 && strcmp(scope, "node") != 0)
		return err_set(err, "record: scope: '%s': must be job or node", scope);
	io->scope = scope[0] == 'j' ? IO_SCOPE_JOB : IO_SCOPE_NODE;
	if (read_number(o, "shared", UINT32_MAX, &io->shared, err) < 0 ||
	    read_word(o, "source", io->source, sizeof(io->source), err) < 0 ||
	    read_word(o, "client", io->client, sizeof(io->client), err) < 0)
		return -1;
	if (!*io->source)
		return err_set(err, "record: source: must be there");
	if (read_quantities(o, io, 0, IO_PEAK_READ, err) < 0 || read_peak(o, io, err) < 0 ||
	    read_timeline(o, io, err) < 0 ||
	    read_group(o, "meta", io, IO_OP_OPEN, IO_COUNT, err) < 0 || read_errors(o, io, err) < 0)
		return -1;
	for (i = 0; i < IO_HISTS; i++)
		if (read_hist(o, io, i, err) < 0)
			return -1;
	return 0;
}

static int read_io(const struct json_node *o, struct record *r, void *arg, struct err *err)
{
	struct io io;
	int rc;

	io_init(&io);
	rc = read_numbers(o, &io, err) < 0 || read_text(o, "fs", &io.fs, RECORD_STRING_MAX, err) < 0
		     ? -1
		     : 0;
	if (rc == 0)
		(arg ? record_add_wire : record_add_app)(r, &io);
	free(io.fs);
	return rc;
}

static int read_quality(const struct json_node *top, struct record *r, struct err *err)
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
		snprintf(name, sizeof(name), "%.*s", (int)flag->text.size, flag->text.bytes);
		r->flags |= record_flag(name);
	}
	return 0;
}

/* ---- the whole ----------------------------------------------------------- */

static int read_version(const struct json_node *top, struct err *err)
{
	int64_t version = 0;

	if (read_number(top, "jobio", INT64_MAX, &version, err) < 0)
		return -1;
	if (version != RECORD_VERSION)
		return err_set(err, "record: jobio: '%lld': this program reads version %d",
			       (long long)version, RECORD_VERSION);
	return 0;
}

static int read_all(const struct json_node *top, struct record *r, struct err *err)
{
	static char is_wire;

	if (read_version(top, err) < 0 || read_head(top, r, err) < 0 ||
	    read_request(top, r, err) < 0 || read_cores(top, r, err) < 0 ||
	    read_machine(top, r, err) < 0 || read_clients(top, r, err) < 0 ||
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
static struct json_tree *read_tree(const char *text, size_t size, struct err *err)
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
	if (read_all(json_tree_top(tree), record, err) < 0) {
		record_free(record);
		record = NULL;
	}
	json_tree_free(tree);
	return record;
}

/* All or nothing: what was read goes over when it was right to the end. */
int record_counters_add(struct record *record, const char *text, size_t size, struct err *err)
{
	struct json_tree *tree = read_tree(text, size, err);
	const struct json_node *top;
	struct record *part;
	int rc = -1;
	size_t i;

	if (!tree)
		return -1;
	top = json_tree_top(tree);
	part = record_new();
	if (read_list(top, "app", part, read_io, NULL, err) < 0 || read_quality(top, part, err) < 0)
		goto out;
	for (i = 0; i < part->app_count; i++)
		record_add_app(record, &part->app[i]);
	record->flags |= part->flags;
	rc = 0;
out:
	record_free(part);
	json_tree_free(tree);
	return rc;
}
