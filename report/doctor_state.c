/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/doctor_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"
#include "lib/alloc.h"
#include "lib/number.h"
#include "lib/sysfs.h"

#define SLEEP_US 10    /* to wake up from deeper states takes longer */
#define SMALL_MTU 4000 /* bytes; the smaller ones make more packets */

/* The file without its newline; caller frees. */
static char *read_word(const struct doctor *doctor, const char *path)
{
	char *text = doctor_read(doctor, path);

	if (text)
		text[strcspn(text, "\n")] = '\0';
	return text;
}

static long read_long(const struct doctor *doctor, const char *path)
{
	char *text = read_word(doctor, path);
	unsigned long number;
	long value = -1;

	if (text && number_parse(text, 0, LONG_MAX, &number, NULL) == 0)
		value = (long)number;
	free(text);
	return value;
}

static enum doctor_vendor find_vendor(const struct doctor *doctor)
{
	char *text = doctor_read(doctor, "/proc/cpuinfo");
	enum doctor_vendor vendor = !text			      ? VENDOR_OTHER
				    : strstr(text, "GenuineIntel")    ? VENDOR_INTEL
				    : strstr(text, "AuthenticAMD")    ? VENDOR_AMD
				    : strstr(text, "CPU implementer") ? VENDOR_ARM
								      : VENDOR_OTHER;

	free(text);
	return vendor;
}

/* How many files there are with such names. */
static size_t count_files(const struct doctor *doctor, const char *names)
{
	char pattern[PATH_MAX];
	glob_t found = { 0 };
	size_t count = 0;

	snprintf(pattern, sizeof(pattern), "%s%s", doctor->root, names);
	if (glob(pattern, 0, NULL, &found) == 0)
		count = found.gl_pathc;
	globfree(&found);
	return count;
}

/* ---- clock, page migration, graphics ------------------------------------------------------ */

#define CLOCK "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* Those that a program reads without a system call (arch/x86/entry/vdso,
 * drivers/clocksource/arm_arch_timer.c). */
enum doctor_state doctor_clock(const struct doctor_now *now)
{
	static const char *const fast[] = { "tsc", "arch_sys_counter", "kvm-clock",
					    "hyperv_clocksource_tsc_page" };
	size_t i;

	if (!*now->clock)
		return STATE_UNKNOWN;
	for (i = 0; i < sizeof(fast) / sizeof(fast[0]); i++)
		if (!strcmp(now->clock, fast[i]))
			return STATE_GOOD;
	return STATE_BAD;
}

static void say_clock(const struct doctor *doctor, const struct doctor_now *now)
{
	if (doctor_clock(now) == STATE_BAD)
		findings_add(
			doctor->findings, "K03", FINDING_WARNING,
			"clocksource=tsc tsc=reliable on the kernel's command line; dmesg says why the TSC was given up",
			"the clock of the kernel is '%.32s': each look at it is a system call, and a client that polls looks all the time",
			now->clock);
}

enum doctor_state doctor_balancing(const struct doctor_now *now)
{
	return now->numa_balancing < 0 ? STATE_UNKNOWN
	       : now->numa_balancing   ? STATE_BAD
				       : STATE_GOOD;
}

static void say_balancing(const struct doctor *doctor, const struct doctor_now *now)
{
	if (doctor_balancing(now) == STATE_BAD)
		findings_add(
			doctor->findings, "K05", FINDING_WARNING,
			"sysctl kernel.numa_balancing=0, and a line in /etc/sysctl.d",
			"the kernel moves pages between NUMA nodes (kernel.numa_balancing): it stops a client that polls to see which it uses");
}

/* Without a card that a driver has taken, nomodeset would change nothing. */
enum doctor_state doctor_graphics(const struct doctor_now *now)
{
	return now->has_no_graphics ? STATE_GOOD : STATE_UNKNOWN;
}

/* ---- sleep states --------------------------------------------------------------- */

