#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# client_v1.bats - jobs for which the client gets other cores; cgroup v1
#
# Nodes have a spec set of one core, the client's own; CPUs are numbered interleaved. Core 3
# (CPUs 3,7) is never used by jobs, the second io-core is core 1 (CPUs 1,5).

# shellcheck disable=SC2030,SC2031,SC2154 # each test is a process; lib sets $job
# shellcheck disable=SC2016 # quoted code runs on the node

load lib
load client

setup_file() { export work=$BATS_FILE_TMPDIR; }
teardown_file() { node_end; }
teardown() { controller scancel -u alice; }

@test "cgroup v1: a client gets more cores in addition to its own" {
	node_is v1 interleaved CoreSpecCount=1
	allow core_change=grow
	client_new 3
	expect_equal 1,3,5,7 "$(cores_of os_cpus --core-spec=2)" 'jobio cores --core-spec=2'
	look_and_step --io-cores=2 --io-profile=stream
	expect_apart 1,3,5,7 '1 3'
	expect_client '1 3'
	expect_equal 1,3,5,7 "$(on_node 'cat /sys/fs/cgroup/cpuset/weka-client/cpuset.cpus')" 'cpuset of the client'
	expect_findings
	expect_of "$job" '[.changes[] | [.what, .old, .new]]' '[["cores","3","1,3"],["mount-option","writecache","forcedirect"]]'
	expect_summary cores=2 cpus=1,3,5,7 prof=stream
	expect_idle
}

@test "cgroup v1: its own core is restored for the first job without io-cores, if that is possible" {
	node_is v1 interleaved CoreSpecCount=1
	look --exclusive
	expect_warned 1,5
	allow core_change=any core_method=mount
	look
	expect_client 3
	expect_findings
	expect_of "$job" '[.changes[] | [.what, .old, .new]]' '[["cores","1,3","3"]]'
	look --exclusive
	expect_equal '3 7' "$(others "$(head -n 1 "$work/$job.out")")" 'kept from a job without io-cores'
	expect_of "$job" .changes '[]'
	expect_idle
}
