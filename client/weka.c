/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inspecting the WEKA client. Commands: `weka local ps -J` once, `weka local
 * resources -J` twice a container (staged and --stable); everything else is a
 * file. When the command line hangs once it is not called again. */
#include "client/weka.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "client/command.h"
#include "lib/sysfs.h"
#include "lib/faultpoint.h"
#include "lib/fileio.h"
#include "lib/number.h"

#define CONF_BYTES_MAX (256U << 10)
#define PATH_TEXT_MAX 1024
/* Facts without a trace in any file (health) are believed for so long. */
#define CACHE_AGE_MAX_S 600
#define CACHE_FORMAT 1
#define WEKA_ARGS_MAX 16

static void source_set(struct weka_source *source, enum weka_answer answer,
		       const char *why)
{
	source->answer = answer;
	snprintf(source->why, sizeof(source->why), "%s", why ? why : "");
}

static void source_clear(struct weka_source *source)
{
	free(source->text);
	memset(source, 0, sizeof(*source));
}

void weka_facts_clear(struct weka_facts *facts)
{
	size_t i;

	mounts_free(facts->mounts);
	source_clear(&facts->ps);
	source_clear(&facts->interface_source);
	for (i = 0; i < WEKA_CONTAINERS_MAX; i++) {
		source_clear(&facts->staged_source[i]);
		source_clear(&facts->stable_source[i]);
	}
	memset(facts, 0, sizeof(*facts));
}

/* ---- commands ---------------------------------------------------------- */

static unsigned int time_left(const struct client *client)
{
	unsigned long long now = child_now_ms();

	return now >= client->deadline_ms
		       ? 0
		       : (unsigned int)(client->deadline_ms - now);
}

/* The deadline of one fact. */
static unsigned int fact_ms(const struct client *client)
{
	unsigned int left_ms = time_left(client);

	return left_ms < client->section->timeout_ms
		       ? left_ms
		       : client->section->timeout_ms;
}

/* Of a child that did not answer; errno says why. */
static enum weka_answer failure(const struct client *client,
				unsigned int timeout_ms)
{
	if (errno != ETIMEDOUT)
		return WEKA_FAILED;
	return timeout_ms < client->section->timeout_ms / 2 ? WEKA_NO_TIME
							    : WEKA_HUNG;
}

/* Whoever does not answer once is not asked again. */
static bool is_silent(const struct weka_source *source)
{
	return source->answer == WEKA_HUNG || source->answer == WEKA_NO_TIME;
}

static void take_result(struct weka_source *source, struct child_result *result)
{
	char *line;

	if (result->status == 0) {
		source->text = result->out;
		result->out = NULL;
		source_set(source, WEKA_ANSWERED, NULL);
	} else if (result->status == 126 || result->status == 127) {
		source_set(source, WEKA_MISSING, result->errtext);
	} else {
		line = *result->errtext ? result->errtext : result->out;
		line[strcspn(line, "\n")] = '\0';
		snprintf(source->why, sizeof(source->why),
			 "exit status %d: %.400s", result->status,
			 *line ? line : "no message");
		source->answer = WEKA_FAILED;
	}
}

/* The 6.x command line is the old wekactl: tell it that nobody is there to
 * talk to. */
static char *const weka_env[] = { "WEKA_CLI_NO_INTERACTIVE=1",
				  "WEKA_CLI_STYLE=plain", NULL };

static void make_argv(const struct client *client, const char *const args[],
		      char *argv[WEKA_ARGS_MAX])
{
	size_t i;

	argv[0] = client->section->command;
	for (i = 0; args[i] && i + 2 < WEKA_ARGS_MAX; i++)
		argv[i + 1] = (char *)args[i];
	argv[i + 1] = NULL;
}

void weka_ask(struct client *client, struct weka_source *source,
	      const char *const args[])
{
	unsigned int timeout_ms = fact_ms(client);
	struct child_result result = { 0 };
	char *argv[WEKA_ARGS_MAX];
	struct err err;

	source_clear(source);
	if (!timeout_ms) {
		source_set(source, WEKA_NO_TIME, "no time left");
		return;
	}
	make_argv(client, args, argv);
	if (child_run(argv, weka_env, timeout_ms, &result, &err) < 0) {
		source_set(source, failure(client, timeout_ms), err.text);
		return;
	}
	take_result(source, &result);
	child_result_free(&result);
}

