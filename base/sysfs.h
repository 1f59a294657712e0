/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysfs.h - facts about CPUs, NUMA nodes and processes
 *
 * Terms   OS CPU: Linux's number of a hardware thread.
 *         start: when a process began, seconds since 1970.
 * Owner   plain values.
 * Errors  -1: unknown; no message, because callers have an alternative.
 * Runs    helpers; reads /sys and /proc only.
 */
#ifndef JOBIO_BASE_SYSFS_H
#define JOBIO_BASE_SYSFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"

/* Read /sys below this folder, and titles of processes below FOLDER/proc: for tests. */
void sysfs_set_root(const char *folder);
/* Read the files of another host: its sys and its proc, of processes as well. */
void sysfs_set_host(const char *folder);
const char *sysfs_root(void);

/* DIR/below; DIR is /sys, or /proc, or what tests have set. */
#define SYSFS_PATH_MAX 1024
void sysfs_path(char path[SYSFS_PATH_MAX], const char *below);
void sysfs_proc_path(char path[SYSFS_PATH_MAX], const char *below);

/* Get all threads of the core of an OS CPU; the CPU itself if it is unknown. */
void sysfs_siblings(unsigned int os_cpu, struct cpuset *cpus);
/* Get the OS CPUs of the cores that 'os_cpus' touch, all threads. */
void sysfs_whole_cores(const struct cpuset *os_cpus, struct cpuset *whole);
/* Get one CPU of each core of 'whole': one of 'preferred', else the lowest. */
void sysfs_core_ids(const struct cpuset *whole, const struct cpuset *preferred, struct cpuset *ids);
int sysfs_numa_node_of_cpu(unsigned int os_cpu);
/* Return 1 if one of the CPUs is on the NUMA node, 0 if none is, -1 if unknown. */
int sysfs_has_cpu_on(const struct cpuset *os_cpus, int numa_node);
/* Path of a file in CLASS/NAME/device ("numa_node", "msi_irqs"), of a network interface or an RDMA
 * device; for virtio of its PCI device. */
void sysfs_nic_path(char path[SYSFS_PATH_MAX], const char *class, const char *name,
		    const char *below);
/* A bond or a VLAN has the node of the NICs below it, if they have the same. */
int sysfs_numa_node_of_device(const char *interface, const char *pci_address);
/* Of an RDMA device, "mlx5_0". */
int sysfs_numa_node_of_rdma(const char *device);
/* Return "speed" (Mbit/s) or "mtu" (bytes) of a network interface; -1: unknown. */
long sysfs_interface_number(const char *interface, const char *name);
/* Get the CPUs of a NUMA node; -1: unknown. */
int sysfs_numa_cpus(int node, struct cpuset *cpus);
/* Return the only NUMA node of a machine; -1: it has several, or unknown. */
int sysfs_only_numa_node(void);
/* CPUs that share a socket and a NUMA node. */
struct sysfs_part {
	int socket; /* numbered in order; -1 unknown */
	int numa_node;
	struct cpuset cpus;
};
/* Get the parts in the order of their lowest CPU, which is that of hwloc and Slurm. Return their
 * number, at most 'max'; 0: unknown. CPUs that are offline are in none. */
size_t sysfs_parts(struct sysfs_part *parts, size_t max);
/* Return true if an RDMA device has an active port. */
bool sysfs_has_active_rdma(void);

/* Get the start of a running process (-1 and errno; ENOENT or ESRCH: there is none); ticks
 * distinguish two processes with one pid. */
int process_start(long pid, int64_t *start_s, unsigned long long *ticks);
int process_cpus(long pid, struct cpuset *cpus);
/* Return the number of processes with exactly these two arguments, of root and our own user, in our
 * PID namespace, here and below. Both wait for a process with stuck memory, for ever perhaps: call
 * them in a child (child_call()). */
int process_count(const char *argv0, const char *argv1);

/* Return true if the process is root's, and of this program. */
bool process_is_named(unsigned long pid, const char *name);
/* Return the pid of a process of this name (proc_pid_comm(5)), found below 'proc'; of root and our
 * own user, as above. 0: none, -1: unknown. */
long process_named(const char *proc, const char *name);

/* Return the number with a title that starts so ("slurmstepd: [7."); -1: unknown. */
int process_count_titled(const char *title);

/* Read the first line of a small file, without the newline. */
int sysfs_line(const char *path, char *line, size_t size);
/* Write a line. Return -1 with errno if the kernel refuses it. */
int sysfs_write_line(const char *path, const char *line);

#endif
