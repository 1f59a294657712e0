/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "record/alloc.h"
#include "record/field.h"

/* ---- names --------------------------------------------------------------- */

#define FLAG_NAME(id, name, words) name,
#define FLAG_WORDS(id, name, words) words,
static const char *const flag_names[] = { RECORD_FLAGS(FLAG_NAME) };
static const char *const flag_words[] = { RECORD_FLAGS(FLAG_WORDS) };

const char *record_flag_name(unsigned int bit)
{
	return bit < RECORD_FLAG_COUNT ? flag_names[bit] : NULL;
}

const char *record_flag_words(unsigned int bit)
{
	return bit < RECORD_FLAG_COUNT ? flag_words[bit] : NULL;
}

uint64_t record_flag(const char *name)
{
	unsigned int bit;

	for (bit = 0; bit < RECORD_FLAG_COUNT; bit++)
		if (!strcmp(flag_names[bit], name))
			return UINT64_C(1) << bit;
	return RECORD_FLAG(OTHER);
}

/* ---- text ---------------------------------------------------------------- */

void record_set(char **field, const char *text)
{
	field_set(field, text, RECORD_NODELIST_MAX);
}

void record_set_unmet(struct record *record)
{
	if (!record->has_request)
		return;
	if (*record->request.profile)
		record->profile_applied = 0;
	if (record->request.io_cores)
		record->cores_met = 0;
}

static bool is_any_known(const struct io *list, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (io_is_known(&list[i]))
			return true;
	return false;
}

int record_weight(const struct record *record)
{
	return 2 * is_any_known(record->app, record->app_count) +
	       is_any_known(record->client_io, record->client_io_count);
}

static bool has_flag(const struct record *record, uint64_t flag)
{
	return record->flags & flag;
}

bool record_is_better(const struct record *a, uint64_t digest_a, const struct record *b,
		      uint64_t digest_b)
{
	static const uint64_t worse[] = { RECORD_FLAG(START_UNKNOWN), RECORD_FLAG(NODE_REBOOTED) };
	size_t i;

	if (record_weight(a) != record_weight(b))
		return record_weight(a) > record_weight(b);
	for (i = 0; i < sizeof(worse) / sizeof(*worse); i++)
		if (has_flag(a, worse[i]) != has_flag(b, worse[i]))
			return has_flag(b, worse[i]);
	if (a->end < b->end || a->end > b->end)
		return a->end > b->end;
	return digest_a > digest_b;
}

void record_set_io_cores(struct record *record, const struct cpuset *abs_cores,
			 const struct cpuset *os_cpus)
{
	char *abstract = xneed(cpuset_format(abs_cores));
	char *os = xneed(cpuset_format(os_cpus));

	record_set(&record->io_cores_abstract, abstract);
	record_set(&record->io_cores_os, os);
	record->io_cores_count = cpuset_count(abs_cores);
	record->has_io_cores = true;
	free(abstract);
	free(os);
}

static void set_short(char **field, const char *text)
{
	field_set(field, text, RECORD_STRING_MAX);
}

static void set_array(char *field, size_t room, const char *text)
{
	utf8_clean(field, room, text ? text : "", text ? strlen(text) : 0);
}

/* ---- the struct ---------------------------------------------------------- */

/* Append a zeroed element to a list; NULL: the list is full, the flag is set. */
static void *grow(struct record *record, void **list, size_t *count, size_t size)
{
	if (*count >= RECORD_LIST_MAX) {
		record->flags |= RECORD_FLAG(TRUNCATED);
		return NULL;
	}
	*list = xmore(*list, *count, size);
	return memset((char *)*list + (*count)++ * size, 0, size);
}

/* A cut list would contain other CPUs: a long one is unknown. */
static void set_cpus(char **field, const struct cpuset *os_cpus)
{
	char *list = xneed(cpuset_format(os_cpus));

	set_short(field, *list && strlen(list) <= RECORD_STRING_MAX ? list : NULL);
	free(list);
}

void record_set_job_cpus(struct record *record, const struct cpuset *os_cpus)
{
	set_cpus(&record->job_cpus, os_cpus);
}

void record_add_part(struct record *record, int64_t socket, int64_t numa_node,
		     const struct cpuset *os_cpus)
{
	struct record_part *new =
		grow(record, (void **)&record->parts, &record->part_count, sizeof(*new));

	if (!new)
		return;
	new->socket = socket;
	new->numa_node = numa_node;
	set_cpus(&new->cpus, os_cpus);
}

void record_add_client(struct record *record, const char *name, const char *type,
		       const char *version, const char *cpus)
{
	struct record_client *new =
		grow(record, (void **)&record->clients, &record->client_count, sizeof(*new));

	if (!new)
		return;
	new->is_numa_local = -1;
	set_array(new->name, sizeof(new->name), name);
	set_array(new->type, sizeof(new->type), type);
	set_array(new->version, sizeof(new->version), version);
	set_short(&new->cpus, cpus);
}

void record_set_app_to_wire(struct record *record, const char *words)
{
	struct record_client *client;

	if (!record->client_count)
		return;
	client = &record->clients[record->client_count - 1];
	set_array(client->app_to_wire, sizeof(client->app_to_wire), words);
}

void record_set_nics(struct record *record, const char *names, const struct cpuset *numa_nodes)
{
	struct record_client *client;

	if (!record->client_count)
		return;
	client = &record->clients[record->client_count - 1];
	set_short(&client->nics, names);
	set_cpus(&client->nic_numa_nodes, numa_nodes);
}

const struct record_client *record_client_named(const struct record *record, const char *name)
{
	size_t i;

	for (i = 0; i < record->client_count; i++)
		if (!name || !*name || !strcmp(record->clients[i].name, name))
			return &record->clients[i];
	return NULL;
}

void record_add_mount(struct record *record, const char *mount, const char *fstype,
		      const char *source)
{
	struct record_mount *new =
		grow(record, (void **)&record->mounts, &record->mount_count, sizeof(*new));

	if (!new)
		return;
	new->client = record->client_count ? record->client_count - 1 : 0;
	set_short(&new->mount, mount);
	set_short(&new->fstype, fstype);
	set_short(&new->source, source);
}

static void add_io(struct record *record, struct io **list, size_t *count, const struct io *io)
{
	struct io *new = grow(record, (void **)list, count, sizeof(**list));

	if (!new)
		return;
	*new = *io;
	new->fs = NULL;
	set_short(&new->fs, io->fs);
}

void record_add_app(struct record *record, const struct io *io)
{
	add_io(record, &record->app, &record->app_count, io);
}

void record_add_client_io(struct record *record, const struct io *io)
{
	add_io(record, &record->client_io, &record->client_io_count, io);
}

/* ---- the best counters ----------------------------------------------------- */

static bool is_client_mount(const struct record *record, const char *fs)
{
	size_t i;

	for (i = 0; fs && i < record->mount_count; i++)
		if (record->mounts[i].mount && !strcmp(record->mounts[i].mount, fs))
			return true;
	return false;
}

/* Return the lines of one source that are the record's numbers; 0: there are none, and *others has
 * those of filesystems that are not the client's. */
static uint64_t best_of(const struct record *record, int scope, const char *source,
			uint64_t *others)
{
	uint64_t all_files = 0, client = 0, bit = 1;
	const struct io *io;
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

uint64_t record_best_app(const struct record *record, int scope)
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
