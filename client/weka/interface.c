/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Read the WEKA driver's list of containers and frontends (facts.h). */
#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "client/weka/facts.h"

#define PATH_TEXT_MAX 1024

static int print_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char text[8192];
	size_t got;

	if (!file)
		return 0;
	while ((got = fread(text, 1, sizeof(text), file)) > 0)
		fwrite(text, 1, got, stdout);
	fclose(file);
	return 1;
}

/* Print the first file, or if there is none, all existing others. */
static int print_interface(void *arg)
{
	const char *const *paths = arg;
	int i, found = 0, missing = 0;
	glob_t files = { 0 };

	for (i = 0; paths[i] && !(found && i == 1); i++) {
		missing += glob(paths[i], 0, NULL, &files) == GLOB_NOMATCH;
		for (size_t n = 0; n < files.gl_pathc; n++)
			found += print_file(files.gl_pathv[n]);
		globfree(&files);
	}
	return found ? 0 : missing == i ? 2 : 1;
}

/* Set the paths: interface, or CONTAINER/interface of each container (5.x); all, if the command
 * line lists none: names such as c88742862af5client are real (WEKA's CSI plugin searches for any
 * name there, too). */
static void interface_paths(const struct client *client, char path[][PATH_TEXT_MAX],
			    const char *paths[])
{
	const char *dir = client->section->proc_dir, *only = client->section->container;
	const struct weka_unit *unit;
	size_t i, count = 0;

	snprintf(path[count++], PATH_TEXT_MAX, "%s/interface", dir);
	weka_for_each(unit, client) snprintf(path[count++], PATH_TEXT_MAX, "%s/%.*s/interface", dir,
					     WEKA_NAME_MAX - 1, unit->info.name);
	if (!weka_of(client)->count)
		snprintf(path[count++], PATH_TEXT_MAX, "%s/%s/interface", dir, *only ? only : "*");
	for (i = 0; i < count; i++)
		paths[i] = path[i];
	paths[count] = NULL;
}

/* Read the files in a child: open(2) blocks while the driver is stuck (WEKA's CSI plugin reads it
 * with a timeout for that reason). */
void weka_read_interface(struct client *client)
{
	char path[WEKA_CONTAINERS_MAX + 1][PATH_TEXT_MAX];
	const char *paths[WEKA_CONTAINERS_MAX + 2];
	struct weka_facts *facts = weka_of(client);

	memset(&facts->interface, 0, sizeof(facts->interface));
	facts->interface.active_mounts = -1;
	interface_paths(client, path, paths);
	query_function(client, &facts->interface_source, path[0], print_interface, paths);
	if (facts->interface_source.answer == QUERY_ANSWERED)
		weka_parse_interface(facts->interface_source.text, &facts->interface);
}
