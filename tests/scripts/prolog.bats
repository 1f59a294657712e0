#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What prolog and epilog do on a node, run as slurmd runs them.

load node.bash

setup() {
	node_make
}

teardown() {
	node_remove
}

@test "a job gets its profile while it runs, and the node has its own options back afterwards" {
	job 7 1 stream
	run prolog
	[ "$status" -eq 0 ]
	expect_options forcedirect
	expect_gate 7 verdict=admit
	expect_gate 7 client_cpus=7,15
	expect_gate 7 io_cpus=7,15
	step 7 batch 1000 2000
	step 7 0 24 48
	run epilog
	[ "$status" -eq 0 ]
	expect_base
	[ ! -e "$NODE/run/7" ]
	[ ! -e "$NODE/spool/open/7.c1.json" ]
	text=$(record 7)
	expect_in '"what":"mount-option","target":"/mnt/weka","old":"writecache","new":"forcedirect","restored":true' "$text"
	expect_in '"read_bytes":1024' "$text"
	expect_in '"write_bytes":2048' "$text"
	expect_in '"steps":2' "$text"
	expect_in '"profile":"stream"' "$text"
	expect_in '"os_cpus":"7,15"' "$text"
	expect_in '"nodelist":"c[1-2]"' "$text"
}
