/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cores, NUMA nodes and processes, by files; cards are in test_card.c. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/child.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static void folder(const char *name)
{
	char command[1200];

	snprintf(command, sizeof(command), "mkdir -p '%s'", tempdir_path(name));
	ck_assert_int_eq(system(command), 0);
}

static void begin(void)
{
	tempdir_make();
	sysfs_set_root(tempdir_name);
}

static void put_cpu(unsigned int os_cpu, const char *file, const char *text)
{
	char path[200];

	snprintf(path, sizeof(path), "devices/system/cpu/cpu%u/topology", os_cpu);
	folder(path);
	snprintf(path + strlen(path), sizeof(path) - strlen(path), "/%s", file);
	tempdir_put(path, text);
}

static void expect_cpus(const struct cpuset *cpus, const char *list)
{
	char *text = cpuset_format(cpus);

	ck_assert_str_eq(text, list);
	free(text);
}

static void expect_siblings(unsigned int os_cpu, const char *list)
{
	struct cpuset cpus;

	sysfs_siblings(os_cpu, &cpus);
	expect_cpus(&cpus, list);
}

START_TEST(the_threads_of_a_core_are_told_by_either_file)
{
	struct cpuset some, whole;

	begin();
	put_cpu(0, "thread_siblings_list", "0,4\n");
	put_cpu(4, "core_cpus_list", "0,4\n");
	put_cpu(1, "thread_siblings_list", "0,4\n"); /* without itself */
	put_cpu(2, "thread_siblings_list", "what\n");
	put_cpu(2, "core_cpus_list", "2,6\n");
	expect_siblings(0, "0,4");
	expect_siblings(4, "0,4");
	expect_siblings(1, "1");
	expect_siblings(2, "2,6");
	expect_siblings(7, "7");
	ck_assert_int_eq(cpuset_parse(&some, "0,2-3", NULL), 0);
	sysfs_whole_cores(&some, &whole);
	expect_cpus(&whole, "0,2-4,6");
	sysfs_whole_cores(&some, &some);
	expect_cpus(&some, "0,2-4,6");
	tempdir_remove();
}
END_TEST

