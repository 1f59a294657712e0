/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of Storage Scale. Parts: mmdiag --config, mmdiag --waiters, mmpmon's
 * counters. */
#include "client/client.h"
#include "client/client_counters.h"
#include "client/gpfs/facts.h"
#include "client/gpfs/mmpmon.h"
#include "client/gpfs/y.h"
#include "tests/fuzz/fuzz.h"

static struct config_client section = {
	.name = (char *)"scale",
	.type = CLIENT_GPFS,
	.mounts = (char *)"",
	.fstab = (char *)"/nonexistent",
	.mount_table = (char *)"/nonexistent",
	.process_dir = (char *)"/nonexistent",
	.interrupts_of = (char *)"",
};

static void read_lines(const char *text, const char *kind)
{
	static const char *const columns[] = { "name",	   "value",	"threadName",
					       "waitTime", "auxReason", "" };
	const char *end = text + strlen(text), *from;
	struct gpfs_y y = { "", "" };
	char value[64];
	size_t i;

	for (from = text; gpfs_y_next(&text, kind, &y); from = text) {
		MUST(text > from && text <= end && *y.header);
		for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
			if (gpfs_y_get(&y, columns[i], value, sizeof(value)))
				MUST(strlen(value) < sizeof(value));
	}
	MUST(text == end);
}

static void answer(struct query *query, const char *text)
{
	query_set(query, QUERY_ANSWERED, NULL);
	query->text = strdup(text);
	MUST(query->text);
}

static void judge(const char *config, const char *waiters, const char *counters)
{
	struct client_desired desired = { .alone = true,
					  .mount_options = "",
					  .read_ahead_kb = "",
					  .parameters = "",
					  .mmconfig = "maxMBpS=24000,pagepool=1",
					  .mem_spec_limit_mb = -1 };
	struct client *client = client_open(&section, NULL, NULL);
	struct changes plan = { 0 };
	struct findings findings = { 0 };

	MUST(client);
	gpfs_facts(client)->mmfsd = 1;
	answer(&gpfs_facts(client)->config, config);
	answer(&gpfs_facts(client)->waiters, waiters);
	answer(&gpfs_facts(client)->counters, counters);
	client_judge(client, &desired, &findings);
	client_plan(client, &desired, &plan, &findings);
	MUST(!plan.count);
	client_is_as_desired(client, &desired);
	findings_free(&findings);
	client_close(client);
}

static void count(const char *text)
{
	struct client_counters *counters = client_counters_new(), *again;
	int64_t moved[CLIENT_IO_NUMBERS];
	struct err err = { "" };
	size_t i;
	char *saved;
	int rc;

	MUST(counters);
	rc = gpfs_mmpmon_sources(counters, text, "1.2", &err);
	MUST(rc >= 0 || *err.text);
	if (rc > 0) {
		MUST(counters->count);
		for (i = 0; i < counters->count; i++)
			MUST(counters->sources[i].numbers[IO_READ_CALLS] >= IO_UNKNOWN);
		client_counters_clean(counters);
		saved = client_counters_text(counters);
		again = client_counters_parse(saved, &err);
		MUST(again && again->count == counters->count);
		if (client_counters_since(again, counters, counters->sources[0].fs, moved) == 1)
			MUST(moved[IO_READ_BYTES] <= 0);
		client_counters_free(again);
		free(saved);
	}
	client_counters_free(counters);
}

FUZZ(gpfs)
{
	char *config = fuzz_part(&data, &size);
	char *waiters = fuzz_part(&data, &size);
	char *counters = fuzz_part(&data, &size);

	read_lines(config, "mmdiag:config:");
	read_lines(waiters, "mmdiag:waiters:");
	judge(config, waiters, counters);
	count(counters);
	free(counters);
	free(waiters);
	free(config);
	return 0;
}
