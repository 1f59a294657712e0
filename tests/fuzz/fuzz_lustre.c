/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of the kernel and lctl for a Lustre client. Parts: statistics, an import, a
 * state, the CPU partitions, the lines of jobio's child (LNet's interfaces, targets,
 * mounts), output of lctl. */
#include "client/client.h"
#include "client/lustre/counters.h"
#include "client/lustre/facts.h"
#include "client/lustre/layout.h"
#include "client/lustre/lustre.h"
#include "client/mounts.h"
#include "tests/fuzz/fuzz.h"

#define ADDRESS "ffff9a2c41d08000"

static struct config_client section = {
	.name = (char *)"scratch",
	.type = CLIENT_LUSTRE,
	.mounts = (char *)"",
	.fstab = (char *)"/nonexistent",
	.mount_table = (char *)"/nonexistent",
	.sys_dir = (char *)"/nonexistent",
	.debug_dir = (char *)"/nonexistent",
	.procfs_dir = (char *)"/nonexistent",
	.lnet_dir = (char *)"/nonexistent",
	.process_dir = (char *)"/nonexistent",
	.interrupts_of = (char *)"",
};
static struct tree_device devices[] = {
	{ TREE_LLITE, 0, TREE_UNREAD, "work-" ADDRESS, "work-" ADDRESS },
	{ TREE_MDC, 0, TREE_UNREAD, "work-MDT0000-mdc-" ADDRESS, "work-" ADDRESS },
	{ TREE_OSC, 0, TREE_UNREAD, "work-OST0000-osc-" ADDRESS, "work-" ADDRESS },
	{ TREE_OSC, 1, TREE_UNREAD, "work-OST0001-osc-" ADDRESS, "work-" ADDRESS },
};
static struct tree tree = { 4, devices };
static struct client_mount mounted[] = {
	{ (char *)"192.0.2.60@tcp:/work", (char *)"/mnt/work", (char *)"lustre", (char *)"rw" },
	{ (char *)"192.0.2.60@tcp:/work/a", (char *)"/mnt/a", (char *)"lustre", (char *)"rw" },
};
static struct mounts mounts = { 2, mounted };

static void read_stats(const char *text)
{
	struct lustre_stats stats;
	int kind, i;

	for (kind = 0; kind < TREE_KINDS; kind++) {
		if (lustre_stats_parse(text, (enum tree_kind)kind, &stats) < 0)
			continue;
		MUST(strspn(stats.epoch, "0123456789.") == strlen(stats.epoch));
		for (i = 0; i < CLIENT_IO_NUMBERS; i++)
			MUST(stats.count[i] >= IO_UNKNOWN);
		/* or unknown, in a truncated text */
		MUST(kind != TREE_LLITE || stats.count[IO_READ_BYTES] <= 0);
		MUST(kind == TREE_LLITE || stats.count[IO_ASKED_READ_BYTES] <= 0);
	}
}

static void read_import(const char *text)
{
	struct lustre_import import;

	lustre_import_parse(text, &import);
	MUST(strlen(import.state) < sizeof(import.state));
	MUST(import.server_bytes >= LUSTRE_UNKNOWN);
	MUST(import.server_mods >= LUSTRE_UNKNOWN);
}

static void judge(const char *partitions, const char *lines)
{
	struct client_desired desired = { .alone = false,
					  .mount_options = "",
					  .read_ahead_kb = "",
					  .parameters = "osc.max_pages_per_rpc=4M,osc.checksums=0",
					  .mem_spec_limit_mb = -1 };
	struct client *client = client_open(&section, NULL, NULL);
	struct findings findings = { 0 };
	struct lustre_facts *facts;
	size_t i;

	MUST(client);
	facts = lustre_facts_of(client);
	lustre_partition_add(&facts->cpt_cpus, partitions);
	lustre_facts_parse(facts, lines);
	MUST(facts->nic_count <= LUSTRE_NICS_MAX);
	for (i = 0; i < facts->target_count; i++)
		MUST(facts->target[i].kind < TREE_KINDS);
	client_judge(client, &desired, &findings);
	findings_free(&findings);
	client_close(client);
}

static void take_lctl(char *text)
{
	struct client client = { .type = &lustre_type, .section = &section };
	struct client_counters *counters = client_counters_new(), *again;
	int64_t moved[CLIENT_IO_NUMBERS];
	struct err err = { "" };
	char *saved;
	size_t i;

	MUST(counters);
	client.common.mounts = mounts.mount;
	client.common.mount_count = mounts.count;
	if (lustre_counters_params(&client, counters, &tree, text, &err) < 0) {
		MUST(*err.text);
		client_counters_free(counters);
		return;
	}
	for (i = 0; i < counters->count; i++)
		MUST(!strcmp(counters->sources[i].fs, "/mnt/work"));
	client_counters_clean(counters);
	saved = client_counters_text(counters);
	again = client_counters_parse(saved, &err);
	MUST(again && again->count == counters->count && !again->unread);
	if (client_counters_since(again, counters, "/mnt/work", moved) == 1)
		for (i = 0; i < CLIENT_IO_NUMBERS; i++)
			MUST(moved[i] <= 0);
	client_counters_free(again);
	client_counters_free(counters);
	free(saved);
}

FUZZ(lustre)
{
	char *part[6];
	size_t i;

	for (i = 0; i < 6; i++)
		part[i] = fuzz_part(&data, &size);
	read_stats(part[0]);
	read_import(part[1]);
	MUST(lustre_eviction_parse(part[2]) >= 0);
	judge(part[3], part[4]);
	take_lctl(part[5]);
	MUST(layout_stripes(data, size) >= LUSTRE_UNKNOWN);
	for (i = 0; i < 6; i++)
		free(part[i]);
	return 0;
}
