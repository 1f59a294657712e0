/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurmstepd leaves of NFS that a job's namespace has alone. Parts: what a
 * client counted when the job began, and the texts of two steps. */
#include "client/client.h"
#include "tests/fuzz/fuzz.h"

static void check(const struct client_wire_line *line)
{
	int kind;

	for (kind = 0; kind < WIRE_KINDS; kind++)
		MUST(line->count[kind] >= -1);
}

FUZZ(own)
{
	char *before = fuzz_part(&data, &size);
	char *texts[2] = { fuzz_part(&data, &size), fuzz_part(&data, &size) };
	struct config_client section = {
		.name = (char *)"home",
		.type = CLIENT_NFS,
		.mounts = (char *)"",
	};
	struct client *client;
	struct client_wire wire;
	size_t i;

	section.mount_table = strdup(fuzz_file("none", ""));
	MUST(section.mount_table);
	section.mountinfo = section.mountstats = section.mount_table;
	client = client_open(&section, NULL, NULL, NULL);
	MUST(client);
	if (client_wire_own(client, *before ? before : NULL, texts, 2, &wire,
			    NULL) >= 0)
		for (i = 0; i < wire.line_count; i++)
			check(&wire.line[i]);
	client_close(client);
	free(section.mount_table);
	free(texts[0]);
	free(texts[1]);
	free(before);
	return 0;
}
