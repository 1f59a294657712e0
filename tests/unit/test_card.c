/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a card is, by files of sysfs; and a client's list of cards. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/card.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

/* Two NUMA nodes; eth0 is at the first, eth1 at the second. */
static void make_machine(void)
{
	char command[1024];

	tempdir_make();
	snprintf(
		command, sizeof(command),
		"cd '%s' && mkdir -p devices/system/node/node0 devices/system/node/node1 class/net/eth0/device class/net/eth1/device class/net/eth2/device class/net/bond0 class/net/vlan7",
		tempdir_name);
	ck_assert_int_eq(system(command), 0);
	tempdir_put("devices/system/node/online", "0-1\n");
	tempdir_put("devices/system/node/node0/cpulist", "0-7,16-23\n");
	tempdir_put("devices/system/node/node1/cpulist", "8-15,24-31\n");
	tempdir_put("class/net/eth0/device/numa_node", "0\n");
	tempdir_put("class/net/eth1/device/numa_node", "1\n");
	tempdir_put("class/net/eth2/device/numa_node", "-1\n");
	sysfs_set_root(tempdir_name);
}

static void put_below(const char *upper, const char *lower)
{
	char path[128];

	snprintf(path, sizeof(path), "class/net/%s/lower_%s", upper, lower);
	tempdir_put(path, "");
}