int weka_order(struct client *client, unsigned int timeout_ms,
	       const char *const args[], struct err *err)
{
	struct child_result result = { 0 };
	struct weka_source source = { 0 };
	char *argv[WEKA_ARGS_MAX];
	int rc = 0;

	make_argv(client, args, argv);
	if (command_run(client->run_dir, argv, weka_env, timeout_ms, &result,
			err) < 0)
		return -1;
	take_result(&source, &result);
	child_result_free(&result);
	if (source.answer != WEKA_ANSWERED)
		rc = err_set(err, "weka %s %s: %.400s", args[0], args[1],
			     source.why);
	source_clear(&source);
	return rc;
}

static void read_resources(struct client *client, size_t i)
{
	struct weka_facts *facts = &client->facts;
	const char *name = facts->containers.item[i].name;
	const char *staged[] = { "local", "resources", "-C", name, "-J", NULL };
	const char *stable[] = { "local",    "resources", "-C", name,
				 "--stable", "-J",	  NULL };

	weka_ask(client, &facts->staged_source[i], staged);
	if (is_silent(&facts->staged_source[i]))
		return;
	weka_ask(client, &facts->stable_source[i], stable);
}

static void parse_resources(struct weka_source *source, const char *name,
			    struct weka_resources *resources)
{
	struct err err;

	memset(resources, 0, sizeof(*resources));
	if (source->answer != WEKA_ANSWERED)
		return;
	if (weka_parse_resources(source->text, name, resources, &err) < 0)
		source_set(source, WEKA_FAILED, err.text);
}

static void parse_containers(struct client *client)
{
	struct weka_facts *facts = &client->facts;
	const char *only = client->section->container;
	struct weka_containers all = { 0 };
	struct err err;
	size_t i;

	facts->containers_known = false;
	memset(&facts->containers, 0, sizeof(facts->containers));
	if (facts->ps.answer != WEKA_ANSWERED)
		return;
	if (weka_parse_ps(facts->ps.text, &all, &err) < 0) {
		source_set(&facts->ps, WEKA_FAILED, err.text);
		return;
	}
	facts->containers_known = true;
	for (i = 0; i < all.count; i++)
		if (!*only || strcmp(only, all.item[i].name) == 0)
			facts->containers.item[facts->containers.count++] =
				all.item[i];
}

static void parse_all_resources(struct weka_facts *facts)
{
	const char *name;
	size_t i;

	for (i = 0; i < facts->containers.count; i++) {
		name = facts->containers.item[i].name;
		parse_resources(&facts->staged_source[i], name,
				&facts->staged[i]);
		parse_resources(&facts->stable_source[i], name,
				&facts->stable[i]);
	}
}

static int64_t uptime_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec;
}

void weka_read_containers(struct client *client)
{
	static const char *const ps[] = { "local", "ps", "-J", NULL };
	struct weka_facts *facts = &client->facts;
	size_t i;

	client->cached = false;
	client->asked_at_s = uptime_s();
	weka_ask(client, &facts->ps, ps);
	parse_containers(client);
	for (i = 0; i < facts->containers.count; i++) {
		read_resources(client, i);
		if (is_silent(&facts->staged_source[i]))
			break;
	}
	parse_all_resources(facts);
}

/* ---- files ------------------------------------------------------------- */

int weka_read_mounts(struct client *client, struct err *err)
{
	struct mounts *all, *ours;
	size_t i;

	all = mounts_read(client->section->mount_table, WEKA_FSTYPE, err);
	if (!all)
		return -1;
	ours = calloc(1, sizeof(*ours));
	if (!ours) {
		mounts_free(all);
		return err_set(err, "mount table: out of memory");
	}
	for (i = 0; i < all->count; i++) {
		if (!mounts_word_in(client->section->mounts,
				    all->mount[i].target))
			continue;
		ours->mount[ours->count++] = all->mount[i];
		memset(&all->mount[i], 0, sizeof(all->mount[i]));
	}
	mounts_free(all);
	mounts_free(client->facts.mounts);
	client->facts.mounts = ours;
	client->common.mounts = ours->mount;
	client->common.mount_count = ours->count;
	return 0;
}

static void read_service(const char *path, struct weka_service *service)
{
	struct stat st;
	char *text;

	memset(service, 0, sizeof(*service));
	text = fileio_read_linked(path, CONF_BYTES_MAX, NULL);
	if (!text)
		return;
	weka_parse_service(text, service);
	free(text);
	if (stat(path, &st) == 0)
		service->mtime_s = st.st_mtime;
}

