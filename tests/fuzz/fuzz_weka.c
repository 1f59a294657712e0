/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of WEKA's client, and its use: facts, findings, the plan. Parts: ps,
 * resources (staged), resources (stable), interface, service.conf, mount table. */
#include "base/sysfs.h"
#include "client/client.h"
#include "client/mounts.h"
#include "client/weka/facts.h"
#include "client/weka/weka.h"
#include "tests/fuzz/fuzz.h"

static struct config_client section = {
	.name = (char *)"weka",
	.mounts = (char *)"",
	.fstab = (char *)"/nonexistent",
	.mount_table = (char *)"/nonexistent",
	.container = (char *)"",
	.core_change = CORE_CHANGE_ANY,
	.command = (char *)"/nonexistent/weka",
	.service_conf = (char *)"/nonexistent/service.conf",
	.service_conf_alt = (char *)"/nonexistent/weka.conf",
	.proc_dir = (char *)"/nonexistent/proc",
	.agent_pidfile = (char *)"/nonexistent/agent.pid",
};

static void read_resources(const uint8_t **data, size_t *size, const char *name,
			   struct weka_resources *resources)
{
	char *text = fuzz_part(data, size);

	memset(resources, 0, sizeof(*resources));
	if (weka_parse_resources(text, name, resources, NULL) == 0)
		MUST(resources->frontend_count <= WEKA_FRONTENDS_MAX &&
		     resources->nic_count <= WEKA_NICS_MAX);
	MUST(weka_resources_equal(resources, resources));
	free(text);
}

static void read_facts(struct weka_facts *facts, const uint8_t **data, size_t *size)
{
	char *text = fuzz_part(data, size);
	struct weka_containers all = { 0 };
	const char *name = "client";

	facts->containers_known = weka_parse_ps(text, &all, NULL) == 0;
	facts->ps.answer = QUERY_ANSWERED;
	MUST(all.count <= WEKA_CONTAINERS_MAX);
	for (facts->count = 0; facts->count < all.count; facts->count++)
		facts->unit[facts->count].info = all.item[facts->count];
	if (facts->count)
		name = facts->unit[0].info.name;
	facts->unit[0].staged_source.answer = QUERY_ANSWERED;
	facts->unit[0].stable_source.answer = QUERY_ANSWERED;
	read_resources(data, size, name, &facts->unit[0].staged);
	read_resources(data, size, name, &facts->unit[0].stable);
	free(text);
	text = fuzz_part(data, size);
	weka_parse_interface(text, &facts->interface);
	facts->interface_source.answer = QUERY_ANSWERED;
	free(text);
	text = fuzz_part(data, size);
	weka_parse_service(text, &facts->service);
	free(text);
}

static void judge(struct client *client)
{
	struct client_desired desired = { .alone = true,
					  .has_io_cores = true,
					  .io_cores = 2,
					  .mount_options = "forcedirect",
					  .read_ahead_kb = "",
					  .mem_spec_limit_mb = 20480 };
	struct changes plan = { 0 };
	struct findings findings = { 0 };

	cpuset_add(&desired.io_cpus, 6);
	cpuset_add(&desired.io_cpus, 7);
	weka_digest(client);
	client_judge(client, NULL, &findings);
	client_judge(client, &desired, &findings);
	client_plan(client, &desired, &plan, &findings);
	changes_free(&plan);
	findings_free(&findings);
}

FUZZ(weka)
{
	static struct weka_facts facts;
	struct client client = { .type = &weka_type, .section = &section, .facts = &facts };
	char *table;

	sysfs_set_root("/nonexistent");
	client.common.name = "weka";
	client.common.version = "";
	read_facts(&facts, &data, &size);
	table = fuzz_part(&data, &size);
	client.mounts = mounts_parse(table, "wekafs");
	if (client.mounts) {
		client.common.mounts = client.mounts->mount;
		client.common.mount_count = client.mounts->count;
		judge(&client);
	}
	mounts_free(client.mounts);
	weka_facts_clear(&facts);
	free(table);
	return 0;
}
