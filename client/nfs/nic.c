/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find the interface to a server by the kernel's routes; no packet is sent. */
#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sysfs.h"
#include "client/nfs/nfs.h"

unsigned int nfs_parse_address(const char *text, unsigned int port, struct sockaddr_storage *to)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)to;
	struct sockaddr_in *v4 = (struct sockaddr_in *)to;

	memset(to, 0, sizeof(*to));
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons((uint16_t)port);
		return sizeof(*v4);
	}
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons((uint16_t)port);
		return sizeof(*v6);
	}
	return 0;
}

/* Get the local address of a socket to the server. */
static int local_address(const char *address, struct sockaddr_storage *own)
{
	struct sockaddr_storage to;
	socklen_t to_size = nfs_parse_address(address, 9, &to), size = sizeof(*own);
	int fd = to_size ? socket(to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	int rc = -1;

	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&to, to_size) == 0)
		rc = getsockname(fd, (struct sockaddr *)own, &size);
	close(fd);
	return rc;
}

static bool is_same(const struct sockaddr *a, const struct sockaddr_storage *b)
{
	if (!a || a->sa_family != b->ss_family)
		return false;
	if (a->sa_family == AF_INET)
		return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)b)->sin_addr.s_addr;
	return a->sa_family == AF_INET6 &&
	       !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr, 16);
}

static int interface_of(const struct sockaddr_storage *own, char name[32])
{
	struct ifaddrs *all, *one;
	int rc = -1;

	if (getifaddrs(&all) < 0)
		return -1;
	for (one = all; one && rc < 0; one = one->ifa_next)
		if (is_same(one->ifa_addr, own) && !(one->ifa_flags & IFF_LOOPBACK)) {
			snprintf(name, 32, "%s", one->ifa_name);
			rc = 0;
		}
	freeifaddrs(all);
	return rc;
}

/* Return true for an RDMA device of the interface, or one on top of it (rdma_rxe, with the
 * interface as 'parent'). */
static bool has_rdma(const char *interface)
{
	char dir[512], path[1024], line[64];
	struct dirent *entry;
	bool found;
	DIR *all;

	snprintf(path, sizeof(path), "%s/class/net/%s/device/infiniband", sysfs_root(), interface);
	snprintf(dir, sizeof(dir), "%.400s/class/infiniband", sysfs_root());
	found = access(path, F_OK) == 0;
	all = found ? NULL : opendir(dir);
	while (all && !found && (entry = readdir(all))) {
		snprintf(path, sizeof(path), "%s/%.200s/parent", dir, entry->d_name);
		found = sysfs_line(path, line, sizeof(line)) == 0 && !strcmp(line, interface);
	}
	if (all)
		closedir(all);
	return found;
}

bool nfs_nic_find(const char *address, struct nfs_nic *nic)
{
	struct sockaddr_storage own;

	if (local_address(address, &own) < 0 || interface_of(&own, nic->name) < 0)
		return false;
	nic->speed_mbits = sysfs_interface_number(nic->name, "speed");
	nic->numa_node = sysfs_numa_node_of_device(nic->name, "");
	nic->has_rdma = has_rdma(nic->name);
	return true;
}
