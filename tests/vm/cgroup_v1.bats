#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# cgroup_v1.bats - reserved cores on a real kernel: 2 sockets, SMT, cgroup v1

load lib
load cgroup

teardown_file() { node_end; }

@test "cgroup v1, block numbering: threads are neighbours, and reserved cores are kept from jobs" {
	withholds v1 block tmpfs
}

@test "cgroup v1, interleaved numbering: threads are four apart, and reserved cores are kept from jobs" {
	withholds v1 interleaved tmpfs
}