START_TEST(a_cpu_is_of_the_numa_node_that_its_folder_names)
{
	begin();
	folder("devices/system/cpu/cpu3/node1");
	folder("devices/system/cpu/cpu3/nodes");
	folder("devices/system/cpu/cpu3/cache");
	folder("devices/system/cpu/cpu4/cache");
	folder("devices/system/cpu/cpu5/node0");
	folder("devices/system/cpu/cpu6/node65535");
	folder("devices/system/cpu/cpu7/node65536");
	ck_assert_int_eq(sysfs_numa_node_of_cpu(3), 1);
	ck_assert_int_eq(sysfs_numa_node_of_cpu(4), -1);
	ck_assert_int_eq(sysfs_numa_node_of_cpu(5), 0);
	ck_assert_int_eq(sysfs_numa_node_of_cpu(6), 65535);
	ck_assert_int_eq(sysfs_numa_node_of_cpu(7), -1);
	ck_assert_int_eq(sysfs_numa_node_of_cpu(8), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_card_that_does_not_say_where_it_is_is_looked_for_on_its_bus)
{
	begin();
	folder("class/net/eth0/device");
	tempdir_put("class/net/eth0/device/numa_node", "-1\n");
	folder("bus/pci/devices/0000:01:00.0");
	tempdir_put("bus/pci/devices/0000:01:00.0/numa_node", "1\n");
	ck_assert_int_eq(sysfs_numa_node_of_device("eth0", "0000:01:00.0"), 1);
	ck_assert_int_eq(sysfs_numa_node_of_device("eth0", "0000:02:00.0"), -1);
	ck_assert_int_eq(sysfs_numa_node_of_device("eth0", "../devices"), -1);
	tempdir_put("class/net/eth0/device/numa_node", "0\n");
	ck_assert_int_eq(sysfs_numa_node_of_device("eth0", "0000:01:00.0"), 0);
	tempdir_put("class/net/eth0/device/numa_node", "65535\n");
	ck_assert_int_eq(sysfs_numa_node_of_device("eth0", ""), 65535);
	tempdir_put("class/net/eth0/device/numa_node", "65536\n");
	ck_assert_int_eq(sysfs_numa_node_of_device("eth0", ""), -1);
	folder("class/infiniband/mlx5_0/device");
	tempdir_put("class/infiniband/mlx5_0/device/numa_node", "1\n");
	ck_assert_int_eq(sysfs_numa_node_of_rdma("mlx5_0"), 1);
	ck_assert_int_eq(sysfs_numa_node_of_rdma("mlx5_1"), -1);
	ck_assert_int_eq(sysfs_numa_node_of_rdma("x/../mlx5_0"), -1);
	ck_assert_int_eq(sysfs_numa_node_of_rdma(""), -1);
	ck_assert_int_eq(sysfs_numa_node_of_rdma("."), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_vlan_on_a_bond_on_cards_is_as_deep_as_it_goes)
{
	begin();
	folder("class/net/eth0/device");
	tempdir_put("class/net/eth0/device/numa_node", "0\n");
	folder("class/net/a/lower_b");
	folder("class/net/b/lower_c");
	folder("class/net/c/lower_d");
	folder("class/net/d/lower_eth0");
	ck_assert_int_eq(sysfs_numa_node_of_device("b", ""), 0);
	ck_assert_int_eq(sysfs_numa_node_of_device("a", ""), -1);
	tempdir_remove();
}
END_TEST

START_TEST(a_machine_with_one_numa_node_has_one)
{
	begin();
	folder("devices/system/node");
	ck_assert_int_eq(sysfs_only_numa_node(), -1);
	tempdir_put("devices/system/node/online", "0\n");
	ck_assert_int_eq(sysfs_only_numa_node(), 0);
	tempdir_put("devices/system/node/online", "\n");
	ck_assert_int_eq(sysfs_only_numa_node(), -1);
	tempdir_put("devices/system/node/online", "0,3\n");
	ck_assert_int_eq(sysfs_only_numa_node(), -1);
	tempdir_remove();
}
END_TEST

START_TEST(one_active_port_is_enough)
{
	begin();
	ck_assert(!sysfs_has_active_rdma());
	folder("class/infiniband/a/ports/1");
	folder("class/infiniband/a/ports/2");
	tempdir_put("class/infiniband/a/ports/1/state", "1: DOWN\n");
	ck_assert(!sysfs_has_active_rdma());
	tempdir_put("class/infiniband/a/ports/2/state", "4: ACTIVE\n");
	ck_assert(sysfs_has_active_rdma());
	tempdir_put("class/infiniband/a/ports/1/state", "4: ACTIVE\n");
	tempdir_put("class/infiniband/a/ports/2/state", "1: DOWN\n");
	ck_assert(sysfs_has_active_rdma());
	tempdir_remove();
}
END_TEST

static pid_t start(char *const argv[])
{
	const int stdio[3] = { -1, -1, -1 };
	pid_t pid = child_start(argv, NULL, stdio, NULL);

	ck_assert_int_gt(pid, 0);
	return pid;
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

START_TEST(a_process_began_when_it_was_started)
{
	unsigned long long ours = 0, its = 0;
	int64_t start_s = 0, now = (int64_t)time(NULL);
	struct cpuset cpus, more;
	pid_t pid;

	ck_assert_int_eq(process_start(getpid(), &start_s, &ours), 0);
	ck_assert_int_le(start_s, now + 2);
	ck_assert_int_ge(start_s, now - 120);
	usleep(30000);
	pid = start((char *[]){ "/bin/sleep", "100", NULL });
	ck_assert_int_eq(process_start(pid, &start_s, &its), 0);
	ck_assert_uint_gt(its, ours);
	ck_assert_uint_lt(its, ours + 12000);
	ck_assert_int_eq(process_start(pid, NULL, NULL), 0);
	ck_assert_int_eq(process_cpus(pid, &cpus), 0);
	ck_assert(!cpuset_is_empty(&cpus));
	ck_assert_int_eq(process_cpus(getpid(), &more), 0);
	ck_assert(cpuset_equal(&cpus, &more));
	stop(pid);
	ck_assert_int_eq(process_start(pid, &start_s, &its), -1);
	ck_assert_int_eq(process_cpus(pid, &cpus), -1);
	ck_assert_int_eq(process_start(0, NULL, NULL), -1);
	ck_assert_int_eq(process_start(-1, NULL, NULL), -1);
	ck_assert_int_eq(process_cpus(0, &cpus), -1);
}
END_TEST

START_TEST(processes_are_counted_by_their_last_two_arguments)
{
	pid_t one, two, other;

	ck_assert_int_eq(process_count("/bin/sleep", "98.765"), 0);
	one = start((char *[]){ "/bin/sleep", "98.765", NULL });
	other = start((char *[]){ "/bin/sleep", "98.766", NULL });
	usleep(200000);
	ck_assert_int_eq(process_count("/bin/sleep", "98.765"), 1);
	two = start((char *[]){ "/bin/sleep", "98.765", NULL });
	usleep(200000);
	ck_assert_int_eq(process_count("/bin/sleep", "98.765"), 2);
	ck_assert_int_eq(process_count("/bin/slee", "98.765"), 0);
	ck_assert_int_eq(process_count("98.765", ""), 0);
	stop(one);
	stop(two);
	stop(other);
}
END_TEST

/* Below the folder of the test. */
static char processes[500] = "proc";

static void put_process(const char *pid, const char *cmdline, const char *comm)
{
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", processes, pid);
	folder(path);
	snprintf(path, sizeof(path), "%s/%s/cmdline", processes, pid);
	tempdir_put(path, cmdline);
	snprintf(path, sizeof(path), "%s/%s/comm", processes, pid);
	tempdir_put(path, comm);
}

START_TEST(processes_are_known_by_title_and_name)
{
	char proc[512];
	long found;

	begin();
	snprintf(proc, sizeof(proc), "%s", tempdir_path("proc"));
	ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 0);
	ck_assert_int_eq(process_named(proc, "mmfsd"), -1);
	put_process("11", "slurmstepd: [7.0]", "slurmstepd\n");
	put_process("12", "slurmstepd: [7.batch]", "mmfsd\n");
	put_process("13", "slurmstepd: [77.0]", "mmfsd2\n");
	put_process("x14", "slurmstepd: [7.1]", "mmfsd\n");
	put_process("15", "", "mmfs\n");
	ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 2);
	ck_assert_int_eq(process_count_titled("slurmstepd: [77."), 1);
	ck_assert_int_eq(process_count_titled("slurmd"), 0);
	/* the first process, whose title is a letter */
	put_process("1", "i", "init\n");
	ck_assert_int_eq(process_count_titled("i"), 1);
	ck_assert_int_eq(process_named(proc, "init"), 1);
	ck_assert_int_eq(unlink(tempdir_path("proc/1/cmdline")), 0);
	/* a thread of the kernel has no title */
	ck_assert_int_eq(process_count_titled(""), 3);
	found = process_named(proc, "mmfsd");
	ck_assert_int_eq(found, 12);
	ck_assert_int_eq(process_named(proc, "mm"), 0);
	ck_assert(process_is_named(12, "mmfsd"));
	ck_assert(!process_is_named(13, "mmfsd"));
	ck_assert(!process_is_named(99, "mmfsd"));
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(tempdir_path("proc/12"), 12345, 12345), 0);
		ck_assert(!process_is_named(12, "mmfsd"));
		ck_assert_int_eq(process_named(proc, "mmfsd"), 0);
		ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 1);
	}
	tempdir_remove();
}
END_TEST

