/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a kernel does to cores that poll, file by file. On whole nodes: check_node.bats. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/sysfs.h"
#include "report/doctor_host.h"
#include "report/doctor_state.h"
#include "tests/unit/runner.h"
#include "tests/unit/said.h"
#include "tests/unit/tempdir.h"

#define CLOCK "sys/devices/system/clocksource/clocksource0/current_clocksource"
#define CPU "sys/devices/system/cpu/"
#define GROUPS "sys/kernel/iommu_groups/"
#define HUGE "sys/kernel/mm/hugepages/hugepages-"

static struct doctor doctor;
static struct config config;

/* One where nothing disturbs a client on CPUs 2 and 3. */
static void begin(void)
{
	tempdir_make();
	memset(&doctor, 0, sizeof(doctor));
	doctor.root = tempdir_name;
	ck_assert_int_eq(cpuset_parse(&doctor.client_cpus, "2-3", NULL), 0);
	tempdir_put(
		"proc/cmdline",
		"nomodeset clocksource=tsc tsc=reliable intel_iommu=off intel_idle.max_cstate=0 processor.max_cstate=0 numa_balancing=disable\n");
	tempdir_put("proc/cpuinfo", "vendor_id : GenuineIntel\n");
}

static const char *said(void)
{
	struct findings findings = { 0 };

	doctor.findings = &findings;
	doctor_host(&doctor);
	return said_findings(&findings);
}

static void expect(const char *wanted)
{
	ck_assert_str_eq(said(), wanted);
}

#define K01(words)                                                                                 \
	"K01 warning the kernel was started without " words                                        \
	": a client that polls loses time to sleep states, slow clocks or "                        \
	"page migration; " words "\n"

START_TEST(a_host_where_all_is_well_has_no_finding)
{
	begin();
	expect("");
	remove(tempdir_path("proc/cmdline")); /* nobody knows */
	expect("");
	tempdir_remove();
}
END_TEST

START_TEST(parameters_are_whole_words_and_some_are_intels)
{
	begin();
	tempdir_put("proc/cmdline", "xnomodeset nomodeset=1 tsc=reliable\n");
	expect(K01(
		"clocksource=tsc nomodeset intel_iommu=off intel_idle.max_cstate=0 processor.max_cstate=0 numa_balancing=disable"));
	tempdir_put(
		"proc/cmdline",
		"root=/dev/sda1 quiet splash xnomodeset nomodeset clocksource=tsc tsc=reliable processor.max_cstate=0 intel_idle.max_cstate=0 numa_balancing=disable\n");
	expect(K01("intel_iommu=off"));
	tempdir_put("proc/cmdline", "tsc=reliable\tnomodeset");
	tempdir_put("proc/cpuinfo", "CPU implementer : 0x41\n");
	expect(K01("clocksource=tsc processor.max_cstate=0 numa_balancing=disable"));
	/* what the kernel says itself counts more */
	tempdir_put(CLOCK, "tsc\n");
	tempdir_put("proc/sys/kernel/numa_balancing", "0\n");
	tempdir_put(CPU "cpu2/cpuidle/state0/latency", "0\n");
	expect("");
	tempdir_put("proc/cpuinfo", "GenuineIntel\n");
	expect(K01("intel_iommu=off"));
	tempdir_put(GROUPS "0/type", "identity\n");
	expect("");
	/* no sleep states, no balancing, no graphics: nothing to switch off */
	remove(tempdir_path("proc/sys/kernel/numa_balancing"));
	remove(tempdir_path(CPU "cpu2/cpuidle/state0/latency"));
	tempdir_put("proc/cmdline", "tsc=reliable");
	tempdir_put("sys/class/drm/card0/dev", "226:0\n");
	expect(K01(
		"nomodeset intel_idle.max_cstate=0 processor.max_cstate=0 numa_balancing=disable"));
	tempdir_put("proc/sys/kernel/ostype", "Linux\n");
	expect(K01("nomodeset intel_idle.max_cstate=0 processor.max_cstate=0"));
	tempdir_put(CPU "cpuidle/current_driver", "none\n");
	expect(K01("nomodeset"));
	remove(tempdir_path("sys/class/drm/card0/dev"));
	remove(tempdir_path("sys/class/drm/card0"));
	expect("");
	tempdir_remove();
}
END_TEST

