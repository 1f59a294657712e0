#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroup_v1.bats - reserved cores on a real kernel: 2 sockets, SMT, cgroup v1

load lib

teardown_file() { node_end; }

@test "cgroup v1, block numbering: threads of a core are neighbours" {
	node_uncounted v1 block
	expect_equal tmpfs "$(on_node 'stat -fc %T /sys/fs/cgroup')" 'cgroups'
	expect_equal 0-1 "$(siblings_of 0)" 'first core'
	expect_equal 6-7 "$(siblings_of 7)" 'last core'
}

@test "cgroup v1, block numbering: a job that reserves nothing gets all CPUs" {
	node_uncounted v1 block
	expect_equal 0-7 "$(batch_cpus --exclusive)" '--exclusive'
}

@test "cgroup v1, block numbering: one reserved core is the last of socket 1" {
	node_uncounted v1 block
	expect_withheld 1 6-7
}

@test "cgroup v1, block numbering: two reserved cores are one of each socket" {
	node_uncounted v1 block
	expect_withheld 2 2-3,6-7
}

@test "cgroup v1, block numbering: three reserved cores leave one" {
	node_uncounted v1 block
	expect_withheld 3 2-7
}

@test "cgroup v1, interleaved numbering: threads of a core are four apart" {
	node_uncounted v1 interleaved
	expect_equal tmpfs "$(on_node 'stat -fc %T /sys/fs/cgroup')" 'cgroups'
	expect_equal 0,4 "$(siblings_of 0)" 'first core'
	expect_equal 3,7 "$(siblings_of 7)" 'last core'
}

@test "cgroup v1, interleaved numbering: a job that reserves nothing gets all CPUs" {
	node_uncounted v1 interleaved
	expect_equal 0-7 "$(batch_cpus --exclusive)" '--exclusive'
}

@test "cgroup v1, interleaved numbering: one reserved core is the last of socket 1" {
	node_uncounted v1 interleaved
	expect_withheld 1 3,7
}

@test "cgroup v1, interleaved numbering: two reserved cores are one of each socket" {
	node_uncounted v1 interleaved
	expect_withheld 2 1,3,5,7
}

@test "cgroup v1, interleaved numbering: three reserved cores leave one" {
	node_uncounted v1 interleaved
	expect_withheld 3 1-3,5-7
}
