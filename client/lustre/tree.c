/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "base/array.h"
#include "base/sysfs.h"
#include "record/alloc.h"

static const char *const folders[TREE_KINDS] = { "llite", "mdc", "osc" };
static const char *const words[TREE_KINDS] = { "", "-MDT", "-OST" };

const char *tree_folder(enum tree_kind kind)
{
	return folders[kind];
}

const char *tree_target(const struct tree_device *device, char text[16])
{
	snprintf(text, 16, "%s", "");
	if (device->kind != TREE_LLITE)
		snprintf(text, 16, "%s%04x", words[device->kind] + 1, device->index);
	return text;
}

const char *tree_filesystem(const char *instance, char text[TREE_NAME_MAX])
{
	char *dash;

	snprintf(text, TREE_NAME_MAX, "%s", instance);
	dash = strrchr(text, '-');
	if (dash)
		*dash = '\0';
	return text;
}

/* ---- mounts ------------------------------------------------------------ */

/* Parse "192.0.2.60@tcp:192.0.2.61@tcp:/scratch/sub": the name after ":/". The source of a server's
 * own mount is a disk. */
static int filesystem_of(const char *source, char name[TREE_NAME_MAX])
{
	const char *at = strstr(source, ":/");
	size_t length = at ? strcspn(at + 2, "/") : 0;

	if (!length || length >= TREE_NAME_MAX / 2)
		return -1;
	snprintf(name, TREE_NAME_MAX, "%.*s", (int)length, at + 2);
	return 0;
}

bool tree_is_client(const char *source)
{
	char name[TREE_NAME_MAX];

	return filesystem_of(source, name) == 0;
}

/* Return true if the first [length] bytes of a device's name are a mounted filesystem. */
static bool is_mounted(const struct client *client, const char *name, size_t length)
{
	char filesystem[TREE_NAME_MAX];
	size_t i;

	for (i = 0; i < client->common.mount_count; i++)
		if (filesystem_of(client->common.mounts[i].source, filesystem) == 0 &&
		    strlen(filesystem) == length && !strncmp(filesystem, name, length))
			return true;
	return false;
}

/* ---- devices ----------------------------------------------------------- */

static bool is_address(const char *text)
{
	size_t length = strspn(text, "0123456789abcdef");

	return length >= 8 && length <= 16 && !text[length];
}

/* Parse "work-OST0001-osc-ffff9a2c41d08000" or, for llite, "work-ffff9a2c41d08000". */
static int parse_device(const struct client *client, enum tree_kind kind, const char *name,
			struct tree_device *device)
{
	const char *address = strrchr(name, '-'), *target;
	size_t length;
	char *end;

	if (!address || !is_address(address + 1) || strlen(name) >= TREE_NAME_MAX)
		return -1;
	memset(device, 0, sizeof(*device));
	device->kind = kind;
	device->tracked = TREE_UNREAD;
	snprintf(device->name, TREE_NAME_MAX, "%s", name);
	length = (size_t)(address - name);
	if (kind != TREE_LLITE) {
		target = strstr(name, words[kind]);
		if (!target || target > address)
			return -1;
		length = (size_t)(target - name);
		device->index = (unsigned int)strtoul(target + strlen(words[kind]), &end, 16);
		if (end != target + strlen(words[kind]) + 4 || *end != '-' ||
		    end + 1 + strlen(folders[kind]) != address)
			return -1;
	}
	if (!is_mounted(client, name, length))
		return -1;
	snprintf(device->instance, TREE_NAME_MAX, "%.*s%s", (int)length, name, address);
	return 0;
}

static void add_device(struct tree *tree, const struct tree_device *device)
{
	tree->device = xmore(tree->device, tree->count, sizeof(*device));
	tree->device[tree->count++] = *device;
}