/* "none" where CPUs only halt, as in many virtual machines */
#define CPUIDLE_DRIVER "/sys/devices/system/cpu/cpuidle/current_driver"

/* The state of this CPU that takes longest to wake up from and is in use; 0: none
 * that matters, -1: unknown. */
static long deepest(const struct doctor *doctor, int cpu, char *name, size_t room)
{
	long worst = -1, us;
	char path[128], *text;
	int i;

	for (i = 0; i < 16; i++) {
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/latency", cpu, i);
		us = read_long(doctor, path);
		if (us < 0)
			break;
		worst = worst < 0 ? 0 : worst;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu, i);
		if (us <= SLEEP_US || us <= worst || read_long(doctor, path) > 0)
			continue;
		worst = us;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name",
			 cpu, i);
		text = read_word(doctor, path);
		snprintf(name, room, "%s", text ? text : "a state");
		free(text);
	}
	return worst;
}

static void find_sleep(const struct doctor *doctor, struct doctor_sleep *sleep)
{
	char name[32] = "";
	char *driver = read_word(doctor, CPUIDLE_DRIVER);
	long us;
	int cpu;

	sleep->is_known = driver && !strcmp(driver, "none");
	free(driver);
	cpuset_for_each (cpu, &doctor->client_cpus) {
		us = deepest(doctor, cpu, name, sizeof(name));
		sleep->is_known |= us >= 0;
		if (us <= 0)
			continue;
		cpuset_add(&sleep->cpus, (unsigned int)cpu);
		if (us > sleep->us) {
			sleep->us = us;
			strcpy(sleep->name, name);
		}
	}
}

enum doctor_state doctor_idle(const struct doctor_now *now)
{
	return !now->sleep.is_known ? STATE_UNKNOWN : now->sleep.us ? STATE_BAD : STATE_GOOD;
}

static void say_idle(const struct doctor *doctor, const struct doctor_now *now)
{
	static const char *const at_boot[] = {
		[VENDOR_INTEL] = "intel_idle.max_cstate=0 processor.max_cstate=0",
		[VENDOR_AMD] = "processor.max_cstate=1",
		[VENDOR_ARM] = "cpuidle.off=1",
		[VENDOR_OTHER] = "cpuidle.off=1",
	};
	const struct doctor_sleep *sleep = &now->sleep;
	char *cpus = sleep->us ? cpuset_format(&sleep->cpus) : NULL;
	char cure[ERR_MAX];

	if (!cpus)
		return;
	snprintf(
		cure, sizeof(cure),
		"cpupower -c %.200s idle-set -D %d, at each boot; or for all CPUs %s on the kernel's command line",
		cpus, SLEEP_US, at_boot[now->vendor]);
	findings_add(
		doctor->findings, "K04", FINDING_WARNING, cure,
		"CPUs %.200s of the client may sleep in %s, from which it takes %ld us to wake up",
		cpus, sleep->name, sleep->us);
	free(cpus);
}

/* ---- IOMMU ---------------------------------------------------------------------- */

/* Since Linux 5.11 (drivers/iommu/iommu.c:iommu_group_show_type): "identity",
 * "DMA", "DMA-FQ", "blocked" or "auto". */
static void find_iommu(const struct doctor *doctor, struct doctor_now *now)
{
	glob_t found;
	char *type;
	size_t i;

	now->iommu_groups = doctor_glob(doctor, "/sys/kernel/iommu_groups/*/type", &found);
	for (i = 0; i < now->iommu_groups; i++) {
		type = doctor_read(doctor, found.gl_pathv[i] + strlen(doctor->root));
		now->iommu_translated += type && !strncmp(type, "DMA", 3);
		free(type);
	}
	globfree(&found);
}

enum doctor_state doctor_iommu(const struct doctor_now *now)
{
	return now->iommu_translated ? STATE_BAD : now->iommu_groups ? STATE_GOOD : STATE_UNKNOWN;
}

