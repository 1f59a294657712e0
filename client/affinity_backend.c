/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "client/affinity_backend.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "base/number.h"
#include "base/sysfs.h"
#include "record/alloc.h"

#define WORKQUEUES "devices/virtual/workqueue"
#define NO_SETAFFINITY 0x04000000UL /* include/linux/sched.h:PF_ */
#define ALL "*"
#define KTHREADD 2
#define PASSES_MAX 5 /* over threads that start further threads */

bool affinity_is_gone(int error)
{
	return error == ENOENT || error == ESRCH;
}

/* ---- CPU masks in files ---------------------------------------------- */

static int write_text(const char *path, const char *text, struct err *err)
{
	return sysfs_write_line(path, text) < 0 ? err_set(err, "%s: %s", path, strerror(errno)) : 0;
}

/* Write "0000ffff,ffffffff": 32 CPUs a group, the first CPUs in the last group. */
static void mask_format(const struct cpuset *cpus, char *text, size_t size)
{
	int groups = 0, group, cpu;
	size_t used = 0;
	uint32_t bits;

	cpuset_for_each (cpu, cpus)
		groups = cpu / 32;
	for (group = groups; group >= 0 && used < size; group--) {
		bits = (uint32_t)(cpus->word[group / 2] >> (group % 2 * 32));
		used += (size_t)snprintf(text + used, size - used, "%s%08x", used ? "," : "", bits);
	}
}

/* ---- workqueues ------------------------------------------------------------ */

static void workqueue_path(char path[SYSFS_PATH_MAX], const char *name)
{
	char below[AFFINITY_ITEM_MAX + 64];

	if (!strcmp(name, ALL))
		name = "."; /* the kernel's limit for all unbound workqueues */
	snprintf(below, sizeof(below), WORKQUEUES "/%s/cpumask", name);
	sysfs_path(path, below);
}

static int workqueue_get(const struct client *client, const char *item, struct cpuset *cpus)
{
	char path[SYSFS_PATH_MAX], line[CPUSET_MAX / 3];

	workqueue_path(path, item);
	if (sysfs_line(path, line, sizeof(line)) < 0)
		return -1;
	errno = EINVAL;
	return cpuset_parse_mask(cpus, line, NULL);
}

static int workqueue_set(const struct client *client, const char *item, const struct cpuset *cpus,
			 struct err *err)
{
	char path[SYSFS_PATH_MAX], mask[CPUSET_MAX / 3];

	workqueue_path(path, item);
	mask_format(cpus, mask, sizeof(mask));
	return write_text(path, mask, err);
}

static void workqueue_each(const struct client *client, const char *word, item_fn fn, void *arg)
{
	fn(arg, word);
}

static const char *desired_workqueues(const struct client *client)
{
	return client->section->unbound_workqueues == WORKQUEUES_ALL &&
			       *client->type->affinity->workqueues
		       ? ALL
		       : client->type->affinity->workqueues;
}

/* ---- threads ----------------------------------------------------------------- */

static int task_get(long pid, struct cpuset *cpus)
{
	cpu_set_t *set = CPU_ALLOC(CPUSET_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUSET_MAX), cpu;
	int rc = -1;

	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	if (sched_getaffinity((pid_t)pid, size, set) == 0) {
		cpuset_zero(cpus);
		for (cpu = 0; cpu < CPUSET_MAX; cpu++)
			if (CPU_ISSET_S(cpu, size, set))
				cpuset_add(cpus, (unsigned int)cpu);
		rc = 0;
	}
	CPU_FREE(set);
	return rc;
}

static int task_set(long pid, const struct cpuset *cpus)
{
	cpu_set_t *set = CPU_ALLOC(CPUSET_MAX);
	size_t size = CPU_ALLOC_SIZE(CPUSET_MAX);
	int cpu, rc;

	if (!set)
		return -1;
	CPU_ZERO_S(size, set);
	cpuset_for_each (cpu, cpus)
		CPU_SET_S((size_t)cpu, size, set);
	rc = sched_setaffinity((pid_t)pid, size, set);
	CPU_FREE(set);
	return rc;
}

/* Return the number before the item's '.' or ':'. */
static long pid_of(const char *item)
{
	return strtol(item, NULL, 10);
}

/* proc_pid_stat(5): field 4 is the parent, 9 the flags; the parent of kernel threads is
 * kthreadd. */
static bool is_movable(const char *dir, long pid)
{
	char path[SYSFS_PATH_MAX], line[1024], *at;
	unsigned long flags;
	long parent;

	snprintf(path, sizeof(path), "%s/%ld/stat", dir, pid);
	if (sysfs_line(path, line, sizeof(line)) < 0)
		return false;
	at = strrchr(line, ')');
	return at && sscanf(at + 1, " %*c %ld %*d %*d %*d %*d %lu", &parent, &flags) == 2 &&
	       parent == KTHREADD && !(flags & NO_SETAFFINITY);
}

