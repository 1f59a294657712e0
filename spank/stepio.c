/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spank/stepio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/number.h"
#include "base/rundir.h"

#define IO_BYTES_MAX 4096
#define CPUS_TEXT_MAX 1024

#define TRIES 8		/* of reading, while threads move bytes */
#define THREADS_MAX 256 /* slurmstepd has about ten */

static const struct {
	const char *proc, *key;
} counters[STEPIO_COUNTERS] = {
	[STEPIO_READ_BYTES] = { "rchar", "read_bytes" },
	[STEPIO_WRITE_BYTES] = { "wchar", "write_bytes" },
	[STEPIO_READ_CALLS] = { "syscr", "read_calls" },
	[STEPIO_WRITE_CALLS] = { "syscw", "write_calls" },
};

static int parse_counter(const char *line, int which, uint64_t *count)
{
	size_t length = strlen(counters[which].proc);
	unsigned long n;

	if (strncmp(line, counters[which].proc, length) != 0 ||
	    strncmp(line + length, ": ", 2) != 0 ||
	    number_parse(line + length + 2, 0, UINT64_MAX, &n, NULL) < 0)
		return 0;
	count[which] = n;
	return 1;
}

static int parse(uint64_t *count, char *text, const char *path, struct err *err)
{
	char *line, *state = NULL;
	int i, found = 0;

	for (line = strtok_r(text, "\n", &state); line; line = strtok_r(NULL, "\n", &state))
		for (i = 0; i < STEPIO_COUNTERS; i++)
			found += parse_counter(line, i, count);
	return found == STEPIO_COUNTERS ? 0 : err_set(err, "'%s': has not the four counters", path);
}