static void read_agent(struct client *client)
{
	struct weka_facts *facts = &client->facts;
	char line[32];
	unsigned long pid;

	facts->agent_known = true;
	facts->agent_running = false;
	facts->agent_pid = 0;
	if (sysfs_line(client->section->agent_pidfile, line, sizeof(line)) <
	    0) {
		facts->agent_known = errno == ENOENT;
		return;
	}
	if (number_parse(line, 1, 1UL << 30, &pid, NULL) < 0)
		return;
	facts->agent_pid = (long)pid;
	facts->agent_running =
		process_start((long)pid, &facts->agent_start_s, NULL) == 0;
}

/* All of the first file, or of each one that is there of the others. */
static int print_interface(void *arg)
{
	const char *const *paths = arg;
	char text[8192];
	FILE *file;
	size_t got;
	int i, found = 0, missing = 0;

	for (i = 0; paths[i] && !(found && i == 1); i++) {
		file = fopen(paths[i], "re");
		missing += !file && errno == ENOENT;
		if (!file)
			continue;
		while ((got = fread(text, 1, sizeof(text), file)) > 0)
			fwrite(text, 1, got, stdout);
		fclose(file);
		found++;
	}
	return found ? 0 : missing == i ? 2 : 1;
}

/* interface, or CONTAINER/interface of each container (5.x) */
static void interface_paths(const struct client *client,
			    char path[][PATH_TEXT_MAX], const char *paths[])
{
	const struct weka_containers *containers = &client->facts.containers;
	size_t i, count = 0;

	snprintf(path[count], PATH_TEXT_MAX, "%s/interface",
		 client->section->proc_dir);
	paths[count] = path[count];
	count++;
	for (i = 0; i < containers->count; i++) {
		snprintf(path[count], PATH_TEXT_MAX, "%s/%s/interface",
			 client->section->proc_dir, containers->item[i].name);
		paths[count] = path[count];
		count++;
	}
	if (!containers->count) {
		snprintf(path[count], PATH_TEXT_MAX, "%s/client/interface",
			 client->section->proc_dir);
		paths[count] = path[count];
		count++;
	}
	paths[count] = NULL;
}

/* Opening the file blocks while the driver is stuck (WEKA's CSI plugin reads
 * it with a timeout for that reason), hence the child. */
void weka_read_interface(struct client *client)
{
	char path[WEKA_CONTAINERS_MAX + 1][PATH_TEXT_MAX];
	const char *paths[WEKA_CONTAINERS_MAX + 2];
	struct weka_facts *facts = &client->facts;
	struct weka_source *source = &facts->interface_source;
	struct child_result result = { 0 };
	unsigned int timeout_ms = fact_ms(client);
	struct err err;

	source_clear(source);
	memset(&facts->interface, 0, sizeof(facts->interface));
	facts->interface.active_mounts = -1;
	interface_paths(client, path, paths);
	if (child_call(path[0], print_interface, paths, timeout_ms, &result,
		       &err) < 0) {
		source_set(source, failure(client, timeout_ms), err.text);
		return;
	}
	if (result.status == 0) {
		source_set(source, WEKA_ANSWERED, NULL);
		weka_parse_interface(result.out, &facts->interface);
	} else {
		err_set(&err, "cannot read %s", path[0]);
		source_set(source,
			   result.status == 2 ? WEKA_MISSING : WEKA_FAILED,
			   err.text);
	}
	child_result_free(&result);
}

