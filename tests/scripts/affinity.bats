#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# core_change=affinity: while a job with io-cores runs, the work of a client that
# has no cores of its own runs on the reserved cores. Workqueues and interrupts
# are files; the threads of mmfsd (tests/sim/gpfs) are real and need two CPUs on
# the machine that runs the tests.
#
# shellcheck disable=SC2154 # bats sets output and status

load node
load crash
load gpfs
load affinity

setup() {
	node_make
	affinity_make
}

teardown() { affinity_remove; }

@test "the workqueues of NFS run on the reserved core while a job with io-cores runs, and on their own afterwards" {
	nfs
	job 7 1
	expect_run 0 prolog ''
	expect_queues '2 2 2 2'
	expect_run 0 epilog
	expect_queues '3 3 3 3'
	expect_in '"what":"workqueue","target":"workqueues nfsiod rpciod xprtiod writeback","old":"nfsiod=0-1 rpciod=0-1 xprtiod=0-1 writeback=0-1","new":"nfsiod=1 rpciod=1 xprtiod=1 writeback=1","restored":true' "$(record 7)"
	[ "$(record 7 | jq -c .findings)" = '[]' ]
}

@test "the gate file has the reserved core as the client's while the client's work runs there" {
	nfs
	starts 7 1
	expect_gate 7 client_cpus=1
	expect_gate 7 io_cpus=1
	epilog
	[ "$(record 7 | jq -r .client.cpus)" = 1 ]
	starts 8
	expect_gate 8 client_cpus=
	epilog
}

@test "workqueues that the kernel does not show are reported, or moved by its cpumask for all" {
	nfs
	rm -r "$NODE/sysfs/$QUEUES"/{nfsiod,rpciod,xprtiod}
	one_job 7 1
	expect_in '"code":"NF47","severity":"info","text":"this kernel cannot move workqueues by name: nfsiod rpciod xprtiod: not moved"' "$(record 7)"
	NODE_CLIENT=unbound_workqueues=all nfs
	starts 8 1
	[ "$(<"$NODE/sysfs/$QUEUES/cpumask")" = 00000002 ]
	expect_gate 8 client_cpus=1
	epilog
	[ "$(<"$NODE/sysfs/$QUEUES/cpumask")" = 00000003 ]
	[ "$(record 8 | jq -c .findings)" = '[]' ]
}

@test "a job without io-cores changes nothing" {
	nfs
	starts 7
	expect_queues '3 3 3 3'
	[ ! -e "$NODE/run/7/journal" ]
	epilog
}

@test "the threads of Lustre run on the reserved core, and on their own afterwards" {
	lustre
	starts 7 1
	[ "$(taskset -cp "$THREAD")" = "pid $THREAD's current affinity list: 1" ]
	expect_gate 7 client_cpus=1
	epilog
	[ "$(taskset -cp "$THREAD")" = "$BEFORE" ]
	[ "$(record 7 | jq -c '[.changes[] | .what, .target, .new, .restored]')" = \
		"[\"thread\",\"threads ptlrpcd_* socknal_* kiblnd_* ldlm_*\",\"$THREAD:ptlrpcd_00_00=1\",true]" ]
}

@test "all threads of mmfsd and the interrupts of its card run on the reserved core, and on their own afterwards" {
	gpfs
	job 7 1
	expect_run 0 prolog ''
	expect_mmfsd 1
	expect_interrupts '1 1'
	expect_gate 7 client_cpus=1
	expect_run 0 epilog
	expect_mmfsd_as_before
	expect_interrupts '0 0-1'
	[ "$(record 7 | jq -c '[.changes[] | .what, .restored]')" = '["process",true,"interrupt",true]' ]
}

