/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/parse.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cpuset.h"
#include "base/number.h"
#include "base/text.h"
#include "record/json.h"

#define NODES_UNKNOWN "\"nodes\" is not what is known of 4.x to 6.x"

/* core_id if the client picks the core itself */
#define CORE_AUTOMATIC UINT32_MAX

static const char *get_text(struct json *object, const char *key)
{
	const char *text = json_text(object, key);

	return text ? text : "";
}

/* Get a switch by its name, or the other one. */
static int get_switch(struct json *object, const char *key, const char *or_key, bool *value)
{
	struct json *found = json_member(object, key);
	const char *text = json_value_text(found);

	if (json_is(found, JSON_BOOL))
		*value = json_is_true(object, key);
	else if (text)
		*value = weka_switch_of(text) == WEKA_TRUE;
	else
		return or_key ? get_switch(object, or_key, NULL, value) : -1;
	return 0;
}

/* Parse 24, "24", "NodeId<24>": 4.x prints ids with their type, 6.x without. */
static int id_of(const struct json *value, long long *id)
{
	const char *at = json_value_text(value);
	char digits[24];
	unsigned long number;
	int64_t whole;
	size_t length;

	if (json_value_number(value, &whole)) {
		*id = whole;
		return 0;
	}
	if (!at)
		return -1;
	if (strchr(at, '<'))
		at = strchr(at, '<') + 1;
	length = strspn(at, "0123456789");
	if (!length || length >= sizeof(digits) || (at[length] && strcmp(at + length, ">") != 0))
		return -1;
	memcpy(digits, at, length);
	digits[length] = '\0';
	if (number_parse(digits, 0, UINT32_MAX, &number, NULL) < 0)
		return -1;
	*id = (long long)number;
	return 0;
}

/* In 4.x it is at the top, later under "status". */
static struct json *internal_status(struct json *object)
{
	struct json *status = json_member(object, "internalStatus");

	if (!status)
		status = json_member(json_member(object, "status"), "internalStatus");
	return status;
}

static void copy_upper(char *to, size_t size, const char *from)
{
	text_copy(to, size, from);
	for (; *to; to++)
		*to = (char)toupper((unsigned char)*to);
}

static void parse_container(struct json *object, struct weka_container *container)
{
	struct json *status = internal_status(object);

	memset(container, 0, sizeof(*container));
	TEXT_SET(container->name, get_text(object, "name"));
	if (get_switch(object, "isRunning", "running", &container->running) < 0)
		container->running = !strcasecmp(get_text(object, "runStatus"), "Running") ||
				     !strcasecmp(get_text(object, "state"), "Running");
	get_switch(object, "isDisabled", "disabled", &container->disabled);
	container->monitored_known =
		get_switch(object, "isMonitoring", "monitoring", &container->monitored) == 0;
	get_switch(object, "isPersistent", "persistent", &container->persistent);
	/* health is display_status; "state" stays READY during a join */
	TEXT_SET(container->display_status, get_text(status, "display_status"));
	/* column of the 6.x command line: "Ready" */
	if (!*container->display_status)
		copy_upper(container->display_status, sizeof(container->display_status),
			   get_text(object, "status"));
	TEXT_SET(container->message, get_text(status, "message"));
	TEXT_SET(container->version, get_text(object, "versionName"));
	if (!*container->version)
		TEXT_SET(container->version, get_text(object, "version"));
	TEXT_SET(container->last_failure, get_text(object, "lastFailure"));
}

int weka_parse_ps(const char *text, struct weka_containers *containers, struct err *err)
{
	struct json *list = json_parse_list(text), *item;
	struct weka_containers found = { 0 };
	const char *type;
	int rc = -1;

	if (!list) {
		err_set(err, "weka local ps: expected a JSON list");
		goto out;
	}
	for (item = json_first(list); item; item = item->next) {
		type = get_text(item, "type");
		if (!*get_text(item, "name")) {
			err_set(err, "weka local ps: a container has no name");
			goto out;
		}
		if (*type && strcasecmp(type, "weka") != 0)
			continue;
		if (found.count == WEKA_CONTAINERS_MAX) {
			err_set(err, "weka local ps: more than %d containers", WEKA_CONTAINERS_MAX);
			goto out;
		}
		parse_container(item, &found.item[found.count++]);
	}
	*containers = found;
	rc = 0;
out:
	json_free(list);
	return rc;
}

enum role {
	ROLE_MANAGEMENT,
	ROLE_FRONTEND,
	ROLE_SERVER
};

static enum role role_of(struct json *node)
{
	const struct json *roles = json_member(node, "roles"), *one;
	bool is_list = json_is(roles, JSON_LIST);
	enum role found = ROLE_MANAGEMENT;
	const char *role;

	for (one = is_list ? json_first(roles) : roles; one; one = is_list ? one->next : NULL) {
		role = json_value_text(one);
		if (role && !strcasecmp(role, "FRONTEND"))
			return ROLE_FRONTEND;
		if (role && strcasecmp(role, "MANAGEMENT") != 0)
			found = ROLE_SERVER;
	}
	return found;
}

/* weka-operator: cpuPolicy shared writes dedicated_mode NONE. */
static bool is_shared(struct json *node)
{
	bool dedicated = true;

	get_switch(node, "dedicate_core", NULL, &dedicated);
	return !dedicated || !strcasecmp(get_text(node, "dedicated_mode"), "NONE");
}

