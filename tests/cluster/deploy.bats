#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# deploy.bats - what docs/deploy.md says, on a cluster: the check of each host, a
# job through all rooms, a canary, the switch, and what drains a node
# shellcheck disable=SC2154,SC2030,SC2031 # submit sets $job, for one test

load lib

setup_file() { expect_healthy; }

teardown() {
	site_restore
	expect_healthy
}

@test "jobio check finds no error of Slurm, jobio.conf or the ledger on any host of the site" {
	local host
	for host in login ctld dbd c1 c2 c3; do
		check "$host"
		# a node of two cores, which are too few for io_cores_max (J08)
		no 'S[0-9]+|J0[1-79]|J1[0-9]|L[0-9]+|H0[13]' || { echo "$host"; return 1; }
		expect_text 'finding(s)' "$output"
	done
}

@test "roles are found, and the answers of all hosts are one table" {
	local answers host
	answers=$(for host in login ctld dbd c1 c2 c3; do
		printf '%s: ' "$host"
		on "$host" jobio check --format=json || :
	done)
	expect_text '"roles":["login"]' "$(grep '^login:' <<<"$answers")"
	expect_text '"roles":["ctld"' "$(grep '^ctld:' <<<"$answers")"
	expect_text '"ledger"]' "$(grep '^dbd:' <<<"$answers")"
	expect_text '"roles":["node"]' "$(grep '^c2:' <<<"$answers")"
	run docker exec -i "$JOBIO_CLUSTER-login" jobio check --fold <<<"$answers"
	expect_text '6 hosts answered' "$output"
	[[ $output != *'no answer'* && $output != *'not the same everywhere'* ]]
	set_conf c2 's/^io_cores_max.*/io_cores_max = 3/'
	answers=$(for host in c1 c2 c3; do on "$host" jobio check --format=json || :; done)
	run docker exec -i "$JOBIO_CLUSTER-login" jobio check --fold <<<"$answers"
	expect_text 'jobio.conf is not the same everywhere:' "$output"
	[[ $output == *'     1  c2'* ]]
}

@test "a job of jobio check goes through all rooms" {
	run as alice jobio check --submit --role=login
	expect_text 'option   srun took --io-cores=1: job ' "$output"
	expect_text 'gate     the task may start' "$output"
	expect_text 'ledger   jobio/1 ' "$output"
	expect_text 'report   sacct shows the same' "$output"
	no 'T[0-9]+'
}

@test "a slurm.conf that slurmctld has not read is found" {
	on login sed -i 's:^Epilog=.*:Epilog=/usr/libexec/jobio/new-epilog:' /etc/slurm/slurm.conf
	check login
	on login sed -i 's:^Epilog=.*:Epilog=/usr/libexec/jobio/epilog:' /etc/slurm/slurm.conf
	expect_text 'S20 error: slurm.conf: Epilog=/usr/libexec/jobio/new-epilog, and slurmctld runs with /usr/libexec/jobio/epilog' "$output"
}

@test "a ledger that is down is found, by the name of its host" {
	on dbd svc stop jobio-ledgerd
	check c1
	on dbd svc start jobio-ledgerd
	expect_text "L04 error: the ledger cannot be reached: ledger 'dbd:8632'" "$output"
}

# everywhere SED - change jobio.conf on every host
everywhere() {
	local host
	for host in login dbd c1 c2 c3; do set_conf "$host" "$1"; done
}

# submit_says OPTION... - what sbatch prints; sets $job
submit_says() {
	said=$(enter_as alice "$JOBIO_CLUSTER-login" sbatch --parsable -o '/home/alice/%j.out' "$@" \
		<<<$'#!/bin/bash\nawk "/Cpus_allowed_list/ { print \\$2 }" /proc/self/status; echo "cores ${SLURM_IO_CORES:-none}"' 2>&1)
	job=$(tail -n 1 <<<"$said")
}

@test "enabled = no: options are taken, nothing is reserved or changed, and the record says why" {
	everywhere '/^\[jobio\]/a enabled = no'
	submit_says --io-cores=1 --io-profile=stream -n1 -w c1
	expect_text 'sbatch: jobio: option: --io-cores and --io-profile: nothing is done: the site has switched jobio off (enabled=no)' "$said"
	wait_for_job "$job"
	within 20 accounted "$job" COMPLETED
	expect_text 'cores none' "$(job_output "$job")"
	expect_equal writecache "$(mount_mode c1)"
	expect_record "$job" c1 '.findings[0].code' W57
	check c1
	expect_text 'J10 info: jobio does nothing on this host' "$output"
}

@test "enabled = no opens the gate at once, also for jobs that are prepared already" {
	# plain jobs may run on the client's CPU, and the gate enforces
	submit 'echo ran' -n1 -w c1 --exclusive
	wait_for_job "$job"
	accounted "$job" FAILED || within 20 accounted "$job" FAILED
	set_conf c1 '/^\[jobio\]/a enabled = no'
	submit 'echo ran' -n1 -w c1 --exclusive
	wait_for_job "$job"
	expect_equal ran "$(job_output "$job")"
}

@test "a canary: one partition, then nodes" {
	everywhere '/^\[jobio\]/a partitions = other'
	submit_says --io-cores=1 -n1 -w c1 -p batch
	expect_text 'does not use jobio in partition batch yet (partitions=)' "$said"
	wait_for_job "$job"
	expect_text 'cores none' "$(job_output "$job")"
	everywhere 's/^partitions = .*/partitions = batch/'
	submit_says --io-cores=1 -n1 -w c1 -p batch
	wait_for_job "$job"
	expect_text 'cores 1' "$(job_output "$job")"
	everywhere 's/^partitions = .*/nodes = c[12]/'
	submit_says --io-cores=1 -n1 -w c3
	wait_for_job "$job"
	expect_record "$job" c3 '.findings[0].code' W57
	submit_says --io-cores=1 -n1 -w c2
	wait_for_job "$job"
	expect_text 'cores 1' "$(job_output "$job")"
}

is_drained() { [[ $(on login sinfo -h -n "$1" -o %T) == drain* ]]; }

# drained_by FILE REASON - c1 without this script drains at its next job
drained_by() {
	on c1 mv "$1" "$1.away"
	check c1
	submit 'echo ran' -n1 -w c1
	within 30 is_drained c1 || { on c1 mv "$1.away" "$1"; return 1; }
	on c1 mv "$1.away" "$1"
	expect_text "S17 error: slurm.conf: " "$output"
	expect_text 'there is no such file: slurmd fails it and drains the node' "$output"
	expect_text "$2" "$(on login sinfo -h -R -n c1 -o %E)"
	on login scancel "$job"
	within 30 queue_is_empty
	on login scontrol update nodename=c1 state=resume
}

@test "a node without the script of Prolog= drains at its next job, as Slurm has it, and check says so before" {
	drained_by /usr/libexec/jobio/prolog Prolog
}

# Slurm before 23.02 does not say whether a job is alone: ten minutes go by.
@test "a node without the script of Epilog= drains at its next job, whose record comes with one that is alone there" {
	local late
	drained_by /usr/libexec/jobio/epilog Epilog
	late=$job
	[[ $JOBIO_SUITE != b* ]] || on c1 touch -d '-11 minutes' "/run/jobio/$late"
	submit 'echo ran' --io-cores=1 -n1 -w c1
	wait_for_job "$job"
	within 20 no_traces c1
	expect_record "$late" c1 .job "$late"
}
