/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's files about NFS mounts. Parts: mount table, mountinfo,
 * mountstats. */
#include "client/client.h"
#include "client/client_counters.h"
#include "client/mounts.h"
#include "client/nfs/nfs.h"
#include "count/mounts.h"
#include "tests/fuzz/fuzz.h"

static struct config_client section = {
	.name = (char *)"home",
	.type = CLIENT_NFS,
	.mounts = (char *)"",
	.fstab = (char *)"/nonexistent",
	.timeout_ms = 0, /* servers are not contacted */
	.bdi_dir = (char *)"/nonexistent",
};

static void put(char **path, const char *name, const uint8_t **data, size_t *size)
{
	char *text = fuzz_part(data, size);

	free(*path);
	*path = strdup(fuzz_file(name, text));
	MUST(*path);
	free(text);
}

static void look(const char *mountinfo)
{
	struct client_desired desired = {
		.alone = true, .mount_options = "", .read_ahead_kb = "4096", .mem_spec_limit_mb = -1
	};
	struct client *client = client_open(&section, NULL, NULL);
	struct mountinfo *table = mountinfo_read(mountinfo, NULL);
	struct changes plan = { 0 };
	struct findings findings = { 0 };
	struct err err;
	size_t i;

	MUST(client);
	if (client_inspect(client, 1000, &err) == 0) {
		client_judge(client, &desired, &findings);
		client_plan(client, &desired, &plan, &findings);
		for (i = 0; table && i < client_facts(client)->mount_count; i++)
			mounts_dev(mountinfo_on(table, client_facts(client)->mounts[i].target));
	}
	changes_free(&plan);
	findings_free(&findings);
	mountinfo_free(table);
	client_close(client);
}

FUZZ(nfs)
{
	const uint8_t *rest = data;
	size_t left = size;
	char *mountinfo;
	struct client client = { .type = &nfs_type, .section = &section };
	struct client_counters *counters;
	struct err err;

	free(fuzz_part(&rest, &left));
	mountinfo = fuzz_part(&rest, &left);
	put(&section.mount_table, "mounts", &data, &size);
	put(&section.mountinfo, "mountinfo", &data, &size);
	put(&section.mountstats, "mountstats", &data, &size);
	look(mountinfo);
	counters = nfs_type.counters(&client, &err);
	client_counters_free(counters);
	free(mountinfo);
	return 0;
}