static int read_cpus(struct weka_cgroup *cgroup, const char *folder,
		     const char *name)
{
	char path[PATH_TEXT_MAX * 2], line[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (sysfs_line(path, line, sizeof(line)) < 0 ||
	    cpuset_parse(&cgroup->cpus, line, NULL) < 0)
		return -1;
	cgroup->known = true;
	return 0;
}

/* v1: cpuset/weka-NAME; v2: weka-NAME, or weka.slice in the newest pages. */
static void read_cgroup(struct client *client, size_t i)
{
	struct weka_cgroup *cgroup = &client->facts.cgroup[i];
	const char *name = client->facts.containers.item[i].name;
	const char *root = client->section->cgroup_root;
	char folder[PATH_TEXT_MAX], line[64];

	memset(cgroup, 0, sizeof(*cgroup));
	if (!client->facts.cgroup_v2) {
		snprintf(folder, sizeof(folder), "%s/cpuset/weka-%s", root,
			 name);
		if (read_cpus(cgroup, folder, "cpuset.effective_cpus") < 0)
			read_cpus(cgroup, folder, "cpuset.cpus");
		return;
	}
	cgroup->v2 = true;
	snprintf(folder, sizeof(folder), "%s/weka-%s", root, name);
	if (read_cpus(cgroup, folder, "cpuset.cpus.effective") < 0) {
		snprintf(folder, sizeof(folder), "%s/weka.slice", root);
		if (read_cpus(cgroup, folder, "cpuset.cpus.effective") < 0)
			return;
	}
	strncat(folder, "/cpuset.cpus.partition",
		sizeof(folder) - strlen(folder) - 1);
	if (sysfs_line(folder, line, sizeof(line)) == 0)
		cgroup->exclusive = strncmp(line, "root", 4) == 0 ||
				    strncmp(line, "isolated", 8) == 0;
}

void weka_read_cgroups(struct client *client)
{
	char path[PATH_TEXT_MAX];
	size_t i;

	snprintf(path, sizeof(path), "%s/cgroup.controllers",
		 client->section->cgroup_root);
	client->facts.cgroup_v2 = access(path, F_OK) == 0;
	for (i = 0; i < client->facts.containers.count; i++)
		read_cgroup(client, i);
}

static int read_cheap_files(struct client *client, struct err *err)
{
	struct weka_facts *facts = &client->facts;

	if (weka_read_mounts(client, err) < 0)
		return -1;
	read_service(client->section->service_conf, &facts->service);
	read_service(client->section->service_conf_alt, &facts->service_alt);
	read_agent(client);
	return 0;
}

/* ---- the cache --------------------------------------------------------- */

static void key_file(char *key, size_t size, const char *path)
{
	size_t used = strlen(key);
	struct stat st;

	if (stat(path, &st) < 0)
		snprintf(key + used, size - used, "-;");
	else
		snprintf(key + used, size - used, "%llu.%lld.%ld.%lld;",
			 (unsigned long long)st.st_ino,
			 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
			 (long long)st.st_size);
}

static void key_process(char *key, size_t size, long pid)
{
	unsigned long long ticks = 0;
	size_t used = strlen(key);

	if (process_start(pid, NULL, &ticks) < 0)
		snprintf(key + used, size - used, "%ld.gone;", pid);
	else
		snprintf(key + used, size - used, "%ld.%llu;", pid, ticks);
}

/* Everything whose change makes the kept answers worthless. */
static void make_key(struct client *client, char *key, size_t size)
{
	static const char *const files[] = { "resources.json",
					     "resources.json.stable",
					     "resources.json.staging" };
	const struct config_client *section = client->section;
	struct weka_facts *facts = &client->facts;
	char line[64], path[PATH_TEXT_MAX];
	size_t i, j;

	if (sysfs_line("/proc/sys/kernel/random/boot_id", line, sizeof(line)) <
	    0)
		*line = '\0';
	snprintf(key, size, "%d;%s;%s;%s;", CACHE_FORMAT, line,
		 section->command, section->container);
	key_file(key, size, section->service_conf);
	key_file(key, size, section->service_conf_alt);
	key_process(key, size, facts->agent_pid);
	for (i = 0; i < facts->containers.count; i++) {
		key_process(key, size, facts->containers.item[i].pid);
		for (j = 0; j < sizeof(files) / sizeof(files[0]); j++) {
			snprintf(path, sizeof(path), "%s/%s/container/%s",
				 section->data_dir,
				 facts->containers.item[i].name, files[j]);
			key_file(key, size, path);
		}
	}
}

static const char *json_text(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static int64_t json_number(struct json_object *object, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value) ||
	    !json_object_is_type(value, json_type_int))
		return -1;
	return json_object_get_int64(value);
}

static int source_load(struct weka_source *source, struct json_object *object,
		       const char *key)
{
	const char *text = json_text(object, key);

	source_clear(source);
	if (!text)
		return -1;
	source->text = strdup(text);
	if (!source->text)
		return -1;
	source->answer = WEKA_ANSWERED;
	return 0;
}