static void say_iommu(const struct doctor *doctor, const struct doctor_now *now)
{
	static const char *const cures[] = {
		[VENDOR_INTEL] =
			("intel_iommu=off on the kernel's command line; iommu=pt where virtual machines need it"),
		[VENDOR_AMD] = "iommu=pt on the kernel's command line",
		[VENDOR_ARM] = "iommu.passthrough=1 on the kernel's command line",
		[VENDOR_OTHER] = "iommu=pt on the kernel's command line",
	};

	if (now->iommu_translated)
		findings_add(
			doctor->findings, "K06", FINDING_WARNING, cures[now->vendor],
			"the IOMMU translates each access of %zu of %zu groups of devices: cards lose throughput",
			now->iommu_translated, now->iommu_groups);
}

/* ---- what no kernel parameter sets ---------------------------------------------- */

static void say_threads(const struct doctor *doctor)
{
	if (read_long(doctor, "/sys/devices/system/cpu/smt/active") == 1)
		findings_add(
			doctor->findings, "K07", FINDING_INFO,
			"none, if jobs use it; nosmt on the kernel's command line otherwise",
			"hyper-threading is on: of each core that is reserved the client polls on one CPU, and the other stays idle");
}

/* "NAME=VALUE" of a file for the shell; caller frees, NULL: not there. */
static char *shell_value(const struct doctor *doctor, const char *path, const char *name)
{
	char *text = doctor_read(doctor, path), *line, *save = NULL;
	char *value = NULL;
	size_t length = strlen(name);

	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		line += strspn(line, " \t");
		if (strncmp(line, name, length) != 0 || line[length] != '=')
			continue;
		line += length + 1;
		line += strspn(line, "\"'");
		line[strcspn(line, "\"' \t#")] = '\0';
		free(value);
		value = xstrdup(line);
	}
	free(text);
	return value;
}

static void read_banned(const struct doctor *doctor, struct cpuset *banned)
{
	static const char *const files[] = { "/etc/default/irqbalance",
					     "/etc/sysconfig/irqbalance" };
	char *isolated = read_word(doctor, "/sys/devices/system/cpu/isolated");
	char *list, *mask;
	struct cpuset one;
	size_t i;

	cpuset_zero(banned);
	/* irqbalance leaves those alone by itself */
	if (isolated && *isolated && cpuset_parse(&one, isolated, NULL) == 0)
		cpuset_or(banned, &one);
	free(isolated);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		list = shell_value(doctor, files[i], "IRQBALANCE_BANNED_CPULIST");
		if (list && *list && cpuset_parse(&one, list, NULL) == 0)
			cpuset_or(banned, &one);
		mask = shell_value(doctor, files[i], "IRQBALANCE_BANNED_CPUS");
		if (mask && cpuset_parse_mask(&one, mask, NULL) == 0)
			cpuset_or(banned, &one);
		free(list);
		free(mask);
	}
}

static void say_interrupts(const struct doctor *doctor)
{
	struct cpuset banned, open = doctor->client_cpus;
	char cure[ERR_MAX], *all, *some;

	if (!doctor_runs(doctor, "irqbalance"))
		return;
	read_banned(doctor, &banned);
	cpuset_andnot(&open, &banned);
	if (cpuset_is_empty(&open))
		return;
	cpuset_or(&banned, &doctor->client_cpus);
	all = cpuset_format(&banned);
	some = cpuset_format(&open);
	snprintf(
		cure, sizeof(cure),
		"IRQBALANCE_BANNED_CPULIST=%.200s in /etc/default/irqbalance or /etc/sysconfig/irqbalance, and restart it",
		all ? all : "");
	findings_add(doctor->findings, "K08", FINDING_WARNING, cure,
		     "irqbalance may put interrupts on CPUs %.200s, on which the client polls",
		     some ? some : "");
	free(some);
	free(all);
}

