/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cores/locality.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fileio.h"
#include "base/sysfs.h"
#include "record/alloc.h"

#define SYSFS_FILE_MAX 65536U

static int load(hwloc_topology_t *topology, const char *xml, bool io, struct err *err)
{
	hwloc_topology_t loaded = NULL;

	hwloc_topology_init(&loaded);
	xneed(loaded);
	if (xml && hwloc_topology_set_xml(loaded, xml) < 0)
		goto fail;
	if (io)
		hwloc_topology_set_io_types_filter(loaded, HWLOC_TYPE_FILTER_KEEP_ALL);
	else
		hwloc_topology_set_components(loaded, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
					      "x86");
	hwloc_topology_set_flags(loaded, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_load(loaded) < 0)
		goto fail;
	*topology = loaded;
	return 0;
fail:
	hwloc_topology_destroy(loaded);
	return err_set(err, "topology: '%s': not a readable hwloc XML file",
		       xml ? xml : "this machine");
}

static int copy_bits(struct cpuset *set, hwloc_const_bitmap_t bits)
{
	int bit;

	cpuset_zero(set);
	for (bit = hwloc_bitmap_first(bits); bit >= 0; bit = hwloc_bitmap_next(bits, bit))
		cpuset_add(set, (unsigned int)bit);
	return !cpuset_is_empty(set);
}

static void read_domains(struct locality *locality, hwloc_topology_t topology,
			 hwloc_obj_type_t type, const char *kind)
{
	hwloc_obj_t obj = NULL;

	locality->count = 0;
	locality->kind = kind;
	while (locality->count < LOCALITY_DOMAINS_MAX &&
	       (obj = hwloc_get_next_obj_by_type(topology, type, obj)))
		if (copy_bits(&locality->domain[locality->count], obj->cpuset))
			locality->count++;
}

int locality_load(const char *xml, struct locality *locality, struct err *err)
{
	hwloc_topology_t topology;

	if (load(&topology, xml, false, err) < 0)
		return -1;
	read_domains(locality, topology, HWLOC_OBJ_NUMANODE, "NUMA node");
	if (locality->count < 2)
		read_domains(locality, topology, HWLOC_OBJ_PACKAGE, "package");
	hwloc_topology_destroy(topology);
	return 0;
}

int locality_of_node(const char *xml, int numa_node, struct cpuset *cpus, struct err *err)
{
	hwloc_topology_t topology;
	hwloc_obj_t node;
	int rc;

	if (load(&topology, xml, false, err) < 0)
		return -1;
	node = hwloc_get_numanode_obj_by_os_index(topology, (unsigned int)numa_node);
	if (node && copy_bits(cpus, node->cpuset))
		rc = 0;
	else
		rc = err_set(err, "NUMA node %d: %s has no CPUs there", numa_node,
			     xml ? xml : "this machine");
	hwloc_topology_destroy(topology);
	return rc;
}

static int nic_of_xml(const char *xml, const char *nic, struct cpuset *cpus, struct err *err)
{
	hwloc_topology_t topology;
	hwloc_obj_t device = NULL, around;
	int rc;

	if (load(&topology, xml, true, err) < 0)
		return -1;
	while ((device = hwloc_get_next_osdev(topology, device)))
		if (device->name && !strcmp(device->name, nic))
			break;
	around = device ? hwloc_get_non_io_ancestor_obj(topology, device) : NULL;
	if (around && copy_bits(cpus, around->cpuset))
		rc = 0;
	else
		rc = err_set(
			err,
			"network card '%s': not in '%s'; record it with `lstopo --whole-io`, or give its local CPUs with --local-cpus",
			nic, xml);
	hwloc_topology_destroy(topology);
	return rc;
}

static int nic_of_sysfs(const char *nic, struct cpuset *cpus, struct err *err)
{
	char path[SYSFS_PATH_MAX];
	char *list;
	int rc;

	if (!*nic || strchr(nic, '/') || strlen(nic) > 64)
		return err_set(err, "network card '%s': no such interface", nic);
	snprintf(path, sizeof(path), "/sys/class/net/%s", nic);
	if (access(path, F_OK) < 0)
		return err_set(err, "network card '%s': no such interface", nic);
	sysfs_nic_path(path, "net", nic, "local_cpulist");
	list = fileio_read(path, SYSFS_FILE_MAX, NULL, NULL);
	if (!list)
		return err_set(
			err,
			"network card '%s': it is not on a bus; give its local CPUs with --local-cpus",
			nic);
	rc = cpuset_parse(cpus, list, err);
	if (rc == 0 && cpuset_is_empty(cpus))
		rc = err_set(
			err,
			"network card '%s': the firmware reports no NUMA node; give its local CPUs with --local-cpus",
			nic);
	free(list);
	return rc;
}

int locality_of_nic(const char *xml, const char *nic, struct cpuset *cpus, struct err *err)
{
	return xml ? nic_of_xml(xml, nic, cpus, err) : nic_of_sysfs(nic, cpus, err);
}
