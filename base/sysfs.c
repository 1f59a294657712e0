/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"

#define PATH_TEXT_MAX 512
#define LOWER_MAX 3 /* a VLAN on a bond on NICs */

static char root[PATH_TEXT_MAX] = "/sys";
static char titles[PATH_TEXT_MAX + 8] = "/proc";
static char processes[PATH_TEXT_MAX + 8] = "/proc";

void sysfs_set_root(const char *folder)
{
	TEXT_SET(root, folder);
	snprintf(titles, sizeof(titles), "%s/proc", root);
}

void sysfs_set_host(const char *folder)
{
	snprintf(root, sizeof(root), "%s/sys", folder);
	snprintf(titles, sizeof(titles), "%s/proc", folder);
	TEXT_SET(processes, titles);
}

const char *sysfs_root(void)
{
	return root;
}

void sysfs_path(char path[SYSFS_PATH_MAX], const char *below)
{
	snprintf(path, SYSFS_PATH_MAX, "%s/%s", root, below);
}

void sysfs_proc_path(char path[SYSFS_PATH_MAX], const char *below)
{
	snprintf(path, SYSFS_PATH_MAX, "%s/%s", titles, below);
}

static ssize_t read_some(const char *path, char *text, size_t size)
{
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -1;
	got = read(fd, text, size - 1);
	close(fd);
	if (got < 0)
		return -1;
	text[got] = '\0';
	return got;
}

int sysfs_line(const char *path, char *line, size_t size)
{
	if (read_some(path, line, size) < 0)
		return -1;
	line[strcspn(line, "\n")] = '\0';
	return 0;
}

int sysfs_write_line(const char *path, const char *line)
{
	FILE *file = fopen(path, "we");
	int rc = !file || fprintf(file, "%s\n", line) < 0 ? -1 : 0;

	return file && fclose(file) != 0 ? -1 : rc;
}

/* Read a CPU list of the kernel, "0-27,56-83". */
static int list_in(const char *path, struct cpuset *set)
{
	char line[4096];

	return sysfs_line(path, line, sizeof(line)) < 0 ? -1 : cpuset_parse(set, line, NULL);
}

/* Read the CPUs that share something with this one, by the older or the newer name. */
static int cpus_beside(unsigned int os_cpu, const char *const names[2], struct cpuset *cpus)
{
	char path[PATH_TEXT_MAX + 96];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%u/topology/%s", root,
			 os_cpu, names[i]);
		if (list_in(path, cpus) == 0 && cpuset_has(cpus, os_cpu))
			return 0;
	}
	return -1;
}

void sysfs_siblings(unsigned int os_cpu, struct cpuset *cpus)
{
	static const char *const names[] = { "thread_siblings_list", "core_cpus_list" /* 5.4 */ };

	if (cpus_beside(os_cpu, names, cpus) == 0)
		return;
	cpuset_zero(cpus);
	cpuset_add(cpus, os_cpu);
}

void sysfs_whole_cores(const struct cpuset *os_cpus, struct cpuset *whole)
{
	struct cpuset result, core;
	int os_cpu;

	cpuset_zero(&result);
	cpuset_for_each (os_cpu, os_cpus) {
		if (cpuset_has(&result, (unsigned int)os_cpu))
			continue;
		sysfs_siblings((unsigned int)os_cpu, &core);
		cpuset_or(&result, &core);
	}
	*whole = result;
}

void sysfs_core_ids(const struct cpuset *whole, const struct cpuset *preferred, struct cpuset *ids)
{
	struct cpuset left = *whole, core, used;
	int os_cpu;

	cpuset_zero(ids);
	cpuset_for_each (os_cpu, whole) {
		if (!cpuset_has(&left, (unsigned int)os_cpu))
			continue;
		sysfs_siblings((unsigned int)os_cpu, &core);
		used = core;
		cpuset_and(&used, preferred);
		cpuset_add(ids,
			   (unsigned int)cpuset_next(cpuset_is_empty(&used) ? &core : &used, 0));
		cpuset_andnot(&left, &core);
	}
}

int sysfs_numa_node_of_cpu(unsigned int os_cpu)
{
	char path[PATH_TEXT_MAX + 96];
	struct dirent *entry;
	unsigned long node;
	int found = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/cpu%u", root, os_cpu);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (found < 0 && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "node", 4) &&
		    number_parse(entry->d_name + 4, 0, 65535, &node, NULL) == 0)
			found = (int)node;
	closedir(dir);
	return found;
}

