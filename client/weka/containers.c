/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WEKA's command line: `weka local ps -J` once, `weka local resources -J` twice a container (staged
 * and --stable). After a timeout it is not run again. Its output is cached. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/child.h"
#include "base/sysfs.h"
#include "client/cache.h"
#include "client/command.h"
#include "client/weka/facts.h"
#include "record/json.h"

#define PATH_TEXT_MAX 1024
#define WEKA_ARGS_MAX 16
/* If the driver lists the frontends' pids, each job checks that they run and are connected, without
 * a call of `weka`. */
#define WATCHED_AGE_MAX_S 86400

/* The 6.x command line is the old wekactl: disable its prompts. */
static char *const weka_env[] = { "WEKA_CLI_NO_INTERACTIVE=1", "WEKA_CLI_STYLE=plain", NULL };

static void make_argv(const struct client *client, const char *const args[],
		      char *argv[WEKA_ARGS_MAX])
{
	size_t i;

	argv[0] = client->section->command;
	for (i = 0; args[i] && i + 2 < WEKA_ARGS_MAX; i++)
		argv[i + 1] = (char *)args[i];
	argv[i + 1] = NULL;
}

/* Run a `weka ARGS` that only queries; the reply in *ask. `weka local status -J` took 4 to 6 s on a
 * healthy client (WEKA's public log of a conversion to 4.1), so the timeout is 1.5 times
 * timeout_ms; once ps has succeeded the others may exceed the budget, since their output is
 * cached. */
static void weka_query(struct client *client, struct query *query, const char *const args[])
{
	unsigned int limit_ms = client->section->timeout_ms * 3 / 2;
	unsigned long long end_ms = child_now_ms() + limit_ms;
	char *argv[WEKA_ARGS_MAX];

	make_argv(client, args, argv);
	if (weka_of(client)->ps.answer == QUERY_ANSWERED && client->deadline_ms < end_ms)
		client->deadline_ms = end_ms;
	client->query_ms = limit_ms;
	query_command(client, query, argv, weka_env);
	client->query_ms = 0;
}

int weka_order(struct client *client, unsigned int timeout_ms, const char *const args[],
	       struct err *err)
{
	struct child_result result = { 0 };
	struct query query = { 0 };
	char *argv[WEKA_ARGS_MAX];
	int rc = 0;

	make_argv(client, args, argv);
	if (command_run(client->run_dir, argv, weka_env, timeout_ms, &result, err) < 0)
		return -1;
	query_set_child(&query, &result);
	child_result_free(&result);
	if (query.answer != QUERY_ANSWERED)
		rc = err_set(err, "weka %s %s: %.400s", args[0], args[1], query.why);
	query_clear(&query);
	return rc;
}

static void read_resources(struct client *client, struct weka_unit *unit)
{
	const char *name = unit->info.name;
	const char *staged[] = { "local", "resources", "-C", name, "-J", NULL };
	const char *stable[] = { "local", "resources", "-C", name, "--stable", "-J", NULL };

	weka_query(client, &unit->staged_source, staged);
	if (!query_has_timed_out(&unit->staged_source))
		weka_query(client, &unit->stable_source, stable);
}

static void parse_resources(struct query *source, const char *name,
			    struct weka_resources *resources)
{
	struct err err;

	memset(resources, 0, sizeof(*resources));
	if (source->answer == QUERY_ANSWERED &&
	    weka_parse_resources(source->text, name, resources, &err) < 0)
		query_set(source, QUERY_FAILED, err.text);
}

static void parse_containers(struct client *client)
{
	struct weka_facts *facts = weka_of(client);
	const char *only = client->section->container;
	struct weka_containers all = { 0 };
	struct err err;
	size_t i;

	facts->containers_known = false;
	facts->others_running = 0;
	facts->count = 0;
	if (facts->ps.answer != QUERY_ANSWERED)
		return;
	if (weka_parse_ps(facts->ps.text, &all, &err) < 0) {
		query_set(&facts->ps, QUERY_FAILED, err.text);
		return;
	}
	facts->containers_known = true;
	for (i = 0; i < all.count; i++)
		if (!*only || !strcmp(only, all.item[i].name))
			facts->unit[facts->count++].info = all.item[i];
		else
			facts->others_running += all.item[i].running;
}

static void parse_all_resources(struct client *client)
{
	struct weka_unit *unit;

	weka_for_each(unit, client)
	{
		parse_resources(&unit->staged_source, unit->info.name, &unit->staged);
		parse_resources(&unit->stable_source, unit->info.name, &unit->stable);
	}
}

