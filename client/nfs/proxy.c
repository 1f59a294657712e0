/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find the process that listens at a mount's address on the loopback interface: mount.efs
 * (efs-utils 2: efs-proxy), AKS and others (stunnel) mount "127.0.0.1:/" with port=. */
#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/fileio.h"
#include "base/number.h"
#include "base/sysfs.h"
#include "client/nfs/nfs.h"

#define TABLE_BYTES_MAX (16U << 20)
#define SEARCH_MS 200

/* Set [name] to "socket:[INODE]" of the listening socket, as in /proc/PID/fd. Lines of
 * /proc/net/tcp are "N: ADDRESS:PORT ADDRESS:PORT STATE QUEUES TIMER RETRIES UID TIMEOUT INODE",
 * state 0A is listening (net/ipv4/tcp_ipv4.c:get_tcp4_sock(), Linux 6.12). */
static bool socket_of(const char *process_dir, in_addr_t address, unsigned int port, char name[32])
{
	char path[512], local[64];
	const char *at;
	char *table;
	int word;

	snprintf(path, sizeof(path), "%s/net/tcp", process_dir);
	table = fileio_read_linked(path, TABLE_BYTES_MAX, NULL);
	snprintf(local, sizeof(local), ": %08X:%04X 00000000:0000 0A ", address, port);
	at = table ? strstr(table, local) : NULL;
	for (word = 0; at && word < 9; word++) {
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	if (at)
		snprintf(name, 32, "socket:[%.*s]", (int)strspn(at, "0123456789"), at);
	free(table);
	return at;
}

static bool has_open(const char *process_dir, unsigned long pid, const char *name)
{
	char path[512], link[32];
	struct dirent *entry;
	bool found = false;
	ssize_t length;
	DIR *all;

	snprintf(path, sizeof(path), "%s/%lu/fd", process_dir, pid);
	all = opendir(path);
	while (all && !found && (entry = readdir(all))) {
		length = readlinkat(dirfd(all), entry->d_name, link, sizeof(link) - 1);
		link[length > 0 ? length : 0] = '\0';
		found = !strcmp(link, name);
	}
	if (all)
		closedir(all);
	return found;
}

void nfs_proxy_find(const char *process_dir, struct nfs_mount *mount)
{
	unsigned long long end_ms = child_now_ms() + SEARCH_MS;
	char path[512], name[32];
	struct dirent *entry;
	DIR *all;

	if (strncmp(mount->address, "127.", 4) != 0 ||
	    !socket_of(process_dir, inet_addr(mount->address), mount->port, name))
		return;
	all = opendir(process_dir);
	while (all && !*mount->proxy && child_now_ms() < end_ms && (entry = readdir(all))) {
		if (number_parse(entry->d_name, 1, 1UL << 30, &mount->proxy_pid, NULL) < 0 ||
		    !has_open(process_dir, mount->proxy_pid, name))
			continue;
		snprintf(path, sizeof(path), "%s/%lu/comm", process_dir, mount->proxy_pid);
		sysfs_line(path, mount->proxy, sizeof(mount->proxy));
	}
	if (all)
		closedir(all);
}
