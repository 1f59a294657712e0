#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# crash_mount.bats - a prolog is killed at any step of a new mount for other cores; the next run of
# prolog, epilog or --recover restores the node.

load node
load crash

setup() { crash_node; }

teardown() { node_remove; }

# A job with a gate file counts as starting; make that file old.
by_another_job() {
	[[ ! -e $NODE/run/$1/gate ]] || touch -d '20 minutes ago' "$NODE/run/$1/gate"
	next_job $(($1 + 1000))
}

by_second_run() {
	prepare && release
}

# walk_mount MENDER - kill the prolog at each step of a change of cores by a new
# mount, then run MENDER ID; then the client is mounted, and has its old cores
# once a job without a request has started
walk_mount() {
	local at count id
	cores_by mount
	job 100 2 stream
	count=$(points prepare)
	release
	next_job 101
	expect_clean 100 101
	[ "$(grep -c . "$NODE/weka/umount-calls")" -eq 2 ]
	for at in $(steps "$count"); do
		id=$((1000 + at))
		job "$id" 2 stream
		killed_at "$at" prepare || fail "survived point $at"
		"$1" "$id" || fail "after point $at"
		expect_mounted || fail "after point $at"
		job "$id" 2 stream
		release
		next_job $((3000 + at))
		expect_clean "$id" $((3000 + at)) || fail "after point $at"
	done
}

@test "a new mount killed at any step is undone by the epilog" {
	walk_mount release
}

@test "a new mount killed at any step is undone by --recover" {
	walk_mount recover
}

@test "a new mount killed at any step is undone by the next job" {
	walk_mount by_another_job
}

@test "a prolog that was killed in a new mount can be run again" {
	walk_mount by_second_run
}
