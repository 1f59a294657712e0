/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/faultpoint.h"
#include "base/fileio.h"
#include "base/host.h"
#include "base/rundir.h"
#include "base/sysfs.h"
#include "client/query.h"
#include "client/type.h"
#include "record/alloc.h"
#include "record/json.h"

#define CACHE_FORMAT "2"
#define CACHE_BYTES_MAX (4U << 20)
#define KEY_MAX 4096

struct cache_key {
	char text[KEY_MAX];
	size_t used;
};

static int64_t uptime_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec;
}

static int cache_path(const struct client *client, char path[RUNDIR_PATH_MAX])
{
	if (!client->run_dir)
		return -1;
	return rundir_client_file(path, client->run_dir, client->section->name, NULL);
}

/* ---- the key ----------------------------------------------------------- */

void cache_key_text(struct cache_key *key, const char *text)
{
	int size = snprintf(key->text + key->used, KEY_MAX - key->used, "%s;", text);

	if (size > 0 && (size_t)size < KEY_MAX - key->used)
		key->used += (size_t)size;
}

void cache_key_file(struct cache_key *key, const char *path)
{
	char text[96] = "-";
	struct stat st;

	if (stat(path, &st) == 0)
		snprintf(text, sizeof(text), "%llu.%lld.%ld.%lld", (unsigned long long)st.st_ino,
			 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (long long)st.st_size);
	cache_key_text(key, text);
}

void cache_key_process(struct cache_key *key, long pid)
{
	unsigned long long ticks = 0;
	char text[64];

	if (process_start(pid, NULL, &ticks) < 0)
		snprintf(text, sizeof(text), "%ld.gone", pid);
	else
		snprintf(text, sizeof(text), "%ld.%llu", pid, ticks);
	cache_key_text(key, text);
}

static void make_key(const struct client *client, struct cache_key *key)
{
	char boot[64];

	memset(key, 0, sizeof(*key));
	host_boot_id(boot, sizeof(boot));
	cache_key_text(key, CACHE_FORMAT);
	cache_key_text(key, boot);
	cache_key_text(key, client->type->name);
	cache_key_text(key, client->section->name);
	client->type->key(client, key);
}

/* ---- values ------------------------------------------------------ */

int cache_answer(const struct json *cache, const char *name, struct query *query)
{
	const char *text = json_text(cache, name);

	query_clear(query);
	if (!text)
		return -1;
	query->text = xstrdup(text);
	query_set(query, QUERY_ANSWERED, NULL);
	return 0;
}

void cache_store_answer(struct json *cache, const char *name, const struct query *query)
{
	json_add_text(cache, name, query->text);
}

/* ---- read -------------------------------------------------------------- */

static bool holds(struct client *client, const struct json *cache)
{
	int64_t at = json_number(cache, "at"), age = uptime_s() - at;
	int64_t age_max = json_number(cache, "age_max");
	const char *kept = json_text(cache, "key");
	struct cache_key now;

	if (client->type->load(client, cache) < 0 || !kept || at < 0 || age < 0 ||
	    age > (age_max > 0 ? age_max : CACHE_AGE_MAX_S))
		return false;
	make_key(client, &now);
	client->queried_at_s = at;
	return !strcmp(kept, now.text);
}

bool cache_use(struct client *client)
{
	char path[RUNDIR_PATH_MAX], *text;
	struct json *cache;

	client->cached = false;
	if (!client->type->load || cache_path(client, path) < 0)
		return false;
	text = fileio_read(path, CACHE_BYTES_MAX, NULL, NULL);
	if (!text)
		return false;
	cache = json_parse(text);
	free(text);
	client->cached = cache && holds(client, cache);
	json_free(cache);
	return client->cached;
}

void cache_queried(struct client *client)
{
	client->cached = false;
	client->queried_at_s = uptime_s();
}

/* ---- write ------------------------------------------------------------- */

/* Return NULL if the type finds nothing worth storing. */
static struct json *new_cache(const struct client *client)
{
	struct json *cache = json_new_object();
	struct cache_key key;

	make_key(client, &key);
	json_add_text(cache, "key", key.text);
	json_add_number(cache, "at", client->queried_at_s);
	if (client->type->store(client, cache) == 0)
		return cache;
	json_free(cache);
	return NULL;
}

void cache_store(const struct client *client)
{
	char path[RUNDIR_PATH_MAX];
	struct json *json;
	const char *text;

	if (client->cached || !client->type->store || cache_path(client, path) < 0)
		return;
	json = new_cache(client);
	FAULT_POINT("cache before");
	if (json) {
		text = json_line(json);
		fileio_write_volatile(path, text, strlen(text), 0600, NULL);
	} else {
		unlink(path); /* it would be invalid */
	}
	FAULT_POINT("cache after");
	json_free(json);
}

void cache_drop(const struct client *client)
{
	char path[RUNDIR_PATH_MAX];

	if (cache_path(client, path) < 0)
		return;
	FAULT_POINT("drop cache before");
	unlink(path);
	FAULT_POINT("drop cache after");
}