static int by_name(const void *a, const void *b)
{
	const struct tree_device *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Read the devices of a kind. Return -1 if there is no such folder; the next root may have it. */
static int read_folder(const struct client *client, const char *root, enum tree_kind kind,
		       struct tree *tree)
{
	struct tree_device device;
	struct dirent *entry;
	char path[TREE_PATH_MAX];
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s", root, folders[kind]);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		if (parse_device(client, kind, entry->d_name, &device) == 0)
			add_device(tree, &device);
	closedir(dir);
	return 0;
}

struct tree *tree_read(const struct client *client, struct err *err)
{
	const struct config_client *section = client->section;
	struct tree *tree = xcalloc(1, sizeof(*tree));
	int kind, rc = 0;
	size_t from;

	for (kind = 0; kind < TREE_KINDS; kind++) {
		from = tree->count;
		rc = read_folder(client, section->sys_dir, kind, tree);
		if (rc < 0 || tree->count == from)
			rc = read_folder(client, section->procfs_dir, kind, tree);
		if (rc < 0 && kind == TREE_LLITE)
			break;
		if (tree->count > from)
			qsort(tree->device + from, tree->count - from, sizeof(*tree->device),
			      by_name);
		rc = 0;
	}
	if (rc == 0 && tree->count)
		return tree;
	err_set(err, "neither %s nor %s shows a mount of this filesystem", section->sys_dir,
		section->procfs_dir);
	tree_free(tree);
	return NULL;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	free(tree->device);
	free(tree);
}

/* ---- files --------------------------------------------------------------- */

#define ROOTS 3

/* Return the root to try first: files of many lines are in debugfs since 2.13 (LU-8066,
 * adb5aca3d6), others in sysfs. */
static size_t likely_root(const char *param)
{
	return !strcmp(param, "stats") || !strcmp(param, "import") || !strcmp(param, "state");
}

static bool is_elsewhere(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

int tree_open(const struct config_client *section, const char *folder, const char *device,
	      const char *param, int flags)
{
	const char *const roots[ROOTS] = { section->sys_dir, section->debug_dir,
					   section->procfs_dir };
	size_t i, first = likely_root(param);
	char path[TREE_PATH_MAX];
	int fd, denied = 0;

	for (i = 0; i < ROOTS; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s/%s", roots[(first + i) % ROOTS], folder,
			 device, param);
		fd = open(path, flags | O_CLOEXEC);
		if (fd >= 0)
			return fd;
		if (!is_elsewhere(errno))
			denied = errno;
	}
	errno = denied ? denied : ENOENT;
	return -1;
}

/* Read one file of the kernel, in as many reads as it takes; a single line mostly takes one. */
static int read_file(int fd, bool is_line, char *text, size_t size)
{
	bool is_whole = false;
	size_t used = 0;
	ssize_t n = 0;
	int saved;

	while (!is_whole && used < size - 1) {
		n = read(fd, text + used, size - 1 - used);
		if (n > 0)
			is_whole = is_line && memchr(text + used, '\n', (size_t)n);
		else
			is_whole = n == 0;
		if (n <= 0)
			break;
		used += (size_t)n;
	}
	saved = n < 0 ? errno : EFBIG;
	close(fd);
	text[used] = '\0';
	errno = saved;
	return is_whole ? 0 : -1;
}

static int read_param(const struct config_client *section, const char *folder, const char *device,
		      const char *param, bool is_line, char *text, size_t size)
{
	int fd = tree_open(section, folder, device, param, O_RDONLY);

	return fd < 0 ? -1 : read_file(fd, is_line, text, size);
}

int tree_text(const struct config_client *section, const char *folder, const char *device,
	      const char *param, char *text, size_t size)
{
	return read_param(section, folder, device, param, false, text, size);
}

int tree_line(const struct config_client *section, const char *folder, const char *device,
	      const char *param, char *line, size_t size)
{
	if (read_param(section, folder, device, param, true, line, size) < 0)
		return -1;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

/* Parse "64.00" of newer versions, "0 (all)". */
long tree_digits(const char *text)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	return errno || end == text || number < 0 ? -1 : number;
}

long tree_number(const struct config_client *section, const char *folder, const char *device,
		 const char *param)
{
	char line[128];

	if (tree_line(section, folder, device, param, line, sizeof(line)) < 0)
		return -1;
	return tree_digits(line);
}

/* A folder of the same name in another root has another inode, so after an error that does not mean
 * absence the next root is not tried. */
unsigned long tree_inode(const struct config_client *section, const char *instance)
{
	const char *const roots[] = { section->sys_dir, section->procfs_dir };
	char path[TREE_PATH_MAX];
	struct stat st;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(roots); i++) {
		snprintf(path, sizeof(path), "%s/llite/%s", roots[i], instance);
		if (stat(path, &st) == 0)
			return (unsigned long)st.st_ino;
		if (!is_elsewhere(errno))
			return 0;
	}
	errno = ENOENT;
	return 0;
}