void weka_read_containers(struct client *client)
{
	static const char *const ps[] = { "local", "ps", "-J", NULL };
	struct weka_unit *unit;

	cache_queried(client);
	weka_query(client, &weka_of(client)->ps, ps);
	parse_containers(client);
	weka_for_each(unit, client)
	{
		read_resources(client, unit);
		if (query_has_timed_out(&unit->staged_source))
			break;
	}
	parse_all_resources(client);
}

/* ---- the cache --------------------------------------------------------- */

/* Add processes to the key. `weka local ps -J` has no known key for pids. The driver's file has,
 * and is read for each job: a restarted container has other frontends there, and a disconnected one
 * has none. systemd makes the folder of the agent's service again when it starts it. */
static void key_of_processes(const struct client *client, struct cache_key *key)
{
	const struct weka_interface *interface = &weka_of(client)->interface;
	char path[PATH_TEXT_MAX];
	size_t i;

	cache_key_process(key, weka_of(client)->agent_pid);
	snprintf(path, sizeof(path), "%s/system.slice/weka-agent.service",
		 client->section->cgroup_root);
	cache_key_file(key, path);
	for (i = 0; i < interface->link_count; i++)
		cache_key_process(key, interface->link[i].pid);
}

void weka_key(const struct client *client, struct cache_key *key)
{
	static const char *const files[] = { "resources.json", "resources.json.stable",
					     "resources.json.staging" };
	const struct config_client *section = client->section;
	const char *dot = strrchr(section->service_conf, '.');
	const struct weka_unit *unit;
	char path[PATH_TEXT_MAX];
	size_t i;

	cache_key_text(key, section->command);
	cache_key_text(key, section->container);
	cache_key_file(key, section->service_conf);
	cache_key_file(key, section->service_conf_alt);
	/* the agent's port: weka-operator writes service.json in the same folder */
	snprintf(path, sizeof(path), "%.*s.json", dot ? (int)(dot - section->service_conf) : 0,
		 section->service_conf);
	cache_key_file(key, path);
	key_of_processes(client, key);
	weka_for_each(unit, client)
	{
		for (i = 0; i < ARRAY_SIZE(files); i++) {
			snprintf(path, sizeof(path), "%s/%.*s/container/%s", section->data_dir,
				 WEKA_NAME_MAX - 1, unit->info.name, files[i]);
			cache_key_file(key, path);
		}
	}
}

int weka_load(struct client *client, const struct json *cache)
{
	struct weka_facts *facts = weka_of(client);
	struct weka_unit *unit;
	char name[32];
	int64_t agents;

	if (cache_answer(cache, "ps", &facts->ps) < 0)
		return -1;
	parse_containers(client);
	weka_for_each(unit, client)
	{
		snprintf(name, sizeof(name), "staged%td", unit - facts->unit);
		if (cache_answer(cache, name, &unit->staged_source) < 0)
			return -1;
		snprintf(name, sizeof(name), "stable%td", unit - facts->unit);
		if (cache_answer(cache, name, &unit->stable_source) < 0)
			return -1;
	}
	parse_all_resources(client);
	agents = json_number(cache, "agents");
	facts->agent_count = agents > 0 ? (unsigned int)agents : 0;
	weka_read_interface(client);
	return facts->containers_known ? 0 : -1;
}

static bool is_worth_keeping(const struct client *client)
{
	const struct weka_facts *facts = weka_of(client);
	const struct weka_unit *unit;

	if (!facts->containers_known || !facts->count || weka_agents_unknown(facts))
		return false;
	weka_for_each(unit, client) if (strcmp(unit->info.display_status, "READY") != 0 ||
					!unit->staged.known || !unit->stable.known) return false;
	return true;
}

int weka_store(const struct client *client, struct json *cache)
{
	const struct weka_facts *facts = weka_of(client);
	const struct weka_unit *unit;
	char name[32];

	if (!is_worth_keeping(client))
		return -1;
	if (facts->interface.link_count &&
	    process_start(facts->interface.link[0].pid, NULL, NULL) == 0)
		json_add_number(cache, "age_max", WATCHED_AGE_MAX_S);
	json_add_number(cache, "agents", facts->agent_count);
	cache_store_answer(cache, "ps", &facts->ps);
	weka_for_each(unit, client)
	{
		snprintf(name, sizeof(name), "staged%td", unit - facts->unit);
		cache_store_answer(cache, name, &unit->staged_source);
		snprintf(name, sizeof(name), "stable%td", unit - facts->unit);
		cache_store_answer(cache, name, &unit->stable_source);
	}
	return 0;
}