# The job's state also has the lists of a change, with at most 4096 bytes each: this list would be
# truncated within a number's "0-15".
@test "each of several hundred interrupts of a card has its old CPUs when the job has ended" {
	local irq
	gpfs
	rm -r "$NODE/sysfs/class/net/ib0/device/msi_irqs/"* "$NODE/sysfs/proc/irq/"*
	for irq in {1000..1699}; do
		mkdir "$NODE/sysfs/proc/irq/$irq"
		echo 0-15 >"$NODE/sysfs/proc/irq/$irq/smp_affinity_list"
		: >"$NODE/sysfs/class/net/ib0/device/msi_irqs/$irq"
	done
	starts 7 1
	[ "$(cat "$NODE/sysfs/proc/irq"/*/smp_affinity_list | sort | uniq -c | xargs)" = '700 1' ]
	expect_run 0 epilog
	[ "$(cat "$NODE/sysfs/proc/irq"/*/smp_affinity_list | sort | uniq -c | xargs)" = '700 0-15' ]
	[ "$(record 7 | jq -c '[.changes[] | .what, .restored]')" = \
		'["process",true,"interrupt",true,"interrupt",true]' ]
}

@test "interrupts are not moved if irqbalance runs, and the job's record has the reason" {
	gpfs
	mkdir "$NODE/processes/1"
	echo irqbalance >"$NODE/processes/1/comm"
	starts 7 1
	expect_mmfsd 1
	expect_interrupts '0 0-1'
	epilog
	expect_in 'GP47' "$(record 7)"
	expect_in 'irqbalance runs and would move the interrupts of ib0 again: not moved' "$(record 7)"
}

@test "an interrupt that cannot be moved is a finding, and the job runs" {
	gpfs
	rm "$NODE/sysfs/proc/irq/45/smp_affinity_list"
	ln -s /proc/sys/kernel/random/entropy_avail "$NODE/sysfs/proc/irq/45/smp_affinity_list" # a number that cannot be written
	job 7 1
	expect_run 0 prolog 'GP44 interrupts of ib0: 1 of 2 could not get CPU 1: '
	epilog
}

@test "core_change=affinity is refused for a WEKA client, which has cores of its own" {
	NODE_CLIENT=core_change=affinity node_conf
	job 7
	run prolog
	expect_in "[client weka] core_change: 'affinity': a WEKA client has cores of its own: expected never, grow or any" "$output"
}

# ---- killed ----------------------------------------------------------------------

request_of() { job "$1" 1; }

is_back() { affinity_is_back; }
rebooted() { affinity_rebooted; }

# killed COMMAND MENDER [POINT...] - kill COMMAND while it moves mmfsd and its card's interrupts
killed() {
	gpfs
	crash_walk "$@" 'affinity before' 'affinity after'
}

@test "a prolog killed at any step of moving is undone by its epilog" {
	killed prepare release
}

@test "a prolog killed at any step of moving is undone by --recover" {
	killed prepare recover
}

@test "a prolog killed at any step of moving is undone by the next job" {
	killed prepare crash_next_job
}

@test "an epilog killed at any step of moving back is finished by its second run" {
	killed release release 'affinity back before' 'affinity back after'
}

@test "mmfsd and its card have their old CPUs in the end if one call of prolog or epilog fails, or all from there on" {
	gpfs
	fail_walk prepare
	fail_walk release
	fail_walk prepare all
	fail_walk release all
}

@test "after random schedules of crashes all have their old CPUs" {
	gpfs
	crash_schedules ""
}

# another TYPE - make a new node, without the jobs before
another() {
	affinity_remove
	setup
	"$1"
}

# each_killed COMMAND MENDER - for the workqueues of NFS, then for a thread of Lustre
each_killed() {
	local make
	for make in nfs lustre; do
		another $make
		crash_walk "$@" 'affinity before' 'affinity after' || fail "$make"
	done
}

@test "a prolog killed at any step of moving workqueues or threads is undone by its epilog" {
	third 1 each_killed prepare release
}

@test "a prolog killed at any step of moving workqueues or threads is undone by --recover" {
	third 2 each_killed prepare recover
}

@test "a prolog killed at any step of moving workqueues or threads is undone by the next job" {
	third 3 each_killed prepare crash_next_job
}

@test "an epilog killed at any step of moving workqueues or threads back is finished by its second run" {
	each_killed release release
}

@test "after random schedules of crashes workqueues and threads have their old CPUs" {
	local make
	for make in nfs lustre; do
		another $make
		crash_schedules "" || fail "$make"
	done
}
