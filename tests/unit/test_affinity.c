/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the work of a client runs: workqueues and interrupts made of files, and
 * real threads, on the machine that tests; it needs two CPUs. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client/affinity.h"
#include "client/gpfs/gpfs.h"
#include "client/lustre/lustre.h"
#include "client/nfs/nfs.h"
#include "client/rule.h"
#include "client/type.h"
#include "lib/fileio.h"
#include "lib/sysfs.h"
#include "tests/unit/runner.h"
#include "tests/unit/tempdir.h"

static const struct rule rules[] = { { "T44", FINDING_ERROR, RULE_SPARES_NODE, "c", NULL },
				     { "T45", FINDING_ERROR, RULE_SPARES_NODE, "c", NULL },
				     { "T47", FINDING_WARNING, RULE_SPARES_NODE, "c", NULL },
				     { "T48", FINDING_WARNING, RULE_SPARES_NODE, "c", NULL },
				     { 0 } };
static const struct affinity affinity = { .workqueues = "nfsiod rpciod",
					  .threads = "ptlrpcd_* NFSv4_callback",
					  .process = "mmfsd",
					  .failed = "T44",
					  .not_back = "T45",
					  .left = "T47",
					  .not_ours = "T48" };
static const struct client_type_ops type = { .name = "t", .rules = rules, .affinity = &affinity };
static char process_dir[512];
static struct config_client section;
static struct client client;
static struct client_want want;
static struct findings findings;
static struct client_plan *plan;
static struct journal_change change;

static void folder(const char *name)
{
	char path[512], *slash;

	snprintf(path, sizeof(path), "%s", tempdir_path(name));
	for (slash = path + strlen(tempdir_name) + 1; *slash; slash++)
		if (*slash == '/') {
			*slash = '\0';
			mkdir(path, 0755);
			*slash = '/';
		}
	mkdir(path, 0755);
}

/* A job that has the node alone, and this CPU reserved. */
static void node(unsigned int cpu)
{
	tempdir_make();
	sysfs_set_root(tempdir_name);
	folder("proc");
	snprintf(process_dir, sizeof(process_dir), "%s", tempdir_path("proc"));
	section = (struct config_client){ .name = (char *)"c",
					  .core_change = CORE_CHANGE_AFFINITY,
					  .interrupts_of = (char *)"ib0",
					  .process_dir = process_dir };
	client = (struct client){ .type = &type, .section = &section };
	want = (struct client_want){ .alone = true, .has_io_cores = true, .io_cores = 1 };
	cpuset_add(&want.io_cpus, cpu);
}

static void away(void)
{
	findings_free(&findings);
	change_clear(plan);
	free(plan);
	tempdir_remove();
}

/* What the kind plans: the one change, or none. */
static bool plan_one(const struct change_kind *kind)
{

	plan = calloc(1, sizeof(*plan));
	kind->plan(kind, &client, &want, plan, &findings);
	ck_assert_uint_le(plan->count, 1);
	if (plan->count)
		change = plan->change[0];
	return plan->count == 1;
}

static void expect_make(const struct change_kind *kind, enum change_made is)
{
	ck_assert_int_eq(kind->make(kind, &client, &change, &findings), is);
}

static void expect_undo(const struct change_kind *kind, enum change_undone is)
{
	ck_assert_int_eq(kind->undo(kind, &client, &change, &findings), is);
}

static void expect_finding(const char *code, const char *text)
{
	ck_assert_uint_eq(findings.count, 1);
	ck_assert_str_eq(findings.list[0].code, code);
	ck_assert_ptr_nonnull(strstr(findings.list[0].text, text));
}

/* ---- workqueues -------------------------------------------------------------- */

#define NFSIOD "devices/virtual/workqueue/nfsiod/cpumask"
#define RPCIOD "devices/virtual/workqueue/rpciod/cpumask"

static void workqueues(const char *nfsiod, const char *rpciod)
{
	folder("devices/virtual/workqueue/nfsiod");
	folder("devices/virtual/workqueue/rpciod");
	tempdir_put(NFSIOD, nfsiod);
	tempdir_put(RPCIOD, rpciod);
}