int sysfs_has_cpu_on(const struct cpuset *os_cpus, int numa_node)
{
	int os_cpu, node, rc = 0;

	cpuset_for_each (os_cpu, os_cpus) {
		node = sysfs_numa_node_of_cpu((unsigned int)os_cpu);
		if (node == numa_node)
			return 1;
		if (node < 0)
			rc = -1;
	}
	return rc;
}

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/') && strlen(name) < 64;
}

/* Return true for a virtio device: its parent is the device on the bus (drivers/virtio). */
static bool is_virtio(const char *device)
{
	char path[SYSFS_PATH_MAX], target[256];
	const char *name;
	ssize_t length;

	snprintf(path, sizeof(path), "%.1000s/subsystem", device);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	name = strrchr(target, '/');
	return !strcmp(name ? name + 1 : target, "virtio");
}

void sysfs_nic_path(char path[SYSFS_PATH_MAX], const char *class, const char *name,
		    const char *below)
{
	char device[PATH_TEXT_MAX + 256];

	snprintf(device, sizeof(device), "%s/class/%.64s/%.80s/device", root, class, name);
	snprintf(path, SYSFS_PATH_MAX, "%s/%s%.100s", device, is_virtio(device) ? "../" : "",
		 below);
}

static int numa_node_in(const char *path)
{
	char line[32];
	unsigned long node;

	if (sysfs_line(path, line, sizeof(line)) < 0 ||
	    number_parse(line, 0, 65535, &node, NULL) < 0)
		return -1; /* the kernel prints "-1" for unknown */
	return (int)node;
}

static int numa_node_of_interface(const char *name, int depth);

/* bond0 has lower_eth0, lower_eth1 (net/core/dev.c: adjacent devices). */
static int numa_node_below(const char *name, int depth)
{
	char path[PATH_TEXT_MAX + 128];
	struct dirent *entry;
	int node = -1, one;
	bool is_first = true, differ = false;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/class/net/%s", root, name);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "lower_", 6) != 0)
			continue;
		one = numa_node_of_interface(entry->d_name + 6, depth + 1);
		differ |= !is_first && one != node;
		is_first = false;
		node = one;
	}
	if (dir)
		closedir(dir);
	return differ ? -1 : node;
}

static int numa_node_of_interface(const char *name, int depth)
{
	char path[SYSFS_PATH_MAX];
	int node;

	if (!is_plain_name(name) || depth > LOWER_MAX)
		return -1;
	sysfs_nic_path(path, "net", name, "numa_node");
	node = numa_node_in(path);
	return node >= 0 ? node : numa_node_below(name, depth);
}

int sysfs_numa_node_of_device(const char *interface, const char *pci_address)
{
	char path[PATH_TEXT_MAX + 128];
	int node = numa_node_of_interface(interface, 0);

	if (node < 0 && is_plain_name(pci_address)) {
		snprintf(path, sizeof(path), "%s/bus/pci/devices/%s/numa_node", root, pci_address);
		node = numa_node_in(path);
	}
	return node;
}

int sysfs_numa_node_of_rdma(const char *device)
{
	char path[SYSFS_PATH_MAX];

	if (!is_plain_name(device))
		return -1;
	sysfs_nic_path(path, "infiniband", device, "numa_node");
	return numa_node_in(path);
}

long sysfs_interface_number(const char *interface, const char *name)
{
	char path[PATH_TEXT_MAX + 128], line[32];
	unsigned long number;

	if (!is_plain_name(interface))
		return -1;
	snprintf(path, sizeof(path), "%s/class/net/%s/%s", root, interface, name);
	if (sysfs_line(path, line, sizeof(line)) < 0 ||
	    number_parse(line, 0, INT32_MAX, &number, NULL) < 0)
		return -1; /* a NIC without a link has the speed "-1" */
	return (long)number;
}

int sysfs_numa_cpus(int node, struct cpuset *cpus)
{
	char path[PATH_TEXT_MAX + 96];

	snprintf(path, sizeof(path), "%s/devices/system/node/node%d/cpulist", root, node);
	return node < 0 ? -1 : list_in(path, cpus);
}

