/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locality.h - which CPUs are close to each other, and which to a network card
 *
 * Terms   domain: CPUs that share a memory controller (NUMA node); if the
 *           machine reports only one, a package. In hwloc's order.
 *         local: on the NUMA node(s) of the card.
 * Owner   struct locality is a plain value.
 * Errors  -1, sentence in *err, output untouched. A card whose place the
 *           firmware does not report is an error that says so.
 * Runs    jobio plan and check; reads sysfs or an hwloc XML file, PCI too.
 */
#ifndef JOBIO_LOCALITY_H
#define JOBIO_LOCALITY_H

#include "lib/cpuset.h"
#include "lib/err.h"

#define LOCALITY_DOMAINS_MAX 128

struct locality {
	unsigned int count;
	struct cpuset domain[LOCALITY_DOMAINS_MAX];
	const char *kind; /* "NUMA node" or "package" */
};

/* 'xml' NULL: this machine. Memory without CPUs does not count. */
int locality_load(const char *xml, struct locality *locality, struct err *err);

/* The CPUs of a NUMA node, by Linux's number. */
int locality_of_node(const char *xml, int numa_node, struct cpuset *cpus, struct err *err);

/* The CPUs close to the network interface 'nic'. */
int locality_of_nic(const char *xml, const char *nic, struct cpuset *cpus, struct err *err);

#endif
