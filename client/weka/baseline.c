/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/weka/baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "base/rundir.h"
#include "base/text.h"
#include "client/state.h"
#include "record/alloc.h"

#define OURS_MAX 16U

struct baseline {
	bool is_known;
	char boot_id[64]; /* "": unknown, never stale */
	struct cpuset cores, ours[OURS_MAX];
	size_t ours_count;
};

static void baseline_ours(struct baseline *baseline, const struct cpuset *ids)
{
	if (baseline->ours_count == OURS_MAX) {
		memmove(baseline->ours, baseline->ours + 1,
			(OURS_MAX - 1) * sizeof(baseline->ours[0]));
		baseline->ours_count--;
	}
	baseline->ours[baseline->ours_count++] = *ids;
}

static void baseline_line(struct baseline *baseline, const char *container, char *line)
{
	char *value = strchr(line, ' ');
	struct cpuset ids;

	if (!value)
		return;
	*value++ = '\0';
	if (!baseline->is_known)
		baseline->is_known = !strcmp(line, container) &&
				     cpuset_parse(&baseline->cores, value, NULL) == 0 &&
				     !cpuset_is_empty(&baseline->cores);
	else if (!strcmp(line, "boot"))
		TEXT_SET(baseline->boot_id, value);
	else if (!strcmp(line, "ours") && cpuset_parse(&ids, value, NULL) == 0)
		baseline_ours(baseline, &ids);
}

/* Remove the incomplete last line of a truncated file: it would be read as another value, "1" for
 * "12". */
static bool drop_half_line(char *text)
{
	char *end = strrchr(text, '\n');
	char *half = end ? end + 1 : text;
	bool has_one = *half;

	*half = '\0';
	return has_one;
}

/* Return -1 with errno if it could not be read. */
static int baseline_load(const struct client *client, const char *container,
			 struct baseline *baseline)
{
	char *text = state_read(client, RUNDIR_BASELINE), *line, *save = NULL;
	bool is_cut;

	memset(baseline, 0, sizeof(*baseline));
	if (!text)
		return errno == ENOENT ? 0 : -1;
	is_cut = drop_half_line(text);
	line = strtok_r(text, "\n", &save);
	while (line) {
		baseline_line(baseline, container, line);
		line = baseline->is_known ? strtok_r(NULL, "\n", &save) : NULL;
	}
	free(text);
	/* the last job's cores are missing: it cannot be proven stale */
	if (is_cut || !baseline->ours_count)
		baseline->boot_id[0] = '\0';
	return 0;
}

/* Get the baseline of the container in *cores. Return 1, or 0 if none is known: it is at its
 * baseline. */
int weka_baseline_read(const struct client *client, const char *container, struct cpuset *cores)
{
	struct baseline baseline;

	baseline_load(client, container, &baseline);
	if (baseline.is_known)
		*cores = baseline.cores;
	return baseline.is_known;
}

static void print_list(FILE *file, const char *what, const struct cpuset *ids)
{
	char *list = xneed(cpuset_format(ids));

	fprintf(file, "%s %s\n", what, list);
	free(list);
}

static int baseline_store(const struct client *client, const char *container,
			  const struct baseline *baseline, struct err *err)
{
	size_t size_bytes = 0, i;
	char *text = NULL;
	FILE *file = xneed(open_memstream(&text, &size_bytes));
	int rc;

	print_list(file, container, &baseline->cores);
	fprintf(file, "boot %s\n", baseline->boot_id);
	for (i = 0; i < baseline->ours_count; i++)
		print_list(file, "ours", &baseline->ours[i]);
	fclose(file);
	rc = state_write(client, RUNDIR_BASELINE, xneed(text), err);
	free(text);
	return rc;
}

/* Store the baseline, before the container is given other cores for a job. */
int weka_baseline_store(const struct client *client, const char *container,
			const struct cpuset *old_ids, const struct cpuset *new_ids, struct err *err)
{
	struct baseline baseline;

	if (baseline_load(client, container, &baseline) < 0)
		return err_set(err, "its cores before jobio's first change cannot be read: %s",
			       strerror(errno));
	if (!baseline.is_known) {
		baseline.is_known = true;
		baseline.cores = *old_ids;
	} else if (!*baseline.boot_id) {
		baseline_ours(&baseline, old_ids);
	}
	host_boot_id(baseline.boot_id, sizeof(baseline.boot_id));
	baseline_ours(&baseline, new_ids);
	return baseline_store(client, container, &baseline, err);
}

/* Return true if the cores were configured since: they are neither the baseline nor a job's, or,
 * after a reboot, they are the baseline or those of mounts by fstab (WEKA keeps cores with
 * core_method=resources only). */
static bool is_stale(const struct client *client, const struct baseline *baseline,
		     const struct cpuset *now)
{
	char boot_id[64];
	size_t i;

	if (!*baseline->boot_id)
		return false;
	host_boot_id(boot_id, sizeof(boot_id));
	if (!*boot_id)
		return false;
	if (strcmp(boot_id, baseline->boot_id) != 0 &&
	    (client->section->core_method != CORE_METHOD_RESOURCES ||
	     cpuset_equal(now, &baseline->cores)))
		return true;
	for (i = 0; i < baseline->ours_count; i++)
		if (cpuset_equal(now, &baseline->ours[i]))
			return false;
	return !cpuset_equal(now, &baseline->cores);
}

void weka_baseline_forget_stale(const struct client *client, const char *container,
				const struct cpuset *now)
{
	struct baseline baseline;

	baseline_load(client, container, &baseline);
	if (baseline.is_known && is_stale(client, &baseline, now))
		state_forget(client, RUNDIR_BASELINE);
}

void weka_baseline_settle(const struct client *client, const char *container,
			  const struct cpuset *now)
{
	struct cpuset baseline;

	if (weka_baseline_read(client, container, &baseline) && cpuset_equal(&baseline, now))
		state_forget(client, RUNDIR_BASELINE);
}
