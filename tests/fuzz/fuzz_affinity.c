/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a client's work runs. Parts: the values before a change and after it, as
 * the journal has them; a kernel thread's stat and comm; the mask of a workqueue;
 * the list of an interrupt. */
#include <sys/stat.h>

#include "client/client.h"
#include "lib/sysfs.h"

/* its static functions are what is tried */
#include "client/affinity.c"
#include "tests/fuzz/fuzz.h"

static void put(const char *name, char *text)
{
	fuzz_file(name, text);
	free(text);
}

/* A thread, a workqueue, an interrupt. */
static void make_folders(void)
{
	static const char *const folders[] = { "42",
					       "devices",
					       "devices/virtual",
					       "proc",
					       "proc/irq",
					       "devices/virtual/workqueue",
					       "proc/irq/7",
					       "devices/virtual/workqueue/rpciod" };
	char path[300];
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", fuzz_folder(), folders[i]);
		mkdir(path, 0700);
	}
}

static void check_item(void *arg, const char *item)
{
	MUST(!strncmp(item, "42:", 3) && strlen(item) < AFFINITY_ITEM_MAX);
	MUST(!strpbrk(item, " ="));
	++*(int *)arg;
}

static void try_values(const char *olds, const char *news)
{
	struct item item;

	while (next_item(&olds, &news, &item))
		MUST(strlen(item.name) < sizeof(item.name));
}

static void try_files(void)
{
	struct config_client section = {
		.process_dir = (char *)fuzz_folder(),
	};
	struct client client = { .section = &section };
	struct cpuset cpus = { 0 };
	int found = 0;

	affinity_threads.each(&client, "*", check_item, &found);
	MUST(found <= 1);
	sysfs_set_root(fuzz_folder());
	if (affinity_workqueues.get(&client, "rpciod", &cpus) == 0)
		MUST(cpuset_count(&cpus) <= CPUSET_MAX);
	if (affinity_interrupts.get(&client, "7", &cpus) == 0)
		MUST(cpuset_count(&cpus) <= CPUSET_MAX);
	sysfs_set_root("/nonexistent");
}

FUZZ(affinity)
{
	char *olds = fuzz_part(&data, &size);
	char *news = fuzz_part(&data, &size);

	make_folders();
	put("42/stat", fuzz_part(&data, &size));
	put("42/comm", fuzz_part(&data, &size));
	put("devices/virtual/workqueue/rpciod/cpumask", fuzz_part(&data, &size));
	put("proc/irq/7/smp_affinity_list", fuzz_part(&data, &size));
	try_values(olds, news);
	try_files();
	free(news);
	free(olds);
	return 0;
}
