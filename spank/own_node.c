/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/own_node.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fileio.h"
#include "spank/own_mounts.h"

#define PATH_TEXT_MAX 256
#define NOTED_BYTES_MAX (OWN_TABLE_BYTES_MAX + (64U << 10))

static bool read_link(const char *proc, const char *who,
		      char space[OWN_SPACE_MAX])
{
	char path[PATH_TEXT_MAX];
	ssize_t length;

	snprintf(path, sizeof(path), "%.200s/%s/ns/mnt", proc, who);
	length = readlink(path, space, OWN_SPACE_MAX - 1);
	if (length <= 0)
		return false;
	space[length] = '\0';
	return true;
}

/* The first line alone: most jobs need no more. */
static bool read_noted(const char *noted, char space[OWN_SPACE_MAX])
{
	int fd = noted ? open(noted, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) : -1;
	ssize_t size;

	if (fd < 0)
		return false;
	size = read(fd, space, OWN_SPACE_MAX - 1);
	close(fd);
	if (size <= 0)
		return false;
	space[size] = '\0';
	space[strcspn(space, "\n")] = '\0';
	return *space;
}

bool own_node_is_ours(const char *proc, const char *noted)
{
	char ours[OWN_SPACE_MAX], nodes[OWN_SPACE_MAX];

	return read_link(proc, "self", ours) &&
	       (read_noted(noted, nodes) || read_link(proc, "1", nodes)) &&
	       !strcmp(ours, nodes);
}

/* The three things, if it is such a text. */
static void split(struct own_node *node)
{
	char *work_dir = strchr(node->noted, '\n'), *mounts;

	mounts = work_dir ? strchr(work_dir + 1, '\n') : NULL;
	if (!mounts || !mounts[1])
		return;
	*work_dir = '\0';
	*mounts = '\0';
	snprintf(node->space, sizeof(node->space), "%s", node->noted);
	node->work_dir = work_dir + 1;
	node->mounts = mounts + 1;
}

static bool is_first_of_node(const struct own_node *node, const char *proc)
{
	char first[OWN_SPACE_MAX];

	return !node->mounts ||
	       (read_link(proc, "1", first) && !strcmp(first, node->space));
}

void own_node_load(struct own_node *node, const char *proc, const char *noted)
{
	memset(node, 0, sizeof(*node));
	node->work_dir = "";
	node->noted =
		noted ? fileio_read(noted, NOTED_BYTES_MAX, NULL, NULL) : NULL;
	if (node->noted)
		split(node);
	if (is_first_of_node(node, proc))
		node->now = own_mounts_table(proc, "1");
	if (node->now)
		node->mounts = node->now;
}

void own_node_free(struct own_node *node)
{
	free(node->noted);
	free(node->now);
	memset(node, 0, sizeof(*node));
}