static int load_answers(struct client *client, struct json_object *object)
{
	struct weka_facts *facts = &client->facts;
	char name[32];
	int64_t agents;
	size_t i;

	if (source_load(&facts->ps, object, "ps") < 0)
		return -1;
	parse_containers(client);
	for (i = 0; i < facts->containers.count; i++) {
		snprintf(name, sizeof(name), "staged%zu", i);
		if (source_load(&facts->staged_source[i], object, name) < 0)
			return -1;
		snprintf(name, sizeof(name), "stable%zu", i);
		if (source_load(&facts->stable_source[i], object, name) < 0)
			return -1;
	}
	parse_all_resources(facts);
	agents = json_number(object, "agents");
	facts->agent_count = agents > 0 ? (unsigned int)agents : 0;
	return facts->containers_known ? 0 : -1;
}

/* 1: the answers of the cache hold; 0: ask again. */
static int use_cache(struct client *client, const char *cached)
{
	struct json_object *object = json_tokener_parse(cached);
	const char *key = object ? json_text(object, "key") : NULL;
	char now[4096];
	int64_t at, age;
	int rc = 0;

	if (!object || !json_object_is_type(object, json_type_object) || !key)
		goto out;
	at = json_number(object, "at");
	age = uptime_s() - at;
	if (at < 0 || age < 0 || age > CACHE_AGE_MAX_S)
		goto out;
	if (load_answers(client, object) < 0)
		goto out;
	make_key(client, now, sizeof(now));
	rc = strcmp(key, now) == 0;
	client->asked_at_s = at;
out:
	json_object_put(object);
	return rc;
}

static bool is_worth_keeping(const struct client *client)
{
	const struct weka_facts *facts = &client->facts;
	size_t i;

	if (!facts->containers_known || !facts->containers.count ||
	    weka_agents_unknown(facts))
		return false;
	for (i = 0; i < facts->containers.count; i++)
		if (strcmp(facts->containers.item[i].display_status, "READY") !=
			    0 ||
		    !facts->staged[i].known || !facts->stable[i].known ||
		    process_start(facts->containers.item[i].pid, NULL, NULL) <
			    0)
			return false;
	return true;
}

static void put(struct json_object *object, const char *key, const char *text)
{
	json_object_object_add(object, key, json_object_new_string(text));
}