static void expect_clock(const char *name, bool is_slow)
{
	char text[80];

	snprintf(text, sizeof(text), "%s\n", name);
	tempdir_put(CLOCK, text);
	snprintf(text, sizeof(text), "K03 warning the clock of the kernel is '%.32s': ", name);
	ck_assert_msg(!strncmp(said(), text, strlen(text)) == is_slow, "%s: %s", name, said());
}

START_TEST(a_clock_that_is_read_by_a_system_call_is_slow)
{
	begin();
	expect_clock("tsc", false);
	expect_clock("arch_sys_counter", false);
	expect_clock("kvm-clock", false);
	expect_clock("hyperv_clocksource_tsc_page", false);
	expect_clock("hpet", true);
	expect_clock("a_clock_with_a_name_of_more_than_32_letters", true);
	tempdir_put(CLOCK, "");
	expect("");
	tempdir_remove();
}
END_TEST

START_TEST(pages_that_are_moved_are_told)
{
	begin();
	tempdir_put("proc/sys/kernel/numa_balancing", "0\n");
	expect("");
	tempdir_put("proc/sys/kernel/numa_balancing", "1\n");
	expect("K05 warning the kernel moves pages between NUMA nodes (kernel.numa_balancing): it stops a client that polls to see which it uses; sysctl kernel.numa_balancing=0, and a line in /etc/sysctl.d\n");
	tempdir_put("proc/sys/kernel/numa_balancing", "2\n");
	ck_assert_ptr_nonnull(strstr(said(), "K05"));
	tempdir_remove();
}
END_TEST

/* A state of a CPU. */
static void state(int cpu, int number, const char *us, const char *is_off, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), CPU "cpu%d/cpuidle/state%d/latency", cpu, number);
	tempdir_put(path, us);
	snprintf(path, sizeof(path), CPU "cpu%d/cpuidle/state%d/disable", cpu, number);
	tempdir_put(path, is_off);
	snprintf(path, sizeof(path), CPU "cpu%d/cpuidle/state%d/name", cpu, number);
	if (name)
		tempdir_put(path, name);
}

#define K04(cpus, state, us, boot)                                                                 \
	"K04 warning CPUs " cpus " of the client may sleep in " state ", from which it takes " us  \
	" us to wake up; cpupower -c " cpus " idle-set -D 10, at each boot; or for all CPUs " boot \
	" on the kernel's command line\n"
#define INTEL "intel_idle.max_cstate=0 processor.max_cstate=0"

START_TEST(the_deepest_state_that_is_in_use_is_told)
{
	begin();
	state(2, 0, "0", "0", "POLL");
	state(2, 1, "10", "0", "C1");
	state(4, 0, "500", "0", "C9"); /* not the client's */
	expect("");
	state(2, 2, "11", "0", "C2\n");
	expect(K04("2", "C2", "11", INTEL));
	state(2, 3, "100", "1\n", "C6");
	expect(K04("2", "C2", "11", INTEL));
	state(2, 4, "50", "0", NULL);
	expect(K04("2", "a state", "50", INTEL));
	state(2, 5, "50", "0", "C7");  /* no deeper */
	state(2, 7, "900", "0", "C8"); /* behind a gap */
	expect(K04("2", "a state", "50", INTEL));
	state(3, 0, "50", "0", "C3"); /* of equal ones the first */
	expect(K04("2-3", "a state", "50", INTEL));
	state(3, 0, "60", "0", "C3");
	expect(K04("2-3", "C3", "60", INTEL));
	state(3, 0, "40", "0", "C3");
	expect(K04("2-3", "a state", "50", INTEL));
	state(2, 1, "0", "0", "POLL"); /* only the other one sleeps */
	state(2, 2, "0", "0", "POLL");
	state(2, 4, "0", "0", NULL);
	state(2, 5, "0", "0", "POLL");
	expect(K04("3", "C3", "40", INTEL));
	state(2, 4, "50", "0", NULL);
	state(3, 0, "10", "0", "C3"); /* quick enough */
	expect(K04("2", "a state", "50", INTEL));
	tempdir_put("proc/cpuinfo", "AuthenticAMD\n");
	ck_assert_ptr_nonnull(strstr(said(), "for all CPUs processor.max_cstate=1 on"));
	tempdir_put("proc/cpuinfo", "CPU implementer\n");
	ck_assert_ptr_nonnull(strstr(said(), "for all CPUs cpuidle.off=1 on"));
	remove(tempdir_path("proc/cpuinfo"));
	ck_assert_ptr_nonnull(strstr(said(), "for all CPUs cpuidle.off=1 on"));
	tempdir_remove();
}
END_TEST

