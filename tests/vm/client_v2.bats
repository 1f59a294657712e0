#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# client_v2.bats - jobs for which the client gets other cores; cgroup v2
#
# The site has no spec set, CPUs are numbered in blocks: Slurm withholds core 3
# (CPUs 6,7) for one io-core, 1 and 3 (CPUs 2,3,6,7) for two.

# shellcheck disable=SC2030,SC2031,SC2154 # each test is a process; lib sets $job
# shellcheck disable=SC2016 # quoted code runs on the node

load lib
load client

setup_file() { export work=$BATS_FILE_TMPDIR; }
teardown_file() { node_end; }
teardown() { controller scancel -u alice; }

@test "cgroup v2: a client moves to the cores that Slurm reserves for a job, which runs on others" {
	node_is v2 block
	allow core_change=any
	client_new 4
	expect_equal 2-3,6-7 "$(cores_of os_cpus --core-spec=2)" 'jobio cores --core-spec=2'
	look_and_step --exclusive --io-cores=2 --io-profile=stream
	expect_apart 2-3,6-7 '2 6'
	expect_client '2 6'
	expect_findings
	expect_of "$job" '[.changes[] | [.what, .old, .new, .restored]]' \
		'[["cores","4","2,6",false],["mount-option","writecache","forcedirect",true]]'
	expect_of "$job" '[.io_cores.os_cpus, .io_cores.abstract, .client.cpus]' '["2-3,6-7","1,3","2-3,6-7"]'
	expect_summary cores=2 cpus=2-3,6-7 prof=stream
	expect_idle
}

@test "the client keeps the cores: for the next job with the same request nothing is restarted" {
	local before
	node_is v2 block
	before=$(frontend_pids)
	look --io-cores=2
	expect_equal "$before" "$(frontend_pids)" 'processes of the frontends'
	expect_apart 2-3,6-7 '2 6'
	expect_of "$job" .changes '[]'
	on_node 'SLURMD_NODENAME=vm1 /usr/libexec/jobio/jobio-prepare --recover'
	expect_client '2 6'
}

@test "then a job that may run on its cores is reported; one with fewer io-cores does not start" {
	node_is v2 block
	look --exclusive
	expect_warned 2-3,6-7
	look --io-cores=1
	expect_refused 2-3
	expect_says W47 "container 'client' keeps core 2,6, although this job should find 6: WEKA does not lower the number of cores while a file system is mounted"
	expect_client '2 6'
	expect_idle
}

@test "core_method=mount removes a core: mounts are made again, with the options of fstab" {
	node_is v2 block
	allow core_change=any core_method=mount
	look --io-cores=1
	expect_apart 6-7 6
	expect_client 6
	expect_findings
	expect_of "$job" '[.changes[] | [.what, .old, .new]]' '[["cores","2,6","6"]]'
	expect_summary cores=1 cpus=6-7
}

@test "after a failed change the old cores are kept, nothing is staged, and the job runs" {
	node_is v2 block
	allow core_change=any
	knob faults.apply_fails=yes
	look --io-cores=2
	expect_apart 2-3,6-7 6
	expect_client 6
	expect_findings W36 W44
	expect_says W44 "container 'client' could not change from core 6 to 2,6: weka local resources: exit status 1: error: Applying resources on container 'client' failed: failed to apply the new resources. Reverted to the last stable resources; it is back at core 6"
	expect_of "$job" '[.changes[] | [.what, .old, .new, .restored, .made]]' '[["cores","6","2,6",null,false]]'
	expect_summary cores=2 cpus=2-3,6-7
	expect_idle
}

@test "a frontend that stays disconnected is removed again" {
	node_is v2 block
	allow core_change=any ready_timeout_ms=12000
	knob faults.apply_fails=no faults.disconnected=1
	look --io-cores=2
	expect_apart 2-3,6-7 6
	expect_client 6
	expect_findings W36 W44
	expect_says W44 "container 'client' could not change from core 6 to 2,6: it was not READY with all frontends connected after 12000 ms; it is back at core 6"
	expect_idle
}

@test "core_change=grow takes no core away, core_change=never changes nothing" {
	node_is v2 block
	allow core_change=grow
	client_moved 4
	look --io-cores=1
	expect_refused 4-5
	expect_says W47 "container 'client' keeps core 4, although this job should find 6: core_change=grow, and that would take a core away"
	allow core_change=never
	look --io-cores=2
	expect_refused 4-5
	expect_says W47 "container 'client' keeps core 4, although this job should find 2,6: core_change=never"
	expect_client 4
	expect_of "$job" .changes '[]'
	expect_idle
}

@test "WEKA 5 changes its cores on a remount" {
	node_is v2 block
	allow core_change=any core_method=remount
	client_new 4 client.version=5.1.0
	look --io-cores=2 --io-profile=stream
	expect_apart 2-3,6-7 '2 6'
	expect_client '2 6'
	expect_findings
	expect_summary cores=2 cpus=2-3,6-7
}