/* Read the name of a thread; characters that would end an item are '_'. */
static int thread_name(const struct client *client, long pid, char *name, size_t size)
{
	char path[SYSFS_PATH_MAX];

	snprintf(path, sizeof(path), "%s/%ld/comm", client->section->process_dir, pid);
	if (sysfs_line(path, name, size) < 0)
		return -1;
	for (; *name; name++)
		if (strchr(" \t=", *name))
			*name = '_';
	return 0;
}

static void thread_each(const struct client *client, const char *word, item_fn fn, void *arg)
{
	const char *dir = client->section->process_dir;
	char name[64], item[AFFINITY_ITEM_MAX];
	struct dirent *entry;
	unsigned long pid;
	DIR *all = opendir(dir);

	while (all && (entry = readdir(all))) {
		if (number_parse(entry->d_name, 1, 1UL << 30, &pid, NULL) < 0 ||
		    thread_name(client, (long)pid, name, sizeof(name)) < 0 ||
		    fnmatch(word, name, 0) != 0 || !is_movable(dir, (long)pid))
			continue;
		snprintf(item, sizeof(item), "%lu:%s", pid, name);
		fn(arg, item);
	}
	if (all)
		closedir(all);
}

/* Compare the name first: the pid may be another thread's by now. */
static int thread_get(const struct client *client, const char *item, struct cpuset *cpus)
{
	const char *colon = strchr(item, ':');
	char name[64];

	errno = EINVAL;
	if (!colon || thread_name(client, pid_of(item), name, sizeof(name)) < 0)
		return -1;
	errno = ENOENT;
	if (strcmp(name, colon + 1) != 0)
		return -1;
	return task_get(pid_of(item), cpus);
}

static int thread_set(const struct client *client, const char *item, const struct cpuset *cpus,
		      struct err *err)
{
	return task_set(pid_of(item), cpus) < 0
		       ? err_set(err, "thread %s: %s", item, strerror(errno))
		       : 0;
}

static const char *desired_threads(const struct client *client)
{
	return client->type->affinity->threads;
}

/* ---- a daemon ------------------------------------------------------------------ */

static void process_each(const struct client *client, const char *word, item_fn fn, void *arg)
{
	long pid = process_named(client->section->process_dir, word);
	unsigned long long ticks;
	char item[AFFINITY_ITEM_MAX];

	if (pid <= 0 || process_start(pid, NULL, &ticks) < 0)
		return;
	snprintf(item, sizeof(item), "%ld.%llu", pid, ticks);
	fn(arg, item);
}

/* Return false with errno if it is not. */
static bool is_same_process(const char *item)
{
	const char *dot = strchr(item, '.');
	unsigned long long ticks;

	errno = EINVAL;
	if (!dot || process_start(pid_of(item), NULL, &ticks) < 0)
		return false;
	errno = ESRCH;
	return strtoull(dot + 1, NULL, 10) == ticks;
}

/* Call fn for each thread; stop at a value other than 0 and return it. Return -1 with errno if not
 * all of them were read. */
static int each_thread(const char *item, int (*fn)(void *arg, long tid), void *arg)
{
	struct dirent *entry;
	unsigned long tid;
	char path[64];
	int rc = 0, error;
	DIR *all;

	snprintf(path, sizeof(path), "/proc/%ld/task", pid_of(item));
	all = opendir(path);
	if (!all)
		return -1;
	while (rc == 0 && (errno = 0, entry = readdir(all)))
		if (number_parse(entry->d_name, 1, 1UL << 30, &tid, NULL) == 0)
			rc = fn(arg, (long)tid);
	if (rc == 0 && errno)
		rc = -1;
	error = errno;
	closedir(all);
	errno = error;
	return rc;
}

struct threads {
	struct cpuset cpus;
	bool is_known;
};

static int compare_thread(void *arg, long tid)
{
	struct threads *threads = arg;
	struct cpuset cpus;

	if (task_get(tid, &cpus) < 0)
		return errno == ESRCH ? 0 : -1;
	if (threads->is_known && !cpuset_equal(&cpus, &threads->cpus))
		return 1;
	threads->cpus = cpus;
	threads->is_known = true;
	return 0;
}

/* Get the CPUs of all threads. If they differ the site has bound them, which one list of CPUs could
 * not restore. */
