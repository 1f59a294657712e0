#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroup_v2.bats - reserved cores on a real kernel: 2 sockets, SMT, cgroup v2

load lib
load cgroup

teardown_file() { node_end; }

@test "cgroup v2, block numbering: threads are neighbours, and reserved cores are kept from jobs" {
	withholds v2 block cgroup2fs
}

@test "cgroup v2, interleaved numbering: threads are four apart, and reserved cores are kept from jobs" {
	withholds v2 interleaved cgroup2fs
}
