/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/lustre/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#define SEEN 64

static size_t hash_of(const char *text)
{
	size_t hash = 0;

	while (*text)
		hash = hash * 31 + (unsigned char)*text++;
	return hash;
}

static void param_path(const struct config_client *section, size_t root, const char *folder,
		       const char *device, const char *param, char path[TREE_PATH_MAX])
{
	const char *const roots[ROOTS] = { section->sys_dir, section->debug_dir,
					   section->procfs_dir };

	snprintf(path, TREE_PATH_MAX, "%s/%s/%s/%s", roots[root], folder, device, param);
}

static bool is_elsewhere(int error)
{
	return error == ENOENT || error == ENOTDIR;
}

int tree_path(const struct config_client *section, const char *folder, const char *device,
	      const char *param, char path[TREE_PATH_MAX])
{
	int denied = 0;
	size_t i;

	for (i = 0; i < ROOTS; i++) {
		param_path(section, i, folder, device, param, path);
		if (access(path, F_OK) == 0)
			return 0;
		if (!is_elsewhere(errno))
			denied = errno;
	}
	errno = denied ? denied : ENOENT;
	return -1;
}

static const struct config_client *held; /* NULL: tree_hold() was not called */

struct held_folder {
	bool is_known;
	int fd, error;
};

/* Return its fd, or -1 with errno. */
static int held_folder(size_t root, const char *folder)
{
	static struct held_folder known[ROOTS][TREE_KINDS + 1];
	struct held_folder *one;
	char path[TREE_PATH_MAX];
	size_t i = 0;

	while (i < TREE_KINDS && strcmp(folders[i], folder) != 0)
		i++; /* the last is "lov" */
	one = &known[root][i];
	if (!one->is_known) {
		param_path(held, root, folder, ".", ".", path);
		one->fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		one->error = errno;
		one->is_known = true;
	}
	errno = one->error;
	return one->fd;
}

void tree_hold(const struct config_client *section)
{
	held = section;
}

static int open_below(const struct config_client *section, size_t root, const char *folder,
		      const char *device, const char *param)
{
	char path[TREE_PATH_MAX];
	int at;

	if (section != held) {
		param_path(section, root, folder, device, param, path);
		return open(path, O_RDONLY | O_CLOEXEC);
	}
	at = held_folder(root, folder);
	if (at < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/%s", device, param);
	return openat(at, path, O_RDONLY | O_CLOEXEC);
}

/* Return the root to try first: files of many lines are in debugfs since 2.13 (LU-8066,
 * adb5aca3d6), others in sysfs. */
static size_t likely_root(const char *param)
{
	static const char *const of_lines[] = { "stats", "import", "state" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(of_lines); i++)
		if (!strcmp(param, of_lines[i]))
			return 1;
	return 0;
}

/* Open a parameter. The same file of some hundred targets is read in turn, so the root of the
 * previous one is tried first. */
static int open_param(const struct config_client *section, const char *folder, const char *device,
		      const char *param)
{
	static struct {
		char name[48];
		size_t root;
	} seen[SEEN];
	size_t slot = hash_of(param) % SEEN, i, root;
	size_t first = strcmp(seen[slot].name, param) != 0 ? likely_root(param) : seen[slot].root;
	int fd, denied = 0;

	for (i = 0; i < ROOTS; i++) {
		root = (first + i) % ROOTS;
		fd = open_below(section, root, folder, device, param);
		if (fd >= 0) {
			TEXT_SET(seen[slot].name, param);
			seen[slot].root = root;
			return fd;
		}
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
	int fd = open_param(section, folder, device, param);

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

int tree_global_line(const struct config_client *section, const char *name, char *line, size_t size)
{
	const char *const folders_of[] = { section->sys_dir, section->procfs_dir };
	char path[TREE_PATH_MAX];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(folders_of); i++) {
		snprintf(path, sizeof(path), "%s/%s", folders_of[i], name);
		if (sysfs_line(path, line, size) == 0)
			return 0;
		if (!is_elsewhere(errno))
			break;
	}
	return -1;
}
