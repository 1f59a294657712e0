/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locality.h - CPUs that are near each other, or near a network interface (NIC)
 *
 * Terms   domain: CPUs that share a memory controller (NUMA node); if the
 *           machine reports only one, a package. In hwloc's order.
 *         local: on the NUMA node(s) of the NIC.
 * Owner   struct locality is a plain value.
 * Errors  -1, the reason in *err, output unchanged. A NIC without a location
 *           from the firmware is an error.
 * Runs    jobio plan and check; reads sysfs or an hwloc XML file, PCI too.
 */
#ifndef JOBIO_CORES_LOCALITY_H
#define JOBIO_CORES_LOCALITY_H

#include "base/cpuset.h"
#include "base/err.h"

#define LOCALITY_DOMAINS_MAX 128

struct locality {
	unsigned int count;
	struct cpuset domain[LOCALITY_DOMAINS_MAX];
	const char *kind; /* "NUMA node" or "package" */
};

/* 'xml' NULL: this machine. Memory without CPUs is ignored. */
int locality_load(const char *xml, struct locality *locality, struct err *err);

/* Get the CPUs of a NUMA node, by Linux's number. */
int locality_of_node(const char *xml, int numa_node, struct cpuset *cpus, struct err *err);

/* Get the CPUs near the network interface 'nic'. */
int locality_of_nic(const char *xml, const char *nic, struct cpuset *cpus, struct err *err);

#endif