/* Find the part of the CPUs in 'rest' that has this one, the lowest. */
static void find_part(struct sysfs_part *parts, size_t count, unsigned int os_cpu,
		      const struct cpuset *rest)
{
	static const char *const names[] = { "core_siblings_list", "package_cpus_list" /* 5.3 */ };
	struct sysfs_part *part = &parts[count];
	struct cpuset cpus;
	size_t i;

	part->cpus = *rest;
	part->socket = -1;
	part->numa_node = sysfs_numa_node_of_cpu(os_cpu);
	if (sysfs_numa_cpus(part->numa_node, &cpus) == 0 && cpuset_has(&cpus, os_cpu))
		cpuset_and(&part->cpus, &cpus);
	if (cpus_beside(os_cpu, names, &cpus) < 0)
		return;
	cpuset_and(&part->cpus, &cpus);
	part->socket = 0;
	for (i = 0; i < count; i++) {
		if (cpuset_intersects(&parts[i].cpus, &cpus)) {
			part->socket = parts[i].socket;
			return;
		}
		if (parts[i].socket >= part->socket)
			part->socket = parts[i].socket + 1;
	}
}

size_t sysfs_parts(struct sysfs_part *parts, size_t max)
{
	char path[PATH_TEXT_MAX + 96];
	struct cpuset rest;
	size_t count = 0;
	int os_cpu;

	snprintf(path, sizeof(path), "%s/devices/system/cpu/online", root);
	if (list_in(path, &rest) < 0)
		return 0;
	while (count < max && (os_cpu = cpuset_next(&rest, 0)) >= 0) {
		find_part(parts, count, (unsigned int)os_cpu, &rest);
		cpuset_andnot(&rest, &parts[count++].cpus);
	}
	/* nothing distinguishes the one part from others */
	return count == 1 && parts[0].socket < 0 && parts[0].numa_node < 0 ? 0 : count;
}

int sysfs_only_numa_node(void)
{
	char path[PATH_TEXT_MAX + 96];
	struct cpuset nodes;

	snprintf(path, sizeof(path), "%s/devices/system/node/online", root);
	if (list_in(path, &nodes) < 0 || cpuset_count(&nodes) != 1)
		return -1;
	return cpuset_next(&nodes, 0);
}

bool sysfs_has_active_rdma(void)
{
	char pattern[PATH_TEXT_MAX + 64], line[64];
	bool found = false;
	glob_t states;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/class/infiniband/*/ports/*/state", root);
	if (glob(pattern, GLOB_NOSORT, NULL, &states) != 0)
		return false;
	for (i = 0; i < states.gl_pathc && !found; i++)
		found = sysfs_line(states.gl_pathv[i], line, sizeof(line)) == 0 &&
			strstr(line, "ACTIVE");
	globfree(&states);
	return found;
}

static int64_t boot_time_s(void)
{
	static int64_t boot = -1;
	char text[16384], *at;

	if (boot >= 0)
		return boot;
	/* btime is far behind the per-CPU lines on big machines */
	FILE *stat = fopen("/proc/stat", "re");

	while (stat && boot < 0 && fgets(text, sizeof(text), stat)) {
		at = text;
		if (!strncmp(at, "btime ", 6))
			boot = strtoll(at + 6, NULL, 10);
	}
	if (stat)
		fclose(stat);
	return boot;
}

int process_start(long pid, int64_t *start_s, unsigned long long *ticks)
{
	char path[64], text[2048], *at, *save = NULL;
	unsigned long long value;
	int64_t boot;
	int field;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	/* the kernel adds up every interrupt of every CPU to print the boot time */
	boot = start_s ? boot_time_s() : 0;
	errno = ENOENT;
	if (pid <= 0)
		return -1;
	if (boot < 0 || read_some(path, text, sizeof(text)) < 0)
		return -1;
	errno = EINVAL;
	at = strrchr(text, ')'); /* the name may have anything in it */
	if (!at)
		return -1;
	/* proc_pid_stat(5): starttime is field 22, ')' ends field 2 */
	at = strtok_r(at + 1, " ", &save);
	for (field = 3; at && field < 22; field++)
		at = strtok_r(NULL, " ", &save);
	if (!at)
		return -1;
	value = strtoull(at, NULL, 10);
	if (ticks)
		*ticks = value;
	if (start_s)
		*start_s = boot + (int64_t)(value / (unsigned long long)sysconf(_SC_CLK_TCK));
	return 0;
}