static int process_get(const struct client *client, const char *item, struct cpuset *cpus)
{
	struct threads threads = { .is_known = false };

	if (!is_same_process(item) || each_thread(item, compare_thread, &threads) != 0 ||
	    !threads.is_known)
		return -1;
	*cpus = threads.cpus;
	return 0;
}

struct mover {
	const struct cpuset *to, *only; /* only: of threads with these CPUs; NULL: of all */
	size_t moved, strange;
};

static int move_thread(void *arg, long tid)
{
	struct mover *mover = arg;
	struct cpuset now;

	if (task_get(tid, &now) < 0)
		return errno == ESRCH ? 0 : -1;
	if (cpuset_equal(&now, mover->to))
		return 0;
	if (mover->only && !cpuset_equal(&now, mover->only)) {
		mover->strange++;
		return 0;
	}
	mover->moved++;
	return task_set(tid, mover->to) < 0 && errno != ESRCH ? -1 : 0;
}

/* Set the CPUs of the threads. A new thread inherits those of its parent: repeat until none had to
 * be moved. */
static int move_threads(const char *item, struct mover *mover, struct err *err)
{
	int pass;

	for (pass = 0; pass < PASSES_MAX && (!pass || mover->moved); pass++) {
		mover->moved = mover->strange = 0;
		if (!is_same_process(item) || each_thread(item, move_thread, mover) < 0)
			return err_set(err, "process %s: %s", item, strerror(errno));
	}
	return 0;
}

static int process_set(const struct client *client, const char *item, const struct cpuset *cpus,
		       struct err *err)
{
	struct mover mover = { .to = cpus };

	return move_threads(item, &mover, err);
}

/* Restore each thread by itself: an interrupted change has moved some. */
static int process_back(const struct client *client, const char *item, const struct cpuset *was,
			const struct cpuset *is, struct err *err)
{
	struct mover mover = { .to = was, .only = is };

	if (move_threads(item, &mover, err) < 0)
		return affinity_is_gone(errno) ? AFFINITY_GONE : -1;
	return !mover.strange;
}

static const char *desired_process(const struct client *client)
{
	return client->type->affinity->process;
}

/* ---- interrupts ------------------------------------------------------------------ */

static int interrupt_get(const struct client *client, const char *item, struct cpuset *cpus)
{
	char path[SYSFS_PATH_MAX], below[AFFINITY_ITEM_MAX + 32], line[4096];

	snprintf(below, sizeof(below), "irq/%s/smp_affinity_list", item);
	sysfs_proc_path(path, below);
	if (sysfs_line(path, line, sizeof(line)) < 0)
		return -1;
	errno = EINVAL;
	return cpuset_parse(cpus, line, NULL);
}

/* Interrupts that the driver manages (IRQF_AFFINITY_MANAGED) are refused. */
static int interrupt_set(const struct client *client, const char *item, const struct cpuset *cpus,
			 struct err *err)
{
	char path[SYSFS_PATH_MAX], below[AFFINITY_ITEM_MAX + 32];
	char *list = xneed(cpuset_format(cpus));
	int rc;

	snprintf(below, sizeof(below), "irq/%s/smp_affinity_list", item);
	sysfs_proc_path(path, below);
	rc = write_text(path, list, err);
	free(list);
	return rc;
}

/* Call fn for each interrupt of 'word', a network interface or an RDMA device. */
static void interrupt_each(const struct client *client, const char *word, item_fn fn, void *arg)
{
	static const char *const classes[] = { "net", "infiniband" };
	char path[SYSFS_PATH_MAX];
	struct dirent *entry;
	unsigned long irq;
	DIR *all = NULL;
	size_t i;

	for (i = 0; i < 2 && !all; i++) {
		sysfs_nic_path(path, classes[i], word, "msi_irqs");
		all = opendir(path);
	}
	while (all && (entry = readdir(all)))
		if (number_parse(entry->d_name, 0, 1UL << 30, &irq, NULL) == 0)
			fn(arg, entry->d_name);
	if (all)
		closedir(all);
}

static const char *desired_interrupts(const struct client *client)
{
	return client->section->interrupts_of;
}

/* ---- back ends ------------------------------------------------------------------------ */

const struct affinity_backend affinity_workqueues = { "workqueues",  workqueue_each,
						      workqueue_get, workqueue_set,
						      NULL,	     desired_workqueues };
const struct affinity_backend affinity_threads = { "threads",  thread_each, thread_get,
						   thread_set, NULL,	    desired_threads };
const struct affinity_backend affinity_processes = { "process",	  process_each, process_get,
						     process_set, process_back, desired_process };
const struct affinity_backend affinity_interrupts = {
	"interrupts of", interrupt_each, interrupt_get, interrupt_set, NULL, desired_interrupts
};