START_TEST(workqueues_run_on_the_reserved_cores_and_go_back)
{
	node(39);
	workqueues("ff,ffffffff\n", "f0,0000000f\n");
	ck_assert(plan_one(&affinity_workqueue));
	ck_assert_str_eq(change.target, "workqueues nfsiod rpciod");
	ck_assert_str_eq(change.old_value, "nfsiod=0-39 rpciod=0-3,36-39");
	ck_assert_str_eq(change.new_value, "nfsiod=39 rpciod=39");
	expect_make(&affinity_workqueue, CHANGE_MADE);
	tempdir_expect(NFSIOD, "00000080,00000000\n");
	ck_assert(cpuset_equal(&client.common.frontend_cpus, &want.io_cpus));
	expect_undo(&affinity_workqueue, CHANGE_UNDONE);
	tempdir_expect(NFSIOD, "000000ff,ffffffff\n");
	tempdir_expect(RPCIOD, "000000f0,0000000f\n");
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_workqueue_that_is_there_already_is_left_alone)
{
	node(1);
	workqueues("2\n", "3\n");
	ck_assert(plan_one(&affinity_workqueue));
	ck_assert_str_eq(change.old_value, "rpciod=0-1");
	away();
}
END_TEST

START_TEST(where_all_workqueues_are_there_already_nothing_is_planned)
{
	node(1);
	workqueues("2\n", "2\n");
	ck_assert(!plan_one(&affinity_workqueue));
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

/* The mask that the kernel gets for these CPUs. */
static void expect_mask(const char *cpus, const char *mask)
{
	node(1);
	ck_assert_int_eq(cpuset_parse(&want.io_cpus, cpus, NULL), 0);
	workqueues("2\n", "2\n");
	ck_assert(plan_one(&affinity_workqueue));
	expect_make(&affinity_workqueue, CHANGE_MADE);
	tempdir_expect(NFSIOD, mask);
	ck_assert_uint_eq(findings.count, 0);
	away();
}

START_TEST(a_mask_has_a_group_for_each_32_cpus)
{
	expect_mask("0", "00000001\n");
	expect_mask("31", "80000000\n");
	expect_mask("32", "00000001,00000000\n");
	expect_mask("63", "80000000,00000000\n");
	expect_mask("64", "00000001,00000000,00000000\n");
	expect_mask("31-32,70,101", "00000020,00000040,00000001,80000000\n");
}
END_TEST

START_TEST(without_leave_or_alone_or_cores_nothing_is_planned)
{
	node(1);
	workqueues("ff\n", "ff\n");
	section.core_change = CORE_CHANGE_ANY;
	ck_assert(!plan_one(&affinity_workqueue));
	free(plan);
	section.core_change = CORE_CHANGE_AFFINITY;
	want.alone = false;
	ck_assert(!plan_one(&affinity_workqueue));
	free(plan);
	want.alone = true;
	want.io_cores = 0;
	ck_assert(!plan_one(&affinity_workqueue));
	free(plan);
	want.io_cores = 1;
	ck_assert(plan_one(&affinity_workqueue));
	away();
}
END_TEST

START_TEST(what_somebody_else_has_bound_meanwhile_stays)
{
	node(1);
	workqueues("ff\n", "ff\n");
	ck_assert(plan_one(&affinity_workqueue));
	affinity_workqueue.make(&affinity_workqueue, &client, &change, &findings);
	tempdir_put(RPCIOD, "c\n");
	expect_undo(&affinity_workqueue, CHANGE_NOT_OURS);
	tempdir_expect(RPCIOD, "c\n");
	tempdir_expect(NFSIOD, "000000ff\n");
	expect_finding("T48",
		       "1 of 2 are on CPUs that neither jobio nor the node had set: left there");
	away();
}
END_TEST

START_TEST(what_cannot_be_moved_is_said_and_the_others_are_moved)
{
	node(1);
	workqueues("ff\n", "ff\n");
	ck_assert(plan_one(&affinity_workqueue));
	/* it can be read, and takes nothing */
	remove(tempdir_path(RPCIOD));
	ck_assert_int_eq(symlink("/proc/sys/kernel/ngroups_max", tempdir_path(RPCIOD)), 0);
	expect_make(&affinity_workqueue, CHANGE_MADE);
	expect_finding("T44", "workqueues nfsiod rpciod: 1 of 2 could not get CPU 1: ");
	tempdir_expect(NFSIOD, "00000002\n");
	away();
}
END_TEST

/* It can be read while it is planned, and then it is this file. */
static void expect_refused_by(const char *file, const char *why)
{
	node(1);
	workqueues("ff\n", "ff\n");
	ck_assert(plan_one(&affinity_workqueue));
	remove(tempdir_path(RPCIOD));
	ck_assert_int_eq(symlink(file, tempdir_path(RPCIOD)), 0);
	expect_make(&affinity_workqueue, CHANGE_MADE);
	expect_finding("T44", why);
	away();
}

START_TEST(why_the_kernel_did_not_take_the_cpus_is_said)
{
	expect_refused_by("/dev/null", "1 of 2 could not get CPU 1: the kernel keeps others");
	expect_refused_by("/dev/full", "/rpciod/cpumask: No space left on device");
	expect_refused_by("/nowhere/at/all", "/rpciod/cpumask: No such file or directory");
}
END_TEST

START_TEST(what_is_back_already_needs_nothing)
{
	node(1);
	workqueues("ff\n", "ff\n");
	ck_assert(plan_one(&affinity_workqueue));
	affinity_workqueue.make(&affinity_workqueue, &client, &change, &findings);
	tempdir_put(NFSIOD, "ff\n");  /* put back by hand */
	remove(tempdir_path(RPCIOD)); /* its module was unloaded */
	expect_undo(&affinity_workqueue, CHANGE_UNDONE);
	tempdir_expect(NFSIOD, "ff\n");
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_site_may_let_all_unbound_workqueues_go)
{
	node(39);
	section.unbound_workqueues = WORKQUEUES_ALL;
	folder("devices/virtual/workqueue");
	tempdir_put("devices/virtual/workqueue/cpumask", "f0,0000000f\n");
	ck_assert(plan_one(&affinity_workqueue));
	ck_assert_uint_eq(findings.count, 0);
	ck_assert_str_eq(change.target, "workqueues *");
	ck_assert_str_eq(change.old_value, "*=0-3,36-39");
	expect_make(&affinity_workqueue, CHANGE_MADE);
	tempdir_expect("devices/virtual/workqueue/cpumask", "00000080,00000000\n");
	away();
}
END_TEST

START_TEST(workqueues_that_the_kernel_does_not_show_are_named)
{
	node(39);
	folder("devices/virtual/workqueue/nfsiod");
	tempdir_put(NFSIOD, "f0,0000000f\n");
	ck_assert(plan_one(&affinity_workqueue));
	ck_assert_str_eq(change.old_value, "nfsiod=0-3,36-39");
	expect_finding(
		"T47",
		"this kernel does not let workqueues be moved by name: rpciod: left where they are");
	ck_assert_str_eq(findings.list[0].cure, "unbound_workqueues=all in jobio.conf");
	away();
}
END_TEST

START_TEST(all_workqueues_that_the_kernel_does_not_show_are_named)
{
	node(39);
	ck_assert(!plan_one(&affinity_workqueue));
	expect_finding(
		"T47",
		"this kernel does not let workqueues be moved by name: nfsiod rpciod: left where they are");
	away();
}
END_TEST

START_TEST(a_change_that_was_cut_off_in_the_journal_is_undone_as_far_as_it_reads)
{
	struct journal_change cut = { .target = (char *)"workqueues",
				      .old_value = (char *)"nfsiod=0-7 rpc",
				      .new_value = (char *)"nfsiod=1 rpciod=" };

	node(1);
	workqueues("2\n", "2\n");
	ck_assert_int_eq(affinity_workqueue.undo(&affinity_workqueue, &client, &cut, &findings),
			 CHANGE_UNDONE);
	tempdir_expect(NFSIOD, "000000ff\n");
	tempdir_expect(RPCIOD, "2\n");
	plan = NULL;
	findings_free(&findings);
	tempdir_remove();
}
END_TEST

/* ---- interrupts ---------------------------------------------------------------- */

static void interrupts(void)
{
	folder("class/infiniband/ib0/device/msi_irqs");
	tempdir_put("class/infiniband/ib0/device/msi_irqs/45", "msix\n");
	tempdir_put("class/infiniband/ib0/device/msi_irqs/46", "msix\n");
	folder("proc/irq/45");
	folder("proc/irq/46");
	tempdir_put("proc/irq/45/smp_affinity_list", "0\n");
	tempdir_put("proc/irq/46/smp_affinity_list", "2-3\n");
}

START_TEST(interrupts_of_the_card_run_on_the_reserved_cores_and_go_back_each)
{
	node(7);
	interrupts();
	ck_assert(plan_one(&affinity_interrupt));
	ck_assert_str_eq(change.target, "interrupts of ib0");
	affinity_interrupt.make(&affinity_interrupt, &client, &change, &findings);
	tempdir_expect("proc/irq/45/smp_affinity_list", "7\n");
	tempdir_expect("proc/irq/46/smp_affinity_list", "7\n");
	expect_undo(&affinity_interrupt, CHANGE_UNDONE);
	tempdir_expect("proc/irq/45/smp_affinity_list", "0\n");
	tempdir_expect("proc/irq/46/smp_affinity_list", "2-3\n");
	away();
}
END_TEST

static void symlink_in(const char *target, const char *name)
{
	ck_assert_int_eq(symlink(target, tempdir_path(name)), 0);
}

START_TEST(the_interrupts_of_a_virtio_card_are_those_of_its_pci_device)
{
	node(7);
	folder("bus/virtio");
	folder("pci0/virtio3");
	folder("pci0/msi_irqs");
	folder("class/net/ib0");
	symlink_in("../../../pci0/virtio3", "class/net/ib0/device");
	symlink_in("../../bus/virtio", "pci0/virtio3/subsystem");
	tempdir_put("pci0/msi_irqs/45", "msix\n");
	folder("proc/irq/45");
	tempdir_put("proc/irq/45/smp_affinity_list", "0-3\n");
	ck_assert(plan_one(&affinity_interrupt));
	ck_assert_str_eq(change.old_value, "45=0-3");
	ck_assert_str_eq(change.new_value, "45=7");
	away();
}
END_TEST

START_TEST(interrupts_are_left_to_irqbalance_where_it_runs)
{
	node(7);
	interrupts();
	folder("proc/4711");
	tempdir_put("proc/4711/comm", "irqbalance\n");
	ck_assert(!plan_one(&affinity_interrupt));
	expect_finding("T47",
		       "irqbalance runs and would move the interrupts of ib0 again: left to it");
	away();
}
END_TEST

START_TEST(interrupts_that_nobody_wants_moved_are_no_matter_of_irqbalance)
{
	node(7);
	interrupts();
	folder("proc/4711");
	tempdir_put("proc/4711/comm", "irqbalance\n");
	want.alone = false;
	ck_assert(!plan_one(&affinity_interrupt));
	free(plan);
	want.alone = true;
	section.interrupts_of = (char *)"";
	ck_assert(!plan_one(&affinity_interrupt));
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_card_that_is_not_there_has_no_interrupts)
{
	node(7);
	interrupts();
	section.interrupts_of = (char *)"ib1";
	ck_assert(!plan_one(&affinity_interrupt));
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(interrupts_of_a_network_interface_are_found_too)
{
	node(7);
	folder("class/net/ib0/device/msi_irqs");
	tempdir_put("class/net/ib0/device/msi_irqs/46", "msix\n");
	tempdir_put("class/net/ib0/device/msi_irqs/x", "no interrupt\n");
	folder("proc/irq/46");
	tempdir_put("proc/irq/46/smp_affinity_list", "2-3\n");
	ck_assert(plan_one(&affinity_interrupt));
	ck_assert_str_eq(change.old_value, "46=2-3");
	ck_assert_str_eq(change.new_value, "46=7");
	away();
}
END_TEST

/* ---- threads ------------------------------------------------------------------- */

static void *wait_for_ever(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* A process with three threads; its pid. */
static pid_t start(void)
{
	pthread_t thread;
	int ends[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		ck_assert_int_eq(write(ends[1], "x", 1), 1);
		wait_for_ever(NULL);
	}
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	close(ends[0]);
	close(ends[1]);
	return pid;
}

/* As it would be seen under this name; 'stat' NULL: as no kernel thread. */
static void show(pid_t pid, const char *name, const char *stat)
{
	char at[64];

	snprintf(at, sizeof(at), "proc/%d", (int)pid);
	folder(at);
	snprintf(at, sizeof(at), "proc/%d/comm", (int)pid);
	tempdir_put(at, name);
	snprintf(at, sizeof(at), "proc/%d/stat", (int)pid);
	tempdir_put(at, stat ? stat : "1 (x) S 1 0 0 0 0 4194304 0\n");
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static struct cpuset cpus_of(pid_t pid)
{
	struct cpuset cpus;

	ck_assert_int_eq(process_cpus(pid, &cpus), 0);
	return cpus;
}

/* All threads of a process have these CPUs. */
static void expect_cpus(pid_t pid, const struct cpuset *cpus)
{
	char path[64], *is, *wanted = cpuset_format(cpus), line[128];
	int count = 0;
	FILE *all;

	snprintf(path, sizeof(path), "cat /proc/%d/task/*/status", (int)pid);
	all = popen(path, "r");
	ck_assert_ptr_nonnull(all);
	while (fgets(line, sizeof(line), all)) {
		if (strncmp(line, "Cpus_allowed_list:", 18) != 0)
			continue;
		is = line + 18 + strspn(line + 18, " \t");
		is[strcspn(is, "\n")] = '\0';
		ck_assert_str_eq(is, wanted);
		count++;
	}
	pclose(all);
	free(wanted);
	ck_assert_int_ge(count, 3);
}

/* The last CPU that we may run on, and all of them. */
static unsigned int last_cpu(struct cpuset *all)
{
	int cpu, last = 0;

	*all = cpus_of(getpid());
	ck_assert_msg(cpuset_count(all) > 1, "this test needs two CPUs");
	cpuset_for_each (cpu, all)
		last = cpu;
	return (unsigned int)last;
}

/* One on a node whose last CPU the client gets; 'all' are those it has. */
static pid_t mmfsd(struct cpuset *all)
{
	pid_t pid;

	node(last_cpu(all));
	pid = start();
	show(pid, "mmfsd\n", NULL);
	return pid;
}

START_TEST(all_threads_of_a_daemon_move_together_and_go_back)
{
	struct cpuset all;
	pid_t pid;

	pid = mmfsd(&all);
	ck_assert(plan_one(&affinity_process));
	ck_assert_str_eq(change.target, "process mmfsd");
	expect_make(&affinity_process, CHANGE_MADE);
	expect_cpus(pid, &want.io_cpus);
	expect_undo(&affinity_process, CHANGE_UNDONE);
	expect_cpus(pid, &all);
	ck_assert_uint_eq(findings.count, 0);
	end(pid);
	away();
}
END_TEST

static void bind_to(pid_t pid, unsigned int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	ck_assert_int_eq(sched_setaffinity(pid, sizeof(one), &one), 0);
}

START_TEST(a_daemon_whose_move_was_cut_off_goes_back_with_all_threads)
{
	struct cpuset all;
	pid_t pid;

	pid = mmfsd(&all);
	ck_assert(plan_one(&affinity_process));
	bind_to(pid, last_cpu(&all)); /* only its first thread was moved */
	expect_undo(&affinity_process, CHANGE_UNDONE);
	expect_cpus(pid, &all);
	end(pid);
	away();
}
END_TEST

START_TEST(a_daemon_that_has_ended_needs_nothing)
{
	struct cpuset all;
	pid_t pid;

	pid = mmfsd(&all);
	ck_assert(plan_one(&affinity_process));
	affinity_process.make(&affinity_process, &client, &change, &findings);
	end(pid);
	expect_undo(&affinity_process, CHANGE_UNDONE);
	ck_assert_uint_eq(findings.count, 0);
	away();
}
END_TEST

START_TEST(a_daemon_whose_threads_are_bound_each_in_its_way_is_left_alone)
{
	struct cpuset all;
	pid_t pid;
	int first;

	pid = mmfsd(&all);
	cpuset_for_each (first, &all)
		break;
	bind_to(pid, (unsigned int)first);
	ck_assert(!plan_one(&affinity_process));
	ck_assert_uint_eq(findings.count, 0);
	end(pid);
	away();
}
END_TEST

START_TEST(a_daemon_one_of_whose_threads_is_there_moves_with_the_others)
{
	struct cpuset all;
	pid_t pid;

	pid = mmfsd(&all);
	ck_assert(plan_one(&affinity_process));
	bind_to(pid, last_cpu(&all));
	expect_make(&affinity_process, CHANGE_MADE);
	expect_cpus(pid, &want.io_cpus);
	end(pid);
	away();
}
END_TEST

START_TEST(a_daemon_that_cannot_be_moved_is_told_with_the_reason)
{
	struct cpuset all;
	pid_t pid;

	pid = mmfsd(&all);
	cpuset_zero(&want.io_cpus);
	cpuset_add(&want.io_cpus, CPUSET_MAX - 1); /* it is gone */
	ck_assert(plan_one(&affinity_process));
	expect_make(&affinity_process, CHANGE_NOT_MADE);
	expect_finding("T44", "process mmfsd: 1 of 1 could not get CPU 8191: process ");
	expect_finding("T44", ": Invalid argument");
	expect_cpus(pid, &all);
	ck_assert(!client.common.cpus_known);
	end(pid);
	away();
}
END_TEST

START_TEST(threads_that_say_nothing_or_have_another_name_are_left_alone)
{
	struct cpuset all;
	char name[64];
	pid_t pid;

	node(last_cpu(&all));
	pid = start();
	snprintf(name, sizeof(name), "proc/%d", (int)pid);
	folder(name);
	strcat(name, "/comm");
	tempdir_put(name, "ptlrpcd_00_01\n"); /* it has ended meanwhile */
	ck_assert(!plan_one(&affinity_thread));
	free(plan);
	show(pid, "kworker\n", "1 (x) S 2 0 0 0 0 2129984 0\n");
	ck_assert(!plan_one(&affinity_thread));
	ck_assert_uint_eq(findings.count, 0);
	end(pid);
	away();
}
END_TEST

START_TEST(a_kernel_thread_may_have_a_blank_in_its_name)
{
	struct cpuset all;
	char expected[64];
	pid_t pid;

	node(last_cpu(&all));
	pid = start();
	show(pid, "NFSv4 callback\n", "1 (x y) S 2 0 0 0 0 2129984 0\n");
	ck_assert(plan_one(&affinity_thread));
	snprintf(expected, sizeof(expected), "%d:NFSv4_callback=%u", (int)pid, last_cpu(&all));
	ck_assert_str_eq(change.new_value, expected);
	expect_make(&affinity_thread, CHANGE_MADE);
	all = cpus_of(pid);
	ck_assert(cpuset_equal(&all, &want.io_cpus));
	expect_undo(&affinity_thread, CHANGE_UNDONE);
	ck_assert_uint_eq(findings.count, 0);
	end(pid);
	away();
}
END_TEST

START_TEST(kernel_threads_that_may_be_moved_are_and_others_are_not)
{
	struct cpuset all;
	char expected[64];
	pid_t free_one, bound, program;

	node(last_cpu(&all));
	free_one = start();
	bound = start();
	program = start();
	show(free_one, "ptlrpcd_00_01\n", "1 (x) S 2 0 0 0 0 2129984 0\n");
	/* PF_NO_SETAFFINITY */
	show(bound, "ptlrpcd_00_02\n", "1 (x) S 2 0 0 0 0 69238848 0\n");
	show(program, "ptlrpcd_00_03\n", NULL); /* somebody's, with that name */
	ck_assert(plan_one(&affinity_thread));
	snprintf(expected, sizeof(expected), "%d:ptlrpcd_00_01=%u", (int)free_one, last_cpu(&all));
	ck_assert_str_eq(change.new_value, expected);
	expect_make(&affinity_thread, CHANGE_MADE);
	all = cpus_of(free_one);
	ck_assert(cpuset_equal(&all, &want.io_cpus));
	/* another thread has its number now */
	show(free_one, "socknal_sd00_00\n", NULL);
	expect_undo(&affinity_thread, CHANGE_UNDONE);
	all = cpus_of(free_one);
	ck_assert(cpuset_equal(&all, &want.io_cpus));
	show(free_one, "ptlrpcd_00_01\n", NULL);
	affinity_thread.undo(&affinity_thread, &client, &change, &findings);
	all = cpus_of(free_one);
	ck_assert(!cpuset_equal(&all, &want.io_cpus));
	end(free_one);
	end(bound);
	end(program);
	away();
}
END_TEST

/* ---- the types that there are ---------------------------------------------- */

/* Each tells in its own words: what it could not move, could not put back, leaves,
 * and finds moved by others. */
static const struct {
	const struct client_type_ops *type;
	const struct change_kind *work; /* of threads */
	const char *failed, *not_back, *left, *not_ours;
} types[] = {
	{ &nfs_type, &affinity_thread, "NF44", "NF45", "NF47", "NF48" },
	{ &lustre_type, &affinity_thread, "LU44", "LU45", "LU47", "LU48" },
	{ &gpfs_type, &affinity_process, "GP44", "GP45", "GP47", "GP48" },
};
#define TYPES (sizeof(types) / sizeof(types[0]))
#define IRQ_45 "proc/irq/45/smp_affinity_list"

static void expect_one(const char *code, const char *text)
{
	expect_finding(code, text);
	ck_assert(*findings.list[0].cure);
	findings_free(&findings);
}

/* The node has this client; its card's interrupts are about to be moved. */
static void node_of(const struct client_type_ops *of)
{
	node(7);
	client.type = of;
	interrupts();
	ck_assert(plan_one(&affinity_interrupt));
}

static enum change_made make(const struct change_kind *kind)
{
	return kind->make(kind, &client, &change, &findings);
}

static enum change_undone undo(const struct change_kind *kind)
{
	return kind->undo(kind, &client, &change, &findings);
}

START_TEST(each_type_says_what_it_could_not_move)
{
	size_t i;

	for (i = 0; i < TYPES; i++) {
		node_of(types[i].type);
		/* it can be read, and takes nothing */
		remove(tempdir_path(IRQ_45));
		ck_assert_int_eq(
			symlink("/proc/sys/kernel/random/entropy_avail", tempdir_path(IRQ_45)), 0);
		ck_assert_int_eq(make(&affinity_interrupt), CHANGE_MADE);
		expect_one(types[i].failed, "interrupts of ib0: 1 of 2 could not get CPU 7: ");
		away();
	}
}
END_TEST

START_TEST(each_type_says_what_it_leaves_to_others)
{
	size_t i;

	for (i = 0; i < TYPES; i++) {
		node_of(types[i].type);
		ck_assert_int_eq(make(&affinity_interrupt), CHANGE_MADE);
		tempdir_put(IRQ_45, "3\n");
		ck_assert_int_eq(undo(&affinity_interrupt), CHANGE_NOT_OURS);
		expect_one(
			types[i].not_ours,
			"interrupts of ib0: 1 of 2 are on CPUs that neither jobio nor the node had set: left there");
		folder("proc/4711");
		tempdir_put("proc/4711/comm", "irqbalance\n");
		change_clear(plan);
		free(plan);
		ck_assert(!plan_one(&affinity_interrupt));
		expect_one(
			types[i].left,
			"irqbalance runs and would move the interrupts of ib0 again: left to it");
		away();
	}
}
END_TEST

/* Its CPU is gone meanwhile. */
static void move_from_nowhere(const struct change_kind *kind, pid_t pid)
{
	static char old_value[96], new_value[96];
	char item[64];
	unsigned long long ticks;
	struct cpuset is = cpus_of(pid);
	char *list = cpuset_format(&is);

	ck_assert_int_eq(process_start(pid, NULL, &ticks), 0);
	if (kind == &affinity_process)
		snprintf(item, sizeof(item), "%d.%llu", (int)pid, ticks);
	else
		snprintf(item, sizeof(item), "%d:worker", (int)pid);
	snprintf(old_value, sizeof(old_value), "%s=%d", item, CPUSET_MAX - 1);
	snprintf(new_value, sizeof(new_value), "%s=%s", item, list);
	change = (struct journal_change){ .target = (char *)"threads",
					  .old_value = old_value,
					  .new_value = new_value };
	free(list);
}

START_TEST(each_type_says_what_it_could_not_put_back)
{
	pid_t pid;
	size_t i;

	for (i = 0; i < TYPES; i++) {
		node_of(types[i].type);
		pid = start();
		show(pid, "worker\n", NULL);
		move_from_nowhere(types[i].work, pid);
		ck_assert_int_eq(undo(types[i].work), CHANGE_NOT_UNDONE);
		expect_one(types[i].not_back, "threads: 1 of 1 could not get CPU ");
		end(pid);
		away();
	}
}
END_TEST

UNIT_MAIN("affinity", workqueues_run_on_the_reserved_cores_and_go_back,
	  a_workqueue_that_is_there_already_is_left_alone,
	  where_all_workqueues_are_there_already_nothing_is_planned,
	  a_mask_has_a_group_for_each_32_cpus, without_leave_or_alone_or_cores_nothing_is_planned,
	  what_somebody_else_has_bound_meanwhile_stays,
	  what_cannot_be_moved_is_said_and_the_others_are_moved,
	  why_the_kernel_did_not_take_the_cpus_is_said, what_is_back_already_needs_nothing,
	  a_site_may_let_all_unbound_workqueues_go,
	  workqueues_that_the_kernel_does_not_show_are_named,
	  all_workqueues_that_the_kernel_does_not_show_are_named,
	  a_change_that_was_cut_off_in_the_journal_is_undone_as_far_as_it_reads,
	  interrupts_of_the_card_run_on_the_reserved_cores_and_go_back_each,
	  the_interrupts_of_a_virtio_card_are_those_of_its_pci_device,
	  interrupts_are_left_to_irqbalance_where_it_runs,
	  interrupts_that_nobody_wants_moved_are_no_matter_of_irqbalance,
	  a_card_that_is_not_there_has_no_interrupts,
	  interrupts_of_a_network_interface_are_found_too,
	  all_threads_of_a_daemon_move_together_and_go_back,
	  a_daemon_whose_move_was_cut_off_goes_back_with_all_threads,
	  a_daemon_that_has_ended_needs_nothing,
	  a_daemon_whose_threads_are_bound_each_in_its_way_is_left_alone,
	  a_daemon_one_of_whose_threads_is_there_moves_with_the_others,
	  a_daemon_that_cannot_be_moved_is_told_with_the_reason,
	  threads_that_say_nothing_or_have_another_name_are_left_alone,
	  a_kernel_thread_may_have_a_blank_in_its_name,
	  kernel_threads_that_may_be_moved_are_and_others_are_not,
	  each_type_says_what_it_could_not_move, each_type_says_what_it_leaves_to_others,
	  each_type_says_what_it_could_not_put_back)