static void add_server(struct weka_resources *resources, const struct weka_frontend *process)
{
	resources->server_count++;
	if (!process->shared && process->automatic)
		resources->server_is_automatic = true;
	else if (!process->shared)
		cpuset_add(&resources->server_cpus, process->core_id);
}

static int add_node(struct weka_resources *resources, long long slot, struct json *node,
		    struct err *err)
{
	struct weka_frontend process = { .slot = (unsigned int)slot, .shared = is_shared(node) };
	enum role role = role_of(node);
	long long core = CORE_AUTOMATIC;

	if (role == ROLE_MANAGEMENT)
		return 0;
	if (slot < 0)
		return err_set(err, NODES_UNKNOWN);
	if (id_of(json_member(node, "core_id"), &core) < 0 || core < 0 || core >= CPUSET_MAX)
		process.automatic = true;
	else
		process.core_id = (unsigned int)core;
	if (role == ROLE_SERVER)
		add_server(resources, &process);
	else if (resources->frontend_count == WEKA_FRONTENDS_MAX)
		return err_set(err, "more than %d frontends", WEKA_FRONTENDS_MAX);
	else
		resources->frontend[resources->frontend_count++] = process;
	return 0;
}

static int by_slot(const void *a, const void *b)
{
	const struct weka_frontend *x = a, *y = b;

	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static int parse_nodes(struct json *nodes, struct weka_resources *resources, struct err *err)
{
	struct json *node;
	unsigned long slot;
	long long id, at = 0;

	if (!json_is(nodes, JSON_LIST) && !json_is(nodes, JSON_OBJECT))
		return err_set(err, NODES_UNKNOWN);
	for (node = json_first(nodes); node; node = node->next, at++) {
		if (!node->key) {
			if (id_of(json_member(node, "slot"), &id) < 0)
				id = at;
		} else if (number_parse(node->key, 0, UINT16_MAX, &slot, NULL) == 0) {
			id = (long long)slot;
		} else {
			return err_set(err, NODES_UNKNOWN);
		}
		if (add_node(resources, id, node, err) < 0)
			return -1;
	}
	qsort(resources->frontend, resources->frontend_count, sizeof(resources->frontend[0]),
	      by_slot);
	return 0;
}

/* Parse [1, 2] or "1-2", "s1-2" as in the mount option net:s1-2=ib0; the form in the resources is
 * not public: anything else is a NIC that serves all. */
static void parse_ids(struct json *value, struct cpuset *ids)
{
	const char *text = json_value_text(value);
	const struct json *one;
	long long id;

	cpuset_zero(ids);
	if (text && cpuset_parse(ids, text + (*text == 's'), NULL) < 0)
		cpuset_zero(ids);
	for (one = json_is(value, JSON_LIST) ? json_first(value) : NULL; one; one = one->next)
		if (id_of(one, &id) == 0 && id >= 0 && id < CPUSET_MAX)
			cpuset_add(ids, (unsigned int)id);
}

static int parse_nics(struct json *list, struct weka_resources *resources, struct err *err)
{
	struct json *item;
	struct weka_nic *nic;
	const char *name;

	if (!json_is(list, JSON_LIST))
		return 0;
	for (item = json_first(list); item; item = item->next) {
		if (resources->nic_count == WEKA_NICS_MAX)
			return err_set(err, "more than %d network devices", WEKA_NICS_MAX);
		nic = &resources->nic[resources->nic_count++];
		/* the API of 4.2 has names only */
		name = json_value_text(item);
		TEXT_SET(nic->name, name ? name : get_text(item, "device"));
		if (!*nic->name)
			TEXT_SET(nic->name, get_text(item, "name"));
		TEXT_SET(nic->identifier, get_text(item, "identifier"));
		parse_ids(json_member(item, "slots"), &nic->slots);
	}
	return 0;
}

int weka_parse_resources(const char *text, const char *container, struct weka_resources *resources,
			 struct err *err)
{
	struct json *root = json_parse(text), *one = root;
	struct weka_resources found = { .known = true, .memory_bytes = -1 };
	struct json *nodes;
	struct err why;
	int rc = -1;

	if (!json_member(one, "nodes") && json_member(json_member(root, container), "nodes"))
		one = json_member(root, container);
	nodes = json_member(one, "nodes");
	if (!nodes) {
		err_set(err, "weka local resources of '%s': no \"nodes\" in it", container);
		goto out;
	}
	if (parse_nodes(nodes, &found, &why) < 0 ||
	    parse_nics(json_member(one, "net_devices"), &found, &why) < 0) {
		err_set(err, "weka local resources of '%s': %s", container, why.text);
		goto out;
	}
	parse_ids(json_member(one, "non_datapath_cores"), &found.management);
	found.memory_bytes = json_number(one, "memory");
	*resources = found;
	rc = 0;
out:
	json_free(root);
	return rc;
}

bool weka_resources_equal(const struct weka_resources *a, const struct weka_resources *b)
{
	size_t i;

	if (a->frontend_count != b->frontend_count || a->server_count != b->server_count ||
	    !cpuset_equal(&a->server_cpus, &b->server_cpus) ||
	    (a->memory_bytes >= 0 && b->memory_bytes >= 0 && a->memory_bytes != b->memory_bytes))
		return false;
	for (i = 0; i < a->frontend_count; i++)
		if (a->frontend[i].slot != b->frontend[i].slot ||
		    a->frontend[i].automatic != b->frontend[i].automatic ||
		    a->frontend[i].core_id != b->frontend[i].core_id)
			return false;
	return true;
}