/* The clients were asked for their cards, so this is no copy of a node's files. */
static void say_mtu(const struct doctor *doctor)
{
	const struct client_cards *cards;
	size_t i, k;
	long mtu;

	for (i = 0; i < doctor->cards_count; i++) {
		cards = &doctor->cards[i].cards;
		for (k = 0; k < cards->count; k++) {
			mtu = sysfs_interface_number(cards->card[k].name, "mtu");
			if (mtu < 0 || mtu >= SMALL_MTU)
				continue;
			findings_add(
				doctor->findings, "K09", FINDING_INFO,
				"the largest MTU that the switches take: 9000 on Ethernet, 4092 on InfiniBand",
				"card %s, over which client '%s' works, has an MTU of %ld bytes",
				cards->card[k].name, doctor->cards[i].client, mtu);
		}
	}
}

/* ---- hugepages ------------------------------------------------------------------ */

#define HUGEPAGES "/sys/kernel/mm/hugepages/"

/* MiB of this file's pages ("hugepages-2048kB/free_hugepages"). */
static long hugepages_mb(const struct doctor *doctor, const char *folder, const char *file)
{
	char path[PATH_MAX];
	unsigned long size;
	long pages;

	snprintf(path, sizeof(path), HUGEPAGES "%s/%s", folder, file);
	pages = read_long(doctor, path);
	if (pages <= 0 || sscanf(folder, "hugepages-%lukB", &size) != 1)
		return 0;
	return pages * (long)(size >> 10);
}

/* Those that nobody has, and nobody was promised. */
static long free_hugepages_mb(const struct doctor *doctor)
{
	const char *folder;
	long mb = 0;
	glob_t found;
	size_t count = doctor_glob(doctor, HUGEPAGES "hugepages-*kB", &found);

	for (size_t i = 0; i < count; i++) {
		folder = strrchr(found.gl_pathv[i], '/') + 1;
		mb += hugepages_mb(doctor, folder, "free_hugepages") -
		      hugepages_mb(doctor, folder, "resv_hugepages");
	}
	globfree(&found);
	return mb;
}

/* More than all cores that a job may ask for would take. */
static void say_hugepages(const struct doctor *doctor)
{
	const struct client_sizing *size = client_sizing(client_type_with_cores());
	long unused = free_hugepages_mb(doctor), wanted;
	char cure[120];

	if (!doctor->config)
		return;
	wanted = (long)doctor->config->io_cores_max * size->huge_core_mb;
	if (unused <= wanted)
		return;
	snprintf(cure, sizeof(cure), "fewer vm.nr_hugepages: %ld MiB a core, for at most %u cores",
		 size->huge_core_mb, doctor->config->io_cores_max);
	findings_add(
		doctor->findings, "K10", FINDING_INFO, cure,
		"%ld MiB of hugepages are set aside, and nobody has taken them: no job gets this memory",
		unused);
}

/* ---- all of it ------------------------------------------------------------------ */

void doctor_read_state(const struct doctor *doctor, struct doctor_now *now)
{
	char *name = read_word(doctor, CLOCK);

	memset(now, 0, sizeof(*now));
	now->vendor = find_vendor(doctor);
	snprintf(now->clock, sizeof(now->clock), "%s", name ? name : "");
	now->numa_balancing = read_long(doctor, "/proc/sys/kernel/numa_balancing");
	/* a kernel that was built without */
	if (now->numa_balancing < 0 && count_files(doctor, "/proc/sys/kernel/ostype"))
		now->numa_balancing = 0;
	now->has_no_graphics =
		count_files(doctor, "/sys/class") && !count_files(doctor, "/sys/class/drm/card*");
	find_sleep(doctor, &now->sleep);
	find_iommu(doctor, now);
	free(name);
}

void doctor_say_state(const struct doctor *doctor, const struct doctor_now *now)
{
	say_clock(doctor, now);
	say_idle(doctor, now);
	say_balancing(doctor, now);
	say_iommu(doctor, now);
	say_threads(doctor);
	say_interrupts(doctor);
	say_mtu(doctor);
	say_hugepages(doctor);
}