START_TEST(the_processes_of_root_are_believed_by_everyone)
{
	begin();
	put_process("11", "slurmstepd: [7.0]", "mmfsd\n");
	put_process("12", "slurmstepd: [7.1]", "mmfsd\n");
	if (geteuid() == 0) { /* 11 is of root, 12 our own, as somebody */
		ck_assert_int_eq(chmod(tempdir_name, 0755), 0);
		ck_assert_int_eq(chown(tempdir_path("proc/12"), 12345, 12345), 0);
		ck_assert_int_eq(seteuid(12345), 0);
	}
	ck_assert(process_is_named(11, "mmfsd"));
	ck_assert(process_is_named(12, "mmfsd"));
	ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 2);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	tempdir_remove();
}
END_TEST

START_TEST(a_process_of_another_namespace_is_not_ours)
{
	char proc[512];

	begin();
	snprintf(proc, sizeof(proc), "%s", tempdir_path("proc"));
	put_process("11", "slurmstepd: [7.0]", "mmfsd\n");
	folder("proc/11/ns");
	tempdir_put("proc/11/ns/pid", "");
	ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 0);
	ck_assert_int_eq(process_named(proc, "mmfsd"), 0);
	ck_assert_int_eq(unlink(tempdir_path("proc/11/ns/pid")), 0);
	ck_assert_int_eq(symlink("/proc/self/ns/pid", tempdir_path("proc/11/ns/pid")), 0);
	ck_assert_int_eq(process_count_titled("slurmstepd: [7."), 1);
	ck_assert_int_eq(process_named(proc, "mmfsd"), 11);
	tempdir_remove();
}
END_TEST