int process_cpus(long pid, struct cpuset *cpus)
{
	char path[PATH_TEXT_MAX + 64], text[8192], *at;

	snprintf(path, sizeof(path), "%s/%ld/status", processes, pid);
	if (pid <= 0 || read_some(path, text, sizeof(text)) < 0)
		return -1;
	at = strstr(text, "\nCpus_allowed_list:");
	if (!at)
		return -1;
	at += strlen("\nCpus_allowed_list:");
	at += strspn(at, " \t");
	at[strcspn(at, "\n")] = '\0';
	return cpuset_parse(cpus, at, NULL);
}

/* An interpreter precedes its script: compare the last two arguments. */
static bool has_arguments(const char *text, size_t size, const char *argv0, const char *argv1)
{
	const char *at = text, *end = text + size;
	const char *first = NULL, *second = NULL;

	while (at < end) {
		first = second;
		second = at;
		at += strlen(at) + 1;
	}
	return first && !strcmp(first, argv0) && !strcmp(second, argv1);
}

/* Any user can set a process title, and reading the arguments of a process with stuck memory hangs;
 * ours are root's. */
static bool is_ours(const char *proc, unsigned long pid)
{
	char path[PATH_TEXT_MAX + 64];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%lu", proc, pid);
	return stat(path, &st) == 0 && (st.st_uid == 0 || st.st_uid == geteuid());
}

/* A container on this node may have a slurmd of its own, in another PID namespace. Unknown counts
 * as ours. */
static bool is_in_our_namespace(const char *proc, unsigned long pid)
{
	char path[PATH_TEXT_MAX + 64];
	struct stat ours, its;

	snprintf(path, sizeof(path), "%s/%lu/ns/pid", proc, pid);
	return stat("/proc/self/ns/pid", &ours) < 0 || stat(path, &its) < 0 ||
	       ours.st_ino == its.st_ino;
}

static int count_processes(const char *proc,
			   bool (*matches)(const char *text, size_t size, const void *arg),
			   const void *arg)
{
	char path[PATH_TEXT_MAX + 64], text[1024];
	struct dirent *entry;
	unsigned long pid;
	int count = 0;
	ssize_t got;
	DIR *dir;

	dir = opendir(proc);
	if (!dir)
		return errno == ENOENT ? 0 : -1;
	while ((entry = readdir(dir))) {
		if (number_parse(entry->d_name, 1, 1UL << 30, &pid, NULL) < 0 ||
		    !is_ours(proc, pid))
			continue;
		snprintf(path, sizeof(path), "%s/%lu/cmdline", proc, pid);
		got = read_some(path, text, sizeof(text));
		if (got > 0 && matches(text, (size_t)got, arg) && is_in_our_namespace(proc, pid))
			count++;
	}
	closedir(dir);
	return count;
}

static bool is_command(const char *text, size_t size, const void *arg)
{
	const char *const *argv = arg;

	return has_arguments(text, size, argv[0], argv[1]);
}

int process_count(const char *argv0, const char *argv1)
{
	const char *argv[2] = { argv0, argv1 };

	return count_processes("/proc", is_command, argv);
}

static bool begins(const char *text, size_t size, const void *arg)
{
	(void)size;
	return !strncmp(text, arg, strlen(arg));
}

bool process_is_named(unsigned long pid, const char *name)
{
	char path[PATH_TEXT_MAX + 64], text[64];

	if (!is_ours(titles, pid))
		return false;
	snprintf(path, sizeof(path), "%s/%lu/comm", titles, pid);
	return sysfs_line(path, text, sizeof(text)) == 0 && !strcmp(text, name);
}

long process_named(const char *proc, const char *name)
{
	char path[PATH_TEXT_MAX + 64], comm[64];
	struct dirent *entry;
	unsigned long pid;
	long found = 0;
	DIR *dir;

	dir = opendir(proc);
	if (!dir)
		return -1;
	while (!found && (entry = readdir(dir))) {
		if (number_parse(entry->d_name, 1, 1UL << 30, &pid, NULL) < 0 ||
		    !is_ours(proc, pid))
			continue;
		snprintf(path, sizeof(path), "%s/%lu/comm", proc, pid);
		if (sysfs_line(path, comm, sizeof(comm)) == 0 && !strcmp(comm, name) &&
		    is_in_our_namespace(proc, pid))
			found = (long)pid;
	}
	closedir(dir);
	return found;
}

int process_count_titled(const char *title)
{
	return count_processes(titles, begins, title);
}
