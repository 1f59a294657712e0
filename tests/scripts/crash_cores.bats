#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# crash_cores.bats - a prolog is killed at any step of a change of cores, with file systems
# unmounted; the next run of prolog, epilog or --recover restores the node.

load node
load crash

setup() { crash_node; }

teardown() { node_remove; }

@test "a change of cores killed at any step is undone by the next job without io-cores" {
	NODE_CLIENT=$'core_change=any\ntimeout_ms=60000' node_conf
	job 100 2
	count=$(points prepare)
	release
	next_job 101
	expect_clean 100 101
	for at in $(steps "$count"); do
		job $((1000 + at)) 2
		killed_at "$at" prepare || fail "survived point $at"
		job $((1000 + at)) 2
		release
		next_job $((3000 + at))
		expect_clean $((1000 + at)) $((3000 + at)) || fail "after point $at"
	done
}

@test "a prolog that was killed while nothing was mounted can be run again" {
	cut_off
	job 7 2
	prepare
	[ "$(<"$NODE/weka/stable")" = 6,7 ]
	expect_mounted
}

# cut_off - kill the prolog of job 7 while nothing is mounted
cut_off() {
	local at
	cores_by mount
	job 100 2
	points prepare >/dev/null
	at=$(grep -n 'umount after' "$NODE/points" | cut -d: -f1)
	release
	next_job 101
	job 7 2
	killed_at "$at" prepare || fail "survived point $at"
	[[ ! -s $NODE/weka/mounts ]] || fail "still mounted"
}

@test "unmounted file systems are mounted again although the journal cannot be read" {
	cut_off
	printf 'nonsense\n{"half' >"$NODE/run/7/journal"
	recover
	expect_mounted
}

@test "unmounted file systems are mounted again although the journal is missing" {
	cut_off
	rm "$NODE/run/7/journal" "$NODE/run/7/start.json"
	recover
	expect_mounted
}

@test "after a reboot the mounts are those of fstab, and jobio mounts nothing" {
	cut_off
	sed -i '1s/[^ ]*$/00000000-0000-4000-8000-000000000000/' "$NODE/spool/state/weka.mounts"
	reboot
	touch "$NODE/weka/idle"
	node_interface
	: >"$NODE/weka/mount-calls"
	recover
	[ ! -s "$NODE/weka/mount-calls" ]
	expect_base
	[ -s "$NODE/spool/7.0.c1.json" ]
	next_job 8
}
