#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# gate_v2.bats - the gate with Slurm 26.05, which names cgroups by the SLUID of a job's run
#
# The client uses CPU 6 of the core 6,7, which is the node's spec set: tasks of a job
# with --core-spec=0 may bind themselves to 6 and 7.

# shellcheck disable=SC2030,SC2031,SC2154 # each test is a process; lib sets $job
# shellcheck disable=SC2016 # quoted code runs on the node

load lib
load client

setup_file() { export work=$BATS_FILE_TMPDIR; }
teardown_file() { node_end; }
teardown() { controller scancel -u alice; }

readonly where='jobio: gate: not started: the job may run on CPU 6-7 of node vm1'

@test "the job's cgroup is named by its SLUID, and has cpuset.cpus below slurmstepd's scope" {
	node_is v2 block CoreSpecCount=1
	allow core_change=never
	client_new 6
	run alice srun -Q -n1 --io-cores=1 cat /proc/self/cgroup
	expect_equal 0 "$status" 'exit status'
	[[ $output =~ ^0::/.*slurmstepd\.scope/s[0-9A-Z]{13}/step_0/ ]]
}

@test "a job that could move to the client's CPU is refused, even if bound to others" {
	node_is v2 block CoreSpecCount=1
	local bind
	for bind in map_cpu:0 mask_cpu:0x3; do
		run alice srun -Q -n1 -c8 --core-spec=0 --cpu-bind="$bind" hostname
		expect_equal 1 "$status" "exit status with $bind"
		expect_part "$where" "$output"
		[[ $output != *'not confined'* ]]
	done
}

@test "it is refused also if a plugin moves the task into a cgroup namespace, before or after jobio" {
	node_is v2 block CoreSpecCount=1
	local order
	on_node "base64 -d <<<$(base64 -w0 "$BATS_TEST_DIRNAME/../cluster/namespaces.c") | gcc -shared -fPIC -D_GNU_SOURCE -o /tmp/namespaces.so -xc -"
	for order in a z; do
		on_node "rm -f /etc/slurm/plugstack.conf.d/?.conf; echo required /tmp/namespaces.so >/etc/slurm/plugstack.conf.d/$order.conf"
		run alice env NAMESPACES=1 srun -Q -n1 --io-cores=1 cat /proc/self/cgroup
		expect_equal '0 0::/' "$status $output" "as $order.conf"
		run alice env NAMESPACES=1 srun -Q -n1 -c8 --core-spec=0 --cpu-bind=map_cpu:0 hostname
		expect_equal 1 "$status" "as $order.conf"
		expect_part "$where" "$output"
	done
	on_node 'rm -f /etc/slurm/plugstack.conf.d/?.conf'
}

@test "a job that has reserved the client's core starts, and cannot use it" {
	node_is v2 block CoreSpecCount=1
	expect_equal 0-5 "$(step_cpus --io-cores=1)" 'CPUs of the step'
}

# A task epilog that would run forever, and a child that leaves its process group
readonly epilog='#!/bin/bash
date +%s >/tmp/epilog.began
setsid bash -c "echo \$\$ >/tmp/epilog.child; exec sleep 600" >/dev/null 2>&1 </dev/null &
while :; do date +%s >/tmp/epilog.last; sleep 0.2; done'

# The task epilog of a refused task is run all the same: spank_jobio(8), BUGS.
@test "a user's task epilog is run all the same, for seconds; its children may stay, in a cgroup that an Epilog can find" {
	local job
	node_is v2 block CoreSpecCount=1
	on_node "rm -f /tmp/epilog.*; base64 -d >/tmp/epilog <<<$(base64 -w0 <<<"$epilog"); chmod 755 /tmp/epilog"
	job=$(alice sbatch --parsable --core-spec=0 -n1 -c8 -o '/tmp/%j.out' --wrap 'true')
	within 120 job_ended "$job"
	expect_part "$where" "$(on_node "cat /tmp/$job.out")"
	run alice srun -Q -n1 -c8 --core-spec=0 --task-epilog=/tmp/epilog hostname
	expect_part "$where" "$output"
	within 120 on_node '[ -s /tmp/epilog.child ] && ! pgrep -f "^slurmstepd: "'
	run on_node 'echo $(($(cat /tmp/epilog.last) - $(cat /tmp/epilog.began)))'
	((output <= 15)) || expect_equal 5 "$output" 'seconds of the epilog'
	# in the cgroup of slurmstepd, in which Slurm kills no process
	run on_node 'cat "/proc/$(cat /tmp/epilog.child)/cgroup" 2>/dev/null; pkill -F /tmp/epilog.child'
	[[ $output == '' || $output =~ ^0::/.*slurmstepd\.scope/s[0-9A-Z]{13}/step_0/slurm$ ]]
	within 30 on_node '! kill -0 "$(cat /tmp/epilog.child)" 2>/dev/null'
}

# expect_part PART TEXT - fail unless TEXT contains PART
expect_part() {
	[[ $2 == *"$1"* ]] || { printf "expected '%s', got '%s'\n" "$1" "$2" >&2; return 1; }
}