/* Read in one call, so that the bytes added by reading are known. */
static ssize_t read_once(uint64_t *count, const char *path, struct err *err)
{
	char text[IO_BYTES_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (fd < 0)
		return err_set(err, "'%s': %s", path, strerror(errno));
	size = read(fd, text, sizeof(text) - 1);
	if (size < 0)
		err_set(err, "'%s': %s", path, strerror(errno));
	close(fd);
	if (size < 0)
		return -1;
	text[size] = '\0';
	return parse(count, text, path, err) < 0 ? -1 : size;
}

/* ---- slurmstepd's own ---------------------------------------------------- */

static void add(uint64_t *sum, const uint64_t *count)
{
	int i;

	for (i = 0; i < STEPIO_COUNTERS; i++)
		sum[i] += count[i];
}

static void subtract(uint64_t *all, const uint64_t *part)
{
	int i;

	for (i = 0; i < STEPIO_COUNTERS; i++)
		all[i] = all[i] > part[i] ? all[i] - part[i] : 0;
}

/* Sum up all threads but this one. A thread that ends meanwhile is an error: its counters have
 * moved to the process. */
static int read_threads(uint64_t *sum, const char *proc, pid_t self)
{
	char path[256 + NAME_MAX];
	uint64_t one[STEPIO_COUNTERS];
	struct dirent *entry;
	unsigned long tid;
	int rc = 0, count = 0;
	DIR *dir;

	memset(sum, 0, STEPIO_COUNTERS * sizeof(*sum));
	snprintf(path, sizeof(path), "%.200s/task", proc);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (rc == 0 && (entry = readdir(dir))) {
		if (number_parse(entry->d_name, 1, INT_MAX, &tid, NULL) < 0 || (pid_t)tid == self)
			continue;
		snprintf(path, sizeof(path), "%.200s/task/%s/io", proc, entry->d_name);
		if (++count > THREADS_MAX || read_once(one, path, NULL) < 0)
			rc = -1;
		else
			add(sum, one);
	}
	closedir(dir);
	return rc;
}

/* Read the process between two readings of its other threads. Return 1 if nothing was moved
 * meanwhile; 0 if something was, or a thread started or ended; -1 if unreadable. */
static int read_between(struct stepio *io, const char *proc, struct err *err)
{
	uint64_t before[STEPIO_COUNTERS], own_thread[STEPIO_COUNTERS];
	uint64_t reading[STEPIO_COUNTERS] = { [STEPIO_READ_CALLS] = 1 };
	char path[256], own[256];
	pid_t self = (pid_t)syscall(SYS_gettid); /* gettid(): glibc 2.30 */
	ssize_t size;
	int rc;

	snprintf(path, sizeof(path), "%.200s/io", proc);
	snprintf(own, sizeof(own), "%.200s/task/%d/io", proc, (int)self);
	rc = read_threads(before, proc, self);
	size = read_once(io->all, path, err);
	if (size < 0)
		return -1;
	io->has_own = rc == 0 && read_once(own_thread, own, NULL) >= 0 &&
		      read_threads(io->own, proc, self) == 0;
	if (!io->has_own)
		return 0;
	rc = !memcmp(before, io->own, sizeof(before));
	/* this thread's counters include the first reading, which does not include itself */
	reading[STEPIO_READ_BYTES] = (uint64_t)size;
	subtract(own_thread, reading);
	add(io->own, own_thread);
	return rc;
}

/* If the threads never pause, the last reading counts: a little more for slurmstepd, a little less
 * for the tasks. */
int stepio_read(struct stepio *io, const char *proc, struct err *err)
{
	struct stepio new = { .time = time(NULL) };
	int i, rc = 0;

	for (i = 0; i < TRIES && rc == 0; i++)
		rc = read_between(&new, proc, err);
	if (rc < 0)
		return -1;
	*io = new;
	return 0;
}

/* Compute the I/O of the tasks. Return false if slurmstepd's own is in it. */
static bool difference(uint64_t *tasks, const struct stepio *from, const struct stepio *to)
{
	bool is_own_excluded = from->has_own && to->has_own;
	struct stepio start = *from, end = *to;

	if (is_own_excluded) {
		subtract(start.all, from->own);
		subtract(end.all, to->own);
	}
	subtract(end.all, start.all);
	memcpy(tasks, end.all, sizeof(end.all));
	return is_own_excluded;
}

/* ---- the file ------------------------------------------------------------ */

static const char *number_or_null(uint32_t n, char *text, size_t room)
{
	snprintf(text, room, "%" PRIu32, n);
	return n == STEPIO_NONE ? "null" : text;
}

/* Write "text" as JSON, at most 'room' bytes, with '?' for what is not ASCII. */
static void quote(const char *text, char *out, size_t room)
{
	size_t used = 0;

	out[used++] = '"';
	for (; *text && used + 4 < room; text++) {
		if (*text == '"' || *text == '\\')
			out[used++] = '\\';
		out[used++] = *text >= ' ' && *text <= '~' ? *text : '?';
	}
	out[used++] = '"';
	out[used] = '\0';
}

/* ,"refused":"..","refused_tasks":2 */
static void add_gate(char *text, size_t room, const char *word, const char *why, uint32_t tasks)
{
	size_t used = strlen(text);
	char quoted[2 * ERR_MAX];

	if (!why)
		return;
	quote(why, quoted, sizeof(quoted));
	snprintf(text + used, room - used, ",\"%s\":%s,\"%s_tasks\":%" PRIu32, word, quoted, word,
		 tasks);
}

/* ,"cpus":"0-7"; a long list is left out */
static void add_cpus(char *text, size_t room, const struct cpuset *cpus)
{
	char *list = cpus ? cpuset_format(cpus) : NULL;
	size_t used = strlen(text);

	if (list && *list && strlen(list) < CPUS_TEXT_MAX)
		snprintf(text + used, room - used, ",\"cpus\":\"%s\"", list);
	free(list);
}

/* ,"private_mounts":"nfs4 tmpfs" */
static void add_private(char *text, size_t room, const char *types)
{
	size_t used = strlen(text);

	if (types && *types)
		snprintf(text + used, room - used, ",\"private_mounts\":\"%.127s\"", types);
}

/* ,"read_bytes":7,.. */
static void add_counters(char *text, size_t room, const uint64_t *tasks)
{
	size_t used = 0;
	int i;

	for (i = 0; i < STEPIO_COUNTERS; i++)
		used += (size_t)snprintf(text + used, room - used, ",\"%s\":%" PRIu64,
					 counters[i].key, tasks[i]);
}

static int format(char *text, size_t room, const char *step, const struct stepio *from,
		  const struct stepio *to, const struct stepio_label *label)
{
	char uid[16], job[16], task[16], gate[4 * ERR_MAX + CPUS_TEXT_MAX + 320] = "";
	char moved[STEPIO_COUNTERS * 40];
	uint64_t tasks[STEPIO_COUNTERS];
	bool is_own_excluded = difference(tasks, from, to);

	add_counters(moved, sizeof(moved), tasks);
	add_cpus(gate, sizeof(gate), label->cpus);
	add_private(gate, sizeof(gate), label->private_mounts);
	add_gate(gate, sizeof(gate), "refused", label->refused, label->refused_tasks);
	add_gate(gate, sizeof(gate), "warned", label->warned, label->warned_tasks);
	return snprintf(
		text, room,
		"{\"step\":\"%s\",\"source\":\"stepd\"%s,\"own_out\":%s,\"uid\":%s,\"array_job_id\":%s,\"array_task_id\":%s,\"start\":%lld,\"end\":%lld%s}\n",
		step, moved, is_own_excluded ? "true" : "false",
		number_or_null(label->uid, uid, sizeof(uid)),
		number_or_null(label->array_job_id, job, sizeof(job)),
		number_or_null(label->array_task_id, task, sizeof(task)), (long long)from->time,
		(long long)to->time, gate);
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

int stepio_write(const struct stepio *from, const struct stepio *to,
		 const struct stepio_label *label, const char *run_dir, struct err *err)
{
	char path[RUNDIR_PATH_MAX], text[4 * ERR_MAX + CPUS_TEXT_MAX + 832];
	int size;

	if (rundir_job_file(path, run_dir, label->job_id, NULL, err) < 0)
		return -1;
	if (!exists(label->is_default_dir ? path : run_dir))
		return 0;
	if (rundir_step_file(path, run_dir, label->job_id, label->step_id, err) < 0 ||
	    rundir_make_job(run_dir, label->job_id, err) < 0 ||
	    rundir_make_steps(run_dir, label->job_id, err) < 0)
		return -1;
	size = format(text, sizeof(text), strrchr(path, '/') + 1, from, to, label);
	return fileio_write_volatile(path, text, (size_t)size, 0600, err);
}
