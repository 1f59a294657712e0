/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/calib_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/fileio.h"

#define TIMEOUT_MS 30000U
#define REMOVE_MS 300000U
#define FILE_MAX (1U << 20)
#define MIB (1 << 20)

/* What a child gets to do. */
struct task {
	const char *path, *text;
	char prefix[32];
	uint64_t bytes;
	const struct calib_folder *folder; /* 'path', or where that is */
};

/* What the child has printed is the sentence of what went wrong. */
static int call(const char *what, int (*fn)(void *arg), struct task *task, unsigned int timeout_ms,
		struct child_result *result, struct err *err)
{
	struct child_result own = { 0 }, *r = result ? result : &own;
	int rc = child_call(what, fn, task, timeout_ms, r, err);

	if (rc == 0 && r->status)
		rc = err_set(err, "%s", *r->out ? r->out : "a helper of jobio ended");
	if (rc < 0 || !result)
		child_result_free(r);
	return rc;
}

static int say(const char *what, const char *path)
{
	printf("'%s': %s: %s", path, what, strerror(errno));
	return 1;
}

/* ---- make ------------------------------------------------------------------------ */

static int count_others(const char *path)
{
	struct dirent *entry;
	DIR *dir = opendir(path);
	int count = 0;

	while (dir && (entry = readdir(dir)))
		count += !strncmp(entry->d_name, CALIB_FOLDER, strlen(CALIB_FOLDER));
	if (dir)
		closedir(dir);
	return count;
}

/* Prints how many others there are, a blank, and the path. */
static int make(void *arg)
{
	const struct task *task = arg;
	char path[CALIB_PATH], real[PATH_MAX];
	struct statvfs fs;
	uint64_t room;
	int others;

	if (!realpath(task->path, real) || statvfs(real, &fs) < 0)
		return say("cannot be used", task->path);
	room = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (room < task->bytes) {
		printf("'%s': %llu MiB are free, and %llu MiB are needed; see --space", task->path,
		       (unsigned long long)(room / MIB), (unsigned long long)(task->bytes / MIB));
		return 1;
	}
	others = count_others(real);
	if (snprintf(path, sizeof(path), "%s/" CALIB_FOLDER "XXXXXX",
		     strcmp(real, "/") != 0 ? real : "") >= (int)sizeof(path)) {
		errno = ENAMETOOLONG;
		return say("cannot be used", task->path);
	}
	if (!mkdtemp(path))
		return say("cannot make a folder there", task->path);
	printf("%d %s", others, path);
	return 0;
}

int calib_folder_make(struct calib_folder *folder, const char *dir, uint64_t space_bytes,
		      struct err *err)
{
	struct task task = { .path = dir, .bytes = space_bytes };
	struct child_result result = { 0 };
	char *path;

	if (call(dir, make, &task, TIMEOUT_MS, &result, err) < 0)
		return -1;
	path = strchr(result.out, ' ');
	folder->others = atoi(result.out);
	folder->patience_ms = CALIB_PATIENCE_MS;
	snprintf(folder->path, sizeof(folder->path), "%s", path ? path + 1 : "");
	child_result_free(&result);
	return *folder->path ? 0 : err_set(err, "'%s': no folder", dir);
}

/* ---- remove, put, read --------------------------------------------------------------- */

static int remove_all(void *arg)
{
	const struct task *task = arg;
	struct err err;

	if (fileio_rmtree(task->path, &err) == 0)
		return 0;
	fputs(err.text, stdout);
	return 1;
}

int calib_folder_remove(struct calib_folder *folder, struct err *err)
{
	struct task task = { .path = folder->path };

	if (!*folder->path)
		return 0;
	if (call(folder->path, remove_all, &task, REMOVE_MS, NULL, err) < 0)
		return -1;
	*folder->path = 0;
	return 0;
}

/* Where this node has jobs itself, a prolog or an epilog may be mounting the filesystem
 * anew; a server that is away for a moment is waited for as well. */
static void await_folder(const struct calib_folder *folder)
{
	const struct timespec nap = { .tv_nsec = 200000000 };
	unsigned long long end_ms = child_now_ms() + folder->patience_ms;

	while (access(folder->path, F_OK) < 0 && child_now_ms() < end_ms)
		nanosleep(&nap, NULL);
}

static int put(void *arg)
{
	const struct task *task = arg;
	struct err err;

	await_folder(task->folder);
	if (fileio_write_volatile(task->path, task->text, strlen(task->text), 0600, &err) == 0)
		return 0;
	fputs(err.text, stdout);
	return 1;
}

int calib_folder_put(const struct calib_folder *folder, const char *name, const char *text,
		     struct err *err)
{
	char path[CALIB_PATH + 64];
	struct task task = { .path = path, .text = text, .folder = folder };

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	return call(path, put, &task, TIMEOUT_MS, NULL, err);
}

/* NAME and the text, each with a zero byte behind it. */
static void put_file(const char *path, const char *name)
{
	char *text = fileio_read(path, FILE_MAX, NULL, NULL);

	if (!text)
		return;
	printf("%s%c%s%c", name, 0, text, 0);
	free(text);
}

static int list(void *arg)
{
	const struct task *task = arg;
	char path[CALIB_PATH + NAME_MAX + 2];
	struct dirent *entry;
	DIR *dir;

	await_folder(task->folder);
	dir = opendir(task->path);
	if (!dir)
		return say("cannot read", task->path);
	while ((entry = readdir(dir))) {
		if (strncmp(entry->d_name, task->prefix, strlen(task->prefix)) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", task->path, entry->d_name);
		put_file(path, entry->d_name + strlen(task->prefix));
	}
	closedir(dir);
	return 0;
}

int calib_folder_read(const struct calib_folder *folder, size_t number,
		      void (*take)(void *arg, const char *name, const char *text), void *arg,
		      struct err *err)
{
	struct task task = { .path = folder->path, .folder = folder };
	struct child_result result = { 0 };
	const char *name, *text, *end;

	snprintf(task.prefix, sizeof(task.prefix), "%zu.", number);
	if (call(folder->path, list, &task, TIMEOUT_MS, &result, err) < 0)
		return -1;
	end = result.out + result.out_bytes;
	for (name = result.out; name < end; name = text + strlen(text) + 1) {
		text = name + strlen(name) + 1;
		take(arg, name, text);
	}
	child_result_free(&result);
	return 0;
}