#define K06(some, all, cure)                                                                       \
	"K06 warning the IOMMU translates each access of " some " of " all                         \
	" groups of devices: cards lose throughput; " cure "\n"

START_TEST(groups_that_are_translated_are_counted)
{
	begin();
	tempdir_put(GROUPS "0/type", "identity\n");
	tempdir_put(GROUPS "1/type", "blocked\n");
	expect("");
	tempdir_put(GROUPS "2/type", "DMA-FQ\n");
	tempdir_put(GROUPS "3/type", "DMA\n");
	expect(K06(
		"2", "4",
		"intel_iommu=off on the kernel's command line; iommu=pt where virtual machines need it"));
	tempdir_put(GROUPS "0/type", "DMA\n");
	expect(K06(
		"3", "4",
		"intel_iommu=off on the kernel's command line; iommu=pt where virtual machines need it"));
	tempdir_put(GROUPS "0/type", "identity\n");
	tempdir_put("proc/cpuinfo", "AuthenticAMD\n");
	expect(K06("2", "4", "iommu=pt on the kernel's command line"));
	tempdir_put("proc/cpuinfo", "CPU implementer\n");
	expect(K06("2", "4", "iommu.passthrough=1 on the kernel's command line"));
	tempdir_put("proc/cpuinfo", "?\n");
	expect(K06("2", "4", "iommu=pt on the kernel's command line"));
	tempdir_remove();
}
END_TEST

START_TEST(the_smbus_driver_is_told_where_it_is_loaded)
{
	static const char k02[] =
		"K02 warning the SMBus driver i2c_i801 is loaded with its interrupt: it takes time from the cores that poll; options i2c_i801 disable_features=0x10 in /etc/modprobe.d/i2c_i801.conf\n";

	begin();
	tempdir_put("sys/module/i2c_i801/a", "");
	expect(k02);
	tempdir_put("etc/modprobe.d/a.conf", "#options i2c_i801 disable_features=0x10\n");
	expect(k02);
	tempdir_put("etc/modprobe.d/b.conf", "# it\noptions i2c_i801 disable_features=0x10\n");
	tempdir_put("etc/modprobe.d/c.conf", "options other\n");
	expect("");
	tempdir_put("etc/modprobe.d/b.conf", "options i2c_i801 disable_features=0x10\n");
	expect("");
	tempdir_put("etc/modprobe.d/b.conf", "options i2c_i801 disable_features=0x1\n");
	expect(k02);
	tempdir_put("etc/modprobe.d/b.conf", "options i2c_i801_x disable_features=0x10\n");
	expect(k02);
	tempdir_put("etc/modprobe.d/a.conf", "options i2c_i801 disable_features=0x10\n");
	expect("");
	tempdir_remove();
}
END_TEST

START_TEST(hyper_threading_is_said)
{
	begin();
	tempdir_put(CPU "smt/active", "0\n");
	expect("");
	tempdir_put(CPU "smt/active", "1\n");
	ck_assert_ptr_nonnull(strstr(
		said(),
		"K07 info hyper-threading is on: of each core that is reserved the client polls on one CPU"));
	tempdir_remove();
}
END_TEST

#define K08(cpus, all)                                                                             \
	"K08 warning irqbalance may put interrupts on CPUs " cpus                                  \
	", on which the client polls; IRQBALANCE_BANNED_CPULIST=" all                              \
	" in /etc/default/irqbalance or /etc/sysconfig/irqbalance, and "                           \
	"restart it\n"