START_TEST(one_card_at_another_place_is_enough_not_to_know)
{
	char path[100];
	int i;

	begin();
	for (i = 0; i < 9; i++) {
		snprintf(path, sizeof(path), "class/net/eth%d/device", i);
		folder(path);
		strcat(path, "/numa_node");
		tempdir_put(path, i ? "1\n" : "0\n");
		snprintf(path, sizeof(path), "class/net/bond0/lower_eth%d", i);
		folder(path);
	}
	ck_assert_int_eq(sysfs_numa_node_of_device("bond0", ""), -1);
	tempdir_put("class/net/eth0/device/numa_node", "1\n");
	ck_assert_int_eq(sysfs_numa_node_of_device("bond0", ""), 1);
	tempdir_remove();
}
END_TEST

/* In whatever order the folder shows them. */
START_TEST(a_card_whose_place_nobody_knows_leaves_the_bond_without_one)
{
	char path[100];
	int i;

	begin();
	folder("class/net/eth0/device");
	tempdir_put("class/net/eth0/device/numa_node", "0\n");
	for (i = 1; i < 9; i++) {
		snprintf(path, sizeof(path), "class/net/b%d/lower_eth0", i);
		folder(path);
		snprintf(path, sizeof(path), "class/net/b%d/lower_x%d", i, i);
		folder(path);
		snprintf(path, sizeof(path), "b%d", i);
		ck_assert_int_eq(sysfs_numa_node_of_device(path, ""), -1);
	}
	tempdir_remove();
}
END_TEST

START_TEST(whichever_of_three_cards_is_elsewhere_the_bond_has_no_place)
{
	char path[100];
	int odd, i;

	for (odd = 0; odd < 3; odd++) {
		begin();
		for (i = 0; i < 3; i++) {
			snprintf(path, sizeof(path), "class/net/e%d/device", i);
			folder(path);
			strcat(path, "/numa_node");
			tempdir_put(path, i == odd ? "1\n" : "0\n");
			snprintf(path, sizeof(path), "class/net/b/lower_e%d", i);
			folder(path);
		}
		ck_assert_int_eq(sysfs_numa_node_of_device("b", ""), -1);
		tempdir_remove();
	}
}
END_TEST

UNIT_MAIN("sysfs", the_processes_of_root_are_believed_by_everyone,
	  the_threads_of_a_core_are_told_by_either_file,
	  a_cpu_is_of_the_numa_node_that_its_folder_names,
	  a_card_that_does_not_say_where_it_is_is_looked_for_on_its_bus,
	  a_vlan_on_a_bond_on_cards_is_as_deep_as_it_goes, a_machine_with_one_numa_node_has_one,
	  one_active_port_is_enough, a_process_began_when_it_was_started,
	  processes_are_counted_by_their_last_two_arguments, processes_are_known_by_title_and_name,
	  a_process_of_another_namespace_is_not_ours,
	  one_card_at_another_place_is_enough_not_to_know,
	  a_card_whose_place_nobody_knows_leaves_the_bond_without_one,
	  whichever_of_three_cards_is_elsewhere_the_bond_has_no_place)