char *weka_save(const struct client *client)
{
	const struct weka_facts *facts = &client->facts;
	struct json_object *object;
	char key[4096], name[32], *text;
	size_t i;

	if (!is_worth_keeping(client))
		return NULL;
	object = json_object_new_object();
	if (!object)
		return NULL;
	make_key((struct client *)client, key, sizeof(key));
	put(object, "key", key);
	json_object_object_add(object, "at",
			       json_object_new_int64(client->asked_at_s));
	json_object_object_add(object, "agents",
			       json_object_new_int((int)facts->agent_count));
	put(object, "ps", facts->ps.text);
	for (i = 0; i < facts->containers.count; i++) {
		snprintf(name, sizeof(name), "staged%zu", i);
		put(object, name, facts->staged_source[i].text);
		snprintf(name, sizeof(name), "stable%zu", i);
		put(object, name, facts->stable_source[i].text);
	}
	text = strdup(
		json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
	json_object_put(object);
	return text;
}

/* ---- together ---------------------------------------------------------- */

const struct weka_container *weka_container(const struct weka_facts *facts,
					    const char *name, size_t *index)
{
	size_t i;

	for (i = 0; i < facts->containers.count; i++) {
		if (strcmp(facts->containers.item[i].name, name) == 0) {
			if (index)
				*index = i;
			return &facts->containers.item[i];
		}
	}
	return NULL;
}

void weka_named_cpus(const struct weka_resources *resources,
		     struct cpuset *cpus)
{
	size_t i;

	cpuset_zero(cpus);
	for (i = 0; i < resources->frontend_count; i++)
		if (!resources->frontend[i].automatic)
			cpuset_add(cpus, resources->frontend[i].core_id);
}

bool weka_is_automatic(const struct weka_resources *resources)
{
	size_t i;

	for (i = 0; i < resources->frontend_count; i++)
		if (resources->frontend[i].automatic)
			return true;
	return false;
}

/* Where the frontends of a container really poll: their processes' own masks.
 * Good when the command line is silent and for automatic cores. */
static int linked_cpus(const struct weka_facts *facts, const char *container,
		       struct cpuset *cpus)
{
	struct cpuset one;
	size_t i;
	int found = 0;

	for (i = 0; i < facts->interface.link_count; i++) {
		const struct weka_link *link = &facts->interface.link[i];

		if (container && strcmp(link->container, container) != 0)
			continue;
		if (!link->pid || process_cpus(link->pid, &one) < 0)
			return -1;
		cpuset_or(cpus, &one);
		found++;
	}
	return found ? 0 : -1;
}

static int container_cpus(const struct weka_facts *facts, size_t i,
			  struct cpuset *cpus)
{
	const struct weka_resources *stable = &facts->stable[i];

	if (!facts->containers.item[i].running) {
		cpuset_zero(cpus);
		return 0;
	}
	if (stable->known && !weka_is_automatic(stable)) {
		weka_named_cpus(stable, cpus);
		return 0;
	}
	cpuset_zero(cpus);
	return linked_cpus(facts, facts->containers.item[i].name, cpus);
}

void weka_digest(struct client *client)
{
	const struct weka_facts *facts = &client->facts;
	struct client_facts *common = &client->common;
	struct cpuset all, one;
	bool known = true;
	size_t i;

	cpuset_zero(&all);
	common->version = "";
	for (i = 0; i < facts->containers.count; i++) {
		if (container_cpus(facts, i, &one) < 0)
			known = false;
		else
			cpuset_or(&all, &one);
		if (*facts->containers.item[i].version)
			common->version = facts->containers.item[i].version;
	}
	if (!facts->containers_known)
		known = linked_cpus(facts, NULL, &all) == 0;
	common->cpus_known = known;
	cpuset_zero(&common->frontend_cpus);
	if (known)
		client_whole_cores(&all, &common->frontend_cpus);
}

/* Frontends that come or go without a trace in any file: the driver knows. */
static bool driver_contradicts(const struct weka_facts *facts)
{
	size_t i, n, links;

	if (facts->interface_source.answer != WEKA_ANSWERED ||
	    !facts->interface.link_count)
		return false;
	for (i = 0; i < facts->containers.count; i++) {
		links = 0;
		for (n = 0; n < facts->interface.link_count; n++)
			links += strcmp(facts->interface.link[n].container,
					facts->containers.item[i].name) == 0;
		if (links != facts->stable[i].frontend_count)
			return true;
	}
	return false;
}

/* pgrep -x -f '/usr/bin/weka --agent', as WEKA's checks do */
static int print_agents(void *arg)
{
	int count = process_count(arg, "--agent");

	printf("%d", count);
	return count < 0;
}

/* A child, because reading the command line of a process waits for the lock of
 * its memory, which a process that is stuck may hold. */
static void count_agents(struct client *client)
{
	unsigned int timeout_ms = fact_ms(client);
	struct weka_facts *facts = &client->facts;
	struct child_result result = { 0 };
	unsigned long count;
	struct err err;

	facts->agent_count = 0;
	if (child_call("/proc", print_agents, client->section->command,
		       timeout_ms, &result, &err) < 0) {
		facts->agents_answer = failure(client, timeout_ms);
		return;
	}
	facts->agents_answer = WEKA_FAILED;
	if (result.status == 0 &&
	    number_parse(result.out, 0, UINT16_MAX, &count, NULL) == 0) {
		facts->agents_answer = WEKA_ANSWERED;
		facts->agent_count = (unsigned int)count;
	}
	child_result_free(&result);
}

bool weka_agents_unknown(const struct weka_facts *facts)
{
	return facts->agents_answer != WEKA_ANSWERED &&
	       facts->agents_answer != WEKA_NOT_ASKED;
}

static void ask_everything(struct client *client)
{
	FAULT_POINT("inspect before");
	weka_read_containers(client);
	count_agents(client);
	FAULT_POINT("inspect after");
}

int weka_inspect(struct client *client, const char *cached,
		 unsigned int budget_ms, struct err *err)
{
	client->deadline_ms = child_now_ms() + budget_ms;
	weka_facts_clear(&client->facts);
	if (read_cheap_files(client, err) < 0)
		return -1;
	client->cached = cached && use_cache(client, cached);
	if (!client->cached)
		ask_everything(client);
	weka_read_interface(client);
	if (client->cached && driver_contradicts(&client->facts))
		ask_everything(client);
	weka_read_cgroups(client);
	weka_digest(client);
	return 0;
}