START_TEST(a_card_is_where_its_bus_is)
{
	make_machine();
	ck_assert_int_eq(sysfs_numa_node_of_device("eth0", ""), 0);
	ck_assert_int_eq(sysfs_numa_node_of_device("eth1", ""), 1);
	ck_assert_int_eq(sysfs_numa_node_of_device("eth2", ""), -1);
	ck_assert_int_eq(sysfs_numa_node_of_device("../eth1", ""), -1);
	ck_assert_int_eq(sysfs_numa_node_of_device("", ""), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_virtio_card_is_where_its_pci_device_is)
{
	char command[1024];

	make_machine();
	snprintf(
		command, sizeof(command),
		"cd '%s' && mkdir -p bus/virtio bus/pci pci0/virtio3 class/net/eth3 && ln -s ../../../pci0/virtio3 class/net/eth3/device && ln -s ../../bus/virtio pci0/virtio3/subsystem && echo 1 >pci0/numa_node",
		tempdir_name);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(sysfs_numa_node_of_device("eth3", ""), 1);
	/* what is above the device of another bus is not the card's */
	snprintf(command, sizeof(command),
		 "cd '%s' && ln -sfn ../../bus/pci pci0/virtio3/subsystem", tempdir_name);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(sysfs_numa_node_of_device("eth3", ""), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_bond_is_where_all_of_its_cards_are)
{
	make_machine();
	ck_assert_int_eq(sysfs_numa_node_of_device("bond0", ""), -1);
	put_below("bond0", "eth1");
	put_below("vlan7", "bond0");
	ck_assert_int_eq(sysfs_numa_node_of_device("bond0", ""), 1);
	ck_assert_int_eq(sysfs_numa_node_of_device("vlan7", ""), 1);
	put_below("bond0", "eth0");
	ck_assert_int_eq(sysfs_numa_node_of_device("bond0", ""), -1);
	ck_assert_int_eq(sysfs_numa_node_of_device("vlan7", ""), -1);
	put_below("bond0", "bond0"); /* nothing goes round for ever */
	ck_assert_int_eq(sysfs_numa_node_of_device("bond0", ""), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_numa_node_has_cpus_or_is_unknown)
{
	struct cpuset cpus;
	char *list;

	make_machine();
	ck_assert_int_eq(sysfs_numa_cpus(1, &cpus), 0);
	list = cpuset_format(&cpus);
	ck_assert_str_eq(list, "8-15,24-31");
	free(list);
	ck_assert_int_eq(sysfs_numa_cpus(2, &cpus), -1);
	ck_assert_int_eq(sysfs_numa_cpus(-1, &cpus), -1);
	ck_assert_int_eq(sysfs_only_numa_node(), -1);
	tempdir_put("devices/system/node/online", "1\n");
	ck_assert_int_eq(sysfs_only_numa_node(), 1);
	tempdir_put("devices/system/node/online", "x\n");
	ck_assert_int_eq(sysfs_only_numa_node(), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_card_tells_its_speed_and_the_size_of_its_packets)
{
	make_machine();
	tempdir_put("class/net/eth0/speed", "25000\n");
	tempdir_put("class/net/eth0/mtu", "9000\n");
	tempdir_put("class/net/eth1/speed", "-1\n");
	ck_assert_int_eq(sysfs_interface_number("eth0", "speed"), 25000);
	ck_assert_int_eq(sysfs_interface_number("eth0", "mtu"), 9000);
	ck_assert_int_eq(sysfs_interface_number("eth1", "speed"), -1);
	ck_assert_int_eq(sysfs_interface_number("eth1", "mtu"), -1);
	ck_assert_int_eq(sysfs_interface_number("../net/eth0", "mtu"), -1);
	tempdir_put("class/net/eth1/speed", "4294967295\n");
	ck_assert_int_eq(sysfs_interface_number("eth1", "speed"), -1);
	tempdir_remove();
}
END_TEST

/* A CPU and those that share its socket, as one of two files says it. */
static void put_socket(unsigned int os_cpu, const char *file, int node, const char *cpus)
{
	char command[1024], path[128];

	snprintf(
		command, sizeof(command),
		"cd '%s/devices/system' && mkdir -p cpu/cpu%u/topology && rm -f cpu/cpu%u/node* && ln -s ../../node/node%d cpu/cpu%u/node%d",
		tempdir_name, os_cpu, os_cpu, node, os_cpu, node);
	ck_assert_int_eq(system(command), 0);
	snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/topology/%s", os_cpu, file);
	tempdir_put(path, cpus);
}

static void expect_part(const struct sysfs_part *part, int socket, int numa_node, const char *cpus)
{
	char *list = cpuset_format(&part->cpus);

	ck_assert_int_eq(part->socket, socket);
	ck_assert_int_eq(part->numa_node, numa_node);
	ck_assert_str_eq(list, cpus);
	free(list);
}

START_TEST(cpus_are_parted_by_socket_and_numa_node)
{
	struct sysfs_part parts[4];

	make_machine();
	ck_assert_uint_eq(sysfs_parts(parts, 4), 0); /* nobody knows */
	put_socket(0, "core_siblings_list", 0, "0-7,16-23\n");
	put_socket(8, "package_cpus_list", 1, "8-15,24-31\n");
	ck_assert_uint_eq(sysfs_parts(parts, 4), 0);
	tempdir_put("devices/system/cpu/online", "0-30\n");
	ck_assert_uint_eq(sysfs_parts(parts, 4), 2);
	expect_part(&parts[0], 0, 0, "0-7,16-23");
	expect_part(&parts[1], 1, 1, "8-15,24-30"); /* 31 is offline */
	ck_assert_uint_eq(sysfs_parts(parts, 1), 1);
	/* two NUMA nodes of one socket */
	put_socket(0, "core_siblings_list", 0, "0-31\n");
	put_socket(8, "package_cpus_list", 1, "0-31\n");
	ck_assert_uint_eq(sysfs_parts(parts, 4), 2);
	expect_part(&parts[0], 0, 0, "0-7,16-23");
	expect_part(&parts[1], 0, 1, "8-15,24-30");
	/* two sockets of one NUMA node, as on a machine whose NUMA is off */
	tempdir_put("devices/system/node/node0/cpulist", "0-31\n");
	put_socket(0, "core_siblings_list", 0, "0-7,16-23\n");
	put_socket(8, "package_cpus_list", 0, "8-15,24-31\n");
	ck_assert_uint_eq(sysfs_parts(parts, 4), 2);
	expect_part(&parts[0], 0, 0, "0-7,16-23");
	expect_part(&parts[1], 1, 0, "8-15,24-30");
	tempdir_remove();
}
END_TEST

START_TEST(sockets_are_numbered_as_their_cpus_come)
{
	struct sysfs_part parts[8];

	make_machine();
	tempdir_put("devices/system/node/node0/cpulist", "0-15\n");
	tempdir_put("devices/system/node/node1/cpulist", "16-31\n");
	put_socket(0, "core_siblings_list", 0, "0-7\n");
	put_socket(8, "core_siblings_list", 0, "8-23\n");
	put_socket(16, "core_siblings_list", 1, "8-23\n");
	put_socket(24, "core_siblings_list", 1, "24-31\n");
	tempdir_put("devices/system/cpu/online", "0-31\n");
	ck_assert_uint_eq(sysfs_parts(parts, 8), 4);
	expect_part(&parts[0], 0, 0, "0-7");
	expect_part(&parts[1], 1, 0, "8-15");
	expect_part(&parts[2], 1, 1, "16-23");
	expect_part(&parts[3], 2, 1, "24-31");
	tempdir_remove();
}
END_TEST

START_TEST(cpus_of_no_known_socket_are_parted_by_numa_node_alone)
{
	struct sysfs_part parts[8];

	make_machine();
	tempdir_put("devices/system/cpu/online", "0-31\n");
	put_socket(0, "core_siblings_list", 0, "1\n"); /* without itself */
	put_socket(8, "core_siblings_list", 1, "what\n");
	ck_assert_uint_eq(sysfs_parts(parts, 8), 2);
	expect_part(&parts[0], -1, 0, "0-7,16-23");
	expect_part(&parts[1], -1, 1, "8-15,24-31");
	/* a node that does not name the CPU parts nothing */
	tempdir_put("devices/system/node/node0/cpulist", "1-7,16-23\n");
	tempdir_put("devices/system/node/node1/cpulist", "0,8-15,24-31\n");
	ck_assert_uint_eq(sysfs_parts(parts, 8), 1);
	expect_part(&parts[0], -1, 0, "0-31");
	/* either is enough */
	ck_assert_int_eq(unlink(tempdir_path("devices/system/cpu/cpu0/node0")), 0);
	tempdir_put("devices/system/cpu/cpu0/topology/core_siblings_list", "0-31\n");
	ck_assert_uint_eq(sysfs_parts(parts, 8), 1);
	expect_part(&parts[0], 0, -1, "0-31");
	/* one part of which neither is known is none */
	tempdir_put("devices/system/cpu/online", "40-47\n");
	ck_assert_uint_eq(sysfs_parts(parts, 8), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_card_is_listed_once_with_all_that_it_serves)
{
	struct client_cards cards = { 0 };
	char name[80];
	int i;

	card_add(&cards, "eth0", 0, "/home");
	card_add(&cards, "eth1", 1, "/work");
	card_add(&cards, "eth0", 0, "/apps");
	card_add(&cards, "", 0, "/none");
	ck_assert_uint_eq(cards.count, 2);
	ck_assert_str_eq(cards.card[0].serves, "/home,/apps");
	ck_assert_int_eq(cards.card[1].numa_node, 1);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	card_add(&cards, name, 0, "a name that no kernel gives");
	ck_assert_uint_eq(cards.count, 2);
	for (i = 0; i < 40; i++) { /* too many, and too much to serve */
		snprintf(name, sizeof(name), "ib%d", i);
		card_add(&cards, name, -1, "/a");
		card_add(&cards, "eth0", 0, "/a/long/name/of/a/mount");
	}
	ck_assert_uint_eq(cards.count, CLIENT_CARDS_MAX);
	ck_assert_uint_lt(strlen(cards.card[0].serves), CLIENT_CARD_TEXT_MAX);
}
END_TEST

START_TEST(the_second_and_third_card_are_found_again)
{
	struct client_cards cards = { 0 };

	card_add(&cards, "ib0", 0, "/a");
	card_add(&cards, "ib1", 1, "/b");
	card_add(&cards, "ib2", 2, "/c");
	card_add(&cards, "ib2", 2, "/d");
	card_add(&cards, "ib1", 1, "/e");
	ck_assert_uint_eq(cards.count, 3);
	ck_assert_str_eq(cards.card[1].serves, "/b,/e");
	ck_assert_str_eq(cards.card[2].serves, "/c,/d");
}
END_TEST

UNIT_MAIN("card", sockets_are_numbered_as_their_cpus_come,
	  cpus_of_no_known_socket_are_parted_by_numa_node_alone, a_card_is_where_its_bus_is,
	  a_virtio_card_is_where_its_pci_device_is, a_bond_is_where_all_of_its_cards_are,
	  a_numa_node_has_cpus_or_is_unknown, a_card_tells_its_speed_and_the_size_of_its_packets,
	  cpus_are_parted_by_socket_and_numa_node, a_card_is_listed_once_with_all_that_it_serves,
	  the_second_and_third_card_are_found_again)
