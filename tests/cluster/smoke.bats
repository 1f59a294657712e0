#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# smoke.bats - properties of the cluster on which the other tests rely
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test
# shellcheck disable=SC2016 # quoted code runs elsewhere

load lib

setup_file() { expect_healthy; }
teardown() { expect_healthy; }

@test "the cluster runs the Slurm version of its Debian suite" {
	local -A version=([bookworm]=22.05 [trixie]=24.11 [sid]=26.05)
	expect_text "slurm-wlm ${version[$JOBIO_SUITE]}." "$(on ctld slurmctld -V)"
}

@test "tasks cannot run on a reserved core even if they set their affinity to it" {
	submit 'grep Cpus_allowed_list /proc/self/status; taskset -p -c 0-1023 $$ >/dev/null 2>&1; grep Cpus_allowed_list /proc/self/status' \
		-n1 --core-spec=1
	wait_for_job "$job"
	local cpus all
	cpus=$(job_output "$job" | awk '{ print $2 }' | sort -u)
	expect_equal 1 "$(wc -l <<<"$cpus")"
	all=$(on c1 awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status)
	[[ $cpus != "$all" ]]
}

@test "a job that has ended is in sacct" {
	submit 'exit 3'
	wait_for_job "$job"
	within 20 accounted "$job" FAILED
	expect_equal 3:0 "$(on login sacct -n -X -j "$job" -P -o ExitCode)"
}

@test "users share their homes between login and compute nodes" {
	submit 'hostname' -w c2
	wait_for_job "$job"
	expect_equal c2 "$(job_output "$job")"
}

@test "the client's file system is mounted on all compute nodes and shared" {
	submit 'srun sh -c "echo \$SLURMD_NODENAME >/mnt/weka/\$SLURM_JOB_ID.\$SLURMD_NODENAME"; cat /mnt/weka/$SLURM_JOB_ID.*' \
		-N2 -w c1,c3
	wait_for_job "$job"
	expect_equal $'c1\nc3' "$(job_output "$job")"
}

@test "the core that Slurm reserves first is the client's core" {
	local client all
	submit 'grep Cpus_allowed_list /proc/self/status | cut -f2' -n1 --core-spec=1
	wait_for_job "$job"
	client=$(on c1 weka local resources | awk '$1 == "FRONTEND" { print $3 }')
	[[ $client =~ ^[0-9]+$ ]]
	all=$(on c1 awk '/Cpus_allowed_list/ { print $2 }' /proc/self/status)
	[[ ,$(expand_cpus "$all"), == *,$client,* ]]
	[[ ,$(expand_cpus "$(job_output "$job")"), != *,$client,* ]]
}

@test "a compute node that restarts becomes idle by itself, with a new boot ID" {
	local before
	before=$(on c3 cat /proc/sys/kernel/random/boot_id)
	docker restart -t 1 "$JOBIO_CLUSTER-c3" >/dev/null
	within 60 node_answers c3 "$before"
}

node_answers() {
	[[ $(on "$1" cat /proc/sys/kernel/random/boot_id) != "$2" ]] &&
		[[ $(as alice srun -I5 -w "$1" hostname 2>&1) == "$1" ]]
}