START_TEST(irqbalance_is_told_what_it_is_not_told_yet)
{
	begin();
	tempdir_put("proc/900/status", "Name:\tirqbalance\nNSpid:\t900\n");
	expect(K08("2-3", "2-3"));
	tempdir_put("proc/900/status", "Name:\tirqbalance\nNSpid:\t900\t1\n");
	expect(""); /* of a container */
	tempdir_put("proc/900/status", "Name:\tirqbalance\n");
	tempdir_put(CPU "isolated", "\n");
	expect(K08("2-3", "2-3"));
	tempdir_put(CPU "isolated", "2\n");
	expect(K08("3", "2-3"));
	tempdir_put("etc/default/irqbalance", "IRQBALANCE_BANNED_CPULIST=7\n"
					      "IRQBALANCE_BANNED_CPULISTS=3\n"
					      "XIRQBALANCE_BANNED_CPULIST=3\n"
					      "IRQBALANCE_BANNED_CPULIST 3\n");
	expect(K08("3", "2-3,7"));
	tempdir_put("etc/default/irqbalance", "IRQBALANCE_BANNED_CPULIST=3\n"
					      "\t IRQBALANCE_BANNED_CPULIST='7' # x\n");
	expect(K08("3", "2-3,7")); /* the last one counts */
	tempdir_put("etc/default/irqbalance", "# of irqbalance\nIRQBALANCE_ONESHOT=1\n"
					      "IRQBALANCE_BANNED_CPULIST=3\n");
	expect("");
	tempdir_put("etc/default/irqbalance", "IRQBALANCE_BANNED_CPULIST=\n");
	expect(K08("3", "2-3"));
	tempdir_put("etc/sysconfig/irqbalance", "IRQBALANCE_BANNED_CPUS=\"00000008\"\n");
	expect("");
	tempdir_put("etc/sysconfig/irqbalance", "IRQBALANCE_BANNED_CPUS=x\n");
	expect(K08("3", "2-3"));
	tempdir_remove();
}
END_TEST

START_TEST(a_card_of_small_packets_is_told)
{
	struct client_cards *cards;

	begin();
	sysfs_set_root(tempdir_path("sys"));
	tempdir_put("sys/class/net/eth0/mtu", "3999\n");
	tempdir_put("sys/class/net/eth1/mtu", "4000\n");
	tempdir_put("sys/class/net/eth2/mtu", "0\n");
	doctor.cards_count = 2;
	strcpy(doctor.cards[0].client, "home");
	strcpy(doctor.cards[1].client, "work");
	cards = &doctor.cards[1].cards;
	cards->count = 4;
	strcpy(cards->card[0].name, "eth1");
	strcpy(cards->card[1].name, "eth0");
	strcpy(cards->card[2].name, "nosuch");
	strcpy(cards->card[3].name, "eth2");
	expect("K09 info card eth0, over which client 'work' works, has an MTU of 3999 bytes; the largest MTU that the switches take: 9000 on Ethernet, 4092 on InfiniBand\n"
	       "K09 info card eth2, over which client 'work' works, has an MTU of 0 bytes; the largest MTU that the switches take: 9000 on Ethernet, 4092 on InfiniBand\n");
	doctor.cards_count = 1;
	doctor.cards[0].cards.count = 1;
	strcpy(doctor.cards[0].cards.card[0].name, "eth0");
	ck_assert_ptr_nonnull(strstr(said(), "K09 info card eth0, over which client 'home' works"));
	tempdir_remove();
}
END_TEST

START_TEST(hugepages_that_no_client_takes_are_told)
{
	begin();
	config.io_cores_max = 2; /* 2800 MiB */
	tempdir_put(HUGE "2048kB/free_hugepages", "1500\n");
	tempdir_put(HUGE "2048kB/resv_hugepages", "100\n");
	tempdir_put(HUGE "1048576kB/free_hugepages", "0\n");
	tempdir_put(HUGE "xkB/free_hugepages", "5000\n");
	expect("");
	doctor.config = &config;
	expect("");
	tempdir_put(HUGE "2048kB/resv_hugepages", "99\n");
	expect("K10 info 2802 MiB of hugepages are set aside, and nobody has taken them: no job gets this memory; fewer vm.nr_hugepages: 1400 MiB a core, for at most 2 cores\n");
	tempdir_put(HUGE "1048576kB/free_hugepages", "1\n");
	ck_assert_ptr_nonnull(strstr(said(), "K10 info 3826 MiB"));
	doctor.config = NULL;
	expect("");
	tempdir_remove();
}
END_TEST

UNIT_MAIN("doctor_host", a_host_where_all_is_well_has_no_finding,
	  parameters_are_whole_words_and_some_are_intels,
	  a_clock_that_is_read_by_a_system_call_is_slow, pages_that_are_moved_are_told,
	  the_deepest_state_that_is_in_use_is_told, groups_that_are_translated_are_counted,
	  the_smbus_driver_is_told_where_it_is_loaded, hyper_threading_is_said,
	  irqbalance_is_told_what_it_is_not_told_yet, a_card_of_small_packets_is_told,
	  hugepages_that_no_client_takes_are_told)
